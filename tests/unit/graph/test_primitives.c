/* What each standard primitive does, primitives from files and from C, clusters. */
#include <math.h>

#include "graph_test.h"

#define HEAD "kind: cluster\nid: g\nversion: 1.0.0\n"

/* ---- arithmetic: two context numbers a and b, one node ---- */

static const struct number_row {
    const char *impl;
    double a, b, want;
    gr_fault_code fault;
} NUMBERS[] = {
    {"add", 1, 2, 3, GR_OK},
    {"add", 1e308, 1e308, 0, GR_FAULT_NON_FINITE_OUTPUT},
    {"subtract", 1, 2, -1, GR_OK},
    {"subtract", -1e308, 1e308, 0, GR_FAULT_NON_FINITE_OUTPUT},
    {"multiply", 3, -2, -6, GR_OK},
    {"multiply", 1e200, 1e200, 0, GR_FAULT_NON_FINITE_OUTPUT},
    {"divide", 1, 4, 0.25, GR_OK},
    {"divide", 1, 0, 0, GR_FAULT_COMPUTE_FAILED},
    {"divide", 0, -0.0, 0, GR_FAULT_COMPUTE_FAILED},
    {"divide", 1e300, 1e-300, 0, GR_FAULT_COMPUTE_FAILED},
    {"safe_divide", 1, 4, 0.25, GR_OK},
    {"safe_divide", 1, 0, 7, GR_OK},
    {"safe_divide", 1, -0.0, 7, GR_OK},
    {"safe_divide", 1e300, 1e-300, 7, GR_OK},
    {"min", 1, 2, 1, GR_OK},
    {"min", 0.0, -0.0, -0.0, GR_OK},
    {"min", -0.0, 0.0, -0.0, GR_OK},
    {"max", 1, 2, 2, GR_OK},
    {"max", 0.0, -0.0, 0.0, GR_OK},
    {"max", -0.0, 0.0, 0.0, GR_OK},
    {"max", -3, -3, -3, GR_OK},
};

static void number_primitive(void **state)
{
    const struct number_row *r = *state;
    gt *t = gt_begin();
    const char *params =
        strcmp(r->impl, "safe_divide") ? "" : ", params: {fallback: 7}";
    gt_must_load(t,
                 mt_strf(&t->arena,
                         HEAD "nodes:\n"
                              "  a: {impl: context_number_source@*, params: {key: a}}\n"
                              "  b: {impl: context_number_source@*, params: {key: b}}\n"
                              "  o: {impl: %s@*%s}\n"
                              "edges: [a.value -> o.a, b.value -> o.b]\n",
                         r->impl, params)
                     .ptr);
    gt_set(t, "a", gr_number(r->a));
    gt_set(t, "b", gr_number(r->b));
    assert_int_equal(gt_run(t, NULL), r->fault);
    if (!r->fault) {
        gr_value want = gr_number(r->want);
        assert_true(gr_value_same(gt_value(t, "o", "result"), &want));
    }
    gt_end(t);
}

static const struct compare_row {
    const char *impl;
    bool less, equal, greater;
} COMPARES[] = {{"gt", false, false, true}, {"gte", false, true, true},
                {"lt", true, false, false}, {"lte", true, true, false},
                {"eq", false, true, false}, {"neq", true, false, true}};

static void compare_primitive(void **state)
{
    const struct compare_row *r = *state;
    static const double PAIRS[3][2] = {{1, 1.0000000000000002}, {0.0, -0.0}, {2, 1}};
    const bool want[] = {r->less, r->equal, r->greater};
    gt *t = gt_begin();
    gt_must_load(t,
                 mt_strf(&t->arena,
                         HEAD "nodes:\n"
                              "  a: {impl: context_number_source@*, params: {key: a}}\n"
                              "  b: {impl: context_number_source@*, params: {key: b}}\n"
                              "  o: {impl: %s@*}\n"
                              "edges: [a.value -> o.a, b.value -> o.b]\n",
                         r->impl)
                     .ptr);
    for (int i = 0; i < 3; i++) {
        gt_set(t, "a", gr_number(PAIRS[i][0]));
        gt_set(t, "b", gr_number(PAIRS[i][1]));
        assert_int_equal(gt_run(t, NULL), GR_OK);
        assert_int_equal(gt_value(t, "o", "result")->as.boolean, want[i]);
    }
    gt_end(t);
}

static void logic_and_selection(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(
        t, HEAD
        "nodes:\n"
        "  a: {impl: context_bool_source@*, params: {key: a}}\n"
        "  b: {impl: context_bool_source@*, params: {key: b}}\n"
        "  and: {impl: and@*}\n  or: {impl: or@*}\n  not: {impl: not@*}\n"
        "  one: {impl: const_number@*, params: {value: 1}}\n"
        "  two: {impl: const_number@*, params: {value: 2}}\n"
        "  pick: {impl: select@*}\n  pickb: {impl: select_bool@*}\n"
        "edges: [a.value -> and.a, b.value -> and.b, a.value -> or.a, b.value -> "
        "or.b,\n"
        "  a.value -> not.value, a.value -> pick.cond, one.value -> pick.when_true,\n"
        "  two.value -> pick.when_false, a.value -> pickb.cond, b.value -> "
        "pickb.when_true,\n"
        "  not.result -> pickb.when_false]\n");
    for (int i = 0; i < 4; i++) {
        bool a = i & 1, b = i & 2;
        gt_set(t, "a", gr_bool(a));
        gt_set(t, "b", gr_bool(b));
        assert_int_equal(gt_run(t, NULL), GR_OK);
        assert_int_equal(gt_value(t, "and", "result")->as.boolean, a && b);
        assert_int_equal(gt_value(t, "or", "result")->as.boolean, a || b);
        assert_int_equal(gt_value(t, "not", "result")->as.boolean, !a);
        assert_true(gt_value(t, "pick", "result")->as.number == (a ? 1 : 2));
        assert_int_equal(gt_value(t, "pickb", "result")->as.boolean, a ? b : !a);
    }
    gt_end(t);
}

static const char SERIES[] =
    HEAD "nodes:\n"
         "  s: {impl: context_series_source@*, params: {key: s}}\n"
         "  v: {impl: context_number_source@*, params: {key: v}}\n"
         "  longer: {impl: append@*}\n"
         "  last: {impl: window@*, params: {size: 2}}\n"
         "  mean: {impl: mean@*}\n  sum: {impl: sum@*}\n  len: {impl: len@*}\n"
         "edges: [s.value -> longer.series, v.value -> longer.value, longer.result -> "
         "last.series,\n"
         "  s.value -> mean.series, s.value -> sum.series, s.value -> len.series]\n";

static void series_primitives(void **state)
{
    (void)state;
    gt *t = gt_begin();
    double three[] = {1, 2, 6}, huge[] = {1e308, 1e308};
    gt_must_load(t, SERIES);
    gt_set(t, "s", gr_series(three, 3));
    gt_set(t, "v", gr_number(7));
    assert_int_equal(gt_run(t, NULL), GR_OK);
    const gr_value *last = gt_value(t, "last", "result");
    assert_int_equal(last->len, 2);
    assert_true(last->as.series[0] == 6 && last->as.series[1] == 7);
    assert_int_equal(gt_value(t, "longer", "result")->len, 4);
    assert_true(gt_value(t, "mean", "result")->as.number == 3);
    assert_true(gt_value(t, "sum", "result")->as.number == 9);
    assert_true(gt_value(t, "len", "result")->as.number == 3);
    gt_clear(t); /* empty series: zeros, and +0.0 for the sum */
    assert_int_equal(gt_run(t, NULL), GR_OK);
    gr_value zero = gr_number(0.0);
    assert_true(gr_value_same(gt_value(t, "sum", "result"), &zero));
    assert_true(gr_value_same(gt_value(t, "mean", "result"), &zero));
    assert_int_equal(gt_value(t, "last", "result")->len, 1);
    gt_set(t, "s", gr_series(huge, 2));
    assert_int_equal(gt_run(t, NULL), GR_FAULT_COMPUTE_FAILED);
    assert_string_equal(t->episode->fault.detail, "NonFiniteResult");
    gt_end(t);
}

static void context_values_of_another_type_read_as_zero(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, HEAD "nodes:\n"
                         "  n: {impl: context_number_source@*, params: {key: k}}\n"
                         "  b: {impl: context_bool_source@*, params: {key: k}}\n"
                         "  s: {impl: context_string_source@*, params: {key: k}}\n"
                         "  l: {impl: context_series_source@*}\n");
    gt_set(t, "k", gr_string(MT_STR("hi")));
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_true(gt_value(t, "n", "value")->as.number == 0);
    assert_int_equal(gt_value(t, "b", "value")->as.boolean, 0);
    assert_true(mt_str_is(gr_text_of(gt_value(t, "s", "value")), "hi"));
    assert_int_equal(gt_value(t, "l", "value")->len, 0);
    gt_end(t);
}

static void NUM_FINITE_1_guards_what_comes_in(void **state)
{
    (void)state;
    gt *t = gt_begin();
    double bad[] = {1, INFINITY};
    gt_must_load(t, SERIES);
    gt_set(t, "v", gr_number(NAN));
    assert_int_equal(gt_run(t, NULL), GR_FAULT_NON_FINITE_OUTPUT);
    assert_true(mt_str_is(t->episode->fault.name, "value"));
    gt_clear(t);
    gt_set(t, "s", gr_series(bad, 2));
    assert_int_equal(gt_run(t, NULL), GR_FAULT_NON_FINITE_OUTPUT);
    assert_string_equal(gr_fault_rule(GR_FAULT_NON_FINITE_OUTPUT), "NUM-FINITE-1");
    gt_end(t);
}

static void there_are_42_standard_primitives_and_all_obey_the_rules(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_int_equal(gr_registry_count(t->registry), 42);
    size_t kinds[4] = {0};
    for (size_t i = 0; i < 42; i++) {
        const gr_manifest *m = &gr_registry_at(t->registry, i)->manifest;
        kinds[m->kind]++;
        assert_true(gr_manifest_check(m, &t->ds));
        assert_true(m->summary.len > 0);
    }
    assert_int_equal(kinds[GR_SOURCE], 7);
    assert_int_equal(kinds[GR_COMPUTE], 27);
    assert_int_equal(kinds[GR_TRIGGER], 2);
    assert_int_equal(kinds[GR_ACTION], 6);
    gt_end(t);
}

/* ---- from files ---- */

static void SRC_10_and_11_required_keys_are_checked_at_run_time(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t,
                            "kind: source\nid: quote\nversion: 1.0.0\n"
                            "outputs: [{name: bid, type: number, from: context.bid},\n"
                            "  {name: sym, type: string, from: context.$sym}, {name: "
                            "n, type: number, from: param.n}]\n"
                            "parameters: [{name: sym, type: string, default: symbol}, "
                            "{name: n, type: number, default: 4}]\n"
                            "requires: {context: [{name: bid, type: number}, {name: "
                            "$sym, type: string, required: false}]}\n"));
    gt_must_load(t, HEAD "nodes: {q: {impl: quote@1}}\n");
    assert_true(t->graph->needs_context);
    assert_int_equal(gt_run(t, NULL), GR_FAULT_MISSING_CONTEXT_KEY);
    assert_true(mt_str_is(t->episode->fault.name, "bid"));
    assert_int_equal(gr_run(t->episode, NULL, MT_STR("e")), /* no context at all */
                     GR_FAULT_MISSING_CONTEXT_KEY);
    gt_set(t, "bid", gr_bool(true));
    assert_int_equal(gt_run(t, NULL), GR_FAULT_CONTEXT_KEY_TYPE);
    gt_set(t, "bid", gr_number(9));
    gt_set(t, "symbol", gr_string(MT_STR("EURUSD")));
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_true(gt_value(t, "q", "bid")->as.number == 9);
    assert_true(mt_str_is(gr_text_of(gt_value(t, "q", "sym")), "EURUSD"));
    assert_true(gt_value(t, "q", "n")->as.number == 4);
    gt_end(t);
}

static const struct formula {
    const char *text, *type;
    double x, y, want;
} FORMULAS[] = {
    {"x + y * 2", "number", 1, 3, 7},
    {"(x + y) * 2", "number", 1, 3, 8},
    {"x - y - 1", "number", 10, 3, 6},
    {"-x * -y", "number", 2, 3, 6},
    {"x / y / 2", "number", 12, 3, 2},
    {"x", "number", -0.0, 0, -0.0},
    {"k + x", "number", 1, 0, 11},
    {"max(x, y) - min(x, y)", "number", 2, 5, 3},
    {"abs(x)", "number", -4, 0, 4},
    {"select(x > y, x, y)", "number", 2, 5, 5},
    {"safe_divide(x, y, -1)", "number", 2, 0, -1},
    {"safe_divide(x, y, k)", "number", 2, 0, 10},
    {"1.5e1 + x", "number", 1, 0, 16},
    {"x < y and not x == 1 or false", "bool", 0, 1, 1},
    {"x < y and not (x == 0 or false)", "bool", 0, 1, 0},
    {"not x >= y", "bool", 0, 1, 1},
    {"select(x != y, true, false)", "bool", 1, 1, 0},
    {"len(window(append(append(s, x), y), 1))", "number", 1, 2, 1},
    {"mean(append(append(s, x), y)) + sum(s)", "number", 1, 2, 1.5},
};

static void formula(void **state)
{
    const struct formula *f = *state;
    gt *t = gt_begin();
    const char *manifest = mt_strf(&t->arena,
                                   "kind: compute\nid: f\nversion: 1.0.0\n"
                                   "inputs: [{name: x, type: number}, {name: y, type: "
                                   "number}, {name: s, type: series}]\n"
                                   "parameters: [{name: k, type: int, default: 10}]\n"
                                   "outputs: [{name: result, type: %s}]\n"
                                   "expression: \"%s\"\n",
                                   f->type, f->text)
                               .ptr;
    if (!gt_manifest(t, manifest)) {
        gt_print(t);
        fail();
    }
    gt_must_load(t, HEAD "nodes:\n"
                         "  a: {impl: context_number_source@*, params: {key: a}}\n"
                         "  b: {impl: context_number_source@*, params: {key: b}}\n"
                         "  s: {impl: context_series_source@*, params: {key: s}}\n"
                         "  f: {impl: f@1}\n"
                         "edges: [a.value -> f.x, b.value -> f.y, s.value -> f.s]\n"
                         "outputs: {r: f.result}\n");
    gt_set(t, "a", gr_number(f->x));
    gt_set(t, "b", gr_number(f->y));
    assert_int_equal(gt_run(t, NULL), GR_OK);
    const gr_value *got = &t->episode->slots[t->graph->outputs[0].slot];
    gr_value want =
        strcmp(f->type, "bool") ? gr_number(f->want) : gr_bool(f->want != 0);
    assert_true(gr_value_same(got, &want));
    gt_end(t);
}

static void a_formula_is_part_of_the_identity(void **state)
{
    (void)state;
    const char *graph = HEAD "nodes: {a: {impl: number_source@*}, f: {impl: f@1}}\n"
                             "edges: [a.value -> f.x]\n";
    gt *t = gt_begin(), *u = gt_begin();
    assert_true(gt_manifest(
        t, "kind: compute\nid: f\nversion: 1.0.0\ninputs: [{name: x, type: number}]\n"
           "outputs: [{name: result, type: number}]\nexpression: x + 2\n"));
    assert_true(gt_manifest(
        u, "kind: compute\nid: f\nversion: 1.0.0\ninputs: [{name: x, type: number}]\n"
           "outputs: [{name: result, type: number}]\nexpression: x * 2\n"));
    gt_must_load(t, graph);
    gt_must_load(u, graph);
    assert_false(mt_str_eq(t->graph->provenance, u->graph->provenance));
    gt_end(t);
    gt_end(u);
}

static void a_trigger_from_a_formula_is_gated_by_its_event(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(
        t, "kind: trigger\nid: over\nversion: 1.0.0\n"
           "inputs: [{name: e, type: event}, {name: x, type: number}]\n"
           "outputs: [{name: fired, type: event}]\n"
           "parameters: [{name: level, type: number}]\nexpression: x > level\n"));
    gt_must_load(t, HEAD
                 "nodes:\n"
                 "  x: {impl: context_number_source@*, params: {key: x}}\n"
                 "  g: {impl: context_bool_source@*, params: {key: g}}\n"
                 "  n: {impl: not@*}\n  t: {impl: emit_if_true@*}\n"
                 "  o: {impl: over@1, params: {level: 5}}\n  a: {impl: ack_action@*}\n"
                 "edges: [g.value -> n.value, n.result -> t.input, t.event -> o.e, "
                 "x.value -> o.x, o.fired -> a.event]\n");
    for (int i = 0; i < 4; i++) {
        gt_set(t, "x", gr_number(i & 1 ? 6 : 5));
        gt_set(t, "g", gr_bool(i & 2));
        assert_int_equal(gt_run(t, NULL), GR_OK);
        assert_int_equal(gt_event(t, "a", "outcome"),
                         i == 1 ? GR_COMPLETED : GR_SKIPPED);
    }
    gt_end(t);
}

static void a_compute_can_be_a_cluster(void **state)
{
    (void)state;
    static const gr_text FILES[] = {
        {MT_STR_INIT("square_body.yaml"),
         MT_STR_INIT(
             "kind: cluster\nid: square_body\nversion: 1.0.0\n"
             "inputs: [{name: x, type: number}]\nnodes: {m: {impl: multiply@*}}\n"
             "edges: [$x -> m.a, $x -> m.b]\noutputs: {result: m.result}\n")}};
    gt *t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    assert_true(gt_manifest(
        t, "kind: compute\nid: square\nversion: 2.0.0\n"
           "inputs: [{name: x, type: number}]\n"
           "outputs: [{name: result, type: number}]\ncluster: square_body@^1\n"));
    gt_must_load(
        t, HEAD
        "nodes: {a: {impl: number_source@*, params: {value: 3}}, s: {impl: square@2}}\n"
        "edges: [a.value -> s.x]\noutputs: {r: s.result}\n");
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_true(t->episode->slots[t->graph->outputs[0].slot].as.number == 9);
    gt_end(t);
}

static void a_cluster_that_realises_a_manifest_has_its_ports(void **state)
{
    (void)state;
    static const gr_text FILES[] = {
        {MT_STR_INIT("other.yaml"),
         MT_STR_INIT("kind: cluster\nid: other\nversion: 1.0.0\n"
                     "inputs: [{name: y, type: number, required: false}]\n"
                     "nodes: {m: {impl: gt@*}}\n"
                     "edges: [$y -> m.a, $y -> m.b]\noutputs: {result: m.result}\n")}};
    gt *t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    assert_true(
        gt_manifest(t, "kind: compute\nid: square\nversion: 2.0.0\n"
                       "inputs: [{name: x, type: number}]\n"
                       "parameters: [{name: k, type: number, default: 1}]\n"
                       "outputs: [{name: result, type: number}]\ncluster: other@1\n"));
    assert_false(gt_load(t, HEAD "nodes: {s: {impl: square@2}}\n"));
    assert_true(gt_has_code(t, "D.2"));
    assert_true(gt_has_code(t, "D.4"));
    assert_true(gt_has_code(t, "I.7"));
    gt_end(t);
}

/* ---- from C ---- */

static bool hypotenuse(void *user, gr_call *c)
{
    (void)user;
    double a = c->inputs[0].as.number;
    double b = c->inputs[1].type == GR_NONE ? 0 : c->inputs[1].as.number;
    if (a < 0) {
        c->error = "negative";
        return false;
    }
    if (a == 99) {
        return true; /* forgets its output */
    }
    c->outputs[0] = a == 98 ? gr_bool(true) : gr_number(sqrt(a * a + b * b));
    return true;
}

static const char HYPOTENUSE[] =
    "kind: compute\nid: hypotenuse\nversion: 1.0.0\n"
    "inputs: [{name: a, type: number}, {name: b, type: number, required: false}]\n"
    "outputs: [{name: c, type: number}]\n"
    "errors: {allowed: true, deterministic: true}\n";

static void CMP_11_and_12_a_compute_from_C_is_watched(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_int_equal(gr_registry_add(t->registry, MT_STR("c"), mt_str_z(HYPOTENUSE),
                                     hypotenuse, NULL, &t->ds),
                     MT_OK);
    gt_must_load(t, HEAD "nodes:\n"
                         "  a: {impl: context_number_source@*, params: {key: a}}\n"
                         "  h: {impl: hypotenuse@1}\n  d: {impl: abs@*}\n"
                         "edges: [a.value -> h.a, h.c -> d.value]\n");
    static const struct {
        double a;
        gr_fault_code fault;
    } ROWS[] = {{3, GR_OK},
                {-1, GR_FAULT_COMPUTE_FAILED},
                {99, GR_FAULT_MISSING_OUTPUT},
                {98, GR_FAULT_OUTPUT_TYPE},
                {1e200, GR_FAULT_NON_FINITE_OUTPUT},
                {4, GR_OK}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        gt_set(t, "a", gr_number(ROWS[i].a));
        assert_int_equal(gt_run(t, NULL), ROWS[i].fault);
        if (!ROWS[i].fault) {
            assert_true(gt_value(t, "d", "result")->as.number == ROWS[i].a);
        }
    }
    gt_end(t);
}

static bool refuse_odd(void *user, gr_call *c)
{
    int *calls = user;
    (*calls)++;
    assert_int_equal(c->inputs[0].as.event, GR_ATTEMPTED);
    bool odd = fmod(c->inputs[1].as.number, 2) != 0;
    c->outputs[0] = gr_event_value(odd ? GR_REJECTED : GR_COMPLETED);
    return true;
}

static void
an_action_from_C_decides_its_outcome_and_is_not_called_when_skipped(void **state)
{
    (void)state;
    int calls = 0;
    gt *t = gt_begin();
    assert_int_equal(
        gr_registry_add(
            t->registry, MT_STR("c"),
            MT_STR("kind: action\nid: even\nversion: 1.0.0\n"
                   "inputs: [{name: event, type: event}, {name: n, type: number}]\n"
                   "outputs: [{name: outcome, type: event}]\n"
                   "effects: {writes: [{name: k, type: number, from_input: n}]}\n"),
            refuse_odd, &calls, &t->ds),
        MT_OK);
    gt_must_load(
        t, HEAD
        "nodes:\n"
        "  n: {impl: context_number_source@*, params: {key: n}}\n"
        "  z: {impl: number_source@*}\n  p: {impl: gt@*}\n  t: {impl: emit_if_true@*}\n"
        "  a: {impl: even@1}\n"
        "edges: [n.value -> p.a, z.value -> p.b, p.result -> t.input, t.event -> "
        "a.event, n.value -> a.n]\n");
    gt_set(t, "n", gr_number(2));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_int_equal(gt_event(t, "a", "outcome"), GR_COMPLETED);
    gt_set(t, "n", gr_number(3));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_int_equal(gt_event(t, "a", "outcome"), GR_REJECTED);
    assert_int_equal(t->episode->effect_count, 1);
    gt_set(t, "n", gr_number(0));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_int_equal(gt_event(t, "a", "outcome"), GR_SKIPPED);
    assert_int_equal(calls, 2);
    gt_end(t);
}

/* ---- clusters ---- */

static void a_derived_key_names_the_place_of_its_cluster(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(
        t,
        "kind: cluster\nid: main\nversion: 1.0.0\nnodes:\n"
        "  y: {impl: const_bool@*, params: {value: true}}\n  once: {cluster: once@1}\n"
        "edges: [y.value -> once.condition]\n");
    assert_int_equal(t->graph->written_count, 1);
    assert_true(t->graph->written[0].derived);
    assert_true(
        mt_str_is(t->graph->written[0].name, "__ergo/4:main/4:once/9:has_fired"));
    assert_true(gr_graph_key(t->graph, MT_STR("__ergo/4:main/4:once/9:has_fired")) >=
                0);
    gt_end(t);
}

static void node_names_of_a_cluster_do_not_meet_those_outside(void **state)
{
    (void)state;
    static const gr_text FILES[] = {
        {MT_STR_INIT("inner.yaml"),
         MT_STR_INIT("kind: cluster\nid: inner\nversion: 1.0.0\n"
                     "nodes: {a: {impl: number_source@*, params: {value: "
                     "1}}}\noutputs: {o: a.value}\n")}};
    gt *t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    gt_must_load(
        t, HEAD
        "nodes:\n"
        "  a: {impl: number_source@*, params: {value: 10}}\n  b: {cluster: inner@1}\n"
        "  s: {impl: add@*}\nedges: [a.value -> s.a, b.o -> s.b]\n");
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_true(gt_value(t, "s", "result")->as.number == 11);
    /* And a parent cannot reach inside. */
    assert_false(gt_load(t, HEAD "nodes: {b: {cluster: inner@1}, s: {impl: abs@*}}\n"
                                 "edges: [a.value -> s.value]\n"));
    assert_string_equal(gt_codes(t), "D.2");
    gt_end(t);
}

static void an_optional_or_unused_input_of_a_cluster_may_stay_open(void **state)
{
    (void)state;
    static const gr_text FILES[] = {
        {MT_STR_INIT("c.yaml"),
         MT_STR_INIT("kind: cluster\nid: c\nversion: 1.0.0\n"
                     "inputs: [{name: used, type: number, required: false}, {name: "
                     "unused, type: number}]\n"
                     "nodes: {k: {impl: const_number@*, params: {value: 4}}}\n"
                     "edges: [$used -> k.unit]\noutputs: {o: k.value}\n")}};
    gt *t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    gt_must_load(t, HEAD "nodes: {n: {impl: number_source@*}, c: {cluster: c@1}}\n"
                         "edges: [n.value -> c.unused]\n");
    gt_end(t);
}

static void the_highest_version_that_matches_is_taken(void **state)
{
    (void)state;
    static const gr_text FILES[] = {
        {MT_STR_INIT("a/c.yaml"),
         MT_STR_INIT(
             "kind: cluster\nid: c\nversion: 1.2.0\nnodes: {n: {impl: number_source@*, "
             "params: {value: 12}}}\noutputs: {o: n.value}\n")},
        {MT_STR_INIT("b/c.yaml"),
         MT_STR_INIT(
             "kind: cluster\nid: c\nversion: 1.10.0\nnodes: {n: {impl: "
             "number_source@*, params: {value: 110}}}\noutputs: {o: n.value}\n")},
        {MT_STR_INIT("d/c.yaml"),
         MT_STR_INIT(
             "kind: cluster\nid: c\nversion: 2.0.0-rc.1\nnodes: {n: {impl: "
             "number_source@*, params: {value: 2}}}\noutputs: {o: n.value}\n")}};
    static const struct {
        const char *selector;
        double want;
    } ROWS[] = {{"^1", 110},        {"1.2.0", 12},        {"~1.2", 12},
                {"*", 110},         {">=1.2, <1.10", 12}, {"1.*", 110},
                {"^2.0.0-rc.0", 2}, {"<2", 110},          {"=1.10", 110}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        gt *t = gt_begin();
        t->files = FILES;
        t->file_count = 3;
        gt_must_load(t, mt_strf(&t->arena,
                                HEAD
                                "nodes: {c: {cluster: \"c@%s\"}}\noutputs: {o: c.o}\n",
                                ROWS[i].selector)
                            .ptr);
        assert_int_equal(gt_run(t, NULL), GR_OK);
        assert_true(t->episode->slots[t->graph->outputs[0].slot].as.number ==
                    ROWS[i].want);
        gt_end(t);
    }
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define ADD_ROWS(rows, name_field, test)                                               \
    for (size_t i = 0; i < COUNT(rows); i++) {                                         \
        tests[n++] = (struct CMUnitTest){rows[i].name_field, test, NULL, NULL,         \
                                         (void *)(uintptr_t)&rows[i]};                 \
    }

int main(void)
{
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(logic_and_selection),
        cmocka_unit_test(series_primitives),
        cmocka_unit_test(context_values_of_another_type_read_as_zero),
        cmocka_unit_test(NUM_FINITE_1_guards_what_comes_in),
        cmocka_unit_test(there_are_42_standard_primitives_and_all_obey_the_rules),
        cmocka_unit_test(SRC_10_and_11_required_keys_are_checked_at_run_time),
        cmocka_unit_test(a_formula_is_part_of_the_identity),
        cmocka_unit_test(a_trigger_from_a_formula_is_gated_by_its_event),
        cmocka_unit_test(a_compute_can_be_a_cluster),
        cmocka_unit_test(a_cluster_that_realises_a_manifest_has_its_ports),
        cmocka_unit_test(CMP_11_and_12_a_compute_from_C_is_watched),
        cmocka_unit_test(
            an_action_from_C_decides_its_outcome_and_is_not_called_when_skipped),
        cmocka_unit_test(a_derived_key_names_the_place_of_its_cluster),
        cmocka_unit_test(node_names_of_a_cluster_do_not_meet_those_outside),
        cmocka_unit_test(an_optional_or_unused_input_of_a_cluster_may_stay_open),
        cmocka_unit_test(the_highest_version_that_matches_is_taken),
    };
    struct CMUnitTest tests[COUNT(NUMBERS) + COUNT(COMPARES) + COUNT(FORMULAS)];
    size_t n = 0;
    ADD_ROWS(NUMBERS, impl, number_primitive)
    ADD_ROWS(COMPARES, impl, compare_primitive)
    ADD_ROWS(FORMULAS, text, formula)
    int bad = cmocka_run_group_tests_name("graph/primitives", tests, NULL, NULL);
    return bad +
           cmocka_run_group_tests_name("graph/primitives more", fixed, NULL, NULL);
}
