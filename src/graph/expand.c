/* graph/expand.c - clusters out of clusters: the flat graph.
 *
 * An instance is one use of a cluster, the root included; expanding goes through its
 * members in order and numbers primitives n0, n1, ... as they are met. Parameters are
 * resolved on the way down: given, exposed from the cluster around, or default; a
 * derived key is made of the path of the instance, so two uses never share memory.
 * Then edges: an endpoint is followed up through inputs and down through outputs to
 * the primitive that feeds it.
 *
 * Invariants: runtime ids depend on the file alone, since they are part of the
 * provenance; edges have a source and a target in the flat graph, or come from
 * nowhere, which validation reports. The number of nodes is bounded while expanding
 * (graph_nodes), because clusters in clusters multiply.
 *
 * What may fail: diagnostics with rule and place; false when the graph is too large. */
#include "graph/expand.h"

typedef struct expander {
    gr_library *lib;
    gr_flat *flat;
    bool full; /* the limit graph_nodes was met */
} expander;

/* ---- parameters ---- */

/* A parameter of a primitive or of a cluster, seen alike. */
typedef struct spec {
    mt_str name, slot;
    gr_param_type type;
    gr_literal initial;
    bool required; /* without a default */
} spec;

/* Parameters of primitives and clusters in one form; only those of clusters can be
 * derived from a slot. */
static spec spec_at(const gr_target *t, uint32_t i)
{
    if (t->primitive) {
        const gr_param *p = &t->primitive->manifest.params[i];
        return (spec){p->name, {0}, p->type, p->initial, p->required};
    }
    const gr_cluster_param *p = &t->cluster->def->params[i];
    return (spec){p->name, p->slot, p->type, p->initial, p->required};
}

static int spec_index(const gr_target *t, mt_str name)
{
    return t->primitive ? gr_param_index(&t->primitive->manifest, name)
                        : gr_cluster_param_index(t->cluster->def, name);
}

static mt_str spec_name(const gr_target *t, uint32_t index)
{
    return t->primitive ? t->primitive->manifest.params[index].name
                        : t->cluster->def->params[index].name;
}

static uint32_t spec_count(const gr_target *t)
{
    return t->primitive ? t->primitive->manifest.param_count
                        : t->cluster->def->param_count;
}

static void add_segment(mt_buf *out, mt_str text)
{
    mt_buf_addf(out, "/%zu:%.*s", text.len, MT_ARG(text));
}

/* Cluster id and node name for each level down to the instance. */
static void add_path(mt_buf *out, const gr_instance *parent, mt_str name)
{
    if (parent->parent) {
        add_path(out, parent->parent, parent->name);
    }
    add_segment(out, parent->linked->def->id);
    add_segment(out, name);
}

/* __ergo/4:main/4:once/9:has_fired: the prefix is part of the format. */
static gr_literal derived_key(expander *x, const gr_instance *parent, mt_str root_id,
                              mt_str name, mt_str slot)
{
    mt_buf out = {0};
    mt_buf_addz(&out, "__ergo");
    if (parent) {
        add_path(&out, parent, name);
    } else {
        add_segment(&out, root_id);
    }
    add_segment(&out, slot);
    mt_str text = mt_str_dup(x->lib->arena, mt_buf_str(&out));
    mt_buf_free(&out);
    return (gr_literal){.type = GR_P_STRING, .text = text, .derived = true};
}

typedef struct site {
    expander *x;
    const gr_instance *parent; /* NULL for the root's own parameters */
    const gr_member *member;
    gr_subject subject;
} site;

#define AT_SITE(s, rule, at, fix, ...)                                                 \
    gr_report(&(s)->subject, (rule), (at), MT_STR("$.nodes"), (fix), __VA_ARGS__)

/* The bound value, from the text or from the enclosing cluster. */
static bool bound_value(site *s, const gr_binding *b, gr_literal *out)
{
    if (!b->exposed.ptr) {
        *out = b->value;
        return true;
    }
    int i = gr_cluster_param_index(s->parent->linked->def, b->exposed);
    if (i < 0) {
        return AT_SITE(s, "I.5", b->at, "name a parameter of the enclosing cluster",
                       "there is no parameter \"%.*s\" to expose", MT_ARG(b->exposed));
    }
    *out = s->parent->params[i];
    return true;
}

/* The value is cast to the parameter's type; what was written is kept beside it, for
 * the provenance. */
static void bind(site *s, const gr_target *t, const gr_binding *b, gr_literal *params,
                 gr_literal *given)
{
    int i = spec_index(t, b->name);
    gr_literal value;
    if (i < 0) {
        mt_nearest near = mt_nearest_to(b->name);
        for (uint32_t k = 0; k < spec_count(t); k++) {
            mt_nearest_offer(&near, spec_name(t, k));
        }
        AT_SITE(s, "I.7", b->at,
                gr_meant(&s->subject, &near, "remove it or correct its name"),
                "\"%.*s\" has no parameter \"%.*s\"", MT_ARG(s->member->target),
                MT_ARG(b->name));
        return;
    }
    if (!bound_value(s, b, &value) || value.type == GR_P_NONE) {
        return;
    }
    spec p = spec_at(t, (uint32_t)i);
    mt_err err = gr_literal_cast(&value, p.type, &params[i]);
    given[i] = value;
    if (err == MT_E_RANGE) {
        AT_SITE(s, "X.11", b->at, "use an integer between -2^53 and 2^53",
                "parameter \"%.*s\" has no exact Number", MT_ARG(p.name));
    } else if (err) {
        AT_SITE(s, "I.4", b->at, "bind a value of the declared type",
                "parameter \"%.*s\" is %s, the value is %s", MT_ARG(p.name),
                gr_param_type_name(p.type), gr_param_type_name(value.type));
        given[i].type = p.type; /* so that I.3 does not follow */
    }
}

/* Fills params (cast) and given (as bound) for one use of a target. */
static void resolve(site *s, const gr_target *t, gr_literal *params, gr_literal *given)
{
    for (uint32_t i = 0; i < s->member->binding_count; i++) {
        bind(s, t, &s->member->bindings[i], params, given);
    }
    for (uint32_t i = 0; i < spec_count(t); i++) {
        spec p = spec_at(t, i);
        if (given[i].type != GR_P_NONE) {
            continue;
        }
        if (p.slot.ptr) {
            params[i] =
                derived_key(s->x, s->parent, MT_STR(""), s->member->name, p.slot);
        } else if (p.initial.type != GR_P_NONE) {
            params[i] = p.initial;
        } else if (p.required) {
            AT_SITE(s, "I.3", s->member->at, "bind it under params",
                    "\"%.*s\" needs parameter \"%.*s\"", MT_ARG(s->member->name),
                    MT_ARG(p.name));
        }
    }
}

/* ---- parameters that the caller decides ---- */

/* NAME, and for a node with one parameter its path alone. */
static bool names_param(mt_str set, mt_str path, mt_str param, bool only_one)
{
    if (!path.len) {
        return mt_str_eq(set, param);
    }
    bool begins = mt_str_starts(set, path);
    mt_str rest = begins ? mt_str_skip(set, path.len) : MT_STR("");
    return begins && ((only_one && !rest.len) ||
                      (rest.len == param.len + 1 && rest.ptr[0] == '.' &&
                       mt_str_eq(mt_str_skip(rest, 1), param)));
}

/* True: `*value` is the caller's, cast to the type. */
static bool decided(expander *x, const gr_subject *s, mt_str path, const spec *p,
                    bool only_one, gr_literal *value)
{
    for (size_t i = 0; i < x->lib->set_count; i++) {
        const gr_set *set = &x->lib->sets[i];
        if (!names_param(set->name, path, p->name, only_one)) {
            continue;
        }
        x->lib->set_used[i] = true;
        if (gr_literal_cast(&set->value, p->type, value)) {
            gr_report(s, "I.4", 0, MT_STR("$.nodes"), "give a value of its type",
                      "\"%.*s\" is %s, the value is %s", MT_ARG(set->name),
                      gr_param_type_name(p->type), gr_param_type_name(set->value.type));
        }
        return true;
    }
    return false;
}

static void report_unused(expander *x, const gr_subject *s)
{
    for (size_t i = 0; i < x->lib->set_count; i++) {
        if (!x->lib->set_used[i]) {
            gr_report(s, "I.7", 0, MT_STR("$.parameters"),
                      "name a parameter of the graph, or NODE.PARAMETER",
                      "\"%.*s\" is not a parameter of the graph",
                      MT_ARG(x->lib->sets[i].name));
        }
    }
}

/* What a parameter is shown as that nobody has bound. */
static gr_literal stand_in(expander *x, const gr_cluster_param *p)
{
    mt_str text = mt_strf(x->lib->arena, "$%.*s", MT_ARG(p->name));
    return (gr_literal){.type = p->type, .text = text, .number = 1, .integer = 1};
}

/* A root's parameters have nobody to bind them: defaults only. */
static const gr_literal *root_params(expander *x, const gr_linked *root)
{
    const gr_cluster *c = root->def;
    gr_subject subject = gr_cluster_subject(c, x->lib->ds);
    gr_literal *params = mt_new_array(x->lib->arena, gr_literal, c->param_count);
    for (uint32_t i = 0; i < c->param_count; i++) {
        const gr_cluster_param *p = &c->params[i];
        spec of = {p->name, p->slot, p->type, p->initial, p->required};
        params[i] =
            p->slot.ptr ? derived_key(x, NULL, c->id, MT_STR(""), p->slot) : p->initial;
        (void)decided(x, &subject, MT_STR(""), &of, false, &params[i]);
        if (params[i].type == GR_P_NONE && p->required && x->lib->alone) {
            params[i] = stand_in(x, p);
            x->flat->alone = true;
        } else if (params[i].type == GR_P_NONE && p->required) {
            gr_report(&subject, "I.3", p->at, MT_STR("$.parameters"),
                      "give it a default: nobody binds a root's parameters",
                      "root parameter \"%.*s\" has no value", MT_ARG(p->name));
        }
    }
    return params;
}

/* ---- nodes ---- */

static bool expand_instance(expander *x, gr_instance *in);

/* What was bound and the defaults of what was not, with their names: the identity of a
 * graph has both. An optional parameter without a default is left out. */
static const gr_given *keep_given(expander *x, const gr_target *t,
                                  const gr_literal *given, uint32_t *count)
{
    MT_VEC(gr_given) kept = {0};
    for (uint32_t i = 0; i < spec_count(t); i++) {
        spec p = spec_at(t, i);
        bool bound = given[i].type != GR_P_NONE;
        gr_literal value = bound ? given[i] : p.initial;
        if (value.type != GR_P_NONE) {
            mt_vec_push(x->lib->arena, &kept, ((gr_given){p.name, value, bound}));
        }
    }
    *count = (uint32_t)kept.len;
    return kept.items;
}

/* False: the graph is too large; the caller reports it once. */
static bool add_node(expander *x, gr_instance *in, uint32_t i)
{
    const gr_target *t = &in->linked->targets[i];
    const gr_member *m = &in->linked->def->members[i];
    mt_arena *a = x->lib->arena;
    if (x->flat->nodes.len >= x->lib->limits.graph_nodes) {
        x->full = true;
        return false;
    }
    gr_literal *params = mt_new_array(a, gr_literal, spec_count(t));
    gr_literal *given = mt_new_array(a, gr_literal, spec_count(t));
    site s = {x, in, m, gr_cluster_subject(in->linked->def, x->lib->ds)};
    resolve(&s, t, params, given);
    in->node[i] = (uint32_t)x->flat->nodes.len;
    gr_flat_node *n = mt_vec_add(a, &x->flat->nodes);
    *n = (gr_flat_node){.primitive = t->primitive,
                        .instance = in,
                        .member = m,
                        .id = mt_strf(a, "n%u", in->node[i]),
                        .requested = m->selector,
                        .resolved = t->resolved,
                        .params = params};
    for (uint32_t k = 0; x->lib->set_count && k < spec_count(t); k++) {
        spec p = spec_at(t, k);
        if (decided(x, &s.subject, gr_flat_path(a, n), &p, spec_count(t) == 1,
                    &params[k])) {
            given[k] = params[k];
        }
    }
    n->given = keep_given(x, t, given, &n->given_count);
    return true;
}

/* Members have no node and no inner instance until they are expanded. */
static gr_instance *new_instance(expander *x, const gr_linked *l,
                                 const gr_instance *parent, mt_str name)
{
    mt_arena *a = x->lib->arena;
    gr_instance *in = mt_new(a, gr_instance);
    uint32_t count = l->def->member_count;
    *in = (gr_instance){.linked = l,
                        .parent = parent,
                        .name = name,
                        .inner = mt_new_array(a, gr_instance *, count),
                        .node = mt_new_array(a, uint32_t, count)};
    for (uint32_t i = 0; i < count; i++) {
        in->node[i] = GR_NO_NODE;
    }
    return in;
}

/* Parameters before the inside, since members of it may expose them. */
static bool add_inner(expander *x, gr_instance *in, uint32_t i)
{
    const gr_target *t = &in->linked->targets[i];
    const gr_member *m = &in->linked->def->members[i];
    gr_instance *inner = new_instance(x, t->cluster, in, m->name);
    gr_literal *params = mt_new_array(x->lib->arena, gr_literal, spec_count(t));
    gr_literal *given = mt_new_array(x->lib->arena, gr_literal, spec_count(t));
    site s = {x, in, m, gr_cluster_subject(in->linked->def, x->lib->ds)};
    resolve(&s, t, params, given);
    inner->params = params;
    in->inner[i] = inner;
    return expand_instance(x, inner);
}

/* False: the limit graph_nodes was met; a cluster that contains others many times over
 * grows exponentially, and is stopped here. */
static bool expand_instance(expander *x, gr_instance *in)
{
    for (uint32_t i = 0; i < in->linked->def->member_count; i++) {
        const gr_target *t = &in->linked->targets[i];
        if ((t->primitive && !add_node(x, in, i)) ||
            (t->cluster && !add_inner(x, in, i))) {
            return false;
        }
    }
    return true;
}

/* ---- edges ---- */

/* Follows an endpoint up through inputs and down through outputs to the primitive that
 * feeds it. Up and then down, never back, so the depth of nesting bounds the walk.
 * False: nothing feeds it (an optional input of a cluster that is not connected). */
static bool origin(const gr_instance *in, gr_endpoint e, gr_flat_edge *out)
{
    out->from_node = GR_NO_NODE;
    while (!e.node.ptr) {
        if (!in->parent) {
            out->external = e.port;
            return true;
        }
        const gr_edge *feed =
            gr_cluster_edge_into(in->parent->linked->def, in->name, e.port);
        if (!feed) {
            return false;
        }
        e = feed->from;
        in = in->parent;
    }
    for (;;) {
        int i = gr_cluster_member(in->linked->def, e.node);
        const gr_target *t = &in->linked->targets[i];
        if (!t->primitive) {
            int o = t->cluster ? gr_cluster_output_index(t->cluster->def, e.port) : -1;
            if (o < 0) {
                return true; /* unknown, reported when it was linked */
            }
            e = t->cluster->def->outputs[o].maps_to;
            in = in->inner[i];
            continue;
        }
        int port = gr_output_index(&t->primitive->manifest, e.port);
        if (port >= 0) {
            out->from_node = in->node[i];
            out->from_port = (uint32_t)port;
        }
        return true;
    }
}

/* Edges into primitives only; those between clusters are followed by origin(). */
static void expand_edges(expander *x, const gr_instance *in)
{
    const gr_cluster *c = in->linked->def;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const gr_edge *e = &c->edges[i];
        int to = gr_cluster_member(c, e->to.node);
        const gr_primitive *p = in->linked->targets[to].primitive;
        int port = p ? gr_input_index(&p->manifest, e->to.port) : -1;
        gr_flat_edge flat = {.cluster = c, .at = e->at};
        if (port < 0 || !origin(in, e->from, &flat)) {
            continue;
        }
        flat.to_node = in->node[to];
        flat.to_port = (uint32_t)port;
        mt_vec_push(x->lib->arena, &x->flat->edges, flat);
    }
    for (uint32_t i = 0; i < c->member_count; i++) {
        if (in->inner[i]) {
            expand_edges(x, in->inner[i]);
        }
    }
}

/* What the root shows; an output that nothing feeds is left out. */
static void expand_outputs(expander *x, const gr_instance *root)
{
    const gr_cluster *c = root->linked->def;
    for (uint32_t i = 0; i < c->output_count; i++) {
        gr_flat_edge e = {0};
        origin(root, c->outputs[i].maps_to, &e);
        if (e.from_node != GR_NO_NODE) {
            mt_vec_push(
                x->lib->arena, &x->flat->outputs,
                ((gr_flat_output){c->outputs[i].name, e.from_node, e.from_port}));
        }
    }
}

/* After linking, so every target is known. Edges come last: they need the nodes of all
 * instances. */
bool gr_expand(gr_library *lib, const gr_linked *root, gr_flat *out)
{
    expander x = {lib, out, false};
    *out = (gr_flat){.graph_id = root->def->id,
                     .version = root->def->version,
                     .root = root,
                     .alone = lib->alone && root->def->input_count > 0};
    gr_instance *in = new_instance(&x, root, NULL, MT_STR(""));
    in->params = root_params(&x, root);
    if (!expand_instance(&x, in)) {
        gr_subject s = gr_cluster_subject(root->def, lib->ds);
        return gr_report(&s, "LIMIT", 0, MT_STR("$.nodes"),
                         "make the graph smaller or raise graph_nodes",
                         "the graph has more than %zu nodes", lib->limits.graph_nodes);
    }
    gr_subject s = gr_cluster_subject(root->def, lib->ds);
    report_unused(&x, &s);
    expand_edges(&x, in);
    expand_outputs(&x, in);
    return true;
}

/* The root has no name. As deep as clusters nest, which is limited. */
static void add_names(mt_buf *out, const gr_instance *in)
{
    if (in->parent) {
        add_names(out, in->parent);
        mt_buf_adds(out, in->name);
        mt_buf_addc(out, '/');
    }
}

/* The names of the clusters around it, joined; unique, because a member's name is. */
mt_str gr_flat_path(mt_arena *a, const gr_flat_node *n)
{
    if (!n->instance->parent) {
        return n->member->name;
    }
    mt_buf out = {0};
    add_names(&out, n->instance);
    mt_buf_adds(&out, n->member->name);
    mt_str path = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return path;
}

static bool is_result_of_formula(const gr_flat_node *n)
{
    const gr_cluster *c = n->instance->linked->def;
    return c->formula.len && n->instance->parent &&
           mt_str_eq(c->outputs[0].maps_to.node, n->member->name);
}

mt_str gr_flat_name(mt_arena *a, const gr_flat_node *n)
{
    mt_str path = gr_flat_path(a, n);
    size_t own = n->member->name.len + 1;
    return is_result_of_formula(n) ? mt_str_from(path.ptr, path.len - own) : path;
}
