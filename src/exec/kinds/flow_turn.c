/* exec/kinds/flow_turn.c - flows that outlive the process.
 * Room: exec.
 * A turn is what a flow does in one transaction: steps until it ends, waits for a
 * persona nobody here may act as, or has done `flow_turn` of them. Effects, records and
 * the new position commit together, so after a crash the flow stands where its last
 * turn ended: `waiting` until somebody resumes it, `running` until the recovery (or the
 * next turn) takes it up. The snapshot is frozen in the row when the flow begins and
 * never written again (E4); sub-flows and branches run on the same one (E5, E8). */
#include "contract/flow/position.h"
#include "contract/flow/report.h"
#include "exec/call/facts.h"
#include "exec/call/rights.h"
#include "exec/commit/distinct.h"
#include "exec/commit/effects.h"
#include "exec/kinds/flow.h"
#include "exec/machine.h"

/* ---- Who may act ---- */

static ex_act act_of(const ex_turn *t, mt_str persona, uint32_t op)
{
    mt_str who = t->who && t->who->id.len ? t->who->id : MT_STR("anonymous");
    return (ex_act){.persona = persona, .who = who, .flow = t->row.id, .op = op};
}

/* Has who drives this turn acted as a persona that is to be somebody else? Then the
 * flow waits for others. A store that cannot be asked stops the turn. */
static bool is_excluded(ex_turn *t, const ct_run *run, mt_str persona)
{
    ex_other other = {0};
    if (!ex_distinct_applies(t->job, persona)) {
        return false;
    }
    ex_act act = act_of(t, persona, ct_run_next_op(run));
    st_tx *own = NULL;
    mt_err err = t->g ? MT_OK : st_begin(t->job->x->store, ST_READ, &own);
    err = err ? err
              : ex_distinct_look(t->job, &t->job->arena, t->g ? t->g->tx : own, &act,
                                 t->g != NULL, &other);
    st_rollback(own);
    t->err = err ? err : t->err;
    return err || other.persona.len;
}

/* Personas that the configuration lets the server act as need no caller; others must be
 * held by whoever drives this turn. */
static bool may_act(void *context, const ct_run *run, uint32_t persona)
{
    ex_turn *t = context;
    const ex_executor *x = t->job->x;
    mt_str name = ct_persona_id(run->plan, persona);
    mt_str contract = t->job->v->contract;
    return ex_personas_cover(x->auto_personas, x->auto_persona_count, contract, name) ||
           (ex_caller_holds(t->who, contract, name) && !is_excluded(t, run, name));
}

/* ---- Records ---- */

static mt_jw begin_record(ex_turn *t, bool bound)
{
    mt_jw w = ex_record_begin(t->g);
    if (bound) {
        if (t->asked_as.len) {
            mt_jw_key_str(&w, "asked_as", t->asked_as);
        }
        mt_jw_keyz(&w, "bindings");
        mt_jw_raw(&w, t->row.bindings);
    }
    ex_caller_json(&w, t->job);
    mt_jw_key_str(&w, "contract", t->job->v->contract);
    return w;
}

/* t->record is the last one written and is what the answer names. `f`: what an
 * operation did; NULL: it is about everything the flow binds. */
static mt_err end_record(ex_turn *t, mt_jw *w, const char *kind, const ex_effects *f)
{
    const ex_version *v = t->job->v;
    ex_record r = {.kind = kind,
                   .contract = v->contract,
                   .flow = t->row.id,
                   .unsorted = !v->sorted};
    if (f) {
        ex_effect_subjects(t->g, f, &r);
    } else {
        ex_bound_subjects(t->g, t->row.bindings, &r);
    }
    return ex_record_end(t->g, w, &r, &t->record);
}

/* Entities that are not bound are left out: absent and empty would otherwise be two
 * spellings. */
static void bindings_json(mt_jw *w, const ex_job *job)
{
    const ct_model *m = job->v->model;
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (job->snap->instances[e].ptr) {
            mt_jw_key(w, m->entities[e].id);
            mt_jw_str(w, job->snap->instances[e]);
        }
    }
    mt_jw_end_object(w);
}

/* The record of §11.6: facts, verdicts and states a replay needs to decide the flow
 * again (the room whatif reads them). Keys ascend. */
static mt_err record_started(ex_turn *t)
{
    ex_job *job = t->job;
    mt_jw w = ex_record_begin(t->g);
    mt_jw_keyz(&w, "bindings");
    bindings_json(&w, job);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_key_str(&w, "execution", t->row.id);
    mt_jw_keyz(&w, "facts");
    if (job->facts_said.len) {
        mt_jw_raw(&w, job->facts_said);
    } else {
        ex_fact_provenance(&w, job->v, job->snap);
    }
    mt_jw_key_str(&w, "flow", t->row.flow);
    if (job->guard_json.len) {
        mt_jw_keyz(&w, "guard");
        mt_jw_raw(&w, job->guard_json);
    }
    mt_jw_key_str(&w, "kind", MT_STR("flow_started"));
    mt_jw_key_str(&w, "persona", t->row.persona);
    ex_states_json(&w, job->v->plan, t->run->states);
    ex_record_time(&w, t->g);
    mt_jw_keyz(&w, "verdicts");
    ex_verdict_names(&w, job->v, job->snap->verdicts);
    return end_record(t, &w, "flow_started", NULL);
}

/* Says for whom the flow waits, so that a ledger alone shows why it stood still. */
static mt_err record_waiting(ex_turn *t)
{
    mt_jw w = begin_record(t, true);
    mt_jw_key_str(&w, "etag", t->row.etag);
    mt_jw_key_str(&w, "execution", t->row.id);
    mt_jw_key_str(&w, "flow", t->row.flow);
    mt_jw_key_str(&w, "kind", MT_STR("flow_waiting"));
    mt_jw_key_str(&w, "persona", t->row.waiting_persona);
    mt_jw_key_str(&w, "step", t->row.waiting_step);
    ex_record_time(&w, t->g);
    return end_record(t, &w, "flow_waiting", NULL);
}

/* Applies one operation of the run and writes its record, all in the transaction. */
static mt_err apply(void *context, const ct_run *run, const ct_record *record)
{
    ex_turn *t = context;
    const ex_version *v = t->job->v;
    ex_effects f = {.v = v,
                    .changes = ct_record_changes(run, record),
                    .count = record->change_count,
                    .instances = run->instances,
                    .flow = t->row.id,
                    .operation = ct_operation_id(v->plan, record->op)};
    mt_err err = ex_apply(t->g, &f);
    if (err) {
        /* Rows are locked and states are theirs: this is the store's fault, not E2. */
        t->err = err;
        return MT_E_IO;
    }
    mt_jw w = begin_record(t, false);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_key_str(&w, "execution", t->row.id);
    mt_jw_key_str(&w, "flow", t->row.flow);
    mt_jw_key_str(&w, "kind", MT_STR("operation"));
    mt_jw_keyz(&w, "provenance");
    ct_record_provenance_json(&w, run, record);
    ex_record_time(&w, t->g);
    err = end_record(t, &w, "operation", &f);
    ex_act act =
        act_of(t,
               record->persona == CT_NONE ? (mt_str){0}
                                          : ct_persona_id(v->plan, record->persona),
               record->op);
    err =
        err ? err : ex_distinct_note(t->job, t->g, &act, f.changes, f.count, t->record);
    t->err = err;
    return err ? MT_E_IO : MT_OK;
}

/* ---- Turns ---- */

/* A dry run has no apply(), so the engine keeps effects to itself; who may act is asked
 * of a flow that is resumed, since it would wait there too. */
static ct_run_input input_of(ex_turn *t)
{
    const ex_job *job = t->job;
    ct_run_input in = {.plan = job->v->plan,
                       .snapshot = ex_frozen(job).snapshot,
                       .flow = job->what,
                       .persona = t->row.persona,
                       .instances = job->snap->instances,
                       .states = job->snap->states,
                       .simulation = job->simulation,
                       .max_steps = job->x->limits.flow_steps};
    in.host = (ct_host){.context = t, .choose = ex_outcome_choose};
    in.host.may_act = !job->simulation || t->resuming ? may_act : NULL;
    in.host.apply = job->simulation ? NULL : apply;
    return in;
}

static mt_str waiting_step(const ct_run *run)
{
    uint32_t undo, step = ct_run_next(run, &undo);
    return undo != CT_NONE ? ct_operation_id(run->plan, undo)
                           : run->plan->steps[step].id;
}

/* What the run says becomes the row. */
static void take_status(ex_turn *t)
{
    const ct_run *run = t->run;
    st_flow *row = &t->row;
    row->outcome = row->waiting_step = row->waiting_persona = MT_STR("");
    switch (run->status) {
    case CT_RUN_MORE:
    case CT_RUN_STOPPED: row->status = MT_STR("running"); break;
    case CT_RUN_DONE:
        row->status = MT_STR("done");
        row->outcome = run->plan->terminals[run->outcome].name;
        break;
    case CT_RUN_FAILED: row->status = MT_STR("failed"); break;
    case CT_RUN_WAITING:
        row->status = MT_STR("waiting");
        row->waiting_step = waiting_step(run);
        row->waiting_persona = ct_persona_id(run->plan, run->waiting_for);
        break;
    }
}

/* The position is all that the next turn needs beside the frozen snapshot: step, stack
 * of sub-flows, branches (E8). */
static void take_position(ex_turn *t)
{
    mt_buf position = {0};
    ct_position_write(&position, t->run);
    t->row.position = mt_str_dup(t->g->arena, mt_buf_str(&position));
    t->row.updated_ms = t->g->now_ms;
    mt_buf_free(&position);
}

/* Verdicts for people; while it runs, on whose authority, for a recovery. */
static mt_str extra_of(ex_turn *t)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    if (t->run->status == CT_RUN_MORE) {
        mt_jw_keyz(&w, "acting");
        ex_acting_json(&w, t->who);
    }
    if (t->job->frozen_v) {
        mt_jw_key_str(&w, "began", t->job->frozen_v->etag);
    }
    if (t->job->origin.len) {
        mt_jw_keyz(&w, "trigger");
        mt_jw_raw(&w, t->job->origin);
    }
    mt_jw_keyz(&w, "verdicts");
    ex_verdict_names(&w, t->job->v, t->job->snap->verdicts);
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(t->g->arena, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static mt_err record_ended(ex_turn *t, mt_str error)
{
    ex_flow_end end = {&t->row, t->job->v, t->run, error, t->asked_as};
    return ex_flow_ended(t->job, t->g, &end, &t->record);
}

/* CT_RUN_MORE writes no record: the turn ended only because it was long enough. The row
 * is written, so the group has something to commit. */
static mt_err record_turn(ex_turn *t)
{
    switch (t->run->status) {
    case CT_RUN_WAITING: return record_waiting(t);
    case CT_RUN_DONE: return record_ended(t, (mt_str){0});
    case CT_RUN_FAILED: return record_ended(t, t->run->fault);
    case CT_RUN_MORE:
    case CT_RUN_STOPPED: break;
    }
    t->g->wrote = true; /* the new position */
    return MT_OK;
}

/* At most flow_turn steps, so that one long flow does not keep a group from its commit.
 * CT_RUN_STOPPED means that the store failed inside a callback; the whole group is
 * rolled back, the run with it. */
static mt_err take_turn(ex_turn *t)
{
    ct_run *run = t->run;
    unsigned most = t->job->x->flow_turn;
    for (unsigned i = 0; i < most && ct_run_step(run) == CT_RUN_MORE; i++) {
    }
    if (run->status == CT_RUN_STOPPED || t->err) {
        return t->err ? t->err : MT_E_IO;
    }
    take_status(t);
    take_position(t);
    t->row.extra = extra_of(t);
    mt_err err = record_turn(t);
    if (!err && t->is_new) {
        err = st_flow_add(t->g->tx, &t->row);
    } else if (!err) {
        t->row.version++;
        err = st_flow_put(t->g->tx, &t->row);
    }
    return err;
}

/* ---- Answers ---- */

/* One answer for beginning, resuming and dry runs; members that do not apply are
 * absent. Keys ascend. */
static void reply_run(ex_turn *t)
{
    ex_job *job = t->job;
    const ct_run *run = t->run;
    mt_jw w = ex_reply_with(job, 200);
    if (job->guard_call.len) {
        mt_jw_key_str(&w, "call", job->guard_call);
    }
    mt_jw_keyz(&w, "changes");
    ct_run_changes_json(&w, run);
    mt_jw_key_str(&w, "contract", job->v->contract);
    if (run->status == CT_RUN_FAILED) {
        mt_jw_key_str(&w, "error", run->fault);
    }
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_key_str(&w, "flow", t->row.flow);
    if (t->row.id.len) {
        mt_jw_key_str(&w, "id", t->row.id);
        ex_locate_flow(job, t->row.id);
    }
    if (run->status == CT_RUN_DONE) {
        mt_jw_key_str(&w, "outcome", run->plan->terminals[run->outcome].name);
    }
    mt_jw_key_str(&w, "persona", t->row.persona);
    if (job->simulation) {
        mt_jw_keyz(&w, "provenance");
        ct_run_records_json(&w, run);
        mt_jw_key_bool(&w, "simulation", true);
    } else {
        ex_reply_record(&w, job, t->record);
    }
    mt_jw_key_str(&w, "status", t->row.status);
    mt_jw_keyz(&w, "steps");
    ct_run_steps_json(&w, run);
    ex_waiting_json(&w, job->v, ct_run_next_op(run), &t->row);
    ex_reply_end(&w);
}

/* The turn is over: it goes on in a later group, or the caller hears of it. */
static void settle(ex_turn *t)
{
    if (t->run->status == CT_RUN_MORE) {
        t->job->again = true;
    } else {
        reply_run(t);
    }
}

/* ---- The first turn ---- */

/* Texts of the row live in the group's arena, as long as the row does. */
static mt_str bindings_text(ex_turn *t)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    bindings_json(&w, t->job);
    mt_str text = mt_str_dup(t->g->arena, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* x->run is the committer's own and is used by one turn at a time; it keeps its memory
 * from flow to flow. A flow that cannot even begin leaves no row and no record. */
mt_err ex_flow_first_turn(ex_job *job, ex_group *g, int64_t *started)
{
    ex_turn t = {.job = job,
                 .g = g,
                 .run = &job->x->run,
                 .who = ex_actor_of(job),
                 .asked_as = job->request.persona,
                 .is_new = true,
                 .row = {.id = job->flow_id,
                         .contract = job->v->contract,
                         .etag = job->v->etag,
                         .flow = job->v->plan->graphs[job->what].id,
                         .persona = job->request.persona,
                         .initiator = ex_caller_id(job),
                         .facts = job->facts_json,
                         .started_ms = g->now_ms}};
    t.row.bindings = bindings_text(&t);
    ct_run_input in = input_of(&t);
    if (ct_run_start(t.run, &in) == CT_RUN_FAILED) {
        ex_refuse(job, EX_FLOW_FAILED, "%.*s", MT_ARG(t.run->fault));
        return MT_OK;
    }
    ex_act act = act_of(&t, t.row.persona, CT_NONE);
    mt_err err = record_started(&t);
    *started = t.record;
    err = err ? err : ex_distinct_note(job, g, &act, NULL, 0, t.record);
    err = err ? err : take_turn(&t);
    if (!err) {
        settle(&t);
    }
    return err;
}

/* A run of its own on the stack: this is the caller's thread. It goes to the end as if
 * every persona acted, to show the whole way. */
bool ex_flow_start_dry_run(ex_job *job)
{
    ct_run run = {0};
    ex_turn t = {.job = job, .run = &run};
    t.row.flow = job->call->name;
    t.row.persona = job->request.persona;
    ct_run_input in = input_of(&t);
    ct_run_start(&run, &in);
    ct_run_all(&run);
    take_status(&t);
    reply_run(&t);
    ct_run_free(&run);
    return true;
}

/* ---- May it begin? ---- */

/* The first operation that the run comes to, if it comes to one by itself; CT_NONE: it
 * has ended, or waits for somebody. */
static uint32_t first_operation(ct_run *run)
{
    while (run->status == CT_RUN_MORE && ct_run_next_op(run) == CT_NONE) {
        ct_run_step(run);
    }
    return run->status == CT_RUN_MORE ? ct_run_next_op(run) : CT_NONE;
}

/* An outcome that was named is the one, though another were the only one that matches.
 */
static ct_attempt try_first(ex_turn *t, uint32_t op)
{
    ct_attempt a;
    ct_run *run = t->run;
    uint32_t persona = ex_next_persona(run), named = ex_outcome_named(t, op);
    ct_op_try(&run->frozen, op, persona, run->states, CT_NONE, &t->job->arena, &a,
              run->proposed);
    if ((!a.error || a.error == CT_OP_AMBIGUOUS) && named != CT_NONE) {
        ct_op_try(&run->frozen, op, persona, run->states, named, &t->job->arena, &a,
                  run->proposed);
    }
    return a;
}

static bool refuse_persona(ex_turn *t, uint32_t persona)
{
    return ex_refuse(t->job, EX_PERSONA_REJECTED,
                     "flow '%.*s' begins with the persona '%.*s', as which the caller "
                     "may not act",
                     MT_ARG(t->row.flow), MT_ARG(ct_persona_id(t->run->plan, persona)));
}

/* Answers as the operation would, were it asked for alone: with reasons. */
static bool refused_first(ex_turn *t, uint32_t op, bool outcome_later)
{
    ex_job *job = t->job;
    uint32_t flow = job->what, persona = ex_next_persona(t->run);
    bool may = may_act(t, t->run, persona);
    if (t->err || !may) {
        return t->err || refuse_persona(t, persona);
    }
    ct_attempt a = try_first(t, op);
    if (!a.error || (a.error == CT_OP_AMBIGUOUS && outcome_later)) {
        return false;
    }
    job->what = op;
    ex_refuse_attempt(job, &a);
    job->what = flow;
    return true;
}

/* Why the run came to a failure: what its last step that failed says, or nothing. */
static mt_str last_error(const ct_run *run)
{
    mt_str why = {0};
    for (size_t i = 0; i < run->records.len; i++) {
        const ct_record *r = &run->records.items[i];
        why = r->error && r->message != CT_NONE ? run->messages.items[r->message] : why;
    }
    return why;
}

/* Before a tool is called: a flow that would fail at once is not begun. Once it was
 * called, an end that its result leads to is one. */
static bool refused_failure(ex_turn *t)
{
    const ct_run *run = t->run;
    if (run->status == CT_RUN_FAILED) {
        return ex_refuse(t->job, EX_FLOW_FAILED, "%.*s", MT_ARG(run->fault));
    }
    if (run->status != CT_RUN_DONE || !run->plan->terminals[run->outcome].failed ||
        t->job->call->action == EX_GUARD_END) {
        return false;
    }
    mt_str why = last_error(run);
    return ex_refuse(t->job, EX_FLOW_FAILED, "flow '%.*s' would end with '%.*s'%s%.*s",
                     MT_ARG(t->row.flow),
                     MT_ARG(run->plan->terminals[run->outcome].name),
                     why.len ? ": " : "", MT_ARG(why));
}

/* As far as it comes without anybody else; nothing is left behind. */
static bool refused_way(ex_turn *t, bool outcome_later)
{
    ct_run *run = t->run;
    uint32_t op = first_operation(run);
    if (op != CT_NONE && refused_first(t, op, outcome_later)) {
        return true;
    }
    if (op == CT_NONE && run->status == CT_RUN_WAITING) {
        return refuse_persona(t, run->waiting_for);
    }
    ct_run_all(run);
    return ex_refused_other_outcomes(t) || refused_failure(t);
}

mt_err ex_flow_entry_refused(ex_job *job, ex_group *g, bool outcome_later)
{
    ct_run run = {0};
    ex_turn t = {.job = job, .g = g, .run = &run, .who = ex_actor_of(job)};
    t.row.flow = job->v->plan->graphs[job->what].id;
    t.row.persona = job->request.persona;
    t.row.id = job->flow_id;
    ct_run_input in = input_of(&t);
    in.host.may_act = may_act;
    in.host.apply = NULL;
    in.simulation = true;
    if (ct_run_start(&run, &in) == CT_RUN_FAILED) {
        ex_refuse(job, EX_FLOW_FAILED, "%.*s", MT_ARG(run.fault));
    } else {
        (void)refused_way(&t, outcome_later);
    }
    ct_run_free(&run);
    return t.err;
}

/* ---- Going on ---- */

/* In no group; what is read may be out of date and is looked at again under the
 * lock. */
mt_err ex_flow_read(ex_job *job, mt_str id, st_flow *row)
{
    st_tx *tx;
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        err = st_flow_get(tx, &job->arena, id, row);
        st_rollback(tx);
    }
    return err;
}

bool ex_refuse_execution(ex_job *job, mt_str id)
{
    return ex_refuse(job, EX_UNKNOWN_EXECUTION, "no flow execution '%.*s'", MT_ARG(id));
}

/* Why the snapshot is not there. Always true. */
static bool refuse_restore(ex_job *job, mt_err err, const ct_fault *fault)
{
    if (err == MT_E_BUSY) {
        job->unthought = job->in_group;
        job->elsewhere = !job->in_group;
        return true;
    }
    return err == MT_E_CORRUPT
               ? ex_refuse(job, EX_FLOW_FAILED,
                           "the flow's snapshot does not fit its contract")
               : ex_refuse_evaluation(job, fault);
}

/* Facts are read from the row and evaluated again: the same facts and the same version
 * give the same verdicts (E4), so verdicts need not be stored. Skipped where it was
 * done before. */
bool ex_refused_restore(ex_job *job, const st_flow *row)
{
    mt_err err;
    ct_fault fault = {0};
    if (job->snap && !mt_str_eq(job->v->etag, row->etag)) {
        ex_job_drop_snap(job); /* a migration moved it since the last turn */
        job->thought = false;
    }
    if (job->thought) {
        return false; /* what a flow has frozen does not change */
    }
    if (!job->snap) {
        job->v = ex_version_with(job->x, row->contract, row->etag, &err);
        if (!job->v) {
            return ex_refuse(job, EX_FLOW_FAILED,
                             "the contract version of the flow is gone");
        }
        job->snap = ex_snap_take(job->v);
    }
    job->what = ct_model_find(job->v->model, CT_KIND_FLOW, row->flow);
    err = ex_snapshot_restore(job, row, &fault);
    return err ? refuse_restore(job, err, &fault) : ex_refused_row_bindings(job, row);
}

void ex_flow_claim(ex_job *job, ex_group *g, const st_flow *row)
{
    if (!ex_refused_restore(job, row)) {
        ex_claim_bound(job, g);
    }
}

/* Takes the run up at the row's position, with the states that the snap has. */
static mt_err take_up(ex_turn *t)
{
    ex_job *job = t->job;
    mt_json *tree = mt_new(&job->arena, mt_json);
    mt_str why = {0};
    ct_run_input in = input_of(t);
    mt_str text = mt_str_dup(&job->arena, t->row.position);
    mt_err err = mt_json_read(&job->arena, text, NULL, tree, NULL);
    err = err ? err : ct_position_read(t->run, &in, tree, &why);
    if (err) {
        ex_log(job->x, 3, "flow_unreadable", "%.*s: %.*s", MT_ARG(t->row.id),
               MT_ARG(why));
        return MT_E_CORRUPT;
    }
    t->records_before = t->run->records.len;
    for (uint32_t e = 0; e < job->v->model->entity_count; e++) {
        ct_run_set_state(t->run, e, job->snap->states[e]);
    }
    return MT_OK;
}

/* Whoever resumes acts as the persona that the flow waits for; if it may not, it is
 * told why, instead of finding the flow still waiting. */
static bool refused_as_other(ex_turn *t)
{
    if (!t->resuming || t->job->resumed) {
        return false;
    }
    ex_act act = act_of(t, t->row.waiting_persona, ct_run_next_op(t->run));
    t->err = ex_distinct_refused(t->job, t->g ? t->g->tx : NULL, &act, t->g != NULL);
    return t->err ? ex_refuse_store(t->job, t->err) : t->job->answered;
}

/* The states were read. When it is refused, the flow stays where it is. */
static bool refused_turn(ex_turn *t)
{
    if (take_up(t)) {
        return ex_refuse(t->job, EX_FLOW_FAILED,
                         "the flow's position does not fit its contract");
    }
    return refused_as_other(t) ||
           (t->resuming && !t->job->resumed && ex_refused_outcome(t));
}

/* One more turn of a flow whose row the group has locked. */
mt_err ex_flow_turn(ex_job *job, ex_group *g, ex_flow_row *f, const ex_caller *who)
{
    ex_turn t = {.job = job,
                 .g = g,
                 .run = &job->x->run,
                 .who = who,
                 .row = f->row,
                 .asked_as = f->row.waiting_persona,
                 .resuming = job->call->action == EX_FLOW_RESUME && !job->internal};
    ex_group_states(job, g);
    if (refused_turn(&t)) {
        return MT_OK;
    }
    mt_err err = take_turn(&t);
    if (!err) {
        f->row = t.row;
        settle(&t);
    }
    return err;
}

/* Who may act counts here: the answer ends where the flow would wait for somebody
 * else. */
bool ex_flow_resume_dry_run(ex_job *job, const st_flow *row)
{
    ct_run run = {0};
    ex_turn t = {.job = job,
                 .run = &run,
                 .who = job->call->caller,
                 .row = *row,
                 .resuming = true};
    if (!refused_turn(&t)) {
        ct_run_all(&run);
        take_status(&t);
        reply_run(&t);
    }
    ct_run_free(&run);
    return true;
}

/* For jobs that come back by themselves. Somebody may have cancelled the flow between
 * two turns; then its row is the answer. */
mt_err ex_flow_continue(ex_job *job, ex_group *g)
{
    ex_flow_row *f = ex_flow_of(g, job->flow_id);
    if (!f || !f->found) {
        ex_refuse_execution(job, job->flow_id);
        return MT_OK;
    }
    if (!mt_str_is(f->row.status, "running")) {
        ex_reply_flow(job, &f->row, EX_NO_RECORD);
        return MT_OK;
    }
    return ex_flow_turn(job, g, f, ex_actor_of(job));
}
