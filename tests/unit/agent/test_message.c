/* Typed envelopes out, whatever comes in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/frame.h"
#include "agent/message.h"
#include "base/json_write.h"

static const struct out_row {
    const char *name, *payload, *want;
} OUT[] = {
    {"a text", "\"hi\"",
     "{\"_payload\":\"hi\",\"_type\":\"str\",\"_version\":\"1.3.0\"}\n"},
    {"every leaf and empty containers",
     "{\"a\": [1, -2.5, 1e3, true, null, \"x\"], \"b\": {}, \"c\": []}",
     "{\"_payload\":{\"a\":[1,-2.5,1e3,true,null,\"x\"],\"b\":{},\"c\":[]},\"_type\":"
     "{\"a\":[\"int\",\"float\",\"float\",\"bool\",\"null\",\"str\"],\"b\":{},\"c\":[]}"
     ","
     "\"_version\":\"1.3.0\"}\n"},
    {"a large integer keeps its digits", "12345678901234567890123",
     "{\"_payload\":12345678901234567890123,\"_type\":\"int\",\"_version\":\"1.3.0\"}"
     "\n"},
};

static void writes(void **state)
{
    const struct out_row *r = *state;
    mt_arena a = {0};
    mt_json payload;
    mt_buf out = {0};
    assert_int_equal(mt_json_read(&a, mt_str_z(r->payload), NULL, &payload, NULL),
                     MT_OK);
    ag_frame_message(&out, &payload);
    mt_buf_addc(&out, 0);
    assert_string_equal(out.ptr, r->want);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static const struct in_row {
    const char *name, *line, *address, *payload;
    bool typed, relayed;
} IN[] = {
    {"a relayed typed envelope",
     "{\"remote_addr\": \"1.2.3.4:5\", \"content\": \"{\\\"_version\\\": "
     "\\\"1.3.0\\\", "
     "\\\"_payload\\\": {\\\"n\\\": \\\"007\\\"}, \\\"_type\\\": {\\\"n\\\": "
     "\\\"str\\\"}}\"}",
     "1.2.3.4:5", "{\"n\":\"007\"}", true, true},
    {"strings in a payload stay strings",
     "{\"remote_addr\":\"a:1\",\"content\":\"{\\\"_version\\\":\\\"1\\\",\\\"_"
     "payload\\\":"
     "\\\"true\\\",\\\"_type\\\":\\\"str\\\"}\"}",
     "a:1", "\"true\"", true, true},
    {"content may be nested JSON", "{\"remote_addr\":\"a:1\",\"content\":{\"x\":1}}",
     "a:1", "{\"x\":1}", false, true},
    {"content that is no JSON is text",
     "{\"remote_addr\":\"a:1\",\"content\":\"hello\"}", "a:1", "\"hello\"", false,
     true},
    {"an untyped content is opened once",
     "{\"remote_addr\":\"a:1\",\"content\":\"{\\\"k\\\":\\\"[1]\\\"}\"}", "a:1",
     "{\"k\":\"[1]\"}", false, true},
    {"a warning is text", "Warning: slow down.", NULL, "\"Warning: slow down.\"", false,
     false},
    {"JSON without envelope is itself", "[1,2]", NULL, "[1,2]", false, false},
    {"an empty line is the empty text", "", NULL, "\"\"", false, false},
    {"a key given twice makes it text", "{\"a\":1,\"a\":2}", NULL,
     "\"{\\\"a\\\":1,\\\"a\\\":2}\"", false, false},
    {"an incomplete envelope is itself", "{\"remote_addr\":\"a:1\"}", NULL,
     "{\"remote_addr\":\"a:1\"}", false, false},
};

static void reads(void **state)
{
    const struct in_row *r = *state;
    mt_arena a = {0};
    ag_inbound in;
    assert_int_equal(ag_frame_read(&a, AG_PROFILE, mt_str_z(r->line), NULL, &in),
                     MT_OK);
    assert_int_equal(in.typed, r->typed);
    assert_int_equal(in.relayed, r->relayed);
    assert_true(r->address ? mt_str_eq(in.address, mt_str_z(r->address))
                           : in.address.ptr == NULL);
    mt_buf out = {0};
    mt_json_write(&out, &in.payload, false);
    mt_buf_addc(&out, 0);
    assert_string_equal(out.ptr, r->payload);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void what_is_sent_arrives_through_a_relay(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json payload;
    mt_str text = MT_STR("{\"a\":[1,2.5,null,\"q\\\"\\\\ \xc3\xa9\\u0001\"],\"b\":{}}");
    assert_int_equal(mt_json_read(&a, text, NULL, &payload, NULL), MT_OK);
    mt_buf line = {0}, relayed = {0};
    ag_frame_message(&line, &payload);
    ag_frame_relay(&relayed, MT_STR("127.0.0.1:9"),
                   mt_str_from(line.ptr, line.len - 1));
    ag_inbound in;
    assert_int_equal(ag_frame_read(&a, AG_PROFILE,
                                   mt_str_from(relayed.ptr, relayed.len - 1), NULL,
                                   &in),
                     MT_OK);
    assert_true(in.typed && mt_json_equal(&in.payload, &payload));
    mt_buf_free(&line);
    mt_buf_free(&relayed);
    mt_arena_free(&a);
}

static void too_deep_and_not_utf8_are_said(void **state)
{
    (void)state;
    mt_arena a = {0};
    ag_inbound in;
    char deep[2001];
    memset(deep, '[', 1000);
    memset(deep + 1000, ']', 1000);
    assert_int_equal(ag_frame_read(&a, AG_PROFILE, mt_str_from(deep, 2000), NULL, &in),
                     MT_E_LIMIT);
    mt_json_limits few = {.bytes = 10};
    assert_int_equal(
        ag_frame_read(&a, AG_PROFILE, MT_STR("[1,2,3,4,5,6,7]"), &few, &in),
        MT_E_LIMIT);
    assert_int_equal(ag_frame_read(&a, AG_PROFILE, MT_STR("\"\xff\""), NULL, &in),
                     MT_E_SYNTAX);
    mt_arena_free(&a);
}

int main(void)
{
    enum { OUTS = sizeof OUT / sizeof *OUT, INS = sizeof IN / sizeof *IN };
    struct CMUnitTest tests[OUTS + INS + 2] = {
        cmocka_unit_test(what_is_sent_arrives_through_a_relay),
        cmocka_unit_test(too_deep_and_not_utf8_are_said),
    };
    for (size_t i = 0; i < OUTS; i++) {
        tests[2 + i] = (struct CMUnitTest){OUT[i].name, writes, NULL, NULL,
                                           (void *)(uintptr_t)&OUT[i]};
    }
    for (size_t i = 0; i < INS; i++) {
        tests[2 + OUTS + i] = (struct CMUnitTest){IN[i].name, reads, NULL, NULL,
                                                  (void *)(uintptr_t)&IN[i]};
    }
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
