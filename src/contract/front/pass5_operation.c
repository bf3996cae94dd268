/* contract/front/pass5_operation.c - operations: personas, outcomes, effects.
 *
 * Personas and entities are declared, outcomes differ, effects name an outcome where
 * there are several, and no effect is written twice. Whether every effect is a
 * declared transition is the suite's last check and has a pass of its own over all
 * operations (fr_validate_transitions()).
 *
 * An operation without outcomes has one, `success`. */
#include <stdlib.h>

#include "contract/front/suggest.h"
#include "contract/front/validate.h"

bool fr_has_outcome(fr_unit *u, fr_operation *o, fr_sym outcome)
{
    return o->outcomes.len ? fr_names_have(u, &o->outcomes, outcome)
                           : outcome == FR_W_success;
}

/* Some faults of the suite stand at the keyword although the field has a place. */
static fr_place at_operation(const fr_operation *o, fr_name name, mt_str field)
{
    return fr_exactly(fr_at(&o->head, o->head.tok, field), name.tok, name.tok);
}

/* Labels are what flows route by, so two of one name could not be told apart. */
static void check_outcomes(fr_unit *u, const fr_operation *o)
{
    fr_new_stamp(u);
    for (size_t i = 0; i < o->outcomes.len; i++) {
        if (!fr_mark_new(u, o->outcomes.items[i].sym, 0)) {
            fr_report(
                u, FR_E_OUTCOME_TWICE,
                at_operation(o, o->outcomes.items[i], FR_FIELD("outcomes")),
                "duplicate outcome '%.*s'; outcome labels must be unique within an "
                "Operation",
                FR_ARG(u, o->outcomes.items[i].sym));
        }
    }
}

/* At the field, or at the keyword where there is no such field. */
static fr_place at_personas(const fr_operation *o)
{
    return fr_at(&o->head, o->has_personas ? o->personas_tok : o->head.tok,
                 FR_FIELD("allowed_personas"));
}

/* §9.4. The suite has them at the field's word. */
static void check_personas(fr_unit *u, const fr_operation *o)
{
    if (!o->personas.len) {
        fr_place at = at_personas(o);
        at = o->has_personas ? at : fr_exactly(at, o->head.tok, o->head.id_tok);
        fr_report(u, FR_E_PERSONAS_EMPTY, at,
                  "allowed_personas must be non-empty; an Operation with no allowed "
                  "personas can never be invoked");
    }
    for (size_t i = 0; i < o->personas.len; i++) {
        if (!fr_use_persona(u, o->personas.items[i].sym)) {
            fr_report(
                u, FR_E_PERSONA_ALLOWED,
                fr_meant_kind(u, at_personas(o), FR_PERSONA, o->personas.items[i]),
                "undeclared persona '%.*s' in allowed_personas",
                FR_ARG(u, o->personas.items[i].sym));
        }
    }
}

/* Counts as a use. With files that did not parse an unknown entity may be in one of
 * them, so nothing is said. */
static void check_entities(fr_unit *u, const fr_operation *o)
{
    for (size_t i = 0; i < o->effects.len; i++) {
        const fr_effect *e = &o->effects.items[i];
        fr_construct *entity = fr_find(u, FR_ENTITY, e->entity.sym);
        if (entity) {
            entity->used = true;
        } else if (!u->incomplete) {
            fr_place at = fr_at(&o->head, e->tok, FR_FIELD("effects"));
            fr_report(u, FR_E_EFFECT_ENTITY, fr_meant_kind(u, at, FR_ENTITY, e->entity),
                      "effect references undeclared entity '%.*s'",
                      FR_ARG(u, e->entity.sym));
        }
    }
}

/* All of an effect: (Entity, from, to), or Entity: from -> to. */
static fr_place at_effect(fr_place at, const fr_operation *o, const fr_effect *e)
{
    fr_tok last = e->outcome.sym ? e->outcome.tok : e->to.tok;
    bool tuple = fr_token_at(o->head.file, e->tok)->kind == FR_T_LPAREN;
    return fr_exactly(at, e->tok, tuple ? fr_closing(o->head.file, e->tok) : last);
}

/* §9.4: with several outcomes every effect belongs to exactly one. */
static void check_label(fr_unit *u, fr_operation *o, const fr_effect *e)
{
    fr_place at = fr_at(&o->head, e->tok, FR_FIELD("effects"));
    if (!e->outcome.sym) {
        fr_report(
            u, FR_E_EFFECT_UNLABELLED, at_effect(at, o, e),
            "effect (%.*s, %.*s, %.*s) is missing an outcome label; multi-outcome "
            "operations require every effect to specify which outcome it belongs "
            "to",
            FR_ARG(u, e->entity.sym), FR_ARG(u, e->from.sym), FR_ARG(u, e->to.sym));
    } else if (!fr_names_have(u, &o->outcomes, e->outcome.sym)) {
        fr_report(u, FR_E_EFFECT_OUTCOME, fr_meant_of(u, at, &o->outcomes, e->outcome),
                  "effect (%.*s, %.*s, %.*s) references undeclared outcome '%.*s'; "
                  "declared outcomes are: %.*s",
                  FR_ARG(u, e->entity.sym), FR_ARG(u, e->from.sym),
                  FR_ARG(u, e->to.sym), FR_ARG(u, e->outcome.sym),
                  MT_ARG(fr_list_text(u, &o->outcomes)));
    }
}

/* With one outcome a label is not needed; one that names another outcome is tolerated,
 * and the loader takes the effect for the single one. */
static void check_labels(fr_unit *u, fr_operation *o)
{
    for (size_t i = 0; i < o->effects.len; i++) {
        const fr_effect *e = &o->effects.items[i];
        if (o->outcomes.len >= 2) {
            check_label(u, o, e);
        } else if (e->outcome.sym && !fr_has_outcome(u, o, e->outcome.sym)) {
            fr_report(
                u, FR_E_EFFECT_SINGLE_OUTCOME,
                fr_meant_of(u, fr_at(&o->head, e->outcome.tok, FR_FIELD("effects")),
                            &o->outcomes, e->outcome),
                "effect names outcome '%.*s', which the operation does not declare",
                FR_ARG(u, e->outcome.sym));
        }
    }
}

/* Outcomes and errors are disjoint (§9.4). */
static void check_errors(fr_unit *u, fr_operation *o)
{
    for (size_t i = 0; i < o->outcomes.len; i++) {
        if (fr_names_have(u, &o->errors, o->outcomes.items[i].sym)) {
            fr_report(u, FR_E_OUTCOME_IS_ERROR,
                      at_operation(o, o->outcomes.items[i], FR_FIELD("outcomes")),
                      "outcome '%.*s' conflicts with error_contract; outcomes and "
                      "error_contract must be disjoint",
                      FR_ARG(u, o->outcomes.items[i].sym));
        }
    }
}

/* ---- beyond the suite ---- */

/* Sets by meaning: a double says nothing and is probably a slip. */
static void check_set(fr_unit *u, const fr_operation *o, const fr_names *names,
                      mt_str field)
{
    fr_new_stamp(u);
    for (size_t i = 0; i < names->len; i++) {
        if (!fr_mark_new(u, names->items[i].sym, 0)) {
            fr_report(u, FR_E_PERSONAS_TWICE,
                      fr_at(&o->head, names->items[i].tok, field),
                      "'%.*s' is listed twice in %.*s", FR_ARG(u, names->items[i].sym),
                      MT_ARG(field));
        }
    }
}

/* By the numbers of the symbols: any order will do to bring equals together. */
static int compare_effects(const void *a, const void *b)
{
    const fr_effect *x = *(const fr_effect *const *)a,
                    *y = *(const fr_effect *const *)b;
    fr_sym left[] = {x->entity.sym, x->from.sym, x->to.sym, x->outcome.sym};
    fr_sym right[] = {y->entity.sym, y->from.sym, y->to.sym, y->outcome.sym};
    for (size_t i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Sorted and not compared pairwise, since generated operations may have thousands. */
static void check_repeated_effects(fr_unit *u, const fr_operation *o)
{
    if (o->effects.len < 2) {
        return;
    }
    mt_mark mark = mt_arena_mark(u->keep);
    const fr_effect **sorted = mt_new_array(u->keep, const fr_effect *, o->effects.len);
    const fr_effect *twice = NULL;
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
        fr_report(u, FR_E_EFFECT_TWICE,
                  at_effect(fr_at(&o->head, twice->tok, FR_FIELD("effects")), o, twice),
                  "effect (%.*s, %.*s, %.*s) is declared twice",
                  FR_ARG(u, twice->entity.sym), FR_ARG(u, twice->from.sym),
                  FR_ARG(u, twice->to.sym));
    }
}

/* The first five in the order of the suite. */
void fr_validate_operation(fr_unit *u, fr_operation *o)
{
    if (o->outcomes.len > 1) {
        check_outcomes(u, o);
    }
    check_personas(u, o);
    check_entities(u, o);
    check_labels(u, o);
    check_errors(u, o);
    check_set(u, o, &o->personas, FR_FIELD("allowed_personas"));
    check_set(u, o, &o->errors, FR_FIELD("error_contract"));
    check_repeated_effects(u, o);
    if (o->outcomes_tok && !o->outcomes.len) {
        fr_report(u, FR_E_OUTCOMES_EMPTY,
                  fr_at(&o->head, o->outcomes_tok, FR_FIELD("outcomes")),
                  "outcomes must be non-empty; an Operation without outcomes never "
                  "succeeds");
    }
}

/* ---- transitions, the suite's last check ---- */

/* Cut at a length that no reader reaches, so a message stays bounded. */
static mt_str transitions_text(fr_unit *u, const fr_entity *e)
{
    enum { SHOWN = 1000 };
    mt_buf b = {0};
    mt_buf_addc(&b, '[');
    for (size_t i = 0; i < e->transitions.len && i < SHOWN; i++) {
        mt_buf_addf(&b, "%s(%.*s, %.*s)", i ? ", " : "",
                    FR_ARG(u, e->transitions.items[i].from.sym),
                    FR_ARG(u, e->transitions.items[i].to.sym));
    }
    mt_buf_addc(&b, ']');
    mt_str text = mt_str_dup(u->keep, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* At the state that is not one of the entity's, else at both: that there is no
 * transition between them. */
static fr_place at_transition(fr_unit *u, const fr_operation *o, const fr_effect *e,
                              fr_entity *entity)
{
    fr_place at = fr_at(&o->head, e->tok, FR_FIELD("effects"));
    if (!fr_names_have(u, &entity->states, e->from.sym)) {
        return fr_meant_of(u, at, &entity->states, e->from);
    }
    if (!fr_names_have(u, &entity->states, e->to.sym)) {
        return fr_meant_of(u, at, &entity->states, e->to);
    }
    return fr_exactly(at, e->from.tok, e->to.tok);
}

/* An entity that is unknown or did not parse was reported. */
static void check_transition(fr_unit *u, const fr_operation *o, const fr_effect *e)
{
    fr_entity *entity = fr_find(u, FR_ENTITY, e->entity.sym);
    if (!entity || entity->head.broken ||
        fr_has_transition(u, entity, e->from.sym, e->to.sym)) {
        return;
    }
    fr_report(u, FR_E_EFFECT_TRANSITION, at_transition(u, o, e, entity),
              "effect (%.*s, %.*s, %.*s) is not a declared transition in entity %.*s; "
              "declared transitions are: %.*s",
              FR_ARG(u, e->entity.sym), FR_ARG(u, e->from.sym), FR_ARG(u, e->to.sym),
              FR_ARG(u, e->entity.sym), MT_ARG(transitions_text(u, entity)));
}

/* Over all operations, after everything else: the suite reports these last. */
void fr_validate_transitions(fr_unit *u)
{
    for (size_t i = 0; i < u->kinds[FR_OPERATION].len; i++) {
        const fr_operation *o = (const fr_operation *)u->kinds[FR_OPERATION].items[i];
        for (size_t j = 0; !o->head.broken && j < o->effects.len; j++) {
            check_transition(u, o, &o->effects.items[j]);
        }
    }
}
