/* analyze/prove/prove_flows.c - steps that no fact set leads to.
 *
 * prove_walk.c says under which facts a step is met. A step with an impossible claim is
 * reported, and a branch or a precondition that the way to it decides already. Lists
 * that are too long are left open. */
#include "analyze/prove/prove_findings_internal.h"
#include "analyze/prove/prove_walk.h"

typedef struct looker {
    pf_finder *f;
    const ct_flow *flow;
    unsigned depth; /* of parallel steps in each other */
} looker;

static an_finding about_step(const looker *l, const char *code, const ct_step *s)
{
    return (an_finding){.code = code,
                        .severity = MT_WARNING,
                        .kind = "Flow",
                        .construct = l->flow->id,
                        .part = s->id,
                        .origin = l->flow->origin};
}

static void look_at_branch(looker *l, const pv_walk *w, const ct_step *s,
                           const an_claim *way)
{
    pf_finder *f = l->f;
    const ct_expr *e = f->m->conditions[s->what];
    an_answer yes = pf_ask(f, pv_walk_both(w, way, pf_holds(f, e)));
    an_answer no = pf_ask(f, pv_walk_both(w, way, pf_fails(f, e)));
    /* Both are asked: where the branch is met by no facts at all, S314 says so, and
     * this not. */
    bool never = yes.possible == AN_NEVER && no.possible == AN_POSSIBLE;
    bool always = no.possible == AN_NEVER && yes.possible == AN_POSSIBLE;
    if (never || always) {
        pf_report(f, about_step(l, "S313", s), never ? no.facts : yes.facts,
                  "step '%.*s' always goes one way: %.*s is always %s there",
                  MT_ARG(s->id), MT_ARG(pf_text(f, e)), always ? "true" : "false");
    }
}

static void look_at_operation(looker *l, const pv_walk *w, const ct_step *s,
                              const an_claim *way)
{
    pf_finder *f = l->f;
    uint32_t op = s->what;
    const ct_operation *o = &f->m->operations[op];
    if (!o->precondition || f->operation_dead[op] || way == w->free) {
        return;
    }
    if (pf_never(f, pv_walk_both(w, way, pf_holds(f, o->precondition)))) {
        an_answer example =
            pf_ask(f, pv_walk_both(w, way, pf_fails(f, o->precondition)));
        pf_report(f, about_step(l, "S315", s), example.facts,
                  "step '%.*s' always fails: where it is reached, %.*s is false",
                  MT_ARG(s->id), MT_ARG(pf_text(f, o->precondition)));
    }
}

static void look_at_steps(looker *l, const ct_steps *steps, const an_claim *way);

static void look_at_branches(looker *l, const pv_walk *w, const ct_step *s,
                             const an_claim *way)
{
    l->depth++;
    for (uint32_t i = 0; i < s->branch_count; i++) {
        look_at_steps(l, &s->branches[i].steps, way == w->free ? NULL : way);
    }
    l->depth--;
}

static void look_at_step(void *context, pv_walk *w, uint32_t i)
{
    looker *l = context;
    const ct_step *s = &w->steps->items[i];
    const an_claim *way = w->reached[i];
    if (!way || l->f->stopped) {
        return; /* nothing leads there at all: S601 says so */
    }
    if (way != w->free && pf_never(l->f, way)) {
        an_answer example = pf_ask(l->f, w->free);
        pf_report(l->f, about_step(l, "S314", s), example.facts,
                  "no fact set leads to step '%.*s'", MT_ARG(s->id));
        /* What comes behind it is not reported again: only the first step on a way
         * is. */
        w->reached[i] = NULL;
        return;
    }
    if (s->does == LN_DECIDES) {
        look_at_branch(l, w, s, way);
    } else if (s->does == LN_OPERATES) {
        look_at_operation(l, w, s, way);
    } else if (s->does == LN_FORKS) {
        look_at_branches(l, w, s, way);
    }
}

static void look_at_steps(looker *l, const ct_steps *steps, const an_claim *way)
{
    enum { MOST_DEPTH = 64 };
    pv_walk w = {.a = l->f->a,
                 .m = l->f->m,
                 .steps = steps,
                 .visit = look_at_step,
                 .context = l};
    if (l->depth > MOST_DEPTH || !pv_walk_steps(&w, way)) {
        l->f->open++;
    }
}

void pf_flows(pf_finder *f)
{
    for (uint32_t i = 0; i < f->m->flow_count && !f->stopped; i++) {
        looker l = {.f = f, .flow = &f->m->flows[i]};
        look_at_steps(&l, &f->m->flows[i].steps, NULL);
    }
}
