/* tool/flow.c - flows that wait: tasks, input requests, or words.
 * Room: tool.
 * A flow that waits for somebody else is a task, if the request says that its client
 * knows tasks; the execution is the task. One that waits for an outcome that this
 * persona is to name is an input request, if the client can be asked. Otherwise the
 * result says in words what is waited for. Every execution is asked about before it is
 * moved: one of another contract is not there, whatever the caller may do elsewhere. */
#include "tool/turn.h"

/* ---- Tasks ---- */

/* How often a client should ask after a task;
 * people act, so seconds are soon enough. */
enum { POLL_MS = 5000 };

static bool is_mine(const tl_turn *t, const mt_json *waiting)
{
    return mt_str_eq(mt_text_at(waiting, "persona"), tl_persona(t));
}

/* What an execution is as a task. A flow that failed is "completed" with a result that
 * is an error: the call has come to its end. One that waits for its own persona is
 * "input_required" only if an outcome is missing and the client can be asked. */
static const char *task_status(const tl_turn *t, const mt_json *flow)
{
    mt_str status = mt_text_at(flow, "status");
    const mt_json *waiting = mt_json_at(flow, "waiting");
    if (mt_str_is(status, "running")) {
        return "working";
    }
    if (mt_str_is(status, "waiting")) {
        bool asks = is_mine(t, waiting) && mt_json_at(waiting, "outcomes") &&
                    (t->m.can & MC_CAN_BE_ASKED);
        return asks ? "input_required" : "working";
    }
    return mt_str_is(status, "cancelled") || mt_str_is(status, "aborted") ? "cancelled"
                                                                          : "completed";
}

static bool flow_failed(const mt_json *flow)
{
    return mt_str_is(mt_text_at(flow, "status"), "failed");
}

/* The result that the call would have had, had it waited. tl_result() writes to
 * `members`, which are the task's own at this moment, hence the exchange. */
static void task_result(tl_turn *t, mt_jw *w, mt_str words)
{
    mt_buf members = t->members;
    t->members = (mt_buf){0};
    tl_result(t, flow_failed(t->reply), words, tl_data(t, t->reply, NULL));
    mt_jw_keyz(w, "result");
    mt_jw_begin_unsorted(w);
    mt_jw_raw(w, mt_buf_str(&t->members));
    mt_jw_end_object(w);
    mt_buf_free(&t->members);
    t->members = members;
}

/* Times are the execution's. `detailed` is false in the answer that creates a task:
 * only tasks/get has the request or the result. */
static void task_members(tl_turn *t, mt_buf *out, bool detailed)
{
    const mt_json *flow = t->reply, *waiting = mt_json_at(flow, "waiting");
    const char *status = task_status(t, flow);
    mt_buf words = {0};
    tl_flow_words(&words, flow);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_key_str(&w, "createdAt", mt_text_at(flow, "started_at"));
    if (detailed && strcmp(status, "input_required") == 0) {
        tl_input_request(t, &w, waiting, mt_json_at(waiting, "outcomes"));
    }
    mt_jw_key_str(&w, "lastUpdatedAt", mt_text_at(flow, "updated_at"));
    mt_jw_key_i64(&w, "pollIntervalMs", POLL_MS);
    if (detailed && strcmp(status, "completed") == 0) {
        task_result(t, &w, mt_buf_str(&words));
    }
    mt_jw_key_str(&w, "status", mt_str_z(status));
    mt_jw_key_str(&w, "statusMessage", mt_buf_str(&words));
    mt_jw_key_str(&w, "taskId", mt_text_at(flow, "id"));
    mt_jw_keyz(&w, "ttlMs");
    mt_jw_null(&w);
    mt_buf_free(&words);
}

bool tl_lost_execution(const tl_turn *t)
{
    return t->status == 404 ||
           (t->status < 400 &&
            !mt_str_eq(mt_text_at(t->reply, "contract"), t->view.contract));
}

/* What the store cannot tell now is not the same as what is not there. */
static bool lost(tl_turn *t)
{
    if (tl_lost_execution(t)) {
        mc_spoil(&t->m, MC_BAD_PARAMS, MT_STR("there is no such task"), (mt_str){0});
    } else if (t->status >= 400) {
        mc_spoil(&t->m, MC_INTERNAL, MT_STR("it cannot be read now"), (mt_str){0});
    }
    return t->m.kind == MC_FAULTY;
}

/* What cannot be an id is not looked for. */
static void ask_about_task(tl_turn *t, void (*then)(tl_turn *t))
{
    if (tl_is_name(t->m.params.task)) {
        tl_call(t, EX_FLOW_GET, (mt_str){0}, t->m.params.task, (mt_str){0}, then);
    } else {
        mc_spoil(&t->m, MC_BAD_PARAMS, MT_STR("there is no such task"), (mt_str){0});
    }
}

static void told_task(tl_turn *t)
{
    if (!lost(t)) {
        mt_buf out = {0};
        task_members(t, &out, true);
        mt_buf_adds(&t->members, mt_buf_str(&out));
        mt_buf_free(&out);
    }
}

void tl_tasks_get(tl_turn *t)
{
    ask_about_task(t, told_task);
}

/* Acknowledged, whatever came of it: tasks/get says that. */
static void acknowledged(tl_turn *t)
{
    if (t->status >= 500) {
        mc_spoil(&t->m, MC_INTERNAL, mt_text_at(t->reply, "detail"), (mt_str){0});
    }
}

/* An answer about another step, or none, changes
 * nothing; the acknowledgement is the same. */
static void update(tl_turn *t)
{
    if (lost(t)) {
        return;
    }
    t->asked = tl_input_key(t, mt_json_at(t->reply, "waiting"));
    mt_str outcome = tl_outcome_given(t);
    if (!outcome.ptr) {
        return;
    }
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "outcome", outcome);
    mt_jw_end_object(&w);
    tl_call(t, EX_FLOW_RESUME, (mt_str){0}, t->m.params.task, tl_keep(t, &b),
            acknowledged);
}

void tl_tasks_update(tl_turn *t)
{
    ask_about_task(t, update);
}

static void cancel(tl_turn *t)
{
    if (!lost(t)) {
        tl_call(t, EX_FLOW_CANCEL, (mt_str){0}, t->m.params.task, MT_STR("{}"),
                acknowledged);
    }
}

void tl_tasks_cancel(tl_turn *t)
{
    ask_about_task(t, cancel);
}

/* ---- Results ---- */

/* A flow that failed is an error of the tool;
 * one that waits or was cancelled is not. */
static void in_words(tl_turn *t)
{
    mt_buf words = {0};
    const mt_json *waiting = mt_json_at(t->reply, "waiting");
    tl_flow_words(&words, t->reply);
    if (waiting && is_mine(t, waiting)) {
        mt_buf_addz(&words, "Call resume with this execution to go on.\n");
    }
    tl_result(t, flow_failed(t->reply), mt_buf_str(&words), tl_data(t, t->reply, NULL));
    mt_buf_free(&words);
}

/* A task is created when it can be found: the answer to tasks/get is its seed. */
static void told_seed(tl_turn *t)
{
    mt_buf out = {0};
    if (t->status >= 400) {
        in_words(t);
        return;
    }
    t->type = "task";
    task_members(t, &out, false);
    mt_buf_adds(&t->members, mt_buf_str(&out));
    mt_buf_free(&out);
}

/* Three ways, in this order: ask for the outcome, if it is this persona's to name; make
 * a task, if somebody else is waited for; say it in words. */
void tl_flow_result(tl_turn *t)
{
    const mt_json *waiting = mt_json_at(t->reply, "waiting");
    mt_str id = mt_text_at(t->reply, "id");
    bool waits = mt_str_is(mt_text_at(t->reply, "status"), "waiting") && id.len;
    bool running = mt_str_is(mt_text_at(t->reply, "status"), "running") && id.len;
    if (waits && is_mine(t, waiting) && t->tool->kind == TL_FLOW &&
        tl_asks_for_outcome(t, mt_json_at(waiting, "outcomes"), t->reply)) {
        return;
    }
    if ((running || (waits && !is_mine(t, waiting))) && (t->m.can & MC_CAN_TASKS)) {
        tl_call(t, EX_FLOW_GET, (mt_str){0}, id, (mt_str){0}, told_seed);
        return;
    }
    in_words(t);
}

void tl_moved_flow(tl_turn *t)
{
    if (t->status >= 400) {
        tl_answer_problem(t);
    } else {
        tl_note_record(t);
        tl_flow_result(t);
    }
}

/* ---- Going on, and ending ---- */

/* The execution was asked about first: one of another contract is not this visitor's,
 * though its caller may have begun it or see it elsewhere. */
static bool refused_found(tl_turn *t)
{
    if (tl_lost_execution(t)) {
        tl_refuse(t, "unknown_execution", "no flow execution '%.*s'",
                  MT_ARG(t->call.id));
    } else if (t->status >= 400) {
        tl_answer_problem(t);
    }
    return tl_lost_execution(t) || t->status >= 400;
}

static void go_on(tl_turn *t)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_unsorted(&w);
    tl_add_outcome(t, &w);
    if (tl_wants_receipt(t)) {
        mt_jw_key_bool(&w, "receipt", true);
    }
    tl_call(t, EX_FLOW_RESUME, (mt_str){0}, t->call.id, tl_body_end(t, &w, &b),
            tl_moved_flow);
}

static void resume_found(tl_turn *t)
{
    if (!refused_found(t)) {
        go_on(t);
    }
}

void tl_resume(tl_turn *t, mt_str execution)
{
    tl_call(t, EX_FLOW_GET, (mt_str){0}, execution, (mt_str){0}, resume_found);
}

/* What a client was given to keep is a stranger's word when it comes back. It names an
 * execution, and counts for the flow that this caller began, as this persona, on the
 * same instances; anything else is refused, as the protocol wants it. */
static bool is_own_state(const tl_turn *t)
{
    static const mt_json NONE = {.type = MT_JSON_OBJECT};
    const mt_json *bindings = t->given.bindings ? t->given.bindings : &NONE;
    const ct_model *m = t->set->plan->model;
    mt_str who = t->as.id.len ? t->as.id : MT_STR("anonymous");
    return t->status < 400 && !tl_lost_execution(t) &&
           mt_str_eq(mt_text_at(t->reply, "flow"), m->flows[t->tool->what].id) &&
           mt_str_eq(mt_text_at(t->reply, "persona"), tl_persona(t)) &&
           mt_str_eq(mt_text_at(t->reply, "initiator"), who) &&
           mt_json_equal(mt_json_at(t->reply, "bindings"), bindings);
}

static void refuse_state(tl_turn *t)
{
    mc_spoil(&t->m, MC_BAD_PARAMS,
             MT_STR("requestState is not one that this call was given"), (mt_str){0});
}

/* Without an answer about the step that it waits at, how it stands is told; so it is
 * asked again. */
static void state_found(tl_turn *t)
{
    if (!is_own_state(t)) {
        refuse_state(t);
        return;
    }
    t->asked = tl_input_key(t, mt_json_at(t->reply, "waiting"));
    if (tl_was_declined(t)) {
        tl_refuse_declined(t);
    } else if (tl_outcome_given(t).ptr) {
        go_on(t);
    } else {
        tl_flow_result(t);
    }
}

void tl_go_on_asked(tl_turn *t)
{
    mt_str execution = t->m.params.state;
    if (tl_is_name(execution)) {
        tl_call(t, EX_FLOW_GET, (mt_str){0}, execution, (mt_str){0}, state_found);
    } else {
        refuse_state(t);
    }
}

static void cancel_found(tl_turn *t)
{
    mt_buf b = {0};
    if (refused_found(t)) {
        return;
    }
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_unsorted(&w);
    tl_add_text(&w, "reason", t->given.reason);
    tl_call(t, EX_FLOW_CANCEL, (mt_str){0}, t->call.id, tl_body_end(t, &w, &b),
            tl_moved_flow);
}

void tl_cancel(tl_turn *t)
{
    tl_call(t, EX_FLOW_GET, (mt_str){0}, t->given.execution, (mt_str){0}, cancel_found);
}
