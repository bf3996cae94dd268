/* exec/call/quota.c - how much one identity may ask for in a while.
 * Room: exec.
 * `quotas` of the configuration has a number for each kind: requests a minute;
 * instances made, answers kept and refusals recorded a day; event streams at once.
 * Under `identities` single ones have their own. What is not given has no limit.
 *
 * A quota is a bucket that fills evenly: so many at once at the most, and one more each
 * time its share of the period has passed. It is counted by the monotonic clock, in
 * this process: each node counts for itself, and a restart begins anew. Only the moment
 * at which a bucket will be full again is kept, so an identity that was quiet for a day
 * needs no memory; those are dropped when there are many.
 *
 * Threads: any; one lock, held for a look-up. Nothing here can fail: with more than
 * IDENTITIES_MOST busy ones at a time, further ones share a bucket. */
#include <stdlib.h>
#include <time.h>

#include "base/form.h"
#include "exec/call/rights.h"
#include "exec/settings.h"

enum { IDENTITIES_MOST = 65536 };
#define SECOND INT64_C(1000000000)

/* ---- The numbers ---- */

typedef struct numbers {
    int64_t of[EX_QUOTA_COUNT]; /* 0: no limit */
    mt_str id;                  /* of `identities` */
} numbers;

static const int64_t PERIODS[] = {
    [EX_QUOTA_REQUESTS] = 60 * SECOND,
    [EX_QUOTA_INSTANCES] = 86400 * SECOND,
    [EX_QUOTA_ANSWERS] = 86400 * SECOND,
    [EX_QUOTA_REFUSALS] = 86400 * SECOND,
    [EX_QUOTA_STREAMS] = 0, /* counted, not metered */
};
_Static_assert(sizeof PERIODS / sizeof *PERIODS == EX_QUOTA_COUNT, "one per quota");

#define NUMBER(quota, key) MT_FORM_INT(numbers, of[quota], key, 1, 1000000000, 0)
#define NUMBERS                                                                        \
    NUMBER(EX_QUOTA_REQUESTS, "requests_per_minute"),                                  \
        NUMBER(EX_QUOTA_INSTANCES, "instances_per_day"),                               \
        NUMBER(EX_QUOTA_ANSWERS, "answers_per_day"),                                   \
        NUMBER(EX_QUOTA_REFUSALS, "refusals_per_day"),                                 \
        NUMBER(EX_QUOTA_STREAMS, "streams")

typedef struct whole {
    numbers usual;
    const mt_json *identities;
} whole;

static const mt_form_row ONE[] = {NUMBERS};
static const mt_form_row ALL[] = {NUMBERS,
                                  MT_FORM_OBJECT(whole, identities, "identities", 0)};
_Static_assert(offsetof(whole, usual) == 0, "rows of numbers fit both");

typedef struct telling {
    mt_arena *arena;
    ex_config_fault *fault;
    void *state;
    size_t count;
} telling;

static void tell(void *state, const mt_form_fault *f)
{
    telling *t = state;
    mt_str reason = f->said; /* of `quotas` itself */
    if (f->wrong == MT_FORM_UNKNOWN_KEY) {
        reason = mt_strf(t->arena, "there is no such quota%s%.*s",
                         f->hint.len ? "; " : "", MT_ARG(f->hint));
    } else if (f->key.len) {
        reason = MT_STR("it is a whole number from 1 to 1000000000");
    }
    t->count++;
    t->fault(t->state, f->path, f->offset, reason);
}

/* ---- The buckets ---- */

typedef struct bucket {
    int64_t full_at[EX_QUOTA_COUNT]; /* monotonic ns; of streams: how many there are */
    const numbers *limits;
} bucket;

struct ex_quotas {
    pthread_mutex_t lock;
    mt_arena settings; /* numbers, own ones by id */
    numbers usual;
    mt_map own; /* id -> numbers */
    bool any;
    mt_arena arena;
    mt_map buckets; /* id -> bucket */
    bucket shared;
};

static void read_own(ex_quotas *q, const mt_json *identities, telling *t)
{
    for (uint32_t i = 0; identities && i < identities->count; i++) {
        const mt_json_member *m = &identities->as.members[i];
        numbers *n = mt_new(&q->settings, numbers);
        *n = q->usual;
        mt_form form = {
            .arena = &q->settings,
            .path = mt_strf(&q->settings, "quotas.identities.%.*s", MT_ARG(m->key)),
            .what = "a quota",
            .report = tell,
            .state = t};
        (void)mt_form_read(&form, &m->value, ONE, mt_form_count(ONE), n);
        mt_map_put(&q->settings, &q->own, mt_str_dup(&q->settings, m->key),
                   (uintptr_t)n);
    }
}

size_t ex_quotas_read(const mt_json *settings, ex_config_fault *fault, void *state,
                      ex_quotas **out)
{
    const mt_json *all = mt_json_at(settings, "quotas");
    ex_quotas *q = mt_xmalloc(sizeof *q);
    telling t = {.arena = &q->settings, .fault = fault, .state = state};
    whole w = {0};
    *q = (ex_quotas){.any = all != NULL};
    pthread_mutex_init(&q->lock, NULL);
    mt_form form = {.arena = &q->settings,
                    .path = MT_STR("quotas"),
                    .what = "`quotas`",
                    .report = tell,
                    .state = &t};
    if (all) {
        (void)mt_form_read(&form, all, ALL, mt_form_count(ALL), &w);
        q->usual = w.usual;
        read_own(q, w.identities, &t);
    }
    q->shared.limits = &q->usual;
    *out = q;
    return t.count;
}

void ex_quotas_free(ex_quotas *q)
{
    if (q) {
        mt_arena_free(&q->arena);
        mt_arena_free(&q->settings);
        pthread_mutex_destroy(&q->lock);
        free(q);
    }
}

static int64_t now_ns(void)
{
    return (int64_t)os_clock_ns(CLOCK_MONOTONIC);
}

static bool is_idle(const bucket *b, int64_t now)
{
    for (int i = 0; i < EX_QUOTA_COUNT; i++) {
        if (i == EX_QUOTA_STREAMS ? b->full_at[i] > 0 : b->full_at[i] > now) {
            return false;
        }
    }
    return true;
}

/* Those that are full again need not be remembered. */
static void forget_idle(ex_quotas *q, int64_t now)
{
    mt_arena arena = {0};
    mt_map kept = {0};
    for (uint32_t i = 0; i < q->buckets.len; i++) {
        const mt_map_entry *e = &q->buckets.entries[i];
        if (!is_idle((const bucket *)e->value, now)) {
            bucket *copy = mt_new(&arena, bucket);
            *copy = *(const bucket *)e->value;
            mt_map_put(&arena, &kept, mt_str_dup(&arena, e->key), (uintptr_t)copy);
        }
    }
    mt_arena_free(&q->arena);
    q->arena = arena;
    q->buckets = kept;
}

/* Under the lock. */
static bucket *bucket_of(ex_quotas *q, mt_str id, int64_t now)
{
    bucket *b = (bucket *)mt_map_get(&q->buckets, id, 0);
    if (b) {
        return b;
    }
    if (q->buckets.len >= IDENTITIES_MOST) {
        forget_idle(q, now);
    }
    if (q->buckets.len >= IDENTITIES_MOST) {
        return &q->shared;
    }
    b = mt_new(&q->arena, bucket);
    b->limits = (const numbers *)mt_map_get(&q->own, id, (uintptr_t)&q->usual);
    mt_map_put(&q->arena, &q->buckets, mt_str_dup(&q->arena, id), (uintptr_t)b);
    return b;
}

/* So many more, if what is taken beyond the even share still fits into one period.
 * *seconds is 0 when so many never fit. */
static bool take(bucket *b, ex_quota what, int64_t count, int64_t now,
                 unsigned *seconds)
{
    int64_t most = b->limits->of[what], period = PERIODS[what];
    if (!most) {
        return true;
    }
    if (count > most) {
        *seconds = 0;
        return false;
    }
    int64_t from = b->full_at[what] > now ? b->full_at[what] : now;
    int64_t full = from + period / most * count;
    if (full - now > period) {
        *seconds = (unsigned)((full - now - period + SECOND - 1) / SECOND);
        return false;
    }
    b->full_at[what] = full;
    return true;
}

static bool take_some(ex_executor *x, const ex_caller *who, ex_quota what,
                      int64_t count, unsigned *seconds)
{
    ex_quotas *q = x->quotas;
    *seconds = 0;
    if (!q->any || !who || who->anyone) {
        return true;
    }
    int64_t now = now_ns();
    pthread_mutex_lock(&q->lock);
    bool taken = take(bucket_of(q, who->id, now), what, count, now, seconds);
    pthread_mutex_unlock(&q->lock);
    return taken;
}

bool ex_quota_take(ex_executor *x, const ex_caller *who, ex_quota what,
                   unsigned *seconds)
{
    return take_some(x, who, what, 1, seconds);
}

/* Who took it under the shared bucket may have one of its own by now: what is not there
 * is not given back, since a bucket that is full stays so. */
void ex_quota_give_back(ex_executor *x, const ex_caller *who, ex_quota what)
{
    ex_quotas *q = x->quotas;
    if (!q->any || !who || who->anyone) {
        return;
    }
    int64_t now = now_ns();
    pthread_mutex_lock(&q->lock);
    bucket *b = bucket_of(q, who->id, now);
    int64_t most = b->limits->of[what];
    b->full_at[what] -= most ? PERIODS[what] / most : 0;
    pthread_mutex_unlock(&q->lock);
}

bool ex_quota_open_stream(ex_executor *x, const ex_caller *who)
{
    ex_quotas *q = x->quotas;
    if (!q->any || who->anyone) {
        return true;
    }
    pthread_mutex_lock(&q->lock);
    bucket *b = bucket_of(q, who->id, now_ns());
    int64_t *count = &b->full_at[EX_QUOTA_STREAMS],
            most = b->limits->of[EX_QUOTA_STREAMS];
    bool fits = !most || *count < most;
    *count += fits;
    pthread_mutex_unlock(&q->lock);
    return fits;
}

/* A stream that was opened under the shared bucket may end under one of its own: never
 * below nothing. */
void ex_quota_close_stream(ex_executor *x, const ex_caller *who)
{
    ex_quotas *q = x->quotas;
    if (!q->any || who->anyone) {
        return;
    }
    pthread_mutex_lock(&q->lock);
    int64_t *count = &bucket_of(q, who->id, now_ns())->full_at[EX_QUOTA_STREAMS];
    *count -= *count > 0;
    pthread_mutex_unlock(&q->lock);
}

bool ex_refused_quota(ex_job *job, ex_quota what, const char *of)
{
    return ex_refused_quota_of(job, what, 1, of);
}

bool ex_refused_quota_of(ex_job *job, ex_quota what, size_t count, const char *of)
{
    unsigned seconds;
    if (job->internal ||
        take_some(job->x, job->call->caller, what, (int64_t)count, &seconds)) {
        return false;
    }
    if (!seconds) {
        return ex_refuse(job, EX_TOO_LARGE,
                         "that is %zu %s at once, more than the caller's quota has",
                         count, of);
    }
    ex_refuse(job, EX_QUOTA_EXCEEDED,
              "the caller's quota of %s is used up; the next is free in %u s", of,
              seconds);
    job->reply.retry_after = seconds;
    return true;
}
