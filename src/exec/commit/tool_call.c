/* exec/commit/tool_call.c - a call of a tool of another server: what is written when it
 * is allowed, and when it is known what became of it.
 * Room: exec. What the tool means, an operation or a flow, is decided and done by its
 * kind (kinds/operation_guard.c, kinds/flow_guard.c).
 *
 * - begin: the kind decides; then, in one transaction, the record that it is allowed,
 *   the call's document, and a claim on each instance it will change.
 * - The tool is called by whoever asked. This process may die here.
 * - end: *done*, and the kind does it as it was decided, with the facts of then;
 *   *failed*, and nothing moves; *unknown*, and everything stays as it is, and is said.
 *
 * Who does it is who called the tool, whoever says how that ended.
 * INVARIANT: the document of a call goes with the record of its end, in one
 * transaction, so an effect is written once. What was decided is not decided again: the
 * facts are those of the beginning, and nobody moves what is claimed. If an instance
 * was moved nevertheless (another process on a shared store), the call becomes one
 * whose outcome is unknown.
 * May fail: the store. */
#include "exec/commit/tool_call.h"

#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/commit/effects.h"
#include "exec/evidence/guarded.h"

/* ---- What is said of the call ---- */

/* Who ends a call need not know which tool it was. */
static mt_str tool_of(const ex_job *job)
{
    const ex_tool_call *c = job->call->action == EX_GUARD_END ? job->work : NULL;
    return c ? mt_text_at(&c->tree, "tool") : job->call->guarded->tool;
}

/* Entities whose instances the call holds from now on. */
static void holds_json(mt_jw *w, const ex_job *job)
{
    const ct_model *m = job->v->model;
    uint32_t op = job->guards_flow ? CT_NONE : job->what;
    mt_jw_keyz(w, "holds");
    mt_jw_begin_array(w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (job->snap->instances[e].ptr && ex_changes(job->v, op, e)) {
            mt_jw_str(w, m->entities[e].id);
        }
    }
    mt_jw_end_array(w);
}

/* {"arguments","by","call","event","holds","observed","result","tool","why"}; `by`: who
 * says how it ended, if that is not who called. */
mt_str ex_tool_json(ex_job *job, mt_str call, const char *event, mt_str why)
{
    const ex_guarded *c = job->call->guarded;
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    if (c->arguments.len) {
        mt_jw_keyz(&w, "arguments");
        mt_jw_raw(&w, c->arguments);
    }
    if (job->acting && !mt_str_eq(job->acting->id, job->call->caller->id)) {
        mt_jw_keyz(&w, "by");
        ex_identity_json(&w, job->call->caller);
    }
    if (call.len) {
        mt_jw_key_str(&w, "call", call);
    }
    mt_jw_key_str(&w, "event", mt_str_z(event));
    if (call.len && !c->commits_before && mt_str_is(mt_str_z(event), "allowed")) {
        holds_json(&w, job);
    }
    if (c->observes) {
        mt_jw_key_bool(&w, "observed", true);
    }
    if (c->result.len) {
        mt_jw_keyz(&w, "result");
        mt_jw_raw(&w, c->result);
    }
    mt_jw_key_str(&w, "tool", tool_of(job));
    if (why.len) {
        mt_jw_key_str(&w, "why", why);
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(&job->arena, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static mt_str bindings_json(const ex_job *job, mt_arena *a)
{
    const ct_model *m = job->v->model;
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; job->snap && e < m->entity_count; e++) {
        if (job->snap->instances[e].ptr) {
            mt_jw_key(&w, m->entities[e].id);
            mt_jw_str(&w, job->snap->instances[e]);
        }
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* What the tool means: a name, under the key that says of which kind. */
static void meaning_json(mt_jw *w, const ex_job *job, bool flow)
{
    if (job->what != CT_NONE && job->guards_flow && flow) {
        mt_jw_key_str(w, "flow", job->v->plan->graphs[job->what].id);
    } else if (job->what != CT_NONE && !job->guards_flow && !flow) {
        mt_jw_key_str(w, "operation", ct_operation_id(job->v->plan, job->what));
    }
}

/* The record of what happened to the call; facts only where it was decided. */
static mt_err record(ex_job *job, ex_group *g, bool decided, int64_t *number)
{
    const ex_version *v = job->v;
    mt_str bindings = bindings_json(job, g->arena);
    mt_jw w = ex_record_begin(g);
    mt_jw_keyz(&w, "bindings");
    mt_jw_raw(&w, bindings);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    if (decided) {
        mt_jw_keyz(&w, "facts");
        ex_fact_provenance(&w, v, job->snap);
    }
    meaning_json(&w, job, true);
    mt_jw_keyz(&w, "guard");
    mt_jw_raw(&w, job->guard_json);
    mt_jw_key_str(&w, "kind", MT_STR("guard"));
    meaning_json(&w, job, false);
    mt_jw_key_str(&w, "persona", job->request.persona);
    ex_record_time(&w, g);
    if (decided) {
        mt_jw_keyz(&w, "verdicts");
        ex_verdict_names(&w, v, job->snap->verdicts);
    }
    ex_record r = {.kind = "guard", .contract = v->contract, .unsorted = !v->sorted};
    ex_bound_subjects(g, bindings, &r);
    return ex_record_end(g, &w, &r, number);
}

void ex_tool_reply(ex_job *job, mt_str call, const char *status, int64_t number)
{
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "call", call);
    mt_jw_key_str(&w, "contract", job->v->contract);
    ex_reply_record(&w, job, number);
    mt_jw_key_str(&w, "status", mt_str_z(status));
    ex_reply_end(&w);
}

/* ---- Allowed ---- */

/* Facts with where each came from, as the record of the operation will have them. */
static mt_str said_json(const ex_job *job, mt_arena *a)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    ex_fact_provenance(&w, job->v, job->snap);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* What the end needs to know, whoever brings it. */
mt_err ex_tool_keep(ex_job *job, ex_group *g, mt_str call, const char *status,
                    int64_t allowed)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "allowed", allowed);
    mt_jw_keyz(&w, "bindings");
    mt_jw_raw(&w, bindings_json(job, g->arena));
    mt_jw_keyz(&w, "caller");
    ex_acting_json(&w, job->call->caller);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_keyz(&w, "facts");
    mt_jw_raw(&w, job->facts_json.len ? job->facts_json : MT_STR("{}"));
    meaning_json(&w, job, true);
    meaning_json(&w, job, false);
    mt_jw_key_str(&w, "persona", job->request.persona);
    mt_jw_keyz(&w, "said");
    mt_jw_raw(&w, job->snap ? said_json(job, g->arena) : MT_STR("[]"));
    mt_jw_key_str(&w, "status", mt_str_z(status));
    mt_jw_key_i64(&w, "time", g->now_ms);
    mt_jw_key_str(&w, "tool", job->call->guarded->tool);
    mt_jw_end_object(&w);
    st_doc doc = {.kind = EX_GUARDED_KIND,
                  .id = call,
                  .tag = MT_STR(""),
                  .body = mt_buf_str(&out),
                  .updated_ms = g->now_ms};
    mt_err err = st_doc_put(g->tx, &doc);
    mt_buf_free(&out);
    g->wrote = true;
    return err;
}

mt_err ex_tool_allow(ex_job *job, ex_group *g, mt_str call)
{
    int64_t number;
    bool mapped = job->what != CT_NONE, closes = job->call->guarded->closes;
    job->guard_json = ex_tool_json(job, closes ? (mt_str){0} : call,
                                   mapped ? "allowed" : "passed", (mt_str){0});
    mt_err err = record(job, g, mapped, &number);
    if (!err && !closes) {
        err = ex_tool_keep(job, g, call, EX_CALL_ALLOWED, number);
    }
    uint32_t changes = job->guards_flow ? CT_NONE : job->what;
    err = err || !mapped ? err : ex_hold(job, g, changes, call);
    if (!err) {
        ex_tool_reply(job, call, EX_CALL_ALLOWED, number);
    }
    return err;
}

/* ---- End: preparing ---- */

static bool refuse_call(ex_job *job)
{
    return ex_refuse(job, EX_NOT_FOUND, "no guarded call '%.*s' is open",
                     MT_ARG(job->call->id));
}

/* `committed` survives that the status becomes unknown: see mark_unknown(). */
static mt_err read_call(ex_job *job, st_tx *tx, bool lock, ex_tool_call *out)
{
    mt_err err = (lock ? st_doc_lock : st_doc_get)(tx, &job->arena, EX_GUARDED_KIND,
                                                   job->call->id, &out->doc);
    if (!err && mt_json_read(&job->arena, out->doc.body, NULL, &out->tree, NULL)) {
        err = MT_E_CORRUPT;
    }
    if (!err) {
        mt_str status = mt_text_at(&out->tree, "status");
        out->committed =
            mt_json_is(mt_json_at(&out->tree, "committed"), MT_JSON_BOOL) ||
            mt_str_is(status, EX_CALL_COMMITTED);
    }
    return err;
}

static mt_str raw(ex_job *job, const mt_json *node)
{
    mt_buf out = {0};
    mt_json_write(&out, node, false);
    mt_str text = mt_str_dup(&job->arena, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* What the tool meant then. */
static void restore_meaning(ex_job *job, const ex_tool_call *c)
{
    mt_str flow = mt_text_at(&c->tree, "flow");
    mt_str operation = mt_text_at(&c->tree, "operation");
    job->guards_flow = flow.len > 0;
    job->what =
        !flow.len && !operation.len
            ? CT_NONE
            : ct_model_find(job->v->model, flow.len ? CT_KIND_FLOW : CT_KIND_OPERATION,
                            flow.len ? flow : operation);
    if (flow.len) {
        job->facts_json = raw(job, mt_json_at(&c->tree, "facts"));
    }
}

/* As it was decided: the version of then, its facts, what it was bound to. */
static bool refused_restore(ex_job *job, const ex_tool_call *c)
{
    mt_err err;
    ct_fault fault = {0};
    st_flow row = {.contract = mt_text_at(&c->tree, "contract"),
                   .etag = mt_text_at(&c->tree, "etag"),
                   .facts = raw(job, mt_json_at(&c->tree, "facts")),
                   .bindings = raw(job, mt_json_at(&c->tree, "bindings"))};
    job->v = ex_version_with(job->x, row.contract, row.etag, &err);
    if (!job->v) {
        return ex_refuse(job, EX_NOT_FOUND, "the contract version of the call is gone");
    }
    job->request.persona = mt_text_at(&c->tree, "persona");
    job->persona = ct_model_find(job->v->model, CT_KIND_PERSONA, job->request.persona);
    restore_meaning(job, c);
    if (job->what == CT_NONE) {
        return false;
    }
    job->facts_said = raw(job, mt_json_at(&c->tree, "said"));
    err = ex_snapshot_restore(job, &row, &fault);
    return err ? ex_refuse_evaluation(job, &fault) : ex_refused_row_bindings(job, &row);
}

/* Read without a lock, to prepare; ex_tool_end() reads it again, locked. */
bool ex_refused_tool_call(ex_job *job)
{
    st_tx *tx;
    ex_tool_call *c = mt_new(&job->arena, ex_tool_call);
    if (ex_refused_request(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = read_call(job, tx, false, c);
    st_rollback(tx);
    if (err) {
        return err == MT_E_NOTFOUND ? refuse_call(job) : ex_refuse_store(job, err);
    }
    job->work = c;
    return refused_restore(job, c);
}

/* ---- End: in the group ---- */

mt_err ex_tool_forget(ex_job *job, ex_group *g)
{
    mt_err err = st_doc_delete(g->tx, EX_GUARDED_KIND, job->call->id);
    g->wrote = true;
    return err ? err : ex_let_go(g, job->call->id);
}

/* The document and its claims stay; it says that somebody has to find out. */
static mt_err mark_unknown(ex_job *job, ex_group *g, ex_tool_call *c)
{
    mt_json_member *members = mt_new_array(g->arena, mt_json_member, c->tree.count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->tree.count; i++) {
        members[count] = c->tree.as.members[i];
        if (mt_str_is(members[count].key, "status")) {
            members[count].value.as.text = EX_CALL_UNKNOWN;
            members[count].value.count = (uint32_t)strlen(EX_CALL_UNKNOWN);
        }
        count++;
    }
    if (c->committed && !mt_json_at(&c->tree, "committed")) {
        members[count++] = (mt_json_member){MT_STR("committed"),
                                            {.type = MT_JSON_BOOL, .boolean = true}};
    }
    mt_json tree = {.type = MT_JSON_OBJECT, .count = count, .as.members = members};
    st_doc doc = c->doc;
    doc.body = raw(job, &tree);
    doc.version++;
    doc.updated_ms = g->now_ms;
    g->wrote = true;
    return st_doc_put(g->tx, &doc);
}

/* Nothing moves with it: a record, and the call is over. */
static mt_err end_plainly(ex_job *job, ex_group *g, const char *event)
{
    int64_t number;
    job->guard_json = ex_tool_json(job, job->call->id, event, job->call->guarded->why);
    mt_err err = record(job, g, false, &number);
    err = err ? err : ex_tool_forget(job, g);
    if (!err) {
        ex_tool_reply(job, job->call->id, event, number);
    }
    return err;
}

mt_err ex_tool_unknown(ex_job *job, ex_group *g, mt_str why)
{
    ex_tool_call *c = job->work;
    int64_t number;
    job->acting = NULL;
    job->guard_json = ex_tool_json(job, job->call->id, EX_CALL_UNKNOWN, why);
    mt_err err = mark_unknown(job, g, c);
    err = err ? err : record(job, g, false, &number);
    if (!err) {
        ex_tool_reply(job, job->call->id, EX_CALL_UNKNOWN, number);
    }
    return err;
}

/* What it means is done as it was decided. What does not fit any more is not forced:
 * the tool has had its effect, and this store does not show it. */
static mt_err end_done(ex_job *job, ex_group *g, ex_tool_done *done)
{
    const ex_tool_call *c = job->work;
    const mt_json *caller = mt_json_at(&c->tree, "caller");
    if (job->what == CT_NONE || c->committed) {
        return end_plainly(job, g, "done");
    }
    job->acting = caller ? ex_acting_read(&job->arena, caller) : NULL;
    job->guard_json = ex_tool_json(job, job->call->id, "done", job->call->guarded->why);
    return done(job, g);
}

/* Somebody else may have ended it since it was read. */
mt_err ex_tool_end(ex_job *job, ex_group *g, ex_tool_done *done)
{
    mt_err err = read_call(job, g->tx, true, job->work);
    if (err) {
        bool gone = err == MT_E_NOTFOUND && refuse_call(job);
        return gone ? MT_OK : err;
    }
    switch (job->call->guarded->ended) {
    case EX_ENDED_DONE: return end_done(job, g, done);
    case EX_ENDED_FAILED: return end_plainly(job, g, "failed");
    case EX_ENDED_UNKNOWN: return ex_tool_unknown(job, g, job->call->guarded->why);
    }
    MT_BUG("unknown end of a call");
}
