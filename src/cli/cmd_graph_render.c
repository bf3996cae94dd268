/* cli/cmd_graph_render.c - motet graph render: the picture of a graph. Room: cli. In
 * this order: the graph is loaded as every command of graphs does it; with a capture,
 * the capture is replayed and every node keeps what it said at the wanted event (the
 * last one if none was named); then the picture is drawn in the form asked for.
 * Without --format it is SVG where there is Graphviz, DOT otherwise. Long values are
 * cut to a line. Exit status: 1 when the capture does not replay or has no such event,
 * 3 when a file cannot be read or written; nothing is printed then. */
#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/picture.h"
#include "graph/draw.h"
#include "host/graph_capture.h"
#include "host/graph_replay.h"

/* clang-format off */
const cli_option CMD_GRAPH_RENDER_OPTIONS[] = {
    {"format",  "FORM", "dot, svg (by Graphviz), mermaid or json (svg, else dot)"},
    {"out",     "FILE", "where to write it (standard output)"},
    {"ports",   NULL,   "label the edges with their ports"},
    {"capture", "FILE", "paint what every node said in this capture"},
    {"event",   "ID",   "at this event, with --capture (the last one the graph ran at)"},
    CLI_GRAPH_OPTIONS,
    {"json",    NULL,   "print diagnostics of a broken graph as JSON"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_RENDER_DETAILS[] =
    "Sources are ellipses, computes boxes, triggers diamonds, actions double boxes; a cluster\n"
    "is a box around its nodes. Dashed edges carry payload into an action, bold ones gate it.\n"
    "What a capture says is painted: values below the names, green what emitted or ran and the\n"
    "edges that carried it, red what failed, broken lines what said nothing.\n"
    "SVG has tooltips with parameters, ports and whole values, and follows the reader's dark mode. The form\n"
    "json is the description that the others render.";
/* clang-format on */

/* What each node said; NULL while nothing is painted. */
typedef struct paint {
    mt_arena *arena;
    const char *wanted; /* event id, NULL: the last one */
    mt_arena step;      /* what was said at the last step that fits */
    gr_said *said;      /* per node, there */
} paint;

/* ---- painting ---- */

/* Called for every step: the wanted one, or the last, stays. Nodes behind the one that
 * failed have said nothing. */
static void remember(void *user, size_t index, const ho_graph_step *step,
                     const gr_capture_decision *recorded)
{
    paint *p = user;
    const gr_episode *e = step->episode;
    (void)index;
    (void)recorded;
    if (e && (!p->wanted || mt_str_eq(step->event.id, mt_str_z(p->wanted)))) {
        mt_arena_reset(&p->step);
        p->said = gr_said_in(&p->step, e);
    }
}

/* A capture that does not replay is not painted: what it would show did not happen. */
static int paint_capture(const cli_args *args, const cli_graph *g, const char *path,
                         paint *p)
{
    ho_capture_file file;
    mt_buf why = {0};
    mt_err err =
        ho_capture_open(p->arena, path, cli_limits(args).json_bytes, &file, &why);
    if (err) {
        int code = err == MT_E_NOTFOUND || err == MT_E_IO ? CLI_WORLD : CLI_FAILS;
        code = cli_fail(args, code, "%.*s", MT_ARG(why));
        mt_buf_free(&why);
        return code;
    }
    ho_replay_options o = {.graph = g->files.graph,
                           .adapter = g->files.adapter,
                           .observe = remember,
                           .user = p};
    ho_replay_result result;
    err = ho_replay(p->arena, file.reader, &o, &result);
    ho_capture_close(&file);
    if (err == MT_E_REJECTED) {
        return cli_fail(args, CLI_FAILS, "the capture does not replay: %s: %.*s",
                        result.divergence.code, MT_ARG(result.divergence.message));
    }
    if (err) {
        return cli_fail(args, CLI_FAILS, "%s, %.*s: %.*s", path,
                        MT_ARG(result.fault.path), MT_ARG(result.fault.message));
    }
    return p->said ? CLI_HOLDS
                   : cli_fail(args, CLI_FAILS, "the graph did not run at this event");
}

/* ---- drawing ---- */

/* Without --format: SVG where there is Graphviz, else DOT. */
static int draw(const cli_args *args, const mt_picture *p, mt_buf *out)
{
    cli_form form = CLI_FORM_SVG;
    int code = cli_form_given(args, &form);
    if (code) {
        return code;
    }
    mt_err err = cli_picture(out, p, form);
    if (err == MT_E_NOTFOUND && !cli_value(args, "format")) {
        err = cli_picture(out, p, CLI_FORM_DOT);
    }
    return err ? cli_fail(args, CLI_WORLD, CLI_NO_GRAPHVIZ) : CLI_HOLDS;
}

/* Values of one event are painted into the picture; which event is chosen before the
 * graph is drawn, so a wrong id draws nothing. */
static int render(const cli_args *args, const cli_graph *g, mt_arena *a)
{
    const gr_graph *graph = g->files.graph;
    paint painted = {.arena = a, .wanted = cli_value(args, "event")};
    const char *capture = cli_value(args, "capture");
    mt_buf out = {0};
    int code = capture ? paint_capture(args, g, capture, &painted) : CLI_HOLDS;
    if (!code) {
        gr_draw_options o = {.ports = cli_flag(args, "ports"), .said = painted.said};
        mt_picture p = gr_draw(a, graph, &o);
        code = draw(args, &p, &out);
    }
    code = code ? code : cli_write_out(args, mt_buf_str(&out));
    mt_arena_free(&painted.step);
    mt_buf_free(&out);
    return code;
}

int cmd_graph_render(const cli_args *args)
{
    cli_graph g;
    mt_arena a = {0};
    bool paints = cli_value(args, "capture") != NULL; /* so it must have run */
    if (cli_value(args, "event") && !paints) {
        return cli_fail(args, CLI_USAGE,
                        "--event is of a capture: --capture is needed");
    }
    int code = (paints ? cli_graph_load : cli_graph_look)(args, args->operands[0], &g);
    code = code ? cli_graph_report(args, &g, code) : render(args, &g, &a);
    mt_arena_free(&a);
    cli_graph_free(&g);
    return code;
}
