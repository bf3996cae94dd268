/* cli/engine.c - loading, facts, states and runs for commands.
 *
 * What eval, repl, explain and others share: a contract with its plan and a bench,
 * facts from wherever they come, states from a file and from options, a binding, a
 * run. The order is load, facts, states, run; each step prints its own fault and gives
 * the exit status, so a command is a chain of them.
 *
 * Options of the command line come after the file and win. Limits of time and steps
 * are set when the contract is loaded. cli_engine_free() may be called after any step.
 */
#include "cli/engine.h"

#include "base/yaml_read.h"
#include "cli/fetch.h"
#include "contract/flow/report.h"

/* Both budgets: steps are deterministic, milliseconds protect the machine. A contract
 * that meets either ends with an evaluation error. */
void cli_be_patient(ct_verdicts *v, os_deadline *deadline, const mt_limits *limits)
{
    *deadline = (os_deadline){.ms = (int64_t)limits->eval_ms};
    ct_verdicts_limit(v, (ct_patience){limits->eval_steps, os_is_late, deadline});
}

/* From a path to a plan that can run. On failure everything has been reported and
 * cli_engine_free() is still due. */
int cli_engine_load(const cli_args *args, const char *path, cli_engine *e)
{
    *e = (cli_engine){.args = args};
    cli_contract *c = &e->contract;
    int code = cli_contract_load(args, path, false, c);
    mt_err err = MT_OK;
    e->model = c->admitted.model;
    if (!code) {
        const ct_program *program = ct_compile(&c->arena, e->model);
        err = ct_plan_build(&c->arena, program, &c->ds, &e->plan);
    }
    if (code || err) {
        return cli_contract_report(args, c, code ? code : CLI_FAILS);
    }
    e->bench = ct_bench_new(e->plan, &c->limits);
    cli_be_patient(e->bench.verdicts, &e->deadline, &c->limits);
    return CLI_HOLDS;
}

/* Safe after a failed load: without a plan there is no bench. */
void cli_engine_free(cli_engine *e)
{
    if (e->bench.plan) {
        ct_bench_free(&e->bench);
    }
    cli_contract_free(&e->contract);
}

/* YAML by name, JSON otherwise; one place for "FILE:LINE:COLUMN". */
int cli_read_tree(const cli_args *args, mt_arena *a, const char *path,
                  const mt_limits *limits, mt_json *out)
{
    mt_str text;
    int code = cli_read_input(args, a, path, limits->json_bytes, &text);
    if (code) {
        return code;
    }
    mt_json_error error = {0};
    mt_err err = cli_is_yaml(path) ? mt_yaml_read(a, text, NULL, out, &error)
                                   : mt_json_read(a, text, NULL, out, &error);
    if (err) {
        uint32_t line, column;
        mt_json_place(text, error.offset, &line, &column);
        return cli_fail(args, CLI_FAILS, "%s:%u:%u: %s%s%.*s", path, line, column,
                        error.message, error.detail.len ? " " : "",
                        MT_ARG(error.detail));
    }
    return CLI_HOLDS;
}

int cli_fail_evaluation(const cli_args *args, const ct_fault *fault)
{
    for (const ct_fault *one = fault; one; one = one->next) {
        cli_fail(args, CLI_FAILS, "evaluation error: %.*s", MT_ARG(one->message));
    }
    return CLI_FAILS;
}

/* The same from JSON text. */
static int engine_facts_text(cli_engine *e, mt_str json)
{
    ct_fault fault = {0};
    ct_bench *b = &e->bench;
    if (ct_facts_read(b->facts, json, b->limits, cli_flag(e->args, "strict"), &fault) ||
        ct_evaluate(e->plan->program, b->facts, b->verdicts, &e->contract.arena,
                    &fault)) {
        return cli_fail_evaluation(e->args, &fault);
    }
    e->frozen =
        (ct_frozen){e->plan, {e->plan->program, b->facts, b->verdicts}, b->scratch};
    return CLI_HOLDS;
}

int cli_engine_facts(cli_engine *e)
{
    mt_str text;
    int code = cli_facts_text(e->args, &e->contract.arena, e->model,
                              &e->contract.limits, &text);
    return code ? code : engine_facts_text(e, text);
}

/* After the file, so that options may add to what it says. */
static mt_err add_states(cli_engine *e, mt_str *why)
{
    mt_arena *a = &e->contract.arena;
    const char *text;
    for (int i = 0; (text = cli_value_at(e->args, "state", i)); i++) {
        mt_err err = ct_states_read_text(a, &e->states, mt_str_z(text), why);
        if (err) {
            return err;
        }
    }
    for (int i = 0; (text = cli_value_at(e->args, "bind", i)); i++) {
        mt_err err =
            ct_binding_read_text(a, &e->binding, e->model, mt_str_z(text), why);
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

/* ORDER: file, options, initial states for what was not named, seal, then bindings; a
 * binding looks for its instance among the sealed states. */
int cli_engine_states(cli_engine *e)
{
    mt_arena *a = &e->contract.arena;
    const char *path = cli_value(e->args, "states");
    mt_str why = {0};
    e->states = ct_states_new(a, e->model);
    e->binding = ct_binding_new(a, e->model);
    if (path) {
        mt_json *tree = mt_new(a, mt_json);
        int code = cli_read_tree(e->args, a, path, &e->contract.limits, tree);
        if (code) {
            return code;
        }
        if (ct_states_read(a, &e->states, tree, &why)) {
            return cli_fail(e->args, CLI_FAILS, "%s: %.*s", path, MT_ARG(why));
        }
    }
    if (add_states(e, &why)) {
        return cli_fail(e->args, CLI_FAILS, "%.*s", MT_ARG(why));
    }
    ct_states_add_initial(a, &e->states);
    ct_states_seal(&e->states);
    ct_binding_resolve(&e->binding, &e->states, true);
    return CLI_HOLDS;
}

static uint32_t pick_named(void *context, const ct_run *run, uint32_t step, uint32_t op,
                           const uint32_t *matching, uint32_t count)
{
    (void)step;
    (void)matching;
    (void)count;
    return ct_plan_outcome_named(run->plan, op, *(const mt_str *)context);
}

const char *cli_near(mt_arena *a, const ct_model *m, ct_kind kind, mt_str name)
{
    mt_str near = ct_model_nearest(m, kind, name);
    return near.len ? mt_strf(a, "; did you mean '%.*s'?", MT_ARG(near)).ptr : "";
}

/* Evaluates nothing: facts and verdicts were frozen by cli_engine_facts(). How the run
 * ended stands in e->bench.run, a run that failed included. */
int cli_engine_run(cli_engine *e, const char *flow, const char *persona,
                   const char *outcome, bool simulation)
{
    uint32_t index = ct_model_find(e->model, CT_KIND_FLOW, mt_str_z(flow));
    if (index == CT_NONE) {
        return cli_fail(
            e->args, CLI_FAILS, "flow '%s' not found in contract%s", flow,
            cli_near(&e->contract.arena, e->model, CT_KIND_FLOW, mt_str_z(flow)));
    }
    mt_str named = mt_str_z(outcome);
    ct_run_input in = {.plan = e->plan,
                       .snapshot = e->frozen.snapshot,
                       .flow = index,
                       .persona = mt_str_z(persona),
                       .instances = e->binding.instances,
                       .states = e->binding.states,
                       .simulation = simulation,
                       .max_steps = e->contract.limits.flow_steps};
    if (outcome) {
        in.host = (ct_host){.context = &named, .choose = pick_named};
    }
    ct_run_start(&e->bench.run, &in);
    ct_run_all(&e->bench.run);
    e->bench.run.host = (ct_host){0}; /* `named` ends here */
    return CLI_HOLDS;
}

/* --pretty is about JSON only, told by its first character, since several commands
 * write either. Takes the buffer. */
int cli_engine_print(const cli_args *args, mt_buf *out, int code)
{
    if (cli_flag(args, "pretty") && out->len && out->ptr[0] == '{') {
        mt_arena a = {0};
        mt_str pretty = ct_json_pretty(&a, mt_buf_str(out));
        mt_buf_clear(out);
        mt_buf_adds(out, pretty);
        mt_arena_free(&a);
    }
    if (out->len && out->ptr[out->len - 1] != '\n') {
        mt_buf_addc(out, '\n');
    }
    int printed = cli_print(mt_buf_str(out));
    mt_buf_free(out);
    return printed ? printed : code;
}
