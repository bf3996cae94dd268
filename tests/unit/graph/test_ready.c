/* The ready-made clusters over sequences of episodes; memory only through the context.
 * A sequence is a text with one character per episode: input 1 or 0 (or a digit), and
 * the expected event, ! or '.'. */
#include "graph_test.h"

#define HEAD "kind: cluster\nid: main\nversion: 1.0.0\nnodes:\n"
#define CONDITION                                                                      \
    "  c: {impl: context_bool_source@*, params: {key: c}}\n"                           \
    "  now: {impl: context_number_source@*, params: {key: now}}\n"                     \
    "  ack: {impl: ack_action@*}\n"

static const struct row {
    const char *name, *use, *input, *reset, *times, *want;
} ROWS[] = {
    {"once fires the first time only", "once@1", "00101101", NULL, NULL, "..!....."},
    {"edge_rising fires when it becomes true", "edge_rising@1", "01101001", NULL, NULL,
     ".!..!..!"},
    {"edge_rising fires at once when it starts true", "edge_rising@1", "1101", NULL,
     NULL, "!..!"},
    {"edge_falling fires when it becomes false", "edge_falling@1", "01101001", NULL,
     NULL, "...!.!.."},
    {"edge_falling does not fire at the start", "edge_falling@1", "0010", NULL, NULL,
     "...!"},
    {"latch holds until reset, reset wins", "latch@1", "01000100", "00010110", NULL,
     ".!!....."},
    {"latch can be set again", "latch@1", "10010", "00100", NULL, "!!.!!"},
    {"count fires each time", "count@1", "0110", NULL, NULL, ".!!."},
    {"debounce waits until it held long enough", "debounce@1, params: {delay: 3}",
     "111110111111", NULL, "0123456789ab", "...!.....!.."},
    {"debounce starts over after a break", "debounce@1, params: {delay: 2}",
     "110110111", NULL, "012345678", "........!"},
    {"debounce with no delay fires at once, once per stretch",
     "debounce@1, params: {delay: 0}", "110110", NULL, "012345", "!..!.."},
    {"debounce measures time, not episodes", "debounce@1, params: {delay: 3}", "111",
     NULL, "059", ".!."},
    {"throttle lets one through per interval", "throttle@1, params: {interval: 3}",
     "11111110", NULL, "01234567", "!..!..!."},
    {"throttle fires the first time whatever the clock says",
     "throttle@1, params: {interval: 100}", "0110", NULL, "1234", ".!.."},
    {"throttle measures from the last one let through",
     "throttle@1, params: {interval: 3}", "101101", NULL, "014578", "!.!..!"},
};

static double digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

static void sequence(void **state)
{
    const struct row *r = *state;
    gt *t = gt_begin();
    const char *inputs = r->reset ? "edges: [c.value -> x.set, r.value -> x.reset, "
                         : r->times
                             ? "edges: [c.value -> x.condition, now.value -> x.now, "
                             : "edges: [c.value -> x.condition, ";
    gt_must_load(t, mt_strf(&t->arena,
                            HEAD CONDITION
                            "  r: {impl: context_bool_source@*, params: {key: r}}\n"
                            "  x: {cluster: %s}\n%sx.event -> ack.event]\n",
                            r->use, inputs)
                        .ptr);
    for (size_t i = 0; r->input[i]; i++) {
        gt_set(t, "c", gr_bool(r->input[i] == '1'));
        gt_set(t, "r", gr_bool(r->reset && r->reset[i] == '1'));
        gt_set(t, "now", gr_number(r->times ? digit(r->times[i]) : 0));
        assert_int_equal(gt_episode(t, "e"), GR_OK);
        bool fired = gt_event(t, "ack", "outcome") == GR_COMPLETED;
        if (fired != (r->want[i] == '!')) {
            fail_msg("episode %zu: %s", i, fired ? "fired" : "did not fire");
        }
    }
    for (uint32_t i = 0; i < t->graph->written_count; i++) {
        assert_true(t->graph->written[i].derived);
    }
    gt_end(t);
}

static void count_knows_its_total(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, HEAD CONDITION
                 "  x: {cluster: count@1}\n"
                 "edges: [c.value -> x.condition, x.event -> ack.event]\n"
                 "outputs: {total: x.total}\n");
    static const char INPUT[] = "0110101", TOTAL[] = "0122334";
    for (size_t i = 0; INPUT[i]; i++) {
        gt_set(t, "c", gr_bool(INPUT[i] == '1'));
        assert_int_equal(gt_episode(t, "e"), GR_OK);
        assert_true(t->episode->slots[t->graph->outputs[0].slot].as.number ==
                    digit(TOTAL[i]));
    }
    gt_end(t);
}

static void hysteresis_keeps_its_state_between_the_levels(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(t, HEAD CONDITION
                 "  x: {cluster: hysteresis@1, params: {low: 3, high: 6}}\n"
                 "edges: [now.value -> x.value, x.event -> ack.event]\n"
                 "outputs: {on: x.state}\n");
    static const char VALUE[] = "0567543256", ON[] = "0011110001";
    for (size_t i = 0; VALUE[i]; i++) {
        gt_set(t, "now", gr_number(digit(VALUE[i])));
        assert_int_equal(gt_episode(t, "e"), GR_OK);
        assert_int_equal(t->episode->slots[t->graph->outputs[0].slot].as.boolean,
                         ON[i] == '1');
        assert_int_equal(gt_event(t, "ack", "outcome"),
                         ON[i] == '1' ? GR_COMPLETED : GR_SKIPPED);
    }
    gt_end(t);
}

static void two_uses_of_a_cluster_do_not_share_memory(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gt_must_load(
        t, HEAD CONDITION
        "  d: {impl: context_bool_source@*, params: {key: d}}\n"
        "  x: {cluster: once@1}\n  y: {cluster: once@1}\n  ack2: {impl: ack_action@*}\n"
        "edges: [c.value -> x.condition, d.value -> y.condition,\n"
        "  x.event -> ack.event, y.event -> ack2.event]\n");
    gt_set(t, "c", gr_bool(true));
    assert_int_equal(gt_episode(t, "e"), GR_OK);
    assert_int_equal(gt_event(t, "ack", "outcome"), GR_COMPLETED);
    assert_int_equal(gt_event(t, "ack2", "outcome"), GR_SKIPPED);
    gt_set(t, "d", gr_bool(true));
    assert_int_equal(gt_episode(t, "e"), GR_OK);
    assert_int_equal(gt_event(t, "ack", "outcome"), GR_SKIPPED);
    assert_int_equal(gt_event(t, "ack2", "outcome"), GR_COMPLETED);
    gt_end(t);
}

static void a_file_of_the_same_name_hides_a_ready_made_cluster(void **state)
{
    (void)state;
    static const gr_text MINE[] = {
        {MT_STR_INIT("once.yaml"),
         MT_STR_INIT("kind: cluster\nid: once\nversion: 7.0.0\n"
                     "inputs: [{name: condition, type: bool}]\n"
                     "nodes: {n: {impl: not@*}, e: {impl: emit_if_true@*}}\n"
                     "edges: [$condition -> n.value, n.result -> e.input]\n"
                     "outputs: {event: e.event}\n")}};
    gt *t = gt_begin();
    t->files = MINE;
    t->file_count = 1;
    gt_must_load(t, HEAD CONDITION
                 "  x: {cluster: once@7}\n"
                 "edges: [c.value -> x.condition, x.event -> ack.event]\n");
    assert_int_equal(gt_episode(t, "e"), GR_OK);
    assert_int_equal(gt_event(t, "ack", "outcome"), GR_COMPLETED);
    gt_end(t);
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

int main(void)
{
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(count_knows_its_total),
        cmocka_unit_test(hysteresis_keeps_its_state_between_the_levels),
        cmocka_unit_test(two_uses_of_a_cluster_do_not_share_memory),
        cmocka_unit_test(a_file_of_the_same_name_hides_a_ready_made_cluster),
    };
    struct CMUnitTest rows[COUNT(ROWS)];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        rows[i] = (struct CMUnitTest){ROWS[i].name, sequence, NULL, NULL,
                                      (void *)(uintptr_t)&ROWS[i]};
    }
    int bad = cmocka_run_group_tests_name("graph/ready", rows, NULL, NULL);
    return bad + cmocka_run_group_tests_name("graph/ready more", fixed, NULL, NULL);
}
