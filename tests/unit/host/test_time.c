/* Times of events as the edges take them: at the borders and beyond them. */
#include "../rows.h"
#include "host/graph_time.h"

typedef struct row {
    const char *name, *text;
    uint64_t secs;
    uint32_t nanos;
    const char *wrong; /* part of what is said; NULL: it is a time */
} row;

/* clang-format off */
static const row MOMENTS[] = {
    {"the_first_moment",             "1970-01-01T00:00:00Z",           0, 0, NULL},
    {"a_moment_before_the_first",    "1969-12-31T23:59:59.999999999Z", 0, 0, "before 1970"},
    {"an_offset_that_leads_into_1970", "1969-12-31T23:30:00-01:00",    1800, 0, NULL},
    {"an_offset_that_leads_before_1970", "1970-01-01T00:30:00+01:00",  0, 0, "before 1970"},
    {"the_last_moment",              "9999-12-31T23:59:59.999999999Z", 253402300799, 999999999, NULL},
    {"an_offset_that_leads_behind_9999", "9999-12-31T23:59:59-00:01",  0, 0, "must be"},
    {"year_10000",                   "10000-01-01T00:00:00Z",          0, 0, "must be"},
    {"year_0001",                    "0001-01-01T00:00:00Z",           0, 0, "before 1970"},
    {"nine_digits",                  "2026-01-31T23:59:00.123456789Z", 1769903940, 123456789, NULL},
    {"one_digit",                    "2026-01-31T23:59:00.5Z",         1769903940, 500000000, NULL},
    {"ten_digits",                   "2026-01-31T23:59:00.1234567891Z", 0, 0, "must be"},
    {"a_point_without_digits",       "2026-01-31T23:59:00.Z",          0, 0, "must be"},
    {"the_largest_offset",           "2026-01-31T23:59:00+23:59",      1769903940 - 86340, 0, NULL},
    {"an_offset_of_a_day",           "2026-01-31T23:59:00+24:00",      0, 0, "must be"},
    {"an_offset_of_60_minutes",      "2026-01-31T23:59:00+01:60",      0, 0, "must be"},
    {"no_offset",                    "2026-01-31T23:59:00",            0, 0, "must be"},
    {"a_leap_second",                "2016-12-31T23:59:60Z",           0, 0, "leap second"},
    {"a_leap_second_with_a_fraction", "2016-12-31T23:59:60.5+00:00",   0, 0, "leap second"},
    {"second_61",                    "2016-12-31T23:59:61Z",           0, 0, "must be"},
    {"second_60_of_no_time",         "2016-12-31T25:59:60Z",           0, 0, "must be"},
    {"the_29th_of_february",         "2028-02-29T00:00:00Z",           1835395200, 0, NULL},
    {"the_29th_of_no_leap_year",     "2026-02-29T00:00:00Z",           0, 0, "must be"},
    {"a_space_in_place_of_T",        "2026-01-31 23:59:00Z",           0, 0, "must be"},
    {"a_space_behind",               "2026-01-31T23:59:00Z ",          0, 0, "must be"},
    {"a_date_alone",                 "2026-01-31",                     0, 0, "must be"},
    {"nothing",                      "",                               0, 0, "must be"},
};
static const row CELLS[] = {
    {"seconds",                      "1700000000",                     1700000000, 0, NULL},
    {"seconds_with_nine_digits",     "1700000000.123456789",           1700000000, 123456789, NULL},
    {"seconds_with_ten_digits",      "1700000000.1234567891",          0, 0, "must be seconds"},
    {"18_digits_of_seconds",         "999999999999999999",             999999999999999999, 0, NULL},
    {"19_digits_of_seconds",         "9999999999999999999",            0, 0, "must be seconds"},
    {"negative_seconds",             "-1",                             0, 0, "must be seconds"},
    {"a_moment_in_a_cell",           "2026-01-31T23:59:00Z",           1769903940, 0, NULL},
    {"a_leap_second_in_a_cell",      "2016-12-31T23:59:60Z",           0, 0, "leap second"},
    {"a_moment_before_1970_in_a_cell", "1969-07-20T20:17:40Z",         0, 0, "before 1970"},
};
/* clang-format on */

static void judge(const row *r, const char *why, gr_time got)
{
    if (r->wrong) {
        assert_non_null(why);
        assert_non_null(strstr(why, r->wrong));
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
