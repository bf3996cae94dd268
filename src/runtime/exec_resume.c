/* runtime/exec_resume.c - flows that wait: taken up by who holds the persona, or ended.
 * Room: runtime. Also the recovery: flows that were running when a process died are
 * taken up by whoever is there, with the authority their caller had. */
#include <stdlib.h>

#include "runtime/exec_flow.h"

/* ---- Preparing --------------------------------------------------------------------
 */

static bool refuse_unknown(rx_job *job)
{
    return rx_refuse(job, RX_UNKNOWN_EXECUTION, "no flow execution '%.*s'",
                     MT_ARG(job->flow_id));
}

static mt_err read_row(rx_job *job, st_flow *row)
{
    st_tx *tx;
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        err = st_flow_get(tx, &job->arena, job->flow_id, row);
        st_rollback(tx);
    }
    return err;
}

static bool dry_run(rx_job *job)
{
    st_flow row;
    mt_err err = read_row(job, &row);
    return err == MT_E_NOTFOUND ? refuse_unknown(job)
           : err                ? rx_refuse_store(job, err)
                                : rx_flow_resume_dry_run(job, &row);
}

/* Will the flow go on, so that its snapshot is needed? Nothing is evaluated for who
 * will be refused. */
static bool goes_on(const rx_job *job, const st_flow *row)
{
    return job->internal
               ? mt_str_is(row->status, "running")
               : job->resumed ||
                     (mt_str_is(row->status, "waiting") &&
                      rt_caller_holds(job->call->caller, row->waiting_persona));
}

/* What takes long is done before the committer has the flow; whatever else there is to
 * say about it, the committer says. True: answered, or to be done elsewhere. */
static bool think_first(rx_job *job)
{
    st_flow row;
    if (read_row(job, &row) || !goes_on(job, &row)) {
        return false;
    }
    job->thought = !rx_flow_restore(job, &row);
    return !job->thought;
}

bool rx_flow_resume(rx_job *job)
{
    job->flow_id = job->call->id;
    if (rx_request_read(job)) {
        return true;
    }
    return job->simulation ? dry_run(job)
                           : atomic_load(&job->x->may_be_long) && think_first(job);
}

void rx_flow_think(rx_job *job)
{
    st_flow row;
    job->unthought = job->in_group = false;
    job->on_worker = true;
    job->deadline = NULL;
    mt_err err = read_row(job, &row);
    if (!err) {
        job->thought = !rx_flow_restore(job, &row);
    }
    if (err && err != MT_E_NOTFOUND) {
        rx_refuse_store(job, err);
    }
    (job->answered ? rx_answer : rx_enqueue)(job);
}

bool rx_flow_cancel(rx_job *job)
{
    job->flow_id = job->call->id;
    return rx_request_read(job) ||
           (job->simulation &&
            rx_refuse(job, RX_BAD_REQUEST, "cancelling a flow has no dry run"));
}

/* They were checked when it began; an entity that a later version lacks is left out. */
bool rx_flow_bind(rx_job *job, const st_flow *row)
{
    mt_json *tree = mt_new(&job->arena, mt_json);
    mt_str text = mt_str_dup(&job->arena, row->bindings);
    if (mt_json_read(&job->arena, text, NULL, tree, NULL)) {
        return rx_refuse(job, RX_FLOW_FAILED, "the flow's bindings cannot be read");
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
static bool refuse_restore(rx_job *job, mt_err err, const ct_fault *fault)
{
    if (err == MT_E_BUSY) {
        job->unthought = job->in_group;
        job->elsewhere = !job->in_group;
        return true;
    }
    return err == MT_E_CORRUPT
               ? rx_refuse(job, RX_FLOW_FAILED,
                           "the flow's snapshot does not fit its contract")
               : rx_refuse_evaluation(job, fault);
}

bool rx_flow_restore(rx_job *job, const st_flow *row)
{
    mt_err err;
    ct_fault fault = {0};
    if (job->snap && !mt_str_eq(job->v->etag, row->etag)) {
        rx_job_drop_snap(job); /* a migration moved it since the last turn */
        job->thought = false;
    }
    if (job->thought) {
        return false; /* what a flow has frozen does not change */
    }
    if (!job->snap) {
        job->v = rx_version_with(job->x, row->contract, row->etag, &err);
        if (!job->v) {
            return rx_refuse(job, RX_FLOW_FAILED,
                             "the contract version of the flow is gone");
        }
        job->snap = rx_snap_take(job->v);
    }
    job->what = ct_model_find(job->v->model, CT_KIND_FLOW, row->flow);
    err = rx_snapshot_restore(job, row, &fault);
    return err ? refuse_restore(job, err, &fault) : rx_flow_bind(job, row);
}

/* The version it runs under, its snapshot and what it is bound to. */
void rx_flow_resume_claim(rx_job *job, rx_group *g)
{
    rx_flow_row *f = rx_flow_of(g, job->flow_id);
    if (f && f->found && goes_on(job, &f->row) && !rx_flow_restore(job, &f->row)) {
        rx_claim_bound(job, g);
    }
}

/* ---- Resuming ---------------------------------------------------------------------
 */

static rx_flow_row *find_row(rx_job *job, rx_group *g)
{
    rx_flow_row *f = rx_flow_of(g, job->flow_id);
    if (f && f->found) {
        return f;
    }
    refuse_unknown(job);
    return NULL;
}

/* Whose call it was when the flow began to run: written down with the position. */
static const rt_caller *acting(rx_job *job, const st_flow *row)
{
    mt_arena *a = &job->arena;
    mt_json *tree = mt_new(a, mt_json);
    rt_caller *c = mt_new(a, rt_caller);
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
static bool is_too_soon(rx_job *job)
{
    job->put_off = !job->snap;
    return job->put_off;
}

static mt_err recover(rx_job *job, rx_group *g, rx_flow_row *f)
{
    if (!mt_str_is(f->row.status, "running")) {
        rx_reply_flow(job, &f->row);
        return MT_OK;
    }
    if (is_too_soon(job)) {
        return MT_OK;
    }
    rt_call *call = (rt_call *)job->work;
    call->caller = acting(job, &f->row);
    return rx_flow_turn(job, g, f, call->caller);
}

bool rx_refused_resume(rx_job *job, const st_flow *row)
{
    if (!mt_str_is(row->status, "waiting")) {
        return rx_refuse(job, RX_NOT_RESUMABLE,
                         "flow execution '%.*s' is %.*s, not waiting", MT_ARG(row->id),
                         MT_ARG(row->status));
    }
    if (rt_caller_holds(job->call->caller, row->waiting_persona)) {
        return false;
    }
    mt_jw w =
        rx_problem_open(job, RX_PERSONA_NOT_HELD,
                        mt_strf(&job->arena, "the flow waits for the persona '%.*s'",
                                MT_ARG(row->waiting_persona)));
    mt_jw_key_str(&w, "persona", row->waiting_persona);
    mt_jw_key_str(&w, "step", row->waiting_step);
    return rx_problem_close(&w);
}

mt_err rx_flow_resume_commit(rx_job *job, rx_group *g)
{
    rx_flow_row *f = find_row(job, g);
    if (job->answered) {
        return MT_OK;
    }
    if (job->internal) {
        return recover(job, g, f);
    }
    if (job->resumed) {
        return rx_flow_continue(job, g);
    }
    if (rx_refused_resume(job, &f->row) || is_too_soon(job)) {
        return MT_OK;
    }
    return rx_flow_turn(job, g, f, job->call->caller);
}

/* ---- Cancelling -------------------------------------------------------------------
 */

static bool may_cancel(const rx_job *job, const st_flow *row)
{
    const rt_caller *c = job->call->caller;
    return rt_caller_may(c, MT_STR("admin")) ||
           (c->token.len && mt_str_eq(c->token, row->initiator));
}

mt_err rx_flow_cancel_commit(rx_job *job, rx_group *g)
{
    rx_flow_row *f = find_row(job, g);
    mt_err err;
    if (!f) {
        return MT_OK;
    }
    if (!may_cancel(job, &f->row)) {
        rx_refuse(job, RX_FORBIDDEN,
                  "only who began the flow, or an admin, cancels it");
        return MT_OK;
    }
    if (!mt_str_is(f->row.status, "waiting") && !mt_str_is(f->row.status, "running")) {
        rx_refuse(job, RX_NOT_RESUMABLE, "flow execution '%.*s' is %.*s already",
                  MT_ARG(f->row.id), MT_ARG(f->row.status));
        return MT_OK;
    }
    job->v = rx_version_with(job->x, f->row.contract, f->row.etag, &err);
    if (!job->v) {
        return err;
    }
    rx_turn t = {.job = job, .g = g, .who = job->call->caller, .row = f->row};
    t.row.status = MT_STR("cancelled");
    t.row.waiting_step = t.row.waiting_persona = MT_STR("");
    t.row.updated_ms = g->now_ms;
    t.row.version++;
    err = st_flow_put(g->tx, &t.row);
    err = err ? err : rx_record_flow_ended(&t, job->request.reason);
    if (!err) {
        f->row = t.row;
        rx_reply_flow(job, &f->row);
    }
    return err;
}

/* ---- Recovery ---------------------------------------------------------------------
 */

static void nobody_asked(void *state, rt_reply *reply)
{
    (void)state;
    (void)reply;
}

void rx_submit_resume(rt_executor *x, mt_str flow_id)
{
    static const rt_caller NOBODY = {0};
    rx_job *job = rx_job_take(x);
    rt_call *call = mt_new(&job->arena, rt_call);
    *call = (rt_call){.action = RT_FLOW_RESUME,
                      .caller = &NOBODY,
                      .id = mt_str_dup(&job->arena, flow_id)};
    job->call = call;
    job->work = call;
    job->done = nobody_asked;
    job->internal = true;
    job->flow_id = call->id;
    rx_enqueue(job);
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

mt_err rx_recover_flows(rt_executor *x, int64_t idle_ms)
{
    st_tx *tx;
    found f = {.before_ms = rx_now(x) - idle_ms + 1};
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (err) {
        return err;
    }
    st_flow_filter filter = {.status = MT_STR("running"), .in_flight = true};
    err = st_flow_walk(tx, &filter, (st_page){.limit = UINT32_MAX}, take_running, &f);
    st_rollback(tx);
    for (size_t i = 0; !err && i < f.len; i++) {
        rx_submit_resume(x, f.items[i]);
    }
    mt_arena_free(&f.a);
    return err;
}
