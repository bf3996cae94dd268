/* contract/front/validate.h - what the files of pass 5 share.
 * Room: contract/front, pass5_*.c only. */
#ifndef FR_FRONT_VALIDATE_H
#define FR_FRONT_VALIDATE_H

#include "contract/front/unit.h"

/* Own checks of one construct, in bundle order. None is called for a construct that did
 * not parse. */
void fr_validate_entity(fr_unit *u, fr_entity *e);
void fr_validate_rule(fr_unit *u, fr_rule *r);
void fr_validate_source(fr_unit *u, fr_source_decl *s);
void fr_validate_fact(fr_unit *u, fr_fact *f);
void fr_validate_operation(fr_unit *u, fr_operation *o);
void fr_validate_flow(fr_unit *u, fr_flow *f);
void fr_validate_system(fr_unit *u, fr_system *s);

/* Checks over all constructs, in this order. */
void fr_validate_verdicts(fr_unit *u);
void fr_validate_parents(fr_unit *u);
void fr_validate_flow_references(fr_unit *u);
void fr_validate_parallel(fr_unit *u);
void fr_validate_transitions(fr_unit *u);

/* Is from -> to declared? Sorts the entity's transitions once. */
bool fr_has_transition(fr_unit *u, fr_entity *e, fr_sym from, fr_sym to);
/* Marks the persona as used; false if personas are declared and this one is not. */
bool fr_use_persona(fr_unit *u, fr_sym persona);
/* Does the operation have this outcome? Without outcomes it has `success`. */
bool fr_has_outcome(fr_unit *u, fr_operation *o, fr_sym outcome);

/* Calls visit for every place a step leads to, in the order of the interchange; with
 * `deep` also where escalations and joins lead. */
typedef void (*fr_edge_visitor)(void *state, fr_step *from, fr_name to);
/* The only place that knows where a step leads. `deep`: handlers and joins, too. */
void fr_each_target(fr_step *s, bool deep, fr_edge_visitor visit, void *state);
/* The steps of one scope; its marks must be set: symbol -> index + 1. */
typedef struct fr_step_scope {
    fr_unit *u;
    const fr_steps *steps;
} fr_step_scope;
/* The step called `to` in the scope, or NULL. */
static inline fr_step *fr_target_of(const fr_step_scope *s, fr_name to)
{
    return fr_is_marked(s->u, to.sym) ? s->steps->items[s->u->marks[to.sym].value - 1]
                                      : NULL;
}
/* Sets every step's `mark` to the number of edges that lead to it. */
void fr_count_edges(const fr_step_scope *s, bool deep);
/* Steps by ascending id, in the arena. */
fr_step **fr_steps_by_id(fr_unit *u, const fr_steps *steps);
/* Fills steps->order. The scope's marks must be set: symbol -> index + 1. */
void fr_order_steps(fr_unit *u, fr_steps *steps, fr_step **by_id, fr_sym entry);

#endif
