/* store/store.h: the ledger's records, and copies of the whole store. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "store_fixture.h"

static mt_err see_record(void *state, const st_record *row)
{
    if (row->seq < 0) {
        mt_buf_addf(state, "p%lld ", (long long)row->id);
    } else {
        mt_buf_addf(state, "%lld ", (long long)row->seq);
    }
    return MT_OK;
}

static void assert_walk(st_tx *tx, st_record_filter f, const char *after,
                        uint32_t limit, const char *want)
{
    mt_buf got = {0};
    st_page page = {mt_str_z(after), limit};
    assert_fine(st_record_walk(tx, &f, page, see_record, &got));
    assert_text(mt_buf_str(&got), mt_str_z(want));
    mt_buf_free(&got);
}

static void a_record_comes_back_as_it_was(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_record row = a_record(0), got;
    assert_fine(st_ledger_add(tx, &row, 1));
    assert_true(row.id > 0);
    assert_fine(st_commit(tx));
    tx = begin(s, ST_READ);
    for (int i = 0; i < 2; i++) {
        assert_fine(i ? st_record_get(tx, &a, row.id, &got)
                      : st_record_at(tx, &a, 0, &got));
        assert_int_equal(got.id, row.id);
        assert_int_equal(got.seq, 0);
        assert_int_equal(got.time_ms, 100);
        assert_str(got.kind, "operation");
        assert_str(got.contract, "escrow");
        assert_str(got.flow, "f-1");
        assert_str(got.subject, "Account/a-1");
        assert_str(got.body, "{\"n\":1}");
        assert_text(got.hash, row.hash);
    }
    assert_err(st_record_at(tx, &a, 1, &got), MT_E_NOTFOUND);
    assert_err(st_record_get(tx, &a, row.id + 1, &got), MT_E_NOTFOUND);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void the_chain_has_no_gap_and_no_fork(void **state)
{
    static const int64_t BAD[] = {0, 1, 3, -1};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_record rows[2] = {a_record(0), a_record(1)};
    assert_fine(st_ledger_add(tx, rows, 2));
    assert_fine(st_commit(tx));
    for (size_t i = 0; i < rows_count(BAD); i++) {
        tx = begin(s, ST_WRITE);
        st_record bad = a_record(BAD[i]);
        mt_err err = st_ledger_add(tx, &bad, 1);
        assert_err(err ? (st_rollback(tx), err) : st_commit(tx), MT_E_CONFLICT);
    }
    tx = begin(s, ST_WRITE);
    st_record good = a_record(2);
    assert_fine(st_ledger_add(tx, &good, 1));
    good = a_record(3);
    assert_fine(st_ledger_add(tx, &good, 1));
    assert_fine(st_commit(tx));
    st_close(s);
}

static void the_tail_is_remembered(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    int64_t size = 9;
    mt_str tail;
    assert_fine(st_ledger_tail(tx, &a, &size, &tail));
    assert_int_equal(size, 0);
    assert_int_equal(tail.len, 0);
    assert_fine(st_ledger_set_tail(tx, 2, MT_STR("head")));
    assert_fine(st_ledger_set_tail(tx, 3, MT_STR("next")));
    assert_fine(st_commit(tx));
    tx = begin(s, ST_READ);
    assert_fine(st_ledger_tail(tx, &a, &size, &tail));
    assert_int_equal(size, 3);
    assert_str(tail, "next");
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void queued_records_are_found_taken_once_and_chained(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    int64_t ids[40];
    for (int64_t i = 0; i < 40; i++) {
        st_record row = a_record(i);
        assert_fine(st_pending_add(tx, &row, 1));
        ids[i] = row.id;
        assert_true(i == 0 || ids[i] > ids[i - 1]);
    }
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    st_record *rows, got;
    size_t count;
    assert_fine(st_record_get(tx, &a, ids[7], &got));
    assert_int_equal(got.seq, -1);
    assert_int_equal(got.hash.len, 0);
    assert_int_equal(got.time_ms, 107);
    assert_fine(st_pending_take(tx, 30, &a, &rows, &count));
    assert_int_equal(count, 30);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].id, ids[i]);
        assert_str(rows[i].subject, "Account/a-1");
        rows[i].seq = (int64_t)i;
        rows[i].hash = a_record(0).hash;
    }
    assert_fine(st_ledger_add(tx, rows, count));
    assert_fine(st_commit(tx));

    tx = begin(s, ST_WRITE);
    assert_fine(st_record_get(tx, &a, ids[7], &got));
    assert_int_equal(got.seq, 7);
    assert_fine(st_pending_take(tx, 30, &a, &rows, &count));
    assert_int_equal(count, 10);
    assert_int_equal(rows[0].id, ids[30]);
    st_rollback(tx); /* given back to the queue */
    tx = begin(s, ST_WRITE);
    assert_fine(st_pending_take(tx, 30, &a, &rows, &count));
    assert_int_equal(count, 10);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void records_are_filtered_in_both_directions(void **state)
{
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_record rows[8];
    for (int64_t i = 0; i < 8; i++) {
        rows[i] = a_record(i);
        rows[i].kind = i % 2 ? MT_STR("odd") : MT_STR("even");
        rows[i].subject = i % 3 ? MT_STR("A/1") : MT_STR("");
        rows[i].flow = i < 4 ? MT_STR("f1") : MT_STR("f2");
        rows[i].contract = i == 5 ? MT_STR("c5") : MT_STR("c");
    }
    assert_fine(st_ledger_add(tx, rows, 8));
    int64_t id[2];
    st_record queued = a_record(0);
    queued.kind = MT_STR("odd");
    queued.subject = MT_STR("A/1");
    assert_fine(st_pending_add(tx, &queued, 1));
    id[0] = queued.id;
    queued.id = 0;
    queued.kind = MT_STR("even");
    assert_fine(st_pending_add(tx, &queued, 1));
    id[1] = queued.id;
    assert_fine(st_commit(tx));

    tx = begin(s, ST_READ);
    char after[32], all[96], down[96];
    snprintf(after, sizeof after, "p%lld.8", (long long)id[0]);
    snprintf(all, sizeof all, "6 7 p%lld p%lld ", (long long)id[0], (long long)id[1]);
    snprintf(down, sizeof down, "p%lld p%lld 7 6 ", (long long)id[1], (long long)id[0]);
    st_record_filter any = {.pending = false};
#define WITH(...) ((st_record_filter){__VA_ARGS__})
    assert_walk(tx, any, "", 0, "0 1 2 3 4 5 6 7 ");
    assert_walk(tx, any, "2", 3, "3 4 5 ");
    assert_walk(tx, any, "7", 3, "");
    assert_walk(tx, WITH(.newest_first = true), "", 3, "7 6 5 ");
    assert_walk(tx, WITH(.newest_first = true), "2", 3, "1 0 ");
    assert_walk(tx, WITH(.kind = MT_STR("odd")), "", 0, "1 3 5 7 ");
    assert_walk(tx, WITH(.subject = MT_STR("A/1")), "", 0, "1 2 4 5 7 ");
    assert_walk(tx, WITH(.subject = MT_STR("A/1"), .newest_first = true), "5", 2,
                "4 2 ");
    assert_walk(tx, WITH(.subject = MT_STR("A/1"), .kind = MT_STR("odd")), "", 0,
                "1 5 7 ");
    assert_walk(tx, WITH(.flow = MT_STR("f2")), "", 0, "4 5 6 7 ");
    assert_walk(tx, WITH(.flow = MT_STR("f2"), .newest_first = true), "", 2, "7 6 ");
    assert_walk(tx, WITH(.contract = MT_STR("c5")), "", 0, "5 ");
    assert_walk(tx, WITH(.from_seq = 2, .to_seq = 5), "", 0, "2 3 4 ");
    assert_walk(tx, WITH(.from_seq = 2, .to_seq = 5, .newest_first = true), "", 2,
                "4 3 ");
    assert_walk(tx, WITH(.from_ms = 102, .to_ms = 104), "", 0, "2 3 ");
    assert_walk(tx, WITH(.pending = true), "5", 0, all);
    assert_walk(tx, WITH(.pending = true), after, 0, strrchr(all, 'p'));
    assert_walk(tx, WITH(.pending = true, .newest_first = true), "", 4, down);
    assert_walk(tx, WITH(.pending = true, .newest_first = true), after, 2, "7 6 ");
    assert_walk(tx, WITH(.pending = true, .newest_first = true), "6", 2, "5 4 ");
    snprintf(all, sizeof all, "7 p%lld ", (long long)id[0]);
    assert_walk(tx, WITH(.pending = true, .subject = MT_STR("A/1")), "5", 2, all);
    static const char *const BAD[] = {
        "x",   "-1", "p",   "1 ",    "99999999999999999999",
        "1.2", "p1", "p1.", "p1.2.", "p1.2.3.4"};
    for (size_t i = 0; i < rows_count(BAD); i++) {
        st_page page = {mt_str_z(BAD[i]), 1};
        assert_err(st_record_walk(tx, &any, page, see_record, NULL), MT_E_RANGE);
    }
    st_rollback(tx);
    st_close(s);
}

/* ---- Pages while records are chained ---- */

typedef struct pages {
    st_store *store;
    st_record_filter filter;
    mt_arena a;
    mt_str after;
    int64_t id, seq; /* of the last one */
    int seen[12];    /* by n of the body */
} pages;

static mt_err note_seq(void *state, const st_record *row)
{
    mt_buf_addf(state, "%lld ", (long long)row->seq);
    return MT_OK;
}

static void assert_about(st_store *s, const char *subject, bool newest_first,
                         const char *want)
{
    mt_buf seen = {0};
    st_tx *tx = begin(s, ST_READ);
    for (int64_t page = 0; page < 2; page++) { /* all at once, then one by one */
        st_record_filter f = {.subject = mt_str_z(subject),
                              .newest_first = newest_first,
                              .pending = true};
        mt_buf_clear(&seen);
        assert_fine(st_record_walk(tx, &f, (st_page){.limit = page ? 1000 : 0},
                                   note_seq, &seen));
        assert_true(mt_str_eq(mt_buf_str(&seen), mt_str_z(want)));
    }
    st_rollback(tx);
    mt_buf_free(&seen);
}

static void FU2_a_record_is_found_by_everything_it_is_about(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    static const mt_str ALSO[] = {MT_STR_INIT("Deal/d-1"), MT_STR_INIT("Deal/d-2")};
    st_tx *tx = begin(s, ST_WRITE);
    for (int64_t i = 0; i < 3; i++) { /* chained at once: 0 and 2 are about more */
        st_record row = a_record(i);
        row.seq = i;
        row.also = ALSO;
        row.also_count = i == 1 ? 0 : 2;
        assert_fine(st_ledger_add(tx, &row, 1));
    }
    st_record queued[2] = {a_record(3), a_record(4)};
    queued[0].hash = queued[1].hash = (mt_str){0};
    queued[1].also = ALSO;
    queued[1].also_count = 1;
    assert_fine(st_pending_add(tx, queued, 2));
    assert_fine(st_commit(tx));
    assert_about(s, "Account/a-1", false, "0 1 2 -1 -1 ");
    assert_about(s, "Deal/d-1", false, "0 2 -1 ");
    assert_about(s, "Deal/d-1", true, "-1 2 0 ");
    assert_about(s, "Deal/d-2", false, "0 2 ");
    assert_about(s, "Deal/d-3", false, "");

    st_record *rows;
    size_t count;
    tx = begin(s, ST_WRITE);
    assert_fine(st_pending_take(tx, 30, &a, &rows, &count));
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].also_count, 0);
    assert_int_equal(rows[1].also_count, 1);
    for (size_t i = 0; i < 2; i++) {
        rows[i].seq = 3 + (int64_t)i;
        rows[i].hash = a_record(0).hash;
    }
    assert_fine(st_ledger_add(tx, rows, count));
    assert_fine(st_commit(tx));
    assert_about(s, "Deal/d-1", false, "0 2 4 ");
    assert_about(s, "Deal/d-1", true, "4 2 0 ");
    st_close(s);
    mt_arena_free(&a);
}

/* All rows as text, in pages of this many. */
static void assert_abouts(st_store *s, bool queued, uint32_t limit, const char *want)
{
    mt_buf seen = {0};
    mt_arena a = {0};
    st_about after = {.record = INT64_MIN}, *rows;
    size_t count = limit;
    st_tx *tx = begin(s, ST_READ);
    while (count == limit) {
        assert_fine(st_abouts_page(tx, &a, queued, &after, limit, &rows, &count));
        for (size_t i = 0; i < count; i++) {
            after = rows[i];
            mt_buf_addf(&seen, "%.*s=%lld ", MT_ARG(after.subject),
                        (long long)after.record);
        }
    }
    st_rollback(tx);
    assert_true(mt_str_eq(mt_buf_str(&seen), mt_str_z(want)));
    mt_buf_free(&seen);
    mt_arena_free(&a);
}

static void what_records_are_about_is_listed_added_and_dropped(void **state)
{
    st_store *s = fresh(state);
    static const st_about ROWS[] = {{MT_STR_INIT("B/1"), 2},
                                    {MT_STR_INIT("A/1"), 7},
                                    {MT_STR_INIT("B/1"), 1},
                                    {MT_STR_INIT("A/1"), 2}};
    for (int queued = 0; queued < 2; queued++) {
        st_tx *tx = begin(s, ST_WRITE);
        for (size_t i = 0; i < rows_count(ROWS); i++) {
            assert_fine(st_about_add(tx, queued, &ROWS[i]));
        }
        assert_fine(st_commit(tx));
    }
    for (uint32_t limit = 1; limit <= 5; limit++) {
        assert_abouts(s, false, limit, "A/1=2 A/1=7 B/1=1 B/1=2 ");
        assert_abouts(s, true, limit, "B/1=1 A/1=2 B/1=2 A/1=7 ");
    }
    for (int queued = 0; queued < 2; queued++) {
        st_tx *tx = begin(s, ST_WRITE);
        assert_fine(st_about_drop(tx, queued, &ROWS[0]));
        assert_err(st_about_drop(tx, queued, &ROWS[0]), MT_E_NOTFOUND);
        assert_fine(st_commit(tx));
    }
    assert_abouts(s, false, 9, "A/1=2 A/1=7 B/1=1 ");
    assert_abouts(s, true, 9, "B/1=1 A/1=2 A/1=7 ");
    st_close(s);
}

static mt_err count_record(void *state, const st_record *row)
{
    pages *p = state;
    p->seen[atoi(row->body.ptr + strlen("{\"n\":")) % 12]++;
    p->id = row->id;
    p->seq = row->seq;
    return MT_OK;
}

/* One page; false: it was empty. */
static bool turn(pages *p, uint32_t limit)
{
    st_tx *tx = begin(p->store, ST_READ);
    p->id = 0;
    assert_fine(
        st_record_walk(tx, &p->filter, (st_page){p->after, limit}, count_record, p));
    if (p->id) {
        assert_fine(st_record_after(tx, &p->a, p->after, p->id, p->seq, &p->after));
    }
    st_rollback(tx);
    return p->id != 0;
}

/* What the sequencer does: `first` of the queue become part of the chain. */
static void chain_some(st_store *s, mt_arena *a, uint32_t count, int64_t *size)
{
    st_record *rows;
    size_t taken;
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(st_pending_take(tx, count, a, &rows, &taken));
    for (size_t i = 0; i < taken; i++) {
        rows[i].seq = (*size)++;
        rows[i].hash = a_record(0).hash;
    }
    assert_fine(st_ledger_add(tx, rows, taken));
    assert_fine(st_commit(tx));
}

/* Twelve records, of which `chained` are chained at first, two or three per page;
 * before every page `step` more are chained. */
static void every_page_has_what_the_others_lack(void **state)
{
    for (uint32_t round = 0; round < 2 * 3 * 3; round++) {
        bool down = round % 2;
        uint32_t chained = round / 2 % 3 * 4, step = 1 + round / 6;
        uint32_t limit = 2 + (round / 2 + round / 6) % 2;
        int64_t size = 0;
        pages p = {.store = fresh(state),
                   .filter = {.pending = true, .newest_first = down}};
        st_tx *tx = begin(p.store, ST_WRITE);
        for (int64_t i = 0; i < 12; i++) {
            st_record row = a_record(i);
            row.body = mt_strf(&p.a, "{\"n\":%lld}", (long long)i);
            assert_fine(st_pending_add(tx, &row, 1));
        }
        assert_fine(st_commit(tx));
        chain_some(p.store, &p.a, chained, &size);
        while (turn(&p, limit)) {
            chain_some(p.store, &p.a, step, &size);
        }
        for (int i = 0; i < 12; i++) {
            if (p.seen[i] != 1) {
                fail_msg("record %d was listed %d times (%s, %u chained, %u a page, "
                         "%u chained between pages)",
                         i, p.seen[i], down ? "down" : "up", chained, limit, step);
            }
        }
        st_close(p.store);
        mt_arena_free(&p.a);
    }
}

/* The chain need not have the order of ids: 3 was committed after 5 was chained. */
static void a_record_chained_out_of_turn_is_listed_once(void **state)
{
    pages p = {.store = fresh(state), .filter = {.pending = true}};
    int64_t ids[6], size = 0;
    st_tx *tx = begin(p.store, ST_WRITE);
    for (int64_t i = 0; i < 6; i++) {
        st_record row = a_record(i);
        row.body = mt_strf(&p.a, "{\"n\":%lld}", (long long)i);
        if (i == 5) { /* the last one is in the chain already */
            row.seq = size++;
            row.id = ids[4] + 100;
            assert_fine(st_ledger_add(tx, &row, 1));
        } else {
            assert_fine(st_pending_add(tx, &row, 1));
            ids[i] = row.id;
        }
    }
    assert_fine(st_commit(tx));
    assert_true(turn(&p, 3)); /* 5, 0, 1 */
    chain_some(p.store, &p.a, 4, &size);
    while (turn(&p, 1)) {
    }
    for (int i = 0; i < 6; i++) {
        assert_int_equal(p.seen[i], 1);
    }
    st_close(p.store);
    mt_arena_free(&p.a);
}

static mt_err list_checkpoint(void *state, int64_t size, mt_str text)
{
    mt_buf_addf(state, "%lld:%.*s ", (long long)size, MT_ARG(text));
    return MT_OK;
}

static void assert_checkpoints(st_tx *tx, int64_t after, int64_t upto, const char *want)
{
    mt_buf seen = {0};
    assert_fine(st_checkpoint_walk(tx, after, upto, list_checkpoint, &seen));
    assert_true(mt_str_eq(mt_buf_str(&seen), mt_str_z(want)));
    mt_buf_free(&seen);
}

static void checkpoints_are_walked_and_bounds_are_told(void **state)
{
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_ledger_bounds b;
    assert_fine(st_ledger_bounds_get(tx, &b));
    assert_true(b.first == 0 && b.end == 0 && b.smallest == 1 && b.largest == 0);
    assert_true(b.checkpoints == 0 && b.counted == -1);
    st_record row = {.kind = MT_STR("k"),
                     .time_ms = 1,
                     .body = MT_STR("{}"),
                     .hash = MT_STR("01234567890123456789012345678901")};
    assert_fine(st_ledger_add(tx, &row, 1));
    assert_fine(st_checkpoint_add(tx, 20, MT_STR("b")));
    assert_fine(st_checkpoint_add(tx, 10, MT_STR("a")));
    assert_fine(st_checkpoint_add(tx, 30, MT_STR("c")));
    assert_checkpoints(tx, 0, 30, "10:a 20:b 30:c ");
    assert_checkpoints(tx, 10, 29, "20:b ");
    assert_checkpoints(tx, 9, 10, "10:a ");
    assert_fine(st_checkpoint_drop(tx, 30));
    assert_err(st_checkpoint_drop(tx, 30), MT_E_NOTFOUND);
    assert_fine(st_ledger_bounds_get(tx, &b));
    assert_true(b.first == 0 && b.end == 1 && b.smallest == 10 && b.largest == 20);
    assert_true(b.checkpoints == 2 && b.counted == 3);
    assert_fine(st_checkpoint_recount(tx));
    assert_fine(st_ledger_bounds_get(tx, &b));
    assert_true(b.checkpoints == 2 && b.counted == 2);
    assert_fine(st_commit(tx));
    st_close(s);
}

static void checkpoints_are_found_at_or_below_a_size(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    mt_str text;
    assert_err(st_checkpoint_get(tx, &a, -1, &text), MT_E_NOTFOUND);
    assert_fine(st_checkpoint_add(tx, 10, MT_STR("ten")));
    assert_fine(st_checkpoint_add(tx, 20, MT_STR("twenty")));
    assert_err(st_checkpoint_add(tx, 10, MT_STR("other")), MT_E_EXISTS);
    assert_err(st_checkpoint_get(tx, &a, 9, &text), MT_E_NOTFOUND);
    assert_fine(st_checkpoint_get(tx, &a, 10, &text));
    assert_str(text, "ten");
    assert_fine(st_checkpoint_get(tx, &a, 19, &text));
    assert_str(text, "ten");
    assert_fine(st_checkpoint_get(tx, &a, -1, &text));
    assert_str(text, "twenty");
    assert_fine(st_commit(tx));
    st_close(s);
    mt_arena_free(&a);
}

/* ---- Copies ---- */

static mt_err to_buf(void *state, mt_str bytes)
{
    mt_buf_adds(state, bytes);
    return MT_OK;
}

static mt_err from_str(void *state, mt_str *line)
{
    mt_str *left = state;
    if (left->len == 0) {
        return MT_E_NOTFOUND;
    }
    size_t end = mt_str_find(*left, '\n');
    *line = mt_str_from(left->ptr, end);
    *left = mt_str_skip(*left, end + 1);
    return MT_OK;
}

static void fill(st_store *s)
{
    st_tx *tx = begin(s, ST_WRITE);
    for (int64_t i = 0; i < 300; i++) {
        char id[32];
        snprintf(id, sizeof id, "i-%03lld \"'\n\xE2\x82\xAC", (long long)i);
        st_instance row = an_instance(id);
        st_flow flow = a_flow(id);
        st_record record = a_record(i);
        st_doc doc = {.kind = MT_STR("k"), .id = mt_str_z(id), .body = MT_STR("b")};
        assert_fine(st_instance_add(tx, &row));
        assert_fine(st_flow_add(tx, &flow));
        assert_fine(st_ledger_add(tx, &record, 1));
        assert_fine(st_doc_set(tx, &doc));
    }
    st_record queued = a_record(0);
    st_trigger trigger = a_trigger("t", 4);
    st_answer answer = {.caller = MT_STR("c"), .key = MT_STR("k"), .status = 200};
    assert_fine(st_pending_add(tx, &queued, 1));
    assert_fine(st_trigger_add(tx, &trigger));
    assert_fine(st_answers_add(tx, &answer, 1));
    assert_fine(st_checkpoint_add(tx, 300, MT_STR("cp")));
    assert_fine(st_ledger_set_tail(tx, 300, MT_STR("tail")));
    assert_fine(st_commit(tx));
}

static void a_copy_fills_an_empty_store_with_the_same(void **state)
{
    mt_arena a = {0};
    mt_buf copy = {0}, second = {0}, why = {0};
    st_store *s = fresh(state);
    fill(s);
    assert_fine(st_dump(s, to_buf, &copy, &why));
    mt_str left = mt_buf_str(&copy);
    assert_err(st_load(s, from_str, &left, &why), MT_E_EXISTS);
    assert_true(why.len > 0);
    st_close(s);

    s = fresh(state);
    left = mt_buf_str(&copy);
    assert_fine(st_load(s, from_str, &left, &why));
    assert_fine(st_dump(s, to_buf, &second, &why));
    assert_text(mt_buf_str(&second), mt_buf_str(&copy));
    /* and life goes on: ids do not collide */
    st_tx *tx = begin(s, ST_WRITE);
    st_record next = a_record(300), queued = a_record(0);
    assert_fine(st_ledger_add(tx, &next, 1));
    assert_fine(st_pending_add(tx, &queued, 1));
    assert_true(next.id > 301 && queued.id > next.id);
    assert_fine(st_commit(tx));
    st_close(s);

    /* also through the file backend, whichever made it */
    static const char PATH[] = "copy.db";
    s = NULL;
    assert_fine(st_open(temp_path(PATH), NULL, &s, &why));
    left = mt_buf_str(&copy);
    assert_fine(st_load(s, from_str, &left, &why));
    mt_buf_clear(&second);
    assert_fine(st_dump(s, to_buf, &second, &why));
    assert_text(mt_buf_str(&second), mt_buf_str(&copy));
    st_close(s);
    remove_store_file(temp_path(PATH));
    mt_buf_free(&copy);
    mt_buf_free(&second);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

static void a_damaged_copy_fills_nothing(void **state)
{
    mt_buf copy = {0}, why = {0};
    st_store *s = fresh(state);
    fill(s);
    assert_fine(st_dump(s, to_buf, &copy, &why));
    st_close(s);
    s = fresh(state);
    mt_buf damaged = {0};
    for (int way = 0; way < 7; way++) {
        mt_buf_clear(&damaged);
        mt_buf_adds(&damaged, mt_buf_str(&copy));
        char *held = strstr(damaged.ptr, "held");
        switch (way) {
        case 0: held[0] = 'H'; break;                 /* a changed byte */
        case 1: damaged.len = damaged.len / 2; break; /* cut in a line */
        case 2: damaged.len = mt_str_find(mt_buf_str(&damaged), '\n') + 1; break;
        case 3: held[-1] = 'x'; break; /* not JSON any more */
        case 4: memcpy(strstr(damaged.ptr, "instances"), "instancex", 9); break;
        case 5: mt_buf_addz(&damaged, "{}\n"); break; /* something behind the end */
        default: mt_buf_clear(&damaged); break;
        }
        mt_str left = mt_buf_str(&damaged);
        mt_buf_clear(&why);
        assert_err(st_load(s, from_str, &left, &why), MT_E_CORRUPT);
        assert_true(why.len > 0);
    }
    mt_str newer = MT_STR("{\"motet_store\":1,\"schema\":99}\n");
    assert_err(st_load(s, from_str, &newer, &why), MT_E_VERSION);
    mt_str left = mt_buf_str(&copy); /* still empty: the good copy fits */
    assert_fine(st_load(s, from_str, &left, &why));
    st_close(s);
    mt_buf_free(&copy);
    mt_buf_free(&damaged);
    mt_buf_free(&why);
}

/* @ stands for the last line, which says rows and digest of what comes before. */
static mt_buf copy_of(const char *text, int rows)
{
    mt_buf b = {0};
    for (; *text; text++) {
        char hex[MT_SHA256_HEX];
        if (*text != '@') {
            mt_buf_addc(&b, *text == '\'' ? '"' : *text);
            continue;
        }
        mt_sha256 digest = mt_sha256_of(mt_buf_str(&b));
        mt_hex(digest.bytes, sizeof digest.bytes, hex);
        mt_buf_addf(&b, "{\"rows\":%d,\"sha256\":\"%.*s\"}\n", rows, MT_SHA256_HEX,
                    hex);
    }
    return b;
}

/* clang-format off */
#define HEAD "{'motet_store':1,'schema':1}\n"
#define ONE  "{'row':[7,'seven'],'table':'checkpoints'}\n"
static const struct copy_row {
    const char *text;
    int rows;
    mt_err err;
    const char *why; /* NULL: it fills the store */
} COPIES[] = {
    {HEAD "@", 0, MT_OK, NULL},
    {"", 0, MT_E_CORRUPT, "line 1: the copy ends before its digest: it was cut off"},
    {HEAD, 0, MT_E_CORRUPT, "line 2: the copy ends before its digest: it was cut off"},
    {HEAD ONE, 1, MT_E_CORRUPT, "line 3: the copy ends before its digest: it was cut off"},
    {"{'schema':1}\n@", 0, MT_E_CORRUPT, "line 1: it is not the copy of a store"},
    {"{'motet_store':1}\n@", 0, MT_E_CORRUPT, "line 1: it is not the copy of a store"},
    {"{'motet_store':'1','schema':1}\n@", 0, MT_E_CORRUPT, "line 1: it is not the copy of a store"},
    {"{'motet_store':2,'schema':1}\n@", 0, MT_E_VERSION, "line 1: the copy was made by another version"},
    {"{'motet_store':0,'schema':1}\n@", 0, MT_E_VERSION, "line 1: the copy was made by another version"},
    {"{'motet_store':1,'schema':0}\n@", 0, MT_E_VERSION, "line 1: the copy was made by another version"},
    {"[\n@", 0, MT_E_CORRUPT, "line 1: it is not JSON"},
    {HEAD ONE "@", 0, MT_E_CORRUPT, "line 3: the digest does not fit what came before"},
    {HEAD ONE "@", 2, MT_E_CORRUPT, "line 3: the digest does not fit what came before"},
    {HEAD ONE "{'rows':1,'sha256':'00'}\n", 1, MT_E_CORRUPT, "line 3: the digest does not fit what came before"},
    {HEAD ONE "{'sha256':'00'}\n", 1, MT_E_CORRUPT, "line 3: the digest does not fit what came before"},
    {HEAD "@" ONE, 0, MT_E_CORRUPT, "line 3: something follows the end"},
    {HEAD "{'row':{},'table':'checkpoints'}\n@", 1, MT_E_CORRUPT, "line 2: it is not a row of a table"},
    {HEAD "{'row':[7,'seven'],'table':'checkpoint'}\n@", 1, MT_E_CORRUPT, "line 2: it is not a row of a table"},
    {HEAD "{'row':[7,'seven']}\n@", 1, MT_E_CORRUPT, "line 2: it is not a row of a table"},
    {HEAD "{'row':[7],'table':'checkpoints'}\n@", 1, MT_E_CORRUPT, "line 2: it is not a row of a table"},
    {HEAD ONE "{'row':[8,'eight',9],'table':'checkpoints'}\n@", 2, MT_E_CORRUPT, "line 3: it is not a row of a table"},
    {HEAD "{'row':['seven','seven'],'table':'checkpoints'}\n@", 1, MT_E_CORRUPT, "line 2: a cell has the wrong type"},
    {HEAD "{'row':[7,7],'table':'checkpoints'}\n@", 1, MT_E_CORRUPT, "line 2: a cell has the wrong type"},
    {HEAD "{'row':[1,0,'k','c','','',1,'b','0g'],'table':'ledger'}\n@", 1, MT_E_CORRUPT, "line 2: a cell has the wrong type"},
    {HEAD ONE "@", 1, MT_OK, NULL},
};
/* clang-format on */

/* What was refused has left nothing behind, so the next one fits. */
static void a_copy_is_refused_with_its_line_and_the_reason(void **state)
{
    st_store *s = fresh(state);
    for (size_t i = 0; i < rows_count(COPIES); i++) {
        mt_buf copy = copy_of(COPIES[i].text, COPIES[i].rows), why = {0}, want = {0};
        mt_str left = mt_buf_str(&copy);
        assert_err(st_load(s, from_str, &left, &why), COPIES[i].err);
        if (COPIES[i].why) {
            mt_buf_addf(&want, "cannot fill the store: %s", COPIES[i].why);
        }
        assert_text(mt_buf_str(&why), mt_buf_str(&want));
        mt_buf_free(&copy);
        mt_buf_free(&why);
        mt_buf_free(&want);
    }
    mt_arena a = {0};
    mt_str text;
    st_tx *tx = begin(s, ST_READ);
    assert_fine(st_checkpoint_get(tx, &a, 7, &text));
    assert_str(text, "seven");
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list l;
    both(&l, a_record_comes_back_as_it_was);
    both(&l, the_chain_has_no_gap_and_no_fork);
    both(&l, the_tail_is_remembered);
    both(&l, queued_records_are_found_taken_once_and_chained);
    both(&l, FU2_a_record_is_found_by_everything_it_is_about);
    both(&l, what_records_are_about_is_listed_added_and_dropped);
    both(&l, records_are_filtered_in_both_directions);
    both(&l, every_page_has_what_the_others_lack);
    both(&l, a_record_chained_out_of_turn_is_listed_once);
    both(&l, checkpoints_are_found_at_or_below_a_size);
    both(&l, checkpoints_are_walked_and_bounds_are_told);
    both(&l, a_copy_fills_an_empty_store_with_the_same);
    both(&l, a_damaged_copy_fills_nothing);
    both(&l, a_copy_is_refused_with_its_line_and_the_reason);
    int failed = rows_run(&l, "store/records");
    backends_stop();
    return failed;
}
