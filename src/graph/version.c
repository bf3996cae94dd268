/* graph/version.c - semantic versions and the selectors that choose among them.
 *
 * Versions follow semver 2.0: three numbers without leading zeros, pre-release
 * identifiers ordered number before word, shorter before longer; build data is read
 * and ignored. Selectors are comparators joined by commas (^ ~ = > >= < <= and
 * wildcards), all of which must hold; missing parts are zero, and how many were given
 * decides what ^ and ~ keep.
 *
 * A pre-release is chosen only by a selector that names a pre-release of the same
 * three numbers. Text that is not a selector is GR_BAD_SELECTOR, which is an author's
 * fault and not the same as no match. Nothing allocates. */
#include "graph/version.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_ident(char c)
{
    return is_digit(c) || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A number without leading zeros at the front of *s, which it removes. */
static bool take_number(mt_str *s, uint64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; n < s->len && is_digit(s->ptr[n]); n++) {
        if (__builtin_mul_overflow(*out, (uint64_t)10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(s->ptr[n] - '0'), out)) {
            return false;
        }
    }
    bool ok = n == 1 || (n > 1 && s->ptr[0] != '0');
    *s = mt_str_skip(*s, n);
    return ok;
}

static bool take(mt_str *s, char c)
{
    bool there = s->len && s->ptr[0] == c;
    *s = mt_str_skip(*s, there);
    return there;
}

static bool all_digits(mt_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_digit(s.ptr[i])) {
            return false;
        }
    }
    return s.len > 0;
}

/* Dot-separated identifiers, none empty; numeric ones without leading zeros if asked.
 */
static bool identifiers_ok(mt_str s, bool strict_numbers)
{
    for (;;) {
        size_t n = mt_str_find(s, '.');
        mt_str part = mt_str_from(s.ptr, n);
        for (size_t i = 0; i < n; i++) {
            if (!is_ident(part.ptr[i])) {
                return false;
            }
        }
        if (!n || (strict_numbers && n > 1 && part.ptr[0] == '0' && all_digits(part))) {
            return false;
        }
        if (n == s.len) {
            return true;
        }
        s = mt_str_skip(s, n + 1);
    }
}

/* What follows the numbers: [-pre][+build]. */
static bool read_tail(mt_str s, mt_str *pre)
{
    *pre = MT_STR("");
    if (take(&s, '-')) {
        size_t n = mt_str_find(s, '+');
        *pre = mt_str_from(s.ptr, n);
        s = mt_str_skip(s, n);
        if (!identifiers_ok(*pre, true)) {
            return false;
        }
    }
    return !s.len || (take(&s, '+') && identifiers_ok(s, false));
}

bool gr_version_read(mt_str text, gr_version *out)
{
    mt_str s = text;
    return take_number(&s, &out->part[0]) && take(&s, '.') &&
           take_number(&s, &out->part[1]) && take(&s, '.') &&
           take_number(&s, &out->part[2]) && read_tail(s, &out->pre);
}

/* Numbers before words, shorter before longer, as the standard orders them. */
static int cmp_identifier(mt_str a, mt_str b)
{
    bool an = all_digits(a), bn = all_digits(b);
    if (an != bn) {
        return an ? -1 : 1;
    }
    if (an && a.len != b.len) {
        return a.len < b.len ? -1 : 1;
    }
    return mt_str_cmp(a, b);
}

/* No pre-release is later than any; of two the first identifier that differs decides.
 */
static int cmp_pre(mt_str a, mt_str b)
{
    if (!a.len || !b.len) {
        return (a.len == 0) - (b.len == 0);
    }
    for (;;) {
        size_t an = mt_str_find(a, '.'), bn = mt_str_find(b, '.');
        int order = cmp_identifier(mt_str_from(a.ptr, an), mt_str_from(b.ptr, bn));
        if (order) {
            return order;
        }
        if (an == a.len || bn == b.len) {
            return (an < a.len) - (bn < b.len);
        }
        a = mt_str_skip(a, an + 1);
        b = mt_str_skip(b, bn + 1);
    }
}

static int cmp_parts(const gr_version *a, const gr_version *b, int count)
{
    for (int i = 0; i < count; i++) {
        if (a->part[i] != b->part[i]) {
            return a->part[i] < b->part[i] ? -1 : 1;
        }
    }
    return 0;
}

int gr_version_cmp(const gr_version *a, const gr_version *b)
{
    int order = cmp_parts(a, b, 3);
    return order ? order : cmp_pre(a->pre, b->pre);
}

typedef enum relation {
    CARET,
    TILDE,
    EXACTLY,
    GREATER,
    GREATER_EQ,
    LESS,
    LESS_EQ,
    WILDCARD
} relation;

typedef struct comparator {
    relation relation;
    gr_version version; /* missing parts are 0 */
    int parts;          /* how many were given, 0..3 */
} comparator;

/* Two characters before one. No sign means caret. */
static relation take_relation(mt_str *s)
{
    static const struct {
        const char *text;
        relation relation;
    } SIGNS[] = {{">=", GREATER_EQ}, {"<=", LESS_EQ}, {">", GREATER}, {"<", LESS},
                 {"=", EXACTLY},     {"^", CARET},    {"~", TILDE}};
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        if (mt_str_starts(*s, mt_str_z(SIGNS[i].text))) {
            *s = mt_str_trim(mt_str_skip(*s, strlen(SIGNS[i].text)), MT_STR(" "));
            return SIGNS[i].relation;
        }
    }
    return CARET;
}

static bool take_wildcard(mt_str *s)
{
    return take(s, '*') || take(s, 'x') || take(s, 'X');
}

/* Missing and wild parts end the version; nothing but wildcards may follow one. */
static bool read_comparator(mt_str s, comparator *c)
{
    bool bare = s.len && (is_digit(s.ptr[0]) || s.ptr[0] == '*');
    *c = (comparator){.relation = take_relation(&s), .version.pre = MT_STR("")};
    for (; c->parts < 3; c->parts++) {
        if (c->parts && !take(&s, '.')) {
            break;
        }
        if (take_wildcard(&s)) {
            c->relation = bare ? WILDCARD : c->relation;
            while (take(&s, '.')) {
                if (!take_wildcard(&s)) {
                    return false;
                }
            }
            return !s.len && (bare || c->parts > 0);
        }
        if (!take_number(&s, &c->version.part[c->parts])) {
            return false;
        }
    }
    return c->parts == 3 ? read_tail(s, &c->version.pre) : !s.len;
}

/* The first given part, or the last if all are zero: what a caret keeps. */
static int caret_keeps(const comparator *c)
{
    for (int i = 0; i < c->parts; i++) {
        if (c->version.part[i]) {
            return i + 1;
        }
    }
    return c->parts;
}

/* Caret and tilde need the lower bound as well as what they keep. */
static bool holds(const comparator *c, const gr_version *v)
{
    int whole = cmp_parts(v, &c->version, c->parts);
    int exact = c->parts == 3 ? gr_version_cmp(v, &c->version) : whole;
    switch (c->relation) {
    case WILDCARD: return whole == 0;
    case EXACTLY: return exact == 0;
    case GREATER: return exact > 0;
    case GREATER_EQ: return exact >= 0;
    case LESS: return exact < 0;
    case LESS_EQ: return exact <= 0;
    case TILDE:
        return exact >= 0 &&
               cmp_parts(v, &c->version, c->parts < 2 ? c->parts : 2) == 0;
    case CARET: return exact >= 0 && cmp_parts(v, &c->version, caret_keeps(c)) == 0;
    }
    return false;
}

/* Comparators joined by commas have all to hold. A pre-release satisfies a range only
 * if one of its comparators names a pre-release of the same three numbers. */
gr_match gr_version_match(mt_str selector, const gr_version *v)
{
    gr_version exact;
    if (gr_version_read(selector, &exact)) {
        return gr_version_cmp(&exact, v) == 0 ? GR_MATCH : GR_NO_MATCH;
    }
    bool all = true, pre_named = !v->pre.len;
    for (mt_str rest = selector;;) {
        size_t n = mt_str_find(rest, ',');
        comparator c;
        if (!read_comparator(mt_str_trim(mt_str_from(rest.ptr, n), MT_STR(" ")), &c)) {
            return GR_BAD_SELECTOR;
        }
        all = all && holds(&c, v);
        pre_named =
            pre_named || (c.version.pre.len && cmp_parts(v, &c.version, 3) == 0);
        if (n == rest.len) {
            return all && pre_named ? GR_MATCH : GR_NO_MATCH;
        }
        rest = mt_str_skip(rest, n + 1);
    }
}
