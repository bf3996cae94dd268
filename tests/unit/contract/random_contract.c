#include "random_contract.h"

enum { FACTS = 9, FIELDS = 3, RULES = 7, VARS = 4 };

typedef enum base {
    BOOL,
    INT,
    DECIMAL,
    TEXT,
    ENUM,
    DATE,
    TIME,
    MONEY,
    DURATION,
    RECORD,
    UNION,
    LIST,
    BASES
} base;

typedef struct type type;
struct type {
    base b;
    int64_t min, max; /* Int, Duration; List: max */
    int64_t p, s;     /* Decimal */
    int unit;         /* Duration */
    const char *name; /* currency; Enum: its values, in one order or another */
    int fields;
    const type *field[FIELDS]; /* a, b, c; List: [0] */
};

/* A term: its text and its type. */
typedef struct term {
    mt_str json;
    const type *t; /* NULL: none could be made */
    bool literal;
} term;

struct random_contract {
    mt_arena *a;
    uint64_t seed;
    const type *facts[FACTS];
    bool has_default[FACTS];
    const type *payloads[RULES]; /* of the rules made so far */
    int strata[RULES];
    int rules, stratum;
    const type *vars[VARS];
    int var_count;
    bool hostile;    /* the next value may be wrong */
    bool facts_only; /* no verdicts: the domain of a quantifier */
};

static const char *const NAMES[FIELDS] = {"a", "b", "c"};
static const char *const UNITS[] = {"seconds", "minutes", "hours", "days"};
static const int64_t SECONDS[] = {1, 60, 3600, 86400};

static uint64_t next(random_contract *c)
{
    uint64_t z = c->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t below(random_contract *c, int64_t n)
{
    return (int64_t)(next(c) % (uint64_t)n);
}

static bool one_in(random_contract *c, int64_t n)
{
    return below(c, n) == 0;
}

/* ---- Types ---- */

static const type *random_type(random_contract *c, int depth);

static void scalar(random_contract *c, type *t)
{
    switch (t->b) {
    case INT:
        t->min = one_in(c, 8) ? INT64_MIN / 8 : below(c, 50) - 40;
        t->max = one_in(c, 8) ? INT64_MAX / 8 : t->min + below(c, 100);
        t->max = t->max < t->min ? t->min : t->max;
        break;
    case DECIMAL:
        t->s = below(c, 5);
        t->p = t->s + 1 + below(c, one_in(c, 4) ? 22 : 4);
        break;
    case MONEY: t->name = one_in(c, 4) ? "EUR" : "USD"; break;
    case ENUM:
        t->name = one_in(c, 3) ? "\"z\",\"x\",\"y\"" : "\"x\",\"y\",\"z\"";
        break;
    case DURATION:
        t->unit = (int)below(c, 4);
        t->min = -below(c, 40);
        t->max = below(c, 80);
        break;
    case BOOL:
    case TEXT:
    case DATE:
    case TIME:
    case RECORD:
    case UNION:
    case LIST:
    case BASES: break;
    }
}

static const type *random_type(random_contract *c, int depth)
{
    type *t = mt_new(c->a, type);
    t->b = (base)below(c, depth ? BASES : RECORD);
    scalar(c, t);
    if (t->b == RECORD || t->b == UNION) {
        t->fields = 1 + (int)below(c, FIELDS);
        for (int i = 0; i < t->fields; i++) {
            t->field[i] = random_type(c, depth - 1);
        }
    }
    if (t->b == LIST) {
        do {
            t->field[0] = random_type(c, depth - 1);
        } while (t->field[0]->b == LIST);
        t->max = 1 + below(c, 4);
    }
    return t;
}

static mt_str type_json(random_contract *c, const type *t)
{
    static const char *const PLAIN[] = {
        [BOOL] = "Bool", [DATE] = "Date", [TIME] = "DateTime"};
    mt_str parts = MT_STR("");
    switch (t->b) {
    case BOOL:
    case DATE:
    case TIME: return mt_strf(c->a, "{\"base\":\"%s\"}", PLAIN[t->b]);
    case INT:
        return mt_strf(c->a, "{\"base\":\"Int\",\"max\":%lld,\"min\":%lld}",
                       (long long)t->max, (long long)t->min);
    case DECIMAL:
        return mt_strf(c->a, "{\"base\":\"Decimal\",\"precision\":%d,\"scale\":%d}",
                       (int)t->p, (int)t->s);
    case TEXT: return MT_STR("{\"base\":\"Text\",\"max_length\":4}");
    case ENUM: return mt_strf(c->a, "{\"base\":\"Enum\",\"values\":[%s]}", t->name);
    case MONEY:
        return mt_strf(c->a, "{\"base\":\"Money\",\"currency\":\"%s\"}", t->name);
    case DURATION:
        return mt_strf(
            c->a, "{\"base\":\"Duration\",\"max\":%lld,\"min\":%lld,\"unit\":\"%s\"}",
            (long long)t->max, (long long)t->min, UNITS[t->unit]);
    case LIST:
        parts = type_json(c, t->field[0]);
        return mt_strf(c->a, "{\"base\":\"List\",\"element_type\":%.*s,\"max\":%lld}",
                       MT_ARG(parts), (long long)t->max);
    case RECORD:
    case UNION:
    case BASES: break;
    }
    for (int i = 0; i < t->fields; i++) {
        mt_str inner = type_json(c, t->field[i]);
        parts = mt_strf(c->a, "%.*s%s\"%s\":%.*s", MT_ARG(parts), i ? "," : "",
                        NAMES[i], MT_ARG(inner));
    }
    return mt_strf(c->a, "{\"base\":\"%s\",\"%s\":{%.*s}}",
                   t->b == RECORD ? "Record" : "TaggedUnion",
                   t->b == RECORD ? "fields" : "variants", MT_ARG(parts));
}

/* ---- Values ---- */

static int64_t between(random_contract *c, int64_t min, int64_t max)
{
    if (one_in(c, 3)) {
        return one_in(c, 2) ? min : max;
    }
    return min + (int64_t)(next(c) % ((uint64_t)max - (uint64_t)min + 1));
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A literal has at most 28 digits, also where the type of a sum has more. */
static mt_str decimal_digits(random_contract *c, int64_t p, int64_t s)
{
    char text[64];
    size_t len = 0;
    int64_t whole = below(c, at_most(p - s, 28) + 1);
    int64_t fraction = below(c, at_most(s, 28 - whole) + 1);
    if (one_in(c, 4)) {
        text[len++] = '-';
    }
    if (!whole) {
        text[len++] = '0';
    }
    for (int64_t i = 0; i < whole; i++) {
        text[len++] = (char)('0' + (one_in(c, 2) ? 9 : below(c, 10)));
    }
    for (int64_t i = 0; i < fraction; i++) {
        if (!i) {
            text[len++] = '.';
        }
        text[len++] = (char)('0' + (one_in(c, 3) ? 5 : below(c, 10)));
    }
    return mt_str_dup(c->a, mt_str_from(text, len));
}

static mt_str random_date(random_contract *c)
{
    return mt_strf(c->a, "%04d-%02d-%02d",
                   one_in(c, 6) ? (int)between(c, 1, 9999) : 2023 + (int)below(c, 2),
                   1 + (int)below(c, 2), 1 + (int)below(c, 28));
}

static mt_str random_time(random_contract *c)
{
    static const char *const FRACTIONS[] = {"",     "",           ".5",
                                            ".250", ".000000001", ".499999999"};
    static const char *const OFFSETS[] = {"Z", "Z", "+02:00", "-11:30"};
    mt_str date = random_date(c);
    /* An offset could lead out of the calendar, which a literal may not. */
    bool edge =
        mt_str_starts(date, MT_STR("0001")) || mt_str_starts(date, MT_STR("9999"));
    return mt_strf(c->a, "%.*sT%02d:%02d:%02d%s%s", MT_ARG(date), (int)below(c, 24),
                   (int)below(c, 60), (int)below(c, 60), FRACTIONS[below(c, 6)],
                   OFFSETS[edge ? 0 : below(c, 4)]);
}

static const char *random_word(random_contract *c)
{
    static const char *const WORDS[] = {"",      "a",      "xy", "\xc3\xa9t\xc3\xa9",
                                        "zz\\n", "\\u00e9"};
    return WORDS[below(c, 6)];
}

static mt_str wrong_value(random_contract *c)
{
    static const char *const WRONG[] = {"null",
                                        "true",
                                        "-7.5",
                                        "9223372036854775808",
                                        "\"nothing\"",
                                        "[]",
                                        "{}",
                                        "\"2024-02-30\"",
                                        "\"2024-01-01T00:00:60Z\"",
                                        "{\"tag\":\"q\",\"payload\":1}",
                                        "{\"amount\":\"1\",\"currency\":\"XXX\"}",
                                        "{\"value\":1,\"unit\":\"weeks\"}",
                                        "[1,2,3,4,5,6,7]",
                                        "\"123456789012345678901234567890.5\"",
                                        "1e2"};
    return mt_str_z(WRONG[below(c, 15)]);
}

static mt_str value_json(random_contract *c, const type *t)
{
    if (c->hostile && one_in(c, 6)) {
        c->hostile = false;
        return wrong_value(c);
    }
    mt_str parts = MT_STR(""), inner;
    int64_t n;
    switch (t->b) {
    case BOOL: return one_in(c, 2) ? MT_STR("true") : MT_STR("false");
    case INT: return mt_strf(c->a, "%lld", (long long)between(c, t->min, t->max));
    case DECIMAL:
        inner = decimal_digits(c, t->p, t->s);
        return one_in(c, 5) ? mt_strf(c->a, "{\"value\":\"%.*s\"}", MT_ARG(inner))
               : one_in(c, 4) &&
                       (inner.len < 2 || inner.ptr[0] != '0' || inner.ptr[1] == '.') &&
                       (inner.len < 3 || inner.ptr[0] != '-' || inner.ptr[1] != '0' ||
                        inner.ptr[2] == '.')
                   ? inner
                   : mt_strf(c->a, "\"%.*s\"", MT_ARG(inner));
    case TEXT: return mt_strf(c->a, "\"%s\"", random_word(c));
    case ENUM: return mt_strf(c->a, "\"%c\"", (char)('x' + below(c, 3)));
    case DATE: inner = random_date(c); return mt_strf(c->a, "\"%.*s\"", MT_ARG(inner));
    case TIME: inner = random_time(c); return mt_strf(c->a, "\"%.*s\"", MT_ARG(inner));
    case MONEY:
        inner = decimal_digits(c, one_in(c, 6) ? 28 : 6, 2);
        return mt_strf(c->a, "{\"amount\":\"%.*s\",\"currency\":\"%s\"}", MT_ARG(inner),
                       t->name);
    case DURATION:
        return mt_strf(c->a, "{\"value\":%lld,\"unit\":\"%s\"}",
                       (long long)between(c, t->min, t->max), UNITS[t->unit]);
    case LIST:
        n = below(c, t->max + 1);
        for (int64_t i = 0; i < n; i++) {
            inner = value_json(c, t->field[0]);
            parts =
                mt_strf(c->a, "%.*s%s%.*s", MT_ARG(parts), i ? "," : "", MT_ARG(inner));
        }
        return mt_strf(c->a, "[%.*s]", MT_ARG(parts));
    case UNION:
        n = below(c, t->fields);
        inner = value_json(c, t->field[n]);
        return one_in(c, 2) ? mt_strf(c->a, "{\"tag\":\"%s\",\"payload\":%.*s}",
                                      NAMES[n], MT_ARG(inner))
                            : mt_strf(c->a, "{\"payload\":%.*s,\"tag\":\"%s\"}",
                                      MT_ARG(inner), NAMES[n]);
    case RECORD:
    case BASES: break;
    }
    n = below(c, t->fields); /* fields in any order, now and then one too few or many */
    bool drop = c->hostile && one_in(c, 8);
    for (int i = 0; i < t->fields - drop; i++) {
        int64_t k = (i + n) % t->fields;
        inner = value_json(c, t->field[k]);
        parts = mt_strf(c->a, "%.*s%s\"%s\":%.*s", MT_ARG(parts), i ? "," : "",
                        NAMES[k], MT_ARG(inner));
    }
    return mt_strf(c->a, "{%.*s}", MT_ARG(parts));
}

/* ---- Terms ---- */

static const term NO_TERM = {0};

static term random_term(random_contract *c, const type *like, int depth);

/* Walks from a fact, a variable or a payload to some part of it. */
static term descend(random_contract *c, term t)
{
    while (t.t && !one_in(c, 4)) {
        int64_t k;
        if ((t.t->b == UNION || t.t->b == LIST) && !one_in(c, 8)) {
            break; /* these may fail: not too often */
        }
        if (t.t->b == RECORD || t.t->b == UNION) {
            k = below(c, t.t->fields);
            t.json = mt_strf(c->a, "{\"field_of\":{\"field\":\"%s\",\"of\":%.*s}}",
                             NAMES[k], MT_ARG(t.json));
            t.t = t.t->field[k];
        } else if (t.t->b == LIST) {
            k = below(c, 2);
            t.json =
                mt_strf(c->a,
                        "{\"index\":{\"literal\":%d,\"type\":{\"base\":\"Int\","
                        "\"max\":%d,\"min\":%d}},\"op\":\"index\",\"operand\":%.*s}",
                        (int)k, (int)k, (int)k, MT_ARG(t.json));
            t.t = t.t->field[0];
        } else {
            break;
        }
    }
    return t;
}

static term random_root(random_contract *c)
{
    int64_t k = below(c, FACTS);
    if (c->var_count && one_in(c, 2)) {
        k = below(c, c->var_count);
        return (term){mt_strf(c->a, "{\"fact_ref\":\"v%d\"}", (int)k), c->vars[k],
                      false};
    }
    if (c->rules && !c->facts_only && one_in(c, 5)) {
        int64_t r = below(c, c->rules);
        if (c->strata[r] < c->stratum) {
            return (term){mt_strf(c->a, "{\"verdict_ref\":\"w%d\"}", (int)r),
                          c->payloads[r], false};
        }
    }
    return (term){mt_strf(c->a, "{\"fact_ref\":\"f%d\"}", (int)k), c->facts[k], false};
}

static bool similar(const type *a, const type *b)
{
    if (a->b != b->b) {
        return false;
    }
    if (a->b == MONEY) {
        return strcmp(a->name, b->name) == 0;
    }
    if (a->b == RECORD || a->b == UNION || a->b == LIST) {
        for (int i = 0; i < FIELDS; i++) {
            if (!a->field[i] != !b->field[i] ||
                (a->field[i] && !similar(a->field[i], b->field[i]))) {
                return false;
            }
        }
    }
    return true;
}

static bool numeric(const type *t)
{
    return t->b == INT || t->b == DECIMAL;
}

static bool fits(const type *like, const type *t)
{
    return similar(like, t) || (numeric(like) && numeric(t));
}

static term literal_term(random_contract *c, const type *like)
{
    type *t = mt_new(c->a, type);
    *t = *like;
    mt_str v;
    switch (like->b) {
    case BOOL: v = value_json(c, t); break;
    case INT:
        t->min = t->max = between(c, like->min, like->max);
        v = mt_strf(c->a, "%lld", (long long)t->min);
        break;
    case DECIMAL:
        v = decimal_digits(c, like->p, like->s);
        t->p = (int64_t)v.len; /* counts a sign or point too: only wider */
        t->s = (int64_t)(mt_str_find(v, '.') < v.len ? v.len - mt_str_find(v, '.') - 1
                                                     : 0);
        v = mt_strf(c->a, "\"%.*s\"", MT_ARG(v));
        break;
    case MONEY:
    case DURATION: v = value_json(c, t); break;
    case TEXT:
        v = mt_strf(c->a, "\"%s\"", random_word(c));
        return (term){mt_strf(c->a, "{\"literal\":%.*s}", MT_ARG(v)), t, true};
    case ENUM: /* now and then a value that is not declared, with its type or without */
        v = one_in(c, 6) ? MT_STR("\"q\"") : value_json(c, t);
        if (one_in(c, 2)) {
            break;
        }
        return (term){mt_strf(c->a, "{\"literal\":%.*s}", MT_ARG(v)), t, true};
    case DATE:
    case TIME:
        v = value_json(c, t);
        return (term){mt_strf(c->a, "{\"literal\":%.*s}", MT_ARG(v)), t, true};
    case RECORD:
    case UNION:
    case LIST:
    case BASES: return NO_TERM;
    }
    mt_str tj = type_json(c, t);
    return (term){
        mt_strf(c->a, "{\"literal\":%.*s,\"type\":%.*s}", MT_ARG(v), MT_ARG(tj)), t,
        true};
}

static int64_t int_digits(const type *t)
{
    uint64_t lo = t->min < 0 ? 0 - (uint64_t)t->min : (uint64_t)t->min;
    uint64_t hi = t->max < 0 ? 0 - (uint64_t)t->max : (uint64_t)t->max;
    uint64_t m = lo > hi ? lo : hi;
    int64_t n = 1;
    for (m = m ? m - 1 : 0; m; m /= 10) {
        n++;
    }
    return n;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The type of a sum (§13.2); false where bounds leave 64 bits. */
static bool sum_type(const type *a, const type *b, bool minus, type *out)
{
    *out = *a;
    if (a->b == INT && b->b == INT) {
        return minus ? !__builtin_sub_overflow(a->min, b->max, &out->min) &&
                           !__builtin_sub_overflow(a->max, b->min, &out->max)
                     : !__builtin_add_overflow(a->min, b->min, &out->min) &&
                           !__builtin_add_overflow(a->max, b->max, &out->max);
    }
    if (numeric(a) && numeric(b)) {
        int64_t pa = a->b == INT ? int_digits(a) : a->p;
        int64_t pb = b->b == INT ? int_digits(b) : b->p;
        out->b = DECIMAL;
        out->p = larger(pa, pb) + 1;
        out->s = larger(a->b == INT ? 0 : a->s, b->b == INT ? 0 : b->s);
        return true;
    }
    if (a->b == DURATION) {
        out->unit = a->unit < b->unit ? a->unit : b->unit;
        int64_t fa = SECONDS[a->unit] / SECONDS[out->unit];
        int64_t fb = SECONDS[b->unit] / SECONDS[out->unit];
        out->min = a->min * fa + (minus ? -b->max : b->min) * fb;
        out->max = a->max * fa + (minus ? -b->min : b->max) * fb;
    }
    return true;
}

static term sum_term(random_contract *c, const type *like, int depth)
{
    static const type DURATIONS = {.b = DURATION, .unit = 2, .min = -9, .max = 9};
    type *t = mt_new(c->a, type);
    bool minus = like->b != TIME && one_in(c, 2); /* §4.2: a DateTime only adds */
    term a = random_term(c, like, depth - 1);
    term b = random_term(c, like->b == TIME ? &DURATIONS : like, depth - 1);
    bool words = like->b == TIME && a.literal; /* a text beside a Duration is a Text */
    if (!a.t || !b.t || words || !sum_type(a.t, b.t, minus, t) ||
        (a.literal && b.literal)) {
        return NO_TERM;
    }
    if (one_in(c, 6) && (t->b == INT || t->b == DURATION) && t->max > t->min) {
        t->max =
            larger(t->min, t->max / 2 + t->min / 2); /* a bound that can be missed */
    }
    mt_str tj = type_json(c, t);
    return (term){mt_strf(c->a,
                          "{\"left\":%.*s,\"op\":\"%s\",\"result_type\":%.*s,"
                          "\"right\":%.*s}",
                          MT_ARG(a.json), minus ? "-" : "+", MT_ARG(tj),
                          MT_ARG(b.json)),
                  t, false};
}

/* The time between two DateTimes, in seconds. */
static term difference_term(random_contract *c, int depth)
{
    static const type TIMES = {.b = TIME};
    static const type SPAN = {.b = DURATION, .min = -315537897600, .max = 315537897600};
    term a = random_term(c, &TIMES, depth - 1), b = random_term(c, &TIMES, depth - 1);
    if (!a.t || !b.t || (a.literal && b.literal)) {
        return NO_TERM;
    }
    mt_str tj = type_json(c, &SPAN);
    return (term){mt_strf(c->a,
                          "{\"left\":%.*s,\"op\":\"-\",\"result_type\":%.*s,"
                          "\"right\":%.*s}",
                          MT_ARG(a.json), MT_ARG(tj), MT_ARG(b.json)),
                  &SPAN, false};
}

/* A product by a decimal literal, on either side; its type is derived (§13.2). */
static term scaled_term(random_contract *c, term a)
{
    static const type FACTOR = {.b = DECIMAL, .p = 6, .s = 3};
    term n = literal_term(c, &FACTOR);
    type *t = mt_new(c->a, type);
    bool first = one_in(c, 3);
    *t = (type){.b = DECIMAL,
                .p = (a.t->b == INT ? int_digits(a.t) : a.t->p) + n.t->p,
                .s = a.t->b == INT ? n.t->s : a.t->s};
    mt_str left = first ? n.json : a.json, right = first ? a.json : n.json;
    return (term){mt_strf(c->a, "{\"left\":%.*s,\"op\":\"*\",\"right\":%.*s}",
                          MT_ARG(left), MT_ARG(right)),
                  t, false};
}

static term product_term(random_contract *c, const type *like, int depth)
{
    type *t = mt_new(c->a, type);
    term a = random_term(c, like, depth - 1);
    int64_t n = below(c, 25) - 8;
    if (!a.t || a.literal || !numeric(a.t)) {
        return NO_TERM;
    }
    if (one_in(c, 3)) {
        return scaled_term(c, a);
    }
    *t = *a.t;
    if (t->b == DECIMAL) {
        t->p += 1 + (n >= 10 || n <= -10);
        return (term){mt_strf(c->a, "{\"left\":%.*s,\"literal\":%d,\"op\":\"*\"}",
                              MT_ARG(a.json), (int)n),
                      t, false};
    }
    if (__builtin_mul_overflow(a.t->min, n, n < 0 ? &t->max : &t->min) ||
        __builtin_mul_overflow(a.t->max, n, n < 0 ? &t->min : &t->max)) {
        return NO_TERM;
    }
    mt_str tj = type_json(c, t);
    return (term){mt_strf(c->a,
                          "{\"left\":%.*s,\"literal\":%d,\"op\":\"*\",\"result_type\":"
                          "%.*s}",
                          MT_ARG(a.json), (int)n, MT_ARG(tj)),
                  t, false};
}

static term len_term(random_contract *c)
{
    term l = random_root(c);
    if (!l.t || l.t->b != LIST) {
        return NO_TERM;
    }
    type *t = mt_new(c->a, type);
    *t = (type){.b = INT, .max = l.t->max};
    return (term){mt_strf(c->a, "{\"op\":\"len\",\"operand\":%.*s}", MT_ARG(l.json)), t,
                  false};
}

static term amount_term(random_contract *c)
{
    static const type ANY = {.b = DECIMAL, .p = 56, .s = 28};
    term m = descend(c, random_root(c));
    if (!m.t || m.t->b != MONEY) {
        return NO_TERM;
    }
    return (term){mt_strf(c->a, "{\"field_of\":{\"field\":\"amount\",\"of\":%.*s}}",
                          MT_ARG(m.json)),
                  &ANY, false};
}

/* ---- Values made of terms ---- */

static mt_str made_json(random_contract *c, const type *t, int depth, bool typed);

/* May a term of type `t` be a part of type `to`? Bounds may differ: in a payload the
 * value is brought to its type. */
static bool is_part(const type *to, const type *t)
{
    if (to->b == INT || to->b == DECIMAL) {
        return numeric(t) && (to->b == DECIMAL || t->b == INT);
    }
    if (to->b != t->b) {
        return false;
    }
    return to->b == ENUM || to->b == MONEY ? strcmp(to->name, t->name) == 0
           : to->b == DURATION             ? to->unit == t->unit
                                           : to->b < RECORD || to == t;
}

static mt_str part_json(random_contract *c, const type *to, int depth)
{
    for (int i = 0; i < 8; i++) {
        term t = to->b >= RECORD || one_in(c, 2) ? descend(c, random_root(c))
                                                 : random_term(c, to, depth);
        bool known = !t.literal || to->b != ENUM; /* it may be one nobody declares */
        if (t.t && is_part(to, t.t) && known) {
            return t.json;
        }
    }
    if (to->b >= RECORD) {
        return made_json(c, to, depth, one_in(c, 6));
    }
    if (to->b == ENUM) {
        mt_str v = value_json(c, to);
        return mt_strf(c->a, "{\"literal\":%.*s}", MT_ARG(v));
    }
    return literal_term(c, to).json;
}

static mt_str made_json(random_contract *c, const type *t, int depth, bool typed)
{
    mt_str parts = MT_STR(""), tj = typed ? type_json(c, t) : MT_STR("");
    int64_t n = t->b == LIST ? below(c, t->max + 1) : t->b == RECORD ? t->fields : 1;
    int64_t tag = t->b == UNION ? below(c, t->fields) : 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = t->b == RECORD ? i : t->b == UNION ? tag : 0;
        mt_str one = part_json(c, t->field[k], depth > 0 ? depth - 1 : 0);
        parts = mt_strf(c->a, "%.*s%s%s%s%s%.*s", MT_ARG(parts), i ? "," : "",
                        t->b == RECORD ? "\"" : "", t->b == RECORD ? NAMES[k] : "",
                        t->b == RECORD ? "\":" : "", MT_ARG(one));
    }
    mt_str end = typed ? mt_strf(c->a, ",\"type\":%.*s", MT_ARG(tj)) : MT_STR("");
    return t->b == LIST
               ? mt_strf(c->a, "{\"list\":[%.*s]%.*s}", MT_ARG(parts), MT_ARG(end))
           : t->b == RECORD
               ? mt_strf(c->a, "{\"record\":{%.*s}%.*s}", MT_ARG(parts), MT_ARG(end))
               : mt_strf(c->a, "{\"union\":{\"payload\":%.*s,\"tag\":\"%s\"}%.*s}",
                         MT_ARG(parts), NAMES[tag], MT_ARG(end));
}

static term made_term(random_contract *c, const type *like, int depth)
{
    return (term){made_json(c, like, depth, true), like, false};
}

static term random_term(random_contract *c, const type *like, int depth)
{
    if (like->b >= RECORD && one_in(c, 2)) {
        return made_term(c, like, depth);
    }
    for (int i = 0; i < 12; i++) {
        term t = NO_TERM;
        int64_t way = below(c, 12);
        if (depth && way == 0 && like->b == DURATION && one_in(c, 2)) {
            t = difference_term(c, depth);
        } else if (depth && way == 0 &&
                   (numeric(like) || like->b == MONEY || like->b == DURATION ||
                    like->b == TIME)) {
            t = sum_term(c, like, depth);
        } else if (depth && way == 1 && numeric(like)) {
            t = product_term(c, like, depth);
        } else if (way == 2 && numeric(like)) {
            t = one_in(c, 2) ? len_term(c) : amount_term(c);
        } else if (way == 3) {
            t = literal_term(c, like);
        } else {
            t = descend(c, random_root(c));
        }
        if (t.t && fits(like, t.t)) {
            return t;
        }
    }
    return like->b >= RECORD ? made_term(c, like, depth) : literal_term(c, like);
}

/* ---- Predicates ---- */

static mt_str random_predicate(random_contract *c, int depth);

static mt_str comparison(random_contract *c)
{
    static const char *const OPS[] = {"=", "!=", "<", "<=", ">", ">="};
    term a = descend(c, random_root(c));
    if (a.t->b == BOOL && one_in(c, 3)) {
        return a.json;
    }
    if (a.t->b == UNION && one_in(c, 2)) {
        return mt_strf(
            c->a,
            "{\"left\":{\"field_of\":{\"field\":\"tag\",\"of\":%.*s}},\"op\":"
            "\"=\",\"right\":{\"literal\":\"a\"}}",
            MT_ARG(a.json));
    }
    if (one_in(c, 3)) {
        term other = random_term(c, a.t, 2);
        a = other.t ? other : a;
    }
    term b = random_term(c, a.t, 2);
    if (!b.t) {
        b = a;
    }
    bool ordered = numeric(a.t) || a.t->b == MONEY || a.t->b == DATE ||
                   a.t->b == TIME || a.t->b == DURATION;
    bool words = a.literal && b.literal; /* two untyped texts have no common type */
    if (words && (a.t->b == DATE || a.t->b == TIME)) {
        ordered = false;
    }
    if (one_in(c, 6)) {
        term swap = a;
        a = b;
        b = swap;
    }
    return mt_strf(c->a, "{\"left\":%.*s,\"op\":\"%s\",\"right\":%.*s}", MT_ARG(a.json),
                   OPS[below(c, ordered ? 6 : 2)], MT_ARG(b.json));
}

static mt_str quantifier(random_contract *c, int depth)
{
    term list = NO_TERM;
    c->facts_only = true;
    for (int i = 0; i < 8 && (!list.t || list.t->b != LIST); i++) {
        list = one_in(c, 2) ? random_root(c) : descend(c, random_root(c));
    }
    c->facts_only = false;
    if (!list.t || list.t->b != LIST || c->var_count == VARS) {
        return comparison(c);
    }
    int var = c->var_count;
    c->vars[c->var_count++] = list.t->field[0];
    mt_str body = random_predicate(c, depth - 1);
    c->var_count--;
    return mt_strf(c->a,
                   "{\"body\":%.*s,\"domain\":%.*s,\"quantifier\":\"%s\",\"variable\":"
                   "\"v%d\"}",
                   MT_ARG(body), MT_ARG(list.json), one_in(c, 2) ? "forall" : "exists",
                   var);
}

static mt_str random_predicate(random_contract *c, int depth)
{
    int64_t way = depth ? below(c, 10) : 9;
    if (way < 4) {
        mt_str a = random_predicate(c, depth - 1), b = random_predicate(c, depth - 1);
        return mt_strf(c->a, "{\"left\":%.*s,\"op\":\"%s\",\"right\":%.*s}", MT_ARG(a),
                       way < 2 ? "and" : "or", MT_ARG(b));
    }
    if (way == 4) {
        mt_str a = random_predicate(c, depth - 1);
        return mt_strf(c->a, "{\"op\":\"not\",\"operand\":%.*s}", MT_ARG(a));
    }
    if (way == 5 || way == 6) {
        return quantifier(c, depth);
    }
    if (way == 7 && c->rules) {
        int64_t r = below(c, c->rules);
        if (c->strata[r] < c->stratum) {
            return mt_strf(c->a, "{\"verdict_present\":\"w%d\"}", (int)r);
        }
    }
    if (way == 8 && one_in(c, 6)) {
        return mt_strf(c->a, "{\"literal\":%s,\"type\":{\"base\":\"Bool\"}}",
                       one_in(c, 2) ? "true" : "false");
    }
    return comparison(c);
}

/* ---- Constructs ---- */

static mt_str default_json(random_contract *c, const type *t)
{
    mt_str v;
    switch (t->b) {
    case BOOL:
        v = value_json(c, t);
        return mt_strf(c->a, "{\"kind\":\"bool_literal\",\"value\":%.*s}", MT_ARG(v));
    case INT:
        v = value_json(c, t);
        return mt_strf(c->a, "{\"kind\":\"int_literal\",\"value\":%.*s}", MT_ARG(v));
    case DECIMAL:
        v = decimal_digits(c, t->p, t->s);
        return mt_strf(c->a,
                       "{\"kind\":\"decimal_value\",\"precision\":%d,\"scale\":%d,"
                       "\"value\":\"%.*s\"}",
                       (int)t->p, (int)t->s, MT_ARG(v));
    case TEXT:
    case ENUM:
    case DATE:
    case TIME:
    case MONEY:
    case DURATION:
    case RECORD:
    case UNION:
    case LIST:
    case BASES: break;
    }
    return value_json(c, t);
}

static mt_str fact_json(random_contract *c, int i)
{
    mt_str t = type_json(c, c->facts[i]), d = MT_STR("");
    if (c->has_default[i]) {
        mt_str v = default_json(c, c->facts[i]);
        d = mt_strf(c->a, ",\"default\":%.*s", MT_ARG(v));
    }
    return mt_strf(
        c->a,
        "{\"id\":\"f%d\",\"kind\":\"Fact\",\"source\":\"s\",\"tenor\":\"1.0\","
        "\"type\":%.*s%.*s}",
        i, MT_ARG(t), MT_ARG(d));
}

/* The payload: a literal, a reference, a sum, a product of two facts, or a structured
 * value made of those. */
static mt_str payload_json(random_contract *c, const type **out)
{
    term t = descend(c, random_root(c));
    if (one_in(c, 4)) {
        do {
            *out = one_in(c, 2) ? random_type(c, 2) : c->facts[below(c, FACTS)];
        } while ((*out)->b < RECORD && one_in(c, 8) == false);
        if ((*out)->b >= RECORD) {
            return made_json(c, *out, 2, one_in(c, 4));
        }
    }
    if (numeric(t.t) && one_in(c, 3)) {
        term b = random_term(c, t.t, 1);
        if (b.t && numeric(b.t) && t.t->b == b.t->b && t.t->b == DECIMAL) {
            static const type WIDE = {.b = DECIMAL, .p = 20, .s = 3};
            *out = &WIDE;
            return mt_strf(c->a, "{\"left\":%.*s,\"op\":\"*\",\"right\":%.*s}",
                           MT_ARG(t.json), MT_ARG(b.json));
        }
        term s = sum_term(c, t.t, 2);
        t = s.t ? s : t;
    }
    type *p = mt_new(c->a, type);
    *p = *t.t;
    if (p->b == DECIMAL) { /* sometimes narrower than the value */
        p->s = p->s > 6 ? 6 : p->s;
        p->p = p->p > 20 ? 20 : p->p;
        p->s = p->s > p->p ? p->p : p->s;
        p->s -= p->s && one_in(c, 2);
    }
    *out = p;
    return t.json;
}

static mt_str rule_json(random_contract *c, int i)
{
    c->stratum = i / 2;
    const type *pt;
    mt_str when = random_predicate(c, 3), payload = payload_json(c, &pt);
    mt_str tj = type_json(c, pt);
    c->payloads[i] = pt;
    c->strata[i] = c->stratum;
    c->rules = i + 1;
    return mt_strf(c->a,
                   "{\"body\":{\"produce\":{\"payload\":{\"type\":%.*s,\"value\":%.*s},"
                   "\"verdict_type\":\"w%d\"},\"when\":%.*s},\"id\":\"r%d\",\"kind\":"
                   "\"Rule\",\"stratum\":%d,\"tenor\":\"1.0\"}",
                   MT_ARG(tj), MT_ARG(payload), i, MT_ARG(when), i, c->stratum);
}

random_contract *random_contract_new(mt_arena *a, uint64_t seed)
{
    random_contract *c = mt_new(a, random_contract);
    c->a = a;
    c->seed = seed;
    for (int i = 0; i < FACTS; i++) {
        c->facts[i] = random_type(c, 2);
        c->has_default[i] = one_in(c, 4);
    }
    return c;
}

mt_str random_bundle(random_contract *c)
{
    mt_str parts = MT_STR("");
    for (int i = 0; i < FACTS + RULES; i++) {
        mt_str one = i < FACTS ? fact_json(c, i) : rule_json(c, i - FACTS);
        parts = mt_strf(c->a, "%.*s%s%.*s", MT_ARG(parts), i ? "," : "", MT_ARG(one));
    }
    return mt_strf(c->a,
                   "{\"constructs\":[%.*s],\"id\":\"r\",\"kind\":\"Bundle\",\"tenor\":"
                   "\"1.0\",\"tenor_version\":\"1.1.0\"}",
                   MT_ARG(parts));
}

mt_str random_facts(random_contract *c)
{
    mt_str parts = MT_STR("");
    bool first = true;
    int64_t shift = below(c, FACTS);
    c->hostile = one_in(c, 8);
    for (int k = 0; k < FACTS; k++) {
        int64_t i = (k + shift) % FACTS;
        if ((c->has_default[i] && one_in(c, 2)) || (c->hostile && one_in(c, 40))) {
            continue;
        }
        mt_str v = value_json(c, c->facts[i]);
        parts = mt_strf(c->a, "%.*s%s\"f%d\":%.*s", MT_ARG(parts), first ? "" : ", ",
                        (int)i, MT_ARG(v));
        first = false;
    }
    c->hostile = false;
    return mt_strf(c->a, "{%.*s%s\"surplus\":1}", MT_ARG(parts), first ? "" : ",");
}
