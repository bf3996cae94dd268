/* contract/reduce/simplify.c - conditions as `and` and `or` of many parts, made
 * shorter.
 *
 * build() turns an expression into nodes: negations pushed to the leaves (De Morgan,
 * and `not forall` is `exists not`), flat junctions, constants folded. A leaf on a term
 * that cannot fail, compared with a constant, is a set of values of that term
 * (values.h); any other is a question and its answer. reduce() then goes through the
 * nodes in the order of evaluation, with what is known there: in an `and` the parts
 * before hold, in an `or` they do not. That is sound also where parts fail, since a
 * part is only come to if those before it had a value. Parts that cannot fail and stand
 * beside each other may be seen in any order: there comparisons of one term are merged,
 * and a part may be left out for one behind it. At the end nodes become an expression
 * again.
 *
 * INVARIANT: each step keeps true, false and error for every fact set. What rests on an
 * absent verdict (a comparison with a payload is then false) is never turned round.
 *
 * Nothing fails. Effort is bounded by MOST_STEPS; beyond, nodes stay as they are.
 * Recursion follows expressions, whose depth the loader has bounded. */
#include "contract/reduce/simplify.h"

#include "base/vec.h"
#include "contract/eval/term.h"
#include "contract/reduce/expr.h"
#include "contract/reduce/may_fail.h"
#include "contract/reduce/values.h"

enum { MOST_STEPS = 20000, ROUNDS = 3 };

typedef enum node_kind { CONSTANT, LEAF, QUANTIFIER, AND, OR } node_kind;

typedef struct node node;
struct node {
    uint8_t kind;
    bool value; /* CONSTANT; else the answer to `asked` for which it is true */
    bool fails; /* it may end without a value */
    uint32_t leaves;
    uint64_t hash;        /* of `term`, or of `asked` */
    const ct_expr *term;  /* the condition is `values` of this term; or NULL */
    ct_values values;     /* those for which it is true */
    const ct_expr *asked; /* LEAF without a term, QUANTIFIER: never a `not` */
    const ct_expr *e;     /* LEAF: as it is written; QUANTIFIER: list and variable */
    const node *body;     /* QUANTIFIER */
    const node **parts;   /* AND, OR */
    uint32_t count;
};

/* What is known where a part is come to. */
typedef struct known {
    uint64_t hash;
    const ct_expr *about; /* a term, or a question */
    bool is_term;
    bool value;
    ct_values values;
} known;

typedef struct simplifier {
    mt_arena *a;
    MT_VEC(known) known; /* the last about a thing says most */
    size_t steps;
} simplifier;

typedef MT_VEC(const node *) node_list;

static const node YES = {.kind = CONSTANT, .value = true};
static const node NO = {.kind = CONSTANT, .value = false};

static const node *constant(bool value)
{
    return value ? &YES : &NO;
}

static const node *build(simplifier *s, const ct_expr *e, bool negate);
static const node *reduce(simplifier *s, const node *n);

/* ---- Back to expressions ---- */

static const ct_expr *negated(simplifier *s, const ct_expr *e)
{
    return ct_expr_new(s->a, CT_NOT, e, NULL);
}

static const ct_expr *expression(simplifier *s, const node *n)
{
    if (n->kind == CONSTANT) {
        return ct_expr_bool(n->value);
    }
    if (n->kind == LEAF) {
        return n->e;
    }
    if (n->kind == QUANTIFIER) {
        return n->value ? n->asked : negated(s, n->asked);
    }
    const ct_expr *e = expression(s, n->parts[0]);
    for (uint32_t i = 1; i < n->count; i++) {
        e = ct_expr_new(s->a, n->kind == AND ? CT_AND : CT_OR, e,
                        expression(s, n->parts[i]));
    }
    return e;
}

/* ---- Leaves ---- */

/* Sums and products of constants, unless they fail. */
static const ct_expr *folded(simplifier *s, const ct_expr *e)
{
    if (e->op != CT_ADD && e->op != CT_SUB && e->op != CT_MUL) {
        return e;
    }
    const ct_expr *x = folded(s, e->left), *y = folded(s, e->right);
    ct_value v = {0};
    if (x->op != CT_LITERAL || y->op != CT_LITERAL ||
        ct_term_arith(e, x->value, y->value, &v) != MT_OK) {
        return e;
    }
    return ct_expr_literal(s->a, e->type, v);
}

static const node *question(simplifier *s, const ct_expr *asked, bool value,
                            const ct_expr *written)
{
    node *n = mt_new(s->a, node);
    n->kind = LEAF;
    n->value = value;
    n->fails = ct_may_fail(asked);
    n->leaves = 1;
    n->asked = asked;
    n->hash = ct_expr_hash(asked);
    n->e = written;
    return n;
}

/* A set that is empty, or the whole type, is decided. */
static const node *on_term(simplifier *s, const ct_expr *term, ct_values values,
                           const ct_expr *written)
{
    if (ct_values_none(values) ||
        ct_values_same(values, ct_values_all(s->a, term->type))) {
        return constant(!ct_values_none(values));
    }
    node *n = mt_new(s->a, node);
    n->kind = LEAF;
    n->leaves = 1;
    n->term = term;
    n->hash = ct_expr_hash(term);
    n->values = values;
    n->e = written;
    return n;
}

/* `b = true` turned round is `b = false`. */
static const ct_expr *opposite(simplifier *s, const ct_expr *e)
{
    if (e->right->op == CT_LITERAL && ct_held(e->right->type) == LN_BOOLEAN) {
        return ct_expr_with(s->a, e, e->left, ct_expr_bool(!e->right->value->boolean));
    }
    return ct_expr_compare(s->a, e->left, (ct_compare)CT_COMPARE_NOT[e->compare],
                           e->right);
}

/* Two terms: one question for x < y, y > x, and the opposite of x >= y. */
static const node *on_two_terms(simplifier *s, const ct_expr *e, bool negate)
{
    if (ct_reads_payload(e)) {
        return question(s, e, !negate, negate ? negated(s, e) : e);
    }
    const ct_expr *x = e->left, *y = e->right;
    ct_compare compare = (ct_compare)e->compare;
    bool value = !negate;
    if (ct_expr_hash(x) > ct_expr_hash(y)) {
        x = e->right;
        y = e->left;
        compare = (ct_compare)CT_COMPARE_TURNED[compare];
    }
    if (compare == CT_NE || compare == CT_GT || compare == CT_GE) {
        compare = (ct_compare)CT_COMPARE_NOT[compare];
        value = !value;
    }
    const ct_expr *asked = ct_expr_compare(s->a, x, compare, y);
    return question(s, asked, value, negate ? opposite(s, e) : e);
}

static const node *comparison(simplifier *s, const ct_expr *e, bool negate)
{
    const ct_expr *x = folded(s, e->left), *y = folded(s, e->right);
    e = ct_expr_with(s->a, e, x, y);
    if (x->op == CT_LITERAL && y->op == CT_LITERAL) {
        return constant(ct_term_compare(e, x->value, y->value) != negate);
    }
    if (x->op == CT_LITERAL) {
        e = ct_expr_compare(s->a, y, (ct_compare)CT_COMPARE_TURNED[e->compare], x);
        x = e->left;
        y = e->right;
    }
    bool sure = !ct_may_fail(e) && !ct_reads_payload(e);
    if (sure && ct_expr_same(x, y)) {
        bool equal = e->compare == CT_EQ || e->compare == CT_LE || e->compare == CT_GE;
        return constant(equal != negate);
    }
    ct_values values;
    if (!sure || y->op != CT_LITERAL || !ct_values_of(x->type) ||
        !ct_values_where(s->a, x->type, (ct_compare)e->compare, y, &values)) {
        return on_two_terms(s, e, negate);
    }
    return negate ? on_term(s, x, ct_values_but(s->a, x->type, values), opposite(s, e))
                  : on_term(s, x, values, e);
}

/* A Bool that stands by itself. */
static const node *truth(simplifier *s, const ct_expr *e, bool negate)
{
    const ct_expr *written = negate ? negated(s, e) : e;
    if (ct_may_fail(e) || ct_reads_payload(e)) {
        return question(s, e, !negate, written);
    }
    return on_term(s, e, ct_values_bool(s->a, !negate), written);
}

/* ---- Quantifiers ---- */

/* `e` has the list, the variable and the op; `value`: is it true where the quantifier
 * is? A body that is decided leaves a question about the length. */
static const node *quantified(simplifier *s, const ct_expr *e, const node *body,
                              bool value)
{
    bool all = e->op == CT_FORALL;
    bool sure = !ct_may_fail(e->left) && !ct_reads_payload(e->left);
    if (body->kind == CONSTANT && sure) {
        if (body->value == all) {
            return constant(all == value);
        }
        bool empty = all == value;
        return build(s, ct_expr_length(s->a, e->left, CT_EQ, 0), !empty);
    }
    node *n = mt_new(s->a, node);
    n->kind = QUANTIFIER;
    n->value = value;
    n->body = body;
    n->e = e;
    n->asked = ct_expr_with(s->a, e, e->left, expression(s, body));
    n->fails = ct_may_fail(e->left) || body->fails;
    n->leaves = body->leaves;
    n->hash = ct_expr_hash(n->asked);
    return n;
}

/* `not forall` is `exists not`, unless the body would become longer by it, or the list
 * is one that may be absent: then neither holds. */
static const node *quantifier(simplifier *s, const ct_expr *e, bool negate)
{
    const node *body = build(s, e->right, false);
    bool flat = body->kind == LEAF || body->kind == QUANTIFIER;
    if (!negate || !flat || ct_reads_payload(e->left)) {
        return quantified(s, e, body, !negate);
    }
    ct_expr *other = mt_new(s->a, ct_expr);
    *other = *e;
    other->op = e->op == CT_FORALL ? CT_EXISTS : CT_FORALL;
    return quantified(s, other, build(s, e->right, true), true);
}

/* ---- Junctions ---- */

static void add_part(simplifier *s, node_list *to, uint8_t kind, const node *part)
{
    if (part->kind == kind) {
        for (uint32_t i = 0; i < part->count; i++) {
            mt_vec_push(s->a, to, part->parts[i]);
        }
    } else if (part->kind != CONSTANT || part->value != (kind == AND)) {
        mt_vec_push(s->a, to, part);
    }
}

/* Behind a constant that decides nothing is come to; before it only what may fail
 * matters. */
static void cut_off(node_list *parts)
{
    for (size_t i = 0; i < parts->len; i++) {
        if (parts->items[i]->kind == CONSTANT) {
            const node *last = parts->items[i];
            while (i && !parts->items[i - 1]->fails) {
                i--;
            }
            parts->items[i] = last;
            parts->len = i + 1;
            return;
        }
    }
}

static bool same_term(const node *x, const node *y)
{
    return x->term && y->term && x->hash == y->hash && ct_expr_same(x->term, y->term);
}

/* All parts are about one term. */
static bool one_term(const node_list *parts)
{
    const node *first = parts->items[0];
    for (size_t i = 0; i < parts->len; i++) {
        const node *p = parts->items[i];
        if (!same_term(p, first)) {
            return false;
        }
    }
    return true;
}

static ct_values united(simplifier *s, uint8_t kind, ct_values x, ct_values y)
{
    return kind == AND ? ct_values_meet(s->a, x, y) : ct_values_join(s->a, x, y);
}

static const node *junction(simplifier *s, uint8_t kind, node_list *parts)
{
    cut_off(parts);
    if (parts->len < 2) {
        return parts->len ? parts->items[0] : constant(kind == AND);
    }
    node *n = mt_new(s->a, node);
    n->kind = kind;
    n->parts = parts->items;
    n->count = (uint32_t)parts->len;
    for (uint32_t i = 0; i < n->count; i++) {
        n->fails |= n->parts[i]->fails;
        n->leaves += n->parts[i]->leaves;
    }
    if (one_term(parts)) {
        n->term = n->parts[0]->term;
        n->hash = n->parts[0]->hash;
        n->values = n->parts[0]->values;
        for (uint32_t i = 1; i < n->count; i++) {
            n->values = united(s, kind, n->values, n->parts[i]->values);
        }
    }
    return n;
}

/* Chains are left-nested; the parts come in the order of evaluation. */
static void gather(simplifier *s, const ct_expr *e, uint8_t op, bool negate,
                   uint8_t kind, node_list *out)
{
    if (e->op == op) {
        gather(s, e->left, op, negate, kind, out);
        gather(s, e->right, op, negate, kind, out);
        return;
    }
    add_part(s, out, kind, build(s, e, negate));
}

static const node *build(simplifier *s, const ct_expr *e, bool negate)
{
    node_list parts = {0};
    uint8_t kind;
    switch ((ct_op)e->op) {
    case CT_LITERAL: return constant(e->value->boolean != negate);
    case CT_COMPARE: return comparison(s, e, negate);
    case CT_PRESENT: return question(s, e, !negate, negate ? negated(s, e) : e);
    case CT_NOT: return build(s, e->left, !negate);
    case CT_FORALL:
    case CT_EXISTS: return quantifier(s, e, negate);
    case CT_AND:
    case CT_OR:
        kind = (e->op == CT_AND) != negate ? AND : OR;
        gather(s, e, e->op, negate, kind, &parts);
        return junction(s, kind, &parts);
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
    return truth(s, e, negate);
}

/* ---- What is known ---- */

static const known *find_known(const simplifier *s, const node *n)
{
    const ct_expr *about = n->term ? n->term : n->asked;
    for (size_t i = s->known.len; i-- > 0;) {
        const known *k = &s->known.items[i];
        if (k->hash == n->hash && k->is_term == (n->term != NULL) &&
            ct_expr_same(k->about, about)) {
            return k;
        }
    }
    return NULL;
}

static void assume_values(simplifier *s, const node *n, bool holds)
{
    const known *before = find_known(s, n);
    ct_values v = holds ? n->values : ct_values_but(s->a, n->term->type, n->values);
    v = before ? ct_values_meet(s->a, before->values, v) : v;
    mt_vec_push(
        s->a, &s->known,
        ((known){.hash = n->hash, .about = n->term, .is_term = true, .values = v}));
}

/* The node was evaluated and came out so. */
static void assume(simplifier *s, const node *n, bool holds)
{
    if (n->term) {
        assume_values(s, n, holds);
    } else if (n->kind == LEAF || n->kind == QUANTIFIER) {
        mt_vec_push(
            s->a, &s->known,
            ((known){.hash = n->hash, .about = n->asked, .value = n->value == holds}));
    } else if (n->kind != CONSTANT && (n->kind == AND) == holds) {
        for (uint32_t i = 0; i < n->count; i++) {
            assume(s, n->parts[i], holds);
        }
    }
}

/* ---- Reducing ---- */

static const node *reduce_leaf(simplifier *s, const node *n)
{
    const known *k = find_known(s, n);
    if (!k) {
        return n;
    }
    if (!n->term) {
        return constant(k->value == n->value);
    }
    ct_values both = ct_values_meet(s->a, k->values, n->values);
    return ct_values_none(both)              ? constant(false)
           : ct_values_same(both, k->values) ? constant(true)
                                             : n;
}

static const node *reduce_quantifier(simplifier *s, const node *n)
{
    const node *asked = reduce_leaf(s, n);
    if (asked != n) {
        return asked;
    }
    const node *body = reduce(s, n->body);
    return body == n->body ? n : quantified(s, n->e, body, n->value);
}

/* Parts that cannot fail, from `from` on; constants end them. */
static uint32_t run_end(const node *n, uint32_t from)
{
    while (from < n->count && !n->parts[from]->fails &&
           n->parts[from]->kind != CONSTANT) {
        from++;
    }
    return from;
}

/* The part of the run that says the same as the merged values by itself, and is not
 * longer than `most`; or NULL. */
static const node *written_already(const node *n, uint32_t i, uint32_t end,
                                   const bool *gone, ct_values values, uint32_t most)
{
    const node *best = NULL;
    for (uint32_t k = i; k < end; k++) {
        const node *p = n->parts[k];
        if (!gone[k] && same_term(p, n->parts[i]) &&
            ct_values_same(p->values, values) &&
            p->leaves <= (best ? best->leaves - 1 : most)) {
            best = p;
        }
    }
    return best;
}

/* All parts of the run that are about the term of part `i`, as one; NULL: that would
 * not be shorter. */
static const node *merged(simplifier *s, const node *n, uint32_t i, uint32_t end,
                          const bool *gone)
{
    const node *first = n->parts[i];
    ct_values values = first->values;
    uint32_t leaves = first->leaves, comparisons;
    s->steps += (end - i) / 64;
    for (uint32_t k = i + 1; k < end; k++) {
        if (!gone[k] && same_term(n->parts[k], first)) {
            values = united(s, n->kind, values, n->parts[k]->values);
            leaves += n->parts[k]->leaves;
        }
    }
    if (leaves == 1) {
        return NULL;
    }
    if (ct_values_none(values) ||
        ct_values_same(values, ct_values_all(s->a, first->term->type))) {
        return constant(!ct_values_none(values));
    }
    const ct_expr *e = ct_values_condition(
        s->a, first->term, values, n->kind == AND ? CT_AND : CT_OR, &comparisons);
    uint32_t least = comparisons < leaves ? comparisons : leaves - 1;
    const node *same = written_already(n, i, end, gone, values, least);
    return same ? same : comparisons < leaves ? build(s, e, false) : NULL;
}

/* Comparisons of one term become one, where the first of them stands. */
static node_list merge_run(simplifier *s, const node *n, uint32_t from, uint32_t end)
{
    bool *gone = mt_new_array(s->a, bool, n->count);
    node_list kept = {0};
    for (uint32_t i = from; i < end; i++) {
        if (gone[i]) {
            continue;
        }
        const node *one = n->parts[i]->term ? merged(s, n, i, end, gone) : NULL;
        mt_vec_push(s->a, &kept, one ? one : n->parts[i]);
        gone[i] = true;
        for (uint32_t k = i + 1; one && k < end; k++) {
            gone[k] |= same_term(n->parts[k], n->parts[i]);
        }
    }
    return kept;
}

/* A part of several leaves, where all others of its run are known. */
static const node *among_others(simplifier *s, uint8_t kind, const node_list *run,
                                size_t i)
{
    size_t mark = s->known.len;
    for (size_t k = 0; k < run->len; k++) {
        if (k != i) {
            assume(s, run->items[k], kind == AND);
        }
    }
    const node *out = reduce(s, run->items[i]);
    s->known.len = mark;
    return out;
}

/* One run. Parts change one after the other, each beside what the others are by then.
 */
static void shorten_run(simplifier *s, const node *n, uint32_t from, uint32_t end,
                        node_list *out)
{
    node_list run = merge_run(s, n, from, end);
    for (size_t i = run.len; i-- > 0;) {
        if (run.items[i]->leaves > 1 || run.items[i]->kind == QUANTIFIER) {
            run.items[i] = among_others(s, n->kind, &run, i);
        }
    }
    for (size_t i = 0; i < run.len; i++) {
        add_part(s, out, n->kind, run.items[i]);
    }
}

static const node *shorten(simplifier *s, const node *n)
{
    node_list out = {0};
    if (s->steps > MOST_STEPS) {
        return n;
    }
    for (uint32_t i = 0; i < n->count;) {
        uint32_t end = run_end(n, i);
        if (end == i) {
            mt_vec_push(s->a, &out, n->parts[i++]);
        } else {
            shorten_run(s, n, i, end, &out);
            i = end;
        }
    }
    return junction(s, n->kind, &out);
}

static bool same_parts(const node *x, const node *y)
{
    if (x->kind != y->kind || x->count != y->count) {
        return false;
    }
    for (uint32_t i = 0; i < x->count; i++) {
        if (x->parts[i] != y->parts[i]) {
            return false;
        }
    }
    return true;
}

/* In the order of evaluation: what was come to before is known. */
static const node *reduce_in_order(simplifier *s, const node *n)
{
    node_list out = {0};
    size_t mark = s->known.len;
    for (uint32_t i = 0; i < n->count; i++) {
        const node *part = reduce(s, n->parts[i]);
        add_part(s, &out, n->kind, part);
        if (part->kind == CONSTANT && part->value != (n->kind == AND)) {
            break;
        }
        assume(s, part, n->kind == AND);
    }
    s->known.len = mark;
    return junction(s, n->kind, &out);
}

static const node *reduce(simplifier *s, const node *n)
{
    if (++s->steps > MOST_STEPS) {
        return n;
    }
    if (n->kind == CONSTANT) {
        return n;
    }
    if (n->kind == LEAF) {
        return reduce_leaf(s, n);
    }
    if (n->kind == QUANTIFIER) {
        return reduce_quantifier(s, n);
    }
    for (int round = 0; round < ROUNDS; round++) {
        const node *out = reduce_in_order(s, n);
        out = out->kind == AND || out->kind == OR ? shorten(s, out) : out;
        if (out->kind != AND && out->kind != OR) {
            return out;
        }
        if (same_parts(out, n)) {
            return n;
        }
        n = out;
    }
    return n;
}

const ct_expr *ct_simplify(mt_arena *a, const ct_expr *e)
{
    simplifier s = {.a = a};
    return expression(&s, reduce(&s, build(&s, e, false)));
}
