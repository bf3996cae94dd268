/* adapter/sqlite.c - facts from a SQLite database, opened for reading only.
 *
 * All facts of one request are read in one transaction, so they fit together. A query
 * that takes too long is interrupted by a progress handler, which also drives the
 * other jobs of the fetch, since SQLite keeps the thread. A query must be one
 * statement with one column that does not write; parameters are bound by name.
 *
 * A missing row is "not found", a second one ambiguous. Connections are pooled; the
 * file is not created when it is not there. */
#include <poll.h>
#include <sqlite3.h>

#include "adapter/impl.h"
#include "os/clock.h"

enum {
    STEPS_BETWEEN_LOOKS = 1000,
    MOST_VALUE_BYTES = 1000000000,
    DRIVE_MS = 5 /* the other jobs of the fetch are looked at that often */
};

/* The fetch that keeps the thread while SQLite works. */
typedef struct turn {
    ad_fetching *fetching;
    int64_t deadline, driven;
} turn;

bool ad_sqlite_set_up(ad_opening *o, ad_source *s)
{
    if (!s->file.len) {
        return ad_source_fault(o, s, AD_F_SETTING, "source '%.*s' needs a file",
                               MT_ARG(s->decl->id));
    }
    ad_pool_init(&s->pool, &o->adapters->arena, s->connections);
    s->has_pool = true;
    return true;
}

static void close_connection(void *connection)
{
    sqlite3_close_v2(connection);
}

void ad_sqlite_close(ad_source *s)
{
    if (s->has_pool) {
        ad_pool_free(&s->pool, close_connection);
    }
}

/* Read-only, defensive, without attached databases: a query from a configuration must
 * not be able to do more. */
static sqlite3 *open_connection(const ad_source *s)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(s->file.ptr, &db, flags, NULL) != SQLITE_OK) {
        sqlite3_close_v2(db);
        return NULL;
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    /* The answer is measured itself; this bounds what lies on the way to it. */
    size_t most = (size_t)1 << 20 | s->max_bytes * 4;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH,
                  (int)(most < MOST_VALUE_BYTES ? most : MOST_VALUE_BYTES));
    if (sqlite3_exec(db, "PRAGMA query_only=1", NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_close_v2(db);
        return NULL;
    }
    return db;
}

/* Non-zero: enough. */
static int while_working(void *state)
{
    turn *t = state;
    int64_t now = os_now_ms();
    if (now - t->driven >= DRIVE_MS) {
        ad_fetching_drive(t->fetching);
        t->driven = now;
    }
    return now >= t->deadline;
}

/* Zero: no longer. */
static int while_locked(void *state, int count)
{
    (void)count;
    poll(NULL, 0, DRIVE_MS);
    return !while_working(state);
}

/* A lock that lasts and a query that was interrupted are both a time-out: the deadline
 * ended them. What is left is the author's fault and comes back as refused. */
static void query_fault(ad_fetching *f, ad_question *q, sqlite3 *db, int code)
{
    int primary = code & 0xff;
    ad_fact_error error = primary == SQLITE_INTERRUPT || primary == SQLITE_BUSY
                              ? AD_FACT_TIMEOUT
                          : primary == SQLITE_TOOBIG ? AD_FACT_TOO_LARGE
                          : primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR ||
                                  primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT
                              ? AD_FACT_UNREACHABLE
                              : AD_FACT_REFUSED;
    ad_answer_error(f, q, error, "the query of fact '%.*s' failed: %s",
                    MT_ARG(q->plan->fact->id), sqlite3_errmsg(db));
}

/* False: the query has no such parameter, or more than there are names. */
static bool bind_all(sqlite3_stmt *statement, const ad_question *q)
{
    const ad_fact_plan *p = q->plan;
    for (size_t i = 0; i < p->bound_count; i++) {
        char name[24];
        mt_str value = q->values[p->bound[i]];
        sqlite3_snprintf((int)sizeof name, name, "$%llu", (unsigned long long)(i + 1));
        int at = sqlite3_bind_parameter_index(statement, name);
        if (!at || sqlite3_bind_text(statement, at, value.ptr, (int)value.len,
                                     SQLITE_STATIC) != SQLITE_OK) {
            return false;
        }
    }
    return sqlite3_bind_parameter_count(statement) == (int)p->bound_count;
}

/* ORDER: the text is asked for before type and length, since asking converts the value.
 * Its memory belongs to the statement, hence the copy. */
static void read_column(ad_fetching *f, ad_question *q, sqlite3_stmt *statement)
{
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    int type = sqlite3_column_type(statement, 0);
    size_t length = (size_t)sqlite3_column_bytes(statement, 0);
    if (!text) {
        ad_answer_error(f, q, AD_FACT_NOT_FOUND, "the query of fact '%.*s' found NULL",
                        MT_ARG(q->plan->fact->id));
    } else if (type == SQLITE_BLOB) {
        ad_answer_error(f, q, AD_FACT_MALFORMED,
                        "the query of fact '%.*s' found a blob",
                        MT_ARG(q->plan->fact->id));
    } else if (length > q->plan->source->max_bytes) {
        ad_answer_error(f, q, AD_FACT_TOO_LARGE,
                        "the query of fact '%.*s' found more than max_bytes",
                        MT_ARG(q->plan->fact->id));
    } else {
        mt_str copy = mt_str_dup(f->arena, mt_str_from(text, length));
        ad_answer_text(f, q, copy, copy);
    }
}

/* Steps once more to see whether there is a second row. */
static void read_rows(ad_fetching *f, ad_question *q, sqlite3 *db, sqlite3_stmt *st)
{
    mt_str id = q->plan->fact->id;
    int code = sqlite3_step(st);
    if (code == SQLITE_DONE) {
        ad_answer_error(f, q, AD_FACT_NOT_FOUND,
                        "the query of fact '%.*s' found no row", MT_ARG(id));
        return;
    }
    if (code == SQLITE_ROW) {
        read_column(f, q, st);
        code = sqlite3_step(st);
        if (code == SQLITE_ROW) {
            ad_answer_error(f, q, AD_FACT_AMBIGUOUS,
                            "the query of fact '%.*s' found more than one row",
                            MT_ARG(id));
            return;
        }
    }
    if (code != SQLITE_DONE) {
        query_fault(f, q, db, code);
    }
}

/* One statement, one column, and nothing that writes. */
static bool is_fit(sqlite3_stmt *statement, const char *tail)
{
    return statement && sqlite3_stmt_readonly(statement) &&
           sqlite3_column_count(statement) == 1 &&
           mt_str_trim(mt_str_z(tail), MT_STR(" \t\r\n;")).len == 0;
}

/* Prepared anew for each question. What stands behind the first statement is refused,
 * so nothing can be appended. */
static void run_query(ad_fetching *f, ad_question *q, sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    const char *tail = "";
    mt_str query = q->plan->query;
    int code = sqlite3_prepare_v2(db, query.ptr, (int)query.len + 1, &statement, &tail);
    if (code != SQLITE_OK) {
        query_fault(f, q, db, code);
    } else if (!is_fit(statement, tail) || !bind_all(statement, q)) {
        ad_answer_error(
            f, q, AD_FACT_REFUSED,
            "the query of fact '%.*s' must be one SELECT of one column with "
            "$1 … for its parameters",
            MT_ARG(q->plan->fact->id));
    } else {
        read_rows(f, q, db, statement);
    }
    sqlite3_finalize(statement);
}

/* One transaction, so that all facts of a fetch see one state. Handlers point to the
 * stack and are taken away before it ends. */
static void run_all(ad_fetching *f, sqlite3 *db, ad_question **questions, size_t count,
                    int64_t deadline)
{
    turn t = {f, deadline, os_now_ms()};
    sqlite3_busy_handler(db, while_locked, &t);
    sqlite3_progress_handler(db, STEPS_BETWEEN_LOOKS, while_working, &t);
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        run_query(f, questions[i], db);
    }
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sqlite3_busy_handler(db, NULL, NULL);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}

/* Runs to its end on the caller's thread; while_working() drives the transfers of the
 * other sources meanwhile. */
void ad_sqlite_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count)
{
    int64_t deadline = ad_source_deadline(f, s);
    void *db;
    if (ad_fetching_take(f, &s->pool, deadline, &db)) {
        ad_answer_each(f, questions, count, AD_FACT_TIMEOUT,
                       "source '%.*s': all connections are in use",
                       MT_ARG(s->decl->id));
        return;
    }
    db = db ? db : open_connection(s);
    if (db) {
        run_all(f, db, questions, count, deadline);
    } else {
        ad_answer_each(f, questions, count, AD_FACT_UNREACHABLE,
                       "the database of source '%.*s' cannot be opened",
                       MT_ARG(s->decl->id));
    }
    ad_pool_give(&s->pool, db);
}
