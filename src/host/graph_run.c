/* host/graph_run.c - the loop of a graph that a fixture, a driver or a file feeds.
 * Room: host. First what the run before may have left unsent; then, until somebody
 * or something ends it: is an end asked for, the next event, one step. At the end
 * channels are stopped, whose complaint counts only if nothing went wrong before.
 * INVARIANT: an event is stepped whole or not at all; stops are looked for between
 * steps. What ended the run is one reason with a stable code: of the host, the
 * journal, the ingress or the egress. Nothing else can fail. */
#include "host/graph_run.h"

#include <errno.h>

#include "os/clock.h"

/* How long a signal or a deadline may go unnoticed while no event comes. */
enum { POLL_MS = 100 };

typedef struct loop {
    mt_arena *arena;
    const ho_run_options *o;
    int64_t started_ms;
    uint64_t committed;
    mt_buf last_pump; /* its id: one that changes nothing is not repeated */
    ho_run_result result;
} loop;

static bool end(loop *l, const char *reason, mt_str message, bool asked)
{
    l->result = (ho_run_result){reason, mt_str_dup(l->arena, message), asked};
    return true;
}

/* Did the user ask for an end? Asked between steps, never within one. */
static bool asked_to_stop(loop *l)
{
    const ho_run_options *o = l->o;
    if (o->stop && *o->stop) {
        return end(l, "host_stop_requested", MT_STR("stopped by a signal"), true);
    }
    if (o->max_events && l->committed >= o->max_events) {
        return end(l, "host_stop_requested", MT_STR("reached the number of events"),
                   true);
    }
    if (o->max_ms && (uint64_t)(os_now_ms() - l->started_ms) >= o->max_ms) {
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

/* What the channel said is for the terminal; the capture has only what it did. */
static bool egress_broke(loop *l)
{
    ho_egress_problem p = ho_egress_last_problem(l->o->egress);
    bool asked = l->o->stop && *l->o->stop; /* while it waited to try again */
    return end(l, p.code,
               mt_strf(l->arena, "%.*s%s%.*s", MT_ARG(p.message),
                       p.said.len ? "; it last said: " : "", MT_ARG(p.said)),
               asked);
}

/* What the run before this one may not have sent. True when the run must end. */
static bool dispatch_rest(loop *l)
{
    const ho_run_options *o = l->o;
    mt_err err =
        o->last && o->egress ? ho_graph_host_dispatch(o->host, o->last) : MT_OK;
    if (err == MT_E_CLOSED) {
        return egress_broke(l);
    }
    return err && journal_broke(l);
}

/* What the source need not send again is on disk first. */
static bool taken(loop *l)
{
    const ho_run_options *o = l->o;
    bool waits = ho_ingress_waits(o->ingress);
    if (waits && o->journal && ho_journal_sync(o->journal)) {
        return journal_broke(l);
    }
    (void)ho_ingress_settle(o->ingress, HO_TAKEN, NULL, (mt_str){0});
    return false;
}

/* A source may keep what is refused for somebody to look at; otherwise the run ends. */
static bool refused(loop *l, const ho_graph_event *event)
{
    ho_graph_problem p = ho_graph_host_problem(l->o->host);
    mt_err err = ho_ingress_settle(l->o->ingress, HO_TURNED_DOWN, p.code, p.message);
    if (err == MT_E_IO) {
        return end(l, "ingress.refused_failed",
                   mt_strf(l->arena,
                           "event '%.*s' was refused, and that cannot be "
                           "noted: %s",
                           MT_ARG(event->id), strerror(errno)),
                   false);
    }
    return err && end(l, p.code,
                      mt_strf(l->arena, "event '%.*s': %.*s", MT_ARG(event->id),
                              MT_ARG(p.message)),
                      false);
}

/* One event, or a pump; true when the run must end. */
static bool step(loop *l, const ho_graph_event *event)
{
    const ho_run_options *o = l->o;
    ho_graph_step done;
    mt_err err = ho_graph_host_step(o->host, event, &done);
    /* A channel that broke after the decision was made does not undo it: the event
     * counts, and its intents are sent by the run that goes on. */
    if (err == MT_OK || (err == MT_E_CLOSED && done.event.id.ptr)) {
        l->committed++;
        if (o->observe) {
            o->observe(o->user, &done);
        }
    }
    if (err == MT_OK) {
        return !event->own && taken(l);
    }
    if (err == MT_E_CLOSED && o->egress) {
        return egress_broke(l);
    }
    return err == MT_E_REJECTED ? refused(l, event) : journal_broke(l);
}

/* ---- what was deferred ---- */

static gr_time clock_now(void)
{
    return gr_time_of_ms(os_clock_ns(CLOCK_REALTIME) / 1000000u);
}

/* One pump. False: nothing is due, or it would only be held back again. True and `over`
 * set: the run must end. */
static bool pump_once(loop *l, ho_due when, gr_time at, bool *over)
{
    ho_graph_event pump;
    if (!ho_graph_host_due(l->o->host, when, at, &pump) ||
        mt_str_eq(pump.id, mt_buf_str(&l->last_pump))) {
        return false;
    }
    mt_buf_clear(&l->last_pump);
    mt_buf_adds(&l->last_pump, pump.id);
    *over = asked_to_stop(l) || step(l, &pump);
    return true;
}

/* True: the run must end. */
static bool pump_all(loop *l, ho_due when, gr_time at)
{
    bool over = false;
    while (l->o->pump && !over && pump_once(l, when, at, &over)) {
    }
    return over;
}

/* What waits for a time that this event has reached runs before it. */
static bool arrived(loop *l, const ho_graph_event *event)
{
    const ho_run_options *o = l->o;
    if (o->repeats && ho_graph_host_pass(o->host, event->id)) {
        return taken(l); /* the journal has it */
    }
    if (o->pump) {
        ho_graph_host_enter(o->host, event->payload);
    }
    return pump_all(l, HO_DUE_HERE, event->at) || asked_to_stop(l) || step(l, event);
}

/* Of a source that ended nothing more will move the time, so what waits runs at the
 * times it was put off to. */
static bool last_pumps(loop *l)
{
    (void)pump_all(l, HO_DUE_EVER, (gr_time){0});
    return true;
}

/* While nothing comes, time is the clock's. */
static bool idle(loop *l)
{
    return pump_all(l, HO_DUE_AT, clock_now()) ||
           (ho_journal_idle(l->o->journal) && journal_broke(l));
}

/* True ends the run. When nothing comes, what waits in the journal is synced. */
static bool turn(loop *l)
{
    ho_graph_event event;
    ho_ingress_fault fault;
    switch (ho_ingress_next(l->o->ingress, POLL_MS, &event)) {
    case HO_INGRESS_EVENT: return arrived(l, &event);
    case HO_INGRESS_END: return last_pumps(l);
    case HO_INGRESS_WAIT: return idle(l);
    case HO_INGRESS_BROKEN:
        fault = ho_ingress_problem(l->o->ingress);
        return end(l, fault.code, fault.message, false);
    }
    MT_BUG("unknown ingress result");
}

ho_run_result ho_graph_run(mt_arena *a, const ho_run_options *options)
{
    loop l = {.arena = a, .o = options, .started_ms = os_now_ms()};
    if (options->egress) {
        ho_egress_stop_when(options->egress, options->stop);
    }
    bool over = dispatch_rest(&l);
    while (!over) {
        over = asked_to_stop(&l) || turn(&l);
    }
    if (options->egress && ho_egress_stop(options->egress) && !l.result.reason) {
        (void)egress_broke(&l);
    }
    mt_buf_free(&l.last_pump);
    return l.result;
}
