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
    aw_reply r = {0};
    int code = cli_contract_load(args, path, false, c);
    code = code ? cli_contract_report(args, c, code)
                : cli_reply(args, c, &r, aw_case_open(&e->x, c, &r));
    if (!code) {
        cli_be_patient(e->x.bench.verdicts, &e->deadline, &c->limits);
    }
    return code;
}

void cli_engine_free(cli_engine *e)
{
    aw_case_free(&e->x);
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

int cli_engine_facts(cli_engine *e)
{
    mt_str text;
    aw_reply r = {0};
    int code = cli_facts_text(e->args, &e->contract.arena, e->x.model,
                              &e->contract.limits, &text);
    return code
               ? code
               : cli_reply(e->args, &e->contract, &r,
                           aw_case_facts(&e->x, text, cli_flag(e->args, "strict"), &r));
}

/* After the file, so that options may add to what it says. */
static mt_err add_states(cli_engine *e, mt_str *why)
{
    mt_arena *a = &e->contract.arena;
    const char *text;
    for (int i = 0; (text = cli_value_at(e->args, "state", i)); i++) {
        mt_err err = ct_states_read_text(a, &e->x.states, mt_str_z(text), why);
        if (err) {
            return err;
        }
    }
    for (int i = 0; (text = cli_value_at(e->args, "bind", i)); i++) {
        mt_err err =
            ct_binding_read_text(a, &e->x.binding, e->x.model, mt_str_z(text), why);
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

/* ORDER: file, options, then what they do not name. */
int cli_engine_states(cli_engine *e)
{
    mt_arena *a = &e->contract.arena;
    const char *path = cli_value(e->args, "states");
    mt_str why = {0};
    aw_case_states_begin(&e->x);
    if (path) {
        mt_json *tree = mt_new(a, mt_json);
        int code = cli_read_tree(e->args, a, path, &e->contract.limits, tree);
        if (code) {
            return code;
        }
        if (ct_states_read(a, &e->x.states, tree, &why)) {
            return cli_fail(e->args, CLI_FAILS, "%s: %.*s", path, MT_ARG(why));
        }
    }
    if (add_states(e, &why)) {
        return cli_fail(e->args, CLI_FAILS, "%.*s", MT_ARG(why));
    }
    aw_case_states_end(&e->x);
    return CLI_HOLDS;
}

int cli_engine_run(cli_engine *e, const char *flow, const char *persona,
                   const char *outcome, bool simulation)
{
    aw_reply r = {0};
    aw_act act = {.flow = mt_str_z(flow),
                  .persona = mt_str_z(persona),
                  .outcome = mt_str_z(outcome),
                  .simulation = simulation};
    return cli_reply(e->args, &e->contract, &r, aw_run_flow(&e->x, &act, &r));
}

static void warn(const cli_args *args, mt_str sentence)
{
    cli_fail(args, CLI_HOLDS, "warning: %.*s", MT_ARG(sentence));
}

void cli_surplus_report(const cli_args *args, const ct_surplus *s)
{
    for (size_t i = 0; i < s->len; i++) {
        warn(args, s->told[i]);
    }
    mt_str more = ct_surplus_more(s);
    if (more.len) {
        warn(args, more);
    }
}

/* Messages first: there is an answer only without them. */
int cli_reply(const cli_args *args, const cli_contract *c, aw_reply *r, int code)
{
    if (r->refused) {
        code = cli_contract_report(args, c, code);
    }
    for (size_t i = 0; i < r->messages.len; i++) {
        cli_fail(args, code, "%.*s", MT_ARG(r->messages.items[i]));
    }
    for (size_t i = 0; i < r->warnings.len; i++) {
        warn(args, r->warnings.items[i]);
    }
    if (r->text.len) {
        code = cli_engine_print(args, &r->text, code);
        r->text = (mt_buf){0};
    }
    aw_reply_free(r);
    return code;
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
