/* analyze/prove/ask_when.c - the weakest condition over facts, made short by proofs.
 *
 * Verdicts are replaced by the conditions of their rules and what comes out is
 * simplified (contract/reduce); then every part that changes nothing, given the rest,
 * is left out, each time by a proof. At the end the short condition is compared with
 * the original by the solver: `exact` is said only if both imply each other.
 *
 * Where a part may fault (an index, an overflow), parts guard each other by their
 * order, so nothing is left out or turned round there. Bounds: MOST_NODES parts,
 * MOST_QUESTIONS to the solver; beyond, the condition is longer than need be, never
 * wrong. */
#include "analyze/prove/ask_internal.h"
#include "analyze/prove/prove_internal.h"
#include "contract/reduce/expand.h"
#include "contract/reduce/expr.h"
#include "contract/reduce/simplify.h"

enum {
    MOST_NODES = 400,    /* parts of a condition that is still written out */
    MOST_QUESTIONS = 250 /* to the solver, to make it shorter */
};

/* A condition as `and` and `or` of any number of parts, which is easier to shorten than
 * pairs. */
typedef struct node node;
struct node {
    ct_op op; /* CT_AND, CT_OR, or CT_LITERAL: a leaf */
    const ct_expr *leaf;
    MT_VEC(node *) parts;
};

typedef struct writer {
    asker *k;
    size_t nodes, questions;
    bool may_fault; /* then parts guard each other: nothing is left out or turned */
} writer;

static node *write_out(writer *w, const ct_expr *e, bool negate);

static node *new_node(writer *w, ct_op op, const ct_expr *leaf)
{
    node *n = mt_new(w->k->a, node);
    n->op = op;
    n->leaf = leaf;
    w->nodes++;
    return n;
}

static bool is_constant(const node *n, bool value)
{
    return n->op == CT_LITERAL && n->leaf->op == CT_LITERAL &&
           n->leaf->value->boolean == value;
}

static node *constant(writer *w, bool value)
{
    ct_expr *e = ask_expr(w->k->a, CT_LITERAL, NULL, NULL);
    ct_value *v = mt_new(w->k->a, ct_value);
    v->boolean = value;
    e->value = v;
    return new_node(w, CT_LITERAL, e);
}

/* Adds a part; those of the same kind are merged, neutral ones dropped. */
static void add_part(writer *w, node *to, node *part)
{
    if (part->op == to->op) {
        for (size_t i = 0; i < part->parts.len; i++) {
            mt_vec_push(w->k->a, &to->parts, part->parts.items[i]);
        }
    } else if (!is_constant(part, to->op == CT_AND)) {
        mt_vec_push(w->k->a, &to->parts, part);
    }
}

/* false in an `and` decides it, true in an `or`; no part at all is the neutral one. */
static node *settled(writer *w, node *n)
{
    for (size_t i = 0; i < n->parts.len; i++) {
        if (is_constant(n->parts.items[i], n->op == CT_OR)) {
            return n->parts.items[i];
        }
    }
    if (n->parts.len == 1) {
        return n->parts.items[0];
    }
    return n->parts.len ? n : constant(w, n->op == CT_AND);
}

/* Left before right, so that parts that guard each other keep their order. */
static node *join(writer *w, ct_op op, node *x, node *y)
{
    node *n = new_node(w, op, NULL);
    add_part(w, n, x);
    add_part(w, n, y);
    return settled(w, n);
}

/* ---- Verdicts replaced by their conditions ---- */

static bool reads_verdict(const ct_expr *e)
{
    return e && (e->op == CT_PAYLOAD || e->op == CT_PRESENT || reads_verdict(e->left) ||
                 reads_verdict(e->right));
}

static bool reads_payload(const ct_expr *e)
{
    return e &&
           (e->op == CT_PAYLOAD || reads_payload(e->left) || reads_payload(e->right));
}

/* A payload is the term its rule writes if producing it changes nothing. Rounding to
 * the payload's scale would make it another number. */
static bool is_written(const ct_rule *r)
{
    const ct_type *to = r->payload_type, *from = r->payload->type;
    bool rounds =
        ct_is_decimal(to) && r->payload->op != CT_LITERAL &&
        (!ct_is_decimal(from) || from->as.decimal.scale > to->as.decimal.scale);
    bool whole = r->payload->op == CT_MAKE ||
                 (r->payload->op == CT_LITERAL && ct_held(from) >= LN_RECORD);
    return !rounds && !whole && !reads_payload(r->payload) && !ct_payload_may_fail(r);
}

static bool all_written(writer *w, const ct_expr *e)
{
    const ct_model *m = w->k->m;
    if (!e) {
        return true;
    }
    if (ct_expr_part_read(w->k->a, m, e)) {
        return !ct_payload_may_fail(&m->rules[e->left->index]);
    }
    if (e->op == CT_PAYLOAD) {
        return is_written(&m->rules[e->index]);
    }
    return all_written(w, e->left) && all_written(w, e->right);
}

/* Copies only the way down to a payload; expressions are shared otherwise. */
static const ct_expr *replaced(writer *w, const ct_expr *e)
{
    if (!e || !reads_payload(e)) {
        return e;
    }
    if (e->op == CT_PAYLOAD) {
        return w->k->m->rules[e->index].payload;
    }
    const ct_expr *part = ct_expr_part_read(w->k->a, w->k->m, e);
    if (part) {
        return part;
    }
    ct_expr *copy = mt_new(w->k->a, ct_expr);
    *copy = *e;
    copy->left = replaced(w, e->left);
    copy->right = replaced(w, e->right);
    return copy;
}

/* The conditions under which the payloads in `e` are there. */
static node *presence(writer *w, const ct_expr *e, node *with)
{
    if (!e) {
        return with;
    }
    if (e->op == CT_PAYLOAD) {
        return join(w, CT_AND, with,
                    write_out(w, w->k->m->rules[e->index].when, false));
    }
    return presence(w, e->right, presence(w, e->left, with));
}

static node *negated(writer *w, node *n);

/* Comparisons that read verdicts or may fault are negated as they are: turned round
 * they would be another condition. */
static const ct_expr *flipped(writer *w, const ct_expr *e)
{
    static const uint8_t OPPOSITE[6] = {
        [CT_EQ] = CT_NE, [CT_NE] = CT_EQ, [CT_LT] = CT_GE,
        [CT_LE] = CT_GT, [CT_GT] = CT_LE, [CT_GE] = CT_LT,
    };
    MT_TABLE_COVERS(OPPOSITE, CT_COMPARES);
    bool bare = e->op == CT_COMPARE && !reads_verdict(e) && !w->may_fault;
    if (e->op == CT_NOT) {
        return e->left;
    }
    if (!bare) {
        return ask_expr(w->k->a, CT_NOT, e, NULL);
    }
    ct_expr *copy = mt_new(w->k->a, ct_expr);
    *copy = *e;
    copy->compare = OPPOSITE[e->compare];
    return copy;
}

/* not forall is exists not; bodies of several parts stay, since they would become
 * longer. */
static const ct_expr *flipped_quantifier(writer *w, const ct_expr *e)
{
    if (reads_verdict(e->right) || w->may_fault || e->right->op == CT_AND ||
        e->right->op == CT_OR) {
        return ask_expr(w->k->a, CT_NOT, e, NULL);
    }
    ct_expr *copy = mt_new(w->k->a, ct_expr);
    *copy = *e;
    copy->op = e->op == CT_FORALL ? CT_EXISTS : CT_FORALL;
    copy->right = flipped(w, e->right);
    return copy;
}

/* De Morgan, down to the leaves. */
static node *negated(writer *w, node *n)
{
    if (n->op == CT_LITERAL) {
        const ct_expr *e = n->leaf;
        if (e->op == CT_LITERAL) {
            return constant(w, !e->value->boolean);
        }
        bool quantified = e->op == CT_FORALL || e->op == CT_EXISTS;
        return new_node(w, CT_LITERAL,
                        quantified ? flipped_quantifier(w, e) : flipped(w, e));
    }
    node *out = new_node(w, n->op == CT_AND ? CT_OR : CT_AND, NULL);
    for (size_t i = 0; i < n->parts.len; i++) {
        add_part(w, out, negated(w, n->parts.items[i]));
    }
    return settled(w, out);
}

/* Beyond MOST_NODES the rest stays as it is written: longer, and still right. */
static node *write_positive(writer *w, const ct_expr *e)
{
    const ct_model *m = w->k->m;
    if (w->nodes > MOST_NODES) {
        return new_node(w, CT_LITERAL, e);
    }
    if (e->op == CT_AND || e->op == CT_OR) {
        node *x = write_out(w, e->left, false);
        return join(w, (ct_op)e->op, x, write_out(w, e->right, false));
    }
    if (e->op == CT_NOT) {
        return write_out(w, e->left, true);
    }
    if (e->op == CT_PRESENT) {
        return write_out(w, m->rules[e->index].when, false);
    }
    bool quantified = e->op == CT_FORALL || e->op == CT_EXISTS;
    if (!quantified && reads_payload(e) && all_written(w, e)) {
        node *there = presence(w, e, constant(w, true));
        return join(w, CT_AND, there, new_node(w, CT_LITERAL, replaced(w, e)));
    }
    return new_node(w, CT_LITERAL, e);
}

static node *write_out(writer *w, const ct_expr *e, bool negate)
{
    node *n = write_positive(w, e);
    return negate ? negated(w, n) : n;
}

/* ---- Leaving out ---- */

static const ct_expr *as_expr(writer *w, const node *n)
{
    if (n->op == CT_LITERAL) {
        return n->leaf;
    }
    const ct_expr *e = as_expr(w, n->parts.items[0]);
    for (size_t i = 1; i < n->parts.len; i++) {
        e = ask_expr(w->k->a, n->op, e, as_expr(w, n->parts.items[i]));
    }
    return e;
}

static const an_claim *claim_of(writer *w, const node *n, bool negate)
{
    const an_claim *c = an_claim_holds(w->k->a, AN_FIRST, as_expr(w, n));
    return negate ? an_claim_not(w->k->a, c) : c;
}

/* What is known where part i of n is looked at. In an `and` the other parts hold, in an
 * `or` they fail: only there part i decides. */
static const an_claim *around(writer *w, const node *n, size_t i, const an_claim *known)
{
    for (size_t j = 0; j < n->parts.len; j++) {
        if (j != i) {
            const an_claim *c = claim_of(w, n->parts.items[j], n->op == CT_OR);
            known = an_claim_and(w->k->a, known, c);
        }
    }
    return known;
}

/* Out of questions counts as "not proven": the part stays. */
static bool never(writer *w, const an_claim *c)
{
    return w->questions++ < MOST_QUESTIONS &&
           an_prove_possible(ask_prover_of(w->k->q, w->k->member), w->k->a, c)
                   .possible == AN_NEVER;
}

/* From the last part on, so that of two equal parts the first stays, as it was
 * written. */
static node *shortened(writer *w, node *n, const an_claim *known)
{
    if (n->op == CT_LITERAL) {
        return n;
    }
    for (size_t i = n->parts.len; i-- > 0 && n->parts.len > 1;) {
        const an_claim *here = around(w, n, i, known);
        const an_claim *part = claim_of(w, n->parts.items[i], n->op == CT_AND);
        if (never(w, an_claim_and(w->k->a, here, part))) {
            n->parts.len--;
            memmove(&n->parts.items[i], &n->parts.items[i + 1],
                    (n->parts.len - i) * sizeof *n->parts.items);
        }
    }
    for (size_t i = 0; i < n->parts.len; i++) {
        n->parts.items[i] = shortened(w, n->parts.items[i], around(w, n, i, known));
    }
    return n->parts.len == 1 ? n->parts.items[0] : n;
}

/* ---- The answer ---- */

typedef struct weakest {
    an_possible holds, fails; /* for some fact set? */
    const ct_expr *condition; /* where both can be */
    bool exact;               /* proven to be the same */
    mt_str facts;             /* for which it holds */
    mt_str reason;
} weakest;

static bool rules_may_fault(const asker *k, const ct_expr *e)
{
    bool fault = ct_may_fail(e);
    for (uint32_t i = 0; i < k->m->rule_count && !fault; i++) {
        fault = ct_may_fail(k->m->rules[i].when);
    }
    return fault;
}

static bool same(asker *k, const an_claim *x, const an_claim *y)
{
    const an_claim *more = an_claim_and(k->a, x, an_claim_not(k->a, y));
    const an_claim *less = an_claim_and(k->a, y, an_claim_not(k->a, x));
    return an_prove_possible(ask_prover_of(k->q, k->member), k->a,
                             an_claim_or(k->a, more, less))
               .possible == AN_NEVER;
}

/* Never and always are settled before anything is written out. The comparison at the
 * end is what is claimed; all before it only finds candidates. */
static weakest weakest_of(asker *k, const ct_expr *e)
{
    weakest out = {0};
    writer w = {.k = k, .may_fault = rules_may_fault(k, e)};
    const an_claim *holds = an_claim_holds(k->a, AN_FIRST, e);
    an_answer found = an_prove_possible(ask_prover_of(k->q, k->member), k->a, holds);
    out.holds = found.possible;
    out.facts = found.facts;
    out.reason = found.reason;
    if (out.holds != AN_POSSIBLE) {
        return out;
    }
    out.fails = an_prove_possible(ask_prover_of(k->q, k->member), k->a,
                                  an_claim_not(k->a, holds))
                    .possible;
    if (out.fails == AN_NEVER) {
        out.exact = true;
        return out;
    }
    ct_expansion rules = {.model = k->m, .most = MOST_NODES};
    const ct_expr *plain = ct_simplify(k->a, ct_expand(k->a, &rules, e));
    node *n = write_out(&w, plain, false);
    if (!w.may_fault && n->op != CT_LITERAL) {
        n = shortened(&w, n, an_claim_holds(k->a, AN_FIRST, NULL));
    }
    out.condition = ct_simplify(k->a, as_expr(&w, n));
    out.exact = same(k, holds, an_claim_holds(k->a, AN_FIRST, out.condition));
    return out;
}

/* A condition that was shortened without proof is shown with that remark. */
static an_reply_kind say_condition(asker *k, const weakest *w)
{
    mt_str text = MT_STR("always");
    if (w->fails == AN_POSSIBLE || w->fails == AN_UNKNOWN) {
        text = ask_expr_text(k, w->condition);
    }
    mt_buf_addf(&k->text, "%s%.*s\n",
                w->exact ? "" : "not proven to be the same: ", MT_ARG(text));
    ask_say_facts(k, "for example", w->facts);
    ask_put_text(k, "condition", text);
    k->proof = w->exact ? "proven" : "none";
    return AN_REPLY_YES;
}

an_reply_kind ask_reply_when(asker *k, const ask_said *q)
{
    if (k->atoms.len) {
        ask_fault(k, &k->tokens.items[0], "this asks for a condition over facts alone");
        return AN_REPLY_FAULT;
    }
    weakest w = weakest_of(k, q->conditions[0]);
    if (w.holds == AN_POSSIBLE) {
        return say_condition(k, &w);
    }
    if (w.holds == AN_UNKNOWN) {
        return ask_unknown(k, w.reason);
    }
    mt_buf_addz(&k->text, "never (proven for every fact set)\n");
    ask_put_text(k, "condition", MT_STR("never"));
    k->proof = "proven";
    return AN_REPLY_NO;
}

/* ---- Why never ---- */

/* From the last part on, so that of two that say the same the first stays. */
static void least_conflict(writer *w, node *n)
{
    for (size_t i = n->parts.len; i-- > 0 && n->parts.len > 1;) {
        node *part = n->parts.items[i];
        n->parts.len--;
        memmove(&n->parts.items[i], &n->parts.items[i + 1],
                (n->parts.len - i) * sizeof *n->parts.items);
        if (!never(w, claim_of(w, n, false))) {
            memmove(&n->parts.items[i + 1], &n->parts.items[i],
                    (n->parts.len - i) * sizeof *n->parts.items);
            n->parts.items[i] = part;
            n->parts.len++;
        }
    }
}

void ask_conflict(asker *k, const ct_expr *e)
{
    writer w = {.k = k, .may_fault = rules_may_fault(k, e)};
    node *n = write_out(&w, e, false), alone = {.op = CT_AND};
    mt_buf b = {0};
    mt_jw j = mt_jw_start(&b, false);
    if (n->op != CT_AND) {
        mt_vec_push(k->a, &alone.parts, n);
        n = &alone;
    } else if (never(&w, claim_of(&w, n, false))) {
        least_conflict(&w, n);
    }
    mt_buf_addz(&k->text, n->parts.len > 1 ? "  these exclude each other:\n"
                                           : "  this never holds:\n");
    mt_jw_begin_array(&j);
    for (size_t i = 0; i < n->parts.len; i++) {
        mt_str text = ask_expr_text(k, as_expr(&w, n->parts.items[i]));
        mt_buf_addf(&k->text, "    %.*s\n", MT_ARG(text));
        mt_jw_str(&j, text);
    }
    mt_jw_end_array(&j);
    ask_put(k, "conflict", ask_kept(k, &b));
}
