/* graph/cluster_read.c - the text form of a cluster and the rules of its definition.
 *
 * First the whole text by the tables below, into drafts where the text may say a thing
 * in two ways; then, part by part, what a value means (references, edges, defaults) and
 * the rules D.*; last, edges against the nodes and inputs there are.
 * INVARIANT: a cluster is handed out only when nothing but warnings was reported; names
 * are compared pairwise only where graph_ports bounds them.
 * May fail: text that is neither YAML nor JSON, another shape (graph.decode), a rule
 * (D.*, V.7, NUM-FINITE-1), a limit (LIMIT). A key that nobody knows is only a
 * warning. */
#include "base/limits.h"
#include "graph/cluster.h"
#include "graph/version.h"

static const char SHAPE[] = "graph.decode";
enum { MOST = MT_INITIAL_graph_ports };

/* ---- The form ---- */

/* A node before its references and values are looked at. */
typedef struct draft_node {
    mt_str name, impl, cluster;
    const mt_json *params;
    uint32_t at;
} draft_node;

static const mt_form_row NODE_ROWS[] = {
    MT_FORM_LABEL(draft_node, name),
    MT_FORM_PLACE(draft_node, at),
    MT_FORM_TEXT(draft_node, impl, "impl", MT_FORM_NULLABLE),
    MT_FORM_TEXT(draft_node, cluster, "cluster", MT_FORM_NULLABLE),
    MT_FORM_OBJECT(draft_node, params, "params", MT_FORM_NULLABLE),
    MT_FORM_NOTE("description"),
};
static const mt_form_table NODE = MT_FORM_TABLE("a node", NODE_ROWS, draft_node, NULL);

static const mt_form_row EXPOSED[] = {
    MT_FORM_TEXT(gr_binding, exposed, "exposed", MT_FORM_NULLABLE),
};

/* One end of an edge that is written as a map. */
typedef struct draft_end {
    const mt_json *external;
    mt_str node, port;
} draft_end;
typedef struct draft_edge {
    draft_end from, to;
} draft_edge;

static const mt_form_row END_ROWS[] = {
    MT_FORM_ANY(draft_end, external, "external", 0),
    MT_FORM_TEXT(draft_end, node, "node", MT_FORM_NULLABLE),
    MT_FORM_TEXT(draft_end, port, "port", MT_FORM_NULLABLE),
};
static const mt_form_table END =
    MT_FORM_TABLE("an end of an edge", END_ROWS, draft_end, NULL);
static const mt_form_row EDGE_ROWS[] = {
    MT_FORM_INSIDE(draft_edge, from, "from", &END, MT_FORM_NULLABLE),
    MT_FORM_INSIDE(draft_edge, to, "to", &END, MT_FORM_NULLABLE),
};
static const mt_form_table EDGE = MT_FORM_TABLE("an edge", EDGE_ROWS, draft_edge, NULL);

static const mt_form_row INPUT_ROWS[] = {
    MT_FORM_PLACE(gr_cluster_input, at),
    MT_FORM_TEXT(gr_cluster_input, name, "name", MT_FORM_NULLABLE),
    MT_FORM_OWN(gr_cluster_input, type, "type", gr_read_type, MT_FORM_NULLABLE),
    MT_FORM_FLAG(gr_cluster_input, required, "required", MT_FORM_NULLABLE),
    MT_FORM_NOTE("description"),
};
static const gr_cluster_input NEW_INPUT = {.required = true};
static const mt_form_table INPUT =
    MT_FORM_TABLE("an input", INPUT_ROWS, gr_cluster_input, &NEW_INPUT);

/* An output in a list, as the data model has it. */
typedef struct draft_output {
    mt_str name;
    const mt_json *maps_to;
} draft_output;
static const mt_form_row OUTPUT_ROWS[] = {
    MT_FORM_TEXT(draft_output, name, "name", MT_FORM_NULLABLE),
    MT_FORM_ANY_OF(draft_output, maps_to, "maps_to", &END, 0),
};
static const mt_form_table OUTPUT =
    MT_FORM_TABLE("an output", OUTPUT_ROWS, draft_output, NULL);

/* A parameter before its default has its type. */
typedef struct draft_param {
    mt_str name, type;
    const mt_json *initial;
    int required; /* -1: not said */
    uint32_t at;
} draft_param;
static const mt_form_row PARAM_ROWS[] = {
    MT_FORM_PLACE(draft_param, at),
    MT_FORM_TEXT(draft_param, name, "name", MT_FORM_NULLABLE),
    MT_FORM_TEXT(draft_param, type, "type", MT_FORM_NULLABLE),
    MT_FORM_ANY(draft_param, initial, "default", MT_FORM_NULLABLE),
    MT_FORM_SAYS(draft_param, required, "required", MT_FORM_NULLABLE),
    MT_FORM_NOTE("description"),
};
static const draft_param NEW_PARAM = {.required = -1};
static const mt_form_table PARAM =
    MT_FORM_TABLE("a parameter", PARAM_ROWS, draft_param, &NEW_PARAM);

static const mt_form_row DERIVED[] = {
    MT_FORM_TEXT(gr_cluster_param, slot, "derive_key", 0),
};

/* The type is read as text, since one there is none of is only warned of. */
static const mt_form_row CLAIM_ROWS[] = {
    MT_FORM_PLACE(gr_claim, at),
    MT_FORM_TEXT(gr_claim, name, "name", MT_FORM_NULLABLE),
    MT_FORM_TEXT(gr_claim, type_text, "type", MT_FORM_NULLABLE),
    MT_FORM_FLAG(gr_claim, wireable, "wireable", MT_FORM_NULLABLE),
    MT_FORM_NOTE("cardinality"),
    MT_FORM_NOTE("required"),
    MT_FORM_NOTE("description"),
};
static const mt_form_table OUTPUT_CLAIM =
    MT_FORM_TABLE("an output of a signature", CLAIM_ROWS, gr_claim, NULL);
static const mt_form_table INPUT_CLAIM =
    MT_FORM_TABLE("an input of a signature", CLAIM_ROWS, gr_claim, NULL);
static const mt_form_row SIGNATURE_ROWS[] = {
    MT_FORM_PLACE(gr_cluster, claims_at),
    MT_FORM_EACH(gr_cluster, claims, claim_count, "outputs", &OUTPUT_CLAIM, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_EACH(gr_cluster, input_claims, input_claim_count, "inputs", &INPUT_CLAIM,
                 MOST, MT_FORM_NULLABLE),
    MT_FORM_TEXT(gr_cluster, claimed_kind, "kind", MT_FORM_NULLABLE),
    MT_FORM_SAYS(gr_cluster, claimed_effects, "has_side_effects", MT_FORM_NULLABLE),
    MT_FORM_SAYS(gr_cluster, claimed_origin, "is_origin", MT_FORM_NULLABLE),
};
static const mt_form_table SIGNATURE =
    MT_FORM_TABLE("a signature", SIGNATURE_ROWS, gr_cluster, NULL);

/* A cluster's text; lists whose items have two forms are taken apart later. */
typedef struct draft {
    mt_str kind, id;
    const mt_json *version, *edges, *outputs, *signature, *declared_signature;
    const draft_node *nodes;
    const gr_cluster_input *inputs;
    const draft_param *params;
    uint32_t node_count, input_count, param_count;
} draft;

static const char *const KINDS[] = {"cluster", NULL};
static const mt_form_row CLUSTER[] = {
    MT_FORM_ONE_OF(draft, kind, "kind", KINDS, MT_FORM_NULLABLE),
    MT_FORM_TEXT(draft, id, "id", MT_FORM_NULLABLE),
    MT_FORM_ANY(draft, version, "version", 0),
    MT_FORM_MAP(draft, nodes, node_count, "nodes", &NODE, UINT32_MAX, MT_FORM_NULLABLE),
    MT_FORM_LIST_OF(draft, edges, "edges", &EDGE, 0, UINT32_MAX, MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, inputs, input_count, "inputs", &INPUT, MOST, MT_FORM_NULLABLE),
    MT_FORM_ANY_OF(draft, outputs, "outputs", &OUTPUT, MT_FORM_NULLABLE),
    MT_FORM_EACH(draft, params, param_count, "parameters", &PARAM, MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_ANY_OF(draft, signature, "signature", &SIGNATURE, MT_FORM_NULLABLE),
    MT_FORM_ANY_OF(draft, declared_signature, "declared_signature", &SIGNATURE,
                   MT_FORM_NULLABLE),
    MT_FORM_NOTE("description"),
};
const mt_form_table GR_CLUSTER_FORM = MT_FORM_TABLE("a cluster", CLUSTER, draft, NULL);

/* ---- Reading ---- */

typedef struct reader {
    mt_arena *arena;
    gr_subject subject;
    mt_form *form;
    gr_cluster *c;
    bool ok;
} reader;

#define FAULT(r, rule, at, path, fix, ...)                                             \
    ((r)->ok = gr_report(&(r)->subject, (rule), (at), MT_STR(path), (fix), __VA_ARGS__))

/* Names: not empty, none of . @ $ / \ : and space. Ports may have more. */
static bool name_ok(mt_str name, bool port)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '.' || c == ' ' || (!port && c && strchr("@$/\\:", c))) {
            return false;
        }
    }
    return name.len > 0;
}

/* The name is given back even when it is refused, so that reading goes on. */
static mt_str checked_name(reader *r, mt_str name, uint32_t at, const char *path)
{
    if (!name_ok(name, false)) {
        r->ok = gr_report(&r->subject, SHAPE, at, mt_str_z(path),
                          "use a name without . @ $ / \\ : and spaces",
                          "\"%.*s\" cannot be a name", MT_ARG(name));
    }
    return name;
}

/* 1 is 1.0.0 and 1.2 is 1.2.0. */
static mt_str version_text(reader *r, const mt_json *node)
{
    mt_str text = mt_json_text(node);
    gr_version v;
    if (mt_json_is(node, MT_JSON_NUMBER)) {
        bool has_dot = mt_str_find(text, '.') < text.len;
        text = mt_strf(r->arena, "%.*s%s", MT_ARG(text), has_dot ? ".0" : ".0.0");
    }
    if (!gr_version_read(text, &v)) {
        FAULT(r, SHAPE, node ? node->offset : 0, "$.version",
              "write three numbers, like \"1.0.0\"",
              "version \"%.*s\" is not a semantic version", MT_ARG(text));
    }
    return text;
}

/* `kind` is read without case, as existing files have both. Offsets of 0 put the fault
 * at the document. */
static void header(reader *r, const draft *d)
{
    bool cluster = d->kind.len == 7;
    for (size_t i = 0; cluster && i < d->kind.len; i++) {
        cluster = (d->kind.ptr[i] | 0x20) == "cluster"[i];
    }
    if (!cluster) {
        FAULT(r, SHAPE, 0, "$.kind", "write kind: cluster", "kind is \"%.*s\"",
              MT_ARG(d->kind));
    }
    r->c->id = checked_name(r, d->id, 0, "$.id");
    r->c->version = version_text(r, d->version);
}

/* ---- Nodes ---- */

/* A literal, or {exposed: parameter}. */
static void binding(reader *r, mt_form *f, const mt_json_member *m, gr_binding *out)
{
    *out = (gr_binding){.name = m->key, .at = m->value.offset};
    if (mt_json_is(&m->value, MT_JSON_OBJECT)) {
        mt_form in = mt_form_member(f, m->key, "an exposed parameter");
        r->ok &= mt_form_read(&in, &m->value, EXPOSED, mt_form_count(EXPOSED), out);
        if (!out->exposed.len) {
            r->ok = mt_form_say(&in, MT_FORM_WRONG_KIND, &m->value, "",
                                "must be a value or {exposed: parameter}");
        }
        return;
    }
    mt_err err = gr_literal_from_json(&m->value, &out->value);
    if (err == MT_E_RANGE) {
        FAULT(r, "NUM-FINITE-1", m->value.offset, "$.nodes",
              "write a number a double can hold",
              "parameter \"%.*s\" is not a finite number", MT_ARG(m->key));
    } else if (err) {
        mt_form in = mt_form_member(f, m->key, "a parameter");
        r->ok = mt_form_say(&in, MT_FORM_WRONG_KIND, &m->value, "",
                            "must be a number, a boolean or text, not %s",
                            mt_form_name(&m->value));
    }
}

static void bindings(reader *r, const draft_node *d, gr_member *out)
{
    mt_form nodes = mt_form_inside(r->form, "nodes", "nodes");
    mt_form node = mt_form_member(&nodes, d->name, "a node");
    mt_form params = mt_form_inside(&node, "params", "parameters");
    out->binding_count = d->params ? d->params->count : 0;
    gr_binding *list = mt_new_array(r->arena, gr_binding, out->binding_count);
    for (uint32_t i = 0; i < out->binding_count; i++) {
        binding(r, &params, &d->params->as.members[i], &list[i]);
    }
    out->bindings = list;
}

/* "id@selector". A primitive without a selector is refused, as everywhere; for a
 * cluster any version will do, since graphs have been written so. */
static void reference(reader *r, mt_str text, uint32_t at, gr_member *out)
{
    size_t n = mt_str_find(text, '@');
    out->target = checked_name(r, mt_str_from(text.ptr, n), at, "$.nodes");
    out->selector = n < text.len ? mt_str_skip(text, n + 1) : MT_STR("*");
    if (n == text.len && !out->is_cluster) {
        FAULT(r, SHAPE, at, "$.nodes", "say which versions will do, like add@^0.1",
              "\"%.*s\" has no version", MT_ARG(text));
    }
}

/* Exactly one of impl and cluster; after a fault the member stays empty, and nothing
 * links before all are good. */
static void member(reader *r, const draft_node *d, gr_member *out)
{
    *out = (gr_member){.at = d->at};
    out->name = checked_name(r, d->name, d->at, "$.nodes");
    if ((d->impl.len > 0) == (d->cluster.len > 0)) {
        FAULT(r, SHAPE, d->at, "$.nodes", "keep one of them",
              "node \"%.*s\" needs either impl or cluster", MT_ARG(d->name));
        return;
    }
    out->is_cluster = d->cluster.len > 0;
    reference(r, d->impl.len ? d->impl : d->cluster, d->at, out);
    bindings(r, d, out);
}

/* An empty cluster is reported only when nothing else is wrong, since a misread `nodes`
 * is empty too. */
static gr_member *members(reader *r, const draft *d)
{
    r->c->member_count = d->node_count;
    gr_member *out = mt_new_array(r->arena, gr_member, d->node_count);
    for (uint32_t i = 0; i < d->node_count; i++) {
        member(r, &d->nodes[i], &out[i]);
    }
    if (!d->node_count && r->ok) {
        FAULT(r, "D.1", 0, "$.nodes", "add a node", "the cluster is empty");
    }
    return out;
}

/* ---- Edges ---- */

/* "node.port", or "$input" where that is allowed. */
static bool endpoint_text(mt_str s, bool source, gr_endpoint *out)
{
    if (s.len && s.ptr[0] == '$') {
        *out = (gr_endpoint){{0}, mt_str_skip(s, 1)};
        return source && name_ok(out->port, false);
    }
    size_t dot = mt_str_find(s, '.');
    *out = (gr_endpoint){mt_str_from(s.ptr, dot), mt_str_skip(s, dot + 1)};
    return dot < s.len && name_ok(out->node, false) && name_ok(out->port, true);
}

/* A reference to an input of the cluster is a source only: nothing flows out through
 * it. */
static bool endpoint_map(const draft_end *d, bool source, gr_endpoint *out)
{
    if (d->external) {
        *out = (gr_endpoint){{0}, mt_json_text(d->external)};
        return source && name_ok(out->port, false);
    }
    *out = (gr_endpoint){d->node, d->port};
    return name_ok(out->node, false) && name_ok(out->port, true);
}

/* s.len: there is none. */
static size_t arrow(mt_str s)
{
    size_t i = 0;
    while (i + 1 < s.len && !(s.ptr[i] == '-' && s.ptr[i + 1] == '>')) {
        i++;
    }
    return i + 1 < s.len ? i : s.len;
}

static bool edge_text(mt_str s, gr_edge *out)
{
    size_t n = arrow(s);
    return n < s.len &&
           endpoint_text(mt_str_trim(mt_str_from(s.ptr, n), MT_STR(" \t")), true,
                         &out->from) &&
           endpoint_text(mt_str_trim(mt_str_skip(s, n + 2), MT_STR(" \t")), false,
                         &out->to);
}

static bool edge_map(reader *r, const mt_json *node, uint32_t i, gr_edge *out)
{
    draft_edge d = {0};
    mt_form f = mt_form_item(r->form, "edges", i, "an edge");
    r->ok &= mt_form_read(&f, node, EDGE_ROWS, mt_form_count(EDGE_ROWS), &d);
    return endpoint_map(&d.from, true, &out->from) &&
           endpoint_map(&d.to, false, &out->to);
}

/* Two spellings of an edge, text and mapping; after a fault the edge stays in the list
 * so that the rest is checked. */
static void edges(reader *r, const mt_json *list)
{
    r->c->edge_count = list ? list->count : 0;
    gr_edge *out = mt_new_array(r->arena, gr_edge, r->c->edge_count);
    for (uint32_t i = 0; i < r->c->edge_count; i++) {
        const mt_json *node = &list->as.items[i];
        out[i] = (gr_edge){.at = node->offset};
        bool ok =
            mt_json_is(node, MT_JSON_STRING)
                ? edge_text(mt_json_text(node), &out[i])
                : mt_json_is(node, MT_JSON_OBJECT) && edge_map(r, node, i, &out[i]);
        if (!ok) {
            FAULT(r, SHAPE, node->offset, "$.edges",
                  "write \"node.port -> node.port\" or \"$input -> node.port\"",
                  "this is not an edge");
        }
    }
    r->c->edges = out;
}

/* ---- Boundary ---- */

/* While the loop runs, input_count is what stands before, so the look-up finds repeated
 * names only. */
static void inputs(reader *r, const draft *d)
{
    r->c->inputs = d->inputs;
    for (uint32_t i = 0; i < d->input_count; i++) {
        const gr_cluster_input *in = &d->inputs[i];
        r->c->input_count = i; /* those before it */
        if (gr_cluster_input_index(r->c, in->name) >= 0 && in->name.len) {
            FAULT(r, "D.5", in->at, "$.input_ports", "give every input its own name",
                  "two inputs are named \"%.*s\"", MT_ARG(in->name));
        }
        checked_name(r, in->name, in->at, "$.inputs");
        if (in->type == GR_NONE) {
            FAULT(r, SHAPE, in->at, "$.inputs",
                  "write number, series, bool, string or event",
                  "input \"%.*s\" has no known type", MT_ARG(in->name));
        }
    }
    r->c->input_count = d->input_count;
}

/* A map {name: node.port}, or a list [{name, maps_to}] as the data model has it. */
static draft_output output_at(reader *r, const mt_json *node, uint32_t i)
{
    draft_output d = {0};
    if (mt_json_is(node, MT_JSON_OBJECT)) {
        return (draft_output){node->as.members[i].key, &node->as.members[i].value};
    }
    mt_form f = mt_form_item(r->form, "outputs", i, "an output");
    r->ok &= mt_form_read(&f, &node->as.items[i], OUTPUT_ROWS,
                          mt_form_count(OUTPUT_ROWS), &d);
    return d;
}

/* At the offset of what it maps to, since an output of a mapping has none of its
 * own. */
static void output(reader *r, const draft_output *d, gr_cluster_output *out)
{
    out->at = d->maps_to ? d->maps_to->offset : 0;
    out->name = checked_name(r, d->name, out->at, "$.outputs");
    if (!endpoint_text(mt_json_text(d->maps_to), false, &out->maps_to)) {
        FAULT(r, SHAPE, out->at, "$.outputs", "write node.port",
              "output \"%.*s\" names no port", MT_ARG(d->name));
    }
}

static const mt_json *outputs_of(reader *r, const mt_json *node)
{
    if (node && !mt_json_is(node, MT_JSON_ARRAY) && !mt_json_is(node, MT_JSON_OBJECT)) {
        r->ok = mt_form_say(r->form, MT_FORM_WRONG_KIND, node, "outputs",
                            "must be an object, not %s", mt_form_name(node));
        return NULL;
    }
    if (node && node->count > MOST) {
        r->ok =
            mt_form_say(r->form, MT_FORM_OUT_OF_RANGE, node, "outputs", "is too long");
        return NULL;
    }
    return node;
}

/* A mapping or a list of outputs. output_count grows with the loop for the same
 * reason. */
static gr_cluster_output *outputs(reader *r, const mt_json *node)
{
    node = outputs_of(r, node);
    uint32_t count = node ? node->count : 0;
    gr_cluster_output *out = mt_new_array(r->arena, gr_cluster_output, count);
    r->c->outputs = out;
    for (uint32_t i = 0; i < count; i++) {
        draft_output d = output_at(r, node, i);
        bool list = mt_json_is(node, MT_JSON_ARRAY);
        if (gr_cluster_output_index(r->c, d.name) >= 0) {
            FAULT(r, "D.6", list ? node->as.items[i].offset : node->offset,
                  "$.output_ports", "give every output its own name",
                  "two outputs are named \"%.*s\"", MT_ARG(d.name));
        }
        output(r, &d, &out[i]);
        r->c->output_count = i + 1;
    }
    return out;
}

/* A derived default is a key made from the place of the cluster in the graph; it exists
 * for text only. */
static void derived_key(reader *r, const mt_json *node, gr_cluster_param *p)
{
    mt_form item = mt_form_item(r->form, "parameters", r->c->param_count - 1, "");
    mt_form f = mt_form_inside(&item, "default", "a derived default");
    r->ok &= mt_form_read(&f, node, DERIVED, mt_form_count(DERIVED), p);
    if (p->type != GR_P_STRING || !p->slot.len) {
        FAULT(r, "D.8", node->offset, "$.parameters",
              "derive a key for a String parameter, with a slot name",
              "derive_key of \"%.*s\" is not possible", MT_ARG(p->name));
    }
}

static void param_default(reader *r, const mt_json *node, gr_cluster_param *p)
{
    gr_literal raw;
    if (mt_json_is(node, MT_JSON_OBJECT)) {
        derived_key(r, node, p);
    } else if (node && (gr_literal_from_json(node, &raw) ||
                        gr_literal_cast(&raw, p->type, &p->initial))) {
        FAULT(r, "D.8", node->offset, "$.parameters",
              "make the default a value of the declared type",
              "the default of \"%.*s\" is not %s", MT_ARG(p->name),
              gr_param_type_name(p->type));
    }
}

/* Required unless said otherwise and unless there is a default. */
static void param(reader *r, const draft_param *d, gr_cluster_param *p)
{
    p->at = d->at;
    p->name = d->name;
    p->type = gr_param_type_of(d->type);
    if (gr_cluster_param_index(r->c, p->name) >= 0) {
        FAULT(r, "D.9", p->at, "$.parameters", "give every parameter its own name",
              "two parameters are named \"%.*s\"", MT_ARG(p->name));
    }
    r->c->param_count++;
    checked_name(r, p->name, p->at, "$.parameters");
    if (p->type == GR_P_NONE) {
        FAULT(r, SHAPE, p->at, "$.parameters",
              "write int, number, bool, string or enum",
              "parameter \"%.*s\" has no known type", MT_ARG(p->name));
        return;
    }
    param_default(r, d->initial, p);
    bool has_default = p->initial.type != GR_P_NONE || p->slot.ptr;
    p->required = d->required < 0 ? !has_default : d->required;
}

static void params(reader *r, const draft *d)
{
    gr_cluster_param *out = mt_new_array(r->arena, gr_cluster_param, d->param_count);
    r->c->params = out;
    for (uint32_t i = 0; i < d->param_count; i++) {
        param(r, &d->params[i], &out[i]);
    }
}

/* A signature is a claim; whether it is true is known after linking (D.10). */
static void signature(reader *r, const draft *d)
{
    const char *key = d->declared_signature ? "declared_signature" : "signature";
    const mt_json *node = d->declared_signature ? d->declared_signature : d->signature;
    r->c->claimed_effects = r->c->claimed_origin = -1;
    if (node) {
        mt_form f = mt_form_inside(r->form, key, "a signature");
        r->ok &=
            mt_form_read(&f, node, SIGNATURE_ROWS, mt_form_count(SIGNATURE_ROWS), r->c);
    }
}

/* ---- Edges, as far as they can be judged without knowing the primitives ---- */

static void check_node_name(reader *r, mt_str node, uint32_t at, const char *path)
{
    if (gr_cluster_member(r->c, node) < 0) {
        mt_nearest near = mt_nearest_to(node);
        for (uint32_t i = 0; i < r->c->member_count; i++) {
            mt_nearest_offer(&near, r->c->members[i].name);
        }
        r->ok = gr_report(&r->subject, "D.2", at, mt_str_z(path),
                          gr_meant(&r->subject, &near, "name a node of this cluster"),
                          "there is no node \"%.*s\"", MT_ARG(node));
    }
}

/* After sorting, because only then edges can be looked up by target. */
static void check_edges(reader *r)
{
    const gr_cluster *c = r->c;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const gr_edge *e = &c->edges[i];
        if (e->from.node.ptr) {
            check_node_name(r, e->from.node, e->at, "$.edges");
        } else if (gr_cluster_input_index(c, e->from.port) < 0) {
            FAULT(r, SHAPE, e->at, "$.edges", "declare it under inputs",
                  "there is no input \"%.*s\"", MT_ARG(e->from.port));
        }
        check_node_name(r, e->to.node, e->at, "$.edges");
        const gr_edge *first = gr_cluster_edge_into(c, e->to.node, e->to.port);
        if (first != e) {
            FAULT(r, "V.7", e->at, "$.edges", "keep one edge per input port",
                  "a second edge goes into %.*s.%.*s", MT_ARG(e->to.node),
                  MT_ARG(e->to.port));
        }
    }
    for (uint32_t i = 0; i < c->output_count; i++) {
        check_node_name(r, c->outputs[i].maps_to.node, c->outputs[i].at, "$.outputs");
    }
}

/* ORDER: the form, then each part, then what holds between them. Parts go on after
 * faults of others, so one reading tells them all. */
static const gr_cluster *cluster_of(reader *r, const mt_json *root)
{
    draft d = {0};
    r->ok = mt_form_read(r->form, root, CLUSTER, mt_form_count(CLUSTER), &d);
    if (!mt_json_is(root, MT_JSON_OBJECT)) {
        return NULL;
    }
    header(r, &d);
    gr_member *sorted_members = members(r, &d);
    edges(r, d.edges);
    inputs(r, &d);
    gr_cluster_output *sorted_outputs = outputs(r, d.outputs);
    params(r, &d);
    signature(r, &d);
    if (!r->ok) {
        return NULL;
    }
    gr_cluster_finish(r->arena, r->c, sorted_members, sorted_outputs);
    check_edges(r);
    return r->ok ? r->c : NULL;
}

/* The id goes first, because whatever is reported names it. */
static mt_str id_of(const mt_json *root)
{
    const mt_json *id = mt_json_at(root, "id");
    return mt_json_is(id, MT_JSON_STRING) ? mt_json_text(id) : MT_STR("");
}

/* `file` and `text` are borrowed and have to live as long as `a`. NULL: faults are in
 * `ds`. */
const gr_cluster *gr_cluster_read(mt_arena *a, mt_str file, mt_str text,
                                  const mt_json_limits *limits, mt_diags *ds)
{
    gr_cluster *c = mt_new(a, gr_cluster);
    reader r = {a, {ds, file, text, "cluster", MT_STR("")}, NULL, c, true};
    gr_form_report to = {&r.subject, SHAPE,
                         "see docs/graphs.md for the form of a cluster",
                         "split the cluster"};
    mt_form form = gr_form(a, &to, "a cluster");
    mt_json root;
    c->file = file;
    c->text = text;
    if (!gr_read_tree(a, &r.subject, SHAPE, limits, &root)) {
        return NULL;
    }
    r.form = &form;
    r.subject.id = id_of(&root);
    return cluster_of(&r, &root);
}
