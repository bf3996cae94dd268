/* graph.keyed: events over a million keys through host and engine, in memory: payloads
 * merged, checked, hashed, run and applied, no journal. graph.key_bytes: what a key
 * costs in memory, by what malloc has given out. */
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/graph_host.h"

enum { KEYS = 1000000 };

static const char GRAPH[] =
    "kind: cluster\nid: bench\nversion: 1.0.0\nnodes:\n"
    "  x: {impl: context_number_source@0.1.0, params: {key: x}}\n"
    "  y: {impl: context_number_source@0.1.0, params: {key: y}}\n"
    "  sum: {impl: add@0.1.0}\n"
    "  yes: {impl: const_bool@0.1.0, params: {value: true}}\n"
    "  on: {impl: emit_if_true@0.1.0}\n"
    "  keep: {impl: context_set_number@0.1.0, params: {key: y}}\n"
    "edges: [x.value -> sum.a, y.value -> sum.b, yes.value -> on.input,\n"
    "  on.event -> keep.event, sum.result -> keep.value]\n";

static const char ADAPTER[] =
    "kind: adapter\nid: bench\nversion: 1.0.0\nruntime_compatibility: 0.1.0\nkey: k\n"
    "context_keys:\n"
    "  - {name: k, type: String, required: true, writable: false}\n"
    "  - {name: x, type: Number, required: true, writable: false}\n"
    "  - {name: y, type: Number, required: false, writable: true}\n"
    "event_kinds:\n"
    "  - name: tick\n"
    "    payload_schema: {type: object, additionalProperties: false, required: [k, "
    "x],\n"
    "      properties: {k: {type: string}, x: {type: number}, y: {type: number}}}\n"
    "accepts: {effects: [{name: set_context, payload_schema: {type: object,\n"
    "  additionalProperties: false, properties: {y: {type: number}}}}]}\n"
    "capture: {format_version: \"1\", fields: []}\n";

static void die(const char *what)
{
    fprintf(stderr, "bench_graph_keyed: %s\n", what);
    exit(1);
}

/* A store would keep the ids of events; here each is new. */
static mt_err note(void *state, mt_str id, bool *again)
{
    (void)state;
    (void)id;
    *again = false;
    return MT_OK;
}

/* Keys come in no order: a walk by a step that visits each once. */
static void events(ho_graph_host *host, size_t count, size_t from)
{
    char key[16], id[24];
    mt_json_member members[2] = {{.key = MT_STR("k")}, {.key = MT_STR("x")}};
    mt_json payload = {.type = MT_JSON_OBJECT, .count = 2, .as.members = members};
    members[1].value = (mt_json){.type = MT_JSON_NUMBER, .count = 3, .as.text = "1.5"};
    for (size_t i = 0; i < count; i++) {
        int len = snprintf(key, sizeof key, "acc%07zu", (from + i) * 7919 % KEYS);
        int id_len = snprintf(id, sizeof id, "e%zu", from + i);
        members[0].value =
            (mt_json){.type = MT_JSON_STRING, .count = (uint32_t)len, .as.text = key};
        ho_graph_event event = {.id = mt_str_from(id, (size_t)id_len),
                                .kind = GR_DATA_AVAILABLE,
                                .semantic_kind = MT_STR("tick"),
                                .payload = &payload};
        ho_graph_step step;
        if (ho_graph_host_step(host, &event, &step)) {
            die("an event was refused");
        }
    }
}

int main(void)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    gr_registry *registry = gr_registry_new();
    gr_graph *graph;
    gr_adapter *adapter;
    ho_graph_host *host;
    if (gr_graph_load(registry, (gr_text){MT_STR("g"), mt_str_z(GRAPH)}, NULL, NULL,
                      &ds, &graph) ||
        gr_adapter_read((gr_text){MT_STR("a"), mt_str_z(ADAPTER)}, &ds, &adapter)) {
        die("the graph cannot be read");
    }
    ho_graph_options o = {.graph = graph,
                          .adapter = adapter,
                          .context = ho_context_in_memory(),
                          .ids = {NULL, note},
                          .key = adapter->key};
    if (ho_graph_host_new(&o, &ds, &host)) {
        die("the graph does not compose");
    }
    events(host, 1, 0);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    uint64_t start = bench_now();
    events(host, KEYS, 0);
    events(host, KEYS, KEYS);
    double seconds = (double)(bench_now() - start) / 1e9;
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    if (ho_graph_host_lanes(host) != KEYS) {
        die("not every key has its lane");
    }
    bench_report("graph.keyed", 2 * KEYS / seconds, "events/s over 1,000,000 keys",
                 NULL, 0, 300000, BENCH_HIGHER);
    bench_report("graph.key_bytes", (double)(after - before) / KEYS, "bytes per key",
                 NULL, 0, 400, BENCH_LOWER);
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    gr_adapter_free(adapter);
    gr_graph_free(graph);
    gr_registry_free(registry);
    mt_arena_free(&a);
    return 0;
}
