/* Two traces: where they diverge, as it is told. */
#include "../rows.h"

#include "agent/trace.h"

/* clang-format off */
#define MESSAGE(rest) "{\"record\":\"message\"" rest "}\n"
#define END(tape) "{\"record\":\"end\",\"tape\":" tape "}\n"
#define FATE(text) ",\"fate\":\"" text "\""
#define RECEIVERS(list) ",\"receivers\":[" list "]"
#define ON(state, activated) "{\"state\":\"" state "\",\"activated\":[" activated "]}"
#define DELTA(added, removed) ",\"delta\":[{\"added\":[" added "],\"removed\":[" removed "]}]"
#define SENDS(route, payload, dropped) \
    ",\"senders\":[{\"route\":\"" route "\",\"emissions\":[{\"payload\":" payload ",\"dropped\":" dropped "}]}]"
#define LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct row {
    const char *name, *left, *right;
    const char *only; /* the one node that counts; NULL: all do */
    bool final;
    const char *want; /* "": they agree */
} ROWS[] = {
    {"equal traces", MESSAGE(FATE("a")) END("[\"A\"]"), MESSAGE(FATE("a")) END("[\"A\"]"), NULL, false, ""},
    {"what no message caused is passed over",
     "{\"record\":\"header\",\"x\":1}\n\n" MESSAGE(FATE("a")) END("[]"),
     MESSAGE(FATE("a")) "{\"record\":\"tick\"}\n{\"record\":\"route\"}\n" END("[]"), NULL, false, ""},
    {"the first message", MESSAGE(FATE("a")) MESSAGE(FATE("b")) END("[]"), MESSAGE(FATE("c")) MESSAGE(FATE("d")) END("[]"),
     NULL, false, "message 1, fate: \"a\" against \"c\""},
    {"the second message", MESSAGE(FATE("a")) MESSAGE(FATE("b")) END("[]"), MESSAGE(FATE("a")) MESSAGE(FATE("d")) END("[]"),
     NULL, false, "message 2, fate: \"b\" against \"d\""},
    {"the earlier field", MESSAGE(RECEIVERS("1") ",\"senders\":[1]") END("[]"), MESSAGE(RECEIVERS("2") ",\"senders\":[2]") END("[]"),
     NULL, false, "message 1, receivers[0]: 1 against 2"},
    {"a field that one has", MESSAGE(FATE("a")) END("[]"), MESSAGE() END("[]"), NULL, false,
     "message 1, fate: \"a\" against null"},
    {"deep inside", MESSAGE(RECEIVERS("{\"a\":1},{\"a\":1,\"b\":[1,2]}")) END("[]"),
     MESSAGE(RECEIVERS("{\"a\":1},{\"a\":1,\"b\":[1,3]}")) END("[]"), NULL, false,
     "message 1, receivers[1].b[1]: 2 against 3"},
    {"an item less", MESSAGE(RECEIVERS("1,2")) END("[]"), MESSAGE(RECEIVERS("1")) END("[]"), NULL, false,
     "message 1, receivers[1]: 2 against nothing"},
    {"an item more", MESSAGE(RECEIVERS("1")) END("[]"), MESSAGE(RECEIVERS("1,2")) END("[]"), NULL, false,
     "message 1, receivers[1]: nothing against 2"},
    {"a member less", MESSAGE(RECEIVERS("{\"a\":1,\"b\":2}")) END("[]"), MESSAGE(RECEIVERS("{\"a\":1}")) END("[]"), NULL, false,
     "message 1, receivers[0].b: 2 against nothing"},
    {"a member more", MESSAGE(RECEIVERS("{\"a\":1}")) END("[]"), MESSAGE(RECEIVERS("{\"a\":1,\"b\":2}")) END("[]"), NULL, false,
     "message 1, receivers[0]: {\"a\":1} against {\"a\":1,\"b\":2}"},
    {"a list and an object", MESSAGE(RECEIVERS("[]")) END("[]"), MESSAGE(RECEIVERS("{}")) END("[]"), NULL, false,
     "message 1, receivers[0]: [] against {}"},
    {"what is long is cut", MESSAGE(FATE(LONG LONG LONG LONG "x")) END("[]"), MESSAGE(FATE("a")) END("[]"), NULL, false,
     "message 1, fate: \"" LONG LONG LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… against \"a\""},
    {"but 200 bytes are shown", MESSAGE(FATE(LONG LONG LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")) END("[]"),
     MESSAGE(FATE("a")) END("[]"), NULL, false,
     "message 1, fate: \"" LONG LONG LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" against \"a\""},
    {"and no half character", MESSAGE(FATE(LONG LONG LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxä")) END("[]"),
     MESSAGE(FATE("a")) END("[]"), NULL, false,
     "message 1, fate: \"" LONG LONG LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… against \"a\""},
    {"another number of messages", MESSAGE(FATE("a")) END("[]"), MESSAGE(FATE("a")) MESSAGE(FATE("a")) END("[]"), NULL, false,
     "their lengths: the first has 1 messages, the second 2"},
    {"the tape at the end", MESSAGE(FATE("a")) END("[\"A\",\"B\"]"), MESSAGE(FATE("a")) END("[\"A\",\"C\"]"), NULL, false,
     "final tape[1]: \"B\" against \"C\""},
    /* a part of them */
    {"a tape but for what does not count", END("[\"A\",\"B\"]"), END("[\"C\",\"A\"]"), "A", false, ""},
    {"a tape of keys but for what does not count", END("[[\"k\",[\"A\",\"B\"]],[\"l\",[\"C\"]]]"),
     END("[[\"k\",[\"A\"]],[\"l\",[]]]"), "A", false, ""},
    {"a key that the other lacks", END("[[\"k\",[\"A\"]],[\"l\",[\"A\"]]]"), END("[[\"k\",[\"A\"]]]"), "A", false,
     "final tape[1]: [\"l\",[\"A\"]] against nothing"},
    {"receivers that are on it or lead to it", MESSAGE(RECEIVERS(ON("B", "\"C\""))) END("[]"), MESSAGE(RECEIVERS("")) END("[]"), "A", false, ""},
    {"a receiver that is on it", MESSAGE(RECEIVERS(ON("A", ""))) END("[]"), MESSAGE(RECEIVERS("")) END("[]"), "A", false,
     "message 1, receivers[0]: {\"activated\":[],\"state\":\"A\"} against nothing"},
    {"a receiver that leads to it", MESSAGE(RECEIVERS(ON("B", "\"C\",\"A\""))) END("[]"), MESSAGE(RECEIVERS("")) END("[]"), "A", false,
     "message 1, receivers[0]: {\"activated\":[\"C\",\"A\"],\"state\":\"B\"} against nothing"},
    {"a change of what does not count", MESSAGE(DELTA("\"B\"", "\"C\"")) END("[]"), MESSAGE(",\"delta\":[]") END("[]"), "A", false, ""},
    {"a change that adds it", MESSAGE(DELTA("\"B\",\"A\"", "\"C\"")) END("[]"), MESSAGE(DELTA("\"A\"", "")) END("[]"), "A", false, ""},
    {"a change that removes it", MESSAGE(DELTA("", "\"A\"")) END("[]"), MESSAGE(",\"delta\":[]") END("[]"), "A", false,
     "message 1, delta[0]: {\"added\":[],\"removed\":[\"A\"]} against nothing"},
    {"senders of other routes", MESSAGE(SENDS("B--[f]-->C", "1", "false")) END("[]"), MESSAGE(",\"senders\":[]") END("[]"), "A", false, ""},
    {"senders of no route", MESSAGE(SENDS("A--", "1", "false")) END("[]"), MESSAGE(",\"senders\":[]") END("[]"), "A", false, ""},
    {"a sender of a route that leads to it", MESSAGE(SENDS("B--[f]-->A", "1", "false")) END("[]"), MESSAGE(",\"senders\":[]") END("[]"), "A", true,
     "emissions: only the first trace sends 1"},
    /* the end alone */
    {"another way to the same end", MESSAGE(FATE("a") SENDS("A", "1", "false")) MESSAGE(SENDS("A", "2", "false")) END("[\"A\"]"),
     MESSAGE(SENDS("A", "2", "false")) MESSAGE(FATE("b") SENDS("A", "1", "false")) MESSAGE(",\"senders\":[]") END("[\"A\"]"), NULL, true, ""},
    {"what was dropped was not sent", MESSAGE(SENDS("A", "1", "true")) END("[]"), MESSAGE(",\"senders\":[]") END("[]"), NULL, true, ""},
    {"the second sends more", MESSAGE(SENDS("A", "1", "false")) END("[]"),
     MESSAGE(SENDS("A", "1", "false")) MESSAGE(SENDS("A", "2", "false")) END("[]"), NULL, true,
     "emissions: only the second trace sends 2"},
    {"each sends something else", MESSAGE(SENDS("A", "3", "false")) END("[]"), MESSAGE(SENDS("A", "2", "false")) END("[]"), NULL, true,
     "emissions: only the second trace sends 2"},
    {"another end", END("[\"A\"]"), END("[]"), NULL, true, "final tape[0]: \"A\" against nothing"},
    /* what is none */
    {"a trace without an end", MESSAGE(FATE("a")), END("[]"), NULL, false, "!first trace: it has no end record"},
    {"no trace", END("[]"), END("[]") "x", NULL, false, "!second trace, line 2: this is not a record of a trace"},
    {"a record of no kind", END("[]"), "\n{}\n" END("[]"), NULL, false, "!second trace, line 2: this is not a record of a trace"},
};
/* clang-format on */

static void traces_are_compared(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_str only = mt_str_z(r->only ? r->only : ""), where = {0};
    ag_compare how = {.final = r->final, .only = &only, .only_count = r->only ? 1 : 0};
    bool same = false;
    mt_err err = ag_trace_compare(&a, mt_str_z(r->left), mt_str_z(r->right), &how,
                                  &same, &where);
    assert_text(where, mt_str_z(r->want + (r->want[0] == '!')));
    assert_int_equal(err, r->want[0] == '!' ? MT_E_SYNTAX : MT_OK);
    assert_int_equal(same, !r->want[0]);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, traces_are_compared);
    return rows_run(&list, "agent/compare");
}
