/* base/calendar.c - RFC 3339 dates and date-times, years 0001 to 9999.
 *
 * Days are counted in the proleptic Gregorian calendar from 1970-01-01; a time is
 * seconds and nanoseconds from there, in UTC. Reading accepts an offset and up to nine
 * digits of a fraction, and refuses what the calendar does not have, a leap second
 * included. Printing has one form: UTC with Z, the fraction without needless zeros.
 *
 * No locale, no time zone of the machine, no library call: dates are part of contracts
 * and must mean the same everywhere. A function answers false and leaves *out
 * undefined for text it does not take. */
#include "base/calendar.h"

enum { DAY_SECONDS = 86400 };
static const int64_t FIRST_DAY = -719162; /* 0001-01-01 */
static const int64_t LAST_DAY = 2932896;  /* 9999-12-31 */

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* `month` is 1 to 12; the caller has checked it, because it is an index here. */
static int64_t month_days(int64_t year, int64_t month)
{
    static const uint8_t DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return DAYS[month - 1] + (month == 2 && is_leap(year));
}

/* Counts years from March, so the leap day is the last of its year. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* The inverse of days_of(): an era is 400 years of 146,097 days, which repeat exactly;
 * 719,468 days lie between 0000-03-01 and 1970-01-01. */
static void date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * of_year + 2) / 153;
    *day = of_year - (153 * m + 2) / 5 + 1;
    *month = m + (m < 10 ? 3 : -9);
    *year = y + era * 400 + (*month <= 2);
}

/* Exactly `count` digits at s[at]. */
static bool number_at(mt_str s, size_t at, size_t count, int64_t *out)
{
    if (at + count > s.len) {
        return false;
    }
    *out = 0;
    for (size_t i = at; i < at + count; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
        *out = *out * 10 + (s.ptr[i] - '0');
    }
    return true;
}

static bool char_at(mt_str s, size_t at, char c)
{
    return at < s.len && s.ptr[at] == c;
}

/* Exactly ten characters. Year 0000 is refused: RFC 3339 could write it, but the
 * calendar here begins with 0001. */
bool mt_date_parse(mt_str text, int64_t *days)
{
    int64_t year, month, day;
    if (text.len != MT_DATE_TEXT || !number_at(text, 0, 4, &year) ||
        !char_at(text, 4, '-') || !number_at(text, 5, 2, &month) ||
        !char_at(text, 7, '-') || !number_at(text, 8, 2, &day)) {
        return false;
    }
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > month_days(year, month)) {
        return false;
    }
    *days = days_of(year, month, day);
    return true;
}

/* Second 60 is refused: an exact Duration (§4.1) does not know leap seconds, so the
 * difference of two moments could not be right. */
static bool clock_at(mt_str text, size_t at, int64_t *seconds)
{
    int64_t hour, minute, second;
    if (!number_at(text, at, 2, &hour) || !char_at(text, at + 2, ':') ||
        !number_at(text, at + 3, 2, &minute) || !char_at(text, at + 5, ':') ||
        !number_at(text, at + 6, 2, &second) || hour > 23 || minute > 59 ||
        second > 59) {
        return false;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

/* An optional fraction of one to nine digits; *at moves behind it. `unit` is the worth
 * of the next digit and becomes 0 behind the ninth: a tenth digit is refused and never
 * cut off, because two different texts would mean one moment. */
static bool fraction_at(mt_str text, size_t *at, uint32_t *nanos)
{
    *nanos = 0;
    if (!char_at(text, *at, '.')) {
        return true;
    }
    uint32_t unit = 100000000;
    size_t first = ++*at;
    for (; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; ++*at) {
        if (!unit) {
            return false;
        }
        *nanos += unit * (uint32_t)(text.ptr[*at] - '0');
        unit /= 10;
    }
    return *at > first;
}

/* `Z` or `+hh:mm`, to the end of the text. */
static bool offset_at(mt_str text, size_t at, int64_t *seconds)
{
    *seconds = 0;
    if (char_at(text, at, 'Z') || char_at(text, at, 'z')) {
        return at + 1 == text.len;
    }
    bool negative = char_at(text, at, '-');
    int64_t hours, minutes;
    if ((!negative && !char_at(text, at, '+')) || !number_at(text, at + 1, 2, &hours) ||
        !char_at(text, at + 3, ':') || !number_at(text, at + 4, 2, &minutes) ||
        at + 6 != text.len || hours > 23 || minutes > 59) {
        return false;
    }
    *seconds = (hours * 3600 + minutes * 60) * (negative ? -1 : 1);
    return true;
}

/* The offset is applied and forgotten (§4.4). Checked again at the end: with an offset
 * the moment may lie in year 0000 or 10000 although the written date does not. */
bool mt_moment_parse(mt_str text, mt_moment *out)
{
    int64_t days, clock, offset;
    size_t at = MT_DATE_TEXT + 9;
    if (text.len < at + 1 ||
        !mt_date_parse(mt_str_from(text.ptr, MT_DATE_TEXT), &days) ||
        (text.ptr[MT_DATE_TEXT] != 'T' && text.ptr[MT_DATE_TEXT] != 't') ||
        !clock_at(text, MT_DATE_TEXT + 1, &clock) ||
        !fraction_at(text, &at, &out->nanos) || !offset_at(text, at, &offset)) {
        return false;
    }
    out->seconds = days * DAY_SECONDS + clock - offset;
    return mt_moment_valid(*out);
}

bool mt_moment_valid(mt_moment t)
{
    return t.seconds >= FIRST_DAY * DAY_SECONDS &&
           t.seconds < (LAST_DAY + 1) * DAY_SECONDS;
}

static void put(char *out, int64_t value, int width)
{
    for (int i = width - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

size_t mt_date_print(int64_t days, char out[MT_DATE_TEXT])
{
    int64_t year, month, day;
    date_of(days, &year, &month, &day);
    put(out, year, 4);
    out[4] = '-';
    put(out + 5, month, 2);
    out[7] = '-';
    put(out + 8, day, 2);
    return MT_DATE_TEXT;
}

/* Before 1970 seconds are negative and C rounds towards zero, so the day is corrected.
 * The clock then is 0 to 86,399. Nanoseconds are not 0 where the zeros are cut off, so
 * the loop stops at a digit. */
size_t mt_moment_print(mt_moment t, char out[MT_MOMENT_TEXT])
{
    int64_t days = t.seconds / DAY_SECONDS, clock = t.seconds % DAY_SECONDS;
    if (clock < 0) {
        clock += DAY_SECONDS;
        days--;
    }
    size_t len = mt_date_print(days, out);
    out[len] = 'T';
    put(out + 11, clock / 3600, 2);
    out[13] = ':';
    put(out + 14, clock / 60 % 60, 2);
    out[16] = ':';
    put(out + 17, clock % 60, 2);
    len = 19;
    if (t.nanos) {
        out[len] = '.';
        put(out + 20, t.nanos, 9);
        for (len = 29; out[len - 1] == '0'; len--) {
        }
    }
    out[len++] = 'Z';
    return len;
}
