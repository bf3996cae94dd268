/* contract/wire/model.h - a bundle, resolved: names are indices, types are decided.
 * Room: contract. May include base/ and contract/wire only.
 * Made by ct_load() from interchange JSON, whoever wrote it; every check of spec §15.1
 * has been passed, so what follows never meets a dangling reference or a cycle.
 * Ownership: one immutable block in the arena given to ct_load(); any number of threads
 * may read it. Names borrow from the text, of which ct_load() keeps its own copy. */
#ifndef CT_WIRE_MODEL_H
#define CT_WIRE_MODEL_H

#include "base/diag.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/map.h"
#include "contract/wire/value.h"
#include "lang/lang.h"

/* Where a construct was written, as its `provenance` says; file may be empty. */
typedef struct ct_origin {
    mt_str file;
    uint32_t line; /* 0: the bundle does not say */
} ct_origin;

/* ---- Expressions: predicates and terms ---- */

typedef enum ct_op {
    /* terms */
    CT_LITERAL,  /* value */
    CT_FACT,     /* index: fact */
    CT_VARIABLE, /* index: depth of its quantifier, 0 = outermost */
    CT_PAYLOAD,  /* index: rule whose verdict's payload this is */
    CT_FIELD,    /* left: record; index: field */
    CT_VARIANT,  /* left: union; index: variant; another tag is a typed error */
    CT_TAG,      /* left: union; the tag, as an Enum of the variant names */
    CT_AMOUNT,   /* left: money; its Decimal */
    CT_LEN,      /* left: list */
    CT_INDEX,    /* left: list, right: Int */
    CT_ADD,      /* left + right, both already of the operand types of `arith` */
    CT_SUB,
    CT_MUL,
    CT_MAKE,  /* a value of `type`; left: its parts, or NULL; index: how many, of a
                 union the variant, whose payload is the only part */
    CT_PARTS, /* left, right: parts of a CT_MAKE in their order, see ct_part_of() */
    CT_FIT,   /* left as a value of `type`: rounded, or a fault */
    /* predicates; their type is Bool. A Bool term is a predicate too. */
    CT_COMPARE, /* left `compare` right */
    CT_PRESENT, /* index: rule that produces the verdict */
    CT_AND,
    CT_OR,
    CT_NOT,    /* left */
    CT_FORALL, /* left: list, right: body; index: depth of the variable */
    CT_EXISTS
} ct_op;

typedef enum ct_compare {
#define X_COMPARE(ID, text) CT_##ID,
#include "lang/nodes.def"
} ct_compare;
enum { CT_COMPARES = CT_GE + 1 };
extern const char *const CT_COMPARE_TEXT[CT_COMPARES]; /* "=", "!=", … */

typedef struct ct_expr ct_expr;
struct ct_expr {
    uint8_t op;      /* ct_op */
    uint8_t compare; /* ct_compare, of CT_COMPARE */
    uint32_t index;
    const ct_type *type; /* of the value; for sums and products also the bounds */
    const ct_expr *left, *right;
    const ct_value *value; /* CT_LITERAL */
    mt_str name;           /* variable of a quantifier */
};

/* A structured value made of terms: record fields in byte order of their names, list
 * elements in order, the payload of a union. Parts hang on a balanced tree of CT_PARTS,
 * so that whoever walks `left` and `right` walks them all in order, and not deeper than
 * a long list is. Each part is of the very type it stands for. */
uint32_t ct_part_count(const ct_expr *make);
const ct_expr *ct_part_of(const ct_expr *make, uint32_t index);
/* The tree of `count` parts, for `left` of a CT_MAKE of that type; NULL if none. */
const ct_expr *ct_parts_join(mt_arena *a, const ct_type *type,
                             const ct_expr *const *parts, uint32_t count);

/* ---- Constructs ---- */

typedef struct ct_fact {
    mt_str id;
    const ct_type *type;
    uint32_t slot;             /* first slot of its value in a fact set */
    const ct_value *otherwise; /* default, or NULL */
    mt_str source;             /* as canonical JSON */
    uint32_t source_id;        /* index into sources when structured, else CT_NONE */
    ct_origin origin;
} ct_fact;

typedef struct ct_source_decl {
    mt_str id, protocol, description;
    mt_str fields; /* as canonical JSON */
    ct_origin origin;
} ct_source_decl;

/* References to personas no construct declares are tolerated only while the bundle
 * declares none at all; such personas are listed after the declared ones. */
typedef struct ct_persona {
    mt_str id;
    bool declared; /* otherwise it is only named somewhere */
    ct_origin origin;
} ct_persona;

typedef struct ct_transition {
    uint32_t from, to; /* states */
} ct_transition;

typedef struct ct_entity {
    mt_str id;
    const mt_str *states;
    uint32_t state_count;
    uint32_t initial; /* state */
    const ct_transition *transitions;
    uint32_t transition_count;
    uint32_t parent; /* entity, or CT_NONE */
    ct_origin origin;
} ct_entity;

/* Rules are in order of evaluation: by stratum, then as in the bundle. A verdict type
 * is produced by exactly one rule (S8), so a verdict is known by its rule's index. */
typedef struct ct_rule {
    mt_str id;
    mt_str verdict;   /* the name it produces; unique */
    uint32_t stratum; /* rules are sorted by it */
    const ct_expr *when;
    const ct_type *payload_type;
    const ct_expr *payload; /* a term of payload_type, or convertible to it */
    ct_origin origin;
} ct_rule;

typedef struct ct_effect {
    uint32_t entity;
    uint32_t from, to; /* states of the entity */
    uint32_t outcome;  /* index into the operation's outcomes; CT_NONE: the only one */
} ct_effect;

#define CT_SUCCESS MT_STR("success") /* the outcome nobody declared */

typedef struct ct_operation {
    mt_str id;
    const uint32_t *personas;
    uint32_t persona_count;
    const ct_expr *precondition; /* NULL: always holds */
    const ct_effect *effects;
    uint32_t effect_count;
    /* At least one. When none was declared: the first label of an effect, or
     * "success"; steps then route either name. */
    const mt_str *outcomes;
    uint32_t outcome_count;
    bool undeclared;      /* its outcomes were not declared: there is one */
    const mt_str *errors; /* error_contract */
    uint32_t error_count;
    uint32_t condition; /* index of the precondition in a program, or CT_NONE */
    ct_origin origin;
} ct_operation;

/* A step of the same step list, or the end with an outcome, or not given. */
typedef struct ct_target {
    uint32_t step;  /* CT_NONE: terminal, or not given */
    mt_str outcome; /* of the terminal; ptr NULL: there is none */
} ct_target;

/* One compensation: Terminal outcome if it fails. */
typedef struct ct_compensation {
    uint32_t operation, persona;
    mt_str on_failure; /* the terminal when the undo itself fails */
} ct_compensation;

typedef enum ct_handler_kind {
    CT_HANDLER_NONE, /* only where the language allows it to be missing (joins) */
#define X_HANDLER(ID, text) CT_##ID,
#include "lang/nodes.def"
} ct_handler_kind;

typedef struct ct_handler {
    uint8_t kind;   /* ct_handler_kind */
    mt_str outcome; /* TERMINATE: the outcome; COMPENSATE: `then` */
    const ct_compensation *steps;
    uint32_t step_count;
    uint32_t persona, next; /* ESCALATE: to_persona, step of the same list */
} ct_handler;

typedef struct ct_step ct_step;

/* Steps in bundle order; every index in them points into the same list. */
typedef struct ct_steps {
    const ct_step *items;
    uint32_t count, entry;
} ct_steps;

typedef struct ct_branch {
    mt_str id;
    ct_steps steps;
} ct_branch;

/* A step is what it does and the slots that takes; see ln_doing for the targets. */
struct ct_step {
    mt_str id;
    uint8_t kind;                 /* ln_step */
    uint8_t does;                 /* ln_doing */
    uint32_t persona, to_persona; /* who acts, who is named besides; CT_NONE */
    uint32_t what; /* LN_OPERATES: operation; LN_DECIDES: index of its condition in the
                      model and in a program; LN_CALLS: flow; else CT_NONE */
    const ct_target *targets;
    uint32_t target_count;
    ct_handler on_failure; /* CT_HANDLER_NONE when missing */
    const ct_branch *branches;
    uint32_t branch_count;
};

typedef struct ct_flow {
    mt_str id;
    mt_str snapshot; /* "at_initiation" */
    ct_steps steps;
    ct_origin origin;
} ct_flow;

/* ---- The model ---- */

/* What has a name in a model. Systems are constructs too, but no model has any. */
typedef enum ct_kind { /* ORDER ln_construct */
#define X_CONSTRUCT(ID, text, word, many) CT_KIND_##ID,
#include "lang/nodes.def"
                       CT_KIND_VERDICT, /* by verdict type; index of its rule */
                       CT_KIND_COUNT
} ct_kind;

typedef struct ct_model {
    mt_str id;
    mt_str version; /* tenor_version */
    const ct_fact *facts;
    const ct_source_decl *sources;
    const ct_persona *personas;
    const ct_entity *entities;
    const ct_rule *rules;
    const ct_operation *operations;
    const ct_flow *flows;
    uint32_t fact_count, source_count, persona_count, entity_count, rule_count,
        operation_count, flow_count;
    uint32_t personas_declared; /* the first so many of personas */
    uint32_t slot_count;        /* slots of a whole fact set */
    uint32_t note_count;        /* places in a reader's notes, see ct_type.notes */
    /* Preconditions of operations and conditions of branch steps, numbered as
     * ct_operation.condition and ct_step.what say. */
    const ct_expr *const *conditions;
    uint32_t condition_count;
    mt_map names[CT_KIND_COUNT]; /* id -> index + 1 */
} ct_model;

/* Index of a construct by name, CT_NONE if there is none. For front doors, never while
 * evaluating. */
uint32_t ct_model_find(const ct_model *m, ct_kind kind, mt_str id);
/* The one that may have been meant where there is none of this name; or empty. */
mt_str ct_model_nearest(const ct_model *m, ct_kind kind, mt_str id);
/* CT_NONE when there is none, as with the two below. */
uint32_t ct_state_find(const ct_entity *e, mt_str state);
uint32_t ct_outcome_find(const ct_operation *op, mt_str outcome);
uint32_t ct_step_find(const ct_steps *steps, mt_str id);

/* Reads a bundle of which nothing is known. It must have what a model needs; what only
 * interchange demands (LN_FORM in lang/shape.h) may be missing, and values may be
 * written as facts are. MT_OK: *out is set and lives in `keep`. MT_E_REJECTED: `ds`
 * holds at least one error, each naming its JSON path and, via `file`, its place in
 * `text`. MT_E_VERSION: the bundle's tenor_version is not one we read (also a
 * diagnostic). */
mt_err ct_load(mt_arena *keep, mt_str text, mt_str file, const mt_limits *limits,
               mt_diags *ds, const ct_model **out);
/* The same from a tree that ct_validate() found good: its form is not looked at again,
 * only what it means. Offsets in the tree refer to `text`, and both must
 * live as long as the model. */
mt_err ct_load_json(mt_arena *keep, const mt_json *bundle, mt_str text, mt_str file,
                    const mt_limits *limits, mt_diags *ds, const ct_model **out);

#endif
