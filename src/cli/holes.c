/* cli/holes.c - fact sets with holes, for eval, actions and explain.
 * Room: cli. The work is the answer room's; here are the options, the deadline, and how
 * a fault is told. */
#include "cli/holes.h"

#include <stdio.h>

#include "cli/fetch.h"

bool cli_has_holes(const cli_args *args)
{
    return cli_flag(args, "unknown") || cli_flag(args, "partial");
}

/* --unknown repeats, and each value may name several. The limits eval_steps and eval_ms
 * bound what is evaluated. */
int cli_holes_open(const cli_args *args, const cli_contract *c, const ct_program *p,
                   cli_holes *out)
{
    const char *names;
    aw_reply r = {0};
    int code = CLI_HOLDS;
    out->surplus.arena = &out->arena;
    out->deadline = (os_deadline){.ms = (int64_t)c->limits.eval_ms};
    aw_holes_open(&out->x, p,
                  (ct_patience){c->limits.eval_steps, os_is_late, &out->deadline});
    for (int i = 0; !code && (names = cli_value_at(args, "unknown", i)); i++) {
        code = aw_holes_name(&out->x, mt_str_z(names), &r);
    }
    return cli_reply(args, c, &r, code);
}

void cli_holes_free(cli_holes *h)
{
    aw_holes_free(&h->x);
    mt_arena_free(&h->arena);
}

/* end_ms 0: the time starts anew with each fact set. */
bool cli_holes_evaluate(const cli_args *args, cli_holes *h, mt_str text,
                        const mt_limits *limits, ct_fault *fault)
{
    bool strict = cli_flag(args, "strict");
    h->deadline.end_ms = 0;
    bool good = aw_holes_evaluate(&h->x, text, limits, cli_flag(args, "partial"),
                                  strict, fault);
    if (!strict && ct_facts_surplus(h->x.facts)) {
        char where[40] = ""; /* not in the arena: there may be millions of lines */
        if (h->line) {
            snprintf(where, sizeof where, "line %zu: ", h->line);
        }
        ct_surplus_add(&h->surplus, h->x.facts, text, limits, mt_str_z(where));
    }
    return good;
}

int cli_holes_facts(cli_engine *e, cli_holes *h)
{
    mt_str text;
    ct_fault fault = {0};
    const mt_limits *limits = &e->contract.limits;
    int code = cli_facts_text(e->args, &e->contract.arena, e->x.model, limits, &text);
    code = code ? code : cli_holes_open(e->args, &e->contract, e->x.plan->program, h);
    if (!code && !cli_holes_evaluate(e->args, h, text, limits, &fault)) {
        code = cli_fail(e->args, CLI_FAILS, "evaluation error: %.*s",
                        MT_ARG(fault.message));
    }
    cli_surplus_report(e->args, &h->surplus);
    return code;
}
