/* Stored values under an event's own, derived keys, and what a graph's Sources see. */
#include "../rows.h"

#include "base/json_write.h"
#include "host/graph_merge.h"

static mt_arena arena;
static ho_context store;

static const mt_json *json(const char *text)
{
    mt_json *tree = mt_new(&arena, mt_json);
    assert_int_equal(mt_json_read(&arena, mt_str_z(text), NULL, tree, NULL), MT_OK);
    return tree;
}

static void is_written(const mt_json *got, const char *want)
{
    mt_buf text = {0};
    mt_json_write(&text, got, false);
    assert_text(mt_buf_str(&text), mt_str_z(want));
    mt_buf_free(&text);
}

/* A value of every kind. */
static int fill_store(void **state)
{
    (void)state;
    static const double SERIES[] = {1, 2.5, -3};
    const gr_effect_write writes[] = {
        {MT_STR("flag"), gr_bool(true)},
        {MT_STR("list"), {.as.series = SERIES, .len = 3, .type = GR_SERIES}},
        {MT_STR("number"), gr_number(0.5)},
        {MT_STR("text"), {.as.text = "a\"b", .len = 3, .type = GR_STRING}},
        {MT_STR("undeclared"), gr_number(9)},
    };
    store = ho_context_in_memory();
    return (int)store.apply(store.state, writes, rows_count(writes));
}

static int empty_store(void **state)
{
    (void)state;
    store.free(store.state);
    return 0;
}

#define ALL "{\"properties\":{\"flag\":{},\"list\":{},\"number\":{},\"text\":{}}}"

static const struct row {
    const char *name, *schema; /* NULL: no adapter */
    const char *payload;       /* NULL: none */
    const char *want;
} ROWS[] = {
    {"stored values are laid under the payload", ALL, "{\"a\":1,\"z\":2}",
     "{\"a\":1,\"flag\":true,\"list\":[1.0,2.5,-3.0],\"number\":0.5,\"text\":"
     "\"a\\\"b\","
     "\"z\":2}"},
    {"without a payload they are all there is", ALL, NULL,
     "{\"flag\":true,\"list\":[1.0,2.5,-3.0],\"number\":0.5,\"text\":\"a\\\"b\"}"},
    {"what comes in wins", ALL,
     "{\"flag\":false,\"list\":[],\"number\":1,\"text\":\"\"}",
     "{\"flag\":false,\"list\":[],\"number\":1,\"text\":\"\"}"},
    {"a key the event does not allow stays out", "{\"properties\":{\"number\":{}}}",
     "{}", "{\"number\":0.5}"},
    {"keys come sorted", "{}", "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"},
    {"without an adapter the store stays out", NULL, "{\"b\":1,\"a\":2}",
     "{\"a\":2,\"b\":1}"},
    {"nothing of nothing", NULL, NULL, "{}"},
};

static void is_merged(void **state)
{
    const struct row *row = *state;
    assert_int_equal(fill_store(NULL), 0);
    const gr_context_key keys[] = {{.name = MT_STR("flag")},
                                   {.name = MT_STR("list")},
                                   {.name = MT_STR("number")},
                                   {.name = MT_STR("text")},
                                   {.name = MT_STR("unset")}};
    gr_adapter adapter = {.keys = keys, .key_count = rows_count(keys)};
    gr_adapter_schema event = {.source = row->schema ? json(row->schema) : NULL};
    mt_json got = ho_graph_merge(&arena, row->schema ? &adapter : NULL, &event, &store,
                                 row->payload ? json(row->payload) : NULL);
    is_written(&got, row->want);
    empty_store(NULL);
}

/* Only derived keys that some Source reads, and only where the event has none. */
static void derived_keys_need_no_declaration(void **state)
{
    (void)state;
    const gr_key keys[] = {{.name = MT_STR("flag")},
                           {.name = MT_STR("number")},
                           {.name = MT_STR("unset")}};
    const gr_written written[] = {{.name = MT_STR("number"), .derived = true},
                                  {.name = MT_STR("number"), .derived = true},
                                  {.name = MT_STR("flag"), .derived = false},
                                  {.name = MT_STR("text"), .derived = true},
                                  {.name = MT_STR("unset"), .derived = true}};
    gr_graph graph = {.keys = keys,
                      .key_count = rows_count(keys),
                      .written = written,
                      .written_count = rows_count(written)};
    mt_json got =
        ho_graph_merge_derived(&arena, &graph, &store, json("{\"a\":1,\"z\":2}"));
    is_written(&got, "{\"a\":1,\"number\":0.5,\"z\":2}");
    got = ho_graph_merge_derived(&arena, &graph, &store, json("{\"number\":7}"));
    is_written(&got, "{\"number\":7}");
}

static void a_snapshot_has_one_value_per_key(void **state)
{
    (void)state;
    const gr_key keys[] = {{.name = MT_STR("b")}, {.name = MT_STR("d")},
                           {.name = MT_STR("f")}, {.name = MT_STR("h")},
                           {.name = MT_STR("j")}, {.name = MT_STR("z")}};
    gr_graph graph = {.keys = keys, .key_count = rows_count(keys)};
    const gr_value *got = ho_graph_snapshot(
        &arena, &graph,
        json("{\"a\":0,\"b\":1,\"c\":0,\"d\":\"x\",\"f\":{},\"h\":[1,2],\"j\":true}"));
    assert_int_equal(got[0].type, GR_NUMBER);
    assert_true(got[0].as.number == 1);
    assert_int_equal(got[1].type, GR_STRING);
    assert_text(gr_text_of(&got[1]), MT_STR("x"));
    assert_int_equal(got[2].type, GR_NONE); /* an object is not seen */
    assert_int_equal(got[3].type, GR_SERIES);
    assert_int_equal(got[3].len, 2);
    assert_true(got[3].as.series[1] == 2);
    assert_int_equal(got[4].type, GR_BOOL);
    assert_int_equal(got[5].type, GR_NONE); /* absent */
    got = ho_graph_snapshot(&arena, &graph, json("{\"z\":3,\"zz\":4}"));
    assert_int_equal(got[0].type, GR_NONE);
    assert_true(got[5].as.number == 3);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, is_merged);
    rows_test(&list, derived_keys_need_no_declaration);
    list.tests[list.count - 1].setup_func = fill_store;
    list.tests[list.count - 1].teardown_func = empty_store;
    rows_test(&list, a_snapshot_has_one_value_per_key);
    int failed = rows_run(&list, "host/merge");
    mt_arena_free(&arena);
    return failed;
}
