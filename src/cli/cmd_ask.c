/* cli/cmd_ask.c - motet ask: questions about a contract, answered with a proof.
 * Room: cli. The question is the second operand, in words: `motet help ask` lists what
 * can be asked (answer/ask.h reads it). A fault of usage writes no script: there is
 * nothing it could rest on. */
#include "answer/ask.h"

#include "analyze/facts/joint.h"
#include "cli/commands.h"
#include "cli/topic.h"

/* clang-format off */
const cli_option CMD_ASK_OPTIONS[] = {
    {"instances", "N",    "of each entity, where the question does not say (1)"},
    {"smt2",      "FILE", "write what the answer rests on as SMT-LIB 2; -: instead of it"},
    {"json",      NULL,   "print JSON"},
    {NULL, NULL, NULL},
};

const char CMD_ASK_DETAILS[] =
"Answers for every fact set the contract accepts, by proof, or shows a fact set or\n"
"a run (motet eval confirms it). FILE may be a System.\n\n"
"A run that is shown has been executed by the engine; what is proven says for what.\n"
"The limits prove_ms, prove_steps and prove_megabytes bound the solver, reach_states\n"
"the search; a question that exceeds one is answered with unknown, and the limit.\n"
"Exit status 0: yes, 1: no or unknown, 2: the question was not understood.";
/* clang-format on */

/* To standard output the script is printed instead of the answer, so that a solver can
 * read it there. */
static int answer(const cli_args *args, cli_topic *s, uint32_t instances)
{
    const char *path = cli_value(args, "smt2");
    bool piped = path && strcmp(path, "-") == 0;
    mt_buf smt2 = {0};
    aw_reply r = {0};
    aw_question q = {.text = mt_str_z(args->operands[1]),
                     .instances = instances,
                     .json = cli_flag(args, "json"),
                     .smt2 = path ? &smt2 : NULL};
    int code = aw_ask(&s->all, &s->contract.limits, &q, &r), wrote = CLI_HOLDS;
    if (piped && code != CLI_USAGE) {
        mt_buf_clear(&r.text);
        mt_buf_adds(&r.text, mt_buf_str(&smt2));
    } else if (path && code != CLI_USAGE) {
        wrote = cli_write_text(args, path, mt_buf_str(&smt2));
    }
    mt_buf_free(&smt2);
    if (wrote) {
        aw_reply_free(&r);
        return wrote;
    }
    return cli_reply(args, &s->contract, &r, code);
}

/* Numbers are checked before the contract is read: a misspelt option must not cost a
 * proof. */
int cmd_ask(const cli_args *args)
{
    cli_topic s;
    size_t instances = 1;
    if (!cli_number(args, "instances", AN_MOST_INSTANCES, &instances)) {
        return CLI_USAGE;
    }
    if (!instances) {
        return cli_fail(args, CLI_USAGE, "--instances is a number from 1 to %d",
                        AN_MOST_INSTANCES);
    }
    int code = cli_topic_open(args, args->operands[0], &s);
    code = code ? code : answer(args, &s, (uint32_t)instances);
    cli_topic_free(&s);
    return code;
}
