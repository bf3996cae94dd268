/* cli/cmd_eval.c - motet eval: which verdicts do these facts give?
 *
 * The contract is loaded and compiled once; facts come from a file, from their sources
 * (cli/fetch.c) or both. --lines evaluates every line as a fact set of its own with
 * the same memory and flushes its output as it goes, so it can stand in a pipe; a
 * fault of one line is that line's result. --flow and --operation go on in
 * cmd_eval_flow.c.
 *
 * One deadline and one budget of steps per evaluation (limits eval_ms, eval_steps). */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/contract.h"
#include "cli/engine.h"
#include "cli/fetch.h"
#include "cli/holes.h"
#include "contract/eval/facts.h"
#include "contract/eval/program.h"
#include "contract/flow/text.h"

/* clang-format off */
const cli_option CMD_EVAL_OPTIONS[] = {
    {"facts",  "FILE", "facts as a JSON object; - is standard input"},
    {"sources", "CONFIG", "fetch facts from their sources as this file says"},
    {"param",   "NAME=VALUE", "fills {NAME} in the path of a source; may repeat"},
    {"provenance", "FILE", "write where the fetched facts came from, JSON"},
    {"lines",  NULL,   "evaluate every line of the facts; JSON lines out"},
    CLI_HOLES_OPTIONS,
    {"flow",      "ID",             "run this flow in memory, as --persona"},
    {"operation", "ID",             "or try this one operation"},
    {"persona",   "P",              "who acts"},
    {"outcome",   "O",              "which outcome, where several match the states"},
    {"states",    "FILE",           "instances and their states, JSON or YAML"},
    {"state",     "E[/INST]=STATE", "one instance and its state; may repeat"},
    {"bind",      "E=INST",         "which instance a flow works on; may repeat"},
    {"dry-run",   NULL,             "mark every record as a simulation"},
    {"strict", NULL,   "refuse facts the contract does not declare"},
    {"json",   NULL,   "print JSON"},
    {"pretty", NULL,   "lay the JSON of a flow out in lines"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_EVAL_DETAILS[] =
    "Assembles the facts (every value is checked against its declared type, down to\n"
    "the last field), evaluates the rules stratum by stratum and prints the verdicts\n"
    "with their provenance. A fault names its type and the path of the fact; nothing\n"
    "is computed past it. With --lines each line of the facts is one fact set and\n"
    "each line printed one result, faults included: the exit status is then 1 if any\n"
    "line had a fault.\n\n"
    "--sources CONFIG fetches the facts whose source is structured and that are not\n"
    "in the file, as the `sources` of the configuration say "
    "(docs/reference/facts.md).\n\n"
    "--unknown F,F and --partial leave facts open: each verdict is then present,\n"
    "absent, or depends on a condition over what is not known, in the language, and\n"
    "so does the precondition of each operation.\n\n"
    "--flow runs a flow on the verdicts to its end: nothing is stored, what would\n"
    "change is printed. Entities nobody mentions have one instance, _default, in the\n"
    "initial state. Exit status 1 if the flow breaks off or the operation is refused.";

typedef struct evaluation {
    const cli_args *args;
    cli_contract contract;
    const ct_program *program; /* compiled once, for all lines */
    ct_facts *facts;           /* reused from line to line */
    ct_verdicts *verdicts;     /* likewise */
    mt_arena errors;           /* texts of one fault; reset before each evaluation */
    os_deadline deadline;      /* of one evaluation */
    ct_surplus surplus;        /* of all fact sets, unless it is refused */
} evaluation;

/* Assembles and evaluates one fact set; false: *fault says why not. `line` is where it
 * stands, for warnings; 0: there is only one. */
static bool evaluate(evaluation *e, mt_str text, size_t line, ct_fault *fault)
{
    bool strict = cli_flag(e->args, "strict");
    mt_arena_reset(&e->errors);
    /* The deadline is begun anew by the next question about it, so each fact set has
     * all of it. */
    e->deadline.end_ms = 0;
    mt_err err = ct_facts_read(e->facts, text, &e->contract.limits, strict, fault);
    if (!strict && ct_facts_surplus(e->facts)) {
        mt_str where = line ? mt_strf(&e->errors, "line %zu: ", line) : MT_STR("");
        ct_surplus_add(&e->surplus, e->facts, text, &e->contract.limits, where);
    }
    return !err && !ct_evaluate(e->program, e->facts, e->verdicts, &e->errors, fault);
}

/* A fault of the evaluation is an answer in JSON on stdout, so that a program reads one
 * stream whatever came out. */
static int print_fault(evaluation *e, const ct_fault *f)
{
    if (!cli_flag(e->args, "json")) {
        aw_reply r = {0};
        return cli_reply(e->args, &e->contract, &r, aw_fail_evaluation(&r, f));
    }
    mt_buf out = {0};
    ct_fault_json(&out, f);
    mt_buf_addc(&out, '\n');
    int printed = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return printed ? printed : CLI_FAILS;
}

/* In the order of rules, which is the order of strata. */
static void verdicts_text(mt_buf *out, const evaluation *e)
{
    const ct_model *m = ct_program_model(e->program);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        count += ct_verdict_present(e->verdicts, i);
    }
    if (!count) {
        mt_buf_addz(out, "no verdicts produced\n");
        return;
    }
    mt_buf_addf(out, "%u verdict(s) produced:\n", count);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        const ct_value *payload = ct_verdict_payload(e->verdicts, i);
        const ct_rule *r = &m->rules[i];
        if (payload) {
            mt_buf_addf(out, "  [%.*s] ", MT_ARG(r->verdict));
            ct_value_text(out, r->payload_type, payload);
            mt_buf_addf(out, " (rule: %.*s, stratum: %u)\n", MT_ARG(r->id), r->stratum);
        }
    }
}

/* A fault is exit status 1 with a sentence, or an object with --json. */
static int eval_once(evaluation *e, mt_str text)
{
    ct_fault fault = {0};
    if (!evaluate(e, text, 0, &fault)) {
        return print_fault(e, &fault);
    }
    mt_buf out = {0};
    if (cli_flag(e->args, "json")) {
        ct_evaluation_json(&out, e->facts, e->verdicts);
        mt_buf_addc(&out, '\n');
    } else {
        verdicts_text(&out, e);
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

enum { FLUSH_BYTES = 1 << 16 };

/* A bad line does not end the run; the worst status is the exit status. A closed pipe
 * does end it. */
static int eval_lines(evaluation *e, mt_str text)
{
    mt_buf out = {0};
    int code = CLI_HOLDS, printed = CLI_HOLDS;
    for (size_t number = 1; text.len && !printed; number++) {
        size_t end = mt_str_find(text, '\n');
        mt_str line = mt_str_from(text.ptr, end);
        text = mt_str_skip(text, end + 1);
        /* Empty lines are passed over, so line n of the output is not always line n of
         * the input. */
        if (!line.len) {
            continue;
        }
        ct_fault fault = {0};
        if (evaluate(e, line, number, &fault)) {
            ct_verdicts_json(&out, e->verdicts);
        } else {
            ct_fault_json(&out, &fault);
            code = CLI_FAILS;
        }
        mt_buf_addc(&out, '\n');
        if (out.len > FLUSH_BYTES) {
            printed = cli_print(mt_buf_str(&out));
            mt_buf_clear(&out);
        }
    }
    printed = printed ? printed : cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return printed ? printed : code;
}

/* Compiled once for all lines. */
static int with_program(evaluation *e, const ct_model *m)
{
    mt_str text;
    /* Facts come before compiling: most mistakes are in them, and they are found
     * sooner. */
    int code =
        cli_facts_text(e->args, &e->contract.arena, m, &e->contract.limits, &text);
    if (code) {
        return code;
    }
    e->program = ct_compile(&e->contract.arena, m);
    e->facts = ct_facts_new(m);
    e->verdicts = ct_verdicts_new(e->program);
    cli_be_patient(e->verdicts, &e->deadline, &e->contract.limits);
    e->surplus.arena = &e->contract.arena;
    code = cli_flag(e->args, "lines") ? eval_lines(e, text) : eval_once(e, text);
    cli_surplus_report(e->args, &e->surplus);
    ct_facts_free(e->facts);
    ct_verdicts_free(e->verdicts);
    return code;
}

/* Standard input can be read once; that is checked before anything is opened. */
int cmd_eval(const cli_args *args)
{
    const char *path = cli_value(args, "facts");
    evaluation e = {.args = args};
    if (!path && !cli_value(args, "sources") && !cli_flag(args, "partial")) {
        return cli_fail(args, CLI_USAGE, "--facts FILE is required");
    }
    if (cli_value(args, "provenance") && !cli_value(args, "sources")) {
        return cli_fail(args, CLI_USAGE,
                        "--provenance is about facts that --sources fetches");
    }
    if (cli_flag(args, "lines") && cli_value(args, "sources")) {
        return cli_fail(args, CLI_USAGE, "--lines and --sources exclude each other");
    }
    if (path && !strcmp(path, "-") && !strcmp(args->operands[0], "-")) {
        return cli_fail(args, CLI_USAGE, "contract and facts cannot both be -");
    }
    bool acts = cli_value(args, "flow") || cli_value(args, "operation");
    if (cli_has_holes(args)) {
        return acts ? cli_fail(args, CLI_USAGE,
                               "--flow and --operation need every fact; see motet "
                               "actions and motet explain")
                    : cmd_eval_partial(args);
    }
    if (acts) {
        return cmd_eval_flow(args);
    }
    int code = cli_contract_load(args, args->operands[0], false, &e.contract);
    code = code ? cli_contract_report(args, &e.contract, code)
                : with_program(&e, e.contract.admitted.model);
    mt_arena_free(&e.errors);
    cli_contract_free(&e.contract);
    return code;
}
