/* cli/cmd_graph_render.c - motet graph render: DOT, SVG and Mermaid.
 * Room: cli. With a capture and an event, every node shows what it said then. */
#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/graph_edges.h"
#include "cli/svg.h"
#include "runtime/graph_capture.h"
#include "runtime/graph_replay.h"

/* clang-format off */
const cli_option CMD_GRAPH_RENDER_OPTIONS[] = {
    {"format",  "FORM", "dot, svg (needs Graphviz) or mermaid (svg if installed, else dot)"},
    {"out",     "FILE", "where to write it (standard output)"},
    {"ports",   NULL,   "label the edges with their ports"},
    {"capture", "FILE", "paint what every node said in this capture …"},
    {"event",   "ID",   "… at this event (the last one)"},
    CLI_GRAPH_OPTIONS,
    {"json",    NULL,   "print diagnostics of a broken graph as JSON"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_RENDER_DETAILS[] =
    "Sources are ellipses, computes boxes, triggers diamonds, actions double boxes. Dashed "
    "edges carry payload into an action, bold ones gate it.";
/* clang-format on */

static const struct {
    const char *dot, *open, *close;
} SHAPES[] = {
    [GR_SOURCE] = {"ellipse", "([", "])"},
    [GR_COMPUTE] = {"box", "[", "]"},
    [GR_TRIGGER] = {"diamond", "{", "}"},
    [GR_ACTION] = {"box, peripheries=2", "[[", "]]"},
};

/* What each node said, as text; NULL while nothing is painted. */
typedef struct paint {
    mt_arena *arena;
    const char *wanted; /* event id, NULL: the last one */
    mt_str *values;     /* per node */
    bool found;
} paint;

typedef struct picture {
    const gr_graph *g;
    cli_edges edges;
    const paint *paint;
    bool ports;
    mt_buf out;
} picture;

/* ---- painting ---- */

static void remember(void *user, size_t index, const rt_graph_step *step,
                     const gr_capture_decision *recorded)
{
    paint *p = user;
    const gr_episode *e = step->episode;
    (void)index;
    (void)recorded;
    if (!e || (p->wanted && !mt_str_eq(step->event.id, mt_str_z(p->wanted)))) {
        return;
    }
    p->found = true;
    for (uint32_t i = 0; i < e->graph->node_count; i++) {
        const gr_node *n = &e->graph->nodes[i];
        mt_buf text = {0};
        for (uint32_t o = 0; i < e->ran && o < n->primitive->manifest.output_count;
             o++) {
            mt_buf_addz(&text, o ? ", " : "");
            gr_value_plain_json(&text, &e->slots[n->slot + o]);
        }
        p->values[i] = mt_str_dup(p->arena, mt_buf_str(&text));
        mt_buf_free(&text);
    }
}

static int paint_capture(const cli_args *args, const cli_graph *g, const char *path,
                         paint *p)
{
    rt_capture_file file;
    mt_buf why = {0};
    mt_err err =
        rt_capture_open(p->arena, path, cli_limits(args).json_bytes, &file, &why);
    if (err) {
        int code = err == MT_E_NOTFOUND || err == MT_E_IO ? CLI_WORLD : CLI_FAILS;
        code = cli_fail(args, code, "%.*s", MT_ARG(why));
        mt_buf_free(&why);
        return code;
    }
    p->values = mt_new_array(p->arena, mt_str, g->files.graph->node_count);
    rt_replay_options o = {.graph = g->files.graph,
                           .adapter = g->files.adapter,
                           .observe = remember,
                           .user = p};
    rt_replay_result result;
    err = rt_replay(p->arena, file.reader, &o, &result);
    rt_capture_close(&file);
    if (err == MT_E_REJECTED) {
        return cli_fail(args, CLI_FAILS, "the capture does not replay: %s: %.*s",
                        result.divergence.code, MT_ARG(result.divergence.message));
    }
    if (err) {
        return cli_fail(args, CLI_FAILS, "%s, %.*s: %.*s", path,
                        MT_ARG(result.fault.path), MT_ARG(result.fault.message));
    }
    return p->found ? CLI_HOLDS
                    : cli_fail(args, CLI_FAILS, "the graph did not run at this event");
}

/* ---- text for both languages ---- */

static void add_label(picture *p, uint32_t index, const char *newline)
{
    const gr_node *n = &p->g->nodes[index];
    mt_buf_add_label(&p->out, n->path);
    mt_buf_addz(&p->out, newline);
    mt_buf_add_label(&p->out, n->primitive->manifest.id);
    if (p->paint->values) {
        mt_str value = p->paint->values[index];
        mt_buf_addz(&p->out, newline);
        mt_buf_add_label(&p->out, value.len > 40 ? mt_str_from(value.ptr, 40) : value);
        mt_buf_addz(&p->out, value.len > 40 ? "…" : "");
    }
}

typedef enum edge_kind { PLAIN, GATE, PAYLOAD } edge_kind;

static edge_kind kind_of_edge(const gr_node *to, uint32_t input)
{
    const gr_manifest *m = &to->primitive->manifest;
    if (m->kind != GR_ACTION) {
        return PLAIN;
    }
    return m->inputs[input].type == GR_EVENT ? GATE : PAYLOAD;
}

static void add_edge_label(picture *p, const cli_edge *from, const gr_node *to,
                           uint32_t input)
{
    mt_buf_add_label(&p->out, from->port);
    mt_buf_addz(&p->out, " → ");
    mt_buf_add_label(&p->out, to->primitive->manifest.inputs[input].name);
}

/* ---- DOT ---- */

static void dot_edge(picture *p, const cli_edge *from, uint32_t to, uint32_t input)
{
    static const char *const STYLES[] = {
        [PLAIN] = "solid", [GATE] = "bold", [PAYLOAD] = "dashed"};
    const gr_node *node = &p->g->nodes[to];
    mt_buf_addf(&p->out, "  %.*s -> %.*s [style=%s", MT_ARG(p->g->nodes[from->node].id),
                MT_ARG(node->id), STYLES[kind_of_edge(node, input)]);
    if (p->ports) {
        mt_buf_addz(&p->out, ", label=\"");
        add_edge_label(p, from, node, input);
        mt_buf_addc(&p->out, '"');
    }
    mt_buf_addz(&p->out, "];\n");
}

static void mermaid_edge(picture *p, const cli_edge *from, uint32_t to, uint32_t input)
{
    static const char *const ARROWS[] = {
        [PLAIN] = "-->", [GATE] = "==>", [PAYLOAD] = "-.->"};
    const gr_node *node = &p->g->nodes[to];
    mt_buf_addf(&p->out, "  %.*s %s", MT_ARG(p->g->nodes[from->node].id),
                ARROWS[kind_of_edge(node, input)]);
    if (p->ports) {
        mt_buf_addz(&p->out, "|\"");
        add_edge_label(p, from, node, input);
        mt_buf_addz(&p->out, "\"|");
    }
    mt_buf_addf(&p->out, " %.*s\n", MT_ARG(node->id));
}

static void each_edge(picture *p,
                      void (*draw)(picture *, const cli_edge *, uint32_t, uint32_t))
{
    for (uint32_t n = 0; n < p->g->node_count; n++) {
        const gr_node *node = &p->g->nodes[n];
        for (uint32_t i = 0; i < node->primitive->manifest.input_count; i++) {
            cli_edge from;
            if (cli_graph_edge(&p->edges, node, i, &from)) {
                draw(p, &from, n, i);
            }
        }
    }
}

static void draw_dot(picture *p)
{
    mt_buf_addz(&p->out, "digraph \"");
    mt_buf_add_label(&p->out, p->g->id);
    mt_buf_addz(&p->out, "\" {\n  rankdir=LR;\n  node [fontname=\"DejaVu Sans\", "
                         "fontsize=10];\n  edge [fontname=\"DejaVu Sans\", "
                         "fontsize=8];\n");
    for (uint32_t i = 0; i < p->g->node_count; i++) {
        const gr_node *n = &p->g->nodes[i];
        mt_buf_addf(&p->out, "  %.*s [shape=%s, label=\"", MT_ARG(n->id),
                    SHAPES[n->primitive->manifest.kind].dot);
        add_label(p, i, "\\n");
        mt_buf_addz(&p->out, "\"];\n");
    }
    each_edge(p, dot_edge);
    mt_buf_addz(&p->out, "}\n");
}

static void draw_mermaid(picture *p)
{
    mt_buf_addz(&p->out, "flowchart LR\n");
    for (uint32_t i = 0; i < p->g->node_count; i++) {
        const gr_node *n = &p->g->nodes[i];
        gr_kind kind = n->primitive->manifest.kind;
        mt_buf_addf(&p->out, "  %.*s%s\"", MT_ARG(n->id), SHAPES[kind].open);
        add_label(p, i, "<br>");
        mt_buf_addf(&p->out, "\"%s\n", SHAPES[kind].close);
    }
    each_edge(p, mermaid_edge);
}

static int draw(const cli_args *args, picture *p)
{
    const char *format = cli_value(args, "format");
    if (format && strcmp(format, "mermaid") == 0) {
        draw_mermaid(p);
        return CLI_HOLDS;
    }
    draw_dot(p);
    if (format && strcmp(format, "dot") == 0) {
        return CLI_HOLDS;
    }
    if (format && strcmp(format, "svg") != 0) {
        return cli_fail(args, CLI_USAGE, "--format must be dot, svg or mermaid");
    }
    mt_err err = cli_svg(&p->out);
    bool needed = format != NULL || err != MT_E_NOTFOUND;
    return err && needed ? cli_fail(args, CLI_WORLD,
                                    "Graphviz cannot draw it (is `dot` "
                                    "installed?); try --format mermaid")
                         : CLI_HOLDS;
}

static int render(const cli_args *args, const cli_graph *g, mt_arena *a)
{
    paint painted = {.arena = a, .wanted = cli_value(args, "event")};
    picture p = {.g = g->files.graph,
                 .edges = cli_graph_edges(a, g->files.graph),
                 .paint = &painted,
                 .ports = cli_flag(args, "ports")};
    const char *capture = cli_value(args, "capture");
    int code = capture ? paint_capture(args, g, capture, &painted) : CLI_HOLDS;
    code = code ? code : draw(args, &p);
    code = code ? code : cli_write_out(args, mt_buf_str(&p.out));
    mt_buf_free(&p.out);
    return code;
}

int cmd_graph_render(const cli_args *args)
{
    cli_graph g;
    mt_arena a = {0};
    int code = cli_graph_load(args, args->operands[0], &g);
    code = code ? cli_graph_report(args, &g, code) : render(args, &g, &a);
    mt_arena_free(&a);
    cli_graph_free(&g);
    return code;
}
