/* The public API of flows: a host that applies, waits and stops, and a run that is
 * written down after every step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motet.h"

#define TEXT(literal) ((motet_str){literal, sizeof(literal) - 1})

static const char CONTRACT[] =
    "persona clerk\npersona boss\n"
    "fact ready {\n type: Bool\n source: \"a.b\"\n}\n"
    "entity Doc {\n states: [draft, sent, done]\n initial: draft\n"
    " transitions: [(draft, sent), (sent, done), (sent, draft)]\n}\n"
    "rule r {\n stratum: 0\n when: ready = true\n"
    " produce: verdict go { payload: Bool = true }\n}\n"
    "operation send {\n personas: [clerk]\n require: verdict_present(go)\n"
    " effects: [Doc: draft -> sent]\n outcomes: [sent]\n"
    " error_contract: [precondition_failed]\n}\n"
    "operation decide {\n personas: [boss]\n require: verdict_present(go)\n"
    " effects: [Doc: sent -> done -> yes, Doc: sent -> draft -> no]\n"
    " outcomes: [yes, no]\n error_contract: [precondition_failed]\n}\n"
    "flow f {\n snapshot: at_initiation\n entry: one\n steps: {\n"
    "  one: OperationStep {\n op: send\n persona: clerk\n outcomes: { sent: two }\n"
    "   on_failure: Terminate(outcome: failure)\n }\n"
    "  two: OperationStep {\n op: decide\n persona: boss\n"
    "   outcomes: { yes: Terminal(success) no: Terminal(failure) }\n"
    "   on_failure: Terminate(outcome: failure)\n }\n }\n}\n";

typedef struct world {
    motet_contract *contract;
    motet_facts *facts;
    motet_verdicts *verdicts;
    motet_run *run;
    char applied[256];
    bool is_boss;
    motet_status answer;
} world;

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    assert_int_equal(motet_contract_load((motet_str){CONTRACT, sizeof CONTRACT - 1},
                                         "c.tenor", &w->contract),
                     MOTET_OK);
    w->facts = motet_facts_new(w->contract);
    w->verdicts = motet_verdicts_new(w->contract);
    w->run = motet_run_new(w->contract);
    assert_int_equal(motet_facts_read(w->facts, TEXT("{\"ready\":true}"), true),
                     MOTET_OK);
    assert_int_equal(motet_evaluate(w->facts, w->verdicts), MOTET_OK);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    motet_run_free(w->run);
    motet_verdicts_free(w->verdicts);
    motet_facts_free(w->facts);
    motet_contract_free(w->contract);
    free(w);
    return 0;
}

static bool may_act(void *user, motet_str persona)
{
    return ((world *)user)->is_boss || persona.len != 4;
}

static motet_status apply(void *user, const motet_change *c, size_t count)
{
    world *w = user;
    size_t used = strlen(w->applied);
    if (w->answer == MOTET_OK && count) {
        snprintf(w->applied + used, sizeof w->applied - used, "%.*s/%.*s:%.*s>%.*s ",
                 (int)c->entity.len, c->entity.ptr, (int)c->instance.len,
                 c->instance.ptr, (int)c->from.len, c->from.ptr, (int)c->to.len,
                 c->to.ptr);
    }
    return w->answer;
}

static motet_str choose(void *user, motet_str step, motet_str operation)
{
    (void)user;
    (void)step;
    (void)operation;
    return TEXT("yes");
}

static motet_host host_for(world *w)
{
    return (motet_host){.size = sizeof(motet_host),
                        .user = w,
                        .may_act = may_act,
                        .apply = apply,
                        .choose = choose};
}

static void start(world *w, const motet_host *host)
{
    assert_int_equal(motet_run_start(w->run, w->facts, w->verdicts, "f", "clerk",
                                     TEXT("{\"Doc\":{\"d1\":\"draft\"}}"),
                                     TEXT("{\"Doc\":\"d1\"}"), host),
                     MOTET_OK);
}

static void a_host_applies_waits_and_goes_on(void **state)
{
    world *w = *state;
    motet_host host = host_for(w);
    start(w, &host);
    assert_int_equal(motet_run_step(w->run), MOTET_RUN_MORE);
    assert_int_equal(motet_run_step(w->run), MOTET_RUN_WAITING);
    w->is_boss = true;
    assert_int_equal(motet_run_step(w->run), MOTET_RUN_DONE);
    assert_string_equal(w->applied, "Doc/d1:draft>sent Doc/d1:sent>done ");
    motet_str json = motet_run_json(w->run);
    assert_non_null(memmem(json.ptr, json.len, "\"flow_outcome\":\"success\"", 24));
}

static void a_position_is_taken_up_by_another_run(void **state)
{
    world *w = *state;
    motet_host host = host_for(w);
    start(w, &host);
    motet_run_step(w->run);
    motet_str position = motet_run_position(w->run);
    motet_run *other = motet_run_new(w->contract);
    w->is_boss = true;
    assert_int_equal(motet_run_resume(other, w->facts, w->verdicts, position, &host),
                     MOTET_OK);
    assert_int_equal(motet_run_step(other), MOTET_RUN_DONE);
    assert_int_not_equal(
        motet_run_resume(other, w->facts, w->verdicts, TEXT("{\"version\":1}"), &host),
        MOTET_OK);
    assert_true(motet_run_message(other).len > 0);
    motet_run_free(other);
}

static void a_failing_host_stops_and_a_conflict_is_the_operations_failure(void **state)
{
    world *w = *state;
    motet_host host = host_for(w);
    start(w, &host);
    w->answer = MOTET_E_IO;
    assert_int_equal(motet_run_step(w->run), MOTET_RUN_STOPPED);
    w->answer = MOTET_E_CONFLICT;
    assert_int_equal(motet_run_step(w->run), MOTET_RUN_DONE);
    motet_str json = motet_run_json(w->run);
    assert_non_null(memmem(json.ptr, json.len, "invalid_source_state", 20));
}

/* A host that read the world anew says where the entity is now. */
static void a_state_is_set_by_the_host(void **state)
{
    static const char *const NOT_FOUND[][2] = {
        {"Dok", "sent"}, {"Doc", "lost"}, {"", ""}};
    world *w = *state;
    motet_host host = host_for(w);
    assert_int_equal(motet_run_set_state(w->run, "Doc", "sent"), MOTET_E_NOTFOUND);
    start(w, &host);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(motet_run_set_state(w->run, NOT_FOUND[i][0], NOT_FOUND[i][1]),
                         MOTET_E_NOTFOUND);
        motet_str why = motet_run_message(w->run);
        assert_non_null(memmem(why.ptr, why.len, "no such entity or state", 23));
    }
    assert_int_equal(motet_run_set_state(w->run, "Doc", "sent"), MOTET_OK);
    assert_int_equal(motet_run_step(w->run), MOTET_RUN_DONE); /* send needs a draft */
    motet_str json = motet_run_json(w->run);
    assert_non_null(memmem(json.ptr, json.len, "invalid_source_state", 20));
    assert_string_equal(w->applied, "");
}

static void what_does_not_exist_is_said(void **state)
{
    world *w = *state;
    static const struct row {
        const char *flow, *persona, *states, *bindings;
        motet_status status;
    } ROWS[] = {
        {"g", "clerk", "", "", MOTET_E_NOTFOUND},
        {"f", "nobody", "", "", MOTET_E_USAGE},
        {"f", "clerk", "{\"Doc\":\"lost\"}", "", MOTET_E_NOTFOUND},
        {"f", "clerk", "{\"Doc\":", "", MOTET_E_SYNTAX},
        {"f", "clerk", "", "{\"Doc\":\"ghost\"}", MOTET_E_USAGE},
        {"f", "clerk", "", "{\"Doc\":7}", MOTET_E_TYPE},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct row *r = &ROWS[i];
        assert_int_equal(
            motet_run_start(w->run, w->facts, w->verdicts, r->flow, r->persona,
                            (motet_str){r->states, strlen(r->states)},
                            (motet_str){r->bindings, strlen(r->bindings)}, NULL),
            r->status);
        assert_true(motet_run_message(w->run).len > 0);
    }
}

static void actions_are_the_ones_of_the_command(void **state)
{
    world *w = *state;
    motet_str json;
    assert_int_equal(motet_actions(w->run, w->facts, w->verdicts,
                                   TEXT("{\"Doc\":{\"d1\":\"draft\",\"d2\":\"done\"}}"),
                                   "clerk", &json),
                     MOTET_OK);
    assert_non_null(
        memmem(json.ptr, json.len, "\"instance_bindings\":{\"Doc\":[\"d1\"]}", 34));
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)
    const struct CMUnitTest tests[] = {
        ROW(a_host_applies_waits_and_goes_on),
        ROW(a_position_is_taken_up_by_another_run),
        ROW(a_failing_host_stops_and_a_conflict_is_the_operations_failure),
        ROW(a_state_is_set_by_the_host),
        ROW(what_does_not_exist_is_said),
        ROW(actions_are_the_ones_of_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
