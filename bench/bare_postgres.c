/* bench/bare_postgres.c - see bare_postgres.h. */
#include "bare_postgres.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { INSTANCES = 64, MOVE_EVERY_US = 10000, RECORD = 4096 };

static const char TABLES[] =
    "DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare;"
    "CREATE SEQUENCE bare.record_ids; CREATE SEQUENCE bare.seqs;"
    "CREATE TABLE bare.instances (LIKE motet.instances INCLUDING ALL);"
    "CREATE TABLE bare.pending (LIKE motet.pending INCLUDING ALL);"
    "CREATE TABLE bare.ledger (LIKE motet.ledger INCLUDING ALL);"
    "INSERT INTO bare.instances SELECT * FROM motet.instances";

static const char UPDATE[] =
    "UPDATE bare.instances SET state = 'n', version = version + 1, updated_ms = $2,"
    " last_operation = 'turn' WHERE scope = 'wheel' AND entity = 'Wheel' AND id = $1";

static const char QUEUE[] =
    "INSERT INTO bare.pending (id, kind, contract, flow, subject, time_ms, body) "
    "VALUES (nextval('bare.record_ids'), 'operation', 'wheel', '', 'Wheel/' || $1, $2,"
    " $3)";

static const char MOVE[] =
    "WITH taken AS (DELETE FROM bare.pending WHERE id IN"
    "  (SELECT id FROM bare.pending ORDER BY id LIMIT 1000) RETURNING *) "
    "INSERT INTO bare.ledger"
    " (seq, id, kind, contract, flow, subject, time_ms, body, hash)"
    " SELECT nextval('bare.seqs'), id, kind, contract, flow, subject, time_ms, body,"
    " sha256(convert_to(body, 'UTF8')) FROM taken";

static PGconn *writer, *mover;
static char record[RECORD];
static atomic_bool stopped;

static void must(const PGconn *c, bool fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "bare PostgreSQL: %s: %s\n", what, PQerrorMessage(c));
        exit(1);
    }
}

static void done(PGconn *c, PGresult *r, const char *what)
{
    must(c, PQresultStatus(r) == PGRES_COMMAND_OK, what);
    PQclear(r);
}

static PGconn *connect_to(const char *url)
{
    PGconn *c = PQconnectdb(url);
    must(c, PQstatus(c) == CONNECTION_OK, "connecting");
    done(c,
         PQexec(c, "SET jit = off; SET plan_cache_mode = force_generic_plan;"
                   "SET enable_seqscan = off; SET enable_hashjoin = off;"
                   "SET enable_mergejoin = off; SET client_min_messages = error"),
         "settings");
    return c;
}

static void copy_record(PGconn *c)
{
    PGresult *r = PQexec(c, "SELECT body FROM motet.ledger WHERE kind = 'operation' "
                            "ORDER BY seq DESC LIMIT 1");
    must(c, PQntuples(r) == 1, "no operation was recorded");
    snprintf(record, sizeof record, "%s", PQgetvalue(r, 0, 0));
    PQclear(r);
}

void bare_postgres_open(const char *url)
{
    static const Oid TYPES[] = {25, 20, 25};
    writer = connect_to(url);
    mover = connect_to(url);
    copy_record(writer);
    done(writer, PQexec(writer, TABLES), "tables");
    done(writer, PQprepare(writer, "update", UPDATE, 2, TYPES), "update");
    done(writer, PQprepare(writer, "queue", QUEUE, 3, TYPES), "queue");
    done(mover, PQprepare(mover, "move", MOVE, 0, NULL), "move");
}

void bare_postgres_close(void)
{
    done(writer, PQexec(writer, "DROP SCHEMA bare CASCADE"), "drop");
    PQfinish(writer);
    PQfinish(mover);
}

/* ---- Writing ---- */

static void send_one(unsigned instance)
{
    char id[16];
    const char *values[] = {id, "1700000000000", record};
    snprintf(id, sizeof id, "w%u", instance);
    must(writer,
         PQsendQueryPrepared(writer, "update", 2, values, NULL, NULL, 1) &&
             PQsendQueryPrepared(writer, "queue", 3, values, NULL, NULL, 1),
         "send");
}

/* Every statement changed one row. */
static void hear_one(void)
{
    PGresult *r = PQgetResult(writer);
    must(writer, r && strcmp(PQcmdTuples(r), "1") == 0, "one row");
    PQclear(r);
    PQclear(PQgetResult(writer)); /* the end of its results */
}

static void write_group(unsigned count)
{
    done(writer, PQexec(writer, "BEGIN"), "begin");
    must(writer, PQenterPipelineMode(writer), "pipeline");
    for (unsigned i = 0; i < count; i++) {
        send_one(i % INSTANCES);
    }
    must(writer, PQpipelineSync(writer), "sync");
    for (unsigned i = 0; i < 2 * count; i++) {
        hear_one();
    }
    PGresult *end = PQgetResult(writer);
    must(writer, PQresultStatus(end) == PGRES_PIPELINE_SYNC, "end of pipeline");
    PQclear(end);
    must(writer, PQexitPipelineMode(writer), "pipeline");
    done(writer, PQexec(writer, "COMMIT"), "commit");
}

static void *move_rows(void *unused)
{
    while (!atomic_load(&stopped)) {
        usleep(MOVE_EVERY_US);
        done(mover, PQexecPrepared(mover, "move", 0, NULL, NULL, NULL, 0), "move");
    }
    return unused;
}

double bare_postgres_rate(double group, double seconds)
{
    pthread_t thread;
    uint64_t began = bench_now(), until = began + (uint64_t)(seconds * 1e9);
    double written = 0, groups = 0;
    atomic_store(&stopped, false);
    if (pthread_create(&thread, NULL, move_rows, NULL)) {
        exit(1);
    }
    while (bench_now() < until) {
        unsigned count = (unsigned)(++groups * group - written + 0.5);
        write_group(count ? count : 1);
        written += count ? count : 1;
    }
    double rate = written * 1e9 / (double)(bench_now() - began);
    atomic_store(&stopped, true);
    pthread_join(thread, NULL);
    return rate;
}
