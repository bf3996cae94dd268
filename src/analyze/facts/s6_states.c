/* analyze/facts/s6_states.c - S6: which states entities can be in at each step.
 *
 * At every step each entity of the graph has a set of states: those some way here has
 * brought it to (`gen`), and, while some way here has not touched it (`keep`), any
 * state a run can begin in. An operation's outcome turns source states into targets
 * and is impossible when no source is in the set; a sub-flow does what its summary
 * says; a branch of a parallel step begins with the set at that step. Ways are merged
 * by union, entity by entity: what is impossible here is impossible, the converse is
 * not sure.
 *
 * Steps are taken in topological order, sub-flows before the graphs that call them;
 * each graph is followed once and leaves a summary (its rows at a good and at a bad
 * end). An entity outside the layout of a graph is not touched by it.
 *
 * Rows are bounded by MAX_CELLS words for each graph; beyond, states are not followed
 * in it and every way counts as possible. Two arenas: `rows` lives with the graph,
 * `brief` with one step. */
#include "analyze/facts/analyzer.h"

enum { MAX_CELLS = 1 << 22 };

/* How the states of one graph's entities lie in a row of words: first the keep bits,
 * then each entity's bits. */
typedef struct layout {
    uint32_t *entities, count;
    uint32_t *offset; /* of each, in words */
    uint32_t words;
} layout;

typedef struct summary {
    bool done, followed; /* visited; small enough to know states */
    layout at;
    uint64_t *good, *bad; /* rows at the ends; NULL: no way there */
} summary;

typedef struct follower {
    an_analyzer *z;
    const ct_plan *p;
    summary *graphs;
    uint32_t *local;   /* per entity: its place in the layout in use, plus 1 */
    uint64_t *reached; /* bit per step of the plan */
    an_graph_paths *paths;
    mt_arena rows, brief; /* what a graph keeps; what one step needs */
} follower;

/* One graph being followed. */
typedef struct pass {
    follower *f;
    uint32_t graph;
    summary *s;
    uint64_t **rows;  /* per step of the graph, NULL: not reached */
    uint64_t *states; /* of all entities: what the graph brings them to */
} pass;

/* ---- rows ---- */

/* Only entities that the graph can touch have bits, so rows stay short. */
static layout lay_out(follower *f, uint32_t graph)
{
    const ct_model *m = f->p->model;
    const uint64_t *set = f->p->graphs[graph].entities;
    layout l = {0};
    for (uint32_t e = 0; e < m->entity_count; e++) {
        l.count += ct_bit(set, e);
    }
    l.entities = mt_new_array(&f->rows, uint32_t, l.count);
    l.offset = mt_new_array(&f->rows, uint32_t, l.count);
    l.words = l.count / 64 + 1;
    for (uint32_t e = 0, n = 0; e < m->entity_count; e++) {
        if (ct_bit(set, e)) {
            l.entities[n] = e;
            l.offset[n++] = l.words;
            l.words += m->entities[e].state_count / 64 + 1;
        }
    }
    return l;
}

static void use_layout(follower *f, const layout *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        f->local[l->entities[i]] = i + 1;
    }
}

static uint64_t *copy_row(pass *x, mt_arena *a, const uint64_t *row)
{
    uint64_t *out = mt_new_array(a, uint64_t, x->s->at.words);
    if (row) {
        memcpy(out, row, x->s->at.words * sizeof *row);
    }
    return out;
}

static void merge_row(pass *x, mt_arena *a, uint64_t **into, const uint64_t *row)
{
    if (!*into) {
        *into = copy_row(x, a, row);
        return;
    }
    for (uint32_t i = 0; i < x->s->at.words; i++) {
        (*into)[i] |= row[i];
    }
}

static void clear_bit(uint64_t *words, uint32_t bit)
{
    words[bit >> 6] &= ~((uint64_t)1 << (bit & 63));
}

/* ---- operations ---- */

/* Can the entity be in the state? */
static bool can_be(pass *x, const uint64_t *row, uint32_t local, uint32_t state)
{
    const layout *l = &x->s->at;
    return ct_bit(row + l->offset[local], state) ||
           (ct_bit(row, local) &&
            ct_bit(x->f->z->an->reach[l->entities[local]].declared, state));
}

/* Applies an outcome to the row; false: it cannot happen. The effects on one entity
 * stand together. */
static bool apply_outcome(pass *x, uint64_t *row, const ct_plan_outcome *o)
{
    const layout *l = &x->s->at;
    const ct_plan_effect *e = &x->f->p->effects[o->first_effect];
    const ct_plan_effect *end = e + o->effect_count;
    while (e < end) {
        uint32_t entity = e->entity, local = x->f->local[entity] - 1;
        uint32_t words = x->f->p->model->entities[entity].state_count / 64 + 1;
        uint64_t *next = mt_new_array(&x->f->brief, uint64_t, words);
        bool some = false;
        for (; e < end && e->entity == entity; e++) {
            if (can_be(x, row, local, e->from)) {
                ct_bit_set(next, e->to);
                some = true;
            }
        }
        if (!some) {
            return false;
        }
        memcpy(row + l->offset[local], next, words * sizeof *next);
        clear_bit(row, local);
    }
    return true;
}

static void note_states(pass *x, const ct_plan_outcome *o, const uint64_t *row)
{
    const layout *l = &x->s->at;
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_plan_effect *e = &x->f->p->effects[o->first_effect + i];
        if (ct_bit(row + l->offset[x->f->local[e->entity] - 1], e->to)) {
            ct_bit_set(x->states, an_state_number(x->f->z->an, e->entity, e->to));
        }
    }
}

/* The row after outcome `nth` of the operation, NULL if it cannot happen. */
static uint64_t *after_outcome(pass *x, const uint64_t *row, uint32_t op, uint32_t nth)
{
    const ct_plan_outcome *o = &x->f->p->outcomes[x->f->p->ops[op].first_outcome + nth];
    uint64_t *out = copy_row(x, &x->f->brief, row);
    if (!an_admissible(x->f->z->an, op) || !apply_outcome(x, out, o)) {
        return NULL;
    }
    note_states(x, o, out);
    return out;
}

/* ---- where rows go ---- */

/* A target is a step, whose row grows, or an end of the graph. */
static void go(pass *x, ct_plan_target to, const uint64_t *row)
{
    if (!row) {
        return;
    }
    if (to.step != CT_NONE) {
        merge_row(x, &x->f->rows,
                  &x->rows[to.step - x->f->p->graphs[x->graph].first_step], row);
        return;
    }
    bool failed = to.terminal == CT_NONE || x->f->p->terminals[to.terminal].failed;
    merge_row(x, &x->f->rows, failed ? &x->s->bad : &x->s->good, row);
}

/* Compensations one after the other, each on the states that the one before may have
 * left. */
static void go_failed(pass *x, const ct_plan_step *s, const uint64_t *row)
{
    const ct_plan_handler *h = &s->handler;
    for (uint32_t i = 0; i < h->undo_count && row; i++) {
        const ct_plan_undo *undo = &x->f->p->undos[h->first_undo + i];
        uint64_t *done = NULL;
        go(x, (ct_plan_target){CT_NONE, undo->on_failure}, row);
        for (uint32_t o = 0; o < x->f->p->ops[undo->op].outcome_count; o++) {
            uint64_t *after = after_outcome(x, row, undo->op, o);
            if (after) {
                merge_row(x, &x->f->brief, &done, after);
            }
        }
        row = done;
    }
    go(x, h->next, row);
}

static const ct_flow *flow_at(const pass *x)
{
    return &x->f->p->model->flows[an_flow_of(x->f->p, x->graph)];
}

/* The first entity of the operation that is in no state one of its effects leaves. */
static uint32_t misplaced(pass *x, const uint64_t *row, uint32_t op)
{
    const ct_operation *o = &x->f->p->model->operations[op];
    for (uint32_t i = 0; i < o->effect_count; i++) {
        uint32_t entity = o->effects[i].entity;
        bool fits = false;
        for (uint32_t k = 0; k < o->effect_count && !fits; k++) {
            fits = o->effects[k].entity == entity &&
                   can_be(x, row, x->f->local[entity] - 1, o->effects[k].from);
        }
        if (!fits) {
            return entity;
        }
    }
    return o->effects[0].entity;
}

/* Names the states an entity may be in when the step comes, none of which lets it go
 * on. */
static void report_stuck(pass *x, const ct_plan_step *s, const uint64_t *row)
{
    const ct_model *m = x->f->p->model;
    const ct_flow *flow = flow_at(x);
    const ct_entity *e = &m->entities[misplaced(x, row, s->what)];
    uint32_t local = x->f->local[(uint32_t)(e - m->entities)] - 1;
    mt_buf names = {0};
    for (uint32_t i = 0; i < e->state_count; i++) {
        if (can_be(x, row, local, i)) {
            mt_buf_addf(&names, "%s%.*s", names.len ? ", " : "", MT_ARG(e->states[i]));
        }
    }
    an_report_finding(x->f->z, "S602", MT_WARNING, "Flow", flow->id, s->id,
                      flow->origin,
                      "step '%.*s' always fails: %.*s is in {%.*s} there, a state that "
                      "operation %.*s does not leave",
                      MT_ARG(s->id), MT_ARG(e->id), MT_ARG(mt_buf_str(&names)),
                      MT_ARG(m->operations[s->what].id));
    mt_buf_free(&names);
}

static void follow_operation(pass *x, const ct_plan_step *s, const uint64_t *row)
{
    bool can_succeed = false;
    for (uint32_t i = 0; i < s->target_count; i++) {
        const uint64_t *after = after_outcome(x, row, s->what, i);
        can_succeed |= after != NULL;
        go(x, x->f->p->targets[s->first_target + i], after);
    }
    if (!can_succeed && an_admissible(x->f->z->an, s->what)) {
        report_stuck(x, s, row);
    }
    go_failed(x, s, row);
}

static void follow_branch(pass *x, const ct_plan_step *s, const uint64_t *row)
{
    an_truth t = (an_truth)x->f->z->an->condition_truth[s->what];
    const ct_plan_target *to = &x->f->p->targets[s->first_target];
    go(x, to[0], t & AN_CAN_HOLD ? row : NULL);
    go(x, to[1], t & AN_CAN_FAIL ? row : NULL);
}

/* ---- what is inside ---- */

static void follow_graph(follower *f, uint32_t graph, const layout *outer,
                         const uint64_t *start);

static void copy_bits(uint64_t *to, const uint64_t *from, uint32_t words, bool add)
{
    for (uint32_t i = 0; i < words; i++) {
        to[i] = add ? to[i] | from[i] : from[i];
    }
}

/* The row after a graph inside: `end` is its row there (NULL: no way), relative to
 * nothing when it began with this very row, otherwise to any beginning. */
static uint64_t *after_graph(pass *x, const uint64_t *row, uint32_t graph,
                             const uint64_t *end)
{
    if (!row || !end) {
        return NULL;
    }
    uint64_t *out = copy_row(x, &x->f->brief, row);
    const layout *inner = &x->f->graphs[graph].at;
    bool own = x->f->p->graphs[graph].owner != CT_NONE; /* began with this row */
    for (uint32_t i = 0; i < inner->count; i++) {
        uint32_t entity = inner->entities[i], local = x->f->local[entity] - 1;
        uint32_t words = x->f->p->model->entities[entity].state_count / 64 + 1;
        bool kept = ct_bit(end, i);
        copy_bits(out + x->s->at.offset[local], end + inner->offset[i], words,
                  kept && !own);
        if (!kept) {
            clear_bit(out, local);
        }
    }
    return out;
}

/* After a graph whose states were not followed its entities may be in any state. */
static uint64_t *after_unknown(pass *x, const uint64_t *row, uint32_t graph)
{
    uint64_t *out = copy_row(x, &x->f->brief, row);
    const layout *inner = &x->f->graphs[graph].at;
    for (uint32_t i = 0; i < inner->count; i++) {
        ct_bit_set(out, x->f->local[inner->entities[i]] - 1);
    }
    return out;
}

static uint64_t *after_inner(pass *x, const uint64_t *row, uint32_t graph, bool failed)
{
    const summary *inner = &x->f->graphs[graph];
    const an_graph_paths *paths = &x->f->paths[graph];
    if (inner->followed) {
        return after_graph(x, row, graph, failed ? inner->bad : inner->good);
    }
    bool none = an_count_zero(failed ? paths->failed : paths->success);
    return none || !row ? NULL : after_unknown(x, row, graph);
}

static void add_states(pass *x, uint32_t graph)
{
    const an_analysis *an = x->f->z->an;
    uint32_t words = an->first_state[an->model->entity_count] / 64 + 1;
    if (x->f->paths[graph].states) {
        copy_bits(x->states, x->f->paths[graph].states, words, true);
    }
}

static void follow_subflow(pass *x, const ct_plan_step *s, const uint64_t *row)
{
    add_states(x, s->what);
    go(x, x->f->p->targets[s->first_target], after_inner(x, row, s->what, false));
    const uint64_t *failed = after_inner(x, row, s->what, true);
    if (failed) {
        go_failed(x, s, failed);
    }
}

static void report_no_policy(pass *x, const ct_plan_step *s, const char *what)
{
    const ct_flow *flow = flow_at(x);
    an_report_finding(x->f->z, "S604", MT_WARNING, "Flow", flow->id, s->id,
                      flow->origin,
                      "parallel step '%.*s' has no policy for when %s: the run breaks "
                      "off",
                      MT_ARG(s->id), what);
}

/* Branches change different entities, so one after the other is as good as at once. */
static void follow_parallel(pass *x, const ct_plan_step *s, const uint64_t *row)
{
    const uint64_t *all_good = row, *ended = row;
    bool can_fail = false;
    for (uint32_t i = 0; i < s->branch_count; i++) {
        uint32_t branch = s->first_branch + i;
        follow_graph(x->f, branch, &x->s->at, row);
        use_layout(x->f, &x->s->at);
        add_states(x, branch);
        uint64_t *either = after_inner(x, ended, branch, false);
        uint64_t *bad = after_inner(x, ended, branch, true);
        if (bad) {
            merge_row(x, &x->f->brief, &either, bad);
        }
        can_fail |= bad != NULL;
        ended = either;
        all_good = after_inner(x, all_good, branch, false);
    }
    const ct_plan_target *to = &x->f->p->targets[s->first_target];
    go(x, ct_target_given(to[0]) ? to[0] : to[1], all_good);
    if (all_good && !ct_target_given(to[0]) && !ct_target_given(to[1])) {
        report_no_policy(x, s, "all branches succeed");
    }
    if (can_fail && s->handler.kind != CT_HANDLER_NONE) {
        go_failed(x, s, ended);
    } else if (can_fail) {
        go(x, to[1], ended);
        if (!ct_target_given(to[1])) {
            report_no_policy(x, s, "a branch fails");
        }
    }
}

static void follow_step(pass *x, uint32_t step, const uint64_t *row)
{
    const ct_plan_step *s = &x->f->p->steps[step];
    mt_mark mark = mt_arena_mark(&x->f->brief);
    ct_bit_set(x->f->reached, step);
    switch (s->does) {
    case LN_OPERATES: follow_operation(x, s, row); break;
    case LN_DECIDES: follow_branch(x, s, row); break;
    case LN_GOES_ON:
    case LN_ENDS: go(x, x->f->p->targets[s->first_target], row); break;
    case LN_CALLS: follow_subflow(x, s, row); break;
    case LN_FORKS: follow_parallel(x, s, row); break;
    }
    mt_arena_rewind(&x->f->brief, mark);
}

/* ---- graphs ---- */

/* Too large: everything the entry leads to counts as reached, every end as possible. */
static void give_up(follower *f, uint32_t graph, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const ct_plan_step *s = &f->p->steps[order[i]];
        ct_bit_set(f->reached, order[i]);
        for (uint32_t b = 0; b < s->branch_count; b++) {
            const uint32_t *inner;
            uint32_t n = an_steps_in_order(&f->rows, f->p, s->first_branch + b, &inner);
            give_up(f, s->first_branch + b, inner, n);
        }
    }
    f->graphs[graph].done = true;
    f->paths[graph].can_succeed = !an_count_zero(f->paths[graph].success);
}

/* The row a graph begins with: what `outer` knows of its entities, or any state. */
static uint64_t *first_row(pass *x, const layout *outer, const uint64_t *start)
{
    uint64_t *row = copy_row(x, &x->f->rows, NULL);
    const layout *l = &x->s->at;
    if (outer) {
        use_layout(x->f, outer);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t words = x->f->p->model->entities[l->entities[i]].state_count / 64 + 1;
        uint32_t local = outer ? x->f->local[l->entities[i]] - 1 : 0;
        if (!outer || ct_bit(start, local)) {
            ct_bit_set(row, i);
        }
        if (outer) {
            copy_bits(row + l->offset[i], start + outer->offset[local], words, false);
        }
    }
    return row;
}

static void follow_subflows_first(follower *f, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const ct_plan_step *s = &f->p->steps[order[i]];
        if (s->does == LN_CALLS) {
            follow_graph(f, s->what, NULL, NULL);
        }
    }
}

/* Graphs that are called come first: their summary is needed here. */
static void follow_graph(follower *f, uint32_t graph, const layout *outer,
                         const uint64_t *start)
{
    summary *s = &f->graphs[graph];
    const an_analysis *an = f->z->an;
    const uint32_t *order;
    if (s->done || !an_go_on(f->z, "following states", graph, f->p->graph_count)) {
        return;
    }
    s->done = true;
    s->at = lay_out(f, graph);
    uint32_t count = an_steps_in_order(&f->rows, f->p, graph, &order);
    follow_subflows_first(f, order, count);
    if ((uint64_t)count * s->at.words > MAX_CELLS) {
        give_up(f, graph, order, count);
        return;
    }
    uint32_t words = an->first_state[an->model->entity_count] / 64 + 1;
    pass x = {.f = f,
              .graph = graph,
              .s = s,
              .rows =
                  mt_new_array(&f->rows, uint64_t *, f->p->graphs[graph].step_count),
              .states = mt_new_array(f->z->keep, uint64_t, words)};
    x.rows[order[0] - f->p->graphs[graph].first_step] = first_row(&x, outer, start);
    use_layout(f, &s->at);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *row = x.rows[order[i] - f->p->graphs[graph].first_step];
        if (row) {
            follow_step(&x, order[i], row);
        }
    }
    s->followed = true;
    f->paths[graph].states = x.states;
    f->paths[graph].can_succeed = s->good != NULL;
}

void an_s6_states(an_analyzer *z)
{
    const ct_plan *p = z->an->plan;
    follower f = {.z = z,
                  .p = p,
                  .graphs = mt_new_array(&z->scratch, summary, p->graph_count),
                  .local = mt_new_array(&z->scratch, uint32_t, p->model->entity_count),
                  .reached = mt_new_array(z->keep, uint64_t, p->step_count / 64 + 1),
                  .paths = z->graphs};
    z->an->steps_reached = f.reached;
    for (uint32_t i = 0; i < p->model->flow_count; i++) {
        follow_graph(&f, i, NULL, NULL);
    }
    mt_arena_free(&f.rows);
    mt_arena_free(&f.brief);
}
