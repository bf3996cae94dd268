/* cli/cmd_graph_explain.c - motet graph explain: what a graph does, in words.
 * Room: cli. It prints what the checker resolved, not what the file says: expanded
 * clusters, chosen versions, defaults. A graph with faults is not explained; its
 * diagnostics are shown. */
#include "cli/commands.h"
#include "cli/graph.h"
#include "graph/feeds.h"

/* clang-format off */
const cli_option CMD_GRAPH_EXPLAIN_OPTIONS[] = {
    CLI_GRAPH_OPTIONS,
    {"json", NULL, "print diagnostics of a broken graph as JSON"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_EXPLAIN_DETAILS[] =
    "Lists the nodes in the order in which they run, with what they read and from where, "
    "the context keys the graph reads and writes, and the effects it can ask for. With NODE "
    "(a runtime id such as n3, or a path such as filter/gate) only that one.";
/* clang-format on */

/* An input that is not connected is shown: whether it may be is for the manifest to
 * say. */
static void explain_inputs(mt_buf *out, const gr_feeds *edges, const gr_node *n)
{
    const gr_manifest *m = &n->primitive->manifest;
    for (uint32_t i = 0; i < m->input_count; i++) {
        gr_feed from;
        mt_buf_addf(out, "      %.*s <- ", MT_ARG(m->inputs[i].name));
        if (gr_feed_into(edges, n, i, &from)) {
            const gr_node *source = &edges->graph->nodes[from.node];
            mt_buf_addf(out, "%.*s.%.*s\n", MT_ARG(source->name), MT_ARG(from.port));
        } else if (n->outside[i]) {
            const gr_input *in = &edges->graph->inputs[n->outside[i] - 1];
            mt_buf_addf(out, "$%.*s, an input of the cluster\n", MT_ARG(in->name));
        } else {
            mt_buf_addz(out, "not connected\n");
        }
    }
}

/* Parameters without a value and without a default are left out; the rest say whether
 * the graph or the manifest gave them. */
static void explain_params(mt_buf *out, const gr_node *n)
{
    const gr_manifest *m = &n->primitive->manifest;
    for (uint32_t i = 0; i < m->param_count; i++) {
        gr_value value = gr_literal_value(&n->params[i]);
        if (n->params[i].type == GR_P_NONE) {
            continue;
        }
        mt_buf_addf(out, "      %.*s = ", MT_ARG(m->params[i].name));
        gr_value_plain_json(out, &value);
        mt_buf_addz(out, n->param_given[i] ? "\n" : " (default)\n");
    }
}

/* "  3. high (n3): compute gt@0.1.0. True if a is larger." A node that stands for a
 * formula shows it; one inside a longer formula says which one it is part of. */
static void explain_node(mt_buf *out, const gr_feeds *edges, uint32_t index)
{
    const gr_node *n = &edges->graph->nodes[index];
    const gr_manifest *m = &n->primitive->manifest;
    mt_buf_addf(out, "  %u. %.*s (%.*s): %s %.*s@%.*s. %.*s\n", index + 1,
                MT_ARG(n->name), MT_ARG(n->id), gr_kind_name(m->kind), MT_ARG(m->id),
                MT_ARG(n->resolved), MT_ARG(m->summary));
    if (n->formula.len) {
        mt_buf_addf(out, "      %s %.*s\n", gr_node_is_nameless(n) ? "part of" : "=",
                    MT_ARG(n->formula));
    }
    explain_params(out, n);
    explain_inputs(out, edges, n);
}

/* What it needs from its context, and what it may change there. */
static void explain_keys(mt_buf *out, const gr_graph *g)
{
    if (g->key_count) {
        mt_buf_addz(out, "\nIt reads these context keys:\n");
    }
    for (uint32_t i = 0; i < g->key_count; i++) {
        mt_buf_addz(out, "  ");
        gr_key_words(out, g->keys[i].name);
        mt_buf_addf(out, ": %s, %s\n", gr_type_name(g->keys[i].type),
                    g->keys[i].required ? "required" : "optional");
    }
    if (g->written_count) {
        mt_buf_addz(out, "\nIt can write these context keys:\n");
    }
    for (uint32_t i = 0; i < g->written_count; i++) {
        const gr_written *w = &g->written[i];
        mt_buf_addz(out, "  ");
        gr_key_words(out, w->name);
        mt_buf_addf(out, ": %s, by %.*s", gr_type_name(w->type),
                    MT_ARG(g->nodes[w->node].name));
        if (w->derived) {
            mt_buf_addf(out, " (derived from its place: %.*s)", MT_ARG(w->name));
        }
        mt_buf_addc(out, '\n');
    }
}

/* That there are none is said too: who reads this wants to know what a graph can
 * touch. */
static void explain_effects(mt_buf *out, const gr_graph *g)
{
    mt_buf_addz(out, g->effect_kind_count ? "\nIt can ask for these effects:\n"
                                          : "\nIt asks for no effects.\n");
    for (uint32_t i = 0; i < g->effect_kind_count; i++) {
        mt_buf_addf(out, "  %.*s\n", MT_ARG(g->effect_kinds[i]));
    }
}

/* In the order nodes run, so that everything a node reads was explained before it. */
static void explain_graph(mt_buf *out, const gr_feeds *edges)
{
    const gr_graph *g = edges->graph;
    mt_buf_addf(out, "%s %.*s@%.*s has %u nodes, which run in this order:\n",
                g->alone ? "Cluster" : "Graph", MT_ARG(g->id), MT_ARG(g->version),
                g->node_count);
    for (uint32_t i = 0; i < g->node_count; i++) {
        explain_node(out, edges, i);
    }
    explain_keys(out, g);
    explain_effects(out, g);
    if (g->output_count) {
        mt_buf_addz(out, "\nIts outputs:\n");
    }
    for (uint32_t i = 0; i < g->output_count; i++) {
        mt_buf_addf(out, "  %.*s: from %.*s\n", MT_ARG(g->outputs[i].name),
                    MT_ARG(g->nodes[g->outputs[i].node].name));
    }
}

static int explain(const cli_args *args, cli_graph *g, mt_buf *out)
{
    gr_feeds edges = gr_feeds_of(&g->arena, g->files.graph);
    if (args->count == 1) {
        explain_graph(out, &edges);
        return CLI_HOLDS;
    }
    int node = gr_graph_node(g->files.graph, mt_str_z(args->operands[1]));
    if (node < 0) {
        return cli_fail(args, CLI_FAILS, "the graph has no node '%s'",
                        args->operands[1]);
    }
    explain_node(out, &edges, (uint32_t)node);
    return CLI_HOLDS;
}

int cmd_graph_explain(const cli_args *args)
{
    cli_graph g;
    mt_buf out = {0};
    int code = cli_graph_look(args, args->operands[0], &g);
    code = code ? cli_graph_report(args, &g, code) : explain(args, &g, &out);
    code = code ? code : cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    cli_graph_free(&g);
    return code;
}
