/* http/path.c - request targets: path segments and query parameters, decoded once.
 *
 * Everything is checked before anything is decoded: length, characters that must be
 * escaped, malformed escapes, escapes that hide a control character or are not UTF-8,
 * dots as a segment. What an escape hides is text: an id may be "a/b" or "..", and no
 * segment becomes two of it. A parameter may occur once. Counts of segments and
 * parameters are bounded by the arrays they go to.
 *
 * Decoded texts live in the request's arena, others borrow. What may fail: MT_E_SYNTAX
 * or MT_E_LIMIT with one static sentence for the problem's detail. */
#include "http/path.h"

#include "base/hash.h"
#include "base/utf8.h"

static mt_err refuse(const char **why, const char *text)
{
    *why = text;
    return MT_E_SYNTAX;
}

/* RFC 3986: what may stand unescaped in a path or query. */
static bool is_plain(unsigned char c)
{
    static const char extra[] = "-._~!$&'()*+,;=:@/?%";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && memchr(extra, c, sizeof extra - 1));
}

/* Decodes the escapes of `s`; `plus` stands for a space in queries. */
static mt_err decode(mt_arena *a, mt_str s, bool plus, mt_str *out, const char **why)
{
    bool escaped = mt_str_find(s, '%') < s.len || (plus && mt_str_find(s, '+') < s.len);
    if (!escaped) {
        *out = s;
        return MT_OK;
    }
    char *to = mt_alloc(a, s.len + 1), *end = to;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char byte = (unsigned char)s.ptr[i];
        if (byte == '%') {
            if (s.len - i < 3 || !mt_unhex(mt_str_from(s.ptr + i + 1, 2), &byte, 1)) {
                return refuse(why, "a percent escape is malformed");
            }
            i += 2;
        } else if (byte == '+' && plus) {
            byte = ' ';
        }
        if (byte < ' ' || byte == 0x7f) {
            return refuse(why, "a percent escape hides a control character");
        }
        *end++ = (char)byte;
    }
    *out = mt_str_from(to, (size_t)(end - to));
    return mt_utf8_check(*out) == out->len
               ? MT_OK
               : refuse(why, "a percent escape is not valid UTF-8");
}

/* Dots that are not escaped mean another place, which a client resolves before it asks.
 * Each segment is decoded once only. */
static mt_err read_segment(mt_arena *a, mt_str raw, mt_str *out, const char **why)
{
    if (!raw.len) {
        return refuse(why, "the path has an empty segment");
    }
    if (mt_str_is(raw, ".") || mt_str_is(raw, "..")) {
        return refuse(why, "the path has a dot segment");
    }
    return decode(a, raw, false, out, why);
}

/* Segments are separated before they are decoded, so an escaped slash cannot make two
 * of one. */
static mt_err read_path(mt_arena *a, ht_target *t, const char **why)
{
    mt_str rest = mt_str_skip(t->path, 1);
    if (!rest.len) {
        return MT_OK; /* "/" has no segment */
    }
    for (;;) {
        size_t end = mt_str_find(rest, '/');
        if (t->segment_count == HT_PATH_SEGMENTS) {
            *why = "the path has too many segments";
            return MT_E_LIMIT;
        }
        mt_err err = read_segment(a, mt_str_from(rest.ptr, end),
                                  &t->segments[t->segment_count++], why);
        if (err || end == rest.len) {
            return err;
        }
        rest = mt_str_skip(rest, end + 1);
    }
}

/* A name given twice is refused rather than resolved: two readers of one query might
 * not choose the same. */
static mt_err read_param(mt_arena *a, ht_target *t, mt_str pair, const char **why)
{
    size_t equals = mt_str_find(pair, '=');
    ad_param p;
    mt_err err = decode(a, mt_str_from(pair.ptr, equals), true, &p.name, why);
    if (!err) {
        err = decode(a, mt_str_skip(pair, equals + 1), true, &p.value, why);
    }
    if (err) {
        return err;
    }
    if (!p.name.len) {
        return refuse(why, "a query parameter has no name");
    }
    if (ht_target_param(t, p.name).ptr) {
        return refuse(why, "a query parameter is given twice");
    }
    if (t->query_count == HT_QUERY_PARAMS) {
        *why = "the query has too many parameters";
        return MT_E_LIMIT;
    }
    t->query[t->query_count++] = p;
    return MT_OK;
}

/* An empty query has no parameters; "a&&b" is refused by read_param(), since a
 * parameter needs a name. */
static mt_err read_query(mt_arena *a, ht_target *t, mt_str query, const char **why)
{
    while (query.len) {
        size_t end = mt_str_find(query, '&');
        mt_err err = read_param(a, t, mt_str_from(query.ptr, end), why);
        if (err) {
            return err;
        }
        query = mt_str_skip(query, end + 1);
    }
    return MT_OK;
}

/* Where the path ends. A fragment has no place in a target, but who sends one means it
 * as little for a log as a query. */
static size_t path_end(mt_str text)
{
    size_t query = mt_str_find(text, '?'), fragment = mt_str_find(text, '#');
    return query < fragment ? query : fragment;
}

/* Bounds come first, then the alphabet, then the structure; whatever passes has no
 * control character and no byte beyond ASCII. The path is cut from the query before
 * anything is refused: it is logged all the same. */
mt_err ht_target_read(mt_arena *a, mt_str text, ht_target *out, const char **why)
{
    size_t mark = path_end(text);
    out->segment_count = out->query_count = 0;
    out->path = mt_str_from(text.ptr, mark);
    if (text.len > HT_TARGET_BYTES) {
        *why = "the request target is too long";
        return MT_E_LIMIT;
    }
    if (!text.len || text.ptr[0] != '/') {
        return refuse(why, "the request target does not begin with a slash");
    }
    for (size_t i = 0; i < text.len; i++) {
        if (!is_plain((unsigned char)text.ptr[i])) {
            return refuse(why, "the request target has a character that must be "
                               "percent-escaped");
        }
    }
    mt_err err = read_path(a, out, why);
    return err ? err : read_query(a, out, mt_str_skip(text, mark + 1), why);
}

mt_str ht_target_param(const ht_target *t, mt_str name)
{
    for (size_t i = 0; i < t->query_count; i++) {
        if (mt_str_eq(t->query[i].name, name)) {
            return t->query[i].value;
        }
    }
    return (mt_str){0};
}
