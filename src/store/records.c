/* store/records.c - the ledger's records: queued, chained, found again.
 *
 * On SQLite a record is chained in the transaction that makes it. On PostgreSQL it is
 * queued (`pending`) by any node and chained later by one sequencer:
 * st_pending_take(), then st_ledger_add() with the places that follow. Both give a
 * record its id while the rows it speaks of are locked, so ids of one instance grow
 * with its history.
 *
 * Reading crosses the border between queue and chain: a record moves from the queue to
 * the chain at any moment and never back. Hence st_record_get() looks into the queue
 * first, and a page that ended in the queue says how far the chain reached then (see
 * `place`), so that the next page neither repeats nor misses one.
 *
 * Invariants: seq has no gaps (check_place() refuses others with MT_E_CONFLICT); the
 * tail holds the chain's state after the last record and is written in the same
 * transaction; ids drawn ahead are dropped when rows are locked on a shared store.
 *
 * What may fail: MT_E_CONFLICT when another node was faster, MT_E_RANGE for a page
 * nobody gave out, and what the driver says. */
#include "store/driver.h"

enum { DRAW = 32, LARGEST_DRAW = 256 };

/* ORDER of the columns in statements.h. */
static void record_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_record *)out = (st_record){
        .id = c[0].number,
        .seq = c[1].number,
        .kind = st_keep(a, c[2].text),
        .contract = st_keep(a, c[3].text),
        .flow = st_keep(a, c[4].text),
        .subject = st_keep(a, c[5].text),
        .time_ms = c[6].number,
        .body = st_keep(a, c[7].text),
        .hash = st_keep(a, c[8].text),
    };
}

/* ORDER of the columns in statements.h. Without a place in the chain and without a
 * hash yet. */
static void pending_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_record *)out = (st_record){
        .id = c[0].number,
        .seq = -1,
        .kind = st_keep(a, c[1].text),
        .contract = st_keep(a, c[2].text),
        .flow = st_keep(a, c[3].text),
        .subject = st_keep(a, c[4].text),
        .time_ms = c[5].number,
        .body = st_keep(a, c[6].text),
    };
}

static void number_read(mt_arena *a, const st_value *c, void *out)
{
    (void)a;
    *(int64_t *)out = c[0].number;
}

/* ---- Numbers ---- */

/* A number must be drawn while its rows are locked: then records about one instance
 * have numbers in the order of their commits, whatever node wrote them. A file has one
 * writer, who locks everything at once. */
void st_ids_forget(st_tx *tx)
{
    if (tx->store->driver->shared) {
        tx->ids.len = tx->ids_used = 0;
    }
}

static mt_err note_drawn(void *state, const st_value *c)
{
    st_tx *tx = state;
    mt_vec_push(&tx->scratch, &tx->ids, c[0].number);
    tx->ids_follow = !tx->store->driver->shared;
    return MT_OK;
}

mt_err st_record_ids_soon(st_tx *tx, uint32_t count)
{
    st_value params[] = {ST_I(count < LARGEST_DRAW ? count : LARGEST_DRAW)};
    return st_ask(tx, ST_SQL_RECORD_IDS, params, 1, note_drawn, tx);
}

static mt_err note_block(void *state, const st_value *c)
{
    bool whole = c[1].number - c[0].number + 1 == c[2].number;
    *(st_id_block *)state = (st_id_block){whole ? c[0].number : 1, c[1].number * whole};
    return MT_OK;
}

mt_err st_record_block_soon(st_tx *tx, uint32_t count, st_id_block *out)
{
    st_value params[] = {ST_I(count)};
    *out = (st_id_block){1, 0};
    return st_ask(tx, ST_SQL_RECORD_BLOCK, params, 1, note_block, out);
}

void st_record_ids_use(st_tx *tx, int64_t first, uint32_t count)
{
    tx->ids.len = tx->ids_used = 0;
    for (uint32_t i = 0; i < count; i++) {
        mt_vec_push(&tx->scratch, &tx->ids, first + i);
    }
}

mt_err st_unchanged_soon(st_tx *tx, const st_unchanged *u)
{
    st_value params[] = {ST_T(u->kinds[0]), ST_I(u->stamps[0]), ST_T(u->kinds[1]),
                         ST_I(u->stamps[1]), ST_I(u->last_id)};
    return st_ask(tx, ST_SQL_UNCHANGED, params, 1, NULL, NULL);
}

mt_err st_record_id(st_tx *tx, int64_t *id)
{
    mt_err err = MT_OK;
    if (tx->ids_used == tx->ids.len) {
        err = st_record_ids_soon(tx, tx->ids_used ? LARGEST_DRAW : DRAW);
        err = err ? err : st_settle(tx);
    }
    if (err) {
        return err;
    }
    *id = tx->ids.items[tx->ids_used];
    if (tx->ids_follow) {
        tx->ids.items[tx->ids_used]++;
    } else {
        tx->ids_used++;
    }
    return MT_OK;
}

/* Rows that have an id keep it: they were queued before. */
static mt_err give_ids(st_tx *tx, st_record *rows, size_t count)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = rows[i].id ? MT_OK : st_record_id(tx, &rows[i].id);
    }
    return err;
}

/* ---- Subjects ---- */

/* One row for each subject besides the first, under its place or its id. */
static mt_err add_subjects(st_tx *tx, const st_record *rows, size_t count, bool queued)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        n += rows[i].also_count;
    }
    st_value *params = mt_new_array(&tx->scratch, st_value, 2 * n);
    st_value *next = params;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < rows[i].also_count; k++) {
            *next++ = ST_T(rows[i].also[k]);
            *next++ = ST_I(queued ? rows[i].id : rows[i].seq);
        }
    }
    return st_send_many(tx, queued ? ST_SQL_PENDING_SUBJECTS_ADD : ST_SQL_SUBJECTS_ADD,
                        params, n, MT_E_CONFLICT);
}

static void about_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_about *)out = (st_about){st_keep(a, c[0].text), c[1].number};
}

mt_err st_abouts_page(st_tx *tx, mt_arena *a, bool queued, const st_about *after,
                      uint32_t limit, st_about **rows, size_t *count)
{
    st_value subject = ST_T(after->subject), record = ST_I(after->record);
    st_value params[] = {queued ? record : subject, queued ? subject : record,
                         ST_I(limit)};
    void *list = NULL;
    mt_err err = MT_OK;
    *count = 0;
    if (tx->store->schema >= ST_SCHEMA_SUBJECTS) {
        err = st_list(tx, queued ? ST_SQL_PENDING_SUBJECTS_PAGE : ST_SQL_SUBJECTS_PAGE,
                      params, about_read, a, sizeof(st_about), &list, count);
    }
    *rows = list;
    return err;
}

mt_err st_about_add(st_tx *tx, bool queued, const st_about *row)
{
    st_record r = {
        .id = row->record, .seq = row->record, .also = &row->subject, .also_count = 1};
    return add_subjects(tx, &r, 1, queued);
}

mt_err st_about_drop(st_tx *tx, bool queued, const st_about *row)
{
    st_value params[] = {ST_T(row->subject), ST_I(row->record)};
    return st_write(tx, queued ? ST_SQL_PENDING_SUBJECTS_DROP : ST_SQL_SUBJECTS_DROP,
                    params, MT_E_NOTFOUND);
}

typedef struct taken {
    mt_arena *arena;
    MT_VEC(mt_str) texts; /* in order of their records' ids */
    MT_VEC(int64_t) ids;
} taken;

static mt_err note_taken(void *state, const st_value *c)
{
    taken *t = state;
    mt_vec_push(t->arena, &t->texts, mt_str_dup(t->arena, c[0].text));
    mt_vec_push(t->arena, &t->ids, c[1].number);
    return MT_OK;
}

/* Takes what else queued rows are about out of the queue; both are in order of id. */
static mt_err take_subjects(st_tx *tx, mt_arena *a, st_record *rows, size_t count)
{
    taken t = {.arena = a};
    st_value *ids = mt_new_array(&tx->scratch, st_value, count);
    for (size_t i = 0; i < count; i++) {
        ids[i] = ST_I(rows[i].id);
    }
    mt_err err = st_ask(tx, ST_SQL_PENDING_SUBJECTS_TAKE, ids, count, note_taken, &t);
    err = err ? err : st_settle(tx);
    size_t next = 0;
    for (size_t i = 0; i < count && !err; i++) {
        size_t first = next;
        while (next < t.ids.len && t.ids.items[next] == rows[i].id) {
            next++;
        }
        rows[i].also = next > first ? t.texts.items + first : NULL;
        rows[i].also_count = next - first;
    }
    return err;
}

/* ---- Queue ---- */

mt_err st_pending_add(st_tx *tx, st_record *rows, size_t count)
{
    enum { COLUMNS = 7 };
    mt_err err = give_ids(tx, rows, count);
    st_value *params = mt_new_array(&tx->scratch, st_value, COLUMNS * count);
    for (size_t i = 0; i < count; i++) {
        const st_record *row = &rows[i];
        const st_value cells[COLUMNS] = {
            ST_I(row->id),   ST_T(row->kind),    ST_T(row->contract),
            ST_T(row->flow), ST_T(row->subject), ST_I(row->time_ms),
            ST_T(row->body),
        };
        memcpy(params + COLUMNS * i, cells, sizeof cells);
    }
    err = err ? err
              : st_send_many(tx, st_form(tx, ST_SQL_PENDING_ADD, count), params, count,
                             MT_E_CONFLICT);
    return err ? err : add_subjects(tx, rows, count, true);
}

mt_err st_pending_take(st_tx *tx, uint32_t limit, mt_arena *a, st_record **rows,
                       size_t *count)
{
    st_value params[] = {ST_I(limit)};
    void *list = NULL;
    mt_err err = st_list(tx, ST_SQL_PENDING_TAKE, params, pending_read, a,
                         sizeof(st_record), &list, count);
    *rows = list;
    if (err || *count == 0) {
        return err;
    }
    err = take_subjects(tx, a, *rows, *count);
    if (err || tx->store->driver->shared) {
        return err;
    }
    st_value last[] = {ST_I((*rows)[*count - 1].id)};
    return st_run(tx, ST_SQL_PENDING_DROP, last, NULL, NULL, NULL);
}

/* ---- Chain ---- */

/* Are they the next ones? */
static mt_err check_place(st_tx *tx, const st_record *rows, size_t count)
{
    mt_err err = MT_OK;
    if (tx->next_seq < 0) {
        err = st_get(tx, ST_SQL_LEDGER_NEXT, NULL, number_read, NULL, &tx->next_seq);
    }
    for (size_t i = 0; i < count && !err; i++) {
        if (rows[i].seq != tx->next_seq++) {
            err = st_fail(tx, MT_E_CONFLICT, "record %lld is not the next of the chain",
                          (long long)rows[i].seq);
        }
    }
    return err;
}

mt_err st_ledger_add(st_tx *tx, st_record *rows, size_t count)
{
    enum { COLUMNS = 9 };
    mt_err err = check_place(tx, rows, count);
    err = err ? err : give_ids(tx, rows, count);
    st_value *params = mt_new_array(&tx->scratch, st_value, COLUMNS * count);
    for (size_t i = 0; i < count; i++) {
        const st_record *row = &rows[i];
        const st_value cells[COLUMNS] = {
            ST_I(row->id),       ST_I(row->seq),  ST_T(row->kind),
            ST_T(row->contract), ST_T(row->flow), ST_T(row->subject),
            ST_I(row->time_ms),  ST_T(row->body), ST_T(row->hash),
        };
        memcpy(params + COLUMNS * i, cells, sizeof cells);
    }
    err = err ? err : st_send_many(tx, ST_SQL_LEDGER_ADD, params, count, MT_E_CONFLICT);
    return err ? err : add_subjects(tx, rows, count, false);
}

typedef struct tail {
    int64_t size;
    mt_str text;
} tail;

static void tail_read(mt_arena *a, const st_value *c, void *out)
{
    *(tail *)out = (tail){c[0].number, st_keep(a, c[1].text)};
}

mt_err st_ledger_tail(st_tx *tx, mt_arena *a, int64_t *size, mt_str *text)
{
    tail t = {0};
    mt_err err = st_get(tx, ST_SQL_LEDGER_TAIL, NULL, tail_read, a, &t);
    *size = t.size;
    *text = t.text;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

mt_err st_ledger_set_tail(st_tx *tx, int64_t size, mt_str text)
{
    st_value params[] = {ST_I(size), ST_T(text)};
    return st_send(tx, ST_SQL_LEDGER_SET_TAIL, params, MT_E_CONFLICT);
}

mt_err st_record_get(st_tx *tx, mt_arena *a, int64_t id, st_record *out)
{
    st_value key[] = {ST_I(id)};
    /* The queue first: a record moves from it to the chain, never back. */
    mt_err err = st_get(tx, ST_SQL_PENDING_GET, key, pending_read, a, out);
    return err == MT_E_NOTFOUND
               ? st_get(tx, ST_SQL_RECORD_GET, key, record_read, a, out)
               : err;
}

mt_err st_record_at(st_tx *tx, mt_arena *a, int64_t seq, st_record *out)
{
    st_value key[] = {ST_I(seq)};
    return st_get(tx, ST_SQL_RECORD_AT, key, record_read, a, out);
}

/* ---- Walks ---- */

/* Where a page begins. Queued records are chained at any moment, so a place behind one
 * says how far the chain reached then: what was chained since, and was queued when it
 * was listed, is told by its id.
 *     17           behind the chained record 17
 *     p203.18      behind the queued record with id 203; 18 records were chained
 *     p203.18.21   likewise, and then behind the chained record 21 */
typedef struct place {
    bool queued, chained;
    int64_t id, size, seq;
} place;

typedef struct walking {
    st_record_walker *each;
    st_reader *read;
    void *state;
    place at; /* where the page begins */
    bool newest_first;
    uint64_t passed; /* rows that were listed before */
    int64_t last;    /* seq of the last row, passed or not */
} walking;

static bool was_listed(const walking *w, const st_record *row)
{
    return w->at.queued && row->seq >= w->at.size &&
           (w->newest_first ? row->id >= w->at.id : row->id <= w->at.id);
}

/* What was listed while it was queued is passed over, and counted so that a page can
 * be filled up. */
static mt_err walk_row(void *state, const st_value *cells)
{
    walking *w = state;
    st_record row;
    w->read(NULL, cells, &row);
    w->last = row.seq;
    if (was_listed(w, &row)) {
        w->passed++;
        return MT_OK;
    }
    return w->each(w->state, &row);
}

/* Up to the dot or the end; false for anything but digits that fit. */
static bool read_number(mt_str *text, int64_t *out)
{
    size_t i = 0;
    *out = 0;
    for (; i < text->len && text->ptr[i] != '.'; i++) {
        int digit = text->ptr[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, digit, out)) {
            return false;
        }
    }
    *text = mt_str_skip(*text, i);
    return i > 0;
}

/* The next number of a place; none is not wrong. */
static bool read_next(mt_str *text, int64_t *out, bool *given)
{
    *given = text->len && *text->ptr == '.';
    *text = mt_str_skip(*text, *given);
    return !*given || read_number(text, out);
}

/* MT_E_RANGE for whatever this program did not give out itself. */
static mt_err read_place(mt_str after, place *out)
{
    bool sized = true;
    *out = (place){.queued = after.len && *after.ptr == 'p'};
    if (!after.len) {
        return MT_OK;
    }
    if (!out->queued) {
        out->chained = true;
        return read_number(&after, &out->seq) && !after.len ? MT_OK : MT_E_RANGE;
    }
    after = mt_str_skip(after, 1);
    bool fine = read_number(&after, &out->id) &&
                read_next(&after, &out->size, &sized) && sized &&
                read_next(&after, &out->seq, &out->chained);
    return fine && !after.len ? MT_OK : MT_E_RANGE;
}

mt_err st_record_after(st_tx *tx, mt_arena *a, mt_str after, int64_t id, int64_t seq,
                       mt_str *out)
{
    place at;
    int64_t size = 0;
    mt_err err = read_place(after, &at);
    if (!err && seq < 0) {
        err = st_get(tx, ST_SQL_LEDGER_NEXT, NULL, number_read, NULL, &size);
        *out = mt_strf(a, "p%lld.%lld", (long long)id, (long long)size);
    } else if (!err && at.queued && seq >= at.size) {
        *out = mt_strf(a, "p%lld.%lld.%lld", (long long)at.id, (long long)at.size,
                       (long long)seq);
    } else if (!err) {
        *out = mt_strf(a, "%lld", (long long)seq);
    }
    return err;
}

/* The index that serves the filter best; downwards is the next row of the table. */
static st_statement_id path_for(const st_record_filter *f)
{
    st_statement_id up = f->subject.len ? ST_SQL_SUBJECT_WALK_UP
                         : f->flow.len  ? ST_SQL_RECORD_FLOW_UP
                                        : ST_SQL_RECORD_WALK_UP;
    return f->newest_first ? up + 1 : up;
}

typedef struct range {
    int64_t after, before; /* exclusive */
} range;

/* One index, one direction. The bounds are exclusive and the filter is the
 * statement's. */
static mt_err walk_part(st_tx *tx, const st_record_filter *f, st_statement_id id,
                        range r, bool queued, walking *w, uint64_t *left)
{
    st_value params[] = {
        ST_I(r.after),    ST_I(r.before),
        ST_T(f->kind),    ST_T(f->contract),
        ST_T(f->flow),    ST_T(f->subject),
        ST_I(f->from_ms), ST_I(f->to_ms ? f->to_ms : INT64_MAX),
        ST_I(0),
    };
    st_walk walk = {.id = id,
                    .params = params,
                    .limit_param = 8,
                    .key_count = 1,
                    .key_cell = {queued ? 0 : 1},
                    .key_param = {f->newest_first ? 1 : 0}};
    w->read = queued ? pending_read : record_read;
    return st_walk_run(tx, &walk, walk_row, w, left);
}

/* Bounds are exclusive; the page and the filter both narrow them. */
static range chain_range(const st_record_filter *f, const place *at)
{
    range r = {f->from_seq - 1, f->to_seq ? f->to_seq : INT64_MAX};
    if (f->newest_first) {
        r.before = at->chained && at->seq < r.before ? at->seq : r.before;
        return r;
    }
    r.after = at->queued && at->size - 1 > r.after ? at->size - 1 : r.after;
    r.after = at->chained && at->seq > r.after ? at->seq : r.after;
    return r;
}

/* What is passed over does not count, so that much more is asked for. */
static mt_err walk_chain(st_tx *tx, const st_record_filter *f, walking *w,
                         uint64_t *left)
{
    range r = chain_range(f, &w->at);
    mt_err err = MT_OK;
    bool more = true;
    while (!err && more && *left) {
        w->passed = 0;
        err = walk_part(tx, f, path_for(f), r, false, w, left);
        more = w->passed && !*left;
        *left += w->passed;
        *(f->newest_first ? &r.before : &r.after) = w->last;
    }
    return err;
}

static mt_err walk_queue(st_tx *tx, const st_record_filter *f, walking *w,
                         uint64_t *left)
{
    range r = {0, INT64_MAX};
    if (w->at.queued) {
        *(f->newest_first ? &r.before : &r.after) = w->at.id;
    }
    st_statement_id up = tx->store->schema < ST_SCHEMA_SUBJECTS
                             ? ST_SQL_PENDING_FIRST_UP
                             : ST_SQL_PENDING_WALK_UP;
    return walk_part(tx, f, f->newest_first ? up + 1 : up, r, true, w, left);
}

mt_err st_record_walk(st_tx *tx, const st_record_filter *f, st_page page,
                      st_record_walker *each, void *state)
{
    walking w = {.each = each, .state = state, .newest_first = f->newest_first};
    mt_err err = read_place(page.after, &w.at);
    uint64_t left = st_page_limit(page);
    bool queue = f->pending && f->to_seq == 0;
    if (!err && queue && f->newest_first && !w.at.chained) {
        err = walk_queue(tx, f, &w, &left);
    }
    if (!err && left) {
        err = walk_chain(tx, f, &w, &left);
    }
    if (!err && left && queue && !f->newest_first) {
        err = walk_queue(tx, f, &w, &left);
    }
    return err;
}

/* ---- Checkpoints ---- */

mt_err st_checkpoint_add(st_tx *tx, int64_t size, mt_str text)
{
    st_value params[] = {ST_I(size), ST_T(text)};
    mt_err err = st_write(tx, ST_SQL_CHECKPOINT_ADD, params, MT_E_EXISTS);
    st_value none[] = {ST_I(0)};
    return err ? err : st_send(tx, ST_SQL_CHECKPOINT_COUNT, none, MT_E_CONFLICT);
}

static void text_read(mt_arena *a, const st_value *c, void *out)
{
    *(mt_str *)out = st_keep(a, c[0].text);
}

mt_err st_checkpoint_get(st_tx *tx, mt_arena *a, int64_t size, mt_str *text)
{
    st_value key[] = {ST_I(size < 0 ? INT64_MAX : size)};
    return st_get(tx, ST_SQL_CHECKPOINT_GET, key, text_read, a, text);
}

typedef struct checkpoint_walk {
    st_checkpoint_walker *each;
    void *state;
} checkpoint_walk;

static mt_err walk_checkpoint(void *state, const st_value *c)
{
    const checkpoint_walk *w = state;
    return w->each(w->state, c[0].number, c[1].text);
}

mt_err st_checkpoint_walk(st_tx *tx, int64_t after, int64_t upto,
                          st_checkpoint_walker *each, void *state)
{
    checkpoint_walk w = {each, state};
    st_value params[] = {ST_I(after), ST_I(upto), ST_I(0)};
    st_walk walk = {.id = ST_SQL_CHECKPOINT_WALK,
                    .params = params,
                    .limit_param = 2,
                    .key_count = 1,
                    .key_cell = {0},
                    .key_param = {0}};
    uint64_t left = st_page_limit((st_page){0});
    return st_walk_run(tx, &walk, walk_checkpoint, &w, &left);
}

mt_err st_checkpoint_drop(st_tx *tx, int64_t size)
{
    st_value key[] = {ST_I(size)};
    return st_write(tx, ST_SQL_CHECKPOINT_DROP, key, MT_E_NOTFOUND);
}

mt_err st_checkpoint_recount(st_tx *tx)
{
    st_value none[] = {ST_I(0)};
    return st_send(tx, ST_SQL_CHECKPOINT_RECOUNT, none, MT_E_CONFLICT);
}

static void bounds_read(mt_arena *a, const st_value *c, void *out)
{
    (void)a;
    *(st_ledger_bounds *)out = (st_ledger_bounds){
        c[0].number, c[1].number, c[2].number, c[3].number, c[4].number, c[5].number};
}

mt_err st_ledger_bounds_get(st_tx *tx, st_ledger_bounds *out)
{
    return st_get(tx, ST_SQL_LEDGER_BOUNDS, NULL, bounds_read, NULL, out);
}
