/* A graph that runs, through motet.h alone: events, context, journal, capture, replay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "motet.h"

static motet_str str(const char *z)
{
    return (motet_str){z, strlen(z)};
}

/* Adds what comes to what there was, and orders when it is over ten. */
static const char GRAPH[] =
    "kind: cluster\nid: g\nversion: 1.0.0\nnodes:\n"
    "  x: {impl: context_number_source@*, params: {key: x}}\n"
    "  before: {impl: context_number_source@*, params: {key: total}}\n"
    "  sum: {impl: add@*}\n"
    "  big: {cluster: over_ten@1}\n"
    "  yes: {impl: const_bool@*, params: {value: true}}\n"
    "  each: {impl: emit_if_true@*}\n"
    "  keep: {impl: context_set_number@*, params: {key: total}}\n"
    "  order: {impl: order@1}\n"
    "edges: [x.value -> sum.a, before.value -> sum.b, sum.result -> big.value,\n"
    "  yes.value -> each.input, each.event -> keep.event, sum.result -> keep.value,\n"
    "  big.event -> order.event, sum.result -> order.amount]\n";
static const char CLUSTER[] =
    "kind: cluster\nid: over_ten\nversion: 1.0.0\n"
    "inputs: [{name: value, type: number}]\n"
    "nodes:\n  ten: {impl: number_source@*, params: {value: 10.0}}\n"
    "  more: {impl: gt@*}\n  gate: {impl: emit_if_true@*}\n"
    "edges: [$value -> more.a, ten.value -> more.b, more.result -> gate.input]\n"
    "outputs: {event: gate.event}\n";
static const char ORDER[] =
    "kind: action\nid: order\nversion: 1.0.0\n"
    "inputs: [{name: event, type: event}, {name: amount, type: number}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "effects: {intents: [{name: order, fields: [{name: amount, type: number, "
    "from_input: amount}]}]}\noutcome: Attempted\n";
static const char ADAPTER[] =
    "kind: adapter\nid: a\nversion: 1.0.0\nruntime_compatibility: 0.1.0\n"
    "context_keys:\n"
    "  - {name: x, type: Number, required: true, writable: false}\n"
    "  - {name: total, type: Number, required: false, writable: true}\n"
    "event_kinds: [{name: tick, payload_schema: {type: object, required: [x], "
    "properties: {x: {type: number}, total: {type: number}}, "
    "additionalProperties: false}}]\n"
    "accepts: {effects: [{name: set_context, payload_schema: {type: object, "
    "additionalProperties: false}}, {name: order, payload_schema: {type: object, "
    "required: [amount], properties: {amount: {type: number}}, "
    "additionalProperties: false}}]}\n"
    "capture: {format_version: \"1\", fields: [event.tick]}\n";

typedef struct world {
    char directory[64], journal[96], capture[96];
    motet_primitives *primitives;
    motet_graph *graph;
} world;

static int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    motet_file files[] = {{"g.yaml", str(GRAPH)}, {"c/over_ten.yaml", str(CLUSTER)}};
    strcpy(w->directory, "/tmp/motet-host-XXXXXX");
    assert_non_null(mkdtemp(w->directory));
    snprintf(w->journal, sizeof w->journal, "%s/j", w->directory);
    snprintf(w->capture, sizeof w->capture, "%s/c.json", w->directory);
    w->primitives = motet_primitives_new();
    assert_int_equal(motet_primitives_add(w->primitives, str(ORDER), NULL, NULL), 0);
    assert_int_equal(motet_graph_load_files(w->primitives, files, 2, &w->graph), 0);
    assert_int_equal(motet_graph_adapt(w->graph, str(ADAPTER), "a.yaml"), 0);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    char command[160];
    motet_graph_free(w->graph);
    motet_primitives_free(w->primitives);
    snprintf(command, sizeof command, "rm -rf %s", w->directory);
    int code = system(command);
    free(w);
    return code;
}

static motet_graph_host *opened(const world *w, const char *journal, bool resume)
{
    motet_graph_host *h;
    assert_int_equal(motet_graph_host_open(w->graph, NULL, journal, resume, &h), 0);
    return h;
}

static motet_status tick(motet_graph_host *h, const char *id, unsigned at,
                         const char *payload)
{
    motet_graph_event e = {.size = sizeof e,
                           .id = str(id),
                           .secs = at,
                           .semantic_kind = str("tick"),
                           .payload = str(payload)};
    return motet_graph_host_step(h, &e);
}

static bool says(motet_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static void events_move_the_context_and_intents_are_handed_over(void **state)
{
    motet_graph_host *h = opened(*state, NULL, false);
    assert_int_equal(motet_graph_host_decision(h).len, 0);
    assert_int_equal(tick(h, "e1", 1, "{\"x\":4}"), 0);
    assert_true(motet_graph_host_context(h, "total").number == 4);
    assert_int_equal(motet_graph_host_value(h, "big/gate", "event").event,
                     MOTET_NOT_EMITTED);
    assert_false(says(motet_graph_host_decision(h), "\"kind\":\"order\""));
    assert_int_equal(tick(h, "e2", 2, "{\"x\":7.5}"), 0);
    assert_true(motet_graph_host_context(h, "total").number == 11.5);
    assert_true(motet_graph_host_value(h, "sum", "result").number == 11.5);
    assert_true(says(motet_graph_host_decision(h),
                     "\"fields\":[{\"name\":\"amount\",\"value\":{\"Number\":11.5}}]"));
    assert_int_equal(motet_graph_host_context(h, "none").type, MOTET_NONE);
    assert_int_equal(motet_graph_host_value(h, "none", "event").type, MOTET_NONE);
    assert_int_equal(motet_graph_host_capture(h, "x"), MOTET_E_USAGE);
    motet_graph_host_free(h);
}

static void refused(motet_graph_host *h, motet_graph_event e, const char *why)
{
    assert_int_equal(motet_graph_host_step(h, &e), MOTET_E_REJECTED);
    assert_true(says(motet_graph_host_message(h), why));
    assert_int_equal(motet_graph_host_decision(h).len, 0);
}

static void what_is_no_event_is_refused_and_the_next_may_come(void **state)
{
    motet_graph_host *h = opened(*state, NULL, false);
    motet_graph_event good = {.size = sizeof good,
                              .id = str("a"),
                              .kind = "Command",
                              .secs = 253402300799,
                              .nanos = 999999999,
                              .semantic_kind = str("tick"),
                              .payload = str("{\"x\":1}")};
    motet_graph_event bad = good;
    bad.secs++;
    refused(h, bad, "9999");
    bad = good;
    bad.nanos++;
    refused(h, bad, "nanoseconds");
    bad = good;
    bad.kind = "Whatever";
    refused(h, bad, "`kind`");
    bad = good;
    bad.id = str("");
    refused(h, bad, "id");
    bad = good;
    bad.semantic_kind = str("tock");
    refused(h, bad, "host.unknown_semantic_kind");
    bad = good;
    bad.payload = str("{\"x\":");
    refused(h, bad, "JSON");
    bad.payload = str("{\"x\":true}");
    refused(h, bad, "host.");
    assert_int_equal(motet_graph_host_step(h, &good), 0);
    refused(h, good, "host.duplicate_event_id");
    motet_graph_host_free(h);
}

static void the_supervisor_does_as_it_is_told(void **state)
{
    world *w = *state;
    motet_graph_host *h;
    motet_supervision half = {.size = sizeof half, .max_per_window = 1};
    motet_supervision s = {.size = sizeof s,
                           .max_per_window = 1,
                           .rate_window_ms = 60000,
                           .skip_duplicates = true};
    assert_int_equal(motet_graph_host_open(w->graph, &half, NULL, false, &h),
                     MOTET_E_REJECTED);
    assert_true(says(motet_graph_host_message(h), "go together"));
    assert_int_equal(tick(h, "e", 1, "{\"x\":1}"), MOTET_E_CLOSED);
    motet_graph_host_free(h);
    assert_int_equal(motet_graph_host_open(w->graph, &s, NULL, false, &h), 0);
    assert_int_equal(tick(h, "e1", 1, "{\"x\":1}"), 0);
    assert_true(says(motet_graph_host_decision(h), "\"Invoke\""));
    assert_int_equal(tick(h, "e2", 2, "{\"x\":1}"), 0);
    assert_true(says(motet_graph_host_decision(h), "\"Defer\""));
    assert_int_equal(tick(h, "e1", 3, "{\"x\":1}"), 0);
    assert_true(says(motet_graph_host_decision(h), "\"Skip\""));
    assert_int_equal(motet_graph_host_value(h, "sum", "result").type, MOTET_NONE);
    motet_graph_host_free(h);
}

static void a_journal_is_gone_on_with_and_never_lost(void **state)
{
    world *w = *state;
    motet_graph_host *h = opened(w, w->journal, false), *other;
    assert_int_equal(tick(h, "e1", 1, "{\"x\":11}"), 0);
    struct stat st;
    assert_int_equal(stat(w->journal, &st), 0);
    assert_true(st.st_size > 0); /* it has an intent, so it is on disk */
    assert_int_equal(motet_graph_host_open(w->graph, NULL, w->journal, true, &other),
                     MOTET_E_BUSY);
    motet_graph_host_free(other);
    motet_graph_host_free(h);
    assert_int_equal(motet_graph_host_open(w->graph, NULL, w->journal, false, &other),
                     MOTET_E_EXISTS);
    assert_true(says(motet_graph_host_message(other), "resume"));
    /* It holds the journal, and there is nothing to make a capture of. */
    assert_int_equal(motet_graph_host_capture(other, w->capture), MOTET_E_USAGE);
    assert_int_not_equal(access(w->capture, F_OK), 0);
    motet_graph_host_free(other);
    motet_supervision s = {.size = sizeof s, .max_retries = 3};
    assert_int_equal(motet_graph_host_open(w->graph, &s, w->journal, true, &other),
                     MOTET_E_REJECTED);
    motet_graph_host_free(other);
    h = opened(w, w->journal, true);
    assert_true(says(motet_graph_host_decision(h), "\"event_id\":\"e1\""));
    assert_true(motet_graph_host_context(h, "total").number == 11);
    assert_int_equal(tick(h, "e1", 2, "{\"x\":1}"), MOTET_E_REJECTED);
    assert_int_equal(tick(h, "e2", 2, "{\"x\":1}"), 0);
    assert_true(motet_graph_host_context(h, "total").number == 12);
    motet_graph_host_free(h);
}

/* Changes one byte behind a text of a file. */
static void tamper(const char *path, const char *behind, char to)
{
    char text[16384];
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    size_t len = fread(text, 1, sizeof text, f);
    char *at = memmem(text, len, behind, strlen(behind));
    assert_non_null(at);
    fseek(f, at - text + (long)strlen(behind), SEEK_SET);
    fputc(to, f);
    fclose(f);
}

static void expect_replay(const motet_graph *graph, const char *path, motet_status want,
                          const char *why)
{
    motet_replay *r;
    assert_int_equal(motet_graph_replay(graph, path, &r), want);
    assert_true(says(motet_replay_message(r), why));
    motet_replay_free(r);
}

static void a_capture_replays_and_a_changed_one_does_not(void **state)
{
    world *w = *state;
    motet_graph_host *h = opened(w, w->journal, false);
    motet_replay *r;
    char sum[112];
    assert_int_equal(tick(h, "e1", 1, "{\"x\":4}"), 0);
    assert_int_equal(tick(h, "e2", 2, "{\"x\":7}"), 0);
    assert_int_equal(motet_graph_host_capture(h, w->capture), 0);
    assert_int_equal(motet_graph_replay(w->graph, w->capture, &r), 0);
    assert_int_equal(motet_replay_events(r), 2);
    motet_replay_free(r);
    /* It goes on after a capture, and the journal replays as well. */
    assert_int_equal(tick(h, "e3", 3, "{\"x\":1}"), 0);
    motet_graph_host_free(h);
    expect_replay(w->graph, w->journal, 0, "");
    tamper(w->capture, "{\"Number\":4", '1');
    expect_replay(w->graph, w->capture, MOTET_E_CORRUPT, "checksum");
    snprintf(sum, sizeof sum, "%s.sum", w->capture);
    assert_int_equal(unlink(sum), 0);
    expect_replay(w->graph, w->capture, MOTET_E_REJECTED, "replay.effect_mismatch");
    tamper(w->capture, "\"capture_versio", 'x');
    expect_replay(w->graph, w->capture, MOTET_E_SYNTAX, "");
    expect_replay(w->graph, "/none", MOTET_E_NOTFOUND, "/none");
}

static void a_graph_that_was_refused_or_has_no_adapter_runs_nothing(void **state)
{
    world *w = *state;
    motet_graph *g;
    motet_graph_host *h;
    motet_file files[] = {{"g.yaml", str(GRAPH)}, {"over_ten.yaml", str(CLUSTER)}};
    assert_int_equal(motet_graph_load_files(w->primitives, files, 0, &g),
                     MOTET_E_USAGE);
    motet_graph_free(g);
    assert_int_equal(motet_graph_load_files(w->primitives, files, 1, &g),
                     MOTET_E_REJECTED);
    assert_int_equal(motet_graph_host_open(g, NULL, NULL, false, &h), MOTET_E_REJECTED);
    motet_graph_host_free(h);
    expect_replay(g, w->capture, MOTET_E_REJECTED, "refused");
    motet_graph_free(g);
    assert_int_equal(motet_graph_load_files(w->primitives, files, 2, &g), 0);
    assert_int_equal(motet_graph_host_open(g, NULL, NULL, false, &h), MOTET_E_REJECTED);
    assert_true(says(motet_graph_host_message(h), "adapter"));
    motet_graph_host_free(h);
    motet_graph_free(g);
    motet_graph_host_free(NULL);
    motet_replay_free(NULL);
}

/* The caller's texts are its own again when step() has returned. */
static void a_decision_outlives_the_texts_of_its_event(void **state)
{
    motet_graph_host *h = opened(*state, NULL, false);
    char id[] = "first", payload[] = "{\"x\":4}";
    assert_int_equal(tick(h, id, 1, payload), 0);
    memset(id, '#', strlen(id));
    memset(payload, '#', strlen(payload));
    assert_true(says(motet_graph_host_decision(h), "\"event_id\":\"first\""));
    motet_graph_host_free(h);
}

/* What is not UTF-8 would make a journal that nobody can read again. */
static void an_id_that_is_no_text_is_refused(void **state)
{
    world *w = *state;
    motet_graph_host *h = opened(w, w->journal, false);
    assert_int_equal(tick(h, "e1", 1, "{\"x\":11}"), 0);
    assert_int_equal(tick(h, "\xff", 2, "{\"x\":11}"), MOTET_E_REJECTED);
    assert_true(says(motet_graph_host_message(h), "UTF-8"));
    motet_graph_host_free(h);
    h = opened(w, w->journal, true);
    assert_true(motet_graph_host_context(h, "total").number == 11);
    motet_graph_host_free(h);
}

/* It is what events are recorded in. */
static void a_capture_does_not_take_the_place_of_its_journal(void **state)
{
    world *w = *state;
    motet_graph_host *h = opened(w, w->journal, false);
    char other[112], sum[128];
    assert_int_equal(tick(h, "e1", 1, "{\"x\":11}"), 0);
    snprintf(other, sizeof other, "%s/./j", w->directory);
    assert_int_equal(motet_graph_host_capture(h, w->journal), MOTET_E_USAGE);
    assert_int_equal(motet_graph_host_capture(h, other), MOTET_E_USAGE);
    assert_true(says(motet_graph_host_message(h), "journal"));
    snprintf(sum, sizeof sum, "%s.sum", w->journal);
    assert_int_not_equal(access(sum, F_OK), 0);
    assert_int_equal(tick(h, "e2", 2, "{\"x\":1}"), 0);
    motet_graph_host_free(h);
    h = opened(w, w->journal, true);
    assert_true(motet_graph_host_context(h, "total").number == 12);
    motet_graph_host_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WORLD(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        WORLD(events_move_the_context_and_intents_are_handed_over),
        WORLD(what_is_no_event_is_refused_and_the_next_may_come),
        WORLD(the_supervisor_does_as_it_is_told),
        WORLD(a_journal_is_gone_on_with_and_never_lost),
        WORLD(a_capture_replays_and_a_changed_one_does_not),
        WORLD(a_graph_that_was_refused_or_has_no_adapter_runs_nothing),
        WORLD(a_decision_outlives_the_texts_of_its_event),
        WORLD(an_id_that_is_no_text_is_refused),
        WORLD(a_capture_does_not_take_the_place_of_its_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
