/* The compiled evaluator and the naive one agree on random contracts and facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../many.h"
#include "contract/eval/facts.h"
#include "contract/eval/program.h"
#include "naive.h"
#include "random_contract.h"

enum { FACT_SETS = 4 };

static struct {
    uint64_t runs, faults, verdicts;
    uint64_t records, lists, unions; /* contracts that make such values of terms */
} seen;

static mt_json read_json(mt_arena *a, mt_str text)
{
    mt_json_limits limits = {0, 2000};
    mt_json json;
    assert_int_equal(mt_json_read(a, text, &limits, &json, NULL), MT_OK);
    return json;
}

static void show(uint64_t seed, mt_str bundle, mt_str facts, mt_str got, mt_str want)
{
    fprintf(stderr, "seed %llu\ngot  %.*s\nwant %.*s\nfacts %.*s\nbundle %.*s\n",
            (unsigned long long)seed, MT_ARG(got), MT_ARG(want), MT_ARG(facts),
            MT_ARG(bundle));
    fail();
}

/* The engine's answer as one text: the verdicts, or kind and place of the fault. */
static mt_str engine(mt_arena *a, const ct_program *p, ct_facts *f, ct_verdicts *v,
                     mt_str facts)
{
    ct_fault fault = {0};
    if (ct_facts_read(f, facts, NULL, false, &fault) != MT_OK) {
        return mt_strf(a, "%s at %.*s", ct_fault_name(fault.kind), MT_ARG(fault.path));
    }
    /* What was said to be the most it can take is enough (S7). */
    uint64_t bound = ct_work_rules(p, f);
    assert_true(bound <= ct_work_most(p));
    ct_verdicts_limit(v, (ct_patience){.steps = bound});
    if (ct_evaluate(p, f, v, a, &fault) != MT_OK) {
        return mt_strf(a, "%s at %.*s", ct_fault_name(fault.kind), MT_ARG(fault.rule));
    }
    mt_buf out = {0};
    ct_verdicts_json(&out, v);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static mt_str naive(mt_arena *a, const mt_json *bundle, mt_str facts)
{
    mt_json tree = read_json(a, facts);
    naive_result r = naive_evaluate(a, bundle, &tree);
    return r.fault ? mt_strf(a, "%s at %.*s", r.fault, MT_ARG(r.where)) : r.json;
}

static const ct_model *load(mt_arena *a, mt_str bundle, uint64_t seed)
{
    mt_diags ds = {.arena = a};
    const ct_model *m = NULL;
    if (ct_load(a, bundle, MT_STR("random"), NULL, &ds, &m) != MT_OK) {
        show(seed, bundle, MT_STR(""), ds.items[0].message, MT_STR("loads"));
    }
    return m;
}

static bool has(mt_str bundle, const char *text)
{
    return memmem(bundle.ptr, bundle.len, text, strlen(text)) != NULL;
}

static void compare(uint64_t seed)
{
    mt_arena a = {0};
    random_contract *c = random_contract_new(&a, seed);
    mt_str bundle = random_bundle(c);
    mt_json tree = read_json(&a, bundle);
    seen.records += has(bundle, "{\"record\":{");
    seen.lists += has(bundle, "{\"list\":[");
    seen.unions += has(bundle, "{\"union\":{");
    const ct_model *m = load(&a, bundle, seed);
    const ct_program *p = ct_compile(&a, m);
    ct_facts *f = ct_facts_new(m);
    ct_verdicts *v = ct_verdicts_new(p);
    for (int i = 0; i < FACT_SETS; i++) {
        mt_str facts = random_facts(c);
        mt_str got = engine(&a, p, f, v, facts), want = naive(&a, &tree, facts);
        if (!mt_str_eq(got, want)) {
            show(seed, bundle, facts, got, want);
        }
        seen.runs++;
        seen.faults += want.ptr[0] != '{';
        seen.verdicts += want.ptr[0] == '{' && want.len > sizeof "{'verdicts':[]}";
    }
    ct_facts_free(f);
    ct_verdicts_free(v);
    mt_arena_free(&a);
}

static void both_evaluators_agree(void **state)
{
    (void)state;
    uint64_t seed = many_from(20260101), contracts = many_of(100000);
    for (uint64_t i = 0; i < contracts; i++) {
        compare(seed + i);
    }
    print_message("seed %llu: %llu contracts, %llu evaluations, %llu faults, %llu with "
                  "verdicts\n",
                  (unsigned long long)seed, (unsigned long long)contracts,
                  (unsigned long long)seen.runs, (unsigned long long)seen.faults,
                  (unsigned long long)seen.verdicts);
    /* The cases must be worth something. */
    assert_true(seen.faults * 20 > seen.runs);
    assert_true(seen.verdicts * 3 > seen.runs);
    assert_true(seen.records * 4 > contracts);
    assert_true(seen.lists * 4 > contracts);
    assert_true(seen.unions * 4 > contracts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_evaluators_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
