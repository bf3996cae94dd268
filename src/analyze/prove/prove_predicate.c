/* analyze/prove/prove_predicate.c - predicates and rules as formulas.
 *
 * Every predicate becomes two formulas: where it is true, and where its evaluation
 * faults. `and`, `or` and quantifiers go left to right and stop early: a fault counts
 * only where the evaluator would come to it. An absent verdict makes a comparison
 * false, and is a fault in a payload.
 *
 * Only rules that the question needs are translated, and those that may fault, since a
 * fault anywhere leaves no verdict at all. Rules are taken in their order, so a chain
 * of verdicts costs no depth. Recursion follows expressions, whose depth the loader
 * has bounded. Quantifiers are written out element by element; `prove_unfold` bounds
 * how many bodies that makes (`too_large`). */
#include "analyze/prove/prove_internal.h"

/* ---- Which rules are needed ---- */

static void mark(pv_side *side, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        side->rules[e->index].needed = true;
    }
    mark(side, e->left);
    mark(side, e->right);
}

void pv_need(pv_side *side, const ct_expr *e)
{
    mark(side, e);
}

/* A rule reads only rules before it. */
void pv_need_all(pv_side *side)
{
    for (uint32_t i = side->model->rule_count; i-- > 0;) {
        side->rules[i].needed |= side->may_fault[i];
        if (side->rules[i].needed) {
            mark(side, side->model->rules[i].when);
            mark(side, side->model->rules[i].payload);
        }
    }
}

/* A fault of a rule counts only where none before it has faulted: the evaluation is
 * over then. A payload faults only where the condition holds. */
void pv_translate_rules(an_prover *p, pv_side *side)
{
    side->err = p->no;
    for (uint32_t i = 0; i < side->model->rule_count; i++) {
        const ct_rule *r = &side->model->rules[i];
        pv_rule *out = &side->rules[i];
        if (!out->needed) {
            continue;
        }
        pv_pred when = pv_translate(p, side, r->when);
        pv_term payload = pv_translate_payload(p, side, r);
        out->present = when.v;
        out->payload = payload.s;
        out->done = true;
        Z3_ast err = pv_or(p, when.err, pv_and(p, when.v, payload.err));
        out->err = pv_and(p, pv_not(p, side->err), err);
        side->err = pv_or(p, side->err, err);
    }
}

/* ---- Comparisons ---- */

static Z3_ast order(an_prover *p, ct_compare op, Z3_ast x, Z3_ast y)
{
    switch (op) {
    case CT_EQ: return pv_eq(p, x, y);
    case CT_NE: return pv_not(p, pv_eq(p, x, y));
    case CT_LT: return pv_lt(p, x, y);
    case CT_LE: return pv_le(p, x, y);
    case CT_GT: return pv_lt(p, y, x);
    case CT_GE: return pv_le(p, y, x);
    }
    MT_BUG("unknown comparison");
}

/* Durations are compared in seconds, decimals at the larger of both scales. */
static Z3_ast compare(an_prover *p, ct_compare op, const pv_sym *a, const pv_sym *b)
{
    Z3_ast x, y;
    if (op == CT_EQ || op == CT_NE) {
        Z3_ast eq = pv_sym_eq(p, a, b);
        return op == CT_EQ ? eq : pv_not(p, eq);
    }
    if (ct_has(a->type, LN_UNIT)) {
        x = pv_mul(p, a->v, pv_int(p, CT_UNIT_SECONDS[a->type->unit]));
        y = pv_mul(p, b->v, pv_int(p, CT_UNIT_SECONDS[b->type->unit]));
    } else {
        pv_align(p, a, b, &x, &y);
    }
    return order(p, op, x, y);
}

/* An absent verdict makes the comparison false. */
static pv_pred ended(an_prover *p, Z3_ast v, Z3_ast err, Z3_ast gone)
{
    return (pv_pred){pv_and(p, pv_not(p, gone), v), err};
}

/* The right side is only come to where the left one has a value. */
static pv_pred comparison(an_prover *p, pv_side *side, const ct_expr *e)
{
    pv_term a = pv_translate_term(p, side, e->left);
    pv_term b = pv_translate_term(p, side, e->right);
    Z3_ast on = pv_not(p, pv_or(p, a.err, a.gone));
    Z3_ast err = pv_or(p, a.err, pv_and(p, on, b.err));
    Z3_ast gone = pv_or(p, a.gone, pv_and(p, on, b.gone));
    return ended(p, compare(p, (ct_compare)e->compare, a.s, b.s), err, gone);
}

/* ---- Quantifiers ---- */

/* The element is the innermost variable while the body is translated. */
static pv_pred body_for(an_prover *p, pv_side *side, const ct_expr *e, pv_sym *element)
{
    mt_vec_push(&p->tmp, &p->variables, element);
    pv_pred body = pv_translate(p, side, e->right);
    p->variables.len--;
    return body;
}

/* Not looked into: all that is known is that equal ones are equal. */
static pv_pred closed_quantifier(an_prover *p, pv_side *side, const ct_expr *e,
                                 const pv_sym *list)
{
    mt_str name = mt_strf(&p->tmp, "%.*s[*%u]", MT_ARG(list->name), e->index);
    const ct_type *element = list->type->as.list.element;
    pv_pred body = body_for(p, side, e, pv_free_sym(p, element, name, name));
    const char *what = e->op == CT_FORALL ? "all" : "some";
    Z3_ast v = pv_opaque(p, p->bool_sort,
                         mt_strf(&p->tmp, "%s %.*s", what, MT_ARG(list->name)).ptr,
                         body.v, body.err);
    Z3_ast empty = pv_eq(p, list->v, pv_int(p, 0));
    Z3_ast none = e->op == CT_FORALL ? p->yes : p->no;
    pv_pred out = {pv_if(p, empty, none, v), p->no};
    if (body.err != p->no) {
        Z3_ast err = pv_opaque(p, p->bool_sort, "body", v, body.err);
        out.err = pv_and(p, pv_not(p, empty), err);
    }
    return out;
}

/* Element after element, as the evaluator does: one behind the list's end does not
 * count, and one behind the element that decides is not come to. */
static pv_pred open_quantifier(an_prover *p, pv_side *side, const ct_expr *e,
                               const pv_sym *list)
{
    bool all = e->op == CT_FORALL;
    Z3_ast undecided = p->yes, err = p->no;
    for (uint32_t i = 0; i < list->count && !p->too_large; i++) {
        p->too_large |= ++p->unfolded > p->limits.prove_unfold;
        pv_pred body = body_for(p, side, e, list->parts[i]);
        Z3_ast in = pv_lt(p, pv_int(p, i), list->v);
        Z3_ast decides = all ? pv_not(p, body.v) : body.v;
        err = pv_or(p, err, pv_and(p, pv_and(p, in, undecided), body.err));
        undecided = pv_and(p, undecided, pv_not(p, pv_and(p, in, decides)));
    }
    return (pv_pred){all ? undecided : pv_not(p, undecided), err};
}

static pv_pred quantifier(an_prover *p, pv_side *side, const ct_expr *e)
{
    pv_term list = pv_translate_term(p, side, e->left);
    pv_pred q = list.s->opaque ? closed_quantifier(p, side, e, list.s)
                               : open_quantifier(p, side, e, list.s);
    Z3_ast on = pv_not(p, pv_or(p, list.err, list.gone));
    return ended(p, q.v, pv_or(p, list.err, pv_and(p, on, q.err)), list.gone);
}

/* ---- Predicates ---- */

/* The right side's fault counts only where the left side has not decided. */
static pv_pred junction(an_prover *p, pv_side *side, const ct_expr *e)
{
    bool both = e->op == CT_AND;
    pv_pred a = pv_translate(p, side, e->left);
    pv_pred b = pv_translate(p, side, e->right);
    Z3_ast on = both ? a.v : pv_not(p, a.v);
    return (pv_pred){both ? pv_and(p, a.v, b.v) : pv_or(p, a.v, b.v),
                     pv_or(p, a.err, pv_and(p, on, b.err))};
}

pv_pred pv_translate(an_prover *p, pv_side *side, const ct_expr *e)
{
    pv_pred a;
    pv_term t;
    if (p->broken || p->too_large) {
        return (pv_pred){p->no, p->no}; /* the question is over */
    }
    switch ((ct_op)e->op) {
    case CT_COMPARE: return comparison(p, side, e);
    case CT_PRESENT: return (pv_pred){side->rules[e->index].present, p->no};
    case CT_AND:
    case CT_OR: return junction(p, side, e);
    case CT_NOT:
        a = pv_translate(p, side, e->left);
        return (pv_pred){pv_not(p, a.v), a.err};
    case CT_FORALL:
    case CT_EXISTS: return quantifier(p, side, e);
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
    case CT_MAKE:
    case CT_PARTS:
    case CT_FIT: break;
    }
    t = pv_translate_term(p, side, e);
    return ended(p, t.s->v, t.err, t.gone);
}
