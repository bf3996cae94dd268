/* analyze/facts/s1_states.c - S1: the state space of every entity.
 * Room: analyze. */
#include "analyze/facts/analyzer.h"

/* States of all entities in one row of numbers, so that sets of them are one bit
 * set. */
static uint32_t number_states(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint32_t *first = mt_new_array(z->keep, uint32_t, (size_t)m->entity_count + 1);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        first[e + 1] = first[e] + m->entities[e].state_count;
    }
    z->an->first_state = first;
    return first[m->entity_count];
}

/* Edges of all entities in one array, in order of their first state, so that the edges
 * of a state are neighbours. */
static void group_transitions(an_analyzer *z, uint32_t states)
{
    const ct_model *m = z->an->model;
    const uint32_t *first = z->an->first_state;
    uint32_t count = 0, at = 0;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        count += m->entities[e].transition_count;
    }
    an_edge *edges = mt_new_array(z->keep, an_edge, count);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        for (uint32_t i = 0; i < m->entities[e].transition_count; i++) {
            const ct_transition *t = &m->entities[e].transitions[i];
            edges[at++] = (an_edge){first[e] + t->from, first[e] + t->to, e};
        }
    }
    z->transitions = an_edges_group(z->keep, edges, count, states);
}

/* The same for what operations do; the tag is the operation. */
static void group_effects(an_analyzer *z, uint32_t states)
{
    const ct_model *m = z->an->model;
    const uint32_t *first = z->an->first_state;
    uint32_t count = 0, at = 0;
    for (uint32_t o = 0; o < m->operation_count; o++) {
        count += m->operations[o].effect_count;
    }
    an_edge *edges = mt_new_array(z->keep, an_edge, count);
    for (uint32_t o = 0; o < m->operation_count; o++) {
        for (uint32_t i = 0; i < m->operations[o].effect_count; i++) {
            const ct_effect *e = &m->operations[o].effects[i];
            edges[at++] =
                (an_edge){first[e->entity] + e->from, first[e->entity] + e->to, o};
        }
    }
    z->effects = an_edges_group(z->keep, edges, count, states);
}

/* Transitions from one state that no effect makes; `made` is stamped per state. */
static void report_idle(an_analyzer *z, const ct_entity *e, uint32_t base,
                        uint32_t state, uint32_t *made)
{
    uint32_t node = base + state;
    for (uint32_t i = z->effects.first[node]; i < z->effects.first[node + 1]; i++) {
        made[z->effects.items[i].to] = node + 1;
    }
    for (uint32_t i = z->transitions.first[node]; i < z->transitions.first[node + 1];
         i++) {
        uint32_t to = z->transitions.items[i].to;
        if (made[to] != node + 1) {
            mt_str part =
                mt_strf(z->fs->arena, "%.*s to %.*s", MT_ARG(e->states[state]),
                        MT_ARG(e->states[to - base]));
            an_report_finding(z, "S101", MT_NOTE, "Entity", e->id, part, e->origin,
                              "no operation makes the transition from '%.*s' to '%.*s'",
                              MT_ARG(e->states[state]), MT_ARG(e->states[to - base]));
        }
    }
}

/* The numbering and the edges are made in any case, because later obligations need
 * them. Transitions of shared entities may be another contract's to make. */
void an_s1_states(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint32_t states = number_states(z);
    group_transitions(z, states);
    group_effects(z, states);
    if (!an_wants(z, AN_S1)) {
        return;
    }
    uint32_t *made = mt_new_array(&z->scratch, uint32_t, (size_t)states + 1);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        for (uint32_t s = 0; s < m->entities[e].state_count && !an_is_shared(z, e);
             s++) {
            report_idle(z, &m->entities[e], z->an->first_state[e], s, made);
        }
    }
}
