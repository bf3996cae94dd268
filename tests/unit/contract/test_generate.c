/* Values made up from types, and made simpler: always values of their type, boundaries
 * among them, thresholds found exactly. */
#include "contract/eval/facts.h"
#include "contract/flow/generate.h"
#include "contract/wire/currency.h"
#include "elaborate_fixture.h"

#define FACT(name, type) "fact " name " { type: " type " source: \"a.b\" }\n"

/* Every base type, at the edges of its parameters. */
static const char CONTRACT[] = "persona p\n" FACT("yes", "Bool") FACT("wide", "Int")
    FACT("one", "Int(min: 7, max: 7)") FACT("below", "Int(min: -9, max: -3)") FACT(
        "score", "Int(min: 300, max: 850)") FACT("fine",
                                                 "Decimal(precision: 28, scale: 28)")
        FACT("digit", "Decimal(precision: 1, scale: 0)") FACT(
            "price", "Decimal(precision: 12, scale: 2)") FACT("euro", "Money(\"EUR\")")
            FACT("yen", "Money(\"JPY\")") FACT("dinar", "Money(\"KWD\")") FACT(
                "letter", "Text(max_length: 1)") FACT("words", "Text(max_length: 200)")
                FACT("only",
                     "Enum(values: [\"a\"])") FACT("day", "Date") FACT("at", "DateTime")
                    FACT("wait", "Duration(unit: \"days\", min: -2, max: 30)") FACT(
                        "few", "List(element_type: Int(min: 0, max: 9), max: 2)")
                        FACT("lines",
                             "List(element_type: Record { n: Int(min: 0, max: 9), t: "
                             "Text(max_length: 3) }, max: 40)")
                            FACT("pay",
                                 "TaggedUnion { Card: Text(max_length: 5), Cash: Bool "
                                 "}") "rule r { stratum: 0 when: score >= 640 and euro "
                                      "<= Money { amount: \"20000.00\", "
                                      "currency: \"EUR\" } and day > \"2024-02-29\" "
                                      "and words = \"magic\" and price < "
                                      "19.99 produce: verdict v { payload: Bool = true "
                                      "} }\n"
                                      "entity E { states: [a, b] initial: a "
                                      "transitions: [(a, b)] }\n"
                                      "operation o { allowed_personas: [p] "
                                      "precondition: wide > 123456789012 "
                                      "effects: [(E, a, b)] outcomes: [done] }\n";

typedef struct ground {
    elaborated e;
    mt_arena a;
    const ct_model *m;
    ct_facts *facts;
} ground;

static ground begin(void)
{
    ground g = {.e = elaborate_text(CONTRACT, false)};
    mt_diags ds = {.arena = &g.a};
    if (g.e.err) {
        fail_msg("%.*s", MT_ARG(g.e.ds.items[0].message));
    }
    assert_int_equal(ct_load(&g.a, g.e.e->bundle, MT_STR("t"), NULL, &ds, &g.m), MT_OK);
    g.facts = ct_facts_new(g.m);
    return g;
}

static void end(ground *g)
{
    ct_facts_free(g->facts);
    mt_arena_free(&g->a);
    done(&g->e);
}

static const ct_type *type_of(const ground *g, const char *fact)
{
    return g->m->facts[ct_model_find(g->m, CT_KIND_FACT, mt_str_z(fact))].type;
}

static mt_str plain(mt_arena *a, const ct_type *t, const ct_value *v)
{
    mt_buf b = {0};
    ct_value_plain(&b, t, v);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* All facts of one draw, as JSON. */
static mt_str draw_all(ground *g, ct_generator *gen, mt_arena *a)
{
    mt_buf b = {0};
    for (uint32_t i = 0; i < g->m->fact_count; i++) {
        const ct_fact *f = &g->m->facts[i];
        ct_value *v = mt_new_array(a, ct_value, f->type->slots + 1);
        ct_generate(gen, a, f->type, v);
        mt_buf_addf(&b, "%s\"%.*s\":%.*s", i ? "," : "{", MT_ARG(f->id),
                    MT_ARG(plain(a, f->type, v)));
    }
    mt_buf_addc(&b, '}');
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static void every_value_is_one_of_its_type(void **state)
{
    (void)state;
    ground g = begin();
    ct_generator gen = ct_generator_new(&g.a, g.m, 1);
    for (int i = 0; i < 5000; i++) {
        mt_arena a = {0};
        ct_fault fault = {0};
        mt_str facts = draw_all(&g, &gen, &a);
        if (ct_facts_read(g.facts, facts, NULL, true, &fault)) {
            fail_msg("%.*s in %.*s", MT_ARG(fault.message), MT_ARG(facts));
        }
        mt_arena_free(&a);
    }
    end(&g);
}

static void the_same_seed_gives_the_same_values(void **state)
{
    (void)state;
    ground g = begin();
    mt_arena a = {0};
    ct_generator one = ct_generator_new(&a, g.m, 7), two = ct_generator_new(&a, g.m, 7);
    ct_generator other = ct_generator_new(&a, g.m, 8);
    mt_str x = draw_all(&g, &one, &a), y = draw_all(&g, &two, &a);
    assert_true(mt_str_eq(x, y));
    assert_false(mt_str_eq(x, draw_all(&g, &other, &a)));
    assert_false(mt_str_eq(x, draw_all(&g, &one, &a)));
    mt_arena_free(&a);
    end(&g);
}

static const struct met {
    const char *name, *fact, *value;
} METS[] = {
    {"the least", "score", "300"},
    {"the most", "score", "850"},
    {"a literal", "score", "640"},
    {"one below a literal", "score", "639"},
    {"one above a literal", "score", "641"},
    {"a literal of a precondition", "wide", "123456789012"},
    {"the least of 64 bits", "wide", "-9223372036854775808"},
    {"the most of 64 bits", "wide", "9223372036854775807"},
    {"zero", "wide", "0"},
    {"nearest to zero", "below", "-3"},
    {"a cent above a literal", "euro",
     "{\"amount\":\"20000.01\",\"currency\":\"EUR\"}"},
    {"a cent below a literal", "euro",
     "{\"amount\":\"19999.99\",\"currency\":\"EUR\"}"},
    {"a literal of money", "euro", "{\"amount\":\"20000.00\",\"currency\":\"EUR\"}"},
    {"no cents in yen", "yen", "{\"amount\":\"1\",\"currency\":\"JPY\"}"},
    {"three digits in dinar", "dinar", "{\"amount\":\"0.001\",\"currency\":\"KWD\"}"},
    {"the largest decimal", "price", "\"9999999999.99\""},
    {"a literal of text", "words", "\"magic\""},
    {"the empty text", "words", "\"\""},
    {"the day of a literal", "day", "\"2024-02-29\""},
    {"the day after it", "day", "\"2024-03-01\""},
    {"the empty list", "few", "[]"},
    {"a tag", "pay", "{\"payload\":true,\"tag\":\"Cash\"}"},
};

static void is_met(void **state)
{
    const struct met *m = *state;
    ground g = begin();
    ct_generator gen = ct_generator_new(&g.a, g.m, 3);
    const ct_type *t = type_of(&g, m->fact);
    bool met = false;
    for (int i = 0; i < 2000 && !met; i++) {
        mt_arena a = {0};
        ct_value *v = mt_new_array(&a, ct_value, t->slots + 1);
        ct_generate(&gen, &a, t, v);
        met = mt_str_eq(plain(&a, t, v), mt_str_z(m->value));
        mt_arena_free(&a);
    }
    assert_true(met);
    end(&g);
}

/* ---- simpler ---- */

typedef struct task {
    const char *name, *fact, *from, *to;
    bool (*still)(const ct_value *v);
} task;

static bool at_least_640(const ct_value *v)
{
    return v->integer >= 640;
}
static bool at_most_minus_5(const ct_value *v)
{
    return v->integer <= -5;
}
static bool over_20000(const ct_value *v)
{
    mt_decimal limit;
    return !mt_decimal_parse(MT_STR("20000.00"), &limit) &&
           mt_decimal_cmp(v->decimal, limit) > 0;
}
static bool anything(const ct_value *v)
{
    (void)v;
    return true;
}
static bool three_letters(const ct_value *v)
{
    return v->text.len >= 3;
}
static bool some_nine(const ct_value *v)
{
    for (uint32_t i = 0; i < v->list.count; i++) {
        if (v->list.items[i].integer >= 6) {
            return true;
        }
    }
    return false;
}
static bool after_leap_day(const ct_value *v)
{
    return v->integer > 19782; /* 2024-02-29 */
}

static const task TASKS[] = {
    {"a threshold from above", "score", "850", "640", at_least_640},
    {"a threshold from below", "below", "-9", "-5", at_most_minus_5},
    {"a cent over", "euro", "{\"amount\":\"9999999.99\",\"currency\":\"EUR\"}",
     "{\"amount\":\"20000.01\",\"currency\":\"EUR\"}", over_20000},
    {"money to nothing", "euro", "{\"amount\":\"-17.50\",\"currency\":\"EUR\"}",
     "{\"amount\":\"0.00\",\"currency\":\"EUR\"}", anything},
    {"a number to nothing", "wide", "-9223372036854775808", "0", anything},
    {"a number that cannot be less", "one", "7", "7", anything},
    {"a text to three letters", "words", "\"abcdefghij\"", "\"abc\"", three_letters},
    {"a text to nothing", "words", "\"\xC3\xA9\xC3\xA9\"", "\"\"", anything},
    {"a list to what matters", "few", "[9, 2]", "[6]", some_nine},
    {"a day to the first after", "day", "\"2031-12-24\"", "\"2024-03-01\"",
     after_leap_day},
    {"a moment to 2000", "at", "\"2031-12-24T10:00:00Z\"", "\"2000-01-01T00:00:00Z\"",
     anything},
    {"a truth", "yes", "true", "false", anything},
    {"lines to none", "lines", "[{\"n\":3,\"t\":\"x\"}]", "[]", anything},
    {"a payload", "pay", "{\"payload\":\"abc\",\"tag\":\"Card\"}",
     "{\"payload\":\"\",\"tag\":\"Card\"}", anything},
};

typedef struct trying {
    const task *t;
    const ct_value *v;
    uint32_t tries;
} trying;

static bool still(void *state)
{
    trying *x = state;
    x->tries++;
    return x->t->still(x->v);
}

/* The value of a fact, by reading it. */
static ct_value *value_of(ground *g, const task *t)
{
    ct_fault fault;
    ct_generator gen = ct_generator_new(&g->a, g->m, 1);
    uint32_t fact = ct_model_find(g->m, CT_KIND_FACT, mt_str_z(t->fact));
    mt_buf b = {0};
    for (uint32_t i = 0; i < g->m->fact_count; i++) {
        const ct_fact *f = &g->m->facts[i];
        ct_value *v = mt_new_array(&g->a, ct_value, f->type->slots + 1);
        ct_generate(&gen, &g->a, f->type, v);
        mt_str text = i == fact ? mt_str_z(t->from) : plain(&g->a, f->type, v);
        mt_buf_addf(&b, "%s\"%.*s\":%.*s", i ? "," : "{", MT_ARG(f->id), MT_ARG(text));
    }
    mt_buf_addc(&b, '}');
    mt_str all = mt_str_dup(&g->a, mt_buf_str(&b));
    mt_buf_free(&b);
    assert_int_equal(ct_facts_read(g->facts, all, NULL, true, &fault), MT_OK);
    const ct_type *type = g->m->facts[fact].type;
    ct_value *v = mt_new_array(&g->a, ct_value, type->slots + 1);
    memcpy(v, ct_facts_value(g->facts, fact), type->slots * sizeof *v);
    return v;
}

static void becomes_simpler(void **state)
{
    const task *t = *state;
    ground g = begin();
    bool enough = false;
    ct_value *v = value_of(&g, t);
    trying x = {.t = t, .v = v};
    ct_shrinker s = {&g.a, still, &x, &enough};
    const ct_type *type = type_of(&g, t->fact);
    (void)ct_shrink(&s, type, v);
    mt_str got = plain(&g.a, type, v);
    assert_string_equal(mt_strf(&g.a, "%.*s", MT_ARG(got)).ptr, t->to);
    assert_false(ct_shrink(&s, type, v)); /* nothing is left to be done */
    assert_true(x.tries < 500);
    end(&g);
}

static void stops_when_it_is_enough(void **state)
{
    (void)state;
    ground g = begin();
    bool enough = true;
    ct_value *v = value_of(&g, &TASKS[0]);
    trying x = {.t = &TASKS[0], .v = v};
    ct_shrinker s = {&g.a, still, &x, &enough};
    assert_false(ct_shrink(&s, type_of(&g, "score"), v));
    assert_int_equal(x.tries, 0);
    end(&g);
}

static void currencies_have_their_digits(void **state)
{
    (void)state;
    assert_int_equal(ct_currency_digits(MT_STR("EUR")), 2);
    assert_int_equal(ct_currency_digits(MT_STR("JPY")), 0);
    assert_int_equal(ct_currency_digits(MT_STR("KWD")), 3);
    assert_int_equal(ct_currency_digits(MT_STR("PY ")), 2);
    assert_int_equal(ct_currency_digits(MT_STR("")), 2);
}

int main(void)
{
    enum { MET_COUNT = sizeof METS / sizeof *METS };
    enum { TASK_COUNT = sizeof TASKS / sizeof *TASKS };
    struct CMUnitTest tests[MET_COUNT + TASK_COUNT + 4];
    size_t n = 0;
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_value_is_one_of_its_type);
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(the_same_seed_gives_the_same_values);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(stops_when_it_is_enough);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(currencies_have_their_digits);
    for (size_t i = 0; i < MET_COUNT; i++) {
        union {
            const struct met *met;
            void *state;
        } u = {.met = &METS[i]};
        tests[n++] = (struct CMUnitTest){METS[i].name, is_met, NULL, NULL, u.state};
    }
    for (size_t i = 0; i < TASK_COUNT; i++) {
        union {
            const task *t;
            void *state;
        } u = {.t = &TASKS[i]};
        tests[n++] =
            (struct CMUnitTest){TASKS[i].name, becomes_simpler, NULL, NULL, u.state};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
