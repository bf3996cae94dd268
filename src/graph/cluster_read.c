/* The text form of a cluster and the rules of its definition. */
#include "base/limits.h"
#include "base/vec.h"
#include "graph/cluster.h"
#include "graph/version.h"

static const char SHAPE[] = "graph.decode";

typedef struct reader {
    mt_arena *arena;
    gr_subject subject;
    gr_cluster *c;
    bool ok;
} reader;

#define FAULT(r, rule, at, path, fix, ...)                                             \
    ((r)->ok = gr_report(&(r)->subject, (rule), (at), MT_STR(path), (fix), __VA_ARGS__))

static void wrong(reader *r, const mt_json *node, const char *path,
                  const char *expected)
{
    r->ok = gr_report_shape(&r->subject, SHAPE, node, path,
                            "see docs/graphs.md for the form of a cluster", expected);
}

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

static mt_str checked_name(reader *r, mt_str name, uint32_t at, const char *path)
{
    if (!name_ok(name, false)) {
        r->ok = gr_report(&r->subject, SHAPE, at, mt_str_z(path),
                          "use a name without . @ $ / \\ : and spaces",
                          "\"%.*s\" cannot be a name", MT_ARG(name));
    }
    return name;
}

static const mt_json *member_of(reader *r, const mt_json *object, mt_str key,
                                mt_json_type type, const char *path)
{
    const mt_json *node = mt_json_get(object, key);
    if (!node || (node->type == MT_JSON_NULL && type != MT_JSON_NULL)) {
        return NULL;
    }
    if (!mt_json_is(node, type)) {
        static const char *const WANTED[] = {"null", "true or false", "a number",
                                             "text", "a list",        "a mapping"};
        wrong(r, node, path, WANTED[type]);
        return NULL;
    }
    return node;
}

static mt_str text_in(reader *r, const mt_json *object, mt_str key, const char *path)
{
    return mt_json_text(member_of(r, object, key, MT_JSON_STRING, path));
}

static bool flag_in(reader *r, const mt_json *object, mt_str key, bool otherwise,
                    const char *path)
{
    const mt_json *node = member_of(r, object, key, MT_JSON_BOOL, path);
    return node ? node->boolean : otherwise;
}

/* ---- header ---- */

/* 1 is 1.0.0 and 1.2 is 1.2.0. */
static mt_str version_text(reader *r, const mt_json *root)
{
    const mt_json *node = mt_json_at(root, "version");
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

static void warn_unknown_keys(reader *r, const mt_json *root)
{
    static const char *const KNOWN[] = {
        "kind",       "id",      "version",   "nodes",      "edges",
        "inputs",     "outputs", "signature", "parameters", "declared_signature",
        "description"};
    for (uint32_t i = 0; i < root->count; i++) {
        const mt_json_member *m = &root->as.members[i];
        bool known = false;
        for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN && !known; k++) {
            known = mt_str_eq(m->key, mt_str_z(KNOWN[k]));
        }
        if (!known) {
            size_t errors = r->subject.ds->errors;
            gr_report(&r->subject, SHAPE, m->value.offset, MT_STR("$"),
                      "remove it or correct its name", "unknown key \"%.*s\"",
                      MT_ARG(m->key));
            /* Unknown keys were always allowed here, so this is only a warning. */
            mt_diags *ds = r->subject.ds;
            ds->errors = errors;
            ds->warnings++;
            if (ds->len && (!ds->limit || ds->len < ds->limit)) {
                ds->items[ds->len - 1].severity = MT_WARNING;
            }
        }
    }
}

static void header(reader *r, const mt_json *root)
{
    mt_str kind = text_in(r, root, MT_STR("kind"), "$.kind");
    bool cluster = kind.len == 7;
    for (size_t i = 0; cluster && i < kind.len; i++) {
        cluster = (kind.ptr[i] | 0x20) == "cluster"[i];
    }
    if (!cluster) {
        FAULT(r, SHAPE, 0, "$.kind", "write kind: cluster", "kind is \"%.*s\"",
              MT_ARG(kind));
    }
    r->c->id = checked_name(r, text_in(r, root, MT_STR("id"), "$.id"), 0, "$.id");
    r->subject.id = r->c->id;
    r->c->version = version_text(r, root);
    warn_unknown_keys(r, root);
}

/* ---- nodes ---- */

static void binding(reader *r, const mt_json_member *m, gr_binding *out)
{
    *out = (gr_binding){.name = m->key, .at = m->value.offset};
    if (mt_json_is(&m->value, MT_JSON_OBJECT)) {
        out->exposed = text_in(r, &m->value, MT_STR("exposed"), "$.nodes");
        if (!out->exposed.len) {
            wrong(r, &m->value, "$.nodes", "a value or {exposed: parameter}");
        }
        return;
    }
    mt_err err = gr_literal_from_json(&m->value, &out->value);
    if (err == MT_E_RANGE) {
        FAULT(r, "NUM-FINITE-1", m->value.offset, "$.nodes",
              "write a number a double can hold",
              "parameter \"%.*s\" is not a finite number", MT_ARG(m->key));
    } else if (err) {
        wrong(r, &m->value, "$.nodes", "a number, boolean or text");
    }
}

static void reference(reader *r, mt_str text, uint32_t at, gr_member *out)
{
    size_t n = mt_str_find(text, '@');
    out->target = checked_name(r, mt_str_from(text.ptr, n), at, "$.nodes");
    out->selector = n < text.len ? mt_str_skip(text, n + 1) : MT_STR("*");
}

static void member(reader *r, const mt_json_member *m, gr_member *out)
{
    const mt_json *node = &m->value;
    *out = (gr_member){.at = node->offset};
    out->name = checked_name(r, m->key, node->offset, "$.nodes");
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        wrong(r, node, "$.nodes", "a mapping");
        return;
    }
    mt_str impl = text_in(r, node, MT_STR("impl"), "$.nodes");
    mt_str cluster = text_in(r, node, MT_STR("cluster"), "$.nodes");
    if ((impl.len > 0) == (cluster.len > 0)) {
        FAULT(r, SHAPE, node->offset, "$.nodes", "keep one of them",
              "node \"%.*s\" needs either impl or cluster", MT_ARG(m->key));
        return;
    }
    out->is_cluster = cluster.len > 0;
    reference(r, impl.len ? impl : cluster, node->offset, out);
    const mt_json *params =
        member_of(r, node, MT_STR("params"), MT_JSON_OBJECT, "$.nodes");
    out->binding_count = params ? params->count : 0;
    gr_binding *bindings = mt_new_array(r->arena, gr_binding, out->binding_count);
    for (uint32_t i = 0; i < out->binding_count; i++) {
        binding(r, &params->as.members[i], &bindings[i]);
    }
    out->bindings = bindings;
}

static gr_member *members(reader *r, const mt_json *root)
{
    const mt_json *nodes =
        member_of(r, root, MT_STR("nodes"), MT_JSON_OBJECT, "$.nodes");
    r->c->member_count = nodes ? nodes->count : 0;
    gr_member *out = mt_new_array(r->arena, gr_member, r->c->member_count);
    for (uint32_t i = 0; i < r->c->member_count; i++) {
        member(r, &nodes->as.members[i], &out[i]);
    }
    if (!r->c->member_count && r->ok) {
        FAULT(r, "D.1", 0, "$.nodes", "add a node", "the cluster is empty");
    }
    return out;
}

/* ---- edges ---- */

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

static bool endpoint_map(reader *r, const mt_json *node, bool source, gr_endpoint *out)
{
    const mt_json *external = mt_json_at(node, "external");
    *out = (gr_endpoint){{0}, mt_json_text(external)};
    if (external) {
        return source && name_ok(out->port, false);
    }
    out->node = text_in(r, node, MT_STR("node"), "$.edges");
    out->port = text_in(r, node, MT_STR("port"), "$.edges");
    return name_ok(out->node, false) && name_ok(out->port, true);
}

static size_t arrow(mt_str s)
{
    size_t i = 0;
    while (i + 1 < s.len && !(s.ptr[i] == '-' && s.ptr[i + 1] == '>')) {
        i++;
    }
    return i + 1 < s.len ? i : s.len;
}

static void edge(reader *r, const mt_json *node, gr_edge *out)
{
    bool ok = false;
    *out = (gr_edge){.at = node->offset};
    if (mt_json_is(node, MT_JSON_STRING)) {
        mt_str s = mt_json_text(node);
        size_t n = arrow(s);
        ok = n < s.len &&
             endpoint_text(mt_str_trim(mt_str_from(s.ptr, n), MT_STR(" \t")), true,
                           &out->from) &&
             endpoint_text(mt_str_trim(mt_str_skip(s, n + 2), MT_STR(" \t")), false,
                           &out->to);
    } else if (mt_json_is(node, MT_JSON_OBJECT)) {
        ok = endpoint_map(r, mt_json_at(node, "from"), true, &out->from) &&
             endpoint_map(r, mt_json_at(node, "to"), false, &out->to);
    }
    if (!ok) {
        FAULT(r, SHAPE, node->offset, "$.edges",
              "write \"node.port -> node.port\" or \"$input -> node.port\"",
              "this is not an edge");
    }
}

static void edges(reader *r, const mt_json *root)
{
    const mt_json *list = member_of(r, root, MT_STR("edges"), MT_JSON_ARRAY, "$.edges");
    r->c->edge_count = list ? list->count : 0;
    gr_edge *out = mt_new_array(r->arena, gr_edge, r->c->edge_count);
    for (uint32_t i = 0; i < r->c->edge_count; i++) {
        edge(r, &list->as.items[i], &out[i]);
    }
    r->c->edges = out;
}

/* ---- boundary ---- */

/* Names are compared pairwise below, so their number is bounded first. */
static const mt_json *bounded(reader *r, const mt_json *list, const char *path)
{
    if (list && list->count > MT_LIMITS_DEFAULT.graph_ports) {
        r->ok = gr_report(&r->subject, "LIMIT", list->offset, mt_str_z(path),
                          "split the cluster", "more entries than graph_ports allows");
        return NULL;
    }
    return list;
}

static void inputs(reader *r, const mt_json *root)
{
    const mt_json *list = bounded(
        r, member_of(r, root, MT_STR("inputs"), MT_JSON_ARRAY, "$.inputs"), "$.inputs");
    r->c->input_count = list ? list->count : 0;
    gr_cluster_input *out = mt_new_array(r->arena, gr_cluster_input, r->c->input_count);
    r->c->inputs = out;
    for (uint32_t i = 0; i < r->c->input_count; i++) {
        const mt_json *node = &list->as.items[i];
        out[i].at = node->offset;
        out[i].type = gr_type_of(text_in(r, node, MT_STR("type"), "$.inputs"));
        out[i].required = flag_in(r, node, MT_STR("required"), true, "$.inputs");
        mt_str name = text_in(r, node, MT_STR("name"), "$.inputs");
        if (gr_cluster_input_index(r->c, name) >= 0 && name.len) {
            FAULT(r, "D.5", node->offset, "$.input_ports",
                  "give every input its own name", "two inputs are named \"%.*s\"",
                  MT_ARG(name));
        }
        out[i].name = checked_name(r, name, node->offset, "$.inputs");
        if (out[i].type == GR_NONE) {
            wrong(r, node, "$.inputs", "a type: number, series, bool, string or event");
        }
    }
}

/* A map {name: node.port}, or a list [{name, maps_to}] as the data model has it. */
static bool output(reader *r, mt_str name, const mt_json *target, uint32_t at,
                   gr_cluster_output *out)
{
    out->at = at;
    out->name = checked_name(r, name, at, "$.outputs");
    if (!endpoint_text(mt_json_text(target), false, &out->maps_to)) {
        FAULT(r, SHAPE, at, "$.outputs", "write node.port",
              "output \"%.*s\" names no port", MT_ARG(name));
    }
    return true;
}

static gr_cluster_output *outputs(reader *r, const mt_json *root)
{
    const mt_json *node = mt_json_at(root, "outputs");
    bool list = mt_json_is(node, MT_JSON_ARRAY);
    if (node && !list) {
        node = member_of(r, root, MT_STR("outputs"), MT_JSON_OBJECT, "$.outputs");
    }
    node = bounded(r, node, "$.outputs");
    uint32_t count = node ? node->count : 0;
    gr_cluster_output *out = mt_new_array(r->arena, gr_cluster_output, count);
    r->c->outputs = out;
    for (uint32_t i = 0; i < count; i++) {
        mt_str name = list ? text_in(r, &node->as.items[i], MT_STR("name"), "$.outputs")
                           : node->as.members[i].key;
        if (gr_cluster_output_index(r->c, name) >= 0) {
            FAULT(r, "D.6", list ? node->as.items[i].offset : node->offset,
                  "$.output_ports", "give every output its own name",
                  "two outputs are named \"%.*s\"", MT_ARG(name));
        }
        const mt_json *target = list ? mt_json_at(&node->as.items[i], "maps_to")
                                     : &node->as.members[i].value;
        output(r, name, target, target ? target->offset : 0, &out[i]);
        r->c->output_count = i + 1;
    }
    return out;
}

static void param_default(reader *r, const mt_json *node, gr_cluster_param *p)
{
    gr_literal raw;
    if (!node || node->type == MT_JSON_NULL) {
        return;
    }
    if (mt_json_is(node, MT_JSON_OBJECT)) {
        const mt_json *slot = mt_json_at(node, "derive_key");
        p->slot = mt_str_from(slot ? slot->as.text : "", mt_json_text(slot).len);
        if (p->type != GR_P_STRING || !p->slot.len) {
            FAULT(r, "D.8", node->offset, "$.parameters",
                  "derive a key for a String parameter, with a slot name",
                  "derive_key of \"%.*s\" is not possible", MT_ARG(p->name));
        }
        return;
    }
    if (gr_literal_from_json(node, &raw) ||
        gr_literal_cast(&raw, p->type, &p->initial)) {
        FAULT(r, "D.8", node->offset, "$.parameters",
              "make the default a value of the declared type",
              "the default of \"%.*s\" is not %s", MT_ARG(p->name),
              gr_param_type_name(p->type));
    }
}

static void params(reader *r, const mt_json *root)
{
    const mt_json *list = bounded(
        r, member_of(r, root, MT_STR("parameters"), MT_JSON_ARRAY, "$.parameters"),
        "$.parameters");
    uint32_t count = list ? list->count : 0;
    gr_cluster_param *out = mt_new_array(r->arena, gr_cluster_param, count);
    r->c->params = out;
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *node = &list->as.items[i];
        gr_cluster_param *p = &out[i];
        p->at = node->offset;
        p->name = text_in(r, node, MT_STR("name"), "$.parameters");
        p->type = gr_param_type_of(text_in(r, node, MT_STR("type"), "$.parameters"));
        if (gr_cluster_param_index(r->c, p->name) >= 0) {
            FAULT(r, "D.9", node->offset, "$.parameters",
                  "give every parameter its own name",
                  "two parameters are named \"%.*s\"", MT_ARG(p->name));
        }
        r->c->param_count = i + 1;
        checked_name(r, p->name, node->offset, "$.parameters");
        if (p->type == GR_P_NONE) {
            wrong(r, node, "$.parameters", "a type: int, number, bool, string or enum");
            continue;
        }
        param_default(r, mt_json_at(node, "default"), p);
        bool has_default = p->initial.type != GR_P_NONE || p->slot.ptr;
        p->required =
            flag_in(r, node, MT_STR("required"), !has_default, "$.parameters");
    }
}

static int claim_flag(reader *r, const mt_json *node, mt_str key)
{
    return mt_json_get(node, key) ? flag_in(r, node, key, false, "$.declared_signature")
                                  : -1;
}

static void signature(reader *r, const mt_json *root)
{
    const mt_json *node = mt_json_at(root, "declared_signature");
    node = node ? node : mt_json_at(root, "signature");
    r->c->claimed_effects = r->c->claimed_origin = -1;
    if (!node) {
        return;
    }
    const mt_json *outs =
        member_of(r, node, MT_STR("outputs"), MT_JSON_ARRAY, "$.declared_signature");
    uint32_t count = outs ? outs->count : 0;
    gr_claim *claims = mt_new_array(r->arena, gr_claim, count);
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *o = &outs->as.items[i];
        claims[i].name = text_in(r, o, MT_STR("name"), "$.declared_signature");
        claims[i].wireable =
            flag_in(r, o, MT_STR("wireable"), false, "$.declared_signature");
    }
    r->c->claims = claims;
    r->c->claim_count = count;
    r->c->claims_at = node->offset;
    r->c->claimed_kind = text_in(r, node, MT_STR("kind"), "$.declared_signature");
    r->c->claimed_effects = claim_flag(r, node, MT_STR("has_side_effects"));
    r->c->claimed_origin = claim_flag(r, node, MT_STR("is_origin"));
}

/* ---- what can be said about edges without knowing the primitives ---- */

static void check_node_name(reader *r, mt_str node, uint32_t at, const char *path)
{
    if (gr_cluster_member(r->c, node) < 0) {
        r->ok = gr_report(&r->subject, "D.2", at, mt_str_z(path),
                          "name a node of this cluster", "there is no node \"%.*s\"",
                          MT_ARG(node));
    }
}

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

const gr_cluster *gr_cluster_read(mt_arena *a, mt_str file, mt_str text,
                                  const mt_json_limits *limits, mt_diags *ds)
{
    gr_cluster *c = mt_new(a, gr_cluster);
    reader r = {a, {ds, file, text, "cluster", MT_STR("")}, c, true};
    mt_json root;
    c->file = file;
    c->text = text;
    if (!gr_read_tree(a, &r.subject, SHAPE, limits, &root)) {
        return NULL;
    }
    if (!mt_json_is(&root, MT_JSON_OBJECT)) {
        wrong(&r, &root, "$", "a mapping");
        return NULL;
    }
    header(&r, &root);
    gr_member *sorted_members = members(&r, &root);
    edges(&r, &root);
    inputs(&r, &root);
    gr_cluster_output *sorted_outputs = outputs(&r, &root);
    params(&r, &root);
    signature(&r, &root);
    if (!r.ok && !sorted_members) {
        return NULL;
    }
    gr_cluster_finish(a, c, sorted_members, sorted_outputs);
    if (r.ok) {
        check_edges(&r);
    }
    return r.ok ? c : NULL;
}
