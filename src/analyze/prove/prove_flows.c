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

/* The condition under which the step is left by its nth target. */
static const an_claim *way_out(walk *w, const ct_step *s, uint32_t nth)
{
    const ct_model *m = w->f->m;
    if (s->does == LN_DECIDES) {
        const ct_expr *e = m->conditions[s->what];
        return nth == 0 ? pf_holds(w->f, e) : pf_fails(w->f, e);
    }
    const ct_expr *e =
        s->does == LN_OPERATES ? m->operations[s->what].precondition : NULL;
    return e ? pf_holds(w->f, e) : w->free;
}

/* Every edge that leaves the step, with its condition. */
static void each_edge(walk *w, uint32_t i, edge_visit *visit)
{
    const ct_step *s = &w->steps->items[i];
    for (uint32_t k = 0; k < s->target_count; k++) {
        visit_target(w, i, &s->targets[k], way_out(w, s, k), visit);
    }
    visit_handler(w, i, &s->on_failure, visit);
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
    const ct_expr *e = w->f->m->conditions[s->what];
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
    uint32_t op = s->what;
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
    for (uint32_t i = 0; i < s->branch_count; i++) {
        walk_steps(w->f, w->flow, &s->branches[i].steps, way == w->free ? NULL : way,
                   depth + 1);
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
    if (s->does == LN_DECIDES) {
        look_at_branch(w, s, way);
    } else if (s->does == LN_OPERATES) {
        look_at_operation(w, s, way);
    } else if (s->does == LN_FORKS) {
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
