/* contract/flow/run.c - the machine that walks a flow.
 *
 * A run is a stack of frames, one per flow, sub-flow or branch that is open. A step
 * yields a move: go to a target, or fail, or break off. settle() carries a move as far
 * as it goes without doing anything new: through handlers, ends of sub-flows, joins.
 *
 * One call of ct_run_step() does one thing that matters: an operation, a branch, a
 * compensation, entering a graph. The host is asked at three places, each before
 * anything has happened: may the run wait for a persona, which of several outcomes,
 * may this change be made. If it says "not now", nothing has happened and the same
 * step comes again after ct_run_resume().
 *
 * INVARIANT: parallel branches touch disjoint entities (ct_plan_build() refuses
 * others), so no branch can see a change of another and their order cannot matter.
 * INVARIANT: a record is complete when its step is over; what is open has an end that
 * is not known yet. states[] is what the run believes; the host may know better and
 * then says so by refusing the change, which is the operation's error.
 *
 * What may fail: a step fails by its operation's error and goes to its handler; a flow
 * fails (CT_RUN_FAILED, `fault`) when no handler is left, when steps run out (limit
 * flow_steps), or when it was begun wrongly. Memory: two arenas, `memory` for what the
 * plan sizes and `texts` for messages, both kept for the next run and freed by
 * ct_run_free(). */
#include "contract/flow/run.h"

#include "base/limits.h"

typedef enum move_kind {
    MOVE_STAY,  /* the next step is known already */
    MOVE_TO,    /* follow the target */
    MOVE_FAIL,  /* ask the handler of the current step */
    MOVE_ABORT, /* the graph ends by an error: `message` */
    MOVE_NOTHING
} move_kind;

typedef struct move {
    move_kind kind;
    ct_plan_target target; /* of MOVE_TO */
    uint32_t message;      /* of MOVE_ABORT */
} move;

static ct_frame *top(ct_run *r)
{
    return &r->frames.items[r->frames.len - 1];
}

static const ct_plan_step *step_of(const ct_run *r, const ct_frame *f)
{
    return &r->plan->steps[f->step];
}

static move move_to(ct_plan_target target)
{
    return (move){MOVE_TO, target, CT_NONE};
}

static move move_end(uint32_t terminal)
{
    return move_to((ct_plan_target){CT_NONE, terminal});
}

static uint32_t add_message(ct_run *r, mt_str text)
{
    mt_vec_push(&r->memory, &r->messages, text);
    return (uint32_t)r->messages.len - 1;
}

/* Borrow the pointer only until the next record: the list moves. */
static ct_record *add_record(ct_run *r, ct_record_kind kind, const ct_frame *f)
{
    ct_record *record = mt_vec_add(&r->memory, &r->records);
    *record = (ct_record){
        .kind = kind,
        .step = f->step,
        .parent = f->parent,
        .graph = f->graph,
        .op = CT_NONE,
        .persona = CT_NONE,
        .result = CT_NONE,
        .first_change = (uint32_t)r->changes.len,
        .entity = CT_NONE,
        .state = CT_NONE,
        .message = CT_NONE,
    };
    return record;
}

/* The graph begins at its entry; the record it hangs on is told when it ends. */
static void push_frame(ct_run *r, uint32_t graph, uint32_t parent_record)
{
    ct_frame *f = mt_vec_add(&r->memory, &r->frames);
    *f = (ct_frame){
        .graph = graph,
        .step = r->plan->graphs[graph].entry,
        .phase = CT_AT_STEP,
        .record = CT_NONE,
        .parent = parent_record,
    };
}

/* ---- handlers, ends and joins ---- */

/* A record of the escalation is made, because nobody performs it: it is a fact of the
 * flow. */
static move handle_failure(ct_run *r, ct_frame *f)
{
    const ct_plan_handler *h = &step_of(r, f)->handler;
    switch (h->kind) {
    case CT_TERMINATE: return move_to(h->next);
    case CT_ESCALATE:
        add_record(r, CT_RECORD_ESCALATION, f)->persona = h->persona;
        return move_to(h->next);
    case CT_COMPENSATE:
        if (!h->undo_count) {
            return move_to(h->next);
        }
        f->phase = CT_COMPENSATING;
        f->index = 0;
        return (move){.kind = MOVE_STAY};
    case CT_HANDLER_NONE: break;
    }
    mt_str step = step_of(r, f)->id;
    return (move){.kind = MOVE_ABORT,
                  .message = add_message(r, mt_strf(&r->texts,
                                                    "step '%.*s' failed and has "
                                                    "no failure handler",
                                                    MT_ARG(step)))};
}

static bool branch_failed(const ct_run *r, const ct_branch_end *b)
{
    return b->terminal == CT_NONE || r->plan->terminals[b->terminal].failed;
}

static bool given(ct_plan_target t)
{
    return t.step != CT_NONE || t.terminal != CT_NONE;
}

/* All branches have run. ORDER: all_success, any_failure, all_complete. */
static move join(ct_run *r, ct_frame *f)
{
    const ct_plan_step *step = step_of(r, f);
    const ct_record *record = &r->records.items[f->record];
    const ct_plan_target *to = &r->plan->targets[step->first_target];
    bool failed = false;
    for (uint32_t i = 0; i < record->branch_count; i++) {
        failed |= branch_failed(r, &r->branches.items[record->first_branch + i]);
    }
    f->phase = CT_AT_STEP;
    f->record = CT_NONE;
    if (!failed && given(to[0])) {
        return move_to(to[0]);
    }
    if (failed && step->handler.kind != CT_HANDLER_NONE) {
        return (move){.kind = MOVE_FAIL};
    }
    if (given(to[1])) {
        return move_to(to[1]);
    }
    return (move){
        .kind = MOVE_ABORT,
        .message = add_message(r, mt_strf(&r->texts,
                                          "parallel step '%.*s' completed but no join "
                                          "policy matched",
                                          MT_ARG(step->id)))};
}

/* The next branch begins when this one has ended: one after the other. */
static move branch_ended(ct_run *r, ct_frame *f, uint32_t terminal, uint32_t message)
{
    ct_record *record = &r->records.items[f->record];
    ct_branch_end *end = &r->branches.items[record->first_branch + f->index];
    end->terminal = terminal;
    end->message = message;
    if (++f->index < record->branch_count) {
        push_frame(r, end[1].graph, f->record);
        return (move){.kind = MOVE_STAY};
    }
    return join(r, f);
}

/* A sub-flow that failed is a failure of its step, with the handler that belongs to
 * it. */
static move subflow_ended(ct_run *r, ct_frame *f, uint32_t terminal, uint32_t message)
{
    ct_record *record = &r->records.items[f->record];
    record->result = terminal;
    record->message = message;
    f->phase = CT_AT_STEP;
    f->record = CT_NONE;
    if (terminal == CT_NONE || r->plan->terminals[terminal].failed) {
        return (move){.kind = MOVE_FAIL};
    }
    return move_to(r->plan->targets[step_of(r, f)->first_target]);
}

/* The innermost graph has ended; tells the one around it. */
static move graph_ended(ct_run *r, uint32_t terminal, uint32_t message)
{
    r->frames.len--;
    if (!r->frames.len) {
        r->outcome = terminal;
        r->status = terminal == CT_NONE ? CT_RUN_FAILED : CT_RUN_DONE;
        if (terminal == CT_NONE) {
            r->fault = r->messages.items[message];
        }
        return (move){.kind = MOVE_STAY};
    }
    ct_frame *f = top(r);
    return step_of(r, f)->does == LN_FORKS ? branch_ended(r, f, terminal, message)
                                           : subflow_ended(r, f, terminal, message);
}

/* Ends when a step is due, or when the outermost graph has ended. */
static ct_run_status settle(ct_run *r, move m)
{
    while (m.kind != MOVE_STAY) {
        ct_frame *f = top(r);
        if (m.kind == MOVE_FAIL) {
            m = handle_failure(r, f);
        } else if (m.kind == MOVE_TO && m.target.step != CT_NONE) {
            f->step = m.target.step;
            f->phase = CT_AT_STEP;
            return r->status;
        } else {
            m = graph_ended(r, m.kind == MOVE_TO ? m.target.terminal : CT_NONE,
                            m.message);
        }
    }
    return r->status;
}

/* ---- steps ---- */

/* Lets the host wait for a persona it does not hold. */
static bool must_wait(ct_run *r, uint32_t persona)
{
    if (!r->host.may_act || persona == CT_NONE ||
        r->host.may_act(r->host.context, r, persona)) {
        return false;
    }
    r->status = CT_RUN_WAITING;
    r->waiting_for = persona;
    return true;
}

static uint32_t choose(ct_run *r, uint32_t step, uint32_t op)
{
    if (!r->host.choose) {
        return CT_NONE;
    }
    uint32_t room = r->plan->ops[op].outcome_count;
    uint32_t count = ct_op_matching(r->plan, op, r->states, r->matching, room);
    return r->host.choose(r->host.context, r, step, op, r->matching, count);
}

static mt_str error_text(ct_run *r, uint32_t op, uint32_t persona, const ct_attempt *a)
{
    mt_buf text = {0};
    mt_str instance = a->entity == CT_NONE ? (mt_str){0} : r->instances[a->entity];
    ct_op_error_text(&text, r->plan, op, ct_persona_id(r->plan, persona), a, instance);
    mt_str kept = mt_str_dup(&r->texts, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* The host may have seen another state than we did: that is the E2 error. */
static bool apply(ct_run *r, ct_record *record, ct_attempt *a)
{
    for (uint32_t i = 0; i < a->change_count; i++) {
        mt_vec_push(&r->memory, &r->changes, r->proposed[i]);
    }
    record->change_count = a->change_count;
    mt_err err = MT_OK;
    if (r->host.apply) {
        err = r->host.apply(r->host.context, r, record);
    }
    if (err) {
        r->changes.len -= a->change_count;
        record->change_count = 0;
        record->result = CT_NONE;
        a->error = CT_OP_STATE;
        a->entity = a->change_count ? r->proposed[0].entity : CT_NONE;
        a->state = CT_NONE;
        r->host_error = err;
        return false;
    }
    for (uint32_t i = 0; i < a->change_count; i++) {
        r->states[r->proposed[i].entity] = r->proposed[i].to;
    }
    return true;
}

static void record_error(ct_run *r, ct_record *record, const ct_attempt *a)
{
    record->error = a->error;
    record->entity = a->entity;
    record->state = a->state;
    record->message = add_message(r, error_text(r, record->op, record->persona, a));
}

/* Which of several outcomes? false: nobody has said, and the run waits. */
static bool decide(ct_run *r, const ct_frame *f, uint32_t op, uint32_t persona,
                   ct_attempt *a)
{
    uint32_t wanted = choose(r, f->step, op);
    if (wanted == CT_UNDECIDED) {
        r->status = CT_RUN_WAITING;
        r->waiting_for = persona;
        return false;
    }
    if (wanted != CT_NONE) {
        ct_op_try(&r->frozen, op, persona, r->states, wanted, &r->texts, a,
                  r->proposed);
    }
    return true;
}

/* Runs one operation. false: it waits, or the host stopped it, and nothing has
 * happened. */
static bool operate(ct_run *r, const ct_frame *f, ct_record_kind kind, uint32_t op,
                    uint32_t persona, ct_attempt *a)
{
    ct_op_try(&r->frozen, op, persona, r->states, CT_NONE, &r->texts, a, r->proposed);
    if (a->error == CT_OP_AMBIGUOUS && !decide(r, f, op, persona, a)) {
        return false;
    }
    ct_record *record = add_record(r, kind, f);
    record->op = op;
    record->persona = persona;
    record->result = a->outcome;
    if (!a->error && !apply(r, record, a) && r->host_error != MT_E_CONFLICT) {
        r->records.len--;
        r->status = CT_RUN_STOPPED;
        return false;
    }
    if (a->error) {
        record_error(r, record, a);
    }
    return true;
}

/* The outcome's number is the route's: load_flow.c has put them in this order. */
static move do_operation(ct_run *r, ct_frame *f, const ct_plan_step *step)
{
    ct_attempt a;
    if (!operate(r, f, CT_RECORD_OPERATION, step->what, step->persona, &a)) {
        return (move){.kind = MOVE_NOTHING};
    }
    if (a.error) {
        return (move){.kind = MOVE_FAIL};
    }
    uint32_t nth = a.outcome - r->plan->ops[step->what].first_outcome;
    return move_to(r->plan->targets[step->first_target + nth]);
}

/* One undo after the other; the first that fails ends the flow where its own handler
 * says. */
static move do_compensation(ct_run *r, ct_frame *f, const ct_plan_step *step)
{
    const ct_plan_handler *h = &step->handler;
    const ct_plan_undo *c = &r->plan->undos[h->first_undo + f->index];
    ct_attempt a;
    if (must_wait(r, c->persona) ||
        !operate(r, f, CT_RECORD_COMPENSATION, c->op, c->persona, &a)) {
        return (move){.kind = MOVE_NOTHING};
    }
    if (a.error) {
        return move_end(c->on_failure);
    }
    if (++f->index < h->undo_count) {
        return (move){.kind = MOVE_STAY};
    }
    return move_to(h->next);
}

/* A condition that cannot be evaluated ends the flow; there is no handler for it. */
static move do_branch(ct_run *r, ct_frame *f, const ct_plan_step *step)
{
    ct_record *record = add_record(r, CT_RECORD_BRANCH, f);
    record->persona = step->persona;
    bool value = false;
    ct_fault fault;
    if (ct_holds(&r->frozen.snapshot, step->what, r->frozen.scratch, &value, &r->texts,
                 NULL, &fault)) {
        uint32_t message = add_message(r, fault.message);
        record->error = CT_OP_EVALUATION;
        record->message = message;
        return (move){.kind = MOVE_ABORT, .message = message};
    }
    record->result = value;
    return move_to(r->plan->targets[step->first_target + (value ? 0 : 1)]);
}

static move do_handoff(ct_run *r, ct_frame *f, const ct_plan_step *step)
{
    add_record(r, CT_RECORD_HANDOFF, f)->persona = step->persona;
    return move_to(r->plan->targets[step->first_target]);
}

static uint32_t open_record(ct_run *r, ct_frame *f, ct_record_kind kind)
{
    add_record(r, kind, f)->persona = step_of(r, f)->persona;
    f->phase = CT_INSIDE;
    f->index = 0;
    f->record = (uint32_t)r->records.len - 1;
    return f->record;
}

static move do_subflow(ct_run *r, ct_frame *f, const ct_plan_step *step)
{
    push_frame(r, step->what, open_record(r, f, CT_RECORD_SUBFLOW));
    return (move){.kind = MOVE_STAY};
}

/* Ends of all branches are listed first; a step without branches joins at once. */
static move do_parallel(ct_run *r, ct_frame *f, const ct_plan_step *step)
{
    uint32_t at = open_record(r, f, CT_RECORD_PARALLEL);
    ct_record *record = &r->records.items[at];
    record->first_branch = (uint32_t)r->branches.len;
    record->branch_count = step->branch_count;
    for (uint32_t i = 0; i < step->branch_count; i++) {
        ct_branch_end end = {step->first_branch + i, CT_NONE, CT_NONE};
        mt_vec_push(&r->memory, &r->branches, end);
    }
    if (!step->branch_count) {
        return join(r, f);
    }
    push_frame(r, step->first_branch, at);
    return (move){.kind = MOVE_STAY};
}

/* Waiting is decided before anything is done, so a run that waits has changed nothing.
 */
static move do_step(ct_run *r, ct_frame *f)
{
    const ct_plan_step *step = step_of(r, f);
    if (f->phase == CT_COMPENSATING) {
        return do_compensation(r, f, step);
    }
    if (must_wait(r, step->persona)) {
        return (move){.kind = MOVE_NOTHING};
    }
    switch (step->does) {
    case LN_OPERATES: return do_operation(r, f, step);
    case LN_DECIDES: return do_branch(r, f, step);
    case LN_GOES_ON: return do_handoff(r, f, step);
    case LN_CALLS: return do_subflow(r, f, step);
    case LN_FORKS: return do_parallel(r, f, step);
    case LN_ENDS: return move_to(r->plan->targets[step->first_target]);
    }
    MT_BUG("step of an unknown kind");
}

static ct_run_status fail(ct_run *r, mt_str why)
{
    r->status = CT_RUN_FAILED;
    r->fault = why;
    r->frames.len = 0;
    return r->status;
}

ct_run_status ct_run_step(ct_run *r)
{
    if (r->status != CT_RUN_MORE) {
        return r->status;
    }
    if (!r->steps_left) {
        return fail(r, MT_STR("exceeded the limit flow_steps"));
    }
    r->steps_left--;
    move m = do_step(r, top(r));
    if (m.kind == MOVE_NOTHING) {
        r->steps_left++;
        return r->status;
    }
    return settle(r, m);
}

uint32_t ct_run_next(const ct_run *r, uint32_t *undo)
{
    *undo = CT_NONE;
    if (!r->frames.len) {
        return CT_NONE;
    }
    const ct_frame *f = &r->frames.items[r->frames.len - 1];
    if (f->phase == CT_COMPENSATING) {
        *undo = r->plan->undos[step_of(r, f)->handler.first_undo + f->index].op;
    }
    return f->step;
}

uint32_t ct_run_next_op(const ct_run *r)
{
    uint32_t undo, step = ct_run_next(r, &undo);
    if (step == CT_NONE || undo != CT_NONE) {
        return undo;
    }
    const ct_plan_step *s = &r->plan->steps[step];
    return s->does == LN_OPERATES ? s->what : CT_NONE;
}

ct_run_status ct_run_all(ct_run *r)
{
    while (ct_run_step(r) == CT_RUN_MORE) {
    }
    return r->status;
}

void ct_run_resume(ct_run *r)
{
    if (r->status == CT_RUN_WAITING || r->status == CT_RUN_STOPPED) {
        r->status = CT_RUN_MORE;
        r->waiting_for = CT_NONE;
        r->host_error = MT_OK;
    }
}

void ct_run_set_state(ct_run *r, uint32_t entity, uint32_t state)
{
    r->states[entity] = state;
}

/* ---- beginning and end ---- */

/* Arrays whose size the plan decides, made once per run and plan. */
static void make_room(ct_run *r, const ct_plan *p)
{
    if (r->sized_for == p) {
        return;
    }
    ct_run_free(r);
    r->sized_for = p;
    r->scratch = ct_verdicts_new(p->program);
    r->instances = mt_new_array(&r->memory, mt_str, p->model->entity_count);
    r->states = mt_new_array(&r->memory, uint32_t, p->model->entity_count);
    r->proposed = mt_new_array(&r->memory, ct_change, p->max_changes);
    r->matching = mt_new_array(&r->memory, uint32_t, p->max_outcomes);
}

/* Vectors keep their memory for the next run. */
static void clear(ct_run *r)
{
    mt_arena_reset(&r->texts);
    r->frames.len = r->records.len = r->changes.len = 0;
    r->branches.len = r->messages.len = 0;
    r->status = CT_RUN_MORE;
    r->outcome = r->waiting_for = CT_NONE;
    r->host_error = MT_OK;
    r->fault = (mt_str){0};
}

void ct_run_prepare(ct_run *r, const ct_run_input *in)
{
    const ct_plan *p = in->plan;
    make_room(r, p);
    clear(r);
    r->plan = p;
    r->frozen = (ct_frozen){p, in->snapshot, r->scratch};
    r->host = in->host;
    r->flow = in->flow;
    r->persona = in->persona;
    r->simulation = in->simulation;
    r->steps_left = in->max_steps ? in->max_steps : MT_LIMITS_DEFAULT.flow_steps;
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        r->instances[e] = in->instances ? in->instances[e] : (mt_str){0};
        r->states[e] = in->states ? in->states[e] : CT_NONE;
    }
}

/* Every entity the flow can change needs an instance, before anything happens. */
static bool bindings_hold(ct_run *r, uint32_t graph)
{
    const ct_plan *p = r->plan;
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        if (!ct_bit(p->graphs[graph].entities, e)) {
            continue;
        }
        mt_str entity = ct_entity_id(p, e);
        if (!r->instances[e].ptr) {
            fail(r, mt_strf(&r->texts, "no instance is bound to entity '%.*s'",
                            MT_ARG(entity)));
            return false;
        }
        if (r->states[e] == CT_NONE) {
            fail(r, mt_strf(&r->texts,
                            "entity '%.*s' instance '%.*s' not found in state map",
                            MT_ARG(entity), MT_ARG(r->instances[e])));
            return false;
        }
    }
    return true;
}

ct_run_status ct_run_start(ct_run *r, const ct_run_input *in)
{
    ct_run_prepare(r, in);
    const ct_model *m = in->plan->model;
    if (m->personas_declared &&
        ct_model_find(m, CT_KIND_PERSONA, in->persona) >= m->personas_declared) {
        return fail(r, mt_strf(&r->texts, "persona '%.*s' is not declared",
                               MT_ARG(in->persona)));
    }
    if (bindings_hold(r, in->flow)) {
        push_frame(r, in->flow, CT_NONE);
    }
    return r->status;
}

void ct_run_free(ct_run *r)
{
    ct_verdicts_free(r->scratch);
    mt_arena_free(&r->memory);
    mt_arena_free(&r->texts);
    *r = (ct_run){0};
}
