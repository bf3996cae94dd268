/* host/graph_host.h - runs a graph, event by event (Execution Model §6.3, §7).
 * Room: host. One step: build the event (merge the context store into the payload,
 * the event wins; check it against the adapter), ask the supervisor, run the graph,
 * check all its effects, write the journal line, apply the writes, send the intents.
 * HST-1..9 hold per step. An episode that fails is a normal decision, not an error.
 * Ownership: the host borrows graph, adapter, context, journal and egress.
 * Threads: one host belongs to one thread. */
#ifndef HO_GRAPH_HOST_H
#define HO_GRAPH_HOST_H

#include "base/diag.h"
#include "graph/adapter.h"
#include "graph/capture.h"
#include "graph/execute.h"
#include "host/graph_context.h"
#include "host/graph_egress.h"
#include "host/graph_journal.h"

typedef struct ho_graph_host ho_graph_host;

/* HST-9: the event ids there have been. An interface, so that a store can keep them. */
typedef struct ho_event_ids {
    void *state;
    /* *again: this id was there before. */
    mt_err (*note)(void *state, mt_str id, bool *again);
    /* *again: it was noted at this time or later. Notes nothing. NULL: nobody knows
     * when, and being there is enough. */
    mt_err (*noted_since)(void *state, mt_str id, gr_time since, bool *again);
} ho_event_ids;

typedef struct ho_graph_options {
    const gr_graph *graph;
    const gr_adapter *adapter; /* NULL: fixture-driven, no merge, no effects */
    ho_context context;
    ho_event_ids ids;                  /* note NULL: the host keeps them itself */
    const gr_capture_carried *carried; /* the supervisor begins so; NULL: anew */
    ho_egress *egress;                 /* NULL: no channel */
    ho_journal *journal;               /* NULL: nothing is recorded */
    gr_constraints limits;
    mt_str key; /* each value of this field has its own history; empty: one for all */
    mt_str primitives;        /* ho_own_used(), for the journal */
    bool production;          /* a process drives it: an adapter is required */
    bool replay;              /* intents are derived, never sent: no channel needed */
    bool hold_intents;        /* the caller sends them, from step->episode */
    bool unrouted;            /* nobody sends them: no channel needed */
    bool skip_duplicates;     /* a repeated event id is skipped instead of refused */
    const mt_str *skip_kinds; /* semantic kinds the configuration filters out */
    size_t skip_kind_count;
} ho_graph_options;

/* An event as it comes in. */
typedef struct ho_graph_event {
    mt_str id;
    gr_signal_kind kind;
    gr_time at;
    mt_str semantic_kind;   /* ptr NULL: none */
    const mt_json *payload; /* NULL: none */
    mt_str former_id; /* what versions before called it, ptr NULL: the same. It is a
                         double if that was noted at `stored` or later */
    gr_time stored;   /* when its sender had stored it */
    bool own; /* a pump of the host's, ho_graph_host_due(): no schema, no semantic kind
               */
} ho_graph_event;

/* What became of it; everything is valid until the next step. */
typedef struct ho_graph_step {
    gr_capture_event event;
    gr_capture_decision decision;
    const gr_episode *episode; /* values and outcomes, when the graph ran */
    mt_str fault;              /* why the episode failed, or empty */
    bool again;                /* its id was there before; it was skipped */
} ho_graph_step;

/* Checks that graph, adapter, egress and options fit (RUN-CANON-2, COMP-*, HST-5).
 * Nothing is written before the first step. MT_E_REJECTED: `ds` says why; MT_E_CORRUPT:
 * what is carried over is not a JSON object. */
mt_err ho_graph_host_new(const ho_graph_options *options, mt_diags *ds,
                         ho_graph_host **out);
void ho_graph_host_free(ho_graph_host *h);

/* MT_OK: *step is filled. MT_E_REJECTED: the event is refused, nothing happened and the
 * next one may come (ho_graph_problem() says why). MT_E_CLOSED: an intent could not be
 * delivered; *step is filled and recorded, and the run must end (finalize-only).
 * Anything else: the host can no longer record; the run must end. */
mt_err ho_graph_host_step(ho_graph_host *h, const ho_graph_event *event,
                          ho_graph_step *step);

/* A pump that lets go what waits, if there is something. Good until the next call. */
typedef enum ho_due {
    HO_DUE_HERE, /* of the history that was entered last, by this time */
    HO_DUE_AT,   /* of any history, by this time */
    HO_DUE_EVER  /* of any history */
} ho_due;
/* The history that an event with this payload belongs to; one without a key to none. */
void ho_graph_host_enter(ho_graph_host *h, const mt_json *payload);
bool ho_graph_host_due(ho_graph_host *h, ho_due when, gr_time at, ho_graph_event *pump);
/* What a pump is called: with a key, the key behind a colon. */
mt_str ho_graph_pump_name(mt_arena *a, mt_str name, mt_str key);

/* For replay: the same with the payload bytes of a capture, whose hash the caller has
 * checked, instead of an event: no merge, no schema, nothing sent. `recorded` imposes
 * what only a clock could tell. */
mt_err ho_graph_host_replay(ho_graph_host *h, const gr_capture_event *event,
                            const gr_decision *recorded, ho_graph_step *step);

/* For going on with a journal: what was recorded is what happened, so nothing runs, and
 * the writes are applied as they stand there. The graph and the limits may be others.
 * MT_E_CORRUPT: no supervisor decides so. */
mt_err ho_graph_host_follow(ho_graph_host *h, const gr_capture_event *event,
                            const gr_capture_decision *recorded);
/* What a host that takes over begins with. Lives in the arena. */
gr_capture_carried ho_graph_host_carry(ho_graph_host *h, mt_arena *a);

/* For a run that goes on after a crash. Is this the event that was recorded?
 * MT_E_REJECTED: it is another, or is refused. */
mt_err ho_graph_host_same(ho_graph_host *h, const ho_graph_event *event,
                          const gr_capture_event *recorded);
/* Was this id replayed from the journal more often than it was asked for here? */
bool ho_graph_host_pass(ho_graph_host *h, mt_str id);
/* The journal begins with this host's head already. */
void ho_graph_host_resumed(ho_graph_host *h);
/* Gives the journal its head now, not with the first step. */
mt_err ho_graph_host_begin(ho_graph_host *h);
/* Sends those intents of the last step that step->decision has no acknowledgement of,
 * and records them; errors as of a step. */
mt_err ho_graph_host_dispatch(ho_graph_host *h, ho_graph_step *step);

/* The windows of the adapter, to save and load where a host takes over; NULL: none. */
struct ho_windows *ho_graph_host_windows(ho_graph_host *h);

typedef struct ho_graph_problem {
    const char *code; /* "host.duplicate_event_id"; static text */
    mt_str message;
} ho_graph_problem;
/* Of the last step that failed. */
ho_graph_problem ho_graph_host_problem(const ho_graph_host *h);

/* What the journal and every capture of this host begin with. */
gr_capture_head ho_graph_host_head(const ho_graph_host *h);

typedef struct ho_graph_counts {
    uint64_t events, invoked, deferred, skipped, failed;
} ho_graph_counts;
ho_graph_counts ho_graph_host_counts(const ho_graph_host *h);
/* How many values of the key there have been; 0 without a key. */
size_t ho_graph_host_lanes(const ho_graph_host *h);
/* The value of the key in a payload; false: there is none that can be one. */
bool ho_graph_key_of(const mt_json *payload, mt_str key, mt_str *value);
/* A payload with nothing but that: {KEY: VALUE}. */
const mt_json *ho_graph_key_payload(mt_arena *a, mt_str key, mt_str value);

#endif
