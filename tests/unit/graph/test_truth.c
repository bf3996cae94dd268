/* What loading refuses, warns of and lets through: findings about graphs that were good
 * by the checks and failed later. One row is one graph. */
#include "graph_test.h"

/* A cluster that a row may use; `%s` is its line of inputs, edges and the like. */
#define CLUSTER(body) "kind: cluster\nid: c\nversion: 1.0.0\n" body
#define GRAPH(nodes, edges)                                                            \
    "kind: cluster\nid: g\nversion: 1.0.0\nnodes:\n"                                   \
    "  n: {impl: number_source@0.1.0}\n"                                               \
    "  t: {impl: const_bool@0.1.0, params: {value: true}}\n"                           \
    "  e: {impl: emit_if_true@0.1.0}\n" nodes "edges:\n  - t.value -> e.input\n" edges

/* clang-format off */
static const char KEEP[] =
    "kind: action\nid: keep\nversion: 1.0.0\n"
    "inputs: [{name: event, type: event}, {name: v, type: number, required: false}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "parameters: [{name: a, type: string, default: one}, {name: b, type: string, default: two}]\n"
    "effects: {writes: [{name: $a, type: number, from_input: v}, {name: $b, type: number, from_input: v}]}\n";
static const char TELL[] =
    "kind: action\nid: tell\nversion: 1.0.0\n"
    "inputs: [{name: event, type: event}, {name: v, type: number, required: false}, {name: w, type: number, required: false}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "parameters: [{name: who, type: string, required: false}, {name: key, type: string, default: k}]\n"
    "effects:\n"
    "  writes: [{name: k, type: number, from_input: v}]\n"
    "  intents:\n"
    "    - name: say\n"
    "      fields: [{name: v, type: number, from_input: v}, {name: to, type: string, from_param: who}]\n"
    "      mirror_writes: [{name: $key, type: number, from_field: v}]\n";

static const struct row {
    const char *name, *manifest, *cluster, *graph;
    const char *codes; /* of errors; "" when it loads */
    size_t warnings;
} ROWS[] = {
    {"FG13_an_input_is_used_as_declared", NULL,
     CLUSTER("inputs: [{name: in, type: bool}]\nnodes: {m: {impl: abs@0.1.0}}\nedges: [$in -> m.value]\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - t.value -> c.in\n"), "I.2 V.4", 0},
    {"FG13_an_input_is_fed_as_declared", NULL,
     CLUSTER("inputs: [{name: in, type: bool}]\nnodes: {m: {impl: not@0.1.0}}\nedges: [$in -> m.value]\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - n.value -> c.in\n"), "I.2 V.4", 0},
    {"FG13_both_sides_are_told", NULL,
     CLUSTER("inputs: [{name: in, type: bool}]\nnodes: {m: {impl: abs@0.1.0}}\nedges: [$in -> m.value]\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - n.value -> c.in\n"), "I.2", 0},
    {"FG13_an_input_that_is_not_used", NULL,
     CLUSTER("inputs: [{name: in, type: bool}]\nnodes: {m: {impl: number_source@0.1.0}}\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - n.value -> c.in\n"), "I.2", 0},
    {"FG13_an_input_that_is_not_used_and_fits", NULL,
     CLUSTER("inputs: [{name: in, type: bool}]\nnodes: {m: {impl: number_source@0.1.0}}\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - t.value -> c.in\n"), "", 0},
    {"FG13_from_cluster_to_cluster", NULL,
     CLUSTER("inputs: [{name: in, type: bool, required: false}]\nnodes: {m: {impl: number_source@0.1.0}}\noutputs: {out: m.value}\n"),
     GRAPH("  c: {cluster: c@1}\n  d: {cluster: c@1}\n", "  - c.out -> d.in\n"), "I.2", 0},

    {"FG15_an_optional_input_that_a_write_reads", KEEP, NULL,
     GRAPH("  k: {impl: keep@1.0.0}\n", "  - e.event -> k.event\n"), "V.3", 0},
    {"FG15_it_is_connected", KEEP, NULL,
     GRAPH("  k: {impl: keep@1.0.0}\n", "  - e.event -> k.event\n  - n.value -> k.v\n"), "", 0},
    {"FG15_a_field_and_a_parameter_without_value", TELL, NULL,
     GRAPH("  k: {impl: tell@1.0.0, params: {key: l}}\n", "  - e.event -> k.event\n"), "V.3 I.3", 0},
    {"FG15_an_input_that_no_effect_reads", TELL, NULL,
     GRAPH("  k: {impl: tell@1.0.0, params: {key: l, who: x}}\n", "  - e.event -> k.event\n  - n.value -> k.v\n"), "", 0},
    {"FG15_fed_by_an_optional_input_of_a_cluster", KEEP,
     CLUSTER("inputs: [{name: ev, type: event}, {name: in, type: number, required: false}]\nnodes: {k: {impl: keep@1.0.0}}\nedges: [$ev -> k.event, $in -> k.v]\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - e.event -> c.ev\n"), "V.3", 0},

    {"FG16_the_existing_spelling_of_a_kind", NULL, NULL,
     GRAPH("", "") "outputs: {out: n.value}\nsignature: {kind: source_like}\n", "", 0},
    {"FG16_a_kind_that_is_another", NULL, NULL,
     GRAPH("", "") "outputs: {out: n.value}\nsignature: {kind: trigger_like}\n", "D.10", 0},
    {"FG16_an_input_is_never_wireable", NULL,
     CLUSTER("inputs: [{name: in, type: bool}]\nnodes: {m: {impl: not@0.1.0}}\nedges: [$in -> m.value]\n"
             "signature: {inputs: [{name: in, type: bool, wireable: true}]}\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - t.value -> c.in\n"), "D.11", 0},
    {"FG16_an_input_that_is_not_wireable", NULL,
     CLUSTER("inputs: [{name: in, type: bool}]\nnodes: {m: {impl: not@0.1.0}}\nedges: [$in -> m.value]\n"
             "signature: {inputs: [{name: in, type: bool, required: true, cardinality: single, wireable: false}]}\n"),
     GRAPH("  c: {cluster: c@1}\n", "  - t.value -> c.in\n"), "", 0},
    {"FG16_ports_there_are_not", NULL, NULL,
     GRAPH("", "") "outputs: {out: n.value}\nsignature: {inputs: [{name: x}], outputs: [{name: y}, {name: out, type: Number}]}\n", "", 2},
    {"FG16_ports_of_another_type", NULL, NULL,
     GRAPH("", "") "outputs: {out: n.value}\nsignature: {outputs: [{name: out, type: bool, wireable: true}]}\n", "", 1},

    {"FG17_an_edge_into_a_source", NULL, NULL, GRAPH("", "  - t.value -> n.value\n"), "V.2", 0},
    {"FG17_a_primitive_without_versions", NULL, NULL, GRAPH("  x: {impl: number_source}\n", ""), "graph.decode", 0},
    {"FG17_a_primitive_of_any_version", NULL, NULL, GRAPH("  x: {impl: number_source@*}\n", ""), "", 0},
    {"FG17_two_parameters_name_one_key", KEEP, NULL,
     GRAPH("  k: {impl: keep@1.0.0, params: {b: one}}\n", "  - e.event -> k.event\n  - n.value -> k.v\n"), "ACT-14", 0},
    {"FG17_a_mirror_writes_the_same_key", TELL, NULL,
     GRAPH("  k: {impl: tell@1.0.0, params: {who: x}}\n", "  - e.event -> k.event\n  - n.value -> k.v\n"), "ACT-14", 0},
};
/* clang-format on */

static void a_row(void **state)
{
    const struct row *r = *state;
    gt *t = gt_begin();
    gr_text file = {MT_STR("c.yaml"), mt_str_z(r->cluster)};
    t->files = &file;
    t->file_count = r->cluster != NULL;
    assert_true(!r->manifest || gt_manifest(t, r->manifest));
    bool loads = gt_load(t, r->graph);
    if (strcmp(gt_codes(t), r->codes) != 0 || t->ds.warnings != r->warnings) {
        gt_print(t);
    }
    assert_string_equal(gt_codes(t), r->codes);
    assert_int_equal(loads, !*r->codes);
    assert_int_equal(t->ds.warnings, r->warnings);
    for (size_t i = 0; i < t->ds.len; i++) {
        assert_true(t->ds.items[i].hint.len > 0 && t->ds.items[i].line > 0);
    }
    gt_end(t);
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    struct CMUnitTest rows[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        rows[i] = (struct CMUnitTest){ROWS[i].name, a_row, NULL, NULL,
                                      (void *)(uintptr_t)&ROWS[i]};
    }
    return cmocka_run_group_tests_name("graph/truth", rows, NULL, NULL);
}
