/* Base64: known texts, every length, one spelling only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base64.h"

static void known_texts(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *text;
    } ROWS[] = {{"", ""},
                {"f", "Zg=="},
                {"fo", "Zm8="},
                {"foo", "Zm9v"},
                {"foob", "Zm9vYg=="},
                {"fooba", "Zm9vYmE="},
                {"\xff\xfe", "//4="},
                {"\xfb\xef\xbe", "++++"}};
    mt_arena a = {0};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        size_t count = strlen(ROWS[i].bytes);
        unsigned char raw[8], back[8];
        memcpy(raw, ROWS[i].bytes, count);
        assert_string_equal(mt_base64(&a, raw, count).ptr, ROWS[i].text);
        assert_true(mt_unbase64(mt_str_z(ROWS[i].text), back, count));
        assert_memory_equal(raw, back, count);
    }
    mt_arena_free(&a);
}

static void only_one_spelling_is_read(void **state)
{
    (void)state;
    static const char *const REFUSED[] = {"Zg",    "Zg=",  "Zh==", "Zg==\n",
                                          " Zg==", "Z===", "Z-==", "Zg=!"};
    unsigned char out[1];
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        assert_false(mt_unbase64(mt_str_z(REFUSED[i]), out, 1));
    }
    assert_false(mt_unbase64(MT_STR("Zm8="), out, 1));
}

/* Every byte in every place: a text that is read is the one that is written. */
static void every_byte_is_a_digit_or_refused(void **state)
{
    (void)state;
    mt_arena a = {0};
    for (size_t at = 0; at < 8; at++) {
        for (int byte = 0; byte < 256; byte++) {
            char text[] = "Zm9vYmE=";
            unsigned char out[5];
            text[at] = (char)byte;
            if (mt_unbase64(mt_str_from(text, 8), out, sizeof out)) {
                assert_memory_equal(mt_base64(&a, out, sizeof out).ptr, text, 8);
            }
        }
    }
    mt_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_a_digit_or_refused),
        cmocka_unit_test(known_texts),
        cmocka_unit_test(only_one_spelling_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
