/* host/graph_egress.h - where intents go, and what is done when they are not taken.
 * Room: host.
 * Configuration (YAML or JSON): default_ack_timeout, dead_letters?: FILE, channels:
 * {id: {type: process | command | webhook | file | stdout | nats, …, attempts?, pause?,
 * pause_most?}}, routes: {intent kind: {channel, ack_timeout?}};
 * docs/reference/graph-runs.md has the keys. Protocol of a process, JSON lines. Child:
 * {"type":"ready","protocol":"ergo-egress.v1", "handled_kinds":[…]} within 5 s. Host,
 * one at a time: {"type":"intent","intent_id", "kind","fields":{…}}. Child, within the
 * timeout: {"type":"intent_ack","intent_id",
 * "status":"accepted","acceptance":"durable"[,"egress_ref"]}, or a negative one:
 * "status":"rejected" (never) or "failed" (perhaps later), with a "reason". At the end
 * {"type":"end"}. */
#ifndef HO_GRAPH_EGRESS_H
#define HO_GRAPH_EGRESS_H

#include <signal.h>

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

/* For a caller that tries again by itself and keeps what cannot be sent: each letter is
 * tried once, nothing is buried, and addresses are judged by the gate. */
struct ad_gate;
void ho_egress_once(ho_egress *e, const struct ad_gate *gate);
/* Gives up waiting for another attempt once this is set. */
void ho_egress_stop_when(ho_egress *e, const volatile sig_atomic_t *stop);
/* Does a channel write to standard output? */
bool ho_egress_prints(const ho_egress *e);
/* How many went to the file of dead letters. */
uint64_t ho_egress_dead(const ho_egress *e);

/* Starts all channels in order of their ids and waits for each to be ready; at once
 * when they run already. One that is tried again need not be there yet. On failure all
 * are killed. */
mt_err ho_egress_start(ho_egress *e);
/* Sends one intent and waits for its acknowledgement, whose texts live in `a`; that it
 * is a dead letter now is one, too. On failure all channels are killed, but not those
 * of a caller that tries again. */
mt_err ho_egress_send(ho_egress *e, mt_arena *a, const gr_intent *intent,
                      gr_capture_ack *ack);
/* The same for one that was buried; it is not buried again, channels go on running, and
 * the caller notes that it was sent. Starts what does not run. */
struct ho_letter;
mt_err ho_egress_resend(ho_egress *e, mt_arena *a, const struct ho_letter *letter,
                        gr_capture_ack *ack);
/* Says end, waits, kills what stays. MT_OK, or what a channel did wrong at the end. */
mt_err ho_egress_stop(ho_egress *e);

/* The last failure: its interruption code ("egress_ack_timeout", …), the channel and a
 * sentence. */
typedef struct ho_egress_problem {
    const char *code; /* stable, as in docs/reference/graph-runs.md */
    mt_str channel, intent_id, message;
    mt_str said;  /* the last of its standard error: for whoever sits at the terminal,
                     never for a record, since it may hold secrets */
    bool refused; /* a negative acknowledgement: trying again would not help */
} ho_egress_problem;
ho_egress_problem ho_egress_last_problem(const ho_egress *e);

#endif
