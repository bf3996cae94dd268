/* cli/cmd_guard_init.c - motet guard init: asks a server for its tools and writes a
 * contract, a map and scenarios to begin with. Room: cli. The directory must be new, so
 * nothing of anybody is overwritten. The server is started, asked once and ended before
 * the first file is written. Exit status 1 when it has no tools, 3 when it does not
 * start, does not answer within ASK_MS, or a file fails. */
#include <signal.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "guard/init.h"

/* clang-format off */
const cli_option CMD_GUARD_INIT_OPTIONS[] = {
    {"dir", "DIR", "where to write them; it must be new (guard)"},
    {NULL, NULL, NULL},
};
const char CMD_GUARD_INIT_DETAILS[] =
    "Starts COMMAND, an MCP server on standard input and output, asks it for its tools, and "
    "writes guard.tenor (an operation for each tool, and what it acts on), map.yaml and "
    "guard.scenarios.yaml. What a server says about its tools (that one only reads, that one "
    "destroys) is its own word: look at it before you rely on it.\n\n"
    "Then let an agent work while motet guard run --observe looks on, and tighten the "
    "contract.";
/* clang-format on */

enum { ASK_MS = 30000 };

/* Makes one file's text of the tools. */
typedef void writer(mt_buf *out, mt_arena *a, const gd_tools *tools);

static int write_one(const cli_args *args, mt_arena *a, const char *dir,
                     const char *name, writer *make, const gd_tools *tools)
{
    mt_buf out = {0};
    make(&out, a, tools);
    mt_str path = mt_strf(a, "%s/%s", dir, name);
    int code = cli_write_text(args, path.ptr, mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* Tools with names that cannot be printed, or are too long, are not in the files: the
 * guard refuses what the map does not name, unless its `unmapped` says otherwise. The
 * command that is shown repeats COMMAND as it was given, for the next step. */
static int tell(mt_arena *a, const cli_args *args, const char *dir,
                const gd_tools *tools)
{
    if (tools->left_out) {
        cli_fail(args, CLI_HOLDS,
                 "%zu tools are left out: their names are not printable, or too long",
                 tools->left_out);
    }
    mt_buf command = {0};
    for (int i = 0; i < args->count; i++) {
        mt_buf_addf(&command, " %s", args->operands[i]);
    }
    mt_str text = mt_strf(
        a,
        "%s: %zu tools\n\nLook on first, and refuse nothing:\n"
        "  motet guard run --observe --contract %s/guard.tenor --map %s/map.yaml "
        "--%.*s\n",
        dir, tools->count, dir, dir, MT_ARG(mt_buf_str(&command)));
    mt_buf_free(&command);
    return cli_print(text);
}

static int write_all(const cli_args *args, mt_arena *a, const gd_tools *tools)
{
    const char *dir = cli_value(args, "dir");
    dir = dir ? dir : "guard";
    if (mkdir(dir, 0777)) {
        return cli_fail(args, CLI_WORLD, "%s: %s", dir, cli_why(MT_E_IO));
    }
    int code = write_one(args, a, dir, "guard.tenor", gd_init_contract, tools);
    code = code ? code : write_one(args, a, dir, "map.yaml", gd_init_map, tools);
    code = code ? code
                : write_one(args, a, dir, "guard.scenarios.yaml", gd_init_scenarios,
                            tools);
    return code ? code : tell(a, args, dir, tools);
}

int cmd_guard_init(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf why = {0};
    gd_tools tools;
    mt_limits limits = cli_limits(args);
    signal(SIGPIPE, SIG_IGN); /* a server may end while it is asked */
    mt_err err =
        gd_ask_tools(&a, args->operands, ASK_MS, limits.guard_bytes, &tools, &why);
    int code = err ? cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)))
               : !tools.count ? cli_fail(args, CLI_FAILS, "the server has no tools")
                              : write_all(args, &a, &tools);
    mt_buf_free(&why);
    mt_arena_free(&a);
    return code;
}
