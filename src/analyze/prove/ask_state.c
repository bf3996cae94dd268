/* analyze/prove/ask_state.c - conditions on states and facts: now, at a step, in order.
 *
 * A condition may speak of states and of facts. Rules and preconditions never read
 * states (10.6), so in one joint state the states in it are just true or false, and
 * what is left is a question about facts. ask_mix_at() sets the states, asks the
 * solver what is left, and remembers the answer by their truth: there are few
 * combinations, however many joint states there are. With several instances
 * ENTITY.STATE means that some instance is in the state.
 *
 * "can, is, never, always" are one question: is a claim possible, in a joint state that
 * operations lead to, for a fact set? Facts of that moment are any, since they may
 * change between operations. "never GOAL while" asks about the step itself: the joint
 * state before it, and facts under which it is performed. "before" leaves the first
 * event out of the search: whatever is still found happened without it.
 *
 * What is found is executed before it is shown; what is not found is said to be never
 * only if nothing was left out (ask_space_gap()), and the solver decided every case it
 * was asked about. */
#include "analyze/prove/ask_internal.h"
#include "analyze/prove/prove_internal.h"

/* ---- truth in one joint state ---- */

/* An entity that the search does not have is where it began. */
static bool some_instance(const ask_space *s, uint32_t node, const ask_atom *atom)
{
    if (!an_joint_has(s->j, atom->entity)) {
        return s->q->plan->model->entities[atom->entity].initial == atom->state;
    }
    for (uint32_t i = 0; i < s->scope.instances; i++) {
        if (an_joint_state(s->j, node, atom->entity, i) == atom->state) {
            return true;
        }
    }
    return false;
}

/* Sets every state of the question; bit per atom. */
static uint64_t set_atoms(asker *k, const ask_space *s, uint32_t node)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < k->atoms.len; i++) {
        bool is = some_instance(s, node, &k->atoms.items[i]);
        k->atoms.items[i].value->boolean = is;
        bits |= (uint64_t)is << i;
    }
    return bits;
}

/* OPEN: it depends on facts, or on whether there is a value at all. */
typedef enum truth { FALSE, TRUE, OPEN } truth;

static truth negated(truth x)
{
    return x == OPEN ? OPEN : x == TRUE ? FALSE : TRUE;
}

/* What the states alone make of it: FALSE, it does not hold; TRUE, it does if it has a
 * value at all. So `and` may be settled from either side. */
static truth expr_truth(const ct_expr *e)
{
    if (e->op == CT_LITERAL) {
        return e->value->boolean ? TRUE : FALSE;
    }
    if (e->op == CT_NOT) {
        return negated(expr_truth(e->left));
    }
    if (e->op != CT_AND && e->op != CT_OR) {
        return OPEN;
    }
    truth x = expr_truth(e->left), y = expr_truth(e->right);
    if (e->op == CT_AND) {
        return x == FALSE || y == FALSE ? FALSE : x == TRUE ? y : OPEN;
    }
    return x == TRUE ? TRUE : x == FALSE ? y : OPEN;
}

/* With facts nothing is certain to hold: an evaluation may end in an error. */
static truth claim_truth(const an_claim *c, bool facts)
{
    truth x, y;
    switch (c->op) {
    case PV_HOLDS:
        x = c->predicate ? expr_truth(c->predicate) : OPEN;
        return x == TRUE && facts ? OPEN : x;
    case PV_FAULTS: return OPEN;
    case PV_NOT: return negated(claim_truth(c->x, facts));
    case PV_AND:
        x = claim_truth(c->x, facts);
        y = claim_truth(c->y, facts);
        return x == FALSE || y == FALSE ? FALSE : x == TRUE && y == TRUE ? TRUE : OPEN;
    case PV_OR:
        x = claim_truth(c->x, facts);
        y = claim_truth(c->y, facts);
        return x == TRUE || y == TRUE ? TRUE : x == FALSE && y == FALSE ? FALSE : OPEN;
    }
    MT_BUG("unknown kind of claim");
}

/* ---- facts in one joint state ---- */

/* Without a precondition it holds whenever the
 * evaluation does (an_claim_holds() with NULL). */
static const an_claim *precondition_claim(asker *k, uint32_t operation)
{
    return an_claim_holds(k->a, AN_FIRST,
                          k->q->plan->model->operations[operation].precondition);
}

/* What the script is about, in words: which states the solver was told to be true. */
static mt_str combination(asker *k)
{
    mt_buf b = {0};
    for (size_t i = 0; i < k->atoms.len; i++) {
        const ask_atom *a = &k->atoms.items[i];
        mt_buf_addf(&b, "%s%.*s.%.*s is %s", i ? ", " : "the condition, where ",
                    MT_ARG(ct_entity_id(k->q->plan, a->entity)),
                    MT_ARG(ct_plan_state_id(k->q->plan, a->entity, a->state)),
                    a->value->boolean ? "true" : "false");
    }
    return b.len ? ask_kept(k, &b) : MT_STR("the condition");
}

/* What is left for the solver once the states are set. The
 * operation reads facts of its own member; those of another
 * are any, so its precondition is then asked about by itself. */
static an_answer ask_left(asker *k, const ask_mix *x, uint32_t operation)
{
    const an_claim *c = x->claim;
    bool own = operation != CT_NONE && k->q->u->member_of[operation] == k->member;
    if (operation != CT_NONE && !own) {
        const an_answer *holds = ask_can_hold(k->q, operation);
        if (holds->possible != AN_POSSIBLE) {
            return *holds;
        }
    }
    if (own) {
        c = an_claim_and(k->a, precondition_claim(k, operation), c);
    }
    an_prover *p = ask_prover_of(k->q, k->member);
    if (k->q->smt2) {
        an_prover_smt2(p, k->q->smt2, combination(k));
    }
    return an_prove_possible(p, k->a, c);
}

/* Cheapest first: states alone, then the solver. */
static an_answer decide(asker *k, const ask_mix *x, uint32_t operation)
{
    truth t = claim_truth(x->claim, x->reads_facts);
    if (t == FALSE) {
        return (an_answer){.possible = AN_NEVER};
    }
    if (x->reads_facts) {
        return ask_left(k, x, operation);
    }
    return operation == CT_NONE ? (an_answer){.possible = AN_POSSIBLE}
                                : *ask_can_hold(k->q, operation);
}

/* Of states alone nothing need be remembered: they are true or false. */
const an_answer *ask_mix_at(asker *k, ask_mix *x, ask_space *s, uint32_t node,
                            uint32_t operation)
{
    static const an_answer NEVER = {.possible = AN_NEVER},
                           POSSIBLE = {.possible = AN_POSSIBLE};
    uint64_t key[2] = {set_atoms(k, s, node), operation};
    if (!x->reads_facts && operation == CT_NONE) {
        return claim_truth(x->claim, false) == TRUE ? &POSSIBLE : &NEVER;
    }
    mt_str bytes = mt_str_from((const char *)key, sizeof key);
    uintptr_t known = mt_map_get(&x->known, bytes, 0);
    if (!known) {
        an_answer *answer = mt_new(k->a, an_answer);
        *answer = decide(k, x, operation);
        known = (uintptr_t)answer;
        mt_map_put(k->a, &x->known, mt_str_dup(k->a, bytes), known);
    }
    return (const an_answer *)known;
}

/* ---- searching for a claim ---- */

typedef struct seeker {
    asker *k;
    ask_mix mix;
    const ask_goal
        *goal;      /* the step must serve it; NULL: a joint state is looked for */
    uint32_t apart; /* and move the first instance of this entity; CT_NONE: any */
    const ask_goal *first; /* steps that serve it are left out; NULL: none */
    uint32_t node;
    an_joint_step step; /* with a goal */
    mt_str facts;
    mt_str reason; /* of what the solver left open; empty: nothing */
} seeker;

/* Keeps the first reason why something was not
 * decided: without a hit it makes the answer unknown. */
static bool is_so(seeker *x, ask_space *s, uint32_t node, uint32_t operation)
{
    const an_answer *got = ask_mix_at(x->k, &x->mix, s, node, operation);
    if (got->possible == AN_UNKNOWN && !x->reason.len) {
        x->reason = got->reason;
    }
    x->node = node;
    x->facts = got->facts;
    return got->possible == AN_POSSIBLE;
}

static bool look_at_node(void *context, ask_space *s, uint32_t node)
{
    return is_so(context, s, node, CT_NONE);
}

/* An entity that is entered has to be the one that is set apart. */
static bool serves_apart(const ask_goal *g, const an_joint_step *step, uint32_t apart)
{
    if (g->operation != CT_NONE || apart == CT_NONE) {
        return ask_serves(g, step) && ask_moves_first(step, apart);
    }
    for (uint32_t i = 0; i < step->change_count; i++) {
        const ct_change *c = &step->changes[i];
        if (c->entity == g->entity && c->to == g->to &&
            (g->entity != apart || step->instances[i] == 0)) {
            return ask_moves_first(step, apart);
        }
    }
    return false;
}

/* An operation comes before the state it leads to; two states of one step are entered
 * at once. */
static bool is_step(const void *context, const an_joint_step *step)
{
    const seeker *x = context;
    bool first = x->first && x->first->operation != CT_NONE &&
                 serves_apart(x->first, step, x->apart);
    return !first && serves_apart(x->goal, step, x->apart);
}

static bool look_at_step(void *context, ask_space *s, uint32_t node,
                         const an_joint_step *step)
{
    seeker *x = context;
    if (!is_step(x, step) || !is_so(x, s, node, step->operation)) {
        return false;
    }
    x->step = an_joint_keep(x->k->a, step);
    return true;
}

/* Every entity the question speaks of; of a goal also those its outcomes move. */
static uint32_t groups_of(asker *k, const ask_goal *g, const uint32_t **out)
{
    const ct_plan *p = k->q->plan;
    MT_VEC(uint32_t) entities = {0};
    for (size_t i = 0; i < k->atoms.len; i++) {
        mt_vec_push(k->a, &entities, k->atoms.items[i].entity);
    }
    if (g && g->entity != CT_NONE) {
        mt_vec_push(k->a, &entities, g->entity);
    }
    for (uint32_t o = 0; g && g->operation != CT_NONE && o < p->outcome_count; o++) {
        const ct_plan_outcome *outcome = &p->outcomes[o];
        for (uint32_t i = 0;
             k->q->outline.operation[o] == g->operation && i < outcome->effect_count;
             i++) {
            mt_vec_push(k->a, &entities, p->effects[outcome->first_effect + i].entity);
        }
    }
    return ask_groups(k, entities.items, (uint32_t)entities.len, out);
}

/* What came of looking for something. */
typedef struct found {
    an_possible possible;
    ask_way way;
    ask_space *s;
    uint32_t node;
    mt_str facts;      /* of the moment */
    mt_str step_facts; /* of the last step, where they are not its operation's */
    mt_str reason;
    ask_cover cover;
} found;

/* Operations that move nothing belong to the group CT_NONE. */
static uint32_t with_unmoved(asker *k, const ask_goal *g, const uint32_t **groups,
                             uint32_t count)
{
    uint32_t *more = mt_new_array(k->a, uint32_t, (size_t)count + 2);
    if (!g || g->operation == CT_NONE) {
        return count;
    }
    memcpy(more, *groups, count * sizeof *more);
    more[count] = CT_NONE;
    *groups = more;
    return count + 1;
}

/* One search; with `guess` what is found is not a way, but shows that there may be
 * one. */
static bool search(seeker *x, const ask_scope *scope, found *f)
{
    f->s = ask_space_open(x->k->q, x->k->a, scope);
    bool hit =
        ask_hunt(f->s, x->goal ? NULL : look_at_node, x->goal ? look_at_step : NULL, x);
    ask_cover_add(&f->cover, f->s);
    return hit;
}

/* Without operations that nobody could decide first; if that finds nothing, with them:
 * what is not found then is never. */
static found seek(seeker *x, ask_scope scope)
{
    asker *k = x->k;
    found f = {.possible = AN_NEVER, .cover = ask_cover_new(k, scope.instances)};
    uint32_t count = groups_of(k, x->goal, &scope.groups);
    scope.group_count = with_unmoved(k, x->goal, &scope.groups, count);
    if (search(x, &scope, &f)) {
        const an_joint_step *step = x->goal ? &x->step : NULL;
        bool own = step && x->mix.reads_facts &&
                   k->q->u->member_of[step->operation] == k->member;
        f.node = x->node;
        f.facts = !step || (x->mix.reads_facts && !own) ? x->facts : f.facts;
        f.step_facts = own ? x->facts : f.step_facts;
        f.way = ask_way_to(k, f.s, x->node, step, CT_NONE, f.step_facts);
        f.possible = f.way.found ? AN_POSSIBLE : AN_UNKNOWN;
        f.reason = f.way.reason;
        return f;
    }
    mt_str gap = ask_space_gap(f.s);
    if (gap.len && f.s->j->complete) {
        ask_cover first = f.cover;
        f.cover = ask_cover_new(k, scope.instances);
        scope.guess = true;
        bool may = search(x, &scope, &f);
        f.cover = may ? first : f.cover;
        gap = may ? gap : ask_space_gap(f.s);
    }
    f.reason = gap.len ? gap : x->reason;
    f.possible = f.reason.len ? AN_UNKNOWN : AN_NEVER;
    if (f.possible == AN_NEVER) {
        ask_smt_bad bad = {
            .step = x->goal ? is_step : NULL, .context = x, .mix = &x->mix};
        ask_smt_search(k, f.s, "what is asked about is never met", &bad);
    }
    return f;
}

/* ---- for however many instances ---- */

/* Can it be, looking at each entity by itself? Whether a state is false is left open:
 * that may be too much, never too little. */
static bool expr_may_hold(const asker *k, const an_outline *o, const ct_expr *e,
                          bool negated)
{
    if (e->op == CT_NOT) {
        return expr_may_hold(k, o, e->left, !negated);
    }
    if (e->op == CT_AND || e->op == CT_OR) {
        bool x = expr_may_hold(k, o, e->left, negated);
        bool y = expr_may_hold(k, o, e->right, negated);
        return (e->op == CT_AND) != negated ? x && y : x || y;
    }
    for (size_t i = 0; i < k->atoms.len && !negated; i++) {
        const ask_atom *a = &k->atoms.items[i];
        if (a->expr == e) {
            return ct_bit(o->states, o->first_state[a->entity] + a->state);
        }
    }
    return true;
}

/* True says nothing; false proves that the claim
 * never holds, with however many instances. */
static bool claim_may_hold(const asker *k, const an_outline *o, const an_claim *c,
                           bool negated)
{
    if (c->op == PV_HOLDS) {
        return !c->predicate || expr_may_hold(k, o, c->predicate, negated);
    }
    if (c->op == PV_NOT) {
        return claim_may_hold(k, o, c->x, !negated);
    }
    bool x = claim_may_hold(k, o, c->x, negated);
    bool y = claim_may_hold(k, o, c->y, negated);
    return (c->op == PV_AND) != negated ? x && y : x || y;
}

static bool proven_for_any(asker *k, const an_claim *claim)
{
    bool never = !claim_may_hold(k, ask_proven(k->q), claim, false);
    if (never) {
        ask_smt_bad bad = {.least = claim};
        ask_smt_outline(k, ask_proven(k->q),
                        "what is asked about is never met, each entity by itself",
                        &bad);
    }
    return never;
}

/* ---- replies ---- */

/* The run, where it ends, and the facts of that moment. */
static void show(asker *k, const ask_said *q, const found *f, const char *label)
{
    bool step = q->goal_count > 0;
    uint32_t entity = step                ? q->goals[q->goal_count - 1].entity
                      : k->atoms.len == 1 ? k->atoms.items[0].entity
                                          : CT_NONE;
    ask_shown h = {entity, q->instances, f->step_facts};
    ask_way_show(k, &h, &f->way);
    if (!step) {
        mt_buf_addf(&k->text, "  %s %.*s\n", f->way.count ? "then" : "at the beginning",
                    MT_ARG(ask_states_text(k, f->s, f->node)));
    }
    ask_put(k, "states", ask_states_json(k, f->s, f->node));
    ask_say_facts(k, label, f->facts);
    ask_cover_json(k, &f->cover);
    k->proof = "trace";
}

/* `wanted`: possible means yes. Unknown is told with what was searched, so that a
 * reader can widen it. */
static an_reply_kind say_found(asker *k, const ask_said *q, found *f, bool wanted,
                               const char *label)
{
    bool yes = (f->possible == AN_POSSIBLE) == wanted;
    ask_cover_json(k, &f->cover);
    if (f->possible == AN_UNKNOWN) {
        return ask_unknown(k, f->reason);
    }
    mt_buf_addz(&k->text, yes ? "yes\n" : "no\n");
    if (f->possible == AN_POSSIBLE) {
        show(k, q, f, label);
    } else {
        ask_cover_say(k, &f->cover, "holds for");
        k->proof = "proven";
    }
    return yes ? AN_REPLY_YES : AN_REPLY_NO;
}

/* About facts alone: the solver's. */
static an_reply_kind say_possible(asker *k, const an_claim *claim, bool wanted,
                                  const char *label)
{
    an_answer got = an_prove_possible(ask_prover_of(k->q, k->member), k->a, claim);
    if (got.possible == AN_UNKNOWN) {
        return ask_unknown(k, got.reason);
    }
    bool yes = (got.possible == AN_POSSIBLE) == wanted;
    mt_buf_addf(&k->text, "%s%s\n", yes ? "yes" : "no",
                got.possible == AN_NEVER ? " (proven for every fact set)" : "");
    ask_say_facts(k, label, got.facts);
    k->proof = got.possible == AN_NEVER ? "proven" : "facts";
    return yes ? AN_REPLY_YES : AN_REPLY_NO;
}

an_reply_kind ask_reply_claim(asker *k, const ask_said *q, const an_claim *claim,
                              bool wanted, const char *label)
{
    if (!k->atoms.len) {
        return say_possible(k, claim, wanted, label);
    }
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    seeker x = {.k = k,
                .mix = {.claim = claim, .reads_facts = k->reads_facts},
                .apart = CT_NONE};
    ask_scope scope = {.instances = q->instances, .persona = CT_NONE};
    found f = seek(&x, scope);
    if (f.possible == AN_NEVER) {
        f.cover.any = proven_for_any(k, claim);
    }
    return say_found(k, q, &f, wanted, label);
}

/* What must be possible or not for a yes, made of one or two conditions. */
typedef enum shape { FIRST, NOT_FIRST, BOTH, SECOND_WITHOUT_FIRST, ONE_OF_THEM } shape;

static const struct plan {
    shape of;
    bool wanted;
    const char *label; /* before facts */
} PLANS[AN_QUESTION_COUNT] = {
    [AN_ASK_HOLD] = {FIRST, true, "for"},
    [AN_ASK_POSSIBLE] = {FIRST, true, "for"},
    [AN_ASK_IS_ALWAYS] = {NOT_FIRST, false, "not for"},
    [AN_ASK_ALWAYS] = {NOT_FIRST, false, "not for"},
    [AN_ASK_IMPLIED] = {SECOND_WITHOUT_FIRST, false, "not for"},
    [AN_ASK_SAME] = {ONE_OF_THEM, false, "not for"},
    [AN_ASK_NEVER] = {FIRST, false, "but for"},
    [AN_ASK_NEVER_WHILE] = {BOTH, false, "but for"},
};

static const an_claim *claim_of(asker *k, const ask_said *q, shape of)
{
    mt_arena *a = k->a;
    const an_claim *x = an_claim_holds(a, AN_FIRST, q->conditions[0]);
    const an_claim *y = an_claim_holds(a, AN_FIRST, q->conditions[1]);
    const an_claim *not_x = an_claim_not(a, x), *not_y = an_claim_not(a, y);
    switch (of) {
    case FIRST: return x;
    case NOT_FIRST: return not_x;
    case BOTH: return an_claim_and(a, x, y);
    case SECOND_WITHOUT_FIRST: return an_claim_and(a, y, not_x);
    case ONE_OF_THEM:
        return an_claim_or(a, an_claim_and(a, x, not_y), an_claim_and(a, y, not_x));
    }
    MT_BUG("unknown shape of a question");
}

an_reply_kind ask_reply_condition(asker *k, const ask_said *q)
{
    const struct plan *p = &PLANS[q->form];
    return ask_reply_claim(k, q, claim_of(k, q, p->of), p->wanted, p->label);
}

/* ---- steps ---- */

/* A condition that always holds, where a question has none. */
static const ct_expr *nothing_more(asker *k)
{
    ct_expr *e = ask_expr(k->a, CT_LITERAL, NULL, NULL);
    ct_value *v = mt_new(k->a, ct_value);
    v->boolean = true;
    e->value = v;
    return e;
}

an_reply_kind ask_reply_never_step(asker *k, const ask_said *q)
{
    const ct_expr *where = q->condition_count ? q->conditions[0] : nothing_more(k);
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    seeker x = {.k = k,
                .mix = {.claim = an_claim_holds(k->a, AN_FIRST, where),
                        .reads_facts = k->reads_facts},
                .goal = &q->goals[0],
                .apart = CT_NONE};
    ask_scope scope = {.instances = q->instances, .persona = CT_NONE};
    found f = seek(&x, scope);
    if (f.possible == AN_NEVER) {
        f.cover.any =
            ask_never(k, &q->goals[0], CT_NONE) || proven_for_any(k, x.mix.claim);
    }
    return say_found(k, q, &f, false, "for");
}

/* ---- order ---- */

static uint32_t leave_first(void *space, uint32_t marks, const an_joint_step *step)
{
    const ask_space *s = space;
    const seeker *x = s->scope.data;
    return serves_apart(x->first, step, x->apart) ? AN_LEFT_OUT : marks;
}

/* Is the event so from the beginning? Operations are not. */
static bool begins(const asker *k, const ask_goal *g)
{
    return g->operation == CT_NONE &&
           g->to == k->q->plan->model->entities[g->entity].initial;
}

static bool moves(const asker *k, const ask_goal *g, uint32_t entity)
{
    const ct_model *m = k->q->plan->model;
    const ct_operation *op =
        g->operation == CT_NONE ? NULL : &m->operations[g->operation];
    for (uint32_t i = 0; op && i < op->effect_count; i++) {
        if (op->effects[i].entity == entity) {
            return true;
        }
    }
    return !op && g->entity == entity;
}

/* True: the fault is said. "For each ENTITY"
 * makes sense only for events that move it. */
static bool refused_entity(asker *k, const ask_said *q, uint32_t event)
{
    const ct_model *m = k->q->plan->model;
    const ask_goal *g = &q->goals[event];
    if (q->entity == CT_NONE || moves(k, g, q->entity)) {
        return false;
    }
    mt_str id = g->operation == CT_NONE ? m->entities[g->entity].id
                                        : m->operations[g->operation].id;
    return !ask_fault(k, &k->tokens.items[1], "%.*s does not move %.*s", MT_ARG(id),
                      MT_ARG(m->entities[q->entity].id));
}

static an_reply_kind say_order_begins(asker *k, bool yes, const char *which)
{
    mt_buf_addf(&k->text, "%s\n  the %s is so from the beginning\n", yes ? "yes" : "no",
                which);
    k->proof = "proven";
    return yes ? AN_REPLY_YES : AN_REPLY_NO;
}

/* The first event is left out of the search altogether: if the second is still found,
 * it happened without it. What is so from the beginning needs no search. */
an_reply_kind ask_reply_before(asker *k, const ask_said *q)
{
    const ask_goal *first = &q->goals[0], *second = &q->goals[1];
    if (refused_entity(k, q, 0) || refused_entity(k, q, 1)) {
        return AN_REPLY_FAULT;
    }
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    if (begins(k, first) || begins(k, second)) {
        return say_order_begins(k, begins(k, first),
                                begins(k, first) ? "first" : "second");
    }
    seeker x = {.k = k,
                .mix = {.claim = an_claim_holds(k->a, AN_FIRST, nothing_more(k))},
                .goal = second,
                .apart = q->entity,
                .first = first};
    ask_scope scope = {.instances = q->instances,
                       .persona = CT_NONE,
                       .apart = q->entity == CT_NONE ? 0 : q->entity + 1,
                       .mark = leave_first,
                       .data = &x};
    found f = seek(&x, scope);
    if (f.possible == AN_NEVER) {
        f.cover.any = ask_never(k, second, CT_NONE);
    }
    an_reply_kind reply = say_found(k, q, &f, false, "for");
    if (reply == AN_REPLY_YES && f.cover.any) {
        mt_buf_addz(&k->text, "  the second never happens\n");
    }
    return reply;
}
