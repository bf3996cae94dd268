/* host/graph_csv.h - a table of observations becomes a fixture.
 * Room: host. RFC 4180: quoted cells may hold commas, quotes ("") and newlines. */
#ifndef HO_GRAPH_CSV_H
#define HO_GRAPH_CSV_H

#include "graph/supervisor.h"

typedef struct ho_csv_options {
    gr_signal_kind event_kind;
    mt_str semantic_kind; /* ptr NULL: none */
    mt_str episode;
    mt_str columns; /* names separated by commas; ptr NULL: all */
    mt_str text;    /* likewise: columns that are text, whatever they look like */
    mt_str at;      /* the column with the event time in seconds; ptr NULL: none */
} ho_csv_options;

/* Appends the fixture. MT_E_SYNTAX: `why` says where the table is broken. */
mt_err ho_csv_to_fixture(mt_str csv, const ho_csv_options *options, mt_buf *out,
                         mt_buf *why);

#endif
