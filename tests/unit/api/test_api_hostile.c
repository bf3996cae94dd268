/* What callers get wrong, through every function: no handle, a handle of something that
 * was refused, texts that are empty, cut, deep, huge or not UTF-8, structures of other
 * sizes. A status and a message, no crash, no leak; and memory that stays flat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <motet.h>

/* A sanitizer keeps what is freed for a while. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#if !defined(SANITIZED) &&                                                             \
    (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define SANITIZED true
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

static const char SOURCE[] =
    "persona clerk\n"
    "fact n { type: Int(0, 9) source: \"desk\" }\n"
    "entity Case { states: [open, closed] initial: open transitions: [(open, closed)] "
    "}\n"
    "rule r { stratum: 0 when: n > 5 produce: verdict big { payload: Bool = true } }\n"
    "operation close { allowed_personas: [clerk] precondition: verdict_present(big)\n"
    "  effects: [(Case, open, closed)] error_contract: [precondition_failed] }\n"
    "flow shut { snapshot: at_initiation entry: s steps: {\n"
    "  s: OperationStep { op: close persona: clerk outcomes: { success: Terminal(done) "
    "}\n"
    "    on_failure: Terminate(outcome: failed) } } }\n";

static motet_str str(const char *text)
{
    return (motet_str){text, strlen(text)};
}

static motet_contract *load(const char *text)
{
    motet_contract *c;
    motet_status status = motet_contract_load(str(text), "a.tenor", &c);
    if (status) {
        print_message("%s\n", motet_contract_message(c, 0).ptr);
    }
    assert_int_equal(status, MOTET_OK);
    return c;
}

/* ---- nothing at all ---- */

static void no_contract(void **state)
{
    (void)state;
    motet_contract *c;
    motet_answer *a;
    motet_str none = {NULL, 0};
    motet_diagnostic d = {.size = sizeof d};
    assert_int_not_equal(motet_contract_load(none, NULL, &c), MOTET_OK + 100);
    motet_contract_free(c);
    assert_int_equal(motet_contract_load_files(NULL, 3, &c), MOTET_E_USAGE);
    assert_false(motet_contract_diagnostic(c, 0, &d));
    motet_contract_free(c);
    assert_int_equal(motet_contract_read(NULL, NULL, none, &c), MOTET_E_USAGE);
    motet_contract_free(c);
    motet_contract_free(NULL);
    assert_int_equal(motet_contract_message(NULL, 0).len, 0);
    assert_false(motet_contract_diagnostic(NULL, 0, &d));
    assert_int_equal(motet_contract_bundle(NULL).len, 0);
    assert_int_equal(motet_contract_etag(NULL).len, 0);
    assert_null(motet_facts_new(NULL));
    assert_null(motet_verdicts_new(NULL));
    assert_null(motet_run_new(NULL));
    assert_int_equal(motet_contract_ask(NULL, "check", none, &a), MOTET_E_USAGE);
    assert_true(motet_answer_message(a).len > 0);
    motet_answer_free(a);
    assert_int_equal(motet_contract_diff(NULL, NULL, none, &a), MOTET_E_USAGE);
    motet_answer_free(a);
    assert_int_equal(motet_format(none, NULL, &a), MOTET_OK);
    motet_answer_free(a);
    assert_int_equal(motet_answer_text(NULL).len, 0);
    assert_int_equal(motet_answer_code(NULL), 2);
    assert_int_equal(motet_answer_message(NULL).len, 0);
    assert_int_equal(motet_answer_fault(NULL).len, 0);
    assert_int_equal(motet_answer_warnings(NULL).len, 0);
    motet_answer_free(NULL);
}

static void no_facts_and_no_run(void **state)
{
    (void)state;
    motet_str none = {NULL, 0}, json;
    assert_int_equal(motet_facts_read(NULL, none, true), MOTET_E_USAGE);
    motet_facts_begin(NULL);
    assert_int_equal(motet_facts_name(NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_put_bool(NULL, true), MOTET_E_USAGE);
    assert_int_equal(motet_put_int(NULL, 1), MOTET_E_USAGE);
    assert_int_equal(motet_put_decimal(NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_put_money(NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_put_text(NULL, none), MOTET_E_USAGE);
    assert_int_equal(motet_put_list(NULL, 1), MOTET_E_USAGE);
    assert_int_equal(motet_put_record(NULL), MOTET_E_USAGE);
    assert_int_equal(motet_put_union(NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_facts_end(NULL), MOTET_E_USAGE);
    assert_int_equal(motet_facts_fault(NULL).message.len, 0);
    assert_int_equal(motet_facts_warnings(NULL).len, 0);
    assert_int_equal(motet_evaluate(NULL, NULL), MOTET_E_USAGE);
    assert_false(motet_verdict_present(NULL, "x"));
    assert_int_equal(motet_verdicts_json(NULL).len, 0);
    assert_int_equal(motet_verdicts_fault(NULL).message.len, 0);
    motet_facts_free(NULL);
    motet_verdicts_free(NULL);
    motet_run_free(NULL);
    assert_int_equal(motet_run_start(NULL, NULL, NULL, NULL, NULL, none, none, NULL),
                     MOTET_E_USAGE);
    assert_int_equal(motet_run_resume(NULL, NULL, NULL, none, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_run_step(NULL), MOTET_RUN_FAILED);
    assert_int_equal(motet_run_set_state(NULL, NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_run_position(NULL).len, 0);
    assert_int_equal(motet_run_json(NULL).len, 0);
    assert_int_equal(motet_run_message(NULL).len, 0);
    assert_int_equal(motet_actions(NULL, NULL, NULL, none, NULL, &json), MOTET_E_USAGE);
}

static void no_graph(void **state)
{
    (void)state;
    motet_str none = {NULL, 0};
    motet_value nothing = {.type = MOTET_NONE};
    motet_graph *g;
    motet_graph_host *h;
    motet_replay *r;
    motet_answer *a;
    motet_primitives *p = motet_primitives_new();
    assert_int_equal(motet_primitives_add(NULL, none, NULL, NULL), MOTET_E_USAGE);
    assert_int_not_equal(motet_primitives_add(p, none, NULL, NULL), MOTET_OK);
    assert_true(motet_primitives_message(p, 0).len > 0);
    assert_int_equal(motet_primitives_load(NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_primitives_message(NULL, 0).len, 0);
    assert_int_equal(motet_graph_load(NULL, none, NULL, &g), MOTET_E_USAGE);
    motet_graph_free(g);
    assert_int_not_equal(motet_graph_load(p, none, NULL, &g), MOTET_OK);
    assert_int_equal(motet_graph_ask(g, "run", none, none, &a), MOTET_E_REJECTED);
    motet_answer_free(a);
    assert_null(motet_episode_new(g));
    assert_int_equal(motet_graph_host_new(g, NULL, &h), MOTET_E_REJECTED);
    assert_int_equal(motet_graph_host_step(h, NULL), MOTET_E_CLOSED);
    motet_graph_host_free(h);
    motet_graph_free(g);
    assert_int_equal(motet_graph_host_open(NULL, NULL, NULL, false, &h),
                     MOTET_E_REJECTED);
    motet_graph_host_free(h);
    assert_int_equal(motet_graph_replay(NULL, NULL, &r), MOTET_E_REJECTED);
    motet_replay_free(r);
    assert_int_equal(motet_graph_ask(NULL, NULL, none, none, &a), MOTET_E_USAGE);
    motet_answer_free(a);
    assert_int_equal(motet_graph_whatif(NULL, NULL, none, &a), MOTET_E_USAGE);
    motet_answer_free(a);
    assert_int_equal(motet_graph_adapt(NULL, none, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_graph_message(NULL, 0).len, 0);
    assert_int_equal(motet_graph_identity(NULL).len, 0);
    assert_null(motet_episode_new(NULL));
    assert_int_equal(motet_episode_set(NULL, NULL, nothing), MOTET_E_USAGE);
    assert_int_equal(motet_episode_run(NULL, none), MOTET_E_USAGE);
    assert_int_equal(motet_episode_value(NULL, NULL, NULL).type, MOTET_NONE);
    assert_int_equal(motet_episode_effects(NULL).len, 0);
    assert_int_equal(motet_episode_fault(NULL).len, 0);
    assert_int_equal(motet_graph_host_step(NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_graph_host_decision(NULL).len, 0);
    assert_int_equal(motet_graph_host_value(NULL, NULL, NULL).type, MOTET_NONE);
    assert_int_equal(motet_graph_host_context(NULL, NULL).type, MOTET_NONE);
    assert_int_equal(motet_graph_host_message(NULL).len, 0);
    assert_int_equal(motet_graph_host_capture(NULL, NULL), MOTET_E_USAGE);
    assert_int_equal(motet_replay_events(NULL), 0);
    assert_int_equal(motet_replay_message(NULL).len, 0);
    motet_episode_free(NULL);
    motet_primitives_free(p);
}

static void no_agent_and_no_evidence(void **state)
{
    (void)state;
    motet_str none = {NULL, 0};
    motet_agent *g;
    motet_actor *x;
    motet_answer *a;
    assert_int_equal(motet_agent_load(none, NULL, &g), MOTET_E_REJECTED);
    assert_true(motet_agent_message(g, 0).len > 0);
    assert_int_equal(motet_agent_ask(g, "dna", none, &a), MOTET_E_REJECTED);
    motet_answer_free(a);
    assert_int_equal(motet_actor_new(g, NULL, &x), MOTET_E_REJECTED);
    assert_int_equal(motet_actor_receive(x, none, 0), MOTET_E_CLOSED);
    assert_int_equal(motet_actor_restore(x, none), MOTET_E_CLOSED);
    assert_int_equal(motet_actor_tape(x).len, 0);
    assert_int_equal(motet_actor_state(x).len, 0);
    motet_actor_free(x);
    motet_agent_free(g);
    assert_int_equal(motet_actor_new(NULL, NULL, &x), MOTET_E_REJECTED);
    motet_actor_free(x);
    assert_int_equal(motet_agent_ask(NULL, NULL, none, &a), MOTET_E_USAGE);
    motet_answer_free(a);
    assert_int_equal(motet_agent_trace(NULL, NULL, none, &a), MOTET_E_USAGE);
    motet_answer_free(a);
    assert_int_equal(motet_agent_harness(none, none, &a), MOTET_OK);
    motet_answer_free(a);
    assert_int_equal(motet_agent_message(NULL, 0).len, 0);
    assert_int_equal(motet_actor_receive(NULL, none, 0), MOTET_E_USAGE);
    int64_t next;
    assert_int_equal(motet_actor_tick(NULL, 0, &next), MOTET_E_USAGE);
    assert_int_equal(motet_actor_sends(NULL).len, 0);
    assert_int_equal(motet_actor_trace(NULL).len, 0);
    assert_int_equal(motet_actor_message(NULL).len, 0);
    assert_int_equal(motet_actor_tape(NULL).len, 0);
    assert_int_equal(motet_actor_state(NULL).len, 0);
    assert_int_equal(motet_actor_restore(NULL, none), MOTET_E_USAGE);
    motet_agent_free(NULL);
    motet_actor_free(NULL);
    assert_int_equal(motet_ledger_verify(none, none, &a), MOTET_OK);
    motet_answer_free(a);
    assert_int_equal(motet_receipt_verify(none, none, &a), MOTET_E_USAGE);
    motet_answer_free(a);
    assert_int_equal(motet_proof_verify(none, none, &a), MOTET_E_USAGE);
    motet_answer_free(a);
}

/* ---- texts ---- */

typedef struct text {
    char *bytes;
    size_t len;
} text;

static text deep(char c, size_t count)
{
    text t = {malloc(count), count};
    assert_non_null(t.bytes);
    memset(t.bytes, c, count);
    return t;
}

/* Each as source, interchange, facts, options, states, a graph, an agent, evidence. */
static void through_everything(motet_str given)
{
    static const char *const COMMANDS[] = {"elaborate", "check",   "eval",    "partial",
                                           "act",       "actions", "explain", "analyze",
                                           "draw",      "ask"};
    motet_contract *c, *good = load(SOURCE);
    motet_answer *a;
    motet_facts *f = motet_facts_new(good);
    motet_verdicts *v = motet_verdicts_new(good);
    motet_run *run = motet_run_new(good);
    motet_primitives *p = motet_primitives_new();
    motet_graph *g;
    motet_agent *agent;
    motet_str json, none = {NULL, 0};
    (void)motet_contract_load(given, "x", &c);
    motet_contract_free(c);
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        (void)motet_contract_ask(good, COMMANDS[i], given, &a);
        motet_answer_free(a);
    }
    (void)motet_contract_diff(good, good, given, &a);
    motet_answer_free(a);
    (void)motet_format(given, "x", &a);
    motet_answer_free(a);
    assert_int_not_equal(motet_facts_read(f, given, true), MOTET_OK);
    assert_true(motet_facts_fault(f).message.len > 0);
    assert_int_equal(motet_facts_read(f, str("{\"n\":7}"), true), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    if (given.len) {
        assert_int_not_equal(
            motet_run_start(run, f, v, "shut", "clerk", given, none, NULL), MOTET_OK);
        assert_true(motet_run_message(run).len > 0);
    }
    (void)motet_run_resume(run, f, v, given, NULL);
    (void)motet_actions(run, f, v, given, "clerk", &json);
    assert_int_not_equal(motet_graph_load(p, given, "x.yaml", &g), MOTET_OK);
    motet_graph_free(g);
    (void)motet_agent_load(given, "x.json", &agent);
    motet_agent_free(agent);
    (void)motet_agent_load(given, "x.yaml", &agent);
    motet_agent_free(agent);
    (void)motet_agent_harness(given, none, &a);
    motet_answer_free(a);
    (void)motet_ledger_verify(given, none, &a);
    motet_answer_free(a);
    (void)motet_receipt_verify(given, given, &a);
    motet_answer_free(a);
    (void)motet_proof_verify(given, given, &a);
    motet_answer_free(a);
    motet_primitives_free(p);
    motet_run_free(run);
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(good);
}

static void texts_of_all_kinds(void **state)
{
    (void)state;
    text t = deep('[', 100000), braces = deep('{', 3000), blank = deep(' ', 2000000);
    through_everything((motet_str){"", 0});
    through_everything(str("{"));
    through_everything(str("{\"a\":"));
    through_everything(str("\xff\xfe{}"));
    through_everything(str("{\"\xc3\x28\":1}"));
    through_everything((motet_str){"{}\0{}", 5});
    through_everything(str("{\"n\":1e999999}"));
    through_everything(str("[1,2,3]"));
    through_everything((motet_str){t.bytes, t.len});
    through_everything((motet_str){braces.bytes, braces.len});
    through_everything((motet_str){blank.bytes, blank.len});
    free(t.bytes);
    free(braces.bytes);
    free(blank.bytes);
}

/* A length without a pointer is an empty text, whoever gives it. */
static void texts_that_are_not_there(void **state)
{
    (void)state;
    motet_str absent = {NULL, 9};
    motet_contract *c = load("fact t { type: Text(max_length: 9) source: \"desk\" }\n"
                             "fact d { type: Decimal(9, 2) source: \"desk\" }\n"
                             "rule r { stratum: 0 when: t = \"\" and d > 1\n"
                             "  produce: verdict v { payload: Bool = true } }\n");
    motet_contract *flows = load(SOURCE);
    motet_facts *f = motet_facts_new(c), *g = motet_facts_new(flows);
    motet_verdicts *v = motet_verdicts_new(flows);
    motet_run *run = motet_run_new(flows);
    motet_facts_begin(f);
    assert_int_equal(motet_facts_name(f, "t"), MOTET_OK);
    assert_int_equal(motet_put_text(f, absent), MOTET_OK);
    assert_int_equal(motet_facts_name(f, "d"), MOTET_OK);
    assert_int_not_equal(motet_put_decimal(f, NULL), MOTET_OK);
    assert_int_equal(motet_facts_read(g, str("{\"n\":7}"), true), MOTET_OK);
    assert_int_equal(motet_evaluate(g, v), MOTET_OK);
    assert_int_equal(motet_run_start(run, g, v, "shut", "clerk", absent, absent, NULL),
                     MOTET_OK);
    motet_run_free(run);
    motet_verdicts_free(v);
    motet_facts_free(g);
    motet_facts_free(f);
    motet_contract_free(flows);
    motet_contract_free(c);
}

/* Who forgets motet_facts_end() gets no verdicts over half a set. */
static void a_set_that_is_being_filled_decides_nothing(void **state)
{
    (void)state;
    motet_contract *c = load(SOURCE);
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    assert_int_equal(motet_facts_read(f, str("{\"n\":7}"), true), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    motet_facts_begin(f);
    assert_int_equal(motet_evaluate(f, v), MOTET_E_USAGE);
    assert_int_equal(motet_facts_name(f, "n"), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_E_USAGE);
    assert_int_equal(motet_put_int(f, 8), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_E_USAGE);
    assert_int_equal(motet_facts_end(f), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    assert_true(motet_verdict_present(v, "big"));
    assert_int_equal(motet_facts_name(f, "n"), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_E_USAGE);
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(c);
}

static motet_status applies_by_stepping(void *run, const motet_change *changes,
                                        size_t count)
{
    (void)changes;
    (void)count;
    assert_int_equal(motet_run_step(*(motet_run **)run), MOTET_RUN_FAILED);
    assert_true(motet_run_message(*(motet_run **)run).len > 0);
    return MOTET_OK;
}

static void a_host_cannot_step_the_run_that_asks_it(void **state)
{
    (void)state;
    motet_contract *c = load(SOURCE);
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    motet_run *run = motet_run_new(c);
    motet_str none = {NULL, 0};
    motet_host host = {.size = sizeof host, .user = &run, .apply = applies_by_stepping};
    assert_int_equal(motet_facts_read(f, str("{\"n\":7}"), true), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    assert_int_equal(motet_run_start(run, f, v, "shut", "clerk", none, none, &host),
                     MOTET_OK);
    assert_int_equal(motet_run_step(run), MOTET_RUN_DONE);
    motet_run_free(run);
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(c);
}

/* ---- what was refused, and what is not of here ---- */

static void a_refused_contract_answers_with_its_faults(void **state)
{
    (void)state;
    motet_contract *c, *good = load(SOURCE);
    motet_answer *a;
    motet_str none = {NULL, 0};
    assert_int_equal(motet_contract_load(str("fact x {"), "a.tenor", &c),
                     MOTET_E_REJECTED);
    assert_null(motet_facts_new(c));
    assert_null(motet_verdicts_new(c));
    assert_null(motet_run_new(c));
    assert_int_equal(motet_contract_etag(c).len, 0);
    assert_int_equal(motet_contract_ask(c, "explain", none, &a), MOTET_E_REJECTED);
    assert_non_null(memmem(motet_answer_text(a).ptr, motet_answer_text(a).len,
                           "\"holds\": false", 14));
    motet_answer_free(a);
    assert_int_equal(motet_contract_ask(c, "check", none, &a), MOTET_OK);
    assert_int_equal(motet_answer_code(a), 1);
    motet_answer_free(a);
    assert_int_equal(motet_contract_diff(c, good, none, &a), MOTET_E_REJECTED);
    motet_answer_free(a);
    motet_contract_free(c);
    motet_contract_free(good);
}

static void facts_of_another_contract_are_refused(void **state)
{
    (void)state;
    motet_contract *one = load(SOURCE), *two = load(SOURCE);
    motet_facts *f = motet_facts_new(one);
    motet_verdicts *v = motet_verdicts_new(one), *other = motet_verdicts_new(two);
    motet_run *run = motet_run_new(two);
    motet_str none = {NULL, 0};
    assert_int_equal(motet_run_start(run, f, v, "shut", "clerk", none, none, NULL),
                     MOTET_E_USAGE); /* not filled */
    assert_int_equal(motet_facts_read(f, str("{\"n\":7}"), true), MOTET_OK);
    assert_int_equal(motet_evaluate(f, other), MOTET_E_USAGE);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    assert_int_equal(motet_run_start(run, f, v, "shut", "clerk", none, none, NULL),
                     MOTET_E_USAGE);
    assert_int_equal(motet_run_step(run), MOTET_RUN_FAILED); /* never started */
    assert_int_equal(motet_run_json(run).len, 0);
    motet_run_free(run);
    motet_verdicts_free(v);
    motet_verdicts_free(other);
    motet_facts_free(f);
    motet_contract_free(one);
    motet_contract_free(two);
}

/* ---- structures of other sizes ---- */

static bool never(void *user, motet_str persona)
{
    (void)user;
    (void)persona;
    return false;
}

static void structures_of_other_versions(void **state)
{
    (void)state;
    struct newer {
        motet_host host;
        void *more;
    } newer = {{.size = sizeof(struct newer), .may_act = never}, NULL};
    motet_host older = {.size = offsetof(motet_host, choose_into), .may_act = never};
    motet_host unsaid = {.may_act = never};
    motet_contract *c = load(SOURCE), *broken;
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    motet_run *run = motet_run_new(c);
    motet_str none = {NULL, 0};
    assert_int_equal(motet_facts_read(f, str("{\"n\":7}"), true), MOTET_OK);
    assert_int_equal(motet_evaluate(f, v), MOTET_OK);
    assert_int_equal(motet_run_start(run, f, v, "shut", "clerk", none, none, &older),
                     MOTET_OK);
    assert_int_equal(motet_run_step(run), MOTET_RUN_WAITING);
    assert_int_equal(
        motet_run_start(run, f, v, "shut", "clerk", none, none, &newer.host), MOTET_OK);
    newer.more = &newer;
    assert_int_equal(
        motet_run_start(run, f, v, "shut", "clerk", none, none, &newer.host),
        MOTET_E_VERSION);
    assert_int_equal(motet_run_start(run, f, v, "shut", "clerk", none, none, &unsaid),
                     MOTET_E_USAGE);
    assert_true(motet_run_message(run).len > 0);
    struct {
        motet_diagnostic d;
        char guard[8];
    } room;
    memset(&room, 0x55, sizeof room);
    room.d.size = offsetof(motet_diagnostic, end_line);
    assert_int_equal(motet_contract_load(str("fact x {"), "a", &broken),
                     MOTET_E_REJECTED);
    assert_true(motet_contract_diagnostic(broken, 0, &room.d));
    assert_string_equal(room.d.severity, "error");
    assert_int_equal(room.d.end_line, 0x55555555); /* not written */
    motet_contract_free(broken);
    motet_run_free(run);
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(c);
}

/* ---- memory ---- */

static long resident_kb(void)
{
    long pages = 0, all = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        (void)!fscanf(f, "%ld %ld", &all, &pages);
        fclose(f);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void evaluate_many(motet_contract *c, motet_facts *f, motet_verdicts *v,
                          long count)
{
    motet_answer *a;
    for (long i = 0; i < count; i++) {
        bool bad = i % 7 == 3;
        motet_status status =
            motet_facts_read(f, str(bad ? "{\"n\":\"x\"}" : "{\"n\":7}"), true);
        assert_int_equal(status == MOTET_OK, !bad);
        if (!bad) {
            assert_int_equal(motet_evaluate(f, v), MOTET_OK);
            assert_true(motet_verdicts_json(v).len > 0);
        }
        if (i % 100 == 0) {
            assert_int_equal(
                motet_contract_ask(c, "eval", str("{\"facts\":{\"n\":7}}"), &a),
                MOTET_OK);
            motet_answer_free(a);
        }
    }
}

/* MOTET_SOAK=1: a million. */
static void memory_stays_flat(void **state)
{
    (void)state;
    enum { ALLOWED_KB = 512 };
    long count = getenv("MOTET_SOAK") ? 1000000 : 20000;
    motet_contract *c = load(SOURCE);
    motet_facts *f = motet_facts_new(c);
    motet_verdicts *v = motet_verdicts_new(c);
    evaluate_many(c, f, v, count / 10);
    long before = resident_kb();
    evaluate_many(c, f, v, count);
    long after = resident_kb();
    print_message("%ld evaluations: %ld KB, then %ld KB\n", count, before, after);
    motet_verdicts_free(v);
    motet_facts_free(f);
    motet_contract_free(c);
    assert_true(SANITIZED || after - before <= ALLOWED_KB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_contract),
        cmocka_unit_test(no_facts_and_no_run),
        cmocka_unit_test(no_graph),
        cmocka_unit_test(no_agent_and_no_evidence),
        cmocka_unit_test(texts_of_all_kinds),
        cmocka_unit_test(texts_that_are_not_there),
        cmocka_unit_test(a_set_that_is_being_filled_decides_nothing),
        cmocka_unit_test(a_host_cannot_step_the_run_that_asks_it),
        cmocka_unit_test(a_refused_contract_answers_with_its_faults),
        cmocka_unit_test(facts_of_another_contract_are_refused),
        cmocka_unit_test(structures_of_other_versions),
        cmocka_unit_test(memory_stays_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
