/* bench/bench_store.c - what the store costs, beside the same writes done bare.
 * One operation changes an instance and adds a ledger record. Bare means the two
 * statements and nothing else, prepared, on the same tables: SQLite in groups of 1, 16
 * and 256 to a commit, PostgreSQL with 1 and 8 clients and one operation to a commit.
 * The PostgreSQL server is our own and waits for the disk. */
#include <libpq-fe.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "store/store.h"

#ifndef WITH_POSTGRES
#define WITH_POSTGRES "tests/e2e/postgres.py"
#endif

enum { INSTANCES = 20000, BODY = 600, MAX_GROUP = 256, MAX_CLIENTS = 8 };

static const double SECONDS = 0.7; /* of each rate */

static char body[BODY + 1];

static void must(bool fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "bench_store: %s failed\n", what);
        exit(1);
    }
}

static mt_str id_of(uint64_t n, char room[32])
{
    snprintf(room, 32, "acct-%06u", (unsigned)(n * 7919 % INSTANCES));
    return mt_str_z(room);
}

static st_instance instance_of(mt_str id)
{
    return (st_instance){.scope = MT_STR("escrow"),
                         .entity = MT_STR("EscrowAccount"),
                         .id = id,
                         .state = MT_STR("held")};
}

static st_store *open_filled(const char *url)
{
    st_store *s = NULL;
    must(!st_open(url, &(st_options){.pool = 16}, &s, NULL), "opening the store");
    st_tx *tx = NULL;
    must(!st_begin(s, ST_WRITE, &tx), "begin");
    for (uint64_t i = 0; i < INSTANCES; i++) {
        char room[32];
        st_instance row = instance_of(id_of(i, room));
        must(!st_instance_add(tx, &row), "adding an instance");
    }
    must(!st_commit(tx), "commit");
    return s;
}

/* ---- Through store.h ---- */

typedef struct client {
    st_store *store;
    sqlite3 *db;
    sqlite3_stmt *statements[4];
    PGconn *pg;
    uint64_t first, step, group; /* operations first, first + step, … */
    int64_t seq;
    mt_arena arena;
    uint64_t done;
    uint64_t stop_at; /* bench_now() */
} client;

/* One group of operations, one commit. */
static void store_group(client *c)
{
    st_instance rows[MAX_GROUP];
    bool found[MAX_GROUP];
    char rooms[MAX_GROUP][32], subjects[MAX_GROUP][64];
    st_record records[MAX_GROUP];
    int64_t was[MAX_GROUP];
    st_tx *tx = NULL;
    for (uint64_t i = 0; i < c->group; i++) {
        uint64_t n = c->first + c->step * (c->done + i);
        rows[i] = instance_of(id_of(n, rooms[i]));
    }
    must(!st_begin(c->store, ST_WRITE, &tx), "begin");
    must(!st_instances_lock(tx, &c->arena, rows, found, c->group), "lock");
    for (uint64_t i = 0; i < c->group; i++) {
        snprintf(subjects[i], sizeof subjects[i], "EscrowAccount/%s", rooms[i]);
        records[i] = (st_record){.seq = c->seq + (int64_t)i,
                                 .kind = MT_STR("operation"),
                                 .contract = MT_STR("escrow"),
                                 .subject = mt_str_z(subjects[i]),
                                 .body = mt_str_from(body, BODY),
                                 .hash = mt_str_from(body, 32)};
        was[i] = rows[i].version++;
    }
    must(!st_instances_put(tx, rows, was, c->group), "put");
    if (st_is_shared(c->store)) {
        must(!st_pending_add(tx, records, c->group), "queue");
    } else {
        must(!st_ledger_add(tx, records, c->group), "ledger");
        c->seq += (int64_t)c->group;
    }
    must(!st_commit(tx), "commit");
    mt_arena_reset(&c->arena);
}

/* ---- Bare ---- */

#define BARE_UPDATE(table, p1)                                                         \
    "UPDATE " table "instances SET state = 'held', version = version + 1 "             \
    "WHERE scope = 'escrow' AND entity = 'EscrowAccount' AND id = " p1

static void bare_prepare(client *c, const char *path)
{
    static const char *const SQL[] = {
        "BEGIN IMMEDIATE", "COMMIT", BARE_UPDATE("", "?1"),
        "INSERT INTO ledger (seq, id, kind, contract, flow, subject, time_ms, body, "
        "hash) VALUES (?2, ?2, 'operation', 'escrow', '', 'EscrowAccount/' || ?1, 0, "
        "?3, CAST(substr(?3, 1, 32) AS BLOB))"};
    must(!sqlite3_open(path, &c->db), "opening bare");
    sqlite3_exec(c->db,
                 "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000;"
                 "PRAGMA cache_size = -32768",
                 NULL, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        must(!sqlite3_prepare_v2(c->db, SQL[i], -1, &c->statements[i], NULL), SQL[i]);
    }
}

static void bare_step(sqlite3_stmt *stmt)
{
    must(sqlite3_step(stmt) == SQLITE_DONE, "bare step");
    sqlite3_reset(stmt);
}

static void sqlite_group(client *c)
{
    bare_step(c->statements[0]);
    for (uint64_t i = 0; i < c->group; i++) {
        char room[32];
        mt_str id = id_of(c->first + c->step * (c->done + i), room);
        for (int k = 2; k < 4; k++) {
            sqlite3_bind_text(c->statements[k], 1, id.ptr, (int)id.len, SQLITE_STATIC);
        }
        sqlite3_bind_int64(c->statements[3], 2, ++c->seq);
        sqlite3_bind_text(c->statements[3], 3, body, BODY, SQLITE_STATIC);
        bare_step(c->statements[2]);
        bare_step(c->statements[3]);
    }
    bare_step(c->statements[1]);
}

static void pg_done(PGresult *r)
{
    must(PQresultStatus(r) == PGRES_COMMAND_OK, "bare statement");
    PQclear(r);
}

static void pg_prepare(client *c, const char *url)
{
    c->pg = PQconnectdb(url);
    must(PQstatus(c->pg) == CONNECTION_OK, "connecting");
    pg_done(PQprepare(c->pg, "u", BARE_UPDATE("motet.", "$1"), 0, NULL));
    pg_done(PQprepare(
        c->pg, "i",
        "INSERT INTO motet.pending (id, kind, contract, flow, subject, time_ms, body) "
        "VALUES (nextval('motet.record_ids'), 'operation', 'escrow', '', "
        "'EscrowAccount/' || $1::text, 0, $2)",
        0, NULL));
}

static void pg_group(client *c)
{
    char room[32];
    mt_str id = id_of(c->first + c->step * c->done, room);
    const char *values[] = {id.ptr, body};
    pg_done(PQexec(c->pg, "BEGIN"));
    pg_done(PQexecPrepared(c->pg, "u", 1, values, NULL, NULL, 0));
    pg_done(PQexecPrepared(c->pg, "i", 2, values, NULL, NULL, 0));
    pg_done(PQexec(c->pg, "COMMIT"));
}

/* ---- Rates ---- */

typedef struct job {
    client *client;
    void (*group)(client *);
} job;

static void *work(void *state)
{
    job *j = state;
    while (bench_now() < j->client->stop_at) {
        j->group(j->client);
        j->client->done += j->client->group;
    }
    return NULL;
}

/* Operations a second of all clients together. */
static double rate(client *clients, unsigned count, void (*group)(client *))
{
    pthread_t threads[MAX_CLIENTS];
    job jobs[MAX_CLIENTS];
    uint64_t start = bench_now(), done = 0;
    for (unsigned i = 0; i < count; i++) {
        clients[i].done = 0;
        clients[i].stop_at = start + (uint64_t)(SECONDS * 1e9);
        jobs[i] = (job){&clients[i], group};
        must(!pthread_create(&threads[i], NULL, work, &jobs[i]), "thread");
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        done += clients[i].done;
    }
    return (double)done * 1e9 / (double)(bench_now() - start);
}

static void read_one(void *state, uint64_t n)
{
    client *c = state;
    for (uint64_t i = 0; i < n; i++) {
        char room[32];
        st_instance row = instance_of(id_of(i, room));
        st_tx *tx = NULL;
        must(!st_begin(c->store, ST_READ, &tx), "begin");
        must(!st_instance_get(tx, &c->arena, row.scope, row.entity, row.id, &row),
             "get");
        st_rollback(tx);
        mt_arena_reset(&c->arena);
    }
}

static void remove_files(const char *path)
{
    static const char *const ENDS[] = {"", "-wal", "-shm", ".lock"};
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", path, ENDS[i]);
        unlink(name);
    }
}

static void bench_sqlite(const char *dir)
{
    static const uint64_t GROUPS[] = {1, 16, 256};
    char path[2][200];
    snprintf(path[0], sizeof path[0], "%s/bare.db", dir);
    snprintf(path[1], sizeof path[1], "%s/store.db", dir);
    st_close(open_filled(path[0]));
    client bare = {.step = 1, .seq = 0}, own = {.step = 1};
    bare_prepare(&bare, path[0]);
    own.store = open_filled(path[1]);
    bench_report("store.sqlite_read", bench_ns(read_one, &own) / 1000, "us", NULL, NAN,
                 5, BENCH_LOWER);
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        bare.group = own.group = GROUPS[i];
        double ceiling = rate(&bare, 1, sqlite_group);
        double got = rate(&own, 1, store_group);
        snprintf(name, sizeof name, "store.sqlite_%u", (unsigned)GROUPS[i]);
        bench_report(name, got, "operations/s", "bare SQLite", ceiling, NAN,
                     BENCH_HIGHER);
    }
    for (int i = 0; i < 4; i++) {
        sqlite3_finalize(bare.statements[i]);
    }
    sqlite3_close(bare.db);
    st_close(own.store);
    mt_arena_free(&own.arena);
    remove_files(path[0]);
    remove_files(path[1]);
}

static void bench_postgres(const char *url)
{
    static const unsigned COUNTS[] = {1, 8};
    client bare[MAX_CLIENTS] = {{0}}, own[MAX_CLIENTS] = {{0}};
    st_store *s = open_filled(url);
    for (unsigned i = 0; i < MAX_CLIENTS; i++) {
        bare[i] = (client){.first = i, .step = MAX_CLIENTS, .group = 1};
        own[i] = bare[i];
        own[i].store = s;
        pg_prepare(&bare[i], url);
    }
    for (size_t i = 0; i < 2; i++) {
        char name[64];
        double ceiling = rate(bare, COUNTS[i], pg_group);
        double got = rate(own, COUNTS[i], store_group);
        snprintf(name, sizeof name, "store.pg_%u", COUNTS[i]);
        bench_report(name, got, "operations/s", "bare PostgreSQL", ceiling, NAN,
                     BENCH_HIGHER);
    }
    own[0].group = 64;
    bench_report("store.pg_group_64", rate(own, 1, store_group), "operations/s", NULL,
                 NAN, NAN, BENCH_HIGHER);
    for (unsigned i = 0; i < MAX_CLIENTS; i++) {
        PQfinish(bare[i].pg);
        mt_arena_free(&own[i].arena);
    }
    st_close(s);
}

int main(int argc, char **argv)
{
    (void)argc;
    const char *url = getenv("MOTET_TEST_POSTGRES");
    if (!url) { /* once more, with a server around us */
        execlp("python3", "python3", WITH_POSTGRES, "--durable", argv[0], NULL);
        must(false, "starting PostgreSQL");
    }
    memset(body, 'x', BODY);
    char dir[] = "/tmp/motet-bench-XXXXXX";
    must(mkdtemp(dir) != NULL, "mkdtemp");
    bench_sqlite(dir);
    rmdir(dir);
    bench_postgres(url);
    return 0;
}
