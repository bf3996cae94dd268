/* S6 on flows that part a right analyzer from one that is nearly right: failure,
 * compensation and escalation paths, sub-flows expanded, parallel joins, states carried
 * along; and counting with numbers of any size. */
#include "analyze_fixture.h"

#define HEAD                                                                           \
    "persona p\npersona boss\n"                                                        \
    "fact f { type: Bool source: \"x.f\" }\n"                                          \
    "entity A { states: [a0, a1, a2] initial: a0\n"                                    \
    "  transitions: [(a0, a1), (a1, a2), (a1, a0)] }\n"                                \
    "entity B { states: [b0, b1] initial: b0 transitions: [(b0, b1), (b1, b0)] }\n"    \
    "operation first { allowed_personas: [p] precondition: true\n"                     \
    "  effects: [(A, a0, a1)] error_contract: [] }\n"                                  \
    "operation second { allowed_personas: [p, boss] precondition: true\n"              \
    "  effects: [(A, a1, a2)] error_contract: [] }\n"                                  \
    "operation back { allowed_personas: [p] precondition: true\n"                      \
    "  effects: [(A, a1, a0)] error_contract: [] }\n"                                  \
    "operation other { allowed_personas: [p] precondition: f\n"                        \
    "  effects: [(B, b0, b1)] error_contract: [] }\n"                                  \
    "operation undo { allowed_personas: [p] precondition: true\n"                      \
    "  effects: [(B, b1, b0)] error_contract: [] }\n"

#define FLOW(id, entry, steps)                                                         \
    "flow " id " { snapshot: at_initiation entry: " entry " steps: {\n" steps "} }\n"
#define OP(id, op, to, failure)                                                        \
    id ": OperationStep { op: " op " persona: p outcomes: { success: " to              \
       " }\n  on_failure: " failure " }\n"
#define OK   "Terminal(success)"
#define FAIL "Terminal(failure)"

static const struct flow_row {
    const char *name, *text, *count, *paths;
} FLOWS[] = {
    {"S6_terminate_is_a_path", HEAD FLOW("w", "s", OP("s", "first", OK, FAIL)), "2",
     "s=success > success A=a1\n"
     "s=error > failure\n"},
    {"S6_compensation_may_fail_at_every_operation",
     HEAD FLOW("w", "s",
               OP("s", "first", OK,
                  "Compensate(steps: [{ op: undo persona: p on_failure: "
                  "Terminal(escalation) }, { op: back persona: p on_failure: "
                  "Terminal(failure) }] then: Terminal(failure))")),
     "4",
     "s=success > success A=a1\n"
     "s=error > comp:undo=done > comp:back=done > failure A=a0 B=b0\n"
     "s=error > comp:undo=done > comp:back=error > failure B=b0\n"
     "s=error > comp:undo=error > escalation\n"},
    {"S6_escalation_goes_on_with_another_step",
     HEAD FLOW("w", "s",
               OP("s", "first", OK, "Escalate(to_persona: boss next: t)")
                   OP("t", "other", OK, FAIL)),
     "3",
     "s=success > success A=a1\n"
     "s=error > t=success > success B=b1\n"
     "s=error > t=error > failure\n"},
    {"S6_sub_flows_are_expanded_and_their_failure_is_handled",
     HEAD FLOW("inner", "i", OP("i", "first", OK, FAIL))
         FLOW("w", "s",
              "s: SubFlowStep { flow: inner persona: p on_success: t on_failure: "
              "Terminal(escalation) }\n" OP("t", "second", OK, FAIL)),
     "3",
     "s(i=success > success)=success > t=success > success A=a2\n"
     "s(i=success > success)=success > t=error > failure A=a1\n"
     "s(i=error > failure)=failed > escalation\n"},
    {"S6_a_join_that_ends_the_flow_has_paths",
     HEAD FLOW(
         "w", "s",
         "s: ParallelStep { branches: [\n"
         "  Branch { id: x entry: x1 steps: { " OP(
             "x1", "first", OK,
             FAIL) " } }\n"
                   "  Branch { id: y entry: y1 steps: { " OP(
                       "y1", "other", OK,
                       FAIL) " } } ]\n"
                             "  join: JoinPolicy { on_all_success: Terminal(success)\n"
                             "    on_any_failure: Terminate(outcome: failure) } }\n"),
     "4",
     "s(x: x1=success > success | y: y1=success > success)=success > success A=a1 "
     "B=b1\n"
     "s(x: x1=success > success | y: y1=error > failure)=failed > failure A=a1\n"
     "s(x: x1=error > failure | y: y1=success > success)=failed > failure B=b1\n"
     "s(x: x1=error > failure | y: y1=error > failure)=failed > failure\n"},
    {"S6_what_a_snapshot_cannot_be_is_marked",
     HEAD FLOW("w", "s",
               "s: BranchStep { condition: f persona: p if_true: t if_false: t }\n"
               "t: BranchStep { condition: f persona: p if_true: Terminal(success) "
               "if_false: Terminal(failure) }\n"),
     "4",
     "s=true > t=true > success\n"
     "s=true > t=false > failure (impossible)\n"
     "s=false > t=true > success (impossible)\n"
     "s=false > t=false > failure\n"},
    {"S6_states_that_do_not_fit_are_marked",
     HEAD FLOW("w", "s", OP("s", "first", "t", FAIL) OP("t", "first", OK, FAIL)), "3",
     "s=success > t=success > success (impossible)\n"
     "s=success > t=error > failure A=a1\n"
     "s=error > failure\n"},
};

static void lists(void **state)
{
    const struct flow_row *row = *state;
    analysed x;
    analyse_text(&x, row->text);
    assert_text(count_of(&x, "w"), mt_str_z(row->count));
    assert_text(paths_of(&x, "w"), mt_str_z(row->paths));
    analysed_free(&x);
}

/* ---- what is odd ---- */

static const struct odd_row {
    const char *name, *text, *code, *part;
    bool is_found;
} ODD[] = {
    {"S6_a_step_after_the_wrong_state_always_fails",
     HEAD FLOW("w", "s", OP("s", "first", "t", FAIL) OP("t", "first", OK, FAIL)),
     "S602", "t", true},
    {"S6_and_its_flow_never_succeeds",
     HEAD FLOW("w", "s", OP("s", "first", "t", FAIL) OP("t", "first", OK, FAIL)),
     "S603", NULL, true},
    {"S6_a_step_after_the_right_state_is_fine",
     HEAD FLOW("w", "s", OP("s", "first", "t", FAIL) OP("t", "second", OK, FAIL)),
     "S602", NULL, false},
    {"S6_a_merge_keeps_the_state_of_each_way",
     HEAD FLOW("w", "b",
               "b: BranchStep { condition: f persona: p if_true: s if_false: t }\n" OP(
                   "s", "first", "t", FAIL) OP("t", "first", OK, FAIL)),
     "S602", NULL, false},
    {"S6_states_are_carried_through_sub_flows",
     HEAD FLOW("inner", "i", OP("i", "first", OK, FAIL))
         FLOW("w", "s",
              "s: SubFlowStep { flow: inner persona: p on_success: t on_failure: "
              "Terminal(failure) }\n" OP("t", "first", OK, FAIL)),
     "S602", "t", true},
    {"S6_states_are_carried_into_parallel_branches",
     HEAD FLOW("w", "s",
               OP("s", "first", "q",
                  FAIL) "q: ParallelStep { branches: [\n"
                        "  Branch { id: x entry: x1 steps: { " OP(
                            "x1", "first", OK,
                            FAIL) " } }\n  Branch { id: y entry: y1 steps: "
                                  "{ " OP("y1", "other", OK,
                                          FAIL) " } } ]\n  join: JoinPolicy { "
                                                "on_all_success: Terminal(success)\n"
                                                "on_any_failure: Terminate(outcome: "
                                                "failure) } }\n"),
     "S602", "x1", true},
    {"S6_a_branch_that_cannot_be_taken_leads_nowhere",
     HEAD "fact n { type: Int(min: 0, max: 9) source: \"x.n\" }\n" FLOW(
         "w", "s",
         "s: BranchStep { condition: n > 9 persona: p if_true: t if_false: "
         "Terminal(success) }\n" OP("t", "first", OK, FAIL)),
     "S601", "t", true},
};

static void reports(void **state)
{
    const struct odd_row *row = *state;
    analysed x;
    analyse_text(&x, row->text);
    if (found(&x, row->code, "w", row->part) != row->is_found) {
        fail_msg("%s\n%.*s", row->code, MT_ARG(keys(&x)));
    }
    analysed_free(&x);
}

/* The language demands both policies; another elaborator's bundle may lack one. */
static void S6_a_join_without_a_policy_for_failure_breaks_off(void **state)
{
    (void)state;
    static const char POLICY[] =
        ",\"on_any_failure\":{\"kind\":\"Terminate\",\"outcome\":\"failure\"}";
    elaborated e = elaborate_text(FLOWS[4].text, false);
    assert_int_equal(e.err, MT_OK);
    mt_arena a = {0};
    char *bundle = (char *)(uintptr_t)mt_str_dup(&a, e.e->bundle).ptr;
    done(&e);
    char *at = strstr(bundle, POLICY);
    assert_non_null(at);
    memmove(at, at + strlen(POLICY), strlen(at + strlen(POLICY)) + 1);
    analysed x;
    analyse_bundle(&x, mt_str_z(bundle));
    assert_true(found(&x, "S604", "w", "s"));
    assert_text(count_of(&x, "w"), MT_STR("4"));
    assert_true(strstr(paths_of(&x, "w").ptr, "=failed > (breaks off)") != NULL);
    analysed_free(&x);
    mt_arena_free(&a);
}

/* ---- counts ---- */

static const struct count_row {
    const char *name;
    uint64_t base;
    int power;
    const char *want;
} COUNTS[] = {
    {"S6_counts_within_a_word", 2, 60, "1152921504606846976"},
    {"S6_counts_across_words", 3, 64, "3433683820292512484657849089281"},
    {"S6_counts_with_zeros_inside", 10, 40,
     "10000000000000000000000000000000000000000"},
    {"S6_counts_up_to_the_stated_size", 16, 511,
     NULL /* 2^2044 is still known; its digits are checked by going back */},
    {"S6_counts_beyond_it_are_said_to_be", 16, 513, "more than 10^616"},
};

static void raises(void **state)
{
    const struct count_row *row = *state;
    mt_arena a = {0};
    an_count n = an_count_of(1), base = an_count_of(row->base);
    for (int i = 0; i < row->power; i++) {
        an_count next = an_count_mul(&a, n, base);
        if (!next.more) { /* the sum of as many is the product */
            an_count sum = {0};
            for (uint64_t k = 0; k < row->base; k++) {
                sum = an_count_add(&a, sum, n);
            }
            assert_int_equal(an_count_cmp(sum, next), 0);
            assert_int_equal(an_count_cmp(an_count_sub(&a, next, n), next), -1);
            an_count less = an_count_sub(&a, next, n);
            assert_int_equal(an_count_cmp(an_count_add(&a, less, n), next), 0);
        }
        n = next;
    }
    if (row->want) {
        assert_text(an_count_str(&a, n), mt_str_z(row->want));
    } else {
        assert_false(n.more);
        assert_int_equal(an_count_str(&a, n).len, 616);
    }
    mt_arena_free(&a);
}

/* What is beyond the stated size is more than what is known, and all of it alike. */
static void S6_counts_beyond_the_size_are_compared(void **state)
{
    (void)state;
    mt_arena a = {0};
    an_count most = an_count_of(UINT64_MAX), beyond = an_count_of(2), few = beyond;
    while (!beyond.more) {
        beyond = an_count_mul(&a, beyond, most);
    }
    assert_int_equal(an_count_cmp(beyond, beyond), 0);
    assert_true(an_count_cmp(beyond, few) > 0);
    assert_true(an_count_cmp(few, beyond) < 0);
    assert_true(an_count_cmp(few, most) < 0);
    assert_int_equal(an_count_cmp(few, few), 0);
    assert_true(an_count_add(&a, few, beyond).more);
    assert_true(an_count_mul(&a, beyond, few).more);
    assert_true(an_count_sub(&a, beyond, few).more);
    assert_text(an_count_str(&a, an_count_sub(&a, most, most)), MT_STR("0"));
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, FLOWS, lists);
    rows_add(&list, ODD, reports);
    rows_test(&list, S6_a_join_without_a_policy_for_failure_breaks_off);
    rows_add(&list, COUNTS, raises);
    rows_test(&list, S6_counts_beyond_the_size_are_compared);
    return rows_run(&list, "analyze/analyze_flows");
}
