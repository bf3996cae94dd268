/* host/graph_service_internal.h - what the files of a served graph share.
 * Room: host; for graph_service*.c alone. */
#ifndef HO_GRAPH_SERVICE_INTERNAL_H
#define HO_GRAPH_SERVICE_INTERNAL_H

#include <stdatomic.h>

#include "base/map.h"
#include "host/graph_files.h"
#include "host/graph_service.h"
#include "host/graph_source.h"

/* Of one history: the graph's, or with a key that of one value. */
typedef struct lane {
    mt_str history;
    mt_str key;          /* the value; empty: the graph has none */
    ho_graph_host *host; /* NULL: to be read from the store */
    ho_context context;
    int64_t capture, events;  /* what the host has read */
    char last[MT_SHA256_HEX]; /* digest of the last line it has read */
} lane;

struct ho_graph_service {
    mt_arena arena; /* name, paths, configuration */
    mt_str name;
    lane whole; /* the graph's own history; with a key it is never begun */
    lane *lane; /* whose turn it is */
    mt_arena lanes_arena;
    mt_map lanes; /* histories of keys that were read; value: a lane */
    ho_graph_files files;
    ho_source **sources;
    size_t source_count;
    atomic_ullong seen, *ran, *spoke; /* by node */
    bool pumps;
    ho_graph_options options;
    mt_arena scratch; /* one event */
    mt_buf text;
    st_tx *tx; /* of the event being run */
};

/* graph_service_config.c: reads the entry, its files and its sources. MT_E_REJECTED,
 * MT_E_IO, …: `why` or `ds` say what is wrong. */
mt_err ho_graph_service_configure(ho_graph_service *g, const mt_json *config,
                                  const mt_limits *limits, mt_diags *ds, mt_buf *why);

/* graph_service_read.c: a capture's journal, its head, what was carried over and, when
 * asked for, its lines. MT_E_NOTFOUND also if it is of another history. */
mt_err ho_graph_journal(mt_str history, st_tx *tx, mt_arena *a, mt_str id, bool lines,
                        mt_buf *out);

/* As ho_graph_service_keys(); a history that is damaged comes with no key. */
mt_err ho_graph_service_whole_keys(const ho_graph_service *g, st_tx *tx, st_page page,
                                   ho_key_walker *each, void *state);

/* graph_service_due.c, of the lane whose turn it is. When a pump would have something
 * to let go. */
#define HO_NEVER_DUE INT64_MAX
int64_t ho_lane_due(const ho_graph_service *g);
/* A step was made: its row follows. `before`: when it was due until then; `unsure`: the
 * row of that may lack. */
mt_err ho_lane_due_changed(ho_graph_service *g, st_tx *tx, int64_t before, bool unsure,
                           int64_t now_ms);
/* This row is the lane's, or else it goes and the right one is there. */
mt_err ho_lane_due_mend(ho_graph_service *g, st_tx *tx, mt_str row, int64_t now_ms);
/* Whose row it is, in the scratch memory. MT_E_NOTFOUND: there is none of this graph.
 */
mt_err ho_due_key(ho_graph_service *g, st_tx *tx, mt_str row, mt_str *key);

#endif
