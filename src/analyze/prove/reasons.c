/* analyze/prove/reasons.c - minimal reasons by asking the solver about sets of parts.
 *
 * The parts of a condition are gathered with their present values, verdicts replaced by
 * what decides them as far as the language can write that; a set of them is
 * enough if no fact set agrees with it and makes the condition come out otherwise. Sets
 * are looked at from small to large, so that one that is enough is minimal. When the
 * solver finds a fact set against one, every part that agrees there is noted: no subset
 * of these is enough, and none is asked about again. So the number of questions is that
 * of the reasons and of the largest sets that are not enough, not that of all sets.
 *
 * A false `forall` and a true `exists` are split into the elements that decide them;
 * the other way round, inside each other, or where the body may fail, a quantifier is
 * one part. Bounds: MOST_PARTS parts and MOST_QUESTIONS; beyond, `all` is not said, and
 * what is listed is still enough and minimal.
 *
 * What may fail: the condition has no value now. An answer the solver does not have
 * counts as "not enough", and `all` is not said. */
#include "analyze/prove/reasons.h"

#include "base/vec.h"
#include "contract/eval/facts.h"
#include "contract/reduce/expand.h"
#include "contract/reduce/expr.h"
#include "contract/reduce/may_fail.h"

enum {
    MOST_NODES = 400,
    MOST_PARTS = 16,
    MOST_QUESTIONS = 400,
    MOST_REASONS = 64,
    MOST_ELEMENTS = 8
};

typedef MT_VEC(ct_reason) part_list;
typedef MT_VEC(uint32_t) mask_list;

typedef struct finder {
    an_prover *p;
    mt_arena *a;
    const ct_snapshot *s;
    const ct_expr *condition;
    bool value;
    part_list parts;
    const an_claim *other; /* the condition comes out otherwise */
    mask_list enough, lacking;
    ct_facts *facts; /* of fact sets the solver finds */
    ct_verdicts *verdicts;
    unsigned questions;
    mt_str unknown; /* why an answer was not given */
} finder;

/* ---- Parts ---- */

static void add_part(finder *f, const ct_expr *e)
{
    ct_reason r = {.atom = e};
    ct_fault fault;
    for (size_t i = 0; i < f->parts.len; i++) {
        if (ct_expr_same(f->parts.items[i].atom, e)) {
            return;
        }
    }
    /* What has no value now was not come to, and is left aside. */
    if (!ct_holds_expr(f->s, e, &r.value, f->a, &r.used, &fault)) {
        mt_vec_push(f->a, &f->parts, r);
    }
}

static const ct_expr *put_in(finder *f, const ct_expr *e, uint32_t depth,
                             const ct_expr *element)
{
    if (!e || (e->op != CT_VARIABLE && !e->left)) {
        return e;
    }
    if (e->op == CT_VARIABLE) {
        return e->index == depth ? element : e;
    }
    const ct_expr *left = put_in(f, e->left, depth, element);
    return ct_expr_with(f->a, e, left, put_in(f, e->right, depth, element));
}

static bool has_quantifier(const ct_expr *e)
{
    return e &&
           (ct_is_quantifier(e) || has_quantifier(e->left) || has_quantifier(e->right));
}

static void gather(finder *f, const ct_expr *e);

/* The list itself is known: a fact, or a field of one. */
static const ct_value *list_now(const finder *f, const ct_expr *e)
{
    if (e->op == CT_FACT) {
        return ct_facts_value(f->s->facts, e->index);
    }
    const ct_value *record = e->op == CT_FIELD ? list_now(f, e->left) : NULL;
    return record ? record + e->left->type->as.fields[e->index].offset : NULL;
}

/* That the list has so many elements, and what is said of each that decides. */
static void gather_elements(finder *f, const ct_expr *e, const ct_value *list)
{
    for (uint32_t i = 0; i < list->list.count; i++) {
        const ct_expr *body =
            put_in(f, e->right, e->index, ct_expr_element(f->a, e->left, i));
        bool holds = false;
        ct_fault fault;
        if (!ct_holds_expr(f->s, body, &holds, f->a, NULL, &fault) &&
            holds == (e->op == CT_EXISTS)) {
            add_part(f, ct_expr_length(f->a, e->left, CT_GT, i));
            gather(f, body);
        }
    }
}

static void gather_quantifier(finder *f, const ct_expr *e)
{
    const ct_value *list = list_now(f, e->left);
    bool holds = false;
    ct_fault fault;
    bool split = list && list->list.count <= MOST_ELEMENTS &&
                 !has_quantifier(e->right) && !ct_may_fail(e->right) &&
                 !ct_holds_expr(f->s, e, &holds, f->a, NULL, &fault) &&
                 holds == (e->op == CT_EXISTS);
    if (split) {
        gather_elements(f, e, list);
    } else {
        add_part(f, e);
    }
}

static void gather(finder *f, const ct_expr *e)
{
    if (e->op == CT_AND || e->op == CT_OR) {
        gather(f, e->left);
        gather(f, e->right);
    } else if (e->op == CT_NOT) {
        gather(f, e->left);
    } else if (ct_is_quantifier(e)) {
        gather_quantifier(f, e);
    } else if (e->op != CT_LITERAL) {
        add_part(f, e);
    }
}

/* ---- Questions ---- */

/* The predicate has this value, and the evaluation a result. */
static const an_claim *comes_to(finder *f, const ct_expr *e, bool value)
{
    return an_claim_holds(f->a, AN_FIRST,
                          value ? e : ct_expr_new(f->a, CT_NOT, e, NULL));
}

/* Parts that are as they are now for the fact set. */
static uint32_t agreeing(finder *f, mt_str facts)
{
    uint32_t mask = 0;
    ct_fault fault;
    ct_snapshot s = {f->s->program, f->facts, f->verdicts};
    if (ct_facts_read(f->facts, facts, an_prover_limits(f->p), false, &fault) ||
        ct_evaluate(s.program, f->facts, f->verdicts, f->a, &fault)) {
        return 0;
    }
    for (size_t i = 0; i < f->parts.len; i++) {
        bool holds = false;
        if (!ct_holds_expr(&s, f->parts.items[i].atom, &holds, f->a, NULL, &fault) &&
            holds == f->parts.items[i].value) {
            mask |= 1u << i;
        }
    }
    return mask;
}

static bool is_enough(finder *f, uint32_t mask)
{
    const an_claim *c =
        an_claim_and(f->a, an_claim_holds(f->a, AN_FIRST, NULL), f->other);
    for (size_t i = 0; i < f->parts.len; i++) {
        if (mask >> i & 1) {
            const ct_reason *r = &f->parts.items[i];
            c = an_claim_and(f->a, c, comes_to(f, r->atom, r->value));
        }
    }
    f->questions++;
    an_answer answer = an_prove_possible(f->p, f->a, c);
    if (answer.possible == AN_NEVER) {
        return true;
    }
    uint32_t against = mask;
    if (answer.possible == AN_POSSIBLE) {
        against |= agreeing(f, answer.facts);
    } else {
        f->unknown = answer.reason;
    }
    mt_vec_push(f->a, &f->lacking, against);
    return false;
}

/* Is it decided by what was found: larger than a reason, or part of what lacks one? */
static bool is_settled(const finder *f, uint32_t mask)
{
    for (size_t i = 0; i < f->enough.len; i++) {
        if ((f->enough.items[i] & mask) == f->enough.items[i]) {
            return true;
        }
    }
    for (size_t i = 0; i < f->lacking.len; i++) {
        if ((f->lacking.items[i] & mask) == mask) {
            return true;
        }
    }
    return false;
}

/* From small to large, and among equals in the order of the condition: what is written
 * first has the lowest bit, so smaller numbers come first. False: not all was looked
 * at. */
static bool search(finder *f)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << f->parts.len) - 1);
    for (size_t size = 0; size <= f->parts.len; size++) {
        for (uint32_t mask = 0;; mask++) {
            if ((size_t)__builtin_popcount(mask) == size && !is_settled(f, mask)) {
                if (f->questions >= MOST_QUESTIONS || f->enough.len >= MOST_REASONS) {
                    return false;
                }
                if (is_enough(f, mask)) {
                    mt_vec_push(f->a, &f->enough, mask);
                }
            }
            if (mask == all) {
                break;
            }
        }
    }
    return true;
}

/* ---- Too many parts ---- */

/* Of more parts than can be looked at set by set: those of the reason that reading the
 * condition gives. */
static bool keep_fewer(finder *f, ct_fault *fault)
{
    ct_reasons reasons = {0};
    bool value;
    if (f->parts.len <= MOST_PARTS) {
        return true;
    }
    f->parts.len = 0;
    if (ct_why(f->a, f->s, f->condition, &value, &reasons, fault)) {
        return false;
    }
    for (size_t i = 0; i < reasons.len && i < MOST_PARTS; i++) {
        mt_vec_push(f->a, &f->parts, reasons.items[i]);
    }
    return false;
}

static an_minimal reason_of(finder *f, uint32_t mask)
{
    an_minimal m = {.parts = mt_new_array(f->a, ct_reason, f->parts.len + 1)};
    for (size_t i = 0; i < f->parts.len; i++) {
        if (mask >> i & 1) {
            m.parts[m.count++] = f->parts.items[i];
        }
    }
    return m;
}

static void answer(finder *f, bool whole, bool searched, an_reasons *out)
{
    out->value = f->value;
    out->items = mt_new_array(f->a, an_minimal, f->enough.len + 1);
    out->count = (uint32_t)f->enough.len;
    for (size_t i = 0; i < f->enough.len; i++) {
        out->items[i] = reason_of(f, f->enough.items[i]);
    }
    out->all = whole && searched && !f->unknown.len;
    out->reason =
        out->all ? MT_STR("")
        : !whole ? mt_strf(f->a, "the condition has more than %d parts", MOST_PARTS)
        : f->unknown.len ? f->unknown
                         : mt_strf(f->a,
                                   "there are more than were looked for "
                                   "with %d questions to the solver",
                                   MOST_QUESTIONS);
}

mt_err an_reasons_of(an_prover *p, mt_arena *a, const ct_snapshot *s,
                     const ct_expr *condition, an_reasons *out, ct_fault *fault)
{
    finder f = {.p = p, .a = a, .s = s, .condition = condition};
    *out = (an_reasons){0};
    mt_err err = ct_holds_expr(s, condition, &f.value, a, NULL, fault);
    if (err) {
        return err;
    }
    ct_expansion rules = {.model = ct_program_model(s->program), .most = MOST_NODES};
    gather(&f, ct_expand(a, &rules, condition));
    bool whole = keep_fewer(&f, fault);
    f.other = an_claim_not(a, comes_to(&f, condition, f.value));
    f.facts = ct_facts_new(ct_program_model(s->program));
    f.verdicts = ct_verdicts_new(s->program);
    an_prover_plain(p, false);
    bool searched = search(&f);
    an_prover_plain(p, true);
    answer(&f, whole, searched, out);
    ct_facts_free(f.facts);
    ct_verdicts_free(f.verdicts);
    return MT_OK;
}
