/* agent/timers: which senders are armed, what waits for them, and that both survive. */
#include "../rows.h"
#include "agent/agent_file.h"
#include "agent/timers.h"
#include "agent/value.h"

/* Sender 0 follows its clock alone, 1 waits for a move, 2 waits and tells the data. */
static const char AGENT[] =
    "{\"agent\":\"t\",\"tape\":{\"shape\":\"many\",\"start\":[\"A\"]},"
    "\"receivers\":[{\"route\":\"A--[f]-->B\",\"do\":\"move\"}],"
    "\"senders\":[{\"name\":\"clock\",\"route\":\"A\",\"every_ms\":5,\"message\":1},"
    "{\"name\":\"moved\",\"route\":\"A-->B\",\"on_actions\":[\"move\"],\"every_ms\":5,"
    "\"message\":2},"
    "{\"name\":\"data\",\"route\":\"A-->B\",\"on_actions\":[\"move\"],\"every_ms\":5,"
    "\"use_data\":true,\"message\":3}]}";
/* The same two that wait, in another order and with a third between them. */
static const char EDITED[] =
    "{\"agent\":\"t\",\"tape\":{\"shape\":\"many\",\"start\":[\"A\"]},"
    "\"receivers\":[{\"route\":\"A--[f]-->B\",\"do\":\"move\"}],"
    "\"senders\":[{\"name\":\"data\",\"route\":\"A-->B\",\"on_actions\":[\"move\"],"
    "\"every_ms\":5,\"use_data\":true,\"message\":3},"
    "{\"name\":\"moved\",\"route\":\"B-->A\",\"on_actions\":[\"move\"],\"every_ms\":5,"
    "\"message\":2},"
    "{\"name\":\"moved\",\"route\":\"A-->B\",\"on_actions\":[\"move\"],\"every_ms\":5,"
    "\"message\":2}]}";

static mt_arena arena;

static ag_file read_agent(const char *text)
{
    ag_file file;
    mt_json *tree = mt_new(&arena, mt_json);
    mt_diags ds = {.arena = &arena};
    assert_int_equal(mt_json_read(&arena, mt_str_z(text), NULL, tree, NULL), MT_OK);
    assert_int_equal(
        ag_file_read(&arena, MT_STR("t"), mt_str_z(text), tree, &ds, &file), MT_OK);
    return file;
}

/* An outcome with this text as its data arms these senders. */
static uint32_t arm(ag_timers *t, const char *data, const ag_arm *arms, uint32_t count)
{
    mt_json value = ag_text_value(mt_str_z(data));
    ag_activation activations[] = {
        {.event = {.action = AG_MOVE, .trigger = MT_STR("ok"), .data = &value}},
        {.event = {.action = AG_STAY, .trigger = MT_STR("no")}}};
    ag_record record = {.activations = activations,
                        .activation_count = 2,
                        .arms = arms,
                        .arm_count = count};
    return ag_timers_arm(t, &record);
}

static mt_str saved(const ag_timers *t)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    ag_timers_save(t, &w);
    mt_str text = mt_str_dup(&arena, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static mt_err load(ag_timers *t, mt_str text)
{
    mt_json *tree = mt_new(&arena, mt_json);
    assert_int_equal(mt_json_read(&arena, text, NULL, tree, NULL), MT_OK);
    return ag_timers_load(t, tree);
}

static void outcomes_arm_and_their_data_wait(void **state)
{
    (void)state;
    ag_file file = read_agent(AGENT);
    ag_timers *t = ag_timers_new(&file.agent, NULL);
    const ag_event *waiting;
    assert_false(ag_timers_any_armed(t));
    /* The second sender is found through two nodes; the third hears two outcomes. */
    ag_arm arms[] = {{1, 0}, {1, 0}, {2, 0}, {2, 0}, {2, 1}};
    assert_int_equal(arm(t, "first", arms, 5), 0);
    assert_true(ag_timers_any_armed(t));
    assert_false(ag_timer_armed(t, 0));
    assert_true(ag_timer_armed(t, 1) && ag_timer_armed(t, 2));
    assert_int_equal(ag_timer_waiting(t, 1, &waiting), 0);
    assert_int_equal(ag_timer_waiting(t, 2, &waiting), 2);
    assert_int_equal(waiting[0].action, AG_MOVE);
    assert_text(waiting[0].trigger, MT_STR("ok"));
    assert_text(mt_json_text(waiting[0].data), MT_STR("first"));
    assert_int_equal(waiting[1].action, AG_STAY);
    assert_true(mt_json_is(waiting[1].data, MT_JSON_NULL));
    /* The next message may arm by the same activation again. */
    assert_int_equal(arm(t, "second", arms + 2, 1), 0);
    assert_int_equal(ag_timer_waiting(t, 2, &waiting), 3);
    assert_text(mt_json_text(waiting[2].data), MT_STR("second"));
    ag_timer_told(t, 2);
    assert_int_equal(ag_timer_waiting(t, 2, &waiting), 0);
    assert_true(ag_timer_armed(t, 2));
    ag_timer_disarm(t, 2);
    assert_false(ag_timer_armed(t, 2));
    assert_true(ag_timers_any_armed(t));
    ag_timer_disarm(t, 1);
    assert_false(ag_timers_any_armed(t));
    ag_timers_free(t);
}

/* `"x"` in quotes and `ok` are 5 bytes. */
static void what_waits_is_bounded_and_telling_makes_room(void **state)
{
    (void)state;
    ag_file file = read_agent(AGENT);
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.agent_waiting_bytes = 10;
    ag_timers *t = ag_timers_new(&file.agent, &limits);
    const ag_event *waiting;
    ag_arm one[] = {{2, 0}};
    assert_int_equal(arm(t, "x", one, 1), 0);
    assert_int_equal(arm(t, "y", one, 1), 0);
    assert_int_equal(arm(t, "z", one, 1), 1);
    assert_int_equal(ag_timer_waiting(t, 2, &waiting), 2);
    ag_timer_told(t, 2);
    assert_int_equal(arm(t, "z", one, 1), 0);
    assert_int_equal(ag_timer_waiting(t, 2, &waiting), 1);
    ag_timers_free(t);
}

static void what_is_saved_comes_back(void **state)
{
    (void)state;
    ag_file file = read_agent(AGENT);
    ag_timers *t = ag_timers_new(&file.agent, NULL);
    ag_timers *u = ag_timers_new(&file.agent, NULL);
    assert_text(saved(t), MT_STR("[]"));
    ag_arm arms[] = {{1, 0}, {2, 0}, {2, 1}};
    assert_int_equal(arm(t, "x", arms, 3), 0);
    mt_str text = saved(t);
    assert_text(text,
                MT_STR("[{\"index\":1,\"route\":\"A--[]-->B\",\"sender\":\"moved\","
                       "\"waiting\":[]},{\"index\":2,\"route\":\"A--[]-->B\","
                       "\"sender\":\"data\",\"waiting\":[[\"MOVE\",\"ok\",\"x\"],"
                       "[\"STAY\",\"no\",null]]}]"));
    assert_int_equal(load(u, text), MT_OK);
    assert_text(saved(u), text);
    assert_int_equal(ag_timers_load(u, NULL), MT_OK);
    ag_timers_free(t);
    ag_timers_free(u);
}

static void a_sender_is_found_by_name_and_route(void **state)
{
    (void)state;
    ag_file old = read_agent(AGENT), new = read_agent(EDITED);
    ag_timers *t = ag_timers_new(&old.agent, NULL);
    ag_timers *u = ag_timers_new(&new.agent, NULL);
    ag_arm arms[] = {{1, 0}, {2, 0}};
    const ag_event *waiting;
    assert_int_equal(arm(t, "x", arms, 2), 0);
    assert_int_equal(load(u, saved(t)), MT_OK);
    assert_true(ag_timer_armed(u, 0) && ag_timer_armed(u, 2));
    assert_false(ag_timer_armed(u, 1));
    assert_int_equal(ag_timer_waiting(u, 0, &waiting), 1);
    ag_timers_free(t);
    ag_timers_free(u);
}

typedef struct row {
    const char *name, *text;
    mt_err want;
    bool armed; /* sender 2 is */
} row;

#define DATA "\"route\":\"A--[]-->B\",\"sender\":\"data\""
static const row ROWS[] = {
    {"a row that is good", "[{\"index\":2," DATA ",\"waiting\":[]}]", MT_OK, true},
    {"a place far off does not matter", "[{\"index\":99," DATA ",\"waiting\":[]}]",
     MT_OK, true},
    {"nor a place before the first", "[{\"index\":-1," DATA ",\"waiting\":[]}]", MT_OK,
     true},
    {"one behind the last", "[{\"index\":3," DATA ",\"waiting\":[]}]", MT_OK, true},
    {"another's name is passed over",
     "[{\"index\":2,\"route\":\"A--[]-->B\",\"sender\":\"x\",\"waiting\":[]}]", MT_OK,
     false},
    {"another route is passed over",
     "[{\"index\":2,\"route\":\"A\",\"sender\":\"data\",\"waiting\":[]}]", MT_OK,
     false},
    {"one that does not wait is passed over",
     "[{\"index\":0,\"route\":\"A\",\"sender\":\"clock\",\"waiting\":[]}]", MT_OK,
     false},
    {"not a list", "{}", MT_E_SYNTAX, false},
    {"no place", "[{" DATA ",\"waiting\":[]}]", MT_E_SYNTAX, false},
    {"a place that is text", "[{\"index\":\"2\"," DATA ",\"waiting\":[]}]", MT_E_SYNTAX,
     false},
    {"nothing that waits", "[{\"index\":2," DATA "}]", MT_E_SYNTAX, false},
    {"what waits is not a list", "[{\"index\":2," DATA ",\"waiting\":{}}]", MT_E_SYNTAX,
     false},
    {"an outcome that is not a list", "[{\"index\":2," DATA ",\"waiting\":[1]}]",
     MT_E_SYNTAX, true},
    {"an outcome of two", "[{\"index\":2," DATA ",\"waiting\":[[\"MOVE\",\"ok\"]]}]",
     MT_E_SYNTAX, true},
    {"an outcome of four",
     "[{\"index\":2," DATA ",\"waiting\":[[\"MOVE\",\"ok\",1,2]]}]", MT_E_SYNTAX, true},
    {"no such action", "[{\"index\":2," DATA ",\"waiting\":[[\"FLY\",\"ok\",1]]}]",
     MT_E_SYNTAX, true},
    {"a trigger that is not text",
     "[{\"index\":2," DATA ",\"waiting\":[[\"MOVE\",1,1]]}]", MT_E_SYNTAX, true},
    {"as much as has room",
     "[{\"index\":2," DATA ",\"waiting\":[[\"MOVE\",\"123456789\",1]]}]", MT_OK, true},
    {"more than has room",
     "[{\"index\":2," DATA ",\"waiting\":[[\"MOVE\",\"1234567890\",1]]}]", MT_E_LIMIT,
     true},
};

static void loads(void **state)
{
    const row *r = *state;
    ag_file file = read_agent(AGENT);
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.agent_waiting_bytes = 10;
    ag_timers *t = ag_timers_new(&file.agent, &limits);
    assert_int_equal(load(t, mt_str_z(r->text)), r->want);
    assert_int_equal(ag_timer_armed(t, 2), r->armed);
    assert_false(ag_timer_armed(t, 0));
    ag_timers_free(t);
}

int main(void)
{
    static rows_list l;
    rows_test(&l, outcomes_arm_and_their_data_wait);
    rows_test(&l, what_waits_is_bounded_and_telling_makes_room);
    rows_test(&l, what_is_saved_comes_back);
    rows_test(&l, a_sender_is_found_by_name_and_route);
    rows_add(&l, ROWS, loads);
    int failed = rows_run(&l, "agent/timers");
    mt_arena_free(&arena);
    return failed;
}
