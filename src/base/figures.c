/* base/figures.c - counts and times that many threads add to, and Prometheus text.
 * Room: base. Adding is one relaxed atomic each: figures are read for a chart, not
 * to decide anything, so readers may see a count and not yet its sum. Whoever tells
 * figures calls mt_family() and then values; the three functions of mt_figures make
 * text or OTLP of them, so no figure is described twice. Nothing can fail. */
#include "base/figures.h"

#include <math.h>

/* From a tenth of a millisecond, below which an answer is as fast as can be, to ten
 * seconds, beyond which every client has given up. ORDER BOUNDS_NS. */
const double MT_TIME_BOUNDS[MT_TIME_BOUND_COUNT] = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
    0.05,   0.1,     0.25,   0.5,   1,      2.5,   10};

/* The same in whole nanoseconds: a time at its bound is in its bucket. */
static const uint64_t BOUNDS_NS[MT_TIME_BOUND_COUNT] = {
    100000,    250000,    500000,     1000000,    2500000,
    5000000,   10000000,  25000000,   50000000,   100000000,
    250000000, 500000000, 1000000000, 2500000000, 10000000000};

void mt_times_add(mt_times *t, uint64_t ns)
{
    unsigned i = 0;
    while (i < MT_TIME_BOUND_COUNT && ns > BOUNDS_NS[i]) {
        i++;
    }
    atomic_fetch_add_explicit(&t->buckets[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->sum_ns, ns, memory_order_relaxed);
}

uint64_t mt_times_count(const mt_times *t)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < MT_TIME_BUCKETS; i++) {
        count += atomic_load_explicit(&t->buckets[i], memory_order_relaxed);
    }
    return count;
}

void mt_figure(mt_figures *f, double value)
{
    f->value(f, NULL, 0, value);
}

void mt_figure_of(mt_figures *f, const char *label, mt_str of, double value)
{
    mt_label one = {label, of};
    f->value(f, &one, 1, value);
}

void mt_counter(mt_figures *f, const char *name, const char *help, uint64_t value)
{
    mt_family(f, MT_COUNTER, name, help);
    mt_figure(f, (double)value);
}

void mt_gauge(mt_figures *f, const char *name, const char *help, double value)
{
    mt_family(f, MT_GAUGE, name, help);
    mt_figure(f, value);
}

/* ---- Prometheus ---- */

#define PREFIX "motet_"

static const char *const KINDS[] = {
    [MT_COUNTER] = "counter",
    [MT_GAUGE] = "gauge",
    [MT_HISTOGRAM] = "histogram",
};
MT_TABLE_COVERS(KINDS, MT_HISTOGRAM + 1);

static void text_family(mt_figures *f, mt_figure_kind kind, const char *name,
                        const char *help)
{
    mt_figures_text *t = (mt_figures_text *)(void *)f;
    t->name = name;
    mt_buf_addf(t->out, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n", name, help,
                name, KINDS[kind]);
}

/* Backslash, quote and newline are all that the format escapes. */
static void add_escaped(mt_buf *out, mt_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '\n') {
            mt_buf_addz(out, "\\n");
        } else {
            if (c == '\\' || c == '"') {
                mt_buf_addc(out, '\\');
            }
            mt_buf_addc(out, c);
        }
    }
}

/* `le`: the bound of a bucket, or NULL. */
static void add_labels(mt_buf *out, const mt_label *labels, size_t count,
                       const char *le)
{
    if (!count && !le) {
        return;
    }
    mt_buf_addc(out, '{');
    for (size_t i = 0; i < count; i++) {
        mt_buf_addf(out, "%s%s=\"", i ? "," : "", labels[i].name);
        add_escaped(out, labels[i].value);
        mt_buf_addc(out, '"');
    }
    if (le) {
        mt_buf_addf(out, "%sle=\"%s\"", count ? "," : "", le);
    }
    mt_buf_addc(out, '}');
}

/* Whole numbers as such: a counter is one up to 2^53. */
static void add_number(mt_buf *out, double value)
{
    if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        mt_buf_add_i64(out, (int64_t)value);
    } else {
        mt_buf_addf(out, "%.9g", value);
    }
}

static void text_value(mt_figures *f, const mt_label *labels, size_t count,
                       double value)
{
    mt_figures_text *t = (mt_figures_text *)(void *)f;
    mt_buf_addf(t->out, PREFIX "%s", t->name);
    add_labels(t->out, labels, count, NULL);
    mt_buf_addc(t->out, ' ');
    add_number(t->out, value);
    mt_buf_addc(t->out, '\n');
}

static void add_part(mt_figures_text *t, const char *part, const mt_label *labels,
                     size_t count, const char *le, double value)
{
    mt_buf_addf(t->out, PREFIX "%s%s", t->name, part);
    add_labels(t->out, labels, count, le);
    mt_buf_addc(t->out, ' ');
    add_number(t->out, value);
    mt_buf_addc(t->out, '\n');
}

/* Buckets are summed up from one reading each, so they never decrease, and the count is
 * the last of them. */
static void text_times(mt_figures *f, const mt_label *labels, size_t count,
                       const mt_times *times)
{
    mt_figures_text *t = (mt_figures_text *)(void *)f;
    double sum = (double)atomic_load(&times->sum_ns) / 1e9;
    uint64_t total = 0;
    for (unsigned i = 0; i < MT_TIME_BUCKETS; i++) {
        mt_buf bound = {0};
        total += atomic_load_explicit(&times->buckets[i], memory_order_relaxed);
        mt_buf_addf(&bound, i < MT_TIME_BOUND_COUNT ? "%.9g" : "+Inf",
                    i < MT_TIME_BOUND_COUNT ? MT_TIME_BOUNDS[i] : 0.0);
        /* The bound is used as a C string. */
        mt_buf_addc(&bound, '\0');
        add_part(t, "_bucket", labels, count, bound.ptr, (double)total);
        mt_buf_free(&bound);
    }
    add_part(t, "_sum", labels, count, NULL, sum);
    add_part(t, "_count", labels, count, NULL, (double)total);
}

mt_figures *mt_figures_text_start(mt_figures_text *t, mt_buf *out)
{
    *t =
        (mt_figures_text){.figures = {text_family, text_value, text_times}, .out = out};
    return &t->figures;
}
