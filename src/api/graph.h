/* api/graph.h - a graph behind its handle, for the files of the API
 * that run one. Room: api. A host is split in two files: graph_host.c
 * knows no files, so that it can be part of a library without them;
 * graph_host_files.c adds the journal through api_host_record. */
#ifndef API_GRAPH_H
#define API_GRAPH_H

#include "api/api.h"
#include "graph/adapter.h"
#include "graph/draw.h"
#include "host/graph_host.h"
#include "host/graph_own.h"

/* Immutable but for motet_graph_adapt(), which comes before the first episode. A host,
 * an episode or an answer borrows from it. */
struct motet_graph {
    gr_graph *graph;     /* NULL: it was refused */
    gr_adapter *adapter; /* NULL: none was given */
    mt_arena arena;
    const motet_str *messages; /* made at loading, in `arena` */
    size_t message_count;
    mt_diags ds; /* of the last call, in `arena` */
};

/* An output of a node of the last pass; MOTET_NONE: there is none, no such node or
 * port, or the pass ended before it. Valid until the next pass. */
motet_value api_node_value(const gr_episode *episode, const char *node,
                           const char *port);

/* ---- single passes: api/graph_look.c ---- */

/* A line for each line {"event_id","payload"}: the trace of the pass, or with `output`
 * ("NODE.PORT") the value there, null where the pass did not come to it. AW_USAGE: the
 * reply says which is not an event. */
int api_graph_look(const motet_graph *graph, mt_str lines, mt_str output, aw_reply *r);
/* What every node said over one such line, in the reply's arena. NULL: as above. */
const gr_said *api_graph_said(const motet_graph *graph, mt_str line, aw_reply *r);

/* ---- a host, for the files that know journals and those that do not ---- */

/* One host, used by one thread at a time. `resumed` is kept because the decision of the
 * journal's last event, which motet_graph_host_decision() shows, lives in it. */
struct motet_graph_host {
    ho_graph_host *host; /* NULL: it was refused */
    ho_graph_options options;
    ho_journal *journal;                  /* NULL: none */
    const struct api_host_record *record; /* likewise */
    mt_str path;                          /* of the journal */
    struct ho_resumed *resumed; /* what `step` may borrow from; NULL: nothing */
    mt_arena arena;             /* as long as the host */
    mt_arena scratch;           /* one event */
    ho_graph_step step;         /* of the last event */
    bool stepped;               /* there was one */
    bool broken;                /* it could not be recorded */
    mt_buf text, message;
};

/* What only a host with a journal needs; api/graph_host_files.c has one. */
typedef struct api_host_record {
    mt_err (*sync)(ho_journal *journal);
    void (*close)(motet_graph_host *h);
} api_host_record;

/* Says why; the message stays until the next
 * call that has one. Answers `err` as a status. */
motet_status api_host_fail(motet_graph_host *h, mt_err err, mt_str why);
/* A host that takes no event yet, and what it is made with. */
motet_graph_host *api_host_new(void);
motet_status api_host_prepare(motet_graph_host *h, const motet_graph *graph,
                              const motet_supervision *supervision);
/* Does everything fit? Then it takes events. api_host_prepare() must have been done,
 * and the journal, if any, be in h->options. */
motet_status api_host_make(motet_graph_host *h);
/* From here on memory is ahead of the journal, so the host takes no more events. */
motet_status api_host_cannot_record(motet_graph_host *h, mt_err err);

#endif
