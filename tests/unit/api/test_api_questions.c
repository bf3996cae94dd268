/* What a contract is asked, command by command, as an embedder does: the code and the
 * words of each answer. Apart from test_api.c, whose threads run under TSan: the solver
 * is not built for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <motet.h>

static motet_str str(const char *text)
{
    return (motet_str){text, strlen(text)};
}

static void is_said(motet_str got, const char *expected)
{
    assert_int_equal(got.len, strlen(expected));
    assert_memory_equal(got.ptr, expected, got.len);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_has_its_code_and_its_words),
        cmocka_unit_test(what_a_baseline_has_is_known),
    };
    return cmocka_run_group_tests_name("api/questions", tests, NULL, NULL);
}
