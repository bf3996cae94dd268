/* cli/cmd_guard_decide.c - motet guard decide: one call, for the hook of a coding
 * agent. Room: cli. A program that runs agents gives a hook the call as JSON and goes
 * by its exit status: 2 holds the call back, and what is on standard error is told to
 * the agent; 0 lets it pass, and so does every other status there is. So whatever goes
 * wrong here ends with 2, too, unless --fault says otherwise. */
#include <stdio.h>
#include <stdlib.h>

#include "base/form.h"
#include "cli/commands.h"
#include "cli/guarded.h"

enum { ALLOWED = 0, REFUSED = 2, WAIT_MS = 5000 };

/* clang-format off */
const cli_option CMD_GUARD_DECIDE_OPTIONS[] = {
    {"contract",    "FILE", "the contract that decides"},
    {"map",         "FILE", "which tool is which operation (YAML or JSON)"},
    {"store",       "URL",  "where everything is kept (sqlite:motet.db)"},
    {"observe",     NULL,   "decide and record, but refuse nothing"},
    {"fault",       "CODE", "exit status if it could not be decided: 2 (as refused) or 1"},
    {"as",          "ID",   "who calls, for the map's identities (uid:NUMBER)"},
    {"signing-key", "FILE", "sign the ledger"},
    {"config",      "FILE", "settings as of motet serve: sources, executor, distinct"},
    {NULL, NULL, NULL},
};
const char CMD_GUARD_DECIDE_DETAILS[] =
    "Reads one call as JSON from standard input: tool_name (or name) and tool_input (or "
    "arguments); other members are passed over. Exit status 0: it is allowed, recorded, "
    "and its effects are committed, since nobody will tell what became of it. 2: it is "
    "refused, with the reason on standard error.\n\n"
    "What could not be decided is not allowed: it ends with 2, too, because programs "
    "that run hooks let a call pass at any other status. --fault 1 tells it apart.";
/* clang-format on */

/* Two spellings of the same call: hooks of coding agents say tool_name and tool_input,
 * MCP says name and arguments. The first is taken where both are there. */
typedef struct asked {
    mt_str tool, name;
    const mt_json *input, *arguments;
} asked;

static const mt_form_row ASKED[] = {
    MT_FORM_NAME(asked, tool, "tool_name", 4096, 0),
    MT_FORM_NAME(asked, name, "name", 4096, 0),
    MT_FORM_OBJECT(asked, input, "tool_input", 0),
    MT_FORM_OBJECT(asked, arguments, "arguments", 0),
};

/* Members that are not in the table are allowed: hooks hand over much more than the
 * call. `raw` is the text of the arguments as it came, for the record. */
static int read_call(cli_guarded *g, gd_call *out)
{
    mt_str text;
    mt_json tree;
    mt_json_error error = {0};
    mt_json_limits limits = {g->in.limits.mcp_bytes, g->in.limits.json_depth};
    mt_buf why = {0};
    asked call = {0};
    mt_form form = {.arena = &g->in.arena,
                    .what = "the call",
                    .report = mt_form_join,
                    .state = &why,
                    .unknown = MT_FORM_ALLOWED};
    int code =
        cli_read_text(g->in.args, &g->in.arena, "-", g->in.limits.mcp_bytes, &text);
    if (code) {
        return code;
    }
    if (mt_json_read(&g->in.arena, text, &limits, &tree, &error)) {
        return cli_fail(g->in.args, CLI_FAILS, "the call is not JSON: byte %zu: %s",
                        error.offset, error.message ? error.message : "malformed");
    }
    bool good = mt_form_read(&form, &tree, ASKED, mt_form_count(ASKED), &call);
    mt_str name = call.tool.len ? call.tool : call.name;
    if (!good || !name.len) {
        code = cli_fail(
            g->in.args, CLI_FAILS, "%.*s",
            MT_ARG(good ? MT_STR("the call has no tool_name") : mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    const mt_json *arguments = call.input ? call.input : call.arguments;
    *out = (gd_call){.tool = name,
                     .arguments = arguments,
                     .raw = arguments ? gd_raw(text, arguments) : (mt_str){0},
                     .closes = true};
    return code;
}

/* In observation a refused call goes on, and standard error says "observed: ..." with
 * what would have held it back. */
static int decide(cli_guarded *g, int fault)
{
    gd_call call;
    int code = read_call(g, &call);
    if (code) {
        return fault;
    }
    gd_decision d = gd_begin(&g->desk, &g->in.arena, &call);
    if (!d.goes_on || d.refused) {
        fprintf(stderr, "%s%.*s\n", d.goes_on ? "observed: " : "", MT_ARG(d.words));
    }
    return d.goes_on ? ALLOWED : d.refused ? REFUSED : fault;
}

/* Hooks run at the same time and a store has one owner: each waits up to WAIT_MS for
 * the one before it. */
int cmd_guard_decide(const cli_args *args)
{
    cli_guarded g;
    const char *said = cli_value(args, "fault");
    if (said && strcmp(said, "1") != 0 && strcmp(said, "2") != 0) {
        return cli_fail(args, CLI_USAGE, "--fault is 1 or 2");
    }
    int fault = said && said[0] == '1' ? 1 : REFUSED;
    int code = cli_guarded_open(&g, args, WAIT_MS);
    code = code ? fault : decide(&g, fault);
    cli_guarded_close(&g);
    return code;
}
