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

/* The cells of one record, which has its line breaks inside quotes; in `a`. NULL, or
 * what is wrong with it. */
const char *ho_csv_cells(mt_arena *a, mt_str record, const mt_str **cells,
                         size_t *count);
/* What is wrong with the names of columns; NULL: nothing. */
const char *ho_csv_names_fault(const mt_str *names, size_t count);
/* A cell as a value of a graph's payload: what it looks like, or the type that a schema
 * says ("number", "integer", "boolean", "string"; empty: none). False: it is not one.
 */
bool ho_csv_value(mt_buf *out, mt_str cell, mt_str type);

#endif
