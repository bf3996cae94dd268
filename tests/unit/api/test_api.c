/* The public API for evaluation, as an embedder uses it, and from many threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <motet.h>

#ifndef TEST_DATA
#define TEST_DATA "tests/data"
#endif

static motet_str str(const char *text)
{
    return (motet_str){text, strlen(text)};
}

static motet_contract *escrow(void)
{
    motet_contract *c;
    assert_int_equal(motet_contract_open(TEST_DATA "/escrow.bundle.json", &c),
                     MOTET_OK);
    return c;
}

static const char FACTS[] =
    "{\"escrow_amount\":{\"amount\":\"8500.00\",\"currency\":\"USD\"},"
    "\"delivery_status\":\"confirmed\",\"line_items\":[{\"id\":\"L1\",\"description\":"
    "\"A\",\"amount\":{\"amount\":\"5000.00\",\"currency\":\"USD\"},\"valid\":true}]}";

static void typed_values_and_json_give_the_same_verdicts(void **state)
{
    (void)state;
    motet_contract *c = escrow();
    motet_facts *json = motet_facts_new(c), *typed = motet_facts_new(c);
    motet_verdicts *a = motet_verdicts_new(c), *b = motet_verdicts_new(c);
    assert_int_equal(motet_facts_read(json, str(FACTS), true), MOTET_OK);
    motet_facts_begin(typed);
    motet_facts_name(typed, "escrow_amount");
    motet_put_money(typed, "8500.00");
    motet_facts_name(typed, "line_items");
    motet_put_list(typed, 1);
    motet_put_record(typed); /* amount, description, id, valid */
    motet_put_money(typed, "5000.00");
    motet_put_text(typed, str("A"));
    motet_put_text(typed, str("L1"));
    motet_put_bool(typed, true);
    motet_facts_name(typed, "delivery_status");
    motet_put_text(typed, str("confirmed"));
    assert_int_equal(motet_facts_end(typed), MOTET_OK);
    assert_int_equal(motet_evaluate(json, a), MOTET_OK);
    assert_int_equal(motet_evaluate(typed, b), MOTET_OK);
    motet_str x = motet_verdicts_json(a), y = motet_verdicts_json(b);
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.ptr, y.ptr, x.len);
    assert_true(motet_verdict_present(a, "release_approved"));
    assert_false(motet_verdict_present(a, "refund_approved"));
    assert_false(motet_verdict_present(a, "no such verdict"));
    motet_verdicts_free(a);
    motet_verdicts_free(b);
    motet_facts_free(json);
    motet_facts_free(typed);
    motet_contract_free(c);
}

static void a_wrong_value_is_refused_with_its_path(void **state)
{
    (void)state;
    motet_contract *c = escrow();
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    assert_int_equal(motet_facts_read(f,
                                      str("{\"delivery_status\":\"pending\","
                                          "\"escrow_amount\":{\"amount\":\"1\","
                                          "\"currency\":\"EUR\"}}"),
                                      false),
                     MOTET_E_TYPE);
    motet_fault fault = motet_facts_fault(f);
    assert_string_equal(fault.kind, "currency_mismatch");
    assert_memory_equal(fault.path.ptr, "escrow_amount.currency", fault.path.len);
    assert_int_equal(motet_evaluate(f, v), MOTET_E_USAGE);
    motet_facts_begin(f);
    motet_facts_name(f, "line_items");
    motet_put_bool(f, true);
    assert_int_equal(motet_facts_end(f), MOTET_E_TYPE); /* the first failure */
    motet_facts_begin(f);
    motet_facts_name(f, "line_items");
    motet_put_list(f, 2);
    assert_int_equal(motet_facts_end(f), MOTET_E_USAGE);
    motet_facts_begin(f);
    assert_int_equal(motet_facts_name(f, "nonsense"), MOTET_E_NOTFOUND);
    motet_facts_begin(f);
    motet_facts_name(f, "delivery_status");
    assert_int_equal(motet_put_text(f, str("lost")), MOTET_E_TYPE);
    motet_facts_begin(f);
    assert_int_equal(motet_facts_end(f), MOTET_E_TYPE);
    assert_string_equal(motet_facts_fault(f).kind, "missing_fact");
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(c);
}

static void is_said(motet_str got, const char *expected)
{
    assert_int_equal(got.len, strlen(expected));
    assert_memory_equal(got.ptr, expected, got.len);
}

/* The answer is the one without them, and so is its code. */
static void FU20_an_unknown_fact_is_named_with_the_nearest(void **state)
{
    (void)state;
    static const char *const ASKED[] = {
        "eval",    "{\"facts\":%s}",
        "partial", "{\"facts\":%s,\"partial\":true}",
        "actions", "{\"facts\":%s,\"persona\":\"seller\"}"};
    static const char SAID[] =
        "the contract has no fact 'delivery_statu'; did you mean "
        "'delivery_status'?\nthe contract has no fact 'weather'";
    char facts[1000], with[2000], without[2000];
    snprintf(facts, sizeof facts, "%.*s,\"delivery_statu\":1,\"weather\":2}",
             (int)strlen(FACTS) - 1, FACTS);
    motet_contract *c = escrow();
    for (size_t i = 0; i < sizeof ASKED / sizeof *ASKED; i += 2) {
        motet_answer *a, *b;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(with, sizeof with, ASKED[i + 1], facts);
        snprintf(without, sizeof without, ASKED[i + 1], FACTS);
#pragma GCC diagnostic pop
        assert_int_equal(motet_contract_ask(c, ASKED[i], str(with), &a), MOTET_OK);
        assert_int_equal(motet_contract_ask(c, ASKED[i], str(without), &b), MOTET_OK);
        is_said(motet_answer_warnings(a), SAID);
        is_said(motet_answer_warnings(b), "");
        assert_int_equal(motet_answer_code(a), motet_answer_code(b));
        assert_int_equal(motet_answer_text(a).len, motet_answer_text(b).len);
        assert_memory_equal(motet_answer_text(a).ptr, motet_answer_text(b).ptr,
                            motet_answer_text(a).len);
        motet_answer_free(a);
        motet_answer_free(b);
    }
    motet_facts *f = motet_facts_new(c);
    assert_int_equal(motet_facts_read(f, str(facts), false), MOTET_OK);
    is_said(motet_facts_warnings(f), SAID);
    is_said(motet_facts_warnings(f), SAID);
    assert_int_equal(motet_facts_read(f, str(FACTS), false), MOTET_OK);
    is_said(motet_facts_warnings(f), "");
    assert_int_equal(motet_facts_read(f, str(facts), true), MOTET_E_TYPE);
    is_said(motet_facts_warnings(f), "");
    is_said(motet_facts_fault(f).message,
            "unknown fact: delivery_statu; did you mean 'delivery_status'?");
    assert_int_equal(motet_facts_read(f, str(facts), false), MOTET_OK);
    motet_facts_begin(f); /* what was read is not what is put */
    is_said(motet_facts_warnings(f), "");
    motet_facts_free(f);
    motet_contract_free(c);
}

static void a_broken_contract_says_what_is_wrong(void **state)
{
    (void)state;
    motet_contract *c;
    assert_int_not_equal(motet_contract_load(str("fact x {"), "x.tenor", &c), MOTET_OK);
    assert_true(motet_contract_message(c, 0).len > 0);
    motet_contract_free(c);
    assert_int_not_equal(motet_contract_load(str("{\"id\":1}"), "x.json", &c),
                         MOTET_OK);
    assert_true(motet_contract_message(c, 0).len > 0);
    motet_contract_free(c);
    assert_int_equal(motet_contract_open("no/such/file.json", &c), MOTET_E_NOTFOUND);
    motet_contract_free(c);
}

enum { THREADS = 4, ROUNDS = 500 };

typedef struct worker {
    pthread_t thread;
    const motet_contract *contract;
    const char *expected;
    int wrong;
} worker;

static void *evaluate_often(void *state)
{
    worker *w = state;
    motet_facts *f = motet_facts_new(w->contract);
    motet_verdicts *v = motet_verdicts_new(w->contract);
    for (int i = 0; i < ROUNDS; i++) {
        bool ok = motet_facts_read(f, str(FACTS), false) == MOTET_OK &&
                  motet_evaluate(f, v) == MOTET_OK;
        motet_str json = motet_verdicts_json(v);
        w->wrong += !ok || json.len != strlen(w->expected) ||
                    memcmp(json.ptr, w->expected, json.len) != 0;
    }
    motet_facts_free(f);
    motet_verdicts_free(v);
    return NULL;
}

static void threads_share_one_contract(void **state)
{
    (void)state;
    motet_contract *c = escrow();
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    motet_facts_read(f, str(FACTS), false);
    motet_evaluate(f, v);
    motet_str json = motet_verdicts_json(v);
    char *expected = strndup(json.ptr, json.len);
    worker workers[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        workers[i].contract = c;
        workers[i].expected = expected;
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, evaluate_often, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    free(expected);
    motet_facts_free(f);
    motet_verdicts_free(v);
    motet_contract_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_values_and_json_give_the_same_verdicts),
        cmocka_unit_test(a_wrong_value_is_refused_with_its_path),
        cmocka_unit_test(FU20_an_unknown_fact_is_named_with_the_nearest),
        cmocka_unit_test(a_broken_contract_says_what_is_wrong),
        cmocka_unit_test(threads_share_one_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
