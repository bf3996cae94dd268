/* exec/commit.c - the committer: what waits is done in groups, each durable
 * with one commit, and answered only then.
 * Room: exec.
 * A group locks all flows its jobs name (in order of their ids), then all instances (in
 * key order), so groups of several processes never wait for each other in a circle.
 * Jobs are done in the order they arrived, each seeing what those before it did. A
 * refused job has written nothing but, if it has a key, its answer. When the store
 * fails, everything in the group is answered as not done; when it says that somebody
 * else was faster, the jobs are tried again one by one, so one loser does not hold up
 * the others. */
#include <stdlib.h>

#include "exec/exec.h"

enum { TRIES = 8, SPARE_IDS = 3, FORGET_EVERY_MS = 600000, DAY_MS = 86400000 };

/* ---- The queue --------------------------------------------------------------------
 */

static void push(ex_executor *x, ex_job *job)
{
    job->next = NULL;
    if (x->last) {
        x->last->next = job;
    } else {
        x->first = job;
    }
    x->last = job;
    atomic_fetch_add_explicit(&x->metrics.waiting, 1, memory_order_relaxed);
}

void ex_enqueue(ex_job *job)
{
    ex_executor *x = job->x;
    job->in_group = true;
    ex_stop_clock(job);
    pthread_mutex_lock(&x->queue_lock);
    bool closing = x->stopped || (x->closing && !job->internal);
    if (!closing) {
        push(x, job);
        pthread_cond_signal(&x->queue_more);
    }
    pthread_mutex_unlock(&x->queue_lock);
    if (closing) {
        ex_refuse(job, EX_CLOSING, "the executor takes no more calls");
        ex_answer(job);
    }
}

static const ex_handler *handler_of(const ex_job *job)
{
    return job->handler ? job->handler : &EX_HANDLERS[job->call->action];
}

/* Takes up to `most` jobs. None: there is nothing to do now, or, if it may wait, it is
 * time to stop. */
static size_t take(ex_executor *x, ex_job **jobs, size_t most, bool wait)
{
    size_t n = 0;
    pthread_mutex_lock(&x->queue_lock);
    while (wait && !x->first && !x->stopped) {
        pthread_cond_wait(&x->queue_more, &x->queue_lock);
    }
    for (bool alone = false; x->first && n < most && !alone;) {
        ex_job *job = x->first;
        alone = handler_of(job)->alone;
        if (alone && n) {
            break;
        }
        x->first = job->next;
        jobs[n++] = job;
    }
    x->last = x->first ? x->last : NULL;
    x->running += n;
    pthread_mutex_unlock(&x->queue_lock);
    atomic_fetch_sub_explicit(&x->metrics.waiting, (long long)n, memory_order_relaxed);
    return n;
}

static void settled(ex_executor *x, size_t n)
{
    pthread_mutex_lock(&x->queue_lock);
    x->running -= n;
    if (!x->first && !x->running && !x->thinking) {
        pthread_cond_broadcast(&x->queue_done);
    }
    pthread_mutex_unlock(&x->queue_lock);
}

/* ---- Rows -------------------------------------------------------------------------
 */

static mt_str row_key(mt_arena *a, mt_str scope, mt_str entity, mt_str id)
{
    size_t len = scope.len + entity.len + id.len + 2;
    char *text = mt_alloc(a, len);
    memcpy(text, scope.ptr, scope.len);
    text[scope.len] = '\0';
    memcpy(text + scope.len + 1, entity.ptr, entity.len);
    text[scope.len + 1 + entity.len] = '\0';
    memcpy(text + scope.len + entity.len + 2, id.ptr, id.len);
    return mt_str_from(text, len);
}

void ex_claim(ex_group *g, mt_str scope, mt_str entity, mt_str id)
{
    bool added;
    mt_map_entry *e =
        mt_map_add(g->arena, &g->index, row_key(g->arena, scope, entity, id), &added);
    if (added) {
        ex_row r = {.row = {.scope = scope, .entity = entity, .id = id}};
        mt_vec_push(g->arena, &g->rows, r);
        e->value = g->rows.len;
    }
}

ex_row *ex_row_of(ex_group *g, mt_str scope, mt_str entity, mt_str id)
{
    uintptr_t at = mt_map_get(&g->index, row_key(g->arena, scope, entity, id), 0);
    return at ? &g->rows.items[at - 1] : NULL;
}

/* The rows are filled in when st_settle() returns, *locked then taken over. */
typedef struct locked {
    st_instance *rows;
    bool *found;
} locked;

static mt_err lock_soon(ex_group *g, locked *l)
{
    size_t n = g->rows.len;
    *l = (locked){mt_new_array(g->arena, st_instance, n),
                  mt_new_array(g->arena, bool, n)};
    for (size_t i = 0; i < n; i++) {
        l->rows[i] = g->rows.items[i].row;
    }
    return st_instances_lock_soon(g->tx, g->arena, l->rows, l->found, n);
}

static void take_locked(ex_group *g, const locked *l)
{
    for (size_t i = 0; i < g->rows.len; i++) {
        ex_row *r = &g->rows.items[i];
        if (l->found[i]) {
            r->row = l->rows[i];
        }
        r->found = l->found[i];
        r->stored = r->row.version;
    }
}

mt_err ex_lock_rows(ex_group *g)
{
    locked l;
    mt_err err = lock_soon(g, &l);
    err = err ? err : st_settle(g->tx);
    if (!err) {
        take_locked(g, &l);
    }
    return err;
}

void ex_claim_bound(ex_job *job, ex_group *g)
{
    const ex_version *v = job->v;
    for (uint32_t e = 0; e < v->model->entity_count; e++) {
        if (job->snap->instances[e].ptr) {
            ex_claim(g, v->scopes[e], v->model->entities[e].id,
                     job->snap->instances[e]);
        }
    }
}

void ex_group_states(ex_job *job, ex_group *g)
{
    const ex_version *v = job->v;
    for (uint32_t e = 0; e < v->model->entity_count; e++) {
        job->snap->states[e] = CT_NONE;
        if (!job->snap->instances[e].ptr) {
            continue;
        }
        const ct_entity *entity = &v->model->entities[e];
        const ex_row *r =
            ex_row_of(g, v->scopes[e], entity->id, job->snap->instances[e]);
        if (r && r->found && !r->row.deleted) {
            job->snap->states[e] = ct_state_find(entity, r->row.state);
            job->snap->versions[e] = r->row.version;
        }
    }
}

void ex_move(ex_group *g, ex_row *r, mt_str state, mt_str flow, mt_str operation)
{
    r->row.state = state;
    r->row.version++;
    r->row.updated_ms = g->now_ms;
    r->row.last_flow = flow;
    r->row.last_operation = operation;
    r->changed = true;
}

/* Whatever happened to a row in between, it is written once. */
static mt_err write_rows(ex_group *g)
{
    st_instance *rows = mt_new_array(g->arena, st_instance, g->rows.len);
    int64_t *was = mt_new_array(g->arena, int64_t, g->rows.len);
    size_t n = 0;
    for (size_t i = 0; i < g->rows.len; i++) {
        ex_row *r = &g->rows.items[i];
        if (r->found && r->row.version != r->stored) {
            rows[n] = r->row;
            was[n++] = r->stored;
            r->stored = r->row.version;
        }
    }
    return st_instances_put(g->tx, rows, was, n);
}

mt_err ex_write_group(ex_group *g)
{
    mt_err err = write_rows(g);
    err = err ? err : ex_write_records(g);
    err = err ? err : st_answers_add(g->tx, g->answers.items, g->answers.len);
    g->answers.len = 0;
    return err;
}

/* ---- Flows ------------------------------------------------------------------------
 */

static int by_text(const void *a, const void *b)
{
    return mt_str_cmp(*(const mt_str *)a, *(const mt_str *)b);
}

/* Rows are pointed to until they have come: there must be room for all. */
static mt_err lock_flows_soon(ex_group *g, ex_job **jobs, size_t n)
{
    mt_str *ids = mt_new_array(g->arena, mt_str, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i]->flow_id.len && !jobs[i]->flow_is_new) {
            ids[count++] = jobs[i]->flow_id;
        }
    }
    qsort(ids, count, sizeof *ids, by_text);
    g->flows.items = mt_new_array(g->arena, ex_flow_row, count);
    g->flows.cap = count;
    mt_err err = MT_OK;
    for (size_t i = 0; i < count && !err; i++) {
        bool added;
        mt_map_entry *e = mt_map_add(g->arena, &g->flow_index, ids[i], &added);
        if (added) {
            ex_flow_row *f = mt_vec_add(g->arena, &g->flows);
            e->value = g->flows.len;
            err = st_flow_lock_soon(g->tx, g->arena, ids[i], &f->row, &f->found);
        }
    }
    return err;
}

ex_flow_row *ex_flow_of(ex_group *g, mt_str id)
{
    uintptr_t at = mt_map_get(&g->flow_index, id, 0);
    return at ? &g->flows.items[at - 1] : NULL;
}

/* ---- Idempotency ------------------------------------------------------------------
 */

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
                       row_key(g->arena, MT_STR(""), ex_caller_id(jobs[i]),
                               jobs[i]->call->idempotency_key),
                       &added);
            jobs[i]->put_off = !added;
        }
    }
}

typedef struct found_answer {
    st_answer answer;
    bool found;
} found_answer;

/* INVARIANT: the rows are locked. A twin in another process holds them until its
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

/* ---- One group --------------------------------------------------------------------
 */

static void reset(ex_job *job)
{
    job->answered = job->kept = job->again = job->put_off = job->stale = false;
    job->unthought = false;
    job->reply.replayed = job->reply.problem = false;
    job->reply.status = 0;
    job->reply.location = (mt_str){0};
    mt_buf_clear(&job->reply.body);
}

/* Locks flows, and then, since what is to be locked depends on them, instances. */
static mt_err claim_all(ex_group *g, ex_job **jobs, size_t n, locked *l)
{
    put_off_twins(g, jobs, n);
    mt_err err = lock_flows_soon(g, jobs, n);
    err = !err && g->flows.len ? st_settle(g->tx) : err;
    for (size_t i = 0; i < n && !err; i++) {
        const ex_handler *h = handler_of(jobs[i]);
        if (!jobs[i]->put_off && h->claim) {
            h->claim(jobs[i], g);
        }
    }
    return err ? err : lock_soon(g, l);
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
static mt_err open_group(ex_group *g, ex_job **jobs, size_t n)
{
    ex_executor *x = g->x;
    locked l;
    int64_t now[EX_STAMPS] = {0};
    found_answer *found = mt_new_array(g->arena, found_answer, n);
    mt_err err = st_begin(x->store, ST_WRITE, &g->tx);
    if (err) {
        g->tx = NULL;
        return err;
    }
    g->now_ms = ex_now(x);
    err = ex_chain_load(x, g->tx, g->arena);
    if (!err && x->shared) {
        err = ex_contracts_hold(g->tx, handler_of(jobs[0])->alone, now);
    }
    err = err ? err : claim_all(g, jobs, n, &l);
    err = err ? err : look_up_soon(g, jobs, n, found);
    if (!err && x->shared) {
        err = st_record_ids_soon(g->tx, (uint32_t)n + SPARE_IDS);
    }
    err = err ? err : st_settle(g->tx);
    if (err) {
        return err;
    }
    take_locked(g, &l);
    g->contract_stamp = now[EX_STAMP_CONTRACTS];
    err = use_answers(g, jobs, n, found);
    return !err && x->shared ? see_others(g, jobs, n, now) : err;
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

static mt_err do_jobs(ex_group *g, ex_job **jobs, size_t n)
{
    mt_err err = MT_OK;
    for (size_t i = 0; i < n && !err; i++) {
        ex_job *job = jobs[i];
        if (job->answered || job->put_off || job->stale || job->unthought) {
            continue;
        }
        err = handler_of(job)->commit(job, g);
        if (!err) {
            ex_answer_keep(g, job);
        }
    }
    err = err ? err : ex_write_group(g);
    err = err || !(g->records || g->wrote) ? err : forget_answers(g);
    return err ? err : ex_chain_save(g->x, g->tx, g->records);
}

static void publish(ex_group *g)
{
    ex_executor *x = g->x;
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

/* A group on its way. On a shared store the next one may be begun before the store has
 * said that this one is durable; what it locks it has only then. */
typedef struct flight {
    ex_group g;
    mt_arena arena;
    mt_buf body;
    ex_job **jobs;
    size_t n;
    mt_err err;
} flight;

/* Does everything and sends the commit. What fails lets go of its locks at once: those
 * who set out before may need them to try again. */
static void set_out(ex_executor *x, flight *f)
{
    mt_arena_reset(&f->arena);
    f->g = (ex_group){.x = x, .arena = &f->arena, .body = f->body};
    ex_group *g = &f->g;
    f->err = open_group(g, f->jobs, f->n);
    f->err = f->err ? f->err : do_jobs(g, f->jobs, f->n);
    f->body = g->body;
    bool writes = !f->err && (g->records || g->wrote);
    if (writes) {
        f->err = st_commit_soon(g->tx);
    }
    if (f->err && g->tx) {
        ex_log(x, 3, "group_failed", "%s: %.*s", mt_err_name(f->err),
               MT_ARG(st_why(g->tx)));
    }
    bool open = writes && (!f->err || f->err == MT_E_CLOSED); /* perhaps committed */
    if (!open) {
        st_rollback(g->tx);
        g->tx = NULL;
    }
}

static bool worth_retrying(mt_err err)
{
    return err == MT_E_CONFLICT || err == MT_E_EXISTS;
}

/* All of it or nothing. *unknown: the store broke while it committed. */
static mt_err arrive(ex_executor *x, flight *f, bool *unknown)
{
    ex_group *g = &f->g;
    mt_err err = f->err;
    *unknown = false;
    if (g->tx) {
        err = st_commit(g->tx);
        *unknown = err == MT_E_CLOSED;
    }
    atomic_store(&x->fault_ms, ex_now(x));
    atomic_store(&x->store_fault, worth_retrying(err) ? MT_OK : (int)err);
    if (err) {
        x->chain_known = false;
        return err;
    }
    atomic_fetch_add_explicit(&x->metrics.groups, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&x->metrics.grouped, f->n, memory_order_relaxed);
    publish(g);
    announce(g);
    return MT_OK;
}

/* ---- Outcomes ---------------------------------------------------------------------
 */

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
        pthread_mutex_lock(&job->x->queue_lock);
        push(job->x, job);
        pthread_mutex_unlock(&job->x->queue_lock);
    } else {
        ex_answer(job);
    }
}

/* The store as a whole fails; otherwise one job may be what it cannot take. */
static bool is_world(mt_err err)
{
    return err == MT_E_CLOSED || err == MT_E_IO || err == MT_E_BUSY;
}

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

static void one_by_one(ex_executor *x, flight *all)
{
    flight f = {.arena = all->arena, .body = all->body, .n = 1};
    for (size_t i = 0; i < all->n; i++) {
        bool unknown = false;
        mt_err err = MT_E_CONFLICT;
        f.jobs = &all->jobs[i];
        for (int tries = 0; tries < TRIES && worth_retrying(err); tries++) {
            atomic_fetch_add_explicit(&x->metrics.retries, 1, memory_order_relaxed);
            reset(all->jobs[i]);
            set_out(x, &f);
            err = arrive(x, &f, &unknown);
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
static void land(ex_executor *x, flight *f)
{
    bool unknown;
    mt_err err = arrive(x, f, &unknown);
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
    settled(x, f->n);
    f->n = 0;
}

static bool may_overlap(const ex_executor *x, const flight *f)
{
    bool may = x->shared && !x->shadow && st_connections(x->store) > 1;
    for (size_t i = 0; i < f->n && may; i++) {
        may = handler_of(f->jobs[i])->overlaps;
    }
    return may;
}

void *ex_committer(void *executor)
{
    ex_executor *x = executor;
    flight flights[2] = {{.n = 0}, {.n = 0}}, *next = flights, *out = flights + 1;
    next->jobs = mt_xmalloc(mt_array_bytes(x->group, sizeof *next->jobs));
    out->jobs = mt_xmalloc(mt_array_bytes(x->group, sizeof *out->jobs));
    /* `out` has set out, or is empty. */
    while ((next->n = take(x, next->jobs, x->group, !out->n)) > 0 || out->n) {
        bool overlaps = next->n && may_overlap(x, next);
        if (out->n && !overlaps) {
            land(x, out);
        }
        if (next->n) {
            set_out(x, next);
        }
        if (out->n) {
            land(x, out);
        }
        if (next->n && !overlaps) {
            land(x, next);
        }
        flight *swap = out;
        out = next;
        next = swap;
    }
    for (size_t i = 0; i < 2; i++) {
        free(flights[i].jobs);
        mt_buf_free(&flights[i].body);
        mt_arena_free(&flights[i].arena);
    }
    return NULL;
}
