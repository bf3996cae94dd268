/* Operations, instances and facts of the executor, on every store. Tests are named
 * after the obligations of the specification they show. */
#include "exec_fixture.h"

#include <unistd.h>

#include "base/sign.h"
#include "contract/elaborate.h"
#include "exec/evidence/trust.h"
#include "os/key_file.h"

static desk escrow(void **state)
{
    desk d = desk_open(state, ESCROW, NULL);
    create(&d, "EscrowAccount", "e1");
    create(&d, "DeliveryRecord", "d1");
    return d;
}

/* Two entities that move together, an operation with two outcomes, exact numbers. */
static const char PAIR[] =
    "persona clerk\n"
    "source desk { protocol: manual }\n"
    "fact rate { type: Decimal(precision: 10, scale: 4) source: \"bank.rate\" default: "
    "0.5000 }\n"
    "fact at { type: DateTime source: \"clock.at\" default: \"2026-01-01T00:00:00Z\" "
    "}\n"
    "fact ready { type: Bool source: desk { path: \"ready\" } default: true }\n"
    "entity Left { states: [a, b] initial: a transitions: [(a, b), (b, a)] }\n"
    "entity Right { states: [x, y, z] initial: x transitions: [(x, y), (x, z), (y, x)] "
    "}\n"
    "rule high { stratum: 0 when: rate > 0.3 produce: high(true) }\n"
    "rule late { stratum: 0 when: at >= \"2026-06-01T10:00:00Z\" produce: late(true) "
    "}\n"
    "operation both { allowed_personas: [clerk] precondition: ready = true\n"
    "  effects: [(Left, a, b), (Right, x, y)] }\n"
    "operation choose { allowed_personas: [clerk] precondition: ready = true\n"
    "  effects: [(Right, x, y, yes), (Right, x, z, no)] outcomes: [yes, no] }\n"
    "operation back { allowed_personas: [clerk] precondition: high present\n"
    "  effects: [(Left, b, a)] }\n";

static desk pair(void **state)
{
    desk d = desk_open(state, contract_file("pair.tenor", PAIR), NULL);
    create(&d, "Left", "l");
    create(&d, "Right", "r");
    return d;
}

#define BOTH_BOUND "\"bindings\":{\"Left\":\"l\",\"Right\":\"r\"}"

/* ---- Operations ---- */

static void an_operation_moves_its_instance_and_leaves_a_record(void **state)
{
    desk d = escrow(state);
    const mt_json *r = ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", RELEASE);
    expect(&d, 200);
    assert_at(r, "outcome", "released");
    assert_at(r, "changes.0.from", "held");
    assert_at(r, "versions.EscrowAccount", "1");
    assert_state(&d, "EscrowAccount", "e1", "released");
    assert_int_equal(records(&d, "operation"), 1);
    r = ask(&d, &ANYONE, EX_LEDGER_GET, "", record_of(&d, r), "");
    expect(&d, 200);
    assert_at(r, "body.kind", "operation");
    assert_at(r, "body.caller.id", "tok-agent");
    assert_at(r, "body.provenance.op", "release_escrow");
    assert_at(r, "body.provenance.state_before.EscrowAccount.e1", "held");
    assert_at(r, "body.provenance.state_after.EscrowAccount.e1", "released");
    assert_at(r, "body.provenance.instance_binding.EscrowAccount", "e1");
    assert_int_equal(count_at(r, "body.facts"), 5);
    assert_at(r, "body.facts.0.id", "buyer_requested_refund");
    assert_at(r, "body.facts.0.assertion_source", "contract");
    assert_at(r, "body.facts.1.id", "compliance_threshold");
    assert_true(count_at(r, "body.verdicts") >= 4);
    desk_close(&d);
}

static void E2_a_wrong_source_state_is_a_typed_conflict(void **state)
{
    desk d = escrow(state);
    ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", RELEASE);
    uint32_t before = records(&d, "");
    const mt_json *r = ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", RELEASE);
    expect_code(&d, r, 409, "invalid_source_state");
    assert_at(r, "entity", "EscrowAccount");
    assert_at(r, "instance", "e1");
    assert_at(r, "state", "released");
    assert_at(r, "expected.0", "held");
    assert_int_equal(records(&d, "refusal"), 1);
    assert_int_equal(records(&d, ""), before + 1);
    desk_close(&d);
}

static void E3_all_instances_move_or_none(void **state)
{
    desk d = pair(state);
    ask(&d, &ANYONE, EX_OPERATION, "choose", "",
        "{\"persona\":\"clerk\",\"outcome\":\"no\",\"bindings\":{\"Right\":\"r\"}}");
    expect(&d, 200);
    const mt_json *r = ask(&d, &ANYONE, EX_OPERATION, "both", "",
                           "{\"persona\":\"clerk\"," BOTH_BOUND "}");
    expect_code(&d, r, 409, "invalid_source_state");
    assert_at(r, "entity", "Right");
    assert_state(&d, "Left", "l", "a");
    create(&d, "Right", "r2");
    r = ask(&d, &ANYONE, EX_OPERATION, "both", "",
            "{\"persona\":\"clerk\",\"bindings\":{\"Left\":\"l\",\"Right\":\"r2\"}}");
    expect(&d, 200);
    assert_state(&d, "Left", "l", "b");
    assert_state(&d, "Right", "r2", "y");
    /* Each of the two finds the change in its history. */
    r = ask(&d, &ANYONE, EX_INSTANCE_HISTORY, "Right", "r2", "");
    assert_int_equal(count_at(r, "items"), 2);
    assert_at(r, "items.1.body.kind", "operation");
    r = ask(&d, &ANYONE, EX_INSTANCE_HISTORY, "Left", "l", "");
    assert_at(r, "items.1.body.kind", "refusal");
    assert_at(r, "items.2.body.kind", "operation");
    desk_close(&d);
}

static void what_is_wrong_has_its_own_code(void **state)
{
    static const struct {
        const char *op, *body;
        int status;
        const char *code;
    } CASES[] = {
        {"both", "{\"persona\":\"king\"," BOTH_BOUND "}", 403, "persona_rejected"},
        {"both", "{" BOTH_BOUND "}", 400, "bad_request"},
        {"both", "{\"persona\":\"clerk\",\"bindings\":{\"Left\":\"l\"}}", 422,
         "missing_binding"},
        {"both",
         "{\"persona\":\"clerk\",\"bindings\":{\"Left\":\"q\",\"Right\":\"r\"}}", 404,
         "unknown_instance"},
        {"both", "{\"persona\":\"clerk\",\"bindings\":{\"Up\":\"q\"}}", 422,
         "invalid_binding"},
        {"both", "{\"persona\":\"clerk\",\"bindings\":{\"Left\":3}}", 422,
         "invalid_binding"},
        {"choose", "{\"persona\":\"clerk\",\"bindings\":{\"Right\":\"r\"}}", 409,
         "ambiguous_outcome"},
        {"choose",
         "{\"persona\":\"clerk\",\"outcome\":\"perhaps\",\"bindings\":{\"Right\":\"r\"}"
         "}",
         422, "unknown_outcome"},
        {"both", "{\"persona\":\"clerk\",\"facts\":{\"ready\":false}," BOTH_BOUND "}",
         422, "precondition_failed"},
        {"both", "{\"persona\":\"clerk\",\"facts\":{\"ready\":1}," BOTH_BOUND "}", 422,
         "invalid_fact"},
        {"both", "{\"persona\":\"clerk\",\"facts\":{\"rady\":true}," BOTH_BOUND "}",
         422, "invalid_fact"},
        {"both",
         "{\"persona\":\"clerk\",\"expected_versions\":{\"Left\":7}," BOTH_BOUND "}",
         409, "version_conflict"},
        {"both", "{\"persona\":\"clerk\",\"dryrun\":true}", 400, "bad_request"},
        {"both", "{\"persona\":\"clerk\",\"persona\":\"x\"}", 400, "bad_request"},
        {"both", "{\"persona\":\"clerk\"", 400, "bad_request"},
        {"both", "[]", 400, "bad_request"},
        {"both", "{\"persona\":7}", 400, "bad_request"},
        {"nothing", "{\"persona\":\"clerk\"}", 404, "unknown_operation"},
    };
    desk d = pair(state);
    uint32_t before = records(&d, "");
    for (size_t i = 0; i < rows_count(CASES); i++) {
        const mt_json *r =
            ask(&d, &ANYONE, EX_OPERATION, CASES[i].op, "", CASES[i].body);
        expect_code(&d, r, CASES[i].status, CASES[i].code);
        assert_non_null(at(r, "type"));
        assert_non_null(at(r, "title"));
        assert_non_null(at(r, "detail"));
        char status[8];
        snprintf(status, sizeof status, "%d", CASES[i].status);
        assert_text(mt_json_text(at(r, "status")), mt_str_z(status));
    }
    ex_call call = {.action = EX_OPERATION,
                    .caller = &ANYONE,
                    .contract = MT_STR("none"),
                    .name = MT_STR("both")};
    expect_code(&d, ask_call(&d, &call), 404, "unknown_contract");
    assert_int_equal(records(&d, ""), before + records(&d, "refusal"));
    assert_state(&d, "Left", "l", "a");
    desk_close(&d);
}

/* clang-format off */
static const struct said_row {
    ex_action action;
    const char *name, *body;
    int status;
    const char *code, *detail;
} SAID[] = {
#define CLERK_OF "{\"persona\":\"clerk\","
    {EX_OPERATION, "both", CLERK_OF "\n \"facts\":{\"ready\":tru}}", 400, "bad_request", "body, line 2, column 19, member facts: not a JSON value"},
    {EX_OPERATION, "both", CLERK_OF "\"outcom\":\"x\"}", 400, "bad_request", "the body has an unknown member 'outcom' (did you mean `outcome`?)"},
    {EX_OPERATION, "both", CLERK_OF "\"zzzzzz\":1}", 400, "bad_request", "the body has an unknown member 'zzzzzz'"},
    {EX_OPERATION, "both", "{\"persona\":7}", 400, "bad_request", "body, line 1, column 12, member persona: expected a string"},
    {EX_OPERATION, "both", CLERK_OF "\"dry_run\":1}", 400, "bad_request", "body, line 1, column 30, member dry_run: expected a boolean"},
    {EX_OPERATION, "both", CLERK_OF "\"receipt\":true," BOTH_BOUND "}", 501, "not_implemented", "this server has no signing key, so it gives no receipts"},
    {EX_OPERATION, "both", "{" BOTH_BOUND "}", 400, "bad_request", "the body must name a `persona`"},
    {EX_OPERATION, "both", CLERK_OF "\"bindings\":{\"Up\":\"q\"}}", 422, "invalid_binding", "the contract has no entity 'Up'"},
    {EX_OPERATION, "both", CLERK_OF "\"bindings\":{\"Left\":\"\"}}", 422, "invalid_binding", "entity 'Left' must be bound to the id of an instance"},
    {EX_OPERATION, "both", CLERK_OF "\"expected_versions\":{\"Up\":0}," BOTH_BOUND "}", 422, "invalid_binding", "expected_versions: 'Up' must be a bound entity with a version number"},
    {EX_OPERATION, "both", CLERK_OF "\"expected_versions\":{\"Left\":-1}," BOTH_BOUND "}", 422, "invalid_binding", "expected_versions: 'Left' must be a bound entity with a version number"},
    {EX_OPERATION, "both", CLERK_OF "\"expected_versions\":{\"Left\":\"0\"}," BOTH_BOUND "}", 422, "invalid_binding", "expected_versions: 'Left' must be a bound entity with a version number"},
    {EX_OPERATION, "choose", CLERK_OF "\"expected_versions\":{\"Left\":0},\"bindings\":{\"Right\":\"r\"}}", 422, "invalid_binding", "expected_versions: 'Left' must be a bound entity with a version number"},
    {EX_OPERATION, "both", CLERK_OF "\"expected_versions\":{\"Left\":0,\"Right\":1}," BOTH_BOUND "}", 409, "version_conflict", "entity 'Right' instance 'r' has version 0"},
    {EX_OPERATION, "both", CLERK_OF "\"unknown\":[]," BOTH_BOUND "}", 400, "bad_request", "`unknown` and `partial` are for evaluate, actions and explain"},
    {EX_OPERATION, "both", CLERK_OF "\"partial\":true," BOTH_BOUND "}", 400, "bad_request", "`unknown` and `partial` are for evaluate, actions and explain"},
    {EX_EVALUATE, "", "{\"unknown\":\"ready\"}", 400, "bad_request", "`unknown` must be a list of facts"},
    {EX_EVALUATE, "", "{\"unknown\":[\"at\",\"redy\"]}", 404, "unknown_fact", "the contract has no fact 'redy'; did you mean 'ready'?"},
    {EX_EVALUATE, "", "{\"unknown\":[\"zzzzzzzz\"]}", 404, "unknown_fact", "the contract has no fact 'zzzzzzzz'"},
    {EX_EVALUATE, "", "{\"unknown\":[7]}", 404, "unknown_fact", "the contract has no fact '7'"},
    {EX_FACT_ASSERT, "ready", "{\"value\":true,\"expires_at\":\"soon\"}", 400, "bad_request", "`expires_at` must be a date and time"},
    {EX_FACT_ASSERT, "ready", "{\"value\":true,\"ttl_ms\":0}", 400, "bad_request", "body, line 1, column 24, member ttl_ms: expected a whole number from 1 to 316224000000"},
    {EX_FACT_ASSERT, "redy", "{\"value\":true}", 404, "unknown_fact", "the contract has no fact 'redy'; did you mean 'ready'?"},
    {EX_FACT_ASSERT, "ready", "{}", 400, "bad_request", "the body must have a `value`"},
    {EX_FACT_ASSERT, "ready", "{\"value\":true,\"expires_at\":\"1970-01-01T00:00:00Z\"}", 400, "bad_request", "`expires_at` must lie in the future"},
    {EX_OPERATION, "bth", CLERK_OF BOTH_BOUND "}", 404, "unknown_operation", "the contract has no operation 'bth'"},
    {EX_FLOW_START, "none", CLERK_OF BOTH_BOUND "}", 404, "unknown_flow", "the contract has no flow 'none'"},
    {EX_INSTANCE_CREATE, "Lft", "{\"id\":\"x\"}", 404, "unknown_entity", "the contract has no entity 'Lft'"},
    {EX_INSTANCE_CREATE, "Left", "{\"id\":\"\"}", 422, "invalid_id", "an id is 1 to 256 bytes of text without control characters"},
    {EX_INSTANCE_CREATE, "Left", "{\"id\":\"x\",\"state\":\"b\"}", 422, "invalid_initial_state", "an instance of 'Left' begins in state 'a', not 'b'"},
    {EX_INSTANCE_CREATE, "Left", "{\"id\":\"l\"}", 409, "instance_exists", "the id 'l' is in use for entity 'Left'"},
};

/* Queries of the ledger's list. */
static const struct query_row {
    const char *name, *value;
    const char *detail; /* NULL: it is taken */
} QUERIES[] = {
    {"limit", "1", NULL},
    {"limit", "1000", NULL},
    {"limit", "0", "query parameter 'limit' must be a number from 1 to 1000"},
    {"limit", "1001", "query parameter 'limit' must be a number from 1 to 1000"},
    {"limit", "", "query parameter 'limit' must be a number from 1 to 1000"},
    {"limit", "-1", "query parameter 'limit' must be a number from 1 to 1000"},
    {"limit", "1/", "query parameter 'limit' must be a number from 1 to 1000"},
    {"limit", "1:", "query parameter 'limit' must be a number from 1 to 1000"},
    {"limit", "99999999999999999999", "query parameter 'limit' must be a number from 1 to 1000"},
    {"from", "0", NULL},
    {"pending", "true", NULL},
    {"pending", "false", NULL},
    {"pending", "yes", "query parameter 'pending' must be false or true"},
    {"order", "desc", NULL},
    {"order", "asc", NULL},
    {"order", "up", "query parameter 'order' must be asc or desc"},
    {"after", "x", "`after` is not a place in this list"},
};
/* clang-format on */

static void what_is_refused_says_what_was_wrong(void **state)
{
    desk d = pair(state);
    for (size_t i = 0; i < rows_count(SAID); i++) {
        const struct said_row *row = &SAID[i];
        const mt_json *r = ask(&d, &ANYONE, row->action, row->name, "", row->body);
        expect_code(&d, r, row->status, row->code);
        assert_text(mt_json_text(at(r, "detail")), mt_str_z(row->detail));
    }
    for (size_t i = 0; i < rows_count(QUERIES); i++) {
        ad_param q = {mt_str_z(QUERIES[i].name), mt_str_z(QUERIES[i].value)};
        const mt_json *r = ask_query(&d, EX_LEDGER_LIST, "", "", &q, 1);
        if (QUERIES[i].detail) {
            expect_code(&d, r, 400, "bad_request");
            assert_text(mt_json_text(at(r, "detail")), mt_str_z(QUERIES[i].detail));
        } else {
            expect(&d, 200);
        }
    }
    desk_close(&d);
}

/* 255 bytes of text at most, and nothing that a header cannot have. */
static void a_key_is_a_text_of_so_many_bytes(void **state)
{
    static const struct {
        const char *key;
        bool good;
    } KEYS[] = {{" ", true},        {"\x1f", false}, {"a\n", false},
                {"\xC3\xA9", true}, {"\xC3", false}, {"~", true}};
    desk d = pair(state);
    const char *body = "{\"persona\":\"clerk\",\"dry_run\":true," BOTH_BOUND "}";
    char key[257] = {0};
    for (size_t i = 0; i < rows_count(KEYS) + 2; i++) {
        bool good = i < rows_count(KEYS) ? KEYS[i].good : i == rows_count(KEYS);
        memset(key, 'k', 256);
        key[255] = good ? '\0' : 'k';
        const mt_json *r = ask_once(&d, &ANYONE, EX_OPERATION, "both", body,
                                    i < rows_count(KEYS) ? KEYS[i].key : key);
        if (good) {
            expect(&d, 200);
            continue;
        }
        expect_code(&d, r, 400, "bad_request");
        assert_at(r, "detail", "an Idempotency-Key is at most 255 bytes of text");
    }
    desk_close(&d);
}

static void a_false_precondition_says_what_was_false(void **state)
{
    desk d = pair(state);
    const mt_json *r =
        ask(&d, &ANYONE, EX_OPERATION, "back", "",
            "{\"persona\":\"clerk\",\"facts\":{\"rate\":\"0.1\"}," BOTH_BOUND "}");
    expect_code(&d, r, 422, "precondition_failed");
    assert_int_equal(count_at(r, "reasons"), 1);
    assert_at(r, "reasons.0.verdicts.0", "high");
    assert_int_equal(flag_at(r, "reasons.0.value"), 0);
    desk_close(&d);
}

static void a_persona_acts_only_for_who_holds_it(void **state)
{
    desk d = escrow(state);
    const mt_json *r = ask(&d, &SELLER, EX_OPERATION, "release_escrow", "", RELEASE);
    expect_code(&d, r, 403, "persona_rejected");
    r = ask(&d, &SELLER, EX_OPERATION, "release_escrow", "",
            "{\"persona\":\"seller\"," ESCROW_FACTS
            ",\"bindings\":{\"EscrowAccount\":\"e1\"}}");
    expect_code(&d, r, 403, "persona_rejected");
    /* An admin is no persona. */
    r = ask(&d, &ADMIN, EX_OPERATION, "release_escrow", "", RELEASE);
    expect_code(&d, r, 403, "persona_rejected");
    assert_state(&d, "EscrowAccount", "e1", "held");
    desk_close(&d);
}

static void a_caller_may_name_the_version_it_expects(void **state)
{
    desk d = escrow(state);
    const char *at_zero = "{\"persona\":\"escrow_agent\"," ESCROW_FACTS
                          ",\"expected_versions\":{\"EscrowAccount\":0},"
                          "\"bindings\":{\"EscrowAccount\":\"e1\"}}";
    ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", at_zero);
    expect(&d, 200);
    const mt_json *r = ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", at_zero);
    expect_code(&d, r, 409, "version_conflict");
    assert_at(r, "version", "1");
    desk_close(&d);
}

static void E13_a_dry_run_answers_as_the_call_would_and_changes_nothing(void **state)
{
    static const struct {
        const char *op, *dry, *real;
    } CASES[] = {
#define CASE(op, rest) {op, "{\"dry_run\":true," rest "}", "{" rest "}"}
        CASE("back", "\"persona\":\"clerk\"," BOTH_BOUND),
        CASE("both", "\"persona\":\"king\"," BOTH_BOUND),
        CASE("both", "\"persona\":\"clerk\",\"facts\":{\"ready\":false}," BOTH_BOUND),
        CASE("both", "\"persona\":\"clerk\",\"bindings\":{\"Left\":\"l\"}"),
        CASE("both",
             "\"persona\":\"clerk\",\"bindings\":{\"Left\":\"q\",\"Right\":\"r\"}"),
        CASE("choose", "\"persona\":\"clerk\",\"bindings\":{\"Right\":\"r\"}"),
        CASE("both", "\"persona\":\"clerk\",\"facts\":{\"ready\":false},\"expected_"
                     "versions\":{\"Left\":9}," BOTH_BOUND),
        CASE("both", "\"persona\":\"clerk\"," BOTH_BOUND),
#undef CASE
    };
    desk d = pair(state);
    for (size_t i = 0; i < rows_count(CASES); i++) {
        uint32_t before = records(&d, "");
        const mt_json *r =
            ask(&d, &ANYONE, EX_OPERATION, CASES[i].op, "", CASES[i].dry);
        int dry = d.status;
        assert_true(mt_json_is(at(r, "simulation"), MT_JSON_BOOL));
        assert_int_equal(flag_at(r, "simulation"), 1);
        assert_int_equal(records(&d, ""), before);
        assert_state(&d, "Left", "l", "a");
        assert_state(&d, "Right", "r", "x");
        mt_str code = mt_json_text(at(r, "code"));
        if (dry == 200) {
            assert_int_equal(flag_at(r, "provenance.simulation"), 1);
            assert_at(r, "provenance.state_before.Left.l", "a");
        }
        const mt_json *s =
            ask(&d, &ANYONE, EX_OPERATION, CASES[i].op, "", CASES[i].real);
        assert_int_equal(d.status, dry);
        assert_text(mt_json_text(at(s, "code")), code);
        assert_null(at(s, "simulation"));
    }
    assert_state(&d, "Left", "l", "b");
    /* A dry run sees what has been committed. */
    const mt_json *r = ask(&d, &ANYONE, EX_OPERATION, "both", "",
                           "{\"dry_run\":true,\"persona\":\"clerk\"," BOTH_BOUND "}");
    expect_code(&d, r, 409, "invalid_source_state");
    desk_close(&d);
}

/* ---- Idempotency ---- */

static void a_retried_request_has_one_effect_and_the_same_answer(void **state)
{
    desk d = escrow(state);
    ask_once(&d, &AGENT, EX_OPERATION, "release_escrow", RELEASE, "k1");
    expect(&d, 200);
    assert_false(d.replayed);
    mt_str first = d.text;
    uint32_t before = records(&d, "");
    ask_once(&d, &AGENT, EX_OPERATION, "release_escrow", RELEASE, "k1");
    expect(&d, 200);
    assert_true(d.replayed);
    assert_text(d.text, first);
    assert_int_equal(records(&d, ""), before);
    /* After a restart, too. */
    d = desk_again(state, &d, NULL);
    ask_once(&d, &AGENT, EX_OPERATION, "release_escrow", RELEASE, "k1");
    assert_true(d.replayed);
    /* Another request with the same key is none. */
    const mt_json *r = ask_once(&d, &AGENT, EX_OPERATION, "refund_escrow",
                                "{\"persona\":\"escrow_agent\",\"facts\":{\"delivery_"
                                "status\":\"failed\",\"buyer_requested_refund\":true,"
                                "\"line_items\":[],\"escrow_amount\":{\"amount\":\"1\","
                                "\"currency\":\"USD\"}},"
                                "\"bindings\":{\"EscrowAccount\":\"e1\"}}",
                                "k1");
    expect_code(&d, r, 422, "idempotency_mismatch");
    /* Keys belong to their caller. */
    r = ask_once(&d, &ANYONE, EX_OPERATION, "release_escrow", RELEASE, "k1");
    expect_code(&d, r, 409, "invalid_source_state");
    desk_close(&d);
}

static void a_retry_is_answered_whatever_has_changed_since(void **state)
{
    desk d = pair(state);
    const char *body = "{\"persona\":\"clerk\"," BOTH_BOUND "}";
    ask_once(&d, &ANYONE, EX_OPERATION, "both", body, "k");
    expect(&d, 200);
    mt_str first = d.text;
    ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "", "{\"value\":false}");
    ask_once(&d, &ANYONE, EX_OPERATION, "both", body, "k");
    expect(&d, 200);
    assert_text(d.text, first);
    /* A key the store cannot take is refused at the door. */
    char huge[5000];
    memset(huge, 'k', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    const mt_json *r = ask_once(&d, &ANYONE, EX_OPERATION, "both", body, huge);
    expect_code(&d, r, 400, "bad_request");
    desk_close(&d);
}

/* The answer was given before: it comes again, byte for byte. */
static void expect_again(desk *d, mt_str first, const ex_caller *who, ex_action action,
                         const char *name, const char *body, const char *key)
{
    mt_str place = d->location;
    ask_once(d, who, action, name, body, key);
    assert_true(d->replayed);
    assert_text(d->text, first);
    assert_text(d->location, place);
}

static void a_refusal_asked_again_is_the_same_refusal(void **state)
{
    desk d = desk_open(state, contract_file("pair.tenor", PAIR), NULL);
    const char *body = "{\"persona\":\"clerk\"," BOTH_BOUND "}";
    /* By the states, in the committer. */
    const mt_json *r = ask_once(&d, &CLERK, EX_OPERATION, "both", body, "k1");
    expect_code(&d, r, 404, "unknown_instance");
    mt_str first = d.text;
    create(&d, "Left", "l");
    create(&d, "Right", "r");
    d.location = MT_STR("");
    expect_again(&d, first, &CLERK, EX_OPERATION, "both", body, "k1");
    /* By facts, before the committer. */
    ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "", "{\"value\":false}");
    r = ask_once(&d, &CLERK, EX_OPERATION, "both", body, "k2");
    expect_code(&d, r, 422, "precondition_failed");
    first = d.text;
    ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "", "{\"value\":true}");
    uint32_t before = records(&d, "");
    expect_again(&d, first, &CLERK, EX_OPERATION, "both", body, "k2");
    assert_int_equal(records(&d, ""), before);
    /* After a restart, too; a new key is a new request. */
    d = desk_again(state, &d, NULL);
    r = ask_once(&d, &CLERK, EX_OPERATION, "both", body, "k2");
    expect_code(&d, r, 422, "precondition_failed");
    assert_true(d.replayed);
    ask_once(&d, &CLERK, EX_OPERATION, "both", body, "k3");
    expect(&d, 200);
    desk_close(&d);
}

CALLER(CLERK_PROMOTED, "tok-clerk", LIST(T("clerk"), T("nobody")), LIST(T("facts:*")));

/* What the caller lacks, and what was only tried, was no answer of the contract. */
static void what_the_contract_did_not_decide_may_be_asked_again(void **state)
{
    desk d = pair(state);
    const mt_json *r =
        ask_once(&d, &CLERK, EX_FACT_ASSERT, "ready", "{\"value\":false}", "rights");
    expect_code(&d, r, 403, "fact_forbidden");
    ask_once(&d, &CLERK_PROMOTED, EX_FACT_ASSERT, "ready", "{\"value\":false}",
             "rights");
    expect(&d, 200);
    const char *body = "{\"persona\":\"nobody\"," BOTH_BOUND "}";
    r = ask_once(&d, &CLERK, EX_OPERATION, "both", body, "persona");
    expect_code(&d, r, 403, "persona_rejected");
    r = ask_once(&d, &CLERK_PROMOTED, EX_OPERATION, "both", body, "persona");
    expect_code(&d, r, 403, "persona_rejected");
    assert_false(d.replayed);
    expect_again(&d, d.text, &CLERK_PROMOTED, EX_OPERATION, "both", body, "persona");
    const char *trial = "{\"dry_run\":true,\"persona\":\"clerk\"," BOTH_BOUND "}";
    r = ask_once(&d, &CLERK, EX_OPERATION, "both", trial, "trial");
    expect_code(&d, r, 422, "precondition_failed");
    ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "", "{\"value\":true}");
    ask_once(&d, &CLERK, EX_OPERATION, "both", trial, "trial");
    expect(&d, 200);
    desk_close(&d);
}

static void an_answer_given_again_says_where_the_new_thing_is(void **state)
{
    desk d = escrow(state);
    const char *body = "{\"id\":\"e9\"}";
    const char *start = "{\"persona\":\"seller\"," ESCROW_FACTS "," ESCROW_BOUND "}";
    ask_once(&d, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", body, "make");
    expect(&d, 201);
    assert_text(d.location, MT_STR("/v1/contracts/escrow/instances/EscrowAccount/e9"));
    expect_again(&d, d.text, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", body, "make");
    ask_once(&d, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", body, "make again");
    expect(&d, 409);
    assert_text(d.location, MT_STR(""));
    expect_again(&d, d.text, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", body,
                 "make again");
    ask_once(&d, &SELLER, EX_FLOW_START, "standard_release", start, "start");
    expect(&d, 200);
    assert_true(mt_str_starts(d.location, MT_STR("/v1/flows/")));
    expect_again(&d, d.text, &SELLER, EX_FLOW_START, "standard_release", start,
                 "start");
    desk_close(&d);
}

/* ---- Who reads what ---- */

CALLER(STRANGER, "tok-stranger", LIST(T("astronaut")), LIST(T("read")));
CALLER(OUTSIDER, "tok-outsider", LIST(T("ward:buyer")), LIST(T("metrics:read")));
CALLER(AUDITOR, "tok-auditor", LIST(T("astronaut")), LIST(T("ledger:read")));
CALLER(STARTER, "tok-seller", LIST(T("astronaut")), LIST(T("read")));

static void facts_are_shown_to_those_they_concern(void **state)
{
    desk d = escrow(state);
    const char *start = "{\"persona\":\"seller\"," ESCROW_FACTS "," ESCROW_BOUND "}";
    ask(&d, &SELLER, EX_FACT_ASSERT, "buyer_requested_refund", "", "{\"value\":false}");
    expect(&d, 200);
    const mt_json *r = ask(&d, &SELLER, EX_FLOW_START, "standard_release", "", start);
    expect(&d, 200);
    const char *id = mt_str_dup(&d.arena, mt_json_text(at(r, "id"))).ptr;
    const struct {
        const ex_caller *who;
        bool flow, history, fact;
    } ROWS[] = {{&STRANGER, false, false, false}, {&AUDITOR, true, true, true},
                {&ADMIN, true, true, true},       {&BUYER, true, true, true},
                {&ANYONE, true, true, true},      {&STARTER, true, false, false}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        r = ask(&d, ROWS[i].who, EX_FLOW_GET, "", id, "");
        expect(&d, 200);
        assert_at(r, "status", "waiting");
        assert_int_equal(at(r, "facts") != NULL, ROWS[i].flow);
        assert_int_equal(at(r, "extra") != NULL, ROWS[i].flow);
        r = ask(&d, ROWS[i].who, EX_INSTANCE_HISTORY, "DeliveryRecord", "d1", "");
        expect(&d, 200);
        assert_true(count_at(r, "items") >= 1);
        assert_int_equal(at(r, "items.0.body") != NULL, ROWS[i].history);
        r = ask(&d, ROWS[i].who, EX_FACT_LIST, "", "", "");
        expect(&d, 200);
        assert_at(r, "items.0.id", "buyer_requested_refund");
        assert_non_null(at(r, "items.0.asserted.at"));
        assert_int_equal(at(r, "items.0.asserted.value") != NULL, ROWS[i].fact);
    }
    /* A buyer of another contract has nothing to do with this one. */
    expect_code(&d, ask(&d, &OUTSIDER, EX_FLOW_GET, "", id, ""), 404,
                "unknown_execution");
    expect_code(&d, ask(&d, &OUTSIDER, EX_FLOW_RESUME, "", id, "{}"), 404,
                "unknown_execution");
    r = ask(&d, &OUTSIDER, EX_INSTANCE_HISTORY, "DeliveryRecord", "d1", "");
    expect_code(&d, r, 403, "forbidden");
    assert_at(r, "needs.0", "escrow/read");
    expect_code(&d, ask(&d, &OUTSIDER, EX_INSTANCE_LIST, "", "", ""), 403, "forbidden");
    expect_code(&d, ask(&d, &OUTSIDER, EX_INSTANCE_GET, "DeliveryRecord", "d1", ""),
                403, "forbidden");
    expect_code(&d, ask(&d, &OUTSIDER, EX_FACT_LIST, "", "", ""), 403, "forbidden");
    expect_code(&d, ask(&d, &OUTSIDER, EX_LEDGER_LIST, "", "", ""), 403, "forbidden");
    r = ask(&d, &OUTSIDER, EX_FLOW_LIST, "", "", "");
    expect(&d, 200);
    assert_int_equal(count_at(r, "items"), 0);
    r = ask(&d, &OUTSIDER, EX_EVALUATE, "", "", "{" ESCROW_FACTS "}");
    expect_code(&d, r, 403, "forbidden");
    r = ask(&d, &OUTSIDER, EX_FLOW_START, "standard_release", "",
            "{\"persona\":\"buyer\"," ESCROW_FACTS "," ESCROW_BOUND "}");
    expect_code(&d, r, 403, "persona_rejected");
    desk_close(&d);
}

/* ---- Instances ---- */

static void E15_instances_begin_in_the_initial_state(void **state)
{
    desk d = desk_open(state, ESCROW, NULL);
    const mt_json *r = ask(&d, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", "",
                           "{\"id\":\"_default\"}");
    expect(&d, 201);
    assert_at(r, "state", "held");
    assert_at(r, "version", "0");
    r = ask(&d, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", "",
            "{\"id\":\"x\",\"state\":\"released\"}");
    expect_code(&d, r, 422, "invalid_initial_state");
    r = ask(&d, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", "", "");
    expect(&d, 201);
    assert_true(mt_json_text(at(r, "id")).len > 20);
    r = ask(&d, &AGENT, EX_INSTANCE_CREATE, "EscrowAccount", "", "{\"id\":\"y\"}");
    expect_code(&d, r, 403, "forbidden");
    r = ask(&d, &CLERK, EX_INSTANCE_CREATE, "Moon", "", "{\"id\":\"y\"}");
    expect_code(&d, r, 404, "unknown_entity");
    r = ask(&d, &CLERK, EX_INSTANCE_CREATE, "EscrowAccount", "", "{\"id\":\"a\\nb\"}");
    expect_code(&d, r, 422, "invalid_id");
    assert_int_equal(records(&d, "instance_created"), 2);
    desk_close(&d);
}

static void E16_an_id_is_never_used_again(void **state)
{
    desk d = escrow(state);
    const mt_json *r =
        ask(&d, &ANYONE, EX_INSTANCE_CREATE, "EscrowAccount", "", "{\"id\":\"e1\"}");
    expect_code(&d, r, 409, "instance_exists");
    r = ask(&d, &AGENT, EX_INSTANCE_DELETE, "EscrowAccount", "e1", "");
    expect_code(&d, r, 403, "forbidden");
    ask(&d, &ADMIN, EX_INSTANCE_DELETE, "EscrowAccount", "e1", "");
    expect(&d, 200);
    r = ask(&d, &ANYONE, EX_INSTANCE_GET, "EscrowAccount", "e1", "");
    expect_code(&d, r, 404, "unknown_instance");
    r = ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", RELEASE);
    expect_code(&d, r, 404, "unknown_instance");
    r = ask(&d, &ANYONE, EX_INSTANCE_CREATE, "EscrowAccount", "", "{\"id\":\"e1\"}");
    expect_code(&d, r, 409, "instance_exists");
    r = ask(&d, &ADMIN, EX_INSTANCE_DELETE, "EscrowAccount", "e1", "");
    expect_code(&d, r, 404, "unknown_instance");
    /* Its history stays. */
    r = ask(&d, &ANYONE, EX_INSTANCE_HISTORY, "EscrowAccount", "e1", "");
    assert_int_equal(count_at(r, "items"), 3);
    assert_at(r, "items.1.body.kind", "instance_deleted");
    assert_at(r, "items.2.body.kind", "refusal");
    desk_close(&d);
}

static void E17_lists_have_every_instance(void **state)
{
    desk d = desk_open(state, ESCROW, NULL);
    enum { COUNT = 57 };
    for (int i = 0; i < COUNT; i++) {
        char id[16];
        snprintf(id, sizeof id, "e%03d", i);
        create(&d, i % 3 ? "EscrowAccount" : "DeliveryRecord", id);
    }
    for (int whole = 0; whole < 2; whole++) {
        const char *name = whole ? "" : "EscrowAccount";
        mt_str after = MT_STR("");
        uint32_t seen = 0;
        do {
            ad_param q[] = {{MT_STR("limit"), MT_STR("10")}, {MT_STR("after"), after}};
            const mt_json *r = ask_query(&d, EX_INSTANCE_LIST, name, "", q, 2);
            expect(&d, 200);
            seen += count_at(r, "items");
            after = mt_json_text(at(r, "next"));
        } while (after.len);
        assert_int_equal(seen, whole ? COUNT : 38);
    }
    ad_param q[] = {{MT_STR("state"), MT_STR("released")}};
    const mt_json *r = ask_query(&d, EX_INSTANCE_LIST, "EscrowAccount", "", q, 1);
    assert_int_equal(count_at(r, "items"), 0);
    /* And so has the action space. */
    r = ask(&d, &BUYER, EX_ACTIONS, "", "",
            "{\"persona\":\"buyer\",\"facts\":{\"delivery_status\":\"failed\","
            "\"buyer_requested_refund\":true,\"line_items\":[],\"escrow_amount\":{"
            "\"amount\":\"1\",\"currency\":\"USD\"}}}");
    expect(&d, 403);
    r = ask(&d, &ANYONE, EX_ACTIONS, "", "",
            "{\"persona\":\"escrow_agent\",\"facts\":{\"delivery_status\":\"failed\","
            "\"buyer_requested_refund\":true,\"line_items\":[],\"escrow_amount\":{"
            "\"amount\":\"1\",\"currency\":\"USD\"}},\"flows\":[\"refund_flow\"]}");
    expect(&d, 200);
    assert_int_equal(count_at(r, "actions"), 1);
    assert_int_equal(count_at(r, "actions.0.instance_bindings.EscrowAccount"), 38);
    desk_close(&d);
}

/* The answer with a dot for each moment, and for the record it names. */
static void assert_said(desk *d, int status, const char *want)
{
    mt_buf got = {0};
    expect(d, status);
    for (mt_str rest = d->text; rest.len;) {
        static const mt_str NAMES[] = {
            MT_STR_INIT("_at\":\""), MT_STR_INIT("\"at\":\""),
            MT_STR_INIT("\"record\":"), MT_STR_INIT("\"queued\":")};
        size_t i = 0;
        while (i < 4 && !mt_str_starts(rest, NAMES[i])) {
            i++;
        }
        if (i == 4) {
            mt_buf_addc(&got, rest.ptr[0]);
            rest = mt_str_skip(rest, 1);
            continue;
        }
        mt_buf_adds(&got, NAMES[i < 3 ? i : 2]);
        mt_buf_addc(&got, '.');
        rest = mt_str_skip(rest, NAMES[i].len);
        while (rest.len && (i > 1 ? rest.ptr[0] >= '0' && rest.ptr[0] <= '9'
                                  : rest.ptr[0] != '"')) {
            rest = mt_str_skip(rest, 1);
        }
    }
    assert_text(mt_buf_str(&got), mt_str_z(want));
    mt_buf_free(&got);
}

static void list_instances(desk *d, const char *name, const char *key,
                           const char *value, const char *want)
{
    ad_param q[] = {{mt_str_z(key), mt_str_z(value)}, {MT_STR("limit"), MT_STR("2")}};
    ask_query(d, EX_INSTANCE_LIST, name, "", q, 2);
    assert_said(d, 200, want);
}

/* clang-format off */
#define MADE     "\"created_at\":\".\","
#define AT_A     "\"state\":\"a\",\"updated_at\":\".\",\"version\":0"
#define LEFT_L   "{" MADE "\"entity\":\"Left\",\"id\":\"l\",\"last_operation\":\"both\",\"state\":\"b\",\"updated_at\":\".\",\"version\":1}"
#define LEFT_M   "{" MADE "\"entity\":\"Left\",\"id\":\"m\"," AT_A "}"
#define LEFT_N   "{" MADE "\"entity\":\"Left\",\"id\":\"n\"," AT_A "}"
#define RIGHT_R  "{" MADE "\"entity\":\"Right\",\"id\":\"r\",\"last_operation\":\"both\",\"state\":\"y\",\"updated_at\":\".\",\"version\":1}"
#define GONE     "{" MADE "\"deleted\":true,\"entity\":\"Left\",\"id\":\"g\",\"state\":\"a\",\"updated_at\":\".\",\"version\":1}"
#define ITEMS(x) "{\"items\":[" x "]}"
#define PART(x, next) "{\"items\":[" x "],\"next\":\"" next "\"}"
/* clang-format on */

static void an_instance_is_shown_from_its_first_day_to_its_last(void **state)
{
    desk d = pair(state);
    create(&d, "Left", "n");
    create(&d, "Left", "g");
    ask(&d, &ANYONE, EX_INSTANCE_CREATE, "Left", "", "{\"id\":\"m\",\"state\":\"a\"}");
    assert_said(&d, 201,
                "{\"contract\":\"pair\"," MADE "\"entity\":\"Left\",\"id\":\"m\"," AT_A
                ",\"record\":.}");
    assert_text(d.location, MT_STR("/v1/contracts/pair/instances/Left/m"));
    ask(&d, &ANYONE, EX_OPERATION, "both", "",
        "{\"persona\":\"clerk\"," BOTH_BOUND "}");
    expect(&d, 200);
    ask(&d, &ANYONE, EX_INSTANCE_DELETE, "Left", "g", "");
    assert_said(&d, 200,
                "{\"contract\":\"pair\"," MADE
                "\"deleted\":true,\"entity\":\"Left\",\"id\":\"g\",\"state\":\"a\","
                "\"updated_at\":\".\","
                "\"version\":1,\"record\":.}");
    ask(&d, &ANYONE, EX_INSTANCE_GET, "Left", "l", "");
    assert_said(
        &d, 200,
        "{\"contract\":\"pair\"," MADE
        "\"entity\":\"Left\",\"id\":\"l\",\"last_operation\":\"both\",\"state\":\"b\","
        "\"updated_at\":\".\",\"version\":1}");
    list_instances(&d, "Left", "after", "", PART(LEFT_L "," LEFT_M, "m"));
    list_instances(&d, "Left", "after", "m", ITEMS(LEFT_N));
    list_instances(&d, "Left", "after", "n", ITEMS(""));
    list_instances(&d, "Left", "state", "a", ITEMS(LEFT_M "," LEFT_N));
    list_instances(&d, "Left", "state", "b", ITEMS(LEFT_L));
    list_instances(&d, "Left", "deleted", "true", PART(GONE "," LEFT_L, "l"));
    list_instances(&d, "Left", "deleted", "false", PART(LEFT_L "," LEFT_M, "m"));
    list_instances(&d, "", "after", "", PART(LEFT_L "," LEFT_M, "Left/m"));
    list_instances(&d, "", "after", "Left/m", ITEMS(LEFT_N "," RIGHT_R));
    list_instances(&d, "", "after", "Left/n", ITEMS(RIGHT_R));
    list_instances(&d, "", "after", "Right/r", ITEMS(""));
    list_instances(&d, "", "state", "y", ITEMS(RIGHT_R));
    ask(&d, &ANYONE, EX_INSTANCE_COUNT, "", "", "");
    assert_said(&d, 200,
                "{\"contract\":\"pair\",\"items\":[{\"count\":2,\"entity\":\"Left\","
                "\"state\":\"a\"},"
                "{\"count\":1,\"entity\":\"Left\",\"state\":\"b\"},{\"count\":1,"
                "\"entity\":\"Right\",\"state\":\"y\"}]}");
    const mt_json *r =
        ask(&d, &ANYONE, EX_INSTANCE_CREATE, "Left", "", "{\"id\":\"g\"}");
    expect_code(&d, r, 409, "instance_exists");
    assert_at(r, "detail", "the id 'g' was in use for entity 'Left'");
    expect_code(&d, ask(&d, &ANYONE, EX_INSTANCE_DELETE, "Left", "g", ""), 404,
                "unknown_instance");
    expect_code(&d, ask(&d, &ANYONE, EX_INSTANCE_GET, "Left", "g", ""), 404,
                "unknown_instance");
    desk_close(&d);
}

/* 1 to 256 bytes of text without control characters (E15). */
static void an_id_is_a_text_of_so_many_bytes(void **state)
{
    desk d = pair(state);
    char body[400], id[258] = {0};
    memset(id, 'x', 257);
    for (size_t len = 257; len > 255; len--) {
        id[len] = '\0';
        snprintf(body, sizeof body, "{\"id\":\"%s\"}", id);
        ask(&d, &ANYONE, EX_INSTANCE_CREATE, "Left", "", body);
        expect(&d, len > 256 ? 422 : 201);
    }
    static const struct {
        const char *id;
        int status;
    } IDS[] = {{"", 422},        {"\\u001f", 422}, {" ", 201},
               {"\\u007f", 422}, {"~", 201},       {"\xC3\xA9", 201}};
    for (size_t i = 0; i < rows_count(IDS); i++) {
        snprintf(body, sizeof body, "{\"id\":\"%s\"}", IDS[i].id);
        ask(&d, &ANYONE, EX_INSTANCE_CREATE, "Left", "", body);
        expect(&d, IDS[i].status);
    }
    desk_close(&d);
}

/* A bundle, since what is made of source is sorted already. */
#define ANIMAL(id)                                                                     \
    "{\"id\":\"" id                                                                    \
    "\",\"initial\":\"a\",\"kind\":\"Entity\",\"provenance\":{\"file\":"               \
    "\"z.tenor\",\"line\":1},\"states\":[\"a\",\"b\"],\"tenor\":\"1.0\","              \
    "\"transitions\":[{\"from\":\"a\",\"to\":\"b\"}]}"
static const char ZOO[] = "{\"constructs\":[" ANIMAL("Cow") "," ANIMAL(
    "Ant") "," ANIMAL("Bee") "],"
                             "\"id\":\"zoo\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
                             "\"tenor_version\":\"1.0.0\"}";

/* The cursor is a name, so the order of names is the one that misses nothing. */
static void E17_entities_are_listed_by_name_however_they_are_declared(void **state)
{
    static const char *const WANT[] = {"Ant/a", "Bee/b", "Cow/c"};
    desk d = desk_open(state, contract_file("zoo.json", ZOO), NULL);
    create(&d, "Cow", "c");
    create(&d, "Ant", "a");
    create(&d, "Bee", "b");
    mt_str after = MT_STR("");
    for (size_t i = 0; i < 3; i++) {
        ad_param q[] = {{MT_STR("limit"), MT_STR("1")}, {MT_STR("after"), after}};
        const mt_json *r = ask_query(&d, EX_INSTANCE_LIST, "", "", q, 2);
        expect(&d, 200);
        mt_str entity = mt_json_text(at(r, "items.0.entity"));
        mt_str id = mt_json_text(at(r, "items.0.id"));
        assert_text(mt_strf(&d.arena, "%.*s/%.*s", MT_ARG(entity), MT_ARG(id)),
                    mt_str_z(WANT[i]));
        after = mt_json_text(at(r, "next"));
    }
    assert_int_equal(after.len, 0);
    desk_close(&d);
}

/* ---- Facts ---- */

static void E1_a_fact_is_asserted_only_by_who_may(void **state)
{
    desk d = escrow(state);
    const mt_json *r = ask(&d, &BUYER, EX_EVALUATE, "", "", "{" ESCROW_FACTS "}");
    expect_code(&d, r, 403, "fact_forbidden");
    /* source:buyer_portal covers the free text "buyer_portal.refund_requested". */
    r = ask(&d, &BUYER, EX_EVALUATE, "", "",
            "{\"facts\":{\"buyer_requested_refund\":true}}");
    expect_code(&d, r, 422, "missing_fact");
    r = ask(&d, &SELLER, EX_EVALUATE, "", "", "{" ESCROW_FACTS "}");
    expect(&d, 200);
    assert_true(count_at(r, "verdicts") >= 4);
    desk_close(&d);
}

static const char FETCHED[] =
    "persona clerk\n"
    "source limits { protocol: static }\n"
    "source desk { protocol: manual }\n"
    "fact largest { type: Int(min: 0, max: 100) source: limits { path: \"largest\" } "
    "}\n"
    "fact said { type: Int(min: 0, max: 100) source: desk { path: \"said\" } }\n"
    "entity Thing { states: [a, b] initial: a transitions: [(a, b)] }\n"
    "rule fits { stratum: 0 when: said <= largest produce: fits(true) }\n"
    "operation go { allowed_personas: [clerk] precondition: fits present\n"
    "  effects: [(Thing, a, b)] }\n";

CALLER(CLERK_OF_ALL, "tok-all", LIST(T("clerk")), LIST(T("facts:*"), T("evaluate")));
CALLER(CLERK_ABOVE, "tok-above", LIST(T("clerk")),
       LIST(T("evaluate"), T("facts:*"), T("facts:override")));

static void E1_facts_come_from_their_sources(void **state)
{
    mt_arena a = {0};
    mt_json sources;
    assert_fine(mt_json_read(&a, MT_STR("{\"limits\":{\"values\":{\"largest\":50}}}"),
                             NULL, &sources, NULL));
    ex_executor_options o = {.adapters = &sources};
    desk d = desk_open(state, contract_file("fetched.tenor", FETCHED), &o);
    create(&d, "Thing", "t");
    const mt_json *r = ask(&d, &CLERK_OF_ALL, EX_EVALUATE, "", "", "{}");
    expect_code(&d, r, 422, "missing_fact");
    r = ask(&d, &CLERK, EX_FACT_ASSERT, "said", "", "{\"value\":40}");
    expect_code(&d, r, 403, "fact_forbidden");
    r = ask(&d, &CLERK_OF_ALL, EX_FACT_ASSERT, "said", "", "{\"value\":400}");
    expect_code(&d, r, 422, "invalid_fact");
    r = ask(&d, &CLERK_OF_ALL, EX_FACT_ASSERT, "largest", "", "{\"value\":40}");
    expect_code(&d, r, 422, "not_assertable");
    ask(&d, &CLERK_OF_ALL, EX_FACT_ASSERT, "said", "", "{\"value\":40}");
    expect(&d, 200);
    assert_int_equal(records(&d, "fact_asserted"), 1);
    /* Asserting what an adapter fetches needs facts:override, and is recorded. */
    r = ask(&d, &CLERK_OF_ALL, EX_EVALUATE, "", "", "{\"facts\":{\"largest\":10}}");
    expect_code(&d, r, 403, "fact_forbidden");
    r = ask(&d, &CLERK_ABOVE, EX_EVALUATE, "", "", "{\"facts\":{\"largest\":10}}");
    expect(&d, 200);
    assert_int_equal(count_at(r, "verdicts"), 0);
    r = ask(&d, &CLERK_ABOVE, EX_OPERATION, "go", "",
            "{\"persona\":\"clerk\",\"facts\":{\"largest\":45},\"bindings\":{\"Thing\":"
            "\"t\"}}");
    expect(&d, 200);
    r = ask(&d, &ANYONE, EX_LEDGER_GET, "", record_of(&d, r), "");
    assert_at(r, "body.facts.0.id", "largest");
    assert_int_equal(flag_at(r, "body.facts.0.source_override"), 1);
    assert_at(r, "body.facts.1.adapter_id", "motet.manual");
    assert_at(r, "body.facts.1.asserted_by", "tok-all");
    create(&d, "Thing", "t2");
    r = ask(&d, &CLERK_OF_ALL, EX_OPERATION, "go", "",
            "{\"persona\":\"clerk\",\"bindings\":{\"Thing\":\"t2\"}}");
    expect(&d, 200);
    r = ask(&d, &ANYONE, EX_LEDGER_GET, "", record_of(&d, r), "");
    assert_at(r, "body.facts.0.adapter_id", "motet.static");
    assert_non_null(at(r, "body.facts.0.fetch_timestamp"));
    assert_at(r, "body.facts.0.value", "50");
    /* E14: adapters run, and the manifest says so. */
    r = ask(&d, &ANYONE, EX_CONTRACT_GET, "", "", "");
    assert_int_equal(flag_at(r, "capabilities.source_adapters"), 1);
    desk_close(&d);
    mt_arena_free(&a);
}

static void what_was_asserted_holds_until_it_expires_or_is_retracted(void **state)
{
    desk d = pair(state);
    ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "", "{\"value\":false,\"ttl_ms\":300}");
    expect(&d, 200);
    const char *body = "{\"persona\":\"clerk\",\"dry_run\":true," BOTH_BOUND "}";
    expect_code(&d, ask(&d, &ANYONE, EX_OPERATION, "both", "", body), 422,
                "precondition_failed");
    usleep(350 * 1000);
    ask(&d, &ANYONE, EX_OPERATION, "both", "", body);
    expect(&d, 200);
    ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "", "{\"value\":false}");
    d = desk_again(state, &d, NULL);
    expect_code(&d, ask(&d, &ANYONE, EX_OPERATION, "both", "", body), 422,
                "precondition_failed");
    const mt_json *r = ask(&d, &ANYONE, EX_FACT_LIST, "", "", "");
    assert_int_equal(count_at(r, "items"), 3);
    ask(&d, &ANYONE, EX_FACT_RETRACT, "ready", "", "");
    expect(&d, 200);
    ask(&d, &ANYONE, EX_OPERATION, "both", "", body);
    expect(&d, 200);
    expect_code(&d, ask(&d, &ANYONE, EX_FACT_RETRACT, "ready", "", ""), 404,
                "not_found");
    desk_close(&d);
}

CALLER(TELLER, "tok-teller", LIST(T("nobody")), LIST(T("facts:ready"), T("pair/read")));

/* clang-format off */
#define KEPT_FACTS(BY, VALUE) \
    "{\"items\":[{\"default\":\"2026-01-01T00:00:00Z\",\"fetched\":false,\"id\":\"at\",\"source\":{\"field\":\"at\",\"system\":\"clock\"},\"type\":\"DateTime\"}," \
    "{\"asserted\":{\"at\":\".\"," BY "\"expired\":false,\"expires_at\":\".\"" VALUE "},\"default\":\"0.5000\",\"fetched\":false,\"id\":\"rate\",\"source\":{\"field\":\"rate\",\"system\":\"bank\"},\"type\":\"Decimal(10, 4)\"}," \
    "{\"asserted\":{\"at\":\".\",\"by\":\"tok-teller\",\"expired\":false,\"value\":false},\"default\":true,\"fetched\":false,\"id\":\"ready\",\"source\":{\"path\":\"ready\",\"source_id\":\"desk\"},\"type\":\"Bool\"}]}"
/* clang-format on */

/* Whoever may not read it sees that it is there. */
static void a_kept_fact_is_shown_as_it_was_asserted(void **state)
{
    desk d = pair(state);
    const mt_json *r =
        ask(&d, &ANYONE, EX_FACT_ASSERT, "rate", "",
            "{\"value\":0.7,\"expires_at\":\"2999-01-01T00:00:00.25Z\"}");
    assert_said(
        &d, 200,
        "{\"contract\":\"pair\",\"expires_at\":\".\",\"fact\":\"rate\",\"record\":.,"
        "\"value\":\"0.7\"}");
    assert_at(r, "expires_at", "2999-01-01T00:00:00.25Z");
    r = ask(&d, &ANYONE, EX_LEDGER_GET, "", record_of(&d, r), "");
    assert_at(r, "body.expires_at", "2999-01-01T00:00:00.25Z");
    assert_at(r, "body.value", "0.7");
    assert_at(r, "body.source.system", "bank");
    ask(&d, &TELLER, EX_FACT_ASSERT, "ready", "", "{\"value\":false}");
    assert_said(
        &d, 200,
        "{\"contract\":\"pair\",\"fact\":\"ready\",\"record\":.,\"value\":false}");
    ask(&d, &ANYONE, EX_FACT_LIST, "", "", "");
    assert_said(&d, 200, KEPT_FACTS("\"by\":\"anonymous\",", ",\"value\":\"0.7\""));
    ask(&d, &TELLER, EX_FACT_LIST, "", "", "");
    assert_said(&d, 200, KEPT_FACTS("", ""));
    r = ask(&d, &TELLER, EX_FACT_RETRACT, "rate", "", "");
    expect_code(&d, r, 403, "fact_forbidden");
    assert_at(r, "needs.0", "pair/facts:rate");
    ask(&d, &TELLER, EX_FACT_RETRACT, "ready", "", "");
    assert_said(&d, 200, "{\"contract\":\"pair\",\"fact\":\"ready\",\"record\":.}");
    r = ask(&d, &ANYONE, EX_FACT_RETRACT, "ready", "", "");
    expect_code(&d, r, 404, "not_found");
    assert_at(r, "detail", "nobody asserted the fact 'ready'");
    r = ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "",
            "{\"value\":true,\"ttl_ms\":1,\"expires_at\":\"2999-01-01T00:00:00Z\"}");
    expect_code(&d, r, 400, "bad_request");
    assert_at(r, "detail", "say `ttl_ms` or `expires_at`, not both");
    r = ask(&d, &ANYONE, EX_FACT_ASSERT, "ready", "", "{\"value\":1}");
    expect_code(&d, r, 422, "invalid_fact");
    desk_close(&d);
}

static void E6_moments_are_utc_before_anything_reads_them(void **state)
{
    desk d = pair(state);
    const mt_json *r = ask(&d, &ANYONE, EX_EVALUATE, "", "",
                           "{\"facts\":{\"at\":\"2026-06-01T12:00:00+02:00\"}}");
    expect(&d, 200);
    assert_int_equal(count_at(r, "verdicts"), 2);
    r = ask(&d, &ANYONE, EX_EVALUATE, "", "",
            "{\"facts\":{\"at\":\"2026-06-01T11:59:59+02:00\"}}");
    assert_int_equal(count_at(r, "verdicts"), 1);
    r = ask(&d, &ANYONE, EX_OPERATION, "both", "",
            "{\"persona\":\"clerk\",\"facts\":{\"at\":\"2026-06-01T12:00:00+02:00\"}"
            "," BOTH_BOUND "}");
    r = ask(&d, &ANYONE, EX_LEDGER_GET, "", record_of(&d, r), "");
    assert_at(r, "body.facts.0.value", "2026-06-01T10:00:00Z");
    desk_close(&d);
}

static void E7_numbers_are_decimal_and_exact(void **state)
{
    desk d = pair(state);
    const mt_json *r =
        ask(&d, &ANYONE, EX_EVALUATE, "", "", "{\"facts\":{\"rate\":\"0.3000\"}}");
    expect(&d, 200);
    assert_int_equal(count_at(r, "verdicts"), 0);
    r = ask(&d, &ANYONE, EX_EVALUATE, "", "", "{\"facts\":{\"rate\":0.3001}}");
    assert_int_equal(count_at(r, "verdicts"), 1);
    r = ask(&d, &ANYONE, EX_EVALUATE, "", "", "{\"facts\":{\"rate\":0.30001}}");
    expect_code(&d, r, 422, "invalid_fact");
    desk_close(&d);
}

/* ---- Manifest and trust ---- */

static void E10_E11_E12_E14_the_manifest_is_whole_and_true(void **state)
{
    desk d = desk_open(state, ESCROW, NULL);
    ex_manifest m;
    assert_fine(ex_executor_manifest(d.x, MT_STR(""), &m));
    mt_json tree;
    mt_json_limits limits = {0, 500};
    assert_fine(mt_json_read(&d.arena, m.text, &limits, &tree, NULL));
    assert_text(mt_json_text(at(&tree, "etag")), m.etag);
    mt_buf bundle = {0};
    mt_json_write(&bundle, at(&tree, "bundle"), false);
    assert_text(ct_bundle_etag(&d.arena, mt_buf_str(&bundle)), m.etag);
    mt_buf_free(&bundle);
    assert_true(count_at(&tree, "bundle.constructs") > 20);
    assert_at(&tree, "capabilities.migration_analysis_mode", "conservative");
    assert_int_equal(flag_at(&tree, "capabilities.multi_instance_entities"), 1);
    assert_int_equal(flag_at(&tree, "capabilities.source_adapters"), 0);
    assert_null(at(&tree, "trust"));
    mt_str etag = mt_str_dup(&d.arena, m.etag);
    ex_executor_release(d.x, &m);
    assert_err(ex_executor_manifest(d.x, MT_STR("other"), &m), MT_E_NOTFOUND);
    const mt_json *r = ask(&d, &ANYONE, EX_CONTRACT_VERSIONS, "", "", "");
    assert_int_equal(count_at(r, "items"), 1);
    assert_text(mt_json_text(at(r, "items.0.etag")), etag);
    assert_int_equal(flag_at(r, "items.0.current"), 1);
    r = ask(&d, &ANYONE, EX_CONTRACT_LIST, "", "", "");
    assert_at(r, "items.0.id", "escrow");
    /* The same bundle after a restart has the same etag, and nothing is deployed anew.
     */
    mt_arena keep = d.arena;
    d.arena = (mt_arena){0};
    desk_close(&d);
    d = desk_on(again(state, NULL), ESCROW, NULL);
    assert_fine(ex_executor_manifest(d.x, MT_STR("escrow"), &m));
    assert_text(m.etag, etag);
    assert_int_equal(records(&d, "contract_deployed"), 1);
    desk_close(&d);
    mt_arena_free(&keep);
}

static void E18_E20_the_manifest_is_attested_and_records_name_the_domain(void **state)
{
    const char *path = temp_path("executor.secret");
    mt_sign_key key;
    mt_buf why = {0};
    mt_sign_generate(&key);
    unlink(path);
    assert_fine(os_key_write(path, &key, &why));
    ex_executor_options o = {.signing_key = path,
                             .trust_domain = MT_STR("acme.test.eu")};
    desk d = desk_open(state, ESCROW, &o);
    create(&d, "EscrowAccount", "e1");
    ask(&d, &AGENT, EX_OPERATION, "release_escrow", "", RELEASE);
    expect(&d, 200);
    ex_manifest m;
    assert_fine(ex_executor_manifest(d.x, MT_STR(""), &m));
    ex_trust_finding found;
    assert_fine(ex_trust_verify(&d.arena, m.text, &key.open, NULL, &found));
    assert_str(found.domain, "acme.test.eu");
    ex_executor_release(d.x, &m);
    ad_param q[] = {{MT_STR("pending"), MT_STR("true")}};
    const mt_json *r = ask_query(&d, EX_LEDGER_LIST, "", "", q, 1);
    assert_true(count_at(r, "items") >= 3);
    for (uint32_t i = 0; i < count_at(r, "items"); i++) {
        char where[40];
        snprintf(where, sizeof where, "items.%u.body.trust_domain", i);
        assert_at(r, where, "acme.test.eu");
    }
    desk_close(&d);
    mt_buf_free(&why);
}

static void a_forged_manifest_is_not_served(void **state)
{
    mt_arena a = {0};
    mt_buf why = {0};
    mt_sign_key key;
    mt_sign_generate(&key);
    mt_str bundle =
        MT_STR("{\"constructs\":[{\"id\":\"P\",\"kind\":\"Persona\",\"provenance\":{"
               "\"file\":\"a\",\"line\":1},\"tenor\":\"1.0\"}],\"id\":\"a\",\"kind\":"
               "\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":\"1.0.0\"}");
    ex_attestation t = ex_attest(&a, bundle, &key, MT_STR(""));
    t.signature.bytes[5] ^= 1;
    mt_str text = mt_strf(&a,
                          "{\"bundle\":%.*s,\"etag\":\"%.*s\",\"tenor\":\"1.0\","
                          "\"trust\":%.*s}",
                          MT_ARG(bundle), MT_ARG(ct_bundle_etag(&a, bundle)),
                          MT_ARG(ex_trust_section(&a, &t)));
    desk d;
    mt_err err =
        desk_try(&d, fresh(state), contract_file("forged.json", text.ptr), NULL, &why);
    if (err != MT_E_DENIED) {
        fail_msg("%s: %.*s", mt_err_name(err), MT_ARG(mt_buf_str(&why)));
    }
    st_close(d.store);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

/* ---- What front doors need ---- */

static void count_told(void *state, mt_str kind, mt_str contract, mt_str name)
{
    (void)kind, (void)name;
    assert_text(contract, MT_STR("escrow"));
    ++*(unsigned *)state;
}

static void it_counts_and_describes_itself(void **state)
{
    desk d = escrow(state);
    mt_buf out = {0};
    mt_figures_text figures;
    ex_executor_figures(d.x, mt_figures_text_start(&figures, &out));
    mt_buf_addc(&out, '\0');
    assert_non_null(
        strstr(out.ptr, "motet_calls_total{action=\"instance_create\"} 2\n"));
    mt_buf_clear(&out);
    assert_true(ex_executor_ready(d.x, &out));
    mt_jw w = mt_jw_start(&out, false);
    unsigned told = 0;
    mt_jw_begin_unsorted(&w);
    ex_executor_api(d.x, &w, count_told, &told);
    mt_jw_end_object(&w);
    mt_json tree;
    mt_json_error error = {0};
    if (mt_json_read(&d.arena, mt_buf_str(&out), NULL, &tree, &error)) {
        fail_msg("%s at %zu", error.message, error.offset);
    }
    assert_int_equal(told, tree.count);
    assert_non_null(mt_json_at(&tree, "escrow.flow.standard_release"));
    assert_non_null(mt_json_at(&tree, "escrow.operation.release_escrow"));
    assert_non_null(mt_json_at(&tree, "escrow.fact.delivery_status"));
    const mt_json *facts = mt_json_at(&tree, "escrow.facts");
    assert_at(facts, "properties.delivery_status.enum.1", "confirmed");
    assert_at(facts, "properties.line_items.maxItems", "100");
    mt_buf_free(&out);
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, an_operation_moves_its_instance_and_leaves_a_record);
    both(&l, E1_a_fact_is_asserted_only_by_who_may);
    both(&l, E1_facts_come_from_their_sources);
    both(&l, what_was_asserted_holds_until_it_expires_or_is_retracted);
    both(&l, E2_a_wrong_source_state_is_a_typed_conflict);
    both(&l, E3_all_instances_move_or_none);
    both(&l, a_kept_fact_is_shown_as_it_was_asserted);
    both(&l, E6_moments_are_utc_before_anything_reads_them);
    both(&l, E7_numbers_are_decimal_and_exact);
    both(&l, E10_E11_E12_E14_the_manifest_is_whole_and_true);
    both(&l, E13_a_dry_run_answers_as_the_call_would_and_changes_nothing);
    both(&l, E15_instances_begin_in_the_initial_state);
    both(&l, E16_an_id_is_never_used_again);
    both(&l, E17_lists_have_every_instance);
    both(&l, an_instance_is_shown_from_its_first_day_to_its_last);
    both(&l, an_id_is_a_text_of_so_many_bytes);
    both(&l, E17_entities_are_listed_by_name_however_they_are_declared);
    both(&l, E18_E20_the_manifest_is_attested_and_records_name_the_domain);
    both(&l, what_is_wrong_has_its_own_code);
    both(&l, what_is_refused_says_what_was_wrong);
    both(&l, a_key_is_a_text_of_so_many_bytes);
    both(&l, a_false_precondition_says_what_was_false);
    both(&l, a_persona_acts_only_for_who_holds_it);
    both(&l, a_caller_may_name_the_version_it_expects);
    both(&l, a_retried_request_has_one_effect_and_the_same_answer);
    both(&l, a_retry_is_answered_whatever_has_changed_since);
    both(&l, a_refusal_asked_again_is_the_same_refusal);
    both(&l, what_the_contract_did_not_decide_may_be_asked_again);
    both(&l, facts_are_shown_to_those_they_concern);
    both(&l, an_answer_given_again_says_where_the_new_thing_is);
    both(&l, a_forged_manifest_is_not_served);
    both(&l, it_counts_and_describes_itself);
    int failed = rows_run(&l, "exec/executor");
    backends_stop();
    return failed;
}
