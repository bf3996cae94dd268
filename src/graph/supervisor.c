/* graph/supervisor.c - who may run now, who has to wait, and when it runs after all.
 *
 * gr_supervise() decides about one signal: Skip what is filtered, Defer what the rate
 * or the concurrency does not allow, Invoke the rest. Deferred episodes wait in a heap
 * by (time, id); a pump releases at most one that is due and never runs for itself.
 * The host runs the episode and answers how it ended; a failure that may be retried
 * is, up to the limit, in the same decision.
 *
 * Time is the signals' own: `now` is the latest `at` seen and never goes back, so a
 * replay decides the same. The rate window is a ring of run times.
 * gr_supervisor_follow() takes over recorded decisions instead of deciding, for
 * resuming after a crash.
 *
 * Invariants: episode ids grow by one per decision; sums of times saturate; what waits
 * is kept by the host (keep, drop) and dropped exactly once. Nothing can fail: a
 * record that does not fit is answered false. */
#include "graph/supervisor.h"

#include <stdlib.h>

enum { NANOS = 1000000000 };

struct gr_supervisor {
    gr_constraints limits;
    gr_supervisor_host host;
    gr_time now; /* the latest `at` seen */
    uint64_t next_episode;
    gr_waiting *queue; /* a binary heap by (schedule_at, episode_id) */
    size_t queued, queue_cap;
    gr_time *window; /* run times within the rate window, a ring, oldest at `first` */
    size_t first, in_window, window_cap;
};

/* ---- names ---- */

static const char *const EVENT_KINDS[] = {
    [GR_PUMP] = "Pump",
    [GR_DATA_AVAILABLE] = "DataAvailable",
    [GR_COMMAND] = "Command",
};
MT_TABLE_COVERS(EVENT_KINDS, GR_COMMAND + 1);
static const char *const VERDICTS[] = {
    [GR_INVOKE] = "Invoke",
    [GR_SKIP] = "Skip",
    [GR_DEFER] = "Defer",
};
MT_TABLE_COVERS(VERDICTS, GR_DEFER + 1);
static const char *const ENDS[] = {
    [GR_END_COMPLETED] = "Completed",
    [GR_END_TIMED_OUT] = "TimedOut",
    [GR_END_ABORTED] = "Aborted",
    [GR_END_FAILED] = "Failed",
};
MT_TABLE_COVERS(ENDS, GR_END_FAILED + 1);

static const struct {
    const char *name;
    bool retried;
} FAULTS[GR_FAILURE_COUNT] = {
#define GR_FAILURE_ROW(name, text, retried) [GR_FAILURE_##name] = {text, retried},
    GR_FAILURE_MAP(GR_FAILURE_ROW)
#undef GR_FAILURE_ROW
};

static bool find_name(const char *const *names, size_t count, mt_str name, size_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(mt_str_z(names[i]), name)) {
            *out = i;
            return true;
        }
    }
    return false;
}

const char *gr_signal_kind_name(gr_signal_kind kind)
{
    return EVENT_KINDS[kind];
}

bool gr_signal_kind_parse(mt_str name, gr_signal_kind *out)
{
    size_t at = GR_PUMP;
    bool known = find_name(EVENT_KINDS, 3, name, &at) || mt_str_is(name, "Tick");
    *out = (gr_signal_kind)at;
    return known;
}

const char *gr_verdict_name(gr_verdict verdict)
{
    return VERDICTS[verdict];
}

bool gr_verdict_parse(mt_str name, gr_verdict *out)
{
    size_t at = 0;
    bool known = find_name(VERDICTS, 3, name, &at);
    *out = (gr_verdict)at;
    return known;
}

const char *gr_end_name(gr_end end)
{
    return ENDS[end];
}

bool gr_end_parse(mt_str name, gr_end *out)
{
    size_t at = 0;
    bool known = find_name(ENDS, 4, name, &at);
    *out = (gr_end)at;
    return known;
}

const char *gr_failure_name(gr_failure fault)
{
    return FAULTS[fault].name;
}

bool gr_failure_parse(mt_str name, gr_failure *out)
{
    for (int i = 0; i < GR_FAILURE_COUNT; i++) {
        if (mt_str_eq(mt_str_z(FAULTS[i].name), name)) {
            *out = (gr_failure)i;
            return true;
        }
    }
    return false;
}

bool gr_termination_equal(gr_termination a, gr_termination b)
{
    return a.end == b.end && (a.end != GR_END_FAILED || a.fault == b.fault);
}

/* ---- time ---- */

gr_time gr_time_of_ms(uint64_t milliseconds)
{
    return (gr_time){milliseconds / 1000, (uint32_t)(milliseconds % 1000) * 1000000u};
}

bool gr_constraints_fit(const gr_constraints *c)
{
    return c->max_per_window.set == c->rate_window.set &&
           (!c->max_per_window.set || c->max_per_window.count);
}

int gr_time_cmp(gr_time a, gr_time b)
{
    if (a.secs != b.secs) {
        return a.secs < b.secs ? -1 : 1;
    }
    return (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

/* Saturates: an event at the end of time must not wrap into the past. */
static gr_time add(gr_time a, gr_time b)
{
    uint32_t nanos = a.nanos + b.nanos;
    uint64_t carry = nanos >= NANOS, secs;
    if (__builtin_add_overflow(a.secs, b.secs, &secs) ||
        __builtin_add_overflow(secs, carry, &secs)) {
        return (gr_time){UINT64_MAX, NANOS - 1};
    }
    return (gr_time){secs, nanos - (carry ? NANOS : 0)};
}

/* a - b, where b is not later than a. */
static gr_time since(gr_time a, gr_time b)
{
    bool borrow = a.nanos < b.nanos;
    return (gr_time){a.secs - b.secs - borrow,
                     a.nanos + (borrow ? NANOS : 0) - b.nanos};
}

/* ---- the queue of deferred episodes ---- */

static bool earlier(const gr_waiting *a, const gr_waiting *b)
{
    int order = gr_time_cmp(a->schedule_at, b->schedule_at);
    return order ? order < 0 : a->episode_id < b->episode_id;
}

static void swap(gr_waiting *a, gr_waiting *b)
{
    gr_waiting t = *a;
    *a = *b;
    *b = t;
}

/* A binary heap by release time, then by episode, so equal times keep the order in
 * which they came. */
static void enqueue(gr_supervisor *s, gr_waiting w)
{
    if (s->queued == s->queue_cap) {
        s->queue_cap = s->queue_cap ? s->queue_cap * 2 : 16;
        s->queue =
            mt_xrealloc(s->queue, mt_array_bytes(s->queue_cap, sizeof *s->queue));
    }
    size_t at = s->queued++;
    s->queue[at] = w;
    for (; at && earlier(&s->queue[at], &s->queue[(at - 1) / 2]); at = (at - 1) / 2) {
        swap(&s->queue[at], &s->queue[(at - 1) / 2]);
    }
}

/* The queue must not be empty. */
static gr_waiting dequeue(gr_supervisor *s)
{
    gr_waiting top = s->queue[0];
    s->queue[0] = s->queue[--s->queued];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < s->queued && earlier(&s->queue[child], &s->queue[least])) {
                least = child;
            }
        }
        if (least == at) {
            return top;
        }
        swap(&s->queue[at], &s->queue[least]);
        at = least;
    }
}

/* ---- holding back ---- */

static void forget_old_runs(gr_supervisor *s)
{
    gr_time window = s->limits.rate_window.at;
    while (s->in_window &&
           gr_time_cmp(since(s->now, s->window[s->first]), window) >= 0) {
        s->first = (s->first + 1) % s->window_cap;
        s->in_window--;
    }
}

static bool rate_limited(const gr_supervisor *s)
{
    return s->limits.max_per_window.set && s->limits.rate_window.set;
}

/* A ring of the times that count for the rate. It grows to the number of runs within
 * one window and not beyond. */
static void note_run(gr_supervisor *s)
{
    if (!rate_limited(s)) {
        return;
    }
    if (s->in_window == s->window_cap) {
        size_t cap = s->window_cap ? s->window_cap * 2 : 16;
        gr_time *wider = mt_xmalloc(mt_array_bytes(cap, sizeof *wider));
        for (size_t i = 0; i < s->in_window; i++) {
            wider[i] = s->window[(s->first + i) % s->window_cap];
        }
        free(s->window);
        s->window = wider;
        s->window_cap = cap;
        s->first = 0;
    }
    s->window[(s->first + s->in_window++) % s->window_cap] = s->now;
}

/* When an episode may run at the earliest; false when it may run now. */
static bool held_back(gr_supervisor *s, gr_time *until)
{
    if (s->limits.max_in_flight.set && s->limits.max_in_flight.count == 0) {
        *until = s->now;
        return true;
    }
    if (!rate_limited(s)) {
        return false;
    }
    forget_old_runs(s);
    /* A limit of zero has no oldest run to wait for and therefore never holds. */
    if (!s->in_window || s->in_window < s->limits.max_per_window.count) {
        return false;
    }
    *until = add(s->window[s->first], s->limits.rate_window.at);
    return true;
}

bool gr_constraints_hold(const gr_constraints *c)
{
    return c->max_in_flight.set || c->max_per_window.set;
}

gr_supervisor_clock gr_supervisor_turn(gr_supervisor *s, gr_supervisor_clock clock)
{
    MT_ASSERT(!s->queued && !s->in_window);
    gr_supervisor_clock before = {s->now, s->next_episode};
    s->now = clock.now;
    s->next_episode = clock.next_episode;
    return before;
}

/* ---- running ---- */

static bool retried(gr_termination t)
{
    return t.end == GR_END_TIMED_OUT ||
           (t.end == GR_END_FAILED && FAULTS[t.fault].retried);
}

/* Only what may be tried again without harm is retried; an effect has not left before
 * the episode ended (§6.3). A deadline of zero leaves no time at all and is decided
 * without running. */
static gr_decision invoke(gr_supervisor *s, void *handle, uint64_t episode_id)
{
    gr_decision d = {.verdict = GR_INVOKE,
                     .episode_id = episode_id,
                     .deadline = s->limits.deadline,
                     .ran = true};
    note_run(s);
    bool no_time = d.deadline.set && !d.deadline.at.secs && !d.deadline.at.nanos;
    if (no_time) {
        d.termination = (gr_termination){.end = GR_END_ABORTED};
        return d;
    }
    d.termination = s->host.run(s->host.state, handle, 0);
    while (retried(d.termination) && d.retry_count < s->limits.max_retries) {
        d.termination = s->host.run(s->host.state, handle, ++d.retry_count);
    }
    return d;
}

static gr_decision defer(gr_supervisor *s, gr_waiting w)
{
    enqueue(s, w);
    return (gr_decision){.verdict = GR_DEFER,
                         .schedule_at = {true, w.schedule_at},
                         .episode_id = w.episode_id};
}

/* SUP-TICK-1: a pump releases at most one episode that is due, never runs for itself.
 */
static gr_decision pump(gr_supervisor *s)
{
    if (!s->queued || gr_time_cmp(s->queue[0].schedule_at, s->now) > 0) {
        return (gr_decision){.verdict = GR_DEFER, .episode_id = s->next_episode++};
    }
    gr_waiting w = dequeue(s);
    if (held_back(s, &w.schedule_at)) {
        return defer(s, w);
    }
    gr_decision d = invoke(s, w.kept, w.episode_id);
    s->host.drop(s->host.state, w.kept);
    return d;
}

static void advance(gr_supervisor *s, gr_time at)
{
    if (gr_time_cmp(at, s->now) > 0) {
        s->now = at;
    }
}

/* Time never goes back (advance). Episode numbers are given in the order of arrival, to
 * skipped and deferred events as well, so a replay can compare them. */
gr_decision gr_supervise(gr_supervisor *s, const gr_signal *event)
{
    advance(s, event->at);
    if (event->filtered) {
        return (gr_decision){.verdict = GR_SKIP, .episode_id = s->next_episode++};
    }
    if (event->kind == GR_PUMP) {
        return pump(s);
    }
    gr_waiting w = {.episode_id = s->next_episode++};
    if (held_back(s, &w.schedule_at)) {
        w.kept = s->host.keep(s->host.state, event->handle);
        return defer(s, w);
    }
    return invoke(s, event->handle, w.episode_id);
}

/* ---- following, carrying over ---- */

/* False: the recorded decision does not fit what is waiting. Runs are noted as if they
 * had run, so that later decisions see the same window. */
static bool follow_run(gr_supervisor *s, const gr_signal *event, uint64_t episode_id)
{
    if (event->kind == GR_PUMP) {
        if (!s->queued || s->queue[0].episode_id != episode_id) {
            return false;
        }
        s->host.drop(s->host.state, dequeue(s).kept);
    }
    if (rate_limited(s)) {
        forget_old_runs(s);
    }
    note_run(s);
    return true;
}

/* What was recorded is done without asking the limits again; they may have been
 * others. */
static bool follow_deferral(gr_supervisor *s, const gr_signal *event,
                            const gr_decision *d)
{
    gr_waiting w = {d->schedule_at.at, d->episode_id, NULL};
    if (event->kind != GR_PUMP) {
        w.kept = d->schedule_at.set ? s->host.keep(s->host.state, event->handle) : NULL;
    } else if (!d->schedule_at.set) {
        return true; /* nothing was due */
    } else if (s->queued && s->queue[0].episode_id == d->episode_id) {
        w.kept = dequeue(s).kept;
    }
    if (w.kept) {
        enqueue(s, w);
    }
    return w.kept != NULL;
}

/* Brings the supervisor to where the recorded run was, without running anything; after
 * a resume it goes on as that run would have. */
bool gr_supervisor_follow(gr_supervisor *s, const gr_signal *event,
                          const gr_decision *recorded)
{
    advance(s, event->at);
    if (recorded->episode_id >= s->next_episode) {
        s->next_episode = recorded->episode_id + 1;
    }
    switch (recorded->verdict) {
    case GR_SKIP: return true;
    case GR_DEFER: return follow_deferral(s, event, recorded);
    case GR_INVOKE: return follow_run(s, event, recorded->episode_id);
    }
    MT_BUG("unknown verdict");
}

static int by_release(const void *a, const void *b)
{
    return earlier(a, b) ? -1 : earlier(b, a);
}

/* What a later run has to know, in an order that does not depend on the heap's
 * layout. */
gr_supervisor_state gr_supervisor_state_of(gr_supervisor *s, mt_arena *a)
{
    if (rate_limited(s)) {
        forget_old_runs(s);
    }
    gr_time *runs = mt_new_array(a, gr_time, s->in_window);
    for (size_t i = 0; i < s->in_window; i++) {
        runs[i] = s->window[(s->first + i) % s->window_cap];
    }
    gr_waiting *waiting = mt_new_array(a, gr_waiting, s->queued);
    if (s->queued) {
        memcpy(waiting, s->queue, s->queued * sizeof *waiting);
        qsort(waiting, s->queued, sizeof *waiting, by_release);
    }
    return (gr_supervisor_state){s->now, runs, s->in_window, waiting, s->queued};
}

/* Old runs first, in their order, then the clock, then what waits, with new episode
 * numbers. */
void gr_supervisor_restore(gr_supervisor *s, const gr_supervisor_state *state)
{
    for (size_t i = 0; i < state->run_count; i++) {
        advance(s, state->runs[i]); /* never back, whatever the text said */
        note_run(s);
    }
    advance(s, state->now);
    for (size_t i = 0; i < state->waiting_count; i++) {
        gr_waiting w = state->waiting[i];
        w.episode_id = s->next_episode++;
        enqueue(s, w);
    }
}

gr_supervisor *gr_supervisor_new(gr_constraints constraints, gr_supervisor_host host)
{
    gr_supervisor *s = mt_xmalloc(sizeof *s);
    *s = (gr_supervisor){.limits = constraints, .host = host};
    return s;
}

/* When so few of the runs are still within the window that one more may run. */
static gr_time rate_opens(const gr_supervisor *s)
{
    uint64_t most = s->limits.max_per_window.count;
    if (!rate_limited(s) || !most || s->in_window < most) {
        return (gr_time){0};
    }
    size_t leaves = (s->first + s->in_window - (size_t)most) % s->window_cap;
    return add(s->window[leaves], s->limits.rate_window.at);
}

bool gr_supervisor_next(const gr_supervisor *s, gr_next_release *out)
{
    if (s->queued) {
        gr_time asked = s->queue[0].schedule_at, opens = rate_opens(s);
        *out = (gr_next_release){gr_time_cmp(asked, opens) < 0 ? opens : asked, s->now,
                                 s->queue[0].episode_id};
    }
    return s->queued > 0;
}

size_t gr_supervisor_deferred(const gr_supervisor *s)
{
    return s->queued;
}

void gr_supervisor_free(gr_supervisor *s)
{
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->queued; i++) {
        s->host.drop(s->host.state, s->queue[i].kept);
    }
    free(s->queue);
    free(s->window);
    free(s);
}
