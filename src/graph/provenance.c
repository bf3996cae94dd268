/* graph/provenance.c - the identity of an expanded graph.
 *
 * "rpv1:sha256:" and the hash of its compact JSON: nodes with their parameters, edges,
 * and every primitive used, fields in fixed order, lists sorted by bytes; see
 * docs/reference/graphs.md. Two graphs with one provenance compute the same; a capture
 * names it, and replay refuses another.
 *
 * Parameters are hashed as expansion left them, defaults of primitives included: a
 * parameter that is given its default and one that is left out are one graph. Captures
 * made before had bound parameters alone; that form is kept to recognise them. Nothing
 * can fail; scratch memory is freed, the text lives in `keep`. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "graph/compile.h"

typedef struct named {
    mt_str name;
    uint32_t index;
} named;

static void comma(mt_buf *out, bool first)
{
    if (!first) {
        mt_buf_addc(out, ',');
    }
}

static void key_text(mt_buf *out, const char *key, mt_str text)
{
    mt_buf_addf(out, "\"%s\":", key);
    mt_json_quote(out, text);
}

/* ---- nodes ---- */

static named *sorted_params(mt_arena *a, const gr_manifest *m)
{
    named *order = mt_new_array(a, named, m->param_count);
    for (uint32_t i = 0; i < m->param_count; i++) {
        order[i] = (named){m->params[i].name, i};
    }
    mt_sort_by(order, m->param_count, name);
    return order;
}

/* The parameters of a node that count, sorted by name. */
static named *sorted_given(mt_arena *a, const gr_flat_node *n, bool bound_only,
                           uint32_t *count)
{
    named *order = mt_new_array(a, named, n->given_count);
    *count = 0;
    for (uint32_t i = 0; i < n->given_count; i++) {
        if (n->given[i].bound || !bound_only) {
            order[(*count)++] = (named){n->given[i].name, i};
        }
    }
    mt_sort_by(order, *count, name);
    return order;
}

static void node_json(mt_arena *a, mt_buf *out, const gr_flat_node *n, bool bound_only)
{
    mt_mark mark = mt_arena_mark(a);
    uint32_t count;
    named *order = sorted_given(a, n, bound_only, &count);
    mt_buf_addc(out, '{');
    key_text(out, "runtime_id", n->id);
    mt_buf_addc(out, ',');
    key_text(out, "impl_id", n->primitive->manifest.id);
    mt_buf_addc(out, ',');
    key_text(out, "requested_version", n->requested);
    mt_buf_addc(out, ',');
    key_text(out, "resolved_version", n->resolved);
    mt_buf_addz(out, ",\"parameters\":[");
    for (uint32_t i = 0; i < count; i++) {
        comma(out, i == 0);
        mt_buf_addc(out, '{');
        key_text(out, "name", order[i].name);
        mt_buf_addz(out, ",\"value\":");
        gr_literal_json(out, &n->given[order[i].index].value);
        mt_buf_addc(out, '}');
    }
    mt_buf_addz(out, "]}");
    mt_arena_rewind(a, mark);
}

/* ---- edges ---- */

typedef struct edge_key {
    mt_str from, to; /* "node:n1.out", "ext:name" */
    const gr_flat_edge *edge;
} edge_key;

static int by_edge(const void *a, const void *b)
{
    const edge_key *x = a, *y = b;
    int order = mt_str_cmp(x->from, y->from);
    return order ? order : mt_str_cmp(x->to, y->to);
}

static mt_str port_key(mt_arena *a, const gr_flat_node *n, mt_str port)
{
    return mt_strf(a, "node:%.*s.%.*s", MT_ARG(n->id), MT_ARG(port));
}

static void port_json(mt_buf *out, mt_str id, mt_str port)
{
    mt_buf_addz(out, "{\"kind\":\"NodePort\",");
    key_text(out, "node_id", id);
    mt_buf_addc(out, ',');
    key_text(out, "port_name", port);
    mt_buf_addc(out, '}');
}

/* Sorted by their texts; ports by name, so a renumbered manifest changes nothing. */
static void edges_json(mt_arena *a, mt_buf *out, const gr_flat *f)
{
    edge_key *keys = mt_new_array(a, edge_key, f->edges.len);
    for (size_t i = 0; i < f->edges.len; i++) {
        const gr_flat_edge *e = &f->edges.items[i];
        const gr_flat_node *to = &f->nodes.items[e->to_node];
        keys[i].edge = e;
        keys[i].to = port_key(a, to, to->primitive->manifest.inputs[e->to_port].name);
        if (e->from_node == GR_NO_NODE) {
            keys[i].from = mt_strf(a, "ext:%.*s", MT_ARG(e->external));
        } else {
            const gr_flat_node *from = &f->nodes.items[e->from_node];
            keys[i].from =
                port_key(a, from, from->primitive->manifest.outputs[e->from_port].name);
        }
    }
    if (f->edges.len) {
        qsort(keys, f->edges.len, sizeof *keys, by_edge);
    }
    for (size_t i = 0; i < f->edges.len; i++) {
        const gr_flat_edge *e = keys[i].edge;
        const gr_flat_node *to = &f->nodes.items[e->to_node];
        comma(out, i == 0);
        mt_buf_addz(out, "{\"from\":");
        if (e->from_node == GR_NO_NODE) {
            mt_buf_addz(out, "{\"kind\":\"ExternalInput\",");
            key_text(out, "name", e->external);
            mt_buf_addc(out, '}');
        } else {
            const gr_flat_node *from = &f->nodes.items[e->from_node];
            port_json(out, from->id,
                      from->primitive->manifest.outputs[e->from_port].name);
        }
        mt_buf_addz(out, ",\"to\":");
        port_json(out, to->id, to->primitive->manifest.inputs[e->to_port].name);
        mt_buf_addc(out, '}');
    }
}

/* ---- primitives ---- */

/* Sorted by name; the order of keys is the format's. */
static void ports_json(mt_arena *a, mt_buf *out, const gr_port *ports, uint32_t count,
                       bool input)
{
    named *order = mt_new_array(a, named, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = (named){ports[i].name, i};
    }
    mt_sort_by(order, count, name);
    for (uint32_t i = 0; i < count; i++) {
        const gr_port *p = &ports[order[i].index];
        comma(out, i == 0);
        mt_buf_addc(out, '{');
        key_text(out, "name", p->name);
        mt_buf_addf(out, ",\"value_type\":\"%s\",", gr_type_name(p->type));
        mt_buf_addf(out, input ? "\"required\":%s}" : "\"cardinality\":\"%s\"}",
                    input ? (p->required ? "true" : "false") : "Single");
    }
}

/* The whole interface: a primitive with the same id and another port is another graph.
 */
static void primitive_json(mt_arena *a, mt_buf *out, const gr_manifest *m,
                           mt_str version)
{
    named *order = sorted_params(a, m);
    mt_buf_addc(out, '{');
    key_text(out, "impl_id", m->id);
    mt_buf_addc(out, ',');
    key_text(out, "resolved_version", version);
    mt_buf_addf(out, ",\"kind\":\"%s\",\"inputs\":[", gr_kind_title(m->kind));
    ports_json(a, out, m->inputs, m->input_count, true);
    mt_buf_addz(out, "],\"outputs\":[");
    ports_json(a, out, m->outputs, m->output_count, false);
    mt_buf_addz(out, "],\"parameters\":[");
    for (uint32_t i = 0; i < m->param_count; i++) {
        const gr_param *p = &m->params[order[i].index];
        comma(out, i == 0);
        mt_buf_addc(out, '{');
        key_text(out, "name", p->name);
        mt_buf_addf(out, ",\"ty\":\"%s\",\"required\":%s,\"default\":",
                    gr_param_type_name(p->type), p->required ? "true" : "false");
        if (p->initial.type == GR_P_NONE) {
            mt_buf_addz(out, "null");
        } else {
            gr_literal_json(out, &p->initial);
        }
        mt_buf_addc(out, '}');
    }
    mt_buf_addz(out, "]}");
}

/* Each that is used, once, sorted by id. */
static void primitives_json(mt_arena *a, mt_buf *out, const gr_flat *f)
{
    mt_map used = {0};
    bool added;
    for (size_t i = 0; i < f->nodes.len; i++) {
        const gr_flat_node *n = &f->nodes.items[i];
        mt_map_add(a, &used, n->primitive->manifest.id, &added)->value = i;
    }
    named *order = mt_new_array(a, named, used.len);
    for (uint32_t i = 0; i < used.len; i++) {
        order[i] = (named){used.entries[i].key, (uint32_t)used.entries[i].value};
    }
    mt_sort_by(order, used.len, name);
    for (uint32_t i = 0; i < used.len; i++) {
        const gr_flat_node *n = &f->nodes.items[order[i].index];
        comma(out, i == 0);
        primitive_json(a, out, &n->primitive->manifest, n->resolved);
    }
}

static int by_id(const void *a, const void *b)
{
    const gr_flat_node *const *x = a, *const *y = b;
    return mt_str_cmp((*x)->id, (*y)->id);
}

/* What would change results is in it, what would not is not: sorted by id, independent
 * of file names and layout. A replay compares it with the capture's. */
static mt_str provenance(mt_arena *keep, const gr_flat *f, bool bound_only)
{
    mt_arena scratch = {0};
    mt_buf out = {0};
    const gr_flat_node **order =
        mt_new_array(&scratch, const gr_flat_node *, f->nodes.len);
    for (size_t i = 0; i < f->nodes.len; i++) {
        order[i] = &f->nodes.items[i];
    }
    qsort(order, f->nodes.len, sizeof *order, by_id);
    mt_buf_addc(&out, '{');
    key_text(&out, "graph_id", f->graph_id);
    mt_buf_addz(&out, ",\"nodes\":[");
    for (size_t i = 0; i < f->nodes.len; i++) {
        comma(&out, i == 0);
        node_json(&scratch, &out, order[i], bound_only);
    }
    mt_buf_addz(&out, "],\"edges\":[");
    edges_json(&scratch, &out, f);
    mt_buf_addz(&out, "],\"primitives\":[");
    primitives_json(&scratch, &out, f);
    mt_buf_addz(&out, "]}");
    mt_str hex = mt_sha256_hex(&scratch, mt_sha256_of(mt_buf_str(&out)));
    mt_str id = mt_strf(keep, "rpv1:sha256:%.*s", MT_ARG(hex));
    mt_buf_free(&out);
    mt_arena_free(&scratch);
    return id;
}

mt_str gr_runtime_provenance(mt_arena *keep, const gr_flat *f)
{
    return provenance(keep, f, false);
}

mt_str gr_runtime_provenance_as_bound(mt_arena *keep, const gr_flat *f)
{
    return provenance(keep, f, true);
}
