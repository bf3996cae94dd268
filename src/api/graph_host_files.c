/* api/graph_host_files.c - hosts of graphs with a journal, captures, replay of a file.
 *
 * INVARIANT: `host` is NULL unless everything fits, so nothing runs behind a failure.
 *
 * Opening: the journal is locked and looked at, the host is made, and with `resume`
 * what the journal holds is gone through again, so that the host stands where it stood.
 * What may fail: another process has the journal, it holds events nobody asked to go on
 * with, it is of another graph, or the disk. A replay is a handle of its own, without a
 * host; it reads a file and writes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "api/graph.h"
#include "host/graph_capture.h"
#include "host/graph_resume.h"

/* ---- the journal ---- */

/* The result of closing is dropped: what had
 * to be on disk was waited for at each step. */
static void close_record(motet_graph_host *h)
{
    if (h->resumed) {
        ho_resumed_free(h->resumed);
        free(h->resumed);
    }
    (void)ho_journal_close(h->journal);
}

static const api_host_record RECORD = {.sync = ho_journal_sync, .close = close_record};

/* Events of an earlier run are never written over: going on with them is asked for, or
 * they are taken away by whoever made them. */
static motet_status open_journal(motet_graph_host *h, const char *path, bool resume)
{
    h->path = mt_str_dup(&h->arena, mt_str_z(path));
    mt_err err = ho_journal_open(h->path.ptr, &h->journal);
    h->record = err ? NULL : &RECORD;
    if (err == MT_E_BUSY) {
        return api_host_fail(
            h, err, mt_strf(&h->arena, "another process writes the journal %s", path));
    }
    if (err) {
        return api_host_fail(
            h, err, mt_strf(&h->arena, "cannot write %s: %s", path, strerror(errno)));
    }
    if (!resume && ho_journal_held(h->journal) && ho_journal_holds(h->path.ptr)) {
        return api_host_fail(
            h, MT_E_EXISTS,
            mt_strf(&h->arena,
                    "%s holds events: go on with it (resume), or take it away", path));
    }
    h->options.journal = h->journal;
    return MOTET_OK;
}

/* Comes to where the journal ends. Intents of its last event may not have been sent:
 * they are in the decision, as after a step. */
static motet_status catch_up(motet_graph_host *h)
{
    h->resumed = mt_xmalloc(sizeof *h->resumed);
    *h->resumed = (ho_resumed){0};
    ho_run_options run = {.host = h->host, .journal = h->journal};
    mt_err err =
        ho_graph_resume(&h->arena, &h->options, h->path.ptr, &run, false, h->resumed);
    if (err) {
        ho_graph_host_free(h->host);
        h->host = NULL;
        return api_host_fail(h, err,
                             mt_strf(&h->arena, "cannot go on with %.*s: %.*s",
                                     MT_ARG(h->path), MT_ARG(h->resumed->why)));
    }
    h->step = h->resumed->last;
    h->stepped = h->resumed->events > 0;
    return MOTET_OK;
}

/* A journal that is there and empty is one that begins. */
static motet_status open_recorded(motet_graph_host *h, const char *journal, bool resume)
{
    motet_status status = open_journal(h, journal, resume);
    status = status ? status : api_host_make(h);
    bool holds = !status && resume && ho_journal_held(h->journal) &&
                 ho_journal_holds(h->path.ptr);
    return holds ? catch_up(h) : status;
}

motet_status motet_graph_host_open(const motet_graph *graph,
                                   const motet_supervision *supervision,
                                   const char *journal, bool resume,
                                   motet_graph_host **out)
{
    motet_graph_host *h = *out = api_host_new();
    motet_status status = api_host_prepare(h, graph, supervision);
    if (status) {
        return status;
    }
    return journal ? open_recorded(h, journal, resume) : api_host_make(h);
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
    if (!h) {
        return MOTET_E_USAGE;
    }
    mt_buf why = {0};
    motet_status status = MOTET_OK;
    if (!h->host || !h->journal) {
        return api_host_fail(h, MT_E_USAGE, MT_STR("a capture is made of a journal"));
    }
    if (is_journal(h, path)) {
        return api_host_fail(h, MT_E_USAGE,
                             MT_STR("the capture would replace its journal"));
    }
    mt_err err = ho_graph_host_begin(h->host);
    err = err ? err : ho_journal_sync(h->journal);
    if (err) {
        return api_host_cannot_record(h, err);
    }
    err = ho_capture_export(h->path.ptr, path, false, NULL, NULL, &why);
    if (err) {
        status = api_host_fail(h, err, mt_buf_str(&why));
    }
    mt_buf_free(&why);
    return status;
}

/* ---- replay ---- */

/* What a replay came to. `message` is empty when everything was the same. */
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

/* *out is set in every case. The sum beside the
 * file is checked before the file is believed. */
motet_status motet_graph_replay(const motet_graph *g, const char *capture,
                                motet_replay **out)
{
    motet_replay *r = mt_xmalloc(sizeof *r);
    ho_capture_file f;
    mt_buf why = {0};
    *r = (motet_replay){0};
    *out = r;
    if (!g || !g->graph || !capture) {
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
    if (!r) {
        return 0;
    }
    return r->events;
}

motet_str motet_replay_message(const motet_replay *r)
{
    if (!r) {
        return (motet_str){"", 0};
    }
    return api_out_str(r->message);
}
