/* analyze/version/compat_walk.c - reachable steps by a fixed point.
 *
 * From one or more places a run stands at, which steps can come, and in which states
 * can entities be there? Every step has a set of states, all entities in one row of
 * bits; a step is looked at again whenever its set grows. Sets only grow and are
 * finite, so it ends; the queue holds a step at most once.
 *
 * A graph's end has a set, too: whoever waits for it (a sub-flow step, a parallel
 * step) is put into the queue when it grows. A caller may decide conditions
 * (an_compat_decided()), so that a branch is followed one way only.
 *
 * An outcome whose sources are not there is followed all the same, with its targets:
 * the step's routes are what they are, and compat_entity.c reports the state. Memory:
 * `a` lives with the walk, `scratch` with one visit. */
#include "analyze/version/compat_walk.h"

/* Lists by graph, linked through the steps: no room is needed per pair. */
static void note_callers(an_walk *w)
{
    const ct_plan *p = w->p;
    w->first_caller = mt_new_array(w->a, uint32_t, p->graph_count);
    w->next_caller = mt_new_array(w->a, uint32_t, p->step_count);
    memset(w->first_caller, 0xff, p->graph_count * sizeof *w->first_caller);
    for (uint32_t i = 0; i < p->step_count; i++) {
        if (p->steps[i].does == LN_CALLS) {
            w->next_caller[i] = w->first_caller[p->steps[i].what];
            w->first_caller[p->steps[i].what] = i;
        }
    }
}

/* Only entities that the flow can change have bits; CT_NONE marks the others. The queue
 * is a ring with one place more than steps, so it is never full. */
void an_walk_start(an_walk *w, mt_arena *a, const ct_plan *p, uint32_t flow)
{
    uint32_t bits = 0;
    *w = (an_walk){.a = a, .p = p, .stop = CT_NONE};
    w->base = mt_new_array(a, uint32_t, p->model->entity_count);
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        bool part = ct_bit(p->graphs[flow].entities, e);
        w->base[e] = part ? bits : CT_NONE;
        bits += part ? p->model->entities[e].state_count : 0;
    }
    w->words = bits / 64 + 1;
    w->in = mt_new_array(a, uint64_t *, p->step_count);
    w->out = mt_new_array(a, uint64_t *, p->graph_count);
    w->reached = mt_new_array(a, uint8_t, p->step_count);
    w->index = mt_new_array(a, uint32_t, p->step_count);
    w->queue = mt_new_array(a, uint32_t, p->step_count + 1);
    w->queued = mt_new_array(a, uint8_t, p->step_count);
    note_callers(w);
}

static uint64_t *empty(const an_walk *w, mt_arena *a)
{
    return mt_new_array(a, uint64_t, w->words);
}

/* A step that was not reached is not waited for: its graph may end for another
 * caller. */
static void enqueue(an_walk *w, uint32_t step)
{
    if (!w->queued[step] && w->reached[step]) {
        w->queue[(w->head + w->waiting++) % (w->p->step_count + 1)] = step;
        w->queued[step] = 1;
    }
}

uint64_t *an_walk_set(const an_walk *w, const uint32_t *states)
{
    uint64_t *set = empty(w, w->a);
    for (uint32_t e = 0; e < w->p->model->entity_count; e++) {
        if (w->base[e] != CT_NONE && states[e] != CT_NONE) {
            ct_bit_set(set, w->base[e] + states[e]);
        }
    }
    return set;
}

static bool walk_has(const an_walk *w, const uint64_t *set, uint32_t entity,
                     uint32_t state)
{
    return w->base[entity] != CT_NONE && ct_bit(set, w->base[entity] + state);
}

/* Adds a set to a place; true if that changed anything. A place without a set was never
 * come to, which is a change even for an empty set. */
static bool join(an_walk *w, uint64_t **place, const uint64_t *set)
{
    bool changed = !*place;
    *place = *place ? *place : empty(w, w->a);
    for (uint32_t i = 0; i < w->words; i++) {
        uint64_t more = set[i] & ~(*place)[i];
        (*place)[i] |= more;
        changed |= more != 0;
    }
    return changed;
}

/* `index` is the branch or compensation under way; only frames have one. */
void an_walk_seed(an_walk *w, uint32_t step, unsigned how, uint32_t index,
                  const uint64_t *set)
{
    bool fresh = (w->reached[step] & how) != how;
    w->reached[step] |= (uint8_t)how;
    if (how != AN_REACHED_STEP) {
        w->index[step] = index;
    }
    if (join(w, &w->in[step], set) || fresh) {
        enqueue(w, step);
    }
}

/* A graph can end with these states: whoever waits for it looks again. */
static void end_graph(an_walk *w, uint32_t graph, const uint64_t *set)
{
    if (!join(w, &w->out[graph], set)) {
        return;
    }
    if (w->p->graphs[graph].owner != CT_NONE) {
        enqueue(w, w->p->graphs[graph].owner);
    }
    for (uint32_t i = w->first_caller[graph]; i != CT_NONE; i = w->next_caller[i]) {
        enqueue(w, i);
    }
}

/* A target that is not given leads nowhere. */
static void go(an_walk *w, uint32_t graph, ct_plan_target to, const uint64_t *set)
{
    if (to.step != CT_NONE) {
        an_walk_seed(w, to.step, AN_REACHED_STEP, 0, set);
    } else if (to.terminal != CT_NONE) {
        end_graph(w, graph, set);
    }
}

/* ---- Operations ---- */

/* Do the effects of the outcome on the entity at `first` find a source? *next is the
 * first effect on another entity. */
static bool source_in(const an_walk *w, const uint64_t *set, uint32_t first,
                      uint32_t end, uint32_t *next)
{
    const ct_plan_effect *effects = w->p->effects;
    bool found = false;
    uint32_t i = first;
    for (; i < end && effects[i].entity == effects[first].entity; i++) {
        found |= walk_has(w, set, effects[i].entity, effects[i].from);
    }
    *next = i;
    return found;
}

static bool outcome_possible(const an_walk *w, const uint64_t *set,
                             const ct_plan_outcome *o, uint32_t *entity)
{
    uint32_t end = o->first_effect + o->effect_count;
    for (uint32_t i = o->first_effect; i < end;) {
        uint32_t at = i;
        if (!source_in(w, set, at, end, &i)) {
            *entity = w->p->effects[at].entity;
            return false;
        }
    }
    return true;
}

bool an_walk_possible(const an_walk *w, const uint64_t *set, uint32_t op,
                      uint32_t *entity)
{
    const ct_plan_op *o = &w->p->ops[op];
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        if (outcome_possible(w, set, &w->p->outcomes[o->first_outcome + i], entity)) {
            return true;
        }
    }
    return false;
}

/* States of one entity after the effects [first, end) on it. An outcome whose sources
 * are not there is followed all the same: the step's routes are what they are. */
static void move_entity(const an_walk *w, const uint64_t *set, uint32_t first,
                        uint32_t end, bool found, uint64_t *to)
{
    const ct_plan_effect *effects = w->p->effects;
    uint32_t entity = effects[first].entity, base = w->base[entity];
    if (base == CT_NONE) {
        return;
    }
    for (uint32_t s = 0; s < w->p->model->entities[entity].state_count; s++) {
        to[(base + s) >> 6] &= ~((uint64_t)1 << ((base + s) & 63));
    }
    for (uint32_t i = first; i < end; i++) {
        if (!found || walk_has(w, set, entity, effects[i].from)) {
            ct_bit_set(to, base + effects[i].to);
        }
    }
}

static void after_outcome(const an_walk *w, const uint64_t *set,
                          const ct_plan_outcome *o, uint64_t *to)
{
    uint32_t end = o->first_effect + o->effect_count;
    memcpy(to, set, w->words * sizeof *to);
    for (uint32_t i = o->first_effect; i < end;) {
        uint32_t at = i;
        bool found = source_in(w, set, at, end, &i);
        move_entity(w, set, at, i, found, to);
    }
}

/* The union over all outcomes, added to what `to` holds. */
void an_walk_apply(an_walk *w, const uint64_t *set, uint32_t op, uint64_t *to)
{
    const ct_plan_op *o = &w->p->ops[op];
    uint64_t *one = empty(w, &w->scratch);
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        after_outcome(w, set, &w->p->outcomes[o->first_outcome + i], one);
        for (uint32_t k = 0; k < w->words; k++) {
            to[k] |= one[k];
        }
    }
}

/* ---- Steps ---- */

/* Each undo may fail and end the graph with the states so far. */
static void compensate(an_walk *w, const ct_plan_step *s, uint32_t from,
                       const uint64_t *set)
{
    const ct_plan_handler *h = &s->handler;
    uint64_t *now = empty(w, &w->scratch);
    memcpy(now, set, w->words * sizeof *now);
    for (uint32_t i = from; i < h->undo_count; i++) {
        uint64_t *next = empty(w, &w->scratch);
        end_graph(w, s->graph, now);
        an_walk_apply(w, now, w->p->undos[h->first_undo + i].op, next);
        now = next;
    }
    go(w, s->graph, h->next, now);
}

/* Any operation may fail, whatever its condition: the executor may refuse it. */
static void fail(an_walk *w, const ct_plan_step *s, const uint64_t *set)
{
    switch (s->handler.kind) {
    case CT_COMPENSATE: compensate(w, s, 0, set); return;
    case CT_TERMINATE:
    case CT_ESCALATE: go(w, s->graph, s->handler.next, set); return;
    case CT_HANDLER_NONE: end_graph(w, s->graph, set); return;
    }
}

static int decided(const an_walk *w, uint32_t condition)
{
    return w->decided && condition != CT_NONE ? w->decided(w->context, condition) : -1;
}

static void operation(an_walk *w, const ct_plan_step *s, const uint64_t *in)
{
    const ct_plan_op *op = &w->p->ops[s->what];
    if (decided(w, op->condition) != 0) {
        for (uint32_t i = 0; i < op->outcome_count; i++) {
            uint64_t *to = empty(w, &w->scratch);
            after_outcome(w, in, &w->p->outcomes[op->first_outcome + i], to);
            go(w, s->graph, w->p->targets[s->first_target + i], to);
        }
    }
    fail(w, s, in);
}

static void branch(an_walk *w, const ct_plan_step *s, const uint64_t *in)
{
    int value = decided(w, s->what);
    for (uint32_t i = 0; i < 2; i++) {
        if (value != (int)i) { /* target 0 is true, 1 is false */
            go(w, s->graph, w->p->targets[s->first_target + i], in);
        }
    }
}

static void add_out(const an_walk *w, uint32_t graph, uint64_t *to)
{
    for (uint32_t i = 0; w->out[graph] && i < w->words; i++) {
        to[i] |= w->out[graph][i];
    }
}

/* After a sub-flow the states are those of its ends; a parallel step may fail with any
 * of its branches done or not begun, hence the states before it too. */
uint64_t *an_walk_failed(const an_walk *w, mt_arena *a, uint32_t step)
{
    const ct_plan_step *s = &w->p->steps[step];
    uint64_t *set = empty(w, a);
    if (s->does == LN_CALLS) {
        add_out(w, s->what, set);
    } else {
        memcpy(set, w->in[step], w->words * sizeof *set);
    }
    for (uint32_t i = 0; i < s->branch_count; i++) {
        add_out(w, s->first_branch + i, set);
    }
    return set;
}

/* What follows a sub-flow or a parallel step. Run again whenever the inner graph's ends
 * grow; until then the sets are empty and lead on all the same, which can only add
 * steps. */
static void go_on(an_walk *w, uint32_t step)
{
    const ct_plan_step *s = &w->p->steps[step];
    uint64_t *set = an_walk_failed(w, &w->scratch, step);
    for (uint32_t i = 0; i < s->target_count; i++) {
        go(w, s->graph, w->p->targets[s->first_target + i], set);
    }
    if (s->handler.kind != CT_HANDLER_NONE) {
        fail(w, s, set);
    }
}

static void enter(an_walk *w, uint32_t graph, const uint64_t *in)
{
    an_walk_seed(w, w->p->graphs[graph].entry, AN_REACHED_STEP, 0, in);
}

static void execute(an_walk *w, uint32_t step)
{
    const ct_plan_step *s = &w->p->steps[step];
    const uint64_t *in = w->in[step];
    switch (s->does) {
    case LN_OPERATES: operation(w, s, in); return;
    case LN_DECIDES: branch(w, s, in); return;
    case LN_GOES_ON:
    case LN_ENDS: go(w, s->graph, w->p->targets[s->first_target], in); return;
    case LN_CALLS: enter(w, s->what, in); break;
    case LN_FORKS:
        for (uint32_t i = 0; i < s->branch_count; i++) {
            enter(w, s->first_branch + i, in);
        }
        break;
    }
    go_on(w, step);
}

/* A frame inside a parallel step has done the branches before its index and will enter
 * those behind it. */
static void visit(an_walk *w, uint32_t step)
{
    const ct_plan_step *s = &w->p->steps[step];
    if (step == w->stop) {
        return;
    }
    if (w->reached[step] & AN_REACHED_STEP) {
        execute(w, step);
    }
    if (w->reached[step] & AN_REACHED_INSIDE) {
        for (uint32_t i = w->index[step] + 1; i < s->branch_count; i++) {
            enter(w, s->first_branch + i, w->in[step]);
        }
        go_on(w, step);
    }
    if (w->reached[step] & AN_REACHED_UNDO) {
        compensate(w, s, w->index[step], w->in[step]);
    }
}

unsigned an_walk_how(ct_phase phase)
{
    return phase == CT_INSIDE         ? AN_REACHED_INSIDE
           : phase == CT_COMPENSATING ? AN_REACHED_UNDO
                                      : AN_REACHED_STEP;
}

void an_walk_all(an_walk *w)
{
    while (w->waiting) {
        uint32_t step = w->queue[w->head];
        w->head = (w->head + 1) % (w->p->step_count + 1);
        w->waiting--;
        w->queued[step] = 0;
        visit(w, step);
        mt_arena_reset(&w->scratch);
    }
}

void an_walk_free(an_walk *w)
{
    mt_arena_free(&w->scratch);
}
