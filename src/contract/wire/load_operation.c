/* contract/wire/load_operation.c - entities and operations (spec §6, §9).
 *
 * Personas of a bundle that declares none come into being where they are named first;
 * otherwise they must be declared. States and outcomes become indices. Effects are
 * declared transitions and belong to an outcome: where there is one outcome every
 * effect is its, whatever its label says, because elaboration only warns of another
 * one.
 *
 * Preconditions go to the list of conditions, which the compiler turns into pieces. */
#include "contract/wire/load_internal.h"

uint32_t ct_load_persona(ct_loader *l, mt_str id, const mt_json *at)
{
    bool added;
    mt_map_entry *e = mt_map_find(&l->m->names[CT_KIND_PERSONA], id);
    if (e) {
        /* Values of the map are index + 1, so that 0 can mean "none". */
        return (uint32_t)e->value - 1;
    }
    if (l->m->personas_declared) {
        ct_load_error(l, CT_L_PERSONA, at, "persona \"%.*s\" is not declared",
                      MT_ARG(id));
        return CT_NONE;
    }
    e = mt_map_add(l->keep, &l->m->names[CT_KIND_PERSONA], id, &added);
    mt_vec_push(l->keep, &l->personas, ((ct_persona){.id = id}));
    e->value = l->personas.len;
    return (uint32_t)l->personas.len - 1;
}

uint32_t ct_add_condition(ct_loader *l, const ct_expr *condition)
{
    mt_vec_push(l->keep, &l->conditions, condition);
    return (uint32_t)l->conditions.len - 1;
}

/* ---- Entities ---- */

/* `states` maps names to index + 1, for many look-ups in one entity; NULL: search. */
static uint32_t want_state(ct_loader *l, const ct_entity *e, const mt_json *json,
                           mt_str key, const mt_map *states)
{
    mt_str name = mt_json_text(mt_json_get(json, key));
    uint32_t state =
        states ? (uint32_t)mt_map_get(states, name, 0) - 1 : ct_state_find(e, name);
    if (state == CT_NONE) {
        ct_load_error(l, CT_L_NAME, json, "%.*s: \"%.*s\" is not a state of \"%.*s\"",
                      MT_ARG(key), MT_ARG(name), MT_ARG(e->id));
    }
    return state;
}

static bool unique_names(ct_loader *l, const mt_str *names, uint32_t count,
                         const mt_json *at, const char *code, const char *what)
{
    mt_map seen = {0};
    for (uint32_t i = 0; i < count; i++) {
        bool added;
        mt_map_add(l->keep, &seen, names[i], &added);
        if (!added) {
            ct_load_error(l, code, at, "%s \"%.*s\" is listed twice", what,
                          MT_ARG(names[i]));
            return false;
        }
    }
    return true;
}

enum { FEW_STATES = 16 }; /* as many are searched faster than mapped */

static bool load_transitions(ct_loader *l, const mt_json *json, ct_entity *e)
{
    const mt_json *list = ct_list_at(json, "transitions");
    ct_transition *ts = mt_new_array(l->keep, ct_transition, list->count);
    mt_map states = {0};
    bool ok = true, many = e->state_count > FEW_STATES;
    for (uint32_t i = 0; i < e->state_count && many; i++) {
        mt_map_put(l->keep, &states, e->states[i], i + 1);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        size_t mark = ct_path_key(l, MT_STR("transitions"));
        ct_path_index(l, i);
        ts[i].from =
            want_state(l, e, &list->as.items[i], MT_STR("from"), many ? &states : NULL);
        ts[i].to =
            want_state(l, e, &list->as.items[i], MT_STR("to"), many ? &states : NULL);
        ok = ok && ts[i].from != CT_NONE && ts[i].to != CT_NONE;
        ct_path_pop(l, mark);
    }
    e->transitions = ts;
    e->transition_count = list->count;
    return ok;
}

bool ct_load_entity(ct_loader *l, const mt_json *json, ct_entity *out)
{
    out->id = l->construct_id;
    out->parent = CT_NONE;
    const mt_json *states = ct_list_at(json, "states");
    out->states = ct_texts(l, states);
    out->state_count = states->count;
    if (!unique_names(l, out->states, out->state_count, states, CT_L_NAME, "state")) {
        return false;
    }
    out->initial = want_state(l, out, json, MT_STR("initial"), NULL);
    const mt_json *parent = mt_json_at(json, "parent");
    if (parent && !mt_json_is(parent, MT_JSON_NULL)) {
        /* Ids of all constructs are known before any is read, so a parent may come
         * later; load_check.c refuses circles. */
        out->parent = ct_model_find(l->m, CT_KIND_ENTITY, mt_json_text(parent));
        if (out->parent == CT_NONE) {
            ct_load_error(l, CT_L_NAME, parent, "parent \"%.*s\" is not an entity",
                          MT_ARG(mt_json_text(parent)));
        }
    }
    return load_transitions(l, json, out);
}

/* ---- Operations ---- */

static bool load_allowed(ct_loader *l, const mt_json *json, ct_operation *op)
{
    const mt_json *list = ct_list_at(json, "allowed_personas");
    const mt_str *names = ct_texts(l, list);
    uint32_t count = list->count;
    if (!count) {
        ct_load_error(l, CT_L_PERSONA, json, "allowed_personas must not be empty");
        return false;
    }
    uint32_t *ids = mt_new_array(l->keep, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = ct_load_persona(l, names[i], list);
    }
    op->personas = ids;
    op->persona_count = count;
    return true;
}

/* Without a declared outcome there is one: named by the first effect that has a label,
 * else success. */
static mt_str only_outcome(const mt_json *effects)
{
    for (uint32_t i = 0; i < effects->count; i++) {
        const mt_json *label = mt_json_at(&effects->as.items[i], "outcome");
        if (mt_json_is(label, MT_JSON_STRING)) {
            return mt_json_text(label);
        }
    }
    return CT_SUCCESS;
}

static bool load_outcomes(ct_loader *l, const mt_json *json, const mt_json *effects,
                          ct_operation *op)
{
    const mt_json *list = ct_list_at(json, "outcomes");
    if (list->count) {
        op->outcomes = ct_texts(l, list);
        op->outcome_count = list->count;
        return unique_names(l, op->outcomes, op->outcome_count, list, CT_L_OUTCOME,
                            "outcome");
    }
    mt_str *name = mt_new(l->keep, mt_str);
    *name = only_outcome(effects);
    op->outcomes = name;
    op->outcome_count = 1;
    op->undeclared = true;
    return true;
}

static bool is_transition(const ct_entity *e, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < e->transition_count; i++) {
        if (e->transitions[i].from == from && e->transitions[i].to == to) {
            return true;
        }
    }
    return false;
}

/* Where there is one outcome every effect belongs to it, whatever its label:
 * elaboration only warns of another one. */
static bool load_effect_outcome(ct_loader *l, const mt_json *json,
                                const ct_operation *op, ct_effect *out)
{
    const mt_json *label = mt_json_at(json, "outcome");
    out->outcome = CT_NONE;
    if (op->outcome_count == 1 && (!label || mt_json_is(label, MT_JSON_STRING))) {
        return true;
    }
    if (!label) {
        ct_load_error(l, CT_L_OUTCOME, json,
                      "an effect of an operation with several outcomes must name one");
        return false;
    }
    out->outcome = ct_outcome_find(op, mt_json_text(label));
    if (out->outcome == CT_NONE) {
        ct_load_error(l, CT_L_OUTCOME, label,
                      "effect references undeclared outcome \"%.*s\"",
                      MT_ARG(mt_json_text(label)));
    }
    return out->outcome != CT_NONE;
}

static bool load_effect(ct_loader *l, const mt_json *json, const ct_operation *op,
                        ct_effect *out)
{
    mt_str id = ct_text_at(json, "entity_id");
    out->entity = ct_model_find(l->m, CT_KIND_ENTITY, id);
    if (out->entity == CT_NONE) {
        ct_load_error(l, CT_L_EFFECT, json,
                      "effect references undeclared entity \"%.*s\"", MT_ARG(id));
        return false;
    }
    const ct_entity *e = &l->m->entities[out->entity];
    out->from = want_state(l, e, json, MT_STR("from"), NULL);
    out->to = want_state(l, e, json, MT_STR("to"), NULL);
    if (out->from == CT_NONE || out->to == CT_NONE) {
        return false;
    }
    if (!is_transition(e, out->from, out->to)) {
        ct_load_error(
            l, CT_L_EFFECT, json, "(%.*s, %.*s) is not a transition of \"%.*s\"",
            MT_ARG(e->states[out->from]), MT_ARG(e->states[out->to]), MT_ARG(e->id));
        return false;
    }
    return load_effect_outcome(l, json, op, out);
}

static bool load_effects(ct_loader *l, const mt_json *list, ct_operation *op)
{
    uint32_t count = list->count;
    ct_effect *effects = mt_new_array(l->keep, ct_effect, count);
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
        size_t mark = ct_path_key(l, MT_STR("effects"));
        ct_path_index(l, i);
        ok = load_effect(l, &list->as.items[i], op, &effects[i]) && ok;
        ct_path_pop(l, mark);
    }
    op->effects = effects;
    op->effect_count = count;
    return ok;
}

static bool load_errors(ct_loader *l, const mt_json *json, ct_operation *op)
{
    const mt_json *list = ct_list_at(json, "error_contract");
    op->errors = ct_texts(l, list);
    op->error_count = list->count;
    for (uint32_t i = 0; !op->undeclared && i < op->error_count; i++) {
        if (ct_outcome_find(op, op->errors[i]) != CT_NONE) {
            ct_load_error(l, CT_L_OUTCOME, list,
                          "\"%.*s\" is both an outcome and an error",
                          MT_ARG(op->errors[i]));
            return false;
        }
    }
    return true;
}

bool ct_load_operation(ct_loader *l, const mt_json *json, ct_operation *out)
{
    const mt_json *effects = ct_list_at(json, "effects");
    const mt_json *precondition = mt_json_at(json, "precondition");
    out->id = l->construct_id;
    out->condition = CT_NONE;
    bool ok = load_allowed(l, json, out);
    /* ORDER: outcomes before effects, which name them, and before errors, which must
     * not. */
    ok = load_outcomes(l, json, effects, out) && ok;
    ok = ok && load_effects(l, effects, out) && load_errors(l, json, out);
    if (precondition && !mt_json_is(precondition, MT_JSON_NULL)) {
        size_t mark = ct_path_key(l, MT_STR("precondition"));
        out->precondition = ct_load_predicate(l, precondition);
        out->condition = ct_add_condition(l, out->precondition);
        ct_path_pop(l, mark);
        ok = ok && out->precondition;
    }
    return ok;
}
