/* base/json_canonical.c - is this text exactly what the canonical writer would write?
 *
 * The ledger hashes bytes, so a record must have one spelling: no white space, keys in
 * byte order, numbers as they were written, the shortest escapes. One walk over the
 * text answers without building a tree and on the way picks the raw text of a few
 * top-level keys, which is all the verifier needs of a body.
 *
 * The walk cannot compare keys with escapes, since their order is that of the decoded
 * text. It then notes that it is unsure, and the text is read and written again; such
 * keys are rare enough.
 *
 * Invariants: depth and bytes are bounded by the table of limits, so the recursion of
 * value() and container() is, too; a pick is empty (ptr NULL) unless its key was seen.
 * The answer is yes or no; nobody is told where the text differs. */
#include "base/json_canonical.h"

#include "base/json_scan.h"
#include "base/json_write.h"
#include "base/limits.h"

typedef struct walk {
    const char *end; /* of the text */
    mt_json_pick *picks;
    size_t count;
    size_t depth, max_depth;
    bool unsure; /* a key has escapes: their order shows only when decoded */
} walk;

static const char *value(walk *w, const char *p);

/* Is the escape after this backslash the one the writer would choose? */
static bool shortest_escape(const char *p)
{
    if (*p != 'u') {
        return *p != '/';
    }
    static const char SHORT[] = "89acd"; /* \b \t \n \f \r have letters of their own */
    bool control = p[1] == '0' && p[2] == '0' && (p[3] == '0' || p[3] == '1');
    bool lower = (p[4] >= '0' && p[4] <= '9') || (p[4] >= 'a' && p[4] <= 'f');
    return control && lower && !(p[3] == '0' && strchr(SHORT, p[4]));
}

/* `body` passed mt_scan_string(), so every escape is whole. */
static bool shortest_escapes(const char *p, const char *end)
{
    while ((p = memchr(p, '\\', (size_t)(end - p)))) {
        if (!shortest_escape(p + 1)) {
            return false;
        }
        p += 2;
    }
    return true;
}

/* `p` is at the opening quote; returns what follows the closing one. */
static const char *string(walk *w, const char *p, bool *escaped)
{
    mt_scan_fault fault;
    *escaped = false;
    const char *close = mt_scan_string(p + 1, w->end, escaped, &fault);
    if (!close || (*escaped && !shortest_escapes(p + 1, close))) {
        return NULL;
    }
    return close + 1;
}

static void pick(walk *w, mt_str key, mt_str text)
{
    for (size_t i = 0; w->depth == 1 && i < w->count; i++) {
        if (mt_str_eq(w->picks[i].key, key)) {
            w->picks[i].value = text;
        }
    }
}

/* One member; *before is the key before it, then this one. */
static const char *member(walk *w, const char *p, mt_str *before)
{
    bool escaped;
    if (p >= w->end || *p != '"') {
        return NULL;
    }
    const char *after = string(w, p, &escaped);
    if (!after || after >= w->end || *after != ':') {
        return NULL;
    }
    mt_str key = mt_str_from(p + 1, (size_t)(after - p) - 2);
    w->unsure = w->unsure || escaped;
    if (before->ptr && mt_str_cmp(*before, key) >= 0 && !w->unsure) {
        return NULL;
    }
    *before = key;
    const char *start = after + 1;
    p = value(w, start);
    if (p) {
        pick(w, key, mt_str_from(start, (size_t)(p - start)));
    }
    return p;
}

/* Members or items up to the closing bracket; `p` is behind the opening one. */
static const char *container(walk *w, const char *p, char close)
{
    mt_str before = {0};
    if (++w->depth > w->max_depth) {
        return NULL;
    }
    if (p < w->end && *p == close) {
        w->depth--;
        return p + 1;
    }
    for (;; p++) {
        p = close == '}' ? member(w, p, &before) : value(w, p);
        if (!p || p >= w->end) {
            return NULL;
        }
        if (*p != ',') {
            break;
        }
    }
    w->depth--;
    return *p == close ? p + 1 : NULL;
}

/* One value at p; returns what follows it, NULL when it is not canonical. */
static const char *value(walk *w, const char *p)
{
    mt_scan_fault fault;
    bool escaped;
    if (p >= w->end) {
        return NULL;
    }
    switch (*p) {
    case '{': return container(w, p + 1, '}');
    case '[': return container(w, p + 1, ']');
    case '"': return string(w, p, &escaped);
    case 't': return mt_scan_word(p, w->end, MT_STR("true"), &fault);
    case 'f': return mt_scan_word(p, w->end, MT_STR("false"), &fault);
    case 'n': return mt_scan_word(p, w->end, MT_STR("null"), &fault);
    default: return mt_scan_number(p, w->end, &fault);
    }
}

/* The long way: read it and write it again. */
static bool written_again(mt_str text)
{
    mt_arena a = {0};
    mt_buf again = {0};
    mt_json node;
    bool good = !mt_json_read(&a, text, NULL, &node, NULL);
    if (good) {
        mt_json_write(&again, &node, false);
        good = mt_str_eq(mt_buf_str(&again), text);
    }
    mt_buf_free(&again);
    mt_arena_free(&a);
    return good;
}

bool mt_json_canonical(mt_str text, mt_json_pick *picks, size_t count)
{
    walk w = {.end = text.ptr + text.len,
              .picks = picks,
              .count = count,
              .max_depth = MT_LIMITS_DEFAULT.json_depth};
    for (size_t i = 0; i < count; i++) {
        picks[i].value = (mt_str){0};
    }
    if (!text.len || text.ptr[0] != '{' || text.len > MT_LIMITS_DEFAULT.json_bytes ||
        value(&w, text.ptr) != w.end) {
        return false;
    }
    return !w.unsure || written_again(text);
}
