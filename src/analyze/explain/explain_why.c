/* analyze/explain/explain_why.c - why a verdict holds or a flow is open, or not.
 *
 * A reason is told from the top: the atoms that decide, then the facts they read with
 * their values, then the verdicts they read, each once, down to facts. The atoms are
 * the smallest set that decides (contract/flow/why.h), so a reader sees what to
 * change.
 *
 * For a flow the action space is asked first (contract/flow/action_space.h): open with
 * the choices there are, or blocked with its reason; a precondition that fails is then
 * explained like a verdict.
 *
 * Prose and JSON are written by the same walk with another pen. A verdict is told
 * once, later mentions stand for themselves; chains of verdicts deeper than
 * MAX_TOLD_DEPTH end with the name. A fault of an evaluation is told as the reason. */
#include "analyze/explain/explain_deep.h"
#include "analyze/explain/explain_teller.h"
#include "contract/eval/facts.h"
#include "contract/flow/partly.h"
#include "contract/flow/text.h"

typedef an_teller teller;

enum { MAX_TOLD_DEPTH = 24 };

static void start(teller *t, const ct_frozen *z, mt_buf *out, an_explain_form form)
{
    *t = (teller){
        .z = z, .m = z->plan->model, .facts = z->snapshot.facts, .p = {out, form}};
    t->told = mt_new_array(&t->a, uint64_t, t->m->rule_count / 64 + 1);
}

void an_teller_start(an_teller *t, const ct_frozen *z, mt_buf *out,
                     an_explain_form form)
{
    start(t, z, out, form);
}

void an_teller_start_partly(an_teller *t, ct_partial *x, mt_buf *out,
                            an_explain_form form)
{
    *t = (teller){.x = x,
                  .m = ct_partial_model(x),
                  .facts = ct_partial_facts(x),
                  .p = {out, form}};
    t->told = mt_new_array(&t->a, uint64_t, t->m->rule_count / 64 + 1);
}

/* One question for both cases: with all facts known
 * a verdict is present or absent, never open. */
static ct_partly state_of(const teller *t, uint32_t rule)
{
    if (t->x) {
        return (ct_partly)ct_partial_rule(t->x, rule)->state;
    }
    return ct_verdict_present(t->z->snapshot.verdicts, rule) ? CT_PARTLY_PRESENT
                                                             : CT_PARTLY_ABSENT;
}

static bool is_present(const teller *t, uint32_t rule)
{
    return state_of(t, rule) == CT_PARTLY_PRESENT;
}

static bool is_unknown(const teller *t, uint32_t fact)
{
    return t->x && ct_partial_unknown(t->x, fact);
}

/* A predicate that cannot be evaluated has no reasons: the fault is the reason. On the
 * frozen snapshot, as the evaluation was: the same atoms decide. */
static ct_reasons smallest(teller *t, const ct_expr *e, ct_fault *fault)
{
    ct_reasons reasons = {0};
    bool value;
    ct_partly state;
    mt_err err = t->x ? ct_why_partly(&t->a, t->x, e, &state, &reasons, fault)
                      : ct_why(&t->a, &t->z->snapshot, e, &value, &reasons, fault);
    if (err) {
        reasons.len = 0;
    }
    return reasons;
}

/* ---- prose ---- */

/* A default is marked, since the remedy is then to supply the fact. */
static void fact_lines(teller *t, unsigned depth, const ct_used *used)
{
    for (uint32_t i = 0; i < used->fact_count; i++) {
        const ct_fact *f = &t->m->facts[used->facts[i]];
        an_prose_indent(t->p, depth);
        mt_buf_addz(t->p.out, "fact ");
        an_prose_name(t->p, f->id);
        if (is_unknown(t, used->facts[i])) {
            mt_buf_addz(t->p.out, " is not known\n");
            continue;
        }
        mt_buf_addz(t->p.out, " is ");
        ct_value_text(t->p.out, f->type, ct_facts_value(t->facts, used->facts[i]));
        mt_buf_addz(t->p.out, ct_facts_external(t->facts, used->facts[i])
                                  ? "\n"
                                  : " (the contract's default)\n");
    }
}

static void verdict_lines(teller *t, unsigned depth, uint32_t rule);

/* A negated presence is told by what is, not by what does not hold: "verdict x is
 * present" where `not x` was wanted. */
static void atom_text(teller *t, const ct_reason *r)
{
    const ct_expr *e = r->atom;
    bool negated = e->op == CT_NOT && e->left->op == CT_PRESENT;
    if (e->op == CT_PRESENT || negated) {
        uint32_t rule = negated ? e->left->index : e->index;
        mt_buf_addz(t->p.out, "verdict ");
        an_prose_name(t->p, t->m->rules[rule].verdict);
        mt_buf_addf(t->p.out, " is %s", is_present(t, rule) ? "present" : "absent");
        return;
    }
    ct_expr_text(t->p.out, t->m, e);
    mt_buf_addz(t->p.out, r->value ? " holds" : " does not hold");
}

/* Recursion goes from verdicts to the verdicts they read, whose strata fall (§7.3). */
static void reason_lines(teller *t, unsigned depth, const ct_reasons *reasons)
{
    for (size_t i = 0; i < reasons->len; i++) {
        const ct_reason *r = &reasons->items[i];
        an_prose_indent(t->p, depth);
        mt_buf_addz(t->p.out, i ? "and " : "because ");
        atom_text(t, r);
        mt_buf_addc(t->p.out, '\n');
        fact_lines(t, depth + 1, &r->used);
        for (uint32_t v = 0; v < r->used.verdict_count; v++) {
            verdict_lines(t, depth + 1, r->used.verdicts[v]);
        }
    }
}

/* Why a verdict is as it is; told once, later mentions stand for themselves. */
static void verdict_lines(teller *t, unsigned depth, uint32_t rule)
{
    if (ct_bit(t->told, rule) || depth > MAX_TOLD_DEPTH) {
        return;
    }
    ct_bit_set(t->told, rule);
    ct_fault fault;
    ct_reasons reasons = smallest(t, t->m->rules[rule].when, &fault);
    bool open = state_of(t, rule) == CT_PARTLY_OPEN;
    an_prose_indent(t->p, depth);
    mt_buf_addz(t->p.out, "verdict ");
    an_prose_name(t->p, t->m->rules[rule].verdict);
    if (open) {
        mt_str text = ct_partly_text(&t->a, t->x, ct_partial_rule(t->x, rule)->when);
        mt_buf_addf(t->p.out, " depends on %.*s", MT_ARG(text));
    } else {
        mt_buf_addf(t->p.out, " is %s", is_present(t, rule) ? "present" : "absent");
    }
    mt_buf_addf(t->p.out, " (rule %.*s, stratum %u)\n", MT_ARG(t->m->rules[rule].id),
                t->m->rules[rule].stratum);
    if (open) {
        an_tell_verdicts(t, depth + 1, t->m->rules[rule].when);
    } else {
        reason_lines(t, depth + 1, &reasons);
    }
}

/* In the order in which they are written. */
void an_tell_verdicts(an_teller *t, unsigned depth, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        verdict_lines(t, depth, e->index);
    }
    an_tell_verdicts(t, depth, e->left);
    an_tell_verdicts(t, depth, e->right);
}

void an_tell_reasons(an_teller *t, unsigned depth, const ct_reasons *reasons)
{
    reason_lines(t, depth, reasons);
}

void an_tell_condition(an_teller *t, unsigned depth, const ct_expr *e)
{
    ct_fault fault;
    ct_reasons reasons = smallest(t, e, &fault);
    reason_lines(t, depth, &reasons);
}

void an_explain_verdict_partly(mt_buf *out, ct_partial *x, uint32_t rule,
                               an_explain_form form)
{
    teller t;
    an_teller_start_partly(&t, x, out, form);
    verdict_lines(&t, 0, rule);
    mt_arena_free(&t.a);
}

void an_explain_verdict(mt_buf *out, const ct_frozen *z, uint32_t rule,
                        an_explain_form form)
{
    teller t;
    start(&t, z, out, form);
    verdict_lines(&t, 0, rule);
    mt_arena_free(&t.a);
}

/* ---- JSON ---- */

/* In the form of results, so that a value has its kind beside it. */
static void facts_json(teller *t, const ct_used *used)
{
    mt_buf value = {0};
    mt_jw_begin_unsorted(t->w);
    for (uint32_t i = 0; i < used->fact_count; i++) {
        const ct_fact *f = &t->m->facts[used->facts[i]];
        mt_buf_clear(&value);
        mt_jw_key(t->w, f->id);
        if (is_unknown(t, used->facts[i])) {
            mt_jw_null(t->w);
            continue;
        }
        ct_value_json(&value, f->type, ct_facts_value(t->facts, used->facts[i]));
        mt_jw_raw(t->w, mt_buf_str(&value));
    }
    mt_jw_end_object(t->w);
    mt_buf_free(&value);
}

static void verdict_json(teller *t, unsigned depth, uint32_t rule);

/* [{"atom": "amount > 3", "facts": {…}, "value": true, "verdicts": […]}] */
static void reasons_json(teller *t, unsigned depth, const ct_reasons *reasons)
{
    mt_buf text = {0};
    mt_jw_begin_array(t->w);
    for (size_t i = 0; i < reasons->len; i++) {
        const ct_reason *r = &reasons->items[i];
        mt_jw_begin_object(t->w);
        mt_buf_clear(&text);
        ct_expr_text(&text, t->m, r->atom);
        mt_jw_key_str(t->w, "atom", mt_buf_str(&text));
        mt_jw_keyz(t->w, "facts");
        facts_json(t, &r->used);
        mt_jw_key_bool(t->w, "value", r->value);
        mt_jw_keyz(t->w, "verdicts");
        mt_jw_begin_array(t->w);
        for (uint32_t v = 0; v < r->used.verdict_count; v++) {
            verdict_json(t, depth + 1, r->used.verdicts[v]);
        }
        mt_jw_end_array(t->w);
        mt_jw_end_object(t->w);
    }
    mt_jw_end_array(t->w);
    mt_buf_free(&text);
}

/* Every verdict that the expression reads. */
static void verdicts_json(teller *t, unsigned depth, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        verdict_json(t, depth, e->index);
    }
    verdicts_json(t, depth, e->left);
    verdicts_json(t, depth, e->right);
}

/* Only where facts are all known: `deep` is set by functions that have a snapshot. */
void an_tell_why(an_teller *t, const ct_expr *e)
{
    if (t->deep && e) {
        mt_jw_keyz(t->w, "why");
        an_explain_deep(t->w, &t->z->snapshot, t->deep, e);
    }
}

/* A verdict that was told already, or is too deep, is named without its reasons: the
 * answer stays finite and short. */
static void verdict_json(teller *t, unsigned depth, uint32_t rule)
{
    const ct_rule *r = &t->m->rules[rule];
    bool again = ct_bit(t->told, rule) || depth > MAX_TOLD_DEPTH;
    ct_bit_set(t->told, rule);
    bool open = state_of(t, rule) == CT_PARTLY_OPEN;
    mt_jw_begin_object(t->w);
    if (!again) {
        ct_fault fault;
        ct_reasons reasons = smallest(t, r->when, &fault);
        mt_jw_keyz(t->w, "because");
        reasons_json(t, depth, &reasons);
    }
    if (open && !again) {
        mt_str text = ct_partly_text(&t->a, t->x, ct_partial_rule(t->x, rule)->when);
        mt_jw_key_str(t->w, "condition", text);
        mt_jw_keyz(t->w, "depends_on");
        mt_jw_begin_array(t->w);
        verdicts_json(t, depth + 1, r->when);
        mt_jw_end_array(t->w);
    }
    if (!open) {
        mt_jw_key_bool(t->w, "present", is_present(t, rule));
    }
    mt_jw_key_str(t->w, "rule", r->id);
    mt_jw_key_i64(t->w, "stratum", r->stratum);
    mt_jw_key_str(t->w, "verdict", r->verdict);
    if (!depth) {
        an_tell_why(t, r->when);
    }
    mt_jw_end_object(t->w);
}

void an_explain_verdict_json(mt_buf *out, const ct_frozen *z, uint32_t rule,
                             ct_partial *deep)
{
    teller t;
    start(&t, z, out, AN_EXPLAIN_TEXT);
    t.deep = deep;
    mt_jw w = mt_jw_start(out, false);
    t.w = &w;
    verdict_json(&t, 0, rule);
    mt_arena_free(&t.a);
}

void an_tell_reasons_json(an_teller *t, const ct_reasons *reasons)
{
    reasons_json(t, 0, reasons);
}

void an_tell_condition_json(an_teller *t, const ct_expr *e)
{
    ct_fault fault;
    ct_reasons reasons = smallest(t, e, &fault);
    reasons_json(t, 0, &reasons);
}

void an_tell_verdicts_json(an_teller *t, const ct_expr *e)
{
    mt_jw_begin_array(t->w);
    verdicts_json(t, 0, e);
    mt_jw_end_array(t->w);
}

void an_explain_verdict_partly_json(mt_buf *out, ct_partial *x, uint32_t rule)
{
    teller t;
    an_teller_start_partly(&t, x, out, AN_EXPLAIN_TEXT);
    mt_jw w = mt_jw_start(out, false);
    t.w = &w;
    verdict_json(&t, 0, rule);
    mt_arena_free(&t.a);
}

/* ---- flows ---- */

/* No reasons without a precondition: it always holds. */
static ct_reasons precondition_reasons(teller *t, uint32_t op)
{
    ct_fault fault;
    const ct_expr *e = t->m->operations[op].precondition;
    return e ? smallest(t, e, &fault) : (ct_reasons){0};
}

/* Who could begin it helps more than who cannot; where that has no answer the line ends
 * early. */
static void persona_line(teller *t, const ct_blocked *b, mt_str persona)
{
    const ct_entry *entries;
    uint32_t count, terminal;
    mt_str message;
    an_prose_indent(t->p, 1);
    mt_buf_addf(t->p.out, "because persona %.*s does not begin it: ", MT_ARG(persona));
    if (ct_flow_entries(&t->a, t->z, b->flow, &entries, &count, &terminal, &message)) {
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addf(t->p.out, "%s%.*s is to perform %.*s", i ? ", " : "",
                    MT_ARG(ct_persona_id(t->z->plan, entries[i].persona)),
                    MT_ARG(ct_operation_id(t->z->plan, entries[i].op)));
    }
    mt_buf_addc(t->p.out, '\n');
}

/* Instances are counted per state and not listed: there may be thousands. */
static void state_line(teller *t, const ct_blocked *b)
{
    const ct_plan *p = t->z->plan;
    const ct_operation *op = &t->m->operations[b->op];
    an_prose_indent(t->p, 1);
    mt_buf_addf(t->p.out, "because %u instance(s) of ", b->group->count);
    an_prose_name(t->p, ct_entity_id(p, b->entity));
    mt_buf_addf(t->p.out, " are in state '%.*s' and %.*s leaves",
                MT_ARG(ct_plan_state_id(p, b->entity, b->group->state)),
                MT_ARG(op->id));
    const char *before = " '";
    for (uint32_t i = 0; i < op->effect_count; i++) {
        if (op->effects[i].entity == b->entity) {
            mt_buf_addf(t->p.out, "%s%.*s'", before,
                        MT_ARG(ct_plan_state_id(p, b->entity, op->effects[i].from)));
            before = ", '";
        }
    }
    mt_buf_addc(t->p.out, '\n');
}

/* One sentence per reason that keeps a flow from beginning. */
static void blocked_lines(teller *t, const ct_blocked *b, mt_str persona)
{
    const ct_plan *p = t->z->plan;
    ct_reasons reasons;
    switch (b->kind) {
    case CT_BLOCK_PERSONA: persona_line(t, b, persona); break;
    case CT_BLOCK_PRECONDITION:
        an_prose_line(t->p, 1, "because the precondition of %.*s does not hold",
                      MT_ARG(ct_operation_id(p, b->op)));
        reasons = precondition_reasons(t, b->op);
        reason_lines(t, 2, &reasons);
        break;
    case CT_BLOCK_STATE: state_line(t, b); break;
    case CT_BLOCK_INSTANCE:
        an_prose_line(t->p, 1, "because there is no instance of %.*s",
                      MT_ARG(ct_entity_id(p, b->entity)));
        break;
    case CT_BLOCK_EVALUATION:
        an_prose_line(t->p, 1, "because a condition has no value: %.*s",
                      MT_ARG(b->message));
        break;
    case CT_BLOCK_NOTHING:
        an_prose_line(t->p, 1, "because it ends before any operation");
        break;
    }
}

/* What makes it possible is told as what would prevent it is: by the atoms that
 * decide. */
static void action_lines(teller *t, const ct_action *action)
{
    const ct_plan *p = t->z->plan;
    for (uint32_t i = 0; i < action->entry_count; i++) {
        uint32_t op = action->entries[i].op;
        an_prose_line(t->p, 1, "it begins with %.*s", MT_ARG(ct_operation_id(p, op)));
        ct_reasons reasons = precondition_reasons(t, op);
        reason_lines(t, 2, &reasons);
    }
    for (uint32_t i = 0; i < action->binding_count; i++) {
        const ct_choice_set *set = &action->bindings[i];
        an_prose_line(t->p, 2, "%u instance(s) of %.*s are in a source state",
                      set->count, MT_ARG(ct_entity_id(p, set->entity)));
    }
}

/* A flow that is open is among the actions; one
 * that is closed has its reasons among `blocked`. */
static bool is_open(const ct_action_space *space, uint32_t flow)
{
    for (size_t i = 0; i < space->actions.len; i++) {
        if (space->actions.items[i].flow == flow) {
            return true;
        }
    }
    return false;
}

/* The whole action space is asked for although one flow is meant (§15.6): then the
 * answer cannot differ from `motet actions`. */
void an_explain_flow(mt_buf *out, const ct_frozen *z, const ct_states *states,
                     uint32_t flow, mt_str persona, an_explain_form form, bool *open)
{
    teller t;
    ct_action_space space;
    start(&t, z, out, form);
    ct_actions(&t.a, z, states, persona, &space);
    *open = is_open(&space, flow);
    an_prose_indent(t.p, 0);
    mt_buf_addz(out, "flow ");
    an_prose_name(t.p, z->plan->graphs[flow].id);
    mt_buf_addf(out, " is %s persona ", *open ? "open to" : "closed to");
    an_prose_name(t.p, persona);
    mt_buf_addc(out, '\n');
    for (size_t i = 0; i < space.actions.len; i++) {
        if (space.actions.items[i].flow == flow) {
            action_lines(&t, &space.actions.items[i]);
        }
    }
    for (size_t i = 0; i < space.blocked.len && !*open; i++) {
        if (space.blocked.items[i].flow == flow) {
            blocked_lines(&t, &space.blocked.items[i], persona);
        }
    }
    mt_arena_free(&t.a);
}

/* Keys that do not apply to the kind of block are left out; `because` is always
 * there. */
static void blocked_json(teller *t, const ct_blocked *b)
{
    const ct_plan *p = t->z->plan;
    mt_jw *w = t->w;
    ct_reasons reasons = {0};
    if (b->kind == CT_BLOCK_PRECONDITION) {
        reasons = precondition_reasons(t, b->op);
    }
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "because");
    reasons_json(t, 0, &reasons);
    if (b->entity != CT_NONE) {
        mt_jw_key_str(w, "entity", ct_entity_id(p, b->entity));
    }
    if (b->group) {
        mt_jw_key_i64(w, "instances", b->group->count);
    }
    if (b->message.ptr) {
        mt_jw_key_str(w, "message", b->message);
    }
    if (b->op != CT_NONE) {
        mt_jw_key_str(w, "operation", ct_operation_id(p, b->op));
    }
    if (b->group) {
        mt_jw_key_str(w, "state", ct_plan_state_id(p, b->entity, b->group->state));
    }
    mt_jw_key_str(w, "type", ct_block_name(b->kind));
    if (b->kind == CT_BLOCK_PRECONDITION) {
        an_tell_why(t, t->m->operations[b->op].precondition);
    }
    mt_jw_end_object(w);
}

/* By entry: a flow may begin with one of several operations. */
static void action_json(teller *t, const ct_action *action)
{
    mt_jw_begin_array(t->w);
    for (uint32_t i = 0; i < action->entry_count; i++) {
        uint32_t op = action->entries[i].op;
        ct_reasons reasons = precondition_reasons(t, op);
        mt_jw_begin_object(t->w);
        mt_jw_keyz(t->w, "because");
        reasons_json(t, 0, &reasons);
        mt_jw_key_str(t->w, "operation", ct_operation_id(t->z->plan, op));
        mt_jw_end_object(t->w);
    }
    mt_jw_end_array(t->w);
}

/* {"blocked": […], "flow": …, "open": …, "operations": […], "persona": …}; at most one
 * of the lists has something in it. */
void an_explain_flow_json(mt_buf *out, const ct_frozen *z, const ct_states *states,
                          uint32_t flow, mt_str persona, ct_partial *deep, bool *open)
{
    teller t;
    ct_action_space space;
    start(&t, z, out, AN_EXPLAIN_TEXT);
    t.deep = deep;
    mt_jw w = mt_jw_start(out, false);
    t.w = &w;
    ct_actions(&t.a, z, states, persona, &space);
    *open = is_open(&space, flow);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "blocked");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < space.blocked.len && !*open; i++) {
        if (space.blocked.items[i].flow == flow) {
            blocked_json(&t, &space.blocked.items[i]);
        }
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "flow", z->plan->graphs[flow].id);
    mt_jw_key_bool(&w, "open", *open);
    mt_jw_keyz(&w, "operations");
    const ct_action *action = NULL;
    for (size_t i = 0; i < space.actions.len && !action; i++) {
        action = space.actions.items[i].flow == flow ? &space.actions.items[i] : NULL;
    }
    if (action) {
        action_json(&t, action);
    } else {
        mt_jw_begin_array(&w);
        mt_jw_end_array(&w);
    }
    mt_jw_key_str(&w, "persona", persona);
    mt_jw_end_object(&w);
    mt_arena_free(&t.a);
}
