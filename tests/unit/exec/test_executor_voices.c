/* Graphs and agents behind the executor, on every store: one ledger for all of them. */
#include "exec_fixture.h"

#include "base/yaml_read.h"

#ifndef EXAMPLES
#define EXAMPLES "examples" /* the build gives the full path */
#endif
#define CROSSOVER EXAMPLES "/crossover/"

static mt_arena arena;

CALLER(DRIVER, "tok-driver", LIST(T("nobody")),
       LIST(T("graphs:fx"), T("agents:seller")));

static ex_executor_options with_voices(void)
{
    static const char SETTINGS[] =
        "graphs:\n"
        "  fx:\n"
        "    graph: " CROSSOVER "crossover.yaml\n"
        "    adapter: " CROSSOVER "adapter.yaml\n"
        "    egress: " CROSSOVER "egress.yaml\n"
        "agents:\n"
        "  seller: {file: " EXAMPLES "/agents/seller.yaml}\n";
    mt_json *tree = mt_new(&arena, mt_json);
    assert_fine(mt_yaml_read(&arena, mt_str_z(SETTINGS), NULL, tree, NULL));
    return (ex_executor_options){.settings = tree};
}

static const char PRICE[] = "{\"id\":\"e1\",\"semantic_kind\":\"price\",\"payload\":"
                            "{\"close\":1.1,\"spread\":0.0001}}";

static void an_event_is_an_episode_with_a_record(void **state)
{
    ex_executor_options o = with_voices();
    desk d = desk_open(state, NULL, &o);
    const mt_json *r = ask(&d, &DRIVER, EX_GRAPH_EVENT, "fx", "", PRICE);
    expect(&d, 200);
    assert_at(r, "decision", "Invoke");
    assert_at(r, "termination", "Completed");
    assert_int_equal(records(&d, "episode"), 1);
    ask(&d, &DRIVER, EX_GRAPH_EVENT, "fx", "", PRICE);
    expect(&d, 422);
    assert_int_equal(records(&d, "episode"), 1);
    ask(&d, &DRIVER, EX_CAPTURE_GET, "fx", "fx.000001", "");
    expect(&d, 200);
    ask(&d, &DRIVER, EX_CAPTURE_GET, "fx", "other.000001", "");
    expect(&d, 404);
    r = ask(&d, &DRIVER, EX_GRAPH_CONTEXT, "fx", "", "");
    expect(&d, 200);
    assert_at(r, "context.history.Series.0", "1.1");
    d = desk_again(state, &d, &o);
    r = ask(&d, &DRIVER, EX_GRAPH_EVENT, "fx", "",
            "{\"id\":\"e2\",\"semantic_kind\":\"price\",\"payload\":"
            "{\"close\":1.2,\"spread\":0.0001}}");
    expect(&d, 200);
    assert_at(r, "number", "1");
    r = ask(&d, &DRIVER, EX_GRAPH_CONTEXT, "fx", "", "");
    assert_at(r, "context.history.Series.1", "1.2");
    desk_close(&d);
}

static void nobody_runs_a_graph_without_the_right(void **state)
{
    ex_executor_options o = with_voices();
    desk d = desk_open(state, NULL, &o);
    static const ex_action ACTIONS[] = {EX_GRAPH_EVENT, EX_GRAPH_CONTEXT, EX_GRAPH_KEYS,
                                        EX_CAPTURE_LIST, EX_CAPTURE_GET};
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS; i++) {
        ask(&d, &SELLER, ACTIONS[i], "fx", "fx.000001", PRICE);
        expect(&d, 403);
        ask(&d, &DRIVER, ACTIONS[i], "none", "fx.000001", PRICE);
        expect(&d, 404);
    }
    ask(&d, &SELLER, EX_AGENT_MESSAGE, "seller", "", "{}");
    expect(&d, 403);
    assert_int_equal(records(&d, "episode"), 0);
    desk_close(&d);
}

static void broken_events_are_refused_with_a_reason(void **state)
{
    ex_executor_options o = with_voices();
    desk d = desk_open(state, NULL, &o);
    static const struct {
        const char *body;
        int status;
    } ROWS[] = {
        {"", 400},
        {"[]", 400},
        {"{\"surplus\":1}", 400},
        {"{\"kind\":\"Nonsense\"}", 400},
        {"{\"id\":\"\"}", 400},
        {"{\"at\":{\"secs\":-1}}", 400},
        {"{\"at\":{\"secs\":1,\"nanos\":1000000000}}", 400},
        {"{\"payload\":{}}", 422},
        {"{\"semantic_kind\":\"price\"}", 422},
        {"{\"semantic_kind\":\"price\",\"payload\":[1]}", 422},
        {"{\"semantic_kind\":\"price\",\"payload\":{\"close\":\"x\"}}", 422},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ask(&d, &DRIVER, EX_GRAPH_EVENT, "fx", "", ROWS[i].body);
        expect(&d, ROWS[i].status);
    }
    const mt_json *r = ask(&d, &DRIVER, EX_GRAPH_EVENT, "fx", "", "{\"id\":\"\"}");
    assert_at(r, "detail",
              "body, line 1, column 7, member id: expected text that is not empty");
    assert_int_equal(records(&d, "episode"), 0);
    desk_close(&d);
}

static void a_message_is_a_cycle_with_a_record(void **state)
{
    ex_executor_options o = with_voices();
    desk d = desk_open(state, NULL, &o);
    const mt_json *r = ask(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", "",
                           "{\"remote_addr\":\"127.0.0.1:1\",\"content\":"
                           "{\"from\":\"b1\",\"to\":null,\"intent\":\"register\"}}");
    expect(&d, 200);
    assert_at(r, "message", "0");
    assert_int_equal(records(&d, "agent_cycle"), 1);
    ask(&d, &DRIVER, EX_AGENT_TAPE, "seller", "", "");
    expect(&d, 200);
    mt_str tape = d.text;
    mt_arena kept = {0};
    tape = mt_str_dup(&kept, tape);
    ask(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", "", "\xff");
    expect(&d, 400);
    ask(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", "", "{}\n{}");
    expect(&d, 400);
    ask(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", "", "{\n}");
    expect(&d, 400);
    d = desk_again(state, &d, &o);
    ask(&d, &DRIVER, EX_AGENT_TAPE, "seller", "", "");
    assert_text(d.text, tape);
    r = ask(&d, &DRIVER, EX_AGENT_LOG, "seller", "", "");
    expect(&d, 200);
    assert_at(r, "items.0.direction", "in");
    mt_arena_free(&kept);
    desk_close(&d);
}

static void a_repeated_message_runs_one_cycle(void **state)
{
    static const char MESSAGE[] = "{\"remote_addr\":\"127.0.0.1:1\",\"content\":"
                                  "{\"from\":\"b1\",\"intent\":\"register\"}}";
    ex_executor_options o = with_voices();
    desk d = desk_open(state, NULL, &o);
    for (int i = 0; i < 3; i++) {
        ask_once(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", MESSAGE, "k");
        expect(&d, 200);
    }
    ask(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", "", MESSAGE);
    expect(&d, 200);
    assert_int_equal(records(&d, "agent_cycle"), 2);
    const mt_json *r = ask(&d, &DRIVER, EX_AGENT_TAPE, "seller", "", "");
    assert_at(r, "state.messages", "2");
    ask_once(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", "{}", "k");
    expect(&d, 422);
    desk_close(&d);
}

static void lists_go_on_exactly_while_there_is_more(void **state)
{
    ex_executor_options o = with_voices();
    desk d = desk_open(state, NULL, &o);
    for (int i = 0; i < 2; i++) {
        ask(&d, &DRIVER, EX_AGENT_MESSAGE, "seller", "",
            "{\"remote_addr\":\"127.0.0.1:1\",\"content\":{\"from\":\"b\"}}");
        expect(&d, 200);
    }
    ask(&d, &DRIVER, EX_GRAPH_EVENT, "fx", "", PRICE);
    expect(&d, 200);
    ad_param one[] = {{MT_STR("limit"), MT_STR("1")}, {MT_STR("after"), {0}}};
    const mt_json *r = ask_query(&d, EX_CAPTURE_LIST, "fx", "", one, 1);
    assert_at(r, "items.0.id", "fx.000001");
    assert_null(at(r, "next"));
    uint32_t seen = 0;
    for (size_t params = 1; params; params = one[1].value.len ? 2 : 0) {
        r = ask_query(&d, EX_AGENT_LOG, "seller", "", one, params);
        expect(&d, 200);
        assert_int_equal(count_at(r, "items"), 1); /* a last page is never empty */
        seen++;
        one[1].value = at(r, "next") ? mt_json_text(at(r, "next")) : (mt_str){0};
    }
    r = ask_query(&d, EX_AGENT_LOG, "seller", "", NULL, 0);
    assert_int_equal(count_at(r, "items"), seen);
    assert_null(at(r, "next"));
    desk_close(&d);
}

static void a_graph_or_agent_that_cannot_be_read_is_refused_at_the_start(void **state)
{
    static const char *const BAD[] = {
        "graphs: {fx: {graph: /nowhere/at/all.yaml}}",
        "graphs: {fx: {}}",
        "graphs: {fx: {graph: a, colour: red}}",
        "graphs: {fx: {graph: " CROSSOVER "crossover.yaml}}",
        "agents: {a: {file: /nowhere/at/all.yaml}}",
        "agents: {a: {}}",
    };
    st_store *s = fresh(state);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        mt_json tree;
        desk d;
        mt_buf why = {0};
        assert_fine(mt_yaml_read(&arena, mt_str_z(BAD[i]), NULL, &tree, NULL));
        ex_executor_options o = {.settings = &tree};
        assert_int_not_equal(desk_try(&d, s, NULL, &o, &why), MT_OK);
        assert_true(why.len > 10);
        mt_buf_free(&why);
        mt_arena_free(&d.arena);
    }
    st_close(s);
}

int main(void)
{
    static rows_list l;
    both(&l, an_event_is_an_episode_with_a_record);
    both(&l, nobody_runs_a_graph_without_the_right);
    both(&l, broken_events_are_refused_with_a_reason);
    both(&l, a_message_is_a_cycle_with_a_record);
    both(&l, a_repeated_message_runs_one_cycle);
    both(&l, lists_go_on_exactly_while_there_is_more);
    both(&l, a_graph_or_agent_that_cannot_be_read_is_refused_at_the_start);
    int failed = rows_run(&l, "exec/executor_voices");
    backends_stop();
    mt_arena_free(&arena);
    return failed;
}
