/* Flows of the executor: across people, across turns, across crashes, on every store.
 */
#include "exec/executor_internal.h"

#include "exec_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Three steps by one persona, then a hand-over; a sub-flow; branches that run in
 * parallel; something to undo. */
static const char STEPS[] =
    "persona clerk\n"
    "persona boss\n"
    "source desk { protocol: manual }\n"
    "fact fine { type: Bool source: desk { path: \"fine\" } default: true }\n"
    "entity Doc { states: [s0, s1, s2, s3, s4] initial: s0\n"
    "  transitions: [(s0, s1), (s1, s2), (s2, s3), (s3, s4), (s1, s0)] }\n"
    "entity Seal { states: [open, shut] initial: open transitions: [(open, shut)] }\n"
    "rule ok { stratum: 0 when: fine = true produce: ok(true) }\n"
    "operation one { allowed_personas: [clerk] precondition: ok present effects: "
    "[(Doc, "
    "s0, s1)] outcomes: [done] }\n"
    "operation two { allowed_personas: [clerk] precondition: ok present effects: "
    "[(Doc, "
    "s1, s2)] outcomes: [done] }\n"
    "operation three { allowed_personas: [clerk] precondition: ok present effects: "
    "[(Doc, s2, s3)] outcomes: [done] }\n"
    "operation four { allowed_personas: [boss] precondition: ok present effects: "
    "[(Doc, "
    "s3, s4)] outcomes: [done] }\n"
    "operation seal { allowed_personas: [clerk] precondition: ok present effects: "
    "[(Seal, open, shut)] outcomes: [done] }\n"
    "operation undo { allowed_personas: [clerk] precondition: ok present effects: "
    "[(Doc, "
    "s1, s0)] outcomes: [done] }\n"
    "flow long { snapshot: at_initiation entry: a steps: {\n"
    "  a: OperationStep { op: one persona: clerk outcomes: { done: b } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  b: OperationStep { op: two persona: clerk outcomes: { done: c } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  c: OperationStep { op: three persona: clerk outcomes: { done: d } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  d: OperationStep { op: four persona: boss outcomes: { done: Terminal(success) } "
    "on_failure: Terminate(outcome: failure) }\n"
    "} }\n"
    "flow outer { snapshot: at_initiation entry: a steps: {\n"
    "  a: OperationStep { op: seal persona: clerk outcomes: { done: b } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  b: SubFlowStep { flow: long persona: clerk on_success: Terminal(success) "
    "on_failure: Terminate(outcome: failure) }\n"
    "} }\n"
    "flow side { snapshot: at_initiation entry: p steps: {\n"
    "  p: ParallelStep {\n"
    "    branches: [\n"
    "      Branch { id: left entry: x steps: { x: OperationStep { op: one persona: "
    "clerk "
    "outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: failure) } } "
    "},\n"
    "      Branch { id: right entry: y steps: { y: OperationStep { op: seal persona: "
    "clerk outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: "
    "failure) "
    "} } }\n"
    "    ]\n"
    "    join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: "
    "Terminate(outcome: failure) on_all_complete: null }\n"
    "  }\n"
    "} }\n"
    "flow careful { snapshot: at_initiation entry: a steps: {\n"
    "  a: OperationStep { op: one persona: clerk outcomes: { done: b } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  b: OperationStep { op: seal persona: clerk outcomes: { done: Terminal(success) "
    "} "
    "on_failure: Compensate(steps: [{ op: undo persona: clerk on_failure: "
    "Terminal(failure) }] then: Terminal(failure)) }\n"
    "} }\n";

CALLER(CLERK_TOKEN, "tok-c", LIST(T("clerk")), LIST(T("facts:*")));
CALLER(BOSS_TOKEN, "tok-b", LIST(T("boss")), LIST(T("nothing")));

#define BOUND "\"bindings\":{\"Doc\":\"d\",\"Seal\":\"s\"}"
#define START "{\"persona\":\"clerk\"," BOUND "}"

static const char *steps_file(void)
{
    return contract_file("steps.tenor", STEPS);
}

static desk steps(void **state, const ex_executor_options *o)
{
    desk d = desk_open(state, steps_file(), o);
    create(&d, "Doc", "d");
    create(&d, "Seal", "s");
    return d;
}

static const char *id_of(desk *d, const mt_json *r)
{
    return mt_str_dup(&d->arena, mt_json_text(at(r, "id"))).ptr;
}

/* ---- Across people ---- */

static void a_flow_runs_on_while_its_caller_holds_the_persona(void **state)
{
    desk d = desk_open(state, ESCROW, NULL);
    create(&d, "EscrowAccount", "e1");
    create(&d, "DeliveryRecord", "d1");
    const char *body = "{\"persona\":\"seller\"," ESCROW_LARGE "," ESCROW_BOUND "}";
    const mt_json *r = ask(&d, &SELLER, EX_FLOW_START, "standard_release", "", body);
    expect(&d, 200);
    assert_at(r, "status", "waiting");
    assert_at(r, "waiting.persona", "escrow_agent");
    assert_at(r, "waiting.step", "step_check_threshold");
    const char *id = id_of(&d, r);
    assert_state(&d, "DeliveryRecord", "d1", "confirmed");
    assert_state(&d, "EscrowAccount", "e1", "held");
    /* The wrong person cannot; the right one can, as far as it is that one's turn. */
    r = ask(&d, &SELLER, EX_FLOW_RESUME, "", id, "");
    expect_code(&d, r, 403, "persona_rejected");
    assert_at(r, "persona", "escrow_agent");
    d = desk_again(state, &d, NULL);
    id = mt_str_dup(&d.arena, MT_STR("")).ptr;
    ad_param q[] = {{MT_STR("waiting_persona"), MT_STR("escrow_agent")}};
    r = ask_query(&d, EX_FLOW_LIST, "", "", q, 1);
    assert_int_equal(count_at(r, "items"), 1);
    id = mt_str_dup(&d.arena, mt_json_text(at(r, "items.0.id"))).ptr;
    r = ask(&d, &AGENT, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "status", "waiting");
    assert_at(r, "waiting.persona", "compliance_officer");
    r = ask(&d, &OFFICER, EX_FLOW_RESUME, "", id, "");
    assert_at(r, "status", "done");
    assert_at(r, "outcome", "success");
    assert_state(&d, "EscrowAccount", "e1", "released");
    r = ask(&d, &OFFICER, EX_FLOW_RESUME, "", id, "");
    expect_code(&d, r, 409, "not_resumable");
    /* The records tell the whole story. */
    ad_param of[] = {{MT_STR("flow"), mt_str_z(id)},
                     {MT_STR("pending"), MT_STR("true")}};
    r = ask_query(&d, EX_LEDGER_LIST, "", "", of, 2);
    static const char *const KINDS[] = {"flow_started", "operation",    "flow_waiting",
                                        "refusal",      "flow_waiting", "operation",
                                        "flow_ended",   "refusal"};
    assert_int_equal(count_at(r, "items"), rows_count(KINDS));
    for (size_t i = 0; i < rows_count(KINDS); i++) {
        char path[40];
        snprintf(path, sizeof path, "items.%zu.body.kind", i);
        assert_text(mt_json_text(at(r, path)), mt_str_z(KINDS[i]));
    }
    assert_at(r, "items.6.body.outcome", "success");
    assert_at(r, "items.6.body.asked_as", "compliance_officer");
    assert_int_equal(count_at(r, "items.6.body.steps"), 4);
    assert_int_equal(count_at(r, "items.0.body.facts"), 5);
    r = ask(&d, &ANYONE, EX_FLOW_GET, "", id, "");
    assert_at(r, "facts.delivery_status", "confirmed");
    expect_code(&d, ask(&d, &ANYONE, EX_FLOW_GET, "", "f-none", ""), 404,
                "unknown_execution");
    expect_code(&d, ask(&d, &OFFICER, EX_FLOW_RESUME, "", "f-none", ""), 404,
                "unknown_execution");
    desk_close(&d);
}

static void personas_of_the_system_act_by_themselves(void **state)
{
    const mt_str autos[] = {MT_STR("boss")};
    ex_executor_options o = {.auto_personas = autos, .auto_persona_count = 1};
    desk d = steps(state, &o);
    const mt_json *r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "long", "", START);
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    assert_state(&d, "Doc", "d", "s4");
    desk_close(&d);
}

static void who_began_a_flow_or_an_admin_cancels_it(void **state)
{
    desk d = steps(state, NULL);
    const char *id = id_of(&d, ask(&d, &CLERK_TOKEN, EX_FLOW_START, "long", "", START));
    const mt_json *r = ask(&d, &BOSS_TOKEN, EX_FLOW_CANCEL, "", id, "");
    expect_code(&d, r, 403, "forbidden");
    r = ask(&d, &ADMIN, EX_INSTANCE_DELETE, "Doc", "d", "");
    expect_code(&d, r, 409, "instance_busy");
    r = ask(&d, &CLERK_TOKEN, EX_FLOW_CANCEL, "", id, "{\"reason\":\"enough\"}");
    expect(&d, 200);
    assert_at(r, "status", "cancelled");
    expect_code(&d, ask(&d, &ADMIN, EX_FLOW_CANCEL, "", id, ""), 409, "not_resumable");
    expect_code(&d, ask(&d, &BOSS_TOKEN, EX_FLOW_RESUME, "", id, ""), 409,
                "not_resumable");
    assert_int_equal(records(&d, "flow_ended"), 1);
    /* What was done stays done. */
    assert_state(&d, "Doc", "d", "s3");
    desk_close(&d);
}

/* ---- Snapshots ---- */

static void E4_a_snapshot_does_not_change_while_the_flow_runs(void **state)
{
    desk d = steps(state, NULL);
    const char *id = id_of(&d, ask(&d, &CLERK_TOKEN, EX_FLOW_START, "long", "", START));
    ask(&d, &ANYONE, EX_FACT_ASSERT, "fine", "", "{\"value\":false}");
    expect(&d, 200);
    /* A new operation sees the new fact, the flow that began before does not. */
    expect_code(&d, ask(&d, &CLERK_TOKEN, EX_OPERATION, "seal", "", START), 422,
                "precondition_failed");
    const mt_json *r = ask(&d, &BOSS_TOKEN, EX_FLOW_RESUME, "", id, "");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    assert_state(&d, "Doc", "d", "s4");
    desk_close(&d);
}

static void E5_a_sub_flow_runs_on_the_snapshot_of_its_parent(void **state)
{
    desk d = steps(state, NULL);
    const mt_json *r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "outer", "", START);
    expect(&d, 200);
    assert_at(r, "waiting.persona", "boss");
    const char *id = id_of(&d, r);
    ask(&d, &ANYONE, EX_FACT_ASSERT, "fine", "", "{\"value\":false}");
    r = ask(&d, &BOSS_TOKEN, EX_FLOW_RESUME, "", id, "");
    assert_at(r, "outcome", "success");
    ad_param q[] = {{MT_STR("kind"), MT_STR("flow_ended")},
                    {MT_STR("pending"), MT_STR("true")}};
    r = ask_query(&d, EX_LEDGER_LIST, "", "", q, 2);
    assert_at(r, "items.0.body.steps.1.kind", "sub_flow");
    assert_int_equal(count_at(r, "items.0.body.steps.1.provenance"), 4);
    assert_int_equal(records(&d, "flow_started"), 1);
    desk_close(&d);
}

static void E8_E9_branches_are_apart_and_joined_when_all_have_ended(void **state)
{
    desk d = steps(state, NULL);
    const mt_json *r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "side", "", START);
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    assert_state(&d, "Doc", "d", "s1");
    assert_state(&d, "Seal", "s", "shut");
    /* One branch fails: the other still runs, the join decides. */
    create(&d, "Doc", "d2");
    r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "side", "",
            "{\"persona\":\"clerk\",\"bindings\":{\"Doc\":\"d2\",\"Seal\":\"s\"}}");
    expect(&d, 200);
    assert_at(r, "outcome", "failure");
    assert_state(&d, "Doc", "d2", "s1");
    desk_close(&d);
}

static void E2_a_failed_step_is_handled_and_undone(void **state)
{
    desk d = steps(state, NULL);
    ask(&d, &CLERK_TOKEN, EX_OPERATION, "seal", "", START);
    expect(&d, 200);
    const mt_json *r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "careful", "", START);
    expect(&d, 200);
    assert_at(r, "outcome", "failure");
    assert_int_equal(count_at(r, "steps"), 3);
    assert_state(&d, "Doc", "d", "s0");
    ad_param q[] = {{MT_STR("kind"), MT_STR("flow_ended")},
                    {MT_STR("pending"), MT_STR("true")}};
    r = ask_query(&d, EX_LEDGER_LIST, "", "", q, 2);
    assert_at(r, "items.0.body.steps.1.error.type", "invalid_source_state");
    assert_at(r, "items.0.body.steps.2.kind", "compensation");
    desk_close(&d);
}

static void E13_a_flow_has_a_dry_run(void **state)
{
    desk d = steps(state, NULL);
    uint32_t before = records(&d, "");
    const mt_json *r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "long", "",
                           "{\"dry_run\":true,\"persona\":\"clerk\"," BOUND "}");
    expect(&d, 200);
    assert_int_equal(atomic_load(&d.x->metrics.dry_runs), 1);
    assert_int_equal(flag_at(r, "simulation"), 1);
    assert_at(r, "outcome", "success");
    assert_int_equal(count_at(r, "changes"), 4);
    assert_state(&d, "Doc", "d", "s0");
    assert_int_equal(records(&d, ""), before);
    r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "long", "",
            "{\"dry_run\":true,\"persona\":\"clerk\",\"bindings\":{\"Doc\":\"q\"}}");
    expect_code(&d, r, 404, "unknown_instance");
    assert_int_equal(flag_at(r, "simulation"), 1);
    r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "long", "",
            "{\"dry_run\":true,\"persona\":\"clerk\"}");
    expect_code(&d, r, 422, "missing_binding");
    assert_int_equal(atomic_load(&d.x->metrics.dry_runs), 2); /* this one was none */
    r = ask(&d, &CLERK_TOKEN, EX_FLOW_START, "long", "",
            "{\"persona\":\"boss\"," BOUND "}");
    expect_code(&d, r, 403, "persona_rejected");
    r = ask(&d, &ANYONE, EX_FLOW_START, "long", "", "{\"persona\":\"king\"," BOUND "}");
    expect_code(&d, r, 422, "unknown_persona");
    r = ask(&d, &ANYONE, EX_FLOW_START, "none", "", START);
    expect_code(&d, r, 404, "unknown_flow");
    desk_close(&d);
}

static void a_flow_is_started_once_however_often_it_is_asked_for(void **state)
{
    desk d = steps(state, NULL);
    ask_once(&d, &CLERK_TOKEN, EX_FLOW_START, "long", START, "k");
    expect(&d, 200);
    mt_str first = d.text;
    ask_once(&d, &CLERK_TOKEN, EX_FLOW_START, "long", START, "k");
    assert_text(d.text, first);
    assert_true(d.replayed);
    assert_int_equal(records(&d, "flow_started"), 1);
    desk_close(&d);
}

/* ---- Crashes ---- */

/* Every step in a transaction of its own. */
static mt_json one_step_settings(mt_arena *a)
{
    mt_json settings;
    assert_fine(mt_json_read(a, MT_STR("{\"executor\":{\"flow_turn\":1}}"), NULL,
                             &settings, NULL));
    return settings;
}

static void a_flow_of_many_turns_ends_as_one(void **state)
{
    mt_arena a = {0};
    mt_json settings = one_step_settings(&a);
    ex_executor_options o = {.settings = &settings};
    desk d = steps(state, &o);
    const mt_json *r = ask_once(&d, &ANYONE, EX_FLOW_START, "outer",
                                "{\"persona\":\"clerk\"," BOUND "}", "key");
    expect(&d, 200);
    assert_at(r, "outcome", "success");
    assert_int_equal(count_at(r, "changes"), 5);
    assert_state(&d, "Doc", "d", "s4");
    assert_int_equal(records(&d, "flow_started"), 1);
    assert_int_equal(records(&d, "flow_ended"), 1);
    assert_int_equal(records(&d, "operation"), 5);
    ask_once(&d, &ANYONE, EX_FLOW_START, "outer", "{\"persona\":\"clerk\"," BOUND "}",
             "key");
    assert_true(d.replayed);
    desk_close(&d);
    mt_arena_free(&a);
}

/* The child dies when its ledger has `records` records; the parent takes over. */
static void die_at(void *state, int64_t last)
{
    if (last + 1 >= *(int64_t *)state) {
        kill(getpid(), SIGKILL);
    }
}

static void ignore_answer(void *state, ex_reply *reply)
{
    (void)state;
    (void)reply;
}

static void run_and_die(int64_t records_before, const ex_executor_options *o,
                        void **state)
{
    desk d = desk_on(again(state, NULL), NULL, o);
    ex_executor_on_news(d.x, die_at, &records_before);
    ex_call call = {.action = EX_FLOW_START,
                    .caller = &ANYONE,
                    .name = MT_STR("outer"),
                    .body = MT_STR("{\"persona\":\"clerk\"," BOUND "}")};
    ex_executor_call(d.x, &call, ignore_answer, NULL);
    sleep(20);
    _exit(1);
}

/* Killed after each of its records: what is found afterwards is a whole number of
 * steps, and the flow goes on from there to its end. */
static void a_flow_survives_a_crash_at_any_step(void **state)
{
    mt_arena a = {0};
    mt_json settings = one_step_settings(&a);
    ex_executor_options o = {.settings = &settings};
    /* 3 are there before; flow_started and each operation add one. */
    for (int64_t at_record = 5; at_record <= 8; at_record++) {
        desk d = steps(state, &o);
        desk_close(&d);
        fflush(NULL);
        pid_t child = fork();
        if (!child) {
            run_and_die(at_record, &o, state);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        d = desk_on(again(state, NULL), NULL, &o);
        ad_param q[] = {{MT_STR("in_flight"), MT_STR("true")}};
        const mt_json *r = NULL;
        for (int wait = 0; wait < 200; wait++) {
            r = ask_query(&d, EX_FLOW_LIST, "", "", q, 1);
            if (!count_at(r, "items")) {
                break;
            }
            usleep(20000);
        }
        assert_int_equal(count_at(r, "items"), 0);
        r = ask_query(&d, EX_FLOW_LIST, "", "", NULL, 0);
        assert_at(r, "items.0.outcome", "success");
        assert_state(&d, "Doc", "d", "s4");
        assert_int_equal(records(&d, "operation"), 5);
        assert_int_equal(records(&d, "flow_started"), 1);
        assert_int_equal(records(&d, "flow_ended"), 1);
        desk_close(&d);
    }
    mt_arena_free(&a);
}

CALLER(STARTER, "tok-starter", LIST(T("clerk")), LIST(T("read")));

/* How many there are, all at once and one by one. */
static void assert_found(desk *d, const char *name, const char *value, uint32_t want)
{
    ad_param q[] = {{mt_str_z(name), mt_str_z(value)},
                    {MT_STR("limit"), MT_STR("1")},
                    {MT_STR("after"), MT_STR("")}};
    uint32_t seen = 0, pages = 0;
    assert_int_equal(count_at(ask_query(d, EX_FLOW_LIST, "", "", q, 1), "items"), want);
    expect(d, 200);
    do {
        const mt_json *r = ask_query(d, EX_FLOW_LIST, "", "", q, 3);
        expect(d, 200);
        seen += count_at(r, "items");
        pages++;
        q[2].value = mt_json_text(at(r, "next"));
    } while (q[2].value.len);
    assert_int_equal(seen, want);
    assert_int_equal(pages, want ? want : 1);
}

static void flows_are_found_by_what_they_are(void **state)
{
    static const struct {
        const char *name, *value;
        uint32_t count;
    } FOUND[] = {{"status", "waiting", 2},
                 {"status", "done", 1},
                 {"status", "running", 0},
                 {"outcome", "success", 1},
                 {"outcome", "failure", 0},
                 {"flow", "long", 3},
                 {"flow", "lon", 0},
                 {"persona", "clerk", 3},
                 {"persona", "boss", 0},
                 {"waiting_persona", "boss", 2},
                 {"waiting_persona", "clerk", 0},
                 {"in_flight", "true", 2},
                 {"in_flight", "false", 3},
                 {"contract", "none", 0},
                 {"etag", "none", 0}};
    desk d = desk_open(state, contract_file("steps.tenor", STEPS), NULL);
    const char *id = "";
    for (int i = 0; i < 3; i++) {
        char doc[8], body[100];
        snprintf(doc, sizeof doc, "d%d", i);
        create(&d, "Doc", doc);
        snprintf(body, sizeof body,
                 "{\"persona\":\"clerk\",\"bindings\":{\"Doc\":\"%s\"}}", doc);
        const mt_json *r = ask(&d, &STARTER, EX_FLOW_START, "long", "", body);
        expect(&d, 200);
        assert_at(r, "status", "waiting");
        id = mt_str_dup(&d.arena, mt_json_text(at(r, "id"))).ptr;
    }
    assert_at(ask(&d, &ANYONE, EX_FLOW_RESUME, "", id, "{}"), "status", "done");
    for (size_t i = 0; i < rows_count(FOUND); i++) {
        assert_found(&d, FOUND[i].name, FOUND[i].value, FOUND[i].count);
    }
    ad_param q = {MT_STR("in_flight"), MT_STR("yes")};
    const mt_json *r = ask_query(&d, EX_FLOW_LIST, "", "", &q, 1);
    expect_code(&d, r, 400, "bad_request");
    assert_at(r, "detail", "query parameter 'in_flight' must be false or true");
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, flows_are_found_by_what_they_are);
    both(&l, a_flow_runs_on_while_its_caller_holds_the_persona);
    both(&l, personas_of_the_system_act_by_themselves);
    both(&l, who_began_a_flow_or_an_admin_cancels_it);
    both(&l, E2_a_failed_step_is_handled_and_undone);
    both(&l, E4_a_snapshot_does_not_change_while_the_flow_runs);
    both(&l, E5_a_sub_flow_runs_on_the_snapshot_of_its_parent);
    both(&l, E8_E9_branches_are_apart_and_joined_when_all_have_ended);
    both(&l, E13_a_flow_has_a_dry_run);
    both(&l, a_flow_is_started_once_however_often_it_is_asked_for);
    both(&l, a_flow_of_many_turns_ends_as_one);
    both(&l, a_flow_survives_a_crash_at_any_step);
    int failed = rows_run(&l, "exec/executor_flow");
    backends_stop();
    return failed;
}
