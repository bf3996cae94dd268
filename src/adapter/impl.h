/* adapter/impl.h - what the files of the room share.
 * Room: adapter, private to it.
 *
 * One ad_source per Source of the contract that a fact refers to, one ad_fact_plan per
 * such fact: both are made by ad_adapters_open() and never change, apart from the pools
 * of connections, which lock themselves. A fetch makes one ad_question per wanted fact
 * and one ad_job per exchange that has to be waited for. */
#ifndef AD_ADAPTER_IMPL_H
#define AD_ADAPTER_IMPL_H

#include <pthread.h>

#include "adapter/adapter.h"
#include "adapter/gate.h"
#include "base/form.h"
#include "base/hash.h"
#include "base/late_curl.h"
#include "base/vec.h"
#include "proto/proto.h"

/* ---- Text with {name} ---- */

/* A literal text, or the `name`-th of the plan's names. */
typedef struct ad_piece {
    mt_str text;
    uint32_t name; /* CT_NONE: literal */
} ad_piece;

typedef struct ad_template {
    const ad_piece *pieces;
    size_t count;
} ad_template;

/* The names one plan needs, each once. */
typedef struct ad_names {
    mt_str *items;
    size_t len, cap;
} ad_names;

uint32_t ad_name_index(mt_arena *a, ad_names *names, mt_str name);
/* False when a brace is not closed or a name is empty. */
bool ad_template_parse(mt_arena *a, mt_str text, ad_names *names, ad_template *out);
void ad_template_fill(mt_buf *out, const ad_template *t, const mt_str *values);
/* The same, each value percent-encoded down to unreserved characters, so that it stays
 * within its segment. */
void ad_template_fill_url(mt_buf *out, const ad_template *t, const mt_str *values);

/* ---- Ways into an answer ---- */

/* Names of members and indices of arrays, one after the other. */
typedef struct ad_selector {
    const ad_template *steps;
    size_t count; /* 0: the whole answer */
} ad_selector;

bool ad_selector_parse(mt_arena *a, mt_str text, ad_names *names, ad_selector *out);
/* NULL when there is nothing. */
const mt_json *ad_select(const mt_json *root, const ad_selector *s,
                         const mt_str *values);

/* ---- Sources ---- */

typedef struct ad_source ad_source;
typedef struct ad_fact_plan ad_fact_plan;
typedef struct ad_fetching ad_fetching;
typedef struct ad_question ad_question;
typedef struct ad_conversion ad_conversion;

/* What could not be told from a configuration alone: where faults go. */
typedef struct ad_opening {
    ad_adapters *adapters;
    mt_str directory;
    mt_diags *ds;
} ad_opening;

/* An adapter: how one kind of source is set up and asked. */
typedef enum ad_adapter_kind {
    AD_HTTP,
    AD_GRAPHQL,
    AD_GRPC,
    AD_POSTGRES,
    AD_PROCESS,
    AD_SQLITE,
    AD_STATIC,
    AD_MANUAL,
    AD_CLOCK
} ad_adapter_kind;
enum { AD_ADAPTER_COUNT = AD_CLOCK + 1 };

typedef struct ad_adapter {
    mt_str id;
    /* After the settings were read; false after a diagnostic. May be NULL. */
    bool (*set_up)(ad_opening *o, ad_source *s);
    bool (*plan)(ad_opening *o, const ad_source *s, ad_fact_plan *p);
    /* Answers the questions (all of `s`), or starts jobs that will. */
    void (*ask)(ad_fetching *f, ad_source *s, ad_question **questions, size_t count);
    void (*close)(ad_source *s);
} ad_adapter;

extern const ad_adapter AD_ADAPTERS[]; /* by ad_adapter_kind */
bool ad_kind_find(mt_str protocol, mt_str dialect, ad_adapter_kind *out);

typedef enum ad_on_error {
    AD_ON_ERROR_FAIL,
    AD_ON_ERROR_DEFAULT,
    AD_ON_ERROR_STALE
} ad_on_error;

/* Connections or processes that one fetch uses at a time, at most `most` of them. */
typedef struct ad_pool {
    pthread_mutex_t lock;
    pthread_cond_t given;
    void **idle;
    size_t idle_count, out, most;
} ad_pool;

void ad_pool_init(ad_pool *p, mt_arena *a, size_t most);
/* MT_OK: *out is an idle one, or NULL: make one. MT_E_TIMEOUT. */
mt_err ad_pool_take(ad_pool *p, int64_t deadline, void **out);
/* NULL: it is no more. */
void ad_pool_give(ad_pool *p, void *thing);
/* Closes the idle ones; none may be out. */
void ad_pool_free(ad_pool *p, void (*close)(void *thing));

struct ad_source {
    const ct_source_decl *decl;
    ad_adapters *adapters;
    ad_adapter_kind kind;
    mt_str adapter_id;
    /* Settings. Durations in milliseconds. */
    uint64_t timeout, connect_timeout, max_age, stale_for;
    size_t max_bytes, redirects, connections;
    int on_error;      /* ad_on_error */
    int keep_response; /* 0: its digest only */
    bool on_error_given, environment;
    mt_str base_url, proxy, ca_file, file, fixed, working_directory, proto, proto_root;
    const mt_json *auth, *headers, *connection, *values, *facts, *instances;
    mt_form_words command;
    mt_form_words variables; /* of the host's environment that a process is given */
    /* Made from them. */
    mt_json fields; /* of the declaration */
    mt_str refused; /* why it may not be asked; empty: it may */
    mt_str origin;  /* of base_url */
    mt_str peer;    /* the host that is connected to: the proxy's, or the origin's */
    bool origin_configured;
    mt_str user, password, auth_query;
    struct curl_slist *header_list;
    const char *const *process_environment;
    const char *const *pg_keys, *const *pg_values;
    int64_t fixed_ms;        /* of the clock; 0: it runs */
    const pb_schema *schema; /* of its messages, gRPC */
    ad_pool pool;
    bool has_pool;
};

struct ad_fact_plan {
    const ct_fact *fact;
    uint32_t index;
    ad_source *source; /* NULL: no structured source */
    ad_names names;
    mt_str path_text;
    ad_template path;
    /* Settings of the fact. */
    mt_str resource_text, select_text, query, variable;
    mt_form_words parameters;
    const mt_json *request;       /* gRPC: the message, with {name}s in its texts */
    const ad_conversion *convert; /* NULL: the value is taken as it is */
    /* Made from them. */
    const pb_method *method;
    ad_template resource;
    ad_selector select;
    const uint32_t *bound; /* names of `parameters`, in order */
    size_t bound_count;
};

/* ---- The whole ---- */

typedef struct ad_cache ad_cache;

struct ad_adapters {
    mt_arena arena; /* written while opening only */
    const ct_model *model;
    ad_adapter_options options;
    ad_source *sources;
    size_t source_count;
    ad_fact_plan *plans; /* one per fact of the model */
    MT_VEC(mt_str) secrets;
    ad_cache *cache;
    pthread_mutex_t lock; /* of multis */
    bool waits;           /* some source is waited for: libcurl is there */
    CURLM **multis;
    size_t multi_count;
};

int64_t ad_adapters_wall_ms(const ad_adapters *a);

/* ---- Configuration ---- */

/* Codes of diagnostics, docs/reference/facts.md. */
#define AD_F_SETTING    "F101"
#define AD_F_NO_ADAPTER "F102"
#define AD_F_CREDENTIAL "F103"
#define AD_F_FACT       "F104"
#define AD_F_POLICY     "F105"
#define AD_F_ORIGIN     "F106"

/* What settings are about: a source, or one of its facts. */
typedef struct ad_subject {
    ad_opening *o;
    const ad_source *source;
    const ad_fact_plan *fact; /* NULL: the source itself */
} ad_subject;
/* A form for what is at `path` of the settings; its faults are diagnostics. */
mt_form ad_form(ad_subject *subject, const char *path, const char *what);

/* Loads what a source needs; false after saying that it cannot be. A source that is
 * waited for shares one wait with all others, libcurl's. */
bool ad_source_loads(ad_opening *o, const ad_source *s, mt_late_library *library);
bool ad_source_waits(ad_opening *o, const ad_source *s);

/* Adds a diagnostic about a source and returns false. */
bool ad_source_fault(ad_opening *o, const ad_source *s, const char *code,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What the gate refuses: a fault, or for a contract that was accepted before a warning
 * and true. The source is not asked. */
bool ad_source_refuse(ad_opening *o, ad_source *s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool ad_fact_fault(ad_opening *o, const ad_fact_plan *p, const char *code,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Reads the settings of one source into *s, of one fact into *p; false after saying
 * what is wrong with them. */
bool ad_source_settings(ad_opening *o, ad_source *s, const mt_json *settings);
bool ad_fact_settings(ad_opening *o, ad_fact_plan *p, const mt_json *settings);
/* A file name of the configuration, from its directory; followed by a NUL. */
mt_str ad_beside(ad_opening *o, mt_str name);

/* The credential {env: NAME} or {file: PATH} refers to, remembered so that it can be
 * taken out of texts. A literal one is refused. */
bool ad_secret_read(ad_opening *o, const ad_source *s, const mt_json *reference,
                    const char *what, mt_str *out);
void ad_secret_remember(ad_adapters *a, mt_str secret);
/* The text with every credential replaced; `text` itself when there is none in it. */
mt_str ad_redact(const ad_adapters *a, mt_arena *arena, mt_str text);

/* ---- A fetch ---- */

struct ad_question {
    const ad_fact_plan *plan;
    ad_fact_answer *answer;
    mt_str *values;             /* of the plan's names */
    mt_str key;                 /* of the cache */
    int64_t began_ns, ended_ns; /* its source was asked; 0: it was not */
    bool done;
};

/* Something under way. The fetch waits until `fd` is ready for `events` (poll's), or a
 * short while, and calls step; at the deadline it calls give_up instead. HTTP jobs are
 * driven by the multi handle and have no fd. */
typedef struct ad_job ad_job;
struct ad_job {
    ad_fetching *fetching;
    ad_source *source;
    ad_question **questions;
    size_t count;
    bool done;
    int fd;
    short events;
    int64_t deadline;
    void (*step)(ad_job *job);
    void (*give_up)(ad_job *job);
    void (*transferred)(ad_job *job, CURLcode code); /* of libcurl's */
    void *state;
};

struct ad_fetching {
    ad_adapters *adapters;
    const ad_fetch *fetch;
    mt_arena *arena;
    int64_t wall_ms; /* one moment for all facts of one fetch */
    CURLM *multi;    /* NULL when no source is waited for */
    MT_VEC(ad_job *) jobs;
};

/* Lets everything under way take a step, for those that keep the thread: they call it
 * every few milliseconds, so that nobody else's time runs out meanwhile. */
void ad_fetching_drive(ad_fetching *f);
/* ad_pool_take() that drives while it waits; to be called before ad_job_add(). */
mt_err ad_fetching_take(ad_fetching *f, ad_pool *p, int64_t deadline, void **out);

/* Until every job has ended. */
void ad_fetching_wait(ad_fetching *f);
/* A multi handle with its connections; NULL when no source is waited for. */
CURLM *ad_multi_take(ad_adapters *a);
void ad_multi_give(ad_adapters *a, CURLM *multi);

ad_job *ad_job_add(ad_fetching *f, ad_source *s, ad_question **questions, size_t count);
/* The earlier of the fetch's deadline and the source's timeout from now. */
int64_t ad_source_deadline(const ad_fetching *f, const ad_source *s);

/* Ends a question with an error. */
void ad_answer_error(ad_fetching *f, ad_question *q, ad_fact_error error,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
void ad_answer_each(ad_fetching *f, ad_question **questions, size_t count,
                    ad_fact_error error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Ends what is still open of a job, and the job. */
void ad_answer_all(ad_job *job, ad_fact_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends a question with a value found in an answer whose raw bytes were `raw`. The value
 * is brought to the shape ct_facts_read() reads (docs/reference/facts.md), nothing
 * more. */
void ad_answer_json(ad_fetching *f, ad_question *q, const mt_json *value, mt_str raw);
void ad_answer_text(ad_fetching *f, ad_question *q, mt_str text, mt_str raw);

/* The reader of `convert`, which a fact's settings may have. */
mt_form_reader ad_convert_read;
/* Does what `convert` says, if anything. False: the question was answered with why it
 * cannot be done. */
bool ad_convert(ad_fetching *f, ad_question *q, mt_json *value);

/* The JSON text that `text` (a column, a variable) stands for under `type`; ptr NULL
 * when it cannot. */
mt_str ad_shape_text(mt_arena *a, const ct_type *type, mt_str text);
mt_str ad_shape_json(mt_arena *a, const ct_type *type, const mt_json *value);
/* "2026-01-31T23:59:00.250Z"; "2026-01-31". */
mt_str ad_time_text(mt_arena *a, int64_t ms);
mt_str ad_date_text(mt_arena *a, int64_t ms);

/* ---- Each kind ---- */

bool ad_http_set_up(ad_opening *o, ad_source *s);
bool ad_http_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p);
void ad_http_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count);
void ad_http_close(ad_source *s);
bool ad_graphql_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p);
void ad_graphql_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count);

/* Asks with a POST, together with whoever asks the same; ad_http_start() when all have
 * been added. */
void ad_http_post(ad_fetching *f, ad_source *s, ad_question *q, mt_str url,
                  mt_str post);
void ad_http_start(ad_fetching *f, const ad_source *s);

/* What came over HTTP: headers and trailers in one, one line each. */
typedef struct ad_reply {
    long status;
    bool is_http2;
    mt_str head, body;
} ad_reply;

bool ad_grpc_set_up(ad_opening *o, ad_source *s);
bool ad_grpc_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p);
void ad_grpc_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count);
/* Answers every question of the job. */
void ad_grpc_read(ad_job *job, const ad_reply *reply);
/* An endpoint as a URL. */
mt_str ad_grpc_url(mt_arena *a, mt_str endpoint);

/* The names in `parameters` of a fact, in order. */
void ad_plan_parameters(ad_opening *o, ad_fact_plan *p);

bool ad_database_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p);
bool ad_sqlite_set_up(ad_opening *o, ad_source *s);
void ad_sqlite_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count);
void ad_sqlite_close(ad_source *s);
bool ad_postgres_set_up(ad_opening *o, ad_source *s);
void ad_postgres_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count);
void ad_postgres_close(ad_source *s);

bool ad_process_set_up(ad_opening *o, ad_source *s);
/* `parameters` and nothing else. */
bool ad_process_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p);
void ad_process_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count);
void ad_process_close(ad_source *s);

bool ad_static_set_up(ad_opening *o, ad_source *s);
bool ad_static_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p);
void ad_static_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count);
void ad_manual_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count);
bool ad_clock_set_up(ad_opening *o, ad_source *s);
bool ad_clock_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p);
void ad_clock_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count);

/* ---- The cache ---- */

ad_cache *ad_cache_new(void);
void ad_cache_free(ad_cache *c);
/* Copies what was kept under the key into the answer (value, response, digest,
 * fetched_at), if it is no older than `max_age` at `now`. */
bool ad_cache_get(ad_cache *c, mt_arena *a, mt_str key, int64_t now, uint64_t max_age,
                  ad_fact_answer *answer);
void ad_cache_put(ad_cache *c, mt_str key, const ad_fact_answer *answer);

#endif
