#include "base/duration.h"

static const struct {
    mt_str suffix;
    uint64_t milliseconds;
} UNITS[] = {
    {MT_STR_INIT("ms"), 1},
    {MT_STR_INIT("s"), 1000},
    {MT_STR_INIT("m"), 60 * 1000},
    {MT_STR_INIT("h"), 60 * 60 * 1000},
};

mt_err mt_duration_parse(mt_str text, uint64_t *milliseconds)
{
    const uint64_t MOST = UINT64_MAX / 1000;
    uint64_t value = 0;
    size_t at = 0;
    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
        if (value > MOST / 10) {
            return MT_E_RANGE;
        }
        value = value * 10 + (uint64_t)(text.ptr[at] - '0');
    }
    for (size_t i = 0; at && i < sizeof UNITS / sizeof *UNITS; i++) {
        if (mt_str_eq(mt_str_skip(text, at), UNITS[i].suffix)) {
            *milliseconds = value * UNITS[i].milliseconds;
            return value > MOST / UNITS[i].milliseconds ? MT_E_RANGE : MT_OK;
        }
    }
    return MT_E_SYNTAX;
}

void mt_duration_print(mt_buf *out, uint64_t milliseconds)
{
    bool whole = milliseconds % 1000 == 0;
    mt_buf_add_u64(out, whole ? milliseconds / 1000 : milliseconds);
    mt_buf_addz(out, whole ? "s" : "ms");
}

void mt_duration_print_short(mt_buf *out, uint64_t milliseconds)
{
    size_t unit = sizeof UNITS / sizeof *UNITS - 1;
    while (unit && (!milliseconds || milliseconds % UNITS[unit].milliseconds)) {
        unit--;
    }
    mt_buf_add_u64(out, milliseconds / UNITS[unit].milliseconds);
    mt_buf_adds(out, UNITS[unit].suffix);
}
