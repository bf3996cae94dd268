/* contract/wire/emit_flow.c - flows and systems. */
#include <stdlib.h>

#include "contract/wire/emit.h"

static void emit_terminal(ct_emit *e, ct_sym outcome)
{
    CT_PUT(e, "{\"kind\":\"Terminal\",\"outcome\":");
    ct_emit_name(e, outcome);
    mt_buf_addc(e->b, '}');
}

static void emit_target(ct_emit *e, const ct_target *t)
{
    if (t->terminal) {
        emit_terminal(e, t->name.sym);
    } else {
        ct_emit_name(e, t->name.sym);
    }
}

static void emit_compensations(ct_emit *e, const ct_handler *h)
{
    for (size_t i = 0; i < h->steps.len; i++) {
        const ct_compensation *c = &h->steps.items[i];
        mt_buf_addz(e->b, i ? ",{\"on_failure\":" : "{\"on_failure\":");
        emit_terminal(e, c->on_failure.sym);
        CT_PUT(e, ",\"op\":");
        ct_emit_name(e, c->op.sym);
        CT_PUT(e, ",\"persona\":");
        ct_emit_name(e, c->persona.sym);
        mt_buf_addc(e->b, '}');
    }
}

static void emit_handler(ct_emit *e, const ct_handler *h)
{
    switch ((ct_handler_kind)h->kind) {
    case CT_HANDLER_TERMINATE:
        CT_PUT(e, "{\"kind\":\"Terminate\",\"outcome\":");
        ct_emit_name(e, h->outcome.sym);
        break;
    case CT_HANDLER_COMPENSATE:
        CT_PUT(e, "{\"kind\":\"Compensate\",\"steps\":[");
        emit_compensations(e, h);
        CT_PUT(e, "],\"then\":");
        emit_terminal(e, h->outcome.sym);
        break;
    case CT_HANDLER_ESCALATE:
        CT_PUT(e, "{\"kind\":\"Escalate\",\"next\":");
        ct_emit_name(e, h->next.sym);
        CT_PUT(e, ",\"to_persona\":");
        ct_emit_name(e, h->persona.sym);
        break;
    case CT_HANDLER_NONE: MT_BUG("no handler to write");
    }
    mt_buf_addc(e->b, '}');
}

/* "id":...,"kind":... behind which the step's own keys follow */
static void emit_step_head(ct_emit *e, const ct_step *s, const char *kind)
{
    CT_PUT(e, "\"id\":");
    ct_emit_name(e, s->id.sym);
    CT_PUT(e, ",\"kind\":\"");
    mt_buf_addz(e->b, kind);
    mt_buf_addc(e->b, '"');
}

static void emit_operation_step(ct_emit *e, const ct_step *s)
{
    mt_buf_addc(e->b, '{');
    emit_step_head(e, s, "OperationStep");
    if (s->handler.kind != CT_HANDLER_NONE) {
        CT_PUT(e, ",\"on_failure\":");
        emit_handler(e, &s->handler);
    }
    CT_PUT(e, ",\"op\":");
    ct_emit_name(e, s->op.sym);
    CT_PUT(e, ",\"outcomes\":{");
    for (size_t i = 0; i < s->routes.len; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        ct_emit_name(e, s->routes.items[i].label.sym);
        mt_buf_addc(e->b, ':');
        emit_target(e, &s->routes.items[i].target);
    }
    CT_PUT(e, "},\"persona\":");
    ct_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, '}');
}

static void emit_branch_step(ct_emit *e, const ct_step *s)
{
    CT_PUT(e, "{\"condition\":");
    ct_emit_condition(e, s->condition);
    mt_buf_addc(e->b, ',');
    CT_PUT(e, "\"id\":");
    ct_emit_name(e, s->id.sym);
    CT_PUT(e, ",\"if_false\":");
    emit_target(e, &s->if_false);
    CT_PUT(e, ",\"if_true\":");
    emit_target(e, &s->if_true);
    CT_PUT(e, ",\"kind\":\"BranchStep\",\"persona\":");
    ct_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, '}');
}

static void emit_handoff_step(ct_emit *e, const ct_step *s)
{
    CT_PUT(e, "{\"from_persona\":");
    ct_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, ',');
    emit_step_head(e, s, "HandoffStep");
    CT_PUT(e, ",\"next\":");
    ct_emit_name(e, s->next.sym);
    CT_PUT(e, ",\"to_persona\":");
    ct_emit_name(e, s->to_persona.sym);
    mt_buf_addc(e->b, '}');
}

static void emit_subflow_step(ct_emit *e, const ct_step *s)
{
    CT_PUT(e, "{\"flow\":");
    ct_emit_name(e, s->op.sym);
    mt_buf_addc(e->b, ',');
    emit_step_head(e, s, "SubFlowStep");
    CT_PUT(e, ",\"on_failure\":");
    emit_handler(e, &s->handler);
    CT_PUT(e, ",\"on_success\":");
    emit_target(e, &s->on_success);
    CT_PUT(e, ",\"persona\":");
    ct_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, '}');
}

static void emit_steps(ct_emit *e, const ct_steps *steps);

static void emit_branches(ct_emit *e, const ct_step *s)
{
    for (size_t i = 0; i < s->branches.len; i++) {
        const ct_branch *b = &s->branches.items[i];
        mt_buf_addz(e->b, i ? ",{\"entry\":" : "{\"entry\":");
        ct_emit_name(e, b->entry.sym);
        CT_PUT(e, ",\"id\":");
        ct_emit_name(e, b->id.sym);
        CT_PUT(e, ",\"steps\":");
        emit_steps(e, &b->steps);
        mt_buf_addc(e->b, '}');
    }
}

static void emit_join(ct_emit *e, const ct_step *s)
{
    const char *comma = "";
    mt_buf_addc(e->b, '{');
    if (s->all_complete.name.sym) {
        CT_PUT(e, "\"on_all_complete\":");
        emit_target(e, &s->all_complete);
        comma = ",";
    }
    if (s->all_success.name.sym) {
        mt_buf_addz(e->b, comma);
        CT_PUT(e, "\"on_all_success\":");
        emit_target(e, &s->all_success);
        comma = ",";
    }
    if (s->handler.kind != CT_HANDLER_NONE) {
        mt_buf_addz(e->b, comma);
        CT_PUT(e, "\"on_any_failure\":");
        emit_handler(e, &s->handler);
    }
    mt_buf_addc(e->b, '}');
}

static void emit_parallel_step(ct_emit *e, const ct_step *s)
{
    CT_PUT(e, "{\"branches\":[");
    emit_branches(e, s);
    CT_PUT(e, "],\"id\":");
    ct_emit_name(e, s->id.sym);
    CT_PUT(e, ",\"join\":");
    emit_join(e, s);
    CT_PUT(e, ",\"kind\":\"ParallelStep\"}");
}

static void emit_steps(ct_emit *e, const ct_steps *steps)
{
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < steps->len; i++) {
        const ct_step *s = steps->order[i];
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        switch ((ct_step_kind)s->kind) {
        case CT_STEP_OPERATION: emit_operation_step(e, s); break;
        case CT_STEP_BRANCH: emit_branch_step(e, s); break;
        case CT_STEP_HANDOFF: emit_handoff_step(e, s); break;
        case CT_STEP_SUBFLOW: emit_subflow_step(e, s); break;
        case CT_STEP_PARALLEL: emit_parallel_step(e, s); break;
        }
    }
    mt_buf_addc(e->b, ']');
}

void ct_emit_flow(ct_emit *e, const ct_flow *f)
{
    CT_PUT(e, "{\"entry\":");
    ct_emit_name(e, f->entry.sym);
    CT_PUT(e, ",\"id\":");
    ct_emit_name(e, f->head.id);
    CT_PUT(e, ",\"kind\":\"Flow\"");
    ct_emit_provenance(e, &f->head);
    CT_PUT(e, ",\"snapshot\":");
    ct_emit_name(e, f->snapshot.sym);
    CT_PUT(e, ",\"steps\":");
    emit_steps(e, &f->steps);
    CT_PUT(e, ",\"tenor\":\"1.0\"}");
}

/* ---- systems ---- */

static int compare_members(const void *a, const void *b, void *unit)
{
    const ct_system_member *x = a, *y = b;
    return ct_sym_cmp(unit, x->id.sym, y->id.sym);
}

static int compare_shared(const void *a, const void *b, void *unit)
{
    const ct_shared *x = a, *y = b;
    int order = ct_sym_cmp(unit, x->name.sym, y->name.sym);
    return order ? order : x->tok < y->tok ? -1 : 1;
}

static int compare_names(const void *a, const void *b, void *unit)
{
    const ct_name *x = a, *y = b;
    return ct_sym_cmp(unit, x->sym, y->sym);
}

static int compare_triggers(const void *a, const void *b, void *unit)
{
    const ct_trigger *x = a, *y = b;
    int order = ct_sym_cmp(unit, x->source_contract.sym, y->source_contract.sym);
    order = order ? order : ct_sym_cmp(unit, x->source_flow.sym, y->source_flow.sym);
    order = order ? order
                  : ct_sym_cmp(unit, x->target_contract.sym, y->target_contract.sym);
    order = order ? order : ct_sym_cmp(unit, x->target_flow.sym, y->target_flow.sym);
    return order ? order : x->tok < y->tok ? -1 : 1;
}

/* A sorted copy of an array; nothing to sort gives NULL. */
static void *sorted_copy(ct_emit *e, const void *items, size_t count, size_t size,
                         int (*compare)(const void *, const void *, void *))
{
    if (!count) {
        return NULL;
    }
    void *copy = mt_alloc(e->u->keep, mt_array_bytes(count, size));
    memcpy(copy, items, count * size);
    qsort_r(copy, count, size, compare, e->u);
    return copy;
}

static void emit_shared(ct_emit *e, const ct_shared_list *list, const char *key)
{
    const ct_shared *items =
        sorted_copy(e, list->items, list->len, sizeof *list->items, compare_shared);
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < list->len; i++) {
        ct_names contracts = items[i].contracts;
        contracts.items = sorted_copy(e, contracts.items, contracts.len,
                                      sizeof *contracts.items, compare_names);
        mt_buf_addz(e->b, i ? ",{\"contracts\":" : "{\"contracts\":");
        ct_emit_names(e, &contracts);
        mt_buf_addc(e->b, ',');
        mt_buf_addz(e->b, key);
        ct_emit_name(e, items[i].name.sym);
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

static void emit_triggers(ct_emit *e, const ct_system *s)
{
    const ct_trigger *items = sorted_copy(e, s->triggers.items, s->triggers.len,
                                          sizeof *s->triggers.items, compare_triggers);
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < s->triggers.len; i++) {
        const ct_trigger *t = &items[i];
        mt_buf_addz(e->b, i ? ",{\"on\":" : "{\"on\":");
        ct_emit_name(e, t->on.sym);
        CT_PUT(e, ",\"persona\":");
        ct_emit_name(e, t->persona.sym);
        CT_PUT(e, ",\"source_contract\":");
        ct_emit_name(e, t->source_contract.sym);
        CT_PUT(e, ",\"source_flow\":");
        ct_emit_name(e, t->source_flow.sym);
        CT_PUT(e, ",\"target_contract\":");
        ct_emit_name(e, t->target_contract.sym);
        CT_PUT(e, ",\"target_flow\":");
        ct_emit_name(e, t->target_flow.sym);
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

static void emit_members(ct_emit *e, const ct_system *s)
{
    const ct_system_member *items = sorted_copy(
        e, s->members.items, s->members.len, sizeof *s->members.items, compare_members);
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < s->members.len; i++) {
        mt_buf_addz(e->b, i ? ",{\"id\":" : "{\"id\":");
        ct_emit_name(e, items[i].id.sym);
        CT_PUT(e, ",\"path\":");
        ct_emit_text(e, ct_str(e->u, items[i].path.sym));
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

void ct_emit_system(ct_emit *e, const ct_system *s)
{
    CT_PUT(e, "{\"id\":");
    ct_emit_name(e, s->head.id);
    CT_PUT(e, ",\"kind\":\"System\",\"members\":");
    emit_members(e, s);
    ct_emit_provenance(e, &s->head);
    CT_PUT(e, ",\"shared_entities\":");
    emit_shared(e, &s->entities, "\"entity\":");
    CT_PUT(e, ",\"shared_personas\":");
    emit_shared(e, &s->personas, "\"persona\":");
    CT_PUT(e, ",\"tenor\":\"1.0\",\"triggers\":");
    emit_triggers(e, s);
    mt_buf_addc(e->b, '}');
}
