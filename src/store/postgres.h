/* store/postgres.h - one connection to PostgreSQL, always in pipeline mode.
 * Room: store, private to postgres.c and postgres_conn.c.
 * Statements are sent ahead: their answers are read with the next one whose rows are
 * needed at once, when AHEAD of them are under way, and with the commit. */
#ifndef ST_POSTGRES_H
#define ST_POSTGRES_H

#include "base/late_pq.h"
#include "store/driver.h"

enum { PG_AHEAD = 256 };

/* The answer to one statement, when it comes. */
typedef struct pg_due {
    mt_err if_none; /* when not exactly one row changed; MT_OK: any number */
    const char *letters;
    st_each *each;
    void *state;
} pg_due;

typedef struct pg_conn {
    st_conn head;
    PGconn *pg;
    bool begun;     /* the server has a transaction open, or is on its way to */
    bool draining;  /* the end of a reading transaction was sent, not awaited */
    unsigned syncs; /* synchronisation points whose answers were not read yet */
    unsigned ahead;
    unsigned unsure; /* of those: wrong ones would be committed all the same */
    pg_due due[PG_AHEAD];
    bool prepared[ST_STATEMENT_COUNT];
    mt_buf lists[ST_MAX_PARAMS]; /* of a statement for many rows */
} pg_conn;

/* How transactions begin and end: prepared when the connection is opened, so that the
 * server parses none of them again. */
typedef enum pg_bound {
    PG_BEGIN_WRITE,
    PG_BEGIN_READ,
    PG_COMMIT,
    PG_ROLLBACK,
    PG_BOUNDS
} pg_bound;

typedef struct pg_backend {
    st_pool pool;
    char *url; /* with its secrets: never shown */
} pg_backend;

/* MT_E_CLOSED with a sentence, MT_E_DENIED, MT_E_BUSY, MT_E_USAGE. */
mt_err pg_conn_open(const st_store *s, pg_conn **out, mt_buf *why);
void pg_conn_close(pg_conn *c);
/* Sends it; false: the connection is gone. */
bool pg_send_bound(pg_conn *c, pg_bound how);
/* Is an idle connection still good? Reads what is left of its last transaction. */
bool pg_conn_rested(pg_conn *c);
/* Reads results up to the synchronisation point that was sent last and is not counted
 * in `syncs`; false when the connection is gone. */
bool pg_sync(pg_conn *c);

/* Maps what the server said and breaks the transaction. */
mt_err pg_fail(st_tx *tx, const pg_conn *c, const PGresult *result);
mt_err pg_lost(st_tx *tx, const pg_conn *c);

#endif
