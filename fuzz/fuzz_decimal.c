/* Two decimals separated by a space: laws that hold whatever they are. */
#include "base/decimal.h"

static void check_text(mt_decimal d)
{
    char text[MT_DECIMAL_TEXT];
    mt_decimal again;
    mt_str s = {text, mt_decimal_print(d, text)};
    MT_ASSERT(mt_decimal_parse(s, &again) == MT_OK);
    MT_ASSERT(mt_decimal_cmp(d, again) == 0 && d.scale == again.scale);
    MT_ASSERT(d.scale <= MT_DECIMAL_MAX_SCALE);
    MT_ASSERT(d.lo || d.hi || !d.negative);
    MT_ASSERT(mt_decimal_min_scale(d) <= d.scale);
    MT_ASSERT(mt_decimal_fits(d, 57, MT_DECIMAL_MAX_SCALE));
}

static void check_commutes(mt_err (*run)(mt_decimal, mt_decimal, mt_decimal *),
                           mt_decimal a, mt_decimal b)
{
    mt_decimal x = {0}, y = {0};
    mt_err err = run(a, b, &x);
    MT_ASSERT(run(b, a, &y) == err);
    if (!err) {
        MT_ASSERT(mt_decimal_cmp(x, y) == 0 && x.scale == y.scale);
        check_text(x);
    } else {
        MT_ASSERT(err == MT_E_OVERFLOW);
    }
}

/* (a - b) has the sign of the comparison, unless rounding took it away. */
static void check_difference(mt_decimal a, mt_decimal b)
{
    mt_decimal d, zero = mt_decimal_from_i64(0);
    if (mt_decimal_sub(a, b, &d) == MT_OK) {
        int order = mt_decimal_cmp(a, b), sign = mt_decimal_cmp(d, zero);
        MT_ASSERT(sign == order || sign == 0);
        MT_ASSERT(order != 0 || sign == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str text = {(const char *)data, size};
    size_t gap = mt_str_find(text, ' ');
    mt_decimal a, b;
    if (mt_decimal_parse(mt_str_from(text.ptr, gap), &a) != MT_OK) {
        return 0;
    }
    check_text(a);
    for (unsigned scale = 0; scale <= MT_DECIMAL_MAX_SCALE; scale++) {
        mt_decimal d;
        if (mt_decimal_rescale(a, scale, &d) == MT_OK) {
            check_text(d);
            MT_ASSERT(d.scale == scale);
            MT_ASSERT(scale < a.scale || mt_decimal_cmp(a, d) == 0);
        }
    }
    if (mt_decimal_parse(mt_str_skip(text, gap + 1), &b) == MT_OK) {
        check_commutes(mt_decimal_add, a, b);
        check_commutes(mt_decimal_mul, a, b);
        check_difference(a, b);
        MT_ASSERT(mt_decimal_cmp(a, b) == -mt_decimal_cmp(b, a));
    }
    return 0;
}
