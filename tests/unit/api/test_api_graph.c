/* Graphs through motet.h alone: primitives in C, loading, episodes, faults. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "motet.h"

static motet_str str(const char *z)
{
    return (motet_str){z, strlen(z)};
}

static motet_value number(double n)
{
    return (motet_value){.type = MOTET_NUMBER, .number = n};
}

/* The smaller of input and parameter; refuses negative inputs. */
static bool clamp(void *user, motet_call *call)
{
    int *calls = user;
    motet_value v = motet_call_input(call, 0), top = motet_call_param(call, 0);
    (*calls)++;
    assert_int_equal(motet_call_input(call, 7).type, MOTET_NONE);
    if (v.number < 0) {
        motet_call_error(call, "Negative");
        return false;
    }
    motet_call_output(call, 0, number(v.number < top.number ? v.number : top.number));
    return true;
}

static const char MANIFEST[] = "kind: compute\nid: clamp\nversion: 1.0.0\n"
                               "inputs: [{name: v, type: number}]\n"
                               "outputs: [{name: result, type: number}]\n"
                               "parameters: [{name: top, type: number}]\n";
static const char GRAPH[] = "kind: cluster\nid: g\nversion: 1.0.0\nnodes:\n"
                            "  x: {impl: context_number_source@*, params: {key: x}}\n"
                            "  c: {impl: clamp@1, params: {top: 10}}\n"
                            "  yes: {impl: const_bool@*, params: {value: true}}\n"
                            "  t: {impl: emit_if_true@*}\n"
                            "  s: {impl: context_set_number@*, params: {key: out}}\n"
                            "edges: [x.value -> c.v, yes.value -> t.input, t.event -> "
                            "s.event, c.result -> s.value]\n";

static const char ADAPTER[] =
    "kind: adapter\nid: a\nversion: 1.0.0\nruntime_compatibility: 0.1.0\n"
    "context_keys:\n"
    "  - {name: x, type: Number, required: true, writable: false}\n"
    "  - {name: out, type: Number, required: false, writable: true}\n"
    "accepts: {effects: [{name: set_context, payload_schema: {type: object, "
    "additionalProperties: false}}]}\n"
    "capture: {format_version: \"1\", fields: []}\n";

static void a_primitive_in_C_runs_in_a_graph(void **state)
{
    (void)state;
    int calls = 0;
    motet_graph *g;
    motet_primitives *p = motet_primitives_new();
    assert_int_equal(motet_primitives_add(p, str(MANIFEST), clamp, &calls), MOTET_OK);
    assert_int_equal(motet_graph_load(p, str(GRAPH), "g.yaml", &g), MOTET_OK);
    assert_int_equal(motet_graph_adapt(g, str(ADAPTER), "a.yaml"), MOTET_OK);
    motet_episode *e = motet_episode_new(g);
    assert_int_equal(motet_episode_set(e, "x", number(25)), MOTET_OK);
    assert_int_equal(motet_episode_set(e, "nowhere", number(1)), MOTET_E_NOTFOUND);
    for (int type = MOTET_SERIES; type <= MOTET_STRING; type++) {
        motet_value absent = {.type = (motet_type)type, .len = 9};
        assert_int_equal(motet_episode_set(e, "x", absent), MOTET_OK);
    }
    assert_int_equal(motet_episode_set(e, "x", number(25)), MOTET_OK);
    assert_int_equal(motet_episode_run(e, str("evt1")), MOTET_OK);
    assert_true(motet_episode_value(e, "c", "result").number == 10);
    assert_int_equal(motet_episode_value(e, "s", "outcome").event, MOTET_ATTEMPTED);
    assert_int_equal(motet_episode_value(e, "nobody", "x").type, MOTET_NONE);
    motet_str effects = motet_episode_effects(e);
    static const char WANT[] =
        "[{\"kind\":\"set_context\",\"writes\":[{\"key\":\"out\","
        "\"value\":{\"Number\":10.0}}]}]";
    assert_int_equal(effects.len, sizeof WANT - 1);
    assert_memory_equal(effects.ptr, WANT, effects.len);
    assert_int_equal(motet_episode_set(e, "x", number(-1)), MOTET_OK);
    assert_int_equal(motet_episode_run(e, str("evt2")), MOTET_E_REJECTED);
    assert_non_null(strstr(motet_episode_fault(e).ptr, "CMP-12"));
    assert_int_equal(motet_episode_effects(e).len, 2);
    assert_int_equal(calls, 2);
    motet_episode_free(e);
    motet_graph_free(g);
    motet_primitives_free(p);
}

static motet_graph *with_effects(motet_primitives **p, int *calls)
{
    motet_graph *g;
    *p = motet_primitives_new();
    assert_int_equal(motet_primitives_add(*p, str(MANIFEST), clamp, calls), MOTET_OK);
    assert_int_equal(motet_graph_load(*p, str(GRAPH), "g.yaml", &g), MOTET_OK);
    return g;
}

/* §6.3: stepping by hand needs an adapter, too. */
static void FG14_effects_need_an_adapter(void **state)
{
    (void)state;
    int calls = 0;
    motet_primitives *p;
    motet_graph *g = with_effects(&p, &calls);
    motet_episode *e = motet_episode_new(g);
    assert_int_equal(motet_episode_set(e, "x", number(25)), MOTET_OK);
    assert_int_equal(motet_episode_run(e, str("evt1")), MOTET_E_REJECTED);
    assert_non_null(strstr(motet_episode_fault(e).ptr, "adapter.required_for_graph"));
    assert_int_equal(motet_episode_effects(e).len, 2);
    assert_int_equal(calls, 0);
    motet_episode_free(e);
    motet_graph_free(g);
    motet_primitives_free(p);
}

static void FG14_an_adapter_must_fit(void **state)
{
    (void)state;
    int calls = 0;
    motet_primitives *p;
    motet_graph *g = with_effects(&p, &calls);
    char other[sizeof ADAPTER];
    memcpy(other, ADAPTER, sizeof ADAPTER);
    memcpy(strstr(other, "out"), "oot", 3);
    assert_int_equal(motet_graph_adapt(g, str("kind: adapter\n"), "a.yaml"),
                     MOTET_E_REJECTED);
    assert_non_null(strstr(motet_graph_message(g, 0).ptr, "ADP-"));
    assert_int_equal(motet_graph_adapt(g, str(other), "a.yaml"), MOTET_E_REJECTED);
    assert_non_null(strstr(motet_graph_message(g, 0).ptr, "COMP-11"));
    assert_int_equal(motet_graph_adapt(g, str(ADAPTER), "a.yaml"), MOTET_OK);
    assert_int_equal(motet_graph_adapt(g, str(ADAPTER), "a.yaml"), MOTET_E_REJECTED);
    motet_graph_free(g);
    motet_primitives_free(p);
}

static void a_manifest_from_C_obeys_the_same_rules(void **state)
{
    (void)state;
    motet_primitives *p = motet_primitives_new();
    assert_int_equal(motet_primitives_add(
                         p, str("kind: compute\nid: Clamp\nversion: 1\n"), clamp, NULL),
                     MOTET_E_REJECTED);
    bool seen = false;
    for (size_t i = 0; motet_primitives_message(p, i).len; i++) {
        seen = seen || strstr(motet_primitives_message(p, i).ptr, "CMP-1:");
    }
    assert_true(seen);
    /* Without a function, something else must say what it does. */
    assert_int_equal(motet_primitives_add(p, str(MANIFEST), NULL, NULL),
                     MOTET_E_REJECTED);
    motet_primitives_free(p);
}

static void a_refused_graph_says_why(void **state)
{
    (void)state;
    motet_graph *g;
    motet_primitives *p = motet_primitives_new();
    assert_int_equal(motet_graph_load(p, str(GRAPH), "g.yaml", &g), MOTET_E_REJECTED);
    assert_non_null(strstr(motet_graph_message(g, 0).ptr, "V.8"));
    assert_int_equal(motet_graph_message(g, 99).len, 0);
    assert_int_equal(motet_graph_identity(g).len, 0);
    assert_null(motet_episode_new(g));
    motet_graph_free(g);
    motet_primitives_free(p);
}

static void values_are_copied_in(void **state)
{
    (void)state;
    motet_graph *g;
    motet_primitives *p = motet_primitives_new();
    assert_int_equal(
        motet_graph_load(p,
                         str("kind: cluster\nid: g\nversion: 1\nnodes:\n"
                             "  s: {impl: context_series_source@*, params: {key: s}}\n"
                             "  t: {impl: context_string_source@*, params: {key: t}}\n"
                             "  m: {impl: mean@*}\nedges: [s.value -> m.series]\n"),
                         "g", &g),
        MOTET_OK);
    assert_int_equal(motet_graph_identity(g).len, 12 + 64);
    motet_episode *e = motet_episode_new(g);
    double series[] = {1, 3};
    char text[] = "abc";
    motet_episode_set(e, "s",
                      (motet_value){.type = MOTET_SERIES, .series = series, .len = 2});
    motet_episode_set(e, "t",
                      (motet_value){.type = MOTET_STRING, .text = text, .len = 3});
    series[0] = 99;
    text[0] = 'z';
    assert_int_equal(motet_episode_run(e, str("")), MOTET_OK);
    assert_true(motet_episode_value(e, "m", "result").number == 2);
    assert_memory_equal(motet_episode_value(e, "t", "value").text, "abc", 3);
    motet_episode_free(e);
    motet_graph_free(g);
    motet_primitives_free(p);
}

typedef struct job {
    const motet_graph *graph;
    double from;
    bool ok;
} job;

static void *run_many(void *argument)
{
    job *j = argument;
    motet_episode *e = motet_episode_new(j->graph);
    j->ok = true;
    for (int i = 0; i < 500; i++) {
        double x = j->from + i;
        motet_episode_set(e, "x", number(x));
        j->ok = j->ok && motet_episode_run(e, str("evt")) == MOTET_OK &&
                motet_episode_value(e, "d", "result").number == 2 * x;
    }
    motet_episode_free(e);
    return NULL;
}

static void threads_share_a_graph(void **state)
{
    (void)state;
    motet_graph *g;
    motet_primitives *p = motet_primitives_new();
    assert_int_equal(
        motet_graph_load(
            p,
            str("kind: cluster\nid: g\nversion: 1\nnodes:\n"
                "  x: {impl: context_number_source@*, params: {key: x}}\n"
                "  d: {impl: add@*}\nedges: [x.value -> d.a, x.value -> d.b]\n"),
            "g", &g),
        MOTET_OK);
    job jobs[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (job){.graph = g, .from = i * 1000.0};
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(jobs[i].ok);
    }
    motet_graph_free(g);
    motet_primitives_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_primitive_in_C_runs_in_a_graph),
        cmocka_unit_test(FG14_effects_need_an_adapter),
        cmocka_unit_test(FG14_an_adapter_must_fit),
        cmocka_unit_test(a_manifest_from_C_obeys_the_same_rules),
        cmocka_unit_test(a_refused_graph_says_why),
        cmocka_unit_test(values_are_copied_in),
        cmocka_unit_test(threads_share_a_graph),
    };
    return cmocka_run_group_tests_name("api/api graph", tests, NULL, NULL);
}
