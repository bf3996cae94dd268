/* analyze/facts/union.c - several plans become one; what triggers perform.
 *
 * In order: every entity and persona of every member gets a number, those that are
 * shared the same one; then operations with their outcomes and effects are copied,
 * member by member, in these numbers. Names are as written where they are one thing in
 * the whole System, otherwise MEMBER.NAME.
 *
 * States of a shared entity are numbered as in the first member that has it, for others
 * may list them in another order (only the sets are equal, C-SYS-14).
 *
 * INVARIANT: effects of one outcome that are on one entity still stand together, since
 * the copy keeps their order and no two entities of one member become one.
 *
 * What may fail: a member's plan. A member that is missing, or a shared entity that
 * members begin in different states, is a gap: joint states are not searched then. */
#include "analyze/facts/union.h"

#include "base/vec.h"

typedef struct joiner {
    mt_arena *a;
    an_union *u;
    const an_sys *s;
    ct_model *m;
    MT_VEC(ct_entity) entities;
    MT_VEC(ct_persona) personas;
    MT_VEC(ct_operation) operations;
    MT_VEC(ct_plan_effect) effects;
    MT_VEC(ct_plan_outcome) outcomes;
    MT_VEC(ct_plan_op) ops;
    MT_VEC(uint32_t) member_of;
} joiner;

/* ---- what is shared ---- */

/* Which of the lists shares the name with this member; NULL: none. */
static const an_sys_shared *sharing(const an_sys_shared *lists, uint32_t count,
                                    uint32_t member, mt_str name)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < lists[i].count; k++) {
            if (lists[i].members[k] == member && mt_str_eq(lists[i].name, name)) {
                return &lists[i];
            }
        }
    }
    return NULL;
}

/* The number the name has in an earlier member that shares it; CT_NONE: none has. */
static uint32_t met_before(const joiner *j, ct_kind kind, uint32_t member, mt_str name)
{
    bool entity = kind == CT_KIND_ENTITY;
    const an_sys_shared *with =
        sharing(entity ? j->s->entities : j->s->personas,
                entity ? j->s->entity_count : j->s->persona_count, member, name);
    for (uint32_t k = 0; with && k < with->count; k++) {
        const an_union_member *m = &j->u->members[with->members[k]];
        uint32_t own = with->members[k] < member && m->plan
                           ? ct_model_find(m->plan->model, kind, name)
                           : CT_NONE;
        if (own != CT_NONE) {
            return (entity ? m->entities : m->personas)[own];
        }
    }
    return CT_NONE;
}

/* As written, unless another member means something else by it. */
static mt_str name_of(const joiner *j, ct_kind kind, uint32_t member, mt_str name)
{
    bool entity = kind == CT_KIND_ENTITY;
    const an_sys_shared *lists = entity ? j->s->entities : j->s->personas;
    uint32_t count = entity ? j->s->entity_count : j->s->persona_count;
    const an_sys_shared *mine = sharing(lists, count, member, name);
    for (uint32_t i = 0; i < j->u->member_count; i++) {
        const an_union_member *other = &j->u->members[i];
        if (i != member && other->plan &&
            ct_model_find(other->plan->model, kind, name) != CT_NONE &&
            (!mine || sharing(lists, count, i, name) != mine)) {
            return mt_strf(j->a, "%.*s.%.*s", MT_ARG(j->u->members[member].id),
                           MT_ARG(name));
        }
    }
    return name;
}

/* ---- entities and personas ---- */

static const uint32_t *state_numbers(joiner *j, const ct_entity *own,
                                     const ct_entity *common)
{
    uint32_t *out = mt_new_array(j->a, uint32_t, (size_t)own->state_count + 1);
    for (uint32_t s = 0; s < own->state_count; s++) {
        out[s] = ct_state_find(common, own->states[s]);
    }
    return out;
}

static void check_initial(joiner *j, const ct_entity *own, const ct_entity *common,
                          mt_str member)
{
    mt_str mine = own->states[own->initial], other = common->states[common->initial];
    if (!mt_str_eq(mine, other) && !j->u->gap.len) {
        j->u->gap =
            mt_strf(j->a,
                    "members begin %.*s in different states: %.*s in %.*s, "
                    "another in %.*s",
                    MT_ARG(own->id), MT_ARG(member), MT_ARG(mine), MT_ARG(other));
    }
}

static void join_entities(joiner *j, uint32_t member)
{
    an_union_member *um = &j->u->members[member];
    const ct_model *m = um->plan->model;
    uint32_t *numbers = mt_new_array(j->a, uint32_t, (size_t)m->entity_count + 1);
    const uint32_t **states =
        mt_new_array(j->a, const uint32_t *, (size_t)m->entity_count + 1);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        const ct_entity *own = &m->entities[e];
        numbers[e] = met_before(j, CT_KIND_ENTITY, member, own->id);
        if (numbers[e] == CT_NONE) {
            ct_entity copy = *own;
            copy.id = name_of(j, CT_KIND_ENTITY, member, own->id);
            /* Numbers of parents are the member's own; no question asks for them. */
            copy.parent = CT_NONE;
            numbers[e] = (uint32_t)j->entities.len;
            mt_vec_push(j->a, &j->entities, copy);
        } else {
            check_initial(j, own, &j->entities.items[numbers[e]], um->id);
        }
        states[e] = state_numbers(j, own, &j->entities.items[numbers[e]]);
    }
    um->entities = numbers;
    um->states = states;
}

static void join_personas(joiner *j, uint32_t member)
{
    an_union_member *um = &j->u->members[member];
    const ct_model *m = um->plan->model;
    uint32_t *numbers = mt_new_array(j->a, uint32_t, (size_t)m->persona_count + 1);
    for (uint32_t p = 0; p < m->persona_count; p++) {
        numbers[p] = met_before(j, CT_KIND_PERSONA, member, m->personas[p].id);
        if (numbers[p] == CT_NONE) {
            ct_persona copy = m->personas[p];
            copy.id = name_of(j, CT_KIND_PERSONA, member, copy.id);
            numbers[p] = (uint32_t)j->personas.len;
            mt_vec_push(j->a, &j->personas, copy);
        }
    }
    um->personas = numbers;
}

/* Transitions a later member adds to a shared entity are looked for by whoever asks
 * which states are final. */
static void join_transitions(joiner *j)
{
    for (uint32_t e = 0; e < j->entities.len; e++) {
        MT_VEC(ct_transition) all = {0};
        for (uint32_t i = 0; i < j->u->member_count; i++) {
            const an_union_member *um = &j->u->members[i];
            for (uint32_t o = 0; um->plan && o < um->plan->model->entity_count; o++) {
                const ct_entity *own = &um->plan->model->entities[o];
                for (uint32_t t = 0; um->entities[o] == e && t < own->transition_count;
                     t++) {
                    ct_transition x = {um->states[o][own->transitions[t].from],
                                       um->states[o][own->transitions[t].to]};
                    mt_vec_push(j->a, &all, x);
                }
            }
        }
        j->entities.items[e].transitions = all.items;
        j->entities.items[e].transition_count = (uint32_t)all.len;
    }
}

/* ---- operations ---- */

static void join_effects(joiner *j, const an_union_member *um,
                         const ct_plan_outcome *out)
{
    ct_plan_outcome copy = {out->label, (uint32_t)j->effects.len, out->effect_count};
    for (uint32_t i = 0; i < out->effect_count; i++) {
        ct_plan_effect e = um->plan->effects[out->first_effect + i];
        const uint32_t *states = um->states[e.entity];
        ct_plan_effect x = {um->entities[e.entity], states[e.from], states[e.to]};
        mt_vec_push(j->a, &j->effects, x);
    }
    mt_vec_push(j->a, &j->outcomes, copy);
}

static const ct_effect *own_effects(joiner *j, const an_union_member *um,
                                    const ct_operation *op)
{
    ct_effect *out = mt_new_array(j->a, ct_effect, (size_t)op->effect_count + 1);
    for (uint32_t i = 0; i < op->effect_count; i++) {
        const ct_effect *e = &op->effects[i];
        const uint32_t *states = um->states[e->entity];
        out[i] = (ct_effect){um->entities[e->entity], states[e->from], states[e->to],
                             e->outcome};
    }
    return out;
}

static ct_operation own_operation(joiner *j, const an_union_member *um,
                                  const ct_operation *op)
{
    ct_operation copy = *op;
    uint32_t *personas = mt_new_array(j->a, uint32_t, (size_t)op->persona_count + 1);
    for (uint32_t i = 0; i < op->persona_count; i++) {
        personas[i] = um->personas[op->personas[i]];
    }
    copy.id = mt_strf(j->a, "%.*s.%.*s", MT_ARG(um->id), MT_ARG(op->id));
    copy.personas = personas;
    copy.effects = own_effects(j, um, op);
    copy.condition = CT_NONE;
    return copy;
}

static void join_operations(joiner *j, uint32_t member)
{
    an_union_member *um = &j->u->members[member];
    um->first_operation = (uint32_t)j->operations.len;
    um->first_outcome = (uint32_t)j->outcomes.len;
    for (uint32_t o = 0; o < um->plan->model->operation_count; o++) {
        const ct_plan_op *p = &um->plan->ops[o];
        ct_operation op = own_operation(j, um, &um->plan->model->operations[o]);
        uint64_t *allowed = mt_new_array(j->a, uint64_t, j->personas.len / 64 + 1);
        for (uint32_t i = 0; i < op.persona_count; i++) {
            ct_bit_set(allowed, op.personas[i]);
        }
        ct_plan_op copy = {CT_NONE, (uint32_t)j->outcomes.len, p->outcome_count,
                           allowed};
        mt_vec_push(j->a, &j->operations, op);
        mt_vec_push(j->a, &j->ops, copy);
        mt_vec_push(j->a, &j->member_of, member);
        for (uint32_t i = 0; i < p->outcome_count; i++) {
            join_effects(j, um, &um->plan->outcomes[p->first_outcome + i]);
        }
    }
}

/* ---- the whole ---- */

static void finish(joiner *j)
{
    ct_plan *p = mt_new(j->a, ct_plan);
    ct_model *m = mt_new(j->a, ct_model);
    *m = (ct_model){.id = j->s->id,
                    .entities = j->entities.items,
                    .entity_count = (uint32_t)j->entities.len,
                    .personas = j->personas.items,
                    .persona_count = (uint32_t)j->personas.len,
                    .personas_declared = (uint32_t)j->personas.len,
                    .operations = j->operations.items,
                    .operation_count = (uint32_t)j->operations.len};
    *p = (ct_plan){.model = m,
                   .effects = j->effects.items,
                   .outcomes = j->outcomes.items,
                   .ops = j->ops.items,
                   .outcome_count = (uint32_t)j->outcomes.len,
                   .entity_words = m->entity_count / 64 + 1};
    j->u->plan = p;
    j->u->member_of = j->member_of.items;
}

static void number_back(mt_arena *a, an_union *u)
{
    uint32_t count = u->plan->model->entity_count;
    for (uint32_t i = 0; i < u->member_count; i++) {
        an_union_member *um = &u->members[i];
        uint32_t *own = mt_new_array(a, uint32_t, (size_t)count + 1);
        memset(own, 0xff, ((size_t)count + 1) * sizeof *own); /* CT_NONE */
        for (uint32_t e = 0; um->plan && e < um->plan->model->entity_count; e++) {
            own[um->entities[e]] = e;
        }
        um->own_entities = own;
    }
}

static mt_err open_members(joiner *j, const ct_program *const *programs, mt_diags *ds)
{
    for (uint32_t i = 0; i < j->u->member_count; i++) {
        an_union_member *um = &j->u->members[i];
        *um = (an_union_member){.id = j->s->members[i].id, .program = programs[i]};
        if (!programs[i]) {
            j->u->gap = mt_strf(j->a, "the contract of member %.*s is not there",
                                MT_ARG(um->id));
        } else if (ct_plan_build(j->a, programs[i], ds, &um->plan)) {
            return MT_E_REJECTED;
        }
    }
    return MT_OK;
}

/* ORDER: personas of all members before operations, whose sets of personas are as wide
 * as all of them. */
mt_err an_union_of_system(mt_arena *a, const an_sys *system,
                          const ct_program *const *programs, mt_diags *ds,
                          an_union *out)
{
    *out = (an_union){
        .system = system,
        .members = mt_new_array(a, an_union_member, (size_t)system->member_count + 1),
        .member_count = system->member_count};
    joiner j = {.a = a, .u = out, .s = system};
    mt_err err = open_members(&j, programs, ds);
    for (uint32_t i = 0; !err && i < out->member_count; i++) {
        if (programs[i]) {
            join_entities(&j, i);
            join_personas(&j, i);
        }
    }
    for (uint32_t i = 0; !err && i < out->member_count; i++) {
        if (programs[i]) {
            join_operations(&j, i);
        }
    }
    if (!err) {
        join_transitions(&j);
        finish(&j);
        number_back(a, out);
    }
    return err;
}

static const uint32_t *same_numbers(mt_arena *a, uint32_t count)
{
    uint32_t *out = mt_new_array(a, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = i;
    }
    return out;
}

mt_err an_union_of(mt_arena *a, const ct_program *program, mt_diags *ds, an_union *out)
{
    const ct_model *m = ct_program_model(program);
    an_union_member *um = mt_new(a, an_union_member);
    *out = (an_union){.members = um, .member_count = 1};
    mt_err err = ct_plan_build(a, program, ds, &out->plan);
    if (err) {
        return err;
    }
    const uint32_t **states =
        mt_new_array(a, const uint32_t *, (size_t)m->entity_count + 1);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        states[e] = same_numbers(a, m->entities[e].state_count);
    }
    *um = (an_union_member){.program = program,
                            .plan = out->plan,
                            .entities = same_numbers(a, m->entity_count),
                            .personas = same_numbers(a, m->persona_count),
                            .states = states};
    out->member_of = mt_new_array(a, uint32_t, (size_t)m->operation_count + 1);
    number_back(a, out);
    return MT_OK;
}

uint32_t an_union_own_state(const an_union_member *m, uint32_t own_entity,
                            uint32_t state)
{
    uint32_t s = 0;
    while (m->states[own_entity][s] != state) {
        s++;
    }
    return s;
}

uint32_t an_union_own_operation(const an_union *u, uint32_t operation)
{
    return operation - u->members[u->member_of[operation]].first_operation;
}

uint32_t an_union_own_outcome(const an_union *u, uint32_t operation, uint32_t outcome)
{
    return outcome - u->members[u->member_of[operation]].first_outcome;
}

/* ---- triggers ---- */

typedef struct tracer {
    mt_arena *a;
    const an_union *u;
    uint64_t *caused;
    bool *fired; /* by trigger */
    bool more;
} tracer;

typedef struct flow_walk {
    const ct_plan *plan;
    uint32_t persona; /* the member's own number of who acts; CT_NONE: nobody waits */
    uint64_t *seen;   /* bit per step */
    uint32_t *todo, count;
} flow_walk;

static void come_to(flow_walk *w, uint32_t step)
{
    if (step != CT_NONE && !ct_bit(w->seen, step)) {
        ct_bit_set(w->seen, step);
        w->todo[w->count++] = step;
    }
}

static bool ends_at(const flow_walk *w, const ct_plan_target *t, mt_str outcome)
{
    return t->terminal != CT_NONE &&
           mt_str_eq(w->plan->terminals[t->terminal].name, outcome);
}

/* May the flow end so, if only the persona acts? Sub-flows and parallel steps are taken
 * to be passable, which may be too much. */
static bool may_end(tracer *x, const ct_plan *plan, uint32_t flow, uint32_t persona,
                    mt_str outcome)
{
    flow_walk w = {plan, persona,
                   mt_new_array(x->a, uint64_t, (size_t)plan->step_count / 64 + 1),
                   mt_new_array(x->a, uint32_t, (size_t)plan->step_count + 1), 0};
    bool ends = false;
    come_to(&w, plan->graphs[flow].entry);
    for (uint32_t i = 0; i < w.count && !ends; i++) {
        const ct_plan_step *s = &plan->steps[w.todo[i]];
        if (s->persona != CT_NONE && s->persona != persona) {
            continue; /* it waits for somebody else */
        }
        for (uint32_t t = 0; t < s->target_count; t++) {
            const ct_plan_target *to = &plan->targets[s->first_target + t];
            ends |= ends_at(&w, to, outcome);
            come_to(&w, to->step);
        }
        ends |= ends_at(&w, &s->handler.next, outcome);
        come_to(&w,
                s->handler.kind == CT_HANDLER_NONE ? CT_NONE : s->handler.next.step);
        for (uint32_t k = 0; k < s->handler.undo_count; k++) {
            ct_plan_target t = {CT_NONE,
                                plan->undos[s->handler.first_undo + k].on_failure};
            ends |= ends_at(&w, &t, outcome);
        }
    }
    return ends;
}

static void cause(tracer *x, uint32_t member, uint32_t own_operation)
{
    uint32_t op = x->u->members[member].first_operation + own_operation;
    if (!ct_bit(x->caused, op)) {
        ct_bit_set(x->caused, op);
        x->more = true;
    }
}

/* Every operation the flow, its sub-flows and branches may perform as the persona. */
static void cause_flow(tracer *x, uint32_t member, uint32_t flow, uint32_t persona)
{
    const ct_plan *p = x->u->members[member].plan;
    bool *graphs = mt_new_array(x->a, bool, (size_t)p->graph_count + 1);
    bool again = true;
    graphs[flow] = true;
    while (again) {
        again = false;
        for (uint32_t i = 0; i < p->step_count; i++) {
            const ct_plan_step *s = &p->steps[i];
            for (uint32_t b = 0; graphs[s->graph] && b < s->branch_count; b++) {
                again |= !graphs[s->first_branch + b];
                graphs[s->first_branch + b] = true;
            }
            if (graphs[s->graph] && s->does == LN_CALLS && !graphs[s->what]) {
                graphs[s->what] = again = true;
            }
        }
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        const ct_plan_step *s = &p->steps[i];
        if (graphs[s->graph] && s->does == LN_OPERATES && s->persona == persona) {
            cause(x, member, s->what);
        }
        for (uint32_t k = 0; graphs[s->graph] && k < s->handler.undo_count; k++) {
            const ct_plan_undo *u = &p->undos[s->handler.first_undo + k];
            if (u->persona == persona) {
                cause(x, member, u->op);
            }
        }
    }
}

/* The persona that acts in the flow, as its member numbers it; CT_NONE: it has none. */
static uint32_t own_persona(const an_union_member *m, uint32_t persona)
{
    for (uint32_t p = 0; p < m->plan->model->persona_count; p++) {
        if (m->personas[p] == persona) {
            return p;
        }
    }
    return CT_NONE;
}

/* A flow that a trigger started is taken to end in every way it can for its persona. */
static bool fires(tracer *x, const an_sys_trigger *t, uint32_t persona)
{
    const an_sys *s = x->u->system;
    const an_union_member *m = &x->u->members[t->source];
    uint32_t flow = ct_model_find(m->plan->model, CT_KIND_FLOW, t->source_flow);
    uint32_t who = own_persona(m, persona);
    if (flow != CT_NONE && who != CT_NONE && may_end(x, m->plan, flow, who, t->on)) {
        return true;
    }
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        const an_sys_trigger *before = &s->triggers[i];
        if (x->fired[i] && before->target == t->source &&
            mt_str_eq(before->target_flow, t->source_flow)) {
            return true;
        }
    }
    return false;
}

static void fire(tracer *x, uint32_t trigger)
{
    const an_sys_trigger *t = &x->u->system->triggers[trigger];
    const ct_model *m = x->u->members[t->target].plan->model;
    uint32_t flow = ct_model_find(m, CT_KIND_FLOW, t->target_flow);
    uint32_t as = ct_model_find(m, CT_KIND_PERSONA, t->persona);
    x->fired[trigger] = true;
    if (flow != CT_NONE && as != CT_NONE) {
        cause_flow(x, t->target, flow, as);
    }
}

/* Until no trigger is left that fires: each does once, so this ends. */
const uint64_t *an_union_caused(mt_arena *a, const an_union *u, uint32_t persona,
                                bool *more)
{
    uint32_t count = u->plan->model->operation_count;
    uint32_t triggers = u->system && !u->gap.len ? u->system->trigger_count : 0;
    tracer x = {.a = a,
                .u = u,
                .caused = mt_new_array(a, uint64_t, (size_t)count / 64 + 1),
                .fired = mt_new_array(a, bool, (size_t)triggers + 1)};
    for (uint32_t o = 0; o < count; o++) {
        if (ct_bit(u->plan->ops[o].allowed, persona)) {
            ct_bit_set(x.caused, o);
        }
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < triggers; i++) {
            if (!x.fired[i] && fires(&x, &u->system->triggers[i], persona)) {
                fire(&x, i);
                again = true;
            }
        }
    }
    *more = x.more;
    return x.caused;
}
