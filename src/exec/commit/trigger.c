/* exec/commit/trigger.c - one flow's end begins another (E-SYS-01, E-SYS-04).
 * Room: exec.
 * The end of a flow and the promise to start what it triggers are one transaction; the
 * start itself, its record and the settling of the promise are another. The target
 * flow gets a snapshot of its own, taken after the source has ended: facts from
 * adapters, manual facts and defaults. Entities the members share keep the source's
 * instance; for others the settings name one:
 *   systems: {SYSTEM: {bindings: {MEMBER: {Entity: instance}}}}
 * Shared entities need nothing else: ex_scope_of() gives them one row for all members
 * (E-SYS-02). A persona is a name of the token, the same in all members (E-SYS-03).
 * The target is started as any call is, through the table of kinds. */
#include "base/form.h"
#include "exec/commit/ledger.h"
#include "exec/commit/outbox.h"
#include "exec/machine.h"
#include "exec/settings.h"

/* ---- Promising ---- */

typedef struct promise {
    const ex_system *system;
    const mt_json *trigger; /* of its declaration */
    uint32_t index;
} promise;

/* Everything the start will need is copied here: by then the source's row may have
 * moved on. */
static mt_err put_promise(ex_group *g, const promise *p, const st_flow *row)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bindings");
    mt_jw_raw(&w, row->bindings);
    mt_jw_key_str(&w, "persona", mt_text_at(p->trigger, "persona"));
    mt_jw_key_str(&w, "source_contract", row->contract);
    mt_jw_key_str(&w, "source_execution", row->id);
    mt_jw_key_str(&w, "source_flow", row->flow);
    mt_jw_key_str(&w, "source_outcome", row->outcome);
    mt_jw_key_str(&w, "system", p->system->id);
    mt_jw_key_str(&w, "target_contract", mt_text_at(p->trigger, "target_contract"));
    mt_jw_key_str(&w, "target_flow", mt_text_at(p->trigger, "target_flow"));
    mt_jw_key_str(&w, "type", MT_STR("trigger"));
    mt_jw_end_object(&w);
    st_trigger t = {.id = mt_strf(g->arena, "%.*s/%.*s/%u", MT_ARG(row->id),
                                  MT_ARG(p->system->id), p->index),
                    .status = MT_STR("pending"),
                    .body = mt_buf_str(&body),
                    .due_ms = g->now_ms,
                    .created_ms = g->now_ms};
    mt_err err = st_trigger_add(g->tx, &t);
    mt_buf_free(&body);
    return err == MT_E_EXISTS ? MT_OK : err; /* (b): at most once */
}

mt_err ex_trigger_promise(ex_group *g, const st_flow *row)
{
    ex_executor *x = g->x;
    mt_err err = MT_OK;
    bool any = false;
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t s = 0; s < x->systems.len && row->outcome.len; s++) {
        const mt_json *all = mt_json_at(x->systems.items[s].declaration, "triggers");
        for (uint32_t i = 0; all && i < all->count && !err; i++) {
            const mt_json *t = &all->as.items[i];
            if (mt_str_eq(mt_text_at(t, "source_contract"), row->contract) &&
                mt_str_eq(mt_text_at(t, "source_flow"), row->flow) &&
                mt_str_eq(mt_text_at(t, "on"), row->outcome)) {
                err = put_promise(g, &(promise){&x->systems.items[s], t, i}, row);
                any = true;
            }
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    g->outbox = g->outbox || any;
    return err;
}

/* ---- Keeping the promise ---- */

/* The instance the target flow uses for one of its entities; empty: none is known. */
static mt_str instance_for(ex_job *job, const ex_delivery *d, mt_str entity)
{
    mt_str target = mt_text_at(d->body, "target_contract");
    mt_str system = mt_text_at(d->body, "system");
    const mt_json *declaration = ex_system_named(job->x, system);
    if (ex_system_shares(declaration, target, entity) &&
        ex_system_shares(declaration, mt_text_at(d->body, "source_contract"), entity)) {
        mt_str same =
            mt_json_text(mt_json_get(mt_json_at(d->body, "bindings"), entity));
        if (same.len) {
            return same;
        }
    }
    return ex_binding_of(job->x->settings, system, target, entity);
}

/* Only entities that the target flow can change are bound. */
static mt_str request_of(ex_job *job, const ex_delivery *d, const ex_version *v)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bindings");
    mt_jw_begin_unsorted(&w);
    uint32_t flow =
        ct_model_find(v->model, CT_KIND_FLOW, mt_text_at(d->body, "target_flow"));
    for (uint32_t e = 0; flow != CT_NONE && e < v->model->entity_count; e++) {
        mt_str id = ct_bit(v->plan->graphs[flow].entities, e)
                        ? instance_for(job, d, v->model->entities[e].id)
                        : (mt_str){0};
        if (id.len) {
            mt_jw_key(&w, v->model->entities[e].id);
            mt_jw_str(&w, id);
        }
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "persona", mt_text_at(d->body, "persona"));
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(&job->arena, mt_buf_str(&body));
    mt_buf_free(&body);
    return text;
}

/* The reason of a refusal, out of the problem the job was answered with. */
static void take_reason(ex_job *job)
{
    ex_delivery *d = job->work;
    mt_json problem;
    mt_arena *a = &job->arena;
    d->transient = job->reply.status >= 500;
    d->reason = MT_STR("refused");
    if (!mt_json_read(a, mt_str_dup(a, mt_buf_str(&job->reply.body)), NULL, &problem,
                      NULL)) {
        /* The target got a new version while this waited: that one may take it. */
        d->transient |= mt_str_is(mt_text_at(&problem, "code"), "contract_changed");
        d->reason = mt_strf(a, "%.*s: %.*s", MT_ARG(mt_text_at(&problem, "code")),
                            MT_ARG(mt_text_at(&problem, "detail")));
    }
    job->answered = false;
}

/* TriggerProvenance (§12.4), and with a failure the TriggerFailureRecord. */
static mt_err record_trigger(ex_group *g, const ex_delivery *d, mt_str initiated)
{
    mt_jw w = ex_record_begin(g);
    if (d->reason.len) {
        mt_jw_key_str(&w, "failure_reason", d->reason);
    } else {
        mt_jw_key_str(&w, "initiated_at", initiated);
    }
    mt_jw_key_str(&w, "kind", MT_STR("trigger"));
    mt_jw_key_str(&w, "persona", mt_text_at(d->body, "persona"));
    mt_jw_key_str(&w, "source_contract", mt_text_at(d->body, "source_contract"));
    mt_jw_key_str(&w, "source_execution", mt_text_at(d->body, "source_execution"));
    mt_jw_key_str(&w, "source_flow", mt_text_at(d->body, "source_flow"));
    mt_jw_key_str(&w, "source_outcome", mt_text_at(d->body, "source_outcome"));
    mt_jw_key_str(&w, "status", d->reason.len ? MT_STR("failed") : MT_STR("initiated"));
    mt_jw_key_str(&w, "system", mt_text_at(d->body, "system"));
    mt_jw_key_str(&w, "target_contract", mt_text_at(d->body, "target_contract"));
    mt_jw_key_str(&w, "target_flow", mt_text_at(d->body, "target_flow"));
    ex_record_time(&w, g);
    ex_record r = {.kind = "trigger",
                   .contract = mt_text_at(d->body, "target_contract"),
                   .flow = mt_text_at(d->body, "source_execution")};
    int64_t ignored;
    return ex_record_end(g, &w, &r, &ignored);
}

mt_err ex_trigger_fail(ex_group *g, const st_trigger *row, const mt_json *body,
                       mt_str reason)
{
    ex_delivery d = {.row = *row, .body = body, .reason = reason};
    d.row.status = MT_STR("failed");
    d.row.attempts++;
    mt_err err = st_trigger_put(g->tx, &d.row);
    return err ? err : record_trigger(g, &d, (mt_str){0});
}

/* A refusal that will be tried again is not recorded; the last one is. */
static mt_err settle(ex_job *job, ex_group *g)
{
    const ex_delivery *d = job->work;
    bool failed;
    mt_err err = ex_delivery_settle(job, g, &failed);
    if (!err && (failed || !d->reason.len)) {
        err = record_trigger(g, d, job->flow_id);
    }
    if (!err && failed) {
        ex_log(job->x, 2, "trigger_failed", "%.*s: %.*s", MT_ARG(d->row.id),
               MT_ARG(d->reason));
    }
    return err;
}

/* How a flow is started, whoever wants it. */
#define FLOWS (&EX_HANDLERS[EX_FLOW_START])

static void fire_claim(ex_job *job, ex_group *g)
{
    const ex_delivery *d = job->work;
    if (!d->reason.len) {
        FLOWS->claim(job, g);
    }
}

/* Start and settling in one transaction, so that a flow is never started twice. A
 * start that is refused settles the promise with the reason. */
static mt_err fire_commit(ex_job *job, ex_group *g)
{
    ex_delivery *d = job->work;
    bool due;
    if (!d->reason.len && !job->flow_is_new) {
        return FLOWS->commit(job, g); /* a later turn of what has begun */
    }
    bool refused_before = d->reason.len > 0;
    mt_err err = ex_delivery_claim(job, g, &due);
    if (err || !due) {
        return err;
    }
    if (!refused_before) {
        err = FLOWS->commit(job, g);
        if (!err && job->answered && job->reply.status >= 400) {
            take_reason(job);
        }
    }
    err = err ? err : settle(job, g);
    if (!refused_before && !err && d->reason.len) {
        /* A retry of the group must try the flow again. */
        d->reason = (mt_str){0};
    }
    if (!err && !job->answered && !job->again) {
        mt_jw w = ex_reply_with(job, 200);
        ex_reply_end(&w);
    }
    return err;
}

static void fire_think(ex_job *job)
{
    FLOWS->think(job);
}

static const ex_handler FIRE = {
    .claim = fire_claim, .commit = fire_commit, .think = fire_think};

void ex_trigger_fire(ex_job *job)
{
    ex_delivery *d = job->work;
    mt_arena *a = &job->arena;
    ex_call *call = mt_new(a, ex_call);
    ex_caller *who = mt_new(a, ex_caller);
    mt_str *persona = mt_new(a, mt_str);
    *persona = mt_text_at(d->body, "persona");
    *who = (ex_caller){
        .id = mt_strf(a, "system:%.*s", MT_ARG(mt_text_at(d->body, "system"))),
        .name = mt_text_at(d->body, "system"),
        .by = EX_BY_SYSTEM,
        .actor = EX_ACTOR_MACHINE,
        .personas = persona,
        .persona_count = 1};
    *call = (ex_call){.action = EX_FLOW_START,
                      .caller = who,
                      .contract = mt_text_at(d->body, "target_contract"),
                      .name = mt_text_at(d->body, "target_flow")};
    job->call = call;
    job->handler = &FIRE;
    job->origin = d->row.body;
    const ex_version *v = ex_current(job->x, call->contract);
    if (!v) {
        d->reason = MT_STR("unknown_contract: the target contract is not served");
    } else {
        call->body = request_of(job, d, v);
    }
    if (!d->reason.len && FLOWS->prepare(job)) {
        take_reason(job);
    }
    ex_enqueue(job);
}
