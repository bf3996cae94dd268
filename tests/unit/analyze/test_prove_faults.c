/* Can legal facts end an evaluation in an error? What random facts do was foretold, and
 * what was foretold happens. 300 contracts with 12 fact sets each, MOTET_SOAK=1:
 * 10,000; MOTET_SEED chooses others. */
#include "../contract/random_contract.h"
#include "analyze/prove/prove_corners.h"
#include "analyze/prove/prove_faults.h"
#include "prove_fixture.h"

enum { FACT_SETS = 12 };

static struct {
    uint64_t contracts, warned, open, runs, aborts, undecided;
} seen;

typedef struct subject {
    mt_arena a;
    const ct_program *program;
    ct_facts *facts;
    ct_verdicts *verdicts;
    an_findings found;
    bool open; /* something stayed undecided */
} subject;

static const an_finding *finding_of(const subject *s, const char *kind, mt_str id)
{
    for (size_t i = 0; i < s->found.len; i++) {
        const an_finding *f = &s->found.items[i];
        if (!strcmp(f->kind, kind) && mt_str_eq(f->construct, id)) {
            return f;
        }
    }
    return NULL;
}

static bool is_foretold_kind(ct_fault_kind kind)
{
    return kind == CT_FAULT_OVERFLOW || kind == CT_FAULT_INDEX_RANGE ||
           kind == CT_FAULT_TAG_MISMATCH || kind == CT_FAULT_ABSENT_VERDICT;
}

/* The facts of a warning end in the fault it tells of. */
static void confirm(subject *s, const an_finding *f, uint64_t seed)
{
    mt_json tree;
    mt_buf text = {0};
    ct_fault fault = {0};
    assert_int_equal(mt_json_read(&s->a, f->details, NULL, &tree, NULL), MT_OK);
    mt_json_write(&text, mt_json_at(&tree, "facts"), false);
    mt_str facts = mt_str_dup(&s->a, mt_buf_str(&text));
    mt_buf_free(&text);
    assert_int_equal(ct_facts_read(s->facts, facts, NULL, true, &fault), MT_OK);
    mt_err err = ct_evaluate(s->program, s->facts, s->verdicts, &s->a, &fault);
    const char *code = fault.kind == CT_FAULT_OVERFLOW      ? "S331"
                       : fault.kind == CT_FAULT_INDEX_RANGE ? "S332"
                                                            : "S333";
    if (!err || !mt_str_eq(fault.rule, f->construct) || strcmp(code, f->code)) {
        print_error("seed %llu: %.*s was foretold of %.*s, for %.*s\n",
                    (unsigned long long)seed, MT_ARG(f->message), MT_ARG(f->construct),
                    MT_ARG(facts));
        fail();
    }
}

static void try_facts(subject *s, mt_str facts, uint64_t seed)
{
    ct_fault fault = {0};
    if (ct_facts_read(s->facts, facts, NULL, false, &fault)) {
        return; /* not legal */
    }
    seen.runs++;
    if (!ct_evaluate(s->program, s->facts, s->verdicts, &s->a, &fault) ||
        !is_foretold_kind(fault.kind)) {
        return;
    }
    seen.aborts++;
    if (finding_of(s, "Rule", fault.rule)) {
        return;
    }
    seen.undecided++;
    if (!s->open) {
        print_error("seed %llu: nothing was said of rule %.*s: %.*s, for %.*s\n",
                    (unsigned long long)seed, MT_ARG(fault.rule), MT_ARG(fault.message),
                    MT_ARG(facts));
        fail();
    }
}

static void one_contract(uint64_t seed)
{
    subject s = {0};
    s.found.arena = &s.a;
    random_contract *c = random_contract_new(&s.a, seed);
    mt_str bundle = random_bundle(c);
    mt_diags ds = {.arena = &s.a};
    mt_limits limits = MT_LIMITS_DEFAULT;
    const ct_model *m = NULL;
    limits.prove_steps = 2000000;
    limits.prove_ms = 2000;
    assert_int_equal(ct_load(&s.a, bundle, MT_STR("random"), NULL, &ds, &m), MT_OK);
    s.program = ct_compile(&s.a, m);
    s.facts = ct_facts_new(m);
    s.verdicts = ct_verdicts_new(s.program);
    assert_true(
        an_prove_faults(s.program, &limits, MT_STR(""), (an_watcher){0}, &s.found));
    seen.contracts++;
    for (size_t i = 0; i < s.found.len; i++) {
        const an_finding *f = &s.found.items[i];
        if (!strcmp(f->code, "S334")) {
            s.open = true;
            seen.open++;
        } else {
            seen.warned++;
            assert_int_equal(f->severity, MT_WARNING);
            confirm(&s, f, seed);
        }
    }
    for (int i = 0; i < FACT_SETS; i++) {
        try_facts(&s, random_facts(c), seed);
    }
    for (unsigned i = 0; i < AN_CORNERS; i++) {
        try_facts(&s, an_corner(&s.a, m, i), seed);
    }
    ct_facts_free(s.facts);
    ct_verdicts_free(s.verdicts);
    mt_arena_free(&s.a);
}

static void FL28_what_random_facts_do_was_foretold(void **state)
{
    (void)state;
    const char *given = getenv("MOTET_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 20260501;
    uint64_t contracts = getenv("MOTET_SOAK") ? 10000 : 300;
    for (uint64_t i = 0; i < contracts; i++) {
        one_contract(seed + i);
    }
    print_message("seed %llu: %llu contracts, %llu warnings, %llu with open places; "
                  "%llu evaluations, %llu aborts, %llu of them undecided\n",
                  (unsigned long long)seed, (unsigned long long)seen.contracts,
                  (unsigned long long)seen.warned, (unsigned long long)seen.open,
                  (unsigned long long)seen.runs, (unsigned long long)seen.aborts,
                  (unsigned long long)seen.undecided);
    /* The cases must be worth something, and hardly any left open. */
    assert_true(seen.warned > seen.contracts / 2);
    assert_true(seen.aborts * 10 > seen.runs);
    assert_true(seen.undecided * 200 <= seen.aborts);
}

/* All corners are legal, of every type there is. */
static void corners_are_legal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        mt_arena a = {0};
        mt_diags ds = {.arena = &a};
        const ct_model *m = NULL;
        mt_str bundle = random_bundle(random_contract_new(&a, seed));
        assert_int_equal(ct_load(&a, bundle, MT_STR("random"), NULL, &ds, &m), MT_OK);
        ct_facts *facts = ct_facts_new(m);
        for (unsigned i = 0; i < AN_CORNERS; i++) {
            ct_fault fault = {0};
            assert_int_equal(
                ct_facts_read(facts, an_corner(&a, m, i), NULL, true, &fault), MT_OK);
        }
        ct_facts_free(facts);
        mt_arena_free(&a);
    }
}

/* clang-format off */
static const struct row {
    const char *name, *source;
    const char *want; /* "code/kind/construct/part severity: message", one per line */
} ROWS[] = {
    {"FL28_an_int_and_a_decimal_literal", "fact i { type: Int(0, 100) source: \"s\" }\nrule r { stratum: 0 when: i + 5.25 > 1.0 produce: v(true) }\n",
        "S331/Rule/r warning: legal facts end it in an error: numeric overflow: result 105.25 exceeds declared precision(4, 2)\n"},
    {"FL28_that_holds_its_operands", "fact i { type: Int(0, 94) source: \"s\" }\nrule r { stratum: 0 when: i + 5.25 > 1.0 produce: v(true) }\n", ""},
    {"FL28_one_beyond", "fact i { type: Int(0, 95) source: \"s\" }\nrule r { stratum: 0 when: i + 5.25 > 1.0 produce: v(true) }\n",
        "S331/Rule/r warning: legal facts end it in an error: numeric overflow: result 100.25 exceeds declared precision(4, 2)\n"},
    {"FL28_the_longest_time_between_two_moments", "fact a { type: DateTime source: \"s\" }\nfact b { type: DateTime source: \"s\" }\nrule r { stratum: 0 when: a - b > Duration { value: 1, unit: \"days\" } produce: v(true) }\n", ""},
    {"FL28_behind_a_guard", "fact i { type: Int(0, 100) source: \"s\" }\nrule r { stratum: 0 when: i < 95 and i + 5.25 > 1.0 produce: v(true) }\n", ""},
    {"FL28_behind_a_guard_that_lets_one_through", "fact i { type: Int(0, 100) source: \"s\" }\nrule r { stratum: 0 when: i < 96 and i > 94 and i + 5.25 > 1.0 produce: v(true) }\n",
        "S331/Rule/r warning: legal facts end it in an error: numeric overflow: result 100.25 exceeds declared precision(4, 2)\n"},
    {"FL21_decimals_of_28_digits", "fact d { type: Decimal(28, 2) source: \"s\" }\nrule r { stratum: 0 when: d + d > 1.0 produce: v(true) }\n",
        "S331/Rule/r warning: legal facts end it in an error: numeric overflow: addition overflow\n"},
    {"FL21_decimals_of_27_digits", "fact d { type: Decimal(27, 2) source: \"s\" }\nrule r { stratum: 0 when: d + d > 1.0 produce: v(true) }\n", ""},
    {"FL21_money", "fact d { type: Money(\"USD\") source: \"s\" }\nrule r { stratum: 0 when: d + d > d produce: v(true) }\n",
        "S331/Rule/r warning: legal facts end it in an error: numeric overflow: addition overflow\n"},
    {"FL7_a_payload_that_carries", "fact d { type: Decimal(5, 3) source: \"s\" }\nrule r { stratum: 0 when: true produce: verdict v { payload: Decimal(4, 2) = d } }\n",
        "S331/Rule/r warning: legal facts end it in an error: numeric overflow: result -99.999 exceeds declared precision(4, 2)\n"},
    {"FL22_beyond_the_largest", "fact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule r { stratum: 0 when: l[5] = 1 produce: v(true) }\n",
        "S332/Rule/r warning: legal facts end it in an error: index 5 is outside a list of 0 elements\n"},
    {"FL22_beyond_the_largest_behind_a_guard", "fact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule r { stratum: 0 when: len(l) > 5 and l[5] = 1 produce: v(true) }\n", ""},
    {"FL22_an_empty_list", "fact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule r { stratum: 0 when: l[0] = 1 produce: v(true) }\n",
        "S332/Rule/r warning: legal facts end it in an error: index 0 is outside a list of 0 elements\n"},
    {"FL22_guarded", "fact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule r { stratum: 0 when: len(l) > 0 and l[0] = 1 produce: v(true) }\n", ""},
    {"FL22_guarded_by_one_too_few", "fact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule r { stratum: 0 when: len(l) > 0 and l[1] = 1 produce: v(true) }\n",
        "S332/Rule/r warning: legal facts end it in an error: index 1 is outside a list of 1 elements\n"},
    {"FL22_an_index_that_is_a_fact", "fact i { type: Int(0, 5) source: \"s\" }\nfact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule r { stratum: 0 when: len(l) > i and l[i] = 1 produce: v(true) }\n", ""},
    {"another_variant", "fact u { type: TaggedUnion { A: Bool, B: Int(0, 5) } source: \"s\" }\nrule r { stratum: 0 when: u.B = 1 produce: v(true) }\n",
        "S333/Rule/r warning: legal facts end it in an error: type error: variant 'B' accessed, but the tag is 'A'\n"},
    {"the_variant_that_was_asked_for", "fact u { type: TaggedUnion { A: Bool, B: Int(0, 5) } source: \"s\" }\nrule r { stratum: 0 when: u.tag = \"B\" and u.B = 1 produce: v(true) }\n", ""},
    {"an_absent_verdict", "fact b { type: Bool source: \"s\" }\nfact c { type: Bool source: \"s\" }\nrule r { stratum: 0 when: b produce: v(1) }\nrule q { stratum: 1 when: c produce: w(v) }\n",
        "S333/Rule/q warning: legal facts end it in an error: payload reads verdict 'v', which is absent\n"},
    {"a_verdict_that_is_asked_for", "fact b { type: Bool source: \"s\" }\nfact c { type: Bool source: \"s\" }\nrule r { stratum: 0 when: b produce: v(1) }\nrule q { stratum: 1 when: c and v present produce: w(v) }\n", ""},
    {"each_of_two_rules", "fact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule a { stratum: 0 when: l[0] = 1 produce: v(true) }\nrule b { stratum: 0 when: l[3] = 1 produce: w(true) }\n",
        "S332/Rule/a warning: legal facts end it in an error: index 0 is outside a list of 0 elements\n"
        "S332/Rule/b warning: legal facts end it in an error: index 3 is outside a list of 2 elements\n"},
    {"a_rule_behind_one_that_always_ends_it", "fact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nrule a { stratum: 0 when: l[3] = 1 produce: v(true) }\nrule b { stratum: 0 when: l[1] = 1 produce: w(true) }\n",
        "S332/Rule/a warning: legal facts end it in an error: index 3 is outside a list of 0 elements\n"},
    {"a_precondition_and_a_branch", "persona p\nfact l { type: List(element_type: Int(0, 5), max: 5) source: \"s\" }\nentity E { states: [x, y] initial: x transitions: [(x, y)] }\n"
        "operation o { personas: [p] require: l[0] = 1 effects: [(E, x, y)] }\n"
        "flow f { snapshot: at_initiation entry: s steps: { s: BranchStep { condition: l[1] = 1 persona: p if_true: Terminal(success) if_false: Terminal(failure) } } }\n",
        "S332/Flow/f/s warning: step 's': legal facts end it in an error: index 1 is outside a list of 0 elements\n"
        "S332/Operation/o warning: legal facts end it in an error: index 0 is outside a list of 0 elements\n"},
};
/* clang-format on */

static void finds(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    an_findings found = {.arena = &a};
    mt_buf got = {0};
    side x = side_of_source(&a, mt_str_z(r->source));
    assert_true(an_prove_faults(x.program, NULL, MT_STR(""), (an_watcher){0}, &found));
    for (size_t i = 0; i < found.len; i++) {
        const an_finding *f = &found.items[i];
        mt_buf_addf(&got, "%.*s %s: %.*s\n", MT_ARG(an_finding_key(&a, f)),
                    mt_severity_name(f->severity), MT_ARG(f->message));
    }
    mt_buf_addc(&got, 0);
    assert_string_equal(got.ptr, r->want);
    mt_buf_free(&got);
    side_free(&x);
    mt_arena_free(&a);
}

static bool never(void *context, const char *what, uint64_t done, uint64_t all)
{
    (void)context;
    assert_string_equal(what, "proofs");
    assert_true(done <= all);
    return false;
}

/* Two places that types and edges leave to the solver. */
static void what_stays_open_is_said(void **state)
{
    (void)state;
    static const char SOURCE[] =
        "fact i { type: Int(0, 100) source: \"s\" }\n"
        "rule a { stratum: 0 when: i < 95 and i + 5.25 > 1.0 produce: v(true) }\n"
        "rule b { stratum: 0 when: i < 94 and i + 5.25 > 2.0 produce: w(true) }\n";
    static const struct {
        size_t prove_steps;
        an_watcher watcher;
        const char *want;
    } HOW[] = {
        {1,
         {0},
         "m: S334 note: of 2 places that may end in an error 2 stay open: the "
         "solver's limit was reached (prove_ms 5000, prove_steps 1)\n"},
        {0,
         {never, NULL},
         "m: S334 note: of 2 places that may end in an error 2 stay open\n"},
        {0, {0}, ""},
    };
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
        mt_arena a = {0};
        an_findings found = {.arena = &a};
        mt_limits limits = MT_LIMITS_DEFAULT;
        mt_buf got = {0};
        side x = side_of_source(&a, mt_str_z(SOURCE));
        limits.prove_steps =
            HOW[i].prove_steps ? HOW[i].prove_steps : limits.prove_steps;
        assert_int_equal(
            an_prove_faults(x.program, &limits, MT_STR("m"), HOW[i].watcher, &found),
            !HOW[i].watcher.go_on);
        for (size_t f = 0; f < found.len; f++) {
            mt_buf_addf(&got, "%.*s: %s %s: %.*s\n", MT_ARG(found.items[f].member),
                        found.items[f].code, mt_severity_name(found.items[f].severity),
                        MT_ARG(found.items[f].message));
        }
        mt_buf_addc(&got, 0);
        assert_string_equal(got.ptr, HOW[i].want);
        mt_buf_free(&got);
        side_free(&x);
        mt_arena_free(&a);
    }
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    static struct CMUnitTest tests[COUNT + 3];
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){.name = ROWS[i].name,
                                       .test_func = finds,
                                       .initial_state = (void *)(uintptr_t)&ROWS[i]};
    }
    tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(corners_are_legal);
    tests[COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(what_stays_open_is_said);
    tests[COUNT + 1] =
        (struct CMUnitTest)cmocka_unit_test(FL28_what_random_facts_do_was_foretold);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
