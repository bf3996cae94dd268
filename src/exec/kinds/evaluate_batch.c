/* exec/kinds/evaluate_batch.c - many evaluations in one call, a line each.
 * Room: exec.
 * Every line is a request of its own, with a job of its own: one that is malformed, or
 * refused, answers for itself and leaves the others alone. Together they have what one
 * call has: the deadline of limits.eval_ms, and limits.batch_lines and batch_bytes;
 * what comes after the end of one of those is answered so. Always on a worker.
 * INVARIANT: as many lines go out as came in, in the same order. May fail: too many
 * lines. */
#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/kinds/evaluate.h"

/* The next line without its end; *rest goes on behind it. */
static mt_str next_line(mt_str *rest)
{
    mt_str line = mt_str_from(rest->ptr, mt_str_find(*rest, '\n'));
    *rest = mt_str_skip(*rest, line.len + 1);
    return mt_str_trim(line, MT_STR("\r"));
}

static size_t count_lines(mt_str text)
{
    size_t count = 0;
    while (text.len) {
        (void)next_line(&text);
        count++;
    }
    return count;
}

static void answer_line(ex_job *line, ex_job *batch)
{
    if (!line->call->body.len) {
        ex_refuse(line, EX_BAD_REQUEST, "the line is empty");
    } else if (batch->reply.body.len > batch->x->limits.batch_bytes) {
        ex_refuse(line, EX_TOO_LARGE,
                  "the answers before it have more than batch_bytes (%zu)",
                  batch->x->limits.batch_bytes);
    } else if (os_is_late(ex_deadline(batch))) {
        ex_refuse(line, EX_EVALUATION_DEADLINE,
                  "the lines before it took all of eval_ms (%zu)",
                  batch->x->limits.eval_ms);
    } else {
        ex_evaluate(line);
    }
}

static void write_line(mt_buf *out, const ex_reply *r, size_t number)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (!r->problem) {
        mt_jw_keyz(&w, "evaluation");
        mt_jw_raw(&w, mt_buf_str(&r->body));
    }
    mt_jw_key_i64(&w, "line", (int64_t)number);
    if (r->problem) {
        mt_jw_keyz(&w, "problem");
        mt_jw_raw(&w, mt_buf_str(&r->body));
    }
    mt_jw_key_i64(&w, "status", r->status);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static void do_line(ex_job *batch, mt_str text, size_t number)
{
    ex_call call = *batch->call;
    ex_job *line = ex_job_take(batch->x);
    call.action = EX_EVALUATE;
    call.body = text;
    line->call = &call;
    line->on_worker = true;
    line->deadline = ex_deadline(batch);
    answer_line(line, batch);
    write_line(&batch->reply.body, &line->reply, number);
    ex_job_give(line);
}

/* Every line is a request; one was counted when the call came in, and none again when
 * it is done once more. All or none: a batch that is refused has evaluated nothing. */
static bool refused_lines(ex_job *job, size_t count)
{
    return count > 1 && !job->saw_facts &&
           ex_refused_quota_of(job, EX_QUOTA_REQUESTS, count - 1, "more requests");
}

/* Facts that another process asserts meanwhile are seen as by one call: then it is all
 * done once more. */
bool ex_evaluate_batch(ex_job *job)
{
    mt_str rest = job->call->body;
    size_t count = count_lines(rest), most = job->x->limits.batch_lines;
    if (ex_refused_contract(job) ||
        ex_refused_without(job, job->v->contract, MT_STR("evaluate"))) {
        return true;
    }
    if (count > most) {
        return ex_refuse(
            job, EX_TOO_LARGE,
            "a batch has at most batch_lines (%zu) lines, this one has %zu", most,
            count);
    }
    if (refused_lines(job, count)) {
        return true;
    }
    job->took_facts = true;
    job->facts_stamp = atomic_load(&job->x->facts_stamp);
    (void)ex_reply_body(job, 200);
    job->reply.type = "application/jsonl";
    for (size_t i = 1; rest.len; i++) {
        do_line(job, next_line(&rest), i);
    }
    return true;
}
