/* trace/otlp.c - see otlp.h.
 *
 * In this order: what both kinds of message share (resource, scope, attributes), spans,
 * figures. Numbers of fields are those of opentelemetry-proto (trace.proto,
 * metrics.proto, common.proto, resource.proto); each stands in the enum of its message.
 * Fields of one message may stand in any order; what is the default of its type is left
 * out where a reader cannot tell the difference.
 *
 * Invariants: messages are closed in the order opposite to that in which they were
 * opened; a metric has its data points in one place, since a family is told at once.
 * Nothing here can fail. */
#include "trace/otlp.h"

#include <math.h>
#include <string.h>

#include "trace/proto.h"

enum { REQUEST_RESOURCES = 1 };                /* Export…ServiceRequest */
enum { RESOURCE_IS = 1, RESOURCE_SCOPES = 2 }; /* ResourceSpans, ResourceMetrics */
enum { RESOURCE_ATTRIBUTES = 1 };              /* Resource */
enum { SCOPE_IS = 1, SCOPE_ITEMS = 2 };        /* ScopeSpans, ScopeMetrics */
enum { SCOPE_NAME = 1, SCOPE_VERSION = 2 };    /* InstrumentationScope */
enum { KEY = 1, VALUE = 2 };                   /* KeyValue */
enum { AS_TEXT = 1, AS_WHOLE = 3 };            /* AnyValue */

/* ---- What both have ---- */

static void add_text(mt_buf *out, unsigned field, const char *key, mt_str value)
{
    size_t pair = tr_proto_open(out, field);
    tr_proto_bytes(out, KEY, mt_str_z(key));
    size_t any = tr_proto_open(out, VALUE);
    tr_proto_bytes(out, AS_TEXT, value);
    tr_proto_close(out, any);
    tr_proto_close(out, pair);
}

static void add_whole(mt_buf *out, unsigned field, const char *key, int64_t value)
{
    size_t pair = tr_proto_open(out, field);
    tr_proto_bytes(out, KEY, mt_str_z(key));
    size_t any = tr_proto_open(out, VALUE);
    tr_proto_varint(out, AS_WHOLE, (uint64_t)value);
    tr_proto_close(out, any);
    tr_proto_close(out, pair);
}

static void begin_message(tr_message *m, mt_buf *out, const tr_resource *who)
{
    *m = (tr_message){.out = out};
    m->resource = tr_proto_open(out, REQUEST_RESOURCES);
    size_t resource = tr_proto_open(out, RESOURCE_IS);
    add_text(out, RESOURCE_ATTRIBUTES, "service.name", who->service);
    add_text(out, RESOURCE_ATTRIBUTES, "service.version", who->version);
    add_text(out, RESOURCE_ATTRIBUTES, "service.instance.id", who->instance);
    tr_proto_close(out, resource);
    m->scope = tr_proto_open(out, RESOURCE_SCOPES);
    size_t scope = tr_proto_open(out, SCOPE_IS);
    tr_proto_bytes(out, SCOPE_NAME, MT_STR("motet"));
    tr_proto_bytes(out, SCOPE_VERSION, who->version);
    tr_proto_close(out, scope);
}

void tr_message_end(tr_message *m)
{
    tr_proto_close(m->out, m->scope);
    tr_proto_close(m->out, m->resource);
}

/* ---- Spans ---- */

enum {
    SPAN_TRACE = 1,
    SPAN_ID = 2,
    SPAN_PARENT = 4,
    SPAN_NAME = 5,
    SPAN_KIND = 6,
    SPAN_BEGAN = 7,
    SPAN_ENDED = 8,
    SPAN_ATTRIBUTES = 9,
    SPAN_STATUS = 15
};
enum { STATUS_CODE = 3, STATUS_ERROR = 2 };
enum { KIND_INTERNAL = 1, KIND_SERVER = 2, KIND_CLIENT = 3 };

typedef struct span {
    const unsigned char *id, *parent; /* parent NULL: none */
    mt_str name;
    unsigned kind;
    tr_stage stage;
    bool failed;
} span;

static size_t open_span(mt_buf *out, const tr_trace *t, const span *s)
{
    size_t open = tr_proto_open(out, SCOPE_ITEMS);
    tr_proto_bytes(out, SPAN_TRACE, mt_str_from((const char *)t->id, TR_ID_BYTES));
    tr_proto_bytes(out, SPAN_ID, mt_str_from((const char *)s->id, TR_SPAN_BYTES));
    if (s->parent) {
        tr_proto_bytes(out, SPAN_PARENT,
                       mt_str_from((const char *)s->parent, TR_SPAN_BYTES));
    }
    tr_proto_bytes(out, SPAN_NAME, s->name);
    tr_proto_varint(out, SPAN_KIND, s->kind);
    tr_proto_fixed64(out, SPAN_BEGAN, (uint64_t)s->stage.began_ns);
    tr_proto_fixed64(out, SPAN_ENDED, (uint64_t)s->stage.ended_ns);
    if (s->failed) {
        size_t status = tr_proto_open(out, SPAN_STATUS);
        tr_proto_varint(out, STATUS_CODE, STATUS_ERROR);
        tr_proto_close(out, status);
    }
    return open;
}

static void add_request(mt_buf *out, const tr_trace *t)
{
    char name[128];
    size_t method = strlen(t->method), path = strlen(t->path);
    bool fits = method + 1 + path <= sizeof name;
    if (fits) {
        memcpy(name, t->method, method);
        name[method] = ' ';
        memcpy(name + method + 1, t->path, path);
    }
    span s = {.id = t->span,
              .parent = t->has_parent ? t->parent : NULL,
              .name = fits ? mt_str_from(name, method + 1 + path) : mt_str_z(t->method),
              .kind = KIND_SERVER,
              .stage = t->request,
              .failed = t->status >= 500};
    size_t open = open_span(out, t, &s);
    add_text(out, SPAN_ATTRIBUTES, "http.request.method", mt_str_z(t->method));
    add_text(out, SPAN_ATTRIBUTES, "http.route", mt_str_z(t->path));
    add_whole(out, SPAN_ATTRIBUTES, "http.response.status_code", t->status);
    if (t->contract[0]) {
        add_text(out, SPAN_ATTRIBUTES, "motet.contract", mt_str_z(t->contract));
    }
    if (t->code) {
        add_text(out, SPAN_ATTRIBUTES, "motet.code", mt_str_z(t->code));
    }
    tr_proto_close(out, open);
}

static void add_commit(mt_buf *out, const tr_trace *t, span *s)
{
    s->name = MT_STR("commit");
    s->stage = t->commit;
    size_t open = open_span(out, t, s);
    if (t->queued_ns && t->commit.began_ns > t->queued_ns) {
        add_whole(out, SPAN_ATTRIBUTES, "motet.waited_us",
                  (t->commit.began_ns - t->queued_ns) / 1000);
    }
    tr_proto_close(out, open);
}

void tr_spans_begin(tr_message *m, mt_buf *out, const tr_resource *who)
{
    begin_message(m, out, who);
}

unsigned tr_spans_add(tr_message *m, const tr_trace *t)
{
    unsigned char id[TR_SPAN_BYTES];
    unsigned n = 0;
    span s = {.id = id, .parent = t->span, .kind = KIND_INTERNAL};
    add_request(m->out, t);
    if (t->evaluation.ended_ns) {
        tr_child_id(t, ++n, id);
        s.name = MT_STR("evaluate");
        s.stage = t->evaluation;
        tr_proto_close(m->out, open_span(m->out, t, &s));
    }
    if (t->commit.ended_ns) {
        tr_child_id(t, ++n, id);
        add_commit(m->out, t, &s);
    }
    s.kind = KIND_CLIENT;
    for (unsigned i = 0; i < t->source_count; i++) {
        tr_child_id(t, ++n, id);
        s.name = mt_str_z(t->sources[i].name);
        s.stage = t->sources[i].stage;
        s.failed = t->sources[i].failed;
        tr_proto_close(m->out, open_span(m->out, t, &s));
    }
    return n + 1;
}

/* ---- Figures ---- */

enum { METRIC_NAME = 1, METRIC_HELP = 2, METRIC_UNIT = 3 };
enum { POINTS = 1, TEMPORALITY = 2, MONOTONIC = 3, CUMULATIVE = 2 };
enum { POINT_START = 2, POINT_TIME = 3, POINT_DOUBLE = 4, POINT_WHOLE = 6 };
enum { TIMES_COUNT = 4, TIMES_SUM = 5, TIMES_BUCKETS = 6, TIMES_BOUNDS = 7 };
enum { VALUE_ATTRIBUTES = 7, TIMES_ATTRIBUTES = 9 };

/* Field of a Metric by kind: sum, gauge, histogram. */
static const unsigned DATA[] = {
    [MT_COUNTER] = 7,
    [MT_GAUGE] = 5,
    [MT_HISTOGRAM] = 9,
};
MT_TABLE_COVERS(DATA, MT_HISTOGRAM + 1);

static tr_figures *of(mt_figures *f)
{
    return (tr_figures *)(void *)f;
}

static void close_metric(tr_figures *t)
{
    mt_buf *out = t->message.out;
    if (!t->metric) {
        return;
    }
    if (t->kind != MT_GAUGE) {
        tr_proto_varint(out, TEMPORALITY, CUMULATIVE);
    }
    if (t->kind == MT_COUNTER) {
        tr_proto_varint(out, MONOTONIC, 1);
    }
    tr_proto_close(out, t->data);
    tr_proto_close(out, t->metric);
    t->metric = 0;
}

/* "motet.http.requests" would be the convention; one name everywhere is worth more. */
static void add_family(mt_figures *f, mt_figure_kind kind, const char *name,
                       const char *help)
{
    tr_figures *t = of(f);
    mt_buf *out = t->message.out;
    close_metric(t);
    t->kind = kind;
    t->metric = tr_proto_open(out, SCOPE_ITEMS);
    mt_buf full = {0};
    mt_buf_addf(&full, "motet_%s", name);
    tr_proto_bytes(out, METRIC_NAME, mt_buf_str(&full));
    mt_buf_free(&full);
    tr_proto_bytes(out, METRIC_HELP, mt_str_z(help));
    if (mt_str_ends(mt_str_z(name), MT_STR("_seconds"))) {
        tr_proto_bytes(out, METRIC_UNIT, MT_STR("s"));
    }
    t->data = tr_proto_open(out, DATA[kind]);
}

static size_t open_point(tr_figures *t, unsigned attributes, const mt_label *labels,
                         size_t count)
{
    mt_buf *out = t->message.out;
    size_t open = tr_proto_open(out, POINTS);
    tr_proto_fixed64(out, POINT_START, (uint64_t)t->began_ns);
    tr_proto_fixed64(out, POINT_TIME, (uint64_t)t->now_ns);
    for (size_t i = 0; i < count; i++) {
        add_text(out, attributes, labels[i].name, labels[i].value);
    }
    return open;
}

static void add_value(mt_figures *f, const mt_label *labels, size_t count, double value)
{
    tr_figures *t = of(f);
    mt_buf *out = t->message.out;
    size_t open = open_point(t, VALUE_ATTRIBUTES, labels, count);
    if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        tr_proto_fixed64(out, POINT_WHOLE, (uint64_t)(int64_t)value);
    } else {
        tr_proto_double(out, POINT_DOUBLE, value);
    }
    tr_proto_close(out, open);
}

static void add_times(mt_figures *f, const mt_label *labels, size_t count,
                      const mt_times *times)
{
    tr_figures *t = of(f);
    mt_buf *out = t->message.out;
    double sum = (double)atomic_load(&times->sum_ns) / 1e9;
    uint64_t total = 0;
    size_t open = open_point(t, TIMES_ATTRIBUTES, labels, count);
    size_t buckets = tr_proto_open(out, TIMES_BUCKETS);
    for (unsigned i = 0; i < MT_TIME_BUCKETS; i++) {
        uint64_t n = atomic_load_explicit(&times->buckets[i], memory_order_relaxed);
        tr_proto_item64(out, n);
        total += n;
    }
    tr_proto_close(out, buckets);
    size_t bounds = tr_proto_open(out, TIMES_BOUNDS);
    for (unsigned i = 0; i < MT_TIME_BOUND_COUNT; i++) {
        tr_proto_item64(out, tr_proto_bits(MT_TIME_BOUNDS[i]));
    }
    tr_proto_close(out, bounds);
    tr_proto_fixed64(out, TIMES_COUNT, total);
    tr_proto_double(out, TIMES_SUM, sum);
    tr_proto_close(out, open);
}

mt_figures *tr_figures_begin(tr_figures *f, mt_buf *out, const tr_resource *who)
{
    *f = (tr_figures){.figures = {add_family, add_value, add_times},
                      .began_ns = who->began_ns,
                      .now_ns = tr_now_ns()};
    begin_message(&f->message, out, who);
    return &f->figures;
}

void tr_figures_end(tr_figures *f)
{
    close_metric(f);
    tr_message_end(&f->message);
}
