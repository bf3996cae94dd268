/* exec/metrics.c - what the executor counts and measures; readiness.
 * Room: exec.
 * Figures are told in one order: calls, commits, the shadow, queues, evidence, sources.
 * Counters are read one by one while calls go on. Readiness asks the store and the
 * signer. Nothing here can fail. */
#include "exec/commit/sign.h"
#include "exec/machine.h"

enum { FAULT_COUNTS_MS = 5000 };

/* ORDER ex_action. */
static const char *const ACTIONS[] = {
#define EX_ACTION_NAME(name, writes) #name,
    EX_ACTION_MAP(EX_ACTION_NAME)
#undef EX_ACTION_NAME
};

static mt_str lower(const char *name, char room[64])
{
    size_t len = 0;
    for (; *name && len < 64; name++) {
        room[len++] = (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name);
    }
    return mt_str_from(room, len);
}

static void tell_calls(ex_metrics *m, mt_figures *f)
{
    char room[64];
    mt_family(f, MT_COUNTER, "calls_total", "Calls by action.");
    for (int i = 0; i < EX_ACTION_COUNT; i++) {
        mt_figure_of(f, "action", lower(ACTIONS[i], room),
                     (double)atomic_load(&m->calls[i]));
    }
    mt_family(f, MT_COUNTER, "answers_total", "Answers by class of status.");
    /* 1xx is never an answer of ours, 0 is what had no status. */
    for (int i = 2; i < 6; i++) {
        char class[4] = {(char)('0' + i), 'x', 'x', '\0'};
        mt_figure_of(f, "class", mt_str_z(class), (double)atomic_load(&m->answers[i]));
    }
}

static void tell_commits(ex_metrics *m, mt_figures *f)
{
    mt_counter(f, "groups_total", "Transactions committed.", atomic_load(&m->groups));
    mt_counter(f, "grouped_calls_total", "Calls done in them.",
               atomic_load(&m->grouped));
    mt_counter(f, "groups_guessed_total",
               "Of them, those that locked nothing first: one journey to the store.",
               atomic_load(&m->guessed));
    mt_family(f, MT_HISTOGRAM, "commit_seconds",
              "How long transactions took, from their beginning until durable.");
    f->times(f, NULL, 0, &m->commits);
    mt_counter(f, "retries_total", "Calls tried again alone.",
               atomic_load(&m->retries));
    mt_counter(f, "failures_total", "Calls the store failed.",
               atomic_load(&m->failures));
    mt_counter(f, "records_total", "Ledger records written.", atomic_load(&m->records));
    mt_counter(f, "refusals_recorded_total", "Refusals that are ledger records.",
               atomic_load(&m->refusals));
    mt_counter(f, "receipts_total", "Receipts given with an answer.",
               atomic_load(&m->receipts));
    mt_counter(f, "receipts_late_total", "Answers whose receipt was not ready in time.",
               atomic_load(&m->receipts_late));
    mt_counter(f, "replayed_total", "Idempotent requests answered again.",
               atomic_load(&m->replayed));
    mt_counter(f, "dry_runs_total", "Dry runs.", atomic_load(&m->dry_runs));
    mt_counter(f, "calls_by_workers_total", "Calls that take long, left to workers.",
               atomic_load(&m->thought));
}

static double seconds_since(long long ms)
{
    return (double)(os_now_ms() - ms) / 1000;
}

/* Without a key nothing is signed, and nothing is said of it. */
static void tell_evidence(ex_executor *x, mt_figures *f)
{
    ex_signing *s = &x->signing;
    long long checked = atomic_load(&x->metrics.signed_ms);
    pthread_mutex_lock(&s->lock);
    int64_t unsigned_records = s->size - s->covered, since = s->since_ms;
    bool faulty = s->fault.len != 0;
    pthread_mutex_unlock(&s->lock);
    if (x->has_key) {
        mt_gauge(f, "unsigned_records", "Ledger records no checkpoint covers yet.",
                 (double)unsigned_records);
        mt_gauge(f, "unsigned_seconds", "How long the oldest of them has waited.",
                 since ? seconds_since(since) : 0);
        mt_gauge(f, "signing_faulty", "1: nothing is signed, see /readyz.", faulty);
    }
    if (checked) {
        mt_gauge(f, "checkpoint_age_seconds", "Since the newest checkpoint was seen.",
                 seconds_since(checked));
    }
}

static double witness_figure(const ex_witness_state *s, int which)
{
    return which == 0   ? (double)s->age_s
           : which == 1 ? (double)s->behind
           : which == 2 ? (double)s->size
           : which == 3 ? s->contradicts
                        : (double)s->failures;
}

static void tell_witnesses(ex_executor *x, mt_figures *f)
{
    static const struct {
        mt_figure_kind kind;
        const char *name, *help;
    } FIGURES[] = {
        {MT_GAUGE, "witness_age_seconds",
         "Since the last cosignature, by the witness's clock; -1: none."},
        {MT_GAUGE, "witness_behind_records", "Signed by us, and not by the witness."},
        {MT_GAUGE, "witness_records", "Records the witness has signed for."},
        {MT_GAUGE, "witness_contradicts", "1: it says something else than the ledger."},
        {MT_COUNTER, "witness_failures_total", "Times it could not be had or refused."},
    };
    /* As many witnesses as a configuration may name. */
    ex_witness_state states[64];
    size_t count = ex_witness_states(x, ex_now(x) / 1000, states, 64);
    for (int which = 0; count && which < 5; which++) {
        mt_family(f, FIGURES[which].kind, FIGURES[which].name, FIGURES[which].help);
        for (size_t i = 0; i < count; i++) {
            mt_figure_of(f, "witness", states[i].name,
                         witness_figure(&states[i], which));
        }
    }
}

static void tell_queues(ex_executor *x, mt_figures *f)
{
    ex_metrics *m = &x->metrics;
    pthread_mutex_lock(&x->queue_lock);
    size_t thinking = x->thinking;
    pthread_mutex_unlock(&x->queue_lock);
    mt_gauge(f, "queue", "Calls that wait for the committer.",
             (double)atomic_load(&m->waiting));
    mt_gauge(f, "worker_queue", "Calls that take long, waiting or with a worker.",
             (double)thinking);
    mt_gauge(f, "outbox", "Rows of the outbox that wait, as last looked (64 at most).",
             (double)atomic_load(&m->outbox));
    mt_gauge(f, "store_failing", "1: the store fails, see the log.",
             atomic_load(&x->reads.reason) || atomic_load(&x->writes.reason));
}

void ex_executor_figures(ex_executor *x, mt_figures *f)
{
    ex_metrics *m = &x->metrics;
    tell_calls(m, f);
    tell_commits(m, f);
    if (x->shadow) {
        mt_counter(f, "shadow_compared_total", "Decisions the shadow looked at.",
                   atomic_load(&m->shadow_compared));
        mt_counter(f, "shadow_differing_total", "Of them, where it disagreed.",
                   atomic_load(&m->shadow_differing));
    }
    tell_queues(x, f);
    tell_evidence(x, f);
    tell_witnesses(x, f);
    if (x->shared) {
        mt_gauge(f, "clock_skew_milliseconds",
                 "This machine's clock minus the database's.",
                 (double)atomic_load(&x->skew_ms));
    }
    ex_sources_figures(x, f);
}

/* What the last write met counts for a while only: who is sent no more calls because it
 * is not ready would never find out that the fault has passed. */
static mt_err recent_fault(ex_executor *x)
{
    bool recent = ex_now(x) - atomic_load(&x->fault_ms) < FAULT_COUNTS_MS;
    return recent ? (mt_err)atomic_load(&x->store_fault) : MT_OK;
}

bool ex_executor_ready(ex_executor *x, mt_buf *why)
{
    pthread_mutex_lock(&x->queue_lock);
    bool alive = x->has_committer && !x->closing;
    pthread_mutex_unlock(&x->queue_lock);
    if (!alive) {
        mt_buf_addz(why, "the executor is shutting down");
        return false;
    }
    mt_err err = st_ping(x->store);
    ex_store_read(x, err, (mt_str){0});
    err = err ? err : recent_fault(x);
    if (err) {
        mt_buf_addf(why, "the store cannot be used: %s", mt_err_text(err));
    }
    return !err && !ex_sign_fault(x, why, "");
}

void ex_executor_on_news(ex_executor *x, ex_news *news, void *state)
{
    pthread_mutex_lock(&x->news_lock); /* once it returns, the old one is not called */
    x->news_state = state;
    x->news = news;
    pthread_mutex_unlock(&x->news_lock);
}
