/* contract/front/pass5_parallel.c - parallel branches must not change the same entity.
 *
 * The suite looks at operations of a branch and of the flows it calls; the
 * specification also at what those call, at nested parallel steps and compensation. So
 * each parallel step is looked at twice, and the deeper look is only taken where the
 * first found nothing.
 *
 * Changes are collected per branch with the way they come about, sorted by entity, and
 * neighbours of different branches are a conflict, reported with both ways. Flows that
 * call flows are walked once per branch; BUDGET bounds the work of all, since a
 * hostile contract can make it square. */
#include <stdlib.h>

#include "contract/front/validate.h"

enum { BUDGET = 20000000 }; /* steps looked at in all */

/* How a branch changes an entity. */
typedef struct change {
    fr_sym entity;
    uint32_t branch;
    fr_sym flow, op; /* flow none: directly */
} change;

typedef struct change_list {
    change *items;
    size_t len, cap;
} change_list;

typedef struct conflict {
    const change *first, *second;
} conflict;

/* `spent` is never reset: the budget is for the whole contract. */
typedef struct analysis {
    fr_unit *u;
    fr_flow *flow;
    const fr_step *step;
    bool deep;
    uint32_t branch;
    change_list changes;
    MT_VEC(const fr_flow *) pending; /* flows the branch calls, each once */
    uint64_t spent;
    bool stopped;
} analysis;

/* Beyond the budget the contract is refused, because it could not be shown that the
 * branches are disjoint. */
static bool spend(analysis *a)
{
    if (a->spent++ < BUDGET) {
        return true;
    }
    if (!a->stopped) {
        fr_report(a->u, FR_E_ANALYSIS_LIMIT,
                  fr_at(&a->flow->head, a->step->branches_tok,
                        mt_strf(a->u->keep, "steps.%.*s.branches",
                                FR_ARG(a->u, a->step->id.sym))),
                  "the effects of these parallel branches are too many to compare");
    }
    a->stopped = true;
    return false;
}

/* Effects of all outcomes: any of them may happen. */
static void add_operation(analysis *a, fr_sym op, fr_sym via)
{
    const fr_operation *o = fr_find(a->u, FR_OPERATION, op);
    if (!o || o->head.broken) {
        return;
    }
    for (size_t i = 0; i < o->effects.len && spend(a); i++) {
        *mt_vec_add(a->u->keep, &a->changes) =
            (change){o->effects.items[i].entity.sym, a->branch, via, op};
    }
}

/* A flow is looked at once per branch, later: a chain of flows may be long. */
static void add_flow(analysis *a, fr_sym name)
{
    const fr_flow *f = fr_find(a->u, FR_FLOW, name);
    if (f && !f->head.broken && fr_mark_new(a->u, name, 0)) {
        *mt_vec_add(a->u->keep, &a->pending) = f;
    }
}

static void add_compensations(analysis *a, const fr_step *s, fr_sym via)
{
    for (size_t i = 0; i < s->handler.steps.len; i++) {
        add_operation(a, s->handler.steps.items[i].op.sym, via);
    }
}

/* `subflows`: enter the flows these steps call. */
static void add_steps(analysis *a, const fr_steps *steps, fr_sym via, bool subflows)
{
    for (size_t i = 0; i < steps->len && spend(a); i++) {
        const fr_step *s = steps->items[i];
        if (fr_does(s) == LN_OPERATES) {
            add_operation(a, s->op.sym, via);
        } else if (fr_does(s) == LN_CALLS && subflows) {
            add_flow(a, s->op.sym);
        }
        for (size_t b = 0; a->deep && fr_does(s) == LN_FORKS && b < s->branches.len;
             b++) {
            add_steps(a, &s->branches.items[b].steps, via, subflows);
        }
        if (a->deep) {
            add_compensations(a, s, via);
        }
    }
}

/* By entity, then branch; a direct change before one through a flow. */
static int compare_changes(const void *a, const void *b)
{
    const change *x = a, *y = b;
    if (x->entity != y->entity) {
        return x->entity < y->entity ? -1 : 1;
    }
    if (x->branch != y->branch) {
        return x->branch < y->branch ? -1 : 1;
    }
    if (x->flow != y->flow) {
        return x->flow < y->flow ? -1 : 1;
    }
    return x->op < y->op ? -1 : x->op > y->op;
}

/* By branches in the order of the text, then by the entity's name: the order of the
 * suite. */
static int compare_conflicts(const void *a, const void *b, void *unit)
{
    const conflict *x = a, *y = b;
    if (x->first->branch != y->first->branch) {
        return x->first->branch < y->first->branch ? -1 : 1;
    }
    if (x->second->branch != y->second->branch) {
        return x->second->branch < y->second->branch ? -1 : 1;
    }
    return fr_sym_cmp(unit, x->first->entity, y->first->entity);
}

static fr_sym branch_name(const analysis *a, uint32_t branch)
{
    return a->step->branches.items[branch].id.sym;
}

static void report_conflict(analysis *a, const conflict *c)
{
    fr_unit *u = a->u;
    fr_place at =
        fr_at(&a->flow->head, a->step->branches_tok,
              mt_strf(u->keep, "steps.%.*s.branches", FR_ARG(u, a->step->id.sym)));
    at.late = a->deep;
    fr_sym x = branch_name(a, c->first->branch), y = branch_name(a, c->second->branch);
    const change *far = c->first->flow ? c->first : c->second->flow ? c->second : NULL;
    mt_str detail = mt_strf(u->keep, "both declare effects on entity '%.*s'",
                            FR_ARG(u, c->first->entity));
    if (far) {
        detail = mt_strf(u->keep,
                         "both affect entity '%.*s' (%.*s transitively through "
                         "SubFlowStep → %.*s → %.*s)",
                         FR_ARG(u, far->entity), FR_ARG(u, branch_name(a, far->branch)),
                         FR_ARG(u, far->flow), FR_ARG(u, far->op));
    }
    fr_report(u, FR_E_PARALLEL_CONFLICT, at,
              "parallel branches '%.*s' and '%.*s' %.*s; parallel branch entity effect "
              "sets must be disjoint",
              FR_ARG(u, x), FR_ARG(u, y), MT_ARG(detail));
}

/* Reports every entity that two branches change; returns how many. After sorting,
 * changes of one entity are neighbours and branches ascend inside; a change of branch
 * between neighbours is a conflict with the first branch of the run. */
static size_t report_conflicts(analysis *a)
{
    MT_VEC(conflict) found = {0};
    change *items = a->changes.items;
    size_t count = a->changes.len, first = 0;
    if (count) {
        qsort(items, count, sizeof *items, compare_changes);
    }
    for (size_t i = 1; i < count; i++) {
        if (items[i].entity != items[first].entity) {
            first = i;
        } else if (items[i].branch != items[i - 1].branch) {
            *mt_vec_add(a->u->keep, &found) = (conflict){&items[first], &items[i]};
        }
    }
    if (found.len) {
        qsort_r(found.items, found.len, sizeof *found.items, compare_conflicts, a->u);
    }
    for (size_t i = 0; i < found.len; i++) {
        report_conflict(a, &found.items[i]);
    }
    return found.len;
}

/* The marks keep a flow from being entered twice in one branch; the list of pending
 * flows grows while it is walked, so a chain of flows needs no recursion. */
static size_t compare_branches(analysis *a, bool deep)
{
    a->deep = deep;
    a->changes.len = 0;
    for (uint32_t b = 0; b < a->step->branches.len; b++) {
        fr_new_stamp(a->u);
        a->branch = b;
        a->pending.len = 0;
        add_steps(a, &a->step->branches.items[b].steps, FR_W_none, true);
        for (size_t i = 0; i < a->pending.len; i++) {
            const fr_flow *f = a->pending.items[i];
            add_steps(a, &f->steps, f->head.id, deep);
        }
    }
    return report_conflicts(a);
}

/* Nested parallel steps are only known to the specification, hence `outer`. */
static void check_steps(analysis *a, const fr_steps *steps, bool outer)
{
    for (size_t i = 0; i < steps->len; i++) {
        const fr_step *s = steps->items[i];
        if (fr_does(s) != LN_FORKS) {
            continue;
        }
        a->step = s;
        if (!outer || !compare_branches(a, false)) {
            compare_branches(a, true);
        }
        for (size_t b = 0; b < s->branches.len; b++) {
            check_steps(a, &s->branches.items[b].steps, false);
        }
    }
}

void fr_validate_parallel(fr_unit *u)
{
    analysis a = {.u = u};
    for (size_t i = 0; i < u->kinds[FR_FLOW].len; i++) {
        a.flow = (fr_flow *)u->kinds[FR_FLOW].items[i];
        if (!a.flow->head.broken) {
            check_steps(&a, &a.flow->steps, true);
        }
    }
}
