/* Diagnostics for people: places, carets, long lines, and what a terminal must not see.
 */
#include "said.h"

#include "cli/document.h"
#include "cli/show.h"

#define TEN(x) x x x x x x x x x x

typedef struct row {
    const char *name;
    mt_diag diag;
    const char *source, *want;
} row;

#define AT(line_, column_, length_)                                                    \
    {                                                                                  \
        .code = "T1", .message = MT_STR_INIT("m"), .file = MT_STR_INIT("a.tenor"),     \
        .line = line_, .column = column_, .length = length_                            \
    }
#define HEAD(place) "error[T1]: m\n  --> a.tenor" place "\n"

/* clang-format off */
static const row ROWS[] = {
    {"a place with its caret", AT(1, 3, 2), "abcdef\n",
     HEAD(":1:3") "   |\n 1 | abcdef\n   |   ^^\n\n"},
    {"a length of nothing is one caret", AT(1, 3, 0), "abcdef\n",
     HEAD(":1:3") "   |\n 1 | abcdef\n   |   ^\n\n"},
    {"the last character", AT(1, 6, 1), "abcdef\n",
     HEAD(":1:6") "   |\n 1 | abcdef\n   |      ^\n\n"},
    {"behind the last character", AT(1, 7, 5), "abcdef\n",
     HEAD(":1:7") "   |\n 1 | abcdef\n   |       ^\n\n"},
    {"carets end with the line", AT(1, 5, 9), "abcdef\n",
     HEAD(":1:5") "   |\n 1 | abcdef\n   |     ^^\n\n"},
    {"a line without a column", AT(1, 0, 0), "abcdef\n",
     HEAD(":1") "   |\n 1 | abcdef\n\n"},
    {"no line at all", AT(0, 3, 1), "abcdef\n", HEAD("") "\n"},
    {"the second line", AT(2, 1, 1), "ab\ncd\n",
     HEAD(":2:1") "   |\n 2 | cd\n   | ^\n\n"},
    {"a last line without its end", AT(2, 1, 1), "ab\ncd",
     HEAD(":2:1") "   |\n 2 | cd\n   | ^\n\n"},
    {"an empty line behind the last end", AT(3, 1, 1), "ab\ncd\n",
     HEAD(":3:1") "   |\n 3 | \n   | ^\n\n"},
    {"a line that is not there", AT(4, 1, 1), "ab\ncd\n", HEAD(":4:1") "\n"},
    {"a line that ends as elsewhere", AT(1, 1, 9), "ab\r\ncd\r\n",
     HEAD(":1:1") "   |\n 1 | ab\n   | ^^\n\n"},
    {"a tab is a space", AT(1, 2, 1), "\tb\n",
     HEAD(":1:2") "   |\n 1 |  b\n   |  ^\n\n"},
    {"control characters are replaced", AT(1, 1, 1), "\x1b[\x7f\x1f\x20\n",
     HEAD(":1:1") "   |\n 1 | \xEF\xBF\xBD[\xEF\xBF\xBD\xEF\xBF\xBD \n   | ^\n\n"},
    {"so are those of two bytes", AT(1, 1, 1), "\xC2\x9F\xC2\xA0\n",
     HEAD(":1:1") "   |\n 1 | \xEF\xBF\xBD\xC2\xA0\n   | ^\n\n"},
    {"characters of two, three and four bytes", AT(1, 4, 1), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82x\n",
     HEAD(":1:4") "   |\n 1 | \xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82x\n   |    ^\n\n"},
    {"half a character", AT(1, 1, 1), "\xE2\x82\n",
     HEAD(":1:1") "   |\n 1 | \xEF\xBF\xBD\xEF\xBF\xBD\n   | ^\n\n"},
    {"a hundred characters are shown", AT(1, 1, 1), TEN(TEN("x")) "y\n",
     HEAD(":1:1") "   |\n 1 | " TEN(TEN("x")) "\n   | ^\n\n"},
    {"a line is shown from its start up to column 61", AT(1, 61, 1), TEN(TEN("x")) "\n",
     HEAD(":1:61") "   |\n 1 | " TEN(TEN("x")) "\n   | " TEN("      ") "^\n\n"},
    {"and around the place from column 62", AT(1, 62, 1), TEN(TEN("x")) "\n",
     HEAD(":1:62") "   |\n 1 | ..." TEN("xxxxxxx") "xxxxxxxxx\n   |    " TEN("    ") "^\n\n"},
};
/* clang-format on */

static void shows(void **state)
{
    const row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_diags ds = {.arena = &a};
    mt_diag d = r->diag;
    d.severity = MT_ERROR;
    ds.items = &d;
    ds.len = 1;
    cli_source source = {MT_STR("a.tenor"), mt_str_z(r->source)};
    cli_show_text(&out, &ds, (cli_sources){&source, 1}, false);
    assert_text(mt_buf_str(&out), mt_str_z(r->want));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void show(mt_buf *out, mt_diag *items, size_t count, size_t errors,
                 size_t warnings)
{
    static const cli_source SOURCES[] = {
        {MT_STR_INIT("dir/a.tenor"), MT_STR_INIT("one\ntwo\nthree\n")},
        {MT_STR_INIT("b.tenor"), MT_STR_INIT("vier\n")}};
    mt_diags ds = {
        .items = items, .len = count, .errors = errors, .warnings = warnings};
    mt_buf_clear(out);
    cli_show_text(out, &ds, (cli_sources){SOURCES, 2}, false);
    mt_buf_addc(out, '\0');
}

/* Back and forth between lines and files; a file is known by the end of its path. */
static void lines_are_found_in_any_order(void **state)
{
    (void)state;
    mt_buf out = {0};
    mt_diag ds[] = {AT(3, 1, 1), AT(1, 1, 1), AT(1, 1, 1), AT(2, 1, 1), AT(1, 1, 1)};
    ds[2].file = MT_STR("b.tenor");
    ds[4].file = MT_STR("c.tenor");
    show(&out, ds, 5, 5, 0);
    const char *at = out.ptr;
    static const char *const LINES[] = {"3 | three", "1 | one", "1 | vier", "2 | two"};
    for (size_t i = 0; i < 4; i++) {
        at = strstr(at, LINES[i]);
        assert_non_null(at);
    }
    assert_non_null(strstr(at, "--> c.tenor:1:1\n\n5 errors\n"));
    mt_buf_free(&out);
}

static void what_is_left_out_is_counted(void **state)
{
    (void)state;
    mt_buf out = {0};
    mt_diag ds[] = {AT(1, 1, 1), AT(1, 1, 1)};
    ds[1].severity = MT_NOTE;
    show(&out, ds, 2, 1, 0);
    assert_non_null(strstr(out.ptr, "\n1 error\n"));
    show(&out, ds, 2, 2, 0);
    assert_non_null(strstr(out.ptr, "\n2 errors (the first 1 are shown; "));
    show(&out, ds, 1, 1, 1);
    assert_non_null(strstr(out.ptr, "\n1 error, 1 warning (the first 1 "));
    show(&out, ds, 2, 0, 2);
    assert_non_null(strstr(out.ptr, "\n2 warnings (the first 1 "));
    show(&out, ds + 1, 1, 0, 0);
    assert_null(strstr(out.ptr, "shown"));
    mt_buf_free(&out);
}

static void a_hint_a_code_and_a_file_are_shown_where_they_are(void **state)
{
    (void)state;
    mt_buf out = {0};
    mt_diag d = {.message = MT_STR("m"), .hint = MT_STR("do\tthis")};
    show(&out, &d, 1, 1, 0);
    assert_string_equal(out.ptr, "error: m\n   = hint: do this\n\n1 error\n");
    d = (mt_diag){.code = "", .message = MT_STR("m"), .severity = MT_WARNING};
    show(&out, &d, 1, 0, 1);
    assert_string_equal(out.ptr, "warning: m\n\n1 warning\n");
    mt_buf_free(&out);
}

static void a_long_message_is_cut(void **state)
{
    (void)state;
    char text[2002];
    memset(text, 'x', sizeof text);
    for (size_t len = 1999; len <= 2001; len++) {
        mt_buf out = {0};
        mt_diag d = {.message = mt_str_from(text, len)};
        show(&out, &d, 1, 1, 0);
        assert_int_equal(strstr(out.ptr, "...") != NULL, len >= 2000);
        mt_buf_free(&out);
    }
}

static void colours_are_put_around_and_taken_away(void **state)
{
    (void)state;
    mt_buf out = {0};
    mt_diag d = AT(1, 1, 1);
    mt_diags ds = {.items = &d, .len = 1};
    cli_source source = {MT_STR("a.tenor"), MT_STR("x\n")};
    cli_show_text(&out, &ds, (cli_sources){&source, 1}, true);
    assert_text(mt_buf_str(&out), MT_STR("\033[1;31merror[T1]\033[0m\033[1m: m\033[0m\n"
                                         "\033[34m  -->\033[0m a.tenor:1:1\n"
                                         "\033[34m   |\033[0m\n\033[34m 1 |\033[0m x\n"
                                         "\033[34m   |\033[0m \033[1;31m^\033[0m\n\n"));
    mt_buf_free(&out);
}

/* Of however many documents a fault is about, the line of the right one is shown. */
static void a_fault_of_the_sixth_document_is_shown_with_its_line(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    cli_document documents[COUNT];
    for (int i = 0; i < COUNT; i++) {
        documents[i] = (cli_document){.name = mt_strf(&a, "%d.yaml", i + 1),
                                      .text = mt_strf(&a, "line of %d\n", i + 1)};
    }
    mt_diag_add(&ds, &(mt_diag){.code = "AG1",
                                .file = MT_STR("6.yaml"),
                                .line = 1,
                                .column = 1,
                                .message = MT_STR("m")});
    said_begin();
    int code = cli_show_faults(&ds, documents, COUNT);
    const char *said = said_end();
    assert_int_equal(code, CLI_FAILS);
    assert_non_null(strstr(said, " 1 | line of 6\n"));
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, shows);
    rows_test(&list, lines_are_found_in_any_order);
    rows_test(&list, what_is_left_out_is_counted);
    rows_test(&list, a_hint_a_code_and_a_file_are_shown_where_they_are);
    rows_test(&list, a_long_message_is_cut);
    rows_test(&list, colours_are_put_around_and_taken_away);
    rows_test(&list, a_fault_of_the_sixth_document_is_shown_with_its_line);
    return rows_run(&list, "cli/show_text");
}
