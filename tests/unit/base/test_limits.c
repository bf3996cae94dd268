/* Limits are set by name; errors have names and texts. */
#include "../rows.h"

#include "base/limits.h"

static void every_row_can_be_set_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < MT_LIMIT_ROW_COUNT; i++) {
        mt_limits l = MT_LIMITS_DEFAULT, changed = l;
        const mt_limit_row *row = &MT_LIMIT_ROWS[i];
        size_t value, most = mt_limit_most(mt_str_z(row->name));
        size_t wanted = most < 4711 ? most : 4711;
        assert_int_equal(mt_limits_set(&changed, mt_str_z(row->name), wanted), MT_OK);
        memcpy(&value, (char *)&changed + row->offset, sizeof value);
        assert_int_equal(value, wanted);
        assert_true(most == SIZE_MAX ||
                    mt_limits_set(&l, mt_str_z(row->name), most + 1) == MT_E_RANGE);
        memcpy(&value, (char *)&l + row->offset, sizeof value);
        assert_int_equal(value, row->initial);
        assert_true(value > 0 && strlen(row->help) > 0);
    }
}

static void zero_and_unknown_names_are_refused(void **state)
{
    (void)state;
    mt_limits l = MT_LIMITS_DEFAULT;
    assert_int_equal(mt_limits_set(&l, MT_STR("json_depth"), 0), MT_E_RANGE);
    assert_int_equal(mt_limits_set(&l, MT_STR("json"), 5), MT_E_NOTFOUND);
    assert_int_equal(mt_limits_set(&l, MT_STR(""), 5), MT_E_NOTFOUND);
    assert_memory_equal(&l, &MT_LIMITS_DEFAULT, sizeof l);
}

static void every_error_has_a_name_and_a_text(void **state)
{
    (void)state;
    for (int e = MT_OK; e < MT_ERR_COUNT; e++) {
        assert_true(strlen(mt_err_name((mt_err)e)) > 0);
        assert_true(strlen(mt_err_text((mt_err)e)) > 0);
        for (int other = MT_OK; other < e; other++) {
            assert_string_not_equal(mt_err_name((mt_err)e), mt_err_name((mt_err)other));
        }
    }
    assert_string_equal(mt_err_name(MT_ERR_COUNT), "unknown");
}

int main(void)
{
    static rows_list list;
    rows_test(&list, every_row_can_be_set_by_name);
    rows_test(&list, zero_and_unknown_names_are_refused);
    rows_test(&list, every_error_has_a_name_and_a_text);
    return rows_run(&list, "base/limits");
}
