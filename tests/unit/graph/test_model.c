/* The statements of the execution model, one test each, named after its section. */
#include "graph_test.h"

#define HEAD "kind: cluster\nid: g\nversion: 1.0.0\n"

/* condition (context key go) -> emit -> writes x + 1 under x. */
static const char COUNTER[] =
    HEAD "nodes:\n"
         "  go:   {impl: context_bool_source@*, params: {key: go}}\n"
         "  yes:  {impl: not@*}\n"
         "  emit: {impl: emit_if_true@*}\n"
         "  x:    {impl: context_number_source@*, params: {key: x}}\n"
         "  one:  {impl: number_source@*, params: {value: 1.0}}\n"
         "  sum:  {impl: add@*}\n"
         "  set:  {impl: context_set_number@*, params: {key: x}}\n"
         "edges:\n"
         "  - go.value -> yes.value\n"
         "  - yes.result -> emit.input\n"
         "  - x.value -> sum.a\n"
         "  - one.value -> sum.b\n"
         "  - emit.event -> set.event\n"
         "  - sum.result -> set.value\n";

static void s1_a_pass_begins_and_ends_and_runs_every_node_once(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, COUNTER);
    assert_int_equal(gt_run(t, "e1"), GR_OK);
    assert_int_equal(t->episode->ran, t->graph->node_count);
    gt_end(t);
}

static void every_slot_has_the_type_of_its_output(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, COUNTER);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < t->graph->node_count; i++) {
        const gr_node *n = &t->graph->nodes[i];
        const gr_manifest *m = &n->primitive->manifest;
        for (uint32_t k = 0; k < m->output_count; k++, seen++) {
            assert_int_equal(t->graph->slot_types[n->slot + k], m->outputs[k].type);
        }
    }
    assert_true(seen > 1 && seen <= t->graph->slot_count);
    gt_end(t);
}

static void s1_no_node_sees_an_effect_of_its_own_pass(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, COUNTER);
    gt_set(t, "x", gr_number(5));
    assert_int_equal(gt_run(t, "e1"), GR_OK);
    assert_true(gt_value(t, "x", "value")->as.number == 5);
    assert_string_equal(gt_effects(t),
                        "{\"kind\":\"set_context\",\"writes\":[{\"key\":\"x\","
                        "\"value\":{\"Number\":6.0}}]}");
    /* Again over the same snapshot: nothing was applied. */
    assert_int_equal(gt_run(t, "e2"), GR_OK);
    assert_true(gt_value(t, "sum", "result")->as.number == 6);
    gt_end(t);
}

static void s2_a_cycle_is_refused_before_anything_runs(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_false(gt_load(t,
                         HEAD "nodes: {a: {impl: abs@*}, b: {impl: abs@*}}\n"
                              "edges: [a.result -> b.value, b.result -> a.value]\n"));
    assert_string_equal(gt_codes(t), "V.1");
    assert_true(mt_str_eq(t->ds.items[0].message,
                          MT_STR("the graph has a cycle: b <- a <- b")));
    gt_end(t);
}

static void s2_a_node_that_feeds_itself_is_a_cycle(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_false(gt_load(t, HEAD "nodes: {a: {impl: abs@*}}\n"
                                 "edges: [a.result -> a.value]\n"));
    assert_string_equal(gt_codes(t), "V.1");
    gt_end(t);
}

static uint32_t place(gt *t, const char *path)
{
    return (uint32_t)gr_graph_node(t->graph, mt_str_z(path));
}

static void s3_order_follows_dependencies_not_kinds(void **state)
{
    (void)state;
    gt *t = gt_begin();
    /* Names sort against the flow, so only the edges can explain the order. */
    gt_must_load(t, HEAD
                 "nodes:\n"
                 "  z: {impl: number_source@*}\n"
                 "  y: {impl: gte@*}\n"
                 "  x: {impl: emit_if_true@*}\n"
                 "  w: {impl: const_bool@*, params: {value: true}}\n"
                 "  v: {impl: emit_if_event_and_true@*}\n"
                 "  u: {impl: ack_action@*}\n"
                 "edges: [z.value -> y.a, z.value -> y.b, y.result -> x.input,\n"
                 "  x.event -> v.event, w.value -> v.condition, v.event -> u.event]\n");
    assert_true(place(t, "z") < place(t, "y"));
    assert_true(place(t, "y") < place(t, "x"));
    assert_true(place(t, "x") < place(t, "v"));
    assert_true(place(t, "w") < place(t, "v"));
    assert_true(place(t, "v") < place(t, "u"));
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_int_equal(gt_event(t, "u", "outcome"), GR_COMPLETED);
    gt_end(t);
}

static void s3_ties_are_broken_by_the_text_of_the_id(void **state)
{
    (void)state;
    gt *t = gt_begin();
    mt_buf text = {0};
    mt_buf_addz(&text, HEAD "nodes:\n");
    for (int i = 0; i < 12; i++) {
        mt_buf_addf(&text, "  a%02d: {impl: number_source@*}\n", i);
    }
    mt_buf_addc(&text, '\0');
    gt_must_load(t, text.ptr);
    static const char *const WANT[] = {"n0", "n1", "n10", "n11", "n2", "n3",
                                       "n4", "n5", "n6",  "n7",  "n8", "n9"};
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(mt_str_eq(t->graph->nodes[i].id, mt_str_z(WANT[i])));
    }
    mt_buf_free(&text);
    gt_end(t);
}

static void s4_events_travel_like_values_within_one_pass(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, HEAD "nodes:\n"
                         "  yes: {impl: const_bool@*, params: {value: true}}\n"
                         "  no:  {impl: const_bool@*, params: {value: false}}\n"
                         "  t1:  {impl: emit_if_true@*}\n"
                         "  t2:  {impl: emit_if_event_and_true@*}\n"
                         "  t3:  {impl: emit_if_event_and_true@*}\n"
                         "edges: [yes.value -> t1.input, t1.event -> t2.event, "
                         "yes.value -> t2.condition,\n"
                         "  t2.event -> t3.event, no.value -> t3.condition]\n");
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_int_equal(gt_event(t, "t1", "event"), GR_EMITTED);
    assert_int_equal(gt_event(t, "t2", "event"), GR_EMITTED);
    assert_int_equal(gt_event(t, "t3", "event"), GR_NOT_EMITTED);
    gt_end(t);
}

static void s4_an_action_feeds_nothing(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_false(gt_load(
        t, HEAD
        "nodes:\n"
        "  yes: {impl: const_bool@*, params: {value: true}}\n"
        "  t:   {impl: emit_if_true@*}\n"
        "  a:   {impl: ack_action@*}\n"
        "  b:   {impl: ack_action@*}\n"
        "edges: [yes.value -> t.input, t.event -> a.event, a.outcome -> b.event]\n"));
    assert_true(gt_has_code(t, "V.2"));
    gt_end(t);
}

static void s5_1_a_trigger_depends_on_the_present_inputs_only(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, COUNTER);
    static const bool SEQUENCE[] = {true, false, false, true, false};
    for (size_t i = 0; i < 5; i++) {
        gt_set(t, "go", gr_bool(SEQUENCE[i]));
        assert_int_equal(gt_run(t, "e"), GR_OK);
        assert_int_equal(gt_event(t, "emit", "event"),
                         SEQUENCE[i] ? GR_NOT_EMITTED : GR_EMITTED);
    }
    gt_end(t);
}

static void s5_2_and_5_3_nothing_of_a_pass_survives_into_the_next(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, COUNTER);
    gt_set(t, "x", gr_number(41));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    const char *first = gt_effects(t);
    gt_set(t, "x", gr_number(7));
    gt_set(t, "go", gr_bool(true));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    gt_clear(t);
    gt_set(t, "x", gr_number(41));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_string_equal(gt_effects(t), first);
    gt_end(t);
}

static void s5_4_memory_passes_only_through_the_store(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, COUNTER);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(gt_episode(t, "e"), GR_OK);
        assert_true(gt_value(t, "sum", "result")->as.number == i);
    }
    gt_clear(t); /* the store forgets, and so does the graph */
    assert_int_equal(gt_episode(t, "e"), GR_OK);
    assert_true(gt_value(t, "sum", "result")->as.number == 1);
    gt_end(t);
}

static void s5_trigger_chains_are_allowed_and_cycles_of_them_are_not(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_false(gt_load(t, HEAD
                         "nodes:\n"
                         "  yes: {impl: const_bool@*, params: {value: true}}\n"
                         "  a: {impl: emit_if_event_and_true@*}\n"
                         "  b: {impl: emit_if_event_and_true@*}\n"
                         "edges: [yes.value -> a.condition, yes.value -> b.condition,\n"
                         "  a.event -> b.event, b.event -> a.event]\n"));
    assert_string_equal(gt_codes(t), "V.1");
    gt_end(t);
}

/* Two gates, one payload; every gate must be open. */
static const char TWO_GATES[] =
    HEAD "nodes:\n"
         "  a:  {impl: context_bool_source@*, params: {key: a}}\n"
         "  b:  {impl: context_bool_source@*, params: {key: b}}\n"
         "  na: {impl: not@*}\n"
         "  nb: {impl: not@*}\n"
         "  ta: {impl: emit_if_true@*}\n"
         "  tb: {impl: emit_if_true@*}\n"
         "  do: {impl: both@*}\n"
         "edges: [a.value -> na.value, b.value -> nb.value, na.result -> ta.input,\n"
         "  nb.result -> tb.input, ta.event -> do.first, tb.event -> do.second,\n"
         "  a.value -> do.value]\n";
static const char BOTH[] =
    "kind: action\nid: both\nversion: 1.0.0\n"
    "inputs: [{name: first, type: event}, {name: second, type: event, required: "
    "false},\n"
    "  {name: value, type: bool}, {name: extra, type: number, required: false}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "effects: {writes: [{name: k, type: bool, from_input: value}]}\n";

static void s6_1_an_action_with_several_gates_needs_all_of_them(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t, BOTH));
    gt_must_load(t, TWO_GATES);
    for (int i = 0; i < 4; i++) {
        gt_set(t, "a", gr_bool(i & 1));
        gt_set(t, "b", gr_bool(i & 2));
        assert_int_equal(gt_run(t, "e"), GR_OK);
        assert_int_equal(gt_event(t, "do", "outcome"),
                         i == 0 ? GR_ATTEMPTED : GR_SKIPPED);
        assert_int_equal(t->episode->effect_count, i == 0);
    }
    gt_end(t);
}

static void s6_2_each_action_gives_one_outcome_per_pass_also_when_skipped(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(
        t, HEAD
        "nodes:\n"
        "  yes: {impl: const_bool@*, params: {value: true}}\n"
        "  no:  {impl: const_bool@*, params: {value: false}}\n"
        "  ty:  {impl: emit_if_true@*}\n"
        "  tn:  {impl: emit_if_true@*}\n"
        "  done: {impl: ack_action@*}\n"
        "  rejected: {impl: ack_action@*, params: {accept: false}}\n"
        "  noted: {impl: annotate_action@*, params: {note: why}}\n"
        "  skipped: {impl: ack_action@*}\n"
        "edges: [yes.value -> ty.input, no.value -> tn.input, ty.event -> done.event,\n"
        "  ty.event -> rejected.event, ty.event -> noted.event, tn.event -> "
        "skipped.event]\n");
    assert_int_equal(gt_run(t, NULL), GR_OK);
    assert_int_equal(t->graph->action_count, 4);
    assert_int_equal(gt_event(t, "done", "outcome"), GR_COMPLETED);
    assert_int_equal(gt_event(t, "rejected", "outcome"), GR_REJECTED);
    assert_int_equal(gt_event(t, "noted", "outcome"), GR_ATTEMPTED);
    assert_int_equal(gt_event(t, "skipped", "outcome"), GR_SKIPPED);
    gt_end(t);
}

static const char ORDER[] =
    "kind: action\nid: order\nversion: 1.0.0\n"
    "inputs: [{name: event, type: event}, {name: qty, type: number}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "parameters: [{name: side, type: string, default: buy}]\n"
    "effects:\n"
    "  writes: [{name: last, type: number, from_input: qty}]\n"
    "  intents:\n"
    "    - name: place_order\n"
    "      fields: [{name: amount, type: number, from_input: qty}, {name: way, type: "
    "string, from_param: side}]\n"
    "      mirror_writes: [{name: mirror_amount, type: number, from_field: amount}, "
    "{name: mirror_way, type: string, from_field: way}]\n"
    "    - name: notify\n"
    "      fields: [{name: amount, type: number, from_input: qty}]\n";
static const char ORDERS[] =
    HEAD "nodes:\n"
         "  yes: {impl: const_bool@*, params: {value: true}}\n"
         "  t:   {impl: emit_if_true@*}\n"
         "  q:   {impl: context_number_source@*, params: {key: q}}\n"
         "  buy: {impl: order@*}\n"
         "edges: [yes.value -> t.input, t.event -> buy.event, q.value -> buy.qty]\n";

static void s6_2_effects_come_from_the_manifest_writes_first_then_mirrors(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t, ORDER));
    gt_must_load(t, ORDERS);
    gt_set(t, "q", gr_number(2.5));
    assert_int_equal(gt_run(t, "evt1"), GR_OK);
    assert_int_equal(t->episode->effect_count, 3);
    char id[2][GR_INTENT_ID_LEN + 1] = {{0}};
    gr_intent_id_of(MT_STR("g"), MT_STR("evt1"), MT_STR("n0"), MT_STR("place_order"), 0,
                    id[0]);
    gr_intent_id_of(MT_STR("g"), MT_STR("evt1"), MT_STR("n0"), MT_STR("notify"), 1,
                    id[1]);
    mt_str want =
        mt_strf(&t->arena,
                "{\"kind\":\"set_context\",\"writes\":[{\"key\":\"last\",\"value\":{"
                "\"Number\":2.5}},"
                "{\"key\":\"mirror_amount\",\"value\":{\"Number\":2.5}},"
                "{\"key\":\"mirror_way\",\"value\":{\"String\":\"buy\"}}]}"
                "{\"kind\":\"place_order\",\"writes\":[],\"intents\":[{\"kind\":"
                "\"place_order\","
                "\"intent_id\":\"%s\",\"fields\":[{\"name\":\"amount\",\"value\":{"
                "\"Number\":2.5}},"
                "{\"name\":\"way\",\"value\":{\"String\":\"buy\"}}]}]}"
                "{\"kind\":\"notify\",\"writes\":[],\"intents\":[{\"kind\":\"notify\","
                "\"intent_id\":\"%s\",\"fields\":[{\"name\":\"amount\",\"value\":{"
                "\"Number\":2.5}}]}]}",
                id[0], id[1]);
    assert_string_equal(gt_effects(t), want.ptr);
    gt_end(t);
}

static void s6_2_intents_without_an_event_id_are_refused(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t, ORDER));
    gt_must_load(t, ORDERS);
    assert_int_equal(gt_run(t, NULL), GR_FAULT_METADATA_REQUIRED);
    assert_string_equal(gr_fault_rule(t->episode->fault.code), "GW-EFX-META-1");
    gt_end(t);
}

static void s6_3_an_id_depends_on_event_and_place_not_on_values(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t, ORDER));
    gt_must_load(t, ORDERS);
    char first[GR_INTENT_ID_LEN];
    gt_set(t, "q", gr_number(1));
    assert_int_equal(gt_run(t, "evt1"), GR_OK);
    memcpy(first, t->episode->effects[1].intent->id, sizeof first);
    gt_set(t, "q", gr_number(2));
    assert_int_equal(gt_run(t, "evt1"), GR_OK);
    assert_memory_equal(first, t->episode->effects[1].intent->id, sizeof first);
    assert_int_equal(gt_run(t, "a longer event id than before"), GR_OK);
    assert_memory_not_equal(first, t->episode->effects[1].intent->id, sizeof first);
    gt_end(t);
}

static void s6_3_kinds_a_graph_can_emit_are_known_before_it_runs(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t, ORDER));
    gt_must_load(t, ORDERS);
    assert_int_equal(t->graph->effect_kind_count, 3);
    assert_true(mt_str_is(t->graph->effect_kinds[0], "set_context"));
    assert_true(mt_str_is(t->graph->effect_kinds[1], "notify"));
    assert_true(mt_str_is(t->graph->effect_kinds[2], "place_order"));
    gt_end(t);
}

static void s6_4_cross_episode_flow_is_never_an_edge(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, COUNTER);
    for (uint32_t i = 0; i < t->graph->node_count; i++) {
        const gr_node *n = &t->graph->nodes[i];
        for (uint32_t k = 0; k < n->primitive->manifest.input_count; k++) {
            assert_true(n->inputs[k] < n->slot); /* every input is earlier */
        }
    }
    gt_end(t);
}

static void s6_5_payload_edges_never_gate(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_false(gt_load(t, HEAD "nodes:\n"
                                 "  v: {impl: number_source@*}\n"
                                 "  s: {impl: context_set_number@*, params: {key: k}}\n"
                                 "edges: [v.value -> s.value]\n"));
    assert_true(gt_has_code(t, "V.5"));
    gt_end(t);
}

static void s6_5_every_scalar_type_can_be_a_payload(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(
        t,
        HEAD "nodes:\n"
             "  yes: {impl: const_bool@*, params: {value: true}}\n"
             "  t:  {impl: emit_if_true@*}\n"
             "  n:  {impl: number_source@*, params: {value: -0.0}}\n"
             "  s:  {impl: string_source@*, params: {value: hi}}\n"
             "  l:  {impl: context_series_source@*, params: {key: l}}\n"
             "  a1: {impl: context_set_number@*, params: {key: kn}}\n"
             "  a2: {impl: context_set_bool@*, params: {key: kb}}\n"
             "  a3: {impl: context_set_string@*, params: {key: ks}}\n"
             "  a4: {impl: context_set_series@*, params: {key: kl}}\n"
             "edges: [yes.value -> t.input, t.event -> a1.event, t.event -> a2.event,\n"
             "  t.event -> a3.event, t.event -> a4.event, n.value -> a1.value,\n"
             "  yes.value -> a2.value, s.value -> a3.value, l.value -> a4.value]\n");
    double l[] = {1, 2};
    gt_set(t, "l", gr_series(l, 2));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_string_equal(gt_effects(t), "{\"kind\":\"set_context\",\"writes\":[{\"key\":"
                                       "\"kn\",\"value\":{\"Number\":-0.0}}]}"
                                       "{\"kind\":\"set_context\",\"writes\":[{\"key\":"
                                       "\"kb\",\"value\":{\"Bool\":true}}]}"
                                       "{\"kind\":\"set_context\",\"writes\":[{\"key\":"
                                       "\"ks\",\"value\":{\"String\":\"hi\"}}]}"
                                       "{\"kind\":\"set_context\",\"writes\":[{\"key\":"
                                       "\"kl\",\"value\":{\"Series\":[1.0,2.0]}}]}");
    gt_end(t);
}

/* It would abort each pass that gets there, so it is not loaded at all. */
static void s6_5_FG15_a_write_whose_optional_payload_is_missing(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(
        t, "kind: action\nid: loose\nversion: 1.0.0\n"
           "inputs: [{name: event, type: event}, {name: v, type: number, required: "
           "false}]\n"
           "outputs: [{name: outcome, type: event}]\n"
           "effects: {writes: [{name: k, type: number, from_input: v}]}\n"));
    assert_false(gt_load(
        t,
        HEAD "nodes:\n"
             "  g: {impl: context_bool_source@*, params: {key: g}}\n"
             "  n: {impl: not@*}\n"
             "  t: {impl: emit_if_true@*}\n"
             "  a: {impl: loose@*}\n"
             "edges: [g.value -> n.value, n.result -> t.input, t.event -> a.event]\n"));
    assert_string_equal(gt_codes(t), "V.3");
    gt_end(t);
}

static void s7_actions_act_in_topological_order_with_ties_by_id(void **state)
{
    (void)state;
    gt *t = gt_begin();
    mt_buf text = {0};
    mt_buf_addz(&text,
                HEAD "nodes:\n  yes: {impl: const_bool@*, params: {value: true}}\n"
                     "  t: {impl: emit_if_true@*}\n");
    for (int i = 0; i < 11; i++) {
        mt_buf_addf(
            &text, "  a%02d: {impl: context_set_bool@*, params: {key: k%02d}}\n", i, i);
    }
    mt_buf_addz(&text, "edges:\n  - yes.value -> t.input\n");
    for (int i = 0; i < 11; i++) {
        mt_buf_addf(&text, "  - t.event -> a%02d.event\n  - yes.value -> a%02d.value\n",
                    i, i);
    }
    mt_buf_addc(&text, '\0');
    gt_must_load(t, text.ptr);
    assert_int_equal(gt_run(t, "e"), GR_OK);
    static const char *const WANT[] = {"k00", "k01", "k10", "k02", "k03", "k04",
                                       "k05", "k06", "k07", "k08", "k09"};
    for (uint32_t i = 0; i < 11; i++) {
        assert_true(mt_str_eq(t->episode->effects[i].writes[0].key, mt_str_z(WANT[i])));
    }
    mt_buf_free(&text);
    gt_end(t);
}

static void s7_an_outcome_never_aborts_and_still_has_its_effects(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(
        gt_manifest(t, "kind: action\nid: fails\nversion: 1.0.0\noutcome: Failed\n"
                       "inputs: [{name: event, type: event}, {name: v, type: bool}]\n"
                       "outputs: [{name: outcome, type: event}]\n"
                       "effects: {writes: [{name: k, type: bool, from_input: v}]}\n"));
    gt_must_load(t, HEAD "nodes:\n"
                         "  yes: {impl: const_bool@*, params: {value: true}}\n"
                         "  t: {impl: emit_if_true@*}\n"
                         "  a: {impl: fails@*}\n"
                         "  b: {impl: ack_action@*}\n"
                         "edges: [yes.value -> t.input, t.event -> a.event, yes.value "
                         "-> a.v, t.event -> b.event]\n");
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_int_equal(gt_event(t, "a", "outcome"), GR_FAILED);
    assert_int_equal(gt_event(t, "b", "outcome"), GR_COMPLETED);
    assert_int_equal(t->episode->effect_count, 1);
    gt_end(t);
}

/* An action early in the order, a division by zero late. */
static void s7_an_abort_drops_all_effects_and_runs_nothing_more(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(
        t, HEAD
        "nodes:\n"
        "  a_yes: {impl: const_bool@*, params: {value: true}}\n"
        "  b_t:   {impl: emit_if_true@*}\n"
        "  c_set: {impl: context_set_bool@*, params: {key: k}}\n"
        "  d_num: {impl: context_number_source@*, params: {key: d}}\n"
        "  e_div: {impl: divide@*}\n"
        "  f_set: {impl: context_set_number@*, params: {key: l}}\n"
        "edges: [a_yes.value -> b_t.input, b_t.event -> c_set.event, a_yes.value -> "
        "c_set.value,\n"
        "  d_num.value -> e_div.a, d_num.value -> e_div.b, b_t.event -> f_set.event,\n"
        "  e_div.result -> f_set.value]\n");
    gt_set(t, "d", gr_number(1));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_int_equal(t->episode->effect_count, 2);
    gt_set(t, "d", gr_number(0));
    assert_int_equal(gt_run(t, "e"), GR_FAULT_COMPUTE_FAILED);
    assert_string_equal(t->episode->fault.detail, "DivisionByZero");
    assert_string_equal(gr_fault_rule(GR_FAULT_COMPUTE_FAILED), "CMP-12");
    assert_int_equal(gr_fault_class_of(GR_FAULT_COMPUTE_FAILED), GR_FAULT_SEMANTIC);
    assert_int_equal(t->episode->effect_count, 0);
    assert_int_equal(t->episode->ran, place(t, "e_div"));
    assert_true(place(t, "c_set") < place(t, "e_div"));
    assert_true(gr_fault_text(&t->arena, t->episode).len > 0);
    gt_set(t, "d", gr_number(2)); /* the next pass is whole again */
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_int_equal(t->episode->effect_count, 2);
    gt_end(t);
}

static void s8_equal_inputs_give_equal_bytes(void **state)
{
    (void)state;
    gt *t = gt_begin(), *u = gt_begin();
    gt_must_load(t, COUNTER);
    gt_must_load(u, COUNTER);
    gt_set(t, "x", gr_number(0.1));
    gt_set(u, "x", gr_number(0.1));
    assert_int_equal(gt_run(t, "e"), GR_OK);
    assert_int_equal(gt_run(u, "e"), GR_OK);
    assert_string_equal(gt_effects(t), gt_effects(u));
    assert_string_equal(gt_effects(t),
                        "{\"kind\":\"set_context\",\"writes\":[{\"key\":\"x\","
                        "\"value\":{\"Number\":1.1}}]}");
    gt_end(t);
    gt_end(u);
}

static void s8_yaml_and_json_of_one_graph_have_one_identity(void **state)
{
    (void)state;
    gt *t = gt_begin(), *u = gt_begin();
    gt_must_load(t,
                 HEAD "nodes: {a: {impl: number_source@^0.1, params: {value: 1.5}}}\n");
    gt_must_load(
        u, "{\"kind\":\"cluster\",\"id\":\"g\",\"version\":\"1.0.0\",\"nodes\":{\"a\":"
           "{\"impl\":\"number_source@^0.1\",\"params\":{\"value\":1.5}}}}");
    assert_true(mt_str_eq(t->graph->provenance, u->graph->provenance));
    gt_end(t);
    gt_end(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s1_a_pass_begins_and_ends_and_runs_every_node_once),
        cmocka_unit_test(every_slot_has_the_type_of_its_output),
        cmocka_unit_test(s1_no_node_sees_an_effect_of_its_own_pass),
        cmocka_unit_test(s2_a_cycle_is_refused_before_anything_runs),
        cmocka_unit_test(s2_a_node_that_feeds_itself_is_a_cycle),
        cmocka_unit_test(s3_order_follows_dependencies_not_kinds),
        cmocka_unit_test(s3_ties_are_broken_by_the_text_of_the_id),
        cmocka_unit_test(s4_events_travel_like_values_within_one_pass),
        cmocka_unit_test(s4_an_action_feeds_nothing),
        cmocka_unit_test(s5_1_a_trigger_depends_on_the_present_inputs_only),
        cmocka_unit_test(s5_2_and_5_3_nothing_of_a_pass_survives_into_the_next),
        cmocka_unit_test(s5_4_memory_passes_only_through_the_store),
        cmocka_unit_test(s5_trigger_chains_are_allowed_and_cycles_of_them_are_not),
        cmocka_unit_test(s6_1_an_action_with_several_gates_needs_all_of_them),
        cmocka_unit_test(s6_2_each_action_gives_one_outcome_per_pass_also_when_skipped),
        cmocka_unit_test(s6_2_effects_come_from_the_manifest_writes_first_then_mirrors),
        cmocka_unit_test(s6_2_intents_without_an_event_id_are_refused),
        cmocka_unit_test(s6_3_an_id_depends_on_event_and_place_not_on_values),
        cmocka_unit_test(s6_3_kinds_a_graph_can_emit_are_known_before_it_runs),
        cmocka_unit_test(s6_4_cross_episode_flow_is_never_an_edge),
        cmocka_unit_test(s6_5_payload_edges_never_gate),
        cmocka_unit_test(s6_5_every_scalar_type_can_be_a_payload),
        cmocka_unit_test(s6_5_FG15_a_write_whose_optional_payload_is_missing),
        cmocka_unit_test(s7_actions_act_in_topological_order_with_ties_by_id),
        cmocka_unit_test(s7_an_outcome_never_aborts_and_still_has_its_effects),
        cmocka_unit_test(s7_an_abort_drops_all_effects_and_runs_nothing_more),
        cmocka_unit_test(s8_equal_inputs_give_equal_bytes),
        cmocka_unit_test(s8_yaml_and_json_of_one_graph_have_one_identity),
    };
    return cmocka_run_group_tests_name("graph/model", tests, NULL, NULL);
}
