/* Facts over HTTP: servers that answer, lie, stall, flood and send elsewhere. */
#include "http_fixture.h"

#include "adapter/post.h"
#include "adapter_fixture.h"

static http_server SERVER;

#define API(facts) SOURCE("api", "http", "'base_url':'http://127.0.0.1:1/'") facts

static mt_str config(mt_arena *a, const char *more)
{
    bool timed = strstr(more, "timeout:") != NULL;
    return mt_strf(a, "api:\n  base_url: http://127.0.0.1:%d\n%s%s", SERVER.port,
                   timed ? "" : "  timeout: 1s\n", more);
}

static void open_api(outlet *o, const char *constructs, const char *more)
{
    mt_arena scratch = {0};
    outlet_open(o, constructs, config(&scratch, more));
    mt_arena_free(&scratch);
}

/* ---- Values ---- */

static const struct value_row {
    const char *name, *path, *type, *want;
} VALUES[] = {
    {"E1_a_number_becomes_an_amount", "orders/{id}.balance", USD_TYPE,
     "{\"amount\":120.50,\"currency\":\"USD\"}"},
    {"E1_an_amount_with_currency_stays_as_it_is", "orders/{id}.price", USD_TYPE,
     "{\"amount\":\"9.99\",\"currency\":\"USD\"}"},
    {"E1_a_text_is_a_text", "orders/{id}.state", TEXT_TYPE, "\"open\""},
    {"E1_a_bool_is_a_bool", "orders/{id}.open", BOOL_TYPE, "true"},
    {"E1_a_number_is_a_number", "orders/{id}.count", INT_TYPE, "3"},
    {"E1_an_index_leads_into_an_array", "orders/{id}.lines.1.sku", TEXT_TYPE, "\"b\""},
    {"E1_a_number_becomes_a_duration", "orders/{id}.wait",
     "{'base':'Duration','max':9,'min':0,'unit':'days'}", "{\"value\":5}"},
    {"E6_a_moment_is_handed_on_as_written", "orders/{id}.due", "{'base':'DateTime'}",
     "\"2026-01-31T23:59:00+02:00\""},
    {"E1_a_leading_slash_changes_nothing", "/orders/{id}.count", INT_TYPE, "3"},
    {"E1_dots_lead_to_a_resource_as_slashes_do", "orders.{id}.count", INT_TYPE, "3"},
    {"E1_without_a_name_the_first_dot_ends_the_resource", "orders/7.lines.0.sku",
     TEXT_TYPE, "\"a\""},
    {"E1_without_a_dot_the_whole_answer_is_meant", "scalar", INT_TYPE, "42"},
};

static outlet open_row(const char *path, const char *type, const char *more)
{
    outlet o;
    mt_arena scratch = {0};
    mt_str text = mt_strf(&scratch, API(FACT_OF("api", "%s", "v", "%s")), path, type);
    open_api(&o, text.ptr, more);
    mt_arena_free(&scratch);
    return o;
}

static void gives_value(void **state)
{
    const struct value_row *row = *state;
    outlet o = open_row(row->path, row->type, "");
    assert_value(ask(&o, "v", "7"), row->want);
    outlet_close(&o);
}

/* ---- Faults ---- */

static const struct fault_row {
    const char *name, *path, *more, *want;
} FAULTS[] = {
    {"E1_a_server_error_is_no_value", "status/500.balance", "", "status"},
    {"E1_not_found_is_told_apart", "status/404.balance", "", "not_found"},
    {"E1_a_refused_credential_is_an_error", "status/401.v", "", "status"},
    {"E1_html_is_no_value", "garbage.v", "", "malformed"},
    {"E1_an_empty_answer_is_no_value", "empty.v", "", "malformed"},
    {"E1_a_key_twice_is_no_value", "twice.v", "", "malformed"},
    {"E1_a_cut_answer_is_no_value", "truncated.v", "", "malformed"},
    {"E1_a_hangup_is_no_value", "hangup.v", "", "malformed"},
    {"E1_a_missing_member_is_not_found", "orders/{id}.nothing", "", "not_found"},
    {"E1_null_is_not_found", "orders/{id}.none", "", "not_found"},
    {"E1_an_index_behind_the_end_is_not_found", "orders/{id}.lines.2", "", "not_found"},
    {"E1_a_member_of_a_text_is_not_found", "orders/{id}.state.x", "", "not_found"},
    {"E1_silence_ends_at_the_timeout", "silent.v", "", "timeout"},
    {"E1_drops_end_at_the_timeout", "drip.v", "", "timeout"},
    {"E1_an_announced_flood_is_refused", "huge.v", "", "too_large"},
    {"E1_an_endless_flood_is_cut_off", "endless.v", "", "too_large"},
    {"E1_endless_headers_are_cut_off", "headers.v", "", "too_large"},
    {"E1_max_bytes_is_what_is_configured", "orders/{id}.count", "  max_bytes: 20\n",
     "too_large"},
    {"E1_redirects_are_off", "moved.count", "", "redirect"},
    {"E1_a_redirect_to_another_origin_is_refused", "away.count", "  redirects: 5\n",
     "redirect"},
    {"E1_a_redirect_to_a_file_is_refused", "file.count", "  redirects: 5\n",
     "redirect"},
    {"E1_a_loop_of_redirects_ends", "loop.count", "  redirects: 5\n", "redirect"},
};

static void gives_fault(void **state)
{
    const struct fault_row *row = *state;
    outlet o = open_row(row->path, INT_TYPE, row->more);
    int64_t start = os_now_ms();
    ad_fact_error failed = AD_FACT_ERROR_COUNT;
    ad_fact_answer got = ask_and_hear(&o, "v", "7", 10000, &failed);
    assert_error(got, row->want);
    assert_true(os_now_ms() - start < 10000);
    /* A source that says that there is nothing has answered. */
    assert_int_equal(failed, got.error == AD_FACT_NOT_FOUND ? AD_FACT_OK : got.error);
    outlet_close(&o);
}

static void E1_an_allowed_redirect_is_followed(void **state)
{
    (void)state;
    outlet o = open_row("moved.count", INT_TYPE, "  redirects: 1\n");
    assert_value(ask(&o, "v", "7"), "3");
    outlet_close(&o);
}

static void E1_nobody_listening_is_unreachable(void **state)
{
    (void)state;
    outlet o;
    ad_fact_error failed = AD_FACT_OK;
    outlet_open(&o, API(FACT_OF("api", "v", "v", INT_TYPE)), MT_STR(""));
    assert_error(ask_and_hear(&o, "v", NULL, 10000, &failed), "unreachable");
    assert_int_equal(failed, AD_FACT_UNREACHABLE);
    outlet_close(&o);
}

/* A greeting of TLS that nobody answers is part of connecting. */
static void E1_connecting_has_a_time_of_its_own(void **state)
{
    (void)state;
    outlet o;
    mt_arena scratch = {0};
    outlet_open(&o, API(FACT_OF("api", "v", "v", INT_TYPE)),
                mt_strf(&scratch,
                        "api:\n  base_url: https://127.0.0.1:%d\n  timeout: 9s\n"
                        "  connect_timeout: 200ms\n",
                        SERVER.port));
    int64_t start = os_now_ms();
    assert_error(ask(&o, "v", NULL), "timeout");
    assert_true(os_now_ms() - start < 5000);
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_the_deadline_of_the_request_holds(void **state)
{
    (void)state;
    outlet o = open_row("silent.v", INT_TYPE, "  timeout: 30s\n");
    int64_t start = os_now_ms();
    assert_error(ask_within(&o, "v", "7", 100), "timeout");
    assert_true(os_now_ms() - start < 10000);
    assert_error(ask_within(&o, "v", "7", -1), "timeout");
    outlet_close(&o);
}

/* ---- Names in the path ---- */

static const struct hostile_row {
    const char *name, *value, *want; /* want: the target the server saw, or an error */
} HOSTILE[] = {
    {"E1_a_slash_adds_no_segment", "7/../../admin", "/o/7%2F..%2F..%2Fadmin/x"},
    {"E1_a_question_mark_adds_no_query", "7?admin=1", "/o/7%3Fadmin%3D1/x"},
    {"E1_an_ampersand_adds_no_parameter", "7&b=2", "/o/7%26b%3D2/x"},
    {"E1_a_fragment_cuts_nothing_off", "7#x", "/o/7%23x/x"},
    {"E1_a_percent_is_encoded_again", "%2e%2e%2f", "/o/%252e%252e%252f/x"},
    {"E1_a_line_end_adds_no_header", "7\r\nX-Evil: 1", "/o/7%0D%0AX-Evil%3A%201/x"},
    {"E1_another_host_is_only_a_segment", "@evil.example", "/o/%40evil.example/x"},
    {"E1_a_backslash_is_encoded", "..\\..", "/o/..%5C../x"},
    {"E1_braces_are_not_filled_again", "{id}", "/o/%7Bid%7D/x"},
    {"E1_umlauts_are_encoded_as_utf8", "\xc3\xa4", "/o/%C3%A4/x"},
    {"E1_harmless_characters_stay", "a-b_c.d~e", "/o/a-b_c.d~e/x"},
    {"E1_dot_dot_is_refused", "..", "param_refused"},
    {"E1_a_dot_is_refused", ".", "param_refused"},
    {"E1_an_empty_value_is_refused", "", "param_refused"},
};

static void keeps_its_segment(void **state)
{
    const struct hostile_row *row = *state;
    outlet o = open_row("o/{id}/x.target", TEXT_TYPE, "");
    ad_fact_answer got = ask(&o, "v", row->value);
    if (row->want[0] == '/') {
        mt_str want = mt_strf(&o.arena, "\"%s\"", row->want);
        assert_value(got, want.ptr);
    } else {
        assert_error(got, row->want);
        assert_int_equal(got.path.len, 0); /* what was refused is put into none */
    }
    outlet_close(&o);
}

static void E1_a_nul_or_a_very_long_value_is_refused(void **state)
{
    (void)state;
    outlet o = open_row("o/{id}.target", TEXT_TYPE, "");
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    ad_param params[] = {{MT_STR("id"), MT_STR("a\0b")},
                         {MT_STR("id"), mt_str_from(longest, sizeof longest)}};
    for (size_t i = 0; i < 2; i++) {
        uint32_t fact = 0;
        ad_fact_answer got;
        ad_fetch fetch = {.facts = &fact,
                          .fact_count = 1,
                          .params = &params[i],
                          .param_count = 1,
                          .deadline = os_now_ms() + 1000};
        ad_adapters_fetch(o.adapters, &fetch, &o.arena, &got);
        assert_error(got, "param_refused");
    }
    outlet_close(&o);
}

static void E1_the_query_of_a_configured_resource_is_safe_too(void **state)
{
    (void)state;
    outlet o =
        open_row("ignored", TEXT_TYPE,
                 "  facts:\n    v: {resource: 'find?by={id}&n=1', select: target}\n");
    assert_value(ask(&o, "v", "1&n=2#"), "\"/find?by=1%26n%3D2%23&n=1\"");
    assert_text(ask(&o, "v", "1").path, MT_STR("ignored"));
    outlet_close(&o);
}

/* ---- One request, many facts ---- */

#define SLOW(n) FACT_OF("api", "slow" n ".v", "f" n, INT_TYPE)

static void E1_facts_are_fetched_at_the_same_time(void **state)
{
    (void)state;
    outlet o;
    uint32_t facts[] = {0, 1, 2, 3, 4, 5};
    ad_fact_answer answers[6];
    open_api(&o, API(SLOW("1") SLOW("2") SLOW("3") SLOW("4") SLOW("5") SLOW("6")),
             "  timeout: 20s\n");
    ad_fetch fetch = {.facts = facts, .fact_count = 6, .deadline = os_now_ms() + 20000};
    atomic_store(&SERVER.most_slow, 0);
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, answers);
    assert_in_range(atomic_load(&SERVER.most_slow), 2, 6); /* at the same time */
    for (size_t i = 0; i < 6; i++) {
        assert_value(answers[i], "1");
        assert_int_equal(answers[i].fact, i);
    }
    outlet_close(&o);
}

static void E1_facts_of_one_resource_share_one_request(void **state)
{
    (void)state;
    outlet o;
    uint32_t facts[] = {1, 0};
    ad_fact_answer answers[2];
    open_api(&o,
             API(FACT_OF("api", "orders/{id}.count", "a", INT_TYPE)
                     FACT_OF("api", "orders/{id}.state", "b", TEXT_TYPE)),
             "");
    ad_param param = {MT_STR("id"), MT_STR("7")};
    ad_fetch fetch = {.facts = facts,
                      .fact_count = 2,
                      .params = &param,
                      .param_count = 1,
                      .deadline = os_now_ms() + 5000};
    int before = atomic_load(&SERVER.requests);
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, answers);
    assert_int_equal(atomic_load(&SERVER.requests), before + 1);
    assert_value(answers[0], "\"open\"");
    assert_value(answers[1], "3");
    assert_text(answers[0].digest, answers[1].digest);
    outlet_close(&o);
}

static void E1_one_failure_leaves_the_others_alone(void **state)
{
    (void)state;
    outlet o;
    uint32_t facts[] = {0, 1, 2};
    ad_fact_answer answers[3];
    open_api(&o,
             API(FACT_OF("api", "silent.v", "a", INT_TYPE)
                     FACT_OF("api", "orders/7.count", "b", INT_TYPE)
                         FACT_OF("api", "garbage.v", "c", INT_TYPE)),
             "");
    ad_fetch fetch = {.facts = facts, .fact_count = 3, .deadline = os_now_ms() + 300};
    ad_adapters_fetch(o.adapters, &fetch, &o.arena, answers);
    assert_error(answers[0], "timeout");
    assert_value(answers[1], "3");
    assert_error(answers[2], "malformed");
    outlet_close(&o);
}

static void E1_connections_are_used_again(void **state)
{
    (void)state;
    outlet o = open_row("orders/{id}.count", INT_TYPE, "");
    assert_value(ask(&o, "v", "7"), "3");
    int before = atomic_load(&SERVER.connections);
    for (int i = 0; i < 5; i++) {
        assert_value(ask(&o, "v", "7"), "3");
    }
    assert_int_equal(atomic_load(&SERVER.connections), before);
    outlet_close(&o);
}

/* ---- Staleness and failure ---- */

static int64_t TEST_NOW;

static int64_t test_now(void *context)
{
    (void)context;
    return TEST_NOW;
}

static outlet open_aging(const char *constructs, const char *more)
{
    outlet o;
    mt_arena scratch = {0};
    ad_adapter_options options = {.now_ms = test_now};
    TEST_NOW = 1000000000000;
    outlet_open_with(&o, constructs, config(&scratch, more), &options);
    mt_arena_free(&scratch);
    assert_int_equal(o.err, MT_OK);
    return o;
}

static void E1_a_value_is_asked_again_after_max_age(void **state)
{
    (void)state;
    outlet o = open_aging(API(FACT_OF("api", "orders/{id}.count", "v", INT_TYPE)),
                          "  max_age: 10s\n");
    int before = atomic_load(&SERVER.requests);
    ad_fact_answer first = ask(&o, "v", "7");
    assert_value(first, "3");
    TEST_NOW += 10000;
    ad_fact_answer second = ask(&o, "v", "7");
    assert_value(second, "3");
    assert_true(second.cached && !second.stale && !first.cached);
    assert_int_equal(second.fetched_at, first.fetched_at);
    assert_text(second.digest, first.digest);
    assert_int_equal(atomic_load(&SERVER.requests), before + 1);
    assert_error(ask(&o, "v", "8"), "not_found"); /* another instance, another answer */
    TEST_NOW += 1;
    assert_false(ask(&o, "v", "7").cached);
    assert_int_equal(atomic_load(&SERVER.requests), before + 3);
    TEST_NOW -= 5000; /* a clock put back makes nothing young again */
    assert_false(ask(&o, "v", "7").cached);
    outlet_close(&o);
}

static void E1_without_max_age_nothing_is_remembered(void **state)
{
    (void)state;
    outlet o = open_aging(API(FACT_OF("api", "orders/7.count", "v", INT_TYPE)), "");
    int before = atomic_load(&SERVER.requests);
    ask(&o, "v", NULL);
    ask(&o, "v", NULL);
    assert_int_equal(atomic_load(&SERVER.requests), before + 2);
    outlet_close(&o);
}

static void E1_a_stale_value_passes_only_as_long_as_allowed(void **state)
{
    (void)state;
    outlet o = open_aging(API(FACT_OF("api", "orders/7.count", "v", INT_TYPE)),
                          "  on_error: stale\n  stale_for: 1m\n");
    atomic_store(&SERVER.failing, 503);
    assert_error(ask(&o, "v", NULL), "status"); /* nothing to fall back on */
    atomic_store(&SERVER.failing, 0);
    assert_value(ask(&o, "v", NULL), "3");
    atomic_store(&SERVER.failing, 503);
    TEST_NOW += 60000;
    ad_fact_answer stale = ask(&o, "v", NULL);
    atomic_store(&SERVER.failing, 404); /* it works, and says there is none */
    ad_fact_answer gone = ask(&o, "v", NULL);
    atomic_store(&SERVER.failing, 503);
    TEST_NOW += 1;
    ad_fact_answer late = ask(&o, "v", NULL);
    atomic_store(&SERVER.failing, 0);
    assert_value(stale, "3");
    assert_true(stale.stale);
    assert_int_not_equal(stale.message.len, 0); /* why it had to be */
    assert_error(gone, "not_found");
    assert_error(late, "status");
    outlet_close(&o);
}

static void E1_a_default_stands_in_only_where_configured(void **state)
{
    (void)state;
    const char *constructs = API(FACT_OF_OR("api", "status/500.v", "v", INT_TYPE, "5"));
    outlet o = open_aging(constructs, "  on_error: default\n");
    ad_fact_answer got = ask(&o, "v", NULL);
    assert_error(got, "status");
    assert_true(got.use_default && !ad_fact_failed(&got));
    outlet_close(&o);
    o = open_aging(constructs, "");
    got = ask(&o, "v", NULL);
    assert_true(ad_fact_failed(&got));
    outlet_close(&o);
    o = open_aging(API(FACT_OF_OR("api", "orders/{id}.v", "v", INT_TYPE, "5")),
                   "  on_error: default\n");
    got = ask(&o, "v", NULL); /* the caller's fault, whatever the policy */
    assert_error(got, "param_missing");
    assert_true(ad_fact_failed(&got));
    outlet_close(&o);
}

/* ---- Credentials ---- */

#define SECRET "s3cret-t0ken"

static const struct auth_row {
    const char *name, *auth, *select, *want;
} AUTHS[] = {
    {"E1_a_bearer_token_is_sent", "{bearer: {env: MOTET_TEST_SECRET}}", "auth",
     "\"Bearer " SECRET "\""},
    {"E1_a_password_is_sent",
     "{basic: {user: motet, password: {env: MOTET_TEST_SECRET}}}", "auth",
     "\"Basic bW90ZXQ6czNjcmV0LXQwa2Vu\""},
    {"E1_a_key_is_sent_in_a_header",
     "{header: X-Api-Key, value: {env: MOTET_TEST_SECRET}}", "key", "\"" SECRET "\""},
    {"E1_a_key_is_sent_in_the_query", "{query: key, value: {env: MOTET_TEST_SECRET}}",
     "target", "\"/echo?key=" SECRET "\""},
};

static void sends_credential(void **state)
{
    const struct auth_row *row = *state;
    mt_arena scratch = {0};
    setenv("MOTET_TEST_SECRET", SECRET, 1);
    mt_str more = mt_strf(&scratch,
                          "  auth: %s\n  response: keep\n  facts:\n    v: {resource: "
                          "echo, select: %s}\n",
                          row->auth, row->select);
    outlet o = open_row("echo", TEXT_TYPE, more.ptr);
    ad_fact_answer got = ask(&o, "v", NULL);
    assert_value(got, row->want);
    /* The answer said it back to us; what is kept of it does not. */
    assert_int_not_equal(got.response.len, 0);
    assert_null(memmem(got.response.ptr, got.response.len, SECRET, strlen(SECRET)));
    assert_null(memmem(got.path.ptr, got.path.len, SECRET, strlen(SECRET)));
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_a_credential_is_in_no_error(void **state)
{
    static const char *const PATHS[] = {"status/500.v", "silent.v",   "garbage.v",
                                        "hangup.v",     "away.v",     "x.nothing",
                                        "huge.v",       "truncated.v"};
    (void)state;
    setenv("MOTET_TEST_SECRET", SECRET, 1);
    for (size_t i = 0; i < rows_count(PATHS); i++) {
        outlet o = open_row(PATHS[i], INT_TYPE,
                            "  timeout: 100ms\n"
                            "  auth: {query: key, value: {env: MOTET_TEST_SECRET}}\n");
        ad_fact_answer got = ask(&o, "v", NULL);
        mt_buf text = {0};
        mt_jw w = mt_jw_start(&text, false);
        ad_fact_fetch_json(&w, o.model, &got);
        assert_int_not_equal(got.error, AD_FACT_OK);
        assert_null(memmem(text.ptr, text.len, SECRET, strlen(SECRET)));
        mt_buf_free(&text);
        outlet_close(&o);
    }
}

/* ---- GraphQL ---- */

static mt_str graphql(mt_arena *a, const char *page, const char *more)
{
    return mt_strf(a, "shop:\n  endpoint: http://127.0.0.1:%d/%s\n%s", SERVER.port,
                   page, more);
}

#define SHOP(path, type)                                                               \
    SOURCE("shop", "graphql", "'endpoint':'http://127.0.0.1:1/graphql'")               \
    FACT_OF("shop", path, "v", type)

static void E1_a_plain_graphql_path_needs_no_query(void **state)
{
    (void)state;
    outlet o;
    mt_arena scratch = {0};
    outlet_open(&o, SHOP("order.total", INT_TYPE), graphql(&scratch, "graphql", ""));
    assert_value(ask(&o, "v", NULL), "7");
    pthread_mutex_lock(&SERVER.lock);
    assert_non_null(
        strstr(SERVER.last, "{\"query\":\"{ order { total } }\",\"variables\":{}}"));
    pthread_mutex_unlock(&SERVER.lock);
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_graphql_values_are_variables(void **state)
{
    (void)state;
    outlet o;
    mt_arena scratch = {0};
    outlet_open(&o, SHOP("order.{id}.id", TEXT_TYPE),
                graphql(&scratch, "graphql",
                        "  facts:\n    v:\n      query: 'query($id: ID!) { order(id: "
                        "$id) { id } }'\n      parameters: [id]\n      select: "
                        "order.id\n"));
    assert_value(ask(&o, "v", "7) { x } #"), "\"7) { x } #\"");
    outlet_close(&o);
    mt_arena_free(&scratch);
}

static void E1_graphql_errors_are_errors(void **state)
{
    (void)state;
    outlet o;
    mt_arena scratch = {0};
    outlet_open(&o, SHOP("order.total", INT_TYPE),
                graphql(&scratch, "graphql-error", ""));
    ad_fact_error failed = AD_FACT_OK;
    ad_fact_answer got = ask_and_hear(&o, "v", NULL, 10000, &failed);
    assert_error(got, "refused");
    assert_int_equal(failed, AD_FACT_REFUSED);
    assert_non_null(memmem(got.message.ptr, got.message.len, "no such field", 13));
    outlet_close(&o);
    mt_arena_free(&scratch);
}

/* ---- Threads ---- */

enum { THREADS = 8, ROUNDS = 25 };

static void *ask_often(void *state)
{
    outlet *shared = state;
    mt_arena arena = {0};
    uint32_t facts[] = {0, 1, 2};
    ad_param param = {MT_STR("id"), MT_STR("7")};
    for (int i = 0; i < ROUNDS; i++) {
        ad_fact_answer answers[3];
        ad_fetch fetch = {.facts = facts,
                          .fact_count = 3,
                          .params = &param,
                          .param_count = 1,
                          .deadline = os_now_ms() + 20000};
        mt_arena_reset(&arena);
        ad_adapters_fetch(shared->adapters, &fetch, &arena, answers);
        if (answers[0].error || !mt_str_is(answers[0].value, "3") || answers[1].error ||
            answers[2].error != AD_FACT_STATUS) {
            mt_arena_free(&arena);
            return NULL;
        }
    }
    mt_arena_free(&arena);
    return state;
}

static void E1_threads_fetch_at_the_same_time(void **state)
{
    (void)state;
    outlet o;
    pthread_t threads[THREADS];
    open_api(&o,
             API(FACT_OF("api", "orders/{id}.count", "a", INT_TYPE)
                     FACT_OF("api", "echo/{id}.target", "b", TEXT_TYPE)
                         FACT_OF("api", "status/500.v", "c", INT_TYPE)),
             "  timeout: 20s\n  max_age: 1ms\n  on_error: stale\n  stale_for: 1ms\n");
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, ask_often, &o);
    }
    for (int i = 0; i < THREADS; i++) {
        void *fine;
        pthread_join(threads[i], &fine);
        assert_non_null(fine);
    }
    outlet_close(&o);
}

/* ---- What the server itself tells others ---- */

static void only_a_plain_address_is_posted_to(void **state)
{
    static const char *const URLS[] = {"http://ada@127.0.0.1:1/",
                                       "http://ada:word@127.0.0.1:1/",
                                       "ftp://127.0.0.1:1/", "127.0.0.1:1"};
    (void)state;
    for (size_t i = 0; i < rows_count(URLS); i++) {
        mt_buf answer = {0}, why = {0};
        long status;
        ad_post post = {.url = mt_str_z(URLS[i]),
                        .type = "text/plain",
                        .timeout_ms = 5000,
                        .max_bytes = 1000};
        assert_int_equal(ad_post_send(&post, &status, &answer, &why), MT_E_USAGE);
        assert_text(mt_buf_str(&why),
                    MT_STR("it is not a plain http or https address"));
        mt_buf_free(&answer);
        mt_buf_free(&why);
    }
}

int main(void)
{
    rows_list list = {0};
    http_start(&SERVER);
    rows_add(&list, VALUES, gives_value);
    rows_add(&list, FAULTS, gives_fault);
    rows_add(&list, HOSTILE, keeps_its_segment);
    rows_add(&list, AUTHS, sends_credential);
    rows_test(&list, E1_an_allowed_redirect_is_followed);
    rows_test(&list, E1_nobody_listening_is_unreachable);
    rows_test(&list, E1_connecting_has_a_time_of_its_own);
    rows_test(&list, E1_the_deadline_of_the_request_holds);
    rows_test(&list, E1_a_nul_or_a_very_long_value_is_refused);
    rows_test(&list, E1_the_query_of_a_configured_resource_is_safe_too);
    rows_test(&list, E1_facts_are_fetched_at_the_same_time);
    rows_test(&list, E1_facts_of_one_resource_share_one_request);
    rows_test(&list, E1_one_failure_leaves_the_others_alone);
    rows_test(&list, E1_connections_are_used_again);
    rows_test(&list, E1_a_value_is_asked_again_after_max_age);
    rows_test(&list, E1_without_max_age_nothing_is_remembered);
    rows_test(&list, E1_a_stale_value_passes_only_as_long_as_allowed);
    rows_test(&list, E1_a_default_stands_in_only_where_configured);
    rows_test(&list, E1_a_credential_is_in_no_error);
    rows_test(&list, E1_a_plain_graphql_path_needs_no_query);
    rows_test(&list, E1_graphql_values_are_variables);
    rows_test(&list, E1_graphql_errors_are_errors);
    rows_test(&list, E1_threads_fetch_at_the_same_time);
    rows_test(&list, only_a_plain_address_is_posted_to);
    int failed = rows_run(&list, "adapter/adapter_http");
    http_stop(&SERVER);
    return failed;
}
