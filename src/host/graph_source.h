/* host/graph_source.h - events from files, standard input, NATS subjects and timers.
 * Room: host. One object of a configuration, the same for `graph run --ingress` and for
 * `ingress` of a served graph; docs/reference/graph-runs.md has the keys.
 * A source gives payloads; which semantic kind they are, what their id and their time
 * is, the configuration says. An id that nobody gives is made of where the event
 * stands, so that the same event has the same id again: FILE:LINE,
 * STREAM:SEQUENCE@TIME, timer:EVERY:TICK.
 * Ownership: a source owns what it reads; the adapter must outlive it. Threads: one. */
#ifndef HO_GRAPH_SOURCE_H
#define HO_GRAPH_SOURCE_H

#include "host/graph_ingress.h"

typedef struct ho_source ho_source;

/* MT_E_REJECTED: `why` says everything that is wrong. Opens nothing. */
mt_err ho_source_read(const mt_json *config, const gr_adapter *adapter, ho_source **out,
                      mt_buf *why);
/* The same from a file, or from the text itself if it begins with a brace. */
mt_err ho_source_load(const char *file_or_text, const gr_adapter *adapter,
                      ho_source **out, mt_buf *why);
void ho_source_free(ho_source *s); /* accepts NULL */

/* What a durable consumer of a stream is called unless the configuration says.
 * `repeats`: the host begins anew with a file, and knows by its id what it has had. */
void ho_source_name(ho_source *s, mt_str name, bool repeats);
/* Is standard input read, which a server has not? */
bool ho_source_is_stdin(const ho_source *s);
/* The whole of a plain file is read once before anything runs, so that a bad line is
 * found while nothing has been sent. MT_E_REJECTED with the problem. */
mt_err ho_source_check(ho_source *s);
/* MT_E_IO with the problem. */
mt_err ho_source_open(ho_source *s);
/* It may be opened again, and then begins at its beginning. */
void ho_source_close(ho_source *s);

ho_ingress_result ho_source_next(ho_source *s, int timeout_ms, ho_graph_event *event);
ho_ingress_fault ho_source_problem(const ho_source *s);
/* See ho_ingress_settle(). */
mt_err ho_source_settle(ho_source *s, ho_settled how, const char *code, mt_str reason);
bool ho_source_waits(const ho_source *s);

#endif
