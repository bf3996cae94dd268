/* The trace of the specification's worked example, step by step: D.9, D.10 and D.11
 * (the last with the flow and the instance that exist). */
#include "contract/flow/action_space.h"
#include "escrow_bundle.h"
#include "flow_fixture.h"

static int open_escrow(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_open(f, ESCROW);
    fixture_facts(f, ESCROW_FACTS);
    fixture_states(f, "{}");
    *state = f;
    return 0;
}

static int close_escrow(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

static bool present(const fixture *f, const char *verdict)
{
    uint32_t rule = ct_model_find(f->model, CT_KIND_VERDICT, mt_str_z(verdict));
    assert_int_not_equal(rule, CT_NONE);
    return ct_verdict_present(f->verdicts, rule);
}

/* Finds a value in the run's result by a path of keys and indices. */
static const mt_json *result(fixture *f)
{
    mt_buf out = {0};
    mt_json *tree = mt_new(&f->a, mt_json);
    ct_run_json(&out, &f->run);
    mt_str text = mt_str_dup(&f->a, mt_buf_str(&out));
    mt_buf_free(&out);
    assert_int_equal(mt_json_read(&f->a, text, NULL, tree, NULL), MT_OK);
    return tree;
}

static const char *text_of(fixture *f, const mt_json *node)
{
    mt_buf out = {0};
    assert_non_null(node);
    mt_json_write(&out, node, false);
    const char *text = mt_str_dup(&f->a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}

static void stratum_0_and_1_give_the_printed_verdict_set(void **state)
{
    fixture *f = *state;
    assert_true(present(f, "line_items_validated"));
    assert_true(present(f, "delivery_confirmed"));
    assert_true(present(f, "within_threshold"));
    assert_true(present(f, "release_approved"));
    assert_false(present(f, "delivery_failed"));
    assert_false(present(f, "refund_requested"));
    assert_false(present(f, "compliance_review_required"));
    assert_false(present(f, "refund_approved"));
}

static void the_flow_takes_the_printed_steps_one_at_a_time(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "standard_release", "seller");
    assert_int_equal(ct_run_start(&f->run, &in), CT_RUN_MORE);
    assert_string_equal(fixture_state(f, "DeliveryRecord"), "pending");

    assert_int_equal(ct_run_step(&f->run), CT_RUN_MORE);
    assert_string_equal(fixture_steps(f), "step_confirm=confirmed");
    assert_string_equal(fixture_state(f, "DeliveryRecord"), "confirmed");
    assert_string_equal(fixture_state(f, "EscrowAccount"), "held");

    assert_int_equal(ct_run_step(&f->run), CT_RUN_MORE);
    assert_string_equal(fixture_steps(f),
                        "step_confirm=confirmed | step_check_threshold=true");

    assert_int_equal(ct_run_step(&f->run), CT_RUN_DONE);
    assert_string_equal(fixture_steps(f),
                        "step_confirm=confirmed | step_check_threshold=true | "
                        "step_auto_release=released");
    assert_string_equal(fixture_state(f, "EscrowAccount"), "released");
    mt_str outcome = f->plan->terminals[f->run.outcome].name;
    assert_true(mt_str_is(outcome, "success"));
}

static void the_provenance_chain_is_the_printed_one(void **state)
{
    fixture *f = *state;
    assert_string_equal(fixture_run(f, "standard_release", "seller"), "success");
    const mt_json *steps = mt_json_at(mt_json_at(result(f), "provenance"), "steps");
    assert_int_equal(steps->count, 3);
    const mt_json *confirm = &steps->as.items[0], *branch = &steps->as.items[1],
                  *release = &steps->as.items[2];
    assert_string_equal(text_of(f, mt_json_at(confirm, "facts_used")),
                        "[\"line_items\"]");
    assert_string_equal(text_of(f, mt_json_at(confirm, "verdicts_used")), "[]");
    assert_string_equal(text_of(f, mt_json_at(confirm, "state_before")),
                        "{\"DeliveryRecord\":{\"_default\":\"pending\"}}");
    assert_string_equal(text_of(f, mt_json_at(confirm, "state_after")),
                        "{\"DeliveryRecord\":{\"_default\":\"confirmed\"}}");
    assert_string_equal(text_of(f, mt_json_at(branch, "condition")),
                        "\"verdict_present(within_threshold)\"");
    assert_string_equal(text_of(f, mt_json_at(branch, "result")), "true");
    assert_string_equal(text_of(f, mt_json_at(branch, "persona")), "\"escrow_agent\"");
    assert_string_equal(text_of(f, mt_json_at(release, "verdicts_used")),
                        "[\"delivery_confirmed\",\"line_items_validated\","
                        "\"release_approved\",\"within_threshold\"]");
    assert_string_equal(text_of(f, mt_json_at(release, "facts_used")),
                        "[\"compliance_threshold\",\"delivery_status\","
                        "\"escrow_amount\",\"line_items\"]");
    assert_string_equal(text_of(f, mt_json_at(release, "state_before")),
                        "{\"EscrowAccount\":{\"_default\":\"held\"}}");
    assert_string_equal(text_of(f, mt_json_at(release, "state_after")),
                        "{\"EscrowAccount\":{\"_default\":\"released\"}}");
}

/* D.10: a branch after an operation is decided on the verdicts of initiation. */
static void verdicts_stay_frozen_while_states_move(void **state)
{
    fixture *f = *state;
    ct_run_input in = fixture_input(f, "standard_release", "seller");
    ct_run_start(&f->run, &in);
    const ct_verdicts *before = f->run.frozen.snapshot.verdicts;
    mt_buf first = {0}, later = {0};
    ct_verdicts_json(&first, before);
    ct_run_step(&f->run);
    ct_run_step(&f->run);
    assert_ptr_equal(f->run.frozen.snapshot.verdicts, before);
    ct_verdicts_json(&later, f->run.frozen.snapshot.verdicts);
    assert_true(mt_str_eq(mt_buf_str(&first), mt_buf_str(&later)));
    assert_int_equal(f->run.records.items[1].kind, CT_RECORD_BRANCH);
    assert_int_equal(f->run.records.items[1].result, 1);
    mt_buf_free(&first);
    mt_buf_free(&later);
}

static const char SIX_INSTANCES[] =
    "{'EscrowAccount':{'esc-001':'held','esc-002':'held','esc-003':'released'},"
    "'DeliveryRecord':{'del-001':'confirmed','del-002':'pending','del-003':"
    "'confirmed'}}";

static void bind(fixture *f, const char *text)
{
    mt_str why;
    assert_int_equal(
        ct_binding_read_text(&f->a, &f->binding, f->model, mt_str_z(text), &why),
        MT_OK);
}

/* D.11 */
static void a_flow_runs_on_the_bound_instances_only(void **state)
{
    fixture *f = *state;
    fixture_states(f, SIX_INSTANCES);
    bind(f, "EscrowAccount=esc-001");
    bind(f, "DeliveryRecord=del-002");
    assert_string_equal(fixture_run(f, "standard_release", "escrow_agent"), "success");
    const mt_json *r = result(f);
    assert_string_equal(
        text_of(f, mt_json_at(r, "instance_bindings")),
        "{\"DeliveryRecord\":\"del-002\",\"EscrowAccount\":\"esc-001\"}");
    assert_string_equal(
        text_of(f, mt_json_at(r, "entity_state_changes")),
        "[{\"entity_id\":\"DeliveryRecord\",\"from\":\"pending\",\"instance_id\":"
        "\"del-002\",\"to\":\"confirmed\"},{\"entity_id\":\"EscrowAccount\",\"from\":"
        "\"held\",\"instance_id\":\"esc-001\",\"to\":\"released\"}]");
    uint32_t account = ct_model_find(f->model, CT_KIND_ENTITY, MT_STR("EscrowAccount"));
    uint32_t held = ct_states_get(&f->states, account, MT_STR("esc-002"));
    assert_true(mt_str_is(ct_plan_state_id(f->plan, account, held), "held"));
}

/* D.11 as printed binds a delivery that is confirmed already: E2 refuses it. */
static void a_delivery_in_the_wrong_state_is_refused(void **state)
{
    fixture *f = *state;
    fixture_states(f, SIX_INSTANCES);
    bind(f, "EscrowAccount=esc-001");
    bind(f, "DeliveryRecord=del-001");
    assert_string_equal(fixture_run(f, "standard_release", "escrow_agent"), "failure");
    assert_string_equal(
        fixture_steps(f),
        "step_confirm=error: entity 'DeliveryRecord' instance 'del-001' "
        "in state 'confirmed', expected 'pending'");
    assert_int_equal(f->run.changes.len, 0);
}

/* D.11's action space, for the flow whose first operation is on the account. */
static void the_action_space_is_per_instance(void **state)
{
    fixture *f = *state;
    fixture_facts(f, "{'escrow_amount':{'amount':'1.00','currency':'USD'},"
                     "'delivery_status':'failed','buyer_requested_refund':true,"
                     "'line_items':[]}");
    fixture_states(f, SIX_INSTANCES);
    ct_action_space space;
    ct_actions(&f->a, &f->frozen, &f->states, MT_STR("escrow_agent"), &space);
    assert_int_equal(space.actions.len, 1);
    const ct_action *refund = &space.actions.items[0];
    assert_int_equal(refund->binding_count, 1);
    assert_int_equal(refund->bindings[0].count, 2);
    mt_buf out = {0};
    mt_json tree;
    ct_actions_json(&out, &f->frozen, &space);
    assert_int_equal(mt_json_read(&f->a, mt_buf_str(&out), NULL, &tree, NULL), MT_OK);
    const mt_json *action = &mt_json_at(&tree, "actions")->as.items[0];
    assert_string_equal(text_of(f, mt_json_at(action, "instance_bindings")),
                        "{\"EscrowAccount\":[\"esc-001\",\"esc-002\"]}");
    const mt_json *blocked = mt_json_at(&tree, "blocked_actions");
    assert_int_equal(blocked->count, 2);
    assert_string_equal(
        text_of(f, mt_json_at(&blocked->as.items[0], "instance_bindings")),
        "{\"EscrowAccount\":[\"esc-003\"]}");
    mt_buf_free(&out);
}

/* The five printed paths and the two where compensation itself fails. */
static void every_path_of_the_flow_is_reached(void **state)
{
    static const struct row {
        const char *facts, *states, *outcome, *steps;
    } ROWS[] = {
        {"{'escrow_amount':{'amount':'99000.00','currency':'USD'},'delivery_status':"
         "'confirmed','line_items':[]}",
         "{}", "success",
         "step_confirm=confirmed | step_check_threshold=false | "
         "step_handoff_compliance=handoff | step_compliance_release=released"},
        {ESCROW_FACTS, "{'EscrowAccount':'disputed'}", "failure",
         "step_confirm=confirmed | step_check_threshold=true | "
         "step_auto_release=error: "
         "entity 'EscrowAccount' instance '_default' in state 'disputed', expected "
         "'held' | comp:revert_delivery_confirmation=reverted"},
        {"{'escrow_amount':{'amount':'99000.00','currency':'USD'},'delivery_status':"
         "'confirmed','line_items':[]}",
         "{'EscrowAccount':'refunded'}", "failure",
         "step_confirm=confirmed | step_check_threshold=false | "
         "step_handoff_compliance=handoff | step_compliance_release=error: entity "
         "'EscrowAccount' instance '_default' in state 'refunded', expected 'held' | "
         "comp:revert_delivery_confirmation=reverted"},
        {ESCROW_FACTS, "{'DeliveryRecord':'failed'}", "failure",
         "step_confirm=error: entity 'DeliveryRecord' instance '_default' in state "
         "'failed', expected 'pending'"},
        {"{'escrow_amount':{'amount':'1.00','currency':'USD'},'delivery_status':"
         "'pending','line_items':[]}",
         "{}", "failure",
         "step_confirm=confirmed | step_check_threshold=true | "
         "step_auto_release=error: "
         "precondition failed for operation 'release_escrow': precondition evaluated "
         "to "
         "false | comp:revert_delivery_confirmation=error: precondition failed for "
         "operation 'revert_delivery_confirmation': precondition evaluated to false"},
        {"{'escrow_amount':{'amount':'99000.00','currency':'USD'},'delivery_status':"
         "'pending','line_items':[]}",
         "{}", "failure",
         "step_confirm=confirmed | step_check_threshold=false | "
         "step_handoff_compliance=handoff | step_compliance_release=error: "
         "precondition "
         "failed for operation 'release_escrow_with_compliance': precondition "
         "evaluated "
         "to false | comp:revert_delivery_confirmation=error: precondition failed for "
         "operation 'revert_delivery_confirmation': precondition evaluated to false"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        fixture_facts(f, ROWS[i].facts);
        fixture_states(f, ROWS[i].states);
        assert_string_equal(fixture_run(f, "standard_release", "seller"),
                            ROWS[i].outcome);
        assert_string_equal(fixture_steps(f), ROWS[i].steps);
    }
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, open_escrow, close_escrow)
    const struct CMUnitTest tests[] = {
        ROW(stratum_0_and_1_give_the_printed_verdict_set),
        ROW(the_flow_takes_the_printed_steps_one_at_a_time),
        ROW(the_provenance_chain_is_the_printed_one),
        ROW(verdicts_stay_frozen_while_states_move),
        ROW(a_flow_runs_on_the_bound_instances_only),
        ROW(a_delivery_in_the_wrong_state_is_refused),
        ROW(the_action_space_is_per_instance),
        ROW(every_path_of_the_flow_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
