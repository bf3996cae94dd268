/* connect/fit.c - shapes against types.
 *
 * cn_fits_with() is the judge: does a conversion, or none, give a value of the type? It
 * is asked when a review is applied, where a person may have written anything.
 * cn_fit_of() looks for a conversion by what names and notes say. It asks plain(), the
 * half of the judge for values as they are, but does not bring the conversions that it
 * makes before the judge: that is done when they are applied. Scores: 1000 as it is,
 * less for each thing that is assumed, so that of two equally good names the one that
 * needs less wins.
 *
 * Neither can fail; a shape that nothing is known of (CN_ANY) fits nothing, because a
 * proposal that nothing speaks for would only waste the reader's time. */
#include "connect/fit.h"

#include "base/form.h"
#include "base/json_write.h"

enum {
    EXACT = 1000,
    CONVERTED = 960, /* the document says so */
    ASSUMED = 850,   /* only names do, or nothing does */
    LOOSE = 700      /* the source may give values that the type has not */
};

/* ---- The judge ---- */

static const cn_shape *member(const cn_shape *s, mt_str name)
{
    for (size_t i = 0; i < s->member_count; i++) {
        if (mt_str_eq(s->members[i].name, name)) {
            return s->members[i].shape;
        }
    }
    return NULL;
}

static bool is_number(const cn_shape *s)
{
    return s && (s->kind == CN_WHOLE || s->kind == CN_REAL);
}

/* Types and shapes are nested alike; `depth`
 * is bounded by CN_MOST_SCHEMA, as shapes are. */
static bool plain(const cn_shape *s, const ct_type *t, int depth);

/* Each field of the record must be a member of the same name; members that the record
 * has not are not looked at. */
static bool is_record(const cn_shape *s, const ct_type *t, int depth)
{
    bool good = s->kind == CN_OBJECT && depth < CN_MOST_SCHEMA;
    for (uint32_t i = 0; good && i < t->count; i++) {
        const cn_shape *m = member(s, t->as.fields[i].name);
        good = m && plain(m, t->as.fields[i].type, depth + 1);
    }
    return good;
}

static bool is_currency(const cn_shape *s)
{
    return s && (s->kind == CN_TEXT || s->kind == CN_CHOICE);
}

/* A bare number is money, too: the currency is then the type's. `member()` of what is
 * not an object finds nothing, since only objects have members. */
static bool is_money(const cn_shape *s)
{
    return is_number(s) || mt_str_is(s->known, "Money") ||
           (s->kind == CN_OBJECT && is_number(member(s, MT_STR("amount"))) &&
            is_currency(member(s, MT_STR("currency"))));
}

/* Ranges that merely overlap fit: the check of each value refuses
 * what is outside. A number in JSON text needs {"number": true},
 * except from a column, where the adapter reads the text. */
static bool whole_fits(const cn_shape *s, const ct_type *t)
{
    bool apart =
        s->has_range && (s->least > t->as.range.max || s->most < t->as.range.min);
    return s->kind == CN_WHOLE && (!s->as_text || s->from_text) && !apart;
}

/* One word in common is enough to fit; how good that is, look_choice() says. */
static bool choice_fits(const cn_shape *s, const ct_type *t)
{
    bool any = s->kind == CN_TEXT;
    for (size_t i = 0; s->kind == CN_CHOICE && i < s->choice_count; i++) {
        any |= ct_choice_find(t, s->choices[i]) != CT_NONE;
    }
    return any;
}

static bool is_scalar(const cn_shape *s)
{
    return s->kind != CN_OBJECT && s->kind != CN_LIST && s->kind != CN_ANY;
}

/* As it is, by nothing but what adapters do for every value. */
static bool plain(const cn_shape *s, const ct_type *t, int depth)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: return s->kind == CN_BOOL || (s->from_text && s->kind == CN_WHOLE);
    case LN_INTEGER:
        if (ct_has(t, LN_UNIT)) {
            return whole_fits(s, t) || mt_str_is(s->known, "Duration");
        }
        return ct_is_day(t) ? s->kind == CN_DATE || mt_str_is(s->known, "Date")
                            : whole_fits(s, t);
    case LN_DECIMAL:
        return ct_has(t, LN_CURRENCY) ? is_money(s)
                                      : is_number(s) || mt_str_is(s->known, "Decimal");
    case LN_TEXT:
        return is_scalar(s) &&
               (s->from_text || (s->kind != CN_BOOL && (!is_number(s) || s->as_text)));
    case LN_CHOICE: return choice_fits(s, t);
    case LN_TIME: return s->kind == CN_MOMENT || (s->kind == CN_LOCAL && s->from_text);
    case LN_RECORD: return is_record(s, t, depth);
    case LN_LIST:
        return s->kind == CN_LIST && s->element && depth < CN_MOST_SCHEMA &&
               plain(s->element, t->as.list.element, depth + 1);
    case LN_VARIANT: return false;
    }
    return false;
}

/* What `values` maps to must be a value of the type, as JSON writes it. Moments and
 * what is composed cannot be named by a word. */
static bool value_fits(const mt_json *v, const ct_type *t)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: return mt_json_is(v, MT_JSON_BOOL);
    case LN_CHOICE: return ct_choice_find(t, mt_json_text(v)) != CT_NONE;
    case LN_TEXT: return mt_json_is(v, MT_JSON_STRING);
    case LN_INTEGER:
    case LN_DECIMAL: return mt_json_is(v, MT_JSON_NUMBER);
    case LN_TIME:
    case LN_RECORD:
    case LN_LIST:
    case LN_VARIANT: return false;
    }
    return false;
}

static bool values_fit(const cn_shape *s, const ct_type *t, const mt_json *values)
{
    bool good = is_scalar(s) && values->count > 0;
    for (uint32_t i = 0; good && i < values->count; i++) {
        good = value_fits(&values->as.members[i].value, t);
    }
    return good;
}

/* {"money": {"amount": "netCents", "currency": "ccy"}} names members of the shape. */
static bool money_fits(const cn_shape *s, const ct_type *t, const mt_json *money)
{
    return ct_has(t, LN_CURRENCY) && s->kind == CN_OBJECT &&
           is_number(member(s, mt_text_at(money, "amount"))) &&
           is_currency(member(s, mt_text_at(money, "currency")));
}

/* One step of `convert`; the amount of money is shifted inside it. */
static bool step_fits(const cn_shape *s, const ct_type *t, const mt_json_member *step,
                      bool money)
{
    bool number = is_number(s) || money;
    if (mt_str_is(step->key, "money")) {
        return money_fits(s, t, &step->value);
    }
    if (mt_str_is(step->key, "values")) {
        return mt_json_is(&step->value, MT_JSON_OBJECT) &&
               values_fit(s, t, &step->value);
    }
    if (mt_str_is(step->key, "epoch")) {
        return is_number(s) && (ct_held(t) == LN_TIME || ct_is_day(t));
    }
    if (mt_str_is(step->key, "unit")) {
        bool iso = mt_str_is(mt_json_text(&step->value), "iso8601");
        return ct_has(t, LN_UNIT) &&
               (iso ? s->kind == CN_SPAN || s->kind == CN_TEXT : s->kind == CN_WHOLE);
    }
    if (mt_str_is(step->key, "shift")) {
        return number && (ct_held(t) == LN_DECIMAL || ct_is_int(t));
    }
    if (mt_str_is(step->key, "number")) {
        return (s->kind == CN_TEXT || (is_number(s) && s->as_text)) &&
               (ct_held(t) == LN_DECIMAL || ct_is_int(t) || ct_has(t, LN_UNIT));
    }
    return false;
}

/* Every step has to fit; an empty `convert` is refused, as it can only be a slip. */
bool cn_fits_with(const cn_shape *s, const ct_type *type, const mt_json *convert,
                  mt_buf *why)
{
    bool money = mt_json_at(convert, "money") != NULL;
    bool good = convert ? mt_json_is(convert, MT_JSON_OBJECT) && convert->count > 0
                        : plain(s, type, 0);
    for (uint32_t i = 0; good && convert && i < convert->count; i++) {
        good = step_fits(s, type, &convert->as.members[i], money);
    }
    if (!good) {
        mt_buf_addf(why, "%s%s does not give the fact's type", CN_KIND_NAMES[s->kind],
                    convert ? " with this conversion" : "");
    }
    return good;
}

/* ---- Looking for a conversion ---- */

/* One search. `fit` is what was found so far;
 * until found() was called it says why nothing is. */
typedef struct looking {
    mt_arena *arena;
    const cn_place *place;
    const cn_shape *shape;
    const cn_words *words; /* of the name */
    cn_words notes;        /* of what the document says */
    const ct_type *type;
    cn_fit fit;
} looking;

/* Does the name or the note have one of these words?
 * They are whole words: `ms` is not found in `items`. */
static bool says(const looking *l, const char *const *list)
{
    for (; *list; list++) {
        if (cn_words_have(l->words, *list) || cn_words_have(&l->notes, *list)) {
            return true;
        }
    }
    return false;
}

static void found(looking *l, unsigned score, mt_str convert, const char *because)
{
    l->fit = (cn_fit){score, convert, mt_str_z(because)};
}

/* Two decimals are meant, as all these words do for the currencies that have cents. Yen
 * and dinar are not known here; the reader of the review sees the shift. */
static bool is_minor(const looking *l)
{
    static const char *const MINOR[] = {"cents",   "cent",  "pence",
                                        "pennies", "minor", NULL};
    return says(l, MINOR);
}

/* Which of the members is the amount, which the currency. */
static const cn_member *member_like(const cn_shape *s, const char *const *words)
{
    for (; *words; words++) {
        for (size_t i = 0; i < s->member_count; i++) {
            mt_str name = s->members[i].name;
            if (name.len == strlen(*words) &&
                !strncasecmp(name.ptr, *words, name.len)) {
                return &s->members[i];
            }
        }
    }
    return NULL;
}

/* {"value": 1999, "ccy": "EUR"}: an object that is money under other names. The more
 * telling names come first in both lists. Minor units are looked for in the amount's
 * own name and note, not in those of the object around it. */
static void look_composite(looking *l)
{
    static const char *const AMOUNTS[] = {
        "amount",       "value",      "total",       "amountCents",
        "amount_cents", "valueCents", "value_cents", "amountMinor",
        "amount_minor", "minorUnits", "minor_units", "cents",
        "units",        "number",     "sum",         NULL};
    static const char *const CURRENCIES[] = {
        "currency", "currencyCode", "currency_code", "ccy", "code", "unit", NULL};
    const cn_member *amount = member_like(l->shape, AMOUNTS);
    const cn_member *currency = member_like(l->shape, CURRENCIES);
    if (!amount || !currency || !is_number(amount->shape) ||
        !is_currency(currency->shape)) {
        return;
    }
    cn_words words = {0};
    cn_words_add(l->arena, &words, amount->name);
    looking inside = *l;
    inside.words = &words;
    inside.notes = (cn_words){0};
    cn_words_add(l->arena, &inside.notes, amount->note);
    bool minor = amount->shape->kind == CN_WHOLE && is_minor(&inside);
    bool named =
        mt_str_is(amount->name, "amount") && mt_str_is(currency->name, "currency");
    if (named && !minor) {
        found(l, EXACT, (mt_str){0}, "an amount with its currency");
        return;
    }
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"money\":{\"amount\":");
    mt_json_quote(&b, amount->name);
    mt_buf_addz(&b, ",\"currency\":");
    mt_json_quote(&b, currency->name);
    mt_buf_addz(&b, minor ? "},\"shift\":-2}" : "}}");
    found(l, CONVERTED, mt_str_dup(l->arena, mt_buf_str(&b)),
          minor ? "an amount in minor units with its currency"
                : "an amount with its currency, under other names");
    mt_buf_free(&b);
}

/* The order matters: `total_cents` fits a Decimal as it is, too,
 * and would be a hundred times too much. An Int keeps minor units,
 * because an author who counts cents in an Int means them. A bare
 * number for Money scores less, since the currency is assumed. */
static void look_number(looking *l)
{
    const cn_shape *s = l->shape;
    bool money = ct_has(l->type, LN_CURRENCY);
    if (money && s->kind == CN_OBJECT && !s->known.len) {
        look_composite(l);
    } else if (s->kind == CN_WHOLE && is_minor(l) && !ct_is_int(l->type)) {
        found(l, CONVERTED, MT_STR("{\"shift\":-2}"),
              "minor units, so the point is moved by two");
    } else if (s->kind == CN_WHOLE && s->as_text && !s->from_text &&
               ct_is_int(l->type)) {
        found(l, CONVERTED, MT_STR("{\"number\":true}"),
              "a whole number written as text");
    } else if (plain(s, l->type, 0)) {
        found(l, money && is_number(s) ? ASSUMED + 100 : EXACT, (mt_str){0},
              money && is_number(s) ? "an amount; its currency is the fact's"
                                    : "a number");
    }
}

/* Whole numbers are moments only if a word says so: any count
 * would fit otherwise. Seconds are assumed more often than
 * said (`created_at`), so they score less than milliseconds. */
static void look_time(looking *l)
{
    static const char *const MS[] = {"ms",          "millis", "milliseconds",
                                     "millisecond", "msec",   NULL};
    static const char *const EPOCH[] = {"epoch", "unix", "timestamp", "ts",  "at",
                                        "time",  "1970", "seconds",   "sec", NULL};
    if (plain(l->shape, l->type, 0)) {
        bool local = l->shape->kind == CN_LOCAL;
        found(l, local ? ASSUMED : EXACT, (mt_str){0},
              local ? "a moment without a zone, taken as UTC" : "a moment or a day");
    } else if (l->shape->kind == CN_WHOLE && says(l, MS)) {
        found(l, CONVERTED, MT_STR("{\"epoch\":\"milliseconds\"}"),
              "milliseconds since 1970");
    } else if (l->shape->kind == CN_WHOLE && says(l, EPOCH)) {
        found(l, ASSUMED, MT_STR("{\"epoch\":\"seconds\"}"), "seconds since 1970");
    }
}

/* A unit in the name or the note wins over the assumption that it is the fact's. The
 * first row that matches counts; `min` stands in minutes although it may mean a least
 * value, which the reader of the review sees in `because`. */
static void look_span(looking *l)
{
    static const struct {
        const char *unit;
        const char *const words[6];
    } UNITS[] = {
        {"milliseconds", {"ms", "millis", "milliseconds", "millisecond", "msec", NULL}},
        {"seconds", {"seconds", "second", "secs", "sec", "s", NULL}},
        {"minutes", {"minutes", "minute", "mins", "min", NULL}},
        {"hours", {"hours", "hour", "hrs", "hr", "h", NULL}},
        {"days", {"days", "day", "d", NULL}},
    };
    if (l->shape->kind == CN_SPAN) {
        found(l, CONVERTED, MT_STR("{\"unit\":\"iso8601\"}"), "an ISO 8601 duration");
        return;
    }
    if (!plain(l->shape, l->type, 0)) {
        return;
    }
    found(l, mt_str_is(l->shape->known, "Duration") ? EXACT : ASSUMED, (mt_str){0},
          mt_str_is(l->shape->known, "Duration")
              ? "a duration"
              : "a number, taken to be in the fact's "
                "unit");
    for (size_t i = 0; !l->shape->known.len && i < sizeof UNITS / sizeof *UNITS; i++) {
        if (!says(l, UNITS[i].words)) {
            continue;
        }
        bool same = !strcmp(UNITS[i].unit, CT_UNIT_NAMES[l->type->unit]);
        found(l, same ? EXACT : CONVERTED - 40,
              same ? (mt_str){0}
                   : mt_strf(l->arena, "{\"unit\":\"%s\"}", UNITS[i].unit),
              same ? "in the fact's unit" : "in another unit");
        return;
    }
}

/* ---- Words of enums ---- */

/* What all of them begin with says nothing: STATUS_ACTIVE, STATUS_FROZEN. */
static size_t common_words(mt_arena *a, const cn_shape *s)
{
    size_t common = 0;
    for (bool same = s->choice_count > 1; same;) {
        mt_str first = {0};
        for (size_t i = 0; same && i < s->choice_count; i++) {
            cn_words w = {0};
            cn_words_add(a, &w, s->choices[i]);
            same = w.len > common + 1 && (!i || mt_str_eq(w.items[common].text, first));
            first = same && !i ? w.items[common].text : first;
        }
        common += same;
    }
    return common;
}

/* Both ways, and the worse counts: `partly_paid` covers `paid`, but not the other way
 * round. `skip` words of theirs are the prefix that all of them have. */
static unsigned word_score(mt_arena *a, mt_str theirs, size_t skip, mt_str ours)
{
    cn_words x = {0}, y = {0};
    cn_words_add(a, &x, theirs);
    cn_words_add(a, &y, ours);
    x.items += skip;
    x.len -= skip < x.len ? skip : x.len;
    unsigned one = cn_covered(&x, &y), other = cn_covered(&y, &x);
    return one < other ? one : other;
}

/* Protocol Buffers want a first value that means nothing (ORDER_STATUS_UNSPECIFIED);
 * that the fact has no word for it does not count against the place. */
static bool says_nothing(mt_str word)
{
    static const char *const NOTHING[] = {"unspecified", "unknown", "undefined",
                                          "invalid",     "none",    "unset"};
    for (size_t i = 0; i < sizeof NOTHING / sizeof *NOTHING; i++) {
        size_t len = strlen(NOTHING[i]);
        if (word.len >= len &&
            !strncasecmp(word.ptr + word.len - len, NOTHING[i], len)) {
            return true;
        }
    }
    return false;
}

/* Their words for ours, the best for each; 700 or more is the same word.
 * `share` is how many of theirs have a word of ours, `reached` how many
 * of ours are met; the smaller one counts, and below two fifths they are
 * different enums. With `{"values": …}` the words without a counterpart
 * are not mapped, so such a value is refused when it comes, not guessed. */
static void look_choice(looking *l)
{
    enum { SAME_WORD = 700 };
    const cn_shape *s = l->shape;
    size_t skip = common_words(l->arena, s), mapped = 0, telling = 0, exact = 0,
           ours = 0;
    bool *used = mt_new_array(l->arena, bool, l->type->count + 1);
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"values\":{");
    for (size_t i = 0; i < s->choice_count; i++) {
        uint32_t best = CT_NONE;
        unsigned best_score = SAME_WORD - 1;
        for (uint32_t k = 0; k < l->type->count; k++) {
            mt_str own = l->type->as.values[k];
            unsigned score = mt_str_eq(s->choices[i], own)
                                 ? 2000
                                 : word_score(l->arena, s->choices[i], skip, own);
            if (score > best_score) {
                best_score = score;
                best = k;
            }
        }
        telling += !says_nothing(s->choices[i]) || best != CT_NONE;
        if (best == CT_NONE) {
            continue;
        }
        mt_buf_addz(&b, mapped ? "," : "");
        mt_json_quote(&b, s->choices[i]);
        mt_buf_addc(&b, ':');
        mt_json_quote(&b, l->type->as.values[best]);
        mapped++;
        exact += best_score == 2000;
        ours += !used[best];
        used[best] = true;
    }
    mt_buf_addz(&b, "}}");
    unsigned share = telling ? (unsigned)(mapped * 1000 / telling) : 0;
    unsigned reached = (unsigned)(ours * 1000 / l->type->count);
    unsigned overlap = share < reached ? share : reached;
    if (mapped && overlap >= 400) {
        bool same = exact == mapped && mapped == telling;
        found(l, same ? EXACT : LOOSE + overlap * (CONVERTED - LOOSE) / 1000,
              exact == mapped ? (mt_str){0} : mt_str_dup(l->arena, mt_buf_str(&b)),
              same ? "the same words"
              : mapped == telling
                  ? "other words for the same"
                  : "some of the words have no counterpart in the fact");
    } else {
        l->fit.because = MT_STR("its words are others than the fact's");
    }
    mt_buf_free(&b);
}

/* 'Y' and 'N', 'on' and 'off': an enum of exactly two words, one for each. A column of
 * whole numbers needs no conversion: the adapter reads 0 and 1 as Bool. */
static void look_truth(looking *l)
{
    static const char *const YES[] = {"y", "yes", "true", "t", "on", "1", "enabled"};
    static const char *const NO[] = {"n", "no", "false", "f", "off", "0", "disabled"};
    const cn_shape *s = l->shape;
    size_t yeses = 0, noes = 0;
    mt_buf b = {0};
    if (plain(s, l->type, 0)) {
        found(l, s->kind == CN_BOOL ? EXACT : ASSUMED, (mt_str){0},
              s->kind == CN_BOOL ? "true or false" : "0 and 1");
        return;
    }
    mt_buf_addz(&b, "{\"values\":{");
    for (size_t i = 0; s->kind == CN_CHOICE && i < s->choice_count; i++) {
        for (size_t k = 0; k < sizeof YES / sizeof *YES; k++) {
            bool yes = !strncasecmp(YES[k], s->choices[i].ptr, s->choices[i].len) &&
                       strlen(YES[k]) == s->choices[i].len;
            bool no = !strncasecmp(NO[k], s->choices[i].ptr, s->choices[i].len) &&
                      strlen(NO[k]) == s->choices[i].len;
            if (yes || no) {
                mt_buf_addz(&b, yeses + noes ? "," : "");
                mt_json_quote(&b, s->choices[i]);
                mt_buf_addz(&b, yes ? ":true" : ":false");
                yeses += yes;
                noes += no;
            }
        }
    }
    mt_buf_addz(&b, "}}");
    if (yeses == 1 && noes == 1 && s->choice_count == 2) {
        found(l, CONVERTED, mt_str_dup(l->arena, mt_buf_str(&b)),
              "two words for yes and no");
    }
    mt_buf_free(&b);
}

/* Text, lists, records, and text for an enum: only as they
 * are. A number or a moment as text is allowed, but scores
 * little: the fact's author probably meant another place. */
static void look_rest(looking *l)
{
    if (!plain(l->shape, l->type, 0)) {
        return;
    }
    bool text = ct_held(l->type) == LN_TEXT;
    bool odd = text && l->shape->kind != CN_TEXT && l->shape->kind != CN_CHOICE;
    bool longer = text && l->shape->max_length > l->type->as.max_length;
    bool loose = ct_held(l->type) == LN_CHOICE;
    found(l,
          odd || loose ? LOOSE
          : longer     ? ASSUMED + 100
                       : EXACT,
          (mt_str){0},
          loose    ? "any text, of which only the fact's words pass"
          : odd    ? "its notation as text"
          : longer ? "text that may be longer than the fact's"
                   : "the same kind of value");
}

/* By the fact's type, the particular kinds first: a Duration
 * and a Date are held as whole numbers, too. Without a find
 * the score is 0 and `because` says which kind of value it is. */
cn_fit cn_fit_of(mt_arena *a, const cn_place *p, const cn_words *words,
                 const ct_type *type)
{
    looking l = {
        .arena = a, .place = p, .shape = p->shape, .words = words, .type = type};
    cn_words_add(a, &l.notes, p->note);
    l.fit.because =
        mt_strf(a, "%s cannot be the fact's type", CN_KIND_NAMES[p->shape->kind]);
    if (ct_held(type) == LN_BOOLEAN) {
        look_truth(&l);
    } else if (ct_has(type, LN_UNIT)) {
        look_span(&l);
    } else if (ct_held(type) == LN_TIME || ct_is_day(type)) {
        look_time(&l);
    } else if (ct_held(type) == LN_DECIMAL || ct_is_int(type)) {
        look_number(&l);
    } else if (ct_held(type) == LN_CHOICE && p->shape->kind == CN_CHOICE) {
        look_choice(&l);
    } else {
        look_rest(&l);
    }
    return l.fit;
}
