/* exec/machine.c - what every part asks of the executor: the time, an identifier, a
 * line in the log, that the outbox looks.
 * Room: exec. */
#include <stdarg.h>
#include <sys/random.h>
#include <time.h>

#include "exec/executor_internal.h"

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

void ex_outbox_wake(ex_executor *x)
{
    pthread_mutex_lock(&x->queue_lock);
    x->outbox_news = true;
    pthread_cond_signal(&x->outbox_more);
    pthread_mutex_unlock(&x->queue_lock);
}
