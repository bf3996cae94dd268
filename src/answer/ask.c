#include "answer/ask.h"

#include "analyze/prove/ask.h"

/* "No" and "unknown" are both AW_FAILS: only a proven yes is AW_HOLDS. */
static int told(const aw_question *q, const an_reply *got, aw_reply *r)
{
    if (got->kind == AN_REPLY_FAULT) {
        return aw_fail(r, AW_USAGE, "%.*s\n  %.*s\n  %*s^", MT_ARG(got->text),
                       MT_ARG(q->text), (int)got->place, "");
    }
    mt_buf_adds(&r->text, q->json ? got->json : got->text);
    mt_buf_addz(&r->text, q->json ? "\n" : "");
    return got->kind == AN_REPLY_YES ? AW_HOLDS : AW_FAILS;
}

int aw_ask(const an_union *about, const mt_limits *limits, const aw_question *q,
           aw_reply *r)
{
    an_asker *asker = an_asker_new(about, limits);
    an_asker_instances(asker, q->instances);
    if (q->smt2) {
        an_asker_smt2(asker, q->smt2);
    }
    an_reply got = an_ask(asker, &r->arena, q->text);
    int code = told(q, &got, r);
    an_asker_free(asker);
    return code;
}
