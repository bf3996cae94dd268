/* contract/flow/partly.c - what is left to decide, as JSON and as lines.
 *
 * A verdict is present, absent, or depends on a condition; a precondition holds, does
 * not, depends on one, or ends in an error whatever is unknown. Conditions are written
 * flat, that is, with open verdicts replaced by what decides them, where the language
 * can write that; a payload that is not known is told as the term its rule writes.
 *
 * Verdicts come in the order of rules, operations as declared, facts as declared.
 * Nothing can fail. Texts are made in an arena of the call. */
#include "contract/flow/partly.h"

#include "contract/flow/text.h"
#include "contract/reduce/source.h"

/* ORDER ct_partly. */
const char *const CT_PARTLY_OPERATION_NAMES[4] = {
    [CT_PARTLY_ABSENT] = "refused",
    [CT_PARTLY_PRESENT] = "holds",
    [CT_PARTLY_OPEN] = "depends",
    [CT_PARTLY_FAILS] = "error",
};
MT_TABLE_COVERS(CT_PARTLY_OPERATION_NAMES, CT_PARTLY_FAILS + 1);

ct_left ct_partly_operation(ct_partial *x, uint32_t operation, ct_fault *fault)
{
    uint32_t condition = ct_partial_model(x)->operations[operation].condition;
    return condition == CT_NONE ? (ct_left){.state = CT_PARTLY_PRESENT}
                                : ct_partial_condition(x, condition, fault);
}

mt_str ct_partly_text(mt_arena *a, ct_partial *x, const ct_expr *e)
{
    mt_buf b = {0};
    ct_expr_source(&b, ct_partial_model(x), ct_partial_flat(x, e));
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* ---- JSON ---- */

void ct_partly_unknown(mt_jw *w, const ct_partial *x)
{
    const ct_model *m = ct_partial_model(x);
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (ct_partial_unknown(x, i)) {
            mt_jw_str(w, m->facts[i].id);
        }
    }
    mt_jw_end_array(w);
}

static bool reads_fact(const ct_expr *e, uint32_t fact)
{
    return e && ((e->op == CT_FACT && e->index == fact) || reads_fact(e->left, fact) ||
                 reads_fact(e->right, fact));
}

void ct_partly_reads(mt_jw *w, const ct_partial *x, const ct_expr *e)
{
    const ct_model *m = ct_partial_model(x);
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (ct_partial_unknown(x, i) && reads_fact(e, i)) {
            mt_jw_str(w, m->facts[i].id);
        }
    }
    mt_jw_end_array(w);
}

/* "condition" and "facts" of what is open. */
static void condition_members(mt_jw *w, ct_partial *x, const ct_left *left)
{
    mt_buf text = {0};
    const ct_expr *flat = ct_partial_flat(x, left->when);
    ct_expr_source(&text, ct_partial_model(x), flat);
    mt_jw_key_str(w, "condition", mt_buf_str(&text));
    mt_jw_keyz(w, "facts");
    ct_partly_reads(w, x, flat);
    mt_buf_free(&text);
}

static void payload_members(mt_jw *w, const ct_model *m, const ct_rule *r,
                            const ct_left *left)
{
    mt_buf text = {0};
    if (left->payload) {
        ct_value_json(&text, r->payload_type, left->payload);
        mt_jw_keyz(w, "payload");
        mt_jw_raw(w, mt_buf_str(&text));
        /* A verdict that is absent has no payload, known or not. */
    } else if (left->state != CT_PARTLY_ABSENT) {
        ct_expr_source(&text, m, r->payload);
        mt_jw_key_str(w, "payload_term", mt_buf_str(&text));
    }
    mt_buf_free(&text);
}

static void verdict_json(mt_jw *w, ct_partial *x, uint32_t rule)
{
    const ct_model *m = ct_partial_model(x);
    const ct_rule *r = &m->rules[rule];
    const ct_left *left = ct_partial_rule(x, rule);
    mt_jw_begin_object(w);
    if (left->state == CT_PARTLY_OPEN) {
        condition_members(w, x, left);
    }
    payload_members(w, m, r, left);
    mt_jw_key_str(w, "rule", r->id);
    mt_jw_key_str(w, "state", mt_str_z(CT_PARTLY_NAMES[left->state]));
    mt_jw_key_i64(w, "stratum", r->stratum);
    mt_jw_key_str(w, "type", r->verdict);
    mt_jw_end_object(w);
}

static void operation_json(mt_jw *w, ct_partial *x, uint32_t operation)
{
    ct_fault fault = {0};
    ct_left left = ct_partly_operation(x, operation, &fault);
    mt_jw_begin_object(w);
    if (left.state == CT_PARTLY_OPEN) {
        condition_members(w, x, &left);
    }
    if (left.state == CT_PARTLY_FAILS) {
        mt_jw_key_str(w, "error", fault.message);
    }
    mt_jw_key_str(w, "operation", ct_partial_model(x)->operations[operation].id);
    mt_jw_key_str(w, "precondition", mt_str_z(CT_PARTLY_OPERATION_NAMES[left.state]));
    mt_jw_end_object(w);
}

void ct_partly_members(mt_jw *w, ct_partial *x)
{
    const ct_model *m = ct_partial_model(x);
    mt_jw_keyz(w, "operations");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->operation_count; i++) {
        operation_json(w, x, i);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "unknown");
    ct_partly_unknown(w, x);
    mt_jw_keyz(w, "verdicts");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        verdict_json(w, x, i);
    }
    mt_jw_end_array(w);
}

void ct_partly_json(mt_buf *out, ct_partial *x)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    ct_partly_members(&w, x);
    mt_jw_end_object(&w);
}

/* ---- Lines ---- */

static void depends(mt_buf *out, ct_partial *x, const ct_expr *e)
{
    mt_buf_addz(out, "depends on ");
    ct_expr_source(out, ct_partial_model(x), ct_partial_flat(x, e));
}

static void verdict_line(mt_buf *out, ct_partial *x, uint32_t rule)
{
    const ct_model *m = ct_partial_model(x);
    const ct_rule *r = &m->rules[rule];
    const ct_left *left = ct_partial_rule(x, rule);
    mt_buf_addf(out, "  [%.*s] ", MT_ARG(r->verdict));
    if (left->state == CT_PARTLY_OPEN) {
        depends(out, x, left->when);
    } else {
        mt_buf_addz(out, CT_PARTLY_NAMES[left->state]);
    }
    /* "payload true" is what most verdicts have; a line is easier to read without
     * it. */
    bool plain = left->payload && ct_held(r->payload_type) == LN_BOOLEAN &&
                 left->payload->boolean;
    if (left->state != CT_PARTLY_ABSENT && !plain) {
        mt_buf_addz(out, "; payload ");
        if (left->payload) {
            ct_value_text(out, r->payload_type, left->payload);
        } else {
            ct_expr_source(out, m, r->payload);
        }
    }
    mt_buf_addf(out, " (rule: %.*s, stratum: %u)\n", MT_ARG(r->id), r->stratum);
}

static void operation_line(mt_buf *out, ct_partial *x, uint32_t operation)
{
    ct_fault fault = {0};
    ct_left left = ct_partly_operation(x, operation, &fault);
    mt_buf_addf(out, "  %.*s: ", MT_ARG(ct_partial_model(x)->operations[operation].id));
    if (left.state == CT_PARTLY_OPEN) {
        depends(out, x, left.when);
    } else if (left.state == CT_PARTLY_FAILS) {
        mt_buf_addf(out, "the precondition has no value: %.*s", MT_ARG(fault.message));
    } else {
        mt_buf_addf(out, "the precondition %s",
                    left.state == CT_PARTLY_PRESENT ? "holds" : "does not hold");
    }
    mt_buf_addc(out, '\n');
}

void ct_partly_lines(mt_buf *out, ct_partial *x)
{
    const ct_model *m = ct_partial_model(x);
    const char *before = "unknown: ";
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (ct_partial_unknown(x, i)) {
            mt_buf_addf(out, "%s%.*s", before, MT_ARG(m->facts[i].id));
            before = ", ";
        }
    }
    mt_buf_addz(out,
                *before == ',' ? "\nverdicts:\n" : "nothing is unknown\nverdicts:\n");
    for (uint32_t i = 0; i < m->rule_count; i++) {
        verdict_line(out, x, i);
    }
    mt_buf_addz(out, m->operation_count ? "operations:\n" : "");
    for (uint32_t i = 0; i < m->operation_count; i++) {
        operation_line(out, x, i);
    }
}
