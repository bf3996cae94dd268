/* api/graph_host.c - the public API's host of a graph.
 *
 * A motet_graph_host is a ho_graph_host with a context in memory, and with a journal
 * if api/graph_host_files.c gives it one. Intents are held: the embedder has its own
 * ways to send things, and finds them in the decision. What an event with intents
 * became is on disk before the embedder can send them, as in a run of `motet graph
 * run`.
 *
 * INVARIANT: `host` is NULL unless everything fits, so nothing runs behind a failure;
 * after an event that could not be recorded `broken` says so. Texts that are handed
 * out live in `text` or `message` until the next call. */
#include <errno.h>
#include <stdlib.h>

#include "api/graph.h"
#include "base/utf8.h"
#include "host/graph_trace.h"

/* Seconds of the last moment of the year 9999. */
#define LATEST_SECS 253402300799u
#define NANOS       1000000000u

/* The message stays until the next call that has one. */
motet_status api_host_fail(motet_graph_host *h, mt_err err, mt_str why)
{
    mt_buf_clear(&h->message);
    mt_buf_adds(&h->message, why);
    return (motet_status)err;
}

/* ---- opening ---- */

/* 0 is how C says "not given". */
static gr_time_option span_of(uint64_t ms)
{
    return (gr_time_option){ms != 0, gr_time_of_ms(ms)};
}

static gr_constraints limits_of(const motet_supervision *s)
{
    return (gr_constraints){
        .max_per_window = {s->max_per_window != 0, s->max_per_window},
        .rate_window = span_of(s->rate_window_ms),
        .deadline = span_of(s->deadline_ms),
        .max_retries = s->max_retries,
    };
}

/* All that does not fit, in one text. */
motet_status api_host_make(motet_graph_host *h)
{
    mt_diags ds = {.arena = &h->arena};
    mt_err err = ho_graph_host_new(&h->options, &ds, &h->host);
    mt_buf_clear(&h->message);
    for (size_t i = 0; i < ds.len && err; i++) {
        mt_buf_addf(&h->message, "%s%s: %.*s", i ? "; " : "", ds.items[i].code,
                    MT_ARG(ds.items[i].message));
    }
    return (motet_status)err;
}

motet_graph_host *api_host_new(void)
{
    motet_graph_host *h = mt_xmalloc(sizeof *h);
    *h = (motet_graph_host){0};
    return h;
}

/* What was taken into h->options is freed with the host, also after a failure. */
motet_status api_host_prepare(motet_graph_host *h, const motet_graph *graph,
                              const motet_supervision *supervision)
{
    motet_supervision s = {0};
    motet_status status = supervision ? API_TAKE(&s, supervision) : MOTET_OK;
    if (status) {
        return api_host_fail(h, (mt_err)status,
                             MT_STR("the supervision does not say its size"));
    }
    if (!graph || !graph->graph) {
        return api_host_fail(h, MT_E_REJECTED, MT_STR("the graph was refused"));
    }
    h->options = (ho_graph_options){
        .graph = graph->graph,
        .adapter = graph->adapter,
        .context = ho_context_in_memory(),
        .primitives = ho_own_used(&h->arena, graph->graph),
        .limits = limits_of(&s),
        .key = graph->adapter ? graph->adapter->key : (mt_str){0},
        .production = true,
        .hold_intents = true,
        .unrouted = true,
        .skip_duplicates = s.skip_duplicates,
    };
    return gr_constraints_fit(&h->options.limits)
               ? MOTET_OK
               : api_host_fail(h, MT_E_REJECTED,
                               MT_STR("max_per_window and rate_window_ms go together"));
}

motet_status motet_graph_host_new(const motet_graph *graph,
                                  const motet_supervision *supervision,
                                  motet_graph_host **out)
{
    motet_graph_host *h = *out = api_host_new();
    motet_status status = api_host_prepare(h, graph, supervision);
    return status ? status : api_host_make(h);
}

/* The host before its context, which it writes to; the journal is closed last. */
void motet_graph_host_free(motet_graph_host *h)
{
    if (!h) {
        return;
    }
    ho_graph_host_free(h->host);
    if (h->options.context.free) {
        h->options.context.free(h->options.context.state);
    }
    if (h->record) {
        h->record->close(h);
    }
    mt_buf_free(&h->text);
    mt_buf_free(&h->message);
    mt_arena_free(&h->scratch);
    mt_arena_free(&h->arena);
    free(h);
}

/* ---- events ---- */

/* What an event says that is not even one. */
static const char *fault_of(const motet_graph_event *e, gr_signal_kind *kind)
{
    *kind = GR_DATA_AVAILABLE;
    if (e->kind && !gr_signal_kind_parse(mt_str_z(e->kind), kind)) {
        return "`kind` is Pump, DataAvailable or Command";
    }
    if (e->secs > LATEST_SECS || e->nanos >= NANOS) {
        return "its time is after the year 9999, or has a second or more of "
               "nanoseconds";
    }
    if (mt_utf8_check(api_in_str(e->id)) != e->id.len) {
        return "its id is not UTF-8";
    }
    return e->id.len ? NULL : "it has no id";
}

/* The caller's texts end with its call; what was decided is asked for later. */
static mt_str keep(motet_graph_host *h, motet_str text)
{
    return text.ptr ? mt_str_dup(&h->scratch, api_in_str(text)) : (mt_str){0};
}

/* Checks before it copies. Everything kept lives in `scratch`, until the next event. */
static motet_status read_event(motet_graph_host *h, const motet_graph_event *e,
                               ho_graph_event *out)
{
    const char *fault = fault_of(e, &out->kind);
    mt_json *payload = NULL;
    mt_json_error why;
    if (fault) {
        return api_host_fail(h, MT_E_REJECTED, mt_str_z(fault));
    }
    if (e->payload.len) {
        payload = mt_new(&h->scratch, mt_json);
        if (mt_json_read(&h->scratch, keep(h, e->payload), NULL, payload, &why)) {
            return api_host_fail(h, MT_E_REJECTED, MT_STR("the payload is not JSON"));
        }
    }
    out->id = keep(h, e->id);
    out->at = (gr_time){e->secs, e->nanos};
    out->semantic_kind = keep(h, e->semantic_kind);
    out->payload = payload;
    return MOTET_OK;
}

/* Only then the disk is waited for: what nobody outside sees can be computed again. */
static bool has_intents(const ho_graph_step *step)
{
    const gr_episode *e = step->episode;
    for (uint32_t i = 0; e && !e->fault.code && i < e->effect_count; i++) {
        if (e->effects[i].intent) {
            return true;
        }
    }
    return false;
}

/* errno is the operating system's word where
 * there is one; a step sets it to 0 first. */
motet_status api_host_cannot_record(motet_graph_host *h, mt_err err)
{
    h->broken = true;
    return api_host_fail(h, err,
                         mt_strf(&h->arena, "the journal cannot be written: %s",
                                 errno ? strerror(errno) : mt_err_text(err)));
}

/* An event that is refused is not in the journal, and changes nothing. */
motet_status motet_graph_host_step(motet_graph_host *h, const motet_graph_event *given)
{
    if (!h) {
        return MOTET_E_USAGE;
    }
    ho_graph_event event = {0};
    motet_graph_event e;
    if (!h->host || h->broken) {
        return MOTET_E_CLOSED; /* the message still says why */
    }
    h->stepped = false;
    mt_arena_reset(&h->scratch);
    motet_status status = given ? API_TAKE(&e, given) : MOTET_E_USAGE;
    status = status ? api_host_fail(h, (mt_err)status,
                                    MT_STR("the event does not say its size"))
                    : read_event(h, &e, &event);
    if (status) {
        return status;
    }
    errno = 0;
    mt_err err = ho_graph_host_step(h->host, &event, &h->step);
    if (err == MT_E_REJECTED) {
        ho_graph_problem p = ho_graph_host_problem(h->host);
        return api_host_fail(
            h, err, mt_strf(&h->scratch, "%s: %.*s", p.code, MT_ARG(p.message)));
    }
    if (!err && h->record && has_intents(&h->step)) {
        err = h->record->sync(h->journal);
    }
    h->stepped = !err;
    return err ? api_host_cannot_record(h, err) : MOTET_OK;
}

/* Empty when the last event was refused or could not be recorded. */
motet_str motet_graph_host_decision(motet_graph_host *h)
{
    if (!h) {
        return (motet_str){"", 0};
    }
    mt_buf_clear(&h->text);
    if (h->stepped) {
        ho_graph_trace_decision(&h->text, &h->step);
    }
    return api_out_str(mt_buf_str(&h->text));
}

motet_value motet_graph_host_value(const motet_graph_host *h, const char *node,
                                   const char *port)
{
    if (!h) {
        return (motet_value){.type = MOTET_NONE};
    }
    return h->stepped && h->step.episode ? api_node_value(h->step.episode, node, port)
                                         : (motet_value){.type = MOTET_NONE};
}

motet_value motet_graph_host_context(const motet_graph_host *h, const char *key)
{
    if (!h) {
        return (motet_value){.type = MOTET_NONE};
    }
    const ho_context *c = &h->options.context;
    const gr_value *v = c->get ? c->get(c->state, mt_str_z(key)) : NULL;
    return v ? ho_own_out(v) : (motet_value){.type = MOTET_NONE};
}

motet_str motet_graph_host_message(const motet_graph_host *h)
{
    if (!h) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&h->message));
}
