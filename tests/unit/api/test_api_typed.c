/* Facts put value by value through motet.h: what each type takes, what it refuses, and
 * which words say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <motet.h>

#define FACT(name, type, value)                                                        \
    "fact " name " { type: " type " source: \"a.b\" default: " value " }\n"
#define RULE(name, when)                                                               \
    "rule " name " { stratum: 0 when: " when " produce: verdict is_" name              \
    " { payload: Bool = true } }\n"

/* clang-format off */
static const char CONTRACT[] =
    FACT("b", "Bool", "false")
    FACT("n", "Int(0, 9)", "0")
    FACT("wait", "Duration(unit: \"hours\", min: 0, max: 48)", "Duration { value: 0, unit: \"hours\" }")
    FACT("rate", "Decimal(4, 2)", "0.00")
    FACT("word", "Text(4)", "\"\"")
    FACT("kind", "Enum([\"red\", \"blue\"])", "\"red\"")
    FACT("day", "Date", "\"2020-01-01\"")
    FACT("at", "DateTime", "\"2020-01-01T00:00:00Z\"")
    FACT("ns", "List(element_type: Int(0, 9), max: 2)", "[]")
    FACT("u", "TaggedUnion { Card: Record { no: Text(4), pin: Int(0, 9) }, Cash: Int(0, 100) }", "Cash(1)")
    FACT("price", "Money(\"USD\")", "Money { amount: \"0.00\", currency: \"USD\" }")
    FACT("grid", "List(element_type: Record { k: List(element_type: Int(0, 9), max: 2), n: Int(0, 9) }, max: 3)", "[]")
    RULE("price", "price = Money { amount: \"1.50\", currency: \"USD\" }")
    RULE("grid", "len(grid) = 2")
    RULE("b", "b = true")
    RULE("n", "n = 7")
    RULE("wait", "wait = Duration { value: 5, unit: \"hours\" }")
    RULE("rate", "rate = 1.25")
    RULE("word", "word = \"abcd\"")
    RULE("kind", "kind = \"blue\"")
    RULE("day", "day = \"2024-02-29\"")
    RULE("at", "at = \"2024-02-29T12:00:00Z\"")
    RULE("ns", "len(ns) = 2")
    RULE("cash", "u = Cash(6)")
    RULE("card", "u.tag = \"Card\" ∧ u.Card.no = \"12\" ∧ u.Card.pin = 3");

/* `puts`: b bool, i int, d decimal, m money, t text, l list, r record, u union; each
 * with its value, a space between them. */
static const struct row {
    const char *fact, *puts;
    const char *verdict, *kind, *path, *message; /* a verdict, or a fault */
} ROWS[] = {
    {"b", "b1", "is_b", NULL, NULL, NULL},
    {"b", "i1", NULL, "type_mismatch", "b", "expected Bool"},
    {"n", "i7", "is_n", NULL, NULL, NULL},
    {"n", "b1", NULL, "type_mismatch", "n", "expected Int"},
    {"n", "t7", NULL, "type_mismatch", "n", "expected Int"},
    {"n", "i10", NULL, "type_mismatch", "n", "expected Int(0, 9), got 10"},
    {"n", "i-1", NULL, "type_mismatch", "n", "expected Int(0, 9), got -1"},
    {"n", "i7 i7", NULL, "type_mismatch", "", "no value is due here"},
    {"wait", "i5", "is_wait", NULL, NULL, NULL},
    {"wait", "i49", NULL, "type_mismatch", "wait", ", got 49"},
    {"wait", "t5", NULL, "type_mismatch", "wait", "expected Duration"},
    {"rate", "d1.25", "is_rate", NULL, NULL, NULL},
    {"rate", "d1.2.5", NULL, "type_mismatch", "rate", "the text is not a decimal"},
    {"rate", "d100.25", NULL, "type_mismatch", "rate", "got 100.25"},
    {"rate", "m1.25", NULL, "type_mismatch", "rate", "expected Decimal"},
    {"rate", "i1", NULL, "type_mismatch", "rate", "expected Decimal"},
    {"word", "tabcd", "is_word", NULL, NULL, NULL},
    {"word", "tabcde", NULL, "type_mismatch", "word", "got text of length 5"},
    {"word", "t\xff", NULL, "type_mismatch", "word", "got invalid UTF-8"},
    {"word", "i1", NULL, "type_mismatch", "word", "expected Text"},
    {"kind", "tblue", "is_kind", NULL, NULL, NULL},
    {"kind", "tgreen", NULL, "type_mismatch", "kind", "no value of Enum: green"},
    {"day", "t2024-02-29", "is_day", NULL, NULL, NULL},
    {"day", "t2023-02-29", NULL, "type_mismatch", "day", "no value of Date: 2023-02-29"},
    {"day", "i1", NULL, "type_mismatch", "day", "expected Date"},
    {"at", "t2024-02-29T12:00:00Z", "is_at", NULL, NULL, NULL},
    {"at", "tnow", NULL, "type_mismatch", "at", "no value of DateTime: now"},
    {"ns", "l2 i1 i2", "is_ns", NULL, NULL, NULL},
    {"ns", "l3", NULL, "type_mismatch", "ns", "the list is longer than its max"},
    {"ns", "i1", NULL, "type_mismatch", "ns", "expected List"},
    {"ns", "r", NULL, "type_mismatch", "ns", "expected List"},
    {"ns", "uCash", NULL, "type_mismatch", "ns", "expected List"},
    {"ns", "l2 i1 i10", NULL, "type_mismatch", "ns[1]", "got 10"},
    {"u", "uCash i6", "is_cash", NULL, NULL, NULL},
    {"u", "uCard r t12 i3", "is_card", NULL, NULL, NULL},
    {"u", "uCheque", NULL, "type_mismatch", "u", "the union has no such tag"},
    {"u", "uCash t6", NULL, "type_mismatch", "u", "expected Int"},
    {"u", "uCash i101", NULL, "type_mismatch", "u.payload", "expected Int(0, 100), got 101"},
    {"u", "uCard r t12345 i3", NULL, "type_mismatch", "u.payload.no", "got text of length 5"},
    {"u", "l1", NULL, "type_mismatch", "u", "expected TaggedUnion"},
    {"u", "uCard", NULL, "type_mismatch", "u", "the value is not complete"},
    {"u", "uCard r t12", NULL, "type_mismatch", "u", "the value is not complete"},
    {"u", "r", NULL, "type_mismatch", "u", "expected TaggedUnion"},
    {"u", "uCash uCash", NULL, "type_mismatch", "u", "expected Int"},
    {"ns", "l2 i1", NULL, "type_mismatch", "ns", "the value is not complete"},
    {"ns", "l2 i1 i2 i3", NULL, "type_mismatch", "", "no value is due here"},
    {"ns", "l0 i3", NULL, "type_mismatch", "", "no value is due here"},
    {"ns", "l1 t3 i1", NULL, "type_mismatch", "ns", "expected Int"},
    {"grid", "l2 r l0 i1 r l2 i1 i2 i3", "is_grid", NULL, NULL, NULL},
    {"grid", "l2 r l1 i1 i1 r l0 i1", "is_grid", NULL, NULL, NULL},
    {"grid", "l2 r l0 i1 r l0", NULL, "type_mismatch", "grid", "the value is not complete"},
    {"grid", "l2 r l0 i1", NULL, "type_mismatch", "grid", "the value is not complete"},
    {"grid", "l1 r l3", NULL, "type_mismatch", "grid", "the list is longer than its max"},
    {"grid", "l1 r i1", NULL, "type_mismatch", "grid", "expected List"},
    {"grid", "l1 l0", NULL, "type_mismatch", "grid", "expected Record"},
    {"grid", "l2 r l0 i1 r l2 i1 i10 i3", NULL, "type_mismatch", "grid[1].k[1]", "got 10"},
    {"grid", "l2 r l0 i1 r l1 i1 i10", NULL, "type_mismatch", "grid[1].n", "got 10"},
    {"price", "m1.50", "is_price", NULL, NULL, NULL},
    {"price", "d1.50", NULL, "type_mismatch", "price", "expected Money"},
    {"price", "t1.50", NULL, "type_mismatch", "price", "expected Money"},
    {"price", "mx", NULL, "type_mismatch", "price", "the text is not a decimal"},
    {"rate", "t1.25", NULL, "type_mismatch", "rate", "expected Decimal"},
    {"rate", "b1", NULL, "type_mismatch", "rate", "expected Decimal"},
    {"b", "tx", NULL, "type_mismatch", "b", "expected Bool"},
    {"b", "d1.0", NULL, "type_mismatch", "b", "expected Bool"},
    {"b", "l0", NULL, "type_mismatch", "b", "expected Bool"},
    {"b", "b1 d1.0", NULL, "type_mismatch", "", "no value is due here"},
    {"word", "b1", NULL, "type_mismatch", "word", "expected Text"},
    {"word", "r", NULL, "type_mismatch", "word", "expected Text"},
    {"kind", "b1", NULL, "type_mismatch", "kind", "expected Enum"},
    {"at", "i1", NULL, "type_mismatch", "at", "expected DateTime"},
    {"day", "b1", NULL, "type_mismatch", "day", "expected Date"},
};
/* clang-format on */

static void put_one(motet_facts *f, const char *what)
{
    const char *value = what + 1;
    switch (what[0]) {
    case 'b': motet_put_bool(f, value[0] == '1'); break;
    case 'i': motet_put_int(f, atoi(value)); break;
    case 'd': motet_put_decimal(f, value); break;
    case 'm': motet_put_money(f, value); break;
    case 't': motet_put_text(f, (motet_str){value, strlen(value)}); break;
    case 'l': motet_put_list(f, (size_t)atoi(value)); break;
    case 'r': motet_put_record(f); break;
    default: motet_put_union(f, value);
    }
}

static void put_all(motet_facts *f, const struct row *row)
{
    char puts[64], *rest = puts;
    snprintf(puts, sizeof puts, "%s", row->puts);
    motet_facts_begin(f);
    motet_facts_name(f, row->fact);
    for (char *one; (one = strtok_r(rest, " ", &rest));) {
        put_one(f, one);
    }
}

static void takes_or_refuses(motet_facts *f, motet_verdicts *v, const struct row *row)
{
    put_all(f, row);
    motet_status status = motet_facts_end(f);
    motet_fault fault = motet_facts_fault(f);
    print_message("%s: %s: %.*s\n", row->fact, row->puts, (int)fault.message.len,
                  fault.message.ptr);
    assert_int_equal(status == MOTET_OK, row->verdict != NULL);
    if (row->verdict) {
        assert_int_equal(motet_evaluate(f, v), MOTET_OK);
        assert_true(motet_verdict_present(v, row->verdict));
        return;
    }
    assert_string_equal(fault.kind, row->kind);
    assert_int_equal(fault.path.len, strlen(row->path));
    assert_memory_equal(fault.path.ptr, row->path, fault.path.len);
    assert_non_null(memmem(fault.message.ptr, fault.message.len, row->message,
                           strlen(row->message)));
}

static void values_are_taken_as_their_type_says(void **state)
{
    (void)state;
    motet_contract *c;
    motet_status loaded =
        motet_contract_load((motet_str){CONTRACT, sizeof CONTRACT - 1}, "c.tenor", &c);
    print_message("%.*s\n", (int)motet_contract_message(c, 0).len,
                  motet_contract_message(c, 0).ptr);
    assert_int_equal(loaded, MOTET_OK);
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    motet_facts_begin(f); /* no rule holds by a default alone */
    assert_int_equal(motet_facts_end(f), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    motet_str none = motet_verdicts_json(v);
    assert_null(memmem(none.ptr, none.len, "is_", 3));
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        takes_or_refuses(f, v, &ROWS[i]);
    }
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(c);
}

/* The first fault is told, whatever comes after it, until a new set is begun. */
static void the_first_fault_stays(void **state)
{
    (void)state;
    motet_contract *c;
    assert_int_equal(
        motet_contract_load((motet_str){CONTRACT, sizeof CONTRACT - 1}, "c.tenor", &c),
        MOTET_OK);
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    motet_facts_begin(f);
    assert_int_equal(motet_facts_name(f, "ns"), MOTET_OK);
    assert_int_equal(motet_put_list(f, 1), MOTET_OK);
    assert_int_equal(motet_facts_name(f, "b"), MOTET_E_USAGE);
    motet_fault fault = motet_facts_fault(f);
    assert_memory_equal(fault.message.ptr, "the value before is not complete",
                        fault.message.len);
    assert_memory_equal(fault.path.ptr, "ns", fault.path.len);
    assert_int_equal(motet_put_decimal(f, "no number"), MOTET_E_USAGE);
    assert_int_equal(motet_put_int(f, 1), MOTET_E_USAGE);
    assert_int_equal(motet_facts_end(f), MOTET_E_USAGE);
    fault = motet_facts_fault(f);
    assert_memory_equal(fault.message.ptr, "the value before is not complete",
                        fault.message.len);
    assert_int_equal(motet_evaluate(f, v), MOTET_E_USAGE);
    fault = motet_verdicts_fault(v);
    assert_memory_equal(fault.message.ptr, "the fact set is not filled",
                        fault.message.len);
    assert_int_equal(motet_verdicts_json(v).len, 0);
    assert_false(motet_verdict_present(v, "is_b"));
    motet_facts_begin(f);
    assert_int_equal(motet_facts_name(f, "b"), MOTET_OK);
    assert_int_equal(motet_put_bool(f, true), MOTET_OK);
    assert_int_equal(motet_facts_name(f, "n"), MOTET_OK);
    assert_int_equal(motet_put_int(f, 7), MOTET_OK);
    assert_int_equal(motet_facts_end(f), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    assert_int_equal(motet_verdicts_fault(v).message.len, 0);
    assert_true(motet_verdict_present(v, "is_b"));
    assert_true(motet_verdict_present(v, "is_n"));
    assert_false(motet_verdict_present(v, "is_rate"));
    motet_facts_begin(f); /* what is begun anew is not filled */
    assert_int_equal(motet_evaluate(f, v), MOTET_E_USAGE);
    assert_false(motet_verdict_present(v, "is_b"));
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(c);
}

/* ---- options of a load ---- */

static motet_status one_file(void *user, motet_str path, motet_str *text)
{
    (void)path;
    *text = (motet_str){user, strlen(user)};
    return MOTET_OK;
}

/* clang-format off */
static const struct load_row {
    const char *options;
    motet_status status;
    const char *message; /* the first; NULL: there is none */
} LOADS[] = {
    {"", MOTET_OK, "warning T701"},
    {"{}", MOTET_OK, "warning T701"},
    {"{\"warn\":[\"T701\"]}", MOTET_OK, "warning T701"},
    {"{\"allow\":[\"T701\"]}", MOTET_OK, NULL},
    {"{\"deny\":[\"T701\"]}", MOTET_E_REJECTED, "T701: Persona"},
    {"{\"allow\":[\"T702\"]}", MOTET_OK, "warning T701"},
    {"{\"allow\":", MOTET_E_USAGE, "options:0:0: error USAGE: unexpected end of the text"},
    {"{\"alow\":[]}", MOTET_E_USAGE, "`alow` is not a key of the options"},
    {"{\"limits\":{\"json_bytes\":-1}}", MOTET_E_USAGE, "`limits.json_bytes` must be a whole number"},
    {"{\"limits\":{\"jsonbytes\":1}}", MOTET_E_USAGE, "is not a key of the limits"},
};
/* clang-format on */

static void options_of_a_load_count(void **state)
{
    (void)state;
    static char source[] = "persona clerk\n";
    motet_provider p = {.size = sizeof p, .user = source, .read = one_file};
    for (size_t i = 0; i < sizeof LOADS / sizeof *LOADS; i++) {
        const struct load_row *row = &LOADS[i];
        motet_contract *c;
        motet_str options = {row->options, strlen(row->options)};
        motet_status status = motet_contract_read(&p, "a.tenor", options, &c);
        motet_str first = motet_contract_message(c, 0);
        print_message("%s: %d %.*s\n", row->options, status, (int)first.len, first.ptr);
        assert_int_equal(status, row->status);
        assert_int_equal(first.len > 0, row->message != NULL);
        if (row->message) {
            assert_non_null(
                memmem(first.ptr, first.len, row->message, strlen(row->message)));
        }
        motet_contract_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_taken_as_their_type_says),
        cmocka_unit_test(the_first_fault_stays),
        cmocka_unit_test(options_of_a_load_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
