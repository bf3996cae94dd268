/* graph/window.c - windows over numbers.
 *
 * The numbers of a window stand in a ring, in order of time and then of arrival. What
 * is asked is kept beside it while numbers come and go: an exact sum (exact.h), exact
 * sums of squares, numbers in order (ranks.h), or for an extreme the candidates: those
 * that no later number beats, again in order of time, so that the first is the answer.
 *
 * INVARIANT: what a window says is a function of the numbers in it (an average that
 * decays: of all there have been), never of those that left or of the order in which
 * late ones came. Nothing can fail but reading a saved one back. */
#include "graph/window.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "graph/exact.h"
#include "graph/ranks.h"

typedef struct sample {
    gr_time at;
    double x;
    uint64_t number; /* of its arrival: tells equal ones apart */
} sample;

/* A ring whose room is a power of two. */
typedef struct samples {
    sample *items;
    uint32_t room, first, len;
} samples;

struct gr_window {
    const gr_window_decl *decl;
    samples ring, best; /* `best`: candidates for an extreme */
    gr_sum *sum;        /* NULL: not asked for */
    gr_squares *squares;
    gr_ranks ranks;
    uint64_t arrived;
    gr_time now; /* the latest event time seen */
    double average;
    bool averaged; /* there is an average */
};

/* ---- Names ---- */

static const char *const NAMES[] = {
    [GR_TAKE_LAG] = "lag",
    [GR_TAKE_EMA] = "ema",
    [GR_TAKE_COUNT] = "count",
    [GR_TAKE_RATE] = "rate",
    [GR_TAKE_SUM] = "sum",
    [GR_TAKE_MEAN] = "mean",
    [GR_TAKE_VARIANCE] = "variance",
    [GR_TAKE_DEVIATION] = "deviation",
    [GR_TAKE_MIN] = "min",
    [GR_TAKE_MAX] = "max",
    [GR_TAKE_QUANTILE] = "quantile",
    [GR_TAKE_EQUALS] = "equals",
    [GR_TAKE_IN] = "in",
};
MT_TABLE_COVERS(NAMES, GR_TAKE_COUNT_ALL);

const char *gr_take_name(gr_take take)
{
    return NAMES[take];
}

bool gr_take_parse(mt_str name, gr_take *out)
{
    for (int i = 0; i < GR_TAKE_COUNT_ALL; i++) {
        if (mt_str_eq(name, mt_str_z(NAMES[i]))) {
            *out = (gr_take)i;
            return true;
        }
    }
    return false;
}

gr_type gr_take_type(gr_take take)
{
    return take == GR_TAKE_EQUALS || take == GR_TAKE_IN ? GR_BOOL : GR_NUMBER;
}

bool gr_window_text(const gr_window_decl *decl, mt_str text)
{
    for (uint32_t i = 0; i < decl->text_count; i++) {
        if (mt_str_eq(decl->texts[i], text)) {
            return true;
        }
    }
    return false;
}

/* ---- Rings ---- */

static sample *at(const samples *s, uint32_t i)
{
    return &s->items[(s->first + i) & (s->room - 1)];
}

static void make_room(samples *s)
{
    if (s->len < s->room) {
        return;
    }
    uint32_t room = s->room ? s->room * 2 : 4;
    sample *items = mt_xmalloc(mt_array_bytes(room, sizeof *items));
    for (uint32_t i = 0; i < s->len; i++) {
        items[i] = *at(s, i);
    }
    free(s->items);
    *s = (samples){items, room, 0, s->len};
}

/* Those behind place i move back by one. */
static void insert(samples *s, uint32_t i, const sample *x)
{
    make_room(s);
    s->len++;
    for (uint32_t k = s->len - 1; k > i; k--) {
        *at(s, k) = *at(s, k - 1);
    }
    *at(s, i) = *x;
}

static void drop_first(samples *s)
{
    s->first = (s->first + 1) & (s->room - 1);
    s->len--;
}

/* The `count` before place i go; those behind follow up. */
static void drop_before(samples *s, uint32_t i, uint32_t count)
{
    for (uint32_t k = i; count && k < s->len; k++) {
        *at(s, k - count) = *at(s, k);
    }
    s->len -= count;
}

/* Behind everything that is not later; usually at the end. */
static uint32_t place_of(const samples *s, gr_time when)
{
    uint32_t i = s->len;
    while (i && gr_time_cmp(at(s, i - 1)->at, when) > 0) {
        i--;
    }
    return i;
}

/* ---- Extremes ---- */

/* Does a beat b, or equal it? */
static bool beats(const gr_window *w, double a, double b)
{
    uint64_t x = gr_rank_of(a), y = gr_rank_of(b);
    return w->decl->take == GR_TAKE_MIN ? x <= y : x >= y;
}

/* One that something later beats is none; it beats those before it that are worse. */
static void add_candidate(gr_window *w, const sample *x)
{
    uint32_t i = place_of(&w->best, x->at), beaten = 0;
    if (i < w->best.len && beats(w, at(&w->best, i)->x, x->x)) {
        return;
    }
    while (beaten < i && beats(w, x->x, at(&w->best, i - 1 - beaten)->x)) {
        beaten++;
    }
    drop_before(&w->best, i, beaten);
    insert(&w->best, i - beaten, x);
}

/* ---- Numbers come and go ---- */

static void enter(gr_window *w, const sample *x)
{
    insert(&w->ring, place_of(&w->ring, x->at), x);
    switch (w->decl->take) {
    case GR_TAKE_VARIANCE:
    case GR_TAKE_DEVIATION:
        gr_squares_add(w->squares, x->x);
        gr_sum_add(w->sum, x->x);
        break;
    case GR_TAKE_SUM:
    case GR_TAKE_MEAN: gr_sum_add(w->sum, x->x); break;
    case GR_TAKE_MIN:
    case GR_TAKE_MAX: add_candidate(w, x); break;
    case GR_TAKE_QUANTILE: gr_ranks_add(&w->ranks, x->x); break;
    case GR_TAKE_LAG:
    case GR_TAKE_EMA:
    case GR_TAKE_COUNT:
    case GR_TAKE_RATE:
    case GR_TAKE_EQUALS:
    case GR_TAKE_IN: break;
    }
}

static void leave(gr_window *w)
{
    const sample *x = at(&w->ring, 0);
    switch (w->decl->take) {
    case GR_TAKE_VARIANCE:
    case GR_TAKE_DEVIATION:
        gr_squares_take(w->squares, x->x);
        gr_sum_take(w->sum, x->x);
        break;
    case GR_TAKE_SUM:
    case GR_TAKE_MEAN: gr_sum_take(w->sum, x->x); break;
    case GR_TAKE_MIN:
    case GR_TAKE_MAX:
        if (w->best.len && at(&w->best, 0)->number == x->number) {
            drop_first(&w->best);
        }
        break;
    case GR_TAKE_QUANTILE: gr_ranks_take(&w->ranks, x->x); break;
    case GR_TAKE_LAG:
    case GR_TAKE_EMA:
    case GR_TAKE_COUNT:
    case GR_TAKE_RATE:
    case GR_TAKE_EQUALS:
    case GR_TAKE_IN: break;
    }
    drop_first(&w->ring);
}

/* Is `when` more than `ms` before `now`, or `ms` and `or_just` is set? */
static bool is_before(gr_time when, gr_time now, uint64_t ms, bool or_just)
{
    gr_time span = gr_time_of_ms(ms);
    uint32_t nanos = when.nanos + span.nanos;
    gr_time end = {when.secs + span.secs + nanos / 1000000000u, nanos % 1000000000u};
    if (end.secs < when.secs) {
        return false; /* beyond all time */
    }
    int order = gr_time_cmp(end, now);
    return or_just ? order <= 0 : order < 0;
}

static void average(gr_window *w, double x)
{
    double next =
        w->averaged ? w->decl->alpha * x + (1 - w->decl->alpha) * w->average : x;
    if (isfinite(next)) {
        w->average = next;
        w->averaged = true;
    }
}

static void add_by_count(gr_window *w, gr_time when, double x)
{
    uint32_t most = w->decl->take == GR_TAKE_LAG ? w->decl->back + 1 : w->decl->events;
    /* Numbers stand in order of arrival: time plays no part. */
    sample s = {{0, 0}, x, w->arrived++};
    (void)when;
    enter(w, &s);
    if (w->ring.len > most) {
        leave(w);
    }
}

static void add_by_time(gr_window *w, gr_time when, const double *x)
{
    const gr_window_decl *d = w->decl;
    w->now = gr_time_cmp(when, w->now) > 0 ? when : w->now;
    if (x && !is_before(when, w->now, d->lateness_ms, false)) {
        enter(w, &(sample){when, *x, w->arrived++});
    }
    while (w->ring.len && (w->ring.len > d->most ||
                           is_before(at(&w->ring, 0)->at, w->now, d->span_ms, true))) {
        leave(w);
    }
}

void gr_window_add(gr_window *w, gr_time when, const double *x)
{
    if (w->decl->take == GR_TAKE_EMA) {
        if (x) {
            average(w, *x);
        }
    } else if (w->decl->events || w->decl->take == GR_TAKE_LAG) {
        if (x) {
            add_by_count(w, when, *x);
        }
    } else {
        add_by_time(w, when, x);
    }
}

/* ---- What it says ---- */

/* The place of the part q among n: the least k with k >= q * n, from 1. A double is a
 * whole number of 2^-e, so this is exact. */
static uint32_t place_of_part(double q, uint32_t n)
{
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(q, &e), 53); /* q = m * 2^(e - 53) */
    int shift = 53 - e;
    __extension__ unsigned __int128 scaled = (unsigned __int128)m * n;
    if (!m || shift > 100) {
        return 1;
    }
    __extension__ unsigned __int128 unit = (unsigned __int128)1 << shift;
    uint32_t k = (uint32_t)((scaled + unit - 1) / unit);
    return k ? k : 1;
}

static double variance(const gr_window *w)
{
    uint32_t n = w->ring.len;
    return gr_spread_over(w->squares, w->sum, n, (uint64_t)n * (n - 1));
}

/* Of a window with numbers in it. */
static double said(const gr_window *w)
{
    uint32_t n = w->ring.len;
    switch (w->decl->take) {
    case GR_TAKE_LAG: return at(&w->ring, 0)->x;
    case GR_TAKE_MEAN: return gr_sum_over(w->sum, n);
    case GR_TAKE_VARIANCE: return variance(w);
    case GR_TAKE_DEVIATION: return sqrt(variance(w));
    case GR_TAKE_MIN:
    case GR_TAKE_MAX: return at(&w->best, 0)->x;
    case GR_TAKE_QUANTILE:
        return gr_ranks_at(&w->ranks, place_of_part(w->decl->q, n) - 1);
    case GR_TAKE_SUM: return gr_sum_over(w->sum, 1);
    case GR_TAKE_COUNT: return n;
    case GR_TAKE_RATE: return n / ((double)w->decl->span_ms / 1000.0);
    case GR_TAKE_EMA:
    case GR_TAKE_EQUALS:
    case GR_TAKE_IN: break;
    }
    return w->average;
}

/* How many numbers it needs before it says anything. */
static uint32_t least(const gr_window_decl *d)
{
    switch (d->take) {
    case GR_TAKE_COUNT:
    case GR_TAKE_RATE:
    case GR_TAKE_SUM: return 0;
    case GR_TAKE_VARIANCE:
    case GR_TAKE_DEVIATION: return 2;
    case GR_TAKE_LAG: return d->back + 1;
    case GR_TAKE_MEAN:
    case GR_TAKE_MIN:
    case GR_TAKE_MAX:
    case GR_TAKE_QUANTILE:
    case GR_TAKE_EMA:
    case GR_TAKE_EQUALS:
    case GR_TAKE_IN: break;
    }
    return 1;
}

bool gr_window_value(const gr_window *w, double *out)
{
    bool there =
        w->decl->take == GR_TAKE_EMA ? w->averaged : w->ring.len >= least(w->decl);
    *out = there ? said(w) : 0;
    return there && isfinite(*out);
}

/* ---- Its life ---- */

gr_window *gr_window_new(const gr_window_decl *decl)
{
    gr_window *w = mt_xmalloc(sizeof *w);
    *w = (gr_window){.decl = decl};
    bool spread = decl->take == GR_TAKE_VARIANCE || decl->take == GR_TAKE_DEVIATION;
    if (spread || decl->take == GR_TAKE_SUM || decl->take == GR_TAKE_MEAN) {
        w->sum = mt_xmalloc(sizeof *w->sum);
        *w->sum = (gr_sum){{0}};
    }
    if (spread) {
        w->squares = mt_xmalloc(sizeof *w->squares);
        *w->squares = (gr_squares){{0}};
    }
    return w;
}

void gr_window_free(gr_window *w)
{
    if (w) {
        free(w->ring.items);
        free(w->best.items);
        free(w->sum);
        free(w->squares);
        gr_ranks_free(&w->ranks);
        free(w);
    }
}

/* ---- Saved ---- */

static void save_number(mt_jw *out, double x)
{
    char text[MT_NUMBER_TEXT];
    mt_jw_raw(out, mt_str_from(text, mt_number_print(x, text)));
}

static void save_time(mt_jw *out, gr_time t)
{
    mt_jw_i64(out, (int64_t)t.secs);
    mt_jw_i64(out, t.nanos);
}

void gr_window_save(const gr_window *w, mt_jw *out)
{
    mt_jw_begin_object(out);
    if (w->averaged) {
        mt_jw_keyz(out, "average");
        save_number(out, w->average);
    }
    mt_jw_keyz(out, "now");
    mt_jw_begin_array(out);
    save_time(out, w->now);
    mt_jw_end_array(out);
    mt_jw_keyz(out, "numbers");
    mt_jw_begin_array(out);
    for (uint32_t i = 0; i < w->ring.len; i++) {
        mt_jw_begin_array(out);
        save_time(out, at(&w->ring, i)->at);
        save_number(out, at(&w->ring, i)->x);
        mt_jw_end_array(out);
    }
    mt_jw_end_array(out);
    mt_jw_end_object(out);
}

static bool load_time(const mt_json *list, uint32_t count, gr_time *out)
{
    int64_t secs, nanos;
    if (!mt_json_is(list, MT_JSON_ARRAY) || list->count != count ||
        mt_json_i64(&list->as.items[0], &secs) ||
        mt_json_i64(&list->as.items[1], &nanos) || secs < 0 || nanos < 0 ||
        nanos > 999999999) {
        return false;
    }
    *out = (gr_time){(uint64_t)secs, (uint32_t)nanos};
    return true;
}

static bool load_number(const mt_json *node, double *out)
{
    return mt_json_is(node, MT_JSON_NUMBER) &&
           !mt_number_parse(mt_json_text(node), out) && isfinite(*out);
}

/* In the order they were saved in, which is that of the ring. */
bool gr_window_load(gr_window *w, const mt_json *saved)
{
    const mt_json *numbers = mt_json_at(saved, "numbers");
    const mt_json *average_node = mt_json_at(saved, "average");
    if (!load_time(mt_json_at(saved, "now"), 2, &w->now) ||
        !mt_json_is(numbers, MT_JSON_ARRAY) ||
        (average_node && !load_number(average_node, &w->average))) {
        return false;
    }
    w->averaged = average_node != NULL;
    for (uint32_t i = 0; i < numbers->count; i++) {
        const mt_json *item = &numbers->as.items[i];
        sample s = {.number = w->arrived++};
        if (!load_time(item, 3, &s.at) || !load_number(&item->as.items[2], &s.x)) {
            return false;
        }
        enter(w, &s);
    }
    return true;
}
