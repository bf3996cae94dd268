/* exec/commit/commit.c - the committer: what waits is done in groups, each durable
 * with one commit, and answered only then.
 * Room: exec.
 * A group locks all flows its jobs name (in order of their ids), then all instances (in
 * key order), so groups of several processes never wait for each other in a circle.
 * Jobs are done in the order they arrived, each seeing what those before it did. A
 * refused job has written nothing but the record of it and, if it has a key, its
 * answer. When the store
 * fails, everything in the group is answered as not done; when it says that somebody
 * else was faster, the jobs are tried again one by one, so one loser does not hold up
 * the others.
 * On a shared store a group may be a guess (guess.c), and the next begins while the
 * last is made durable, if its kinds allow it. INVARIANT: nobody is answered before the
 * group is durable. */
#include <stdlib.h>

#include "exec/call/facts.h"
#include "exec/call/rights.h"
#include "exec/call/states.h"
#include "exec/commit/answers.h"
#include "exec/commit/guess.h"
#include "exec/commit/ledger.h"
#include "exec/commit/sign.h"
#include "exec/contract/kept_facts.h"
#include "exec/machine.h"

enum { TRIES = 8, SPARE_IDS = 3, FORGET_EVERY_MS = 600000, DAY_MS = 86400000 };

/* ---- Rows ---- */

/* ---- Idempotency ---- */

static bool has_key(const ex_job *job)
{
    return job->call->idempotency_key.len && !job->internal && !job->resumed;
}

/* A second request with the key in one group is put off until the first is durable. */
static void put_off_twins(ex_group *g, ex_job **jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (has_key(jobs[i])) {
            bool added;
            mt_map_add(g->arena, &g->keys,
                       mt_strf(g->arena, "%.*s\n%.*s", MT_ARG(ex_caller_id(jobs[i])),
                               MT_ARG(jobs[i]->call->idempotency_key)),
                       &added);
            jobs[i]->put_off = !added;
        }
    }
}

typedef struct found_answer {
    st_answer answer;
    bool found;
} found_answer;

/* INVARIANT: the rows are ex_locked. A twin in another process holds them until its
 * answer is there; who looked before could refuse what the twin has just done. */
static mt_err look_up_soon(ex_group *g, ex_job **jobs, size_t n, found_answer *out)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < n && !err; i++) {
        if (has_key(jobs[i]) && !jobs[i]->put_off) {
            err = st_answer_get_soon(g->tx, g->arena, ex_caller_id(jobs[i]),
                                     jobs[i]->call->idempotency_key, &out[i].answer,
                                     &out[i].found);
        }
    }
    return err;
}

static mt_err use_answers(ex_group *g, ex_job **jobs, size_t n,
                          const found_answer *found)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < n && !err; i++) {
        if (found[i].found) {
            err = ex_answer_use(jobs[i], g->tx, g->arena, &found[i].answer);
        }
    }
    return err;
}

/* ---- One group ---- */

static void reset(ex_job *job)
{
    job->answered = job->kept = job->again = job->put_off = job->stale = false;
    job->unthought = false;
    job->reply.replayed = job->reply.problem = false;
    job->reply.status = 0;
    job->reply.retry_after = 0;
    job->reply.location = (mt_str){0};
    mt_buf_clear(&job->reply.body);
}

/* The jobs say which instances they need. */
static void claim_all(ex_group *g, ex_job **jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ex_handler *h = ex_handler_of(jobs[i]);
        if (!jobs[i]->put_off && h->claim) {
            h->claim(jobs[i], g);
        }
    }
}

/* Locks flows, and then, since what is to be ex_locked depends on them, instances. */
static mt_err lock_all(ex_group *g, ex_job **jobs, size_t n, ex_locked *l)
{
    mt_err err = ex_lock_flows_soon(g, jobs, n);
    err = !err && g->flows.len ? st_settle(g->tx) : err;
    if (!err) {
        claim_all(g, jobs, n);
    }
    return err ? err : ex_lock_rows_soon(g, l);
}

/* What other processes did since the jobs were prepared. */
static mt_err see_others(ex_group *g, ex_job **jobs, size_t n, const int64_t *now)
{
    mt_err err = ex_contracts_take(g->x, g->tx, now[EX_STAMP_CONTRACTS]);
    if (!err && now[EX_STAMP_FACTS] != atomic_load(&g->x->facts_stamp)) {
        err = ex_facts_reload(g->x, g->tx);
    }
    for (size_t i = 0; i < n && !err; i++) {
        if (!jobs[i]->answered && !jobs[i]->resumed) {
            ex_facts_mark(jobs[i], now[EX_STAMP_FACTS]);
        }
    }
    return err;
}

/* All that is asked of the store travels together, unless there are flows. */
static mt_err open_locked(ex_group *g, ex_job **jobs, size_t n)
{
    ex_executor *x = g->x;
    ex_locked l;
    int64_t now[EX_STAMPS] = {0};
    found_answer *found = mt_new_array(g->arena, found_answer, n);
    mt_err err = ex_chain_load(x, g->tx, g->arena);
    if (!err && x->shared) {
        err = ex_contracts_hold(g->tx, ex_handler_of(jobs[0])->alone, now);
    }
    err = err ? err : lock_all(g, jobs, n, &l);
    err = err ? err : look_up_soon(g, jobs, n, found);
    if (!err && x->shared) {
        err = st_record_ids_soon(g->tx, (uint32_t)n + SPARE_IDS);
    }
    err = err ? err : ex_guess_draw_soon(g, jobs, n);
    err = err ? err : st_settle(g->tx);
    if (err) {
        return err;
    }
    ex_lock_rows_take(g, &l);
    g->contract_stamp = now[EX_STAMP_CONTRACTS];
    err = ex_chain_queued(g);
    err = err ? err : use_answers(g, jobs, n, found);
    return !err && x->shared ? see_others(g, jobs, n, now) : err;
}

/* A guess asks nothing of the store until it writes. `surely`: with locks. */
static mt_err open_group(ex_group *g, ex_job **jobs, size_t n, bool surely)
{
    mt_err err = st_begin(g->x->store, ST_WRITE, &g->tx);
    if (err) {
        g->tx = NULL;
        return err;
    }
    g->now_ms = ex_now(g->x);
    put_off_twins(g, jobs, n);
    if (!surely && ex_guess_may(g, jobs, n)) {
        claim_all(g, jobs, n);
        ex_guess(g, jobs, n);
    }
    return g->guessed ? MT_OK : open_locked(g, jobs, n);
}

/* Once in a while: answers that nobody will ask for again. */
static mt_err forget_answers(ex_group *g)
{
    ex_executor *x = g->x;
    if (g->now_ms < x->forget_ms) {
        return MT_OK;
    }
    x->forget_ms = g->now_ms + FORGET_EVERY_MS;
    return st_answers_forget(g->tx, g->now_ms - (int64_t)x->answer_days * DAY_MS);
}

/* A job that put itself off, or whose snapshot is out of date, is passed over: it
 * comes again later. The chain's tail is saved last, when all records of the group are
 * known. */
static mt_err do_jobs(ex_group *g, ex_job **jobs, size_t n)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < n && !err; i++) {
        ex_job *job = jobs[i];
        if (job->answered || job->put_off || job->stale || job->unthought) {
            continue;
        }
        g->trace = job->call->trace;
        err = ex_handler_of(job)->commit(job, g);
        if (!err && job->answered && ex_refusal_due(job)) {
            err = ex_refusal_record(job, g);
        }
        g->trace = NULL;
        if (!err) {
            ex_answer_keep(g, job);
        }
    }
    if (g->guessed && (g->wrong = !ex_guess_stands(g))) {
        return err;
    }
    err = err ? err : ex_write_group(g);
    err = err || !(g->records || g->wrote) ? err : forget_answers(g);
    return err ? err : ex_chain_save(g->x, g->tx, g->records);
}

/* What readers may see from now on; called only when the group is durable. */
static void publish(ex_group *g)
{
    ex_executor *x = g->x;
    ex_guess_durable(g);
    for (size_t i = 0; x->cache && i < g->rows.len; i++) {
        if (g->rows.items[i].changed) {
            ex_cache_put(x->cache, &g->rows.items[i].row);
        }
    }
    if (g->deployed) {
        ex_contracts_deployed(x, g->deployed, g->contract_stamp + 1);
    }
    if (g->facts_changed) {
        st_tx *tx;
        if (!st_begin(x->store, ST_READ, &tx)) {
            ex_facts_reload(x, tx);
            st_rollback(tx);
        }
    }
}

/* Wakes who waits for records: followers and the signer here, the sequencer on a
 * shared store. */
static void announce(ex_group *g)
{
    ex_executor *x = g->x;
    if (g->outbox) {
        ex_outbox_wake(x);
    }
    if (!g->records) {
        return;
    }
    atomic_fetch_add_explicit(&x->metrics.records, g->records, memory_order_relaxed);
    if (!x->shared) {
        ex_tell_news(x, (int64_t)x->chain.tree.size);
        ex_sign_note(x, (int64_t)x->chain.tree.size, true);
    } else {
        pthread_mutex_lock(&x->queue_lock);
        x->pending = true;
        pthread_cond_signal(&x->pending_more);
        pthread_mutex_unlock(&x->queue_lock);
    }
}

/* A group that is under way. On a shared store the next one may be begun before the
 * store has said that this one is durable; what it locks it has only then. */
typedef struct in_flight {
    ex_group g;
    mt_arena arena;
    mt_buf body;
    ex_job **jobs;
    size_t n;
    mt_err err;
    int64_t began_ns; /* 0: nobody in it is traced */
    uint64_t since_ns;
} in_flight;

static bool is_traced(const ex_job *job)
{
    return job->call->trace && job->call->trace->sampled;
}

/* For figures and traces: when the group was begun, and when it was durable. */
static void note_begin(in_flight *f)
{
    f->since_ns = os_clock_ns(CLOCK_MONOTONIC);
    f->began_ns = 0;
    for (size_t i = 0; i < f->n && !f->began_ns; i++) {
        f->began_ns = is_traced(f->jobs[i]) ? tr_now_ns() : 0;
    }
}

static void note_durable(ex_executor *x, in_flight *f)
{
    if (f->g.records || f->g.wrote) { /* others have nothing to commit */
        mt_times_add(&x->metrics.commits, os_clock_ns(CLOCK_MONOTONIC) - f->since_ns);
    }
    int64_t now = f->began_ns ? tr_now_ns() : 0;
    for (size_t i = 0; f->began_ns && i < f->n; i++) {
        if (is_traced(f->jobs[i])) {
            f->jobs[i]->call->trace->commit = (tr_stage){f->began_ns, now};
        }
    }
}

static bool worth_retrying(mt_err err)
{
    return err == MT_E_CONFLICT || err == MT_E_EXISTS;
}

/* Who lost a race tries again, and nobody need know. */
static void note_failed(ex_executor *x, mt_err err, mt_str why)
{
    if (!worth_retrying(err)) {
        ex_store_written(x, err, why);
    }
}

static void try_group(ex_executor *x, in_flight *f, bool surely)
{
    mt_arena_reset(&f->arena);
    f->g = (ex_group){.x = x, .arena = &f->arena, .body = f->body};
    f->err = open_group(&f->g, f->jobs, f->n, surely);
    f->err = f->err ? f->err : do_jobs(&f->g, f->jobs, f->n);
    f->body = f->g.body;
}

static void reset_all(in_flight *f)
{
    for (size_t i = 0; i < f->n; i++) {
        reset(f->jobs[i]);
    }
}

/* Does everything and sends the commit. What fails lets go of its locks at once: those
 * that began before may need them to try again. */
static void group_begin(ex_executor *x, in_flight *f, bool surely)
{
    ex_group *g = &f->g;
    note_begin(f);
    try_group(x, f, surely);
    if (g->wrong) { /* the store has not heard of it */
        st_rollback(g->tx);
        reset_all(f);
        try_group(x, f, true);
    }
    ex_guess_sent(g, f->n);
    bool writes = !f->err && (g->records || g->wrote);
    if (writes) {
        f->err = st_commit_soon(g->tx);
    }
    if (f->err) {
        note_failed(x, f->err, g->tx ? st_why(g->tx) : (mt_str){0});
    }
    bool open = writes && (!f->err || f->err == MT_E_CLOSED); /* perhaps committed */
    if (!open) {
        st_rollback(g->tx);
        g->tx = NULL;
    }
}

/* All of it or nothing. *unknown: the store broke while it committed. */
static mt_err group_await(ex_executor *x, in_flight *f, bool *unknown)
{
    ex_group *g = &f->g;
    mt_err err = f->err;
    *unknown = false;
    if (err || (g->drew && !g->tx)) {
        ex_guess_forget(x);
    }
    if (g->tx) {
        err = st_commit(g->tx);
        *unknown = err == MT_E_CLOSED;
    }
    atomic_store(&x->fault_ms, ex_now(x));
    atomic_store(&x->store_fault, worth_retrying(err) ? MT_OK : (int)err);
    if (err) {
        x->chain_known = false;
        ex_guess_forget(x);
        note_failed(x, err, (mt_str){0});
        return err;
    }
    ex_store_written(x, MT_OK, (mt_str){0});
    note_durable(x, f);
    atomic_fetch_add_explicit(&x->metrics.groups, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&x->metrics.grouped, f->n, memory_order_relaxed);
    publish(g);
    announce(g);
    return MT_OK;
}

/* ---- Outcomes ---- */

/* Where a job goes after its group: to a worker, back to the beginning, into the next
 * group, or to its caller. */
static void finish(ex_job *job)
{
    if (job->unthought && !job->answered && !job->put_off) {
        ex_think(job);
    } else if (job->stale && job->v && job->v->may_be_long) {
        job->saw_facts = true;
        ex_think(job);
    } else if (job->stale) {
        ex_job_begin_again(job);
    } else if (job->again || job->put_off) {
        if (job->again) { /* its first turn is durable now */
            job->flow_is_new = false;
            job->resumed = true;
        }
        reset(job);
        ex_enqueue_again(job);
    } else {
        ex_give(job);
    }
}

/* The store as a whole fails; otherwise one job may be what it cannot take. */
static bool is_world(mt_err err)
{
    return err == MT_E_CLOSED || err == MT_E_IO || err == MT_E_BUSY;
}

/* `unknown`: the commit itself broke off. Then only a repetition with the same key can
 * tell, and saying "not done" could be a lie. */
static void fail(ex_job *job, mt_err err, bool unknown)
{
    reset(job);
    atomic_fetch_add_explicit(&job->x->metrics.failures, 1, memory_order_relaxed);
    if (unknown) {
        ex_refuse(job, EX_OUTCOME_UNKNOWN,
                  "it is not known whether the request was done; send it again with "
                  "its Idempotency-Key to find out");
    } else if (worth_retrying(err)) {
        ex_refuse(job, EX_CONFLICT, "nothing was done: others were faster %d times",
                  TRIES);
    } else {
        ex_refuse_store(job, err);
    }
    ex_answer(job);
}

/* After a conflict the group is taken apart, so that the loser alone is tried again
 * and again. */
static void one_by_one(ex_executor *x, in_flight *all)
{
    in_flight f = {.arena = all->arena, .body = all->body, .n = 1};
    for (size_t i = 0; i < all->n; i++) {
        bool unknown = false;
        mt_err err = MT_E_CONFLICT;
        f.jobs = &all->jobs[i];
        for (int tries = 0; tries < TRIES && worth_retrying(err); tries++) {
            atomic_fetch_add_explicit(&x->metrics.retries, 1, memory_order_relaxed);
            reset(all->jobs[i]);
            group_begin(x, &f, true);
            err = group_await(x, &f, &unknown);
        }
        if (err) {
            fail(all->jobs[i], err, unknown);
        } else {
            finish(all->jobs[i]);
        }
    }
    all->arena = f.arena;
    all->body = f.body;
}

/* Waits until the group is durable, and answers. */
static void group_answer(ex_executor *x, in_flight *f)
{
    bool unknown;
    mt_err err = group_await(x, f, &unknown);
    if (f->g.guessed && worth_retrying(err)) { /* all of it once more, with locks */
        ex_guess_failed(x);
        reset_all(f);
        group_begin(x, f, true);
        err = group_await(x, f, &unknown);
    }
    if (worth_retrying(err) || (err && f->n > 1 && !is_world(err))) {
        one_by_one(x, f);
    } else {
        for (size_t i = 0; i < f->n; i++) {
            if (err) {
                fail(f->jobs[i], err, unknown);
            } else {
                finish(f->jobs[i]);
            }
        }
    }
    ex_queue_settled(x, f->n);
    f->n = 0;
}

static bool may_overlap(const ex_executor *x, const in_flight *f)
{
    bool may = x->shared && !x->shadow && st_connections(x->store) > 1;
    for (size_t i = 0; i < f->n && may; i++) {
        may = ex_handler_of(f->jobs[i])->overlaps;
    }
    return may;
}

void *ex_committer(void *executor)
{
    ex_executor *x = executor;
    in_flight groups[2] = {{.n = 0}, {.n = 0}}, *next = groups, *out = groups + 1;
    next->jobs = mt_xmalloc(mt_array_bytes(x->group, sizeof *next->jobs));
    out->jobs = mt_xmalloc(mt_array_bytes(x->group, sizeof *out->jobs));
    /* `out` has begun, or is empty. */
    while ((next->n = ex_queue_take(x, next->jobs, x->group, !out->n)) > 0 || out->n) {
        bool overlaps = next->n && may_overlap(x, next);
        if (out->n && !overlaps) {
            group_answer(x, out);
        }
        if (next->n) {
            group_begin(x, next, false);
        }
        if (out->n) {
            group_answer(x, out);
        }
        if (next->n && !overlaps) {
            group_answer(x, next);
        }
        in_flight *swap = out;
        out = next;
        next = swap;
    }
    for (size_t i = 0; i < 2; i++) {
        free(groups[i].jobs);
        mt_buf_free(&groups[i].body);
        mt_arena_free(&groups[i].arena);
    }
    return NULL;
}
