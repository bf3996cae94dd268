/* contract/flow/operation.c - the fixed sequence of one operation.
 *
 * Order, by the specification: (1) may the persona, (2) does the precondition hold on
 * the frozen facts and verdicts, (3) which outcome do the states admit, and only then
 * the changes. The first step that says no gives the error (CT_OP_ERROR_MAP); later
 * ones are not looked at, so an answer never tells a stranger about states.
 *
 * An outcome applies when for every entity it touches one of its effects starts in the
 * current state. When several apply, the caller must name one; when none does, the
 * error names the first entity that stands in the way.
 *
 * Invariants: nothing is changed here. *changes is a proposal of at most
 * plan->max_changes rows, in the order of the effects; the caller applies all or none.
 * Faults of an evaluation are errors of the operation (CT_OP_EVALUATION) with the text
 * in `texts`. */
#include "contract/flow/operation.h"

/* clang-format off */
static const mt_str ERROR_NAMES[] = {
#define CT_OP_ERROR_NAME(name, text) MT_STR_INIT(text),
    CT_OP_ERROR_MAP(CT_OP_ERROR_NAME)
#undef CT_OP_ERROR_NAME
};
/* clang-format on */

mt_str ct_op_error_name(ct_op_error error)
{
    return ERROR_NAMES[error];
}

ct_op_error ct_op_error_named(mt_str name)
{
    uint32_t i = 0;
    while (i < CT_OP_ERROR_COUNT && !mt_str_eq(ERROR_NAMES[i], name)) {
        i++;
    }
    return (ct_op_error)i;
}

bool ct_op_declares(const ct_operation *op, ct_op_error error)
{
    for (uint32_t i = 0; i < op->error_count; i++) {
        if (mt_str_eq(op->errors[i], ERROR_NAMES[error])) {
            return true;
        }
    }
    return false;
}

/* Matches one outcome against the states. Effects on one entity stand together; the
 * one whose source is the current state applies. false: *blocked is the entity none of
 * whose effects applies. */
static bool outcome_applies(const ct_plan *p, uint32_t outcome, const uint32_t *states,
                            ct_change *changes, uint32_t *count, uint32_t *blocked)
{
    const ct_plan_effect *e = p->effects + p->outcomes[outcome].first_effect;
    const ct_plan_effect *end = e + p->outcomes[outcome].effect_count;
    uint32_t n = 0;
    while (e < end) {
        uint32_t entity = e->entity, state = states[entity];
        const ct_plan_effect *match = NULL;
        for (; e < end && e->entity == entity; e++) {
            match = e->from == state ? e : match;
        }
        if (!match || state == CT_NONE) {
            *blocked = entity;
            return false;
        }
        if (changes) {
            changes[n] = (ct_change){entity, match->from, match->to};
        }
        n++;
    }
    *count = n;
    return true;
}

uint32_t ct_op_matching(const ct_plan *p, uint32_t op, const uint32_t *states,
                        uint32_t *matching, uint32_t room)
{
    const ct_plan_op *o = &p->ops[op];
    uint32_t found = 0, count, blocked;
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        uint32_t outcome = o->first_outcome + i;
        if (outcome_applies(p, outcome, states, NULL, &count, &blocked)) {
            if (found < room) {
                matching[found] = outcome;
            }
            found++;
        }
    }
    return found;
}

/* Step 3: by the states, or named by the caller. */
static void determine(const ct_plan *p, uint32_t op, const uint32_t *states,
                      uint32_t wanted, ct_attempt *out, ct_change *changes)
{
    const ct_plan_op *o = &p->ops[op];
    uint32_t last = o->first_outcome + o->outcome_count;
    if (wanted != CT_NONE && (wanted < o->first_outcome || wanted >= last)) {
        out->error = CT_OP_OUTCOME;
        return;
    }
    uint32_t blocked = CT_NONE, stuck = CT_NONE;
    for (uint32_t i = o->first_outcome; i < last; i++) {
        if (wanted != CT_NONE && i != wanted) {
            continue;
        }
        /* A second match must not overwrite the first one's changes. */
        ct_change *into = out->outcome == CT_NONE ? changes : NULL;
        uint32_t count;
        if (!outcome_applies(p, i, states, into, &count, &stuck)) {
            blocked = blocked == CT_NONE ? stuck : blocked;
        } else if (out->outcome != CT_NONE) {
            out->error = CT_OP_AMBIGUOUS;
        } else {
            out->outcome = i;
            out->change_count = count;
        }
    }
    if (out->outcome == CT_NONE) {
        out->entity = blocked;
        out->state = states[blocked];
        out->error = out->state == CT_NONE ? CT_OP_INSTANCE : CT_OP_STATE;
    }
    if (out->error) {
        out->outcome = CT_NONE;
        out->change_count = 0;
    }
}

/* A condition that cannot be evaluated is not one that is false. */
static bool precondition_holds(const ct_frozen *z, uint32_t condition, mt_arena *texts,
                               ct_attempt *out)
{
    if (condition == CT_NONE) {
        return true;
    }
    bool holds = false;
    ct_fault fault;
    if (ct_holds(&z->snapshot, condition, z->scratch, &holds, texts, NULL, &fault)) {
        out->error = CT_OP_EVALUATION;
        out->fault = fault.message;
        out->kind = fault.kind;
        return false;
    }
    if (!holds) {
        out->error = CT_OP_PRECONDITION;
    }
    return holds;
}

void ct_op_try(const ct_frozen *z, uint32_t op, uint32_t persona,
               const uint32_t *states, uint32_t wanted, mt_arena *texts,
               ct_attempt *out, ct_change *changes)
{
    const ct_plan_op *o = &z->plan->ops[op];
    *out = (ct_attempt){.outcome = CT_NONE, .entity = CT_NONE, .state = CT_NONE};
    if (persona == CT_NONE || !ct_bit(o->allowed, persona)) {
        out->error = CT_OP_PERSONA;
    } else if (precondition_holds(z, o->condition, texts, out)) {
        determine(z->plan, op, states, wanted, out, changes);
    }
}

/* Is the state a source of an effect on the entity, in any outcome or in this one? */
static bool is_source(const ct_operation *o, uint32_t entity, uint32_t state,
                      uint32_t outcome)
{
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_effect *e = &o->effects[i];
        bool meant = outcome == CT_NONE || e->outcome == outcome;
        if (e->entity == entity && e->from == state && meant) {
            return true;
        }
    }
    return false;
}

/* 'a', or 'a' or 'b': every source state the operation accepts of the entity. Where the
 * state is one of them for another outcome, only those of the outcomes it stands in the
 * way of, which are named. */
static void add_sources(mt_buf *out, const ct_plan *p, uint32_t op, const ct_attempt *a)
{
    const ct_operation *o = &p->model->operations[op];
    bool mixed = is_source(o, a->entity, a->state, CT_NONE);
    const char *before = "";
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_effect *e = &o->effects[i];
        bool seen = e->entity != a->entity ||
                    (mixed && is_source(o, a->entity, a->state, e->outcome));
        for (uint32_t j = 0; j < i && !seen; j++) {
            seen = o->effects[j].entity == a->entity && o->effects[j].from == e->from &&
                   (!mixed || o->effects[j].outcome == e->outcome);
        }
        if (seen) {
            continue;
        }
        mt_str state = ct_plan_state_id(p, a->entity, e->from);
        mt_buf_addf(out, "%s'%.*s'", before, MT_ARG(state));
        if (mixed) {
            mt_buf_addf(out, " for outcome '%.*s'", MT_ARG(o->outcomes[e->outcome]));
        }
        before = " or ";
    }
}

/* Says what state there is and which ones would do. */
static void add_state_error(mt_buf *out, const ct_plan *p, uint32_t op,
                            const ct_attempt *a, mt_str instance)
{
    mt_str entity = ct_entity_id(p, a->entity);
    if (!instance.ptr) {
        mt_buf_addf(out, "no instance is bound to entity '%.*s'", MT_ARG(entity));
        return;
    }
    mt_buf_addf(out, "entity '%.*s' instance '%.*s' ", MT_ARG(entity),
                MT_ARG(instance));
    if (a->error == CT_OP_INSTANCE) {
        mt_buf_addz(out, "not found in state map");
        return;
    }
    if (a->state == CT_NONE) {
        mt_buf_addz(out, "was changed by another, expected ");
    } else {
        mt_buf_addf(out, "in state '%.*s', expected ",
                    MT_ARG(ct_plan_state_id(p, a->entity, a->state)));
    }
    add_sources(out, p, op, a);
}

void ct_op_error_text(mt_buf *out, const ct_plan *p, uint32_t op, mt_str persona,
                      const ct_attempt *a, mt_str instance)
{
    mt_str id = ct_operation_id(p, op);
    switch (a->error) {
    case CT_OP_PERSONA:
        mt_buf_addf(out, "persona '%.*s' not authorized for operation '%.*s'",
                    MT_ARG(persona), MT_ARG(id));
        break;
    case CT_OP_PRECONDITION:
        mt_buf_addf(out,
                    "precondition failed for operation '%.*s': precondition evaluated "
                    "to false",
                    MT_ARG(id));
        break;
    case CT_OP_EVALUATION:
        mt_buf_addf(out, "evaluation error: %.*s", MT_ARG(a->fault));
        break;
    case CT_OP_INSTANCE:
    case CT_OP_STATE: add_state_error(out, p, op, a, instance); break;
    case CT_OP_AMBIGUOUS:
        mt_buf_addf(out, "several outcomes of operation '%.*s' match; name one",
                    MT_ARG(id));
        break;
    case CT_OP_OUTCOME:
        mt_buf_addf(out, "operation '%.*s' has no such outcome", MT_ARG(id));
        break;
    case CT_OP_NONE:
    case CT_OP_ERROR_COUNT: break;
    }
}
