/* analyze/explain/explain_deep.c - a condition's tree, all its reasons, its remedies.
 *
 * One walk answers both questions. A reason of a false `and` is a reason of one false
 * part, of a true one reasons of both parts together; to change a false `and` all its
 * false parts have to change. So the sets that decide and the sets that would change it
 * are built alike, with "one of" and "all of" in each other's place. A verdict stands
 * for the condition of its rule: what is left are parts that read facts.
 *
 * In this order: sets, the walk, the remedies, JSON. INVARIANTS: no set holds another;
 * parts the evaluator would not have come to are in none; a part that may fail and
 * comes first is in every set beside what it guards. What would have to change is told
 * in facts and is asked of the partial evaluator, which says exactly when it comes out
 * otherwise, or that it never does: then it is not told.
 *
 * Bounded: MAX_ATOMS, MAX_SETS, MAX_CHANGES, MAX_NODES, MAX_DEPTH; what is beyond is
 * left out, and said to be. Nothing can fail: a condition without a value has no
 * reasons. */
#include "analyze/explain/explain_deep.h"

#include "base/vec.h"
#include "contract/flow/partly.h"
#include "contract/flow/text.h"
#include "contract/flow/why.h"
#include "contract/reduce/expr.h"
#include "contract/reduce/may_fail.h"

enum {
    MAX_ATOMS = 256, /* different parts over facts */
    MAX_SETS = 32,
    MAX_CHANGES = 16,
    MAX_NODES = 2000, /* of the condition, verdicts written out */
    MAX_DEPTH = 48,
    WORDS = MAX_ATOMS / 64
};

/* ---- Sets of atoms ---- */

/* Bit i is atom i of `atoms`. */
typedef struct set {
    uint64_t bits[WORDS];
} set;

/* Alternatives: any one of the sets does. An empty family has no way at all, a family
 * of the empty set one that needs nothing. */
typedef struct family {
    set sets[MAX_SETS];
    size_t len;
} family;

typedef struct deep {
    mt_arena a;
    mt_jw *w;
    const ct_snapshot *s;
    ct_partial *x;
    const ct_model *m;
    ct_reasons atoms;
    size_t nodes;  /* looked at so far */
    bool left_out; /* something did not fit */
} deep;

/* Is every atom of `small` in `big`? A set holds itself. */
static bool holds_set(const set *big, const set *small)
{
    for (int i = 0; i < WORDS; i++) {
        if (small->bits[i] & ~big->bits[i]) {
            return false;
        }
    }
    return true;
}

/* Unless one is there that it holds; those that hold it go: only the smallest are kept.
 * Beyond MAX_SETS it is dropped, and left_out says so. */
static void add_set(deep *d, family *f, const set *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->len; i++) {
        if (holds_set(s, &f->sets[i])) {
            return;
        }
    }
    for (size_t i = 0; i < f->len; i++) {
        if (!holds_set(&f->sets[i], s)) {
            f->sets[kept++] = f->sets[i];
        }
    }
    f->len = kept;
    if (f->len == MAX_SETS) {
        d->left_out = true;
        return;
    }
    f->sets[f->len++] = *s;
}

/* Either family does: the union, without what is larger than needed. */
static void one_of(deep *d, family *to, const family *more)
{
    for (size_t i = 0; i < more->len; i++) {
        add_set(d, to, &more->sets[i]);
    }
}

/* Both are needed: each set of one joined with each of the other. */
static void all_of(deep *d, family *to, const family *more)
{
    family *out = mt_new(&d->a, family);
    for (size_t i = 0; i < to->len; i++) {
        for (size_t j = 0; j < more->len; j++) {
            set both = to->sets[i];
            for (int k = 0; k < WORDS; k++) {
                both.bits[k] |= more->sets[j].bits[k];
            }
            add_set(d, out, &both);
        }
    }
    *to = *out;
}

/* ---- The walk ---- */

/* What decides a condition, and what would change it. */
typedef struct sides {
    bool ok; /* it has a value */
    bool value;
    family why, flip;
} sides;

static void ask(deep *d, const ct_expr *e, unsigned depth, sides *out);

/* SIZE_MAX: no more fit. Atoms that are written alike are one, wherever they stand. */
static size_t number_of(deep *d, const ct_reason *r)
{
    for (size_t i = 0; i < d->atoms.len; i++) {
        if (ct_expr_same(d->atoms.items[i].atom, r->atom)) {
            return i;
        }
    }
    if (d->atoms.len == MAX_ATOMS) {
        d->left_out = true;
        return SIZE_MAX;
    }
    mt_vec_push(&d->a, &d->atoms, *r);
    return d->atoms.len - 1;
}

static void put(deep *d, set *s, const ct_reason *r)
{
    size_t i = number_of(d, r);
    if (i != SIZE_MAX) {
        s->bits[i / 64] |= UINT64_C(1) << i % 64;
    }
}

/* What a comparison with a payload reads is decided by the rule, too. */
static void add_verdicts(deep *d, const ct_used *used, unsigned depth, sides *out)
{
    for (uint32_t i = 0; i < used->verdict_count; i++) {
        sides *rule = mt_new(&d->a, sides);
        ask(d, d->m->rules[used->verdicts[i]].when, depth + 1, rule);
        if (rule->ok) {
            all_of(d, &out->why, &rule->why);
            one_of(d, &out->flip, &rule->flip);
        }
    }
}

/* A quantifier is told by the elements that decide it (contract/flow/why.h). `whole`:
 * what it reads is not looked into. */
static void ask_atom(deep *d, const ct_expr *e, unsigned depth, bool whole, sides *out)
{
    ct_fault fault = {0};
    ct_reasons reasons = {0};
    set s = {0};
    out->ok = !ct_why(&d->a, d->s, e, &out->value, &reasons, &fault);
    for (size_t i = 0; out->ok && i < reasons.len; i++) {
        put(d, &s, &reasons.items[i]);
    }
    if (out->ok) {
        add_set(d, &out->why, &s);
        add_set(d, &out->flip, &s);
    }
    for (size_t i = 0; !whole && out->ok && i < reasons.len; i++) {
        add_verdicts(d, &reasons.items[i].used, depth, out);
    }
}

/* One part decides: the left one, or either. */
static void either_decides(deep *d, const ct_expr *e, sides *out, const sides *right)
{
    if (right->ok && right->value == out->value) {
        if (!ct_may_fail(e->left)) {
            one_of(d, &out->why, &right->why);
        }
        all_of(d, &out->flip, &right->flip);
    }
}

/* `and` is decided by a false part, `or` by a true one. */
static void ask_connective(deep *d, const ct_expr *e, unsigned depth, sides *out)
{
    bool decides = e->op == CT_OR;
    sides *right = mt_new(&d->a, sides);
    ask(d, e->left, depth + 1, out);
    if (!out->ok) {
        return;
    }
    ask(d, e->right, depth + 1, right);
    if (out->value == decides) {
        either_decides(d, e, out, right);
        return;
    }
    if (!right->ok) {
        out->ok = false;
        return;
    }
    if (right->value == decides) {
        if (ct_may_fail(e->left)) {
            all_of(d, &right->why, &out->why);
        }
        *out = *right;
    } else {
        all_of(d, &out->why, &right->why);
        one_of(d, &out->flip, &right->flip);
    }
}

/* Depth falls with the strata of verdicts and the nesting of the condition, both
 * bounded by the loader; beyond the bounds a part is one atom. */
static void ask(deep *d, const ct_expr *e, unsigned depth, sides *out)
{
    bool plain = depth > MAX_DEPTH || d->nodes++ >= MAX_NODES;
    if (!plain && (e->op == CT_AND || e->op == CT_OR)) {
        ask_connective(d, e, depth, out);
    } else if (!plain && e->op == CT_NOT) {
        ask(d, e->left, depth + 1, out);
        out->value = !out->value;
    } else if (!plain && e->op == CT_PRESENT) {
        ask(d, d->m->rules[e->index].when, depth + 1, out);
    } else {
        d->left_out |= plain;
        ask_atom(d, e, depth, plain, out);
    }
}

/* ---- Remedies ---- */

/* The facts that the set's atoms rest on. */
static bool *facts_of(deep *d, const set *s)
{
    bool *facts = mt_new_array(&d->a, bool, d->m->fact_count + 1);
    for (size_t i = 0; i < d->atoms.len; i++) {
        if (!(s->bits[i / 64] >> i % 64 & 1)) {
            continue;
        }
        uint32_t count;
        const uint32_t *roots =
            ct_why_roots(&d->a, d->s, &d->atoms.items[i].used, &count);
        for (uint32_t k = 0; k < count; k++) {
            facts[roots[k]] = true;
        }
    }
    return facts;
}

/* Ids of the facts, in the order of the contract. */
static void names(deep *d, const bool *facts)
{
    mt_jw_begin_array(d->w);
    for (uint32_t i = 0; i < d->m->fact_count; i++) {
        if (facts[i]) {
            mt_jw_str(d->w, d->m->facts[i].id);
        }
    }
    mt_jw_end_array(d->w);
}

/* With these facts unknown and all others as they are: when does it come out
 * otherwise? False: never, or that cannot be said. */
static bool confirmed(deep *d, const ct_expr *e, const bool *facts, bool value,
                      mt_str *when)
{
    ct_fault fault = {0};
    if (ct_partial_evaluate(d->x, d->s->facts, facts, &fault)) {
        return false;
    }
    ct_left left = ct_partial_predicate(d->x, e, &fault);
    if (left.state != CT_PARTLY_OPEN) {
        return false;
    }
    *when = ct_partly_text(
        &d->a, d->x, value ? ct_expr_new(&d->a, CT_NOT, left.when, NULL) : left.when);
    return true;
}

/* Different sets of atoms may rest on the same facts, and then say the same. */
static bool was_told(bool *const *told, size_t count, const bool *facts, size_t len)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(told[i], facts, len * sizeof *facts) == 0) {
            return true;
        }
    }
    return false;
}

/* Asked only as long as fewer than MAX_CHANGES
 * were confirmed: each costs a partial evaluation. */
static void changes(deep *d, const ct_expr *e, const sides *s)
{
    bool *told[MAX_CHANGES];
    size_t count = 0;
    mt_str when;
    mt_jw_keyz(d->w, "changes");
    mt_jw_begin_array(d->w);
    for (size_t i = 0; s->ok && i < s->flip.len && count < MAX_CHANGES; i++) {
        bool *facts = facts_of(d, &s->flip.sets[i]);
        if (was_told(told, count, facts, d->m->fact_count) ||
            !confirmed(d, e, facts, s->value, &when)) {
            continue;
        }
        told[count++] = facts;
        mt_jw_begin_object(d->w);
        mt_jw_key_str(d->w, "condition", when);
        mt_jw_keyz(d->w, "facts");
        names(d, facts);
        mt_jw_end_object(d->w);
    }
    mt_jw_end_array(d->w);
}

/* ---- Reasons ---- */

static mt_str text_of(deep *d, const ct_expr *e)
{
    mt_buf b = {0};
    ct_expr_text(&b, d->m, e);
    mt_str text = mt_str_dup(&d->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* {"amount": 3}: the facts of one atom with their values. The
 * empty raw text writes nothing but what has to stand before
 * a value; ct_value_plain() appends to the buffer itself. */
static void values(deep *d, const ct_used *used)
{
    mt_jw_begin_unsorted(d->w);
    for (uint32_t i = 0; i < used->fact_count; i++) {
        const ct_fact *f = &d->m->facts[used->facts[i]];
        mt_jw_key(d->w, f->id);
        mt_jw_raw(d->w, MT_STR(""));
        ct_value_plain(d->w->out, f->type, ct_facts_value(d->s->facts, used->facts[i]));
    }
    mt_jw_end_object(d->w);
}

/* {"parts": […], "rests_on": […]}: the atoms of one set, and all facts behind them,
 * also those that are read through verdicts. */
static void reason(deep *d, const set *s)
{
    mt_jw_begin_object(d->w);
    mt_jw_keyz(d->w, "parts");
    mt_jw_begin_array(d->w);
    for (size_t i = 0; i < d->atoms.len; i++) {
        const ct_reason *r = &d->atoms.items[i];
        if (s->bits[i / 64] >> i % 64 & 1) {
            mt_jw_begin_object(d->w);
            mt_jw_key_str(d->w, "condition", text_of(d, r->atom));
            mt_jw_keyz(d->w, "facts");
            values(d, &r->used);
            mt_jw_key_bool(d->w, "value", r->value);
            mt_jw_end_object(d->w);
        }
    }
    mt_jw_end_array(d->w);
    mt_jw_keyz(d->w, "rests_on");
    names(d, facts_of(d, s));
    mt_jw_end_object(d->w);
}

static void reasons(deep *d, const sides *s)
{
    mt_jw_keyz(d->w, "reasons");
    mt_jw_begin_array(d->w);
    for (size_t i = 0; s->ok && i < s->why.len; i++) {
        reason(d, &s->why.sets[i]);
    }
    mt_jw_end_array(d->w);
    if (d->left_out) {
        mt_jw_key_bool(d->w, "reasons_left_out", true);
    }
}

/* ---- The tree ---- */

static const char *kind_of(const ct_expr *e)
{
    return e->op == CT_AND       ? "and"
           : e->op == CT_OR      ? "or"
           : e->op == CT_NOT     ? "not"
           : e->op == CT_FORALL  ? "forall"
           : e->op == CT_EXISTS  ? "exists"
           : e->op == CT_PRESENT ? "verdict"
                                 : "atom";
}

static void tree(deep *d, const ct_expr *e, unsigned depth);

/* Members of and, or and not, and the rule behind a verdict; nothing for what has none.
 * Deeper than the bounds a node stands without its parts. */
static void parts(deep *d, const ct_expr *e, unsigned depth)
{
    bool two = e->op == CT_AND || e->op == CT_OR;
    if (depth > MAX_DEPTH || d->nodes > MAX_NODES ||
        (!two && e->op != CT_NOT && e->op != CT_PRESENT)) {
        return;
    }
    mt_jw_keyz(d->w, "parts");
    mt_jw_begin_array(d->w);
    tree(d, e->op == CT_PRESENT ? d->m->rules[e->index].when : e->left, depth + 1);
    if (two) {
        tree(d, e->right, depth + 1);
    }
    mt_jw_end_array(d->w);
}

/* Each node is evaluated for itself, also where the evaluator would not have come to
 * it; one that has no value then has no "value". */
static void tree(deep *d, const ct_expr *e, unsigned depth)
{
    ct_fault fault = {0};
    ct_used used;
    bool value;
    d->nodes++;
    bool failed = ct_holds_expr(d->s, e, &value, &d->a, &used, &fault);
    mt_jw_begin_object(d->w);
    mt_jw_key_str(d->w, "condition", text_of(d, e));
    mt_jw_key_str(d->w, "of", mt_str_z(kind_of(e)));
    parts(d, e, depth);
    if (!failed) {
        mt_jw_key_bool(d->w, "value", value);
    }
    if (e->op == CT_PRESENT) {
        mt_jw_key_str(d->w, "verdict", d->m->rules[e->index].verdict);
    }
    mt_jw_end_object(d->w);
}

void an_explain_deep(mt_jw *w, const ct_snapshot *s, ct_partial *x, const ct_expr *e)
{
    deep d = {.w = w, .s = s, .x = x, .m = ct_partial_model(x)};
    sides *all = mt_new(&d.a, sides);
    ask(&d, e, 0, all);
    mt_jw_begin_object(w);
    changes(&d, e, all);
    reasons(&d, all);
    d.nodes = 0;
    mt_jw_keyz(w, "tree");
    tree(&d, e, 0);
    mt_jw_end_object(w);
    mt_arena_free(&d.a);
}
