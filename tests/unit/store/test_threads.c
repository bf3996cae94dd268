/* store/store.h: many threads at once, the same on every backend. What a thread finds
 * wrong it counts; the test looks when all have ended. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "store_fixture.h"

enum { THREADS = 6, ROUNDS = 25 };

typedef struct race {
    st_store *store;
    pthread_barrier_t start;
    atomic_int number, won, lost, wrong;
    atomic_bool over;
} race;

static void run_race(race *r, st_store *s, void *(*run)(void *), size_t threads)
{
    pthread_t ids[THREADS + 2];
    r->store = s;
    pthread_barrier_init(&r->start, NULL, (unsigned)threads);
    for (size_t i = 0; i < threads; i++) {
        pthread_create(&ids[i], NULL, run, r);
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
    }
    pthread_barrier_destroy(&r->start);
    assert_int_equal(r->wrong, 0);
}

static void wrong_unless(race *r, bool fine)
{
    r->wrong += !fine;
}

static void add_instance(st_store *s, const char *id)
{
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance(id);
    assert_fine(st_instance_add(tx, &row));
    assert_fine(st_commit(tx));
}

static int64_t version_of(st_store *s, const char *id)
{
    mt_arena a = {0};
    st_tx *tx = begin(s, ST_READ);
    st_instance row = an_instance(id);
    assert_fine(st_instance_get(tx, &a, row.scope, row.entity, row.id, &row));
    st_rollback(tx);
    mt_arena_free(&a);
    return row.version;
}

/* ---- One winner ---- */

static void *create_the_same(void *state)
{
    race *r = state;
    pthread_barrier_wait(&r->start);
    for (int i = 0; i < ROUNDS; i++) {
        char id[16];
        snprintf(id, sizeof id, "i-%d", i);
        st_instance row = an_instance(id);
        st_tx *tx;
        if (st_begin(r->store, ST_WRITE, &tx)) {
            r->wrong++;
            continue;
        }
        mt_err err = st_instance_add(tx, &row);
        wrong_unless(r, err == MT_OK || err == MT_E_EXISTS);
        r->won += !err;
        wrong_unless(r, st_commit(tx) == MT_OK);
    }
    return NULL;
}

static void of_racing_creators_one_wins(void **state)
{
    race r = {0};
    st_store *s = fresh(state);
    run_race(&r, s, create_the_same, THREADS);
    assert_int_equal(r.won, ROUNDS);
    st_close(s);
}

/* Everybody has read version i; everybody writes i + 1. */
static void *write_the_same(void *state)
{
    race *r = state;
    for (int64_t i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&r->start);
        st_instance row = an_instance("one");
        row.version = i + 1;
        st_tx *tx;
        if (st_begin(r->store, ST_WRITE, &tx)) {
            r->wrong++;
            continue;
        }
        mt_err err = st_instance_put(tx, &row);
        if (err) {
            st_rollback(tx);
        } else {
            err = st_commit(tx);
        }
        wrong_unless(r, err == MT_OK || err == MT_E_CONFLICT);
        r->won += !err;
        r->lost += err == MT_E_CONFLICT;
    }
    return NULL;
}

static void of_racing_writers_one_wins(void **state)
{
    race r = {0};
    st_store *s = fresh(state);
    add_instance(s, "one");
    run_race(&r, s, write_the_same, THREADS);
    assert_int_equal(r.won, ROUNDS);
    assert_int_equal(r.lost, ROUNDS * (THREADS - 1));
    assert_int_equal(version_of(s, "one"), ROUNDS);
    st_close(s);
}

/* ---- Locks ---- */

enum { SHARED = 5 };

/* Locks all rows in an order of its own, changes two of them. */
static mt_err change_two(race *r, mt_arena *a, unsigned turn)
{
    st_instance rows[SHARED];
    bool found[SHARED];
    static const char *const IDS[SHARED] = {"a", "b", "c", "d", "e"};
    for (unsigned i = 0; i < SHARED; i++) {
        rows[i] = an_instance(IDS[(i * 2 + turn) % SHARED]);
    }
    st_tx *tx;
    mt_err err = st_begin(r->store, ST_WRITE, &tx);
    if (err) {
        return err;
    }
    err = st_instances_lock(tx, a, rows, found, SHARED);
    for (unsigned i = 0; i < 2 && !err; i++) {
        rows[i].version++;
        err = st_instance_put(tx, &rows[i]);
    }
    if (err) {
        st_rollback(tx);
        return err;
    }
    return st_commit(tx);
}

static void *change_pairs(void *state)
{
    race *r = state;
    mt_arena a = {0};
    unsigned turn = (unsigned)r->number++;
    pthread_barrier_wait(&r->start);
    for (unsigned i = 0; i < ROUNDS; i++) {
        wrong_unless(r, change_two(r, &a, turn + i) == MT_OK);
        mt_arena_reset(&a);
    }
    mt_arena_free(&a);
    return NULL;
}

static void lockers_never_wait_in_a_circle(void **state)
{
    race r = {0};
    st_store *s = fresh(state);
    static const char *const IDS[SHARED] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < SHARED; i++) {
        add_instance(s, IDS[i]);
    }
    run_race(&r, s, change_pairs, THREADS);
    int64_t sum = 0;
    for (size_t i = 0; i < SHARED; i++) {
        sum += version_of(s, IDS[i]);
    }
    assert_int_equal(sum, 2 * THREADS * ROUNDS);
    st_close(s);
}

/* The first thread only reads: two rows that always change together. */
static void read_pairs(race *r, mt_arena *a)
{
    while (!r->over) {
        st_tx *tx;
        st_instance x = an_instance("x"), y = an_instance("y");
        if (st_begin(r->store, ST_READ, &tx)) {
            r->wrong++;
            return;
        }
        wrong_unless(r, !st_instance_get(tx, a, x.scope, x.entity, x.id, &x) &&
                            !st_instance_get(tx, a, y.scope, y.entity, y.id, &y) &&
                            x.version == y.version);
        st_rollback(tx);
        mt_arena_reset(a);
    }
}

static void write_pairs(race *r, mt_arena *a)
{
    for (int i = 0; i < ROUNDS; i++) {
        st_instance rows[2] = {an_instance("y"), an_instance("x")};
        bool found[2];
        st_tx *tx;
        if (st_begin(r->store, ST_WRITE, &tx)) {
            r->wrong++;
            return;
        }
        mt_err err = st_instances_lock(tx, a, rows, found, 2);
        for (int k = 0; k < 2 && !err; k++) {
            rows[k].version++;
            err = st_instance_put(tx, &rows[k]);
        }
        wrong_unless(r, !err && !st_commit(tx));
        mt_arena_reset(a);
    }
}

static void *read_or_write_pairs(void *state)
{
    race *r = state;
    mt_arena a = {0};
    int number = r->number++;
    pthread_barrier_wait(&r->start);
    if (number < 2) {
        read_pairs(r, &a);
    } else {
        write_pairs(r, &a);
        r->over = ++r->won == THREADS - 2;
    }
    mt_arena_free(&a);
    return NULL;
}

static void readers_see_all_of_a_commit_or_nothing(void **state)
{
    race r = {0};
    st_store *s = fresh(state);
    add_instance(s, "x");
    add_instance(s, "y");
    run_race(&r, s, read_or_write_pairs, THREADS);
    assert_int_equal(version_of(s, "x"), (THREADS - 2) * ROUNDS);
    st_close(s);
}

/* ---- Outbox ---- */

static void *deliver(void *state)
{
    race *r = state;
    mt_arena a = {0};
    pthread_barrier_wait(&r->start);
    for (size_t count = 1; count;) {
        st_tx *tx;
        st_trigger *rows;
        if (st_begin(r->store, ST_WRITE, &tx)) {
            r->wrong++;
            break;
        }
        wrong_unless(r, !st_trigger_take(tx, 1000, 4, &a, &rows, &count));
        for (size_t i = 0; i < count; i++) {
            rows[i].status = MT_STR("done");
            wrong_unless(r, rows[i].attempts == 0);
            rows[i].attempts++;
            wrong_unless(r, !st_trigger_put(tx, &rows[i]));
        }
        wrong_unless(r, !st_commit(tx));
        r->won += (int)count;
        mt_arena_reset(&a);
    }
    mt_arena_free(&a);
    return NULL;
}

static void a_trigger_is_taken_by_one(void **state)
{
    race r = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    for (int i = 0; i < 100; i++) {
        char id[16];
        snprintf(id, sizeof id, "t-%d", i);
        st_trigger row = a_trigger(id, i);
        assert_fine(st_trigger_add(tx, &row));
    }
    assert_fine(st_commit(tx));
    run_race(&r, s, deliver, THREADS);
    assert_int_equal(r.won, 100);
    st_close(s);
}

/* ---- Queue ---- */

static mt_err change_and_record(race *r, mt_arena *a)
{
    st_instance row = an_instance("one");
    bool found;
    st_tx *tx;
    mt_err err = st_begin(r->store, ST_WRITE, &tx);
    if (err) {
        return err;
    }
    err = st_instances_lock(tx, a, &row, &found, 1);
    row.version++;
    err = err ? err : st_instance_put(tx, &row);
    for (int i = 0; i < 20 && !err; i++) { /* more than one draw of numbers */
        st_record record = a_record(0);
        record.time_ms = row.version;
        err = st_pending_add(tx, &record, 1);
    }
    if (err) {
        st_rollback(tx);
        return err;
    }
    return st_commit(tx);
}

/* Moves what is queued to the chain, if nobody else is about it. */
static bool chain_some(race *r, mt_arena *a, int64_t *next)
{
    st_tx *tx;
    st_record *rows;
    size_t count = 0;
    mt_str tail;
    if (st_begin(r->store, ST_WRITE, &tx)) {
        return false;
    }
    bool fine = true;
    if (st_try_lock(tx, "sequencer")) {
        fine = !st_ledger_tail(tx, a, next, &tail) &&
               !st_pending_take(tx, 64, a, &rows, &count);
        for (size_t i = 0; fine && i < count; i++) {
            rows[i].seq = (*next)++;
            rows[i].hash = a_record(0).hash;
        }
        fine = fine && !st_ledger_add(tx, rows, count) &&
               !st_ledger_set_tail(tx, *next, MT_STR("t"));
    }
    if (!fine) {
        st_rollback(tx);
        return false;
    }
    return st_commit(tx) == MT_OK;
}

static void *record_or_chain(void *state)
{
    race *r = state;
    mt_arena a = {0};
    int number = r->number++;
    int64_t next = 0;
    pthread_barrier_wait(&r->start);
    for (int i = 0; number >= 2 && i < ROUNDS; i++) {
        wrong_unless(r, change_and_record(r, &a) == MT_OK);
        mt_arena_reset(&a);
        r->won++;
    }
    while (number < 2 && next < (THREADS - 2) * ROUNDS * 20) {
        wrong_unless(r, chain_some(r, &a, &next));
        mt_arena_reset(&a);
        if (r->wrong) {
            break;
        }
    }
    mt_arena_free(&a);
    return NULL;
}

typedef struct order {
    int64_t last, count;
    bool wrong;
} order;

static mt_err check_order(void *state, const st_record *row)
{
    order *o = state;
    o->wrong |= row->time_ms < o->last;
    o->last = row->time_ms;
    o->count++;
    return MT_OK;
}

static void records_of_one_instance_are_chained_in_order(void **state)
{
    race r = {0};
    st_store *s = fresh(state);
    add_instance(s, "one");
    run_race(&r, s, record_or_chain, THREADS);
    st_tx *tx = begin(s, ST_READ);
    order o = {0};
    st_record_filter all = {.pending = true};
    assert_fine(st_record_walk(tx, &all, (st_page){0}, check_order, &o));
    assert_false(o.wrong);
    assert_int_equal(o.count, (THREADS - 2) * ROUNDS * 20);
    st_rollback(tx);
    st_close(s);
}

int main(void)
{
    static rows_list l;
    both(&l, of_racing_creators_one_wins);
    both(&l, of_racing_writers_one_wins);
    both(&l, lockers_never_wait_in_a_circle);
    both(&l, readers_see_all_of_a_commit_or_nothing);
    both(&l, a_trigger_is_taken_by_one);
    both(&l, records_of_one_instance_are_chained_in_order);
    int failed = rows_run(&l, "store/threads");
    backends_stop();
    return failed;
}
