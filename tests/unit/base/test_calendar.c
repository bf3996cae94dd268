/* Days are printed as they were written: at the edges of months, leap years and eras.
 */
#include "../rows.h"
#include "base/calendar.h"

static const struct row {
    const char *name, *text;
    int64_t days;
} ROWS[] = {
    {"the first day", "0001-01-01", -719162},
    {"the epoch", "1970-01-01", 0},
    {"the day before it", "1969-12-31", -1},
    {"the last day of a leap February", "2024-02-29", 19782},
    {"the day behind it", "2024-03-01", 19783},
    {"a century without a leap day", "1900-02-28", -25509},
    {"the day behind that", "1900-03-01", -25508},
    {"the leap day that ends an era", "2000-02-29", 11016},
    {"the first day of the next", "2000-03-01", 11017},
    {"the leap day of another era", "0400-02-29", -573372},
    {"the last of a leap year", "2000-12-31", 11322},
    {"the last day", "9999-12-31", 2932896},
};

static void is_the_same_both_ways(void **state)
{
    const struct row *r = *state;
    int64_t days = 0;
    char text[MT_DATE_TEXT];
    assert_true(mt_date_parse(mt_str_z(r->text), &days));
    assert_int_equal(days, r->days);
    assert_text(mt_str_from(text, mt_date_print(days, text)), mt_str_z(r->text));
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, is_the_same_both_ways);
    return rows_run(&list, "base/calendar");
}
