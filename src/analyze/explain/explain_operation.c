/* analyze/explain/explain_operation.c - why an operation may be performed, or not.
 *
 * The engine itself tries it (contract/flow/operation.h), so the answer is the one it
 * would get: persona, precondition, states, in this order; the first that refuses is
 * the reason. A precondition is told as a verdict is, down to facts. Without a persona
 * the first is taken whom the operation allows; without states they are not asked
 * about.
 *
 * Where facts are unknown only the precondition is told: whether it holds, does not, or
 * on which condition that depends. Nothing can fail. */
#include "analyze/explain/explain_teller.h"
#include "contract/flow/partly.h"

/* ---- Trying ---- */

/* CT_NONE for a persona that the contract does
 * not have, which the engine then refuses. */
static uint32_t persona_of(const ct_frozen *z, const an_try *t)
{
    const ct_operation *o = &z->plan->model->operations[t->operation];
    return t->persona.len ? ct_model_find(z->plan->model, CT_KIND_PERSONA, t->persona)
                          : o->personas[0];
}

/* Without states every outcome could match: only what comes before is asked. */
static ct_attempt attempt(an_teller *t, const an_try *what)
{
    const ct_plan *p = t->z->plan;
    ct_attempt out;
    ct_change *changes = mt_new_array(&t->a, ct_change, p->max_changes + 1);
    uint32_t *none = mt_new_array(&t->a, uint32_t, p->model->entity_count + 1);
    for (uint32_t i = 0; i < p->model->entity_count; i++) {
        none[i] = CT_NONE;
    }
    ct_op_try(t->z, what->operation, persona_of(t->z, what),
              what->states ? what->states : none, CT_NONE, &t->a, &out, changes);
    bool asked = what->states || out.error <= CT_OP_EVALUATION;
    /* Several outcomes that match are the caller's to choose from. */
    if (!asked || out.error == CT_OP_AMBIGUOUS) {
        out.error = CT_OP_NONE;
    }
    return out;
}

/* The engine's own words, with the name of
 * the persona as it was given, known or not. */
static mt_str sentence(an_teller *t, const an_try *what, const ct_attempt *a)
{
    const ct_plan *p = t->z->plan;
    mt_buf b = {0};
    bool placed = a->error == CT_OP_STATE || a->error == CT_OP_INSTANCE;
    mt_str instance =
        placed && what->instances ? what->instances[a->entity] : MT_STR("");
    ct_op_error_text(&b, p, what->operation,
                     what->persona.len ? what->persona
                                       : ct_persona_id(p, persona_of(t->z, what)),
                     a, instance);
    mt_str text = mt_str_dup(&t->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* Told where the precondition was come to and has a value. */
static const ct_expr *condition_of(const an_teller *t, uint32_t op, const ct_attempt *a)
{
    bool read = a->error != CT_OP_PERSONA && a->error != CT_OP_EVALUATION;
    return read ? t->m->operations[op].precondition : NULL;
}

/* ---- Prose ---- */

/* "may be performed" is said only if states were asked about, too. */
bool an_explain_operation(mt_buf *out, const ct_frozen *z, const an_try *what,
                          an_explain_form form)
{
    an_teller t;
    an_teller_start(&t, z, out, form);
    ct_attempt a = attempt(&t, what);
    const ct_expr *e = condition_of(&t, what->operation, &a);
    an_prose_indent(t.p, 0);
    mt_buf_addz(out, "operation ");
    an_prose_name(t.p, t.m->operations[what->operation].id);
    if (a.error) {
        mt_str why = sentence(&t, what, &a);
        mt_buf_addf(out, " is refused: %.*s\n", MT_ARG(why));
    } else {
        mt_buf_addz(out, what->states ? " may be performed\n"
                                      : ": nothing in the facts refuses it\n");
    }
    if (e) {
        an_tell_condition(&t, 1, e);
    }
    mt_arena_free(&t.a);
    return !a.error;
}

void an_explain_parts(mt_buf *out, const ct_frozen *z, const ct_reasons *parts,
                      unsigned depth, an_explain_form form)
{
    an_teller t;
    an_teller_start(&t, z, out, form);
    an_tell_reasons(&t, depth, parts);
    mt_arena_free(&t.a);
}

/* An operation that is open is told by what it
 * depends on, one that is decided by its reasons. */
ct_partly an_explain_operation_partly(mt_buf *out, ct_partial *x, uint32_t operation,
                                      an_explain_form form)
{
    an_teller t;
    ct_fault fault = {0};
    ct_left left = ct_partly_operation(x, operation, &fault);
    an_teller_start_partly(&t, x, out, form);
    const ct_expr *e = t.m->operations[operation].precondition;
    an_prose_indent(t.p, 0);
    mt_buf_addz(out, "operation ");
    an_prose_name(t.p, t.m->operations[operation].id);
    if (left.state == CT_PARTLY_OPEN) {
        mt_str text = ct_partly_text(&t.a, x, left.when);
        mt_buf_addf(out, " depends on %.*s\n", MT_ARG(text));
        an_tell_verdicts(&t, 1, e);
    } else if (left.state == CT_PARTLY_FAILS) {
        mt_buf_addf(out, " is refused: %.*s\n", MT_ARG(fault.message));
    } else {
        mt_buf_addz(out, left.state == CT_PARTLY_PRESENT
                             ? ": nothing in the facts refuses it\n"
                             : " is refused: its precondition does not hold\n");
        if (e) {
            an_tell_condition(&t, 1, e);
        }
    }
    mt_arena_free(&t.a);
    return (ct_partly)left.state;
}

/* ---- JSON ---- */

/* An empty list where there is no condition to tell. */
static void because(an_teller *t, const ct_expr *e)
{
    mt_jw_keyz(t->w, "because");
    if (e) {
        an_tell_condition_json(t, e);
    } else {
        mt_jw_begin_array(t->w);
        mt_jw_end_array(t->w);
    }
}

/* Who could, where the persona is what refuses. */
static void personas(an_teller *t, uint32_t op)
{
    const ct_operation *o = &t->m->operations[op];
    mt_jw_keyz(t->w, "personas");
    mt_jw_begin_array(t->w);
    for (uint32_t i = 0; i < o->persona_count; i++) {
        mt_jw_str(t->w, ct_persona_id(t->z->plan, o->personas[i]));
    }
    mt_jw_end_array(t->w);
}

bool an_explain_operation_json(mt_buf *out, const ct_frozen *z, const an_try *what,
                               ct_partial *deep)
{
    an_teller t;
    an_teller_start(&t, z, out, AN_EXPLAIN_TEXT);
    t.deep = deep;
    mt_jw w = mt_jw_start(out, false);
    ct_attempt a = attempt(&t, what);
    t.w = &w;
    mt_jw_begin_object(&w);
    because(&t, condition_of(&t, what->operation, &a));
    if (a.error) {
        mt_jw_key_str(&w, "error", ct_op_error_name(a.error));
        mt_jw_key_str(&w, "message", sentence(&t, what, &a));
    }
    mt_jw_key_bool(&w, "open", !a.error);
    mt_jw_key_str(&w, "operation", t.m->operations[what->operation].id);
    if (a.error == CT_OP_PERSONA) {
        personas(&t, what->operation);
    }
    an_tell_why(&t, condition_of(&t, what->operation, &a));
    mt_jw_end_object(&w);
    mt_arena_free(&t.a);
    return !a.error;
}

void an_explain_parts_json(mt_buf *out, const ct_frozen *z, const ct_reasons *parts)
{
    an_teller t;
    an_teller_start(&t, z, out, AN_EXPLAIN_TEXT);
    mt_jw w = mt_jw_start(out, false);
    t.w = &w;
    an_tell_reasons_json(&t, parts);
    mt_arena_free(&t.a);
}

ct_partly an_explain_operation_partly_json(mt_buf *out, ct_partial *x,
                                           uint32_t operation)
{
    an_teller t;
    ct_fault fault = {0};
    ct_left left = ct_partly_operation(x, operation, &fault);
    an_teller_start_partly(&t, x, out, AN_EXPLAIN_TEXT);
    mt_jw w = mt_jw_start(out, false);
    const ct_expr *e = t.m->operations[operation].precondition;
    t.w = &w;
    mt_jw_begin_object(&w);
    because(&t, left.state == CT_PARTLY_FAILS ? NULL : e);
    if (left.state == CT_PARTLY_OPEN) {
        mt_jw_key_str(&w, "condition", ct_partly_text(&t.a, x, left.when));
        mt_jw_keyz(&w, "depends_on");
        an_tell_verdicts_json(&t, e);
    }
    if (left.state == CT_PARTLY_FAILS) {
        mt_jw_key_str(&w, "message", fault.message);
    }
    mt_jw_key_str(&w, "operation", t.m->operations[operation].id);
    mt_jw_key_str(&w, "precondition", mt_str_z(CT_PARTLY_OPERATION_NAMES[left.state]));
    mt_jw_end_object(&w);
    mt_arena_free(&t.a);
    return (ct_partly)left.state;
}
