/* cli/cmd_ask.c - motet ask: questions about a contract, answered with a proof.
 * Room: cli. */
#include "analyze/prove/ask.h"
#include "cli/commands.h"
#include "cli/contract.h"

/* clang-format off */
const cli_option CMD_ASK_OPTIONS[] = {
    {"json", NULL, "print JSON"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_ASK_DETAILS[] =
    "Answers for every fact set the contract accepts, by proof, or shows a fact set\n"
    "(motet eval confirms it). Questions:\n\n"
    "  can PERSONA reach ENTITY.STATE       can PERSONA perform OPERATION\n"
    "  can PERSONA move ENTITY from STATE to STATE\n"
    "  who can reach|move|perform ...       can CONDITION hold\n"
    "  when is CONDITION                    when can OPERATION\n"
    "  is CONDITION implied by CONDITION    is CONDITION possible|always\n\n"
    "PERSONA may be anyone; reach, move and perform may end with: with N instances.\n"
    "A way that is shown has been executed by the engine; a no says what it covers.\n"
    "A CONDITION is made of verdicts, Bool facts, operations (their preconditions)\n"
    "and comparisons (amount <= 100.00, status = \"paid\", len(items) > 3), with and,\n"
    "or, not and parentheses. The limits prove_ms, prove_steps and prove_megabytes\n"
    "bound the solver, reach_states the search; a question that exceeds one is\n"
    "answered with unknown, and the limit.\n"
    "Exit status 0: yes, 1: no or unknown, 2: the question was not understood.";

static int not_understood(const cli_args *args, const an_reply *r)
{
    return cli_fail(args, CLI_USAGE, "%.*s\n  %s\n  %*s^", MT_ARG(r->text),
                    args->operands[1], (int)r->place, "");
}

/* "No" and "unknown" are exit status 1: only a proven yes is 0. */
static int answer(const cli_args *args, cli_contract *c, const ct_program *program)
{
    an_prover *p = an_prover_new(program, NULL, &c->limits);
    an_reply r = an_ask(&c->arena, p, program, mt_str_z(args->operands[1]));
    an_prover_free(p);
    if (r.kind == AN_REPLY_FAULT) {
        return not_understood(args, &r);
    }
    int code = r.kind == AN_REPLY_YES ? CLI_HOLDS : CLI_FAILS;
    mt_buf out = {0};
    bool json = cli_flag(args, "json");
    mt_buf_adds(&out, json ? r.json : r.text);
    mt_buf_addz(&out, json ? "\n" : "");
    int printed = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return printed ? printed : code;
}

/* The model is loaded again from the bundle: a question is asked of what would run, not
 * of what was written. */
int cmd_ask(const cli_args *args)
{
    cli_contract c;
    const ct_model *m = NULL;
    int code = cli_contract_load(args, args->operands[0], false, &c);
    if (!code && ct_load(&c.arena, c.bundle, c.path, &c.limits, &c.ds, &m) != MT_OK) {
        code = CLI_FAILS;
    }
    code = code ? cli_contract_report(args, &c, code)
                : answer(args, &c, ct_compile(&c.arena, m));
    cli_contract_free(&c);
    return code;
}
