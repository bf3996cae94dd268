/* host/graph_whatif.h - the events of a capture under another graph.
 * Room: host. Every event of the capture is given to the new graph as it came, and its
 * decision and effects are compared with what was recorded. What the old graph had
 * written into a payload by way of the context is taken out again, and what the new
 * graph has written takes its place; windows are computed anew.
 * A payload does not say what the event brought and what the context added: a member
 * that equals the stored value is taken for the context's.
 * Intents are compared by kind and fields: their ids depend on the numbers of nodes. */
#ifndef HO_GRAPH_WHATIF_H
#define HO_GRAPH_WHATIF_H

#include "host/graph_host.h"

/* The two sides of one event; texts live until the next one. */
typedef struct ho_graph_change {
    size_t event;
    mt_str event_id;
    mt_str was, now; /* what was decided and asked for: "Invoke Completed; ..." */
    mt_str node;     /* the first that said something else; empty: not known */
    mt_str node_was, node_now;
    bool refused; /* the new graph's adapter does not take the event: `now` says why */
} ho_graph_change;

typedef struct ho_whatif_options {
    const gr_graph *old_graph;     /* to say why; NULL: not at hand */
    const gr_adapter *old_adapter; /* likewise */
    const gr_graph *graph;
    const gr_adapter *adapter; /* NULL: the capture was made without one */
    const mt_json *instead;    /* payloads by event id that take the place of recorded
                                  ones; NULL: none do */
    void (*changed)(void *user, const ho_graph_change *change);
    /* After every step of the new graph; NULL: nobody looks. */
    void (*stepped)(void *user, const ho_graph_step *step);
    void *user;
} ho_whatif_options;

typedef struct ho_whatif_result {
    uint64_t events, same, changed, refused, passed; /* passed: skipped when recorded */
    gr_capture_head head;   /* of a capture of what the new graph did */
    gr_capture_fault fault; /* of the capture */
    mt_diags diags;         /* why the new graph cannot run */
} ho_whatif_result;

/* MT_OK; MT_E_REJECTED: the graph cannot run, or needs an adapter it did not have;
 * anything else: the capture cannot be read (result->fault). */
mt_err ho_graph_whatif(mt_arena *a, gr_capture_reader *capture,
                       const ho_whatif_options *options, ho_whatif_result *result);

#endif
