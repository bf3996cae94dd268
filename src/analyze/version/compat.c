/* analyze/version/compat.c - the conditions FMC1 to FMC7 for one flow instance.
 *
 * First the frames of the run are found in the new plan, then everything that can
 * follow is walked (compat_walk.c), then every step met is checked: is it equivalent
 * to the old one, may its persona still act, does its operation find what it reads in
 * the frozen snapshot (compat_snapshot.c), are entities in states it can leave
 * (compat_entity.c).
 *
 * An obstacle is something that stands in the way (OBSTACLES has its condition and
 * layer); a note is something a person should know. Conservative analysis counts
 * everything that could follow; aggressive analysis leaves out what conditions on the
 * frozen snapshot exclude.
 *
 * Invariants: obstacles are listed by layer, then in the order found; a flow that has
 * ended is compatible. Nothing fails. Facts and verdicts of the new contract are made
 * by an_compat_open() and freed by an_compat_close(), all else is the caller's arena.
 */
#include "analyze/version/compat_internal.h"
#include "contract/flow/text.h"

static const struct obstacle_row {
    const char *name, *condition;
    uint8_t layer;
} OBSTACLES[] = {
    [AN_NO_FLOW] = {"no_flow", "FMC1", 3},
    [AN_NO_STEP] = {"no_step", "FMC1", 3},
    [AN_OTHER_STEP] = {"other_step", "FMC1", 3},
    [AN_OTHER_HANDLER] = {"other_handler", "FMC1", 3},
    [AN_OTHER_BRANCHES] = {"other_branches", "FMC1", 3},
    [AN_NO_JOIN] = {"no_join", "FMC1", 3},
    [AN_PERSONA_REFUSED] = {"persona_refused", "FMC2", 3},
    [AN_FACT_MISSING] = {"fact_missing", "FMC2", 3},
    [AN_FACT_MISFIT] = {"fact_misfit", "FMC2", 3},
    [AN_PAYLOAD_MISFIT] = {"payload_misfit", "FMC2", 3},
    [AN_NO_VALUE] = {"no_value", "FMC2", 3},
    [AN_VERDICT_LACKING] = {"verdict_lacking", "FMC4", 3},
    [AN_ENTITY_UNBOUND] = {"entity_unbound", "FMC3", 2},
    [AN_STATE_REMOVED] = {"state_removed", "FMC3", 2},
    [AN_STATE_UNREACHED] = {"state_unreached", "FMC3", 2},
    [AN_STATE_NOT_SET] = {"state_not_set", "FMC4", 2},
    [AN_PARENT_CHANGED] = {"parent_changed", "FMC3", 2},
};
MT_TABLE_COVERS(OBSTACLES, AN_OBSTACLE_COUNT);

const char *an_obstacle_name(an_obstacle_kind kind)
{
    return OBSTACLES[kind].name;
}

/* Names are those of the new contract; where the flow itself is gone, of the old
 * one. */
static an_obstacle make(const an_checker *c, an_obstacle_kind kind, uint32_t step,
                        mt_str subject, mt_str reason)
{
    bool at = step != CT_NONE;
    uint32_t graph = at ? c->p->steps[step].graph : c->flow;
    return (an_obstacle){
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

void an_compat_oppose(an_checker *c, an_obstacle_kind kind, uint32_t step,
                      mt_str subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    an_obstacle o = make(c, kind, step, subject, mt_strfv(c->a, format, args));
    va_end(args);
    mt_vec_push(c->a, &c->out->obstacles, o);
}

void an_compat_note(an_checker *c, an_obstacle_kind kind, uint32_t step, mt_str subject,
                    mt_str reason)
{
    mt_vec_push(c->a, &c->out->notes, make(c, kind, step, subject, reason));
}

/* ---- Steps (layer 3) ---- */

/* The graph of the old plan that stands for one of the new, or CT_NONE. A branch is
 * known by the step it belongs to and its id, up to the flow. Recursion is as deep as
 * branches nest. */
static uint32_t old_graph(const an_checker *c, uint32_t graph)
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
static void match_steps(an_checker *c, uint32_t graph)
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

/* Graphs are matched when first asked for: a run meets few of them. */
static uint32_t old_step(an_checker *c, uint32_t step)
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
    return s->does == LN_OPERATES ? ct_operation_id(p, s->what)
           : s->does == LN_CALLS  ? p->graphs[s->what].id
                                  : (mt_str){0};
}

/* Step equivalence (§18.6.2) between an old step and the new one of the same id. Kind
 * and what it runs; targets and handlers are followed by the walk and need not be the
 * same. */
static bool check_equivalent(an_checker *c, uint32_t was, uint32_t step)
{
    const ct_plan_step *before = &c->old->steps[was], *now = &c->p->steps[step];
    if (before->kind != now->kind) {
        an_compat_oppose(c, AN_OTHER_STEP, step, now->id,
                         "step '%.*s' was %s step and is %s step", MT_ARG(now->id),
                         LN_STEPS[before->kind].phrase, LN_STEPS[now->kind].phrase);
        return false;
    }
    mt_str old = does(c->old, before), new = does(c->p, now);
    if (!mt_str_eq(old, new)) {
        an_compat_oppose(c, AN_OTHER_STEP, step, new,
                         "step '%.*s' ran '%.*s' and now runs '%.*s'", MT_ARG(now->id),
                         MT_ARG(old), MT_ARG(new));
        return false;
    }
    return true;
}

/* Entities (layer 2) before persona and snapshot (layer 3), for each place it is run
 * at. */
static void check_operation(an_checker *c, const an_place *at, uint32_t op,
                            uint32_t persona)
{
    const ct_plan_op *o = &c->p->ops[op];
    an_compat_effects(c, at, op);
    if (!ct_bit(o->allowed, persona)) {
        mt_str who = ct_persona_id(c->p, persona), id = ct_operation_id(c->p, op);
        an_compat_oppose(c, AN_PERSONA_REFUSED, at->step, who,
                         "persona '%.*s' may not invoke operation '%.*s'", MT_ARG(who),
                         MT_ARG(id));
    }
    if (o->condition != CT_NONE && an_compat_is_false(c, at->step, o->condition)) {
        an_compat_refusal(c, at->step, op);
    }
}

static bool given(ct_plan_target t)
{
    return t.step != CT_NONE || t.terminal != CT_NONE;
}

/* However the branches end, there must be a way on. */
static void check_join(an_checker *c, uint32_t step)
{
    const ct_plan_step *s = &c->p->steps[step];
    const ct_plan_target *to = &c->p->targets[s->first_target];
    bool any = given(to[1]);
    bool on_failure = any || s->handler.kind != CT_HANDLER_NONE;
    if (!(any || given(to[0])) || !on_failure) {
        an_compat_oppose(c, AN_NO_JOIN, step, s->id,
                         "parallel step '%.*s' has no join for branches that %s",
                         MT_ARG(s->id), on_failure ? "succeed" : "fail");
    }
}

/* Each compensation finds the states that the ones before it left. A compensation under
 * way goes on at its index; those before it are done. */
static void check_handler(an_checker *c, uint32_t step, uint32_t was)
{
    const ct_plan_step *s = &c->p->steps[step];
    const ct_plan_handler *h = &s->handler;
    bool due = c->walk.reached[step] & AN_REACHED_UNDO;
    uint64_t *set = due ? c->walk.in[step] : an_walk_failed(&c->walk, c->a, step);
    for (uint32_t i = due ? c->walk.index[step] : 0; i < h->undo_count; i++) {
        const ct_plan_undo *u = &c->p->undos[h->first_undo + i];
        check_operation(c, &(an_place){step, was, i, set}, u->op, u->persona);
        uint64_t *next = mt_new_array(c->a, uint64_t, c->walk.words);
        an_walk_apply(&c->walk, set, u->op, next);
        set = next;
    }
}

/* A step that the old contract does not have has nothing to be equivalent to: it is new
 * and only has to work. After a difference nothing more is said about the step. */
static void check_step(an_checker *c, uint32_t step)
{
    const ct_plan_step *s = &c->p->steps[step];
    uint32_t was = old_step(c, step);
    if (c->walk.reached[step] & AN_REACHED_STEP) {
        if (was != CT_NONE && !check_equivalent(c, was, step)) {
            return;
        }
        if (s->does == LN_OPERATES) {
            an_place at = {step, was, CT_NONE, c->walk.in[step]};
            check_operation(c, &at, s->what, s->persona);
        } else if (s->does == LN_DECIDES) {
            (void)an_compat_is_false(c, step, s->what);
        }
    }
    if (s->does == LN_FORKS) {
        check_join(c, step);
    }
    check_handler(c, step, was);
}

/* ---- The position ---- */

/* Same ids in the same order: the run remembers branches by their number. */
static bool same_branches(const an_checker *c, uint32_t was, uint32_t step)
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
static bool known_ends(const an_checker *c, const ct_frame *f)
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

/* The run remembers which compensation is next by number, so that one has to be the
 * same operation. */
static bool same_undo(const an_checker *c, const ct_frame *f, uint32_t step)
{
    const ct_plan_handler *old = &c->old->steps[f->step].handler;
    const ct_plan_handler *now = &c->p->steps[step].handler;
    return now->kind == CT_COMPENSATE && f->index < now->undo_count &&
           mt_str_eq(
               ct_operation_id(c->old, c->old->undos[old->first_undo + f->index].op),
               ct_operation_id(c->p, c->p->undos[now->first_undo + f->index].op));
}

/* Finds one frame in the new plan; CT_NONE after saying why not. FMC1, FMC5: where the
 * run stands must exist and mean the same. */
static uint32_t place_frame(an_checker *c, const ct_frame *f, uint32_t graph)
{
    mt_str id = c->old->steps[f->step].id;
    uint32_t step = ct_plan_step_named(c->p, graph, id);
    if (step == CT_NONE) {
        an_compat_oppose(
            c, AN_NO_STEP, CT_NONE, id,
            "the flow stands at step '%.*s', which the new contract does not have",
            MT_ARG(id));
        return CT_NONE;
    }
    if (!check_equivalent(c, f->step, step)) {
        return CT_NONE;
    }
    if (f->phase == CT_COMPENSATING && !same_undo(c, f, step)) {
        an_compat_oppose(c, AN_OTHER_HANDLER, step, id,
                         "the compensation under way at step '%.*s' is another one",
                         MT_ARG(id));
        return CT_NONE;
    }
    bool parallel = c->p->steps[step].does == LN_FORKS;
    if (f->phase == CT_INSIDE && parallel &&
        !(same_branches(c, f->step, step) && known_ends(c, f))) {
        an_compat_oppose(c, AN_OTHER_BRANCHES, step, id,
                         "parallel step '%.*s' is under way and has other branches",
                         MT_ARG(id));
        return CT_NONE;
    }
    return step;
}

static uint32_t inner_graph(const ct_plan *p, uint32_t step, uint32_t index)
{
    const ct_plan_step *s = &p->steps[step];
    return s->does == LN_FORKS ? s->first_branch + index : s->what;
}

/* Seeds the walk with every frame; false if one has no place. From the outermost frame
 * inwards; each tells in which graph the next one stands. All start from the same
 * states, which are the current ones. */
static bool place_frames(an_checker *c, an_walk *w)
{
    uint32_t graph = c->flow;
    uint64_t *set = an_walk_set(w, c->states);
    for (size_t i = 0; i < c->run->frames.len; i++) {
        const ct_frame *f = &c->run->frames.items[i];
        uint32_t step = place_frame(c, f, graph);
        if (step == CT_NONE) {
            return false;
        }
        an_walk_seed(w, step, an_walk_how(f->phase), f->index, set);
        graph = f->phase == CT_INSIDE ? inner_graph(c->p, step, f->index) : graph;
    }
    return true;
}

/* ---- The whole ---- */

/* By name; CT_NONE where the new contract does not have the state, or nothing is
 * bound. */
static void find_states(an_checker *c)
{
    const ct_model *m = c->p->model;
    c->states = mt_new_array(c->a, uint32_t, m->entity_count);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_str state = an_compat_state(c, e);
        c->states[e] = state.len ? ct_state_find(&m->entities[e], state) : CT_NONE;
    }
}

/* The engine wants every entity the flow can change bound, those behind it too. */
static void check_bindings(an_checker *c)
{
    for (uint32_t e = 0; e < c->p->model->entity_count; e++) {
        if (ct_bit(c->p->graphs[c->flow].entities, e) && !an_compat_bound(c, e)) {
            an_compat_entity(c, CT_NONE, e);
        }
    }
}

/* All that could follow under the old contract. Needed for FMC4: what was not possible
 * before is not made worse by the new contract. */
static void walk_before(an_checker *c)
{
    an_walk *w = &c->before;
    an_walk_start(w, c->a, c->old, c->run->flow);
    uint64_t *set = an_walk_set(w, c->run->states);
    for (size_t i = 0; i < c->run->frames.len; i++) {
        const ct_frame *f = &c->run->frames.items[i];
        an_walk_seed(w, f->step, an_walk_how(f->phase), f->index, set);
    }
    an_walk_all(w);
}

/* Where transitions lead from the current states; each round adds a state or ends. */
static void find_leads(an_checker *c)
{
    const ct_model *m = c->p->model;
    c->leads = an_walk_set(&c->walk, c->states);
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

/* The same walk again, with conditions decided by the frozen snapshot; only the set of
 * steps it reaches is used. Obstacles of placing were said by the walk before. */
static void prune(an_checker *c)
{
    an_walk_start(&c->live, c->a, c->p, c->flow);
    c->live.decided = an_compat_decided;
    c->live.context = c;
    place_frames(c, &c->live);
    an_walk_all(&c->live);
    an_walk_free(&c->live);
}

/* The walk over everything is made in both modes, since states before a step come from
 * it. */
static void check_all(an_checker *c, bool aggressive)
{
    an_walk_start(&c->walk, c->a, c->p, c->flow);
    bool placed = place_frames(c, &c->walk);
    if (placed) {
        an_walk_all(&c->walk);
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
    an_walk_free(&c->walk);
    an_walk_free(&c->before);
}

/* Layer 2 before layer 3, otherwise in the order found. */
static void settle(an_compatibility *out, mt_arena *a)
{
    an_obstacles sorted = {0};
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

/* Layer 1, the frozen verdicts, always passes: they travel with the instance
 * (§18.6.5). */
void an_compat(mt_arena *a, const ct_run *run, const ct_plan *next,
               const an_compat_options *options, an_compatibility *out)
{
    mt_str flow = run->plan->graphs[run->flow].id;
    an_checker c = {.a = a,
                    .run = run,
                    .old = run->plan,
                    .p = next,
                    .flow = ct_model_find(next->model, CT_KIND_FLOW, flow),
                    .out = out};
    *out = (an_compatibility){.passes = {true, true, true}};
    if (!run->frames.len) { /* it has ended */
        out->compatible = true;
        return;
    }
    if (c.flow == CT_NONE) {
        an_compat_oppose(&c, AN_NO_FLOW, CT_NONE, flow,
                         "flow '%.*s' is not in the new contract", MT_ARG(flow));
    } else {
        c.values = mt_new_array(a, uint8_t, next->model->condition_count);
        c.entity_noted = mt_new_array(a, uint8_t, next->model->entity_count);
        c.matched = mt_new_array(a, uint8_t, next->graph_count);
        c.was = mt_new_array(a, uint32_t, next->step_count);
        find_states(&c);
        an_compat_open(&c);
        check_all(&c, options && options->aggressive);
        an_compat_close(&c);
    }
    settle(out, a);
}
