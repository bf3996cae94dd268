/* cli/cmd_explain.c - motet explain: a contract in prose, and why things are so.
 * Room: cli. */
#include <unistd.h>

#include "analyze/explain/explain.h"
#include "cli/commands.h"
#include "cli/engine.h"

/* clang-format off */
const cli_option CMD_EXPLAIN_OPTIONS[] = {
    {"verdict", "V",              "why is verdict V present or absent on these facts?"},
    {"flow",    "ID",             "why is the flow open to --persona, or what blocks it?"},
    {"persona", "P",              "for --flow"},
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
"Without --verdict and --flow: the whole contract in prose. With --verdict: why the\n"
"verdict is present or absent, told from the rule down to the facts, each time the\n"
"smallest set of conditions that decides it. With --flow and --persona: why the\n"
"persona can start the flow, or the smallest set of facts, verdicts or states that\n"
"stands in its way. Exit status 0 if the verdict is present or the flow open, 1 if\n"
"not.";
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

static int explain_contract(cli_engine *e, form f)
{
    mt_buf out = {0};
    if (f == FORM_JSON) {
        an_explain_contract_json(&out, e->plan);
    } else {
        an_explain_contract(&out, e->plan, prose_form(e->args, f),
                            cli_flag(e->args, "verbose"));
    }
    return cli_engine_print(e->args, &out, CLI_HOLDS);
}

/* Why it is present, or what is missing for it. */
static int explain_verdict(cli_engine *e, form f, const char *name)
{
    mt_buf out = {0};
    uint32_t rule = ct_model_find(e->model, CT_KIND_VERDICT, mt_str_z(name));
    if (rule == CT_NONE) {
        return cli_fail(e->args, CLI_FAILS, "no rule produces verdict '%s'", name);
    }
    if (f == FORM_JSON) {
        an_explain_verdict_json(&out, &e->frozen, rule);
    } else {
        an_explain_verdict(&out, &e->frozen, rule, prose_form(e->args, f));
    }
    return cli_engine_print(e->args, &out,
                            ct_verdict_present(e->bench.verdicts, rule) ? CLI_HOLDS
                                                                        : CLI_FAILS);
}

/* Exit status 1 when the flow is blocked for this persona. */
static int explain_flow(cli_engine *e, form f, const char *name)
{
    mt_buf out = {0};
    bool open;
    mt_str persona = mt_str_z(cli_value(e->args, "persona"));
    uint32_t flow = ct_model_find(e->model, CT_KIND_FLOW, mt_str_z(name));
    if (flow == CT_NONE) {
        return cli_fail(e->args, CLI_FAILS, "flow '%s' not found in contract", name);
    }
    if (f == FORM_JSON) {
        an_explain_flow_json(&out, &e->frozen, &e->states, flow, persona, &open);
    } else {
        an_explain_flow(&out, &e->frozen, &e->states, flow, persona,
                        prose_form(e->args, f), &open);
    }
    return cli_engine_print(e->args, &out, open ? CLI_HOLDS : CLI_FAILS);
}

/* A contract is explained without facts; a verdict and a flow need them, since the
 * answer is about this case. */
int cmd_explain(const cli_args *args)
{
    const char *verdict = cli_value(args, "verdict"), *flow = cli_value(args, "flow");
    form f = wanted_form(args);
    if (f == FORM_UNKNOWN) {
        return cli_fail(args, CLI_USAGE, "--format is text, markdown or json");
    }
    if ((verdict && flow) || (flow && !cli_value(args, "persona"))) {
        return cli_fail(args, CLI_USAGE,
                        "give --verdict V, or --flow ID with --persona P");
    }
    cli_engine e;
    int code = cli_engine_load(args, args->operands[0], &e);
    if (!code && (verdict || flow)) {
        code = cli_engine_facts(&e);
        code = code ? code : cli_engine_states(&e);
    }
    if (!code) {
        code = verdict ? explain_verdict(&e, f, verdict)
               : flow  ? explain_flow(&e, f, flow)
                       : explain_contract(&e, f);
    }
    cli_engine_free(&e);
    return code;
}
