/* cli/cmd_explain.c - motet explain: a contract in prose, and why things are so.
 * Room: cli. Options are checked before the contract is loaded: at most one subject,
 * and what belongs to it. Then one of four ways: the whole contract; facts that are
 * partly unknown (--unknown, --partial); proofs (--all, --change, in cli/explain.c);
 * or the facts as they are. All prose and JSON is made by analyze/explain; this file
 * chooses and gives the exit status.
 * A name that the contract does not have is CLI_FAILS with the nearest one, not
 * CLI_USAGE: the command was used rightly, and its answer is no. */
#include <unistd.h>

#include "analyze/explain/explain.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/explain.h"
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
        return cli_fail(
            e->args, CLI_FAILS, "no rule produces verdict '%s'%s", name,
            cli_near(&e->contract.arena, e->model, CT_KIND_VERDICT, mt_str_z(name)));
    }
    if (f == FORM_JSON) {
        ct_partial *deep = ct_partial_new(e->plan->program);
        an_explain_verdict_json(&out, &e->frozen, rule, deep);
        ct_partial_free(deep);
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
        return cli_fail(
            e->args, CLI_FAILS, "flow '%s' not found in contract%s", name,
            cli_near(&e->contract.arena, e->model, CT_KIND_FLOW, mt_str_z(name)));
    }
    if (f == FORM_JSON) {
        ct_partial *deep = ct_partial_new(e->plan->program);
        an_explain_flow_json(&out, &e->frozen, &e->states, flow, persona, deep, &open);
        ct_partial_free(deep);
    } else {
        an_explain_flow(&out, &e->frozen, &e->states, flow, persona,
                        prose_form(e->args, f), &open);
    }
    return cli_engine_print(e->args, &out, open ? CLI_HOLDS : CLI_FAILS);
}

static uint32_t operation_named(cli_engine *e, const char *name)
{
    uint32_t op = ct_model_find(e->model, CT_KIND_OPERATION, mt_str_z(name));
    if (op == CT_NONE) {
        cli_fail(
            e->args, CLI_FAILS, "operation '%s' not found in contract%s", name,
            cli_near(&e->contract.arena, e->model, CT_KIND_OPERATION, mt_str_z(name)));
    }
    return op;
}

/* Exit status 1 when it is refused. Without --persona, --states and --state only the
 * facts are asked. */
static int explain_operation(cli_engine *e, form f, uint32_t op)
{
    mt_buf out = {0};
    /* Every engine has states, those of the beginning if none are given; here they
     * would refuse an operation for a reason that nobody asked about. */
    bool asked = cli_value(e->args, "states") || cli_value(e->args, "state");
    an_try what = {.operation = op,
                   .persona = mt_str_z(cli_value(e->args, "persona")),
                   .states = asked ? e->binding.states : NULL,
                   .instances = asked ? e->binding.instances : NULL};
    ct_partial *deep = ct_partial_new(e->plan->program);
    bool open =
        f == FORM_JSON
            ? an_explain_operation_json(&out, &e->frozen, &what, deep)
            : an_explain_operation(&out, &e->frozen, &what, prose_form(e->args, f));
    ct_partial_free(deep);
    return cli_engine_print(e->args, &out, open ? CLI_HOLDS : CLI_FAILS);
}

/* ---- Facts that are not known ---- */

static int partly(cli_engine *e, form f, ct_partial *x)
{
    const char *verdict = cli_value(e->args, "verdict");
    const char *operation = cli_value(e->args, "operation");
    an_explain_form prose = prose_form(e->args, f);
    mt_buf out = {0};
    ct_partly state;
    if (operation) {
        uint32_t op = operation_named(e, operation);
        if (op == CT_NONE) {
            return CLI_FAILS;
        }
        state = f == FORM_JSON ? an_explain_operation_partly_json(&out, x, op)
                               : an_explain_operation_partly(&out, x, op, prose);
        return cli_engine_print(e->args, &out,
                                state == CT_PARTLY_PRESENT ? CLI_HOLDS : CLI_FAILS);
    }
    uint32_t rule = ct_model_find(e->model, CT_KIND_VERDICT, mt_str_z(verdict));
    if (rule == CT_NONE) {
        return cli_fail(
            e->args, CLI_FAILS, "no rule produces verdict '%s'%s", verdict,
            cli_near(&e->contract.arena, e->model, CT_KIND_VERDICT, mt_str_z(verdict)));
    }
    if (f == FORM_JSON) {
        an_explain_verdict_partly_json(&out, x, rule);
    } else {
        an_explain_verdict_partly(&out, x, rule, prose);
    }
    state = (ct_partly)ct_partial_rule(x, rule)->state;
    return cli_engine_print(e->args, &out,
                            state == CT_PARTLY_PRESENT ? CLI_HOLDS : CLI_FAILS);
}

static int explain_partly(cli_engine *e, form f)
{
    cli_holes h = {0};
    if (!cli_value(e->args, "verdict") && !cli_value(e->args, "operation")) {
        return cli_fail(e->args, CLI_USAGE,
                        "--unknown and --partial need --verdict or --operation");
    }
    int code = cli_holes_facts(e, &h);
    code = code ? code : partly(e, f, h.partial);
    cli_holes_free(&h);
    return code;
}

/* ---- The command ---- */

/* What --verdict or --operation names, for --all and --change. */
static int with_proofs(cli_engine *e, form f)
{
    const char *verdict = cli_value(e->args, "verdict");
    const char *operation = cli_value(e->args, "operation");
    cli_subject what = {.rule = CT_NONE, .operation = CT_NONE};
    if (verdict) {
        what.rule = ct_model_find(e->model, CT_KIND_VERDICT, mt_str_z(verdict));
        if (what.rule == CT_NONE) {
            return cli_fail(e->args, CLI_FAILS, "no rule produces verdict '%s'%s",
                            verdict,
                            cli_near(&e->contract.arena, e->model, CT_KIND_VERDICT,
                                     mt_str_z(verdict)));
        }
    } else if ((what.operation = operation_named(e, operation)) == CT_NONE) {
        return CLI_FAILS;
    }
    an_explain_form prose = prose_form(e->args, f);
    return cli_flag(e->args, "change")
               ? cli_explain_change(e, &what, f == FORM_JSON)
               : cli_explain_all(e, &what, f == FORM_JSON, prose);
}

static int explain_on_facts(cli_engine *e, form f)
{
    const char *verdict = cli_value(e->args, "verdict");
    const char *operation = cli_value(e->args, "operation");
    int code = cli_engine_facts(e);
    code = code ? code : cli_engine_states(e);
    if (code) {
        return code;
    }
    if (cli_flag(e->args, "all") || cli_flag(e->args, "change")) {
        return with_proofs(e, f);
    }
    if (operation) {
        uint32_t op = operation_named(e, operation);
        return op == CT_NONE ? CLI_FAILS : explain_operation(e, f, op);
    }
    return verdict ? explain_verdict(e, f, verdict)
                   : explain_flow(e, f, cli_value(e->args, "flow"));
}

/* One subject at most, and what belongs to it. */
static int check_options(const cli_args *args)
{
    bool flow = cli_value(args, "flow"), verdict = cli_value(args, "verdict");
    bool operation = cli_value(args, "operation");
    bool proofs = cli_flag(args, "all") || cli_flag(args, "change");
    if (flow + verdict + operation > 1 || (flow && !cli_value(args, "persona"))) {
        return cli_fail(args, CLI_USAGE,
                        "give --verdict V, or --operation O, or --flow ID with "
                        "--persona P");
    }
    if (proofs && !verdict && !operation) {
        return cli_fail(args, CLI_USAGE,
                        "--all and --change need --verdict or --operation");
    }
    if ((cli_flag(args, "all") && cli_flag(args, "change")) ||
        (proofs && cli_has_holes(args))) {
        return cli_fail(args, CLI_USAGE,
                        "--all, --change and unknown facts exclude each other");
    }
    return CLI_HOLDS;
}

/* A contract is explained without facts; all else needs them, since the answer is about
 * this case. */
int cmd_explain(const cli_args *args)
{
    form f = wanted_form(args);
    if (f == FORM_UNKNOWN) {
        return cli_fail(args, CLI_USAGE, "--format is text, markdown or json");
    }
    int code = check_options(args);
    if (code) {
        return code;
    }
    bool about = cli_value(args, "flow") || cli_value(args, "verdict") ||
                 cli_value(args, "operation");
    cli_engine e;
    code = cli_engine_load(args, args->operands[0], &e);
    if (!code) {
        code = cli_has_holes(args) ? explain_partly(&e, f)
               : about             ? explain_on_facts(&e, f)
                                   : explain_contract(&e, f);
    }
    cli_engine_free(&e);
    return code;
}
