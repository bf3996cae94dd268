/* store/postgres.c - the driver for PostgreSQL.
 * Writers run READ COMMITTED and lock the rows they decide on; readers get one
 * snapshot (REPEATABLE READ). BEGIN travels with the first statement. A reader's end is
 * sent and not awaited: the next user of the connection reads the answer. */
#include <endian.h>
#include <stdlib.h>

#include "store/postgres.h"

enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25, OID_TEXT_LIST = 1009 };

static pg_conn *conn_of(st_tx *tx)
{
    return (pg_conn *)((char *)tx - offsetof(st_conn, tx));
}

/* ---- Results -------------------------------------------------------------------- */

static void expect(pg_conn *c, mt_err if_none)
{
    c->expected[c->ahead++] = if_none;
}

/* Reads one statement's result and its end. NULL: the connection is gone. */
static PGresult *next_result(st_tx *tx, pg_conn *c)
{
    PGresult *r = PQgetResult(c->pg);
    if (!r) {
        pg_lost(tx, c);
        return NULL;
    }
    PGresult *end = PQgetResult(c->pg);
    PQclear(end);
    return r;
}

/* What came back is judged once: after the first fault the rest is its echo. */
static void judge(st_tx *tx, pg_conn *c, const PGresult *r, mt_err if_none)
{
    ExecStatusType status = PQresultStatus(r);
    if (tx->broken) {
        return;
    }
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        pg_fail(tx, c, r);
    } else if (if_none && strcmp(PQcmdTuples((PGresult *)(uintptr_t)r), "1") != 0) {
        st_fail(tx, if_none, "%s",
                if_none == MT_E_CONFLICT ? "somebody else changed the row first"
                                         : mt_err_text(if_none));
    }
}

/* Reads the answers to all that was sent ahead. */
static mt_err collect(st_tx *tx, pg_conn *c)
{
    unsigned count = c->ahead;
    c->ahead = 0;
    for (unsigned i = 0; i < count; i++) {
        PGresult *r = next_result(tx, c);
        if (!r) {
            return tx->broken;
        }
        judge(tx, c, r, c->expected[i]);
        PQclear(r);
    }
    return tx->broken;
}

/* Asks the server to answer now what it has been sent. */
static mt_err push(st_tx *tx, pg_conn *c)
{
    return PQsendFlushRequest(c->pg) && PQflush(c->pg) == 0 ? MT_OK : pg_lost(tx, c);
}

/* ---- Statements ----------------------------------------------------------------- */

static mt_err begin_server(st_tx *tx, pg_conn *c)
{
    if (c->begun) {
        return MT_OK;
    }
    const char *sql = tx->mode == ST_WRITE
                          ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                          : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    if (!PQsendQueryParams(c->pg, sql, 0, NULL, NULL, NULL, NULL, 1)) {
        return pg_lost(tx, c);
    }
    c->begun = true;
    expect(c, MT_OK);
    return MT_OK;
}

static void name_of(st_statement_id id, char name[16])
{
    name[15] = 0;
    char *digits = mt_put_digits((uint64_t)id, name + 15);
    *--digits = 's';
    memmove(name, digits, (size_t)(name + 16 - digits));
}

static Oid oid_of(char letter)
{
    switch (letter) {
    case 'i': return OID_INT8;
    case 'b': return OID_BYTEA;
    case 'a': return OID_TEXT_LIST;
    default: return OID_TEXT;
    }
}

static mt_err ensure_prepared(st_tx *tx, pg_conn *c, st_statement_id id)
{
    if (c->prepared[id]) {
        return MT_OK;
    }
    const st_statement *st = &ST_STATEMENTS[id];
    Oid types[ST_MAX_PARAMS];
    int count = 0;
    for (; st->params[count]; count++) {
        types[count] = oid_of(st->params[count]);
    }
    char name[16];
    name_of(id, name);
    mt_err err = collect(tx, c);
    if (!err && !PQsendPrepare(c->pg, name, st->postgres, count, types)) {
        return pg_lost(tx, c);
    }
    expect(c, MT_OK);
    err = err ? err : push(tx, c);
    err = err ? err : collect(tx, c);
    c->prepared[id] = !err;
    return err;
}

static mt_err send_statement(st_tx *tx, pg_conn *c, st_statement_id id,
                             const st_value *params)
{
    const char *letters = ST_STATEMENTS[id].params;
    const char *values[ST_MAX_PARAMS];
    int lengths[ST_MAX_PARAMS], formats[ST_MAX_PARAMS], count = 0;
    uint64_t numbers[ST_MAX_PARAMS];
    for (; letters[count]; count++) {
        const st_value *p = &params[count];
        numbers[count] = htobe64((uint64_t)p->number);
        bool number = letters[count] == 'i';
        values[count] = number        ? (const char *)&numbers[count]
                        : p->text.len ? p->text.ptr
                                      : "";
        lengths[count] = number ? (int)sizeof numbers[count] : (int)p->text.len;
        formats[count] = 1;
    }
    char name[16];
    name_of(id, name);
    return PQsendQueryPrepared(c->pg, name, count, values, lengths, formats, 1)
               ? MT_OK
               : pg_lost(tx, c);
}

/* Room for one more, a transaction to be in, and a statement to send. */
static mt_err make_ready(st_tx *tx, pg_conn *c, st_statement_id id)
{
    mt_err err = begin_server(tx, c);
    if (!err && !c->prepared[id] && c->ahead) {
        err = push(tx, c);
    }
    err = err ? err : ensure_prepared(tx, c, id);
    if (!err && c->ahead >= PG_AHEAD - 2) {
        err = push(tx, c);
        err = err ? err : collect(tx, c);
    }
    return err;
}

static void read_cells(const PGresult *r, int row, const char *letters, st_value *cells)
{
    for (int i = 0; letters[i]; i++) {
        const char *value = PQgetvalue(r, row, i);
        if (letters[i] == 'i') {
            uint64_t number = 0;
            memcpy(&number, value, sizeof number);
            cells[i].number = (int64_t)be64toh(number);
        } else {
            cells[i].text = mt_str_from(value, (size_t)PQgetlength(r, row, i));
        }
    }
}

typedef struct reading {
    const char *letters;
    st_each *each;
    void *state;
    mt_err err; /* what `each` said */
} reading;

static void give_rows(const PGresult *r, reading *rd)
{
    st_value cells[ST_MAX_CELLS] = {0};
    for (int row = 0; row < PQntuples(r) && rd->each && !rd->err; row++) {
        read_cells(r, row, rd->letters, cells);
        rd->err = rd->each(rd->state, cells);
    }
}

/* Whole tables come row by row. */
static mt_err stream_rows(st_tx *tx, pg_conn *c, reading *rd)
{
    PQsetSingleRowMode(c->pg);
    PGresult *r;
    while ((r = PQgetResult(c->pg))) {
        ExecStatusType status = PQresultStatus(r);
        if (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) {
            give_rows(r, rd);
        } else if (!tx->broken) {
            pg_fail(tx, c, r);
        }
        PQclear(r);
    }
    return tx->broken ? tx->broken : rd->err;
}

static mt_err read_rows(st_tx *tx, pg_conn *c, reading *rd, int64_t *changed)
{
    PGresult *r = next_result(tx, c);
    if (!r) {
        return tx->broken;
    }
    judge(tx, c, r, MT_OK);
    if (!tx->broken) {
        give_rows(r, rd);
        if (changed) {
            *changed = strtoll(PQcmdTuples(r), NULL, 10);
        }
    }
    PQclear(r);
    return tx->broken ? tx->broken : rd->err;
}

static mt_err pg_run(st_tx *tx, st_statement_id id, const st_value *params,
                     st_each *each, void *state, int64_t *changed)
{
    pg_conn *c = conn_of(tx);
    reading rd = {ST_STATEMENTS[id].results, each, state, MT_OK};
    mt_err err = make_ready(tx, c, id);
    err = err ? err : send_statement(tx, c, id, params);
    err = err ? err : push(tx, c);
    if (err || collect(tx, c)) {
        return tx->broken; /* the rollback reads what is left */
    }
    bool whole = id >= ST_SQL_DUMP_INSTANCES && id < ST_SQL_LOAD_INSTANCES;
    return whole ? stream_rows(tx, c, &rd) : read_rows(tx, c, &rd, changed);
}

static mt_err pg_send(st_tx *tx, st_statement_id id, const st_value *params,
                      mt_err if_none)
{
    pg_conn *c = conn_of(tx);
    mt_err err = make_ready(tx, c, id);
    err = err ? err : send_statement(tx, c, id, params);
    if (!err) {
        expect(c, if_none);
    }
    return err;
}

/* Several statements in one text need the simple protocol. */
static mt_err pg_script(st_tx *tx, const char *sql)
{
    pg_conn *c = conn_of(tx);
    mt_err err = begin_server(tx, c);
    err = err ? err : push(tx, c);
    err = err ? err : collect(tx, c);
    if (err) {
        return err;
    }
    if (!PQpipelineSync(c->pg) || !pg_sync(c) || !PQexitPipelineMode(c->pg)) {
        return pg_lost(tx, c);
    }
    PGresult *r = PQexec(c->pg, sql);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        err = pg_fail(tx, c, r);
    }
    PQclear(r);
    return PQenterPipelineMode(c->pg) ? err : pg_lost(tx, c);
}

/* ---- Lists of keys -------------------------------------------------------------- */

static void add_be32(mt_buf *out, uint32_t value)
{
    uint32_t bytes = htobe32(value);
    mt_buf_add(out, (const char *)&bytes, sizeof bytes);
}

/* One column of the keys, as the binary form of text[]. */
static void add_list(mt_buf *out, const mt_str *keys, size_t count, size_t column)
{
    add_be32(out, 1); /* dimensions */
    add_be32(out, 0); /* no NULLs */
    add_be32(out, OID_TEXT);
    add_be32(out, (uint32_t)count);
    add_be32(out, 1); /* first index */
    for (size_t i = 0; i < count; i++) {
        mt_str key = keys[3 * i + column];
        add_be32(out, (uint32_t)key.len);
        mt_buf_adds(out, key);
    }
}

static mt_err pg_lock_instances(st_tx *tx, const mt_str *keys, size_t count,
                                st_each *each, void *state)
{
    mt_buf lists[3] = {{0}};
    st_value params[3];
    for (size_t i = 0; i < 3; i++) {
        add_list(&lists[i], keys, count, i);
        params[i] = ST_T(mt_buf_str(&lists[i]));
    }
    mt_err err = pg_run(tx, ST_SQL_INSTANCE_LOCK, params, each, state, NULL);
    for (size_t i = 0; i < 3; i++) {
        mt_buf_free(&lists[i]);
    }
    return err;
}

/* ---- Transactions --------------------------------------------------------------- */

static mt_err pg_begin(st_store *s, st_mode mode, st_tx **out)
{
    pg_backend *b = s->backend;
    st_conn *head = NULL;
    mt_err err = st_pool_take(&b->pool, s->options.wait_ms, &head);
    if (err) {
        return err;
    }
    pg_conn *c = (pg_conn *)head;
    if (c && !pg_conn_rested(c)) {
        pg_conn_close(c);
        c = NULL;
    }
    err = c ? MT_OK : pg_conn_open(s, &c, NULL);
    if (err) {
        st_pool_drop(&b->pool);
        return err;
    }
    st_tx_start(&c->head.tx, s, mode);
    *out = &c->head.tx;
    return MT_OK;
}

static void give_back(st_tx *tx, bool good)
{
    pg_conn *c = conn_of(tx);
    pg_backend *b = tx->store->backend;
    st_tx_clear(tx);
    c->begun = false;
    if (good) {
        st_pool_give(&b->pool, &c->head);
    } else {
        pg_conn_close(c);
        st_pool_drop(&b->pool);
    }
}

static bool send_end(pg_conn *c, const char *sql)
{
    return PQsendQueryParams(c->pg, sql, 0, NULL, NULL, NULL, NULL, 1) &&
           PQpipelineSync(c->pg) && PQflush(c->pg) == 0;
}

/* After a fault the server skips everything up to a synchronisation point, so that
 * comes first. */
static bool undo(pg_conn *c)
{
    if (!PQpipelineSync(c->pg) || PQflush(c->pg) != 0 || !pg_sync(c)) {
        return false;
    }
    if (PQtransactionStatus(c->pg) == PQTRANS_IDLE) {
        return true;
    }
    return send_end(c, "ROLLBACK") && pg_sync(c) &&
           PQtransactionStatus(c->pg) == PQTRANS_IDLE;
}

static void pg_rollback(st_tx *tx)
{
    pg_conn *c = conn_of(tx);
    if (PQstatus(c->pg) != CONNECTION_OK) {
        give_back(tx, false);
    } else if (!c->begun) {
        give_back(tx, true);
    } else if (tx->mode == ST_READ && !tx->broken) {
        c->draining = send_end(c, "ROLLBACK");
        give_back(tx, c->draining);
    } else {
        give_back(tx, undo(c));
    }
}

/* The writes are known to be good before the commit is sent. */
static mt_err end_server(st_tx *tx, pg_conn *c)
{
    mt_err err = push(tx, c);
    err = err ? err : collect(tx, c);
    if (err) {
        return err;
    }
    if (!send_end(c, "COMMIT")) {
        return pg_lost(tx, c);
    }
    PGresult *r = next_result(tx, c);
    if (!r) {
        return tx->broken;
    }
    judge(tx, c, r, MT_OK);
    if (!tx->broken && strcmp(PQcmdStatus(r), "COMMIT") != 0) {
        st_fail(tx, MT_E_CONFLICT, "the server rolled the transaction back");
    }
    PQclear(r);
    pg_sync(c); /* when the connection goes now, it was committed all the same */
    return tx->broken;
}

static mt_err pg_commit(st_tx *tx)
{
    pg_conn *c = conn_of(tx);
    if (tx->mode == ST_READ || !c->begun) {
        pg_rollback(tx);
        return MT_OK;
    }
    mt_err err = end_server(tx, c);
    give_back(tx, PQstatus(c->pg) == CONNECTION_OK && (!err || undo(c)));
    return err;
}

/* ---- Opening -------------------------------------------------------------------- */

static mt_err note_number(void *state, const st_value *cells)
{
    *(int64_t *)state = cells[0].number;
    return MT_OK;
}

/* Servers that start at the same moment take turns. */
#define SETTLE_TURN "SELECT pg_advisory_xact_lock(hashtextextended('motet schema', 0));"

static mt_err settle_tables(st_store *s, st_tx *tx)
{
    int64_t ours = 0;
    bool may_change = !s->options.read_only;
    mt_err err = may_change ? pg_script(tx, SETTLE_TURN) : MT_OK;
    err = err ? err : pg_run(tx, ST_SQL_HAS_META, NULL, note_number, &ours, NULL);
    if (!err && !ours && (!may_change || s->options.must_exist)) {
        return st_fail(tx, MT_E_NOTFOUND, "the database has no Motet store");
    }
    if (!err && !ours) {
        err = pg_script(tx, "CREATE SCHEMA IF NOT EXISTS motet");
    }
    return err ? err : st_migrate(tx, !ours, may_change, &s->schema);
}

static mt_err settle_schema(st_store *s, mt_buf *why)
{
    st_tx *tx;
    mt_err err = pg_begin(s, s->options.read_only ? ST_READ : ST_WRITE, &tx);
    if (err) {
        mt_buf_addf(why, "cannot open the store: %s", mt_err_text(err));
        return err;
    }
    err = settle_tables(s, tx);
    if (err) {
        mt_buf_addf(why, "cannot open the store: %.*s", MT_ARG(st_why(tx)));
        pg_rollback(tx);
        return err;
    }
    err = pg_commit(tx);
    if (err) {
        mt_buf_addf(why, "cannot open the store: %s", mt_err_text(err));
    }
    return err;
}

/* Put together from what the connection says of itself, so no secret can be in it. */
static void describe(st_store *s, const pg_conn *c)
{
    const char *host = PQhost(c->pg), *port = PQport(c->pg);
    bool socket = *host == '/';
    int version = PQserverVersion(c->pg);
    s->shown_url =
        mt_strf(&s->arena, "postgresql://%s@%s%s%s/%s%s%s", PQuser(c->pg),
                socket ? "" : host, socket || !*port ? "" : ":", socket ? "" : port,
                PQdb(c->pg), socket ? "?host=" : "", socket ? host : "");
    s->description =
        mt_strf(&s->arena, "PostgreSQL %d.%d", version / 10000, version % 10000);
}

static void pg_close(st_store *s)
{
    pg_backend *b = s->backend;
    st_conn *head;
    while ((head = st_pool_drain(&b->pool))) {
        pg_conn_close((pg_conn *)head);
    }
    st_pool_free(&b->pool);
    free(b->url);
    free(b);
}

static mt_err open_first(st_store *s, mt_buf *why)
{
    pg_backend *b = s->backend;
    pg_conn *first;
    mt_err err = pg_conn_open(s, &first, why);
    if (err) {
        return err;
    }
    st_conn *none;
    describe(s, first);
    st_pool_take(&b->pool, 0, &none);
    st_pool_give(&b->pool, &first->head);
    err = settle_schema(s, why);
    s->description =
        mt_strf(&s->arena, "%.*s, schema %d", MT_ARG(s->description), s->schema);
    return err;
}

static mt_err pg_open(st_store *s, mt_str url, mt_buf *why)
{
    pg_backend *b = mt_xmalloc(sizeof *b);
    *b = (pg_backend){.url = mt_xmalloc(url.len + 1)};
    memcpy(b->url, url.ptr, url.len);
    b->url[url.len] = 0;
    st_pool_start(&b->pool, s->options.pool);
    s->backend = b;
    /* libpq's own complaint about a bad URL quotes it, password and all. */
    PQconninfoOption *parsed = PQconninfoParse(b->url, NULL);
    mt_err err = parsed ? MT_OK : MT_E_USAGE;
    PQconninfoFree(parsed);
    if (err) {
        mt_buf_addz(why, "the URL of the PostgreSQL database is malformed");
    }
    err = err ? err : open_first(s, why);
    if (err) {
        pg_close(s);
    }
    return err;
}

const st_driver ST_POSTGRES = {
    .name = "PostgreSQL",
    .shared = true,
    .chunk = 256,
    .open = pg_open,
    .close = pg_close,
    .begin = pg_begin,
    .commit = pg_commit,
    .rollback = pg_rollback,
    .run = pg_run,
    .send = pg_send,
    .script = pg_script,
    .lock_instances = pg_lock_instances,
};
