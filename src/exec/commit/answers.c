/* exec/commit/answers.c - idempotency: a request with a key is done once, and answered
 * the same way again, refusals too: a client that lost the answer must not find the
 * request done although the first answer said no.
 * Room: exec. The answer is written in the transaction that does the request, and
 * looked for there, before anything else is decided: what a request needs (facts,
 * states) may have changed since it was done. What is refused without the committer
 * goes through it all the same when it has a key, or is to be a record. Which refusals
 * are kept is a column of EX_PROBLEM_MAP. */
#include "exec/commit/answers.h"

#include "base/utf8.h"
#include "exec/call/rights.h"
#include "exec/commit/effects.h"

/* The status of an answer that is the id of a flow, to be looked at again. */
enum { STILL_RUNNING = 0 };

enum { KEY_MOST = 255 };

static void give(ex_job *job, int status, mt_str body)
{
    job->answered = true;
    job->reply.status = status;
    job->reply.problem = status >= 400;
    mt_buf_clear(&job->reply.body);
    mt_buf_adds(&job->reply.body, body);
}

/* The head of an answer is not kept: what it says of the place is in the body, too. */
static void locate(ex_job *job, int status, mt_str body)
{
    ex_action action = job->call->action;
    mt_json made;
    if (status >= 300 || (action != EX_FLOW_START && action != EX_INSTANCE_CREATE) ||
        mt_json_read(&job->arena, body, NULL, &made, NULL)) {
        return;
    }
    mt_str id = mt_json_text(mt_json_at(&made, "id"));
    if (action == EX_FLOW_START) {
        ex_locate_flow(job, id);
    } else {
        ex_locate_instance(job, mt_json_text(mt_json_at(&made, "contract")),
                           mt_json_text(mt_json_at(&made, "entity")), id);
    }
}

static mt_err take_number(void *state, const st_record *r)
{
    st_record *last = state;
    last->id = r->id;
    last->seq = r->seq;
    return MT_OK;
}

/* The record of where the flow stands; EX_NO_RECORD while it runs. */
static mt_err last_record(const ex_job *job, st_tx *tx, const st_flow *row,
                          int64_t *number)
{
    st_record last = {.id = EX_NO_RECORD, .seq = EX_NO_RECORD};
    bool waits = mt_str_is(row->status, "waiting");
    st_record_filter f = {.flow = row->id,
                          .kind = waits ? MT_STR("flow_waiting") : MT_STR("flow_ended"),
                          .newest_first = true,
                          .pending = true};
    mt_err err =
        mt_str_is(row->status, "running")
            ? MT_OK
            : st_record_walk(tx, &f, (st_page){.limit = 1}, take_number, &last);
    *number = job->x->shared ? last.id : last.seq;
    return err;
}

/* A flow of many turns, as it stands by now. */
static mt_err use_flow(ex_job *job, st_tx *tx, mt_arena *arena, mt_str id)
{
    st_flow row;
    int64_t number = EX_NO_RECORD;
    mt_err err = st_flow_get(tx, arena, id, &row);
    err = err ? err : last_record(job, tx, &row, &number);
    if (!err) {
        ex_reply_flow(job, &row, number);
    }
    return err;
}

mt_err ex_answer_use(ex_job *job, st_tx *tx, mt_arena *arena, const st_answer *a)
{
    if (!mt_str_eq(a->request, job->call->request_digest)) {
        ex_refuse(job, EX_IDEMPOTENCY_MISMATCH,
                  "the key '%.*s' was used for another request",
                  MT_ARG(job->call->idempotency_key));
        return MT_OK;
    }
    if (job->key_counted) { /* it is kept already, and counted then */
        ex_quota_give_back(job->x, job->call->caller, EX_QUOTA_ANSWERS);
        job->key_counted = false;
    }
    job->reply.replayed = true;
    job->reply.retry_after = 0; /* of what it would have been refused for now */
    if (a->status == STILL_RUNNING) {
        return use_flow(job, tx, arena, a->body);
    }
    give(job, a->status, a->body);
    locate(job, a->status, a->body);
    return MT_OK;
}

static bool usable(mt_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if ((unsigned char)key.ptr[i] < ' ') {
            return false;
        }
    }
    return key.len <= KEY_MOST && mt_utf8_check(key) == key.len;
}

bool ex_refused_key(ex_job *job)
{
    return !usable(job->call->idempotency_key) &&
           ex_refuse(job, EX_BAD_REQUEST,
                     "an Idempotency-Key is at most %d bytes of text", KEY_MOST);
}

bool ex_answer_again(ex_job *job)
{
    st_tx *tx;
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        st_answer a;
        err = st_answer_get(tx, &job->arena, ex_caller_id(job),
                            job->call->idempotency_key, &a);
        err = err == MT_E_NOTFOUND ? MT_OK
              : err                ? err
                                   : ex_answer_use(job, tx, &job->arena, &a);
        st_rollback(tx);
    }
    return err ? ex_refuse_store(job, err) : true;
}

void ex_answer_keep(ex_group *g, ex_job *job)
{
    if (!job->call->idempotency_key.len || job->internal || job->resumed ||
        job->simulation || !(job->again || job->kept)) {
        return;
    }
    st_answer a = {.caller = ex_caller_id(job),
                   .key = job->call->idempotency_key,
                   .request = job->call->request_digest,
                   .status = job->again ? STILL_RUNNING : job->reply.status,
                   .body = job->again ? job->flow_id : mt_buf_str(&job->reply.body),
                   .created_ms = g->now_ms};
    g->wrote = true;
    mt_vec_push(g->arena, &g->answers, a);
}

/* ---- Refused before the committer ---- */

typedef struct decided {
    int status, problem;
    mt_str body;
    bool kept;
} decided;

static mt_err give_decided(ex_job *job, ex_group *g)
{
    (void)g;
    const decided *d = job->work;
    give(job, d->status, d->body);
    job->problem = d->problem;
    job->kept = d->kept;
    return MT_OK;
}

bool ex_answer_defer(ex_job *job)
{
    static const ex_handler GIVE = {.commit = give_decided, .overlaps = true};
    bool keep = job->kept && job->call->idempotency_key.len;
    if (job->simulation || !(keep || ex_refusal_due(job))) {
        return false;
    }
    decided *d = mt_new(&job->arena, decided);
    *d = (decided){.status = job->reply.status,
                   .problem = job->problem,
                   .body = mt_str_dup(&job->arena, mt_buf_str(&job->reply.body)),
                   .kept = job->kept};
    job->work = d;
    job->handler = &GIVE;
    job->flow_id = (mt_str){0};
    job->answered = false;
    return true;
}
