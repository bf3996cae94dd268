/* contract/wire/calendar.h - dates and moments: one reading for source, interchange and
 * facts.
 * Room: contract. May include base/ only.
 * RFC 3339, years 0001 to 9999; `:60` and offsets beyond 23:59 are refused. */
#ifndef CT_WIRE_CALENDAR_H
#define CT_WIRE_CALENDAR_H

#include "base/str.h"

typedef struct ct_time {
    int64_t seconds; /* since 1970-01-01T00:00:00Z */
    uint32_t nanos;  /* 0 .. 999,999,999 */
} ct_time;

enum { CT_DATE_TEXT = 10, CT_TIME_TEXT = 30 };
/* Days since 1970-01-01. */
bool ct_date_parse(mt_str text, int64_t *days);
/* With an offset or Z, up to nine fraction digits; normalised to UTC. */
bool ct_time_parse(mt_str text, ct_time *out);
size_t ct_date_print(int64_t days, char out[CT_DATE_TEXT]);
/* "2026-01-31T23:59:00Z"; a fraction only when there is one, without trailing zeros. */
size_t ct_time_print(ct_time t, char out[CT_TIME_TEXT]);
/* Is the moment within years 0001 to 9999? */
bool ct_time_valid(ct_time t);

#endif
