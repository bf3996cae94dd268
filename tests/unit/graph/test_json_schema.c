/* Each keyword once holding and once violated; what is no schema is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "graph/json_schema.h"

static const struct row {
    const char *schema, *good, *bad, *keyword, *path;
} ROWS[] = {
    {"{\"type\":\"number\"}", "1.5", "\"x\"", "type", "$"},
    {"{\"type\":\"integer\"}", "1.0", "1.5", "type", "$"},
    {"{\"type\":[\"string\",\"null\"]}", "null", "1", "type", "$"},
    {"{\"type\":\"boolean\"}", "true", "0", "type", "$"},
    {"{\"enum\":[1,\"a\"]}", "1.0", "2", "enum", "$"},
    {"{\"const\":{\"a\":1}}", "{\"a\":1}", "{\"a\":2}", "const", "$"},
    {"{\"minimum\":0}", "0", "-1", "minimum", "$"},
    {"{\"maximum\":10}", "10", "10.5", "maximum", "$"},
    {"{\"exclusiveMinimum\":0}", "0.1", "0", "exclusiveMinimum", "$"},
    {"{\"exclusiveMaximum\":1}", "0.9", "1", "exclusiveMaximum", "$"},
    {"{\"multipleOf\":0.0001}", "0.0075", "0.00751", "multipleOf", "$"},
    {"{\"minLength\":2}", "\"\xc3\xa9\xc3\xa9\"", "\"\xc3\xa9\"", "minLength", "$"},
    {"{\"maxLength\":2}", "\"\xc3\xa9\xc3\xa9\"", "\"abc\"", "maxLength", "$"},
    {"{\"pattern\":\"^a+$\"}", "\"aaa\"", "\"ab\"", "pattern", "$"},
    {"{\"pattern\":\"b\"}", "\"abc\"", "\"ac\"", "pattern", "$"},
    {"{\"minItems\":1}", "[1]", "[]", "minItems", "$"},
    {"{\"maxItems\":1}", "[1]", "[1,2]", "maxItems", "$"},
    {"{\"uniqueItems\":true}", "[1,2]", "[1,1.0]", "uniqueItems", "$"},
    {"{\"items\":{\"type\":\"number\"}}", "[1,2]", "[1,\"x\"]", "type", "$[1]"},
    {"{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[\"a\"]",
     "[\"a\",1]", "false", "$[1]"},
    {"{\"required\":[\"a\"]}", "{\"a\":1}", "{}", "required", "$"},
    {"{\"properties\":{\"a\":{\"properties\":{\"b\":{\"type\":\"null\"}}}}}",
     "{\"a\":{\"b\":null}}", "{\"a\":{\"b\":1}}", "type", "$.a.b"},
    {"{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"a\":1}",
     "{\"b\":1}", "additionalProperties", "$.b"},
    {"{\"patternProperties\":{\"^x\":{\"type\":\"number\"}}}", "{\"xa\":1}",
     "{\"xa\":true}", "type", "$.xa"},
    {"{\"propertyNames\":{\"maxLength\":1}}", "{\"a\":1}", "{\"ab\":1}",
     "propertyNames", "$.ab"},
    {"{\"minProperties\":1}", "{\"a\":1}", "{}", "minProperties", "$"},
    {"{\"maxProperties\":1}", "{\"a\":1}", "{\"a\":1,\"b\":2}", "maxProperties", "$"},
    {"{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "1.5", "3", "maximum", "$"},
    {"{\"anyOf\":[{\"minimum\":5},{\"maximum\":2}]}", "1", "3", "anyOf", "$"},
    {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":2}]}", "3", "1.5", "oneOf", "$"},
    {"{\"not\":{\"type\":\"string\"}}", "1", "\"a\"", "not", "$"},
    {"{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":{\"minimum\":0}"
     "}",
     "\"a\"", "-1", "minimum", "$"},
    {"{\"$defs\":{\"n\":{\"type\":\"number\"}},\"properties\":{\"a\":{\"$ref\":\"#/"
     "$defs/n\"}}}",
     "{\"a\":1}", "{\"a\":\"x\"}", "type", "$.a"},
    {"{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
     "{\"next\":{\"next\":{}}}", "{\"next\":{\"x\":1}}", "additionalProperties",
     "$.next.x"},
    {"{\"additionalProperties\":{\"type\":\"number\"}}", "{\"a\":1}",
     "{\"a\":1,\"b\":\"x\"}", "type", "$.b"},
    {"{\"properties\":{\"a\":true},\"additionalProperties\":{\"type\":\"number\"}}",
     "{\"a\":\"x\",\"b\":1}", "{\"a\":1,\"b\":\"x\"}", "type", "$.b"},
    {"{\"$defs\":{\"a/b\":{\"type\":\"number\"}},\"$ref\":\"#/$defs/a~1b\"}", "1",
     "\"x\"", "type", "$"},
    {"{\"$defs\":{\"a~b\":{\"type\":\"number\"}},\"$ref\":\"#/$defs/a~0b\"}", "1",
     "\"x\"", "type", "$"},
    {"{\"$defs\":{\"/b\":{\"type\":\"number\"}},\"$ref\":\"#/$defs/~1b\"}", "1",
     "\"x\"", "type", "$"},
    {"{\"$defs\":{\"a~\":{\"type\":\"number\"}},\"$ref\":\"#/$defs/a~\"}", "1", "\"x\"",
     "type", "$"},
    {"{\"allOf\":[true,{\"type\":\"number\"}],\"properties\":{\"a\":{\"$ref\":\"#/"
     "allOf/0\"}}}",
     "1", "\"x\"", "type", "$"},
    {"{\"prefixItems\":[true,{\"type\":\"number\"}],\"items\":{\"$ref\":\"#/"
     "prefixItems/1\"}}",
     "[\"x\",1,2]", "[\"x\",1,\"y\"]", "type", "$[2]"},
    {"{\"prefixItems\":[true,true,true,true,true,true,true,true,true,true,"
     "{\"type\":\"null\"},{\"type\":\"number\"}],\"properties\":{\"a\":{\"$ref\":"
     "\"#/prefixItems/11\"}}}",
     "{\"a\":1}", "{\"a\":null}", "type", "$.a"},
    {"{\"uniqueItems\":false,\"maxItems\":2}", "[1,1]", "[1,1,1]", "maxItems", "$"},
};

static mt_json parse(mt_arena *a, const char *text)
{
    mt_json tree;
    assert_int_equal(mt_json_read(a, mt_str_z(text), NULL, &tree, NULL), MT_OK);
    return tree;
}

static void keyword(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    gr_schema *s;
    gr_schema_error error;
    mt_json schema = parse(&a, r->schema), good = parse(&a, r->good),
            bad = parse(&a, r->bad);
    assert_int_equal(gr_schema_compile(&a, &schema, &s, &error), MT_OK);
    assert_int_equal(gr_schema_check(s, &a, &good, &error), MT_OK);
    assert_int_equal(gr_schema_check(s, &a, &bad, &error), MT_E_REJECTED);
    assert_string_equal(error.keyword, r->keyword);
    assert_true(mt_str_eq(error.path, mt_str_z(r->path)));
    gr_schema_free(s);
    mt_arena_free(&a);
}

static const struct refused {
    const char *name, *schema, *keyword;
} REFUSED[] = {
    {"refuses a schema that is a number", "1", "type"},
    {"refuses an unknown type", "{\"type\":\"text\"}", "type"},
    {"refuses a broken pattern", "{\"pattern\":\"(\"}", "pattern"},
    {"refuses an outside reference", "{\"$ref\":\"http://x/y\"}", "$ref"},
    {"refuses a reference to nothing", "{\"$ref\":\"#/$defs/x\"}", "$ref"},
    {"refuses a keyword it does not know how to check", "{\"contains\":{}}",
     "contains"},
    {"refuses unevaluatedProperties", "{\"unevaluatedProperties\":false}",
     "unevaluatedProperties"},
    {"refuses a negative length", "{\"minLength\":-1}", "type"},
    {"refuses a bound that is text", "{\"minimum\":\"1\"}", "type"},
    {"refuses properties that are a list", "{\"properties\":[]}", "type"},
    {"refuses patterns of properties that are text", "{\"patternProperties\":\"x\"}",
     "type"},
    {"refuses values that are no list", "{\"enum\":{}}", "enum"},
    {"refuses uniqueness that is a number", "{\"uniqueItems\":1}", "uniqueItems"},
    {"refuses a pattern that is a number", "{\"pattern\":1}", "pattern"},
    {"refuses names that are no list", "{\"required\":\"a\"}", "type"},
    {"refuses a place behind the end of a list",
     "{\"allOf\":[true],\"not\":{\"$ref\":\"#/allOf/1\"}}", "$ref"},
    {"refuses a place of a list that is no number",
     "{\"allOf\":[true],\"not\":{\"$ref\":\"#/allOf/:\"}}", "$ref"},
    {"refuses a place of a list without a number",
     "{\"allOf\":[true],\"not\":{\"$ref\":\"#/allOf/\"}}", "$ref"},
    {"refuses a name that only begins like it",
     "{\"$defs\":{\"ab\":true},\"not\":{\"$ref\":\"#/$defs/a\"}}", "$ref"},
    {"refuses multiples of zero", "{\"multipleOf\":0}", "multipleOf"},
    {"refuses what is wrong behind a good pattern",
     "{\"allOf\":[{\"pattern\":\"a\"},{\"type\":1}]}", "type"},
    {"refuses a broken schema among definitions", "{\"$defs\":{\"a\":{\"type\":1}}}",
     "type"},
};

static void compile_error(void **state)
{
    const struct refused *r = *state;
    mt_arena a = {0};
    gr_schema *s;
    gr_schema_error error = {0};
    mt_json schema = parse(&a, r->schema);
    assert_int_equal(gr_schema_compile(&a, &schema, &s, &error), MT_E_SYNTAX);
    assert_string_equal(error.keyword, r->keyword);
    assert_null(s);
    mt_arena_free(&a);
}

/* Each level doubles the work: 2^100 checks if nobody counted. */
static void alternatives_that_refer_to_themselves_end(void **state)
{
    (void)state;
    mt_arena a = {0};
    gr_schema *s;
    gr_schema_error error;
    mt_json schema = parse(&a, "{\"allOf\":[{\"not\":{\"$ref\":\"#\"}},"
                               "{\"not\":{\"$ref\":\"#\"}}]}");
    mt_json value = parse(&a, "1");
    assert_int_equal(gr_schema_compile(&a, &schema, &s, &error), MT_OK);
    assert_int_equal(gr_schema_check(s, &a, &value, &error), MT_E_REJECTED);
    assert_string_equal(error.message.ptr, "needs too many nested checks");
    gr_schema_free(s);
    mt_arena_free(&a);
}

static void a_pattern_that_backtracks_forever_is_cut_short(void **state)
{
    (void)state;
    mt_arena a = {0};
    gr_schema *s;
    gr_schema_error error;
    mt_json schema = parse(&a, "{\"pattern\":\"^(a+)+$\"}");
    mt_json value = parse(&a, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"");
    assert_int_equal(gr_schema_compile(&a, &schema, &s, &error), MT_OK);
    assert_int_equal(gr_schema_check(s, &a, &value, &error), MT_E_REJECTED);
    gr_schema_free(s);
    mt_arena_free(&a);
}

/* ---- Limits, which nothing may turn round ---- */

static const char *const LIMITED[] = {
    "%s",
    "{\"not\":%s}",
    "{\"not\":{\"not\":%s}}",
    "{\"oneOf\":[true,%s]}",
    "{\"anyOf\":[%s,true]}",
    "{\"if\":%s,\"then\":false}",
    "{\"if\":%s,\"then\":false,\"else\":true}",
};

/* Schema with the inner one in the place of %s. */
static mt_json around(mt_arena *a, const char *outer, const char *inner)
{
    const char *at = strstr(outer, "%s");
    return parse(a,
                 mt_strf(a, "%.*s%s%s", (int)(at - outer), outer, inner, at + 2).ptr);
}

/* Whatever stands around it, a check that runs into a limit refuses and says so. */
static void is_limited(const char *inner, const char *instance, const char *message)
{
    for (size_t i = 0; i < sizeof LIMITED / sizeof *LIMITED; i++) {
        mt_arena a = {0};
        gr_schema *s;
        gr_schema_error error;
        mt_json schema = around(&a, LIMITED[i], inner), value = parse(&a, instance);
        assert_int_equal(gr_schema_compile(&a, &schema, &s, &error), MT_OK);
        assert_int_equal(gr_schema_check(s, &a, &value, &error), MT_E_REJECTED);
        assert_string_equal(error.message.ptr, message);
        gr_schema_free(s);
        mt_arena_free(&a);
    }
}

static mt_err check_text(const char *schema_text, const char *instance)
{
    mt_arena a = {0};
    gr_schema *s;
    gr_schema_error error;
    mt_json schema = parse(&a, schema_text), value = parse(&a, instance);
    assert_int_equal(gr_schema_compile(&a, &schema, &s, &error), MT_OK);
    mt_err err = gr_schema_check(s, &a, &value, &error);
    gr_schema_free(s);
    mt_arena_free(&a);
    return err;
}

static void a_pattern_that_takes_too_long_is_never_a_match_nor_none(void **state)
{
    (void)state;
    is_limited("{\"pattern\":\"^(a+)+$\"}",
               "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"",
               "takes too long to match");
    is_limited("{\"patternProperties\":{\"^(a+)+$\":true}}",
               "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\":1}",
               "takes too long to match");
    assert_int_equal(check_text("{\"not\":{\"pattern\":\"^(a+)+$\"}}", "\"aa!\""),
                     MT_OK);
}

/* A list of `count` different numbers. */
static char *numbers(mt_arena *a, int count)
{
    mt_buf list = {0};
    for (int i = 0; i < count; i++) {
        mt_buf_addf(&list, "%c%d", i ? ',' : '[', i);
    }
    mt_buf_addz(&list, "]");
    mt_str kept = mt_str_dup(a, mt_buf_str(&list));
    mt_buf_free(&list);
    return (char *)(uintptr_t)kept.ptr;
}

static void too_many_items_are_neither_equal_nor_different(void **state)
{
    (void)state;
    mt_arena a = {0};
    is_limited("{\"uniqueItems\":true}", numbers(&a, 4097),
               "has too many items to compare");
    assert_int_equal(check_text("{\"uniqueItems\":true}", numbers(&a, 4096)), MT_OK);
    assert_int_equal(check_text("{\"not\":{\"uniqueItems\":true}}", numbers(&a, 4096)),
                     MT_E_REJECTED);
    mt_arena_free(&a);
}

/* A list inside a list takes two levels of the check, the outermost one: 100 levels are
 * enough for 50 lists. */
static void too_deep_is_neither_good_nor_bad(void **state)
{
    (void)state;
    char lists[103] = "";
    memset(lists, '[', 50);
    memset(lists + 50, ']', 50);
    const char *schema = "{\"items\":{\"$ref\":\"#\"}}";
    const char *negated = "{\"$defs\":{\"l\":{\"items\":{\"$ref\":\"#/$defs/l\"}}},"
                          "\"not\":{\"$ref\":\"#/$defs/l\"}}";
    assert_int_equal(check_text(schema, lists), MT_OK);
    memset(lists, '[', 51);
    memset(lists + 51, ']', 51);
    assert_int_equal(check_text(schema, lists), MT_E_REJECTED);
    assert_int_equal(check_text(negated, lists), MT_E_REJECTED);
}

static void a_number_beyond_doubles_is_refused_wherever(void **state)
{
    (void)state;
    is_limited("{\"minimum\":5}", "1e999", "is beyond the largest double");
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

int main(void)
{
    struct CMUnitTest tests[COUNT(ROWS) + COUNT(REFUSED) + 6] = {{0}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        tests[n++] = (struct CMUnitTest){ROWS[i].schema, keyword, NULL, NULL,
                                         (void *)(uintptr_t)&ROWS[i]};
    }
    for (size_t i = 0; i < COUNT(REFUSED); i++) {
        tests[n++] = (struct CMUnitTest){REFUSED[i].name, compile_error, NULL, NULL,
                                         (void *)(uintptr_t)&REFUSED[i]};
    }
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(alternatives_that_refer_to_themselves_end);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(
        a_pattern_that_backtracks_forever_is_cut_short);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(
        a_pattern_that_takes_too_long_is_never_a_match_nor_none);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(
        too_many_items_are_neither_equal_nor_different);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(too_deep_is_neither_good_nor_bad);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(
        a_number_beyond_doubles_is_refused_wherever);
    return cmocka_run_group_tests_name("graph/json_schema", tests, NULL, NULL);
}
