/* Random graphs on random events: run, capture, write, read, replay: equal. 300 graphs,
 * 10,000 with MOTET_SOAK=1; MOTET_SEED repeats a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host/graph_replay.h"
#include "host/graph_run.h"

/* ---- chance ---- */

static uint64_t chance_state;

static uint32_t chance(uint32_t below)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance_state >> 33) % below;
}

/* ---- a random graph ---- */

enum { MOST = 64 };

/* A Bool that a Trigger may read: a Compute's, not a Source's (the wiring matrix). */
enum { COMPUTED_BOOL = GR_EVENT + 1 };

typedef struct ends {
    char name[MOST][24]; /* "n7.result" */
    uint32_t count;
} ends;

typedef struct maker {
    mt_buf nodes, edges;
    ends of[GR_EVENT + 2]; /* by type */
    uint32_t made;
} maker;

static void add_end(maker *m, int type, uint32_t node, const char *port)
{
    ends *e = &m->of[type];
    if (e->count < MOST) {
        snprintf(e->name[e->count++], sizeof e->name[0], "m%u.%s", node, port);
    }
}

static void begin_node(maker *m, const char *impl, const char *params)
{
    mt_buf_addf(&m->nodes, "%s\"m%u\":{\"impl\":\"%s\",\"params\":{%s}}",
                m->made ? "," : "", m->made, impl, params);
}

static void connect(maker *m, int type, const char *port)
{
    ends *e = &m->of[type];
    mt_buf_addf(&m->edges, "%s\"%s -> m%u.%s\"", m->edges.len ? "," : "",
                e->name[chance(e->count)], m->made, port);
}

typedef struct shape {
    const char *impl, *params;
    struct {
        int type;
        const char *port;
    } in[3];
    gr_type out;
    const char *out_port;
} shape;

/* clang-format off */
static const shape COMPUTES[] = {
    {"add@0.1.0", "", {{GR_NUMBER, "a"}, {GR_NUMBER, "b"}}, GR_NUMBER, "result"},
    {"multiply@0.1.0", "", {{GR_NUMBER, "a"}, {GR_NUMBER, "b"}}, GR_NUMBER, "result"},
    {"divide@0.2.0", "", {{GR_NUMBER, "a"}, {GR_NUMBER, "b"}}, GR_NUMBER, "result"},
    {"safe_divide@0.1.0", "\"fallback\":1.5", {{GR_NUMBER, "a"}, {GR_NUMBER, "b"}}, GR_NUMBER, "result"},
    {"max@0.1.0", "", {{GR_NUMBER, "a"}, {GR_NUMBER, "b"}}, GR_NUMBER, "result"},
    {"negate@0.1.0", "", {{GR_NUMBER, "value"}}, GR_NUMBER, "result"},
    {"select@0.1.0", "", {{GR_BOOL, "cond"}, {GR_NUMBER, "when_true"}, {GR_NUMBER, "when_false"}}, GR_NUMBER, "result"},
    {"mean@0.1.0", "", {{GR_SERIES, "series"}}, GR_NUMBER, "result"},
    {"sum@0.1.0", "", {{GR_SERIES, "series"}}, GR_NUMBER, "result"},
    {"len@0.1.0", "", {{GR_SERIES, "series"}}, GR_NUMBER, "result"},
    {"gt@0.1.0", "", {{GR_NUMBER, "a"}, {GR_NUMBER, "b"}}, GR_BOOL, "result"},
    {"neq@0.1.0", "", {{GR_NUMBER, "a"}, {GR_NUMBER, "b"}}, GR_BOOL, "result"},
    {"and@0.1.0", "", {{GR_BOOL, "a"}, {GR_BOOL, "b"}}, GR_BOOL, "result"},
    {"not@0.1.0", "", {{GR_BOOL, "value"}}, GR_BOOL, "result"},
    {"append@0.1.0", "", {{GR_SERIES, "series"}, {GR_NUMBER, "value"}}, GR_SERIES, "result"},
    {"window@0.1.0", "\"size\":3.0", {{GR_SERIES, "series"}}, GR_SERIES, "result"},
    {"const_bool@0.1.0", "\"value\":true", {{GR_NONE, NULL}}, GR_BOOL, "value"},
};
static const shape SOURCES[] = {
    {"context_number_source@0.1.0", "\"key\":\"n0\"", {{GR_NONE, NULL}}, GR_NUMBER, "value"},
    {"context_number_source@0.1.0", "\"key\":\"n1\"", {{GR_NONE, NULL}}, GR_NUMBER, "value"},
    {"context_bool_source@0.1.0", "\"key\":\"b0\"", {{GR_NONE, NULL}}, GR_BOOL, "value"},
    {"context_series_source@0.1.0", "\"key\":\"s0\"", {{GR_NONE, NULL}}, GR_SERIES, "value"},
    {"context_string_source@0.1.0", "\"key\":\"t0\"", {{GR_NONE, NULL}}, GR_STRING, "value"},
};
static const shape ACTIONS[] = {
    {"context_set_number@0.1.0", "\"key\":\"n1\"", {{GR_EVENT, "event"}, {GR_NUMBER, "value"}}, GR_NONE, NULL},
    {"context_set_bool@0.1.0", "\"key\":\"b0\"", {{GR_EVENT, "event"}, {GR_BOOL, "value"}}, GR_NONE, NULL},
    {"context_set_series@0.1.0", "\"key\":\"s0\"", {{GR_EVENT, "event"}, {GR_SERIES, "value"}}, GR_NONE, NULL},
    {"context_set_string@0.1.0", "\"key\":\"t0\"", {{GR_EVENT, "event"}, {GR_STRING, "value"}}, GR_NONE, NULL},
    {"ack_action@0.1.0", "\"accept\":false", {{GR_EVENT, "event"}}, GR_NONE, NULL},
};
static const shape TRIGGERS[] = {
    {"emit_if_true@0.1.0", "", {{COMPUTED_BOOL, "input"}}, GR_EVENT, "event"},
    {"emit_if_event_and_true@0.1.0", "", {{GR_EVENT, "event"}, {COMPUTED_BOOL, "condition"}}, GR_EVENT, "event"},
};
/* clang-format on */

static void add_node(maker *m, const shape *s)
{
    for (size_t i = 0; i < 3 && s->in[i].port; i++) {
        if (!m->of[s->in[i].type].count) {
            return; /* nothing to wire it to yet */
        }
    }
    begin_node(m, s->impl, s->params);
    for (size_t i = 0; i < 3 && s->in[i].port; i++) {
        connect(m, s->in[i].type, s->in[i].port);
    }
    if (s->out != GR_NONE) {
        add_end(m, (int)s->out, m->made, s->out_port);
    }
    if (s->out == GR_BOOL && (s->in[0].port || s->params[1] == 'v')) {
        add_end(m, COMPUTED_BOOL, m->made, s->out_port);
    }
    m->made++;
}

#define ONE_OF(table) (&(table)[chance(sizeof(table) / sizeof *(table))])

static mt_str make_graph(mt_arena *a)
{
    maker m = {0};
    for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++) {
        add_node(&m, &SOURCES[i]);
    }
    uint32_t computes = 1 + chance(20), triggers = 1 + chance(4),
             actions = 1 + chance(5);
    for (uint32_t i = 0; i < computes; i++) {
        add_node(&m, ONE_OF(COMPUTES));
    }
    add_node(&m, &COMPUTES[sizeof COMPUTES / sizeof *COMPUTES - 1]);
    add_node(&m, &TRIGGERS[0]);
    for (uint32_t i = 0; i < triggers; i++) {
        add_node(&m, ONE_OF(TRIGGERS));
    }
    for (uint32_t i = 0; i < actions; i++) {
        add_node(&m, ONE_OF(ACTIONS));
    }
    mt_str text =
        mt_strf(a,
                "{\"kind\":\"cluster\",\"id\":\"random\",\"version\":\"1.0.0\","
                "\"nodes\":{%.*s},\"edges\":[%.*s],\"outputs\":{\"o\":\"%s\"}}",
                MT_ARG(m.nodes), MT_ARG(m.edges),
                m.of[GR_NUMBER].name[chance(m.of[GR_NUMBER].count)]);
    mt_buf_free(&m.nodes);
    mt_buf_free(&m.edges);
    return text;
}

static const char ADAPTER[] =
    "{\"kind\":\"adapter\",\"id\":\"any\",\"version\":\"1.0.0\",\"runtime_"
    "compatibility\":"
    "\"0.1.0\",\"context_keys\":["
    "{\"name\":\"n0\",\"type\":\"Number\",\"required\":false,\"writable\":false},"
    "{\"name\":\"n1\",\"type\":\"Number\",\"required\":false,\"writable\":true},"
    "{\"name\":\"b0\",\"type\":\"Bool\",\"required\":false,\"writable\":true},"
    "{\"name\":\"s0\",\"type\":\"Series\",\"required\":false,\"writable\":true},"
    "{\"name\":\"t0\",\"type\":\"String\",\"required\":false,\"writable\":true}],"
    "\"event_kinds\":[{\"name\":\"e\",\"payload_schema\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{\"n0\":{\"type\":\"number\"},"
    "\"n1\":{\"type\":\"number\"},\"b0\":{\"type\":\"boolean\"},\"s0\":{\"type\":"
    "\"array\","
    "\"items\":{\"type\":\"number\"}},\"t0\":{\"type\":\"string\"}}}}],"
    "\"accepts\":{\"effects\":[{\"name\":\"set_context\",\"payload_schema\":{\"type\":"
    "\"object\",\"additionalProperties\":false,\"properties\":{}}}]},"
    "\"capture\":{\"format_version\":\"1\",\"fields\":[\"event.e\"]}}";

/* ---- random events ---- */

static mt_str random_payload(mt_arena *a)
{
    static const char *const NUMBERS[] = {"0.0", "1.0", "-3.25", "1e300", "7", "0.1"};
    static const char *const SERIES[] = {"[]", "[1.5]", "[1.0,2.0,3.0,4.0]"};
    mt_buf b = {0};
    mt_buf_addc(&b, '{');
    if (chance(4)) {
        mt_buf_addf(&b, "\"n0\":%s,", NUMBERS[chance(6)]);
    }
    if (!chance(3)) {
        mt_buf_addf(&b, "\"n1\":%s,", NUMBERS[chance(6)]);
    }
    if (!chance(3)) {
        mt_buf_addf(&b, "\"b0\":%s,", chance(2) ? "true" : "false");
    }
    if (!chance(3)) {
        mt_buf_addf(&b, "\"s0\":%s,", SERIES[chance(3)]);
    }
    mt_buf_addf(&b, "\"t0\":\"t%u\"}", chance(9));
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static gr_constraints random_limits(void)
{
    gr_constraints c = {.max_retries = chance(3)};
    if (!chance(3)) {
        c.max_per_window = (gr_count_option){true, 1 + chance(3)};
        c.rate_window = (gr_time_option){true, {1 + chance(4), 0}};
    }
    return c;
}

/* ---- run, remember, replay ---- */

static void remember(mt_arena *a, gr_capture *c, const ho_graph_step *s)
{
    gr_capture_event e = s->event;
    e.id = mt_str_dup(a, e.id);
    e.payload = mt_str_dup(a, e.payload);
    e.payload_hash = mt_str_dup(a, e.payload_hash);
    gr_capture_decision d = s->decision;
    gr_capture_effect *effects = mt_new_array(a, gr_capture_effect, d.effect_count);
    for (size_t i = 0; i < d.effect_count; i++) {
        effects[i].effect = mt_str_dup(a, d.effects[i].effect);
        effects[i].hash = mt_str_dup(a, d.effects[i].hash);
    }
    d.effects = effects;
    d.event_id = e.id;
    mt_vec_push(a, &c->events, e);
    mt_vec_push(a, &c->decisions, d);
}

static void run_events(mt_arena *a, ho_graph_host *host, gr_capture *c)
{
    uint32_t count = 1 + chance(30);
    uint64_t secs = 0;
    for (uint32_t i = 0; i < count; i++) {
        mt_json payload;
        mt_str text = random_payload(a);
        assert_int_equal(mt_json_read(a, text, NULL, &payload, NULL), MT_OK);
        secs += chance(3);
        ho_graph_event event = {.id = mt_strf(a, "e%u", i),
                                .kind = (gr_signal_kind)chance(3),
                                .at = {secs, chance(1000000000)},
                                .semantic_kind = MT_STR("e"),
                                .payload = &payload};
        ho_graph_step step;
        assert_int_equal(ho_graph_host_step(host, &event, &step), MT_OK);
        remember(a, c, &step);
    }
}

static void replay_written(mt_arena *a, const gr_capture *c, const gr_graph *graph,
                           const gr_adapter *adapter)
{
    mt_buf text = {0};
    gr_capture_reader *again;
    gr_capture_fault fault;
    ho_replay_result result;
    gr_capture_write(&text, c, chance(2));
    mt_str written = mt_buf_str(&text);
    if (gr_capture_open(a, gr_bytes_of(&written), 0, &again, &fault)) {
        fail_msg("%.*s: %.*s", MT_ARG(fault.path), MT_ARG(fault.message));
    }
    ho_replay_options o = {.graph = graph, .adapter = adapter};
    if (ho_replay(a, again, &o, &result)) {
        const ho_divergence *d = &result.divergence;
        fail_msg("%s: %.*s, recorded %.*s, replayed %.*s", d->code, MT_ARG(d->message),
                 MT_ARG(d->recorded), MT_ARG(d->replayed));
    }
    assert_int_equal(result.counts.events, c->events.len);
    gr_capture_close(again);
    mt_buf_free(&text);
}

static void one_graph(const gr_registry *registry, const gr_adapter *adapter)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    gr_graph *graph;
    mt_str text = make_graph(&a);
    if (gr_graph_load(registry, (gr_text){MT_STR("random"), text}, NULL, NULL, &ds,
                      &graph)) {
        fail_msg("%s %.*s\n%.*s", ds.items[0].code, MT_ARG(ds.items[0].message),
                 MT_ARG(text));
    }
    ho_graph_options o = {.graph = graph,
                          .adapter = adapter,
                          .context = ho_context_in_memory(),
                          .limits = random_limits()};
    ho_graph_host *host;
    assert_int_equal(ho_graph_host_new(&o, &ds, &host), MT_OK);
    gr_capture c = {.version = MT_STR("v3"), .head = ho_graph_host_head(host)};
    run_events(&a, host, &c);
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    replay_written(&a, &c, graph, adapter);
    gr_graph_free(graph);
    mt_arena_free(&a);
}

static void random_runs_replay_equal(void **state)
{
    (void)state;
    const char *seed = getenv("MOTET_SEED");
    chance_state = seed ? strtoull(seed, NULL, 10) : 20260302u;
    printf("seed %llu\n", (unsigned long long)chance_state);
    int count = getenv("MOTET_SOAK") ? 10000 : 300;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    gr_registry *registry = gr_registry_new();
    gr_adapter *adapter;
    if (gr_adapter_read((gr_text){MT_STR("any"), mt_str_z(ADAPTER)}, &ds, &adapter)) {
        fail_msg("%s %.*s", ds.items[0].code, MT_ARG(ds.items[0].message));
    }
    for (int i = 0; i < count; i++) {
        one_graph(registry, adapter);
    }
    gr_adapter_free(adapter);
    gr_registry_free(registry);
    mt_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_runs_replay_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
