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
    mt_json_error error; /* the first one */
} mt_jp;

/* `limits` may be NULL. False when the text is too large. */
bool mt_jp_start(mt_jp *j, mt_arena *a, mt_str text, const mt_json_limits *limits);
/* Refuses text after the value. Fills *error (may be NULL) unless MT_OK. */
mt_err mt_jp_finish(mt_jp *j, mt_json_error *error);

/* Faults. Inline so that the compiler knows that they return false. */
void mt_jp_set_fault(mt_jp *j, mt_err err, const char *at, const char *message);
/* Text that is not JSON at all is reported as that. */
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
/* Reads a null; anything else is a mismatch. */
bool mt_jp_null(mt_jp *j);
/* Integers only, written without fraction or exponent: MT_E_TYPE, MT_E_RANGE. */
bool mt_jp_i64(mt_jp *j, int64_t *out);

/* The general forms of the functions below. */
bool mt_jp_open_slow(mt_jp *j, mt_json_type type);
bool mt_jp_item_slow(mt_jp *j);
bool mt_jp_key_slow(mt_jp *j, mt_str *key);
bool mt_jp_str_slow(mt_jp *j, mt_str *out);
bool mt_jp_number_slow(mt_jp *j, mt_str *out);
bool mt_jp_bool_slow(mt_jp *j, bool *out);

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

/* Below, the inline part takes what compact text has far from its end and leaves the
 * rest, white space too, to the general form. */

static inline bool mt_jp_open(mt_jp *j, char bracket, mt_json_type type)
{
    const char *p = j->p;
    if (MT_LIKELY(j->end - p >= 2 && p[0] == bracket && (unsigned char)p[1] > ' ' &&
                  p[1] != ',' && j->depth < j->max_depth)) {
        j->depth++;
        j->first = true;
        j->p = p + 1;
        return true;
    }
    return mt_jp_open_slow(j, type);
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

/* False at the end of the array; true: the cursor is at the next item. */
static inline bool mt_jp_item(mt_jp *j)
{
    const char *p = j->p;
    if (MT_LIKELY(j->end - p >= 2 && p[0] == ',' && (unsigned char)p[1] > ' ')) {
        j->p = p + 1;
        return true;
    }
    return mt_jp_item_slow(j);
}

/* False at the end of the object; true: *key is the next key, the cursor at its value.
 */
static inline bool mt_jp_key(mt_jp *j, mt_str *key)
{
    const char *p = j->p, *start = NULL;
    if (MT_LIKELY(j->end - p >= MT_SCAN_NEAR)) {
        if (p[0] == ',' && p[1] == '"') {
            start = p + 2;
        } else if (p[0] == '"' && j->first) {
            start = p + 1;
        }
    }
    const char *quote = start ? mt_scan_near_quote(start) : NULL;
    if (MT_LIKELY(quote && quote[1] == ':' && (unsigned char)quote[2] > ' ')) {
        *key = mt_str_from(start, (size_t)(quote - start));
        j->key_at = start - 1;
        j->p = quote + 2;
        j->first = false;
        return true;
    }
    return mt_jp_key_slow(j, key);
}

/* For callers that can guess the next key: true, and the cursor at its value, when it
 * is written just like `quoted`, which is the key with its quotes and the colon.
 * Otherwise false and nothing has changed: ask mt_jp_key(). A right guess is cheaper
 * than a key, because its length is known before it is looked at. */
static inline bool mt_jp_expect(mt_jp *j, mt_str quoted)
{
    const char *p = j->p;
    if (MT_UNLIKELY((size_t)(j->end - p) < quoted.len + 2)) {
        return false;
    }
    if (*p == ',') {
        p++;
    } else if (!j->first) {
        return false;
    }
    if (memcmp(p, quoted.ptr, quoted.len) != 0 || (unsigned char)p[quoted.len] <= ' ') {
        return false;
    }
    j->key_at = p;
    j->p = p + quoted.len;
    j->first = false;
    return true;
}

static inline bool mt_jp_str(mt_jp *j, mt_str *out)
{
    const char *p = j->p;
    if (MT_LIKELY(j->end - p >= MT_SCAN_NEAR && *p == '"')) {
        const char *quote = mt_scan_near_quote(p + 1);
        if (MT_LIKELY(quote && (unsigned char)quote[1] > ' ')) {
            *out = mt_str_from(p + 1, (size_t)(quote - p - 1));
            j->p = quote + 1;
            return true;
        }
    }
    return mt_jp_str_slow(j, out);
}

/* The number's text as written. */
static inline bool mt_jp_number(mt_jp *j, mt_str *out)
{
    const char *p = j->p;
    if (MT_LIKELY(j->end - p >= MT_SCAN_NEAR)) {
        const char *stop = mt_scan_near_number(p);
        if (MT_LIKELY(stop && (unsigned char)*stop > ' ')) {
            *out = mt_str_from(p, (size_t)(stop - p));
            j->p = stop;
            return true;
        }
    }
    return mt_jp_number_slow(j, out);
}

static inline bool mt_jp_bool(mt_jp *j, bool *out)
{
    const char *p = j->p;
    if (MT_LIKELY(j->end - p > 5)) {
        bool yes = memcmp(p, "true", 4) == 0, no = memcmp(p, "false", 5) == 0;
        const char *stop = p + 4 + no;
        if (MT_LIKELY((yes || no) && (unsigned char)*stop > ' ')) {
            *out = yes;
            j->p = stop;
            return true;
        }
    }
    return mt_jp_bool_slow(j, out);
}

#endif
