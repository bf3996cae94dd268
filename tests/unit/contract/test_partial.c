/* What is left of a contract when some facts are unknown comes, for every completion of
 * the facts, to what the contract itself does: verdicts, payloads, errors. The left
 * conditions are written as text, read back as a contract, and evaluated by the naive
 * evaluator, which shares no code with the engine. */
#include "../many.h"
#include "elaborate_fixture.h"

#include "contract/eval/facts.h"
#include "contract/reduce/partial.h"
#include "contract/reduce/source.h"
#include "naive.h"
#include "small_contract.h"

enum { COMPLETIONS = 40 };

static struct {
    uint64_t contracts, open, decided, faults, runs, ended;
} seen;

static const char *failing; /* shown when something goes wrong */

static mt_json read_json(mt_arena *a, mt_str text)
{
    mt_json_limits limits = {0, 2000};
    mt_json json;
    assert_int_equal(mt_json_read(a, text, &limits, &json, NULL), MT_OK);
    return json;
}

/* The bundle of a source; the test fails if it does not elaborate. */
static mt_str bundle_of(mt_arena *a, mt_str source, uint64_t seed)
{
    mt_memory_file file = {MT_STR("t.tenor"), source};
    mt_memory memory = {&file, 1};
    mt_provider provider = mt_memory_provider(&memory);
    ct_options options = {.no_warnings = true};
    mt_diags ds = {.arena = a};
    const ct_elaboration *e;
    if (ct_elaborate(a, file.path, &provider, &options, &ds, &e) != MT_OK) {
        fprintf(stderr, "seed %llu: %.*s\n%.*s\nof:\n%s", (unsigned long long)seed,
                MT_ARG(ct_first_error(&ds)->message), MT_ARG(source),
                failing ? failing : "");
        fail();
    }
    return e->bundle;
}

/* Verdicts with payloads, without what they used; or the fault and its rule. */
static mt_str outcome(mt_arena *a, const mt_json *bundle, mt_str facts)
{
    mt_json tree = read_json(a, facts);
    naive_result r = naive_evaluate(a, bundle, &tree);
    if (r.fault) {
        return mt_strf(a, "%s at %.*s", r.fault, MT_ARG(r.where));
    }
    mt_json *all = mt_new(a, mt_json);
    *all = read_json(a, r.json);
    const mt_json *verdicts = mt_json_at(all, "verdicts");
    mt_buf b = {0};
    for (uint32_t i = 0; i < verdicts->count; i++) {
        const mt_json *v = &verdicts->as.items[i];
        const mt_json *payload = mt_json_at(mt_json_at(v, "payload"), "value");
        mt_buf_addf(&b, "%.*s=", MT_ARG(mt_json_text(mt_json_at(v, "type"))));
        mt_str text = mt_json_is(payload, MT_JSON_BOOL)
                          ? (payload->boolean ? MT_STR("true") : MT_STR("false"))
                          : mt_json_text(payload);
        mt_buf_addf(&b, "%.*s ", MT_ARG(text));
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

typedef struct trial {
    mt_arena a;
    uint64_t seed;
    small_contract c;
    mt_str source;
    mt_json bundle;
    const ct_model *model;
    bool unknown[SMALL_FACTS];
    uint32_t chosen[SMALL_FACTS];
} trial;

static mt_str text_of(mt_arena *a, const ct_model *m, const ct_expr *e)
{
    mt_buf b = {0};
    ct_expr_source(&b, m, e);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* Of a rule that is open: what it depends on is not decided. */
static mt_str open_text(trial *t, ct_partial *x, const ct_expr *when, bool flat)
{
    mt_str written_out = text_of(&t->a, t->model, ct_partial_flat(x, when));
    assert_false(mt_str_is(written_out, "true") || mt_str_is(written_out, "false"));
    return flat ? written_out : text_of(&t->a, t->model, when);
}

/* The contract that is left, as source. */
static mt_str left_source(trial *t, ct_partial *x, bool flat)
{
    mt_str whens[SMALL_RULES] = {0}, payloads[SMALL_RULES] = {0};
    for (uint32_t i = 0; i < t->c.rule_count; i++) {
        const ct_left *r = ct_partial_rule(x, i);
        const ct_rule *rule = &t->model->rules[i];
        assert_true(mt_str_eq(rule->verdict, t->c.rules[i].name));
        whens[i] = r->state == CT_PARTLY_ABSENT    ? MT_STR("false")
                   : r->state == CT_PARTLY_PRESENT ? MT_STR("true")
                                                   : open_text(t, x, r->when, flat);
        seen.open += r->state == CT_PARTLY_OPEN;
        seen.decided += r->state != CT_PARTLY_OPEN;
        if (r->payload) {
            mt_buf b = {0};
            ct_value_source(&b, rule->payload_type, r->payload);
            size_t at = mt_str_find(t->c.rules[i].payload, '=');
            payloads[i] = mt_strf(&t->a, "%.*s= %.*s", (int)at,
                                  t->c.rules[i].payload.ptr, MT_ARG(mt_buf_str(&b)));
            mt_buf_free(&b);
        }
    }
    return small_source(&t->a, &t->c, whens, payloads);
}

static void differ(const trial *t, mt_str left, mt_str facts, mt_str got, mt_str want)
{
    fprintf(stderr, "seed %llu, facts %.*s\ngot  %.*s\nwant %.*s\n%.*s\nleft:\n%.*s",
            (unsigned long long)t->seed, MT_ARG(facts), MT_ARG(got), MT_ARG(want),
            MT_ARG(t->source), MT_ARG(left));
    fail();
}

/* All completions, or some of them where there are too many. */
static void compare_with(trial *t, mt_str left)
{
    mt_json tree =
        left.len ? read_json(&t->a, bundle_of(&t->a, left, t->seed)) : (mt_json){0};
    uint32_t chosen[SMALL_FACTS];
    memcpy(chosen, t->chosen, sizeof chosen);
    for (uint32_t i = 0; i < t->c.fact_count; i++) {
        chosen[i] = t->unknown[i] ? 0 : chosen[i];
    }
    int tried = 0;
    do {
        mt_mark mark = mt_arena_mark(&t->a);
        mt_str facts = small_facts(&t->a, &t->c, chosen);
        mt_str want = outcome(&t->a, &t->bundle, facts);
        mt_str got = left.len ? outcome(&t->a, &tree, facts) : MT_STR("");
        bool ended = memchr(want.ptr, '=', want.len) == NULL && want.len;
        if (left.len ? !mt_str_eq(got, want) : !ended) {
            differ(t, left, facts, left.len ? got : MT_STR("an error"), want);
        }
        seen.runs++;
        seen.ended += ended;
        mt_arena_rewind(&t->a, mark);
    } while (++tried < COMPLETIONS * (int)(1 + (left.len > 0)) &&
             small_next(&t->c, t->unknown, chosen));
}

static void choose(trial *t)
{
    bool some = false;
    for (uint32_t i = 0; i < t->c.fact_count; i++) {
        t->unknown[i] = small_random(&t->c.seed) % 2;
        some |= t->unknown[i];
        t->chosen[i] = (uint32_t)(small_random(&t->c.seed) % t->c.facts[i].count);
    }
    t->unknown[0] |= !some;
}

/* `t` has a contract, known values and what is unknown. */
static void try_one(trial *t, ct_facts *f, ct_partial *x)
{
    ct_fault fault = {0};
    mt_str facts = small_facts(&t->a, &t->c, t->chosen);
    assert_int_equal(ct_facts_read(f, facts, NULL, true, &fault), MT_OK);
    bool by_model[SMALL_FACTS] = {0};
    for (uint32_t i = 0; i < t->c.fact_count; i++) {
        by_model[ct_model_find(t->model, CT_KIND_FACT, t->c.facts[i].name)] =
            t->unknown[i];
    }
    if (ct_partial_evaluate(x, f, by_model, &fault)) {
        seen.faults++;
        compare_with(t, MT_STR(""));
    } else {
        compare_with(t, left_source(t, x, false));
        compare_with(t, left_source(t, x, true));
    }
}

static const ct_program *open_trial(trial *t)
{
    mt_diags ds = {.arena = &t->a};
    t->source = small_source(&t->a, &t->c, NULL, NULL);
    failing = t->source.ptr;
    mt_str bundle = bundle_of(&t->a, t->source, t->seed);
    t->bundle = read_json(&t->a, bundle);
    assert_int_equal(ct_load(&t->a, bundle, MT_STR("t"), NULL, &ds, &t->model), MT_OK);
    return ct_compile(&t->a, t->model);
}

static void try_contract(uint64_t seed)
{
    trial t = {.seed = seed};
    t.c = small_contract_new(&t.a, seed, false);
    const ct_program *p = open_trial(&t);
    ct_facts *f = ct_facts_new(t.model);
    ct_partial *x = ct_partial_new(p);
    choose(&t);
    try_one(&t, f, x);
    seen.contracts++;
    ct_partial_free(x);
    ct_facts_free(f);
    mt_arena_free(&t.a);
}

/* ---- Contracts that are written ---- */

typedef struct written {
    const char *name, *facts;
    const char *rules[SMALL_RULES + 1];
} written;

#define INT "| Int(min: -1000, max: 1000) = "
static const written WRITTEN[] = {
    {"a verdict with a quantifier is read inside another",
     "li",
     {"exists x0 in f0 . x0 = f1", "forall y0 in f0 . y0 > 0 or verdict_present(v0)"}},
    {"two deep, and the outer list is known",
     "lib",
     {"exists x0 in f0 . x0 = f1 and f2",
      "forall y0 in f0 . exists y1 in f0 . y1 > y0 or verdict_present(v0) or f2"}},
    {"an absent payload before what fails",
     "bil",
     {"f0 " INT "f1", "v0 + f2[1] = 3", "f2[1] + v0 = 3", "v0 = f2[1]"}},
    {"a verdict and a condition that exclude each other",
     "ib",
     {"f0 = 1", "f0 = 2 and verdict_present(v0)", "f0 = 2 or not verdict_present(v0)",
      "verdict_present(v1) or f1"}},
    {"a payload in a payload", "bi", {"f0 " INT "f1", "f0 or f1 > 0 " INT "v0"}},
    {"a payload that is brought to its type",
     "bi",
     {"f0 | Decimal(precision: 9, scale: 0) = f1 * 9", "v0 > 3", "not (v0 > 3)"}},
    {"a variant behind its tag",
     "ub",
     {"f0.tag = \"num\" and f0.num > 0", "f0.num > 0 and f1", "f1 and f0.num > 0",
      "f1 or f0.flag"}},
    {"an index that is known to be outside",
     "lb",
     {"f1 and f0[1] = 1", "f1 or f0[1] = 1", "not (f1 and f0[1] = 1)",
      "f0[1] = 1 and f1"}},
    {"an element that fails, and what decides before it",
     "ltb",
     {"forall x0 in f0 . x0 = 1 and f2", "exists x0 in f0 . f0[x0] = 1 or f2",
      "forall x0 in f0 . f0[x0] = x0", "exists x0 in f1 . x0.a or f0[x0.n] = 1"}},
    {"a name that an inner variable would hide",
     "tl",
     {"forall x0 in f0 . exists f0 in f1 . f0 = x0.n"}},
    {"bounds of a term from both sides",
     "ih",
     {"f0 > 0 and f0 < 2", "f0 = 0 or f0 = 2", "f0 != 1 and f0 >= 1 and not (f0 = 2)",
      "f1 > Duration { value: 30, unit: \"minutes\" } and f1 < Duration { value: 90, "
      "unit: \"minutes\" }"}},
    {"records and lists as a whole",
     "rrll",
     {"f0 = f1", "f2 != f3 and f0 != f1", "f0.n = f1.n or f2 = f3",
      "len(f2) > len(f3)"}},
    {"FL27 a record and a list of terms",
     "rlbi",
     {"f0 = { a: f2, n: 1 }", "f1 = [f0.n, 1] or f2",
      "f1 != [f1[0]] and f0 != { a: true, n: f1[1] }",
      "not ({ a: f2, n: f0.n } = f0) or [] = f1"}},
    {"FL27 a union of a term, which may fail",
     "ub",
     {"f0 = flag(f1)", "f0 != num(f0.num) or f1", "f1 and f0 = num(f0.num)"}},
    {"FL27 a verdict that is a record",
     "bilr",
     {"f0 | Record { a: Bool, l: List(element_type: Int(min: 0, max: 1), max: 2), n: "
      "Int(min: -100, max: 100) } = { a: f0, l: [f3.n, f2[0]], n: f1 + 1 }",
      "v0.n > 1", "v0 != { a: f0, l: [1, 0], n: f1 }",
      "v0.l[1] = f1 or not (v0.n = 2) " INT "v0.n + v0.l[0]"}},
    {"FL27 a part that is rounded is not the term that is written",
     "bi",
     {"f0 | Record { d: Decimal(precision: 9, scale: 0), n: Int(min: 0, max: 9) } = { "
      "d: f1 * 0.25, n: f1 }",
      "v0.d = 0.25 or v0.d = 0.5", "v0.d = 0", "v0.n = 1 and v0.d != 0"}},
    {"FL27 a part that is a record itself",
     "bi",
     {"f0 | Record { r: Record { n: Int(min: 0, max: 9) } } = { r: { n: f1 } }",
      "v0.r = { n: f1 }", "v0.r = { n: 1 }", "v0.r.n = 1"}},
    {"FL27 parts that read absent verdicts",
     "brl",
     {"f0 | Int(min: 0, max: 1) = f1.n", "f1 != { a: true, n: v0 }", "f2 = [v0, f2[1]]",
      "not (f1 = { a: true, n: v0 })"}},
};

/* Every choice of what is unknown, and some values of the rest. */
static void a_written_one(void **state)
{
    const written *w = *state;
    trial t = {.seed = 1};
    t.c = small_contract_of(&t.a, w->facts, w->rules);
    const ct_program *p = open_trial(&t);
    ct_facts *f = ct_facts_new(t.model);
    ct_partial *x = ct_partial_new(p);
    bool all[SMALL_FACTS] = {true, true, true, true, true};
    for (uint32_t mask = 0; mask < 1u << t.c.fact_count; mask++) {
        for (uint32_t i = 0; i < t.c.fact_count; i++) {
            t.unknown[i] = mask >> i & 1;
            t.chosen[i] = 0;
        }
        int left = (int)many_or(60, 60);
        do {
            try_one(&t, f, x);
        } while (--left && small_next(&t.c, all, t.chosen));
    }
    ct_partial_free(x);
    ct_facts_free(f);
    mt_arena_free(&t.a);
}

static void what_is_left_comes_to_the_same(void **state)
{
    (void)state;
    uint64_t seed = many_from(20260301), count = many_of(20000);
    for (uint64_t i = 0; i < count; i++) {
        try_contract(seed + i);
    }
    print_message(
        "seed %llu: %llu contracts, %llu open, %llu decided, %llu faults, %llu runs, "
        "%llu ended in an error\n",
        (unsigned long long)seed, (unsigned long long)seen.contracts,
        (unsigned long long)seen.open, (unsigned long long)seen.decided,
        (unsigned long long)seen.faults, (unsigned long long)seen.runs,
        (unsigned long long)seen.ended);
    assert_true(seen.open * 4 > seen.contracts);
    assert_true(seen.ended * 50 > seen.runs);
}

int main(void)
{
    enum { COUNT = sizeof WRITTEN / sizeof *WRITTEN };
    struct CMUnitTest tests[COUNT + 1];
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){.name = WRITTEN[i].name,
                                       .test_func = a_written_one,
                                       .initial_state = (void *)(uintptr_t)&WRITTEN[i]};
    }
    tests[COUNT] = (struct CMUnitTest){.name = "what_is_left_comes_to_the_same",
                                       .test_func = what_is_left_comes_to_the_same};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
