/* store/postgres.c - the driver for PostgreSQL.
 *
 * Writers run READ COMMITTED and lock the rows they decide on; readers get one
 * snapshot (REPEATABLE READ). Everything travels in pipeline mode: statements are sent
 * ahead, and their answers are read when somebody needs one (st_settle(), a query, the
 * commit). BEGIN travels with the first statement. A reader's end is sent and not
 * awaited: the next user of the connection reads the answer.
 *
 * Order of a call: make_ready() (room in the list of answers due, a transaction, the
 * statement prepared), send_statement(), then either the rows at once (pg_run()) or a
 * note of what is expected (pg_send(), pg_ask()). Many rows of one kind are one
 * statement with lists as parameters.
 *
 * Invariants: c->due has one entry per answer that is due, in the order of sending;
 * after the first fault of a transaction tx->broken keeps it and all later answers are
 * only read away; a connection goes back to the pool only when nothing is under way on
 * it, otherwise it is closed. No message holds the URL, a password or the values of a
 * row.
 *
 * What may fail: postgres_conn.c maps SQLSTATE to mt_err. When the connection is lost
 * between sending COMMIT and its answer, nobody knows whether it was done; st_commit()
 * says MT_E_CLOSED and the caller must look. */
#include <endian.h>
#include <stdlib.h>

#include "store/postgres.h"

enum {
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_TEXT = 25,
    OID_BYTEA_LIST = 1001,
    OID_TEXT_LIST = 1009,
    OID_INT8_LIST = 1016
};

static pg_conn *conn_of(st_tx *tx)
{
    return (pg_conn *)((char *)tx - offsetof(st_conn, tx));
}

/* ---- Results ---- */

/* The answer that is due for what was just sent. */
static void expect(pg_conn *c, pg_due due)
{
    c->due[c->ahead++] = due;
    c->unsure += due.if_none != MT_OK;
}

/* Reads one statement's result and its end, passing over what tells that a
 * synchronisation point was reached. NULL: the connection is gone. */
static PGresult *next_result(st_tx *tx, pg_conn *c)
{
    PGresult *r = PQgetResult(c->pg);
    while (r && PQresultStatus(r) == PGRES_PIPELINE_SYNC) {
        PQclear(r);
        c->syncs--;
        r = PQgetResult(c->pg);
    }
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

/* Binary form: numbers in network order, texts as they are; borrowed from the result.
 */
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

static mt_err give_rows(const PGresult *r, const pg_due *due)
{
    st_value cells[ST_MAX_CELLS] = {0};
    mt_err err = MT_OK;
    for (int row = 0; row < PQntuples(r) && due->each && !err; row++) {
        read_cells(r, row, due->letters, cells);
        err = due->each(due->state, cells);
    }
    return err;
}

/* Reads the answers to all that was sent ahead. */
static mt_err collect(st_tx *tx, pg_conn *c)
{
    unsigned count = c->ahead;
    mt_err said = MT_OK;
    c->ahead = c->unsure = 0;
    for (unsigned i = 0; i < count; i++) {
        PGresult *r = next_result(tx, c);
        if (!r) {
            return tx->broken;
        }
        judge(tx, c, r, c->due[i].if_none);
        if (!tx->broken && !said) {
            said = give_rows(r, &c->due[i]);
        }
        PQclear(r);
    }
    if (said && !tx->broken) {
        st_fail(tx, said, "%s", mt_err_text(said));
    }
    return tx->broken;
}

/* Asks the server to answer now what it has been sent. A writer, who may hold locks,
 * synchronises: without that the server takes a transaction for a busy one however long
 * nothing comes, and never ends it. All answers are read before anything else is sent,
 * so no commit follows a statement that failed. */
static mt_err push(st_tx *tx, pg_conn *c)
{
    bool syncs = tx->mode == ST_WRITE;
    bool sent = syncs ? PQpipelineSync(c->pg) : PQsendFlushRequest(c->pg);
    c->syncs += syncs && sent;
    return sent && PQflush(c->pg) == 0 ? MT_OK : pg_lost(tx, c);
}

/* ---- Statements ---- */

/* Sent with the first statement, so a transaction costs no trip of its own. */
static mt_err begin_server(st_tx *tx, pg_conn *c)
{
    if (c->begun) {
        return MT_OK;
    }
    if (!pg_send_bound(c, tx->mode == ST_WRITE ? PG_BEGIN_WRITE : PG_BEGIN_READ)) {
        return pg_lost(tx, c);
    }
    c->begun = true;
    expect(c, (pg_due){0});
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
    case 'I': return OID_INT8_LIST;
    case 'B': return OID_BYTEA_LIST;
    default: return st_is_many(&letter) ? OID_TEXT_LIST : OID_TEXT;
    }
}

/* Once per connection and statement. Answers that are due are read first: preparing
 * waits for its own. */
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
    expect(c, (pg_due){0});
    err = err ? err : push(tx, c);
    err = err ? err : collect(tx, c);
    c->prepared[id] = !err;
    return err;
}

static void add_be32(mt_buf *out, uint32_t value)
{
    uint32_t bytes = htobe32(value);
    mt_buf_add(out, (const char *)&bytes, sizeof bytes);
}

/* One column of the rows, as the binary form of a list. */
static mt_str list_of(mt_buf *out, char letter, const st_value *column, size_t columns,
                      size_t rows)
{
    mt_buf_clear(out);
    add_be32(out, 1); /* dimensions */
    add_be32(out, 0); /* no NULLs */
    add_be32(out, oid_of(st_kind(letter)));
    add_be32(out, (uint32_t)rows);
    add_be32(out, 1); /* first index */
    for (size_t i = 0; i < rows; i++, column += columns) {
        uint64_t number = htobe64((uint64_t)column->number);
        mt_str value = letter == 'I' ? mt_str_from((const char *)&number, sizeof number)
                                     : column->text;
        add_be32(out, (uint32_t)value.len);
        mt_buf_adds(out, value);
    }
    return mt_buf_str(out);
}

/* All parameters in binary form, many rows as one list per column; nothing is quoted
 * and nothing parsed. */
static mt_err send_statement(st_tx *tx, pg_conn *c, st_statement_id id,
                             const st_value *params, size_t rows)
{
    const char *letters = ST_STATEMENTS[id].params;
    size_t columns = strlen(letters);
    const char *values[ST_MAX_PARAMS];
    int lengths[ST_MAX_PARAMS], formats[ST_MAX_PARAMS];
    uint64_t numbers[ST_MAX_PARAMS];
    for (size_t i = 0; i < columns; i++) {
        mt_str value = params[i].text;
        if (st_is_many(&letters[i])) {
            value = list_of(&c->lists[i], letters[i], &params[i], columns, rows);
        } else if (letters[i] == 'i') {
            numbers[i] = htobe64((uint64_t)params[i].number);
            value = mt_str_from((const char *)&numbers[i], sizeof numbers[i]);
        }
        values[i] = value.len ? value.ptr : "";
        lengths[i] = (int)value.len;
        formats[i] = 1;
    }
    char name[16];
    name_of(id, name);
    return PQsendQueryPrepared(c->pg, name, (int)columns, values, lengths, formats, 1)
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

/* Whole tables come row by row. */
static mt_err stream_rows(st_tx *tx, pg_conn *c, const pg_due *due)
{
    PQsetSingleRowMode(c->pg);
    mt_err said = MT_OK;
    PGresult *r;
    while ((r = PQgetResult(c->pg))) {
        ExecStatusType status = PQresultStatus(r);
        if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) {
            judge(tx, c, r, MT_OK);
        } else if (!said) {
            said = give_rows(r, due);
        }
        PQclear(r);
    }
    return tx->broken ? tx->broken : said;
}

/* The one result of a statement that was just sent; what the walker says ends it. */
static mt_err read_rows(st_tx *tx, pg_conn *c, const pg_due *due, int64_t *changed)
{
    PGresult *r = next_result(tx, c);
    if (!r) {
        return tx->broken;
    }
    judge(tx, c, r, MT_OK);
    mt_err said = tx->broken ? tx->broken : give_rows(r, due);
    if (!tx->broken && changed) {
        *changed = strtoll(PQcmdTuples(r), NULL, 10);
    }
    PQclear(r);
    return tx->broken ? tx->broken : said;
}

/* Asks and waits. Whole tables are streamed, because they need not fit memory. */
static mt_err pg_run(st_tx *tx, st_statement_id id, const st_value *params,
                     st_each *each, void *state, int64_t *changed)
{
    pg_conn *c = conn_of(tx);
    pg_due due = {.letters = ST_STATEMENTS[id].results, .each = each, .state = state};
    mt_err err = make_ready(tx, c, id);
    err = err ? err : send_statement(tx, c, id, params, 1);
    err = err ? err : push(tx, c);
    err = err ? err : collect(tx, c);
    if (err) {
        return err; /* the rollback reads what is left */
    }
    bool whole = id >= ST_SQL_DUMP_INSTANCES && id < ST_SQL_LOAD_INSTANCES;
    return whole ? stream_rows(tx, c, &due) : read_rows(tx, c, &due, changed);
}

static mt_err send_ahead(st_tx *tx, st_statement_id id, const st_value *params,
                         size_t rows, pg_due due)
{
    pg_conn *c = conn_of(tx);
    mt_err err = make_ready(tx, c, id);
    err = err ? err : send_statement(tx, c, id, params, rows);
    if (!err) {
        expect(c, due);
    }
    return err;
}

/* Does the statement itself see to it that all rows are written? */
static bool is_sure(st_statement_id id)
{
    return st_is_many(ST_STATEMENTS[id].params) || id == ST_SQL_INSTANCE_PUT_ONE ||
           id == ST_SQL_PENDING_ADD_ONE;
}

static mt_err pg_send(st_tx *tx, st_statement_id id, const st_value *params,
                      size_t rows, mt_err if_none)
{
    return send_ahead(tx, id, params, rows,
                      (pg_due){.if_none = is_sure(id) ? MT_OK : if_none});
}

static mt_err pg_ask(st_tx *tx, st_statement_id id, const st_value *params, size_t rows,
                     st_each *each, void *state)
{
    return send_ahead(
        tx, id, params, rows,
        (pg_due){.letters = ST_STATEMENTS[id].results, .each = each, .state = state});
}

static mt_err pg_settle(st_tx *tx)
{
    pg_conn *c = conn_of(tx);
    mt_err err = c->ahead ? push(tx, c) : MT_OK;
    return err ? err : collect(tx, c);
}

/* Several statements in one text need the simple protocol. */
static mt_err pg_script(st_tx *tx, const char *sql)
{
    pg_conn *c = conn_of(tx);
    mt_err err = begin_server(tx, c);
    err = err ? err : pg_settle(tx);
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

/* ---- Transactions ---- */

/* A connection that rested badly is replaced at once; the pool counts it either way. */
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

/* A connection that is not known to be good is closed. */
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

static bool send_end(pg_conn *c, pg_bound how)
{
    return pg_send_bound(c, how) && PQpipelineSync(c->pg) && PQflush(c->pg) == 0;
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
    return send_end(c, PG_ROLLBACK) && pg_sync(c) &&
           PQtransactionStatus(c->pg) == PQTRANS_IDLE;
}

/* A reader's end is sent and not awaited; a writer's is, since its locks must be gone
 * when this returns. */
static void pg_rollback(st_tx *tx)
{
    pg_conn *c = conn_of(tx);
    if (PQstatus(c->pg) != CONNECTION_OK) {
        give_back(tx, false);
    } else if (!c->begun) {
        give_back(tx, true);
    } else if (tx->mode == ST_READ && !tx->broken) {
        c->draining = send_end(c, PG_ROLLBACK);
        give_back(tx, c->draining);
    } else {
        give_back(tx, undo(c));
    }
}

/* When a statement fails, the server passes over all that was sent after it, the commit
 * too. What is not an error to the server must be known to be good before. */
static void pg_commit_soon(st_tx *tx)
{
    pg_conn *c = conn_of(tx);
    if (tx->mode == ST_READ || !c->begun) {
        return;
    }
    mt_err err = c->unsure ? pg_settle(tx) : MT_OK;
    if (!err && !send_end(c, PG_COMMIT)) {
        pg_lost(tx, c);
    }
}

/* The server answers ROLLBACK to a COMMIT when a statement before it failed. */
static mt_err await_commit(st_tx *tx, pg_conn *c)
{
    collect(tx, c);
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

/* What wrote nothing has nothing to commit. */
static mt_err pg_commit(st_tx *tx)
{
    pg_conn *c = conn_of(tx);
    if (tx->mode == ST_READ || !c->begun) {
        pg_rollback(tx);
        return MT_OK;
    }
    mt_err err = await_commit(tx, c);
    give_back(tx, PQstatus(c->pg) == CONNECTION_OK && (!err || undo(c)));
    return err;
}

/* ---- Opening ---- */

static mt_err note_number(void *state, const st_value *cells)
{
    *(int64_t *)state = cells[0].number;
    return MT_OK;
}

/* Servers that start at the same moment take turns. */
#define SETTLE_TURN "SELECT pg_advisory_xact_lock(hashtextextended('motet schema', 0));"

/* Looks, then changes: an advisory lock lets servers that start together take turns. */
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

/* Also when the schema is good: looking is a transaction, and its end must be one. */
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
    err = st_commit(tx);
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

/* Nobody uses the store any more, so every connection is in the pool. */
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

/* The first connection is opened with words for the user; later ones fail with a code.
 */
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

/* What fails leaves nothing behind: pg_close() releases what there is. */
static mt_err pg_open(st_store *s, mt_str url, mt_buf *why)
{
    const char *missing = mt_late_load(&mt_late_pq);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
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
    .commit_soon = pg_commit_soon,
    .commit = pg_commit,
    .rollback = pg_rollback,
    .run = pg_run,
    .send = pg_send,
    .ask = pg_ask,
    .settle = pg_settle,
    .script = pg_script,
};
