/* analyze/prove/ask_reply.c - what every answer uses: the solver and working room of a
 * member, and the reply as it is put together.
 * Room: analyze.
 * Provers and benches are made when first needed and live with the asker; whether the
 * precondition of an operation can hold is asked once. Keys of a reply are kept in the
 * order they come and sorted when the object is written. */
#include "analyze/prove/ask_internal.h"
#include "contract/reduce/source.h"

/* ---- The asker's ---- */

an_prover *ask_prover_of(an_asker *q, uint32_t member)
{
    if (!q->provers[member]) {
        q->provers[member] =
            an_prover_new(q->u->members[member].program, NULL, &q->limits);
    }
    an_prover_smt2(q->provers[member], q->smt2, MT_STR("a condition"));
    return q->provers[member];
}

ct_bench *ask_bench_of(an_asker *q, uint32_t member)
{
    ct_bench *b = &q->benches[member];
    if (!b->plan) {
        *b = ct_bench_new(q->u->members[member].plan, &q->limits);
    }
    return b;
}

const an_answer *ask_can_hold(an_asker *q, uint32_t operation)
{
    if (!q->asked[operation]) {
        const ct_expr *e = q->plan->model->operations[operation].precondition;
        an_prover *p = ask_prover_of(q, q->u->member_of[operation]);
        q->asked[operation] = true;
        an_prover_smt2(p, q->smt2,
                       mt_strf(&q->keep, "the precondition of operation %.*s",
                               MT_ARG(q->plan->model->operations[operation].id)));
        q->possible[operation] =
            an_prove_possible(p, &q->keep, an_claim_holds(&q->keep, AN_FIRST, e));
    }
    return &q->possible[operation];
}

/* ---- The reply's ---- */

/* A later value replaces an earlier one. */
void ask_put(asker *k, const char *key, mt_str json)
{
    size_t i = 0;
    while (i < k->keys.len && !mt_str_eq(k->keys.items[i].name, mt_str_z(key))) {
        i++;
    }
    if (i == k->keys.len) {
        ask_key fresh = {mt_str_z(key), json};
        mt_vec_push(k->a, &k->keys, fresh);
    }
    k->keys.items[i].json = json;
}

mt_str ask_kept(asker *k, mt_buf *b)
{
    mt_str kept = mt_str_dup(k->a, mt_buf_str(b));
    mt_buf_free(b);
    return kept;
}

void ask_put_text(asker *k, const char *key, mt_str text)
{
    mt_buf b = {0};
    mt_json_quote(&b, text);
    ask_put(k, key, ask_kept(k, &b));
}

mt_str ask_expr_text(asker *k, const ct_expr *e)
{
    mt_buf b = {0};
    ct_expr_source(&b, k->m, e);
    return ask_kept(k, &b);
}

void ask_say_facts(asker *k, const char *label, mt_str facts)
{
    if (facts.len) {
        mt_buf_addf(&k->text, "  %s: %.*s\n", label, MT_ARG(facts));
        ask_put(k, "facts", facts);
    }
}

an_reply_kind ask_unknown(asker *k, mt_str reason)
{
    k->text.len = 0;
    mt_buf_addf(&k->text, "unknown: %.*s\n", MT_ARG(reason));
    k->proof = "none";
    ask_put_text(k, "reason", reason);
    return AN_REPLY_UNKNOWN;
}
