/* contract/front/pass4_parts.c - records, lists and unions that are written out, and
 * whether a value always fits where it is put.
 *
 * `{ a: i }`, `[1, i]` and `Cash(i)` have no type of their own: fr_structure_type() is
 * given the type of their place (the other side of a comparison, the payload) and
 * goes down both side by side. Each part is a literal, a term, or such a value again,
 * and must always fit what it stands for, since a well-typed contract has no type
 * errors while it runs (§4.1). A payload has digits behind the dot rounded (§13.4),
 * with a warning; a condition rounds nothing, so there they are refused.
 *
 * Every fault is reported at its own part, late, because the suite knows no such
 * values; a value with a fault is FR_UNKNOWN, and nothing more is said about it.
 * Recursion follows the tree, whose depth source_depth bounds. */
#include "contract/front/check.h"
#include "contract/front/suggest.h"

bool fr_is_structured(const fr_expr *e)
{
    return e->kind == FR_X_LIST || e->kind == FR_X_RECORD || e->kind == FR_X_ENTRY;
}

/* ---- does it fit? ---- */

/* Both must have a range; units are for the caller to compare. */
bool fr_contains(const fr_type *outer, const fr_type *inner)
{
    return inner->min >= outer->min && inner->max <= outer->max;
}

/* Digits before the dot that values of a number can have. */
static uint32_t whole_digits(const fr_type *t)
{
    if (fr_is_int(t)) {
        unsigned low = fr_digits(t->min), high = fr_digits(t->max);
        return low > high ? low : high;
    }
    return t->precision > t->scale ? t->precision - t->scale : 0;
}

/* Does every value of `have` fit `want`? Both have the same base, or `have` is an Int
 * and becomes a Decimal. Digits behind the dot are rounded away (§13.4), so those
 * before it decide. */
static bool always_fits(const fr_type *want, const fr_type *have)
{
    if (fr_is_decimal(want)) {
        return whole_digits(have) <= whole_digits(want);
    }
    if (fr_has(want, LN_RANGED)) {
        return fr_contains(want, have);
    }
    if (fr_has(want, LN_CURRENCY)) {
        return want->name == have->name;
    }
    if (fr_holds(want, LN_TEXT)) {
        return have->length <= want->length;
    }
    bool whole =
        fr_has(want, LN_PARTED) || fr_holds(want, LN_LIST) || fr_holds(want, LN_CHOICE);
    return !whole || fr_type_equal(want, have);
}

/* Empty when the value always fits: there are no run-time type errors in a contract
 * that is well-typed (§4.1). */
mt_str fr_value_fault(fr_check *k, const fr_type *want, const fr_expr *e)
{
    const fr_type *have = e->type;
    bool tolerated = false;
    if (e->kind == FR_X_STR && fr_holds(want, LN_TEXT) && !want->length) {
        return MT_STR(""); /* a bare Text takes the length of its literal */
    }
    if (e->kind == FR_X_STR && fr_is_decimal(want) &&
        !ct_exact_decimal(fr_str(k->u, e->sym))) {
        return mt_strf(k->u->keep, "%.*s has more than 28 digits",
                       FR_ARG(k->u, e->sym));
    }
    if (fr_is_literal(e)) {
        return fr_literal_fault(k->u, want, e, &tolerated);
    }
    bool widened = fr_is_decimal(want) && fr_has(have, LN_NUMBER);
    if (want->base != have->base && !widened) {
        return mt_strf(k->u->keep, "%s is needed, this is %s",
                       fr_type_text(k->u, k->u->keep, want).ptr,
                       fr_type_text(k->u, k->u->keep, have).ptr);
    }
    if (fr_has(want, LN_UNIT) && want->name != have->name) {
        return mt_strf(k->u->keep,
                       "it is counted in %.*s, the payload in %.*s, and nothing is "
                       "converted",
                       FR_ARG(k->u, have->name), FR_ARG(k->u, want->name));
    }
    return always_fits(want, have)
               ? MT_STR("")
               : mt_strf(k->u->keep, "a value of %s does not always fit %s",
                         fr_type_spell(k->u, k->u->keep, have).ptr,
                         fr_type_spell(k->u, k->u->keep, want).ptr);
}

/* ---- parts ---- */

/* At the part itself, not where the suite would show it. */
static fr_place part_at(const fr_check *k, const fr_expr *e)
{
    fr_place at = fr_check_at(k, e, true);
    at.tok = e->tok;
    at.hint = k->in_payload ? "change the part, or the type of the payload" : NULL;
    return at;
}

/* Comparisons never round: what a Decimal cannot hold is never equal. */
static bool loses_digits(const fr_check *k, const fr_type *want, const fr_expr *e)
{
    bool wider = !fr_is_literal(e) && fr_is_decimal(want) && fr_is_decimal(e->type) &&
                 e->type->scale > want->scale;
    return fr_is_decimal(want) && (wider || fr_literal_loses(k->u, want, e));
}

/* Stricter than a payload as a whole: there a bare Text takes the length of its
 * literal, while the type of a part says how long it may be. */
static mt_str part_fault(fr_check *k, const fr_type *want, const fr_expr *e)
{
    if (fr_holds(want, LN_TEXT) && want->bare) {
        return MT_STR("its type is a Text without max_length; write Text(20), for "
                      "example, in the type");
    }
    if (fr_has(want, LN_UNIT) && e->kind == FR_X_INT) {
        return MT_STR("a Duration is needed, this is an Int");
    }
    if (fr_holds(want, LN_TEXT) && e->kind == FR_X_STR) {
        bool tolerated = false;
        return fr_literal_fault(k->u, want, e, &tolerated);
    }
    mt_str fault = fr_value_fault(k, want, e);
    if (fault.len || k->in_payload || !loses_digits(k, want, e)) {
        return fault;
    }
    mt_str type = fr_type_spell(k->u, k->u->keep, want);
    return fr_is_literal(e)
               ? mt_strf(k->u->keep,
                         "%.*s has more digits behind the dot than %s keeps",
                         FR_ARG(k->u, e->sym), type.ptr)
               : mt_strf(k->u->keep,
                         "it can have more digits behind the dot than %s keeps",
                         type.ptr);
}

/* Only a payload comes here with digits too many: a condition was refused. */
static void warn_rounded(fr_check *k, const fr_type *want, const fr_expr *e)
{
    if (fr_is_decimal(want) && fr_literal_loses(k->u, want, e)) {
        fr_report(k->u, FR_E_PAYLOAD_ROUNDED, part_at(k, e),
                  "%.*s has more digits behind the dot than the payload keeps: %u",
                  FR_ARG(k->u, e->sym), want->scale);
    }
}

/* One part that must be a value of `want`; false after a report. */
static bool check_part(fr_check *k, fr_expr *e, const fr_type *want)
{
    if (fr_is_structured(e)) {
        return !fr_is_unknown(fr_structure_type(k, e, want));
    }
    if (fr_is_unknown(fr_term_type(k, e, false)) || fr_is_unknown(want)) {
        return false;
    }
    mt_str fault = part_fault(k, want, e);
    if (!fault.len) {
        warn_rounded(k, want, e);
        return true;
    }
    fr_place at = part_at(k, e);
    if (fr_holds(want, LN_CHOICE) && e->kind == FR_X_STR) {
        at = fr_meant_value(k->u, at, want, (fr_name){e->sym, e->tok});
    }
    fr_report(k->u, FR_E_LITERAL_PART, at, "%.*s", MT_ARG(fault));
    return false;
}

/* ---- records ---- */

static bool unknown_field(fr_check *k, const fr_expr *entry, const fr_type *of)
{
    fr_place at = fr_exactly(part_at(k, entry), entry->tok, entry->tok);
    at.hint = NULL;
    fr_report(k->u, FR_E_FIELD_UNKNOWN,
              fr_meant_field(k->u, at, of, (fr_name){entry->sym, entry->tok}),
              "the record has no field '%.*s'", FR_ARG(k->u, entry->sym));
    return false;
}

/* All of them at once. */
static bool missing_fields(fr_check *k, const fr_expr *e, const fr_type *t,
                           const bool *there)
{
    mt_buf names = {0};
    unsigned count = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (!there[i]) {
            mt_buf_addf(&names, "%s'%.*s'", count++ ? ", " : "",
                        FR_ARG(k->u, t->fields[i].name));
        }
    }
    if (count) {
        fr_place at = part_at(k, e);
        at.hint = k->in_payload ? "add the fields" : NULL;
        fr_report(k->u, FR_E_LITERAL_FIELDS, at, "field%s %.*s %s missing",
                  count > 1 ? "s" : "", MT_ARG(mt_buf_str(&names)),
                  count > 1 ? "are" : "is");
    }
    mt_buf_free(&names);
    return !count;
}

/* Both are sorted by name. */
static bool check_fields(fr_check *k, fr_expr *e, const fr_type *t)
{
    bool *there = mt_new_array(k->u->keep, bool, t->field_count + 1), good = true;
    for (uint32_t i = 0, at = 0; i < e->sym2; i++) {
        fr_expr *entry = e->items[i];
        int order = -1;
        while (at < t->field_count &&
               (order = fr_sym_cmp(k->u, entry->sym, t->fields[at].name)) > 0) {
            at++;
        }
        if (at == t->field_count || order) {
            good = unknown_field(k, entry, t);
            continue;
        }
        there[at] = true;
        good &= check_part(k, entry->left, t->fields[at].type);
        entry->type = entry->left->type;
    }
    return missing_fields(k, e, t, there) && good;
}

/* ---- the whole ---- */

/* What stands there, for people; what is needed is told by the type. */
static const char *shape_of(const fr_expr *e)
{
    return e->kind == FR_X_LIST     ? "a List"
           : e->kind == FR_X_RECORD ? "a Record"
                                    : "a value of a TaggedUnion";
}

static bool wrong_shape(fr_check *k, const fr_expr *e, const fr_type *want)
{
    fr_place at = part_at(k, e);
    bool tag = fr_holds(want, LN_VARIANT);
    at.hint = tag ? "begin with the tag: Tag { ... }, or Tag(value)" : at.hint;
    fr_report(k->u, FR_E_LITERAL_PART, at, "%s is needed, this is %s",
              fr_type_spell(k->u, k->u->keep, want).ptr, shape_of(e));
    return false;
}

/* Elements are looked at even if there are too many, so that all faults come at
 * once. */
static bool check_elements(fr_check *k, fr_expr *e, const fr_type *want)
{
    bool good = true;
    if (e->sym2 > want->limit) {
        fr_report(k->u, FR_E_LITERAL_PART, part_at(k, e),
                  "the list has %u elements, at most %u fit", e->sym2, want->limit);
        good = false;
    }
    for (uint32_t i = 0; i < e->sym2; i++) {
        good &= check_part(k, e->items[i], want->element);
    }
    return good;
}

static bool unknown_tag(fr_check *k, const fr_expr *e, const fr_type *want)
{
    fr_place at = fr_exactly(part_at(k, e), e->tok, e->tok);
    at.hint = NULL;
    fr_report(k->u, FR_E_UNION_TAG,
              fr_meant_field(k->u, at, want, (fr_name){e->sym, e->tok}),
              "'%.*s' is not a variant of the union", FR_ARG(k->u, e->sym));
    return false;
}

/* `Tag(value)` for any payload, `Tag { ... }` for a record. */
static bool check_union(fr_check *k, fr_expr *e, const fr_type *want)
{
    if (!e->sym) {
        return wrong_shape(k, e, want);
    }
    const fr_type *variant = fr_type_field_of(k->u, want, e->sym);
    if (!variant) {
        return unknown_tag(k, e, want);
    }
    if (e->kind == FR_X_ENTRY) {
        return check_part(k, e->left, variant);
    }
    return fr_holds(variant, LN_RECORD) ? check_fields(k, e, variant)
                                        : wrong_shape(k, e, variant);
}

/* Counts as a use of the type, so that it is not warned of as unused. */
const fr_type *fr_named_structure(fr_check *k, const fr_expr *e)
{
    fr_typedecl *decl =
        e->kind == FR_X_RECORD && e->sym ? fr_find(k->u, FR_TYPEDECL, e->sym) : NULL;
    if (!decl || decl->head.broken || !fr_holds(decl->type, LN_RECORD)) {
        return NULL;
    }
    decl->head.used = true;
    return decl->type;
}

/* A word before the brace of a record is the name of its type. */
static bool check_record(fr_check *k, fr_expr *e, const fr_type *want)
{
    const fr_type *named = fr_named_structure(k, e);
    if (e->sym && (!named || !fr_type_equal(named, want))) {
        fr_place at = fr_exactly(part_at(k, e), e->tok, e->tok);
        at.hint = "leave the word before the brace out";
        fr_report(k->u, FR_E_LITERAL_PART,
                  named ? at : fr_meant_type(k->u, at, (fr_name){e->sym, e->tok}),
                  named ? "the type '%.*s' is another one than is needed here"
                        : "'%.*s' is not a declared Record type",
                  FR_ARG(k->u, e->sym));
        return false;
    }
    return check_fields(k, e, want);
}

/* The type is known to be wrong; names inside are still looked at. */
static bool check_names(fr_check *k, fr_expr *e)
{
    if (e->kind == FR_X_ENTRY) {
        check_part(k, e->left, &FR_UNKNOWN);
        return false;
    }
    for (uint32_t i = 0; i < e->sym2; i++) {
        fr_expr *item = e->items[i];
        check_part(
            k, item->kind == FR_X_ENTRY && e->kind == FR_X_RECORD ? item->left : item,
            &FR_UNKNOWN);
    }
    return false;
}

/* A literal and a type that do not go together are told once, by their shapes; parts
 * are then not looked at. */
const fr_type *fr_structure_type(fr_check *k, fr_expr *e, const fr_type *want)
{
    bool good;
    if (fr_is_unknown(want)) {
        good = check_names(k, e);
    } else if (fr_holds(want, LN_VARIANT) && e->kind != FR_X_LIST) {
        good = check_union(k, e, want);
    } else if (fr_holds(want, LN_RECORD) && e->kind == FR_X_RECORD) {
        good = check_record(k, e, want);
    } else if (fr_holds(want, LN_LIST) && e->kind == FR_X_LIST) {
        good = check_elements(k, e, want);
    } else {
        good = wrong_shape(k, e, want);
    }
    e->type = good ? want : &FR_UNKNOWN;
    return e->type;
}

/* Nothing says which type it is, unless it does itself. `word(...)` in a file that
 * imports may be a tag or a function; the second does not exist. */
const fr_type *fr_untyped_structure(fr_check *k, fr_expr *e)
{
    const fr_type *named = fr_named_structure(k, e);
    if (named) {
        return fr_structure_type(k, e, named);
    }
    fr_place at = part_at(k, e);
    at.hint = NULL;
    if (e->kind == FR_X_LIST) {
        at.hint = k->in_payload ? "write the payload with its type: verdict NAME { "
                                  "payload: List(element_type: Int(0, 9), max: 5) = "
                                  "[...] }"
                                : "compare with a fact: my_list = [1, 2]";
    } else if (k->in_payload) {
        at.hint = "write the payload with its type: verdict NAME { payload: Record { "
                  "... } = { ... } }, or name a declared one: Point { x: 1 }";
    }
    fr_report(k->u, FR_E_LITERAL_UNTYPED, at, "nothing says which type this %s has",
              e->kind == FR_X_LIST     ? "list"
              : e->kind == FR_X_RECORD ? "record"
                                       : "union");
    check_names(k, e);
    return &FR_UNKNOWN;
}
