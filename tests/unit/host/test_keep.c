/* An agent's memory: after a crash at any byte, the last finished commit is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "host/keep.h"
#include "os/file.h"

typedef struct place {
    char dir[64], path[128];
} place;

static int set_up(void **state)
{
    place *p = mt_xmalloc(sizeof *p);
    snprintf(p->dir, sizeof p->dir, "/tmp/motet-keep-XXXXXX");
    if (!mkdtemp(p->dir)) {
        return -1;
    }
    snprintf(p->path, sizeof p->path, "%s/state", p->dir);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    char lock[160];
    snprintf(lock, sizeof lock, "%s.lock", p->path);
    unlink(lock);
    unlink(p->path);
    int gone = rmdir(p->dir);
    free(p);
    return gone;
}

static ho_keep *reopen(const place *p, mt_err want)
{
    ho_keep *k;
    mt_buf why = {0};
    mt_err err = ho_keep_open_file(p->path, &k, &why);
    assert_int_equal(err, want);
    mt_buf_free(&why);
    return k;
}

static void holds(const ho_keep *k, const char *state, const char *unsent)
{
    assert_true(mt_str_eq(mt_buf_str(&k->state), mt_str_z(state)));
    assert_true(mt_str_eq(mt_buf_str(&k->unsent), mt_str_z(unsent)));
}

static void what_was_committed_is_there_again(void **state)
{
    ho_keep *k = reopen(*state, MT_OK);
    holds(k, "", "");
    assert_int_equal(k->commit(k, MT_STR("{\"n\":1}"), MT_STR("a\nb \"q\"\n"), NULL),
                     MT_OK);
    assert_int_equal(k->sent(k, 1), MT_OK);
    assert_int_equal(k->commit(k, (mt_str){0}, MT_STR("c\n"), NULL), MT_OK);
    ho_keep_close(k);
    k = reopen(*state, MT_OK);
    holds(k, "{\"n\":1}", "b \"q\"\nc\n");
    assert_int_equal(k->sent(k, 2), MT_OK);
    ho_keep_close(k);
    k = reopen(*state, MT_OK);
    holds(k, "{\"n\":1}", "");
    ho_keep_close(k);
}

/* With a durable relay: where the agent stands, and how many messages were sent ever.
 */
static void the_stand_is_kept_with_the_state(void **state)
{
    ho_stand stand = {.sender = "0123456789abcdef", .stream = "17", .seq = 41};
    ho_keep *k = reopen(*state, MT_OK);
    assert_int_equal(k->commit(k, MT_STR("{\"n\":1}"), MT_STR("a\nb\n"), &stand),
                     MT_OK);
    assert_int_equal(k->sent(k, 1), MT_OK);
    stand.seq = 42;
    assert_int_equal(k->commit(k, (mt_str){0}, MT_STR(""), &stand), MT_OK);
    assert_int_equal(k->commit(k, (mt_str){0}, MT_STR("c\n"), NULL), MT_OK);
    ho_keep_close(k);
    k = reopen(*state, MT_OK);
    holds(k, "{\"n\":1}", "b\nc\n");
    assert_string_equal(k->stand.sender, "0123456789abcdef");
    assert_string_equal(k->stand.stream, "17");
    assert_int_equal(k->stand.seq, 42);
    assert_int_equal(k->done, 1);
    ho_keep_close(k);
}

/* Numbers must not begin anew when the file does. */
static void a_file_written_anew_still_counts(void **state)
{
    static char big[300000];
    ho_stand stand = {.sender = "0123456789abcdef", .stream = "17"};
    memset(big, 'x', sizeof big);
    big[0] = big[sizeof big - 1] = '"';
    ho_keep *k = reopen(*state, MT_OK);
    for (int i = 1; i <= 20; i++) {
        stand.seq = (uint64_t)i;
        big[1] = (char)('a' + i); /* a state that changed */
        assert_int_equal(
            k->commit(k, mt_str_from(big, sizeof big), MT_STR("m\n"), &stand), MT_OK);
        assert_int_equal(k->sent(k, 1), MT_OK);
    }
    ho_keep_close(k);
    k = reopen(*state, MT_OK);
    assert_int_equal(k->done, 20);
    assert_int_equal(k->stand.seq, 20);
    ho_keep_close(k);
}

static void only_one_agent_may_have_it(void **state)
{
    ho_keep *k = reopen(*state, MT_OK);
    assert_null(reopen(*state, MT_E_BUSY));
    ho_keep_close(k);
    ho_keep_close(reopen(*state, MT_OK));
}

static void a_crash_at_any_byte_keeps_the_last_whole_commit(void **state)
{
    const place *p = *state;
    ho_keep *k = reopen(p, MT_OK);
    mt_arena a = {0};
    size_t ends[6] = {0};
    char text[64];
    mt_str bytes;
    os_read_file(&a, p->path, 1 << 20, &bytes);
    ends[0] = bytes.len;
    for (int i = 1; i < 6; i++) {
        snprintf(text, sizeof text, "{\"n\":%d}", i);
        assert_int_equal(k->commit(k, mt_str_z(text), MT_STR("m\n"), NULL), MT_OK);
        os_read_file(&a, p->path, 1 << 20, &bytes);
        ends[i] = bytes.len;
    }
    ho_keep_close(k);
    for (size_t cut = ends[0]; cut <= bytes.len; cut++) {
        assert_int_equal(os_write_file(p->path, mt_str_from(bytes.ptr, cut), 0600),
                         MT_OK);
        int whole = 0;
        while (whole < 5 && ends[whole + 1] <= cut) {
            whole++;
        }
        snprintf(text, sizeof text, "{\"n\":%d}", whole);
        k = reopen(p, MT_OK);
        assert_true(mt_str_eq(mt_buf_str(&k->state), mt_str_z(whole ? text : "")));
        assert_int_equal(k->unsent.len, 2 * whole);
        /* And it goes on from there. */
        assert_int_equal(k->commit(k, MT_STR("{\"n\":9}"), MT_STR(""), NULL), MT_OK);
        ho_keep_close(k);
        k = reopen(p, MT_OK);
        assert_true(mt_str_is(mt_buf_str(&k->state), "{\"n\":9}"));
        ho_keep_close(k);
    }
    mt_arena_free(&a);
}

static void any_changed_byte_in_the_middle_is_corruption(void **state)
{
    const place *p = *state;
    ho_keep *k = reopen(p, MT_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(k->commit(k, MT_STR("{\"n\":1}"), MT_STR("x\n"), NULL), MT_OK);
    }
    ho_keep_close(k);
    mt_arena a = {0};
    mt_str bytes;
    os_read_file(&a, p->path, 1 << 20, &bytes);
    size_t last = bytes.len - 1;
    while (bytes.ptr[last - 1] != '\n') {
        last--;
    }
    /* Not the newline before the last record: without it both are one torn record. */
    for (size_t at = 0; at + 1 < last; at++) {
        mt_str copy = mt_str_dup(&a, bytes);
        char *changed = mt_alloc(&a, copy.len);
        memcpy(changed, copy.ptr, copy.len);
        changed[at] ^= 1;
        os_write_file(p->path, mt_str_from(changed, copy.len), 0600);
        assert_null(reopen(p, MT_E_CORRUPT));
    }
    mt_arena_free(&a);
}

static void the_file_does_not_grow_without_end(void **state)
{
    const place *p = *state;
    ho_keep *k = reopen(p, MT_OK);
    mt_arena a = {0};
    char *big = mt_alloc(&a, 30000);
    memset(big, 'x', 30000);
    memcpy(big, "{\"k\":\"", 6);
    memcpy(big + 29998, "\"}", 2);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(k->commit(k, mt_str_from(big, 30000), MT_STR("m\n"), NULL),
                         MT_OK);
        assert_int_equal(k->sent(k, 1), MT_OK);
    }
    mt_str bytes;
    assert_int_equal(os_read_file(&a, p->path, 1 << 24, &bytes), MT_OK);
    assert_true(bytes.len < (2u << 20));
    ho_keep_close(k);
    k = reopen(p, MT_OK);
    assert_int_equal(k->state.len, 30000);
    assert_int_equal(k->unsent.len, 0);
    ho_keep_close(k);
    mt_arena_free(&a);
}

/* With a name that leaves no room for the one a new file has before it is renamed. */
static void a_commit_counts_though_the_file_cannot_be_rewritten(void **state)
{
    const place *p = *state;
    char name[512], lock[520], big[30000];
    snprintf(name, sizeof name, "%s/%0248d", p->dir, 1);
    snprintf(lock, sizeof lock, "%s.lock", name);
    ho_keep_close(reopen(p, MT_OK));
    assert_int_equal(rename(p->path, name), 0);
    mt_buf why = {0};
    ho_keep *k;
    assert_int_equal(ho_keep_open_file(name, &k, &why), MT_OK);
    memset(big, 'x', sizeof big);
    memcpy(big, "{\"k\":\"", 6);
    memcpy(big + sizeof big - 2, "\"}", 2);
    mt_str text = mt_str_from(big, sizeof big);
    for (int i = 0; i < 50; i++) { /* beyond where it would be rewritten */
        big[6] = (char)('a' + i % 26);
        assert_int_equal(k->commit(k, text, MT_STR("m\n"), NULL), MT_OK);
        assert_int_equal(k->sent(k, 1), MT_OK);
    }
    ho_keep_close(k);
    assert_int_equal(ho_keep_open_file(name, &k, &why), MT_OK);
    assert_true(mt_str_eq(mt_buf_str(&k->state), text));
    assert_int_equal(k->unsent.len, 0);
    assert_int_equal(why.len, 0); /* nothing is torn, so nothing is said */
    ho_keep_close(k);
    mt_buf_free(&why);
    unlink(name);
    unlink(lock);
}

/* Opening fails, or it mends something, and says so in these words behind the path. */
static void says(const char *path, mt_err want, const char *before, const char *after)
{
    ho_keep *k;
    mt_buf why = {0}, wanted = {0};
    assert_int_equal(ho_keep_open_file(path, &k, &why), want);
    mt_buf_addf(&wanted, "%s%s%s", before, path, after);
    if (!mt_str_eq(mt_buf_str(&why), mt_buf_str(&wanted))) {
        fail_msg("said %.*s, not %.*s", MT_ARG(mt_buf_str(&why)),
                 MT_ARG(mt_buf_str(&wanted)));
    }
    ho_keep_close(k);
    mt_buf_free(&why);
    mt_buf_free(&wanted);
}

static void what_cannot_be_used_is_said(void **state)
{
    const place *p = *state;
    char path[160], long_path[5000];
    ho_keep *k = reopen(p, MT_OK);
    says(p->path, MT_E_BUSY, "", " is in use by another agent");
    ho_keep_close(k);
    snprintf(path, sizeof path, "%s/none/state", p->dir);
    says(path, MT_E_IO, "cannot open ", ".lock: No such file or directory");
    snprintf(path, sizeof path, "%s/sub", p->dir);
    assert_int_equal(mkdir(path, 0700), 0);
    ho_keep *none;
    mt_buf why = {0};
    assert_int_not_equal(ho_keep_open_file(path, &none, &why), MT_OK);
    mt_buf_addc(&why, '\0');
    assert_non_null(strstr(why.ptr, "cannot use "));
    assert_int_equal(rmdir(path), 0);
    snprintf(path, sizeof path, "%s/sub.lock", p->dir);
    unlink(path);
    memset(long_path, 'x', sizeof long_path);
    for (size_t len = 4095; len <= 4096; len++) { /* the longest, and one beyond */
        mt_buf_clear(&why);
        long_path[len] = '\0';
        assert_int_equal(ho_keep_open_file(long_path, &none, &why), MT_E_IO);
        mt_buf_addc(&why, '\0');
        assert_int_equal(!strcmp(why.ptr, "the path is too long"), len == 4096);
        long_path[len] = 'x';
    }
    mt_buf_free(&why);
}

/* A line as the file has it, with a checksum that is right. */
static void add_line(mt_buf *out, const char *body)
{
    char digits[2 * MT_SHA256_BYTES];
    mt_sha256 digest = mt_sha256_of(mt_str_z(body));
    mt_hex(digest.bytes, 8, digits);
    mt_buf_addf(out, "%.16s %s\n", digits, body);
}

static const struct {
    const char *head, *body;
    mt_err want;
} BODIES[] = {
    {"{\"motet_agent_state\":1}", "{\"out\":[]}", MT_OK},
    {"{\"motet_agent_state\":2}", "{\"out\":[]}", MT_E_CORRUPT},
    {"{\"motet_agent_state\":1}", "{\"sent\":0}", MT_OK},
    {"{\"motet_agent_state\":1}", "{\"sent\":7}", MT_OK}, /* more than there are */
    {"{\"motet_agent_state\":1}", "{\"sent\":-1}", MT_E_CORRUPT},
    {"{\"motet_agent_state\":1}", "{\"sent\":\"1\"}", MT_E_CORRUPT},
    {"{\"motet_agent_state\":1}", "{\"out\":1}", MT_E_CORRUPT},
    {"{\"motet_agent_state\":1}", "{}", MT_E_CORRUPT},
    {"{\"motet_agent_state\":1}", "{", MT_E_CORRUPT},
};

static void a_record_of_another_form_is_corruption(void **state)
{
    const place *p = *state;
    for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
        mt_buf text = {0};
        add_line(&text, BODIES[i].head);
        add_line(&text, BODIES[i].body);
        add_line(&text, "{\"out\":[\"m\"],\"state\":5}");
        assert_int_equal(os_write_file(p->path, mt_buf_str(&text), 0600), MT_OK);
        ho_keep *k = reopen(p, BODIES[i].want);
        if (k) {
            holds(k, "5", "m\n");
        }
        ho_keep_close(k);
        mt_buf_free(&text);
    }
    says(p->path, MT_E_CORRUPT, "", ": line 2 does not verify");
}

static void what_was_cut_off_is_said_and_what_was_there_is_kept(void **state)
{
    const place *p = *state;
    mt_buf text = {0};
    add_line(&text, "{\"motet_agent_state\":1}");
    size_t whole = text.len;
    add_line(&text, "{\"out\":[\"m\"]}");
    mt_str torn = mt_str_from(text.ptr, whole + 20);
    assert_int_equal(os_write_file(p->path, torn, 0600), MT_OK);
    says(p->path, MT_OK, "", ": dropped 20 bytes of an unfinished record");
    struct stat st;
    assert_int_equal(stat(p->path, &st), 0);
    assert_int_equal(st.st_size, whole);
    mt_buf_free(&text);
}

int main(void)
{
#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_A_PLACE(what_was_committed_is_there_again),
        IN_A_PLACE(the_stand_is_kept_with_the_state),
        IN_A_PLACE(a_file_written_anew_still_counts),
        IN_A_PLACE(only_one_agent_may_have_it),
        IN_A_PLACE(a_crash_at_any_byte_keeps_the_last_whole_commit),
        IN_A_PLACE(any_changed_byte_in_the_middle_is_corruption),
        IN_A_PLACE(the_file_does_not_grow_without_end),
        IN_A_PLACE(what_cannot_be_used_is_said),
        IN_A_PLACE(a_record_of_another_form_is_corruption),
        IN_A_PLACE(what_was_cut_off_is_said_and_what_was_there_is_kept),
        IN_A_PLACE(a_commit_counts_though_the_file_cannot_be_rewritten),
    };
    return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
