/* analyze/facts/s6_count.c - S6: how many paths a flow has, without listing them.
 *
 * Steps are taken in topological order; each hands the number of ways that lead to it
 * on to where it leads, times the number of ways through what is inside it. A sub-flow
 * is counted once, however often it is called; a parallel step has the product of its
 * branches' ways. So the work is that of the graph, not of its paths.
 *
 * Beside the number, per graph: how many ways end at each terminal, how many break
 * off, and the longest way that ends well or badly, in steps. Lengths saturate at
 * TOO_LONG, counts at an_count's bound.
 *
 * INVARIANT: what is inside a step is counted before its graph, so one list of ends is
 * open at a time. The plan has no cycles; graphs nest no deeper than it allows. The
 * watcher may stop the work between graphs; then `complete` is false and the rest is
 * not there. */
#include "analyze/facts/analyzer.h"
#include "base/vec.h"

typedef struct counter {
    an_analyzer *z;
    const ct_plan *p;
    an_graph_paths *graphs;
    bool *counted; /* by graph */
    /* Longest way of a graph that ends well, that does not; NO_WAY: there is none. */
    int64_t *longest_good, *longest_bad;
    an_count *ways;   /* per step of the plan: ways from the graph's entry to it */
    int64_t *longest; /* likewise: steps before it, NO_WAY: none */
    /* Per terminal: where it is in the list of ends of the graph being counted. */
    uint32_t *end_graph, *end_index;
} counter;

enum { NO_WAY = -1 };
static const int64_t TOO_LONG = INT64_MAX / 2;

/* Both may be NO_WAY or too long. */
static int64_t plus(int64_t a, int64_t b)
{
    if (a == NO_WAY || b == NO_WAY) {
        return NO_WAY;
    }
    return a >= TOO_LONG - b ? TOO_LONG : a + b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- order ---- */

uint32_t an_flow_of(const ct_plan *p, uint32_t graph)
{
    while (p->graphs[graph].owner != CT_NONE) {
        graph = p->steps[p->graphs[graph].owner].graph;
    }
    return graph;
}

/* The n-th step that s leads to; CT_NONE: that one is an end. */
static uint32_t successor(const ct_plan *p, const ct_plan_step *s, uint32_t n)
{
    if (n < s->target_count) {
        return p->targets[s->first_target + n].step;
    }
    return s->handler.kind == CT_HANDLER_NONE ? CT_NONE : s->handler.next.step;
}

typedef struct visit {
    uint32_t step, next; /* and the next of its targets to look at */
} visit;

uint32_t an_steps_in_order(mt_arena *a, const ct_plan *p, uint32_t graph,
                           const uint32_t **steps)
{
    const ct_plan_graph *g = &p->graphs[graph];
    uint32_t *order = mt_new_array(a, uint32_t, g->step_count);
    visit *stack = mt_alloc(a, mt_array_bytes(g->step_count, sizeof *stack));
    uint8_t *seen = mt_new_array(a, uint8_t, g->step_count);
    uint32_t depth = 0, at = g->step_count;
    stack[depth++] = (visit){g->entry, 0};
    seen[g->entry - g->first_step] = 1;
    while (depth) {
        visit *v = &stack[depth - 1];
        const ct_plan_step *s = &p->steps[v->step];
        if (v->next > s->target_count) { /* all that follow it are placed */
            order[--at] = v->step;
            depth--;
            continue;
        }
        uint32_t to = successor(p, s, v->next++);
        if (to != CT_NONE && !seen[to - g->first_step]) {
            seen[to - g->first_step] = 1;
            stack[depth++] = (visit){to, 0};
        }
    }
    *steps = order + at;
    return g->step_count - at;
}

/* ---- counting ---- */

typedef struct ends {
    uint32_t graph;
    uint32_t broken; /* index + 1 of the end of what breaks off, 0: none yet */
    MT_VEC(an_end) list;
    int64_t good, bad; /* longest ways, NO_WAY: none */
} ends;

/* The end for this terminal, a new one if it is the first to come here. */
static an_end *end_of(counter *c, ends *e, uint32_t terminal)
{
    bool broken = terminal == CT_NONE;
    bool known = broken ? e->broken : c->end_graph[terminal] == e->graph + 1;
    if (!known) {
        an_end end = {.terminal = terminal};
        mt_vec_push(c->z->keep, &e->list, end);
        if (broken) {
            e->broken = (uint32_t)e->list.len;
        } else {
            c->end_graph[terminal] = e->graph + 1;
            c->end_index[terminal] = (uint32_t)e->list.len - 1;
        }
    }
    return &e->list.items[broken ? e->broken - 1 : c->end_index[terminal]];
}

static void add_end(counter *c, ends *e, uint32_t terminal, an_count ways,
                    int64_t steps)
{
    bool failed = terminal == CT_NONE || c->p->terminals[terminal].failed;
    if (failed) {
        e->bad = most(e->bad, steps);
    } else {
        e->good = most(e->good, steps);
    }
    an_end *end = end_of(c, e, terminal);
    end->paths = an_count_add(c->z->keep, end->paths, ways);
}

/* `ways` more lead to the target, the longest after `steps` steps. */
static void lead(counter *c, ends *e, ct_plan_target to, an_count ways, int64_t steps)
{
    if (an_count_zero(ways)) {
        return;
    }
    if (to.step == CT_NONE) {
        add_end(c, e, to.terminal, ways, steps);
        return;
    }
    c->ways[to.step] = an_count_add(&c->z->scratch, c->ways[to.step], ways);
    c->longest[to.step] = most(c->longest[to.step], steps);
}

/* The step has failed in so many ways. */
static void lead_failure(counter *c, ends *e, const ct_plan_step *s, an_count ways,
                         int64_t steps)
{
    const ct_plan_handler *h = &s->handler;
    for (uint32_t i = 0; i < h->undo_count; i++) {
        steps = plus(steps, 1);
        ct_plan_target stop = {CT_NONE, c->p->undos[h->first_undo + i].on_failure};
        lead(c, e, stop, ways, steps);
    }
    lead(c, e, h->next, ways, steps); /* no handler leads nowhere: it breaks off */
}

/* Ends that are failures go to the handler, the others on. */
static void lead_subflow(counter *c, ends *e, const ct_plan_step *s, an_count ways,
                         int64_t steps)
{
    mt_arena *a = &c->z->scratch;
    const an_graph_paths *inner = &c->graphs[s->what];
    lead(c, e, c->p->targets[s->first_target], an_count_mul(a, ways, inner->success),
         plus(steps, c->longest_good[s->what]));
    lead_failure(c, e, s, an_count_mul(a, ways, inner->failed),
                 plus(steps, c->longest_bad[s->what]));
}

/* The longest way through all branches of which at least one fails. */
static int64_t longest_failure(const counter *c, const ct_plan_step *s)
{
    int64_t sum = 0, loss = INT64_MAX; /* by making the cheapest branch fail */
    for (uint32_t i = 0; i < s->branch_count; i++) {
        int64_t good = c->longest_good[s->first_branch + i];
        int64_t bad = c->longest_bad[s->first_branch + i];
        sum = plus(sum, most(good, bad));
        if (bad != NO_WAY && most(good, bad) - bad < loss) {
            loss = most(good, bad) - bad;
        }
    }
    return loss == INT64_MAX || sum == NO_WAY ? NO_WAY
           : sum == TOO_LONG                  ? TOO_LONG
                                              : sum - loss;
}

/* All branches good, or at least one bad: the rest of the product. */
static void lead_parallel(counter *c, ends *e, const ct_plan_step *s, an_count ways,
                          int64_t steps)
{
    mt_arena *a = &c->z->scratch;
    an_count good = an_count_of(1), all = an_count_of(1);
    int64_t longest = 0;
    for (uint32_t i = 0; i < s->branch_count; i++) {
        uint32_t branch = s->first_branch + i;
        good = an_count_mul(a, good, c->graphs[branch].success);
        all = an_count_mul(a, all, c->graphs[branch].paths);
        longest = plus(longest, c->longest_good[branch]);
    }
    const ct_plan_target *to = &c->p->targets[s->first_target];
    an_count bad = an_count_sub(a, all, good);
    lead(c, e, ct_target_given(to[0]) ? to[0] : to[1], an_count_mul(a, ways, good),
         plus(steps, longest));
    bad = an_count_mul(a, ways, bad);
    steps = plus(steps, longest_failure(c, s));
    if (s->handler.kind != CT_HANDLER_NONE) {
        lead_failure(c, e, s, bad, steps);
    } else {
        lead(c, e, to[1], bad, steps);
    }
}

/* Adds the ways to a step to those of every step it leads to; steps come in
 * topological order, so each is complete when it is asked. */
static void lead_on(counter *c, ends *e, uint32_t step)
{
    const ct_plan_step *s = &c->p->steps[step];
    const ct_plan_target *to = &c->p->targets[s->first_target];
    an_count ways = c->ways[step];
    int64_t steps = plus(c->longest[step], 1);
    switch (s->does) {
    case LN_OPERATES:
    case LN_DECIDES:
    case LN_GOES_ON:
        for (uint32_t i = 0; i < s->target_count; i++) {
            lead(c, e, to[i], ways, steps);
        }
        if (s->does == LN_OPERATES) {
            lead_failure(c, e, s, ways, steps);
        }
        break;
    case LN_ENDS: lead(c, e, to[0], ways, c->longest[step]); break; /* is not a step */
    case LN_CALLS: lead_subflow(c, e, s, ways, steps); break;
    case LN_FORKS: lead_parallel(c, e, s, ways, steps); break;
    }
}

/* A run that breaks off counts as failed. */
static void sum_up(counter *c, uint32_t graph, const ends *e)
{
    an_graph_paths *g = &c->graphs[graph];
    mt_arena *a = c->z->keep;
    g->ends = e->list.items;
    g->end_count = (uint32_t)e->list.len;
    for (uint32_t i = 0; i < g->end_count; i++) {
        uint32_t t = g->ends[i].terminal;
        bool failed = t == CT_NONE || c->p->terminals[t].failed;
        an_count *sum = failed ? &g->failed : &g->success;
        *sum = an_count_add(a, *sum, g->ends[i].paths);
    }
    g->paths = an_count_add(a, g->success, g->failed);
    c->longest_good[graph] = e->good;
    c->longest_bad[graph] = e->bad;
    int64_t longest = most(e->good, e->bad);
    g->longest = longest >= TOO_LONG ? UINT64_MAX : longest > 0 ? (uint64_t)longest : 0;
}

static void count_graph(counter *c, uint32_t graph);

/* What is inside is counted before, so that one list of ends is open at a time. */
static void count_inner(counter *c, const ct_plan_step *s)
{
    if (s->does == LN_CALLS) {
        count_graph(c, s->what);
    }
    for (uint32_t i = 0; i < s->branch_count; i++) {
        count_graph(c, s->first_branch + i);
    }
}

/* Graphs nest no deeper than the plan allows. */
static void count_graph(counter *c, uint32_t graph)
{
    if (c->counted[graph]) {
        return;
    }
    c->counted[graph] = true;
    const uint32_t *order;
    uint32_t count = an_steps_in_order(&c->z->scratch, c->p, graph, &order);
    for (uint32_t i = 0; i < count; i++) {
        count_inner(c, &c->p->steps[order[i]]);
    }
    ends e = {.graph = graph, .good = NO_WAY, .bad = NO_WAY};
    c->ways[order[0]] = an_count_of(1);
    c->longest[order[0]] = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i % 1024 == 1023 &&
            !an_go_on(c->z, "counting paths", graph, c->p->graph_count)) {
            break;
        }
        lead_on(c, &e, order[i]);
    }
    sum_up(c, graph, &e);
}

void an_s6_count(an_analyzer *z)
{
    const ct_plan *p = z->an->plan;
    mt_arena *a = &z->scratch;
    counter c = {.z = z,
                 .p = p,
                 .graphs = mt_new_array(z->keep, an_graph_paths, p->graph_count),
                 .counted = mt_new_array(a, bool, p->graph_count),
                 .longest_good = mt_new_array(a, int64_t, p->graph_count),
                 .longest_bad = mt_new_array(a, int64_t, p->graph_count),
                 .ways = mt_new_array(a, an_count, p->step_count),
                 .longest = mt_new_array(a, int64_t, p->step_count),
                 .end_graph = mt_new_array(a, uint32_t, p->terminal_count),
                 .end_index = mt_new_array(a, uint32_t, p->terminal_count)};
    z->an->graphs = z->graphs = c.graphs;
    for (uint32_t i = 0; i < p->step_count; i++) {
        c.longest[i] = NO_WAY;
    }
    for (uint32_t i = 0; i < p->graph_count && z->an->complete; i++) {
        count_graph(&c, i);
        an_go_on(z, "counting paths", i + 1, p->graph_count);
    }
}
