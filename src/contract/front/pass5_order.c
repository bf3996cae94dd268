/* contract/front/pass5_order.c - where steps lead, and the order they are written in:
 * the entry first, then topological; among steps that are ready the one that comes
 * first breadth-first from the entry (unreached steps last, by id).
 *
 * fr_each_target() is the one place that knows the edges of each kind of step; `deep`
 * adds those of handlers and joins, which the suite does not follow. If breadth first
 * is topological already, as it mostly is, the heap is not needed.
 *
 * A flow with a cycle has been refused before, but its order is still made, so every
 * step is in it once. */
#include <stdlib.h>

#include "contract/front/validate.h"

static void visit_target(const fr_target *t, fr_step *from, fr_edge_visitor visit,
                         void *state)
{
    if (!t->terminal && t->name.sym) {
        visit(state, from, t->name);
    }
}

/* Names are handed out as written; the visitor looks them up and passes over those that
 * are not steps. */
void fr_each_target(fr_step *s, bool deep, fr_edge_visitor visit, void *state)
{
    switch (fr_does(s)) {
    case LN_OPERATES:
        for (size_t i = 0; i < s->routes.len; i++) {
            visit_target(&s->routes.items[i].target, s, visit, state);
        }
        break;
    case LN_DECIDES:
        visit_target(&s->if_true, s, visit, state);
        visit_target(&s->if_false, s, visit, state);
        break;
    case LN_GOES_ON: visit(state, s, s->next); break;
    case LN_CALLS: visit_target(&s->on_success, s, visit, state); break;
    case LN_ENDS: break;
    case LN_FORKS:
        if (deep) {
            visit_target(&s->all_success, s, visit, state);
            visit_target(&s->all_complete, s, visit, state);
        }
        break;
    }
    if (deep && s->handler.kind == FR_HANDLER_ESCALATE) {
        visit(state, s, s->handler.next);
    }
}

static int compare_ids(const void *a, const void *b, void *unit)
{
    const fr_step *x = *(fr_step *const *)a, *y = *(fr_step *const *)b;
    return fr_sym_cmp(unit, x->id.sym, y->id.sym);
}

fr_step **fr_steps_by_id(fr_unit *u, const fr_steps *steps)
{
    fr_step **sorted = mt_alloc(u->keep, mt_array_bytes(steps->len, sizeof *sorted));
    if (steps->len) {
        memcpy(sorted, steps->items, steps->len * sizeof *sorted);
    }
    if (steps->len > 1) {
        qsort_r(sorted, steps->len, sizeof *sorted, compare_ids, u);
    }
    return sorted;
}

static void count_edge(void *state, fr_step *from, fr_name to)
{
    fr_step *target = fr_target_of(state, to);
    (void)from;
    if (target) {
        target->mark++;
    }
}

void fr_count_edges(const fr_step_scope *s, bool deep)
{
    fr_step_scope scope = *s; /* the visitor takes no const */
    for (size_t i = 0; i < s->steps->len; i++) {
        s->steps->items[i]->mark = 0;
    }
    for (size_t i = 0; i < s->steps->len; i++) {
        fr_each_target(s->steps->items[i], deep, count_edge, &scope);
    }
}

typedef struct walk {
    fr_step_scope in;
    fr_step **list; /* breadth-first order, or a heap */
    size_t len;
    bool in_order; /* no edge leads backwards */
} walk;

static void reach(walk *w, fr_step *s)
{
    if (s && !s->reached) {
        s->reached = true;
        s->number = (uint32_t)w->len;
        w->list[w->len++] = s;
    }
}

static void reach_edge(void *state, fr_step *from, fr_name to)
{
    walk *w = state;
    (void)from;
    reach(w, fr_target_of(&w->in, to));
}

/* Checks one edge of the breadth-first numbering. */
static void compare_edge(void *state, fr_step *from, fr_name to)
{
    walk *w = state;
    const fr_step *target = fr_target_of(&w->in, to);
    w->in_order &= !target || target->number > from->number;
}

/* Breadth first from the entry, then the others by id. */
static void breadth_first(walk *w, fr_step **by_id, fr_sym entry)
{
    for (size_t i = 0; i < w->in.steps->len; i++) {
        w->in.steps->items[i]->reached = false;
    }
    reach(w, fr_target_of(&w->in, (fr_name){entry, 0}));
    for (size_t i = 0; i < w->len; i++) {
        fr_each_target(w->list[i], false, reach_edge, w);
    }
    for (size_t i = 0; i < w->in.steps->len; i++) {
        reach(w, by_id[i]);
    }
}

/* ---- a heap of steps by number ---- */

/* By `number`, which is the place in breadth-first order and differs for all steps. */
static void push(walk *heap, fr_step *s)
{
    size_t at = heap->len++;
    while (at && heap->list[(at - 1) / 2]->number > s->number) {
        heap->list[at] = heap->list[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->list[at] = s;
}

static fr_step *pop(walk *heap)
{
    fr_step *least = heap->list[0], *last = heap->list[--heap->len];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->len) {
            break;
        }
        if (child + 1 < heap->len &&
            heap->list[child + 1]->number < heap->list[child]->number) {
            child++;
        }
        if (heap->list[child]->number >= last->number) {
            break;
        }
        heap->list[at] = heap->list[child];
        at = child;
    }
    heap->list[at] = last;
    return least;
}

static void release_edge(void *state, fr_step *from, fr_name to)
{
    walk *heap = state;
    fr_step *target = fr_target_of(&heap->in, to);
    (void)from;
    if (target && --target->mark == 0) {
        push(heap, target);
    }
}

/* §14.2, pass 6. All edges count here, also those of handlers: a step must not stand
 * before one that escalates to it. */
static void topological(walk *w)
{
    size_t count = w->in.steps->len;
    walk heap = {.in = w->in};
    heap.list = mt_new_array(w->in.u->keep, fr_step *, count);
    fr_count_edges(&w->in, true);
    for (size_t i = 0; i < count; i++) {
        if (!w->in.steps->items[i]->mark) {
            push(&heap, w->in.steps->items[i]);
        }
    }
    for (size_t i = 0; i < count && heap.len; i++) {
        w->list[i] = pop(&heap);
        fr_each_target(w->list[i], true, release_edge, &heap);
    }
}

/* The order depends on ids and edges only, so flows that are written in another order
 * give the same bytes. */
void fr_order_steps(fr_unit *u, fr_steps *steps, fr_step **by_id, fr_sym entry)
{
    walk w = {.in = {u, steps}, .in_order = true};
    w.list = mt_alloc(u->keep, mt_array_bytes(steps->len, sizeof *w.list));
    breadth_first(&w, by_id, entry);
    for (size_t i = 0; i < steps->len; i++) {
        fr_each_target(steps->items[i], true, compare_edge, &w);
    }
    if (!w.in_order) {
        topological(&w);
    }
    steps->order = w.list;
}
