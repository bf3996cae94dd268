/* runtime/adapter_impl.h - what the files adapter*.c share.
 * Room: runtime, private to adapter*.c.
 *
 * One rt_source per Source of the contract that a fact refers to, one rt_fact_plan per
 * such fact: both are made by rt_adapters_open() and never change, apart from the pools
 * of connections, which lock themselves. A fetch makes one rt_question per wanted fact
 * and one rt_job per exchange that has to be waited for. */
#ifndef RT_ADAPTER_IMPL_H
#define RT_ADAPTER_IMPL_H

#include <pthread.h>

#include "base/hash.h"
#include "base/late_curl.h"
#include "base/vec.h"
#include "runtime/adapter.h"
#include "runtime/gate.h"

/* ---- Text with {name} --------------------------------------------------------- */

/* A literal text, or the `name`-th of the plan's names. */
typedef struct rt_piece {
    mt_str text;
    uint32_t name; /* CT_NONE: literal */
} rt_piece;

typedef struct rt_template {
    const rt_piece *pieces;
    size_t count;
} rt_template;

/* The names one plan needs, each once. */
typedef struct rt_names {
    mt_str *items;
    size_t len, cap;
} rt_names;

uint32_t rt_name_index(mt_arena *a, rt_names *names, mt_str name);
/* False when a brace is not closed or a name is empty. */
bool rt_template_parse(mt_arena *a, mt_str text, rt_names *names, rt_template *out);
void rt_template_fill(mt_buf *out, const rt_template *t, const mt_str *values);
/* The same, each value percent-encoded down to unreserved characters, so that it stays
 * within its segment. */
void rt_template_fill_url(mt_buf *out, const rt_template *t, const mt_str *values);
void rt_percent_encode(mt_buf *out, mt_str value);

/* ---- Ways into an answer ------------------------------------------------------ */

/* Names of members and indices of arrays, one after the other. */
typedef struct rt_selector {
    const rt_template *steps;
    size_t count; /* 0: the whole answer */
} rt_selector;

bool rt_selector_parse(mt_arena *a, mt_str text, rt_names *names, rt_selector *out);
/* NULL when there is nothing. */
const mt_json *rt_select(const mt_json *root, const rt_selector *s,
                         const mt_str *values);

/* ---- Sources ------------------------------------------------------------------ */

typedef struct rt_source rt_source;
typedef struct rt_fact_plan rt_fact_plan;
typedef struct rt_fetching rt_fetching;
typedef struct rt_question rt_question;

/* What could not be told from a configuration alone: where faults go. */
typedef struct rt_opening {
    rt_adapters *adapters;
    mt_str directory;
    mt_diags *ds;
} rt_opening;

/* An adapter: how one kind of source is set up and asked. ORDER RT_ADAPTERS. */
typedef enum rt_adapter_kind {
    RT_HTTP,
    RT_GRAPHQL,
    RT_POSTGRES,
    RT_PROCESS,
    RT_SQLITE,
    RT_STATIC,
    RT_MANUAL,
    RT_CLOCK
} rt_adapter_kind;
enum { RT_ADAPTER_COUNT = RT_CLOCK + 1 };

typedef struct rt_adapter {
    mt_str id;
    /* After the settings were read; false after a diagnostic. May be NULL. */
    bool (*set_up)(rt_opening *o, rt_source *s);
    bool (*plan)(rt_opening *o, const rt_source *s, rt_fact_plan *p);
    /* Answers the questions (all of `s`), or starts jobs that will. */
    void (*ask)(rt_fetching *f, rt_source *s, rt_question **questions, size_t count);
    void (*close)(rt_source *s);
} rt_adapter;

extern const rt_adapter RT_ADAPTERS[RT_ADAPTER_COUNT];

typedef enum rt_on_error {
    RT_ON_ERROR_FAIL,
    RT_ON_ERROR_DEFAULT,
    RT_ON_ERROR_STALE
} rt_on_error;

/* Connections or processes that one fetch uses at a time, at most `most` of them. */
typedef struct rt_pool {
    pthread_mutex_t lock;
    pthread_cond_t given;
    void **idle;
    size_t idle_count, out, most;
} rt_pool;

void rt_pool_init(rt_pool *p, mt_arena *a, size_t most);
/* MT_OK: *out is an idle one, or NULL: make one. MT_E_TIMEOUT. */
mt_err rt_pool_take(rt_pool *p, int64_t deadline, void **out);
/* NULL: it is no more. */
void rt_pool_give(rt_pool *p, void *thing);
/* Closes the idle ones; none may be out. */
void rt_pool_free(rt_pool *p, void (*close)(void *thing));

struct rt_source {
    const ct_source_decl *decl;
    rt_adapters *adapters;
    rt_adapter_kind kind;
    mt_str adapter_id;
    /* Settings. Durations in milliseconds. */
    uint64_t timeout, connect_timeout, max_age, stale_for;
    size_t max_bytes, redirects, connections;
    uint8_t on_error; /* rt_on_error */
    bool on_error_given, keep_response, environment;
    mt_str base_url, proxy, ca_file, file, fixed, working_directory;
    const mt_json *auth, *headers, *connection, *command, *values, *facts, *instances;
    const mt_json *variables; /* of the host's environment that a process is given */
    /* Made from them. */
    mt_json fields; /* of the declaration */
    mt_str refused; /* why it may not be asked; empty: it may */
    mt_str origin;  /* of base_url */
    mt_str peer;    /* the host that is connected to: the proxy's, or the origin's */
    bool origin_configured;
    mt_str user, password, auth_query;
    struct curl_slist *header_list;
    const char *const *argv, *const *process_environment;
    const char *const *pg_keys, *const *pg_values;
    int64_t fixed_ms; /* of the clock; 0: it runs */
    rt_pool pool;
    bool has_pool;
};

struct rt_fact_plan {
    const ct_fact *fact;
    uint32_t index;
    rt_source *source; /* NULL: no structured source */
    rt_names names;
    mt_str path_text;
    rt_template path;
    /* Settings of the fact. */
    mt_str resource_text, select_text, query, variable;
    const mt_json *parameters;
    /* Made from them. */
    rt_template resource;
    rt_selector select;
    const uint32_t *bound; /* names of `parameters`, in order */
    size_t bound_count;
};

/* ---- The whole ---------------------------------------------------------------- */

typedef struct rt_cache rt_cache;

struct rt_adapters {
    mt_arena arena; /* written while opening only */
    const ct_model *model;
    rt_adapter_options options;
    rt_source *sources;
    size_t source_count;
    rt_fact_plan *plans; /* one per fact of the model */
    MT_VEC(mt_str) secrets;
    rt_cache *cache;
    pthread_mutex_t lock; /* of multis */
    bool waits;           /* some source is waited for: libcurl is there */
    CURLM **multis;
    size_t multi_count;
};

int64_t rt_adapters_wall_ms(const rt_adapters *a);

/* ---- Configuration ------------------------------------------------------------ */

/* Codes of diagnostics, docs/facts.md. */
#define RT_F_SETTING    "F101"
#define RT_F_NO_ADAPTER "F102"
#define RT_F_CREDENTIAL "F103"
#define RT_F_FACT       "F104"
#define RT_F_POLICY     "F105"
#define RT_F_ORIGIN     "F106"

/* Loads what a source needs; false after saying that it cannot be. A source that is
 * waited for shares one wait with all others, libcurl's. */
bool rt_source_loads(rt_opening *o, const rt_source *s, mt_late_library *library);
bool rt_source_waits(rt_opening *o, const rt_source *s);

/* Adds a diagnostic about a source and returns false. */
bool rt_source_fault(rt_opening *o, const rt_source *s, const char *code,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What the gate refuses: a fault, or for a contract that was accepted before a warning
 * and true. The source is not asked. */
bool rt_source_refuse(rt_opening *o, rt_source *s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool rt_fact_fault(rt_opening *o, const rt_fact_plan *p, const char *code,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Reads the settings of one source into *s, of one fact into *p; false after saying
 * what is wrong with them. */
bool rt_source_settings(rt_opening *o, rt_source *s, const mt_json *settings);
bool rt_fact_settings(rt_opening *o, rt_fact_plan *p, const mt_json *settings);
/* A file name of the configuration, from its directory; followed by a NUL. */
mt_str rt_beside(rt_opening *o, mt_str name);

/* The credential {env: NAME} or {file: PATH} refers to, remembered so that it can be
 * taken out of texts. A literal one is refused. */
bool rt_secret_read(rt_opening *o, const rt_source *s, const mt_json *reference,
                    const char *what, mt_str *out);
void rt_secret_remember(rt_adapters *a, mt_str secret);
/* The text with every credential replaced; `text` itself when there is none in it. */
mt_str rt_redact(const rt_adapters *a, mt_arena *arena, mt_str text);

/* ---- A fetch ------------------------------------------------------------------ */

struct rt_question {
    const rt_fact_plan *plan;
    rt_fact_answer *answer;
    mt_str *values; /* of the plan's names */
    mt_str key;     /* of the cache */
    bool done;
};

/* Something under way. The fetch waits until `fd` is ready for `events` (poll's), or a
 * short while, and calls step; at the deadline it calls give_up instead. HTTP jobs are
 * driven by the multi handle and have no fd. */
typedef struct rt_job rt_job;
struct rt_job {
    rt_fetching *fetching;
    rt_source *source;
    rt_question **questions;
    size_t count;
    bool done;
    int fd;
    short events;
    int64_t deadline;
    void (*step)(rt_job *job);
    void (*give_up)(rt_job *job);
    void *state;
};

struct rt_fetching {
    rt_adapters *adapters;
    const rt_fetch *fetch;
    mt_arena *arena;
    int64_t wall_ms; /* one moment for all facts of one fetch */
    CURLM *multi;    /* NULL when no source is waited for */
    MT_VEC(rt_job *) jobs;
};

/* Lets everything under way take a step, for those that keep the thread: they call it
 * every few milliseconds, so that nobody else's time runs out meanwhile. */
void rt_fetching_drive(rt_fetching *f);
/* rt_pool_take() that drives while it waits; to be called before rt_job_add(). */
mt_err rt_fetching_take(rt_fetching *f, rt_pool *p, int64_t deadline, void **out);

rt_job *rt_job_add(rt_fetching *f, rt_source *s, rt_question **questions, size_t count);
/* The earlier of the fetch's deadline and the source's timeout from now. */
int64_t rt_source_deadline(const rt_fetching *f, const rt_source *s);

/* Ends a question with an error. */
void rt_answer_error(rt_fetching *f, rt_question *q, rt_fact_error error,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
void rt_answer_each(rt_fetching *f, rt_question **questions, size_t count,
                    rt_fact_error error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Ends what is still open of a job, and the job. */
void rt_answer_all(rt_job *job, rt_fact_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends a question with a value found in an answer whose raw bytes were `raw`. The value
 * is brought to the shape ct_facts_read() reads (docs/facts.md), nothing more. */
void rt_answer_json(rt_fetching *f, rt_question *q, const mt_json *value, mt_str raw);
void rt_answer_text(rt_fetching *f, rt_question *q, mt_str text, mt_str raw);

/* The JSON text that `text` (a column, a variable) stands for under `type`; ptr NULL
 * when it cannot. */
mt_str rt_shape_text(mt_arena *a, const ct_type *type, mt_str text);
mt_str rt_shape_json(mt_arena *a, const ct_type *type, const mt_json *value);
/* "2026-01-31T23:59:00.250Z"; "2026-01-31". */
mt_str rt_time_text(mt_arena *a, int64_t ms);
mt_str rt_date_text(mt_arena *a, int64_t ms);

/* ---- Each kind ---------------------------------------------------------------- */

bool rt_http_set_up(rt_opening *o, rt_source *s);
bool rt_http_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p);
void rt_http_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count);
void rt_http_close(rt_source *s);
bool rt_graphql_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p);
void rt_graphql_ask(rt_fetching *f, rt_source *s, rt_question **qs, size_t count);
/* Reads what became of the transfers of the multi handle. */
void rt_http_harvest(rt_fetching *f);

/* The names in `parameters` of a fact, in order. */
bool rt_plan_parameters(rt_opening *o, rt_fact_plan *p);

bool rt_database_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p);
bool rt_sqlite_set_up(rt_opening *o, rt_source *s);
void rt_sqlite_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count);
void rt_sqlite_close(rt_source *s);
bool rt_postgres_set_up(rt_opening *o, rt_source *s);
void rt_postgres_ask(rt_fetching *f, rt_source *s, rt_question **qs, size_t count);
void rt_postgres_close(rt_source *s);

bool rt_process_set_up(rt_opening *o, rt_source *s);
/* `parameters` and nothing else. */
bool rt_process_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p);
void rt_process_ask(rt_fetching *f, rt_source *s, rt_question **qs, size_t count);
void rt_process_close(rt_source *s);

bool rt_static_set_up(rt_opening *o, rt_source *s);
bool rt_static_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p);
void rt_static_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count);
void rt_manual_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count);
bool rt_clock_set_up(rt_opening *o, rt_source *s);
bool rt_clock_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p);
void rt_clock_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count);

/* ---- The cache ---------------------------------------------------------------- */

rt_cache *rt_cache_new(void);
void rt_cache_free(rt_cache *c);
/* Copies what was kept under the key into the answer (value, response, digest,
 * fetched_at), if it is no older than `max_age` at `now`. */
bool rt_cache_get(rt_cache *c, mt_arena *a, mt_str key, int64_t now, uint64_t max_age,
                  rt_fact_answer *answer);
void rt_cache_put(rt_cache *c, mt_str key, const rt_fact_answer *answer);

#endif
