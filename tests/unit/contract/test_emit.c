/* Interchange texts: what a source must contain, byte for byte, and its version. */
#include "contract/front/emit.h"
#include "elaborate_fixture.h"

typedef struct row {
    const char *name, *text, *want, *version;
} row;

#define FACTS                                                                          \
    "fact n { type: Int(0, 40) source: \"a.n\" } fact m { type: Int(0, 90) source: "   \
    "\"a.b.m\" } fact d { type: Decimal(8, 2) source: \"plain\" } "                    \
    "fact e { type: Enum([\"x\", \"y\"]) source: \"s\" } "
#define RULE(when) FACTS "rule r { stratum: 0 when: " when " produce: v(true) }"
#define INT(n)                                                                         \
    "{\"literal\":" #n ",\"type\":{\"base\":\"Int\",\"max\":" #n ",\"min\":" #n "}}"

/* clang-format off */
static const row ROWS[] = {
    {"an empty file is an empty bundle", "",
     "{\"constructs\":[],\"id\":\"t\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":\"1.0.0\"}", "1.0.0"},
    {"a source splits at its first dot", "fact m { type: Bool source: \"a.b.m\" }",
     "\"source\":{\"field\":\"b.m\",\"system\":\"a\"}", "1.0.0"},
    {"a source without a dot stays a string", "fact m { type: Bool source: \"abc\" }",
     "\"source\":\"abc\"", "1.0.0"},
    {"a source without quotes is the same", "fact m { type: Bool source: a.b(c) }",
     "\"source\":{\"field\":\"b(c)\",\"system\":\"a\"}", "1.0.0"},
    {"strings are escaped", "source s { protocol: manual note: \"a\\\"b\\\\c\\n/\" }",
     "\"fields\":{\"note\":\"a\\\"b\\\\c\\n/\"}", "1.0.0"},
    {"products carry their range", RULE("n * 2 < m"),
     "{\"comparison_type\":{\"base\":\"Int\",\"max\":90,\"min\":0},\"left\":{\"left\":{\"fact_ref\":\"n\"},"
     "\"literal\":2,\"op\":\"*\",\"result_type\":{\"base\":\"Int\",\"max\":80,\"min\":0}},\"op\":\"<\","
     "\"right\":{\"fact_ref\":\"m\"}}", "1.0.0"},
    {"the literal may come first", RULE("2 * n < m"),
     "\"left\":{\"left\":{\"fact_ref\":\"n\"},\"literal\":2,\"op\":\"*\"", "1.0.0"},
    {"Int beside Decimal is promoted", RULE("n <= d"),
     "\"comparison_type\":{\"base\":\"Decimal\",\"precision\":9,\"scale\":2}", "1.0.0"},
    {"≤ is <=", RULE("n ≤ 3"), "\"op\":\"<=\",\"right\":" INT(3), "1.0.0"},
    {"or binds looser than and", RULE("n = 1 or n = 2 and n = 3"),
     "{\"left\":{\"left\":{\"fact_ref\":\"n\"},\"op\":\"=\",\"right\":" INT(1) "},\"op\":\"or\",", "1.0.0"},
    {"an enum literal on the right is typed", RULE("e = \"x\""),
     "\"right\":{\"literal\":\"x\",\"type\":{\"base\":\"Enum\",\"values\":[\"x\",\"y\"]}}", "1.0.0"},
    {"an enum literal on the left is not", RULE("\"x\" = e"), "\"left\":{\"literal\":\"x\"}", "1.0.0"},
    {"a decimal literal keeps its digits", RULE("d > 02.50"),
     "{\"literal\":\"02.50\",\"type\":{\"base\":\"Decimal\",\"precision\":4,\"scale\":2}}", "1.0.0"},
    {"a sum is a node of 1.1", RULE("n + m > 3"),
     "{\"left\":{\"fact_ref\":\"n\"},\"op\":\"+\",\"result_type\":{\"base\":\"Int\",\"max\":130,\"min\":0},"
     "\"right\":{\"fact_ref\":\"m\"}}", "1.1.0"},
    {"true as a condition is a node of 1.1", RULE("true"),
     "\"when\":{\"literal\":true,\"type\":{\"base\":\"Bool\"}}", "1.1.0"},
    {"a payload of a verdict is a node of 1.1",
     FACTS "rule a { stratum: 0 when: n = 1 produce: v(n) } rule b { stratum: 1 when: v > 3 produce: w(true) }",
     "\"left\":{\"verdict_ref\":\"v\"}", "1.1.0"},
    {"a payload without braces has the type of its value",
     FACTS "rule a { stratum: 0 when: n = 1 produce: v(n * 2) }",
     "\"payload\":{\"type\":{\"base\":\"Int\",\"max\":80,\"min\":0},\"value\":{\"left\":{\"fact_ref\":\"n\"}", "1.0.0"},
    {"a text payload has its own length", FACTS "rule a { stratum: 0 when: n = 1 produce: verdict v { payload: Text = \"é\" } }",
     "{\"type\":{\"base\":\"Text\",\"max_length\":2},\"value\":\"é\"}", "1.0.0"},
    {"types are inlined", "type A { b: B } type B { c: Bool } fact f { type: A source: \"s\" }",
     "\"type\":{\"base\":\"Record\",\"fields\":{\"b\":{\"base\":\"Record\",\"fields\":{\"c\":{\"base\":\"Bool\"}}}}}", "1.0.0"},
    {"unions can be named", "type U = TaggedUnion { B: Bool A: Date } fact f { type: U source: \"s\" }",
     "{\"base\":\"TaggedUnion\",\"variants\":{\"A\":{\"base\":\"Date\"},\"B\":{\"base\":\"Bool\"}}}", "1.0.0"},
    {"both effect forms are one", "entity E { states: [a, b] initial: a transitions: [(a, b)] } operation o "
     "{ personas: [p] require: verdict_present(v) outcomes: [x, y] effects: [E: a -> b -> x, (E, a, b, y)] } "
     FACTS "rule r { stratum: 0 when: n = 1 produce: verdict v { payload: Bool = true } }",
     "[{\"entity_id\":\"E\",\"from\":\"a\",\"outcome\":\"x\",\"to\":\"b\"},"
     "{\"entity_id\":\"E\",\"from\":\"a\",\"outcome\":\"y\",\"to\":\"b\"}]", "1.0.0"},
    {"steps come in topological order",
     "persona p operation o { personas: [p] require: verdict_present(v) effects: [] outcomes: [l, r] } " FACTS
     "rule r { stratum: 0 when: n = 1 produce: verdict v { payload: Bool = true } } "
     "flow f { snapshot: at_initiation entry: s steps: { t: HandoffStep { from_persona: p to_persona: p next: w } "
     "u: HandoffStep { from_persona: p to_persona: p next: t } w: OperationStep { op: o persona: p outcomes: "
     "{ l: Terminal(success) r: Terminal(success) } on_failure: Terminal(failure) } s: OperationStep { op: o "
     "persona: p outcomes: { l: t r: u } on_failure: Terminal(failure) } } }",
     "\"id\":\"u\",\"kind\":\"HandoffStep\",\"next\":\"t\",\"to_persona\":\"p\"},{\"from_persona\":\"p\",\"id\":\"t\"", "1.0.0"},
};
/* clang-format on */

static void emits(void **state)
{
    const row *r = *state;
    elaborated got = elaborate_text(r->text, false);
    const mt_diag *d = ct_first_error(&got.ds);
    if (d) {
        print_error("%.*s\n", MT_ARG(d->message));
    }
    assert_int_equal(got.err, MT_OK);
    if (!strstr(got.e->bundle.ptr, r->want)) {
        print_error("not in %.*s\n", MT_ARG(got.e->bundle));
        fail();
    }
    char version[64];
    snprintf(version, sizeof version, "\"tenor_version\":\"%s\"}", r->version);
    assert_true(mt_str_ends(got.e->bundle, mt_str_z(version)));
    done(&got);
}

typedef struct round_row {
    const char *text;
    uint32_t scale;
    const char *want;
} round_row;

static const round_row ROUNDED[] = {
    {"9.5", 0, "10"},       {"8.5", 0, "8"},
    {"99.96", 1, "100.0"},  {"3.145", 2, "3.14"},
    {"3.155", 2, "3.16"},   {"3.1450001", 2, "3.15"},
    {"49.995", 2, "50.00"}, {"-0.005", 2, "0.00"},
    {"-0.006", 2, "-0.01"}, {"-0.00", 2, "0.00"},
    {"-0", 0, "0"},         {".5", 2, ".50"},
    {"5.", 2, "5.00"},      {"5", 0, "5"},
    {"5", 3, "5.000"},      {"-9.99", 1, "-10.0"},
    {"0.5", 0, "0"},        {"1.5", 0, "2"},
    {"abc", 2, "abc.00"},   {"12345678901234567890.125", 2, "12345678901234567890.12"},
};

static void defaults_are_rounded_as_text(void **state)
{
    (void)state;
    mt_arena a = {0};
    for (size_t i = 0; i < sizeof ROUNDED / sizeof *ROUNDED; i++) {
        mt_str got = ct_round_text(&a, mt_str_z(ROUNDED[i].text), ROUNDED[i].scale);
        mt_str want = mt_str_z(ROUNDED[i].want);
        if (!mt_str_eq(got, want)) {
            print_error("%s at %u: %.*s\n", ROUNDED[i].text, ROUNDED[i].scale,
                        MT_ARG(got));
        }
        assert_true(mt_str_eq(got, want));
    }
    mt_arena_free(&a);
}

static void layout_is_two_spaces(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str got = ct_json_pretty(&a, MT_STR("{\"a\":[],\"b\":{},\"c\":[1,\"x,{\"]}"));
    assert_true(mt_str_is(got, "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    "
                               "\"x,{\"\n  ]\n}"));
    mt_arena_free(&a);
}

static void versions_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        bool ok;
    } rows[] = {{"1.0.0", true},  {"1.9.3", true},     {"2.0.0", false},
                {"0.3.0", false}, {"1.0", false},      {"", false},
                {"1.0.x", false}, {"1.0.0-rc1", true}, {"01.0.0", false},
                {NULL, false}};
    mt_arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mt_str why = MT_STR("");
        mt_err err = ct_check_version(&a, mt_str_z(rows[i].version), &why);
        assert_int_equal(err == MT_OK, rows[i].ok);
        assert_int_equal(why.len == 0, rows[i].ok);
    }
    mt_arena_free(&a);
}

static void members_equal_the_contract_alone(void **state)
{
    (void)state;
    static const mt_memory_file files[] = {
        {MT_STR_INIT("sys/s.tenor"),
         MT_STR_INIT("system s { members: [b: \"../m/b.tenor\", a: \"a.tenor\"] }")},
        {MT_STR_INIT("sys/a.tenor"), MT_STR_INIT("persona a")},
        {MT_STR_INIT("m/b.tenor"), MT_STR_INIT("import \"c.tenor\"\npersona b")},
        {MT_STR_INIT("m/c.tenor"), MT_STR_INIT("persona c")},
    };
    elaborated got = elaborate_files(files, 4, false);
    assert_int_equal(got.err, MT_OK);
    assert_true(got.e->is_system);
    assert_int_equal(got.e->member_count, 2);
    assert_true(mt_str_is(got.e->members[1].id, "b"));
    assert_true(mt_str_is(got.e->members[1].file, "m/b.tenor"));
    char *member = strdup(got.e->members[1].contract->bundle.ptr);
    size_t len = got.e->members[1].contract->bundle.len;
    done(&got);
    const mt_memory_file alone[] = {files[2], files[3]};
    got = elaborate_files(alone, 2, false);
    assert_int_equal(got.err, MT_OK);
    assert_int_equal(got.e->bundle.len, len);
    assert_memory_equal(got.e->bundle.ptr, member, len);
    free(member);
    done(&got);
}

static void restratification_mends_what_is_acyclic(void **state)
{
    (void)state;
    const char *text =
        "fact f { type: Bool source: \"s\" }\n"
        "rule a { stratum: 0 when: verdict_present(y) produce: x(true) }\n"
        "rule b { stratum: 0 when: verdict_present(z) produce: y(true) }\n"
        "rule c { stratum: 0 when: f produce: z(true) }\n";
    elaborated got = elaborate_text(text, false);
    const mt_edit *edits;
    assert_string_equal(first_code(&got), "T512");
    assert_int_equal(ct_fix_strata(got.ds.arena, got.e, &edits), 2);
    assert_true(mt_str_is(edits[0].text, "2"));
    assert_true(mt_str_is(edits[1].text, "1"));
    assert_int_equal(text[edits[0].offset], '0');
    assert_int_equal(edits[0].length, 1);
    done(&got);
    got = elaborate_text(
        "rule a { stratum: 0 when: verdict_present(y) produce: x(true) }\n"
        "rule b { stratum: 0 when: verdict_present(x) produce: y(true) }",
        false);
    assert_int_equal(ct_fix_strata(got.ds.arena, got.e, &edits), 0);
    done(&got);
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    struct CMUnitTest tests[COUNT + 5];
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){ROWS[i].name, emits, NULL, NULL,
                                       (void *)(uintptr_t)&ROWS[i]};
    }
    const struct CMUnitTest more[] = {
        cmocka_unit_test(defaults_are_rounded_as_text),
        cmocka_unit_test(layout_is_two_spaces),
        cmocka_unit_test(versions_are_checked),
        cmocka_unit_test(members_equal_the_contract_alone),
        cmocka_unit_test(restratification_mends_what_is_acyclic),
    };
    memcpy(tests + COUNT, more, sizeof more);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
