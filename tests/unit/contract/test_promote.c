/* Types of sums and products at the edges of their ranges (spec §4.2, §13.2). */
#include "../rows.h"
#include "contract/wire/load_internal.h"

#define INT(low, high)                                                                 \
    {                                                                                  \
        .base = CT_INT, .as.range = { low, high }                                      \
    }
#define DECIMAL(p, s)                                                                  \
    {                                                                                  \
        .base = CT_DECIMAL, .as.decimal = { p, s }                                     \
    }
#define SPAN(in, low, high)                                                            \
    {                                                                                  \
        .base = CT_DURATION, .unit = in, .as.range = { low, high }                     \
    }
#define KIND(of)                                                                       \
    {                                                                                  \
        .base = of                                                                     \
    }
#define SECONDS_OF_ALL_YEARS (INT64_C(3652059) * 86400)

typedef struct row {
    const char *name;
    char op;
    ct_type left, right;
    bool defined;
    ct_type want;
} row;

/* clang-format off */
static const row ROWS[] = {
    {"no digit but one for zero", '+', INT(0, 0), DECIMAL(1, 0), true, DECIMAL(2, 0)},
    {"one is ten to the power of zero", '+', INT(0, 1), DECIMAL(1, 0), true, DECIMAL(2, 0)},
    {"two is more than that", '+', INT(0, 2), DECIMAL(1, 0), true, DECIMAL(3, 0)},
    {"nine has the digits of ten", '+', INT(0, 9), DECIMAL(1, 0), true, DECIMAL(3, 0)},
    {"ten itself", '+', INT(0, 10), DECIMAL(1, 0), true, DECIMAL(3, 0)},
    {"eleven has a digit more", '+', INT(0, 11), DECIMAL(1, 0), true, DECIMAL(4, 0)},
    {"a hundred", '+', INT(0, 100), DECIMAL(1, 0), true, DECIMAL(4, 0)},
    {"a hundred and one", '+', INT(0, 101), DECIMAL(1, 0), true, DECIMAL(5, 0)},
    {"the lower bound when it is farther from zero", '+', INT(-101, 100), DECIMAL(1, 0),
     true, DECIMAL(5, 0)},
    {"the upper bound when it is farther from zero", '+', INT(-100, 101), DECIMAL(1, 0),
     true, DECIMAL(5, 0)},
    {"the least of all numbers", '+', INT(INT64_MIN, 0), DECIMAL(1, 0), true, DECIMAL(21, 0)},
    {"the larger precision and the larger scale, left", '+', DECIMAL(9, 4), DECIMAL(5, 2),
     true, DECIMAL(10, 4)},
    {"the larger precision and the larger scale, right", '-', DECIMAL(5, 2), DECIMAL(9, 4),
     true, DECIMAL(10, 4)},
    {"a sum of ranges", '+', INT(1, 2), INT(-10, 20), true, INT(-9, 22)},
    {"a difference of ranges", '-', INT(1, 2), INT(-10, 20), true, INT(-19, 12)},
    {"a sum does not wrap above", '+', INT(0, INT64_MAX), INT(1, 1), true, INT(1, INT64_MAX)},
    {"a sum does not wrap below", '+', INT(INT64_MIN, 0), INT(-1, -1), true,
     INT(INT64_MIN, -1)},
    {"a difference does not wrap", '-', INT(INT64_MIN, 0), INT(1, 1), true,
     INT(INT64_MIN, -1)},
    {"a sum reaches the last number", '+', INT(0, INT64_MAX - 1), INT(0, 1), true,
     INT(0, INT64_MAX)},
    {"hours and minutes are minutes", '+', SPAN(CT_HOURS, 1, 2), SPAN(CT_MINUTES, 5, 7),
     true, SPAN(CT_MINUTES, 65, 127)},
    {"minutes and hours are minutes", '+', SPAN(CT_MINUTES, 5, 7), SPAN(CT_HOURS, 1, 2),
     true, SPAN(CT_MINUTES, 65, 127)},
    {"minutes less hours", '-', SPAN(CT_MINUTES, 5, 7), SPAN(CT_HOURS, 1, 2), true,
     SPAN(CT_MINUTES, -115, -53)},
    {"hours less minutes", '-', SPAN(CT_HOURS, 1, 2), SPAN(CT_MINUTES, 5, 7), true,
     SPAN(CT_MINUTES, 53, 115)},
    {"a time and a span", '+', KIND(CT_DATETIME), SPAN(CT_DAYS, 0, 1), true, KIND(CT_DATETIME)},
    {"FL18_a time less a span is nothing", '-', KIND(CT_DATETIME), SPAN(CT_DAYS, 0, 1), false,
     {0}},
    {"a span and a time", '+', SPAN(CT_DAYS, 0, 1), KIND(CT_DATETIME), true, KIND(CT_DATETIME)},
    {"a span less a time is nothing", '-', SPAN(CT_DAYS, 0, 1), KIND(CT_DATETIME), false, {0}},
    {"a time less a time", '-', KIND(CT_DATETIME), KIND(CT_DATETIME), true,
     SPAN(CT_SECONDS, -SECONDS_OF_ALL_YEARS, SECONDS_OF_ALL_YEARS)},
    {"a time and a time are nothing", '+', KIND(CT_DATETIME), KIND(CT_DATETIME), false, {0}},
    {"a number and a truth are nothing", '+', INT(0, 1), KIND(CT_BOOL), false, {0}},
    {"a truth and a number are nothing", '+', KIND(CT_BOOL), INT(0, 1), false, {0}},
    {"products of positive ranges", '*', INT(2, 3), INT(5, 7), true, INT(10, 21)},
    {"products of negative ranges", '*', INT(-3, -2), INT(-7, -5), true, INT(10, 21)},
    {"products across zero, left", '*', INT(-3, 2), INT(5, 7), true, INT(-21, 14)},
    {"products across zero, right", '*', INT(2, 3), INT(-7, 5), true, INT(-21, 15)},
    {"products across zero, both", '*', INT(-3, 2), INT(-7, 5), true, INT(-15, 21)},
    {"a product does not wrap", '*', INT(INT64_MIN, INT64_MAX), INT(2, 2), true,
     INT(INT64_MIN, INT64_MAX)},
    {"a Decimal times nine", 'r', DECIMAL(5, 2), INT(9, 9), true, DECIMAL(6, 2)},
    {"a Decimal times ten as written", 'r', DECIMAL(5, 2), INT(10, 10), true, DECIMAL(7, 2)},
    {"a Decimal times ninety-nine", 'r', DECIMAL(5, 2), INT(99, 99), true, DECIMAL(7, 2)},
    {"a Decimal times minus a hundred", 'r', DECIMAL(5, 2), INT(-100, -100), true,
     DECIMAL(8, 2)},
    {"a number that is written, times a Decimal", 'l', INT(10, 10), DECIMAL(5, 2), true,
     DECIMAL(7, 2)},
    {"a Decimal times a range", '*', DECIMAL(5, 2), INT(0, 10), true, DECIMAL(7, 2)},
    {"a Decimal times a wider range", '*', DECIMAL(5, 2), INT(0, 11), true, DECIMAL(8, 2)},
    {"a Decimal times a Decimal", '*', DECIMAL(5, 2), DECIMAL(6, 3), true, DECIMAL(11, 5)},
    {"FE6_a Decimal keeps its scale beside a literal", 'r', DECIMAL(5, 2), DECIMAL(4, 3), true, DECIMAL(9, 2)},
    {"FE6_also on the right", 'l', DECIMAL(4, 3), DECIMAL(5, 2), true, DECIMAL(9, 2)},
    {"FE6_an Int takes the scale of the literal", 'r', INT(0, 100), DECIMAL(4, 3), true, DECIMAL(7, 3)},
    {"a scale ends where Decimals end", '*', DECIMAL(28, MT_DECIMAL_MAX_SCALE), DECIMAL(9, 1),
     true, DECIMAL(36, MT_DECIMAL_MAX_SCALE)},
    {"a scale that Decimals just have", '*', DECIMAL(28, MT_DECIMAL_MAX_SCALE - 1),
     DECIMAL(9, 1), true, DECIMAL(37, MT_DECIMAL_MAX_SCALE)},
    {"a product with a truth is nothing", '*', KIND(CT_BOOL), INT(0, 1), false, {0}},
    {"a product of a truth is nothing", '*', INT(0, 1), KIND(CT_BOOL), false, {0}},
};
/* clang-format on */

static void assert_range(const ct_type *got, const ct_type *want)
{
    assert_true(got->as.range.min == want->as.range.min);
    assert_true(got->as.range.max == want->as.range.max);
}

/* op: + - *, or a product with a literal on the left, on the right. */
static void gives(void **state)
{
    const row *r = *state;
    mt_arena a = {0};
    bool product = r->op == '*' || r->op == 'l' || r->op == 'r';
    ct_expr left = {.op = r->op == 'l' ? CT_LITERAL : CT_FACT, .type = &r->left};
    ct_expr right = {.op = r->op == 'r' ? CT_LITERAL : CT_FACT, .type = &r->right};
    const ct_type *got = product
                             ? ct_type_of_product(&a, &left, &right)
                             : ct_type_of_sum(&a, &r->left, &r->right, r->op == '-');
    assert_int_equal(got != NULL, r->defined);
    if (got) {
        assert_int_equal(got->base, r->want.base);
        assert_int_equal(got->unit, r->want.unit);
    }
    if (got && got->base == CT_DECIMAL) {
        assert_int_equal(got->as.decimal.precision, r->want.as.decimal.precision);
        assert_int_equal(got->as.decimal.scale, r->want.as.decimal.scale);
    } else if (got) {
        assert_range(got, &r->want);
    }
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, gives);
    return rows_run(&list, "contract/promote");
}
