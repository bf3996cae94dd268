/* graph/adapter_window.c - the windows an adapter declares.
 *
 * A window is a derived key (graph/window.h). Its name is one that nothing else has, so
 * that no event and no write can pretend to be it; what it looks at is a number or a
 * text that events have; and what it is told besides (over, lateness, q, ...) is within
 * bounds and means something for what it takes. All faults are reported, rules WIN-1 to
 * WIN-4. */
#include "graph/adapter_window.h"

#include "base/duration.h"
#include "base/nearest.h"
#include "base/number.h"

/* A window by time keeps every event of its span, and nobody knows how many come:
 * `most` bounds it, with KEPT_UNLESS_SAID where the author did not think of it. */
enum { EVENTS_MOST = 1000000, TEXTS_MOST = 1000, KEPT_UNLESS_SAID = 100000 };
#define SPAN_MOST_MS ((uint64_t)3660 * 24 * 3600 * 1000)

static const mt_form_row ROWS[] = {
    MT_FORM_PLACE(gr_window_draft, at),
    MT_FORM_TEXT(gr_window_draft, name, "name", MT_FORM_REQUIRED),
    MT_FORM_TEXT(gr_window_draft, of, "of", MT_FORM_NULLABLE),
    MT_FORM_TEXT(gr_window_draft, take, "take", MT_FORM_REQUIRED),
    MT_FORM_ANY(gr_window_draft, over, "over", MT_FORM_NULLABLE),
    MT_FORM_ANY(gr_window_draft, lateness, "lateness", MT_FORM_NULLABLE),
    MT_FORM_ANY(gr_window_draft, most, "most", MT_FORM_NULLABLE),
    MT_FORM_ANY(gr_window_draft, back, "back", MT_FORM_NULLABLE),
    MT_FORM_ANY(gr_window_draft, alpha, "alpha", MT_FORM_NULLABLE),
    MT_FORM_ANY(gr_window_draft, q, "q", MT_FORM_NULLABLE),
    MT_FORM_TEXT(gr_window_draft, text, "text", MT_FORM_NULLABLE),
    MT_FORM_STRS(gr_window_draft, texts, text_count, "texts", TEXTS_MOST,
                 MT_FORM_NULLABLE),
    MT_FORM_NOTE("description"),
};
const mt_form_table GR_WINDOW_TABLE =
    MT_FORM_TABLE("a window", ROWS, gr_window_draft, NULL);

typedef struct settler {
    gr_adapter *ad;
    const gr_subject *s;
    const gr_window_draft *draft;
    gr_window_decl *list, *out; /* all of them, and the one of this draft */
    bool ok;
} settler;

#define BREAK(c, rule, fix, ...)                                                       \
    ((c)->ok = gr_report((c)->s, (rule), (c)->draft->at, MT_STR("$.windows"), (fix),   \
                         __VA_ARGS__))

/* The type a key has in the context; GR_NONE: no event and no context key has it. */
static gr_type type_of_key(const gr_adapter *ad, mt_str name)
{
    const gr_context_key *k = gr_adapter_key(ad, name);
    for (uint32_t i = 0; !k && i < ad->event_count; i++) {
        const mt_json *p =
            mt_json_get(mt_json_at(ad->events[i].source, "properties"), name);
        if (p) {
            return gr_schema_type(p, false);
        }
    }
    return k ? k->type : GR_NONE;
}

static void check_name(settler *c, uint32_t before)
{
    mt_str name = c->draft->name;
    bool taken = !name.len || name.ptr[0] == '$' || type_of_key(c->ad, name) != GR_NONE;
    for (uint32_t i = 0; i < before; i++) {
        taken = taken || mt_str_eq(c->list[i].name, name);
    }
    if (taken) {
        BREAK(c, "WIN-1", "give the window a name of its own",
              "a context key, an event or another window has the name \"%.*s\" already",
              MT_ARG(name));
    }
}

static mt_str nearest_take(mt_str word)
{
    mt_nearest n = mt_nearest_to(word);
    for (int i = 0; i < GR_TAKE_COUNT_ALL; i++) {
        mt_nearest_offer(&n, mt_str_z(gr_take_name((gr_take)i)));
    }
    return n.best;
}

static void check_take(settler *c)
{
    mt_str word = c->draft->take;
    if (!gr_take_parse(word, &c->out->take)) {
        mt_str near = nearest_take(word);
        BREAK(c, "WIN-2",
              "take lag, ema, count, rate, sum, mean, variance, deviation, min, max, "
              "quantile, equals or in",
              "window \"%.*s\" takes \"%.*s\"%s%.*s%s", MT_ARG(c->draft->name),
              MT_ARG(word), near.len ? "; did you mean \"" : "", MT_ARG(near),
              near.len ? "\"?" : "");
    }
}

static void check_of(settler *c)
{
    mt_str of = c->draft->of;
    gr_take take = c->out->take;
    bool counts = take == GR_TAKE_COUNT || take == GR_TAKE_RATE;
    gr_type wanted = gr_take_type(take) == GR_BOOL ? GR_STRING : GR_NUMBER;
    gr_type is = of.len ? type_of_key(c->ad, of) : GR_NONE;
    if (!of.len && !counts) {
        BREAK(c, "WIN-3", "say `of: KEY`", "window \"%.*s\" looks at nothing",
              MT_ARG(c->draft->name));
    } else if (of.len && is != wanted) {
        BREAK(c, "WIN-3", "name a number of an event (text for equals and in)",
              "window \"%.*s\" looks at \"%.*s\", which is not a %s of an event or a "
              "context key",
              MT_ARG(c->draft->name), MT_ARG(of),
              wanted == GR_STRING ? "String" : "Number");
    }
}

/* ---- What it is told besides ---- */

static void misused(settler *c, const char *key, const char *why)
{
    BREAK(c, "WIN-4", "see docs/reference/graphs.md for what windows are told",
          "window \"%.*s\": `%s` %s", MT_ARG(c->draft->name), key, why);
}

/* A whole number from 1 to EVENTS_MOST; `unless_said` when it is absent. */
static uint32_t whole(settler *c, const mt_json *node, const char *key,
                      uint32_t unless_said)
{
    int64_t n;
    if (!node) {
        return unless_said;
    }
    if (mt_json_i64(node, &n) || n < 1 || n > EVENTS_MOST) {
        misused(c, key, "must be a whole number from 1 to 1000000");
        return unless_said;
    }
    return (uint32_t)n;
}

static uint64_t span(settler *c, const mt_json *node, const char *key, uint64_t least)
{
    uint64_t ms = 0;
    if (node && (!mt_json_is(node, MT_JSON_STRING) ||
                 mt_duration_parse(mt_json_text(node), &ms) || ms < least ||
                 ms > SPAN_MOST_MS)) {
        misused(c, key, "must be a time such as 500ms, 10s or 5m, at most ten years");
    }
    return ms;
}

/* A number from 0 to 1. */
static double part(settler *c, const mt_json *node, const char *key, bool not_zero)
{
    double x = 0;
    if (!mt_json_is(node, MT_JSON_NUMBER) || mt_number_parse(mt_json_text(node), &x) ||
        !(x >= 0 && x <= 1) || (not_zero && x == 0)) {
        misused(c, key,
                not_zero ? "must be a number above 0, at most 1"
                         : "must be a number from 0 to 1");
    }
    return x;
}

/* By count when it is a number, by time when it is text. */
static void check_over(settler *c)
{
    const gr_window_draft *d = c->draft;
    bool by_count = mt_json_is(d->over, MT_JSON_NUMBER);
    c->out->events = by_count ? whole(c, d->over, "over", 1) : 0;
    c->out->span_ms = by_count ? 0 : span(c, d->over, "over", 1);
    c->out->lateness_ms = span(c, d->lateness, "lateness", 0);
    c->out->most = whole(c, d->most, "most", KEPT_UNLESS_SAID);
    if (!d->over) {
        misused(c, "over", "must say how many events or how much time");
    } else if (by_count && c->out->take == GR_TAKE_RATE) {
        misused(c, "over", "of a rate is a time");
    } else if (by_count && (d->lateness || d->most)) {
        misused(c, d->lateness ? "lateness" : "most", "is for windows by time");
    }
}

static void check_texts(settler *c)
{
    const gr_window_draft *d = c->draft;
    bool equals = c->out->take == GR_TAKE_EQUALS;
    bool given = equals ? d->text.ptr != NULL : d->text_count > 0;
    if (!given) {
        misused(c, equals ? "text" : "texts",
                "must say what the text is compared with");
        return;
    }
    c->out->texts = equals ? &d->text : d->texts;
    c->out->text_count = equals ? 1 : d->text_count;
}

/* What is said and does not belong to what is taken would be believed by its author. */
static void check_strangers(settler *c)
{
    const gr_window_draft *d = c->draft;
    gr_take take = c->out->take;
    bool texts = gr_take_type(take) == GR_BOOL;
    bool ranged = !texts && take != GR_TAKE_LAG && take != GR_TAKE_EMA;
    const struct {
        const char *key;
        bool given, fits;
    } KEYS[] = {
        {"over", d->over != NULL, ranged},
        {"lateness", d->lateness != NULL, ranged},
        {"most", d->most != NULL, ranged},
        {"back", d->back != NULL, take == GR_TAKE_LAG},
        {"alpha", d->alpha != NULL, take == GR_TAKE_EMA},
        {"q", d->q != NULL, take == GR_TAKE_QUANTILE},
        {"text", d->text.ptr != NULL, take == GR_TAKE_EQUALS},
        {"texts", d->texts != NULL, take == GR_TAKE_IN},
    };
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (KEYS[i].given && !KEYS[i].fits) {
            misused(c, KEYS[i].key, "means nothing for what it takes");
        }
    }
}

static void check_told(settler *c)
{
    const gr_window_draft *d = c->draft;
    check_strangers(c);
    switch (c->out->take) {
    case GR_TAKE_LAG: c->out->back = whole(c, d->back, "back", 1); break;
    case GR_TAKE_EMA: c->out->alpha = part(c, d->alpha, "alpha", true); break;
    case GR_TAKE_EQUALS:
    case GR_TAKE_IN: check_texts(c); break;
    case GR_TAKE_QUANTILE:
        c->out->q = part(c, d->q, "q", false);
        check_over(c);
        break;
    case GR_TAKE_COUNT:
    case GR_TAKE_RATE:
    case GR_TAKE_SUM:
    case GR_TAKE_MEAN:
    case GR_TAKE_VARIANCE:
    case GR_TAKE_DEVIATION:
    case GR_TAKE_MIN:
    case GR_TAKE_MAX: check_over(c); break;
    }
}

bool gr_windows_settle(gr_adapter *ad, const gr_window_draft *drafts, uint32_t count,
                       const gr_subject *s)
{
    gr_window_decl *list = mt_new_array(&ad->arena, gr_window_decl, count);
    settler c = {.ad = ad, .s = s, .list = list, .ok = true};
    for (uint32_t i = 0; i < count; i++) {
        /* Without a good name and take the rest would only tell consequences. */
        size_t errors = s->ds->errors;
        c.draft = &drafts[i];
        c.out = &list[i];
        *c.out = (gr_window_decl){
            .name = drafts[i].name, .of = drafts[i].of, .at = drafts[i].at};
        check_name(&c, i);
        check_take(&c);
        if (s->ds->errors == errors) {
            check_of(&c);
            check_told(&c);
        }
    }
    /* Also when there were faults: the adapter is refused, and others count on the
     * list. */
    ad->windows = list;
    ad->window_count = count;
    return c.ok;
}
