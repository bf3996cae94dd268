/* Facts from SQLite and PostgreSQL, both real: values, hostile parameters, queries that
 * would write, find nothing, too much, or take too long. */
#include <postgresql/libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "adapter_fixture.h"

#define PASSWORD "correct-horse-77"

/* tests/e2e/postgres.py starts the server and says where it is and how to stop it. */
static const char *postgres_url(void)
{
    const char *url = getenv("MOTET_TEST_POSTGRES");
    if (!url) {
        MT_BUG("run me with tests/e2e/postgres.py");
    }
    return url;
}

/* Its directory, which is where its socket is. */
static mt_str postgres_host(mt_arena *a)
{
    mt_str host = {0};
    PQconninfoOption *options = PQconninfoParse(postgres_url(), NULL);
    for (PQconninfoOption *o = options; o && o->keyword; o++) {
        if (!strcmp(o->keyword, "host")) {
            host = mt_str_dup(a, mt_str_z(o->val));
        }
    }
    PQconninfoFree(options);
    return host;
}

static void on_postgres(const char *sql)
{
    PGconn *conn = PQconnectdb(postgres_url());
    PGresult *result = PQexec(conn, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        print_error("%s", PQerrorMessage(conn));
        MT_BUG("PostgreSQL does not do as it is told");
    }
    PQclear(result);
    PQfinish(conn);
}

static char SQLITE_FILE[] = "/tmp/motet-sqlite-XXXXXX";

typedef enum dialect { SQLITE, PG } dialect;
static const char *const DIALECTS[] = {"sqlite", "postgres"};

#define TABLE                                                                          \
    "CREATE TABLE orders (id TEXT PRIMARY KEY, n INTEGER, amount NUMERIC, open "       \
    "BOOLEAN, due TEXT, lines TEXT); INSERT INTO orders VALUES ('o1', 7, 120.50, "     \
    "true, '2026-01-31', '{\"b\": [1], \"a\": 2}'), ('o2', NULL, 5, false, NULL, "     \
    "'no json'), ('x''; DROP TABLE orders; --', 9, 1, true, '', '')"

/* The role the adapters use has to say its password, and owns everything here: that it
 * changes nothing is not for want of rights. */
static void make_postgres(void)
{
    on_postgres("CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '" PASSWORD "'; SET ROLE "
                "keeper; CREATE SEQUENCE motet_numbers; " TABLE);
    on_postgres("DO $$ BEGIN EXECUTE format('COPY (VALUES (''local all keeper "
                "scram-sha-256''), (''local all all trust'')) TO %L', "
                "current_setting('hba_file')); PERFORM pg_reload_conf(); END $$");
    usleep(200000); /* the reload is a signal */
}

static void make_sqlite(void)
{
    sqlite3 *db = NULL;
    close(mkstemp(SQLITE_FILE));
    assert_int_equal(sqlite3_open(SQLITE_FILE, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA journal_mode=WAL; " TABLE, NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
}

static mt_str place(mt_arena *a, dialect d)
{
    return d == SQLITE
               ? mt_strf(a, "  file: %s\n", SQLITE_FILE)
               : mt_strf(a,
                         "  connection: {host: %s, database: postgres, user: keeper, "
                         "password: {env: MOTET_TEST_PG}}\n",
                         postgres_host(a).ptr);
}

/* One fact `v` of the type, asked by the query with $1 for `id`. */
static outlet open_db(dialect d, const char *type, const char *query, bool with_id,
                      const char *more)
{
    outlet o;
    mt_arena scratch = {0};
    mt_str where = place(&scratch, d);
    mt_str text = mt_strf(&scratch,
                          SOURCE("db", "database", "'dialect':'%s'")
                              FACT_OF("db", "orders.v", "v", "%s"),
                          DIALECTS[d], type);
    mt_str yaml =
        mt_strf(&scratch, "db:\n%.*s%s  facts:\n    v:\n      query: \"%s\"\n%s",
                MT_ARG(where), more, query, with_id ? "      parameters: [id]\n" : "");
    outlet_open(&o, text.ptr, yaml);
    mt_arena_free(&scratch);
    return o;
}

/* ---- Both dialects ---- */

static const struct query_row {
    const char *name, *type, *query, *id, *want; /* want: a value, or !error */
} QUERIES[] = {
    {"E1_an_integer_column", INT_TYPE, "SELECT n FROM orders WHERE id = $1", "o1", "7"},
    {"E1_an_amount_column", USD_TYPE, "SELECT amount FROM orders WHERE id = $1", "o2",
     "{\"amount\":\"5\",\"currency\":\"USD\"}"},
    {"E1_a_bool_column", BOOL_TYPE, "SELECT open FROM orders WHERE id = $1", "o1",
     "true"},
    {"E1_a_false_column", BOOL_TYPE, "SELECT open FROM orders WHERE id = $1", "o2",
     "false"},
    {"E1_a_date_column", "{'base':'Date'}", "SELECT due FROM orders WHERE id = $1",
     "o1", "\"2026-01-31\""},
    {"E1_a_json_column",
     "{'base':'Record','fields':{'a':{'base':'Int','max':9,'min':0}}}",
     "SELECT lines FROM orders WHERE id = $1", "o1", "{\"a\":2,\"b\":[1]}"},
    {"E1_a_column_that_is_no_json",
     "{'base':'Record','fields':{'a':{'base':'Int','max':9,'min':0}}}",
     "SELECT lines FROM orders WHERE id = $1", "o2", "!malformed"},
    {"E1_a_query_with_an_end_mark", INT_TYPE, "SELECT 3;", NULL, "3"},
    {"E1_null_is_no_value", INT_TYPE, "SELECT n FROM orders WHERE id = $1", "o2",
     "!not_found"},
    {"E1_no_row_is_no_value", INT_TYPE, "SELECT n FROM orders WHERE id = $1", "o9",
     "!not_found"},
    {"E1_several_rows_are_ambiguous", INT_TYPE, "SELECT 1 FROM orders WHERE $1 <> 'x'",
     "o1", "!ambiguous"},
    {"E1_two_columns_are_refused", INT_TYPE, "SELECT 1, 2 WHERE $1 <> 'x'", "o1",
     "!refused"},
    {"E1_a_query_that_is_none_is_refused", INT_TYPE, "SELEKT $1", "o1", "!refused"},
    {"E1_a_table_that_is_missing_is_refused", INT_TYPE,
     "SELECT n FROM nowhere WHERE id = $1", "o1", "!refused"},
    {"E1_a_query_that_deletes_is_refused", INT_TYPE,
     "DELETE FROM orders WHERE id = $1 RETURNING n", "o1", "!refused"},
    {"E1_two_statements_are_refused", INT_TYPE, "SELECT 1; DELETE FROM orders", NULL,
     "!refused"},
    {"E1_a_statement_without_rows_is_refused", INT_TYPE, "COMMIT", NULL, "!refused"},
    {"E1_a_hostile_value_is_only_a_value", INT_TYPE,
     "SELECT n FROM orders WHERE id = $1", "x'; DROP TABLE orders; --", "9"},
    {"E1_a_condition_cannot_be_added", INT_TYPE, "SELECT n FROM orders WHERE id = $1",
     "o1' OR '1'='1", "!not_found"},
    {"E1_a_missing_parameter_is_the_callers_fault", INT_TYPE,
     "SELECT n FROM orders WHERE id = $1", NULL, "!param_missing"},
};

static void run_row(dialect d, const struct query_row *row)
{
    bool with_id = strstr(row->query, "$1") != NULL;
    outlet o = open_db(d, row->type, row->query, with_id, "");
    for (int i = 0; i < 2; i++) { /* again on the same connection */
        ad_fact_answer got = ask(&o, "v", row->id);
        if (row->want[0] == '!') {
            assert_error(got, row->want + 1);
        } else {
            assert_value(got, row->want);
        }
    }
    outlet_close(&o);
}

static void asks_sqlite(void **state)
{
    run_row(SQLITE, *state);
}

static void asks_postgres(void **state)
{
    run_row(PG, *state);
}

static void E1_nothing_was_changed(void **state)
{
    (void)state;
    for (int d = SQLITE; d <= PG; d++) {
        outlet o =
            open_db((dialect)d, INT_TYPE, "SELECT count(*) FROM orders", false, "");
        assert_value(ask(&o, "v", NULL), "3");
        outlet_close(&o);
    }
}

static void E1_a_long_query_is_interrupted(void **state)
{
    static const char *const ENDLESS[] = {
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT "
        "count(*) FROM r",
        "SELECT 1 FROM pg_sleep(60)"};
    (void)state;
    for (int d = SQLITE; d <= PG; d++) {
        outlet o =
            open_db((dialect)d, INT_TYPE, ENDLESS[d], false, "  timeout: 300ms\n");
        int64_t start = os_now_ms();
        assert_error(ask(&o, "v", NULL), "timeout");
        assert_error(ask_within(&o, "v", NULL, 100), "timeout");
        assert_true(os_now_ms() - start < 20000);
        outlet_close(&o);
    }
}

static void E1_a_large_column_is_refused(void **state)
{
    static const char *const LARGE[] = {"SELECT printf('%.*c', 5000, 'x')",
                                        "SELECT repeat('x', 5000)"};
    (void)state;
    for (int d = SQLITE; d <= PG; d++) {
        outlet o =
            open_db((dialect)d, TEXT_TYPE, LARGE[d], false, "  max_bytes: 1000\n");
        assert_error(ask(&o, "v", NULL), "too_large");
        outlet_close(&o);
    }
}

static void E1_many_rows_fill_no_memory(void **state)
{
    static const char *const MANY[] = {
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < "
        "200000) SELECT x FROM r",
        "SELECT x FROM generate_series(1, 200000) AS x"};
    (void)state;
    for (int d = SQLITE; d <= PG; d++) {
        outlet o = open_db((dialect)d, INT_TYPE, MANY[d], false, "");
        assert_error(ask(&o, "v", NULL), "ambiguous");
        outlet_close(&o);
    }
}

/* ---- One request, one snapshot ---- */

static void E1_a_failed_query_leaves_the_others_alone(void **state)
{
    (void)state;
    for (int d = SQLITE; d <= PG; d++) {
        mt_arena scratch = {0};
        outlet o;
        uint32_t facts[] = {0, 1, 2};
        ad_fact_answer answers[3];
        mt_str where = place(&scratch, (dialect)d);
        mt_str text = mt_strf(&scratch,
                              SOURCE("db", "database", "'dialect':'%s'")
                                  FACT_OF("db", "t.a", "a", INT_TYPE)
                                      FACT_OF("db", "t.b", "b", INT_TYPE)
                                          FACT_OF("db", "t.c", "c", INT_TYPE),
                              DIALECTS[d]);
        mt_str yaml = mt_strf(&scratch,
                              "db:\n%.*s  facts: {a: {query: SELECT 1}, b: {query: "
                              "SELECT x}, c: {query: SELECT 3}}\n",
                              MT_ARG(where));
        outlet_open(&o, text.ptr, yaml);
        ad_fetch fetch = {
            .facts = facts, .fact_count = 3, .deadline = os_now_ms() + 5000};
        ad_adapters_fetch(o.adapters, &fetch, &o.arena, answers);
        assert_value(answers[0], "1");
        assert_error(answers[1], "refused");
        assert_value(answers[2], "3");
        outlet_close(&o);
        mt_arena_free(&scratch);
    }
}

static void E1_facts_of_one_request_are_of_one_snapshot(void **state)
{
    (void)state;
    mt_arena scratch = {0};
    outlet o;
    uint32_t facts[] = {0, 1};
    ad_fact_answer answers[2];
    mt_str where = place(&scratch, PG);
    mt_str yaml = mt_strf(&scratch,
                          "db:\n%.*s  facts: {a: {query: 'SELECT "
                          "pg_current_snapshot()::text'}, b: {query: 'SELECT "
                          "pg_current_snapshot()::text FROM pg_sleep(0.05)'}}\n",
                          MT_ARG(where));
    outlet_open(&o,
                SOURCE("db", "database", "'dialect':'postgres'")
                    FACT_OF("db", "t.a", "a", TEXT_TYPE)
                        FACT_OF("db", "t.b", "b", TEXT_TYPE),
                yaml);
    ad_fetch fetch = {.facts = facts, .fact_count = 2, .deadline = os_now_ms() + 5000};
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, answers);
    assert_false(answers[0].error || answers[1].error);
    assert_text(answers[0].value, answers[1].value);
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_a_long_query_takes_nobody_elses_time(void **state)
{
    (void)state;
    mt_arena scratch = {0};
    outlet o;
    uint32_t facts[] = {0, 1};
    ad_fact_answer answers[2];
    mt_str file = place(&scratch, SQLITE), server = place(&scratch, PG);
    mt_str yaml = mt_strf(&scratch,
                          "lite:\n%.*s  timeout: 2500ms\n  facts: {a: {query: 'WITH "
                          "RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) "
                          "SELECT count(*) FROM r'}}\npg:\n%.*s  timeout: 2s\n  "
                          "facts: {b: {query: 'SELECT 1 FROM pg_sleep(0.1)'}}\n",
                          MT_ARG(file), MT_ARG(server));
    outlet_open(&o,
                SOURCE("lite", "database", "'dialect':'sqlite'") "," SOURCE(
                    "pg", "database", "'dialect':'postgres'")
                    FACT_OF("lite", "t.a", "a", INT_TYPE)
                        FACT_OF("pg", "t.b", "b", INT_TYPE),
                yaml);
    ad_fetch fetch = {.facts = facts, .fact_count = 2, .deadline = os_now_ms() + 20000};
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, answers);
    assert_error(answers[0], "timeout");
    assert_value(answers[1], "1");
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_a_locked_database_is_waited_for(void **state)
{
    (void)state;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(SQLITE_FILE, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE; "
                                  "UPDATE orders SET n = 8 WHERE id = 'o9'; COMMIT",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    outlet o = open_db(SQLITE, INT_TYPE, "SELECT count(*) FROM orders", false,
                       "  timeout: 300ms\n");
    assert_error(ask(&o, "v", NULL), "timeout");
    sqlite3_close(db);
    assert_value(ask(&o, "v", NULL), "3");
    outlet_close(&o);
}

/* ---- PostgreSQL's own ---- */

static void E1_postgres_moments_get_the_form_of_facts(void **state)
{
    (void)state;
    outlet o = open_db(PG, "{'base':'DateTime'}",
                       "SELECT timestamptz '2026-01-31 23:59:00.5+00'", false, "");
    ad_fact_answer got = ask(&o, "v", NULL);
    ct_time t;
    assert_false(got.error);
    assert_true(ct_time_parse(mt_str_from(got.value.ptr + 1, got.value.len - 2), &t));
    assert_int_equal(t.seconds, 1769903940);
    outlet_close(&o);
}

static void E1_postgres_cannot_be_made_to_write(void **state)
{
    (void)state;
    static const char *const TRIES[] = {
        "SET TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "INSERT INTO orders (id) VALUES ('new') RETURNING 1",
        "SELECT nextval('motet_numbers')"};
    for (size_t i = 0; i < rows_count(TRIES); i++) {
        outlet o = open_db(PG, INT_TYPE, TRIES[i], false, "");
        assert_error(ask(&o, "v", NULL), "refused");
        outlet_close(&o);
    }
}

static void E1_a_wrong_password_is_unreachable_and_not_shown(void **state)
{
    (void)state;
    setenv("MOTET_TEST_PG", "wrong-horse-66", 1);
    outlet o = open_db(PG, INT_TYPE, "SELECT 1", false, "");
    ad_fact_answer got = ask(&o, "v", NULL);
    setenv("MOTET_TEST_PG", PASSWORD, 1);
    assert_error(got, "unreachable");
    assert_text(got.message, MT_STR("source 'db': password authentication failed for "
                                    "user \"keeper\""));
    outlet_close(&o);
}

static void E1_a_connection_string_is_a_credential(void **state)
{
    (void)state;
    outlet o;
    mt_arena scratch = {0};
    mt_str url = mt_strf(&scratch, "host=%s dbname=postgres user=keeper password=%s",
                         postgres_host(&scratch).ptr, PASSWORD);
    const char *constructs = SOURCE("db", "database", "'dialect':'postgres'")
        FACT_OF("db", "t.v", "v", INT_TYPE);
    mt_str yaml = MT_STR("db: {connection: {url: {env: MOTET_TEST_URL}}, facts: {v: "
                         "{query: SELECT 1}}}");
    setenv("MOTET_TEST_URL", url.ptr, 1);
    outlet_open(&o, constructs, yaml);
    assert_value(ask(&o, "v", NULL), "1");
    outlet_close(&o);
    setenv("MOTET_TEST_URL", "postgres://motet:hunter22@[oops", 1);
    outlet_open_with(&o, constructs, yaml, NULL);
    assert_refused(&o, "F103", "not a PostgreSQL connection string");
    for (size_t i = 0; i < o.ds.len; i++) {
        assert_null(memmem(o.ds.items[i].message.ptr, o.ds.items[i].message.len,
                           "hunter22", 8));
    }
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_a_restarted_database_is_found_again(void **state)
{
    (void)state;
    outlet o = open_db(PG, INT_TYPE, "SELECT 1", false, "");
    assert_value(ask(&o, "v", NULL), "1");
    assert_int_equal(system(getenv("MOTET_TEST_POSTGRES_STOP")), 0);
    assert_error(ask(&o, "v", NULL), "unreachable");
    assert_int_equal(system(getenv("MOTET_TEST_POSTGRES_START")), 0);
    assert_value(ask(&o, "v", NULL), "1");
    outlet_close(&o);
}

static void E1_an_idle_connection_that_died_is_replaced(void **state)
{
    (void)state;
    outlet o = open_db(PG, INT_TYPE, "SELECT 1", false, "");
    assert_value(ask(&o, "v", NULL), "1");
    on_postgres("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE "
                "application_name = 'motet'");
    assert_value(ask(&o, "v", NULL), "1");
    outlet_close(&o);
}

static void E1_a_missing_sqlite_file_is_unreachable(void **state)
{
    (void)state;
    outlet o;
    outlet_open(&o,
                SOURCE("db", "database", "'dialect':'sqlite'")
                    FACT_OF("db", "t.v", "v", INT_TYPE),
                MT_STR("db: {file: /nonexistent/x.db, facts: {v: {query: SELECT 1}}}"));
    assert_error(ask(&o, "v", NULL), "unreachable");
    outlet_close(&o);
}

/* ---- Threads ---- */

enum { THREADS = 6, ROUNDS = 20 };

static void *ask_often(void *state)
{
    outlet *shared = state;
    mt_arena arena = {0};
    uint32_t fact = 0;
    ad_param param = {MT_STR("id"), MT_STR("o1")};
    for (int i = 0; i < ROUNDS; i++) {
        ad_fact_answer got;
        ad_fetch fetch = {.facts = &fact,
                          .fact_count = 1,
                          .params = &param,
                          .param_count = 1,
                          .deadline = os_now_ms() + 20000};
        mt_arena_reset(&arena);
        ad_adapters_fetch(shared->adapters, &fetch, &arena, &got);
        if (got.error || !mt_str_is(got.value, "7")) {
            fprintf(stderr, "%.*s\n", MT_ARG(got.message));
            state = NULL;
            break;
        }
    }
    mt_arena_free(&arena);
    return state;
}

static void E1_threads_share_few_connections(void **state)
{
    (void)state;
    for (int d = SQLITE; d <= PG; d++) {
        pthread_t threads[THREADS];
        outlet o = open_db((dialect)d, INT_TYPE, "SELECT n FROM orders WHERE id = $1",
                           true, "  connections: 2\n  timeout: 20s\n");
        for (int i = 0; i < THREADS; i++) {
            pthread_create(&threads[i], NULL, ask_often, &o);
        }
        for (int i = 0; i < THREADS; i++) {
            void *fine;
            pthread_join(threads[i], &fine);
            assert_non_null(fine);
        }
        outlet_close(&o);
    }
}

int main(void)
{
    rows_list list = {0};
    signal(SIGPIPE, SIG_IGN);
    setenv("MOTET_TEST_PG", PASSWORD, 1);
    make_sqlite();
    make_postgres();
    rows_add(&list, QUERIES, asks_sqlite);
    rows_add(&list, QUERIES, asks_postgres);
    rows_test(&list, E1_nothing_was_changed);
    rows_test(&list, E1_a_long_query_is_interrupted);
    rows_test(&list, E1_a_large_column_is_refused);
    rows_test(&list, E1_many_rows_fill_no_memory);
    rows_test(&list, E1_a_failed_query_leaves_the_others_alone);
    rows_test(&list, E1_facts_of_one_request_are_of_one_snapshot);
    rows_test(&list, E1_a_long_query_takes_nobody_elses_time);
    rows_test(&list, E1_a_locked_database_is_waited_for);
    rows_test(&list, E1_postgres_moments_get_the_form_of_facts);
    rows_test(&list, E1_postgres_cannot_be_made_to_write);
    rows_test(&list, E1_a_wrong_password_is_unreachable_and_not_shown);
    rows_test(&list, E1_a_connection_string_is_a_credential);
    rows_test(&list, E1_a_restarted_database_is_found_again);
    rows_test(&list, E1_an_idle_connection_that_died_is_replaced);
    rows_test(&list, E1_a_missing_sqlite_file_is_unreachable);
    rows_test(&list, E1_threads_share_few_connections);
    int failed = rows_run(&list, "adapter/adapter_database");
    unlink(SQLITE_FILE);
    return failed;
}
