/* cli/cmd_agent_see.c - motet agent render, chart and scenario: what agents did, for
 * people.
 *
 * render draws the routes of an agent as an automaton and paints what a trace took;
 * chart makes a sequence diagram of the traces of those who talked; scenario makes of a
 * relay's log what one agent heard, so that it can be tried again with `trace`. Each
 * reads its files first and writes once, to standard output or --out. Exit status: 1
 * when a file is not what it should be, 3 when it cannot be read or written. */
#include "agent/automaton.h"
#include "agent/chart.h"
#include "agent/message.h"
#include "agent/value.h"
#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/picture.h"

/* clang-format off */
const cli_option CMD_AGENT_RENDER_OPTIONS[] = {
    {"trace",  "FILE", "paint what this trace took; may be repeated"},
    {"format", "FORM", "dot, svg (by Graphviz), mermaid or json (svg, else dot)"},
    {"out",    "FILE", "where to write it (standard output)"},
    {NULL, NULL, NULL},
};
const char CMD_AGENT_RENDER_DETAILS[] =
    "States are nodes, receivers the edges between them. With --trace (of motet agent run or\n"
    "trace) edges that were taken are painted, with how often in their tooltips.";
const cli_option CMD_AGENT_CHART_OPTIONS[] = {
    {"format", "FORM", "mermaid (default) or text"},
    {"out",    "FILE", "where to write it (standard output)"},
    {NULL, NULL, NULL},
};
const char CMD_AGENT_CHART_DETAILS[] =
    "Each TRACE is of motet agent run --trace. An address that sent what another of the traces\n"
    "says it sent is shown by that agent's name.";
const cli_option CMD_AGENT_SCENARIO_OPTIONS[] = {
    {"agent", "FILE",    "the agent that hears it"},
    {"as",    "ADDRESS", "that agent's address: what it said itself is left out"},
    {"out",   "FILE",    "where to write it (standard output)"},
    {NULL, NULL, NULL},
};
const char CMD_AGENT_SCENARIO_DETAILS[] =
    "LOG is of motet agent relay --log. The scenario is JSON for motet agent trace; paths in it\n"
    "are relative to where it is written.";
/* clang-format on */

/* ---- render ---- */

/* What all traces of --trace took, summed up. `taken` stays NULL without --trace: then
 * nothing is painted. */
static int read_taken(const cli_args *args, mt_arena *a, ag_taken **taken)
{
    const char *path;
    for (int i = 0; (path = cli_value_at(args, "trace", i)); i++) {
        mt_str text, why;
        int code = cli_read_text(args, a, path, MT_LIMITS_DEFAULT.json_bytes, &text);
        if (code) {
            return code;
        }
        if (ag_taken_read(a, text, taken, &why)) {
            return cli_fail(args, CLI_FAILS, "%s: %.*s", path, MT_ARG(why));
        }
    }
    return CLI_HOLDS;
}

/* Without --format: SVG where there is Graphviz, else DOT. */
static int write_picture(const cli_args *args, const mt_picture *p)
{
    cli_form form = CLI_FORM_SVG;
    mt_buf out = {0};
    if (cli_form_given(args, &form)) {
        return CLI_USAGE;
    }
    mt_err err = cli_picture(&out, p, form);
    /* Whoever asked for SVG by name is told that Graphviz is missing. */
    if (err == MT_E_NOTFOUND && !cli_value(args, "format")) {
        err = cli_picture(&out, p, CLI_FORM_DOT);
    }
    int code = err ? cli_fail(args, CLI_WORLD, CLI_NO_GRAPHVIZ)
                   : cli_write_out(args, mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

int cmd_agent_render(const cli_args *args)
{
    mt_arena a = {0};
    ag_file file = {0};
    ag_taken *taken = NULL;
    int code = cli_read_agent(args, &a, args->operands[0], &file);
    code = code ? code : read_taken(args, &a, &taken);
    if (!code) {
        mt_picture p = ag_draw_automaton(&a, &file, taken);
        code = write_picture(args, &p);
    }
    mt_arena_free(&a);
    return code;
}

/* ---- chart ---- */

/* All traces are read before anything is drawn: an address of one may be the agent of
 * another. */
int cmd_agent_chart(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    const char *form = cli_value(args, "format");
    bool text = form && strcmp(form, "text") == 0;
    mt_str why, *traces = mt_new_array(&a, mt_str, (size_t)args->count);
    int code = form && !text && strcmp(form, "mermaid") != 0
                   ? cli_fail(args, CLI_USAGE, "--format is mermaid or text")
                   : CLI_HOLDS;
    for (int i = 0; !code && i < args->count; i++) {
        code = cli_read_text(args, &a, args->operands[i], MT_LIMITS_DEFAULT.json_bytes,
                             &traces[i]);
    }
    if (!code && ag_chart(&a, traces, (size_t)args->count,
                          text ? AG_CHART_TEXT : AG_CHART_MERMAID, &out, &why)) {
        code = cli_fail(args, CLI_FAILS, "%.*s", MT_ARG(why));
    }
    code = code ? code : cli_write_out(args, mt_buf_str(&out));
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}

/* ---- scenario ---- */

/* One line of a log as a message of a scenario; false: it is no such line. */
static bool write_heard(mt_arena *a, mt_str line, mt_str own, mt_jw *w)
{
    ag_inbound in;
    /* A relay's log has lines as agents read them, with the sender's address. */
    if (ag_frame_read(a, AG_COMPAT, line, NULL, &in) || !in.relayed) {
        return false;
    }
    if (!mt_str_eq(in.address, own)) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "content");
        mt_jw_json(w, &in.payload);
        mt_jw_key_str(w, "from", in.address);
        mt_jw_end_object(w);
    }
    return true;
}

/* Keys ascend, so "agent" comes before "messages" and the name last. Numbers of lines
 * are those of the log, empty ones counted. */
static int write_scenario(const cli_args *args, mt_arena *a, mt_str log, mt_jw *w)
{
    const char *agent = cli_value(args, "agent"), *own = cli_value(args, "as");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "agent", mt_str_z(agent));
    mt_jw_keyz(w, "messages");
    mt_jw_begin_array(w);
    for (uint32_t number = 1; log.len; number++) {
        size_t length = mt_str_find(log, '\n');
        mt_str line = mt_str_from(log.ptr, length);
        log = mt_str_skip(log, length + 1);
        if (line.len && !write_heard(a, line, mt_str_z(own ? own : ""), w)) {
            return cli_fail(args, CLI_FAILS, "line %u is not of a relay's log", number);
        }
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "scenario", MT_STR("what a relay carried"));
    mt_jw_end_object(w);
    return CLI_HOLDS;
}

int cmd_agent_scenario(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    mt_str log;
    mt_jw w = mt_jw_start(&out, true);
    if (!cli_value(args, "agent")) {
        return cli_fail(args, CLI_USAGE, "--agent FILE says who hears it");
    }
    int code =
        cli_read_text(args, &a, args->operands[0], MT_LIMITS_DEFAULT.json_bytes, &log);
    code = code ? code : write_scenario(args, &a, log, &w);
    if (!code) {
        mt_buf_addc(&out, '\n');
        code = cli_write_out(args, mt_buf_str(&out));
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}
