/* contract/wire/shapes.c - the shapes of interchange: bundle, constructs, types,
 * expressions, steps. The same rules as schema/interchange-schema.json. */
#include "contract/wire/shapes.h"

/* clang-format off */

#define END {NULL, NULL, false}
#define FIELDS(name) static const ct_shape_field name[]

static const ct_shape STRING = {.kind = CT_SHAPE_STRING};
static const ct_shape INT = {.kind = CT_SHAPE_INT};
static const ct_shape NATURAL = {.kind = CT_SHAPE_INT, .has_least = true, .least = 0};
static const ct_shape ANY = {.kind = CT_SHAPE_ANY};
static const ct_shape STRINGS = {.kind = CT_SHAPE_LIST, .element = &STRING};
static const ct_shape STRING_MAP = {.kind = CT_SHAPE_MAP, .element = &STRING};
static const ct_shape TYPE, EXPRESSION, DEFAULT, STEPS;

/* ---- Types ------------------------------------------------------------------- */

static const ct_shape TYPE_MAP = {.kind = CT_SHAPE_MAP, .element = &TYPE};
FIELDS(NO_FIELDS) = {END};
FIELDS(INT_FIELDS) = {{"min", &INT, false}, {"max", &INT, false}, END};
FIELDS(DECIMAL_FIELDS) = {{"precision", &NATURAL, false}, {"scale", &NATURAL, false}, END};
FIELDS(TEXT_FIELDS) = {{"max_length", &NATURAL, false}, END};
FIELDS(MONEY_FIELDS) = {{"currency", &STRING, false}, END};
FIELDS(DURATION_FIELDS) = {
    {"unit", &STRING, false}, {"min", &INT, false}, {"max", &INT, false}, END};
FIELDS(ENUM_FIELDS) = {{"values", &STRINGS, false}, END};
FIELDS(RECORD_FIELDS) = {{"fields", &TYPE_MAP, false}, END};
FIELDS(LIST_FIELDS) = {{"element_type", &TYPE, false}, {"max", &NATURAL, false}, END};
FIELDS(UNION_FIELDS) = {{"variants", &TYPE_MAP, false}, END};

static const ct_shape_case TYPE_CASES[] = {
    {"Bool", NO_FIELDS},         {"Int", INT_FIELDS},
    {"Decimal", DECIMAL_FIELDS}, {"Text", TEXT_FIELDS},
    {"Date", NO_FIELDS},         {"DateTime", NO_FIELDS},
    {"Money", MONEY_FIELDS},     {"Duration", DURATION_FIELDS},
    {"Enum", ENUM_FIELDS},       {"Record", RECORD_FIELDS},
    {"List", LIST_FIELDS},       {"TaggedUnion", UNION_FIELDS},
    {NULL, NULL},
};
static const ct_shape TYPE = {
    .kind = CT_SHAPE_TAGGED, .name = "a type", .key = "base", .cases = TYPE_CASES};

/* ---- Values ------------------------------------------------------------------ */

static const ct_shape BOOL = {.kind = CT_SHAPE_BOOL};
static const ct_shape DEFAULT_MAP = {.kind = CT_SHAPE_MAP, .element = &DEFAULT};
static const ct_shape DEFAULTS = {.kind = CT_SHAPE_LIST, .element = &DEFAULT};
FIELDS(DECIMAL_VALUE) = {{"precision", &NATURAL, false}, {"scale", &NATURAL, false},
                         {"value", &STRING, false}, END};
static const ct_shape AMOUNT = {.kind = CT_SHAPE_OBJECT, .name = "a decimal_value",
                                .fields = DECIMAL_VALUE};
FIELDS(MONEY_VALUE) = {{"amount", &AMOUNT, false}, {"currency", &STRING, false}, END};
FIELDS(BOOL_VALUE) = {{"value", &BOOL, false}, END};
FIELDS(INT_VALUE) = {{"value", &INT, false}, END};
FIELDS(DURATION_VALUE) = {{"unit", &STRING, false}, {"value", &INT, false}, END};
FIELDS(RECORD_VALUE) = {{"fields", &DEFAULT_MAP, false}, END};
FIELDS(LIST_VALUE) = {{"elements", &DEFAULTS, false}, END};
FIELDS(UNION_VALUE) = {{"payload", &DEFAULT, false}, {"tag", &STRING, false}, END};

static const ct_shape_case VALUE_CASES[] = {
    {"bool_literal", BOOL_VALUE},       {"int_literal", INT_VALUE},
    {"decimal_value", DECIMAL_VALUE},   {"money_value", MONEY_VALUE},
    {"duration_value", DURATION_VALUE}, {"record_value", RECORD_VALUE},
    {"list_value", LIST_VALUE},         {"tagged_union_value", UNION_VALUE},
    {NULL, NULL},
};
static const ct_shape VALUE = {
    .kind = CT_SHAPE_TAGGED, .name = "a value", .key = "kind", .cases = VALUE_CASES};

static const ct_shape *choose_default(const mt_json *value)
{
    return mt_json_is(value, MT_JSON_STRING)   ? &STRING
           : mt_json_is(value, MT_JSON_OBJECT) ? &VALUE
                                               : NULL;
}
static const ct_shape DEFAULT = {
    .kind = CT_SHAPE_CHOICE, .name = "a string or a value object", .choose = choose_default};

/* ---- Expressions ------------------------------------------------------------- */

FIELDS(VERDICT_PRESENT_FIELDS) = {{"verdict_present", &STRING, false}, END};
FIELDS(FACT_REF_FIELDS) = {{"fact_ref", &STRING, false}, END};
FIELDS(VERDICT_REF_FIELDS) = {{"verdict_ref", &STRING, false}, END};
FIELDS(VAR_FIELDS) = {{"field", &STRING, false}, {"var", &STRING, false}, END};
static const ct_shape VAR = {.kind = CT_SHAPE_OBJECT, .fields = VAR_FIELDS};
FIELDS(FIELD_REF_FIELDS) = {{"field_ref", &VAR, false}, END};
FIELDS(OF_FIELDS) = {{"field", &STRING, false}, {"of", &EXPRESSION, false}, END};
static const ct_shape OF = {.kind = CT_SHAPE_OBJECT, .fields = OF_FIELDS};
FIELDS(FIELD_OF_FIELDS) = {{"field_of", &OF, false}, END};
static const char *const QUANTIFIER_WORDS[] = {"forall", "exists", NULL};
static const ct_shape QUANTIFIER_WORD = {.kind = CT_SHAPE_STRING, .words = QUANTIFIER_WORDS};
FIELDS(QUANTIFIER_FIELDS) = {
    {"quantifier", &QUANTIFIER_WORD, false}, {"variable", &STRING, false},
    {"domain", &EXPRESSION, false},          {"body", &EXPRESSION, false},
    {"variable_type", &TYPE, true},          END};
FIELDS(LITERAL_FIELDS) = {{"literal", &ANY, false}, {"type", &TYPE, true}, END};

FIELDS(BOTH_FIELDS) = {{"left", &EXPRESSION, false}, {"right", &EXPRESSION, false}, END};
FIELDS(COMPARE_FIELDS) = {{"left", &EXPRESSION, false}, {"right", &EXPRESSION, false},
                          {"comparison_type", &TYPE, true}, END};
FIELDS(SUM_FIELDS) = {{"left", &EXPRESSION, false}, {"right", &EXPRESSION, false},
                      {"result_type", &TYPE, true}, END};
FIELDS(OPERAND_FIELDS) = {{"operand", &EXPRESSION, false}, END};
FIELDS(INDEX_FIELDS) = {{"operand", &EXPRESSION, false}, {"index", &EXPRESSION, false}, END};
FIELDS(PRODUCT_FIELDS) = {{"left", &EXPRESSION, false}, {"result_type", &TYPE, true}, END};

static const ct_shape_case OP_CASES[] = {
    {"and", BOTH_FIELDS},   {"or", BOTH_FIELDS},   {"not", OPERAND_FIELDS},
    {"=", COMPARE_FIELDS},  {"!=", COMPARE_FIELDS}, {"<", COMPARE_FIELDS},
    {"<=", COMPARE_FIELDS}, {">", COMPARE_FIELDS}, {">=", COMPARE_FIELDS},
    {"+", SUM_FIELDS},      {"-", SUM_FIELDS},     {"*", PRODUCT_FIELDS},
    {"len", OPERAND_FIELDS}, {"index", INDEX_FIELDS},
    {NULL, NULL},
};
static const ct_shape OPERATION_NODE = {
    .kind = CT_SHAPE_TAGGED, .name = "an expression", .key = "op", .cases = OP_CASES};
FIELDS(PRODUCT_BOTH_FIELDS) = {{"left", &EXPRESSION, false}, {"right", &EXPRESSION, false},
                               {"result_type", &TYPE, true}, END};
static const ct_shape PRODUCT_BOTH = {.kind = CT_SHAPE_OBJECT, .fields = PRODUCT_BOTH_FIELDS};

/* Looked for in this order; the first key found decides what the node is. */
static const struct node {
    const char *key;
    ct_shape shape;
} NODES[] = {
    {"verdict_present", {.kind = CT_SHAPE_OBJECT, .fields = VERDICT_PRESENT_FIELDS}},
    {"fact_ref", {.kind = CT_SHAPE_OBJECT, .fields = FACT_REF_FIELDS}},
    {"verdict_ref", {.kind = CT_SHAPE_OBJECT, .fields = VERDICT_REF_FIELDS}},
    {"field_ref", {.kind = CT_SHAPE_OBJECT, .fields = FIELD_REF_FIELDS}},
    {"field_of", {.kind = CT_SHAPE_OBJECT, .fields = FIELD_OF_FIELDS}},
    {"quantifier", {.kind = CT_SHAPE_OBJECT, .fields = QUANTIFIER_FIELDS}},
    {"op", {.kind = CT_SHAPE_CHOICE}},
    {"literal", {.kind = CT_SHAPE_OBJECT, .fields = LITERAL_FIELDS}},
};

static const ct_shape *choose_operation(const mt_json *value)
{
    bool product = mt_str_is(mt_json_text(mt_json_at(value, "op")), "*");
    return product && !mt_json_at(value, "literal") ? &PRODUCT_BOTH : &OPERATION_NODE;
}

static const ct_shape *choose_expression(const mt_json *value)
{
    for (size_t i = 0; i < sizeof NODES / sizeof *NODES; i++) {
        if (mt_json_get(value, mt_str_z(NODES[i].key))) {
            return NODES[i].shape.kind == CT_SHAPE_CHOICE ? choose_operation(value)
                                                          : &NODES[i].shape;
        }
    }
    return NULL;
}
static const ct_shape EXPRESSION = {
    .kind = CT_SHAPE_CHOICE, .name = "an expression", .choose = choose_expression};

/* A payload is a plain value, a value object or a term. */
static const ct_shape *choose_payload(const mt_json *value)
{
    if (!mt_json_is(value, MT_JSON_OBJECT)) {
        return mt_json_is(value, MT_JSON_ARRAY) ? NULL : &ANY;
    }
    return mt_json_at(value, "kind") ? &VALUE : &EXPRESSION;
}
static const ct_shape PAYLOAD_VALUE = {
    .kind = CT_SHAPE_CHOICE, .name = "a payload", .choose = choose_payload};

/* ---- Flow steps -------------------------------------------------------------- */

static const char *const TERMINAL_WORDS[] = {"Terminal", NULL};
static const ct_shape TERMINAL_WORD = {.kind = CT_SHAPE_STRING, .words = TERMINAL_WORDS};
FIELDS(TERMINAL_FIELDS) = {{"kind", &TERMINAL_WORD, false}, {"outcome", &STRING, false}, END};
static const ct_shape TERMINAL = {.kind = CT_SHAPE_OBJECT, .fields = TERMINAL_FIELDS};

static const ct_shape *choose_target(const mt_json *value)
{
    return mt_json_is(value, MT_JSON_STRING)   ? &STRING
           : mt_json_is(value, MT_JSON_OBJECT) ? &TERMINAL
                                               : NULL;
}
static const ct_shape TARGET = {
    .kind = CT_SHAPE_CHOICE, .name = "a step id or a Terminal", .choose = choose_target};
static const ct_shape TARGETS = {.kind = CT_SHAPE_MAP, .element = &TARGET};

FIELDS(COMPENSATION_FIELDS) = {{"op", &STRING, false}, {"persona", &STRING, false},
                               {"on_failure", &TERMINAL, false}, END};
static const ct_shape COMPENSATION = {.kind = CT_SHAPE_OBJECT, .fields = COMPENSATION_FIELDS};
static const ct_shape COMPENSATIONS = {.kind = CT_SHAPE_LIST, .element = &COMPENSATION};
FIELDS(TERMINATE_FIELDS) = {{"outcome", &STRING, false}, END};
FIELDS(COMPENSATE_FIELDS) = {{"steps", &COMPENSATIONS, false}, {"then", &TERMINAL, false}, END};
FIELDS(ESCALATE_FIELDS) = {{"next", &STRING, false}, {"to_persona", &STRING, false}, END};
static const ct_shape_case HANDLER_CASES[] = {
    {"Terminate", TERMINATE_FIELDS}, {"Compensate", COMPENSATE_FIELDS},
    {"Escalate", ESCALATE_FIELDS},   {NULL, NULL},
};
static const ct_shape HANDLER = {.kind = CT_SHAPE_TAGGED, .name = "a failure handler",
                                 .key = "kind", .cases = HANDLER_CASES};

FIELDS(OPERATION_STEP) = {{"op", &STRING, false}, {"persona", &STRING, false},
                          {"outcomes", &TARGETS, false}, {"on_failure", &HANDLER, true}, END};
FIELDS(BRANCH_STEP) = {{"condition", &EXPRESSION, false}, {"persona", &STRING, false},
                       {"if_true", &TARGET, false}, {"if_false", &TARGET, false}, END};
FIELDS(HANDOFF_STEP) = {{"from_persona", &STRING, false}, {"to_persona", &STRING, false},
                        {"next", &STRING, false}, END};
FIELDS(SUBFLOW_STEP) = {{"flow", &STRING, false}, {"persona", &STRING, false},
                        {"on_success", &TARGET, false}, {"on_failure", &HANDLER, false}, END};
FIELDS(BRANCH_FIELDS) = {
    {"id", &STRING, false}, {"entry", &STRING, false}, {"steps", &STEPS, false}, END};
static const ct_shape BRANCH = {.kind = CT_SHAPE_OBJECT, .fields = BRANCH_FIELDS};
static const ct_shape BRANCHES = {.kind = CT_SHAPE_LIST, .element = &BRANCH};
FIELDS(JOIN_FIELDS) = {{"on_all_success", &TARGET, true}, {"on_any_failure", &HANDLER, true},
                       {"on_all_complete", &TARGET, true}, END};
static const ct_shape JOIN = {.kind = CT_SHAPE_OBJECT, .fields = JOIN_FIELDS};
FIELDS(PARALLEL_STEP) = {{"branches", &BRANCHES, false}, {"join", &JOIN, false}, END};
static const ct_shape_case STEP_CASES[] = {
    {"OperationStep", OPERATION_STEP}, {"BranchStep", BRANCH_STEP},
    {"HandoffStep", HANDOFF_STEP},     {"SubFlowStep", SUBFLOW_STEP},
    {"ParallelStep", PARALLEL_STEP},   {NULL, NULL},
};
FIELDS(ID_FIELDS) = {{"id", &STRING, false}, END};
static const ct_shape STEP = {.kind = CT_SHAPE_TAGGED, .name = "a step", .fields = ID_FIELDS,
                              .key = "kind", .cases = STEP_CASES};
static const ct_shape STEPS = {.kind = CT_SHAPE_LIST, .element = &STEP};

/* ---- Constructs -------------------------------------------------------------- */

FIELDS(FREETEXT_FIELDS) = {{"field", &STRING, false}, {"system", &STRING, false}, END};
FIELDS(STRUCTURED_FIELDS) = {{"path", &STRING, false}, {"source_id", &STRING, false}, END};
static const ct_shape FREETEXT = {.kind = CT_SHAPE_OBJECT, .fields = FREETEXT_FIELDS};
static const ct_shape STRUCTURED = {.kind = CT_SHAPE_OBJECT, .fields = STRUCTURED_FIELDS};
static const ct_shape *choose_source(const mt_json *value)
{
    if (mt_json_is(value, MT_JSON_STRING)) {
        return &STRING;
    }
    if (!mt_json_is(value, MT_JSON_OBJECT)) {
        return NULL;
    }
    return mt_json_at(value, "source_id") ? &STRUCTURED : &FREETEXT;
}
static const ct_shape FACT_SOURCE = {
    .kind = CT_SHAPE_CHOICE, .name = "a string or a source object", .choose = choose_source};

FIELDS(TRANSITION_FIELDS) = {{"from", &STRING, false}, {"to", &STRING, false}, END};
static const ct_shape TRANSITION = {.kind = CT_SHAPE_OBJECT, .fields = TRANSITION_FIELDS};
static const ct_shape TRANSITIONS = {.kind = CT_SHAPE_LIST, .element = &TRANSITION};
FIELDS(EFFECT_FIELDS) = {{"entity_id", &STRING, false}, {"from", &STRING, false},
                         {"to", &STRING, false}, {"outcome", &STRING, true}, END};
static const ct_shape EFFECT = {.kind = CT_SHAPE_OBJECT, .fields = EFFECT_FIELDS};
static const ct_shape EFFECTS = {.kind = CT_SHAPE_LIST, .element = &EFFECT};
FIELDS(PAYLOAD_FIELDS) = {{"type", &TYPE, false}, {"value", &PAYLOAD_VALUE, false}, END};
static const ct_shape PAYLOAD = {.kind = CT_SHAPE_OBJECT, .fields = PAYLOAD_FIELDS};
FIELDS(PRODUCE_FIELDS) = {{"payload", &PAYLOAD, false}, {"verdict_type", &STRING, false}, END};
static const ct_shape PRODUCE = {.kind = CT_SHAPE_OBJECT, .fields = PRODUCE_FIELDS};
FIELDS(BODY_FIELDS) = {{"produce", &PRODUCE, false}, {"when", &EXPRESSION, false}, END};
static const ct_shape BODY = {.kind = CT_SHAPE_OBJECT, .fields = BODY_FIELDS};

FIELDS(MEMBER_FIELDS) = {{"id", &STRING, false}, {"path", &STRING, false}, END};
static const ct_shape MEMBER = {.kind = CT_SHAPE_OBJECT, .fields = MEMBER_FIELDS};
static const ct_shape MEMBERS = {.kind = CT_SHAPE_LIST, .element = &MEMBER};
FIELDS(SHARED_PERSONA_FIELDS) = {{"contracts", &STRINGS, false}, {"persona", &STRING, false}, END};
FIELDS(SHARED_ENTITY_FIELDS) = {{"contracts", &STRINGS, false}, {"entity", &STRING, false}, END};
static const ct_shape SHARED_PERSONA = {.kind = CT_SHAPE_OBJECT, .fields = SHARED_PERSONA_FIELDS};
static const ct_shape SHARED_ENTITY = {.kind = CT_SHAPE_OBJECT, .fields = SHARED_ENTITY_FIELDS};
static const ct_shape SHARED_PERSONAS = {.kind = CT_SHAPE_LIST, .element = &SHARED_PERSONA};
static const ct_shape SHARED_ENTITIES = {.kind = CT_SHAPE_LIST, .element = &SHARED_ENTITY};
FIELDS(TRIGGER_FIELDS) = {
    {"on", &STRING, false},              {"persona", &STRING, false},
    {"source_contract", &STRING, false}, {"source_flow", &STRING, false},
    {"target_contract", &STRING, false}, {"target_flow", &STRING, false}, END};
static const ct_shape TRIGGER = {.kind = CT_SHAPE_OBJECT, .fields = TRIGGER_FIELDS};
static const ct_shape TRIGGERS = {.kind = CT_SHAPE_LIST, .element = &TRIGGER};

FIELDS(SOURCE_FIELDS) = {{"protocol", &STRING, false}, {"fields", &STRING_MAP, false},
                         {"description", &STRING, true}, END};
FIELDS(FACT_FIELDS) = {{"type", &TYPE, false}, {"source", &FACT_SOURCE, false},
                       {"default", &DEFAULT, true}, END};
FIELDS(ENTITY_FIELDS) = {{"states", &STRINGS, false}, {"initial", &STRING, false},
                         {"transitions", &TRANSITIONS, false}, {"parent", &STRING, true}, END};
FIELDS(RULE_FIELDS) = {{"stratum", &NATURAL, false}, {"body", &BODY, false}, END};
FIELDS(OPERATION_FIELDS) = {
    {"allowed_personas", &STRINGS, false}, {"effects", &EFFECTS, false},
    {"error_contract", &STRINGS, false},   {"precondition", &EXPRESSION, false},
    {"outcomes", &STRINGS, true},          END};
FIELDS(FLOW_FIELDS) = {
    {"entry", &STRING, false}, {"snapshot", &STRING, false}, {"steps", &STEPS, false}, END};
FIELDS(SYSTEM_FIELDS) = {
    {"members", &MEMBERS, false},                 {"shared_entities", &SHARED_ENTITIES, false},
    {"shared_personas", &SHARED_PERSONAS, false}, {"triggers", &TRIGGERS, false}, END};
static const ct_shape_case CONSTRUCT_CASES[] = {
    {"Persona", NO_FIELDS},  {"Source", SOURCE_FIELDS},       {"Fact", FACT_FIELDS},
    {"Entity", ENTITY_FIELDS}, {"Rule", RULE_FIELDS},         {"Operation", OPERATION_FIELDS},
    {"Flow", FLOW_FIELDS},   {"System", SYSTEM_FIELDS},       {NULL, NULL},
};
FIELDS(PROVENANCE_FIELDS) = {{"file", &STRING, false}, {"line", &NATURAL, false}, END};
static const ct_shape PROVENANCE = {.kind = CT_SHAPE_OBJECT, .fields = PROVENANCE_FIELDS};
FIELDS(CONSTRUCT_FIELDS) = {{"id", &STRING, false}, {"provenance", &PROVENANCE, false},
                            {"tenor", &STRING, false}, END};
static const ct_shape CONSTRUCT = {.kind = CT_SHAPE_TAGGED, .name = "a construct",
                                   .fields = CONSTRUCT_FIELDS, .key = "kind",
                                   .cases = CONSTRUCT_CASES};
static const ct_shape CONSTRUCTS = {.kind = CT_SHAPE_LIST, .element = &CONSTRUCT};

static const char *const BUNDLE_WORDS[] = {"Bundle", NULL};
static const ct_shape BUNDLE_WORD = {.kind = CT_SHAPE_STRING, .words = BUNDLE_WORDS};
FIELDS(BUNDLE_FIELDS) = {{"constructs", &CONSTRUCTS, false}, {"id", &STRING, false},
                         {"kind", &BUNDLE_WORD, false}, {"tenor", &STRING, false}, END};
const ct_shape CT_SHAPE_BUNDLE = {
    .kind = CT_SHAPE_OBJECT, .name = "a bundle", .fields = BUNDLE_FIELDS};

static const ct_shape OBJECT = {.kind = CT_SHAPE_OBJECT, .fields = NO_FIELDS};

/* An attestation says how to read it (spec §19.1); a trust domain may stand alone. */
FIELDS(DOMAIN_FIELDS) = {{"attestation_format", &STRING, true}, {"trust_domain", &STRING, true}, END};
FIELDS(ATTESTED_FIELDS) = {{"attestation_format", &STRING, false},
                           {"bundle_attestation", &STRING, false},
                           {"signer_public_key", &STRING, true}, {"trust_domain", &STRING, true}, END};
static const ct_shape DOMAIN = {.kind = CT_SHAPE_OBJECT, .fields = DOMAIN_FIELDS};
static const ct_shape ATTESTED = {.kind = CT_SHAPE_OBJECT, .fields = ATTESTED_FIELDS};
static const ct_shape *choose_trust(const mt_json *value)
{
    return mt_json_at(value, "bundle_attestation")      ? &ATTESTED
           : mt_json_is(value, MT_JSON_OBJECT) ? &DOMAIN
                                               : NULL;
}
static const ct_shape TRUST = {
    .kind = CT_SHAPE_CHOICE, .name = "a trust section", .choose = choose_trust};

FIELDS(MANIFEST_FIELDS) = {{"bundle", &CT_SHAPE_BUNDLE, false}, {"capabilities", &OBJECT, true},
                           {"etag", &STRING, false}, {"tenor", &STRING, false},
                           {"trust", &TRUST, true}, END};
const ct_shape CT_SHAPE_MANIFEST = {
    .kind = CT_SHAPE_OBJECT, .name = "a manifest", .fields = MANIFEST_FIELDS};
/* clang-format on */
