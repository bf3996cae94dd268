/* graph/window.h - what a stream of numbers was like lately: lag, averages, extremes.
 * Room: graph. May include base/ only.
 * The model has no hidden state (§5.4, §8), so a window is not a node: the adapter
 * declares it as a derived key, the host keeps it and puts its value into the payload
 * before the episode, where it is captured and replayed like any input.
 *
 * By count: the last `events` numbers, this one included. By time: those whose event
 * time is within `span_ms` before the latest event time seen; a number that is older
 * than that by more than `lateness_ms` is left out, one that is not takes its place in
 * time. At most `most` numbers are kept; then the oldest goes.
 *
 * Cost per number: lag, count, minimum, maximum, sum, mean, variance O(1), a quantile
 * O(log n); a number that comes late pays for those it passes.
 * Ownership: gr_window_free(); the declaration is borrowed. Threads: one. */
#ifndef GR_WINDOW_H
#define GR_WINDOW_H

#include "base/json_write.h"
#include "graph/supervisor.h"
#include "graph/value.h"

/* ORDER gr_take_name(). */
typedef enum gr_take {
    GR_TAKE_LAG,   /* the number `back` numbers ago */
    GR_TAKE_EMA,   /* alpha * x + (1 - alpha) * before; the first is x itself */
    GR_TAKE_COUNT, /* how many */
    GR_TAKE_RATE,  /* how many per second of the span */
    GR_TAKE_SUM,
    GR_TAKE_MEAN,
    GR_TAKE_VARIANCE,  /* of a sample: n - 1 */
    GR_TAKE_DEVIATION, /* the square root of the variance */
    GR_TAKE_MIN,
    GR_TAKE_MAX,
    GR_TAKE_QUANTILE, /* the least number that at least the part `q` is not above */
    GR_TAKE_EQUALS,   /* text is `texts[0]` */
    GR_TAKE_IN,       /* text is one of `texts` */
} gr_take;
enum { GR_TAKE_COUNT_ALL = GR_TAKE_IN + 1 };

/* "lag", ...; and back, false when there is none of that name. */
const char *gr_take_name(gr_take take);
bool gr_take_parse(mt_str name, gr_take *out);
/* GR_BOOL for the two about texts, else GR_NUMBER. */
gr_type gr_take_type(gr_take take);

typedef struct gr_window_decl {
    mt_str name; /* the derived key */
    mt_str of;   /* the key it looks at; empty: every event counts */
    gr_take take;
    uint32_t events;               /* by count; 0: by time */
    uint64_t span_ms, lateness_ms; /* by time */
    uint32_t most, back;
    double alpha, q;
    const mt_str *texts;
    uint32_t text_count;
    uint32_t at; /* its place in the file */
} gr_window_decl;

typedef struct gr_window gr_window;

/* For every take but the two about texts, which need no memory. */
gr_window *gr_window_new(const gr_window_decl *decl);
void gr_window_free(gr_window *w);

/* An event at time `at`, with its number, or without one (NULL): then only time goes
 * on, if it is ahead. */
void gr_window_add(gr_window *w, gr_time at, const double *x);
/* False: there is nothing to say yet, or it is not a finite number. */
bool gr_window_value(const gr_window *w, double *out);
/* Is the text what the declaration asks for? */
bool gr_window_text(const gr_window_decl *decl, mt_str text);

/* All it holds as one JSON object, and back into a new one; false: it is not one. */
void gr_window_save(const gr_window *w, mt_jw *out);
bool gr_window_load(gr_window *w, const mt_json *saved);

#endif
