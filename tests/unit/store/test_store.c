/* store/store.h: every call, the same on every backend. */
#include <stdio.h>

#include "store/driver.h"
#include "store_fixture.h"

/* ---- Opening and transactions ---- */

static void a_store_describes_itself(void **state)
{
    st_store *s = fresh(state);
    const backend *b = *state;
    assert_int_equal(st_schema_version(s), 2);
    assert_true(st_describe(s).len > 10);
    assert_true(mt_str_ends(st_describe(s), MT_STR(", schema 2")));
    assert_true(st_shown_url(s).len > 0);
    assert_int_equal(st_is_shared(s), strcmp(b->name, "sqlite") != 0);
    assert_fine(st_ping(s));
    st_close(s);
}

static void a_store_opens_again_with_what_was_written(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance("a-1");
    assert_fine(st_instance_add(tx, &row));
    assert_fine(st_commit(tx));
    st_close(s);

    s = again(state, NULL);
    tx = begin(s, ST_READ);
    assert_fine(st_instance_get(tx, &a, row.scope, row.entity, row.id, &row));
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void a_rollback_undoes_everything(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance("a-1");
    st_flow flow = a_flow("f-1");
    st_record record = a_record(0);
    st_trigger trigger = a_trigger("t-1", 0);
    assert_fine(st_instance_add(tx, &row));
    assert_fine(st_flow_add(tx, &flow));
    assert_fine(st_ledger_add(tx, &record, 1));
    assert_fine(st_trigger_add(tx, &trigger));
    st_rollback(tx);

    tx = begin(s, ST_READ);
    assert_err(st_instance_get(tx, &a, row.scope, row.entity, row.id, &row),
               MT_E_NOTFOUND);
    assert_err(st_flow_get(tx, &a, flow.id, &flow), MT_E_NOTFOUND);
    assert_err(st_record_at(tx, &a, 0, &record), MT_E_NOTFOUND);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void what_is_not_committed_is_not_seen(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *writer = begin(s, ST_WRITE), *reader = begin(s, ST_READ);
    st_instance row = an_instance("a-1"), got;
    assert_fine(st_instance_add(writer, &row));
    assert_fine(st_instance_get(writer, &a, row.scope, row.entity, row.id, &got));
    assert_err(st_instance_get(reader, &a, row.scope, row.entity, row.id, &got),
               MT_E_NOTFOUND);
    assert_fine(st_commit(writer));
    st_rollback(reader);
    reader = begin(s, ST_READ);
    assert_fine(st_instance_get(reader, &a, row.scope, row.entity, row.id, &got));
    st_rollback(reader);
    st_close(s);
    mt_arena_free(&a);
}

static void a_reader_sees_one_moment(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_instance row = an_instance("a-1"), got;
    st_tx *reader = begin(s, ST_READ);
    assert_err(st_instance_get(reader, &a, row.scope, row.entity, row.id, &got),
               MT_E_NOTFOUND);
    st_tx *writer = begin(s, ST_WRITE);
    assert_fine(st_instance_add(writer, &row));
    assert_fine(st_commit(writer));
    assert_err(st_instance_get(reader, &a, row.scope, row.entity, row.id, &got),
               MT_E_NOTFOUND);
    st_rollback(reader);
    st_close(s);
    mt_arena_free(&a);
}

static void a_named_lock_is_had_in_a_transaction_that_writes(void **state)
{
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    assert_true(st_try_lock(tx, "sequencer"));
    assert_true(st_try_lock(tx, "sequencer"));
    assert_fine(st_commit(tx));
    tx = begin(s, ST_READ);
    assert_false(st_try_lock(tx, "sequencer"));
    st_rollback(tx);
    st_close(s);
}

/* ---- Instances ---- */

/* Whoever is paused in the middle of a transaction loses it, and with it the locks that
 * others wait for. A file has one writer, and nobody waits. */
static void FS_point_10_a_paused_transaction_lets_others_go_on(void **state)
{
    st_store *s = fresh(state);
    if (st_is_shared(s)) {
        st_tx *tx = begin(s, ST_WRITE);
        st_instance row = an_instance("a-1");
        assert_fine(st_instance_add(tx, &row));
        assert_fine(st_commit(tx));
        st_store *paused = again(state, &(st_options){.wait_ms = 50}); /* 600 ms */
        mt_arena a = {0};
        bool found, had = false;
        st_tx *holds = begin(paused, ST_WRITE);
        assert_fine(st_instances_lock(holds, &a, &row, &found, 1));
        tx = begin(s, ST_WRITE);
        assert_fine(st_instances_lock(tx, &a, &row, &had, 1)); /* waits for the lock */
        assert_true(had);
        st_rollback(tx);
        assert_true(st_instance_get(holds, &a, row.scope, row.entity, row.id, &row) !=
                    MT_OK);
        st_rollback(holds);
        holds = begin(paused, ST_WRITE); /* it is itself again */
        assert_fine(st_instances_lock(holds, &a, &row, &found, 1));
        st_rollback(holds);
        st_close(paused);
        mt_arena_free(&a);
    }
    st_close(s);
}

static void an_instance_comes_back_as_it_was(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance("a-1"), got;
    row.version = 7;
    row.updated_ms = INT64_MAX;
    row.created_ms = -1;
    row.deleted = true;
    row.last_flow = MT_STR("f-9");
    row.last_operation = MT_STR("op \xE2\x82\xAC");
    assert_fine(st_instance_add(tx, &row));
    assert_fine(st_instance_get(tx, &a, row.scope, row.entity, row.id, &got));
    assert_str(got.scope, "escrow");
    assert_str(got.entity, "Account");
    assert_str(got.id, "a-1");
    assert_str(got.state, "held");
    assert_str(got.last_flow, "f-9");
    assert_str(got.last_operation, "op \xE2\x82\xAC");
    assert_int_equal(got.version, 7);
    assert_true(got.updated_ms == INT64_MAX && got.created_ms == -1 && got.deleted);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void an_id_is_never_used_again(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance("a-1"), got;
    bool found;
    assert_fine(st_instance_add(tx, &row));
    assert_err(st_instance_add(tx, &row), MT_E_EXISTS);
    assert_fine(st_commit(tx));
    tx = begin(s, ST_WRITE);
    assert_err(st_instance_add(tx, &row), MT_E_EXISTS);
    got = row;
    assert_fine(st_instances_lock(tx, &a, &got, &found, 1));
    got.deleted = true;
    got.version++;
    assert_fine(st_instance_put(tx, &got));
    assert_err(st_instance_add(tx, &row), MT_E_EXISTS);
    assert_fine(st_instance_get(tx, &a, row.scope, row.entity, row.id, &got));
    assert_true(got.deleted);
    row.entity = MT_STR("Other");
    assert_fine(st_instance_add(tx, &row));
    assert_fine(st_commit(tx));
    st_close(s);
    mt_arena_free(&a);
}

static void rows_are_locked_whatever_their_order(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    static const char *const IDS[] = {"b", "missing", "a", "b", "c", "bad\n"};
    st_instance rows[7];
    bool found[7];
    for (size_t i = 0; i < 3; i++) {
        st_instance row = an_instance((const char *[]){"a", "b", "c"}[i]);
        row.version = (int64_t)i;
        assert_fine(st_instance_add(tx, &row));
    }
    for (size_t i = 0; i < 6; i++) {
        rows[i] = an_instance(IDS[i]);
        rows[i].state = MT_STR("");
    }
    rows[6] = rows[5];
    rows[6].id = MT_STR("nul\0nul");
    assert_fine(st_instances_lock(tx, &a, rows, found, 7));
    static const bool WANT[] = {true, false, true, true, true, false, false};
    static const int VERSION[] = {1, 0, 0, 1, 2, 0, 0};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(found[i], WANT[i]);
        assert_int_equal(rows[i].version, VERSION[i]);
        assert_int_equal(rows[i].state.len, WANT[i] ? 4 : 0);
    }
    assert_fine(st_instances_lock(tx, &a, NULL, NULL, 0));
    assert_fine(st_commit(tx));
    st_close(s);
    mt_arena_free(&a);
}

static void a_change_needs_the_version_before_it(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance("a-1"), got;
    assert_fine(st_instance_add(tx, &row));
    row.state = MT_STR("released");
    row.version = 1;
    row.last_flow = MT_STR("f-1");
    row.updated_ms = 2000;
    assert_fine(st_instance_put(tx, &row));
    row.version = 2; /* the same transaction goes on from its own change */
    assert_fine(st_instance_put(tx, &row));
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    mt_err err = st_instance_put(tx, &row);
    err = err ? (st_rollback(tx), err) : st_commit(tx);
    assert_err(err, MT_E_CONFLICT);

    tx = begin(s, ST_READ);
    assert_fine(st_instance_get(tx, &a, row.scope, row.entity, row.id, &got));
    assert_int_equal(got.version, 2);
    assert_str(got.state, "released");
    assert_int_equal(got.created_ms, 1000);
    assert_int_equal(got.updated_ms, 2000);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void a_failed_transaction_cannot_commit(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance("a-1"), got;
    assert_fine(st_instance_add(tx, &row));
    row.version = 9;
    mt_err err = st_instance_put(tx, &row);
    if (err) {
        assert_err(err, MT_E_CONFLICT);
        assert_true(st_why(tx).len > 0);
        assert_err(st_instance_get(tx, &a, row.scope, row.entity, row.id, &got),
                   MT_E_CONFLICT);
    }
    assert_err(st_commit(tx), MT_E_CONFLICT);
    tx = begin(s, ST_READ);
    assert_err(st_instance_get(tx, &a, row.scope, row.entity, row.id, &got),
               MT_E_NOTFOUND);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

/* ---- Walks ---- */

typedef struct seen {
    mt_buf text;
    size_t count, stop;
} seen;

static mt_err see_instance(void *state, const st_instance *row)
{
    seen *s = state;
    mt_buf_addf(&s->text, "%.*s/%.*s=%.*s ", MT_ARG(row->entity), MT_ARG(row->id),
                MT_ARG(row->state));
    return ++s->count == s->stop ? MT_E_CLOSED : MT_OK;
}

static void add_instances(st_store *s)
{
    static const char *const ROWS[][3] = {
        {"Account", "b", "held"},        {"Account", "a", "done"},
        {"Account", "a b", "held"},      {"Account", "B", "held"},
        {"Order", "1", "draft"},         {"Acc", "z", "held"},
        {"Account", "\xC3\xA4", "held"},
    };
    st_tx *tx = begin(s, ST_WRITE);
    for (size_t i = 0; i < rows_count(ROWS); i++) {
        st_instance row = an_instance(ROWS[i][1]);
        row.entity = mt_str_z(ROWS[i][0]);
        row.state = mt_str_z(ROWS[i][2]);
        row.deleted = i == 3;
        assert_fine(st_instance_add(tx, &row));
        row.scope = MT_STR("other");
        assert_fine(st_instance_add(tx, &row));
    }
    assert_fine(st_commit(tx));
}

static void instances_are_listed_by_bytes_and_filters(void **state)
{
    static const struct {
        const char *entity, *state, *after;
        bool deleted;
        uint32_t limit;
        const char *want;
    } ROWS[] = {
        {"Account", "", "", false, 0,
         "Account/a=done Account/a b=held Account/b=held Account/\xC3\xA4=held "},
        {"Account", "", "", true, 2, "Account/B=held Account/a=done "},
        {"Account", "", "a", true, 2, "Account/a b=held Account/b=held "},
        {"Account", "held", "a", false, 1, "Account/a b=held "},
        {"Account", "lost", "", true, 0, ""},
        {"", "", "", false, 3, "Acc/z=held Account/a=done Account/a b=held "},
        {"", "", "Account/b", false, 5, "Account/\xC3\xA4=held Order/1=draft "},
        {"", "draft", "", false, 5, "Order/1=draft "},
        {"", "", "Order/1", true, 5, ""},
    };
    st_store *s = fresh(state);
    add_instances(s);
    st_tx *tx = begin(s, ST_READ);
    for (size_t i = 0; i < rows_count(ROWS); i++) {
        seen got = {0};
        st_instance_filter f = {.scope = MT_STR("escrow"),
                                .entity = mt_str_z(ROWS[i].entity),
                                .state = mt_str_z(ROWS[i].state),
                                .deleted = ROWS[i].deleted};
        st_page page = {mt_str_z(ROWS[i].after), ROWS[i].limit};
        assert_fine(st_instance_walk(tx, &f, page, see_instance, &got));
        assert_text(mt_buf_str(&got.text), mt_str_z(ROWS[i].want));
        mt_buf_free(&got.text);
    }
    st_rollback(tx);
    st_close(s);
}

static void a_walker_may_stop_and_the_transaction_goes_on(void **state)
{
    st_store *s = fresh(state);
    add_instances(s);
    st_tx *tx = begin(s, ST_READ);
    seen got = {.stop = 2};
    st_instance_filter f = {.scope = MT_STR("escrow")};
    assert_err(st_instance_walk(tx, &f, (st_page){0}, see_instance, &got), MT_E_CLOSED);
    assert_int_equal(got.count, 2);
    got.stop = 0;
    assert_fine(st_instance_walk(tx, &f, (st_page){0}, see_instance, &got));
    assert_int_equal(got.count, 2 + 6);
    mt_buf_free(&got.text);
    assert_fine(st_commit(tx));
    st_close(s);
}

typedef struct nested {
    st_tx *tx;
    size_t outer, inner;
} nested;

static mt_err count_inner(void *state, const st_instance *row)
{
    (void)row;
    ((nested *)state)->inner++;
    return MT_OK;
}

static mt_err walk_inside(void *state, const st_instance *row)
{
    nested *n = state;
    mt_arena a = {0};
    st_instance got;
    n->outer++;
    assert_fine(st_instance_get(n->tx, &a, row->scope, row->entity, row->id, &got));
    assert_text(got.id, row->id);
    mt_arena_free(&a);
    st_instance_filter f = {.scope = MT_STR("other")};
    return st_instance_walk(n->tx, &f, (st_page){0}, count_inner, n);
}

static void a_walker_may_walk(void **state)
{
    st_store *s = fresh(state);
    add_instances(s);
    nested n = {.tx = begin(s, ST_READ)};
    st_instance_filter f = {.scope = MT_STR("escrow")};
    assert_fine(st_instance_walk(n.tx, &f, (st_page){0}, walk_inside, &n));
    assert_int_equal(n.outer, 6);
    assert_int_equal(n.inner, 36);
    st_rollback(n.tx);
    st_close(s);
}

static mt_err in_order(void *state, const st_instance *row)
{
    size_t *count = state;
    char want[16];
    snprintf(want, sizeof want, "%05zu", (*count)++);
    assert_text(row->id, mt_str_z(want));
    return MT_OK;
}

static void a_long_walk_gives_every_row_once(void **state)
{
    enum { ROWS = 1500 };
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    for (unsigned i = 0; i < ROWS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%05u", (i * 7919) % ROWS);
        st_instance row = an_instance(id);
        assert_fine(st_instance_add(tx, &row));
    }
    assert_fine(st_commit(tx));
    tx = begin(s, ST_READ);
    for (int all = 0; all < 2; all++) {
        size_t count = 0;
        st_instance_filter f = {.scope = MT_STR("escrow"),
                                .entity = all ? (mt_str){0} : MT_STR("Account")};
        assert_fine(st_instance_walk(tx, &f, (st_page){0}, in_order, &count));
        assert_int_equal(count, ROWS);
        count = 0;
        assert_fine(
            st_instance_walk(tx, &f, (st_page){.limit = 700}, in_order, &count));
        assert_int_equal(count, 700);
    }
    st_rollback(tx);
    st_close(s);
}

/* ---- Flows ---- */

static void a_flow_comes_back_as_it_was(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_flow row = a_flow("f-1"), got;
    assert_fine(st_flow_add(tx, &row));
    assert_fine(st_commit(tx));
    tx = begin(s, ST_WRITE);
    assert_fine(st_flow_lock(tx, &a, row.id, &got));
    const mt_str *x = &row.id, *y = &got.id;
    for (size_t i = 0; i < 14; i++) { /* the fourteen texts stand one after the other */
        assert_text(y[i], x[i]);
    }
    assert_int_equal(got.version, 0);
    assert_int_equal(got.started_ms, 5);
    assert_int_equal(got.updated_ms, 6);
    assert_err(st_flow_lock(tx, &a, MT_STR("f-2"), &got), MT_E_NOTFOUND);
    assert_err(st_flow_get(tx, &a, MT_STR("f\0"), &got), MT_E_NOTFOUND);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void a_flow_changes_only_what_may_change(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_flow row = a_flow("f-1"), got;
    assert_fine(st_flow_add(tx, &row));
    st_flow next = {.id = row.id,
                    .contract = MT_STR("c2"),
                    .etag = MT_STR("e2"),
                    .flow = MT_STR("fl2"),
                    .status = MT_STR("done"),
                    .outcome = MT_STR("success"),
                    .position = MT_STR("end"),
                    .extra = MT_STR("[1]"),
                    .version = 1,
                    .updated_ms = 9};
    assert_fine(st_flow_put(tx, &next));
    assert_fine(st_flow_get(tx, &a, row.id, &got));
    assert_str(got.contract, "c2");
    assert_str(got.etag, "e2");
    assert_str(got.flow, "fl2");
    assert_str(got.status, "done");
    assert_str(got.outcome, "success");
    assert_str(got.waiting_step, "");
    assert_str(got.waiting_persona, "");
    assert_str(got.position, "end");
    assert_str(got.extra, "[1]");
    assert_str(got.persona, "buyer");
    assert_str(got.initiator, "tok-1");
    assert_str(got.facts, "{\"amount\":\"10.00\"}");
    assert_str(got.bindings, "{\"Account\":\"a-1\"}");
    assert_int_equal(got.version, 1);
    assert_int_equal(got.started_ms, 5);
    assert_int_equal(got.updated_ms, 9);
    next.version = 3;
    mt_err err = st_flow_put(tx, &next);
    assert_err(err ? (st_rollback(tx), err) : st_commit(tx), MT_E_CONFLICT);
    st_close(s);
    mt_arena_free(&a);
}

static void a_flow_id_is_used_once(void **state)
{
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_flow row = a_flow("f-1");
    assert_fine(st_flow_add(tx, &row));
    mt_err err = st_flow_add(tx, &row);
    assert_err(err ? (st_rollback(tx), err) : st_commit(tx), MT_E_CONFLICT);
    st_close(s);
}

static mt_err see_flow(void *state, const st_flow *row)
{
    mt_buf_addf(state, "%.*s ", MT_ARG(row->id));
    return MT_OK;
}

static void flows_are_filtered(void **state)
{
    static const char *const STATUS[] = {"running", "waiting", "done", "failed",
                                         "waiting"};
    static const struct {
        st_flow_filter f;
        st_page page;
        const char *want;
    } ROWS[] = {
        {{.in_flight = false}, {{0}, 0}, "f0 f1 f2 f3 f4 "},
        {{.in_flight = false}, {MT_STR_INIT("f1"), 2}, "f2 f3 "},
        {{.in_flight = true}, {{0}, 0}, "f0 f1 f4 "},
        {{.in_flight = true}, {MT_STR_INIT("f0"), 1}, "f1 "},
        {{.status = MT_STR_INIT("waiting")}, {{0}, 0}, "f1 f4 "},
        {{.status = MT_STR_INIT("done")}, {{0}, 0}, "f2 "},
        {{.status = MT_STR_INIT("done"), .in_flight = true}, {{0}, 0}, ""},
        {{.contract = MT_STR_INIT("escrow"), .etag = MT_STR_INIT("e1")},
         {{0}, 0},
         "f0 f1 f2 f3 f4 "},
        {{.contract = MT_STR_INIT("x")}, {{0}, 0}, ""},
        {{.flow = MT_STR_INIT("release"), .persona = MT_STR_INIT("buyer")},
         {{0}, 1},
         "f0 "},
        {{.outcome = MT_STR_INIT("o4")}, {{0}, 0}, "f4 "},
        {{.waiting_persona = MT_STR_INIT("p1")}, {{0}, 0}, "f1 f3 "},
    };
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    for (unsigned i = 0; i < rows_count(STATUS); i++) {
        char text[3][8];
        snprintf(text[0], 8, "f%u", i);
        snprintf(text[1], 8, "o%u", i);
        snprintf(text[2], 8, "p%u", i % 2);
        st_flow row = a_flow(text[0]);
        row.status = mt_str_z(STATUS[i]);
        row.outcome = mt_str_z(text[1]);
        row.waiting_persona = mt_str_z(text[2]);
        assert_fine(st_flow_add(tx, &row));
    }
    assert_fine(st_commit(tx));
    tx = begin(s, ST_READ);
    for (size_t i = 0; i < rows_count(ROWS); i++) {
        mt_buf got = {0};
        assert_fine(st_flow_walk(tx, &ROWS[i].f, ROWS[i].page, see_flow, &got));
        assert_text(mt_buf_str(&got), mt_str_z(ROWS[i].want));
        mt_buf_free(&got);
    }
    st_rollback(tx);
    st_close(s);
}

/* ---- Triggers, answers ---- */

static mt_err see_trigger(void *state, const st_trigger *row)
{
    mt_buf_addf(state, "%.*s=%.*s ", MT_ARG(row->id), MT_ARG(row->status));
    return MT_OK;
}

static void a_trigger_fires_once_when_it_is_due(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_trigger late = a_trigger("f-1/late", 50), soon = a_trigger("f-1/soon", 10),
               next = a_trigger("f-1/next", 20);
    assert_fine(st_trigger_add(tx, &late));
    assert_fine(st_trigger_add(tx, &next));
    assert_fine(st_trigger_add(tx, &soon));
    assert_err(st_trigger_add(tx, &soon), MT_E_EXISTS);
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    st_trigger *rows;
    size_t count;
    assert_fine(st_trigger_take(tx, 20, 10, &a, &rows, &count));
    assert_int_equal(count, 2);
    assert_str(rows[0].id, "f-1/soon");
    assert_str(rows[1].id, "f-1/next");
    assert_str(rows[1].body, "{\"to\":\"b\"}");
    rows[0].status = MT_STR("done");
    rows[0].attempts = 1;
    rows[1].due_ms = 90;
    rows[1].attempts = 2;
    assert_fine(st_trigger_put(tx, &rows[0]));
    assert_fine(st_trigger_put(tx, &rows[1]));
    soon.id = MT_STR("none");
    assert_err(st_trigger_put(tx, &soon), MT_E_NOTFOUND);
    assert_fine(st_trigger_take(tx, 100, 1, &a, &rows, &count));
    assert_int_equal(count, 1);
    assert_str(rows[0].id, "f-1/late");
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    assert_err(st_trigger_add(tx, &(st_trigger){.id = MT_STR("f-1/soon")}),
               MT_E_EXISTS);
    mt_buf got = {0};
    assert_fine(st_trigger_walk(tx, MT_STR(""), (st_page){0}, see_trigger, &got));
    assert_text(mt_buf_str(&got),
                MT_STR("f-1/late=pending f-1/next=pending f-1/soon=done "));
    mt_buf_clear(&got);
    assert_fine(st_trigger_walk(tx, MT_STR("pending"), (st_page){MT_STR("f-1/late"), 5},
                                see_trigger, &got));
    assert_text(mt_buf_str(&got), MT_STR("f-1/next=pending "));
    mt_buf_free(&got);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void an_answer_is_given_once_and_forgotten_later(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_answer row = {.caller = MT_STR("tok"),
                     .key = MT_STR("k1"),
                     .request = MT_STR("abcd"),
                     .status = 201,
                     .body = MT_STR("{}"),
                     .created_ms = 10},
              first = row, got;
    row.key = MT_STR("k2");
    row.created_ms = 20;
    assert_fine(st_answers_add(tx, (st_answer[]){first, row}, 2)); /* at once */
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    mt_err err = st_answers_add(tx, &row, 1);
    if (err) {
        st_rollback(tx);
        assert_err(err, MT_E_CONFLICT);
    } else {
        assert_err(st_commit(tx), MT_E_CONFLICT);
    }

    tx = begin(s, ST_WRITE);
    assert_fine(st_answers_forget(tx, 20));
    assert_err(st_answer_get(tx, &a, row.caller, MT_STR("k1"), &got), MT_E_NOTFOUND);
    assert_fine(st_answer_get(tx, &a, row.caller, MT_STR("k2"), &got));
    assert_err(st_answer_get(tx, &a, MT_STR("x"), MT_STR("k2"), &got), MT_E_NOTFOUND);
    assert_str(got.request, "abcd");
    assert_str(got.body, "{}");
    assert_int_equal(got.status, 201);
    assert_int_equal(got.created_ms, 20);
    assert_fine(st_commit(tx));
    st_close(s);
    mt_arena_free(&a);
}

/* ---- Documents ---- */

static mt_err see_doc(void *state, const st_doc *row)
{
    mt_buf_addf(state, "%.*s:%.*s ", MT_ARG(row->id), MT_ARG(row->body));
    return MT_OK;
}

static void documents_have_versions_tags_and_stamps(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_doc row = {.kind = MT_STR("token"),
                  .id = MT_STR("t1"),
                  .tag = MT_STR("red"),
                  .body = MT_STR("1"),
                  .updated_ms = 3},
           got;
    int64_t stamp, later;
    assert_fine(st_doc_stamp(tx, row.kind, &stamp));
    assert_fine(st_doc_put(tx, &row));
    assert_err(st_doc_put(tx, &row), MT_E_EXISTS);
    row.version = 1;
    row.body = MT_STR("2");
    assert_fine(st_doc_put(tx, &row));
    row.id = MT_STR("t2");
    row.tag = MT_STR("");
    assert_fine(st_doc_set(tx, &row));
    row.body = MT_STR("3");
    assert_fine(st_doc_set(tx, &row));
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    assert_fine(st_doc_stamp(tx, row.kind, &later));
    assert_true(later > stamp);
    assert_fine(st_doc_lock(tx, &a, row.kind, MT_STR("t1"), &got));
    assert_str(got.tag, "red");
    assert_str(got.body, "2");
    assert_int_equal(got.version, 1);
    assert_int_equal(got.updated_ms, 3);
    assert_fine(st_doc_get(tx, &a, row.kind, MT_STR("t2"), &got));
    assert_int_equal(got.version, 1);
    assert_err(st_doc_lock(tx, &a, MT_STR("other"), MT_STR("t1"), &got), MT_E_NOTFOUND);
    mt_buf text = {0};
    assert_fine(st_doc_walk(tx, row.kind, MT_STR(""), (st_page){0}, see_doc, &text));
    assert_fine(st_doc_walk(tx, row.kind, MT_STR("red"), (st_page){0}, see_doc, &text));
    assert_fine(st_doc_walk(tx, row.kind, MT_STR(""), (st_page){MT_STR("t1"), 9},
                            see_doc, &text));
    assert_text(mt_buf_str(&text), MT_STR("t1:2 t2:3 t1:2 t2:3 "));
    mt_buf_free(&text);
    assert_fine(st_doc_delete(tx, row.kind, MT_STR("t1")));
    assert_err(st_doc_delete(tx, row.kind, MT_STR("t1")), MT_E_NOTFOUND);
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    assert_fine(st_doc_stamp(tx, row.kind, &stamp));
    assert_true(stamp > later);
    row.version = 7;
    mt_err err = st_doc_put(tx, &row);
    assert_err(err ? (st_rollback(tx), err) : st_commit(tx), MT_E_CONFLICT);
    tx = begin(s, ST_READ);
    assert_fine(st_doc_stamp(tx, row.kind, &later));
    assert_int_equal(later, stamp);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

/* ---- What must not get in ---- */

static void texts_come_back_byte_for_byte(void **state)
{
    static const char *const TEXTS[] = {
        "'; DROP TABLE docs; --",
        "\" OR 1=1 --",
        "$1 ?1 :a @b %s %n",
        "\\'\\\\",
        "\x01\x02\x7F\r\n\t",
        "\xF0\x9F\x8E\xB5",
        "NULL",
        "0x41",
        "1e5",
        " 7 ",
        "",
        "{\"a\":\"\\u0000\"}",
    };
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    for (size_t i = 0; i < rows_count(TEXTS); i++) {
        mt_str t = mt_str_z(TEXTS[i]);
        st_doc doc = {.kind = t, .id = t, .tag = t, .body = t}, got;
        st_instance row = {.scope = t,
                           .entity = t,
                           .id = t,
                           .state = t,
                           .last_flow = t,
                           .last_operation = t};
        assert_fine(st_doc_put(tx, &doc));
        assert_fine(st_doc_get(tx, &a, t, t, &got));
        assert_text(got.body, t);
        assert_text(got.tag, t);
        assert_fine(st_instance_add(tx, &row));
        assert_fine(st_instance_get(tx, &a, t, t, t, &row));
        assert_text(row.state, t);
        assert_text(row.last_operation, t);
    }
    assert_fine(st_commit(tx));
    st_close(s);
    mt_arena_free(&a);
}

static void bad_texts_are_refused_and_nothing_happens(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    char *huge = mt_alloc(&a, 4000);
    memset(huge, 'x', 4000);
    const struct {
        mt_str text;
        mt_err want;
    } ROWS[] = {
        {MT_STR("nul\0byte"), MT_E_TYPE},      {MT_STR("\0"), MT_E_TYPE},
        {MT_STR("\xC3"), MT_E_TYPE},           {MT_STR("\xED\xA0\x80"), MT_E_TYPE},
        {mt_str_from(huge, 4000), MT_E_LIMIT}, {mt_str_from(huge, 801), MT_E_LIMIT},
    };
    for (size_t i = 0; i < rows_count(ROWS); i++) {
        st_doc doc = {.kind = MT_STR("k"), .id = ROWS[i].text, .body = MT_STR("")};
        st_instance row = an_instance("");
        row.id = ROWS[i].text;
        st_flow flow = a_flow("");
        flow.id = ROWS[i].text;
        assert_err(st_doc_put(tx, &doc), ROWS[i].want);
        assert_true(st_why(tx).len > 0);
        assert_err(st_doc_set(tx, &doc), ROWS[i].want);
        assert_err(st_instance_add(tx, &row), ROWS[i].want);
        assert_err(st_flow_add(tx, &flow), ROWS[i].want);
        assert_err(st_doc_get(tx, &a, MT_STR("k"), ROWS[i].text, &doc), MT_E_NOTFOUND);
    }
    st_doc doc = {
        .kind = MT_STR("k"), .id = mt_str_from(huge, 800), .body = MT_STR("")};
    assert_fine(st_doc_put(tx, &doc));
    assert_fine(st_commit(tx));
    st_close(s);
    mt_arena_free(&a);
}

static void a_huge_text_is_kept_whole(void **state)
{
    enum { BYTES = 20 << 20 };
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    char *huge = mt_alloc(&a, BYTES);
    for (size_t i = 0; i < BYTES; i++) {
        huge[i] = (char)('a' + i % 23);
    }
    st_doc doc = {.kind = MT_STR("k"), .id = MT_STR("i"), .body = {huge, BYTES}}, got;
    assert_fine(st_doc_put(tx, &doc));
    assert_fine(st_commit(tx));
    tx = begin(s, ST_READ);
    assert_fine(st_doc_get(tx, &a, doc.kind, doc.id, &got));
    assert_true(mt_str_eq(got.body, doc.body));
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

/* A reason of up to 1,000 bytes is kept whole, a longer one has its beginning. */
static void a_long_reason_keeps_its_beginning(void **state)
{
    st_store *s = fresh(state);
    char text[1100];
    static const struct {
        size_t before; /* letters, then a character of three bytes */
        size_t want;
    } ROWS[] = {{997, 1000}, {998, 998}, {999, 999}, {1000, 1000}, {1090, 1000}};
    for (size_t i = 0; i < rows_count(ROWS); i++) {
        st_tx *tx = begin(s, ST_WRITE);
        memset(text, 'x', ROWS[i].before);
        strcpy(text + ROWS[i].before, "\xE2\x82\xAC");
        assert_err(st_fail(tx, MT_E_IO, "%s", text), MT_E_IO);
        assert_int_equal(st_why(tx).len, ROWS[i].want);
        assert_memory_equal(st_why(tx).ptr, text, ROWS[i].want);
        st_rollback(tx);
    }
    st_close(s);
}

/* clang-format off */
#define KINDS " It is sqlite:FILE, postgresql://HOST/NAME, or the name of a file, written ./a:b if it has a colon"
static const struct url_row {
    const char *name, *url, *why; /* NULL: it is a file, which is not there */
} URLS[] = {
    {"a slip is no file", "sqlit:x", "'sqlit:' is not a kind of store, did you mean 'sqlite:'?" KINDS},
    {"a slip of the other", "postgresq://h/n", "'postgresq:' is not a kind of store, did you mean 'postgresql:'?" KINDS},
    {"another kind", "azAZ09+-:x", "'azAZ09+-:' is not a kind of store." KINDS},
    {"one letter", "c:x", "'c:' is not a kind of store." KINDS},
    {"nothing behind the colon", "redis:", "'redis:' is not a kind of store." KINDS},
    {"no colon", "no-such-store", NULL},
    {"a colon at the start", ":no-such-store", NULL},
    {"a path", "./no-such:store", NULL},
    {"a name with a dot", "no.such:store", NULL},
    {"a name with a line", "no_such:store", NULL},
    {"what stands before the letters", "no@such`:store", NULL},
    {"what stands behind the letters", "no[such:store", NULL},
    {"what stands behind the small letters", "no{such:store", NULL},
    {"sqlite", "sqlite:no-such-store", NULL},
};
/* clang-format on */

static void a_url_names_a_store_or_a_file(void **state)
{
    const struct url_row *r = *state;
    st_store *s;
    mt_buf why = {0};
    assert_err(st_open(r->url, &(st_options){.must_exist = true}, &s, &why),
               r->why ? MT_E_USAGE : MT_E_NOTFOUND);
    assert_null(s);
    if (r->why) {
        assert_text(mt_buf_str(&why), mt_str_z(r->why));
    }
    mt_buf_free(&why);
    assert_err(st_open(r->url, &(st_options){.must_exist = true}, &s, NULL),
               r->why ? MT_E_USAGE : MT_E_NOTFOUND);
}

int main(void)
{
    static rows_list l;
    rows_add(&l, URLS, a_url_names_a_store_or_a_file);
    both(&l, a_store_describes_itself);
    both(&l, a_store_opens_again_with_what_was_written);
    both(&l, a_rollback_undoes_everything);
    both(&l, what_is_not_committed_is_not_seen);
    both(&l, a_reader_sees_one_moment);
    both(&l, a_named_lock_is_had_in_a_transaction_that_writes);
    both(&l, FS_point_10_a_paused_transaction_lets_others_go_on);
    both(&l, an_instance_comes_back_as_it_was);
    both(&l, an_id_is_never_used_again);
    both(&l, rows_are_locked_whatever_their_order);
    both(&l, a_change_needs_the_version_before_it);
    both(&l, a_failed_transaction_cannot_commit);
    both(&l, instances_are_listed_by_bytes_and_filters);
    both(&l, a_walker_may_stop_and_the_transaction_goes_on);
    both(&l, a_walker_may_walk);
    both(&l, a_long_walk_gives_every_row_once);
    both(&l, a_flow_comes_back_as_it_was);
    both(&l, a_flow_changes_only_what_may_change);
    both(&l, a_flow_id_is_used_once);
    both(&l, flows_are_filtered);
    both(&l, a_trigger_fires_once_when_it_is_due);
    both(&l, an_answer_is_given_once_and_forgotten_later);
    both(&l, documents_have_versions_tags_and_stamps);
    both(&l, texts_come_back_byte_for_byte);
    both(&l, bad_texts_are_refused_and_nothing_happens);
    both(&l, a_huge_text_is_kept_whole);
    both(&l, a_long_reason_keeps_its_beginning);
    int failed = rows_run(&l, "store/store");
    backends_stop();
    return failed;
}
