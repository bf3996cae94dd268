/* contract/flow/scenario_judge.c - what came out, compared with what was expected.
 *
 * Part by part: error, outcome, steps, states, then verdicts and payloads, where there
 * are any. Every difference is one line with the place of the expectation in its file.
 * Names are known to exist (scenario_names.c); what is compared all the same is said to
 * differ and never passes. */
#include <stdarg.h>

#include "contract/flow/report.h"
#include "contract/flow/scenario_internal.h"

void ct_scenario_place(mt_buf *out, const ct_scenarios *file, const mt_json *at)
{
    uint32_t line, column;
    mt_json_place(file->text, at ? at->offset : 0, &line, &column);
    mt_buf_addf(out, "%.*s:%u:%u: ", MT_ARG(file->path), line, column);
}

void ct_scenario_say(mt_buf *out, const ct_scenarios *file, const mt_json *at,
                     const char *format, ...)
{
    va_list args;
    ct_scenario_place(out, file, at);
    va_start(args, format);
    mt_buf_addfv(out, format, args);
    va_end(args);
    mt_buf_addc(out, '\n');
}

__attribute__((format(printf, 3, 4))) static void blame(ct_judge *j, const mt_json *at,
                                                        const char *format, ...)
{
    mt_buf text = {0};
    va_list args;
    va_start(args, format);
    mt_buf_addfv(&text, format, args);
    va_end(args);
    ct_scenario_say(j->why, j->file, at, "%.*s", MT_ARG(mt_buf_str(&text)));
    mt_buf_free(&text);
    j->faults++;
}

static void differ(ct_judge *j, const mt_json *at, const char *what, mt_str expected,
                   mt_str got)
{
    blame(j, at, "%s: expected %.*s, got %.*s", what, MT_ARG(expected), MT_ARG(got));
}

static mt_str or_nothing(mt_str s)
{
    return s.len ? s : MT_STR("nothing");
}

/* Where the evaluation broke off no verdict is present: what the bench still has is of
 * the scenario before. */
static bool is_rule_present(const ct_judge *j, uint32_t rule)
{
    return j->r->evaluated && rule != CT_NONE &&
           ct_verdict_present(j->b->verdicts, rule);
}

static bool is_present(const ct_judge *j, mt_str verdict)
{
    return is_rule_present(j,
                           ct_model_find(j->b->plan->model, CT_KIND_VERDICT, verdict));
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
static void judge_listed(ct_judge *j, const mt_json *list, const char *key,
                         bool present)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        mt_str name = mt_json_text(&list->as.items[i]);
        if (ct_model_find(j->b->plan->model, CT_KIND_VERDICT, name) == CT_NONE) {
            blame(j, &list->as.items[i], "%s: no rule produces verdict %.*s", key,
                  MT_ARG(name));
        } else if (is_present(j, name) != present) {
            blame(j, &list->as.items[i], "%s: verdict %.*s is %s", key, MT_ARG(name),
                  present ? "absent" : "present");
        }
    }
}

static void judge_verdicts(ct_judge *j, const mt_json *list)
{
    judge_listed(j, list, "verdicts", true);
    const ct_model *m = j->b->plan->model;
    for (uint32_t i = 0; list && i < m->rule_count; i++) {
        if (is_rule_present(j, i) && !listed(list, m->rules[i].verdict)) {
            blame(j, list, "verdicts: verdict %.*s is present and not expected",
                  MT_ARG(m->rules[i].verdict));
        }
    }
}

static void judge_payloads(ct_judge *j, const mt_json *map)
{
    const ct_model *m = j->b->plan->model;
    for (uint32_t i = 0; map && i < map->count; i++) {
        mt_str name = map->as.members[i].key;
        uint32_t rule = ct_model_find(m, CT_KIND_VERDICT, name);
        mt_buf got = {0}, want = {0};
        mt_json node;
        bool present = is_rule_present(j, rule);
        if (present) {
            ct_value_json(&got, m->rules[rule].payload_type,
                          ct_verdict_payload(j->b->verdicts, rule));
        }
        bool same =
            present &&
            !mt_json_read(j->a, mt_str_dup(j->a, mt_buf_str(&got)), NULL, &node,
                          NULL) &&
            /* A payload is written as the engine prints it, with its kind, or as its
             * bare value. */
            (mt_json_equal(&node, &map->as.members[i].value) ||
             mt_json_equal(mt_json_at(&node, "value"), &map->as.members[i].value));
        if (!same) {
            mt_json_write(&want, &map->as.members[i].value, false);
            mt_str key = mt_strf(j->a, "payload of %.*s", MT_ARG(name));
            differ(j, &map->as.members[i].value, key.ptr, mt_buf_str(&want),
                   or_nothing(mt_buf_str(&got)));
        }
        mt_buf_free(&got);
        mt_buf_free(&want);
    }
}

static void judge_state(ct_judge *j, uint32_t entity, mt_str id,
                        const mt_json *expected)
{
    const ct_entity *e = &j->b->plan->model->entities[entity];
    uint32_t now = ct_states_get(&j->r->states, entity, id);
    mt_str got = now == CT_NONE ? MT_STR("no such instance") : e->states[now];
    if (!mt_str_eq(got, mt_json_text(expected))) {
        mt_str what = mt_strf(j->a, "state of %.*s/%.*s", MT_ARG(e->id), MT_ARG(id));
        differ(j, expected, what.ptr, mt_json_text(expected), got);
    }
}

static void judge_states(ct_judge *j, const mt_json *map)
{
    for (uint32_t i = 0; map && i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        uint32_t e = ct_model_find(j->b->plan->model, CT_KIND_ENTITY, m->key);
        if (e == CT_NONE) {
            differ(j, &m->value, "states", MT_STR("a declared entity"), m->key);
        } else if (m->value.type == MT_JSON_STRING) {
            judge_state(j, e, CT_DEFAULT_INSTANCE, &m->value);
        } else {
            for (uint32_t k = 0;
                 mt_json_is(&m->value, MT_JSON_OBJECT) && k < m->value.count; k++) {
                const mt_json_member *inst = &m->value.as.members[k];
                judge_state(j, e, inst->key, &inst->value);
            }
        }
    }
}

/* Each expected line is "step=result", or "step" alone when the result is open. */
static void judge_steps(ct_judge *j, const mt_json *list)
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
        ct_scenario_step(&got, run, r);
        mt_str want = nth < list->count ? mt_json_text(&list->as.items[nth])
                                        : MT_STR("no further step");
        /* Without "=" in the expectation the result is cut off before comparing. */
        mt_str name = {got.ptr, mt_str_find(want, '=') == want.len
                                    ? mt_str_find(mt_buf_str(&got), '=')
                                    : got.len};
        if (!mt_str_eq(want, name)) {
            mt_str what = mt_strf(j->a, "step %u", nth + 1);
            differ(j, nth < list->count ? &list->as.items[nth] : list, what.ptr, want,
                   mt_buf_str(&got));
        }
        mt_buf_free(&got);
        nth++;
    }
    for (; nth < list->count; nth++) {
        mt_str what = mt_strf(j->a, "step %u", nth + 1);
        differ(j, &list->as.items[nth], what.ptr, mt_json_text(&list->as.items[nth]),
               MT_STR("nothing"));
    }
}

/* An expected error is named by its type, or by a part of its message. */
static void judge_error(ct_judge *j, const mt_json *expected)
{
    mt_str want = mt_json_text(expected);
    const ct_result *r = j->r;
    if (!expected) {
        /* An assertion that reads `error` judges it itself, but only where there are
         * verdicts to read; an evaluation that broke off is never fine. */
        if (r->fault_kind.len && !(j->errors_are_fine && r->evaluated)) {
            blame(j, j->s->node, "error: %.*s (%.*s)", MT_ARG(r->fault),
                  MT_ARG(r->fault_kind));
        }
        return;
    }
    bool same = r->fault_kind.len && want.len &&
                (mt_str_eq(want, r->fault_kind) ||
                 memmem(r->fault.ptr, r->fault.len, want.ptr, want.len));
    if (!same) {
        differ(j, expected, "error", want, or_nothing(r->fault));
    }
}

static void judge_outcome(ct_judge *j, const mt_json *expected)
{
    if (expected && !mt_str_eq(mt_json_text(expected), j->r->outcome)) {
        differ(j, expected, "outcome", mt_json_text(expected),
               or_nothing(j->r->outcome));
    }
}

void ct_judge_then(ct_judge *j)
{
    const ct_then *then = &j->s->then;
    judge_error(j, then->error);
    judge_outcome(j, then->outcome);
    judge_steps(j, then->steps);
    judge_states(j, then->states);
    /* An error that nobody expected is told alone: it is why no verdict is there. */
    if (j->r->evaluated || then->error) {
        judge_verdicts(j, then->verdicts);
        judge_listed(j, then->present, "present", true);
        judge_listed(j, then->absent, "absent", false);
        judge_payloads(j, then->payloads);
    }
}
