/* What passes is exactly what reading and writing again gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json_canonical.h"
#include "base/json_write.h"

static bool the_long_way(mt_str text)
{
    mt_arena a = {0};
    mt_buf again = {0};
    mt_json node;
    bool good =
        !mt_json_read(&a, text, NULL, &node, NULL) && node.type == MT_JSON_OBJECT;
    if (good) {
        mt_json_write(&again, &node, false);
        good = mt_str_eq(mt_buf_str(&again), text);
    }
    mt_buf_free(&again);
    mt_arena_free(&a);
    return good;
}

static const char *const TEXTS[] = {
    "{}",
    "{\"a\":1}",
    "{\"a\":1,\"b\":[1,2,{\"c\":null}],\"d\":{\"e\":true,\"f\":false}}",
    "{\"a\":\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\\"}",
    "{\"a\":\"\\u0008\"}",
    "{\"a\":\"\\u000A\"}",
    "{\"a\":\"\\u000b\"}",
    "{\"a\":\"\\u000B\"}",
    "{\"a\":\"\\u0041\"}",
    "{\"a\":\"\\/\"}",
    "{\"a\":\"\\ud83d\\ude00\"}",
    "{\"a\":\"\xc3\xa9\x7f\"}",
    "{\"a\":\"\xff\"}",
    "{\"b\":1,\"a\":1}",
    "{\"a\":1,\"a\":1}",
    "{\"\":1,\"a\":1}",
    "{\"a\":1,\"aa\":1}",
    "{\"aa\":1,\"a\":1}",
    "{\"\\n\":1,\"a\":1}",
    "{\"a\":1,\"\\n\":1}",
    "{\"\\\"\":1,\"\\\\\":2,\"a\":3}",
    "{\"[\":1,\"\\\\\":2,\"]\":3}",
    "{\"a\": 1}",
    "{ \"a\":1}",
    "{\"a\":1} ",
    "{\"a\":1,}",
    "{\"a\":[1,]}",
    "{\"a\":[]}",
    "{\"a\":-0}",
    "{\"a\":1e5}",
    "{\"a\":1.50}",
    "{\"a\":01}",
    "{\"a\":+1}",
    "{\"a\":tru}",
    "{\"a\":\"x}",
    "{\"a\"}",
    "{\"a\":}",
    "{a:1}",
    "[]",
    "1",
    "",
    "{",
    "{\"a\":1]",
    "{\"a\":[1}",
};

static void it_agrees_with_the_long_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        mt_str text = mt_str_z(TEXTS[i]);
        assert_int_equal(mt_json_canonical(text, NULL, 0), the_long_way(text));
    }
}

/* Every text with one byte changed, at every place, to each of a few bytes. */
static void it_agrees_on_wounded_texts(void **state)
{
    (void)state;
    static const char WOUNDS[] = "\"\\{}[],: 0u/n\x01\xc3";
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        char text[128];
        size_t len = strlen(TEXTS[i]);
        for (size_t at = 0; at < len; at++) {
            for (size_t w = 0; w < sizeof WOUNDS; w++) {
                memcpy(text, TEXTS[i], len);
                text[at] = WOUNDS[w];
                mt_str wounded = mt_str_from(text, len);
                assert_int_equal(mt_json_canonical(wounded, NULL, 0),
                                 the_long_way(wounded));
            }
        }
    }
}

static void members_are_picked_from_the_outermost_object(void **state)
{
    (void)state;
    mt_json_pick picks[] = {{.key = MT_STR_INIT("k")},
                            {.key = MT_STR_INIT("missing")},
                            {.key = MT_STR_INIT("o")}};
    assert_true(mt_json_canonical(
        MT_STR("{\"a\":{\"k\":\"no\"},\"k\":\"yes\",\"o\":[1,{\"missing\":2}]}"), picks,
        3));
    assert_true(mt_str_is(picks[0].value, "\"yes\""));
    assert_null(picks[1].value.ptr);
    assert_true(mt_str_is(picks[2].value, "[1,{\"missing\":2}]"));
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    mt_buf text = {0};
    mt_buf_addz(&text, "{\"a\":");
    for (int i = 0; i < 100000; i++) {
        mt_buf_addc(&text, '[');
    }
    assert_false(mt_json_canonical(mt_buf_str(&text), NULL, 0));
    mt_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_the_long_way),
        cmocka_unit_test(it_agrees_on_wounded_texts),
        cmocka_unit_test(members_are_picked_from_the_outermost_object),
        cmocka_unit_test(nesting_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
