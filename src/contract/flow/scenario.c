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

/* ---- reading ---- */

enum { MOST_EXPECTED = 1000000, MOST_SCENARIOS = 1000000 };

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

static const mt_form_row SCENARIO[] = {
    MT_FORM_TEXT(ct_scenario, name, "name", 0),
    MT_FORM_INSIDE(ct_scenario, given, "given", &GIVEN, 0),
    MT_FORM_INSIDE(ct_scenario, when, "when", &WHEN, 0),
    MT_FORM_ANY(ct_scenario, when_written, "when", 0),
    MT_FORM_INSIDE(ct_scenario, then, "then", &THEN, 0),
};

typedef struct draft {
    mt_str contract;
    ct_given shared;
    const mt_json *scenarios;
} draft;
static const mt_form_row FILE_ROWS[] = {
    MT_FORM_TEXT(draft, contract, "contract", 0),
    MT_FORM_INSIDE(draft, shared, "given", &GIVEN, 0),
    MT_FORM_LIST(draft, scenarios, "scenarios", 0, MOST_SCENARIOS, MT_FORM_REQUIRED),
};

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
    bool flow = mt_json_at(when, "flow"), op = mt_json_at(when, "operation");
    if (!is_map(s->given.facts)) {
        refuse(l, a, s->given.facts, "facts must be a map in scenario", s->name);
    }
    if (!then || !then->count) {
        refuse(l, a, node, "nothing is expected in scenario", s->name);
    }
    if (when && (flow == op || !mt_json_at(when, "persona"))) {
        refuse(l, a, when, "`when` needs a persona and a flow or an operation in",
               s->name);
    }
}

static ct_scenario read_scenario(mt_form *f, const mt_json *node, uint32_t i)
{
    ct_scenario s = {0};
    lines *l = f->state;
    mt_form in = *f;
    in.what = "a scenario";
    mt_buf_clear(&l->out);
    bool good = mt_form_read(&in, node, SCENARIO, mt_form_count(SCENARIO), &s);
    if (!s.name.len) {
        s.name = mt_strf(f->arena, "scenario %u", i + 1);
    }
    if (good) {
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
    *out = (ct_scenarios){.contract = d.contract, .shared = d.shared};
    for (uint32_t i = 0; good && i < d.scenarios->count; i++) {
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

/* Facts are merged fact by fact; the scenario's own win. */
static void facts_json(mt_jw *w, const ct_scenarios *file, const ct_scenario *s)
{
    mt_jw_begin_unsorted(w);
    add_members(w, file->shared.facts, s->given.facts);
    add_members(w, s->given.facts, NULL);
    mt_jw_end_object(w);
}

static ct_trial trial_of(mt_arena *a, const ct_scenarios *file, const ct_scenario *s)
{
    mt_buf facts = {0};
    mt_jw w = mt_jw_start(&facts, false);
    facts_json(&w, file, s);
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

/* ---- then ---- */

typedef struct judge {
    mt_arena *a;
    ct_bench *b;
    const ct_result *r;
    mt_buf *why;
    size_t faults;
} judge;

static void differ(judge *j, const char *what, mt_str expected, mt_str got)
{
    j->faults++;
    mt_buf_addf(j->why, "%s: expected %.*s, got %.*s\n", what, MT_ARG(expected),
                MT_ARG(got));
}

static mt_str or_nothing(mt_str s)
{
    return s.len ? s : MT_STR("nothing");
}

static bool is_present(const judge *j, mt_str verdict)
{
    uint32_t rule = ct_model_find(j->b->plan->model, CT_KIND_VERDICT, verdict);
    return rule != CT_NONE && ct_verdict_present(j->b->verdicts, rule);
}

static bool listed(const mt_json *list, mt_str name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (mt_str_eq(mt_json_text(&list->as.items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Every name in the list, present or absent; names no rule produces are mistakes. */
static void judge_listed(judge *j, const mt_json *list, const char *key, bool present)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        mt_str name = mt_json_text(&list->as.items[i]);
        if (ct_model_find(j->b->plan->model, CT_KIND_VERDICT, name) == CT_NONE) {
            j->faults++;
            mt_buf_addf(j->why, "%s: no rule produces verdict %.*s\n", key,
                        MT_ARG(name));
        } else if (is_present(j, name) != present) {
            j->faults++;
            mt_buf_addf(j->why, "%s: verdict %.*s is %s\n", key, MT_ARG(name),
                        present ? "absent" : "present");
        }
    }
}

static void judge_verdicts(judge *j, const mt_json *list)
{
    judge_listed(j, list, "verdicts", true);
    const ct_model *m = j->b->plan->model;
    for (uint32_t i = 0; list && i < m->rule_count; i++) {
        if (ct_verdict_present(j->b->verdicts, i) &&
            !listed(list, m->rules[i].verdict)) {
            j->faults++;
            mt_buf_addf(j->why, "verdicts: verdict %.*s is present and not expected\n",
                        MT_ARG(m->rules[i].verdict));
        }
    }
}

static void judge_payloads(judge *j, const mt_json *map)
{
    const ct_model *m = j->b->plan->model;
    for (uint32_t i = 0; map && i < map->count; i++) {
        mt_str name = map->as.members[i].key;
        uint32_t rule = ct_model_find(m, CT_KIND_VERDICT, name);
        mt_buf got = {0}, want = {0};
        mt_json node;
        bool present = rule != CT_NONE && ct_verdict_present(j->b->verdicts, rule);
        if (present) {
            ct_value_json(&got, m->rules[rule].payload_type,
                          ct_verdict_payload(j->b->verdicts, rule));
        }
        bool same =
            present &&
            !mt_json_read(j->a, mt_str_dup(j->a, mt_buf_str(&got)), NULL, &node,
                          NULL) &&
            (mt_json_equal(&node, &map->as.members[i].value) ||
             mt_json_equal(mt_json_at(&node, "value"), &map->as.members[i].value));
        if (!same) {
            mt_json_write(&want, &map->as.members[i].value, false);
            mt_str key = mt_strf(j->a, "payload of %.*s", MT_ARG(name));
            differ(j, key.ptr, mt_buf_str(&want), or_nothing(mt_buf_str(&got)));
        }
        mt_buf_free(&got);
        mt_buf_free(&want);
    }
}

static void judge_state(judge *j, uint32_t entity, mt_str id, mt_str state)
{
    const ct_entity *e = &j->b->plan->model->entities[entity];
    uint32_t now = ct_states_get(&j->r->states, entity, id);
    mt_str got = now == CT_NONE ? MT_STR("no such instance") : e->states[now];
    if (!mt_str_eq(got, state)) {
        mt_str what = mt_strf(j->a, "state of %.*s/%.*s", MT_ARG(e->id), MT_ARG(id));
        differ(j, what.ptr, state, got);
    }
}

static void judge_states(judge *j, const mt_json *map)
{
    for (uint32_t i = 0; map && i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        uint32_t e = ct_model_find(j->b->plan->model, CT_KIND_ENTITY, m->key);
        if (e == CT_NONE) {
            differ(j, "states", MT_STR("a declared entity"), m->key);
        } else if (m->value.type == MT_JSON_STRING) {
            judge_state(j, e, CT_DEFAULT_INSTANCE, mt_json_text(&m->value));
        } else {
            for (uint32_t k = 0;
                 mt_json_is(&m->value, MT_JSON_OBJECT) && k < m->value.count; k++) {
                const mt_json_member *inst = &m->value.as.members[k];
                judge_state(j, e, inst->key, mt_json_text(&inst->value));
            }
        }
    }
}

static void step_text(mt_buf *out, const ct_run *run, const ct_record *r)
{
    ct_record_step_text(out, run, r);
    mt_buf_addc(out, '=');
    ct_record_result_text(out, run, r);
}

/* Each expected line is "step=result", or "step" alone when the result is open. */
static void judge_steps(judge *j, const mt_json *list)
{
    if (!list) {
        return;
    }
    const ct_run *run = &j->b->run;
    uint32_t nth = 0;
    for (size_t i = 0; j->r->ran && i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        if (!ct_record_is_flat(run, r)) {
            continue;
        }
        mt_buf got = {0};
        step_text(&got, run, r);
        mt_str want = nth < list->count ? mt_json_text(&list->as.items[nth])
                                        : MT_STR("no further step");
        mt_str name = {got.ptr, mt_str_find(want, '=') == want.len
                                    ? mt_str_find(mt_buf_str(&got), '=')
                                    : got.len};
        if (!mt_str_eq(want, name)) {
            mt_str what = mt_strf(j->a, "step %u", nth + 1);
            differ(j, what.ptr, want, mt_buf_str(&got));
        }
        mt_buf_free(&got);
        nth++;
    }
    for (; nth < list->count; nth++) {
        mt_str what = mt_strf(j->a, "step %u", nth + 1);
        differ(j, what.ptr, mt_json_text(&list->as.items[nth]), MT_STR("nothing"));
    }
}

/* An expected error is named by its type, or by a part of its message. */
static void judge_error(judge *j, const mt_json *expected)
{
    mt_str want = mt_json_text(expected);
    const ct_result *r = j->r;
    if (!expected) {
        if (r->fault_kind.len) {
            j->faults++;
            mt_buf_addf(j->why, "error: %.*s (%.*s)\n", MT_ARG(r->fault),
                        MT_ARG(r->fault_kind));
        }
        return;
    }
    bool same = r->fault_kind.len && want.len &&
                (mt_str_eq(want, r->fault_kind) ||
                 memmem(r->fault.ptr, r->fault.len, want.ptr, want.len));
    if (!same) {
        differ(j, "error", want, or_nothing(r->fault));
    }
}

static void judge_outcome(judge *j, const mt_json *expected)
{
    if (expected && !mt_str_eq(mt_json_text(expected), j->r->outcome)) {
        differ(j, "outcome", mt_json_text(expected), or_nothing(j->r->outcome));
    }
}

static void judge_all(judge *j, const ct_then *then)
{
    judge_error(j, then->error);
    judge_outcome(j, then->outcome);
    judge_steps(j, then->steps);
    judge_states(j, then->states);
    if (j->r->evaluated) {
        judge_verdicts(j, then->verdicts);
        judge_listed(j, then->present, "present", true);
        judge_listed(j, then->absent, "absent", false);
        judge_payloads(j, then->payloads);
    }
}

static void cover(ct_coverage *c, const ct_bench *b, const ct_result *r)
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

bool ct_scenario_run(mt_arena *a, ct_bench *b, const ct_scenarios *file,
                     const ct_scenario *s, ct_coverage *coverage, mt_buf *why)
{
    ct_result r;
    ct_trial t = trial_of(a, file, s);
    ct_trial_run(a, b, &t, &r);
    judge j = {a, b, &r, why, 0};
    judge_all(&j, &s->then);
    if (coverage && !j.faults) {
        cover(coverage, b, &r);
    }
    return !j.faults;
}

/* ---- recording ---- */

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
            step_text(&text, run, &run->records.items[i]);
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
                        const ct_scenario *s)
{
    ct_result r;
    ct_trial t = trial_of(a, file, s);
    ct_trial_run(a, b, &t, &r);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "given");
    mt_jw_begin_object(w);
    if (t.bindings) {
        mt_jw_keyz(w, "bind");
        mt_jw_json(w, t.bindings);
    }
    mt_jw_keyz(w, "facts");
    facts_json(w, file, s);
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
