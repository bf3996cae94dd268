/* host/agent_watch.c - see agent_watch.h.
 *
 * Order of a message: the tape is written down before its calls, the record after them,
 * both as a scenario does it, so that the trace of an agent at work and that of the
 * same messages as a scenario agree. Each record is one write, appended, so that a
 * reader sees whole lines.
 *
 * What may fail: writing the trace. That is said once, and the trace ends there: a
 * trace with a hole would not be one. */
#include "host/agent_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/trace.h"
#include "agent/value.h"
#include "base/utf8.h"

enum { SHOWN = 160 }; /* bytes of a payload in words */

struct ho_watch {
    ho_watch_options options;
    mt_arena message;
    mt_str before; /* the tape */
    mt_buf line;
    uint32_t number;
    bool broken; /* the trace could not be written */
};

#define SAY(w, ...) os_say((w)->options.report, (w)->options.report_state, __VA_ARGS__)

static mt_str time_text(mt_arena *a)
{
    struct timespec now;
    struct tm day;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &day);
    return mt_strf(a, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", day.tm_year + 1900,
                   day.tm_mon + 1, day.tm_mday, day.tm_hour, day.tm_min, day.tm_sec,
                   now.tv_nsec / 1000000);
}

static bool traces(const ho_watch *w)
{
    return w->options.trace >= 0 && !w->broken;
}

static void write_trace(ho_watch *w)
{
    mt_str rest = mt_buf_str(&w->line);
    while (rest.len && !w->broken) {
        ssize_t n = write(w->options.trace, rest.ptr, rest.len);
        w->broken = n < 0 && errno != EINTR;
        rest = mt_str_skip(rest, n > 0 ? (size_t)n : 0);
    }
    if (w->broken) {
        SAY(w, "the trace cannot be written and ends here: %s", strerror(errno));
    }
    mt_buf_clear(&w->line);
}

ho_watch *ho_watch_new(const ho_watch_options *options)
{
    ho_watch *w = mt_xmalloc(sizeof *w);
    *w = (ho_watch){.options = *options};
    if (traces(w)) {
        ag_trace_begin(&w->line, &options->file->agent, options->file->shape);
        write_trace(w);
    }
    return w;
}

void ho_watch_free(ho_watch *w, ag_actor *actor)
{
    if (!w) {
        return;
    }
    if (traces(w) && actor) {
        ag_trace_end(&w->line, ag_actor_tape(actor), w->number);
        write_trace(w);
    }
    mt_buf_free(&w->line);
    mt_arena_free(&w->message);
    free(w);
}

void ho_watch_before(ho_watch *w, ag_actor *actor)
{
    if (w && traces(w)) {
        mt_arena_reset(&w->message);
        w->before = ag_trace_tape(&w->message, ag_actor_tape(actor));
    }
}

/* ---- words ---- */

/* A line of it, cut between two characters. */
static mt_str cut(mt_arena *a, mt_str text)
{
    mt_str begin = mt_utf8_cut(text, SHOWN);
    return begin.len == text.len ? text : mt_strf(a, "%.*s…", MT_ARG(begin));
}

static mt_str shown(mt_arena *a, const mt_json *value)
{
    return cut(a, ag_value_text(a, value));
}

static void say_receivers(ho_watch *w, const ag_agent *agent, const ag_record *r)
{
    for (uint32_t i = 0; i < r->activation_count; i++) {
        const ag_activation *x = &r->activations[i];
        const ag_receiver *at = &agent->receivers[x->receiver];
        mt_str route = ag_known_route(at->parsed, &at->route, at->text);
        if (x->failed) {
            SAY(w, "  %.*s (%.*s) failed: %s", MT_ARG(at->name), MT_ARG(route),
                x->failed);
        } else {
            SAY(w, "  %.*s (%.*s)%s%.*s: %s %.*s", MT_ARG(at->name), MT_ARG(route),
                x->state.len ? " on " : "", MT_ARG(x->state),
                ag_action_name(x->event.action), MT_ARG(x->event.trigger));
        }
    }
}

static void say_sent(ho_watch *w, mt_arena *a, const ag_agent *agent,
                     const ag_record *r)
{
    for (uint32_t i = 0; i < r->emission_count; i++) {
        const ag_emission *e = &r->emissions[i];
        mt_str name = agent->senders[r->sends[e->send].sender].name;
        if (e->payload) {
            SAY(w, "  %.*s sends %.*s", MT_ARG(name), MT_ARG(shown(a, e->payload)));
        } else {
            SAY(w, "  %.*s: a hook dropped what it sends", MT_ARG(name));
        }
    }
}

static void say_message(ho_watch *w, ag_actor *actor, const mt_json *payload)
{
    mt_arena a = {0};
    const ag_agent *agent = &w->options.file->agent;
    ag_record r = ag_cycle_record(ag_actor_cycle(actor));
    mt_str from = mt_json_text(mt_json_at(payload, "remote_addr"));
    const mt_json *content = mt_json_at(payload, "content");
    SAY(w, "message %u%s%.*s: %.*s", w->number, from.len ? " from " : "", MT_ARG(from),
        MT_ARG(shown(&a, content ? content : payload)));
    if (ag_cycle_fate(ag_actor_cycle(actor)) != AG_FINISHED) {
        SAY(w, "  it went no further than the hooks or a limit");
    } else if (!r.activation_count) {
        SAY(w, "  no receiver is on the tape");
    }
    say_receivers(w, agent, &r);
    if (r.delta_count) {
        SAY(w, "  tape: %.*s",
            MT_ARG(cut(&a, ag_trace_tape(&a, ag_actor_tape(actor)))));
    }
    say_sent(w, &a, agent, &r);
    mt_arena_free(&a);
}

void ho_watch_message(ho_watch *w, ag_actor *actor, const mt_json *payload)
{
    if (!w) {
        return;
    }
    w->number++;
    if (traces(w)) {
        ag_heard heard = {time_text(&w->message), payload};
        ag_trace_heard(&w->line, w->number, w->before, ag_actor_program(actor),
                       ag_actor_cycle(actor), ag_actor_tape(actor), &heard);
        write_trace(w);
    }
    if (w->options.words) {
        say_message(w, actor, payload);
    }
}

void ho_watch_tick(ho_watch *w, mt_str sender, const mt_json *sent)
{
    mt_arena a = {0};
    if (w && traces(w)) {
        ag_trace_tick(&w->line, time_text(&a), sender, sent);
        write_trace(w);
    }
    if (w && w->options.words) {
        SAY(w, "%.*s sends by its clock %.*s", MT_ARG(sender), MT_ARG(shown(&a, sent)));
    }
    mt_arena_free(&a);
}
