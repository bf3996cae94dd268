/* Durations as they are written in configuration files. */
#include "../rows.h"
#include "os/duration.h"

static const struct row {
    const char *name, *text;
    mt_err err;
    uint64_t want;
} ROWS[] = {
    {"milliseconds", "250ms", MT_OK, 250},
    {"seconds", "5s", MT_OK, 5000},
    {"minutes", "2m", MT_OK, 120000},
    {"hours", "1h", MT_OK, 3600000},
    {"nothing", "0s", MT_OK, 0},
    {"digits at their edges", "9087s", MT_OK, 9087000},
    {"no unit", "5", MT_E_SYNTAX, 0},
    {"no number", "s", MT_E_SYNTAX, 0},
    {"an empty text", "", MT_E_SYNTAX, 0},
    {"another unit", "5d", MT_E_SYNTAX, 0},
    {"a sign", "-5s", MT_E_SYNTAX, 0},
    {"a space", "5 s", MT_E_SYNTAX, 0},
    {"a character before the digits", "/s", MT_E_SYNTAX, 0},
    {"a character behind them", ":s", MT_E_SYNTAX, 0},
    {"letters behind the unit", "5sx", MT_E_SYNTAX, 0},
    {"the longest in milliseconds", "18446744073709551ms", MT_OK, 18446744073709551},
    {"one longer", "18446744073709552ms", MT_E_RANGE, 0},
    {"the longest in seconds", "18446744073709s", MT_OK, 18446744073709000},
    {"one second longer", "18446744073710s", MT_E_RANGE, 0},
    {"the longest in hours", "5124095576h", MT_OK, 18446744073600000},
    {"one hour longer", "5124095577h", MT_E_RANGE, 0},
    {"a number without end", "99999999999999999999999s", MT_E_RANGE, 0},
};

static void reads(void **state)
{
    const struct row *r = *state;
    uint64_t got = 0;
    assert_int_equal(os_duration_parse(mt_str_z(r->text), &got), r->err);
    assert_true(r->err || got == r->want);
}

static void is_printed_in_seconds_where_they_are_whole(void **state)
{
    (void)state;
    mt_buf out = {0};
    static const uint64_t TIMES[] = {0, 999, 1000, 1001, 60000};
    for (size_t i = 0; i < rows_count(TIMES); i++) {
        os_duration_print(&out, TIMES[i]);
        mt_buf_addc(&out, ' ');
    }
    assert_text(mt_buf_str(&out), MT_STR("0s 999ms 1s 1001ms 60s "));
    mt_buf_free(&out);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, reads);
    rows_test(&list, is_printed_in_seconds_where_they_are_whole);
    return rows_run(&list, "os/duration");
}
