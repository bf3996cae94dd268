/* graph.run: events from a fixture through the supervisor to the journal on disk, one
 * thread, synced at least every 100 ms. graph.export: the journal to capture v3.
 * graph.replay: strict replay of the journal. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/graph_capture.h"
#include "host/graph_replay.h"
#include "host/graph_run.h"

enum { EVENTS = 400000, ROUNDS = 5 };

static const char GRAPH[] =
    "kind: cluster\n"
    "id: bench\n"
    "version: \"1.0.0\"\n"
    "nodes:\n"
    "  x: { impl: context_number_source@0.1.0, params: { key: x } }\n"
    "  t: { impl: const_number@0.1.0, params: { value: 10.0 } }\n"
    "  high: { impl: gt@0.1.0 }\n"
    "  on: { impl: emit_if_true@0.1.0 }\n"
    "  keep: { impl: context_set_number@0.1.0, params: { key: y } }\n"
    "edges:\n"
    "  - x.value -> high.a\n"
    "  - t.value -> high.b\n"
    "  - high.result -> on.input\n"
    "  - on.event -> keep.event\n"
    "  - x.value -> keep.value\n"
    "outputs: { high: high.result }\n";

static const char ADAPTER[] =
    "kind: adapter\n"
    "id: bench\n"
    "version: \"1.0.0\"\n"
    "runtime_compatibility: \"0.1.0\"\n"
    "context_keys:\n"
    "  - { name: x, type: Number, required: true, writable: false }\n"
    "  - { name: y, type: Number, required: false, writable: true }\n"
    "event_kinds:\n"
    "  - name: tick\n"
    "    payload_schema:\n"
    "      type: object\n"
    "      additionalProperties: false\n"
    "      required: [x]\n"
    "      properties: { x: { type: number }, y: { type: number } }\n"
    "accepts:\n"
    "  effects:\n"
    "    - name: set_context\n"
    "      payload_schema:\n"
    "        type: object\n"
    "        additionalProperties: false\n"
    "        properties: { y: { type: number } }\n"
    "capture: { format_version: \"1\", fields: [event.tick] }\n";

static void die(const char *what)
{
    fprintf(stderr, "bench_graph_run: %s\n", what);
    exit(1);
}

static mt_buf make_fixture(void)
{
    mt_buf out = {0};
    mt_buf_addz(&out, "{\"kind\":\"episode_start\"}\n");
    for (int i = 0; i < EVENTS; i++) {
        mt_buf_addf(&out,
                    "{\"kind\":\"event\",\"event\":{\"type\":\"DataAvailable\",\"id\":"
                    "\"e%d\",\"semantic_kind\":\"tick\",\"payload\":{\"x\":%d.25}}}\n",
                    i, i % 20);
    }
    return out;
}

static double seconds_since(uint64_t start)
{
    return (double)(bench_now() - start) / 1e9;
}

static double run_once(const gr_graph *graph, const gr_adapter *adapter, mt_str fixture,
                       const char *journal_path)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    ho_journal *journal;
    ho_graph_host *host;
    uint64_t start = bench_now();
    if (ho_journal_open(journal_path, &journal)) {
        die("cannot open the journal");
    }
    ho_graph_options o = {.graph = graph,
                          .adapter = adapter,
                          .context = ho_context_in_memory(),
                          .journal = journal};
    if (ho_graph_host_new(&o, &ds, &host)) {
        die("the graph does not compose");
    }
    ho_ingress *in = ho_ingress_fixture(fixture, true);
    ho_run_options run = {.host = host, .ingress = in, .journal = journal};
    ho_run_result result = ho_graph_run(&a, &run);
    if (result.reason || ho_graph_host_counts(host).invoked != EVENTS) {
        die("the run was interrupted");
    }
    ho_journal_close(journal);
    double seconds = seconds_since(start);
    ho_ingress_free(in);
    ho_graph_host_free(host);
    o.context.free(o.context.state);
    mt_arena_free(&a);
    return seconds;
}

static double replay_once(const gr_graph *graph, const gr_adapter *adapter,
                          const char *journal_path)
{
    mt_arena a = {0};
    ho_capture_file file;
    mt_buf why = {0};
    ho_replay_result result;
    uint64_t start = bench_now();
    if (ho_capture_open(&a, journal_path, 0, &file, &why)) {
        die("the journal does not read");
    }
    ho_replay_options o = {.graph = graph, .adapter = adapter};
    if (ho_replay(&a, file.reader, &o, &result) || result.counts.events != EVENTS) {
        die("the replay diverges");
    }
    ho_capture_close(&file);
    double seconds = seconds_since(start);
    mt_arena_free(&a);
    return seconds;
}

int main(void)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    gr_registry *registry = gr_registry_new();
    gr_graph *graph;
    gr_adapter *adapter;
    if (gr_graph_load(registry, (gr_text){MT_STR("bench"), mt_str_z(GRAPH)}, NULL, NULL,
                      &ds, &graph) ||
        gr_adapter_read((gr_text){MT_STR("bench"), mt_str_z(ADAPTER)}, &ds, &adapter)) {
        die("the graph does not load");
    }
    char journal[64], capture[96], sum[128];
    snprintf(journal, sizeof journal, "bench-run-%d.journal", (int)getpid());
    snprintf(capture, sizeof capture, "%s.json", journal);
    snprintf(sum, sizeof sum, "%s.sum", capture);
    mt_buf fixture = make_fixture();
    double run = INFINITY, export = INFINITY, replay = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        run = fmin(run, run_once(graph, adapter, mt_buf_str(&fixture), journal));
        mt_buf why = {0};
        uint64_t start = bench_now();
        if (ho_capture_export(journal, capture, false, NULL, NULL, &why)) {
            die("the export failed");
        }
        export = fmin(export, seconds_since(start));
        replay = fmin(replay, replay_once(graph, adapter, journal));
        mt_buf_free(&why);
    }
    bench_report("graph.run", EVENTS / run, "events/s", NULL, NAN, 400000,
                 BENCH_HIGHER);
    bench_report("graph.export", EVENTS / export, "events/s", NULL, NAN, NAN,
                 BENCH_HIGHER);
    bench_report("graph.replay", EVENTS / replay, "events/s", "graph.run", EVENTS / run,
                 0.9 * EVENTS / run, BENCH_HIGHER);
    unlink(journal);
    unlink(capture);
    unlink(sum);
    mt_buf_free(&fixture);
    gr_adapter_free(adapter);
    gr_graph_free(graph);
    gr_registry_free(registry);
    mt_arena_free(&a);
    return 0;
}
