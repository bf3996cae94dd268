/* base/calendar.h - dates and moments as text: one reading for contracts, facts and
 * events.
 * Room: base.
 * RFC 3339, years 0001 to 9999; `:60` and offsets beyond 23:59 are refused. */
#ifndef MT_BASE_CALENDAR_H
#define MT_BASE_CALENDAR_H

#include "base/str.h"

typedef struct mt_moment {
    int64_t seconds; /* since 1970-01-01T00:00:00Z */
    uint32_t nanos;  /* 0 .. 999,999,999 */
} mt_moment;

enum { MT_DATE_TEXT = 10, MT_MOMENT_TEXT = 30 };
/* Days since 1970-01-01. */
bool mt_date_parse(mt_str text, int64_t *days);
/* With an offset or Z, up to nine fraction digits; normalised to UTC. */
bool mt_moment_parse(mt_str text, mt_moment *out);
size_t mt_date_print(int64_t days, char out[MT_DATE_TEXT]);
/* "2026-01-31T23:59:00Z"; a fraction only when there is one, without trailing zeros. */
size_t mt_moment_print(mt_moment t, char out[MT_MOMENT_TEXT]);
/* Is the moment within years 0001 to 9999? */
bool mt_moment_valid(mt_moment t);

#endif
