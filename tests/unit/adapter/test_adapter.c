/* Facts from files, variables, people, the clock and child processes; what is refused
 * when adapters are opened; names; provenance. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapter_fixture.h"

/* ---- Refused at the start ---- */

#define HTTP_V                                                                         \
    SOURCE("s", "http", "'base_url':'http://h/'") FACT_OF("s", "v", "v", INT_TYPE)
#define DB_V(d)                                                                        \
    SOURCE("s", "database", "'dialect':'" d "'") FACT_OF("s", "t.v", "v", INT_TYPE)
#define V_OF(protocol) SOURCE("s", protocol, "") FACT_OF("s", "v", "v", INT_TYPE)

/* clang-format off */
static const struct refused_row {
    const char *name, *constructs, *yaml, *code, *what;
} REFUSED[] = {
    {"E1_grpc_without_a_layout_of_its_messages_is_refused_by_name",
     SOURCE("ledger_rpc", "grpc", "'endpoint':'h:1'") FACT_OF("ledger_rpc", "a.b", "v", INT_TYPE), "",
     "F101", "'ledger_rpc' needs proto"},
    {"E1_an_extension_without_a_process_is_refused_by_name", V_OF("x_bus.events"), "", "F102", "x_bus.events"},
    {"E1_an_unknown_dialect_is_refused_by_name", DB_V("mysql"), "", "F102", "dialect mysql"},
    {"E1_a_database_without_a_query_is_refused", DB_V("sqlite"), "s: {file: x.db}", "F104", "fact 'v'"},
    {"E1_sqlite_without_a_file_is_refused", DB_V("sqlite"), "s: {facts: {v: {query: SELECT 1}}}", "F101", "needs a file"},
    {"E1_postgres_without_a_connection_is_refused", DB_V("postgres"), "s: {facts: {v: {query: SELECT 1}}}", "F101", "connection"},
    {"E1_static_without_a_place_is_refused", V_OF("static"), "", "F101", "needs one of"},
    {"E1_static_with_two_places_is_refused", V_OF("static"), "s: {environment: true, file: x.json}", "F101", "needs one of"},
    {"E1_an_unknown_setting_is_refused", HTTP_V, "s: {retries: 3}", "F101", "'retries'"},
    {"E1_a_setting_of_another_adapter_is_refused", HTTP_V, "s: {file: x.db}", "F101", "'file'"},
    {"E1_a_setting_of_the_wrong_type_is_refused", HTTP_V, "s: {timeout: 5}", "F101", "'timeout'"},
    {"E1_a_limit_of_zero_is_refused", HTTP_V, "s: {max_bytes: 0}", "F101", "zero"},
    {"E1_settings_of_an_unknown_source_are_refused", HTTP_V, "t: {timeout: 5s}", "F101", "no source 't'"},
    {"E1_settings_of_an_unknown_fact_are_refused", HTTP_V, "s: {facts: {w: {select: a}}}", "F101", "'w'"},
    {"E1_another_scheme_is_refused", HTTP_V, "s: {base_url: 'file:///etc/passwd'}", "F101", "http or https"},
    {"E1_a_url_with_a_password_is_refused", HTTP_V, "s: {base_url: 'http://u:hunter22@h/'}", "F103", "use auth"},
    {"E1_a_literal_token_is_refused", HTTP_V, "s: {auth: {bearer: hunter22}}", "F103", "not written into"},
    {"E1_a_missing_variable_is_refused", HTTP_V, "s: {auth: {bearer: {env: MOTET_TEST_UNSET}}}", "F103", "MOTET_TEST_UNSET"},
    {"E1_a_missing_file_is_refused", HTTP_V, "s: {auth: {bearer: {file: /nonexistent/x}}}", "F103", "/nonexistent/x"},
    {"E1_an_unknown_kind_of_auth_is_refused", HTTP_V, "s: {auth: {magic: {env: X}}}", "F101", "'auth.magic' of source 's' is not a key of auth"},
    {"E1_a_misspelt_kind_of_auth_gets_the_nearest_one", HTTP_V, "s: {auth: {baerer: {env: X}}}", "F101",
     "'auth.baerer' of source 's' is not a key of auth (did you mean `bearer`?)"},
    {"E1_auth_that_is_text_is_refused", HTTP_V, "s: {auth: hunter22}", "F103", "must be none"},
    {"E1_auth_that_is_empty_is_refused", HTTP_V, "s: {auth: {}}", "F103", "must be none"},
    {"E1_auth_in_two_ways_is_refused", HTTP_V, "s: {auth: {bearer: {env: HOME}, header: X, value: {env: HOME}}}", "F103", "must be none"},
    {"E1_a_header_and_a_query_are_two_ways", HTTP_V, "s: {auth: {header: X, query: x, value: {env: HOME}}}", "F103", "must be none"},
    {"E1_a_named_auth_needs_its_value", HTTP_V, "s: {auth: {header: X}}", "F103", "must be none"},
    {"E1_a_value_needs_its_name", HTTP_V, "s: {auth: {value: {env: HOME}}}", "F103", "must be none"},
    {"E1_a_value_beside_a_token_is_refused", HTTP_V, "s: {auth: {bearer: {env: HOME}, value: {env: HOME}}}", "F103", "must be none"},
    {"E1_a_header_of_auth_is_a_name", HTTP_V, "s: {auth: {header: 'X: hunter22', value: {env: HOME}}}", "F101",
     "'auth.header' of source 's' must be a name of letters"},
    {"E1_a_query_of_auth_is_a_name", HTTP_V, "s: {auth: {query: 'a=b', value: {env: HOME}}}", "F101",
     "'auth.query' of source 's' must be a name of letters"},
    {"E1_a_header_of_auth_is_text", HTTP_V, "s: {auth: {header: 5, value: {env: HOME}}}", "F101",
     "'auth.header' of source 's' must be text, not a number"},
    {"E1_basic_auth_is_an_object", HTTP_V, "s: {auth: {basic: hunter22}}", "F101", "'auth.basic' of source 's' must be an object, not text"},
    {"E1_basic_auth_needs_a_user", HTTP_V, "s: {auth: {basic: {password: {env: HOME}}}}", "F101", "'auth.basic.user' of source 's' is missing"},
    {"E1_basic_auth_needs_a_password", HTTP_V, "s: {auth: {basic: {user: u}}}", "F101", "'auth.basic.password' of source 's' is missing"},
    {"E1_a_user_is_not_empty", HTTP_V, "s: {auth: {basic: {user: '', password: {env: HOME}}}}", "F101", "'auth.basic.user' of source 's' must not be empty"},
    {"E1_a_user_has_no_NUL", HTTP_V, "s: {auth: {basic: {user: \"a\\0b\", password: {env: HOME}}}}", "F101",
     "'auth.basic.user' of source 's' must not contain a NUL"},
    {"E1_a_misspelt_key_of_basic_auth_gets_the_nearest_one", HTTP_V, "s: {auth: {basic: {user: u, pasword: {env: HOME}}}}", "F101",
     "(did you mean `password`?)"},
    {"E1_a_password_is_not_written_out", HTTP_V, "s: {auth: {basic: {user: u, password: hunter22}}}", "F103", "not written into"},
    {"E1_a_misspelt_reference_gets_the_nearest_one", HTTP_V, "s: {auth: {bearer: {evn: X}}}", "F101",
     "'auth.evn' of source 's' is not a key of a reference to a credential (did you mean `env`?)"},
    {"E1_a_reference_is_one_of_two", HTTP_V, "s: {auth: {bearer: {env: HOME, file: x}}}", "F103", "not written into"},
    {"E1_a_reference_has_no_NUL", HTTP_V, "s: {auth: {bearer: {file: \"/etc/passwd\\0x\"}}}", "F101", "'auth.file' of source 's' must not contain a NUL"},
    {"E1_a_reference_is_not_empty", HTTP_V, "s: {auth: {bearer: {env: ''}}}", "F101", "'auth.env' of source 's' must not be empty"},
    {"E1_declared_auth_must_be_configured",
     SOURCE("s", "http", "'auth':'bearer_token','base_url':'http://h'") FACT_OF("s", "v", "v", INT_TYPE), "",
     "F103", "declares auth bearer_token"},
    {"E1_stale_without_a_bound_is_refused", HTTP_V, "s: {on_error: stale}", "F105", "stale_for"},
    {"E1_a_default_that_does_not_exist_is_refused", HTTP_V, "s: {on_error: default}", "F105", "no default"},
    {"E1_a_graphql_path_with_names_needs_a_query",
     SOURCE("s", "graphql", "'endpoint':'http://h/'") FACT_OF("s", "o.{id}.v", "v", INT_TYPE), "", "F104", "needs a query"},
    {"E1_a_clock_gives_no_number", V_OF("x_motet.clock"), "", "F104", "DateTime"},
    {"E1_a_clock_fixed_at_no_time_is_refused", V_OF("x_motet.clock"), "s: {fixed: noon}", "F101", "'fixed'"},
    {"E1_a_command_must_be_a_list", V_OF("x_a"), "s: {command: 'rm -rf'}", "F101", "list"},
    {"E1_variables_of_a_process_must_be_a_list", V_OF("x_a"), "s: {command: [cat], environment: true}", "F101", "list of names"},
    {"E1_a_variable_of_a_process_must_be_a_name", V_OF("x_a"), "s: {command: [cat], environment: ['A=B']}", "F101", "list of names"},
    {"E1_a_variable_of_a_process_must_be_set", V_OF("x_a"), "s: {command: [cat], environment: [MOTET_TEST_UNSET]}", "F103", "MOTET_TEST_UNSET"},
    {"E1_instances_of_an_unknown_entity_are_refused", HTTP_V, "s: {instances: {id: Order}}", "F101", "entities of the contract"},
    {"E1_a_misspelt_setting_gets_the_nearest_one", HTTP_V, "s: {timeot: 5s}", "F101",
     "'timeot' of source 's' is not a key of a source served by motet.http (did you mean `timeout`?)"},
    {"E1_a_misspelt_setting_of_a_fact_gets_the_nearest_one", HTTP_V, "s: {facts: {v: {selct: a}}}", "F101",
     "'selct' of fact 'v' is not a key of a fact served by motet.http (did you mean `select`?)"},
    {"E1_a_number_for_a_text_is_refused", HTTP_V, "s: {base_url: 5}", "F101", "'base_url' of source 's' must be text"},
    {"E1_an_empty_text_is_refused", HTTP_V, "s: {proxy: ''}", "F101", "'proxy' of source 's' must be text"},
    {"E1_one_byte_too_many_is_refused", HTTP_V, "s: {max_bytes: 4294967297}", "F101", "a whole number from 0 to 4294967296"},
    {"E1_one_redirect_too_many_is_refused", HTTP_V, "s: {redirects: 11}", "F101", "a whole number from 0 to 10"},
    {"E1_one_connection_too_many_is_refused", DB_V("sqlite"), "s: {connections: 1001}", "F101", "a whole number from 0 to 1000"},
    {"E1_a_time_beyond_its_most_is_refused", HTTP_V, "s: {timeout: 87841h}", "F101", "a time from 0ms to 87840h"},
    {"E1_an_unknown_policy_gets_the_nearest_one", HTTP_V, "s: {on_error: fial}", "F101", "did you mean `fail`?"},
    {"E1_an_unknown_response_is_refused", HTTP_V, "s: {response: all}", "F101", "`digest` or `keep`"},
    {"E1_settings_of_a_source_are_an_object", HTTP_V, "s: [1]", "F101", "the settings of source 's' must be an object, not a list"},
    {"E1_settings_of_a_fact_are_an_object", HTTP_V, "s: {facts: {v: 1}}", "F101", "the settings of fact 'v' must be an object, not a number"},
    {"E1_facts_are_an_object", HTTP_V, "s: {facts: [v]}", "F101", "'facts' of source 's' must be an object"},
    {"E1_headers_are_an_object", HTTP_V, "s: {headers: [X]}", "F101", "'headers' of source 's' must be an object"},
    {"E1_parameters_are_names", DB_V("sqlite"), "s: {file: x.db, facts: {v: {query: q, parameters: [1]}}}", "F101", "list of names"},
    {"E1_a_misspelt_key_of_a_connection_gets_the_nearest_one", DB_V("postgres"), "s: {connection: {hots: h}}", "F101",
     "'connection.hots' of source 's' is not a key of a connection (did you mean `host`?)"},
    {"E1_a_url_is_the_whole_connection", DB_V("postgres"), "s: {connection: {url: {env: HOME}, host: h}}", "F101",
     "'connection.host' of source 's' is not a key of a connection by its url"},
    {"E1_a_header_is_text", HTTP_V, "s: {headers: {X-A: true}}", "F101", "names and texts"},
    {"E1_a_port_beyond_the_last_is_refused", DB_V("postgres"), "s: {connection: {port: 65536}}", "F101", "from 1 to 65535"},
    {"E1_a_port_before_the_first_is_refused", DB_V("postgres"), "s: {connection: {port: 0}}", "F101", "from 1 to 65535"},
    {"E1_a_command_begins_with_a_program", V_OF("x_a"), "s: {command: ['']}", "F101", "a program"},
    {"E1_a_command_has_a_word", V_OF("x_a"), "s: {command: []}", "F101", "1 to 4096 items"},
    {"E1_a_limit_of_no_time_is_refused", HTTP_V, "s: {timeout: 0s}", "F101", "a limit of source 's' is zero"},
    {"E1_a_limit_of_no_time_to_connect_is_refused", HTTP_V, "s: {connect_timeout: 0s}", "F101", "a limit of source 's' is zero"},
    {"E1_a_limit_of_no_connection_is_refused", DB_V("sqlite"), "s: {file: x, connections: 0, facts: {v: {query: q}}}", "F101", "a limit of source 's' is zero"},
    {"E1_a_header_has_a_name_of_letters", HTTP_V, "s: {headers: {'X A': b}}", "F101", "names and texts"},
    {"E1_a_header_has_a_name", HTTP_V, "s: {headers: {'': b}}", "F101", "names and texts"},
    {"E1_a_header_is_not_null", HTTP_V, "s: {headers: {X-A: null}}", "F101", "names and texts"},
    {"E1_a_header_is_not_a_list", HTTP_V, "s: {headers: {X-A: [b]}}", "F101", "names and texts"},
    {"E1_a_header_has_no_line_end", HTTP_V, "s: {headers: {X-B: b, X-A: \"b\\nc\", X-C: c}}", "F101", "names and texts"},
    {"E1_a_header_of_a_missing_variable_is_refused", HTTP_V, "s: {headers: {X-A: {env: MOTET_TEST_UNSET}}}", "F103", "MOTET_TEST_UNSET"},
    {"E1_a_base_with_a_query_is_refused", HTTP_V, "s: {base_url: 'http://h/?a'}", "F101", "has a query or fragment"},
    {"E1_a_base_with_a_fragment_is_refused", HTTP_V, "s: {base_url: 'http://h/#a'}", "F101", "has a query or fragment"},
    {"E1_a_base_with_a_blank_is_refused", HTTP_V, "s: {base_url: 'http://h/a b'}", "F101", "http or https"},
    {"E1_a_base_with_a_sign_nobody_sees_is_refused", HTTP_V, "s: {base_url: \"http://h/\\x7f\"}", "F101", "http or https"},
    {"E1_a_resource_with_a_fragment_is_refused", HTTP_V, "s: {facts: {v: {resource: 'a#b'}}}", "F104", "resource or select of fact 'v'"},
    {"E1_a_resource_with_a_blank_is_refused", HTTP_V, "s: {facts: {v: {resource: 'a b'}}}", "F104", "resource or select of fact 'v'"},
    {"E1_a_resource_with_half_a_name_is_refused", HTTP_V, "s: {facts: {v: {resource: 'a{b'}}}", "F104", "resource or select of fact 'v'"},
    {"E1_a_select_with_an_empty_step_is_refused", HTTP_V, "s: {facts: {v: {resource: a, select: 'b..c'}}}", "F104", "resource or select of fact 'v'"},
    {"E1_a_graphql_path_with_a_sign_needs_a_query",
     SOURCE("s", "graphql", "'endpoint':'http://h/'") FACT_OF("s", "a-b", "v", INT_TYPE), "", "F104", "needs a query"},
    {"E1_a_graphql_select_is_a_way",
     SOURCE("s", "graphql", "'endpoint':'http://h/'") FACT_OF("s", "a", "v", INT_TYPE), "s: {facts: {v: {select: 'b..c'}}}", "F104", "needs a select"},
    {"E1_a_variable_of_a_fact_has_no_equals_sign", SOURCE("s", "static", "") FACT_OF("s", "A=B", "v", INT_TYPE), "s: {environment: true}",
     "F104", "needs the name of a variable"},
    {"E1_a_variable_of_a_fact_has_no_name_to_fill", SOURCE("s", "static", "") FACT_OF("s", "A_{b}", "v", INT_TYPE), "s: {environment: true}",
     "F104", "needs the name of a variable"},
    {"E1_a_way_into_a_document_has_no_empty_step", SOURCE("s", "static", "") FACT_OF("s", "a", "v", INT_TYPE),
     "s: {file: x.json, facts: {v: {select: 'a..b'}}}", "F104", "no way into a document"},
    {"E1_a_clock_has_no_day_now", SOURCE("s", "x_motet.clock", "") FACT_OF("s", "now", "v", "{'base':'Date'}"), "", "F104", "a Date `today`"},
    {"E1_a_clock_has_no_moment_today", SOURCE("s", "x_motet.clock", "") FACT_OF("s", "today", "v", "{'base':'DateTime'}"), "", "F104", "a DateTime `now`"},
    {"E1_instances_are_texts", SOURCE("s", "http", "'base_url':'http://h/'") FACT_OF("s", "v", "v", INT_TYPE) ENTITY_OF("Order"),
     "s: {instances: {a: Order, b: 5, c: Order}}", "F101", "entities of the contract"},
    {"E1_sources_must_be_an_object", HTTP_V, "[1]", "F101", "not an object"},
};
/* clang-format on */

static void is_refused(void **state)
{
    const struct refused_row *row = *state;
    outlet o;
    unsetenv("MOTET_TEST_UNSET");
    outlet_open_with(&o, row->constructs, mt_str_z(row->yaml), NULL);
    assert_refused(&o, row->code, row->what);
    for (size_t i = 0; i < o.ds.len; i++) {
        mt_str message = o.ds.items[i].message;
        assert_null(memmem(message.ptr, message.len, "hunter22", 8));
    }
    outlet_close(&o);
}

static void E1_a_shared_configuration_may_name_other_sources(void **state)
{
    (void)state;
    outlet o;
    outlet_open_with(&o, HTTP_V, MT_STR("t: {timeout: 5s}"),
                     &(ad_adapter_options){.shared = true});
    assert_int_equal(o.err, MT_OK);
    outlet_close(&o);
}

static void E1_a_source_no_fact_uses_needs_no_adapter(void **state)
{
    (void)state;
    outlet o;
    outlet_open(&o, SOURCE("s", "grpc", "'endpoint':'h:1'") "," FACT("v", INT_TYPE),
                MT_STR(""));
    assert_false(ad_adapters_serves(o.adapters, 0));
    assert_error(ask(&o, "v", NULL), "no_source");
    outlet_close(&o);
}

static void E1_settings_at_their_limits_hold(void **state)
{
    static const char *const GOOD[] = {
        "s: {max_bytes: 4294967296, redirects: 10, timeout: 87840h, response: keep}",
        "s: {max_bytes: 1, redirects: 0, timeout: 1ms, max_age: 0s, response: digest}"};
    (void)state;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        outlet o;
        outlet_open(&o, HTTP_V, mt_str_z(GOOD[i]));
        assert_non_null(o.adapters);
        outlet_close(&o);
    }
}

/* ---- Credentials in files ---- */

static void E1_a_credential_file_others_may_read_is_refused(void **state)
{
    (void)state;
    outlet o;
    char path[] = "/tmp/motet-secret-XXXXXX";
    mt_arena scratch = {0};
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "hunter22\n", 9), 9);
    mt_str yaml = mt_strf(&scratch, "s: {auth: {bearer: {file: %s}}}", path);
    fchmod(fd, 0644);
    outlet_open_with(&o, HTTP_V, yaml, NULL);
    assert_refused(&o, "F103", "others");
    outlet_close(&o);
    fchmod(fd, 0600);
    outlet_open(&o, HTTP_V, yaml);
    outlet_close(&o);
    close(fd);
    unlink(path);
    mt_arena_free(&scratch);
}

static void E1_a_credential_with_a_line_end_is_refused(void **state)
{
    (void)state;
    outlet o;
    setenv("MOTET_TEST_SECRET", "hunter22\r\nX-Evil: 1", 1);
    outlet_open_with(&o, HTTP_V,
                     MT_STR("s: {auth: {bearer: {env: MOTET_TEST_SECRET}}}"), NULL);
    assert_refused(&o, "F103", "control characters");
    outlet_close(&o);
}

/* ---- static ---- */

static void E1_variables_are_read_as_the_type_says(void **state)
{
    (void)state;
    outlet o;
    setenv("MOTET_TEST_LIMIT", "12.50", 1);
    setenv("MOTET_TEST_ON", "true", 1);
    unsetenv("MOTET_TEST_UNSET");
    outlet_open(
        &o,
        SOURCE("s", "static", "") FACT_OF("s", "MOTET_TEST_LIMIT", "a", USD_TYPE)
            FACT_OF("s", "on", "b", BOOL_TYPE)
                FACT_OF("s", "MOTET_TEST_UNSET", "c", BOOL_TYPE),
        MT_STR("s: {environment: true, facts: {b: {variable: MOTET_TEST_ON}}}"));
    assert_value(ask(&o, "a", NULL), "{\"amount\":\"12.50\",\"currency\":\"USD\"}");
    assert_value(ask(&o, "b", NULL), "true");
    assert_error(ask(&o, "c", NULL), "not_found");
    outlet_close(&o);
}

#define MOMENT_TYPE "{'base':'DateTime'}"
#define RECORD_TYPE "{'base':'Record','fields':{'a':{'base':'Int','max':9,'min':0}}}"
#define WAIT_TYPE   "{'base':'Duration','max':99,'min':-99,'unit':'hours'}"
#define EXACT_TYPE  "{'base':'Decimal','precision':10,'scale':2}"

/* clang-format off */
static const struct text_row {
    const char *name, *type, *text, *want; /* want: a value, or !error */
} TEXTS[] = {
    {"E1_text_1_is_true", BOOL_TYPE, "1", "true"},
    {"E1_text_t_is_true", BOOL_TYPE, "t", "true"},
    {"E1_text_True_is_true", BOOL_TYPE, "True", "true"},
    {"E1_text_TRUE_is_true", BOOL_TYPE, "TRUE", "true"},
    {"E1_text_0_is_false", BOOL_TYPE, "0", "false"},
    {"E1_text_f_is_false", BOOL_TYPE, "f", "false"},
    {"E1_text_False_is_false", BOOL_TYPE, "False", "false"},
    {"E1_text_FALSE_is_false", BOOL_TYPE, "FALSE", "false"},
    {"E1_another_text_is_no_truth", BOOL_TYPE, "yes", "\"yes\""},
    {"E1_a_whole_number", INT_TYPE, "12", "12"},
    {"E1_a_negative_number", INT_TYPE, "-10", "-10"},
    {"E1_nothing_as_a_number", INT_TYPE, "0", "0"},
    {"E1_a_digit_before_and_behind", INT_TYPE, "1290", "1290"},
    {"E1_a_zero_before_it_is_text", INT_TYPE, "012", "\"012\""},
    {"E1_a_sign_only_is_text", INT_TYPE, "-", "\"-\""},
    {"E1_a_sign_and_a_zero_before_it_are_text", INT_TYPE, "-01", "\"-01\""},
    {"E1_a_plus_is_text", INT_TYPE, "+1", "\"+1\""},
    {"E1_signs_around_the_digits_are_text", INT_TYPE, "1:", "\"1:\""},
    {"E1_signs_before_the_digits_are_text", INT_TYPE, "1/", "\"1/\""},
    {"E1_a_fraction_is_text", INT_TYPE, "1.5", "\"1.5\""},
    {"E1_a_day_is_text", "{'base':'Date'}", "2026-01-31", "\"2026-01-31\""},
    {"E1_a_number_is_no_day", "{'base':'Date'}", "20260131", "\"20260131\""},
    {"E1_a_decimal_is_text", EXACT_TYPE, "1.50", "\"1.50\""},
    {"E1_an_amount_has_its_currency", USD_TYPE, "7", "{\"amount\":\"7\",\"currency\":\"USD\"}"},
    {"E1_a_number_of_a_unit", WAIT_TYPE, "-5", "{\"value\":-5}"},
    {"E1_a_duration_as_an_object", WAIT_TYPE, "{\"value\": 5, \"unit\": \"hours\"}", "{\"unit\":\"hours\",\"value\":5}"},
    {"E1_a_duration_that_is_none", WAIT_TYPE, "5h", "!malformed"},
    {"E1_a_moment_of_a_database", MOMENT_TYPE, "2026-01-31 23:59:00+00", "\"2026-01-31T23:59:00+00:00\""},
    {"E1_a_moment_west_of_there", MOMENT_TYPE, "2026-01-31 23:59:00-05", "\"2026-01-31T23:59:00-05:00\""},
    {"E1_a_moment_with_minutes_in_its_offset", MOMENT_TYPE, "2026-01-31 23:59:00+05:30", "\"2026-01-31T23:59:00+05:30\""},
    {"E1_a_moment_with_a_fraction", MOMENT_TYPE, "2026-01-31 23:59:00.5+00", "\"2026-01-31T23:59:00.5+00:00\""},
    {"E1_a_moment_with_its_letter", MOMENT_TYPE, "2026-01-31T23:59:00Z", "\"2026-01-31T23:59:00Z\""},
    {"E1_a_moment_with_a_letter_at_its_end", MOMENT_TYPE, "2026-01-31 23:59:00Z", "\"2026-01-31T23:59:00Z\""},
    {"E1_a_moment_without_an_offset_stays_without", MOMENT_TYPE, "2026-01-31 23:59:00", "\"2026-01-31 23:59:00\""},
    {"E1_text_that_is_no_moment", MOMENT_TYPE, "noon", "\"noon\""},
    {"E1_text_stays_text", TEXT_TYPE, "1", "\"1\""},
    {"E1_a_record_is_an_object", RECORD_TYPE, " {\"a\" : 1}", "{\"a\":1}"},
    {"E1_a_record_that_is_none", RECORD_TYPE, "{a}", "!malformed"},
    {"E1_a_list_is_one", "{'base':'List','element_type':" INT_TYPE ",'max':3}", "[1, 2]", "[1,2]"},
};

static const struct json_row {
    const char *name, *type, *yaml, *want;
} JSONS[] = {
    {"E1_a_bare_number_is_an_amount", USD_TYPE, "1.50", "{\"amount\":1.50,\"currency\":\"USD\"}"},
    {"E1_a_bare_text_is_an_amount", USD_TYPE, "'1.50'", "{\"amount\":\"1.50\",\"currency\":\"USD\"}"},
    {"E1_an_amount_that_is_whole_stays", USD_TYPE, "{currency: EUR, amount: '1'}", "{\"amount\":\"1\",\"currency\":\"EUR\"}"},
    {"E1_a_bare_number_is_of_the_unit", WAIT_TYPE, "5", "{\"value\":5}"},
    {"E1_a_bare_text_is_not", WAIT_TYPE, "'5'", "\"5\""},
    {"E1_a_truth_stays", BOOL_TYPE, "true", "true"},
    {"E1_a_number_stays", INT_TYPE, "5", "5"},
    {"E1_a_record_stays", RECORD_TYPE, "{b: 1, a: 2}", "{\"a\":2,\"b\":1}"},
};
/* clang-format on */

static void text_is_shaped(void **state)
{
    const struct text_row *row = *state;
    outlet o;
    mt_arena scratch = {0};
    mt_str text = mt_strf(
        &scratch, SOURCE("s", "static", "") FACT_OF("s", "MOTET_TEST_TEXT", "v", "%s"),
        row->type);
    setenv("MOTET_TEST_TEXT", row->text, 1);
    outlet_open(&o, text.ptr, MT_STR("s: {environment: true}"));
    ad_fact_answer got = ask(&o, "v", NULL);
    if (row->want[0] == '!') {
        assert_error(got, row->want + 1);
    } else {
        assert_value(got, row->want);
    }
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void json_is_shaped(void **state)
{
    const struct json_row *row = *state;
    outlet o;
    mt_arena scratch = {0};
    mt_str text = mt_strf(
        &scratch, SOURCE("s", "static", "") FACT_OF("s", "a", "v", "%s"), row->type);
    outlet_open(&o, text.ptr, mt_strf(&scratch, "s: {values: {a: %s}}", row->yaml));
    assert_value(ask(&o, "v", NULL), row->want);
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_values_may_stand_in_the_configuration(void **state)
{
    (void)state;
    outlet o;
    outlet_open(&o,
                SOURCE("s", "static", "") FACT_OF("s", "limits.{id}", "v", INT_TYPE),
                MT_STR("s: {values: {limits: {a: 5}}}"));
    assert_value(ask(&o, "v", "a"), "5");
    assert_error(ask(&o, "v", "b"), "not_found");
    assert_error(ask(&o, "v", NULL), "param_missing");
    outlet_close(&o);
}

static void E1_a_file_is_read_anew_for_every_request(void **state)
{
    (void)state;
    outlet o;
    char directory[] = "/tmp/motet-static-XXXXXX";
    mt_arena scratch = {0};
    assert_non_null(mkdtemp(directory));
    mt_str path = mt_strf(&scratch, "%s/limits.yaml", directory);
    ad_adapter_options options = {.directory = mt_str_z(directory)};
    outlet_open_with(&o,
                     SOURCE("s", "static", "") FACT_OF("s", "max.usd", "v", USD_TYPE),
                     MT_STR("s: {file: limits.yaml, max_bytes: 100}"), &options);
    assert_int_equal(o.err, MT_OK);
    assert_error(ask(&o, "v", NULL), "unreachable");
    for (int i = 1; i < 3; i++) {
        FILE *file = fopen(path.ptr, "w");
        fprintf(file, "max:\n  usd: %d\n", i);
        fclose(file);
        mt_str want = mt_strf(&scratch, "{\"amount\":%d,\"currency\":\"USD\"}", i);
        assert_value(ask(&o, "v", NULL), want.ptr);
    }
    FILE *file = fopen(path.ptr, "w");
    fprintf(file, "max: [\n");
    fclose(file);
    assert_error(ask(&o, "v", NULL), "malformed");
    file = fopen(path.ptr, "w");
    fprintf(file, "max: %200d\n", 1);
    fclose(file);
    assert_error(ask(&o, "v", NULL), "too_large");
    outlet_close(&o);
    unlink(path.ptr);
    rmdir(directory);
    mt_arena_free(&scratch);
}

/* ---- clock ---- */

#define CLOCK                                                                          \
    SOURCE("clock", "x_motet.clock", "")                                               \
    FACT_OF("clock", "now", "now", "{'base':'DateTime'}")                              \
    FACT_OF("clock", "today", "today", "{'base':'Date'}")

static void E1_the_clock_tells_the_time_in_utc(void **state)
{
    (void)state;
    outlet o;
    outlet_open(&o, CLOCK, MT_STR("clock: {fixed: '2026-03-01T00:30:00.25+02:00'}"));
    assert_value(ask(&o, "now", NULL), "\"2026-02-28T22:30:00.25Z\"");
    assert_value(ask(&o, "today", NULL), "\"2026-02-28\"");
    assert_text(ask(&o, "now", NULL).adapter_id, MT_STR("motet.clock"));
    outlet_close(&o);
}

static void E1_the_clock_runs_when_it_is_not_fixed(void **state)
{
    (void)state;
    outlet o;
    ct_time first, second;
    outlet_open(&o, CLOCK, MT_STR(""));
    ad_fact_answer a = ask(&o, "now", NULL);
    usleep(5000);
    ad_fact_answer b = ask(&o, "now", NULL);
    assert_true(ct_time_parse(mt_str_from(a.value.ptr + 1, a.value.len - 2), &first));
    assert_true(ct_time_parse(mt_str_from(b.value.ptr + 1, b.value.len - 2), &second));
    assert_true(first.seconds > 1700000000);
    assert_true(second.seconds > first.seconds || second.nanos > first.nanos);
    outlet_close(&o);
}

/* ---- manual ---- */

static ad_manual ASSERTED;
static mt_err ASSERTED_ERR;
static int64_t TEST_NOW;

static mt_err lookup(void *context, mt_arena *a, uint32_t fact, ad_manual *out)
{
    (void)a;
    assert_int_equal(fact, 0);
    assert_ptr_equal(context, &ASSERTED);
    *out = ASSERTED;
    return ASSERTED_ERR;
}

static int64_t test_now(void *context)
{
    (void)context;
    return TEST_NOW;
}

static const ad_adapter_options MANUAL = {
    .lookup_manual = lookup, .now_ms = test_now, .context = &ASSERTED};

static void E1_an_asserted_value_holds_until_it_expires(void **state)
{
    (void)state;
    outlet o;
    outlet_open_with(&o, V_OF("manual"), MT_STR(""), &MANUAL);
    assert_int_equal(o.err, MT_OK);
    assert_true(ad_adapters_is_manual(o.adapters, 0));
    TEST_NOW = 5000;
    ASSERTED_ERR = MT_OK;
    ASSERTED = (ad_manual){MT_STR("7"), MT_STR("clerk"), 1000, 6000};
    ad_fact_answer got = ask(&o, "v", NULL);
    assert_value(got, "7");
    assert_text(got.asserted_by, MT_STR("clerk"));
    assert_int_equal(got.fetched_at, 1000);
    assert_int_equal(got.expires_at, 6000);
    TEST_NOW = 6000;
    assert_error(ask(&o, "v", NULL), "expired");
    ASSERTED.expires_at = 0;
    assert_value(ask(&o, "v", NULL), "7");
    ASSERTED.value = MT_STR("7,");
    assert_error(ask(&o, "v", NULL), "malformed");
    ASSERTED_ERR = MT_E_NOTFOUND;
    assert_error(ask(&o, "v", NULL), "not_asserted");
    ASSERTED_ERR = MT_E_IO;
    assert_error(ask(&o, "v", NULL), "unreachable");
    outlet_close(&o);
}

static void E1_max_age_bounds_what_people_said(void **state)
{
    (void)state;
    outlet o;
    outlet_open_with(&o, V_OF("manual"), MT_STR("s: {max_age: 2s}"), &MANUAL);
    ASSERTED_ERR = MT_OK;
    ASSERTED = (ad_manual){MT_STR("7"), MT_STR("clerk"), 1000, 0};
    TEST_NOW = 2999;
    assert_value(ask(&o, "v", NULL), "7");
    assert_int_equal(ad_adapters_manual_until(o.adapters, 0, &ASSERTED), 3000);
    TEST_NOW = 3000;
    assert_error(ask(&o, "v", NULL), "expired");
    ASSERTED.expires_at = 2000; /* the earlier one counts */
    assert_int_equal(ad_adapters_manual_until(o.adapters, 0, &ASSERTED), 2000);
    ASSERTED.expires_at = 4000;
    assert_int_equal(ad_adapters_manual_until(o.adapters, 0, &ASSERTED), 3000);
    outlet_close(&o);
}

static void E1_what_nobody_asserted_takes_its_default(void **state)
{
    static const char *const CONSTRUCTS =
        SOURCE("s", "manual", "") FACT_OF_OR("s", "v", "v", INT_TYPE, "5");
    (void)state;
    outlet o;
    outlet_open(&o, CONSTRUCTS, MT_STR(""));
    assert_true(ask(&o, "v", NULL).use_default);
    outlet_close(&o);
    outlet_open(&o, CONSTRUCTS, MT_STR("s: {on_error: fail}"));
    ad_fact_answer got = ask(&o, "v", NULL);
    assert_true(ad_fact_failed(&got));
    outlet_close(&o);
}

/* ---- Child processes ---- */

/* A shell that reads one request per line; `body` says what to do with $line. */
#define SERVER(body)                                                                   \
    "s: {timeout: 2s, processes: 2, command: [sh, -c, 'while read -r line; do "        \
    "n=${line#*request??}; n=${n%%,*}; " body "; done']}"
#define X_V                                                                            \
    SOURCE("s", "x_risk", "'zone':'eu'") FACT_OF("s", "risk.{id}.score", "v", INT_TYPE)

static void E1_a_process_answers_line_by_line(void **state)
{
    (void)state;
    outlet o;
    outlet_open(&o, X_V,
                MT_STR(SERVER("case $line in *''\"fields\":{\"zone\":\"eu\"},\"params\""
                              ":{\"id\":\"7\"},\"path\":\"risk.7.score\",\"protocol\":"
                              "\"x_risk\"''*) echo \"{\\\"request\\\":$n,"
                              "\\\"value\\\":$n}\";; *) exit 1;; esac")));
    for (int i = 1; i < 4; i++) { /* one process, its own numbers */
        mt_str want = mt_strf(&o.arena, "%d", i);
        ad_fact_answer got = ask(&o, "v", "7");
        assert_value(got, want.ptr);
        assert_text(got.adapter_id, MT_STR("motet.process/sh"));
    }
    assert_error(ask(&o, "v", "8"), "unreachable"); /* it ended */
    assert_value(ask(&o, "v", "7"), "1");           /* another one */
    outlet_close(&o);
}

/* It answers 1 and one more 1 for each variable it sees. (A shell makes itself a PATH,
 * but no TZ.) */
#define SEES                                                                           \
    "v=1${TZ:+1}${MOTET_TEST_GIVEN:+1}${MOTET_TEST_SECRET:+1}; "                       \
    "echo \"{\\\"request\\\":$n,\\\"value\\\":$v}\""

static void E1_a_process_sees_only_what_it_is_given(void **state)
{
    (void)state;
    outlet o;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    assert_int_equal(setenv("MOTET_TEST_GIVEN", "x", 1), 0);
    assert_int_equal(setenv("MOTET_TEST_SECRET", "x", 1), 0);
    outlet_open(&o, X_V, MT_STR(SERVER(SEES)));
    assert_value(ask(&o, "v", "7"), "11");
    outlet_close(&o);
    outlet_open(&o, X_V,
                MT_STR("s: {environment: [MOTET_TEST_GIVEN], command: [sh, -c, 'while "
                       "read -r line; do n=${line#*request??}; n=${n%%,*}; " SEES
                       "; done']}"));
    assert_value(ask(&o, "v", "7"), "111");
    outlet_close(&o);
    assert_int_equal(unsetenv("MOTET_TEST_SECRET"), 0);
}

static const struct process_row {
    const char *name, *yaml, *want;
} PROCESSES[] = {
    {"E1_what_a_process_refuses_is_refused",
     SERVER("echo \"{\\\"request\\\":$n,\\\"error\\\":\\\"no\\\"}\""), "refused"},
    {"E1_what_a_process_does_not_know_is_not_found",
     SERVER("echo \"{\\\"request\\\":$n,\\\"error\\\":\\\"not_found\\\"}\""),
     "not_found"},
    {"E1_an_answer_nobody_asked_for_is_malformed",
     SERVER("echo ''{\"request\":99,\"value\":1}''"), "malformed"},
    {"E1_a_line_that_is_no_json_is_malformed", SERVER("echo hello"), "malformed"},
    {"E1_value_and_error_together_are_malformed",
     SERVER("echo \"{\\\"request\\\":$n,\\\"error\\\":\\\"x\\\",\\\"value\\\":1}\""),
     "malformed"},
    {"E1_a_process_that_ends_is_unreachable", SERVER("exit 0"), "unreachable"},
    {"E1_a_process_that_does_not_exist_is_unreachable",
     "s: {command: [/nonexistent/adapter]}", "unreachable"},
    {"E1_a_silent_process_is_given_up", "s: {timeout: 150ms, command: [sleep, '60']}",
     "timeout"},
    {"E1_a_line_without_end_is_too_large",
     "s: {max_bytes: 1000, command: [sh, -c, 'head -c 100000 /dev/zero | tr \"\\0\" "
     "x']}",
     "too_large"},
};

/* Every process that was started has been ended and waited for. */
static void assert_no_process_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void process_fails(void **state)
{
    const struct process_row *row = *state;
    outlet o;
    outlet_open(&o, X_V, mt_str_z(row->yaml));
    assert_error(ask(&o, "v", "7"), row->want);
    assert_error(ask(&o, "v", "7"), row->want); /* the next one does not hang either */
    outlet_close(&o);
    assert_no_process_is_left();
}

static void E1_a_chatty_process_does_not_block(void **state)
{
    (void)state;
    outlet o;
    outlet_open(&o, X_V,
                MT_STR(SERVER("head -c 300000 /dev/zero >&2; echo "
                              "\"{\\\"request\\\":$n,\\\"value\\\":1}\"")));
    assert_value(ask(&o, "v", "7"), "1");
    outlet_close(&o);
}

/* ---- Names ---- */

static const struct bound_row {
    const char *name, *path;
    mt_str first, second; /* instances of Order and Buyer */
    const char *want;
} BOUND[] = {
    {"E1_the_only_bound_instance_fills_a_name", "a.{id}", MT_STR_INIT("o1"), {0}, "o1"},
    {"E1_an_entity_is_named_by_its_id", "a.{Buyer}", MT_STR_INIT("o1"),
     MT_STR_INIT("b1"), "b1"},
    {"E1_an_entity_is_named_with_id_behind", "a.{buyer_id}", MT_STR_INIT("o1"),
     MT_STR_INIT("b1"), "b1"},
    {"E1_two_instances_do_not_fill_a_foreign_name", "a.{id}", MT_STR_INIT("o1"),
     MT_STR_INIT("b1"), NULL},
    {"E1_instances_that_are_the_same_fill_any_name", "a.{id}", MT_STR_INIT("o1"),
     MT_STR_INIT("o1"), "o1"},
    {"E1_the_configuration_says_whose_instance_fills_a_name", "a.{mapped}",
     MT_STR_INIT("o1"), MT_STR_INIT("b1"), "b1"},
    {"E1_an_entity_that_is_not_bound_fills_nothing",
     "a.{mapped}",
     MT_STR_INIT("o1"),
     {0},
     NULL},
    {"E1_letters_of_either_case_name_an_entity", "a.{bUYER}", MT_STR_INIT("o1"),
     MT_STR_INIT("b1"), "b1"},
    {"E1_letters_of_either_case_and_id", "a.{ORDER_id}", MT_STR_INIT("o1"),
     MT_STR_INIT("b1"), "o1"},
    {"E1_a_name_as_long_as_an_entity_is_another", "a.{Older}", MT_STR_INIT("o1"),
     MT_STR_INIT("b1"), NULL},
    {"E1_the_end_of_a_name_is_another", "a.{my_order_id}", MT_STR_INIT("o1"),
     MT_STR_INIT("b1"), NULL},
    {"E1_the_other_bound_instance_fills_a_name",
     "a.{order}",
     {0},
     MT_STR_INIT("b1"),
     "b1"},
    {"E1_without_instances_a_name_stays_empty", "a.{id}", {0}, {0}, NULL},
};

static void binds_instance(void **state)
{
    const struct bound_row *row = *state;
    outlet o;
    mt_arena scratch = {0};
    uint32_t fact = 0;
    ad_fact_answer got;
    mt_str text = mt_strf(&scratch,
                          SOURCE("s", "static", "") FACT_OF("s", "%s", "v", TEXT_TYPE)
                              ENTITY_OF("Buyer") ENTITY_OF("Order"),
                          row->path);
    outlet_open(&o, text.ptr,
                MT_STR("s: {values: {a: {o1: o1, b1: b1}}, instances: "
                       "{mapped: Buyer}}"));
    bool order_first = mt_str_is(o.model->entities[0].id, "Order");
    mt_str instances[] = {order_first ? row->first : row->second,
                          order_first ? row->second : row->first};
    ad_fetch fetch = {.facts = &fact,
                      .fact_count = 1,
                      .instances = instances,
                      .deadline = os_now_ms() + 1000};
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, &got);
    if (row->want) {
        mt_str want = mt_strf(&scratch, "\"%s\"", row->want);
        assert_value(got, want.ptr);
    } else {
        assert_error(got, "param_missing");
    }
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_a_parameter_goes_before_an_instance(void **state)
{
    (void)state;
    outlet o;
    uint32_t fact = 0;
    ad_fact_answer got;
    mt_str instance = MT_STR("o1");
    ad_param param = {MT_STR("Order"), MT_STR("p1")};
    outlet_open(&o,
                SOURCE("s", "static", "") FACT_OF("s", "{Order}", "v", INT_TYPE)
                    ENTITY_OF("Order"),
                MT_STR("s: {values: {o1: 1, p1: 2}}"));
    ad_fetch fetch = {.facts = &fact,
                      .fact_count = 1,
                      .params = &param,
                      .param_count = 1,
                      .instances = &instance,
                      .deadline = os_now_ms() + 1000};
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, &got);
    assert_value(got, "2");
    outlet_close(&o);
}

/* ---- Provenance ---- */

static void C5A_10_provenance_has_exactly_its_fields(void **state)
{
    (void)state;
    outlet o;
    ad_adapter_options options = {.now_ms = test_now};
    TEST_NOW = 1767225600250;
    outlet_open_with(&o,
                     SOURCE("s", "static", "") FACT_OF("s", "max.{id}", "v", INT_TYPE),
                     MT_STR("s: {values: {max: {a: 5}}}"), &options);
    ad_fact_answer got = ask(&o, "v", "a");
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    ad_fact_provenance_json(&w, o.model, &got);
    assert_text(mt_buf_str(&text),
                MT_STR("{\"adapter_id\":\"motet.static\",\"assertion_source\":"
                       "\"external\",\"fetch_timestamp\":\"2026-01-01T00:00:00.25Z\","
                       "\"id\":\"v\",\"source\":{\"path\":\"max.{id}\",\"source_id\":"
                       "\"s\"},\"source_response\":\"sha256:ef2d127de37b942baad06145e5"
                       "4b0c619a1f22327b2ebbcfbec78f5564afe39d\",\"value\":5}"));
    mt_buf_clear(&text);
    w = mt_jw_start(&text, false);
    ad_fact_fetch_json(&w, o.model, &got);
    assert_text(
        mt_buf_str(&text),
        MT_STR("{\"cached\":false,\"fact\":\"v\",\"path\":\"max.a\",\"protocol\":"
               "\"static\",\"response_digest\":\"sha256:ef2d127de37b942baad0614"
               "5e54b0c619a1f22327b2ebbcfbec78f5564afe39d\",\"source\":\"s\","
               "\"stale\":false}"));
    mt_buf_free(&text);
    outlet_close(&o);
}

static void C5A_10_the_response_is_kept_where_configured(void **state)
{
    (void)state;
    outlet o;
    outlet_open(&o, SOURCE("s", "static", "") FACT_OF("s", "a", "v", INT_TYPE),
                MT_STR("s: {values: {a: 5}, response: keep}"));
    ad_fact_answer got = ask(&o, "v", NULL);
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    ad_fact_provenance_json(&w, o.model, &got);
    assert_non_null(memmem(text.ptr, text.len, "\"source_response\":\"5\"", 21));
    mt_buf_free(&text);
    outlet_close(&o);
}

static void E1_given_and_fetched_facts_join(void **state)
{
    (void)state;
    outlet o;
    mt_json given;
    outlet_open(&o,
                SOURCE("s", "static", "") FACT_OF("s", "a", "v", INT_TYPE)
                    FACT_OF("s", "b", "w", INT_TYPE) FACT_OF("s", "c", "x", INT_TYPE),
                MT_STR("s: {values: {a: 5, b: 6}}"));
    uint32_t facts[] = {0, 1, 2};
    ad_fact_answer answers[3];
    ad_fetch fetch = {.facts = facts, .fact_count = 3, .deadline = os_now_ms() + 1000};
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, answers);
    mt_json_read(&o.arena, MT_STR("{\"w\": 9, \"z\": [1]}"), NULL, &given, NULL);
    mt_buf text = {0};
    ad_facts_join(&text, o.model, &given, answers, 3);
    assert_text(mt_buf_str(&text), MT_STR("{\"w\":9,\"z\":[1],\"v\":5}"));
    mt_buf_free(&text);
    outlet_close(&o);
}

int main(void)
{
    rows_list list = {0};
    signal(SIGPIPE, SIG_IGN);
    rows_add(&list, REFUSED, is_refused);
    rows_add(&list, TEXTS, text_is_shaped);
    rows_add(&list, JSONS, json_is_shaped);
    rows_add(&list, PROCESSES, process_fails);
    rows_add(&list, BOUND, binds_instance);
    rows_test(&list, E1_a_shared_configuration_may_name_other_sources);
    rows_test(&list, E1_a_source_no_fact_uses_needs_no_adapter);
    rows_test(&list, E1_settings_at_their_limits_hold);
    rows_test(&list, E1_a_credential_file_others_may_read_is_refused);
    rows_test(&list, E1_a_credential_with_a_line_end_is_refused);
    rows_test(&list, E1_variables_are_read_as_the_type_says);
    rows_test(&list, E1_values_may_stand_in_the_configuration);
    rows_test(&list, E1_a_file_is_read_anew_for_every_request);
    rows_test(&list, E1_the_clock_tells_the_time_in_utc);
    rows_test(&list, E1_the_clock_runs_when_it_is_not_fixed);
    rows_test(&list, E1_an_asserted_value_holds_until_it_expires);
    rows_test(&list, E1_max_age_bounds_what_people_said);
    rows_test(&list, E1_what_nobody_asserted_takes_its_default);
    rows_test(&list, E1_a_process_answers_line_by_line);
    rows_test(&list, E1_a_process_sees_only_what_it_is_given);
    rows_test(&list, E1_a_chatty_process_does_not_block);
    rows_test(&list, E1_a_parameter_goes_before_an_instance);
    rows_test(&list, C5A_10_provenance_has_exactly_its_fields);
    rows_test(&list, C5A_10_the_response_is_kept_where_configured);
    rows_test(&list, E1_given_and_fetched_facts_join);
    return rows_run(&list, "adapter/adapter");
}
