#include "graph/sweep.h"

#include "graph/steps.h"

#define NUMBER(slot) (v[slot].as.number)
#define BOOL(slot)   (v[slot].as.boolean)
#define EVENT(slot)  (v[slot].as.event)
/* The rest of a case: the statement for every step of the run. */
#define EACH(statement)                                                                \
    for (; s < end; s++) {                                                             \
        statement;                                                                     \
    }                                                                                  \
    break

/* The same for a result that may overflow. */
#define WATCHED(expression)                                                            \
    for (; s < end; s++) {                                                             \
        double result = (expression);                                                  \
        NUMBER(s->out) = result;                                                       \
        ok &= gr_finite(result);                                                       \
    }                                                                                  \
    break

/* Watched results are collected as one flag: the loop has no branches, and the slow
 * way finds the first fault. */
static bool run(const gr_step *s, const gr_step *end, gr_value *restrict v,
                const gr_value *context, mt_arena *scratch)
{
    bool ok = true;
    switch (s->op) {
    case GR_OP_CONTEXT: EACH(ok &= gr_from_context(&context[s->a], s->aux, &v[s->out]));
    case GR_OP_ADD: WATCHED(NUMBER(s->a) + NUMBER(s->b));
    case GR_OP_SUBTRACT: WATCHED(NUMBER(s->a) - NUMBER(s->b));
    case GR_OP_MULTIPLY: WATCHED(NUMBER(s->a) * NUMBER(s->b));
    case GR_OP_DIVIDE: WATCHED(NUMBER(s->a) / NUMBER(s->b)); /* x/0 is not finite */
    case GR_OP_SAFE_DIVIDE:
        EACH(NUMBER(s->out) = gr_safe_divide(NUMBER(s->a), NUMBER(s->b), NUMBER(s->c)));
    case GR_OP_ABS: EACH(NUMBER(s->out) = __builtin_fabs(NUMBER(s->a)));
    case GR_OP_NEGATE: EACH(NUMBER(s->out) = -NUMBER(s->a));
    case GR_OP_MIN: EACH(NUMBER(s->out) = gr_lesser(NUMBER(s->a), NUMBER(s->b)));
    case GR_OP_MAX: EACH(NUMBER(s->out) = gr_greater(NUMBER(s->a), NUMBER(s->b)));
    case GR_OP_GT: EACH(BOOL(s->out) = NUMBER(s->a) > NUMBER(s->b));
    case GR_OP_GTE: EACH(BOOL(s->out) = NUMBER(s->a) >= NUMBER(s->b));
    case GR_OP_LT: EACH(BOOL(s->out) = NUMBER(s->a) < NUMBER(s->b));
    case GR_OP_LTE: EACH(BOOL(s->out) = NUMBER(s->a) <= NUMBER(s->b));
    case GR_OP_EQ: EACH(BOOL(s->out) = NUMBER(s->a) == NUMBER(s->b));
    case GR_OP_NEQ: EACH(BOOL(s->out) = NUMBER(s->a) != NUMBER(s->b));
    case GR_OP_AND: EACH(BOOL(s->out) = BOOL(s->a) & BOOL(s->b));
    case GR_OP_OR: EACH(BOOL(s->out) = BOOL(s->a) | BOOL(s->b));
    case GR_OP_NOT: EACH(BOOL(s->out) = BOOL(s->a) ^ 1);
    case GR_OP_SELECT: EACH(v[s->out].as = v[BOOL(s->a) ? s->b : s->c].as);
    case GR_OP_APPEND: EACH(gr_append(scratch, &v[s->a], NUMBER(s->b), &v[s->out]));
    case GR_OP_WINDOW: EACH(gr_window(&v[s->a], s->c, &v[s->out]));
    case GR_OP_MEAN: WATCHED(gr_mean(&v[s->a]));
    case GR_OP_SUM: WATCHED(gr_series_sum(&v[s->a]));
    case GR_OP_LEN: EACH(NUMBER(s->out) = v[s->a].len);
    case GR_OP_EMIT_IF_TRUE: EACH(EVENT(s->out) = BOOL(s->a));
    case GR_OP_EMIT_IF_EVENT_AND_TRUE:
        EACH(EVENT(s->out) = (EVENT(s->a) == GR_EMITTED) & BOOL(s->b));
    default: MT_BUG("a step that cannot be swept");
    }
    return ok;
}

/* False: something was not finite; slots are then half written and the caller starts
 * again with the slow way. */
bool gr_sweep(const gr_code *code, gr_value *slots, const gr_value *context,
              mt_arena *scratch)
{
    const gr_step *s = code->swept;
    for (uint32_t i = 0; i < code->run_count; i++) {
        const gr_step *end = s + code->runs[i];
        if (MT_UNLIKELY(!run(s, end, slots, context, scratch))) {
            return false;
        }
        s = end;
    }
    return true;
}
