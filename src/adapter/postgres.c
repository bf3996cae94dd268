/* adapter/postgres.c - facts from PostgreSQL, in a READ ONLY transaction.
 *
 * All facts of one request are read from one snapshot of the database. Nothing blocks:
 * connecting and every query are steps of a job, driven by the socket (CONNECTING,
 * BEGINNING, QUERYING, ENDING). A connection that died while it was idle is replaced
 * once; one that was given up is closed.
 *
 * One row with one column is an answer; none is "not found", two are ambiguous, and
 * rows are taken one at a time, so a query that finds a million does not fill memory.
 * A statement that fails ends its transaction; what is left is asked in another one.
 * What the server says is shown without the values and addresses it may quote.
 * Connection strings are credentials and appear nowhere. */
#include <poll.h>

#include "adapter/impl.h"
#include "base/late_pq.h"

typedef enum stage { CONNECTING, BEGINNING, QUERYING, ENDING } stage;

typedef struct exchange {
    PGconn *conn;
    stage stage;
    size_t at;   /* the question being asked */
    size_t rows; /* of its answer */
    bool failed; /* some result of the statement is an error */
    bool reused; /* taken from the pool, so it may be dead */
} exchange;

/* ---- Setting up ---- */

enum { MOST_OPTIONS = 48 };

typedef struct option_list {
    const char **keys, **values;
    size_t count;
} option_list;

static void add_option(option_list *list, const char *key, const char *value)
{
    MT_ASSERT(list->count + 1 < MOST_OPTIONS);
    list->keys[list->count] = key;
    list->values[list->count++] = value;
}

/* {url: REF}: the whole connection string is a credential. */
static bool from_url(ad_opening *o, ad_source *s, option_list *list)
{
    static const mt_form_row ROW = {.key = "url", .kind = MT_FORM_K_ANY};
    mt_arena *a = &o->adapters->arena;
    ad_subject subject = {.o = o, .source = s};
    mt_form form = ad_form(&subject, "connection", "a connection by its url");
    const mt_json *url = NULL;
    mt_str text;
    if (!mt_form_read(&form, s->connection, &ROW, 1, &url) ||
        !ad_secret_read(o, s, url, "connection", &text)) {
        return false;
    }
    PQconninfoOption *parsed = PQconninfoParse(text.ptr, NULL);
    for (PQconninfoOption *p = parsed; p && p->keyword; p++) {
        if (p->val && list->count + 2 < MOST_OPTIONS) {
            mt_str value = mt_str_dup(a, mt_str_z(p->val));
            add_option(list, mt_str_dup(a, mt_str_z(p->keyword)).ptr, value.ptr);
            if (mt_str_is(mt_str_z(p->keyword), "password")) {
                ad_secret_remember(o->adapters, value);
            }
        }
    }
    PQconninfoFree(parsed);
    return parsed || ad_source_fault(o, s, AD_F_CREDENTIAL,
                                     "connection of source '%.*s' is not a PostgreSQL "
                                     "connection string",
                                     MT_ARG(s->decl->id));
}

/* {host, port, database, user, password: REF, sslmode, ca_file} */
enum { HOST, PORT, DATABASE, USER, SSLMODE, CA_FILE, FIELD_COUNT };
static const char *const LIBPQ[FIELD_COUNT] = {
    [HOST] = "host", [PORT] = "port",       [DATABASE] = "dbname",
    [USER] = "user", [SSLMODE] = "sslmode", [CA_FILE] = "sslrootcert"};

typedef struct fields {
    const char *values[FIELD_COUNT]; /* NULL: not given */
    const mt_json *password;
} fields;

/* Text, or a number as it is written (`database: 2024`). */
static bool read_field(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_str text = mt_json_text(v);
    if (!text.len || mt_str_find(text, '\0') != text.len) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "must be text or a number");
    }
    *(const char **)to = mt_str_dup(f->arena, text).ptr;
    return true;
}

/* A number, or what libpq takes instead of one. */
static bool read_port(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    int64_t port = 1;
    if (mt_json_is(v, MT_JSON_NUMBER) &&
        (mt_json_i64(v, &port) || port < 1 || port > 65535)) {
        return mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                           "must be a whole number from 1 to 65535");
    }
    return read_field(f, row, v, to);
}

#define FIELD(index, key) MT_FORM_OWN(fields, values[index], key, read_field, 0)
static const mt_form_row CONNECTION[] = {
    FIELD(HOST, "host"),
    MT_FORM_OWN(fields, values[PORT], "port", read_port, 0),
    FIELD(DATABASE, "database"),
    FIELD(USER, "user"),
    FIELD(SSLMODE, "sslmode"),
    FIELD(CA_FILE, "ca_file"),
    MT_FORM_ANY(fields, password, "password", 0),
};

/* Only known fields reach libpq, and each as a value of its own: nothing is pasted into
 * a connection string. */
static bool from_fields(ad_opening *o, ad_source *s, option_list *list)
{
    fields found = {0};
    ad_subject subject = {.o = o, .source = s};
    mt_form form = ad_form(&subject, "connection", "a connection");
    mt_str password;
    if (!mt_form_read(&form, s->connection, CONNECTION, mt_form_count(CONNECTION),
                      &found) ||
        (found.password &&
         !ad_secret_read(o, s, found.password, "password", &password))) {
        return false;
    }
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (found.values[i]) {
            add_option(list, LIBPQ[i], found.values[i]);
        }
    }
    if (found.password) {
        add_option(list, "password", mt_str_dup(&o->adapters->arena, password).ptr);
    }
    return true;
}

/* Nothing is connected yet: a server starts even while a database is down, and facts of
 * that source fail until it is back. */
bool ad_postgres_set_up(ad_opening *o, ad_source *s)
{
    mt_arena *a = &o->adapters->arena;
    option_list list = {mt_new_array(a, const char *, MOST_OPTIONS),
                        mt_new_array(a, const char *, MOST_OPTIONS), 0};
    if (!ad_source_loads(o, s, &mt_late_pq) || !ad_source_waits(o, s)) {
        return false;
    }
    if (!mt_json_is(s->connection, MT_JSON_OBJECT)) {
        return ad_source_fault(
            o, s, AD_F_SETTING,
            "source '%.*s' needs a connection: {url: REF} or {host, port, database, "
            "user, password: REF}",
            MT_ARG(s->decl->id));
    }
    bool by_url = mt_json_at(s->connection, "url") != NULL;
    if (by_url ? !from_url(o, s, &list) : !from_fields(o, s, &list)) {
        return false;
    }
    add_option(&list, "application_name", "motet");
    s->pg_keys = list.keys;
    s->pg_values = list.values;
    ad_pool_init(&s->pool, a, s->connections);
    s->has_pool = true;
    return true;
}

static void close_connection(void *connection)
{
    PQfinish(connection);
}

void ad_postgres_close(ad_source *s)
{
    if (s->has_pool) {
        ad_pool_free(&s->pool, close_connection);
    }
}

/* ---- The exchange ---- */

static void end(ad_job *job, bool keep)
{
    exchange *x = job->state;
    if (!keep && x->conn) {
        PQfinish(x->conn);
        x->conn = NULL;
    }
    ad_pool_give(&job->source->pool, x->conn);
    job->done = true;
}

static void give_up(ad_job *job)
{
    ad_answer_all(job, AD_FACT_TIMEOUT, "source '%.*s' did not answer in time",
                  MT_ARG(job->source->decl->id));
    end(job, false);
}

/* What the server remarks is not for our standard error. */
static void ignore_notice(void *state, const char *message)
{
    (void)state;
    (void)message;
}

/* A connection from the pool may have died while it waited; one new one is tried. */
static void connect_anew(ad_job *job)
{
    exchange *x = job->state;
    if (x->conn) {
        PQfinish(x->conn);
    }
    x->conn = PQconnectStartParams(job->source->pg_keys, job->source->pg_values, 0);
    x->stage = CONNECTING;
    x->reused = false;
    if (x->conn) {
        PQsetNoticeProcessor(x->conn, ignore_notice, NULL);
    }
    job->fd = x->conn ? PQsocket(x->conn) : -1;
    job->events = POLLOUT;
}

/* What libpq says about a connection, without address and advice. */
static mt_str complaint(const PGconn *conn)
{
    mt_str text = conn ? mt_str_z(PQerrorMessage(conn)) : MT_STR("no memory");
    static const char *const BEFORE[] = {"failed: ", "FATAL:  "};
    text.len = mt_str_find(text, '\n');
    for (size_t i = 0; i < sizeof BEFORE / sizeof *BEFORE; i++) {
        const char *found = memmem(text.ptr, text.len, BEFORE[i], strlen(BEFORE[i]));
        if (found) {
            text = mt_str_skip(text, (size_t)(found - text.ptr) + strlen(BEFORE[i]));
        }
    }
    return text;
}

/* The connection is no more: a fresh one when it had been idle, else the end. */
static void lost(ad_job *job)
{
    exchange *x = job->state;
    if (x->reused && x->at == 0) {
        connect_anew(job);
        return;
    }
    mt_str why = complaint(x->conn);
    ad_answer_all(job, AD_FACT_UNREACHABLE, "source '%.*s': %.*s",
                  MT_ARG(job->source->decl->id), MT_ARG(why));
    end(job, false);
}

/* Values are bound, never part of the text. */
static void send_query(ad_job *job)
{
    exchange *x = job->state;
    const ad_question *q = job->questions[x->at];
    size_t count = q->plan->bound_count;
    const char **values = mt_new_array(job->fetching->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        mt_str value = q->values[q->plan->bound[i]];
        values[i] = mt_str_dup(job->fetching->arena, value).ptr;
    }
    x->stage = QUERYING;
    x->rows = 0;
    x->failed = false;
    /* Row by row, so that a query that finds too many fills no memory. */
    if (!PQsendQueryParams(x->conn, q->plan->query.ptr, (int)count, NULL, values, NULL,
                           NULL, 0) ||
        !PQsetSingleRowMode(x->conn)) {
        lost(job);
    }
}

static void send_plain(ad_job *job, stage next, const char *command)
{
    exchange *x = job->state;
    x->stage = next;
    x->failed = false;
    if (!PQsendQuery(x->conn, command)) {
        lost(job);
    }
}

/* A read-only snapshot: all facts of one fetch see one state of the database, and a
 * query that writes is refused by the server. */
static void begin(ad_job *job)
{
    exchange *x = job->state;
    job->fd = PQsocket(x->conn);
    job->events = POLLIN;
    send_plain(job, BEGINNING, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

/* Never blocks: it looks whether the socket is ready and takes one step. The socket may
 * be another one after each. */
static void step_connecting(ad_job *job)
{
    exchange *x = job->state;
    struct pollfd ready = {job->fd, job->events, 0};
    if (!x->conn || PQstatus(x->conn) == CONNECTION_BAD) {
        lost(job);
        return;
    }
    if (poll(&ready, 1, 0) <= 0) {
        return;
    }
    PostgresPollingStatusType status = PQconnectPoll(x->conn);
    job->fd = PQsocket(x->conn);
    job->events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (status == PGRES_POLLING_OK) {
        PQsetnonblocking(x->conn, 1);
        begin(job);
    } else if (status == PGRES_POLLING_FAILED) {
        lost(job);
    }
}

/* One column of one row is a fact; what is NULL counts as not found, so that a default
 * may apply. */
static void read_row(ad_job *job, ad_question *q, const PGresult *result)
{
    ad_fetching *f = job->fetching;
    mt_str id = q->plan->fact->id;
    size_t length = (size_t)PQgetlength(result, 0, 0);
    if (PQnfields(result) != 1) {
        ad_answer_error(f, q, AD_FACT_REFUSED,
                        "the query of fact '%.*s' must be of one column", MT_ARG(id));
    } else if (PQgetisnull(result, 0, 0)) {
        ad_answer_error(f, q, AD_FACT_NOT_FOUND, "the query of fact '%.*s' found NULL",
                        MT_ARG(id));
    } else if (length > job->source->max_bytes) {
        ad_answer_error(f, q, AD_FACT_TOO_LARGE,
                        "the query of fact '%.*s' found more than max_bytes",
                        MT_ARG(id));
    } else {
        mt_str text = mt_str_from(PQgetvalue(result, 0, 0), length);
        ad_answer_text(f, q, text, text);
    }
}

/* What the server says about a statement, without where and what else it shows. */
static void refused(ad_job *job, ad_question *q, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    ad_answer_error(job->fetching, q, AD_FACT_REFUSED,
                    "the query of fact '%.*s' failed: %s (%s)",
                    MT_ARG(q->plan->fact->id), message ? message : "no result",
                    state ? state : "no state");
}

/* A failed statement ends its transaction, so the rest starts another one. */
static void after_query(ad_job *job, bool failed)
{
    exchange *x = job->state;
    x->at++;
    if (failed && x->at < job->count) {
        send_plain(job, BEGINNING,
                   "ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ "
                   "READ ONLY");
    } else if (x->at < job->count) {
        send_query(job);
    } else {
        send_plain(job, ENDING, "ROLLBACK");
    }
}

/* All results of one statement have come. */
static void after_results(ad_job *job)
{
    exchange *x = job->state;
    switch (x->stage) {
    case BEGINNING:
        if (x->failed) {
            lost(job);
        } else {
            send_query(job);
        }
        break;
    case QUERYING: after_query(job, x->failed); break;
    case ENDING: end(job, !x->failed); break;
    case CONNECTING: MT_BUG("no results while connecting");
    }
}

/* The second row makes it ambiguous; the rest is read away, so that the connection can
 * be used again. */
static void take_answer(ad_job *job, const PGresult *result)
{
    exchange *x = job->state;
    ad_fetching *f = job->fetching;
    ad_question *q = job->questions[x->at];
    ExecStatusType status = PQresultStatus(result);
    mt_str id = q->plan->fact->id;
    if (status == PGRES_SINGLE_TUPLE) {
        if (++x->rows == 1) {
            read_row(job, q, result);
        } else if (x->rows == 2) {
            ad_answer_error(f, q, AD_FACT_AMBIGUOUS,
                            "the query of fact '%.*s' found more than one row",
                            MT_ARG(id));
        }
    } else if (status == PGRES_TUPLES_OK && !x->rows) {
        ad_answer_error(f, q, AD_FACT_NOT_FOUND,
                        "the query of fact '%.*s' found no row", MT_ARG(id));
    } else if (status != PGRES_TUPLES_OK) {
        /* Also a command that gives no rows: it may have ended the transaction. */
        x->failed = true;
        refused(job, q, result);
    }
}

static void take_result(ad_job *job, const PGresult *result)
{
    exchange *x = job->state;
    if (x->stage == QUERYING) {
        take_answer(job, result);
    } else {
        x->failed |= PQresultStatus(result) != PGRES_COMMAND_OK;
    }
}

/* As far as it goes without waiting; poll() says when to come again. */
static void step(ad_job *job)
{
    exchange *x = job->state;
    if (x->stage == CONNECTING) {
        step_connecting(job);
        return;
    }
    if (PQflush(x->conn) < 0 || !PQconsumeInput(x->conn)) {
        lost(job);
        return;
    }
    while (!PQisBusy(x->conn)) {
        PGresult *result = PQgetResult(x->conn);
        if (PQstatus(x->conn) == CONNECTION_BAD) {
            PQclear(result);
            lost(job);
            return;
        }
        if (!result) {
            after_results(job);
            return;
        }
        take_result(job, result);
        PQclear(result);
    }
}

/* A connection that was idle may be dead without knowing it; x->reused lets lost() try
 * once with a fresh one. */
void ad_postgres_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count)
{
    void *idle;
    if (ad_fetching_take(f, &s->pool, ad_source_deadline(f, s), &idle)) {
        ad_answer_each(f, qs, count, AD_FACT_TIMEOUT,
                       "source '%.*s': all connections are in use",
                       MT_ARG(s->decl->id));
        return;
    }
    ad_job *job = ad_job_add(f, s, qs, count);
    exchange *x = mt_new(f->arena, exchange);
    *x = (exchange){.conn = idle, .reused = idle != NULL};
    job->state = x;
    job->step = step;
    job->give_up = give_up;
    if (idle) {
        begin(job);
    } else {
        connect_anew(job);
    }
}
