/* Files below a folder: which names lead there, and what is written is whole. */
#include "../rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/file.h"
#include "os/folder.h"

static char directory[64];
static mt_arena arena;
static os_folder folder;

static const char *in_directory(const char *name)
{
    return mt_strf(&arena, "%s/%s", directory, name).ptr;
}

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/motet-folder-XXXXXX");
    return mkdtemp(directory) && !os_folder_open(&arena, directory, &folder) ? 0 : -1;
}

/* Fails when something is left beside the files the test removed. */
static int remove_directory(void **state)
{
    (void)state;
    os_folder_close(&folder);
    int code = rmdir(directory);
    mt_arena_free(&arena);
    return code;
}

static const struct row {
    const char *name, *path, *fault; /* NULL: none */
} ROWS[] = {
    {"a name", "a.tenor", NULL},
    {"a name in a folder", "a/b.tenor", NULL},
    {"spaces and letters of all languages", "ä ö/名.tenor", NULL},
    {"no name", "", "is not a name of 1 to 512 bytes"},
    {"a root", "/etc/passwd", "begins with a slash: names are relative to the folder"},
    {"upwards", "../a.tenor", "has a part that is empty or begins with a dot"},
    {"upwards inside", "a/../../b.tenor",
     "has a part that is empty or begins with a dot"},
    {"here", "./a.tenor", "has a part that is empty or begins with a dot"},
    {"a hidden file", ".a.tenor", "has a part that is empty or begins with a dot"},
    {"a hidden folder", ".git/config.json",
     "has a part that is empty or begins with a dot"},
    {"an empty part", "a//b.tenor", "has a part that is empty or begins with a dot"},
    {"a folder", "a/", "ends with a slash"},
    {"a line's end", "a\nb.tenor", "has characters that are not text"},
    {"half a character", "a\xc3.tenor", "has characters that are not text"},
    {"16 parts", "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16", NULL},
    {"17 parts", "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17",
     "leads through too many folders"},
    {"the last character that is none", "a\x1f.tenor",
     "has characters that are not text"},
    {"the first that is one", "a .tenor", NULL},
    {"what deletes", "a\x7f.tenor", "has characters that are not text"},
};

static void names_are_judged(void **state)
{
    const struct row *r = *state;
    const char *fault = os_folder_name_fault(mt_str_z(r->path));
    assert_string_equal(fault ? fault : "none", r->fault ? r->fault : "none");
}

static void a_name_may_have_512_bytes(void **state)
{
    char text[OS_FOLDER_NAME_BYTES + 1];
    (void)state;
    memset(text, 'a', sizeof text);
    assert_null(os_folder_name_fault(mt_str_from(text, OS_FOLDER_NAME_BYTES)));
    assert_non_null(os_folder_name_fault(mt_str_from(text, sizeof text)));
}

static void a_file_keeps_its_mode_and_is_replaced_whole(void **state)
{
    struct stat st;
    mt_str text;
    (void)state;
    assert_int_equal(os_write_file(in_directory("a.tenor"), MT_STR("old"), 0640),
                     MT_OK);
    /* Its owner as well; only root can try that. */
    bool given = chown(in_directory("a.tenor"), 1, 2) == 0;
    assert_int_equal(
        os_folder_write(&folder, MT_STR("a.tenor"), MT_STR("new text"), false), MT_OK);
    assert_int_equal(os_folder_read(&folder, &arena, MT_STR("a.tenor"), 8, &text),
                     MT_OK);
    assert_true(mt_str_is(text, "new text"));
    assert_int_equal(os_folder_read(&folder, &arena, MT_STR("a.tenor"), 7, &text),
                     MT_E_LIMIT);
    assert_int_equal(stat(in_directory("a.tenor"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(st.st_uid, given ? 1 : geteuid());
    assert_int_equal(st.st_gid, given ? 2 : getegid());
    assert_int_equal(os_folder_write(&folder, MT_STR("a.tenor"), MT_STR("newer"), true),
                     MT_E_EXISTS);
    assert_int_equal(
        os_folder_write(&folder, MT_STR("b.tenor"), MT_STR("newer"), false),
        MT_E_NOTFOUND);
    assert_int_equal(unlink(in_directory("a.tenor")), 0);
}

/* Of a link its own times. */
static void let_age(const char *name, time_t seconds)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {0}};
    times[1] = times[0];
    assert_int_equal(
        utimensat(AT_FDCWD, in_directory(name), times, AT_SYMLINK_NOFOLLOW), 0);
}

static void make_old(const char *name, time_t seconds)
{
    assert_int_equal(os_write_file(in_directory(name), MT_STR("half"), 0600), MT_OK);
    let_age(name, seconds);
}

/* Younger ones may be somebody's who writes just now; other names are not ours. */
static void what_a_killed_write_left_is_removed_by_a_later_one(void **state)
{
    static const struct left {
        const char *name;
        time_t age;
        bool stays;
    } LEFT[] = {{".motet-0123456789abcdef", 660, false},
                {".motet-ffffffffffffffff", 540, true},
                {".motet-0123456789abcde", 660, true},
                {".motet-0123456789abcdef0", 660, true},
                {".motet-0123456789ABCDEF", 660, true},
                {".motet-ask-456789abcdef", 660, true}};
    (void)state;
    for (size_t i = 0; i < sizeof LEFT / sizeof *LEFT; i++) {
        make_old(LEFT[i].name, LEFT[i].age);
    }
    assert_int_equal(symlink("/etc/passwd", in_directory(".motet-1123456789abcdef")),
                     0);
    let_age(".motet-1123456789abcdef", 660);
    /* What belongs to somebody else stays; only root can try that. */
    make_old(".motet-2123456789abcdef", 660);
    bool given = chown(in_directory(".motet-2123456789abcdef"), 1, 1) == 0;
    assert_int_equal(os_folder_write(&folder, MT_STR("a.tenor"), MT_STR("x"), true),
                     MT_OK);
    for (size_t i = 0; i < sizeof LEFT / sizeof *LEFT; i++) {
        assert_int_equal(unlink(in_directory(LEFT[i].name)) == 0, LEFT[i].stays);
    }
    assert_int_equal(unlink(in_directory(".motet-1123456789abcdef")), 0);
    assert_int_equal(unlink(in_directory(".motet-2123456789abcdef")) == 0, given);
    assert_int_equal(unlink(in_directory("a.tenor")), 0);
}

static void links_are_not_followed(void **state)
{
    mt_str text;
    (void)state;
    assert_int_equal(symlink("/etc", in_directory("out")), 0);
    assert_int_equal(symlink("/etc/passwd", in_directory("p.json")), 0);
    assert_int_equal(
        os_folder_read(&folder, &arena, MT_STR("out/passwd"), 1 << 20, &text),
        MT_E_DENIED);
    assert_int_equal(os_folder_read(&folder, &arena, MT_STR("p.json"), 1 << 20, &text),
                     MT_E_DENIED);
    assert_int_equal(os_folder_write(&folder, MT_STR("p.json"), MT_STR("x"), false),
                     MT_E_DENIED);
    assert_int_equal(os_folder_write(&folder, MT_STR("out/x.json"), MT_STR("x"), true),
                     MT_E_DENIED);
    assert_int_equal(unlink(in_directory("out")) + unlink(in_directory("p.json")), 0);
}

/* Nowhere is anything read, looked at or written. */
static void a_name_that_leads_nowhere_is_refused_by_all(void **state)
{
    static char part[300];
    memset(part, 'a', sizeof part - 1);
    static const struct {
        const char *name;
        size_t len;
        mt_err err;
    } NAMES[] = {{"../x.tenor", 10, MT_E_USAGE},
                 {"no/x.tenor", 10, MT_E_NOTFOUND},
                 {"no/y/x.tenor", 12, MT_E_NOTFOUND},
                 {"f.tenor/x", 9, MT_E_DENIED},
                 {part, 256, MT_E_IO}};
    (void)state;
    assert_int_equal(os_write_file(in_directory("f.tenor"), MT_STR("x"), 0600), MT_OK);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        mt_str name = mt_str_from(NAMES[i].name, NAMES[i].len), text;
        os_file_mark mark;
        assert_int_equal(os_folder_read(&folder, &arena, name, 9, &text), NAMES[i].err);
        assert_int_equal(os_folder_look(&folder, name, &mark), NAMES[i].err);
        assert_int_equal(os_folder_write(&folder, name, name, true), NAMES[i].err);
    }
    assert_int_equal(unlink(in_directory("f.tenor")), 0);
    mt_str longest = mt_str_from(part, 255);
    assert_int_equal(os_folder_write(&folder, longest, MT_STR("x"), true), MT_OK);
    part[255] = '\0';
    assert_int_equal(unlink(in_directory(part)), 0);
}

static void only_a_folder_is_opened(void **state)
{
    os_folder other;
    (void)state;
    assert_int_equal(os_folder_open(&arena, in_directory("none"), &other),
                     MT_E_NOTFOUND);
    assert_int_equal(other.fd, -1);
    os_folder_close(&other);
    assert_int_equal(os_write_file(in_directory("file"), MT_STR("x"), 0600), MT_OK);
    assert_int_equal(os_folder_open(&arena, in_directory("file"), &other), MT_E_IO);
    assert_int_equal(other.fd, -1);
    assert_int_equal(unlink(in_directory("file")), 0);
    assert_int_equal(symlink(directory, in_directory("link")), 0);
    assert_int_equal(os_folder_open(&arena, in_directory("link"), &other), MT_OK);
    assert_true(mt_str_eq(other.path, mt_str_z(directory)));
    os_folder_close(&other);
    assert_int_equal(other.fd, -1);
    assert_int_equal(unlink(in_directory("link")), 0);
}

/* Files and links to them, however deep; not what others have installed. */
static void what_is_listed_is_a_file_or_a_link(void **state)
{
    static const char *const SUFFIXES[] = {".tenor", ".json", NULL};
    static const char *const FOLDERS[] = {"in", "in/d.tenor", "in/.hidden",
                                          "node_modules"};
    static const char *const FILES[] = {"in/a.json", "in/.hidden/b.tenor",
                                        "node_modules/c.tenor", "in/d.tenor/e.tenor",
                                        "in/f\x7f.tenor"};
    os_folder_names names;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(mkdir(in_directory(FOLDERS[i]), 0700), 0);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(os_write_file(in_directory(FILES[i]), MT_STR(""), 0600),
                         MT_OK);
    }
    assert_int_equal(mkfifo(in_directory("p.tenor"), 0600), 0);
    assert_int_equal(symlink("nowhere", in_directory("l.tenor")), 0);
    assert_int_equal(os_folder_list(&folder, &arena, SUFFIXES, 3, &names), MT_OK);
    assert_int_equal(names.count, 3);
    assert_false(names.cut);
    assert_true(mt_str_is(names.items[0], "in/a.json"));
    assert_true(mt_str_is(names.items[1], "in/d.tenor/e.tenor"));
    assert_true(mt_str_is(names.items[2], "l.tenor"));
    assert_int_equal(names.odd_count, 1);
    assert_true(mt_str_is(names.odd[0].shown, "in/f\\x7f.tenor"));
    assert_string_equal(names.odd[0].fault, "has characters that are not text");
    assert_int_equal(unlink(in_directory("p.tenor")), 0);
    assert_int_equal(unlink(in_directory("l.tenor")), 0);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(unlink(in_directory(FILES[i])), 0);
    }
    for (size_t i = 4; i-- > 0;) {
        assert_int_equal(rmdir(in_directory(FOLDERS[i])), 0);
    }
}

/* A pipe that nobody writes to would be waited for. */
static void a_pipe_is_not_a_file(void **state)
{
    mt_str text;
    (void)state;
    assert_int_equal(mkfifo(in_directory("f.json"), 0600), 0);
    assert_int_equal(os_folder_read(&folder, &arena, MT_STR("f.json"), 9, &text),
                     MT_E_DENIED);
    assert_int_equal(unlink(in_directory("f.json")), 0);
}

static void files_are_listed_in_order_up_to_the_limit(void **state)
{
    static const char *const SUFFIXES[] = {".tenor", NULL};
    static const char *const NAMES[] = {"b.tenor", "a.tenor", "c.txt", ".h.tenor",
                                        "in/d.tenor"};
    os_folder_names names;
    (void)state;
    assert_int_equal(mkdir(in_directory("in"), 0700), 0);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(os_write_file(in_directory(NAMES[i]), MT_STR(""), 0600),
                         MT_OK);
    }
    assert_int_equal(os_folder_list(&folder, &arena, SUFFIXES, 3, &names), MT_OK);
    assert_int_equal(names.count, 3);
    assert_false(names.cut);
    assert_true(mt_str_is(names.items[0], "a.tenor"));
    assert_true(mt_str_is(names.items[1], "b.tenor"));
    assert_true(mt_str_is(names.items[2], "in/d.tenor"));
    assert_int_equal(os_folder_list(&folder, &arena, SUFFIXES, 2, &names), MT_OK);
    assert_int_equal(names.count, 2);
    assert_true(names.cut);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(unlink(in_directory(NAMES[i])), 0);
    }
    assert_int_equal(rmdir(in_directory("in")), 0);
}

static os_file_mark marked(const char *name)
{
    os_file_mark mark;
    assert_int_equal(os_folder_look(&folder, mt_str_z(name), &mark), MT_OK);
    return mark;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The times may be the same for a moment: then the mark is not settled. */
static void a_mark_is_another_after_a_change(void **state)
{
    const char *path = in_directory("a.tenor");
    (void)state;
    assert_int_equal(os_write_file(path, MT_STR("old"), 0600), MT_OK);
    os_file_mark first = marked("a.tenor"), again = marked("a.tenor");
    assert_true(os_file_mark_eq(&first, &again));
    assert_int_equal(first.size, 3);
    assert_false(os_file_mark_is_settled(&first));
    assert_int_equal(os_folder_write(&folder, MT_STR("a.tenor"), MT_STR("new"), false),
                     MT_OK);
    again = marked("a.tenor"); /* in another place */
    assert_false(os_file_mark_eq(&first, &again));
    for (size_t i = 0; i < 5; i++) {
        os_file_mark other = first;
        (*(uint64_t *[]){&other.device, &other.inode, &other.size,
                         (uint64_t *)&other.changed_ns,
                         (uint64_t *)&other.modified_ns}[i])++;
        assert_false(os_file_mark_eq(&first, &other));
    }
    assert_int_equal(unlink(path), 0);
}

static void a_mark_is_settled_after_two_seconds(void **state)
{
    os_file_mark mark = {.changed_ns = now_ns() - 2100000000};
    (void)state;
    assert_true(os_file_mark_is_settled(&mark));
    mark.changed_ns = now_ns() - 1500000000;
    assert_false(os_file_mark_is_settled(&mark));
    mark.changed_ns = now_ns() + 1000000000000; /* by another clock */
    assert_false(os_file_mark_is_settled(&mark));
}

static void only_a_file_has_a_mark(void **state)
{
    os_file_mark mark;
    (void)state;
    assert_int_equal(symlink("/etc/passwd", in_directory("p.json")), 0);
    assert_int_equal(os_folder_look(&folder, MT_STR("p.json"), &mark), MT_E_DENIED);
    assert_int_equal(os_folder_look(&folder, MT_STR("q.json"), &mark), MT_E_NOTFOUND);
    assert_int_equal(os_folder_look(&folder, MT_STR("../q.json"), &mark), MT_E_USAGE);
    assert_int_equal(unlink(in_directory("p.json")), 0);
}

static void names_that_are_not_text_are_listed_apart(void **state)
{
    static const char *const SUFFIXES[] = {".tenor", NULL};
    static const char *const NAMES[] = {"a\xff.tenor", "b\n.tenor", "ä.tenor"};
    os_folder_names names;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(os_write_file(in_directory(NAMES[i]), MT_STR(""), 0600),
                         MT_OK);
    }
    assert_int_equal(os_folder_list(&folder, &arena, SUFFIXES, 2, &names), MT_OK);
    assert_int_equal(names.count, 1);
    assert_true(mt_str_is(names.items[0], "ä.tenor"));
    assert_int_equal(names.odd_count, 2);
    assert_false(names.cut);
    bool first = mt_str_is(names.odd[0].shown, "a\\xff.tenor");
    assert_true(mt_str_is(names.odd[first].shown, "b\\x0a.tenor"));
    assert_non_null(names.odd[0].fault);
    assert_int_equal(os_folder_list(&folder, &arena, SUFFIXES, 1, &names), MT_OK);
    assert_int_equal(names.odd_count, 1);
    assert_true(names.cut);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(unlink(in_directory(NAMES[i])), 0);
    }
}

int main(void)
{
    rows_list list = {.count = 0};
    rows_add(&list, ROWS, names_are_judged);
    rows_test(&list, a_name_may_have_512_bytes);
    rows_test(&list, a_file_keeps_its_mode_and_is_replaced_whole);
    rows_test(&list, what_a_killed_write_left_is_removed_by_a_later_one);
    rows_test(&list, links_are_not_followed);
    rows_test(&list, a_pipe_is_not_a_file);
    rows_test(&list, a_name_that_leads_nowhere_is_refused_by_all);
    rows_test(&list, only_a_folder_is_opened);
    rows_test(&list, what_is_listed_is_a_file_or_a_link);
    rows_test(&list, files_are_listed_in_order_up_to_the_limit);
    rows_test(&list, a_mark_is_another_after_a_change);
    rows_test(&list, a_mark_is_settled_after_two_seconds);
    rows_test(&list, only_a_file_has_a_mark);
    rows_test(&list, names_that_are_not_text_are_listed_apart);
    return _cmocka_run_group_tests("os/folder", list.tests, list.count, make_directory,
                                   remove_directory);
}
