/* trace/exporter.h - sends traces and figures to a collector, beside everything else.
 * Room: trace. One thread, one queue with a ceiling. Whoever gives a trace never waits:
 * what finds the queue full is dropped and counted. A collector that is slow, wrong or
 * gone costs figures and traces, never a request: every exchange has a time-out, and
 * after a failure the thread pauses, longer each time, while the queue fills and drops.
 * The first failure and the first success after it are logged.
 * OTLP over HTTP, binary encoding: POST ENDPOINT/v1/traces and ENDPOINT/v1/metrics. */
#ifndef TR_EXPORTER_H
#define TR_EXPORTER_H

#include "base/form.h"
#include "trace/otlp.h"

typedef struct tr_exporter tr_exporter;

/* `otlp` of the configuration. Credentials are in here and in nothing that comes out.
 */
typedef struct tr_settings {
    const char *endpoint; /* http://127.0.0.1:4318 */
    const mt_str *headers;
    size_t header_count; /* "name: value" each */
    const char *service;
    const char *ca_file;  /* NULL: the system's */
    uint32_t sample;      /* one request in so many is traced; 0: none of our own */
    uint32_t queue;       /* traces that may wait */
    uint32_t timeout_ms;  /* of one exchange */
    uint32_t every_ms;    /* traces are sent that often, or when they are many */
    uint32_t metrics_ms;  /* figures are; 0: never */
    const mt_json *given; /* headers as they were written */
} tr_settings;

/* Reads and checks `otlp`; credentials that are referred to are read, files from
 * `directory`. Every fault is reported by form->report. */
bool tr_settings_read(mt_form *form, const mt_json *otlp, mt_str directory,
                      tr_settings *out);

typedef struct tr_exporter_options {
    const tr_settings *settings; /* borrowed */
    mt_str version;              /* of the program */
    /* Tells all figures there are; from the exporter's thread. NULL: none. */
    void (*tell)(void *state, mt_figures *f);
    void *tell_state;
    void (*log)(void *state, int level, mt_str event, mt_str json);
    void *log_state;
} tr_exporter_options;

/* MT_E_IO: no library or no thread; `why`. */
mt_err tr_exporter_open(const tr_exporter_options *options, tr_exporter **out,
                        mt_buf *why);
/* Sends what waits, but not for long, and ends. Accepts NULL. */
void tr_exporter_close(tr_exporter *e);
/* Never waits. False: dropped. */
bool tr_exporter_give(tr_exporter *e, const tr_trace *t);
/* What the exporter itself counts. */
void tr_exporter_figures(tr_exporter *e, mt_figures *f);

#endif
