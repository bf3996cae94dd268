/* contract/analyze/compat.c - the conditions FMC1 to FMC7 for one flow instance.
 * Room: contract.
 * First the frames of the run are found in the new plan, then everything that can
 * follow is walked (compat_walk.c), then every step met is checked. */
#include "contract/analyze/compat.h"

#include "contract/analyze/compat_walk.h"
#include "contract/flow/paths.h"
#include "contract/flow/text.h"
#include "contract/flow/why.h"

/* ORDER ct_obstacle_kind. */
static const struct obstacle_row {
    const char *name, *condition;
    uint8_t layer;
} OBSTACLES[CT_OBSTACLE_COUNT] = {
    {"no_flow", "FMC1", 3},         {"no_step", "FMC1", 3},
    {"other_step", "FMC1", 3},      {"other_handler", "FMC1", 3},
    {"other_branches", "FMC1", 3},  {"no_join", "FMC1", 3},
    {"persona_refused", "FMC2", 3}, {"fact_missing", "FMC2", 3},
    {"fact_misfit", "FMC2", 3},     {"payload_misfit", "FMC2", 3},
    {"no_value", "FMC2", 3},        {"verdict_lacking", "FMC4", 3},
    {"entity_unbound", "FMC3", 2},  {"state_removed", "FMC3", 2},
    {"state_unreached", "FMC3", 2}, {"state_not_set", "FMC4", 2},
    {"parent_changed", "FMC3", 2},
};

const char *ct_obstacle_name(ct_obstacle_kind kind)
{
    return OBSTACLES[kind].name;
}

/* What is known of a condition on the frozen snapshot. */
typedef enum value { UNKNOWN, IS_FALSE, IS_TRUE, NO_VALUE, NO_DATA } value;

typedef struct checker {
    mt_arena *a;
    const ct_run *run;
    const ct_plan *old, *p;
    uint32_t flow;    /* in the new plan */
    uint32_t *states; /* per new entity: current state, or CT_NONE */
    ct_walk walk;     /* all that can follow */
    ct_walk live;     /* what the frozen snapshot leaves of it; aggressive only */
    ct_walk before;   /* what could follow under the old contract */
    uint64_t *leads;  /* states that transitions lead to from the current ones */
    ct_facts *facts;  /* the snapshot, carried over */
    ct_verdicts *verdicts, *scratch, *old_scratch;
    ct_carry carry;
    uint8_t *values;       /* per condition of the new model: value */
    uint8_t *entity_noted; /* per new entity */
    uint8_t *matched;      /* per new graph: are its steps in `was`? */
    uint32_t *was;         /* per new step: the old step of the same name, or CT_NONE */
    ct_compatibility *out;
} checker;

static ct_snapshot snapshot(const checker *c)
{
    return (ct_snapshot){c->p->program, c->facts, c->verdicts};
}

static ct_obstacle make(const checker *c, ct_obstacle_kind kind, uint32_t step,
                        mt_str subject, mt_str reason)
{
    bool at = step != CT_NONE;
    uint32_t graph = at ? c->p->steps[step].graph : c->flow;
    return (ct_obstacle){
        .kind = kind,
        .layer = OBSTACLES[kind].layer,
        .condition = OBSTACLES[kind].condition,
        .flow = graph == CT_NONE ? c->old->graphs[c->run->flow].id
                                 : ct_graph_name(c->a, c->p, graph),
        .step = at ? c->p->steps[step].id : (mt_str){0},
        .subject = subject,
        .reason = reason,
    };
}

__attribute__((format(printf, 5, 6))) static void oppose(checker *c,
                                                         ct_obstacle_kind kind,
                                                         uint32_t step, mt_str subject,
                                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ct_obstacle o = make(c, kind, step, subject, mt_strfv(c->a, format, args));
    va_end(args);
    mt_vec_push(c->a, &c->out->obstacles, o);
}

/* ---- The snapshot ---------------------------------------------------------------- */

/* What a condition reads that the carried snapshot does not have: the first such fact
 * or payload, as its kind of obstacle; CT_OBSTACLE_COUNT when all is there. */
static ct_obstacle_kind lacking_data(const checker *c, const ct_expr *e, uint32_t *what)
{
    if (!e) {
        return CT_OBSTACLE_COUNT;
    }
    *what = e->index;
    if (e->op == CT_FACT && c->carry.facts[e->index] == CT_CARRIED_NOTHING) {
        return CT_FACT_MISSING;
    }
    if (e->op == CT_FACT && c->carry.facts[e->index] == CT_CARRIED_MISFIT) {
        return CT_FACT_MISFIT;
    }
    if (e->op == CT_PAYLOAD && c->carry.payload_misfits[e->index]) {
        return CT_PAYLOAD_MISFIT;
    }
    ct_obstacle_kind left = lacking_data(c, e->left, what);
    return left != CT_OBSTACLE_COUNT ? left : lacking_data(c, e->right, what);
}

static value evaluate(checker *c, uint32_t condition)
{
    uint32_t what;
    bool holds;
    ct_fault fault;
    ct_snapshot s = snapshot(c);
    if (lacking_data(c, c->p->model->conditions[condition], &what) !=
        CT_OBSTACLE_COUNT) {
        return NO_DATA;
    }
    if (ct_holds(&s, condition, c->scratch, &holds, c->a, NULL, &fault)) {
        return NO_VALUE;
    }
    return holds ? IS_TRUE : IS_FALSE;
}

static value value_of(checker *c, uint32_t condition)
{
    if (!c->values[condition]) {
        c->values[condition] = (uint8_t)evaluate(c, condition);
    }
    return (value)c->values[condition];
}

static int decided(void *context, uint32_t condition)
{
    value v = value_of(context, condition);
    return v == IS_TRUE ? 1 : v == IS_FALSE ? 0 : -1;
}

/* The first verdict that the atom asks for and the snapshot lacks, or CT_NONE. */
static uint32_t lacking_verdict(const checker *c, const ct_expr *e)
{
    if (!e) {
        return CT_NONE;
    }
    if ((e->op == CT_PRESENT || e->op == CT_PAYLOAD) &&
        !ct_verdict_present(c->verdicts, e->index)) {
        return e->index;
    }
    uint32_t left = lacking_verdict(c, e->left);
    return left != CT_NONE ? left : lacking_verdict(c, e->right);
}

/* Was the operation refused under the old contract already? Then what it lacks is not
 * new (FMC4 asks about new dependencies). */
static bool refused_before(checker *c, mt_str op)
{
    uint32_t was = ct_model_find(c->old->model, CT_KIND_OPERATION, op);
    uint32_t condition = was == CT_NONE ? CT_NONE : c->old->ops[was].condition;
    bool holds = true;
    ct_fault fault;
    return condition != CT_NONE &&
           !ct_holds(&c->run->frozen.snapshot, condition, c->old_scratch, &holds, c->a,
                     NULL, &fault) &&
           !holds;
}

static mt_str expr_text(const checker *c, const ct_expr *e)
{
    mt_buf text = {0};
    ct_expr_text(&text, c->p->model, e);
    mt_str kept = mt_str_dup(c->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* The precondition is false on the frozen snapshot. */
static void check_refusal(checker *c, uint32_t step, uint32_t op)
{
    mt_str id = ct_operation_id(c->p, op);
    if (refused_before(c, id)) {
        return;
    }
    const ct_expr *predicate = c->p->model->operations[op].precondition;
    ct_reasons reasons = {0};
    ct_fault fault;
    ct_snapshot s = snapshot(c);
    bool holds;
    if (ct_why_all(c->a, &s, predicate, &holds, &reasons, &fault)) {
        return;
    }
    for (size_t i = 0; i < reasons.len; i++) {
        uint32_t rule = lacking_verdict(c, reasons.items[i].atom);
        if (rule != CT_NONE) {
            mt_str verdict = c->p->model->rules[rule].verdict;
            oppose(c, CT_VERDICT_LACKING, step, verdict,
                   "operation '%.*s' now needs verdict '%.*s', which the frozen "
                   "snapshot lacks",
                   MT_ARG(id), MT_ARG(verdict));
            return;
        }
    }
    mt_str text = expr_text(c, predicate);
    ct_obstacle note =
        make(c, CT_NO_VALUE, step, id,
             mt_strf(c->a,
                     "operation '%.*s' will be refused: %.*s is false on the "
                     "frozen snapshot",
                     MT_ARG(id), MT_ARG(text)));
    mt_vec_push(c->a, &c->out->notes, note);
}

static void oppose_data(checker *c, uint32_t step, ct_obstacle_kind kind, uint32_t what)
{
    const ct_model *m = c->p->model;
    mt_str name =
        kind == CT_PAYLOAD_MISFIT ? m->rules[what].verdict : m->facts[what].id;
    switch ((int)kind) {
    case CT_FACT_MISSING:
        oppose(c, kind, step, name,
               "fact '%.*s' has no value in the frozen snapshot and no default",
               MT_ARG(name));
        return;
    case CT_FACT_MISFIT:
        oppose(c, kind, step, name, "the frozen value of fact '%.*s' is no %.*s",
               MT_ARG(name), MT_ARG(ct_type_spell(c->a, m->facts[what].type)));
        return;
    default:
        oppose(c, kind, step, name, "the frozen payload of verdict '%.*s' is no %.*s",
               MT_ARG(name), MT_ARG(ct_type_spell(c->a, m->rules[what].payload_type)));
    }
}

/* A condition that a reached step asks. */
static value check_condition(checker *c, uint32_t step, uint32_t condition)
{
    value v = value_of(c, condition);
    uint32_t what = 0;
    if (v == NO_DATA) {
        ct_obstacle_kind kind =
            lacking_data(c, c->p->model->conditions[condition], &what);
        oppose_data(c, step, kind, what);
    } else if (v == NO_VALUE) {
        oppose(c, CT_NO_VALUE, step, (mt_str){0},
               "%.*s has no value on the frozen snapshot",
               MT_ARG(expr_text(c, c->p->model->conditions[condition])));
    }
    return v;
}

/* Where an operation is invoked. */
typedef struct place {
    uint32_t step;       /* in the new plan */
    uint32_t was;        /* that step in the old one, or CT_NONE */
    uint32_t undo;       /* which compensation of the step, or CT_NONE: the step */
    const uint64_t *set; /* states the entities may then have */
} place;

/* ---- Entities (layer 2) ---------------------------------------------------------- */

static mt_str parent_of(const ct_model *m, uint32_t *entity)
{
    *entity = *entity == CT_NONE ? CT_NONE : m->entities[*entity].parent;
    return *entity == CT_NONE ? (mt_str){0} : m->entities[*entity].id;
}

/* Same chain of parents in both versions? Chains are acyclic. */
static bool same_parents(const checker *c, uint32_t entity)
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

/* The state the entity of the old contract is in, by name; empty: none. */
static mt_str current_state(const checker *c, uint32_t entity)
{
    uint32_t was =
        ct_model_find(c->old->model, CT_KIND_ENTITY, ct_entity_id(c->p, entity));
    return was == CT_NONE || c->run->states[was] == CT_NONE
               ? (mt_str){0}
               : ct_plan_state_id(c->old, was, c->run->states[was]);
}

static bool is_bound(const checker *c, uint32_t entity)
{
    uint32_t was =
        ct_model_find(c->old->model, CT_KIND_ENTITY, ct_entity_id(c->p, entity));
    return was != CT_NONE && c->run->instances[was].ptr;
}

/* An entity that an operation on the way can change; checked once. */
static void check_entity(checker *c, uint32_t step, uint32_t entity)
{
    if (c->entity_noted[entity]) {
        return;
    }
    c->entity_noted[entity] = 1;
    mt_str id = ct_entity_id(c->p, entity), state = current_state(c, entity);
    if (!is_bound(c, entity) || !state.len) {
        oppose(c, CT_ENTITY_UNBOUND, step, id,
               "entity '%.*s' is needed, but no instance of it is bound", MT_ARG(id));
    } else if (c->states[entity] == CT_NONE) {
        oppose(c, CT_STATE_REMOVED, step, id,
               "entity '%.*s' is in state '%.*s', which the new contract does not have",
               MT_ARG(id), MT_ARG(state));
    }
    if (!same_parents(c, entity)) {
        oppose(c, CT_PARENT_CHANGED, step, id, "the parent of entity '%.*s' changed",
               MT_ARG(id));
    }
}

/* States of the old contract when the step begins, or its compensation `undo`. */
static const uint64_t *set_before(checker *c, uint32_t was, uint32_t undo)
{
    ct_walk *w = &c->before;
    const ct_plan_handler *h = &c->old->steps[was].handler;
    bool due = w->reached[was] & CT_REACHED_UNDO;
    if (undo == CT_NONE) {
        return w->in[was];
    }
    uint64_t *set = due ? w->in[was] : ct_walk_failed(w, c->a, was);
    for (uint32_t i = due ? w->index[was] : 0; i < undo && i < h->undo_count; i++) {
        uint64_t *next = mt_new_array(c->a, uint64_t, w->words);
        ct_walk_apply(w, set, c->old->undos[h->first_undo + i].op, next);
        set = next;
    }
    return set;
}

/* Could the operation start under the old contract, in the same place? If not, that it
 * cannot now is nothing new. */
static bool started_before(checker *c, const place *at, mt_str op)
{
    uint32_t old = ct_model_find(c->old->model, CT_KIND_OPERATION, op);
    uint32_t entity;
    return at->was == CT_NONE || old == CT_NONE || !c->before.reached[at->was] ||
           ct_walk_possible(&c->before, set_before(c, at->was, at->undo), old, &entity);
}

static void check_sources(checker *c, const place *at, uint32_t op)
{
    uint32_t entity;
    bool led = ct_walk_possible(&c->walk, c->leads, op, &entity);
    if (led && ct_walk_possible(&c->walk, at->set, op, &entity)) {
        return;
    }
    mt_str name = ct_entity_id(c->p, entity), id = ct_operation_id(c->p, op);
    if (c->states[entity] == CT_NONE || (led && !started_before(c, at, id))) {
        return; /* the former was said before */
    }
    oppose(c, led ? CT_STATE_NOT_SET : CT_STATE_UNREACHED, at->step, name,
           "operation '%.*s' finds entity '%.*s' in no state it can start from: it is "
           "in '%.*s' and %s",
           MT_ARG(id), MT_ARG(name), MT_ARG(current_state(c, entity)),
           led ? "no step on the way moves it there" : "no transition leads there");
}

static void check_effects(checker *c, const place *at, uint32_t op)
{
    const ct_plan_op *o = &c->p->ops[op];
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        const ct_plan_outcome *outcome = &c->p->outcomes[o->first_outcome + i];
        for (uint32_t k = 0; k < outcome->effect_count; k++) {
            check_entity(c, at->step, c->p->effects[outcome->first_effect + k].entity);
        }
    }
    check_sources(c, at, op);
}

/* ---- Steps (layer 3) ------------------------------------------------------------- */

/* The graph of the old plan that stands for one of the new, or CT_NONE. */
static uint32_t old_graph(const checker *c, uint32_t graph)
{
    const ct_plan_graph *g = &c->p->graphs[graph];
    if (g->owner == CT_NONE) {
        return ct_model_find(c->old->model, CT_KIND_FLOW, g->id);
    }
    const ct_plan_step *owner = &c->p->steps[g->owner];
    uint32_t around = old_graph(c, owner->graph);
    uint32_t step =
        around == CT_NONE ? CT_NONE : ct_plan_step_named(c->old, around, owner->id);
    if (step == CT_NONE) {
        return CT_NONE;
    }
    const ct_plan_step *s = &c->old->steps[step];
    for (uint32_t i = 0; i < s->branch_count; i++) {
        if (mt_str_eq(c->old->graphs[s->first_branch + i].id, g->id)) {
            return s->first_branch + i;
        }
    }
    return CT_NONE;
}

/* Finds the old steps of one graph; by a map, since flows may be long. */
static void match_steps(checker *c, uint32_t graph)
{
    const ct_plan_graph *g = &c->p->graphs[graph];
    uint32_t around = old_graph(c, graph);
    mt_map names = {0};
    mt_arena scratch = {0};
    for (uint32_t i = 0; around != CT_NONE && i < c->old->graphs[around].step_count;
         i++) {
        uint32_t step = c->old->graphs[around].first_step + i;
        mt_map_put(&scratch, &names, c->old->steps[step].id, step);
    }
    for (uint32_t i = g->first_step; i < g->first_step + g->step_count; i++) {
        c->was[i] = (uint32_t)mt_map_get(&names, c->p->steps[i].id, CT_NONE);
    }
    c->matched[graph] = 1;
    mt_arena_free(&scratch);
}

static uint32_t old_step(checker *c, uint32_t step)
{
    uint32_t graph = c->p->steps[step].graph;
    if (!c->matched[graph]) {
        match_steps(c, graph);
    }
    return c->was[step];
}

/* What a step does, by name: its operation or sub-flow. */
static mt_str does(const ct_plan *p, const ct_plan_step *s)
{
    return s->kind == CT_OPERATION_STEP ? ct_operation_id(p, s->what)
           : s->kind == CT_SUBFLOW_STEP ? p->graphs[s->what].id
                                        : (mt_str){0};
}

static const char *const STEP_WORDS[] = {"an operation", "a branch", "a hand-off",
                                         "a sub-flow", "a parallel"};

/* Step equivalence (§18.6.2) between an old step and the new one of the same id. */
static bool check_equivalent(checker *c, uint32_t was, uint32_t step)
{
    const ct_plan_step *before = &c->old->steps[was], *now = &c->p->steps[step];
    if (before->kind != now->kind) {
        oppose(c, CT_OTHER_STEP, step, now->id,
               "step '%.*s' was %s step and is %s step", MT_ARG(now->id),
               STEP_WORDS[before->kind], STEP_WORDS[now->kind]);
        return false;
    }
    mt_str old = does(c->old, before), new = does(c->p, now);
    if (!mt_str_eq(old, new)) {
        oppose(c, CT_OTHER_STEP, step, new,
               "step '%.*s' ran '%.*s' and now runs '%.*s'", MT_ARG(now->id),
               MT_ARG(old), MT_ARG(new));
        return false;
    }
    return true;
}

static void check_operation(checker *c, const place *at, uint32_t op, uint32_t persona)
{
    const ct_plan_op *o = &c->p->ops[op];
    check_effects(c, at, op);
    if (!ct_bit(o->allowed, persona)) {
        mt_str who = ct_persona_id(c->p, persona), id = ct_operation_id(c->p, op);
        oppose(c, CT_PERSONA_REFUSED, at->step, who,
               "persona '%.*s' may not invoke operation '%.*s'", MT_ARG(who),
               MT_ARG(id));
    }
    if (o->condition != CT_NONE &&
        check_condition(c, at->step, o->condition) == IS_FALSE) {
        check_refusal(c, at->step, op);
    }
}

static bool given(ct_plan_target t)
{
    return t.step != CT_NONE || t.terminal != CT_NONE;
}

/* However the branches end, there must be a way on. */
static void check_join(checker *c, uint32_t step)
{
    const ct_plan_step *s = &c->p->steps[step];
    const ct_plan_target *to = &c->p->targets[s->first_target];
    bool any = given(to[1]);
    bool on_failure = any || s->handler.kind != CT_HANDLER_NONE;
    if (!(any || given(to[0])) || !on_failure) {
        oppose(c, CT_NO_JOIN, step, s->id,
               "parallel step '%.*s' has no join for branches that %s", MT_ARG(s->id),
               on_failure ? "succeed" : "fail");
    }
}

static void check_handler(checker *c, uint32_t step, uint32_t was)
{
    const ct_plan_step *s = &c->p->steps[step];
    const ct_plan_handler *h = &s->handler;
    bool due = c->walk.reached[step] & CT_REACHED_UNDO;
    uint64_t *set = due ? c->walk.in[step] : ct_walk_failed(&c->walk, c->a, step);
    for (uint32_t i = due ? c->walk.index[step] : 0; i < h->undo_count; i++) {
        const ct_plan_undo *u = &c->p->undos[h->first_undo + i];
        check_operation(c, &(place){step, was, i, set}, u->op, u->persona);
        uint64_t *next = mt_new_array(c->a, uint64_t, c->walk.words);
        ct_walk_apply(&c->walk, set, u->op, next);
        set = next;
    }
}

static void check_step(checker *c, uint32_t step)
{
    const ct_plan_step *s = &c->p->steps[step];
    uint32_t was = old_step(c, step);
    if (c->walk.reached[step] & CT_REACHED_STEP) {
        if (was != CT_NONE && !check_equivalent(c, was, step)) {
            return;
        }
        if (s->kind == CT_OPERATION_STEP) {
            place at = {step, was, CT_NONE, c->walk.in[step]};
            check_operation(c, &at, s->what, s->persona);
        } else if (s->kind == CT_BRANCH_STEP) {
            check_condition(c, step, s->what);
        }
    }
    if (s->kind == CT_PARALLEL_STEP) {
        check_join(c, step);
    }
    check_handler(c, step, was);
}

/* ---- The position ---------------------------------------------------------------- */

static bool same_branches(const checker *c, uint32_t was, uint32_t step)
{
    const ct_plan_step *old = &c->old->steps[was], *now = &c->p->steps[step];
    bool same = old->branch_count == now->branch_count;
    for (uint32_t i = 0; same && i < now->branch_count; i++) {
        same = mt_str_eq(c->old->graphs[old->first_branch + i].id,
                         c->p->graphs[now->first_branch + i].id);
    }
    return same;
}

/* How branches that are over have ended must have a name in the new contract too. */
static bool known_ends(const checker *c, const ct_frame *f)
{
    const ct_record *r = &c->run->records.items[f->record];
    for (uint32_t i = 0; i < r->branch_count; i++) {
        uint32_t end = c->run->branches.items[r->first_branch + i].terminal;
        if (end != CT_NONE &&
            ct_plan_terminal_named(c->p, c->old->terminals[end].name) == CT_NONE) {
            return false;
        }
    }
    return true;
}

static bool same_undo(const checker *c, const ct_frame *f, uint32_t step)
{
    const ct_plan_handler *old = &c->old->steps[f->step].handler;
    const ct_plan_handler *now = &c->p->steps[step].handler;
    return now->kind == CT_COMPENSATE && f->index < now->undo_count &&
           mt_str_eq(
               ct_operation_id(c->old, c->old->undos[old->first_undo + f->index].op),
               ct_operation_id(c->p, c->p->undos[now->first_undo + f->index].op));
}

/* Finds one frame in the new plan; CT_NONE after saying why not. */
static uint32_t place_frame(checker *c, const ct_frame *f, uint32_t graph)
{
    mt_str id = c->old->steps[f->step].id;
    uint32_t step = ct_plan_step_named(c->p, graph, id);
    if (step == CT_NONE) {
        oppose(c, CT_NO_STEP, CT_NONE, id,
               "the flow stands at step '%.*s', which the new contract does not have",
               MT_ARG(id));
        return CT_NONE;
    }
    if (!check_equivalent(c, f->step, step)) {
        return CT_NONE;
    }
    if (f->phase == CT_COMPENSATING && !same_undo(c, f, step)) {
        oppose(c, CT_OTHER_HANDLER, step, id,
               "the compensation under way at step '%.*s' is another one", MT_ARG(id));
        return CT_NONE;
    }
    bool parallel = c->p->steps[step].kind == CT_PARALLEL_STEP;
    if (f->phase == CT_INSIDE && parallel &&
        !(same_branches(c, f->step, step) && known_ends(c, f))) {
        oppose(c, CT_OTHER_BRANCHES, step, id,
               "parallel step '%.*s' is under way and has other branches", MT_ARG(id));
        return CT_NONE;
    }
    return step;
}

static uint32_t inner_graph(const ct_plan *p, uint32_t step, uint32_t index)
{
    const ct_plan_step *s = &p->steps[step];
    return s->kind == CT_PARALLEL_STEP ? s->first_branch + index : s->what;
}

/* Seeds the walk with every frame; false if one has no place. */
static bool place_frames(checker *c, ct_walk *w)
{
    uint32_t graph = c->flow;
    uint64_t *set = ct_walk_set(w, c->states);
    for (size_t i = 0; i < c->run->frames.len; i++) {
        const ct_frame *f = &c->run->frames.items[i];
        uint32_t step = place_frame(c, f, graph);
        if (step == CT_NONE) {
            return false;
        }
        ct_walk_seed(w, step, ct_walk_how(f->phase), f->index, set);
        graph = f->phase == CT_INSIDE ? inner_graph(c->p, step, f->index) : graph;
    }
    return true;
}

/* ---- The whole ------------------------------------------------------------------- */

static void find_states(checker *c)
{
    const ct_model *m = c->p->model;
    c->states = mt_new_array(c->a, uint32_t, m->entity_count);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_str state = current_state(c, e);
        c->states[e] = state.len ? ct_state_find(&m->entities[e], state) : CT_NONE;
    }
}

/* The engine wants every entity the flow can change bound, those behind it too. */
static void check_bindings(checker *c)
{
    for (uint32_t e = 0; e < c->p->model->entity_count; e++) {
        if (ct_bit(c->p->graphs[c->flow].entities, e) && !is_bound(c, e)) {
            check_entity(c, CT_NONE, e);
        }
    }
}

/* All that could follow under the old contract. */
static void walk_before(checker *c)
{
    ct_walk *w = &c->before;
    ct_walk_start(w, c->a, c->old, c->run->flow);
    uint64_t *set = ct_walk_set(w, c->run->states);
    for (size_t i = 0; i < c->run->frames.len; i++) {
        const ct_frame *f = &c->run->frames.items[i];
        ct_walk_seed(w, f->step, ct_walk_how(f->phase), f->index, set);
    }
    ct_walk_all(w);
}

/* Where transitions lead from the current states; each round adds a state or ends. */
static void find_leads(checker *c)
{
    const ct_model *m = c->p->model;
    c->leads = ct_walk_set(&c->walk, c->states);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        const ct_entity *entity = &m->entities[e];
        uint32_t base = c->walk.base[e];
        for (bool more = base != CT_NONE; more;) {
            more = false;
            for (uint32_t i = 0; i < entity->transition_count; i++) {
                ct_transition t = entity->transitions[i];
                if (ct_bit(c->leads, base + t.from) && !ct_bit(c->leads, base + t.to)) {
                    ct_bit_set(c->leads, base + t.to);
                    more = true;
                }
            }
        }
    }
}

static void prune(checker *c)
{
    ct_walk_start(&c->live, c->a, c->p, c->flow);
    c->live.decided = decided;
    c->live.context = c;
    place_frames(c, &c->live);
    ct_walk_all(&c->live);
    ct_walk_free(&c->live);
}

static void check_all(checker *c, bool aggressive)
{
    ct_walk_start(&c->walk, c->a, c->p, c->flow);
    bool placed = place_frames(c, &c->walk);
    if (placed) {
        ct_walk_all(&c->walk);
        walk_before(c);
        find_leads(c);
        if (aggressive) {
            prune(c);
        }
        check_bindings(c);
        const uint8_t *reached = aggressive ? c->live.reached : c->walk.reached;
        for (uint32_t i = 0; i < c->p->step_count; i++) {
            if (reached[i]) {
                check_step(c, i);
            }
        }
    }
    ct_walk_free(&c->walk);
    ct_walk_free(&c->before);
}

static void open_snapshot(checker *c)
{
    c->facts = ct_facts_new(c->p->model);
    c->verdicts = ct_verdicts_new(c->p->program);
    c->scratch = ct_verdicts_new(c->p->program);
    c->old_scratch = ct_verdicts_new(c->old->program);
    c->carry = ct_snapshot_carry(c->a, &c->run->frozen.snapshot, c->p->program,
                                 c->facts, c->verdicts);
}

static void close_snapshot(checker *c)
{
    ct_facts_free(c->facts);
    ct_verdicts_free(c->verdicts);
    ct_verdicts_free(c->scratch);
    ct_verdicts_free(c->old_scratch);
}

/* Layer 2 before layer 3, otherwise in the order found. */
static void settle(ct_compatibility *out, mt_arena *a)
{
    ct_obstacles sorted = {0};
    for (uint8_t layer = 2; layer <= 3; layer++) {
        for (size_t i = 0; i < out->obstacles.len; i++) {
            if (out->obstacles.items[i].layer == layer) {
                mt_vec_push(a, &sorted, out->obstacles.items[i]);
                out->passes[layer - 1] = false;
                out->layer = out->layer ? out->layer : layer;
            }
        }
    }
    out->obstacles = sorted;
    out->compatible = !sorted.len;
}

void ct_compat(mt_arena *a, const ct_run *run, const ct_plan *next,
               const ct_compat_options *options, ct_compatibility *out)
{
    mt_str flow = run->plan->graphs[run->flow].id;
    checker c = {.a = a,
                 .run = run,
                 .old = run->plan,
                 .p = next,
                 .flow = ct_model_find(next->model, CT_KIND_FLOW, flow),
                 .out = out};
    *out = (ct_compatibility){.passes = {true, true, true}};
    if (!run->frames.len) { /* it has ended */
        out->compatible = true;
        return;
    }
    if (c.flow == CT_NONE) {
        oppose(&c, CT_NO_FLOW, CT_NONE, flow, "flow '%.*s' is not in the new contract",
               MT_ARG(flow));
    } else {
        c.values = mt_new_array(a, uint8_t, next->model->condition_count);
        c.entity_noted = mt_new_array(a, uint8_t, next->model->entity_count);
        c.matched = mt_new_array(a, uint8_t, next->graph_count);
        c.was = mt_new_array(a, uint32_t, next->step_count);
        find_states(&c);
        open_snapshot(&c);
        check_all(&c, options && options->aggressive);
        close_snapshot(&c);
    }
    settle(out, a);
}
