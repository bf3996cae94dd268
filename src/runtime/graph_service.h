/* runtime/graph_service.h - a graph whose context, journal and intents are in the
 * store. Room: runtime. One event is one step inside the caller's transaction: the
 * journal line, the context it wrote and the intents it wants sent commit together, or
 * none of them. The line is what counts: the host in memory is only a reading of it, so
 * after a failed commit, a crash or another node's event it is read again from the
 * store.
 *
 * Kept in the store (documents):
 *   graph            NAME                {"capture":N,"events":N,"ids":true,"last":D}:
 *                                        the open capture, how many lines it has, that
 *                                        all ids are noted, the last line's digest
 *   graph_context    NAME '/' KEY        the value, tagged; tag NAME
 *   graph_event      NAME '/' digest     an event id that was used (the digest of it),
 *                                        and the line it is in
 *   capture          NAME '.' number     the journal's head line; tag NAME
 *   capture_carried  CAPTURE '/' number  what its supervisor took over; tag CAPTURE
 *   capture_line     CAPTURE '/' number  one journal line; tag CAPTURE
 * A capture ends after RT_CAPTURE_EVENTS events, or when the graph or its limits are
 * others. The next one takes over the context, the events that still wait and the runs
 * within the rate window. An event id is used once in the life of a graph.
 * A store of a version that noted no ids has a head without "ids": they are noted from
 * its lines before it goes on.
 * Ownership: a service owns its graph. Threads: one at a time. */
#ifndef RT_GRAPH_SERVICE_H
#define RT_GRAPH_SERVICE_H

#include "base/json_write.h"
#include "runtime/graph_host.h"
#include "store/store.h"

enum { RT_CAPTURE_EVENTS = 10000 };

typedef struct rt_graph_service rt_graph_service;

/* Reads one entry of the configuration: {graph: FILE, adapter?, egress?, clusters?:
 * […], manifests?: […], max_per_window?, rate_window?, deadline?, max_retries?,
 * skip_duplicates?, skip_kinds?: […]}; files are relative to the working directory.
 * MT_E_REJECTED, MT_E_IO, …: `why` has one sentence for each thing wrong. */
mt_err rt_graph_service_open(mt_str name, const mt_json *config,
                             const mt_limits *limits, rt_graph_service **out,
                             mt_buf *why);
void rt_graph_service_close(rt_graph_service *g);

mt_str rt_graph_service_name(const rt_graph_service *g);
const gr_graph *rt_graph_service_graph(const rt_graph_service *g);

/* Makes the store ready before the first event: notes the ids in captures of a version
 * that did not, a capture at a time. Else a transaction of that size would come with
 * the first event. */
mt_err rt_graph_service_prepare(rt_graph_service *g, st_store *store, int64_t now_ms);

/* What one event became. Valid until the next one. */
typedef struct rt_graph_done {
    rt_graph_step step;
    mt_str capture; /* its id */
    int64_t number; /* of the event in it, from 0 */
    bool refused;   /* nothing happened; `problem` says why */
    rt_graph_problem problem;
} rt_graph_done;

/* Runs one event. MT_OK also when it is refused. Any other answer: the transaction must
 * be rolled back. */
mt_err rt_graph_service_event(rt_graph_service *g, st_tx *tx, int64_t now_ms,
                              const rt_graph_event *event, rt_graph_done *done);
/* The transaction was not committed: what the host learned in it is not so. */
void rt_graph_service_forget(rt_graph_service *g);

/* The context, as an object of tagged values in key order. */
mt_err rt_graph_service_context(const rt_graph_service *g, st_tx *tx, mt_jw *w);
/* A capture as v3. MT_E_NOTFOUND: this graph has none of this id. */
mt_err rt_graph_service_capture(const rt_graph_service *g, st_tx *tx, mt_str id,
                                mt_buf *out);
/* Its captures, oldest first; a row's id is the capture's. */
mt_err rt_graph_service_captures(const rt_graph_service *g, st_tx *tx, st_page page,
                                 st_doc_walker *each, void *state);

/* Sends one intent of the outbox (the body that an event put there). MT_OK: `ack` has
 * the channel's acknowledgement as JSON; MT_E_REJECTED: it can never be sent;
 * MT_E_CLOSED: perhaps later. `why` says more. */
mt_err rt_graph_service_deliver(rt_graph_service *g, const mt_json *body, mt_buf *ack,
                                mt_buf *why);

#endif
