/* What a guard suggests from calls that were seen: the row of a map in each way it may
 * be written, conditions in each way they may stand, and what is left alone. */
#include "../rows.h"
#include "guard/suggest.h"

#define CONTRACT(condition)                                                            \
    "// about reading\noperation read {\n  personas: [agent]\n" condition              \
    "  effects: [F: a -> b]\n}\n"
#define PLAIN CONTRACT("  precondition: true\n")
#define DECLARE                                                                        \
    "fact read_place {\n  type: Bool\n  source: \"arguments.path\"\n"                  \
    "  default: false\n}\n\n"
#define ASKED(condition) DECLARE CONTRACT(condition)
#define PLACE            "read_place: {from: \"path\", under: [\"/srv/a\"]}"
#define SAID                                                                           \
    "tool read: path was always below /srv/a; its row or its operation "               \
    "cannot be edited line by line\n"
#define MAP(rows) "persona: agent\ntools:\n" rows

/* clang-format off */
static const struct row {
    const char *name, *contract, *map;
    const char *new_contract, *new_map, *notes; /* NULL: as it was */
} ROWS[] = {
    {"a row without facts", PLAIN, MAP("  read:\n    operation: read\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    operation: read\n    facts: {" PLACE "}\n"), ""},
    {"facts in braces", PLAIN, MAP("  read:\n    facts: {a: {from: x}}\n    operation: read\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    facts: {" PLACE ", a: {from: x}}\n    operation: read\n"), ""},
    {"facts in lines", PLAIN, MAP("  read:\n    facts:\n      a: {from: x}\n    operation: read\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    facts:\n      " PLACE "\n      a: {from: x}\n    operation: read\n"), ""},
    {"facts in lines further in", PLAIN, MAP("  read:\n    facts:\n        a: {from: x}\n    operation: read\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    facts:\n        " PLACE "\n        a: {from: x}\n    operation: read\n"), ""},
    {"a key and no facts below it", PLAIN, MAP("  read:\n    facts:\n    operation: read\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    facts:\n      " PLACE "\n    operation: read\n"), ""},
    {"a key and no facts at the end", PLAIN, MAP("  read:\n    operation: read\n    facts:\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    operation: read\n    facts:\n      " PLACE "\n"), ""},
    {"a blank line above the facts", PLAIN, MAP("  read:\n    facts:\n\n       a: {from: x}\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    facts:\n       " PLACE "\n\n       a: {from: x}\n"), ""},
    {"no facts in braces", PLAIN, MAP("  read:\n    facts: {}\n    operation: read\n"), NULL, NULL, SAID},
    {"facts behind a comment", PLAIN, MAP("  read:\n    facts: # none\n      a: {from: x}\n"), NULL, NULL, SAID},
    {"facts of something deeper", PLAIN, MAP("  read:\n    operation: read\n    more:\n      facts: {a: 1}\n"),
     ASKED("  precondition: read_place\n"), MAP("  read:\n    operation: read\n    more:\n      facts: {a: 1}\n    facts: {" PLACE "}\n"), ""},
    {"a row in one line", PLAIN, MAP("  read: {operation: read}\n"), NULL, NULL, SAID},
    {"a row behind others and blank lines", PLAIN, MAP("\n  reader:\n    operation: x\n\n  read:\n    operation: read\n\n  write:\n    operation: w\n"),
     ASKED("  precondition: read_place\n"),
     MAP("\n  reader:\n    operation: x\n\n  read:\n    operation: read\n    facts: {" PLACE "}\n\n  write:\n    operation: w\n"), ""},
    {"a row in single quotes", PLAIN, MAP("  'read':\n    operation: read\n"),
     ASKED("  precondition: read_place\n"), MAP("  'read':\n    operation: read\n    facts: {" PLACE "}\n"), ""},
    {"a row in quotes", PLAIN, MAP("  \"read\":\n    operation: read\n"),
     ASKED("  precondition: read_place\n"), MAP("  \"read\":\n    operation: read\n    facts: {" PLACE "}\n"), ""},
    {"a row behind the tools", PLAIN, MAP("  write:\n    operation: w\nother:\n  read:\n    operation: read\n"), NULL, NULL, SAID},
    {"no tools", PLAIN, "persona: agent\n  read:\n    operation: read\n", NULL, NULL, SAID},
    {"a condition", CONTRACT("  precondition: a or b\n"), MAP("  read:\n    operation: read\n"),
     ASKED("  precondition: (a or b) and read_place\n"), MAP("  read:\n    operation: read\n    facts: {" PLACE "}\n"), ""},
    {"a condition by its short name", CONTRACT("  require: a\n"), MAP("  read:\n    operation: read\n"),
     ASKED("  require: (a) and read_place\n"), MAP("  read:\n    operation: read\n    facts: {" PLACE "}\n"), ""},
    {"a condition of two lines", CONTRACT("  precondition: a or\n    b\n"), MAP("  read:\n    operation: read\n"), NULL, NULL, SAID},
    {"a condition with a comment", CONTRACT("  precondition: a // b\n"), MAP("  read:\n    operation: read\n"), NULL, NULL, SAID},
    {"no condition", CONTRACT(""), MAP("  read:\n    operation: read\n"), NULL, NULL, SAID},
    {"the last line of its operation", "operation read {\n  precondition: a\n}\n", MAP("  read:\n    operation: read\n"),
     DECLARE "operation read {\n  precondition: (a) and read_place\n}\n", MAP("  read:\n    operation: read\n    facts: {" PLACE "}\n"), ""},
    {"another operation", "operation reads {\n  precondition: a\n}\n", MAP("  read:\n    operation: read\n"), NULL, NULL, SAID},
};

/* Which directory is asked for, of two calls. */
static const struct place_row {
    const char *name, *first, *second, *place; /* NULL: none */
} PLACES[] = {
    {"one directory", "{\"path\":\"/srv/a/b\"}", "{\"path\":\"/srv/a/c\"}", "\"/srv/a\""},
    {"one deeper", "{\"path\":\"/srv/a/b\"}", "{\"path\":\"/srv/a/d/c\"}", "\"/srv/a\""},
    {"the first deeper", "{\"path\":\"/srv/a/d/c\"}", "{\"path\":\"/srv/a/b\"}", "\"/srv/a\""},
    {"names that begin alike", "{\"path\":\"/srv/ab/c\"}", "{\"path\":\"/srv/ac/c\"}", "\"/srv\""},
    {"a name that goes on", "{\"path\":\"/srv/a/c\"}", "{\"path\":\"/srv/ab/c\"}", "\"/srv\""},
    {"a file called like the directory", "{\"path\":\"/srv/a/c\"}", "{\"path\":\"/srv/a\"}", "\"/srv\""},
    {"nothing in common", "{\"path\":\"/srv/a\"}", "{\"path\":\"/etc/a\"}", NULL},
    {"just below the root", "{\"path\":\"/a\"}", "{\"path\":\"/a\"}", NULL},
    {"no directory", "{\"path\":\"a\"}", "{\"path\":\"a\"}", NULL},
    {"above what was seen", "{\"path\":\"../a\"}", "{\"path\":\"../b\"}", NULL},
    {"far above what was seen", "{\"path\":\"../../a\"}", "{\"path\":\"../../b\"}", NULL},
    {"arguments that are not known", "{\"path\":\"/srv/a/b\"}", "", NULL},
    {"first arguments that are not known", "", "{\"path\":\"/srv/a/b\"}", NULL},
    {"arguments that are none", "{\"path\":\"/srv/a/b\"}", "{", NULL},
    {"no path", "{\"text\":\"/srv/a/b\"}", "{\"text\":\"/srv/a/b\"}", NULL},
    {"a path behind a text", "{\"a\":1,\"path\":\"/srv/a/b\"}", "{\"a\":1,\"path\":\"/srv/a/b\"}", "\"/srv/a\""},
};
/* clang-format on */

static gd_files suggested(mt_arena *a, const char *first, const char *second,
                          const gd_files *old, mt_buf *notes)
{
    gd_tool tool = {.name = MT_STR("read"), .operation = MT_STR("read")};
    gd_map map = {.tools = &tool, .tool_count = 1};
    gd_seen seen[] = {{MT_STR("read"), mt_str_z(first)},
                      {MT_STR("read"), mt_str_z(second)}};
    return gd_suggest(a, seen, 2, &map, old, notes);
}

static void is_edited(void **state)
{
    const struct row *row = *state;
    mt_arena a = {0};
    mt_buf notes = {0};
    gd_files old = {.contract = mt_str_z(row->contract), .map = mt_str_z(row->map)};
    gd_files got = suggested(&a, "{\"path\":\"/srv/a/b\"}", "{\"path\":\"/srv/a/c\"}",
                             &old, &notes);
    assert_text(mt_buf_str(&notes), mt_str_z(row->notes));
    assert_text(got.map, mt_str_z(row->new_map ? row->new_map : row->map));
    assert_text(got.contract,
                mt_str_z(row->new_contract ? row->new_contract : row->contract));
    mt_buf_free(&notes);
    mt_arena_free(&a);
}

static void is_asked_for(void **state)
{
    const struct place_row *row = *state;
    mt_arena a = {0};
    mt_buf notes = {0};
    gd_files old = {.contract = MT_STR(PLAIN),
                    .map = MT_STR(MAP("  read:\n    operation: read\n"))};
    gd_files got = suggested(&a, row->first, row->second, &old, &notes);
    mt_str want =
        row->place
            ? mt_strf(&a,
                      MAP("  read:\n    operation: read\n    facts: {read_place: "
                          "{from: \"path\", under: [%s]}}\n"),
                      row->place)
            : old.map;
    assert_text(got.map, want);
    mt_buf_free(&notes);
    mt_arena_free(&a);
}

/* What other tools were called with says nothing of this one; scenarios get the fact.
 */
static void every_tool_is_looked_at_alone(void **state)
{
    static const struct {
        const char *old, *new;
    } SCENARIOS[] = {
        {"# a\nscenarios:\n  - x\n",
         "# a\ngiven:\n  facts: {read_place: true}\nscenarios:\n  - x\n"},
        {"given:\n  facts: {a: 1}\nscenarios:\n  - x\n",
         "given:\n  facts: {a: 1}\nscenarios:\n  - x\n"},
        {"tests:\n  - x\n", "tests:\n  - x\n"},
    };
    (void)state;
    for (size_t i = 0; i < rows_count(SCENARIOS); i++) {
        mt_arena a = {0};
        mt_buf notes = {0};
        gd_tool tools[] = {{.name = MT_STR("read"), .operation = MT_STR("read")},
                           {.name = MT_STR("write"), .operation = MT_STR("w")}};
        gd_map map = {.tools = tools, .tool_count = 2};
        gd_seen seen[] = {{MT_STR("other"), MT_STR("{\"path\":\"/etc/x\"}")},
                          {MT_STR("read"), MT_STR("{\"path\":\"/srv/a/b\"}")},
                          {MT_STR("other"), MT_STR("{}")},
                          {MT_STR("read"), MT_STR("{\"path\":\"/srv/a/c\"}")},
                          {MT_STR("more"), MT_STR("")}};
        gd_files old = {
            .contract = MT_STR(PLAIN),
            .map = MT_STR(MAP("  write:\n    operation: w\n\n  # about reading\n  "
                              "read:\n    operation: read\n")),
            .scenarios = mt_str_z(SCENARIOS[i].old)};
        gd_files got = gd_suggest(&a, seen, 5, &map, &old, &notes);
        assert_text(mt_buf_str(&notes),
                    MT_STR("tool write was never called\n"
                           "tool other was called and has no row\n"
                           "tool more was called and has no row\n"));
        assert_text(got.map,
                    MT_STR(MAP("\n  # about reading\n  read:\n    operation: read\n"
                               "    facts: {" PLACE "}\n")));
        assert_text(got.contract, MT_STR(ASKED("  precondition: read_place\n")));
        assert_text(got.scenarios, mt_str_z(SCENARIOS[i].new));
        mt_buf_free(&notes);
        mt_arena_free(&a);
    }
}

/* What two tools do alike, and what is asked for already, is left alone. */
static void what_is_shared_or_asked_for_is_left_alone(void **state)
{
    (void)state;
    mt_json under = {.type = MT_JSON_ARRAY};
    gd_value asked = {.from = MT_STR("path"), .under = &under};
    for (int i = 0; i < 2; i++) {
        mt_arena a = {0};
        mt_buf notes = {0};
        gd_tool tools[] = {{.name = MT_STR("read"), .operation = MT_STR("read")},
                           {.name = MT_STR("peek"), .operation = MT_STR("read")}};
        gd_map map = {.tools = tools, .tool_count = i ? 1 : 2};
        tools[0].facts = i ? &asked : NULL;
        tools[0].fact_count = i ? 1 : 0;
        gd_seen seen[] = {{MT_STR("read"), MT_STR("{\"path\":\"/srv/a/b\"}")},
                          {MT_STR("peek"), MT_STR("{}")}};
        gd_files old = {.contract = MT_STR(PLAIN),
                        .map = MT_STR(MAP("  read:\n    operation: read\n"))};
        gd_files got = gd_suggest(&a, seen, i ? 1 : 2, &map, &old, &notes);
        assert_text(mt_buf_str(&notes), i ? MT_STR("") : MT_STR(SAID));
        assert_text(got.map, old.map);
        assert_text(got.contract, old.contract);
        assert_null(got.scenarios.ptr);
        mt_buf_free(&notes);
        mt_arena_free(&a);
    }
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, ROWS, is_edited);
    rows_add(&l, PLACES, is_asked_for);
    rows_test(&l, every_tool_is_looked_at_alone);
    rows_test(&l, what_is_shared_or_asked_for_is_left_alone);
    return rows_run(&l, "guard/suggest");
}
