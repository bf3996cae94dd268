/* base/figures.h - what a running program counts and measures, told once and written
 * for whoever asks: as Prometheus text here, as OTLP in trace/.
 * Room: base. Whoever has figures tells them to an mt_figures: a family (name, kind,
 * help) and then its values, each with its labels. Names go without the program's
 * prefix; a family is told once, and no two values of it have the same labels.
 * Threads: counting is atomic; telling goes on while others count, so figures are each
 * exact and together approximate, which collectors expect. */
#ifndef MT_BASE_FIGURES_H
#define MT_BASE_FIGURES_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/str.h"

typedef enum mt_figure_kind { MT_COUNTER, MT_GAUGE, MT_HISTOGRAM } mt_figure_kind;

/* Names are words of our own; values are escaped by who writes them. */
typedef struct mt_label {
    const char *name;
    mt_str value;
} mt_label;

/* Times, in buckets. Bounds are those of MT_TIME_BOUNDS, in seconds; the last bucket
 * has what is longer. */
enum { MT_TIME_BOUND_COUNT = 15, MT_TIME_BUCKETS = MT_TIME_BOUND_COUNT + 1 };
extern const double MT_TIME_BOUNDS[MT_TIME_BOUND_COUNT];

typedef struct mt_times {
    atomic_ullong buckets[MT_TIME_BUCKETS]; /* not cumulative */
    atomic_ullong sum_ns;
} mt_times;

void mt_times_add(mt_times *t, uint64_t ns);
uint64_t mt_times_count(const mt_times *t);

/* Who writes them: one of the functions below makes one. */
typedef struct mt_figures mt_figures;
struct mt_figures {
    void (*family)(mt_figures *f, mt_figure_kind kind, const char *name,
                   const char *help);
    void (*value)(mt_figures *f, const mt_label *labels, size_t count, double value);
    void (*times)(mt_figures *f, const mt_label *labels, size_t count,
                  const mt_times *times);
};

static inline void mt_family(mt_figures *f, mt_figure_kind kind, const char *name,
                             const char *help)
{
    f->family(f, kind, name, help);
}

/* A value of the last family: without labels, or with one. */
void mt_figure(mt_figures *f, double value);
void mt_figure_of(mt_figures *f, const char *label, mt_str of, double value);
/* A family with one value. */
void mt_counter(mt_figures *f, const char *name, const char *help, uint64_t value);
void mt_gauge(mt_figures *f, const char *name, const char *help, double value);

/* Prometheus text (version 0.0.4), every name behind "motet_". */
typedef struct mt_figures_text {
    mt_figures figures; /* first: the two are one */
    mt_buf *out;
    const char *name;
} mt_figures_text;
mt_figures *mt_figures_text_start(mt_figures_text *t, mt_buf *out);

#endif
