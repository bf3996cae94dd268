/* cli/cmd_explain.c - motet explain: a contract in prose, and why things are so.
 * Room: cli. Options are checked before the contract is loaded; answer/explain.c
 * chooses and answers. Exit status: 0 what was asked for holds, 1 it does not or the
 * contract has faults, 2 the options do not go together. */
#include <unistd.h>

#include "answer/explain.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/holes.h"

/* clang-format off */
const cli_option CMD_EXPLAIN_OPTIONS[] = {
    {"verdict", "V",              "why is verdict V present or absent on these facts?"},
    {"operation", "O",            "why may operation O be performed, or what refuses it?"},
    {"flow",    "ID",             "why is the flow open to --persona, or what blocks it?"},
    {"persona", "P",              "for --flow; with --operation, who tries it"},
    {"all",     NULL,             "every minimal reason, of --verdict or --operation"},
    {"change",  NULL,             "the smallest change of facts that would make it hold"},
    CLI_HOLES_OPTIONS,
    {"facts",   "FILE",           "facts as a JSON object; - is standard input"},
    {"states",  "FILE",           "instances and their states, JSON or YAML"},
    {"state",   "E[/INST]=STATE", "one instance and its state; may repeat"},
    {"format",  "FORM",           "text, markdown or json"},
    {"verbose", NULL,             "preconditions, effects and deciders too"},
    {"strict",  NULL,             "refuse facts the contract does not declare"},
    {"json",    NULL,             "same as --format json"},
    {"pretty",  NULL,             "lay the JSON out in lines"},
    {NULL, NULL, NULL},
};

const char CMD_EXPLAIN_DETAILS[] =
"Without --verdict, --operation and --flow: the whole contract in prose. With\n"
"--verdict: why the verdict is present or absent, told from the rule down to the\n"
"facts, each time the smallest set of conditions that decides it. With --operation:\n"
"why it may be performed, or what refuses it. With --flow and --persona: why the\n"
"persona can start the flow, or the smallest set of facts, verdicts or states that\n"
"stands in its way.\n\n"
"--all lists every minimal reason: each is enough by itself, and without any of its\n"
"parts it is not. --change says which facts would have to be otherwise: as few as\n"
"can be, with values near to those they have, tried by the evaluator before they are\n"
"shown; or that no change of facts helps. Both ask the solver.\n\n"
"--unknown F,F and --partial leave facts open: what the verdict or the precondition\n"
"depends on is then told.\n\n"
"Exit status 0 if the verdict is present, the flow open, the operation possible or\n"
"a change found, 1 if not.";
/* clang-format on */

typedef enum form { FORM_TEXT, FORM_MARKDOWN, FORM_JSON, FORM_UNKNOWN } form;

/* --json is short for --format json. */
static form wanted_form(const cli_args *args)
{
    static const char *const NAMES[] = {
        [FORM_TEXT] = "text",
        [FORM_MARKDOWN] = "markdown",
        [FORM_JSON] = "json",
    };
    MT_TABLE_COVERS(NAMES, FORM_UNKNOWN);
    const char *name = cli_value(args, "format");
    if (cli_flag(args, "json")) {
        return FORM_JSON;
    }
    for (int i = 0; name && i < FORM_UNKNOWN; i++) {
        if (!strcmp(name, NAMES[i])) {
            return (form)i;
        }
    }
    return !name || !strcmp(name, "terminal") ? FORM_TEXT : FORM_UNKNOWN;
}

/* Colour only where a terminal reads it; markdown has its own marks. */
static an_explain_form prose_form(const cli_args *args, form f)
{
    return f == FORM_MARKDOWN                      ? AN_EXPLAIN_MARKDOWN
           : cli_wants_colour(args, STDOUT_FILENO) ? AN_EXPLAIN_COLOUR
                                                   : AN_EXPLAIN_TEXT;
}

/* A contract is explained without facts; all else needs them, since the answer is about
 * this case. */
static int explain(cli_engine *e, aw_explain_request *q)
{
    cli_holes h = {0};
    aw_reply r = {0};
    int code = CLI_HOLDS;
    if (cli_has_holes(e->args)) {
        code = cli_holes_facts(e, &h);
        q->holes = &h.x;
    } else if (aw_explain_needs_facts(q)) {
        code = cli_engine_facts(e);
        code = code ? code : cli_engine_states(e);
    }
    if (!code) {
        code = cli_reply(e->args, &e->contract, &r, aw_explain(&e->x, q, &r));
    }
    cli_holes_free(&h);
    return code;
}

/* `states` says only whether any were given; they are read with the facts. The options
 * are checked against each other before the contract is loaded, so a slip is told at
 * once. */
int cmd_explain(const cli_args *args)
{
    form f = wanted_form(args);
    aw_reply r = {0};
    if (f == FORM_UNKNOWN) {
        return cli_fail(args, CLI_USAGE, "--format is text, markdown or json");
    }
    aw_explain_request q = {.verdict = mt_str_z(cli_value(args, "verdict")),
                            .operation = mt_str_z(cli_value(args, "operation")),
                            .flow = mt_str_z(cli_value(args, "flow")),
                            .persona = mt_str_z(cli_value(args, "persona")),
                            .all = cli_flag(args, "all"),
                            .change = cli_flag(args, "change"),
                            .states =
                                cli_value(args, "states") || cli_value(args, "state"),
                            .json = f == FORM_JSON,
                            .form = prose_form(args, f),
                            .verbose = cli_flag(args, "verbose")};
    int code = cli_reply(args, NULL, &r, aw_explain_check(&q, cli_has_holes(args), &r));
    if (code) {
        return code;
    }
    cli_engine e;
    code = cli_engine_load(args, args->operands[0], &e);
    code = code ? code : explain(&e, &q);
    cli_engine_free(&e);
    return code;
}
