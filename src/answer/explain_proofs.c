/* answer/explain_proofs.c - all reasons, and what would have to change: reasons and
 * changes, by the solver.
 *
 * The condition is that of the verdict's rule, or the operation's precondition. What
 * the solver does not know is said, never guessed. An operation without a precondition
 * has the reason of no parts: it is always so.
 *
 * Order of all reasons: the reasons are asked for, then told; a condition that ends in
 * an error has none, which is code 1. Order of a change: what holds already
 * is told without asking the solver. Facts of a change come back from the solver as
 * text and are read like facts of a user; the evaluator has confirmed them before.
 * The code: of all reasons 0 if the condition holds; of a change 0 if one was found or
 * none is needed. Memory is the contract's arena and one prover per call. */
#include "answer/explain_proofs.h"

#include "analyze/prove/reasons.h"
#include "contract/flow/text.h"
#include "contract/reduce/expr.h"

static const ct_expr *condition_of(const aw_case *e, const aw_subject *what)
{
    const ct_expr *c = what->rule != CT_NONE
                           ? e->model->rules[what->rule].when
                           : e->model->operations[what->operation].precondition;
    return c ? c : &CT_EXPR_TRUE;
}

/* "verdict v is absent", "the precondition of o holds". */
static void subject_text(mt_buf *out, const aw_case *e, const aw_subject *what,
                         bool value)
{
    if (what->rule != CT_NONE) {
        mt_buf_addf(out, "verdict %.*s is %s",
                    MT_ARG(e->model->rules[what->rule].verdict),
                    value ? "present" : "absent");
    } else {
        mt_buf_addf(out, "the precondition of %.*s %s",
                    MT_ARG(e->model->operations[what->operation].id),
                    value ? "holds" : "does not hold");
    }
}

static void subject_json(mt_jw *w, const aw_case *e, const aw_subject *what)
{
    if (what->operation != CT_NONE) {
        mt_jw_key_str(w, "operation", e->model->operations[what->operation].id);
    }
}

static void verdict_json(mt_jw *w, const aw_case *e, const aw_subject *what)
{
    if (what->rule != CT_NONE) {
        mt_jw_key_str(w, "verdict", e->model->rules[what->rule].verdict);
    }
}

/* ---- All reasons ---- */

static void reasons_text(mt_buf *out, aw_case *e, const aw_subject *what,
                         const an_reasons *r, an_explain_form form)
{
    subject_text(out, e, what, r->value);
    mt_buf_addf(out, ": %u reason%s, each is enough, none has a part too many\n",
                r->count, r->count == 1 ? "" : "s");
    for (uint32_t i = 0; i < r->count; i++) {
        ct_reasons parts = {r->items[i].parts, r->items[i].count, 0};
        mt_buf_addf(out, "%u.\n", i + 1);
        if (!parts.len) {
            mt_buf_addz(out, "  because it is so for every fact set\n");
        }
        an_explain_parts(out, &e->frozen, &parts, 1, form);
    }
    if (!r->all) {
        mt_buf_addf(out, "there may be more: %.*s\n", MT_ARG(r->reason));
    }
}

static void reasons_json(mt_buf *out, aw_case *e, const aw_subject *what,
                         const an_reasons *r)
{
    mt_jw w = mt_jw_start(out, false);
    mt_buf parts_text = {0};
    mt_jw_begin_object(&w);
    mt_jw_key_bool(&w, "all", r->all);
    subject_json(&w, e, what);
    if (!r->all) {
        mt_jw_key_str(&w, "reason", r->reason);
    }
    mt_jw_keyz(&w, "reasons");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < r->count; i++) {
        ct_reasons parts = {r->items[i].parts, r->items[i].count, 0};
        mt_buf_clear(&parts_text);
        an_explain_parts_json(&parts_text, &e->frozen, &parts);
        mt_jw_raw(&w, mt_buf_str(&parts_text));
    }
    mt_jw_end_array(&w);
    mt_jw_key_bool(&w, "value", r->value);
    verdict_json(&w, e, what);
    mt_jw_end_object(&w);
    mt_buf_free(&parts_text);
}

int aw_explain_all(aw_case *e, const aw_subject *what, bool json, an_explain_form form,
                   aw_reply *reply)
{
    mt_buf *out = &reply->text;
    an_reasons r;
    ct_fault fault = {0};
    mt_arena *a = &e->contract->arena;
    an_prover *p = an_prover_new(e->plan->program, NULL, &e->contract->limits);
    mt_err err =
        an_reasons_of(p, a, &e->frozen.snapshot, condition_of(e, what), &r, &fault);
    an_prover_free(p);
    if (err) {
        return aw_fail_evaluation(reply, &fault);
    }
    if (json) {
        reasons_json(out, e, what, &r);
    } else {
        reasons_text(out, e, what, &r, form);
    }
    return r.value ? AW_HOLDS : AW_FAILS;
}

/* ---- Changes ---- */

typedef struct shown {
    aw_case *e;
    ct_facts *facts; /* of a change */
} shown;

static const ct_value *new_value(const shown *s, uint32_t fact)
{
    return ct_facts_value(s->facts, fact);
}

static bool read_change(shown *s, const an_change *c)
{
    ct_fault fault;
    return ct_facts_read(s->facts, c->facts, &s->e->contract->limits, false, &fault) ==
           MT_OK;
}

static void change_text(mt_buf *out, shown *s, const an_change *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const ct_fact *f = &s->e->model->facts[c->changed[i]];
        mt_buf_addf(out, "  %s%.*s were ", i ? "and " : "", MT_ARG(f->id));
        ct_value_text(out, f->type, new_value(s, c->changed[i]));
        mt_buf_addz(out, " (now ");
        ct_value_text(out, f->type,
                      ct_facts_value(s->e->frozen.snapshot.facts, c->changed[i]));
        mt_buf_addz(out, ")\n");
    }
}

static void changes_text(mt_buf *out, shown *s, const aw_subject *what,
                         const an_changes *c)
{
    subject_text(out, s->e, what, false);
    if (c->possible == AN_NEVER) {
        mt_buf_addz(out, ", and no change of facts helps: proven\n");
        return;
    }
    if (!c->count) {
        mt_buf_addf(out, "; what would have to change is not known: %.*s\n",
                    MT_ARG(c->reason));
        return;
    }
    mt_buf_addz(out, "; it would if\n");
    for (uint32_t i = 0; i < c->count; i++) {
        mt_buf_addz(out, i ? "or if\n" : "");
        if (read_change(s, &c->items[i])) {
            change_text(out, s, &c->items[i]);
        }
    }
    if (!c->smallest) {
        mt_buf_addz(out, "whether fewer facts would do was not decided\n");
    }
}

static void value_json(mt_jw *w, const ct_type *type, const ct_value *value)
{
    mt_buf b = {0};
    ct_value_plain(&b, type, value);
    mt_jw_raw(w, mt_buf_str(&b));
    mt_buf_free(&b);
}

static void change_json(mt_jw *w, shown *s, const an_change *c)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "changed");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < c->count; i++) {
        const ct_fact *f = &s->e->model->facts[c->changed[i]];
        mt_jw_key(w, f->id);
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "from");
        value_json(w, f->type,
                   ct_facts_value(s->e->frozen.snapshot.facts, c->changed[i]));
        mt_jw_keyz(w, "to");
        value_json(w, f->type, new_value(s, c->changed[i]));
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "facts");
    mt_jw_raw(w, c->facts);
    mt_jw_end_object(w);
}

static void changes_json(mt_buf *out, shown *s, const aw_subject *what,
                         const an_changes *c)
{
    static const char *const POSSIBLE[] = {
        [AN_NEVER] = "never", [AN_POSSIBLE] = "possible", [AN_UNKNOWN] = "unknown"};
    MT_TABLE_COVERS(POSSIBLE, AN_UNKNOWN + 1);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "changes");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < c->count; i++) {
        if (read_change(s, &c->items[i])) {
            change_json(&w, s, &c->items[i]);
        }
    }
    mt_jw_end_array(&w);
    subject_json(&w, s->e, what);
    if (c->reason.len) {
        mt_jw_key_str(&w, "reason", c->reason);
    }
    mt_jw_key_str(&w, "result", mt_str_z(POSSIBLE[c->possible]));
    mt_jw_key_bool(&w, "smallest", c->count && c->smallest);
    verdict_json(&w, s->e, what);
    mt_jw_end_object(&w);
}

/* What holds already needs no change, which is said as such. */
static int nothing_to_change(mt_buf *out, aw_case *e, const aw_subject *what, bool json)
{
    if (json) {
        mt_jw w = mt_jw_start(out, false);
        mt_jw_begin_object(&w);
        mt_jw_keyz(&w, "changes");
        mt_jw_begin_array(&w);
        mt_jw_end_array(&w);
        subject_json(&w, e, what);
        mt_jw_key_str(&w, "result", MT_STR("holds"));
        verdict_json(&w, e, what);
        mt_jw_end_object(&w);
    } else {
        subject_text(out, e, what, true);
        mt_buf_addz(out, ": nothing has to change\n");
    }
    return AW_HOLDS;
}

int aw_explain_change(aw_case *e, const aw_subject *what, bool json, aw_reply *reply)
{
    mt_buf *out = &reply->text;
    ct_fault fault = {0};
    bool holds = false;
    mt_arena *a = &e->contract->arena;
    const ct_expr *condition = condition_of(e, what);
    /* A condition that ends in an error does not hold either. */
    if (!ct_holds_expr(&e->frozen.snapshot, condition, &holds, a, NULL, &fault) &&
        holds) {
        return nothing_to_change(out, e, what, json);
    }
    an_prover *p = an_prover_new(e->plan->program, NULL, &e->contract->limits);
    an_changes c = an_changes_for(p, a, &e->frozen.snapshot, condition);
    /* Facts of their own: the snapshot's must stay as they are, they are told
     * beside. */
    shown s = {e, ct_facts_new(e->model)};
    if (json) {
        changes_json(out, &s, what, &c);
    } else {
        changes_text(out, &s, what, &c);
    }
    ct_facts_free(s.facts);
    an_prover_free(p);
    return c.count ? AW_HOLDS : AW_FAILS;
}
