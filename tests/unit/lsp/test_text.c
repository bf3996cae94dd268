/* Places as editors count them: lines, units, both ways. */
#include "lsp/text.h"

#include "../rows.h"

typedef struct place_row {
    const char *name, *text;
    ls_units units;
    ls_position at;
    size_t offset;
    ls_position back; /* of that offset */
} place_row;

static const place_row PLACES[] = {
    {"the beginning", "ab", LS_UTF16, {0, 0}, 0, {0, 0}},
    {"an empty text", "", LS_UTF16, {0, 0}, 0, {0, 0}},
    {"behind the last line", "ab\ncd", LS_UTF16, {9, 9}, 5, {1, 2}},
    {"behind the end of a line", "ab\ncd", LS_UTF16, {0, 9}, 2, {0, 2}},
    {"before \\r\\n, not between", "ab\r\ncd", LS_UTF16, {0, 3}, 2, {0, 2}},
    {"a line after \\r\\n", "ab\r\ncd", LS_UTF16, {1, 1}, 5, {1, 1}},
    {"a line after \\r", "ab\rcd", LS_UTF16, {1, 1}, 4, {1, 1}},
    {"an empty last line", "ab\n", LS_UTF16, {1, 0}, 3, {1, 0}},
    {"two bytes, one unit of UTF-16", "\xc3\xa9x", LS_UTF16, {0, 1}, 2, {0, 1}},
    {"two bytes are two of UTF-8", "\xc3\xa9x", LS_UTF8, {0, 2}, 2, {0, 2}},
    {"inside a character of UTF-8", "\xc3\xa9x", LS_UTF8, {0, 1}, 0, {0, 0}},
    {"four bytes, two units of UTF-16",
     "\xf0\x9f\x98\x80x",
     LS_UTF16,
     {0, 2},
     4,
     {0, 2}},
    {"inside a pair of UTF-16", "\xf0\x9f\x98\x80x", LS_UTF16, {0, 1}, 0, {0, 0}},
    {"four bytes, one of UTF-32", "\xf0\x9f\x98\x80x", LS_UTF32, {0, 1}, 4, {0, 1}},
    {"three bytes, one of UTF-16", "\xe2\x82\xacx", LS_UTF16, {0, 1}, 3, {0, 1}},
};

static void a_place_leads_there_and_back(void **state)
{
    const place_row *r = *state;
    mt_arena a = {0};
    ls_text t = ls_text_of(&a, mt_str_z(r->text));
    size_t offset = ls_offset(&t, r->at, r->units);
    ls_position back = ls_position_of(&t, offset, r->units);
    assert_int_equal(offset, r->offset);
    assert_int_equal(back.line, r->back.line);
    assert_int_equal(back.unit, r->back.unit);
    mt_arena_free(&a);
}

typedef struct diagnostic_row {
    const char *name, *text;
    uint32_t line, column;
    size_t offset;
} diagnostic_row;

/* Diagnostics end lines with \n alone. */
static const diagnostic_row DIAGNOSTICS[] = {
    {"the whole file", "ab\ncd", 0, 0, 0},
    {"the first character", "ab\ncd", 1, 1, 0},
    {"the second line", "ab\ncd", 2, 2, 4},
    {"behind the end of a line", "ab\ncd", 1, 9, 2},
    {"behind the last line", "ab\ncd", 9, 1, 5},
    {"a lone \\r ends no line", "a\rb\ncd", 2, 1, 4},
    {"columns are characters", "\xc3\xa9\xf0\x9f\x98\x80x", 1, 3, 6},
};

static void the_place_of_a_diagnostic(void **state)
{
    const diagnostic_row *r = *state;
    assert_int_equal(ls_place_offset(mt_str_z(r->text), r->line, r->column), r->offset);
}

int main(void)
{
    static rows_list rows;
    rows_add(&rows, PLACES, a_place_leads_there_and_back);
    rows_add(&rows, DIAGNOSTICS, the_place_of_a_diagnostic);
    return rows_run(&rows, "lsp/text");
}
