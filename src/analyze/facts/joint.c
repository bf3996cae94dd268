/* analyze/facts/joint.c - the outline by a worklist, the search breadth-first.
 *
 * Outline: `waits` counts, for each outcome, the entities none of whose sources was
 * reached yet; when it falls to zero the outcome may be taken. Every effect is looked
 * at once for its source and once for its outcome, so the work is linear. It says too
 * much where entities depend on each other, never too little. Entities that some
 * outcome moves together are one group; groups do not influence each other, so each is
 * searched by itself, unless a question is about several.
 *
 * Search: a joint state is packed into a few words, found again by a hash table, and
 * has the step that first led to it. Several instances of one entity in the same state
 * are alike, so only the first of them is moved; one that is set apart is like no
 * other. Marks are one more word, so that a history is part of where a run is.
 *
 * INVARIANT: the nodes are in breadth-first order, so a way is a shortest one and the
 * same on every machine.
 *
 * Nothing here fails: a search that meets more joint states than the scene allows goes
 * on with those it has, one that has more to do than so many states should need ends;
 * neither is `complete`, and callers must not say "never" then. Memory is the caller's
 * arena; visitors see steps in place and keep copies (an_joint_keep()). */
#include "analyze/facts/joint.h"

#include "analyze/facts/edges.h"

/* Words and work of a whole search, per joint state allowed and a few more: an entity
 * of an outcome that is looked at is one unit of work, a step that is made STEP_WORK.
 */
enum { WORDS_PER_STATE = 16, WORK_PER_STATE = 256, SPARE_STATES = 1000, STEP_WORK = 8 };

static bool is_shared(const an_setting *s, uint32_t entity)
{
    return s->shared && ct_bit(s->shared, entity);
}

static bool performs_it(const an_setting *s, uint32_t op)
{
    return (s->persona == CT_NONE || ct_bit(s->plan->ops[op].allowed, s->persona)) &&
           (!s->only || ct_bit(s->only, op));
}

/* ---- outline ---- */

typedef struct outliner {
    const an_setting *s;
    const ct_plan *p;
    uint32_t *first_state, *operation; /* of entities, of outcomes */
    uint32_t *outcome_of, *first_on;   /* of effects: the first on the same entity */
    an_edges by_source;                /* the tag is the effect */
    uint32_t *waits;
    bool *met; /* by effect that is the first on its entity: some source was reached */
    uint64_t *states, *outcomes;
    uint32_t *queue, queued; /* states reached and not yet looked at */
} outliner;

static uint32_t number_of(const outliner *x, uint32_t entity, uint32_t state)
{
    return x->first_state[entity] + state;
}

/* Every state enters the queue once, so it needs no more room than there are states. */
static void reach(outliner *x, uint32_t number)
{
    if (!ct_bit(x->states, number)) {
        ct_bit_set(x->states, number);
        x->queue[x->queued++] = number;
    }
}

static void number_all(outliner *x, mt_arena *a)
{
    const ct_model *m = x->p->model;
    x->first_state = mt_new_array(a, uint32_t, (size_t)m->entity_count + 1);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        x->first_state[e + 1] = x->first_state[e] + m->entities[e].state_count;
    }
    x->operation = mt_new_array(a, uint32_t, (size_t)x->p->outcome_count + 1);
    for (uint32_t o = 0; o < m->operation_count; o++) {
        for (uint32_t i = 0; i < x->p->ops[o].outcome_count; i++) {
            x->operation[x->p->ops[o].first_outcome + i] = o;
        }
    }
}

static uint32_t effect_count(const ct_plan *p)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < p->outcome_count; o++) {
        count += p->outcomes[o].effect_count;
    }
    return count;
}

/* Fills in what belongs to each effect, and counts what each outcome waits for. */
static void index_effects(outliner *x, mt_arena *a)
{
    const ct_plan *p = x->p;
    uint32_t count = effect_count(p);
    an_edge *edges = mt_new_array(a, an_edge, (size_t)count + 1);
    x->outcome_of = mt_new_array(a, uint32_t, (size_t)count + 1);
    x->waits = mt_new_array(a, uint32_t, (size_t)p->outcome_count + 1);
    x->first_on = mt_new_array(a, uint32_t, (size_t)count + 1);
    x->met = mt_new_array(a, bool, (size_t)count + 1);
    for (uint32_t o = 0; o < p->outcome_count; o++) {
        uint32_t first = p->outcomes[o].first_effect;
        for (uint32_t i = first; i < first + p->outcomes[o].effect_count; i++) {
            const ct_plan_effect *e = &p->effects[i];
            bool new_entity = i == first || e[-1].entity != e->entity;
            x->outcome_of[i] = o;
            x->first_on[i] = new_entity ? i : x->first_on[i - 1];
            x->waits[o] += new_entity;
            edges[i] = (an_edge){number_of(x, e->entity, e->from),
                                 number_of(x, e->entity, e->to), i};
        }
    }
    x->by_source =
        an_edges_group(a, edges, count, x->first_state[p->model->entity_count]);
}

/* Nothing is in the outcome's way but its operation. */
static void open_outcome(outliner *x, uint32_t outcome)
{
    uint32_t op = x->operation[outcome];
    const ct_plan_outcome *o = &x->p->outcomes[outcome];
    if (!performs_it(x->s, op) || !x->p->model->operations[op].persona_count ||
        !x->s->may(x->s->context, op)) {
        return;
    }
    ct_bit_set(x->outcomes, outcome);
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_plan_effect *e = &x->p->effects[o->first_effect + i];
        if (ct_bit(x->states, number_of(x, e->entity, e->from))) {
            reach(x, number_of(x, e->entity, e->to));
        }
    }
}

/* The source of this effect was reached just now. An outcome that is open already moves
 * on; otherwise this may have been the last entity it waited for. */
static void leave(outliner *x, uint32_t effect)
{
    uint32_t outcome = x->outcome_of[effect], first = x->first_on[effect];
    const ct_plan_effect *e = &x->p->effects[effect];
    if (ct_bit(x->outcomes, outcome)) {
        reach(x, number_of(x, e->entity, e->to));
    }
    if (!x->met[first]) {
        x->met[first] = true;
        if (!--x->waits[outcome]) {
            open_outcome(x, outcome);
        }
    }
}

/* A shared entity may be in any state, because other contracts move it. Outcomes
 * without effects wait for nothing. */
static void begin(outliner *x)
{
    const ct_model *m = x->p->model;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        for (uint32_t s = 0; s < m->entities[e].state_count; s++) {
            if (s == m->entities[e].initial || is_shared(x->s, e)) {
                reach(x, number_of(x, e, s));
            }
        }
    }
    for (uint32_t o = 0; o < x->p->outcome_count; o++) {
        if (!x->waits[o]) {
            open_outcome(x, o);
        }
    }
}

/* ---- groups ---- */

/* Union-find with halving of paths. */
static uint32_t root_of(uint32_t *group, uint32_t e)
{
    while (group[e] != e) {
        group[e] = group[group[e]];
        e = group[e];
    }
    return e;
}

/* The smallest entity names its group, so groups do not depend on the order of
 * outcomes. Shared entities join nothing: they are in every state anyway. */
static uint32_t *groups(outliner *x, mt_arena *a)
{
    uint32_t count = x->p->model->entity_count;
    uint32_t *group = mt_new_array(a, uint32_t, (size_t)count + 1);
    for (uint32_t e = 0; e < count; e++) {
        group[e] = e;
    }
    for (uint32_t o = 0; o < x->p->outcome_count; o++) {
        const ct_plan_effect *e = x->p->effects + x->p->outcomes[o].first_effect;
        uint32_t one = CT_NONE;
        for (uint32_t i = 0; i < x->p->outcomes[o].effect_count; i++) {
            if (!ct_bit(x->outcomes, o) || is_shared(x->s, e[i].entity)) {
                continue;
            }
            one = one == CT_NONE ? e[i].entity : one;
            uint32_t r = root_of(group, one), q = root_of(group, e[i].entity);
            group[r > q ? r : q] = r > q ? q : r;
        }
    }
    for (uint32_t e = 0; e < count; e++) {
        group[e] = root_of(group, e);
    }
    return group;
}

/* The queue grows while it is walked; it ends because states are finite. */
an_outline an_outline_of(mt_arena *a, const an_setting *s)
{
    outliner x = {.s = s, .p = s->plan};
    number_all(&x, a);
    uint32_t states = x.first_state[x.p->model->entity_count];
    index_effects(&x, a);
    x.states = mt_new_array(a, uint64_t, (size_t)states / 64 + 1);
    x.outcomes = mt_new_array(a, uint64_t, (size_t)x.p->outcome_count / 64 + 1);
    x.queue = mt_new_array(a, uint32_t, (size_t)states + 1);
    begin(&x);
    for (uint32_t i = 0; i < x.queued; i++) {
        uint32_t at = x.by_source.first[x.queue[i]];
        for (; at < x.by_source.first[x.queue[i] + 1]; at++) {
            leave(&x, x.by_source.items[at].tag);
        }
    }
    an_outline o = {x.first_state, x.operation, x.states, x.outcomes, groups(&x, a)};
    return o;
}

uint32_t an_outcome_group(const an_setting *s, const an_outline *o, uint32_t outcome)
{
    const ct_plan_outcome *out = &s->plan->outcomes[outcome];
    for (uint32_t i = 0; i < out->effect_count; i++) {
        uint32_t entity = s->plan->effects[out->first_effect + i].entity;
        if (!is_shared(s, entity)) {
            return o->group[entity];
        }
    }
    return CT_NONE;
}

/* ---- joint states ---- */

static uint32_t state_at(const an_joint *j, const uint64_t *words, uint32_t place)
{
    const an_joint_place *p = &j->places[place];
    return (uint32_t)(words[p->word] >> p->shift) & (((uint32_t)1 << j->width) - 1);
}

static void put_state(const an_joint *j, uint64_t *words, uint32_t place,
                      uint32_t state)
{
    const an_joint_place *p = &j->places[place];
    uint64_t mask = (((uint64_t)1 << j->width) - 1) << p->shift;
    words[p->word] = (words[p->word] & ~mask) | (uint64_t)state << p->shift;
}

static uint64_t *node_words(const an_joint *j, uint32_t node)
{
    return j->packed.items + (size_t)node * j->words;
}

/* Open addressing over node numbers + 1; the words themselves lie with the nodes. */
static uint32_t *table_place(const an_joint *j, const uint64_t *words)
{
    size_t bytes = j->words * sizeof *words;
    uint32_t i = (uint32_t)mt_hash(mt_str_from((const char *)words, bytes)) & j->mask;
    while (j->table[i] && memcmp(node_words(j, j->table[i] - 1), words, bytes) != 0) {
        i = (i + 1) & j->mask;
    }
    return &j->table[i];
}

static void grow_table(an_joint *j)
{
    j->mask = j->mask ? j->mask * 2 + 1 : 255;
    j->table = mt_new_array(j->a, uint32_t, (size_t)j->mask + 1);
    for (uint32_t n = 0; n < j->nodes.len; n++) {
        *table_place(j, node_words(j, n)) = n + 1;
    }
}

/* Adds the joint state unless it is there, or there is no more room. */
static void add_node(an_joint *j, const uint64_t *words, an_joint_node node)
{
    if (j->nodes.len * 2 > j->mask || !j->mask) {
        grow_table(j);
    }
    uint32_t *place = table_place(j, words);
    if (*place) {
        return;
    }
    if (j->nodes.len >= j->most) {
        j->complete = false;
        return;
    }
    mt_vec_push(j->a, &j->nodes, node);
    for (uint32_t i = 0; i < j->words; i++) {
        mt_vec_push(j->a, &j->packed, words[i]);
    }
    *place = (uint32_t)j->nodes.len;
}

/* ---- steps ---- */

typedef struct walker {
    an_joint *j;
    uint32_t node, outcome, operation;
    bool allowed, asked; /* by its precondition; was it asked already? */
    bool again;          /* nothing new is met, steps are only visited */
    an_joint_visit *visit;
    void *context;
    /* Looking for the step that leads to `wanted`, rather than for all. */
    const uint64_t *wanted;
    an_joint_step *found;
    mt_arena *keep;
} walker;

/* All changes at once, as an operation makes them (§9.4), into j->next. false: the step
 * is left out. */
static bool compute_next(an_joint *j, uint32_t node, const an_joint_step *step)
{
    memcpy(j->next, node_words(j, node), j->words * sizeof *j->next);
    for (uint32_t i = 0; i < step->change_count; i++) {
        const ct_change *c = &step->changes[i];
        put_state(j, j->next, j->slot[c->entity] + step->instances[i], c->to);
    }
    if (!j->scene->mark) {
        return true;
    }
    uint64_t *marks = &j->next[j->words - 1];
    uint32_t now = j->scene->mark(j->scene->context, (uint32_t)*marks, step);
    *marks = now;
    return now != AN_LEFT_OUT;
}

static bool take_wanted(walker *w, const an_joint_step *step)
{
    if (!compute_next(w->j, w->node, step) ||
        memcmp(w->j->next, w->wanted, w->j->words * sizeof *w->wanted) != 0) {
        return false;
    }
    *w->found = an_joint_keep(w->keep, step);
    return true;
}

/* true: enough of this outcome. Whether the operation is allowed is asked when a step
 * was found for the first time: most outcomes find none, and the question may cost a
 * proof. */
static bool take(walker *w, uint32_t count)
{
    an_joint *j = w->j;
    an_joint_step step = {w->operation, w->outcome, j->changes, j->chosen, count};
    if (w->wanted) {
        return take_wanted(w, &step);
    }
    if (!w->asked) {
        w->asked = true;
        w->allowed = j->scene->may(j->scene->context, w->operation);
    }
    if (!w->allowed || (w->visit && w->visit(w->context, j, w->node, &step))) {
        return true;
    }
    j->work += STEP_WORK;
    if (!w->again && compute_next(j, w->node, &step)) {
        add_node(j, j->next, (an_joint_node){w->node, w->outcome});
    }
    return false;
}

/* Instances of one entity in the same state are alike: the first stands for all. */
static bool is_like_another(const an_joint *j, uint32_t entity, uint32_t first,
                            uint32_t instance)
{
    uint32_t i = j->scene->apart == entity + 1 ? 1 : 0;
    for (; i < instance && !j->scene->unlike; i++) {
        if (j->states[first + i] == j->states[first + instance]) {
            return true;
        }
    }
    return false;
}

/* Bounds the time of a search whose states are few but whose choices are many. */
static bool is_too_much(an_joint *j)
{
    bool more = ++j->work / WORK_PER_STATE > j->scene->most + SPARE_STATES;
    j->complete &= !more;
    return more;
}

/* Chooses an instance for every entity the effects from `e` on move. Effects on one
 * entity stand together and have different sources. */
static bool choose(walker *w, const ct_plan_effect *e, const ct_plan_effect *end,
                   uint32_t count)
{
    an_joint *j = w->j;
    const ct_plan_effect *next = e;
    if (is_too_much(j)) {
        return true;
    }
    if (e == end) {
        return take(w, count);
    }
    while (next < end && next->entity == e->entity) {
        next++;
    }
    if (is_shared(j->scene, e->entity)) {
        return choose(w, next, end, count);
    }
    if (count == AN_MOST_CHANGES) {
        j->too_wide = true;
        j->complete = false;
        return false;
    }
    uint32_t first = j->slot[e->entity];
    for (uint32_t i = 0; i < j->scene->instances; i++) {
        const ct_plan_effect *match = e;
        while (match < next && match->from != j->states[first + i]) {
            match++;
        }
        if (match == next || is_like_another(j, e->entity, first, i)) {
            continue;
        }
        j->changes[count] = (ct_change){match->entity, match->from, match->to};
        j->chosen[count] = i;
        if (choose(w, next, end, count + 1)) {
            return true;
        }
    }
    return false;
}

static void unpack(an_joint *j, uint32_t node)
{
    const uint64_t *words = node_words(j, node);
    for (uint32_t i = 0; i < j->entity_count * j->scene->instances; i++) {
        j->states[i] = state_at(j, words, i);
    }
}

static bool try_outcome(walker *w, uint32_t outcome)
{
    const ct_plan_outcome *o = &w->j->scene->plan->outcomes[outcome];
    const ct_plan_effect *e = w->j->scene->plan->effects + o->first_effect;
    w->outcome = outcome;
    w->operation = w->j->outline->operation[outcome];
    w->asked = false;
    return choose(w, e, e + o->effect_count, 0);
}

/* ---- the search ---- */

/* Places are as wide as the entity with most states needs, and never cross words. */
static void lay_out(an_joint *j, mt_arena *a)
{
    const ct_model *m = j->scene->plan->model;
    uint32_t most = 2, count = j->entity_count * j->scene->instances;
    for (uint32_t i = 0; i < j->entity_count; i++) {
        uint32_t n = m->entities[j->entities[i]].state_count;
        most = n > most ? n : most;
    }
    while (((uint64_t)1 << j->width) < most) {
        j->width++;
    }
    uint32_t per_word = 64 / j->width;
    j->words = count / per_word + 1 + (j->scene->mark != NULL);
    j->places = mt_new_array(a, an_joint_place, (size_t)count + 1);
    j->slot = mt_new_array(a, uint32_t, (size_t)m->entity_count + 1);
    for (uint32_t i = 0; i < count; i++) {
        j->places[i] = (an_joint_place){i / per_word, i % per_word * j->width};
    }
    for (uint32_t i = 0; i < j->entity_count; i++) {
        j->slot[j->entities[i]] = i * j->scene->instances;
    }
    j->states = mt_new_array(a, uint32_t, (size_t)count + 1);
    j->chosen = mt_new_array(a, uint32_t, AN_MOST_CHANGES);
    j->changes = mt_new_array(a, ct_change, AN_MOST_CHANGES);
    j->next = mt_new_array(a, uint64_t, j->words);
    size_t room = j->scene->most / j->words * WORDS_PER_STATE;
    j->most = room < j->scene->most ? room + 1 : j->scene->most;
    j->most = j->most < UINT32_MAX / 4 ? j->most : UINT32_MAX / 4;
}

static bool performs(const an_joint *j, uint32_t outcome)
{
    const an_setting *s = j->scene;
    uint32_t op = j->outline->operation[outcome];
    return ct_bit(j->outline->outcomes, outcome) && performs_it(s, op);
}

/* All instances begin in the initial state of their entity, without marks. */
static void add_initial(an_joint *j)
{
    const ct_model *m = j->scene->plan->model;
    for (uint32_t i = 0; i < j->entity_count; i++) {
        uint32_t e = j->entities[i], initial = m->entities[e].initial;
        for (uint32_t k = 0; k < j->scene->instances; k++) {
            put_state(j, j->next, j->slot[e] + k, initial);
        }
    }
    add_node(j, j->next, (an_joint_node){CT_NONE, CT_NONE});
}

static bool is_one_of(uint32_t group, const uint32_t *groups, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && groups[i] != group) {
        i++;
    }
    return i < count;
}

an_joint *an_joint_open(mt_arena *a, const an_setting *s, const an_outline *o,
                        const uint32_t *groups, uint32_t count)
{
    const ct_model *m = s->plan->model;
    an_joint *j = mt_new(a, an_joint);
    uint32_t *entities = mt_new_array(a, uint32_t, (size_t)m->entity_count + 1);
    uint32_t *outcomes = mt_new_array(a, uint32_t, (size_t)s->plan->outcome_count + 1);
    *j = (an_joint){.scene = s,
                    .outline = o,
                    .a = a,
                    .entities = entities,
                    .outcomes = outcomes,
                    .complete = true};
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (is_one_of(o->group[e], groups, count) && !is_shared(s, e)) {
            entities[j->entity_count++] = e;
        }
    }
    for (uint32_t i = 0; i < s->plan->outcome_count; i++) {
        if (performs(j, i) && is_one_of(an_outcome_group(s, o, i), groups, count)) {
            outcomes[j->outcome_count++] = i;
        }
    }
    lay_out(j, a);
    add_initial(j);
    return j;
}

/* Remembers that the visitor had enough. */
typedef struct listener {
    an_joint_visit *visit;
    void *context;
    bool enough; /* the visitor said so */
    bool stop;   /* then nothing more is to be done */
} listener;

static bool listen(void *context, const an_joint *j, uint32_t node,
                   const an_joint_step *step)
{
    listener *l = context;
    l->enough |= l->visit && !l->enough && l->visit(l->context, j, node, step);
    return l->stop && l->enough;
}

static void walk_node(walker *w, uint32_t node, const listener *l)
{
    an_joint *j = w->j;
    w->node = node;
    unpack(j, node);
    for (uint32_t i = 0; i < j->outcome_count && !(l->enough && l->stop); i++) {
        try_outcome(w, j->outcomes[i]);
    }
}

/* The list of nodes is the queue: a node is complete when its turn has come, also if
 * the visitor had enough before, so that the search can be taken up again. */
bool an_joint_grow(an_joint *j, an_joint_visit *visit, void *context)
{
    listener l = {visit, context, false, false};
    walker w = {.j = j, .visit = listen, .context = &l};
    if (j->grown == j->nodes.len || is_too_much(j)) {
        return false;
    }
    walk_node(&w, j->grown++, &l);
    return !l.enough;
}

an_joint *an_joint_search(mt_arena *a, const an_setting *s, const an_outline *o,
                          uint32_t group, an_joint_visit *visit, void *context)
{
    an_joint *j = an_joint_open(a, s, o, &group, 1);
    while (an_joint_grow(j, visit, context)) {
    }
    return j;
}

/* What was met before is not too much, however often it is looked at. */
bool an_joint_steps(an_joint *j, uint32_t node, an_joint_visit *visit, void *context)
{
    listener l = {visit, context, false, true};
    walker w = {.j = j, .visit = listen, .context = &l, .again = true};
    uint64_t work = j->work;
    bool complete = j->complete;
    j->work = 0;
    walk_node(&w, node, &l);
    j->work = work;
    j->complete = complete;
    return l.enough;
}

uint32_t an_joint_after(an_joint *j, uint32_t node, const an_joint_step *step)
{
    return compute_next(j, node, step) ? *table_place(j, j->next) - 1 : CT_NONE;
}

bool an_joint_has(const an_joint *j, uint32_t entity)
{
    return is_one_of(entity, j->entities, j->entity_count);
}

uint32_t an_joint_marks(const an_joint *j, uint32_t node)
{
    return j->scene->mark ? (uint32_t)node_words(j, node)[j->words - 1] : 0;
}

uint32_t an_joint_state(const an_joint *j, uint32_t node, uint32_t entity,
                        uint32_t instance)
{
    return state_at(j, node_words(j, node), j->slot[entity] + instance);
}

an_joint_step an_joint_keep(mt_arena *a, const an_joint_step *step)
{
    an_joint_step copy = *step;
    ct_change *changes = mt_new_array(a, ct_change, step->change_count + 1);
    uint32_t *instances = mt_new_array(a, uint32_t, step->change_count + 1);
    memcpy(changes, step->changes, step->change_count * sizeof *changes);
    memcpy(instances, step->instances, step->change_count * sizeof *instances);
    copy.changes = changes;
    copy.instances = instances;
    return copy;
}

/* Nodes remember only their parent and the outcome; the step itself is found again,
 * which is cheaper than keeping one for every node. */
uint32_t an_joint_way(mt_arena *a, an_joint *j, uint32_t node,
                      const an_joint_step **steps)
{
    uint32_t count = 0;
    for (uint32_t n = node; j->nodes.items[n].parent != CT_NONE; count++) {
        n = j->nodes.items[n].parent;
    }
    an_joint_step *out = mt_new_array(a, an_joint_step, (size_t)count + 1);
    walker w = {.j = j, .keep = a};
    uint64_t work = j->work;
    for (uint32_t i = count; i-- > 0; node = w.node) {
        w.node = j->nodes.items[node].parent;
        w.wanted = node_words(j, node);
        w.found = &out[i];
        j->work = 0; /* the search came here, so it is not too much */
        unpack(j, w.node);
        MT_ASSERT(try_outcome(&w, j->nodes.items[node].outcome));
    }
    j->work = work;
    *steps = out;
    return count;
}
