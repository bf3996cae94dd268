/* agent/program.c - see program.h: interning nodes and compiling the indexes.
 *
 * Symbols: forms (`/all`, `/oneof…`, `/not…`) come first, then plain names, so a
 * gate's answers are one bitmap over all forms and one over a window of names. Only
 * names between the lowest and the highest that a gate mentions can be answered
 * otherwise than an unknown name; the window is as wide as that.
 *
 * From the gates follow rows: per symbol the receivers whose gate accepts it, and per
 * symbol the senders that hang on it by their rarest node. Gates that accept names
 * nobody knows are in lists of their own (`wild`), which are asked one by one. Rows
 * are filled in two passes, counting first.
 *
 * Ranks are computed here once (canonical route, priority, registration), so a cycle
 * sorts integers. In compat mode a route that is registered again takes the place of
 * the first registration.
 *
 * A program is immutable and shared by tapes and cycles; the agent must outlive it.
 * Nothing can fail: routes that did not parse are in no index. */
#include "agent/program_impl.h"

#include <stdlib.h>

#include "agent/chars.h"

static const char *const SHAPES[] = {
    [AG_SINGLE] = "single",
    [AG_MANY] = "many",
    [AG_INDEX_SINGLE] = "index-single",
    [AG_INDEX_MANY] = "index-many",
};
MT_TABLE_COVERS(SHAPES, AG_INDEX_MANY + 1);

const char *ag_shape_name(ag_shape shape)
{
    return SHAPES[shape];
}

bool ag_shape_from(mt_str name, ag_shape *out)
{
    for (int i = 0; i <= AG_INDEX_MANY; i++) {
        if (mt_str_eq(name, mt_str_z(SHAPES[i]))) {
            *out = (ag_shape)i;
            return true;
        }
    }
    return false;
}

const ag_agent *ag_program_agent(const ag_program *p)
{
    return p->agent;
}

ag_symbol ag_program_symbol(const ag_program *p, mt_str canonical)
{
    return (ag_symbol)mt_map_get(&p->names, canonical, AG_UNKNOWN);
}

const ag_gate *ag_program_gate(const ag_program *p, ag_symbol gate)
{
    return &p->gates[gate];
}

/* ---- symbols ---- */

/* Items of compat lists are raw text: one that reads like a form is not that form, and
 * no state can have its name. */
static bool is_name(const ag_node *node)
{
    return node->kind == AG_PLAIN && node->text.ptr[0] != '/';
}

/* Forms are interned before plain names, in a pass of their own, so that one comparison
 * tells which a symbol is. Names inside forms get symbols too: gates are asked about
 * them. */
static void intern(ag_program *p, const ag_node *node, bool forms)
{
    bool added;
    if (forms ? node->kind != AG_PLAIN : is_name(node)) {
        mt_map_entry *e = mt_map_add(&p->arena, &p->names, node->text, &added);
        if (added) {
            e->value = p->names.len - 1;
            *mt_vec_add(&p->arena, &p->nodes) = node;
        }
    }
    for (uint32_t i = 0; i < node->count; i++) {
        intern(p, &node->items[i], forms);
    }
}

static void intern_route(ag_program *p, const ag_route *r, bool forms)
{
    for (uint32_t i = 0; i < ag_route_nodes(r); i++) {
        intern(p, &r->nodes[i], forms);
    }
}

static void intern_all(ag_program *p, bool forms)
{
    const ag_agent *agent = p->agent;
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        if (agent->receivers[i].parsed) {
            intern_route(p, &agent->receivers[i].route, forms);
        }
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        if (agent->senders[i].parsed) {
            intern_route(p, &agent->senders[i].route, forms);
        }
    }
}

/* Ends and not lengths: part p is the stretch from end[p - 1] to end[p]. */
static ag_nodes route_symbols(ag_program *p, const ag_route *r)
{
    uint32_t count = ag_route_nodes(r);
    ag_nodes out = {mt_new_array(&p->arena, ag_symbol, count), {0}};
    for (uint32_t i = 0; i < count; i++) {
        out.symbols[i] = ag_program_symbol(p, r->nodes[i].text);
    }
    for (int part = 0; part < AG_PARTS; part++) {
        out.end[part] = (part ? out.end[part - 1] : 0) + r->count[part];
    }
    return out;
}

/* ---- gates ---- */

static ag_symbol name_symbol(const ag_program *p, const ag_node *node)
{
    return is_name(node) ? ag_program_symbol(p, node->text) : AG_UNKNOWN;
}

/* Lowest and highest plain symbol mentioned in the gate: only there can its answer
 * differ from the one for an unknown name. */
static void mentioned(const ag_program *p, const ag_node *node, uint32_t *low,
                      uint32_t *high)
{
    ag_symbol s = name_symbol(p, node);
    if (s != AG_UNKNOWN) {
        *low = s < *low ? s : *low;
        *high = s + 1 > *high ? s + 1 : *high;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        mentioned(p, &node->items[i], low, high);
    }
}

static void set_bit(uint64_t *bits, uint32_t at, bool value)
{
    uint64_t bit = (uint64_t)1 << (at & 63);
    bits[at >> 6] = value ? bits[at >> 6] | bit : bits[at >> 6] & ~bit;
}

static uint64_t *bit_row(ag_program *p, uint32_t count, bool value)
{
    size_t words = (count + 63) / 64 + 1;
    uint64_t *bits = mt_alloc(&p->arena, words * sizeof *bits);
    memset(bits, value ? 0xFF : 0, words * sizeof *bits);
    return bits;
}

/* Writes down the answers for the names mentioned in `node`, a part of `gate`. */
static void answer_names(const ag_program *p, const ag_node *gate, const ag_node *node,
                         const ag_gate *g, uint64_t *bits)
{
    ag_symbol s = name_symbol(p, node);
    if (s != AG_UNKNOWN) {
        set_bit(bits, s - g->low, ag_accepts(p->agent->mode, gate, node));
    }
    for (uint32_t i = 0; i < node->count; i++) {
        answer_names(p, gate, &node->items[i], g, bits);
    }
}

/* Answers for the forms. In profile mode a plain gate accepts none of them, so all
 * plain gates share one row. */
static const uint64_t *answer_forms(ag_program *p, const ag_node *gate)
{
    if (p->agent->mode == AG_PROFILE && gate->kind == AG_PLAIN) {
        return p->no_forms;
    }
    uint64_t *bits = bit_row(p, p->form_count, false);
    for (uint32_t i = 0; i < p->form_count; i++) {
        set_bit(bits, i, ag_accepts(p->agent->mode, gate, p->nodes.items[i]));
    }
    return bits;
}

/* A gate becomes a bit row over the names it mentions, plus one answer for all others:
 * asking it costs one look-up whatever the list's length. The answer for the others is
 * found by asking about a name nobody can have. */
static void compile_gate(ag_program *p, ag_symbol symbol)
{
    /* A comma is in no name and in no raw item, so this is nobody's name. */
    static const ag_node NOBODY = {.text = MT_STR_INIT(","), .kind = AG_PLAIN};
    const ag_node *node = p->nodes.items[symbol];
    ag_gate *g = &p->gates[symbol];
    uint32_t low = AG_UNKNOWN, high = 0;
    mentioned(p, node, &low, &high);
    g->low = high ? low : 0;
    g->width = high ? high - low : 0;
    g->otherwise = ag_accepts(p->agent->mode, node, &NOBODY);
    g->form_count = p->form_count;
    uint64_t *bits = bit_row(p, g->width, g->otherwise);
    answer_names(p, node, node, g, bits);
    g->bits = bits;
    g->forms = answer_forms(p, node);
}

/* Calls `each` for every known symbol the gate accepts; only for gates that do not
 * accept unknown names, whose answers are all written down. */
static void accepted(const ag_gate *g, void (*each)(void *, ag_symbol), void *host)
{
    for (uint32_t i = 0; i < g->form_count; i++) {
        if (ag_gate_accepts(g, i)) {
            each(host, i);
        }
    }
    for (uint32_t i = 0; i < g->width; i++) {
        if (ag_gate_accepts(g, g->low + i)) {
            each(host, g->low + i);
        }
    }
}

/* ---- rows of hits by symbol, filled in two passes ---- */

typedef struct filling {
    ag_program *p;
    ag_rows *rows;
    ag_hit hit;
    bool counting;
} filling;

static void fill_one(void *host, ag_symbol s)
{
    filling *f = host;
    if (f->counting) {
        f->rows->start[s + 1]++;
    } else {
        f->rows->hits[f->rows->next[s]++] = f->hit;
    }
}

static void rows_start(ag_program *p, ag_rows *rows)
{
    rows->start = mt_new_array(&p->arena, uint32_t, p->nodes.len + 2);
}

/* After counting: make room, and remember where each row begins. */
static void rows_allocate(ag_program *p, ag_rows *rows)
{
    for (size_t s = 0; s < p->nodes.len; s++) {
        rows->start[s + 1] += rows->start[s];
    }
    rows->hits = mt_new_array(&p->arena, ag_hit, rows->start[p->nodes.len]);
    rows->next = mt_new_array(&p->arena, uint32_t, p->nodes.len + 1);
    memcpy(rows->next, rows->start, p->nodes.len * sizeof *rows->next);
}

/* ---- receivers ---- */

mt_str ag_known_route(bool parsed, const ag_route *route, mt_str text)
{
    return parsed ? route->canonical : ag_strip(text);
}

const char *ag_why_unparsed(const ag_agent *agent)
{
    return agent->flow_off ? "a label: flow is off" : "does not parse";
}

static int by_order(const void *x, const void *y, void *host)
{
    const ag_program *p = host;
    const ag_receiver *a = &p->agent->receivers[*(const uint32_t *)x];
    const ag_receiver *b = &p->agent->receivers[*(const uint32_t *)y];
    int c = ag_priority_cmp(a->priority, b->priority);
    return c ? c : mt_str_cmp(a->route.canonical, b->route.canonical);
}

static int by_priority(const void *x, const void *y, void *host)
{
    const ag_program *p = host;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    const ag_receiver *r = p->agent->receivers;
    int c = ag_priority_cmp(r[i].priority, r[k].priority);
    return c ? c : (i > k) - (i < k);
}

/* The registrations on one route. In compat the first has the place, the last the
 * handler. */
typedef struct registered {
    uint32_t first, last;
} registered;

/* Compat: a route registered again takes the place of the first registration. Returns
 * false for receivers that were replaced. */
static bool compat_place(ag_program *p, mt_map *routes, uint32_t i, uint32_t *place)
{
    const ag_receiver *r = &p->agent->receivers[i];
    mt_str key = ag_known_route(r->parsed, &r->route, r->text);
    mt_map_entry *last = mt_map_find(routes, key);
    const registered *on_route = (const registered *)last->value;
    *place = on_route->first;
    return on_route->last == i;
}

static mt_map first_and_last(ag_program *p)
{
    mt_map routes = {0};
    for (uint32_t i = 0; i < p->agent->receiver_count; i++) {
        const ag_receiver *r = &p->agent->receivers[i];
        bool added;
        mt_str key = ag_known_route(r->parsed, &r->route, r->text);
        mt_map_entry *e = mt_map_add(&p->arena, &routes, key, &added);
        registered *on_route =
            added ? mt_new(&p->arena, registered) : (registered *)e->value;
        *on_route = (registered){added ? i : on_route->first, i};
        e->value = (uintptr_t)on_route;
    }
    return routes;
}

/* `batch` changes with the priority alone, `rank` with priority and route. In compat
 * only one registration per route is live. */
static void rank_receivers(ag_program *p)
{
    uint32_t n = p->agent->receiver_count, rank = 0, batch = 0;
    bool compat = p->agent->mode == AG_COMPAT;
    mt_map routes = compat ? first_and_last(p) : (mt_map){0};
    uint32_t *order = mt_new_array(&p->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    qsort_r(order, n, sizeof *order, compat ? by_priority : by_order, p);
    for (uint32_t i = 0; i < n; i++) {
        ag_place *at = &p->places[order[i]];
        if (i && by_order(&order[i - 1], &order[i], p)) {
            rank++;
        }
        batch += i && ag_priority_cmp(p->agent->receivers[order[i - 1]].priority,
                                      p->agent->receivers[order[i]].priority) != 0;
        at->rank = rank;
        at->batch = batch;
        at->live = true;
        if (compat) {
            at->live = compat_place(p, &routes, order[i], &at->rank);
        }
    }
}

static bool never_fires(const ag_program *p, uint32_t i)
{
    return !p->agent->receivers[i].parsed || !p->places[i].live;
}

/* Twice the same walk: first how many hits each symbol has, then the hits themselves,
 * into one array without gaps. Gates that accept unknown names cannot be listed by
 * symbol and are kept apart. */
static void index_gates(ag_program *p, bool counting)
{
    filling f = {.p = p, .rows = &p->eligible, .counting = counting};
    for (uint32_t i = 0; i < p->agent->receiver_count; i++) {
        const ag_nodes *nodes = &p->receivers[i];
        for (uint32_t g = 0; g < nodes->end[AG_SOURCE] && !never_fires(p, i); g++) {
            const ag_gate *gate = &p->gates[nodes->symbols[g]];
            f.hit = (ag_hit){i, g};
            if (!gate->otherwise) {
                accepted(gate, fill_one, &f);
            } else if (counting) {
                *mt_vec_add(&p->arena, &p->wild) = f.hit;
            }
        }
    }
}

static void compile_receivers(ag_program *p)
{
    uint32_t n = p->agent->receiver_count;
    p->receivers = mt_new_array(&p->arena, ag_nodes, n);
    p->places = mt_new_array(&p->arena, ag_place, n);
    rank_receivers(p);
    for (uint32_t i = 0; i < n; i++) {
        const ag_receiver *r = &p->agent->receivers[i];
        p->receivers[i] = r->parsed ? route_symbols(p, &r->route) : (ag_nodes){0};
        if (!never_fires(p, i) && ag_route_is_initial(&r->route)) {
            *mt_vec_add(&p->arena, &p->initial) = i;
        }
    }
    rows_start(p, &p->eligible);
    index_gates(p, true);
    rows_allocate(p, &p->eligible);
    index_gates(p, false);
}

/* ---- senders ---- */

static int by_sender_order(const void *x, const void *y, void *host)
{
    const ag_program *p = host;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    const ag_sender *a = &p->agent->senders[i], *b = &p->agent->senders[k];
    int c = ag_priority_cmp(a->priority, b->priority);
    c = c ? c : mt_str_cmp(a->route.canonical, b->route.canonical);
    return c ? c : (i > k) - (i < k);
}

/* Compat: routes in the order of their first sender. */
static int by_first_route(const void *x, const void *y, void *host)
{
    const ag_program *p = host;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    uint32_t a = p->senders[i].first, b = p->senders[k].first;
    return a != b ? (a > b) - (a < b) : (i > k) - (i < k);
}

/* In compat senders come in the order in which their routes were first registered.
 * Ranks are unique, as §6.4 asks for one order. */
static void rank_senders(ag_program *p)
{
    uint32_t n = p->agent->sender_count;
    mt_map routes = {0};
    uint32_t *order = mt_new_array(&p->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        const ag_sender *s = &p->agent->senders[i];
        bool added;
        mt_str key = ag_known_route(s->parsed, &s->route, s->text);
        mt_map_entry *e = mt_map_add(&p->arena, &routes, key, &added);
        e->value = added ? i : e->value;
        p->senders[i].first = (uint32_t)e->value;
        order[i] = i;
    }
    qsort_r(order, n, sizeof *order,
            p->agent->mode == AG_COMPAT ? by_first_route : by_sender_order, p);
    for (uint32_t i = 0; i < n; i++) {
        p->senders[order[i]].rank = i;
    }
}

/* Compat: without filters, or with empty ones, a sender does not wait for events. */
static bool is_tick(const ag_agent *agent, const ag_sender *s)
{
    return agent->mode == AG_COMPAT &&
           (agent->flow_off || (!s->actions && !s->trigger_count));
}

bool ag_sender_waits(const ag_agent *agent, const ag_sender *s)
{
    bool filtered = agent->mode == AG_COMPAT ? !is_tick(agent, s)
                                             : s->has_actions || s->has_triggers;
    return s->every_ms && filtered;
}

/* The node that the fewest senders have in the same part; -1: none is finite. */
static int64_t best_anchor(const ag_program *p, const ag_nodes *nodes,
                           uint32_t *const popularity[AG_PARTS])
{
    int64_t best = -1;
    uint32_t least = UINT32_MAX, at = 0;
    for (int part = 0; part < AG_PARTS; part++) {
        for (; at < nodes->end[part]; at++) {
            ag_symbol s = nodes->symbols[at];
            if (!p->gates[s].otherwise && popularity[part][s] < least) {
                least = popularity[part][s];
                best = at;
            }
        }
    }
    return best;
}

static ag_part part_of(const ag_nodes *nodes, uint32_t at)
{
    return at < nodes->end[AG_SOURCE]  ? AG_SOURCE
           : at < nodes->end[AG_LABEL] ? AG_LABEL
                                       : AG_TARGET;
}

static void count_popularity(const ag_program *p, uint32_t *popularity[AG_PARTS])
{
    for (uint32_t i = 0; i < p->agent->sender_count; i++) {
        const ag_nodes *nodes = &p->senders[i].nodes;
        for (uint32_t at = 0; at < nodes->end[AG_TARGET]; at++) {
            popularity[part_of(nodes, at)][nodes->symbols[at]]++;
        }
    }
}

/* A sender is listed under one node of its route only, the one fewest receivers have;
 * who is found by it is checked in full afterwards. Without such a node it is tried for
 * each. */
static void index_senders(ag_program *p, bool counting, uint32_t *popularity[AG_PARTS])
{
    for (uint32_t i = 0; i < p->agent->sender_count; i++) {
        const ag_sender *s = &p->agent->senders[i];
        const ag_nodes *nodes = &p->senders[i].nodes;
        if (s->every_ms && !ag_sender_waits(p->agent, s)) {
            continue; /* its clock alone decides */
        }
        if (is_tick(p->agent, s)) {
            if (counting) {
                *mt_vec_add(&p->arena, &p->ticks) = i;
            }
            continue;
        }
        if (!s->parsed) {
            continue;
        }
        int64_t anchor = best_anchor(p, nodes, popularity);
        if (anchor < 0) {
            if (counting) {
                *mt_vec_add(&p->arena, &p->wild_senders) = i;
            }
            continue;
        }
        ag_part part = part_of(nodes, (uint32_t)anchor);
        filling f = {p, &p->anchored[part], {i, 0}, counting};
        accepted(&p->gates[nodes->symbols[anchor]], fill_one, &f);
    }
}

/* Popularity has to be known before anchors are chosen, and both passes over the
 * senders have to choose alike. */
static void compile_senders(ag_program *p)
{
    uint32_t n = p->agent->sender_count;
    uint32_t *popularity[AG_PARTS];
    p->senders = mt_new_array(&p->arena, ag_sender_form, n);
    for (uint32_t i = 0; i < n; i++) {
        const ag_sender *s = &p->agent->senders[i];
        p->senders[i].nodes = s->parsed ? route_symbols(p, &s->route) : (ag_nodes){0};
    }
    rank_senders(p);
    for (int part = 0; part < AG_PARTS; part++) {
        popularity[part] = mt_new_array(&p->arena, uint32_t, p->nodes.len + 1);
        rows_start(p, &p->anchored[part]);
    }
    count_popularity(p, popularity);
    index_senders(p, true, popularity);
    for (int part = 0; part < AG_PARTS; part++) {
        rows_allocate(p, &p->anchored[part]);
    }
    index_senders(p, false, popularity);
}

/* Does every node of the part accept some node of the receiver's part? */
static bool part_fits(const ag_program *p, const ag_nodes *sender,
                      const ag_nodes *receiver, int part)
{
    uint32_t g = part ? sender->end[part - 1] : 0;
    uint32_t first = part ? receiver->end[part - 1] : 0;
    for (; g < sender->end[part]; g++) {
        const ag_gate *gate = &p->gates[sender->symbols[g]];
        uint32_t s = first;
        while (s < receiver->end[part] &&
               !ag_gate_accepts(gate, receiver->symbols[s])) {
            s++;
        }
        if (s == receiver->end[part]) {
            return false;
        }
    }
    return true;
}

bool ag_program_compatible(const ag_program *p, uint32_t sender, uint32_t receiver)
{
    const ag_nodes *s = &p->senders[sender].nodes, *r = &p->receivers[receiver];
    return part_fits(p, s, r, AG_SOURCE) && part_fits(p, s, r, AG_LABEL) &&
           part_fits(p, s, r, AG_TARGET);
}

/* ---- the whole ---- */

static void compile_hooks(ag_program *p)
{
    const ag_agent *agent = p->agent;
    for (int d = 0; d < 2; d++) {
        p->hooks[d] = mt_new_array(&p->arena, uint32_t, agent->hook_count);
        p->hook_count[d] = ag_hook_order(agent->mode, agent->hooks, agent->hook_count,
                                         (ag_direction)d, p->hooks[d]);
    }
}

/* ORDER: forms, names, gates, receivers, senders, hooks; each uses the symbols or rows
 * of those before. The agent is borrowed. Read-only afterwards, so threads may share
 * it. */
ag_program *ag_program_new(const ag_agent *agent, const mt_limits *limits)
{
    ag_program *p = mt_xmalloc(sizeof *p);
    memset(p, 0, sizeof *p);
    p->agent = agent;
    p->limits = limits ? *limits : MT_LIMITS_DEFAULT;
    intern_all(p, true);
    p->form_count = (uint32_t)p->nodes.len;
    intern_all(p, false);
    p->gates = mt_new_array(&p->arena, ag_gate, p->nodes.len);
    p->no_forms = bit_row(p, p->form_count, false);
    for (ag_symbol s = 0; s < p->nodes.len; s++) {
        compile_gate(p, s);
    }
    compile_receivers(p);
    compile_senders(p);
    compile_hooks(p);
    return p;
}

void ag_program_free(ag_program *p)
{
    if (p) {
        mt_arena_free(&p->arena);
        free(p);
    }
}
