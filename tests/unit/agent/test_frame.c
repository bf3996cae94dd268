/* Lines: however the bytes are split, the same lines come out, within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agent/frame.h"

/* Everything a framer says about `input` fed in pieces of `step` bytes (the first of
 * `first` bytes), as text: each line in brackets, "!" for one that is too long. */
static void collect(mt_buf *out, ag_framer *f, ag_frame_kind kind, mt_str line)
{
    if (kind == AG_FRAME_TOO_LONG) {
        mt_buf_addc(out, '!');
    } else if (kind == AG_FRAME_LINE) {
        mt_buf_addc(out, '[');
        mt_buf_adds(out, line);
        mt_buf_addc(out, ']');
    }
    MT_ASSERT(f->carry.len <= f->limit);
}

static void run(mt_buf *out, mt_str input, size_t limit, size_t first, size_t step)
{
    ag_framer f = {.limit = limit};
    mt_str line;
    ag_frame_kind kind;
    for (size_t at = 0, n = first; at < input.len; at += n, n = step) {
        n = n < input.len - at ? n : input.len - at;
        /* An exact copy, so a read past the piece is seen. */
        char *piece = mt_xmalloc(n ? n : 1);
        memcpy(piece, input.ptr + at, n);
        ag_framer_feed(&f, mt_str_from(piece, n));
        while ((kind = ag_framer_next(&f, &line)) != AG_FRAME_MORE) {
            collect(out, &f, kind, line);
        }
        free(piece);
    }
    collect(out, &f, ag_framer_end(&f, &line), line);
    ag_framer_free(&f);
}

static const struct row {
    const char *name;
    mt_str input;
    size_t limit;
    const char *want;
} ROWS[] = {
    {"one line", MT_STR_INIT("abc\n"), 16, "[abc]"},
    {"empty lines are lines", MT_STR_INIT("\n\na\n"), 16, "[][][a]"},
    {"a carriage return before the newline goes", MT_STR_INIT("a\r\n\r\nb\rc\n"), 16,
     "[a][][b\rc]"},
    {"a last line without newline counts", MT_STR_INIT("a\nbc"), 16, "[a][bc]"},
    {"a line of exactly the limit passes", MT_STR_INIT("abcd\nef\n"), 4, "[abcd][ef]"},
    {"a longer line is skipped to its newline", MT_STR_INIT("abcde\nfg\n"), 4, "![fg]"},
    {"a long line is reported once", MT_STR_INIT("abcdefghijklmnop\nq\nabcdefgh\n"), 4,
     "![q]!"},
    {"a long line without newline ends quietly", MT_STR_INIT("ab\nabcdefghijkl"), 4,
     "[ab]!"},
    {"bytes above 127 are carried as they are", MT_STR_INIT("\xff\xc3\n\xa9\n"), 16,
     "[\xff\xc3][\xa9]"},
};

static void splits_anywhere(void **state)
{
    const struct row *r = *state;
    for (size_t step = 1; step <= r->input.len; step++) {
        for (size_t first = 1; first <= r->input.len; first++) {
            mt_buf out = {0};
            run(&out, r->input, r->limit, first, step);
            mt_buf_addc(&out, 0);
            assert_string_equal(out.ptr, r->want);
            mt_buf_free(&out);
        }
    }
}

static void megabytes_without_newline_hold_only_the_limit(void **state)
{
    (void)state;
    enum { PIECE = 65536, PIECES = 64 };
    ag_framer f = {.limit = 100000};
    char *piece = mt_xmalloc(PIECE);
    memset(piece, 'x', PIECE);
    mt_str line;
    int reports = 0;
    for (int i = 0; i < PIECES; i++) {
        ag_framer_feed(&f, mt_str_from(piece, PIECE));
        for (ag_frame_kind k; (k = ag_framer_next(&f, &line)) != AG_FRAME_MORE;) {
            assert_int_equal(k, AG_FRAME_TOO_LONG);
            reports++;
        }
        assert_true(f.carry.cap <= 2 * 100000 + PIECE);
    }
    assert_int_equal(reports, 1);
    ag_framer_feed(&f, MT_STR("\nnext\n"));
    assert_int_equal(ag_framer_next(&f, &line), AG_FRAME_LINE);
    assert_true(mt_str_is(line, "next"));
    assert_int_equal(ag_framer_next(&f, &line), AG_FRAME_MORE);
    free(piece);
    ag_framer_free(&f);
}

static void wraps_a_line_for_the_others(void **state)
{
    (void)state;
    mt_buf out = {0};
    ag_frame_relay(&out, MT_STR("127.0.0.1:5"),
                   MT_STR("{\"a\": \"\\n\"}\t\x01\x7f \xc3\xa9"));
    mt_buf_addc(&out, 0);
    assert_string_equal(
        out.ptr, "{\"content\":\"{\\\"a\\\": \\\"\\\\n\\\"}\\t\\u0001\x7f \xc3\xa9"
                 "\",\"remote_addr\":\"127.0.0.1:5\"}\n");
    mt_buf_free(&out);
}

/* The word-at-a-time scan must find what a byte-at-a-time one finds. */
static void escapes_every_byte_at_every_place(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        for (size_t place = 0; place < 20; place++) {
            char line[20];
            memset(line, 'a', sizeof line);
            line[place] = (char)c;
            mt_buf out = {0};
            ag_frame_relay(&out, MT_STR(""), mt_str_from(line, sizeof line));
            size_t extra = c == '"' || c == '\\' ? 1 : c >= 0x20 ? 0 : 5;
            extra = c && strchr("\b\f\n\r\t", (int)c) ? 1 : extra;
            assert_int_equal(out.len,
                             strlen("{\"content\":\"\",\"remote_addr\":\"\"}\n") +
                                 sizeof line + extra);
            assert_memory_equal(out.ptr + 12, line, place);
            assert_true(extra == 0 || out.ptr[12 + place] == '\\');
            mt_buf_free(&out);
        }
    }
}

int main(void)
{
    enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };
    struct CMUnitTest tests[ROW_COUNT + 3] = {
        cmocka_unit_test(megabytes_without_newline_hold_only_the_limit),
        cmocka_unit_test(wraps_a_line_for_the_others),
        cmocka_unit_test(escapes_every_byte_at_every_place),
    };
    for (size_t i = 0; i < ROW_COUNT; i++) {
        tests[3 + i] = (struct CMUnitTest){ROWS[i].name, splits_anywhere, NULL, NULL,
                                           (void *)(uintptr_t)&ROWS[i]};
    }
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
