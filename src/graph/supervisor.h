/* graph/supervisor.h - decides, event by event, whether the graph runs.
 * Room: graph. Pure: time is what the events say, never a clock (REP-5).
 * One graph for life (SUP-1). It sees events and terminations, never values or effects
 * (SUP-2), so the same events and constraints give the same decisions (SUP-3). Exactly
 * one decision per event; retries are mechanical (SUP-4); a run is atomic, nothing is
 * rolled back (SUP-6); decisions are handed out once and never read back (SUP-7). */
#ifndef GR_SUPERVISOR_H
#define GR_SUPERVISOR_H

#include "base/arena.h"
#include "base/str.h"

typedef struct gr_time {
    uint64_t secs;
    uint32_t nanos; /* < 1,000,000,000 */
} gr_time;

int gr_time_cmp(gr_time a, gr_time b);
/* Milliseconds of the epoch as the model has times. */
gr_time gr_time_of_ms(uint64_t milliseconds);

typedef struct gr_time_option {
    bool set;
    gr_time at;
} gr_time_option;

typedef struct gr_count_option {
    bool set;
    uint64_t count;
} gr_count_option;

/* A pump only says that time went on: it releases one episode that waits and never
 * runs for itself. The other two are decided alike. */
typedef enum gr_signal_kind { GR_PUMP, GR_DATA_AVAILABLE, GR_COMMAND } gr_signal_kind;
/* Run now; never run, for the configuration filters it; run when a pump releases it. */
typedef enum gr_verdict { GR_INVOKE, GR_SKIP, GR_DEFER } gr_verdict;
/* Aborted: the deadline is zero, so it was never begun. */
typedef enum gr_end {
    GR_END_COMPLETED,
    GR_END_TIMED_OUT,
    GR_END_ABORTED,
    GR_END_FAILED
} gr_end;

/* clang-format off */
#define GR_FAILURE_MAP(X)                                       \
    X(NETWORK_TIMEOUT,     "NetworkTimeout",     true)         \
    X(ADAPTER_UNAVAILABLE, "AdapterUnavailable", true)         \
    X(VALIDATION_FAILED,   "ValidationFailed",   false)        \
    X(RUNTIME_ERROR,       "RuntimeError",       true)         \
    X(SEMANTIC_ERROR,      "SemanticError",      false)        \
    X(DEADLINE_EXCEEDED,   "DeadlineExceeded",   false)        \
    X(CANCELLED,           "Cancelled",          false)
/* clang-format on */

typedef enum gr_failure {
#define GR_FAILURE_ENUM(name, text, retried) GR_FAILURE_##name,
    GR_FAILURE_MAP(GR_FAILURE_ENUM)
#undef GR_FAILURE_ENUM
        GR_FAILURE_COUNT
} gr_failure;

/* How one run of the graph ended; `fault` only with GR_END_FAILED. */
typedef struct gr_termination {
    gr_end end;
    gr_failure fault;
} gr_termination;

/* Names as captures spell them; parsing returns false for an unknown name. */
const char *gr_signal_kind_name(gr_signal_kind kind);
bool gr_signal_kind_parse(mt_str name, gr_signal_kind *out); /* "Tick" reads as Pump */
const char *gr_verdict_name(gr_verdict verdict);
bool gr_verdict_parse(mt_str name, gr_verdict *out);
const char *gr_end_name(gr_end end);
bool gr_end_parse(mt_str name, gr_end *out);
const char *gr_failure_name(gr_failure fault);
bool gr_failure_parse(mt_str name, gr_failure *out);
/* The kind of failure counts only for failures. */
bool gr_termination_equal(gr_termination a, gr_termination b);

typedef struct gr_constraints {
    gr_count_option
        max_in_flight; /* runs are synchronous: only 0 ever holds one back */
    gr_count_option max_per_window;
    gr_time_option rate_window; /* a duration */
    gr_time_option deadline;    /* a duration; zero: every run is aborted */
    uint32_t max_retries;
} gr_constraints;
/* max_per_window, at least 1, and rate_window are both set or neither. */
bool gr_constraints_fit(const gr_constraints *c);

typedef struct gr_signal {
    mt_str id;
    gr_signal_kind kind;
    gr_time at;
    bool filtered; /* the host's configuration says: skip it */
    void *handle;  /* the host's own record of the event */
} gr_signal;

/* One entry of the decision log. */
typedef struct gr_decision {
    gr_verdict verdict;
    gr_time_option schedule_at; /* of a deferral */
    uint64_t episode_id;        /* of the episode that ran, or waits */
    gr_time_option deadline;
    bool ran; /* `termination` and `retry_count` mean something */
    gr_termination termination;
    uint32_t retry_count; /* attempts after the first */
} gr_decision;

/* What the supervisor asks of its host. `handle` is the event whose snapshot runs: for
 * a deferred episode the one that was deferred, not the pump that released it. */
typedef struct gr_supervisor_host {
    void *state;
    gr_termination (*run)(void *state, void *handle, uint32_t attempt);
    void *(*keep)(void *state, void *handle); /* the event is deferred: keep a copy */
    void (*drop)(void *state, void *kept);    /* it ran, or the supervisor is freed */
} gr_supervisor_host;

typedef struct gr_supervisor gr_supervisor;

gr_supervisor *gr_supervisor_new(gr_constraints constraints, gr_supervisor_host host);
void gr_supervisor_free(gr_supervisor *s);
/* Episodes that wait for a pump. */
size_t gr_supervisor_deferred(const gr_supervisor *s);
/* What a pump would let go first; false: nothing waits. An episode may have been put
 * off to a time at which others run that the limit leaves no room beside: it may run
 * when there is room, and a pump before would only put it off again. */
typedef struct gr_next_release {
    gr_time may_run_at, now; /* the latest time seen */
    uint64_t episode_id;
} gr_next_release;
bool gr_supervisor_next(const gr_supervisor *s, gr_next_release *out);
/* What a supervisor that holds nothing back remembers. One of these may serve many
 * histories in turn: set the clock of the next, and get the one it had. */
typedef struct gr_supervisor_clock {
    gr_time now;
    uint64_t next_episode;
} gr_supervisor_clock;
gr_supervisor_clock gr_supervisor_turn(gr_supervisor *s, gr_supervisor_clock clock);
/* Can these constraints ever hold an event back? */
bool gr_constraints_hold(const gr_constraints *c);
/* Runs the episode through the host, if it may run now. */
gr_decision gr_supervise(gr_supervisor *s, const gr_signal *event);

/* Comes to where the supervisor was that decided `recorded` about this event, without
 * running anything: neither the graph nor the constraints need be the same. False: no
 * supervisor in this state decides so. */
bool gr_supervisor_follow(gr_supervisor *s, const gr_signal *event,
                          const gr_decision *recorded);

/* An episode that waits for a pump. */
typedef struct gr_waiting {
    gr_time schedule_at;
    uint64_t episode_id;
    void *kept; /* the host's, from keep() */
} gr_waiting;

/* What decides about events to come, for a supervisor that takes over. */
typedef struct gr_supervisor_state {
    gr_time now;
    const gr_time *runs; /* within the rate window, oldest first */
    size_t run_count;
    const gr_waiting *waiting; /* in the order in which they are released */
    size_t waiting_count;
} gr_supervisor_state;

/* The lists live in the arena; what is kept still belongs to the supervisor. */
gr_supervisor_state gr_supervisor_state_of(gr_supervisor *s, mt_arena *a);
/* Of a new supervisor: it owns what is kept from here on and counts the waiting
 * episodes from 0. */
void gr_supervisor_restore(gr_supervisor *s, const gr_supervisor_state *state);

#endif
