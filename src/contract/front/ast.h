/* contract/front/ast.h - the tree the parser builds and the passes annotate.
 * Room: contract/front (and contract/wire/pass6_emit, which writes it out).
 * Places are token numbers within the construct's file; names are symbols.
 * Ownership: all nodes live in the elaboration's arena. */
#ifndef CT_FRONT_AST_H
#define CT_FRONT_AST_H

#include "base/vec.h"
#include "contract/front/lexer.h"

typedef uint32_t ct_tok; /* index of a token in its file; 0 may be a real one */

typedef struct ct_file {
    mt_str id, path, name; /* canonical, for users, base name */
    mt_str text;
    ct_tokens tokens;
    bool is_system, is_library;
    bool loading; /* on the import stack */
} ct_file;

/* ---- types ---- */

typedef enum ct_base {
    CT_TYPE_BOOL,
    CT_TYPE_INT,
    CT_TYPE_DECIMAL,
    CT_TYPE_TEXT,
    CT_TYPE_ENUM,
    CT_TYPE_DATE,
    CT_TYPE_DATETIME,
    CT_TYPE_MONEY,
    CT_TYPE_RECORD,
    CT_TYPE_UNION,
    CT_TYPE_LIST,
    CT_TYPE_DURATION,
    CT_TYPE_REF,  /* until pass 3 resolves it */
    CT_TYPE_ERROR /* already reported; fits everything */
} ct_base;

typedef struct ct_type ct_type;

typedef struct ct_type_field {
    ct_sym name;
    ct_tok tok;
    ct_type *type;
} ct_type_field;

struct ct_type {
    uint8_t base;  /* ct_base */
    bool resolved; /* every CT_TYPE_REF below is replaced */
    bool checked;  /* parameters were checked */
    uint16_t depth;
    ct_tok tok;
    union {
        struct {
            int64_t min, max; /* Int, Duration */
        };
        struct {
            uint32_t precision, scale; /* Decimal */
        };
        int64_t length; /* Text: max_length */
        struct {
            ct_type *element; /* List */
            uint32_t limit;
        };
        struct {
            ct_type_field *fields; /* Record, union; sorted by name, last of equals */
            uint32_t field_count;
            ct_sym twice; /* a name that was declared twice, or none */
        };
        struct {
            ct_sym *values; /* Enum, in order */
            ct_sym *sorted; /* by number, once the type is checked */
            uint32_t value_count;
        };
        ct_sym ref;
    };
    ct_sym name; /* Money: currency; Duration: unit */
};

/* ---- expressions ---- */

typedef enum ct_expr_kind {
    CT_X_BOOL,     /* op: value */
    CT_X_INT,      /* sym: as written */
    CT_X_FLOAT,    /* sym: as written */
    CT_X_STR,      /* sym: value */
    CT_X_MONEY,    /* sym: amount as written, sym2: currency */
    CT_X_DURATION, /* sym: value as written, sym2: unit */
    CT_X_REF,      /* sym; op: ct_ref after pass 4 */
    CT_X_FIELD,    /* left . sym */
    CT_X_INDEX,    /* left [ right ] */
    CT_X_LEN,      /* len(left) */
    CT_X_MUL,
    CT_X_ADD,
    CT_X_SUB,
    CT_X_COMPARE, /* op: ct_token_kind; type: comparison_type or NULL */
    CT_X_AND,
    CT_X_OR,
    CT_X_NOT,     /* left */
    CT_X_VERDICT, /* verdict_present(sym) */
    CT_X_PRESENT, /* left present; pass 4 turns it into VERDICT or BOOL */
    CT_X_FORALL,  /* sym: variable, left: domain, right: body, type: variable's */
    CT_X_EXISTS,
    CT_X_LIST,   /* items */
    CT_X_RECORD, /* items, each CT_X_ENTRY; sym: name before the brace or none */
    CT_X_ENTRY,  /* sym: field, left: value */
    CT_X_ERROR
} ct_expr_kind;

typedef enum ct_ref {
    CT_REF_NONE,
    CT_REF_FACT,
    CT_REF_VARIABLE,
    CT_REF_VERDICT
} ct_ref;

typedef struct ct_expr ct_expr;
struct ct_expr {
    uint8_t kind; /* ct_expr_kind */
    uint8_t op;
    uint16_t depth;
    ct_tok tok; /* where it begins */
    ct_sym sym, sym2;
    ct_expr *left;
    union {
        ct_expr *right;
        ct_expr **items; /* LIST, RECORD: sym2 of them */
    };
    const ct_type *type; /* of a term after pass 4 */
};

/* ---- constructs ---- */

typedef enum ct_kind {
    CT_IMPORT,
    CT_TYPEDECL,
    CT_FACT,
    CT_SOURCE,
    CT_ENTITY,
    CT_RULE,
    CT_OPERATION,
    CT_PERSONA,
    CT_FLOW,
    CT_SYSTEM,
    CT_KIND_COUNT
} ct_kind;

typedef struct ct_construct {
    uint8_t kind; /* ct_kind */
    bool broken;  /* did not parse to its end: later passes leave it alone */
    bool used;    /* something refers to it */
    ct_tok tok;   /* its keyword */
    ct_tok id_tok;
    ct_sym id;
    ct_file *file;
} ct_construct;

typedef struct ct_name {
    ct_sym sym;
    ct_tok tok;
} ct_name;

typedef struct ct_names {
    ct_name *items;
    size_t len, cap;
    ct_sym *sorted; /* for ct_names_have(), made when first needed */
} ct_names;

typedef struct ct_import {
    ct_construct head; /* id: the path */
} ct_import;

typedef struct ct_typedecl {
    ct_construct head;
    ct_type *type;
    uint8_t state; /* of the search in pass 3 */
} ct_typedecl;

typedef struct ct_persona {
    ct_construct head;
} ct_persona;

typedef struct ct_fact {
    ct_construct head;
    ct_type *type;
    ct_expr *initial; /* the default, or NULL */
    ct_name source;   /* freetext, or the source's id */
    ct_name path;     /* structured only */
    bool structured;
} ct_fact;

typedef struct ct_source_field {
    ct_name name;
    ct_sym value;
} ct_source_field;

typedef struct ct_source_decl {
    ct_construct head;
    ct_sym protocol, description; /* description none: not given */
    MT_VEC(ct_source_field) fields;
} ct_source_decl;

typedef struct ct_transition {
    ct_tok tok; /* its parenthesis */
    ct_name from, to;
} ct_transition;

typedef struct ct_entity {
    ct_construct head;
    ct_names states;
    ct_name initial, parent;
    ct_tok initial_tok, parent_tok, states_tok; /* the field words */
    bool has_initial;
    MT_VEC(ct_transition) transitions;
    uint64_t *pairs; /* the transitions as numbers, sorted; made in pass 5 */
    uint8_t state;   /* of the search in pass 5 */
} ct_entity;

typedef struct ct_rule {
    ct_construct head;
    int64_t stratum;
    ct_tok stratum_tok, stratum_value_tok, produce_tok;
    ct_expr *when;
    ct_name verdict;       /* none: no produce */
    ct_type *payload_type; /* NULL in the short form until pass 4 infers it */
    ct_expr *payload;
    bool verdict_used;
} ct_rule;

typedef struct ct_effect {
    ct_tok tok;
    ct_name entity, from, to, outcome; /* outcome.sym none: not given */
} ct_effect;

typedef struct ct_operation {
    ct_construct head;
    ct_names personas, errors, outcomes;
    ct_tok personas_tok, errors_tok, outcomes_tok;
    bool has_personas, has_errors;
    ct_expr *precondition;
    MT_VEC(ct_effect) effects;
} ct_operation;

typedef struct ct_target {
    ct_name name; /* step, or outcome of a Terminal; none: not given */
    bool terminal;
} ct_target;

typedef enum ct_handler_kind {
    CT_HANDLER_NONE,
    CT_HANDLER_TERMINATE,
    CT_HANDLER_COMPENSATE,
    CT_HANDLER_ESCALATE
} ct_handler_kind;

typedef struct ct_compensation {
    ct_tok tok;
    ct_name op, persona, on_failure;
} ct_compensation;

typedef struct ct_handler {
    uint8_t kind;
    ct_tok tok;
    ct_name outcome; /* Terminate; Compensate: then */
    ct_name persona, next;
    MT_VEC(ct_compensation) steps;
} ct_handler;

typedef enum ct_step_kind {
    CT_STEP_OPERATION,
    CT_STEP_BRANCH,
    CT_STEP_HANDOFF,
    CT_STEP_SUBFLOW,
    CT_STEP_PARALLEL
} ct_step_kind;

typedef struct ct_route {
    ct_name label;
    ct_target target;
} ct_route;

typedef struct ct_step ct_step;

/* The steps of a flow or of a parallel branch. */
typedef struct ct_steps {
    ct_step **items; /* declaration order, last of equal ids */
    size_t len, cap;
    ct_step **order;   /* as written to the interchange; pass 5 fills it in */
    ct_step *repeated; /* a step whose id was declared before, or NULL */
} ct_steps;

typedef struct ct_branch {
    ct_tok tok;
    ct_name id, entry;
    ct_steps steps;
} ct_branch;

struct ct_step {
    uint8_t kind;
    ct_name id;
    ct_name op;      /* operation or flow */
    ct_tok flow_tok; /* the word `flow` */
    ct_name persona; /* also from_persona */
    union {
        struct {
            ct_route *items; /* sorted by label for output */
            size_t len, cap;
        } routes;
        struct {
            ct_expr *condition;
            ct_target if_true, if_false;
        };
        struct {
            ct_name to_persona, next;
        };
        struct {
            ct_target on_success;
        };
        struct {
            struct {
                ct_branch *items;
                size_t len, cap;
            } branches;
            ct_tok branches_tok;
            ct_target all_success, all_complete;
            bool has_join;
        };
    };
    ct_handler handler; /* on_failure, or on_any_failure of a join */
    uint32_t number;    /* scratch of the passes */
    uint32_t mark;
    bool reached;
};

typedef struct ct_flow {
    ct_construct head;
    ct_name snapshot, entry;
    ct_tok entry_tok;
    bool has_entry;
    ct_steps steps;
    uint32_t depth; /* of sub-flows and branches, itself included; pass 5 fills it in */
    uint8_t state;  /* of the searches in pass 5 */
} ct_flow;

typedef struct ct_system_member {
    ct_name id;
    ct_name path;
} ct_system_member;

typedef struct ct_shared {
    ct_tok tok;
    ct_name name; /* persona or entity */
    ct_names contracts;
} ct_shared;

typedef struct ct_trigger {
    ct_tok tok;
    ct_name source_contract, source_flow, on, target_contract, target_flow, persona;
} ct_trigger;

typedef struct ct_shared_list {
    ct_shared *items;
    size_t len, cap;
} ct_shared_list;

typedef struct ct_system {
    ct_construct head;
    MT_VEC(ct_system_member) members;
    ct_shared_list personas, entities;
    MT_VEC(ct_trigger) triggers;
} ct_system;

#endif
