/* The executor when the store fails: for every action, on every store, the n-th call
 * fails, for each n. What is refused has not been done, what is answered has been, and
 * whoever does not know sends the request again and has it done once.
 *
 * The linker sends the executor's calls of the store through here (--wrap). */
#include "exec_fixture.h"

#include <stdatomic.h>
#include <time.h>

#include "base/yaml_read.h"

/* ---- The store that fails ---- */

static atomic_int calls_left; /* until the one that fails; 0: none does */
static atomic_int struck;
static atomic_int calls_broken; /* of commits, for as long as it is set */
static _Atomic mt_err struck_with;
static atomic_bool on_shared;     /* the store is one that sends commits ahead */
static atomic_bool commits_first; /* a commit that breaks has happened */

static void arm(int n, mt_err with)
{
    struck_with = with;
    atomic_store(&struck, 0);
    atomic_store(&calls_left, n);
}

static bool disarm(void)
{
    atomic_store(&calls_left, 0);
    return atomic_load(&struck);
}

static mt_err strike(void)
{
    if (atomic_load(&calls_left) <= 0 || atomic_fetch_sub(&calls_left, 1) != 1) {
        return MT_OK;
    }
    atomic_store(&struck, 1);
    return struck_with;
}

#define WRAP(name, parameters, arguments)                                              \
    mt_err __real_##name parameters;                                                   \
    mt_err __wrap_##name parameters;                                                   \
    mt_err __wrap_##name parameters                                                    \
    {                                                                                  \
        mt_err err = strike();                                                         \
        return err ? err : __real_##name arguments;                                    \
    }

WRAP(st_begin, (st_store * s, st_mode mode, st_tx **out), (s, mode, out))
WRAP(st_settle, (st_tx * tx), (tx))
WRAP(st_instance_add, (st_tx * tx, const st_instance *row), (tx, row))
WRAP(st_instance_get,
     (st_tx * tx, mt_arena *a, mt_str scope, mt_str entity, mt_str id,
      st_instance *out),
     (tx, a, scope, entity, id, out))
WRAP(st_instances_put,
     (st_tx * tx, const st_instance *rows, const int64_t *was, size_t count),
     (tx, rows, was, count))
WRAP(st_instances_lock_soon,
     (st_tx * tx, mt_arena *a, st_instance *rows, bool *found, size_t count),
     (tx, a, rows, found, count))
WRAP(st_flow_add, (st_tx * tx, const st_flow *row), (tx, row))
WRAP(st_flow_put, (st_tx * tx, const st_flow *row), (tx, row))
WRAP(st_flow_get, (st_tx * tx, mt_arena *a, mt_str id, st_flow *out), (tx, a, id, out))
WRAP(st_pending_add, (st_tx * tx, st_record *rows, size_t count), (tx, rows, count))
WRAP(st_ledger_add, (st_tx * tx, st_record *rows, size_t count), (tx, rows, count))
WRAP(st_ledger_set_tail, (st_tx * tx, int64_t size, mt_str tail), (tx, size, tail))
WRAP(st_answers_add, (st_tx * tx, const st_answer *rows, size_t count),
     (tx, rows, count))
WRAP(st_doc_put, (st_tx * tx, const st_doc *row), (tx, row))
WRAP(st_doc_set, (st_tx * tx, const st_doc *row), (tx, row))
WRAP(st_doc_get, (st_tx * tx, mt_arena *a, mt_str kind, mt_str id, st_doc *out),
     (tx, a, kind, id, out))
WRAP(st_doc_lock, (st_tx * tx, mt_arena *a, mt_str kind, mt_str id, st_doc *out),
     (tx, a, kind, id, out))
WRAP(st_trigger_lock, (st_tx * tx, mt_arena *a, mt_str id, st_trigger *out),
     (tx, a, id, out))
WRAP(st_trigger_put, (st_tx * tx, const st_trigger *row), (tx, row))

static mt_err strike_commit(void)
{
    mt_err err = strike();
    if (!err && atomic_load(&calls_broken)) {
        atomic_fetch_add(&struck, 1);
        err = struck_with;
    }
    return err;
}

/* Some linkers wrap calls inside the store, too: its own commit must get through. */
static _Thread_local bool inside_commit;

/* Where the commit is sent ahead, it is refused there, or breaks off later. */
mt_err __real_st_commit_soon(st_tx *tx);
mt_err __wrap_st_commit_soon(st_tx *tx);
mt_err __wrap_st_commit_soon(st_tx *tx)
{
    if (inside_commit) {
        return __real_st_commit_soon(tx);
    }
    bool lost = atomic_load(&calls_broken) && !commits_first;
    if (on_shared && lost && struck_with == MT_E_CLOSED) {
        return MT_OK; /* never arrives */
    }
    mt_err err = on_shared && struck_with != MT_E_CLOSED ? strike_commit() : MT_OK;
    return err ? err : __real_st_commit_soon(tx);
}

mt_err __real_st_commit(st_tx *tx);
static mt_err really_commit(st_tx *tx)
{
    inside_commit = true;
    mt_err err = __real_st_commit(tx);
    inside_commit = false;
    return err;
}

mt_err __wrap_st_commit(st_tx *tx);
mt_err __wrap_st_commit(st_tx *tx)
{
    mt_err err = !on_shared || struck_with == MT_E_CLOSED ? strike_commit() : MT_OK;
    if (err && commits_first) {
        mt_err before = really_commit(tx);
        return before ? before : err;
    }
    if (err) {
        st_rollback(tx);
        return err;
    }
    return really_commit(tx);
}

static void break_commits(mt_err with, bool afterwards)
{
    struck_with = with;
    commits_first = afterwards;
    atomic_store(&calls_broken, 1);
}

static void mend_commits(void)
{
    atomic_store(&calls_broken, 0);
    commits_first = false;
}

/* ---- What is asked ---- */

static const char WHEEL[] =
    "persona driver\n"
    "fact go { type: Bool source: \"road.go\" default: true }\n"
    "entity Wheel { states: [n, e] initial: n transitions: [(n, e), (e, n)] }\n"
    "entity Trip { states: [a, b] initial: a transitions: [(a, b)] }\n"
    "operation turn { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e), (Wheel, e, n)] outcomes: [done] }\n"
    "flow trip { snapshot: at_initiation entry: x steps: {\n"
    "  x: OperationStep { op: turn persona: driver outcomes: { done: y } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  y: OperationStep { op: turn persona: driver outcomes: { done: "
    "Terminal(success) } on_failure: Terminate(outcome: failure) }\n"
    "} }\n";

#define TURN "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"w1\"}}"

static const struct act {
    const char *name;
    ex_action action;
    const char *what, *body; /* %d in a body: how many were asked for before */
} ACTS[] = {
    {"an operation", EX_OPERATION, "turn", TURN},
    {"a flow", EX_FLOW_START, "trip", TURN},
    {"a decision", EX_DECIDE, "",
     "{\"subject\":{\"type\":\"persona\",\"id\":\"driver\"},\"action\":{\"name\":"
     "\"turn\"},\"resource\":{\"type\":\"Wheel\",\"id\":\"w1\"}}"},
    {"a fact", EX_FACT_ASSERT, "go", "{\"value\":true}"},
    {"an instance", EX_INSTANCE_CREATE, "Wheel", "{\"id\":\"x%d\"}"},
    {"a message", EX_AGENT_MESSAGE, "seller",
     "{\"from\":\"b\",\"intent\":\"register\"}"},
    {"an event", EX_GRAPH_EVENT, "fx",
     "{\"semantic_kind\":\"price\",\"payload\":{\"close\":1.1,\"spread\":0.0001},"
     "\"id\":\"e%d\"}"},
};

static mt_arena settings;

static ex_executor_options with_voices(void)
{
    static const char TEXT[] =
        "graphs: {fx: {graph: " EXAMPLES "/crossover/crossover.yaml, adapter: " EXAMPLES
        "/crossover/adapter.yaml, egress: " EXAMPLES "/crossover/egress.yaml}}\n"
        "agents: {seller: {file: " EXAMPLES "/agents/seller.yaml}}\n";
    mt_json *tree = mt_new(&settings, mt_json);
    assert_int_equal(mt_yaml_read(&settings, mt_str_z(TEXT), NULL, tree, NULL), MT_OK);
    return (ex_executor_options){.settings = tree};
}

static desk workshop(void **state)
{
    ex_executor_options o = with_voices();
    desk d = desk_open(state, contract_file("wheel.tenor", WHEEL), &o);
    on_shared = st_is_shared(d.store);
    create(&d, "Wheel", "w1");
    return d;
}

static bool is_done(const desk *d)
{
    return d->status >= 200 && d->status < 300;
}

/* The n-th request of an act, with a key of its own. */
static const mt_json *act_once(desk *d, const struct act *act, int n)
{
    char body[200], key[40];
    int len = snprintf(body, sizeof body, "%s", act->body);
    char *mark = strstr(body, "%d");
    if (mark) {
        snprintf(mark, sizeof body - (size_t)len, "%d\"}", n);
    }
    snprintf(key, sizeof key, "%d-%d", act->action, n);
    return ask_once(d, &ANYONE, act->action, act->what, body, key);
}

static uint32_t records_of_one(desk *d, const struct act *act)
{
    uint32_t before = records(d, "");
    act_once(d, act, 0);
    assert_true(is_done(d));
    uint32_t after = records(d, "");
    assert_true(after > before);
    return after - before;
}

/* Sent again with its key, it is done, and was done once. True: it had been before. */
static bool assert_done_once(desk *d, const struct act *act, int n, uint32_t want)
{
    act_once(d, act, n);
    if (!is_done(d)) {
        fail_msg("%s, call %d: %.*s", act->name, n, MT_ARG(d->text));
    }
    bool before = d->replayed;
    assert_int_equal(records(d, ""), want);
    return before;
}

/* Fails the n-th call of the store; false: there were fewer. */
static bool fails_at(desk *d, const struct act *act, int n, mt_err with, uint32_t each)
{
    uint32_t before = records(d, "");
    arm(n, with);
    const mt_json *r = act_once(d, act, n);
    bool hit = disarm();
    mt_str code = mt_str_dup(&d->arena, mt_json_text(at(r, "code")));
    bool done = is_done(d), unknown = mt_str_is(code, "outcome_unknown");
    uint32_t now = records(d, "");
    if (done ? now != before + each : !unknown && now != before) {
        fail_msg("%s, call %d: %u records more: %.*s", act->name, n, now - before,
                 MT_ARG(code));
    }
    if (!done && !unknown && !mt_str_is(code, "store_unavailable")) {
        fail_msg("%s, call %d: %.*s", act->name, n, MT_ARG(code));
    }
    if (unknown && with != MT_E_CLOSED) {
        fail_msg("%s, call %d: what failed is known", act->name, n);
    }
    assert_done_once(d, act, n, before + each);
    return hit;
}

/* Every cycle that the agent has behind it has a record. */
static void assert_agent_is_as_recorded(desk *d)
{
    char want[20];
    snprintf(want, sizeof want, "%u", records(d, "agent_cycle"));
    const mt_json *r = ask(d, &ANYONE, EX_AGENT_TAPE, "seller", "", "");
    expect(d, 200);
    mt_str said = mt_json_text(at(r, "state.messages"));
    assert_text(said.len ? said : MT_STR("0"), mt_str_z(want));
}

static void sweep(void **state, mt_err with)
{
    for (size_t i = 0; i < rows_count(ACTS); i++) {
        desk d = workshop(state);
        uint32_t each = records_of_one(&d, &ACTS[i]);
        int n = 1;
        while (fails_at(&d, &ACTS[i], n, with, each)) {
            assert_true(n < 500);
            n++;
        }
        assert_true(n > 3); /* it did call the store */
        assert_agent_is_as_recorded(&d);
        desk_close(&d);
    }
}

static void what_cannot_be_read_or_written_is_not_done(void **state)
{
    sweep(state, MT_E_IO);
}

static void what_is_held_by_others_is_not_done(void **state)
{
    sweep(state, MT_E_BUSY);
}

static void what_breaks_off_is_not_done_or_not_known(void **state)
{
    sweep(state, MT_E_CLOSED);
}

/* Somebody else was faster, once: it is tried again, and nobody hears of it. */
static void a_conflict_is_tried_again(void **state)
{
    static const ex_action TRIED[] = {EX_OPERATION, EX_AGENT_MESSAGE};
    for (size_t i = 0; i < rows_count(ACTS); i++) {
        if (ACTS[i].action != TRIED[0] && ACTS[i].action != TRIED[1]) {
            continue;
        }
        desk d = workshop(state);
        for (int n = 1; n < 40; n++) {
            arm(n, MT_E_CONFLICT);
            act_once(&d, &ACTS[i], n);
            disarm();
            if (!is_done(&d)) { /* what the caller read for itself */
                expect(&d, 503);
                act_once(&d, &ACTS[i], n);
            }
            expect(&d, 200);
        }
        assert_agent_is_as_recorded(&d);
        desk_close(&d);
    }
}

static void others_who_are_always_faster_are_a_conflict(void **state)
{
    desk d = workshop(state);
    uint32_t before = records(&d, "");
    break_commits(MT_E_CONFLICT, false);
    const mt_json *r = act_once(&d, &ACTS[0], 1);
    mend_commits();
    expect_code(&d, r, 409, "conflict");
    assert_non_null(strstr(mt_json_text(at(r, "detail")).ptr, "nothing was done"));
    assert_int_equal(records(&d, ""), before);
    assert_true(atomic_load(&struck) > 2);
    desk_close(&d);
}

/* The connection breaks during the commit: it may have happened or not. */
static void a_commit_that_breaks_leaves_the_outcome_unknown(void **state)
{
    for (int happened = 0; happened < 2; happened++) {
        for (size_t i = 0; i < rows_count(ACTS); i++) {
            desk d = workshop(state);
            uint32_t each = records_of_one(&d, &ACTS[i]), before = records(&d, "");
            break_commits(MT_E_CLOSED, happened);
            const mt_json *r = act_once(&d, &ACTS[i], 1);
            mend_commits();
            expect_code(&d, r, 503, "outcome_unknown");
            assert_non_null(strstr(d.text.ptr, "Idempotency-Key"));
            assert_int_equal(assert_done_once(&d, &ACTS[i], 1, before + each),
                             happened);
            desk_close(&d);
        }
    }
}

/* ---- Reading ---- */

static const struct look {
    ex_action action;
    const char *what, *id;
} LOOKS[] = {
    {EX_INSTANCE_GET, "Wheel", "w1"},
    {EX_INSTANCE_LIST, "Wheel", ""},
    {EX_FLOW_LIST, "", ""},
    {EX_LEDGER_LIST, "", ""},
};

/* The same answer as ever, or that it cannot be read; nothing in between. */
static void what_cannot_be_read_is_not_told(void **state)
{
    desk d = workshop(state);
    act_once(&d, &ACTS[1], 1);
    records(&d, ""); /* until all is chained */
    for (size_t i = 0; i < rows_count(LOOKS); i++) {
        ask(&d, &ANYONE, LOOKS[i].action, LOOKS[i].what, LOOKS[i].id, "");
        expect(&d, 200);
        mt_str whole = d.text;
        bool hit = true;
        for (int n = 1; hit; n++) {
            arm(n, MT_E_IO);
            const mt_json *r =
                ask(&d, &ANYONE, LOOKS[i].action, LOOKS[i].what, LOOKS[i].id, "");
            hit = disarm();
            if (d.status == 200) {
                assert_text(d.text, whole);
            } else {
                expect_code(&d, r, 503, "store_unavailable");
            }
            assert_true(n < 100);
        }
    }
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, what_cannot_be_read_or_written_is_not_done);
    both(&l, what_is_held_by_others_is_not_done);
    both(&l, what_breaks_off_is_not_done_or_not_known);
    both(&l, a_conflict_is_tried_again);
    both(&l, others_who_are_always_faster_are_a_conflict);
    both(&l, a_commit_that_breaks_leaves_the_outcome_unknown);
    both(&l, what_cannot_be_read_is_not_told);
    int failed = rows_run(&l, "exec/executor_faults");
    backends_stop();
    mt_arena_free(&settings);
    return failed;
}
