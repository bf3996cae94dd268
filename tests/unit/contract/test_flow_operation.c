/* Operations: the fixed sequence, outcomes by state, typed errors. Names begin with the
 * section of the specification they hold it to. */
#include "flow_fixture.h"

#define CLAIM                                                                          \
    ENTITY("Claim", "review", "'review','approved','rejected','closed'",               \
           ARC("review", "approved") ARC("review", "rejected")                         \
               ARC("approved", "closed") ARC("rejected", "closed"))

/* clang-format off */
static const char CONTRACT[] = BUNDLE(
    PERSONA("adjudicator") PERSONA("clerk") FACT("eligible", BOOL)
    FACT("steps", "{'base':'Int','max':9,'min':0}")
    CLAIM
    ENTITY("Ledger", "open", "'open','shut'", ARC("open", "shut"))
    RULE("eligibility", 0, "claim_eligible", IS_TRUE("eligible"))
    OPERATION("close", "'adjudicator','clerk'", PRESENT("claim_eligible"),
              EFFECT("Claim", "approved", "closed") EFFECT("Claim", "rejected", "closed")
              EFFECT("Ledger", "open", "shut"),
              "'closed'", "'persona_rejected'")
    OPERATION("decide", "'adjudicator'", PRESENT("claim_eligible"),
              EFFECT_FOR("Claim", "review", "approved", "approved")
              EFFECT_FOR("Claim", "review", "rejected", "rejected"),
              "'approved','rejected'", "'precondition_failed'")
    OPERATION("greet", "'clerk'", "null", "", "'greeted'", "")
    OPERATION("note", "'clerk'", PRESENT("claim_eligible"), "", "'noted'", "")
    OPERATION("settle", "'clerk'", PRESENT("claim_eligible"),
              EFFECT_FOR("Claim", "approved", "closed", "paid")
              EFFECT_FOR("Claim", "rejected", "closed", "dropped"),
              "'paid','dropped'", ""));
/* clang-format on */

static int open_claims(void **state)
{
    fixture *f = malloc(sizeof *f);
    fixture_open(f, CONTRACT);
    fixture_facts(f, "{'eligible':true,'steps':1}");
    fixture_states(f, "{}");
    *state = f;
    return 0;
}

static int close_claims(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

typedef struct tried {
    ct_attempt attempt;
    ct_change changes[8];
} tried;

static tried attempt(fixture *f, const char *op, const char *persona,
                     const char *outcome)
{
    tried t;
    uint32_t o = ct_model_find(f->model, CT_KIND_OPERATION, mt_str_z(op));
    uint32_t p = ct_model_find(f->model, CT_KIND_PERSONA, mt_str_z(persona));
    uint32_t wanted =
        outcome ? ct_plan_outcome_named(f->plan, o, mt_str_z(outcome)) : CT_NONE;
    ct_binding_resolve(&f->binding, &f->states, true);
    ct_op_try(&f->frozen, o, p, f->binding.states, wanted, &f->a, &t.attempt,
              t.changes);
    return t;
}

static const char *change_text(fixture *f, const ct_change *c)
{
    return mt_strf(&f->a, "%.*s: %.*s -> %.*s",
                   MT_ARG(ct_entity_id(f->plan, c->entity)),
                   MT_ARG(ct_plan_state_id(f->plan, c->entity, c->from)),
                   MT_ARG(ct_plan_state_id(f->plan, c->entity, c->to)))
        .ptr;
}

static const char *label(fixture *f, const tried *t)
{
    return mt_str_dup(&f->a, f->plan->outcomes[t->attempt.outcome].label).ptr;
}

static void s9_2_a_persona_that_is_not_allowed_is_rejected(void **state)
{
    tried t = attempt(*state, "settle", "adjudicator", NULL);
    assert_int_equal(t.attempt.error, CT_OP_PERSONA);
    assert_int_equal(t.attempt.change_count, 0);
}

static void s9_2_a_persona_nobody_declares_is_rejected(void **state)
{
    assert_int_equal(attempt(*state, "settle", "stranger", NULL).attempt.error,
                     CT_OP_PERSONA);
}

static void s9_2_a_false_precondition_fails(void **state)
{
    fixture *f = *state;
    fixture_facts(f, "{'eligible':false,'steps':1}");
    assert_int_equal(attempt(f, "note", "clerk", NULL).attempt.error,
                     CT_OP_PRECONDITION);
}

/* Interchange may have none (its form is optional there); the language demands one. */
static void s9_2_no_precondition_is_one_that_holds(void **state)
{
    fixture *f = *state;
    fixture_facts(f, "{'eligible':false,'steps':1}");
    tried t = attempt(f, "greet", "clerk", NULL);
    assert_int_equal(t.attempt.error, CT_OP_NONE);
    assert_string_equal(label(f, &t), "greeted");
}

/* Everything is wrong at once: the first check in the sequence wins. */
static void s9_3_the_sequence_is_persona_precondition_outcome(void **state)
{
    fixture *f = *state;
    fixture_facts(f, "{'eligible':false,'steps':1}");
    fixture_states(f, "{'Claim':'closed'}");
    assert_int_equal(attempt(f, "settle", "adjudicator", NULL).attempt.error,
                     CT_OP_PERSONA);
    assert_int_equal(attempt(f, "settle", "clerk", NULL).attempt.error,
                     CT_OP_PRECONDITION);
    fixture_facts(f, "{'eligible':true,'steps':1}");
    assert_int_equal(attempt(f, "settle", "clerk", NULL).attempt.error, CT_OP_STATE);
}

static void s9_2_the_outcome_follows_from_the_state(void **state)
{
    fixture *f = *state;
    fixture_states(f, "{'Claim':'approved'}");
    tried t = attempt(f, "settle", "clerk", NULL);
    assert_string_equal(label(f, &t), "paid");
    fixture_states(f, "{'Claim':'rejected'}");
    t = attempt(f, "settle", "clerk", NULL);
    assert_string_equal(label(f, &t), "dropped");
    assert_int_equal(t.attempt.change_count, 1);
    assert_string_equal(change_text(f, &t.changes[0]), "Claim: rejected -> closed");
}

static void s9_1_only_the_effects_of_the_outcome_apply(void **state)
{
    fixture *f = *state;
    tried t = attempt(f, "decide", "adjudicator", "rejected");
    assert_int_equal(t.attempt.error, CT_OP_NONE);
    assert_int_equal(t.attempt.change_count, 1);
    assert_string_equal(change_text(f, &t.changes[0]), "Claim: review -> rejected");
}

static void several_matching_outcomes_must_be_named(void **state)
{
    fixture *f = *state;
    tried t = attempt(f, "decide", "adjudicator", NULL);
    assert_int_equal(t.attempt.error, CT_OP_AMBIGUOUS);
    assert_int_equal(t.attempt.outcome, CT_NONE);
    uint32_t matching[4];
    uint32_t op = ct_model_find(f->model, CT_KIND_OPERATION, MT_STR("decide"));
    assert_int_equal(ct_op_matching(f->plan, op, f->binding.states, matching, 4), 2);
}

static void a_named_outcome_must_match_the_state(void **state)
{
    fixture *f = *state;
    fixture_states(f, "{'Claim':'rejected'}");
    assert_int_equal(attempt(f, "settle", "clerk", "paid").attempt.error, CT_OP_STATE);
}

static void an_outcome_of_another_operation_is_unknown(void **state)
{
    fixture *f = *state;
    tried t;
    uint32_t settle = ct_model_find(f->model, CT_KIND_OPERATION, MT_STR("settle"));
    uint32_t close = ct_model_find(f->model, CT_KIND_OPERATION, MT_STR("close"));
    uint32_t clerk = ct_model_find(f->model, CT_KIND_PERSONA, MT_STR("clerk"));
    ct_op_try(&f->frozen, settle, clerk, f->binding.states,
              f->plan->ops[close].first_outcome, &f->a, &t.attempt, t.changes);
    assert_int_equal(t.attempt.error, CT_OP_OUTCOME);
}

static void the_number_behind_the_last_outcome_is_unknown(void **state)
{
    fixture *f = *state;
    tried t;
    uint32_t settle = ct_model_find(f->model, CT_KIND_OPERATION, MT_STR("settle"));
    uint32_t clerk = ct_model_find(f->model, CT_KIND_PERSONA, MT_STR("clerk"));
    const ct_plan_op *o = &f->plan->ops[settle];
    ct_op_try(&f->frozen, settle, clerk, f->binding.states,
              o->first_outcome + o->outcome_count, &f->a, &t.attempt, t.changes);
    assert_int_equal(t.attempt.error, CT_OP_OUTCOME);
}

/* §9.4.1: several explicit sources instead of a wildcard. */
static void s9_4_1_the_effect_whose_source_matches_applies(void **state)
{
    fixture *f = *state;
    fixture_states(f, "{'Claim':'rejected'}");
    tried t = attempt(f, "close", "clerk", NULL);
    assert_int_equal(t.attempt.change_count, 2);
    assert_string_equal(change_text(f, &t.changes[0]), "Claim: rejected -> closed");
    assert_string_equal(change_text(f, &t.changes[1]), "Ledger: open -> shut");
}

/* E2: every entity is checked; one in the wrong state keeps all from moving (E3). */
static void e2_every_effect_needs_its_source_state(void **state)
{
    fixture *f = *state;
    fixture_states(f, "{'Claim':'approved','Ledger':'shut'}");
    tried t = attempt(f, "close", "clerk", NULL);
    assert_int_equal(t.attempt.error, CT_OP_STATE);
    assert_int_equal(t.attempt.change_count, 0);
    assert_true(mt_str_is(ct_entity_id(f->plan, t.attempt.entity), "Ledger"));
}

static void e2_the_error_names_every_source_that_would_do(void **state)
{
    fixture *f = *state;
    fixture_states(f, "{'Claim':'review'}");
    tried t = attempt(f, "close", "clerk", NULL);
    mt_buf text = {0};
    uint32_t op = ct_model_find(f->model, CT_KIND_OPERATION, MT_STR("close"));
    ct_op_error_text(&text, f->plan, op, MT_STR("clerk"), &t.attempt, MT_STR("c-1"));
    assert_true(mt_str_is(mt_buf_str(&text), "entity 'Claim' instance 'c-1' in state "
                                             "'review', expected 'approved' or "
                                             "'rejected'"));
    mt_buf_free(&text);
}

static void s6_5_an_absent_instance_does_not_exist(void **state)
{
    fixture *f = *state;
    mt_str why;
    ct_binding_read_text(&f->a, &f->binding, f->model, MT_STR("Claim=ghost"), &why);
    tried t = attempt(f, "settle", "clerk", NULL);
    assert_int_equal(t.attempt.error, CT_OP_INSTANCE);
    f->binding.instances[0] = (mt_str){0};
}

static void an_operation_without_effects_has_its_outcome(void **state)
{
    fixture *f = *state;
    tried t = attempt(f, "note", "clerk", NULL);
    assert_string_equal(label(f, &t), "noted");
    assert_int_equal(t.attempt.change_count, 0);
}

static const char *report(fixture *f, const tried *t, const char *op,
                          const char *persona, bool simulation)
{
    mt_buf out = {0};
    ct_op_report r = {
        &f->frozen,        ct_model_find(f->model, CT_KIND_OPERATION, mt_str_z(op)),
        mt_str_z(persona), &t->attempt,
        t->changes,        f->binding.instances,
        simulation};
    ct_op_json(&out, &r);
    const char *text = mt_str_dup(&f->a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}

static void an_error_outside_the_error_contract_is_marked(void **state)
{
    fixture *f = *state;
    tried t = attempt(f, "settle", "adjudicator", NULL);
    assert_non_null(strstr(report(f, &t, "settle", "adjudicator", false),
                           "\"type\":\"persona_rejected\",\"undeclared\":true"));
    fixture_facts(f, "{'eligible':false,'steps':1}");
    t = attempt(f, "decide", "adjudicator", NULL);
    assert_null(strstr(report(f, &t, "decide", "adjudicator", false), "undeclared"));
}

static void s9_5_provenance_has_binding_facts_verdicts_and_states(void **state)
{
    fixture *f = *state;
    fixture_states(f, "{'Claim':'approved'}");
    tried t = attempt(f, "settle", "clerk", NULL);
    const char *text = report(f, &t, "settle", "clerk", false);
    static const char *const PARTS[] = {
        "\"facts_used\":[\"eligible\"]",
        "\"instance_binding\":{\"Claim\":\"_default\"}",
        "\"outcome\":\"paid\"",
        "\"state_after\":{\"Claim\":{\"_default\":\"closed\"}}",
        "\"state_before\":{\"Claim\":{\"_default\":\"approved\"}}",
        "\"verdicts_used\":[\"claim_eligible\"]",
    };
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        if (!strstr(text, PARTS[i])) {
            fail_msg("%s lacks %s", text, PARTS[i]);
        }
    }
    assert_null(strstr(text, "simulation"));
}

/* Only entities that have instances are named. */
static void states_are_written_without_entities_that_have_none(void **state)
{
    fixture *f = *state;
    mt_buf out = {0};
    mt_str why;
    ct_states none = ct_states_new(&f->a, f->model),
              one = ct_states_new(&f->a, f->model);
    mt_jw w = mt_jw_start(&out, false);
    ct_states_json(&w, &none);
    assert_int_equal(
        ct_states_read_text(&f->a, &one, MT_STR("Claim/c1=approved"), &why), MT_OK);
    ct_states_seal(&one);
    mt_buf_addc(&out, ' ');
    w = mt_jw_start(&out, false);
    ct_states_json(&w, &one);
    mt_buf_addc(&out, '\0');
    assert_string_equal(out.ptr, "{} {\"Claim\":{\"c1\":\"approved\"}}");
    mt_buf_free(&out);
}

/* §19.6: steps 1 to 3 and the flag at the top and in the provenance; nothing moves. */
static void s19_6_a_dry_run_says_so_everywhere_and_changes_nothing(void **state)
{
    fixture *f = *state;
    fixture_states(f, "{'Claim':'approved'}");
    tried t = attempt(f, "settle", "clerk", NULL);
    const char *text = report(f, &t, "settle", "clerk", true);
    const char *first = strstr(text, "\"simulation\":true");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "\"simulation\":true"));
    uint32_t claim = ct_model_find(f->model, CT_KIND_ENTITY, MT_STR("Claim"));
    uint32_t now = ct_states_get(&f->states, claim, CT_DEFAULT_INSTANCE);
    assert_true(mt_str_is(ct_plan_state_id(f->plan, claim, now), "approved"));
}

static void contradicting_effects_are_refused(void **state)
{
    (void)state;
    fixture f;
    mt_err err = fixture_build(
        &f, BUNDLE(PERSONA("p") FACT("x", BOOL) CLAIM RULE("r", 0, "v", IS_TRUE("x"))
                       OPERATION("both", "'p'", PRESENT("v"),
                                 EFFECT("Claim", "review", "approved")
                                     EFFECT("Claim", "review", "rejected"),
                                 "'done'", "")));
    assert_int_equal(err, MT_E_REJECTED);
    fixture_close(&f);
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, open_claims, close_claims)
    const struct CMUnitTest tests[] = {
        ROW(s9_2_a_persona_that_is_not_allowed_is_rejected),
        ROW(s9_2_a_persona_nobody_declares_is_rejected),
        ROW(s9_2_a_false_precondition_fails),
        ROW(s9_2_no_precondition_is_one_that_holds),
        ROW(s9_3_the_sequence_is_persona_precondition_outcome),
        ROW(s9_2_the_outcome_follows_from_the_state),
        ROW(s9_1_only_the_effects_of_the_outcome_apply),
        ROW(several_matching_outcomes_must_be_named),
        ROW(a_named_outcome_must_match_the_state),
        ROW(an_outcome_of_another_operation_is_unknown),
        ROW(the_number_behind_the_last_outcome_is_unknown),
        ROW(s9_4_1_the_effect_whose_source_matches_applies),
        ROW(e2_every_effect_needs_its_source_state),
        ROW(e2_the_error_names_every_source_that_would_do),
        ROW(s6_5_an_absent_instance_does_not_exist),
        ROW(an_operation_without_effects_has_its_outcome),
        ROW(an_error_outside_the_error_contract_is_marked),
        ROW(s9_5_provenance_has_binding_facts_verdicts_and_states),
        ROW(states_are_written_without_entities_that_have_none),
        ROW(s19_6_a_dry_run_says_so_everywhere_and_changes_nothing),
        cmocka_unit_test(contradicting_effects_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
