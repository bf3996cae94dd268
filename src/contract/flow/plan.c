/* contract/flow/plan.c - from the model's steps to arrays of indices.
 *
 * Two passes over the step lists: the first counts and numbers the graphs, the second
 * fills them in. A graph is a flow, or a branch of a parallel step; its steps stand
 * together, and a target is an index or a terminal. Operations get their outcomes with
 * effects sorted by entity and a bit set of the personas that may.
 *
 * While building, three things are checked that the loader cannot see: effects of one
 * outcome that contradict each other, parallel branches that can change the same
 * entity, and the number of changes one operation can make (its room is made once per
 * run).
 *
 * Invariants: entities a graph can change are those of its operations, compensations
 * and sub-flows; indices are never CT_NONE where the step kind needs them; terminals
 * are one list for the whole plan, by name. The model has no cycles, so the walks end;
 * how deep they nest is bounded by the loader (limit flow_depth).
 *
 * What may fail: MT_E_REJECTED with diagnostics in `ds`. A plan lives in `keep` and is
 * immutable, so threads share it. */
#include "contract/flow/plan.h"

#include "base/vec.h"

typedef struct builder {
    mt_arena *keep;
    mt_diags *ds;
    const ct_model *m;
    MT_VEC(ct_plan_effect) effects;
    MT_VEC(ct_plan_outcome) outcomes;
    MT_VEC(ct_plan_op) ops;
    MT_VEC(ct_plan_step) steps;
    MT_VEC(ct_plan_target) targets;
    MT_VEC(ct_plan_undo) undos;
    MT_VEC(ct_plan_graph) graphs;
    MT_VEC(ct_plan_terminal) terminals;
    mt_map terminal_map;
    uint32_t entity_words, max_changes, max_outcomes;
} builder;

/* All of them are one code: a model that loads has them only by another elaborator's
 * mistake. */
static void fault(builder *b, const char *kind, mt_str id, ct_origin origin,
                  mt_str message)
{
    mt_diag_add(b->ds, &(mt_diag){.severity = MT_ERROR,
                                  .code = "E901",
                                  .pass = -1,
                                  .file = origin.file,
                                  .line = origin.line,
                                  .construct_kind = mt_str_z(kind),
                                  .construct_id = id,
                                  .message = message});
}

/* ---- operations ---- */

static bool belongs(const ct_operation *op, const ct_effect *e, uint32_t outcome)
{
    return e->outcome == CT_NONE ? op->outcome_count <= 1 : e->outcome == outcome;
}

/* Effects are a set: one that is there already is skipped, one that contradicts it (the
 * same source, another target, the same outcome) cannot be meant. */
static bool known_effect(builder *b, const ct_operation *op, uint32_t first,
                         const ct_effect *e)
{
    for (size_t i = first; i < b->effects.len; i++) {
        const ct_plan_effect *have = &b->effects.items[i];
        if (have->entity != e->entity || have->from != e->from) {
            continue;
        }
        if (have->to != e->to) {
            const ct_entity *entity = &b->m->entities[e->entity];
            fault(b, "Operation", op->id, op->origin,
                  mt_strf(
                      b->keep,
                      "effects contradict: entity '%.*s' leaves state '%.*s' both for "
                      "'%.*s' and for '%.*s' with the same outcome",
                      MT_ARG(entity->id), MT_ARG(entity->states[e->from]),
                      MT_ARG(entity->states[have->to]), MT_ARG(entity->states[e->to])));
        }
        return true;
    }
    return false;
}

static bool known_entity(const builder *b, uint32_t first, uint32_t entity)
{
    for (size_t i = first; i < b->effects.len; i++) {
        if (b->effects.items[i].entity == entity) {
            return true;
        }
    }
    return false;
}

static void add_effects_on(builder *b, const ct_operation *op, uint32_t outcome,
                           uint32_t first, uint32_t entity)
{
    for (uint32_t i = 0; i < op->effect_count; i++) {
        const ct_effect *e = &op->effects[i];
        if (e->entity == entity && belongs(op, e, outcome) &&
            !known_effect(b, op, first, e)) {
            ct_plan_effect effect = {e->entity, e->from, e->to};
            mt_vec_push(b->keep, &b->effects, effect);
        }
    }
}

/* Effects on one entity are put next to each other, which the engine's matching relies
 * on. */
static void add_outcome(builder *b, const ct_operation *op, uint32_t outcome)
{
    uint32_t first = (uint32_t)b->effects.len;
    for (uint32_t i = 0; i < op->effect_count; i++) {
        if (belongs(op, &op->effects[i], outcome) &&
            !known_entity(b, first, op->effects[i].entity)) {
            add_effects_on(b, op, outcome, first, op->effects[i].entity);
        }
    }
    uint32_t count = (uint32_t)b->effects.len - first;
    ct_plan_outcome out = {op->outcomes[outcome], first, count};
    mt_vec_push(b->keep, &b->outcomes, out);
    b->max_changes = count > b->max_changes ? count : b->max_changes;
}

static uint64_t *persona_set(builder *b, const ct_operation *op)
{
    uint64_t *set = mt_new_array(b->keep, uint64_t, b->m->persona_count / 64 + 1);
    for (uint32_t i = 0; i < op->persona_count; i++) {
        ct_bit_set(set, op->personas[i]);
    }
    return set;
}

/* Remembers the most changes and outcomes there are: a run makes room once. */
static void add_operation(builder *b, const ct_operation *op)
{
    ct_plan_op out = {op->condition, (uint32_t)b->outcomes.len, op->outcome_count,
                      persona_set(b, op)};
    for (uint32_t i = 0; i < op->outcome_count; i++) {
        add_outcome(b, op, i);
    }
    mt_vec_push(b->keep, &b->ops, out);
    if (op->outcome_count > b->max_outcomes) {
        b->max_outcomes = op->outcome_count;
    }
}

/* ---- flows ---- */

/* One entry per name; whether it is a failure follows from the name. */
static uint32_t terminal(builder *b, mt_str name)
{
    bool added;
    mt_map_entry *entry = mt_map_add(b->keep, &b->terminal_map, name, &added);
    if (added) {
        entry->value = b->terminals.len;
        ct_plan_terminal t = {name, mt_str_is(name, "failure") ||
                                        mt_str_is(name, "escalation")};
        mt_vec_push(b->keep, &b->terminals, t);
    }
    return (uint32_t)entry->value;
}

/* A named Terminal is where it leads: nothing happens at it that could be recorded, and
 * no run ever stands there (§11.4). */
static ct_plan_target step_target(builder *b, const ct_steps *list, uint32_t base,
                                  uint32_t step)
{
    const ct_step *s = &list->items[step];
    return s->does == LN_ENDS
               ? (ct_plan_target){CT_NONE, terminal(b, s->targets[0].outcome)}
               : (ct_plan_target){base + step, CT_NONE};
}

static ct_plan_target target(builder *b, const ct_steps *list, uint32_t base,
                             const ct_target *t)
{
    if (t->step != CT_NONE) {
        return step_target(b, list, base, t->step);
    }
    return (ct_plan_target){CT_NONE,
                            t->outcome.ptr ? terminal(b, t->outcome) : CT_NONE};
}

static void add_target(builder *b, ct_plan_step *s, ct_plan_target t)
{
    if (!s->target_count++) {
        s->first_target = (uint32_t)b->targets.len;
    }
    mt_vec_push(b->keep, &b->targets, t);
}

static const ct_plan_target NOWHERE = {CT_NONE, CT_NONE};

/* Compensation and termination lead to a terminal, escalation to a step of the same
 * list. */
static ct_plan_handler handler(builder *b, const ct_steps *list, uint32_t base,
                               const ct_handler *h)
{
    ct_plan_handler out = {(ct_handler_kind)h->kind, CT_NONE, NOWHERE,
                           (uint32_t)b->undos.len, h->step_count};
    for (uint32_t i = 0; i < h->step_count; i++) {
        const ct_compensation *c = &h->steps[i];
        ct_plan_undo undo = {c->operation, c->persona, terminal(b, c->on_failure)};
        mt_vec_push(b->keep, &b->undos, undo);
    }
    if (out.kind == CT_ESCALATE) {
        out.persona = h->persona;
        out.next = step_target(b, list, base, h->next);
    } else if (out.kind != CT_HANDLER_NONE) {
        out.next.terminal = terminal(b, h->outcome);
    }
    return out;
}

/* Branches get their graph here and their steps when the graph's turn comes. */
static void fill_step(builder *b, const ct_steps *list, uint32_t base, const ct_step *s,
                      ct_plan_step *out)
{
    out->persona = s->persona;
    out->to_persona = s->to_persona;
    out->what = s->what;
    out->first_branch = (uint32_t)b->graphs.len;
    out->branch_count = s->branch_count;
    for (uint32_t i = 0; i < out->branch_count; i++) {
        ct_plan_graph g = {.id = s->branches[i].id,
                           .owner = (uint32_t)(out - b->steps.items)};
        mt_vec_push(b->keep, &b->graphs, g);
    }
    for (uint32_t i = 0; i < s->target_count; i++) {
        add_target(b, out, target(b, list, base, &s->targets[i]));
    }
    out->handler = handler(b, list, base, &s->on_failure);
}

static void add_steps(builder *b, uint32_t graph, const ct_steps *list);

/* The steps of a parallel step's branches, after its own list is complete. */
static void add_branches(builder *b, uint32_t step, const ct_step *s)
{
    for (uint32_t i = 0; i < s->branch_count; i++) {
        uint32_t graph = b->steps.items[step].first_branch + i;
        add_steps(b, graph, &s->branches[i].steps);
    }
}

/* All steps of a list are numbered before any is filled in, since targets may point
 * forward. Branches come behind the list. */
static void add_steps(builder *b, uint32_t graph, const ct_steps *list)
{
    uint32_t base = (uint32_t)b->steps.len;
    ct_plan_graph *g = &b->graphs.items[graph];
    g->first_step = base;
    g->step_count = list->count;
    g->entry = base + list->entry;
    for (uint32_t i = 0; i < list->count; i++) {
        ct_plan_step step = {.kind = (ln_step)list->items[i].kind,
                             .does = (ln_doing)list->items[i].does,
                             .graph = graph,
                             .id = list->items[i].id,
                             .persona = CT_NONE,
                             .to_persona = CT_NONE,
                             .what = CT_NONE};
        mt_vec_push(b->keep, &b->steps, step);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        fill_step(b, list, base, &list->items[i], &b->steps.items[base + i]);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        add_branches(b, base + i, &list->items[i]);
    }
}

/* ---- which entities a graph can change ---- */

static void add_op_entities(const builder *b, uint64_t *set, uint32_t op)
{
    const ct_operation *o = &b->m->operations[op];
    for (uint32_t i = 0; i < o->effect_count; i++) {
        ct_bit_set(set, o->effects[i].entity);
    }
}

static void merge(const builder *b, uint64_t *set, const uint64_t *more)
{
    for (uint32_t i = 0; i < b->entity_words; i++) {
        set[i] |= more[i];
    }
}

static void graph_entities(builder *b, uint32_t graph);

/* Two branches of one step must not be able to change the same entity. */
static void check_disjoint(builder *b, const ct_plan_step *s, uint32_t second)
{
    for (uint32_t first = 0; first < second; first++) {
        const ct_plan_graph *x = &b->graphs.items[s->first_branch + first];
        const ct_plan_graph *y = &b->graphs.items[s->first_branch + second];
        for (uint32_t e = 0; e < b->m->entity_count; e++) {
            if (ct_bit(x->entities, e) && ct_bit(y->entities, e)) {
                fault(b, "Flow", s->id, (ct_origin){0},
                      mt_strf(b->keep,
                              "branches '%.*s' and '%.*s' of parallel step '%.*s' can "
                              "both change entity '%.*s'",
                              MT_ARG(x->id), MT_ARG(y->id), MT_ARG(s->id),
                              MT_ARG(b->m->entities[e].id)));
            }
        }
    }
}

/* Whatever the step may change in any case, handlers included. */
static void step_entities(builder *b, uint64_t *set, const ct_plan_step *s)
{
    if (s->does == LN_OPERATES) {
        add_op_entities(b, set, s->what);
    } else if (s->does == LN_CALLS) {
        graph_entities(b, s->what);
        merge(b, set, b->graphs.items[s->what].entities);
    }
    for (uint32_t i = 0; i < s->branch_count; i++) {
        graph_entities(b, s->first_branch + i);
        merge(b, set, b->graphs.items[s->first_branch + i].entities);
        check_disjoint(b, s, i);
    }
    for (uint32_t i = 0; i < s->handler.undo_count; i++) {
        add_op_entities(b, set, b->undos.items[s->handler.first_undo + i].op);
    }
}

static void graph_entities(builder *b, uint32_t graph)
{
    ct_plan_graph *g = &b->graphs.items[graph];
    if (g->entities) {
        return;
    }
    g->entities = mt_new_array(b->keep, uint64_t, b->entity_words);
    for (uint32_t i = 0; i < g->step_count; i++) {
        step_entities(b, g->entities, &b->steps.items[g->first_step + i]);
    }
}

/* The vectors' memory is the plan's from here on. */
static ct_plan *finish(builder *b, const ct_program *program)
{
    static const ct_plan_effect NO_EFFECT;
    static const ct_plan_outcome NO_OUTCOME;
    ct_plan *p = mt_new(b->keep, ct_plan);
    *p = (ct_plan){
        .program = program,
        .model = b->m,
        /* Never NULL: an offset of zero into nothing is still an offset. */
        .effects = b->effects.len ? b->effects.items : &NO_EFFECT,
        .outcomes = b->outcomes.len ? b->outcomes.items : &NO_OUTCOME,
        .ops = b->ops.items,
        .steps = b->steps.items,
        .targets = b->targets.items,
        .undos = b->undos.items,
        .graphs = b->graphs.items,
        .terminals = b->terminals.items,
        .outcome_count = (uint32_t)b->outcomes.len,
        .step_count = (uint32_t)b->steps.len,
        .graph_count = (uint32_t)b->graphs.len,
        .terminal_count = (uint32_t)b->terminals.len,
        .entity_words = b->entity_words,
        .max_changes = b->max_changes,
        .max_outcomes = b->max_outcomes,
    };
    return p;
}

/* Operations, graphs of all flows, their steps, then what each can change; the order
 * is that of the indices. */
static mt_err build(mt_arena *keep, const ct_model *m, const ct_program *program,
                    mt_diags *ds, const ct_plan **out)
{
    builder b = {.keep = keep, .ds = ds, .m = m};
    size_t errors = ds->errors;
    b.entity_words = m->entity_count / 64 + 1;
    for (uint32_t i = 0; i < m->operation_count; i++) {
        add_operation(&b, &m->operations[i]);
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        ct_plan_graph g = {.id = m->flows[i].id, .owner = CT_NONE};
        mt_vec_push(keep, &b.graphs, g);
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        add_steps(&b, i, &m->flows[i].steps);
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        graph_entities(&b, i);
    }
    *out = finish(&b, program);
    return ds->errors == errors ? MT_OK : MT_E_REJECTED;
}

mt_err ct_plan_build(mt_arena *keep, const ct_program *program, mt_diags *ds,
                     const ct_plan **out)
{
    return build(keep, ct_program_model(program), program, ds, out);
}

mt_err ct_plan_of_model(mt_arena *keep, const ct_model *m, mt_diags *ds,
                        const ct_plan **out)
{
    return build(keep, m, NULL, ds, out);
}

uint32_t ct_plan_terminal_named(const ct_plan *p, mt_str name)
{
    for (uint32_t i = 0; i < p->terminal_count; i++) {
        if (mt_str_eq(p->terminals[i].name, name)) {
            return i;
        }
    }
    return CT_NONE;
}

uint32_t ct_plan_step_named(const ct_plan *p, uint32_t graph, mt_str id)
{
    const ct_plan_graph *g = &p->graphs[graph];
    for (uint32_t i = 0; i < g->step_count; i++) {
        if (mt_str_eq(p->steps[g->first_step + i].id, id)) {
            return g->first_step + i;
        }
    }
    return CT_NONE;
}

uint32_t ct_plan_outcome_named(const ct_plan *p, uint32_t op, mt_str label)
{
    uint32_t nth = ct_outcome_find(&p->model->operations[op], label);
    return nth == CT_NONE ? CT_NONE : p->ops[op].first_outcome + nth;
}

mt_str ct_plan_state_id(const ct_plan *p, uint32_t entity, uint32_t state)
{
    return p->model->entities[entity].states[state];
}

/* ---- what a flow asks ---- */

static void mark_op(const ct_plan *p, uint32_t op, uint64_t *conditions)
{
    if (p->ops[op].condition != CT_NONE) {
        ct_bit_set(conditions, p->ops[op].condition);
    }
}

/* Sub-flows are not recursive, so `seen` only keeps one from being walked twice. */
static void mark_graph(const ct_plan *p, uint32_t graph, uint64_t *seen,
                       uint64_t *conditions)
{
    const ct_plan_graph *g = &p->graphs[graph];
    if (ct_bit(seen, graph)) {
        return;
    }
    ct_bit_set(seen, graph);
    for (uint32_t i = 0; i < g->step_count; i++) {
        const ct_plan_step *s = &p->steps[g->first_step + i];
        if (s->does == LN_OPERATES) {
            mark_op(p, s->what, conditions);
        } else if (s->does == LN_DECIDES) {
            ct_bit_set(conditions, s->what);
        } else if (s->does == LN_CALLS) {
            mark_graph(p, s->what, seen, conditions);
        }
        for (uint32_t k = 0; k < s->branch_count; k++) {
            mark_graph(p, s->first_branch + k, seen, conditions);
        }
        for (uint32_t k = 0; k < s->handler.undo_count; k++) {
            mark_op(p, p->undos[s->handler.first_undo + k].op, conditions);
        }
    }
}

void ct_plan_conditions(mt_arena *tmp, const ct_plan *p, uint32_t graph,
                        uint64_t *conditions)
{
    mark_graph(p, graph, mt_new_array(tmp, uint64_t, p->graph_count / 64 + 1),
               conditions);
}
