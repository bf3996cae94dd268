/* contract/flow/scenario.c - reading scenario files, running and comparing.
 * Room: contract. */
#include "contract/flow/scenario.h"

#include "contract/flow/report.h"

/* --- reading --- */

static mt_err refuse(mt_arena *a, mt_str *why, const char *what, mt_str name)
{
    *why = mt_strf(a, "%s '%.*s'", what, MT_ARG(name));
    return MT_E_TYPE;
}

/* Refuses a key that is not in the list: a misspelt expectation must not pass. */
static mt_err only_keys(mt_arena *a, const mt_json *object, const char *const *keys,
                        const char *where, mt_str *why)
{
    if (!object) {
        return MT_OK;
    }
    if (object->type != MT_JSON_OBJECT) {
        *why = mt_strf(a, "%s must be a map, not %s", where, mt_json_type_name(object));
        return MT_E_TYPE;
    }
    for (uint32_t i = 0; i < object->count; i++) {
        mt_str key = object->as.members[i].key;
        const char *const *k = keys;
        while (*k && !mt_str_eq(mt_str_z(*k), key)) {
            k++;
        }
        if (!*k) {
            *why = mt_strf(a, "%s has an unknown key '%.*s'", where, MT_ARG(key));
            return MT_E_TYPE;
        }
    }
    return MT_OK;
}

static mt_err check_scenario(mt_arena *a, const mt_json *node, const ct_scenario *s,
                             mt_str *why)
{
    static const char *const SELF[] = {"name", "given", "when", "then", NULL};
    static const char *const GIVEN[] = {"facts", "states", "bind", NULL};
    static const char *const WHEN[] = {"persona", "flow",      "operation",
                                       "outcome", "meanwhile", NULL};
    static const char *const THEN[] = {"verdicts", "present", "absent",
                                       "payloads", "outcome", "states",
                                       "steps",    "error",   NULL};
    mt_err err = only_keys(a, node, SELF, "a scenario", why);
    err = err ? err : only_keys(a, s->given, GIVEN, "given", why);
    err = err ? err : only_keys(a, s->when, WHEN, "when", why);
    err = err ? err : only_keys(a, s->then, THEN, "then", why);
    const mt_json *facts = mt_json_at(s->given, "facts");
    if (!err && facts && facts->type != MT_JSON_OBJECT) {
        return refuse(a, why, "facts must be a map in scenario", s->name);
    }
    if (!err && (!s->then || !s->then->count)) {
        return refuse(a, why, "nothing is expected in scenario", s->name);
    }
    bool flow = mt_json_at(s->when, "flow"), op = mt_json_at(s->when, "operation");
    if (!err && s->when && (flow == op || !mt_json_at(s->when, "persona"))) {
        return refuse(a, why, "`when` needs a persona and a flow or an operation in",
                      s->name);
    }
    return err;
}

mt_err ct_scenarios_read(mt_arena *a, const mt_json *tree, ct_scenarios *out,
                         mt_str *why)
{
    static const char *const FILE_KEYS[] = {"contract", "given", "scenarios", NULL};
    *out = (ct_scenarios){.contract = mt_json_text(mt_json_at(tree, "contract")),
                          .shared = mt_json_at(tree, "given")};
    mt_err err = only_keys(a, tree, FILE_KEYS, "the file", why);
    const mt_json *list = mt_json_at(tree, "scenarios");
    if (!err && !mt_json_is(list, MT_JSON_ARRAY)) {
        *why = MT_STR("the file needs a list `scenarios`");
        return MT_E_TYPE;
    }
    for (uint32_t i = 0; !err && i < list->count; i++) {
        const mt_json *node = &list->as.items[i];
        ct_scenario s = {mt_json_text(mt_json_at(node, "name")),
                         mt_json_at(node, "given"), mt_json_at(node, "when"),
                         mt_json_at(node, "then")};
        if (!s.name.len) {
            s.name = mt_strf(a, "scenario %u", i + 1);
        }
        err = check_scenario(a, node, &s, why);
        mt_vec_push(a, out, s);
    }
    return err;
}

/* --- given and when --- */

/* The scenario's own part, or the file's. */
static const mt_json *own_or_shared(const ct_scenarios *file, const ct_scenario *s,
                                    const char *key)
{
    const mt_json *own = mt_json_get(s->given, mt_str_z(key));
    return own ? own : mt_json_get(file->shared, mt_str_z(key));
}

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
    const mt_json *own = mt_json_at(s->given, "facts");
    mt_jw_begin_unsorted(w);
    add_members(w, mt_json_at(file->shared, "facts"), own);
    add_members(w, own, NULL);
    mt_jw_end_object(w);
}

static ct_trial trial_of(mt_arena *a, const ct_scenarios *file, const ct_scenario *s)
{
    mt_buf facts = {0};
    mt_jw w = mt_jw_start(&facts, false);
    facts_json(&w, file, s);
    ct_trial t = {
        .facts = mt_str_dup(a, mt_buf_str(&facts)),
        .states = own_or_shared(file, s, "states"),
        .bindings = own_or_shared(file, s, "bind"),
        .persona = mt_json_text(mt_json_at(s->when, "persona")),
        .flow = mt_json_text(mt_json_at(s->when, "flow")),
        .operation = mt_json_text(mt_json_at(s->when, "operation")),
        .outcome = mt_json_at(s->when, "outcome"),
        .meanwhile = mt_json_at(s->when, "meanwhile"),
    };
    mt_buf_free(&facts);
    return t;
}

/* --- then --- */

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

static bool is_list(judge *j, const mt_json *list, const char *key)
{
    if (list && list->type != MT_JSON_ARRAY) {
        differ(j, key, MT_STR("a list"), mt_str_z(mt_json_type_name(list)));
        return false;
    }
    return list != NULL;
}

/* Every name in the list, present or absent; names no rule produces are mistakes. */
static void judge_listed(judge *j, const mt_json *list, const char *key, bool present)
{
    for (uint32_t i = 0; is_list(j, list, key) && i < list->count; i++) {
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
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < m->rule_count; i++) {
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
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
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
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
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
    if (!is_list(j, list, "steps")) {
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

static void judge_all(judge *j, const mt_json *then)
{
    judge_error(j, mt_json_at(then, "error"));
    judge_outcome(j, mt_json_at(then, "outcome"));
    judge_steps(j, mt_json_at(then, "steps"));
    judge_states(j, mt_json_at(then, "states"));
    if (j->r->evaluated) {
        judge_verdicts(j, mt_json_at(then, "verdicts"));
        judge_listed(j, mt_json_at(then, "present"), "present", true);
        judge_listed(j, mt_json_at(then, "absent"), "absent", false);
        judge_payloads(j, mt_json_at(then, "payloads"));
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
    judge_all(&j, s->then);
    if (coverage && !j.faults) {
        cover(coverage, b, &r);
    }
    return !j.faults;
}

/* --- recording --- */

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
    if (s->when) {
        mt_jw_keyz(w, "when");
        mt_jw_json(w, s->when);
    }
    mt_jw_end_object(w);
}
