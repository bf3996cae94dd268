/* analyze/facts/s6_paths.c - S6: path by path, and what is odd about a flow.
 *
 * A path is replayed on sets of states: an entity no operation has moved yet may be in
 * any reachable state, afterwards only in the targets of the effects that fit. A path
 * on which some operation finds no source is not possible, by states; one whose
 * conditions contradict each other is not, by types.
 *
 * Ways come one after the other from contract/flow/ways.c and are given to the visitor
 * at once; nothing is kept, so the number of paths costs time only, and `most` bounds
 * it. `moved` holds the number of the path that last moved an entity, which spares
 * clearing it.
 *
 * Findings: steps nothing leads to, flows that cannot succeed (S603), flows too large
 * to follow states in (S606). */
#include "analyze/facts/analyzer.h"

typedef struct replay {
    const an_analysis *an;
    mt_arena a;
    const uint32_t *entities; /* that the graph can change */
    uint32_t entity_count;
    uint64_t *now, *next;   /* bit per state of all entities */
    uint32_t *moved, stamp; /* per entity: the path that last moved it */
    an_path_state *states;  /* room for the answer */
    bool (*visit)(void *context, const an_path_visit *path);
    void *context;
} replay;

static bool can_be(const replay *r, uint32_t entity, uint32_t state)
{
    return r->moved[entity] == r->stamp
               ? ct_bit(r->now, an_state_number(r->an, entity, state))
               : ct_bit(r->an->reach[entity].declared, state);
}

static void clear_states(const replay *r, uint64_t *set, uint32_t entity)
{
    uint32_t end = r->an->first_state[entity + 1];
    for (uint32_t s = r->an->first_state[entity]; s < end; s++) {
        set[s >> 6] &= ~((uint64_t)1 << (s & 63));
    }
}

/* Sets the entity's states to those collected in `next`, which is emptied. */
static void take_next(replay *r, uint32_t entity)
{
    uint32_t end = r->an->first_state[entity + 1];
    clear_states(r, r->now, entity);
    for (uint32_t s = r->an->first_state[entity]; s < end; s++) {
        if (ct_bit(r->next, s)) {
            ct_bit_set(r->now, s);
        }
    }
    clear_states(r, r->next, entity);
    r->moved[entity] = r->stamp;
}

/* The effects of outcomes first … first + count, any of which may have happened. An
 * entity that not all of them move may also have stayed. false: no effect fits. */
static bool apply(replay *r, uint32_t first, uint32_t count)
{
    const ct_plan *p = r->an->plan;
    const ct_plan_effect *e = &p->effects[p->outcomes[first].first_effect];
    const ct_plan_outcome *last = &p->outcomes[first + count - 1];
    const ct_plan_effect *end = &p->effects[last->first_effect] + last->effect_count;
    bool fits = true;
    while (e < end) {
        uint32_t entity = e->entity;
        bool some = count > 1;
        for (uint32_t s = 0; count > 1 && s < p->model->entities[entity].state_count;
             s++) {
            if (can_be(r, entity, s)) {
                ct_bit_set(r->next, an_state_number(r->an, entity, s));
            }
        }
        for (; e < end && e->entity == entity; e++) {
            if (can_be(r, entity, e->from)) {
                ct_bit_set(r->next, an_state_number(r->an, entity, e->to));
                some = true;
            }
        }
        fits = fits && some;
        take_next(r, entity);
    }
    return fits;
}

/* Does the word fit types and states? Moves the states on. */
static bool replay_word(replay *r, const ct_word *word)
{
    const ct_plan *p = r->an->plan;
    const ct_plan_step *s = word->step == CT_NONE ? NULL : &p->steps[word->step];
    if (word->kind == CT_WORD_UNDO && word->done) {
        const ct_plan_op *op = &p->ops[word->op];
        return apply(r, op->first_outcome, op->outcome_count) &&
               an_admissible(r->an, word->op);
    }
    if (word->kind != CT_WORD_STEP) {
        return true;
    }
    if (word->outcome != CT_NONE) {
        return apply(r, word->outcome, 1) && an_admissible(r->an, word->op);
    }
    if (s->does == LN_DECIDES) {
        an_truth wanted = mt_str_is(word->result, "true") ? AN_CAN_HOLD : AN_CAN_FAIL;
        return r->an->condition_truth[s->what] & wanted;
    }
    return true;
}

static uint32_t list_states(replay *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->entity_count; i++) {
        uint32_t entity = r->entities[i];
        if (r->moved[entity] != r->stamp) {
            continue;
        }
        for (uint32_t s = 0; s < r->an->model->entities[entity].state_count; s++) {
            if (can_be(r, entity, s)) {
                r->states[count++] = (an_path_state){entity, s};
            }
        }
    }
    return count;
}

static bool replay_way(void *context, const ct_way *way)
{
    replay *r = context;
    an_path_visit path = {.way = way, .possible = way->possible, .states = r->states};
    r->stamp++;
    for (size_t i = 0; i < way->len; i++) {
        path.possible &= replay_word(r, &way->words[i]);
    }
    path.state_count = list_states(r);
    return r->visit(r->context, &path);
}

static void list_entities(replay *r, uint32_t graph)
{
    const ct_model *m = r->an->model;
    uint32_t *list = mt_new_array(&r->a, uint32_t, m->entity_count);
    uint32_t states = 0;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (ct_bit(r->an->plan->graphs[graph].entities, e)) {
            list[r->entity_count++] = e;
            states += m->entities[e].state_count;
        }
    }
    r->entities = list;
    r->states = mt_new_array(&r->a, an_path_state, states);
}

bool an_each_path(const an_analysis *an, uint32_t graph, size_t most,
                  bool (*visit)(void *context, const an_path_visit *path),
                  void *context)
{
    uint32_t words = an->first_state[an->model->entity_count] / 64 + 1;
    replay r = {.an = an, .visit = visit, .context = context};
    list_entities(&r, graph);
    r.now = mt_new_array(&r.a, uint64_t, words);
    r.next = mt_new_array(&r.a, uint64_t, words);
    r.moved = mt_new_array(&r.a, uint32_t, an->model->entity_count);
    bool all =
        ct_ways(an->plan, graph,
                &(ct_ways_options){
                    .expand = true, .most = most, .visit = replay_way, .context = &r});
    mt_arena_free(&r.a);
    return all;
}

/* ---- findings ---- */

static void report_steps(an_analyzer *z)
{
    const ct_plan *p = z->an->plan;
    for (uint32_t i = 0; i < p->step_count; i++) {
        const ct_plan_step *s = &p->steps[i];
        uint32_t owner = p->graphs[s->graph].owner;
        const ct_flow *flow = &p->model->flows[an_flow_of(p, s->graph)];
        bool here = owner == CT_NONE || ct_bit(z->an->steps_reached, owner);
        if (here && !ct_bit(z->an->steps_reached, i) && s->does != LN_ENDS) {
            an_report_finding(z, "S601", MT_WARNING, "Flow", flow->id, s->id,
                              flow->origin, "no way leads to step '%.*s'",
                              MT_ARG(s->id));
        }
    }
}

void an_s6_findings(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    report_steps(z);
    for (uint32_t i = 0; i < m->flow_count; i++) {
        const an_graph_paths *g = &z->an->graphs[i];
        if (!g->can_succeed) {
            an_report_finding(z, "S603", MT_WARNING, "Flow", m->flows[i].id,
                              (mt_str){0}, m->flows[i].origin,
                              "no path of the flow ends in success");
        }
        if (!g->states) {
            an_report_finding(z, "S606", MT_NOTE, "Flow", m->flows[i].id, (mt_str){0},
                              m->flows[i].origin,
                              "too many steps and entities to follow their states");
        }
    }
}
