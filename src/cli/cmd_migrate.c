/* cli/cmd_migrate.c - motet migrate: a plan for moving to a new version.
 *
 * Instances under way are read from a file and judged by answer/flights.c. A row that
 * cannot be read ends the command with its number. Exit status 1: some instance cannot
 * go on. */
#include "answer/flights.h"
#include "base/form.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/versions.h"

/* clang-format off */
const cli_option CMD_MIGRATE_OPTIONS[] = {
    {"flows",      "FILE", "flow instances under way, JSON or YAML"},
    {"aggressive", NULL,   "leave out steps that the frozen snapshot rules out"},
    {"only-worse", NULL,   "report only what the new version makes worse"},
    {"json",       NULL,   "print the plan as JSON"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_MIGRATE_DETAILS[] =
    "Says for every flow of OLD which policy fits (blue_green, force_migrate, abort),\n"
    "and for every instance of --flows whether it can go on under NEW, and why not.\n\n"
    "FILE is a list of instances: {\"id\", \"position\", \"facts\", \"states\"} with a "
    "position\n"
    "as the engine writes it, or {\"id\", \"flow\", \"step\", \"facts\", \"states\"}. "
    "facts are\n"
    "those frozen when the flow began, states the present ones.\n\n"
    "--only-worse judges each instance under OLD alike: what stands in its way there "
    "too,\n"
    "on ways that did not change, is not reported.\n\n"
    "Exit status 1: some instance cannot go on (with --only-worse: is worse off);\n"
    "without --flows: a migration policy must be declared.";

/* ---- The file ---- */

typedef struct document {
    const mt_json *flows;
} document;

static const mt_form_row DOCUMENT[] = {
    MT_FORM_LIST(document, flows, "flows", 0, UINT32_MAX, MT_FORM_REQUIRED),
};

typedef struct flights {
    const cli_args *args;
    const char *path; /* of the file, for messages */
    aw_flights x;
} flights;

static mt_arena *arena_of(const flights *f)
{
    return &f->x.v->new.contract.arena;
}

/* A list, or an object that has it as `flows`. NULL: it was said why not. */
static const mt_json *list_of(const flights *f, const mt_json *tree)
{
    document found = {.flows = tree};
    mt_buf why = {0};
    mt_form form = {.arena = arena_of(f),
                    .what = "a file of instances",
                    .report = mt_form_join,
                    .state = &why};
    if (!mt_json_is(tree, MT_JSON_ARRAY) &&
        !mt_form_read(&form, tree, DOCUMENT, mt_form_count(DOCUMENT), &found)) {
        cli_fail(f->args, CLI_FAILS, "%s: %.*s", f->path, MT_ARG(why));
        found.flows = NULL;
    }
    mt_buf_free(&why);
    return found.flows;
}

static int read_flights(flights *f)
{
    mt_json *tree = mt_new(arena_of(f), mt_json);
    int code = cli_read_tree(f->args, arena_of(f), f->path,
                             &f->x.v->new.contract.limits, tree);
    if (code) {
        return code;
    }
    const mt_json *list = list_of(f, tree);
    if (!list) {
        return CLI_FAILS;
    }
    aw_reply r = {0};
    code = aw_flights_read(&f->x, list, &r);
    if (code) {
        cli_fail(f->args, code, "%s: %.*s", f->path, MT_ARG(r.messages.items[0]));
    }
    aw_reply_free(&r);
    return code;
}

/* Without flights the question is whether a policy is needed; with them, whether one
 * of them is incompatible. */
static int print(flights *f)
{
    const cli_args *args = f->args;
    an_migration m;
    mt_buf out = {0};
    an_migrate_options options = {.aggressive = cli_flag(args, "aggressive"),
                                  .only_worse = cli_flag(args, "only-worse")};
    aw_flights_judge(&f->x, options, &m);
    if (cli_flag(args, "json")) {
        mt_jw w = mt_jw_start(&out, true);
        an_migration_json(&w, &m);
    } else {
        an_migration_text(&out, &m);
    }
    uint32_t bad = options.only_worse ? m.worse : m.incompatible;
    bool fails = f->path ? bad > 0 : m.diff->policy_required;
    return cli_engine_print(args, &out, fails ? CLI_FAILS : CLI_HOLDS);
}

/* Without --flows the versions alone are judged. */
int cmd_migrate(const cli_args *args)
{
    if (cli_flag(args, "only-worse") && !cli_value(args, "flows")) {
        return cli_fail(args, CLI_USAGE, "--only-worse judges instances: give --flows");
    }
    cli_versions v;
    int code = cli_versions_load(args, &v);
    if (!code) {
        flights f = {.args = args, .path = cli_value(args, "flows"), .x = {.v = &v}};
        code = f.path ? read_flights(&f) : CLI_HOLDS;
        code = code ? code : print(&f);
        aw_flights_free(&f.x);
    }
    cli_versions_free(&v);
    return code;
}
