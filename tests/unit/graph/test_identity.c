/* The identities that travel: byte for byte, against known digests. */
#include "base/hash.h"
#include "graph/adapter.h"
#include "graph/compile.h"
#include "graph_test.h"

static void eid1_of_the_two_known_intents(void **state)
{
    (void)state;
    char id[GR_INTENT_ID_LEN + 1] = {0};
    gr_intent_id_of(MT_STR("graph_alpha"), MT_STR("evt_001"), MT_STR("n42"),
                    MT_STR("place_order"), 3, id);
    assert_string_equal(
        id, "eid1:sha256:"
            "157aed720bd20c1712cede0a499cf6607f687401a29d70ce5df5d2778f85a9fa");
    gr_intent_id_of(MT_STR("g1"), MT_STR("evt1"), MT_STR("n0"), MT_STR("place_order"),
                    0, id);
    assert_string_equal(
        id, "eid1:sha256:"
            "ecd660ebcb96b08521d1345bc818ad4a1369fe9f015523aaf0813966e83a6cb1");
}

static void effect_hash_of_the_known_write(void **state)
{
    (void)state;
    gr_effect_write w = {MT_STR("x"), gr_number(1.0)};
    gr_effect e = {.kind = MT_STR("set_context"), .writes = &w, .write_count = 1};
    mt_buf scratch = {0};
    char hash[MT_SHA256_HEX + 1] = {0};
    gr_effect_hash(&e, &scratch, hash);
    assert_int_equal(scratch.len, 68);
    assert_string_equal(
        hash, "55d64445c2438c7e5e64bd81f1a8e0d4ab3922df4a9f20f3344590178095fdb9");
    mt_buf_free(&scratch);
}

static void payload_hash_of_nothing(void **state)
{
    (void)state;
    mt_arena a = {0};
    assert_string_equal(
        mt_sha256_hex(&a, mt_sha256_of(MT_STR(""))).ptr,
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    mt_arena_free(&a);
}

static void epv1_of_the_known_configuration(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str json =
        MT_STR("{\"default_ack_timeout\":\"5s\",\"channels\":{\"broker\":{\"type\":"
               "\"process\",\"command\":[\"python3\",\"broker.py\"]}},\"routes\":{"
               "\"cancel_order\":{\"channel\":\"broker\",\"ack_timeout\":null},"
               "\"place_order\":{\"channel\":\"broker\",\"ack_timeout\":\"10s\"}}}");
    assert_string_equal(
        gr_egress_provenance(&a, json).ptr,
        "epv1:sha256:8f2d35f5153bc1e0f3e2e0309762c599bd22d14dfa7837f6b96a44934ec79d6e");
    mt_arena_free(&a);
}

/* The order of keys, spelling of numbers and a description's absence do not matter; a
 * description's presence does. */
static void an_adapter_is_identified_by_what_it_says(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "kind: adapter\nid: a\nversion: 1.0.0\nruntime_compatibility: 0.1.0\n"
        "context_keys: [{name: x, type: Number, required: true, writable: false}]\n"
        "event_kinds: [{name: t, payload_schema: {type: object, properties: {x: {type: "
        "number, minimum: 1.50}}, additionalProperties: false}}]\n"
        "capture: {format_version: \"1\", fields: []}\n",
        "{\"capture\":{\"fields\":[],\"format_version\":\"1\"},\"kind\":\"adapter\","
        "\"version\":\"1.0.0\","
        "\"id\":\"a\",\"runtime_compatibility\":\"0.1.0\",\"event_kinds\":[{\"payload_"
        "schema\":"
        "{\"additionalProperties\":false,\"properties\":{\"x\":{\"minimum\":1.5,"
        "\"type\":\"number\"}},\"type\":\"object\"},"
        "\"name\":\"t\"}],\"context_keys\":[{\"writable\":false,\"type\":\"Number\","
        "\"name\":\"x\",\"required\":true}]}",
        "kind: adapter\nid: a\nversion: 1.0.0\nruntime_compatibility: 0.1.0\n"
        "context_keys: [{name: x, type: Number, required: true, writable: false, "
        "description: d}]\n"
        "event_kinds: [{name: t, payload_schema: {type: object, properties: {x: {type: "
        "number, minimum: 1.50}}, additionalProperties: false}}]\n"
        "capture: {format_version: \"1\", fields: []}\n"};
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    gr_adapter *ad[3];
    for (int i = 0; i < 3; i++) {
        gr_text text = {MT_STR("a"), mt_str_z(TEXTS[i])};
        assert_int_equal(gr_adapter_read(text, &ds, &ad[i]), MT_OK);
    }
    assert_true(mt_str_starts(ad[0]->fingerprint, MT_STR("adapter:a@1.0.0;sha256:")));
    assert_int_equal(ad[0]->fingerprint.len, 23 + 64);
    assert_true(mt_str_eq(ad[0]->fingerprint, ad[1]->fingerprint));
    assert_false(mt_str_eq(ad[0]->fingerprint, ad[2]->fingerprint));
    for (int i = 0; i < 3; i++) {
        gr_adapter_free(ad[i]);
    }
    mt_arena_free(&a);
}

/* The text that is hashed, once with everything and once with as little as may be. */
static const struct adapter_row {
    const char *name, *text, *hashed;
} ADAPTERS[] = {
    {"an adapter with everything is hashed as this text",
     "kind: adapter\nid: a\nversion: 1.0.0\nruntime_compatibility: 0.1.0\n"
     "context_keys: [{name: x, type: Number, required: true, writable: false, "
     "description: d}, {name: y, type: Bool, required: false, writable: true}]\n"
     "event_kinds: [{name: t, payload_schema: {type: object, properties: {x: {type: "
     "number}}, additionalProperties: false}}, {name: u, payload_schema: {type: "
     "object, additionalProperties: false}}]\n"
     "accepts: {effects: [{name: set_context, payload_schema: {type: object, "
     "additionalProperties: false}}, {name: f, payload_schema: {type: object, "
     "additionalProperties: false}}]}\n"
     "capture: {format_version: \"1\", fields: [event.t, event.u]}\n",
     "{\"accepts\":{\"effects\":[{\"name\":\"set_context\",\"payload_schema\":{"
     "\"additionalProperties\":false,\"type\":\"object\"}},{\"name\":\"f\",\"payload_"
     "schema\":{\"additionalProperties\":false,\"type\":\"object\"}}]},"
     "\"capture\":{\"fields\":[\"event.t\",\"event.u\"],\"format_version\":\"1\"},"
     "\"context_keys\":[{\"description\":\"d\",\"name\":\"x\",\"required\":true,"
     "\"type\":\"Number\",\"writable\":false},{\"description\":null,\"name\":\"y\","
     "\"required\":false,\"type\":\"Bool\",\"writable\":true}],"
     "\"event_kinds\":[{\"name\":\"t\",\"payload_schema\":{\"additionalProperties\":"
     "false,\"properties\":{\"x\":{\"type\":\"number\"}},\"type\":\"object\"}},{"
     "\"name\":\"u\",\"payload_schema\":{\"additionalProperties\":false,\"type\":"
     "\"object\"}}],\"id\":\"a\",\"runtime_compatibility\":\"0.1.0\",\"version\":"
     "\"1.0.0\"}"},
    {"an adapter with little is hashed as this text",
     "kind: adapter\nid: a\nversion: 1.0.0\nruntime_compatibility: 0.1.0\n"
     "context_keys: [{name: x, type: String, required: false, writable: false}]\n"
     "event_kinds: []\ncapture: {format_version: \"1\", fields: []}\n",
     "{\"accepts\":null,\"capture\":{\"fields\":[],\"format_version\":\"1\"},"
     "\"context_keys\":[{\"description\":null,\"name\":\"x\",\"required\":false,"
     "\"type\":\"String\",\"writable\":false}],\"event_kinds\":[],\"id\":\"a\","
     "\"runtime_compatibility\":\"0.1.0\",\"version\":\"1.0.0\"}"},
};

static void an_adapter_is_hashed_as_known_text(void **state)
{
    const struct adapter_row *row = *state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    gr_adapter *ad;
    gr_text text = {MT_STR("a"), mt_str_z(row->text)};
    mt_str hex = mt_sha256_hex(&a, mt_sha256_of(mt_str_z(row->hashed)));
    if (gr_adapter_read(text, &ds, &ad)) {
        fail_msg("%.*s", MT_ARG(ds.items[0].message));
    }
    assert_string_equal(ad->fingerprint.ptr,
                        mt_strf(&a, "adapter:a@1.0.0;sha256:%.*s", MT_ARG(hex)).ptr);
    gr_adapter_free(ad);
    mt_arena_free(&a);
}

/* Two nodes of one primitive, one fed from outside: more than a runnable graph can be,
 * so the flat form is made by hand. */
static void rpv1_of_the_known_graph(void **state)
{
    (void)state;
    mt_arena a = {0};
    gr_port in = {.name = MT_STR("in"), .type = GR_NUMBER, .required = true};
    gr_port out = {.name = MT_STR("out"), .type = GR_NUMBER};
    gr_param k = {.name = MT_STR("k"),
                  .type = GR_P_NUMBER,
                  .initial = {.type = GR_P_NUMBER, .number = 1.25}};
    gr_primitive prim = {.manifest = {.id = MT_STR("prim"),
                                      .version = MT_STR("1.2.0"),
                                      .kind = GR_COMPUTE,
                                      .inputs = &in,
                                      .outputs = &out,
                                      .params = &k,
                                      .input_count = 1,
                                      .output_count = 1,
                                      .param_count = 1}};
    gr_given scale = {MT_STR("scale"), {.type = GR_P_NUMBER, .number = 3.5}, true};
    gr_flat_node nodes[] = {{.primitive = &prim,
                             .id = MT_STR("n1"),
                             .requested = MT_STR("^1"),
                             .resolved = MT_STR("1.2.0"),
                             .given = &scale,
                             .given_count = 1},
                            {.primitive = &prim,
                             .id = MT_STR("n2"),
                             .requested = MT_STR("^1"),
                             .resolved = MT_STR("1.2.0")}};
    gr_flat_edge edges[] = {{.from_node = 0, .to_node = 1},
                            {.from_node = GR_NO_NODE, .external = MT_STR("market")}};
    gr_flat flat = {
        .graph_id = MT_STR("g"), .nodes = {nodes, 2, 2}, .edges = {edges, 2, 2}};
    assert_string_equal(
        gr_runtime_provenance(&a, &flat).ptr,
        "rpv1:sha256:458fdcc0a5786436cd2fedbbd21cfa6b71bdc63f6ca8e342cb5b7a163aacef0f");
    mt_arena_free(&a);
}

static const char HELLO[] =
    "kind: cluster\n"
    "id: hello\n"
    "version: 1.0.0\n"
    "nodes:\n"
    "  three: {impl: number_source@0.1.0, params: {value: 3.0}}\n"
    "  one:   {impl: number_source@0.1.0, params: {value: 1.0}}\n"
    "  more:  {impl: gt@^0.1}\n"
    "  emit:  {impl: emit_if_true@0.1.0}\n"
    "  ack:   {impl: ack_action@0.1.0}\n"
    "edges:\n"
    "  - three.value -> more.a\n"
    "  - one.value -> more.b\n"
    "  - more.result -> emit.input\n"
    "  - emit.event -> ack.event\n"
    "outputs: {outcome: ack.outcome}\n";

static void the_smallest_graph_completes_without_effects(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, HELLO);
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_int_equal(gt_event(t, "ack", "outcome"), GR_COMPLETED);
    assert_int_equal(t->episode->effect_count, 0);
    assert_int_equal(t->graph->action_count, 1);
    assert_int_equal(gr_outcome(t->episode, 0), GR_COMPLETED);
    gt_end(t);
}

/* Recorded once: any change of a graph's identity breaks old captures. The second is
 * what captures have that were made when defaults did not count. */
static void FG7_rpv1_of_the_smallest_graph_stays(void **state)
{
    static const char NOW[] =
        "rpv1:sha256:bd93777245b467adbfab9194147562f8375e42801d4990746e031fb4638d2023";
    static const char BEFORE[] =
        "rpv1:sha256:81bce5816e05895d0ba2e3ed487fcf086d98e57821768a710c04343ddfe5827a";
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, HELLO);
    assert_string_equal(t->graph->provenance.ptr, NOW);
    assert_true(gr_graph_is(t->graph, mt_str_z(NOW)));
    assert_true(gr_graph_is(t->graph, mt_str_z(BEFORE)));
    assert_false(gr_graph_is(t->graph, MT_STR("")));
    gt_end(t);
}

static const char NOTED[] =
    "kind: action\nid: noted\nversion: 1.0.0\n"
    "inputs: [{name: event, type: event}]\noutputs: [{name: outcome, type: event}]\n"
    "parameters:\n"
    "  - {name: level, type: number, default: 2.0}\n"
    "  - {name: free, type: string, required: false}\n";

static const char NOTING[] = "kind: cluster\nid: g\nversion: 1.0.0\n"
                             "nodes:\n"
                             "  a: {impl: const_bool@0.1.0, params: {value: true}}\n"
                             "  b: {impl: emit_if_true@0.1.0}\n"
                             "  c: {impl: noted@1.0.0}\n"
                             "edges: [a.value -> b.input, b.event -> c.event]\n";

/* The text that is hashed, written out: `level` has its default, `free` is not there.
 */
static void FG7_a_parameter_without_a_value_is_left_out(void **state)
{
    static const char TEXT[] =
        "{\"graph_id\":\"g\",\"nodes\":[{\"runtime_id\":\"n0\",\"impl_id\":\"const"
        "_bool\",\"requested_version\":\"0.1.0\",\"resolved_version\":\"0.1.0"
        "\",\"parameters\":[{\"name\":\"value\",\"value\":{\"kind\":\"Bool\",\"valu"
        "e\":true}}]},{\"runtime_id\":\"n1\",\"impl_id\":\"emit_if_true\",\"req"
        "uested_version\":\"0.1.0\",\"resolved_version\":\"0.1.0\",\"paramete"
        "rs\":[]},{\"runtime_id\":\"n2\",\"impl_id\":\"noted\",\"requested_vers"
        "ion\":\"1.0.0\",\"resolved_version\":\"1.0.0\",\"parameters\":[{\"name"
        "\":\"level\",\"value\":{\"kind\":\"Number\",\"value\":2.0}}]}],\"edges\":"
        "[{\"from\":{\"kind\":\"NodePort\",\"node_id\":\"n0\",\"port_name\":\"valu"
        "e\"},\"to\":{\"kind\":\"NodePort\",\"node_id\":\"n1\",\"port_name\":\"inpu"
        "t\"}},{\"from\":{\"kind\":\"NodePort\",\"node_id\":\"n1\",\"port_name\":\""
        "event\"},\"to\":{\"kind\":\"NodePort\",\"node_id\":\"n2\",\"port_name\":\""
        "event\"}}],\"primitives\":[{\"impl_id\":\"const_bool\",\"resolved_ve"
        "rsion\":\"0.1.0\",\"kind\":\"Compute\",\"inputs\":[{\"name\":\"unit\",\"va"
        "lue_type\":\"Bool\",\"required\":false}],\"outputs\":[{\"name\":\"valu"
        "e\",\"value_type\":\"Bool\",\"cardinality\":\"Single\"}],\"parameters\""
        ":[{\"name\":\"value\",\"ty\":\"Bool\",\"required\":true,\"default\":null"
        "}]},{\"impl_id\":\"emit_if_true\",\"resolved_version\":\"0.1.0\",\"ki"
        "nd\":\"Trigger\",\"inputs\":[{\"name\":\"input\",\"value_type\":\"Bool\","
        "\"required\":true}],\"outputs\":[{\"name\":\"event\",\"value_type\":\"E"
        "vent\",\"cardinality\":\"Single\"}],\"parameters\":[]},{\"impl_id\":\""
        "noted\",\"resolved_version\":\"1.0.0\",\"kind\":\"Action\",\"inputs\":["
        "{\"name\":\"event\",\"value_type\":\"Event\",\"required\":true}],\"outp"
        "uts\":[{\"name\":\"outcome\",\"value_type\":\"Event\",\"cardinality\":\""
        "Single\"}],\"parameters\":[{\"name\":\"free\",\"ty\":\"String\",\"requir"
        "ed\":false,\"default\":null},{\"name\":\"level\",\"ty\":\"Number\",\"req"
        "uired\":false,\"default\":{\"kind\":\"Number\",\"value\":2.0}}]}]}";
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t, NOTED));
    gt_must_load(t, NOTING);
    mt_str hex = mt_sha256_hex(&t->arena, mt_sha256_of(mt_str_z(TEXT)));
    assert_string_equal(t->graph->provenance.ptr + strlen("rpv1:sha256:"), hex.ptr);
    gt_end(t);
}

static const struct number_row {
    const char *name;
    double value;
    const char *text;
} NUMBERS[] = {
    {"one", 1.0, "1.0"},
    {"minus zero", -0.0, "-0.0"},
    {"a tenth", 0.1, "0.1"},
    {"the last fixed one", 1234567890123456.0, "1234567890123456.0"},
    {"sixteen digits", 1e15, "1000000000000000.0"},
    {"the first with an exponent", 1e16, "1e16"},
    {"small and fixed", 0.00001, "0.00001"},
    {"small with an exponent", 1.5e-7, "1.5e-7"},
    {"the largest", 1.7976931348623157e308, "1.7976931348623157e308"},
};

static void number_text(void **state)
{
    const struct number_row *r = *state;
    mt_buf out = {0};
    gr_number_text(&out, r->value);
    mt_buf_addc(&out, '\0');
    assert_string_equal(out.ptr, r->text);
    mt_buf_free(&out);
}

static void effects_read_back_as_they_were_written(void **state)
{
    (void)state;
    mt_arena a = {0};
    double series[] = {1.0, -2.5};
    gr_effect_write writes[] = {{MT_STR("n"), gr_number(-0.0)},
                                {MT_STR("s"), gr_series(series, 2)},
                                {MT_STR("b"), gr_bool(true)},
                                {MT_STR("t"), gr_string(MT_STR("a\"\n"))}};
    gr_effect_field field = {MT_STR("qty"), gr_number(2.0)};
    gr_intent intent = {.kind = MT_STR("order"), .fields = &field, .field_count = 1};
    gr_intent_id_of(MT_STR("g"), MT_STR("e"), MT_STR("n0"), MT_STR("order"), 0,
                    intent.id);
    gr_effect effects[] = {
        {.kind = MT_STR("set_context"), .writes = writes, .write_count = 4},
        {.kind = MT_STR("order"), .intent = &intent}};
    for (size_t i = 0; i < 2; i++) {
        mt_buf first = {0}, second = {0};
        mt_json tree;
        gr_effect back;
        gr_effect_json(&first, &effects[i]);
        assert_int_equal(mt_json_read(&a, mt_buf_str(&first), NULL, &tree, NULL),
                         MT_OK);
        assert_true(gr_effect_from_json(&a, &tree, &back));
        gr_effect_json(&second, &back);
        assert_true(mt_str_eq(mt_buf_str(&first), mt_buf_str(&second)));
        mt_buf_free(&first);
        mt_buf_free(&second);
    }
    mt_arena_free(&a);
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

int main(void)
{
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(eid1_of_the_two_known_intents),
        cmocka_unit_test(effect_hash_of_the_known_write),
        cmocka_unit_test(payload_hash_of_nothing),
        cmocka_unit_test(epv1_of_the_known_configuration),
        cmocka_unit_test(an_adapter_is_identified_by_what_it_says),
        cmocka_unit_test(rpv1_of_the_known_graph),
        cmocka_unit_test(the_smallest_graph_completes_without_effects),
        cmocka_unit_test(FG7_rpv1_of_the_smallest_graph_stays),
        cmocka_unit_test(FG7_a_parameter_without_a_value_is_left_out),
        cmocka_unit_test(effects_read_back_as_they_were_written),
    };
    struct CMUnitTest adapters[COUNT(ADAPTERS)];
    for (size_t i = 0; i < COUNT(ADAPTERS); i++) {
        adapters[i] =
            (struct CMUnitTest){ADAPTERS[i].name, an_adapter_is_hashed_as_known_text,
                                NULL, NULL, (void *)(uintptr_t)&ADAPTERS[i]};
    }
    struct CMUnitTest rows[COUNT(NUMBERS)];
    for (size_t i = 0; i < COUNT(NUMBERS); i++) {
        rows[i] = (struct CMUnitTest){NUMBERS[i].name, number_text, NULL, NULL,
                                      (void *)(uintptr_t)&NUMBERS[i]};
    }
    int bad = cmocka_run_group_tests_name("graph/identity", fixed, NULL, NULL);
    bad += cmocka_run_group_tests_name("graph/adapter text", adapters, NULL, NULL);
    return bad + cmocka_run_group_tests_name("graph/number text", rows, NULL, NULL);
}
