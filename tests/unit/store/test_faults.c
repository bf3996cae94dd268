/* store/store.h when the world fails: full disks, damaged files, killed processes,
 * databases that go away, and other programs on the same store. */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/statements.h"
#include "store_fixture.h"

static bool on_sqlite(void **state)
{
    return *state == &BACKENDS[0];
}

static const char *file_of_store(void)
{
    return current_url() + sizeof "sqlite:" - 1;
}

static void assert_opens(const char *url, const st_options *options, mt_err want,
                         const char *saying)
{
    st_store *s = NULL;
    mt_buf why = {0};
    mt_err err = st_open(url, options, &s, &why);
    mt_buf_addc(&why, 0);
    assert_err(err, want);
    assert_true((s != NULL) == (want == MT_OK));
    if (saying && !strstr(why.ptr, saying)) {
        fail_msg("it said: %s", why.ptr);
    }
    mt_buf_free(&why);
    st_close(s);
}

static void on_file(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(file_of_store(), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void on_database(void **state, const char *sql, const char *postgres)
{
    if (on_sqlite(state)) {
        on_file(sql);
    } else {
        on_postgres(postgres);
    }
}

static mt_err add_with_body(st_store *s, const char *id, size_t bytes)
{
    mt_arena a = {0};
    char *body = mt_alloc(&a, bytes);
    memset(body, 'x', bytes);
    st_doc doc = {
        .kind = MT_STR("k"), .id = mt_str_z(id), .body = mt_str_from(body, bytes)};
    st_tx *tx = NULL;
    mt_err err = st_begin(s, ST_WRITE, &tx);
    err = err ? err : st_doc_put(tx, &doc);
    if (tx && err) {
        st_rollback(tx);
    } else if (tx) {
        err = st_commit(tx);
    }
    mt_arena_free(&a);
    return err;
}

static bool has_doc(st_store *s, const char *id)
{
    mt_arena a = {0};
    st_doc doc;
    st_tx *tx = begin(s, ST_READ);
    mt_err err = st_doc_get(tx, &a, MT_STR("k"), mt_str_z(id), &doc);
    st_rollback(tx);
    mt_arena_free(&a);
    return err == MT_OK;
}

/* ---- Versions ---- */

static void a_store_of_a_newer_program_is_refused(void **state)
{
    st_close(fresh(state));
    on_database(state, "UPDATE meta SET number = 99 WHERE name = 'schema'",
                "UPDATE motet.meta SET number = 99 WHERE name = 'schema'");
    assert_opens(current_url(), NULL, MT_E_VERSION, "schema 99");
    st_options reader = {.read_only = true};
    assert_opens(current_url(), &reader, MT_E_VERSION, "schema 99");
}

static void a_store_without_a_version_is_refused(void **state)
{
    st_close(fresh(state));
    on_database(state, "DELETE FROM meta", "DELETE FROM motet.meta");
    assert_opens(current_url(), NULL, MT_E_CORRUPT, "no schema version");
}

static void a_reader_creates_nothing(void **state)
{
    st_store *s = fresh(state);
    st_close(s);
    const backend *b = *state;
    const char *empty = b->empty();
    st_options reader = {.read_only = true}, careful = {.must_exist = true};
    assert_opens(empty, &reader, MT_E_NOTFOUND, NULL);
    assert_opens(empty, &careful, MT_E_NOTFOUND, NULL);
}

static void a_reader_reads_and_writes_nothing(void **state)
{
    st_store *s = fresh(state);
    assert_fine(add_with_body(s, "d", 10));
    st_options options = {.read_only = true};
    st_store *reader = again(state, &options);
    assert_true(has_doc(reader, "d"));
    assert_err(add_with_body(reader, "e", 10), MT_E_DENIED);
    st_close(reader);
    st_close(s);
    reader = again(state, &options); /* also when nobody else has it open */
    assert_true(has_doc(reader, "d"));
    st_close(reader);
}

/* ---- Waiting ---- */

static void a_full_pool_is_busy_after_the_wait(void **state)
{
    st_close(fresh(state));
    st_options options = {.pool = 1, .wait_ms = 50};
    st_store *s = again(state, &options);
    st_tx *first = begin(s, ST_READ), *second = NULL;
    assert_err(st_begin(s, ST_READ, &second), MT_E_BUSY);
    assert_null(second);
    st_rollback(first);
    st_rollback(begin(s, ST_READ));
    st_close(s);
}

static void a_lock_held_too_long_is_busy(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    st_tx *tx = begin(s, ST_WRITE);
    st_instance row = an_instance("a"), other = row;
    bool found;
    assert_fine(st_instance_add(tx, &row));
    assert_fine(st_commit(tx));
    tx = begin(s, ST_WRITE);
    assert_fine(st_instances_lock(tx, &a, &row, &found, 1));
    st_options options = {.wait_ms = 50, .shared_tool = true};
    st_store *tool = again(state, &options);
    st_tx *late = NULL;
    mt_err err = st_begin(tool, ST_WRITE, &late);
    if (!err) {
        err = st_instances_lock(late, &a, &other, &found, 1);
        st_rollback(late);
    }
    assert_err(err, MT_E_BUSY);
    assert_fine(st_commit(tx));
    st_close(tool);
    st_close(s);
    mt_arena_free(&a);
}

static mt_err lock(st_tx *tx, bool shared)
{
    mt_err err = st_lock_soon(tx, "l", shared);
    return err ? err : st_settle(tx);
}

static void a_named_lock_is_shared_or_held_alone(void **state)
{
    st_store *s = fresh(state);
    if (!st_is_shared(s)) {
        st_tx *tx = begin(s, ST_WRITE); /* whoever writes is alone */
        assert_fine(lock(tx, true));
        assert_fine(lock(tx, false));
        st_rollback(tx);
        st_close(s);
        return;
    }
    st_options options = {.wait_ms = 50};
    st_store *hasty = again(state, &options);
    st_tx *first = begin(s, ST_WRITE), *second = begin(hasty, ST_WRITE);
    assert_fine(lock(first, true));
    assert_fine(lock(second, true));
    st_rollback(second);
    second = begin(hasty, ST_WRITE);
    assert_err(lock(second, false), MT_E_BUSY);
    st_rollback(second);
    st_rollback(first);
    second = begin(hasty, ST_WRITE);
    assert_fine(lock(second, false));
    st_rollback(second);
    st_close(hasty);
    st_close(s);
}

static void a_tool_writes_beside_the_server(void **state)
{
    st_store *s = fresh(state);
    st_options options = {.shared_tool = true};
    st_store *tool = again(state, &options);
    int64_t before, after;
    st_tx *tx = begin(s, ST_READ);
    assert_fine(st_doc_stamp(tx, MT_STR("k"), &before));
    st_rollback(tx);
    assert_fine(add_with_body(tool, "from-tool", 100));
    assert_fine(add_with_body(s, "from-server", 100));
    assert_true(has_doc(s, "from-tool") && has_doc(tool, "from-server"));
    tx = begin(s, ST_READ);
    assert_fine(st_doc_stamp(tx, MT_STR("k"), &after));
    st_rollback(tx);
    assert_int_equal(after, before + 2);
    st_close(tool);
    st_close(s);
}

/* ---- Killed ---- */

/* One transaction after the other, each two rows and a record; says so when done. */
static void work_until_killed(st_store *s, int acknowledge)
{
    for (int64_t i = 0;; i++) {
        char id[2][32];
        st_tx *tx;
        st_record record = a_record(i);
        if (st_begin(s, ST_WRITE, &tx)) {
            _exit(1);
        }
        mt_err err = MT_OK;
        for (int k = 0; k < 2 && !err; k++) {
            snprintf(id[k], sizeof id[k], "%c-%06lld", 'a' + k, (long long)i);
            st_instance row = an_instance(id[k]);
            err = st_instance_add(tx, &row);
        }
        err = err ? err : st_ledger_add(tx, &record, 1);
        err = err ? err : st_ledger_set_tail(tx, i + 1, MT_STR("t"));
        if (err || st_commit(tx) || write(acknowledge, "+", 1) != 1) {
            _exit(2);
        }
    }
}

static mt_err count_row(void *state, const st_instance *row)
{
    (void)row;
    ++*(int64_t *)state;
    return MT_OK;
}

static void assert_whole(st_store *s, int64_t acknowledged)
{
    mt_arena a = {0};
    st_tx *tx = begin(s, ST_READ);
    int64_t size = 0, rows = 0;
    mt_str tail;
    st_record record;
    st_instance_filter all = {.scope = MT_STR("escrow")};
    assert_fine(st_ledger_tail(tx, &a, &size, &tail));
    assert_fine(st_instance_walk(tx, &all, (st_page){0}, count_row, &rows));
    assert_int_equal(rows, 2 * size);
    assert_true(size == acknowledged || size == acknowledged + 1);
    assert_err(st_record_at(tx, &a, size, &record), MT_E_NOTFOUND);
    if (size) {
        assert_fine(st_record_at(tx, &a, size - 1, &record));
    }
    st_rollback(tx);
    mt_arena_free(&a);
}

static void a_killed_writer_leaves_nothing_half_done(void **state)
{
    dice d = dice_from_environment();
    for (size_t round = 0; round < soak_or(200, 6); round++) {
        int ends[2];
        st_close(fresh(state));
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            st_store *s = NULL;
            if (st_open(current_url(), NULL, &s, NULL)) {
                _exit(3);
            }
            work_until_killed(s, ends[1]);
        }
        close(ends[1]);
        usleep((useconds_t)(20000 + dice_below(&d, 60000)));
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        char sink[256];
        int64_t acknowledged = 0;
        for (ssize_t got; (got = read(ends[0], sink, sizeof sink)) > 0;) {
            acknowledged += got;
        }
        close(ends[0]);
        st_store *s = again(state, NULL);
        assert_whole(s, acknowledged);
        st_close(s);
    }
}

/* ---- One file ---- */

static void a_file_has_one_server(void **state)
{
    st_store *s = fresh(state);
    assert_opens(current_url(), NULL, MT_E_BUSY, "in use by another server");
    assert_opens(current_url(), &(st_options){.shared_tool = true}, MT_OK, NULL);
    assert_opens(current_url(), &(st_options){.read_only = true}, MT_OK, NULL);
    assert_opens(current_url(), NULL, MT_E_BUSY, "in use by another server");
    st_close(s);
    assert_opens(current_url(), NULL, MT_OK, NULL);
}

static void a_claim_dies_with_its_process(void **state)
{
    st_close(fresh(state));
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        st_store *s = NULL;
        char yes = st_open(current_url(), NULL, &s, NULL) == MT_OK ? 'y' : 'n';
        _exit(write(ends[1], &yes, 1) == 1 && pause() ? 1 : 2);
    }
    char answer = 0;
    assert_int_equal(read(ends[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    assert_opens(current_url(), NULL, MT_E_BUSY, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    assert_opens(current_url(), NULL, MT_OK, NULL);
}

static void only_its_owner_may_read_a_file(void **state)
{
    static const char *const ENDS[] = {"", "-wal", "-shm", ".lock"};
    st_store *s = fresh(state);
    assert_fine(add_with_body(s, "a", 10));
    for (size_t i = 0; i < rows_count(ENDS); i++) {
        char path[500];
        struct stat info;
        snprintf(path, sizeof path, "%s%s", file_of_store(), ENDS[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    st_close(s);
}

/* A file may not grow past the limit: the disk is full. */
static void a_full_disk_undoes_the_transaction_alone(void **state)
{
    st_store *s = fresh(state);
    assert_fine(add_with_body(s, "before", 1000));
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 1 << 20;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    mt_err err = add_with_body(s, "too large", 4 << 20);
    bool reads = has_doc(s, "before") && !has_doc(s, "too large");
    mt_err little = add_with_body(s, "little", 1000);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_err(err, MT_E_IO);
    assert_true(reads);
    assert_fine(little);
    assert_fine(add_with_body(s, "too large", 4 << 20));
    st_close(s);
    s = again(state, NULL);
    assert_true(has_doc(s, "before") && has_doc(s, "little") &&
                has_doc(s, "too large"));
    st_close(s);
}

/* Root may write everything, so somebody else tries. */
static void a_file_that_may_not_be_written_is_refused(void **state)
{
    st_close(fresh(state));
    assert_int_equal(chmod(temp_dir(), 0755), 0);
    assert_int_equal(chmod(file_of_store(), 0444), 0);
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && setuid(65534)) {
            _exit(9);
        }
        st_store *s = NULL;
        st_options tool = {.shared_tool = true}, reader = {.read_only = true};
        mt_err server = st_open(current_url(), NULL, &s, NULL);
        mt_err shared = st_open(current_url(), &tool, &s, NULL);
        mt_err reads = st_open(current_url(), &reader, &s, NULL);
        _exit((server == MT_E_IO) | (shared == MT_E_IO) << 1 | (reads == MT_OK) << 2);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), getuid() == 0 ? 7 : 6);
}

static void no_directory_no_store(void **state)
{
    (void)state;
    assert_opens("sqlite:/no/such/directory/x.db", NULL, MT_E_NOTFOUND, "cannot open");
    assert_opens("sqlite:", NULL, MT_E_USAGE, "file name");
    assert_opens(temp_dir(), NULL, MT_E_IO, NULL);
}

static void write_file(const char *path, const char *bytes, size_t len, off_t at)
{
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, len, at), len);
    close(fd);
}

static void somebody_elses_file_is_refused_and_kept(void **state)
{
    (void)state;
    static const char TEXT[] = "this is a letter to my aunt, not a database at all";
    const char *path = temp_path("letter.txt");
    write_file(path, TEXT, sizeof TEXT, 0);
    assert_opens(path, NULL, MT_E_CORRUPT, "not a database");
    char back[sizeof TEXT];
    int fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, back, sizeof back), sizeof back);
    assert_string_equal(back, TEXT);
    close(fd);
    remove_store_file(path);

    sqlite3 *db;
    path = temp_path("other.db");
    sqlite3_open(path, &db);
    sqlite3_exec(db, "CREATE TABLE shop (a)", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_opens(path, NULL, MT_E_CORRUPT, "not a Motet store");
    remove_store_file(path);
}

static mt_err see_doc(void *state, const st_doc *row)
{
    ++*(size_t *)state;
    return row->body.len ? MT_OK : MT_E_CORRUPT;
}

static mt_err walk_everything(st_store *s)
{
    size_t count = 0, rows = 0;
    st_tx *tx;
    st_instance_filter all = {.scope = MT_STR("escrow")};
    mt_err err = st_begin(s, ST_READ, &tx);
    if (err) {
        return err;
    }
    err = st_doc_walk(tx, MT_STR("k"), MT_STR(""), (st_page){0}, see_doc, &count);
    mt_err more =
        err ? MT_OK : st_instance_walk(tx, &all, (st_page){0}, count_row, &rows);
    st_rollback(tx);
    return err ? err : more ? more : count == 60 ? MT_OK : MT_E_CORRUPT;
}

/* Whatever bytes change: an error or the rows, never a crash. */
static void a_damaged_file_is_an_error_not_a_crash(void **state)
{
    dice d = dice_from_environment();
    size_t refused = 0, rounds = soak_or(2000, 60);
    for (size_t round = 0; round < rounds; round++) {
        st_store *s = fresh(state);
        st_tx *tx = begin(s, ST_WRITE);
        for (int i = 0; i < 60; i++) {
            char id[16];
            snprintf(id, sizeof id, "d-%d", i);
            st_doc doc = {.kind = MT_STR("k"),
                          .id = mt_str_z(id),
                          .body = MT_STR("some text that fills a page before long")};
            st_instance row = an_instance(id);
            assert_fine(st_doc_put(tx, &doc));
            assert_fine(st_instance_add(tx, &row));
        }
        assert_fine(st_commit(tx));
        st_close(s);
        struct stat info;
        assert_int_equal(stat(file_of_store(), &info), 0);
        if (round % 4 == 0) {
            off_t cut = (off_t)dice_below(&d, (size_t)info.st_size);
            assert_int_equal(truncate(file_of_store(), cut ? cut : 1), 0);
        }
        for (int i = 0; round % 4 && i < 40; i++) {
            char noise = (char)dice_next(&d);
            write_file(file_of_store(), &noise, 1,
                       (off_t)dice_below(&d, (size_t)info.st_size));
        }
        mt_err err = st_open(current_url(), NULL, &s, NULL);
        if (!err) {
            err = walk_everything(s);
            (void)add_with_body(s, "after", 5000);
            st_close(s);
        }
        refused += err != MT_OK;
        remove_store_file(file_of_store());
    }
    assert_true(refused > rounds / 8);
}

/* SQLite counts parameters by appearance; results must have the columns we read. */
static void every_statement_fits_its_letters(void **state)
{
    st_close(fresh(state));
    sqlite3 *db;
    sqlite3_open(file_of_store(), &db);
    for (int id = 0; id < ST_STATEMENT_COUNT; id++) {
        const st_statement *st = &ST_STATEMENTS[id];
        sqlite3_stmt *stmt = NULL;
        if (!*st->sqlite) {
            continue;
        }
        if (sqlite3_prepare_v2(db, st->sqlite, -1, &stmt, NULL)) {
            fail_msg("%s: %s", st->sqlite, sqlite3_errmsg(db));
        }
        int params = sqlite3_bind_parameter_count(stmt);
        assert_int_equal(params, strlen(st->params));
        assert_int_equal(sqlite3_column_count(stmt), strlen(st->results));
        for (int i = 1; i <= params; i++) {
            char want[16];
            snprintf(want, sizeof want, "$%d", i);
            assert_string_equal(sqlite3_bind_parameter_name(stmt, i), want);
        }
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
}

static void assert_plan(sqlite3 *db, st_statement_id id, const char *uses)
{
    char sql[2000];
    sqlite3_stmt *stmt;
    snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", ST_STATEMENTS[id].sqlite);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    char plan[1000] = "";
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        size_t len = strlen(plan);
        snprintf(plan + len, sizeof plan - len, "%s; ",
                 (const char *)sqlite3_column_text(stmt, 3));
    }
    /* No second pass to sort. */
    if (!strstr(plan, uses) || strstr(plan, "TEMP B-TREE") || strstr(plan, "SCAN")) {
        fail_msg("%s\nplan: %s", sql, plan);
    }
    sqlite3_finalize(stmt);
}

static void walks_use_their_index(void **state)
{
    static const struct {
        st_statement_id id;
        const char *uses;
    } ROWS[] = {
        {ST_SQL_INSTANCE_GET, "USING PRIMARY KEY"},
        {ST_SQL_INSTANCE_WALK, "USING PRIMARY KEY"},
        {ST_SQL_INSTANCE_WALK_ALL, "USING PRIMARY KEY"},
        {ST_SQL_FLOW_WALK_OPEN, "flows_open"},
        {ST_SQL_RECORD_WALK_UP, "INTEGER PRIMARY KEY"},
        {ST_SQL_RECORD_WALK_DOWN, "INTEGER PRIMARY KEY"},
        {ST_SQL_SUBJECT_WALK_UP, "ledger_subject"},
        {ST_SQL_SUBJECT_WALK_DOWN, "ledger_subject"},
        {ST_SQL_SUBJECT_WALK_UP, "SEARCH subjects USING PRIMARY KEY"},
        {ST_SQL_SUBJECT_WALK_DOWN, "SEARCH subjects USING PRIMARY KEY"},
        {ST_SQL_RECORD_FLOW_UP, "ledger_flow"},
        {ST_SQL_RECORD_FLOW_DOWN, "ledger_flow"},
        {ST_SQL_TRIGGER_TAKE, "triggers_due"},
        {ST_SQL_DOC_WALK_TAG, "docs_tag"},
    };
    st_close(fresh(state));
    sqlite3 *db;
    sqlite3_open(file_of_store(), &db);
    for (size_t i = 0; i < rows_count(ROWS); i++) {
        assert_plan(db, ROWS[i].id, ROWS[i].uses);
    }
    sqlite3_close(db);
}

/* ---- One database ---- */

static void a_database_goes_and_comes_back(void **state)
{
    mt_arena a = {0};
    st_store *s = fresh(state);
    assert_fine(add_with_body(s, "before", 100));
    st_tx *tx = begin(s, ST_WRITE), *idle = begin(s, ST_READ);
    st_instance row = an_instance("lost");
    assert_fine(st_instance_add(tx, &row));
    assert_int_equal(system(getenv("MOTET_TEST_POSTGRES_STOP")) & 0xff00, 0);
    assert_err(st_commit(tx), MT_E_CLOSED);
    assert_err(st_instance_get(idle, &a, row.scope, row.entity, row.id, &row),
               MT_E_CLOSED);
    assert_true(st_why(idle).len > 0);
    st_rollback(idle);
    assert_err(st_ping(s), MT_E_CLOSED);
    assert_err(add_with_body(s, "while", 100), MT_E_CLOSED);
    assert_int_equal(system(getenv("MOTET_TEST_POSTGRES_START")) & 0xff00, 0);
    assert_fine(st_ping(s));
    assert_fine(add_with_body(s, "after", 100));
    assert_true(has_doc(s, "before") && has_doc(s, "after") && !has_doc(s, "while"));
    tx = begin(s, ST_READ);
    assert_err(st_instance_get(tx, &a, row.scope, row.entity, row.id, &row),
               MT_E_NOTFOUND);
    st_rollback(tx);
    st_close(s);
    mt_arena_free(&a);
}

static void a_broken_connection_is_replaced(void **state)
{
    st_store *s = fresh(state);
    assert_fine(add_with_body(s, "before", 100));
    on_postgres("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'motet'");
    usleep(100000);
    assert_fine(add_with_body(s, "after", 100));
    assert_fine(st_ping(s));
    st_close(s);
}

static void a_password_is_never_shown(void **state)
{
    (void)state;
    static const char *const URLS[] = {
        "postgresql://someone:s3cret@127.0.0.1:1/none",
        "postgresql://someone:s3cret@[bad",
        "postgresql://someone:s3cret@/none?host=/no/such/dir&password=s3cret",
        "postgresql://someone:s3cret@/x?nonsense=s3cret",
        "postgres://someone:s3cret%zz@/x",
    };
    for (size_t i = 0; i < rows_count(URLS); i++) {
        st_store *s = NULL;
        mt_buf why = {0};
        mt_err err = st_open(URLS[i], NULL, &s, &why);
        mt_buf_addc(&why, 0);
        assert_true(err == MT_E_CLOSED || err == MT_E_USAGE);
        assert_true(why.len > 10);
        if (strstr(why.ptr, "s3cret")) {
            fail_msg("it said: %s", why.ptr);
        }
        mt_buf_free(&why);
    }
    /* trust lets any password in */
    mt_buf url = {0};
    mt_buf_addz(&url, "postgresql://motet:s3cret@");
    mt_buf_addz(&url, strchr(getenv("MOTET_TEST_POSTGRES"), '@') + 1);
    mt_buf_addc(&url, 0);
    st_store *s = NULL;
    assert_fine(st_open(url.ptr, NULL, &s, NULL));
    mt_str shown = st_shown_url(s);
    assert_true(mt_str_starts(shown, MT_STR("postgresql://motet@/postgres?host=/")));
    assert_null(memmem(shown.ptr, shown.len, "s3cret", 6));
    st_close(s);
    mt_buf_free(&url);
}

static void two_servers_create_one_schema(void **state)
{
    const backend *b = *state;
    const char *url = b->empty();
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        if ((children[i] = fork()) == 0) {
            st_store *s = NULL;
            _exit(st_open(url, NULL, &s, NULL) == MT_OK && st_ping(s) == MT_OK ? 0 : 1);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static void a_named_lock_has_one_holder(void **state)
{
    st_store *s = fresh(state);
    st_tx *one = begin(s, ST_WRITE), *two = begin(s, ST_WRITE);
    assert_true(st_try_lock(one, "sequencer"));
    assert_false(st_try_lock(two, "sequencer"));
    assert_true(st_try_lock(two, "other"));
    st_rollback(one);
    assert_true(st_try_lock(two, "sequencer"));
    assert_fine(st_commit(two));
    st_close(s);
}

static void one(rows_list *l, size_t which, const char *name, CMUnitTestFunction run)
{
    if (which == 0 || getenv("MOTET_TEST_POSTGRES")) {
        rows_add_one(l, name, run, &BACKENDS[which]);
    }
}
#define on(which, run) one(&l, which, #run, run)

int main(void)
{
    static rows_list l;
    enum { FILES, DATABASES };
    both(&l, a_store_of_a_newer_program_is_refused);
    both(&l, a_store_without_a_version_is_refused);
    both(&l, a_reader_creates_nothing);
    both(&l, a_reader_reads_and_writes_nothing);
    both(&l, a_full_pool_is_busy_after_the_wait);
    both(&l, a_lock_held_too_long_is_busy);
    both(&l, a_named_lock_is_shared_or_held_alone);
    both(&l, a_tool_writes_beside_the_server);
    both(&l, a_killed_writer_leaves_nothing_half_done);
    on(FILES, a_file_has_one_server);
    on(FILES, a_claim_dies_with_its_process);
    on(FILES, only_its_owner_may_read_a_file);
    on(FILES, a_full_disk_undoes_the_transaction_alone);
    on(FILES, a_file_that_may_not_be_written_is_refused);
    on(FILES, no_directory_no_store);
    on(FILES, somebody_elses_file_is_refused_and_kept);
    on(FILES, a_damaged_file_is_an_error_not_a_crash);
    on(FILES, every_statement_fits_its_letters);
    on(FILES, walks_use_their_index);
    on(DATABASES, a_database_goes_and_comes_back);
    on(DATABASES, a_broken_connection_is_replaced);
    on(DATABASES, a_password_is_never_shown);
    on(DATABASES, two_servers_create_one_schema);
    on(DATABASES, a_named_lock_has_one_holder);
    int failed = rows_run(&l, "store/faults");
    backends_stop();
    return failed;
}
