/* analyze/version/compat_entity.c - entities of a run, and the states they may be in.
 * Room: analyze. */
#include "analyze/version/compat_internal.h"
#include "contract/flow/text.h"

static mt_str parent_of(const ct_model *m, uint32_t *entity)
{
    *entity = *entity == CT_NONE ? CT_NONE : m->entities[*entity].parent;
    return *entity == CT_NONE ? (mt_str){0} : m->entities[*entity].id;
}

/* Same chain of parents in both versions? Chains are acyclic. */
static bool same_parents(const an_checker *c, uint32_t entity)
{
    uint32_t was =
        ct_model_find(c->old->model, CT_KIND_ENTITY, ct_entity_id(c->p, entity));
    if (was == CT_NONE) {
        return true;
    }
    mt_str old, now;
    do {
        old = parent_of(c->old->model, &was);
        now = parent_of(c->p->model, &entity);
        if (!mt_str_eq(old, now)) {
            return false;
        }
    } while (old.len);
    return true;
}

/* Empty for an entity the old contract does not have, or whose state is not known. */
mt_str an_compat_state(const an_checker *c, uint32_t entity)
{
    uint32_t was =
        ct_model_find(c->old->model, CT_KIND_ENTITY, ct_entity_id(c->p, entity));
    return was == CT_NONE || c->run->states[was] == CT_NONE
               ? (mt_str){0}
               : ct_plan_state_id(c->old, was, c->run->states[was]);
}

/* Entities are the same in both versions when their names are. */
bool an_compat_bound(const an_checker *c, uint32_t entity)
{
    uint32_t was =
        ct_model_find(c->old->model, CT_KIND_ENTITY, ct_entity_id(c->p, entity));
    return was != CT_NONE && c->run->instances[was].ptr;
}

/* Once per entity, at the first step that needs it. */
void an_compat_entity(an_checker *c, uint32_t step, uint32_t entity)
{
    if (c->entity_noted[entity]) {
        return;
    }
    c->entity_noted[entity] = 1;
    mt_str id = ct_entity_id(c->p, entity), state = an_compat_state(c, entity);
    if (!an_compat_bound(c, entity) || !state.len) {
        an_compat_oppose(c, AN_ENTITY_UNBOUND, step, id,
                         "entity '%.*s' is needed, but no instance of it is bound",
                         MT_ARG(id));
    } else if (c->states[entity] == CT_NONE) {
        an_compat_oppose(
            c, AN_STATE_REMOVED, step, id,
            "entity '%.*s' is in state '%.*s', which the new contract does not have",
            MT_ARG(id), MT_ARG(state));
    }
    if (!same_parents(c, entity)) {
        an_compat_oppose(c, AN_PARENT_CHANGED, step, id,
                         "the parent of entity '%.*s' changed", MT_ARG(id));
    }
}

/* States of the old contract when the step begins, or its compensation `undo`. */
static const uint64_t *set_before(an_checker *c, uint32_t was, uint32_t undo)
{
    an_walk *w = &c->before;
    const ct_plan_handler *h = &c->old->steps[was].handler;
    bool due = w->reached[was] & AN_REACHED_UNDO;
    if (undo == CT_NONE) {
        return w->in[was];
    }
    uint64_t *set = due ? w->in[was] : an_walk_failed(w, c->a, was);
    for (uint32_t i = due ? w->index[was] : 0; i < undo && i < h->undo_count; i++) {
        uint64_t *next = mt_new_array(c->a, uint64_t, w->words);
        an_walk_apply(w, set, c->old->undos[h->first_undo + i].op, next);
        set = next;
    }
    return set;
}

/* Could the operation start under the old contract, in the same place? If not, that it
 * cannot now is nothing new. */
static bool started_before(an_checker *c, const an_place *at, mt_str op)
{
    uint32_t old = ct_model_find(c->old->model, CT_KIND_OPERATION, op);
    uint32_t entity;
    return at->was == CT_NONE || old == CT_NONE || !c->before.reached[at->was] ||
           an_walk_possible(&c->before, set_before(c, at->was, at->undo), old, &entity);
}

/* Two questions: do transitions lead to a source state at all (FMC3), and do the steps
 * on the way set it (FMC4)? The second is only held against the new contract where the
 * old one could do it. */
static void check_sources(an_checker *c, const an_place *at, uint32_t op)
{
    uint32_t entity;
    bool led = an_walk_possible(&c->walk, c->leads, op, &entity);
    if (led && an_walk_possible(&c->walk, at->set, op, &entity)) {
        return;
    }
    mt_str name = ct_entity_id(c->p, entity), id = ct_operation_id(c->p, op);
    if (c->states[entity] == CT_NONE || (led && !started_before(c, at, id))) {
        return; /* the former was said before */
    }
    an_compat_oppose(
        c, led ? AN_STATE_NOT_SET : AN_STATE_UNREACHED, at->step, name,
        "operation '%.*s' finds entity '%.*s' in no state it can start from: it is "
        "in '%.*s' and %s",
        MT_ARG(id), MT_ARG(name), MT_ARG(an_compat_state(c, entity)),
        led ? "no step on the way moves it there" : "no transition leads there");
}

/* Effects of all outcomes, since which one will come is not known. */
void an_compat_effects(an_checker *c, const an_place *at, uint32_t op)
{
    const ct_plan_op *o = &c->p->ops[op];
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        const ct_plan_outcome *outcome = &c->p->outcomes[o->first_outcome + i];
        for (uint32_t k = 0; k < outcome->effect_count; k++) {
            an_compat_entity(c, at->step,
                             c->p->effects[outcome->first_effect + k].entity);
        }
    }
    check_sources(c, at, op);
}
