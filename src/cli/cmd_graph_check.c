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
    "FILE is a graph, a cluster alone, an adapter or the manifest of a primitive. All "
    "violations are reported at once, each with its rule, its place and what to do. With "
    "--adapter the graph or manifest is composed with it (COMP-*), and keys that nobody "
    "declares or that no event lets through are warned of; with --egress every effect must "
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

/* What it says it does is tried as a graph would use it; with --adapter its keys and
 * effects are composed with that. */
static int check_manifest(const cli_args *args, cli_graph *g, mt_buf *done)
{
    const char *path = args->operands[0];
    int code = cli_manifest_load(args, path, g);
    size_t count = g->files.registry ? gr_registry_count(g->files.registry) : 0;
    if (code || !count) {
        return code;
    }
    const gr_primitive *p = gr_registry_at(g->files.registry, count - 1);
    mt_buf_addf(done, "%s: %s %.*s@%.*s is good\n", path,
                gr_kind_name(p->manifest.kind), MT_ARG(p->manifest.id),
                MT_ARG(p->manifest.version));
    return !g->files.adapter ||
                   !gr_adapter_compose_primitive(g->files.adapter, p, &g->ds)
               ? CLI_HOLDS
               : CLI_FAILS;
}

static void say_good(mt_buf *done, const char *path, const gr_graph *g)
{
    mt_buf_addf(done, "%s: %s %.*s@%.*s is good: %u nodes, %u edges, %u actions\n",
                path, g->alone ? "cluster" : "graph", MT_ARG(g->id), MT_ARG(g->version),
                g->node_count, g->edge_count, g->action_count);
    if (g->alone) {
        mt_buf_addz(done,
                    "it has inputs or parameters that a graph around it gives, so "
                    "it cannot run by itself\n");
    } else {
        mt_buf_addf(done, "%.*s\n", MT_ARG(g->provenance));
    }
}

/* Composition and ownership, as a run would check them. */
static bool fits(cli_graph *g)
{
    ho_graph_options o = {.graph = g->files.graph,
                          .adapter = g->files.adapter,
                          .context = ho_context_in_memory(),
                          .egress = g->files.egress,
                          .replay = !g->files.egress};
    ho_graph_host *host = NULL;
    bool ok = g->files.graph->alone ? !gr_adapter_compose(o.adapter, o.graph, &g->ds)
                                    : !ho_graph_host_new(&o, &g->ds, &host);
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    return ok;
}

static int check_graph(const cli_args *args, cli_graph *g, mt_buf *done)
{
    int code = cli_graph_look(args, args->operands[0], g);
    if (code) {
        return code;
    }
    say_good(done, args->operands[0], g->files.graph);
    if (!g->files.adapter) {
        return CLI_HOLDS;
    }
    gr_adapter_advise(g->files.adapter, g->files.graph, &g->ds);
    return fits(g) ? CLI_HOLDS : CLI_FAILS;
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
               : is_manifest_kind(kind)   ? check_manifest(args, &g, &done)
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
