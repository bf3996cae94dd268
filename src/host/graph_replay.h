/* host/graph_replay.h - strict replay: run a capture again and compare everything.
 * Room: host. Checks, in this order: graph id, captured effect kinds, version,
 * payload hashes (REP-1), unique event ids (REP-8), adapter and runtime provenance
 * (REP-7), then event by event the decision, its termination and every effect. Context
 * writes are applied for real, intents only derived again. The first difference is
 * reported with its place and both values. The capture is never held: a good one is
 * gone through once, with the checks along the way, and one that is not once more, with
 * the checks in their order. */
#ifndef HO_GRAPH_REPLAY_H
#define HO_GRAPH_REPLAY_H

#include <stdio.h>

#include "host/graph_host.h"

typedef struct ho_replay_options {
    const gr_graph *graph;
    const gr_adapter *adapter; /* NULL: none */
    FILE *trace;               /* the node trace beside the capture; NULL: none */
    size_t until;              /* stop after so many events; 0: all */
    /* Called after every step that matched; NULL: nobody looks. */
    void (*observe)(void *user, size_t index, const ho_graph_step *step,
                    const gr_capture_decision *recorded);
    void *user;
} ho_replay_options;

/* The first difference. `code` NULL: there was none. */
typedef struct ho_divergence {
    const char *code; /* "replay.decision_mismatch"; static text */
    mt_str message;   /* one sentence */
    size_t event;     /* index; SIZE_MAX when it concerns no single event */
    mt_str event_id;
    mt_str field;              /* "termination", "effects[1].writes", … */
    mt_str node;               /* authoring path of the node concerned, or empty */
    mt_str recorded, replayed; /* both values, as text */
} ho_divergence;

typedef struct ho_replay_result {
    ho_divergence divergence;
    ho_graph_counts counts;
    mt_diags diags;         /* of a graph and adapter that do not compose */
    gr_capture_fault fault; /* of a capture that cannot be read */
} ho_replay_result;

/* MT_OK: everything compared equal. MT_E_REJECTED: see result->divergence. Anything
 * else: the capture cannot be read, see result->fault. Texts of the result live in `a`.
 */
mt_err ho_replay(mt_arena *a, gr_capture_reader *capture,
                 const ho_replay_options *options, ho_replay_result *result);

/* The same with a journal onto a host that goes on from there: the run that wrote it
 * comes to where it was. The host must have the capture's graph, adapter and limits.
 * `meet` is asked before every event, with the host ready for it; MT_E_REJECTED of it:
 * the host's problem says why it is another event. NULL: nobody is asked. */
typedef mt_err ho_replay_meet(void *user, const gr_capture_event *event);
mt_err ho_replay_onto(mt_arena *a, ho_graph_host *host, gr_capture_reader *journal,
                      const ho_replay_options *options, ho_replay_meet *meet,
                      ho_replay_result *result);

#endif
