/* host/graph_windows.h - the windows of an adapter, kept by the host.
 * Room: host. Each event that counts is added and what the windows then say is put into
 * its payload, after the schema was checked: a derived key is captured and replayed
 * like any input, and no event can bring one. An event counts unless it is a Pump or
 * was skipped: what a capture has is enough to come to the same windows again.
 * Ownership: ho_windows_free(); the adapter is borrowed. */
#ifndef HO_GRAPH_WINDOWS_H
#define HO_GRAPH_WINDOWS_H

#include "graph/adapter.h"

typedef struct ho_windows ho_windows;

/* NULL when the adapter has none. */
ho_windows *ho_windows_new(const gr_adapter *adapter);
void ho_windows_free(ho_windows *w);

/* Adds the event and gives its payload with what the windows say, sorted by key. */
mt_json ho_windows_apply(ho_windows *w, mt_arena *a, gr_time at,
                         const mt_json *payload);
/* The payload without them. */
mt_json ho_windows_strip(const ho_windows *w, mt_arena *a, const mt_json *payload);

/* All windows as JSON, and back; those that are declared otherwise now begin anew. */
void ho_windows_save(const ho_windows *w, mt_buf *out);
void ho_windows_load(ho_windows *w, const mt_json *saved);

#endif
