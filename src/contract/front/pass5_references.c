/* contract/front/pass5_references.c - flows that call flows. The search keeps its own
 * stack: a chain of flows may be as long as the contract. */
#include "contract/front/validate.h"

enum { NEW, OPEN, DONE };

typedef struct call_list {
    ct_step **items;
    size_t len, cap;
} call_list;

typedef struct frame {
    ct_flow *flow;
    call_list calls;
    size_t next;
} frame;

typedef struct search {
    ct_unit *u;
    MT_VEC(frame) stack;
    bool too_deep; /* said once */
} search;

/* The sub-flow steps by ascending id, those in branches behind their parallel step. */
static void collect_calls(ct_unit *u, const ct_steps *steps, call_list *out)
{
    bool any = false;
    for (size_t i = 0; i < steps->len; i++) {
        any |= steps->items[i]->kind == CT_STEP_SUBFLOW ||
               steps->items[i]->kind == CT_STEP_PARALLEL;
    }
    if (!any) {
        return;
    }
    ct_step **by_id = ct_steps_by_id(u, steps);
    for (size_t i = 0; i < steps->len; i++) {
        ct_step *s = by_id[i];
        if (s->kind == CT_STEP_SUBFLOW) {
            *mt_vec_add(u->keep, out) = s;
        }
        for (size_t b = 0; s->kind == CT_STEP_PARALLEL && b < s->branches.len; b++) {
            collect_calls(u, &s->branches.items[b].steps, out);
        }
    }
}

static void open_flow(search *s, ct_flow *f)
{
    f->state = OPEN;
    f->depth = 1;
    frame top = {.flow = f};
    collect_calls(s->u, &f->steps, &top.calls);
    *mt_vec_add(s->u->keep, &s->stack) = top;
}

static void report_cycle(search *s, const ct_flow *target, const ct_step *call)
{
    ct_unit *u = s->u;
    const ct_flow *last = s->stack.items[s->stack.len - 1].flow;
    mt_buf path = {0};
    size_t from = 0;
    while (s->stack.items[from].flow != target) {
        from++;
    }
    for (size_t i = from; i < s->stack.len; i++) {
        mt_buf_adds(&path, ct_str(u, s->stack.items[i].flow->head.id));
        mt_buf_addz(&path, " → ");
    }
    mt_buf_adds(&path, ct_str(u, target->head.id));
    ct_report(u, CT_E_FLOW_REFERENCE_CYCLE,
              ct_at(&last->head, call->flow_tok,
                    mt_strf(u->keep, "steps.%.*s.flow", CT_ARG(u, call->id.sym))),
              "flow reference cycle detected: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
}

/* `f` calls a flow that nests `inner` levels deep. */
static void nest(search *s, ct_flow *f, uint32_t inner, const ct_step *call)
{
    f->depth = f->depth > inner + 1 ? f->depth : inner + 1;
    if (f->depth > s->u->limits->flow_depth && !s->too_deep) {
        ct_report(
            s->u, CT_E_FLOW_DEPTH,
            ct_at(&f->head, call->flow_tok,
                  mt_strf(s->u->keep, "steps.%.*s.flow", CT_ARG(s->u, call->id.sym))),
            "sub-flows of flow '%.*s' nest deeper than %zu levels (limit "
            "flow_depth)",
            CT_ARG(s->u, f->head.id), s->u->limits->flow_depth);
        s->too_deep = true;
    }
}

/* The flow on top is done: what it is to the flow that called it. */
static void close_flow(search *s)
{
    ct_flow *done = s->stack.items[--s->stack.len].flow;
    done->state = DONE;
    if (s->stack.len) {
        const frame *caller = &s->stack.items[s->stack.len - 1];
        nest(s, caller->flow, done->depth, caller->calls.items[caller->next - 1]);
    }
}

static void follow_calls(search *s)
{
    while (s->stack.len) {
        frame *top = &s->stack.items[s->stack.len - 1];
        if (top->next == top->calls.len) {
            close_flow(s);
            continue;
        }
        const ct_step *call = top->calls.items[top->next++];
        ct_flow *target = ct_find(s->u, CT_FLOW, call->op.sym);
        if (!target || target->head.broken) {
            continue;
        }
        if (target->state == OPEN) {
            report_cycle(s, target, call);
        } else if (target->state == NEW) {
            open_flow(s, target);
        } else {
            nest(s, top->flow, target->depth, call);
        }
    }
}

void ct_validate_flow_references(ct_unit *u)
{
    size_t count = u->kinds[CT_FLOW].len;
    if (!count) {
        return;
    }
    search s = {.u = u};
    ct_construct **sorted = mt_alloc(u->keep, mt_array_bytes(count, sizeof *sorted));
    memcpy(sorted, u->kinds[CT_FLOW].items, count * sizeof *sorted);
    ct_sort_by_id(u, sorted, count);
    for (size_t i = 0; i < count; i++) {
        ct_flow *f = (ct_flow *)sorted[i];
        if (f->state == NEW && !f->head.broken) {
            open_flow(&s, f);
            follow_calls(&s);
        }
    }
}
