/* analyze/prove/prove_term.c - terms as formulas, arithmetic as the evaluator does it.
 *
 * A term has a value, where it faults, and where it is gone (the payload of an absent
 * verdict). Whole numbers must stay in the range of their type; ranges of the operands
 * often prove that they do, and then no fault is written. Sums and products of
 * decimals are rounded to the scale of their type and have at most 28 digits; a product
 * of two variables with more is left open.
 *
 * An element at a computed position is chosen among those that are written out; beyond
 * them it is some value, the same for the same place. Recursion follows expressions,
 * whose depth the loader has bounded. */
#include "analyze/prove/prove_internal.h"
#include "base/utf8.h"

__extension__ typedef __int128 wide;

static pv_term plain(const an_prover *p, pv_sym *s)
{
    return (pv_term){s, p->no, p->no};
}

/* `then` runs after `first` unless that was ended. */
static pv_term after(an_prover *p, pv_term first, pv_term then)
{
    Z3_ast on = pv_not(p, pv_or(p, first.err, first.gone));
    then.err = pv_or(p, first.err, pv_and(p, on, then.err));
    then.gone = pv_or(p, first.gone, pv_and(p, on, then.gone));
    return then;
}

/* Whole, since results are in the smaller unit (§4.2). */
static wide unit_factor(const ct_type *of, const ct_type *in)
{
    return CT_UNIT_SECONDS[of->unit] / CT_UNIT_SECONDS[in->unit];
}

/* ---- Results in their bounds ---- */

/* §13.3: outside of the range the evaluator faults and does not wrap. */
static pv_term in_range(an_prover *p, const ct_type *t, Z3_ast v, bool safe)
{
    pv_term out = plain(p, pv_scalar(p, t, v));
    if (!safe) {
        out.err = pv_not(p, pv_between(p, v, pv_int(p, t->as.range.min),
                                       pv_int(p, t->as.range.max)));
    }
    return out;
}

/* Rounded to the type's scale; too many digits before the point are a fault. */
static pv_term in_decimal(an_prover *p, const ct_type *t, pv_sym *s)
{
    unsigned scale = t->as.decimal.scale;
    pv_sym *r = s;
    if (s->scale > scale) {
        unsigned dropped = s->scale - scale;
        unsigned left = s->digits > dropped ? s->digits - dropped : 0;
        r = pv_number(p, t, pv_round(p, s->v, dropped), scale, left + 1);
    } else {
        r = pv_number(p, t, s->v, s->scale, s->digits);
    }
    pv_term out = plain(p, r);
    int64_t digits =
        (int64_t)t->as.decimal.precision - t->as.decimal.scale + (int64_t)r->scale;
    if (digits <= 0) {
        out.err = pv_not(p, pv_eq(p, r->v, pv_int(p, 0)));
    } else if (digits <= 38 && (int64_t)r->digits > digits) {
        out.err = pv_not(p, pv_within(p, r->v, pv_power(p, (unsigned)digits)));
    }
    return out;
}

/* Some decimal that fits, or a fault, the same for the same exact value: weaker than
 * what the evaluator does, so "never" stays true and "possible" is confirmed by
 * evaluation. */
static pv_term any_decimal(an_prover *p, pv_sym *exact)
{
    Z3_ast scale = pv_int(p, exact->scale);
    Z3_ast v = pv_opaque(p, p->int_sort, "value", exact->v, scale);
    pv_sym *s = pv_number(p, exact->type, v, MT_DECIMAL_MAX_SCALE, 57);
    mt_vec_push(&p->tmp, &p->bounds,
                pv_within(p, s->v, pv_word(p, MT_DECIMAL_MAX_SCALE)));
    return (pv_term){s, pv_opaque(p, p->bool_sort, "fault", exact->v, scale), p->no};
}

static pv_term either(an_prover *p, Z3_ast c, pv_term a, pv_term b)
{
    return (pv_term){pv_sym_if(p, c, a.s, b.s), pv_if(p, c, a.err, b.err), p->no};
}

/* A product of two variables: exact where it has at most 28 digits, rounded to them
 * otherwise. */
static pv_term in_word(an_prover *p, pv_sym *exact)
{
    if (exact->scale > MT_DECIMAL_MAX_SCALE) {
        return any_decimal(p, exact);
    }
    if (exact->digits <= MT_DECIMAL_DIGITS) {
        return plain(p, exact);
    }
    return either(p, pv_within(p, exact->v, pv_word(p, 0)), plain(p, exact),
                  any_decimal(p, exact));
}

/* A value of more than 28 digits is a fault (§13.6). Zeros at its end do not count; how
 * many there are is left open, so between 28 digits and what no zeros could mend the
 * fault is possible and not certain. Where digits prove that it fits, the formula has
 * no case at all, which is most of them. */
static pv_term bounded(an_prover *p, pv_sym *s)
{
    pv_term out = plain(p, s);
    if (s->digits <= MT_DECIMAL_DIGITS) {
        return out;
    }
    Z3_ast fits = pv_within(p, s->v, pv_word(p, 0));
    Z3_ast far = pv_not(p, pv_within(p, s->v, pv_word(p, s->scale)));
    Z3_ast err = pv_opaque(p, p->bool_sort, "digits", s->v, pv_int(p, s->scale));
    out.err =
        s->scale ? pv_and(p, pv_not(p, fits), pv_or(p, far, err)) : pv_not(p, fits);
    return out;
}

/* ---- Arithmetic ---- */

/* Scaling up appends zeros, each a digit. */
static unsigned digits_at(const pv_sym *s, unsigned scale)
{
    return s->digits + scale - s->scale;
}

/* An Int as a Decimal without fraction. */
static const pv_sym *as_decimal(an_prover *p, const pv_sym *s)
{
    return ct_is_int(s->type) ? pv_number(p, &CT_TYPE_ANY_DECIMAL, s->v, 0, 19) : s;
}

/* Decimals are integers of scaled digits, so sums are aligned first and products add
 * their scales. */
static pv_sym *exact_decimal(an_prover *p, const ct_expr *e, const pv_sym *a,
                             const pv_sym *b)
{
    if (e->op == CT_MUL) {
        return pv_number(p, e->type, pv_mul(p, a->v, b->v), a->scale + b->scale,
                         a->digits + b->digits);
    }
    Z3_ast x, y;
    unsigned scale = a->scale > b->scale ? a->scale : b->scale;
    unsigned x_digits = digits_at(a, scale), y_digits = digits_at(b, scale);
    pv_align(p, a, b, &x, &y);
    return pv_number(p, e->type, e->op == CT_ADD ? pv_add(p, x, y) : pv_sub(p, x, y),
                     scale, (x_digits > y_digits ? x_digits : y_digits) + 1);
}

static bool of_variables(const ct_expr *e)
{
    return e->op == CT_MUL && e->left->op != CT_LITERAL && e->right->op != CT_LITERAL;
}

/* Rounded to the scale of the type, which Money does not have, then bounded; a product
 * of two variables is bounded first. */
static pv_term decimal_arith(an_prover *p, const ct_expr *e, const pv_sym *a,
                             const pv_sym *b)
{
    pv_sym *exact = exact_decimal(p, e, as_decimal(p, a), as_decimal(p, b));
    if (ct_has(e->type, LN_CURRENCY)) {
        return bounded(p, exact);
    }
    if (of_variables(e)) {
        pv_term word = in_word(p, exact);
        return after(p, word, in_decimal(p, e->type, word.s));
    }
    pv_term rounded = in_decimal(p, e->type, exact);
    return after(p, rounded, bounded(p, rounded.s));
}

static Z3_ast nanos(an_prover *p, const pv_sym *duration)
{
    Z3_ast seconds =
        pv_mul(p, duration->v, pv_int(p, CT_UNIT_SECONDS[duration->type->unit]));
    return pv_mul(p, seconds, pv_power(p, 9));
}

/* A difference is in whole seconds, rounded as the evaluator rounds; a moment outside
 * of years 0001 to 9999 is a fault. */
static pv_term time_arith(an_prover *p, const ct_expr *e, const pv_sym *a,
                          const pv_sym *b)
{
    if (ct_held(a->type) == LN_TIME && ct_held(b->type) == LN_TIME) {
        Z3_ast seconds = pv_round(p, pv_sub(p, a->v, b->v), 9);
        return in_range(p, e->type, seconds, ct_arith_safe(e));
    }
    bool turned = ct_has(a->type, LN_UNIT);
    const pv_sym *time = turned ? b : a, *lasting = turned ? a : b;
    Z3_ast v = pv_add(p, time->v, nanos(p, lasting)); /* §4.2 has no difference */
    Z3_ast unit = pv_power(p, 9);
    Z3_ast first = pv_mul(p, pv_int(p, (int64_t)-719162 * 86400), unit);
    Z3_ast end = pv_mul(p, pv_int(p, (int64_t)2932897 * 86400), unit);
    pv_term out = plain(p, pv_scalar(p, e->type, v));
    out.err = pv_not(p, pv_and(p, pv_le(p, first, v), pv_lt(p, v, end)));
    return out;
}

static pv_term whole_arith(an_prover *p, const ct_expr *e, const pv_sym *a,
                           const pv_sym *b)
{
    Z3_ast x = a->v, y = b->v;
    if (ct_has(e->type, LN_UNIT)) {
        x = pv_mul(p, x, pv_int(p, (int64_t)unit_factor(a->type, e->type)));
        y = pv_mul(p, y, pv_int(p, (int64_t)unit_factor(b->type, e->type)));
    }
    Z3_ast v = e->op == CT_ADD   ? pv_add(p, x, y)
               : e->op == CT_SUB ? pv_sub(p, x, y)
                                 : pv_mul(p, x, y);
    return in_range(p, e->type, v, ct_arith_safe(e));
}

/* Left, right, then the operation: the first fault ends it, as in the evaluator. */
static pv_term arith(an_prover *p, pv_side *side, const ct_expr *e)
{
    pv_term a = pv_translate_term(p, side, e->left);
    pv_term b = after(p, a, pv_translate_term(p, side, e->right));
    pv_term out;
    if (ct_held(a.s->type) == LN_TIME || ct_held(b.s->type) == LN_TIME) {
        out = time_arith(p, e, a.s, b.s);
    } else if (ct_is_decimal(e->type) || ct_has(e->type, LN_CURRENCY)) {
        out = decimal_arith(p, e, a.s, b.s);
    } else {
        out = whole_arith(p, e, a.s, b.s);
    }
    return after(p, b, out);
}

/* ---- Parts ---- */

/* A value that nothing is known of; the same for the same place. */
static pv_sym *some_value(an_prover *p, const ct_type *type, const pv_sym *of,
                          Z3_ast at)
{
    p->loose = true;
    mt_str name =
        mt_strf(&p->tmp, "?%.*s@%u", MT_ARG(of->name), Z3_get_ast_id(p->z, at));
    return pv_free_sym(p, type, name, name);
}

/* A position that is known takes its element; otherwise a chain of choices over all
 * that are written out, which is why prove_lists.c keeps them few. */
static pv_sym *element_at(an_prover *p, const pv_sym *list, Z3_ast index)
{
    int64_t at;
    bool literal = Z3_get_ast_kind(p->z, index) == Z3_NUMERAL_AST &&
                   Z3_get_numeral_int64(p->z, index, &at);
    if (literal && at >= 0 && at < (int64_t)list->count) {
        return list->parts[at];
    }
    if (literal || !list->whole || list->opaque || !list->count) {
        return some_value(p, list->type->as.list.element, list, index);
    }
    pv_sym *s = list->parts[0];
    for (uint32_t i = 1; i < list->count; i++) {
        s = pv_sym_if(p, pv_eq(p, index, pv_int(p, i)), list->parts[i], s);
    }
    return s;
}

/* Outside of the list is a fault, whatever value stands for the element. */
static pv_term index_term(an_prover *p, pv_side *side, const ct_expr *e)
{
    pv_term list = pv_translate_term(p, side, e->left);
    pv_term index = after(p, list, pv_translate_term(p, side, e->right));
    Z3_ast at = index.s->v;
    pv_term out = plain(p, element_at(p, list.s, at));
    Z3_ast in = pv_and(p, pv_le(p, pv_int(p, 0), at), pv_lt(p, at, list.s->v));
    out.err = pv_not(p, in);
    return after(p, index, out);
}

/* §4.4: the payload of another tag is a fault and not an absent value. */
static pv_term variant_term(an_prover *p, pv_side *side, const ct_expr *e)
{
    pv_term of = pv_translate_term(p, side, e->left);
    Z3_ast tag = pv_text(p, e->left->type->as.variants[e->index].name);
    pv_sym *payload = of.s->parts[e->index];
    pv_term out = plain(p, payload ? payload : some_value(p, e->type, of.s, tag));
    out.err = pv_not(p, pv_eq(p, of.s->v, tag));
    return after(p, of, out);
}

/* `then` made of one part of a term. */
static pv_term part_of(pv_term of, pv_sym *part)
{
    of.s = part;
    return of;
}

/* ---- Fitting ---- */

/* Lengths of text are not modelled: whether it is too long stays open for each text. */
static pv_term fit_text(an_prover *p, const ct_type *to, const ct_expr *term, pv_sym *s)
{
    const ct_type *from = term->type;
    pv_term out = plain(p, s);
    if (!to->as.max_length || from->as.max_length <= to->as.max_length) {
        return out;
    }
    if (term->op == CT_LITERAL) {
        bool fits = mt_utf8_count(term->value->text) <= to->as.max_length;
        out.err = fits ? p->no : p->yes;
    } else {
        Z3_ast most = pv_int(p, (int64_t)to->as.max_length);
        out.err = pv_opaque(p, p->bool_sort, "long", s->v, most);
    }
    return out;
}

/* What the term came to, as a value of `to`. */
static pv_term fit(an_prover *p, const ct_type *to, const ct_expr *term, pv_sym *s)
{
    if (ct_is_decimal(to)) {
        return in_decimal(p, to,
                          as_decimal(p, s) == s ? s : pv_number(p, to, s->v, 0, 19));
    }
    if (ct_held(to) == LN_TEXT) {
        return fit_text(p, to, term, s);
    }
    if (ct_is_int(to) || ct_has(to, LN_UNIT)) {
        return in_range(p, to, s->v, ct_fit_safe(to, term->type));
    }
    return plain(p, s);
}

/* What tells a value from another one, as text: equal texts are equal values. */
static void identify(an_prover *p, mt_buf *out, const pv_sym *s)
{
    if (s->v) {
        mt_buf_addf(out, "%u^%u", Z3_get_ast_id(p->z, s->v), s->scale);
    }
    if (s->name.len && ct_held(s->type) == LN_LIST) {
        mt_buf_addf(out, "'%.*s'", MT_ARG(s->name));
        return;
    }
    mt_buf_addc(out, '(');
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->parts[i]) {
            mt_buf_addf(out, "%u=", i);
            identify(p, out, s->parts[i]);
            mt_buf_addc(out, ' ');
        }
    }
    mt_buf_addc(out, ')');
}

static mt_str identity(an_prover *p, const pv_sym *s)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "made ");
    identify(p, &b, s);
    mt_str text = mt_str_dup(&p->tmp, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* A value of terms has its parts side by side, as a literal has; the first part that
 * faults or is gone ends it. */
static pv_term made_term(an_prover *p, pv_side *side, const ct_expr *e)
{
    const ct_type *t = e->type;
    bool is_union = ct_held(t) == LN_VARIANT;
    pv_sym *s = pv_scalar(p, t, NULL);
    pv_term out = plain(p, s);
    s->count = is_union ? t->count : ct_part_count(e);
    s->parts = mt_new_array(&p->tmp, pv_sym *, s->count);
    for (uint32_t i = 0; i < ct_part_count(e); i++) {
        pv_term part = pv_translate_term(p, side, ct_part_of(e, i));
        s->parts[is_union ? e->index : i] = part.s;
        out = after(p, out, part);
    }
    if (is_union) {
        s->v = pv_text(p, t->as.variants[e->index].name);
    } else if (ct_held(t) == LN_LIST) {
        s->v = pv_int(p, s->count);
        s->whole = true;
        s->name = identity(p, s);
    }
    return part_of(out, s);
}

/* By name, so that two contracts mean the same fact; one that is left out has its
 * default. */
static pv_sym *fact_term(an_prover *p, const ct_fact *fact)
{
    uint32_t at = (uint32_t)mt_map_get(&p->fact_names, fact->id, 1) - 1;
    if (p->facts.items[at].fixed) {
        return pv_literal(p, fact->type, p->facts.items[at].fixed);
    }
    return p->facts.items[at].left_out ? pv_literal(p, fact->type, fact->otherwise)
                                       : pv_fact_sym(p, at);
}

pv_term pv_translate_term(an_prover *p, pv_side *side, const ct_expr *e)
{
    pv_term t;
    const pv_rule *r;
    switch ((ct_op)e->op) {
    case CT_LITERAL: return plain(p, pv_literal(p, e->type, e->value));
    case CT_FACT: return plain(p, fact_term(p, &side->model->facts[e->index]));
    case CT_VARIABLE: return plain(p, p->variables.items[e->index]);
    case CT_PAYLOAD:
        r = &side->rules[e->index];
        return (pv_term){r->payload, p->no, pv_not(p, r->present)};
    case CT_FIELD:
        t = pv_translate_term(p, side, e->left);
        return part_of(t, t.s->parts[e->index]);
    case CT_VARIANT: return variant_term(p, side, e);
    case CT_TAG:
    case CT_LEN:
        t = pv_translate_term(p, side, e->left);
        return part_of(t, pv_scalar(p, e->type, t.s->v));
    case CT_AMOUNT:
        t = pv_translate_term(p, side, e->left);
        return part_of(t, pv_number(p, e->type, t.s->v, t.s->scale, t.s->digits));
    case CT_INDEX: return index_term(p, side, e);
    case CT_ADD:
    case CT_SUB:
    case CT_MUL: return arith(p, side, e);
    case CT_MAKE: return made_term(p, side, e);
    case CT_FIT:
        t = pv_translate_term(p, side, e->left);
        return after(p, t, fit(p, e->type, e->left, t.s));
    case CT_PARTS:
    case CT_COMPARE:
    case CT_PRESENT:
    case CT_AND:
    case CT_OR:
    case CT_NOT:
    case CT_FORALL:
    case CT_EXISTS: break;
    }
    MT_BUG("a predicate where a term is due");
}

/* ---- Payloads ---- */

/* Reading the payload of an absent verdict is a fault of the rule that reads it. */
pv_term pv_translate_payload(an_prover *p, pv_side *side, const ct_rule *r)
{
    pv_term t = pv_translate_term(p, side, r->payload);
    t.err = pv_or(p, t.err, t.gone);
    t.gone = p->no;
    return after(p, t, fit(p, r->payload_type, r->payload, t.s));
}
