/* cli/cmd_eval_partial.c - motet eval --unknown or --partial: what is left to decide?
 *
 * The same facts, limits and faults as eval itself; what comes out are conditions over
 * the facts that are not known. With --lines each line of the facts is one fact set and
 * each line printed one result. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/fetch.h"
#include "cli/holes.h"
#include "contract/flow/partly.h"

typedef struct evaluation {
    const cli_args *args;
    cli_engine engine;
    cli_holes holes;
} evaluation;

/* One object, or what is wrong with the facts as one. */
static int one_json(evaluation *e, mt_str text, mt_buf *out)
{
    ct_fault fault = {0};
    if (cli_holes_evaluate(e->args, &e->holes, text, &e->engine.contract.limits,
                           &fault)) {
        ct_partly_json(out, e->holes.x.partial);
        return CLI_HOLDS;
    }
    ct_fault_json(out, &fault);
    return CLI_FAILS;
}

/* A fault of the facts goes to standard error, and nothing to standard output. */
static int one_text(evaluation *e, mt_str text)
{
    ct_fault fault = {0};
    mt_buf out = {0};
    if (!cli_holes_evaluate(e->args, &e->holes, text, &e->engine.contract.limits,
                            &fault)) {
        return cli_fail(e->args, CLI_FAILS, "evaluation error: %.*s",
                        MT_ARG(fault.message));
    }
    ct_partly_lines(&out, e->holes.x.partial);
    return cli_engine_print(e->args, &out, CLI_HOLDS);
}

/* A closed pipe ends it; a bad line does not. */
static int each_line(evaluation *e, mt_str text)
{
    int code = CLI_HOLDS, printed = CLI_HOLDS;
    mt_buf out = {0};
    while (text.len && !printed) {
        size_t end = mt_str_find(text, '\n');
        mt_str line = mt_str_from(text.ptr, end);
        text = mt_str_skip(text, end + 1);
        e->holes.line++;
        if (line.len) {
            mt_buf_clear(&out);
            code |= one_json(e, line, &out);
            mt_buf_addc(&out, '\n');
            printed = cli_print(mt_buf_str(&out));
        }
    }
    mt_buf_free(&out);
    return printed ? printed : code;
}

/* With --lines results are JSON, whatever else was asked for. */
static int with_text(evaluation *e, mt_str text)
{
    mt_buf out = {0};
    if (cli_flag(e->args, "lines")) {
        return each_line(e, text);
    }
    if (!cli_flag(e->args, "json")) {
        return one_text(e, text);
    }
    int code = one_json(e, text, &out);
    return cli_engine_print(e->args, &out, code);
}

static int with_facts(evaluation *e)
{
    mt_str text;
    cli_engine *g = &e->engine;
    int code = cli_facts_text(e->args, &g->contract.arena, g->x.model,
                              &g->contract.limits, &text);
    code = code ? code
                : cli_holes_open(e->args, &g->contract, g->x.plan->program, &e->holes);
    code = code ? code : with_text(e, text);
    cli_surplus_report(e->args, &e->holes.surplus);
    return code;
}

int cmd_eval_partial(const cli_args *args)
{
    evaluation e = {.args = args};
    int code = cli_engine_load(args, args->operands[0], &e.engine);
    code = code ? code : with_facts(&e);
    cli_holes_free(&e.holes);
    cli_engine_free(&e.engine);
    return code;
}
