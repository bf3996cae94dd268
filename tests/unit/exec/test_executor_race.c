/* Many callers at once: one winner, nothing lost, nothing done twice; and a store that
 * fails. On every store. */
#include "exec_fixture.h"

#include <stdatomic.h>
#include <unistd.h>

#include "exec/evidence/ledger_store.h"
#include "ledger/verify.h"

enum { THREADS = 8 };

/* An entity that goes round, so that every call can succeed when it is its turn. */
static const char WHEEL[] =
    "persona driver\n"
    "fact go { type: Bool source: \"road.go\" default: true }\n"
    "entity Wheel { states: [n, e, s, w] initial: n\n"
    "  transitions: [(n, e), (e, s), (s, w), (w, n)] }\n"
    "entity Brake { states: [off, on] initial: off transitions: [(off, on), (on, off)] "
    "}\n"
    "operation turn { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e), (Wheel, e, s), (Wheel, s, w), (Wheel, w, n)] }\n"
    "operation once { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e)] }\n"
    "operation stop { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e), (Brake, off, on)] }\n";

typedef struct crew {
    desk *d;
    ex_call call;
    unsigned rounds;
    atomic_uint won, lost, other, replayed;
} crew;

static void *work(void *state)
{
    crew *c = state;
    for (unsigned i = 0; i < c->rounds; i++) {
        answer a;
        call_and_wait(c->d->x, &c->call, &a);
        atomic_fetch_add(a.status == 200 || a.status == 201 ? &c->won
                         : a.status == 409                  ? &c->lost
                                                            : &c->other,
                         1);
        atomic_fetch_add(&c->replayed, a.replayed);
        mt_buf_free(&a.body);
    }
    return NULL;
}

static void race(crew *c)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, c), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(atomic_load(&c->other), 0);
}

static desk wheel(void **state)
{
    desk d = desk_open(state, contract_file("wheel.tenor", WHEEL), NULL);
    create(&d, "Wheel", "w");
    create(&d, "Brake", "b");
    return d;
}

static ex_call call_of(ex_action action, mt_str name, mt_str body)
{
    return (ex_call){.action = action, .caller = &ANYONE, .name = name, .body = body};
}

#define DRIVE MT_STR("{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"w\"}}")

/* The ledger of the store is whole and says what the executor says. */
static void assert_ledger(desk *d)
{
    ex_ledger *l;
    lg_finding found;
    for (int wait = 0; st_is_shared(d->store) && wait < 100; wait++) {
        ad_param q[] = {{MT_STR("pending"), MT_STR("true")},
                        {MT_STR("order"), MT_STR("desc")},
                        {MT_STR("limit"), MT_STR("1")}};
        if (at(ask_query(d, EX_LEDGER_LIST, "", "", q, 3), "items.0.seq")) {
            break;
        }
        usleep(20000);
    }
    assert_fine(ex_ledger_open(d->store, 0, &l));
    lg_source source = ex_ledger_source(l);
    mt_err err = lg_verify_source(&source, NULL, &found);
    if (err) {
        fail_msg("line %zu: %s", found.line, found.problem);
    }
    ex_ledger_close(l);
}

static void of_many_who_race_for_one_instance_exactly_one_wins(void **state)
{
    desk d = wheel(state);
    crew c = {.d = &d, .rounds = 5};
    c.call = call_of(EX_OPERATION, MT_STR("once"), DRIVE);
    race(&c);
    assert_int_equal(atomic_load(&c.won), 1);
    assert_int_equal(atomic_load(&c.lost), THREADS * 5 - 1);
    assert_int_equal(records(&d, "operation"), 1);
    assert_ledger(&d);
    desk_close(&d);
}

/* Pages are of one order only once nothing moves into it any more. */
static void wait_until_chained(desk *d, uint32_t count)
{
    ad_param q[] = {{MT_STR("kind"), MT_STR("operation")},
                    {MT_STR("limit"), MT_STR("1000")}};
    for (int i = 0; i < 1000; i++) {
        if (count_at(ask_query(d, EX_LEDGER_LIST, "", "", q, 2), "items") == count) {
            return;
        }
        usleep(10000);
    }
    fail_msg("the records are never chained");
}

static void every_call_that_fits_is_done_once_and_in_some_order(void **state)
{
    desk d = wheel(state);
    crew c = {.d = &d, .rounds = 25};
    c.call = call_of(EX_OPERATION, MT_STR("turn"), DRIVE);
    race(&c);
    assert_int_equal(atomic_load(&c.won), THREADS * 25);
    const mt_json *r = ask(&d, &ANYONE, EX_INSTANCE_GET, "Wheel", "w", "");
    assert_at(r, "version", "200");
    assert_at(r, "state", "n");
    assert_int_equal(records(&d, "operation"), THREADS * 25);
    wait_until_chained(&d, THREADS * 25);
    /* The records are a serial order: each begins where the one before it ended. */
    mt_str state_now = MT_STR("n"), after = MT_STR("");
    do {
        ad_param q[] = {{MT_STR("after"), after}, {MT_STR("limit"), MT_STR("100")}};
        r = ask_query(&d, EX_INSTANCE_HISTORY, "Wheel", "w", q, 2);
        for (uint32_t i = 0; i < count_at(r, "items"); i++) {
            char path[80];
            snprintf(path, sizeof path, "items.%u.body.provenance.state_before.Wheel.w",
                     i);
            mt_str before = mt_json_text(at(r, path));
            if (before.len) {
                assert_text(before, state_now);
                snprintf(path, sizeof path,
                         "items.%u.body.provenance.state_after.Wheel.w", i);
                state_now = mt_json_text(at(r, path));
            }
        }
        after = mt_json_text(at(r, "next"));
    } while (after.len);
    assert_str(state_now, "n");
    assert_ledger(&d);
    desk_close(&d);
}

static void of_many_who_create_one_id_exactly_one_does(void **state)
{
    desk d = wheel(state);
    crew c = {.d = &d, .rounds = 3};
    c.call = call_of(EX_INSTANCE_CREATE, MT_STR("Wheel"), MT_STR("{\"id\":\"new\"}"));
    race(&c);
    assert_int_equal(atomic_load(&c.won), 1);
    desk_close(&d);
}

static void a_key_used_by_many_at_once_has_one_effect(void **state)
{
    desk d = wheel(state);
    crew c = {.d = &d, .rounds = 4};
    c.call = call_of(EX_OPERATION, MT_STR("turn"), DRIVE);
    c.call.idempotency_key = MT_STR("once");
    c.call.request_digest = MT_STR("digest");
    race(&c);
    assert_int_equal(atomic_load(&c.won), THREADS * 4);
    assert_int_equal(atomic_load(&c.replayed), THREADS * 4 - 1);
    assert_state(&d, "Wheel", "w", "e");
    assert_int_equal(records(&d, "operation"), 1);
    desk_close(&d);
}

/* ---- Two processes' worth of executors ---- */

static void two_executors_on_one_database_take_turns(void **state)
{
    desk d = wheel(state);
    if (!st_is_shared(d.store)) {
        /* A file is claimed by one server. */
        st_store *second = NULL;
        mt_buf why = {0};
        assert_err(st_open(current_url(), NULL, &second, &why), MT_E_BUSY);
        mt_buf_free(&why);
        desk_close(&d);
        return;
    }
    desk e = desk_on(again(state, NULL), NULL, NULL);
    crew c = {.d = &d, .rounds = 20}, f = {.d = &e, .rounds = 20};
    c.call = f.call = call_of(EX_OPERATION, MT_STR("turn"), DRIVE);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, i % 2 ? &c : &f);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(atomic_load(&c.won) + atomic_load(&f.won), THREADS * 20);
    const mt_json *r = ask(&e, &ANYONE, EX_INSTANCE_GET, "Wheel", "w", "");
    assert_at(r, "version", "160");
    /* What one asserts the other sees; what one did is found through the other. */
    ask(&d, &ANYONE, EX_FACT_ASSERT, "go", "", "{\"value\":false}");
    expect(&d, 200);
    r = ask(&e, &ANYONE, EX_OPERATION, "turn", "", DRIVE.ptr);
    expect_code(&e, r, 422, "precondition_failed");
    assert_int_equal(records(&e, "operation"), 160);
    assert_ledger(&e);
    desk_close(&e);
    desk_close(&d);
}

/* ---- A store that fails ---- */

static void when_the_database_is_gone_nothing_is_done_and_it_says_so(void **state)
{
    desk d = wheel(state);
    if (!st_is_shared(d.store)) {
        desk_close(&d);
        return;
    }
    on_postgres("ALTER SCHEMA motet RENAME TO hidden");
    const mt_json *r = ask(&d, &ANYONE, EX_OPERATION, "turn", "", DRIVE.ptr);
    on_postgres("ALTER SCHEMA hidden RENAME TO motet");
    expect(&d, 503);
    assert_non_null(at(r, "code"));
    assert_state(&d, "Wheel", "w", "n");
    ask(&d, &ANYONE, EX_OPERATION, "turn", "", DRIVE.ptr);
    expect(&d, 200);
    assert_int_equal(records(&d, "operation"), 1);
    assert_ledger(&d);
    desk_close(&d);
}

/* The wheel with so many facts more: another version, which breaks nothing. */
static void deploy_wheel(desk *d, int facts)
{
    mt_buf source = {0}, body = {0};
    mt_buf_addz(&source, WHEEL);
    for (int i = 0; i < facts; i++) {
        mt_buf_addf(&source,
                    "fact f%d { type: Bool source: \"road.f\" default: true }\n", i);
    }
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "contract", MT_STR("wheel"));
    mt_jw_key_str(&w, "source", mt_buf_str(&source));
    mt_jw_end_object(&w);
    mt_buf_addc(&body, 0);
    ask(d, &ANYONE, EX_CONTRACT_DEPLOY, "", "", body.ptr);
    expect(d, 200);
    mt_buf_free(&source);
    mt_buf_free(&body);
}

/* Every operation in the ledger was decided by the version deployed last before it. */
static void assert_versions(desk *d)
{
    ad_param q[] = {{MT_STR("limit"), MT_STR("1000")}};
    const mt_json *r = ask_query(d, EX_LEDGER_LIST, "", "", q, 1);
    mt_str current = {0};
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count_at(r, "items"); i++) {
        char path[32];
        snprintf(path, sizeof path, "items.%u.body", i);
        const mt_json *body = at(r, path);
        mt_str kind = mt_json_text(mt_json_at(body, "kind"));
        mt_str etag = mt_json_text(mt_json_at(body, "etag"));
        if (mt_str_is(kind, "contract_deployed")) {
            current = etag;
        } else if (mt_str_is(kind, "operation")) {
            assert_text(etag, current);
            seen++;
        }
    }
    assert_true(seen > 0);
}

static void M3_nothing_is_decided_by_a_version_whose_successor_is_deployed(void **state)
{
    desk d = wheel(state);
    bool shared = st_is_shared(d.store);
    desk other = shared ? desk_on(again(state, NULL), NULL, NULL) : d;
    crew c = {.d = shared ? &other : &d, .rounds = 40};
    c.call = call_of(EX_OPERATION, MT_STR("turn"), DRIVE);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &c), 0);
    }
    for (int facts = 1; facts <= 10; facts++) {
        deploy_wheel(&d, facts);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(atomic_load(&c.other), 0); /* 409: the contract has changed */
    wait_until_chained(&d, atomic_load(&c.won));
    assert_versions(&d);
    assert_ledger(&d);
    if (shared) {
        desk_close(&other);
    }
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, of_many_who_race_for_one_instance_exactly_one_wins);
    both(&l, every_call_that_fits_is_done_once_and_in_some_order);
    both(&l, of_many_who_create_one_id_exactly_one_does);
    both(&l, a_key_used_by_many_at_once_has_one_effect);
    both(&l, two_executors_on_one_database_take_turns);
    both(&l, M3_nothing_is_decided_by_a_version_whose_successor_is_deployed);
    both(&l, when_the_database_is_gone_nothing_is_done_and_it_says_so);
    int failed = rows_run(&l, "exec/executor_race");
    backends_stop();
    return failed;
}
