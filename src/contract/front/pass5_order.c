/* contract/front/pass5_order.c - where steps lead, and the order they are written in:
 * the entry first, then topological; among steps that are ready the one that comes
 * first breadth-first from the entry (unreached steps last, by id). */
#include <stdlib.h>

#include "contract/front/validate.h"

static void visit_target(const ct_target *t, ct_step *from, ct_edge_visitor visit,
                         void *state)
{
    if (!t->terminal && t->name.sym) {
        visit(state, from, t->name);
    }
}

void ct_each_target(ct_step *s, bool deep, ct_edge_visitor visit, void *state)
{
    switch ((ct_step_kind)s->kind) {
    case CT_STEP_OPERATION:
        for (size_t i = 0; i < s->routes.len; i++) {
            visit_target(&s->routes.items[i].target, s, visit, state);
        }
        break;
    case CT_STEP_BRANCH:
        visit_target(&s->if_true, s, visit, state);
        visit_target(&s->if_false, s, visit, state);
        break;
    case CT_STEP_HANDOFF: visit(state, s, s->next); break;
    case CT_STEP_SUBFLOW: visit_target(&s->on_success, s, visit, state); break;
    case CT_STEP_PARALLEL:
        if (deep) {
            visit_target(&s->all_success, s, visit, state);
            visit_target(&s->all_complete, s, visit, state);
        }
        break;
    }
    if (deep && s->handler.kind == CT_HANDLER_ESCALATE) {
        visit(state, s, s->handler.next);
    }
}

static int compare_ids(const void *a, const void *b, void *unit)
{
    const ct_step *x = *(ct_step *const *)a, *y = *(ct_step *const *)b;
    return ct_sym_cmp(unit, x->id.sym, y->id.sym);
}

ct_step **ct_steps_by_id(ct_unit *u, const ct_steps *steps)
{
    ct_step **sorted = mt_alloc(u->keep, mt_array_bytes(steps->len, sizeof *sorted));
    if (steps->len) {
        memcpy(sorted, steps->items, steps->len * sizeof *sorted);
    }
    if (steps->len > 1) {
        qsort_r(sorted, steps->len, sizeof *sorted, compare_ids, u);
    }
    return sorted;
}

static void count_edge(void *state, ct_step *from, ct_name to)
{
    ct_step *target = ct_target_of(state, to);
    (void)from;
    if (target) {
        target->mark++;
    }
}

void ct_count_edges(const ct_step_scope *s, bool deep)
{
    ct_step_scope scope = *s; /* the visitor takes no const */
    for (size_t i = 0; i < s->steps->len; i++) {
        s->steps->items[i]->mark = 0;
    }
    for (size_t i = 0; i < s->steps->len; i++) {
        ct_each_target(s->steps->items[i], deep, count_edge, &scope);
    }
}

typedef struct walk {
    ct_step_scope in;
    ct_step **list; /* breadth-first order, or a heap */
    size_t len;
    bool in_order; /* no edge leads backwards */
} walk;

static void reach(walk *w, ct_step *s)
{
    if (s && !s->reached) {
        s->reached = true;
        s->number = (uint32_t)w->len;
        w->list[w->len++] = s;
    }
}

static void reach_edge(void *state, ct_step *from, ct_name to)
{
    walk *w = state;
    (void)from;
    reach(w, ct_target_of(&w->in, to));
}

static void compare_edge(void *state, ct_step *from, ct_name to)
{
    walk *w = state;
    const ct_step *target = ct_target_of(&w->in, to);
    w->in_order &= !target || target->number > from->number;
}

/* Breadth first from the entry, then the others by id. */
static void breadth_first(walk *w, ct_step **by_id, ct_sym entry)
{
    for (size_t i = 0; i < w->in.steps->len; i++) {
        w->in.steps->items[i]->reached = false;
    }
    reach(w, ct_target_of(&w->in, (ct_name){entry, 0}));
    for (size_t i = 0; i < w->len; i++) {
        ct_each_target(w->list[i], false, reach_edge, w);
    }
    for (size_t i = 0; i < w->in.steps->len; i++) {
        reach(w, by_id[i]);
    }
}

/* ---- a heap of steps by number ---- */

static void push(walk *heap, ct_step *s)
{
    size_t at = heap->len++;
    while (at && heap->list[(at - 1) / 2]->number > s->number) {
        heap->list[at] = heap->list[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->list[at] = s;
}

static ct_step *pop(walk *heap)
{
    ct_step *least = heap->list[0], *last = heap->list[--heap->len];
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

static void release_edge(void *state, ct_step *from, ct_name to)
{
    walk *heap = state;
    ct_step *target = ct_target_of(&heap->in, to);
    (void)from;
    if (target && --target->mark == 0) {
        push(heap, target);
    }
}

static void topological(walk *w)
{
    size_t count = w->in.steps->len;
    walk heap = {.in = w->in};
    heap.list = mt_new_array(w->in.u->keep, ct_step *, count);
    ct_count_edges(&w->in, true);
    for (size_t i = 0; i < count; i++) {
        if (!w->in.steps->items[i]->mark) {
            push(&heap, w->in.steps->items[i]);
        }
    }
    for (size_t i = 0; i < count && heap.len; i++) {
        w->list[i] = pop(&heap);
        ct_each_target(w->list[i], true, release_edge, &heap);
    }
}

void ct_order_steps(ct_unit *u, ct_steps *steps, ct_step **by_id, ct_sym entry)
{
    walk w = {.in = {u, steps}, .in_order = true};
    w.list = mt_alloc(u->keep, mt_array_bytes(steps->len, sizeof *w.list));
    breadth_first(&w, by_id, entry);
    for (size_t i = 0; i < steps->len; i++) {
        ct_each_target(steps->items[i], true, compare_edge, &w);
    }
    if (!w.in_order) {
        topological(&w);
    }
    steps->order = w.list;
}
