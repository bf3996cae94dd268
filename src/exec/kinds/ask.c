/* exec/kinds/ask.c - what a contract can and can never do, as `motet ask` says it.
 * Room: exec.
 * It is about the contract alone: no fact and no instance has a part in it. It takes
 * long, so it is left to a worker, and one question at a time is answered; who comes
 * meanwhile is told to ask again. For whoever the contract concerns. May fail: the
 * question is not understood; the solver is busy or cannot be had. */
#include "exec/kinds/ask.h"

#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/contract/invariants.h"

enum { QUESTION_BYTES = 2000 };

typedef struct question {
    mt_str text;
} question;
static const mt_form_row MEMBERS[] = {
    MT_FORM_NAME(question, text, "question", QUESTION_BYTES, 0),
};

static bool answer(ex_job *job, mt_str asked, const an_reply *r)
{
    /* SPARSE: a question that is not understood is refused. */
    static const char *const WORDS[] = {
        [AN_REPLY_YES] = "yes", [AN_REPLY_NO] = "no", [AN_REPLY_UNKNOWN] = "unknown"};
    if (r->kind == AN_REPLY_FAULT) {
        return ex_refuse(job, EX_BAD_REQUEST, "the question: %.*s", MT_ARG(r->text));
    }
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "answer", mt_str_z(WORDS[r->kind]));
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_key_str(&w, "question", asked);
    mt_jw_keyz(&w, "shown");
    mt_jw_raw(&w, r->json);
    mt_jw_key_str(&w, "text", r->text);
    ex_reply_end(&w);
    return true;
}

bool ex_ask(ex_job *job)
{
    question q = {0};
    an_reply r;
    if (ex_refused_contract(job) || ex_refused_unless_seen(job) ||
        ex_refused_body(job, MEMBERS, mt_form_count(MEMBERS), &q)) {
        return true;
    }
    job->was_read = true;
    if (!q.text.len) {
        return ex_refuse(job, EX_BAD_REQUEST, "the body has no `question`");
    }
    return ex_question_ask(&job->arena, job->v->plan->program, &job->x->limits, q.text,
                           &r)
               ? answer(job, q.text, &r)
               : ex_refuse(job, EX_BUSY, "another question is being answered");
}
