/* graph/adapter_check.h - the rules ADP-1 .. ADP-19 of an adapter by itself.
 * Room: graph. Internal to it. */
#ifndef GR_ADAPTER_CHECK_H
#define GR_ADAPTER_CHECK_H

#include "graph/adapter.h"
#include "graph/report.h"

/* Reports every violation; true when there is none. */
bool gr_adapter_check(const gr_adapter *ad, const gr_subject *s);

/* What a property of an event schema becomes in the context, GR_NONE when nothing:
 * number and integer, boolean, string, array of number or integer. `strict` leaves out
 * integer, as intent payloads do. */
gr_type gr_schema_type(const mt_json *property, bool strict);

#endif
