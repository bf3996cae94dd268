/* cli/holes.c - fact sets with holes, for eval, actions and explain.
 * Room: cli. */
#include "cli/holes.h"

#include <stdlib.h>

#include "cli/fetch.h"
#include "contract/reduce/holes.h"

bool cli_has_holes(const cli_args *args)
{
    return cli_flag(args, "unknown") || cli_flag(args, "partial");
}

static int unknown_facts(const cli_args *args, const ct_model *m, cli_holes *h)
{
    const char *names;
    mt_str wrong = {0};
    for (int i = 0; (names = cli_value_at(args, "unknown", i)); i++) {
        if (!ct_holes_read(m, mt_str_z(names), h->unknown, &wrong)) {
            return cli_fail(args, CLI_USAGE, "the contract has no fact '%.*s'%s",
                            MT_ARG(wrong), cli_near(&h->arena, m, CT_KIND_FACT, wrong));
        }
    }
    return CLI_HOLDS;
}

int cli_holes_open(const cli_args *args, const ct_program *p, const mt_limits *limits,
                   cli_holes *out)
{
    const ct_model *m = ct_program_model(p);
    *out = (cli_holes){.facts = ct_facts_new(m), .partial = ct_partial_new(p)};
    out->unknown = mt_xmalloc(m->fact_count + 1);
    memset(out->unknown, 0, m->fact_count + 1);
    out->deadline = (os_deadline){.ms = (int64_t)limits->eval_ms};
    ct_partial_limit(out->partial,
                     (ct_patience){limits->eval_steps, os_is_late, &out->deadline});
    return unknown_facts(args, m, out);
}

void cli_holes_free(cli_holes *h)
{
    ct_partial_free(h->partial);
    ct_facts_free(h->facts);
    free(h->unknown);
    mt_arena_free(&h->arena);
}

/* What one set leaves out is not unknown in the next. */
bool cli_holes_evaluate(const cli_args *args, cli_holes *h, mt_str text,
                        const mt_limits *limits, ct_fault *fault)
{
    const ct_model *m = ct_partial_model(h->partial);
    memset(h->unknown, 0, m->fact_count);
    (void)unknown_facts(args, m, h);
    mt_arena_reset(&h->arena);
    h->deadline.end_ms = 0;
    mt_str whole = ct_holes_fill(&h->arena, m, text, limits, cli_flag(args, "partial"),
                                 h->unknown);
    return ct_facts_read(h->facts, whole, limits, cli_flag(args, "strict"), fault) ==
               MT_OK &&
           ct_partial_evaluate(h->partial, h->facts, h->unknown, fault) == MT_OK;
}

int cli_holes_facts(cli_engine *e, cli_holes *h)
{
    mt_str text;
    ct_fault fault = {0};
    const mt_limits *limits = &e->contract.limits;
    int code = cli_facts_text(e->args, &e->contract.arena, e->model, limits, &text);
    code = code ? code : cli_holes_open(e->args, e->plan->program, limits, h);
    if (!code && !cli_holes_evaluate(e->args, h, text, limits, &fault)) {
        return cli_fail(e->args, CLI_FAILS, "evaluation error: %.*s",
                        MT_ARG(fault.message));
    }
    return code;
}
