/* base/json_tree.c - looking at a tree that json_read.c made.
 *
 * Places, members, numbers, order, equality. A tree is read only; nothing here
 * allocates but the order arrays that the caller brings.
 *
 * Equality is by value: objects without regard to the order of keys, numbers by what
 * they mean (1.0, 1 and 10e-1 are equal), compared as digits and exponent and never as
 * doubles, so numbers of any length differ where they differ. An exponent that does
 * not fit 64 bits equals only itself, character for character.
 *
 * mt_json_get() searches linearly: objects from outside are read once, key by key, and
 * what has many keys is put into a map by its reader. mt_json_sort() is stable for
 * what the reader admits, since keys of one object differ. */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/utf8.h"

void mt_json_place(mt_str text, size_t offset, uint32_t *line, uint32_t *column)
{
    size_t end = offset < text.len ? offset : text.len;
    size_t start = 0;
    *line = 1;
    for (size_t i = 0; i < end; i++) {
        if (text.ptr[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    }
    *column = (uint32_t)mt_utf8_count(mt_str_from(text.ptr + start, end - start)) + 1;
}

const mt_json *mt_json_get(const mt_json *object, mt_str key)
{
    if (!mt_json_is(object, MT_JSON_OBJECT)) {
        return NULL;
    }
    for (uint32_t i = 0; i < object->count; i++) {
        if (mt_str_eq(object->as.members[i].key, key)) {
            return &object->as.members[i].value;
        }
    }
    return NULL;
}

mt_str mt_json_text(const mt_json *node)
{
    bool has_text =
        mt_json_is(node, MT_JSON_STRING) || mt_json_is(node, MT_JSON_NUMBER);
    return has_text ? mt_str_from(node->as.text, node->count) : MT_STR("");
}

mt_err mt_json_i64(const mt_json *node, int64_t *out)
{
    if (!mt_json_is(node, MT_JSON_NUMBER)) {
        return MT_E_TYPE;
    }
    mt_str text = mt_json_text(node);
    bool negative = text.ptr[0] == '-';
    uint64_t value = 0;
    bool overflow = false;
    for (size_t i = negative; i < text.len; i++) {
        unsigned digit = (unsigned)(text.ptr[i] - '0');
        if (digit > 9) {
            return MT_E_TYPE;
        }
        overflow |= __builtin_mul_overflow(value, 10u, &value);
        overflow |= __builtin_add_overflow(value, digit, &value);
    }
    if (overflow || value > (uint64_t)INT64_MAX + negative) {
        return MT_E_RANGE;
    }
    *out = (int64_t)(negative ? 0 - value : value);
    return MT_OK;
}

const char *mt_json_type_name(const mt_json *node)
{
    static const char *const NAMES[] = {
        [MT_JSON_NULL] = "null",     [MT_JSON_BOOL] = "boolean",
        [MT_JSON_NUMBER] = "number", [MT_JSON_STRING] = "string",
        [MT_JSON_ARRAY] = "array",   [MT_JSON_OBJECT] = "object",
    };
    MT_TABLE_COVERS(NAMES, MT_JSON_OBJECT + 1);
    return node ? NAMES[node->type] : "nothing";
}

/* A number as 0.DIGITS x 10^exponent, DIGITS without outer zeros and with the point
 * left out; no digits at all for zero. */
typedef struct normal {
    bool negative, huge; /* huge: the written exponent leaves int64 */
    mt_str digits;       /* may still contain the point */
    int64_t exponent;
} normal;

/* Behind the `e`; 0 when there is none. */
static int64_t exponent_of(mt_str text, bool *huge)
{
    bool negative = text.len && text.ptr[0] == '-';
    size_t sign = text.len && (negative || text.ptr[0] == '+');
    int64_t value = 0;
    for (size_t i = sign; i < text.len; i++) {
        if (value > INT64_MAX / 100) {
            *huge = true;
            return 0;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    return negative ? -value : value;
}

static normal normalise(mt_str text)
{
    normal n = {.negative = text.ptr[0] == '-'};
    text = mt_str_skip(text, n.negative);
    size_t mantissa = 0;
    while (mantissa < text.len && (text.ptr[mantissa] | 0x20) != 'e') {
        mantissa++;
    }
    n.exponent = exponent_of(mt_str_skip(text, mantissa + 1), &n.huge);
    size_t point = mt_str_find(mt_str_from(text.ptr, mantissa), '.');
    size_t first = 0, last = mantissa;
    while (first < last && (text.ptr[first] == '0' || text.ptr[first] == '.')) {
        first++;
    }
    while (last > first && (text.ptr[last - 1] == '0' || text.ptr[last - 1] == '.')) {
        last--;
    }
    n.digits = mt_str_from(text.ptr + first, last - first);
    n.exponent += (int64_t)point - (int64_t)first + (first > point);
    return n;
}

/* Digits of both with the point left out wherever it stands. */
static bool same_digits(mt_str a, mt_str b)
{
    size_t i = 0, j = 0;
    for (; i < a.len && j < b.len; i++, j++) {
        i += a.ptr[i] == '.';
        j += b.ptr[j] == '.';
        if (a.ptr[i] != b.ptr[j]) {
            return false;
        }
    }
    return i == a.len && j == b.len;
}

static bool numbers_equal(mt_str a, mt_str b)
{
    if (mt_str_eq(a, b)) {
        return true;
    }
    normal x = normalise(a), y = normalise(b);
    if (!x.digits.len || !y.digits.len) {
        return x.digits.len == y.digits.len;
    }
    return !x.huge && !y.huge && x.negative == y.negative && x.exponent == y.exponent &&
           same_digits(x.digits, y.digits);
}

static int by_key(const void *a, const void *b)
{
    const mt_json_member *const *x = a, *const *y = b;
    return mt_str_cmp((*x)->key, (*y)->key);
}

enum { FEW = 24 };

void mt_json_sort(const mt_json *object, const mt_json_member **order)
{
    const mt_json_member *members = object->as.members;
    for (uint32_t i = 0; i < object->count; i++) {
        uint32_t at = i;
        for (; object->count <= FEW && at > 0 &&
               mt_str_cmp(order[at - 1]->key, members[i].key) > 0;
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = &members[i];
    }
    if (object->count > FEW) {
        qsort(order, object->count, sizeof *order, by_key);
    }
}

static bool equal(const mt_json *a, const mt_json *b, unsigned depth);

/* Counts are equal already and keys differ, so one direction is enough. */
static bool objects_equal(const mt_json *a, const mt_json *b, unsigned depth)
{
    size_t count = a->count;
    const mt_json_member **x = mt_xmalloc(mt_array_bytes(2 * count, sizeof *x));
    mt_json_sort(a, x);
    mt_json_sort(b, x + count);
    bool same = true;
    for (uint32_t i = 0; same && i < count; i++) {
        const mt_json_member *left = x[i], *right = x[count + i];
        same = mt_str_eq(left->key, right->key) &&
               equal(&left->value, &right->value, depth + 1);
    }
    free(x);
    return same;
}

static bool arrays_equal(const mt_json *a, const mt_json *b, unsigned depth)
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (!equal(&a->as.items[i], &b->as.items[i], depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool equal(const mt_json *a, const mt_json *b, unsigned depth)
{
    MT_ASSERT(depth <= MT_JSON_MAX_DEPTH);
    if (a->type != b->type) {
        return false;
    }
    switch ((mt_json_type)a->type) {
    case MT_JSON_NULL: return true;
    case MT_JSON_BOOL: return a->boolean == b->boolean;
    case MT_JSON_NUMBER: return numbers_equal(mt_json_text(a), mt_json_text(b));
    case MT_JSON_STRING: return mt_str_eq(mt_json_text(a), mt_json_text(b));
    case MT_JSON_ARRAY: return a->count == b->count && arrays_equal(a, b, depth);
    case MT_JSON_OBJECT: return a->count == b->count && objects_equal(a, b, depth);
    }
    MT_BUG("unknown JSON type");
}

bool mt_json_equal(const mt_json *a, const mt_json *b)
{
    return equal(a, b, 0);
}
