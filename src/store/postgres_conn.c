/* store/postgres_conn.c - connecting, resting, and what PostgreSQL's errors mean.
 *
 * MEANINGS maps SQLSTATE, or its class, to mt_err; the first row that fits counts, so
 * exact codes stand before their class. Messages are the server's primary message
 * only: details quote rows.
 *
 * A new connection gets its settings in one statement: our schema, timeouts, plans
 * that are made once and always use the index, and synchronous_commit where somebody
 * had switched it off.
 *
 * A connection rests in the pool with the end of a reader's transaction possibly still
 * unread (`draining`). Before it is used again, pg_conn_rested() reads that and looks
 * whether the server has said goodbye meanwhile; if anything is odd, the caller opens
 * another.
 *
 * What may fail: MT_E_VERSION for servers before 12, otherwise what MEANINGS says;
 * `why` is filled only when somebody asked. */
#include <poll.h>
#include <stdlib.h>

#include "store/postgres.h"

/* ---- Errors ---- */

typedef struct meaning {
    const char *state; /* SQLSTATE or its class */
    mt_err err;
} meaning;

/* The first that fits. */
static const meaning MEANINGS[] = {
    {"40001", MT_E_CONFLICT}, /* serialization failure */
    {"40P01", MT_E_CONFLICT}, /* deadlock */
    {"23505", MT_E_CONFLICT}, /* unique violation */
    {"22012", MT_E_CONFLICT}, /* division by zero: ST_ALL_DONE found one missing */
    {"55P03", MT_E_BUSY},     /* lock timeout */
    {"57014", MT_E_BUSY},     /* statement timeout */
    {"53300", MT_E_BUSY},     /* too many connections */
    {"57P", MT_E_CLOSED},     /* shutting down, starting up */
    {"25P03", MT_E_CLOSED},   /* idle in transaction too long */
    {"08", MT_E_CLOSED},      /* connection failures */
    {"28", MT_E_DENIED},      /* authentication */
    {"42501", MT_E_DENIED},   /* privileges */
    {"3D000", MT_E_NOTFOUND}, /* no such database */
    {"22021", MT_E_TYPE},     /* not UTF-8 */
    {"54", MT_E_LIMIT},       /* program limits */
    {"XX001", MT_E_CORRUPT},  {"XX002", MT_E_CORRUPT},
    {"42", MT_E_CORRUPT}, /* our statements fit our tables */
};

/* A code nobody knows is an I/O error: something of the world. */
static mt_err err_of(const char *state)
{
    for (size_t i = 0; state && i < sizeof MEANINGS / sizeof *MEANINGS; i++) {
        if (strncmp(state, MEANINGS[i].state, strlen(MEANINGS[i].state)) == 0) {
            return MEANINGS[i].err;
        }
    }
    return MT_E_IO;
}

/* First line of a message of libpq. */
static mt_str sentence(const char *message)
{
    mt_str all = mt_str_z(message);
    return mt_str_trim(mt_str_from(all.ptr, mt_str_find(all, '\n')), MT_STR(" \t\r"));
}

mt_err pg_lost(st_tx *tx, const pg_conn *c)
{
    return st_fail(tx, MT_E_CLOSED, "PostgreSQL: %.*s",
                   MT_ARG(sentence(PQerrorMessage(c->pg))));
}

/* The primary message only: details may quote rows. */
mt_err pg_fail(st_tx *tx, const pg_conn *c, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (!state) {
        return pg_lost(tx, c); /* not the server speaks but libpq */
    }
    if (strcmp(state, "22012") == 0 || strcmp(state, "23505") == 0) {
        said = "somebody else changed the row first";
    }
    return st_fail(tx, err_of(state), "PostgreSQL: %s (%s)", said ? said : "failed",
                   state);
}

/* Before it plans could not be settled once for all. */
enum { OLDEST_SERVER = 120000 };

/* ---- Connecting ---- */

static void no_notice(void *state, const char *message)
{
    (void)state;
    (void)message;
}

/* Every statement asks for rows by a key or in key order, so the plans are settled:
 * whatever the statistics say while tables are young, the index is right. */
static mt_err settle(const st_store *s, PGconn *pg)
{
    mt_buf sql = {0};
    mt_buf_addf(&sql,
                "SET search_path = motet; SET lock_timeout = %u;"
                "SET statement_timeout = %u; SET jit = off;"
                "SET idle_in_transaction_session_timeout = %u;"
                "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
                "SET enable_hashjoin = off; SET enable_mergejoin = off;"
                "SET enable_bitmapscan = off; SET default_transaction_read_only = %s;"
                "SELECT set_config('synchronous_commit', 'on', false)"
                " WHERE current_setting('synchronous_commit') = 'off';",
                s->options.wait_ms, s->options.wait_ms * 12, s->options.wait_ms * 12,
                s->options.read_only ? "on" : "off");
    mt_buf_addc(&sql, 0);
    PGresult *done = PQexec(pg, sql.ptr);
    ExecStatusType status = PQresultStatus(done);
    const char *state = PQresultErrorField(done, PG_DIAG_SQLSTATE);
    mt_err err = status == PGRES_TUPLES_OK ? MT_OK
                 : state                   ? err_of(state)
                                           : MT_E_CLOSED;
    PQclear(done);
    mt_buf_free(&sql);
    return err;
}

static PGconn *dial(const st_store *s)
{
    const pg_backend *b = s->backend;
    char timeout[16];
    char *end = timeout + sizeof timeout - 1;
    *end = 0;
    const char *names[] = {"connect_timeout", "tcp_user_timeout", "application_name",
                           "dbname",          "client_encoding",  NULL};
    const char *values[] = {mt_put_digits(2 + s->options.wait_ms / 1000, end),
                            "30000",
                            "motet",
                            b->url,
                            "UTF8",
                            NULL};
    return PQconnectdbParams(names, values, 1);
}

static const struct {
    const char *name, *sql;
} BOUNDS[] = {
    [PG_BEGIN_WRITE] = {"begin_write",
                        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"},
    [PG_BEGIN_READ] = {"begin_read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
    [PG_COMMIT] = {"commit", "COMMIT"},
    [PG_ROLLBACK] = {"rollback", "ROLLBACK"},
};
MT_TABLE_COVERS(BOUNDS, PG_BOUNDS);

bool pg_send_bound(pg_conn *c, pg_bound how)
{
    return PQsendQueryPrepared(c->pg, BOUNDS[how].name, 0, NULL, NULL, NULL, 1);
}

/* From here on everything travels in pipeline mode. */
static bool enter_pipeline(pg_conn *c)
{
    bool fine = PQenterPipelineMode(c->pg);
    for (size_t i = 0; i < PG_BOUNDS && fine; i++) {
        fine = PQsendPrepare(c->pg, BOUNDS[i].name, BOUNDS[i].sql, 0, NULL);
    }
    return fine && PQpipelineSync(c->pg) && PQflush(c->pg) == 0 && pg_sync(c);
}

static mt_err start_conn(const st_store *s, pg_conn *c)
{
    c->pg = dial(s);
    if (PQstatus(c->pg) != CONNECTION_OK) {
        return MT_E_CLOSED;
    }
    if (PQserverVersion(c->pg) < OLDEST_SERVER) {
        return MT_E_VERSION;
    }
    PQsetNoticeProcessor(c->pg, no_notice, NULL);
    mt_err err = settle(s, c->pg);
    return err ? err : enter_pipeline(c) ? MT_OK : MT_E_CLOSED;
}

mt_err pg_conn_open(const st_store *s, pg_conn **out, mt_buf *why)
{
    pg_conn *c = mt_xmalloc(sizeof *c);
    memset(c, 0, sizeof *c);
    mt_err err = start_conn(s, c);
    if (err) {
        if (why) {
            mt_str said = err == MT_E_VERSION ? MT_STR("PostgreSQL is older than 12")
                                              : sentence(PQerrorMessage(c->pg));
            mt_buf_addf(why, "cannot open the store: %.*s", MT_ARG(said));
        }
        pg_conn_close(c);
        c = NULL;
    }
    *out = c;
    return err;
}

void pg_conn_close(pg_conn *c)
{
    if (c) {
        PQfinish(c->pg);
        for (size_t i = 0; i < ST_MAX_PARAMS; i++) {
            mt_buf_free(&c->lists[i]);
        }
        st_tx_free(&c->head.tx);
        free(c);
    }
}

/* ---- Resting ---- */

bool pg_sync(pg_conn *c)
{
    c->ahead = c->unsure = 0;
    /* Each statement's results end with NULL; two in a row mean nothing is coming. */
    for (unsigned nothing = 0; nothing < 2;) {
        PGresult *r = PQgetResult(c->pg);
        ExecStatusType status = PQresultStatus(r);
        nothing = r ? 0 : nothing + 1;
        PQclear(r);
        if (r && status == PGRES_PIPELINE_SYNC) {
            if (!c->syncs) {
                return PQstatus(c->pg) == CONNECTION_OK;
            }
            c->syncs--;
        }
    }
    return false;
}

bool pg_conn_rested(pg_conn *c)
{
    if (c->draining && (c->draining = false, !pg_sync(c))) {
        return false;
    }
    /* Nothing is under way: what can be read now is a farewell. */
    struct pollfd fd = {.fd = PQsocket(c->pg), .events = POLLIN};
    return PQstatus(c->pg) == CONNECTION_OK &&
           PQtransactionStatus(c->pg) == PQTRANS_IDLE && poll(&fd, 1, 0) == 0;
}
