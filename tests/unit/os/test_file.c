/* New files are whole or not there. */
#include "../rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"

static char directory[64];
static mt_arena arena;

static const char *in_directory(const char *name)
{
    return mt_strf(&arena, "%s/%s", directory, name).ptr;
}

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/motet-file-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

/* Fails when something is left beside the files the test removed. */
static int remove_directory(void **state)
{
    (void)state;
    mt_arena_free(&arena);
    return rmdir(directory);
}

static mt_err write_pieces(const char *path, size_t piece, size_t count, mt_err outcome,
                           bool replace)
{
    os_new_file f;
    mt_buf bytes = {0};
    for (size_t i = 0; i < piece; i++) {
        mt_buf_addc(&bytes, (char)('a' + i % 26));
    }
    mt_err err = os_new_file_begin(&f, path, 0640);
    for (size_t i = 0; i < count && !err; i++) {
        err = os_new_file_add(&f, mt_buf_str(&bytes));
    }
    mt_buf_free(&bytes);
    return os_new_file_end(&f, err ? err : outcome, replace);
}

static const struct row {
    const char *name;
    size_t piece, count;
} ROWS[] = {
    {"nothing at all is an empty file", 1, 0},
    {"small pieces are put together", 7, 100000},
    {"a piece may be larger than what is kept waiting", 300000, 1},
    {"small and large pieces keep their order", 100000, 5},
};

static void pieces_make_one_file(void **state)
{
    const struct row *r = *state;
    const char *path = in_directory("a");
    mt_str text;
    struct stat st;
    assert_int_equal(MT_OK, write_pieces(path, r->piece, r->count, MT_OK, true));
    assert_int_equal(MT_OK, os_read_file(&arena, path, 1 << 24, &text));
    assert_int_equal(text.len, r->piece * r->count);
    for (size_t i = 0; i < text.len; i++) {
        assert_int_equal(text.ptr[i], 'a' + i % r->piece % 26);
    }
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(unlink(path), 0);
}

static void what_fails_leaves_the_old_file(void **state)
{
    (void)state;
    const char *path = in_directory("a");
    mt_str text;
    assert_int_equal(MT_OK, os_write_file(path, MT_STR("old"), 0600));
    assert_int_equal(write_pieces(path, 300000, 2, MT_E_CORRUPT, true), MT_E_CORRUPT);
    assert_int_equal(write_pieces(path, 5, 2, MT_OK, false), MT_E_IO);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(MT_OK, os_read_file(&arena, path, 100, &text));
    assert_text(text, MT_STR("old"));
    assert_int_equal(MT_OK, write_pieces(path, 5, 2, MT_OK, true));
    assert_int_equal(MT_OK, os_read_file(&arena, path, 100, &text));
    assert_text(text, MT_STR("abcdeabcde"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(MT_OK, write_pieces(path, 5, 1, MT_OK, false));
    assert_int_equal(unlink(path), 0);
}

static void a_file_in_no_directory_is_not_found(void **state)
{
    (void)state;
    assert_int_equal(os_write_file(in_directory("none/a"), MT_STR("x"), 0600),
                     MT_E_NOTFOUND);
    assert_int_equal(errno, ENOENT);
}

static void assert_content(const char *path, const char *want)
{
    mt_str text;
    assert_int_equal(os_read_file(&arena, path, 1 << 20, &text), MT_OK);
    assert_string_equal(mt_str_dup(&arena, text).ptr, want);
}

/* Torn at every byte of a line: what was whole stays, the rest goes. */
static void a_line_is_appended_to_whole_lines(void **state)
{
    (void)state;
    const char *path = in_directory("lines");
    static const char LINES[] = "one\ntwo\n";
    for (size_t len = 0; len < sizeof LINES; len++) {
        assert_int_equal(os_write_file(path, mt_str_from(LINES, len), 0600), MT_OK);
        assert_int_equal(os_append_line(path, MT_STR("new\n")), MT_OK);
        assert_content(path, len < 4   ? "new\n"
                             : len < 8 ? "one\nnew\n"
                                       : "one\ntwo\nnew\n");
    }
    unlink(path);
    assert_int_equal(os_append_line(path, MT_STR("first\n")), MT_OK);
    assert_content(path, "first\n");
    unlink(path);
    assert_int_equal(os_append_line(in_directory("no/lines"), MT_STR("x\n")), MT_E_IO);
    assert_int_equal(errno, ENOENT);
}

/* ---- What is told to last ---- */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
static struct stat synced; /* the last that was told to */

int __wrap_fsync(int fd)
{
    return fstat(fd, &synced) ? -1 : __real_fsync(fd);
}

static void is_synced(const char *path, const char *parent)
{
    struct stat want;
    assert_int_equal(stat(parent, &want), 0);
    synced = (struct stat){0};
    os_sync_name(path);
    assert_true(S_ISDIR(synced.st_mode));
    assert_true(synced.st_ino == want.st_ino && synced.st_dev == want.st_dev);
}

static void a_name_lasts_when_its_directory_does(void **state)
{
    (void)state;
    is_synced(in_directory("a"), directory);
    is_synced(mt_strf(&arena, "%s//a", directory).ptr, directory);
    is_synced("/a", "/");
    is_synced("a", ".");
    synced = (struct stat){0};
    os_sync_name(in_directory("none/a"));
    assert_int_equal(synced.st_ino, 0);
}

int main(void)
{
    rows_list list = {.count = 0};
    rows_add(&list, ROWS, pieces_make_one_file);
    rows_test(&list, what_fails_leaves_the_old_file);
    rows_test(&list, a_line_is_appended_to_whole_lines);
    rows_test(&list, a_file_in_no_directory_is_not_found);
    rows_test(&list, a_name_lasts_when_its_directory_does);
    return _cmocka_run_group_tests("os/file", list.tests, list.count, make_directory,
                                   remove_directory);
}
