/* contract/wire/value.h - BaseTypes (spec §4.1) and the values they describe.
 * Room: contract. May include base/ and contract/wire only.
 * A value carries no tag: its ct_type says which member of the union is meant. Every
 * scalar is one 16-byte ct_value ("slot"); a Record is its fields' slots in a row, in
 * byte order of the field names; a List is one slot pointing at its elements' slots,
 * one element after the other; a TaggedUnion is one slot pointing at the payload.
 * So a list of records is one contiguous array and a field is a fixed offset.
 * Ownership: types live with their model; texts, list elements and payloads live in
 * the arena their owner (model or fact set) names. Immutable once made. */
#ifndef CT_WIRE_VALUE_H
#define CT_WIRE_VALUE_H

#include "base/decimal.h"
#include "contract/wire/calendar.h"
#include "lang/lang.h"

#define CT_NONE UINT32_MAX /* no such index */

typedef enum ct_base { /* ORDER ln_base */
#define X_BASE(ID, text, HELD, TRAITS, result) CT_##ID,
#include "lang/nodes.def"
} ct_base;
enum { CT_BASE_COUNT = LN_BASE_COUNT };

/* ORDER: from the smallest unit to the largest. */
typedef enum ct_duration_unit {
    CT_SECONDS,
    CT_MINUTES,
    CT_HOURS,
    CT_DAYS
} ct_duration_unit;
enum { CT_UNIT_COUNT = CT_DAYS + 1 };

typedef struct ct_type ct_type;
typedef union ct_value ct_value;

/* A field of a Record, or a variant of a TaggedUnion (whose offset means nothing). */
typedef struct ct_field {
    mt_str name;
    const ct_type *type;
    uint32_t offset; /* in slots, from the record's first */
} ct_field;

struct ct_type {
    uint8_t base;   /* ct_base */
    uint8_t unit;   /* ct_duration_unit, of a Duration */
    uint32_t slots; /* how many a value takes in a row */
    uint32_t count; /* of fields, variants or Enum values */
    uint32_t notes; /* Record: its first of count + 1 places in a reader's notes */
    union {
        struct {
            int64_t min, max;
        } range; /* Int, Duration */
        struct {
            uint32_t precision, scale;
        } decimal;
        size_t max_length;        /* Text, in characters */
        mt_str currency;          /* Money */
        const mt_str *values;     /* Enum, as declared; a value is an index into it */
        const ct_field *fields;   /* Record, in byte order of the names */
        const ct_field *variants; /* TaggedUnion, likewise; a tag is an index into it */
        struct {
            const ct_type *element;
            size_t max;
        } list;
    } as;
};

/* What nodes.def says of a type: how its values are held, which traits it has. */
static inline ln_held ct_held(const ct_type *t)
{
    return LN_BASES[t->base].held;
}

static inline bool ct_has(const ct_type *t, unsigned traits)
{
    return (LN_BASES[t->base].traits & traits) != 0;
}

/* Types that are made, not read. */
ct_type ct_int_type(int64_t min, int64_t max);
ct_type ct_decimal_type(uint32_t precision, uint32_t scale);
ct_type ct_text_type(size_t max_length);
ct_type ct_choice_type(const mt_str *values, uint32_t count);
ct_type ct_duration_type(ct_duration_unit unit, int64_t min, int64_t max);

/* Numbers proper, and days of the calendar. */
static inline bool ct_is_int(const ct_type *t)
{
    return ct_held(t) == LN_INTEGER && ct_has(t, LN_NUMBER);
}

static inline bool ct_is_decimal(const ct_type *t)
{
    return ct_held(t) == LN_DECIMAL && ct_has(t, LN_NUMBER);
}

static inline bool ct_is_day(const ct_type *t)
{
    return ct_held(t) == LN_INTEGER && ct_has(t, LN_WRITTEN);
}

union ct_value {
    bool boolean;
    int64_t integer;    /* Int; Duration in its type's unit; Date in days since 1970 */
    mt_decimal decimal; /* Decimal; Money's amount, the type has the currency */
    mt_str text;
    uint32_t choice; /* Enum: index into the type's values */
    ct_time time;    /* DateTime, UTC */
    struct {
        const ct_value *items;
        uint32_t count;
    } list;
    struct {
        const ct_value *payload;
        uint32_t tag; /* index into the type's variants */
    } variant;
};

/* Types every model shares: Bool, and the widest Int and Decimal. */
extern const ct_type CT_TYPE_BOOL, CT_TYPE_ANY_DECIMAL;

/* "Bool", "Int", …; "seconds", …; seconds in one unit. */
extern const char *const CT_UNIT_NAMES[CT_UNIT_COUNT];
extern const int64_t CT_UNIT_SECONDS[CT_UNIT_COUNT];
/* False unless `name` is a unit. */
bool ct_unit_find(mt_str name, ct_duration_unit *out);

/* The type as the language writes it: `Int(0, 5)`, `List(Record{a: Bool}, 10)`. */
mt_str ct_type_spell(mt_arena *a, const ct_type *type);
/* Index of the field or variant, of the Enum value; CT_NONE. */
uint32_t ct_field_find(const ct_type *type, mt_str name);
uint32_t ct_choice_find(const ct_type *type, mt_str value);

/* May values of the two types be compared for equality? Same kind all the way down:
 * parameters such as ranges may differ, currencies may not. */
bool ct_type_comparable(const ct_type *a, const ct_type *b);
/* Equality of any two comparable values (spec §4.2). Never rounds. */
bool ct_value_equal(const ct_type *at, const ct_value *a, const ct_type *bt,
                    const ct_value *b);

/* Appends the value as result JSON: {"kind":"int_value","value":3}, keys sorted. */
void ct_value_json(mt_buf *out, const ct_type *type, const ct_value *value);
/* Appends the value as facts are given: 3, "1.50", {"amount":"5.00","currency":"USD"}.
 * What is written reads as the same value again. */
void ct_value_plain(mt_buf *out, const ct_type *type, const ct_value *value);

#endif
