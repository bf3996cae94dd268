/* analyze/prove/ask_reach.c - who can bring an entity where, and what one can do alone.
 *
 * A state is reachable when operations lead to it that the engine executes one after
 * the other, from the initial states of all entities; each has facts of its own, since
 * facts may change between two operations.
 *
 * The order for one persona: the outline (each entity by itself, no solver) rules out
 * what cannot be; a search with the persona's operations alone; a search with
 * everybody's. The solver is asked about an operation when a search first comes to it.
 * An operation it cannot decide is not a step; only when nothing was found without them
 * they are all taken to be possible, and if there is still no way, there is none.
 *
 * In a System triggers perform operations as somebody else when a flow ends. Whoever
 * can take that flow to its end causes them, so "not alone" is said only where they
 * would not help either.
 *
 * A reply about everybody lists those who can, each with a way, and those for whom it
 * is not decided. A "no" always says what it covers: which entities, how many
 * instances, which facts; "any number of instances" only where the outline proves it.
 */
#include "analyze/prove/ask_internal.h"

/* ---- goals ---- */

/* Does the step do what is asked? A state that was
 * entered before and is entered again serves, too. */
bool ask_serves(const ask_goal *g, const an_joint_step *step)
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
bool ask_outcome_serves(const an_asker *q, const an_outline *o, const ask_goal *g,
                        uint32_t outcome)
{
    const ct_plan_outcome *out = &q->plan->outcomes[outcome];
    bool some = g->operation == o->operation[outcome];
    for (uint32_t i = 0; g->operation == CT_NONE && i < out->effect_count; i++) {
        const ct_plan_effect *e = &q->plan->effects[out->first_effect + i];
        some |= e->entity == g->entity && e->to == g->to &&
                (g->from == CT_NONE || g->from == e->from) &&
                ct_bit(o->states, o->first_state[e->entity] + e->from);
    }
    return some && ct_bit(o->outcomes, outcome);
}

/* False proves "never", for any number of instances:
 * the outline leaves out nothing that can be. */
static bool in_outline(const an_asker *q, const an_outline *o, const ask_goal *g,
                       uint32_t persona)
{
    for (uint32_t i = 0; i < q->plan->outcome_count; i++) {
        if (ask_allows(q, o->operation[i], persona) && ask_outcome_serves(q, o, g, i)) {
            return true;
        }
    }
    return false;
}

/* ---- searching ---- */

/* The first step that serves, in breadth-first order, so one with a shortest way. */
typedef struct hit {
    bool found;
    uint32_t node; /* the joint state before the step */
    an_joint_step step;
} hit;

/* A step that serves, by the persona. */
typedef struct served {
    const an_asker *q;
    const ask_goal *goal;
    uint32_t persona; /* CT_NONE: by anybody */
} served;

static bool is_served(const void *context, const an_joint_step *step)
{
    const served *x = context;
    return ask_allows(x->q, step->operation, x->persona) && ask_serves(x->goal, step);
}

/* What "never" rests on where no search was needed. */
static void write_outline(asker *k, const an_outline *o, const ask_goal *g,
                          uint32_t persona)
{
    served x = {k->q, g, persona};
    ask_smt_bad bad = {.step = is_served, .context = &x};
    ask_smt_outline(k, o, "nobody comes there, each entity by itself", &bad);
}

/* By structure first, which costs nothing; then without what the solver rules out. */
bool ask_never(asker *k, const ask_goal *g, uint32_t persona)
{
    an_asker *q = k->q;
    if (!in_outline(q, &q->outline, g, persona)) {
        write_outline(k, &q->outline, g, persona);
        return true;
    }
    if (!in_outline(q, ask_proven(q), g, persona)) {
        write_outline(k, ask_proven(q), g, persona);
        return true;
    }
    return false;
}

/* One search of all groups the goal is in. */
typedef struct seeker {
    asker *k;
    const ask_goal *goal;
    uint32_t one;   /* whose way is looked for; UINT32_MAX: everybody's */
    uint32_t still; /* how many have none yet */
    hit *hits;      /* by persona; one more for anybody */
    bool cut;       /* a bound was met */
    bool unsure;    /* an operation nobody could decide was met */
    mt_str reason;
} seeker;

static void strike(seeker *x, uint32_t who, uint32_t node, const an_joint_step *step)
{
    hit *h = &x->hits[who];
    if (!h->found) {
        *h = (hit){true, node, an_joint_keep(x->k->a, step)};
        x->still--;
    }
}

/* ask_step_test: one search serves all personas
 * at once. True when nobody is left to be found. */
static bool look(void *context, ask_space *s, uint32_t node, const an_joint_step *step)
{
    seeker *x = context;
    uint32_t personas = s->q->plan->model->persona_count;
    if (!ask_serves(x->goal, step)) {
        return false;
    }
    for (uint32_t p = 0; p <= personas; p++) {
        bool wanted = x->one == p || (x->one == UINT32_MAX && p < personas);
        if (wanted && ask_allows(s->q, step->operation, p == personas ? CT_NONE : p)) {
            strike(x, p, node, step);
        }
    }
    return x->still == 0;
}

/* Ways of those who were first found in this search. */
static void collect(seeker *x, ask_space *s, ask_way *ways)
{
    uint32_t personas = s->q->plan->model->persona_count;
    for (uint32_t p = 0; p <= personas; p++) {
        if (x->hits[p].found && !ways[p].count) {
            ways[p] = (ask_way){.count = 1, .open = true};
            if (!s->scope.guess && !s->scope.only) {
                ways[p] = ask_way_to(x->k, s, x->hits[p].node, &x->hits[p].step,
                                     p == personas ? CT_NONE : p, MT_STR(""));
            }
            x->reason = ways[p].reason.len ? ways[p].reason : x->reason;
        }
    }
}

/* Of those whose way was looked for and not found, where the search decides that. */
static void write_never(seeker *x, ask_space *s, const ask_way *ways)
{
    uint32_t personas = s->q->plan->model->persona_count;
    for (uint32_t p = 0; p <= personas && !ask_space_gap(s).len; p++) {
        bool wanted = x->one == p || (x->one == UINT32_MAX && p < personas);
        if (wanted && !x->hits[p].found && !ways[p].count) {
            served by = {s->q, x->goal, p == personas ? CT_NONE : p};
            ask_smt_bad bad = {.step = is_served, .context = &by};
            ask_smt_search(x->k, s,
                           s->scope.persona == CT_NONE
                               ? "nobody who is asked about comes there"
                               : "it does not come there alone",
                           &bad);
        }
    }
}

/* Searches the groups of entities the goal is in, one by one: an operation may have
 * outcomes in several. `ways` has one place per persona and one for anybody. */
static void search(seeker *x, const ask_scope *scope, ask_way *ways, ask_cover *c)
{
    an_asker *q = x->k->q;
    const ct_model *m = q->plan->model;
    bool *seen = mt_new_array(x->k->a, bool, (size_t)m->entity_count + 1);
    ask_cover covered = ask_cover_new(x->k, scope->instances);
    x->hits = mt_new_array(x->k->a, hit, (size_t)m->persona_count + 1);
    x->still = x->one == UINT32_MAX ? m->persona_count : 1;
    x->cut = x->unsure = false;
    for (uint32_t o = 0; o < q->plan->outcome_count && x->still; o++) {
        uint32_t group = an_outcome_group(
            &(an_setting){.plan = q->plan, .persona = CT_NONE}, &q->outline, o);
        bool *done = &seen[group == CT_NONE ? m->entity_count : group];
        if (*done || !ask_outcome_serves(q, &q->outline, x->goal, o)) {
            continue;
        }
        ask_scope one = *scope;
        one.groups = &group;
        one.group_count = 1;
        ask_space *s = ask_space_open(q, x->k->a, &one);
        ask_hunt(s, NULL, look, x);
        ask_cover_add(&covered, s);
        x->cut |= !s->j->complete;
        x->unsure |= s->unsure;
        mt_str gap = ask_space_gap(s);
        x->reason = gap.len ? gap : x->reason;
        collect(x, s, ways);
        write_never(x, s, ways);
        *done = true;
    }
    for (uint32_t e = 0; c && e < m->entity_count; e++) {
        if (ct_bit(covered.entities, e)) {
            ct_bit_set(c->entities, e);
        }
    }
    if (c && covered.joint_states > c->joint_states) {
        c->joint_states = covered.joint_states;
    }
}

/* Where a persona stands in `ways` and `hits`;
 * "anybody" has the place behind the last. */
static uint32_t place_of(const asker *k, uint32_t persona)
{
    return persona == CT_NONE ? k->q->plan->model->persona_count : persona;
}

static ask_way *new_ways(asker *k)
{
    return mt_new_array(k->a, ask_way, (size_t)k->q->plan->model->persona_count + 1);
}

/* Nothing was found by a search that was cut or unsure: can there be a way? */
static bool is_open(seeker *x, uint32_t persona, const ask_scope *scope, ask_cover *c)
{
    bool cut = x->cut, unsure = x->unsure;
    mt_str reason = x->reason;
    if (unsure && !cut) {
        ask_way *ways = new_ways(x->k);
        ask_scope guess = *scope;
        seeker again = {.k = x->k, .goal = x->goal, .one = place_of(x->k, persona)};
        guess.guess = true;
        search(&again, &guess, ways, c);
        unsure = ways[again.one].count;
        cut = again.cut;
        x->reason = reason.len ? reason : again.reason;
    }
    return (unsure || cut) && !ask_never(x->k, x->goal, persona);
}

/* Would it help to count what triggers do as one's own? */
static bool triggers_help(asker *k, const ask_goal *g, uint32_t persona,
                          const ask_scope *scope)
{
    bool more;
    const uint64_t *caused = an_union_caused(k->a, k->q->u, persona, &more);
    if (!more) {
        return false;
    }
    ask_scope with = *scope;
    ask_way *ways = new_ways(k);
    seeker x = {.k = k, .goal = g, .one = place_of(k, CT_NONE)};
    with.persona = CT_NONE;
    with.only = caused;
    with.guess = true;
    search(&x, &with, ways, NULL);
    return ways[x.one].count || x.cut;
}

/* `found` with the way, or `alone_open` with
 * the reason, or neither: it cannot, proven. */
static ask_way alone_way(asker *k, const ask_goal *g, uint32_t persona,
                         uint32_t instances, ask_cover *c)
{
    ask_way *ways = new_ways(k);
    seeker x = {.k = k, .goal = g, .one = persona};
    ask_scope scope = {.instances = instances, .persona = persona};
    search(&x, &scope, ways, c);
    ask_way *w = &ways[persona];
    if (!w->found && (x.cut || x.unsure)) {
        w->alone_open = true;
        w->reason = x.reason;
    } else if (!w->found && triggers_help(k, g, persona, &scope)) {
        w->alone_open = true;
        w->reason = MT_STR("triggers start flows that may do it as somebody else");
    }
    return *w;
}

/* Alone first: a way without others is the stronger answer, and the smaller search. */
ask_way ask_way_of(asker *k, const ask_goal *g, uint32_t persona, uint32_t instances,
                   ask_cover *c)
{
    uint32_t one = place_of(k, persona);
    ask_way *ways = new_ways(k), alone = {0};
    ask_scope scope = {.instances = instances, .persona = CT_NONE};
    seeker x = {.k = k, .goal = g, .one = one};
    if (!in_outline(k->q, &k->q->outline, g, persona)) {
        return ways[one];
    }
    if (persona != CT_NONE) {
        alone = alone_way(k, g, persona, instances, c);
    }
    if (alone.found) {
        return alone;
    }
    search(&x, &scope, ways, c);
    ways[one].alone_open = alone.alone_open && !ways[one].alone;
    if (!ways[one].count) {
        ways[one].open = is_open(&x, persona, &scope, c);
        ways[one].reason = x.reason;
    }
    return ways[one];
}

/* The way without others, where there is one. */
static ask_way shorter_cast(asker *k, const ask_goal *g, uint32_t persona,
                            uint32_t instances, ask_way with_others, ask_cover *c)
{
    if (with_others.found && !with_others.alone) {
        ask_way alone = alone_way(k, g, persona, instances, c);
        with_others.alone_open = alone.alone_open;
        return alone.found ? alone : with_others;
    }
    return with_others;
}

/* One search for all; then, only for those who
 * were found with others, one without them. */
ask_way *ask_ways(asker *k, const ask_goal *g, uint32_t instances, ask_cover *c)
{
    uint32_t personas = k->q->plan->model->persona_count;
    ask_way *ways = new_ways(k);
    ask_scope scope = {.instances = instances, .persona = CT_NONE};
    seeker x = {.k = k, .goal = g, .one = UINT32_MAX};
    search(&x, &scope, ways, c);
    for (uint32_t p = 0; p < personas; p++) {
        if (ways[p].count) {
            ways[p] = shorter_cast(k, g, p, instances, ways[p], c);
        } else if (in_outline(k->q, &k->q->outline, g, p)) {
            ways[p].open = is_open(&x, p, &scope, c);
            ways[p].reason = x.reason;
        }
    }
    return ways;
}

/* ---- what a persona does instead ---- */

/* What a persona was seen to move, by effect
 * and not by operation: one may have several. */
typedef struct watcher {
    uint32_t persona;
    uint64_t *moved; /* bit per effect of the plan */
} watcher;

static bool note_moves(void *context, ask_space *s, uint32_t node,
                       const an_joint_step *step)
{
    watcher *x = context;
    const ct_plan *p = s->q->plan;
    (void)node;
    if (!ask_allows(s->q, step->operation, x->persona)) {
        return false;
    }
    const ct_plan_outcome *o = &p->outcomes[step->outcome];
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_plan_effect *e = &p->effects[o->first_effect + i];
        for (uint32_t c = 0; c < step->change_count; c++) {
            if (step->changes[c].entity == e->entity &&
                step->changes[c].from == e->from) {
                ct_bit_set(x->moved, o->first_effect + i);
            }
        }
    }
    return false;
}

static size_t effect_count(const ct_plan *p)
{
    size_t count = 0;
    for (uint32_t i = 0; i < p->outcome_count; i++) {
        count += p->outcomes[i].effect_count;
    }
    return count;
}

/* A search of its own, for its bound says nothing about the answer. */
static void say_own_moves(asker *k, const ask_goal *g, uint32_t persona,
                          uint32_t instances)
{
    const ct_plan *p = k->q->plan;
    const char *between = "";
    if (g->entity == CT_NONE) {
        return;
    }
    watcher x = {persona, mt_new_array(k->a, uint64_t, effect_count(p) / 64 + 1)};
    uint32_t group = k->q->outline.group[g->entity];
    ask_scope scope = {
        .instances = instances, .persona = CT_NONE, .groups = &group, .group_count = 1};
    ask_space *s = ask_space_open(k->q, k->a, &scope);
    ask_hunt(s, NULL, note_moves, &x);
    mt_buf_addf(&k->text, "  %.*s moves it:", MT_ARG(ct_persona_id(p, persona)));
    for (uint32_t o = 0; o < p->outcome_count; o++) {
        const ct_plan_outcome *out = &p->outcomes[o];
        for (uint32_t i = 0; i < out->effect_count; i++) {
            const ct_plan_effect *e = &p->effects[out->first_effect + i];
            if (e->entity == g->entity && ct_bit(x.moved, out->first_effect + i)) {
                mt_str op = ct_operation_id(p, k->q->outline.operation[o]);
                mt_buf_addf(&k->text, "%s %.*s -> %.*s (%.*s)", between,
                            MT_ARG(ct_plan_state_id(p, e->entity, e->from)),
                            MT_ARG(ct_plan_state_id(p, e->entity, e->to)), MT_ARG(op));
                between = ",";
            }
        }
    }
    mt_buf_addz(&k->text, ask_space_gap(s).len ? " (not decided whether more)\n"
                          : *between           ? "\n"
                                               : " nowhere\n");
}

/* ---- replies ---- */

static const char *alone_text(const ask_way *w)
{
    return w->alone        ? ""
           : w->alone_open ? ", after others (whether alone is not decided)"
                           : ", after others";
}

/* A trace is a proof by itself: the engine has executed it. `alone` is left out while
 * it is not decided. */
static an_reply_kind say_yes(asker *k, const ask_said *q, const ask_way *way,
                             const ask_cover *c)
{
    ask_shown h = {.entity = q->goals[0].entity, .instances = q->instances};
    mt_buf_addf(&k->text, "yes%s\n", q->persona == CT_NONE ? "" : alone_text(way));
    ask_way_show(k, &h, way);
    if (q->persona != CT_NONE && !way->alone_open) {
        ask_put(k, "alone", way->alone ? MT_STR("true") : MT_STR("false"));
    }
    ask_cover_json(k, c);
    k->proof = "trace";
    return AN_REPLY_YES;
}

/* The last step is the one that was asked about; the steps before it follow
 * indented. */
static void say_persona(asker *k, const ask_shown *h, mt_jw *w, uint32_t persona,
                        const ask_way *way)
{
    mt_jw_begin_object(w);
    if (!way->alone_open) {
        mt_jw_key_bool(w, "alone", way->alone);
    }
    mt_jw_keyz(w, "path");
    ask_way_json(k, h, w, way);
    mt_jw_key_str(w, "persona", ct_persona_id(k->q->plan, persona));
    mt_jw_end_object(w);
    mt_buf_addz(&k->text, "  ");
    ask_step_say(k, h, &way->steps[way->count - 1]);
    if (way->count > 1) {
        k->text.len--;
        mt_buf_addf(&k->text, "%s\n", alone_text(way));
        ask_way_say(k, h, way, "    ", false);
    }
}

/* What was said about everybody. */
typedef struct tally {
    bool some, open;
    mt_str undecided, reason;
} tally;

/* Everybody who can, and those for whom it is not decided. Writes the keys personas,
 * ways and undecided in every case, and lines for those who can. */
static tally say_personas(asker *k, const ask_said *q, const ask_way *ways)
{
    const ct_model *m = k->q->plan->model;
    ask_shown h = {.entity = q->goals[0].entity, .instances = q->instances};
    mt_buf names = {0}, all = {0}, undecided = {0};
    mt_jw n = mt_jw_start(&names, false), w = mt_jw_start(&all, false),
          u = mt_jw_start(&undecided, false);
    tally t = {0};
    mt_jw_begin_array(&n);
    mt_jw_begin_array(&w);
    mt_jw_begin_array(&u);
    for (uint32_t p = 0; p < m->persona_count; p++) {
        if (ways[p].found) {
            mt_jw_str(&n, m->personas[p].id);
            say_persona(k, &h, &w, p, &ways[p]);
            t.some = true;
        } else if (ways[p].open) {
            mt_jw_str(&u, m->personas[p].id);
            t.open = true;
            t.reason = t.reason.len ? t.reason : ways[p].reason;
        }
    }
    mt_jw_end_array(&n);
    mt_jw_end_array(&w);
    mt_jw_end_array(&u);
    ask_put(k, "personas", ask_kept(k, &names));
    ask_put(k, "ways", ask_kept(k, &all));
    t.undecided = ask_kept(k, &undecided);
    ask_put(k, "undecided", t.open ? t.undecided : MT_STR(""));
    return t;
}

static void say_open(asker *k, const tally *t)
{
    mt_buf_addf(&k->text, "  not decided for %.*s: %.*s\n", MT_ARG(t->undecided),
                MT_ARG(t->reason));
    ask_put_text(k, "reason", t->reason);
}

/* Nobody leads an entity to where it is from the first. */
static void say_begins(asker *k, const ask_goal *g)
{
    if (g->operation == CT_NONE && g->from == CT_NONE &&
        g->to == k->q->plan->model->entities[g->entity].initial) {
        mt_buf_addz(&k->text, "  it begins there\n");
    }
}

/* What the persona does with the entity instead helps more than the bare no. */
static an_reply_kind say_no(asker *k, const ask_said *q, ask_cover *c)
{
    const ask_goal *g = &q->goals[0];
    const ask_way *ways = ask_ways(k, g, q->instances, c);
    c->any = ask_never(k, g, q->persona);
    mt_buf_addz(&k->text, "no\n");
    if (q->persona != CT_NONE) {
        say_own_moves(k, g, q->persona, q->instances);
    }
    say_begins(k, g);
    size_t at = k->text.len;
    mt_buf_addz(&k->text, "  these can:\n");
    tally t = say_personas(k, q, ways);
    if (!t.some) {
        k->text.len = at;
        mt_buf_addz(&k->text, t.open ? "" : "  nobody can\n");
    }
    if (t.open) {
        say_open(k, &t);
    }
    ask_cover_say(k, c, "holds for");
    ask_cover_json(k, c);
    k->proof = "proven";
    return AN_REPLY_NO;
}

/* Does nobody but those found get there, with however many instances? */
static bool never_others(asker *k, const ask_goal *g, const ask_way *ways)
{
    for (uint32_t p = 0; p < k->q->plan->model->persona_count; p++) {
        if (!ways[p].found && !ask_never(k, g, p)) {
            return false;
        }
    }
    return true;
}

/* "nobody else" would be odd where everybody can. */
static bool others_left(const asker *k, const ask_way *ways)
{
    uint32_t found = 0, personas = k->q->plan->model->persona_count;
    for (uint32_t p = 0; p < personas; p++) {
        found += ways[p].found;
    }
    return found < personas || !found;
}

/* Unknown only when nobody was found and somebody is open; otherwise a yes with what is
 * open beside it. */
an_reply_kind ask_reply_who(asker *k, const ask_said *q)
{
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    const ask_goal *g = &q->goals[0];
    ask_cover c = ask_cover_new(k, q->instances);
    const ask_way *ways = ask_ways(k, g, q->instances, &c);
    tally t = say_personas(k, q, ways);
    c.any = !t.open && never_others(k, g, ways);
    ask_cover_json(k, &c);
    if (t.open && !t.some) {
        return ask_unknown(k, t.reason);
    }
    if (!t.some) {
        say_begins(k, g);
    }
    if (t.open) {
        say_open(k, &t);
    } else if (others_left(k, ways)) {
        ask_cover_say(k, &c, t.some ? "nobody else" : "nobody");
    }
    k->proof = t.some ? "trace" : "proven";
    return t.some ? AN_REPLY_YES : AN_REPLY_NO;
}

/* A way that was found decides; after that the search has to be complete before "no"
 * may be said. */
an_reply_kind ask_reply_can(asker *k, const ask_said *q)
{
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    ask_cover c = ask_cover_new(k, q->instances);
    ask_way w = ask_way_of(k, &q->goals[0], q->persona, q->instances, &c);
    if (w.found) {
        return say_yes(k, q, &w, &c);
    }
    if (w.open) {
        ask_cover_json(k, &c);
        return ask_unknown(k, w.reason);
    }
    return say_no(k, q, &c);
}

/* ---- alone ---- */

/* What one persona does by itself: each operation with its way, and where each entity
 * is brought. */
typedef struct loner {
    asker *k;
    const ask_said *q;
    mt_jw *able, *unable, *reached;
    uint32_t count;
    bool open;
    mt_str reason;
} loner;

/* Those that it cannot do alone are not listed: they are the rest. */
static void try_operation(loner *x, uint32_t op, ask_cover *c)
{
    asker *k = x->k;
    const ct_model *m = k->q->plan->model;
    ask_goal g = {CT_NONE, CT_NONE, CT_NONE, op};
    ask_way w = alone_way(k, &g, x->q->persona, x->q->instances, c);
    ask_shown h = {.entity = CT_NONE, .instances = x->q->instances};
    if (w.found) {
        x->count++;
        mt_buf_addf(&k->text, "  %.*s\n", MT_ARG(m->operations[op].id));
        ask_way_say(k, &h, &w, "    ", true);
        mt_jw_begin_object(x->able);
        mt_jw_key_str(x->able, "operation", m->operations[op].id);
        mt_jw_keyz(x->able, "path");
        ask_way_json(k, &h, x->able, &w);
        mt_jw_end_object(x->able);
    } else if (w.alone_open) {
        x->open = true;
        x->reason = w.reason;
        mt_jw_str(x->unable, m->operations[op].id);
    }
}

/* ask_node_test: marks every state that an instance is in. Never ends the search. */
static bool note_states(void *context, ask_space *s, uint32_t node)
{
    uint64_t *states = context;
    for (uint32_t i = 0; i < s->j->entity_count; i++) {
        for (uint32_t n = 0; n < s->scope.instances; n++) {
            uint32_t e = s->j->entities[i];
            ct_bit_set(states,
                       s->q->outline.first_state[e] + an_joint_state(s->j, node, e, n));
        }
    }
    return false;
}

/* Bit per state the persona brings an entity to by itself. The smallest entity names
 * its group. */
static const uint64_t *reached_alone(loner *x, ask_cover *c)
{
    asker *k = x->k;
    const an_outline *o = &k->q->outline;
    uint32_t count = k->q->plan->model->entity_count;
    uint64_t *states =
        mt_new_array(k->a, uint64_t, (size_t)o->first_state[count] / 64 + 1);
    for (uint32_t e = 0; e < count; e++) {
        ask_scope scope = {.instances = x->q->instances,
                           .persona = x->q->persona,
                           .groups = &e,
                           .group_count = 1};
        if (o->group[e] == e) {
            ask_space *s = ask_space_open(k->q, k->a, &scope);
            ask_hunt(s, note_states, NULL, states);
            ask_cover_add(c, s);
        }
    }
    return states;
}

/* Entities it leaves alone are not mentioned. */
static void say_reached(loner *x, uint32_t entity, const uint64_t *states)
{
    asker *k = x->k;
    const ct_entity *en = &k->q->plan->model->entities[entity];
    uint32_t first = k->q->outline.first_state[entity], brought = 0;
    for (uint32_t i = 0; i < en->state_count; i++) {
        if (i == en->initial || !ct_bit(states, first + i)) {
            continue;
        }
        if (!brought++) {
            mt_buf_addf(&k->text, "  it brings %.*s to ", MT_ARG(en->id));
            mt_jw_key(x->reached, en->id);
            mt_jw_begin_array(x->reached);
        }
        mt_buf_addf(&k->text, "%s%.*s", brought > 1 ? ", " : "", MT_ARG(en->states[i]));
        mt_jw_str(x->reached, en->states[i]);
    }
    if (brought) {
        mt_jw_end_array(x->reached);
        mt_buf_addc(&k->text, '\n');
    }
}

/* Every operation it may perform; of a System all, since triggers may do the others. */
static void try_operations(loner *x)
{
    const an_asker *q = x->k->q;
    ask_cover ignored = ask_cover_new(x->k, 1);
    for (uint32_t o = 0; o < q->plan->model->operation_count; o++) {
        if (ask_allows(q, o, x->q->persona) || q->u->system) {
            try_operation(x, o, &ignored);
        }
    }
}

static an_reply_kind say_alone(loner *x, const ask_cover *c, mt_str undecided)
{
    asker *k = x->k;
    ask_cover_json(k, c);
    if (x->open) {
        mt_buf_addf(&k->text, "  not decided for %.*s: %.*s\n", MT_ARG(undecided),
                    MT_ARG(x->reason));
        ask_put(k, "undecided", undecided);
        ask_put_text(k, "reason", x->reason);
    } else {
        ask_cover_say(k, c, x->count ? "nothing else" : "nothing");
    }
    if (x->open && !x->count) {
        return ask_unknown(k, x->reason);
    }
    k->proof = x->count ? "trace" : "proven";
    return x->count ? AN_REPLY_YES : AN_REPLY_NO;
}

an_reply_kind ask_reply_alone(asker *k, const ask_said *q)
{
    mt_buf able = {0}, unable = {0}, reached = {0};
    mt_jw aw = mt_jw_start(&able, false), uw = mt_jw_start(&unable, false),
          rw = mt_jw_start(&reached, false);
    loner x = {.k = k, .q = q, .able = &aw, .unable = &uw, .reached = &rw};
    ask_cover c = ask_cover_new(k, q->instances);
    if (q->persona == CT_NONE) {
        ask_fault(k, &k->tokens.items[2], "alone is one persona");
        return AN_REPLY_FAULT;
    }
    if (k->q->u->gap.len) {
        return ask_unknown(k, k->q->u->gap);
    }
    mt_jw_begin_array(&aw);
    mt_jw_begin_array(&uw);
    mt_jw_begin_unsorted(&rw);
    try_operations(&x);
    const uint64_t *states = reached_alone(&x, &c);
    for (uint32_t e = 0; e < k->q->plan->model->entity_count; e++) {
        say_reached(&x, e, states);
    }
    mt_jw_end_array(&aw);
    mt_jw_end_array(&uw);
    mt_jw_end_object(&rw);
    ask_put(k, "operations", ask_kept(k, &able));
    ask_put(k, "reached", ask_kept(k, &reached));
    return say_alone(&x, &c, ask_kept(k, &unable));
}
