/* The writer: canonical bytes, compact and pretty, and streaming. */
#include "../rows.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_write.h"

static const struct row {
    const char *name, *text, *compact, *pretty;
} ROWS[] = {
    {"a scalar stands alone", "12.50", "12.50", "12.50"},
    {"empty containers stay on one line", "[[],{}]", "[[],{}]", "[\n  [],\n  {}\n]"},
    {"pretty indents by two", "{\"b\":[1,{\"c\":null}],\"a\":true}",
     "{\"a\":true,\"b\":[1,{\"c\":null}]}",
     "{\n  \"a\": true,\n  \"b\": [\n    1,\n    {\n      \"c\": null\n    }\n  ]\n}"},
    {"keys are escaped too", "{\"a\\\"\":1}", "{\"a\\\"\":1}", "{\n  \"a\\\"\": 1\n}"},
    {"prefixes sort first", "{\"ab\":1,\"a\":2,\"abc\":3}",
     "{\"a\":2,\"ab\":1,\"abc\":3}", "{\n  \"a\": 2,\n  \"ab\": 1,\n  \"abc\": 3\n}"},
};

static void writes(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_json tree;
    mt_buf out = {0};
    assert_int_equal(mt_json_read(&a, mt_str_z(r->text), NULL, &tree, NULL), MT_OK);
    mt_json_write(&out, &tree, false);
    assert_text(mt_buf_str(&out), mt_str_z(r->compact));
    mt_buf_clear(&out);
    mt_json_write(&out, &tree, true);
    assert_text(mt_buf_str(&out), mt_str_z(r->pretty));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static const struct quoted {
    const char *name, *text, *want;
} QUOTED[] = {
    {"the short escapes are used", "\"\\\b\f\n\r\t", "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
    {"other control characters are \\u00xx", "\x01\x0B\x1F",
     "\"\\u0001\\u000b\\u001f\""},
    {"a slash is not escaped", "a/b", "\"a/b\""},
    {"DEL and characters beyond ASCII are raw", "\x7F\xC3\xA9\xE2\x80\xA8",
     "\"\x7F\xC3\xA9\xE2\x80\xA8\""},
    {"an escape after many clean bytes", "0123456789abcdef0123456789abcdef\"tail",
     "\"0123456789abcdef0123456789abcdef\\\"tail\""},
};

static void quotes(void **state)
{
    const struct quoted *r = *state;
    mt_buf out = {0};
    mt_str text = fenced(mt_str_z(r->text));
    mt_json_quote(&out, text);
    assert_text(mt_buf_str(&out), mt_str_z(r->want));
    mt_buf_free(&out);
    fenced_free(text);
}

/* Byte by byte, as the header says it. */
static void slow_quote(mt_buf *out, mt_str s)
{
    static const char SHORT[] = "\b\t\n\f\r\"\\", LETTER[] = "btnfr\"\\";
    mt_buf_addc(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        const char *hit = s.ptr[i] ? strchr(SHORT, s.ptr[i]) : NULL;
        if (hit) {
            mt_buf_addf(out, "\\%c", LETTER[hit - SHORT]);
        } else if ((unsigned char)s.ptr[i] < 0x20) {
            mt_buf_addf(out, "\\u%04x", (unsigned)s.ptr[i]);
        } else {
            mt_buf_addc(out, s.ptr[i]);
        }
    }
    mt_buf_addc(out, '"');
}

/* Every byte at every position of every length around the blocks. */
static void every_byte_at_every_place_is_quoted_right(void **state)
{
    (void)state;
    mt_buf fast = {0}, slow = {0};
    for (size_t len = 1; len <= 40; len++) {
        for (size_t at = 0; at < len; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                char text[40];
                memset(text, '\x80' + (char)len, len);
                text[at] = (char)byte;
                mt_buf_clear(&fast);
                mt_buf_clear(&slow);
                mt_json_quote(&fast, mt_str_from(text, len));
                slow_quote(&slow, mt_str_from(text, len));
                if (!mt_str_eq(mt_buf_str(&fast), mt_buf_str(&slow))) {
                    fail_msg("byte %u at %zu of %zu", byte, at, len);
                }
            }
        }
    }
    mt_buf_free(&fast);
    mt_buf_free(&slow);
}

static void stream_all(mt_jw *w)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "text", MT_STR("a\nb"));
    mt_jw_key_i64(w, "least", INT64_MIN);
    mt_jw_key_bool(w, "yes", true);
    mt_jw_key(w, MT_STR("odd \"key\""));
    mt_jw_begin_array(w);
    mt_jw_null(w);
    mt_jw_raw(w, MT_STR("1.50"));
    mt_jw_begin_object(w);
    mt_jw_end_object(w);
    mt_jw_begin_array(w);
    mt_jw_end_array(w);
    mt_jw_bool(w, false);
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

#ifdef MT_CHECK_KEYS
/* Does a process survive it that writes one key after another? */
static bool may_follow(const char *key, const char *next, bool unsorted)
{
    int status = 0;
    pid_t child = fork();
    if (!child) {
        mt_buf out = {0};
        mt_jw w = mt_jw_start(&out, false);
        fclose(stderr);
        signal(SIGABRT, SIG_DFL);
        mt_jw_begin_object(&w);
        if (unsorted) {
            mt_jw_unsorted(&w);
        }
        mt_jw_key(&w, mt_str_z(key));
        mt_jw_begin_object(&w); /* what is inside has keys of its own */
        mt_jw_key_i64(&w, "a", 1);
        mt_jw_end_object(&w);
        mt_jw_key(&w, mt_str_z(next));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status == 0;
}

static void keys_that_do_not_ascend_are_a_bug(void **state)
{
    (void)state;
    char a[100], b[100];
    memset(a, 'x', sizeof a), memset(b, 'x', sizeof b);
    a[99] = b[99] = '\0';
    assert_true(may_follow("a", "b", false));
    assert_true(may_follow("a", "aa", false));
    assert_false(may_follow("b", "a", false));
    assert_false(may_follow("aa", "a", false));
    assert_false(may_follow("a", "a", false));
    assert_true(may_follow("b", "a", true));
    b[98] = 'y'; /* beyond what is compared */
    assert_true(may_follow(a, b, false));
    b[0] = 'w';
    assert_false(may_follow(a, b, false));
}
#endif

static void streaming_puts_commas_and_lines(void **state)
{
    (void)state;
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    stream_all(&w);
    assert_text(
        mt_buf_str(&out),
        MT_STR("{\"text\":\"a\\nb\",\"least\":-9223372036854775808,\"yes\":true,"
               "\"odd \\\"key\\\"\":[null,1.50,{},[],false]}"));
    mt_buf_clear(&out);
    w = mt_jw_start(&out, true);
    stream_all(&w);
    assert_text(
        mt_buf_str(&out),
        MT_STR("{\n  \"text\": \"a\\nb\",\n  \"least\": -9223372036854775808,\n"
               "  \"yes\": true,\n  \"odd \\\"key\\\"\": [\n    null,\n    1.50,\n"
               "    {},\n    [],\n    false\n  ]\n}"));
    mt_buf_free(&out);
}

/* With any ceiling the output is a clean prefix of pieces and never longer. */
static void a_ceiling_stops_the_writer(void **state)
{
    (void)state;
    mt_buf whole = {0};
    mt_jw w = mt_jw_start(&whole, true);
    stream_all(&w);
    for (size_t ceiling = 1; ceiling <= whole.len + 4; ceiling++) {
        for (int pretty = 0; pretty < 2; pretty++) {
            mt_buf out = {.ceiling = ceiling};
            w = mt_jw_start(&out, pretty);
            stream_all(&w);
            assert_true(out.len <= ceiling);
            assert_true(out.full || ceiling >= out.len);
            if (ceiling >= whole.len && pretty) {
                assert_false(out.full);
                assert_text(mt_buf_str(&out), mt_buf_str(&whole));
            }
            mt_buf_free(&out);
        }
    }
    mt_buf_free(&whole);
}

/* The deepest tree that can be read, put into an envelope. */
static void a_deep_tree_can_be_embedded(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0}, out = {0};
    mt_json tree;
    mt_json_limits deep = {.depth = MT_JSON_MAX_DEPTH};
    for (int i = 0; i < 2 * MT_JSON_MAX_DEPTH; i++) {
        mt_buf_addc(&text, i < MT_JSON_MAX_DEPTH ? '[' : ']');
    }
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), &deep, &tree, NULL), MT_OK);
    mt_jw w = mt_jw_start(&out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "payload");
    mt_jw_json(&w, &tree);
    mt_jw_end_object(&w);
    assert_int_equal(mt_json_read(&a, mt_buf_str(&out), &deep, &tree, NULL),
                     MT_E_LIMIT);
    mt_buf_free(&text);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void large_objects_are_sorted_too(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0}, out = {0};
    mt_json tree, again;
    mt_buf_addc(&text, '{');
    for (unsigned i = 0; i < 5000; i++) {
        mt_buf_addf(&text, "%s\"%u\":%u", i ? "," : "", i * 7919u % 5000u, i);
    }
    mt_buf_addc(&text, '}');
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), NULL, &tree, NULL), MT_OK);
    mt_json_write(&out, &tree, false);
    assert_int_equal(mt_json_read(&a, mt_buf_str(&out), NULL, &again, NULL), MT_OK);
    assert_true(mt_json_equal(&tree, &again));
    for (uint32_t i = 1; i < again.count; i++) {
        assert_true(mt_str_cmp(again.as.members[i - 1].key, again.as.members[i].key) <
                    0);
    }
    mt_buf_free(&text);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, writes);
    rows_add(&list, QUOTED, quotes);
    rows_test(&list, every_byte_at_every_place_is_quoted_right);
    rows_test(&list, streaming_puts_commas_and_lines);
#ifdef MT_CHECK_KEYS
    rows_test(&list, keys_that_do_not_ascend_are_a_bug);
#endif
    rows_test(&list, a_ceiling_stops_the_writer);
    rows_test(&list, a_deep_tree_can_be_embedded);
    rows_test(&list, large_objects_are_sorted_too);
    return rows_run(&list, "base/json_write");
}
