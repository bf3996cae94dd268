/* analyze/prove/prove_facts.c - the facts of both contracts, one of each name.
 *
 * A comparison of two contracts asks about fact sets that both can read. So a fact
 * both have takes the values that both accept: the meet of its types, computed here
 * structure by structure. A fact that only one of them has is free for that one.
 *
 * When the types of a fact have nothing in common, no fact set suits both; `mismatch`
 * says so and every question is answered with it. A default that differs is used only
 * where the question leaves the fact out (pv_leave_out()). */
#include "analyze/prove/prove_internal.h"

static const ct_type *meet(mt_arena *a, const ct_type *x, const ct_type *y);

static bool same_texts(const mt_str *x, const mt_str *y, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mt_str_eq(x[i], y[i])) {
            return false;
        }
    }
    return true;
}

/* In the order of the first; values are compared by text. */
static const ct_type *meet_choices(mt_arena *a, const ct_type *x, const ct_type *y)
{
    if (x->count == y->count && same_texts(x->as.values, y->as.values, x->count)) {
        return x;
    }
    ct_type *t = mt_new(a, ct_type);
    mt_str *values = mt_new_array(a, mt_str, x->count);
    *t = *x;
    t->count = 0;
    t->as.values = values;
    for (uint32_t i = 0; i < x->count; i++) {
        if (ct_choice_find(y, x->as.values[i]) != CT_NONE) {
            values[t->count++] = x->as.values[i];
        }
    }
    return t->count ? t : NULL;
}

/* Fields and variants must be the same: JSON for one is then JSON for the other. */
static const ct_type *meet_parts(mt_arena *a, const ct_type *x, const ct_type *y)
{
    if (x->count != y->count) {
        return NULL;
    }
    ct_type *t = mt_new(a, ct_type);
    ct_field *fields = mt_new_array(a, ct_field, x->count);
    *t = *x;
    t->as.fields = fields;
    for (uint32_t i = 0; i < x->count; i++) {
        const ct_field *f = &x->as.fields[i], *g = &y->as.fields[i];
        fields[i] = *f;
        fields[i].type = mt_str_eq(f->name, g->name) ? meet(a, f->type, g->type) : NULL;
        if (!fields[i].type) {
            return NULL;
        }
    }
    return t;
}

/* Durations of different units are taken to have nothing in common. */
static const ct_type *meet_range(mt_arena *a, const ct_type *x, const ct_type *y)
{
    ct_type *t = mt_new(a, ct_type);
    *t = *x;
    if (y->as.range.min > t->as.range.min) {
        t->as.range.min = y->as.range.min;
    }
    if (y->as.range.max < t->as.range.max) {
        t->as.range.max = y->as.range.max;
    }
    bool empty = t->as.range.min > t->as.range.max || x->unit != y->unit;
    return empty ? NULL : t;
}

/* The fewer digits on both sides of the point. */
static const ct_type *meet_decimal(mt_arena *a, const ct_type *x, const ct_type *y)
{
    ct_type *t = mt_new(a, ct_type);
    uint32_t xw = x->as.decimal.precision - x->as.decimal.scale;
    uint32_t yw = y->as.decimal.precision - y->as.decimal.scale;
    *t = *x;
    if (y->as.decimal.scale < t->as.decimal.scale) {
        t->as.decimal.scale = y->as.decimal.scale;
    }
    t->as.decimal.precision = t->as.decimal.scale + (xw < yw ? xw : yw);
    return t;
}

static const ct_type *meet_list(mt_arena *a, const ct_type *x, const ct_type *y)
{
    ct_type *t = mt_new(a, ct_type);
    *t = *x;
    if (y->as.list.max < t->as.list.max) {
        t->as.list.max = y->as.list.max;
    }
    t->as.list.element = meet(a, x->as.list.element, y->as.list.element);
    return t->as.list.element ? t : NULL;
}

/* NULL: no JSON value is one of both types. */
static const ct_type *meet(mt_arena *a, const ct_type *x, const ct_type *y)
{
    if (x == y || x->base != y->base) {
        return x == y ? x : NULL;
    }
    switch (ct_held(x)) {
    case LN_INTEGER: return ct_has(x, LN_RANGED) ? meet_range(a, x, y) : x;
    case LN_DECIMAL:
        if (ct_has(x, LN_CURRENCY)) {
            return mt_str_eq(x->as.currency, y->as.currency) ? x : NULL;
        }
        return meet_decimal(a, x, y);
    case LN_TEXT: return x->as.max_length <= y->as.max_length ? x : y;
    case LN_CHOICE: return meet_choices(a, x, y);
    case LN_RECORD:
    case LN_VARIANT: return meet_parts(a, x, y);
    case LN_LIST: return meet_list(a, x, y);
    case LN_BOOLEAN:
    case LN_TIME: break;
    }
    return x;
}

/* A default counts only if both contracts have one, since a fact that is left out must
 * be acceptable to both. */
static void join_fact(an_prover *p, const ct_fact *fact)
{
    bool added;
    mt_map_entry *e = mt_map_add(&p->keep, &p->fact_names, fact->id, &added);
    if (added) {
        mt_vec_push(&p->keep, &p->facts,
                    ((pv_fact){.id = fact->id,
                               .type = fact->type,
                               .otherwise = fact->otherwise}));
        e->value = p->facts.len;
        return;
    }
    pv_fact *f = &p->facts.items[e->value - 1];
    f->type = f->type ? meet(&p->keep, f->type, fact->type) : NULL;
    f->otherwise = fact->otherwise ? f->otherwise : NULL;
    if (!f->type && !p->mismatch.len) {
        p->mismatch = mt_strf(&p->keep, "no value of fact '%.*s' is of both its types",
                              MT_ARG(f->id));
    }
}

bool pv_facts_join(an_prover *p)
{
    for (unsigned s = 0; s < p->side_count; s++) {
        const ct_model *m = p->sides[s].model;
        for (uint32_t i = 0; i < m->fact_count; i++) {
            join_fact(p, &m->facts[i]);
        }
    }
    return !p->mismatch.len;
}

/* Without a default the fact cannot be left out, and nothing happens. */
void pv_leave_out(an_prover *p, mt_str fact, bool yes)
{
    uintptr_t at = mt_map_get(&p->fact_names, fact, 0);
    if (at && p->facts.items[at - 1].otherwise) {
        p->facts.items[at - 1].left_out = yes;
    }
}

void pv_fix(an_prover *p, mt_str fact, const ct_value *value)
{
    uintptr_t at = mt_map_get(&p->fact_names, fact, 0);
    if (at) {
        p->facts.items[at - 1].fixed = value;
    }
}
