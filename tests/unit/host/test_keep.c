/* An agent's memory: after a crash at any byte, the last finished commit is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

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
    assert_int_equal(k->commit(k, MT_STR("{\"n\":1}"), MT_STR("a\nb \"q\"\n")), MT_OK);
    assert_int_equal(k->sent(k, 1), MT_OK);
    assert_int_equal(k->commit(k, (mt_str){0}, MT_STR("c\n")), MT_OK);
    ho_keep_close(k);
    k = reopen(*state, MT_OK);
    holds(k, "{\"n\":1}", "b \"q\"\nc\n");
    assert_int_equal(k->sent(k, 2), MT_OK);
    ho_keep_close(k);
    k = reopen(*state, MT_OK);
    holds(k, "{\"n\":1}", "");
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
        assert_int_equal(k->commit(k, mt_str_z(text), MT_STR("m\n")), MT_OK);
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
        assert_int_equal(k->commit(k, MT_STR("{\"n\":9}"), MT_STR("")), MT_OK);
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
        assert_int_equal(k->commit(k, MT_STR("{\"n\":1}"), MT_STR("x\n")), MT_OK);
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
        assert_int_equal(k->commit(k, mt_str_from(big, 30000), MT_STR("m\n")), MT_OK);
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
        assert_int_equal(k->commit(k, text, MT_STR("m\n")), MT_OK);
        assert_int_equal(k->sent(k, 1), MT_OK);
    }
    ho_keep_close(k);
    assert_int_equal(ho_keep_open_file(name, &k, &why), MT_OK);
    assert_true(mt_str_eq(mt_buf_str(&k->state), text));
    assert_int_equal(k->unsent.len, 0);
    ho_keep_close(k);
    mt_buf_free(&why);
    unlink(name);
    unlink(lock);
}

int main(void)
{
#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_A_PLACE(what_was_committed_is_there_again),
        IN_A_PLACE(only_one_agent_may_have_it),
        IN_A_PLACE(a_crash_at_any_byte_keeps_the_last_whole_commit),
        IN_A_PLACE(any_changed_byte_in_the_middle_is_corruption),
        IN_A_PLACE(the_file_does_not_grow_without_end),
        IN_A_PLACE(a_commit_counts_though_the_file_cannot_be_rewritten),
    };
    return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
