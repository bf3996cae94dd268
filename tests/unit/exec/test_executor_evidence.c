/* Evidence: refusals are records, and every decision has a receipt that holds offline.
 */
#include "exec_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ledger/receipt.h"
#include "os/key_file.h"

/* Two entities, one operation on both that small amounts may do. */
static const char PAIR[] =
    "persona clerk\npersona boss\n"
    "fact amount {\n  type: Int(min: 0, max: 1000)\n  source: \"x.amount\"\n}\n"
    "entity Left {\n  states: [a, b]\n  initial: a\n"
    "  transitions: [(a, b), (b, a)]\n}\n"
    "entity Right {\n  states: [x, y]\n  initial: x\n"
    "  transitions: [(x, y), (y, x)]\n}\n"
    "rule small {\n  stratum: 0\n  when: amount <= 10\n"
    "  produce: verdict small { payload: Bool = true }\n}\n"
    "operation both {\n  allowed_personas: [clerk]\n"
    "  precondition: verdict_present(small)\n"
    "  effects: [(Left, a, b), (Right, x, y)]\n"
    "  error_contract: [precondition_failed, persona_rejected, invalid_source_state]\n"
    "}\n"
    "operation back {\n  allowed_personas: [boss]\n  precondition: amount <= 1000\n"
    "  effects: [(Left, b, a), (Right, y, x)]\n"
    "  error_contract: [precondition_failed, persona_rejected, invalid_source_state]\n"
    "}\n"
    "flow turn {\n  snapshot: at_initiation\n  entry: go\n  steps: {\n"
    "    go: OperationStep {\n      op: both\n      persona: clerk\n"
    "      outcomes: { success: undo }\n"
    "      on_failure: Terminate(outcome: failure)\n    }\n"
    "    undo: OperationStep {\n      op: back\n      persona: boss\n"
    "      outcomes: { success: Terminal(success) }\n"
    "      on_failure: Terminate(outcome: failure)\n    }\n  }\n}\n";

CALLER(PAIR_CLERK, "tok-clerk", LIST(T("clerk")), LIST(T("facts:*")));
CALLER(PAIR_BOSS, "tok-boss", LIST(T("boss")), LIST(T("facts:*")));
CALLER(STRANGER, "tok-stranger", LIST(T("visitor")), LIST(T("facts:*")));
CALLER(READER, "tok-reader", LIST(T("visitor")), LIST(T("ledger:read")));

#define BOUND "\"bindings\":{\"Left\":\"l\",\"Right\":\"r\"}"
#define SMALL "{\"persona\":\"clerk\",\"facts\":{\"amount\":5}," BOUND "}"
#define LARGE "{\"persona\":\"clerk\",\"facts\":{\"amount\":777}," BOUND "}"
#define SMALLR                                                                         \
    "{\"receipt\":true,\"persona\":\"clerk\",\"facts\":{\"amount\":5}," BOUND "}"
#define LARGER                                                                         \
    "{\"receipt\":true,\"persona\":\"clerk\",\"facts\":{\"amount\":777}," BOUND "}"
#define BACKR                                                                          \
    "{\"receipt\":true,\"persona\":\"boss\",\"facts\":{\"amount\":5}," BOUND "}"

static mt_sign_public public_key;

static const char *secret(void)
{
    static char path[300];
    if (!path[0]) {
        mt_buf why = {0};
        const char *prefix = temp_path("evidence-key");
        snprintf(path, sizeof path, "%s.secret", prefix);
        assert_int_equal(os_key_create(prefix, &public_key, &why), MT_OK);
    }
    return path;
}

/* `more` is the text of the configuration, or NULL. */
static desk pair(void **state, bool has_key, const char *more)
{
    static mt_arena kept;
    mt_json *settings = mt_new(&kept, mt_json);
    ex_executor_options o = {.signing_key = has_key ? secret() : NULL,
                             .checkpoint_every = 100000,
                             .checkpoint_seconds = 86400};
    if (more) {
        assert_fine(mt_json_read(&kept, mt_str_z(more), NULL, settings, NULL));
        o.settings = settings;
    }
    desk d = desk_open(state, contract_file("pair.tenor", PAIR), &o);
    create(&d, "Left", "l");
    create(&d, "Right", "r");
    return d;
}

static desk again_signed(void **state, desk *d)
{
    ex_executor_options o = {.signing_key = secret()};
    return desk_again(state, d, &o);
}

static const mt_json *operate(desk *d, const ex_caller *who, const char *name,
                              const char *body)
{
    return ask(d, who, EX_OPERATION, name, "", body);
}

static const mt_json *record_named(desk *d, const mt_json *r)
{
    r = ask(d, &ANYONE, EX_LEDGER_GET, "", record_of(d, r), "");
    expect(d, 200);
    return r;
}

/* ---- Refusals ---- */

static void FU2_a_refusal_is_a_record_under_every_instance(void **state)
{
    desk d = pair(state, false, NULL);
    uint32_t before = records(&d, "");
    const mt_json *r = operate(&d, &PAIR_CLERK, "both", LARGE);
    expect_code(&d, r, 422, "precondition_failed");
    r = record_named(&d, r);
    assert_at(r, "body.kind", "refusal");
    assert_at(r, "body.caller.id", "tok-clerk");
    assert_at(r, "body.persona", "clerk");
    assert_at(r, "body.operation", "both");
    assert_at(r, "body.bindings.Left", "l");
    assert_at(r, "body.bindings.Right", "r");
    assert_at(r, "body.refusal.code", "precondition_failed");
    assert_at(r, "body.refusal.status", "422");
    assert_at(r, "body.refusal.reasons.0.rests_on.0", "amount");
    assert_non_null(at(r, "body.etag"));
    /* Reasons are told, values are not. */
    assert_null(at(r, "body.facts"));
    assert_null(strstr(d.text.ptr, ":777"));
    static const char *const ENTITIES[] = {"Left", "Right"};
    for (int i = 0; i < 2; i++) {
        r = ask(&d, &ANYONE, EX_INSTANCE_HISTORY, ENTITIES[i], i ? "r" : "l", "");
        assert_int_equal(count_at(r, "items"), 2);
        assert_at(r, "items.1.body.kind", "refusal");
    }
    /* The wrong persona, and one that the caller does not hold. */
    r = operate(&d, &PAIR_BOSS, "both",
                "{\"persona\":\"boss\",\"facts\":{\"amount\":5}," BOUND "}");
    r = record_named(&d, r);
    assert_at(r, "body.refusal.code", "persona_rejected");
    r = operate(&d, &STRANGER, "both", SMALL);
    expect(&d, 403);
    r = record_named(&d, r);
    assert_at(r, "body.caller.id", "tok-stranger");
    assert_at(r, "body.persona", "clerk");
    assert_int_equal(records(&d, ""), before + 3);
    desk_close(&d);
}

static void FU2_a_refused_flow_and_resumption_are_records(void **state)
{
    desk d = pair(state, false, NULL);
    const mt_json *r = ask(&d, &STRANGER, EX_FLOW_START, "turn", "", SMALL);
    expect(&d, 403);
    r = record_named(&d, r);
    assert_at(r, "body.flow", "turn");
    assert_at(r, "body.refusal.code", "persona_rejected");
    r = ask(&d, &PAIR_CLERK, EX_FLOW_START, "turn", "", SMALL);
    expect(&d, 200);
    assert_at(r, "status", "waiting");
    const char *id = mt_str_dup(&d.arena, mt_json_text(at(r, "id"))).ptr;
    r = ask(&d, &PAIR_CLERK, EX_FLOW_RESUME, "", id, "{}");
    expect(&d, 403);
    r = record_named(&d, r);
    assert_at(r, "body.flow", "turn");
    assert_text(mt_json_text(at(r, "body.execution")), mt_str_z(id));
    assert_at(r, "body.bindings.Right", "r");
    assert_at(r, "body.refusal.persona", "boss");
    r = ask(&d, &PAIR_BOSS, EX_FLOW_RESUME, "", id, "{}");
    assert_at(r, "status", "done");
    /* Everything about the flow is found under what it binds, changed or not. */
    static const char *const KINDS[] = {
        "instance_created", "refusal", "flow_started", "operation",
        "flow_waiting",     "refusal", "operation",    "flow_ended"};
    r = ask(&d, &ANYONE, EX_INSTANCE_HISTORY, "Right", "r", "");
    assert_int_equal(count_at(r, "items"), rows_count(KINDS));
    for (size_t i = 0; i < rows_count(KINDS); i++) {
        char path[40];
        snprintf(path, sizeof path, "items.%zu.body.kind", i);
        assert_text(mt_json_text(at(r, path)), mt_str_z(KINDS[i]));
    }
    assert_at(r, "items.4.body.asked_as", "clerk");
    assert_at(r, "items.7.body.asked_as", "boss");
    desk_close(&d);
}

static void refusals_are_told_as_the_setting_wants(void **state)
{
    static const char *const WORDS[] = {"reasons", "all", "none"};
    for (int i = 0; i < 3; i++) {
        char text[80];
        snprintf(text, sizeof text, "{\"executor\":{\"refusals\":\"%s\"}}", WORDS[i]);
        desk d = pair(state, false, text);
        const mt_json *r = operate(&d, &PAIR_CLERK, "both", LARGE);
        expect(&d, 422);
        assert_int_equal(records(&d, "refusal"), i < 2);
        if (i == 2) {
            assert_null(at(r, "record"));
            assert_null(at(r, "queued"));
        } else {
            r = record_named(&d, r);
            assert_int_equal(at(r, "body.facts") != NULL, i == 1);
            assert_int_equal(strstr(d.text.ptr, ":777") != NULL, i == 1);
        }
        /* A fact that is not of its type is told with its value. */
        r = operate(&d, &PAIR_CLERK, "both",
                    "{\"persona\":\"clerk\",\"facts\":{\"amount\":4711}," BOUND "}");
        expect_code(&d, r, 422, "invalid_fact");
        if (i < 2) {
            (void)record_named(&d, r);
            assert_int_equal(strstr(d.text.ptr, "\"detail\"") != NULL, i == 1);
        }
        desk_close(&d);
    }
}

static void a_wrong_setting_is_refused(void **state)
{
    mt_arena a = {0};
    mt_buf why = {0};
    mt_json settings;
    desk d;
    assert_fine(mt_json_read(&a, MT_STR("{\"executor\":{\"refusals\":\"some\"}}"), NULL,
                             &settings, NULL));
    ex_executor_options o = {.settings = &settings};
    assert_err(desk_try(&d, fresh(state), NULL, &o, &why), MT_E_REJECTED);
    assert_non_null(strstr(why.ptr, "`reasons`, `all` or `none`"));
    st_close(d.store);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

/* What cannot be read, the world's faults and dry runs leave nothing. */
static void E13_what_is_no_decision_is_not_recorded(void **state)
{
    static const char *const BODIES[] = {
        "{\"persona\":\"clerk\"",
        "{\"persona\":\"clerk\",\"amont\":1}",
        "{\"facts\":{\"amount\":5}}",
        "{\"persona\":\"clerk\",\"facts\":{\"amount\":5},\"dry_run\":true}",
        "{\"dry_run\":true,\"persona\":\"clerk\",\"facts\":{\"amount\":777}," BOUND "}",
        "{\"dry_run\":true,\"persona\":\"boss\",\"facts\":{\"amount\":5}," BOUND "}",
    };
    desk d = pair(state, true, NULL);
    uint32_t before = records(&d, "");
    for (size_t i = 0; i < rows_count(BODIES); i++) {
        const mt_json *r = operate(&d, &ANYONE, "both", BODIES[i]);
        assert_true(d.status >= 400);
        assert_null(at(r, "record"));
        assert_null(at(r, "queued"));
    }
    const mt_json *r =
        operate(&d, &ANYONE, "both",
                "{\"receipt\":true,\"dry_run\":true,\"persona\":\"clerk\",\"facts\":{"
                "\"amount\":5}," BOUND "}");
    expect(&d, 200);
    assert_null(at(r, "receipt"));
    assert_int_equal(records(&d, ""), before);
    desk_close(&d);
}

static void FS19_a_dry_run_refused_early_says_simulation(void **state)
{
    desk d = pair(state, false, NULL);
    static const char *const BODIES[] = {
        "{\"dry_run\":true,\"persona\":\"clerk\",\"amont\":1}",
        "{\"amont\":1,\"persona\":\"clerk\",\"dry_run\":true}",
        "{\"dry_run\":true,\"persona\":\"clerk\",\"expires_at\":\"never\"}",
    };
    for (size_t i = 0; i < rows_count(BODIES); i++) {
        const mt_json *r = operate(&d, &ANYONE, "both", BODIES[i]);
        expect(&d, 400);
        assert_int_equal(flag_at(r, "simulation"), 1);
    }
    ex_call call = {.action = EX_FLOW_START,
                    .caller = &ANYONE,
                    .contract = MT_STR("none"),
                    .name = MT_STR("turn"),
                    .body = MT_STR("{\"dry_run\":true}")};
    const mt_json *r = ask_call(&d, &call);
    expect_code(&d, r, 404, "unknown_contract");
    assert_int_equal(flag_at(r, "simulation"), 1);
    call.body = MT_STR("{\"dry_run\":false}");
    r = ask_call(&d, &call);
    assert_int_equal(flag_at(r, "simulation"), -1);
    desk_close(&d);
}

/* The caller names what it likes; the ledger goes on. */
static void names_nobody_can_have_do_no_harm(void **state)
{
    desk d = pair(state, false, NULL);
    mt_buf body = {0};
    mt_buf_addz(&body, "{\"persona\":\"boss\",\"bindings\":{\"Left\":\"");
    for (int i = 0; i < 5000; i++) {
        mt_buf_addc(&body, 'x');
    }
    mt_buf_addz(&body, "\",\"Right\":\"a\\u0000b\",\"Up\":\"u\"}}");
    mt_buf_addc(&body, '\0');
    const mt_json *r = operate(&d, &PAIR_BOSS, "both", body.ptr);
    expect(&d, 403);
    r = record_named(&d, r);
    assert_int_equal(mt_json_text(at(r, "body.bindings.Left")).len, 5000);
    assert_null(at(r, "body.bindings.Up"));
    operate(&d, &PAIR_CLERK, "both", SMALL);
    expect(&d, 200);
    mt_buf_free(&body);
    desk_close(&d);
}

static void a_repeated_refusal_is_one_record(void **state)
{
    desk d = pair(state, false, NULL);
    const mt_json *r = ask_once(&d, &PAIR_CLERK, EX_OPERATION, "both", LARGE, "k1");
    expect(&d, 422);
    mt_str first = d.text;
    r = ask_once(&d, &PAIR_CLERK, EX_OPERATION, "both", LARGE, "k1");
    assert_true(d.replayed);
    assert_text(d.text, first);
    assert_int_equal(records(&d, "refusal"), 1);
    /* One that is not kept is decided, and recorded, each time. */
    r = ask_once(&d, &STRANGER, EX_OPERATION, "both", SMALL, "k2");
    r = ask_once(&d, &STRANGER, EX_OPERATION, "both", SMALL, "k2");
    expect(&d, 403);
    assert_false(d.replayed);
    assert_non_null(r);
    assert_int_equal(records(&d, "refusal"), 3);
    desk_close(&d);
}

/* ---- Receipts ---- */

static lg_receipt read_receipt(desk *d, const mt_json *node)
{
    lg_receipt r;
    mt_buf text = {0};
    assert_non_null(node);
    mt_json_write(&text, node, false);
    if (lg_receipt_read(&d->arena, mt_str_dup(&d->arena, mt_buf_str(&text)), &r)) {
        fail_msg("not a receipt: %.*s", MT_ARG(mt_buf_str(&text)));
    }
    mt_buf_free(&text);
    return r;
}

static void assert_holds(const lg_receipt *r)
{
    lg_receipt_demand demand = {.keys = &public_key, .key_count = 1};
    const char *fault = lg_receipt_fault(r, &demand);
    if (fault) {
        fail_msg("%s", fault);
    }
}

static const mt_json *fetch(desk *d, const ex_caller *who, uint64_t seq)
{
    char id[24];
    snprintf(id, sizeof id, "%llu", (unsigned long long)seq);
    return ask(d, who, EX_LEDGER_RECEIPT, "", id, "");
}

static void a_promise_goes_out_with_the_answer(void **state)
{
    desk d = pair(state, true, NULL);
    const mt_json *r = operate(&d, &PAIR_CLERK, "both", SMALLR);
    expect(&d, 200);
    int64_t number;
    assert_fine(mt_json_i64(at(r, "record"), &number));
    assert_null(at(r, "queued"));
    lg_receipt done = read_receipt(&d, at(r, "receipt"));
    assert_holds(&done);
    assert_false(done.complete);
    assert_int_equal(done.seq, number);
    assert_at(r, "receipt.promise.decision.caller.id", "tok-clerk");
    assert_at(r, "receipt.promise.decision.persona", "clerk");
    assert_at(r, "receipt.promise.decision.operation", "both");
    assert_at(r, "receipt.promise.decision.bindings.Left", "l");
    assert_at(r, "receipt.promise.decision.outcome", "success");
    assert_non_null(at(r, "receipt.promise.decision.etag"));
    assert_non_null(at(r, "receipt.promise.decision.time"));
    r = operate(&d, &PAIR_CLERK, "both", LARGER);
    expect(&d, 422);
    lg_receipt refused = read_receipt(&d, at(r, "receipt"));
    assert_holds(&refused);
    assert_at(r, "receipt.promise.decision.kind", "refusal");
    assert_at(r, "receipt.promise.decision.refusal.code", "precondition_failed");
    assert_null(strstr(d.text.ptr, ":777"));
    /* Who did not ask for one gets none. */
    r = operate(&d, &PAIR_CLERK, "both", LARGE);
    assert_null(at(r, "receipt"));
    /* The record is the one that was promised. */
    char id[24];
    snprintf(id, sizeof id, "%lld", (long long)number);
    r = ask(&d, &ANYONE, EX_LEDGER_GET, "", id, "");
    char hex[MT_SHA256_HEX];
    mt_hex(done.hash.bytes, MT_SHA256_BYTES, hex);
    assert_text(mt_json_text(at(r, "hash")), mt_str_from(hex, sizeof hex));
    desk_close(&d);
}

static void the_same_request_has_the_same_receipt(void **state)
{
    desk d = pair(state, true, NULL);
    static const char *const BODIES[] = {SMALLR, LARGER};
    for (int i = 0; i < 2; i++) {
        ask_once(&d, &PAIR_CLERK, EX_OPERATION, "both", BODIES[i], i ? "b" : "a");
        mt_str first = d.text;
        ask_once(&d, &PAIR_CLERK, EX_OPERATION, "both", BODIES[i], i ? "b" : "a");
        assert_true(d.replayed);
        assert_text(d.text, first);
        mt_str kept = mt_str_dup(&d.arena, first);
        char *copy = malloc(kept.len);
        memcpy(copy, kept.ptr, kept.len);
        d = again_signed(state, &d); /* after a restart, too */
        ask_once(&d, &PAIR_CLERK, EX_OPERATION, "both", BODIES[i], i ? "b" : "a");
        assert_text(d.text, mt_str_from(copy, kept.len));
        free(copy);
    }
    desk_close(&d);
}

static void promises_are_completed_by_a_checkpoint(void **state)
{
    desk d = pair(state, true, NULL);
    const mt_json *r = operate(&d, &PAIR_CLERK, "both", SMALLR);
    lg_receipt promise = read_receipt(&d, at(r, "receipt"));
    uint64_t seq = promise.seq;
    mt_sha256 hash = promise.hash;
    mt_signature signature = promise.signature;
    r = fetch(&d, &PAIR_CLERK, seq);
    expect(&d, 200);
    lg_receipt now = read_receipt(&d, r);
    assert_memory_equal(now.signature.bytes, signature.bytes, MT_SIGN_BYTES);
    d = again_signed(state, &d); /* closing signs */
    r = fetch(&d, &PAIR_CLERK, seq);
    expect(&d, 200);
    now = read_receipt(&d, r);
    assert_true(now.complete);
    assert_holds(&now);
    assert_memory_equal(now.signature.bytes, signature.bytes, MT_SIGN_BYTES);
    assert_memory_equal(now.hash.bytes, hash.bytes, MT_SHA256_BYTES);
    desk_close(&d);
}

static void a_receipt_is_for_who_asked_and_who_reads(void **state)
{
    desk d = pair(state, true, NULL);
    const mt_json *r = operate(&d, &PAIR_CLERK, "both", SMALLR);
    uint64_t seq = read_receipt(&d, at(r, "receipt")).seq;
    fetch(&d, &PAIR_CLERK, seq);
    expect(&d, 200);
    fetch(&d, &READER, seq);
    expect(&d, 200);
    r = fetch(&d, &PAIR_BOSS, seq);
    expect_code(&d, r, 403, "forbidden");
    r = fetch(&d, &PAIR_BOSS, seq + 100); /* nor does it tell what there is */
    expect_code(&d, r, 403, "forbidden");
    r = fetch(&d, &READER, seq + 100);
    expect_code(&d, r, 404, "unknown_record");
    r = ask(&d, &READER, EX_LEDGER_RECEIPT, "", "-1", "");
    expect_code(&d, r, 404, "unknown_record");
    r = ask(&d, &READER, EX_LEDGER_RECEIPT, "", "99999999999999999999", "");
    expect_code(&d, r, 404, "unknown_record");
    desk_close(&d);
}

static void without_a_key_there_are_no_receipts(void **state)
{
    desk d = pair(state, false, NULL);
    uint32_t before = records(&d, "");
    const mt_json *r = operate(&d, &PAIR_CLERK, "both", SMALLR);
    expect_code(&d, r, 501, "not_implemented");
    assert_state(&d, "Left", "l", "a"); /* and nothing was done */
    assert_int_equal(records(&d, ""), before);
    r = fetch(&d, &ANYONE, 0);
    expect_code(&d, r, 501, "not_implemented");
    desk_close(&d);
}

static void flows_and_instances_have_receipts(void **state)
{
    desk d = pair(state, true, NULL);
    const mt_json *r = ask(&d, &PAIR_CLERK, EX_FLOW_START, "turn", "", SMALLR);
    assert_at(r, "status", "waiting");
    lg_receipt waiting = read_receipt(&d, at(r, "receipt"));
    assert_holds(&waiting);
    assert_at(r, "receipt.promise.decision.kind", "flow_waiting");
    assert_at(r, "receipt.promise.decision.asked_as", "clerk");
    const char *id = mt_str_dup(&d.arena, mt_json_text(at(r, "id"))).ptr;
    r = ask(&d, &PAIR_CLERK, EX_FLOW_RESUME, "", id, "{\"receipt\":true}");
    expect(&d, 403);
    lg_receipt refused = read_receipt(&d, at(r, "receipt"));
    assert_holds(&refused);
    r = ask(&d, &PAIR_BOSS, EX_FLOW_RESUME, "", id, "{\"receipt\":true}");
    assert_at(r, "receipt.promise.decision.kind", "flow_ended");
    assert_at(r, "receipt.promise.decision.outcome", "success");
    r = ask(&d, &ANYONE, EX_INSTANCE_CREATE, "Left", "",
            "{\"id\":\"l2\",\"receipt\":true}");
    expect(&d, 201);
    lg_receipt made = read_receipt(&d, at(r, "receipt"));
    assert_holds(&made);
    desk_close(&d);
}

/* ---- Many ---- */

typedef struct told {
    uint64_t seq;
    mt_sha256 hash;
    mt_signature signature;
} told;

/* Done and refused, both ways of being refused, in turns. */
static const mt_json *decide(desk *d, unsigned i)
{
    switch (i % 4) {
    case 0: return operate(d, &PAIR_CLERK, "both", SMALLR);
    case 1: return operate(d, &PAIR_CLERK, "both", SMALLR); /* 409: it is done */
    case 2: return operate(d, &PAIR_CLERK, "both", LARGER); /* 422 */
    default: return operate(d, &PAIR_BOSS, "back", BACKR);
    }
}

static void many_decisions_all_have_receipts_that_hold(void **state)
{
    desk d = pair(state, true, NULL);
    /* On a shared store each waits until it is chained. */
    unsigned count = getenv("MOTET_SOAK") ? 100000 : 1000;
    count = st_is_shared(d.store) ? count / 25 : count;
    told *all = calloc(count, sizeof *all);
    unsigned refused = 0;
    for (unsigned i = 0; i < count; i++) {
        const mt_json *r = decide(&d, i);
        lg_receipt promise = read_receipt(&d, at(r, "receipt"));
        assert_holds(&promise);
        assert_false(promise.complete);
        all[i] = (told){promise.seq, promise.hash, promise.signature};
        refused += d.status != 200;
        mt_arena_reset(&d.arena);
        if (i == count / 2) { /* what was promised before is kept after */
            d = again_signed(state, &d);
        }
    }
    assert_int_equal(refused, count / 2);
    d = again_signed(state, &d);
    for (unsigned i = 0; i < count; i++) {
        lg_receipt whole = read_receipt(&d, fetch(&d, &READER, all[i].seq));
        assert_true(whole.complete);
        assert_holds(&whole);
        assert_memory_equal(whole.hash.bytes, all[i].hash.bytes, MT_SHA256_BYTES);
        assert_memory_equal(whole.signature.bytes, all[i].signature.bytes,
                            MT_SIGN_BYTES);
        mt_arena_reset(&d.arena);
    }
    free(all);
    desk_close(&d);
}

/* ---- Witnesses ---- */

#define WITNESS_KEY "w.example+f96a478d+BCmsuuFBvMrwsi4alNNNC8c2HlJtC/4SyJeUvJMilm3X"

/* A socket that takes visitors and says nothing to them. */
static int listen_silently(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

/* Whoever asked it has gone, before the executor's memory does. */
static void a_witness_that_hangs_is_left_when_the_executor_closes(void **state)
{
    uint16_t port;
    int silent = listen_silently(&port);
    mt_arena kept = {0};
    mt_json settings;
    mt_str text = mt_strf(&kept,
                          "{\"witnesses\":[{\"name\":\"w.example\",\"url\":"
                          "\"http://127.0.0.1:%u\",\"key\":\"" WITNESS_KEY "\"}]}",
                          (unsigned)port);
    assert_fine(mt_json_read(&kept, text, NULL, &settings, NULL));
    ex_executor_options o = {.signing_key = secret(),
                             .checkpoint_every = 1,
                             .checkpoint_seconds = 1,
                             .origin = MT_STR("log.example/pair"),
                             .settings = &settings};
    desk d = desk_open(state, contract_file("pair.tenor", PAIR), &o);
    create(&d, "Left", "l");
    struct pollfd visit = {.fd = silent, .events = POLLIN};
    assert_int_equal(poll(&visit, 1, 30000), 1);
    int asked = accept(silent, NULL, NULL);
    assert_true(asked >= 0);
    desk_close(&d);
    char bytes[4096];
    ssize_t n;
    do {
        n = recv(asked, bytes, sizeof bytes, MSG_DONTWAIT);
    } while (n > 0);
    assert_true(n == 0 || errno == ECONNRESET); /* and not: nothing said yet */
    close(asked);
    close(silent);
    mt_arena_free(&kept);
}

int main(void)
{
    static rows_list l;
    both(&l, FU2_a_refusal_is_a_record_under_every_instance);
    both(&l, FU2_a_refused_flow_and_resumption_are_records);
    both(&l, refusals_are_told_as_the_setting_wants);
    both(&l, a_wrong_setting_is_refused);
    both(&l, E13_what_is_no_decision_is_not_recorded);
    both(&l, FS19_a_dry_run_refused_early_says_simulation);
    both(&l, names_nobody_can_have_do_no_harm);
    both(&l, a_repeated_refusal_is_one_record);
    both(&l, a_promise_goes_out_with_the_answer);
    both(&l, the_same_request_has_the_same_receipt);
    both(&l, promises_are_completed_by_a_checkpoint);
    both(&l, a_receipt_is_for_who_asked_and_who_reads);
    both(&l, without_a_key_there_are_no_receipts);
    both(&l, flows_and_instances_have_receipts);
    both(&l, many_decisions_all_have_receipts_that_hold);
    both(&l, a_witness_that_hangs_is_left_when_the_executor_closes);
    int failed = rows_run(&l, "exec/executor_evidence");
    backends_stop();
    return failed;
}
