/* api/graph_host.c - the public API's host of a graph, and its replay.
 *
 * A motet_graph_host is a ho_graph_host with a context in memory and a journal of its
 * own. Intents are held: the embedder has its own ways to send things, and finds them
 * in the decision. What an event with intents became is on disk before the embedder
 * can send them, as in a run of `motet graph run`.
 *
 * INVARIANT: `host` is NULL unless everything fits, so nothing runs behind a failure;
 * after an event that could not be recorded `broken` says so. Texts that are handed
 * out live in `text` or `message` until the next call. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "api/graph.h"
#include "base/utf8.h"
#include "host/graph_capture.h"
#include "host/graph_resume.h"
#include "host/graph_trace.h"

/* Seconds of the last moment of the year 9999. */
#define LATEST_SECS 253402300799u
#define NANOS       1000000000u

struct motet_graph_host {
    ho_graph_host *host; /* NULL: it was refused */
    ho_graph_options options;
    ho_journal *journal; /* NULL: none */
    mt_str path;         /* of the journal */
    mt_arena arena;      /* as long as the host */
    mt_arena scratch;    /* one event */
    ho_graph_step step;  /* of the last event */
    ho_resumed resumed;  /* what `step` may borrow from */
    bool stepped;        /* there was one */
    bool broken;         /* it could not be recorded */
    mt_buf text, message;
};

/* The message stays until the next call that has one. */
static motet_status fail(motet_graph_host *h, mt_err err, mt_str why)
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

/* Events of an earlier run are never written over: going on with them is asked for, or
 * they are taken away by whoever made them. */
static motet_status open_journal(motet_graph_host *h, const char *path, bool resume)
{
    h->path = mt_str_dup(&h->arena, mt_str_z(path));
    mt_err err = ho_journal_open(h->path.ptr, &h->journal);
    if (err == MT_E_BUSY) {
        return fail(h, err,
                    mt_strf(&h->arena, "another process writes the journal %s", path));
    }
    if (err) {
        return fail(h, err,
                    mt_strf(&h->arena, "cannot write %s: %s", path, strerror(errno)));
    }
    if (!resume && ho_journal_held(h->journal) && ho_journal_holds(h->path.ptr)) {
        return fail(h, MT_E_EXISTS,
                    mt_strf(&h->arena,
                            "%s holds events: go on with it (resume), or take it away",
                            path));
    }
    h->options.journal = h->journal;
    return MOTET_OK;
}

/* All that does not fit, in one text. */
static motet_status make_host(motet_graph_host *h)
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

/* Comes to where the journal ends. Intents of its last event may not have been sent:
 * they are in the decision, as after a step. */
static motet_status catch_up(motet_graph_host *h)
{
    ho_run_options run = {.host = h->host, .journal = h->journal};
    mt_err err =
        ho_graph_resume(&h->arena, &h->options, h->path.ptr, &run, false, &h->resumed);
    if (err) {
        ho_graph_host_free(h->host);
        h->host = NULL;
        return fail(h, err,
                    mt_strf(&h->arena, "cannot go on with %.*s: %.*s", MT_ARG(h->path),
                            MT_ARG(h->resumed.why)));
    }
    h->step = h->resumed.last;
    h->stepped = h->resumed.events > 0;
    return MOTET_OK;
}

/* A journal that is there and empty is one that begins. */
static motet_status open_host(motet_graph_host *h, const motet_graph *graph,
                              const motet_supervision *s, const char *journal,
                              bool resume)
{
    if (!graph->graph) {
        return fail(h, MT_E_REJECTED, MT_STR("the graph was refused"));
    }
    h->options = (ho_graph_options){
        .graph = graph->graph,
        .adapter = graph->adapter,
        .context = ho_context_in_memory(),
        .primitives = ho_own_used(&h->arena, graph->graph),
        .limits = limits_of(s),
        .key = graph->adapter ? graph->adapter->key : (mt_str){0},
        .production = true,
        .hold_intents = true,
        .unrouted = true,
        .skip_duplicates = s->skip_duplicates,
    };
    if (!gr_constraints_fit(&h->options.limits)) {
        return fail(h, MT_E_REJECTED,
                    MT_STR("max_per_window and rate_window_ms go together"));
    }
    motet_status status = journal ? open_journal(h, journal, resume) : MOTET_OK;
    status = status ? status : make_host(h);
    bool holds = !status && resume && journal && ho_journal_held(h->journal) &&
                 ho_journal_holds(h->path.ptr);
    return holds ? catch_up(h) : status;
}

motet_status motet_graph_host_open(const motet_graph *graph,
                                   const motet_supervision *supervision,
                                   const char *journal, bool resume,
                                   motet_graph_host **out)
{
    motet_supervision told = {0};
    motet_graph_host *h = mt_xmalloc(sizeof *h);
    *h = (motet_graph_host){0};
    *out = h;
    motet_status status = supervision ? API_TAKE(&told, supervision) : MOTET_OK;
    return status ? fail(h, (mt_err)status,
                         MT_STR("the supervision does not say its size"))
                  : open_host(h, graph, &told, journal, resume);
}

void motet_graph_host_free(motet_graph_host *h)
{
    if (!h) {
        return;
    }
    ho_graph_host_free(h->host);
    ho_resumed_free(&h->resumed);
    if (h->options.context.free) {
        h->options.context.free(h->options.context.state);
    }
    if (h->journal) {
        (void)ho_journal_close(h->journal);
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

static motet_status read_event(motet_graph_host *h, const motet_graph_event *e,
                               ho_graph_event *out)
{
    const char *fault = fault_of(e, &out->kind);
    mt_json *payload = NULL;
    mt_json_error why;
    if (fault) {
        return fail(h, MT_E_REJECTED, mt_str_z(fault));
    }
    if (e->payload.len) {
        payload = mt_new(&h->scratch, mt_json);
        if (mt_json_read(&h->scratch, keep(h, e->payload), NULL, payload, &why)) {
            return fail(h, MT_E_REJECTED, MT_STR("the payload is not JSON"));
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

/* From here on memory is ahead of the journal, so the host takes no more events. */
static motet_status cannot_record(motet_graph_host *h, mt_err err)
{
    h->broken = true;
    return fail(h, err,
                mt_strf(&h->arena, "the journal cannot be written: %s",
                        errno ? strerror(errno) : mt_err_text(err)));
}

/* An event that is refused is not in the journal, and changes nothing. */
motet_status motet_graph_host_step(motet_graph_host *h, const motet_graph_event *given)
{
    ho_graph_event event = {0};
    motet_graph_event e;
    if (!h->host || h->broken) {
        return MOTET_E_CLOSED; /* the message still says why */
    }
    h->stepped = false;
    mt_arena_reset(&h->scratch);
    motet_status status = API_TAKE(&e, given);
    status = status ? fail(h, (mt_err)status, MT_STR("the event does not say its size"))
                    : read_event(h, &e, &event);
    if (status) {
        return status;
    }
    errno = 0;
    mt_err err = ho_graph_host_step(h->host, &event, &h->step);
    if (err == MT_E_REJECTED) {
        ho_graph_problem p = ho_graph_host_problem(h->host);
        return fail(h, err,
                    mt_strf(&h->scratch, "%s: %.*s", p.code, MT_ARG(p.message)));
    }
    if (!err && h->journal && has_intents(&h->step)) {
        err = ho_journal_sync(h->journal);
    }
    h->stepped = !err;
    return err ? cannot_record(h, err) : MOTET_OK;
}

motet_str motet_graph_host_decision(motet_graph_host *h)
{
    mt_buf_clear(&h->text);
    if (h->stepped) {
        ho_graph_trace_decision(&h->text, &h->step);
    }
    return api_out_str(mt_buf_str(&h->text));
}

motet_value motet_graph_host_value(const motet_graph_host *h, const char *node,
                                   const char *port)
{
    return h->stepped && h->step.episode ? api_node_value(h->step.episode, node, port)
                                         : (motet_value){.type = MOTET_NONE};
}

motet_value motet_graph_host_context(const motet_graph_host *h, const char *key)
{
    const ho_context *c = &h->options.context;
    const gr_value *v = c->get ? c->get(c->state, mt_str_z(key)) : NULL;
    return v ? ho_own_out(v) : (motet_value){.type = MOTET_NONE};
}

motet_str motet_graph_host_message(const motet_graph_host *h)
{
    return api_out_str(mt_buf_str(&h->message));
}

/* By what the path leads to, not by how it is written. */
static bool is_journal(const motet_graph_host *h, const char *path)
{
    struct stat mine, there;
    return stat(h->path.ptr, &mine) == 0 && stat(path, &there) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* Everything up to here is on disk first: a capture never says more than its journal.
 */
motet_status motet_graph_host_capture(motet_graph_host *h, const char *path)
{
    mt_buf why = {0};
    motet_status status = MOTET_OK;
    if (!h->host || !h->journal) {
        return fail(h, MT_E_USAGE, MT_STR("a capture is made of a journal"));
    }
    if (is_journal(h, path)) {
        return fail(h, MT_E_USAGE, MT_STR("the capture would replace its journal"));
    }
    mt_err err = ho_graph_host_begin(h->host);
    err = err ? err : ho_journal_sync(h->journal);
    if (err) {
        return cannot_record(h, err);
    }
    err = ho_capture_export(h->path.ptr, path, false, NULL, NULL, &why);
    if (err) {
        status = fail(h, err, mt_buf_str(&why));
    }
    mt_buf_free(&why);
    return status;
}

/* ---- replay ---- */

struct motet_replay {
    mt_arena arena;
    mt_str message;
    uint64_t events;
};

/* One sentence: the place, both sides. */
static mt_str divergence_text(mt_arena *a, const ho_replay_result *r)
{
    const ho_divergence *d = &r->divergence;
    if (!d->code) {
        return r->diags.len ? r->diags.items[0].message
                            : mt_strf(a, "%.*s: %.*s", MT_ARG(r->fault.path),
                                      MT_ARG(r->fault.message));
    }
    mt_str text = mt_strf(a, "%s: %.*s", d->code, MT_ARG(d->message));
    if (d->event != SIZE_MAX) {
        text = mt_strf(a, "%.*s at event %zu (%.*s)", MT_ARG(text), d->event,
                       MT_ARG(d->event_id));
    }
    return d->recorded.ptr
               ? mt_strf(a, "%.*s: recorded %.*s, replayed %.*s", MT_ARG(text),
                         MT_ARG(d->recorded), MT_ARG(d->replayed))
               : text;
}

/* A sum beside a capture is there to be believed; without one there is nothing to
 * check. */
static mt_err check_sum(motet_replay *r, const ho_capture_file *f, const char *path)
{
    mt_sha256 digest;
    if (!ho_capture_vouched(path)) {
        return MT_OK;
    }
    mt_err err = ho_capture_digest(f, &digest);
    ho_sum_state sum = err ? HO_SUM_UNREAD : ho_capture_sum(path, digest);
    if (sum == HO_SUM_GOOD || sum == HO_SUM_ABSENT) {
        return MT_OK;
    }
    r->message = mt_strf(&r->arena,
                         sum == HO_SUM_BAD ? "%s does not match its checksum %s.sum"
                                           : "%s cannot be held against %s.sum",
                         path, path);
    return sum == HO_SUM_BAD ? MT_E_CORRUPT : MT_E_IO;
}

static mt_err replay_file(motet_replay *r, const motet_graph *g, ho_capture_file *f)
{
    ho_replay_options o = {.graph = g->graph, .adapter = g->adapter};
    ho_replay_result result;
    mt_err err = ho_replay(&r->arena, f->reader, &o, &result);
    r->events = result.counts.events;
    if (err) {
        r->message = divergence_text(&r->arena, &result);
    }
    return err;
}

motet_status motet_graph_replay(const motet_graph *g, const char *capture,
                                motet_replay **out)
{
    motet_replay *r = mt_xmalloc(sizeof *r);
    ho_capture_file f;
    mt_buf why = {0};
    *r = (motet_replay){0};
    *out = r;
    if (!g->graph) {
        r->message = MT_STR("the graph was refused");
        return MOTET_E_REJECTED;
    }
    mt_err err = ho_capture_open(&r->arena, capture, 0, &f, &why);
    r->message = mt_str_dup(&r->arena, mt_buf_str(&why));
    mt_buf_free(&why);
    if (!err) {
        err = check_sum(r, &f, capture);
        err = err ? err : replay_file(r, g, &f);
        ho_capture_close(&f);
    }
    return (motet_status)err;
}

void motet_replay_free(motet_replay *r)
{
    if (r) {
        mt_arena_free(&r->arena);
        free(r);
    }
}

uint64_t motet_replay_events(const motet_replay *r)
{
    return r->events;
}

motet_str motet_replay_message(const motet_replay *r)
{
    return api_out_str(r->message);
}
