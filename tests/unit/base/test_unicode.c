/* What Unicode says of characters: rows, and all of them by a digest that was made
 * with libunistring 1.0, which this table replaced. */
#include "../rows.h"

#include "base/hash.h"
#include "base/unicode.h"

enum { CODE_POINTS = 0x110000, CLASSES = 5 };

static const char ALL[] =
    "1cc0c29a570588776acd1fade12810f23a1248e6893bccaa94df5f3914243a8d";

static const struct row {
    const char *name;
    uint32_t character, bits;
} ROWS[] = {
    {"the first character is hidden", 0, MT_UNICODE_HIDDEN},
    {"a space is hidden", ' ', MT_UNICODE_HIDDEN},
    {"an exclamation mark is nothing of these", '!', 0},
    {"the letter before the end of a run", 'Z',
     MT_UNICODE_ALPHABETIC | MT_UNICODE_LETTER},
    {"the character behind it", '[', 0},
    {"a fraction is a number and no letter", 0xBD, MT_UNICODE_NUMBER},
    {"a Roman number is both", 0x2160, MT_UNICODE_ALPHABETIC | MT_UNICODE_NUMBER},
    {"an accent that joins", 0x301, MT_UNICODE_EXTEND},
    {"a mark that is alphabetic and joins", 0x345,
     MT_UNICODE_ALPHABETIC | MT_UNICODE_EXTEND},
    {"a mark that became alphabetic later", 0xC04, MT_UNICODE_EXTEND},
    {"a letter that came later", 0x11F04, MT_UNICODE_HIDDEN},
    {"a surrogate", 0xD800, MT_UNICODE_HIDDEN},
    {"a letter beyond the first plane", 0x1D400,
     MT_UNICODE_ALPHABETIC | MT_UNICODE_LETTER},
    {"the last character", 0x10FFFF, MT_UNICODE_HIDDEN},
};

static uint32_t bits_of(uint32_t character)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < CLASSES; i++) {
        bits |= mt_unicode_is(character, 1u << i) ? 1u << i : 0;
    }
    return bits;
}

static void says(void **state)
{
    const struct row *r = *state;
    assert_int_equal(bits_of(r->character), r->bits);
    assert_int_equal(mt_unicode_is(r->character, 31), r->bits != 0);
}

static void says_of_all_what_libunistring_says(void **state)
{
    (void)state;
    mt_arena a = {0};
    char *all = mt_alloc(&a, CODE_POINTS);
    for (uint32_t c = 0; c < CODE_POINTS; c++) {
        all[c] = (char)bits_of(c);
    }
    mt_sha256 digest = mt_sha256_of(mt_str_from(all, CODE_POINTS));
    assert_text(mt_sha256_hex(&a, digest), mt_str_z(ALL));
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, says);
    rows_test(&list, says_of_all_what_libunistring_says);
    return rows_run(&list, "base/unicode");
}
