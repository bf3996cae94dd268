/* host/graph_egress.h - where intents go: child processes that acknowledge them.
 * Room: host.
 * Protocol, JSON lines. Child: {"type":"ready","protocol":"ergo-egress.v1",
 * "handled_kinds":[…]} within 5 s. Host, one at a time: {"type":"intent","intent_id",
 * "kind","fields":{…}}. Child, within the timeout: {"type":"intent_ack","intent_id",
 * "status":"accepted","acceptance":"durable"[,"egress_ref"]}. At the end
 * {"type":"end"}. Configuration (YAML or JSON): default_ack_timeout, channels: {id:
 * {type: process, command: […]}}, routes: {intent kind: {channel, ack_timeout?}}. */
#ifndef HO_GRAPH_EGRESS_H
#define HO_GRAPH_EGRESS_H

#include "base/diag.h"
#include "graph/capture.h"
#include "graph/effect.h"

typedef struct ho_egress ho_egress;

/* Reads a configuration; starts nothing. MT_E_REJECTED: `ds` says why. */
mt_err ho_egress_read(mt_str file, mt_str text, mt_diags *ds, ho_egress **out);
/* Kills what still runs. Accepts NULL. */
void ho_egress_free(ho_egress *e);

/* "epv1:sha256:…" */
mt_str ho_egress_provenance(const ho_egress *e);
bool ho_egress_routes(const ho_egress *e, mt_str kind);
size_t ho_egress_route_count(const ho_egress *e);
mt_str ho_egress_route_at(const ho_egress *e, size_t index);

/* Starts all channels in order of their ids and waits for each to be ready; at once
 * when they run already. On failure all are killed. */
mt_err ho_egress_start(ho_egress *e);
/* Sends one intent and waits for its acknowledgement, whose texts live in `a`. On
 * failure all channels are killed. */
mt_err ho_egress_send(ho_egress *e, mt_arena *a, const gr_intent *intent,
                      gr_capture_ack *ack);
/* Says end, waits, kills what stays. MT_OK, or what a channel did wrong at the end. */
mt_err ho_egress_stop(ho_egress *e);

/* The last failure: its interruption code ("egress_ack_timeout", …), the channel and a
 * sentence. */
typedef struct ho_egress_problem {
    const char *code; /* stable, as in docs/graph-runs.md */
    mt_str channel, intent_id, message;
    mt_str said; /* the last of its standard error: for whoever sits at the terminal,
                    never for a record, since it may hold secrets */
} ho_egress_problem;
ho_egress_problem ho_egress_last_problem(const ho_egress *e);

#endif
