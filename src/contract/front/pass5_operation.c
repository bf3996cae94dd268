/* contract/front/pass5_operation.c - operations: personas, outcomes, effects. */
#include <stdlib.h>

#include "contract/front/validate.h"

bool ct_has_outcome(ct_unit *u, ct_operation *o, ct_sym outcome)
{
    return o->outcomes.len ? ct_names_have(u, &o->outcomes, outcome)
                           : outcome == CT_W_success;
}

static ct_place at_operation(const ct_operation *o, mt_str field)
{
    return ct_at(&o->head, o->head.tok, field);
}

static void check_outcomes(ct_unit *u, const ct_operation *o)
{
    ct_new_stamp(u);
    for (size_t i = 0; i < o->outcomes.len; i++) {
        if (!ct_mark_new(u, o->outcomes.items[i].sym, 0)) {
            ct_report(
                u, CT_E_OUTCOME_TWICE, at_operation(o, CT_FIELD("outcomes")),
                "duplicate outcome '%.*s'; outcome labels must be unique within an "
                "Operation",
                CT_ARG(u, o->outcomes.items[i].sym));
        }
    }
}

static void check_personas(ct_unit *u, const ct_operation *o)
{
    ct_place at = ct_at(&o->head, o->has_personas ? o->personas_tok : o->head.tok,
                        CT_FIELD("allowed_personas"));
    if (!o->personas.len) {
        ct_report(u, CT_E_PERSONAS_EMPTY, at,
                  "allowed_personas must be non-empty; an Operation with no allowed "
                  "personas can never be invoked");
    }
    for (size_t i = 0; i < o->personas.len; i++) {
        if (!ct_use_persona(u, o->personas.items[i].sym)) {
            ct_report(u, CT_E_PERSONA_ALLOWED, at,
                      "undeclared persona '%.*s' in allowed_personas",
                      CT_ARG(u, o->personas.items[i].sym));
        }
    }
}

static void check_entities(ct_unit *u, const ct_operation *o)
{
    for (size_t i = 0; i < o->effects.len; i++) {
        const ct_effect *e = &o->effects.items[i];
        ct_construct *entity = ct_find(u, CT_ENTITY, e->entity.sym);
        if (entity) {
            entity->used = true;
        } else if (!u->incomplete) {
            ct_report(
                u, CT_E_EFFECT_ENTITY, ct_at(&o->head, e->tok, CT_FIELD("effects")),
                "effect references undeclared entity '%.*s'", CT_ARG(u, e->entity.sym));
        }
    }
}

static void check_label(ct_unit *u, ct_operation *o, const ct_effect *e)
{
    ct_place at = ct_at(&o->head, e->tok, CT_FIELD("effects"));
    if (!e->outcome.sym) {
        ct_report(
            u, CT_E_EFFECT_UNLABELLED, at,
            "effect (%.*s, %.*s, %.*s) is missing an outcome label; multi-outcome "
            "operations require every effect to specify which outcome it belongs "
            "to",
            CT_ARG(u, e->entity.sym), CT_ARG(u, e->from.sym), CT_ARG(u, e->to.sym));
    } else if (!ct_names_have(u, &o->outcomes, e->outcome.sym)) {
        ct_report(u, CT_E_EFFECT_OUTCOME, at,
                  "effect (%.*s, %.*s, %.*s) references undeclared outcome '%.*s'; "
                  "declared outcomes are: %.*s",
                  CT_ARG(u, e->entity.sym), CT_ARG(u, e->from.sym),
                  CT_ARG(u, e->to.sym), CT_ARG(u, e->outcome.sym),
                  MT_ARG(ct_list_text(u, &o->outcomes)));
    }
}

static void check_labels(ct_unit *u, ct_operation *o)
{
    for (size_t i = 0; i < o->effects.len; i++) {
        const ct_effect *e = &o->effects.items[i];
        if (o->outcomes.len >= 2) {
            check_label(u, o, e);
        } else if (e->outcome.sym && !ct_has_outcome(u, o, e->outcome.sym)) {
            ct_report(
                u, CT_E_EFFECT_SINGLE_OUTCOME,
                ct_at(&o->head, e->outcome.tok, CT_FIELD("effects")),
                "effect names outcome '%.*s', which the operation does not declare",
                CT_ARG(u, e->outcome.sym));
        }
    }
}

static void check_errors(ct_unit *u, ct_operation *o)
{
    for (size_t i = 0; i < o->outcomes.len; i++) {
        if (ct_names_have(u, &o->errors, o->outcomes.items[i].sym)) {
            ct_report(u, CT_E_OUTCOME_IS_ERROR, at_operation(o, CT_FIELD("outcomes")),
                      "outcome '%.*s' conflicts with error_contract; outcomes and "
                      "error_contract must be disjoint",
                      CT_ARG(u, o->outcomes.items[i].sym));
        }
    }
}

/* ---- beyond the suite ---- */

static void check_set(ct_unit *u, const ct_operation *o, const ct_names *names,
                      mt_str field)
{
    ct_new_stamp(u);
    for (size_t i = 0; i < names->len; i++) {
        if (!ct_mark_new(u, names->items[i].sym, 0)) {
            ct_report(u, CT_E_PERSONAS_TWICE,
                      ct_at(&o->head, names->items[i].tok, field),
                      "'%.*s' is listed twice in %.*s", CT_ARG(u, names->items[i].sym),
                      MT_ARG(field));
        }
    }
}

static int compare_effects(const void *a, const void *b)
{
    const ct_effect *x = *(const ct_effect *const *)a,
                    *y = *(const ct_effect *const *)b;
    ct_sym left[] = {x->entity.sym, x->from.sym, x->to.sym, x->outcome.sym};
    ct_sym right[] = {y->entity.sym, y->from.sym, y->to.sym, y->outcome.sym};
    for (size_t i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static void check_repeated_effects(ct_unit *u, const ct_operation *o)
{
    if (o->effects.len < 2) {
        return;
    }
    mt_mark mark = mt_arena_mark(u->keep);
    const ct_effect **sorted = mt_new_array(u->keep, const ct_effect *, o->effects.len);
    const ct_effect *twice = NULL;
    for (size_t i = 0; i < o->effects.len; i++) {
        sorted[i] = &o->effects.items[i];
    }
    qsort(sorted, o->effects.len, sizeof *sorted, compare_effects);
    for (size_t i = 1; i < o->effects.len && !twice; i++) {
        if (compare_effects(&sorted[i - 1], &sorted[i]) == 0) {
            twice = sorted[i]->tok > sorted[i - 1]->tok ? sorted[i] : sorted[i - 1];
        }
    }
    mt_arena_rewind(u->keep, mark);
    if (twice) {
        ct_report(
            u, CT_E_EFFECT_TWICE, ct_at(&o->head, twice->tok, CT_FIELD("effects")),
            "effect (%.*s, %.*s, %.*s) is declared twice", CT_ARG(u, twice->entity.sym),
            CT_ARG(u, twice->from.sym), CT_ARG(u, twice->to.sym));
    }
}

void ct_validate_operation(ct_unit *u, ct_operation *o)
{
    if (o->outcomes.len > 1) {
        check_outcomes(u, o);
    }
    check_personas(u, o);
    check_entities(u, o);
    check_labels(u, o);
    check_errors(u, o);
    check_set(u, o, &o->personas, CT_FIELD("allowed_personas"));
    check_set(u, o, &o->errors, CT_FIELD("error_contract"));
    check_repeated_effects(u, o);
    if (o->outcomes_tok && !o->outcomes.len) {
        ct_report(u, CT_E_OUTCOMES_EMPTY,
                  ct_at(&o->head, o->outcomes_tok, CT_FIELD("outcomes")),
                  "outcomes must be non-empty; an Operation without outcomes never "
                  "succeeds");
    }
}

/* ---- transitions, the suite's last check ---- */

static mt_str transitions_text(ct_unit *u, const ct_entity *e)
{
    enum { SHOWN = 1000 };
    mt_buf b = {0};
    mt_buf_addc(&b, '[');
    for (size_t i = 0; i < e->transitions.len && i < SHOWN; i++) {
        mt_buf_addf(&b, "%s(%.*s, %.*s)", i ? ", " : "",
                    CT_ARG(u, e->transitions.items[i].from.sym),
                    CT_ARG(u, e->transitions.items[i].to.sym));
    }
    mt_buf_addc(&b, ']');
    mt_str text = mt_str_dup(u->keep, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static void check_transition(ct_unit *u, const ct_operation *o, const ct_effect *e)
{
    ct_entity *entity = ct_find(u, CT_ENTITY, e->entity.sym);
    if (!entity || entity->head.broken ||
        ct_has_transition(u, entity, e->from.sym, e->to.sym)) {
        return;
    }
    ct_report(u, CT_E_EFFECT_TRANSITION, ct_at(&o->head, e->tok, CT_FIELD("effects")),
              "effect (%.*s, %.*s, %.*s) is not a declared transition in entity %.*s; "
              "declared transitions are: %.*s",
              CT_ARG(u, e->entity.sym), CT_ARG(u, e->from.sym), CT_ARG(u, e->to.sym),
              CT_ARG(u, e->entity.sym), MT_ARG(transitions_text(u, entity)));
}

void ct_validate_transitions(ct_unit *u)
{
    for (size_t i = 0; i < u->kinds[CT_OPERATION].len; i++) {
        const ct_operation *o = (const ct_operation *)u->kinds[CT_OPERATION].items[i];
        for (size_t j = 0; !o->head.broken && j < o->effects.len; j++) {
            check_transition(u, o, &o->effects.items[j]);
        }
    }
}
