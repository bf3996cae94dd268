/* contract/eval/facts.c - fact sets from JSON text, in one pass.
 *
 * The declared types say what to expect, so no tree is built: values go straight into
 * the slots of the set. A fault is noticed where it is; the path to it is put together
 * while returning, so that a correct fact set pays nothing for it.
 *
 * Order: the JSON reader is started with the limits, members are read in the order of
 * the text, each by the reader of its type; then facts that were not given get their
 * default, or are missing. A value that does not fit is passed over and noted, so that
 * all facts at fault are told, in the order of their declaration (§5.2). `strict`
 * decides whether members that no type knows are faults.
 *
 * Objects tend to come with their members in the same order again, so a note per
 * member says which one to try first; a search by name is the second try.
 *
 * Invariants: `given` is set for facts from outside and never for defaults; a list
 * never holds more than its type's maximum; text that has to be unescaped, and lists,
 * live in the arena of the set, which ct_facts_read() resets. Other texts borrow from
 * the JSON text, so it must outlive the set's use. Depth is bounded by the types.
 *
 * What may fail: what is wrong with the text itself ends the reading, MT_E_SYNTAX or
 * MT_E_LIMIT. MT_E_TYPE is a value's: the first fact at fault decides, the others
 * follow it. ct_fact_finish() words them as the conformance suite has them.
 */
#include "contract/eval/facts.h"

#include <stdlib.h>

#include "base/json_pull.h"
#include "base/utf8.h"
#include "contract/eval/facts_internal.h"
#include "contract/wire/round_text.h"

typedef struct reader {
    mt_jp j; /* the cursor; its first fault is r->fault's as well */
    ct_facts *f;
    bool strict; /* what no type declares is a fault */
    ct_fault *fault;
    const ct_fault **wrong; /* by fact: what is wrong with it; NULL: nothing yet */
    mt_str text;            /* the whole input: a fault moves the cursor's end */
} reader;

/* ---- The set ---- */

ct_facts *ct_facts_new(const ct_model *m)
{
    ct_facts *f = mt_xmalloc(sizeof *f);
    size_t notes = (size_t)m->note_count + m->fact_count + 1;
    *f = (ct_facts){.model = m,
                    .values = mt_xmalloc((m->slot_count + 1) * sizeof *f->values),
                    .given = mt_xmalloc(m->fact_count + 1),
                    .notes = mt_xmalloc(notes * sizeof *f->notes)};
    memset(f->values, 0, (m->slot_count + 1) * sizeof *f->values);
    memset(f->given, 0, m->fact_count + 1);
    memset(f->notes, 0, notes * sizeof *f->notes);
    return f;
}

void ct_facts_free(ct_facts *f)
{
    if (!f) {
        return;
    }
    mt_arena_free(&f->arena);
    free(f->values);
    free(f->given);
    free(f->notes);
    free(f);
}

mt_arena *ct_facts_arena(ct_facts *f)
{
    return &f->arena;
}

const ct_value *ct_facts_value(const ct_facts *f, uint32_t fact)
{
    return f->values + f->model->facts[fact].slot;
}

bool ct_facts_external(const ct_facts *f, uint32_t fact)
{
    return f->given[fact];
}

/* ---- Faults ---- */

bool ct_fact_fault(mt_arena *a, ct_fault *fault, ct_fault_kind kind, mt_str detail)
{
    (void)a;
    *fault = (ct_fault){.kind = kind, .path = MT_STR(""), .message = detail};
    return false;
}

void ct_fact_inside(mt_arena *a, ct_fault *fault, mt_str name)
{
    bool joined = fault->path.len && fault->path.ptr[0] != '[';
    fault->path =
        mt_strf(a, "%.*s%s%.*s", MT_ARG(name), joined ? "." : "", MT_ARG(fault->path));
}

void ct_fact_at(mt_arena *a, ct_fault *fault, size_t index)
{
    bool joined = fault->path.len && fault->path.ptr[0] != '[';
    fault->path =
        mt_strf(a, "[%zu]%s%.*s", index, joined ? "." : "", MT_ARG(fault->path));
}

/* The sentence for each kind, around path and detail. */
static mt_err finish_one(mt_arena *a, ct_fault *fault)
{
    mt_str path = fault->path, detail = fault->message;
    mt_err err = MT_E_TYPE;
    switch (fault->kind) {
    case CT_FAULT_TYPE_MISMATCH:
        detail = mt_strf(a, "type mismatch for fact '%.*s': %.*s", MT_ARG(path),
                         MT_ARG(detail));
        break;
    case CT_FAULT_LIST_OVERFLOW:
        detail = mt_strf(a, "list fact '%.*s' has %.*s", MT_ARG(path), MT_ARG(detail));
        break;
    case CT_FAULT_INVALID_ENUM:
        detail = mt_strf(a, "invalid enum value for fact '%.*s': %.*s", MT_ARG(path),
                         MT_ARG(detail));
        break;
    case CT_FAULT_MISSING_FACT:
        detail = mt_strf(a, "missing required fact: %.*s", MT_ARG(path));
        break;
    case CT_FAULT_SURPLUS_FACT:
        detail = mt_strf(a, "unknown fact: %.*s%.*s", MT_ARG(path), MT_ARG(detail));
        break;
    case CT_FAULT_SYNTAX:
    case CT_FAULT_LIMIT:
        err = fault->kind == CT_FAULT_LIMIT ? MT_E_LIMIT : MT_E_SYNTAX;
        break;
    case CT_FAULT_NONE:
    case CT_FAULT_INVALID_DATE:
    case CT_FAULT_INVALID_UNIT:
    case CT_FAULT_INVALID_TAG:
    case CT_FAULT_CURRENCY:
    case CT_FAULT_MISSING_FIELD:
    case CT_FAULT_DUPLICATE:
    case CT_FAULT_OVERFLOW:
    case CT_FAULT_TAG_MISMATCH:
    case CT_FAULT_INDEX_RANGE:
    case CT_FAULT_BUDGET:
    case CT_FAULT_DEADLINE:
    case CT_FAULT_ABSENT_VERDICT:
    case CT_FAULT_COUNT:
        detail = path.len
                     ? mt_strf(a, "fact '%.*s': %.*s", MT_ARG(path), MT_ARG(detail))
                     : mt_strf(a, "facts: %.*s", MT_ARG(detail));
        break;
    }
    fault->message = detail;
    return err;
}

mt_err ct_fact_finish(mt_arena *a, ct_fault *fault)
{
    for (ct_fault *more = fault->next; more; more = more->next) {
        finish_one(a, more);
    }
    return finish_one(a, fault);
}

static bool fail(reader *r, ct_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps the kind and the detail; the path grows on the way out. */
static bool fail(reader *r, ct_fault_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str detail = mt_strfv(&r->f->arena, format, args);
    va_end(args);
    return ct_fact_fault(&r->f->arena, r->fault, kind, detail);
}

/* The text is not JSON, or too deep, or has a key twice. */
static bool malformed(reader *r)
{
    mt_json_error error = {0};
    mt_err err = mt_jp_finish(&r->j, &error);
    uint32_t line = 0, column = 0;
    if (error.detail.len) {
        return fail(r, CT_FAULT_DUPLICATE, "%s '%.*s'", error.message,
                    MT_ARG(error.detail));
    }
    mt_json_place(r->text, error.offset, &line, &column);
    return fail(r, err == MT_E_LIMIT ? CT_FAULT_LIMIT : CT_FAULT_SYNTAX,
                "facts, line %u, column %u: %s", line, column, error.message);
}

/* The value here is of another JSON type than `type` wants, or is not JSON at all. */
static bool mismatch(reader *r, const ct_type *type)
{
    mt_jp probe = r->j;
    if (r->j.err != MT_E_TYPE && !mt_jp_skip(&probe)) {
        r->j = probe;
        return malformed(r);
    }
    r->j.end = r->text.ptr + r->text.len;
    mt_json example = {.type = (uint8_t)mt_jp_type(&r->j)};
    return fail(r, CT_FAULT_TYPE_MISMATCH, "expected %s, got %s",
                LN_BASES[type->base].name, mt_json_type_name(&example));
}

/* Not one of the declared values; all of them are listed. */
static bool not_in(reader *r, const ct_type *type, mt_str got)
{
    mt_str expected = ct_type_spell(&r->f->arena, type);
    return fail(r, CT_FAULT_TYPE_MISMATCH, "expected %.*s, got %.*s", MT_ARG(expected),
                MT_ARG(got));
}

/* ---- Members of objects ---- */

/* Short keys without a call. */
static inline bool same_name(mt_str a, mt_str b)
{
    if (a.len != b.len) {
        return false;
    }
    if (a.len >= 8 && a.len <= 16) {
        uint64_t x[2], y[2];
        memcpy(&x[0], a.ptr, 8);
        memcpy(&x[1], a.ptr + a.len - 8, 8);
        memcpy(&y[0], b.ptr, 8);
        memcpy(&y[1], b.ptr + b.len - 8, 8);
        return !((x[0] ^ y[0]) | (x[1] ^ y[1]));
    }
    if (a.len >= 4 && a.len < 8) {
        uint32_t x[2], y[2];
        memcpy(&x[0], a.ptr, 4);
        memcpy(&x[1], a.ptr + a.len - 4, 4);
        memcpy(&y[0], b.ptr, 4);
        memcpy(&y[1], b.ptr + b.len - 4, 4);
        return !((x[0] ^ y[0]) | (x[1] ^ y[1]));
    }
    return mt_str_eq(a, b);
}

/* Objects tend to list their members in the same order again: the note for the member
 * before says which one to try first. */
static inline uint32_t find_field(reader *r, const ct_type *t, uint32_t before,
                                  mt_str key)
{
    uint16_t *note = &r->f->notes[t->notes + before];
    if (MT_LIKELY(*note < t->count && same_name(t->as.fields[*note].name, key))) {
        return *note;
    }
    uint32_t found = ct_field_find(t, key);
    if (found < UINT16_MAX) {
        *note = (uint16_t)found;
    }
    return found;
}

/* See find_field(): the note of the fact before. */
static inline uint32_t find_fact(reader *r, uint32_t before, mt_str key)
{
    const ct_model *m = r->f->model;
    uint16_t *note = &r->f->notes[m->note_count + before];
    if (MT_LIKELY(*note < m->fact_count && same_name(m->facts[*note].id, key))) {
        return *note;
    }
    uint32_t found = ct_model_find(m, CT_KIND_FACT, key);
    if (found < UINT16_MAX) {
        *note = (uint16_t)found;
    }
    return found;
}

/* Members nobody knows: counted and skipped, or a fault when strict; twice is always
 * one. `in` has the member; NULL: the fact set itself. Who wants to tell of them asks
 * surplus.h, which reads the text again: a set that has none pays nothing. */
static bool surplus(reader *r, mt_map *seen, const ct_type *in, mt_str key)
{
    if (!mt_jp_unknown(&r->j, seen, key)) {
        return malformed(r);
    }
    if (in && ct_fact_key_known(in, key)) {
        return true;
    }
    r->f->surplus++;
    if (!r->strict) {
        return true;
    }
    mt_str near = ct_fact_key_nearest(r->f->model, in, key);
    fail(r, CT_FAULT_SURPLUS_FACT, near.len ? "; did you mean '%.*s'?" : "%.*s",
         MT_ARG(near));
    mt_buf shown = {0};
    mt_utf8_show_name(&shown, key);
    ct_fact_inside(&r->f->arena, r->fault, mt_buf_str(&shown));
    mt_buf_free(&shown);
    return false;
}

static bool twice(reader *r, mt_str key)
{
    mt_jp_duplicate(&r->j, key);
    return malformed(r);
}

/* ---- Values, by type ---- */

static bool read_value(reader *r, const ct_type *t, ct_value *out);

static bool read_bool(reader *r, const ct_type *t, ct_value *out)
{
    bool v;
    if (MT_UNLIKELY(!mt_jp_bool(&r->j, &v))) {
        return mismatch(r, t);
    }
    out->boolean = v;
    return true;
}

/* An integer as written; anything else of type number is told apart. */
static bool read_integer(reader *r, const ct_type *t, int64_t *out)
{
    mt_str text;
    if (mt_jp_type(&r->j) != MT_JSON_NUMBER || !mt_jp_number(&r->j, &text)) {
        return mismatch(r, t);
    }
    bool negative = text.ptr[0] == '-';
    uint64_t size = 0;
    for (size_t i = negative; i < text.len; i++) {
        unsigned digit = (unsigned)(text.ptr[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(size, 10u, &size) ||
            __builtin_add_overflow(size, digit, &size)) {
            return not_in(r, t, text);
        }
    }
    if (size > (uint64_t)INT64_MAX + negative) {
        return not_in(r, t, text);
    }
    *out = (int64_t)(negative ? 0 - size : size);
    return true;
}

static bool read_int(reader *r, const ct_type *t, ct_value *out)
{
    if (!read_integer(r, t, &out->integer)) {
        return false;
    }
    if (MT_UNLIKELY(out->integer < t->as.range.min || out->integer > t->as.range.max)) {
        return not_in(r, t, mt_strf(&r->f->arena, "%lld", (long long)out->integer));
    }
    return true;
}

/* The text of a decimal: a string, a number as written, or {"value": …}. */
static bool decimal_text(reader *r, const ct_type *t, mt_str *out)
{
    if (MT_LIKELY(mt_jp_type(&r->j) == MT_JSON_STRING)) {
        return mt_jp_str(&r->j, out) || mismatch(r, t);
    }
    if (mt_jp_type(&r->j) == MT_JSON_NUMBER) {
        return mt_jp_number(&r->j, out) || mismatch(r, t);
    }
    mt_map seen = {0};
    bool found = false;
    if (mt_jp_type(&r->j) != MT_JSON_OBJECT || !mt_jp_object(&r->j)) {
        return mismatch(r, t);
    }
    for (mt_str key; mt_jp_key(&r->j, &key);) {
        if (!mt_str_is(key, "value")) {
            if (!surplus(r, &seen, t, key)) {
                return false;
            }
        } else if (found) {
            return twice(r, key);
        } else if (!mt_jp_str(&r->j, out)) {
            return mismatch(r, t);
        } else {
            found = true;
        }
    }
    if (r->j.err != MT_OK) {
        return malformed(r);
    }
    return found || fail(r, CT_FAULT_TYPE_MISMATCH, "expected %s, got object",
                         LN_BASES[t->base].name);
}

/* Digits beyond the scale are a fault, not rounded: a fact is what was measured. */
static bool read_decimal(reader *r, const ct_type *t, ct_value *out)
{
    mt_str text;
    if (!decimal_text(r, t, &text)) {
        return false;
    }
    if (mt_decimal_parse(text, &out->decimal) != MT_OK || !ct_exact_decimal(text) ||
        !mt_decimal_fits(out->decimal, t->as.decimal.precision, t->as.decimal.scale)) {
        return not_in(r, t, text);
    }
    return true;
}

static bool read_amount(reader *r, const ct_type *t, ct_value *out)
{
    mt_str text;
    if (!decimal_text(r, &CT_TYPE_ANY_DECIMAL, &text)) {
        return false;
    }
    (void)t;
    /* 28 digits and no rounding: an amount is what was given (§13.6). */
    return (mt_decimal_parse(text, &out->decimal) == MT_OK && ct_exact_decimal(text)) ||
           fail(r, CT_FAULT_TYPE_MISMATCH, "expected Decimal, got %.*s", MT_ARG(text));
}

/* Money of another currency is another thing, whatever the amount. */
static bool read_currency(reader *r, const ct_type *t)
{
    mt_str currency;
    if (!mt_jp_str(&r->j, &currency)) {
        static const ct_type TEXT = {.base = CT_TEXT};
        return mismatch(r, &TEXT);
    }
    return same_name(currency, t->as.currency) ||
           fail(r, CT_FAULT_CURRENCY, "expected currency %.*s, got %.*s",
                MT_ARG(t->as.currency), MT_ARG(currency));
}

/* Amount and currency in any order, each once. */
static bool read_money(reader *r, const ct_type *t, ct_value *out)
{
    mt_map seen = {0};
    bool amount = false, currency = false;
    if (MT_UNLIKELY(!mt_jp_object(&r->j))) {
        return mismatch(r, t);
    }
    for (mt_str key; mt_jp_key(&r->j, &key);) {
        bool ok = true;
        if (mt_str_is(key, "amount")) {
            ok = amount ? twice(r, key) : read_amount(r, t, out);
            amount = true;
        } else if (mt_str_is(key, "currency")) {
            ok = currency ? twice(r, key) : read_currency(r, t);
            currency = true;
        } else if (!surplus(r, &seen, t, key)) {
            return false;
        }
        if (MT_UNLIKELY(!ok)) {
            ct_fact_inside(&r->f->arena, r->fault, mt_str_dup(&r->f->arena, key));
            return false;
        }
    }
    if (MT_UNLIKELY(r->j.err != MT_OK)) {
        return malformed(r);
    }
    if (!amount) {
        return fail(r, CT_FAULT_MISSING_FIELD, "field 'amount' is missing");
    }
    /* §4.3: the currency is part of the value, and never supposed. */
    return currency || fail(r, CT_FAULT_MISSING_FIELD, "field 'currency' is missing");
}

/* Bytes first: counting characters is only needed when there might be too many. */
static bool read_text(reader *r, const ct_type *t, ct_value *out)
{
    if (MT_UNLIKELY(!mt_jp_str(&r->j, &out->text))) {
        return mismatch(r, t);
    }
    if (MT_UNLIKELY(out->text.len > t->as.max_length)) {
        size_t length = mt_utf8_count(out->text);
        if (length > t->as.max_length) {
            return not_in(r, t, mt_strf(&r->f->arena, "text of length %zu", length));
        }
    }
    return true;
}

/* The fault lists the values there are. */
static bool read_enum(reader *r, const ct_type *t, ct_value *out)
{
    mt_str text;
    if (MT_UNLIKELY(!mt_jp_str(&r->j, &text))) {
        return mismatch(r, t);
    }
    out->choice = ct_choice_find(t, text);
    if (MT_UNLIKELY(out->choice == CT_NONE)) {
        return fail(r, CT_FAULT_INVALID_ENUM, "'%.*s', valid: %.*s", MT_ARG(text),
                    MT_ARG(ct_choices_text(&r->f->arena, t)));
    }
    return true;
}

/* Stored as a day's number; the text is not kept. */
static bool read_date(reader *r, const ct_type *t, ct_value *out)
{
    mt_str text;
    if (!mt_jp_str(&r->j, &text)) {
        return mismatch(r, t);
    }
    return ct_date_parse(text, &out->integer) ||
           fail(r, CT_FAULT_INVALID_DATE,
                "invalid Date format '%.*s', expected ISO 8601 (YYYY-MM-DD)",
                MT_ARG(text));
}

/* An offset is required: without one nobody knows the moment. */
static bool read_time(reader *r, const ct_type *t, ct_value *out)
{
    mt_str text;
    if (!mt_jp_str(&r->j, &text)) {
        return mismatch(r, t);
    }
    return ct_time_parse(text, &out->time) ||
           fail(r, CT_FAULT_INVALID_DATE,
                "invalid DateTime format '%.*s', expected RFC 3339 with an offset "
                "(YYYY-MM-DDThh:mm:ssZ)",
                MT_ARG(text));
}

/* The contract counts in one unit; another one is refused rather than converted. */
static bool read_unit(reader *r, const ct_type *t)
{
    mt_str text;
    ct_duration_unit unit;
    if (!mt_jp_str(&r->j, &text)) {
        return mismatch(r, t);
    }
    if (!ct_unit_find(text, &unit)) {
        return fail(r, CT_FAULT_INVALID_UNIT,
                    "invalid Duration unit '%.*s', expected one of: seconds, minutes, "
                    "hours, days",
                    MT_ARG(text));
    }
    return unit == t->unit || fail(r, CT_FAULT_INVALID_UNIT,
                                   "Duration unit is '%.*s', the contract counts in %s",
                                   MT_ARG(text), CT_UNIT_NAMES[t->unit]);
}

/* Value and unit in any order; without a unit it is counted in the contract's. */
static bool read_duration(reader *r, const ct_type *t, ct_value *out)
{
    mt_map seen = {0};
    bool value = false, unit = false;
    if (!mt_jp_object(&r->j)) {
        return mismatch(r, t);
    }
    for (mt_str key; mt_jp_key(&r->j, &key);) {
        if (mt_str_is(key, "value")) {
            if (value ? !twice(r, key) : !read_int(r, t, out)) {
                return false;
            }
            value = true;
        } else if (mt_str_is(key, "unit")) {
            if (unit ? !twice(r, key) : !read_unit(r, t)) {
                return false;
            }
            unit = true;
        } else if (!surplus(r, &seen, t, key)) {
            return false;
        }
    }
    if (r->j.err != MT_OK) {
        return malformed(r);
    }
    return value || fail(r, CT_FAULT_MISSING_FIELD, "field 'value' is missing");
}

/* Which members were seen: one word, or an array for records of more than 64. */
typedef struct seen_fields {
    uint64_t word;   /* a bit per field, when there are at most 64 */
    uint64_t *words; /* otherwise; NULL: the word is used */
} seen_fields;

/* Was the field there already? Marks it. */
static inline bool see_again(seen_fields *s, uint32_t index)
{
    uint64_t *w = s->words ? &s->words[index / 64] : &s->word;
    uint64_t bit = (uint64_t)1 << (index % 64);
    bool again = *w & bit;
    *w |= bit;
    return again;
}

static bool missing_field(reader *r, const ct_type *t, seen_fields *s)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (!see_again(s, i)) {
            return fail(r, CT_FAULT_MISSING_FIELD, "field '%.*s' is missing",
                        MT_ARG(t->as.fields[i].name));
        }
    }
    MT_BUG("no field is missing");
}

/* Every field once, none missing; what the type does not have is surplus(). */
static bool read_record(reader *r, const ct_type *t, ct_value *out)
{
    mt_map others = {0};
    seen_fields seen = {0};
    uint32_t before = 0, count = 0;
    if (t->count > 64) {
        seen.words = mt_new_array(&r->f->arena, uint64_t, t->count / 64 + 1);
    }
    if (MT_UNLIKELY(!mt_jp_object(&r->j))) {
        return mismatch(r, t);
    }
    for (mt_str key; mt_jp_key(&r->j, &key);) {
        uint32_t at = find_field(r, t, before, key);
        if (MT_UNLIKELY(at == CT_NONE)) {
            if (!surplus(r, &others, t, key)) {
                return false;
            }
            continue;
        }
        if (MT_UNLIKELY(see_again(&seen, at))) {
            return twice(r, key);
        }
        const ct_field *field = &t->as.fields[at];
        if (MT_UNLIKELY(!read_value(r, field->type, out + field->offset))) {
            ct_fact_inside(&r->f->arena, r->fault, field->name);
            return false;
        }
        before = at + 1;
        count++;
    }
    if (MT_UNLIKELY(r->j.err != MT_OK)) {
        return malformed(r);
    }
    return MT_LIKELY(count == t->count) || missing_field(r, t, &seen);
}

/* Goes on to the end, so that the message can say how many there were. */
static bool too_long(reader *r, const ct_type *t, size_t count)
{
    do {
        count++;
        if (!mt_jp_skip(&r->j)) {
            return malformed(r);
        }
    } while (mt_jp_item(&r->j));
    if (r->j.err != MT_OK) {
        return malformed(r);
    }
    return fail(r, CT_FAULT_LIST_OVERFLOW, "%zu elements, max is %zu", count,
                t->as.list.max);
}

/* Room doubles up to the declared maximum and never beyond it. */
static bool read_list(reader *r, const ct_type *t, ct_value *out)
{
    const ct_type *element = t->as.list.element;
    size_t count = 0, room = 0, max = t->as.list.max;
    ct_value *items = mt_alloc(&r->f->arena, 0);
    if (MT_UNLIKELY(!mt_jp_array(&r->j))) {
        return mismatch(r, t);
    }
    for (; mt_jp_item(&r->j); count++) {
        if (MT_UNLIKELY(count == max)) {
            return too_long(r, t, count);
        }
        if (count == room) {
            size_t more = room ? room * 2 : 8;
            more = more > max ? max : more;
            ct_value *grown = mt_alloc(
                &r->f->arena, mt_array_bytes(more * element->slots, sizeof *items));
            memcpy(grown, items, count * element->slots * sizeof *items);
            items = grown;
            room = more;
        }
        if (MT_UNLIKELY(!read_value(r, element, items + count * element->slots))) {
            ct_fact_at(&r->f->arena, r->fault, count);
            return false;
        }
    }
    if (MT_UNLIKELY(r->j.err != MT_OK)) {
        return malformed(r);
    }
    out->list.items = items;
    out->list.count = (uint32_t)count;
    return true;
}

/* The path of a fault gets `payload` on its way out. */
static bool read_payload(reader *r, const ct_type *t, uint32_t tag, ct_value *out)
{
    const ct_type *inner = t->as.variants[tag].type;
    ct_value *payload = mt_new_array(&r->f->arena, ct_value, inner->slots);
    out->variant.tag = tag;
    out->variant.payload = payload;
    if (!read_value(r, inner, payload)) {
        ct_fact_inside(&r->f->arena, r->fault, MT_STR("payload"));
        return false;
    }
    return true;
}

static bool read_tag(reader *r, const ct_type *t, uint32_t *tag)
{
    mt_str text;
    if (!mt_jp_str(&r->j, &text)) {
        return mismatch(r, t);
    }
    *tag = ct_field_find(t, text);
    return *tag != CT_NONE ||
           fail(r, CT_FAULT_INVALID_TAG, "no variant '%.*s'", MT_ARG(text));
}

/* The payload may stand before the tag: then it is read a second time, with its type.
 */
static bool read_union(reader *r, const ct_type *t, ct_value *out)
{
    mt_map seen = {0};
    mt_jp early = {0};
    bool payload = false, done = false;
    uint32_t tag = CT_NONE;
    if (!mt_jp_object(&r->j)) {
        return mismatch(r, t);
    }
    for (mt_str key; mt_jp_key(&r->j, &key);) {
        bool ok;
        if (mt_str_is(key, "tag")) {
            ok = tag != CT_NONE ? twice(r, key) : read_tag(r, t, &tag);
        } else if (!mt_str_is(key, "payload")) {
            ok = surplus(r, &seen, t, key);
        } else if (payload) {
            ok = twice(r, key);
        } else {
            payload = true;
            early = r->j;
            done = tag != CT_NONE;
            ok =
                done ? read_payload(r, t, tag, out) : mt_jp_skip(&r->j) || malformed(r);
        }
        if (!ok) {
            return false;
        }
    }
    if (r->j.err != MT_OK) {
        return malformed(r);
    }
    if (tag == CT_NONE || !payload) {
        return fail(r, CT_FAULT_MISSING_FIELD, "field '%s' is missing",
                    tag == CT_NONE ? "tag" : "payload");
    }
    if (!done) {
        mt_jp after = r->j;
        r->j = early;
        if (!read_payload(r, t, tag, out)) {
            return false;
        }
        r->j = after;
    }
    return true;
}

/* The one switch over base types here. */
static bool read_value(reader *r, const ct_type *t, ct_value *out)
{
    switch ((ct_base)t->base) {
    case CT_BOOL: return read_bool(r, t, out);
    case CT_INT: return read_int(r, t, out);
    case CT_DECIMAL: return read_decimal(r, t, out);
    case CT_TEXT: return read_text(r, t, out);
    case CT_ENUM: return read_enum(r, t, out);
    case CT_DATE: return read_date(r, t, out);
    case CT_DATETIME: return read_time(r, t, out);
    case CT_MONEY: return read_money(r, t, out);
    case CT_DURATION: return read_duration(r, t, out);
    case CT_RECORD: return read_record(r, t, out);
    case CT_UNION: return read_union(r, t, out);
    case CT_LIST: return read_list(r, t, out);
    }
    MT_BUG("unknown base type");
}

/* ---- The whole set ---- */

/* The chain ends here: what comes next is added behind it. */
static void add_fault(ct_fault *first, ct_fault **last, const ct_fault *one,
                      mt_arena *a)
{
    if (!*last) {
        *first = *one;
        *last = first;
        return;
    }
    ct_fault *kept = mt_new(a, ct_fault);
    *kept = *one;
    (*last)->next = kept;
    *last = kept;
}

/* Defaults for what was not given. Faults in the order of declaration: values that do
 * not fit, facts that are missing. */
static bool complete(ct_facts *f, const ct_fault *const *wrong, ct_fault *fault)
{
    const ct_model *m = f->model;
    ct_fault *last = NULL;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        const ct_fact *fact = &m->facts[i];
        if (MT_UNLIKELY(wrong && wrong[i])) {
            add_fault(fault, &last, wrong[i], &f->arena);
        } else if (MT_LIKELY(f->given[i])) {
            continue;
        } else if (!fact->otherwise) {
            ct_fault missing;
            ct_fact_fault(&f->arena, &missing, CT_FAULT_MISSING_FACT, MT_STR(""));
            ct_fact_inside(&f->arena, &missing, fact->id);
            add_fault(fault, &last, &missing, &f->arena);
        } else {
            memcpy(f->values + fact->slot, fact->otherwise,
                   fact->type->slots * sizeof *f->values);
        }
    }
    return !last;
}

bool ct_facts_complete(ct_facts *f, ct_fault *fault)
{
    return complete(f, NULL, fault);
}

/* A value that does not fit: its fault is kept and the value passed over, unless the
 * text itself is at fault. */
static bool pass_over(reader *r, uint32_t at, const char *value)
{
    mt_arena *a = &r->f->arena;
    ct_fault *kept = mt_new(a, ct_fault);
    if (r->fault->kind == CT_FAULT_SYNTAX || r->fault->kind == CT_FAULT_LIMIT ||
        r->fault->kind == CT_FAULT_DUPLICATE ||
        r->fault->kind == CT_FAULT_SURPLUS_FACT) {
        return false;
    }
    *kept = *r->fault;
    *r->fault = (ct_fault){0};
    r->j = (mt_jp){.p = value, /* in the first object, without the fault */
                   .end = r->text.ptr + r->text.len,
                   .begin = r->text.ptr,
                   .arena = a,
                   .depth = 1,
                   .max_depth = r->j.max_depth};
    if (!mt_jp_skip(&r->j)) {
        return malformed(r);
    }
    r->f->passed_over = true;
    if (!r->wrong) {
        r->wrong = mt_new_array(a, const ct_fault *, r->f->model->fact_count);
    }
    r->wrong[at] = kept;
    return true;
}

/* A fact given twice is refused; JSON would let the last one win. */
static bool read_facts(reader *r)
{
    ct_facts *f = r->f;
    const ct_model *m = f->model;
    mt_map others = {0};
    uint32_t before = 0;
    if (!mt_jp_object(&r->j)) {
        bool shaped = r->j.err == MT_E_TYPE;
        return shaped ? fail(r, CT_FAULT_SYNTAX, "facts must be a JSON object")
                      : malformed(r);
    }
    for (mt_str key; mt_jp_key(&r->j, &key);) {
        uint32_t at = find_fact(r, before, key);
        if (MT_UNLIKELY(at == CT_NONE)) {
            if (!surplus(r, &others, NULL, key)) {
                return false;
            }
            continue;
        }
        if (MT_UNLIKELY(f->given[at])) {
            return twice(r, key);
        }
        f->given[at] = 1;
        const ct_fact *fact = &m->facts[at];
        const char *value = r->j.p;
        if (MT_UNLIKELY(!read_value(r, fact->type, f->values + fact->slot))) {
            ct_fact_inside(&f->arena, r->fault, fact->id);
            if (!pass_over(r, at, value)) {
                return false;
            }
        }
        before = at + 1;
    }
    if (mt_jp_finish(&r->j, NULL) != MT_OK) {
        return malformed(r);
    }
    return complete(f, r->wrong, r->fault);
}

mt_err ct_facts_read(ct_facts *f, mt_str json, const mt_limits *limits, bool strict,
                     ct_fault *fault)
{
    const mt_limits *lim = limits ? limits : &MT_LIMITS_DEFAULT;
    mt_json_limits bounds = {lim->json_bytes, lim->json_depth};
    reader r = {.f = f, .strict = strict, .fault = fault, .text = json};
    *fault = (ct_fault){0};
    mt_arena_reset(&f->arena);
    memset(f->given, 0, f->model->fact_count);
    f->surplus = 0;
    f->passed_over = false;
    bool ok =
        mt_jp_start(&r.j, &f->arena, json, &bounds) ? read_facts(&r) : malformed(&r);
    return ok ? MT_OK : ct_fact_finish(&f->arena, fault);
}
