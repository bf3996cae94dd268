/* What agents and durable relays say to each other: docs/adr/0027. */
#include "../rows.h"

#include <ctype.h>

#include "net/durable_wire.h"

static void a_hello_is_read_as_it_was_written(void **state)
{
    (void)state;
    const nt_hello hellos[] = {
        {.name = "a", .id = "1", .from = NT_FROM_NEW},
        {.name = "a", .id = "1", .from = NT_FROM_NONE},
        {.name = "A-b_9", .id = "0123456789abcdef", .from = NT_FROM_FIRST},
        {.name = "a", .id = "1", .stream = "17", .from = NT_FROM_AFTER, .after = 41},
        {.name = "a", .id = "1", .from = NT_FROM_AFTER, .after = INT64_MAX},
        {.name = "a", .id = "1", .from = NT_FROM_SINCE, .since_ms = 1763380800000},
        {.name = "a", .id = "1", .from = NT_FROM_SINCE, .since_ms = 253402300799999},
    };
    for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++) {
        mt_buf text = {0};
        nt_hello read;
        nt_hello_write(&text, &hellos[i]);
        assert_true(nt_is_relay_line(mt_buf_str(&text)));
        assert_null(nt_hello_read(mt_buf_str(&text), &read));
        assert_memory_equal(&read, &hellos[i], sizeof read);
        mt_buf_free(&text);
    }
}

static void what_is_no_hello_is_refused_with_a_reason(void **state)
{
    (void)state;
    const struct {
        const char *line, *why;
    } rows[] = {
        {"{\"_relay\":\"hello\"", "this is not JSON"},
        {"{\"_relay\":7}", "this is not a hello"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"1\"}",
         "`name` is 1 to 64 letters, digits, '_' and '-'"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"1\",\"name\":\"a.b\"}",
         "`name` is 1 to 64 letters, digits, '_' and '-'"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"1\",\"name\":\"a>\"}",
         "`name` is 1 to 64 letters, digits, '_' and '-'"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"1\",\"name\":\"a\\u0000\"}",
         "`name` is 1 to 64 letters, digits, '_' and '-'"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"1\\u0000.\",\"name\":\"a\"}",
         "`id` is 1 to 16 letters, digits, '_' and '-'"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"1\",\"name\":\"a\","
         "\"stream\":"
         "\"1\\u0000\"}",
         "`stream` is text of at most 32 bytes"},
        {"{\"_relay\":\"hello\",\"after\":\"x\",\"from\":\"new\",\"id\":\"1\",\"name\":"
         "\"a\"}",
         "a hello has one of `after`, `from` and `since`"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"\",\"name\":\"a\"}",
         "`id` is 1 to 16 letters, digits, '_' and '-'"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"01234567890123456\",\"name\":"
         "\"a\"}",
         "`id` is 1 to 16 letters, digits, '_' and '-'"},
        {"{\"_relay\":\"hello\",\"id\":\"1\",\"name\":\"a\"}",
         "a hello has one of `after`, `from` and `since`"},
        {"{\"_relay\":\"hello\",\"after\":1,\"from\":\"new\",\"id\":\"1\",\"name\":"
         "\"a\"}",
         "a hello has one of `after`, `from` and `since`"},
        {"{\"_relay\":\"hello\",\"from\":\"old\",\"id\":\"1\",\"name\":\"a\"}",
         "`from` is new, first or none"},
        {"{\"_relay\":\"hello\",\"from\":1,\"id\":\"1\",\"name\":\"a\"}",
         "`from` is new, first or none"},
        {"{\"_relay\":\"hello\",\"after\":-1,\"id\":\"1\",\"name\":\"a\"}",
         "`after` and `since` are whole numbers"},
        {"{\"_relay\":\"hello\",\"after\":1.5,\"id\":\"1\",\"name\":\"a\"}",
         "`after` and `since` are whole numbers"},
        {"{\"_relay\":\"hello\",\"after\":9223372036854775808,\"id\":\"1\",\"name\":"
         "\"a\"}",
         "`after` and `since` are whole numbers"},
        {"{\"_relay\":\"hello\",\"since\":253402300800000,\"id\":\"1\",\"name\":\"a\"}",
         "`since` is before the year 10000"},
        {"{\"_relay\":\"hello\",\"since\":\"x\",\"id\":\"1\",\"name\":\"a\"}",
         "`after` and `since` are whole numbers"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"id\":\"1\",\"name\":\"a\","
         "\"stream\":"
         "\"012345678901234567890123456789012\"}",
         "`stream` is text of at most 32 bytes"},
        {"{\"_relay\":\"hello\",\"from\":\"new\",\"since\":1,\"id\":\"1\",\"name\":"
         "\"a\"}",
         "a hello has one of `after`, `from` and `since`"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        nt_hello read;
        const char *why = nt_hello_read(mt_str_z(rows[i].line), &read);
        assert_non_null(why);
        assert_string_equal(why, rows[i].why);
    }
}

static void a_name_has_a_length(void **state)
{
    (void)state;
    char name[NT_NAME_TEXT + 1];
    memset(name, 'n', sizeof name);
    assert_true(nt_is_name(mt_str_from(name, NT_NAME_TEXT)));
    assert_false(nt_is_name(mt_str_from(name, NT_NAME_TEXT + 1)));
    assert_false(nt_is_name(MT_STR("")));
    assert_true(nt_is_name(MT_STR("azAZ09_-")));
    for (int c = 1; c < 256; c++) {
        name[0] = (char)c;
        bool good = c < 128 && (isalnum(c) || c == '_' || c == '-');
        assert_int_equal(nt_is_name(mt_str_from(name, 2)), good);
    }
}

static void what_the_relay_says_is_read_as_it_was_written(void **state)
{
    (void)state;
    const nt_said said[] = {
        {.kind = NT_WELCOME, .stream = "17", .after = 41, .first = 3, .number = 7},
        {.kind = NT_KEPT, .number = 8},
        {.kind = NT_REFUSED, .why = "no \"reason\""},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        mt_buf text = {0};
        nt_said read;
        nt_said_write(&text, &said[i]);
        assert_true(nt_said_read(mt_buf_str(&text), &read));
        assert_memory_equal(&read, &said[i], sizeof read);
        mt_buf_free(&text);
    }
    nt_said read;
    assert_false(nt_said_read(MT_STR("{\"_relay\":\"kept\"}"), &read));
    assert_false(nt_said_read(MT_STR("{\"_relay\":\"welcome\",\"kept\":1}"), &read));
    assert_false(nt_said_read(MT_STR("{\"_relay\":\"later\"}"), &read));
    assert_false(nt_said_read(MT_STR("{\"_relay\":\"kept\",\"number\":0}"), &read));
    assert_false(nt_said_read(MT_STR("{\"_relay\":\"welcome\",\"stream\":"
                                     "\"012345678901234567890123456789012\"}"),
                              &read)); /* 33 bytes */
    assert_false(nt_said_read(
        MT_STR("{\"_relay\":\"welcome\",\"first\":-1,\"stream\":\"1\"}"), &read));
    /* What a later relay says besides is passed over. */
    assert_true(
        nt_said_read(MT_STR("{\"_relay\":\"kept\",\"more\":{},\"number\":1}"), &read));
    assert_int_equal(read.number, 1);
    assert_false(nt_said_read(MT_STR("Warning: no"), &read));
}

static void lines_of_every_day(void **state)
{
    (void)state;
    uint64_t n;
    mt_str rest;
    assert_true(nt_ack_read(MT_STR("ack 9223372036854775807"), &n));
    assert_true(n == INT64_MAX);
    assert_false(nt_ack_read(MT_STR("ack 9223372036854775808"), &n));
    assert_false(nt_ack_read(MT_STR("ack"), &n));
    assert_false(nt_ack_read(MT_STR("ack -1"), &n));
    assert_false(nt_ack_read(MT_STR("ack 1 "), &n));
    assert_true(nt_numbered_read(MT_STR("7 a b"), &n, &rest));
    assert_int_equal(n, 7);
    assert_text(rest, MT_STR("a b"));
    assert_true(nt_numbered_read(MT_STR("7 "), &n, &rest)); /* an empty line counts */
    assert_int_equal(rest.len, 0);
    assert_false(nt_numbered_read(MT_STR("7"), &n, &rest));
    assert_false(nt_numbered_read(MT_STR("0 a"), &n, &rest));
    assert_false(nt_numbered_read(MT_STR(" a"), &n, &rest));
    mt_buf text = {0};
    nt_sequenced_write(&text, MT_STR("{\"content\":\"x\",\"remote_addr\":\"y\"}"), 42);
    assert_text(mt_buf_str(&text),
                MT_STR("{\"content\":\"x\",\"remote_addr\":\"y\",\"seq\":42}\n"));
    mt_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hello_is_read_as_it_was_written),
        cmocka_unit_test(what_is_no_hello_is_refused_with_a_reason),
        cmocka_unit_test(a_name_has_a_length),
        cmocka_unit_test(what_the_relay_says_is_read_as_it_was_written),
        cmocka_unit_test(lines_of_every_day),
    };
    return cmocka_run_group_tests_name("durable_wire", tests, NULL, NULL);
}
