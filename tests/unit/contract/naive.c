#include "naive.h"

#include "base/decimal.h"
#include "base/json_write.h"
#include "base/utf8.h"

typedef enum kind {
    ABSENT,
    BOOL,
    INT,
    DECIMAL,
    TEXT,
    DATE,
    TIME,
    MONEY,
    DURATION,
    TREE /* Record, List, TaggedUnion: looked at as JSON */
} kind;

typedef struct value {
    kind k;
    int64_t i;    /* Bool, Int, Date (days), Time (seconds), Duration */
    int64_t nano; /* Time */
    mt_decimal d;
    int64_t p, s;     /* Decimal: its declared digits */
    int64_t min, max; /* Int: its declared range */
    mt_str text;      /* Text, Enum; currency; unit */
    bool literal;
    const mt_json *type, *node; /* TREE */
} value;

typedef struct verdict {
    mt_str name;
    bool present;
    value payload;
} verdict;

typedef struct scope {
    const struct scope *up;
    mt_str name;
    value v;
} scope;

typedef struct names {
    mt_str items[256];
    size_t len;
} names;

typedef struct state {
    mt_arena *a;
    const mt_json *bundle, *facts;
    verdict verdicts[256];
    size_t verdict_count;
    names facts_used, verdicts_used;
    const scope *vars;
    bool in_payload; /* parts of a made value are brought to their types */
    const char *fault;
    mt_str where;
} state;

static mt_str text_at(const mt_json *o, const char *key)
{
    return mt_json_text(mt_json_get(o, mt_str_z(key)));
}

static bool base_is(const mt_json *type, const char *name)
{
    return mt_str_eq(text_at(type, "base"), mt_str_z(name));
}

/* Members or items of a node, 0 for none at all. */
static uint32_t count(const mt_json *n)
{
    return n ? n->count : 0;
}

static int64_t int_at(const mt_json *o, const char *key)
{
    int64_t v = 0;
    mt_json_i64(mt_json_get(o, mt_str_z(key)), &v);
    return v;
}

static value fail(state *st, const char *kind_name)
{
    if (!st->fault) {
        st->fault = kind_name;
    }
    return (value){.k = ABSENT};
}

/* ---- Calendar, by counting ---- */

static bool leap(int64_t y)
{
    return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

static int64_t days_in(int64_t y, int64_t m)
{
    return m == 2 ? 28 + leap(y) : m == 4 || m == 6 || m == 9 || m == 11 ? 30 : 31;
}

static int64_t days_before_year(int64_t y)
{
    int64_t p = y - 1;
    return p * 365 + p / 4 - p / 100 + p / 400;
}

static bool digits(mt_str s, size_t at, size_t n, int64_t *out)
{
    *out = 0;
    for (size_t i = at; i < at + n; i++) {
        if (i >= s.len || s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
        *out = *out * 10 + s.ptr[i] - '0';
    }
    return true;
}

static bool parse_date(mt_str s, int64_t *days)
{
    int64_t y, m, d;
    if (s.len != 10 || !digits(s, 0, 4, &y) || s.ptr[4] != '-' ||
        !digits(s, 5, 2, &m) || s.ptr[7] != '-' || !digits(s, 8, 2, &d) || y < 1 ||
        m < 1 || m > 12 || d < 1 || d > days_in(y, m)) {
        return false;
    }
    *days = days_before_year(y) - days_before_year(1970) + d - 1;
    for (int64_t i = 1; i < m; i++) {
        *days += days_in(y, i);
    }
    return true;
}

static bool year_ok(int64_t seconds)
{
    int64_t first = (days_before_year(1) - days_before_year(1970)) * 86400;
    int64_t last = (days_before_year(10000) - days_before_year(1970)) * 86400;
    return seconds >= first && seconds < last;
}

static bool parse_time(mt_str s, int64_t *seconds, int64_t *nano)
{
    int64_t days, h, m, sec, oh = 0, om = 0, scale = 100000000;
    if (s.len < 20 || !parse_date(mt_str_from(s.ptr, 10), &days) || s.ptr[10] != 'T' ||
        !digits(s, 11, 2, &h) || s.ptr[13] != ':' || !digits(s, 14, 2, &m) ||
        s.ptr[16] != ':' || !digits(s, 17, 2, &sec) || h > 23 || m > 59 || sec > 59) {
        return false;
    }
    size_t at = 19;
    *nano = 0;
    if (s.ptr[at] == '.') {
        size_t first = ++at;
        for (; at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9'; at++, scale /= 10) {
            if (!scale) {
                return false;
            }
            *nano += scale * (s.ptr[at] - '0');
        }
        if (at == first) {
            return false;
        }
    }
    if (at >= s.len) {
        return false;
    }
    if (s.ptr[at] == 'Z') {
        if (at + 1 != s.len) {
            return false;
        }
    } else if ((s.ptr[at] != '+' && s.ptr[at] != '-') || s.len != at + 6 ||
               !digits(s, at + 1, 2, &oh) || s.ptr[at + 3] != ':' ||
               !digits(s, at + 4, 2, &om) || oh > 23 || om > 59) {
        return false;
    }
    int64_t offset = (oh * 3600 + om * 60) * (s.ptr[at] == '-' ? -1 : 1);
    *seconds = days * 86400 + h * 3600 + m * 60 + sec - offset;
    return year_ok(*seconds);
}

static mt_str print_date(mt_arena *a, int64_t days)
{
    int64_t y = 1, m = 1, left = days - (days_before_year(1) - days_before_year(1970));
    for (; left >= 365 + leap(y); y++) {
        left -= 365 + leap(y);
    }
    for (; left >= days_in(y, m); m++) {
        left -= days_in(y, m);
    }
    return mt_strf(a, "%04d-%02d-%02d", (int)y, (int)m, (int)left + 1);
}

static mt_str print_time(mt_arena *a, int64_t seconds, int64_t nano)
{
    int64_t shift = 100000; /* days, to divide positive numbers only */
    shift *= 10;
    int64_t t = seconds + shift * 86400;
    int64_t days = t / 86400 - shift, clock = t % 86400;
    mt_str fraction = MT_STR("");
    if (nano) {
        fraction = mt_strf(a, ".%09d", (int)nano);
        while (fraction.ptr[fraction.len - 1] == '0') {
            fraction.len--;
        }
    }
    mt_str date = print_date(a, days);
    return mt_strf(a, "%.*sT%02d:%02d:%02d%.*sZ", MT_ARG(date), (int)(clock / 3600),
                   (int)(clock / 60 % 60), (int)(clock % 60), MT_ARG(fraction));
}

static int64_t unit_seconds(mt_str unit)
{
    return mt_str_is(unit, "seconds")   ? 1
           : mt_str_is(unit, "minutes") ? 60
           : mt_str_is(unit, "hours")   ? 3600
                                        : 86400;
}

/* ---- §5.2: type_check, to the leaves ---- */

static bool bad(state *st, const char *kind_name, mt_str path)
{
    st->fault = kind_name;
    st->where = path;
    return false;
}

static const mt_json *decimal_node(const mt_json *v)
{
    return mt_json_is(v, MT_JSON_OBJECT) ? mt_json_at(v, "value") : v;
}

/* Digits from the first that is not zero; zeros at the end of a fraction are gone. */
static size_t significant(mt_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        n += s.ptr[i] >= '0' && s.ptr[i] <= '9' && (n || s.ptr[i] != '0');
    }
    return n;
}

static bool check_decimal(const mt_json *v, int64_t scale, mt_decimal *out)
{
    const mt_json *n = decimal_node(v);
    bool text = mt_json_is(n, MT_JSON_STRING);
    bool number = mt_json_is(n, MT_JSON_NUMBER) && n == v;
    mt_str s = mt_json_text(n);
    if ((!text && !number) || mt_decimal_parse(s, out) != MT_OK) {
        return false;
    }
    size_t point = mt_str_find(s, '.');
    while (point < s.len && s.ptr[s.len - 1] == '0') {
        s.len--;
    }
    int64_t fraction = point < s.len ? (int64_t)(s.len - point - 1) : 0;
    return fraction <= scale && fraction <= 28 && significant(s) <= 28;
}

static bool check(state *st, const mt_json *t, const mt_json *v, mt_str path);

static bool check_parts(state *st, const mt_json *t, const mt_json *v, mt_str path)
{
    const mt_json *fields = mt_json_at(t, "fields");
    if (!mt_json_is(v, MT_JSON_OBJECT)) {
        return bad(st, "type_mismatch", path);
    }
    /* Values are checked in the order they are given, missing ones after that. */
    for (uint32_t i = 0; i < v->count; i++) {
        const mt_json *ft = mt_json_get(fields, v->as.members[i].key);
        if (ft && !check(st, ft, &v->as.members[i].value,
                         mt_strf(st->a, "%.*s.%.*s", MT_ARG(path),
                                 MT_ARG(v->as.members[i].key)))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count(fields); i++) {
        if (!mt_json_get(v, fields->as.members[i].key)) {
            return bad(st, "missing_field", path);
        }
    }
    return true;
}

static bool check_list(state *st, const mt_json *t, const mt_json *v, mt_str path)
{
    if (!mt_json_is(v, MT_JSON_ARRAY)) {
        return bad(st, "type_mismatch", path);
    }
    for (uint32_t i = 0; i < v->count; i++) {
        if (i == int_at(t, "max")) {
            return bad(st, "list_overflow", path);
        }
        if (!check(st, mt_json_at(t, "element_type"), &v->as.items[i],
                   mt_strf(st->a, "%.*s[%u]", MT_ARG(path), i))) {
            return false;
        }
    }
    return true;
}

static bool check_union(state *st, const mt_json *t, const mt_json *v, mt_str path)
{
    const mt_json *tag = mt_json_at(v, "tag"), *payload = mt_json_at(v, "payload");
    if (!mt_json_is(v, MT_JSON_OBJECT) || (tag && !mt_json_is(tag, MT_JSON_STRING))) {
        return bad(st, "type_mismatch", path);
    }
    if (!tag) {
        return bad(st, "missing_field", path);
    }
    const mt_json *inner = mt_json_get(mt_json_at(t, "variants"), mt_json_text(tag));
    if (!inner) {
        return bad(st, "invalid_tag", path);
    }
    if (!payload) {
        return bad(st, "missing_field", path);
    }
    return check(st, inner, payload, mt_strf(st->a, "%.*s.payload", MT_ARG(path)));
}

static bool check_money(state *st, const mt_json *t, const mt_json *v, mt_str path)
{
    mt_decimal d;
    if (!mt_json_is(v, MT_JSON_OBJECT)) {
        return bad(st, "type_mismatch", path);
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const mt_json_member *m = &v->as.members[i];
        mt_str inner = mt_strf(st->a, "%.*s.%.*s", MT_ARG(path), MT_ARG(m->key));
        if (mt_str_is(m->key, "amount") && !check_decimal(&m->value, 1000, &d)) {
            return bad(st, "type_mismatch", inner);
        }
        if (mt_str_is(m->key, "currency")) {
            if (!mt_json_is(&m->value, MT_JSON_STRING)) {
                return bad(st, "type_mismatch", inner);
            }
            if (!mt_str_eq(mt_json_text(&m->value), text_at(t, "currency"))) {
                return bad(st, "currency_mismatch", inner);
            }
        }
    }
    return (mt_json_at(v, "amount") && mt_json_at(v, "currency")) ||
           bad(st, "missing_field", path);
}

static bool in_bounds(const mt_json *t, const mt_json *v)
{
    int64_t n;
    return mt_json_is(v, MT_JSON_NUMBER) && mt_json_i64(v, &n) == MT_OK &&
           n >= int_at(t, "min") && n <= int_at(t, "max");
}

static bool check_duration(state *st, const mt_json *t, const mt_json *v, mt_str path)
{
    if (!mt_json_is(v, MT_JSON_OBJECT)) {
        return bad(st, "type_mismatch", path);
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const mt_json_member *m = &v->as.members[i];
        if (mt_str_is(m->key, "value") && !in_bounds(t, &m->value)) {
            return bad(st, "type_mismatch", path);
        }
        if (mt_str_is(m->key, "unit") &&
            !mt_str_eq(mt_json_text(&m->value), text_at(t, "unit"))) {
            return bad(st, "invalid_unit", path);
        }
    }
    return mt_json_at(v, "value") || bad(st, "missing_field", path);
}

static bool check_word(state *st, const mt_json *t, const mt_json *v, mt_str path)
{
    mt_str s = mt_json_text(v);
    int64_t x, y;
    if (!mt_json_is(v, MT_JSON_STRING)) {
        return bad(st, "type_mismatch", path);
    }
    if (base_is(t, "Text")) {
        return (int64_t)mt_utf8_count(s) <= int_at(t, "max_length") ||
               bad(st, "type_mismatch", path);
    }
    if (base_is(t, "Date")) {
        return parse_date(s, &x) || bad(st, "invalid_date", path);
    }
    if (base_is(t, "DateTime")) {
        return parse_time(s, &x, &y) || bad(st, "invalid_date", path);
    }
    const mt_json *values = mt_json_at(t, "values");
    for (uint32_t i = 0; i < count(values); i++) {
        if (mt_str_eq(mt_json_text(&values->as.items[i]), s)) {
            return true;
        }
    }
    return bad(st, "invalid_enum", path);
}

static bool check(state *st, const mt_json *t, const mt_json *v, mt_str path)
{
    mt_decimal d;
    if (base_is(t, "Bool")) {
        return mt_json_is(v, MT_JSON_BOOL) || bad(st, "type_mismatch", path);
    }
    if (base_is(t, "Int")) {
        return in_bounds(t, v) || bad(st, "type_mismatch", path);
    }
    if (base_is(t, "Decimal")) {
        return (check_decimal(v, int_at(t, "scale"), &d) &&
                mt_decimal_fits(d, (unsigned)int_at(t, "precision"),
                                (unsigned)int_at(t, "scale"))) ||
               bad(st, "type_mismatch", path);
    }
    if (base_is(t, "Money")) {
        return check_money(st, t, v, path);
    }
    if (base_is(t, "Duration")) {
        return check_duration(st, t, v, path);
    }
    if (base_is(t, "Record")) {
        return check_parts(st, t, v, path);
    }
    if (base_is(t, "List")) {
        return check_list(st, t, v, path);
    }
    if (base_is(t, "TaggedUnion")) {
        return check_union(st, t, v, path);
    }
    return check_word(st, t, v, path);
}

/* ---- Values ---- */

static const mt_json *unwrapped(const mt_json *v)
{
    const mt_json *inner = mt_json_at(v, "value");
    return mt_json_is(v, MT_JSON_OBJECT) && inner ? inner : v;
}

/* A checked fact value, a default or a typed literal. */
static value from_json(const mt_json *t, const mt_json *v)
{
    value r = {.type = t, .node = v, .k = TREE};
    if (base_is(t, "Bool")) {
        r.k = BOOL;
        const mt_json *b = unwrapped(v);
        r.i = b && b->boolean;
    } else if (base_is(t, "Int")) {
        r.k = INT;
        mt_json_i64(unwrapped(v), &r.i);
        r.min = int_at(t, "min");
        r.max = int_at(t, "max");
    } else if (base_is(t, "Decimal")) {
        r.k = DECIMAL;
        mt_decimal_parse(mt_json_text(decimal_node(v)), &r.d);
        r.p = int_at(t, "precision");
        r.s = int_at(t, "scale");
    } else if (base_is(t, "Money")) {
        r.k = MONEY;
        mt_decimal_parse(mt_json_text(decimal_node(mt_json_at(v, "amount"))), &r.d);
        r.text = text_at(t, "currency");
    } else if (base_is(t, "Duration")) {
        r.k = DURATION;
        mt_json_i64(unwrapped(v), &r.i);
        r.text = text_at(t, "unit");
    } else if (base_is(t, "Text") || base_is(t, "Enum")) {
        r.k = TEXT;
        r.text = mt_json_text(v);
    } else if (base_is(t, "Date")) {
        r.k = DATE;
        parse_date(mt_json_text(v), &r.i);
    } else if (base_is(t, "DateTime")) {
        r.k = TIME;
        parse_time(mt_json_text(v), &r.i, &r.nano);
    }
    return r;
}

static value from_bare(const mt_json *v)
{
    value r = {.literal = true};
    if (mt_json_is(v, MT_JSON_BOOL)) {
        r.k = BOOL;
        r.i = v->boolean;
    } else if (mt_json_is(v, MT_JSON_NUMBER)) {
        r.k = INT;
        mt_json_i64(v, &r.i);
        r.min = r.max = r.i;
    } else {
        r.k = TEXT;
        r.text = mt_json_text(v);
    }
    return r;
}

static void use(names *n, mt_str name)
{
    for (size_t i = 0; i < n->len; i++) {
        if (mt_str_eq(n->items[i], name)) {
            return;
        }
    }
    n->items[n->len++] = name;
}

static const mt_json *construct(const state *st, const char *kind_name, mt_str id)
{
    const mt_json *all = mt_json_at(st->bundle, "constructs");
    for (uint32_t i = 0; i < count(all); i++) {
        if (mt_str_eq(text_at(&all->as.items[i], "kind"), mt_str_z(kind_name)) &&
            mt_str_eq(text_at(&all->as.items[i], "id"), id)) {
            return &all->as.items[i];
        }
    }
    return NULL;
}

static value named(state *st, mt_str name)
{
    for (const scope *s = st->vars; s; s = s->up) {
        if (mt_str_eq(s->name, name)) {
            return s->v;
        }
    }
    const mt_json *fact = construct(st, "Fact", name);
    const mt_json *given = mt_json_get(st->facts, name);
    use(&st->facts_used, name);
    return from_json(mt_json_at(fact, "type"),
                     given ? given : mt_json_at(fact, "default"));
}

static verdict *find_verdict(state *st, mt_str name)
{
    for (size_t i = 0; i < st->verdict_count; i++) {
        if (mt_str_eq(st->verdicts[i].name, name)) {
            return &st->verdicts[i];
        }
    }
    return NULL;
}

static value payload_of(state *st, mt_str name)
{
    verdict *v = find_verdict(st, name);
    use(&st->verdicts_used, name);
    return v && v->present ? v->payload : (value){.k = ABSENT};
}

static value field(state *st, value of, mt_str name)
{
    if (of.k == ABSENT) {
        return of;
    }
    if (of.k == MONEY) {
        value amount = {.k = DECIMAL, .d = of.d, .p = 56, .s = 28};
        value currency = {.k = TEXT, .text = of.text};
        return mt_str_is(name, "amount") ? amount : currency;
    }
    if (base_is(of.type, "TaggedUnion")) {
        if (mt_str_is(name, "tag")) {
            return (value){.k = TEXT, .text = text_at(of.node, "tag")};
        }
        if (!mt_str_eq(text_at(of.node, "tag"), name)) {
            return fail(st, "tag_mismatch");
        }
        return from_json(mt_json_get(mt_json_at(of.type, "variants"), name),
                         mt_json_at(of.node, "payload"));
    }
    return from_json(mt_json_get(mt_json_at(of.type, "fields"), name),
                     mt_json_get(of.node, name));
}

/* ---- §13: arithmetic ---- */

__extension__ typedef __int128 wide;

static value whole(state *st, const mt_json *bounds, kind k, wide n)
{
    int64_t min = int_at(bounds, "min"), max = int_at(bounds, "max");
    if (n < min || n > max) {
        return fail(st, "overflow");
    }
    return (value){.k = k,
                   .i = (int64_t)n,
                   .text = text_at(bounds, "unit"),
                   .min = min,
                   .max = max};
}

static int64_t int_digits(value v)
{
    wide lo = v.min < 0 ? -(wide)v.min : v.min, hi = v.max < 0 ? -(wide)v.max : v.max;
    wide m = lo > hi ? lo : hi, n = 0;
    for (m = m ? m - 1 : 0; m; m /= 10) {
        n++;
    }
    return (int64_t)n + 1;
}

static value promoted(value v)
{
    if (v.k == INT) {
        return (value){.k = DECIMAL,
                       .d = mt_decimal_from_i64(v.i),
                       .p = int_digits(v),
                       .literal = v.literal,
                       .i = v.i};
    }
    return v;
}

static value rounded(state *st, mt_err err, mt_decimal d, int64_t p, int64_t s)
{
    if (err != MT_OK || (d.scale > s && mt_decimal_rescale(d, (unsigned)s, &d)) ||
        !mt_decimal_fits(d, (unsigned)p, (unsigned)s)) {
        return fail(st, "overflow");
    }
    return (value){.k = DECIMAL, .d = d, .p = p, .s = s};
}

/* §13.2: Decimal(p,s) * n is Decimal(p + digits(n), s); an Int is promoted first and
 * takes the scale of the literal. */
static void product_digits(value factor, value literal, int64_t *p, int64_t *s)
{
    int64_t places = 1, n = literal.i;
    for (wide m = (n < 0 ? -(wide)n : n) / 10; m; m /= 10) {
        places++;
    }
    *p = promoted(factor).p + (literal.k == INT ? places : literal.p);
    *s = factor.k == INT ? literal.s : factor.s;
}

static value decimal_arith(state *st, const mt_json *node, char op, value a, value b)
{
    const mt_json *bounds = mt_json_at(node, "result_type");
    value x = promoted(a), y = promoted(b);
    int64_t p = (x.p > y.p ? x.p : y.p) + 1, s = x.s > y.s ? x.s : y.s;
    bool scaled = op == '*' && (a.literal || b.literal);
    if (scaled) {
        product_digits(b.literal ? a : b, b.literal ? b : a, &p, &s);
    } else if (op == '*') {
        s = x.s + y.s > 28 ? 28 : x.s + y.s;
        p = x.p + y.p - (x.s + y.s - s);
    }
    if (bounds) {
        p = int_at(bounds, "precision");
        s = int_at(bounds, "scale");
    }
    mt_decimal d = {0};
    y.d.negative = op == '-' ? !y.d.negative : y.d.negative;
    mt_err err = op != '*' ? mt_decimal_add_to(x.d, y.d, (unsigned)s, &d)
                 : scaled  ? mt_decimal_mul_to(x.d, y.d, (unsigned)s, &d)
                           : mt_decimal_mul_within(x.d, y.d, (unsigned)s, &d);
    return rounded(st, err, d, p, s);
}

static value moved(state *st, value t, wide seconds)
{
    wide at = t.i + seconds;
    if (at != (int64_t)at || !year_ok((int64_t)at)) {
        return fail(st, "overflow");
    }
    t.i = (int64_t)at;
    return t;
}

static value between(state *st, const mt_json *bounds, value a, value b)
{
    wide nanos = ((wide)a.i - b.i) * 1000000000 + (a.nano - b.nano);
    wide seconds = nanos / 1000000000, rest = nanos % 1000000000;
    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    if (rest * 2 > 1000000000 || (rest * 2 == 1000000000 && seconds % 2 != 0)) {
        seconds++;
    }
    return whole(st, bounds, DURATION, seconds);
}

static value arith(state *st, const mt_json *node, char op, value a, value b)
{
    const mt_json *bounds = mt_json_at(node, "result_type");
    if (a.k == TEXT && a.literal && b.k == TIME) {
        a.k = TIME;
        parse_time(a.text, &a.i, &a.nano);
    }
    if (b.k == TEXT && b.literal && a.k == TIME) {
        b.k = TIME;
        parse_time(b.text, &b.i, &b.nano);
    }
    if (a.k == ABSENT || b.k == ABSENT) {
        return (value){.k = ABSENT};
    }
    if (a.k == INT && b.k == INT) {
        wide n = op == '+'   ? (wide)a.i + b.i
                 : op == '-' ? (wide)a.i - b.i
                             : (wide)a.i * b.i;
        if (!bounds) { /* fact * fact in a payload: any Int */
            return n == (int64_t)n ? (value){.k = INT, .i = (int64_t)n}
                                   : fail(st, "overflow");
        }
        return whole(st, bounds, INT, n);
    }
    if (a.k == MONEY) {
        b.d.negative = op == '-' ? !b.d.negative : b.d.negative;
        mt_err err = mt_decimal_add_to(a.d, b.d, 28, &a.d);
        return err ? fail(st, "overflow") : a;
    }
    if (a.k == TIME && b.k == TIME) {
        return between(st, bounds, a, b);
    }
    if (a.k == TIME) {
        return moved(st, a, (wide)b.i * unit_seconds(b.text));
    }
    if (b.k == TIME) {
        return moved(st, b, (wide)a.i * unit_seconds(a.text));
    }
    if (a.k == DURATION) {
        int64_t ua = unit_seconds(a.text), ub = unit_seconds(b.text);
        int64_t unit = ua < ub ? ua : ub;
        wide x = (wide)a.i * (ua / unit), y = (wide)b.i * (ub / unit);
        return whole(st, bounds, DURATION, op == '+' ? x + y : x - y);
    }
    return decimal_arith(st, node, op, a, b);
}

/* ---- §10.3: eval_arith ---- */

static value term(state *st, const mt_json *n);

static value element(state *st, value list, value index)
{
    if (list.k == ABSENT || index.k == ABSENT) {
        return (value){.k = ABSENT};
    }
    if (index.i < 0 || index.i >= count(list.node)) {
        return fail(st, "index_out_of_range");
    }
    return from_json(mt_json_at(list.type, "element_type"),
                     &list.node->as.items[index.i]);
}

static value operator_term(state *st, const mt_json *n, mt_str op)
{
    if (mt_str_is(op, "len")) {
        value list = term(st, mt_json_at(n, "operand"));
        return list.k == ABSENT ? list
                                : (value){.k = INT,
                                          .i = count(list.node),
                                          .max = int_at(list.type, "max")};
    }
    if (mt_str_is(op, "index")) {
        value list = term(st, mt_json_at(n, "operand"));
        if (list.k == ABSENT) {
            return list;
        }
        return element(st, list, term(st, mt_json_at(n, "index")));
    }
    value a = term(st, mt_json_at(n, "left"));
    if (a.k == ABSENT) {
        return a;
    }
    const mt_json *factor = mt_json_at(n, "literal");
    value b = factor ? from_bare(factor) : term(st, mt_json_at(n, "right"));
    return arith(st, n, op.ptr[0], a, b);
}

/* ---- Values made of terms, by writing them down and reading them again ---- */

static value fitted(state *st, const mt_json *t, value r);

static mt_str decimal_str(mt_arena *a, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT];
    return mt_str_dup(a, mt_str_from(text, mt_decimal_print(d, text)));
}

static mt_str quoted(state *st, mt_str text)
{
    mt_buf b = {0};
    mt_json_quote(&b, text);
    mt_str s = mt_str_dup(st->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return s;
}

static mt_str tree_text(state *st, const mt_json *node)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_json(&w, node);
    mt_str s = mt_str_dup(st->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return s;
}

/* As a fact of the type would be written. */
static mt_str plain(state *st, const mt_json *t, value v)
{
    if (base_is(t, "Decimal")) {
        return quoted(st, decimal_str(st->a, promoted(v).d));
    }
    switch (v.k) {
    case BOOL: return v.i ? MT_STR("true") : MT_STR("false");
    case INT: return mt_strf(st->a, "%lld", (long long)v.i);
    case TEXT: return quoted(st, v.text);
    case DATE: return quoted(st, print_date(st->a, v.i));
    case TIME: return quoted(st, print_time(st->a, v.i, v.nano));
    case MONEY:
        return mt_strf(st->a, "{\"amount\":\"%.*s\",\"currency\":\"%.*s\"}",
                       MT_ARG(decimal_str(st->a, v.d)), MT_ARG(v.text));
    case DURATION:
        return mt_strf(st->a, "{\"unit\":\"%.*s\",\"value\":%lld}", MT_ARG(v.text),
                       (long long)v.i);
    case TREE: return tree_text(st, v.node);
    case DECIMAL:
    case ABSENT: break;
    }
    return MT_STR("null");
}

static value made(state *st, const mt_json *n, const mt_json *t);

/* False: it is absent, or something failed. */
static bool add_part(state *st, mt_buf *out, const mt_json *n, const mt_json *t)
{
    bool inner =
        mt_json_at(n, "record") || mt_json_at(n, "list") || mt_json_at(n, "union");
    value v = inner ? made(st, n, t) : term(st, n);
    if (v.k == ABSENT || st->fault) {
        return false;
    }
    v = st->in_payload && !inner ? fitted(st, t, v) : v;
    mt_buf_adds(out, plain(st, t, v));
    return !st->fault;
}

static bool add_parts(state *st, mt_buf *out, const mt_json *n, const mt_json *t)
{
    const mt_json *record = mt_json_at(n, "record"), *list = mt_json_at(n, "list");
    const mt_json *variant = mt_json_at(n, "union"), *fields = mt_json_at(t, "fields");
    for (uint32_t i = 0; record && i < count(fields); i++) {
        const mt_json_member *f = &fields->as.members[i];
        mt_buf_addz(out, i ? "," : "{");
        mt_json_quote(out, f->key);
        mt_buf_addc(out, ':');
        if (!add_part(st, out, mt_json_get(record, f->key), &f->value)) {
            return false;
        }
    }
    for (uint32_t i = 0; list && i < list->count; i++) {
        mt_buf_addz(out, i ? "," : "[");
        if (!add_part(st, out, &list->as.items[i], mt_json_at(t, "element_type"))) {
            return false;
        }
    }
    if (variant) {
        mt_str tag = text_at(variant, "tag");
        mt_buf_addf(out, "{\"tag\":\"%.*s\",\"payload\":", MT_ARG(tag));
        if (!add_part(st, out, mt_json_at(variant, "payload"),
                      mt_json_get(mt_json_at(t, "variants"), tag))) {
            return false;
        }
    }
    bool empty = !variant && !count(record ? fields : list);
    mt_buf_addz(out, list ? (empty ? "[]" : "]") : (empty ? "{}" : "}"));
    return true;
}

static value made(state *st, const mt_json *n, const mt_json *t)
{
    mt_buf text = {0};
    bool there = add_parts(st, &text, n, t);
    mt_json *tree = mt_new(st->a, mt_json);
    mt_json_limits limits = {1 << 20, 100};
    if (there && mt_json_read(st->a, mt_str_dup(st->a, mt_buf_str(&text)), &limits,
                              tree, NULL)) {
        there = false;
        fail(st, "the oracle cannot read what it wrote");
    }
    mt_buf_free(&text);
    return there ? from_json(t, tree) : (value){.k = ABSENT};
}

static value term(state *st, const mt_json *n)
{
    const mt_json *v;
    if (mt_json_at(n, "record") || mt_json_at(n, "list") || mt_json_at(n, "union")) {
        return made(st, n, mt_json_at(n, "type"));
    }
    if ((v = mt_json_at(n, "fact_ref"))) {
        return named(st, mt_json_text(v));
    }
    if ((v = mt_json_at(n, "field_ref"))) {
        return field(st, named(st, text_at(v, "var")), text_at(v, "field"));
    }
    if ((v = mt_json_at(n, "field_of"))) {
        return field(st, term(st, mt_json_at(v, "of")), text_at(v, "field"));
    }
    if ((v = mt_json_at(n, "verdict_ref"))) {
        return payload_of(st, mt_json_text(v));
    }
    if ((v = mt_json_at(n, "op"))) {
        return operator_term(st, n, mt_json_text(v));
    }
    v = mt_json_at(n, "literal");
    const mt_json *t = mt_json_at(n, "type");
    value r = t ? from_json(t, v) : from_bare(v);
    r.literal = true;
    return r;
}

/* ---- Comparison ---- */

static bool equal(value a, value b);

static bool trees_equal(value a, value b)
{
    if (base_is(a.type, "Record")) {
        const mt_json *fields = mt_json_at(a.type, "fields");
        for (uint32_t i = 0; i < count(fields); i++) {
            mt_str name = fields->as.members[i].key;
            const mt_json *bt = mt_json_get(mt_json_at(b.type, "fields"), name);
            if (!equal(
                    from_json(&fields->as.members[i].value, mt_json_get(a.node, name)),
                    from_json(bt, mt_json_get(b.node, name)))) {
                return false;
            }
        }
        return true;
    }
    if (base_is(a.type, "List")) {
        if (count(a.node) != count(b.node)) {
            return false;
        }
        for (uint32_t i = 0; i < count(a.node); i++) {
            if (!equal(
                    from_json(mt_json_at(a.type, "element_type"), &a.node->as.items[i]),
                    from_json(mt_json_at(b.type, "element_type"),
                              &b.node->as.items[i]))) {
                return false;
            }
        }
        return true;
    }
    mt_str tag = text_at(a.node, "tag");
    return mt_str_eq(tag, text_at(b.node, "tag")) &&
           equal(from_json(mt_json_get(mt_json_at(a.type, "variants"), tag),
                           mt_json_at(a.node, "payload")),
                 from_json(mt_json_get(mt_json_at(b.type, "variants"), tag),
                           mt_json_at(b.node, "payload")));
}

static int sign(wide n)
{
    return (n > 0) - (n < 0);
}

/* -1, 0, 1; for kinds without order 0 or 1. */
static int order(value a, value b)
{
    if (a.k == TEXT && a.literal && (b.k == DATE || b.k == TIME)) {
        return -order(b, a);
    }
    if (b.k == TEXT && b.literal && a.k == DATE) {
        parse_date(b.text, &b.i);
        return sign((wide)a.i - b.i);
    }
    if (b.k == TEXT && b.literal && a.k == TIME) {
        parse_time(b.text, &b.i, &b.nano);
    }
    switch (a.k) {
    case ABSENT:
    case BOOL:
    case DATE: return sign((wide)a.i - b.i);
    case INT:
    case DECIMAL: return mt_decimal_cmp(promoted(a).d, promoted(b).d);
    case MONEY: return mt_decimal_cmp(a.d, b.d);
    case TEXT: return !mt_str_eq(a.text, b.text);
    case TIME: return a.i != b.i ? sign((wide)a.i - b.i) : sign((wide)a.nano - b.nano);
    case DURATION:
        return sign((wide)a.i * unit_seconds(a.text) -
                    (wide)b.i * unit_seconds(b.text));
    case TREE: return !trees_equal(a, b);
    }
    return 0;
}

static bool equal(value a, value b)
{
    return order(a, b) == 0;
}

static bool compare(mt_str op, value a, value b)
{
    int o = order(a, b);
    return mt_str_is(op, "=")    ? o == 0
           : mt_str_is(op, "!=") ? o != 0
           : mt_str_is(op, "<")  ? o < 0
           : mt_str_is(op, "<=") ? o <= 0
           : mt_str_is(op, ">")  ? o > 0
                                 : o >= 0;
}

/* ---- §10.3: eval_pred ---- */

static bool pred(state *st, const mt_json *n);

static bool quantified(state *st, const mt_json *n)
{
    bool all = mt_str_is(text_at(n, "quantifier"), "forall");
    value list = term(st, mt_json_at(n, "domain"));
    if (list.k == ABSENT) {
        return false;
    }
    for (uint32_t i = 0; i < count(list.node) && !st->fault; i++) {
        scope s = {
            st->vars, text_at(n, "variable"),
            from_json(mt_json_at(list.type, "element_type"), &list.node->as.items[i])};
        st->vars = &s;
        bool holds = pred(st, mt_json_at(n, "body"));
        st->vars = s.up;
        if (st->fault || holds != all) {
            return !st->fault && holds;
        }
    }
    return all;
}

static bool pred(state *st, const mt_json *n)
{
    mt_str op = text_at(n, "op");
    if (st->fault) {
        return false;
    }
    if (mt_json_at(n, "verdict_present")) {
        mt_str name = text_at(n, "verdict_present");
        use(&st->verdicts_used, name);
        verdict *v = find_verdict(st, name);
        return v && v->present;
    }
    if (mt_json_at(n, "quantifier")) {
        return quantified(st, n);
    }
    if (mt_str_is(op, "and")) {
        return pred(st, mt_json_at(n, "left")) && pred(st, mt_json_at(n, "right"));
    }
    if (mt_str_is(op, "or")) {
        return pred(st, mt_json_at(n, "left")) ||
               (!st->fault && pred(st, mt_json_at(n, "right")));
    }
    if (mt_str_is(op, "not")) {
        bool inner = pred(st, mt_json_at(n, "operand"));
        return !st->fault && !inner;
    }
    if (op.len && (strchr("<>!=", op.ptr[0]))) {
        value a = term(st, mt_json_at(n, "left"));
        if (a.k == ABSENT || st->fault) {
            return false;
        }
        value b = term(st, mt_json_at(n, "right"));
        return b.k != ABSENT && !st->fault && compare(op, a, b);
    }
    value v = term(st, n);
    return v.k == BOOL && v.i && !st->fault;
}

/* ---- Results ---- */

static void print_value(state *st, mt_jw *w, const mt_json *t, value v);

static void print_fields(state *st, mt_jw *w, const mt_json *t, value v)
{
    const mt_json *fields = mt_json_at(t, "fields");
    mt_jw_keyz(w, "fields");
    mt_jw_begin_object(w);
    for (uint32_t i = 0; i < count(fields); i++) {
        const mt_json_member *m = &fields->as.members[i];
        mt_jw_key(w, m->key);
        print_value(st, w, &m->value,
                    from_json(&m->value, mt_json_get(v.node, m->key)));
    }
    mt_jw_end_object(w);
    mt_jw_key_str(w, "kind", MT_STR("record_value"));
}

static void print_tree(state *st, mt_jw *w, const mt_json *t, value v)
{
    if (base_is(t, "Record")) {
        print_fields(st, w, t, v);
    } else if (base_is(t, "List")) {
        mt_jw_keyz(w, "elements");
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < count(v.node); i++) {
            const mt_json *et = mt_json_at(t, "element_type");
            print_value(st, w, et, from_json(et, &v.node->as.items[i]));
        }
        mt_jw_end_array(w);
        mt_jw_key_str(w, "kind", MT_STR("list_value"));
    } else {
        mt_str tag = text_at(v.node, "tag");
        const mt_json *inner = mt_json_get(mt_json_at(t, "variants"), tag);
        mt_jw_key_str(w, "kind", MT_STR("tagged_union_value"));
        mt_jw_keyz(w, "payload");
        print_value(st, w, inner, from_json(inner, mt_json_at(v.node, "payload")));
        mt_jw_key_str(w, "tag", tag);
    }
}

static void print_value(state *st, mt_jw *w, const mt_json *t, value v)
{
    static const struct {
        const char *base, *kind;
    } KINDS[] = {{"Bool", "bool_value"},        {"Int", "int_value"},
                 {"Decimal", "decimal_value"},  {"Text", "text_value"},
                 {"Enum", "enum_value"},        {"Date", "date_value"},
                 {"DateTime", "datetime_value"}};
    mt_jw_begin_object(w);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (base_is(t, KINDS[i].base)) {
            mt_jw_key_str(w, "kind", mt_str_z(KINDS[i].kind));
        }
    }
    switch (v.k) {
    case BOOL: mt_jw_key_bool(w, "value", v.i); break;
    case INT: mt_jw_key_i64(w, "value", v.i); break;
    case DECIMAL: mt_jw_key_str(w, "value", decimal_str(st->a, v.d)); break;
    case TEXT: mt_jw_key_str(w, "value", v.text); break;
    case DATE: mt_jw_key_str(w, "value", print_date(st->a, v.i)); break;
    case TIME: mt_jw_key_str(w, "value", print_time(st->a, v.i, v.nano)); break;
    case MONEY:
        mt_jw_key_str(w, "amount", decimal_str(st->a, v.d));
        mt_jw_key_str(w, "currency", v.text);
        mt_jw_key_str(w, "kind", MT_STR("money_value"));
        break;
    case DURATION:
        mt_jw_key_str(w, "kind", MT_STR("duration_value"));
        mt_jw_key_str(w, "unit", text_at(t, "unit"));
        mt_jw_key_i64(w, "value", v.i);
        break;
    case TREE: print_tree(st, w, t, v); break;
    case ABSENT: break;
    }
    mt_jw_end_object(w);
}

/* A payload, or a part of one, brought to its declared type. */
static value fitted(state *st, const mt_json *t, value r)
{
    if (base_is(t, "Decimal")) {
        return rounded(st, MT_OK, promoted(r).d, int_at(t, "precision"),
                       int_at(t, "scale"));
    }
    if (base_is(t, "Int") || base_is(t, "Duration")) {
        return whole(st, t, r.k, r.i);
    }
    if (base_is(t, "Text") && int_at(t, "max_length") &&
        (int64_t)mt_utf8_count(r.text) > int_at(t, "max_length")) {
        return fail(st, "overflow");
    }
    return r;
}

static value payload(state *st, const mt_json *t, const mt_json *v)
{
    bool is_term = mt_json_is(v, MT_JSON_OBJECT) && !mt_json_at(v, "kind") &&
                   !mt_json_at(v, "amount");
    bool is_made =
        mt_json_at(v, "record") || mt_json_at(v, "list") || mt_json_at(v, "union");
    st->in_payload = true;
    value r = is_made ? made(st, v, t) : is_term ? term(st, v) : from_json(t, v);
    st->in_payload = false;
    if (st->fault) {
        return r;
    }
    return r.k == ABSENT ? fail(st, "absent_verdict") : fitted(st, t, r);
}

static void print_names(mt_jw *w, const names *n)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < n->len; i++) {
        mt_jw_str(w, n->items[i]);
    }
    mt_jw_end_array(w);
}

static void rule(state *st, const mt_json *r, mt_jw *w)
{
    const mt_json *body = mt_json_at(r, "body"), *produce = mt_json_at(body, "produce");
    const mt_json *p = mt_json_at(produce, "payload");
    st->facts_used.len = st->verdicts_used.len = 0;
    bool holds = pred(st, mt_json_at(body, "when"));
    value v = holds && !st->fault
                  ? payload(st, mt_json_at(p, "type"), mt_json_at(p, "value"))
                  : (value){0};
    if (st->fault) {
        st->where = text_at(r, "id");
        return;
    }
    if (!holds) {
        return;
    }
    verdict *made = find_verdict(st, text_at(produce, "verdict_type"));
    if (made) {
        made->present = true;
        made->payload = v;
    }
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "payload");
    print_value(st, w, mt_json_at(p, "type"), v);
    mt_jw_keyz(w, "provenance");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "facts_used");
    print_names(w, &st->facts_used);
    mt_jw_key_str(w, "rule", text_at(r, "id"));
    mt_jw_key_i64(w, "stratum", int_at(r, "stratum"));
    mt_jw_keyz(w, "verdicts_used");
    print_names(w, &st->verdicts_used);
    mt_jw_end_object(w);
    mt_jw_key_str(w, "type", text_at(produce, "verdict_type"));
    mt_jw_end_object(w);
}

/* §5.2: in the order of declaration. */
static bool assemble(state *st)
{
    const mt_json *all = mt_json_at(st->bundle, "constructs");
    for (uint32_t i = 0; i < count(all); i++) {
        const mt_json *c = &all->as.items[i];
        mt_str id = text_at(c, "id");
        const mt_json *given = mt_json_get(st->facts, id);
        if (!mt_str_is(text_at(c, "kind"), "Fact")) {
            continue;
        }
        if (given && !check(st, mt_json_at(c, "type"), given, id)) {
            return false;
        }
        if (!given && !mt_json_at(c, "default")) {
            return bad(st, "missing_fact", id);
        }
    }
    return true;
}

naive_result naive_evaluate(mt_arena *a, const mt_json *bundle, const mt_json *facts)
{
    state *st = mt_new(a, state);
    st->a = a;
    st->bundle = bundle;
    st->facts = facts;
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    const mt_json *all = mt_json_at(bundle, "constructs");
    if (assemble(st)) {
        mt_jw_begin_object(&w);
        mt_jw_keyz(&w, "verdicts");
        mt_jw_begin_array(&w);
        for (uint32_t i = 0; i < count(all); i++) {
            const mt_json *p =
                mt_json_at(mt_json_at(&all->as.items[i], "body"), "produce");
            if (p) {
                st->verdicts[st->verdict_count++].name = text_at(p, "verdict_type");
            }
        }
        for (int64_t n = 0; n < 16; n++) {
            for (uint32_t i = 0; i < count(all) && !st->fault; i++) {
                const mt_json *r = &all->as.items[i];
                if (mt_json_at(r, "body") && int_at(r, "stratum") == n) {
                    rule(st, r, &w);
                }
            }
        }
        mt_jw_end_array(&w);
        mt_jw_end_object(&w);
    }
    naive_result r = {st->fault, st->where, mt_str_dup(a, mt_buf_str(&out))};
    mt_buf_free(&out);
    return r;
}
