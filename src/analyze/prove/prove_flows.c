/* analyze/prove/prove_flows.c - steps that no fact set leads to.
 *
 * A flow reads one frozen snapshot, so the conditions on a way must hold together, for
 * one fact set: preconditions of operations that succeeded, and branches. What may
 * fail for other reasons (persona, state, sub-flows, parallel branches) is taken to go
 * either way.
 *
 * Steps are taken when all edges into them were seen, so a step has one claim: any of
 * the ways to it. A step with an impossible claim is reported, and a branch or a
 * precondition that the way to it decides already. Lists longer than MOST_STEPS are
 * left open: claims grow with every join. */
#include "analyze/prove/prove_findings_internal.h"

enum {
    MOST_STEPS = 400 /* of one list of steps; longer ones are left open */
};

typedef struct walk {
    pf_finder *f;
    const ct_flow *flow;
    const ct_steps *steps;
    const an_claim *
        *reached;         /* by step: the conditions of some way to it; NULL: none */
    const an_claim *free; /* no condition at all */
    uint32_t *waits;      /* by step: edges into it not yet seen */
} walk;

typedef void edge_visit(walk *w, uint32_t from, uint32_t to, const an_claim *when);

static void visit_target(walk *w, uint32_t from, const ct_target *t,
                         const an_claim *when, edge_visit *visit)
{
    if (t->step != CT_NONE) {
        visit(w, from, t->step, when);
    }
}

static void visit_handler(walk *w, uint32_t from, const ct_handler *h,
                          edge_visit *visit)
{
    if (h->kind == CT_ESCALATE) {
        visit(w, from, h->next, w->free);
    }
}

static void visit_operation(walk *w, uint32_t i, const ct_step *s, edge_visit *visit)
{
    const ct_operation *o = &w->f->m->operations[s->as.operation.operation];
    const an_claim *holds = o->precondition ? pf_holds(w->f, o->precondition) : w->free;
    for (uint32_t k = 0; k < o->outcome_count; k++) {
        visit_target(w, i, &s->as.operation.outcomes[k], holds, visit);
    }
    visit_handler(w, i, &s->as.operation.on_failure, visit);
}

/* Every edge that leaves the step, with its condition. */
static void each_edge(walk *w, uint32_t i, edge_visit *visit)
{
    const ct_step *s = &w->steps->items[i];
    switch ((ct_step_kind)s->kind) {
    case CT_OPERATION_STEP: visit_operation(w, i, s, visit); break;
    case CT_BRANCH_STEP:
        visit_target(w, i, &s->as.branch.if_true,
                     pf_holds(w->f, s->as.branch.condition), visit);
        visit_target(w, i, &s->as.branch.if_false,
                     pf_fails(w->f, s->as.branch.condition), visit);
        break;
    case CT_HANDOFF_STEP: visit(w, i, s->as.handoff.next, w->free); break;
    case CT_SUBFLOW_STEP:
        visit_target(w, i, &s->as.subflow.on_success, w->free, visit);
        visit_handler(w, i, &s->as.subflow.on_failure, visit);
        break;
    case CT_PARALLEL_STEP:
        if (s->as.parallel.has_all_success) {
            visit_target(w, i, &s->as.parallel.on_all_success, w->free, visit);
        }
        if (s->as.parallel.has_all_complete) {
            visit_target(w, i, &s->as.parallel.on_all_complete, w->free, visit);
        }
        visit_handler(w, i, &s->as.parallel.on_any_failure, visit);
        break;
    }
}

static void count_edge(walk *w, uint32_t from, uint32_t to, const an_claim *when)
{
    (void)from;
    (void)when;
    w->waits[to]++;
}

/* The way through the edge is one more way to its target. */
static void join_edge(walk *w, uint32_t from, uint32_t to, const an_claim *when)
{
    const an_claim *way = w->reached[from], *old = w->reached[to];
    mt_arena *a = w->f->a;
    w->waits[to]--;
    if (!way) {
        return;
    }
    if (when != w->free) {
        way = way == w->free ? when : an_claim_and(a, way, when);
    }
    if (!old || way == w->free) {
        w->reached[to] = way;
    } else if (old != w->free && old != way) {
        w->reached[to] = an_claim_or(a, old, way);
    }
}

static an_finding about_step(const walk *w, const char *code, const ct_step *s)
{
    return (an_finding){.code = code,
                        .severity = MT_WARNING,
                        .kind = "Flow",
                        .construct = w->flow->id,
                        .part = s->id,
                        .origin = w->flow->origin};
}

static const an_claim *both(const walk *w, const an_claim *way, const an_claim *also)
{
    return way == w->free ? also : an_claim_and(w->f->a, way, also);
}

static void look_at_branch(walk *w, const ct_step *s, const an_claim *way)
{
    pf_finder *f = w->f;
    const ct_expr *e = s->as.branch.condition;
    an_answer yes = pf_ask(f, both(w, way, pf_holds(f, e)));
    an_answer no = pf_ask(f, both(w, way, pf_fails(f, e)));
    bool never = yes.possible == AN_NEVER && no.possible == AN_POSSIBLE;
    bool always = no.possible == AN_NEVER && yes.possible == AN_POSSIBLE;
    if (never || always) {
        pf_report(f, about_step(w, "S313", s), never ? no.facts : yes.facts,
                  "step '%.*s' always goes one way: %.*s is always %s there",
                  MT_ARG(s->id), MT_ARG(pf_text(f, e)), always ? "true" : "false");
    }
}

static void look_at_operation(walk *w, const ct_step *s, const an_claim *way)
{
    pf_finder *f = w->f;
    uint32_t op = s->as.operation.operation;
    const ct_operation *o = &f->m->operations[op];
    if (!o->precondition || f->operation_dead[op] || way == w->free) {
        return;
    }
    if (pf_never(f, both(w, way, pf_holds(f, o->precondition)))) {
        an_answer example = pf_ask(f, both(w, way, pf_fails(f, o->precondition)));
        pf_report(f, about_step(w, "S315", s), example.facts,
                  "step '%.*s' always fails: where it is reached, %.*s is false",
                  MT_ARG(s->id), MT_ARG(pf_text(f, o->precondition)));
    }
}

static void walk_steps(pf_finder *f, const ct_flow *flow, const ct_steps *steps,
                       const an_claim *way, unsigned depth);

static void look_at_branches(walk *w, const ct_step *s, const an_claim *way,
                             unsigned depth)
{
    for (uint32_t i = 0; i < s->as.parallel.branch_count; i++) {
        walk_steps(w->f, w->flow, &s->as.parallel.branches[i].steps,
                   way == w->free ? NULL : way, depth + 1);
    }
}

static void look_at_step(walk *w, uint32_t i, unsigned depth)
{
    const ct_step *s = &w->steps->items[i];
    const an_claim *way = w->reached[i];
    if (!way || w->f->stopped) {
        return; /* nothing leads there at all: S601 says so */
    }
    if (way != w->free && pf_never(w->f, way)) {
        an_answer example = pf_ask(w->f, w->free);
        pf_report(w->f, about_step(w, "S314", s), example.facts,
                  "no fact set leads to step '%.*s'", MT_ARG(s->id));
        w->reached[i] = NULL;
        return;
    }
    if (s->kind == CT_BRANCH_STEP) {
        look_at_branch(w, s, way);
    } else if (s->kind == CT_OPERATION_STEP) {
        look_at_operation(w, s, way);
    } else if (s->kind == CT_PARALLEL_STEP) {
        look_at_branches(w, s, way, depth);
    }
}

/* Steps in an order in which every one comes after those that lead to it. */
static void walk_steps(pf_finder *f, const ct_flow *flow, const ct_steps *steps,
                       const an_claim *way, unsigned depth)
{
    enum { MOST_DEPTH = 64 };
    if (steps->count > MOST_STEPS || depth > MOST_DEPTH) {
        f->open++;
        return;
    }
    walk w = {.f = f,
              .flow = flow,
              .steps = steps,
              .reached = mt_new_array(f->a, const an_claim *, steps->count + 1),
              .free = an_claim_holds(f->a, AN_FIRST, NULL),
              .waits = mt_new_array(f->a, uint32_t, steps->count + 1)};
    bool *done = mt_new_array(f->a, bool, steps->count + 1);
    w.reached[steps->entry] = way ? way : w.free;
    for (uint32_t i = 0; i < steps->count; i++) {
        each_edge(&w, i, count_edge);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < steps->count; i++) {
            if (!done[i] && !w.waits[i]) {
                done[i] = more = true;
                look_at_step(&w, i, depth);
                each_edge(&w, i, join_edge);
            }
        }
    }
}

void pf_flows(pf_finder *f)
{
    for (uint32_t i = 0; i < f->m->flow_count && !f->stopped; i++) {
        walk_steps(f, &f->m->flows[i], &f->m->flows[i].steps, NULL, 0);
    }
}
