/* contract/wire/load_flow.c - flows: steps, targets, failure handlers (spec §11).
 *
 * Of a list of steps the ids are known before the steps are read, so targets may point
 * forward. LOADERS has one reader per kind. Every outcome of an operation is routed
 * and nothing else is; what was not declared routes as `success`. Branches of a
 * parallel step are lists of steps again; nesting is bounded by the JSON's depth and
 * checked by load_check.c.
 *
 * A fault is reported with its path; the flow is then not complete and the model is
 * refused. */
#include "contract/wire/load_internal.h"

/* The step ids of one list, known before its steps are read. */
typedef struct step_names {
    mt_map index; /* id -> index + 1 */
} step_names;

static bool load_steps(ct_loader *l, const mt_json *json, ct_steps *out);

static uint32_t load_step_ref(ct_loader *l, const step_names *names,
                              const mt_json *json)
{
    uint32_t step = (uint32_t)mt_map_get(&names->index, mt_json_text(json), 0) - 1;
    if (step == CT_NONE) {
        ct_load_error(l, CT_L_NAME, json, "step reference \"%.*s\" is not in steps",
                      MT_ARG(mt_json_text(json)));
        return CT_NONE;
    }
    return step;
}

/* {"kind":"Terminal","outcome":…} */
static void load_terminal(const mt_json *json, mt_str *out)
{
    *out = ct_text_at(json, "outcome");
}

static bool load_target(ct_loader *l, const step_names *names, const mt_json *parent,
                        mt_str key, ct_target *out)
{
    const mt_json *json = mt_json_get(parent, key);
    size_t mark = ct_path_key(l, key);
    bool ok = true;
    *out = (ct_target){.step = CT_NONE};
    if (mt_json_is(json, MT_JSON_OBJECT)) {
        load_terminal(json, &out->outcome);
    } else {
        out->step = load_step_ref(l, names, json);
        ok = out->step != CT_NONE;
    }
    ct_path_pop(l, mark);
    return ok;
}

static uint32_t want_persona(ct_loader *l, const mt_json *json, mt_str key)
{
    return ct_load_persona(l, mt_json_text(mt_json_get(json, key)), json);
}

static uint32_t want_construct(ct_loader *l, const mt_json *json, mt_str key,
                               ct_kind kind, const char *what)
{
    mt_str id = mt_json_text(mt_json_get(json, key));
    uint32_t index = ct_model_find(l->m, kind, id);
    if (index == CT_NONE) {
        ct_load_error(l, CT_L_NAME, json, "%s \"%.*s\" does not exist", what,
                      MT_ARG(id));
    }
    return index;
}

/* ---- Failure handlers ---- */

static bool load_compensation(ct_loader *l, const mt_json *json, ct_compensation *out)
{
    out->operation =
        want_construct(l, json, MT_STR("op"), CT_KIND_OPERATION, "operation");
    out->persona = want_persona(l, json, MT_STR("persona"));
    load_terminal(mt_json_at(json, "on_failure"), &out->on_failure);
    return out->operation != CT_NONE && out->persona != CT_NONE;
}

static bool load_compensate(ct_loader *l, const mt_json *json, ct_handler *out)
{
    const mt_json *list = ct_list_at(json, "steps");
    ct_compensation *steps = mt_new_array(l->keep, ct_compensation, list->count);
    bool ok = true;
    for (uint32_t i = 0; i < list->count; i++) {
        size_t mark = ct_path_key(l, MT_STR("steps"));
        ct_path_index(l, i);
        ok = load_compensation(l, &list->as.items[i], &steps[i]) && ok;
        ct_path_pop(l, mark);
    }
    out->kind = CT_COMPENSATE;
    out->steps = steps;
    out->step_count = list->count;
    load_terminal(mt_json_at(json, "then"), &out->outcome);
    return ok;
}

static bool load_escalate(ct_loader *l, const step_names *names, const mt_json *json,
                          ct_handler *out)
{
    out->kind = CT_ESCALATE;
    out->persona = want_persona(l, json, MT_STR("to_persona"));
    out->next = load_step_ref(l, names, mt_json_at(json, "next"));
    return out->persona != CT_NONE && out->next != CT_NONE;
}

/* The kind Terminal is not one of interchange, so nobody has looked at its form. */
static bool load_terminate(ct_loader *l, const mt_json *json, ct_handler *out)
{
    const mt_json *outcome = mt_json_at(json, "outcome");
    out->kind = CT_TERMINATE;
    out->outcome = mt_json_text(outcome);
    if (!mt_json_is(outcome, MT_JSON_STRING)) {
        ct_load_error(l, CT_L_SHAPE, json, "\"outcome\" must be text");
        return false;
    }
    return true;
}

static bool load_handler_kind(ct_loader *l, const step_names *names,
                              const mt_json *json, ct_handler *out)
{
    mt_str kind = ct_text_at(json, "kind");
    if (mt_str_is(kind, "Terminate") || mt_str_is(kind, "Terminal")) {
        return load_terminate(l, json, out);
    }
    if (mt_str_is(kind, "Compensate")) {
        return load_compensate(l, json, out);
    }
    if (mt_str_is(kind, "Escalate")) {
        return load_escalate(l, names, json, out);
    }
    ct_load_error(l, CT_L_HANDLER, json, "unknown failure handler \"%.*s\"",
                  MT_ARG(kind));
    return false;
}

static bool load_handler(ct_loader *l, const step_names *names, const mt_json *parent,
                         mt_str key, bool required, ct_handler *out)
{
    const mt_json *json = mt_json_get(parent, key);
    *out = (ct_handler){.persona = CT_NONE, .next = CT_NONE};
    if (!json || mt_json_is(json, MT_JSON_NULL)) {
        if (required) {
            ct_load_error(l, CT_L_HANDLER, parent, "a failure handler is missing");
        }
        return !required;
    }
    size_t mark = ct_path_key(l, key);
    bool ok = load_handler_kind(l, names, json, out);
    ct_path_pop(l, mark);
    return ok;
}

/* ---- Steps ---- */

/* The name a step routes the outcome by. One that was not declared is `success` to the
 * elaborator even where an effect gives it a label. */
static mt_str route_name(const mt_json *routes, const ct_operation *op, uint32_t i)
{
    bool by_label = !op->undeclared || mt_json_get(routes, op->outcomes[i]);
    return by_label ? op->outcomes[i] : CT_SUCCESS;
}

static bool is_route(const mt_json *routes, const ct_operation *op, mt_str name)
{
    return ct_outcome_find(op, name) != CT_NONE ||
           (op->undeclared && mt_str_eq(name, route_name(routes, op, 0)));
}

/* Room for the targets of a step; the reader fills them in. */
static ct_target *new_targets(ct_loader *l, ct_step *s, uint32_t count)
{
    ct_target *targets = mt_new_array(l->keep, ct_target, count);
    for (uint32_t i = 0; i < count; i++) {
        targets[i].step = CT_NONE;
    }
    s->targets = targets;
    s->target_count = count;
    return targets;
}

/* Every outcome of the operation is routed, and nothing else is. */
static bool load_routes(ct_loader *l, const step_names *names, const mt_json *json,
                        const ct_operation *op, ct_step *s)
{
    const mt_json *routes = mt_json_at(json, "outcomes");
    size_t mark = ct_path_key(l, MT_STR("outcomes"));
    ct_target *targets = new_targets(l, s, op->outcome_count);
    bool ok = true;
    for (uint32_t i = 0; i < op->outcome_count; i++) {
        mt_str name = route_name(routes, op, i);
        if (!mt_json_get(routes, name)) {
            ct_load_error(l, CT_L_OUTCOME, routes,
                          "outcome \"%.*s\" of operation \"%.*s\" is not handled",
                          MT_ARG(name), MT_ARG(op->id));
            ok = false;
        } else {
            ok = load_target(l, names, routes, name, &targets[i]) && ok;
        }
    }
    for (uint32_t i = 0; i < routes->count; i++) {
        if (!is_route(routes, op, routes->as.members[i].key)) {
            ct_load_error(l, CT_L_OUTCOME, routes,
                          "operation \"%.*s\" has no outcome \"%.*s\"", MT_ARG(op->id),
                          MT_ARG(routes->as.members[i].key));
            ok = false;
        }
    }
    ct_path_pop(l, mark);
    return ok;
}

static bool load_operation_step(ct_loader *l, const step_names *names,
                                const mt_json *json, ct_step *s)
{
    s->what = want_construct(l, json, MT_STR("op"), CT_KIND_OPERATION, "operation");
    s->persona = want_persona(l, json, MT_STR("persona"));
    bool ok = load_handler(l, names, json, MT_STR("on_failure"), true, &s->on_failure);
    if (s->what == CT_NONE || s->persona == CT_NONE) {
        return false;
    }
    const ct_operation *op = &l->m->operations[s->what];
    return op->outcomes && load_routes(l, names, json, op, s) && ok;
}

static bool load_branch_step(ct_loader *l, const step_names *names, const mt_json *json,
                             ct_step *s)
{
    ct_target *to = new_targets(l, s, 2);
    size_t mark = ct_path_key(l, MT_STR("condition"));
    const ct_expr *condition = ct_load_predicate(l, mt_json_at(json, "condition"));
    s->what = ct_add_condition(l, condition);
    ct_path_pop(l, mark);
    s->persona = want_persona(l, json, MT_STR("persona"));
    bool ok = load_target(l, names, json, MT_STR("if_true"), &to[0]);
    ok = load_target(l, names, json, MT_STR("if_false"), &to[1]) && ok;
    return ok && condition && s->persona != CT_NONE;
}

static bool load_handoff_step(ct_loader *l, const step_names *names,
                              const mt_json *json, ct_step *s)
{
    ct_target *to = new_targets(l, s, 1);
    s->persona = want_persona(l, json, MT_STR("from_persona"));
    s->to_persona = want_persona(l, json, MT_STR("to_persona"));
    to->step = load_step_ref(l, names, mt_json_at(json, "next"));
    return s->persona != CT_NONE && s->to_persona != CT_NONE && to->step != CT_NONE;
}

static bool load_subflow_step(ct_loader *l, const step_names *names,
                              const mt_json *json, ct_step *s)
{
    ct_target *to = new_targets(l, s, 1);
    s->what = want_construct(l, json, MT_STR("flow"), CT_KIND_FLOW, "flow");
    s->persona = want_persona(l, json, MT_STR("persona"));
    bool ok = load_target(l, names, json, MT_STR("on_success"), to);
    ok = load_handler(l, names, json, MT_STR("on_failure"), true, &s->on_failure) && ok;
    return ok && s->what != CT_NONE && s->persona != CT_NONE;
}

static bool load_join_target(ct_loader *l, const step_names *names, const mt_json *join,
                             mt_str key, ct_target *out)
{
    const mt_json *v = mt_json_get(join, key);
    return !v || mt_json_is(v, MT_JSON_NULL) || load_target(l, names, join, key, out);
}

static bool load_join(ct_loader *l, const step_names *names, const mt_json *json,
                      ct_step *s)
{
    const mt_json *join = mt_json_at(json, "join");
    ct_target *to = new_targets(l, s, 2);
    size_t mark = ct_path_key(l, MT_STR("join"));
    bool ok = load_join_target(l, names, join, MT_STR("on_all_success"), &to[0]);
    ok = load_join_target(l, names, join, MT_STR("on_all_complete"), &to[1]) && ok;
    ok =
        load_handler(l, names, join, MT_STR("on_any_failure"), false, &s->on_failure) &&
        ok;
    ct_path_pop(l, mark);
    return ok;
}

static bool load_branches(ct_loader *l, const mt_json *list, ct_step *s)
{
    ct_branch *branches = mt_new_array(l->keep, ct_branch, list->count);
    mt_map ids = {0};
    bool ok = true, fresh;
    for (uint32_t i = 0; i < list->count; i++) {
        size_t mark = ct_path_key(l, MT_STR("branches"));
        ct_path_index(l, i);
        branches[i].id = ct_text_at(&list->as.items[i], "id");
        ok = load_steps(l, &list->as.items[i], &branches[i].steps) && ok;
        mt_map_add(l->keep, &ids, branches[i].id, &fresh);
        if (ok && !fresh) {
            ct_load_error(l, CT_L_NAME, list, "branch \"%.*s\" is listed twice",
                          MT_ARG(branches[i].id));
            ok = false;
        }
        ct_path_pop(l, mark);
    }
    s->branches = branches;
    s->branch_count = list->count;
    return ok;
}

static bool load_parallel_step(ct_loader *l, const step_names *names,
                               const mt_json *json, ct_step *s)
{
    return load_branches(l, ct_list_at(json, "branches"), s) &&
           load_join(l, names, json, s);
}

static bool load_end(ct_loader *l, const step_names *names, const mt_json *json,
                     ct_step *s)
{
    (void)names;
    load_terminal(json, &new_targets(l, s, 1)->outcome);
    return true;
}

static bool (*const LOADERS[])(ct_loader *, const step_names *, const mt_json *,
                               ct_step *) = {
    [LN_STEP_OPERATION] = load_operation_step, [LN_STEP_BRANCH] = load_branch_step,
    [LN_STEP_HANDOFF] = load_handoff_step,     [LN_STEP_SUBFLOW] = load_subflow_step,
    [LN_STEP_PARALLEL] = load_parallel_step,   [LN_STEP_TERMINAL] = load_end,
};
MT_TABLE_COVERS(LOADERS, LN_STEP_COUNT);

static bool load_step(ct_loader *l, const step_names *names, const mt_json *json,
                      ct_step *s)
{
    mt_str kind = ct_text_at(json, "kind");
    for (unsigned i = 0; i < LN_STEP_COUNT; i++) {
        if (mt_str_eq(kind, mt_str_z(LN_STEPS[i].name))) {
            s->kind = (uint8_t)i;
            s->does = (uint8_t)LN_STEPS[i].does;
            s->persona = s->to_persona = s->what = CT_NONE;
            return LOADERS[i](l, names, json, s);
        }
    }
    ct_load_error(l, CT_L_SHAPE, json, "unknown step kind \"%.*s\"", MT_ARG(kind));
    return false;
}

static bool name_steps(ct_loader *l, const mt_json *list, ct_step *steps,
                       step_names *names)
{
    for (uint32_t i = 0; i < list->count; i++) {
        bool added;
        steps[i].id = ct_text_at(&list->as.items[i], "id");
        mt_map_entry *e = mt_map_add(l->keep, &names->index, steps[i].id, &added);
        if (!added) {
            ct_load_error(l, CT_L_NAME, list, "step \"%.*s\" is listed twice",
                          MT_ARG(steps[i].id));
            return false;
        }
        e->value = i + 1;
    }
    return true;
}

/* `entry` and `steps` of a flow or a parallel branch. */
static bool load_steps(ct_loader *l, const mt_json *json, ct_steps *out)
{
    const mt_json *list = ct_list_at(json, "steps");
    mt_str entry = ct_text_at(json, "entry");
    step_names names = {0};
    ct_step *steps = mt_new_array(l->keep, ct_step, list->count);
    if (!name_steps(l, list, steps, &names)) {
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; i < list->count; i++) {
        size_t mark = ct_path_key(l, MT_STR("steps"));
        ct_path_index(l, i);
        ok = load_step(l, &names, &list->as.items[i], &steps[i]) && ok;
        ct_path_pop(l, mark);
    }
    *out = (ct_steps){steps, list->count,
                      (uint32_t)mt_map_get(&names.index, entry, 0) - 1};
    if (out->entry == CT_NONE) {
        ct_load_error(l, CT_L_NAME, json, "entry step \"%.*s\" is not in steps",
                      MT_ARG(entry));
    }
    return ok && out->entry != CT_NONE;
}

bool ct_load_flow(ct_loader *l, const mt_json *json, ct_flow *out)
{
    const mt_json *snapshot = mt_json_at(json, "snapshot");
    out->id = l->construct_id;
    out->snapshot = snapshot ? mt_json_text(snapshot) : MT_STR("at_initiation");
    return load_steps(l, json, &out->steps);
}
