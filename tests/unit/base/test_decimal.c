/* Decimals: reading, printing and arithmetic at the edges. test_oracle.py holds them
 * against big integers at random. */
#include "../rows.h"

#include "base/decimal.h"

#define MAX_TEXT "79228162514264337593543950335"

static const struct text {
    const char *name, *text;
    mt_err err;
    const char *want;
} TEXTS[] = {
    {"reads zero", "0", MT_OK, "0"},
    {"zero has no sign", "-0.00", MT_OK, "0.00"},
    {"the scale is kept", "1.50", MT_OK, "1.50"},
    {"leading zeros are dropped", "007.5", MT_OK, "7.5"},
    {"a small fraction keeps its zeros", "-0.05", MT_OK, "-0.05"},
    {"reads the largest coefficient", MAX_TEXT, MT_OK, MAX_TEXT},
    {"reads it at the largest scale", "7.9228162514264337593543950335", MT_OK,
     "7.9228162514264337593543950335"},
    {"one more does not fit", "79228162514264337593543950336", MT_E_OVERFLOW, NULL},
    {"a half more does not fit either", MAX_TEXT ".5", MT_E_OVERFLOW, NULL},
    {"less than a half more is rounded off", MAX_TEXT ".4999", MT_OK, MAX_TEXT},
    {"thirty digits overflow", "100000000000000000000000000000", MT_E_OVERFLOW, NULL},
    {"rounds a tie to even, down", "0.00000000000000000000000000005", MT_OK,
     "0.0000000000000000000000000000"},
    {"rounds a tie to even, up", "0.00000000000000000000000000015", MT_OK,
     "0.0000000000000000000000000002"},
    {"a digit behind the tie breaks it", "0.000000000000000000000000000050001", MT_OK,
     "0.0000000000000000000000000001"},
    {"rounding may cost a digit more", "7.92281625142643375935439503355", MT_OK,
     "7.922816251426433759354395034"},
    {"refuses nothing", "", MT_E_SYNTAX, NULL},
    {"refuses a sign alone", "-", MT_E_SYNTAX, NULL},
    {"refuses a plus sign", "+1", MT_E_SYNTAX, NULL},
    {"refuses an exponent", "1e5", MT_E_SYNTAX, NULL},
    {"refuses a point at the start", ".5", MT_E_SYNTAX, NULL},
    {"refuses a point at the end", "5.", MT_E_SYNTAX, NULL},
    {"refuses two points", "1.2.3", MT_E_SYNTAX, NULL},
    {"refuses spaces", " 1", MT_E_SYNTAX, NULL},
    {"refuses a sign inside", "1-2", MT_E_SYNTAX, NULL},
};

static void assert_decimal(mt_decimal d, const char *want)
{
    char text[MT_DECIMAL_TEXT];
    size_t len = mt_decimal_print(d, text);
    assert_text(mt_str_from(text, len), mt_str_z(want));
}

static mt_decimal of(const char *text)
{
    mt_decimal d = {0};
    assert_int_equal(mt_decimal_parse(mt_str_z(text), &d), MT_OK);
    return d;
}

static void reads_and_prints(void **state)
{
    const struct text *r = *state;
    mt_decimal d;
    mt_str text = fenced(mt_str_z(r->text));
    assert_int_equal(mt_decimal_parse(text, &d), r->err);
    if (!r->err) {
        assert_decimal(d, r->want);
    }
    fenced_free(text);
}

typedef mt_err operation(mt_decimal, mt_decimal, mt_decimal *);

static const struct sum {
    const char *name;
    operation *run;
    const char *a, *b, *want; /* NULL: overflow */
} SUMS[] = {
    {"carries into the whole part", mt_decimal_add, "0.95", "0.05", "1.00"},
    {"keeps the larger scale", mt_decimal_add, "1.10", "2", "3.10"},
    {"adds opposite signs", mt_decimal_add, "-1.5", "1.25", "-0.25"},
    {"gives a zero without sign", mt_decimal_add, "-1.5", "1.5", "0.0"},
    {"overflows at the largest", mt_decimal_add, MAX_TEXT, "1", NULL},
    {"drops a digit before it overflows", mt_decimal_add,
     "7922816251426433759354395033.5", "0.1", "7922816251426433759354395034"},
    {"rounds once, from the exact sum", mt_decimal_add,
     "7922816251426433759354395033.5", "0.0499999999999999999999999999",
     "7922816251426433759354395033.5"},
    {"subtracts below zero", mt_decimal_sub, "1", "2.5", "-1.5"},
    {"subtracts a negative", mt_decimal_sub, "1", "-2.5", "3.5"},
    {"subtracting zero changes nothing", mt_decimal_sub, "-1", "0", "-1"},
    {"zero minus zero has no sign", mt_decimal_sub, "0", "0", "0"},
    {"underflow below the least overflows", mt_decimal_sub, "-" MAX_TEXT, "1", NULL},
    {"adds up scales", mt_decimal_mul, "1.50", "2.0", "3.000"},
    {"multiplies signs", mt_decimal_mul, "-1.5", "-2", "3.0"},
    {"zero times a negative has no sign", mt_decimal_mul, "0", "-2", "0"},
    {"rounds a product to 28 places", mt_decimal_mul, "0.00000000000001",
     "0.000000000000005", "0.0000000000000000000000000000"},
    {"rounds a product up to even", mt_decimal_mul, "0.00000000000003",
     "0.000000000000005", "0.0000000000000000000000000002"},
    {"drops places until the product fits", mt_decimal_mul,
     "79228162514264.337593543950335", "10.00000", "792281625142643.37593543950335"},
    {"overflows when no place is left", mt_decimal_mul, MAX_TEXT, "1.1", NULL},
    {"the largest squared overflows", mt_decimal_mul, MAX_TEXT, MAX_TEXT, NULL},
    {"the largest times one stays", mt_decimal_mul, MAX_TEXT, "1", MAX_TEXT},
};

static void calculates(void **state)
{
    const struct sum *r = *state;
    mt_decimal d = {0};
    mt_err err = r->run(of(r->a), of(r->b), &d);
    assert_int_equal(err, r->want ? MT_OK : MT_E_OVERFLOW);
    if (r->want) {
        assert_decimal(d, r->want);
    }
}

typedef mt_err operation_to(mt_decimal, mt_decimal, unsigned, mt_decimal *);

#define NINES_28 "9999999999999999999999999999"

static const struct sum_to {
    const char *name;
    operation_to *run;
    const char *a, *b;
    unsigned scale;
    const char *want; /* NULL: overflow */
} SUMS_TO[] = {
    {"FE16_28 digits are computed with", mt_decimal_add_to, NINES_28, "0", 0, NINES_28},
    {"FE16_29 digits are an overflow", mt_decimal_add_to, NINES_28, "2", 0, NULL},
    {"FE16_also below zero", mt_decimal_add_to, "-" NINES_28, "-2", 0, NULL},
    {"FE16_a sum is not rounded to fit", mt_decimal_add_to, NINES_28, "0.1", 28, NULL},
    {"FE16_but to its scale", mt_decimal_add_to, NINES_28, "0.1", 0, NINES_28},
    {"FE16_zeros at the end do not count", mt_decimal_add_to, NINES_28, "0.00", 2,
     NINES_28},
    {"FE6_a product is rounded to its scale", mt_decimal_mul_to, "1.00", "0.125", 2,
     "0.12"},
    {"FE6_half to even, up", mt_decimal_mul_to, "3.00", "0.125", 2, "0.38"},
    {"FE6_rounded once", mt_decimal_mul_to, "0.4999999999999999999999999999",
     "0.9999999999999999999999999999", 0, "0"},
    {"a product of 29 digits is an overflow", mt_decimal_mul_to, NINES_28, "2", 0,
     NULL},
    {"two variables lose places before", mt_decimal_mul_within, "99999999999999.5",
     "99999999999999.5", 28, "9999999999999900000000000000"},
    {"and overflow when none is left", mt_decimal_mul_within, NINES_28, "2", 28, NULL},
};

static void calculates_to(void **state)
{
    const struct sum_to *r = *state;
    mt_decimal d = {0};
    mt_err err = r->run(of(r->a), of(r->b), r->scale, &d);
    assert_int_equal(err, r->want ? MT_OK : MT_E_OVERFLOW);
    if (r->want) {
        assert_decimal(d, r->want);
    }
}

static const struct order {
    const char *name, *a, *b;
    int want;
} ORDERS[] = {
    {"equal scales compare", "1.50", "1.51", -1},
    {"different scales of one value are equal", "1.5", "1.5000000000000000000000000000",
     0},
    {"signs decide first", "-5", "0.1", -1},
    {"negatives turn around", "-2", "-1.5", -1},
    {"zero equals zero of any scale", "0", "0.0000000000000000000000000000", 0},
    {"never rounds", MAX_TEXT, "7922816251426433759354395033.5", 1},
    {"large and tiny", "0.0000000000000000000000000001", MAX_TEXT, -1},
};

static void compares(void **state)
{
    const struct order *r = *state;
    assert_int_equal(mt_decimal_cmp(of(r->a), of(r->b)), r->want);
    assert_int_equal(mt_decimal_cmp(of(r->b), of(r->a)), -r->want);
}

static const struct scale {
    const char *name, *a;
    unsigned scale;
    const char *want; /* NULL: overflow */
} SCALES[] = {
    {"pads with zeros", "1.5", 4, "1.5000"},
    {"rounds half to even, down", "2.5", 0, "2"},
    {"rounds half to even, up", "3.5", 0, "4"},
    {"rounds above half up", "2.51", 0, "3"},
    {"a rounded zero has no sign", "-0.4", 0, "0"},
    {"keeps its own scale", "1.25", 2, "1.25"},
    {"cannot pad the largest", MAX_TEXT, 1, NULL},
    {"knows no scale above 28", "1", 29, NULL},
};

static void rescales(void **state)
{
    const struct scale *r = *state;
    mt_decimal d = {0};
    mt_err err = mt_decimal_rescale(of(r->a), r->scale, &d);
    assert_int_equal(err, r->want ? MT_OK : MT_E_OVERFLOW);
    if (r->want) {
        assert_decimal(d, r->want);
    }
}

static const struct fit {
    const char *name, *a;
    unsigned precision, scale;
    bool want;
} FITS[] = {
    {"fits exactly", "999.99", 5, 2, true},
    {"one digit too many before the point", "1000.00", 5, 2, false},
    {"trailing zeros do not count", "1.500000", 3, 1, true},
    {"a digit too many behind the point", "1.55", 3, 1, false},
    {"zero fits anywhere", "0.000", 0, 0, true},
    {"nothing else fits no digits", "1", 0, 0, false},
    {"only fraction digits", "0.99", 2, 2, true},
    {"no whole digit is left", "1.00", 2, 2, false},
    {"anything fits wide types", MAX_TEXT, 38, 0, true},
    {"29 digits do not fit 28", MAX_TEXT, 28, 0, false},
};

static void fits(void **state)
{
    const struct fit *r = *state;
    assert_int_equal(mt_decimal_fits(of(r->a), r->precision, r->scale), r->want);
}

static void whole_numbers_convert(void **state)
{
    (void)state;
    int64_t out;
    assert_int_equal(mt_decimal_to_i64(of("12.00"), &out), MT_OK);
    assert_int_equal(out, 12);
    assert_int_equal(mt_decimal_to_i64(of("12.01"), &out), MT_E_RANGE);
    assert_int_equal(mt_decimal_to_i64(of("9223372036854775808"), &out), MT_E_RANGE);
    static const int64_t VALUES[] = {0, 1, -1, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < rows_count(VALUES); i++) {
        assert_int_equal(mt_decimal_to_i64(mt_decimal_from_i64(VALUES[i]), &out),
                         MT_OK);
        assert_int_equal(out, VALUES[i]);
    }
}

static void the_smallest_scale_keeps_the_value(void **state)
{
    (void)state;
    assert_int_equal(mt_decimal_min_scale(of("1.500")), 1);
    assert_int_equal(mt_decimal_min_scale(of("0.000")), 0);
    assert_int_equal(mt_decimal_min_scale(of("100")), 0);
    assert_int_equal(mt_decimal_min_scale(of("0.0000000000000000000000000001")), 28);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, TEXTS, reads_and_prints);
    rows_add(&list, SUMS, calculates);
    rows_add(&list, SUMS_TO, calculates_to);
    rows_add(&list, ORDERS, compares);
    rows_add(&list, SCALES, rescales);
    rows_add(&list, FITS, fits);
    rows_test(&list, whole_numbers_convert);
    rows_test(&list, the_smallest_scale_keeps_the_value);
    return rows_run(&list, "base/decimal");
}
