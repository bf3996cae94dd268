/* lsp/data.c - what is wrong with graphs, adapters, manifests, agents and scenarios.
 *
 * They are YAML or JSON, and what a document is follows from what it says: `kind` of
 * the parts of a graph, `agent` and its receivers, `scenario`; scenarios of a contract
 * and motet.yaml have names of their own. Everything else that is YAML or JSON is only
 * asked to be that, since other programs have such files, too.
 * Files that belong together are found as the host finds them, but through the
 * provider: clusters beside the graph or in clusters/, primitives in manifests/, an
 * agent where its scenario says, a contract beside its scenarios. */
#include "lsp/data.h"

#include "agent/scenario.h"
#include "answer/lint.h"
#include "base/yaml_read.h"
#include "contract/flow/scenario.h"
#include "graph/adapter.h"
#include "graph/cluster.h"
#include "lsp/spot.h"
#include "lsp/trials.h"

/* ---- reading ---- */

mt_str ls_folder_of(mt_str path)
{
    mt_str dir = mt_path_dir(path);
    return dir.len ? dir : MT_STR(".");
}

bool ls_read_beside(ls_server *s, mt_arena *a, mt_str path, mt_str name, mt_str *text)
{
    mt_str id, why;
    mt_str whole = mt_path_join(a, ls_folder_of(path), name);
    if (s->files.find(s->files.state, a, MT_STR(""), whole, &id, &why)) {
        return false;
    }
    ls_note_source(s->noting, id);
    return s->files.read(s->files.state, a, id, s->limits->source_bytes, text, &why) ==
           MT_OK;
}

static void add_error(mt_diags *ds, gr_text at, size_t offset, mt_str message)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = LS_CODE_DATA,
                 .pass = -1,
                 .file = at.file,
                 .message = message};
    mt_json_place(at.text, offset, &d.line, &d.column);
    mt_diag_add(ds, &d);
}

/* ---- graphs ---- */

/* What is told borrows from what was read, which is freed before it is told. */
static void keep_texts(mt_diags *ds)
{
    for (size_t i = 0; i < ds->len; i++) {
        mt_diag *d = &ds->items[i];
        mt_str *texts[] = {&d->file,  &d->construct_kind, &d->construct_id,
                           &d->field, &d->message,        &d->hint};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            *texts[k] = texts[k]->ptr ? mt_str_dup(ds->arena, *texts[k]) : *texts[k];
        }
    }
}

gr_text *ls_find_cluster(ls_server *s, mt_arena *a, mt_str id, mt_str from,
                         size_t *count)
{
    static const struct {
        const char *folder, *ending;
    } PLACES[] = {{"", ".yaml"},         {"", ".yml"},
                  {"", ".json"},         {"clusters/", ".yaml"},
                  {"clusters/", ".yml"}, {"clusters/", ".json"}};
    enum { COUNT = sizeof PLACES / sizeof *PLACES };
    bool is_plain = id.len && id.len < 256 && mt_str_find(id, '/') == id.len &&
                    mt_str_find(id, '\0') == id.len && id.ptr[0] != '.';
    gr_text *found = mt_new_array(a, gr_text, COUNT);
    *count = 0;
    for (size_t i = 0; is_plain && i < COUNT; i++) {
        mt_str name =
            mt_strf(a, "%s%.*s%s", PLACES[i].folder, MT_ARG(id), PLACES[i].ending);
        gr_text t = {.file = mt_path_join(a, ls_folder_of(from), name)};
        if (ls_read_beside(s, a, from, name, &t.text)) {
            found[(*count)++] = t;
        }
    }
    return found;
}

static mt_err find_cluster(void *user, mt_arena *a, mt_str id, mt_str from,
                           gr_text **found, size_t *count, mt_str *trail)
{
    *found = ls_find_cluster(user, a, id, from, count);
    *trail = ls_folder_of(from);
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
        ls_read_beside(r->s, r->a, path, mt_str_basename(path), &text)) {
        gr_registry_declare(r->registry, mt_str_dup(r->a, path), text, &ignored);
    }
    return true;
}

gr_registry *ls_registry_for(ls_server *s, mt_arena *a, mt_str path)
{
    registering r = {s, a, gr_registry_new(), path};
    if (s->world.list) {
        mt_str folder = mt_path_join(a, ls_folder_of(path), MT_STR("manifests"));
        s->world.list(s->world.state, folder, MT_STR(".yaml"), register_one, &r);
    }
    return r.registry;
}

static void check_cluster(ls_server *s, gr_text text, const mt_json *tree, mt_diags *ds)
{
    (void)tree;
    gr_finder found = {s, find_cluster};
    gr_registry *registry = ls_registry_for(s, ds->arena, text.file);
    gr_graph *g = NULL;
    gr_cluster_load(registry, text, &found, s->limits, ds, &g);
    keep_texts(ds);
    gr_graph_free(g);
    gr_registry_free(registry);
}

static void check_manifest(ls_server *s, gr_text text, const mt_json *tree,
                           mt_diags *ds)
{
    (void)tree;
    gr_finder found = {s, find_cluster};
    gr_registry *registry = gr_registry_new();
    gr_manifest_try(registry, text, &found, ds);
    keep_texts(ds);
    gr_registry_free(registry);
}

static void check_adapter(ls_server *s, gr_text text, const mt_json *tree, mt_diags *ds)
{
    (void)s, (void)tree;
    gr_adapter *adapter = NULL;
    gr_adapter_read(text, ds, &adapter);
    keep_texts(ds);
    gr_adapter_free(adapter);
}

/* ---- agents ---- */

static void check_agent(ls_server *s, gr_text text, const mt_json *tree, mt_diags *ds)
{
    (void)s;
    ag_file file;
    ag_file_read(ds->arena, text.file, text.text, tree, ds, &file);
}

static void check_script(ls_server *s, gr_text text, const mt_json *tree, mt_diags *ds)
{
    mt_str name = ag_scenario_agent(tree), other = {0}, path = {0};
    mt_json agent;
    ag_scenario scenario;
    bool is_named = name.len > 0;
    if (is_named) {
        path = mt_path_join(ds->arena, ls_folder_of(text.file), name);
        if (!ls_read_beside(s, ds->arena, text.file, name, &other) ||
            mt_yaml_read(ds->arena, other, NULL, &agent, NULL)) {
            add_error(
                ds, text, mt_json_at(tree, "agent")->offset,
                mt_strf(ds->arena, "the agent %.*s cannot be read", MT_ARG(name)));
            return;
        }
    }
    ag_scenario_read(ds->arena, text.file, text.text, tree, path, other,
                     is_named ? &agent : NULL, ds, &scenario);
}

/* ---- scenarios of a contract ---- */

mt_str ls_contract_of(mt_arena *a, mt_str path, mt_str named)
{
    mt_str name = mt_str_basename(path);
    const char *end = memmem(name.ptr, name.len, ".scenarios.", strlen(".scenarios."));
    if (!named.len && end) {
        name.len = (size_t)(end - name.ptr);
        named = mt_strf(a, "%.*s.tenor", MT_ARG(name));
    }
    return mt_path_join(a, ls_folder_of(path), named);
}

/* ":12" of the beginning of *rest, which is then behind it; false: it is not there. */
static bool take_number(mt_str *rest, uint32_t *out)
{
    size_t at = 1;
    *out = 0;
    if (!rest->len || rest->ptr[0] != ':') {
        return false;
    }
    for (; at < rest->len && rest->ptr[at] >= '0' && rest->ptr[at] <= '9' && at < 10;
         at++) {
        *out = *out * 10 + (uint32_t)(rest->ptr[at] - '0');
    }
    *rest = mt_str_skip(*rest, at);
    return at > 1;
}

/* "FILE:LINE:COLUMN: what" becomes a diagnostic again. */
static void add_line(mt_diags *ds, gr_text at, mt_str line)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = LS_CODE_SCENARIO,
                 .pass = -1,
                 .file = at.file,
                 .line = 1,
                 .column = 1};
    mt_str rest = mt_str_skip(line, at.file.len);
    uint32_t row, column;
    if (mt_str_starts(line, at.file) && take_number(&rest, &row) &&
        take_number(&rest, &column)) {
        d.line = row;
        d.column = column;
        line = mt_str_skip(rest, strlen(": "));
    }
    d.message = mt_str_dup(ds->arena, line);
    mt_diag_add(ds, &d);
}

static void add_lines(mt_diags *ds, gr_text at, mt_str lines)
{
    while (lines.len) {
        size_t end = mt_str_find(lines, '\n');
        add_line(ds, at, mt_str_from(lines.ptr, end));
        lines = mt_str_skip(lines, end + 1);
    }
}

/* Names are compared with the contract's where it has no errors of its own: they are
 * told there. */
static void check_names(ls_server *s, gr_text text, const mt_json *tree,
                        ct_scenarios *file, mt_diags *ds)
{
    mt_str path = ls_contract_of(ds->arena, text.file, file->contract), why = {0}, body;
    const mt_json *named = mt_json_at(tree, "contract");
    if (!ls_read_beside(s, ds->arena, path, mt_str_basename(path), &body)) {
        add_error(ds, text, named ? named->offset : 0,
                  mt_strf(ds->arena, "the contract %.*s cannot be read", MT_ARG(path)));
        return;
    }
    ls_trials t;
    if (!ls_trials_open(s, path, &t)) {
        return;
    }
    for (size_t i = 0; i < t.view->e->source_count; i++) {
        ls_note_source(s->noting, t.view->e->sources[i].id);
    }
    if (ct_scenarios_check(ds->arena, t.plan, file, &why)) {
        add_lines(ds, text, why);
    }
    ls_trials_close(&t);
}

static void check_scenarios(ls_server *s, gr_text text, const mt_json *tree,
                            mt_diags *ds)
{
    ct_scenarios file;
    mt_str why = {0};
    if (ct_scenarios_read(ds->arena, text.file, text.text, tree, &file, &why)) {
        add_lines(ds, text, why);
        return;
    }
    check_names(s, text, tree, &file, ds);
    for (size_t i = 0; i < file.len; i++) {
        add_lines(ds, text, file.items[i].fault);
    }
}

/* ---- the project ---- */

typedef struct hearing {
    gr_text at;
    mt_diags *ds;
} hearing;

static void hear(void *state, const mt_form_fault *fault)
{
    hearing *h = state;
    mt_diag d = mt_form_diag(fault, LS_CODE_DATA, h->at.file, h->at.text);
    d.pass = -1;
    mt_diag_add(h->ds, &d);
}

/* The levels of warnings as `motet check` reads them; everything else by the world's
 * table, if it has one. */
static void check_project(ls_server *s, gr_text text, const mt_json *tree, mt_diags *ds)
{
    const mt_form_table *all = s->world.project;
    aw_lint levels = {.a = ds->arena, .ds = ds, .file = text.file};
    hearing h = {text, ds};
    aw_lint_config(&levels, text.file, text.text);
    if (all && !mt_json_is(tree, MT_JSON_NULL)) {
        mt_form f = {
            .arena = ds->arena, .what = all->what, .report = hear, .state = &h};
        void *room = mt_alloc(ds->arena, all->size);
        memset(room, 0, all->size);
        mt_form_read(&f, tree, all->rows, all->count, room);
    }
}

/* ---- which it is ---- */

typedef void checker(ls_server *s, gr_text text, const mt_json *tree, mt_diags *ds);

static const struct {
    const mt_form_table *form;
    checker *check;
} KINDS[LS_DATA_KINDS] = {
    [LS_DATA_OTHER] = {NULL, NULL},
    [LS_DATA_CLUSTER] = {&GR_CLUSTER_FORM, check_cluster},
    [LS_DATA_MANIFEST] = {&GR_MANIFEST_FORM, check_manifest},
    [LS_DATA_ADAPTER] = {&GR_ADAPTER_FORM, check_adapter},
    [LS_DATA_AGENT] = {&AG_FILE_FORM, check_agent},
    [LS_DATA_SCRIPT] = {&AG_SCENARIO_FORM, check_script},
    [LS_DATA_SCENARIOS] = {&CT_SCENARIOS_FORM, check_scenarios},
    [LS_DATA_PROJECT] = {&AW_PROJECT_FORM, check_project},
};

const mt_form_table *ls_data_form(ls_data_kind kind)
{
    return KINDS[kind].form;
}

/* The outermost keys that tell what a document is. */
typedef struct marks {
    bool nodes, edges, agent, receivers, scenario, id, has_kind;
    mt_str kind;
} marks;

static bool mark(void *context, const ls_spot *s)
{
    marks *m = context;
    static const struct {
        const char *key;
        size_t offset;
    } KEYS[] = {{"/nodes", offsetof(marks, nodes)},
                {"/edges", offsetof(marks, edges)},
                {"/agent", offsetof(marks, agent)},
                {"/receivers", offsetof(marks, receivers)},
                {"/scenario", offsetof(marks, scenario)},
                {"/id", offsetof(marks, id)},
                {"/kind", offsetof(marks, has_kind)}};
    for (size_t i = 0; s->is_key && i < sizeof KEYS / sizeof *KEYS; i++) {
        *(bool *)((char *)m + KEYS[i].offset) |= ls_spot_is(s, KEYS[i].key);
    }
    if (!s->is_key && ls_spot_is(s, "/kind")) {
        m->kind = s->text;
    }
    return true;
}

static bool is_primitive(mt_str kind)
{
    for (gr_kind k = GR_SOURCE; k <= GR_ACTION; k++) {
        if (mt_str_eq(kind, mt_str_z(gr_kind_name(k)))) {
            return true;
        }
    }
    return false;
}

ls_data_kind ls_data_kind_of(mt_str path, mt_str text)
{
    mt_str name = mt_str_basename(path);
    marks m = {0};
    if (memmem(name.ptr, name.len, ".scenarios.", strlen(".scenarios."))) {
        return LS_DATA_SCENARIOS;
    }
    if (mt_str_is(name, AW_LINT_FILE)) {
        return LS_DATA_PROJECT;
    }
    ls_spots(text, mark, &m);
    return mt_str_is(m.kind, "adapter") ? LS_DATA_ADAPTER
           : is_primitive(m.kind) || (m.has_kind && m.id && !m.kind.len)
               ? LS_DATA_MANIFEST
           : mt_str_is(m.kind, "cluster") ? LS_DATA_CLUSTER
           : m.nodes && m.edges           ? LS_DATA_CLUSTER
           : m.scenario                   ? LS_DATA_SCRIPT
           : m.agent && m.receivers       ? LS_DATA_AGENT
                                          : LS_DATA_OTHER;
}

void ls_check_data(ls_server *s, ls_document *d, mt_str text, mt_diags *ds)
{
    mt_json tree;
    mt_json_error error = {0};
    gr_text named = {d->path, text};
    ls_sources_forget(d);
    if (mt_yaml_read(ds->arena, text, NULL, &tree, &error)) {
        add_error(ds, named, error.offset,
                  mt_strf(ds->arena, "it cannot be read: %s",
                          error.message ? error.message : "it is not YAML"));
    } else {
        checker *check = KINDS[ls_data_kind_of(d->path, text)].check;
        s->noting = d;
        if (check) {
            check(s, named, &tree, ds);
        }
        s->noting = NULL;
    }
    d->had_errors = ds->errors;
    mt_diags_sort(ds);
}
