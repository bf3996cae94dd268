/* exec/machine.c - what every part asks of the executor: the time, an identifier, a
 * line in the log, that the outbox looks.
 * Room: exec.
 * Also what is said of things that fail: the store and the sources of facts each get a
 * line when they begin to fail, when the reason changes and when they work again,
 * however many calls fail in between (os/trouble.h), and sources are counted by name.
 * Invariant: at most SOURCES_MOST names are counted, so a contract cannot make figures
 * grow. Nothing here can fail. */
#include <stdarg.h>
#include <sys/random.h>
#include <time.h>

#include "exec/executor_internal.h"
#include "exec/machine.h"

static int64_t wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* How far the wall clock has ever been ahead of the monotonic one. It only grows, so a
 * clock that is set back neither turns time back nor stops it: what is due comes due.
 */
static int64_t push_clock(ex_executor *x, int64_t ahead)
{
    long long most = atomic_load(&x->ahead_ms);
    while (ahead > most && !atomic_compare_exchange_weak(&x->ahead_ms, &most, ahead)) {
    }
    return ahead > most ? ahead : most;
}

void ex_now_at_least(ex_executor *x, int64_t ms)
{
    push_clock(x, ms - os_now_ms());
}

int64_t ex_now(ex_executor *x)
{
    int64_t monotonic = os_now_ms();
    int64_t own = x->shared ? INT64_MIN : wall_ms() - monotonic;
    return monotonic + push_clock(x, own);
}

/* ---- The clock of a shared database ---- */

/* Told when it begins and when it ends, not all the time. */
static void note_skew(ex_executor *x, int64_t skew)
{
    int64_t most = (int64_t)x->clock_skew_ms;
    bool off = skew > most || skew < -most;
    atomic_store(&x->skew_ms, skew);
    if (off != x->skewed) {
        ex_log(x, off ? 3 : 1, off ? "clock_skew" : "clock_agrees",
               "this machine's clock is %lld ms %s the database's%s",
               (long long)(skew < 0 ? -skew : skew), skew < 0 ? "behind" : "ahead of",
               off ? "; records and expiry go by the database's" : "");
    }
    x->skewed = off;
}

mt_err ex_clock_sync(ex_executor *x)
{
    int64_t before = os_now_ms(), at = 0;
    mt_err err = x->shared ? st_clock(x->store, &at) : MT_E_NOTFOUND;
    if (err) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    int64_t after = os_now_ms();
    /* It was read before `after`: so this process is never ahead of the database,
     * however long the answer took, and comes as near as its fastest answer. */
    push_clock(x, at - after);
    if (after - before <= (int64_t)x->clock_skew_ms) { /* else it says nothing */
        note_skew(x, wall_ms() - at - (after - before) / 2);
    }
    return MT_OK;
}

mt_str ex_new_id(mt_arena *a, const char *prefix)
{
    unsigned char random[16];
    char hex[32];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        MT_BUG("no random numbers");
    }
    mt_hex(random, sizeof random, hex);
    return mt_strf(a, "%s-%.*s", prefix, (int)sizeof hex, hex);
}

void ex_log(ex_executor *x, int level, const char *event, const char *format, ...)
{
    if (!x->log) {
        return;
    }
    mt_arena a = {0};
    mt_buf json = {0};
    va_list args;
    va_start(args, format);
    mt_str text = mt_strfv(&a, format, args);
    va_end(args);
    mt_jw w = mt_jw_start(&json, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "message", text);
    mt_jw_end_object(&w);
    x->log(x->log_state, level, mt_str_z(event), mt_buf_str(&json));
    mt_buf_free(&json);
    mt_arena_free(&a);
}

/* ---- What fails and works again ---- */

static void tell(ex_executor *x, const os_told *told, const char *event,
                 const char *restored, const char *reason, mt_str why)
{
    unsigned long long failures = told->failures;
    why = why.len ? why : MT_STR("");
    if (told->turn == OS_ENDED) {
        ex_log(x, 1, restored, "after %llu failures in %lld ms", failures,
               (long long)told->lasted_ms);
    } else if (told->turn != OS_AS_BEFORE) {
        ex_log(x, 3, event, "%s%s%.*s", reason, why.len ? ": " : "", MT_ARG(why));
    }
}

void ex_store_read(ex_executor *x, mt_err err, mt_str why)
{
    os_told told = os_trouble_note(&x->reads, (int)err);
    tell(x, &told, "store_failing", "store_restored", mt_err_text(err), why);
}

/* What can be written can be read, too. */
void ex_store_written(ex_executor *x, mt_err err, mt_str why)
{
    os_told told = os_trouble_note(&x->writes, (int)err);
    tell(x, &told, "store_failing_writes", "store_writes_restored", mt_err_text(err),
         why);
    if (!err) {
        ex_store_read(x, MT_OK, (mt_str){0});
    }
}

/* ---- Sources ---- */

enum { SOURCES_MOST = 256 }; /* that are counted by name; the rest together */

typedef struct ex_asked_source {
    mt_times times;
    atomic_ullong failures;
    os_trouble trouble;
} ex_asked_source;

static ex_asked_source *asked_source(ex_executor *x, mt_str *source)
{
    bool added;
    pthread_mutex_lock(&x->asked_lock);
    bool room = x->asked.len < SOURCES_MOST || mt_map_find(&x->asked, *source);
    *source = room ? *source : MT_STR("other");
    mt_map_entry *e = mt_map_add(&x->asked_arena, &x->asked,
                                 mt_str_dup(&x->asked_arena, *source), &added);
    if (added) {
        ex_asked_source *s = mt_new(&x->asked_arena, ex_asked_source);
        os_trouble_make(&s->trouble);
        e->value = (uintptr_t)s;
    }
    ex_asked_source *found = (ex_asked_source *)e->value;
    pthread_mutex_unlock(&x->asked_lock);
    return found;
}

/* A number for a sentence; none is 0, some never is. */
static int reason_of(mt_str why)
{
    int reason = 0;
    for (size_t i = 0; i < why.len; i++) {
        reason = (reason * 31 + (unsigned char)why.ptr[i]) & 0xffffff;
    }
    return why.len ? reason | 0x1000000 : 0;
}

void ex_intent_sent(ex_executor *x, mt_str graph, mt_str failed)
{
    os_told told = os_trouble_note(&x->channels, reason_of(failed));
    mt_arena a = {0};
    tell(x, &told, "intent_undelivered", "intents_delivered",
         mt_strf(&a, "graph %.*s", MT_ARG(graph)).ptr, failed);
    mt_arena_free(&a);
}

void ex_source_asked(ex_executor *x, mt_str source, uint64_t ns, const char *failed)
{
    ex_asked_source *s = asked_source(x, &source);
    mt_times_add(&s->times, ns);
    atomic_fetch_add_explicit(&s->failures, failed != NULL, memory_order_relaxed);
    os_told told = os_trouble_note(&s->trouble, reason_of(mt_str_z(failed)));
    tell(x, &told, "source_failing", "source_restored", failed ? failed : "", source);
}

/* Keys and what they lead to stay until the executor is freed. */
void ex_sources_figures(ex_executor *x, mt_figures *f)
{
    pthread_mutex_lock(&x->asked_lock);
    mt_family(f, MT_HISTOGRAM, "source_seconds", "How long sources of facts took.");
    for (uint32_t i = 0; i < x->asked.len; i++) {
        mt_label of = {"source", x->asked.entries[i].key};
        f->times(f, &of, 1, &((ex_asked_source *)x->asked.entries[i].value)->times);
    }
    mt_family(f, MT_COUNTER, "source_failures_total",
              "Questions that sources of facts failed to answer.");
    for (uint32_t i = 0; i < x->asked.len; i++) {
        const ex_asked_source *s = (ex_asked_source *)x->asked.entries[i].value;
        mt_figure_of(f, "source", x->asked.entries[i].key,
                     (double)atomic_load(&s->failures));
    }
    pthread_mutex_unlock(&x->asked_lock);
}

void ex_sources_free(ex_executor *x)
{
    for (uint32_t i = 0; i < x->asked.len; i++) {
        os_trouble_drop(&((ex_asked_source *)x->asked.entries[i].value)->trouble);
    }
    mt_arena_free(&x->asked_arena);
}

void ex_outbox_wake(ex_executor *x)
{
    pthread_mutex_lock(&x->queue_lock);
    x->outbox_news = true;
    pthread_cond_signal(&x->outbox_more);
    pthread_mutex_unlock(&x->queue_lock);
}
