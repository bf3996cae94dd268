/* contract/flow/scenario_names.c - names in scenarios that the contract does not have.
 *
 * Before anything runs every name of a scenario is looked up: facts, entities and their
 * states, personas, flows, operations, steps, outcomes, verdicts. One that is not there
 * is a fault of that scenario with its place and the nearest name, so that a misspelt
 * name does not pass as a fact nobody reads, and does not look like a fault of the
 * contract. What a scenario expects to be an error (`then.error`) may be named wrongly:
 * that may be the error.
 *
 * May fail: only what all scenarios share makes the file a bad one. */
#include "base/nearest.h"
#include "contract/eval/surplus.h"
#include "contract/flow/scenario_internal.h"

typedef struct names {
    mt_arena *a;
    const ct_plan *p;
    const ct_model *m;
    const ct_scenarios *file;
    mt_buf out;
} names;

static void say_unknown(names *n, const mt_json *at, const char *what, mt_str name,
                        mt_str nearest)
{
    mt_str hint = nearest.len ? mt_strf(n->a, "; did you mean '%.*s'?", MT_ARG(nearest))
                              : MT_STR("");
    ct_scenario_say(&n->out, n->file, at, "the contract has no %s '%.*s'%.*s", what,
                    MT_ARG(name), MT_ARG(hint));
}

/* The index of the name, CT_NONE after saying that there is none. */
static uint32_t known(names *n, ct_kind kind, const char *what, const mt_json *at,
                      mt_str name)
{
    uint32_t index = ct_model_find(n->m, kind, name);
    if (index == CT_NONE) {
        say_unknown(n, at, what, name, ct_model_nearest(n->m, kind, name));
    }
    return index;
}

static void check_keys(names *n, ct_kind kind, const char *what, const mt_json *map)
{
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        (void)known(n, kind, what, &m->value, m->key);
    }
}

static void check_texts(names *n, ct_kind kind, const char *what, const mt_json *list)
{
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        (void)known(n, kind, what, &list->as.items[i],
                    mt_json_text(&list->as.items[i]));
    }
}

/* ---- States ---- */

static void check_state(names *n, uint32_t entity, const mt_json *at)
{
    const ct_entity *e = &n->m->entities[entity];
    mt_str state = mt_json_text(at);
    if (mt_json_is(at, MT_JSON_STRING) && ct_state_find(e, state) == CT_NONE) {
        mt_nearest near = mt_nearest_to(state);
        for (uint32_t i = 0; i < e->state_count; i++) {
            mt_nearest_offer(&near, e->states[i]);
        }
        mt_str what = mt_strf(n->a, "state of '%.*s' called", MT_ARG(e->id));
        say_unknown(n, at, what.ptr, state, near.best);
    }
}

/* {Entity: state} or {Entity: {instance: state}}. */
static void check_states(names *n, const mt_json *map)
{
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        uint32_t e = known(n, CT_KIND_ENTITY, "entity", &m->value, m->key);
        if (e == CT_NONE) {
            continue;
        }
        check_state(n, e, &m->value);
        for (uint32_t k = 0;
             mt_json_is(&m->value, MT_JSON_OBJECT) && k < m->value.count; k++) {
            check_state(n, e, &m->value.as.members[k].value);
        }
    }
}

/* ---- Steps and outcomes ---- */

/* "step", or "comp:OPERATION" for a compensation. */
static void check_step(names *n, const mt_json *at, mt_str name)
{
    mt_str undo = MT_STR("comp:");
    if (mt_str_starts(name, undo)) {
        (void)known(n, CT_KIND_OPERATION, "operation", at, mt_str_skip(name, undo.len));
        return;
    }
    mt_nearest near = mt_nearest_to(name);
    for (uint32_t i = 0; i < n->p->step_count; i++) {
        if (mt_str_eq(n->p->steps[i].id, name)) {
            return;
        }
        mt_nearest_offer(&near, n->p->steps[i].id);
    }
    say_unknown(n, at, "step", name, near.best);
}

/* Names the reports give to what is not a step by itself have other signs in them. */
static void check_steps(names *n, const mt_json *list)
{
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        mt_str text = mt_json_text(&list->as.items[i]);
        mt_str name = {text.ptr, mt_str_find(text, '=')};
        bool plain = mt_str_find(name, '/') == name.len &&
                     mt_str_find(name, ':') == name.len &&
                     mt_str_find(name, '.') == name.len;
        if (plain && name.len) {
            check_step(n, &list->as.items[i], name);
        }
    }
}

static void check_label(names *n, const mt_json *at)
{
    mt_str label = mt_json_text(at);
    mt_nearest near = mt_nearest_to(label);
    for (uint32_t i = 0; i < n->p->outcome_count; i++) {
        if (mt_str_eq(n->p->outcomes[i].label, label)) {
            return;
        }
        mt_nearest_offer(&near, n->p->outcomes[i].label);
    }
    say_unknown(n, at, "operation with an outcome", label, near.best);
}

/* One label for all, or {step: label}. */
static void check_choice(names *n, const mt_json *choice)
{
    if (mt_json_is(choice, MT_JSON_STRING)) {
        check_label(n, choice);
    }
    for (uint32_t i = 0; mt_json_is(choice, MT_JSON_OBJECT) && i < choice->count; i++) {
        check_step(n, &choice->as.members[i].value, choice->as.members[i].key);
        check_label(n, &choice->as.members[i].value);
    }
}

static void check_meanwhile(names *n, const mt_json *map)
{
    for (uint32_t i = 0; mt_json_is(map, MT_JSON_OBJECT) && i < map->count; i++) {
        check_step(n, &map->as.members[i].value, map->as.members[i].key);
        check_states(n, &map->as.members[i].value);
    }
}

/* How a flow or an operation ends. */
static void check_end(names *n, const ct_scenario *s)
{
    const mt_json *at = s->then.outcome;
    mt_str end = mt_json_text(at);
    if (!at || !s->when.flow.len) {
        if (at && s->when.operation.len) {
            check_label(n, at);
        }
        return;
    }
    mt_nearest near = mt_nearest_to(end);
    for (uint32_t i = 0; i < n->p->terminal_count; i++) {
        if (mt_str_eq(n->p->terminals[i].name, end)) {
            return;
        }
        mt_nearest_offer(&near, n->p->terminals[i].name);
    }
    say_unknown(n, at, "flow that ends with", end, near.best);
}

/* ---- The whole ---- */

/* Each fact by itself, so that what is wrong with it has its place. */
static void check_fields(names *n, const mt_json *facts)
{
    for (uint32_t i = 0; mt_json_is(facts, MT_JSON_OBJECT) && i < facts->count; i++) {
        mt_json one = {.type = MT_JSON_OBJECT, .count = 1};
        one.as.members = &facts->as.members[i];
        ct_surplus s = {.arena = n->a};
        ct_surplus_fields(&s, n->m, &one);
        for (size_t k = 0; k < s.len; k++) {
            ct_scenario_say(&n->out, n->file, &facts->as.members[i].value, "%.*s",
                            MT_ARG(s.told[k]));
        }
    }
}

static void check_given(names *n, const ct_given *g)
{
    check_keys(n, CT_KIND_FACT, "fact", g->facts);
    check_fields(n, g->facts);
    check_states(n, g->states);
    check_keys(n, CT_KIND_ENTITY, "entity", g->bind);
}

static void check_named(names *n, const mt_json *when, const char *key, ct_kind kind)
{
    const mt_json *at = mt_json_get(when, mt_str_z(key));
    if (at) {
        (void)known(n, kind, key, at, mt_json_text(at));
    }
}

static void check_scenario(names *n, const ct_scenario *s)
{
    check_given(n, &s->given);
    if (!s->then.error) {
        check_named(n, s->when_written, "persona", CT_KIND_PERSONA);
        check_named(n, s->when_written, "flow", CT_KIND_FLOW);
        check_named(n, s->when_written, "operation", CT_KIND_OPERATION);
        check_choice(n, s->when.outcome);
    }
    check_meanwhile(n, s->when.meanwhile);
    check_texts(n, CT_KIND_VERDICT, "verdict", s->then.verdicts);
    check_texts(n, CT_KIND_VERDICT, "verdict", s->then.present);
    check_texts(n, CT_KIND_VERDICT, "verdict", s->then.absent);
    check_keys(n, CT_KIND_VERDICT, "verdict", s->then.payloads);
    check_states(n, s->then.states);
    check_steps(n, s->then.steps);
    check_end(n, s);
}

mt_err ct_scenarios_check(mt_arena *a, const ct_plan *p, ct_scenarios *file,
                          mt_str *why)
{
    names n = {.a = a, .p = p, .m = p->model, .file = file};
    check_given(&n, &file->shared);
    mt_err err = n.out.len ? MT_E_TYPE : MT_OK;
    if (err) {
        *why = mt_str_dup(a, mt_buf_str(&n.out));
    }
    for (size_t i = 0; !err && i < file->len; i++) {
        mt_buf_clear(&n.out);
        if (!file->items[i].fault.len) {
            check_scenario(&n, &file->items[i]);
            file->items[i].fault = mt_str_dup(a, mt_buf_str(&n.out));
        }
    }
    mt_buf_free(&n.out);
    return err;
}
