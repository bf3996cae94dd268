/* cli/cmd_graph_whatif.c - motet graph whatif: which decisions would another graph
 * make? Room: cli. The new graph is the operand, with --set changed in its parameters;
 * the old one is needed only to say why, and is the operand itself without --set where
 * that is the graph of the capture. Exit status 1: at least one decision differs. */
#include <errno.h>

#include "cli/commands.h"
#include "cli/graph.h"
#include "host/graph_capture.h"
#include "host/graph_tell.h"

/* clang-format off */
const cli_option CMD_GRAPH_WHATIF_OPTIONS[] = {
    CLI_GRAPH_OPTIONS,
    {"set",         "NAME=VALUE", "decide a parameter: of the graph, or NODE.PARAMETER (repeats)"},
    {"graph",       "FILE",       "the graph the capture was made with, to say why (GRAPH without --set)"},
    {"old-adapter", "FILE",       "the adapter the capture was made with (--adapter)"},
    {"json",        NULL,         "print every difference as a line, then a summary"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_WHATIF_DETAILS[] =
    "Gives every event of a capture or journal to GRAPH and compares decisions, context "
    "writes and intents with what was recorded: what is different, from which event on, and "
    "which node was the first to say something else. Nothing is sent. What the old graph had "
    "written into the context is replaced by what the new one writes, and windows are "
    "computed anew. Exit status 1: at least one decision differs.";
/* clang-format on */

/* As text; a change of a threshold may differ at every second event, and the first
 * ones say why. */
enum { SHOWN = 10 };

typedef struct asker {
    const cli_args *args;
    mt_arena arena;
    ho_capture_file capture;
    cli_graph now, was;
    bool has_was; /* `was` is the graph of the capture */
    uint64_t told;
    mt_buf out;
    mt_str first; /* "17 (csv_evt_18)" */
} asker;

/* ---- output ---- */

static void change_text(mt_buf *out, const ho_graph_change *c)
{
    mt_buf_addf(out, "event %zu (%.*s)\n  was  %.*s\n  now  %.*s\n", c->event,
                MT_ARG(c->event_id), MT_ARG(c->was), MT_ARG(c->now));
    if (c->node.len) {
        mt_buf_addf(out, "  why  %.*s said %.*s, now %.*s\n", MT_ARG(c->node),
                    MT_ARG(c->node_was), MT_ARG(c->node_now));
    }
}

/* Lines go out as they come: a capture has any length. */
static void hear(void *user, const ho_graph_change *change)
{
    asker *k = user;
    bool json = cli_flag(k->args, "json");
    if (!k->told++) {
        k->first =
            mt_strf(&k->arena, "%zu (%.*s)", change->event, MT_ARG(change->event_id));
    }
    if (json || k->told <= SHOWN) {
        mt_buf_clear(&k->out);
        (json ? ho_tell_change : change_text)(&k->out, change);
        (void)cli_print(mt_buf_str(&k->out));
    }
}

/* A print that failed before shows again here, with the last line, and becomes the exit
 * status. */
static int summarise(asker *k, const ho_whatif_result *r)
{
    uint64_t different = r->changed + r->refused;
    mt_buf_clear(&k->out);
    if (cli_flag(k->args, "json")) {
        ho_tell_whatif(&k->out, r);
    } else {
        if (different > SHOWN) {
            mt_buf_addf(&k->out, "... and %llu more; --json shows all\n",
                        (unsigned long long)(different - SHOWN));
        }
        mt_buf_addf(&k->out, "events=%llu same=%llu changed=%llu refused=%llu%s%.*s\n",
                    (unsigned long long)r->events, (unsigned long long)r->same,
                    (unsigned long long)r->changed, (unsigned long long)r->refused,
                    different ? "; the first at event " : "", MT_ARG(k->first));
    }
    int code = cli_print(mt_buf_str(&k->out));
    return code ? code : different ? CLI_FAILS : CLI_HOLDS;
}

/* ---- what is loaded ---- */

static int open_capture(asker *k)
{
    mt_buf why = {0};
    mt_err err = ho_capture_open(&k->arena, k->args->operands[0],
                                 cli_limits(k->args).json_bytes, &k->capture, &why);
    int code =
        !err ? CLI_HOLDS
             : cli_fail(k->args,
                        err == MT_E_NOTFOUND || err == MT_E_IO ? CLI_WORLD : CLI_FAILS,
                        "%.*s", MT_ARG(why));
    mt_buf_free(&why);
    return code;
}

/* The graph the capture was made with, if it is at hand; one that was named must be. */
static int load_old(asker *k)
{
    const char *named = cli_value(k->args, "graph");
    const gr_capture_head *head = &gr_capture_start_of(k->capture.reader)->head;
    int code = cli_graph_load_plain(k->args, named ? named : k->args->operands[1],
                                    "old-adapter", &k->was);
    if (code) {
        /* The operand without --set is only tried: it may need what --set decides. */
        return named ? cli_graph_report(k->args, &k->was, code) : CLI_HOLDS;
    }
    const gr_adapter *ad = k->was.files.adapter;
    k->has_was =
        /* A node of a graph that made other decisions would be a wrong reason. */
        gr_graph_is(k->was.files.graph, head->runtime_provenance) &&
        mt_str_eq(head->adapter_provenance, ad ? ad->fingerprint : MT_STR("none"));
    return !named || k->has_was
               ? CLI_HOLDS
               : cli_fail(k->args, CLI_FAILS,
                          "%s and its adapter are not those of the capture", named);
}

/* The capture is opened first: without it nothing else is worth loading. */
static int ask(asker *k)
{
    ho_whatif_result result;
    int code = open_capture(k);
    if (code) {
        return code;
    }
    code = cli_graph_load_set(k->args, k->args->operands[1], &k->now);
    if (code) {
        return cli_graph_report(k->args, &k->now, code);
    }
    code = load_old(k);
    if (code) {
        return code;
    }
    ho_whatif_options o = {.old_graph = k->has_was ? k->was.files.graph : NULL,
                           .old_adapter = k->has_was ? k->was.files.adapter : NULL,
                           .graph = k->now.files.graph,
                           .adapter = k->now.files.adapter,
                           .changed = hear,
                           .user = k};
    mt_err err = ho_graph_whatif(&k->arena, k->capture.reader, &o, &result);
    if (err == MT_E_REJECTED && result.diags.errors) {
        /* In the arena of the command, which outlives the report. */
        k->now.ds = result.diags;
        return cli_graph_report(k->args, &k->now, CLI_FAILS);
    }
    return err ? cli_fail(k->args, err == MT_E_IO ? CLI_WORLD : CLI_FAILS,
                          "%s, %.*s: %.*s", k->args->operands[0],
                          MT_ARG(result.fault.path), MT_ARG(result.fault.message))
               : summarise(k, &result);
}

int cmd_graph_whatif(const cli_args *args)
{
    asker k = {.args = args};
    int code = ask(&k);
    ho_capture_close(&k.capture);
    cli_graph_free(&k.now);
    cli_graph_free(&k.was);
    mt_buf_free(&k.out);
    mt_arena_free(&k.arena);
    return code;
}
