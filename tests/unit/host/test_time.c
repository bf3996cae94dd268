/* Times of events as the edges take them: at the borders and beyond them. */
#include "../rows.h"
#include "host/graph_time.h"

typedef struct row {
    const char *name, *text;
    uint64_t secs;
    uint32_t nanos;
    const char *wrong; /* NULL: it is a time */
} row;

#define FORM                                                                           \
    "must be a moment with its offset, like 2026-01-31T23:59:00Z or "                  \
    "2026-01-31T23:59:00.25+01:00"
#define CELL                                                                           \
    "must be seconds, like 1700000000 or 1700000000.25, or a moment with its offset, " \
    "like 2026-01-31T23:59:00Z"
#define EARLY "is before 1970, where the times of events begin"
#define LEAP                                                                           \
    "is a leap second, which times here do not count: send second 59 or the next one"

/* clang-format off */
static const row MOMENTS[] = {
    {"the_first_moment",             "1970-01-01T00:00:00Z",           0, 0, NULL},
    {"a_moment_before_the_first",    "1969-12-31T23:59:59.999999999Z", 0, 0, EARLY},
    {"an_offset_that_leads_into_1970", "1969-12-31T23:30:00-01:00",    1800, 0, NULL},
    {"an_offset_that_leads_before_1970", "1970-01-01T00:30:00+01:00",  0, 0, EARLY},
    {"the_last_moment",              "9999-12-31T23:59:59.999999999Z", 253402300799, 999999999, NULL},
    {"an_offset_that_leads_behind_9999", "9999-12-31T23:59:59-00:01",  0, 0, FORM},
    {"year_10000",                   "10000-01-01T00:00:00Z",          0, 0, FORM},
    {"year_0001",                    "0001-01-01T00:00:00Z",           0, 0, EARLY},
    {"nine_digits",                  "2026-01-31T23:59:00.123456789Z", 1769903940, 123456789, NULL},
    {"one_digit",                    "2026-01-31T23:59:00.5Z",         1769903940, 500000000, NULL},
    {"ten_digits",                   "2026-01-31T23:59:00.1234567891Z", 0, 0, FORM},
    {"a_point_without_digits",       "2026-01-31T23:59:00.Z",          0, 0, FORM},
    {"the_largest_offset",           "2026-01-31T23:59:00+23:59",      1769903940 - 86340, 0, NULL},
    {"an_offset_of_a_day",           "2026-01-31T23:59:00+24:00",      0, 0, FORM},
    {"an_offset_of_60_minutes",      "2026-01-31T23:59:00+01:60",      0, 0, FORM},
    {"no_offset",                    "2026-01-31T23:59:00",            0, 0, FORM},
    {"a_leap_second",                "2016-12-31T23:59:60Z",           0, 0, LEAP},
    {"a_leap_second_with_a_fraction", "2016-12-31T23:59:60.5+00:00",   0, 0, LEAP},
    {"a_leap_second_of_64_characters", "2016-12-31T23:59:60.00000000000000000000000000000000000000000+00", 0, 0, FORM},
    {"second_60_cut_off",            "2016-12-31T23:59:6",             0, 0, FORM},
    {"second_60_without_more",       "2016-12-31T23:59:60",            0, 0, FORM},
    {"second_61",                    "2016-12-31T23:59:61Z",           0, 0, FORM},
    {"second_60_of_no_time",         "2016-12-31T25:59:60Z",           0, 0, FORM},
    {"the_29th_of_february",         "2028-02-29T00:00:00Z",           1835395200, 0, NULL},
    {"the_29th_of_no_leap_year",     "2026-02-29T00:00:00Z",           0, 0, FORM},
    {"a_space_in_place_of_T",        "2026-01-31 23:59:00Z",           0, 0, FORM},
    {"a_space_behind",               "2026-01-31T23:59:00Z ",          0, 0, FORM},
    {"a_date_alone",                 "2026-01-31",                     0, 0, FORM},
    {"nothing",                      "",                               0, 0, FORM},
};
static const row CELLS[] = {
    {"seconds",                      "1700000000",                     1700000000, 0, NULL},
    {"seconds_with_nine_digits",     "1700000000.123456789",           1700000000, 123456789, NULL},
    {"seconds_with_ten_digits",      "1700000000.1234567891",          0, 0, CELL},
    {"18_digits_of_seconds",         "999999999999999999",             999999999999999999, 0, NULL},
    {"19_digits_of_seconds",         "9999999999999999999",            0, 0, CELL},
    {"negative_seconds",             "-1",                             0, 0, CELL},
    {"seconds_of_a_point_alone",     "5.",                             0, 0, CELL},
    {"a_point_before_digits",        ".5",                             0, 0, CELL},
    {"a_letter_behind_the_point",    "5.x",                            0, 0, CELL},
    {"what_stands_before_the_digits", "/",                             0, 0, CELL},
    {"what_stands_behind_them",      ":",                              0, 0, CELL},
    {"an_empty_cell",                "",                               0, 0, CELL},
    {"one_digit_of_seconds",         "7.000000001",                    7, 1, NULL},
    {"a_moment_in_a_cell",           "2026-01-31T23:59:00Z",           1769903940, 0, NULL},
    {"a_leap_second_in_a_cell",      "2016-12-31T23:59:60Z",           0, 0, LEAP},
    {"a_moment_before_1970_in_a_cell", "1969-07-20T20:17:40Z",         0, 0, EARLY},
};
/* clang-format on */

static void judge(const row *r, const char *why, gr_time got)
{
    if (r->wrong) {
        assert_non_null(why);
        assert_string_equal(why, r->wrong);
    } else {
        assert_null(why);
        assert_int_equal(got.secs, r->secs);
        assert_int_equal(got.nanos, r->nanos);
    }
}

static void reads_text(void **state)
{
    gr_time got = {0};
    const row *r = *state;
    const char *why = ho_time_of_text(mt_str_z(r->text), &got);
    judge(r, why, got);
}

static void reads_cell(void **state)
{
    gr_time got = {0};
    const row *r = *state;
    const char *why = ho_time_of_cell(mt_str_z(r->text), &got);
    judge(r, why, got);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, MOMENTS, reads_text);
    rows_add(&list, CELLS, reads_cell);
    return rows_run(&list, "host/time");
}
