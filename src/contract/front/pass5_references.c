/* contract/front/pass5_references.c - flows that call flows.
 *
 * The search keeps its own stack: a chain of flows may be as long as the contract.
 * Flows are opened in order of names, calls in order of step ids, so that a cycle is
 * reported at the same step whatever the file's order is, with its whole path.
 *
 * How deep flows and branches nest in each other is measured on the way back and must
 * not exceed flow_depth; that is said once, at the call that goes too far. */
#include "contract/front/validate.h"

enum { NEW, OPEN, DONE };

/* A sub-flow step and how many branches it lies in. */
typedef struct call {
    const fr_step *step;
    uint32_t level;
} call;

typedef struct call_list {
    call *items;
    size_t len, cap;
} call_list;

/* One open flow: its calls, and which of them is next. */
typedef struct frame {
    fr_flow *flow;
    call_list calls;
    size_t next;
} frame;

typedef struct search {
    fr_unit *u;
    MT_VEC(frame) stack;
    bool too_deep; /* said once */
} search;

/* The sub-flow steps by ascending id, those in branches behind their parallel step.
 * `level` counts the branches around the steps; gives the deepest. */
static uint32_t collect_calls(fr_unit *u, const fr_steps *steps, uint32_t level,
                              call_list *out)
{
    bool any = false;
    uint32_t deepest = level;
    for (size_t i = 0; i < steps->len; i++) {
        any |= fr_does(steps->items[i]) == LN_CALLS ||
               fr_does(steps->items[i]) == LN_FORKS;
    }
    fr_step **by_id = any ? fr_steps_by_id(u, steps) : NULL;
    for (size_t i = 0; any && i < steps->len; i++) {
        fr_step *s = by_id[i];
        if (fr_does(s) == LN_CALLS) {
            *mt_vec_add(u->keep, out) = (call){s, level};
        }
        for (size_t b = 0; fr_does(s) == LN_FORKS && b < s->branches.len; b++) {
            uint32_t inner =
                collect_calls(u, &s->branches.items[b].steps, level + 1, out);
            deepest = inner > deepest ? inner : deepest;
        }
    }
    return deepest;
}

/* `f` nests at least `depth` levels deep, because of what stands at `at`. */
static void nest(search *s, fr_flow *f, uint32_t depth, fr_place at)
{
    f->depth = f->depth > depth ? f->depth : depth;
    if (f->depth > s->u->limits->flow_depth && !s->too_deep) {
        fr_report(s->u, FR_E_FLOW_DEPTH, at,
                  "sub-flows and branches of flow '%.*s' nest deeper than %zu levels "
                  "(limit flow_depth)",
                  FR_ARG(s->u, f->head.id), s->u->limits->flow_depth);
        s->too_deep = true;
    }
}

static fr_place at_call(const search *s, const fr_flow *f, const fr_step *step)
{
    fr_place at =
        fr_at(&f->head, step->flow_tok,
              mt_strf(s->u->keep, "steps.%.*s.flow", FR_ARG(s->u, step->id.sym)));
    return fr_exactly(at, step->op.tok, step->op.tok);
}

/* Branches count as levels too, because running them nests as flows do. */
static void open_flow(search *s, fr_flow *f)
{
    frame top = {.flow = f};
    f->state = OPEN;
    nest(s, f, 1 + collect_calls(s->u, &f->steps, 0, &top.calls),
         fr_at(&f->head, f->head.id_tok, FR_FIELD("steps")));
    *mt_vec_add(s->u->keep, &s->stack) = top;
}

/* The flow on top is done: what it is to the flow that called it. */
static void close_flow(search *s)
{
    fr_flow *done = s->stack.items[--s->stack.len].flow;
    done->state = DONE;
    if (s->stack.len) {
        const frame *caller = &s->stack.items[s->stack.len - 1];
        const call *c = &caller->calls.items[caller->next - 1];
        nest(s, caller->flow, 1 + c->level + done->depth,
             at_call(s, caller->flow, c->step));
    }
}

/* §11.5. Shown at the call that closes the circle, in the flow that makes it. */
static void report_cycle(search *s, const fr_flow *target, const fr_step *step)
{
    fr_unit *u = s->u;
    const fr_flow *last = s->stack.items[s->stack.len - 1].flow;
    mt_buf path = {0};
    size_t from = 0;
    while (s->stack.items[from].flow != target) {
        from++;
    }
    for (size_t i = from; i < s->stack.len; i++) {
        mt_buf_adds(&path, fr_str(u, s->stack.items[i].flow->head.id));
        mt_buf_addz(&path, " → ");
    }
    mt_buf_adds(&path, fr_str(u, target->head.id));
    fr_report(u, FR_E_FLOW_REFERENCE_CYCLE, at_call(s, last, step),
              "flow reference cycle detected: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
}

/* `top` may move when a frame is pushed, so it is not used after open_flow(). Every
 * call is looked at once; a flow that is done gives its depth at once. */
static void follow_calls(search *s)
{
    while (s->stack.len) {
        frame *top = &s->stack.items[s->stack.len - 1];
        if (top->next == top->calls.len) {
            close_flow(s);
            continue;
        }
        const call *c = &top->calls.items[top->next++];
        fr_flow *target = fr_find(s->u, FR_FLOW, c->step->op.sym);
        if (!target || target->head.broken) {
            continue;
        }
        if (target->state == OPEN) {
            report_cycle(s, target, c->step);
        } else if (target->state == NEW) {
            open_flow(s, target);
        } else {
            nest(s, top->flow, 1 + c->level + target->depth,
                 at_call(s, top->flow, c->step));
        }
    }
}

/* Each flow is opened at most once, whatever calls it. */
void fr_validate_flow_references(fr_unit *u)
{
    size_t count = u->kinds[FR_FLOW].len;
    if (!count) {
        return;
    }
    search s = {.u = u};
    fr_construct **sorted = mt_alloc(u->keep, mt_array_bytes(count, sizeof *sorted));
    memcpy(sorted, u->kinds[FR_FLOW].items, count * sizeof *sorted);
    fr_sort_by_id(u, sorted, count);
    for (size_t i = 0; i < count; i++) {
        fr_flow *f = (fr_flow *)sorted[i];
        if (f->state == NEW && !f->head.broken) {
            open_flow(&s, f);
            follow_calls(&s);
        }
    }
}
