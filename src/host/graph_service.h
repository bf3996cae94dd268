/* host/graph_service.h - a graph whose context, journal and intents are in the
 * store. Room: host. One event is one step inside the caller's transaction: the
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
 *   graph_due        TIME '/' NAME       when the first of what waits in it may run
 *   graph_dues       NAME                that all these rows are there
 *   capture          NAME '.' number     the journal's head line; tag NAME
 *   capture_carried  CAPTURE '/' number  what its supervisor took over; tag CAPTURE
 *   capture_line     CAPTURE '/' number  one journal line; tag CAPTURE
 * With a key, NAME is NAME~DIGEST in all of these but graph_event and graph_dues: each
 * value has a head, captures, a context and windows of its own, as if it were a graph,
 * and only ids of events are those of the whole graph. A capture ends after
 * HO_CAPTURE_EVENTS events, or when the graph or its limits are others. The next one
 * takes over the context, the events that still wait and the runs within the rate
 * window. An event id is used once in the life of a graph. A store of a version that
 * noted no ids has a head without "ids": they are noted from its lines before it goes
 * on. Ownership: a service owns its graph. Threads: one at a time. */
#ifndef HO_GRAPH_SERVICE_H
#define HO_GRAPH_SERVICE_H

#include "base/json_write.h"
#include "host/graph_host.h"
#include "store/store.h"

enum { HO_CAPTURE_EVENTS = 10000 };

typedef struct ho_graph_service ho_graph_service;

/* Reads one entry of the configuration: {graph: FILE, adapter?, egress?, clusters?:
 * […], manifests?: […], primitives?: [FILE.so, …], max_per_window?, rate_window?,
 * deadline?, max_retries?, skip_duplicates?, skip_kinds?: […], ingress?: [{type, …},
 * …], pump?}; files are relative to the working directory. `gate`: where its webhooks
 * may go; NULL: anywhere. MT_E_REJECTED, MT_E_IO, …: `why` has one sentence for each
 * thing wrong. */
mt_err ho_graph_service_open(mt_str name, const mt_json *config,
                             const mt_limits *limits, const struct ad_gate *gate,
                             ho_graph_service **out, mt_buf *why);
void ho_graph_service_close(ho_graph_service *g);

mt_str ho_graph_service_name(const ho_graph_service *g);
const gr_graph *ho_graph_service_graph(const ho_graph_service *g);

/* Digests of the user's code it runs, ho_own_used(). */
mt_str ho_graph_service_primitives(const ho_graph_service *g);

/* The payload field with a history for each of its values; empty: one for all. */
mt_str ho_graph_service_key(const ho_graph_service *g);
/* What the history of a value is called in the store: NAME~DIGEST, its captures
 * NAME~DIGEST.NUMBER. Without a key it is the graph's name. Any thread. */
mt_str ho_graph_service_history(const ho_graph_service *g, mt_arena *a, mt_str key);

/* Each value of the key that has a history: `history` as above, the id of its open
 * capture. In the order of histories; page.after is one (MT_E_RANGE: it is none of this
 * graph). A history that is left from another key of the adapter comes with no key. */
typedef mt_err ho_key_walker(void *state, mt_str history, mt_str key, mt_str capture);
mt_err ho_graph_service_keys(const ho_graph_service *g, st_tx *tx, st_page page,
                             ho_key_walker *each, void *state);

/* The journal of a stored capture, whether or not the graph is served. `key` with ptr
 * NULL: the graph has none; `number` 0: the last one. MT_E_NOTFOUND. */
mt_err ho_graph_stored_journal(st_tx *tx, mt_str name, mt_str key, int64_t number,
                               mt_buf *out);

/* How often a node was evaluated since the service was opened, and, of one whose output
 * is an event, how often it emitted, or was not skipped if it is an action. Any thread.
 */
typedef struct ho_node_count {
    uint64_t ran, spoke;
    bool speaks; /* its output is an event */
} ho_node_count;
ho_node_count ho_graph_service_count(const ho_graph_service *g, uint32_t node);
uint64_t ho_graph_service_seen(const ho_graph_service *g); /* events, likewise */

/* Are deferred events to run by themselves? Any thread. */
bool ho_graph_service_pumps(const ho_graph_service *g);
/* Each history in which something waits that is due, the earliest first; `row` is what
 * ho_graph_service_pump() wants, and page.after. Any thread. */
typedef mt_err ho_due_walker(void *state, mt_str row);
mt_err ho_graph_service_dues(const ho_graph_service *g, st_tx *tx, int64_t now_ms,
                             st_page page, ho_due_walker *each, void *state);

/* Where its events are fetched from; not open. They are the graph's. */
struct ho_source;
struct ho_source **ho_graph_service_sources(ho_graph_service *g, size_t *count);

/* Makes the store ready before the first event: notes what a version before did not,
 * ids a capture at a time, and, if the graph pumps, when its histories are due. Else a
 * transaction of that size would come with the first event. */
mt_err ho_graph_service_prepare(ho_graph_service *g, st_store *store, int64_t now_ms);

/* What one event became. Valid until the next one. */
typedef struct ho_graph_done {
    ho_graph_step step;
    mt_str capture; /* its id */
    int64_t number; /* of the event in it, from 0 */
    bool refused;   /* nothing happened; `problem` says why */
    ho_graph_problem problem;
} ho_graph_done;

/* Runs one event. MT_OK also when it is refused. Any other answer: the transaction must
 * be rolled back. */
mt_err ho_graph_service_event(ho_graph_service *g, st_tx *tx, int64_t now_ms,
                              const ho_graph_event *event, ho_graph_done *done);
/* The same for what waits and is due: a pump of the host's own, for the history of one
 * of ho_graph_service_dues(). Nothing is: it is refused, host.nothing_due. */
mt_err ho_graph_service_pump(ho_graph_service *g, st_tx *tx, int64_t now_ms, mt_str row,
                             ho_graph_done *done);
/* The transaction was not committed: what the host learned in it is not so. */
void ho_graph_service_forget(ho_graph_service *g);

/* The context, as an object of tagged values in key order. */
mt_err ho_graph_service_context(st_tx *tx, mt_str history, mt_jw *w);
/* A capture as v3. MT_E_NOTFOUND: this graph has none of this id. */
mt_err ho_graph_service_capture(const ho_graph_service *g, st_tx *tx, mt_str id,
                                mt_buf *out);
/* Its captures, oldest first; a row's id is the capture's. */
mt_err ho_graph_service_captures(st_tx *tx, mt_str history, st_page page,
                                 st_doc_walker *each, void *state);

/* Sends one intent of the outbox (the body that an event put there). MT_OK: `ack` has
 * the channel's acknowledgement as JSON; MT_E_REJECTED: it can never be sent;
 * MT_E_CLOSED: perhaps later. `why` says more. */
mt_err ho_graph_service_deliver(ho_graph_service *g, const mt_json *body, mt_buf *ack,
                                mt_buf *why);

#endif
