#include "host/graph_time.h"

#include "base/calendar.h"

static const char FORM[] =
    "must be a moment with its offset, like 2026-01-31T23:59:00Z or "
    "2026-01-31T23:59:00.25+01:00";

/* Would it be a moment but for its second 60? Whoever sends one has a reason, and must
 * not be told that the text is malformed. */
static bool is_leap_second(mt_str text)
{
    enum { SECOND = 17, MOST = 64 };
    char other[MOST];
    mt_moment moment;
    if (text.len > MOST || text.len < SECOND + 2 ||
        memcmp(text.ptr + SECOND, "60", 2) != 0) {
        return false;
    }
    memcpy(other, text.ptr, text.len);
    memcpy(other + SECOND, "59", 2);
    return mt_moment_parse(mt_str_from(other, text.len), &moment);
}

const char *ho_time_of_text(mt_str text, gr_time *out)
{
    mt_moment moment;
    if (!mt_moment_parse(text, &moment)) {
        return is_leap_second(text)
                   ? "is a leap second, which times here do not count: send second 59 "
                     "or the next one"
                   : FORM;
    }
    if (moment.seconds < 0) {
        return "is before 1970, where the times of events begin";
    }
    *out = (gr_time){(uint64_t)moment.seconds, moment.nanos};
    return NULL;
}

enum { NANO_DIGITS = 9, SECOND_DIGITS = 18 };

/* Whole seconds and up to nine digits behind the point; not through a double. */
static bool read_seconds(mt_str cell, gr_time *out)
{
    mt_str whole = mt_str_from(cell.ptr, mt_str_find(cell, '.'));
    mt_str part = mt_str_skip(cell, whole.len + 1);
    uint64_t digits[2] = {0, 0};
    mt_str texts[2] = {whole, part};
    bool ok = whole.len >= 1 && whole.len <= SECOND_DIGITS && part.len <= NANO_DIGITS &&
              (part.len || whole.len == cell.len);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; ok && k < texts[i].len; k++) {
            ok = texts[i].ptr[k] >= '0' && texts[i].ptr[k] <= '9';
            digits[i] = digits[i] * 10 + (uint64_t)(texts[i].ptr[k] - '0');
        }
    }
    for (size_t k = part.len; k < NANO_DIGITS; k++) {
        digits[1] *= 10;
    }
    *out = (gr_time){digits[0], ok ? (uint32_t)digits[1] : 0};
    return ok;
}

const char *ho_time_of_cell(mt_str cell, gr_time *out)
{
    const char *why = read_seconds(cell, out) ? NULL : ho_time_of_text(cell, out);
    return why == FORM
               ? "must be seconds, like 1700000000 or 1700000000.25, or a moment "
                 "with its offset, like 2026-01-31T23:59:00Z"
               : why;
}

bool ho_time_read_text(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    const char *why = mt_json_is(v, MT_JSON_STRING)
                          ? ho_time_of_text(mt_json_text(v), to)
                          : "must be {secs, nanos} or a moment with its offset, like "
                            "2026-01-31T23:59:00Z";
    return !why || mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key, "%s", why);
}
