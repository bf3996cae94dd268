/* exec/call/partial.c - calls that leave facts open.
 * Room: exec.
 * Only what reads may do so: what writes is decided on whole fact sets. How long it
 * takes follows from the contract and not from the facts alone, so who may not linger
 * leaves it to a worker. May fail: names of facts, what evaluating finds. */
#include "contract/reduce/partial.h"
#include "exec/call/facts.h"

bool ex_refuse_unknown_fact(ex_job *job, mt_str name)
{
    mt_str near = ct_model_nearest(job->v->model, CT_KIND_FACT, name);
    return ex_refuse(job, EX_UNKNOWN_FACT, "the contract has no fact '%.*s'%s%.*s%s",
                     MT_ARG(name), near.len ? "; did you mean '" : "", MT_ARG(near),
                     near.len ? "'?" : "");
}

static bool refused_names(ex_job *job)
{
    const mt_json *names = job->request.unknown;
    if (names && !mt_json_is(names, MT_JSON_ARRAY)) {
        return ex_refuse(job, EX_BAD_REQUEST, "`unknown` must be a list of facts");
    }
    for (uint32_t i = 0; names && i < names->count; i++) {
        mt_str name = mt_json_text(&names->as.items[i]);
        uint32_t fact = mt_json_is(&names->as.items[i], MT_JSON_STRING)
                            ? ct_model_find(job->v->model, CT_KIND_FACT, name)
                            : CT_NONE;
        if (fact == CT_NONE) {
            return ex_refuse_unknown_fact(job, name);
        }
        job->unknown[fact] = true;
    }
    return false;
}

bool ex_only_asks(const ex_job *job)
{
    ex_action action = job->call ? job->call->action : EX_ACTION_COUNT;
    return action == EX_EVALUATE || action == EX_PARTIAL || action == EX_ACTIONS ||
           action == EX_EXPLAIN;
}

void ex_hidden_json(mt_jw *w, const ex_job *job)
{
    const ct_model *m = job->v->model;
    if (!job->hidden) {
        return;
    }
    mt_jw_keyz(w, "hidden");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (job->hidden[i]) {
            mt_jw_str(w, m->facts[i].id);
        }
    }
    mt_jw_end_array(w);
}

bool ex_refused_unknown(ex_job *job)
{
    job->unknown = job->hidden = NULL;
    if (!job->request.unknown && !job->request.partial) {
        return false;
    }
    if (!ex_only_asks(job)) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "`unknown` and `partial` are for evaluate, actions and "
                         "explain");
    }
    if (!ex_may_linger(job)) {
        job->elsewhere = true;
        return true;
    }
    job->unknown = mt_new_array(&job->arena, bool, job->v->model->fact_count + 1);
    return refused_names(job);
}

ct_partial *ex_partial_room(ex_job *job)
{
    ex_snap *s = job->snap;
    if (!s->partial) {
        s->partial = ct_partial_new(job->v->plan->program);
    }
    ct_partial_limit(s->partial, (ct_patience){.steps = job->x->limits.eval_steps,
                                               .late = os_is_late,
                                               .state = ex_deadline(job)});
    return s->partial;
}

bool ex_refused_partly(ex_job *job)
{
    ct_fault fault = {0};
    ct_partial *x = ex_partial_room(job);
    return ct_partial_evaluate(x, job->snap->facts, job->unknown, &fault) &&
           ex_refuse_evaluation(job, &fault);
}
