/* contract/eval/carry.c - values of one contract's types as values of another's.
 *
 * A flow that is under way holds a snapshot: facts and verdicts of the contract it
 * began with. When it goes on under a newer contract, these are carried over fact by
 * fact and rule by rule, by name. What the new contract does not know is dropped; what
 * it knows and the old one did not gets its default, or a blank that may be read
 * without harm and is reported as such.
 *
 * Order: facts first, then verdicts, since a verdict's payload may have to be
 * converted to the new type. Structure decides whether a value can be carried (fields
 * by name, enum values by text, variants by tag); its range is checked when the fact
 * is set.
 *
 * What may fail: nothing. What could not be carried is told by ct_carry: per fact how
 * it got its value, per rule whether a payload did not fit. Recursion follows the
 * types, whose depth the loader bounds; values live in the arena of the fact set. */
#include "contract/eval/carry.h"

#include "contract/eval/facts_internal.h"

static bool convert(mt_arena *a, const ct_type *from, const ct_value *value,
                    const ct_type *to, ct_value *out);

/* Only if it is a whole number of the new unit: nothing is rounded. */
static bool convert_duration(const ct_type *from, const ct_value *value,
                             const ct_type *to, ct_value *out)
{
    int64_t seconds;
    int64_t unit = CT_UNIT_SECONDS[to->unit];
    if (__builtin_mul_overflow(value->integer, CT_UNIT_SECONDS[from->unit], &seconds) ||
        seconds % unit) {
        return false;
    }
    out->integer = seconds / unit;
    return true;
}

static bool convert_enum(const ct_type *from, const ct_value *value, const ct_type *to,
                         ct_value *out)
{
    out->choice = ct_choice_find(to, from->as.values[value->choice]);
    return out->choice != CT_NONE;
}

/* Every field of the new type must have been there; fields that are gone are dropped.
 */
static bool convert_record(mt_arena *a, const ct_type *from, const ct_value *value,
                           const ct_type *to, ct_value *out)
{
    for (uint32_t i = 0; i < to->count; i++) {
        const ct_field *field = &to->as.fields[i];
        uint32_t old = ct_field_find(from, field->name);
        if (old == CT_NONE ||
            !convert(a, from->as.fields[old].type, value + from->as.fields[old].offset,
                     field->type, out + field->offset)) {
            return false;
        }
    }
    return true;
}

/* By the variant's name; a variant that is gone makes the value a misfit. */
static bool convert_union(mt_arena *a, const ct_type *from, const ct_value *value,
                          const ct_type *to, ct_value *out)
{
    const ct_field *old = &from->as.variants[value->variant.tag];
    uint32_t tag = ct_field_find(to, old->name);
    if (tag == CT_NONE) {
        return false;
    }
    const ct_type *type = to->as.variants[tag].type;
    ct_value *payload = mt_new_array(a, ct_value, type->slots);
    out->variant.tag = tag;
    out->variant.payload = payload;
    return convert(a, old->type, value->variant.payload, type, payload);
}

/* Its length is checked against the new maximum when the fact is set. */
static bool convert_list(mt_arena *a, const ct_type *from, const ct_value *value,
                         const ct_type *to, ct_value *out)
{
    const ct_type *was = from->as.list.element, *is = to->as.list.element;
    ct_value *items = mt_new_array(a, ct_value, (size_t)value->list.count * is->slots);
    out->list.items = items;
    out->list.count = value->list.count;
    for (uint32_t i = 0; i < value->list.count; i++) {
        if (!convert(a, was, value->list.items + (size_t)i * was->slots, is,
                     items + (size_t)i * is->slots)) {
            return false;
        }
    }
    return true;
}

/* Shapes only: ranges and lengths are checked when a fact is set. */
static bool convert(mt_arena *a, const ct_type *from, const ct_value *value,
                    const ct_type *to, ct_value *out)
{
    if (from->base != to->base) {
        return false;
    }
    if (ct_held(to) < LN_RECORD) {
        *out = *value;
    }
    switch (ct_held(to)) {
    case LN_INTEGER:
        return !ct_has(to, LN_UNIT) || convert_duration(from, value, to, out);
    case LN_DECIMAL:
        return !ct_has(to, LN_CURRENCY) ||
               mt_str_eq(from->as.currency, to->as.currency);
    case LN_CHOICE: return convert_enum(from, value, to, out);
    case LN_RECORD: return convert_record(a, from, value, to, out);
    case LN_VARIANT: return convert_union(a, from, value, to, out);
    case LN_LIST: return convert_list(a, from, value, to, out);
    case LN_BOOLEAN:
    case LN_TEXT:
    case LN_TIME: return true;
    }
    MT_BUG("unknown base type");
}

/* Some value that can be read without harm. */
static void blank(mt_arena *a, const ct_type *type, ct_value *out)
{
    memset(out, 0, type->slots * sizeof *out);
    if (ct_held(type) == LN_TEXT) {
        out->text = MT_STR("");
    } else if (ct_held(type) == LN_RECORD) {
        for (uint32_t i = 0; i < type->count; i++) {
            blank(a, type->as.fields[i].type, out + type->as.fields[i].offset);
        }
    } else if (ct_held(type) == LN_VARIANT && type->count) {
        const ct_type *first = type->as.variants[0].type;
        ct_value *payload = mt_new_array(a, ct_value, first->slots);
        blank(a, first, payload);
        out->variant.payload = payload;
    }
}

/* By name. A default of the old contract is carried, too: the flow began with it. */
static ct_carried carry_fact(const ct_snapshot *from, ct_facts *facts, uint32_t fact)
{
    const ct_model *old = from->program->model;
    const ct_fact *to = &facts->model->facts[fact];
    uint32_t was = ct_model_find(old, CT_KIND_FACT, to->id);
    if (was == CT_NONE) {
        return to->otherwise ? CT_CARRIED_DEFAULT : CT_CARRIED_NOTHING;
    }
    ct_value *value = mt_new_array(&facts->arena, ct_value, to->type->slots);
    ct_fault fault;
    bool fits = convert(&facts->arena, old->facts[was].type,
                        ct_facts_value(from->facts, was), to->type, value) &&
                !ct_facts_set(facts, fact, value, &fault);
    return fits ? CT_CARRIED : CT_CARRIED_MISFIT;
}

static void fill_rest(ct_facts *facts, uint32_t fact, ct_carried how)
{
    const ct_fact *f = &facts->model->facts[fact];
    if (how == CT_CARRIED_DEFAULT) {
        memcpy(facts->values + f->slot, f->otherwise,
               f->type->slots * sizeof *facts->values);
    } else if (how != CT_CARRIED) {
        blank(&facts->arena, f->type, facts->values + f->slot);
    }
}

/* The old rule that produced this verdict, if it is in the snapshot. */
static uint32_t frozen_rule(const ct_snapshot *from, mt_str verdict)
{
    uint32_t rule = ct_model_find(from->program->model, CT_KIND_VERDICT, verdict);
    return rule != CT_NONE && ct_verdict_present(from->verdicts, rule) ? rule : CT_NONE;
}

/* A verdict is carried as present with its payload, never evaluated again: a flow
 * keeps the verdicts it began with. Its provenance stays with the old contract. */
static void carry_verdict(const ct_snapshot *from, ct_facts *facts, ct_verdicts *v,
                          uint32_t rule, uint8_t *misfit)
{
    const ct_program *p = v->program;
    const ct_rule *to = &p->model->rules[rule];
    uint32_t was = frozen_rule(from, to->verdict);
    v->used[rule] = 0;
    if (p->rules[rule].trace == CT_TRACE_ORDER) {
        v->order[p->rules[rule].order_at] = 0;
    }
    if (was == CT_NONE) {
        return;
    }
    ct_value *payload = mt_new_array(&facts->arena, ct_value, to->payload_type->slots);
    if (!convert(&facts->arena, from->program->model->rules[was].payload_type,
                 ct_verdict_payload(from->verdicts, was), to->payload_type, payload)) {
        blank(&facts->arena, to->payload_type, payload);
        *misfit = 1;
    }
    v->payload[rule] = payload;
    v->present[rule / 64] |= (uint64_t)1 << (rule % 64);
}

ct_carry ct_snapshot_carry(mt_arena *a, const ct_snapshot *from, const ct_program *to,
                           ct_facts *facts, ct_verdicts *verdicts)
{
    const ct_model *m = to->model;
    ct_carry out = {mt_new_array(a, uint8_t, m->fact_count),
                    mt_new_array(a, uint8_t, m->rule_count)};
    ct_facts_begin(facts);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        out.facts[i] = (uint8_t)carry_fact(from, facts, i);
        fill_rest(facts, i, (ct_carried)out.facts[i]);
    }
    memset(verdicts->present, 0, to->present_words * sizeof *verdicts->present);
    verdicts->memo = NULL;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        carry_verdict(from, facts, verdicts, i, &out.payload_misfits[i]);
    }
    return out;
}
