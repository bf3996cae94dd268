/* graph/validate.c - the rules that need the whole graph, and the order of execution.
 *
 * Edges: kinds that may be joined (the wiring matrix), types that agree, no edge from
 * an input of the root. Nodes: required inputs connected, Actions gated by a Trigger,
 * parameters within what the primitive asks, keys that parameters name.
 *
 * gr_order() is Kahn's algorithm with a heap: of all nodes that are ready the first by
 * the byte order of its runtime id ("n10" before "n2"), which is the order the model
 * prescribes. What never becomes ready is on a cycle or behind one; one cycle is named
 * node by node.
 *
 * All faults are reported in `ds` with rule and place; the answers say whether there
 * were any. Scratch memory is the caller's. */
#include "graph/validate.h"

#include <math.h>

/* Edges by their target in one array; 0 means that nothing goes in. At most one edge
 * per input, which was checked. */
gr_wiring gr_wire(mt_arena *a, const gr_flat *flat)
{
    gr_wiring w = {.first = mt_new_array(a, uint32_t, flat->nodes.len + 1)};
    uint32_t inputs = 0;
    for (size_t i = 0; i < flat->nodes.len; i++) {
        w.first[i] = inputs;
        inputs += flat->nodes.items[i].primitive->manifest.input_count;
    }
    w.first[flat->nodes.len] = inputs;
    w.edge = mt_new_array(a, uint32_t, inputs);
    for (size_t i = 0; i < flat->edges.len; i++) {
        const gr_flat_edge *e = &flat->edges.items[i];
        w.edge[w.first[e->to_node] + e->to_port] = (uint32_t)i + 1;
    }
    return w;
}

static gr_subject edge_subject(const gr_flat_edge *e, mt_diags *ds)
{
    return gr_cluster_subject(e->cluster, ds);
}

static gr_subject node_subject(const gr_flat_node *n, mt_diags *ds)
{
    return gr_cluster_subject(n->instance->linked->def, ds);
}

/* The wiring matrix; `event` says whether the destination port is an Event port. */
static bool kinds_fit(gr_kind from, gr_kind to, bool event)
{
    switch (from) {
    case GR_SOURCE: return to == GR_COMPUTE || (to == GR_ACTION && !event);
    case GR_COMPUTE:
        return to == GR_COMPUTE || to == GR_TRIGGER || (to == GR_ACTION && !event);
    case GR_TRIGGER: return to == GR_TRIGGER || to == GR_ACTION;
    case GR_ACTION: break;
    }
    return false;
}

/* The advice fits the wiring rule that was broken (§2, §6.5). */
static const char *kinds_advice(gr_kind from, gr_kind to)
{
    if (from == GR_ACTION) {
        return "an Action is the end; later episodes see its effects in the context";
    }
    if (to == GR_ACTION) {
        return "gate an Action with a Trigger";
    }
    if (from == GR_TRIGGER) {
        return "a Trigger feeds Triggers and Actions";
    }
    return "put a Compute between a Source and a Trigger";
}

/* Kinds before types: an edge that must not be has no type worth naming. */
static void check_edge(mt_arena *a, const gr_flat *flat, const gr_flat_edge *e,
                       bool alone, mt_diags *ds)
{
    gr_subject s = edge_subject(e, ds);
    const gr_flat_node *to = &flat->nodes.items[e->to_node];
    const gr_port *in = &to->primitive->manifest.inputs[e->to_port];
    if (e->from_node == GR_NO_NODE) {
        if (e->external.ptr && !alone) {
            gr_report(&s, "E.3", e->at, MT_STR("$.edges"),
                      "a graph that runs has no inputs: use a Source",
                      "nothing can feed input \"%.*s\" of the root",
                      MT_ARG(e->external));
        }
        return;
    }
    const gr_flat_node *from = &flat->nodes.items[e->from_node];
    const gr_port *out = &from->primitive->manifest.outputs[e->from_port];
    gr_kind fk = from->primitive->manifest.kind, tk = to->primitive->manifest.kind;
    bool fits = kinds_fit(fk, tk, in->type == GR_EVENT);
    if (fits && out->type == in->type) {
        return;
    }
    mt_mark mark = mt_arena_mark(a);
    mt_str here = gr_flat_path(a, from), there = gr_flat_path(a, to);
    if (!fits) {
        gr_report(&s, "V.2", e->at, MT_STR("$.edges"), kinds_advice(fk, tk),
                  "%.*s.%.*s -> %.*s.%.*s: a %s cannot feed %s of a %s", MT_ARG(here),
                  MT_ARG(out->name), MT_ARG(there), MT_ARG(in->name), gr_kind_title(fk),
                  in->type == GR_EVENT ? "an Event input" : "an input",
                  gr_kind_title(tk));
    } else {
        gr_report(&s, "V.4", e->at, MT_STR("$.edges"), "connect ports of the same type",
                  "%.*s.%.*s -> %.*s.%.*s: %s does not fit %s", MT_ARG(here),
                  MT_ARG(out->name), MT_ARG(there), MT_ARG(in->name),
                  gr_type_name(out->type), gr_type_name(in->type));
    }
    if (a != ds->arena) {
        mt_arena_rewind(a, mark);
    }
}

/* An edge from a Trigger into an Event port; one from nowhere counts, it was reported.
 */
static bool is_gate(const gr_flat *flat, const gr_wiring *w, uint32_t node,
                    uint32_t port)
{
    uint32_t e = w->edge[w->first[node] + port];
    const gr_flat_node *n = &flat->nodes.items[node];
    if (!e || n->primitive->manifest.inputs[port].type != GR_EVENT) {
        return false;
    }
    uint32_t from = flat->edges.items[e - 1].from_node;
    return from == GR_NO_NODE ||
           flat->nodes.items[from].primitive->manifest.kind == GR_TRIGGER;
}

/* §7: an effect is derived from the inputs the action saw, so one that reads an input
 * nobody feeds would fail in each pass. */
static void check_effect_input(const gr_flat *flat, const gr_wiring *w, uint32_t node,
                               mt_str input, gr_subject *s)
{
    const gr_flat_node *n = &flat->nodes.items[node];
    const gr_manifest *m = &n->primitive->manifest;
    int i = input.len ? gr_input_index(m, input) : -1;
    if (i >= 0 && !m->inputs[i].required && !w->edge[w->first[node] + (uint32_t)i]) {
        gr_report(s, "V.3", n->member->at, MT_STR("$.edges"), "connect the input",
                  "input \"%.*s\" of node \"%.*s\" (%.*s) is optional, but an effect "
                  "takes its value from it, and it is not connected",
                  MT_ARG(input), MT_ARG(n->member->name), MT_ARG(m->id));
    }
}

/* The same for a parameter that has no value. */
static void check_effect_param(const gr_flat_node *n, mt_str param, gr_subject *s)
{
    int i = param.len ? gr_param_index(&n->primitive->manifest, param) : -1;
    if (i >= 0 && n->params[i].type == GR_P_NONE &&
        !n->primitive->manifest.params[i].required) {
        gr_report(
            s, "I.3", n->member->at, MT_STR("$.nodes"), "bind it under params",
            "parameter \"%.*s\" of node \"%.*s\" is optional, but an intent takes "
            "its value from it, and it has none",
            MT_ARG(param), MT_ARG(n->member->name));
    }
}

/* Mirror writes take their values from fields, so writes and fields are all. */
static void check_effects(const gr_flat *flat, const gr_wiring *w, uint32_t node,
                          gr_subject *s)
{
    const gr_flat_node *n = &flat->nodes.items[node];
    const gr_manifest *m = &n->primitive->manifest;
    for (uint32_t i = 0; i < m->write_count; i++) {
        check_effect_input(flat, w, node, m->writes[i].from, s);
    }
    for (uint32_t i = 0; i < m->intent_count; i++) {
        for (uint32_t k = 0; k < m->intents[i].field_count; k++) {
            const gr_field *f = &m->intents[i].fields[k];
            check_effect_input(flat, w, node, f->from_input, s);
            check_effect_param(n, f->from_param, s);
        }
    }
}

/* Required inputs, and for an action at least one gate. */
static void check_inputs(const gr_flat *flat, const gr_wiring *w, uint32_t node,
                         gr_subject *s)
{
    const gr_flat_node *n = &flat->nodes.items[node];
    const gr_manifest *m = &n->primitive->manifest;
    bool gated = false;
    for (uint32_t i = 0; i < m->input_count; i++) {
        gated = gated || is_gate(flat, w, node, i);
        if (m->inputs[i].required && !w->edge[w->first[node] + i]) {
            gr_report(s, "V.3", n->member->at, MT_STR("$.edges"), "connect the input",
                      "input \"%.*s\" of node \"%.*s\" (%.*s) is not connected",
                      MT_ARG(m->inputs[i].name), MT_ARG(n->member->name),
                      MT_ARG(m->id));
        }
    }
    if (m->kind == GR_ACTION && !gated) {
        gr_report(s, "V.5", n->member->at, MT_STR("$.edges"),
                  "connect a Trigger to an Event input; payload edges do not gate",
                  "Action \"%.*s\" is not gated by a Trigger", MT_ARG(n->member->name));
    }
}

/* What a standard primitive asks of its parameters beyond their type. */
static void check_params(const gr_flat_node *n, gr_subject *s)
{
    if (n->primitive->standard && mt_str_is(n->primitive->manifest.id, "window")) {
        double size = n->params[0].number;
        if (n->params[0].type == GR_P_NUMBER && !(size >= 1 && size == floor(size))) {
            gr_report(s, "I.4", n->member->at, MT_STR("$.nodes"),
                      "size must be a positive integer",
                      "window \"%.*s\" has an impossible size",
                      MT_ARG(n->member->name));
        }
    }
}

/* A key named by a parameter needs that parameter's text. */
static void check_key(const gr_flat_node *n, mt_str name, gr_subject *s)
{
    if (!name.len || name.ptr[0] != '$') {
        return;
    }
    int i = gr_param_index(&n->primitive->manifest, mt_str_skip(name, 1));
    if (n->params[i].type == GR_P_NONE) {
        gr_report(s, "COMP-16", n->member->at, MT_STR("$.nodes"),
                  "bind the parameter that names the key",
                  "node \"%.*s\": %.*s has no text", MT_ARG(n->member->name),
                  MT_ARG(name));
    }
}

/* The key a write of this node goes to; empty: its parameter has no text. */
static mt_str written_key(const gr_flat_node *n, mt_str name)
{
    if (!name.len || name.ptr[0] != '$') {
        return name;
    }
    int i = gr_param_index(&n->primitive->manifest, mt_str_skip(name, 1));
    return n->params[i].type == GR_P_STRING ? n->params[i].text : MT_STR("");
}

typedef struct written_keys {
    mt_arena arena;
    mt_map seen;
} written_keys;

static void note_write(written_keys *keys, const gr_flat_node *n, const gr_write *w,
                       gr_subject *s)
{
    mt_str key = written_key(n, w->name);
    bool added = true;
    if (key.len) {
        mt_map_add(&keys->arena, &keys->seen, key, &added);
    }
    if (!added) {
        gr_report(s, "ACT-14", n->member->at, MT_STR("$.nodes"), "bind different keys",
                  "node \"%.*s\" writes \"%.*s\" twice", MT_ARG(n->member->name),
                  MT_ARG(key));
    }
}

/* ACT-14 for keys that parameters name: the manifest alone cannot tell. Names that are
 * equal as written were refused with the manifest. */
static void check_written_once(const gr_flat_node *n, gr_subject *s)
{
    const gr_manifest *m = &n->primitive->manifest;
    written_keys keys = {0};
    for (uint32_t i = 0; i < m->write_count; i++) {
        note_write(&keys, n, &m->writes[i], s);
    }
    for (uint32_t i = 0; i < m->intent_count; i++) {
        for (uint32_t k = 0; k < m->intents[i].mirror_count; k++) {
            note_write(&keys, n, &m->intents[i].mirrors[k], s);
        }
    }
    mt_arena_free(&keys.arena);
}

/* Keys of needs, writes and mirrors that a parameter names. */
static void check_keys(const gr_flat_node *n, gr_subject *s)
{
    const gr_manifest *m = &n->primitive->manifest;
    for (uint32_t i = 0; i < m->need_count; i++) {
        check_key(n, m->needs[i].name, s);
    }
    for (uint32_t i = 0; i < m->write_count; i++) {
        check_key(n, m->writes[i].name, s);
    }
    for (uint32_t i = 0; i < m->intent_count; i++) {
        for (uint32_t k = 0; k < m->intents[i].mirror_count; k++) {
            check_key(n, m->intents[i].mirrors[k].name, s);
        }
    }
}

/* All checks are made, on the expanded graph: what is wrong inside a cluster is
 * reported at the cluster's own line. */
bool gr_validate(mt_arena *a, const gr_flat *flat, const gr_wiring *w, bool alone,
                 mt_diags *ds)
{
    size_t before = ds->errors;
    gr_subject root = gr_cluster_subject(flat->root->def, ds);
    for (uint32_t i = 0; !alone && i < flat->root->def->input_count; i++) {
        const gr_cluster_input *in = &flat->root->def->inputs[i];
        gr_report(&root, "E.3", in->at, MT_STR("$.input_ports"),
                  "a graph that runs has no inputs: use a Source",
                  "root input \"%.*s\" can never be fed", MT_ARG(in->name));
    }
    for (size_t i = 0; i < flat->edges.len; i++) {
        check_edge(a, flat, &flat->edges.items[i], alone, ds);
    }
    for (size_t i = 0; i < flat->nodes.len; i++) {
        gr_subject s = node_subject(&flat->nodes.items[i], ds);
        check_inputs(flat, w, (uint32_t)i, &s);
        check_effects(flat, w, (uint32_t)i, &s);
        check_params(&flat->nodes.items[i], &s);
        check_keys(&flat->nodes.items[i], &s);
        check_written_once(&flat->nodes.items[i], &s);
    }
    return ds->errors == before;
}

/* ---- order ---- */

/* by_text[r] is the r-th number below `count` in byte order of its decimal digits. */
static void text_order(uint32_t count, uint32_t *by_text, uint32_t *rank)
{
    uint64_t n = 1;
    uint32_t r = 0;
    by_text[r++] = 0;
    while (r < count) {
        if (n < count) {
            by_text[r++] = (uint32_t)n;
            n *= 10;
            continue;
        }
        n /= 10;
        while (n % 10 == 9) {
            n /= 10;
        }
        n++;
    }
    for (uint32_t i = 0; i < count; i++) {
        rank[by_text[i]] = i;
    }
}

/* A binary heap of ranks, the least on top. */
typedef struct heap {
    uint32_t *items;
    size_t len;
} heap;

static void heap_push(heap *h, uint32_t item)
{
    size_t i = h->len++;
    for (; i > 0 && h->items[(i - 1) / 2] > item; i = (i - 1) / 2) {
        h->items[i] = h->items[(i - 1) / 2];
    }
    h->items[i] = item;
}

/* The usual sift down; ranks are unique, so the order is total. */
static uint32_t heap_pop(heap *h)
{
    uint32_t top = h->items[0], last = h->items[--h->len];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= h->len) {
            break;
        }
        if (child + 1 < h->len && h->items[child + 1] < h->items[child]) {
            child++;
        }
        if (h->items[child] >= last) {
            break;
        }
        h->items[i] = h->items[child];
        i = child;
    }
    h->items[i] = last;
    return top;
}

/* Edges out of each node, as one array cut by `first`. */
typedef struct fanout {
    uint32_t *first, *to, *waiting; /* waiting: inbound edges not yet satisfied */
} fanout;

/* Counting sort by source; `waiting` counts what each node still needs. */
static fanout fan_out(mt_arena *a, const gr_flat *flat)
{
    size_t n = flat->nodes.len;
    fanout f = {mt_new_array(a, uint32_t, n + 2),
                mt_new_array(a, uint32_t, flat->edges.len),
                mt_new_array(a, uint32_t, n)};
    for (size_t i = 0; i < flat->edges.len; i++) {
        const gr_flat_edge *e = &flat->edges.items[i];
        if (e->from_node != GR_NO_NODE) {
            f.first[e->from_node + 2]++;
            f.waiting[e->to_node]++;
        }
    }
    for (size_t i = 2; i < n + 2; i++) {
        f.first[i] += f.first[i - 1];
    }
    for (size_t i = 0; i < flat->edges.len; i++) {
        const gr_flat_edge *e = &flat->edges.items[i];
        if (e->from_node != GR_NO_NODE) {
            f.to[f.first[e->from_node + 1]++] = e->to_node;
        }
    }
    return f; /* now the edges of node i are to[first[i] .. first[i + 1]) */
}

/* Names one cycle among the nodes that never became ready: following any waiting
 * predecessor must come back to where it has been. */
static void report_cycle(mt_arena *a, const gr_flat *flat, const uint32_t *waiting,
                         mt_diags *ds)
{
    size_t n = flat->nodes.len;
    uint32_t *before = mt_new_array(a, uint32_t, n);
    uint32_t *via = mt_new_array(a, uint32_t, n);
    uint8_t *seen = mt_new_array(a, uint8_t, n);
    uint32_t at = GR_NO_NODE;
    for (size_t i = flat->edges.len; i-- > 0;) {
        const gr_flat_edge *e = &flat->edges.items[i];
        if (e->from_node != GR_NO_NODE && waiting[e->to_node] &&
            waiting[e->from_node]) {
            before[e->to_node] = e->from_node;
            via[e->to_node] = (uint32_t)i;
            at = e->to_node;
        }
    }
    MT_ASSERT(at != GR_NO_NODE);
    for (; !seen[at]; at = before[at]) {
        seen[at] = 1;
    }
    mt_buf path = {0};
    uint32_t start = at, shown = 0;
    do {
        if (shown++ < 8) {
            mt_buf_addf(&path, "%.*s <- ",
                        MT_ARG(gr_flat_path(a, &flat->nodes.items[at])));
        }
        at = before[at];
    } while (at != start);
    mt_buf_addf(&path, "%s%.*s", shown > 8 ? "... <- " : "",
                MT_ARG(gr_flat_path(a, &flat->nodes.items[start])));
    const gr_flat_edge *e = &flat->edges.items[via[start]];
    gr_subject s = edge_subject(e, ds);
    gr_report(
        &s, "V.1", e->at, MT_STR("$.edges"),
        "break the cycle: carry the value to the next episode through the context",
        "the graph has a cycle: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
}

/* Kahn's algorithm with a heap: of the nodes that are ready the first by text goes
 * next, so the order is the same whatever the file's (§3, §7). O(n log n). */
bool gr_order(mt_arena *a, const gr_flat *flat, mt_diags *ds, uint32_t *order)
{
    uint32_t n = (uint32_t)flat->nodes.len, done = 0;
    if (!n) {
        return true;
    }
    fanout f = fan_out(a, flat);
    uint32_t *by_text = mt_new_array(a, uint32_t, n),
             *rank = mt_new_array(a, uint32_t, n);
    heap ready = {mt_new_array(a, uint32_t, n), 0};
    text_order(n, by_text, rank);
    for (uint32_t i = 0; i < n; i++) {
        if (!f.waiting[i]) {
            heap_push(&ready, rank[i]);
        }
    }
    while (ready.len) {
        uint32_t node = by_text[heap_pop(&ready)];
        order[done++] = node;
        for (uint32_t i = f.first[node]; i < f.first[node + 1]; i++) {
            if (--f.waiting[f.to[i]] == 0) {
                heap_push(&ready, rank[f.to[i]]);
            }
        }
    }
    if (done < n) {
        report_cycle(a, flat, f.waiting, ds);
        return false;
    }
    return true;
}
