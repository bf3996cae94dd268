/* cli/repl.c - the commands of a session.
 *
 * A line is a command of the table below and its arguments; every command writes to a
 * buffer, so tests can drive a session without a terminal. Facts are kept as text, one
 * per fact, and evaluated together after each change; verdicts that came and went are
 * shown as a difference. As long as facts are missing nothing is evaluated and they
 * are listed.
 *
 * Runs of flows keep their changes in the states of the session, `try` keeps nothing.
 * Nothing ends a session but `quit` and the end of input: what is wrong is said and
 * the next line is read. */
#include "cli/repl.h"

#include "analyze/explain/explain.h"
#include "cli/render.h"
#include "contract/flow/report.h"
#include "contract/flow/text.h"

/* With NUL: a word ends there too. */
#define BLANKS MT_STR(" \t\r\n\0")

/* Takes the first word off *rest. */
static mt_str next_word(mt_str *rest)
{
    mt_str s = mt_str_trim(*rest, BLANKS);
    size_t end = 0;
    while (end < s.len && !strchr(" \t", s.ptr[end])) {
        end++;
    }
    *rest = mt_str_trim(mt_str_skip(s, end), BLANKS);
    return (mt_str){s.ptr, end};
}

/* ---- facts and verdicts ---- */

/* Facts are kept as the text that was typed; they are joined and read again at each
 * evaluation, as a whole set (§5.2). */
static void facts_json(const cli_repl *r, mt_buf *out)
{
    const ct_model *m = r->engine->model;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (r->facts[i].ptr) {
            mt_jw_key(&w, m->facts[i].id);
            mt_jw_raw(&w, r->facts[i]);
        }
    }
    mt_jw_end_object(&w);
}

/* Facts with a default are not missing. */
static void missing_text(const cli_repl *r, mt_buf *out)
{
    const ct_model *m = r->engine->model;
    const char *before = "still missing: ";
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (!r->facts[i].ptr && !m->facts[i].otherwise) {
            mt_buf_addf(out, "%s%.*s", before, MT_ARG(m->facts[i].id));
            before = ", ";
        }
    }
    mt_buf_addz(out, *before == ',' ? "\n" : "");
}

/* Shows which verdicts came and went since they were shown last. */
static void show_difference(cli_repl *r, mt_buf *out)
{
    const ct_model *m = r->engine->model;
    size_t before = out->len;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        bool now = ct_verdict_present(r->engine->bench.verdicts, i);
        if (now != r->present[i]) {
            mt_buf_addf(out, "%c %.*s", now ? '+' : '-', MT_ARG(m->rules[i].verdict));
            if (now) {
                mt_buf_addz(out, " = ");
                ct_value_text(out, m->rules[i].payload_type,
                              ct_verdict_payload(r->engine->bench.verdicts, i));
            }
            mt_buf_addc(out, '\n');
        }
        r->present[i] = now;
    }
    mt_buf_addz(out, out->len == before ? "verdicts unchanged\n" : "");
}

/* Defaults count as given (§5.2). */
static bool lacks_facts(const cli_repl *r)
{
    const ct_model *m = r->engine->model;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (!r->facts[i].ptr && !m->facts[i].otherwise) {
            return true;
        }
    }
    return false;
}

/* Evaluates what is known. false: the facts have a fault, which is shown. */
static bool evaluate(cli_repl *r, mt_buf *out)
{
    cli_engine *e = r->engine;
    mt_buf json = {0};
    ct_fault fault = {0};
    r->evaluated = false;
    if (lacks_facts(r)) {
        missing_text(r, out);
        return true;
    }
    facts_json(r, &json);
    /* The fact set borrows from its text. */
    mt_str text = mt_str_dup(&r->arena, mt_buf_str(&json));
    mt_buf_free(&json);
    ct_bench *b = &e->bench;
    /* Each evaluation has the whole time again: a session lasts as long as its user. */
    e->deadline.end_ms = 0;
    if (ct_facts_read(b->facts, text, b->limits, false, &fault) ||
        ct_evaluate(e->plan->program, b->facts, b->verdicts, &r->arena, &fault)) {
        mt_buf_addf(out, "%.*s\n", MT_ARG(fault.message));
        return false;
    }
    e->frozen =
        (ct_frozen){e->plan, {e->plan->program, b->facts, b->verdicts}, b->scratch};
    r->evaluated = true;
    show_difference(r, out);
    return true;
}

/* Says so itself, so that callers only return. */
static uint32_t fact_named(const cli_repl *r, mt_str name, mt_buf *out)
{
    uint32_t fact = ct_model_find(r->engine->model, CT_KIND_FACT, name);
    if (fact == CT_NONE) {
        mt_buf_addf(out, "the contract has no fact '%.*s'\n", MT_ARG(name));
    }
    return fact;
}

/* A value may be written as JSON, or as a bare word where a string is meant. */
static void run_set(cli_repl *r, mt_str rest, mt_buf *out)
{
    uint32_t fact = fact_named(r, next_word(&rest), out);
    if (fact == CT_NONE || !rest.len) {
        mt_buf_addz(out, fact == CT_NONE ? "" : "set FACT VALUE\n");
        return;
    }
    mt_json tree;
    mt_str text = mt_str_dup(&r->arena, rest), before = r->facts[fact];
    if (mt_json_read(&r->arena, text, NULL, &tree, NULL)) {
        mt_buf quoted = {0};
        mt_json_quote(&quoted, text);
        text = mt_str_dup(&r->arena, mt_buf_str(&quoted));
        mt_buf_free(&quoted);
    }
    r->facts[fact] = text;
    if (!evaluate(r, out)) {
        r->facts[fact] = before;
        /* The fact before had been good, so this brings the verdicts back to what was
         * shown; its output is thrown away. */
        evaluate(r, &(mt_buf){.ceiling = 1});
    }
}

/* Unsetting what has a default gives the default back, which may change verdicts. */
static void run_unset(cli_repl *r, mt_str rest, mt_buf *out)
{
    uint32_t fact = fact_named(r, next_word(&rest), out);
    if (fact != CT_NONE) {
        r->facts[fact] = (mt_str){0};
        evaluate(r, out);
    }
}

static void run_facts(cli_repl *r, mt_str rest, mt_buf *out)
{
    (void)rest;
    const ct_model *m = r->engine->model;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        const ct_fact *f = &m->facts[i];
        mt_buf_addf(out, "%.*s: %.*s = ", MT_ARG(f->id),
                    MT_ARG(ct_type_spell(&r->arena, f->type)));
        if (r->facts[i].ptr) {
            mt_buf_adds(out, r->facts[i]);
        } else if (f->otherwise) {
            ct_value_text(out, f->type, f->otherwise);
            mt_buf_addz(out, " (default)");
        } else {
            mt_buf_addz(out, "missing");
        }
        mt_buf_addc(out, '\n');
    }
}

/* Without all facts there are no verdicts, and nothing that builds on them is
 * guessed. */
static bool needs_verdicts(const cli_repl *r, mt_buf *out)
{
    if (!r->evaluated) {
        missing_text(r, out);
    }
    return r->evaluated;
}

static void run_verdicts(cli_repl *r, mt_str rest, mt_buf *out)
{
    (void)rest;
    if (needs_verdicts(r, out)) {
        cli_verdicts_text(out, r->engine->model, r->engine->bench.verdicts);
    }
}

/* ---- states, flows, operations ---- */

/* Sealing again is allowed: states may be added between two commands. */
static void resolve(cli_repl *r)
{
    ct_states_seal(&r->engine->states);
    ct_binding_resolve(&r->engine->binding, &r->engine->states, true);
}

/* The argument is copied: states keep pointing to it, and the line is gone after the
 * command. */
static void run_states(cli_repl *r, mt_str rest, mt_buf *out)
{
    mt_str why;
    cli_engine *e = r->engine;
    if (rest.len &&
        ct_states_read_text(&r->arena, &e->states, mt_str_dup(&r->arena, rest), &why)) {
        mt_buf_addf(out, "%.*s\n", MT_ARG(why));
        return;
    }
    resolve(r);
    for (uint32_t i = 0; i < e->model->entity_count; i++) {
        const ct_instances *list = &e->states.entities[i];
        for (size_t k = 0; k < list->len; k++) {
            bool bound = mt_str_eq(list->items[k].id, e->binding.instances[i]);
            mt_buf_addf(out, "%.*s/%.*s = %.*s%s\n", MT_ARG(e->model->entities[i].id),
                        MT_ARG(list->items[k].id),
                        MT_ARG(e->model->entities[i].states[list->items[k].state]),
                        bound ? " (bound)" : "");
        }
    }
}

/* Names are checked by the model; that the instance exists is found when it is
 * resolved. */
static void run_bind(cli_repl *r, mt_str rest, mt_buf *out)
{
    mt_str why;
    cli_engine *e = r->engine;
    if (ct_binding_read_text(&r->arena, &e->binding, e->model,
                             mt_str_dup(&r->arena, rest), &why)) {
        mt_buf_addf(out, "%.*s\n", MT_ARG(why));
        return;
    }
    resolve(r);
    run_states(r, (mt_str){0}, out);
}

/* Keeps what a run changed. */
static void keep_states(cli_repl *r)
{
    cli_engine *e = r->engine;
    const ct_run *run = &e->bench.run;
    for (size_t i = 0; i < run->changes.len; i++) {
        const ct_change *c = &run->changes.items[i];
        /* Only instances that are bound can have been changed, so the binding names
         * them. */
        ct_states_put(&r->arena, &e->states, c->entity, e->binding.instances[c->entity],
                      c->to);
    }
    resolve(r);
}

/* A run that did not fail moves the states of the session; a simulation leaves them. */
static void run_flow_as(cli_repl *r, mt_str rest, mt_buf *out, bool simulation)
{
    mt_str flow = mt_str_dup(&r->arena, next_word(&rest));
    mt_str persona = mt_str_dup(&r->arena, next_word(&rest));
    mt_str outcome = mt_str_dup(&r->arena, next_word(&rest));
    cli_engine *e = r->engine;
    if (!needs_verdicts(r, out)) {
        return;
    }
    if (!persona.len || ct_model_find(e->model, CT_KIND_FLOW, flow) == CT_NONE) {
        mt_buf_addz(out, persona.len ? "no such flow\n" : "FLOW PERSONA [OUTCOME]\n");
        return;
    }
    cli_engine_run(e, flow.ptr, persona.ptr, outcome.len ? outcome.ptr : NULL,
                   simulation);
    if (e->bench.run.status == CT_RUN_FAILED) {
        ct_run_fault_text(out, &e->bench.run);
        mt_buf_addc(out, '\n');
        return;
    }
    cli_run_text(out, &e->bench.run);
    if (!simulation) {
        keep_states(r);
    }
}

static void run_flow(cli_repl *r, mt_str rest, mt_buf *out)
{
    run_flow_as(r, rest, out, false);
}

static void run_try(cli_repl *r, mt_str rest, mt_buf *out)
{
    run_flow_as(r, rest, out, true);
}

static void run_actions(cli_repl *r, mt_str rest, mt_buf *out)
{
    ct_action_space space;
    if (!rest.len) {
        mt_buf_addz(out, "actions PERSONA\n");
    } else if (needs_verdicts(r, out)) {
        ct_actions(&r->arena, &r->engine->frozen, &r->engine->states,
                   mt_str_dup(&r->arena, rest), &space);
        cli_actions_text(out, r->engine->plan, &space);
    }
}

/* A name that is both a verdict's and a flow's means the verdict. */
static void run_explain(cli_repl *r, mt_str rest, mt_buf *out)
{
    mt_str name = next_word(&rest);
    cli_engine *e = r->engine;
    uint32_t rule = ct_model_find(e->model, CT_KIND_VERDICT, name);
    uint32_t flow = ct_model_find(e->model, CT_KIND_FLOW, name);
    bool open;
    if (!name.len) {
        an_explain_contract(out, e->plan, AN_EXPLAIN_TEXT, false);
    } else if (!needs_verdicts(r, out)) {
        return;
    } else if (rule != CT_NONE) {
        an_explain_verdict(out, &e->frozen, rule, AN_EXPLAIN_TEXT);
    } else if (flow != CT_NONE && rest.len) {
        an_explain_flow(out, &e->frozen, &e->states, flow, rest, AN_EXPLAIN_TEXT,
                        &open);
    } else {
        mt_buf_addz(out, "explain VERDICT, or explain FLOW PERSONA\n");
    }
}

/* ---- the session ---- */

/* Memory of earlier states stays in the arena until the session ends; a session is
 * short. */
static void run_reset(cli_repl *r, mt_str rest, mt_buf *out)
{
    (void)rest;
    cli_engine *e = r->engine;
    for (uint32_t i = 0; i < e->model->fact_count; i++) {
        r->facts[i] = (mt_str){0};
    }
    e->states = ct_states_new(&r->arena, e->model);
    e->binding = ct_binding_new(&r->arena, e->model);
    ct_states_add_initial(&r->arena, &e->states);
    resolve(r);
    evaluate(r, out);
}

static void run_quit(cli_repl *r, mt_str rest, mt_buf *out)
{
    (void)rest;
    (void)out;
    r->done = true;
}

static void run_help(cli_repl *r, mt_str rest, mt_buf *out)
{
    (void)r;
    (void)rest;
    for (const cli_repl_command *c = CLI_REPL_COMMANDS; c->name; c++) {
        mt_buf_addf(out, "  %-8s %-24s %s\n", c->name, c->arguments, c->help);
    }
}

/* clang-format off */
const cli_repl_command CLI_REPL_COMMANDS[] = {
    {"set",      "FACT VALUE",             "give a fact a value (JSON, or a bare word)", run_set},
    {"unset",    "FACT",                   "take it back",                               run_unset},
    {"facts",    "",                       "all facts and their values",                 run_facts},
    {"verdicts", "",                       "all verdicts that are present",              run_verdicts},
    {"states",   "[E[/INST]=STATE]",       "show the instances, or set one",             run_states},
    {"bind",     "E=INST",                 "which instance flows work on",               run_bind},
    {"flow",     "FLOW PERSONA [OUTCOME]", "run a flow and keep its changes",            run_flow},
    {"try",      "FLOW PERSONA [OUTCOME]", "run a flow and keep nothing",                run_try},
    {"actions",  "PERSONA",                "what the persona can do now",                run_actions},
    {"explain",  "[VERDICT|FLOW PERSONA]", "why it is so",                               run_explain},
    {"reset",    "",                       "forget all facts and states",                run_reset},
    {"help",     "",                       "this list",                                  run_help},
    {"quit",     "",                       "leave (also Ctrl-D)",                        run_quit},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */

/* A line that begins with # is a comment, so a script may explain itself. */
void cli_repl_line(cli_repl *r, mt_str line, mt_buf *out)
{
    mt_str rest = line, name = next_word(&rest);
    if (!name.len || name.ptr[0] == '#') {
        return;
    }
    for (const cli_repl_command *c = CLI_REPL_COMMANDS; c->name; c++) {
        if (mt_str_eq(mt_str_z(c->name), name)) {
            c->run(r, rest, out);
            return;
        }
    }
    mt_buf_addf(out, "unknown command '%.*s'; help lists them\n", MT_ARG(name));
}

/* A contract whose facts all have defaults is evaluated at once, and its verdicts are
 * the first difference. */
void cli_repl_start(cli_repl *r, cli_engine *e, mt_buf *out)
{
    *r = (cli_repl){.engine = e};
    r->facts = mt_new_array(&r->arena, mt_str, e->model->fact_count);
    r->present = mt_new_array(&r->arena, bool, e->model->rule_count);
    mt_buf_addf(out,
                "%.*s: %u facts, %u rules, %u operations, %u flows; help lists the "
                "commands\n",
                MT_ARG(e->model->id), e->model->fact_count, e->model->rule_count,
                e->model->operation_count, e->model->flow_count);
    evaluate(r, out);
}

void cli_repl_free(cli_repl *r)
{
    mt_arena_free(&r->arena);
}

/* ---- completion ---- */

/* True for exactly one candidate: the one that is reached when `n` has counted down. */
static bool offers(mt_str candidate, mt_str word, size_t *n)
{
    return mt_str_starts(candidate, word) && (*n)-- == 0;
}

/* `n` counts down over the candidates that fit, so the caller enumerates by asking
 * again. */
static mt_str nth_command(mt_str word, size_t n)
{
    for (const cli_repl_command *c = CLI_REPL_COMMANDS; c->name; c++) {
        if (offers(mt_str_z(c->name), word, &n)) {
            return mt_str_z(c->name);
        }
    }
    return (mt_str){0};
}

/* Any name the contract declares: what fits is for the author to know. */
mt_str cli_repl_complete(const cli_repl *r, mt_str before, mt_str word, size_t n)
{
    const ct_model *m = r->engine->model;
    if (!mt_str_trim(before, BLANKS).len) {
        return nth_command(word, n);
    }
    /* ORDER is the order in which they are offered; facts first, being what is typed
     * most. */
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (offers(m->facts[i].id, word, &n)) {
            return m->facts[i].id;
        }
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        if (offers(m->flows[i].id, word, &n)) {
            return m->flows[i].id;
        }
    }
    for (uint32_t i = 0; i < m->persona_count; i++) {
        if (offers(m->personas[i].id, word, &n)) {
            return m->personas[i].id;
        }
    }
    for (uint32_t i = 0; i < m->rule_count; i++) {
        if (offers(m->rules[i].verdict, word, &n)) {
            return m->rules[i].verdict;
        }
    }
    for (uint32_t i = 0; i < m->entity_count; i++) {
        if (offers(m->entities[i].id, word, &n)) {
            return m->entities[i].id;
        }
    }
    return (mt_str){0};
}
