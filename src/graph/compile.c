/* graph/compile.c - from a flat, valid, ordered graph to code: slots, steps and plans.
 *
 * Every output of every node has a slot; constants and outputs that only depend on
 * parameters are filled in before the first pass. A step is an operation with the
 * slots it reads and writes; what does not fit into a step (an Action's writes and
 * intents, the call of a primitive in C) is a plan it points to.
 *
 * Order: context keys (sorted, so the host finds one by bisection), levels and slots,
 * steps in the graph's order, the sweep (the same steps by level and kind, so that
 * equal ones stand together and run as a loop), plans, what the host asks about, the
 * provenance.
 *
 * Invariants: slots of one level are neighbours; slot 0 is "not connected"; the code
 * is immutable and shared by episodes. Validation is over before this, so nothing here
 * can fail; limits were checked when the graph was expanded. Everything lives in the
 * graph's arena. */
#include "graph/compile.h"

#include <stdlib.h>

#include "graph/sweep.h"

typedef struct compiler {
    gr_graph *g;
    mt_arena *a;
    const gr_flat *flat;
    const gr_wiring *wiring;
    const uint32_t *order;
    uint32_t *slot;  /* per flat node: slot of its first output */
    uint32_t *place; /* per flat node: its place in the order */
    uint32_t *by_level, *level;
    gr_code *code;
    MT_VEC(gr_value) constants;
    MT_VEC(uint32_t) gates;
    MT_VEC(gr_action_plan) actions;
    MT_VEC(gr_write_plan) writes;
    MT_VEC(gr_intent_plan) intents;
    MT_VEC(gr_field_plan) fields;
    MT_VEC(gr_need_plan) needs;
    MT_VEC(gr_call_plan) calls;
    MT_VEC(gr_written) written;
    uint32_t output_slots;
} compiler;

/* Four bytes of length, most significant first, then the bytes: no separator that a
 * name could contain. */
void gr_add_counted(mt_buf *out, mt_str s)
{
    char len[4] = {(char)(s.len >> 24), (char)(s.len >> 16), (char)(s.len >> 8),
                   (char)s.len};
    mt_buf_add(out, len, 4);
    mt_buf_adds(out, s);
}

/* ---- context keys ---- */

/* "$name" is the parameter's value; `derived` says that it was made from the place in
 * the graph and not written by the author. */
static mt_str gr_key_name(const gr_manifest *m, const gr_literal *params, mt_str name,
                          bool *derived)
{
    *derived = false;
    if (!name.len || name.ptr[0] != '$') {
        return name;
    }
    const gr_literal *l = &params[gr_param_index(m, mt_str_skip(name, 1))];
    *derived = l->derived;
    return l->text;
}

static mt_str key_name(const gr_flat_node *n, mt_str name, bool *derived)
{
    return gr_key_name(&n->primitive->manifest, n->params, name, derived);
}

mt_str gr_node_key(const gr_node *n, mt_str name, bool *derived)
{
    return gr_key_name(&n->primitive->manifest, n->params, name, derived);
}

/* Several nodes may read one key; the strictest of them decides its type and whether it
 * has to be there. Sorted, so that a key's index is found by search. */
static void collect_keys(compiler *c)
{
    mt_map seen = {0};
    MT_VEC(gr_key) keys = {0};
    bool added, derived;
    for (size_t i = 0; i < c->flat->nodes.len; i++) {
        const gr_flat_node *n = &c->flat->nodes.items[i];
        for (uint32_t k = 0; k < n->primitive->manifest.need_count; k++) {
            const gr_need *need = &n->primitive->manifest.needs[k];
            mt_str name = key_name(n, need->name, &derived);
            mt_map_entry *e = mt_map_add(c->a, &seen, name, &added);
            if (added) {
                e->value = keys.len;
                mt_vec_push(c->a, &keys, ((gr_key){name, need->type, need->required}));
            } else if (need->required && !keys.items[e->value].required) {
                keys.items[e->value].type = need->type;
                keys.items[e->value].required = true;
            }
            c->g->needs_context |= need->required;
        }
    }
    mt_sort_by(keys.items, keys.len, name);
    c->g->keys = keys.items;
    c->g->key_count = (uint32_t)keys.len;
}

/* By binary search; -1: no node reads it. */
int gr_graph_key(const gr_graph *g, mt_str name)
{
    uint32_t low = 0, high = g->key_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = mt_str_cmp(g->keys[middle].name, name);
        if (!order) {
            return (int)middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return -1;
}

/* ---- slots ---- */

static const gr_primitive *primitive_of(const compiler *c, uint32_t node)
{
    return c->flat->nodes.items[node].primitive;
}

/* Keys of the sort are packed into one word: level, kind, place. */
static int by_word(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Nodes by level (the longest way from a node without inputs), then op, then place in
 * the order; Actions last. */
static void level_order(compiler *c)
{
    uint32_t count = (uint32_t)c->flat->nodes.len;
    uint32_t *level = mt_new_array(c->a, uint32_t, count);
    uint64_t *keys = mt_new_array(c->a, uint64_t, count);
    c->place = mt_new_array(c->a, uint32_t, count);
    c->by_level = mt_new_array(c->a, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = c->order[i];
        for (uint32_t k = c->wiring->first[node]; k < c->wiring->first[node + 1]; k++) {
            uint32_t e = c->wiring->edge[k];
            uint32_t from = e ? c->flat->edges.items[e - 1].from_node : GR_NO_NODE;
            uint32_t below = from == GR_NO_NODE ? 0 : level[from] + 1;
            level[node] = below > level[node] ? below : level[node];
        }
        bool action = primitive_of(c, node)->manifest.kind == GR_ACTION;
        c->place[node] = i;
        /* 24 bits of level, 7 of op, 32 of place: more than the limits allow. */
        keys[i] = (uint64_t)action << 63 | (uint64_t)level[node] << 39 |
                  (uint64_t)primitive_of(c, node)->op << 32 | i;
    }
    qsort(keys, count, sizeof *keys, by_word);
    for (uint32_t i = 0; i < count; i++) {
        c->by_level[i] = c->order[(uint32_t)keys[i]];
    }
    c->level = level;
}

/* In order of levels, so that a sweep writes memory from the front to the back. 0 stays
 * free for "not connected". */
static void number_slots(compiler *c)
{
    uint32_t next = 1;
    c->slot = mt_new_array(c->a, uint32_t, c->flat->nodes.len);
    for (uint32_t i = 0; i < c->flat->nodes.len; i++) {
        c->slot[c->by_level[i]] = next;
        next += primitive_of(c, c->by_level[i])->manifest.output_count;
    }
    c->output_slots = next;
}

/* Constants stand behind all outputs; their place is known because outputs have been
 * counted. */
static uint32_t constant(compiler *c, gr_value v)
{
    mt_vec_push(c->a, &c->constants, v);
    return c->output_slots + (uint32_t)c->constants.len - 1;
}

/* Slot 0 stands for an input that is not connected; values therefore begin at slot
 * 1. */
static const uint32_t *input_slots(compiler *c, uint32_t node)
{
    uint32_t first = c->wiring->first[node];
    uint32_t count = c->wiring->first[node + 1] - first;
    uint32_t *slots = mt_new_array(c->a, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t e = c->wiring->edge[first + i];
        if (e) {
            const gr_flat_edge *edge = &c->flat->edges.items[e - 1];
            slots[i] = edge->from_node == GR_NO_NODE
                           ? 0
                           : c->slot[edge->from_node] + edge->from_port;
        }
    }
    return slots;
}

/* Which inputs the root's own inputs feed; for a cluster that is looked at alone. */
static const uint32_t *outside_feeds(compiler *c, uint32_t node)
{
    uint32_t first = c->wiring->first[node];
    uint32_t count = c->wiring->first[node + 1] - first;
    uint32_t *feeds = mt_new_array(c->a, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t e = c->wiring->edge[first + i];
        mt_str name = e ? c->flat->edges.items[e - 1].external : (mt_str){0};
        feeds[i] = name.ptr
                       ? (uint32_t)gr_cluster_input_index(c->flat->root->def, name) + 1
                       : 0;
    }
    return feeds;
}

/* ---- effects ---- */

static void note_written(compiler *c, const gr_flat_node *n, const gr_write *w,
                         uint32_t place)
{
    bool derived;
    mt_str name = key_name(n, w->name, &derived);
    mt_vec_push(c->a, &c->written, ((gr_written){name, w->type, place, derived}));
}

static void plan_write(compiler *c, const gr_flat_node *n, const gr_write *w,
                       uint32_t slot, uint32_t place)
{
    bool derived;
    mt_vec_push(c->a, &c->writes,
                ((gr_write_plan){key_name(n, w->name, &derived), slot}));
    note_written(c, n, w, place);
}

static uint32_t field_slot(compiler *c, const gr_flat_node *n, const gr_field *f,
                           const uint32_t *inputs)
{
    const gr_manifest *m = &n->primitive->manifest;
    if (f->from_input.len) {
        return inputs[gr_input_index(m, f->from_input)];
    }
    return constant(c, gr_literal_value(&n->params[gr_param_index(m, f->from_param)]));
}

/* The part of an intent's id that does not depend on the event; at run time only graph,
 * event and this are hashed. The longest decides how much room an episode needs. */
static mt_str intent_tail(compiler *c, const gr_flat_node *n, mt_str kind,
                          uint32_t ordinal)
{
    mt_buf out = {0};
    mt_str digits = mt_strf(c->a, "%u", ordinal);
    gr_add_counted(&out, n->id);
    gr_add_counted(&out, kind);
    gr_add_counted(&out, digits);
    mt_str tail = mt_str_dup(c->a, mt_buf_str(&out));
    mt_buf_free(&out);
    if (tail.len > c->code->longest_tail) {
        c->code->longest_tail = tail.len;
    }
    return tail;
}

/* A mirror writes one of the intent's own fields into the context; manifests have been
 * checked, so the field is there (§6.2). */
static void plan_intent(compiler *c, const gr_flat_node *n, uint32_t ordinal,
                        const uint32_t *inputs, uint32_t place)
{
    const gr_intent_decl *d = &n->primitive->manifest.intents[ordinal];
    uint32_t first = (uint32_t)c->fields.len;
    for (uint32_t i = 0; i < d->field_count; i++) {
        uint32_t slot = field_slot(c, n, &d->fields[i], inputs);
        mt_vec_push(c->a, &c->fields, ((gr_field_plan){d->fields[i].name, slot}));
    }
    for (uint32_t i = 0; i < d->mirror_count; i++) {
        uint32_t k = 0;
        while (!mt_str_eq(d->fields[k].name, d->mirrors[i].from)) {
            k++;
        }
        plan_write(c, n, &d->mirrors[i], c->fields.items[first + k].slot, place);
    }
    mt_vec_push(c->a, &c->intents,
                ((gr_intent_plan){d->name, intent_tail(c, n, d->name, ordinal), first,
                                  d->field_count}));
}

/* Only gates that are connected count: an action without one would always run, which
 * the validation has refused (§6.5). */
static uint32_t plan_action(compiler *c, uint32_t node, const uint32_t *inputs)
{
    const gr_flat_node *n = &c->flat->nodes.items[node];
    const gr_manifest *m = &n->primitive->manifest;
    gr_action_plan p = {.first_gate = (uint32_t)c->gates.len,
                        .first_write = (uint32_t)c->writes.len,
                        .first_intent = (uint32_t)c->intents.len,
                        .intent_count = m->intent_count};
    for (uint32_t i = 0; i < m->input_count; i++) {
        if (m->inputs[i].type == GR_EVENT && inputs[i]) {
            mt_vec_push(c->a, &c->gates, inputs[i]);
        }
    }
    for (uint32_t i = 0; i < m->write_count; i++) {
        plan_write(c, n, &m->writes[i], inputs[gr_input_index(m, m->writes[i].from)],
                   c->place[node]);
    }
    for (uint32_t i = 0; i < m->intent_count; i++) {
        plan_intent(c, n, i, inputs, c->place[node]);
    }
    p.gate_count = (uint32_t)c->gates.len - p.first_gate;
    p.write_count = (uint32_t)c->writes.len - p.first_write;
    p.call = (uint32_t)c->calls.len;
    mt_vec_push(c->a, &c->actions, p);
    return (uint32_t)c->actions.len - 1;
}

/* ---- steps ---- */

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The output that shows a need, 0 when none does. */
static uint32_t need_out(const gr_manifest *m, const gr_need *need, uint32_t first_slot)
{
    for (uint32_t i = 0; i < m->output_count; i++) {
        if (mt_str_starts(m->outputs[i].from, MT_STR("context.")) &&
            mt_str_eq(mt_str_skip(m->outputs[i].from, 8), need->name)) {
            return first_slot + i;
        }
    }
    return 0;
}

/* Everything a call needs is resolved to indexes; nothing is looked up by name while an
 * episode runs. */
static uint32_t plan_call(compiler *c, uint32_t node, const uint32_t *inputs)
{
    const gr_flat_node *n = &c->flat->nodes.items[node];
    const gr_manifest *m = &n->primitive->manifest;
    gr_value *params = mt_new_array(c->a, gr_value, m->param_count);
    gr_call_plan p = {.primitive = n->primitive,
                      .inputs = inputs,
                      .params = params,
                      .first_need = (uint32_t)c->needs.len,
                      .need_count = m->need_count,
                      .node = c->place[node],
                      .out = c->slot[node]};
    bool derived;
    for (uint32_t i = 0; i < m->param_count; i++) {
        params[i] = gr_literal_value(&n->params[i]);
    }
    for (uint32_t i = 0; i < m->need_count; i++) {
        int key = gr_graph_key(c->g, key_name(n, m->needs[i].name, &derived));
        mt_vec_push(
            c->a, &c->needs,
            ((gr_need_plan){(uint32_t)key, m->needs[i].type, m->needs[i].required,
                            need_out(m, &m->needs[i], c->slot[node])}));
    }
    c->code->most_inputs = most(c->code->most_inputs, m->input_count);
    c->code->most_needs = most(c->code->most_needs, m->need_count);
    c->code->most_outputs = most(c->code->most_outputs, m->output_count);
    mt_vec_push(c->a, &c->calls, p);
    return (uint32_t)c->calls.len - 1;
}

/* ack_action is the one standard action whose outcome a parameter decides. */
static gr_event fixed_outcome(const gr_flat_node *n)
{
    const gr_manifest *m = &n->primitive->manifest;
    if (n->primitive->standard && mt_str_is(m->id, "ack_action")) {
        return n->params[0].boolean ? GR_COMPLETED : GR_REJECTED;
    }
    return m->outcome;
}

static uint32_t window_size(const gr_literal *size)
{
    return size->number < 4294967295.0 ? (uint32_t)size->number : 4294967295u;
}

/* Three operands suffice for the standard primitives; others have a plan of their own,
 * and `a` is its index. */
static gr_step make_step(compiler *c, uint32_t node, const uint32_t *in)
{
    const gr_flat_node *n = &c->flat->nodes.items[node];
    const gr_manifest *m = &n->primitive->manifest;
    gr_step s = {.op = n->primitive->op, .out = c->slot[node]};
    bool derived;
    switch (s.op) {
    case GR_OP_CONTEXT:
        s.aux = (uint16_t)m->needs[0].type;
        s.a = (uint32_t)gr_graph_key(c->g, key_name(n, m->needs[0].name, &derived));
        return s;
    case GR_OP_ACTION:
        s.aux = (uint16_t)fixed_outcome(n);
        s.a = plan_action(c, node, in);
        return s;
    case GR_OP_CUSTOM_ACTION:
        s.a = plan_action(c, node, in);
        plan_call(c, node, in);
        return s;
    case GR_OP_SOURCE:
    case GR_OP_CUSTOM: s.a = plan_call(c, node, in); return s;
    default: break;
    }
    s.a = m->input_count > 0 ? in[0] : 0;
    s.b = m->input_count > 1 ? in[1] : 0;
    s.c = m->input_count > 2 ? in[2] : 0;
    if (s.op == GR_OP_SAFE_DIVIDE) {
        s.c = constant(c, gr_literal_value(&n->params[0]));
    } else if (s.op == GR_OP_WINDOW) {
        s.c = window_size(&n->params[0]);
    }
    return s;
}

/* For reports and pictures only: execution works on steps and slots. */
static gr_node make_node(compiler *c, uint32_t node, const uint32_t *inputs)
{
    const gr_flat_node *n = &c->flat->nodes.items[node];
    const gr_cluster *def = n->instance->linked->def;
    bool *given = mt_new_array(c->a, bool, n->primitive->manifest.param_count);
    for (uint32_t i = 0; i < n->given_count; i++) {
        int at = gr_param_index(&n->primitive->manifest, n->given[i].name);
        given[at] = n->given[i].bound;
    }
    return (gr_node){.id = n->id,
                     .path = gr_flat_path(c->a, n),
                     .name = gr_flat_name(c->a, n),
                     .formula = n->instance->linked->def->formula,
                     .primitive = n->primitive,
                     .requested = n->requested,
                     .resolved = n->resolved,
                     .params = n->params,
                     .param_given = given,
                     .inputs = inputs,
                     .outside = outside_feeds(c, node),
                     .slot = c->slot[node],
                     .source = {def->file, def->text},
                     .at = n->member->at};
}

/* Nodes stand in the order of evaluation (§3), so a node's index is also its step's. */
static void compile_nodes(compiler *c)
{
    uint32_t count = (uint32_t)c->flat->nodes.len;
    gr_node *nodes = mt_new_array(c->a, gr_node, count);
    MT_VEC(uint32_t) actions = {0};
    c->code->steps = mt_new_array(c->a, gr_step, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *inputs = input_slots(c, c->order[i]);
        nodes[i] = make_node(c, c->order[i], inputs);
        c->code->steps[i] = make_step(c, c->order[i], inputs);
        if (nodes[i].primitive->manifest.kind == GR_ACTION) {
            mt_vec_push(c->a, &actions, i);
        }
    }
    c->g->nodes = nodes;
    c->g->node_count = count;
    c->g->edge_count = (uint32_t)c->flat->edges.len;
    c->g->actions = actions.items;
    c->g->action_count = (uint32_t)actions.len;
}

/* Foreign code has to run in the order of steps, and small graphs gain nothing. */
static bool sweepable(const compiler *c)
{
    bool ok = c->flat->nodes.len >= GR_SWEEP_LEAST;
    for (size_t i = 0; ok && i < c->flat->nodes.len; i++) {
        uint16_t op = c->flat->nodes.items[i].primitive->op;
        ok = op != GR_OP_CUSTOM && op != GR_OP_CUSTOM_ACTION && op != GR_OP_SOURCE;
    }
    return ok;
}

/* Steps of one level and one kind stand side by side, so that a run of them is executed
 * without a switch in between. Constants need no step; actions end the sweep, since
 * they are not pure. */
static void compile_sweep(compiler *c)
{
    MT_VEC(gr_step) swept = {0};
    MT_VEC(uint32_t) runs = {0};
    uint32_t last_level = 0;
    bool sweep = sweepable(c);
    for (uint32_t i = 0; sweep && i < c->flat->nodes.len; i++) {
        uint32_t node = c->by_level[i];
        const gr_step *s = &c->code->steps[c->place[node]];
        if (s->op == GR_OP_ACTION) {
            break;
        }
        if (s->op == GR_OP_CONSTANT) {
            continue;
        }
        bool more = swept.len && swept.items[swept.len - 1].op == s->op &&
                    last_level == c->level[node];
        if (more) {
            runs.items[runs.len - 1]++;
        } else {
            mt_vec_push(c->a, &runs, 1);
        }
        last_level = c->level[node];
        mt_vec_push(c->a, &swept, *s);
    }
    c->code->swept = swept.items;
    c->code->runs = runs.items;
    c->code->run_count = (uint32_t)runs.len;
}

/* Outputs that are known before the first pass: constants, and outputs from params. */
static void fill_constants(compiler *c, gr_value *slots)
{
    for (uint32_t i = 0; i < c->g->node_count; i++) {
        const gr_node *n = &c->g->nodes[i];
        const gr_manifest *m = &n->primitive->manifest;
        for (uint32_t k = 0; k < m->output_count; k++) {
            mt_str from = m->outputs[k].from;
            int p = -1;
            if (n->primitive->standard && m->kind == GR_COMPUTE &&
                n->primitive->op == GR_OP_CONSTANT) {
                p = 0;
            } else if (mt_str_starts(from, MT_STR("param."))) {
                p = gr_param_index(m, mt_str_skip(from, 6));
            }
            if (p >= 0) {
                slots[n->slot + k] = gr_literal_value(&n->params[p]);
            }
        }
    }
}

/* Slots of outputs begin with the zero of their type, constants are filled in once: an
 * episode starts by copying, and never writes a constant. */
static void fill_slots(compiler *c)
{
    uint32_t all = c->output_slots + (uint32_t)c->constants.len;
    gr_value *slots = mt_new_array(c->a, gr_value, all);
    gr_type *types = mt_new_array(c->a, gr_type, c->output_slots);
    for (uint32_t i = 0; i < c->g->node_count; i++) {
        const gr_manifest *m = &c->g->nodes[i].primitive->manifest;
        for (uint32_t k = 0; k < m->output_count; k++) {
            types[c->g->nodes[i].slot + k] = m->outputs[k].type;
            slots[c->g->nodes[i].slot + k] = gr_type_zero(m->outputs[k].type);
        }
    }
    fill_constants(c, slots);
    if (c->constants.len) {
        memcpy(slots + c->output_slots, c->constants.items,
               c->constants.len * sizeof *slots);
    }
    c->code->initial = slots;
    c->code->slot_count = all;
    c->g->slot_types = types;
    c->g->slot_count = c->output_slots;
}

/* ---- what the host asks about ---- */

/* What the graph may ask of its host, known before it runs (§6.3): set_context first,
 * intents sorted behind it. */
static void effect_kinds(compiler *c)
{
    MT_VEC(mt_str) kinds = {0};
    if (c->writes.len) {
        mt_vec_push(c->a, &kinds, MT_STR(GR_SET_CONTEXT));
    }
    size_t start = kinds.len;
    mt_map seen = {0};
    for (size_t i = 0; i < c->intents.len; i++) {
        bool added;
        mt_map_add(c->a, &seen, c->intents.items[i].kind, &added);
        if (added) {
            mt_vec_push(c->a, &kinds, c->intents.items[i].kind);
        }
    }
    if (kinds.len > start) {
        mt_str_sort(kinds.items + start, kinds.len - start);
    }
    c->g->effect_kinds = kinds.items;
    c->g->effect_kind_count = (uint32_t)kinds.len;
    c->g->has_writes = c->writes.len > 0;
    c->g->has_intents = c->intents.len > 0;
}

/* What the graph shows to the outside: names, and the slots their values are in. */
static void boundary(compiler *c)
{
    gr_output *outs = mt_new_array(c->a, gr_output, c->flat->outputs.len);
    for (size_t i = 0; i < c->flat->outputs.len; i++) {
        const gr_flat_output *o = &c->flat->outputs.items[i];
        outs[i] = (gr_output){o->name, c->place[o->node], c->slot[o->node] + o->port};
    }
    c->g->outputs = outs;
    c->g->output_count = (uint32_t)c->flat->outputs.len;
}

static void outside(compiler *c)
{
    const gr_cluster *root = c->flat->root->def;
    gr_input *list = mt_new_array(c->a, gr_input, root->input_count);
    for (uint32_t i = 0; i < root->input_count; i++) {
        const gr_cluster_input *in = &root->inputs[i];
        list[i] = (gr_input){in->name, in->type, in->required};
    }
    c->g->inputs = list;
    c->g->input_count = root->input_count;
    c->g->alone = c->flat->alone;
}

/* Vectors become plain arrays; they live in the graph's arena and do not move any
 * more. */
static void keep_plans(compiler *c)
{
    gr_code *code = c->code;
    mt_buf head = {0};
    code->gates = c->gates.items;
    code->gate_count = (uint32_t)c->gates.len;
    code->actions = c->actions.items;
    code->action_count = (uint32_t)c->actions.len;
    code->writes = c->writes.items;
    code->write_count = (uint32_t)c->writes.len;
    code->intents = c->intents.items;
    code->intent_count = (uint32_t)c->intents.len;
    code->fields = c->fields.items;
    code->field_count = (uint32_t)c->fields.len;
    code->needs = c->needs.items;
    code->need_count = (uint32_t)c->needs.len;
    code->calls = c->calls.items;
    code->call_count = (uint32_t)c->calls.len;
    gr_add_counted(&head, MT_STR("eid1"));
    gr_add_counted(&head, c->g->id);
    code->head = mt_str_dup(c->a, mt_buf_str(&head));
    mt_buf_free(&head);
    c->g->written = c->written.items;
    c->g->written_count = (uint32_t)c->written.len;
}

/* ORDER: keys before steps, since steps name keys by index; levels before slots; plans
 * are kept when all steps exist. Validation has passed, so nothing can fail. */
void gr_compile(gr_graph *g, const gr_flat *flat, const gr_wiring *w,
                const uint32_t *order)
{
    compiler c = {.g = g, .a = &g->arena, .flat = flat, .wiring = w, .order = order};
    c.code = g->code = mt_new(&g->arena, gr_code);
    g->id = flat->graph_id;
    g->version = flat->version;
    collect_keys(&c);
    level_order(&c);
    number_slots(&c);
    compile_nodes(&c);
    compile_sweep(&c);
    fill_slots(&c);
    keep_plans(&c);
    effect_kinds(&c);
    boundary(&c);
    outside(&c);
    g->provenance = gr_runtime_provenance(&g->arena, flat);
    g->provenance_as_bound = gr_runtime_provenance_as_bound(&g->arena, flat);
}
