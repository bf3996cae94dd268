/* Answers one line per line of input, for test_oracle.py:
 *     add|sub|mul|cmp A B, rescale A N, fits A P S, parse A    (decimals)
 *     add_to|mul_to|mul_within A B SCALE, bounded A
 *     print HEXBITS, read TEXT                                 (doubles)
 * The answer is the result's text, or the name of the error. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/number.h"

static void answer(mt_err err, mt_decimal d)
{
    char text[MT_DECIMAL_TEXT];
    if (err) {
        printf("%s\n", mt_err_name(err));
    } else {
        printf("%.*s\n", (int)mt_decimal_print(d, text), text);
    }
}

static mt_decimal decimal(const char *text)
{
    mt_decimal d;
    if (mt_decimal_parse(mt_str_z(text), &d)) {
        MT_BUG("operand is no decimal");
    }
    return d;
}

static void on_decimals(mt_str op, const char *a, const char *b, const char *c)
{
    mt_decimal d = {0}, x = decimal(a);
    if (mt_str_is(op, "rescale")) {
        mt_err err = mt_decimal_rescale(x, (unsigned)atoi(b), &d);
        answer(err, d);
    } else if (mt_str_is(op, "fits")) {
        bool fits = mt_decimal_fits(x, (unsigned)atoi(b), (unsigned)atoi(c));
        printf("%d\n", fits);
    } else if (c) { /* add_to, mul_to, mul_within A B SCALE */
        mt_err (*operation)(mt_decimal, mt_decimal, unsigned, mt_decimal *) =
            mt_str_is(op, "add_to")   ? mt_decimal_add_to
            : mt_str_is(op, "mul_to") ? mt_decimal_mul_to
                                      : mt_decimal_mul_within;
        mt_err err = operation(x, decimal(b), (unsigned)atoi(c), &d);
        answer(err, d);
    } else if (mt_str_is(op, "bounded")) {
        printf("%d\n", mt_decimal_bounded(x));
    } else if (mt_str_is(op, "cmp")) {
        printf("%d\n", mt_decimal_cmp(x, decimal(b)));
    } else {
        mt_err (*operation)(mt_decimal, mt_decimal, mt_decimal *) =
            mt_str_is(op, "add")   ? mt_decimal_add
            : mt_str_is(op, "sub") ? mt_decimal_sub
                                   : mt_decimal_mul;
        mt_err err = operation(x, decimal(b), &d);
        answer(err, d);
    }
}

static void print_number(const char *hex)
{
    char text[MT_NUMBER_TEXT];
    uint64_t bits = strtoull(hex, NULL, 16);
    double value;
    memcpy(&value, &bits, sizeof value);
    printf("%.*s\n", (int)mt_number_print(value, text), text);
}

static void read_number(const char *text)
{
    double value = 0;
    uint64_t bits;
    mt_err err = mt_number_parse(mt_str_z(text), &value);
    memcpy(&bits, &value, sizeof bits);
    if (err && err != MT_E_RANGE) {
        printf("%s\n", mt_err_name(err));
    } else {
        printf("%016" PRIx64 "\n", bits);
    }
}

int main(void)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        char *rest = NULL;
        const char *op = strtok_r(line, " \n", &rest),
                   *a = strtok_r(NULL, " \n", &rest);
        const char *b = strtok_r(NULL, " \n", &rest), *c = strtok_r(NULL, " \n", &rest);
        mt_str name = mt_str_z(op);
        if (mt_str_is(name, "print")) {
            print_number(a);
        } else if (mt_str_is(name, "read")) {
            read_number(a);
        } else if (mt_str_is(name, "parse")) {
            mt_decimal d = {0};
            mt_err err = mt_decimal_parse(mt_str_z(a), &d);
            answer(err, d);
        } else {
            on_decimals(name, a, b, c);
        }
    }
    return 0;
}
