/* Why a predicate is what it is: the smallest set of atoms that decides it, and every
 * atom that has a part in it. The contracts are written in the language. */
#include "elaborate_fixture.h"
#include "flow_fixture.h"

static const char CONTRACT[] =
    "persona ann\n"
    "fact a { type: Bool source: \"x.a\" }\n"
    "fact b { type: Bool source: \"x.b\" }\n"
    "fact c { type: Bool source: \"x.c\" }\n"
    "fact d { type: Bool source: \"x.d\" }\n"
    "fact n { type: Int(min: 0, max: 9) source: \"x.n\" }\n"
    "fact xs { type: List(element_type: Int(min: 0, max: 9), max: 5) source: \"x.xs\" "
    "}\n"
    "fact box { type: Record { at: Int(min: 0, max: 9), lines: List(element_type: "
    "Record { ok: Bool, k: Int(min: 0, max: 9), ks: List(element_type: Int(min: 0, "
    "max: 9), max: 2) }, max: 4) } source: \"x.box\" }\n"
    "entity E { states: [s, t] initial: s transitions: [(s, t)] }\n"
    "rule r0 { stratum: 0 when: a = true produce: verdict va { payload: Bool = true } "
    "}\n"
    "rule r1 { stratum: 1 when: verdict_present(va) and b = true\n"
    "  produce: verdict vb { payload: Bool = true } }\n"
    "rule r2 { stratum: 2 when: verdict_present(vb) or n > 5\n"
    "  produce: verdict vc { payload: Bool = true } }\n"
    "operation op { allowed_personas: [ann] precondition: %s\n"
    "  effects: [(E, s, t)] outcomes: [done] error_contract: [] }\n";

/* The contract with this precondition, and with facts. */
static void open_with(fixture *f, const char *predicate, const char *facts)
{
    char text[4096];
    assert_true(snprintf(text, sizeof text, CONTRACT, predicate) < (int)sizeof text);
    elaborated e = elaborate_text(text, false);
    if (e.err) {
        fail_msg("%s: %.*s", predicate, MT_ARG(ct_first_error(&e.ds)->message));
    }
    char *bundle = strndup(e.e->bundle.ptr, e.e->bundle.len);
    fixture_open(f, bundle);
    free(bundle);
    done(&e);
    fixture_facts(f, facts);
}

typedef mt_err (*asker)(mt_arena *a, const ct_snapshot *s, const ct_expr *predicate,
                        bool *value, ct_reasons *out, ct_fault *fault);

static ct_reasons reasons_for(fixture *f, asker ask, bool *value)
{
    ct_reasons reasons;
    ct_fault fault;
    const ct_expr *e = f->model->conditions[f->model->operations[0].condition];
    assert_int_equal(ask(&f->a, &f->frozen.snapshot, e, value, &reasons, &fault),
                     MT_OK);
    return reasons;
}

static const char *why_text(fixture *f, asker ask)
{
    bool value, holds;
    ct_fault fault;
    mt_buf out = {0};
    ct_reasons reasons = reasons_for(f, ask, &value);
    uint32_t condition = f->model->operations[0].condition;
    assert_int_equal(ct_holds(&f->frozen.snapshot, condition, f->scratch, &holds, &f->a,
                              NULL, &fault),
                     MT_OK);
    assert_int_equal(value, holds);
    fixture_reasons(&out, f, &reasons);
    const char *text = mt_str_dup(&f->a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}

typedef struct row {
    const char *facts, *predicate, *smallest, *all;
} row;

static void check_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fixture f;
        open_with(&f, rows[i].predicate, rows[i].facts);
        const char *smallest = why_text(&f, ct_why), *all = why_text(&f, ct_why_all);
        if (strcmp(smallest, rows[i].smallest) != 0 || strcmp(all, rows[i].all) != 0) {
            fail_msg("row %zu, %s: [%s] [%s]", i, rows[i].predicate, smallest, all);
        }
        fixture_close(&f);
    }
}

#define CHECK(rows) check_rows(rows, sizeof rows / sizeof *rows)
#define FACTS(abcd, n, xs, lines)                                                      \
    "{" abcd ",'n':" n ",'xs':[" xs "],'box':{'at':1,'lines':[" lines "]}}"
#define NONE        "'a':false,'b':false,'c':false,'d':false"
#define ONLY_A      "'a':true,'b':false,'c':false,'d':false"
#define ALL         "'a':true,'b':true,'c':true,'d':true"
#define LINE(ok, k) "{'k':" k ",'ks':[" k ",5],'ok':" ok "}"

static void connectives_need_one_part_or_all(void **state)
{
    (void)state;
    static const char N[] = FACTS(NONE, "1", "", ""), A[] = FACTS(ONLY_A, "1", "", ""),
                      T[] = FACTS(ALL, "1", "", "");
    const row rows[] = {
        {N, "a = true and b = true", "a = true is false",
         "a = true is false; b = true is false"},
        {A, "a = true and b = true", "b = true is false", "b = true is false"},
        {T, "a = true and b = true", "a = true is true; b = true is true",
         "a = true is true; b = true is true"},
        {N, "a = true or b = true", "a = true is false; b = true is false",
         "a = true is false; b = true is false"},
        {A, "b = true or a = true", "a = true is true", "a = true is true"},
        {T, "a = true or b = true", "a = true is true",
         "a = true is true; b = true is true"},
        /* the conjunct with fewer false parts, wherever it is written */
        {N, "(a = true or b = true) and c = true", "c = true is false",
         "a = true is false; b = true is false; c = true is false"},
        {N, "(a = true or b = true) and (c = true or d = true)",
         "a = true is false; b = true is false",
         "a = true is false; b = true is false; c = true is false; d = true is false"},
        {T, "(a = true and b = true) or c = true", "c = true is true",
         "a = true is true; b = true is true; c = true is true"},
        {A, "(a = true and b = true) or (c = true and d = true)",
         "b = true is false; c = true is false",
         "b = true is false; c = true is false; d = true is false"},
    };
    CHECK(rows);
}

static void not_turns_it_round(void **state)
{
    (void)state;
    static const char N[] = FACTS(NONE, "1", "", ""), A[] = FACTS(ONLY_A, "1", "", ""),
                      T[] = FACTS(ALL, "1", "", "");
    const row rows[] = {
        {A, "not a = true", "not a = true is false", "not a = true is false"},
        {N, "not a = true", "not a = true is true", "not a = true is true"},
        /* false, since both hold */
        {T, "not (a = true and b = true)", "a = true is true; b = true is true",
         "a = true is true; b = true is true"},
        /* false, since one holds: one is enough */
        {T, "not (a = true or b = true)", "a = true is true",
         "a = true is true; b = true is true"},
        {N, "not (a = true or b = true)", "a = true is false; b = true is false",
         "a = true is false; b = true is false"},
        {A, "not not a = true", "not not a = true is true", "not not a = true is true"},
    };
    CHECK(rows);
}

static void a_quantifier_names_the_elements_that_decide(void **state)
{
    (void)state;
    static const char X[] =
        FACTS(NONE, "3", "1,7,2,8",
              LINE("true", "1") "," LINE("false", "0") "," LINE("false", "5")),
                      EMPTY[] = FACTS(NONE, "3", "", "");
    const row rows[] = {
        {X, "forall x in xs . x < 5", "xs[1] < 5 is false",
         "xs[1] < 5 is false; xs[3] < 5 is false"},
        {X, "exists x in xs . x = 2", "xs[2] = 2 is true", "xs[2] = 2 is true"},
        {X, "forall x in xs . x < 9", "forall x in xs . x < 9 is true",
         "forall x in xs . x < 9 is true"},
        {X, "exists x in xs . x > 8", "exists x in xs . x > 8 is false",
         "exists x in xs . x > 8 is false"},
        {EMPTY, "forall x in xs . x < 0", "forall x in xs . x < 0 is true",
         "forall x in xs . x < 0 is true"},
        {EMPTY, "exists x in xs . x >= 0", "exists x in xs . x >= 0 is false",
         "exists x in xs . x >= 0 is false"},
        /* line 1 fails both ways, line 2 only one: each needs but one reason */
        {X, "forall l in box.lines . l.ok = true and l.k > 0",
         "box.lines[1].ok = true is false",
         "box.lines[1].ok = true is false; box.lines[1].k > 0 is false; "
         "box.lines[2].ok = true is false"},
        /* every element takes two atoms, the outer conjunct one */
        {X, "(forall x in xs . x > 7 or x = n) and n > 5", "n > 5 is false",
         "xs[0] > 7 is false; xs[0] = n is false; xs[1] > 7 is false; "
         "xs[1] = n is false; xs[2] > 7 is false; xs[2] = n is false; n > 5 is false"},
        {X, "not (exists x in xs . x = 7)", "xs[1] = 7 is true", "xs[1] = 7 is true"},
        {X, "forall y in box.lines[1].ks . y > 0", "box.lines[1].ks[0] > 0 is false",
         "box.lines[1].ks[0] > 0 is false"},
        {X, "exists y in box.lines[0].ks . y > 1", "box.lines[0].ks[1] > 1 is true",
         "box.lines[0].ks[1] > 1 is true"},
        /* that the element is there is part of the reason */
        {X, "exists x in xs . n = 3", "len(xs) > 0 is true; n = 3 is true",
         "len(xs) > 0 is true; n = 3 is true; len(xs) > 1 is true; len(xs) > 2 is "
         "true; "
         "len(xs) > 3 is true"},
        {X, "exists x in xs . a = true or x = 2", "xs[2] = 2 is true",
         "xs[2] = 2 is true"},
        {X, "forall x in xs . x > 1 and x < 8", "xs[0] > 1 is false",
         "xs[0] > 1 is false; xs[3] < 8 is false"},
        /* a quantifier within a quantifier is one atom */
        {X, "forall x in xs . exists l in box.lines . l.k > x",
         "forall x in xs . exists l in box.lines . l.k > x is false",
         "forall x in xs . exists l in box.lines . l.k > x is false"},
    };
    CHECK(rows);
}

static void a_verdict_counts_once(void **state)
{
    (void)state;
    static const char N[] = FACTS(NONE, "1", "", "");
    const row rows[] = {
        {N, "verdict_present(va) or verdict_present(va)",
         "verdict_present(va) is false", "verdict_present(va) is false"},
        {N,
         "(verdict_present(va) or b = true) and (verdict_present(va) or "
         "verdict_present(va))",
         "verdict_present(va) is false",
         "verdict_present(va) is false; b = true is false"},
    };
    CHECK(rows);
}

/* Names of what the only reason read: "va | a", verdicts first. */
static const char *used_text(fixture *f, ct_used used)
{
    mt_buf out = {0};
    for (uint32_t i = 0; i < used.verdict_count; i++) {
        mt_buf_addf(&out, "%.*s ", MT_ARG(f->model->rules[used.verdicts[i]].verdict));
    }
    mt_buf_addc(&out, '|');
    for (uint32_t i = 0; i < used.fact_count; i++) {
        if (i == 0 || used.facts[i] != used.facts[i - 1]) {
            mt_buf_addf(&out, " %.*s", MT_ARG(f->model->facts[used.facts[i]].id));
        }
    }
    const char *text = mt_str_dup(&f->a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}

static void a_present_verdict_leads_down_its_chain(void **state)
{
    (void)state;
    fixture f;
    bool value;
    open_with(&f, "verdict_present(vc) and n = 1", FACTS(ALL, "2", "", ""));
    assert_string_equal(why_text(&f, ct_why), "n = 1 is false");
    assert_string_equal(used_text(&f, reasons_for(&f, ct_why, &value).items[0].used),
                        "| n");
    fixture_facts(&f, FACTS(ALL, "1", "", ""));
    ct_reasons reasons = reasons_for(&f, ct_why, &value);
    assert_true(value);
    assert_int_equal(reasons.len, 2);
    assert_string_equal(used_text(&f, reasons.items[0].used), "vc |");
    assert_string_equal(
        used_text(&f, ct_used_closure(&f.a, &f.frozen.snapshot, reasons.items[0].used)),
        "vc vb va | b a");
    fixture_close(&f);
}

static void a_part_never_asked_is_no_fault(void **state)
{
    (void)state;
    fixture f;
    open_with(&f, "n > 5 and xs[3] = 1", FACTS(NONE, "1", "4", ""));
    assert_string_equal(why_text(&f, ct_why), "n > 5 is false");
    assert_string_equal(why_text(&f, ct_why_all), "n > 5 is false");
    fixture_facts(&f, FACTS(NONE, "6", "4", ""));
    bool value;
    ct_reasons reasons;
    ct_fault fault;
    const ct_expr *e = f.model->conditions[f.model->operations[0].condition];
    assert_int_equal(ct_why(&f.a, &f.frozen.snapshot, e, &value, &reasons, &fault),
                     MT_E_RANGE);
    assert_true(fault.message.len > 0);
    fixture_close(&f);
}

/* ---- some facts unknown ---- */

typedef struct partly_row {
    const char *unknown; /* the facts, with a space behind each */
    const char *predicate, *told;
} partly_row;

static bool is_listed(const char *names, mt_str name)
{
    bool is = false;
    for (mt_str left = mt_str_z(names); left.len && !is;) {
        size_t end = mt_str_find(left, ' ');
        is = mt_str_eq(mt_str_from(left.ptr, end), name);
        left = mt_str_skip(left, end + 1);
    }
    return is;
}

/* "absent: a = true is false {| a}": each reason with what it reads. */
static const char *partly_text(fixture *f, const char *unknown)
{
    static bool is_unknown[20];
    ct_partial *x = ct_partial_new(f->program);
    ct_fault fault = {0};
    ct_partly state;
    ct_reasons reasons;
    mt_buf out = {0};
    for (uint32_t i = 0; i < f->model->fact_count; i++) {
        is_unknown[i] = is_listed(unknown, f->model->facts[i].id);
    }
    assert_int_equal(ct_partial_evaluate(x, f->facts, is_unknown, &fault), MT_OK);
    const ct_expr *e = f->model->conditions[f->model->operations[0].condition];
    mt_err err = ct_why_partly(&f->a, x, e, &state, &reasons, &fault);
    assert_int_equal(err != MT_OK, state == CT_PARTLY_FAILS);
    mt_buf_addf(&out, "%s:", CT_PARTLY_NAMES[state]);
    for (size_t i = 0; i < reasons.len; i++) {
        ct_reasons one = {&reasons.items[i], 1, 1};
        mt_buf_addz(&out, i ? "; " : " ");
        fixture_reasons(&out, f, &one);
        mt_buf_addf(&out, " {%s}", used_text(f, reasons.items[i].used));
    }
    mt_buf_addz(&out, err ? " " : "");
    mt_buf_adds(&out, err ? fault.message : MT_STR(""));
    const char *text = mt_str_dup(&f->a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    ct_partial_free(x);
    return text;
}

/* The atoms that decide are known, whatever the rest comes to. */
static void what_is_known_decides_or_nothing_does(void **state)
{
    (void)state;
    static const char X[] =
        FACTS(ONLY_A, "3", "1,7,2", LINE("true", "1") "," LINE("false", "0"));
    const partly_row rows[] = {
        {"b ", "a = true and n = 3",
         "present: a = true is true {| a}; n = 3 is true {| n}"},
        {"b ", "b = true and c = true", "absent: c = true is false {| c}"},
        {"b ", "c = true and b = true", "absent: c = true is false {| c}"},
        {"b ", "b = true or a = true", "present: a = true is true {| a}"},
        {"b ", "b = true and a = true", "depends:"},
        {"b ", "a = true and b = true", "depends:"},
        {"b ", "b = true or c = true", "depends:"},
        {"b ", "not b = true", "depends:"},
        {"b ", "not c = true", "present: not c = true is true {| c}"},
        {"b ", "b = true and not b = true",
         "absent: b = true and not b = true is false {| b}"},
        {"n ", "n > 3 or n <= 3", "present: n > 3 or n <= 3 is true {| n}"},
        {"n ", "n > 3 and n < 2", "absent: n > 3 and n < 2 is false {| n}"},
        {"n ", "not (n > 3 or n <= 3)", "absent: not (n > 3 or n <= 3) is false {| n}"},
        {"b ", "verdict_present(vb) or a = true", "present: a = true is true {| a}"},
        {"b ", "verdict_present(va) and c = true", "absent: c = true is false {| c}"},
        {"b ", "verdict_present(va) or b = true",
         "present: verdict_present(va) is true {va |}"},
        {"b ", "exists x in xs . x = 7", "present: xs[1] = 7 is true {| xs}"},
        {"b ", "exists x in xs . x = 7 and b = true", "depends:"},
        {"b ", "forall x in xs . x < 5 or b = true", "depends:"},
        {"xs ", "exists x in xs . x = 7", "depends:"},
        {"xs ", "a = true or exists x in xs . x = 7",
         "present: a = true is true {| a}"},
        {"xs ", "forall l in box.lines . l.k > 0",
         "absent: box.lines[1].k > 0 is false {| box}"},
        {"box ", "forall l in box.lines . l.k > 0", "depends:"},
        {"b ", "xs[3] = 1 and b = true",
         "fails: index 3 is outside a list of 3 elements"},
        {"b ", "b = true and xs[3] = 1", "depends:"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        open_with(&f, rows[i].predicate, X);
        const char *told = partly_text(&f, rows[i].unknown);
        if (strcmp(told, rows[i].told) != 0) {
            fail_msg("row %zu, %s: [%s]", i, rows[i].predicate, told);
        }
        fixture_close(&f);
    }
}

/* Down through the verdicts that decide; a fact and a verdict count once. */
static void roots_are_the_facts_that_verdicts_rest_on(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *predicate, *told;
    } rows[] = {
        {FACTS(ALL, "1", "", ""), "verdict_present(vc)", "| a b"},
        {FACTS(ALL, "6", "", ""), "verdict_present(vc)", "| a b"},
        {FACTS(ONLY_A, "1", "", ""), "verdict_present(vc)", "| b n"},
        {FACTS(NONE, "1", "", ""), "verdict_present(vb)", "| a"},
        {FACTS(ALL, "1", "", ""), "n > n and verdict_present(vc)", "| n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        bool value;
        open_with(&f, rows[i].predicate, rows[i].facts);
        ct_reasons reasons = reasons_for(&f, ct_why, &value);
        uint32_t count = 0;
        assert_int_equal(reasons.len, 1);
        uint32_t *facts =
            ct_why_roots(&f.a, &f.frozen.snapshot, &reasons.items[0].used, &count);
        const char *told = used_text(&f, (ct_used){facts, NULL, count, 0});
        if (strcmp(told, rows[i].told) != 0) {
            fail_msg("row %zu, %s: [%s]", i, rows[i].predicate, told);
        }
        fixture_close(&f);
    }
}

/* ---- against every subset ---- */

/* A random predicate in which each of the four facts stands at most once. */
static void random_predicate(mt_buf *out, uint32_t *seed, int first, int count)
{
    *seed = *seed * 1664525 + 1013904223;
    uint32_t dice = *seed >> 20;
    if (dice % 3 == 0) {
        mt_buf_addz(out, "not ");
    }
    if (count == 1) {
        mt_buf_addf(out, "%c = true", 'a' + first);
        return;
    }
    int left = 1 + (int)(dice / 3 % (uint32_t)(count - 1));
    mt_buf_addc(out, '(');
    random_predicate(out, seed, first, left);
    mt_buf_addz(out, dice & 1 ? " and " : " or ");
    random_predicate(out, seed, first + left, count - left);
    mt_buf_addc(out, ')');
}

static bool value_with(fixture *f, unsigned bits)
{
    bool value;
    ct_fault fault;
    char facts[200];
    static const char *const WORD[] = {"false", "true"};
    snprintf(facts, sizeof facts,
             "{'a':%s,'b':%s,'c':%s,'d':%s,'n':1,'xs':[],'box':{'at':1,'lines':[]}}",
             WORD[bits & 1], WORD[bits >> 1 & 1], WORD[bits >> 2 & 1],
             WORD[bits >> 3 & 1]);
    fixture_facts(f, facts);
    assert_int_equal(ct_holds(&f->frozen.snapshot, f->model->operations[0].condition,
                              f->scratch, &value, &f->a, NULL, &fault),
                     MT_OK);
    return value;
}

/* The fewest facts that, kept as they are in `bits`, leave no doubt. */
static int fewest(const bool *values, unsigned bits)
{
    int best = 4;
    for (unsigned kept = 0; kept < 16; kept++) {
        bool decided = true;
        for (unsigned other = 0; other < 16; other++) {
            decided &= ((other ^ bits) & kept) || values[other] == values[bits];
        }
        int size = __builtin_popcount(kept);
        best = decided && size < best ? size : best;
    }
    return best;
}

static void no_smaller_set_decides(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (int round = 0; round < 25; round++) {
        mt_buf text = {0};
        fixture f;
        bool values[16], value;
        random_predicate(&text, &seed, 0, 4);
        mt_buf_addc(&text, '\0');
        open_with(&f, text.ptr, FACTS(NONE, "1", "", ""));
        for (unsigned bits = 0; bits < 16; bits++) {
            values[bits] = value_with(&f, bits);
        }
        for (unsigned bits = 0; bits < 16; bits++) {
            value_with(&f, bits);
            ct_reasons reasons = reasons_for(&f, ct_why, &value);
            assert_int_equal(value, values[bits]);
            assert_int_equal(reasons.len, fewest(values, bits));
        }
        fixture_close(&f);
        mt_buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connectives_need_one_part_or_all),
        cmocka_unit_test(not_turns_it_round),
        cmocka_unit_test(a_quantifier_names_the_elements_that_decide),
        cmocka_unit_test(a_verdict_counts_once),
        cmocka_unit_test(a_present_verdict_leads_down_its_chain),
        cmocka_unit_test(a_part_never_asked_is_no_fault),
        cmocka_unit_test(what_is_known_decides_or_nothing_does),
        cmocka_unit_test(roots_are_the_facts_that_verdicts_rest_on),
        cmocka_unit_test(no_smaller_set_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
