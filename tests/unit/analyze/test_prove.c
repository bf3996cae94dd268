/* test_prove.c - predicates compared by proof: weaker, stronger, equal or neither. */
#include "prove_fixture.h"

/* clang-format off */
#define INTS   "fact n { type: Int(0, 100) source: \"s\" }\n" \
               "fact m { type: Int(-50, 50) source: \"s\" }\n"
#define DECS   "fact d { type: Decimal(10, 2) source: \"s\" }\n" \
               "fact r { type: Decimal(6, 4) source: \"s\" }\n" \
               "fact n { type: Int(0, 100) source: \"s\" }\n"
#define CASH   "fact a { type: Money(\"USD\") source: \"s\" }\n" \
               "fact b { type: Money(\"USD\") source: \"s\" }\n"
#define USD(x) "Money { amount: Decimal(" x "), currency: \"USD\" }"
#define ENUMS  "fact c { type: Enum([\"red\", \"green\", \"blue\"]) source: \"s\" }\n" \
               "fact e { type: Enum([\"red\", \"green\", \"blue\"]) source: \"s\" }\n"
#define BOOLS  "fact x { type: Bool source: \"s\" }\nfact y { type: Bool source: \"s\" }\n" \
               "fact z { type: Bool source: \"s\" }\n"
#define TEXTS  "fact t { type: Text(max_length: 8) source: \"s\" }\n" \
               "fact u { type: Text(max_length: 3) source: \"s\" }\n"
#define TIMES  "fact day { type: Date source: \"s\" }\n" \
               "fact due { type: Date source: \"s\" }\n" \
               "fact at { type: DateTime source: \"s\" }\n" \
               "fact by { type: DateTime source: \"s\" }\n" \
               "fact h { type: Duration(unit: \"hours\", min: 0, max: 100) source: \"s\" }\n" \
               "fact k { type: Duration(unit: \"days\", min: 0, max: 10) source: \"s\" }\n"
#define LISTS  "type Item { price: Int(0, 1000) ok: Bool }\n" \
               "fact items { type: List(element_type: Item, max: 100) source: \"s\" }\n" \
               "fact few { type: List(element_type: Item, max: 3) source: \"s\" }\n" \
               "fact many { type: List(element_type: Item, max: 10000) source: \"s\" }\n" \
               "fact n { type: Int(0, 1000) source: \"s\" }\n"
#define UNIONS "type Pay = TaggedUnion { Cash: Record { sum: Int(0, 9) } Card: Record { ok: Bool } }\n" \
               "fact pay { type: Pay source: \"s\" }\n"
#define BASE(v, when) "rule r_" v " { stratum: 0 when: " when " produce: verdict " v " { payload: Bool = true } }\n"
#define NEXT(v, when) "rule r_" v " { stratum: 1 when: " when " produce: verdict " v " { payload: Bool = true } }\n"
#define PAID(v, type, value) "rule r_" v " { stratum: 0 when: n >= 10 produce: verdict " v " { payload: " type " = " value " } }\n"

#define WRITTEN "type Item { price: Int(0, 9) ok: Bool }\nfact q { type: Item source: \"s\" }\n" \
                "fact few { type: List(element_type: Int(0, 9), max: 9) source: \"s\" }\n" \
                "fact u { type: TaggedUnion { Card: Bool Cash: Int(0, 9) } source: \"s\" }\n" \
                "fact n { type: Int(0, 9) source: \"s\" }\nfact x { type: Bool source: \"s\" }\n"
#define BOX    "rule r_box { stratum: 0 when: true produce: verdict box { payload: Record { " \
               "l: List(element_type: Int(0, 9), max: 9), s: Int(0, 10) } = { l: few, s: n + 1 } } }\n"

static const struct row {
    const char *name, *before, *after, *old, *now;
    an_relation want;
} ROWS[] = {
    /* whole numbers */
    {"int_same", INTS, INTS, "n >= 10", "n >= 10", AN_REL_EQUAL},
    {"int_lower_bound", INTS, INTS, "n >= 10", "n >= 5", AN_REL_WEAKER},
    {"int_higher_bound", INTS, INTS, "n >= 10", "n >= 11", AN_REL_STRONGER},
    {"int_other_side", INTS, INTS, "n >= 10", "n <= 10", AN_REL_NEITHER},
    {"int_strict_is_next", INTS, INTS, "n > 10", "n >= 11", AN_REL_EQUAL},
    {"int_bound_beyond_range", INTS, INTS, "n <= 100", "n >= 0", AN_REL_EQUAL},
    {"int_range_ends", INTS, INTS, "n < 101", "n < 100", AN_REL_STRONGER},
    {"int_de_morgan", INTS, INTS, "not (n < 5 or m < 5)", "n >= 5 and m >= 5", AN_REL_EQUAL},
    {"int_sum", INTS, INTS, "n + m > 10", "n > 10 - m", AN_REL_EQUAL},
    {"int_product", INTS, INTS, "n * 3 >= 10", "n >= 4", AN_REL_EQUAL},
    {"int_product_uneven", INTS, INTS, "n * 3 > 10", "n * 2 > 6", AN_REL_EQUAL},
    {"int_sum_weaker", INTS, INTS, "n > 20 and m > 0", "n + m > 20", AN_REL_WEAKER},
    {"int_equal_split", INTS, INTS, "n = 7", "n >= 7 and n <= 7", AN_REL_EQUAL},
    {"int_not_equal", INTS, INTS, "n != 7", "n < 7 or n > 7", AN_REL_EQUAL},
    {"int_never", INTS, INTS, "n > 5 and n < 3", "m > 50", AN_REL_EQUAL},
    {"int_implied_conjunct", INTS, INTS, "n > 10", "n > 10 and n > 5", AN_REL_EQUAL},
    {"int_wider_fact", "fact n { type: Int(0, 10) source: \"s\" }\n", INTS, "n >= 0", "n <= 10", AN_REL_EQUAL},
    /* decimals */
    {"dec_same_value", DECS, DECS, "d >= 1.5", "d >= 1.50", AN_REL_EQUAL},
    {"dec_lower", DECS, DECS, "d >= 1.50", "d >= 1.49", AN_REL_WEAKER},
    {"dec_next_cent", DECS, DECS, "d > 1.50", "d >= 1.51", AN_REL_EQUAL},
    {"dec_next_cent_finer", DECS, DECS, "r > 1.50", "r >= 1.51", AN_REL_STRONGER},
    {"dec_never_rounds", DECS, DECS, "d = 2.996", "d = 3.00", AN_REL_WEAKER},
    {"dec_int", DECS, DECS, "d > n", "d >= n", AN_REL_WEAKER},
    {"dec_sum", DECS, DECS, "d < 1000.00 and d + r > 1.00", "d < 1000.00 and d > 1.00 - r", AN_REL_EQUAL},
    {"dec_product", DECS, DECS, "d * 2 >= 3.01", "d >= 1.51", AN_REL_EQUAL},
    {"dec_neither", DECS, DECS, "d > 1.00", "r > 1.00", AN_REL_NEITHER},
    {"dec_sum_overflows", "fact d { type: Decimal(4, 0) source: \"s\" }\nfact r { type: Decimal(4, 3) source: \"s\" }\n",
                          "fact d { type: Decimal(4, 0) source: \"s\" }\nfact r { type: Decimal(4, 3) source: \"s\" }\n",
                          "d + r >= d + r", "true", AN_REL_WEAKER},
    {"dec_wide", "fact w { type: Decimal(38, 2) source: \"s\" }\n", "fact w { type: Decimal(38, 2) source: \"s\" }\n", "w > 1.00", "w >= 1.01", AN_REL_EQUAL},
    {"dec_wide_weaker", "fact w { type: Decimal(38, 30) source: \"s\" }\n", "fact w { type: Decimal(38, 30) source: \"s\" }\n", "w > 1.50", "w > 0.50", AN_REL_WEAKER},
    /* money */
    {"money_same", CASH, CASH, "a <= b", "b >= a", AN_REL_EQUAL},
    {"money_limit_up", CASH, CASH, "a <= " USD("100.00"), "a <= " USD("200.00"), AN_REL_WEAKER},
    {"money_limit_down", CASH, CASH, "a <= " USD("100.00"), "a < " USD("100.00"), AN_REL_STRONGER},
    {"money_no_next_cent", CASH, CASH, "a > " USD("100.00"), "a >= " USD("100.01"), AN_REL_STRONGER},
    {"money_trailing_zeros", CASH, CASH, "a = " USD("5.00"), "a = " USD("5.0000"), AN_REL_EQUAL},
    {"money_neither", CASH, CASH, "a > b", "a < b", AN_REL_NEITHER},
    {"money_sum_same", CASH, CASH, "a + b <= " USD("10.00"), "b + a <= " USD("10.00"), AN_REL_EQUAL},
    {"money_sum_up", CASH, CASH, "a + b <= " USD("10.00"), "a + b <= " USD("20.00"), AN_REL_WEAKER},
    {"money_chain", CASH, CASH, "a > " USD("5.00") " and b > a", "b > " USD("5.00") " and b > a and a > " USD("5.00"), AN_REL_EQUAL},
    {"money_amount", CASH, CASH, "a.amount > 5.00", "a > " USD("5.00"), AN_REL_EQUAL},
    /* values with parts */
    {"FL27_record_by_its_fields", WRITTEN, WRITTEN, "q = { ok: x, price: n }", "q.price = n and q.ok = x", AN_REL_EQUAL},
    {"FL27_record_weaker", WRITTEN, WRITTEN, "q = { ok: true, price: 3 }", "q.ok", AN_REL_WEAKER},
    {"FL27_record_not_equal", WRITTEN, WRITTEN, "q != { ok: true, price: n }", "not q.ok or q.price != n", AN_REL_EQUAL},
    {"FL27_list_by_its_elements", WRITTEN, WRITTEN, "few = [n, 2]", "len(few) = 2 and few[0] = n and few[1] = 2", AN_REL_EQUAL},
    {"FL27_empty_list", WRITTEN, WRITTEN, "few = []", "len(few) < 1", AN_REL_EQUAL},
    {"FL27_union_by_its_tag", WRITTEN, WRITTEN, "u = Cash(n)", "u.tag = \"Cash\" and u.Cash = n", AN_REL_EQUAL},
    {"FL27_two_written_records", WRITTEN, WRITTEN, "Item { ok: x, price: n } = Item { ok: true, price: 3 }", "x and n = 3", AN_REL_EQUAL},
    {"FL27_part_of_a_verdict", WRITTEN BOX, WRITTEN BOX, "box.s = 5", "n = 4", AN_REL_EQUAL},
    {"FL27_verdict_as_a_whole", WRITTEN BOX, WRITTEN BOX, "box = { l: few, s: 4 }", "n = 3", AN_REL_EQUAL},
    {"FL27_element_in_a_verdict", WRITTEN BOX, WRITTEN BOX, "len(few) > 1 and box.l[1] = 2", "len(few) > 1 and few[1] = 2", AN_REL_EQUAL},
    /* One element stands for those a quantifier looks at, but not for those in front. */
    {"FL27_list_in_a_verdict_is_whole", WRITTEN BOX, WRITTEN BOX, "box.l[0] = 1 and box.l[1] = 1 and (exists e in few . e = 3)", "n > 9", AN_REL_STRONGER},
    /* enums, texts, Bools */
    {"enum_one_of_two", ENUMS, ENUMS, "c = \"red\"", "c = \"red\" or c = \"blue\"", AN_REL_WEAKER},
    {"enum_the_rest", ENUMS, ENUMS, "c != \"red\"", "c = \"green\" or c = \"blue\"", AN_REL_EQUAL},
    {"enum_other", ENUMS, ENUMS, "c = \"red\"", "c = \"blue\"", AN_REL_NEITHER},
    {"enum_facts", ENUMS, ENUMS, "c = e and c = \"red\"", "e = \"red\" and c = \"red\"", AN_REL_EQUAL},
    {"enum_new_value", ENUMS, "fact c { type: Enum([\"red\", \"green\", \"blue\", \"grey\"]) source: \"s\" }\n",
                       "c != \"red\"", "c = \"green\" or c = \"blue\" or c = \"grey\"", AN_REL_EQUAL},
    {"text_other", TEXTS, TEXTS, "t = \"abc\"", "t = \"abd\"", AN_REL_NEITHER},
    {"text_not", TEXTS, TEXTS, "t != \"abc\"", "not (t = \"abc\")", AN_REL_EQUAL},
    {"text_too_long", TEXTS, TEXTS, "u = \"abcd\"", "u = \"abcd\" and t = \"x\"", AN_REL_EQUAL},
    {"text_through", TEXTS, TEXTS, "t = u and u = \"ab\"", "t = \"ab\"", AN_REL_WEAKER},
    {"bool_guard_dropped", BOOLS, BOOLS, "x and y", "x", AN_REL_WEAKER},
    {"bool_guard_added", BOOLS, BOOLS, "x", "x and not y", AN_REL_STRONGER},
    {"bool_distributes", BOOLS, BOOLS, "x and (y or z)", "(x and y) or (x and z)", AN_REL_EQUAL},
    {"bool_neither", BOOLS, BOOLS, "x or (y and z)", "(x or y) and (not z)", AN_REL_NEITHER},
    {"bool_compared", BOOLS, BOOLS, "x = y", "(x and y) or (not x and not y)", AN_REL_EQUAL},
    /* times */
    {"date_later", TIMES, TIMES, "day < \"2026-01-01\"", "day <= \"2026-01-01\"", AN_REL_WEAKER},
    {"date_day_before", TIMES, TIMES, "day < \"2026-03-01\"", "day <= \"2026-02-28\"", AN_REL_EQUAL},
    {"date_order", TIMES, TIMES, "day < due", "day <= due and day != due", AN_REL_EQUAL},
    {"moment_offset", TIMES, TIMES, "at < \"2026-01-01T00:00:00Z\"", "at < \"2026-01-01T02:00:00+02:00\"", AN_REL_EQUAL},
    {"moment_half_second", TIMES, TIMES, "at <= \"2026-01-01T00:00:00Z\"", "at < \"2026-01-01T00:00:01Z\"", AN_REL_WEAKER},
    {"moment_difference_rounds", TIMES, TIMES, "at - by <= Duration { value: 60, unit: \"seconds\" }", "at <= by + Duration { value: 60, unit: \"seconds\" }", AN_REL_STRONGER},
    {"duration_units", TIMES, TIMES, "h >= Duration { value: 48, unit: \"hours\" }", "h >= Duration { value: 2, unit: \"days\" }", AN_REL_EQUAL},
    {"duration_sum", TIMES, TIMES, "h + k >= Duration { value: 1, unit: \"days\" }", "k >= Duration { value: 1, unit: \"days\" }", AN_REL_STRONGER},
    /* lists */
    {"list_all_same", LISTS, LISTS, "forall i in items . i.ok = true", "not (exists i in items . i.ok = false)", AN_REL_EQUAL},
    {"list_all_less", LISTS, LISTS, "forall i in items . i.price < 10", "forall i in items . i.price < 20", AN_REL_WEAKER},
    {"list_some_vs_all", LISTS, LISTS, "exists i in items . i.ok = true", "forall i in items . i.ok = true", AN_REL_NEITHER},
    {"list_not_empty", LISTS, LISTS, "exists i in items . i.price >= 0", "len(items) > 0", AN_REL_EQUAL},
    {"list_all_and_some", LISTS, LISTS, "forall i in items . i.ok", "(forall i in items . i.ok) and len(items) >= 1", AN_REL_STRONGER},
    {"list_all_splits", LISTS, LISTS, "forall i in many . i.ok and i.price > 3", "(forall i in many . i.ok) and (forall i in many . i.price > 3)", AN_REL_EQUAL},
    {"list_some_does_not_split", LISTS, LISTS, "exists i in many . i.ok and i.price > 3", "(exists i in many . i.ok) and (exists i in many . i.price > 3)", AN_REL_WEAKER},
    {"list_with_outer", LISTS, LISTS, "forall i in many . i.price <= n", "forall i in many . i.price < n", AN_REL_STRONGER},
    {"list_long", LISTS, LISTS, "len(many) > 9000", "len(many) > 9001", AN_REL_STRONGER},
    {"list_nested", LISTS, LISTS, "forall i in items . exists j in many . j.price = i.price", "forall i in items . exists j in many . j.price >= i.price", AN_REL_WEAKER},
    {"list_same_nested", LISTS, LISTS, "forall i in many . exists j in many . j.price != i.price", "forall i in many . exists j in many . j.price = i.price and i.ok", AN_REL_NEITHER},
    {"list_position", LISTS, LISTS, "len(items) > 1 and items[1].price > 5", "len(items) > 1 and items[1].price > 3", AN_REL_WEAKER},
    {"list_position_faults", LISTS, LISTS, "items[1].price >= 0", "len(items) > 1", AN_REL_EQUAL},
    {"list_position_of_all", LISTS, LISTS, "len(many) > 0 and (forall i in many . i.price > 5)", "len(many) > 0 and many[0].price > 5", AN_REL_WEAKER},
    {"list_equal_few", LISTS, LISTS, "few = few", "len(few) <= 3", AN_REL_EQUAL},
    /* unions */
    {"union_guard", UNIONS, UNIONS, "pay.tag = \"Cash\" and pay.Cash.sum > 3", "pay.tag = \"Cash\" and pay.Cash.sum > 2", AN_REL_WEAKER},
    {"union_fault_is_no", UNIONS, UNIONS, "pay.Cash.sum >= 0", "pay.tag = \"Cash\"", AN_REL_EQUAL},
    {"union_tags", UNIONS, UNIONS, "pay.tag != \"Cash\"", "pay.tag = \"Card\"", AN_REL_EQUAL},
    /* verdicts */
    {"verdict_inlined", INTS BASE("big", "n > 10"), INTS, "verdict_present(big)", "n > 10", AN_REL_EQUAL},
    {"verdict_rule_relaxed", INTS BASE("big", "n > 10"), INTS BASE("big", "n > 5"), "verdict_present(big)", "verdict_present(big)", AN_REL_WEAKER},
    {"verdict_negated_rule_relaxed", INTS BASE("big", "n > 10"), INTS BASE("big", "n > 5"), "not verdict_present(big)", "not verdict_present(big)", AN_REL_STRONGER},
    {"verdict_chain", INTS BASE("big", "n > 10") NEXT("good", "verdict_present(big) and m > 0"),
                      INTS BASE("big", "n > 10 and m > 0") NEXT("good", "verdict_present(big)"),
                      "verdict_present(good)", "verdict_present(good)", AN_REL_EQUAL},
    {"verdict_chain_stronger", INTS BASE("big", "n > 10") NEXT("good", "verdict_present(big)"),
                      INTS BASE("big", "n > 10") NEXT("good", "verdict_present(big) and m = 0"),
                      "verdict_present(good)", "verdict_present(good)", AN_REL_STRONGER},
    {"verdict_payload", INTS PAID("fee", "Int(0, 1000)", "n * 2"), INTS, "fee > 30", "n > 15", AN_REL_EQUAL},
    {"verdict_payload_absent_is_no", INTS PAID("fee", "Int(0, 1000)", "n"), INTS, "not (fee > 30)", "not (n > 30)", AN_REL_EQUAL},
    {"verdict_payload_overflows", "fact n { type: Int(0, 100) source: \"s\" }\nfact d { type: Decimal(6, 3) source: \"s\" }\n" PAID("fee", "Decimal(5, 2)", "d"),
                      "fact n { type: Int(0, 100) source: \"s\" }\nfact d { type: Decimal(6, 3) source: \"s\" }\n",
                      "true", "n < 10 or (d < 999.995 and d > -999.995)", AN_REL_EQUAL},
    {"verdict_payload_rounds_half_even", "fact n { type: Int(0, 100) source: \"s\" }\nfact d { type: Decimal(6, 3) source: \"s\" }\n" PAID("fee", "Decimal(6, 1)", "d"),
                      "fact n { type: Int(0, 100) source: \"s\" }\nfact d { type: Decimal(6, 3) source: \"s\" }\n",
                      "fee = 0.2", "n >= 10 and d >= 0.150 and d <= 0.250", AN_REL_EQUAL},
    /* no precondition before or after is a predicate that always holds */
    {"true_literal", INTS, INTS, "true", "n >= 0", AN_REL_EQUAL},
};
/* clang-format on */

/* The witness is confirmed by running both contracts. */
static void check_witness(const char *what, side *yes, side *no, mt_arena *a,
                          const an_answer *answer)
{
    if (answer->possible != AN_POSSIBLE) {
        return;
    }
    int holds = runs(yes, a, answer->facts), refused = runs(no, a, answer->facts);
    if (holds != 1 || refused == 1 || refused == -2) {
        print_error("%s: %.*s gives %d and %d\n", what, MT_ARG(answer->facts), holds,
                    refused);
        fail();
    }
}

static void compares(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    side before = side_of(&a, r->before, r->old), after = side_of(&a, r->after, r->now);
    an_prover *p = an_prover_new(before.program, after.program, NULL);
    an_comparison c =
        an_prove_compare(p, &a, precondition(&before), precondition(&after));
    if (c.relation != r->want) {
        print_error("%s: %s, not %s\n  gained %d %.*s %.*s\n  lost %d %.*s %.*s\n",
                    r->name, AN_RELATION_NAMES[c.relation], AN_RELATION_NAMES[r->want],
                    c.gained.possible, MT_ARG(c.gained.facts), MT_ARG(c.gained.reason),
                    c.lost.possible, MT_ARG(c.lost.facts), MT_ARG(c.lost.reason));
        fail();
    }
    check_witness("gained", &after, &before, &a, &c.gained);
    check_witness("lost", &before, &after, &a, &c.lost);
    assert_int_equal(an_prover_disagreements(p), 0);
    an_prover_free(p);
    side_free(&before);
    side_free(&after);
    mt_arena_free(&a);
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    static struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        /* cmocka only reads it. */
        tests[i] = (struct CMUnitTest){.name = ROWS[i].name,
                                       .test_func = compares,
                                       .initial_state = (void *)(uintptr_t)&ROWS[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
