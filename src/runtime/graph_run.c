#include "runtime/graph_run.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/file.h"

enum { POLL_MS = 100 };

typedef struct loop {
    mt_arena *arena;
    const rt_run_options *o;
    int64_t started_ms;
    uint64_t committed;
    rt_run_result result;
} loop;

static bool end(loop *l, const char *reason, mt_str message, bool asked)
{
    l->result = (rt_run_result){reason, mt_str_dup(l->arena, message), asked};
    return true;
}

/* Did the user ask for an end? Asked between steps, never within one. */
static bool asked_to_stop(loop *l)
{
    const rt_run_options *o = l->o;
    if (o->stop && *o->stop) {
        return end(l, "host_stop_requested", MT_STR("stopped by a signal"), true);
    }
    if (o->max_events && l->committed >= o->max_events) {
        return end(l, "host_stop_requested", MT_STR("reached the number of events"),
                   true);
    }
    if (o->max_ms && (uint64_t)(rt_now_ms() - l->started_ms) >= o->max_ms) {
        return end(l, "host_stop_requested", MT_STR("reached the duration"), true);
    }
    return false;
}

static bool journal_broke(loop *l)
{
    return end(l, "capture.write_failed",
               mt_strf(l->arena, "the journal cannot be written: %s", strerror(errno)),
               false);
}

/* One event; true when the run must end. */
static bool step(loop *l, const rt_graph_event *event)
{
    const rt_run_options *o = l->o;
    rt_graph_step done;
    mt_err err = rt_graph_host_step(o->host, event, &done);
    if (err == MT_OK || (err == MT_E_CLOSED && done.event.id.ptr)) {
        l->committed++;
        if (o->observe) {
            o->observe(o->user, &done);
        }
    }
    if (err == MT_OK) {
        return false;
    }
    if (err == MT_E_CLOSED && o->egress) {
        rt_egress_problem p = rt_egress_last_problem(o->egress);
        return end(l, p.code, p.message, false);
    }
    if (err == MT_E_REJECTED) {
        rt_graph_problem p = rt_graph_host_problem(o->host);
        return end(l, p.code,
                   mt_strf(l->arena, "event '%.*s': %.*s", MT_ARG(event->id),
                           MT_ARG(p.message)),
                   false);
    }
    return journal_broke(l);
}

static bool turn(loop *l)
{
    rt_graph_event event;
    rt_ingress_fault fault;
    switch (rt_ingress_next(l->o->ingress, POLL_MS, &event)) {
    case RT_INGRESS_EVENT: return step(l, &event);
    case RT_INGRESS_END: return true;
    case RT_INGRESS_WAIT: return rt_journal_idle(l->o->journal) && journal_broke(l);
    case RT_INGRESS_BROKEN:
        fault = rt_ingress_problem(l->o->ingress);
        return end(l, fault.code, fault.message, false);
    }
    MT_BUG("unknown ingress result");
}

rt_run_result rt_graph_run(mt_arena *a, const rt_run_options *options)
{
    loop l = {.arena = a, .o = options, .started_ms = rt_now_ms()};
    while (!asked_to_stop(&l) && !turn(&l)) {
    }
    if (options->egress && rt_egress_stop(options->egress) && !l.result.reason) {
        rt_egress_problem p = rt_egress_last_problem(options->egress);
        (void)end(&l, p.code, p.message, false);
    }
    return l.result;
}

/* ---- captures on disk ---- */

static mt_str sum_line(mt_arena *a, const char *capture, mt_str bytes)
{
    mt_str hex = mt_sha256_hex(a, mt_sha256_of(bytes));
    mt_str name = mt_str_basename(mt_str_z(capture));
    return mt_strf(a, "%.*s  %.*s\n", MT_ARG(hex), MT_ARG(name));
}

/* What is signed: a name of our own before the digest, so that a signature of something
 * else can never pass for one of a capture. */
static mt_str signed_text(mt_arena *a, mt_str bytes)
{
    return mt_strf(a, "motet-capture %.*s",
                   MT_ARG(mt_sha256_hex(a, mt_sha256_of(bytes))));
}

static mt_err write_signature(mt_arena *a, const char *capture, mt_str bytes,
                              const mt_sign_key *key)
{
    char line[2 * MT_SIGN_PUBLIC + 1 + 2 * MT_SIGN_BYTES + 1];
    mt_signature signature = mt_sign(key, signed_text(a, bytes));
    mt_hex(key->open.bytes, MT_SIGN_PUBLIC, line);
    line[2 * MT_SIGN_PUBLIC] = ' ';
    mt_hex(signature.bytes, MT_SIGN_BYTES, line + 2 * MT_SIGN_PUBLIC + 1);
    line[sizeof line - 1] = '\n';
    return rt_write_file(mt_strf(a, "%s.sig", capture).ptr,
                         mt_str_from(line, sizeof line), 0644);
}

/* The capture, then what vouches for it. A signature of an earlier capture goes. */
static mt_err write_capture(mt_arena *a, const char *capture, mt_str bytes,
                            const mt_sign_key *key)
{
    mt_str sum = mt_strf(a, "%s.sum", capture);
    unlink(mt_strf(a, "%s.sig", capture).ptr);
    mt_err err = rt_write_file(capture, bytes, 0644);
    err = err ? err : rt_write_file(sum.ptr, sum_line(a, capture, bytes), 0644);
    return err || !key ? err : write_signature(a, capture, bytes, key);
}

mt_err rt_capture_export(const char *journal, const char *capture, bool pretty,
                         const mt_sign_key *key, mt_buf *why)
{
    mt_arena a = {0};
    mt_buf out = {0};
    mt_str text;
    gr_capture c;
    gr_capture_fault fault;
    mt_err err = rt_read_file(&a, journal, UINT32_MAX, &text);
    if (err) {
        mt_buf_addf(why, "cannot read %s: %s", journal,
                    errno ? strerror(errno) : mt_err_text(err));
        goto out;
    }
    err = gr_capture_read(&a, text, &c, &fault);
    if (err) {
        mt_buf_addf(why, "%s, %.*s: %.*s", journal, MT_ARG(fault.path),
                    MT_ARG(fault.message));
        goto out;
    }
    gr_capture_write(&out, &c, pretty);
    err = write_capture(&a, capture, mt_buf_str(&out), key);
    if (err) {
        mt_buf_addf(why, "cannot write %s: %s", capture, strerror(errno));
    }
out:
    mt_buf_free(&out);
    mt_arena_free(&a);
    return err;
}

rt_sum_state rt_capture_sum(const char *capture, mt_str bytes)
{
    mt_arena a = {0};
    mt_str stored;
    mt_str path = mt_strf(&a, "%s.sum", capture);
    rt_sum_state state = RT_SUM_ABSENT;
    mt_err err = rt_read_file(&a, path.ptr, 4096, &stored);
    if (err != MT_E_NOTFOUND) {
        /* The digest decides; the name in it may be that of an earlier place. */
        mt_str digest = mt_sha256_hex(&a, mt_sha256_of(bytes));
        bool good = !err && mt_str_starts(stored, digest);
        state = good ? RT_SUM_GOOD : RT_SUM_BAD;
    }
    mt_arena_free(&a);
    return state;
}

static bool signature_good(mt_arena *a, mt_str line, mt_str bytes,
                           const mt_sign_public *expected)
{
    mt_sign_public key;
    mt_signature signature;
    mt_str hex = mt_str_from(line.ptr, mt_str_find(line, ' '));
    mt_str rest = mt_str_skip(line, hex.len + 1);
    rest.len -= rest.len && rest.ptr[rest.len - 1] == '\n';
    return mt_unhex(hex, key.bytes, MT_SIGN_PUBLIC) &&
           mt_unhex(rest, signature.bytes, MT_SIGN_BYTES) &&
           (!expected || memcmp(expected->bytes, key.bytes, MT_SIGN_PUBLIC) == 0) &&
           mt_sign_verify(&key, signed_text(a, bytes), &signature);
}

rt_sum_state rt_capture_signature(const char *capture, mt_str bytes,
                                  const mt_sign_public *expected)
{
    mt_arena a = {0};
    mt_str line;
    mt_err err = rt_read_file(&a, mt_strf(&a, "%s.sig", capture).ptr, 4096, &line);
    rt_sum_state state = RT_SUM_ABSENT;
    if (err != MT_E_NOTFOUND) {
        bool good = !err && signature_good(&a, line, bytes, expected);
        state = good ? RT_SUM_GOOD : RT_SUM_BAD;
    }
    mt_arena_free(&a);
    return state;
}
