/* exec/operation.c - one operation: tried on the caller's thread, applied by
 * the committer. Room: exec. The sequence of §9.3 is the engine's (ct_op_try):
 * persona, precondition, outcome. What does not depend on states is refused before the
 * job is queued; a dry run is the same trial on the states as they are, and nothing
 * else. */
#include "contract/flow/report.h"
#include "contract/flow/text.h"
#include "contract/flow/why.h"
#include "exec/flow.h"

/* ---- Refusals ---------------------------------------------------------------------
 */

/* ORDER ct_op_error. */
static const ex_problem PROBLEMS[] = {
    EX_PROBLEM_COUNT,     EX_PERSONA_REJECTED, EX_PRECONDITION_FAILED,
    EX_EVALUATION_ERROR,  EX_UNKNOWN_INSTANCE, EX_INVALID_SOURCE_STATE,
    EX_AMBIGUOUS_OUTCOME, EX_UNKNOWN_OUTCOME,
};

ct_frozen ex_frozen(const ex_job *job)
{
    const ex_snap *s = job->snap;
    return (ct_frozen){
        job->v->plan, {job->v->plan->program, s->facts, s->verdicts}, s->scratch};
}

static void names_json(mt_jw *w, const uint32_t *items, uint32_t count,
                       const ct_model *m, bool facts)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(w, facts ? m->facts[items[i]].id : m->rules[items[i]].verdict);
    }
    mt_jw_end_array(w);
}

/* What was false: every atom that has a part in it. */
static void reasons_json(mt_jw *w, ex_job *job)
{
    const ct_model *m = job->v->model;
    ct_frozen z = ex_frozen(job);
    ct_reasons reasons = {0};
    ct_fault fault;
    bool value;
    mt_buf text = {0};
    mt_jw_keyz(w, "reasons");
    mt_jw_begin_array(w);
    bool held = job->in_group && job->v->may_be_long; /* reasons may take long */
    if (held ||
        ct_why_all(&job->arena, &z.snapshot, m->operations[job->what].precondition,
                   &value, &reasons, &fault)) {
        reasons.len = 0;
    }
    for (size_t i = 0; i < reasons.len; i++) {
        const ct_reason *r = &reasons.items[i];
        mt_buf_clear(&text);
        ct_expr_text(&text, m, r->atom);
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "condition", mt_buf_str(&text));
        mt_jw_keyz(w, "facts");
        names_json(w, r->used.facts, r->used.fact_count, m, true);
        mt_jw_key_bool(w, "value", r->value);
        mt_jw_keyz(w, "verdicts");
        names_json(w, r->used.verdicts, r->used.verdict_count, m, false);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_buf_free(&text);
}

static void state_json(mt_jw *w, const ex_job *job, const ct_attempt *a)
{
    const ct_model *m = job->v->model;
    const ct_entity *e = &m->entities[a->entity];
    mt_jw_key_str(w, "entity", e->id);
    mt_jw_key_str(w, "instance", job->snap->instances[a->entity]);
    if (a->state != CT_NONE) {
        mt_jw_key_str(w, "state", e->states[a->state]);
    }
    const ct_operation *op = &m->operations[job->what];
    mt_jw_keyz(w, "expected");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < op->effect_count; i++) {
        bool other = op->effects[i].entity != a->entity;
        for (uint32_t k = 0; k < i && !other; k++) {
            other = op->effects[k].entity == a->entity &&
                    op->effects[k].from == op->effects[i].from;
        }
        if (!other) {
            mt_jw_str(w, e->states[op->effects[i].from]);
        }
    }
    mt_jw_end_array(w);
}

/* Those that match the states. */
static void matching_json(mt_jw *w, ex_job *job)
{
    const ct_plan *p = job->v->plan;
    uint32_t most = p->ops[job->what].outcome_count;
    uint32_t *list = mt_new_array(&job->arena, uint32_t, most);
    ex_outcomes_json(w, p, list,
                     ct_op_matching(p, job->what, job->snap->states, list, most));
}

static bool refuse_attempt(ex_job *job, const ct_attempt *a)
{
    const ct_plan *p = job->v->plan;
    mt_buf text = {0};
    ct_op_error_text(&text, p, job->what, job->request.persona, a,
                     a->entity == CT_NONE ? (mt_str){0}
                                          : job->snap->instances[a->entity]);
    ex_problem problem = a->kind == CT_FAULT_BUDGET     ? EX_EVALUATION_BUDGET
                         : a->kind == CT_FAULT_DEADLINE ? EX_EVALUATION_DEADLINE
                                                        : PROBLEMS[a->error];
    mt_jw w = ex_problem_open(job, problem, mt_buf_str(&text));
    mt_buf_free(&text);
    if (a->kind != CT_FAULT_NONE) {
        mt_jw_key_str(&w, "fault", mt_str_z(ct_fault_name(a->kind)));
    }
    mt_jw_key_str(&w, "operation", ct_operation_id(p, job->what));
    if (!ct_op_declares(&p->model->operations[job->what], a->error)) {
        mt_jw_key_bool(&w, "undeclared", true);
    }
    if (a->error == CT_OP_PRECONDITION) {
        reasons_json(&w, job);
    }
    if (a->error == CT_OP_AMBIGUOUS) {
        matching_json(&w, job);
    }
    if (a->error == CT_OP_OUTCOME) {
        ex_all_outcomes_json(&w, p, job->what);
    }
    if (a->entity != CT_NONE) {
        state_json(&w, job, a);
    }
    return ex_problem_close(&w);
}

bool ex_check_versions(ex_job *job)
{
    const ct_model *m = job->v->model;
    const mt_json *expected = job->request.expected;
    for (uint32_t i = 0; expected && i < expected->count; i++) {
        const mt_json_member *x = &expected->as.members[i];
        uint32_t e = ct_model_find(m, CT_KIND_ENTITY, x->key);
        int64_t version;
        if (e == CT_NONE || !job->snap->instances[e].ptr ||
            mt_json_i64(&x->value, &version) || version < 0) {
            return ex_refuse(job, EX_INVALID_BINDING,
                             "expected_versions: '%.*s' must be a bound entity with a "
                             "version number",
                             MT_ARG(x->key));
        }
        if (job->snap->states[e] != CT_NONE && job->snap->versions[e] != version) {
            mt_jw w = ex_problem_open(
                job, EX_VERSION_CONFLICT,
                mt_strf(&job->arena, "entity '%.*s' instance '%.*s' has version %lld",
                        MT_ARG(x->key), MT_ARG(job->snap->instances[e]),
                        (long long)job->snap->versions[e]));
            mt_jw_key_str(&w, "entity", x->key);
            mt_jw_key_str(&w, "instance", job->snap->instances[e]);
            mt_jw_key_i64(&w, "expected", version);
            mt_jw_key_i64(&w, "version", job->snap->versions[e]);
            return ex_problem_close(&w);
        }
    }
    return false;
}

/* ---- Words ------------------------------------------------------------------------
 */

static ct_op_report report_of(const ex_job *job, const ct_frozen *z,
                              const ct_attempt *a)
{
    return (ct_op_report){.frozen = z,
                          .op = job->what,
                          .persona = job->request.persona,
                          .attempt = a,
                          .changes = job->snap->changes,
                          .instances = job->snap->instances,
                          .simulation = job->simulation};
}

/* The answer of a trial that succeeded; `record` is 0 for a dry run. */
static void reply_done(ex_job *job, const ct_attempt *a, int64_t record)
{
    const ct_plan *p = job->v->plan;
    ct_frozen z = ex_frozen(job);
    ct_op_report r = report_of(job, &z, a);
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "changes");
    ct_op_changes_json(&w, &r);
    mt_jw_key_str(&w, "contract", job->v->contract);
    mt_jw_key_str(&w, "etag", job->v->etag);
    mt_jw_key_str(&w, "operation", ct_operation_id(p, job->what));
    mt_jw_key_str(&w, "outcome", p->outcomes[a->outcome].label);
    mt_jw_key_str(&w, "persona", job->request.persona);
    mt_jw_keyz(&w, "provenance");
    ct_op_provenance_json(&w, &r);
    if (record) {
        mt_jw_key_i64(&w, "record", record);
    }
    if (job->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    }
    mt_jw_keyz(&w, "versions");
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        if (job->snap->states[e] != CT_NONE) {
            mt_jw_key(&w, p->model->entities[e].id);
            mt_jw_i64(&w, job->snap->versions[e]);
        }
    }
    mt_jw_end_object(&w);
    ex_reply_end(&w);
}

mt_str ex_subject(mt_arena *a, mt_str entity, mt_str id)
{
    return mt_strf(a, "%.*s/%.*s", MT_ARG(entity), MT_ARG(id));
}

/* An operation's record is found by the first instance it changed; for every other one
 * a small record points to it. */
mt_err ex_effect_records(ex_group *g, const ex_effects *f, int64_t of)
{
    const ct_plan *p = f->v->plan;
    mt_err err = MT_OK;
    for (uint32_t i = 1; i < f->count && !err; i++) {
        const ct_change *c = &f->changes[i];
        mt_str entity = ct_entity_id(p, c->entity), id = f->instances[c->entity];
        mt_buf_clear(&g->body);
        mt_jw w = mt_jw_start(&g->body, false);
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "contract", f->v->contract);
        mt_jw_key_str(&w, "entity", entity);
        mt_jw_key_str(&w, "etag", f->v->etag);
        mt_jw_key_str(&w, "instance", id);
        mt_jw_key_str(&w, "kind", MT_STR("effect"));
        mt_jw_key_i64(&w, "of", of);
        mt_jw_key_str(&w, "state_after", ct_plan_state_id(p, c->entity, c->to));
        mt_jw_key_str(&w, "state_before", ct_plan_state_id(p, c->entity, c->from));
        ex_record_time(&w, g);
        mt_jw_end_object(&w);
        ex_record r = {.kind = "effect",
                       .contract = f->v->contract,
                       .flow = f->flow,
                       .subject = ex_subject(g->arena, entity, id)};
        int64_t ignored;
        err = ex_record_add(g, &r, &ignored);
    }
    return err;
}

/* Moves every instance the changes name. */
mt_err ex_apply(ex_group *g, const ex_effects *f)
{
    const ct_plan *p = f->v->plan;
    for (uint32_t i = 0; i < f->count; i++) {
        const ct_change *c = &f->changes[i];
        ex_row *r = ex_row_of(g, f->v->scopes[c->entity], ct_entity_id(p, c->entity),
                              f->instances[c->entity]);
        if (!r || !r->found) {
            return MT_E_CONFLICT;
        }
        ex_move(g, r, ct_plan_state_id(p, c->entity, c->to), f->flow, f->operation);
    }
    return MT_OK;
}

static mt_err record_operation(ex_job *job, ex_group *g, const ct_attempt *a,
                               const ex_effects *f, int64_t *id)
{
    const ex_version *v = job->v;
    ct_frozen z = ex_frozen(job);
    ct_op_report report = report_of(job, &z, a);
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_keyz(&w, "facts");
    ex_fact_provenance(&w, v, job->snap);
    mt_jw_key_str(&w, "kind", MT_STR("operation"));
    mt_jw_keyz(&w, "provenance");
    ct_op_provenance_json(&w, &report);
    ex_record_time(&w, g);
    mt_jw_keyz(&w, "verdicts");
    ex_verdict_names(&w, v, job->snap->verdicts);
    mt_jw_end_object(&w);
    uint32_t first = a->change_count ? job->snap->changes[0].entity : CT_NONE;
    ex_record r = {
        .kind = "operation", .contract = v->contract, .unsorted = !v->sorted};
    if (first != CT_NONE) {
        r.subject = ex_subject(g->arena, ct_entity_id(v->plan, first),
                               job->snap->instances[first]);
    }
    mt_err err = ex_record_add(g, &r, id);
    return err ? err : ex_effect_records(g, f, *id);
}

/* ---- The handler ------------------------------------------------------------------
 */

static uint32_t wanted(const ex_job *job, bool *unknown)
{
    mt_str label = mt_json_text(job->request.outcome);
    *unknown = false;
    if (!job->request.outcome) {
        return CT_NONE;
    }
    uint32_t o = ct_plan_outcome_named(job->v->plan, job->what, label);
    *unknown = o == CT_NONE;
    return o;
}

static bool check_bound(ex_job *job)
{
    const ct_model *m = job->v->model;
    const ct_operation *op = &m->operations[job->what];
    for (uint32_t i = 0; i < op->effect_count; i++) {
        uint32_t e = op->effects[i].entity;
        if (!job->snap->instances[e].ptr) {
            return ex_refuse(job, EX_MISSING_BINDING,
                             "operation '%.*s' changes entity '%.*s', which `bindings` "
                             "binds to no instance",
                             MT_ARG(op->id), MT_ARG(m->entities[e].id));
        }
    }
    return false;
}

static void try(ex_job *job, ct_attempt *a)
{
    bool unknown;
    uint32_t outcome = wanted(job, &unknown);
    ct_frozen z = ex_frozen(job);
    ct_op_try(&z, job->what, job->persona, job->snap->states, outcome, &job->arena, a,
              job->snap->changes);
    if (unknown && (!a->error || a->error > CT_OP_EVALUATION)) {
        *a = (ct_attempt){.error = CT_OP_OUTCOME,
                          .outcome = CT_NONE,
                          .entity = CT_NONE,
                          .state = CT_NONE};
    }
}

static bool dry_run(ex_job *job)
{
    ct_attempt a;
    atomic_fetch_add_explicit(&job->x->metrics.dry_runs, 1, memory_order_relaxed);
    mt_err err = ex_states_read(job);
    if (err) {
        return ex_refuse_store(job, err);
    }
    if (ex_check_versions(job)) {
        return true;
    }
    try(job, &a);
    if (a.error) {
        return refuse_attempt(job, &a);
    }
    reply_done(job, &a, 0);
    return true;
}

/* Persona and precondition need no state: a refusal need not wait for the committer. */
static bool is_early(const ct_attempt *a)
{
    return a->error == CT_OP_PERSONA || a->error == CT_OP_PRECONDITION ||
           a->error == CT_OP_EVALUATION || a->error == CT_OP_OUTCOME;
}

static bool refused_early(ex_job *job)
{
    ct_attempt a;
    try(job, &a);
    return is_early(&a) && !ex_shadows(job->x, job->v) && refuse_attempt(job, &a);
}

/* With a shadow it waits, so that both contracts see the same states; the answer is the
 * same, and comes before any other. */
static bool refused_late(ex_job *job, ex_group *g, mt_err *err)
{
    ct_attempt a;
    *err = MT_OK;
    if (!ex_shadows(job->x, job->v)) {
        return false;
    }
    try(job, &a);
    if (!is_early(&a)) {
        return false;
    }
    refuse_attempt(job, &a);
    *err = ex_shadow_refusal(job, g, &a);
    return true;
}

static bool find_operation(ex_job *job)
{
    job->what = ct_model_find(job->v->model, CT_KIND_OPERATION, job->call->name);
    return job->what == CT_NONE &&
           ex_refuse(job, EX_UNKNOWN_OPERATION, "the contract has no operation '%.*s'",
                     MT_ARG(job->call->name));
}

/* Step (1) comes before anything the caller could learn from. */
static bool check_allowed(ex_job *job)
{
    const ct_plan_op *op = &job->v->plan->ops[job->what];
    if (job->persona != CT_NONE && ct_bit(op->allowed, job->persona)) {
        return false;
    }
    ct_attempt a = {.error = CT_OP_PERSONA,
                    .outcome = CT_NONE,
                    .entity = CT_NONE,
                    .state = CT_NONE};
    return refuse_attempt(job, &a);
}

bool ex_operation(ex_job *job)
{
    if (ex_find_contract(job) || ex_request_read(job) || find_operation(job) ||
        ex_check_persona(job)) {
        return true;
    }
    job->snap = ex_snap_take(job->v);
    if (check_allowed(job) || ex_bind(job) || check_bound(job) || ex_snapshot(job)) {
        return true;
    }
    return refused_early(job) || (job->simulation && dry_run(job));
}

bool ex_check_current(ex_job *job)
{
    return ex_current(job->x, job->v->contract) != job->v &&
           ex_refuse(job, EX_CONTRACT_CHANGED,
                     "contract '%.*s' got a new version while the request waited; look "
                     "at it and ask again",
                     MT_ARG(job->v->contract));
}

mt_err ex_operation_commit(ex_job *job, ex_group *g)
{
    ct_attempt a;
    int64_t id = 0;
    mt_err err;
    ex_group_states(job, g);
    if (refused_late(job, g, &err)) {
        return err;
    }
    if (ex_check_current(job) || ex_check_versions(job)) {
        return MT_OK;
    }
    try(job, &a);
    if (a.error) {
        refuse_attempt(job, &a);
        return ex_shadows(job->x, job->v) ? ex_shadow_refusal(job, g, &a) : MT_OK;
    }
    ex_effects f = {.v = job->v,
                    .changes = job->snap->changes,
                    .count = a.change_count,
                    .instances = job->snap->instances,
                    .operation = ct_operation_id(job->v->plan, job->what)};
    err = ex_apply(g, &f);
    err = err ? err : record_operation(job, g, &a, &f, &id);
    if (!err) {
        ex_group_states(job, g); /* versions as they are now */
        reply_done(job, &a, id);
    }
    return err;
}
