/* Compatibility of flows under way with a new version: FMC1 to FMC7. */
#include "version_fixture.h"

/* A contract in parts, so that a version is one part replaced. */
#define PEOPLE "persona ann persona bob persona eve\n"
#define FACTS                                                                          \
    "fact ready { type: Bool source: \"x.ready\" default: true }\n"                    \
    "fact small { type: Bool source: \"x.small\" default: true }\n"
#define RULES                                                                          \
    "rule is_ready { stratum: 0 when: ready = true produce: verdict go { payload: "    \
    "Bool = true } }\n"
#define ORDER_STATES                                                                   \
    "entity Order { states: [draft, submitted, released, cancelled] initial: draft "   \
    "transitions: [(draft, submitted), (submitted, released), (submitted, cancelled)," \
    " (draft, cancelled)] }\n"
#define CONFIRM                                                                        \
    "operation confirm { allowed_personas: [ann] precondition: "                       \
    "verdict_present(go) effects: [(Order, draft, submitted)] }\n"
#define RELEASE                                                                        \
    "operation release { allowed_personas: [bob] precondition: "                       \
    "verdict_present(go) effects: [(Order, submitted, released)] }\n"
#define CANCEL                                                                         \
    "operation cancel { allowed_personas: [ann] precondition: true effects: [(Order, " \
    "submitted, cancelled)] }\n"
#define STEP_CONFIRM(next)                                                             \
    "step_confirm: OperationStep { op: confirm persona: ann outcomes: { "              \
    "success: " next " } on_failure: Terminate(outcome: failure) }\n"
#define STEP_CHECK                                                                     \
    "step_check_threshold: BranchStep { condition: small = true persona: ann "         \
    "if_true: "                                                                        \
    "step_auto_release if_false: step_cancel }\n"
#define STEP_RELEASE                                                                   \
    "step_auto_release: OperationStep { op: release persona: bob outcomes: { "         \
    "success: "                                                                        \
    "Terminal(success) } on_failure: Terminate(outcome: failure) }\n"
#define STEP_CANCEL                                                                    \
    "step_cancel: OperationStep { op: cancel persona: ann outcomes: { success: "       \
    "Terminal(failure) } on_failure: Terminate(outcome: failure) }\n"
#define FLOW(steps)                                                                    \
    "flow f { snapshot: at_initiation entry: step_confirm steps: {\n" steps "} }\n"
#define STEPS STEP_CONFIRM("step_check_threshold") STEP_CHECK STEP_RELEASE STEP_CANCEL
#define V1    PEOPLE FACTS RULES ORDER_STATES CONFIRM RELEASE CANCEL FLOW(STEPS)

/* §18.6.4: a compliance step is inserted and the release needs its verdict. */
static const char COMPLIANCE[] = PEOPLE FACTS
    "fact cleared { type: Bool source: \"x.cleared\" default: false }\n" RULES
    "rule clears { stratum: 0 when: cleared = true produce: verdict "
    "compliance_cleared { payload: Bool = true } }\n" ORDER_STATES CONFIRM
    "operation comply { allowed_personas: [eve] precondition: true effects: [] }\n"
    "operation release { allowed_personas: [bob] precondition: "
    "verdict_present(go) and verdict_present(compliance_cleared) effects: [(Order, "
    "submitted, released)] }\n" CANCEL FLOW(STEP_CONFIRM(
        "step_compliance_check") "step_compliance_check: OperationStep { op: comply "
                                 "persona: eve outcomes: { "
                                 "success: step_check_threshold } on_failure: "
                                 "Terminate(outcome: failure) }\n" STEP_CHECK
                                                STEP_RELEASE STEP_CANCEL);

/* §18.6.7: the state `cancelled` is gone, and with it the step that leads there. */
#define NO_CANCELLED                                                                   \
    "entity Order { states: [draft, submitted, released] initial: draft transitions: " \
    "[(draft, submitted), (submitted, released)] }\n"
static const char NEVER_CANCELLED[] =
    PEOPLE FACTS RULES NO_CANCELLED CONFIRM RELEASE FLOW(
        STEP_CONFIRM("step_check_threshold") "step_check_threshold: BranchStep { "
                                             "condition: small = true persona: ann "
                                             "if_true: step_auto_release if_false: "
                                             "Terminal(failure) }\n" STEP_RELEASE);

static an_compatibility judge(version *v1, version *v2, bool aggressive)
{
    an_compatibility out;
    an_compat_options options = {aggressive};
    an_compat(&v2->a, &v1->run, v2->plan, &options, &out);
    return out;
}

/* The first obstacle as "layer condition name step subject". */
static const char *verdict(version *v2, const an_compatibility *c)
{
    if (c->compatible) {
        return "compatible";
    }
    const an_obstacle *o = &c->obstacles.items[0];
    assert_true(o->reason.len > 0);
    assert_int_equal(o->layer, c->layer);
    assert_false(c->passes[c->layer - 1]);
    return mt_strf(&v2->a, "%u %s %s %.*s %.*s", o->layer, o->condition,
                   an_obstacle_name(o->kind), MT_ARG(o->step), MT_ARG(o->subject))
        .ptr;
}

typedef struct row {
    const char *name, *v1, *v2, *facts, *at, *want, *aggressive;
} row;

/* clang-format off */
#define V2(people, facts, rules, states, confirm, release, cancel, steps) \
    people facts rules states confirm release cancel FLOW(steps)
static const row ROWS[] = {
    {"FMC7_an_unchanged_contract_is_compatible", V1, V1, "{}", "step_confirm",
     "compatible", NULL},
    {"FMC4_18_6_4_a_verdict_no_step_of_v1_produced", V1, COMPLIANCE, "{}",
     "step_check_threshold",
     "3 FMC4 verdict_lacking step_auto_release compliance_cleared", NULL},
    {"FMC4_18_6_4_aggressive_forgives_what_the_snapshot_rules_out", V1, COMPLIANCE,
     "{\"small\":false}", "step_check_threshold",
     "3 FMC4 verdict_lacking step_auto_release compliance_cleared", "compatible"},
    {"FMC5_18_6_7_before_the_removed_state_is_compatible", V1, NEVER_CANCELLED, "{}",
     "step_confirm", "compatible", NULL},
    {"FMC5_18_6_7_at_the_step_that_cancels_is_incompatible", V1, NEVER_CANCELLED,
     "{\"small\":false}", "step_cancel", "3 FMC1 no_step  step_cancel", NULL},
    {"FMC1_a_flow_that_is_gone", V1,
     PEOPLE FACTS RULES ORDER_STATES CONFIRM RELEASE CANCEL, "{}", "step_confirm",
     "3 FMC1 no_flow  f", NULL},
    {"FMC1_a_step_that_runs_another_operation", V1,
     V2(PEOPLE, FACTS, RULES, ORDER_STATES, CONFIRM, RELEASE,
        CANCEL "operation other { allowed_personas: [ann] precondition: true effects: "
               "[(Order, submitted, cancelled)] }\n",
        STEP_CONFIRM("step_check_threshold") STEP_CHECK STEP_RELEASE
        "step_cancel: OperationStep { op: other persona: ann outcomes: { success: "
        "Terminal(failure) } on_failure: Terminate(outcome: failure) }\n"),
     "{}", "step_check_threshold", "3 FMC1 other_step step_cancel other", "compatible"},
    {"FMC1_a_step_of_another_kind", V1,
     V2(PEOPLE, FACTS, RULES, ORDER_STATES, CONFIRM, RELEASE, CANCEL,
        STEP_CONFIRM("step_check_threshold")
        "step_check_threshold: HandoffStep { from_persona: ann to_persona: bob next: "
        "step_auto_release }\n" STEP_RELEASE),
     "{}", "step_check_threshold",
     "3 FMC1 other_step step_check_threshold step_check_threshold", NULL},
    {"FMC1_a_step_removed_behind_the_position_does_not_matter", V1,
     PEOPLE FACTS RULES ORDER_STATES RELEASE CANCEL
     "flow f { snapshot: at_initiation entry: step_check_threshold steps: {\n" STEP_CHECK
     STEP_RELEASE STEP_CANCEL "} }\n",
     "{}", "step_check_threshold", "compatible", NULL},
    {"FMC2_a_fact_without_value_or_default", V1,
     V2(PEOPLE, FACTS "fact fresh { type: Bool source: \"x.fresh\" }\n", RULES,
        ORDER_STATES, CONFIRM,
        "operation release { allowed_personas: [bob] precondition: fresh = true "
        "effects: [(Order, submitted, released)] }\n", CANCEL, STEPS),
     "{}", "step_check_threshold", "3 FMC2 fact_missing step_auto_release fresh", NULL},
    {"FMC2_a_new_fact_with_a_default_is_satisfied", V1,
     V2(PEOPLE, FACTS "fact fresh { type: Bool source: \"x.fresh\" default: true }\n",
        RULES, ORDER_STATES, CONFIRM,
        "operation release { allowed_personas: [bob] precondition: fresh = true "
        "effects: [(Order, submitted, released)] }\n", CANCEL, STEPS),
     "{}", "step_check_threshold", "compatible", NULL},
    {"FMC2_a_frozen_value_that_is_none_of_the_new_type", V1,
     V2(PEOPLE, "fact ready { type: Bool source: \"x.ready\" default: true }\n"
        "fact small { type: Int(min: 0, max: 9) source: \"x.small\" default: 1 }\n",
        RULES, ORDER_STATES, CONFIRM, RELEASE, CANCEL,
        STEP_CONFIRM("step_check_threshold")
        "step_check_threshold: BranchStep { condition: small > 3 persona: ann if_true: "
        "step_auto_release if_false: step_cancel }\n" STEP_RELEASE STEP_CANCEL),
     "{}", "step_check_threshold", "3 FMC2 fact_misfit step_check_threshold small",
     NULL},
    {"FMC2_wider_authority_is_compatible", V1,
     V2(PEOPLE, FACTS, RULES, ORDER_STATES, CONFIRM,
        "operation release { allowed_personas: [bob, eve] precondition: "
        "verdict_present(go) effects: [(Order, submitted, released)] }\n", CANCEL,
        STEPS),
     "{}", "step_confirm", "compatible", NULL},
    {"FMC2_a_frozen_payload_that_is_none_of_the_new_type", V1,
     V2(PEOPLE, FACTS,
        "rule is_ready { stratum: 0 when: ready = true produce: verdict go { payload: "
        "Text = \"yes\" } }\n",
        ORDER_STATES, CONFIRM,
        "operation release { allowed_personas: [bob] precondition: go = \"yes\" effects: "
        "[(Order, submitted, released)] }\n", CANCEL, STEPS),
     "{}", "step_check_threshold", "3 FMC2 payload_misfit step_auto_release go", NULL},
    {"FMC2_a_condition_without_a_value", V1,
     V2(PEOPLE, FACTS "fact xs { type: List(element_type: Int(min: 0, max: 9), max: 3) "
        "source: \"x.xs\" default: [] }\n",
        RULES, ORDER_STATES, CONFIRM, RELEASE, CANCEL,
        STEP_CONFIRM("step_check_threshold")
        "step_check_threshold: BranchStep { condition: xs[0] > 1 persona: ann if_true: "
        "step_auto_release if_false: step_cancel }\n" STEP_RELEASE STEP_CANCEL),
     "{}", "step_check_threshold", "3 FMC2 no_value step_check_threshold ", NULL},
    {"FMC2_a_removed_rule_leaves_the_frozen_verdict", V1,
     PEOPLE FACTS
     "rule is_ready { stratum: 0 when: ready = false produce: verdict go { payload: "
     "Bool = true } }\n" ORDER_STATES CONFIRM RELEASE CANCEL FLOW(STEPS),
     "{}", "step_check_threshold", "compatible", NULL},
    {"FMC3_the_current_state_is_gone", V1,
     V2(PEOPLE, FACTS, RULES,
        "entity Order { states: [draft, sent, released, cancelled] initial: draft "
        "transitions: [(draft, sent), (sent, released), (sent, cancelled)] }\n",
        "operation confirm { allowed_personas: [ann] precondition: verdict_present(go) "
        "effects: [(Order, draft, sent)] }\n",
        "operation release { allowed_personas: [bob] precondition: verdict_present(go) "
        "effects: [(Order, sent, released)] }\n",
        "operation cancel { allowed_personas: [ann] precondition: true effects: [(Order,"
        " sent, cancelled)] }\n", STEPS),
     "{}", "step_check_threshold", "2 FMC3 state_removed step_auto_release Order", NULL},
    {"FMC3_the_same_before_anything_moved_is_compatible", V1,
     V2(PEOPLE, FACTS, RULES,
        "entity Order { states: [draft, sent, released, cancelled] initial: draft "
        "transitions: [(draft, sent), (sent, released), (sent, cancelled)] }\n",
        "operation confirm { allowed_personas: [ann] precondition: verdict_present(go) "
        "effects: [(Order, draft, sent)] }\n",
        "operation release { allowed_personas: [bob] precondition: verdict_present(go) "
        "effects: [(Order, sent, released)] }\n",
        "operation cancel { allowed_personas: [ann] precondition: true effects: [(Order,"
        " sent, cancelled)] }\n", STEPS),
     "{}", "step_confirm", "compatible", NULL},
    {"FMC4_a_source_state_no_step_on_the_way_sets", V1,
     V2(PEOPLE, FACTS, RULES,
        "entity Order { states: [draft, submitted, checked, released, cancelled] initial:"
        " draft transitions: [(draft, submitted), (submitted, checked), (checked, "
        "released), (submitted, cancelled)] }\n",
        CONFIRM "operation inspect { allowed_personas: [eve] precondition: true effects: "
        "[(Order, submitted, checked)] }\n",
        "operation release { allowed_personas: [bob] precondition: verdict_present(go) "
        "effects: [(Order, checked, released)] }\n", CANCEL,
        STEP_CONFIRM("step_inspect")
        "step_inspect: OperationStep { op: inspect persona: eve outcomes: { success: "
        "step_check_threshold } on_failure: Terminate(outcome: failure) }\n"
        STEP_CHECK STEP_RELEASE STEP_CANCEL),
     "{}", "step_auto_release", "2 FMC4 state_not_set step_auto_release Order", NULL},
    {"FMC3_a_source_state_no_transition_leads_to", V1,
     V2(PEOPLE, FACTS, RULES,
        "entity Order { states: [draft, submitted, checked, released, cancelled] initial:"
        " draft transitions: [(draft, submitted), (checked, released), (submitted, "
        "cancelled)] }\n", CONFIRM,
        "operation release { allowed_personas: [bob] precondition: verdict_present(go) "
        "effects: [(Order, checked, released)] }\n", CANCEL, STEPS),
     "{}", "step_auto_release", "2 FMC3 state_unreached step_auto_release Order", NULL},
    {"FMC3_an_entity_nobody_bound", V1,
     V2(PEOPLE, FACTS, RULES,
        ORDER_STATES "entity Box { states: [open, shut] initial: open transitions: "
                     "[(open, shut)] }\n",
        CONFIRM,
        "operation release { allowed_personas: [bob] precondition: verdict_present(go) "
        "effects: [(Order, submitted, released), (Box, open, shut)] }\n", CANCEL, STEPS),
     "{}", "step_check_threshold", "2 FMC3 entity_unbound  Box", NULL},
    {"AL48_a_parent_that_changed_is_incompatible", V1,
     V2(PEOPLE, FACTS, RULES,
        "entity Shop { states: [open] initial: open transitions: [] }\n"
        "entity Order { states: [draft, submitted, released, cancelled] initial: draft "
        "transitions: [(draft, submitted), (submitted, released), (submitted, cancelled)"
        ", (draft, cancelled)] parent: Shop }\n",
        CONFIRM, RELEASE, CANCEL, STEPS),
     "{}", "step_check_threshold", "2 FMC3 parent_changed step_auto_release Order", NULL},
};
/* clang-format on */

static void judge_row(const row *r, int more)
{
    version v1, v2;
    version_open(&v1, r->v1);
    version_open(&v2, r->v2);
    version_begin(&v1, r->facts, "f", "ann");
    version_reach(&v1, r->at);
    for (; more; more--) {
        assert_int_equal(ct_run_step(&v1.run), CT_RUN_MORE);
    }
    an_compatibility c = judge(&v1, &v2, false);
    assert_string_equal(verdict(&v2, &c), r->want);
    an_compatibility bold = judge(&v1, &v2, true);
    assert_string_equal(verdict(&v2, &bold), r->aggressive ? r->aggressive : r->want);
    if (bold.compatible) {
        assert_int_equal(version_migrate(&v1, &v2), CT_RUN_DONE);
    }
    version_close(&v1);
    version_close(&v2);
}

static void judged(void **state)
{
    judge_row(*state, 0);
}

/* ---- Nested: sub-flows, parallel branches, compensation under way ---- */

#define N_HEAD                                                                         \
    "persona ann persona bob\n"                                                        \
    "fact stop { type: Bool source: \"x.stop\" default: false }\n"                     \
    "entity A { states: [a0, a1, a2] initial: a0 transitions: [(a0, a1), (a1, a2), "   \
    "(a2, a1)] }\n"                                                                    \
    "entity B { states: [b0, b1, b2] initial: b0 transitions: [(b0, b1), (b1, b2)] "   \
    "}\n"                                                                              \
    "entity C { states: [c0, c1] initial: c0 transitions: [(c0, c1)] }\n"              \
    "operation one { allowed_personas: [ann] precondition: true effects: [(A, a0, "    \
    "a1)]"                                                                             \
    " }\n"                                                                             \
    "operation two { allowed_personas: [ann] precondition: true effects: [(A, a1, "    \
    "a2)]"                                                                             \
    " }\n"                                                                             \
    "operation back { allowed_personas: [ann] precondition: true effects: [(A, a2, "   \
    "a1)] }\n"                                                                         \
    "operation left { allowed_personas: [ann] precondition: true effects: [(B, b0, "   \
    "b1),"                                                                             \
    " (B, b1, b2)] }\n"                                                                \
    "operation right { allowed_personas: [ann] precondition: true effects: [(C, c0, "  \
    "c1)] }\n"                                                                         \
    "operation never { allowed_personas: [ann] precondition: stop = true effects: [] " \
    "}\n"
#define N_OP(id, op, next)                                                             \
    id ": OperationStep { op: " op " persona: ann outcomes: { success: " next          \
       " } on_failure: Terminate(outcome: failure) }\n"
#define N_INNER(op)                                                                    \
    "flow inner { snapshot: at_initiation entry: i1 steps: { " N_OP("i1", op, "i2")    \
        N_OP("i2", "right", "Terminal(success)") "} }\n"
#define N_LEFT                                                                         \
    "Branch { id: bl entry: l1 steps: { " N_OP("l1", "left", "l2")                     \
        N_OP("l2", "left", "Terminal(success)") "} }"
#define N_RIGHT                                                                        \
    "Branch { id: br entry: r1 steps: { " N_OP("r1", "never", "Terminal(success)") "}" \
                                                                                   " " \
                                                                                   "}"
#define N_FLOW(branches, join, handler)                                                \
    "flow f { snapshot: at_initiation entry: s1 steps: {\n" N_OP(                      \
        "s1", "one",                                                                   \
        "s2") "s2: SubFlowStep { flow: inner persona: ann on_success: s3 on_failure: " \
              "Terminate(outcome: failure) }\n"                                        \
              "s3: ParallelStep { branches: [" branches "] join: JoinPolicy { " join   \
              " } }\n"                                                                 \
              "s4: OperationStep { op: never persona: ann outcomes: { success: "       \
              "Terminal(success) } on_failure: " handler " }\n} }\n"
#define N_UNDO                                                                         \
    "Compensate(steps: [{ op: back persona: ann on_failure: Terminal(failure) }] "     \
    "then: Terminal(failure))"
/* Undone in two steps; and one flow behind it, whose first step back is their second.
 */
#define N_UNDO_TWICE                                                                   \
    "Compensate(steps: [{ op: back persona: ann on_failure: Terminal(failure) }, "     \
    "{ op: two persona: ann on_failure: Terminal(failure) }] "                         \
    "then: Terminal(failure))"
#define N_LATER                                                                        \
    "flow later { snapshot: at_initiation entry: z1 steps: { z1: OperationStep { op: " \
    "never persona: ann outcomes: { success: Terminal(success) } on_failure: "         \
    "Compensate(steps: [{ op: two persona: ann on_failure: Terminal(failure) }] "      \
    "then: Terminal(failure)) } } }\n"
#define N2    N_HEAD N_INNER("two") N_FLOW(N_LEFT "," N_RIGHT, N_ALL, N_UNDO_TWICE) N_LATER
#define N_ALL "on_all_success: s4 on_any_failure: Escalate(to: ann next: s4)"
#define N1    N_HEAD N_INNER("two") N_FLOW(N_LEFT "," N_RIGHT, N_ALL, N_UNDO)

/* clang-format off */
static const struct nested {
    row row;
    int more; /* steps after the place was reached */
} NESTED[] = {
    {{"FMC6_inside_a_sub_flow_unchanged", N1, N1, "{}", "i1", "compatible", NULL}, 0},
    {{"FMC6_a_sub_flow_ahead_is_checked_at_its_entry", N1,
      N_HEAD "operation other { allowed_personas: [ann] precondition: true effects: [(A, "
      "a1, a2)] }\n" N_INNER("other") N_FLOW(N_LEFT "," N_RIGHT, N_ALL, N_UNDO),
      "{}", "s1", "3 FMC1 other_step i1 other", NULL}, 0},
    {{"FMC6_a_sub_flow_under_way_is_checked_where_it_stands", N1,
      N_HEAD "operation other { allowed_personas: [ann] precondition: true effects: [(A, "
      "a1, a2)] }\n" N_INNER("other") N_FLOW(N_LEFT "," N_RIGHT, N_ALL, N_UNDO),
      "{}", "i2", "compatible", NULL}, 0},
    {{"FMC6_another_sub_flow_at_the_step_that_waits_for_it", N1,
      N_HEAD N_INNER("two") "flow twin { snapshot: at_initiation entry: i1 steps: { "
      N_OP("i1", "two", "i2") N_OP("i2", "right", "Terminal(success)") "} }\n"
      "flow f { snapshot: at_initiation entry: s2 steps: { s2: SubFlowStep { flow: twin "
      "persona: ann on_success: Terminal(success) on_failure: Terminate(outcome: failure) "
      "} } }\n",
      "{}", "i2", "3 FMC1 other_step s2 twin", NULL}, 0},
    {{"AL46_inside_a_branch_unchanged", N1, N1, "{}", "l2", "compatible", NULL}, 0},
    {{"AL46_in_the_last_branch_unchanged", N1, N1, "{}", "r1", "compatible", NULL}, 0},
    {{"AL46_a_parallel_step_under_way_with_a_branch_less", N1,
      N_HEAD N_INNER("two") N_FLOW(N_LEFT, N_ALL, N_UNDO), "{}", "l2",
      "3 FMC1 other_branches s3 s3", NULL}, 0},
    {{"AL46_one_incompatible_branch_is_enough", N1,
      N_HEAD "operation other { allowed_personas: [ann] precondition: true effects: [] "
      "}\n" N_INNER("two") N_FLOW(N_LEFT ", Branch { id: br entry: r1 steps: { "
      N_OP("r1", "other", "Terminal(success)") "} }", N_ALL, N_UNDO),
      "{}", "l2", "3 FMC1 other_step r1 other", NULL}, 0},
    {{"FMC1_compensation_under_way_unchanged", N1, N1, "{}", "s4", "compatible", NULL}, 1},
    {{"FMC1_compensation_under_way_is_gone", N1,
      N_HEAD N_INNER("two") N_FLOW(N_LEFT "," N_RIGHT, N_ALL,
      "Terminate(outcome: failure)"), "{}", "s4", "3 FMC1 other_handler s4 s4", NULL}, 1},
    {{"FMC1_the_second_step_of_a_compensation_unchanged", N2, N2, "{}", "s4",
      "compatible", NULL}, 2},
    {{"FMC1_the_second_step_of_a_compensation_is_gone", N2,
      N_HEAD N_INNER("two") N_FLOW(N_LEFT "," N_RIGHT, N_ALL, N_UNDO) N_LATER, "{}",
      "s4", "3 FMC1 other_handler s4 s4", NULL}, 2},
    {{"FMC1_a_handler_that_changed_ahead_is_compatible", N1,
      N_HEAD N_INNER("two") N_FLOW(N_LEFT "," N_RIGHT, N_ALL,
      "Terminate(outcome: failure)"), "{}", "s4", "compatible", NULL}, 0},
};
/* clang-format on */
enum { NESTED_COUNT = sizeof NESTED / sizeof *NESTED };

static void judged_nested(void **state)
{
    const struct nested *n = *state;
    judge_row(&n->row, n->more);
}

/* Which flows meet a breaking change, and what an instance can still meet of it. */
static void M5_flows_meet_the_changes_on_their_way(void **state)
{
    (void)state;
    version v1, v2;
    mt_arena a = {0};
    an_touches all, left;
    version_open(&v1, N1);
    version_open(&v2, N_HEAD N_INNER("two")
                          N_FLOW(N_LEFT "," N_RIGHT, N_ALL,
                                 N_UNDO) "persona eve\n" /* nobody meets it */);
    char *at = strstr(v2.text, "{\"entity_id\":\"A\",\"from\":\"a0\",\"to\":\"a1\"}");
    assert_non_null(at);
    memcpy(strstr(at, "a1"), "a2", 2); /* operation one, at step s1 only */
    version_read(&v2);
    const an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                       (an_diff_side){&v2.tree, NULL});
    uint32_t f = ct_model_find(v1.model, CT_KIND_FLOW, MT_STR("f"));
    an_flow_touches(&a, d, v1.plan, f, NULL, &all);
    assert_int_equal(all.len, 1);
    assert_true(mt_str_is(all.items[0].entry->id, "one"));
    assert_true(mt_str_is(all.items[0].step, "s1"));
    uint32_t inner = ct_model_find(v1.model, CT_KIND_FLOW, MT_STR("inner"));
    an_flow_touches(&a, d, v1.plan, inner, NULL, &all);
    assert_int_equal(all.len, 0);
    version_begin(&v1, "{}", "f", "ann");
    an_flow_touches(&a, d, v1.plan, f, &v1.run, &left);
    assert_int_equal(left.len, 1);
    version_reach(&v1, "i1");
    an_flow_touches(&a, d, v1.plan, f, &v1.run, &left);
    assert_int_equal(left.len, 0);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

#define P_DO(id, who, handler)                                                         \
    id ": OperationStep { op: one persona: " who                                       \
       " outcomes: { success: Terminal(success) } on_failure: " handler " }\n"
#define P_END "Terminate(outcome: failure)"
#define P_HEAD(all)                                                                    \
    "entity A { states: [a0, a1] initial: a0 transitions: [(a0, a1), (a1, a0)] }\n"    \
    "operation one { allowed_personas: [" all                                          \
    "] precondition: true effects: [(A, a0, a1)] }\n"                                  \
    "operation back { allowed_personas: [" all                                         \
    "] precondition: true effects: [(A, a1, a0)] }\n"
#define P_V(people, all, steps)                                                        \
    people P_HEAD(all) "flow f { snapshot: at_initiation entry: s1 steps: {\n" steps   \
                       "} }\n"
/* Bob has left, and Ann does what he did. */
#define P_BOTH(form)                                                                   \
    P_V("persona ann persona bob\n", "ann, bob", form("bob")),                         \
        P_V("persona ann\n", "ann", form("ann"))
#define P_DOES(who) P_DO("s1", who, P_END)
#define P_TAKES(who)                                                                   \
    "s1: HandoffStep { from_persona: ann to_persona: " who                             \
    " next: s2 }\n" P_DO("s2", "ann", P_END)
#define P_GIVES(who)                                                                   \
    "s1: HandoffStep { from_persona: " who                                             \
    " to_persona: ann next: s2 }\n" P_DO("s2", "ann", P_END)
#define P_IS_CALLED(who)                                                               \
    P_DO("s1", "ann", "Escalate(to: " who " next: s2)") P_DO("s2", "ann", P_END)
#define P_UNDOES(who)                                                                  \
    P_DO("s1", "ann",                                                                  \
         "Compensate(steps: [{ op: back persona: " who                                 \
         " on_failure: Terminal(failure) }] then: Terminal(failure))")

static const struct gone {
    const char *name, *v1, *v2;
} GONE[] = {
    {"M5_a_persona_that_is_gone_did_a_step", P_BOTH(P_DOES)},
    {"M5_a_persona_that_is_gone_was_handed_the_work", P_BOTH(P_TAKES)},
    {"M5_a_persona_that_is_gone_handed_the_work_on", P_BOTH(P_GIVES)},
    {"M5_a_persona_that_is_gone_was_escalated_to", P_BOTH(P_IS_CALLED)},
    {"M5_a_persona_that_is_gone_undid_a_step", P_BOTH(P_UNDOES)},
};

static void meets_the_persona(void **state)
{
    const struct gone *g = *state;
    version v1, v2;
    mt_arena a = {0};
    an_touches all;
    size_t met = 0;
    version_open(&v1, g->v1);
    version_open(&v2, g->v2);
    const an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                       (an_diff_side){&v2.tree, NULL});
    uint32_t f = ct_model_find(v1.model, CT_KIND_FLOW, MT_STR("f"));
    an_flow_touches(&a, d, v1.plan, f, NULL, &all);
    for (size_t i = 0; i < all.len; i++) {
        if (mt_str_is(all.items[i].entry->kind, "Persona")) {
            assert_true(mt_str_is(all.items[i].entry->id, "bob"));
            assert_true(mt_str_is(all.items[i].step, "s1"));
            met++;
        }
    }
    assert_int_equal(met, 1);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

/* Elaboration refuses such a contract, a bundle may still have it. */
static void FMC2_a_step_whose_persona_may_not_invoke_the_operation(void **state)
{
    (void)state;
    version v1, v2;
    version_open(&v1, V1);
    version_elaborate(&v2, V1);
    char *at = strstr(v2.text, "[\"bob\"]");
    assert_non_null(at);
    memcpy(at, "[\"eve\"]", 7);
    version_load(&v2);
    version_begin(&v1, "{}", "f", "ann");
    an_compatibility c = judge(&v1, &v2, false);
    assert_string_equal(verdict(&v2, &c),
                        "3 FMC2 persona_refused step_auto_release bob");
    version_close(&v1);
    version_close(&v2);
}

enum { COUNT = sizeof ROWS / sizeof *ROWS, GONE_COUNT = sizeof GONE / sizeof *GONE };

static struct CMUnitTest test_of(const row *r, CMUnitTestFunction run,
                                 const void *state)
{
    return (struct CMUnitTest){
        .name = r->name, .test_func = run, .initial_state = (void *)(uintptr_t)state};
}

int main(void)
{
    struct CMUnitTest tests[COUNT + NESTED_COUNT + GONE_COUNT + 2] = {
        cmocka_unit_test(FMC2_a_step_whose_persona_may_not_invoke_the_operation),
        cmocka_unit_test(M5_flows_meet_the_changes_on_their_way),
    };
    for (size_t i = 0; i < COUNT; i++) {
        tests[2 + i] = test_of(&ROWS[i], judged, &ROWS[i]);
    }
    for (size_t i = 0; i < NESTED_COUNT; i++) {
        tests[2 + COUNT + i] = test_of(&NESTED[i].row, judged_nested, &NESTED[i]);
    }
    for (size_t i = 0; i < GONE_COUNT; i++) {
        tests[2 + COUNT + NESTED_COUNT + i] =
            (struct CMUnitTest){.name = GONE[i].name,
                                .test_func = meets_the_persona,
                                .initial_state = (void *)(uintptr_t)&GONE[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
