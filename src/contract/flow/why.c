/* contract/flow/why.c - reasons by walking the predicate.
 *
 * Answers which parts of a predicate decided its value: the smallest set (ct_why()),
 * or all of them (ct_why_all()). `and` that is false needs one false part, `or` that
 * is false needs all of them; where one is enough, the smaller set of reasons wins,
 * the left one of equals.
 *
 * Parts are asked with ct_holds_expr(), so each is judged as the evaluator judges it;
 * where facts are unknown, with ct_partial_predicate(). An element of a list is asked
 * about by putting `list[i]` in place of the variable, and the reason then names the
 * element, or that there is one.
 *
 * Invariants: parts that the evaluator would not have reached are not reasons, even if
 * they would hold; a part that may fail and comes before what decides is a reason,
 * since it must not fail; a quantifier over more than MAX_ELEMENTS elements, with
 * another inside, or with a body that may fail, is one atom. What may fail: a part
 * whose evaluation fails; then there are no reasons and *fault is that of the part.
 * Depth is bounded by the loader's limit. */
#include "contract/flow/why.h"

#include "contract/eval/facts.h"
#include "contract/reduce/expr.h"
#include "contract/reduce/may_fail.h"

enum { MAX_ELEMENTS = 256 }; /* of a quantifier; a longer list is one atom */

typedef struct why {
    mt_arena *a;
    const ct_snapshot *s;
    ct_partial *x; /* facts are unknown: it is asked instead of the snapshot; or NULL */
    bool all;      /* every reason, not the smallest set */
    ct_fault *fault;
} why;

typedef struct finding {
    mt_err err;
    bool open;  /* what is unknown decides */
    bool value; /* of the part, unless it is open */
    ct_reasons reasons;
} finding;

static finding ask(const why *w, const ct_expr *e);

static finding failed(mt_err err)
{
    return (finding){.err = err};
}

typedef struct reading {
    mt_arena *a;
    MT_VEC(uint32_t) facts, verdicts;
} reading;

static void note(reading *r, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_FACT) {
        mt_vec_push(r->a, &r->facts, e->index);
    } else if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        mt_vec_push(r->a, &r->verdicts, e->index);
    }
    note(r, e->left);
    note(r, e->right);
}

/* Nobody runs what is partly unknown, so all that it could read counts. */
static ct_used could_read(const why *w, const ct_expr *e)
{
    reading r = {.a = w->a};
    note(&r, e);
    return (ct_used){r.facts.items, r.verdicts.items, (uint32_t)r.facts.len,
                     (uint32_t)r.verdicts.len};
}

static mt_err ask_atom(const why *w, const ct_expr *e, ct_reason *r, bool *open)
{
    *open = false;
    if (!w->x) {
        return ct_holds_expr(w->s, e, &r->value, w->a, &r->used, w->fault);
    }
    ct_left left = ct_partial_predicate(w->x, e, w->fault);
    *open = left.state == CT_PARTLY_OPEN;
    r->value = left.state == CT_PARTLY_PRESENT;
    r->used = could_read(w, e);
    return left.state == CT_PARTLY_FAILS ? MT_E_TYPE : MT_OK;
}

/* A comparison, a verdict, a Bool: nothing to look into. */
static finding atom(const why *w, const ct_expr *e)
{
    finding f = {0};
    ct_reason r = {.atom = e};
    f.err = ask_atom(w, e, &r, &f.open);
    if (!f.err && !f.open) {
        f.value = r.value;
        mt_vec_push(w->a, &f.reasons, r);
    }
    return f;
}

static bool same_atom(const ct_reason *x, const ct_reason *y)
{
    return ct_expr_same(x->atom, y->atom);
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

/* Some part is open, and so is the whole, unless it comes to the same however that
 * part comes out. */
static finding open_whole(const why *w, const ct_expr *e)
{
    return w->x ? atom(w, e) : (finding){.open = true};
}

/* The left part decides, and so does the right one if it does: then either is enough,
 * but the left one must not fail. */
static finding left_decides(const why *w, const ct_expr *e, finding l)
{
    ct_fault kept = *w->fault;
    finding r = ask(w, e->right);
    *w->fault = kept;
    bool either =
        !r.err && !r.open && r.value == l.value && (w->all || !ct_may_fail(e->left));
    if (either) {
        l.reasons = combine(w, &l, &r, false);
    }
    return l;
}

/* `and` is decided by a false part, `or` by a true one. What comes after the deciding
 * part was never asked by the evaluator and may have no value: then it is not a reason.
 */
static finding connective(const why *w, const ct_expr *e)
{
    bool decides = e->op == CT_OR, guards = ct_may_fail(e->left) && !w->all;
    finding l = ask(w, e->left);
    if (l.err) {
        return l;
    }
    if (!l.open && l.value == decides) {
        return left_decides(w, e, l);
    }
    ct_fault kept = *w->fault;
    finding r = ask(w, e->right);
    if (l.open) {
        *w->fault = kept;
        bool enough = !r.err && !r.open && r.value == decides && !guards;
        return enough ? r : open_whole(w, e);
    }
    if (r.err || r.open) {
        return r.err ? r : open_whole(w, e);
    }
    if (r.value != decides || guards) {
        r.reasons = combine(w, &l, &r, true);
    }
    return r;
}

static finding negation(const why *w, const ct_expr *e)
{
    finding f = ask(w, e->left);
    f.value = !f.value;
    if (f.open) {
        return open_whole(w, e);
    }
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
        return w->x && ct_partial_unknown(w->x, e->index)
                   ? NULL
                   : ct_facts_value(w->s->facts, e->index);
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

/* Does the expression hold this part, as it is? */
static bool holds_part(const ct_expr *e, const ct_expr *part)
{
    return e && (ct_expr_same(e, part) || holds_part(e->left, part) ||
                 holds_part(e->right, part));
}

/* Inner quantifiers count their depth from the outside; taking one layer away moves
 * them, so only a body without its own quantifier is looked into. */
static bool has_quantifier(const ct_expr *e)
{
    return e && (e->op == CT_FORALL || e->op == CT_EXISTS || has_quantifier(e->left) ||
                 has_quantifier(e->right));
}

/* A comparison that reads an absent verdict is false, whatever else it reads. */
static bool reads_payload(const ct_expr *e)
{
    return e &&
           (e->op == CT_PAYLOAD || reads_payload(e->left) || reads_payload(e->right));
}

/* Does an atom of the reason speak of the element, so that its value says that the
 * element is there? */
static bool names(const ct_reasons *reasons, const ct_expr *element)
{
    for (size_t i = 0; i < reasons->len; i++) {
        const ct_expr *atom = reasons->items[i].atom;
        if (holds_part(atom, element) && !reads_payload(atom)) {
            return true;
        }
    }
    return false;
}

/* That the list has so many elements is part of the reason (FE12). */
static finding with_length(const why *w, const ct_expr *list, uint32_t i, finding f)
{
    finding length = atom(w, ct_expr_length(w->a, list, CT_GT, i));
    ct_reasons sum = {0};
    add_reasons(w, &sum, &length.reasons);
    add_reasons(w, &sum, &f.reasons);
    f.reasons = sum;
    return f;
}

/* The element decides, says the body with `list[i]` in the variable's place. */
static bool element_decides(const why *w, const ct_expr *e, uint32_t i, finding *out)
{
    const ct_expr *element = ct_expr_element(w->a, e->left, i);
    *out = ask(w, put_in(w, e->right, e->index, element));
    if (out->err || out->open || out->value != (e->op == CT_EXISTS)) {
        return false;
    }
    if (!names(&out->reasons, element)) {
        *out = with_length(w, e->left, i, *out);
    }
    return true;
}

/* A false `forall` or a true `exists` is decided by one element: the one with the
 * smallest reason. The other way round it takes all, so the quantifier is the atom. */
static finding quantifier(const why *w, const ct_expr *e)
{
    finding whole = atom(w, e);
    const ct_value *list = slots(w, e->left);
    if (whole.err || whole.open || whole.value != (e->op == CT_EXISTS) || !list ||
        list->list.count > MAX_ELEMENTS || has_quantifier(e->right) ||
        ct_may_fail(e->right)) {
        return whole;
    }
    finding best = whole;
    bool found = false;
    for (uint32_t i = 0; i < list->list.count; i++) {
        finding f;
        if (!element_decides(w, e, i, &f)) {
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
    case CT_MAKE:
    case CT_PARTS:
    case CT_FIT:
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
    return answer(&(why){.a = a, .s = s, .fault = fault}, predicate, value, out);
}

mt_err ct_why_all(mt_arena *a, const ct_snapshot *s, const ct_expr *predicate,
                  bool *value, ct_reasons *out, ct_fault *fault)
{
    *fault = (ct_fault){0};
    return answer(&(why){.a = a, .s = s, .all = true, .fault = fault}, predicate, value,
                  out);
}

mt_err ct_why_partly(mt_arena *a, ct_partial *x, const ct_expr *predicate,
                     ct_partly *state, ct_reasons *out, ct_fault *fault)
{
    *fault = (ct_fault){0};
    ct_snapshot s = {.facts = ct_partial_facts(x)};
    finding f = ask(&(why){.a = a, .s = &s, .x = x, .fault = fault}, predicate);
    *out = f.open ? (ct_reasons){0} : f.reasons;
    *state = f.err     ? CT_PARTLY_FAILS
             : f.open  ? CT_PARTLY_OPEN
             : f.value ? CT_PARTLY_PRESENT
                       : CT_PARTLY_ABSENT;
    return f.err;
}

/* ---- Roots ---- */

typedef struct roots {
    mt_arena *a;
    const ct_snapshot *s;
    bool *seen_facts, *seen_rules;
    MT_VEC(uint32_t) facts;
} roots;

/* Recursion goes from verdicts to those they read, whose strata fall (§7.3). */
static void dig(roots *r, const ct_used *used)
{
    const ct_model *m = ct_program_model(r->s->program);
    for (uint32_t i = 0; i < used->fact_count; i++) {
        if (!r->seen_facts[used->facts[i]]) {
            r->seen_facts[used->facts[i]] = true;
            mt_vec_push(r->a, &r->facts, used->facts[i]);
        }
    }
    for (uint32_t i = 0; i < used->verdict_count; i++) {
        uint32_t rule = used->verdicts[i];
        ct_reasons reasons = {0};
        ct_fault fault;
        bool value;
        if (r->seen_rules[rule] ||
            ct_why(r->a, r->s, m->rules[rule].when, &value, &reasons, &fault)) {
            continue;
        }
        r->seen_rules[rule] = true;
        for (size_t k = 0; k < reasons.len; k++) {
            dig(r, &reasons.items[k].used);
        }
    }
}

uint32_t *ct_why_roots(mt_arena *a, const ct_snapshot *s, const ct_used *used,
                       uint32_t *count)
{
    const ct_model *m = ct_program_model(s->program);
    roots r = {.a = a,
               .s = s,
               .seen_facts = mt_new_array(a, bool, m->fact_count + 1),
               .seen_rules = mt_new_array(a, bool, m->rule_count + 1)};
    dig(&r, used);
    *count = (uint32_t)r.facts.len;
    return r.facts.items;
}
