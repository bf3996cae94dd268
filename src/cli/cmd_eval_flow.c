/* cli/cmd_eval_flow.c - motet eval --flow or --operation: what would a persona's act
 * do?
 *
 * Nothing is stored: states come from the command line, what would change is printed.
 * The same engine and the same texts as the server's dry run. Exit status 1 if the
 * flow breaks off or the operation is refused.
 *
 * The printing functions are shared with the REPL (repl.c). */
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/render.h"
#include "contract/flow/report.h"
#include "contract/flow/text.h"

/* The default instance is left out: a contract without instances should not speak of
 * them (§6.5). */
static void changes_text(mt_buf *out, const ct_plan *p, const ct_change *c,
                         size_t count, const mt_str *instances)
{
    if (count) {
        mt_buf_addz(out, "Entity state changes:\n");
    }
    for (size_t i = 0; i < count; i++) {
        mt_str entity = ct_entity_id(p, c[i].entity), instance = instances[c[i].entity];
        mt_buf_addf(out, "  %.*s", MT_ARG(entity));
        if (!mt_str_eq(instance, CT_DEFAULT_INSTANCE)) {
            mt_buf_addf(out, "/%.*s", MT_ARG(instance));
        }
        mt_buf_addf(out, " : %.*s -> %.*s\n",
                    MT_ARG(ct_plan_state_id(p, c[i].entity, c[i].from)),
                    MT_ARG(ct_plan_state_id(p, c[i].entity, c[i].to)));
    }
}

/* Only steps of this flow; those of sub-flows are in the JSON. */
static void steps_text(mt_buf *out, const ct_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->records.len; i++) {
        count += ct_record_is_flat(run, &run->records.items[i]);
    }
    mt_buf_addf(out, "Steps executed: %zu\n", count);
    for (size_t i = 0; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        if (ct_record_is_flat(run, r)) {
            mt_buf_addz(out, "  ");
            ct_record_step_text(out, run, r);
            mt_buf_addz(out, " -> ");
            ct_record_result_text(out, run, r);
            mt_buf_addc(out, '\n');
        }
    }
}

/* Counted first, because the heading has the count. Order is that of the rules in the
 * model. */
void cli_verdicts_text(mt_buf *out, const ct_model *m, const ct_verdicts *v)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        count += ct_verdict_present(v, i);
    }
    if (count) {
        mt_buf_addf(out, "%u verdict(s):\n", count);
    }
    for (uint32_t i = 0; i < m->rule_count; i++) {
        const ct_value *payload = ct_verdict_payload(v, i);
        if (payload) {
            const ct_rule *r = &m->rules[i];
            mt_buf_addf(out, "  [%.*s] ", MT_ARG(r->verdict));
            ct_value_text(out, r->payload_type, payload);
            mt_buf_addf(out, " (rule: %.*s, stratum: %u)\n", MT_ARG(r->id), r->stratum);
        }
    }
}

/* Changes are those the run proposes; nothing is kept after the command (§11.4). */
void cli_run_text(mt_buf *out, const ct_run *run)
{
    const ct_plan *p = run->plan;
    mt_buf_addf(out, "Flow: %.*s\n", MT_ARG(p->graphs[run->flow].id));
    if (run->status == CT_RUN_DONE) {
        mt_buf_addf(out, "Outcome: %.*s\n", MT_ARG(p->terminals[run->outcome].name));
    }
    mt_buf_addf(out, "Persona: %.*s\n", MT_ARG(run->persona));
    steps_text(out, run);
    changes_text(out, p, run->changes.items, run->changes.len, run->instances);
    cli_verdicts_text(out, p->model, run->frozen.snapshot.verdicts);
}

/* A flow that comes to an end is exit status 0, whichever outcome that is. */
static int flow_told(cli_engine *e, const aw_act *act)
{
    const cli_args *args = e->args;
    const ct_run *run = &e->x.bench.run;
    aw_reply r = {0};
    mt_buf out = {0};
    int code = cli_reply(args, &e->contract, &r, aw_run_flow(&e->x, act, &r));
    if (!code && run->status == CT_RUN_FAILED) {
        ct_run_fault_text(&out, run);
        code = cli_fail(args, CLI_FAILS, "%.*s", MT_ARG(mt_buf_str(&out)));
        mt_buf_free(&out);
    } else if (!code) {
        cli_run_text(&out, run);
        code = cli_engine_print(args, &out,
                                run->status == CT_RUN_DONE ? CLI_HOLDS : CLI_FAILS);
    }
    return code;
}

/* A refused operation says which of the sequence's checks refused it. */
static void operation_text(mt_buf *out, const ct_op_report *r)
{
    const ct_plan *p = r->frozen->plan;
    uint32_t entity = r->attempt->entity;
    mt_buf_addf(out, "Operation: %.*s\n", MT_ARG(ct_operation_id(p, r->op)));
    mt_buf_addf(out, "Persona: %.*s\n", MT_ARG(r->persona));
    if (r->attempt->error) {
        mt_buf_addf(out, "Error: %.*s: ", MT_ARG(ct_op_error_name(r->attempt->error)));
        ct_op_error_text(out, p, r->op, r->persona, r->attempt,
                         entity == CT_NONE ? (mt_str){0} : r->instances[entity]);
        mt_buf_addc(out, '\n');
    } else {
        mt_buf_addf(out, "Outcome: %.*s\n",
                    MT_ARG(p->outcomes[r->attempt->outcome].label));
    }
    changes_text(out, p, r->changes, r->attempt->change_count, r->instances);
}

static int operation_told(cli_engine *e, const aw_act *act)
{
    ct_op_report report;
    aw_reply r = {0};
    mt_buf out = {0};
    int code =
        cli_reply(e->args, &e->contract, &r, aw_try_operation(&e->x, act, &report, &r));
    if (code) {
        return code;
    }
    operation_text(&out, &report);
    return cli_engine_print(e->args, &out,
                            report.attempt->error ? CLI_FAILS : CLI_HOLDS);
}

static int perform(cli_engine *e)
{
    const cli_args *args = e->args;
    aw_reply r = {0};
    aw_act act = {.flow = mt_str_z(cli_value(args, "flow")),
                  .operation = mt_str_z(cli_value(args, "operation")),
                  .persona = mt_str_z(cli_value(args, "persona")),
                  .outcome = mt_str_z(cli_value(args, "outcome")),
                  .simulation = cli_flag(args, "dry-run")};
    if (cli_flag(args, "json")) {
        return cli_reply(args, &e->contract, &r, aw_act_json(&e->x, &act, &r));
    }
    return act.flow.ptr ? flow_told(e, &act) : operation_told(e, &act);
}

int cmd_eval_flow(const cli_args *args)
{
    if (cli_value(args, "flow") && cli_value(args, "operation")) {
        return cli_fail(args, CLI_USAGE, "--flow or --operation, not both");
    }
    if (!cli_value(args, "persona")) {
        return cli_fail(args, CLI_USAGE,
                        "error: --persona is required when --%s is specified",
                        cli_value(args, "flow") ? "flow" : "operation");
    }
    cli_engine e;
    int code = cli_engine_load(args, args->operands[0], &e);
    code = code ? code : cli_engine_facts(&e);
    code = code ? code : cli_engine_states(&e);
    code = code ? code : perform(&e);
    cli_engine_free(&e);
    return code;
}
