/* exec/metrics.c - what the executor counts, as Prometheus text; readiness.
 * Room: exec. */
#include "exec/commit/commit.h"

enum { FAULT_COUNTS_MS = 5000 };

/* ORDER ex_action. */
static const char *const ACTIONS[] = {
#define EX_ACTION_NAME(name, writes) #name,
    EX_ACTION_MAP(EX_ACTION_NAME)
#undef EX_ACTION_NAME
};

static void lower(mt_buf *out, const char *name)
{
    for (; *name; name++) {
        mt_buf_addc(out,
                    (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name));
    }
}

static void counter(mt_buf *out, const char *name, const char *help,
                    unsigned long long value)
{
    mt_buf_addf(out, "# HELP motet_%s %s\n# TYPE motet_%s counter\nmotet_%s %llu\n",
                name, help, name, name, value);
}

typedef struct witness_figure {
    const char *name, *kind, *help;
} witness_figure;

static long long figure_of(const ex_witness_state *s, int which)
{
    return which == 0   ? (long long)s->age_s
           : which == 1 ? (long long)s->behind
           : which == 2 ? (long long)s->size
           : which == 3 ? s->contradicts
                        : (long long)s->failures;
}

/* Names have no quotes to escape but those of an operator who likes them. */
static void add_label(mt_buf *out, mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\') {
            mt_buf_addc(out, '\\');
        }
        mt_buf_addc(out, text.ptr[i]);
    }
}

static void witness_metrics(ex_executor *x, mt_buf *out)
{
    static const witness_figure FIGURES[] = {
        {"witness_age_seconds", "gauge",
         "Since the last cosignature, by the witness's clock; -1: none."},
        {"witness_behind_records", "gauge", "Signed by us, and not by the witness."},
        {"witness_records", "gauge", "Records the witness has signed for."},
        {"witness_contradicts", "gauge", "1: it says something else than the ledger."},
        {"witness_failures_total", "counter", "Times it could not be had or refused."},
    };
    ex_witness_state states[64];
    size_t count = ex_witness_states(x, ex_now(x) / 1000, states, 64);
    for (int f = 0; count && f < 5; f++) {
        mt_buf_addf(out, "# HELP motet_%s %s\n# TYPE motet_%s %s\n", FIGURES[f].name,
                    FIGURES[f].help, FIGURES[f].name, FIGURES[f].kind);
        for (size_t i = 0; i < count; i++) {
            mt_buf_addf(out, "motet_%s{witness=\"", FIGURES[f].name);
            add_label(out, states[i].name);
            mt_buf_addf(out, "\"} %lld\n", figure_of(&states[i], f));
        }
    }
}

void ex_executor_metrics(ex_executor *x, mt_buf *out)
{
    witness_metrics(x, out);
    ex_metrics *m = &x->metrics;
    mt_buf_addz(out, "# HELP motet_calls_total Calls by action.\n"
                     "# TYPE motet_calls_total counter\n");
    for (int i = 0; i < EX_ACTION_COUNT; i++) {
        mt_buf_addz(out, "motet_calls_total{action=\"");
        lower(out, ACTIONS[i]);
        mt_buf_addf(out, "\"} %llu\n", atomic_load(&m->calls[i]));
    }
    mt_buf_addz(out, "# HELP motet_answers_total Answers by class of status.\n"
                     "# TYPE motet_answers_total counter\n");
    for (int i = 2; i < 6; i++) {
        mt_buf_addf(out, "motet_answers_total{class=\"%dxx\"} %llu\n", i,
                    atomic_load(&m->answers[i]));
    }
    counter(out, "groups_total", "Transactions committed.", atomic_load(&m->groups));
    counter(out, "grouped_calls_total", "Calls done in them.",
            atomic_load(&m->grouped));
    counter(out, "retries_total", "Calls tried again alone.", atomic_load(&m->retries));
    counter(out, "failures_total", "Calls the store failed.",
            atomic_load(&m->failures));
    counter(out, "records_total", "Ledger records written.", atomic_load(&m->records));
    counter(out, "refusals_recorded_total", "Refusals that are ledger records.",
            atomic_load(&m->refusals));
    counter(out, "receipts_total", "Receipts given with an answer.",
            atomic_load(&m->receipts));
    counter(out, "receipts_late_total", "Answers whose receipt was not ready in time.",
            atomic_load(&m->receipts_late));
    counter(out, "replayed_total", "Idempotent requests answered again.",
            atomic_load(&m->replayed));
    counter(out, "dry_runs_total", "Dry runs.", atomic_load(&m->dry_runs));
    counter(out, "calls_by_workers_total", "Calls that take long, left to workers.",
            atomic_load(&m->thought));
    if (x->shared) {
        mt_buf_addf(out,
                    "# HELP motet_clock_skew_milliseconds This machine's clock minus "
                    "the database's.\n# TYPE motet_clock_skew_milliseconds gauge\n"
                    "motet_clock_skew_milliseconds %lld\n",
                    atomic_load(&x->skew_ms));
    }
    if (x->shadow) {
        counter(out, "shadow_compared_total", "Decisions the shadow looked at.",
                atomic_load(&m->shadow_compared));
        counter(out, "shadow_differing_total", "Of them, where it disagreed.",
                atomic_load(&m->shadow_differing));
    }
    mt_buf_addf(out,
                "# HELP motet_queue Calls that wait for the committer.\n"
                "# TYPE motet_queue gauge\nmotet_queue %lld\n",
                atomic_load(&m->waiting));
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
