/* agent/python.c - see python.h.
 *
 * Existing agents are Python programs, and what they send and pin depends on how
 * Python prints and reads: json.dumps with its spaces and its escapes beyond ASCII,
 * repr() of texts and floats, int("1_000"), float(" 1e3 "). Each is written down here
 * as Python 3 does it, with its quirks, because a byte more or less is another
 * message.
 *
 * Numbers keep their text where Python keeps it (an int of any length) and become the
 * shortest double where Python has a float. ag_py_recover() takes apart what was
 * packed as text in text; its depth is bounded, as is everything that recurses here,
 * by the reader.
 *
 * Nothing fails: what cannot be cast stays as it is, as it does there. */
#include "agent/python.h"

#include <math.h>
#include <stdlib.h>

#include "agent/chars.h"
#include "agent/value.h"
#include "base/number.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "base/vec.h"

/* ---- numbers ---- */

/* A number node is an int when written without fraction and exponent. */
static bool is_float(const mt_json *value)
{
    mt_str t = mt_json_text(value);
    return mt_str_find(t, '.') < t.len || mt_str_find(t, 'e') < t.len ||
           mt_str_find(t, 'E') < t.len || mt_str_is(t, "NaN") ||
           mt_str_is(t, "Infinity") || mt_str_is(t, "-Infinity");
}

/* The reader keeps numbers as text; NaN and infinities are words here, as the SDK's
 * JSON has them. */
static double double_of(const mt_json *value)
{
    mt_str t = mt_json_text(value);
    double d = 0;
    if (mt_str_is(t, "NaN")) {
        return (double)NAN;
    }
    if (mt_str_is(t, "Infinity") || mt_str_is(t, "-Infinity")) {
        return t.ptr[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    }
    mt_number_parse(t, &d);
    return d;
}

/* Shortest digits and the exponent n of 0.DIGITS x 10^n, from the base's text. */
static size_t digits_of(double value, char digits[MT_NUMBER_TEXT], int *exponent)
{
    char text[MT_NUMBER_TEXT + 1];
    size_t len = mt_number_print(value, text), count = 0;
    int point = 0, e = 0;
    bool seen_point = false;
    text[len] = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == 'e') {
            e = atoi(text + i + 1);
            break;
        }
        seen_point |= text[i] == '.';
        if (text[i] >= '0' && text[i] <= '9') {
            if (count || text[i] != '0') {
                digits[count++] = text[i];
                point += !seen_point;
            } else {
                point -= seen_point;
            }
        }
    }
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    *exponent = point + e;
    return count;
}

static void add_scientific(mt_buf *out, const char *digits, size_t count, int n)
{
    mt_buf_addc(out, digits[0]);
    if (count > 1) {
        mt_buf_addc(out, '.');
        mt_buf_add(out, digits + 1, count - 1);
    }
    mt_buf_addf(out, "e%c%02d", n - 1 < 0 ? '-' : '+', abs(n - 1));
}

/* Python writes at least one digit on both sides of the point. `n` is the place of the
 * point within the digits. */
static void add_fixed(mt_buf *out, const char *digits, size_t count, int n)
{
    if (n <= 0) {
        mt_buf_addz(out, "0.");
        for (int i = n; i < 0; i++) {
            mt_buf_addc(out, '0');
        }
        mt_buf_add(out, digits, count);
        return;
    }
    for (int i = 0; i < n; i++) {
        mt_buf_addc(out, (size_t)i < count ? digits[i] : '0');
    }
    mt_buf_addc(out, '.');
    if (count > (size_t)n) {
        mt_buf_add(out, digits + n, count - (size_t)n);
    } else {
        mt_buf_addc(out, '0');
    }
}

/* repr(float): fixed for 1e-4 <= |x| < 1e16. */
static void add_float(mt_buf *out, double value)
{
    char digits[MT_NUMBER_TEXT];
    int n;
    if (signbit(value)) {
        mt_buf_addc(out, '-');
        value = -value;
    }
    size_t count = digits_of(value, digits, &n);
    if (!count) {
        mt_buf_addz(out, "0.0");
    } else if (n > 16 || n < -3) {
        add_scientific(out, digits, count, n);
    } else {
        add_fixed(out, digits, count, n);
    }
}

/* Integers of any size pass as text; only floats are rounded to a double and printed as
 * the shortest text that reads back. */
static void add_number(mt_buf *out, const mt_json *value, bool json)
{
    mt_str t = mt_json_text(value);
    double d = is_float(value) ? double_of(value) : 0;
    if (isnan(d)) {
        mt_buf_addz(out, json ? "NaN" : "nan");
    } else if (isinf(d)) {
        mt_buf_addz(out, d < 0 ? "-" : "");
        mt_buf_addz(out, json ? "Infinity" : "inf");
    } else if (is_float(value)) {
        add_float(out, d);
    } else {
        mt_buf_adds(out, mt_str_is(t, "-0") ? MT_STR("0") : t);
    }
}

/* ---- texts ---- */

/* ensure_ascii: everything else becomes escapes, two of them beyond the basic plane. */
static void add_json_char(mt_buf *out, uint32_t c)
{
    static const char NAMED[][2] = {{'"', '"'},  {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'},
                                    {'\t', 't'}, {'\b', 'b'},  {'\f', 'f'}};
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++) {
        if (c == (unsigned char)NAMED[i][0]) {
            mt_buf_addc(out, '\\');
            mt_buf_addc(out, NAMED[i][1]);
            return;
        }
    }
    if (c >= 32 && c < 127) {
        mt_buf_addc(out, (char)c);
    } else if (c < 0x10000) {
        mt_buf_addf(out, "\\u%04x", c);
    } else {
        c -= 0x10000;
        mt_buf_addf(out, "\\u%04x\\u%04x", 0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF));
    }
}

static void add_json_text(mt_buf *out, mt_str text)
{
    size_t len;
    mt_buf_addc(out, '"');
    for (size_t i = 0; i < text.len; i += len) {
        add_json_char(out, mt_utf8_decode(text.ptr + i, &len));
    }
    mt_buf_addc(out, '"');
}

static bool printable(uint32_t c)
{
    if (c < 128) {
        return c >= 32 && c < 127;
    }
    return !mt_unicode_is(c, MT_UNICODE_HIDDEN);
}

/* What Python's repr() does; printable characters stay as they are, others become the
 * shortest escape. */
static void add_repr_char(mt_buf *out, const char *at, size_t len, uint32_t c,
                          char quote)
{
    if (c == (unsigned char)quote || c == '\\') {
        mt_buf_addc(out, '\\');
        mt_buf_addc(out, (char)c);
    } else if (c == '\n' || c == '\r' || c == '\t') {
        mt_buf_addz(out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
    } else if (printable(c)) {
        mt_buf_add(out, at, len);
    } else if (c < 0x100) {
        mt_buf_addf(out, "\\x%02x", c);
    } else {
        mt_buf_addf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    }
}

/* Double quotes only where the text has single ones and no double ones. */
void ag_py_repr(mt_buf *out, mt_str text)
{
    bool single = mt_str_find(text, '\'') < text.len;
    bool doubled = mt_str_find(text, '"') < text.len;
    char quote = single && !doubled ? '"' : '\'';
    size_t len;
    mt_buf_addc(out, quote);
    for (size_t i = 0; i < text.len; i += len) {
        uint32_t c = mt_utf8_decode(text.ptr + i, &len);
        add_repr_char(out, text.ptr + i, len, c, quote);
    }
    mt_buf_addc(out, quote);
}

/* ---- values ---- */

/* One walk for dumps (json) and repr; depth is bounded by the reader. */
static void add_value(mt_buf *out, const mt_json *v, bool json)
{
    switch ((mt_json_type)v->type) {
    case MT_JSON_NULL: mt_buf_addz(out, json ? "null" : "None"); break;
    case MT_JSON_BOOL:
        mt_buf_addz(out, json ? (v->boolean ? "true" : "false")
                              : (v->boolean ? "True" : "False"));
        break;
    case MT_JSON_NUMBER: add_number(out, v, json); break;
    case MT_JSON_STRING:
        (json ? add_json_text : ag_py_repr)(out, mt_json_text(v));
        break;
    case MT_JSON_ARRAY:
        mt_buf_addc(out, '[');
        for (uint32_t i = 0; i < v->count; i++) {
            mt_buf_addz(out, i ? ", " : "");
            add_value(out, &v->as.items[i], json);
        }
        mt_buf_addc(out, ']');
        break;
    case MT_JSON_OBJECT:
        mt_buf_addc(out, '{');
        for (uint32_t i = 0; i < v->count; i++) {
            mt_buf_addz(out, i ? ", " : "");
            (json ? add_json_text : ag_py_repr)(out, v->as.members[i].key);
            mt_buf_addz(out, ": ");
            add_value(out, &v->as.members[i].value, json);
        }
        mt_buf_addc(out, '}');
        break;
    }
}

void ag_py_dumps(mt_buf *out, const mt_json *value)
{
    add_value(out, value, true);
}

/* Appends str(value). */
static void py_str(mt_buf *out, const mt_json *value)
{
    if (mt_json_is(value, MT_JSON_STRING)) {
        mt_buf_adds(out, mt_json_text(value));
    } else {
        add_value(out, value, false);
    }
}

/* Same shape as add_type() of message.c, as a value instead of text. */
mt_json ag_py_type(mt_arena *a, const mt_json *v)
{
    switch ((mt_json_type)v->type) {
    case MT_JSON_NULL: return ag_text_value(MT_STR("null"));
    case MT_JSON_BOOL: return ag_text_value(MT_STR("bool"));
    case MT_JSON_NUMBER:
        return ag_text_value(is_float(v) ? MT_STR("float") : MT_STR("int"));
    case MT_JSON_STRING: return ag_text_value(MT_STR("str"));
    case MT_JSON_ARRAY: {
        mt_json *items = mt_new_array(a, mt_json, v->count);
        for (uint32_t i = 0; i < v->count; i++) {
            items[i] = ag_py_type(a, &v->as.items[i]);
        }
        return ag_list_value(items, v->count);
    }
    case MT_JSON_OBJECT: break;
    }
    mt_json_member *members = mt_new_array(a, mt_json_member, v->count);
    for (uint32_t i = 0; i < v->count; i++) {
        members[i].key = v->as.members[i].key;
        members[i].value = ag_py_type(a, &v->as.members[i].value);
    }
    return ag_object_value(members, v->count);
}

/* ---- recovering ---- */

enum { RECOVER_DEPTH = 64 };

/* The SDK reads text inside text as JSON again, at every level. RECOVER_DEPTH bounds
 * what an attacker could nest. */
static mt_json recover(mt_arena *a, mt_json value, int depth)
{
    if (depth > RECOVER_DEPTH) {
        return value;
    }
    if (mt_json_is(&value, MT_JSON_STRING)) {
        mt_json inner;
        if (!ag_py_loads(a, mt_json_text(&value), NULL, AG_PY_AS_IS, &inner)) {
            return recover(a, inner, depth + 1);
        }
        return value;
    }
    if (mt_json_is(&value, MT_JSON_ARRAY)) {
        mt_json *items = mt_new_array(a, mt_json, value.count);
        for (uint32_t i = 0; i < value.count; i++) {
            items[i] = recover(a, value.as.items[i], depth + 1);
        }
        return ag_list_value(items, value.count);
    }
    if (mt_json_is(&value, MT_JSON_OBJECT)) {
        mt_json_member *members = mt_new_array(a, mt_json_member, value.count);
        for (uint32_t i = 0; i < value.count; i++) {
            members[i].key = value.as.members[i].key;
            members[i].value = recover(a, value.as.members[i].value, depth + 1);
        }
        return ag_object_value(members, value.count);
    }
    return value;
}

/* ---- casting ---- */

/* Python's truth: empty containers and zero are false. "-0" is an integer zero. */
static bool truthy(const mt_json *v)
{
    switch ((mt_json_type)v->type) {
    case MT_JSON_NULL: return false;
    case MT_JSON_BOOL: return v->boolean;
    case MT_JSON_NUMBER:
        return is_float(v) ? double_of(v) != 0
                           : !mt_str_is(mt_json_text(v), "0") &&
                                 !mt_str_is(mt_json_text(v), "-0");
    case MT_JSON_STRING:
    case MT_JSON_ARRAY:
    case MT_JSON_OBJECT: break;
    }
    return v->count > 0;
}

/* The digits of int("…"): sign, digits with single underscores, leading zeros gone. */
static bool int_text(mt_arena *a, mt_str text, mt_json *out)
{
    mt_str s = ag_strip(text);
    bool negative = s.len && s.ptr[0] == '-';
    s = mt_str_skip(s, s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'));
    char *digits = mt_alloc(a, s.len + 2);
    size_t count = 0;
    digits[count++] = '-';
    for (size_t i = 0; i < s.len; i++) {
        bool digit = s.ptr[i] >= '0' && s.ptr[i] <= '9';
        bool joint = s.ptr[i] == '_' && i && i + 1 < s.len && s.ptr[i - 1] != '_';
        if (!digit && !joint) {
            return false;
        }
        if (digit && (count > 1 || s.ptr[i] != '0' || i + 1 == s.len)) {
            digits[count++] = s.ptr[i];
        }
    }
    if (!s.len || count == 1) {
        return false;
    }
    bool zero = count == 2 && digits[1] == '0';
    *out = negative && !zero ? ag_number_value(mt_str_from(digits, count))
                             : ag_number_value(mt_str_from(digits + 1, count - 1));
    return true;
}

/* Python truncates towards zero; what cannot be converted stays as it was, as the SDK
 * swallows the error. */
static mt_json cast_int(mt_arena *a, mt_json v)
{
    mt_json out;
    if (mt_json_is(&v, MT_JSON_BOOL)) {
        return ag_number_value(v.boolean ? MT_STR("1") : MT_STR("0"));
    }
    if (mt_json_is(&v, MT_JSON_STRING)) {
        return int_text(a, mt_json_text(&v), &out) ? out : v;
    }
    if (!mt_json_is(&v, MT_JSON_NUMBER) || !is_float(&v)) {
        return v;
    }
    double d = double_of(&v);
    if (d > -9e15 && d < 9e15) { /* beyond, a double has no fraction */
        return ag_i64_value(a, (int64_t)d);
    }
    return isfinite(d) ? ag_number_value(mt_strf(a, "%.0f", d)) : v;
}

static mt_json float_value(mt_arena *a, double d)
{
    mt_buf text = {0};
    if (isnan(d)) {
        return ag_number_value(MT_STR("NaN"));
    }
    if (isinf(d)) {
        return ag_number_value(d < 0 ? MT_STR("-Infinity") : MT_STR("Infinity"));
    }
    add_float(&text, d);
    mt_json out = ag_number_value(mt_str_dup(a, mt_buf_str(&text)));
    mt_buf_free(&text);
    return out;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* float("…"): what strtod reads, without its hexadecimal forms; underscores between
 * digits. */
static bool float_text(mt_arena *a, mt_str text, double *out)
{
    mt_str s = ag_strip(text);
    char *copy = mt_alloc(a, s.len + 1), *end;
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == 'x' || s.ptr[i] == 'X' || s.ptr[i] == '(') {
            return false;
        }
        if (s.ptr[i] == '_' && i && i + 1 < s.len && is_digit(s.ptr[i - 1]) &&
            is_digit(s.ptr[i + 1])) {
            continue;
        }
        copy[count++] = s.ptr[i];
    }
    copy[count] = 0;
    *out = strtod(copy, &end);
    return count && *end == 0;
}

/* Integers beyond 2^53 lose digits here, as they do in Python. */
static mt_json cast_float(mt_arena *a, mt_json v)
{
    double d;
    if (mt_json_is(&v, MT_JSON_BOOL)) {
        return float_value(a, v.boolean ? 1 : 0);
    }
    if (mt_json_is(&v, MT_JSON_STRING)) {
        return float_text(a, mt_json_text(&v), &d) ? float_value(a, d) : v;
    }
    return mt_json_is(&v, MT_JSON_NUMBER) ? float_value(a, double_of(&v)) : v;
}

static mt_json cast_text(mt_arena *a, mt_json v)
{
    mt_buf out = {0};
    py_str(&out, &v);
    mt_json text = ag_text_value(mt_str_dup(a, mt_buf_str(&out)));
    mt_buf_free(&out);
    return text;
}

static mt_json cast_leaf(mt_arena *a, mt_json v, mt_str type)
{
    if (mt_str_is(type, "str")) {
        return cast_text(a, v);
    }
    if (mt_str_is(type, "bool")) {
        return ag_bool_value(truthy(&v));
    }
    if (mt_str_is(type, "int")) {
        return cast_int(a, v);
    }
    return mt_str_is(type, "float") ? cast_float(a, v) : v;
}

static mt_json cast(mt_arena *a, mt_json v, const mt_json *type);

/* Members in the order of the type, then those it does not name; the SDK builds its
 * result that way. */
static mt_json cast_object(mt_arena *a, const mt_json *v, const mt_json *type)
{
    mt_json_member *members = mt_new_array(a, mt_json_member, v->count);
    size_t count = 0;
    for (uint32_t i = 0; i < type->count; i++) {
        const mt_json *inner = mt_json_get(v, type->as.members[i].key);
        if (inner) {
            members[count].key = type->as.members[i].key;
            members[count++].value = cast(a, *inner, &type->as.members[i].value);
        }
    }
    for (uint32_t i = 0; i < v->count; i++) {
        if (!mt_json_get(type, v->as.members[i].key)) {
            members[count++] = v->as.members[i];
        }
    }
    return ag_object_value(members, count);
}

/* Lists are cast as far as the type has items; where shapes differ the value is left
 * alone. */
static mt_json cast(mt_arena *a, mt_json v, const mt_json *type)
{
    if (mt_json_is(type, MT_JSON_STRING)) {
        return cast_leaf(a, v, mt_json_text(type));
    }
    if (mt_json_is(type, MT_JSON_OBJECT) && mt_json_is(&v, MT_JSON_OBJECT)) {
        return cast_object(a, &v, type);
    }
    if (mt_json_is(type, MT_JSON_ARRAY) && mt_json_is(&v, MT_JSON_ARRAY)) {
        mt_json *items = mt_new_array(a, mt_json, v.count);
        for (uint32_t i = 0; i < v.count; i++) {
            items[i] = i < type->count ? cast(a, v.as.items[i], &type->as.items[i])
                                       : v.as.items[i];
        }
        return ag_list_value(items, v.count);
    }
    return v;
}

/* Never fails: what cannot be read is text. Only a whole envelope is unpacked; a part
 * of one stays what it is. */
mt_json ag_py_recover(mt_arena *a, mt_str line)
{
    mt_json whole;
    if (ag_py_loads(a, line, NULL, AG_PY_AS_IS, &whole)) {
        line.len -= line.len && line.ptr[line.len - 1] == '\n';
        return ag_text_value(line);
    }
    whole = recover(a, whole, 0);
    const mt_json *address = mt_json_at(&whole, "remote_addr");
    const mt_json *content = mt_json_at(&whole, "content");
    if (!address || !content) {
        return whole;
    }
    mt_json inner = *content;
    const mt_json *payload = mt_json_at(content, "_payload");
    const mt_json *type = mt_json_at(content, "_type");
    if (payload && type && mt_json_at(content, "_version")) {
        inner = cast(a, *payload, type);
    }
    mt_json_member *members = mt_new_array(a, mt_json_member, 2);
    members[0] = (mt_json_member){MT_STR("remote_addr"), *address};
    members[1] = (mt_json_member){MT_STR("content"), inner};
    return ag_object_value(members, 2);
}
