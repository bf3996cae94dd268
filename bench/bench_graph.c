/* One episode and the cost of a node.
 * The bare walk is the yardstick for nodes: the same compiled steps over the same slots
 * with nothing around them: no finite checks, no faults, no actions' effects. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "graph/compile.h"
#include "graph/execute.h"

static gr_registry *registry;

static gr_graph *load(mt_str text)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    gr_graph *g = NULL;
    gr_text root = {MT_STR("bench.yaml"), text};
    if (gr_graph_load(registry, root, NULL, NULL, &ds, &g)) {
        fprintf(stderr, "bench: %s %.*s\n", ds.items[0].code,
                MT_ARG(ds.items[0].message));
        exit(1);
    }
    mt_arena_free(&a);
    return g;
}

static void episodes(void *state, uint64_t n)
{
    gr_episode *e = state;
    gr_value context[2] = {gr_number(3.0), gr_number(1.0)};
    for (uint64_t i = 0; i < n; i++) {
        context[0].as.number += 1e-9;
        if (gr_run(e, context, MT_STR("evt_000000001"))) {
            exit(1);
        }
        bench_keep(e->effects);
    }
}

static double episode_ns(const char *text)
{
    gr_graph *g = load(mt_str_z(text));
    gr_episode *e = gr_episode_new(g);
    double ns = bench_ns(episodes, e);
    if (e->effect_count == 0) {
        exit(1);
    }
    gr_episode_free(e);
    gr_graph_free(g);
    return ns;
}

/* ---- many nodes ---- */

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed % below);
}

/* Numbers and booleans so far; a new node draws its inputs from them. */
typedef struct pool {
    uint32_t *numbers, *bools, number_count, bool_count;
} pool;

static void add_node(mt_buf *nodes, mt_buf *edges, pool *p, uint32_t i)
{
    /* clang-format off */
    static const struct { const char *impl, *ports[3]; char in[4], out; } KINDS[] = {
        {"add", {"a", "b"}, "nn", 'n'},      {"subtract", {"a", "b"}, "nn", 'n'},
        {"min", {"a", "b"}, "nn", 'n'},      {"max", {"a", "b"}, "nn", 'n'},
        {"abs", {"value"}, "n", 'n'},        {"negate", {"value"}, "n", 'n'},
        {"select", {"cond", "when_true", "when_false"}, "bnn", 'n'},
        {"gt", {"a", "b"}, "nn", 'b'},       {"lte", {"a", "b"}, "nn", 'b'},
        {"eq", {"a", "b"}, "nn", 'b'},       {"and", {"a", "b"}, "bb", 'b'},
        {"or", {"a", "b"}, "bb", 'b'},       {"not", {"value"}, "b", 'b'},
    };
    /* clang-format on */
    uint32_t k = draw((uint32_t)(sizeof KINDS / sizeof *KINDS));
    mt_buf_addf(nodes, "  m%06u: {impl: %s@*}\n", i, KINDS[k].impl);
    for (int port = 0; KINDS[k].in[port]; port++) {
        bool number = KINDS[k].in[port] == 'n';
        uint32_t from =
            number ? p->numbers[draw(p->number_count)] : p->bools[draw(p->bool_count)];
        mt_buf_addf(edges, "  - m%06u.%s -> m%06u.%s\n", from,
                    from < 8 ? "value" : "result", i, KINDS[k].ports[port]);
    }
    if (KINDS[k].out == 'n') {
        p->numbers[p->number_count++] = i;
    } else {
        p->bools[p->bool_count++] = i;
    }
}

static gr_graph *random_graph(uint32_t count)
{
    mt_buf nodes = {0}, edges = {0};
    pool p = {.numbers = mt_xmalloc(count * 4), .bools = mt_xmalloc(count * 4)};
    seed = 42;
    mt_buf_addz(&nodes, "kind: cluster\nid: bench\nversion: 1.0.0\nnodes:\n");
    mt_buf_addz(&edges, "edges:\n");
    for (uint32_t i = 0; i < 8; i++) {
        bool number = i < 4;
        mt_buf_addf(&nodes, "  m%06u: {impl: %s, params: {key: k%u}}\n", i,
                    number ? "context_number_source@*" : "context_bool_source@*", i);
        if (number) {
            p.numbers[p.number_count++] = i;
        } else {
            p.bools[p.bool_count++] = i;
        }
    }
    for (uint32_t i = 8; i < count; i++) {
        add_node(&nodes, &edges, &p, i);
    }
    mt_buf_adds(&nodes, mt_buf_str(&edges));
    gr_graph *g = load(mt_buf_str(&nodes));
    mt_buf_free(&nodes);
    mt_buf_free(&edges);
    free(p.numbers);
    free(p.bools);
    return g;
}

static gr_value context[8];

static void passes(void *state, uint64_t n)
{
    gr_episode *e = state;
    for (uint64_t i = 0; i < n; i++) {
        if (gr_run(e, context, MT_STR("evt"))) {
            exit(1);
        }
        bench_keep(e->slots);
    }
}

#define NUMBER(slot) (v[slot].as.number)
#define BOOL(slot)   (v[slot].as.boolean)

static void bare_walk(const gr_graph *g, gr_value *v)
{
    const gr_step *s = g->code->steps;
    for (uint32_t i = 0; i < g->node_count; i++, s++) {
        switch (s->op) {
        case GR_OP_CONTEXT: v[s->out].as = context[s->a].as; break;
        case GR_OP_ADD: NUMBER(s->out) = NUMBER(s->a) + NUMBER(s->b); break;
        case GR_OP_SUBTRACT: NUMBER(s->out) = NUMBER(s->a) - NUMBER(s->b); break;
        case GR_OP_MIN: NUMBER(s->out) = fmin(NUMBER(s->a), NUMBER(s->b)); break;
        case GR_OP_MAX: NUMBER(s->out) = fmax(NUMBER(s->a), NUMBER(s->b)); break;
        case GR_OP_ABS: NUMBER(s->out) = fabs(NUMBER(s->a)); break;
        case GR_OP_NEGATE: NUMBER(s->out) = -NUMBER(s->a); break;
        case GR_OP_SELECT: v[s->out].as = v[BOOL(s->a) ? s->b : s->c].as; break;
        case GR_OP_GT: BOOL(s->out) = NUMBER(s->a) > NUMBER(s->b); break;
        case GR_OP_LTE: BOOL(s->out) = NUMBER(s->a) <= NUMBER(s->b); break;
        case GR_OP_EQ: BOOL(s->out) = NUMBER(s->a) == NUMBER(s->b); break;
        case GR_OP_AND: BOOL(s->out) = BOOL(s->a) & BOOL(s->b); break;
        case GR_OP_OR: BOOL(s->out) = BOOL(s->a) | BOOL(s->b); break;
        case GR_OP_NOT: BOOL(s->out) = BOOL(s->a) ^ 1; break;
        default: break;
        }
    }
}

static void bare_passes(void *state, uint64_t n)
{
    gr_episode *e = state;
    for (uint64_t i = 0; i < n; i++) {
        bare_walk(e->graph, e->slots);
        bench_keep(e->slots);
    }
}

static void nodes(const char *name, uint32_t count, double target)
{
    gr_graph *g = random_graph(count);
    gr_episode *e = gr_episode_new(g);
    double bare = bench_ns(bare_passes, e) / count;
    double ours = bench_ns(passes, e) / count;
    bench_report(name, ours, "ns/node", "bare walk", bare, target, BENCH_LOWER);
    gr_episode_free(e);
    gr_graph_free(g);
}

static const char SET[] =
    "kind: cluster\nid: bench\nversion: 1.0.0\nnodes:\n"
    "  a: {impl: context_number_source@*, params: {key: a}}\n"
    "  b: {impl: context_number_source@*, params: {key: b}}\n"
    "  c: {impl: gt@*}\n"
    "  t: {impl: emit_if_true@*}\n"
    "  s: {impl: context_set_number@*, params: {key: out}}\n"
    "edges: [a.value -> c.a, b.value -> c.b, c.result -> t.input,\n"
    "  t.event -> s.event, a.value -> s.value]\n";
static const char INTENT[] =
    "kind: cluster\nid: bench\nversion: 1.0.0\nnodes:\n"
    "  a: {impl: context_number_source@*, params: {key: a}}\n"
    "  b: {impl: context_number_source@*, params: {key: b}}\n"
    "  c: {impl: gt@*}\n"
    "  t: {impl: emit_if_true@*}\n"
    "  s: {impl: order@*}\n"
    "edges: [a.value -> c.a, b.value -> c.b, c.result -> t.input,\n"
    "  t.event -> s.event, a.value -> s.qty]\n";
static const char ORDER[] =
    "kind: action\nid: order\nversion: 1.0.0\n"
    "inputs: [{name: event, type: event}, {name: qty, type: number}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "effects: {intents: [{name: place_order, fields: [{name: qty, type: number, "
    "from_input: qty}]}]}\n";

int main(void)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    registry = gr_registry_new();
    if (gr_registry_add(registry, MT_STR("order"), mt_str_z(ORDER), NULL, NULL, &ds)) {
        return 1;
    }
    for (uint32_t i = 0; i < 8; i++) {
        context[i] = i < 4 ? gr_number(i * 0.5 - 1) : gr_bool(i & 1);
    }
    bench_report("graph.episode", episode_ns(SET), "ns", NULL, 0, 120, BENCH_LOWER);
    bench_report("graph.episode_intent", episode_ns(INTENT), "ns", NULL, 0, 350,
                 BENCH_LOWER);
    nodes("graph.node_1k", 1000, 8);
    nodes("graph.node_100k", 100000, 12);
    gr_registry_free(registry);
    mt_arena_free(&a);
    return 0;
}
