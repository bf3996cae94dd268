/* What an operator writes for graphs, agents and egress: kinds, bounds, unknown keys.
 */
#include "../rows.h"

#include "base/yaml_read.h"
#include "host/agent_service.h"
#include "host/graph_egress.h"
#include "host/graph_service.h"

static const struct row {
    const char *name, *yaml, *want; /* want: all that is said */
} GRAPHS[] = {
    {"a graph is an object", "[]", "a graph must be an object, not a list"},
    {"a graph needs its file", "{}", "`graph` is missing"},
    {"a file is text", "{graph: 5}", "`graph` must be text, not a number"},
    {"clusters are a list", "{graph: g, clusters: c}",
     "`clusters` must be a list of texts, not text"},
    {"a flag is true or false", "{graph: g, skip_duplicates: 1}",
     "`skip_duplicates` must be true or false, not a number"},
    {"kinds are texts", "{graph: g, skip_kinds: [1]}",
     "`skip_kinds` must be a list of texts"},
    {"one too many a window", "{graph: g, max_per_window: 1000000001, rate_window: 1s}",
     "`max_per_window` must be a whole number from 0 to 1000000000"},
    {"one retry too many", "{graph: g, max_retries: 1000001}",
     "`max_retries` must be a whole number from 0 to 1000000"},
    {"a time beyond its most", "{graph: g, deadline: 87841h}",
     "`deadline` must be a time from 0ms to 87840h, such as 250ms, 5s, 2m or 1h"},
    {"a number is not a time", "{graph: g, deadline: 5}",
     "`deadline` must be a time such as 250ms, 5s, 2m or 1h, not a number"},
    {"a window needs a number", "{graph: g, rate_window: 1s}",
     "max_per_window (at least 1) and rate_window go together"},
    {"a misspelt key", "{graph: g, deadlin: 5s}",
     "`deadlin` is not a key of a graph (did you mean `deadline`?)"},
    {"all faults at once", "{speed: 3, max_retries: -1}",
     "`graph` is missing; `max_retries` must be a whole number from 0 to 1000000; "
     "`speed` is not a key of a graph"},
};

static const struct row AGENTS[] = {
    {"an agent needs its file", "{}", "`file` is missing"},
    {"an agent's file is text", "{file: [a]}", "`file` must be text, not a list"},
    {"an agent has one key", "{file: /nowhere/a, files: b}",
     "`files` is not a key of an agent (did you mean `file`?)"},
};

static const struct row EGRESS[] = {
    {"an egress configuration is an object", "[]",
     "an egress configuration must be an object, not a list"},
    {"a timeout is needed", "{}", "`default_ack_timeout` is missing"},
    {"no time is not a timeout", "{default_ack_timeout: 0s}",
     "`default_ack_timeout` must be a time from 1ms to 87840h, such as 250ms, 5s, 2m "
     "or "
     "1h"},
    {"a timeout beyond its most", "{default_ack_timeout: 87841h}",
     "`default_ack_timeout` must be a time from 1ms to 87840h, such as 250ms, 5s, 2m "
     "or "
     "1h"},
    {"an unknown key", "{default_ack_timeout: 1s, chanels: {}}",
     "`chanels` is not a key of an egress configuration"},
    {"channels are an object", "{default_ack_timeout: 1s, channels: []}",
     "`channels` must be an object, not a list"},
    {"another type of channel",
     "{default_ack_timeout: 1s, channels: {a: {type: pipe, command: [x]}}}",
     "`channels.a.type` must be `process`, `command`, `webhook`, `file`, "
     "`stdout` or `nats`, not `pipe`"},
    {"a channel without a command",
     "{default_ack_timeout: 1s, channels: {a: {type: process, command: []}}}",
     "`channels.a.command` must have 1 to 4096 items"},
    {"a channel without a program",
     "{default_ack_timeout: 1s, channels: {a: {type: process, command: [' ']}}}",
     "`channels.a.command` must begin with a program"},
    {"an unknown key of a channel",
     "{default_ack_timeout: 1s, channels: {a: {type: process, command: [x], cwd: /}}}",
     "`channels.a.cwd` is not a key of a channel"},
    {"a misspelt key of a route",
     "{default_ack_timeout: 1s, channels: {a: {type: process, command: [x]}}, "
     "routes: {k: {channel: a, ack_timeut: 1s}}}",
     "`routes.k.ack_timeut` is not a key of a route"},
    {"a route to nowhere", "{default_ack_timeout: 1s, routes: {k: {channel: b}}}",
     "`routes.k.channel` must be a declared channel, not `b`"},
};

static mt_arena arena;

static const mt_json *yaml(const char *text)
{
    mt_json *tree = mt_new(&arena, mt_json);
    assert_int_equal(mt_yaml_read(&arena, mt_str_z(text), NULL, tree, NULL), MT_OK);
    return tree;
}

static void refuses_a_graph(void **state)
{
    const struct row *r = *state;
    ho_graph_service *g = NULL;
    mt_buf why = {0};
    assert_int_equal(
        ho_graph_service_open(MT_STR("g"), yaml(r->yaml), NULL, NULL, &g, &why),
        MT_E_REJECTED);
    assert_text(mt_buf_str(&why), mt_str_z(r->want));
    assert_null(g);
    mt_buf_free(&why);
}

static void refuses_an_agent(void **state)
{
    const struct row *r = *state;
    ho_agent_service *a = NULL;
    mt_buf why = {0};
    assert_int_equal(
        ho_agent_service_open(MT_STR("a"), yaml(r->yaml), NULL, NULL, NULL, &a, &why),
        MT_E_REJECTED);
    assert_text(mt_buf_str(&why), mt_str_z(r->want));
    mt_buf_free(&why);
}

static void refuses_an_egress(void **state)
{
    const struct row *r = *state;
    ho_egress *e = NULL;
    mt_diags ds = {.arena = &arena};
    assert_int_equal(ho_egress_read(MT_STR("e.yaml"), mt_str_z(r->yaml), &ds, &e),
                     MT_E_REJECTED);
    assert_int_equal(ds.len, 1);
    assert_text(ds.items[0].message, mt_str_z(r->want));
    assert_string_equal(ds.items[0].code, "egress.config_invalid");
}

static void times_at_their_limits_hold(void **state)
{
    (void)state;
    ho_egress *e = NULL;
    mt_diags ds = {.arena = &arena};
    mt_str text = MT_STR("default_ack_timeout: 87840h\n"
                         "channels: {a: {type: process, command: [cat, '']}}\n"
                         "routes: {k: {channel: a, ack_timeout: 1ms}, "
                         "l: {channel: a, ack_timeout: null}}\n");
    assert_int_equal(ho_egress_read(MT_STR("e.yaml"), text, &ds, &e), MT_OK);
    assert_int_equal(ho_egress_route_count(e), 2);
    ho_egress_free(e);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, GRAPHS, refuses_a_graph);
    rows_add(&list, AGENTS, refuses_an_agent);
    rows_add(&list, EGRESS, refuses_an_egress);
    rows_test(&list, times_at_their_limits_hold);
    int failed = rows_run(&list, "host/entries");
    mt_arena_free(&arena);
    return failed;
}
