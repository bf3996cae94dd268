/* contract/eval/fault.h - what can go wrong between facts and verdicts, typed.
 * Room: contract. May include base/ only.
 * A fault stops the evaluation; it is never turned into an absent verdict.
 * Ownership: texts live in the arena the failing call was given. */
#ifndef CT_EVAL_FAULT_H
#define CT_EVAL_FAULT_H

#include "base/str.h"

/* clang-format off */
#define CT_FAULT_MAP(X)                                                          \
    X(NONE,            "none")                                                   \
    X(SYNTAX,          "syntax")           /* the facts are not JSON */          \
    X(LIMIT,           "limit")            /* a limit of base/limits.h was hit */ \
    X(MISSING_FACT,    "missing_fact")                                           \
    X(TYPE_MISMATCH,   "type_mismatch")    /* wrong JSON shape, range, length */ \
    X(LIST_OVERFLOW,   "list_overflow")    /* more elements than max */          \
    X(INVALID_ENUM,    "invalid_enum")                                           \
    X(INVALID_DATE,    "invalid_date")                                           \
    X(INVALID_UNIT,    "invalid_unit")                                           \
    X(INVALID_TAG,     "invalid_tag")      /* no such variant in a fact */       \
    X(CURRENCY,        "currency_mismatch")                                      \
    X(MISSING_FIELD,   "missing_field")                                          \
    X(DUPLICATE,       "duplicate_key")                                          \
    X(SURPLUS_FACT,    "surplus_fact")     /* only when asked for */             \
    X(OVERFLOW,        "overflow")         /* arithmetic left its bounds */      \
    X(TAG_MISMATCH,    "tag_mismatch")     /* access to another variant */       \
    X(INDEX_RANGE,     "index_out_of_range")                                     \
    X(ABSENT_VERDICT,  "absent_verdict")   /* a payload built on one */          \
    X(BUDGET,          "evaluation_budget")   /* more steps than allowed */      \
    X(DEADLINE,        "evaluation_deadline") /* the host's patience ended */
/* clang-format on */

typedef enum ct_fault_kind {
#define CT_FAULT_ENUM(name, text) CT_FAULT_##name,
    CT_FAULT_MAP(CT_FAULT_ENUM)
#undef CT_FAULT_ENUM
        CT_FAULT_COUNT
} ct_fault_kind;

typedef struct ct_fault ct_fault;
struct ct_fault {
    ct_fault_kind kind;
    mt_str path;    /* fact path `items[3].amount`, or empty */
    mt_str rule;    /* rule being evaluated, or empty */
    mt_str message; /* one line, no full stop */
    ct_fault *next; /* of a fact set: the next fact at fault, or NULL */
};

/* "type_mismatch". Never NULL. */
const char *ct_fault_name(ct_fault_kind kind);

#endif
