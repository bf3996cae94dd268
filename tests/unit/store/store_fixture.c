/* tests/unit/store/store_fixture.c - fresh stores of every backend. */
#include "store_fixture.h"

#include <dirent.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <unistd.h>

static char dir[64];
static char current[512];

const char *temp_dir(void)
{
    if (!*dir) {
        strcpy(dir, "/tmp/motet-store-XXXXXX");
        MT_ASSERT(mkdtemp(dir) != NULL);
    }
    return dir;
}

const char *temp_path(const char *name)
{
    static char paths[4][400];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", temp_dir(), name);
    return path;
}

void remove_store_file(const char *path)
{
    static const char *const ENDS[] = {"", "-wal", "-shm", "-journal", ".lock"};
    char name[420];
    for (size_t i = 0; i < rows_count(ENDS); i++) {
        snprintf(name, sizeof name, "%s%s", path, ENDS[i]);
        unlink(name);
    }
}

static const char *empty_file(void)
{
    static unsigned count;
    static char url[420];
    char name[32];
    snprintf(name, sizeof name, "store-%u.db", count++);
    snprintf(url, sizeof url, "sqlite:%s", temp_path(name));
    return url;
}

static void ignore(void *state, const char *message)
{
    (void)state;
    (void)message;
}

void on_postgres(const char *sql)
{
    PGconn *pg = PQconnectdb(getenv("MOTET_TEST_POSTGRES"));
    PQsetNoticeProcessor(pg, ignore, NULL);
    PGresult *done = PQexec(pg, sql);
    if (PQresultStatus(done) != PGRES_COMMAND_OK &&
        PQresultStatus(done) != PGRES_TUPLES_OK) {
        fail_msg("%s", PQerrorMessage(pg));
    }
    PQclear(done);
    PQfinish(pg);
}

static const char *empty_database(void)
{
    on_postgres("SET lock_timeout = 5000; DROP SCHEMA IF EXISTS motet CASCADE");
    return getenv("MOTET_TEST_POSTGRES");
}

backend BACKENDS[] = {{"sqlite", empty_file}, {"postgres", empty_database}};

/* tests/e2e/postgres.py starts a server and says where it is; by hand, without it, only
 * the first backend is tested. */
size_t backends_start(void)
{
    if (!getenv("MOTET_TEST_POSTGRES")) {
        print_message("MOTET_TEST_POSTGRES is not set: SQLite only\n");
        return 1;
    }
    return rows_count(BACKENDS);
}

static void remove_dir(void)
{
    DIR *d = *dir ? opendir(dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] != '.') {
            unlink(temp_path(e->d_name));
        }
    }
    if (d) {
        closedir(d);
        rmdir(dir);
    }
}

void backends_stop(void)
{
    remove_dir();
}

const char *current_url(void)
{
    return current;
}

st_store *again(void **state, const st_options *options)
{
    (void)state;
    mt_buf why = {0};
    st_store *s = NULL;
    mt_err err = st_open(current, options, &s, &why);
    if (err) {
        fail_msg("%s: %.*s", mt_err_name(err), MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return s;
}

st_store *fresh(void **state)
{
    static const st_options PATIENT = {.wait_ms = 60000}; /* on a busy machine */
    const backend *b = *state;
    snprintf(current, sizeof current, "%s", b->empty());
    return again(state, &PATIENT);
}

void both_add(rows_list *l, const char *name, CMUnitTestFunction run)
{
    static size_t count;
    count = count ? count : backends_start();
    for (size_t i = 0; i < count; i++) {
        char *full = mt_xmalloc(strlen(name) + 32);
        sprintf(full, "%s: %s", BACKENDS[i].name, name);
        rows_add_one(l, full, run, &BACKENDS[i]);
    }
}

st_tx *begin(st_store *s, st_mode mode)
{
    st_tx *tx = NULL;
    assert_fine(st_begin(s, mode, &tx));
    return tx;
}

st_instance an_instance(const char *id)
{
    return (st_instance){.scope = MT_STR("escrow"),
                         .entity = MT_STR("Account"),
                         .id = mt_str_z(id),
                         .state = MT_STR("held"),
                         .created_ms = 1000,
                         .updated_ms = 1000};
}

st_flow a_flow(const char *id)
{
    return (st_flow){.id = mt_str_z(id),
                     .contract = MT_STR("escrow"),
                     .etag = MT_STR("e1"),
                     .flow = MT_STR("release"),
                     .persona = MT_STR("buyer"),
                     .initiator = MT_STR("tok-1"),
                     .status = MT_STR("running"),
                     .outcome = MT_STR("none"),
                     .waiting_step = MT_STR("step"),
                     .waiting_persona = MT_STR("agent"),
                     .bindings = MT_STR("{\"Account\":\"a-1\"}"),
                     .facts = MT_STR("{\"amount\":\"10.00\"}"),
                     .position = MT_STR("at"),
                     .extra = MT_STR("{}"),
                     .started_ms = 5,
                     .updated_ms = 6};
}

st_record a_record(int64_t seq)
{
    return (st_record){.seq = seq,
                       .kind = MT_STR("operation"),
                       .contract = MT_STR("escrow"),
                       .flow = MT_STR("f-1"),
                       .subject = MT_STR("Account/a-1"),
                       .time_ms = 100 + seq,
                       .body = MT_STR("{\"n\":1}"),
                       .hash = MT_STR("\0\1\2\3\4\5\6\7\0\1\2\3\4\5\6\7"
                                      "\0\1\2\3\4\5\6\7\0\1\2\3\4\5\6\xff")};
}

st_trigger a_trigger(const char *id, int64_t due_ms)
{
    return (st_trigger){.id = mt_str_z(id),
                        .status = MT_STR("pending"),
                        .body = MT_STR("{\"to\":\"b\"}"),
                        .due_ms = due_ms,
                        .created_ms = 1};
}
