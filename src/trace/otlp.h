/* trace/otlp.h - traces and figures as OTLP messages (opentelemetry-proto 1.x).
 * Room: trace. Pure: bytes are appended, nothing is sent.
 * A request is a span of kind SERVER, named "METHOD ROUTE", with a span of kind
 * INTERNAL for its evaluation and its commit and one of kind CLIENT for each source
 * that was asked. Figures are cumulative since the program began. */
#ifndef TR_OTLP_H
#define TR_OTLP_H

#include "base/figures.h"
#include "trace/trace.h"

/* Who speaks. */
typedef struct tr_resource {
    mt_str service, version, instance;
    int64_t began_ns; /* the program, for figures */
} tr_resource;

/* Spans in one ExportTraceServiceRequest: begun, filled, ended. */
typedef struct tr_message {
    mt_buf *out;
    size_t resource, scope; /* open messages */
} tr_message;
void tr_spans_begin(tr_message *m, mt_buf *out, const tr_resource *who);
/* How many spans. */
unsigned tr_spans_add(tr_message *m, const tr_trace *t);
void tr_message_end(tr_message *m);

/* One ExportMetricsServiceRequest: whatever is told between the two. */
typedef struct tr_figures {
    mt_figures figures; /* first: the two are one */
    tr_message message;
    int64_t began_ns, now_ns;
    mt_figure_kind kind;
    size_t metric, data; /* open messages; 0: none */
} tr_figures;
mt_figures *tr_figures_begin(tr_figures *f, mt_buf *out, const tr_resource *who);
void tr_figures_end(tr_figures *f);

#endif
