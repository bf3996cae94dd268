/* contract/front/emit_flow.c - flows and systems as interchange.
 *
 * Steps are written in the order of pass5_order.c, so equal flows give equal bytes
 * however their steps were arranged. Handlers, joins and branches nest; keys are in
 * byte order and those that do not apply are left out. What a System says is sorted:
 * members, shared personas and entities, triggers.
 *
 * Everything was checked in pass 5, nothing can fail here. */
#include <stdlib.h>

#include "contract/front/emit.h"

static void emit_terminal(fr_emit *e, fr_sym outcome)
{
    FR_PUT(e, "{\"kind\":\"Terminal\",\"outcome\":");
    fr_emit_name(e, outcome);
    mt_buf_addc(e->b, '}');
}

/* A step by its name alone, an end as an object: so a reader tells them apart by
 * type. */
static void emit_target(fr_emit *e, const fr_target *t)
{
    if (t->terminal) {
        emit_terminal(e, t->name.sym);
    } else {
        fr_emit_name(e, t->name.sym);
    }
}

/* In the order of the source, which is the order they run in. */
static void emit_compensations(fr_emit *e, const fr_handler *h)
{
    for (size_t i = 0; i < h->steps.len; i++) {
        const fr_compensation *c = &h->steps.items[i];
        mt_buf_addz(e->b, i ? ",{\"on_failure\":" : "{\"on_failure\":");
        emit_terminal(e, c->on_failure.sym);
        FR_PUT(e, ",\"op\":");
        fr_emit_name(e, c->op.sym);
        FR_PUT(e, ",\"persona\":");
        fr_emit_name(e, c->persona.sym);
        mt_buf_addc(e->b, '}');
    }
}

/* Only called where there is one; a step without a handler leaves the key out. */
static void emit_handler(fr_emit *e, const fr_handler *h)
{
    switch ((fr_handler_kind)h->kind) {
    case FR_HANDLER_TERMINATE:
        FR_PUT(e, "{\"kind\":\"Terminate\",\"outcome\":");
        fr_emit_name(e, h->outcome.sym);
        break;
    case FR_HANDLER_COMPENSATE:
        FR_PUT(e, "{\"kind\":\"Compensate\",\"steps\":[");
        emit_compensations(e, h);
        FR_PUT(e, "],\"then\":");
        emit_terminal(e, h->outcome.sym);
        break;
    case FR_HANDLER_ESCALATE:
        FR_PUT(e, "{\"kind\":\"Escalate\",\"next\":");
        fr_emit_name(e, h->next.sym);
        FR_PUT(e, ",\"to_persona\":");
        fr_emit_name(e, h->persona.sym);
        break;
    case FR_HANDLER_NONE: MT_BUG("no handler to write");
    }
    mt_buf_addc(e->b, '}');
}

/* "id":...,"kind":... behind which the step's own keys follow */
static void emit_step_head(fr_emit *e, const fr_step *s)
{
    FR_PUT(e, "\"id\":");
    fr_emit_name(e, s->id.sym);
    FR_PUT(e, ",\"kind\":\"");
    mt_buf_addz(e->b, LN_STEPS[s->kind].name);
    mt_buf_addc(e->b, '"');
}

/* Routes were sorted by their label when they were parsed, so equal steps give equal
 * bytes. */
static void emit_operation_step(fr_emit *e, const fr_step *s)
{
    mt_buf_addc(e->b, '{');
    emit_step_head(e, s);
    if (s->handler.kind != FR_HANDLER_NONE) {
        FR_PUT(e, ",\"on_failure\":");
        emit_handler(e, &s->handler);
    }
    FR_PUT(e, ",\"op\":");
    fr_emit_name(e, s->op.sym);
    FR_PUT(e, ",\"outcomes\":{");
    for (size_t i = 0; i < s->routes.len; i++) {
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        fr_emit_name(e, s->routes.items[i].label.sym);
        mt_buf_addc(e->b, ':');
        emit_target(e, &s->routes.items[i].target);
    }
    FR_PUT(e, "},\"persona\":");
    fr_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, '}');
}

/* Keys that sort between `id` and `kind`, so the common head cannot be used. */
static void emit_branch_step(fr_emit *e, const fr_step *s)
{
    FR_PUT(e, "{\"condition\":");
    fr_emit_condition(e, s->condition);
    mt_buf_addc(e->b, ',');
    FR_PUT(e, "\"id\":");
    fr_emit_name(e, s->id.sym);
    FR_PUT(e, ",\"if_false\":");
    emit_target(e, &s->if_false);
    FR_PUT(e, ",\"if_true\":");
    emit_target(e, &s->if_true);
    FR_PUT(e, ",\"kind\":\"BranchStep\",\"persona\":");
    fr_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, '}');
}

static void emit_handoff_step(fr_emit *e, const fr_step *s)
{
    FR_PUT(e, "{\"from_persona\":");
    fr_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, ',');
    emit_step_head(e, s);
    FR_PUT(e, ",\"next\":");
    fr_emit_name(e, s->next.sym);
    FR_PUT(e, ",\"to_persona\":");
    fr_emit_name(e, s->to_persona.sym);
    mt_buf_addc(e->b, '}');
}

static void emit_subflow_step(fr_emit *e, const fr_step *s)
{
    FR_PUT(e, "{\"flow\":");
    fr_emit_name(e, s->op.sym);
    mt_buf_addc(e->b, ',');
    emit_step_head(e, s);
    FR_PUT(e, ",\"on_failure\":");
    emit_handler(e, &s->handler);
    FR_PUT(e, ",\"on_success\":");
    emit_target(e, &s->on_success);
    FR_PUT(e, ",\"persona\":");
    fr_emit_name(e, s->persona.sym);
    mt_buf_addc(e->b, '}');
}

static void emit_steps(fr_emit *e, const fr_steps *steps);

static void emit_branches(fr_emit *e, const fr_step *s)
{
    for (size_t i = 0; i < s->branches.len; i++) {
        const fr_branch *b = &s->branches.items[i];
        mt_buf_addz(e->b, i ? ",{\"entry\":" : "{\"entry\":");
        fr_emit_name(e, b->entry.sym);
        FR_PUT(e, ",\"id\":");
        fr_emit_name(e, b->id.sym);
        FR_PUT(e, ",\"steps\":");
        emit_steps(e, &b->steps);
        mt_buf_addc(e->b, '}');
    }
}

/* Without a target for success, or for completion, the key is left out rather than
 * null. */
static void emit_join(fr_emit *e, const fr_step *s)
{
    const char *comma = "";
    mt_buf_addc(e->b, '{');
    if (s->all_complete.name.sym) {
        FR_PUT(e, "\"on_all_complete\":");
        emit_target(e, &s->all_complete);
        comma = ",";
    }
    if (s->all_success.name.sym) {
        mt_buf_addz(e->b, comma);
        FR_PUT(e, "\"on_all_success\":");
        emit_target(e, &s->all_success);
        comma = ",";
    }
    if (s->handler.kind != FR_HANDLER_NONE) {
        mt_buf_addz(e->b, comma);
        FR_PUT(e, "\"on_any_failure\":");
        emit_handler(e, &s->handler);
    }
    mt_buf_addc(e->b, '}');
}

static void emit_parallel_step(fr_emit *e, const fr_step *s)
{
    FR_PUT(e, "{\"branches\":[");
    emit_branches(e, s);
    FR_PUT(e, "],\"id\":");
    fr_emit_name(e, s->id.sym);
    FR_PUT(e, ",\"join\":");
    emit_join(e, s);
    FR_PUT(e, ",\"kind\":\"ParallelStep\"}");
}

/* 1.0 has Terminal as a target only. */
static void emit_named_end(fr_emit *e, const fr_step *s)
{
    e->extended = true;
    FR_PUT(e, "{\"id\":");
    fr_emit_name(e, s->id.sym);
    FR_PUT(e, ",\"kind\":\"Terminal\",\"outcome\":");
    fr_emit_name(e, s->end.name.sym);
    mt_buf_addc(e->b, '}');
}

/* Each writes its keys in byte order, which differs by kind; a shared writer would have
 * to sort. */
static void (*const EMITTERS[])(fr_emit *, const fr_step *) = {
    [LN_STEP_OPERATION] = emit_operation_step, [LN_STEP_BRANCH] = emit_branch_step,
    [LN_STEP_HANDOFF] = emit_handoff_step,     [LN_STEP_SUBFLOW] = emit_subflow_step,
    [LN_STEP_PARALLEL] = emit_parallel_step,   [LN_STEP_TERMINAL] = emit_named_end,
};
MT_TABLE_COVERS(EMITTERS, LN_STEP_COUNT);

/* `order` and not `items`: the first is the canonical order, the second that of the
 * text. */
static void emit_steps(fr_emit *e, const fr_steps *steps)
{
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < steps->len; i++) {
        const fr_step *s = steps->order[i];
        if (i) {
            mt_buf_addc(e->b, ',');
        }
        EMITTERS[s->kind](e, s);
    }
    mt_buf_addc(e->b, ']');
}

void fr_emit_flow(fr_emit *e, const fr_flow *f)
{
    FR_PUT(e, "{\"entry\":");
    fr_emit_name(e, f->entry.sym);
    FR_PUT(e, ",\"id\":");
    fr_emit_name(e, f->head.id);
    FR_PUT(e, ",\"kind\":\"Flow\"");
    fr_emit_provenance(e, &f->head);
    FR_PUT(e, ",\"snapshot\":");
    fr_emit_name(e, f->snapshot.sym);
    FR_PUT(e, ",\"steps\":");
    emit_steps(e, &f->steps);
    FR_PUT(e, ",\"tenor\":\"1.0\"}");
}

/* ---- systems ---- */

static int compare_members(const void *a, const void *b, void *unit)
{
    const fr_system_member *x = a, *y = b;
    return fr_sym_cmp(unit, x->id.sym, y->id.sym);
}

/* Equal names keep the order of the text, so the result is one. */
static int compare_shared(const void *a, const void *b, void *unit)
{
    const fr_shared *x = a, *y = b;
    int order = fr_sym_cmp(unit, x->name.sym, y->name.sym);
    return order ? order : x->tok < y->tok ? -1 : 1;
}

static int compare_names(const void *a, const void *b, void *unit)
{
    const fr_name *x = a, *y = b;
    return fr_sym_cmp(unit, x->sym, y->sym);
}

/* By source and target; triggers that are alike in all four stay as they were
 * written. */
static int compare_triggers(const void *a, const void *b, void *unit)
{
    const fr_trigger *x = a, *y = b;
    int order = fr_sym_cmp(unit, x->source_contract.sym, y->source_contract.sym);
    order = order ? order : fr_sym_cmp(unit, x->source_flow.sym, y->source_flow.sym);
    order = order ? order
                  : fr_sym_cmp(unit, x->target_contract.sym, y->target_contract.sym);
    order = order ? order : fr_sym_cmp(unit, x->target_flow.sym, y->target_flow.sym);
    return order ? order : x->tok < y->tok ? -1 : 1;
}

/* A sorted copy of an array; nothing to sort gives NULL. A copy, because pass 5's
 * reports refer to the order of declaration. */
static void *sorted_copy(fr_emit *e, const void *items, size_t count, size_t size,
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

/* Sorted, also inside: the order of declaration says nothing, and the etag must not
 * depend on it. */
static void emit_shared(fr_emit *e, const fr_shared_list *list, const char *key)
{
    const fr_shared *items =
        sorted_copy(e, list->items, list->len, sizeof *list->items, compare_shared);
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < list->len; i++) {
        fr_names contracts = items[i].contracts;
        contracts.items = sorted_copy(e, contracts.items, contracts.len,
                                      sizeof *contracts.items, compare_names);
        mt_buf_addz(e->b, i ? ",{\"contracts\":" : "{\"contracts\":");
        fr_emit_names(e, &contracts);
        mt_buf_addc(e->b, ',');
        mt_buf_addz(e->b, key);
        fr_emit_name(e, items[i].name.sym);
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

/* Sorted, for the same reason as what is shared. */
static void emit_triggers(fr_emit *e, const fr_system *s)
{
    const fr_trigger *items = sorted_copy(e, s->triggers.items, s->triggers.len,
                                          sizeof *s->triggers.items, compare_triggers);
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < s->triggers.len; i++) {
        const fr_trigger *t = &items[i];
        mt_buf_addz(e->b, i ? ",{\"on\":" : "{\"on\":");
        fr_emit_name(e, t->on.sym);
        FR_PUT(e, ",\"persona\":");
        fr_emit_name(e, t->persona.sym);
        FR_PUT(e, ",\"source_contract\":");
        fr_emit_name(e, t->source_contract.sym);
        FR_PUT(e, ",\"source_flow\":");
        fr_emit_name(e, t->source_flow.sym);
        FR_PUT(e, ",\"target_contract\":");
        fr_emit_name(e, t->target_contract.sym);
        FR_PUT(e, ",\"target_flow\":");
        fr_emit_name(e, t->target_flow.sym);
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

/* Sorted by id; the path is as it was written. */
static void emit_members(fr_emit *e, const fr_system *s)
{
    const fr_system_member *items = sorted_copy(
        e, s->members.items, s->members.len, sizeof *s->members.items, compare_members);
    mt_buf_addc(e->b, '[');
    for (size_t i = 0; i < s->members.len; i++) {
        mt_buf_addz(e->b, i ? ",{\"id\":" : "{\"id\":");
        fr_emit_name(e, items[i].id.sym);
        FR_PUT(e, ",\"path\":");
        fr_emit_text(e, fr_str(e->u, items[i].path.sym));
        mt_buf_addc(e->b, '}');
    }
    mt_buf_addc(e->b, ']');
}

void fr_emit_system(fr_emit *e, const fr_system *s)
{
    FR_PUT(e, "{\"id\":");
    fr_emit_name(e, s->head.id);
    FR_PUT(e, ",\"kind\":\"System\",\"members\":");
    emit_members(e, s);
    fr_emit_provenance(e, &s->head);
    FR_PUT(e, ",\"shared_entities\":");
    emit_shared(e, &s->entities, "\"entity\":");
    FR_PUT(e, ",\"shared_personas\":");
    emit_shared(e, &s->personas, "\"persona\":");
    FR_PUT(e, ",\"tenor\":\"1.0\",\"triggers\":");
    emit_triggers(e, s);
    mt_buf_addc(e->b, '}');
}
