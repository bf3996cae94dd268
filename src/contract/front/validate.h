/* contract/front/validate.h - what the files of pass 5 share.
 * Room: contract/front, pass5_*.c only. */
#ifndef CT_FRONT_VALIDATE_H
#define CT_FRONT_VALIDATE_H

#include "contract/front/unit.h"

/* Own checks of one construct, in bundle order. */
void ct_validate_entity(ct_unit *u, ct_entity *e);
void ct_validate_rule(ct_unit *u, ct_rule *r);
void ct_validate_source(ct_unit *u, ct_source_decl *s);
void ct_validate_fact(ct_unit *u, ct_fact *f);
void ct_validate_operation(ct_unit *u, ct_operation *o);
void ct_validate_flow(ct_unit *u, ct_flow *f);
void ct_validate_system(ct_unit *u, ct_system *s);

/* Checks over all constructs, in this order. */
void ct_validate_verdicts(ct_unit *u);
void ct_validate_parents(ct_unit *u);
void ct_validate_flow_references(ct_unit *u);
void ct_validate_parallel(ct_unit *u);
void ct_validate_transitions(ct_unit *u);

/* Is from -> to declared? Sorts the entity's transitions once. */
bool ct_has_transition(ct_unit *u, ct_entity *e, ct_sym from, ct_sym to);
/* Marks the persona as used; false if personas are declared and this one is not. */
bool ct_use_persona(ct_unit *u, ct_sym persona);
/* Does the operation have this outcome? Without outcomes it has `success`. */
bool ct_has_outcome(ct_unit *u, ct_operation *o, ct_sym outcome);

/* Calls visit for every place a step leads to, in the order of the interchange; with
 * `deep` also where escalations and joins lead. */
typedef void (*ct_edge_visitor)(void *state, ct_step *from, ct_name to);
void ct_each_target(ct_step *s, bool deep, ct_edge_visitor visit, void *state);
/* The steps of one scope; its marks must be set: symbol -> index + 1. */
typedef struct ct_step_scope {
    ct_unit *u;
    const ct_steps *steps;
} ct_step_scope;
/* The step called `to` in the scope, or NULL. */
static inline ct_step *ct_target_of(const ct_step_scope *s, ct_name to)
{
    return ct_is_marked(s->u, to.sym) ? s->steps->items[s->u->marks[to.sym].value - 1]
                                      : NULL;
}
/* Sets every step's `mark` to the number of edges that lead to it. */
void ct_count_edges(const ct_step_scope *s, bool deep);
/* Steps by ascending id, in the arena. */
ct_step **ct_steps_by_id(ct_unit *u, const ct_steps *steps);
/* Fills steps->order. The scope's marks must be set: symbol -> index + 1. */
void ct_order_steps(ct_unit *u, ct_steps *steps, ct_step **by_id, ct_sym entry);

#endif
