/* analyze/prove/ask_way.c - how a persona gets somewhere, and that the engine goes.
 *
 * The order for one persona: the outline (each entity by itself, no solver) rules out
 * what cannot be; a search with the persona's operations alone; a search with
 * everybody's. The solver is asked about an operation when a search first comes to it.
 * An operation it cannot decide is not a step; only when nothing was found without
 * them they are all taken to be possible, and if there is still no way, there is none.
 *
 * INVARIANT: a way that is `found` has been executed, step by step, by the engine that
 * runs `motet eval --operation`, with the facts that are shown. A way the engine
 * refuses is a fault of the search: it is not shown, and the answer stays open.
 *
 * `cut` says that a search met its bound, `unsure` that it met an operation nobody
 * could decide; either keeps "no" from being said. The bench with facts and verdicts
 * is freed by ask_search_close(), the rest is the asker's arena. */
#include "analyze/prove/ask_internal.h"

/* ---- what may be performed ---- */

const an_answer *ask_can_hold(ask_search *s, uint32_t operation)
{
    if (!s->asked[operation]) {
        asker *k = s->k;
        const ct_expr *e = k->m->operations[operation].precondition;
        s->asked[operation] = true;
        s->possible[operation] =
            an_prove_possible(k->p, k->a, an_claim_holds(k->a, AN_FIRST, e));
    }
    return &s->possible[operation];
}

static bool may_by_structure(void *context, uint32_t op)
{
    (void)context;
    (void)op;
    return true;
}

static bool may_hold(void *context, uint32_t op)
{
    ask_search *s = context;
    const an_answer *holds = ask_can_hold(s, op);
    if (holds->possible != AN_UNKNOWN) {
        return holds->possible == AN_POSSIBLE;
    }
    s->unsure = true;
    s->reason = s->reason.len ? s->reason : holds->reason;
    return s->guess;
}

static bool allows(const ask_search *s, uint32_t operation, uint32_t persona)
{
    return persona == CT_NONE || ct_bit(s->plan->ops[operation].allowed, persona);
}

/* ---- goals ---- */

static bool serves(const ask_goal *g, const an_joint_step *step)
{
    if (g->operation != CT_NONE) {
        return step->operation == g->operation;
    }
    for (uint32_t i = 0; i < step->change_count; i++) {
        const ct_change *c = &step->changes[i];
        if (c->entity == g->entity && c->to == g->to &&
            (g->from == CT_NONE || g->from == c->from)) {
            return true;
        }
    }
    return false;
}

/* Could a step of this outcome serve, going by the outline? */
static bool outcome_serves(const ask_search *s, const an_outline *o, uint32_t outcome)
{
    const ct_plan_outcome *out = &s->plan->outcomes[outcome];
    const ask_goal *g = &s->goal;
    bool some = g->operation == o->operation[outcome];
    for (uint32_t i = 0; g->operation == CT_NONE && i < out->effect_count; i++) {
        const ct_plan_effect *e = &s->plan->effects[out->first_effect + i];
        some |= e->entity == g->entity && e->to == g->to &&
                (g->from == CT_NONE || g->from == e->from) &&
                ct_bit(o->states, o->first_state[e->entity] + e->from);
    }
    return some && ct_bit(o->outcomes, outcome);
}

static bool in_outline(const ask_search *s, const an_outline *o, uint32_t persona)
{
    for (uint32_t i = 0; i < s->plan->outcome_count; i++) {
        if (allows(s, o->operation[i], persona) && outcome_serves(s, o, i)) {
            return true;
        }
    }
    return false;
}

bool ask_never(ask_search *s, uint32_t persona)
{
    if (!in_outline(s, &s->outline, persona)) {
        return true;
    }
    if (!s->proven.states) {
        bool before = s->guess;
        s->guess = true;
        s->proven = an_outline_of(s->k->a, &s->scene);
        s->guess = before;
    }
    return !in_outline(s, &s->proven, persona);
}

/* ---- execution ---- */

static bool same_changes(const ct_attempt *got, const ct_change *changes,
                         const an_joint_step *step)
{
    bool same = !got->error && got->outcome == step->outcome &&
                got->change_count == step->change_count;
    for (uint32_t i = 0; same && i < step->change_count; i++) {
        const ct_change *x = &changes[i], *y = &step->changes[i];
        same = x->entity == y->entity && x->from == y->from && x->to == y->to;
    }
    return same;
}

/* Facts as they are shown, read and evaluated anew. */
static bool evaluate(mt_arena *a, ask_search *s, mt_str facts, mt_str *why)
{
    ct_bench *b = &s->bench;
    ct_fault fault = {0};
    mt_err err = ct_facts_read(b->facts, facts, b->limits, false, &fault);
    if (!err) {
        err = ct_evaluate(b->plan->program, b->facts, b->verdicts, a, &fault);
    }
    *why = err ? mt_str_dup(s->k->a, fault.message) : *why;
    return !err;
}

/* One step in the engine; `states` are those of the instances it is bound to. An
 * outcome is named only where the engine asks for it. */
static bool execute_step(mt_arena *a, ask_search *s, ask_step *x,
                         const uint32_t *states, mt_str *why)
{
    const ct_plan *p = s->plan;
    ct_bench *b = &s->bench;
    uint32_t op = x->step.operation;
    ct_attempt got;
    ct_change *changes = mt_new_array(a, ct_change, (size_t)p->max_changes + 1);
    if (!evaluate(a, s, ask_can_hold(s, op)->facts, why)) {
        return false;
    }
    ct_frozen z = {p, {p->program, b->facts, b->verdicts}, b->scratch};
    ct_op_try(&z, op, x->persona, states, CT_NONE, a, &got, changes);
    x->named = got.error == CT_OP_AMBIGUOUS;
    if (x->named) {
        ct_op_try(&z, op, x->persona, states, x->step.outcome, a, &got, changes);
    }
    *why = got.error ? ct_op_error_name(got.error) : MT_STR("it does something else");
    return same_changes(&got, changes, &x->step);
}

/* From the initial states on; `states` has one per instance, `bound` one per entity. */
static bool execute(ask_search *s, ask_way *w)
{
    const ct_model *m = s->plan->model;
    uint32_t n = s->goal.instances;
    mt_arena tmp = {0};
    mt_str why = {0};
    bool done = true;
    uint32_t *states = mt_new_array(&tmp, uint32_t, (size_t)m->entity_count * n + 1);
    uint32_t *bound = mt_new_array(&tmp, uint32_t, (size_t)m->entity_count + 1);
    for (uint32_t i = 0; i < m->entity_count * n; i++) {
        states[i] = m->entities[i / n].initial;
    }
    for (uint32_t i = 0; i < w->count && done; i++) {
        const an_joint_step *step = &w->steps[i].step;
        for (uint32_t e = 0; e < m->entity_count; e++) {
            bound[e] = states[e * n];
        }
        for (uint32_t c = 0; c < step->change_count; c++) {
            uint32_t e = step->changes[c].entity;
            bound[e] = states[e * n + step->instances[c]];
            states[e * n + step->instances[c]] = step->changes[c].to;
        }
        done = execute_step(&tmp, s, &w->steps[i], bound, &why);
    }
    if (!done) {
        s->reason = mt_strf(s->k->a, "the engine refuses a way that was found: %.*s",
                            MT_ARG(why));
    }
    mt_arena_free(&tmp);
    return done;
}

/* ---- searching ---- */

typedef struct hit {
    uint32_t node; /* the joint state before the step */
    bool found;
    an_joint_step step;
} hit;

typedef struct hunt {
    ask_search *s;
    hit *hits;      /* by persona; one more for anybody */
    uint32_t one;   /* whose way is looked for; UINT32_MAX: everybody's */
    uint32_t still; /* how many have none yet */
    mt_arena *tmp;
} hunt;

static void strike(hunt *h, uint32_t who, uint32_t node, const an_joint_step *step)
{
    hit *x = &h->hits[who];
    if (!x->found) {
        *x = (hit){node, true, an_joint_keep(h->tmp, step)};
        h->still--;
    }
}

static bool look(void *context, const an_joint *j, uint32_t node,
                 const an_joint_step *step)
{
    hunt *h = context;
    ask_search *s = h->s;
    uint32_t personas = s->plan->model->persona_count;
    (void)j;
    if (!serves(&s->goal, step)) {
        return false;
    }
    if (h->one != UINT32_MAX) {
        uint32_t persona = h->one == personas ? CT_NONE : h->one;
        if (allows(s, step->operation, persona)) {
            strike(h, h->one, node, step);
        }
        return h->still == 0;
    }
    for (uint32_t p = 0; p < personas; p++) {
        if (allows(s, step->operation, p)) {
            strike(h, p, node, step);
        }
    }
    return h->still == 0;
}

/* Who performs each step: `persona` where it may, else whoever acted before, else the
 * first who may. */
static void cast(const ask_search *s, ask_way *w, uint32_t persona)
{
    uint32_t last = persona;
    w->alone = true;
    for (uint32_t i = w->count; i-- > 0;) {
        const ct_operation *op =
            &s->plan->model->operations[w->steps[i].step.operation];
        bool own = persona != CT_NONE && allows(s, w->steps[i].step.operation, persona);
        bool same = last != CT_NONE && allows(s, w->steps[i].step.operation, last);
        last = own ? persona : same ? last : op->personas[0];
        w->steps[i].persona = last;
        w->alone &= own;
    }
}

static ask_way way_from(ask_search *s, an_joint *j, const hit *x, uint32_t persona)
{
    mt_arena *a = s->k->a;
    const an_joint_step *before;
    uint32_t count = an_joint_way(a, j, x->node, &before);
    ask_way w = {.count = count + 1,
                 .steps = mt_new_array(a, ask_step, (size_t)count + 1)};
    for (uint32_t i = 0; i < count; i++) {
        w.steps[i].step = before[i];
    }
    w.steps[count].step = an_joint_keep(a, &x->step);
    cast(s, &w, persona);
    w.found = !s->guess && execute(s, &w);
    w.open = !w.found;
    return w;
}

static void note_searched(ask_search *s, const an_joint *j)
{
    for (uint32_t i = 0; i < j->entity_count; i++) {
        ct_bit_set(s->entities, j->entities[i]);
    }
    if (!j->complete) {
        s->cut = true;
        s->reason =
            j->too_wide
                ? mt_strf(s->k->a, "an operation moves more than %d entities at once",
                          AN_MOST_CHANGES)
                : mt_strf(s->k->a,
                          "the search ended after %zu joint state%s (reach_states %zu)",
                          j->nodes.len, j->nodes.len == 1 ? "" : "s", s->scene.most);
    }
}

/* Ways of those who were first found in this search. */
static void collect(ask_search *s, an_joint *j, const hit *hits, ask_way *ways)
{
    uint32_t personas = s->plan->model->persona_count;
    for (uint32_t p = 0; p <= personas; p++) {
        if (hits[p].found && !ways[p].count) {
            ways[p] = way_from(s, j, &hits[p], p == personas ? CT_NONE : p);
        }
    }
}

/* Searches the groups of entities the goal is in. `one` is a persona, the number of
 * personas (anybody) or UINT32_MAX (each of them); `ways` has one place per persona and
 * one for anybody. `acting` performs every step; CT_NONE: everybody helps. */
static void search(ask_search *s, uint32_t one, uint32_t acting, ask_way *ways)
{
    const ct_model *m = s->plan->model;
    mt_arena tmp = {0};
    /* By group; the last is what moves nothing. */
    bool *seen = mt_new_array(&tmp, bool, (size_t)m->entity_count + 1);
    hunt h = {.s = s,
              .hits = mt_new_array(&tmp, hit, (size_t)m->persona_count + 1),
              .one = one,
              .still = one == UINT32_MAX ? m->persona_count : 1,
              .tmp = &tmp};
    an_setting scene = s->scene;
    scene.persona = acting;
    size_t joint_states = 0;
    s->cut = s->unsure = false;
    for (uint32_t o = 0; o < s->plan->outcome_count && h.still; o++) {
        uint32_t group = an_outcome_group(&s->scene, &s->outline, o);
        bool *done = &seen[group == CT_NONE ? m->entity_count : group];
        if (!*done && outcome_serves(s, &s->outline, o)) {
            an_joint *j = an_joint_search(&tmp, &scene, &s->outline, group, look, &h);
            joint_states += j->nodes.len;
            note_searched(s, j);
            collect(s, j, h.hits, ways);
            *done = true;
        }
    }
    s->joint_states = joint_states > s->joint_states ? joint_states : s->joint_states;
    mt_arena_free(&tmp);
}

/* Nothing was found by a search that was `cut` or `unsure`: can there be a way? */
static bool is_open(ask_search *s, uint32_t persona, bool cut, bool unsure)
{
    uint32_t personas = s->plan->model->persona_count;
    uint32_t one = persona == CT_NONE ? personas : persona;
    if (unsure && !cut) {
        ask_way *ways = mt_new_array(s->k->a, ask_way, (size_t)personas + 1);
        s->guess = true;
        search(s, one, CT_NONE, ways);
        s->guess = false;
        unsure = ways[one].count;
        cut = s->cut;
    }
    return (unsure || cut) && !ask_never(s, persona);
}

static ask_way alone_way(ask_search *s, uint32_t persona)
{
    uint32_t personas = s->plan->model->persona_count;
    ask_way *ways = mt_new_array(s->k->a, ask_way, (size_t)personas + 1);
    search(s, persona, persona, ways);
    ways[persona].alone_open = !ways[persona].found && (s->cut || s->unsure);
    return ways[persona];
}

ask_way ask_way_of(ask_search *s, uint32_t persona)
{
    uint32_t personas = s->plan->model->persona_count;
    uint32_t one = persona == CT_NONE ? personas : persona;
    ask_way *ways = mt_new_array(s->k->a, ask_way, (size_t)personas + 1);
    ask_way alone = {0};
    if (!in_outline(s, &s->outline, persona)) {
        return ways[one];
    }
    if (persona != CT_NONE) {
        alone = alone_way(s, persona);
    }
    if (alone.found) {
        return alone;
    }
    search(s, one, CT_NONE, ways);
    ways[one].alone_open = alone.alone_open && !ways[one].alone;
    if (!ways[one].count) {
        ways[one].open = is_open(s, persona, s->cut, s->unsure);
    }
    return ways[one];
}

/* The way without others, where there is one. */
static ask_way shorter_cast(ask_search *s, uint32_t persona, ask_way with_others)
{
    if (with_others.found && !with_others.alone) {
        ask_way alone = alone_way(s, persona);
        with_others.alone_open = alone.alone_open;
        return alone.found ? alone : with_others;
    }
    return with_others;
}

static bool note_moves(void *context, const an_joint *j, uint32_t node,
                       const an_joint_step *step)
{
    ask_search *s = context;
    (void)j;
    (void)node;
    if (!allows(s, step->operation, s->mover)) {
        return false;
    }
    const ct_plan_outcome *o = &s->plan->outcomes[step->outcome];
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_plan_effect *e = &s->plan->effects[o->first_effect + i];
        for (uint32_t c = 0; c < step->change_count; c++) {
            if (step->changes[c].entity == e->entity &&
                step->changes[c].from == e->from) {
                ct_bit_set(s->moved, o->first_effect + i);
            }
        }
    }
    return false;
}

/* What the persona does with the entity that is asked about: a search of its own, for
 * its bound says nothing about the answer. */
static void watch(ask_search *s, uint32_t persona)
{
    mt_arena tmp = {0};
    mt_str reason = s->reason;
    s->mover = persona;
    s->unsure = false;
    const an_joint *j = an_joint_search(
        &tmp, &s->scene, &s->outline, s->outline.group[s->goal.entity], note_moves, s);
    s->moved_open = s->unsure || !j->complete;
    s->reason = reason;
    mt_arena_free(&tmp);
}

ask_way *ask_ways(ask_search *s, uint32_t mover)
{
    uint32_t personas = s->plan->model->persona_count;
    ask_way *ways = mt_new_array(s->k->a, ask_way, (size_t)personas + 1);
    search(s, UINT32_MAX, CT_NONE, ways);
    bool cut = s->cut, unsure = s->unsure;
    for (uint32_t p = 0; p < personas; p++) {
        if (ways[p].count) {
            ways[p] = shorter_cast(s, p, ways[p]);
        } else if (in_outline(s, &s->outline, p)) {
            ways[p].open = is_open(s, p, cut, unsure);
        }
    }
    if (mover != CT_NONE && s->goal.entity != CT_NONE) {
        watch(s, mover);
    }
    return ways;
}

/* ---- opening ---- */

bool ask_search_open(asker *k, const ask_goal *g, ask_search *out)
{
    const ct_model *m = k->m;
    mt_diags ds = {.arena = k->a};
    const ct_plan *plan;
    if (ct_plan_build(k->a, k->program, &ds, &plan)) {
        k->reason = mt_strf(k->a, "the engine refuses the contract: %.*s",
                            MT_ARG(ds.items[0].message));
        return false;
    }
    const mt_limits *limits = an_prover_limits(k->p);
    size_t effects = 1;
    for (uint32_t i = 0; i < plan->outcome_count; i++) {
        effects += plan->outcomes[i].effect_count;
    }
    *out =
        (ask_search){.k = k,
                     .plan = plan,
                     .goal = *g,
                     .bench = ct_bench_new(plan, limits),
                     .possible = mt_new_array(k->a, an_answer, m->operation_count + 1),
                     .asked = mt_new_array(k->a, bool, m->operation_count + 1),
                     .moved = mt_new_array(k->a, uint64_t, effects / 64 + 1),
                     .entities = mt_new_array(k->a, uint64_t, plan->entity_words + 1),
                     .mover = CT_NONE};
    out->scene = (an_setting){.plan = plan,
                              .persona = CT_NONE,
                              .instances = g->instances,
                              .most = limits->reach_states,
                              .may = may_by_structure};
    out->outline = an_outline_of(k->a, &out->scene);
    out->scene.may = may_hold;
    out->scene.context = out;
    return true;
}

void ask_search_close(ask_search *s)
{
    ct_bench_free(&s->bench);
}
