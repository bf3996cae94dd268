/* test_prove_findings.c - what proofs find wrong with a contract, and what they do not.
 */
#include "analyze/prove/prove_findings.h"
#include "prove_fixture.h"

#define HEAD                                                                           \
    "persona p persona q\n"                                                            \
    "entity E { states: [x, y, z] initial: x transitions: [(x, y), (x, z), (y, z)] "   \
    "}\n"                                                                              \
    "fact n { type: Int(0, 100) source: \"s\" }\n"                                     \
    "fact c { type: Enum([\"red\", \"blue\"]) source: \"s\" }\n"                       \
    "fact b { type: Bool source: \"s\" }\n"
#define RULE(id, when)                                                                 \
    "rule " id " { stratum: 0 when: " when " produce: verdict v_" id                   \
    " { payload: Bool = true } }\n"
#define ABOVE(id, when)                                                                \
    "rule " id " { stratum: 1 when: " when " produce: verdict v_" id                   \
    " { payload: Bool = true } }\n"
#define OP(id, persona, when, from, to)                                                \
    "operation " id " { allowed_personas: [" persona "] precondition: " when           \
    " effects: [(E, " from ", " to ")] outcomes: [done]"                               \
    " error_contract: [precondition_failed, persona_rejected] }\n"
#define STEP(id, op, next)                                                             \
    id ": OperationStep { op: " op " persona: p outcomes: { done: " next               \
       " } on_failure: Terminate(outcome: failure) }\n"
#define BRANCH(id, when, yes, no)                                                      \
    id ": BranchStep { condition: " when " persona: p if_true: " yes " if_false: " no  \
       " }\n"
#define FLOW(entry, steps)                                                             \
    "flow f { snapshot: at_initiation entry: " entry " steps: { " steps " } }\n"
#define END "Terminal(success)"

/* clang-format off */
static const struct row {
    const char *name, *source;
    const char *want; /* "CODE/Kind/id/part severity: message" one per line, sorted */
} ROWS[] = {
    {"nothing_wrong", HEAD RULE("big", "n > 10") OP("go", "p", "verdict_present(v_big)", "x", "y"), ""},
    {"rule_whose_parts_contradict", HEAD RULE("r", "n > 10 and n < 5"),
        "S312/Rule/r warning: never produces v_r: n > 10 and n < 5 holds for no fact set\n"},
    {"rule_whose_verdicts_exclude_each_other", HEAD RULE("red", "c = \"red\"") RULE("blue", "c = \"blue\"") ABOVE("both", "verdict_present(v_red) and verdict_present(v_blue)"),
        "S312/Rule/both warning: never produces v_both: verdict_present(v_red) and verdict_present(v_blue) holds for no fact set\n"},
    {"precondition_that_contradicts_itself", HEAD OP("go", "p", "n = 3 and n * 2 > 6", "x", "y"),
        "S311/Operation/go warning: its precondition n = 3 and n * 2 > 6 holds for no fact set\n"},
    {"precondition_on_a_dead_rule", HEAD RULE("r", "n > 10 and n < 5") OP("go", "p", "verdict_present(v_r)", "x", "y"),
        "S311/Operation/go warning: its precondition verdict_present(v_r) holds for no fact set\n"
        "S312/Rule/r warning: never produces v_r: n > 10 and n < 5 holds for no fact set\n"},
    {"branch_that_is_always_true", HEAD OP("go", "p", "n > 10", "x", "y") FLOW("a", BRANCH("a", "n + n = n * 2", "s", END) STEP("s", "go", END)),
        "S313/Flow/f/a warning: step 'a' always goes one way: n + n = n * 2 is always true there\n"},
    {"branch_decided_by_an_earlier_step", HEAD OP("go", "p", "n > 10", "x", "y") FLOW("s", STEP("s", "go", "a") BRANCH("a", "n > 5", END, "Terminal(other)")),
        "S313/Flow/f/a warning: step 'a' always goes one way: n > 5 is always true there\n"},
    {"step_behind_two_branches_that_exclude_it", HEAD OP("go", "p", "b", "x", "y") FLOW("one", BRANCH("one", "n > 50", "two", END) BRANCH("two", "n < 10", "s", END) STEP("s", "go", END)),
        "S313/Flow/f/two warning: step 'two' always goes one way: n < 10 is always false there\n"
        "S314/Flow/f/s warning: no fact set leads to step 's'\n"},
    {"step_whose_precondition_is_excluded", HEAD OP("go", "p", "c = \"red\"", "x", "y") FLOW("one", BRANCH("one", "c = \"blue\"", "s", END) STEP("s", "go", END)),
        "S315/Flow/f/s warning: step 's' always fails: where it is reached, c = \"red\" is false\n"},
    {"two_ways_make_a_step_reachable", HEAD OP("go", "p", "n < 10", "x", "y") FLOW("one", BRANCH("one", "n > 50", "s", "two") BRANCH("two", "n < 10", "s", END) STEP("s", "go", END)), ""},
    {"verdict_implied", HEAD RULE("big", "n > 10") RULE("huge", "n > 50"),
        "S321/Rule/big/huge note: v_huge implies v_big\n"},
    {"verdicts_the_same", HEAD RULE("big", "n > 10") RULE("also", "n >= 11"),
        "S322/Rule/also/big note: v_also is present exactly where v_big is\n"},
    {"cases_that_overlap", HEAD RULE("low", "n < 20") RULE("high", "n > 10"),
        "S323/Rule/high/low note: v_high and v_low can both be present\n"},
    {"cases_that_do_not", HEAD RULE("low", "n < 20") RULE("high", "n >= 20"), ""},
    {"operations_that_overlap", HEAD OP("go", "p", "n > 10", "x", "y") OP("leave", "p", "n > 50", "x", "z"),
        "S324/Operation/go/leave note: go and leave can both leave E.x, for different states\n"},
    {"operations_of_different_personas", HEAD OP("go", "p", "n > 10", "x", "y") OP("leave", "q", "n > 50", "x", "z"), ""},
    {"operations_that_exclude_each_other", HEAD OP("go", "p", "n > 10", "x", "y") OP("leave", "p", "n < 5", "x", "z"), ""},
    {"outcomes_that_overlap", HEAD "operation decide { allowed_personas: [p] precondition: b effects: [(E, x, y, yes), (E, x, z, no)] outcomes: [yes, no] error_contract: [precondition_failed] }\n",
        "S325/Operation/decide/yes note: outcomes 'yes' and 'no' match the same states\n"},
    {"operations_of_a_persona_that_is_not_the_first", HEAD OP("go", "q, p", "n > 10", "x", "y") OP("leave", "p", "n > 50", "x", "z"),
        "S324/Operation/go/leave note: go and leave can both leave E.x, for different states\n"},
    {"operations_to_the_same_state", HEAD OP("go", "p", "n > 10", "x", "y") OP("leave", "p", "n > 50", "x", "y"), ""},
    {"operations_from_different_states", HEAD OP("go", "p", "n > 10", "x", "y") OP("leave", "p", "n > 50", "y", "z"), ""},
    {"operations_of_which_one_is_dead", HEAD OP("go", "p", "n > 10 and n < 9", "x", "y") OP("leave", "p", "n > 50", "x", "z"),
        "S311/Operation/go warning: its precondition n > 10 and n < 9 holds for no fact set\n"},
    {"the_other_is_dead", HEAD OP("go", "p", "n > 10", "x", "y") OP("leave", "p", "n > 50 and n < 9", "x", "z"),
        "S311/Operation/leave warning: its precondition n > 50 and n < 9 holds for no fact set\n"},
    {"operations_that_overlap_in_their_last_effect", HEAD "entity G { states: [g, h, i] initial: g transitions: [(g, h), (g, i)] }\n"
        "operation go { allowed_personas: [p] precondition: b effects: [(E, x, y), (G, g, h)] outcomes: [done] error_contract: [] }\n"
        "operation leave { allowed_personas: [p] precondition: b effects: [(E, y, z), (G, g, i)] outcomes: [done] error_contract: [] }\n",
        "S324/Operation/go/leave note: go and leave can both leave G.g, for different states\n"},
    {"verdict_that_implies_a_later_one", HEAD RULE("a", "n > 50") RULE("z", "n > 10"),
        "S321/Rule/a/z note: v_a implies v_z\n"},
    {"verdicts_of_three_rules", HEAD RULE("a", "n > 50") RULE("k", "n > 10") RULE("z", "n < 60"),
        "S321/Rule/a/k note: v_a implies v_k\n"
        "S323/Rule/a/z note: v_a and v_z can both be present\n"
        "S323/Rule/k/z note: v_k and v_z can both be present\n"},
    {"verdicts_of_other_facts", HEAD RULE("big", "n > 10") RULE("flag", "b"), ""},
    {"verdicts_of_more_facts", HEAD RULE("big", "n > 10") RULE("flag", "n > 20 and b"), ""},
    {"verdicts_of_two_strata", HEAD RULE("big", "n > 10") ABOVE("huge", "n > 50"), ""},
    {"a_dead_rule_implies_nothing", HEAD RULE("big", "n > 10") RULE("none", "n > 10 and n < 5"),
        "S312/Rule/none warning: never produces v_none: n > 10 and n < 5 holds for no fact set\n"},
    {"a_flow_whose_branch_goes_both_ways", HEAD OP("go", "p", "n > 10", "x", "y") FLOW("a", BRANCH("a", "n > 5", "s", END) STEP("s", "go", END)), ""},
    {"outcomes_from_different_states", HEAD "operation decide { allowed_personas: [p] precondition: b effects: [(E, x, y, yes), (E, y, z, no)] outcomes: [yes, no] error_contract: [precondition_failed] }\n", ""},
    {"outcomes_that_overlap_of_three", HEAD "operation decide { allowed_personas: [p] precondition: b effects: [(E, x, y, yes), (E, y, z, no), (E, y, z, late)] outcomes: [yes, no, late] error_contract: [precondition_failed] }\n",
        "S325/Operation/decide/no note: outcomes 'no' and 'late' match the same states\n"},
    {"outcomes_that_overlap_in_one_entity_alone", HEAD "entity G { states: [g, h, i] initial: g transitions: [(g, h), (h, i)] }\n"
        "operation decide { allowed_personas: [p] precondition: b effects: [(E, x, y, yes), (G, g, h, yes), (E, x, z, no), (G, h, i, no)] outcomes: [yes, no] error_contract: [precondition_failed] }\n", ""},
    {"outcomes_of_a_dead_operation", HEAD "operation decide { allowed_personas: [p] precondition: n > 10 and n < 5 effects: [(E, x, y, yes), (E, x, z, no)] outcomes: [yes, no] error_contract: [precondition_failed] }\n",
        "S311/Operation/decide warning: its precondition n > 10 and n < 5 holds for no fact set\n"},
};
/* clang-format on */

/* Every fact set shown is one the contract accepts and can evaluate. */
static void check_facts(side *s, mt_arena *a, const an_finding *f)
{
    ct_fault fault;
    mt_json tree;
    assert_int_equal(mt_json_read(a, f->details, NULL, &tree, NULL), MT_OK);
    mt_buf facts = {0};
    mt_json_write(&facts, mt_json_at(&tree, "facts"), false);
    assert_int_equal(ct_facts_read(s->facts, mt_buf_str(&facts), NULL, true, &fault),
                     MT_OK);
    assert_int_equal(ct_evaluate(s->program, s->facts, s->verdicts, a, &fault), MT_OK);
    mt_buf_free(&facts);
}

static void finds(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    side s = side_of_source(&a, mt_str_z(r->source));
    an_prover *p = an_prover_new(s.program, NULL, NULL);
    an_findings fs = {.arena = &a};
    mt_buf got = {0};
    assert_true(an_prove_findings(p, s.program, MT_STR(""), (an_watcher){0}, &fs));
    for (size_t i = 0; i < fs.len; i++) {
        const an_finding *f = &fs.items[i];
        mt_buf_addf(&got, "%.*s %s: %.*s\n", MT_ARG(an_finding_key(&a, f)),
                    mt_severity_name(f->severity), MT_ARG(f->message));
        assert_true(f->details.len > 0);
        check_facts(&s, &a, f);
    }
    mt_buf_addc(&got, 0);
    assert_string_equal(got.ptr, r->want);
    assert_int_equal(an_prover_disagreements(p), 0);
    mt_buf_free(&got);
    an_prover_free(p);
    side_free(&s);
    mt_arena_free(&a);
}

typedef struct patience {
    uint64_t left; /* questions */
} patience;

static bool wait(void *context, const char *what, uint64_t done, uint64_t all)
{
    patience *p = context;
    assert_string_equal(what, "proofs");
    assert_int_equal(all, 0);
    assert_true(done > 0);
    return p->left && --p->left;
}

/* Silence about the rest would read as a proof. */
static void what_stays_open_is_said(void **state)
{
    (void)state;
    static const struct {
        uint64_t patience;
        size_t prove_steps;
        const char *want;
    } HOW[] = {
        {0, 1,
         "m/S398/Contract/t note: of 3 questions 3 are open: there the structure "
         "decides\n"},
        {2, 0, "m/S398/Contract/t note: stopped after 2 questions, 0 of them open\n"},
        {99, 0, "m/S323/Rule/high/low note: v_high and v_low can both be present\n"},
    };
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
        mt_arena a = {0};
        mt_buf got = {0};
        mt_limits limits = MT_LIMITS_DEFAULT;
        patience left = {HOW[i].patience};
        an_watcher watcher = {wait, &left};
        side s = side_of_source(
            &a, MT_STR(HEAD RULE("low", "n < 20") RULE("high", "n > 10")));
        an_findings fs = {.arena = &a};
        limits.prove_steps =
            HOW[i].prove_steps ? HOW[i].prove_steps : limits.prove_steps;
        an_prover *p = an_prover_new(s.program, NULL, &limits);
        assert_int_equal(an_prove_findings(p, s.program, MT_STR("m"),
                                           left.left ? watcher : (an_watcher){0}, &fs),
                         HOW[i].patience != 2);
        for (size_t f = 0; f < fs.len; f++) {
            mt_buf_addf(
                &got, "%.*s %s: %.*s\n", MT_ARG(an_finding_key(&a, &fs.items[f])),
                mt_severity_name(fs.items[f].severity), MT_ARG(fs.items[f].message));
        }
        mt_buf_addc(&got, 0);
        assert_string_equal(got.ptr, HOW[i].want);
        mt_buf_free(&got);
        an_prover_free(p);
        side_free(&s);
        mt_arena_free(&a);
    }
}

/* ---- Hostile contracts ---- */

#define LONG                                                                           \
    "type I { v: Int(0, 1000000) w: Int(0, 1000000) }\n"                               \
    "fact l { type: List(element_type: I, max: 10000) source: \"s\" }\n"               \
    "fact k { type: List(element_type: I, max: 10000) source: \"s\" }\n"

static bool contains(mt_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static an_relation related(const char *facts, const char *old, const char *now,
                           const mt_limits *limits, mt_str *reason)
{
    static mt_arena a;
    side x = side_of(&a, facts, old), y = side_of(&a, facts, now);
    an_prover *p = an_prover_new(x.program, y.program, limits);
    an_comparison c = an_prove_compare(p, &a, precondition(&x), precondition(&y));
    *reason = c.gained.reason.len ? c.gained.reason : c.lost.reason;
    assert_int_equal(an_prover_disagreements(p), 0);
    an_prover_free(p);
    side_free(&x);
    side_free(&y);
    return c.relation;
}

static void nested_quantifiers_over_long_lists_are_bounded(void **state)
{
    (void)state;
    mt_str reason;
    const char *deep =
        "forall a in l . exists b in l . forall c in l . exists d in l . "
        "forall e in l . a.v + b.v > c.w + d.w - e.v";
    assert_int_equal(related(LONG, deep, deep, NULL, &reason), AN_REL_EQUAL);
    /* Both at once depend on each other's elements: said to be open, or proven. */
    an_relation r =
        related(LONG, deep, "forall a in l . exists b in k . exists c in l . a.v > b.v",
                NULL, &reason);
    assert_true(r == AN_REL_NEITHER || (r == AN_REL_UNKNOWN && reason.len));
    assert_int_equal(related(LONG, "forall a in l . exists b in k . a.v < b.v",
                             "forall a in l . exists b in k . a.v <= b.v", NULL,
                             &reason),
                     AN_REL_WEAKER);
}

static void an_exceeded_limit_is_said(void **state)
{
    (void)state;
    mt_str reason;
    mt_limits few = MT_LIMITS_DEFAULT;
    few.prove_steps = 1;
    assert_int_equal(related(LONG, "forall a in l . a.v < a.w",
                             "forall a in l . a.w > 3", &few, &reason),
                     AN_REL_UNKNOWN);
    assert_true(contains(reason, "limit"));
    few = MT_LIMITS_DEFAULT;
    few.prove_unfold = 1;
    an_relation r =
        related(LONG, "forall a in l . exists b in k . a.v < b.v",
                "forall a in l . exists b in k . a.v <= b.v", &few, &reason);
    assert_int_equal(r, AN_REL_UNKNOWN);
    assert_true(contains(reason, "prove_unfold"));
}

/* A product of two facts in a payload is beyond what the solver decides for sure. */
static void hard_arithmetic_ends_in_time(void **state)
{
    (void)state;
    mt_str reason;
    mt_limits short_time = MT_LIMITS_DEFAULT;
    short_time.prove_ms = 300;
    const char *facts = "fact a { type: Int(2, 3000000000) source: \"s\" }\n"
                        "fact b { type: Int(2, 3000000000) source: \"s\" }\n"
                        "rule r { stratum: 0 when: a > b produce: verdict product "
                        "{ payload: Int(0, 9000000000000000000) = a * b } }\n";
    an_relation r =
        related(facts, "product = 2305843009213693951", "a < 0", &short_time, &reason);
    assert_true(r == AN_REL_EQUAL || r == AN_REL_UNKNOWN);
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS, OTHERS = 4 };
    static struct CMUnitTest tests[COUNT + OTHERS];
    for (size_t i = 0; i < COUNT; i++) {
        /* cmocka only reads it. */
        tests[i] = (struct CMUnitTest){.name = ROWS[i].name,
                                       .test_func = finds,
                                       .initial_state = (void *)(uintptr_t)&ROWS[i]};
    }
    tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(
        nested_quantifiers_over_long_lists_are_bounded);
    tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(an_exceeded_limit_is_said);
    tests[COUNT + 2] =
        (struct CMUnitTest)cmocka_unit_test(hard_arithmetic_ends_in_time);
    tests[COUNT + 3] = (struct CMUnitTest)cmocka_unit_test(what_stays_open_is_said);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
