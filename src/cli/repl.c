/* cli/repl.c - the commands of a session.
 *
 * A line is a command of the table below and its arguments; every command writes to a
 * buffer, so tests can drive a session without a terminal. Facts are kept as text, one
 * per fact, and evaluated together after each change; verdicts that came and went are
 * shown as a difference. As long as facts are missing, verdicts that the others decide
 * are shown, and what is missing is listed.
 *
 * Runs of flows keep their changes in the states of the session, `try` keeps nothing.
 * Nothing ends a session but `quit` and the end of input: what is wrong is said and
 * the next line is read. */
#include "cli/repl.h"

#include "analyze/explain/explain.h"
#include "base/nearest.h"
#include "cli/render.h"
#include "contract/flow/partly.h"
#include "contract/flow/partly_actions.h"
#include "contract/flow/report.h"
#include "contract/flow/text.h"
#include "contract/reduce/holes.h"

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
    const ct_model *m = r->engine->x.model;
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
    const ct_model *m = r->engine->x.model;
    const char *before = "still missing: ";
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (!r->facts[i].ptr && !m->facts[i].otherwise) {
            mt_buf_addf(out, "%s%.*s", before, MT_ARG(m->facts[i].id));
            before = ", ";
        }
    }
    mt_buf_addz(out, *before == ',' ? "\n" : "");
}

/* "+ VERDICT = PAYLOAD" without the end of its line, which says more while facts are
 * missing. */
static void came(const cli_repl *r, uint32_t rule, const ct_value *payload, mt_buf *out)
{
    const ct_rule *k = &r->engine->x.model->rules[rule];
    mt_buf_addf(out, "+ %.*s", MT_ARG(k->verdict));
    if (payload) {
        mt_buf_addz(out, " = ");
        ct_value_text(out, k->payload_type, payload);
    }
}

/* Shows which verdicts came and went since they were shown last. */
static void show_difference(cli_repl *r, mt_buf *out)
{
    const ct_model *m = r->engine->x.model;
    const ct_verdicts *v = r->engine->x.bench.verdicts;
    size_t before = out->len;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        bool now = ct_verdict_present(v, i), was = r->shown[i] == CT_PARTLY_PRESENT;
        if (now && !was) {
            came(r, i, ct_verdict_payload(v, i), out);
            mt_buf_addc(out, '\n');
        } else if (was && !now) {
            mt_buf_addf(out, "- %.*s\n", MT_ARG(m->rules[i].verdict));
        }
        r->shown[i] = now ? CT_PARTLY_PRESENT : CT_PARTLY_ABSENT;
    }
    mt_buf_addz(out, out->len == before ? "verdicts unchanged\n" : "");
}

/* What the facts that are there decide, into r->partial. false: a rule ends in an error
 * whatever the others are. */
static bool evaluate_partly(cli_repl *r, ct_fault *fault)
{
    cli_engine *e = r->engine;
    mt_buf json = {0};
    e->deadline.end_ms = 0; /* the whole time again */
    facts_json(r, &json);
    mt_str text = mt_str_dup(&r->arena, mt_buf_str(&json));
    mt_buf_free(&json);
    memset(r->unknown, 0, e->x.model->fact_count * sizeof *r->unknown);
    text =
        ct_holes_fill(&r->arena, e->x.model, text, e->x.bench.limits, true, r->unknown);
    return !ct_facts_read(r->probe, text, e->x.bench.limits, false, fault) &&
           !ct_partial_evaluate(r->partial, r->probe, r->unknown, fault);
}

/* Shows which verdicts are decided that were open, whatever is missing, and which are
 * open again. */
static void show_decided(cli_repl *r, mt_buf *out)
{
    for (uint32_t i = 0; i < r->engine->x.model->rule_count; i++) {
        const ct_left *left = ct_partial_rule(r->partial, i);
        mt_str verdict = r->engine->x.model->rules[i].verdict;
        if (left->state == r->shown[i]) {
            continue;
        }
        if (left->state == CT_PARTLY_PRESENT) {
            came(r, i, left->payload, out);
        } else {
            mt_buf_addf(out, "%c %.*s", left->state == CT_PARTLY_ABSENT ? '-' : '?',
                        MT_ARG(verdict));
        }
        mt_buf_addz(out,
                    left->state == CT_PARTLY_OPEN ? "\n" : ", whatever is missing\n");
        r->shown[i] = left->state;
    }
}

/* Defaults count as given (§5.2). */
static bool lacks_facts(const cli_repl *r)
{
    const ct_model *m = r->engine->x.model;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (!r->facts[i].ptr && !m->facts[i].otherwise) {
            return true;
        }
    }
    return false;
}

/* Evaluates what is known. false: the facts have a fault, which is shown. With all
 * facts there are verdicts and a frozen case, which flows and reasons need; without,
 * only what is decided either way. */
static bool evaluate(cli_repl *r, mt_buf *out)
{
    cli_engine *e = r->engine;
    mt_buf json = {0};
    ct_fault fault = {0};
    r->evaluated = false;
    if (lacks_facts(r)) {
        bool good = evaluate_partly(r, &fault);
        if (good) {
            show_decided(r, out);
            missing_text(r, out);
        } else {
            mt_buf_addf(out, "%.*s\n", MT_ARG(fault.message));
        }
        return good;
    }
    facts_json(r, &json);
    /* The fact set borrows from its text. */
    mt_str text = mt_str_dup(&r->arena, mt_buf_str(&json));
    mt_buf_free(&json);
    ct_bench *b = &e->x.bench;
    /* Each evaluation has the whole time again: a session lasts as long as its user. */
    e->deadline.end_ms = 0;
    if (ct_facts_read(b->facts, text, b->limits, false, &fault) ||
        ct_evaluate(e->x.plan->program, b->facts, b->verdicts, &r->arena, &fault)) {
        mt_buf_addf(out, "%.*s\n", MT_ARG(fault.message));
        return false;
    }
    e->x.frozen =
        (ct_frozen){e->x.plan, {e->x.plan->program, b->facts, b->verdicts}, b->scratch};
    r->evaluated = true;
    show_difference(r, out);
    return true;
}

/* The index of a name, CT_NONE after saying that there is none and which is near. */
static uint32_t named(const cli_repl *r, ct_kind kind, const char *what, mt_str name,
                      mt_buf *out)
{
    const ct_model *m = r->engine->x.model;
    uint32_t index = ct_model_find(m, kind, name);
    if (index == CT_NONE) {
        mt_buf_addf(out, "the contract has no %s '%.*s'%s\n", what, MT_ARG(name),
                    aw_near(&r->engine->contract.arena, m, kind, name));
    }
    return index;
}

static uint32_t fact_named(const cli_repl *r, mt_str name, mt_buf *out)
{
    return named(r, CT_KIND_FACT, "fact", name, out);
}

/* "12.50 EUR" and "3 days" are written as people write them; false: it is not that. */
static bool measure_json(const ct_type *t, mt_str text, mt_buf *out)
{
    mt_str rest = text, amount = next_word(&rest), unit = next_word(&rest);
    if (!unit.len || rest.len || !ct_has(t, LN_CURRENCY | LN_UNIT)) {
        return false;
    }
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (ct_has(t, LN_CURRENCY)) {
        mt_jw_key_str(&w, "amount", amount);
        mt_jw_key_str(&w, "currency", unit);
    } else {
        mt_jw_key_str(&w, "unit", unit);
        mt_jw_keyz(&w, "value");
        mt_jw_raw(&w, amount);
    }
    mt_jw_end_object(&w);
    return true;
}

/* A value is JSON, or a bare word where a string is meant. */
static mt_str value_json(cli_repl *r, uint32_t fact, mt_str typed)
{
    mt_json tree;
    mt_buf made = {0};
    mt_str text = mt_str_dup(&r->arena, typed);
    if (!mt_json_read(&r->arena, text, NULL, &tree, NULL)) {
        return text;
    }
    if (!measure_json(r->engine->x.model->facts[fact].type, text, &made)) {
        mt_json_quote(&made, text);
    }
    text = mt_str_dup(&r->arena, mt_buf_str(&made));
    mt_buf_free(&made);
    return text;
}

/* Is it a value of the fact? Looked at alone, whatever else is missing. false after
 * saying why not. Fields that its type does not have are added to *surplus. */
static bool is_value(cli_repl *r, uint32_t fact, mt_str json, ct_surplus *surplus,
                     mt_buf *out)
{
    mt_buf text = {0};
    ct_fault fault = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_jw_begin_object(&w);
    mt_jw_key(&w, r->engine->x.model->facts[fact].id);
    mt_jw_raw(&w, json);
    mt_jw_end_object(&w);
    mt_str one = mt_str_dup(&r->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    const mt_limits *limits = r->engine->x.bench.limits;
    mt_err err = ct_facts_read(r->probe, one, limits, false, &fault);
    ct_surplus_add(surplus, r->probe, one, limits, MT_STR(""));
    for (const ct_fault *f = err ? &fault : NULL; f; f = f->next) {
        if (f->kind != CT_FAULT_MISSING_FACT) {
            mt_buf_addf(out, "%.*s\n", MT_ARG(f->message));
            return false;
        }
    }
    return true;
}

/* After a value that was refused: what the fact is now. */
static void say_kept(const cli_repl *r, uint32_t fact, mt_buf *out)
{
    const ct_fact *f = &r->engine->x.model->facts[fact];
    mt_buf_addf(out, "%.*s ", MT_ARG(f->id));
    if (r->facts[fact].ptr) {
        mt_buf_addf(out, "stays %.*s\n", MT_ARG(r->facts[fact]));
    } else {
        mt_buf_addf(out, "%s\n", f->otherwise ? "keeps its default" : "is missing");
    }
}

/* Checked at once: a bad value leaves the one before. */
static void run_set(cli_repl *r, mt_str rest, mt_buf *out)
{
    mt_str name = next_word(&rest);
    uint32_t fact = name.len ? fact_named(r, name, out) : CT_NONE;
    if (fact == CT_NONE || !rest.len) {
        mt_buf_addz(out, name.len && fact == CT_NONE ? "" : "set FACT VALUE\n");
        return;
    }
    mt_str text = value_json(r, fact, rest), before = r->facts[fact];
    ct_surplus surplus = {.arena = &r->arena};
    if (!is_value(r, fact, text, &surplus, out)) {
        say_kept(r, fact, out);
        return;
    }
    for (size_t i = 0; i < surplus.len; i++) {
        mt_buf_addf(out, "warning: %.*s\n", MT_ARG(surplus.told[i]));
    }
    if (ct_surplus_more(&surplus).len) {
        mt_buf_addf(out, "warning: %.*s\n", MT_ARG(ct_surplus_more(&surplus)));
    }
    r->facts[fact] = text;
    if (!evaluate(r, out)) {
        r->facts[fact] = before;
        say_kept(r, fact, out);
        /* The fact before had been good, so this brings the verdicts back to what was
         * shown; its output is thrown away. */
        evaluate(r, &(mt_buf){.ceiling = 1});
    }
}

/* Unsetting what has a default gives the default back, which may change verdicts. */
static void run_unset(cli_repl *r, mt_str rest, mt_buf *out)
{
    mt_str name = next_word(&rest);
    uint32_t fact = name.len ? fact_named(r, name, out) : CT_NONE;
    mt_buf_addz(out, name.len ? "" : "unset FACT\n");
    if (fact != CT_NONE) {
        r->facts[fact] = (mt_str){0};
        evaluate(r, out);
    }
}

/* "amount: Money("USD") = {...}", with " (default)" behind a value that nobody gave. */
static void run_facts(cli_repl *r, mt_str rest, mt_buf *out)
{
    (void)rest;
    const ct_model *m = r->engine->x.model;
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

/* Are facts missing? Then r->partial says what the others leave open. */
static bool is_partly(cli_repl *r)
{
    ct_fault fault = {0};
    return !r->evaluated && evaluate_partly(r, &fault);
}

/* While facts are missing: what is decided, and what the rest depends on. */
static void run_verdicts(cli_repl *r, mt_str rest, mt_buf *out)
{
    (void)rest;
    if (is_partly(r)) {
        ct_partly_lines(out, r->partial);
    }
    if (needs_verdicts(r, out)) {
        cli_verdicts_text(out, r->engine->x.model, r->engine->x.bench.verdicts);
    }
}

/* ---- states, flows, operations ---- */

/* Sealing again is allowed: states may be added between two commands. */
static void resolve(cli_repl *r)
{
    ct_states_seal(&r->engine->x.states);
    ct_binding_resolve(&r->engine->x.binding, &r->engine->x.states, true);
}

/* The argument is copied: states keep pointing to it, and the line is gone after the
 * command. */
static void run_states(cli_repl *r, mt_str rest, mt_buf *out)
{
    mt_str why;
    cli_engine *e = r->engine;
    if (rest.len && ct_states_read_text(&r->arena, &e->x.states,
                                        mt_str_dup(&r->arena, rest), &why)) {
        mt_buf_addf(out, "%.*s\n", MT_ARG(why));
        return;
    }
    resolve(r);
    for (uint32_t i = 0; i < e->x.model->entity_count; i++) {
        const ct_instances *list = &e->x.states.entities[i];
        for (size_t k = 0; k < list->len; k++) {
            bool bound = mt_str_eq(list->items[k].id, e->x.binding.instances[i]);
            mt_buf_addf(out, "%.*s/%.*s = %.*s%s\n", MT_ARG(e->x.model->entities[i].id),
                        MT_ARG(list->items[k].id),
                        MT_ARG(e->x.model->entities[i].states[list->items[k].state]),
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
    if (ct_binding_read_text(&r->arena, &e->x.binding, e->x.model,
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
    const ct_run *run = &e->x.bench.run;
    for (size_t i = 0; i < run->changes.len; i++) {
        const ct_change *c = &run->changes.items[i];
        /* Only instances that are bound can have been changed, so the binding names
         * them. */
        ct_states_put(&r->arena, &e->x.states, c->entity,
                      e->x.binding.instances[c->entity], c->to);
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
    if (!persona.len) {
        mt_buf_addz(out, "FLOW PERSONA [OUTCOME]\n");
        return;
    }
    if (named(r, CT_KIND_FLOW, "flow", flow, out) == CT_NONE) {
        return;
    }
    cli_engine_run(e, flow.ptr, persona.ptr, outcome.len ? outcome.ptr : NULL,
                   simulation);
    if (e->x.bench.run.status == CT_RUN_FAILED) {
        ct_run_fault_text(out, &e->x.bench.run);
        mt_buf_addc(out, '\n');
        return;
    }
    cli_run_text(out, &e->x.bench.run);
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

/* While facts are missing, flows may depend on conditions; these are shown, and what is
 * missing after them. */
static void run_actions(cli_repl *r, mt_str rest, mt_buf *out)
{
    cli_engine *e = r->engine;
    mt_str persona = mt_str_dup(&r->arena, next_word(&rest));
    if (!persona.len) {
        mt_buf_addz(out, "actions PERSONA\n");
    } else if (named(r, CT_KIND_PERSONA, "persona", persona, out) == CT_NONE) {
        return;
    } else if (is_partly(r)) {
        ct_partly_space space;
        ct_partly_actions(&r->arena, r->partial, e->x.plan, &e->x.states, persona,
                          &space);
        ct_partly_actions_lines(out, r->partial, e->x.plan, &space);
        missing_text(r, out);
    } else if (needs_verdicts(r, out)) {
        ct_action_space space;
        ct_actions(&r->arena, &e->x.frozen, &e->x.states, persona, &space);
        cli_actions_text(out, e->x.plan, &space);
    }
}

/* A name that is both a verdict's and a flow's means the verdict. */
static void run_explain(cli_repl *r, mt_str rest, mt_buf *out)
{
    mt_str name = next_word(&rest);
    cli_engine *e = r->engine;
    uint32_t rule = ct_model_find(e->x.model, CT_KIND_VERDICT, name);
    uint32_t flow = ct_model_find(e->x.model, CT_KIND_FLOW, name);
    bool open;
    if (!name.len) {
        an_explain_contract(out, e->x.plan, AN_EXPLAIN_TEXT, false);
    } else if (rule != CT_NONE && is_partly(r)) {
        an_explain_verdict_partly(out, r->partial, rule, AN_EXPLAIN_TEXT);
        missing_text(r, out);
    } else if (!needs_verdicts(r, out)) {
        return;
    } else if (rule != CT_NONE) {
        an_explain_verdict(out, &e->x.frozen, rule, AN_EXPLAIN_TEXT);
    } else if (flow != CT_NONE && rest.len) {
        an_explain_flow(out, &e->x.frozen, &e->x.states, flow, rest, AN_EXPLAIN_TEXT,
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
    for (uint32_t i = 0; i < e->x.model->fact_count; i++) {
        r->facts[i] = (mt_str){0};
    }
    e->x.states = ct_states_new(&r->arena, e->x.model);
    e->x.binding = ct_binding_new(&r->arena, e->x.model);
    ct_states_add_initial(&r->arena, &e->x.states);
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
    {"set",      "FACT VALUE",             "f=", "give a fact a value (JSON, or a bare word)", run_set},
    {"unset",    "FACT",                   "f", "take it back",                               run_unset},
    {"facts",    "",                       "", "all facts and their values",                 run_facts},
    {"verdicts", "",                       "", "all verdicts that are present, or what is left", run_verdicts},
    {"states",   "[E[/INST]=STATE]",       "e", "show the instances, or set one",             run_states},
    {"bind",     "E=INST",                 "e", "which instance flows work on",               run_bind},
    {"flow",     "FLOW PERSONA [OUTCOME]", "wpo", "run a flow and keep its changes",            run_flow},
    {"try",      "FLOW PERSONA [OUTCOME]", "wpo", "run a flow and keep nothing",                run_try},
    {"actions",  "PERSONA",                "p", "what the persona can do now",                run_actions},
    {"explain",  "[VERDICT|FLOW PERSONA]", "xp", "why it is so",                               run_explain},
    {"reset",    "",                       "", "forget all facts and states",                run_reset},
    {"help",     "",                       "", "this list",                                  run_help},
    {"quit",     "",                       "", "leave (also Ctrl-D)",                        run_quit},
    {NULL, NULL, NULL, NULL, NULL},
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
    mt_nearest near = mt_nearest_to(name);
    for (const cli_repl_command *c = CLI_REPL_COMMANDS; c->name; c++) {
        mt_nearest_offer(&near, mt_str_z(c->name));
    }
    mt_buf_addf(out, "unknown command '%.*s'; ", MT_ARG(name));
    if (near.best.len) {
        mt_buf_addf(out, "did you mean '%.*s'? ", MT_ARG(near.best));
    }
    mt_buf_addz(out, "help lists them\n");
}

/* All that the tree has, as if they were set one after the other; evaluated once. */
bool cli_repl_facts(cli_repl *r, const mt_json *tree, mt_buf *out)
{
    size_t before = out->len;
    ct_surplus surplus = {.arena = &r->arena};
    for (uint32_t i = 0; mt_json_is(tree, MT_JSON_OBJECT) && i < tree->count; i++) {
        const mt_json_member *m = &tree->as.members[i];
        uint32_t fact = fact_named(r, m->key, out);
        if (fact == CT_NONE) {
            continue;
        }
        mt_buf json = {0};
        mt_json_write(&json, &m->value, false);
        mt_str text = mt_str_dup(&r->arena, mt_buf_str(&json));
        mt_buf_free(&json);
        if (is_value(r, fact, text, &surplus, out)) {
            r->facts[fact] = text;
        }
    }
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        mt_buf_addz(out, "facts are a map\n");
    }
    cli_surplus_report(r->engine->args, &surplus);
    return out->len == before;
}

/* Every verdict counts as open at first, so that the first evaluation shows all that
 * are decided. */
void cli_repl_start(cli_repl *r, cli_engine *e, mt_buf *out)
{
    *r = (cli_repl){.engine = e};
    r->facts = mt_new_array(&r->arena, mt_str, e->x.model->fact_count);
    r->shown = mt_new_array(&r->arena, uint8_t, e->x.model->rule_count);
    memset(r->shown, CT_PARTLY_OPEN, e->x.model->rule_count);
    r->unknown = mt_new_array(&r->arena, bool, e->x.model->fact_count);
    r->partial = ct_partial_new(e->x.plan->program);
    ct_partial_limit(r->partial, (ct_patience){e->contract.limits.eval_steps,
                                               os_is_late, &e->deadline});
    r->probe = ct_facts_new(e->x.model);
    mt_buf_addf(out,
                "%.*s: %u facts, %u rules, %u operations, %u flows; help lists the "
                "commands\n",
                MT_ARG(e->x.model->id), e->x.model->fact_count, e->x.model->rule_count,
                e->x.model->operation_count, e->x.model->flow_count);
}

void cli_repl_begin(cli_repl *r, mt_buf *out)
{
    evaluate(r, out);
}

void cli_repl_free(cli_repl *r)
{
    ct_partial_free(r->partial);
    ct_facts_free(r->probe);
    mt_arena_free(&r->arena);
}

/* ---- completion ---- */

/* Candidates are offered one after the other; the n-th that begins with the word is
 * taken. */
typedef struct offer {
    mt_str word, found;
    size_t n;
} offer;

/* Counts down: the caller asks for the first, the second, and so on, until there is
 * none. */
static void offer_name(offer *o, mt_str name)
{
    if (!o->found.ptr && mt_str_starts(name, o->word) && o->n-- == 0) {
        o->found = name;
    }
}

static void offer_kind(offer *o, const cli_repl *r, ct_kind kind)
{
    const mt_map *names = &r->engine->x.model->names[kind];
    for (uint32_t i = 0; i < names->len; i++) {
        offer_name(o, names->entries[i].key);
    }
}

/* Values of a fact that can be listed. */
static void offer_values(offer *o, const cli_repl *r, mt_str name)
{
    uint32_t fact = ct_model_find(r->engine->x.model, CT_KIND_FACT, name);
    const ct_type *t = fact == CT_NONE ? NULL : r->engine->x.model->facts[fact].type;
    if (t && ct_held(t) == LN_BOOLEAN) {
        offer_name(o, MT_STR("true"));
        offer_name(o, MT_STR("false"));
    }
    for (uint32_t i = 0; t && ct_held(t) == LN_CHOICE && i < t->count; i++) {
        offer_name(o, t->as.values[i]);
    }
}

/* Labels of all operations; one that several have is offered once. */
static void offer_outcomes(offer *o, const cli_repl *r)
{
    const ct_plan *p = r->engine->x.plan;
    for (uint32_t i = 0; i < p->outcome_count; i++) {
        bool fresh = true;
        for (uint32_t k = 0; k < i; k++) {
            fresh &= !mt_str_eq(p->outcomes[k].label, p->outcomes[i].label);
        }
        if (fresh) {
            offer_name(o, p->outcomes[i].label);
        }
    }
}

/* What a word of the line is, by the command's column `takes`. */
static void offer_for(offer *o, const cli_repl *r, char takes, mt_str word_before)
{
    switch (takes) {
    case 'f': offer_kind(o, r, CT_KIND_FACT); break;
    case '=': offer_values(o, r, word_before); break;
    case 'e': offer_kind(o, r, CT_KIND_ENTITY); break;
    case 'w': offer_kind(o, r, CT_KIND_FLOW); break;
    case 'p': offer_kind(o, r, CT_KIND_PERSONA); break;
    case 'o': offer_outcomes(o, r); break;
    case 'x': /* what can be explained */
        offer_kind(o, r, CT_KIND_VERDICT);
        offer_kind(o, r, CT_KIND_FLOW);
        break;
    default: break;
    }
}

/* The words before the one that is completed say what it can be. */
mt_str cli_repl_complete(const cli_repl *r, mt_str before, mt_str word, size_t n)
{
    offer o = {.word = word, .n = n};
    mt_str rest = before, name = next_word(&rest), last = {0};
    const cli_repl_command *c = CLI_REPL_COMMANDS;
    if (!name.len) {
        for (; c->name; c++) {
            offer_name(&o, mt_str_z(c->name));
        }
        return o.found;
    }
    while (c->name && !mt_str_eq(mt_str_z(c->name), name)) {
        c++;
    }
    const char *takes = c->name ? c->takes : "";
    while (rest.len && *takes) {
        last = next_word(&rest);
        takes++;
    }
    offer_for(&o, r, *takes, last);
    return o.found;
}
