/* cli/cmd_graph_check.c - motet graph check: everything that can be known before a run.
 * Room: cli. Reads a graph, an adapter or a primitive manifest, whichever it is. */
#include <errno.h>

#include "base/yaml_read.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "host/graph_host.h"
#include "os/file.h"

/* clang-format off */
const cli_option CMD_GRAPH_CHECK_OPTIONS[] = {
    CLI_GRAPH_OPTIONS,
    {"egress", "FILE", "channels and routes for intents; checked against the graph"},
    {"json",   NULL,   "print the diagnostics as JSON"},
    {NULL, NULL, NULL},
};
const char CMD_GRAPH_CHECK_DETAILS[] =
    "All violations are reported at once, each with its rule, its place and what to do. "
    "With --adapter the graph is composed with it (COMP-*), with --egress every effect must "
    "have exactly one owner (HST-5).";
/* clang-format on */

/* The value of the top-level `kind`, or empty. */
static mt_str kind_of(mt_arena *a, const char *path)
{
    mt_str text;
    mt_json root;
    bool read = !os_read_file(a, path, MT_LIMITS_DEFAULT.source_bytes, &text) &&
                !mt_yaml_read(a, text, NULL, &root, NULL);
    return read ? mt_json_text(mt_json_at(&root, "kind")) : (mt_str){0};
}

static int check_adapter(cli_graph *g, const char *path, mt_buf *done)
{
    mt_str text;
    gr_adapter *adapter = NULL;
    if (os_read_file(&g->arena, path, MT_LIMITS_DEFAULT.source_bytes, &text) ||
        gr_adapter_read((gr_text){mt_str_z(path), text}, &g->ds, &adapter)) {
        return CLI_FAILS;
    }
    mt_buf_addf(done, "%s: adapter %.*s@%.*s is good\n%.*s\n", path,
                MT_ARG(adapter->id), MT_ARG(adapter->version),
                MT_ARG(adapter->fingerprint));
    gr_adapter_free(adapter);
    return CLI_HOLDS;
}

/* A formula is compiled as a graph would; without one the primitive may be a function
 * of a host, and the manifest is all there is to check. */
static bool formula_holds(cli_graph *g, const char *path, mt_str text,
                          const gr_manifest *m)
{
    if (!m->expression.len) {
        return true;
    }
    gr_registry *registry = gr_registry_new();
    mt_err err = gr_registry_add(registry, mt_str_z(path), text, NULL, NULL, &g->ds);
    gr_registry_free(registry);
    return !err;
}

static int check_manifest(cli_graph *g, const char *path, mt_buf *done)
{
    mt_str text;
    gr_manifest m;
    if (os_read_file(&g->arena, path, MT_LIMITS_DEFAULT.source_bytes, &text) ||
        gr_manifest_read(&g->arena, mt_str_z(path), text, &g->ds, &m) ||
        !formula_holds(g, path, text, &m)) {
        return CLI_FAILS;
    }
    mt_buf_addf(done, "%s: %s %.*s@%.*s is good\n", path, gr_kind_name(m.kind),
                MT_ARG(m.id), MT_ARG(m.version));
    return CLI_HOLDS;
}

/* Composition and ownership, as a run would check them. */
static int check_graph(const cli_args *args, cli_graph *g, mt_buf *done)
{
    int code = cli_graph_load(args, args->operands[0], g);
    if (code) {
        return code;
    }
    const gr_graph *graph = g->files.graph;
    mt_buf_addf(
        done, "%s: graph %.*s@%.*s is good: %u nodes, %u edges, %u actions\n%.*s\n",
        args->operands[0], MT_ARG(graph->id), MT_ARG(graph->version), graph->node_count,
        graph->edge_count, graph->action_count, MT_ARG(graph->provenance));
    if (!g->files.adapter) {
        return CLI_HOLDS;
    }
    ho_graph_options o = {.graph = graph,
                          .adapter = g->files.adapter,
                          .context = ho_context_in_memory(),
                          .egress = g->files.egress,
                          .replay = !g->files.egress};
    ho_graph_host *host = NULL;
    code = ho_graph_host_new(&o, &g->ds, &host) ? CLI_FAILS : CLI_HOLDS;
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    return code;
}

static bool is_manifest_kind(mt_str kind)
{
    return mt_str_is(kind, "source") || mt_str_is(kind, "compute") ||
           mt_str_is(kind, "trigger") || mt_str_is(kind, "action");
}

/* What a file is follows from its own `kind`, not from its name; what has none is tried
 * as a graph. */
int cmd_graph_check(const cli_args *args)
{
    const char *path = args->operands[0];
    cli_graph g = {0};
    mt_arena a = {0};
    mt_buf done = {0};
    g.ds.arena = &g.arena;
    mt_str kind = kind_of(&a, path);
    int code = mt_str_is(kind, "adapter") ? check_adapter(&g, path, &done)
               : is_manifest_kind(kind)   ? check_manifest(&g, path, &done)
                                          : check_graph(args, &g, &done);
    int shown = cli_graph_report(args, &g, code);
    if (!shown && !cli_flag(args, "json")) {
        shown = cli_print(mt_buf_str(&done));
    }
    mt_buf_free(&done);
    mt_arena_free(&a);
    cli_graph_free(&g);
    return shown;
}
