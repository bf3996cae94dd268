/* contract/wire/load_internal.h - shared by the parts of the bundle loader.
 * Room: contract/wire, private to load*.c.
 * Every reader takes JSON whose form was checked, reports what is wrong with its
 * meaning at the current path and returns NULL or false; loading goes on with the next
 * construct so that one run reports many faults. */
#ifndef CT_WIRE_LOAD_INTERNAL_H
#define CT_WIRE_LOAD_INTERNAL_H

#include "base/vec.h"
#include "contract/wire/model.h"

/* Stable codes of the loader's diagnostics. */
#define CT_L_JSON     "L101" /* the text is not JSON, or too large or deep */
#define CT_L_VERSION  "L102" /* tenor_version */
#define CT_L_SHAPE    "L103" /* a member is missing or has the wrong JSON type */
#define CT_L_TYPE     "L104" /* a BaseType that is not well-formed */
#define CT_L_NAME     "L105" /* a reference to nothing, or a name used twice */
#define CT_L_EXPR     "L106" /* an expression whose operands do not fit */
#define CT_L_VALUE    "L107" /* a default or literal that is not of its type */
#define CT_L_STRATUM  "L108" /* a rule reads its own or a higher stratum */
#define CT_L_CYCLE    "L109" /* entities, steps or flows in a circle */
#define CT_L_EFFECT   "L110" /* an effect that is not a declared transition */
#define CT_L_OUTCOME  "L111" /* outcomes not unique, not disjoint, not routed */
#define CT_L_PERSONA  "L112" /* no persona, or one that is not declared */
#define CT_L_HANDLER  "L113" /* a failure handler is missing */
#define CT_L_BRANCH   "L114" /* parallel branches that touch one entity */
#define CT_L_STRANGER "L115" /* text that an Enum does not declare: a warning */

typedef struct ct_scope_variable {
    mt_str name; /* a quantifier's, innermost last */
    const ct_type *type;
} ct_scope_variable;

typedef struct ct_loader {
    mt_arena *keep;
    mt_str text, file;
    const mt_limits *limits;
    mt_diags *ds;
    mt_diags passed; /* what was passed over: told if there is no error */
    bool is_newer;   /* of a later minor version: then it may mean something */
    ct_model *m;
    mt_buf path; /* of the JSON value being read */
    mt_str construct_kind, construct_id;
    /* expressions */
    MT_VEC(ct_scope_variable) scope;
    uint32_t stratum_limit; /* verdicts must come from strata below it */
    bool in_payload;        /* variable * variable is allowed */
    bool exact;             /* numbers are literals: never rounded, unlike defaults */
    MT_VEC(const ct_expr *) conditions;
    MT_VEC(ct_persona) personas;
} ct_loader;

/* Adds an error at the current path and the place of `at` (may be NULL). */
void ct_load_error(ct_loader *l, const char *code, const mt_json *at,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for what is admitted but hardly meant. */
void ct_load_warning(ct_loader *l, const char *code, const mt_json *at,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* For what is passed over (B011): a warning, of a later version a note. */
void ct_load_passed(ct_loader *l, const mt_json *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Extends the path; give the returned mark to ct_path_pop(). */
size_t ct_path_key(ct_loader *l, mt_str key);
size_t ct_path_index(ct_loader *l, size_t index);
/* Back to the mark that ct_path_key() or ct_path_index() gave. */
void ct_path_pop(ct_loader *l, size_t mark);

/* Members of an object whose form was checked by its shape: text (empty where an
 * optional key is missing), a number, a list (empty likewise), all texts of a list. */
int64_t ct_i64_at_key(const mt_json *object, mt_str key);
const mt_json *ct_list_at_key(const mt_json *object, mt_str key);
const mt_str *ct_texts(ct_loader *l, const mt_json *list);
#define ct_text_at(object, literal) mt_json_text(mt_json_at((object), literal))
#define ct_i64_at(object, literal)  ct_i64_at_key((object), MT_STR(literal))
#define ct_list_at(object, literal) ct_list_at_key((object), MT_STR(literal))

/* load_type.c */
const ct_type *ct_load_type(ct_loader *l, const mt_json *json);

/* load_value.c: reads a default, a literal or a plain fact value of `type` into `out`
 * (type->slots slots). */
bool ct_load_value(ct_loader *l, const ct_type *type, const mt_json *json,
                   ct_value *out);
/* A duration written in another unit, as one of `type`: false when it is not a whole
 * number of the type's unit or lies outside of its range. */
bool ct_duration_fits(const ct_type *type, int64_t value, ct_duration_unit unit,
                      int64_t *out);
/* A copy of one value in the model. */
const ct_value *ct_keep_value(ct_loader *l, const ct_value *value);

/* promote.c: the type of a sum, difference or product (spec §4.2, §13.2); NULL when the
 * operator is not defined for the operands. */
const ct_type *ct_type_of_sum(mt_arena *a, const ct_type *left, const ct_type *right,
                              bool minus);
const ct_type *ct_type_of_product(mt_arena *a, const ct_expr *left,
                                  const ct_expr *right);

/* load_expr.c */
const ct_expr *ct_load_predicate(ct_loader *l, const mt_json *json);
/* The payload of a rule, converted to `type` where that is allowed. */
const ct_expr *ct_load_payload(ct_loader *l, const ct_type *type, const mt_json *json);
/* A literal beside a value of `type` takes that type: text becomes a Date or an Enum
 * value, an integer a Decimal where asked. The expression itself when nothing is to
 * do; NULL after an error. */
const ct_expr *ct_fit_literal(ct_loader *l, const ct_expr *e, const ct_type *type,
                              const mt_json *at);

const ct_expr *ct_load_term(ct_loader *l, const mt_json *json);
ct_expr *ct_new_expr(ct_loader *l, ct_op op, const ct_type *type);
const ct_expr *ct_new_literal(ct_loader *l, const ct_type *type, const ct_value *value);
/* May a term of type `from` be the payload, or a part of it, of type `to`? Numbers and
 * texts are checked when the value is known; the rest must fit as a type. */
bool ct_payload_fits(const ct_type *to, const ct_type *from);
bool ct_fits_rounded(const ct_type *type, mt_decimal d);
/* A written duration takes the unit of the payload. */
const ct_expr *ct_fit_duration(ct_loader *l, const ct_expr *e, const ct_type *type);

/* load_made.c: the key that tells which expression this is; a second one was refused,
 * but for the literal of a product. Is it a structured value made of terms? */
mt_str ct_told_by(const mt_json *json);
bool ct_is_made(const mt_json *json);
/* Such a value, of the type that its place or else the node itself says. A CT_LITERAL
 * where all parts are literals. NULL after an error. */
const ct_expr *ct_load_made(ct_loader *l, const mt_json *json, const ct_type *type);

/* load_operation.c, load_flow.c, load_check.c: the index of a persona; CT_NONE after an
 * error. */
uint32_t ct_load_persona(ct_loader *l, mt_str id, const mt_json *at);
/* Its number is what operations and steps refer to. */
uint32_t ct_add_condition(ct_loader *l, const ct_expr *condition);
bool ct_load_entity(ct_loader *l, const mt_json *json, ct_entity *out);
bool ct_load_operation(ct_loader *l, const mt_json *json, ct_operation *out);
bool ct_load_flow(ct_loader *l, const mt_json *json, ct_flow *out);
/* The checks that need the whole model: parents, strata, cycles, parallel branches. */
void ct_check_model(ct_loader *l);

#endif
