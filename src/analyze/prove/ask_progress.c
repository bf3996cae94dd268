/* analyze/prove/ask_progress.c - can such states always still be reached?
 *
 * All joint states are searched first, then their steps are followed backwards from
 * those that are wanted. A joint state that is not met then is one from which nothing
 * leads there any more; the way to the nearest such one is executed and shown.
 *
 * A terminal is a state without a declared transition to another. It is asked of every
 * instance: one is set apart, the others stand for the rest.
 *
 * Operations the solver could not decide: a joint state counts as met if they are
 * possible, as able to go on only without them; so a yes stays a proof. Where that is
 * not enough, and where the search or the number of steps meets its bound, the answer
 * is unknown. */
#include "analyze/facts/edges.h"
#include "analyze/prove/ask_internal.h"

/* Steps that are kept, for each joint state allowed. */
enum { STEPS_PER_STATE = 64 };

typedef struct tracer {
    asker *k;
    const ask_said *q;
    uint32_t entity; /* whose terminal is wanted; CT_NONE: the condition is */
    ask_mix mix;
    mt_arena tmp;
    MT_VEC(an_edge) edges; /* turned round */
    uint64_t *good;        /* bit per node: wanted, or leads there */
    uint32_t *queue, queued;
    uint32_t *rank; /* by node: steps to what is wanted */
    bool cut;
    ask_space *s; /* of the proof being written */
} tracer;

/* A transition from a state to itself is not an exit. */
static bool is_terminal(const ct_entity *en, uint32_t state)
{
    for (uint32_t i = 0; i < en->transition_count; i++) {
        if (en->transitions[i].from == state && en->transitions[i].to != state) {
            return false;
        }
    }
    return true;
}

static bool is_wanted(tracer *x, ask_space *s, uint32_t node)
{
    if (x->entity == CT_NONE) {
        return ask_mix_at(x->k, &x->mix, s, node, CT_NONE)->possible == AN_POSSIBLE;
    }
    return is_terminal(&s->q->plan->model->entities[x->entity],
                       an_joint_state(s->j, node, x->entity, 0));
}

/* True ends the search: more steps than are kept. Only steps that are possible for
 * certain count, and one that changes nothing is not one. */
static bool note_step(void *context, ask_space *s, uint32_t node,
                      const an_joint_step *step)
{
    tracer *x = context;
    if (ask_can_hold(s->q, step->operation)->possible != AN_POSSIBLE) {
        return false;
    }
    uint32_t to = an_joint_after(s->j, node, step);
    x->cut |= x->edges.len / STEPS_PER_STATE > s->q->limits.reach_states;
    if (to != node && !x->cut) {
        mt_vec_push(&x->tmp, &x->edges, ((an_edge){to, node, 0}));
    }
    return x->cut;
}

/* Breadth first, so the first rank that a node gets is the smallest. */
static void come_to(tracer *x, uint32_t node, uint32_t rank)
{
    if (!ct_bit(x->good, node)) {
        ct_bit_set(x->good, node);
        x->rank[node] = rank;
        x->queue[x->queued++] = node;
    }
}

/* The first joint state from which nothing leads there;
 * CT_NONE: there is none. The nodes are in the order in which
 * they were met, so it is also one with a shortest way to it. */
static uint32_t find_stuck(tracer *x, ask_space *s)
{
    uint32_t count = (uint32_t)s->j->nodes.len;
    x->good = mt_new_array(&x->tmp, uint64_t, (size_t)count / 64 + 1);
    x->queue = mt_new_array(&x->tmp, uint32_t, (size_t)count + 1);
    x->rank = mt_new_array(&x->tmp, uint32_t, (size_t)count + 1);
    an_edges by_target =
        an_edges_group(&x->tmp, x->edges.items, (uint32_t)x->edges.len, count);
    for (uint32_t n = 0; n < count; n++) {
        if (is_wanted(x, s, n)) {
            come_to(x, n, 0);
        }
    }
    for (uint32_t i = 0; i < x->queued; i++) {
        uint32_t at = by_target.first[x->queue[i]];
        for (; at < by_target.first[x->queue[i] + 1]; at++) {
            come_to(x, by_target.items[at].to, x->rank[x->queue[i]] + 1);
        }
    }
    uint32_t stuck = 0;
    while (stuck < count && ct_bit(x->good, stuck)) {
        stuck++;
    }
    return stuck < count ? stuck : CT_NONE;
}

/* "No" only if the engine executes the way to it; otherwise it is not decided. */
static an_reply_kind say_stuck(tracer *x, ask_space *s, uint32_t node)
{
    asker *k = x->k;
    ask_way w = ask_way_to(k, s, node, NULL, CT_NONE, MT_STR(""));
    ask_shown h = {x->entity, x->q->instances, MT_STR("")};
    if (!w.found) {
        return ask_unknown(k, w.reason);
    }
    mt_buf_addz(&k->text, "no\n");
    ask_way_show(k, &h, &w);
    mt_buf_addf(&k->text, "  %s %.*s, and nothing leads on to ",
                w.count ? "then" : "at the beginning",
                MT_ARG(ask_states_text(k, s, node)));
    if (x->entity == CT_NONE) {
        mt_buf_addz(&k->text, "such states\n");
    } else {
        mt_str id = ct_entity_id(k->q->plan, x->entity);
        mt_buf_addf(&k->text, "a terminal of %.*s\n", MT_ARG(id));
        ask_put_text(k, "entity", id);
    }
    ask_put(k, "states", ask_states_json(k, s, node));
    k->proof = "trace";
    return AN_REPLY_NO;
}

static ask_space *open_space(tracer *x, bool guess)
{
    asker *k = x->k;
    ask_scope scope = {
        .instances = x->q->instances,
        .persona = CT_NONE,
        .guess = guess,
        .apart = x->entity == CT_NONE || x->q->instances == 1 ? 0 : x->entity + 1};
    MT_VEC(uint32_t) entities = {0};
    for (size_t i = 0; i < k->atoms.len; i++) {
        mt_vec_push(k->a, &entities, k->atoms.items[i].entity);
    }
    if (x->entity != CT_NONE) {
        mt_vec_push(k->a, &entities, x->entity);
    }
    scope.group_count =
        ask_groups(k, entities.items, (uint32_t)entities.len, &scope.groups);
    return ask_space_open(k->q, k->a, &scope);
}

static bool nothing_here(void *context, ask_space *s, uint32_t node)
{
    (void)context;
    (void)s;
    (void)node;
    return false;
}

/* The step that leads to the next smaller rank. */
typedef struct descent {
    const tracer *x;
    an_joint_step *to;
} descent;

static bool leads_down(void *context, const an_joint *j, uint32_t node,
                       const an_joint_step *step)
{
    descent *d = context;
    const tracer *x = d->x;
    if (ask_can_hold(x->k->q, step->operation)->possible != AN_POSSIBLE) {
        return false;
    }
    uint32_t after = an_joint_after(x->s->j, node, step);
    (void)j;
    if (x->rank[after] + 1 != x->rank[node]) {
        return false;
    }
    *d->to = an_joint_keep(x->k->a, step);
    return true;
}

static void write_proof(tracer *x, ask_space *s)
{
    uint32_t count = (uint32_t)s->j->nodes.len;
    if (!x->k->q->smt2) {
        return;
    }
    const ct_entity *en =
        x->entity == CT_NONE ? NULL : &s->q->plan->model->entities[x->entity];
    bool *terminal = mt_new_array(&x->tmp, bool, en ? en->state_count + 1 : 1);
    an_joint_step *steps = mt_new_array(&x->tmp, an_joint_step, (size_t)count + 1);
    for (uint32_t i = 0; en && i < en->state_count; i++) {
        terminal[i] = is_terminal(en, i);
    }
    x->s = s;
    for (uint32_t n = 0; n < count; n++) {
        descent d = {x, &steps[n]};
        if (x->rank[n]) {
            an_joint_steps(s->j, n, leads_down, &d);
        }
    }
    ask_smt_rank r = {.mix = en ? NULL : &x->mix,
                      .entity = x->entity,
                      .state_count = en ? en->state_count : 0,
                      .terminal = terminal,
                      .rank = x->rank,
                      .steps = steps};
    ask_smt_progress(x->k, s, "what is asked about can always still be reached", &r);
}

/* For one entity, or for the condition; AN_REPLY_YES is not said yet. */
static an_reply_kind decide(tracer *x, ask_cover *c)
{
    ask_space *s = open_space(x, false);
    ask_hunt(s, nothing_here, NULL, NULL);
    bool unsure = s->unsure;
    mt_str gap = ask_space_gap(s);
    if (unsure && s->j->complete) {
        s = open_space(x, true);
        ask_hunt(s, nothing_here, NULL, NULL);
    }
    ask_hunt(s, NULL, note_step, x);
    ask_cover_add(c, s);
    if (!s->j->complete || x->cut) {
        mt_str why = ask_space_gap(s);
        return ask_unknown(
            x->k, why.len ? why : MT_STR("too many steps to follow (reach_states)"));
    }
    uint32_t stuck = find_stuck(x, s);
    if (stuck == CT_NONE) {
        write_proof(x, s);
        return AN_REPLY_YES;
    }
    return unsure ? ask_unknown(x->k, gap) : say_stuck(x, s, stuck);
}

static an_reply_kind one(asker *k, const ask_said *q, uint32_t entity, ask_cover *c)
{
    tracer x = {.k = k, .q = q, .entity = entity};
    if (entity == CT_NONE) {
        x.mix.claim = an_claim_holds(k->a, AN_FIRST, q->conditions[0]);
    }
    an_reply_kind reply = decide(&x, c);
    mt_arena_free(&x.tmp);
    return reply;
}

static bool has_terminal(const ct_entity *en)
{
    for (uint32_t s = 0; s < en->state_count; s++) {
        if (is_terminal(en, s)) {
            return true;
        }
    }
    return false;
}

static an_reply_kind say_without(asker *k, const ct_entity *en)
{
    mt_buf_addf(&k->text, "no\n  %.*s has no terminal: every state has an exit\n",
                MT_ARG(en->id));
    ask_put_text(k, "entity", en->id);
    k->proof = "proven";
    return AN_REPLY_NO;
}

static an_reply_kind every_entity(asker *k, const ask_said *q, ask_cover *c)
{
    const ct_model *m = k->q->plan->model;
    an_reply_kind reply = AN_REPLY_YES;
    for (uint32_t e = 0; e < m->entity_count && reply == AN_REPLY_YES; e++) {
        if (q->entity == CT_NONE || q->entity == e) {
            reply = has_terminal(&m->entities[e]) ? one(k, q, e, c)
                                                  : say_without(k, &m->entities[e]);
        }
    }
    return reply;
}

an_reply_kind ask_reply_progress(asker *k, const ask_said *q)
{
    ask_cover c = ask_cover_new(k, q->instances);
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    if (q->form == AN_ASK_REACHABLE && (k->reads_facts || !k->atoms.len)) {
        ask_fault(k, &k->tokens.items[3], "only states are reached; facts may be any");
        return AN_REPLY_FAULT;
    }
    an_reply_kind reply =
        q->form == AN_ASK_REACHABLE ? one(k, q, CT_NONE, &c) : every_entity(k, q, &c);
    ask_cover_json(k, &c);
    if (reply == AN_REPLY_YES) {
        mt_buf_addz(&k->text, "yes\n");
        ask_cover_say(k, &c, "holds for");
        k->proof = "proven";
    }
    return reply;
}
