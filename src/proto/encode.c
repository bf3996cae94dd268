/* proto/encode.c - a JSON object to the bytes of a message.
 * Room: proto. Numbers may be written as text, as JSON does for 64 bits; names of
 * fields are those of the file or of JSON. What does not fit is said, never bent.
 *
 * Members are written in the order of the object, which the format allows; a repeated
 * field is not packed, which every reader takes. A message inside is made in a buffer
 * of its own, because its length stands before it. INVARIANT: every function answers
 * MT_OK, or another code after it has added exactly one sentence to `why`. */
#include "base/base64.h"
#include "base/calendar.h"
#include "base/number.h"
#include "base/utf8.h"
#include "proto/message.h"
#include "proto/wire.h"

#include <math.h>

static mt_err put_message(mt_buf *out, const pb_message *m, const mt_json *v,
                          mt_buf *why, size_t depth);

static mt_err refuse(mt_buf *why, const pb_field *f, const char *what)
{
    mt_buf_addf(why, "field '%.*s' %s", MT_ARG(f->name), what);
    return MT_E_TYPE;
}

/* Digits with an optional sign; the magnitude and the sign apart. */
static bool read_whole(mt_str text, bool *negative, uint64_t *out)
{
    *negative = text.len && text.ptr[0] == '-';
    text = mt_str_skip(text, *negative);
    *out = 0;
    bool good = text.len > 0;
    for (size_t i = 0; good && i < text.len; i++) {
        unsigned digit = (unsigned)text.ptr[i] - '0';
        good = digit < 10 && !__builtin_mul_overflow(*out, 10u, out) &&
               !__builtin_add_overflow(*out, digit, out);
    }
    return good;
}

static bool is_signed(pb_kind kind)
{
    return kind != PB_UINT32 && kind != PB_UINT64 && kind != PB_FIXED32 &&
           kind != PB_FIXED64;
}

static bool is_short(pb_kind kind)
{
    return kind == PB_INT32 || kind == PB_SINT32 || kind == PB_SFIXED32 ||
           kind == PB_UINT32 || kind == PB_FIXED32;
}

/* The bits as they go on the wire: a negative number as its complement of 64 bits. The
 * most is one larger for negative numbers, and "-0" is allowed even without a sign. */
static mt_err whole(const pb_field *f, const mt_json *v, mt_buf *why, uint64_t *out)
{
    bool negative;
    uint64_t size;
    mt_str text = mt_json_text(v);
    if (!read_whole(text, &negative, &size)) {
        return refuse(why, f, "must be a whole number");
    }
    uint64_t most = is_short(f->kind)    ? (is_signed(f->kind) ? INT32_MAX : UINT32_MAX)
                    : is_signed(f->kind) ? INT64_MAX
                                         : UINT64_MAX;
    if (size > most + (negative && is_signed(f->kind)) ||
        (negative && size && !is_signed(f->kind))) {
        return refuse(why, f, "is beyond the numbers of its type");
    }
    *out = negative ? 0 - size : size;
    return MT_OK;
}

/* What JSON has no number for, as decode.c writes it. */
static bool read_infinite(const mt_json *v, double *out)
{
    static const struct {
        const char *text;
        double value;
    } WORDS[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (mt_str_eq(mt_json_text(v), mt_str_z(WORDS[i].text))) {
            *out = WORDS[i].value;
            return true;
        }
    }
    return false;
}

/* Without the tag. For PB_FLOAT the nearest float is sent, but never infinity for a
 * number that only a double can hold. */
static mt_err real(const pb_field *f, const mt_json *v, mt_buf *why, mt_buf *out)
{
    double value;
    uint64_t bits = 0;
    bool infinite = read_infinite(v, &value);
    mt_err err = infinite ? MT_OK : mt_number_parse(mt_json_text(v), &value);
    if (err == MT_E_RANGE ||
        (!err && !infinite && f->kind == PB_FLOAT && isinf((float)value))) {
        return refuse(why, f, "is beyond the numbers of its type");
    }
    if (err) {
        return refuse(why, f, "must be a number");
    }
    if (f->kind == PB_DOUBLE) {
        memcpy(&bits, &value, sizeof bits);
        pb_put_fixed(out, bits, 8);
        return MT_OK;
    }
    float half = (float)value;
    uint32_t half_bits;
    memcpy(&half_bits, &half, sizeof half_bits);
    pb_put_fixed(out, half_bits, 4);
    return MT_OK;
}

/* By name, or by number: numbers that the schema
 * does not know yet are sent as they are. */
static mt_err choice(const pb_field *f, const mt_json *v, mt_buf *why, uint64_t *out)
{
    const pb_enum_value *named = pb_enum_named(f->choices, mt_json_text(v));
    bool negative;
    uint64_t size;
    if (named) {
        *out = (uint64_t)(int64_t)named->number;
        return MT_OK;
    }
    if (!read_whole(mt_json_text(v), &negative, &size) ||
        size > (uint64_t)INT32_MAX + negative) {
        return refuse(why, f, "must be one of its enum's values");
    }
    *out = negative ? 0 - size : size;
    return MT_OK;
}

/* true, or "true": parameters of a request are always text. */
static mt_err truth(const pb_field *f, const mt_json *v, mt_buf *why, uint64_t *out)
{
    mt_str text = mt_json_text(v);
    bool is_true = mt_json_is(v, MT_JSON_BOOL) ? v->boolean : mt_str_is(text, "true");
    if (!mt_json_is(v, MT_JSON_BOOL) && !is_true && !mt_str_is(text, "false")) {
        return refuse(why, f, "must be true or false");
    }
    *out = is_true;
    return MT_OK;
}

/* A number is taken as text as well: an identity may be one in the contract and a
 * string in the schema. */
static mt_err text_or_bytes(const pb_field *f, const mt_json *v, mt_buf *why,
                            mt_buf *out)
{
    mt_str text = mt_json_text(v);
    if (!mt_json_is(v, MT_JSON_STRING) && !mt_json_is(v, MT_JSON_NUMBER)) {
        return refuse(why, f, "must be text");
    }
    if (f->kind == PB_STRING) {
        pb_put_varint(out, text.len);
        mt_buf_adds(out, text);
        return MT_OK;
    }
    if (text.len % 4) { /* so that the padding is never more than the bytes */
        return refuse(why, f, "must be bytes in base64");
    }
    size_t padding =
        mt_str_ends(text, MT_STR("==")) ? 2 : mt_str_ends(text, MT_STR("="));
    size_t count = text.len / 4 * 3 - padding;
    mt_arena a = {0};
    unsigned char *bytes = mt_alloc(&a, count + 1);
    bool good = mt_unbase64(text, bytes, count);
    if (good) {
        pb_put_varint(out, count);
        mt_buf_add(out, (const char *)bytes, count);
    }
    mt_arena_free(&a);
    return good ? MT_OK : refuse(why, f, "must be bytes in base64");
}

/* The value without its tag. */
static mt_err put_scalar(mt_buf *out, const pb_field *f, const mt_json *v, mt_buf *why)
{
    uint64_t value = 0;
    mt_err err = MT_OK;
    switch (f->kind) {
    case PB_DOUBLE:
    case PB_FLOAT: return real(f, v, why, out);
    case PB_STRING:
    case PB_BYTES: return text_or_bytes(f, v, why, out);
    case PB_BOOL: err = truth(f, v, why, &value); break;
    case PB_ENUM: err = choice(f, v, why, &value); break;
    case PB_INT64:
    case PB_UINT64:
    case PB_INT32:
    case PB_UINT32:
    case PB_FIXED64:
    case PB_FIXED32:
    case PB_SFIXED32:
    case PB_SFIXED64:
    case PB_SINT32:
    case PB_SINT64: err = whole(f, v, why, &value); break;
    case PB_MESSAGE:
    case PB_GROUP: MT_BUG("a message is not a scalar");
    }
    if (err) {
        return err;
    }
    if (f->kind == PB_SINT32 || f->kind == PB_SINT64) {
        value = value << 1 ^ (0 - (value >> 63));
    }
    if (f->kind == PB_FIXED64 || f->kind == PB_SFIXED64) {
        pb_put_fixed(out, value, 8);
    } else if (f->kind == PB_FIXED32 || f->kind == PB_SFIXED32) {
        pb_put_fixed(out, value, 4);
    } else {
        pb_put_varint(out, value);
    }
    return MT_OK;
}

static pb_wire wire_for(pb_kind kind)
{
    return kind == PB_DOUBLE || kind == PB_FIXED64 || kind == PB_SFIXED64  ? PB_EIGHT
           : kind == PB_FLOAT || kind == PB_FIXED32 || kind == PB_SFIXED32 ? PB_FOUR
           : kind == PB_STRING || kind == PB_BYTES || kind == PB_MESSAGE   ? PB_SPAN
                                                                           : PB_VARINT;
}

/* With its tag. What was written of a message
 * that failed stays behind; pb_encode() says so. */
static mt_err put_one(mt_buf *out, const pb_field *f, const mt_json *v, mt_buf *why,
                      size_t depth)
{
    if (f->kind != PB_MESSAGE) {
        pb_put_tag(out, f->number, wire_for(f->kind));
        return put_scalar(out, f, v, why);
    }
    mt_buf inside = {0};
    mt_err err = put_message(&inside, f->message, v, why, depth + 1);
    pb_put_span(out, f->number, mt_buf_str(&inside));
    mt_buf_free(&inside);
    return err;
}

/* {"a": 1} as a list of entries. Keys of JSON
 * are text; put_scalar() makes numbers of them. */
static mt_err put_map(mt_buf *out, const pb_field *f, const mt_json *v, mt_buf *why,
                      size_t depth)
{
    mt_err err = MT_OK;
    if (!mt_json_is(v, MT_JSON_OBJECT)) {
        return refuse(why, f, "must be an object");
    }
    for (uint32_t i = 0; !err && i < v->count; i++) {
        const mt_json_member *m = &v->as.members[i];
        mt_json key = {.type = MT_JSON_STRING,
                       .count = (uint32_t)m->key.len,
                       .as.text = m->key.ptr};
        mt_buf entry = {0};
        err = put_one(&entry, pb_field_numbered(f->message, 1), &key, why, depth);
        err = err ? err
                  : put_one(&entry, pb_field_numbered(f->message, 2), &m->value, why,
                            depth);
        pb_put_span(out, f->number, mt_buf_str(&entry));
        mt_buf_free(&entry);
    }
    return err;
}

/* A list of one field is written element by element;
 * null inside a list is refused by its kind. */
static mt_err put_field(mt_buf *out, const pb_field *f, const mt_json *v, mt_buf *why,
                        size_t depth)
{
    mt_err err = MT_OK;
    if (pb_is_map(f)) {
        return put_map(out, f, v, why, depth);
    }
    if (!f->repeated) {
        return put_one(out, f, v, why, depth);
    }
    if (!mt_json_is(v, MT_JSON_ARRAY)) {
        return refuse(why, f, "must be a list");
    }
    for (uint32_t i = 0; !err && i < v->count; i++) {
        err = put_one(out, f, &v->as.items[i], why, depth);
    }
    return err;
}

/* A Timestamp is written as text; a wrapper as what it holds. */
static mt_err put_known(mt_buf *out, const pb_message *m, const mt_json *v, mt_buf *why,
                        size_t depth)
{
    mt_moment t;
    if (pb_known_of(m) == PB_INSIDE) {
        return m->count == 1
                   ? put_field(out, &m->fields[0], v, why, depth)
                   : refuse(why, &m->fields[0], "is of a type that is not sent");
    }
    if (pb_known_of(m) != PB_TIMESTAMP || !mt_moment_parse(mt_json_text(v), &t)) {
        mt_buf_addf(why, "a '%.*s' must be an object, or a moment of RFC 3339",
                    MT_ARG(m->name));
        return MT_E_TYPE;
    }
    pb_put_tag(out, 1, PB_VARINT);
    pb_put_varint(out, (uint64_t)t.seconds);
    pb_put_tag(out, 2, PB_VARINT);
    pb_put_varint(out, t.nanos);
    return MT_OK;
}

static mt_err put_message(mt_buf *out, const pb_message *m, const mt_json *v,
                          mt_buf *why, size_t depth)
{
    mt_err err = MT_OK;
    if (depth > PB_MOST_DEPTH) {
        mt_buf_addz(why, "it is nested too deep");
        return MT_E_LIMIT;
    }
    if (!mt_json_is(v, MT_JSON_OBJECT) || pb_known_of(m) == PB_INSIDE) {
        return put_known(out, m, v, why, depth);
    }
    for (uint32_t i = 0; !err && i < v->count; i++) {
        const mt_json_member *member = &v->as.members[i];
        const pb_field *f = pb_field_find(m, member->key);
        if (!f) {
            mt_buf_addf(why, "message '%.*s' has no field '%.*s'", MT_ARG(m->name),
                        MT_ARG(member->key));
            return MT_E_TYPE;
        }
        if (!mt_json_is(&member->value, MT_JSON_NULL)) {
            err = put_field(out, f, &member->value, why, depth);
        }
    }
    return err;
}

mt_err pb_encode(mt_buf *out, const pb_message *m, const mt_json *object, mt_buf *why)
{
    return put_message(out, m, object, why, 0);
}
