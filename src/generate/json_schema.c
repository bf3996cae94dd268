/* generate/json_schema.c - the JSON of a contract as JSON Schema 2020-12.
 *
 * One document. It describes a set of facts itself; in $defs are Facts, Verdict (one
 * case per verdict type, told apart by `type`), Evaluation, and for each operation and
 * flow the body that starts it and what it answers. A schema says what a value looks
 * like; how many digits a Decimal may have is checked when facts are read.
 *
 * Keys are written in ascending order, which mt_jw asserts, except
 * where they are names of the contract: these keep its order. No
 * schema of this file forbids members that it does not name. */
#include "base/json_write.h"
#include "contract/wire/type_schema.h"
#include "generate/words.h"

static void result_schema(mt_jw *w, const ct_type *t);

/* "KEY": {"enum": ["a", "b"]}. An empty list allows nothing, which is what is meant. */
static void texts_enum(mt_jw *w, const char *key, const mt_str *texts, size_t count)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "enum");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(w, texts[i]);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

static void required(mt_jw *w, const char *const *names)
{
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    for (; *names; names++) {
        mt_jw_str(w, mt_str_z(*names));
    }
    mt_jw_end_array(w);
}

static void reference(mt_jw *w, const char *key, const char *to)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    ct_schema_word(w, "$ref", to);
    mt_jw_end_object(w);
}

static void of_type(mt_jw *w, const char *key, const char *type)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    ct_schema_word(w, "type", type);
    mt_jw_end_object(w);
}

/* ---- Results ---- */

/* {"fields": {"properties": …, "required": […],
 * "type": "object"}}: results have every field. */
static void record_result(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "fields");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_key(w, t->as.fields[i].name);
        result_schema(w, t->as.fields[i].type);
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_str(w, t->as.fields[i].name);
    }
    mt_jw_end_array(w);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* What stands beside `kind`. Each branch keeps
 * its keys sorted, so `kind` is not always first. */
static void result_members(mt_jw *w, const ct_type *t)
{
    mt_str kind = mt_str_z(gn_kind_of(t));
    if (ct_held(t) == LN_LIST) {
        mt_jw_keyz(w, "elements");
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "items");
        result_schema(w, t->as.list.element);
        ct_schema_word(w, "type", "array");
        mt_jw_end_object(w);
        ct_schema_constant(w, "kind", kind);
    } else if (ct_held(t) == LN_RECORD) {
        record_result(w, t);
        ct_schema_constant(w, "kind", kind);
    } else if (ct_has(t, LN_CURRENCY)) {
        of_type(w, "amount", "string");
        ct_schema_constant(w, "currency", t->as.currency);
        ct_schema_constant(w, "kind", kind);
    } else {
        ct_schema_constant(w, "kind", kind);
        if (ct_has(t, LN_UNIT)) {
            ct_schema_constant(w, "unit", mt_str_z(CT_UNIT_NAMES[t->unit]));
        }
        mt_jw_keyz(w, "value");
        if (ct_has(t, LN_UNIT)) {
            mt_jw_begin_object(w);
            ct_schema_word(w, "type", "integer");
            mt_jw_end_object(w);
        } else {
            ct_type_schema(w, t);
        }
    }
}

/* One case per variant: the payload's schema depends on the tag. */
static void union_result(mt_jw *w, const ct_type *t)
{
    static const char *const ALL[] = {"kind", "payload", "tag", NULL};
    mt_jw_keyz(w, "oneOf");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "properties");
        mt_jw_begin_object(w);
        ct_schema_constant(w, "kind", mt_str_z(gn_kind_of(t)));
        mt_jw_keyz(w, "payload");
        result_schema(w, t->as.variants[i].type);
        ct_schema_constant(w, "tag", t->as.variants[i].name);
        mt_jw_end_object(w);
        required(w, ALL);
        ct_schema_word(w, "type", "object");
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* {"kind": "int_value", "value": 3}: how payloads of verdicts are written. `required`
 * has `kind` and the one member that tells the value. */
static void result_schema(mt_jw *w, const ct_type *t)
{
    const char *all[] = {"kind", "value", NULL};
    mt_jw_begin_object(w);
    if (ct_held(t) == LN_VARIANT) {
        union_result(w, t);
    } else {
        mt_jw_keyz(w, "properties");
        mt_jw_begin_object(w);
        result_members(w, t);
        mt_jw_end_object(w);
        all[1] = ct_held(t) == LN_LIST     ? "elements"
                 : ct_held(t) == LN_RECORD ? "fields"
                 : ct_has(t, LN_CURRENCY)  ? "amount"
                                           : "value";
        required(w, all);
        ct_schema_word(w, "type", "object");
    }
    mt_jw_end_object(w);
}

/* ---- Facts and verdicts ---- */

/* `all`: those without a default must be there. GivenFacts requires none: the server
 * may have sources for the others. */
static void facts_schema(mt_jw *w, const ct_model *m, bool all)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_jw_key(w, m->facts[i].id);
        ct_type_schema(w, m->facts[i].type);
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (all && !m->facts[i].otherwise) {
            mt_jw_str(w, m->facts[i].id);
        }
    }
    mt_jw_end_array(w);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* Rule and stratum are constants: a verdict is produced by one rule only. */
static void provenance_schema(mt_jw *w, const ct_rule *r)
{
    static const char *const ALL[] = {"facts_used", "rule", "stratum", "verdicts_used",
                                      NULL};
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    reference(w, "facts_used", "#/$defs/Names");
    ct_schema_constant(w, "rule", r->id);
    mt_jw_keyz(w, "stratum");
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "const", r->stratum);
    mt_jw_end_object(w);
    reference(w, "verdicts_used", "#/$defs/Names");
    mt_jw_end_object(w);
    required(w, ALL);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* Without rules the list of cases would be empty, which oneOf must not be; an empty
 * enum allows nothing either. */
static void verdict_schema(mt_jw *w, gn_file_of *f)
{
    static const char *const ALL[] = {"payload", "provenance", "type", NULL};
    mt_jw_begin_object(w);
    mt_jw_key(w, mt_str_z(f->m->rule_count ? "oneOf" : "enum"));
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < f->m->rule_count; i++) {
        const ct_rule *r = &f->m->rules[i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "description", gn_about_rule(f, i));
        mt_jw_keyz(w, "properties");
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "payload");
        result_schema(w, r->payload_type);
        mt_jw_keyz(w, "provenance");
        provenance_schema(w, r);
        ct_schema_constant(w, "type", r->verdict);
        mt_jw_end_object(w);
        required(w, ALL);
        ct_schema_word(w, "type", "object");
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

/* What an evaluation answers, as far as it depends on the contract. */
static void evaluation_schema(mt_jw *w)
{
    static const char *const ALL[] = {"verdicts", NULL};
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "verdicts");
    mt_jw_begin_object(w);
    reference(w, "items", "#/$defs/Verdict");
    ct_schema_word(w, "type", "array");
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    required(w, ALL);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* ---- Acts ---- */

/* None is required here: which ones a call needs, the server says. */
static void bindings_schema(mt_jw *w, const gn_texts *entities)
{
    mt_jw_keyz(w, "bindings");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (size_t i = 0; i < entities->len; i++) {
        mt_jw_key(w, entities->items[i]);
        mt_jw_begin_object(w);
        ct_schema_word(w, "type", "string");
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* The body that starts an operation or a flow.
 * `outcomes` NULL: a flow is not told how to end. */
static void body_schema(mt_jw *w, mt_str about, const gn_texts *entities,
                        const gn_texts *personas, const mt_str *outcomes, size_t count)
{
    static const char *const ALL[] = {"persona", NULL};
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description", about);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    bindings_schema(w, entities);
    of_type(w, "dry_run", "boolean");
    reference(w, "facts", "#/$defs/GivenFacts");
    if (outcomes) {
        texts_enum(w, "outcome", outcomes, count);
    }
    texts_enum(w, "persona", personas->items, personas->len);
    mt_jw_end_object(w);
    required(w, ALL);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* What is answered: the outcome among those there are.
 * `always` is false for a flow, which may still wait. Not
 * sorted, because `what` is once "operation" and once "flow". */
static void answer_schema(mt_jw *w, const char *what, mt_str id, const mt_str *outcomes,
                          size_t count, bool always)
{
    const char *all[] = {what, always ? "outcome" : NULL, NULL};
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    mt_jw_keyz(w, "changes");
    mt_jw_begin_object(w);
    reference(w, "items", "#/$defs/Change");
    ct_schema_word(w, "type", "array");
    mt_jw_end_object(w);
    ct_schema_constant(w, what, id);
    texts_enum(w, "outcome", outcomes, count);
    mt_jw_end_object(w);
    required(w, all);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* Operation.ID and OperationAnswer.ID, Flow.ID and FlowAnswer.ID,
 * so that they do not meet the definitions above. For a flow all
 * entities and personas are allowed: its steps decide. */
static void acts(mt_jw *w, gn_file_of *f)
{
    const ct_model *m = f->m;
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        gn_texts entities = gn_operation_entities(f, i);
        gn_texts personas = gn_operation_personas(f, i);
        mt_jw_key(w, mt_strf(f->a, "Operation.%.*s", MT_ARG(o->id)));
        body_schema(w, gn_about_operation(f, i), &entities, &personas, o->outcomes,
                    o->outcome_count);
        mt_jw_key(w, mt_strf(f->a, "OperationAnswer.%.*s", MT_ARG(o->id)));
        answer_schema(w, "operation", o->id, o->outcomes, o->outcome_count, true);
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        gn_texts entities = gn_entities(f), personas = gn_personas(f);
        gn_texts ends = gn_flow_outcomes(f, i);
        mt_jw_key(w, mt_strf(f->a, "Flow.%.*s", MT_ARG(m->flows[i].id)));
        body_schema(w, gn_about_flow(f, i), &entities, &personas, NULL, 0);
        mt_jw_key(w, mt_strf(f->a, "FlowAnswer.%.*s", MT_ARG(m->flows[i].id)));
        answer_schema(w, "flow", m->flows[i].id, ends.items, ends.len, false);
    }
}

/* One case per entity: its states are its own. */
static void change_schema(mt_jw *w, const ct_model *m)
{
    static const char *const ALL[] = {"entity_id", "from", "instance_id", "to", NULL};
    mt_jw_begin_object(w);
    mt_jw_key(w, mt_str_z(m->entity_count ? "oneOf" : "enum"));
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->entity_count; i++) {
        const ct_entity *e = &m->entities[i];
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "properties");
        mt_jw_begin_object(w);
        ct_schema_constant(w, "entity_id", e->id);
        texts_enum(w, "from", e->states, e->state_count);
        of_type(w, "instance_id", "string");
        texts_enum(w, "to", e->states, e->state_count);
        mt_jw_end_object(w);
        required(w, ALL);
        ct_schema_word(w, "type", "object");
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

/* Not sorted: the parts that are the same for all contracts come first, for people. */
static void definitions(mt_jw *w, gn_file_of *f)
{
    mt_jw_begin_unsorted(w);
    mt_jw_keyz(w, "Facts");
    facts_schema(w, f->m, true);
    mt_jw_keyz(w, "GivenFacts");
    facts_schema(w, f->m, false);
    mt_jw_keyz(w, "Names");
    mt_jw_begin_object(w);
    of_type(w, "items", "string");
    ct_schema_word(w, "type", "array");
    mt_jw_end_object(w);
    mt_jw_keyz(w, "Verdict");
    verdict_schema(w, f);
    mt_jw_keyz(w, "Evaluation");
    evaluation_schema(w);
    mt_jw_keyz(w, "Change");
    change_schema(w, f->m);
    acts(w, f);
    mt_jw_end_object(w);
}

/* Cannot fail. The document is its own Facts by
 * $ref, so a validator can be given it as it is. */
size_t gn_json_schema(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files)
{
    gn_file_of f = gn_begin(a, in, NULL, NULL);
    mt_jw w = mt_jw_start(&f.out, true);
    (void)ds;
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "$comment");
    mt_jw_str(&w, mt_strf(a,
                          "Made by motet generate json-schema from contract '%.*s', "
                          "etag %.*s. Do not change it: generate it again.",
                          MT_ARG(in->model->id), MT_ARG(in->etag)));
    mt_jw_keyz(&w, "$defs");
    definitions(&w, &f);
    mt_jw_keyz(&w, "$id");
    mt_jw_str(&w, mt_strf(a, "urn:motet:contract:%.*s", MT_ARG(in->etag)));
    ct_schema_word(&w, "$ref", "#/$defs/Facts");
    ct_schema_word(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    mt_jw_end_object(&w);
    mt_buf_addc(&f.out, '\n');
    files[0] = gn_end(&f, mt_strf(a, "%.*s.schema.json", MT_ARG(in->prefix)));
    return 1;
}
