/* A condition that was simplified comes to what it did before, for every fact set of
 * small domains: true, false, or the same error. Examples say what it looks like. */
#include "../many.h"
#include "elaborate_fixture.h"

#include "contract/eval/facts.h"
#include "contract/eval/program.h"
#include "contract/reduce/expr.h"
#include "contract/reduce/may_fail.h"
#include "contract/reduce/simplify.h"
#include "contract/reduce/source.h"
#include "small_contract.h"

static mt_str bundle_of(mt_arena *a, mt_str source)
{
    mt_memory_file file = {MT_STR("t.tenor"), source};
    mt_memory memory = {&file, 1};
    mt_provider provider = mt_memory_provider(&memory);
    ct_options options = {.no_warnings = true};
    mt_diags ds = {.arena = a};
    const ct_elaboration *e;
    if (ct_elaborate(a, file.path, &provider, &options, &ds, &e) != MT_OK) {
        fprintf(stderr, "%.*s\n%.*s\n", MT_ARG(ct_first_error(&ds)->message),
                MT_ARG(source));
        fail();
    }
    return e->bundle;
}

static mt_str text_of(mt_arena *a, const ct_model *m, const ct_expr *e)
{
    mt_buf b = {0};
    ct_expr_source(&b, m, e);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* ---- Examples ---- */

static const char FACTS[] =
    "fact a { type: Bool source: \"s\" }\n"
    "fact b { type: Bool source: \"s\" }\n"
    "fact n { type: Int(min: 0, max: 9) source: \"s\" }\n"
    "fact k { type: Int(min: 0, max: 9) source: \"s\" }\n"
    "fact e { type: Enum([\"x\", \"y\", \"z\"]) source: \"s\" }\n"
    "fact t { type: Text(max_length: 9) source: \"s\" }\n"
    "fact d { type: Decimal(precision: 4, scale: 2) source: \"s\" }\n"
    "fact m { type: Money(currency: \"EUR\") source: \"s\" }\n"
    "fact w { type: Duration(unit: \"minutes\", min: 0, max: 90) source: \"s\" }\n"
    "fact day { type: Date source: \"s\" }\n"
    "fact at { type: DateTime source: \"s\" }\n"
    "fact u { type: TaggedUnion { p: Int(min: 0, max: 9), q: Bool } source: \"s\" }\n"
    "fact l { type: List(element_type: Int(min: 0, max: 9), max: 5) source: \"s\" }\n"
    "rule v { stratum: 0 when: a produce: verdict v { payload: Int(min: 0, max: 9) = n "
    "} }\n"
    "rule lv { stratum: 0 when: a produce: verdict lv { payload: List(element_type: "
    "Int(min: 0, max: 9), max: 5) = l } }\n"
    "rule r { stratum: 1 when: %s produce: verdict r { payload: Bool = true } }\n";

typedef struct example {
    const char *before, *after;
} example;

static const example EXAMPLES[] = {
    {"a and true", "a"},
    {"a and not a", "false"},
    {"a or a = true", "a"},
    {"a = true or a = false", "true"},
    {"not (a and n > 3)", "not a or n <= 3"},
    {"not (a = true)", "a = false"},
    {"a or (a and b)", "a"},
    {"(a and b) or a", "a"},
    {"a and (a or b)", "a"},
    {"(a or b) and a", "a"},
    {"a or (not a and b)", "a or b"},
    {"a and b and a", "a and b"},
    {"(a and b) or (n > 3 and (b and n > 3))", "a and b or n > 3 and b"},
    /* one term and constants */
    {"n > 3 and n > 5", "n > 5"},
    {"n > 3 or n > 5", "n > 3"},
    {"n > 5 and n < 3", "false"},
    {"n <= 5 or n > 5", "true"},
    {"n <= 5 or n >= 6", "true"},
    {"n >= 0", "true"},
    {"n > 9", "false"},
    {"n < 100", "true"},
    {"n >= 4 and n <= 4", "n = 4"},
    {"n > 3 and n < 5", "n = 4"},
    {"n != 4 and n > 4", "n > 4"},
    {"n != 4 and n >= 4", "n > 4"},
    {"n < 4 or n > 4", "n != 4"},
    {"n = 4 or n = 5 or n = 6", "n >= 4 and n <= 6"},
    {"n > 2.5 and n < 3.5", "n = 3"},
    {"n > 2.5 and n > 2.75", "n > 2.5"},
    {"n = 2.5", "false"},
    {"3 < n", "n > 3"},
    {"e = \"x\" or e = \"y\" or e = \"z\"", "true"},
    {"e != \"x\" and e != \"y\"", "e = \"z\""},
    {"e = \"x\" and e = \"y\"", "false"},
    {"e = \"x\" or e != \"x\"", "true"},
    {"t = \"k\" and t = \"l\"", "false"},
    {"t != \"k\" and t != \"l\"", "t != \"k\" and t != \"l\""},
    {"t != \"k\" or t != \"l\"", "true"},
    {"d > 1.25 and d >= 1.26", "d > 1.25"},
    {"d >= 1.25 and d <= 1.25", "d = 1.25"},
    {"m > Money { amount: \"1\", currency: \"EUR\" } and m >= Money { amount: "
     "\"1.01\", "
     "currency: \"EUR\" }",
     "m >= Money { amount: \"1.01\", currency: \"EUR\" }"},
    {"w > Duration { value: 3600, unit: \"seconds\" } or w > Duration { value: 1, "
     "unit: "
     "\"hours\" }",
     "w > Duration { value: 3600, unit: \"seconds\" }"},
    {"w > Duration { value: 100, unit: \"seconds\" } and w >= Duration { value: 2, "
     "unit: "
     "\"minutes\" }",
     "w > Duration { value: 100, unit: \"seconds\" }"},
    {"w < Duration { value: 2, unit: \"hours\" }", "true"},
    {"day > \"2024-01-01\" and day >= \"2024-01-02\"", "day > \"2024-01-01\""},
    {"at > \"2024-01-01T00:00:00Z\" and at < \"2023-01-01T00:00:00Z\"", "false"},
    {"len(l) > 5", "false"},
    /* two terms */
    {"n < n", "false"},
    {"n <= n and a", "a"},
    {"n < k or k <= n", "true"},
    {"n < k and k > n", "n < k"},
    {"n != k and n = k", "false"},
    {"n + k * 2 > 3", "n + k * 2 > 3"},
    {"(n + k) * 2 > 3", "(n + k) * 2 > 3"},
    {"n - (k - 1) > 3", "n - (k - 1) > 3"},
    /* what may fail stays where it is */
    {"l[0] = 1 and l[0] = 1", "l[0] = 1"},
    {"l[0] < l[0]", "l[0] < l[0]"},
    {"l[0] = 1 and false", "l[0] = 1 and false"},
    {"a and l[0] = 1 and false", "a and l[0] = 1 and false"},
    {"l[0] = 1 and a and false", "l[0] = 1 and false"},
    {"a and false and l[0] = 1", "false"},
    {"l[0] = 1 or true", "l[0] = 1 or true"},
    {"n > 3 and l[0] = 1 and n > 5", "n > 3 and l[0] = 1 and n > 5"},
    {"n > 5 and l[0] = 1 and n > 3", "n > 5 and l[0] = 1"},
    {"n > 3 and l[0] = 1 and n > 5 and n > 7", "n > 3 and l[0] = 1 and n > 7"},
    {"u.tag = \"p\" and u.p > 3 and u.p > 3", "u.tag = \"p\" and u.p > 3"},
    {"(a and l[0] = 1) or a", "a and l[0] = 1 or a"},
    {"a or (a and l[0] = 1)", "a"},
    /* a payload may be absent: then neither holds */
    {"v > 3 or v <= 3", "v > 3 or v <= 3"},
    {"v > 3 and v > 3", "v > 3"},
    {"not (v > 3)", "not v > 3"},
    {"v = v", "v = v"},
    {"verdict_present(v) and not verdict_present(v)", "false"},
    /* quantifiers */
    {"forall i in l . true", "true"},
    {"exists i in l . i > 3 or i <= 3", "len(l) != 0"},
    {"forall i in l . i > 3 and i < 2", "len(l) = 0"},
    {"not (forall i in l . i > 3)", "exists i in l . i <= 3"},
    {"not (exists i in l . i > 3 and a)", "not (exists i in l . i > 3 and a)"},
    {"a and (forall i in l . i > 3 or a)", "a"},
    {"b and (exists i in l . i > 3 and b)", "b and (exists i in l . i > 3)"},
    {"forall i in l . forall j in l . i > 3 or i <= 3 or j > 3", "true"},
    {"(forall i in l . i > 3) and (forall j in l . j > 3)", "forall i in l . i > 3"},
};

static void an_example(void **state)
{
    const example *x = *state;
    mt_arena a = {0};
    char source[4096];
    snprintf(source, sizeof source, FACTS, x->before);
    mt_diags ds = {.arena = &a};
    const ct_model *m;
    assert_int_equal(
        ct_load(&a, bundle_of(&a, mt_str_z(source)), MT_STR("t"), NULL, &ds, &m),
        MT_OK);
    const ct_expr *short_one = ct_simplify(&a, m->rules[2].when);
    mt_str got = text_of(&a, m, short_one);
    if (!mt_str_eq(got, mt_str_z(x->after))) {
        fail_msg("%s\ngot  %.*s\nwant %s", x->before, MT_ARG(got), x->after);
    }
    /* Reads back, and there is nothing more to do. */
    snprintf(source, sizeof source, FACTS, got.ptr);
    assert_int_equal(
        ct_load(&a, bundle_of(&a, mt_str_z(source)), MT_STR("t"), NULL, &ds, &m),
        MT_OK);
    mt_str again = text_of(&a, m, ct_simplify(&a, m->rules[2].when));
    assert_true(mt_str_eq(again, got));
    mt_arena_free(&a);
}

/* The language has no quantifier over a verdict's list, but expressions can: one that
 * is absent makes `forall` and `exists` false, so neither is turned into the other, and
 * the body decides nothing. */
static void a_list_that_may_be_absent(void **state)
{
    (void)state;
    mt_arena a = {0};
    char source[4096];
    snprintf(source, sizeof source, FACTS, "not (forall i in l . i > 3)");
    mt_diags ds = {.arena = &a};
    const ct_model *m;
    assert_int_equal(
        ct_load(&a, bundle_of(&a, mt_str_z(source)), MT_STR("t"), NULL, &ds, &m),
        MT_OK);
    ct_expr *list = ct_expr_new(&a, CT_PAYLOAD, NULL, NULL);
    list->index = ct_model_find(m, CT_KIND_VERDICT, MT_STR("lv"));
    list->type = m->rules[list->index].payload_type;
    const ct_expr *all = m->rules[2].when->left;
    const ct_expr *over = ct_expr_with(&a, all, list, all->right);
    const ct_expr *negated = ct_expr_new(&a, CT_NOT, over, NULL);
    assert_true(ct_expr_same(ct_simplify(&a, negated), negated));
    const ct_expr *always = ct_expr_with(&a, all, list, &CT_EXPR_TRUE);
    assert_true(ct_expr_same(ct_simplify(&a, always), always));
    mt_arena_free(&a);
}

/* ---- All fact sets ---- */

static struct {
    uint64_t conditions, sets, errors, before, after;
} seen;

/* Sums get a narrower type than the language gives them, so that they overflow. */
static mt_str narrowed(mt_arena *a, mt_str bundle)
{
    static const mt_str KEY = MT_STR_INIT("\"result_type\":{\"base\":\"Int\",\"max\":");
    mt_buf b = {0};
    for (size_t i = 0; i < bundle.len;) {
        mt_str rest = mt_str_skip(bundle, i);
        if (!mt_str_starts(rest, KEY)) {
            mt_buf_addc(&b, bundle.ptr[i++]);
            continue;
        }
        i += KEY.len;
        mt_buf_adds(&b, KEY);
        mt_buf_addz(&b, "1,\"min\":-1}");
        i += mt_str_find(mt_str_skip(bundle, i), '}') + 1;
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

typedef struct trial {
    mt_arena a;
    uint64_t seed;
    small_contract c;
    const ct_model *model;
    const ct_program *program;
    ct_facts *facts;
    ct_verdicts *verdicts;
} trial;

/* "true", "false", or the name of the error. */
static const char *value_of(trial *t, const ct_expr *e)
{
    ct_snapshot s = {t->program, t->facts, t->verdicts};
    ct_fault fault = {0};
    bool holds = false;
    if (ct_holds_expr(&s, e, &holds, &t->a, NULL, &fault)) {
        return fault.message.ptr;
    }
    return holds ? "true" : "false";
}

static void compare(trial *t, const ct_expr *before, const ct_expr *after, mt_str facts)
{
    const char *x = value_of(t, before), *y = value_of(t, after);
    seen.errors += strcmp(x, "true") && strcmp(x, "false");
    seen.sets++;
    if (strcmp(x, y)) {
        mt_str b = text_of(&t->a, t->model, before),
               f = text_of(&t->a, t->model, after);
        fprintf(stderr, "seed %llu\n%.*s is %s\n%.*s is %s\nfor %.*s\n",
                (unsigned long long)t->seed, MT_ARG(b), x, MT_ARG(f), y, MT_ARG(facts));
        fail();
    }
    if (!ct_may_fail(before) && strcmp(x, "true") && strcmp(x, "false")) {
        fail_msg("seed %llu: what cannot fail does", (unsigned long long)t->seed);
    }
}

/* Every fact set, at most so many; verdicts are present or absent as chance has it. */
static void try_sets(trial *t, const ct_expr *before, const ct_expr *after)
{
    uint32_t chosen[SMALL_FACTS] = {0};
    bool all[SMALL_FACTS] = {true, true, true, true, true};
    ct_fault fault = {0};
    static const ct_value PAYLOADS[] = {
        {.integer = 0}, {.integer = 1}, {.integer = -1}};
    int left = 40;
    do {
        mt_mark mark = mt_arena_mark(&t->a);
        for (uint32_t i = 0; i < t->c.fact_count; i++) {
            uint64_t any = small_random(&t->c.seed);
            chosen[i] =
                any % 3 ? (uint32_t)(any >> 8) % t->c.facts[i].count : chosen[i];
        }
        mt_str facts = small_facts(&t->a, &t->c, chosen);
        assert_int_equal(ct_facts_read(t->facts, facts, NULL, true, &fault), MT_OK);
        ct_verdicts_clear(t->verdicts);
        for (uint32_t i = 0; i < t->model->rule_count; i++) {
            uint64_t any = small_random(&t->c.seed);
            if (any % 2 && ct_is_int(t->model->rules[i].payload_type)) {
                ct_verdicts_put(t->verdicts, i, &PAYLOADS[(any >> 8) % 3]);
            }
        }
        compare(t, before, after, facts);
        mt_arena_rewind(&t->a, mark);
    } while (--left && small_next(&t->c, all, chosen));
}

static void try_contract(uint64_t seed)
{
    trial t = {.seed = seed};
    mt_diags ds = {.arena = &t.a};
    t.c = small_contract_new(&t.a, seed, false);
    mt_str bundle = bundle_of(&t.a, small_source(&t.a, &t.c, NULL, NULL));
    bundle = seed % 2 ? narrowed(&t.a, bundle) : bundle;
    assert_int_equal(ct_load(&t.a, bundle, MT_STR("t"), NULL, &ds, &t.model), MT_OK);
    t.program = ct_compile(&t.a, t.model);
    t.facts = ct_facts_new(t.model);
    t.verdicts = ct_verdicts_new(t.program);
    for (uint32_t i = 0; i < t.model->rule_count; i++) {
        const ct_expr *e = t.model->rules[i].when;
        const ct_expr *after = ct_simplify(&t.a, e);
        assert_true(ct_expr_same(after, ct_simplify(&t.a, e)));
        seen.conditions++;
        seen.before += ct_expr_size(e, 10000);
        seen.after += ct_expr_size(after, 10000);
        try_sets(&t, e, after);
    }
    ct_facts_free(t.facts);
    ct_verdicts_free(t.verdicts);
    mt_arena_free(&t.a);
}

static void every_fact_set_gives_the_same(void **state)
{
    (void)state;
    uint64_t seed = many_from(20260401), count = many_of(20000);
    for (uint64_t i = 0; i < count; i++) {
        try_contract(seed + i);
    }
    print_message("seed %llu: %llu conditions, %llu nodes before, %llu after, %llu "
                  "sets, %llu errors\n",
                  (unsigned long long)seed, (unsigned long long)seen.conditions,
                  (unsigned long long)seen.before, (unsigned long long)seen.after,
                  (unsigned long long)seen.sets, (unsigned long long)seen.errors);
    assert_true(seen.errors * 50 > seen.sets);
    assert_true(seen.after < seen.before);
}

/* What was read is written again, in one form. */
static void a_condition_is_written_as_an_author_writes_it(void **state)
{
    (void)state;
    static const char OF_ALL_TYPES[] =
        "fact a { type: Bool source: \"s\" }\nfact b { type: Bool source: \"s\" }\n"
        "fact n { type: Int(min: -9, max: 9) source: \"s\" }\n"
        "fact g { type: Int(min: 0, max: 9) source: \"s\" }\n"
        "fact d { type: Decimal(precision: 5, scale: 2) source: \"s\" }\n"
        "fact m { type: Money(currency: \"EUR\") source: \"s\" }\n"
        "fact t { type: Text(max_length: 40) source: \"s\" }\n"
        "fact e { type: Enum(values: [\"x\", \"y\"]) source: \"s\" }\n"
        "fact day { type: Date source: \"s\" }\nfact at { type: DateTime source: \"s\" "
        "}\n"
        "fact h { type: Duration(unit: \"hours\", min: 0, max: 99) source: \"s\" }\n"
        "fact xs { type: List(element_type: Int(min: 0, max: 9), max: 3) source: \"s\" "
        "}\n"
        "fact r { type: Record { k: Bool, ls: List(element_type: Record { v: Int(min: "
        "0, "
        "max: 9) }, max: 2) } source: \"s\" }\n"
        "fact u { type: TaggedUnion { Cash: Int(min: 0, max: 9), Card: Record { no: "
        "Text(max_length: 4) } } source: \"s\" }\n"
        "rule v { stratum: 0 when: a produce: v(true) }\n"
        "rule w { stratum: 0 when: a produce: verdict w { payload: Int(min: 0, max: 9) "
        "= 3 } "
        "}\n";
    static const char *const CONDITIONS[] = {
        "a = true",
        "not a = true",
        "not (a = true and b = true)",
        "a = true and b = true or n > 3",
        "a = true and (b = true or n > 3)",
        "not (not a = true or b = true)",
        "n + 1 < 3",
        "n - (1 + n) <= -3",
        "(n + 1) * 2 >= n",
        "n * 2 - 1 != n + n",
        "n - 1 - n = 0",
        "n - (1 - n) = 0",
        "d = 1.50",
        "d > 2.0",
        "d * 0.5 < n",
        "m <= Money { amount: \"1.50\", currency: \"EUR\" }",
        "m.amount > 1.5",
        "t = \"a \\\"b\\\" \\\\ c\\n\\td\"",
        "t != \"\"",
        "e = \"y\"",
        "day < \"2024-02-29\"",
        "at >= \"2024-02-29T01:02:03Z\"",
        "h > Duration { value: 3, unit: \"hours\" }",
        "h + h > Duration { value: 3, unit: \"hours\" }",
        "len(xs) > 2",
        "xs[0] = xs[len(xs) - 1]",
        "xs = [1, 2]",
        "xs = []",
        "xs = [g, xs[1]]",
        "exists x in xs . x > 3",
        "forall x in xs . x > 3 and (exists y in xs . y < x)",
        "(exists x in xs . x > 3) and a = true",
        "not (exists x in xs . x > 3)",
        "forall l in r.ls . l.v > 0 or r.k = true",
        "r.ls[0].v = 1",
        "r = { k: true, ls: [{ v: 1 }] }",
        "r.ls = [{ v: g }]",
        "u.tag = \"Cash\"",
        "u.Cash > 3",
        "u = Cash(3)",
        "u = Card({ no: \"x\" })",
        "verdict_present(v)",
        "not verdict_present(v) or w > 3",
        "w + n = 3",
    };
    for (size_t i = 0; i < sizeof CONDITIONS / sizeof *CONDITIONS; i++) {
        trial t = {0};
        mt_diags ds = {.arena = &t.a};
        mt_str source =
            mt_strf(&t.a, "%srule z { stratum: 1 when: %s produce: z(true) }\n",
                    OF_ALL_TYPES, CONDITIONS[i]);
        assert_int_equal(
            ct_load(&t.a, bundle_of(&t.a, source), MT_STR("t"), NULL, &ds, &t.model),
            MT_OK);
        const ct_rule *z =
            &t.model->rules[ct_model_find(t.model, CT_KIND_VERDICT, mt_str_z("z"))];
        mt_buf b = {0};
        ct_expr_source(&b, t.model, z->when);
        assert_string_equal(mt_str_dup(&t.a, mt_buf_str(&b)).ptr, CONDITIONS[i]);
        mt_buf_free(&b);
        mt_arena_free(&t.a);
    }
}

int main(void)
{
    enum { COUNT = sizeof EXAMPLES / sizeof *EXAMPLES };
    struct CMUnitTest tests[COUNT + 3];
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] =
            (struct CMUnitTest){.name = EXAMPLES[i].before,
                                .test_func = an_example,
                                .initial_state = (void *)(uintptr_t)&EXAMPLES[i]};
    }
    tests[COUNT] = (struct CMUnitTest){.name = "every_fact_set_gives_the_same",
                                       .test_func = every_fact_set_gives_the_same};
    tests[COUNT + 1] = (struct CMUnitTest){.name = "a_list_that_may_be_absent",
                                           .test_func = a_list_that_may_be_absent};
    tests[COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(
        a_condition_is_written_as_an_author_writes_it);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
