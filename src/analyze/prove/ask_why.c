/* analyze/prove/ask_why.c - what stands in the way, the least of it.
 *
 * Of a no that is shown by a run or by facts, these are the reason. Of a no that is
 * proven, something keeps it from being so. For states and steps that is one of:
 *   a persona that may not perform an operation,
 *   a precondition that holds for no facts,
 *   a declared transition that no operation makes by itself.
 * Each can be thought away. Sets of them are tried in order of size, and the first that
 * makes the answer yes is the least; there may be others as small. The outline is asked
 * before joint states are searched, so most sets cost next to nothing. What is thought
 * away is not executed: nothing of it is possible.
 *
 * For facts it is a contradiction: parts of the condition, written out over facts, of
 * which none can be left out (ask_when.c).
 *
 * Bounds: MOST_SIZE obstacles in one set, and as many joint states in all as one search
 * may have. */
#include "analyze/prove/ask_internal.h"

/* The second: of an outline cost as much as one joint state. */
enum { MOST_SIZE = 3, OUTCOMES_A_STATE = 8 };

typedef enum obstacle_kind { PERSONA, PRECONDITION, TRANSITION } obstacle_kind;

typedef struct obstacle {
    obstacle_kind kind;
    uint32_t operation;        /* of the plan with what could be there */
    uint32_t entity, from, to; /* TRANSITION */
} obstacle;

/* One no that is to be explained. `chosen` are the
 * obstacles that are thought away at the moment. */
typedef struct thinker {
    asker *k;
    const ask_said *q;
    ct_plan *plan; /* the union's, and an operation for every transition */
    uint32_t first_extra;
    MT_VEC(obstacle) all;
    uint32_t chosen[MOST_SIZE], count; /* thought away, of `all` */
    const an_claim *claim;             /* what must be possible; NULL: the goal */
    ask_mix mix;
    size_t left; /* joint states that may still be searched */
    bool found;
} thinker;

/* ---- a plan with what could be there ---- */

/* A plan while it is copied and made longer. */
typedef struct maker {
    mt_arena *a;
    MT_VEC(ct_operation) operations;
    MT_VEC(ct_plan_op) ops;
    MT_VEC(ct_plan_outcome) outcomes;
    MT_VEC(ct_plan_effect) effects;
} maker;

/* Effects are written one outcome behind the
 * other, which they need not be in the plan. */
static void copy_plan(maker *m, const ct_plan *p)
{
    for (uint32_t i = 0; i < p->model->operation_count; i++) {
        mt_vec_push(m->a, &m->operations, p->model->operations[i]);
        mt_vec_push(m->a, &m->ops, p->ops[i]);
    }
    for (uint32_t i = 0; i < p->outcome_count; i++) {
        ct_plan_outcome o = p->outcomes[i];
        for (uint32_t e = 0; e < o.effect_count; e++) {
            mt_vec_push(m->a, &m->effects, p->effects[o.first_effect + e]);
        }
        o.first_effect = (uint32_t)m->effects.len - o.effect_count;
        mt_vec_push(m->a, &m->outcomes, o);
    }
}

/* An operation without a precondition that everybody may perform and that does this one
 * thing. It is possible only while its obstacle is thought away (may()). */
static void add_transition(thinker *x, maker *m, uint32_t entity, ct_transition t)
{
    const ct_plan *p = x->k->q->plan;
    uint32_t personas = p->model->persona_count;
    uint64_t *everybody = mt_new_array(m->a, uint64_t, (size_t)personas / 64 + 1);
    uint32_t *list = mt_new_array(m->a, uint32_t, (size_t)personas + 1);
    for (uint32_t i = 0; i < personas; i++) {
        ct_bit_set(everybody, i);
        list[i] = i;
    }
    ct_operation op = {.personas = list, .persona_count = personas};
    obstacle o = {TRANSITION, (uint32_t)m->operations.len, entity, t.from, t.to};
    mt_vec_push(m->a, &x->all, o);
    mt_vec_push(m->a, &m->operations, op);
    mt_vec_push(m->a, &m->ops,
                ((ct_plan_op){CT_NONE, (uint32_t)m->outcomes.len, 1, everybody}));
    mt_vec_push(m->a, &m->outcomes,
                ((ct_plan_outcome){MT_STR(""), (uint32_t)m->effects.len, 1}));
    mt_vec_push(m->a, &m->effects, ((ct_plan_effect){entity, t.from, t.to}));
}

/* A transition from a state to itself stands in nobody's way and is left out. */
static void make_plan(thinker *x)
{
    const ct_plan *p = x->k->q->plan;
    maker m = {.a = x->k->a};
    ct_model *model = mt_new(m.a, ct_model);
    copy_plan(&m, p);
    x->first_extra = (uint32_t)m.operations.len;
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        const ct_entity *en = &p->model->entities[e];
        for (uint32_t t = 0; t < en->transition_count; t++) {
            if (en->transitions[t].from != en->transitions[t].to) {
                add_transition(x, &m, e, en->transitions[t]);
            }
        }
    }
    *model = *p->model;
    model->operations = m.operations.items;
    model->operation_count = (uint32_t)m.operations.len;
    x->plan = mt_new(m.a, ct_plan);
    *x->plan = *p;
    x->plan->model = model;
    x->plan->ops = m.ops.items;
    x->plan->outcomes = m.outcomes.items;
    x->plan->outcome_count = (uint32_t)m.outcomes.len;
    x->plan->effects = m.effects.items;
}

/* ---- obstacles ---- */

static bool is_goal_operation(const thinker *x, uint32_t op)
{
    const ask_goal *g = &x->q->goals[0];
    const ct_plan *p = x->k->q->plan;
    if (x->claim || g->operation != CT_NONE) {
        return !x->claim && g->operation == op;
    }
    const ct_operation *o = &p->model->operations[op];
    for (uint32_t i = 0; i < o->effect_count; i++) {
        if (o->effects[i].entity == g->entity && o->effects[i].to == g->to &&
            (g->from == CT_NONE || g->from == o->effects[i].from)) {
            return true;
        }
    }
    return false;
}

/* Transitions are in the list already. Personas only of operations that serve the goal:
 * who performs the others is not asked. */
static void list_obstacles(thinker *x)
{
    an_asker *q = x->k->q;
    for (uint32_t o = 0; o < q->plan->model->operation_count; o++) {
        obstacle persona = {.kind = PERSONA, .operation = o};
        obstacle precondition = {.kind = PRECONDITION, .operation = o};
        if (!x->claim && x->q->persona != CT_NONE && is_goal_operation(x, o) &&
            !ask_allows(q, o, x->q->persona)) {
            mt_vec_push(x->k->a, &x->all, persona);
        }
        if (ask_can_hold(q, o)->possible == AN_NEVER) {
            mt_vec_push(x->k->a, &x->all, precondition);
        }
    }
}

static bool is_thought_away(const thinker *x, obstacle_kind kind, uint32_t op)
{
    for (uint32_t i = 0; i < x->count; i++) {
        const obstacle *o = &x->all.items[x->chosen[i]];
        if (o->kind == kind && o->operation == op) {
            return true;
        }
    }
    return false;
}

/* ---- trying ---- */

static bool may(void *context, uint32_t op)
{
    const thinker *x = context;
    return op >= x->first_extra
               ? is_thought_away(x, TRANSITION, op)
               : is_thought_away(x, PRECONDITION, op) ||
                     ask_can_hold(x->k->q, op)->possible == AN_POSSIBLE;
}

/* Somebody else's operation does not serve a persona, unless its list is thought away.
 * What nobody performs today serves everybody. */
static bool serves(const thinker *x, const an_joint_step *step)
{
    uint32_t op = step->operation;
    return ask_serves(&x->q->goals[0], step) &&
           (op >= x->first_extra || ask_allows(x->k->q, op, x->q->persona) ||
            is_thought_away(x, PERSONA, op));
}

static bool look_at_step(void *context, const an_joint *j, uint32_t node,
                         const an_joint_step *step)
{
    thinker *x = context;
    (void)j;
    (void)node;
    x->found |= !x->claim && serves(x, step);
    return x->found;
}

/* The entities the question is about. */
static void mark_entities(const thinker *x, const an_outline *o, uint64_t *groups)
{
    const asker *k = x->k;
    const ask_goal *g = &x->q->goals[0];
    for (size_t i = 0; x->claim && i < k->atoms.len; i++) {
        ct_bit_set(groups, o->group[k->atoms.items[i].entity]);
    }
    if (!x->claim && g->entity != CT_NONE) {
        ct_bit_set(groups, o->group[g->entity]);
    }
    const ct_operation *op = x->claim || g->operation == CT_NONE
                                 ? NULL
                                 : &x->plan->model->operations[g->operation];
    for (uint32_t i = 0; op && i < op->effect_count; i++) {
        ct_bit_set(groups, o->group[op->effects[i].entity]);
    }
}

/* The groups are those of the larger plan: what is thought away may join them. */
static void search(thinker *x, const an_setting *s, const an_outline *o)
{
    const ct_model *m = x->plan->model;
    asker *k = x->k;
    mt_arena tmp = {0};
    uint32_t *groups = mt_new_array(&tmp, uint32_t, (size_t)m->entity_count + 2);
    uint32_t count = 0;
    uint64_t *wanted = mt_new_array(&tmp, uint64_t, (size_t)m->entity_count / 64 + 1);
    mark_entities(x, o, wanted);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (ct_bit(wanted, e)) {
            groups[count++] = e;
        }
    }
    groups[count] = CT_NONE;
    an_joint *j = an_joint_open(&tmp, s, o, groups, count + 1);
    ask_space space = {.q = k->q, .scope = {.instances = s->instances}, .j = j};
    for (uint32_t n = 0; n < j->nodes.len && !x->found && x->left; n++, x->left--) {
        x->found = x->claim &&
                   ask_mix_at(k, &x->mix, &space, n, CT_NONE)->possible == AN_POSSIBLE;
        if (!x->found && !an_joint_grow(j, look_at_step, x)) {
            break;
        }
    }
    mt_arena_free(&tmp);
}

/* Looking at each entity by itself, may it be? */
static bool in_outline(const thinker *x, const an_outline *o)
{
    for (uint32_t i = 0; !x->claim && i < x->plan->outcome_count; i++) {
        const ct_plan_outcome *out = &x->plan->outcomes[i];
        uint32_t op = o->operation[i];
        bool goal = op < x->first_extra && is_goal_operation(x, op);
        for (uint32_t e = 0; op >= x->first_extra && e < out->effect_count; e++) {
            const ct_plan_effect *f = &x->plan->effects[out->first_effect + e];
            const ask_goal *g = &x->q->goals[0];
            goal |= g->operation == CT_NONE && f->entity == g->entity && f->to == g->to;
        }
        if (goal && ct_bit(o->outcomes, i)) {
            return true;
        }
    }
    return x->claim != NULL;
}

/* Is the answer yes without what is chosen? Costs are taken from `left`, so that all
 * tries together are bounded. */
static bool helps(thinker *x)
{
    mt_arena tmp = {0};
    an_setting s = {.plan = x->plan,
                    .persona = CT_NONE,
                    .instances = x->q->instances,
                    .most = x->left,
                    .may = may,
                    .context = x};
    an_outline o = an_outline_of(&tmp, &s);
    size_t cost = x->plan->outcome_count / OUTCOMES_A_STATE + 1;
    x->left -= cost < x->left ? cost : x->left;
    x->found = false;
    if (in_outline(x, &o)) {
        search(x, &s, &o);
    }
    mt_arena_free(&tmp);
    return x->found;
}

/* Sets of `size`, each in ascending order. */
static bool try_sets(thinker *x, uint32_t size, uint32_t from)
{
    if (x->count == size) {
        return helps(x);
    }
    for (uint32_t i = from; i < x->all.len && x->left; i++) {
        x->chosen[x->count++] = i;
        if (try_sets(x, size, i + 1)) {
            return true;
        }
        x->count--;
    }
    return false;
}

/* ---- saying it ---- */

static void say_obstacle(thinker *x, mt_jw *w, const obstacle *o)
{
    static const char *const KINDS[] = {[PERSONA] = "persona",
                                        [PRECONDITION] = "precondition",
                                        [TRANSITION] = "transition"};
    MT_TABLE_COVERS(KINDS, TRANSITION + 1);
    asker *k = x->k;
    const ct_plan *p = k->q->plan;
    mt_jw_begin_object(w);
    if (o->kind == TRANSITION) {
        mt_str id = ct_entity_id(p, o->entity);
        mt_str from = ct_plan_state_id(p, o->entity, o->from);
        mt_str to = ct_plan_state_id(p, o->entity, o->to);
        mt_buf_addf(&k->text, "    no operation moves %.*s from %.*s to %.*s there\n",
                    MT_ARG(id), MT_ARG(from), MT_ARG(to));
        mt_jw_key_str(w, "entity", id);
        mt_jw_key_str(w, "from", from);
        mt_jw_key_str(w, "kind", mt_str_z(KINDS[o->kind]));
        mt_jw_key_str(w, "to", to);
    } else {
        mt_str id = ct_operation_id(p, o->operation);
        mt_jw_key_str(w, "kind", mt_str_z(KINDS[o->kind]));
        mt_jw_key_str(w, "operation", id);
        if (o->kind == PERSONA) {
            mt_str who = ct_persona_id(p, x->q->persona);
            mt_buf_addf(&k->text, "    %.*s may not perform %.*s\n", MT_ARG(who),
                        MT_ARG(id));
            mt_jw_key_str(w, "persona", who);
        } else {
            mt_buf_addf(&k->text, "    the precondition of %.*s holds for no facts\n",
                        MT_ARG(id));
        }
    }
    mt_jw_end_object(w);
}

static void say_set(thinker *x)
{
    asker *k = x->k;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_buf_addf(&k->text, "  in the way%s:\n",
                x->count > 1 ? ", and nothing less" : "");
    mt_jw_begin_array(&w);
    for (uint32_t i = 0; i < x->count; i++) {
        say_obstacle(x, &w, &x->all.items[x->chosen[i]]);
    }
    mt_jw_end_array(&w);
    ask_put(k, "obstacles", ask_kept(k, &b));
}

static void explain_states(asker *k, const ask_said *q, const an_claim *claim)
{
    thinker x = {.k = k,
                 .q = q,
                 .claim = claim,
                 .mix = {.claim = claim, .reads_facts = k->reads_facts},
                 .left = k->q->limits.reach_states};
    bool found = false;
    list_obstacles(&x);
    make_plan(&x);
    for (uint32_t size = 1; size <= MOST_SIZE && !found && x.left; size++) {
        found = try_sets(&x, size, 0);
    }
    if (found) {
        say_set(&x);
    } else {
        mt_buf_addz(&k->text, x.left ? "  more than three things are in the way\n"
                                     : "  what is in the way was not decided "
                                       "(reach_states)\n");
    }
}

/* Only a no that is proven has something in its way; one that is shown shows it. */
void ask_explain(asker *k, const ask_said *q)
{
    bool goal = q->form == AN_ASK_CAN || q->form == AN_ASK_WHO;
    bool condition = q->form == AN_ASK_HOLD || q->form == AN_ASK_POSSIBLE ||
                     q->form == AN_ASK_WHEN_IS || q->form == AN_ASK_WHEN_CAN;
    if (goal) {
        explain_states(k, q, NULL);
    } else if (condition && k->atoms.len) {
        explain_states(k, q, an_claim_holds(k->a, AN_FIRST, q->conditions[0]));
    } else if (condition) {
        ask_conflict(k, q->conditions[0]);
    }
}
