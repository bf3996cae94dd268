/* contract/front/index.h - every name of a contract and what it means, for tools.
 * Room: contract/front.
 * Made when somebody asks, from the checked tree and the tokens; elaboration does not
 * pay for it. Works on a rejected contract as well: what did not parse or resolve is
 * left out. Ownership: everything lives in the arena; texts are borrowed from the
 * elaboration. */
#ifndef FR_FRONT_INDEX_H
#define FR_FRONT_INDEX_H

#include "contract/elaborate.h"

/* What a name can mean; the second column is how it is called in JSON. */
/* clang-format off */
#define FR_NAMED_MAP(X)                                                                \
    X(FILE, "file") X(TYPE, "type") X(FIELD, "field") X(VALUE, "value")                \
    X(FACT, "fact") X(SOURCE, "source") X(ENTITY, "entity") X(STATE, "state")          \
    X(RULE, "rule") X(VERDICT, "verdict") X(VARIABLE, "variable")                      \
    X(OPERATION, "operation") X(OUTCOME, "outcome") X(ERROR, "error")                  \
    X(PERSONA, "persona") X(FLOW, "flow") X(STEP, "step") X(BRANCH, "branch")          \
    X(SYSTEM, "system") X(MEMBER, "member")
/* clang-format on */

typedef enum fr_named {
#define FR_NAMED_ENUM(name, text) FR_NAMED_##name,
    FR_NAMED_MAP(FR_NAMED_ENUM)
#undef FR_NAMED_ENUM
        FR_NAMED_COUNT
} fr_named;

const char *fr_named_text(fr_named kind);

/* A part of a source. */
typedef struct fr_site {
    mt_str file;                                 /* a ct_source path */
    uint32_t line, column, end_line, end_column; /* 1-based; the end is exclusive */
    size_t offset, length;                       /* in bytes */
} fr_site;

typedef struct fr_mention {
    fr_site at;         /* the name itself, or the path of a file in its quotes */
    fr_named kind;      /* of what it means */
    mt_str id;          /* "amount"; of what belongs to something else "Order.paid" */
    fr_site definition; /* the same as `at` where it is the definition */
    bool is_definition;
} fr_mention;

/* All mentions of the contract and, of a System, of its members, in the order of the
 * sources and of their text. */
size_t fr_index(mt_arena *a, const ct_elaboration *e, const fr_mention **out);

#endif
