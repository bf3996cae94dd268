/* generate/c_tables.c - model, program and plan of a contract as constants of C.
 *
 * They are the engine's own structures, so the engine's own text reads them. Types come
 * first, parts before wholes; then the constants and defaults, whose lists and payloads
 * are arrays of their own; then the program: instructions (for what a fault says of
 * them), places where something is read, prepared JSON; then model and plan. What only
 * the loader or the compiler needs is left out and zero.
 *
 * Names in the text: TN type N, FN its fields, VN its values, LN an array of slots, K
 * the constants. Rows without designators follow the order of the struct's members: who
 * changes ct_insn, ct_piece, ct_effect, ct_plan_* changes the row here. Every table
 * ends with an empty row, because C has no empty arrays; counts do not include it.
 *
 * Nothing fails. The order is that of the contract, so the text is stable. */
#include <inttypes.h>

#include "generate/c.h"

mt_str gn_c_key(gn_c *c, const void *of)
{
    const void **kept = mt_new(c->a, const void *);
    *kept = of;
    return mt_str_from((const char *)kept, sizeof *kept);
}

void gn_c_text(mt_buf *out, mt_str text)
{
    mt_buf_addc(out, '{');
    gn_literal(out, text);
    mt_buf_addf(out, ", %zu}", text.len);
}

/* INT64_MIN has no literal in C: its digits alone are beyond int64_t. */
static void whole(mt_buf *out, int64_t n)
{
    if (n == INT64_MIN) {
        mt_buf_addz(out, "INT64_MIN");
    } else {
        mt_buf_addf(out, "INT64_C(%" PRId64 ")", n);
    }
}

/* ---- Types ---- */

/* The type must have been added. The map has the number plus one. */
static uint32_t number_of(gn_c *c, const ct_type *t)
{
    return (uint32_t)mt_map_get(&c->types, gn_c_key(c, t), 0) - 1;
}

static void add_type(gn_c *c, const ct_type *t);

/* Fields of a record or variants of a union,
 * which have the same struct; NULL for all else. */
static const ct_field *parts_of(const ct_type *t)
{
    return ct_held(t) == LN_RECORD    ? t->as.fields
           : ct_held(t) == LN_VARIANT ? t->as.variants
                                      : NULL;
}

/* Fields and variants in their order, each with the offset of its slots. */
static void add_parts(gn_c *c, const ct_type *t, uint32_t number)
{
    const ct_field *parts = parts_of(t);
    mt_buf_addf(&c->source, "static const ct_field F%u[] = {", number);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_buf_addz(&c->source, i ? ",\n    {" : "\n    {");
        gn_c_text(&c->source, parts[i].name);
        mt_buf_addf(&c->source, ", &T%u, %u}", number_of(c, parts[i].type),
                    parts[i].offset);
    }
    mt_buf_addz(&c->source, t->count ? "};\n" : "{{0}, 0, 0}};\n");
}

static void add_choices(gn_c *c, const ct_type *t, uint32_t number)
{
    mt_buf_addf(&c->source, "static const mt_str V%u[] = {", number);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_buf_addz(&c->source, i ? ", " : "");
        gn_c_text(&c->source, t->as.values[i]);
    }
    mt_buf_addz(&c->source, t->count ? "};\n" : "{0}};\n");
}

/* The member of the union that says more of the type. The last branch is for those that
 * have none: something must stand behind the comma. */
static void type_details(gn_c *c, const ct_type *t, uint32_t number)
{
    mt_buf *out = &c->source;
    if (ct_has(t, LN_RANGED)) {
        mt_buf_addz(out, ".as.range = {");
        whole(out, t->as.range.min);
        mt_buf_addz(out, ", ");
        whole(out, t->as.range.max);
        mt_buf_addz(out, "}");
    } else if (ct_is_decimal(t)) {
        mt_buf_addf(out, ".as.decimal = {%u, %u}", t->as.decimal.precision,
                    t->as.decimal.scale);
    } else if (ct_has(t, LN_CURRENCY)) {
        mt_buf_addz(out, ".as.currency = ");
        gn_c_text(out, t->as.currency);
    } else if (ct_held(t) == LN_TEXT) {
        mt_buf_addf(out, ".as.max_length = %zuu", t->as.max_length);
    } else if (ct_held(t) == LN_CHOICE) {
        mt_buf_addf(out, ".as.values = V%u", number);
    } else if (ct_held(t) == LN_RECORD) {
        mt_buf_addf(out, ".as.fields = F%u", number);
    } else if (ct_held(t) == LN_VARIANT) {
        mt_buf_addf(out, ".as.variants = F%u", number);
    } else if (ct_held(t) == LN_LIST) {
        mt_buf_addf(out, ".as.list = {&T%u, %zuu}", number_of(c, t->as.list.element),
                    t->as.list.max);
    } else {
        mt_buf_addz(out, ".as.max_length = 0");
    }
}

/* Parts first, since C wants to know what it takes the address of. */
static void add_type(gn_c *c, const ct_type *t)
{
    const ct_field *parts = parts_of(t);
    if (mt_map_get(&c->types, gn_c_key(c, t), 0)) {
        return;
    }
    for (uint32_t i = 0; parts && i < t->count; i++) {
        add_type(c, parts[i].type);
    }
    if (ct_held(t) == LN_LIST) {
        add_type(c, t->as.list.element);
    }
    uint32_t number = c->type_count++;
    mt_map_put(c->a, &c->types, gn_c_key(c, t), number + 1);
    if (parts) {
        add_parts(c, t, number);
    } else if (ct_held(t) == LN_CHOICE) {
        add_choices(c, t, number);
    }
    mt_buf_addf(&c->source,
                "static const ct_type T%u = {.base = %u, .unit = %u, .slots = %u, "
                ".count = %u, .notes = %u, ",
                number, t->base, t->unit, t->slots, t->count, t->notes);
    type_details(c, t, number);
    mt_buf_addz(&c->source, "};\n");
}

/* Facts and payloads, then what the program compares and makes. TYPES is indexed by
 * `extra` of an instruction. */
static void add_types(gn_c *c)
{
    for (uint32_t i = 0; i < c->m->fact_count; i++) {
        add_type(c, c->m->facts[i].type);
    }
    for (uint32_t i = 0; i < c->m->rule_count; i++) {
        add_type(c, c->m->rules[i].payload_type);
    }
    for (uint32_t i = 0; i < c->p->type_count; i++) {
        add_type(c, c->p->types[i]);
    }
    mt_buf_addz(&c->source, "static const ct_type *const TYPES[] = {");
    for (uint32_t i = 0; i < c->p->type_count; i++) {
        mt_buf_addf(&c->source, "&T%u, ", number_of(c, c->p->types[i]));
    }
    mt_buf_addz(&c->source, "0};\n");
}

/* ---- Values ---- */

static void value_slots(gn_c *c, mt_buf *out, const ct_type *t, const ct_value *v);

/* An array of its own for what a list or a union points at. It is written into the
 * source at once, before the value that points at it, which is still in a buffer; inner
 * ones come before outer. */
static uint32_t pointed_at(gn_c *c, const ct_type *t, const ct_value *v, uint32_t count)
{
    mt_buf slots = {0};
    for (uint32_t i = 0; i < count; i++) {
        value_slots(c, &slots, t, v + (size_t)i * t->slots);
    }
    uint32_t number = c->value_count++;
    mt_buf_addf(&c->source, "static const _Alignas(16) ct_value L%u[] = {", number);
    mt_buf_adds(&c->source, mt_buf_str(&slots));
    mt_buf_addz(&c->source, slots.len ? "};\n" : "{0}};\n");
    mt_buf_free(&slots);
    return number;
}

static void decimal_slot(mt_buf *out, mt_decimal d)
{
    mt_buf_addf(out, "{.decimal = {UINT64_C(%" PRIu64 "), %uu, %u, %u}}, ", d.lo, d.hi,
                d.scale, d.negative);
}

/* One slot by the member of ct_value that the
 * type uses. Values with parts never come here. */
static void scalar_slot(mt_buf *out, const ct_type *t, const ct_value *v)
{
    switch (ct_held(t)) {
    case LN_BOOLEAN: mt_buf_addf(out, "{.boolean = %d}, ", v->boolean); return;
    case LN_INTEGER:
        mt_buf_addz(out, "{.integer = ");
        whole(out, v->integer);
        mt_buf_addz(out, "}, ");
        return;
    case LN_DECIMAL: decimal_slot(out, v->decimal); return;
    case LN_TEXT:
        mt_buf_addz(out, "{.text = ");
        gn_c_text(out, v->text);
        mt_buf_addz(out, "}, ");
        return;
    case LN_CHOICE: mt_buf_addf(out, "{.choice = %u}, ", v->choice); return;
    case LN_TIME:
        mt_buf_addz(out, "{.time = {");
        whole(out, v->time.seconds);
        mt_buf_addf(out, ", %uu}}, ", v->time.nanos);
        return;
    case LN_RECORD:
    case LN_VARIANT:
    case LN_LIST: break;
    }
    MT_BUG("a value that has parts");
}

/* The slots of a value, in order, each with a
 * comma behind it. A record is its fields' slots. */
static void value_slots(gn_c *c, mt_buf *out, const ct_type *t, const ct_value *v)
{
    uint32_t at;
    switch (ct_held(t)) {
    case LN_RECORD:
        for (uint32_t i = 0; i < t->count; i++) {
            value_slots(c, out, t->as.fields[i].type, v + t->as.fields[i].offset);
        }
        return;
    case LN_VARIANT:
        at = pointed_at(c, t->as.variants[v->variant.tag].type, v->variant.payload, 1);
        mt_buf_addf(out, "{.variant = {L%u, %u}}, ", at, v->variant.tag);
        return;
    case LN_LIST:
        at = pointed_at(c, t->as.list.element, v->list.items, v->list.count);
        mt_buf_addf(out, "{.list = {L%u, %u}}, ", at, v->list.count);
        return;
    case LN_BOOLEAN:
    case LN_INTEGER:
    case LN_DECIMAL:
    case LN_TEXT:
    case LN_CHOICE:
    case LN_TIME: scalar_slot(out, t, v); return;
    }
}

/* constant_types has a type where a constant begins, NULL for its other slots, which
 * value_slots() has written with the first one. */
static void add_constants(gn_c *c)
{
    mt_buf slots = {0};
    for (uint32_t i = 0; i < c->p->constant_count; i++) {
        const ct_type *t = c->p->constant_types[i];
        if (t && t->slots) {
            value_slots(c, &slots, t, c->p->constants + i);
        } else if (t) {
            mt_buf_addz(&slots, "{0}, ");
        }
    }
    mt_buf_addz(&c->source, "static const _Alignas(16) ct_value K[] = {");
    mt_buf_adds(&c->source, mt_buf_str(&slots));
    mt_buf_addz(&c->source, "{0}};\n");
    mt_buf_free(&slots);
}

/* ---- The program ---- */

/* A copy of the instructions that c_code.c has written as C. They are not run; faults,
 * ct_order() and ct_arith() read from them what they need. */
static void add_code(gn_c *c)
{
    mt_buf_addz(&c->source, "static const ct_insn CODE[] = {");
    for (uint32_t i = 0; i < c->p->code_count; i++) {
        const ct_insn *in = &c->p->code[i];
        mt_buf_addf(&c->source,
                    "\n    {%u, %u, %u, %u, %u, %uu, %uu, %uu, %uu, "
                    "UINT64_C(%" PRIu64 ")},",
                    in->op, in->mask, in->a_base, in->b_base, in->base, in->a, in->b,
                    in->target, in->extra, in->wide);
    }
    mt_buf_addz(&c->source, "};\n");
}

/* The two zeros are the piece's loops: only the
 * bound of work.c asks for them, and not from here. */
static void add_pieces(gn_c *c, const char *name, const ct_piece *pieces,
                       uint32_t count)
{
    mt_buf_addf(&c->source, "static const ct_piece %s[] = {", name);
    for (uint32_t i = 0; i < count; i++) {
        const ct_piece *p = &pieces[i];
        mt_buf_addf(&c->source, "\n    {%u, %u, %u, %u, %u, %u, 0, 0},", p->start,
                    p->end, p->first_site, p->site_count, p->trace, p->order_at);
    }
    mt_buf_addz(&c->source, "{0, 0, 0, 0, 0, 0, 0, 0}};\n");
}

static void add_sites(gn_c *c)
{
    mt_buf_addz(&c->source, "static const ct_site SITES[] = {");
    for (uint32_t i = 0; i < c->p->site_count; i++) {
        mt_buf_addf(&c->source, "{%d, %u}, ", c->p->sites[i].is_verdict,
                    c->p->sites[i].index);
    }
    mt_buf_addz(&c->source, "{0, 0}};\n");
}

/* What the JSON of a verdict always has, prepared by the compiler: four texts with the
 * payload and the names that were used between them. */
static void add_json(gn_c *c)
{
    mt_buf_addz(&c->source, "static const ct_json_parts JSON[] = {");
    for (uint32_t i = 0; i < c->m->rule_count; i++) {
        const ct_json_parts *j = &c->p->json[i];
        const mt_str parts[] = {j->payload, j->used, j->between, j->end};
        mt_buf_addz(&c->source, "\n    {");
        for (size_t k = 0; k < 4; k++) {
            gn_c_text(&c->source, parts[k]);
            mt_buf_addz(&c->source, k < 3 ? ", " : "},");
        }
    }
    mt_buf_addz(&c->source, "{{0}, {0}, {0}, {0}}};\n");
}

/* ---- The model ---- */

/* A default is an array of slots of its own, which
 * stands before the table: hence the buffer. */
static void add_facts(gn_c *c)
{
    mt_buf rows = {0};
    for (uint32_t i = 0; i < c->m->fact_count; i++) {
        const ct_fact *f = &c->m->facts[i];
        mt_buf_addz(&rows, "\n    {.id = ");
        gn_c_text(&rows, f->id);
        mt_buf_addf(&rows,
                    ", .type = &T%u, .slot = %u, .source = ", number_of(c, f->type),
                    f->slot);
        gn_c_text(&rows, f->source);
        if (f->otherwise) {
            mt_buf_addf(&rows, ", .otherwise = L%u",
                        pointed_at(c, f->type, f->otherwise, 1));
        }
        mt_buf_addz(&rows, "},");
    }
    mt_buf_addz(&c->source, "static const ct_fact FACTS[] = {");
    mt_buf_adds(&c->source, mt_buf_str(&rows));
    mt_buf_addz(&c->source, "{.slot = 0}};\n");
    mt_buf_free(&rows);
}

/* `when` only says which condition it is. */
static void add_rules(gn_c *c)
{
    mt_buf_addz(&c->source, "static const ct_expr CONDITIONS_OF[] = {");
    for (uint32_t i = 0; i < c->m->condition_count; i++) {
        mt_buf_addf(&c->source, "{.index = %u}, ", i);
    }
    mt_buf_addz(&c->source, "{.index = 0}};\nstatic const ct_rule RULES[] = {");
    for (uint32_t i = 0; i < c->m->rule_count; i++) {
        const ct_rule *r = &c->m->rules[i];
        mt_buf_addz(&c->source, "\n    {.id = ");
        gn_c_text(&c->source, r->id);
        mt_buf_addz(&c->source, ", .verdict = ");
        gn_c_text(&c->source, r->verdict);
        mt_buf_addf(&c->source, ", .stratum = %u, .payload_type = &T%u", r->stratum,
                    number_of(c, r->payload_type));
        if (c->plan) {
            mt_buf_addf(&c->source, ", .when = &CONDITIONS_OF[%u]",
                        c->own_conditions + i);
        }
        mt_buf_addz(&c->source, "},");
    }
    mt_buf_addz(&c->source, "{.stratum = 0}};\n");
}

static void add_texts(gn_c *c, const char *name, uint32_t number, const mt_str *texts,
                      uint32_t count)
{
    mt_buf_addf(&c->source, "static const mt_str %s%u[] = {", name, number);
    for (uint32_t i = 0; i < count; i++) {
        gn_c_text(&c->source, texts[i]);
        mt_buf_addz(&c->source, ", ");
    }
    mt_buf_addz(&c->source, "{0}};\n");
}

/* Transitions are left out: the engine moves what effects say. Personas stand here, as
 * both are only needed to act. */
static void add_entities(gn_c *c)
{
    const ct_model *m = c->m;
    for (uint32_t i = 0; i < m->entity_count; i++) {
        add_texts(c, "STATES_", i, m->entities[i].states, m->entities[i].state_count);
    }
    mt_buf_addz(&c->source, "static const ct_entity ENTITIES[] = {");
    for (uint32_t i = 0; i < m->entity_count; i++) {
        mt_buf_addz(&c->source, "\n    {.id = ");
        gn_c_text(&c->source, m->entities[i].id);
        mt_buf_addf(&c->source,
                    ", .states = STATES_%u, .state_count = %u, .initial = %u},", i,
                    m->entities[i].state_count, m->entities[i].initial);
    }
    mt_buf_addz(&c->source, "{.initial = 0}};\nstatic const ct_persona PERSONAS[] = {");
    for (uint32_t i = 0; i < m->persona_count; i++) {
        mt_buf_addz(&c->source, "\n    {.id = ");
        gn_c_text(&c->source, m->personas[i].id);
        mt_buf_addf(&c->source, ", .declared = %d},", m->personas[i].declared);
    }
    mt_buf_addz(&c->source, "{.declared = 0}};\n");
}

/* Row order: entity, from, to, outcome. */
static void add_effects(gn_c *c, uint32_t i)
{
    const ct_operation *o = &c->m->operations[i];
    mt_buf_addf(&c->source, "static const ct_effect EFFECTS_%u[] = {", i);
    for (uint32_t k = 0; k < o->effect_count; k++) {
        const ct_effect *e = &o->effects[k];
        mt_buf_addf(&c->source, "{%u, %u, %u, %uu}, ", e->entity, e->from, e->to,
                    e->outcome);
    }
    mt_buf_addz(&c->source, "{0, 0, 0, 0}};\n");
}

/* Lists first, then the table that points into
 * them. Who may act is in the plan, as bits. */
static void add_operations(gn_c *c)
{
    const ct_model *m = c->m;
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        add_effects(c, i);
        add_texts(c, "OUTCOMES_", i, o->outcomes, o->outcome_count);
        add_texts(c, "ERRORS_", i, o->errors, o->error_count);
    }
    mt_buf_addz(&c->source, "static const ct_operation OPERATIONS[] = {");
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        mt_buf_addz(&c->source, "\n    {.id = ");
        gn_c_text(&c->source, o->id);
        mt_buf_addf(&c->source,
                    ", .effects = EFFECTS_%u, .effect_count = %u, .outcomes = "
                    "OUTCOMES_%u, .outcome_count = %u, .errors = ERRORS_%u, "
                    ".error_count = %u, .condition = %uu},",
                    i, o->effect_count, i, o->outcome_count, i, o->error_count,
                    o->condition);
    }
    mt_buf_addz(&c->source, "{.condition = 0}};\n");
}

static void add_conditions(gn_c *c)
{
    mt_buf_addz(&c->source, "static const ct_expr *const CONDITION_ROWS[] = {");
    for (uint32_t i = 0; i < c->m->condition_count; i++) {
        mt_buf_addf(&c->source, "&CONDITIONS_OF[%u], ", i);
    }
    mt_buf_addz(&c->source, "0};\n");
}

/* Only what the runtime reads; what the contract declares besides stays zero. */
static void add_model(gn_c *c)
{
    const ct_model *m = c->m;
    mt_buf_addz(&c->source, "static const ct_model MODEL = {.id = ");
    gn_c_text(&c->source, m->id);
    mt_buf_addf(&c->source,
                ",\n    .facts = FACTS, .fact_count = %u, .rules = RULES, .rule_count "
                "= %u, .slot_count = %u, .note_count = %u",
                m->fact_count, m->rule_count, m->slot_count, m->note_count);
    if (c->plan) {
        mt_buf_addf(&c->source,
                    ",\n    .entities = ENTITIES, .entity_count = %u, .personas = "
                    "PERSONAS, .persona_count = %u, .personas_declared = %u,\n    "
                    ".operations = OPERATIONS, .operation_count = %u, .flow_count = "
                    "%u, .conditions = CONDITION_ROWS, .condition_count = %u",
                    m->entity_count, m->persona_count, m->personas_declared,
                    m->operation_count, m->flow_count, m->condition_count);
    }
    mt_buf_addz(&c->source, "};\n");
}

/* Sizes of the working memory are the compiler's:
 * the header has arrays of the same sizes. */
static void add_program(gn_c *c)
{
    const ct_program *p = c->p;
    mt_buf_addf(&c->source,
                "static const ct_program PROGRAM = {.model = &MODEL, .code = CODE, "
                ".constants = K, .types = TYPES, .sites = SITES,\n    .rules = "
                "RULE_PIECES, .conditions = CONDITION_PIECES, .rules_end = %u, .bases "
                "= %u, .temps = %u, .seen_words = %u,\n    .present_words = %u, "
                ".order_room = %u, .condition_order = %u, .json = JSON};\n",
                p->rules_end, p->bases, p->temps, p->seen_words, p->present_words,
                p->order_room, p->condition_order);
}

/* Each table after those that it points into. */
void gn_c_tables(gn_c *c)
{
    mt_buf_addz(&c->source, "\n/* ---- The contract ---- */\n\n");
    add_types(c);
    add_constants(c);
    add_code(c);
    add_pieces(c, "RULE_PIECES", c->p->rules, c->m->rule_count);
    add_pieces(c, "CONDITION_PIECES", c->p->conditions,
               c->plan ? c->m->condition_count : 0);
    add_sites(c);
    add_json(c);
    add_facts(c);
    if (c->plan) {
        add_rules(c);
        add_entities(c);
        add_operations(c);
        add_conditions(c);
    } else {
        add_rules(c);
    }
    add_model(c);
    add_program(c);
}

/* ---- The plan ---- */

/* Bits by number, 64 a word: personas that may do
 * an operation, entities that a graph changes. */
static void add_sets(gn_c *c, const char *name, uint32_t number, const uint64_t *set,
                     uint32_t words)
{
    mt_buf_addf(&c->source, "static const uint64_t %s%u[] = {", name, number);
    for (uint32_t i = 0; i < words; i++) {
        mt_buf_addf(&c->source, "UINT64_C(%" PRIu64 "), ", set[i]);
    }
    mt_buf_addz(&c->source, "0};\n");
}

/* A plan does not say how many effects it has;
 * they are as many as the outcomes refer to. */
static void add_plan_operations(gn_c *c)
{
    const ct_plan *p = c->plan;
    uint32_t effects = 0;
    mt_buf_addz(&c->source, "static const ct_plan_outcome PLAN_OUTCOMES[] = {");
    for (uint32_t i = 0; i < p->outcome_count; i++) {
        const ct_plan_outcome *o = &p->outcomes[i];
        uint32_t last = o->first_effect + o->effect_count;
        mt_buf_addz(&c->source, "\n    {");
        gn_c_text(&c->source, o->label);
        mt_buf_addf(&c->source, ", %u, %u},", o->first_effect, o->effect_count);
        effects = last > effects ? last : effects;
    }
    mt_buf_addz(&c->source, "{{0}, 0, 0}};\nstatic const ct_plan_effect "
                            "PLAN_EFFECTS[] = {");
    for (uint32_t i = 0; i < effects; i++) {
        const ct_plan_effect *e = &p->effects[i];
        mt_buf_addf(&c->source, "{%u, %u, %u}, ", e->entity, e->from, e->to);
    }
    mt_buf_addz(&c->source, "{0, 0, 0}};\n");
    for (uint32_t i = 0; i < c->m->operation_count; i++) {
        add_sets(c, "ALLOWED_", i, p->ops[i].allowed, c->m->persona_count / 64 + 1);
    }
    mt_buf_addz(&c->source, "static const ct_plan_op PLAN_OPS[] = {");
    for (uint32_t i = 0; i < c->m->operation_count; i++) {
        mt_buf_addf(&c->source, "\n    {%uu, %u, %u, ALLOWED_%u},", p->ops[i].condition,
                    p->ops[i].first_outcome, p->ops[i].outcome_count, i);
    }
    mt_buf_addz(&c->source, "{0, 0, 0, 0}};\n");
}

/* Row order of ct_plan_step, its handler inside. */
static void add_step(gn_c *c, const ct_plan_step *s)
{
    const ct_plan_handler *h = &s->handler;
    mt_buf_addf(&c->source, "\n    {%u, %u, %u, ", s->kind, s->does, s->graph);
    gn_c_text(&c->source, s->id);
    mt_buf_addf(&c->source,
                ", %uu, %uu, %uu, %u, %u, {%u, %uu, {%uu, %uu}, %u, %u}, %u, %u},",
                s->persona, s->to_persona, s->what, s->first_target, s->target_count,
                h->kind, h->persona, h->next.step, h->next.terminal, h->first_undo,
                h->undo_count, s->first_branch, s->branch_count);
}

/* Targets and undos are as many as the steps refer to. */
static void add_steps(gn_c *c)
{
    const ct_plan *p = c->plan;
    uint32_t targets = 0, undos = 0;
    mt_buf_addz(&c->source, "static const ct_plan_step PLAN_STEPS[] = {");
    for (uint32_t i = 0; i < p->step_count; i++) {
        const ct_plan_step *s = &p->steps[i];
        uint32_t last = s->first_target + s->target_count;
        uint32_t undone = s->handler.first_undo + s->handler.undo_count;
        add_step(c, s);
        targets = s->target_count && last > targets ? last : targets;
        undos = s->handler.undo_count && undone > undos ? undone : undos;
    }
    mt_buf_addz(&c->source, "{.graph = 0}};\nstatic const ct_plan_target "
                            "PLAN_TARGETS[] = {");
    for (uint32_t i = 0; i < targets; i++) {
        mt_buf_addf(&c->source, "{%uu, %uu}, ", p->targets[i].step,
                    p->targets[i].terminal);
    }
    mt_buf_addz(&c->source, "{0, 0}};\nstatic const ct_plan_undo PLAN_UNDOS[] = {");
    for (uint32_t i = 0; i < undos; i++) {
        const ct_plan_undo *u = &p->undos[i];
        mt_buf_addf(&c->source, "{%u, %u, %u}, ", u->op, u->persona, u->on_failure);
    }
    mt_buf_addz(&c->source, "{0, 0, 0}};\n");
}

/* A graph is a flow, or a branch of a parallel step. The cast takes away const from
 * what nobody writes to: the plan's struct has no const there. */
static void add_graphs(gn_c *c)
{
    const ct_plan *p = c->plan;
    for (uint32_t i = 0; i < p->graph_count; i++) {
        add_sets(c, "CHANGED_", i, p->graphs[i].entities, p->entity_words);
    }
    mt_buf_addz(&c->source, "static const ct_plan_graph PLAN_GRAPHS[] = {");
    for (uint32_t i = 0; i < p->graph_count; i++) {
        const ct_plan_graph *g = &p->graphs[i];
        mt_buf_addz(&c->source, "\n    {");
        gn_c_text(&c->source, g->id);
        mt_buf_addf(&c->source, ", %u, %u, %u, %uu, (uint64_t *)CHANGED_%u},", g->entry,
                    g->first_step, g->step_count, g->owner, i);
    }
    mt_buf_addz(&c->source, "{.entry = 0}};\nstatic const ct_plan_terminal "
                            "PLAN_TERMINALS[] = {");
    for (uint32_t i = 0; i < p->terminal_count; i++) {
        mt_buf_addz(&c->source, "\n    {");
        gn_c_text(&c->source, p->terminals[i].name);
        mt_buf_addf(&c->source, ", %d},", p->terminals[i].failed);
    }
    mt_buf_addz(&c->source, "{{0}, 0}};\n");
}

/* After gn_c_tables(), whose MODEL and PROGRAM it names. */
void gn_c_plan(gn_c *c)
{
    const ct_plan *p = c->plan;
    add_plan_operations(c);
    add_steps(c);
    add_graphs(c);
    mt_buf_addf(&c->source,
                "static const ct_plan PLAN = {.program = &PROGRAM, .model = &MODEL, "
                ".effects = PLAN_EFFECTS, .outcomes = PLAN_OUTCOMES,\n    .ops = "
                "PLAN_OPS, .steps = PLAN_STEPS, .targets = PLAN_TARGETS, .undos = "
                "PLAN_UNDOS, .graphs = PLAN_GRAPHS,\n    .terminals = PLAN_TERMINALS, "
                ".outcome_count = %u, .step_count = %u, .graph_count = %u, "
                ".terminal_count = %u,\n    .entity_words = %u, .max_changes = %u, "
                ".max_outcomes = %u};\n",
                p->outcome_count, p->step_count, p->graph_count, p->terminal_count,
                p->entity_words, p->max_changes, p->max_outcomes);
}
