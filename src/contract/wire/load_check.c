/* contract/wire/load_check.c - load-time checks that need the whole model (§15.1).
 *
 * Entity parents, step graphs and flow references are acyclic, and no two branches of
 * a parallel step touch one entity. A bundle may come from another elaborator, so what
 * pass 5 has checked is checked again; the evaluator and the flow engine rely on it.
 *
 * Searches are iterative or bounded by flow nesting (limit flow_depth), which is
 * measured here. A flow that many steps call is walked once. */
#include "contract/wire/load_internal.h"

/* These faults belong to a construct as a whole. The JSON is not at hand any more, so
 * there is no path and no place, only the kind and the id. */
static void report(ct_loader *l, const char *code, const char *kind, mt_str id,
                   mt_str message)
{
    mt_buf_clear(&l->path);
    l->construct_kind = mt_str_z(kind);
    l->construct_id = id;
    ct_load_error(l, code, NULL, "%s \"%.*s\": %.*s", kind, MT_ARG(id),
                  MT_ARG(message));
}

/* ---- Entities ---- */

/* Each chain is followed until it ends or meets an entity that is known to end; then
 * the whole chain is marked. A chain longer than there are entities repeats one. Every
 * entity is marked once, so the work is linear (§6.2). One cycle is reported: the
 * members of it would all say the same. */
static void check_parents(ct_loader *l)
{
    const ct_model *m = l->m;
    uint8_t *safe = mt_new_array(l->keep, uint8_t, m->entity_count);
    for (uint32_t i = 0; i < m->entity_count; i++) {
        uint32_t at = i, steps = 0;
        while (at != CT_NONE && !safe[at] && steps <= m->entity_count) {
            at = m->entities[at].parent;
            steps++;
        }
        if (steps > m->entity_count) {
            report(l, CT_L_CYCLE, "Entity", m->entities[i].id,
                   MT_STR("its parents form a cycle"));
            return;
        }
        for (at = i; at != CT_NONE && !safe[at]; at = m->entities[at].parent) {
            safe[at] = 1;
        }
    }
}

/* ---- Step graphs ---- */

typedef MT_VEC(uint32_t) index_list;

/* A terminal has no step and ends the search. */
static void add_target(ct_loader *l, index_list *out, const ct_target *t)
{
    if (t->step != CT_NONE) {
        mt_vec_push(l->keep, out, t->step);
    }
}

/* Only escalation goes on with a step of the same list; the other handlers end the
 * flow. */
static void add_handler(ct_loader *l, index_list *out, const ct_handler *h)
{
    if (h->kind == CT_ESCALATE) {
        mt_vec_push(l->keep, out, h->next);
    }
}

/* The steps that may follow, failure handlers and joins included. */
static void successors(ct_loader *l, const ct_step *s, index_list *out)
{
    out->len = 0;
    for (uint32_t i = 0; i < s->target_count; i++) {
        add_target(l, out, &s->targets[i]);
    }
    add_handler(l, out, &s->on_failure);
}

/* Kahn's algorithm: what cannot be removed is in, or behind, a cycle. An edge that is
 * there twice is counted twice and removed twice. The queue is `ready` itself: each
 * step enters it once, so it needs no more room than there are steps. */
static bool is_acyclic(ct_loader *l, const ct_steps *steps)
{
    uint32_t *incoming = mt_new_array(l->keep, uint32_t, steps->count);
    uint32_t *ready = mt_new_array(l->keep, uint32_t, steps->count);
    uint32_t count = 0, done = 0;
    index_list next = {0};
    for (uint32_t i = 0; i < steps->count; i++) {
        successors(l, &steps->items[i], &next);
        for (size_t k = 0; k < next.len; k++) {
            incoming[next.items[k]]++;
        }
    }
    for (uint32_t i = 0; i < steps->count; i++) {
        if (!incoming[i]) {
            ready[count++] = i;
        }
    }
    for (; done < count; done++) {
        successors(l, &steps->items[ready[done]], &next);
        for (size_t k = 0; k < next.len; k++) {
            if (!--incoming[next.items[k]]) {
                ready[count++] = next.items[k];
            }
        }
    }
    return count == steps->count;
}

/* ---- Flows ---- */

/* An OPEN flow that is met again is its own caller: a cycle. A DONE one is known. */
enum { OPEN = 1, DONE = 2 };

/* One search over all flows; the first fault ends it, because depths are then not
 * known. */
typedef struct walker {
    ct_loader *l;
    const ct_flow *flow; /* whose step lists are being walked, for reports */
    uint8_t *mark;       /* of each flow: 0 new, OPEN, DONE */
    uint32_t *depth;     /* of each flow that is done: how deep it nests */
    uint32_t open;       /* flows and branches being walked */
    bool failed;
} walker;

static uint32_t walk_flow(walker *w, uint32_t flow);

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void walk_failed(walker *w, const ct_flow *flow, mt_str why)
{
    report(w->l, CT_L_CYCLE, "Flow", flow->id, why);
    w->failed = true;
}

static uint32_t walk_steps(walker *w, const ct_steps *steps);

/* The steps of a flow or branch, one level further in; not entered beyond the limit. */
static uint32_t walk_branch(walker *w, const ct_steps *steps)
{
    w->open++;
    uint32_t depth =
        w->open > w->l->limits->flow_depth ? w->open : 1 + walk_steps(w, steps);
    w->open--;
    return depth;
}

/* Each step list of the flow, branches included; sub-flows are entered. Returns how
 * deep they nest. `w->flow` is set back after a sub-flow: a fault in a later step is
 * this flow's. */
static uint32_t walk_steps(walker *w, const ct_steps *steps)
{
    const ct_flow *flow = w->flow;
    uint32_t deepest = 0;
    if (!is_acyclic(w->l, steps)) {
        walk_failed(w, flow, MT_STR("its step graph is not acyclic"));
    }
    for (uint32_t i = 0; i < steps->count && !w->failed; i++) {
        const ct_step *s = &steps->items[i];
        if (s->does == LN_CALLS) {
            deepest = larger(deepest, walk_flow(w, s->what));
            w->flow = flow;
        }
        for (uint32_t k = 0; k < s->branch_count; k++) {
            deepest = larger(deepest, walk_branch(w, &s->branches[k].steps));
        }
    }
    return deepest;
}

/* The C stack grows with flows and branches that are open, which walk_branch() bounds
 * by flow_depth; a bundle with a chain of a million sub-flows is refused, not run into.
 * The depth is kept, so a flow that is called from many places is measured once. */
static uint32_t walk_flow(walker *w, uint32_t flow)
{
    const ct_flow *f = &w->l->m->flows[flow];
    if (w->mark[flow] == DONE || w->failed) {
        return w->depth[flow];
    }
    if (w->mark[flow] == OPEN) {
        walk_failed(w, f, MT_STR("its sub-flows lead back to it"));
        return 0;
    }
    w->mark[flow] = OPEN;
    w->flow = f;
    size_t most = w->l->limits->flow_depth;
    w->depth[flow] = walk_branch(w, &f->steps);
    w->mark[flow] = DONE;
    if (w->depth[flow] > most && !w->failed) {
        walk_failed(w, f,
                    mt_strf(w->l->ds->arena,
                            "its sub-flows and branches nest deeper than %zu levels "
                            "(limit flow_depth)",
                            most));
    }
    return w->depth[flow];
}

/* ---- Parallel branches ---- */

/* Effects of every outcome count: which one a run will have is not known here. */
static void touch_operation(const ct_model *m, uint32_t op, uint8_t *touched)
{
    for (uint32_t i = 0; i < m->operations[op].effect_count; i++) {
        touched[m->operations[op].effects[i].entity] = 1;
    }
}

/* Compensations run inside the branch they belong to, so they touch entities as
 * well. */
static void touch_handler(const ct_model *m, const ct_handler *h, uint8_t *touched)
{
    for (uint32_t i = 0; i < h->step_count; i++) {
        touch_operation(m, h->steps[i].operation, touched);
    }
}

/* Entities a step list may change, sub-flows and compensation included. `seen` keeps a
 * flow that many steps call from being walked again and again. Ends because walk_flow()
 * has found the flows to be acyclic and bounded in depth. */
static void touch_steps(const ct_model *m, const ct_steps *steps, uint8_t *seen,
                        uint8_t *touched)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        const ct_step *s = &steps->items[i];
        touch_handler(m, &s->on_failure, touched);
        if (s->does == LN_OPERATES) {
            touch_operation(m, s->what, touched);
        } else if (s->does == LN_CALLS && !seen[s->what]) {
            seen[s->what] = 1;
            touch_steps(m, &m->flows[s->what].steps, seen, touched);
        }
        for (uint32_t k = 0; k < s->branch_count; k++) {
            touch_steps(m, &s->branches[k].steps, seen, touched);
        }
    }
}

/* §11.5: no two branches may declare effects on one entity. `owner` has the branch
 * before that touches it, so each further branch is reported against the one before.
 * The scratch memory is given back, unless messages of `ds` lie in the same arena. */
static void check_parallel(ct_loader *l, const ct_flow *flow, const ct_step *s)
{
    const ct_model *m = l->m;
    mt_mark mark = mt_arena_mark(l->keep);
    uint32_t *owner = mt_new_array(l->keep, uint32_t, m->entity_count); /* + 1 */
    for (uint32_t b = 0; b < s->branch_count; b++) {
        uint8_t *touched = mt_new_array(l->keep, uint8_t, m->entity_count);
        uint8_t *seen = mt_new_array(l->keep, uint8_t, m->flow_count);
        touch_steps(m, &s->branches[b].steps, seen, touched);
        for (uint32_t e = 0; e < m->entity_count; e++) {
            if (touched[e] && owner[e]) {
                report(l, CT_L_BRANCH, "Flow", flow->id,
                       mt_strf(l->ds->arena,
                               "parallel branches \"%.*s\" and \"%.*s\" of step "
                               "\"%.*s\" both affect entity \"%.*s\"",
                               MT_ARG(s->branches[owner[e] - 1].id),
                               MT_ARG(s->branches[b].id), MT_ARG(s->id),
                               MT_ARG(m->entities[e].id)));
            }
            owner[e] = touched[e] ? b + 1 : owner[e];
        }
    }
    if (l->ds->arena != l->keep) {
        mt_arena_rewind(l->keep, mark);
    }
}

/* Parallel steps inside branches are checked on their own; sub-flows are not entered,
 * since they are checked as flows. */
static void check_branches(ct_loader *l, const ct_flow *flow, const ct_steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        const ct_step *s = &steps->items[i];
        if (s->branch_count) {
            check_parallel(l, flow, s);
        }
        for (uint32_t k = 0; k < s->branch_count; k++) {
            check_branches(l, flow, &s->branches[k].steps);
        }
    }
}

/* Cycles first: the search for touched entities would not end in a circle of flows. */
static void check_flows(ct_loader *l)
{
    const ct_model *m = l->m;
    walker w = {.l = l,
                .mark = mt_new_array(l->keep, uint8_t, m->flow_count),
                .depth = mt_new_array(l->keep, uint32_t, m->flow_count)};
    for (uint32_t i = 0; i < m->flow_count; i++) {
        walk_flow(&w, i);
    }
    for (uint32_t i = 0; i < m->flow_count && !w.failed; i++) {
        check_branches(l, &m->flows[i], &m->flows[i].steps);
    }
}

void ct_check_model(ct_loader *l)
{
    check_parents(l);
    check_flows(l);
}
