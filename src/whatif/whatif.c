/* whatif/whatif.c - decisions decided again and compared.
 *
 * Records come in the order of the ledger. An operation is decided at once: facts from
 * its record, states from its provenance, the same persona and outcome; verdicts,
 * error, outcome and changes are compared. A flow is gathered from its records
 * (flows.c) and decided when it has ended, or at the end of the ledger as far as it
 * went: run from the states it began with, with what others changed meanwhile put in
 * where the record shows it.
 *
 * Differences are bits (WI_WHATIF_MAP); the first of them names the kind. Reasons are
 * made only for as many as the caller wants to see (why.c). What a record does not say
 * cannot be decided and is counted as unknown, never as equal.
 *
 * What may fail: a record that cannot be read (its error), MT_E_LIMIT when a decision
 * takes more steps than allowed. Memory: `memory` for the replay, `texts` for one
 * decision. */
#include "whatif/whatif.h"

#include <stdlib.h>

#include "whatif/impl.h"

#define BIT(kind) (1u << WI_WHATIF_##kind)

static const char *const NAMES[] = {
#define NAME(name, text, help) text,
    WI_WHATIF_MAP(NAME)
#undef NAME
};

static const char *const HELPS[] = {
#define HELP(name, text, help) help,
    WI_WHATIF_MAP(HELP)
#undef HELP
};

const char *wi_whatif_kind_name(wi_whatif_kind kind)
{
    return NAMES[kind];
}

const char *wi_whatif_kind_help(wi_whatif_kind kind)
{
    return HELPS[kind];
}

/* Everything whose size follows from the candidate is allocated once here; deciding a
 * record afterwards allocates only in arenas that are reset. */
wi_whatif *wi_whatif_new(const wi_whatif_options *options)
{
    wi_whatif *w = mt_xmalloc(sizeof *w);
    *w = (wi_whatif){.options = *options, .plan = options->candidate};
    const ct_plan *p = w->plan;
    const ct_model *m = w->model = p->model;
    if (!w->options.limits) {
        w->options.limits = &MT_LIMITS_DEFAULT;
    }
    w->contract =
        mt_str_dup(&w->memory, options->contract.len ? options->contract : m->id);
    w->options.etag = mt_str_dup(&w->memory, options->etag);
    w->facts = ct_facts_new(m);
    w->verdicts = ct_verdicts_new(p->program);
    ct_verdicts_limit(w->verdicts,
                      (ct_patience){.steps = w->options.limits->eval_steps});
    w->scratch = ct_verdicts_new(p->program);
    w->states = mt_new_array(&w->memory, uint32_t, m->entity_count);
    w->instances = mt_new_array(&w->memory, mt_str, m->entity_count);
    w->changes = mt_new_array(&w->memory, ct_change, p->max_changes);
    w->expected = mt_new_array(&w->memory, uint64_t, m->rule_count / 64 + 1);
    return w;
}

void wi_whatif_free(wi_whatif *w)
{
    if (!w) {
        return;
    }
    ct_facts_free(w->facts);
    ct_verdicts_free(w->verdicts);
    ct_verdicts_free(w->scratch);
    ct_run_free(&w->run);
    wi_body_free(&w->start);
    wi_body_free(&w->now);
    wi_flows_free(&w->flows);
    mt_buf_free(&w->reason);
    mt_arena_free(&w->memory);
    mt_arena_free(&w->texts);
    free(w);
}

const wi_whatif_counts *wi_whatif_result(const wi_whatif *w)
{
    return &w->counts;
}

mt_str wi_whatif_foreign(const wi_whatif *w)
{
    return w->foreign;
}

/* ---- The snapshot ---- */

/* The bound first (S7), then the lengths these facts really have; only a contract that
 * could be too much pays for the second. */
static bool is_too_long(const wi_whatif *w)
{
    const ct_program *p = w->plan->program;
    uint64_t most = w->options.most_steps;
    if (!most || ct_work_most(p) <= most) {
        return false;
    }
    uint64_t steps = ct_work_rules(p, w->facts);
    for (uint32_t i = 0; i < w->model->condition_count && steps <= most; i++) {
        uint64_t more = ct_work_condition(p, w->facts, i);
        steps = more > most ? more : steps + more;
    }
    return steps > most;
}

/* Facts and rules of the candidate. 0, or the bit of what is wrong with them. */
static unsigned evaluate(wi_whatif *w, const wi_body *b)
{
    if (ct_facts_read(w->facts, mt_buf_str(&b->facts), w->options.limits, false,
                      &w->fault)) {
        return BIT(FACTS);
    }
    w->too_long = is_too_long(w);
    if (w->too_long) {
        return 0;
    }
    return ct_evaluate(w->plan->program, w->facts, w->verdicts, &w->texts, &w->fault)
               ? BIT(EVALUATION)
               : 0;
}

/* Are the same verdicts there? Leaves in w->expected those the record names. */
static unsigned compare_verdicts(wi_whatif *w, const wi_body *b)
{
    const ct_model *m = w->model;
    size_t present = 0, both = 0;
    memset(w->expected, 0, (m->rule_count / 64 + 1) * sizeof *w->expected);
    for (size_t i = 0; i < b->verdicts.len; i++) {
        uint32_t rule = ct_model_find(m, CT_KIND_VERDICT, b->verdicts.items[i]);
        if (rule != CT_NONE) {
            ct_bit_set(w->expected, rule);
            both += ct_verdict_present(w->verdicts, rule);
        }
    }
    for (uint32_t i = 0; i < m->rule_count; i++) {
        present += ct_verdict_present(w->verdicts, i);
    }
    return present == b->verdicts.len && both == present ? 0 : BIT(VERDICTS);
}

/* Those of the record that the candidate does not give, and the other way round; a
 * verdict without a rule is lost. */
static void list_verdicts(wi_whatif *w, const wi_body *b, wi_whatif_difference *d)
{
    const ct_model *m = w->model;
    mt_str *lost = mt_new_array(&w->texts, mt_str, b->verdicts.len);
    mt_str *gained = mt_new_array(&w->texts, mt_str, m->rule_count);
    for (size_t i = 0; i < b->verdicts.len; i++) {
        uint32_t rule = ct_model_find(m, CT_KIND_VERDICT, b->verdicts.items[i]);
        if (rule == CT_NONE || !ct_verdict_present(w->verdicts, rule)) {
            lost[d->lost_count++] = b->verdicts.items[i];
        }
    }
    for (uint32_t i = 0; i < m->rule_count; i++) {
        if (ct_verdict_present(w->verdicts, i) && !ct_bit(w->expected, i)) {
            gained[d->gained_count++] = m->rules[i].verdict;
        }
    }
    d->lost = lost;
    d->gained = gained;
}

/* ---- States ---- */

/* An entity that the record does not name has no state (CT_NONE): a state is never
 * guessed, not even the initial one. */
static void forget_states(wi_whatif *w)
{
    for (uint32_t e = 0; e < w->model->entity_count; e++) {
        w->states[e] = CT_NONE;
        w->instances[e] = (mt_str){0};
    }
}

/* Entities and states are matched by name; what the candidate does not have any more
 * has no state. */
static void set_state(wi_whatif *w, mt_str entity, mt_str state)
{
    uint32_t e = ct_model_find(w->model, CT_KIND_ENTITY, entity);
    if (e != CT_NONE) {
        w->states[e] = ct_state_find(&w->model->entities[e], state);
    }
}

/* ---- Reporting ---- */

/* The current difference is already counted, hence `<=`. */
static bool wants_reason(const wi_whatif *w)
{
    return w->options.found && w->counts.differing <= w->options.explain;
}

/* The lowest bit names the kind, since the enumerators are in order of weight.
 * `differs` must not be 0. */
static void count(wi_whatif *w, wi_whatif_difference *d)
{
    d->kind = (wi_whatif_kind)__builtin_ctz(d->differs);
    w->counts.differing++;
    w->counts.kinds[d->kind]++;
    mt_buf_clear(&w->reason);
}

/* `d` borrows from w->texts and w->reason and is valid during the call only. */
static void report(wi_whatif *w, wi_whatif_difference *d)
{
    d->reason = mt_buf_str(&w->reason);
    if (w->options.found) {
        w->options.found(w->options.state, d);
    }
}

/* ---- Operations ---- */

/* Allowed or refused comes before anything else; two refusals differ only by their
 * error. */
static unsigned compare_attempt(wi_whatif *w, const wi_step *s)
{
    const ct_attempt *a = &w->attempt;
    if (s->error.len || a->error) {
        return !s->error.len                                     ? BIT(REFUSED)
               : !a->error                                       ? BIT(ALLOWED)
               : mt_str_eq(s->error, ct_op_error_name(a->error)) ? 0
                                                                 : BIT(ERROR);
    }
    unsigned differs =
        mt_str_eq(s->result, w->plan->outcomes[a->outcome].label) ? 0 : BIT(OUTCOME);
    return wi_same_moves(w, s, w->changes, a->change_count) ? differs
                                                            : differs | BIT(EFFECTS);
}

/* The recorded outcome is what the caller named, where several match. */
static void try(wi_whatif *w, const wi_step *s, uint32_t op)
{
    ct_frozen z = {w->plan, wi_snapshot(w), w->scratch};
    uint32_t persona = ct_model_find(w->model, CT_KIND_PERSONA, s->persona);
    uint32_t named = CT_NONE;
    if (s->error.len && s->result.len) { /* refused, so it is the caller's wish */
        named = ct_plan_outcome_named(w->plan, op, s->result);
        named = named == CT_NONE ? w->plan->outcome_count : named;
    }
    ct_op_try(&z, op, persona, w->states, named, &w->texts, &w->attempt, w->changes);
    if (w->attempt.error == CT_OP_AMBIGUOUS && s->result.len) {
        uint32_t wanted = ct_plan_outcome_named(w->plan, op, s->result);
        if (wanted != CT_NONE) {
            ct_op_try(&z, op, persona, w->states, wanted, &w->texts, &w->attempt,
                      w->changes);
        }
    }
}

/* States are those the record saw before: what came after is the decision itself. */
static unsigned decide_operation(wi_whatif *w, const wi_step *s)
{
    wi_body *b = &w->now;
    uint32_t op = ct_model_find(w->model, CT_KIND_OPERATION, s->op);
    if (op == CT_NONE) {
        return BIT(MISSING);
    }
    unsigned differs = evaluate(w, b);
    if (differs || w->too_long) {
        return differs;
    }
    forget_states(w);
    for (uint32_t i = 0; i < s->move_count; i++) {
        const wi_move *m = &b->moves.items[s->first_move + i];
        set_state(w, m->entity, m->before);
    }
    try(w, s, op);
    return compare_verdicts(w, b) | compare_attempt(w, s);
}

/* What the candidate makes of it, in a word. */
static mt_str operation_now(const wi_whatif *w, unsigned differs)
{
    if (differs & (BIT(MISSING) | BIT(FACTS) | BIT(EVALUATION))) {
        return mt_str_z(NAMES[__builtin_ctz(differs)]);
    }
    return w->attempt.error ? ct_op_error_name(w->attempt.error)
                            : w->plan->outcomes[w->attempt.outcome].label;
}

/* Counted only when it could be decided. */
static mt_err replay_operation(wi_whatif *w, uint64_t seq, mt_str body)
{
    mt_err err = wi_body_read(&w->now, body, w->options.limits);
    if (err || !w->now.steps.len) {
        return err ? err : MT_E_TYPE;
    }
    const wi_step *s = &w->now.steps.items[0];
    mt_arena_reset(&w->texts);
    w->too_long = false;
    wi_whatif_difference d = {
        .seq = seq, .name = s->op, .persona = s->persona, .was = s->result};
    d.differs = decide_operation(w, s);
    if (w->too_long) {
        return MT_E_LIMIT;
    }
    w->counts.operations++;
    if (!d.differs) {
        return MT_OK;
    }
    d.was = s->error.len ? s->error : s->result;
    d.now = operation_now(w, d.differs);
    count(w, &d);
    if (d.differs & BIT(VERDICTS)) {
        list_verdicts(w, &w->now, &d);
    }
    if (wants_reason(w)) {
        wi_why_operation(w, &d);
    }
    report(w, &d);
    return MT_OK;
}

/* ---- Flows ---- */

/* The last state that this flow's own records showed for an entity, to be compared with
 * the next one: where they do not meet, somebody else moved it. The entities of one
 * flow are few, so a list is searched. */
static mt_str *tracked(wi_whatif *w, mt_str entity)
{
    for (size_t i = 0; i < w->tracked.len; i++) {
        if (mt_str_eq(w->tracked.items[i].entity, entity)) {
            return &w->tracked.items[i].value;
        }
    }
    wi_pair pair = {entity, {0}};
    mt_vec_push(&w->memory, &w->tracked, pair);
    return &w->tracked.items[w->tracked.len - 1].value;
}

/* A state the flow met that it did not leave behind itself: somebody else was there. */
static void meet(wi_whatif *w, mt_str step, mt_str entity, mt_str state)
{
    mt_str *known = tracked(w, entity);
    if (known->ptr && !mt_str_eq(*known, state)) {
        wi_shift shift = {step, entity, state, false};
        mt_vec_push(&w->memory, &w->shifts, shift);
    }
    *known = state;
}

static mt_str place_of(const wi_step *s)
{
    return mt_str_is(s->kind, "compensation") ? s->op : s->step;
}

/* Where the flow waited, step by step; a move by others took place at the last such
 * step, or between two turns just before the step that shows it. */
static mt_err find_shifts(wi_whatif *w, const wi_flow *flow, const wi_body *end)
{
    mt_arena *a = &w->texts;
    MT_VEC(mt_str) waits = {0};
    bool waiting;
    size_t next = 0;
    mt_str at = {0}, last = {0};
    for (size_t i = 1; i < wi_flow_part_count(flow); i++) {
        mt_str part = wi_flow_part(flow, i, &waiting);
        if (waiting) {
            wi_body b = {0};
            mt_err err = wi_body_read(&b, part, w->options.limits);
            mt_vec_push(a, &waits, mt_str_dup(a, b.step));
            wi_body_free(&b);
            if (err) {
                return err;
            }
        }
    }
    for (size_t i = 0; i < end->steps.len; i++) {
        const wi_step *s = &end->steps.items[i];
        last = place_of(s);
        if (next < waits.len && mt_str_eq(last, waits.items[next])) {
            at = waits.items[next++];
        }
        for (uint32_t k = 0; k < s->move_count; k++) {
            const wi_move *m = &end->moves.items[s->first_move + k];
            meet(w, at.ptr ? at : last, m->entity, m->before);
            *tracked(w, m->entity) = m->after;
        }
    }
    for (size_t i = 0; i < end->states.len; i++) {
        meet(w, at.ptr ? at : last, end->states.items[i].entity,
             end->states.items[i].value);
    }
    return MT_OK;
}

/* Instances and states the flow began with. A ledger that does not say them still does
 * where an operation of the flow shows them. False: some are not known. */
static bool begin_states(wi_whatif *w, uint32_t flow, const wi_body *end)
{
    const wi_body *b = &w->start;
    forget_states(w);
    w->tracked.len = w->shifts.len = 0;
    for (size_t i = 0; i < b->bindings.len; i++) {
        const wi_pair *pair = &b->bindings.items[i];
        uint32_t e = ct_model_find(w->model, CT_KIND_ENTITY, pair->entity);
        if (e != CT_NONE) {
            w->instances[e] = pair->value;
        }
    }
    for (size_t i = b->has_states ? 0 : end->moves.len; i-- > 0;) {
        set_state(w, end->moves.items[i].entity, end->moves.items[i].before);
    }
    for (size_t i = 0; i < b->states.len; i++) {
        set_state(w, b->states.items[i].entity, b->states.items[i].value);
        *tracked(w, b->states.items[i].entity) = b->states.items[i].value;
    }
    bool known = true;
    for (uint32_t e = 0; e < w->model->entity_count && !b->has_states; e++) {
        known &= !ct_bit(w->plan->graphs[flow].entities, e) || !w->instances[e].ptr ||
                 w->states[e] != CT_NONE;
    }
    return known;
}

/* What the caller named then, found by step and operation; nobody has named anything
 * else. */
static uint32_t choose(void *context, const ct_run *run, uint32_t step, uint32_t op,
                       const uint32_t *matching, uint32_t many)
{
    const wi_whatif *w = context;
    const wi_body *b = &w->now;
    (void)matching;
    (void)many;
    for (size_t i = 0; i < b->steps.len; i++) {
        if (mt_str_eq(b->steps.items[i].step, run->plan->steps[step].id) &&
            mt_str_eq(b->steps.items[i].op, ct_operation_id(run->plan, op))) {
            return ct_plan_outcome_named(run->plan, op, b->steps.items[i].result);
        }
    }
    return CT_NONE;
}

/* Somebody else's change is put in once, before the step at which the record shows it.
 */
static void shift(wi_whatif *w)
{
    uint32_t undo, step = ct_run_next(&w->run, &undo);
    mt_str at =
        undo != CT_NONE ? ct_operation_id(w->plan, undo) : w->plan->steps[step].id;
    for (size_t i = 0; i < w->shifts.len; i++) {
        wi_shift *s = &w->shifts.items[i];
        uint32_t e = ct_model_find(w->model, CT_KIND_ENTITY, s->entity);
        if (!s->done && e != CT_NONE && mt_str_eq(s->step, at)) {
            ct_run_set_state(&w->run, e,
                             ct_state_find(&w->model->entities[e], s->state));
            s->done = true;
        }
    }
}

/* Step by step, since others' changes belong between the steps. */
static void run_flow(wi_whatif *w, uint32_t flow)
{
    ct_run_input in = {.plan = w->plan,
                       .snapshot = wi_snapshot(w),
                       .flow = flow,
                       .persona = w->start.persona,
                       .instances = w->instances,
                       .states = w->states,
                       .host = {.context = w, .choose = choose},
                       .max_steps = w->options.limits->flow_steps};
    ct_run_start(&w->run, &in);
    while (w->run.status == CT_RUN_MORE) {
        if (w->shifts.len) {
            shift(w);
        }
        ct_run_step(&w->run);
    }
}

/* Where each instance ends up, by the steps and by the run. */
static bool same_ends(wi_whatif *w, const wi_body *end)
{
    const ct_run *run = &w->run;
    w->tracked.len = 0;
    for (size_t i = 0; i < run->changes.len; i++) {
        const ct_change *c = &run->changes.items[i];
        *tracked(w, ct_entity_id(w->plan, c->entity)) =
            ct_plan_state_id(w->plan, c->entity, c->to);
    }
    size_t touched = w->tracked.len;
    bool same = true;
    for (size_t i = end->moves.len; i-- > 0;) {
        const wi_move *m = &end->moves.items[i];
        bool seen = false;
        for (size_t k = i + 1; k < end->moves.len; k++) {
            seen |= mt_str_eq(end->moves.items[k].entity, m->entity);
        }
        if (!seen) {
            same &= mt_str_eq(*tracked(w, m->entity), m->after);
            touched -= touched > 0;
        }
    }
    return same && !touched;
}

/* The first step that differs; both NULL: none does. Of a flow that did not end only
 * what was done is known: its operations. */
static void first_different(const wi_whatif *w, const wi_body *end, bool ended,
                            const wi_step **recorded, const ct_record **candidate)
{
    const ct_run *run = &w->run;
    size_t at = 0;
    *recorded = NULL;
    *candidate = NULL;
    for (size_t i = 0; i < end->steps.len; i++, at++) {
        bool error;
        while (!ended && at < run->records.len &&
               (run->records.items[at].op == CT_NONE ||
                (wi_result(run, &run->records.items[at], &error), error))) {
            at++;
        }
        if (at == run->records.len ||
            !wi_same_step(w, &end->steps.items[i], &run->records.items[at])) {
            *recorded = &end->steps.items[i];
            *candidate = at < run->records.len ? &run->records.items[at] : NULL;
            return;
        }
    }
    if (ended && at < run->records.len) {
        *candidate = &run->records.items[at];
    }
}

static mt_str run_word(const ct_run *run)
{
    return run->status == CT_RUN_DONE ? run->plan->terminals[run->outcome].name
                                      : MT_STR("failed");
}

/* A flow that has not ended is compared by what it did, not by how it ends. */
static unsigned compare_run(wi_whatif *w, const wi_body *end, bool ended,
                            const wi_step **recorded, const ct_record **candidate)
{
    const ct_run *run = &w->run;
    if (!run->records.len && run->status == CT_RUN_FAILED) {
        return BIT(REFUSED);
    }
    first_different(w, end, ended, recorded, candidate);
    unsigned differs = *recorded || *candidate ? BIT(STEPS) : 0;
    if (!ended) {
        return differs;
    }
    mt_str was = mt_str_is(end->status, "done") ? end->outcome : MT_STR("failed");
    differs |= mt_str_eq(was, run_word(run)) ? 0 : BIT(OUTCOME);
    return differs && !same_ends(w, end) ? differs | BIT(EFFECTS) : differs;
}

typedef struct flow_trial {
    const wi_flow *flow;
    bool ended, known;       /* it has its last record; its states are known */
    const wi_step *recorded; /* the first step that differs */
    const ct_record *candidate;
    mt_err err;
} flow_trial;

/* What is needed is looked at in order: the flow, its facts, its states, what others
 * did. `known` false: nothing can be said. */
static unsigned decide_flow(wi_whatif *w, flow_trial *t)
{
    uint32_t flow = ct_model_find(w->model, CT_KIND_FLOW, w->start.flow);
    t->known = true;
    if (flow == CT_NONE) {
        return BIT(MISSING);
    }
    unsigned differs = evaluate(w, &w->start);
    t->err = w->too_long ? MT_E_LIMIT : MT_OK;
    if (differs || t->err) {
        return differs;
    }
    t->known = begin_states(w, flow, &w->now);
    t->err = t->known ? find_shifts(w, t->flow, &w->now) : MT_OK;
    if (!t->known || t->err) {
        return 0;
    }
    run_flow(w, flow);
    return compare_verdicts(w, &w->start) |
           compare_run(w, &w->now, t->ended, &t->recorded, &t->candidate);
}

/* A flow that could not even be run says why instead of an outcome. */
static void report_flow(wi_whatif *w, flow_trial *t, wi_whatif_difference *d)
{
    d->was = !t->ended                          ? MT_STR("under way")
             : mt_str_is(w->now.status, "done") ? w->now.outcome
                                                : MT_STR("failed");
    bool ran = !(d->differs & (BIT(MISSING) | BIT(FACTS) | BIT(EVALUATION)));
    d->now = ran ? d->differs & BIT(REFUSED) ? MT_STR("refused") : run_word(&w->run)
                 : mt_str_z(NAMES[__builtin_ctz(d->differs)]);
    if (t->recorded) {
        d->step = t->recorded->step;
    } else if (t->candidate) {
        d->step = w->plan->steps[t->candidate->step].id;
    }
    count(w, d);
    if (d->differs & BIT(VERDICTS)) {
        list_verdicts(w, &w->start, d);
    }
    if (wants_reason(w)) {
        wi_why_flow(w, d, t->recorded, t->candidate);
    }
    report(w, d);
}

/* `w->now` has what it did; `ended`: all of it. */
static mt_err replay_flow(wi_whatif *w, const wi_flow *flow, bool ended)
{
    bool waiting;
    flow_trial t = {.flow = flow, .ended = ended};
    mt_err err =
        wi_body_read(&w->start, wi_flow_part(flow, 0, &waiting), w->options.limits);
    if (err) {
        return err;
    }
    wi_whatif_difference d = {.seq = flow->seq,
                              .is_flow = true,
                              .name = w->start.flow,
                              .execution = mt_buf_str(&flow->id),
                              .persona = w->start.persona};
    mt_arena_reset(&w->texts);
    w->too_long = false;
    d.differs = decide_flow(w, &t);
    if (t.err) {
        return t.err;
    }
    w->counts.unknown += !t.known;
    w->counts.flows += t.known;
    w->counts.under_way += t.known && !ended;
    if (d.differs) {
        report_flow(w, &t, &d);
    }
    return MT_OK;
}

/* What a flow did that has no last record, or one without steps: its operations. */
static mt_err replay_open(wi_whatif *w, const wi_flow *flow)
{
    mt_err err = MT_OK;
    bool waiting;
    wi_body_clear(&w->now);
    for (size_t i = 1; i < wi_flow_part_count(flow) && !err; i++) {
        mt_str part = wi_flow_part(flow, i, &waiting);
        err = waiting ? MT_OK : wi_body_add(&w->now, part, w->options.limits);
    }
    return err ? err : replay_flow(w, flow, false);
}

/* ---- Records ---- */

static mt_err begin_flow(wi_whatif *w, uint64_t seq, mt_str body)
{
    if (w->flows.len >= w->options.limits->whatif_flows) {
        return MT_E_LIMIT;
    }
    wi_flow_keep(wi_flow_add(&w->flows, w->head.execution, seq), body, false);
    return MT_OK;
}

static mt_err end_flow(wi_whatif *w, wi_flow *flow, mt_str body)
{
    mt_err err = wi_body_read(&w->now, body, w->options.limits);
    if (err) {
        return err;
    }
    err = w->now.has_steps ? replay_flow(w, flow, true) : replay_open(w, flow);
    wi_flow_drop(&w->flows, flow);
    return err;
}

/* A record of a flow after its first one. */
static mt_err flow_record(wi_whatif *w, mt_str body)
{
    wi_flow *flow = wi_flow_find(&w->flows, w->head.execution);
    bool ends = mt_str_is(w->head.kind, "flow_ended");
    if (!flow) {
        w->counts.orphans++;
        return MT_OK;
    }
    if (ends) {
        return end_flow(w, flow, body);
    }
    wi_flow_keep(flow, body, mt_str_is(w->head.kind, "flow_waiting"));
    return MT_OK;
}

static bool is_decision(mt_str kind)
{
    return mt_str_is(kind, "operation") || mt_str_is(kind, "flow_started") ||
           mt_str_is(kind, "flow_waiting") || mt_str_is(kind, "flow_ended");
}

/* Reads the head first: records of other contracts and kinds are not parsed any
 * further. */
mt_err wi_whatif_record(wi_whatif *w, uint64_t seq, mt_str body)
{
    w->counts.records++;
    mt_arena_reset(&w->now.texts);
    mt_err err = wi_head_read(&w->now.texts, body, w->options.limits, &w->head);
    if (err || !is_decision(w->head.kind)) {
        w->counts.asked += !err && mt_str_is(w->head.kind, "decision") &&
                           mt_str_eq(w->head.contract, w->contract);
        return err;
    }
    bool begins = mt_str_is(w->head.kind, "flow_started");
    bool continues = w->head.execution.len && !begins;
    bool ours = mt_str_eq(w->head.contract, w->contract);
    /* A flow belongs to the version it began with, whatever took it up since. */
    ours &=
        continues || !w->options.etag.len || mt_str_eq(w->head.etag, w->options.etag);
    if (!ours) {
        if (!w->foreign.ptr) {
            w->foreign = mt_str_dup(&w->memory, w->head.contract);
        }
        w->counts.foreign += begins || !continues;
        return MT_OK;
    }
    return begins      ? begin_flow(w, seq, body)
           : continues ? flow_record(w, body)
                       : replay_operation(w, seq, body);
}

static int by_seq(const void *a, const void *b)
{
    const wi_flow *x = *(wi_flow *const *)a, *y = *(wi_flow *const *)b;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Buckets have no order that may show in the output; sorting by the first record gives
 * the order of the ledger. */
mt_err wi_whatif_end(wi_whatif *w)
{
    size_t n = 0;
    mt_err err = MT_OK;
    if (!w->flows.len) {
        return MT_OK;
    }
    wi_flow **open = mt_xmalloc(mt_array_bytes(w->flows.len, sizeof(wi_flow *)));
    for (size_t i = 0; i < w->flows.size; i++) {
        for (wi_flow *f = w->flows.buckets[i]; f; f = f->next) {
            open[n++] = f;
        }
    }
    qsort(open, n, sizeof(wi_flow *), by_seq);
    for (size_t i = 0; i < n && !err; i++) {
        err = replay_open(w, open[i]);
    }
    free(open);
    return err;
}
