/* contract/eval/facts_typed.c - fact sets from values that already have a type.
 *
 * The library and the executor have values, not text: facts that adapters fetched,
 * facts that were carried from another contract. They are checked as values read from
 * JSON are: range, scale, length, choice, count; what was read from JSON need not come
 * through here.
 *
 * Order of use: ct_facts_begin(), ct_facts_set() per fact, ct_facts_end(), which fills
 * in defaults and complains about what is missing. Values are copied by slots; texts
 * and lists inside them are borrowed and must live as long as the set is used.
 *
 * What may fail: MT_E_TYPE with the same words as for JSON, the path being that of the
 * fact and of the member in it. A fact that was refused stays as it was. */
#include "base/utf8.h"
#include "contract/eval/facts_internal.h"

mt_str ct_choices_text(mt_arena *a, const ct_type *type)
{
    mt_buf b = {0};
    mt_buf_addc(&b, '[');
    for (uint32_t i = 0; i < type->count; i++) {
        mt_buf_addf(&b, "%s\"%.*s\"", i ? ", " : "", MT_ARG(type->as.values[i]));
    }
    mt_buf_addc(&b, ']');
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static bool check(mt_arena *a, const ct_type *t, const ct_value *v, ct_fault *fault);

static bool outside(mt_arena *a, const ct_type *t, mt_str got, ct_fault *fault)
{
    mt_str expected = ct_type_spell(a, t);
    return ct_fact_fault(
        a, fault, CT_FAULT_TYPE_MISMATCH,
        mt_strf(a, "expected %.*s, got %.*s", MT_ARG(expected), MT_ARG(got)));
}

static bool check_range(mt_arena *a, const ct_type *t, const ct_value *v,
                        ct_fault *fault)
{
    return MT_LIKELY(v->integer >= t->as.range.min && v->integer <= t->as.range.max) ||
           outside(a, t, mt_strf(a, "%lld", (long long)v->integer), fault);
}

static bool is_decimal(mt_decimal d)
{
    return d.scale <= MT_DECIMAL_MAX_SCALE && !(d.negative && !(d.lo | d.hi)) &&
           (!d.hi || mt_decimal_bounded(d));
}

/* The bits of a decimal may be anything when it comes from outside, so they are looked
 * at first. */
static bool check_decimal(mt_arena *a, const ct_type *t, const ct_value *v,
                          ct_fault *fault)
{
    char text[MT_DECIMAL_TEXT];
    if (!is_decimal(v->decimal)) {
        return outside(a, t, MT_STR("no decimal"), fault);
    }
    if (ct_has(t, LN_CURRENCY) ||
        mt_decimal_fits(v->decimal, t->as.decimal.precision, t->as.decimal.scale)) {
        return true;
    }
    size_t len = mt_decimal_print(v->decimal, text);
    return outside(a, t, mt_str_dup(a, mt_str_from(text, len)), fault);
}

static bool check_text(mt_arena *a, const ct_type *t, const ct_value *v,
                       ct_fault *fault)
{
    if (mt_utf8_check(v->text) != v->text.len) {
        return outside(a, t, MT_STR("invalid UTF-8"), fault);
    }
    size_t length =
        v->text.len > t->as.max_length ? mt_utf8_count(v->text) : v->text.len;
    return MT_LIKELY(length <= t->as.max_length) ||
           outside(a, t, mt_strf(a, "text of length %zu", length), fault);
}

/* Days and times outside the calendar have no text, so they are refused here. */
static bool check_moment(mt_arena *a, const ct_type *t, const ct_value *v,
                         ct_fault *fault)
{
    ct_time time = v->time;
    if (ct_is_day(t)) {
        bool near = v->integer > -1000000 && v->integer < 4000000;
        time = (ct_time){near ? v->integer * 86400 : INT64_MAX, 0};
    }
    return (time.nanos < 1000000000 && ct_time_valid(time)) ||
           ct_fact_fault(
               a, fault, CT_FAULT_INVALID_DATE,
               mt_strf(a, "%s outside the years 0001 to 9999", LN_BASES[t->base].name));
}

static bool check_record(mt_arena *a, const ct_type *t, const ct_value *v,
                         ct_fault *fault)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const ct_field *f = &t->as.fields[i];
        if (MT_UNLIKELY(!check(a, f->type, v + f->offset, fault))) {
            ct_fact_inside(a, fault, f->name);
            return false;
        }
    }
    return true;
}

/* Stops at the first element that does not fit; its index goes into the path. */
static bool check_list(mt_arena *a, const ct_type *t, const ct_value *v,
                       ct_fault *fault)
{
    const ct_type *element = t->as.list.element;
    if (v->list.count > t->as.list.max) {
        return ct_fact_fault(
            a, fault, CT_FAULT_LIST_OVERFLOW,
            mt_strf(a, "%u elements, max is %zu", v->list.count, t->as.list.max));
    }
    for (uint32_t i = 0; i < v->list.count; i++) {
        if (MT_UNLIKELY(!check(a, element, v->list.items + (size_t)i * element->slots,
                               fault))) {
            ct_fact_at(a, fault, i);
            return false;
        }
    }
    return true;
}

/* The tag is an index from outside. */
static bool check_union(mt_arena *a, const ct_type *t, const ct_value *v,
                        ct_fault *fault)
{
    if (v->variant.tag >= t->count) {
        return ct_fact_fault(a, fault, CT_FAULT_INVALID_TAG,
                             mt_strf(a, "no variant number %u", v->variant.tag));
    }
    if (!check(a, t->as.variants[v->variant.tag].type, v->variant.payload, fault)) {
        ct_fact_inside(a, fault, MT_STR("payload"));
        return false;
    }
    return true;
}

/* The one switch over base types here; facts.c has its twin for JSON. */
static bool check(mt_arena *a, const ct_type *t, const ct_value *v, ct_fault *fault)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: return true;
    case LN_INTEGER:
        return ct_has(t, LN_RANGED) ? check_range(a, t, v, fault)
                                    : check_moment(a, t, v, fault);
    case LN_DECIMAL: return check_decimal(a, t, v, fault);
    case LN_TEXT: return check_text(a, t, v, fault);
    case LN_CHOICE:
        return MT_LIKELY(v->choice < t->count) ||
               ct_fact_fault(a, fault, CT_FAULT_INVALID_ENUM,
                             mt_strf(a, "number %u, valid: %.*s", v->choice,
                                     MT_ARG(ct_choices_text(a, t))));
    case LN_TIME: return check_moment(a, t, v, fault);
    case LN_RECORD: return check_record(a, t, v, fault);
    case LN_VARIANT: return check_union(a, t, v, fault);
    case LN_LIST: return check_list(a, t, v, fault);
    }
    MT_BUG("unknown base type");
}

void ct_facts_begin(ct_facts *f)
{
    mt_arena_reset(&f->arena);
    memset(f->given, 0, f->model->fact_count);
}

mt_err ct_facts_set(ct_facts *f, uint32_t fact, const ct_value *value, ct_fault *fault)
{
    const ct_fact *d = &f->model->facts[fact];
    if (MT_UNLIKELY(!check(&f->arena, d->type, value, fault))) {
        ct_fact_inside(&f->arena, fault, d->id);
        return ct_fact_finish(&f->arena, fault);
    }
    memcpy(f->values + d->slot, value, d->type->slots * sizeof *value);
    f->given[fact] = 1;
    return MT_OK;
}

mt_err ct_facts_end(ct_facts *f, ct_fault *fault)
{
    *fault = (ct_fault){0};
    return ct_facts_complete(f, fault) ? MT_OK : ct_fact_finish(&f->arena, fault);
}
