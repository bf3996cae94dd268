/* graph/op.h - what one compiled step does. ORDER as in the switch of execute.c.
 * Room: graph. */
#ifndef GR_OP_H
#define GR_OP_H

typedef enum gr_op {
    GR_OP_CONSTANT, /* its slots were filled when the episode was made */
    GR_OP_CONTEXT,  /* one context key, optional */
    GR_OP_SOURCE,   /* several keys, or required ones */
    GR_OP_ADD,
    GR_OP_SUBTRACT,
    GR_OP_MULTIPLY,
    GR_OP_DIVIDE,
    GR_OP_SAFE_DIVIDE,
    GR_OP_ABS,
    GR_OP_NEGATE,
    GR_OP_MIN,
    GR_OP_MAX,
    GR_OP_GT,
    GR_OP_GTE,
    GR_OP_LT,
    GR_OP_LTE,
    GR_OP_EQ,
    GR_OP_NEQ,
    GR_OP_AND,
    GR_OP_OR,
    GR_OP_NOT,
    GR_OP_SELECT, /* select and select_bool */
    GR_OP_APPEND,
    GR_OP_WINDOW,
    GR_OP_MEAN,
    GR_OP_SUM,
    GR_OP_LEN,
    GR_OP_EMIT_IF_TRUE,
    GR_OP_EMIT_IF_EVENT_AND_TRUE,
    GR_OP_ACTION, /* its outcome is known when it is compiled */
    GR_OP_CUSTOM, /* calls into C */
    GR_OP_CUSTOM_ACTION
} gr_op;

#endif
