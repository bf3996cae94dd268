/* host/graph_time.h - the time of an event, as those who send events write it.
 * Room: host. Captures have {secs, nanos}. Who writes events by hand, or takes them
 * from elsewhere, has RFC 3339 text: a date, a time and its offset. Every edge reads it
 * here, so that one text means one moment everywhere. */
#ifndef HO_GRAPH_TIME_H
#define HO_GRAPH_TIME_H

#include "base/form.h"
#include "graph/supervisor.h"

/* "2026-01-31T23:59:00.25+01:00", within 1970 to 9999. NULL, or what is wrong with it,
 * static text that goes on after its name: "is before 1970". */
const char *ho_time_of_text(mt_str text, gr_time *out);
/* The same, or seconds since 1970 as a number: "1700000000.25". */
const char *ho_time_of_cell(mt_str cell, gr_time *out);
/* For rows of a form that take such text in place of {secs, nanos}. */
bool ho_time_read_text(mt_form *f, const mt_form_row *row, const mt_json *v, void *to);

#endif
