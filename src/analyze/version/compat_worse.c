/* analyze/version/compat_worse.c - obstacles that the new version is not to blame for.
 *
 * The baseline is the same run judged under the old version (v1 to v1): what stands in
 * its way there is nothing new. That alone would not do: the new version might lead to
 * an old obstacle from elsewhere. So every step on the ways to it, and every construct
 * these steps use, must be unchanged. They are walked in the old plan; where all of
 * them are unchanged, the ways in the new plan are the same ones.
 *
 * INVARIANT: what is called inherited is: a run that meets it under the new version
 * comes the same way and meets it under the old one. The other direction does not hold;
 * where it is in doubt, an obstacle makes it worse.
 *
 * Facts and rules may have changed: the snapshot is frozen, and what does not fit it is
 * an obstacle that the baseline cannot have. Nothing fails. */
#include "analyze/version/compat_internal.h"

typedef struct blame {
    mt_arena *a;
    const ct_run *run;
    const an_diff *d;
    const ct_plan *old;
    bool changed; /* something that a step on the way uses */
} blame;

static bool same_obstacle(const an_obstacle *x, const an_obstacle *y)
{
    return x->kind == y->kind && mt_str_eq(x->flow, y->flow) &&
           mt_str_eq(x->step, y->step) && mt_str_eq(x->subject, y->subject) &&
           mt_str_eq(x->reason, y->reason);
}

static bool is_among(const an_obstacles *list, const an_obstacle *o)
{
    for (size_t i = 0; i < list->len; i++) {
        if (same_obstacle(&list->items[i], o)) {
            return true;
        }
    }
    return false;
}

/* ---- What changed ---- */

/* A version number of the language means nothing here. */
static bool is_change(const an_diff_field *f)
{
    return !mt_str_is(f->field, "tenor");
}

static void meet_any(void *state, mt_str kind, mt_str id, mt_str step)
{
    (void)step;
    blame *b = state;
    const an_diff_entry *e = an_diff_find(b->d, kind, id);
    bool flow = mt_str_is(kind, "Flow"); /* step by step, see below */
    for (uint32_t i = 0; e && !flow && i < e->field_count; i++) {
        b->changed |= is_change(&e->fields[i]);
    }
}

static bool names_step(const an_diff_field *f, mt_str step)
{
    for (uint32_t i = 0; i < f->part_count; i++) {
        for (uint32_t k = 0; k < f->parts[i].name_count; k++) {
            if (mt_str_eq(f->parts[i].names[k], step)) {
                return true;
            }
        }
    }
    return false;
}

/* Of a flow only the step counts, and what is not about steps at all. */
static bool flow_changed(const blame *b, mt_str flow, mt_str step)
{
    const an_diff_entry *e = an_diff_find(b->d, MT_STR("Flow"), flow);
    for (uint32_t i = 0; e && i < e->field_count; i++) {
        const an_diff_field *f = &e->fields[i];
        bool steps = mt_str_is(f->field, "steps");
        if (is_change(f) && (!steps || names_step(f, step))) {
            return true;
        }
    }
    return false;
}

/* The diff knows steps of parallel branches by the step of the flow they are in. */
static bool step_changed(blame *b, uint32_t step)
{
    const ct_plan *p = b->old;
    b->changed = false;
    an_step_meets(p, &p->steps[step], meet_any, b);
    uint32_t top = step;
    while (p->graphs[p->steps[top].graph].owner != CT_NONE) {
        top = p->graphs[p->steps[top].graph].owner;
    }
    return b->changed ||
           flow_changed(b, p->graphs[p->steps[top].graph].id, p->steps[top].id);
}

/* ---- The ways to a step ---- */

/* The step that runs the graph, if there is only one in the whole contract. */
static uint32_t only_runner(const ct_plan *p, uint32_t graph)
{
    uint32_t found = p->graphs[graph].owner, count = found != CT_NONE;
    for (uint32_t i = 0; i < p->step_count; i++) {
        if (p->steps[i].does == LN_CALLS && p->steps[i].what == graph) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : CT_NONE;
}

/* Can a run come to the step once only, and is nothing of it before its obstacles? Then
 * what follows it is on no way to it. Steps with steps inside have obstacles behind
 * those. */
static bool comes_once(const blame *b, uint32_t step)
{
    const ct_plan *p = b->old;
    bool plain = p->steps[step].does != LN_CALLS && p->steps[step].does != LN_FORKS;
    uint32_t graph = p->steps[step].graph;
    while (plain && graph != b->run->flow) {
        uint32_t runner = only_runner(p, graph);
        if (runner == CT_NONE) {
            return false;
        }
        graph = p->steps[runner].graph;
    }
    return plain;
}

static bool ways_changed(blame *b, uint32_t step)
{
    an_walk w;
    bool changed = false;
    an_walk_start(&w, b->a, b->old, b->run->flow);
    w.stop = comes_once(b, step) ? step : CT_NONE;
    an_walk_seed_run(&w, b->run->flow, b->run);
    an_walk_all(&w);
    an_walk_free(&w);
    for (uint32_t i = 0; i < b->old->step_count && !changed; i++) {
        changed = w.reached[i] && step_changed(b, i);
    }
    return changed;
}

/* The step of the old plan that the obstacle names. */
static uint32_t place_of(const blame *b, const an_obstacle *o)
{
    for (uint32_t i = 0; i < b->old->step_count; i++) {
        if (mt_str_eq(b->old->steps[i].id, o->step) &&
            mt_str_eq(ct_graph_name(b->a, b->old, b->old->steps[i].graph), o->flow)) {
            return i;
        }
    }
    return CT_NONE;
}

/* What is in the way at no step is in the way wherever the run goes. */
static bool inherited(blame *b, const an_obstacles *before, const an_obstacle *o)
{
    if (!is_among(before, o)) {
        return false;
    }
    uint32_t step = o->step.len ? place_of(b, o) : CT_NONE;
    return !o->step.len || (step != CT_NONE && !ways_changed(b, step));
}

void an_compat_worse(mt_arena *a, const ct_run *run, const an_diff *d,
                     const an_compat_options *options, an_compatibility *out)
{
    an_compatibility before;
    blame b = {.a = a, .run = run, .d = d, .old = run->plan};
    out->worse = false;
    if (out->compatible) {
        return;
    }
    an_compat(a, run, run->plan, options, &before);
    for (size_t i = 0; i < out->obstacles.len; i++) {
        an_obstacle *o = &out->obstacles.items[i];
        o->inherited = inherited(&b, &before.obstacles, o);
        out->worse |= !o->inherited;
    }
}
