/* contract/flow/why.c - reasons by walking the predicate.
 *
 * Answers which parts of a predicate decided its value: the smallest set (ct_why()),
 * or all of them (ct_why_all()). `and` that is false needs one false part, `or` that
 * is false needs all of them; where one is enough, the smaller set of reasons wins,
 * the left one of equals.
 *
 * Parts are asked with ct_holds_expr(), so each is judged as the evaluator judges it.
 * An element of a list is asked about by putting `list[i]` in place of the variable,
 * and the reason then names the element.
 *
 * Invariants: parts that the evaluator would not have reached are not reasons, even if
 * they would hold; a quantifier over more than MAX_ELEMENTS elements, or with another
 * inside, is one atom. What may fail: a part whose evaluation fails; then there are no
 * reasons and *fault is that of the part. Depth is bounded by the loader's limit. */
#include "contract/flow/why.h"

#include "contract/eval/facts.h"

enum { MAX_ELEMENTS = 256 }; /* of a quantifier; a longer list is one atom */

typedef struct why {
    mt_arena *a;
    const ct_snapshot *s;
    bool all; /* every reason, not the smallest set */
    ct_fault *fault;
} why;

typedef struct finding {
    mt_err err;
    bool value; /* of the part */
    ct_reasons reasons;
} finding;

static finding ask(const why *w, const ct_expr *e);

static finding failed(mt_err err)
{
    return (finding){.err = err};
}

/* A comparison, a verdict, a Bool: nothing to look into. */
static finding atom(const why *w, const ct_expr *e)
{
    finding f = {0};
    ct_reason r = {.atom = e};
    f.err = ct_holds_expr(w->s, e, &r.value, w->a, &r.used, w->fault);
    if (!f.err) {
        f.value = r.value;
        mt_vec_push(w->a, &f.reasons, r);
    }
    return f;
}

static bool same_atom(const ct_reason *x, const ct_reason *y)
{
    const ct_expr *a = x->atom, *b = y->atom;
    return a == b ||
           (a->op == CT_PRESENT && b->op == CT_PRESENT && a->index == b->index);
}

static void add_reasons(const why *w, ct_reasons *to, const ct_reasons *from)
{
    for (size_t i = 0; i < from->len; i++) {
        bool seen = false;
        for (size_t j = 0; j < to->len && !seen; j++) {
            seen = same_atom(&to->items[j], &from->items[i]);
        }
        if (!seen) {
            mt_vec_push(w->a, to, from->items[i]);
        }
    }
}

/* Both parts are needed, or either is enough. */
static ct_reasons combine(const why *w, const finding *l, const finding *r, bool both)
{
    if (both || w->all) {
        ct_reasons sum = {0};
        add_reasons(w, &sum, &l->reasons);
        add_reasons(w, &sum, &r->reasons);
        return sum;
    }
    return r->reasons.len < l->reasons.len ? r->reasons : l->reasons;
}

/* `and` is decided by a false part, `or` by a true one. What comes after the deciding
 * part was never asked by the evaluator and may have no value: then it is not a reason.
 */
static finding connective(const why *w, const ct_expr *e)
{
    bool decides = e->op == CT_OR;
    finding l = ask(w, e->left);
    if (l.err) {
        return l;
    }
    ct_fault kept = *w->fault;
    finding r = ask(w, e->right);
    if (l.value == decides) {
        *w->fault = kept;
        if (!r.err && r.value == decides) {
            l.reasons = combine(w, &l, &r, false);
        }
        return l;
    }
    if (r.err || r.value == decides) {
        return r;
    }
    r.reasons = combine(w, &l, &r, true);
    return r;
}

static finding negation(const why *w, const ct_expr *e)
{
    finding f = ask(w, e->left);
    f.value = !f.value;
    if (!f.err && f.reasons.len == 1 && f.reasons.items[0].atom == e->left) {
        return atom(w, e); /* "not x" reads better than "x" */
    }
    return f;
}

/* ---- quantifiers ---- */

/* The slots of a list that stands outside any quantifier, or NULL. */
static const ct_value *slots(const why *w, const ct_expr *e)
{
    if (e->op == CT_FACT) {
        return ct_facts_value(w->s->facts, e->index);
    }
    if (e->op == CT_FIELD && ct_held(e->left->type) == LN_RECORD) {
        const ct_value *record = slots(w, e->left);
        return record ? record + e->left->type->as.fields[e->index].offset : NULL;
    }
    if (e->op == CT_INDEX && e->right->op == CT_LITERAL) {
        const ct_value *list = slots(w, e->left);
        int64_t i = e->right->value->integer;
        if (list && i >= 0 && i < list->list.count) {
            return list->list.items + (size_t)i * e->type->slots;
        }
    }
    return NULL;
}

/* A copy of the expression; what does not hold the variable is shared. */
static const ct_expr *put_in(const why *w, const ct_expr *e, uint32_t depth,
                             const ct_expr *element)
{
    if (!e || (e->op != CT_VARIABLE && !e->left)) {
        return e;
    }
    if (e->op == CT_VARIABLE) {
        return e->index == depth ? element : e;
    }
    const ct_expr *left = put_in(w, e->left, depth, element);
    const ct_expr *right = put_in(w, e->right, depth, element);
    if (left == e->left && right == e->right) {
        return e;
    }
    ct_expr *copy = mt_new(w->a, ct_expr);
    *copy = *e;
    copy->left = left;
    copy->right = right;
    return copy;
}

/* `list[i]` with a literal index: the evaluator reads it like one that was written. */
static const ct_expr *element_of(const why *w, const ct_expr *list, uint32_t i)
{
    ct_value *number = mt_new(w->a, ct_value);
    number->integer = i;
    ct_type *type = mt_new(w->a, ct_type);
    *type = ct_int_type(i, i);
    ct_expr *literal = mt_new(w->a, ct_expr);
    *literal = (ct_expr){.op = CT_LITERAL, .type = type, .value = number};
    ct_expr *index = mt_new(w->a, ct_expr);
    *index = (ct_expr){.op = CT_INDEX,
                       .type = list->type->as.list.element,
                       .left = list,
                       .right = literal};
    return index;
}

/* Inner quantifiers count their depth from the outside; taking one layer away moves
 * them, so only a body without its own quantifier is looked into. */
static bool has_quantifier(const ct_expr *e)
{
    return e && (e->op == CT_FORALL || e->op == CT_EXISTS || has_quantifier(e->left) ||
                 has_quantifier(e->right));
}

/* A false `forall` or a true `exists` is decided by one element: the one with the
 * smallest reason. The other way round it takes all, so the quantifier is the atom. */
static finding quantifier(const why *w, const ct_expr *e)
{
    finding whole = atom(w, e);
    bool decides = e->op == CT_EXISTS;
    const ct_value *list = slots(w, e->left);
    if (whole.err || whole.value != decides || !list ||
        list->list.count > MAX_ELEMENTS || has_quantifier(e->right)) {
        return whole;
    }
    finding best = whole;
    bool found = false;
    for (uint32_t i = 0; i < list->list.count; i++) {
        const ct_expr *element = element_of(w, e->left, i);
        finding f = ask(w, put_in(w, e->right, e->index, element));
        if (f.err || f.value != decides) {
            continue;
        }
        if (w->all && found) {
            add_reasons(w, &best.reasons, &f.reasons);
        } else if (!found || f.reasons.len < best.reasons.len) {
            best = f;
        }
        found = true;
    }
    return best;
}

/* Whatever is not a connective or a quantifier is an atom. */
static finding ask(const why *w, const ct_expr *e)
{
    switch ((ct_op)e->op) {
    case CT_AND:
    case CT_OR: return connective(w, e);
    case CT_NOT: return negation(w, e);
    case CT_FORALL:
    case CT_EXISTS: return quantifier(w, e);
    case CT_LITERAL:
    case CT_FACT:
    case CT_VARIABLE:
    case CT_PAYLOAD:
    case CT_FIELD:
    case CT_VARIANT:
    case CT_TAG:
    case CT_AMOUNT:
    case CT_LEN:
    case CT_INDEX:
    case CT_ADD:
    case CT_SUB:
    case CT_MUL:
    case CT_COMPARE:
    case CT_PRESENT: return atom(w, e);
    }
    return failed(MT_E_TYPE);
}

static mt_err answer(const why *w, const ct_expr *predicate, bool *value,
                     ct_reasons *out)
{
    finding f = ask(w, predicate);
    *value = f.value;
    *out = f.reasons;
    return f.err;
}

mt_err ct_why(mt_arena *a, const ct_snapshot *s, const ct_expr *predicate, bool *value,
              ct_reasons *out, ct_fault *fault)
{
    *fault = (ct_fault){0};
    return answer(&(why){a, s, false, fault}, predicate, value, out);
}

mt_err ct_why_all(mt_arena *a, const ct_snapshot *s, const ct_expr *predicate,
                  bool *value, ct_reasons *out, ct_fault *fault)
{
    *fault = (ct_fault){0};
    return answer(&(why){a, s, true, fault}, predicate, value, out);
}
