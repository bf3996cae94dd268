/* runtime/graph_ingress.h - where events come from: a fixture or a process.
 * Room: runtime.
 * Fixture, JSON lines (blank ones skipped, unknown fields refused):
 *   {"kind":"episode_start","id"?}
 *   {"kind":"event","event":{"type":…,"id"?,"payload"?,"semantic_kind"?}}
 * Process, protocol ergo-driver.v0, JSON lines on its stdout: {"type":"hello",
 * "protocol":"ergo-driver.v0"} within 5 s, {"type":"event","event":{event_id, kind,
 * at:{secs,nanos}, semantic_kind?, payload?}}…, {"type":"end"}, then exit status 0.
 * Ownership: an event is valid until the next call. */
#ifndef RT_GRAPH_INGRESS_H
#define RT_GRAPH_INGRESS_H

#include "runtime/graph_host.h"

typedef struct rt_ingress rt_ingress;

typedef enum rt_ingress_result {
    RT_INGRESS_EVENT,
    RT_INGRESS_END,    /* the regular end */
    RT_INGRESS_WAIT,   /* nothing yet; ask again */
    RT_INGRESS_BROKEN, /* rt_ingress_problem() says why; no more will come */
} rt_ingress_result;

/* A fixture's text must live as long as the ingress. */
rt_ingress *rt_ingress_fixture(mt_str text, bool with_adapter);
/* The same from a file ("-": standard input), a line at a time. NULL and errno. */
rt_ingress *rt_ingress_file(const char *path, bool with_adapter);
/* Starts the program; MT_E_CLOSED and the problem when it does not say hello. */
rt_ingress *rt_ingress_process(const char *const *argv);
/* Kills the program if it still runs. */
void rt_ingress_free(rt_ingress *in);

rt_ingress_result rt_ingress_next(rt_ingress *in, int timeout_ms,
                                  rt_graph_event *event);

typedef struct rt_ingress_fault {
    const char *code; /* "protocol_violation", "driver_terminated", "driver_io", or a
                         fixture code such as "fixture.parse_error" */
    mt_str message;
} rt_ingress_fault;
rt_ingress_fault rt_ingress_problem(const rt_ingress *in);

/* Episodes of the fixture so far; 1 for a process. */
uint64_t rt_ingress_episodes(const rt_ingress *in);

#endif
