/* base/json_pull.h - a cursor over JSON text, for reading without building a tree.
 * Room: base. May include base/ only.
 * The caller knows what it expects and asks for it; what is there instead is a fault:
 *
 *     mt_jp j;
 *     mt_jp_start(&j, arena, text, NULL);
 *     mt_jp_object(&j);
 *     for (mt_str key; mt_jp_key(&j, &key);) {
 *         if (mt_str_is(key, "id")) mt_jp_str(&j, &id);
 *         else mt_jp_skip(&j);
 *     }
 *     mt_err err = mt_jp_finish(&j, &error);
 *
 * As strict as json_read. The first fault sticks: every later call returns false and
 * changes nothing, so it is enough to look at mt_jp_finish() (or j.err).
 * Duplicate keys: the caller sees every key, so it refuses those it knows with
 * mt_jp_duplicate() and gives all others to mt_jp_unknown(), which skips the value and
 * remembers the key. Values skipped or read as a tree are checked inside.
 * Ownership: strings without escapes and number texts borrow from the input, strings
 * with escapes live in the arena. */
#ifndef MT_BASE_JSON_PULL_H
#define MT_BASE_JSON_PULL_H

#include "base/json_scan.h"
#include "base/map.h"

typedef struct mt_jp {
    const char *p, *end; /* next unread byte: always the start of a token */
    const char *begin;
    const char *key_at; /* opening quote of the last key */
    mt_arena *arena;
    bool first; /* a container was just opened */
    mt_err err; /* MT_OK; MT_E_SYNTAX; MT_E_LIMIT; MT_E_TYPE: something else is there */
    size_t depth, max_depth;
    mt_json_error error;
} mt_jp;

/* `limits` may be NULL. False when the text is too large. */
bool mt_jp_start(mt_jp *j, mt_arena *a, mt_str text, const mt_json_limits *limits);
/* Refuses text after the value. Fills *error (may be NULL) unless MT_OK. */
mt_err mt_jp_finish(mt_jp *j, mt_json_error *error);

/* Faults. Inline so that the compiler knows that they return false. */
void mt_jp_set_fault(mt_jp *j, mt_err err, const char *at, const char *message);
void mt_jp_set_mismatch(mt_jp *j, mt_json_type expected);

static inline bool mt_jp_fail(mt_jp *j, mt_err err, const char *at, const char *message)
{
    mt_jp_set_fault(j, err, at, message);
    return false;
}

/* The value here is not of type `expected`. */
static inline bool mt_jp_mismatch(mt_jp *j, mt_json_type expected)
{
    mt_jp_set_mismatch(j, expected);
    return false;
}

/* The last key, `key`, was there before. */
bool mt_jp_duplicate(mt_jp *j, mt_str key);

/* Skips any value. */
bool mt_jp_skip(mt_jp *j);
/* Skips the value of an unknown key, refusing a key that `seen` has. */
bool mt_jp_unknown(mt_jp *j, mt_map *seen, mt_str key);
/* Reads any value as a tree into the arena. */
bool mt_jp_tree(mt_jp *j, mt_json *out);
bool mt_jp_null(mt_jp *j);
/* Integers only, written without fraction or exponent: MT_E_TYPE, MT_E_RANGE. */
bool mt_jp_i64(mt_jp *j, int64_t *out);

/* Slow paths of the functions below. */
bool mt_jp_string_slow(mt_jp *j, const char *start, mt_str *out);
bool mt_jp_bool_slow(mt_jp *j, bool *out);
bool mt_jp_after_slow(mt_jp *j, char closing);
bool mt_jp_colon_slow(mt_jp *j);

/* Offset of the next value. */
static inline size_t mt_jp_offset(const mt_jp *j)
{
    return (size_t)(j->p - j->begin);
}

/* Type of the next value by its first byte; a fault shows when it is read. */
static inline mt_json_type mt_jp_type(const mt_jp *j)
{
    switch (j->p < j->end ? *j->p : 'n') {
    case '"': return MT_JSON_STRING;
    case '{': return MT_JSON_OBJECT;
    case '[': return MT_JSON_ARRAY;
    case 't':
    case 'f': return MT_JSON_BOOL;
    case 'n': return MT_JSON_NULL;
    default: return MT_JSON_NUMBER;
    }
}

static inline bool mt_jp_at(const mt_jp *j, char c)
{
    return MT_LIKELY(j->p < j->end) && *j->p == c;
}

static inline bool mt_jp_open(mt_jp *j, char bracket, mt_json_type type)
{
    if (MT_UNLIKELY(!mt_jp_at(j, bracket))) {
        return mt_jp_mismatch(j, type);
    }
    if (MT_UNLIKELY(j->depth == j->max_depth)) {
        return mt_jp_fail(j, MT_E_LIMIT, j->p, MT_SCAN_DEPTH);
    }
    j->depth++;
    j->first = true;
    j->p = mt_scan_space(j->p + 1, j->end);
    return true;
}

/* Enters an object; read it with mt_jp_key() until that is false. */
static inline bool mt_jp_object(mt_jp *j)
{
    return mt_jp_open(j, '{', MT_JSON_OBJECT);
}

/* Enters an array; read it with mt_jp_item() until that is false. */
static inline bool mt_jp_array(mt_jp *j)
{
    return mt_jp_open(j, '[', MT_JSON_ARRAY);
}

/* Is there another child? Reads the comma, or the closing bracket. */
static inline bool mt_jp_more(mt_jp *j, char closing)
{
    if (MT_LIKELY(mt_jp_at(j, ',') && !j->first)) {
        j->p = mt_scan_space(j->p + 1, j->end);
        return true;
    }
    return mt_jp_after_slow(j, closing);
}

/* False at the end of the array; true: the cursor is at the next item. */
static inline bool mt_jp_item(mt_jp *j)
{
    return mt_jp_more(j, ']');
}

/* Reads a string body that starts at `start` and leaves the cursor behind it. */
static inline bool mt_jp_string_at(mt_jp *j, const char *start, mt_str *out)
{
    if (MT_LIKELY(j->end - start >= MT_SCAN_BLOCK)) {
        unsigned special = mt_scan_special(start);
        const char *hit = start + (special ? __builtin_ctz(special) : 0);
        if (MT_LIKELY(special && *hit == '"')) {
            *out = mt_str_from(start, (size_t)(hit - start));
            j->p = hit + 1;
            return true;
        }
    }
    return mt_jp_string_slow(j, start, out);
}

/* False at the end of the object; true: *key is the next key, the cursor at its value.
 */
static inline bool mt_jp_key(mt_jp *j, mt_str *key)
{
    if (!mt_jp_more(j, '}')) {
        return false;
    }
    j->key_at = j->p;
    if (MT_UNLIKELY(!mt_jp_at(j, '"'))) {
        return mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_KEY);
    }
    if (MT_UNLIKELY(!mt_jp_string_at(j, j->p + 1, key))) {
        return false;
    }
    if (MT_LIKELY(j->end - j->p >= 2 && j->p[0] == ':' &&
                  (unsigned char)j->p[1] > ' ')) {
        j->p++;
        return true;
    }
    return mt_jp_colon_slow(j);
}

/* After a scalar that ends at p: the cursor moves to the next token. */
static inline bool mt_jp_done(mt_jp *j, const char *p)
{
    j->p = mt_scan_space(p, j->end);
    j->first = false;
    return true;
}

static inline bool mt_jp_str(mt_jp *j, mt_str *out)
{
    if (MT_UNLIKELY(!mt_jp_at(j, '"'))) {
        return mt_jp_mismatch(j, MT_JSON_STRING);
    }
    return mt_jp_string_at(j, j->p + 1, out) && mt_jp_done(j, j->p);
}

/* The number's text as written. */
static inline bool mt_jp_number(mt_jp *j, mt_str *out)
{
    if (MT_UNLIKELY(j->p == j->end || ((unsigned)(*j->p - '0') > 9 && *j->p != '-'))) {
        return mt_jp_mismatch(j, MT_JSON_NUMBER);
    }
    mt_scan_fault fault;
    const char *next = mt_scan_number(j->p, j->end, &fault);
    if (MT_UNLIKELY(!next)) {
        return mt_jp_fail(j, MT_E_SYNTAX, fault.at, fault.message);
    }
    *out = mt_str_from(j->p, (size_t)(next - j->p));
    return mt_jp_done(j, next);
}

static inline bool mt_jp_bool(mt_jp *j, bool *out)
{
    if (MT_LIKELY(j->end - j->p > 4 && memcmp(j->p, "true", 4) == 0)) {
        *out = true;
        return mt_jp_done(j, j->p + 4);
    }
    return mt_jp_bool_slow(j, out);
}

#endif
