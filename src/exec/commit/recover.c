/* exec/commit/recover.c - flows that were running when a process died are taken up by
 * whoever is there, with the authority their caller had.
 * Room: exec. Who takes a flow up need not be the only one that does: its row is locked
 * in the group, and the second finds that it has moved. May fail: the store; the next
 * sweep tries again. */
#include "exec/commit/commit.h"
#include "exec/machine.h"

/* An internal job has an answer, which nobody waits for. */
static void nobody_asked(void *state, ex_reply *reply)
{
    (void)state;
    (void)reply;
}

/* Nobody's call: authority comes from what the flow wrote down (kinds/flow_resume.c),
 * never from this caller. */
static void submit_resume(ex_executor *x, mt_str flow_id)
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

static mt_err take_up(ex_job *job, ex_group *g)
{
    (void)g; /* what was queued is chained when a group opens */
    mt_jw w = ex_reply_with(job, 200);
    ex_reply_end(&w);
    return MT_OK;
}

void ex_executor_take_up(ex_executor *x)
{
    static const ex_handler TAKE_UP = {.commit = take_up, .overlaps = true};
    static const ex_caller NOBODY = {.by = EX_BY_SYSTEM};
    static const ex_call CALL = {.caller = &NOBODY};
    if (x->shared) {
        return; /* the sequencer looks by itself */
    }
    ex_job *job = ex_job_take(x);
    job->call = &CALL;
    job->done = nobody_asked;
    job->internal = true;
    job->handler = &TAKE_UP;
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

/* Ids are gathered first, and submitted when the read transaction is over. */
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
        submit_resume(x, f.items[i]);
    }
    mt_arena_free(&f.a);
    return err;
}
