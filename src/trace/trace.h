/* trace/trace.h - one request as part of a trace: its ids and when its stages were.
 * Room: trace. A plain record of fixed size: the front door begins it, the executor
 * notes its stages, the front door ends it and gives it to the exporter, which makes
 * spans of it (otlp.h). Nothing here waits or allocates.
 * W3C Trace Context, level 1: a `traceparent` that is well-formed is gone on from, any
 * other is as good as none. `tracestate` is not carried on.
 * Threads: a trace belongs to whoever has the request. */
#ifndef TR_TRACE_H
#define TR_TRACE_H

#include <stdint.h>

#include "base/str.h"

enum {
    TR_ID_BYTES = 16,
    TR_SPAN_BYTES = 8,
    TR_HEADER_BYTES = 55, /* 00-TRACE-SPAN-FLAGS */
    TR_SOURCES_MOST = 6,  /* spans of sources in one trace; the rest is counted only */
    TR_NAME_BYTES = 48    /* of a name that is not ours; longer ones are cut */
};

/* Nanoseconds since 1970 UTC; 0: it did not happen. */
typedef struct tr_stage {
    int64_t began_ns, ended_ns;
} tr_stage;

typedef struct tr_source {
    char name[TR_NAME_BYTES];
    tr_stage stage;
    bool failed;
} tr_source;

typedef struct tr_trace {
    bool known;   /* there are ids; else nothing of this is set */
    bool sampled; /* spans of it are sent */
    bool has_parent;
    unsigned char id[TR_ID_BYTES];
    unsigned char parent[TR_SPAN_BYTES];
    unsigned char span[TR_SPAN_BYTES]; /* the request's own */
    tr_stage request, evaluation, commit;
    int64_t queued_ns;         /* when it began to wait for the committer; 0: never */
    const char *method, *path; /* static: of the table of routes */
    const char *code;          /* static: of the problem it was refused with, or NULL */
    char contract[TR_NAME_BYTES];
    int status;
    unsigned source_count;
    tr_source sources[TR_SOURCES_MOST];
} tr_trace;

/* The wall clock, as traces count it. */
int64_t tr_now_ns(void);

/* Begins a trace. `header`: the request's traceparent, empty if it has none.
 * `one_of`: of traces that begin here one in so many is sampled; 0: none is, and a
 * request without a header has no trace at all. */
void tr_trace_begin(tr_trace *t, mt_str header, unsigned one_of);
/* The header for answers and for requests that are part of this one. */
void tr_trace_header(const tr_trace *t, char out[TR_HEADER_BYTES + 1]);
/* 32 hex digits. */
void tr_trace_id(const tr_trace *t, char out[2 * TR_ID_BYTES]);
/* A source was asked. Accepts NULL. */
void tr_trace_source(tr_trace *t, mt_str name, tr_stage stage, bool failed);
/* Copies a name that is not ours, as much as fits, in whole characters. */
void tr_name(char out[TR_NAME_BYTES], mt_str name);
/* The id of a child: the n-th of this trace. */
void tr_child_id(const tr_trace *t, unsigned n, unsigned char out[TR_SPAN_BYTES]);

#endif
