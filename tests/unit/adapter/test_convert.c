/* `convert` of a fact: what each step makes of a value, and which values it refuses. */
#include <stdio.h>
#include <unistd.h>

#include "adapter_fixture.h"

#define FILE_NAME "test_convert.json"
#define WHOLE     "{'base':'Int','max':1000000000,'min':-1000000000}"
#define EXACT     "{'base':'Decimal','precision':28,'scale':10}"
#define EUR       "{'base':'Money','currency':'EUR'}"
#define LASTS(u)  "{'base':'Duration','max':1000000000,'min':-1000000000,'unit':'" u "'}"
#define MOMENT    "{'base':'DateTime'}"
#define DAY       "{'base':'Date'}"
#define CHOICE    "{'base':'Enum','values':['open','paid']}"

#define D20 "99999999999999999999"
#define D60 D20 D20 D20

/* clang-format off */
static const struct row {
    const char *name, *type, *convert, *value, *want; /* !: malformed, with these words */
} ROWS[] = {
    {"values of a text", CHOICE, "values: {OPEN: open, PAID: paid}", "\"PAID\"", "\"paid\""},
    {"values of a number", CHOICE, "values: {'1': open, '2': paid}", "2", "\"paid\""},
    {"values of true", CHOICE, "values: {'true': open, 'false': paid}", "true", "\"open\""},
    {"values of false", CHOICE, "values: {'true': open, 'false': paid}", "false", "\"paid\""},
    {"values without a row", CHOICE, "values: {OPEN: open}", "\"open\"", "!no row for the value: 'open'"},
    {"values of a list", CHOICE, "values: {OPEN: open}", "[1]", "!no row for the value"},
    {"values of an object", CHOICE, "values: {OPEN: open}", "{\"a\":1}", "!no row for the value"},

    {"cents", EUR, "shift: -2", "1250", "{\"amount\":\"12.50\",\"currency\":\"EUR\"}"},
    {"cents below one", EUR, "shift: -2", "7", "{\"amount\":\"0.07\",\"currency\":\"EUR\"}"},
    {"ten cents", EUR, "shift: -2", "10", "{\"amount\":\"0.10\",\"currency\":\"EUR\"}"},
    {"a hundred cents", EUR, "shift: -2", "100", "{\"amount\":\"1.00\",\"currency\":\"EUR\"}"},
    {"no cents", EUR, "shift: -2", "0", "{\"amount\":\"0.00\",\"currency\":\"EUR\"}"},
    {"cents owed", EUR, "shift: -2", "-1250", "{\"amount\":\"-12.50\",\"currency\":\"EUR\"}"},
    {"a text of cents", EUR, "shift: -2", "\"1250\"", "{\"amount\":\"12.50\",\"currency\":\"EUR\"}"},
    {"thousandths, far below one", EXACT, "shift: -5", "12", "\"0.00012\""},
    {"to the left", EXACT, "shift: 3", "1.5", "\"1500\""},
    {"to the left past zeros", EXACT, "shift: 2", "0.015", "\"1.5\""},
    {"a whole number shifted", WHOLE, "shift: 2", "15", "1500"},
    {"a whole number shifted back", WHOLE, "shift: -2", "1500", "15"},
    {"what would be rounded", WHOLE, "shift: -2", "1550", "!shifted it is not a whole number: '1550'"},
    {"not a number", EXACT, "shift: 2", "\"1e3\"", "!needs a plain number: '1e3'"},
    {"two points", EXACT, "shift: 2", "\"1.2.3\"", "!needs a plain number"},
    {"no digit", EXACT, "shift: 2", "\"-\"", "!needs a plain number"},
    {"nothing", EXACT, "shift: 2", "\"\"", "!needs a plain number"},
    {"the signs around the digits", EXACT, "shift: 2", "\"1:\"", "!needs a plain number: '1:'"},
    {"the sign before the digits", EXACT, "shift: 2", "\"1/\"", "!needs a plain number: '1/'"},
    {"nines", EXACT, "shift: -1", "9099", "\"909.9\""},
    {"sixty digits", EXACT, "shift: -28", "\"" D60 "\"", "\"99999999999999999999999999999999.9999999999999999999999999999\""},
    {"sixty-one digits", EXACT, "shift: -1", "\"" D60 "1\"", "!needs a plain number: '" D60 "'"},
    {"to just before the first digit", EXACT, "shift: -2", "12", "\"0.12\""},
    {"to behind the first digit", EXACT, "shift: -1", "12", "\"1.2\""},
    {"zeros on both sides", EXACT, "shift: 1", "\"000.00\"", "\"0.0\""},
    {"the furthest to the left", EXACT, "shift: 28", "1", "\"10000000000000000000000000000\""},
    {"zeros behind the point of a whole number", WHOLE, "shift: -2", "\"1500.00\"", "15"},
    {"a digit behind them", WHOLE, "shift: -2", "\"1500.01\"", "!shifted it is not a whole number: '1500.01'"},

    {"seconds since 1970", MOMENT, "epoch: seconds", "1700000000", "\"2023-11-14T22:13:20Z\""},
    {"seconds before 1970", MOMENT, "epoch: seconds", "-1", "\"1969-12-31T23:59:59Z\""},
    {"a fraction of a second", MOMENT, "epoch: seconds", "\"0.25\"", "\"1970-01-01T00:00:00.25Z\""},
    {"nine digits of a fraction", MOMENT, "epoch: seconds", "\"0.000000001\"", "\"1970-01-01T00:00:00.000000001Z\""},
    {"ten digits of a fraction", MOMENT, "epoch: seconds", "\"0.0000000001\"", "!counted from 1970"},
    {"a fraction before 1970", MOMENT, "epoch: seconds", "\"-1.5\"", "!counted from 1970"},
    {"milliseconds", MOMENT, "epoch: milliseconds", "1700000000123", "\"2023-11-14T22:13:20.123Z\""},
    {"milliseconds before 1970", MOMENT, "epoch: milliseconds", "-1", "\"1969-12-31T23:59:59.999Z\""},
    {"whole milliseconds before 1970", MOMENT, "epoch: milliseconds", "-1000", "\"1969-12-31T23:59:59Z\""},
    {"a fraction of a millisecond", MOMENT, "epoch: milliseconds", "\"1.5\"", "!counted from 1970"},
    {"a day", DAY, "epoch: seconds", "1700000000", "\"2023-11-14\""},
    {"the last second of all", MOMENT, "epoch: seconds", "253402300799", "\"9999-12-31T23:59:59Z\""},
    {"one too many", MOMENT, "epoch: seconds", "253402300800", "!counted from 1970"},
    {"a point and a word behind it", MOMENT, "epoch: seconds", "\"5.x\"", "!counted from 1970: '5.x'"},
    {"a sign before nothing behind the point", MOMENT, "epoch: seconds", "\"5.-0\"", "!counted from 1970: '5.-0'"},
    {"a sign behind the point", MOMENT, "epoch: seconds", "\"5.-1\"", "!counted from 1970: '5.-1'"},
    {"nothing before 1970", MOMENT, "epoch: seconds", "\"-1.0\"", "\"1969-12-31T23:59:59Z\""},
    {"nineteen digits of seconds", MOMENT, "epoch: seconds", "\"0000000000000000001\"", "!counted from 1970"},
    {"eighteen digits of seconds", MOMENT, "epoch: seconds", "\"000000000000000001\"", "\"1970-01-01T00:00:01Z\""},
    {"a day in milliseconds before 1970", DAY, "epoch: milliseconds", "-1", "\"1969-12-31\""},
    {"a word", MOMENT, "epoch: seconds", "\"now\"", "!counted from 1970: 'now'"},

    {"milliseconds as seconds", LASTS("seconds"), "unit: milliseconds", "5000", "{\"value\":5}"},
    {"half a second", LASTS("seconds"), "unit: milliseconds", "5500", "!whole number of the fact's unit"},
    {"minutes as seconds", LASTS("seconds"), "unit: minutes", "2", "{\"value\":120}"},
    {"hours as minutes", LASTS("minutes"), "unit: hours", "2", "{\"value\":120}"},
    {"days as hours", LASTS("hours"), "unit: days", "2", "{\"value\":48}"},
    {"hours as days", LASTS("days"), "unit: hours", "48", "{\"value\":2}"},
    {"hours that are no day", LASTS("days"), "unit: hours", "47", "!whole number of the fact's unit"},
    {"too long to count", LASTS("seconds"), "unit: days", "999999999999999999", "!whole number of the fact's unit"},
    {"all parts", LASTS("seconds"), "unit: iso8601", "\"P1DT2H3M4S\"", "{\"value\":93784}"},
    {"weeks", LASTS("days"), "unit: iso8601", "\"P2W\"", "{\"value\":14}"},
    {"only days", LASTS("hours"), "unit: iso8601", "\"P3D\"", "{\"value\":72}"},
    {"only minutes", LASTS("seconds"), "unit: iso8601", "\"PT90M\"", "{\"value\":5400}"},
    {"minutes that are months", LASTS("seconds"), "unit: iso8601", "\"P1M\"", "!whole number of the fact's unit"},
    {"years", LASTS("seconds"), "unit: iso8601", "\"P1Y\"", "!whole number of the fact's unit"},
    {"hours without a T", LASTS("seconds"), "unit: iso8601", "\"P1H\"", "!whole number of the fact's unit"},
    {"days behind a T", LASTS("seconds"), "unit: iso8601", "\"PT1D\"", "!whole number of the fact's unit"},
    {"a T and nothing", LASTS("seconds"), "unit: iso8601", "\"P1DT\"", "!whole number of the fact's unit"},
    {"a P and nothing", LASTS("seconds"), "unit: iso8601", "\"P\"", "!whole number of the fact's unit"},
    {"no P", LASTS("seconds"), "unit: iso8601", "\"T1S\"", "!whole number of the fact's unit"},
    {"two Ts", LASTS("seconds"), "unit: iso8601", "\"PTT1S\"", "!whole number of the fact's unit"},
    {"a part twice", LASTS("seconds"), "unit: iso8601", "\"PT1S2S\"", "!whole number of the fact's unit"},
    {"parts in another order", LASTS("seconds"), "unit: iso8601", "\"PT1S2H\"", "!whole number of the fact's unit"},
    {"a number without a letter", LASTS("seconds"), "unit: iso8601", "\"PT1\"", "!whole number of the fact's unit"},
    {"a letter without a number", LASTS("seconds"), "unit: iso8601", "\"PTS\"", "!whole number of the fact's unit"},
    {"a fraction", LASTS("seconds"), "unit: iso8601", "\"PT1.5S\"", "!whole number of the fact's unit"},
    {"twelve digits", LASTS("seconds"), "unit: iso8601", "\"PT000000000001S\"", "{\"value\":1}"},
    {"thirteen digits", LASTS("seconds"), "unit: iso8601", "\"PT0000000000001S\"", "!whole number of the fact's unit"},
    {"too many weeks", LASTS("seconds"), "unit: iso8601", "\"P999999999999W\"", "!whole number of the fact's unit"},

    {"a sum that is too long", LASTS("seconds"), "unit: iso8601", "\"P999999999W999999999999D\"", "!whole number of the fact's unit"},
    {"nines and zeros", LASTS("seconds"), "unit: iso8601", "\"PT90S\"", "{\"value\":90}"},
    {"the signs around the digits of a part", LASTS("seconds"), "unit: iso8601", "\"PT:S\"", "!whole number of the fact's unit"},
    {"weeks and seconds", LASTS("seconds"), "unit: iso8601", "\"P1WT1S\"", "{\"value\":604801}"},
    {"nothing of a unit", LASTS("days"), "unit: hours", "0", "{\"value\":0}"},
    {"less than nothing of a unit", LASTS("days"), "unit: hours", "-24", "{\"value\":-1}"},
    {"a span with a fraction", LASTS("days"), "unit: hours", "\"24.0\"", "!whole number of the fact's unit: '24.0'"},
    {"text of a duration as a number", LASTS("hours"), "number: true", "\"5\"", "{\"value\":5}"},
    {"below nothing", WHOLE, "number: true", "\"-012\"", "-12"},

    {"a number as text", WHOLE, "number: true", "\"12\"", "12"},
    {"zeros before it", WHOLE, "number: true", "\"007\"", "7"},
    {"a decimal as text", EXACT, "number: true", "\"1.50\"", "\"1.50\""},
    {"a word for a number", WHOLE, "number: true", "\"twelve\"", "!it is not a number: 'twelve'"},

    {"other names of money", EUR, "money: {amount: value, currency: code}", "{\"value\":\"1.50\",\"code\":\"EUR\"}",
     "{\"amount\":\"1.50\",\"currency\":\"EUR\"}"},
    {"other names, in cents", EUR, "{money: {amount: value, currency: code}, shift: -2}", "{\"value\":150,\"code\":\"EUR\"}",
     "{\"amount\":\"1.50\",\"currency\":\"EUR\"}"},
    {"money without an amount", EUR, "money: {amount: value, currency: code}", "{\"code\":\"EUR\"}",
     "!not an object with an amount and a currency"},
    {"a currency that is a number", EUR, "money: {amount: value, currency: code}", "{\"value\":1,\"code\":978}",
     "!not an object with an amount and a currency"},
    {"an amount that cannot be shifted", EUR, "{money: {amount: value, currency: code}, shift: -2}",
     "{\"value\":\"x\",\"code\":\"EUR\"}", "!needs a plain number: 'x'"},
    {"values before the shift", EXACT, "{values: {few: 5, many: 50}, shift: -1}", "\"few\"", "\"0.5\""},
};

/* Steps that cannot lead to the type: said at the start. */
static const struct useless_row {
    const char *name, *type, *convert;
} USELESS[] = {
    {"epoch of a number", WHOLE, "epoch: seconds"},
    {"unit of a number", WHOLE, "unit: days"},
    {"shift of a day", DAY, "shift: 2"},
    {"number of a day", DAY, "number: true"},
    {"money of a number", WHOLE, "money: {amount: a, currency: c}"},
    {"a list among the values", CHOICE, "values: {a: [1]}"},
    {"an object among the values", CHOICE, "values: {a: {b: 1}}"},
    {"null among the values", CHOICE, "values: {a: null}"},
};
/* clang-format on */

static outlet open_fact(const char *type, const char *convert)
{
    outlet o;
    mt_arena scratch = {0};
    mt_str constructs =
        mt_strf(&scratch, SOURCE("s", "static", "") FACT_OF("s", "v", "v", "%s"), type);
    bool braced = convert[0] == '{';
    mt_str yaml = mt_strf(&scratch, "s: {file: %s, facts: {v: {convert: %s%s%s}}}",
                          FILE_NAME, braced ? "" : "{", convert, braced ? "" : "}");
    outlet_open_with(&o, constructs.ptr, yaml, NULL);
    mt_arena_free(&scratch);
    return o;
}

static void put_value(const char *value)
{
    FILE *f = fopen(FILE_NAME, "w");
    assert_non_null(f);
    fprintf(f, "{\"v\":%s}\n", value);
    assert_int_equal(fclose(f), 0);
}

static void converts(void **state)
{
    const struct row *row = *state;
    put_value(row->value);
    outlet o = open_fact(row->type, row->convert);
    if (o.err) {
        fail_msg("refused: %.*s", MT_ARG(o.ds.items[0].message));
    }
    ad_fact_answer got = ask(&o, "v", NULL);
    if (row->want[0] == '!') {
        assert_error(got, "malformed");
        assert_non_null(memmem(got.message.ptr, got.message.len, row->want + 1,
                               strlen(row->want + 1)));
    } else {
        assert_value(got, row->want);
    }
    outlet_close(&o);
}

static void is_useless(void **state)
{
    const struct useless_row *row = *state;
    put_value("1");
    outlet o = open_fact(row->type, row->convert);
    assert_refused(&o, "F101", "does not lead to the fact's type");
    outlet_close(&o);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, converts);
    rows_add(&list, USELESS, is_useless);
    int failed = rows_run(&list, "adapter/convert");
    unlink(FILE_NAME);
    return failed;
}
