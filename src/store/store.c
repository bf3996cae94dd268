/* store/store.c - opening, transactions, and what every group of calls needs.
 *
 * The groups (instances.c, flows.c, records.c, triggers.c, answers.c, docs.c) know
 * rows; the drivers know databases; this file is between them. A statement is a row of
 * statements.h with one letter per parameter; check_params() holds every text to the
 * bounds of its letter before anything is sent, so that both databases refuse the same
 * and a refused call leaves the transaction usable.
 *
 * Two speeds: st_run() asks and waits; st_ask(), st_send() and whatever is called
 * `_soon` only promise the answer, and st_settle() collects. On SQLite both are the
 * same.
 *
 * A walk reads rows by key order in pieces (driver->chunk) where the database would
 * otherwise hold all of them; the key of the last row, copied, is where the next piece
 * begins. So a walker may write to what it walks.
 *
 * Invariants: after a fault of the database tx->broken is set and every further call
 * answers it; stamps of changed kinds of documents grow at the very end and in order
 * of names; a transaction ends exactly once, by st_commit() or st_rollback(). Threads:
 * a store may be used by many, a transaction by one. */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "store/driver.h"

enum {
    KEY_BYTES = 800,       /* three of them fit one entry of a PostgreSQL index */
    LONG_KEY_BYTES = 1601, /* entity, slash, instance */
    TEXT_BYTES = 256 << 20,
    WHY_BYTES = 1000,
    DEFAULT_POOL = 8,
    DEFAULT_WAIT_MS = 5000,
};

/* ---- Opening ---- */

/* Does it begin with a word and a colon, as URLs do? A file of such a name is written
 * ./a:b. */
static bool has_scheme(mt_str url)
{
    size_t colon = mt_str_find(url, ':');
    for (size_t i = 0; i < colon; i++) {
        char c = url.ptr[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9') || c == '+' || c == '-';
        if (!word) {
            return false;
        }
    }
    return colon > 0 && colon < url.len;
}

/* A URL names PostgreSQL; what has no scheme is the name of a file. NULL: a scheme
 * nobody knows, which is a slip more often than a file of that name. */
static const st_driver *driver_for(mt_str url, mt_str *rest)
{
    *rest = url;
    if (mt_str_starts(url, MT_STR("postgresql://")) ||
        mt_str_starts(url, MT_STR("postgres://"))) {
        return &ST_POSTGRES;
    }
    if (mt_str_starts(url, MT_STR("sqlite:"))) {
        *rest = mt_str_skip(url, sizeof "sqlite:" - 1);
        return &ST_SQLITE;
    }
    return has_scheme(url) ? NULL : &ST_SQLITE;
}

static mt_err refuse_scheme(mt_str url, mt_buf *why)
{
    mt_str scheme = mt_str_from(url.ptr, mt_str_find(url, ':'));
    mt_nearest near = mt_nearest_to(scheme);
    mt_nearest_offer(&near, MT_STR("sqlite"));
    mt_nearest_offer(&near, MT_STR("postgresql"));
    if (why) {
        mt_buf_addf(why, "'%.*s:' is not a kind of store%s%.*s%s", MT_ARG(scheme),
                    near.best.len ? ", did you mean '" : "", MT_ARG(near.best),
                    near.best.len ? ":'?" : ".");
        mt_buf_addz(why, " It is sqlite:FILE, postgresql://HOST/NAME, or the name of a "
                         "file, written ./a:b if it has a colon");
    }
    return MT_E_USAGE;
}

mt_err st_open(const char *url, const st_options *options, st_store **out, mt_buf *why)
{
    mt_str rest;
    const st_driver *driver = driver_for(mt_str_z(url), &rest);
    if (!driver) {
        *out = NULL;
        return refuse_scheme(rest, why);
    }
    st_store *s = mt_xmalloc(sizeof *s);
    *s = (st_store){.options = options ? *options : (st_options){0}};
    s->options.pool = s->options.pool ? s->options.pool : DEFAULT_POOL;
    s->options.wait_ms = s->options.wait_ms ? s->options.wait_ms : DEFAULT_WAIT_MS;
    s->driver = driver;
    mt_buf own = {0};
    mt_err err = s->driver->open(s, rest, why ? why : &own);
    mt_buf_free(&own);
    if (err) {
        mt_arena_free(&s->arena);
        free(s);
        s = NULL;
    }
    *out = s;
    return err;
}

void st_close(st_store *s)
{
    if (s) {
        s->driver->close(s);
        mt_arena_free(&s->arena);
        free(s);
    }
}

bool st_is_shared(const st_store *s)
{
    return s->driver->shared;
}

unsigned st_connections(const st_store *s)
{
    return s->options.pool;
}

mt_str st_describe(const st_store *s)
{
    return s->description;
}

mt_str st_shown_url(const st_store *s)
{
    return s->shown_url;
}

int st_schema_version(const st_store *s)
{
    return s->schema;
}

mt_err st_ping(st_store *s)
{
    st_tx *tx;
    mt_err err = st_begin(s, ST_READ, &tx);
    if (!err) {
        err = st_run(tx, ST_SQL_PING, NULL, NULL, NULL, NULL);
        st_rollback(tx);
    }
    return err;
}

static mt_err take_number(void *state, const st_value *cells)
{
    *(int64_t *)state = cells[0].number;
    return MT_OK;
}

mt_err st_clock(st_store *s, int64_t *now_ms)
{
    st_tx *tx;
    if (!s->driver->shared) {
        return MT_E_NOTFOUND;
    }
    mt_err err = st_begin(s, ST_READ, &tx);
    if (!err) {
        err = st_run(tx, ST_SQL_CLOCK, NULL, take_number, now_ms, NULL);
        st_rollback(tx);
    }
    return err;
}

/* ---- Transactions ---- */

void st_tx_start(st_tx *tx, st_store *s, st_mode mode)
{
    tx->store = s;
    tx->mode = mode;
    tx->broken = MT_OK;
    tx->ending = false;
    tx->why.ceiling = WHY_BYTES;
    mt_buf_clear(&tx->why);
    tx->next_seq = -1;
}

void st_tx_clear(st_tx *tx)
{
    tx->kinds.items = NULL;
    tx->kinds.len = tx->kinds.cap = 0;
    tx->ids.items = NULL;
    tx->ids.len = tx->ids.cap = tx->ids_used = 0;
    tx->ids_follow = false;
    mt_arena_reset(&tx->scratch);
}

void st_tx_free(st_tx *tx)
{
    mt_buf_free(&tx->why);
    mt_arena_free(&tx->scratch);
}

mt_err st_begin(st_store *s, st_mode mode, st_tx **out)
{
    *out = NULL;
    if (mode == ST_WRITE && s->options.read_only) {
        return MT_E_DENIED;
    }
    return s->driver->begin(s, mode, out);
}

/* In order of their names and at the very end, so that writers of documents wait for
 * each other as shortly as possible and never in a circle. */
static mt_err grow_stamps(st_tx *tx)
{
    for (size_t i = 1; i < tx->kinds.len; i++) {
        mt_str kind = tx->kinds.items[i];
        size_t at = i;
        for (; at && mt_str_cmp(kind, tx->kinds.items[at - 1]) < 0; at--) {
            tx->kinds.items[at] = tx->kinds.items[at - 1];
        }
        tx->kinds.items[at] = kind;
    }
    mt_err err = MT_OK;
    for (size_t i = 0; i < tx->kinds.len && !err; i++) {
        st_value kind[] = {ST_T(tx->kinds.items[i])};
        err = st_send(tx, ST_SQL_STAMP_GROW, kind, MT_E_CORRUPT);
    }
    return err;
}

mt_err st_commit_soon(st_tx *tx)
{
    if (tx->ending || tx->broken) {
        return tx->broken;
    }
    tx->ending = true;
    tx->broken = grow_stamps(tx);
    if (!tx->broken && tx->store->driver->commit_soon) {
        tx->store->driver->commit_soon(tx);
    }
    return tx->broken;
}

mt_err st_commit(st_tx *tx)
{
    mt_err err = st_commit_soon(tx);
    if (err) {
        st_rollback(tx);
        return err;
    }
    return tx->store->driver->commit(tx);
}

void st_rollback(st_tx *tx)
{
    if (tx) {
        tx->store->driver->rollback(tx);
    }
}

mt_str st_why(const st_tx *tx)
{
    return mt_buf_str(&tx->why);
}

/* How much of text that was cut at its end is whole characters. */
static size_t whole(mt_str text)
{
    size_t len = text.len;
    for (int i = 0; i < 3 && len && mt_utf8_goes_on(text.ptr[len - 1]); i++) {
        len--;
    }
    return len - (len && (unsigned char)text.ptr[len - 1] >= 0xC0);
}

/* What a database says may be longer than anybody wants to read: the beginning is
 * kept. */
mt_err st_fail(st_tx *tx, mt_err err, const char *format, ...)
{
    char text[WHY_BYTES + 1];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mt_str said = mt_str_z(length < 0 ? format : text);
    if (length > WHY_BYTES) {
        said.len = whole(said);
    }
    mt_buf_clear(&tx->why);
    mt_buf_adds(&tx->why, said);
    tx->broken = err;
    return err;
}

static mt_err note_locked(void *state, const st_value *cells)
{
    *(bool *)state = cells[0].number != 0;
    return MT_OK;
}

bool st_try_lock(st_tx *tx, const char *name)
{
    bool locked = false;
    st_value params[] = {ST_T(mt_str_z(name))};
    return tx->mode == ST_WRITE &&
           st_run(tx, ST_SQL_TRY_LOCK, params, note_locked, &locked, NULL) == MT_OK &&
           locked;
}

mt_err st_lock_soon(st_tx *tx, const char *name, bool shared)
{
    st_value params[] = {ST_T(mt_str_z(name))};
    return st_ask(tx, shared ? ST_SQL_LOCK_SHARED : ST_SQL_LOCK, params, 1, NULL, NULL);
}

mt_err st_settle(st_tx *tx)
{
    return tx->broken ? tx->broken : tx->store->driver->settle(tx);
}

/* ---- Statements ---- */

mt_err st_check_text(char letter, mt_str text)
{
    size_t most = letter == 'k'   ? KEY_BYTES
                  : letter == 's' ? LONG_KEY_BYTES
                                  : TEXT_BYTES;
    if (text.len > most) {
        return MT_E_LIMIT;
    }
    if (letter == 'b' || text.len == 0) {
        return MT_OK;
    }
    return memchr(text.ptr, 0, text.len) || mt_utf8_check(text) != text.len ? MT_E_TYPE
                                                                            : MT_OK;
}

/* Nothing was sent when this fails: the transaction goes on. */
static mt_err check_params(st_tx *tx, st_statement_id id, const st_value *params,
                           size_t rows)
{
    if (tx->broken) {
        return tx->broken;
    }
    const char *letters = ST_STATEMENTS[id].params;
    size_t columns = strlen(letters);
    for (size_t i = 0; i < rows * columns; i++) {
        char kind = st_kind(letters[i % columns]);
        mt_err err = kind == 'i' ? MT_OK : st_check_text(kind, params[i].text);
        if (err) {
            mt_buf_clear(&tx->why);
            mt_buf_addz(&tx->why, err == MT_E_LIMIT
                                      ? "text is too long for the store"
                                      : "text has a NUL byte or is not UTF-8");
            return err;
        }
    }
    return MT_OK;
}

mt_err st_run(st_tx *tx, st_statement_id id, const st_value *params, st_each *each,
              void *state, int64_t *changed)
{
    mt_err err = check_params(tx, id, params, 1);
    return err ? err : tx->store->driver->run(tx, id, params, each, state, changed);
}

mt_err st_ask(st_tx *tx, st_statement_id id, const st_value *params, size_t rows,
              st_each *each, void *state)
{
    mt_err err = check_params(tx, id, params, rows);
    return err ? err : tx->store->driver->ask(tx, id, params, rows, each, state);
}

mt_err st_send_many(st_tx *tx, st_statement_id id, const st_value *params, size_t rows,
                    mt_err if_none)
{
    mt_err err = check_params(tx, id, params, rows);
    return err || !rows ? err : tx->store->driver->send(tx, id, params, rows, if_none);
}

mt_err st_send(st_tx *tx, st_statement_id id, const st_value *params, mt_err if_none)
{
    return st_send_many(tx, id, params, 1, if_none);
}

mt_err st_write(st_tx *tx, st_statement_id id, const st_value *params, mt_err if_none)
{
    int64_t changed = 0;
    mt_err err = st_run(tx, id, params, NULL, NULL, &changed);
    return err ? err : changed ? MT_OK : if_none;
}

typedef struct expected {
    st_reader *read;
    mt_arena *arena;
    void *out;
    bool *found; /* set by the first row */
} expected;

static mt_err read_expected(void *state, const st_value *cells)
{
    expected *e = state;
    e->read(e->arena, cells, e->out);
    *e->found = true;
    return MT_OK;
}

mt_err st_get(st_tx *tx, st_statement_id id, const st_value *params, st_reader *read,
              mt_arena *a, void *out)
{
    bool found = false;
    expected e = {read, a, out, &found};
    mt_err err = st_run(tx, id, params, read_expected, &e, NULL);
    if (!tx->broken && (err == MT_E_TYPE || err == MT_E_LIMIT)) {
        return MT_E_NOTFOUND; /* no row can have such a key */
    }
    return err ? err : found ? MT_OK : MT_E_NOTFOUND;
}

mt_err st_get_soon(st_tx *tx, st_statement_id id, const st_value *params,
                   st_reader *read, mt_arena *a, void *out, bool *found)
{
    expected *e = mt_new(&tx->scratch, expected);
    *e = (expected){read, a, out, found};
    *found = false;
    mt_err err = st_ask(tx, id, params, 1, read_expected, e);
    return !tx->broken && (err == MT_E_TYPE || err == MT_E_LIMIT) ? MT_OK : err;
}

typedef struct listing {
    st_reader *read;
    mt_arena *arena;
    size_t size, count, cap; /* bytes of one row */
    char *rows;
} listing;

/* Zeroed first: a reader fills only what its columns have. */
static mt_err read_next(void *state, const st_value *cells)
{
    listing *l = state;
    if (l->count == l->cap) {
        l->rows = mt_vec_grown(l->arena, l->rows, l->count, &l->cap, l->size);
    }
    char *row = l->rows + l->size * l->count++;
    mt_hand_out(row, l->size);
    memset(row, 0, l->size);
    l->read(l->arena, cells, row);
    return MT_OK;
}

mt_err st_list(st_tx *tx, st_statement_id id, const st_value *params, st_reader *read,
               mt_arena *a, size_t size, void **rows, size_t *count)
{
    listing l = {.read = read, .arena = a, .size = size};
    mt_err err = st_run(tx, id, params, read_next, &l, NULL);
    *rows = l.rows;
    *count = err ? 0 : l.count;
    return err;
}

/* ---- Walks ---- */

typedef struct walking {
    const st_walk *walk;
    st_each *each;
    void *state;
    uint64_t seen;
    mt_buf key[2]; /* of the last row, when the walk goes on with another statement */
    int64_t number[2];
    bool keep_key; /* the walk goes on with another statement */
} walking;

/* The key is copied before the walker sees the row: it may end the statement. */
static mt_err walk_row(void *state, const st_value *cells)
{
    walking *w = state;
    w->seen++;
    for (size_t i = 0; w->keep_key && i < w->walk->key_count; i++) {
        mt_buf_clear(&w->key[i]);
        mt_buf_adds(&w->key[i], cells[w->walk->key_cell[i]].text);
        w->number[i] = cells[w->walk->key_cell[i]].number;
    }
    return w->each(w->state, cells);
}

mt_err st_walk_run(st_tx *tx, const st_walk *walk, st_each *each, void *state,
                   uint64_t *left)
{
    uint32_t chunk = tx->store->driver->chunk;
    walking w = {.walk = walk, .each = each, .state = state, .keep_key = chunk != 0};
    mt_err err = MT_OK;
    uint64_t want = 0;
    do {
        want = chunk && chunk < *left ? chunk : *left;
        walk->params[walk->limit_param].number = (int64_t)want;
        w.seen = 0;
        err = want ? st_run(tx, walk->id, walk->params, walk_row, &w, NULL) : MT_OK;
        *left -= w.seen;
        for (size_t i = 0; i < walk->key_count && w.seen; i++) {
            walk->params[walk->key_param[i]] =
                (st_value){mt_buf_str(&w.key[i]), w.number[i]};
        }
    } while (!err && w.seen == want && *left);
    mt_buf_free(&w.key[0]);
    mt_buf_free(&w.key[1]);
    return err;
}
