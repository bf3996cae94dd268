/* contract/analyze/s2_reach.c - S2: states reachable from the initial state.
 * Room: contract. By the declared transitions, as the obligation asks; and by what
 * admissible operations do, which may be less. */
#include "contract/analyze/analyze.h"

typedef struct search {
    uint32_t *visited, *queue;
} search;

/* Bit set of the entity's states among those the search reached. */
static uint64_t *states_reached(ct_analyzer *z, const search *s, uint32_t entity,
                                uint32_t count)
{
    const ct_entity *e = &z->an->model->entities[entity];
    uint64_t *set = mt_new_array(z->keep, uint64_t, e->state_count / 64 + 1);
    for (uint32_t i = 0; i < count; i++) {
        ct_bit_set(set, s->queue[i] - z->an->first_state[entity]);
    }
    return set;
}

static uint64_t *all_states(ct_analyzer *z, const ct_entity *e)
{
    uint64_t *set = mt_new_array(z->keep, uint64_t, e->state_count / 64 + 1);
    for (uint32_t s = 0; s < e->state_count; s++) {
        ct_bit_set(set, s);
    }
    return set;
}

static uint64_t *reached_by(ct_analyzer *z, search *s, const ct_edges *edges,
                            uint32_t entity, uint32_t *count)
{
    const ct_entity *e = &z->an->model->entities[entity];
    uint32_t first = z->an->first_state[entity];
    if (ct_is_shared(z, entity)) {
        *count = e->state_count;
        return all_states(z, e);
    }
    memset(s->visited, 0, e->state_count * sizeof *s->visited);
    *count = ct_edges_visit(edges, first, first + e->initial, NULL, NULL, s->visited,
                            s->queue);
    return states_reached(z, s, entity, *count);
}

static bool is_operated(const ct_analyzer *z, uint32_t entity)
{
    const uint32_t *first = z->an->first_state;
    return z->effects.first[first[entity]] != z->effects.first[first[entity + 1]];
}

static void report_states(ct_analyzer *z, uint32_t entity)
{
    const ct_entity *e = &z->an->model->entities[entity];
    const ct_reach *r = &z->an->reach[entity];
    bool operated = is_operated(z, entity);
    if (r->operated_count == e->state_count) {
        return;
    }
    for (uint32_t s = 0; s < e->state_count; s++) {
        if (!ct_bit(r->declared, s)) {
            ct_report_finding(z, "S201", MT_WARNING, "Entity", e->id, e->states[s],
                              e->origin,
                              "state '%.*s' is unreachable from the initial state "
                              "'%.*s'",
                              MT_ARG(e->states[s]), MT_ARG(e->states[e->initial]));
        } else if (operated && !ct_bit(r->operated, s)) {
            ct_report_finding(z, "S202", MT_NOTE, "Entity", e->id, e->states[s],
                              e->origin, "no operations lead to state '%.*s'",
                              MT_ARG(e->states[s]));
        }
    }
}

/* Needs effects, and all of them leave states nobody can be in. */
static void report_stuck(ct_analyzer *z, uint32_t op)
{
    const ct_operation *o = &z->an->model->operations[op];
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_effect *e = &o->effects[i];
        if (ct_bit(z->an->reach[e->entity].declared, e->from)) {
            return;
        }
    }
    if (o->effect_count) {
        const ct_entity *e = &z->an->model->entities[o->effects[0].entity];
        ct_report_finding(z, "S304", MT_WARNING, "Operation", o->id, (mt_str){0},
                          o->origin,
                          "leaves only states that are unreachable, as '%.*s' of %.*s",
                          MT_ARG(e->states[o->effects[0].from]), MT_ARG(e->id));
    }
}

void ct_s2_reach(ct_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint32_t states = z->an->first_state[m->entity_count];
    search s = {mt_new_array(&z->scratch, uint32_t, (size_t)states + 1),
                mt_new_array(&z->scratch, uint32_t, (size_t)states + 1)};
    ct_reach *reach = mt_new_array(z->keep, ct_reach, m->entity_count);
    z->an->reach = reach;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        reach[e].declared =
            reached_by(z, &s, &z->transitions, e, &reach[e].declared_count);
        reach[e].operated =
            reached_by(z, &s, &z->an->moves, e, &reach[e].operated_count);
        if (ct_wants(z, CT_S2)) {
            report_states(z, e);
        }
    }
    for (uint32_t o = 0; o < m->operation_count && ct_wants(z, CT_S3A); o++) {
        report_stuck(z, o);
    }
}
