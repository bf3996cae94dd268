/* exec/commit/delivery.c - one row of the outbox on its way.
 * Room: exec. The row is settled in the transaction that does what it asks for, so it
 * is done once, whoever of several processes is faster. A delivery is tried up to
 * trigger_attempts times, with pauses that double up to PAUSE_MOST_MS; only what may
 * succeed later is tried again. May fail: the store. */
#include "exec/commit/outbox.h"

enum { PAUSE_MOST_MS = 60000 };

/* The row is copied: the walk that found it has ended when the job runs. One that
 * cannot be read becomes a job all the same, so that it is marked as failed and not
 * found for ever. */
ex_job *ex_delivery_job(ex_executor *x, const st_trigger *row, ex_done *done,
                        void *state)
{
    ex_job *job = ex_job_take(x);
    mt_arena *a = &job->arena;
    ex_delivery *d = mt_new(a, ex_delivery);
    mt_json *body = mt_new(a, mt_json);
    ex_call *call = mt_new(a, ex_call);
    d->row = (st_trigger){.id = mt_str_dup(a, row->id),
                          .status = MT_STR("pending"),
                          .body = mt_str_dup(a, row->body),
                          .attempts = row->attempts,
                          .due_ms = row->due_ms,
                          .created_ms = row->created_ms};
    if (mt_json_read(a, d->row.body, NULL, body, NULL)) {
        d->reason = MT_STR("the outbox row cannot be read");
    }
    d->body = body;
    job->call = call;
    job->work = d;
    job->done = done;
    job->state = state;
    job->internal = true;
    return job;
}

/* Attempts are compared as well: a row that was tried in between is another one. */
mt_err ex_delivery_claim(ex_job *job, ex_group *g, bool *due)
{
    ex_delivery *d = job->work;
    st_trigger now;
    mt_err err = st_trigger_lock(g->tx, g->arena, d->row.id, &now);
    *due = !err && mt_str_is(now.status, "pending") && now.attempts == d->row.attempts;
    if (!err && !*due) {
        mt_jw w = ex_reply_with(job, 200);
        ex_reply_end(&w);
    }
    return err;
}

static int64_t pause_ms(const ex_executor *x, int32_t attempts)
{
    int64_t pause = x->trigger_pause_ms;
    for (int32_t i = 0; i < attempts && pause < PAUSE_MOST_MS; i++) {
        pause *= 2;
    }
    return pause < PAUSE_MOST_MS ? pause : PAUSE_MOST_MS;
}

mt_err ex_delivery_settle(ex_job *job, ex_group *g, bool *failed)
{
    const ex_executor *x = job->x;
    const ex_delivery *d = job->work;
    st_trigger row = d->row;
    bool again = d->reason.len && d->transient &&
                 (unsigned)row.attempts + 1 < x->trigger_attempts;
    *failed = d->reason.len && !again;
    row.due_ms = again ? g->now_ms + pause_ms(x, row.attempts) : row.due_ms;
    row.attempts++;
    row.status = again     ? MT_STR("pending")
                 : *failed ? MT_STR("failed")
                           : MT_STR("done");
    g->wrote = true;
    return st_trigger_put(g->tx, &row);
}
