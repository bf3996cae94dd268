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

/* Longer than what is read at once: at the block's end, within, just behind. */
static void a_long_line_that_is_torn_is_cut(void **state)
{
    (void)state;
    const char *path = in_directory("long");
    for (size_t torn = 4094; torn < 8195; torn += torn == 4098 ? 4092 : 1) {
        char *bytes = memset(mt_xmalloc(torn + 4), 'x', torn + 4);
        bytes[3] = '\n';
        assert_int_equal(os_write_file(path, mt_str_from(bytes, torn + 4), 0600),
                         MT_OK);
        assert_int_equal(os_append_line(path, MT_STR("new\n")), MT_OK);
        assert_content(path, "xxx\nnew\n");
        bytes[3] = 'x'; /* no whole line before it */
        assert_int_equal(os_write_file(path, mt_str_from(bytes, torn), 0600), MT_OK);
        assert_int_equal(os_append_line(path, MT_STR("new\n")), MT_OK);
        assert_content(path, "new\n");
        free(bytes);
    }
    unlink(path);
}

/* A pipe says no size, so it is found out by reading. */
static void what_is_read_may_have_as_many_bytes_as_are_allowed(void **state)
{
    static const size_t SIZES[] = {0, 1, 4095, 4096, 4097, 8192, 8193, 20000};
    (void)state;
    const char *path = in_directory("f");
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        char *bytes = memset(mt_xmalloc(SIZES[i] + 1), 'x', SIZES[i] + 1);
        mt_str all = mt_str_from(bytes, SIZES[i]), text;
        assert_int_equal(os_write_file(path, all, 0600), MT_OK);
        for (size_t more = 0; more < 2; more++) {
            assert_int_equal(os_read_file(&arena, path, SIZES[i] + more, &text), MT_OK);
            assert_text(text, all);
            assert_int_equal(text.ptr[text.len], '\0');
            int ends[2];
            assert_int_equal(pipe(ends), 0);
            assert_int_equal(os_write_all(ends[1], all), MT_OK);
            close(ends[1]);
            assert_int_equal(os_read_open(&arena, ends[0], SIZES[i] + more, &text),
                             MT_OK);
            close(ends[0]);
            assert_text(text, all);
            assert_int_equal(text.ptr[text.len], '\0');
        }
        if (SIZES[i]) {
            assert_int_equal(os_read_ready(&arena, path, SIZES[i] - 1, &text),
                             MT_E_LIMIT);
            assert_int_equal(errno, 0);
        }
        free(bytes);
    }
    mt_str text;
    assert_int_equal(os_read_file(&arena, in_directory("f/x"), 9, &text),
                     MT_E_NOTFOUND);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(os_read_ready(&arena, in_directory("g"), 9, &text), MT_E_NOTFOUND);
    assert_int_equal(os_read_file(&arena, directory, 9, &text), MT_E_IO);
    assert_int_equal(errno, EISDIR);
    unlink(path);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    (void)state;
    os_new_file f;
    char path[sizeof f.temp + 1];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(os_new_file_begin(&f, path, 0600), MT_E_IO);
    assert_int_equal(errno, ENAMETOOLONG);
    assert_int_equal(os_new_file_end(&f, MT_E_IO, true), MT_E_IO);
}

static void what_is_free_is_asked_of_a_directory(void **state)
{
    uint64_t bytes = 1;
    (void)state;
    assert_int_equal(os_disk_free(in_directory("none"), &bytes), MT_E_IO);
    assert_int_equal(bytes, 1);
    assert_int_equal(os_disk_free("/", &bytes), MT_OK);
    assert_true(bytes > 4096);
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
    rows_test(&list, a_long_line_that_is_torn_is_cut);
    rows_test(&list, what_is_read_may_have_as_many_bytes_as_are_allowed);
    rows_test(&list, a_path_that_is_too_long_is_refused);
    rows_test(&list, what_is_free_is_asked_of_a_directory);
    rows_test(&list, a_name_lasts_when_its_directory_does);
    return _cmocka_run_group_tests("os/file", list.tests, list.count, make_directory,
                                   remove_directory);
}
