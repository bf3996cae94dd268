/* analyze/prove/prove_walk.c - steps in order, each with the ways to it.
 *
 * Steps are taken when all edges into them were seen, so a step has one claim: any of
 * the ways to it. The step lists of a model have no cycles, so every step that can be
 * met is taken once. Nothing fails; claims live in the walk's arena. */
#include "analyze/prove/prove_walk.h"

typedef void edge_visit(pv_walk *w, uint32_t from, uint32_t to, const an_claim *when);

const an_claim *pv_claim_fails(mt_arena *a, const ct_expr *e)
{
    const an_claim *sound = an_claim_holds(a, AN_FIRST, NULL);
    return an_claim_and(a, sound, an_claim_not(a, an_claim_holds(a, AN_FIRST, e)));
}

const an_claim *pv_walk_both(const pv_walk *w, const an_claim *way,
                             const an_claim *also)
{
    return way == w->free ? also : an_claim_and(w->a, way, also);
}

/* The condition under which the step is left by its nth target. */
static const an_claim *way_out(pv_walk *w, const ct_step *s, uint32_t nth)
{
    if (s->does == LN_DECIDES) {
        const ct_expr *e = w->m->conditions[s->what];
        return nth == 0 ? an_claim_holds(w->a, AN_FIRST, e) : pv_claim_fails(w->a, e);
    }
    const ct_expr *e =
        s->does == LN_OPERATES ? w->m->operations[s->what].precondition : NULL;
    return e ? an_claim_holds(w->a, AN_FIRST, e) : w->free;
}

/* Every edge that leaves the step, with its condition. */
static void each_edge(pv_walk *w, uint32_t i, edge_visit *visit)
{
    const ct_step *s = &w->steps->items[i];
    for (uint32_t k = 0; k < s->target_count; k++) {
        if (s->targets[k].step != CT_NONE) {
            visit(w, i, s->targets[k].step, way_out(w, s, k));
        }
    }
    if (s->on_failure.kind == CT_ESCALATE) {
        visit(w, i, s->on_failure.next, w->free);
    }
}

static void count_edge(pv_walk *w, uint32_t from, uint32_t to, const an_claim *when)
{
    (void)from;
    (void)when;
    w->waits[to]++;
}

/* The way through the edge is one more way to its target. */
static void join_edge(pv_walk *w, uint32_t from, uint32_t to, const an_claim *when)
{
    const an_claim *way = w->reached[from], *old = w->reached[to];
    w->waits[to]--;
    if (!way) {
        return;
    }
    if (when != w->free) {
        way = pv_walk_both(w, way, when);
    }
    if (!old || way == w->free) {
        w->reached[to] = way;
    } else if (old != w->free && old != way) {
        w->reached[to] = an_claim_or(w->a, old, way);
    }
}

bool pv_walk_steps(pv_walk *w, const an_claim *way)
{
    uint32_t count = w->steps->count;
    if (count > PV_MOST_STEPS) {
        return false;
    }
    bool *done = mt_new_array(w->a, bool, (size_t)count + 1);
    w->reached = mt_new_array(w->a, const an_claim *, (size_t)count + 1);
    w->waits = mt_new_array(w->a, uint32_t, (size_t)count + 1);
    w->free = an_claim_holds(w->a, AN_FIRST, NULL);
    w->reached[w->steps->entry] = way ? way : w->free;
    for (uint32_t i = 0; i < count; i++) {
        each_edge(w, i, count_edge);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            if (!done[i] && !w->waits[i]) {
                done[i] = more = true;
                w->visit(w->context, w, i);
                each_edge(w, i, join_edge);
            }
        }
    }
    return true;
}
