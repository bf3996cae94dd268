/* whatif/why.c - steps compared, and the reasons in words.
 *
 * A step is the same when id, kind, operation, personas, result and changes are;
 * changes are a set. Reasons say what decided: the atoms of a precondition that fails
 * now or failed then, verdicts that came or went and the atoms behind them, changes
 * that differ. Sentences are joined by "; " and shown one per line.
 *
 * The JSON of a difference leaves out what does not apply. Nothing here can fail: what
 * cannot be explained is said without a reason. */
#include "contract/flow/why.h"
#include "base/json_write.h"
#include "contract/flow/report.h"
#include "contract/flow/text.h"
#include "whatif/impl.h"

/* ---- Comparing ---- */

/* What stands for a result in both worlds. A hand-off, a parallel step and an
 * escalation have no result of their own, so they agree when their steps do. */
mt_str wi_result(const ct_run *run, const ct_record *r, bool *error)
{
    const ct_plan *p = run->plan;
    *error = r->error != CT_OP_NONE;
    switch (r->kind) {
    case CT_RECORD_OPERATION:
    case CT_RECORD_COMPENSATION:
        return *error ? ct_op_error_name(r->error) : p->outcomes[r->result].label;
    case CT_RECORD_BRANCH:
        return *error ? MT_STR("error") : r->result ? MT_STR("true") : MT_STR("false");
    case CT_RECORD_SUBFLOW:
        *error = r->result == CT_NONE;
        return *error ? MT_STR("error") : p->terminals[r->result].name;
    case CT_RECORD_HANDOFF:
    case CT_RECORD_PARALLEL:
    case CT_RECORD_ESCALATION: break;
    }
    return MT_STR("");
}

static mt_str persona_of(const ct_plan *p, uint32_t persona)
{
    return persona == CT_NONE ? MT_STR("") : ct_persona_id(p, persona);
}

/* Who acted, and to whom it went. */
static void people(const ct_plan *p, const ct_record *r, mt_str *from, mt_str *to)
{
    *from = persona_of(p, r->persona);
    *to = MT_STR("");
    if (r->kind == CT_RECORD_HANDOFF) {
        *to = persona_of(p, p->steps[r->step].to_persona);
    } else if (r->kind == CT_RECORD_ESCALATION) {
        *to = *from;
        *from = MT_STR("");
    }
}

/* As sets, since neither side promises an order. An entity occurs at most once among
 * the moves of a step, so equal counts and one inclusion are enough. Quadratic in the
 * moves of one operation, which are few. */
bool wi_same_moves(const wi_whatif *w, const wi_step *s, const ct_change *changes,
                   uint32_t n)
{
    bool same = n == s->move_count;
    for (uint32_t i = 0; i < n && same; i++) {
        const ct_change *c = &changes[i];
        bool found = false;
        for (uint32_t k = 0; k < n && !found; k++) {
            const wi_move *m = &w->now.moves.items[s->first_move + k];
            found =
                mt_str_eq(m->entity, ct_entity_id(w->plan, c->entity)) &&
                mt_str_eq(m->before, ct_plan_state_id(w->plan, c->entity, c->from)) &&
                mt_str_eq(m->after, ct_plan_state_id(w->plan, c->entity, c->to));
        }
        same = found;
    }
    return same;
}

/* ORDER: the cheap comparisons come first; most steps that differ do so by name or
 * result. */
bool wi_same_step(const wi_whatif *w, const wi_step *s, const ct_record *r)
{
    const ct_run *run = &w->run;
    const ct_plan *p = run->plan;
    bool error;
    mt_str from, to, result = wi_result(run, r, &error);
    people(p, r, &from, &to);
    return mt_str_eq(s->step, p->steps[r->step].id) &&
           mt_str_eq(error ? s->error : s->result, result) &&
           mt_str_eq(s->kind, ct_record_kind_name(r->kind)) &&
           (r->op == CT_NONE || mt_str_eq(s->op, ct_operation_id(p, r->op))) &&
           mt_str_eq(s->persona, from) && mt_str_eq(s->to, to) &&
           wi_same_moves(w, s, ct_record_changes(run, r), r->change_count);
}

/* ---- Reasons ---- */

static void sentence(wi_whatif *w)
{
    if (w->reason.len) {
        mt_buf_addz(&w->reason, "; ");
    }
}

/* "a = 1 is false, b is true": the atoms that make the predicate what it is. */
static void add_atoms(wi_whatif *w, const ct_expr *predicate)
{
    ct_snapshot s = wi_snapshot(w);
    ct_reasons reasons = {0};
    ct_fault fault = {0};
    bool value;
    if (!predicate) {
        return;
    }
    if (ct_why_all(&w->texts, &s, predicate, &value, &reasons, &fault)) {
        mt_buf_adds(&w->reason, fault.message);
        return;
    }
    for (size_t i = 0; i < reasons.len; i++) {
        mt_buf_addz(&w->reason, i ? ", " : "");
        ct_expr_text(&w->reason, w->model, reasons.items[i].atom);
        mt_buf_addz(&w->reason, reasons.items[i].value ? " is true" : " is false");
    }
}

/* Names are those of verdicts, not rules: the recorded contract may have produced it by
 * another rule. */
static void why_verdict(wi_whatif *w, mt_str name, bool gained)
{
    uint32_t rule = ct_model_find(w->model, CT_KIND_VERDICT, name);
    sentence(w);
    if (rule == CT_NONE) {
        mt_buf_addf(&w->reason, "no rule of the candidate produces verdict '%.*s'",
                    MT_ARG(name));
        return;
    }
    mt_buf_addf(&w->reason, "verdict '%.*s' would be %s: ", MT_ARG(name),
                gained ? "present" : "absent");
    add_atoms(w, w->model->rules[rule].when);
}

static void why_verdicts(wi_whatif *w, const wi_whatif_difference *d)
{
    for (size_t i = 0; i < d->lost_count; i++) {
        why_verdict(w, d->lost[i], false);
    }
    for (size_t i = 0; i < d->gained_count; i++) {
        why_verdict(w, d->gained[i], true);
    }
}

/* True: nothing was evaluated, so there is nothing more to explain. */
static bool why_unready(wi_whatif *w, const wi_whatif_difference *d)
{
    switch (d->kind) {
    case WI_WHATIF_MISSING:
        mt_buf_addf(&w->reason, "the candidate has no %s '%.*s'",
                    d->is_flow ? "flow" : "operation", MT_ARG(d->name));
        return true;
    case WI_WHATIF_FACTS:
    case WI_WHATIF_EVALUATION: mt_buf_adds(&w->reason, w->fault.message); return true;
    case WI_WHATIF_REFUSED:
    case WI_WHATIF_ALLOWED:
    case WI_WHATIF_OUTCOME:
    case WI_WHATIF_EFFECTS:
    case WI_WHATIF_ERROR:
    case WI_WHATIF_STEPS:
    case WI_WHATIF_VERDICTS:
    case WI_WHATIF_KIND_COUNT: break;
    }
    return false;
}

/* "EscrowAccount held -> released" */
static void add_changes(wi_whatif *w, const ct_change *changes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const ct_change *c = &changes[i];
        mt_str entity = ct_entity_id(w->plan, c->entity);
        mt_str from = ct_plan_state_id(w->plan, c->entity, c->from);
        mt_str to = ct_plan_state_id(w->plan, c->entity, c->to);
        mt_buf_addf(&w->reason, "%s%.*s %.*s -> %.*s", i ? ", " : "", MT_ARG(entity),
                    MT_ARG(from), MT_ARG(to));
    }
    mt_buf_addz(&w->reason, n ? "" : "nothing");
}

static void add_moves(wi_whatif *w, const wi_step *s)
{
    for (uint32_t i = 0; i < s->move_count; i++) {
        const wi_move *m = &w->now.moves.items[s->first_move + i];
        mt_buf_addf(&w->reason, "%s%.*s %.*s -> %.*s", i ? ", " : "", MT_ARG(m->entity),
                    MT_ARG(m->before), MT_ARG(m->after));
    }
    mt_buf_addz(&w->reason, s->move_count ? "" : "nothing");
}

static void why_moves(wi_whatif *w, const wi_step *s, const ct_change *changes,
                      uint32_t n)
{
    if (!wi_same_moves(w, s, changes, n)) {
        sentence(w);
        mt_buf_addz(&w->reason, "moved ");
        add_moves(w, s);
        mt_buf_addz(&w->reason, ", would move ");
        add_changes(w, changes, n);
    }
}

/* A refusal speaks for itself; a condition is spelled out where it decided, on either
 * side. w->attempt and w->changes are those of the decision just made. */
void wi_why_operation(wi_whatif *w, const wi_whatif_difference *d)
{
    const wi_step *s = &w->now.steps.items[0];
    const ct_attempt *a = &w->attempt;
    if (why_unready(w, d)) {
        return;
    }
    uint32_t op = ct_model_find(w->model, CT_KIND_OPERATION, s->op);
    if (a->error) {
        ct_op_error_text(&w->reason, w->plan, op, s->persona, a, MT_STR(""));
    }
    if (a->error == CT_OP_PRECONDITION || (!a->error && s->error.len)) {
        sentence(w);
        add_atoms(w, w->model->operations[op].precondition);
    } else if (!a->error && !s->error.len) {
        why_moves(w, s, w->changes, a->change_count);
    }
    why_verdicts(w, d);
}

static void add_step(wi_whatif *w, mt_str kind, mt_str step, mt_str op, mt_str result)
{
    mt_buf_addf(&w->reason, "%.*s '%.*s'", MT_ARG(kind), MT_ARG(step));
    if (op.len) {
        mt_buf_addf(&w->reason, " (%.*s)", MT_ARG(op));
    }
    if (result.len) {
        mt_buf_addf(&w->reason, " gave %.*s", MT_ARG(result));
    }
}

/* Records of the run speak in indexes of the plan; what is written are names, as in
 * recorded steps. */
static void add_candidate(wi_whatif *w, const ct_record *r)
{
    bool error;
    mt_str op = r->op == CT_NONE ? MT_STR("") : ct_operation_id(w->plan, r->op);
    mt_str persona = persona_of(w->plan, r->persona);
    add_step(w, ct_record_kind_name(r->kind), w->plan->steps[r->step].id, op,
             wi_result(&w->run, r, &error));
    if (persona.len) {
        mt_buf_addf(&w->reason, " as %.*s", MT_ARG(persona));
    }
    if (r->message != CT_NONE) {
        mt_buf_addf(&w->reason, ": %.*s", MT_ARG(w->run.messages.items[r->message]));
    }
}

/* What the candidate's step looked at. */
static void why_record(wi_whatif *w, const ct_record *r)
{
    const ct_plan *p = w->plan;
    uint32_t condition = CT_NONE;
    if (r->kind == CT_RECORD_BRANCH) {
        condition = p->steps[r->step].what;
    } else if (r->error == CT_OP_PRECONDITION) {
        condition = p->ops[r->op].condition;
    }
    if (condition != CT_NONE) {
        sentence(w);
        add_atoms(w, w->model->conditions[condition]);
    }
}

static void add_recorded(wi_whatif *w, const wi_step *s)
{
    add_step(w, s->kind, s->step, s->op, s->error.len ? s->error : s->result);
    if (s->persona.len) {
        mt_buf_addf(&w->reason, " as %.*s", MT_ARG(s->persona));
    }
}

/* `recorded` and `candidate` are the first steps that differ; NULL where one of the two
 * had already ended. Later steps follow from these and are not explained. */
void wi_why_flow(wi_whatif *w, const wi_whatif_difference *d, const wi_step *recorded,
                 const ct_record *candidate)
{
    if (why_unready(w, d)) {
        return;
    }
    if (d->kind == WI_WHATIF_REFUSED) {
        mt_buf_adds(&w->reason, w->run.fault);
    } else if (recorded || candidate) {
        mt_buf_addz(&w->reason, "was ");
        if (recorded) {
            add_recorded(w, recorded);
        } else {
            mt_buf_addz(&w->reason, "the end");
        }
        mt_buf_addz(&w->reason, ", would be ");
        if (candidate) {
            add_candidate(w, candidate);
            why_record(w, candidate);
        } else {
            mt_buf_addz(&w->reason, "the end");
        }
        if (recorded && candidate) {
            why_moves(w, recorded, ct_record_changes(&w->run, candidate),
                      candidate->change_count);
        }
    }
    if (d->differs & 1u << WI_WHATIF_OUTCOME) {
        sentence(w);
        mt_buf_addf(&w->reason, "ended with %.*s, would end with %.*s", MT_ARG(d->was),
                    MT_ARG(d->now));
    }
    why_verdicts(w, d);
}

/* ---- Words ---- */

static void names(mt_jw *w, const char *key, const mt_str *items, size_t n)
{
    if (n) {
        mt_jw_key(w, mt_str_z(key));
        mt_jw_begin_array(w);
        for (size_t i = 0; i < n; i++) {
            mt_jw_str(w, items[i]);
        }
        mt_jw_end_array(w);
    }
}

static void text_member(mt_jw *w, const char *key, mt_str text)
{
    if (text.len) {
        mt_jw_key(w, mt_str_z(key));
        mt_jw_str(w, text);
    }
}

void wi_whatif_json(mt_buf *out, const wi_whatif_difference *d)
{
    mt_jw w = mt_jw_start(out, false);
    mt_str kinds[WI_WHATIF_KIND_COUNT];
    size_t n = 0;
    for (int i = 0; i < WI_WHATIF_KIND_COUNT; i++) {
        if (d->differs >> i & 1) {
            kinds[n++] = mt_str_z(wi_whatif_kind_name((wi_whatif_kind)i));
        }
    }
    mt_jw_begin_object(&w);
    names(&w, "differs", kinds, n);
    text_member(&w, "execution", d->execution);
    if (d->is_flow) {
        text_member(&w, "flow", d->name);
    }
    names(&w, "gained", d->gained, d->gained_count);
    text_member(&w, "kind", mt_str_z(wi_whatif_kind_name(d->kind)));
    names(&w, "lost", d->lost, d->lost_count);
    text_member(&w, "now", d->now);
    if (!d->is_flow) {
        text_member(&w, "operation", d->name);
    }
    text_member(&w, "persona", d->persona);
    text_member(&w, "reason", d->reason);
    if (!d->unnumbered) {
        mt_jw_key_i64(&w, "seq", (int64_t)d->seq);
    }
    text_member(&w, "step", d->step);
    text_member(&w, "was", d->was);
    mt_jw_end_object(&w);
}

/* Reasons are joined by "; " and have one line each here; a value that has these
 * characters itself only breaks its line. */
void wi_whatif_text(mt_buf *out, const wi_whatif_difference *d)
{
    mt_buf_addf(out, "record %llu: %s %.*s as %.*s: was %.*s, would be %.*s [%s]\n",
                (unsigned long long)d->seq, d->is_flow ? "flow" : "operation",
                MT_ARG(d->name), MT_ARG(d->persona), MT_ARG(d->was), MT_ARG(d->now),
                wi_whatif_kind_name(d->kind));
    for (mt_str rest = d->reason; rest.len;) {
        const char *end = memmem(rest.ptr, rest.len, "; ", 2);
        size_t n = end ? (size_t)(end - rest.ptr) : rest.len;
        mt_buf_addf(out, "    %.*s\n", (int)n, rest.ptr);
        rest = mt_str_skip(rest, n + 2);
    }
}
