/* trace/exporter.c - see exporter.h.
 *
 * The thread sleeps until its interval is over or half the queue is full, takes what
 * waits (a batch at a time), makes one message of it and sends it. After a failure that
 * may pass (no connection, 429, 502, 503, 504) the batch is sent again after a pause
 * that doubles, TRIES times in all; any other answer means that it will never be taken,
 * and it is dropped. Figures are sent in between and never again: the next ones have
 * all that these had.
 *
 * Invariants: the lock is held for copying only, never while anything is sent; the
 * ceiling of the queue is never passed. Closing leaves LAST_MS for what is under way
 * and what waits, whatever the time-out of an exchange is. What may fail: everything
 * outside, and it is counted. */
#include "trace/exporter.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "base/late_curl.h"
#include "base/wait.h"
#include "os/clock.h"
#include "os/trouble.h"

enum {
    BATCH = 1024, /* traces in one message */
    TRIES = 4,
    PAUSE_MS = 500,
    PAUSE_MOST_MS = 30000,
    FIGURES_MS = 60000, /* they are told again soon */
    LAST_MS = 2000,     /* for all that is left at the end */
    ANSWER_MOST = 64 << 10
};

/* How an exchange ended. */
typedef enum outcome { TAKEN, NOT_NOW, NEVER } outcome;

struct tr_exporter {
    tr_exporter_options options;
    tr_resource resource;
    char instance[32];
    CURL *easy; /* the thread's, with its connection */
    struct curl_slist *headers;
    mt_buf traces_url, metrics_url;
    char error[CURL_ERROR_SIZE];
    os_trouble trouble;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    tr_trace *queue; /* a ring of settings->queue */
    size_t first, count;
    bool stop, running;

    tr_trace *batch; /* the thread's */
    mt_buf message;
    atomic_ullong sent, spans, dropped, failed, figures_failed;
    atomic_llong end_ms; /* nobody waits for the collector after this; 0: no end yet */
};

/* ---- What is said ---- */

/* The address and what the library says; credentials are in neither. */
static void say(tr_exporter *e, int level, const char *event, const os_told *told,
                mt_str reason)
{
    mt_buf json = {0};
    if (!e->options.log) {
        return;
    }
    mt_jw w = mt_jw_start(&json, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "failures", (int64_t)told->failures);
    if (told->turn == OS_ENDED) {
        mt_jw_key_i64(&w, "lasted_ms", told->lasted_ms);
    }
    if (reason.len) {
        mt_jw_key_str(&w, "reason", reason);
    }
    mt_jw_end_object(&w);
    e->options.log(e->options.log_state, level, mt_str_z(event), mt_buf_str(&json));
    mt_buf_free(&json);
}

static void note(tr_exporter *e, int reason, mt_str text)
{
    os_told told = os_trouble_note(&e->trouble, reason);
    if (told.turn == OS_ENDED) {
        say(e, 1, "otlp_restored", &told, (mt_str){0});
    } else if (told.turn != OS_AS_BEFORE) {
        say(e, 2, "otlp_failing", &told, text);
    }
}

/* ---- One exchange ---- */

static size_t drop_answer(char *data, size_t size, size_t count, void *state)
{
    size_t *heard = state;
    (void)data;
    *heard += size * count;
    return *heard > ANSWER_MOST ? 0 : size * count;
}

/* The library asks at least once a second. */
static int is_over(void *state, curl_off_t down, curl_off_t now_down, curl_off_t up,
                   curl_off_t now_up)
{
    tr_exporter *e = state;
    (void)down, (void)now_down, (void)up, (void)now_up;
    long long end = atomic_load(&e->end_ms);
    return end && os_now_ms() >= end;
}

#define SET(e, option, value)                                                          \
    MT_ASSERT(curl_easy_setopt((e)->easy, option, (value)) == CURLE_OK)

static bool may_pass(long status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static outcome judged(tr_exporter *e, CURLcode code)
{
    long status = 0;
    if (code) {
        note(e, (int)code, mt_str_z(curl_easy_strerror(code)));
        return NOT_NOW;
    }
    curl_easy_getinfo(e->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) {
        note(e, 0, (mt_str){0});
        return TAKEN;
    }
    mt_buf text = {0};
    mt_buf_addf(&text, "the collector answered with status %ld", status);
    note(e, (int)(1000 + status), mt_buf_str(&text));
    mt_buf_free(&text);
    return may_pass(status) ? NOT_NOW : NEVER;
}

/* No redirect is followed and no proxy of the environment is used: what is sent, and
 * the credential with it, goes where the configuration says. */
static outcome post(tr_exporter *e, const mt_buf *url, long most_ms)
{
    const tr_settings *s = e->options.settings;
    size_t heard = 0;
    long timeout = s->timeout_ms < most_ms ? (long)s->timeout_ms : most_ms;
    SET(e, CURLOPT_URL, url->ptr);
    SET(e, CURLOPT_POSTFIELDS, e->message.ptr);
    SET(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)e->message.len);
    SET(e, CURLOPT_TIMEOUT_MS, timeout);
    SET(e, CURLOPT_CONNECTTIMEOUT_MS, timeout);
    SET(e, CURLOPT_WRITEDATA, &heard);
    return judged(e, curl_easy_perform(e->easy));
}

static void set_up(tr_exporter *e)
{
    const tr_settings *s = e->options.settings;
    SET(e, CURLOPT_NOSIGNAL, 1L);
    SET(e, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(e, CURLOPT_FOLLOWLOCATION, 0L);
    SET(e, CURLOPT_PROXY, "");
    SET(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(e, CURLOPT_USERAGENT, "motet");
    SET(e, CURLOPT_WRITEFUNCTION, drop_answer);
    SET(e, CURLOPT_ERRORBUFFER, e->error);
    SET(e, CURLOPT_NOPROGRESS, 0L);
    SET(e, CURLOPT_XFERINFOFUNCTION, is_over);
    SET(e, CURLOPT_XFERINFODATA, e);
    if (s->ca_file) {
        SET(e, CURLOPT_CAINFO, s->ca_file);
    }
    e->headers = curl_slist_append(NULL, "Content-Type: application/x-protobuf");
    e->headers = curl_slist_append(e->headers, "Expect:"); /* no waiting for 100 */
    for (size_t i = 0; i < s->header_count; i++) {
        e->headers = curl_slist_append(e->headers, s->headers[i].ptr);
    }
    SET(e, CURLOPT_HTTPHEADER, e->headers);
}

/* ---- The thread ---- */

static bool stops(tr_exporter *e)
{
    pthread_mutex_lock(&e->lock);
    bool stop = e->stop;
    pthread_mutex_unlock(&e->lock);
    return stop;
}

/* Sleeps, but not longer than until the end. False: it is time to stop. */
static bool pause_for(tr_exporter *e, int64_t ms)
{
    int64_t end = mt_wait_end(ms);
    pthread_mutex_lock(&e->lock);
    while (!e->stop && mt_cond_wait(&e->more, &e->lock, end)) {
    }
    bool goes_on = !e->stop;
    pthread_mutex_unlock(&e->lock);
    return goes_on;
}

static size_t take_batch(tr_exporter *e)
{
    size_t most = e->options.settings->queue;
    pthread_mutex_lock(&e->lock);
    size_t n = e->count < BATCH ? e->count : BATCH;
    for (size_t i = 0; i < n; i++) {
        e->batch[i] = e->queue[(e->first + i) % most];
    }
    e->first = (e->first + n) % most;
    e->count -= n;
    pthread_mutex_unlock(&e->lock);
    return n;
}

/* Until it is taken, will never be, or was tried often enough. */
static outcome insist(tr_exporter *e, const mt_buf *url)
{
    outcome o = NOT_NOW;
    int64_t pause = PAUSE_MS;
    for (int i = 0; i < TRIES && o == NOT_NOW; i++) {
        if (i && !pause_for(e, pause)) {
            break;
        }
        o = post(e, url, (long)e->options.settings->timeout_ms);
        pause = pause * 4 < PAUSE_MOST_MS ? pause * 4 : PAUSE_MOST_MS;
    }
    return o;
}

static void send_batch(tr_exporter *e, size_t n)
{
    tr_message m;
    unsigned spans = 0;
    mt_buf_clear(&e->message);
    tr_spans_begin(&m, &e->message, &e->resource);
    for (size_t i = 0; i < n; i++) {
        spans += tr_spans_add(&m, &e->batch[i]);
    }
    tr_message_end(&m);
    bool taken = insist(e, &e->traces_url) == TAKEN;
    atomic_fetch_add(taken ? &e->sent : &e->failed, n);
    atomic_fetch_add(&e->spans, taken ? spans : 0);
}

static void send_figures(tr_exporter *e)
{
    tr_figures f;
    if (!e->options.tell) {
        return;
    }
    mt_buf_clear(&e->message);
    mt_figures *to = tr_figures_begin(&f, &e->message, &e->resource);
    e->options.tell(e->options.tell_state, to);
    tr_figures_end(&f);
    if (post(e, &e->metrics_url, FIGURES_MS) != TAKEN) {
        atomic_fetch_add(&e->figures_failed, 1);
    }
}

/* Sleeps until there is enough to send, or the interval is over. */
static void await_work(tr_exporter *e)
{
    const tr_settings *s = e->options.settings;
    int64_t end = mt_wait_end(s->every_ms);
    pthread_mutex_lock(&e->lock);
    while (!e->stop && e->count < s->queue / 2 && e->count < BATCH &&
           mt_cond_wait(&e->more, &e->lock, end)) {
    }
    pthread_mutex_unlock(&e->lock);
}

/* When it stops, what waits is sent once, as long as the collector takes it. */
static void *run(void *state)
{
    tr_exporter *e = state;
    const tr_settings *s = e->options.settings;
    int64_t due = os_now_ms();
    for (bool last = false; !last;) {
        await_work(e);
        last = stops(e);
        uint64_t lost = atomic_load(&e->failed);
        for (size_t n; (n = take_batch(e)) > 0;) {
            send_batch(e, n);
            if (atomic_load(&e->failed) != lost) {
                break; /* figures are due meanwhile, and the queue is bounded */
            }
        }
        if (s->metrics_ms && (last || os_now_ms() >= due)) {
            due = os_now_ms() + s->metrics_ms;
            send_figures(e);
        }
    }
    return NULL;
}

/* ---- Outside ---- */

bool tr_exporter_give(tr_exporter *e, const tr_trace *t)
{
    size_t most = e->options.settings->queue;
    pthread_mutex_lock(&e->lock);
    bool fits = e->count < most && !e->stop;
    if (fits) {
        e->queue[(e->first + e->count++) % most] = *t;
        if (e->count == BATCH || e->count == most / 2) {
            pthread_cond_signal(&e->more);
        }
    }
    pthread_mutex_unlock(&e->lock);
    if (!fits) {
        atomic_fetch_add_explicit(&e->dropped, 1, memory_order_relaxed);
    }
    return fits;
}

void tr_exporter_figures(tr_exporter *e, mt_figures *f)
{
    pthread_mutex_lock(&e->lock);
    size_t waiting = e->count;
    pthread_mutex_unlock(&e->lock);
    mt_gauge(f, "otlp_queue", "Traces that wait to be sent.", (double)waiting);
    mt_counter(f, "otlp_traces_sent_total", "Traces a collector has taken.",
               atomic_load(&e->sent));
    mt_counter(f, "otlp_spans_sent_total", "Spans in them.", atomic_load(&e->spans));
    mt_counter(f, "otlp_traces_dropped_total", "Traces that found the queue full.",
               atomic_load(&e->dropped));
    mt_counter(f, "otlp_traces_failed_total", "Traces no collector would take.",
               atomic_load(&e->failed));
    mt_counter(f, "otlp_metrics_failed_total", "Figures no collector would take.",
               atomic_load(&e->figures_failed));
}

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_ALL);
}

static void exporter_free(tr_exporter *e)
{
    if (e->easy) {
        curl_easy_cleanup(e->easy);
        curl_slist_free_all(e->headers);
    }
    os_trouble_drop(&e->trouble);
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->more);
    mt_buf_free(&e->traces_url);
    mt_buf_free(&e->metrics_url);
    mt_buf_free(&e->message);
    free(e->queue);
    free(e->batch);
    free(e);
}

static void make_url(mt_buf *out, const char *endpoint, const char *path)
{
    mt_str base = mt_str_z(endpoint);
    while (base.len && base.ptr[base.len - 1] == '/') {
        base.len--;
    }
    mt_buf_adds(out, base);
    mt_buf_addz(out, path);
    mt_buf_addc(out, '\0');
}

static tr_exporter *exporter_new(const tr_exporter_options *options)
{
    const tr_settings *s = options->settings;
    tr_exporter *e = mt_xmalloc(sizeof *e);
    unsigned char random[16];
    memset(e, 0, sizeof *e);
    e->options = *options;
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        MT_BUG("no random numbers");
    }
    mt_hex(random, sizeof random, e->instance);
    e->resource = (tr_resource){.service = mt_str_z(s->service),
                                .version = options->version,
                                .instance = mt_str_from(e->instance, 32),
                                .began_ns = tr_now_ns()};
    os_trouble_make(&e->trouble);
    pthread_mutex_init(&e->lock, NULL);
    mt_cond_init(&e->more);
    e->queue = mt_xmalloc(mt_array_bytes(s->queue, sizeof *e->queue));
    e->batch = mt_xmalloc(mt_array_bytes(BATCH, sizeof *e->batch));
    make_url(&e->traces_url, s->endpoint, "/v1/traces");
    make_url(&e->metrics_url, s->endpoint, "/v1/metrics");
    return e;
}

mt_err tr_exporter_open(const tr_exporter_options *options, tr_exporter **out,
                        mt_buf *why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *missing = mt_late_load(&mt_late_curl);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    pthread_once(&once, start_curl);
    tr_exporter *e = exporter_new(options);
    e->easy = curl_easy_init();
    *out = e; /* before there is a thread: its first figures may ask for its own */
    if (e->easy) {
        set_up(e);
        e->running = pthread_create(&e->thread, NULL, run, e) == 0;
    }
    if (!e->running) {
        mt_buf_addz(why, "no thread can be had for OTLP");
        *out = NULL;
        exporter_free(e);
        return MT_E_IO;
    }
    return MT_OK;
}

void tr_exporter_close(tr_exporter *e)
{
    if (!e) {
        return;
    }
    atomic_store(&e->end_ms, os_now_ms() + LAST_MS);
    pthread_mutex_lock(&e->lock);
    e->stop = true;
    pthread_cond_signal(&e->more);
    pthread_mutex_unlock(&e->lock);
    pthread_join(e->thread, NULL);
    exporter_free(e);
}
