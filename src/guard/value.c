/* guard/value.c - bindings and facts from the arguments of a call, or from its result.
 * Room: guard.
 * What an agent sends is not trusted: a path is made plain before it is compared, so
 * that "a/../../etc" is not inside "a"; a value that is not there is not made up, and
 * one that is there but of another kind becomes null, which no contract takes; of which
 * type a fact is, the contract decides later. Paths are compared as texts: what a
 * link leads to is the server's business. */
#include "guard/map.h"

#include "base/json_write.h"
#include "base/vec.h"

/* ---- Where ---- */

static const mt_json UNFIT = {.type = MT_JSON_NULL};

/* The member; UNFIT if there is one that a server could take for it. */
static const mt_json *member(const mt_json *object, mt_str name)
{
    bool twins = false;
    for (uint32_t i = 0; mt_json_is(object, MT_JSON_OBJECT) && i < object->count; i++) {
        twins |= gd_is_twin(object->as.members[i].key, name);
    }
    return twins ? &UNFIT : mt_json_get(object, name);
}

/* "a.b": member b of member a. NULL: not there. */
static const mt_json *find(const mt_json *from, mt_str path)
{
    while (from && from != &UNFIT && path.len) {
        size_t dot = mt_str_find(path, '.');
        from = member(from, mt_str_from(path.ptr, dot));
        path = mt_str_skip(path, dot < path.len ? dot + 1 : path.len);
    }
    return from;
}

/* ---- Paths ---- */

/* ".." at the root stays at the root; at the begin of a relative path it is kept, so
 * that it leads out of every directory. Nothing at all is ".". */
mt_str gd_path_plain(mt_arena *a, mt_str path)
{
    MT_VEC(mt_str) parts = {0};
    bool rooted = path.len && path.ptr[0] == '/';
    for (mt_str rest = path; rest.len;) {
        size_t end = mt_str_find(rest, '/');
        mt_str part = mt_str_from(rest.ptr, end);
        rest = mt_str_skip(rest, end < rest.len ? end + 1 : rest.len);
        bool up = mt_str_is(part, "..");
        bool can = parts.len && !mt_str_is(parts.items[parts.len - 1], "..");
        if (up && can) {
            parts.len--;
        } else if (part.len && !mt_str_is(part, ".") && !(up && rooted)) {
            mt_vec_push(a, &parts, part);
        }
    }
    mt_buf out = {0};
    mt_buf_addz(&out, rooted ? "/" : "");
    for (size_t i = 0; i < parts.len; i++) {
        mt_buf_addz(&out, i ? "/" : "");
        mt_buf_adds(&out, parts.items[i]);
    }
    mt_str text = mt_str_dup(a, out.len ? mt_buf_str(&out) : MT_STR("."));
    mt_buf_free(&out);
    return text;
}

/* Only at its begin: a plain path has ".." nowhere else. */
static bool goes_up(mt_str path)
{
    return mt_str_is(path, "..") || mt_str_starts(path, MT_STR("../"));
}

/* Of a directory that is called "." everything relative is inside but what leads up,
 * and what some servers take for somebody's home. */
static bool is_under(mt_arena *a, mt_str path, mt_str directory)
{
    mt_str dir = gd_path_plain(a, directory);
    if (mt_str_is(dir, ".")) {
        return path.ptr[0] != '/' && path.ptr[0] != '~' && !goes_up(path);
    }
    bool root = mt_str_is(dir, "/");
    return mt_str_eq(path, dir) ||
           (mt_str_starts(path, dir) && (root || path.ptr[dir.len] == '/') &&
            (root || !goes_up(mt_str_skip(path, dir.len + 1))));
}

/* ---- Patterns ---- */

/* Stars are gone back to, the last one of a kind only: no pattern takes longer than its
 * length times that of the text, twice over. */
bool gd_matches(mt_str p, mt_str t)
{
    size_t i = 0, k = 0, star = SIZE_MAX, at = 0, deep = SIZE_MAX, deep_at = 0;
    while (k < t.len) {
        bool two = i + 1 < p.len && p.ptr[i] == '*' && p.ptr[i + 1] == '*';
        if (two) {
            deep = i += 2;
            deep_at = k;
            star = SIZE_MAX;
        } else if (i < p.len && p.ptr[i] == '*') {
            star = ++i;
            at = k;
        } else if (i < p.len &&
                   (p.ptr[i] == t.ptr[k] || (p.ptr[i] == '?' && t.ptr[k] != '/'))) {
            i++;
            k++;
        } else if (star != SIZE_MAX && t.ptr[at] != '/') {
            i = star;
            k = ++at;
        } else if (deep != SIZE_MAX) {
            i = deep;
            k = ++deep_at;
            star = SIZE_MAX;
        } else {
            return false;
        }
    }
    while (i < p.len && p.ptr[i] == '*') {
        i++;
    }
    return i == p.len;
}

/* ---- Values ---- */

/* For `under`, and where the value is read as a path, the text is made plain first;
 * patterns are taken as they are written. */
static bool any(const gd_value *v, mt_str text)
{
    mt_arena a = {0};
    const mt_json *list = v->under ? v->under : v->matches;
    mt_str path = v->under || v->as == GD_AS_PATH ? gd_path_plain(&a, text) : text;
    bool found = false;
    for (uint32_t i = 0; i < list->count && !found; i++) {
        mt_str one = mt_json_text(&list->as.items[i]);
        found = v->under ? is_under(&a, path, one) : gd_matches(one, path);
    }
    mt_arena_free(&a);
    return found;
}

/* There are servers for which text ends at a zero: what follows it is not compared. */
static bool is_comparable(const mt_json *v)
{
    mt_str text = mt_json_text(v);
    return mt_json_is(v, MT_JSON_STRING) && mt_str_find(text, '\0') == text.len;
}

static bool has_text(const mt_json *v)
{
    return mt_json_is(v, MT_JSON_STRING) || mt_json_is(v, MT_JSON_NUMBER) ||
           mt_json_is(v, MT_JSON_BOOL);
}

/* Numbers as they were written: 1 and 1.0 are two texts. */
static mt_str text_of(const mt_json *v)
{
    return mt_json_is(v, MT_JSON_BOOL) ? (v->boolean ? MT_STR("true") : MT_STR("false"))
                                       : mt_json_text(v);
}

static void write_path(mt_buf *out, mt_str text)
{
    mt_arena a = {0};
    mt_json_quote(out, gd_path_plain(&a, text));
    mt_arena_free(&a);
}

/* What cannot be had of it (a length of a number, the text of a list) is null. */
static void write_as(mt_buf *out, int as, const mt_json *v)
{
    bool counts = mt_json_is(v, MT_JSON_ARRAY) || mt_json_is(v, MT_JSON_OBJECT);
    if (as == GD_AS_VALUE) {
        mt_json_write(out, v, false);
    } else if (as == GD_AS_TEXT && has_text(v)) {
        mt_json_quote(out, text_of(v));
    } else if (as == GD_AS_PATH && is_comparable(v)) {
        write_path(out, mt_json_text(v));
    } else if (as == GD_AS_COUNT
                   ? counts
                   : as == GD_AS_LENGTH && mt_json_is(v, MT_JSON_STRING)) {
        mt_buf_addf(out, "%u", v->count);
    } else {
        mt_buf_addz(out, "null");
    }
}

/* Order: a fixed value, then what is not there (`otherwise`, or nothing), then whether
 * it is there, then what it is. */
bool gd_value_write(mt_buf *out, const gd_value *v, const mt_json *from)
{
    const mt_json *found = v->value ? v->value : find(from, v->from);
    const mt_json *list = v->under ? v->under : v->matches;
    if (v->value) {
        mt_json_write(out, v->value, false);
        return true;
    }
    if (!found && v->otherwise) {
        mt_json_write(out, v->otherwise, false);
        return true;
    }
    if (v->as == GD_AS_PRESENT) {
        mt_buf_addz(out, found == &UNFIT ? "null" : found ? "true" : "false");
        return true;
    }
    if (found && list) {
        mt_buf_addz(out, !is_comparable(found)         ? "null"
                         : any(v, mt_json_text(found)) ? "true"
                                                       : "false");
    } else if (found) {
        write_as(out, v->as, found);
    }
    return found != NULL;
}

enum { DIGITS_MOST = 15 };

/* A number is an id if it can be written, and read by everybody, in one way only. */
static bool is_id(const mt_json *v)
{
    mt_str text = mt_json_text(v);
    bool number = mt_json_is(v, MT_JSON_NUMBER);
    bool whole = text.len <= DIGITS_MOST;
    for (size_t i = 0; number && i < text.len; i++) {
        whole &= text.ptr[i] >= '0' && text.ptr[i] <= '9';
    }
    return number ? whole : has_text(v);
}

bool gd_bind_id(mt_arena *a, const gd_bind *b, const mt_json *from, mt_str *out)
{
    const mt_json *found = b->id.len ? NULL : find(from, b->from);
    if (!b->id.len &&
        (!is_id(found) || (b->as == GD_AS_PATH && !is_comparable(found)))) {
        return false;
    }
    *out = b->id.len ? b->id : text_of(found);
    if (b->as == GD_AS_PATH) {
        *out = gd_path_plain(a, *out);
    }
    return out->len > 0;
}
