/* analyze/facts/s2_reach.c - S2: states reachable from the initial state.
 *
 * By the declared transitions, as the obligation asks; and by what admissible
 * operations do, which may be less: entities that are moved together are searched
 * together (joint.c).
 *
 * Order: the outline of all entities first; an entity that moves by itself is settled
 * by it. A group of entities is searched for joint states, and the search ends early
 * when every state of the outline was seen. What the bound (limit reach_states) leaves
 * open is counted apart and reported as S203, never as unreachable.
 *
 * Findings: S201 a state no transition leads to, S202 one that transitions lead to and
 * no operations do, S203 undecided, and operations all of whose sources are
 * unreachable (S3a). The result lives in `keep`, all else in scratch memory. */
#include "analyze/facts/analyzer.h"
#include "analyze/facts/joint.h"

typedef struct search {
    uint32_t *visited, *queue; /* room for one entity's search */
} search;

/* Bit set of the entity's states among those the search reached. */
static uint64_t *states_reached(an_analyzer *z, const search *s, uint32_t entity,
                                uint32_t count)
{
    const ct_entity *e = &z->an->model->entities[entity];
    uint64_t *set = mt_new_array(z->keep, uint64_t, e->state_count / 64 + 1);
    for (uint32_t i = 0; i < count; i++) {
        ct_bit_set(set, s->queue[i] - z->an->first_state[entity]);
    }
    return set;
}

static uint64_t *all_states(an_analyzer *z, const ct_entity *e)
{
    uint64_t *set = mt_new_array(z->keep, uint64_t, e->state_count / 64 + 1);
    for (uint32_t s = 0; s < e->state_count; s++) {
        ct_bit_set(set, s);
    }
    return set;
}

static uint64_t *declared_of(an_analyzer *z, search *s, uint32_t entity,
                             uint32_t *count)
{
    const ct_entity *e = &z->an->model->entities[entity];
    uint32_t first = z->an->first_state[entity];
    if (an_is_shared(z, entity)) {
        *count = e->state_count;
        return all_states(z, e);
    }
    memset(s->visited, 0, e->state_count * sizeof *s->visited);
    *count = an_edges_visit(&z->transitions, first, first + e->initial, NULL, NULL,
                            s->visited, s->queue);
    return states_reached(z, s, entity, *count);
}

/* ---- by operations ---- */

static bool admissible(void *context, uint32_t op)
{
    return an_admissible(context, op);
}

/* Of the states of all entities those of one, with their number. */
static uint64_t *part_of(mt_arena *a, const an_analysis *an, uint32_t entity,
                         const uint64_t *in, const uint64_t *but_not, uint32_t *count)
{
    uint32_t states = an->model->entities[entity].state_count;
    uint64_t *set = mt_new_array(a, uint64_t, states / 64 + 1);
    *count = 0;
    for (uint32_t s = 0; s < states; s++) {
        uint32_t number = an_state_number(an, entity, s);
        if (ct_bit(in, number) && !(but_not && ct_bit(but_not, number))) {
            ct_bit_set(set, s);
            ++*count;
        }
    }
    return set;
}

/* What a search (or the outline, where it is exact) says about one entity. */
static void fill_in(mt_arena *a, const an_analysis *an, const an_outline *o,
                    const uint64_t *reached, bool complete, uint32_t entity,
                    an_reach *r)
{
    r->operated = part_of(a, an, entity, reached, NULL, &r->operated_count);
    r->open =
        part_of(a, an, entity, complete ? reached : o->states, reached, &r->open_count);
}

static uint32_t *group_sizes(mt_arena *a, const an_outline *o, uint32_t entities)
{
    uint32_t *sizes = mt_new_array(a, uint32_t, (size_t)entities + 1);
    for (uint32_t e = 0; e < entities; e++) {
        sizes[o->group[e]]++;
    }
    return sizes;
}

/* What steps lead to, and how many states of the group's outline are still missing:
 * when none is, the rest of the joint states can say nothing new. */
typedef struct tally {
    uint64_t *seen; /* bit per state of all entities */
    uint32_t left;
} tally;

/* Initial states are seen from the beginning; the rest is counted down as it is
 * reached, so that a search ends when nothing is left. */
static tally tally_new(mt_arena *a, const an_analysis *an, const an_outline *o,
                       uint32_t group)
{
    const ct_model *m = an->model;
    tally t = {mt_new_array(a, uint64_t, an->first_state[m->entity_count] / 64 + 1), 0};
    for (uint32_t e = 0; e < m->entity_count; e++) {
        for (uint32_t s = 0; o->group[e] == group && s < m->entities[e].state_count;
             s++) {
            uint32_t number = an_state_number(an, e, s);
            if (s == m->entities[e].initial) {
                ct_bit_set(t.seen, number);
            } else {
                t.left += ct_bit(o->states, number);
            }
        }
    }
    return t;
}

static bool count_step(void *context, const an_joint *j, uint32_t node,
                       const an_joint_step *step)
{
    tally *t = context;
    (void)node;
    for (uint32_t i = 0; i < step->change_count; i++) {
        const ct_change *c = &step->changes[i];
        uint32_t number = j->outline->first_state[c->entity] + c->to;
        t->left -= !ct_bit(t->seen, number);
        ct_bit_set(t->seen, number);
    }
    return t->left == 0;
}

/* An entity that moves by itself has been searched by the outline. */
an_reach *an_reached_by(mt_arena *a, mt_arena *tmp, const an_analysis *an,
                        const uint64_t *shared, uint32_t persona)
{
    uint32_t entities = an->model->entity_count;
    an_setting scene = {.plan = an->plan,
                        .shared = shared,
                        .persona = persona,
                        .instances = 1,
                        .most = an->reach_states,
                        .may = admissible,
                        .context = (void *)(uintptr_t)an}; /* only read */
    an_reach *out = mt_new_array(a, an_reach, (size_t)entities + 1);
    an_outline o = an_outline_of(tmp, &scene);
    const uint32_t *sizes = group_sizes(tmp, &o, entities);
    for (uint32_t e = 0; e < entities; e++) {
        if (sizes[o.group[e]] == 1) {
            fill_in(a, an, &o, o.states, true, e, &out[e]);
        } else if (o.group[e] == e) {
            mt_mark mark = mt_arena_mark(tmp);
            tally t = tally_new(tmp, an, &o, e);
            const an_joint *j = an_joint_search(tmp, &scene, &o, e, count_step, &t);
            for (uint32_t i = 0; i < j->entity_count; i++) {
                uint32_t member = j->entities[i];
                fill_in(a, an, &o, t.seen, j->complete, member, &out[member]);
            }
            mt_arena_rewind(tmp, mark);
        }
    }
    return out;
}

static bool is_operated(const an_analyzer *z, uint32_t entity)
{
    const uint32_t *first = z->an->first_state;
    return z->effects.first[first[entity]] != z->effects.first[first[entity + 1]];
}

/* What was not decided is said to be undecided, never to be unreachable. */
static void report_states(an_analyzer *z, uint32_t entity)
{
    const ct_entity *e = &z->an->model->entities[entity];
    const an_reach *r = &z->an->reach[entity];
    bool operated = is_operated(z, entity);
    if (r->operated_count == e->state_count) {
        return;
    }
    if (r->open_count) {
        an_report_finding(z, "S203", MT_NOTE, "Entity", e->id, (mt_str){0}, e->origin,
                          "which of %u more states operations lead to was not decided "
                          "within %zu joint states",
                          r->open_count, z->an->reach_states);
    }
    for (uint32_t s = 0; s < e->state_count; s++) {
        if (!ct_bit(r->declared, s)) {
            an_report_finding(z, "S201", MT_WARNING, "Entity", e->id, e->states[s],
                              e->origin,
                              "state '%.*s' is unreachable from the initial state "
                              "'%.*s'",
                              MT_ARG(e->states[s]), MT_ARG(e->states[e->initial]));
        } else if (operated && !ct_bit(r->operated, s) && !ct_bit(r->open, s)) {
            an_report_finding(z, "S202", MT_NOTE, "Entity", e->id, e->states[s],
                              e->origin, "no operations lead to state '%.*s'",
                              MT_ARG(e->states[s]));
        }
    }
}

/* Needs effects, and all of them leave states nobody can be in. */
static void report_stuck(an_analyzer *z, uint32_t op)
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
        an_report_finding(z, "S304", MT_WARNING, "Operation", o->id, (mt_str){0},
                          o->origin,
                          "leaves only states that are unreachable, as '%.*s' of %.*s",
                          MT_ARG(e->states[o->effects[0].from]), MT_ARG(e->id));
    }
}

void an_s2_reach(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint32_t states = z->an->first_state[m->entity_count];
    search s = {mt_new_array(&z->scratch, uint32_t, (size_t)states + 1),
                mt_new_array(&z->scratch, uint32_t, (size_t)states + 1)};
    an_reach *reach = an_reached_by(z->keep, &z->scratch, z->an, z->shared, CT_NONE);
    z->an->reach = reach;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        reach[e].declared = declared_of(z, &s, e, &reach[e].declared_count);
        if (an_wants(z, AN_S2)) {
            report_states(z, e);
        }
    }
    for (uint32_t o = 0; o < m->operation_count && an_wants(z, AN_S3A); o++) {
        report_stuck(z, o);
    }
}
