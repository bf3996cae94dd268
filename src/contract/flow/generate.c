/* contract/flow/generate.c - values for properties, from types and literals.
 *
 * A value is drawn in one of a few ways, one after the other in a table by how it is
 * held: an end of its range, a literal the contract compares with (or its neighbour,
 * where a comparison changes its mind), something small, anything. Literals are taken
 * only where they are values of the type.
 *
 * Simplifying is in place: a part is changed, `still` asked, and the change undone if
 * it will not do. Numbers go towards their target by steps that halve, so that a
 * threshold is found exactly; what has parts goes part by part.
 *
 * INVARIANT: whatever is made or simplified is a value of its type, so that facts
 * written from it are accepted. Lists have few elements and texts few characters,
 * unless the type allows few anyway. Nothing can fail. */
#include "contract/flow/generate.h"

#include "contract/wire/currency.h"

enum { MOST_ELEMENTS = 6, MOST_LETTERS = 12, WHOLE_TEXT = 64, MONEY_DIGITS = 10 };

/* splitmix64: good enough, and the same on every machine. */
static uint64_t next(ct_generator *g)
{
    uint64_t z = (g->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t ct_draw(ct_generator *g, uint64_t below)
{
    return next(g) % below;
}

static bool once_in(ct_generator *g, uint64_t n)
{
    return ct_draw(g, n) == 0;
}

/* ---- Literals ---- */

static void collect(mt_arena *a, ct_generator *g, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_LITERAL) {
        ct_hint hint = {e->type, e->value};
        mt_vec_push(a, &g->hints, hint);
    }
    collect(a, g, e->left);
    collect(a, g, e->right);
}

ct_generator ct_generator_new(mt_arena *a, const ct_model *m, uint64_t seed)
{
    ct_generator g = {.m = m, .state = seed};
    for (uint32_t i = 0; i < m->rule_count; i++) {
        collect(a, &g, m->rules[i].when);
        collect(a, &g, m->rules[i].payload);
    }
    for (uint32_t i = 0; i < m->condition_count; i++) {
        collect(a, &g, m->conditions[i]);
    }
    return g;
}

/* A literal that is held alike, from a random place on; NULL: there is none. */
static const ct_hint *some_hint(ct_generator *g, const ct_type *t)
{
    size_t start = g->hints.len ? (size_t)ct_draw(g, g->hints.len) : 0;
    for (size_t i = 0; i < g->hints.len; i++) {
        const ct_hint *h = &g->hints.items[(start + i) % g->hints.len];
        bool day = ct_is_day(h->type) == ct_is_day(t);
        if (ct_held(h->type) == ct_held(t) && day &&
            ct_has(h->type, LN_CURRENCY) == ct_has(t, LN_CURRENCY)) {
            return h;
        }
    }
    return NULL;
}

/* ---- Whole numbers ---- */

/* ORDER of a span: from least to most, both ends included. */
typedef struct span {
    int64_t least, most;
} span;

enum { FIRST_DAY = -719162, LAST_DAY = 2932896 }; /* 0001-01-01, 9999-12-31 */
enum { DAY_1990 = 7305, DAY_2040 = 25567, DAY_2000 = 10957 };

static span span_of(const ct_type *t)
{
    return ct_is_day(t) ? (span){FIRST_DAY, LAST_DAY}
                        : (span){t->as.range.min, t->as.range.max};
}

static int64_t within(span s, int64_t n)
{
    return n < s.least ? s.least : n > s.most ? s.most : n;
}

static int64_t anything(ct_generator *g, span s)
{
    uint64_t width = (uint64_t)s.most - (uint64_t)s.least;
    uint64_t at = width == UINT64_MAX ? next(g) : ct_draw(g, width + 1);
    return (int64_t)((uint64_t)s.least + at);
}

/* A literal and its neighbours: there a comparison changes its mind. */
static int64_t near_literal(ct_generator *g, const ct_type *t, span s)
{
    const ct_hint *h = some_hint(g, t);
    int64_t n = h ? h->value->integer : 0;
    int64_t aside = (int64_t)ct_draw(g, 3) - 1;
    bool room = n > INT64_MIN && n < INT64_MAX;
    return within(s, room ? n + aside : n);
}

static int64_t whole(ct_generator *g, const ct_type *t)
{
    span s = span_of(t);
    switch (ct_draw(g, 8)) {
    case 0: return s.least;
    case 1: return s.most;
    case 2: return within(s, 0);
    case 3:
    case 4: return near_literal(g, t, s);
    case 5: return within(s, (int64_t)ct_draw(g, 21) - 10);
    default: return anything(g, ct_is_day(t) ? (span){DAY_1990, DAY_2040} : s);
    }
}

/* ---- Decimals ---- */

/* Digits before and behind the point that a value may have. */
typedef struct digits {
    unsigned before, behind;
} digits;

static digits digits_of(const ct_type *t)
{
    if (ct_has(t, LN_CURRENCY)) {
        return (digits){MONEY_DIGITS, ct_currency_digits(t->as.currency)};
    }
    unsigned scale = t->as.decimal.scale, precision = t->as.decimal.precision;
    precision = precision > 28 ? 28 : precision;
    scale = scale > precision ? precision : scale;
    return (digits){precision - scale, scale};
}

static bool fits(const ct_type *t, mt_decimal d)
{
    digits n = digits_of(t);
    return ct_has(t, LN_CURRENCY) ? d.scale <= MT_DECIMAL_MAX_SCALE
                                  : mt_decimal_fits(d, n.before + n.behind, n.behind);
}

/* The number that these digits are, `behind` of them behind the point. */
static mt_decimal from_digits(const char *text, size_t len, unsigned behind, bool minus)
{
    char out[MT_DECIMAL_TEXT + 2];
    mt_decimal d = {0};
    size_t n = 0;
    out[n++] = '-';
    memcpy(out + n, text, len - behind);
    n += len - behind;
    if (behind) {
        out[n++] = '.';
        memcpy(out + n, text + len - behind, behind);
        n += behind;
    }
    mt_str whole_text = {out + !minus, n - !minus};
    return mt_decimal_parse(whole_text, &d) ? (mt_decimal){0} : d;
}

/* `count` random digits, or nines. */
static mt_decimal with_digits(ct_generator *g, digits n, unsigned count, bool nines)
{
    char text[MT_DECIMAL_TEXT];
    unsigned all = n.before + n.behind;
    all = all ? all : 1;
    for (unsigned i = 0; i < all; i++) {
        bool counts = i + count >= all;
        text[i] = (char)('0' + (!counts ? 0 : nines ? 9 : ct_draw(g, 10)));
    }
    unsigned behind = n.before + n.behind ? n.behind : 0;
    return from_digits(text, all, behind, once_in(g, 8));
}

static mt_decimal smallest(unsigned scale)
{
    return (mt_decimal){.lo = 1, .scale = (uint8_t)scale};
}

/* A literal, one smallest unit more, or less. */
static mt_decimal decimal_near_literal(ct_generator *g, const ct_type *t)
{
    const ct_hint *h = some_hint(g, t);
    mt_decimal d = h ? h->value->decimal : (mt_decimal){0};
    mt_decimal unit = smallest(digits_of(t).behind), aside = d;
    uint64_t way = ct_draw(g, 3);
    if (way && (way == 1 ? mt_decimal_add : mt_decimal_sub)(d, unit, &aside)) {
        aside = d;
    }
    return fits(t, aside) ? aside : (mt_decimal){0};
}

static mt_decimal decimal(ct_generator *g, const ct_type *t)
{
    digits n = digits_of(t);
    unsigned all = n.before + n.behind;
    mt_decimal d = {0};
    switch (ct_draw(g, 8)) {
    case 0: break;
    case 1: d = smallest(n.behind); break;
    case 2: d = with_digits(g, n, all, true); break;
    case 3:
    case 4:
    case 5: d = decimal_near_literal(g, t); break;
    default: d = with_digits(g, n, (unsigned)ct_draw(g, all + 1), false);
    }
    mt_decimal scaled;
    return !mt_decimal_rescale(d, n.behind, &scaled) && mt_decimal_cmp(scaled, d) == 0
               ? scaled
               : d;
}

/* ---- The rest ---- */

static mt_str letters(ct_generator *g, mt_arena *a, size_t count)
{
    char *text = mt_alloc(a, count + 1);
    for (size_t i = 0; i < count; i++) {
        text[i] = (char)('a' + ct_draw(g, 26));
    }
    return mt_str_from(text, count);
}

/* In characters: bytes are at least as many. */
static mt_str text(ct_generator *g, mt_arena *a, const ct_type *t)
{
    size_t most = t->as.max_length;
    const ct_hint *h = some_hint(g, t);
    switch (ct_draw(g, 6)) {
    case 0: return MT_STR("");
    case 1: return letters(g, a, most < WHOLE_TEXT ? most : WHOLE_TEXT);
    case 2: return most ? MT_STR("\xC3\xA9") : MT_STR("");
    case 3:
    case 4:
        if (h && h->value->text.len <= most) {
            return h->value->text;
        }
        return letters(g, a, most < 3 ? most : 3);
    default:
        most = most < MOST_LETTERS ? most : MOST_LETTERS;
        return letters(g, a, (size_t)ct_draw(g, most + 1));
    }
}

static ct_time moment(ct_generator *g, const ct_type *t)
{
    const ct_hint *h = once_in(g, 2) ? some_hint(g, t) : NULL;
    if (!h) {
        int64_t day = anything(g, (span){DAY_1990, DAY_2040});
        return (ct_time){.seconds = day * 86400 + (int64_t)ct_draw(g, 86400)};
    }
    ct_time at = h->value->time;
    ct_time aside = {at.seconds + (int64_t)ct_draw(g, 3) - 1, at.nanos};
    return ct_time_valid(aside) ? aside : at;
}

static void list(ct_generator *g, mt_arena *a, const ct_type *t, ct_value *out)
{
    const ct_type *element = t->as.list.element;
    size_t most = t->as.list.max < MOST_ELEMENTS ? t->as.list.max : MOST_ELEMENTS;
    size_t count = once_in(g, 4) ? most : (size_t)ct_draw(g, most + 1);
    ct_value *items = mt_new_array(a, ct_value, count * element->slots + 1);
    for (size_t i = 0; i < count; i++) {
        ct_generate(g, a, element, items + i * element->slots);
    }
    out->list.items = items;
    out->list.count = (uint32_t)count;
}

static void variant(ct_generator *g, mt_arena *a, const ct_type *t, uint32_t tag,
                    ct_value *out)
{
    const ct_type *of = t->as.variants[tag].type;
    ct_value *payload = mt_new_array(a, ct_value, of->slots + 1);
    ct_generate(g, a, of, payload);
    out->variant.payload = payload;
    out->variant.tag = tag;
}

void ct_generate(ct_generator *g, mt_arena *a, const ct_type *type, ct_value *out)
{
    switch (ct_held(type)) {
    case LN_BOOLEAN: out->boolean = once_in(g, 2); break;
    case LN_INTEGER: out->integer = whole(g, type); break;
    case LN_DECIMAL: out->decimal = decimal(g, type); break;
    case LN_TEXT: out->text = text(g, a, type); break;
    case LN_CHOICE: out->choice = (uint32_t)ct_draw(g, type->count); break;
    case LN_TIME: out->time = moment(g, type); break;
    case LN_RECORD:
        for (uint32_t i = 0; i < type->count; i++) {
            const ct_field *f = &type->as.fields[i];
            ct_generate(g, a, f->type, out + f->offset);
        }
        break;
    case LN_VARIANT: variant(g, a, type, (uint32_t)ct_draw(g, type->count), out); break;
    case LN_LIST: list(g, a, type, out); break;
    }
}
