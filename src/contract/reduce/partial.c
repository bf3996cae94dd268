/* contract/reduce/partial.c - rules evaluated as far as known facts go.
 *
 * Rules are taken in their order. One that reads nothing unknown (fact, open verdict)
 * is run as compiled code: for that the program is compiled a second time with the
 * conditions of its rules as conditions of their own. Any other is walked: a term has a
 * value, or is left as it is written; a comparison of two values is decided, one with a
 * value on one side keeps the value as a literal, any other stays. `and` and `or` are
 * combined in the order of evaluation: what follows a part that is left is kept unless
 * the part cannot fail and what follows decides. A quantifier over a known list is
 * written out, element by element, with list[i] in the variable's place; over an
 * unknown one its body is walked. The result goes through ct_simplify().
 *
 * Terms that stay are written as they were, known facts by their names: a literal in
 * arithmetic would change the type of the result. So every text reads back, and a term
 * that fails because of known facts still does.
 *
 * INVARIANT: for each completion of the facts what is left comes to what the original
 * does, errors included. What may fail: a rule that ends in an error whatever is
 * unknown; the fault is that of its own atom. Recursion follows expressions, whose
 * depth the loader has bounded; MOST_PARTS bounds what is written out of one
 * quantifier. */
#include "contract/reduce/partial.h"

#include <stdlib.h>

#include "base/vec.h"
#include "contract/eval/term.h"
#include "contract/reduce/expand.h"
#include "contract/reduce/expr.h"
#include "contract/reduce/holes.h"
#include "contract/reduce/may_fail.h"
#include "contract/reduce/simplify.h"

enum {
    MOST_PARTS = 256, /* left of the elements of one list */
    FEW_PARTS = 8,    /* are kept without asking whether they are fewer than before */
    MOST_ELEMENTS =
        1 << 18,    /* of all lists in one condition; others stay as they are */
    MOST_FLAT = 400 /* nodes that verdicts become when they are written out */
};

const char *const CT_PARTLY_NAMES[4] = {
    [CT_PARTLY_ABSENT] = "absent",
    [CT_PARTLY_PRESENT] = "present",
    [CT_PARTLY_OPEN] = "depends",
    [CT_PARTLY_FAILS] = "fails",
};
MT_TABLE_COVERS(CT_PARTLY_NAMES, CT_PARTLY_FAILS + 1);

/* What a condition reads, found once. */
typedef struct reads {
    uint32_t *facts, *verdicts, *payloads;
    uint32_t fact_count, verdict_count, payload_count;
} reads;

struct ct_partial {
    const ct_model *model;
    const ct_program *program; /* conditions: those of rules, then the model's */
    ct_verdicts *verdicts, *scratch;
    ct_facts *filled;   /* for the fault of an atom: unknown facts have some value */
    mt_arena keep;      /* program and reads */
    mt_arena work;      /* of one evaluation */
    const reads *reads; /* by condition of the program */
    const reads *terms; /* by rule: of its payload */
    ct_left *rules;
    ct_left *shown;        /* the same with verdicts written out; made when asked for */
    const ct_expr **whens; /* by rule: OPEN: what is left; for ct_expand() */
    const ct_facts *facts;
    const bool *unknown;
};

/* ---- What is read ---- */

typedef struct reader {
    mt_arena *a;
    MT_VEC(uint32_t) facts, verdicts, payloads;
} reader;

static void look(reader *r, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_FACT) {
        mt_vec_push(r->a, &r->facts, e->index);
    } else if (e->op == CT_PRESENT) {
        mt_vec_push(r->a, &r->verdicts, e->index);
    } else if (e->op == CT_PAYLOAD) {
        mt_vec_push(r->a, &r->payloads, e->index);
    }
    look(r, e->left);
    look(r, e->right);
}

static reads reads_of(mt_arena *a, const ct_expr *e)
{
    reader r = {.a = a};
    look(&r, e);
    return (reads){.facts = r.facts.items,
                   .verdicts = r.verdicts.items,
                   .payloads = r.payloads.items,
                   .fact_count = (uint32_t)r.facts.len,
                   .verdict_count = (uint32_t)r.verdicts.len,
                   .payload_count = (uint32_t)r.payloads.len};
}

static bool has_payload(const ct_left *rule)
{
    return rule->state == CT_PARTLY_ABSENT ||
           (rule->state == CT_PARTLY_PRESENT && rule->payload);
}

/* Is all that is read known? */
static bool is_closed(const ct_partial *x, const reads *r)
{
    for (uint32_t i = 0; i < r->fact_count; i++) {
        if (x->unknown[r->facts[i]]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < r->verdict_count; i++) {
        if (x->rules[r->verdicts[i]].state == CT_PARTLY_OPEN) {
            return false;
        }
    }
    for (uint32_t i = 0; i < r->payload_count; i++) {
        if (!has_payload(&x->rules[r->payloads[i]])) {
            return false;
        }
    }
    return true;
}

/* ---- Making one ---- */

ct_partial *ct_partial_new(const ct_program *p)
{
    ct_partial *x = mt_xmalloc(sizeof *x);
    const ct_model *m = ct_program_model(p);
    *x = (ct_partial){.model = m};
    mt_arena *a = &x->keep;
    uint32_t count = m->rule_count + m->condition_count;
    const ct_expr **all = mt_new_array(a, const ct_expr *, count + 1);
    reads *r = mt_new_array(a, reads, count + 1);
    reads *terms = mt_new_array(a, reads, m->rule_count + 1);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = ct_simplify(a, i < m->rule_count ? m->rules[i].when
                                                  : m->conditions[i - m->rule_count]);
        r[i] = reads_of(a, all[i]);
    }
    for (uint32_t i = 0; i < m->rule_count; i++) {
        terms[i] = reads_of(a, m->rules[i].payload);
    }
    ct_model *twin = mt_new(a, ct_model);
    *twin = *m;
    twin->conditions = all;
    twin->condition_count = count;
    x->program = ct_compile(a, twin);
    x->reads = r;
    x->terms = terms;
    x->verdicts = ct_verdicts_new(x->program);
    x->scratch = ct_verdicts_new(x->program);
    x->filled = ct_facts_new(m);
    x->rules = mt_new_array(a, ct_left, m->rule_count + 1);
    x->shown = mt_new_array(a, ct_left, m->rule_count + 1);
    x->whens = mt_new_array(a, const ct_expr *, m->rule_count + 1);
    return x;
}

void ct_partial_free(ct_partial *x)
{
    if (!x) {
        return;
    }
    ct_verdicts_free(x->verdicts);
    ct_verdicts_free(x->scratch);
    ct_facts_free(x->filled);
    mt_arena_free(&x->keep);
    mt_arena_free(&x->work);
    free(x);
}

void ct_partial_limit(ct_partial *x, ct_patience patience)
{
    ct_verdicts_limit(x->verdicts, patience);
}

/* ---- Terms ---- */

typedef enum state { KNOWN, OPEN, GONE, FAILS } state;

/* GONE: the payload of a verdict that is absent for certain. */
typedef struct term {
    state state;
    const ct_value *v; /* KNOWN */
    bool fails;        /* OPEN: it may */
    bool may_go;       /* OPEN: it may be the payload of an absent verdict */
} term;

/* What stands for a variable: an element of a known list, or a variable again. */
typedef struct binding {
    const ct_value *element;
    const ct_expr *list; /* the element is list[i] of this */
    uint32_t i;
    uint32_t depth; /* of the variable that is left */
} binding;

typedef struct walker {
    ct_partial *x;
    mt_arena *a;
    MT_VEC(binding) variables; /* by the depth they are written with */
    uint32_t depth;            /* quantifiers that are left around here */
    bool moved;                /* some variable is another one, or an element */
    uint32_t elements;         /* looked at so far */
    const ct_expr *failed;     /* the atom that ends it */
} walker;

static term value_term(const ct_value *v)
{
    return (term){.state = KNOWN, .v = v};
}

static ct_value *new_value(walker *w)
{
    return mt_alloc(w->a, sizeof(ct_value));
}

/* `r` is looked at after `l`, whose own end would come first. */
static term after(term l, term r, bool safe)
{
    if (l.state == FAILS || l.state == GONE) {
        return l;
    }
    bool sure = l.state == KNOWN || !l.fails;
    if (r.state == GONE && sure) {
        return r;
    }
    if (r.state == FAILS && sure && !(l.state == OPEN && l.may_go)) {
        return r;
    }
    return (term){.state = OPEN,
                  .fails = (l.state == OPEN && l.fails) || r.state == FAILS ||
                           (r.state == OPEN && r.fails) || !safe,
                  .may_go = (l.state == OPEN && l.may_go) || r.state == GONE ||
                            (r.state == OPEN && r.may_go)};
}

static term walk_term(walker *w, const ct_expr *e);

static term payload_term(const walker *w, uint32_t rule)
{
    const ct_left *r = &w->x->rules[rule];
    if (r->state == CT_PARTLY_ABSENT) {
        return (term){.state = GONE};
    }
    if (r->state == CT_PARTLY_PRESENT && r->payload) {
        return value_term(r->payload);
    }
    return (term){.state = OPEN, .may_go = r->state == CT_PARTLY_OPEN};
}

static term variant_term(walker *w, const ct_expr *e)
{
    term of = walk_term(w, e->left);
    if (of.state == KNOWN) {
        return of.v->variant.tag == e->index ? value_term(of.v->variant.payload)
                                             : (term){.state = FAILS};
    }
    of.fails |= of.state == OPEN;
    return of;
}

static term index_term(walker *w, const ct_expr *e)
{
    term list = walk_term(w, e->left), at = walk_term(w, e->right);
    if (list.state != KNOWN || at.state != KNOWN) {
        return after(list, at, false);
    }
    int64_t i = at.v->integer;
    if (i < 0 || i >= list.v->list.count) {
        return (term){.state = FAILS};
    }
    return value_term(list.v->list.items + (size_t)i * e->type->slots);
}

static term sum_term(walker *w, const ct_expr *e)
{
    term x = walk_term(w, e->left), y = walk_term(w, e->right);
    if (x.state != KNOWN || y.state != KNOWN) {
        return after(x, y, ct_arith_safe(e));
    }
    ct_value *out = new_value(w);
    return ct_term_arith(e, x.v, y.v, out) == MT_OK ? value_term(out)
                                                    : (term){.state = FAILS};
}

/* The number of a union's tag, or of a list's elements. */
static term count_term(walker *w, const ct_expr *e)
{
    term of = walk_term(w, e->left);
    if (of.state == KNOWN) {
        ct_value *out = new_value(w);
        if (e->op == CT_TAG) {
            out->choice = of.v->variant.tag;
        } else {
            out->integer = of.v->list.count;
        }
        of.v = out;
    }
    return of;
}

/* All parts have values: the whole, laid out as value.h says. */
static const ct_value *made_of(walker *w, const ct_expr *e, const ct_value *const *part)
{
    const ct_type *t = e->type;
    uint32_t count = ct_part_count(e);
    ct_value *v = mt_new_array(w->a, ct_value, t->slots + 1), *at = v;
    uint32_t step = 0;
    if (ct_held(t) == LN_LIST) {
        step = t->as.list.element->slots;
        at = mt_new_array(w->a, ct_value, (size_t)count * step + 1);
        v->list.items = at;
        v->list.count = count;
    } else if (ct_held(t) == LN_VARIANT) {
        at = mt_new_array(w->a, ct_value, t->as.variants[e->index].type->slots + 1);
        v->variant.payload = at;
        v->variant.tag = e->index;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool field = ct_held(t) == LN_RECORD;
        memcpy(at + (field ? t->as.fields[i].offset : (size_t)i * step), part[i],
               ct_part_of(e, i)->type->slots * sizeof *at);
    }
    return v;
}

/* Parts in their order: the first that fails or is gone ends it. */
static term made_term(walker *w, const ct_expr *e)
{
    uint32_t count = ct_part_count(e);
    const ct_value **values = mt_new_array(w->a, const ct_value *, count + 1);
    term all = {.state = KNOWN};
    for (uint32_t i = 0; i < count; i++) {
        term part = walk_term(w, ct_part_of(e, i));
        values[i] = part.v;
        if (all.state != KNOWN || part.state != KNOWN) {
            all = after(all, part, true);
        }
    }
    return all.state == KNOWN ? value_term(made_of(w, e, values)) : all;
}

static term fit_term(walker *w, const ct_expr *e)
{
    term of = walk_term(w, e->left);
    const ct_value *kept = of.v;
    if (of.state == KNOWN) {
        mt_err err = ct_term_fit(e->type, e->left->type, of.v, new_value(w), &kept);
        return err ? (term){.state = FAILS} : value_term(kept);
    }
    of.fails |= of.state == OPEN && !ct_fit_safe(e->type, e->left->type);
    return of;
}

static term walk_term(walker *w, const ct_expr *e)
{
    term of;
    switch ((ct_op)e->op) {
    case CT_LITERAL: return value_term(e->value);
    case CT_FACT:
        return w->x->unknown[e->index]
                   ? (term){.state = OPEN}
                   : value_term(ct_facts_value(w->x->facts, e->index));
    case CT_VARIABLE: {
        const ct_value *element = w->variables.items[e->index].element;
        return element ? value_term(element) : (term){.state = OPEN};
    }
    case CT_PAYLOAD: return payload_term(w, e->index);
    case CT_FIELD:
        of = walk_term(w, e->left);
        of.v =
            of.state == KNOWN ? of.v + e->left->type->as.fields[e->index].offset : NULL;
        return of;
    case CT_AMOUNT: return walk_term(w, e->left);
    case CT_VARIANT: return variant_term(w, e);
    case CT_TAG:
    case CT_LEN: return count_term(w, e);
    case CT_INDEX: return index_term(w, e);
    case CT_ADD:
    case CT_SUB:
    case CT_MUL: return sum_term(w, e);
    case CT_MAKE: return made_term(w, e);
    case CT_FIT: return fit_term(w, e);
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

/* ---- What is left, as it is written ---- */

static const ct_expr *variable_now(walker *w, const ct_expr *e)
{
    const binding *b = &w->variables.items[e->index];
    if (b->element) {
        return ct_expr_element(w->a, b->list, b->i);
    }
    if (b->depth == e->index) {
        return e;
    }
    ct_expr *moved = mt_alloc(w->a, sizeof *moved);
    *moved = *e;
    moved->index = b->depth;
    return moved;
}

static const ct_expr *as_written(walker *w, const ct_expr *e);

/* Inside, its variable is one that is left, whatever the list is. */
static const ct_expr *quantifier_as_written(walker *w, const ct_expr *e)
{
    const ct_expr *list = as_written(w, e->left);
    mt_vec_push(w->a, &w->variables, ((binding){.depth = w->depth}));
    w->depth++;
    const ct_expr *body = as_written(w, e->right);
    w->depth--;
    w->variables.len--;
    ct_expr *moved = mt_alloc(w->a, sizeof *moved);
    *moved = *e;
    moved->left = list;
    moved->right = body;
    moved->index = w->depth;
    return moved;
}

static const ct_expr *as_written(walker *w, const ct_expr *e)
{
    if (!w->moved || !e) {
        return e;
    }
    if (e->op == CT_VARIABLE) {
        return variable_now(w, e);
    }
    if (ct_is_quantifier(e)) {
        return quantifier_as_written(w, e);
    }
    if (!e->left) {
        return e;
    }
    const ct_expr *left = as_written(w, e->left);
    return ct_expr_with(w->a, e, left, as_written(w, e->right));
}

/* ---- Conditions ---- */

/* ORDER ct_partly. */
typedef enum outcome { FALSE, TRUE, LEFT, FAILED } outcome;

typedef struct found {
    outcome is;
    const ct_expr *e; /* LEFT, FAILED */
    bool fails;       /* LEFT: it may */
} found;

static found walk(walker *w, const ct_expr *e);

static found decided(bool value)
{
    return (found){.is = value ? TRUE : FALSE};
}

static found left(const ct_expr *e, bool fails)
{
    return (found){.is = LEFT, .e = e, .fails = fails};
}

/* It ends here. The first such atom is what the fault is about. */
static found failed(walker *w, const ct_expr *e)
{
    const ct_expr *atom = as_written(w, e);
    w->failed = w->failed ? w->failed : atom;
    return (found){.is = FAILED, .e = atom, .fails = true};
}

static const ct_expr *expr_of(const found *f)
{
    return f->is == TRUE || f->is == FALSE ? ct_expr_bool(f->is == TRUE) : f->e;
}

/* A known side as a literal of the language; NULL: it has none. */
static const ct_expr *literal_beside(walker *w, const ct_expr *side, const term *t,
                                     const ct_type *other)
{
    const ct_type *type = side->type;
    ln_held held = ct_held(type);
    if (t->state != KNOWN || held == LN_RECORD || held == LN_VARIANT ||
        held == LN_LIST) {
        return NULL;
    }
    if (side->op == CT_LITERAL) {
        return side;
    }
    if (held == LN_CHOICE) {
        uint32_t at = ct_choice_find(other, type->as.values[t->v->choice]);
        return at == CT_NONE ? NULL
                             : ct_expr_literal(w->a, other, (ct_value){.choice = at});
    }
    ct_expr *e = mt_alloc(w->a, sizeof *e);
    *e = (ct_expr){.op = CT_LITERAL, .type = type, .value = t->v};
    return e;
}

static found comparison(walker *w, const ct_expr *e)
{
    term x = walk_term(w, e->left), y = walk_term(w, e->right);
    if (x.state == KNOWN && y.state == KNOWN) {
        return decided(ct_term_compare(e, x.v, y.v));
    }
    term both = after(x, y, true);
    if (both.state == GONE) {
        return decided(false);
    }
    if (both.state == FAILS) {
        return failed(w, e);
    }
    const ct_expr *value = literal_beside(w, e->left, &x, e->right->type);
    if (value) {
        return left(ct_expr_compare(w->a, as_written(w, e->right),
                                    (ct_compare)CT_COMPARE_TURNED[e->compare], value),
                    both.fails);
    }
    const ct_expr *l = as_written(w, e->left);
    value = literal_beside(w, e->right, &y, e->left->type);
    return left(ct_expr_with(w->a, e, l, value ? value : as_written(w, e->right)),
                both.fails);
}

/* A Bool by itself. */
static found truth(walker *w, const ct_expr *e)
{
    term t = walk_term(w, e);
    return t.state == KNOWN   ? decided(t.v->boolean)
           : t.state == GONE  ? decided(false)
           : t.state == FAILS ? failed(w, e)
                              : left(as_written(w, e), t.fails);
}

static found presence(walker *w, const ct_expr *e)
{
    uint8_t verdict = w->x->rules[e->index].state;
    return verdict == CT_PARTLY_OPEN ? left(e, false)
                                     : decided(verdict == CT_PARTLY_PRESENT);
}

/* `x` is LEFT; `y` stands behind it in an `and` or an `or`. */
static found joined(walker *w, uint8_t op, const found *x, const found *y)
{
    outcome neutral = op == CT_AND ? TRUE : FALSE;
    if (y->is == neutral) {
        return *x;
    }
    if ((y->is == TRUE || y->is == FALSE) && !x->fails) {
        return *y;
    }
    return left(ct_expr_new(w->a, (ct_op)op, x->e, expr_of(y)), x->fails || y->fails);
}

/* What is behind a part that is left may be come to, or not: what fails there is no
 * fault of the whole. */
static found behind(walker *w, const ct_expr *e)
{
    const ct_expr *before = w->failed;
    found f = walk(w, e);
    w->failed = before;
    if (f.is == FAILED) {
        f.is = LEFT;
    }
    return f;
}

static found junction(walker *w, const ct_expr *e)
{
    found x = walk(w, e->left);
    if (x.is == FAILED || x.is == (e->op == CT_AND ? FALSE : TRUE)) {
        return x;
    }
    if (x.is != LEFT) {
        return walk(w, e->right);
    }
    found y = behind(w, e->right);
    return joined(w, e->op, &x, &y);
}

static found negation(walker *w, const ct_expr *e)
{
    found x = walk(w, e->left);
    if (x.is == LEFT || x.is == FAILED) {
        x.e = ct_expr_new(w->a, CT_NOT, x.e, NULL);
        return x;
    }
    return decided(x.is == FALSE);
}

/* A question about verdicts that nothing in the chain asks before. */
static bool asks_once(const ct_expr *chain, uint8_t op, const ct_expr *part)
{
    part = part->op == CT_NOT ? part->left : part;
    if (part->op != CT_PRESENT) {
        return false;
    }
    for (const ct_expr *e = chain; e; e = e->op == op ? e->left : NULL) {
        const ct_expr *x = e->op == op ? e->right : e;
        x = x->op == CT_NOT ? x->left : x;
        if (x->op != CT_PRESENT || x->index == part->index) {
            return false;
        }
    }
    return true;
}

/* What is surely as short as it can be, found without looking far: a comparison with a
 * type that has no bounds, different verdicts in a row. */
static bool is_short(const ct_expr *e)
{
    if (e->op == CT_COMPARE && e->right->op == CT_LITERAL) {
        ln_held held = ct_held(e->left->type);
        return e->left->op == CT_FACT && (held == LN_DECIMAL || held == LN_TIME) &&
               !ct_is_decimal(e->left->type);
    }
    uint8_t op = e->op;
    unsigned parts = 0;
    while ((op == CT_AND || op == CT_OR) && e->op == op) {
        if (++parts > FEW_PARTS || !asks_once(e->left, op, e->right)) {
            return false;
        }
        e = e->left;
    }
    return e->op == CT_PRESENT || (e->op == CT_NOT && e->left->op == CT_PRESENT);
}

/* What is left is made short, and may turn out to be decided. */
static void settle(ct_partial *x, found *f)
{
    if (f->is != LEFT || is_short(f->e)) {
        return;
    }
    f->e = ct_simplify(&x->work, f->e);
    if (ct_expr_is(f->e, true) || ct_expr_is(f->e, false)) {
        *f = decided(ct_expr_is(f->e, true));
    }
}

/* ---- Quantifiers ---- */

/* Over an unknown list: the body with its variable. What fails there fails only if the
 * list has an element. */
static found over_unknown(walker *w, const ct_expr *e, const term *list)
{
    const ct_expr *domain = as_written(w, e->left);
    bool moved = w->moved;
    mt_vec_push(w->a, &w->variables, ((binding){.depth = w->depth}));
    w->moved |= w->depth != e->index;
    w->depth++;
    found body = behind(w, e->right);
    w->depth--;
    w->variables.len--;
    w->moved = moved;
    bool fails = list->fails || body.fails;
    if (expr_of(&body) == e->right && domain == e->left && w->depth == e->index) {
        return left(e, fails);
    }
    ct_expr *q = mt_alloc(w->a, sizeof *q);
    *q = *e;
    q->left = domain;
    q->right = expr_of(&body);
    q->index = w->depth;
    return left(q, fails);
}

static found element_found(walker *w, const ct_expr *e, bool first)
{
    return first ? walk(w, e->right) : behind(w, e->right);
}

/* Element by element, joined as `and` or `or` would be. */
static found over_elements(walker *w, const ct_expr *e, const ct_value *list,
                           uint32_t *parts)
{
    uint8_t op = e->op == CT_FORALL ? CT_AND : CT_OR;
    outcome neutral = op == CT_AND ? TRUE : FALSE;
    found all = {.is = neutral};
    uint32_t slots = e->left->type->as.list.element->slots;
    for (uint32_t i = 0; i < list->list.count && *parts <= MOST_PARTS; i++) {
        w->elements++;
        binding *b = &w->variables.items[w->variables.len - 1];
        b->element = list->list.items + (size_t)i * slots;
        b->i = i;
        found one = element_found(w, e, all.is == neutral);
        *parts += one.is == LEFT;
        all = all.is == neutral ? one : joined(w, op, &all, &one);
        if (all.is != neutral && (all.is != LEFT || one.is == FAILED)) {
            break;
        }
    }
    return all;
}

/* More parts than the quantifier itself has are worse than the quantifier. */
static bool is_too_long(walker *w, const ct_expr *e, found *all, uint32_t parts)
{
    if (all->is != LEFT || parts <= FEW_PARTS) {
        return false;
    }
    if (parts > MOST_PARTS) {
        return true;
    }
    size_t most = 4 * FEW_PARTS + ct_expr_size(e, MOST_FLAT);
    settle(w->x, all);
    return all->is == LEFT && ct_expr_size(all->e, most + 1) > most;
}

static found over_known(walker *w, const ct_expr *e, const ct_value *list)
{
    const ct_expr *domain = as_written(w, e->left);
    bool moved = w->moved;
    uint32_t parts = 0;
    mt_vec_push(w->a, &w->variables, ((binding){.list = domain}));
    w->moved = true;
    found all = over_elements(w, e, list, &parts);
    w->variables.len--;
    w->moved = moved;
    return is_too_long(w, e, &all, parts) ? left(as_written(w, e), ct_may_fail(e))
                                          : all;
}

static found quantifier(walker *w, const ct_expr *e)
{
    term list = walk_term(w, e->left);
    switch (list.state) {
    case KNOWN:
        return w->elements < MOST_ELEMENTS ? over_known(w, e, list.v)
                                           : left(as_written(w, e), ct_may_fail(e));
    case GONE: return decided(false);
    case FAILS: return failed(w, e);
    case OPEN: break;
    }
    return over_unknown(w, e, &list);
}

static found walk(walker *w, const ct_expr *e)
{
    switch ((ct_op)e->op) {
    case CT_COMPARE: return comparison(w, e);
    case CT_PRESENT: return presence(w, e);
    case CT_AND:
    case CT_OR: return junction(w, e);
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
    case CT_FIT: break;
    }
    return truth(w, e);
}

/* ---- Faults ---- */

/* The atom fails whatever is unknown: the evaluator says how, with some values there.
 */
static mt_err fault_of(ct_partial *x, const ct_expr *atom, ct_fault *fault)
{
    bool holds;
    ct_facts_begin(x->filled);
    for (uint32_t i = 0; i < x->model->fact_count; i++) {
        const ct_value *v = x->unknown[i]
                                ? ct_some_value(&x->work, x->model->facts[i].type)
                                : ct_facts_value(x->facts, i);
        (void)ct_facts_set(x->filled, i, v, fault);
    }
    ct_snapshot s = {x->program, x->filled, x->verdicts};
    mt_err err = ct_holds_expr(&s, atom, &holds, &x->work, NULL, fault);
    if (!err) {
        MT_BUG("what fails for all values does not fail for some");
    }
    return err;
}

/* ---- Rules ---- */

static walker start(ct_partial *x)
{
    return (walker){.x = x, .a = &x->work};
}

static ct_left left_of(const found *f)
{
    return (ct_left){.state = (uint8_t)f->is, .when = f->e};
}

static ct_left predicate(ct_partial *x, const ct_expr *e, mt_err *err, ct_fault *fault)
{
    walker w = start(x);
    found f = walk(&w, e);
    *err = f.is == FAILED ? fault_of(x, w.failed, fault) : MT_OK;
    if (f.e != e) { /* as a whole it was made short before */
        settle(x, &f);
    }
    return left_of(&f);
}

/* `index` of the program's conditions. */
static ct_left condition(ct_partial *x, uint32_t index, mt_err *err, ct_fault *fault)
{
    const ct_expr *e = ct_program_model(x->program)->conditions[index];
    if (!is_closed(x, &x->reads[index])) {
        return predicate(x, e, err, fault);
    }
    bool holds = false;
    ct_snapshot s = {x->program, x->facts, x->verdicts};
    *err = ct_holds(&s, index, x->scratch, &holds, &x->work, NULL, fault);
    return (ct_left){.state = *err    ? CT_PARTLY_FAILS
                              : holds ? CT_PARTLY_PRESENT
                                      : CT_PARTLY_ABSENT,
                     .when = e};
}

/* `atom` fails as the rule's payload would: a comparison of the term with itself does.
 */
static mt_err payload_fault(ct_partial *x, const ct_rule *r, ct_fault *fault)
{
    const ct_expr *same = ct_expr_compare(&x->work, r->payload, CT_EQ, r->payload);
    return fault_of(x, same, fault);
}

/* The first verdict that is read and absent. */
static const ct_expr *first_absent(const ct_partial *x, const ct_expr *e)
{
    if (!e || e->op == CT_PAYLOAD) {
        return e && x->rules[e->index].state == CT_PARTLY_ABSENT ? e : NULL;
    }
    const ct_expr *absent = first_absent(x, e->left);
    return absent ? absent : first_absent(x, e->right);
}

static mt_err absent_fault(ct_partial *x, const ct_rule *r, ct_fault *fault)
{
    const ct_expr *e = first_absent(x, r->payload);
    *fault = (ct_fault){
        .kind = CT_FAULT_ABSENT_VERDICT,
        .message = mt_strf(&x->work, "payload reads verdict '%.*s', which is absent",
                           MT_ARG(x->model->rules[e->index].verdict))};
    return MT_E_TYPE;
}

static mt_err overflow_fault(ct_partial *x, const ct_rule *r, const ct_value *value,
                             ct_fault *fault)
{
    *fault = (ct_fault){.kind = CT_FAULT_OVERFLOW,
                        .message = ct_term_fit_text(&x->work, r, value)};
    return MT_E_OVERFLOW;
}

/* Of a verdict that is present, or may be: in the second case nothing fails yet. */
static mt_err payload(ct_partial *x, uint32_t index, ct_fault *fault)
{
    const ct_rule *r = &x->model->rules[index];
    ct_left *out = &x->rules[index];
    bool present = out->state == CT_PARTLY_PRESENT;
    walker w = start(x);
    term t = walk_term(&w, r->payload);
    const ct_value *value = t.v;
    if (t.state == KNOWN) {
        if (ct_term_fit(r->payload_type, r->payload->type, t.v, new_value(&w),
                        &value) == MT_OK) {
            out->payload = value;
            return MT_OK;
        }
        return present ? overflow_fault(x, r, t.v, fault) : MT_OK;
    }
    if (!present || t.state == OPEN) {
        return MT_OK;
    }
    return t.state == GONE ? absent_fault(x, r, fault) : payload_fault(x, r, fault);
}

/* A verdict that is present has a payload, though it may not be known: what is closed
 * does not read it. */
static void put(ct_partial *x, uint32_t index)
{
    static const ct_value NONE = {0};
    const ct_left *r = &x->rules[index];
    x->whens[index] = r->state == CT_PARTLY_OPEN
                          ? r->when
                          : ct_expr_bool(r->state == CT_PARTLY_PRESENT);
    if (r->state == CT_PARTLY_PRESENT) {
        ct_verdicts_put(x->verdicts, index, r->payload ? r->payload : &NONE);
    }
}

mt_err ct_partial_evaluate(ct_partial *x, const ct_facts *facts, const bool *unknown,
                           ct_fault *fault)
{
    mt_arena_reset(&x->work);
    ct_verdicts_clear(x->verdicts);
    x->facts = facts;
    x->unknown = unknown;
    *fault = (ct_fault){0};
    for (uint32_t i = 0; i < x->model->rule_count; i++) {
        mt_err err;
        x->rules[i] = condition(x, i, &err, fault);
        if (!err && x->rules[i].state != CT_PARTLY_ABSENT) {
            err = payload(x, i, fault);
        }
        if (err) {
            fault->rule = x->model->rules[i].id;
            return err;
        }
        put(x, i);
    }
    return MT_OK;
}

/* ---- Asking ---- */

const ct_expr *ct_partial_flat(ct_partial *x, const ct_expr *e)
{
    ct_expansion how = {x->model, x->whens, MOST_FLAT};
    walker w = start(x);
    const ct_expr *flat = ct_expand(&x->work, &how, e);
    found f = walk(&w, flat);
    return ct_simplify(&x->work, f.is == FAILED ? flat : expr_of(&f));
}

/* Verdicts written out may decide what is open: a condition and the verdict it reads
 * can exclude each other. */
static ct_left settled(ct_partial *x, ct_left left)
{
    if (left.state != CT_PARTLY_OPEN) {
        return left;
    }
    const ct_expr *flat = ct_partial_flat(x, left.when);
    if (ct_expr_is(flat, true)) {
        left.state = CT_PARTLY_PRESENT;
    } else if (ct_expr_is(flat, false)) {
        left = (ct_left){.state = CT_PARTLY_ABSENT, .when = left.when};
    }
    return left;
}

const ct_left *ct_partial_rule(ct_partial *x, uint32_t index)
{
    x->shown[index] = settled(x, x->rules[index]);
    return &x->shown[index];
}

ct_left ct_partial_condition(ct_partial *x, uint32_t index, ct_fault *fault)
{
    mt_err err;
    return settled(x, condition(x, x->model->rule_count + index, &err, fault));
}

ct_left ct_partial_predicate(ct_partial *x, const ct_expr *e, ct_fault *fault)
{
    mt_err err;
    return settled(x, predicate(x, ct_simplify(&x->work, e), &err, fault));
}

const ct_model *ct_partial_model(const ct_partial *x)
{
    return x->model;
}

bool ct_partial_unknown(const ct_partial *x, uint32_t fact)
{
    return x->unknown[fact];
}

const ct_facts *ct_partial_facts(const ct_partial *x)
{
    return x->facts;
}
