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

/* ---- Questions and what they answer ---- */

#define DOC(states, rest)                                                              \
    "persona clerk\nfact ready { type: Bool source: \"a.b\" default: true }\n"         \
    "entity Doc { states: [" states "] initial: a transitions: [(a, b)] }\n"           \
    "operation go { allowed_personas: [clerk] precondition: ready = true "             \
    "effects: [(Doc, a, b)] " rest "}\n"
#define PLAIN  DOC("a, b", "error_contract: [precondition_failed, persona_rejected] ")
#define WARNED DOC("a, b", "") /* names no errors: two warnings */
#define LONELY                                                                         \
    DOC("a, b, c",                                                                     \
        "error_contract: [precondition_failed, persona_rejected] ") /* no way to c */

/* clang-format off */
static const struct question {
    const char *contract, *command, *options;
    int code;
    const char *want; /* a part of the answer, or all of its message if it has one */
} QUESTIONS[] = {
    {PLAIN, "check", "{}", 0, "\"holds\": true"},
    {PLAIN, "check", "{\"strict\":true}", 0, "\"holds\": true"},
    {WARNED, "check", "{}", 0, "\"holds\": true"},
    {WARNED, "check", "{\"strict\":false}", 0, "\"warnings\": 2"},
    {WARNED, "check", "{\"strict\":true}", 1, "\"holds\": false"},
    {WARNED, "check", "{\"strict\":true,\"prove\":true}", 1, "\"holds\": false"},
    {PLAIN, "check", "{\"prove\":true}", 0, "\"holds\": true"},
    {PLAIN, "analyze", "{}", 0, "\"known_warnings\": 0"},
    {LONELY, "analyze", "{}", 1, "\"known_warnings\": 0"},
    {PLAIN, "analyze", "{\"only\":\"s9\"}", 2, "`only` takes s1, s2, s3a, s4, s5, s6, s7, s8 with commas between"},
    {PLAIN, "analyze", "{\"baseline\":{}}", 1, "`baseline` is not a report of analyze"},
    {PLAIN, "analyze", "{\"baseline\":{\"findings\":[]}}", 0, "\"known_warnings\": 0"},
    {PLAIN, "draw", "{\"parts\":\"all\"}", 2, "`parts` takes entities, authority, rules, flows, system with commas between"},
    {PLAIN, "draw", "{\"parts\":\"system\"}", 1, "x.tenor is not a System"},
    {PLAIN, "draw", "{\"parts\":\"entities,system\"}", 1, "x.tenor is not a System"},
    {PLAIN, "draw", "{\"parts\":\"entities\"}", 0, "Doc"},
    {PLAIN, "draw", "{}", 0, "Doc"},
    {PLAIN, "sing", "{}", 2, "there is no such command"},
    {PLAIN, "eval", "{\"facts\":{},\"facts\":{}}", 2, "the options are not JSON: duplicate key facts at byte 12"},
    {PLAIN, "eval", "[]", 2, "the options are not a JSON object"},
    {PLAIN, "eval", "{\"facts\":{\"ready\":1}}", 1, "evaluation error: type mismatch for fact 'ready': expected Bool, got number"},
    {PLAIN, "eval", "{\"facts\":{\"redy\":true}}", 0, "\"verdicts\""},
    {PLAIN, "eval", "{\"facts\":{\"redy\":true},\"strict\":true}", 1, "evaluation error: unknown fact: redy; did you mean 'ready'?"},
    {PLAIN, "partial", "{\"unknown\":[\"ready\"]}", 0, "\"facts\":[\"ready\"],\"operation\":\"go\",\"precondition\":\"depends\""},
    {PLAIN, "partial", "{\"unknown\":[\"redy\"]}", 2, "the contract has no fact 'redy'; did you mean 'ready'?"},
    {PLAIN, "partial", "{\"unknown\":[\"ready\",\"zzzzzzzz\"]}", 2, "the contract has no fact 'zzzzzzzz'"},
    {PLAIN, "partial", "{\"partial\":true,\"facts\":{\"ready\":1}}", 1, "evaluation error: type mismatch for fact 'ready': expected Bool, got number"},
    {PLAIN, "act", "{\"facts\":{},\"persona\":\"clerk\",\"operation\":\"go\"}", 0, "\"from\":\"a\",\"instance_id\":\"_default\",\"to\":\"b\""},
    {PLAIN, "act", "{\"facts\":{},\"persona\":\"clerk\",\"operation\":\"og\"}", 1, "operation 'og' not found in contract; did you mean 'go'?"},
    {PLAIN, "act", "{\"facts\":{},\"persona\":\"clerk\",\"operation\":\"go\",\"outcome\":\"x\"}", 1, "operation 'go' has no outcome 'x'"},
    {PLAIN, "act", "{\"facts\":{},\"persona\":\"clerk\",\"flow\":\"go\"}", 1, "flow 'go' not found in contract"},
    {PLAIN, "act", "{\"facts\":{\"ready\":false},\"persona\":\"clerk\",\"operation\":\"go\"}", 1, "precondition failed for operation 'go': precondition evaluated to false"},
    {PLAIN, "act", "{\"facts\":{},\"persona\":\"clerk\",\"operation\":\"go\",\"states\":{\"Doc\":\"b\"}}", 1, "entity 'Doc' instance '_default' in state 'b', expected 'a'"},
    {PLAIN, "act", "{\"facts\":{},\"persona\":\"clerk\",\"operation\":\"go\",\"states\":{\"Doc\":\"c\"}}", 1, "entity 'Doc' has no state 'c'; did you mean 'a'?"},
    {PLAIN, "act", "{\"facts\":{},\"persona\":\"clerk\",\"operation\":\"go\",\"bind\":{\"Dog\":\"c\"}}", 1, "the contract has no entity 'Dog'; did you mean 'Doc'?"},
    {PLAIN, "actions", "{\"facts\":{},\"persona\":\"clerk\"}", 0, "\"persona_id\":\"clerk\""},
    {PLAIN, "actions", "{\"facts\":{},\"persona\":\"clrk\"}", 1, "persona 'clrk' not found in contract; did you mean 'clerk'?"},
    {PLAIN, "explain", "{\"facts\":{},\"operation\":\"go\",\"verdict\":\"v\"}", 2, "give --verdict V, or --operation O, or --flow ID with --persona P"},
    {PLAIN, "explain", "{\"flow\":\"x\"}", 2, "give --verdict V, or --operation O, or --flow ID with --persona P"},
    {PLAIN, "explain", "{\"all\":true}", 2, "--all and --change need --verdict or --operation"},
    {PLAIN, "explain", "{\"all\":true,\"change\":true,\"operation\":\"go\"}", 2, "--all, --change and unknown facts exclude each other"},
    {PLAIN, "explain", "{\"all\":true,\"partial\":true,\"operation\":\"go\"}", 2, "--all, --change and unknown facts exclude each other"},
    {PLAIN, "explain", "{\"partial\":true}", 2, "--unknown and --partial need --verdict or --operation"},
    {PLAIN, "explain", "{\"partial\":true,\"flow\":\"x\",\"persona\":\"clerk\"}", 2, "--unknown and --partial need --verdict or --operation"},
};
/* clang-format on */

static void a_question_has_its_code_and_its_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof QUESTIONS / sizeof *QUESTIONS; i++) {
        const struct question *q = &QUESTIONS[i];
        motet_contract *c;
        motet_answer *a;
        assert_int_equal(motet_contract_load(str(q->contract), "x.tenor", &c),
                         MOTET_OK);
        motet_contract_ask(c, q->command, str(q->options), &a);
        motet_str text = motet_answer_text(a), message = motet_answer_message(a);
        assert_int_equal(motet_answer_code(a), q->code);
        if (message.len) {
            is_said(message, q->want);
        } else if (!memmem(text.ptr, text.len, q->want, strlen(q->want))) {
            fail_msg("%s %s: %.*s", q->command, q->options, (int)text.len, text.ptr);
        }
        motet_answer_free(a);
        motet_contract_free(c);
    }
}

static void what_a_baseline_has_is_known(void **state)
{
    (void)state;
    motet_contract *c;
    motet_answer *first, *again;
    char options[20000];
    assert_int_equal(motet_contract_load(str(LONELY), "x.tenor", &c), MOTET_OK);
    motet_contract_ask(c, "analyze", str("{}"), &first);
    motet_str text = motet_answer_text(first);
    assert_int_equal(motet_answer_code(first), 1);
    snprintf(options, sizeof options, "{\"baseline\":%.*s}", (int)text.len, text.ptr);
    motet_contract_ask(c, "analyze", str(options), &again);
    assert_int_equal(motet_answer_code(again), 0);
    text = motet_answer_text(again);
    assert_non_null(memmem(text.ptr, text.len, "\"known_warnings\": 1", 19));
    assert_non_null(memmem(text.ptr, text.len, "\"warnings\": 0", 13));
    motet_answer_free(first);
    motet_answer_free(again);
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
        cmocka_unit_test(a_question_has_its_code_and_its_words),
        cmocka_unit_test(what_a_baseline_has_is_known),
        cmocka_unit_test(threads_share_one_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
