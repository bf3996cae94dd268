/* test_prove_diff.c - what a change breaks, by proof. */
#include "analyze/prove/prove_diff.h"
#include "prove_fixture.h"

#define HEAD                                                                           \
    "persona p\n"                                                                      \
    "entity E { states: [x, y, z] initial: x transitions: [(x, y), (x, z), (y, z)] "   \
    "}\n"
#define L        "fact l { type: List(element_type: Int(0, 9), max: 3) source: \"s\" }\n"
#define N        "fact n { type: Int(0, 100) source: \"s\" }\n"
#define ENUM(v)  "fact e { type: Enum([\"" v "\", \"z\"]) source: \"s\" }\n"
#define LIMIT(d) "fact k { type: Int(0, 100) source: \"s\" default: " d " }\n"
#define RULE(id, when)                                                                 \
    "rule " id " { stratum: 0 when: " when " produce: verdict v_" id                   \
    " { payload: Bool = true } }\n"
#define OP(when) OP_ERRORS(when, "precondition_failed, persona_rejected")
#define OP_ERRORS(when, errors)                                                        \
    "operation go { allowed_personas: [p] precondition: " when                         \
    " effects: [(E, x, y)] outcomes: [done] error_contract: [" errors "] }\n"
#define STEP(id, next)                                                                 \
    id ": OperationStep { op: go persona: p outcomes: { done: " next                   \
       " } on_failure: Terminate(outcome: failure) }\n"
#define BRANCH(id, when, yes, no)                                                      \
    id ": BranchStep { condition: " when " persona: p if_true: " yes " if_false: " no  \
       " }\n"
#define FLOW(entry, steps)                                                             \
    "flow f { snapshot: at_initiation entry: " entry " steps: { " steps " } }\n"
#define FIRST                                                                          \
    "operation a_first { allowed_personas: [p] precondition: true effects: [(E, y, "   \
    "z)] "                                                                             \
    "outcomes: [done] error_contract: [precondition_failed] }\n"
#define PAIR(errors)                                                                   \
    "entity B { states: [b, c] initial: b transitions: [(b, c)] }\noperation go { "    \
    "allowed_personas: [p] precondition: n > 3 effects: [(E, x, y), (B, b, c)] "       \
    "outcomes: [done] error_contract: [" errors "] }\n"
#define LONELY(errors)                                                                 \
    "entity B { states: [b] initial: b transitions: [(b, b)] }\noperation go { "       \
    "allowed_personas: [p] precondition: n > 3 effects: [(B, b, b)] outcomes: [done] " \
    "error_contract: [" errors "] }\n"
#define DECIDE(effects, errors)                                                        \
    "operation go { allowed_personas: [p] precondition: n > 3 effects: [" effects      \
    "] outcomes: [yes, no] error_contract: [" errors "] }\n"
#define END "Terminal(success)"
#define FORKED(when)                                                                   \
    "k: ParallelStep { branches: [\n Branch { id: one entry: s steps: { " STEP(        \
        "s", END) "} },\n Branch { id: two entry: b steps: { " BRANCH("b", when, END,  \
                                                                      "Terminal("      \
                                                                      "failure)") "} " \
                                                                                  "} " \
                                                                                  "] " \
                                                                                  "jo" \
                                                                                  "in" \
                                                                                  ": " \
                                                                                  "Jo" \
                                                                                  "in" \
                                                                                  "Po" \
                                                                                  "li" \
                                                                                  "cy" \
                                                                                  " {" \
                                                                                  " o" \
                                                                                  "n_" \
                                                                                  "al" \
                                                                                  "l_" \
                                                                                  "su" \
                                                                                  "cc" \
                                                                                  "es" \
                                                                                  "s:" \
                                                                                  " T" \
                                                                                  "er" \
                                                                                  "mi" \
                                                                                  "na" \
                                                                                  "l(" \
                                                                                  "su" \
                                                                                  "cc" \
                                                                                  "es" \
                                                                                  "s)" \
                                                                                  " o" \
                                                                                  "n_" \
                                                                                  "an" \
                                                                                  "y_" \
                                                                                  "fa" \
                                                                                  "il" \
                                                                                  "ur" \
                                                                                  "e:" \
                                                                                  " "  \
                                                                                  "Te" \
                                                                                  "rm" \
                                                                                  "in" \
                                                                                  "al" \
                                                                                  "(f" \
                                                                                  "ai" \
                                                                                  "lu" \
                                                                                  "re" \
                                                                                  ") " \
                                                                                  "on" \
                                                                                  "_a" \
                                                                                  "ll" \
                                                                                  "_c" \
                                                                                  "om" \
                                                                                  "pl" \
                                                                                  "et" \
                                                                                  "e:" \
                                                                                  " n" \
                                                                                  "ul" \
                                                                                  "l " \
                                                                                  "} " \
                                                                                  "}"  \
                                                                                  "\n"

/* clang-format off */
static const struct row {
    const char *name, *old, *now;
    const char *want; /* "Kind/id field resolution: proof" of what requires analysis, one per line */
    bool policy;
} ROWS[] = {
    {"precondition_weaker", HEAD N OP("n > 10"), HEAD N OP("n > 5"),
        "Operation/go precondition safe: weaker: holds wherever it did, and also for {\"n\":6}\n", false},
    {"precondition_equal", HEAD N OP("n > 10"), HEAD N OP("not (n <= 10)"),
        "Operation/go precondition safe: equal: holds wherever it did\n", false},
    {"precondition_stronger", HEAD N OP("n > 10"), HEAD N OP("n > 11"),
        "Operation/go precondition breaking: stronger: refused where it was allowed, for {\"n\":11}\n", true},
    {"precondition_asks_for_a_value_only_the_old_enum_has", HEAD N ENUM("x") OP("n > 10 or e = \"x\""), HEAD N ENUM("y") OP("n > 10"),
        "Operation/go precondition safe: equal: holds wherever it did\n", true},
    {"precondition_neither", HEAD N OP("n > 10"), HEAD N OP("n < 20"),
        "Operation/go precondition breaking: neither: refused where it was allowed, for {\"n\":20}\n", true},
    {"weaker_but_not_on_a_frozen_snapshot", HEAD N RULE("a", "n > 10") OP("verdict_present(v_a)"), HEAD N RULE("a", "n > 10") RULE("b", "n > 5") OP("verdict_present(v_b)"),
        "Operation/go precondition breaking: weaker for new flows, but a flow under way is refused on its frozen snapshot, for {\"n\":11}\n"
        "Rule/b id safe: whoever reads verdict 'v_b' decides as before, and the rule never ends in an error\n", true},
    {"weaker_on_a_frozen_snapshot_too", HEAD N RULE("a", "n > 10") OP("verdict_present(v_a)"), HEAD N RULE("a", "n > 10") RULE("b", "n > 5") OP("verdict_present(v_a) or verdict_present(v_b)"),
        "Operation/go precondition safe: weaker: holds wherever it did, and also for {\"n\":6}\n"
        "Rule/b id safe: whoever reads verdict 'v_b' decides as before, and the rule never ends in an error\n", false},
    {"rule_weaker_read_as_it_is", HEAD N RULE("a", "n > 10") OP("verdict_present(v_a)"), HEAD N RULE("a", "n > 5") OP("verdict_present(v_a)"),
        "Rule/a body.when safe: weaker, as for {\"n\":6}: no operation is refused that was allowed, every branch goes its way\n", false},
    {"rule_weaker_read_negated", HEAD N RULE("a", "n > 10") OP("not verdict_present(v_a)"), HEAD N RULE("a", "n > 5") OP("not verdict_present(v_a)"),
        "Rule/a body.when breaking: weaker: operation 'go' is refused where it was allowed, for {\"n\":6}\n", true},
    {"rule_stronger_read_negated", HEAD N RULE("a", "n > 10") OP("not verdict_present(v_a)"), HEAD N RULE("a", "n > 20") OP("not verdict_present(v_a)"),
        "Rule/a body.when safe: stronger, as for {\"n\":11}: no operation is refused that was allowed, every branch goes its way\n", false},
    {"rule_stronger", HEAD N RULE("a", "n > 10") OP("verdict_present(v_a)"), HEAD N RULE("a", "n > 20") OP("verdict_present(v_a)"),
        "Rule/a body.when breaking: stronger: operation 'go' is refused where it was allowed, for {\"n\":11}\n", true},
    {"rule_weaker_that_only_the_old_operation_reads", HEAD N RULE("a", "n > 10") OP("verdict_present(v_a)"), HEAD N RULE("a", "n > 5") OP("n > 20"),
        "Operation/go precondition breaking: stronger: refused where it was allowed, for {\"n\":11}\n"
        "Rule/a body.when breaking: weaker: operation 'go' is refused where it was allowed, for {\"n\":11}\n", true},
    {"rule_weaker_that_only_the_new_operation_reads", HEAD N RULE("a", "n > 10") OP("n > 1"), HEAD N RULE("a", "n > 5") OP("verdict_present(v_a)"),
        "Operation/go precondition breaking: stronger: refused where it was allowed, for {\"n\":2}\n"
        "Rule/a body.when breaking: weaker: operation 'go' is refused where it was allowed, for {\"n\":2}\n", true},
    {"rule_weaker_turns_a_branch", HEAD N RULE("a", "n > 10") OP("n >= 0") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
                                   HEAD N RULE("a", "n > 5") OP("n >= 0") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
        "Rule/a body.when breaking: weaker: branch 'b' of flow 'f' goes another way, for {\"n\":6}\n", true},
    {"FE7_an_error_that_goes_away_turns_no_branch", HEAD L RULE("a", "l[0] = 1") OP("true") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
                                   HEAD L RULE("a", "len(l) = 0 or l[0] = 1") OP("true") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
        "Rule/a body.when safe: weaker, as for {\"l\":[]}: no operation is refused that was allowed, every branch goes its way\n", false},
    {"FE7_but_one_that_comes_does", HEAD L RULE("a", "len(l) = 0 or l[0] = 1") OP("true") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
                                   HEAD L RULE("a", "l[0] = 1") OP("true") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
        "Rule/a body.when breaking: stronger: evaluation ends in an error, for {\"l\":[]}\n", true},
    {"FE7_what_had_a_value_is_still_compared", HEAD L RULE("a", "l[0] = 1") OP("true") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
                                   HEAD L RULE("a", "len(l) = 0 or l[0] = 1 or l[0] = 2") OP("true") FLOW("b", BRANCH("b", "verdict_present(v_a)", "s", END) STEP("s", END)),
        "Rule/a body.when breaking: weaker: branch 'b' of flow 'f' goes another way, for {\"l\":[2]}\n", true},
    {"rule_nobody_reads", HEAD N RULE("a", "n > 10") OP("n > 3"), HEAD N RULE("a", "n < 10") OP("n > 3"),
        "Rule/a body.when safe: neither, as for {\"n\":0}: no operation is refused that was allowed, every branch goes its way\n", false},
    {"new_rule", HEAD N OP("n > 3"), HEAD N RULE("a", "n > 10") OP("n > 3"),
        "Rule/a id safe: whoever reads verdict 'v_a' decides as before, and the rule never ends in an error\n", false},
    {"new_rule_that_faults", HEAD N "fact l { type: List(element_type: Int(0, 9), max: 3) source: \"s\" }\n" OP("n > 3"),
                             HEAD N "fact l { type: List(element_type: Int(0, 9), max: 3) source: \"s\" }\n" RULE("a", "l[1] > 3") OP("n > 3"),
        "Rule/a id breaking: evaluation ends in an error, for {\"l\":[],\"n\":0}\n", true},
    {"default_harmless", HEAD N LIMIT("10") OP("n > k"), HEAD N LIMIT("5") OP("n > k"),
        "Fact/k default safe: where the default is used no operation is refused that was allowed, every branch goes its way\n", false},
    {"default_harmful", HEAD N LIMIT("10") OP("n > k"), HEAD N LIMIT("20") OP("n > k"),
        "Fact/k default breaking: operation 'go' is refused where it was allowed, for {\"n\":11}\n", true},
    {"step_only_new_steps_lead_to", HEAD N OP("n > 3") FLOW("s", STEP("s", END)), HEAD N OP("n > 3") FLOW("s", STEP("s", END) STEP("t", "u") STEP("u", END)),
        "Flow/f steps safe: no step that was there before leads to it\n", false},
    {"error_that_still_occurs", HEAD N OP("n > 3"), HEAD N OP_ERRORS("n > 3", "persona_rejected"),
        "Operation/go error_contract breaking: precondition_failed still occurs, undeclared, for {\"n\":0}\n", true},
    {"error_that_does_not_occur", HEAD N OP_ERRORS("n > 3", "precondition_failed, persona_rejected, ambiguous_outcome"), HEAD N OP("n > 3"),
        "Operation/go error_contract safe: no handler names an error, and what was removed never occurs: ambiguous_outcome (no two outcomes match the same states)\n", false},
    {"FE4_error_the_engine_does_not_know", HEAD N OP_ERRORS("n > 3", "precondition_failed, persona_rejected, odd"), HEAD N OP("n > 3"),
        "Operation/go error_contract open: odd: it is not an error of the engine, and whether a host raises it is not known\n", true},
    {"FE4_source_state_still_occurs", HEAD N OP_ERRORS("n > 3", "precondition_failed, persona_rejected, invalid_source_state"), HEAD N OP("n > 3"),
        "Operation/go error_contract breaking: invalid_source_state still occurs, undeclared, in E.y, for {\"n\":4}\n", true},
    {"errors_after_a_precondition_that_never_holds", HEAD N OP_ERRORS("n > 3 and n < 3", "precondition_failed, persona_rejected, invalid_source_state, unknown_instance, unknown_outcome"), HEAD N OP("n > 3 and n < 3"),
        "Operation/go error_contract safe: no handler names an error, and what was removed never occurs: invalid_source_state (its precondition never holds), unknown_instance (its precondition never holds), unknown_outcome (its precondition never holds)\n", false},
    {"FE4_somebody_who_is_no_persona", HEAD N OP("n > 3"), HEAD N OP_ERRORS("n > 3", "precondition_failed"),
        "Operation/go error_contract breaking: persona_rejected still occurs, undeclared, when somebody tries who is not a persona of the contract\n", true},
    {"default_of_the_only_fact_that_is_read", HEAD N LIMIT("10") OP("k > 3"), HEAD N LIMIT("2") OP("k > 3"),
        "Fact/k default breaking: operation 'go' is refused where it was allowed, for {\"n\":0}\n", true},
    {"default_nobody_reads", HEAD N LIMIT("10") OP("n > 3"), HEAD N LIMIT("2") OP("n > 3"),
        "Fact/k default safe: where the default is used no operation is refused that was allowed, every branch goes its way\n", false},
    {"step_an_old_step_leads_to", HEAD N OP("n > 3") FLOW("s", STEP("s", END)), HEAD N OP("n > 3") FLOW("s", STEP("s", "t") STEP("t", END)),
        "Flow/f steps breaking: step 's', which was there before, leads to 't'\n", true},
    {"step_that_is_the_new_entry", HEAD N OP("n > 3") FLOW("s", STEP("s", END)), HEAD N OP("n > 3") FLOW("t", STEP("t", "s") STEP("s", END)),
        "Flow/f steps open: \n", true},
    {"step_an_old_branch_leads_to", HEAD N OP("n > 3") FLOW("b", BRANCH("b", "n > 7", "s", END) STEP("s", END)), HEAD N OP("n > 3") FLOW("b", BRANCH("b", "n > 7", "t", END) STEP("s", END) STEP("t", "s")),
        "Flow/f steps breaking: branch 'b', which was there before, leads to 't', for {\"n\":8}\n", true},
    {"step_the_other_side_of_an_old_branch_leads_to", HEAD N OP("n > 3") FLOW("b", BRANCH("b", "n > 7", "s", END) STEP("s", END)), HEAD N OP("n > 3") FLOW("b", BRANCH("b", "n > 7", "s", "t") STEP("s", END) STEP("t", "s")),
        "Flow/f steps breaking: branch 'b', which was there before, leads to 't', for {\"n\":0}\n", true},
    {"step_an_old_branch_never_leads_to", HEAD N OP("n > 3") FLOW("b", BRANCH("b", "n > 7 and n < 7", "s", END) STEP("s", END)), HEAD N OP("n > 3") FLOW("b", BRANCH("b", "n > 7 and n < 7", "t", END) STEP("s", END) STEP("t", "s")),
        "Flow/f steps safe: no step that was there before leads to it\n", true},
    {"rule_weaker_turns_a_branch_inside_a_parallel_step", HEAD N RULE("a", "n > 10") OP("n >= 0") FLOW("k", FORKED("verdict_present(v_a)")),
                                   HEAD N RULE("a", "n > 5") OP("n >= 0") FLOW("k", FORKED("verdict_present(v_a)")),
        "Rule/a body.when breaking: weaker: branch 'b' of flow 'f' goes another way, for {\"n\":6}\n", true},
    {"rule_weaker_nobody_reads_inside_a_parallel_step", HEAD N RULE("a", "n > 10") OP("n >= 0") FLOW("k", FORKED("n > 3")),
                                   HEAD N RULE("a", "n > 5") OP("n >= 0") FLOW("k", FORKED("n > 3")),
        "Rule/a body.when safe: weaker, as for {\"n\":6}: no operation is refused that was allowed, every branch goes its way\n", false},
    {"source_state_of_an_operation_that_is_not_the_first", HEAD N FIRST OP_ERRORS("n > 3", "precondition_failed, persona_rejected, invalid_source_state"), HEAD N FIRST OP("n > 3"),
        "Operation/go error_contract breaking: invalid_source_state still occurs, undeclared, in E.y, for {\"n\":4}\n", true},
    {"source_state_of_an_entity_that_is_always_in_one", HEAD N LONELY("precondition_failed, persona_rejected, invalid_source_state"), HEAD N LONELY("precondition_failed, persona_rejected"),
        "Operation/go error_contract safe: no handler names an error, and what was removed never occurs: invalid_source_state (it leaves every state there is)\n", false},
    {"ambiguous_outcome_of_two_that_match", HEAD N FIRST DECIDE("(E, x, y, yes), (E, x, z, no)", "precondition_failed, persona_rejected, ambiguous_outcome"), HEAD N FIRST DECIDE("(E, x, y, yes), (E, x, z, no)", "precondition_failed, persona_rejected"),
        "Operation/go error_contract breaking: ambiguous_outcome still occurs, undeclared, in E.x, for {\"n\":4}\n", true},
    {"ambiguous_outcome_of_two_from_different_states", HEAD N FIRST DECIDE("(E, x, y, yes), (E, y, z, no)", "precondition_failed, persona_rejected, ambiguous_outcome"), HEAD N FIRST DECIDE("(E, x, y, yes), (E, y, z, no)", "precondition_failed, persona_rejected"),
        "Operation/go error_contract safe: no handler names an error, and what was removed never occurs: ambiguous_outcome (no two outcomes match the same states)\n", false},
    {"unknown_outcome_and_unknown_instance", HEAD N OP_ERRORS("n > 3", "precondition_failed, persona_rejected, unknown_outcome, unknown_instance"), HEAD N OP("n > 3"),
        "Operation/go error_contract breaking: unknown_instance still occurs, undeclared, when an instance it needs is not there\n", true},
    {"precondition_that_never_fails", HEAD N OP_ERRORS("n >= 0", "precondition_failed, persona_rejected"), HEAD N OP_ERRORS("n >= 0", "persona_rejected"),
        "Operation/go error_contract safe: no handler names an error, and what was removed never occurs: precondition_failed (its precondition never fails)\n", false},
    {"evaluation_that_ends_in_an_error", HEAD L OP_ERRORS("l[0] = 1", "precondition_failed, persona_rejected, evaluation_error"), HEAD L OP("l[0] = 1"),
        "Operation/go error_contract breaking: evaluation_error still occurs, undeclared, for {\"l\":[]}\n", true},
    {"source_states_of_two_entities", HEAD N FIRST PAIR("precondition_failed, persona_rejected, invalid_source_state"), HEAD N FIRST PAIR("precondition_failed, persona_rejected"),
        "Operation/go error_contract breaking: invalid_source_state still occurs, undeclared, in B.c, E.y, for {\"n\":4}\n", true},
};
/* clang-format on */

static mt_json tree_of(mt_arena *a, const char *source)
{
    mt_json tree;
    mt_str bundle = bundle_of_source(a, mt_str_z(source));
    assert_int_equal(mt_json_read(a, bundle, NULL, &tree, NULL), MT_OK);
    return tree;
}

static void resolutions(const an_diff *d, mt_buf *got)
{
    static const char *const NAMES[] = {"open", "safe", "breaking"};
    for (uint32_t i = 0; i < d->entry_count; i++) {
        const an_diff_entry *e = &d->entries[i];
        for (uint32_t f = 0; f < e->field_count; f++) {
            for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
                const an_diff_part *part = &e->fields[f].parts[p];
                if (part->taxon->class == AN_REQUIRES_ANALYSIS) {
                    mt_buf_addf(got, "%.*s/%.*s %.*s %s: %.*s\n", MT_ARG(e->kind),
                                MT_ARG(e->id), MT_ARG(e->fields[f].field),
                                NAMES[part->resolution], MT_ARG(part->proof));
                }
            }
        }
    }
    mt_buf_addc(got, 0);
}

static void resolves(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_json old = tree_of(&a, r->old), now = tree_of(&a, r->now);
    side x = side_of_source(&a, mt_str_z(r->old)),
         y = side_of_source(&a, mt_str_z(r->now));
    an_diff *d =
        an_diff_bundles(&a, (an_diff_side){&old, NULL}, (an_diff_side){&now, NULL});
    an_class before = d->class;
    assert_true(d->policy_required);
    an_prove_diff(&a, x.program, y.program, NULL, d);
    mt_buf got = {0};
    resolutions(d, &got);
    assert_string_equal(got.ptr, r->want);
    assert_int_equal(d->policy_required, r->policy);
    assert_int_equal(d->class, before);
    mt_buf_free(&got);
    side_free(&x);
    side_free(&y);
    mt_arena_free(&a);
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    static struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        /* cmocka only reads it. */
        tests[i] = (struct CMUnitTest){.name = ROWS[i].name,
                                       .test_func = resolves,
                                       .initial_state = (void *)(uintptr_t)&ROWS[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
