/* UTF-8 is checked strictly, and what is written reads back. */
#include "../rows.h"

#include "base/html.h"
#include "base/utf8.h"

static const struct row {
    const char *name, *text;
    size_t bad; /* offset of the first bad byte, SIZE_MAX: none */
} ROWS[] = {
    {"accepts nothing", "", SIZE_MAX},
    {"accepts ASCII of any length", "0123456789abcdef0123456789", SIZE_MAX},
    {"accepts two bytes", "\xC2\x80\xDF\xBF", SIZE_MAX},
    {"accepts three bytes", "\xE0\xA0\x80\xED\x9F\xBF\xEF\xBF\xBF", SIZE_MAX},
    {"accepts four bytes", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", SIZE_MAX},
    {"refuses a lone continuation", "a\x80", 1},
    {"refuses an overlong slash", "\xC0\xAF", 0},
    {"refuses an overlong two-byte form", "\xC1\xBF", 0},
    {"refuses an overlong three-byte form", "\xE0\x9F\xBF", 0},
    {"refuses an overlong four-byte form", "\xF0\x8F\xBF\xBF", 0},
    {"refuses a surrogate", "ab\xED\xA0\x80", 2},
    {"refuses what is above the last character", "\xF4\x90\x80\x80", 0},
    {"refuses a lead byte that never occurs", "\xF5\x80\x80\x80", 0},
    {"refuses FF", "12345678\xFF", 8},
    {"refuses a cut sequence", "x\xE2\x82", 1},
    {"refuses a broken sequence", "\xE2\x28\xA1", 0},
    {"finds the bad byte behind a clean block", "0123456701234567012\xFE", 19},
};

static void checks(void **state)
{
    const struct row *r = *state;
    mt_str text = fenced(mt_str_z(r->text));
    assert_int_equal(mt_utf8_check(text), r->bad == SIZE_MAX ? text.len : r->bad);
    fenced_free(text);
}

static const struct cut_row {
    const char *name, *text;
    size_t most, want;
} CUTS[] = {
    {"nothing has nothing", "", 0, 0},
    {"no room has nothing", "a", 0, 0},
    {"what fits stays", "abc", 3, 3},
    {"what fits in more stays", "abc", 9, 3},
    {"ASCII is cut anywhere", "abc", 2, 2},
    {"two bytes that fit stay", "a\xC2\x80z", 3, 3},
    {"two bytes are one", "a\xC2\x80", 2, 1},
    {"three bytes are one, cut behind the first", "\xE0\xA0\x80", 1, 0},
    {"three bytes are one, cut behind the second", "\xE0\xA0\x80", 2, 0},
    {"four bytes are one", "ab\xF0\x90\x80\x80", 5, 2},
};

static void is_cut(void **state)
{
    const struct cut_row *r = *state;
    mt_str text = fenced(mt_str_z(r->text)), cut = mt_utf8_cut(text, r->most);
    assert_ptr_equal(cut.ptr, text.ptr);
    assert_int_equal(cut.len, r->want);
    fenced_free(text);
}

static void every_character_survives(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c <= 0xDFFF) {
            continue;
        }
        char bytes[4];
        size_t len = mt_utf8_encode(c, bytes), read;
        if (mt_utf8_check(mt_str_from(bytes, len)) != len ||
            mt_utf8_decode(bytes, &read) != c || read != len ||
            mt_utf8_sequence(bytes, len) != len ||
            mt_utf8_count(mt_str_from(bytes, len)) != 1) {
            fail_msg("U+%04X", c);
        }
    }
}

/* Whatever is looked at together: one character at every place of a text of every
 * length, good and broken. */
static void the_bad_byte_is_found_at_every_place(void **state)
{
    (void)state;
    enum { MOST = 150 };
    char bytes[MOST];
    for (size_t len = 2; len <= MOST; len++) {
        mt_str text = fenced(mt_str_from(memset(bytes, 'x', len), len));
        char *at = (char *)(uintptr_t)text.ptr;
        for (size_t i = 0; i + 2 <= len; i++) {
            memcpy(at + i, "\xC3\xA9", 2);
            assert_int_equal(mt_utf8_check(text), len);
            at[i + 1] = 'x';
            assert_int_equal(mt_utf8_check(text), i);
            at[i] = 'x';
        }
        fenced_free(text);
    }
}

static void characters_are_counted_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(mt_utf8_count(MT_STR("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")), 4);
}

/* What turns the direction of text, and what is not seen, is shown; the rest stays. */
static const struct shown {
    const char *name, *text, *page; /* page NULL: as `seen` */
    const char *seen;
} SHOWN[] = {
    {"plain text", "a\xC3\xA9\xE2\x82\xAC", NULL, "a\xC3\xA9\xE2\x82\xAC"},
    {"an escape", "\x1b[31m", NULL, "\\u001b[31m"},
    {"C1 and DEL", "\x7f\xC2\x9b", NULL, "\\u007f\\u009b"},
    {"what has no width", "a\xE2\x80\x8B\xC2\xADz\xE2\x81\xA0", NULL,
     "a\\u200b\\u00adz\\u2060"},
    {"embeddings", "\xE2\x80\xAA\xE2\x80\xAE", NULL, "\\u202a\\u202e"},
    {"isolates", "\xE2\x81\xA6\xE2\x81\xA9", NULL, "\\u2066\\u2069"},
    {"marks", "\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C", NULL, "\\u200e\\u200f\\u061c"},
    {"their neighbours", "\xE2\x80\x8D\xE2\x80\x90\xD8\x9B\xD8\x9D\xE2\x80\xAF", NULL,
     "\xE2\x80\x8D\xE2\x80\x90\xD8\x9B\xD8\x9D\xE2\x80\xAF"},
    {"what is no character", "a\xFFz", NULL, "a\\ufffdz"},
    {"lines and tabs", "a\n\tz", "a\n\tz", "a\\u000a\\u0009z"},
    {"what a page obeys", "<a b='c' d=\"e\">&",
     "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;", "<a b='c' d=\"e\">&"},
};

static void is_shown(void **state)
{
    const struct shown *r = *state;
    mt_str text = fenced(mt_str_z(r->text));
    mt_buf seen = {0}, page = {0};
    for (mt_str rest = text; rest.len;) {
        rest = mt_str_skip(rest, mt_utf8_show(&seen, rest));
    }
    mt_html_text(&page, text);
    assert_text(mt_buf_str(&seen), mt_str_z(r->seen));
    assert_text(mt_buf_str(&page), mt_str_z(r->page ? r->page : r->seen));
    mt_buf_free(&seen);
    mt_buf_free(&page);
    fenced_free(text);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, SHOWN, is_shown);
    rows_add(&list, ROWS, checks);
    rows_add(&list, CUTS, is_cut);
    rows_test(&list, every_character_survives);
    rows_test(&list, the_bad_byte_is_found_at_every_place);
    rows_test(&list, characters_are_counted_not_bytes);
    return rows_run(&list, "base/utf8");
}
