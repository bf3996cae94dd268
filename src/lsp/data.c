/* lsp/data.c - what is wrong with graphs, adapters, manifests, agents and scenarios.
 *
 * They are YAML or JSON, and what a document is follows from what it says: `kind` of
 * the parts of a graph, `agent` and its receivers, `scenario`. Everything else that is
 * YAML or JSON is only asked to be that, since other programs have such files, too.
 * Files that belong together are found as the host finds them, but through the
 * provider: clusters beside the graph or in clusters/, primitives in manifests/, an
 * agent where its scenario says. */
#include "lsp/data.h"

#include "agent/scenario.h"
#include "base/yaml_read.h"
#include "graph/adapter.h"
#include "graph/graph.h"

/* ---- reading ---- */

static mt_str directory_of(mt_str path)
{
    mt_str dir = mt_path_dir(path);
    return dir.len ? dir : MT_STR(".");
}

/* False: there is no such file, or it cannot be read. */
static bool read_beside(ls_server *s, mt_arena *a, mt_str path, mt_str name,
                        mt_str *text)
{
    mt_str id, why;
    mt_str whole = mt_path_join(a, directory_of(path), name);
    return s->files.find(s->files.state, a, MT_STR(""), whole, &id, &why) == MT_OK &&
           s->files.read(s->files.state, a, id, s->limits->source_bytes, text, &why) ==
               MT_OK;
}

static void add_fault(mt_diags *ds, mt_str path, mt_str text,
                      const mt_json_error *error)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = LS_CODE_DATA,
                 .pass = -1,
                 .file = path,
                 .message =
                     mt_strf(ds->arena, "it cannot be read: %s",
                             error->message ? error->message : "it is not YAML")};
    mt_json_place(text, error->offset, &d.line, &d.column);
    mt_diag_add(ds, &d);
}

/* ---- graphs ---- */

typedef struct finder {
    ls_server *s;
    mt_arena *a; /* of what is read */
} finder;

static mt_err find_cluster(void *user, mt_arena *a, mt_str id, mt_str from,
                           gr_text **found, size_t *count, mt_str *trail)
{
    static const struct {
        const char *folder, *ending;
    } PLACES[] = {{"", ".yaml"},         {"", ".yml"},
                  {"", ".json"},         {"clusters/", ".yaml"},
                  {"clusters/", ".yml"}, {"clusters/", ".json"}};
    enum { COUNT = sizeof PLACES / sizeof *PLACES };
    finder *f = user;
    bool is_plain = id.len && id.len < 256 && mt_str_find(id, '/') == id.len &&
                    mt_str_find(id, '\0') == id.len && id.ptr[0] != '.';
    *found = mt_new_array(a, gr_text, COUNT);
    *count = 0;
    *trail = directory_of(from);
    for (size_t i = 0; is_plain && i < COUNT; i++) {
        mt_str name =
            mt_strf(f->a, "%s%.*s%s", PLACES[i].folder, MT_ARG(id), PLACES[i].ending);
        gr_text t = {.file = mt_path_join(f->a, directory_of(from), name)};
        if (read_beside(f->s, f->a, from, name, &t.text)) {
            (*found)[(*count)++] = t;
        }
    }
    return MT_OK;
}

typedef struct registering {
    ls_server *s;
    mt_arena *a;
    gr_registry *registry;
    mt_str except; /* the document itself */
} registering;

/* What a neighbour has wrong is told in its own document. */
static bool register_one(void *context, mt_str path)
{
    registering *r = context;
    mt_diags ignored = {.arena = r->a, .limit = 1};
    mt_str text;
    if (!mt_str_eq(path, r->except) &&
        read_beside(r->s, r->a, path, mt_str_basename(path), &text)) {
        gr_registry_declare(r->registry, mt_str_dup(r->a, path), text, &ignored);
    }
    return true;
}

static gr_registry *registry_for(ls_server *s, mt_arena *a, mt_str path)
{
    registering r = {s, a, gr_registry_new(), path};
    if (s->world.list) {
        mt_str folder = mt_path_join(a, directory_of(path), MT_STR("manifests"));
        s->world.list(s->world.state, folder, MT_STR(".yaml"), register_one, &r);
    }
    return r.registry;
}

static void check_graph(ls_server *s, gr_text text, mt_diags *ds)
{
    finder f = {s, ds->arena};
    gr_finder found = {&f, find_cluster};
    gr_registry *registry = registry_for(s, ds->arena, text.file);
    gr_graph *g = NULL;
    if (!gr_cluster_load(registry, text, &found, s->limits, ds, &g)) {
        gr_graph_free(g);
    }
    gr_registry_free(registry);
}

static void check_manifest(ls_server *s, gr_text text, mt_diags *ds)
{
    finder f = {s, ds->arena};
    gr_finder found = {&f, find_cluster};
    gr_registry *registry = gr_registry_new();
    gr_manifest_try(registry, text, &found, ds);
    gr_registry_free(registry);
}

static void check_adapter(gr_text text, mt_diags *ds)
{
    gr_adapter *adapter = NULL;
    if (!gr_adapter_read(text, ds, &adapter)) {
        gr_adapter_free(adapter);
    }
}

/* ---- agents ---- */

static void check_agent(gr_text text, const mt_json *tree, mt_diags *ds)
{
    ag_file file;
    ag_file_read(ds->arena, text.file, text.text, tree, ds, &file);
}

static void check_scenario(ls_server *s, gr_text text, const mt_json *tree,
                           mt_diags *ds)
{
    mt_str name = ag_scenario_agent(tree), other = {0}, path = {0};
    mt_json agent;
    ag_scenario scenario;
    bool is_named = name.len > 0;
    if (is_named) {
        path = mt_path_join(ds->arena, directory_of(text.file), name);
        if (!read_beside(s, ds->arena, text.file, name, &other) ||
            mt_yaml_read(ds->arena, other, NULL, &agent, NULL)) {
            mt_diag d = {.severity = MT_ERROR,
                         .code = LS_CODE_DATA,
                         .pass = -1,
                         .file = text.file,
                         .message = mt_strf(ds->arena, "the agent %.*s cannot be read",
                                            MT_ARG(name))};
            mt_json_place(text.text, mt_json_at(tree, "agent")->offset, &d.line,
                          &d.column);
            mt_diag_add(ds, &d);
            return;
        }
    }
    ag_scenario_read(ds->arena, text.file, text.text, tree, path, other,
                     is_named ? &agent : NULL, ds, &scenario);
}

/* ---- which it is ---- */

static bool is_manifest(mt_str kind)
{
    return mt_str_is(kind, "source") || mt_str_is(kind, "compute") ||
           mt_str_is(kind, "trigger") || mt_str_is(kind, "action");
}

static bool is_graph(const mt_json *tree)
{
    return mt_json_at(tree, "nodes") && mt_json_at(tree, "edges");
}

void ls_check_data(ls_server *s, mt_str path, mt_str text, mt_diags *ds)
{
    mt_json tree;
    mt_json_error error = {0};
    gr_text named = {path, text};
    if (mt_yaml_read(ds->arena, text, NULL, &tree, &error)) {
        add_fault(ds, path, text, &error);
        return;
    }
    mt_str kind = mt_json_text(mt_json_at(&tree, "kind"));
    if (mt_str_is(kind, "adapter")) {
        check_adapter(named, ds);
    } else if (is_manifest(kind)) {
        check_manifest(s, named, ds);
    } else if (is_graph(&tree)) {
        check_graph(s, named, ds);
    } else if (mt_json_at(&tree, "scenario")) {
        check_scenario(s, named, &tree, ds);
    } else if (mt_json_at(&tree, "agent") && mt_json_at(&tree, "receivers")) {
        check_agent(named, &tree, ds);
    }
    mt_diags_sort(ds);
}
