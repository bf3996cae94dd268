/* cli/cmd_graph_check.c - motet graph check: everything that can be known before a run.
 * Room: cli. Reads a graph, an adapter or a primitive manifest, whichever it is. Order:
 * what the file claims to be, then the loader of that, then with --adapter how the two
 * fit, then with --egress who owns each effect. Everything found is shown at once, and
 * what is good is said last. Exit status 1 for errors (warnings are shown, and pass), 3
 * when a file cannot be read. */
#include <errno.h>

#include "base/yaml_read.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "graph/report.h"
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

/* What the file says it is, whatever else it says. */
typedef struct claim {
    mt_str kind; /* the top-level `kind`, or empty */
    bool none;   /* it says nothing, and has no nodes either */
} claim;

/* A file that cannot be read or is not YAML claims nothing: the loader that is tried
 * next says what is wrong with it, with its place. */
static claim claim_of(mt_arena *a, const char *path)
{
    mt_str text;
    mt_json root;
    if (os_read_file(a, path, MT_LIMITS_DEFAULT.source_bytes, &text) ||
        mt_yaml_read(a, text, NULL, &root, NULL)) {
        return (claim){0};
    }
    const mt_json *kind = mt_json_at(&root, "kind");
    return (claim){mt_json_text(kind), mt_json_is(&root, MT_JSON_OBJECT) && !kind &&
                                           !mt_json_at(&root, "nodes")};
}

/* The last line is its fingerprint, by which captures know it. */
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

/* A graph is told with its provenance, by which captures know it; a cluster alone has
 * none that would mean anything. */
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

/* Composition and ownership, as a run would check them. A host is made and thrown away:
 * without --egress as for a replay, where nothing is sent. */
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

/* Words that `kind` may have, those of manifests first. */
static const char *const KINDS[] = {"source",  "compute", "trigger", "action",
                                    "cluster", "adapter", NULL};
enum { MANIFEST_KINDS = 4, ALL_KINDS = 6 };

static bool is_kind(mt_str kind, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(kind, mt_str_z(KINDS[i]))) {
            return true;
        }
    }
    return false;
}

/* A fault of our own wording, in the same form as those of the loaders, with the
 * nearest kind that there is. */
static int check_unknown(cli_graph *g, const char *path, mt_str kind)
{
    static const char FIX[] =
        "write cluster, source, compute, trigger, action or adapter";
    gr_subject subject = {&g->ds, mt_str_z(path), {0}, NULL, MT_STR("")};
    mt_nearest near = mt_nearest_to(kind);
    for (const char *const *k = KINDS; *k; k++) {
        mt_nearest_offer(&near, mt_str_z(*k));
    }
    if (kind.len) {
        gr_report(&subject, "X.1", 0, MT_STR("$.kind"), gr_meant(&subject, &near, FIX),
                  "`kind` is \"%.*s\", which is not a kind of file", MT_ARG(kind));
    } else {
        gr_report(&subject, "X.1", 0, MT_STR("$.kind"), FIX, "`kind` is missing");
    }
    return CLI_FAILS;
}

/* Has it a kind that there is not, or none while nothing says that it is a graph? */
static bool is_unknown(const claim *c)
{
    return c->none || (c->kind.len && !is_kind(c->kind, ALL_KINDS));
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
    claim said = claim_of(&a, path);
    int code = is_unknown(&said)                    ? check_unknown(&g, path, said.kind)
               : mt_str_is(said.kind, "adapter")    ? check_adapter(&g, path, &done)
               : is_kind(said.kind, MANIFEST_KINDS) ? check_manifest(args, &g, &done)
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
