/* Flows: every kind of step, handlers, joins, hosts. Names begin with the section of
 * the specification they hold it to. */
#include "flow_fixture.h"

/* clang-format off */
#define DOC(id) ENTITY(id, "draft", "'draft','review','done'",                         \
    ARC("draft", "review") ARC("review", "done") ARC("review", "draft")                \
    ARC("draft", "done") ARC("done", "draft"))
#define OP(id, entity, from, to) OPERATION(id, "'ann','bob'", PRESENT("ready"),        \
    EFFECT(entity, from, to), "'ok'", "'precondition_failed'")
#define CLOSED(id, entity, from, to) OPERATION(id, "'ann','bob'", PRESENT("never"),    \
    EFFECT(entity, from, to), "'ok'", "'precondition_failed'")

static const char CONTRACT[] = BUNDLE(
    PERSONA("ann") PERSONA("bob") FACT("go", BOOL) FACT("no", BOOL)
    FACT("list", "{'base':'List','element_type':{'base':'Int','max':9,'min':0},'max':3}")
    DOC("A") DOC("B") DOC("C")
    RULE("r_never", 0, "never", IS_TRUE("no"))
    RULE("r_ready", 0, "ready", IS_TRUE("go"))
    OP("a_done", "A", "draft", "done") OP("a_review", "A", "draft", "review")
    OP("a_undo", "A", "review", "draft") OP("b_review", "B", "draft", "review")
    OP("b_undo", "B", "review", "draft")
    CLOSED("c_never", "C", "draft", "done")
    OPERATION("choose", "'ann'", PRESENT("ready"),
              EFFECT_FOR("C", "draft", "review", "left")
              EFFECT_FOR("C", "draft", "done", "right"), "'left','right'", "")
    OPERATION("only_bob", "'bob'", PRESENT("ready"), EFFECT("A", "draft", "done"),
              "'ok'", "")
    OPERATION("picky", "'ann'",
              "{'left':{'index':{'literal':2,'type':{'base':'Int','max':2,'min':2}},"
              "'op':'index','operand':{'fact_ref':'list'}},'op':'=','right':"
              "{'literal':1,'type':{'base':'Int','max':1,'min':1}}}",
              EFFECT("A", "draft", "done"), "'ok'", "")
    FLOW("f_ambiguous", "s", OP_STEP("s", "choose", "ann",
         ON("left", TERMINAL("went_left")) ON("right", TERMINAL("went_right")),
         TERMINATE("failure")))
    FLOW("f_bad_branch", "s", BRANCH_STEP("s", "ann",
         "{'left':{'index':{'literal':2,'type':{'base':'Int','max':2,'min':2}},'op':"
         "'index','operand':{'fact_ref':'list'}},'op':'=','right':{'literal':1,'type':"
         "{'base':'Int','max':1,'min':1}}}", TERMINAL("yes"), TERMINAL("no")))
    FLOW("f_compensate", "one",
         OP_STEP("one", "a_review", "ann", ON("ok", STEP("two")), TERMINATE("failure"))
         OP_STEP("two", "b_review", "ann", ON("ok", STEP("three")), TERMINATE("failure"))
         OP_STEP("three", "c_never", "bob", ON("ok", TERMINAL("success")),
                 COMPENSATE(UNDO("b_undo", "ann", "stuck_b") UNDO("a_undo", "bob",
                 "stuck_a"), "undone")))
    FLOW("f_escalate", "try",
         OP_STEP("try", "c_never", "ann", ON("ok", TERMINAL("success")),
                 ESCALATE("bob", "again"))
         OP_STEP("again", "a_done", "bob", ON("ok", TERMINAL("rescued")),
                 TERMINATE("failure")))
    FLOW("f_escalates_out", "try",
         OP_STEP("try", "c_never", "ann", ON("ok", TERMINAL("success")),
                 TERMINATE("escalation")))
    FLOW("f_handoff", "give", HANDOFF_STEP("give", "ann", "bob", "take")
         OP_STEP("take", "a_done", "bob", ON("ok", TERMINAL("success")),
                 TERMINATE("failure")))
    FLOW("f_join_complete", "par", PARALLEL_STEP("par",
         BRANCH("x", "x1", OP_STEP("x1", "c_never", "ann", ON("ok", TERMINAL("success")),
                TERMINATE("failure")))
         BRANCH("y", "y1", OP_STEP("y1", "b_review", "bob", ON("ok", TERMINAL("success")),
                TERMINATE("failure"))),
         "'on_all_complete':" TERMINAL("completed")))
    FLOW("f_parallel", "par", PARALLEL_STEP("par",
         BRANCH("x", "x1",
                OP_STEP("x1", "a_review", "ann", ON("ok", STEP("x2")),
                        TERMINATE("failure"))
                OP_STEP("x2", "a_undo", "ann", ON("ok", TERMINAL("there_and_back")),
                        TERMINATE("failure")))
         BRANCH("y", "y1",
                OP_STEP("y1", "b_review", "bob", ON("ok", TERMINAL("reviewed")),
                        TERMINATE("failure"))),
         "'on_all_complete':" TERMINAL("completed") ",'on_all_success':"
         TERMINAL("all_good") ",'on_any_failure':" TERMINATE("broken")))
    FLOW("f_parallel_fails", "par", PARALLEL_STEP("par",
         BRANCH("x", "x1", OP_STEP("x1", "c_never", "ann", ON("ok", TERMINAL("success")),
                TERMINATE("failure")))
         BRANCH("y", "y1", OP_STEP("y1", "b_review", "bob", ON("ok", TERMINAL("success")),
                TERMINATE("failure"))),
         "'on_all_complete':" TERMINAL("completed") ",'on_all_success':"
         TERMINAL("all_good") ",'on_any_failure':"
         COMPENSATE(UNDO("b_undo", "bob", "stuck"), "repaired")))
    FLOW("f_persona", "s", OP_STEP("s", "only_bob", "ann", ON("ok", TERMINAL("success")),
         TERMINATE("failure")))
    FLOW("f_picky", "s", OP_STEP("s", "picky", "ann", ON("ok", TERMINAL("success")),
         TERMINATE("refused")))
    FLOW("f_sub", "call", SUBFLOW_STEP("call", "f_handoff", "ann", TERMINAL("called"),
         TERMINATE("call_failed")))
    FLOW("f_sub_bad", "call", SUBFLOW_STEP("call", "f_bad_branch", "ann",
         TERMINAL("called"), TERMINATE("call_failed")))
    FLOW("f_sub_escalation", "call", SUBFLOW_STEP("call", "f_escalates_out", "ann",
         TERMINAL("called"), TERMINATE("call_failed")))
    FLOW("f_sub_odd_name", "call", SUBFLOW_STEP("call", "f_escalate", "ann",
         TERMINAL("called"), TERMINATE("call_failed"))));
/* clang-format on */

static int open_flows(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_open(f, CONTRACT);
    fixture_facts(f, "{'go':true,'no':false,'list':[]}");
    fixture_states(f, "{}");
    *state = f;
    return 0;
}

static int close_flows(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

static void flow_gives(fixture *f, const char *flow, const char *outcome,
                       const char *steps)
{
    assert_string_equal(fixture_run(f, flow, "ann"), outcome);
    assert_string_equal(fixture_steps(f), steps);
}

static void s11_3_compensation_runs_in_order_then_terminates(void **state)
{
    fixture *f = *state;
    flow_gives(f, "f_compensate", "undone",
               "one=ok | two=ok | three=error: precondition failed for operation "
               "'c_never': precondition evaluated to false | comp:b_undo=ok | "
               "comp:a_undo=ok");
    assert_string_equal(fixture_state(f, "A"), "draft");
    assert_string_equal(fixture_state(f, "B"), "draft");
}

/* A host that moved B meanwhile: the first compensation fails, the second never runs.
 */
static mt_err refuse_undo(void *context, const ct_run *run, const ct_record *record)
{
    (void)context;
    mt_str op = ct_operation_id(run->plan, record->op);
    return mt_str_is(op, "b_undo") ? MT_E_CONFLICT : MT_OK;
}

static void s11_3_a_failed_compensation_ends_with_its_own_terminal(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_compensate", "ann");
    in.host.apply = refuse_undo;
    ct_run_start(&f->run, &in);
    assert_int_equal(ct_run_all(&f->run), CT_RUN_DONE);
    assert_true(mt_str_is(f->plan->terminals[f->run.outcome].name, "stuck_b"));
    assert_int_equal(f->run.records.len, 4);
    assert_string_equal(fixture_state(f, "A"), "review");
}

static void s11_3_escalation_hands_the_step_to_another_persona(void **state)
{
    flow_gives(*state, "f_escalate", "rescued",
               "try=error: precondition failed for operation 'c_never': precondition "
               "evaluated to false | try=escalated to bob | again=ok");
}

static void s11_2_a_handoff_is_recorded_and_goes_on(void **state)
{
    flow_gives(*state, "f_handoff", "success", "give=handoff | take=ok");
}

static void s11_4_a_step_acts_as_its_own_persona(void **state)
{
    flow_gives(*state, "f_persona", "failure",
               "s=error: persona 'ann' not authorized for operation 'only_bob'");
}

static void s11_4_a_sub_flow_shares_snapshot_and_bindings(void **state)
{
    fixture *f = *state;
    flow_gives(f, "f_sub", "called", "call=success");
    assert_string_equal(fixture_state(f, "A"), "done");
    assert_int_equal(f->run.records.len, 3);
    assert_int_equal(f->run.records.items[1].parent, 0);
}

static void a_sub_flow_that_escalates_has_failed(void **state)
{
    flow_gives(*state, "f_sub_escalation", "call_failed", "call=escalation");
}

static void a_sub_flow_with_any_other_name_has_succeeded(void **state)
{
    flow_gives(*state, "f_sub_odd_name", "called", "call=rescued");
}

static void a_sub_flow_that_breaks_off_has_failed(void **state)
{
    flow_gives(*state, "f_sub_bad", "call_failed", "call=error");
}

static void an_error_in_a_branch_condition_breaks_the_flow_off(void **state)
{
    fixture *f = *state;
    const char *outcome = fixture_run(f, "f_bad_branch", "ann");
    assert_int_equal(f->run.status, CT_RUN_FAILED);
    assert_int_equal(strncmp(outcome, "failed: ", 8), 0);
}

static void an_error_in_a_precondition_is_the_operations_failure(void **state)
{
    fixture *f = *state;
    assert_string_equal(fixture_run(f, "f_picky", "ann"), "refused");
    assert_int_equal(f->run.records.items[0].error, CT_OP_EVALUATION);
}

static void s11_5_all_branches_run_and_all_success_joins_first(void **state)
{
    fixture *f = *state;
    flow_gives(f, "f_parallel", "all_good",
               "par=x:there_and_back, y:reviewed | x1=ok | x2=ok | y1=ok");
    assert_string_equal(fixture_state(f, "A"), "draft");
    assert_string_equal(fixture_state(f, "B"), "review");
}

static void s11_5_a_failed_branch_leads_to_any_failure_after_all_ran(void **state)
{
    fixture *f = *state;
    flow_gives(f, "f_parallel_fails", "repaired",
               "par=x:failure, y:success | x1=error: precondition failed for operation "
               "'c_never': precondition evaluated to false | y1=ok | comp:b_undo=ok");
    assert_string_equal(fixture_state(f, "B"), "draft");
}

static void s11_5_all_complete_joins_when_nothing_else_is_given(void **state)
{
    fixture *f = *state;
    assert_string_equal(fixture_run(f, "f_join_complete", "ann"), "completed");
    assert_string_equal(fixture_state(f, "B"), "review");
}

static void s11_5_branches_on_one_entity_are_refused(void **state)
{
    (void)state;
    fixture f;
    /* clang-format off */
    mt_err err = fixture_build(&f, BUNDLE(
        PERSONA("ann") PERSONA("bob") FACT("go", BOOL) DOC("A")
        RULE("r_ready", 0, "ready", IS_TRUE("go")) OP("a_done", "A", "draft", "done")
        OP("a_review", "A", "draft", "review")
        FLOW("f", "par", PARALLEL_STEP("par",
            BRANCH("x", "x1", OP_STEP("x1", "a_done", "ann", ON("ok", TERMINAL("success")),
                   TERMINATE("failure")))
            BRANCH("y", "y1", OP_STEP("y1", "a_review", "ann",
                   ON("ok", TERMINAL("success")), TERMINATE("failure"))),
            "'on_all_success':" TERMINAL("success")))));
    /* clang-format on */
    assert_int_equal(err, MT_E_REJECTED);
    fixture_close(&f);
}

static uint32_t pick_last(void *context, const ct_run *run, uint32_t step, uint32_t op,
                          const uint32_t *matching, uint32_t count)
{
    (void)run;
    (void)step;
    (void)op;
    *(uint32_t *)context = count;
    return matching[count - 1];
}

static void an_ambiguous_outcome_is_named_by_the_host(void **state)
{
    fixture *f = *state;
    flow_gives(f, "f_ambiguous", "failure",
               "s=error: several outcomes of operation 'choose' match; name one");
    uint32_t asked = 0;
    ct_run_input in = fixture_input(f, "f_ambiguous", "ann");
    in.host = (ct_host){.context = &asked, .choose = pick_last};
    ct_run_start(&f->run, &in);
    ct_run_all(&f->run);
    assert_int_equal(asked, 2);
    assert_true(mt_str_is(f->plan->terminals[f->run.outcome].name, "went_right"));
    assert_string_equal(fixture_state(f, "C"), "done");
}

static void s11_1_a_missing_binding_fails_before_the_first_step(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_compensate", "ann");
    mt_str instances[3] = {in.instances[0], in.instances[1], {0}};
    in.instances = instances;
    assert_int_equal(ct_run_start(&f->run, &in), CT_RUN_FAILED);
    assert_true(mt_str_is(f->run.fault, "no instance is bound to entity 'C'"));
    assert_int_equal(f->run.records.len, 0);
    assert_int_equal(ct_run_step(&f->run), CT_RUN_FAILED);
}

/* Sub-flows and compensation count too: f_sub changes only A, inside f_handoff. */
static void s11_1_bindings_are_checked_through_sub_flows(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_sub", "ann");
    mt_str none[3] = {{0}, {0}, {0}};
    in.instances = none;
    assert_int_equal(ct_run_start(&f->run, &in), CT_RUN_FAILED);
    mt_str only_a[3] = {in.instances[0], {0}, {0}};
    only_a[0] = CT_DEFAULT_INSTANCE;
    in.instances = only_a;
    assert_int_equal(ct_run_start(&f->run, &in), CT_RUN_MORE);
}

static void s6_5_a_binding_to_an_absent_instance_fails_at_once(void **state)
{
    fixture *f = *state;
    mt_str why;
    ct_binding_read_text(&f->a, &f->binding, f->model, MT_STR("A=ghost"), &why);
    assert_string_equal(fixture_run(f, "f_handoff", "ann"),
                        "failed: entity 'A' instance 'ghost' not found in state map");
}

static void a_persona_nobody_declares_cannot_begin(void **state)
{
    fixture *f = *state;
    assert_string_equal(fixture_run(f, "f_handoff", "stranger"),
                        "failed: persona 'stranger' is not declared");
}

static bool is_ann(void *context, const ct_run *run, uint32_t persona)
{
    (void)context;
    return mt_str_is(ct_persona_id(run->plan, persona), "ann");
}

static void a_run_waits_for_a_persona_the_host_does_not_hold(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_handoff", "ann");
    in.host.may_act = is_ann;
    ct_run_start(&f->run, &in);
    assert_int_equal(ct_run_all(&f->run), CT_RUN_WAITING);
    assert_true(mt_str_is(ct_persona_id(f->plan, f->run.waiting_for), "bob"));
    assert_string_equal(fixture_steps(f), "give=handoff");
    f->run.host.may_act = NULL;
    ct_run_resume(&f->run);
    assert_int_equal(ct_run_all(&f->run), CT_RUN_DONE);
}

static ct_run_status run_within(fixture *f, const char *flow, uint32_t steps)
{
    ct_run_input in = fixture_input(f, flow, "ann");
    in.max_steps = steps;
    ct_run_start(&f->run, &in);
    return ct_run_all(&f->run);
}

/* As many steps as a flow takes are enough, one less is not. */
static uint32_t steps_taken(fixture *f, const char *flow)
{
    uint32_t steps = 1;
    while (run_within(f, flow, steps) == CT_RUN_FAILED) {
        assert_true(mt_str_is(f->run.fault, "exceeded the limit flow_steps"));
        steps++;
    }
    assert_int_equal(f->run.status, CT_RUN_DONE);
    return steps;
}

static void the_last_step_within_the_limit_is_taken(void **state)
{
    assert_int_equal(steps_taken(*state, "f_handoff"), 2);
}

static void waiting_costs_no_step(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_handoff", "ann");
    in.host.may_act = is_ann;
    in.max_steps = steps_taken(f, "f_handoff");
    ct_run_start(&f->run, &in);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ct_run_all(&f->run), CT_RUN_WAITING);
        ct_run_resume(&f->run);
    }
    f->run.host.may_act = NULL;
    assert_int_equal(ct_run_all(&f->run), CT_RUN_DONE);
}

static mt_err disk_full(void *context, const ct_run *run, const ct_record *record)
{
    (void)context;
    (void)run;
    (void)record;
    return MT_E_IO;
}

static void a_failing_host_stops_the_run_and_nothing_has_happened(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_handoff", "ann");
    in.host.apply = disk_full;
    ct_run_start(&f->run, &in);
    assert_int_equal(ct_run_all(&f->run), CT_RUN_STOPPED);
    assert_int_equal(f->run.host_error, MT_E_IO);
    assert_string_equal(fixture_steps(f), "give=handoff");
    assert_string_equal(fixture_state(f, "A"), "draft");
    assert_int_equal(f->run.changes.len, 0);
    f->run.host.apply = NULL;
    ct_run_resume(&f->run);
    assert_int_equal(ct_run_all(&f->run), CT_RUN_DONE);
    assert_string_equal(fixture_state(f, "A"), "done");
}

static void the_number_of_steps_is_limited(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_compensate", "ann");
    in.max_steps = 2;
    ct_run_start(&f->run, &in);
    assert_int_equal(ct_run_all(&f->run), CT_RUN_FAILED);
    assert_true(mt_str_is(f->run.fault, "exceeded the limit flow_steps"));
}

static void a_run_started_again_allocates_nothing(void **state)
{
    fixture *f = *state;
    fixture_run(f, "f_compensate", "ann");
    size_t before = f->run.memory.reserved + f->run.texts.reserved;
    const void *records = f->run.records.items;
    for (int i = 0; i < 100; i++) {
        assert_string_equal(fixture_run(f, "f_compensate", "ann"), "undone");
    }
    assert_int_equal(f->run.memory.reserved + f->run.texts.reserved, before);
    assert_ptr_equal(f->run.records.items, records);
}

static void a_simulation_says_so_in_every_record(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "f_parallel_fails", "ann");
    in.simulation = true;
    ct_run_start(&f->run, &in);
    ct_run_all(&f->run);
    mt_buf out = {0};
    ct_run_json(&out, &f->run);
    size_t flags = 0;
    mt_buf_addc(&out, '\0');
    for (const char *at = out.ptr; (at = strstr(at, "\"simulation\":true")); at++) {
        flags++;
    }
    /* the top, the provenance, and four records */
    assert_int_equal(flags, 6);
    mt_buf_free(&out);
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, open_flows, close_flows)
    const struct CMUnitTest tests[] = {
        ROW(s11_3_compensation_runs_in_order_then_terminates),
        ROW(s11_3_a_failed_compensation_ends_with_its_own_terminal),
        ROW(s11_3_escalation_hands_the_step_to_another_persona),
        ROW(s11_2_a_handoff_is_recorded_and_goes_on),
        ROW(s11_4_a_step_acts_as_its_own_persona),
        ROW(s11_4_a_sub_flow_shares_snapshot_and_bindings),
        ROW(a_sub_flow_that_escalates_has_failed),
        ROW(a_sub_flow_with_any_other_name_has_succeeded),
        ROW(a_sub_flow_that_breaks_off_has_failed),
        ROW(an_error_in_a_branch_condition_breaks_the_flow_off),
        ROW(an_error_in_a_precondition_is_the_operations_failure),
        ROW(s11_5_all_branches_run_and_all_success_joins_first),
        ROW(s11_5_a_failed_branch_leads_to_any_failure_after_all_ran),
        ROW(s11_5_all_complete_joins_when_nothing_else_is_given),
        cmocka_unit_test(s11_5_branches_on_one_entity_are_refused),
        ROW(an_ambiguous_outcome_is_named_by_the_host),
        ROW(s11_1_a_missing_binding_fails_before_the_first_step),
        ROW(s11_1_bindings_are_checked_through_sub_flows),
        ROW(s6_5_a_binding_to_an_absent_instance_fails_at_once),
        ROW(a_persona_nobody_declares_cannot_begin),
        ROW(a_run_waits_for_a_persona_the_host_does_not_hold),
        ROW(the_last_step_within_the_limit_is_taken),
        ROW(waiting_costs_no_step),
        ROW(a_failing_host_stops_the_run_and_nothing_has_happened),
        ROW(the_number_of_steps_is_limited),
        ROW(a_run_started_again_allocates_nothing),
        ROW(a_simulation_says_so_in_every_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
