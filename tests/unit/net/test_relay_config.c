/* Configuration files of existing relays, and our own keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/relay_config.h"

typedef struct read {
    mt_arena arena;
    nt_relay_config config;
    mt_buf notes;
} read;

static mt_err read_text(read *r, const char *text)
{
    mt_json tree;
    *r = (read){.config = NT_RELAY_DEFAULT};
    assert_int_equal(mt_json_read(&r->arena, mt_str_z(text), NULL, &tree, NULL), MT_OK);
    mt_err err = nt_relay_config_read(&r->arena, &tree, &r->config, &r->notes);
    mt_buf_addc(&r->notes, 0);
    return err;
}

static void end(read *r)
{
    mt_buf_free(&r->notes);
    mt_arena_free(&r->arena);
}

static void an_existing_relay_s_file_is_read(void **state)
{
    (void)state;
    read r;
    assert_int_equal(
        read_text(&r, "{\"host\":\"0.0.0.0\",\"port\":8889,\"version\":\"x\","
                      "\"logger\":{\"log_level\":\"INFO\"},\"hyper_parameters\":{"
                      "\"client_timeout_secs\":600,\"rate_limit_msgs_per_minute\":1000,"
                      "\"quarantine_cooldown_secs\":60,\"flow_control_delay_ms\":1000,"
                      "\"worker_threads\":4,\"backpressure_policy\":{"
                      "\"enable_disconnect\":false,\"disconnect_threshold\":300}}}"),
        MT_OK);
    assert_string_equal(r.notes.ptr, "");
    assert_string_equal(r.config.listen, "0.0.0.0:8889");
    assert_int_equal(r.config.idle_seconds, 600);
    assert_int_equal(r.config.rate_per_minute, 1000);
    assert_int_equal(r.config.quarantine_seconds, 60);
    assert_int_equal(r.config.hold_ms, 1000);
    assert_int_equal(r.config.stall_seconds, 0);
    end(&r);
}

static void null_means_never_or_default(void **state)
{
    (void)state;
    read r;
    assert_int_equal(read_text(&r, "{\"host\":null,\"port\":null,\"hyper_parameters\":"
                                   "{\"client_timeout_secs\":null}}"),
                     MT_OK);
    assert_string_equal(r.notes.ptr, "");
    assert_string_equal(r.config.listen, NT_RELAY_DEFAULT.listen);
    assert_int_equal(r.config.idle_seconds, 0);
    end(&r);
}

static void a_port_alone_keeps_loopback_and_ipv6_gets_brackets(void **state)
{
    (void)state;
    read r;
    read_text(&r, "{\"port\":9}");
    assert_string_equal(r.config.listen, "127.0.0.1:9");
    end(&r);
    read_text(&r, "{\"host\":\"::1\"}");
    assert_string_equal(r.config.listen, "[::1]:8888");
    end(&r);
}

static void our_own_keys_stand_under_motet(void **state)
{
    (void)state;
    read r;
    read_text(&r,
              "{\"port\":9,\"motet\":{\"listen\":\"127.0.0.1:7\",\"queue_bytes\":5000,"
              "\"bus\":\"nats://x\",\"room\":\"r\",\"stall_secs\":3,\"strikes\":2}}");
    assert_string_equal(r.config.listen, "127.0.0.1:7");
    assert_int_equal(r.config.queue_bytes, 5000);
    assert_string_equal(r.config.bus, "nats://x");
    assert_int_equal(r.config.stall_seconds, 3);
    assert_int_equal(r.config.strikes, 2);
    end(&r);
}

static void every_key_has_its_place(void **state)
{
    (void)state;
    read r;
    read_text(&r, "{\"hyper_parameters\":{\"connection_buffer_size\":1,"
                  "\"command_buffer_size\":1,\"control_channel_capacity\":1,"
                  "\"queue_monitor_capacity\":1,\"timeout_check_interval_secs\":1,"
                  "\"accept_error_backoff_ms\":1,"
                  "\"quarantine_cleanup_interval_secs\":1,\"throttle_delay_ms\":1,"
                  "\"backpressure_policy\":{\"enable_throttle\":true,"
                  "\"throttle_threshold\":1,\"flow_control_threshold\":1}},"
                  "\"motet\":{\"metrics\":\"a\",\"metrics_file\":\"b\",\"log\":\"c\","
                  "\"cert\":\"d\",\"key\":\"e\",\"client_ca\":\"f\",\"bus\":null,"
                  "\"room\":\"g\",\"durable\":true,\"keep_secs\":11,"
                  "\"bus_pending\":12,\"max_line\":13,\"memory_bytes\":14,"
                  "\"max_clients\":15,\"stall_secs\":0}}");
    assert_string_equal(r.notes.ptr, "");
    const char *const said[] = {
        r.config.metrics, r.config.metrics_file, r.config.log, r.config.cert,
        r.config.key,     r.config.client_ca,    r.config.room};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        assert_int_equal(said[i][0], 'a' + i);
        assert_int_equal(said[i][1], 0);
    }
    assert_true(r.config.bus == NT_RELAY_DEFAULT.bus);
    assert_true(r.config.durable);
    assert_int_equal(r.config.keep_seconds, 11);
    assert_int_equal(r.config.bus_pending, 12);
    assert_int_equal(r.config.max_line, 13);
    assert_int_equal(r.config.memory_bytes, 14);
    assert_int_equal(r.config.max_clients, 15);
    assert_int_equal(r.config.stall_seconds, 0);
    /* What nobody says is as it was. */
    assert_int_equal(r.config.hold_ms, NT_RELAY_DEFAULT.hold_ms);
    assert_int_equal(r.config.idle_both_ways, NT_RELAY_DEFAULT.idle_both_ways);
    end(&r);
    read_text(&r, "{\"hyper_parameters\":{\"client_timeout_secs\":7}}");
    assert_false(r.config.idle_both_ways);
    assert_int_equal(r.config.idle_seconds, 7);
    end(&r);
    read_text(&r, "{\"hyper_parameters\":[],\"motet\":{\"keep_secs\":-1}}");
    assert_string_equal(r.notes.ptr,
                        "hyper_parameters is not an object; left out\n"
                        "motet.keep_secs has the wrong type or range; left out\n");
    end(&r);
    read_text(&r, "{\"hyper_parameters\":{\"backpressure_policy\":3}}");
    assert_string_equal(
        r.notes.ptr,
        "hyper_parameters.backpressure_policy is not an object; left out\n");
    end(&r);
}

static void wrong_types_and_unknown_keys_are_noted_and_left_out(void **state)
{
    (void)state;
    read r;
    assert_int_equal(
        read_text(&r, "{\"port\":99999,\"prot\":1,\"hyper_parameters\":{"
                      "\"rate_limit_msgs_per_minute\":-1,\"client_timeout_secs\":1.5},"
                      "\"motet\":[]}"),
        MT_OK);
    assert_string_equal(
        r.notes.ptr,
        "port has the wrong type or range; left out\n"
        "prot is not a setting of a relay; passed over\n"
        "motet is not an object; left out\n"
        "hyper_parameters.rate_limit_msgs_per_minute has the wrong type or range; left "
        "out\n"
        "hyper_parameters.client_timeout_secs has the wrong type or range; left out\n");
    assert_int_equal(r.config.rate_per_minute, NT_RELAY_DEFAULT.rate_per_minute);
    assert_string_equal(r.config.listen, NT_RELAY_DEFAULT.listen);
    end(&r);
    assert_int_equal(read_text(&r, "[]"), MT_E_TYPE);
    end(&r);
}

static void notes_come_in_the_order_of_the_file(void **state)
{
    (void)state;
    read r;
    assert_int_equal(read_text(&r, "{\"zz\":1,\"port\":99999,\"yy\":2,\"host\":7,"
                                   "\"motet\":{\"bus\":1,\"xx\":2,\"room\":3}}"),
                     MT_OK);
    assert_string_equal(r.notes.ptr,
                        "zz is not a setting of a relay; passed over\n"
                        "port has the wrong type or range; left out\n"
                        "yy is not a setting of a relay; passed over\n"
                        "host has the wrong type or range; left out\n"
                        "motet.bus has the wrong type or range; left out\n"
                        "motet.xx is not a setting of a relay; passed over\n"
                        "motet.room has the wrong type or range; left out\n");
    end(&r);
}

static void unknown_keys_get_the_nearest_known_one(void **state)
{
    (void)state;
    read r;
    read_text(&r, "{}");
    mt_json tree;
    mt_buf hints = {0};
    mt_str text = MT_STR("{\"prot\":1,\"zzzzzzzz\":2,\"hyper_parameters\":"
                         "{\"worker_thread\":1},\"motet\":{\"que_bytes\":1}}");
    assert_int_equal(mt_json_read(&r.arena, text, NULL, &tree, NULL), MT_OK);
    nt_relay_config_hints(&r.arena, &tree, &hints);
    mt_buf_addc(&hints, 0);
    assert_string_equal(
        hints.ptr, "prot: did you mean `port`?\n"
                   "hyper_parameters.worker_thread: did you mean `worker_threads`?\n"
                   "motet.que_bytes: did you mean `queue_bytes`?\n");
    mt_buf_free(&hints);
    end(&r);
}

/* At the limit, and one beyond. */
static void numbers_have_bounds(void **state)
{
    (void)state;
    read r;
    read_text(&r, "{\"port\":65535,\"hyper_parameters\":{\"flow_control_delay_ms\":"
                  "1073741824},\"motet\":{\"max_line\":1099511627776}}");
    assert_string_equal(r.notes.ptr, "");
    assert_string_equal(r.config.listen, "127.0.0.1:65535");
    assert_int_equal(r.config.hold_ms, 1 << 30);
    assert_int_equal(r.config.max_line, (int64_t)1 << 40);
    end(&r);
    read_text(&r, "{\"port\":65536,\"hyper_parameters\":{\"flow_control_delay_ms\":"
                  "1073741825},\"motet\":{\"max_line\":1099511627777}}");
    assert_string_equal(r.notes.ptr,
                        "port has the wrong type or range; left out\n"
                        "hyper_parameters.flow_control_delay_ms has the wrong type or "
                        "range; left out\n"
                        "motet.max_line has the wrong type or range; left out\n");
    end(&r);
}

static void a_policy_that_is_off_turns_the_delay_off(void **state)
{
    (void)state;
    read r;
    read_text(&r, "{\"hyper_parameters\":{\"flow_control_delay_ms\":5,"
                  "\"backpressure_policy\":{\"enable_flow_control\":false,"
                  "\"enable_disconnect\":1}}}");
    assert_int_equal(r.config.hold_ms, 0);
    assert_int_equal(r.config.stall_seconds, NT_RELAY_DEFAULT.stall_seconds);
    assert_string_equal(r.notes.ptr,
                        "hyper_parameters.backpressure_policy.enable_disconnect has "
                        "the wrong type or range; left out\n");
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_existing_relay_s_file_is_read),
        cmocka_unit_test(null_means_never_or_default),
        cmocka_unit_test(a_port_alone_keeps_loopback_and_ipv6_gets_brackets),
        cmocka_unit_test(our_own_keys_stand_under_motet),
        cmocka_unit_test(every_key_has_its_place),
        cmocka_unit_test(wrong_types_and_unknown_keys_are_noted_and_left_out),
        cmocka_unit_test(notes_come_in_the_order_of_the_file),
        cmocka_unit_test(unknown_keys_get_the_nearest_known_one),
        cmocka_unit_test(numbers_have_bounds),
        cmocka_unit_test(a_policy_that_is_off_turns_the_delay_off),
    };
    return cmocka_run_group_tests_name("relay_config", tests, NULL, NULL);
}
