/* cli/cmd_ask.c - motet ask: questions about a contract, answered with a proof.
 * Room: cli. */
#include "analyze/prove/ask.h"

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

static int not_understood(const cli_args *args, const an_reply *r)
{
    return cli_fail(args, CLI_USAGE, "%.*s\n  %s\n  %*s^", MT_ARG(r->text),
                    args->operands[1], (int)r->place, "");
}

/* To standard output the script is printed instead of the answer, so that a solver can
 * read it there. */
static int print(const cli_args *args, const an_reply *r, const mt_buf *smt2)
{
    const char *path = cli_value(args, "smt2");
    bool json = cli_flag(args, "json"), piped = path && strcmp(path, "-") == 0;
    mt_buf out = {0};
    int code = CLI_HOLDS;
    if (path && !piped) {
        code = cli_write_text(args, path, mt_buf_str(smt2));
    }
    mt_buf_adds(&out, piped ? mt_buf_str(smt2) : json ? r->json : r->text);
    mt_buf_addz(&out, json && !piped ? "\n" : "");
    code = code ? code : cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* "No" and "unknown" are exit status 1: only a proven yes is 0. */
static int answer(const cli_args *args, cli_topic *s, uint32_t instances)
{
    mt_arena a = {0};
    mt_buf smt2 = {0};
    an_asker *q = an_asker_new(&s->all, &s->contract.limits);
    an_asker_instances(q, instances);
    if (cli_value(args, "smt2")) {
        an_asker_smt2(q, &smt2);
    }
    an_reply r = an_ask(q, &a, mt_str_z(args->operands[1]));
    int code =
        r.kind == AN_REPLY_FAULT ? not_understood(args, &r) : print(args, &r, &smt2);
    if (!code) {
        code = r.kind == AN_REPLY_YES ? CLI_HOLDS : CLI_FAILS;
    }
    an_asker_free(q);
    mt_buf_free(&smt2);
    mt_arena_free(&a);
    return code;
}

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
