/* Random graphs against a naive evaluator that knows nothing of slots, steps or sweeps:
 * it walks nodes in order and reads its inputs by name. Large graphs load, run and are
 * refused in bounded time. MOTET_SOAK=1 runs more; MOTET_SEED chooses the seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph_test.h"

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % below);
}

/* ---- making a graph ---- */

typedef struct kind {
    const char *impl, *params, *out;
    const char *ports[3];
    char types[4]; /* n b s e per input */
    char gives;
} kind;

/* clang-format off */
static const kind KINDS[] = {
    {"number_source", "value: 0.75", "value", {0}, "", 'n'},
    {"boolean_source", "value: true", "value", {0}, "", 'b'},
    {"context_number_source", "key: n1", "value", {0}, "", 'n'},
    {"context_number_source", "key: n2", "value", {0}, "", 'n'},
    {"context_bool_source", "key: b1", "value", {0}, "", 'b'},
    {"context_series_source", "key: s1", "value", {0}, "", 's'},
    {"const_number", "value: -2", "value", {0}, "", 'n'},
    {"const_bool", "value: false", "value", {0}, "", 'b'},
    {"add", "", "result", {"a", "b"}, "nn", 'n'},
    {"subtract", "", "result", {"a", "b"}, "nn", 'n'},
    {"multiply", "", "result", {"a", "b"}, "nn", 'n'},
    {"divide", "", "result", {"a", "b"}, "nn", 'n'},
    {"safe_divide", "fallback: 0.5", "result", {"a", "b"}, "nn", 'n'},
    {"abs", "", "result", {"value"}, "n", 'n'},
    {"negate", "", "result", {"value"}, "n", 'n'},
    {"min", "", "result", {"a", "b"}, "nn", 'n'},
    {"max", "", "result", {"a", "b"}, "nn", 'n'},
    {"gt", "", "result", {"a", "b"}, "nn", 'b'},
    {"gte", "", "result", {"a", "b"}, "nn", 'b'},
    {"lt", "", "result", {"a", "b"}, "nn", 'b'},
    {"lte", "", "result", {"a", "b"}, "nn", 'b'},
    {"eq", "", "result", {"a", "b"}, "nn", 'b'},
    {"neq", "", "result", {"a", "b"}, "nn", 'b'},
    {"and", "", "result", {"a", "b"}, "bb", 'b'},
    {"or", "", "result", {"a", "b"}, "bb", 'b'},
    {"not", "", "result", {"value"}, "b", 'b'},
    {"select", "", "result", {"cond", "when_true", "when_false"}, "bnn", 'n'},
    {"select_bool", "", "result", {"cond", "when_true", "when_false"}, "bbb", 'b'},
    {"append", "", "result", {"series", "value"}, "sn", 's'},
    {"window", "size: 3", "result", {"series"}, "s", 's'},
    {"mean", "", "result", {"series"}, "s", 'n'},
    {"sum", "", "result", {"series"}, "s", 'n'},
    {"len", "", "result", {"series"}, "s", 'n'},
    {"emit_if_true", "", "event", {"input"}, "B", 'e'},
    {"emit_if_event_and_true", "", "event", {"event", "condition"}, "eB", 'e'},
    {"ack_action", "accept: false", "outcome", {"event"}, "e", 0},
    {"context_set_number", "key: out", "outcome", {"event", "value"}, "en", 0},
};
/* clang-format on */
enum { FIRST_COMPUTE = 6, KIND_COUNT = sizeof KINDS / sizeof *KINDS };

typedef struct made {
    uint32_t kind, inputs[3];
    char name[24];
} made;

/* A node before `i` that gives `type`; 'B' is a bool that is not a Source's. */
static bool supplier(const made *nodes, uint32_t i, char type, uint32_t *out)
{
    uint32_t start = i ? draw(i) : 0;
    for (uint32_t k = 0; k < i; k++) {
        uint32_t at = (start + k) % i;
        char gives = KINDS[nodes[at].kind].gives;
        bool fits = type == 'B' ? gives == 'b' && nodes[at].kind >= FIRST_COMPUTE
                                : gives == type;
        if (fits) {
            *out = at;
            return true;
        }
    }
    return false;
}

static uint32_t make(made *nodes, uint32_t want, mt_buf *text)
{
    uint32_t count = 0;
    mt_buf edges = {0};
    mt_buf_addz(text, "kind: cluster\nid: random\nversion: 1.0.0\nnodes:\n");
    mt_buf_addz(&edges, "edges:\n");
    for (uint32_t tries = 0; count < want && tries < want * 20; tries++) {
        made *n = &nodes[count];
        n->kind = count < 8 ? count : draw(KIND_COUNT);
        const kind *k = &KINDS[n->kind];
        bool ok = true;
        for (int p = 0; k->types[p] && ok; p++) {
            ok = supplier(nodes, count, k->types[p], &n->inputs[p]);
        }
        if (!ok) {
            continue;
        }
        /* Random names, so that numbering and order are not the order of making. */
        snprintf(n->name, sizeof n->name, "x%03u_%05u", draw(1000), count);
        mt_buf_addf(text, "  %s: {impl: %s@*%s%s%s}\n", n->name, k->impl,
                    *k->params ? ", params: {" : "", k->params, *k->params ? "}" : "");
        for (int p = 0; k->types[p]; p++) {
            const made *from = &nodes[n->inputs[p]];
            mt_buf_addf(&edges, "  - %s.%s -> %s.%s\n", from->name,
                        KINDS[from->kind].out, n->name, k->ports[p]);
        }
        count++;
    }
    mt_buf_adds(text, edges.len > 7 ? mt_buf_str(&edges) : MT_STR(""));
    mt_buf_addc(text, '\0');
    mt_buf_free(&edges);
    return count;
}

/* ---- the naive evaluator ---- */

typedef struct naive {
    gr_value value;
    bool failed;
} naive;

static naive number(double n)
{
    return (naive){gr_number(n), !isfinite(n)};
}

static naive truth(bool b)
{
    return (naive){gr_bool(b), false};
}

static double signed_min(double a, double b)
{
    return a == b ? (signbit(a) ? a : b) : fmin(a, b);
}

static naive series_of(gt *t, const char *op, const gr_value *in)
{
    double sum = 0;
    if (!strcmp(op, "append")) {
        double *copy = mt_alloc(&t->arena, (in[0].len + 1) * sizeof *copy);
        for (uint32_t i = 0; i < in[0].len; i++) {
            copy[i] = in[0].as.series[i];
        }
        copy[in[0].len] = in[1].as.number;
        return (naive){gr_series(copy, in[0].len + 1), false};
    }
    if (!strcmp(op, "window")) {
        uint32_t skip = in[0].len > 3 ? in[0].len - 3 : 0;
        return (naive){
            gr_series(in[0].len ? in[0].as.series + skip : NULL, in[0].len - skip),
            false};
    }
    for (uint32_t i = 0; i < in[0].len; i++) {
        sum += in[0].as.series[i];
    }
    if (!strcmp(op, "mean")) {
        return number(in[0].len ? sum / in[0].len : 0);
    }
    return number(!strcmp(op, "sum") ? sum : in[0].len);
}

static naive evaluate(gt *t, const kind *k, const gr_value *in, const gr_value *context)
{
    double a = in[0].as.number, b = in[1].as.number;
    bool p = in[0].as.boolean & 1, q = in[1].as.boolean & 1;
#define OP(name) if (!strcmp(k->impl, name))
    OP("number_source") return number(0.75);
    OP("boolean_source") return truth(true);
    OP("const_number") return number(-2);
    OP("const_bool") return truth(false);
    OP("context_number_source") return number(context[k->params[6] - '1'].as.number);
    OP("context_bool_source") return truth(context[2].as.boolean);
    OP("context_series_source") return (naive){context[3], false};
    OP("add") return number(a + b);
    OP("subtract") return number(a - b);
    OP("multiply") return number(a * b);
    OP("divide") return number(b == 0 ? NAN : a / b);
    OP("safe_divide") return number(b == 0 || !isfinite(a / b) ? 0.5 : a / b);
    OP("abs") return number(fabs(a));
    OP("negate") return number(-a);
    OP("min") return number(signed_min(a, b));
    OP("max") return number(-signed_min(-a, -b));
    OP("gt") return truth(a > b);
    OP("gte") return truth(a >= b);
    OP("lt") return truth(a < b);
    OP("lte") return truth(a <= b);
    OP("eq") return truth(a == b);
    OP("neq") return truth(a != b);
    OP("and") return truth(p && q);
    OP("or") return truth(p || q);
    OP("not") return truth(!p);
    OP("select") return number(p ? b : in[2].as.number);
    OP("select_bool") return truth(p ? q : in[2].as.boolean);
    OP("emit_if_true")
    return (naive){gr_event_value(p ? GR_EMITTED : GR_NOT_EMITTED), false};
    OP("emit_if_event_and_true")
    return (naive){
        gr_event_value(in[0].as.event == GR_EMITTED && q ? GR_EMITTED : GR_NOT_EMITTED),
        false};
    OP("ack_action")
    return (naive){
        gr_event_value(in[0].as.event == GR_EMITTED ? GR_REJECTED : GR_SKIPPED), false};
    OP("context_set_number")
    return (naive){
        gr_event_value(in[0].as.event == GR_EMITTED ? GR_ATTEMPTED : GR_SKIPPED),
        false};
    return series_of(t, k->impl, in);
#undef OP
}

/* The order the model promises: ready nodes by the text of their id. */
static uint32_t *naive_order(gt *t, const made *nodes, uint32_t count)
{
    uint32_t *order = mt_new_array(&t->arena, uint32_t, count);
    bool *done = mt_new_array(&t->arena, bool, count);
    mt_str *id = mt_new_array(&t->arena, mt_str, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0; /* E.8: numbered by byte order of names */
        for (uint32_t k = 0; k < count; k++) {
            before += strcmp(nodes[k].name, nodes[i].name) < 0;
        }
        id[i] = mt_strf(&t->arena, "n%u", before);
    }
    for (uint32_t n = 0; n < count; n++) {
        uint32_t best = count;
        for (uint32_t i = 0; i < count; i++) {
            bool ready = !done[i];
            for (int p = 0; ready && KINDS[nodes[i].kind].types[p]; p++) {
                ready = done[nodes[i].inputs[p]];
            }
            if (ready && (best == count || mt_str_cmp(id[i], id[best]) < 0)) {
                best = i;
            }
        }
        order[n] = best;
        done[best] = true;
    }
    return order;
}

static void compare_pass(gt *t, const made *nodes, uint32_t count,
                         const uint32_t *order, const gr_value *context)
{
    naive *values = mt_new_array(&t->arena, naive, count);
    uint32_t ran = 0, writes = 0;
    gr_fault_code got = gr_run(t->episode, t->context, MT_STR("evt"));
    for (; ran < count; ran++) {
        const made *n = &nodes[order[ran]];
        gr_value in[3] = {{.type = GR_NONE}};
        for (int p = 0; KINDS[n->kind].types[p]; p++) {
            in[p] = values[n->inputs[p]].value;
        }
        naive v = evaluate(t, &KINDS[n->kind], in, context);
        if (v.failed) {
            break;
        }
        values[order[ran]] = v;
        bool write = !strcmp(KINDS[n->kind].impl, "context_set_number") &&
                     v.value.as.event == GR_ATTEMPTED;
        if (write && !got) {
            assert_true(
                gr_value_same(&t->episode->effects[writes].writes[0].value, &in[1]));
        }
        writes += write;
    }
    assert_int_equal(got == GR_OK, ran == count);
    assert_int_equal(t->episode->ran, ran);
    assert_int_equal(t->episode->effect_count, got ? 0 : writes);
    if (got) {
        assert_true(mt_str_eq(t->graph->nodes[t->episode->fault.node].path,
                              mt_str_z(nodes[order[ran]].name)));
    }
    for (uint32_t i = 0; i < ran; i++) {
        const made *n = &nodes[order[i]];
        assert_true(mt_str_eq(t->graph->nodes[i].path, mt_str_z(n->name)));
        if (!got) {
            const gr_value *slot = &t->episode->slots[t->graph->nodes[i].slot];
            assert_true(gr_value_same(slot, &values[order[i]].value));
        }
    }
}

static double some_number(void)
{
    static const double SPECIAL[] = {0.0, -0.0, 1, -1, 1e308, -1e308, 5e-324, 0.1};
    return draw(3) ? (double)draw(2000) / 16 - 60 : SPECIAL[draw(8)];
}

static void compare_graph(uint32_t size)
{
    gt *t = gt_begin();
    mt_buf text = {0};
    made *nodes = mt_new_array(&t->arena, made, size + 1);
    uint32_t count = make(nodes, size, &text);
    gt_must_load(t, text.ptr);
    assert_int_equal(t->graph->node_count, count);
    const uint32_t *order = naive_order(t, nodes, count);
    for (int pass = 0; pass < 4; pass++) {
        double series[] = {some_number(), some_number(), some_number()};
        gr_value context[] = {gr_number(some_number()), gr_number(some_number()),
                              gr_bool(draw(2)), gr_series(series, draw(4))};
        gt_set(t, "n1", context[0]);
        gt_set(t, "n2", context[1]);
        gt_set(t, "b1", context[2]);
        gt_set(t, "s1", context[3]);
        compare_pass(t, nodes, count, order, context);
    }
    mt_buf_free(&text);
    gt_end(t);
}

static void random_graphs_agree_with_the_naive_evaluator(void **state)
{
    (void)state;
    const char *chosen = getenv("MOTET_SEED");
    int rounds = getenv("MOTET_SOAK") ? 20000 : 400;
    seed = chosen ? strtoull(chosen, NULL, 0) | 1 : 0x5eed5eed5eedu;
    print_message("seed %llu, %d graphs\n", (unsigned long long)seed, rounds);
    for (int i = 0; i < rounds; i++) {
        compare_graph(8 + draw(i % 10 ? 40 : 160));
    }
}

/* ---- size ---- */

static void a_hundred_thousand_nodes_load_and_run(void **state)
{
    (void)state;
    gt *t = gt_begin();
    mt_buf text = {0};
    mt_buf_addz(&text, "kind: cluster\nid: chain\nversion: 1.0.0\nnodes:\n"
                       "  a: {impl: number_source@*, params: {value: -1}}\n");
    for (int i = 0; i < 100000; i++) {
        mt_buf_addf(&text, "  m%d: {impl: %s@*}\n", i, i & 1 ? "negate" : "abs");
    }
    mt_buf_addz(&text, "edges:\n  - a.value -> m0.value\n");
    for (int i = 1; i < 100000; i++) {
        mt_buf_addf(&text, "  - m%d.result -> m%d.value\n", i - 1, i);
    }
    size_t open = text.len;
    mt_buf_addc(&text, '\0');
    gt_must_load(t, text.ptr);
    assert_int_equal(t->graph->node_count, 100001);
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_true(gt_value(t, "m99999", "result")->as.number == -1);
    /* The same closed to a ring: refused, and soon. */
    text.len = open;
    char *feed = strstr(text.ptr, "a.value -> m0.value");
    memcpy(feed, "m9.result->m0.value", 19);
    assert_false(gt_load(t, text.ptr));
    assert_string_equal(gt_codes(t), "V.1");
    mt_buf_free(&text);
    gt_end(t);
}

static void a_hundred_thousand_faults_are_bounded(void **state)
{
    (void)state;
    gt *t = gt_begin();
    mt_buf text = {0};
    mt_buf_addz(&text, "kind: cluster\nid: bad\nversion: 1.0.0\nnodes:\n");
    for (int i = 0; i < 100000; i++) {
        mt_buf_addf(&text, "  n%d: {impl: abs@*}\n", i);
    }
    mt_buf_addc(&text, '\0');
    assert_false(gt_load(t, text.ptr));
    assert_string_equal(gt_codes(t), "V.3");
    assert_int_equal(t->ds.len, MT_LIMITS_DEFAULT.diagnostics);
    mt_buf_free(&text);
    gt_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_agree_with_the_naive_evaluator),
        cmocka_unit_test(a_hundred_thousand_nodes_load_and_run),
        cmocka_unit_test(a_hundred_thousand_faults_are_bounded),
    };
    return cmocka_run_group_tests_name("graph/random", tests, NULL, NULL);
}
