/* Unified diffs: some as they are read, and many that are applied again. */
#include "../rows.h"

#include <stdio.h>

#include "cli/diff_text.h"

static const struct row {
    const char *name, *old, *new, *want;
} ROWS[] = {
    {"equal texts have none", "a\nb\n", "a\nb\n", ""},
    {"a changed line has three around it", "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
     "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
     "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n"},
    {"at the beginning there is less", "1\n2\n3\n4\n5\n", "X\n2\n3\n4\n5\n",
     "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-1\n+X\n 2\n 3\n 4\n"},
    {"and at the end", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nX\n",
     "--- f\n+++ f\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+X\n"},
    {"a line is added", "1\n2\n", "1\nX\n2\n",
     "--- f\n+++ f\n@@ -1,2 +1,3 @@\n 1\n+X\n 2\n"},
    {"a line is taken out", "1\nX\n2\n", "1\n2\n",
     "--- f\n+++ f\n@@ -1,3 +1,2 @@\n 1\n-X\n 2\n"},
    {"nothing becomes something", "", "1\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+1\n"},
    {"something becomes nothing", "1\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-1\n"},
    {"a last line end that is missing is said", "1\n2", "1\n2\n",
     "--- f\n+++ f\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n"},
    {"changes that touch share a hunk", "a\n1\n2\n3\n4\n5\n6\nb\n",
     "A\n1\n2\n3\n4\n5\n6\nB\n",
     "--- f\n+++ f\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
    {"those farther apart do not", "a\n1\n2\n3\n4\n5\n6\n7\nb\n",
     "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
     "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n"
     "-b\n+B\n"},
};

static void is_shown(void **state)
{
    const struct row *row = *state;
    mt_buf out = {0};
    cli_diff_text(&out, MT_STR("f"), mt_str_z(row->old), mt_str_z(row->new));
    assert_text(mt_buf_str(&out), mt_str_z(row->want));
    mt_buf_free(&out);
}

static mt_str take_line(mt_str *rest)
{
    size_t len = mt_str_find(*rest, '\n');
    mt_str line = mt_str_from(rest->ptr, len + (len < rest->len));
    *rest = mt_str_skip(*rest, line.len);
    return line;
}

/* What `patch` makes of the old text; every line of the diff must fit it. */
static void apply(mt_buf *out, mt_str old, mt_str diff)
{
    size_t at = 1; /* number of the line of `old` that is next */
    take_line(&diff), take_line(&diff);
    while (diff.len) {
        size_t from, count, to, there;
        mt_str head = take_line(&diff);
        char text[100];
        snprintf(text, sizeof text, "%.*s", MT_ARG(head));
        assert_int_equal(
            sscanf(text, "@@ -%zu,%zu +%zu,%zu @@", &from, &count, &to, &there), 4);
        for (; at < from + !count; at++) {
            mt_buf_adds(out, take_line(&old));
        }
        while (count || there) {
            mt_str line = take_line(&diff);
            char mark = line.ptr[0];
            line = mt_str_skip(line, 1);
            if (diff.len && diff.ptr[0] == '\\') {
                take_line(&diff);
                line.len--;
            }
            assert_true(mark == ' ' || mark == '-' || mark == '+');
            if (mark != '+') {
                assert_text(take_line(&old), line);
                assert_true(count > 0);
                count--, at++;
            }
            if (mark != '-') {
                mt_buf_adds(out, line);
                assert_true(there > 0);
                there--;
            }
        }
    }
    mt_buf_adds(out, old);
}

static void add_words(mt_buf *out, dice *d, size_t lines)
{
    for (size_t i = 0; i < lines; i++) {
        mt_buf_addf(out, "%zu\n", dice_below(d, 6));
    }
}

/* Texts of few different lines: many ways to match, and the diff is always right. */
static void a_diff_makes_the_new_text_of_the_old(void **state)
{
    (void)state;
    dice d = dice_from_environment();
    for (size_t i = 0; i < soak_or(100000, 2000); i++) {
        mt_buf old = {0}, new = {0}, diff = {0}, again = {0};
        add_words(&old, &d, dice_below(&d, 20));
        for (mt_str rest = mt_buf_str(&old); rest.len;) {
            mt_str line = take_line(&rest);
            if (dice_below(&d, 5)) {
                mt_buf_adds(&new, line);
            } else {
                add_words(&new, &d, dice_below(&d, 3));
            }
        }
        new.len -= new.len && !dice_below(&d, 8); /* without its last line end */
        cli_diff_text(&diff, MT_STR("f"), mt_buf_str(&old), mt_buf_str(&new));
        assert_int_equal(diff.len > 0, !mt_str_eq(mt_buf_str(&old), mt_buf_str(&new)));
        apply(&again, mt_buf_str(&old), mt_buf_str(&diff));
        assert_text(mt_buf_str(&again), mt_buf_str(&new));
        mt_buf_free(&old), mt_buf_free(&new), mt_buf_free(&diff), mt_buf_free(&again);
    }
}

/* Where nothing alike is near, the rest is all of it. */
static void lines_far_apart_are_not_matched(void **state)
{
    (void)state;
    for (size_t many = 200; many <= 201; many++) {
        mt_buf new = {0}, diff = {0}, again = {0};
        for (size_t i = 0; i < many; i++) {
            mt_buf_addz(&new, "x\n");
        }
        mt_buf_addz(&new, "a\nb\n");
        cli_diff_text(&diff, MT_STR("f"), MT_STR("a\nb\n"), mt_buf_str(&new));
        mt_str head = mt_str_skip(mt_buf_str(&diff), strlen("--- f\n+++ f\n"));
        assert_text(take_line(&head), many == 200 ? MT_STR("@@ -1,2 +1,202 @@\n")
                                                  : MT_STR("@@ -1,2 +1,203 @@\n"));
        assert_int_equal(head.ptr[0], many == 200 ? '+' : '-');
        apply(&again, MT_STR("a\nb\n"), mt_buf_str(&diff));
        assert_text(mt_buf_str(&again), mt_buf_str(&new));
        mt_buf_free(&new), mt_buf_free(&diff), mt_buf_free(&again);
    }
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, is_shown);
    rows_test(&list, a_diff_makes_the_new_text_of_the_old);
    rows_test(&list, lines_far_apart_are_not_matched);
    return rows_run(&list, "cli/diff_text");
}
