/* Doubles: the layout of their text and the edges of reading. test_oracle.py holds them
 * against Python's floats at random. */
#include "../rows.h"

#include <float.h>
#include <math.h>

#include "base/number.h"

static const struct row {
    const char *name;
    double value;
    const char *want;
} ROWS[] = {
    {"zero has a fraction digit", 0.0, "0.0"},
    {"negative zero keeps its sign", -0.0, "-0.0"},
    {"whole numbers have a fraction digit", 100.0, "100.0"},
    {"fractions are shortest", 0.1, "0.1"},
    {"sums show what they are", 0.1 + 0.2, "0.30000000000000004"},
    {"small numbers are fixed down to 1e-5", 0.00001, "0.00001"},
    {"smaller ones are not", 0.000001, "1e-6"},
    {"exponents have no padding", 1.5e-7, "1.5e-7"},
    {"large numbers are fixed up to 16 digits", 1e15, "1000000000000000.0"},
    {"larger ones are not", 1e16, "1e16"},
    {"sixteen digits are fixed", 1234567890123456.0, "1234567890123456.0"},
    {"seventeen digits are not", 12345678901234568.0, "1.2345678901234568e16"},
    {"the largest prints", DBL_MAX, "1.7976931348623157e308"},
    {"the smallest normal prints", DBL_MIN, "2.2250738585072014e-308"},
    {"the smallest prints one digit", 4.9406564584124654e-324, "5e-324"},
    {"infinity is null", INFINITY, "null"},
    {"not-a-number is null", NAN, "null"},
};

static void prints(void **state)
{
    const struct row *r = *state;
    char text[MT_NUMBER_TEXT];
    size_t len = mt_number_print(r->value, text);
    assert_text(mt_str_from(text, len), mt_str_z(r->want));
    double again;
    if (isfinite(r->value)) {
        assert_int_equal(mt_number_parse(mt_str_from(text, len), &again), MT_OK);
        assert_memory_equal(&again, &r->value, sizeof again);
    }
}

static void what_is_too_large_is_a_range_error(void **state)
{
    (void)state;
    double value;
    assert_int_equal(mt_number_parse(MT_STR("1e309"), &value), MT_E_RANGE);
    assert_int_equal(mt_number_parse(MT_STR("-1e99999"), &value), MT_E_RANGE);
    assert_true(isinf(value) && value < 0);
    assert_int_equal(mt_number_parse(MT_STR("1e-99999"), &value), MT_OK);
    assert_true(value == 0);
}

static void a_million_digits_are_read(void **state)
{
    (void)state;
    mt_buf text = {0};
    mt_buf_addz(&text, "9007199254740993.");
    for (int i = 0; i < 1000000; i++) {
        mt_buf_addc(&text, '0');
    }
    double value;
    assert_int_equal(mt_number_parse(mt_buf_str(&text), &value), MT_OK);
    assert_true(value == 9007199254740992.0);
    mt_buf_addc(&text, '1');
    assert_int_equal(mt_number_parse(mt_buf_str(&text), &value), MT_OK);
    assert_true(value == 9007199254740994.0);
    mt_buf_free(&text);
}

static void random_bits_survive(void **state)
{
    (void)state;
    dice d = dice_from_environment();
    for (size_t i = soak_or(20000000, 200000); i > 0; i--) {
        uint64_t bits = dice_next(&d), back;
        double value, again;
        char text[MT_NUMBER_TEXT];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        size_t len = mt_number_print(value, text);
        mt_err err = mt_number_parse(mt_str_from(text, len), &again);
        memcpy(&back, &again, sizeof back);
        if (err || back != bits) {
            fail_msg("%.*s", (int)len, text);
        }
    }
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, prints);
    rows_test(&list, what_is_too_large_is_a_range_error);
    rows_test(&list, a_million_digits_are_read);
    rows_test(&list, random_bits_survive);
    return rows_run(&list, "base/number");
}
