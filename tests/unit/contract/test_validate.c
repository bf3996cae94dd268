/* A bundle's structure and version, one fault per row (spec §14.2.1, §13 of the
 * interchange). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/wire/validate.h"

#define HEAD    "{\"id\":\"x\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":"
#define B(list) HEAD "\"1.0.0\",\"constructs\":[" list "]}"
#define COMMON  "\"provenance\":{\"file\":\"x.tenor\",\"line\":1},\"tenor\":\"1.0\""
#define PERSONA "{\"id\":\"p\",\"kind\":\"Persona\"," COMMON "}"
#define FACT(type, more)                                                               \
    "{\"id\":\"f\",\"kind\":\"Fact\",\"source\":\"s\",\"type\":" type more "," COMMON  \
    "}"
#define RULE(when)                                                                     \
    "{\"id\":\"r\",\"kind\":\"Rule\",\"stratum\":0,\"body\":{\"when\":" when           \
    ",\"produce\":{\"verdict_type\":\"v\",\"payload\":{\"type\":{\"base\":\"Bool\"},"  \
    "\"value\":true}}}," COMMON "}"
#define FLOW(steps)                                                                    \
    "{\"id\":\"w\",\"kind\":\"Flow\",\"entry\":\"a\",\"snapshot\":\"at_initiation\","  \
    "\"steps\":[" steps "]," COMMON "}"

typedef struct row {
    const char *name, *text;
    const char *code;  /* NULL: valid */
    const char *field; /* JSON path of the fault */
} row;

/* clang-format off */
static const row ROWS[] = {
    {"accepts an empty bundle", B(""), NULL, NULL},
    {"accepts a persona", B(PERSONA), NULL, NULL},
    {"ignores unknown keys",
     HEAD "\"1.7.3\",\"constructs\":[],\"later\":{\"x\":[1,2]}}", NULL, NULL},
    {"accepts a 1.1.0 bundle", HEAD "\"1.1.0\",\"constructs\":[]}", NULL, NULL},
    {"refuses a missing tenor_version",
     "{\"id\":\"x\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"constructs\":[]}", "B004", ""},
    {"refuses a malformed tenor_version", HEAD "\"1.0\",\"constructs\":[]}", "B004", ""},
    {"refuses a tenor_version that is a number", HEAD "1,\"constructs\":[]}", "B004", ""},
    {"refuses a higher major version", HEAD "\"2.0.0\",\"constructs\":[]}", "B004", ""},
    {"refuses what is no JSON", "{\"id\":", "B003", NULL},
    {"refuses duplicate keys", "{\"id\":\"x\",\"id\":\"y\"}", "B003", NULL},
    {"refuses an array", "[]", "B006", ""},
    {"refuses another kind",
     "{\"id\":\"x\",\"kind\":\"Bag\",\"tenor\":\"1.0\",\"tenor_version\":\"1.0.0\","
     "\"constructs\":[]}", "B006", "kind"},
    {"refuses missing constructs", HEAD "\"1.0.0\"}", "B005", ""},
    {"refuses constructs that are an object", HEAD "\"1.0.0\",\"constructs\":{}}", "B006",
     "constructs"},
    {"refuses an unknown kind of construct",
     B("{\"id\":\"p\",\"kind\":\"Person\"," COMMON "}"), "B007", "constructs[0]"},
    {"refuses a construct without id", B("{\"kind\":\"Persona\"," COMMON "}"), "B005",
     "constructs[0]"},
    {"refuses a construct without provenance",
     B("{\"id\":\"p\",\"kind\":\"Persona\",\"tenor\":\"1.0\"}"), "B005", "constructs[0]"},
    {"refuses one id twice in a kind", B(PERSONA "," PERSONA), "B008", ""},
    {"accepts one id in two kinds",
     B("{\"id\":\"f\",\"kind\":\"Persona\"," COMMON "}," FACT("{\"base\":\"Bool\"}", "")),
     NULL, NULL},
    {"refuses an unknown base type", B(FACT("{\"base\":\"Float\"}", "")), "B007",
     "constructs[0].type"},
    {"refuses an Int without max", B(FACT("{\"base\":\"Int\",\"min\":0}", "")), "B005",
     "constructs[0].type"},
    {"refuses a bound beyond 64 bits",
     B(FACT("{\"base\":\"Int\",\"min\":0,\"max\":9223372036854775808}", "")), "B006",
     "constructs[0].type.max"},
    {"refuses a fraction as bound",
     B(FACT("{\"base\":\"Int\",\"min\":0.5,\"max\":1}", "")), "B006", "constructs[0].type.min"},
    {"refuses a negative max_length",
     B(FACT("{\"base\":\"Text\",\"max_length\":-1}", "")), "B006",
     "constructs[0].type.max_length"},
    {"looks into element types",
     B(FACT("{\"base\":\"List\",\"max\":3,\"element_type\":{\"base\":\"Record\","
            "\"fields\":{\"a\":{\"base\":\"Nope\"}}}}", "")),
     "B007", "constructs[0].type.element_type.fields.a"},
    {"refuses a number as default", B(FACT("{\"base\":\"Bool\"}", ",\"default\":7")), "B006",
     "constructs[0].default"},
    {"accepts a record default",
     B(FACT("{\"base\":\"Bool\"}", ",\"default\":{\"kind\":\"record_value\",\"fields\":"
            "{\"a\":\"x\"}}")), NULL, NULL},
    {"accepts an amount with its kind",
     B(FACT("{\"base\":\"Money\",\"currency\":\"EUR\"}", ",\"default\":{\"kind\":\"money_value\",\"currency\":\"EUR\","
            "\"amount\":{\"kind\":\"decimal_value\",\"precision\":10,\"scale\":2,\"value\":\"1.00\"}}")), NULL, NULL},
    {"accepts an amount without its kind",
     B(FACT("{\"base\":\"Money\",\"currency\":\"EUR\"}", ",\"default\":{\"kind\":\"money_value\",\"currency\":\"EUR\","
            "\"amount\":{\"precision\":10,\"scale\":2,\"value\":\"1.00\"}}")), NULL, NULL},
    {"refuses an amount of another kind",
     B(FACT("{\"base\":\"Money\",\"currency\":\"EUR\"}", ",\"default\":{\"kind\":\"money_value\",\"currency\":\"EUR\","
            "\"amount\":{\"kind\":\"money_value\",\"precision\":10,\"scale\":2,\"value\":\"1.00\"}}")), "B006", "constructs[0].default.amount.kind"},
    {"accepts every expression node",
     B(RULE("{\"op\":\"and\",\"left\":{\"op\":\"not\",\"operand\":{\"verdict_present\":\"v\"}},"
            "\"right\":{\"op\":\"<\",\"left\":{\"op\":\"*\",\"left\":{\"fact_ref\":\"a\"},"
            "\"literal\":2},\"right\":{\"op\":\"len\",\"operand\":{\"field_of\":{\"field\":\"b\","
            "\"of\":{\"field_ref\":{\"field\":\"c\",\"var\":\"d\"}}}}}}}")), NULL, NULL},
    {"refuses an expression that says two things",
     B(RULE("{\"fact_ref\":\"a\",\"op\":\"not\",\"operand\":{\"fact_ref\":\"b\"}}")), "B006",
     "constructs[0].body.when"},
    {"refuses a literal beside a reference", B(RULE("{\"literal\":true,\"verdict_ref\":\"v\"}")), "B006",
     "constructs[0].body.when"},
    {"refuses an empty condition", B(RULE("{}")), "B006", "constructs[0].body.when"},
    {"refuses an unknown operator",
     B(RULE("{\"op\":\"xor\",\"left\":{\"fact_ref\":\"a\"},\"right\":{\"fact_ref\":\"b\"}}")),
     "B007", "constructs[0].body.when"},
    {"refuses a comparison without right side",
     B(RULE("{\"op\":\"=\",\"left\":{\"fact_ref\":\"a\"}}")), "B005",
     "constructs[0].body.when"},
    {"refuses an unknown quantifier",
     B(RULE("{\"quantifier\":\"most\",\"variable\":\"x\",\"domain\":{\"fact_ref\":\"l\"},"
            "\"body\":{\"fact_ref\":\"x\"}}")), "B006", "constructs[0].body.when.quantifier"},
    {"refuses a negative stratum",
     B("{\"id\":\"r\",\"kind\":\"Rule\",\"stratum\":-1,\"body\":{\"when\":{\"fact_ref\":\"a\"},"
       "\"produce\":{\"verdict_type\":\"v\",\"payload\":{\"type\":{\"base\":\"Bool\"},"
       "\"value\":true}}}," COMMON "}"), "B006", "constructs[0].stratum"},
    {"refuses an unknown step kind", B(FLOW("{\"id\":\"a\",\"kind\":\"Leap\"}")), "B007",
     "constructs[0].steps[0]"},
    {"refuses a target that is a number",
     B(FLOW("{\"id\":\"a\",\"kind\":\"OperationStep\",\"op\":\"o\",\"persona\":\"p\","
            "\"outcomes\":{\"ok\":5}}")), "B006", "constructs[0].steps[0].outcomes.ok"},
    {"refuses an unknown failure handler",
     B(FLOW("{\"id\":\"a\",\"kind\":\"OperationStep\",\"op\":\"o\",\"persona\":\"p\","
            "\"outcomes\":{},\"on_failure\":{\"kind\":\"Retry\"}}")), "B007",
     "constructs[0].steps[0].on_failure"},
    {"refuses a manifest with another etag",
     "{\"bundle\":" B("") ",\"capabilities\":{\"migration_analysis_mode\":\"aggressive\"},\"etag\":\"00\",\"tenor\":\"1.0\"}", "B009", ""},
    {"refuses a manifest without bundle",
     "{\"capabilities\":{\"migration_analysis_mode\":\"aggressive\"},\"etag\":\"00\",\"tenor\":\"1.0\"}", "B005", ""},
};
/* clang-format on */

static void validates(void **state)
{
    const row *r = *state;
    mt_arena arena = {0};
    mt_diags ds = {.arena = &arena};
    ct_document document;
    mt_err err =
        ct_validate(&arena, MT_STR("x.json"), mt_str_z(r->text), NULL, &ds, &document);
    if (!r->code) {
        assert_int_equal(err, MT_OK);
        assert_true(document.bundle.len > 0);
    } else {
        assert_int_equal(err, MT_E_REJECTED);
        assert_true(ds.len > 0);
        assert_string_equal(ds.items[0].code, r->code);
        assert_true(ds.items[0].line > 0 && ds.items[0].column > 0);
        assert_int_equal(document.bundle.len, 0);
    }
    if (r->code && r->field) {
        assert_string_equal(ds.items[0].field.ptr, r->field);
    }
    mt_arena_free(&arena);
}

static void bounds_the_depth(void **state)
{
    (void)state;
    enum { DEEP = 100 };
    mt_arena arena = {0};
    mt_buf text = {0};
    for (int i = 0; i < DEEP; i++) {
        mt_buf_addz(&text, "{\"op\":\"not\",\"operand\":");
    }
    mt_buf_addz(&text, "{\"fact_ref\":\"a\"}");
    for (int i = 0; i < DEEP; i++) {
        mt_buf_addz(&text, "}");
    }
    mt_buf_addc(&text, '\0');
    mt_str bundle = mt_strf(&arena, "%s%s%s",
                            HEAD "\"1.0.0\",\"constructs\":[{\"id\":\"o\",\"kind\":"
                                 "\"Operation\",\"allowed_personas\":[],\"effects\":"
                                 "[],\"error_contract\":[],\"precondition\":",
                            text.ptr, "," COMMON "}]}");
    mt_limits limits = MT_LIMITS_DEFAULT;
    mt_diags ds = {.arena = &arena};
    ct_document document;
    assert_int_equal(ct_validate(&arena, MT_STR("x"), bundle, &limits, &ds, &document),
                     MT_OK);
    limits.bundle_depth = 50;
    assert_int_equal(ct_validate(&arena, MT_STR("x"), bundle, &limits, &ds, &document),
                     MT_E_REJECTED);
    assert_string_equal(ds.items[0].code, "B002");
    mt_buf_free(&text);
    mt_arena_free(&arena);
}

/* Keys that no version knows pass, with a warning that names the nearest: one in each
 * kind of node. */
/* clang-format off */
static const struct unknown {
    const char *name, *text, *field, *message, *hint;
} UNKNOWN[] = {
    {"FU20_a_key_of_a_bundle", HEAD "\"1.0.0\",\"constructs\":[],\"kinds\":1}", "",
     "the document: unknown key \"kinds\"", "did you mean `kind`?"},
    {"FU20_a_key_of_a_construct", B(FACT("{\"base\":\"Bool\"}", ",\"defualt\":true")),
     "constructs[0]", "constructs[0]: unknown key \"defualt\"", "did you mean `default`?"},
    {"FU20_a_key_that_is_common_to_all_constructs",
     B("{\"id\":\"p\",\"kind\":\"Persona\",\"tenors\":\"1.0\"," COMMON "}"),
     "constructs[0]", "constructs[0]: unknown key \"tenors\"", "did you mean `tenor`?"},
    {"FU20_a_key_of_a_type", B(FACT("{\"base\":\"Int\",\"min\":0,\"max\":1,\"mix\":2}", "")),
     "constructs[0].type", "constructs[0].type: unknown key \"mix\"", "did you mean `min`?"},
    {"FU20_a_key_of_an_expression", B(RULE("{\"fact_ref\":\"f\",\"weight\":2}")),
     "constructs[0].body.when", "constructs[0].body.when: unknown key \"weight\"", ""},
    {"FU20_a_key_of_an_operator",
     B(RULE("{\"op\":\"not\",\"operands\":[],\"operand\":{\"fact_ref\":\"f\"}}")),
     "constructs[0].body.when", "constructs[0].body.when: unknown key \"operands\"", "did you mean `operand`?"},
    {"FU20_a_key_of_a_product_by_a_literal",
     B(RULE("{\"op\":\"*\",\"left\":{\"fact_ref\":\"f\"},\"literal\":2,\"litteral\":3}")),
     "constructs[0].body.when", "constructs[0].body.when: unknown key \"litteral\"", "did you mean `literal`?"},
    {"FU20_a_key_of_a_step",
     B(FLOW("{\"id\":\"a\",\"kind\":\"HandoffStep\",\"from_persona\":\"p\",\"to_persona\":\"p\",\"next\":\"b\",\"nxt\":\"c\"}")),
     "constructs[0].steps[0]", "constructs[0].steps[0]: unknown key \"nxt\"", "did you mean `next`?"},
    {"FU20_a_key_with_marks_that_turn_the_direction",
     HEAD "\"1.0.0\",\"constructs\":[],\"\xe2\x80\xaex\":1}", "",
     "the document: unknown key \"\\u202ex\"", ""},
};
/* clang-format on */

static void is_warned_of(void **state)
{
    const struct unknown *r = *state;
    mt_arena arena = {0};
    mt_diags ds = {.arena = &arena};
    ct_document document;
    assert_int_equal(
        ct_validate(&arena, MT_STR("x"), mt_str_z(r->text), NULL, &ds, &document),
        MT_OK);
    assert_int_equal(ds.len, 1);
    assert_int_equal(ds.warnings, 1);
    const mt_diag *d = &ds.items[0];
    assert_string_equal(d->code, "B011");
    assert_string_equal(d->field.ptr, r->field);
    assert_string_equal(d->message.ptr, r->message);
    assert_string_equal(d->hint.len ? d->hint.ptr : "", r->hint);
    assert_true(d->line > 0 && d->column > 0);
    /* What is passed over is kept: the bundle is signed and compared as it came. */
    assert_int_equal(document.bundle.len, strlen(r->text));
    mt_arena_free(&arena);
}

/* §14.2.1: a later minor version may have keys that mean something. */
static void FU20_of_a_later_version_it_is_a_note(void **state)
{
    (void)state;
    static const char TEXT[] = HEAD
        "\"1.2.0\",\"constructs\":[{\"kind\":\"Later\",\"laters\":1}],\"kinds\":1}";
    mt_arena arena = {0};
    mt_diags ds = {.arena = &arena};
    ct_document document;
    assert_int_equal(
        ct_validate(&arena, MT_STR("x"), mt_str_z(TEXT), NULL, &ds, &document), MT_OK);
    assert_int_equal(ds.len, 2); /* each once */
    assert_string_equal(ds.items[0].code, "B010");
    assert_string_equal(ds.items[1].code, "B011");
    assert_int_equal(ds.items[1].severity, MT_NOTE);
    assert_int_equal(ds.warnings, 0);
    mt_arena_free(&arena);
}

/* What is not kept is counted, and nobody looks for a near name. */
static void FU20_a_million_unknown_keys_are_counted(void **state)
{
    (void)state;
    enum { MANY = 1000000, KEPT = 50 };
    mt_arena arena = {0};
    mt_buf text = {0};
    mt_buf_addz(&text, HEAD "\"1.0.0\",\"constructs\":[]");
    for (int i = 0; i < MANY; i++) {
        mt_buf_addf(&text, ",\"tenor_version%d\":0", i);
    }
    mt_buf_addc(&text, '}');
    mt_diags ds = {.arena = &arena, .limit = KEPT};
    ct_document document;
    assert_int_equal(
        ct_validate(&arena, MT_STR("x"), mt_buf_str(&text), NULL, &ds, &document),
        MT_OK);
    assert_int_equal(ds.len, KEPT);
    assert_int_equal(ds.warnings, MANY);
    mt_buf_free(&text);
    mt_arena_free(&arena);
}

int main(void)
{
    enum {
        COUNT = sizeof ROWS / sizeof *ROWS,
        WARNED = COUNT + sizeof UNKNOWN / sizeof *UNKNOWN
    };
    struct CMUnitTest tests[WARNED + 3];
    for (size_t i = 0; i < COUNT; i++) {
        void *state = (void *)(uintptr_t)&ROWS[i];
        tests[i] = (struct CMUnitTest){ROWS[i].name, validates, NULL, NULL, state};
    }
    for (size_t i = COUNT; i < WARNED; i++) {
        const struct unknown *r = &UNKNOWN[i - COUNT];
        tests[i] = (struct CMUnitTest){r->name, is_warned_of, NULL, NULL,
                                       (void *)(uintptr_t)r};
    }
    tests[WARNED] = (struct CMUnitTest)cmocka_unit_test(bounds_the_depth);
    tests[WARNED + 1] =
        (struct CMUnitTest)cmocka_unit_test(FU20_of_a_later_version_it_is_a_note);
    tests[WARNED + 2] =
        (struct CMUnitTest)cmocka_unit_test(FU20_a_million_unknown_keys_are_counted);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
