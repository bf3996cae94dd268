/* lsp/known_graph.c - primitives, clusters, nodes and ports of graphs.
 *
 * What a node is follows from the text alone, so that it is known while the graph
 * cannot be loaded: its `impl` names a primitive of the registry, its `cluster` a
 * file that the host would find. */
#include "graph/cluster.h"
#include "graph/library.h"
#include "lsp/known.h"

static ls_known *add(ls_inquiry *q, mt_str name, int kind, mt_str detail)
{
    ls_know_word(q, mt_str_dup(q->c->a, name), kind, mt_str_dup(q->c->a, detail));
    return &q->found.items[q->found.len - 1];
}

static mt_str kept(mt_arena *a, mt_buf *b)
{
    mt_str s = mt_str_dup(a, mt_buf_str(b));
    mt_buf_free(b);
    return s;
}

/* ---- primitives in words ---- */

static void add_ports(mt_buf *out, const char *title, const gr_port *ports,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addf(out, "%s`%.*s` %s%s", i ? ", " : title, MT_ARG(ports[i].name),
                    gr_type_name(ports[i].type), ports[i].required ? "" : "?");
    }
    mt_buf_addz(out, count ? "\n\n" : "");
}

static void add_params(mt_buf *out, const gr_manifest *m)
{
    for (uint32_t i = 0; i < m->param_count; i++) {
        mt_buf_addf(out, "%s`%.*s` %s",
                    i ? ", " : "Parameters: ", MT_ARG(m->params[i].name),
                    gr_param_type_name(m->params[i].type));
    }
    mt_buf_addz(out, m->param_count ? "\n\n" : "");
}

static mt_str words_of(mt_arena *a, const gr_manifest *m)
{
    mt_buf out = {0};
    mt_buf_addf(&out, "**%s** `%.*s` %.*s\n\n", gr_kind_name(m->kind), MT_ARG(m->id),
                MT_ARG(m->version));
    if (m->summary.len) {
        mt_buf_addf(&out, "%.*s\n\n", MT_ARG(m->summary));
    }
    add_ports(&out, "Inputs: ", m->inputs, m->input_count);
    add_ports(&out, "Outputs: ", m->outputs, m->output_count);
    add_params(&out, m);
    return kept(a, &out);
}

/* Where the file says so: the value of `id`. */
static ls_range place_of_id(mt_arena *a, mt_str text)
{
    ls_gathering ids = ls_gather(a, text, "/id", false);
    return ids.len ? ids.items[0].at : (ls_range){0, 0};
}

void ls_know_primitives(ls_inquiry *q)
{
    mt_arena *a = q->c->a;
    gr_registry *r = ls_registry_for(q->c->s, a, q->path);
    for (size_t i = 0; i < gr_registry_count(r); i++) {
        const gr_primitive *p = gr_registry_at(r, i);
        const gr_manifest *m = &p->manifest;
        ls_known *k = add(q, mt_strf(a, "%.*s@%.*s", MT_ARG(m->id), MT_ARG(m->version)),
                          LS_ITEM_FUNCTION, m->summary);
        k->also = mt_str_dup(a, m->id);
        k->words = words_of(a, m);
        if (!p->standard) {
            k->file = mt_str_dup(a, m->file);
            k->at = place_of_id(a, m->text);
        }
    }
    gr_registry_free(r);
}

/* ---- clusters ---- */

static void know_cluster(ls_inquiry *q, gr_text t)
{
    mt_arena *a = q->c->a;
    ls_gathering id = ls_gather(a, t.text, "/id", false),
                 version = ls_gather(a, t.text, "/version", false),
                 words = ls_gather(a, t.text, "/description", false);
    if (ls_data_kind_of(t.file, t.text) != LS_DATA_CLUSTER || !id.len || !version.len) {
        return;
    }
    mt_str own = id.items[0].text,
           about = words.len ? words.items[0].text : (mt_str){0};
    ls_known *k =
        add(q, mt_strf(a, "%.*s@%.*s", MT_ARG(own), MT_ARG(version.items[0].text)),
            LS_ITEM_CLASS, about);
    k->also = mt_str_dup(a, own);
    k->words = mt_strf(a, "**cluster** `%.*s` %.*s\n\n%.*s\n", MT_ARG(own),
                       MT_ARG(version.items[0].text), MT_ARG(about));
    if (!mt_str_starts(t.file, MT_STR("motet:"))) {
        k->file = mt_str_dup(a, t.file);
        k->at = id.items[0].at;
    }
}

typedef struct cluster_search {
    ls_inquiry *q;
    size_t left;
} cluster_search;

static bool know_cluster_file(void *context, mt_str path)
{
    cluster_search *x = context;
    ls_call *c = x->q->c;
    mt_str text;
    if (!mt_str_eq(path, x->q->path) &&
        ls_read_beside(c->s, c->a, path, mt_str_basename(path), &text)) {
        know_cluster(x->q, (gr_text){mt_str_dup(c->a, path), text});
    }
    return --x->left > 0;
}

void ls_know_clusters(ls_inquiry *q)
{
    enum { MOST_FILES = 200 };
    const ls_server *s = q->c->s;
    cluster_search x = {q, MOST_FILES};
    if (s->world.list) {
        s->world.list(s->world.state, ls_folder_of(q->path), MT_STR(".yaml"),
                      know_cluster_file, &x);
    }
    for (size_t i = 0; i < GR_READY_COUNT; i++) {
        know_cluster(q, GR_READY[i]);
    }
}

/* ---- nodes ---- */

static mt_str target_of(ls_inquiry *q, const char *pattern, mt_str node)
{
    ls_gathering all = ls_gather(q->c->a, q->text, pattern, false);
    for (size_t i = 0; i < all.len; i++) {
        if (mt_str_eq(all.items[i].owner, node)) {
            return all.items[i].text;
        }
    }
    return (mt_str){0};
}

void ls_know_nodes(ls_inquiry *q)
{
    ls_gathering nodes = ls_gather(q->c->a, q->text, "/nodes/*", true);
    for (size_t i = 0; i < nodes.len; i++) {
        mt_str name = nodes.items[i].text, of = target_of(q, "/nodes/*/impl", name);
        of = of.len ? of : target_of(q, "/nodes/*/cluster", name);
        ls_known *k = add(q, name, LS_ITEM_VARIABLE, of);
        k->words =
            mt_strf(q->c->a, "**node** `%.*s`: `%.*s`\n", MT_ARG(name), MT_ARG(of));
        k->file = q->path;
        k->at = nodes.items[i].at;
    }
}

static void know_named(ls_inquiry *q, const char *pattern, const char *before,
                       const char *what)
{
    ls_gathering all = ls_gather(q->c->a, q->text, pattern, false);
    for (size_t i = 0; i < all.len; i++) {
        ls_known *k =
            add(q, mt_strf(q->c->a, "%s%.*s", before, MT_ARG(all.items[i].text)),
                LS_ITEM_FIELD, mt_str_z(what));
        k->words = mt_strf(q->c->a, "**%s** `%.*s`\n", what, MT_ARG(all.items[i].text));
        k->file = q->path;
        k->at = all.items[i].at;
    }
}

void ls_know_inputs(ls_inquiry *q)
{
    know_named(q, "/inputs/#/name", "", "input");
}

void ls_know_own_params(ls_inquiry *q)
{
    know_named(q, "/parameters/#/name", "", "parameter");
}

/* ---- ports ---- */

static void know_port(ls_inquiry *q, mt_str node, const gr_port *p, mt_str file)
{
    ls_known *k = add(q, p->name, LS_ITEM_FIELD, mt_str_z(gr_type_name(p->type)));
    k->words =
        mt_strf(q->c->a, "**port** `%.*s.%.*s`: %s%s\n", MT_ARG(node), MT_ARG(p->name),
                gr_type_name(p->type), p->required ? "" : ", may be left open");
    if (file.len) {
        k->file = mt_str_dup(q->c->a, file);
        k->at = (ls_range){p->at, p->at};
    }
}

static void know_primitive_ports(ls_inquiry *q, mt_str node, mt_str id, bool outputs)
{
    gr_registry *r = ls_registry_for(q->c->s, q->c->a, q->path);
    const gr_primitive *p = gr_registry_find(r, id);
    const gr_manifest *m = p ? &p->manifest : NULL;
    uint32_t count = !m ? 0 : outputs ? m->output_count : m->input_count;
    for (uint32_t i = 0; i < count; i++) {
        know_port(q, node, outputs ? &m->outputs[i] : &m->inputs[i],
                  p->standard ? (mt_str){0} : m->file);
    }
    gr_registry_free(r);
}

static bool find_cluster_text(ls_inquiry *q, mt_str id, gr_text *out)
{
    size_t count;
    gr_text *found = ls_find_cluster(q->c->s, q->c->a, id, q->path, &count);
    if (count) {
        *out = found[0];
        return true;
    }
    for (size_t i = 0; i < GR_READY_COUNT; i++) {
        if (mt_str_eq(mt_str_skip(GR_READY[i].file, strlen("motet:")), id)) {
            *out = GR_READY[i];
            return true;
        }
    }
    return false;
}

static void know_cluster_ports(ls_inquiry *q, mt_str id, bool outputs)
{
    gr_text t;
    if (!find_cluster_text(q, id, &t)) {
        return;
    }
    ls_gathering names = outputs ? ls_gather(q->c->a, t.text, "/outputs/*", true)
                                 : ls_gather(q->c->a, t.text, "/inputs/#/name", false);
    for (size_t i = 0; i < names.len; i++) {
        ls_known *k = add(q, names.items[i].text, LS_ITEM_FIELD, id);
        if (!mt_str_starts(t.file, MT_STR("motet:"))) {
            k->file = t.file;
            k->at = names.items[i].at;
        }
    }
}

static void know_ports(ls_inquiry *q, mt_str node, bool outputs)
{
    mt_str impl = target_of(q, "/nodes/*/impl", node);
    mt_str cluster = target_of(q, "/nodes/*/cluster", node);
    if (impl.len) {
        mt_str id = mt_str_from(impl.ptr, mt_str_find(impl, '@'));
        know_primitive_ports(q, node, id, outputs);
    } else if (cluster.len) {
        mt_str id = mt_str_from(cluster.ptr, mt_str_find(cluster, '@'));
        know_cluster_ports(q, id, outputs);
    }
}

void ls_know_ports(ls_inquiry *q)
{
    bool outputs = !ls_spot_is(&q->spot, "to/port");
    know_ports(q, ls_beside(q, "node"), outputs);
}

/* Text `node.port` up to the cursor: which of both is being written? */
static void know_end(ls_inquiry *q, mt_str before, bool is_source, bool with_inputs)
{
    if (!before.len || before.ptr[before.len - 1] != '.') {
        ls_know_nodes(q);
        if (with_inputs) {
            know_named(q, "/inputs/#/name", "$", "input");
        }
        return;
    }
    size_t end = before.len - 1, from = end;
    while (from && !strchr(" \t>", before.ptr[from - 1])) {
        from--;
    }
    know_ports(q, mt_str_from(before.ptr + from, end - from), is_source);
}

void ls_know_edge(ls_inquiry *q)
{
    mt_str before = ls_narrow(q, " \t.>");
    bool is_source = !memmem(before.ptr, before.len, "->", 2);
    know_end(q, before, is_source, is_source);
}

void ls_know_outlet(ls_inquiry *q)
{
    know_end(q, ls_narrow(q, " \t."), true, false);
}

/* ---- parameters ---- */

static const gr_param *param_at(const gr_manifest *m, mt_str name)
{
    int i = m ? gr_param_index(m, name) : -1;
    return i < 0 ? NULL : &m->params[i];
}

static const gr_manifest *manifest_of(ls_inquiry *q, const gr_registry *r)
{
    mt_str impl = target_of(q, "/nodes/*/impl", q->spot.path[1].key);
    const gr_primitive *p =
        gr_registry_find(r, mt_str_from(impl.ptr, mt_str_find(impl, '@')));
    return p ? &p->manifest : NULL;
}

void ls_know_params(ls_inquiry *q)
{
    mt_arena *a = q->c->a;
    gr_registry *r = ls_registry_for(q->c->s, a, q->path);
    const gr_manifest *m = manifest_of(q, r);
    for (uint32_t i = 0; m && i < m->param_count; i++) {
        const gr_param *p = &m->params[i];
        const char *type = gr_param_type_name(p->type);
        ls_known *k = add(q, p->name, LS_ITEM_PROPERTY, mt_str_z(type));
        k->words = mt_strf(a, "**parameter** `%.*s` of `%.*s`: %s%s\n", MT_ARG(p->name),
                           MT_ARG(m->id), type, p->required ? ", required" : "");
    }
    gr_registry_free(r);
}

void ls_know_param_value(ls_inquiry *q)
{
    gr_registry *r = ls_registry_for(q->c->s, q->c->a, q->path);
    const gr_param *p = param_at(manifest_of(q, r), q->spot.path[3].key);
    if (p && p->type == GR_P_BOOL) {
        LS_KNOW_WORDS(q, LS_ITEM_KEYWORD, "true", "false");
    }
    gr_registry_free(r);
}

/* ---- words of the forms ---- */

static mt_str lower(mt_arena *a, const char *name)
{
    mt_str s = mt_str_z(name);
    char *copy = mt_alloc(a, s.len + 1);
    for (size_t i = 0; i <= s.len; i++) {
        char c = i < s.len ? name[i] : '\0';
        copy[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    return mt_str_from(copy, s.len);
}

void ls_know_types(ls_inquiry *q)
{
    gr_type last = q->kind == LS_DATA_ADAPTER ? GR_STRING : GR_EVENT;
    for (gr_type t = GR_NUMBER; t <= last; t++) {
        ls_know_word(q, lower(q->c->a, gr_type_name(t)), LS_ITEM_STRUCT, (mt_str){0});
    }
}

void ls_know_param_types(ls_inquiry *q)
{
    for (gr_param_type t = GR_P_INT; t <= GR_P_ENUM; t++) {
        ls_know_word(q, lower(q->c->a, gr_param_type_name(t)), LS_ITEM_STRUCT,
                     (mt_str){0});
    }
}

void ls_know_manifest_kinds(ls_inquiry *q)
{
    for (gr_kind k = GR_SOURCE; k <= GR_ACTION; k++) {
        ls_know_word(q, mt_str_z(gr_kind_name(k)), LS_ITEM_ENUM_MEMBER, (mt_str){0});
    }
    if (!q->spot.text.len) { /* it is not yet said what the document is */
        LS_KNOW_WORDS(q, LS_ITEM_ENUM_MEMBER, "cluster", "adapter");
    }
}
