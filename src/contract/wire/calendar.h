/* contract/wire/calendar.h - dates and moments of contracts, under the names of this
 * room.
 * Room: contract. May include base/ only. */
#ifndef CT_WIRE_CALENDAR_H
#define CT_WIRE_CALENDAR_H

#include "base/calendar.h"

typedef mt_moment ct_time;

enum { CT_DATE_TEXT = MT_DATE_TEXT, CT_TIME_TEXT = MT_MOMENT_TEXT };

static inline bool ct_date_parse(mt_str text, int64_t *days)
{
    return mt_date_parse(text, days);
}

static inline bool ct_time_parse(mt_str text, ct_time *out)
{
    return mt_moment_parse(text, out);
}

static inline size_t ct_date_print(int64_t days, char out[CT_DATE_TEXT])
{
    return mt_date_print(days, out);
}

static inline size_t ct_time_print(ct_time t, char out[CT_TIME_TEXT])
{
    return mt_moment_print(t, out);
}

static inline bool ct_time_valid(ct_time t)
{
    return mt_moment_valid(t);
}

#endif
