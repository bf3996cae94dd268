/* host/graph_ingress.h - where events come from: a fixture, a process or a source
 * (graph_source.h).
 * Room: host.
 * Fixture, JSON lines (blank ones skipped, unknown fields refused):
 *   {"kind":"episode_start","id"?}
 *   {"kind":"event","event":{"type":…,"id"?,"at"?,"payload"?,"semantic_kind"?}}
 * Process, protocol ergo-driver.v0, JSON lines on its stdout: {"type":"hello",
 * "protocol":"ergo-driver.v0"} within 5 s, {"type":"event","event":{event_id, kind,
 * at:{secs,nanos}, semantic_kind?, payload?}}…, {"type":"end"}, then exit status 0.
 * Ownership: an event is valid until the next call. */
#ifndef HO_GRAPH_INGRESS_H
#define HO_GRAPH_INGRESS_H

#include "host/graph_host.h"

typedef struct ho_ingress ho_ingress;

typedef enum ho_ingress_result {
    HO_INGRESS_EVENT,
    HO_INGRESS_END,    /* the regular end */
    HO_INGRESS_WAIT,   /* nothing yet; ask again */
    HO_INGRESS_BROKEN, /* ho_ingress_problem() says why; no more will come */
} ho_ingress_result;

/* A fixture's text must live as long as the ingress. */
ho_ingress *ho_ingress_fixture(mt_str text, bool with_adapter);
/* The same from a file ("-": standard input), a line at a time. NULL and errno. */
ho_ingress *ho_ingress_file(const char *path, bool with_adapter);
/* Starts the program; MT_E_CLOSED and the problem when it does not say hello. */
ho_ingress *ho_ingress_process(const char *const *argv);
/* Takes over a source that was opened. */
struct ho_source;
ho_ingress *ho_ingress_source(struct ho_source *source);
/* Kills the program if it still runs. */
void ho_ingress_free(ho_ingress *in);

/* The event is good until the next call. HO_INGRESS_WAIT: nothing came in time. */
ho_ingress_result ho_ingress_next(ho_ingress *in, int timeout_ms,
                                  ho_graph_event *event);

/* What became of the last event. MT_OK: go on; of an event that was refused that means
 * that the source keeps it for somebody to look at, or knows that it came twice.
 * MT_E_REJECTED: it does not, so the run ends. MT_E_IO: it cannot be noted. */
typedef enum ho_settled { HO_TAKEN, HO_TURNED_DOWN } ho_settled;
mt_err ho_ingress_settle(ho_ingress *in, ho_settled how, const char *code,
                         mt_str reason);
/* Must an event be on disk before the source is told that it was taken? */
bool ho_ingress_waits(const ho_ingress *in);

typedef struct ho_ingress_fault {
    const char *code; /* "protocol_violation", "driver_terminated", "driver_io", or a
                         fixture code such as "fixture.parse_error" */
    mt_str message;
} ho_ingress_fault;
ho_ingress_fault ho_ingress_problem(const ho_ingress *in);

/* Episodes of the fixture so far; 1 for a process. */
uint64_t ho_ingress_episodes(const ho_ingress *in);

#endif
