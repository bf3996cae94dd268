/* analyze/prove/prove_domain.c - free values of every type, and equality of any two.
 *
 * A fact is a constant of the solver per leaf: an integer with the bounds of its type,
 * a decimal as an integer of scaled digits, text or an enum value as the number of a
 * text that was met (two texts differ if their numbers do), a time in nanoseconds.
 * Records and unions are their parts, a list is a length and as many elements as
 * prove_lists.c says.
 *
 * What cannot be modelled exactly is opaque: a constant named after what it stands
 * for, so equal things are equal and nothing else is known. Using one sets `loose`,
 * and a "possible" then rests on the evaluator alone.
 *
 * Names of constants are paths, so both contracts of a comparison speak of the same
 * fact. Recursion follows the types, whose depth the loader has bounded. Nothing
 * fails; want of memory is noticed in prove_smt.c. */
#include "analyze/prove/prove_internal.h"
#include "base/utf8.h"

/* The first day of year 1 and the last of year 9999, from 1970. */
static const int64_t FIRST_DAY = -719162, LAST_DAY = 2932896;
enum { NANO_DIGITS = 9 };

pv_sym *pv_scalar(an_prover *p, const ct_type *type, Z3_ast v)
{
    pv_sym *s = mt_new(&p->tmp, pv_sym);
    s->type = type;
    s->v = v;
    return s;
}

pv_sym *pv_number(an_prover *p, const ct_type *type, Z3_ast v, unsigned scale,
                  unsigned digits)
{
    pv_sym *s = pv_scalar(p, type, v);
    s->scale = scale;
    s->digits = digits;
    return s;
}

/* Numbers are given for good, so formulas of one question after the other agree. */
Z3_ast pv_text(an_prover *p, mt_str text)
{
    bool added;
    mt_str kept = mt_str_dup(&p->keep, text);
    mt_map_entry *e = mt_map_add(&p->keep, &p->texts, kept, &added);
    if (added) {
        mt_vec_push(&p->keep, &p->text_list, kept);
        e->value = p->text_list.len;
    }
    return pv_int(p, (int64_t)e->value - 1);
}

/* The solver shares equal terms, so the ids of both arguments name the place. */
Z3_ast pv_opaque(an_prover *p, Z3_sort sort, const char *what, Z3_ast a, Z3_ast b)
{
    p->loose = true;
    mt_str name = mt_strf(&p->tmp, "?%s %u %u", what, Z3_get_ast_id(p->z, a),
                          Z3_get_ast_id(p->z, b));
    return pv_constant(p, name, sort);
}

/* Holds for every value of the type; asserted beside each question. */
static void bound(an_prover *p, Z3_ast fact)
{
    mt_vec_push(&p->tmp, &p->bounds, fact);
}

/* ---- Free values ---- */

/* A whole number of the solver between these two, both included. */
static pv_sym *free_range(an_prover *p, const ct_type *type, mt_str path, int64_t least,
                          int64_t most)
{
    Z3_ast v = pv_constant(p, path, p->int_sort);
    bound(p, pv_between(p, v, pv_int(p, least), pv_int(p, most)));
    return pv_scalar(p, type, v);
}

/* A Decimal has at most 28 digits, however many were declared. */
static pv_sym *free_decimal(an_prover *p, const ct_type *type, mt_str path)
{
    unsigned precision = type->as.decimal.precision, scale = type->as.decimal.scale;
    Z3_ast v = pv_constant(p, path, p->int_sort);
    if (precision > MT_DECIMAL_MAX_SCALE) {
        bool small = p->world == PV_SMALL;
        unsigned digits = small && scale > p->money_scale ? p->money_scale : scale;
        unsigned most = MT_DECIMAL_DIGITS + (small ? 0 : digits);
        p->restricted |= small;
        precision -= scale - digits;
        precision = precision > most ? most : precision;
        scale = digits;
    }
    bound(p, pv_within(p, v, pv_power(p, precision)));
    return pv_number(p, type, v, scale, precision);
}

/* Money is any decimal: of few digits in the small world, of all in the large one. */
static pv_sym *free_money(an_prover *p, const ct_type *type, mt_str path)
{
    Z3_ast v = pv_constant(p, path, p->int_sort);
    unsigned scale = p->world == PV_SMALL ? p->money_scale : MT_DECIMAL_MAX_SCALE;
    unsigned zeros = p->world == PV_SMALL ? 0 : MT_DECIMAL_MAX_SCALE;
    p->restricted |= p->world == PV_SMALL;
    bound(p, pv_within(p, v, pv_word(p, zeros)));
    return pv_number(p, type, v, scale, MT_DECIMAL_DIGITS + zeros);
}

/* In nanoseconds, as one integer: comparisons need no second part. */
static pv_sym *free_time(an_prover *p, const ct_type *type, mt_str path)
{
    Z3_ast v = pv_constant(p, path, p->int_sort), unit = pv_power(p, NANO_DIGITS);
    Z3_ast first = pv_mul(p, pv_int(p, FIRST_DAY * 86400), unit);
    Z3_ast end = pv_mul(p, pv_int(p, (LAST_DAY + 1) * 86400), unit);
    bound(p, pv_and(p, pv_le(p, first, v), pv_lt(p, v, end)));
    return pv_scalar(p, type, v);
}

/* By the number of its text and not by index: two contracts may order values
 * differently. */
static pv_sym *free_choice(an_prover *p, const ct_type *type, mt_str path, bool is_tag)
{
    Z3_ast v = pv_constant(p, path, p->int_sort), any = p->no;
    for (uint32_t i = 0; i < type->count; i++) {
        mt_str text = is_tag ? type->as.variants[i].name : type->as.values[i];
        any = pv_or(p, any, pv_eq(p, v, pv_text(p, text)));
    }
    bound(p, any);
    return pv_scalar(p, type, v);
}

/* `list_path` has [] for every position, so what is known about a list holds for all of
 * its elements. */
static void free_parts(an_prover *p, pv_sym *s, mt_str path, mt_str list_path,
                       const char *join)
{
    const ct_type *t = s->type;
    s->count = t->count;
    s->parts = mt_new_array(&p->tmp, pv_sym *, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_str name = t->as.fields[i].name;
        s->parts[i] = pv_free_sym(
            p, t->as.fields[i].type,
            mt_strf(&p->tmp, "%.*s%s%.*s", MT_ARG(path), join, MT_ARG(name)),
            mt_strf(&p->tmp, "%.*s%s%.*s", MT_ARG(list_path), join, MT_ARG(name)));
    }
}

/* `whole`: every list of the type fits into the elements that are written out. A list
 * without bound has a few in the small world, which can show that something is
 * possible, and none in the large one, which can prove that it is not. */
static pv_sym *free_list(an_prover *p, const ct_type *type, mt_str path,
                         mt_str list_path)
{
    const pv_list *list = pv_list_at(p, list_path);
    size_t max = type->as.list.max;
    uint32_t elements = list ? list->elements : 0;
    enum { FEW = 3 };
    bool boundless = elements == UINT32_MAX;
    if (boundless) {
        elements = p->world == PV_SMALL ? FEW : 0;
        p->restricted |= p->world == PV_SMALL;
        max = p->world == PV_SMALL ? FEW : max;
    }
    mt_str length = mt_strf(&p->tmp, "%.*s#", MT_ARG(path));
    pv_sym *s = free_range(p, type, length, 0, (int64_t)max);
    s->name = path;
    s->opaque = !list || (boundless && p->world == PV_LARGE);
    s->whole = elements >= max && !s->opaque;
    s->count = elements;
    s->parts = mt_new_array(&p->tmp, pv_sym *, elements);
    mt_str inner = mt_strf(&p->tmp, "%.*s[]", MT_ARG(list_path));
    for (uint32_t i = 0; i < elements; i++) {
        s->parts[i] = pv_free_sym(p, type->as.list.element,
                                  mt_strf(&p->tmp, "%.*s[%u]", MT_ARG(path), i), inner);
    }
    return s;
}

/* All payloads exist side by side; the tag says which one is looked at. */
static pv_sym *free_union(an_prover *p, const ct_type *type, mt_str path,
                          mt_str list_path)
{
    pv_sym *s = free_choice(p, type, mt_strf(&p->tmp, "%.*s|", MT_ARG(path)), true);
    free_parts(p, s, path, list_path, "|");
    return s;
}

static pv_sym *free_value(an_prover *p, const ct_type *type, mt_str path,
                          mt_str list_path)
{
    pv_sym *s;
    switch (ct_held(type)) {
    case LN_BOOLEAN: return pv_scalar(p, type, pv_constant(p, path, p->bool_sort));
    case LN_INTEGER:
        return ct_is_day(type)
                   ? free_range(p, type, path, FIRST_DAY, LAST_DAY)
                   : free_range(p, type, path, type->as.range.min, type->as.range.max);
    case LN_TIME: return free_time(p, type, path);
    case LN_DECIMAL:
        return ct_has(type, LN_CURRENCY) ? free_money(p, type, path)
                                         : free_decimal(p, type, path);
    case LN_CHOICE: return free_choice(p, type, path, false);
    case LN_TEXT:
        s = pv_scalar(p, type, pv_constant(p, path, p->int_sort));
        mt_vec_push(&p->tmp, &p->text_leaves, s);
        return s;
    case LN_RECORD:
        s = pv_scalar(p, type, NULL);
        free_parts(p, s, path, list_path, ".");
        return s;
    case LN_VARIANT: return free_union(p, type, path, list_path);
    case LN_LIST: return free_list(p, type, path, list_path);
    }
    MT_BUG("unknown base type");
}

/* Leaves are remembered: a model of the solver is read back from them. */
pv_sym *pv_free_sym(an_prover *p, const ct_type *type, mt_str path, mt_str list_path)
{
    pv_sym *s = free_value(p, type, path, list_path);
    s->name = s->name.len ? s->name : path;
    if (s->v) {
        mt_vec_push(&p->tmp, &p->leaves, s);
    }
    return s;
}

/* Text is one of those that were met, as far as it is not too long, or another. */
void pv_text_bounds(an_prover *p)
{
    Z3_ast empty = pv_text(p, MT_STR(""));
    for (size_t i = 0; i < p->text_leaves.len; i++) {
        const pv_sym *s = p->text_leaves.items[i];
        size_t longest = s->type->as.max_length;
        bound(p, pv_le(p, pv_int(p, 0), s->v));
        for (size_t k = 0; k < p->text_list.len; k++) {
            if (mt_utf8_count(p->text_list.items[k]) > longest) {
                bound(p, pv_not(p, pv_eq(p, s->v, pv_int(p, (int64_t)k))));
            }
        }
        if (!longest) {
            bound(p, pv_eq(p, s->v, empty));
        }
    }
}

/* ---- Literals ---- */

/* As printed and without the dot, since 96 bits do not fit a machine integer. */
static pv_sym *decimal_literal(an_prover *p, const ct_type *type, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT], digits[MT_DECIMAL_TEXT];
    size_t len = mt_decimal_print(d, text), kept = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '.') {
            digits[kept++] = text[i];
        }
    }
    return pv_number(p, type, pv_digits(p, mt_str_from(digits, kept)), d.scale,
                     (unsigned)kept);
}

/* Nanoseconds since 1970, as free_time() has them. */
static Z3_ast time_literal(an_prover *p, ct_time t)
{
    return pv_add(p, pv_mul(p, pv_int(p, t.seconds), pv_power(p, NANO_DIGITS)),
                  pv_int(p, t.nanos));
}

/* Two literals have one name only if they are the same. */
static mt_str literal_name(an_prover *p, const ct_type *type, const ct_value *value)
{
    mt_buf b = {0};
    ct_value_json(&b, type, value);
    mt_str name = mt_str_dup(&p->tmp, mt_buf_str(&b));
    mt_buf_free(&b);
    return name;
}

/* Records in the order of their slots, lists element by element. */
static pv_sym *literal_parts(an_prover *p, const ct_type *type, const ct_value *value)
{
    pv_sym *s = pv_scalar(p, type, NULL);
    bool is_list = ct_held(type) == LN_LIST;
    const ct_type *element = is_list ? type->as.list.element : NULL;
    s->count = is_list ? value->list.count : type->count;
    s->parts = mt_new_array(&p->tmp, pv_sym *, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        s->parts[i] =
            is_list
                ? pv_literal(p, element, value->list.items + (size_t)i * element->slots)
                : pv_literal(p, type->as.fields[i].type,
                             value + type->as.fields[i].offset);
    }
    if (is_list) {
        s->v = pv_int(p, s->count);
        s->whole = true;
        s->name = literal_name(p, type, value);
    }
    return s;
}

/* Payloads of other variants than the literal's are never looked at. */
static pv_sym *union_literal(an_prover *p, const ct_type *type, const ct_value *value)
{
    uint32_t tag = value->variant.tag;
    pv_sym *s = pv_scalar(p, type, pv_text(p, type->as.variants[tag].name));
    s->count = type->count;
    s->parts = mt_new_array(&p->tmp, pv_sym *, type->count);
    s->parts[tag] = pv_literal(p, type->as.variants[tag].type, value->variant.payload);
    return s;
}

pv_sym *pv_literal(an_prover *p, const ct_type *type, const ct_value *value)
{
    switch (ct_held(type)) {
    case LN_BOOLEAN: return pv_scalar(p, type, value->boolean ? p->yes : p->no);
    case LN_INTEGER: return pv_scalar(p, type, pv_int(p, value->integer));
    case LN_TIME: return pv_scalar(p, type, time_literal(p, value->time));
    case LN_DECIMAL: return decimal_literal(p, type, value->decimal);
    case LN_TEXT: return pv_scalar(p, type, pv_text(p, value->text));
    case LN_CHOICE:
        return pv_scalar(p, type, pv_text(p, type->as.values[value->choice]));
    case LN_RECORD:
    case LN_LIST: return literal_parts(p, type, value);
    case LN_VARIANT: return union_literal(p, type, value);
    }
    MT_BUG("unknown base type");
}

/* ---- Either of two ---- */

Z3_ast pv_scaled(an_prover *p, const pv_sym *s, unsigned scale)
{
    return s->scale == scale ? s->v : pv_mul(p, s->v, pv_power(p, scale - s->scale));
}

/* To the larger scale: scaling up is exact. */
void pv_align(an_prover *p, const pv_sym *a, const pv_sym *b, Z3_ast *x, Z3_ast *y)
{
    unsigned scale = a->scale > b->scale ? a->scale : b->scale;
    *x = pv_scaled(p, a, scale);
    *y = pv_scaled(p, b, scale);
}

/* Part i; a list's last element stands for all after it. */
static pv_sym *part_at(const pv_sym *s, uint32_t i)
{
    if (i < s->count) {
        return s->parts[i];
    }
    bool repeats = ct_held(s->type) == LN_LIST && !s->whole && s->count;
    return repeats ? s->parts[s->count - 1] : NULL;
}

/* NULL parts (payloads that are never looked at) give way to
 * the other side. The name has the id of the condition, so
 * that two such lists are one only if they are chosen alike. */
pv_sym *pv_sym_if(an_prover *p, Z3_ast c, pv_sym *a, pv_sym *b)
{
    if (!a || !b || a == b || c == p->yes || c == p->no) {
        return !a || (b && c == p->no) ? b : a;
    }
    pv_sym *s = pv_scalar(p, a->type, NULL);
    if (a->v) {
        Z3_ast x, y;
        pv_align(p, a, b, &x, &y);
        s->v = pv_if(p, c, x, y);
    }
    s->scale = a->scale > b->scale ? a->scale : b->scale;
    unsigned x = a->digits + s->scale - a->scale, y = b->digits + s->scale - b->scale;
    s->digits = x > y ? x : y;
    s->whole = a->whole && b->whole;
    s->opaque = a->opaque || b->opaque;
    s->name = mt_strf(&p->tmp, "(%.*s|%.*s %u)", MT_ARG(a->name), MT_ARG(b->name),
                      Z3_get_ast_id(p->z, c));
    s->count = a->count > b->count ? a->count : b->count;
    s->parts = mt_new_array(&p->tmp, pv_sym *, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        s->parts[i] = pv_sym_if(p, c, part_at(a, i), part_at(b, i));
    }
    return s;
}

/* Made once for a question, when something first reads the fact: what nobody reads is
 * left to the witness. */
pv_sym *pv_fact_sym(an_prover *p, uint32_t fact)
{
    pv_fact *f = &p->facts.items[fact];
    if (f->s) {
        return f->s;
    }
    f->s = pv_free_sym(p, f->type, f->id, f->id);
    if (f->otherwise && ct_held(f->type) < LN_RECORD) {
        const pv_sym *given = pv_literal(p, f->type, f->otherwise);
        f->s->plain =
            given->scale <= f->s->scale ? pv_scaled(p, given, f->s->scale) : NULL;
    }
    if (p->near) {
        uint32_t at = ct_model_find(p->sides[0].model, CT_KIND_FACT, f->id);
        pv_set_near(p, f->s, pv_literal(p, f->type, ct_facts_value(p->near, at)));
    }
    return f->s;
}

/* ---- Equality ---- */

/* Lists that are not written out whole are equal by name, or by a constant of their own
 * that nothing else is known of. */
static Z3_ast lists_equal(an_prover *p, const pv_sym *a, const pv_sym *b)
{
    if (!a->whole || !b->whole || a->opaque || b->opaque) {
        p->loose = true;
        mt_str name =
            mt_strf(&p->tmp, "?= %.*s %.*s", MT_ARG(a->name), MT_ARG(b->name));
        return mt_str_eq(a->name, b->name) ? p->yes
                                           : pv_constant(p, name, p->bool_sort);
    }
    Z3_ast all = pv_eq(p, a->v, b->v);
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        Z3_ast in = pv_lt(p, pv_int(p, i), a->v);
        all = pv_and(p, all,
                     pv_or(p, pv_not(p, in), pv_sym_eq(p, a->parts[i], b->parts[i])));
    }
    return all;
}

/* The payloads count only where both have that tag. */
static Z3_ast unions_equal(an_prover *p, const pv_sym *a, const pv_sym *b)
{
    Z3_ast all = pv_eq(p, a->v, b->v);
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        if (a->parts[i] && b->parts[i]) {
            Z3_ast other =
                pv_not(p, pv_eq(p, a->v, pv_text(p, a->type->as.variants[i].name)));
            all =
                pv_and(p, all, pv_or(p, other, pv_sym_eq(p, a->parts[i], b->parts[i])));
        }
    }
    return all;
}

Z3_ast pv_sym_eq(an_prover *p, const pv_sym *a, const pv_sym *b)
{
    Z3_ast x, y, all = p->yes;
    if (ct_has(a->type, LN_UNIT)) {
        x = pv_mul(p, a->v, pv_int(p, CT_UNIT_SECONDS[a->type->unit]));
        y = pv_mul(p, b->v, pv_int(p, CT_UNIT_SECONDS[b->type->unit]));
        return pv_eq(p, x, y);
    }
    if (ct_held(a->type) == LN_RECORD) {
        for (uint32_t i = 0; i < a->count; i++) {
            all = pv_and(p, all, pv_sym_eq(p, a->parts[i], b->parts[i]));
        }
        return all;
    }
    if (ct_held(a->type) == LN_LIST) {
        return lists_equal(p, a, b);
    }
    if (ct_held(a->type) == LN_VARIANT) {
        return unions_equal(p, a, b);
    }
    pv_align(p, a, b, &x, &y);
    return pv_eq(p, x, y);
}
