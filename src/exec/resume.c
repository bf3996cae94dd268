/* exec/resume.c - flows that wait: taken up by who holds the persona, or ended.
 * Room: exec. Also the recovery: flows that were running when a process died are
 * taken up by whoever is there, with the authority their caller had. */
#include <stdlib.h>

#include "exec/flow.h"

/* ---- Preparing --------------------------------------------------------------------
 */

static bool refuse_unknown(ex_job *job)
{
    return ex_refuse(job, EX_UNKNOWN_EXECUTION, "no flow execution '%.*s'",
                     MT_ARG(job->flow_id));
}

static mt_err read_row(ex_job *job, st_flow *row)
{
    st_tx *tx;
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        err = st_flow_get(tx, &job->arena, job->flow_id, row);
        st_rollback(tx);
    }
    return err;
}

static bool dry_run(ex_job *job)
{
    st_flow row;
    mt_err err = read_row(job, &row);
    return err == MT_E_NOTFOUND ? refuse_unknown(job)
           : err                ? ex_refuse_store(job, err)
                                : ex_flow_resume_dry_run(job, &row);
}

/* Will the flow go on, so that its snapshot is needed? Nothing is evaluated for who
 * will be refused. */
static bool goes_on(const ex_job *job, const st_flow *row)
{
    return job->internal
               ? mt_str_is(row->status, "running")
               : job->resumed ||
                     (mt_str_is(row->status, "waiting") &&
                      ex_caller_holds(job->call->caller, row->waiting_persona));
}

/* What takes long is done before the committer has the flow; whatever else there is to
 * say about it, the committer says. True: answered, or to be done elsewhere. */
static bool think_first(ex_job *job)
{
    st_flow row;
    if (read_row(job, &row) || !goes_on(job, &row)) {
        return false;
    }
    job->thought = !ex_flow_restore(job, &row);
    return !job->thought;
}

bool ex_flow_resume(ex_job *job)
{
    job->flow_id = job->call->id;
    if (ex_request_read(job)) {
        return true;
    }
    return job->simulation ? dry_run(job)
                           : atomic_load(&job->x->may_be_long) && think_first(job);
}

void ex_flow_think(ex_job *job)
{
    st_flow row;
    job->unthought = job->in_group = false;
    job->on_worker = true;
    job->deadline = NULL;
    mt_err err = read_row(job, &row);
    if (!err) {
        job->thought = !ex_flow_restore(job, &row);
    }
    if (err && err != MT_E_NOTFOUND) {
        ex_refuse_store(job, err);
    }
    (job->answered ? ex_answer : ex_enqueue)(job);
}

bool ex_flow_cancel(ex_job *job)
{
    job->flow_id = job->call->id;
    return ex_request_read(job) ||
           (job->simulation &&
            ex_refuse(job, EX_BAD_REQUEST, "cancelling a flow has no dry run"));
}

/* They were checked when it began; an entity that a later version lacks is left out. */
bool ex_flow_bind(ex_job *job, const st_flow *row)
{
    mt_json *tree = mt_new(&job->arena, mt_json);
    mt_str text = mt_str_dup(&job->arena, row->bindings);
    if (mt_json_read(&job->arena, text, NULL, tree, NULL)) {
        return ex_refuse(job, EX_FLOW_FAILED, "the flow's bindings cannot be read");
    }
    for (uint32_t i = 0; mt_json_is(tree, MT_JSON_OBJECT) && i < tree->count; i++) {
        const mt_json_member *b = &tree->as.members[i];
        uint32_t entity = ct_model_find(job->v->model, CT_KIND_ENTITY, b->key);
        if (entity != CT_NONE) {
            job->snap->instances[entity] = mt_json_text(&b->value);
        }
    }
    return false;
}

/* Why the snapshot is not there. Always true. */
static bool refuse_restore(ex_job *job, mt_err err, const ct_fault *fault)
{
    if (err == MT_E_BUSY) {
        job->unthought = job->in_group;
        job->elsewhere = !job->in_group;
        return true;
    }
    return err == MT_E_CORRUPT
               ? ex_refuse(job, EX_FLOW_FAILED,
                           "the flow's snapshot does not fit its contract")
               : ex_refuse_evaluation(job, fault);
}

bool ex_flow_restore(ex_job *job, const st_flow *row)
{
    mt_err err;
    ct_fault fault = {0};
    if (job->snap && !mt_str_eq(job->v->etag, row->etag)) {
        ex_job_drop_snap(job); /* a migration moved it since the last turn */
        job->thought = false;
    }
    if (job->thought) {
        return false; /* what a flow has frozen does not change */
    }
    if (!job->snap) {
        job->v = ex_version_with(job->x, row->contract, row->etag, &err);
        if (!job->v) {
            return ex_refuse(job, EX_FLOW_FAILED,
                             "the contract version of the flow is gone");
        }
        job->snap = ex_snap_take(job->v);
    }
    job->what = ct_model_find(job->v->model, CT_KIND_FLOW, row->flow);
    err = ex_snapshot_restore(job, row, &fault);
    return err ? refuse_restore(job, err, &fault) : ex_flow_bind(job, row);
}

/* The version it runs under, its snapshot and what it is bound to. */
void ex_flow_resume_claim(ex_job *job, ex_group *g)
{
    ex_flow_row *f = ex_flow_of(g, job->flow_id);
    if (f && f->found && goes_on(job, &f->row) && !ex_flow_restore(job, &f->row)) {
        ex_claim_bound(job, g);
    }
}

/* ---- Resuming ---------------------------------------------------------------------
 */

static ex_flow_row *find_row(ex_job *job, ex_group *g)
{
    ex_flow_row *f = ex_flow_of(g, job->flow_id);
    if (f && f->found) {
        return f;
    }
    refuse_unknown(job);
    return NULL;
}

/* Whose call it was when the flow began to run: written down with the position. */
static const ex_caller *acting(ex_job *job, const st_flow *row)
{
    mt_arena *a = &job->arena;
    mt_json *tree = mt_new(a, mt_json);
    ex_caller *c = mt_new(a, ex_caller);
    if (mt_json_read(a, mt_str_dup(a, row->extra), NULL, tree, NULL)) {
        return c;
    }
    const mt_json *who = mt_json_at(tree, "acting");
    const mt_json *list = mt_json_at(who, "personas");
    const mt_json *anyone = mt_json_at(who, "anyone");
    c->anyone = mt_json_is(anyone, MT_JSON_BOOL) && anyone->boolean;
    c->token = mt_json_text(mt_json_at(who, "token"));
    c->name = mt_json_text(mt_json_at(who, "name"));
    size_t count = mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
    mt_str *names = mt_new_array(a, mt_str, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = mt_json_text(&list->as.items[i]);
    }
    c->personas = names;
    c->persona_count = count;
    return c;
}

/* Only within this group has the flow come to where it goes on: the next one claims
 * what that takes. */
static bool is_too_soon(ex_job *job)
{
    job->put_off = !job->snap;
    return job->put_off;
}

static mt_err recover(ex_job *job, ex_group *g, ex_flow_row *f)
{
    if (!mt_str_is(f->row.status, "running")) {
        ex_reply_flow(job, &f->row);
        return MT_OK;
    }
    if (is_too_soon(job)) {
        return MT_OK;
    }
    ex_call *call = (ex_call *)job->work;
    call->caller = acting(job, &f->row);
    return ex_flow_turn(job, g, f, call->caller);
}

bool ex_refused_resume(ex_job *job, const st_flow *row)
{
    if (!mt_str_is(row->status, "waiting")) {
        return ex_refuse(job, EX_NOT_RESUMABLE,
                         "flow execution '%.*s' is %.*s, not waiting", MT_ARG(row->id),
                         MT_ARG(row->status));
    }
    if (ex_caller_holds(job->call->caller, row->waiting_persona)) {
        return false;
    }
    mt_jw w =
        ex_problem_open(job, EX_PERSONA_NOT_HELD,
                        mt_strf(&job->arena, "the flow waits for the persona '%.*s'",
                                MT_ARG(row->waiting_persona)));
    mt_jw_key_str(&w, "persona", row->waiting_persona);
    mt_jw_key_str(&w, "step", row->waiting_step);
    return ex_problem_close(&w);
}

mt_err ex_flow_resume_commit(ex_job *job, ex_group *g)
{
    ex_flow_row *f = find_row(job, g);
    if (job->answered) {
        return MT_OK;
    }
    if (job->internal) {
        return recover(job, g, f);
    }
    if (job->resumed) {
        return ex_flow_continue(job, g);
    }
    if (ex_refused_resume(job, &f->row) || is_too_soon(job)) {
        return MT_OK;
    }
    return ex_flow_turn(job, g, f, job->call->caller);
}

/* ---- Cancelling -------------------------------------------------------------------
 */

static bool may_cancel(const ex_job *job, const st_flow *row)
{
    const ex_caller *c = job->call->caller;
    return ex_caller_may(c, MT_STR("admin")) ||
           (c->token.len && mt_str_eq(c->token, row->initiator));
}

mt_err ex_flow_cancel_commit(ex_job *job, ex_group *g)
{
    ex_flow_row *f = find_row(job, g);
    mt_err err;
    if (!f) {
        return MT_OK;
    }
    if (!may_cancel(job, &f->row)) {
        ex_refuse(job, EX_FORBIDDEN,
                  "only who began the flow, or an admin, cancels it");
        return MT_OK;
    }
    if (!mt_str_is(f->row.status, "waiting") && !mt_str_is(f->row.status, "running")) {
        ex_refuse(job, EX_NOT_RESUMABLE, "flow execution '%.*s' is %.*s already",
                  MT_ARG(f->row.id), MT_ARG(f->row.status));
        return MT_OK;
    }
    job->v = ex_version_with(job->x, f->row.contract, f->row.etag, &err);
    if (!job->v) {
        return err;
    }
    ex_turn t = {.job = job, .g = g, .who = job->call->caller, .row = f->row};
    t.row.status = MT_STR("cancelled");
    t.row.waiting_step = t.row.waiting_persona = MT_STR("");
    t.row.updated_ms = g->now_ms;
    t.row.version++;
    err = st_flow_put(g->tx, &t.row);
    err = err ? err : ex_record_flow_ended(&t, job->request.reason);
    if (!err) {
        f->row = t.row;
        ex_reply_flow(job, &f->row);
    }
    return err;
}

/* ---- Recovery ---------------------------------------------------------------------
 */

static void nobody_asked(void *state, ex_reply *reply)
{
    (void)state;
    (void)reply;
}

void ex_submit_resume(ex_executor *x, mt_str flow_id)
{
    static const ex_caller NOBODY = {0};
    ex_job *job = ex_job_take(x);
    ex_call *call = mt_new(&job->arena, ex_call);
    *call = (ex_call){.action = EX_FLOW_RESUME,
                      .caller = &NOBODY,
                      .id = mt_str_dup(&job->arena, flow_id)};
    job->call = call;
    job->work = call;
    job->done = nobody_asked;
    job->internal = true;
    job->flow_id = call->id;
    ex_enqueue(job);
}

typedef struct found {
    mt_arena a;
    int64_t before_ms;
    mt_str *items;
    size_t len, cap;
} found;

static mt_err take_running(void *state, const st_flow *row)
{
    found *f = state;
    if (row->updated_ms < f->before_ms) {
        mt_vec_push(&f->a, f, mt_str_dup(&f->a, row->id));
    }
    return MT_OK;
}

mt_err ex_recover_flows(ex_executor *x, int64_t idle_ms)
{
    st_tx *tx;
    found f = {.before_ms = ex_now(x) - idle_ms + 1};
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (err) {
        return err;
    }
    st_flow_filter filter = {.status = MT_STR("running"), .in_flight = true};
    err = st_flow_walk(tx, &filter, (st_page){.limit = UINT32_MAX}, take_running, &f);
    st_rollback(tx);
    for (size_t i = 0; !err && i < f.len; i++) {
        ex_submit_resume(x, f.items[i]);
    }
    mt_arena_free(&f.a);
    return err;
}
