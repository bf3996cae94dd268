/* contract/front/ast.h - the tree the parser builds and the passes annotate.
 * Room: contract/front.
 * Places are token numbers within the construct's file; names are symbols.
 * Ownership: all nodes live in the elaboration's arena. */
#ifndef FR_FRONT_AST_H
#define FR_FRONT_AST_H

#include "base/vec.h"
#include "contract/front/lexer.h"
#include "lang/lang.h"

typedef uint32_t fr_tok; /* index of a token in its file; 0 may be a real one */

/* A run of tokens, both included. */
typedef struct fr_span {
    fr_tok first, last;
} fr_span;

/* A part of a source, in bytes; `to` is exclusive. */
typedef struct fr_range {
    size_t from, to;
} fr_range;

/* A code that a lint comment allows, and where. */
typedef struct fr_lint_rule {
    mt_str code;
    fr_range range;
} fr_lint_rule;

/* A word of a lint comment, to be checked. */
typedef struct fr_lint_word {
    size_t offset;
    mt_str word;
    bool is_code; /* or else the word behind `motet:` */
} fr_lint_word;

/* One source file, lexed once however often it is imported. */
typedef struct fr_file {
    mt_str id, path, name; /* canonical, for users, base name */
    mt_str text;           /* valid UTF-8, borrowed from the provider or copied by it */
    fr_tokens tokens;      /* every place in the tree is an index into these */
    bool is_system, is_library; /* C-SYS-03; §4.6: type declarations only */
    bool loading;               /* on the import stack */
    bool lint_read;             /* its comments have been looked at, see lint.c */
    bool tags_found, imports;   /* see is_tag_word() in parser_expr.c */
    const fr_sym *tags;         /* of its TaggedUnions, sorted */
    uint32_t tag_count;
    MT_VEC(fr_lint_rule) lint;
    MT_VEC(fr_lint_word) lint_words;
} fr_file;

/* ---- types ---- */

typedef enum fr_base { /* ORDER ln_base */
#define X_BASE(ID, text, HELD, TRAITS, result) FR_TYPE_##ID,
#include "lang/nodes.def"
                       FR_TYPE_REF,  /* until pass 3 resolves it */
                       FR_TYPE_ERROR /* already reported; fits everything */
} fr_base;

typedef struct fr_type fr_type;

typedef struct fr_type_field {
    fr_sym name;
    fr_tok tok;
    fr_type *type;
} fr_type_field;

/* Types are shared: a name that is used in ten places is one node after pass 3, so
 * whatever a pass notes in it is seen everywhere. Parameters are as written; whether
 * they make sense is asked once, see `checked`. */
struct fr_type {
    uint8_t base;  /* fr_base */
    bool resolved; /* every FR_TYPE_REF below is replaced */
    bool checked;  /* parameters were checked */
    bool bare;     /* Text without max_length, Duration without max */
    uint16_t depth;
    fr_tok tok;
    union {
        struct {
            int64_t min, max; /* Int, Duration */
        };
        struct {
            uint32_t precision, scale; /* Decimal */
        };
        int64_t length; /* Text: max_length */
        struct {
            fr_type *element; /* List */
            uint32_t limit;
        };
        struct {
            fr_type_field *fields; /* Record, union; sorted by name, last of equals */
            uint32_t field_count;
            fr_sym twice; /* a name that was declared twice, or none */
        };
        struct {
            fr_sym *values; /* Enum, in order */
            fr_sym *sorted; /* by number, once the type is checked */
            uint32_t value_count;
        };
        fr_sym ref; /* FR_TYPE_REF: the name that stands there */
    };
    fr_sym name; /* Money: currency; Duration: unit */
};

/* ---- expressions ---- */

typedef enum fr_expr_kind {
    FR_X_BOOL,     /* op: value */
    FR_X_INT,      /* sym: as written */
    FR_X_FLOAT,    /* sym: as written */
    FR_X_STR,      /* sym: value */
    FR_X_MONEY,    /* sym: amount as written, sym2: currency */
    FR_X_DURATION, /* sym: value as written, sym2: unit */
    FR_X_REF,      /* sym; op: fr_ref after pass 4 */
    FR_X_FIELD,    /* left . sym */
    FR_X_INDEX,    /* left [ right ] */
    FR_X_LEN,      /* len(left) */
    FR_X_MUL,
    FR_X_ADD,
    FR_X_SUB,
    FR_X_COMPARE, /* op: fr_token_kind; type: comparison_type or NULL */
    FR_X_AND,
    FR_X_OR,
    FR_X_NOT,     /* left */
    FR_X_VERDICT, /* verdict_present(sym) */
    FR_X_PRESENT, /* left present; pass 4 turns it into VERDICT or BOOL */
    FR_X_FORALL,  /* sym: variable, left: domain, right: body, type: variable's */
    FR_X_EXISTS,
    FR_X_LIST,   /* items */
    FR_X_RECORD, /* items, each FR_X_ENTRY; sym: name before the brace or none */
    FR_X_ENTRY,  /* sym: field, left: value */
    FR_X_ERROR
} fr_expr_kind;

typedef enum fr_ref {
    FR_REF_NONE,
    FR_REF_FACT,
    FR_REF_VARIABLE,
    FR_REF_VERDICT
} fr_ref;

typedef struct fr_expr fr_expr;
/* Small on purpose: large contracts are mostly expressions. Fields have a meaning by
 * kind, as fr_expr_kind says; sym2 is a count or a token number for some. */
struct fr_expr {
    uint8_t kind; /* fr_expr_kind */
    uint8_t op;   /* by kind: a truth value, a comparison, an fr_ref */
    uint16_t depth;
    fr_tok tok; /* where it begins */
    fr_sym sym, sym2;
    fr_expr *left;
    union {
        fr_expr *right;
        fr_expr **items; /* LIST, RECORD: sym2 of them */
    };
    const fr_type *type; /* of a term after pass 4 */
};

/* ---- constructs ---- */

/* The constructs of interchange, and two that end with elaboration. */
typedef enum fr_kind { /* ORDER ln_construct */
#define X_CONSTRUCT(ID, text, word, many) FR_##ID,
#include "lang/nodes.def"
                       FR_IMPORT,
                       FR_TYPEDECL,
                       FR_KIND_COUNT
} fr_kind;

/* The head of every construct; pointers to it are cast by `kind`, so it stands first in
 * each struct below. */
typedef struct fr_construct {
    uint8_t kind;  /* fr_kind */
    bool broken;   /* did not parse to its end: later passes leave it alone */
    bool used;     /* something refers to it */
    fr_tok tok;    /* its keyword */
    fr_tok id_tok; /* of the name behind the keyword */
    fr_sym id;
    fr_file *file; /* where its tokens are */
} fr_construct;

/* A word and where it was written; `sym` is FR_W_none or FR_W_empty where it was
 * not. */
typedef struct fr_name {
    fr_sym sym;
    fr_tok tok;
} fr_name;

/* In the order of the text, doubles included: which of them is a fault is for pass
 * 5. */
typedef struct fr_names {
    fr_name *items;
    size_t len, cap;
    fr_sym *sorted; /* for fr_names_have(), made when first needed */
} fr_names;

typedef struct fr_import {
    fr_construct head; /* id: the path */
} fr_import;

typedef struct fr_typedecl {
    fr_construct head;
    fr_type *type;
    uint8_t state; /* of the search in pass 3 */
} fr_typedecl;

typedef struct fr_persona {
    fr_construct head;
} fr_persona;

typedef struct fr_fact {
    fr_construct head;
    fr_type *type;
    fr_tok type_tok;  /* where it is written; a named type has its own elsewhere */
    fr_expr *initial; /* the default, or NULL */
    fr_name source;   /* freetext, or the source's id */
    fr_name path;     /* structured only */
    bool structured;
} fr_fact;

typedef struct fr_source_field {
    fr_name name;
    fr_sym value;
} fr_source_field;

typedef struct fr_source_decl {
    fr_construct head;
    fr_sym protocol, description; /* description none: not given */
    fr_span protocol_span;        /* a tag may have dots */
    MT_VEC(fr_source_field) fields;
} fr_source_decl;

/* Still words: pass 5 asks whether they are states. */
typedef struct fr_transition {
    fr_tok tok; /* its parenthesis */
    fr_name from, to;
} fr_transition;

typedef struct fr_entity {
    fr_construct head;
    fr_names states;
    fr_name initial, parent;
    fr_tok initial_tok, parent_tok, states_tok; /* the field words */
    bool has_initial;
    MT_VEC(fr_transition) transitions;
    uint64_t *pairs; /* the transitions as numbers, sorted; made in pass 5 */
    uint8_t state;   /* of the search in pass 5 */
} fr_entity;

typedef struct fr_rule {
    fr_construct head;
    int64_t stratum;
    fr_tok stratum_tok, stratum_value_tok, produce_tok;
    fr_expr *when;
    fr_name verdict;       /* none: no produce */
    fr_type *payload_type; /* NULL in the short form until pass 4 infers it */
    fr_expr *payload;
    bool verdict_used;
} fr_rule;

/* Both spellings, the tuple and the arrow, become this. */
typedef struct fr_effect {
    fr_tok tok;
    fr_name entity, from, to, outcome; /* outcome.sym none: not given */
} fr_effect;

typedef struct fr_operation {
    fr_construct head;
    fr_names personas, errors, outcomes;
    fr_tok personas_tok, errors_tok, outcomes_tok;
    bool has_personas, has_errors;
    fr_expr *precondition;
    MT_VEC(fr_effect) effects;
} fr_operation;

typedef struct fr_target {
    fr_name name; /* step, or outcome of a Terminal; none: not given */
    bool terminal;
} fr_target;

typedef enum fr_handler_kind {
    FR_HANDLER_NONE,
#define X_HANDLER(ID, text) FR_HANDLER_##ID,
#include "lang/nodes.def"
} fr_handler_kind;

/* Fields that were not given are FR_W_empty, so later passes need no flags. */
typedef struct fr_compensation {
    fr_tok tok;
    fr_name op, persona, on_failure;
} fr_compensation;

typedef struct fr_handler {
    uint8_t kind;
    fr_tok tok;
    fr_name outcome; /* Terminate; Compensate: then */
    fr_name persona, next;
    MT_VEC(fr_compensation) steps;
} fr_handler;

/* One `outcome: target` of an operation step. */
typedef struct fr_route {
    fr_name label;
    fr_target target;
} fr_route;

typedef struct fr_step fr_step;

/* The steps of a flow or of a parallel branch. */
typedef struct fr_steps {
    fr_step **items; /* declaration order, last of equal ids */
    size_t len, cap;
    fr_step **order;   /* as written to the interchange; pass 5 fills it in */
    fr_step *repeated; /* a step whose id was declared before, or NULL */
} fr_steps;

/* Has step ids of its own: a target cannot leave its branch. */
typedef struct fr_branch {
    fr_tok tok;
    fr_name id, entry;
    fr_steps steps;
} fr_branch;

/* The union has what only one kind of step has; `kind` decides, see FORMS in
 * parser_flow.c. */
struct fr_step {
    uint8_t kind; /* ln_step */
    fr_name id;
    fr_name op;      /* operation or flow */
    fr_tok flow_tok; /* the word `flow` */
    fr_name persona; /* also from_persona */
    union {
        struct {
            fr_route *items; /* sorted by label for output */
            size_t len, cap;
        } routes;
        struct {
            fr_expr *condition;
            fr_target if_true, if_false;
        };
        struct {
            fr_name to_persona, next;
        };
        struct {
            fr_target on_success;
        };
        struct {
            fr_target end; /* of a named Terminal */
        };
        struct {
            struct {
                fr_branch *items;
                size_t len, cap;
            } branches;
            fr_tok branches_tok;
            fr_target all_success, all_complete;
            bool has_join;
        };
    };
    fr_handler handler; /* on_failure, or on_any_failure of a join */
    uint32_t number;    /* scratch of the passes */
    uint32_t mark;      /* edges that lead to it, while a search counts them */
    bool reached;       /* by the walk in pass5_order.c */
};

/* What nodes.def says of a type; false of one that is not known. */
static inline bool fr_holds(const fr_type *t, ln_held held)
{
    return t->base < LN_BASE_COUNT && LN_BASES[t->base].held == held;
}

static inline bool fr_has(const fr_type *t, unsigned traits)
{
    return t->base < LN_BASE_COUNT && (LN_BASES[t->base].traits & traits);
}

/* Numbers proper, and days of the calendar. */
static inline bool fr_is_int(const fr_type *t)
{
    return fr_holds(t, LN_INTEGER) && fr_has(t, LN_NUMBER);
}

static inline bool fr_is_decimal(const fr_type *t)
{
    return fr_holds(t, LN_DECIMAL) && fr_has(t, LN_NUMBER);
}

static inline bool fr_is_day(const fr_type *t)
{
    return fr_holds(t, LN_INTEGER) && fr_has(t, LN_WRITTEN);
}

static inline ln_doing fr_does(const fr_step *s)
{
    return LN_STEPS[s->kind].does;
}

/* `depth` and `state` belong to the searches for circles (§11.5). */
typedef struct fr_flow {
    fr_construct head;
    fr_name snapshot, entry;
    fr_tok entry_tok;
    bool has_entry;
    fr_steps steps;
    uint32_t depth; /* of sub-flows and branches, itself included; pass 5 fills it in */
    uint8_t state;  /* of the searches in pass 5 */
} fr_flow;

/* `path` is relative to the System's own file (§12.2). */
typedef struct fr_system_member {
    fr_name id;
    fr_name path;
} fr_system_member;

/* A persona or an entity that several members have in common (§12.1). */
typedef struct fr_shared {
    fr_tok tok;
    fr_name name; /* persona or entity */
    fr_names contracts;
} fr_shared;

/* Names only; pass 5 looks them up in the members' elaborations (C-SYS-07 to
 * C-SYS-12). */
typedef struct fr_trigger {
    fr_tok tok;
    fr_name source_contract, source_flow, on, target_contract, target_flow, persona;
} fr_trigger;

typedef struct fr_shared_list {
    fr_shared *items;
    size_t len, cap;
} fr_shared_list;

typedef struct fr_system {
    fr_construct head;
    MT_VEC(fr_system_member) members;
    fr_shared_list personas, entities;
    MT_VEC(fr_trigger) triggers;
} fr_system;

#endif
