/* cli/cmd_guard_suggest.c - motet guard suggest: a contract and a map, narrowed by what
 * a guard saw, as a unified diff to look at. Room: cli. Changes nothing. It reads
 * contract, map, and the scenarios beside the contract if there are any; then all calls
 * of the ledger. The ledger is not verified here: motet ledger verify does that. Notes
 * on what was narrowed, and why, go to standard error, the diff to standard output.
 * Exit status 1 for a ledger without calls or files with faults, 3 when something
 * cannot be read. */
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/yaml_read.h"
#include "cli/commands.h"
#include "cli/diff_text.h"
#include "cli/ledger.h"
#include "guard/suggest.h"

/* clang-format off */
const cli_option CMD_GUARD_SUGGEST_OPTIONS[] = {
    {"contract", "FILE", "the contract that decides"},
    {"map",      "FILE", "which tool is which operation (YAML or JSON)"},
    CLI_LEDGER_STORE_OPTION,
    {NULL, NULL, NULL},
};
const char CMD_GUARD_SUGGEST_DETAILS[] =
    "Reads the calls of a ledger (what motet ledger export writes, or --store), allowed ones "
    "and those that were only observed, and prints a unified diff of contract, map and "
    "scenarios: tools that nobody called lose their row, and a path that always led below "
    "one directory has to. It only ever restricts. Look at it, then apply it with patch -p0.";
/* clang-format on */

typedef MT_VEC(gd_seen) seen_calls;

/* Refusals of a guard that refuses are not what the agent needs; those that were only
 * observed are. Lines without a call of a tool are most of a ledger: what was read of
 * them is given back to the arena at once. */
static void add_seen(mt_arena *a, seen_calls *all, mt_str line)
{
    mt_json tree;
    mt_mark mark = mt_arena_mark(a);
    if (mt_json_read(a, mt_str_dup(a, line), NULL, &tree, NULL)) {
        mt_arena_rewind(a, mark);
        return;
    }
    const mt_json *guard = mt_json_at(mt_json_at(&tree, "body"), "guard");
    const mt_json *arguments = mt_json_at(guard, "arguments");
    mt_str event = mt_text_at(guard, "event");
    bool went_on = mt_str_is(event, "allowed") || mt_str_is(event, "passed") ||
                   mt_json_at(guard, "observed");
    if (!arguments || !went_on) {
        mt_arena_rewind(a, mark);
        return;
    }
    gd_seen one = {mt_text_at(guard, "tool"), mt_text_at(arguments, "text")};
    mt_vec_push(a, all, one);
}

static int read_calls(const cli_args *args, mt_arena *a, seen_calls *all)
{
    cli_ledger l;
    mt_str line;
    uint64_t number = 0;
    mt_err err = MT_OK;
    int code = cli_ledger_open(args, 0, &l);
    while (!code && !(err = l.source.next(l.source.state, &line))) {
        number++;
        add_seen(a, all, line);
    }
    code = code ? code : cli_ledger_stop(args, &l, err, number);
    cli_ledger_close(&l);
    return code;
}

/* guard.tenor has its scenarios in guard.scenarios.yaml, as motet guard init writes
 * them. */
static int read_files(const cli_args *args, mt_arena *a, const mt_limits *limits,
                      gd_files *out, const char **scenarios)
{
    const char *contract = cli_value(args, "contract"), *map = cli_value(args, "map");
    if (!contract || !map) {
        return cli_fail(args, CLI_USAGE, "--contract FILE and --map FILE are required");
    }
    int code = cli_read_input(args, a, contract, limits->source_bytes, &out->contract);
    code = code ? code : cli_read_input(args, a, map, limits->yaml_bytes, &out->map);
    mt_str stem = mt_str_z(contract);
    if (mt_str_ends(stem, MT_STR(".tenor"))) {
        stem.len -= 6;
    }
    *scenarios = mt_strf(a, "%.*s.scenarios.yaml", MT_ARG(stem)).ptr;
    if (!code && !access(*scenarios, R_OK)) {
        code = cli_read_input(args, a, *scenarios, limits->yaml_bytes, &out->scenarios);
    }
    return code;
}

/* Places of faults are not told here; motet guard run tells them with line and
 * column. */
static int read_map(const cli_args *args, mt_arena *a, mt_str text, gd_map *out)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_buf why = {0};
    mt_form form = {.arena = a, .report = mt_form_join, .state = &why};
    bool good =
        !mt_yaml_read(a, text, NULL, tree, NULL) && gd_map_read(&form, tree, out);
    int code =
        good ? CLI_HOLDS
             : cli_fail(args, CLI_FAILS, "%s: %.*s", cli_value(args, "map"),
                        MT_ARG(why.len ? mt_buf_str(&why) : MT_STR("it is not YAML")));
    mt_buf_free(&why);
    return code;
}

/* Paths in the diff are as they were given, so patch -p0 finds the files from here. */
static int print(const cli_args *args, const gd_files *old, const gd_files *new,
                 const char *scenarios)
{
    mt_buf out = {0};
    cli_diff_text(&out, mt_str_z(cli_value(args, "contract")), old->contract,
                  new->contract);
    cli_diff_text(&out, mt_str_z(cli_value(args, "map")), old->map, new->map);
    if (old->scenarios.ptr) {
        cli_diff_text(&out, mt_str_z(scenarios), old->scenarios, new->scenarios);
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

int cmd_guard_suggest(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf notes = {0};
    mt_limits limits = cli_limits(args);
    gd_files old = {0};
    gd_map map;
    seen_calls seen = {0};
    const char *scenarios = "";
    int code = read_files(args, &a, &limits, &old, &scenarios);
    code = code ? code : read_map(args, &a, old.map, &map);
    code = code ? code : read_calls(args, &a, &seen);
    if (!code && !seen.len) {
        code = cli_fail(args, CLI_FAILS, "the ledger has no calls of tools");
    }
    if (!code) {
        gd_files new = gd_suggest(&a, seen.items, seen.len, &map, &old, &notes);
        fwrite(notes.ptr, 1, notes.len, stderr);
        code = print(args, &old, &new, scenarios);
    }
    mt_buf_free(&notes);
    mt_arena_free(&a);
    return code;
}
