/* contract/flow/scenario.c - reading scenario files, running and comparing.
 * Room: contract.
 *
 * Reading goes by the tables below: a fault of the file refuses the file, a fault of a
 * scenario stays with that scenario, so that the others run. Running merges what the
 * file and the scenario give, makes a trial of it and compares part by part.
 * INVARIANT: a key that no table has is a fault: a misspelt expectation must not pass.
 * May fail: only by saying what is wrong or what differs. */
#include "contract/flow/scenario.h"

#include "base/form.h"
#include "contract/flow/report.h"
#include "contract/flow/scenario_internal.h"

/* ---- reading ---- */

/* The size of the file bounds all of these before. Invariants are fewer: each is a
 * search or a proof. */
enum { MOST_EXPECTED = 1000000, MOST_SCENARIOS = 1000000, MOST_INVARIANTS = 10000 };

static const mt_form_row GIVEN_ROWS[] = {
    MT_FORM_ANY(ct_given, facts, "facts", 0),
    MT_FORM_ANY(ct_given, states, "states", 0),
    MT_FORM_ANY(ct_given, bind, "bind", 0),
};
static const mt_form_table GIVEN = MT_FORM_TABLE("given", GIVEN_ROWS, ct_given, NULL);

static const mt_form_row WHEN_ROWS[] = {
    MT_FORM_TEXT(ct_when, persona, "persona", 0),
    MT_FORM_TEXT(ct_when, flow, "flow", 0),
    MT_FORM_TEXT(ct_when, operation, "operation", 0),
    MT_FORM_ANY(ct_when, outcome, "outcome", 0),
    MT_FORM_ANY(ct_when, meanwhile, "meanwhile", 0),
};
static const mt_form_table WHEN = MT_FORM_TABLE("when", WHEN_ROWS, ct_when, NULL);

static const mt_form_row THEN_ROWS[] = {
    MT_FORM_LIST(ct_then, verdicts, "verdicts", 0, MOST_EXPECTED, 0),
    MT_FORM_LIST(ct_then, present, "present", 0, MOST_EXPECTED, 0),
    MT_FORM_LIST(ct_then, absent, "absent", 0, MOST_EXPECTED, 0),
    MT_FORM_OBJECT(ct_then, payloads, "payloads", 0),
    MT_FORM_ANY(ct_then, outcome, "outcome", 0),
    MT_FORM_OBJECT(ct_then, states, "states", 0),
    MT_FORM_LIST(ct_then, steps, "steps", 0, MOST_EXPECTED, 0),
    MT_FORM_ANY(ct_then, error, "error", 0),
};
static const mt_form_table THEN = MT_FORM_TABLE("then", THEN_ROWS, ct_then, NULL);

enum { MOST_CASES = 1000000 };
static const mt_form_row FOR_ALL_ROWS[] = {
    MT_FORM_INT(ct_for_all, cases, "cases", 1, MOST_CASES, 0),
    MT_FORM_INT(ct_for_all, seed, "seed", 0, INT64_MAX, 0),
    MT_FORM_FLAG(ct_for_all, states, "states", 0),
    MT_FORM_ANY(ct_for_all, where, "where", 0),
};
static const mt_form_table FOR_ALL =
    MT_FORM_TABLE("for_all", FOR_ALL_ROWS, ct_for_all, NULL);

static const mt_form_row SCENARIO[] = {
    MT_FORM_TEXT(ct_scenario, name, "name", 0),
    MT_FORM_ANY_OF(ct_scenario, for_all_written, "for_all", &FOR_ALL, 0),
    MT_FORM_TEXTS(ct_scenario, asserts, "assert", 1, MOST_EXPECTED, 0),
    MT_FORM_INSIDE(ct_scenario, given, "given", &GIVEN, 0),
    /* `when` twice: once read, once as it was written, so that recording gives it
     * back with every key in its place. */
    MT_FORM_INSIDE(ct_scenario, when, "when", &WHEN, 0),
    MT_FORM_ANY(ct_scenario, when_written, "when", 0),
    MT_FORM_INSIDE(ct_scenario, then, "then", &THEN, 0),
};
static const mt_form_table ONE =
    MT_FORM_TABLE("a scenario", SCENARIO, ct_scenario, NULL);

typedef struct draft {
    mt_str contract;
    ct_given shared;
    const mt_json *scenarios, *invariants;
} draft;
static const mt_form_row FILE_ROWS[] = {
    MT_FORM_TEXT(draft, contract, "contract", 0),
    MT_FORM_INSIDE(draft, shared, "given", &GIVEN, 0),
    MT_FORM_LIST_OF(draft, scenarios, "scenarios", &ONE, 0, MOST_SCENARIOS, 0),
    MT_FORM_TEXTS(draft, invariants, "invariants", 0, MOST_INVARIANTS, 0),
};
const mt_form_table CT_SCENARIOS_FORM =
    MT_FORM_TABLE("the file", FILE_ROWS, draft, NULL);

/* Faults as lines: FILE:LINE:COLUMN: what is wrong. */
typedef struct lines {
    mt_str file, text;
    mt_buf out;
} lines;

static void add_line(lines *l, const mt_diag *d, mt_str message, mt_str hint)
{
    mt_buf_addf(&l->out, "%.*s:%u:%u: %.*s%s%.*s\n", MT_ARG(l->file), d->line,
                d->column, MT_ARG(message), hint.len ? "; " : "", MT_ARG(hint));
}

static void hear(void *state, const mt_form_fault *fault)
{
    lines *l = state;
    mt_diag d = mt_form_diag(fault, NULL, l->file, l->text);
    mt_buf message = {0};
    if (fault->wrong == MT_FORM_UNKNOWN_KEY) {
        mt_buf_addf(&message, "%s has an unknown key '%.*s'", fault->what,
                    MT_ARG(fault->key));
    } else {
        mt_buf_adds(&message, fault->message);
    }
    add_line(l, &d, mt_buf_str(&message), fault->hint);
    mt_buf_free(&message);
}

static void refuse(lines *l, mt_arena *a, const mt_json *at, const char *what,
                   mt_str name)
{
    mt_diag d = {0};
    mt_json_place(l->text, at->offset, &d.line, &d.column);
    add_line(l, &d, mt_strf(a, "%s '%.*s'", what, MT_ARG(name)), MT_STR(""));
}

static bool is_map(const mt_json *facts)
{
    return !facts || mt_json_is(facts, MT_JSON_OBJECT);
}

/* What the tables cannot say. */
static void check_scenario(lines *l, mt_arena *a, const mt_json *node,
                           const ct_scenario *s)
{
    const mt_json *then = mt_json_at(node, "then"), *when = s->when_written;
    /* Of what was written, not what was read: an empty name is given too, and
     * refused as unknown later. */
    bool flow = mt_json_at(when, "flow"), op = mt_json_at(when, "operation");
    if (!is_map(s->given.facts)) {
        refuse(l, a, s->given.facts, "facts must be a map in scenario", s->name);
    }
    if ((!then || !then->count) && !s->asserts) {
        refuse(l, a, node, "nothing is expected in scenario", s->name);
    }
    if (when && (flow == op || !mt_json_at(when, "persona"))) {
        refuse(l, a, when, "`when` needs a persona and a flow or an operation in",
               s->name);
    }
}

/* "facts", "facts and states", or an object that says more. */
static void read_for_all(mt_form *f, ct_scenario *s)
{
    const mt_json *v = s->for_all_written;
    mt_str word = mt_json_is(v, MT_JSON_STRING) ? mt_json_text(v) : (mt_str){0};
    mt_form in = mt_form_inside(f, "for_all", "for_all");
    /* A seed of 0 is one; -1 says that none was given. */
    s->for_all = (ct_for_all){.asked = v, .seed = -1};
    s->for_all.states = mt_str_is(word, "facts and states");
    if (!v || s->for_all.states || mt_str_is(word, "facts")) {
        return;
    }
    if (!mt_json_is(v, MT_JSON_OBJECT)) {
        refuse(f->state, f->arena, v,
               "for_all is `facts`, `facts and states` or a map, not",
               mt_str_z(word.len ? mt_str_dup(f->arena, word).ptr : mt_form_name(v)));
    } else if (mt_form_read(&in, v, FOR_ALL_ROWS, mt_form_count(FOR_ALL_ROWS),
                            &s->for_all) &&
               s->for_all.where && !mt_json_is(s->for_all.where, MT_JSON_STRING)) {
        refuse(f->state, f->arena, s->for_all.where, "`where` is a condition in",
               s->name);
    }
}

static ct_scenario read_scenario(mt_form *f, const mt_json *node, uint32_t i)
{
    ct_scenario s = {.node = node};
    lines *l = f->state;
    mt_form in = *f;
    in.what = "a scenario";
    /* Lines of a scenario before this one are its own fault and kept with it. */
    mt_buf_clear(&l->out);
    bool good = mt_form_read(&in, node, SCENARIO, mt_form_count(SCENARIO), &s);
    if (!s.name.len) {
        s.name = mt_strf(f->arena, "scenario %u", i + 1);
    }
    if (good) {
        read_for_all(f, &s);
        check_scenario(l, f->arena, node, &s);
    }
    s.fault = mt_str_dup(f->arena, mt_buf_str(&l->out));
    return s;
}

static mt_err read_all(mt_form *f, const mt_json *tree, ct_scenarios *out)
{
    draft d = {0};
    bool good = mt_form_read(f, tree, FILE_ROWS, mt_form_count(FILE_ROWS), &d);
    mt_form given = mt_form_inside(f, "given", "given");
    good &= is_map(d.shared.facts) ||
            mt_form_say(&given, MT_FORM_WRONG_KIND, d.shared.facts, "facts",
                        "must be a map, not %s", mt_form_name(d.shared.facts));
    good = good && (d.scenarios || d.invariants ||
                    mt_form_say(f, MT_FORM_MISSING, tree, "scenarios", "is missing"));
    const lines *l = f->state;
    *out = (ct_scenarios){.path = l->file,
                          .text = l->text,
                          .contract = d.contract,
                          .shared = d.shared,
                          .invariants = d.invariants};
    for (uint32_t i = 0; good && d.scenarios && i < d.scenarios->count; i++) {
        ct_scenario s = read_scenario(f, &d.scenarios->as.items[i], i);
        mt_vec_push(f->arena, out, s);
    }
    return good ? MT_OK : MT_E_TYPE;
}

mt_err ct_scenarios_read(mt_arena *a, mt_str file, mt_str text, const mt_json *tree,
                         ct_scenarios *out, mt_str *why)
{
    lines l = {.file = file, .text = text};
    mt_form f = {.arena = a, .what = "the file", .report = hear, .state = &l};
    mt_err err = read_all(&f, tree, out);
    if (err) {
        *why = mt_str_dup(a, mt_buf_str(&l.out));
    }
    mt_buf_free(&l.out);
    return err;
}

/* ---- given and when ---- */

static void add_members(mt_jw *w, const mt_json *object, const mt_json *except)
{
    for (uint32_t i = 0; mt_json_is(object, MT_JSON_OBJECT) && i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        if (!mt_json_get(except, m->key)) {
            mt_jw_key(w, m->key);
            mt_jw_json(w, &m->value);
        }
    }
}

/* Facts are merged fact by fact; the scenario's own win. Those that the file shares are
 * an example, and a property is not about an example. */
static void facts_json(mt_jw *w, const ct_scenarios *file, const ct_scenario *s)
{
    mt_jw_begin_unsorted(w);
    if (!s->for_all.asked) {
        add_members(w, file->shared.facts, s->given.facts);
    }
    add_members(w, s->given.facts, NULL);
    mt_jw_end_object(w);
}

/* Two objects as text become one; neither has a key of the other. */
static void join_objects(mt_buf *out, mt_str more)
{
    /* "{}" is two bytes and adds nothing. */
    if (more.len > 2) {
        out->len--;
        mt_buf_addz(out, out->len > 1 ? "," : "");
        mt_buf_adds(out, mt_str_skip(more, 1));
    }
}

ct_trial ct_scenario_trial(mt_arena *a, const ct_scenarios *file, const ct_scenario *s,
                           mt_str more)
{
    mt_buf facts = {0};
    mt_jw w = mt_jw_start(&facts, false);
    facts_json(&w, file, s);
    join_objects(&facts, more);
    ct_trial t = {
        .facts = mt_str_dup(a, mt_buf_str(&facts)),
        .states = s->given.states ? s->given.states : file->shared.states,
        .bindings = s->given.bind ? s->given.bind : file->shared.bind,
        .persona = s->when.persona,
        .flow = s->when.flow,
        .operation = s->when.operation,
        .outcome = s->when.outcome,
        .meanwhile = s->when.meanwhile,
    };
    mt_buf_free(&facts);
    return t;
}

/* ---- running ---- */

void ct_scenario_cover(ct_coverage *c, const ct_bench *b, const ct_result *r)
{
    if (r->evaluated) {
        ct_coverage_verdicts(c, b->verdicts);
    }
    if (r->ran) {
        ct_coverage_run(c, &b->run);
    } else if (r->op != CT_NONE && !r->attempt.error) {
        ct_coverage_outcome(c, r->op, r->attempt.outcome);
    }
}

ct_verdict_on ct_scenario_case(const ct_case *c, const ct_trial *t, mt_arena *a,
                               ct_coverage *coverage, mt_buf *why)
{
    ct_result r;
    bool wanted = true, holds = true;
    const ct_conditions *k = c->conditions;
    ct_trial_run(a, c->b, t, &r);
    ct_judge j = {.a = a, .b = c->b, .file = c->file, .s = c->s, .r = &r, .why = why};
    j.errors_are_fine = k && k->reads_error;
    if (k) {
        holds = k->judge(k->state, a, c->b, t, &r, &wanted, why);
    }
    if (!wanted) {
        return CT_UNWANTED;
    }
    ct_judge_then(&j);
    /* What failed does not count as covered: its way is not the one that was meant. */
    if (coverage && holds && !j.faults) {
        ct_scenario_cover(coverage, c->b, &r);
    }
    return holds && !j.faults ? CT_PASSES : CT_FAILS;
}

bool ct_scenario_run(mt_arena *a, ct_bench *b, const ct_scenarios *file,
                     const ct_scenario *s, const ct_conditions *conditions,
                     ct_coverage *coverage, mt_buf *why)
{
    ct_case c = {b, file, s, conditions};
    ct_trial t = ct_scenario_trial(a, file, s, MT_STR(""));
    return ct_scenario_case(&c, &t, a, coverage, why) == CT_PASSES;
}

/* ---- recording ---- */

void ct_scenario_step(mt_buf *out, const ct_run *run, const ct_record *r)
{
    ct_record_step_text(out, run, r);
    mt_buf_addc(out, '=');
    ct_record_result_text(out, run, r);
}

static void present_json(mt_jw *w, const ct_bench *b)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < b->plan->model->rule_count; i++) {
        if (ct_verdict_present(b->verdicts, i)) {
            mt_jw_str(w, b->plan->model->rules[i].verdict);
        }
    }
    mt_jw_end_array(w);
}

static void steps_json(mt_jw *w, const ct_run *run)
{
    mt_buf text = {0};
    mt_jw_begin_array(w);
    for (size_t i = 0; i < run->records.len; i++) {
        if (ct_record_is_flat(run, &run->records.items[i])) {
            mt_buf_clear(&text);
            ct_scenario_step(&text, run, &run->records.items[i]);
            mt_jw_str(w, mt_buf_str(&text));
        }
    }
    mt_jw_end_array(w);
    mt_buf_free(&text);
}

void ct_result_json(mt_jw *w, const ct_bench *b, const ct_result *r)
{
    mt_jw_begin_object(w);
    if (r->fault_kind.len) {
        mt_jw_key_str(w, "error", r->fault_kind);
    }
    if (r->outcome.len) {
        mt_jw_key_str(w, "outcome", r->outcome);
    }
    if (r->ran || r->op != CT_NONE) {
        mt_jw_keyz(w, "states");
        ct_states_json(w, &r->states);
    }
    if (r->ran) {
        mt_jw_keyz(w, "steps");
        steps_json(w, &b->run);
    }
    if (r->evaluated) {
        mt_jw_keyz(w, "verdicts");
        present_json(w, b);
    }
    mt_jw_end_object(w);
}

void ct_scenario_record(mt_jw *w, mt_arena *a, ct_bench *b, const ct_scenarios *file,
                        const ct_scenario *s, mt_str more)
{
    ct_result r;
    ct_trial t = ct_scenario_trial(a, file, s, more);
    ct_trial_run(a, b, &t, &r);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "given");
    mt_jw_begin_object(w);
    if (t.bindings) {
        mt_jw_keyz(w, "bind");
        mt_jw_json(w, t.bindings);
    }
    mt_jw_keyz(w, "facts");
    mt_jw_raw(w, t.facts);
    if (t.states) {
        mt_jw_keyz(w, "states");
        mt_jw_json(w, t.states);
    }
    mt_jw_end_object(w);
    mt_jw_key_str(w, "name", s->name);
    mt_jw_keyz(w, "then");
    ct_result_json(w, b, &r);
    if (s->when_written) {
        mt_jw_keyz(w, "when");
        mt_jw_json(w, s->when_written);
    }
    mt_jw_end_object(w);
}
