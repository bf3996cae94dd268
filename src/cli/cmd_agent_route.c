/* cli/cmd_agent_route.c - motet agent route and routes: what a route says, and which
 * an agent has.
 *
 * One route is shown in its parts, with what each action activates; two are compared
 * (the same canonical text: exit status 0, otherwise 1), and whether a sender on one
 * would hear a receiver on the other is said. A fault is shown with the text and a
 * mark under the place.
 *
 * `routes` lists registrations in the order in which they would be asked, as text, as
 * JSON lines, or as a picture. */
#include <stdio.h>

#include "agent/dna.h"
#include "agent/draw.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/picture.h"

/* clang-format off */
const cli_option CMD_AGENT_ROUTE_OPTIONS[] = {
    {"mode", "MODE", "profile (default) or compat"},
    {"json", NULL,   "answer as one JSON object"},
    {NULL, NULL, NULL},
};
const cli_option CMD_AGENT_ROUTES_OPTIONS[] = {
    {"format", "FORM", "draw it: " CLI_FORMS},
    {"json",   NULL,   "one JSON object per registration"},
    {"out",    "FILE", "where to write a picture (standard output)"},
    {NULL, NULL, NULL},
};
/* clang-format on */

/* Places are counted in characters, the offset is one in bytes. The caret is drawn only
 * under one line of valid UTF-8, where a character is a column for most text. */
static int show_fault(const cli_args *args, mt_str text, const ag_fault *fault)
{
    size_t valid = mt_utf8_check(text);
    mt_str before =
        mt_str_from(text.ptr, fault->offset < valid ? fault->offset : valid);
    cli_fail(args, CLI_FAILS, "character %zu: %s", mt_utf8_count(before) + 1,
             fault->message);
    if (valid == text.len && mt_str_find(text, '\n') == text.len) {
        fprintf(stderr, "    %.*s\n    %*s^\n", MT_ARG(text),
                (int)mt_utf8_count(before), "");
    }
    return CLI_FAILS;
}

/* `profile` reads as the document says, `compat` as the existing SDK does. */
static int parse(const cli_args *args, mt_arena *a, ag_mode mode, const char *text,
                 ag_route *out)
{
    ag_fault fault = {0};
    mt_err err = ag_route_parse(a, mode, NULL, mt_str_z(text), out, &fault);
    return err ? show_fault(args, mt_str_z(text), &fault) : CLI_HOLDS;
}

/* An empty part is an empty list, so programs need not ask whether it is there. */
static void write_part(mt_jw *w, const ag_route *r, ag_part part, const char *name)
{
    const ag_node *nodes = ag_route_part(r, part);
    mt_jw_key(w, mt_str_z(name));
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < r->count[part]; i++) {
        mt_jw_str(w, nodes[i].text);
    }
    mt_jw_end_array(w);
}

static const char *kind_of(const ag_route *r)
{
    return ag_route_is_initial(r) ? "initial arrow"
           : ag_route_is_arrow(r) ? "arrow"
                                  : "object";
}

static void write_route(mt_jw *w, const ag_route *r)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "canonical", r->canonical);
    mt_jw_key_str(w, "kind", mt_str_z(kind_of(r)));
    write_part(w, r, AG_LABEL, "label");
    write_part(w, r, AG_SOURCE, "source");
    write_part(w, r, AG_TARGET, "target");
    mt_jw_end_object(w);
}

static void show_part(mt_buf *out, const ag_route *r, ag_part part, const char *name)
{
    const ag_node *nodes = ag_route_part(r, part);
    if (r->count[part]) {
        mt_buf_addf(out, "  %-8s", name);
        for (uint32_t i = 0; i < r->count[part]; i++) {
            mt_buf_addf(out, "%s%.*s", i ? ", " : "", MT_ARG(nodes[i].text));
        }
        mt_buf_addc(out, '\n');
    }
}

/* "a --[b]--> c  (arrow)", then source, label and target, those that have something. */
static void show_route(mt_buf *out, const ag_route *r)
{
    mt_buf_addf(out, "%.*s  (%s)\n", MT_ARG(r->canonical), kind_of(r));
    show_part(out, r, AG_SOURCE, "source");
    show_part(out, r, AG_LABEL, "label");
    show_part(out, r, AG_TARGET, "target");
}

/* With two routes also what they mean to each other, since that is why one asks about
 * two. */
static void write_pair(mt_buf *out, ag_mode mode, const ag_route *r, int count)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (count == 2) {
        mt_jw_key_bool(&w, "equivalent", mt_str_eq(r[0].canonical, r[1].canonical));
        mt_jw_key_bool(&w, "first_sender_hears_second",
                       ag_route_accepts(mode, &r[0], &r[1]));
    }
    mt_jw_key_str(&w, "mode", mt_str_z(ag_mode_name(mode)));
    mt_jw_key_str(&w, "profile", MT_STR(AG_PROFILE_ID));
    mt_jw_keyz(&w, "routes");
    mt_jw_begin_array(&w);
    for (int i = 0; i < count; i++) {
        write_route(&w, &r[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* Equal canonical forms are the same route (§3.2); whether one hears the other is a
 * question of the mode. */
static void show_pair(mt_buf *out, ag_mode mode, const ag_route *r, int count)
{
    for (int i = 0; i < count; i++) {
        show_route(out, &r[i]);
    }
    if (count == 2) {
        bool same = mt_str_eq(r[0].canonical, r[1].canonical);
        mt_buf_addf(out, "%s\n", same ? "equivalent" : "not equivalent");
        mt_buf_addf(out, "a sender on the first %s a receiver on the second\n",
                    ag_route_accepts(mode, &r[0], &r[1]) ? "hears" : "does not hear");
    }
}

/* Two routes that differ end with CLI_FAILS, as `diff` does. */
int cmd_agent_route(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    ag_route routes[2];
    ag_mode mode = AG_PROFILE;
    const char *given = cli_value(args, "mode");
    if (given && !ag_mode_from(mt_str_z(given), &mode)) {
        return cli_fail(args, CLI_USAGE, "--mode is profile or compat");
    }
    int code = CLI_HOLDS;
    for (int i = 0; i < args->count && !code; i++) {
        code = parse(args, &a, mode, args->operands[i], &routes[i]);
    }
    if (!code) {
        (cli_flag(args, "json") ? write_pair : show_pair)(&out, mode, routes,
                                                          args->count);
        code = cli_print(mt_buf_str(&out));
    }
    if (!code && args->count == 2 &&
        !mt_str_eq(routes[0].canonical, routes[1].canonical)) {
        code = CLI_FAILS;
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}

/* ---- routes ---- */

/* Only what was declared: a sender without filters shows none. */
static void show_filters(mt_buf *out, const ag_agent *agent, const ag_sender *s)
{
    if (s->has_actions) {
        mt_buf_addz(out, "  on");
        for (ag_action action = AG_TEST; action <= AG_MOVE; action++) {
            if ((s->actions >> action) & 1) {
                mt_buf_addf(out, " %s", ag_action_name(action));
            }
        }
    }
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? "," : "  trigger ", MT_ARG(s->triggers[i]));
    }
    mt_buf_addz(out, s->multi ? "  multi" : "");
    if (s->every_ms) {
        mt_buf_addf(out, "  %s %llu ms%s%s%s", s->once ? "once after" : "every",
                    (unsigned long long)s->every_ms,
                    ag_sender_waits(agent, s) ? " when armed" : "",
                    s->gated ? " on its route" : "",
                    s->run_while ? " while run_while holds" : "");
    }
}

/* A priority is a list, compared item by item; one number is a list of one. */
static void show_priority(mt_buf *out, ag_priority p)
{
    for (uint32_t i = 0; i < p.count; i++) {
        mt_buf_addf(out, "%s%lld", i ? "," : "  priority ", (long long)p.items[i]);
    }
}

/* A route that could not be read is listed with its text and why it was left. */
static void show_unparsed(mt_buf *out, const ag_agent *agent, bool parsed)
{
    if (!parsed) {
        mt_buf_addf(out, "  (%s)", ag_why_unparsed(agent));
    }
}

/* Hooks, receivers, senders: in the order a message meets them. */
static void show_agent(mt_buf *out, const ag_agent *agent)
{
    for (uint32_t i = 0; i < agent->hook_count; i++) {
        const ag_hook *h = &agent->hooks[i];
        mt_buf_addf(out, "hook      %-28s %.*s", ag_direction_name(h->direction),
                    MT_ARG(h->name));
        show_priority(out, h->priority);
        mt_buf_addc(out, '\n');
    }
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        const ag_receiver *r = &agent->receivers[i];
        mt_str route = r->parsed ? r->route.canonical : r->text;
        mt_buf_addf(out, "receiver  %-28.*s %.*s", MT_ARG(route), MT_ARG(r->name));
        show_priority(out, r->priority);
        show_unparsed(out, agent, r->parsed);
        mt_buf_addc(out, '\n');
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        const ag_sender *s = &agent->senders[i];
        mt_str route = s->parsed ? s->route.canonical : s->text;
        mt_buf_addf(out, "sender    %-28.*s %.*s", MT_ARG(route), MT_ARG(s->name));
        show_priority(out, s->priority);
        show_filters(out, agent, s);
        show_unparsed(out, agent, s->parsed);
        mt_buf_addc(out, '\n');
    }
}

static int draw_agent(const cli_args *args, mt_arena *a, const ag_file *file,
                      cli_form form)
{
    mt_buf out = {0};
    mt_picture p = ag_draw(a, file);
    mt_err err = cli_picture(&out, &p, form);
    int code = err ? cli_fail(args, CLI_WORLD, CLI_NO_GRAPHVIZ)
                   : cli_write_out(args, mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* DNA needs what the agent does (handlers are digested); a list of routes does not, and
 * so works without the files of the handlers. */
int cmd_agent_routes(const cli_args *args)
{
    bool drawn = cli_value(args, "format") != NULL;
    cli_form form = CLI_FORM_SVG;
    if (cli_form_given(args, &form)) {
        return CLI_USAGE;
    }
    if (drawn ? cli_flag(args, "json") : cli_value(args, "out") != NULL) {
        return cli_fail(args, CLI_USAGE,
                        drawn ? "one of --json and --format"
                              : "--out takes a picture; add --format");
    }
    mt_arena a = {0};
    mt_buf out = {0};
    ag_file file = {0};
    bool json = cli_flag(args, "json");
    int code = json ? cli_read_dna(args, &a, args->operands[0], &file.agent)
                    : cli_read_agent(args, &a, args->operands[0], &file);
    if (!code && !json) {
        cli_advise(&a, args->operands[0], &file, NULL);
    }
    if (!code && drawn) {
        code = draw_agent(args, &a, &file, form);
    } else if (!code) {
        if (json) {
            ag_dna_write(&a, &file.agent, AG_DNA_PROFILE, &out);
            mt_buf_addc(&out, '\n');
        } else {
            show_agent(&out, &file.agent);
        }
        code = cli_print(mt_buf_str(&out));
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}
