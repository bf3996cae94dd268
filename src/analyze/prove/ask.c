/* analyze/prove/ask.c - an asker, its answers by form, and the reply.
 *
 * ask_read() makes an ask_said of the question; ANSWERS has one function per form. A
 * reply is yes, no or unknown, as text and as JSON, and says what it rests on: `proof`
 * names the method, `facts` an example that the evaluator has confirmed, `path` a run
 * that the engine has executed, `covers` what was searched, `reason` why it is unknown.
 * "No" is said only when the solver has proven it, a complete search found nothing, or
 * it is shown.
 *
 * What is found out about operations, and searches that may be taken up again, live
 * with the asker; everything of one question lives in the caller's arena.
 *
 * What may fail: a question that cannot be read is AN_REPLY_FAULT with a message and a
 * place; only the first fault is kept. */
#include "analyze/prove/ask_internal.h"

#include <stdlib.h>

/* ---- The asker ---- */

/* an_setting.may for the first outline: every
 * operation may, so that it costs no solver. */
static bool may_by_structure(void *context, uint32_t op)
{
    (void)context;
    (void)op;
    return true;
}

/* Provers and benches are made when a question
 * first needs them: many questions need none. */
an_asker *an_asker_new(const an_union *u, const mt_limits *limits)
{
    an_asker *q = mt_xmalloc(sizeof *q);
    uint32_t operations = u->plan->model->operation_count;
    *q = (an_asker){.u = u,
                    .plan = u->plan,
                    .limits = limits ? *limits : MT_LIMITS_DEFAULT,
                    .instances = 1};
    q->provers = mt_new_array(&q->keep, an_prover *, (size_t)u->member_count + 1);
    q->benches = mt_new_array(&q->keep, ct_bench, (size_t)u->member_count + 1);
    q->possible = mt_new_array(&q->keep, an_answer, (size_t)operations + 1);
    q->asked = mt_new_array(&q->keep, bool, (size_t)operations + 1);
    an_setting plain = {
        .plan = q->plan, .persona = CT_NONE, .instances = 1, .may = may_by_structure};
    q->outline = an_outline_of(&q->keep, &plain);
    return q;
}

void an_asker_free(an_asker *q)
{
    if (!q) {
        return;
    }
    for (uint32_t i = 0; i < q->u->member_count; i++) {
        an_prover_free(q->provers[i]);
        if (q->benches[i].plan) {
            ct_bench_free(&q->benches[i]);
        }
    }
    mt_arena_free(&q->keep);
    free(q);
}

void an_asker_instances(an_asker *q, uint32_t instances)
{
    q->instances = instances;
}

unsigned an_asker_disagreements(const an_asker *q)
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < q->u->member_count; i++) {
        sum += q->provers[i] ? an_prover_disagreements(q->provers[i]) : 0;
    }
    return sum;
}

void an_asker_smt2(an_asker *q, mt_buf *out)
{
    q->smt2 = out;
}

/* ---- Replies ---- */

static const char *const REPLY_NAMES[] = {
    [AN_REPLY_YES] = "yes",
    [AN_REPLY_NO] = "no",
    [AN_REPLY_UNKNOWN] = "unknown",
};
MT_TABLE_COVERS(REPLY_NAMES, AN_REPLY_FAULT); /* which has no name */

static int by_name(const void *x, const void *y)
{
    return mt_str_cmp(((const ask_key *)x)->name, ((const ask_key *)y)->name);
}

/* Keys are in byte order; those without a value are left out. */
static mt_str reply_json(asker *k, an_reply_kind kind, mt_str question)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    ask_put_text(k, "proof", mt_str_z(k->proof));
    ask_put_text(k, "question", question);
    ask_put_text(k, "reply", mt_str_z(REPLY_NAMES[kind]));
    qsort(k->keys.items, k->keys.len, sizeof *k->keys.items, by_name);
    mt_jw_begin_object(&w);
    for (size_t i = 0; i < k->keys.len; i++) {
        if (k->keys.items[i].json.len) {
            mt_jw_key(&w, k->keys.items[i].name);
            mt_jw_raw(&w, k->keys.items[i].json);
        }
    }
    mt_jw_end_object(&w);
    return ask_kept(k, &b);
}

/* ---- Questions ---- */

typedef an_reply_kind answer(asker *k, const ask_said *q);

static answer *const ANSWERS[AN_QUESTION_COUNT] = {
    [AN_ASK_CAN] = ask_reply_can,
    [AN_ASK_WHO] = ask_reply_who,
    [AN_ASK_ALONE] = ask_reply_alone,
    [AN_ASK_HOLD] = ask_reply_condition,
    [AN_ASK_POSSIBLE] = ask_reply_condition,
    [AN_ASK_IS_ALWAYS] = ask_reply_condition,
    [AN_ASK_IMPLIED] = ask_reply_condition,
    [AN_ASK_SAME] = ask_reply_condition,
    [AN_ASK_WHEN_IS] = ask_reply_when,
    [AN_ASK_WHEN_CAN] = ask_reply_when,
    [AN_ASK_NEVER] = ask_reply_condition,
    [AN_ASK_NEVER_WHILE] = ask_reply_condition,
    [AN_ASK_NEVER_STEP] = ask_reply_never_step,
    [AN_ASK_NEVER_STEP_WHILE] = ask_reply_never_step,
    [AN_ASK_ALWAYS] = ask_reply_condition,
    [AN_ASK_BEFORE] = ask_reply_before,
    [AN_ASK_BEFORE_EACH] = ask_reply_before,
    [AN_ASK_EVERY_FLOW] = ask_reply_flows,
    [AN_ASK_FLOW] = ask_reply_flows,
    [AN_ASK_TERMINAL] = ask_reply_progress,
    [AN_ASK_TERMINAL_OF] = ask_reply_progress,
    [AN_ASK_REACHABLE] = ask_reply_progress,
    [AN_ASK_DUTIES] = ask_reply_duties,
    [AN_ASK_DUTIES_SAME] = ask_reply_duties,
    [AN_ASK_CAUSE] = ask_reply_cause,
    [AN_ASK_WHY_NOT] = NULL, /* stands before one of the others */
};

/* A fault wins over a reply that was made before it was noticed. */
an_reply an_ask(an_asker *q, mt_arena *a, mt_str question)
{
    asker k = {.a = a, .q = q, .member = q->u->system ? CT_NONE : 0};
    ask_said said;
    an_reply r = {.kind = AN_REPLY_FAULT};
    k.m = k.member == CT_NONE ? NULL : ask_model_of(q, 0);
    if (ask_tokenise(&k, question) && ask_read(&k, &said)) {
        r.kind = ANSWERS[said.form](&k, &said);
    }
    if (r.kind == AN_REPLY_NO && k.why) {
        ask_explain(&k, &said);
    }
    if (r.kind == AN_REPLY_FAULT || k.error.len) {
        r = (an_reply){.kind = AN_REPLY_FAULT, .text = k.error, .place = k.place};
    } else {
        r.text = mt_str_dup(a, mt_buf_str(&k.text));
        r.json = reply_json(&k, r.kind, question);
    }
    mt_buf_free(&k.text);
    return r;
}
