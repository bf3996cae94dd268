/* exec/kinds/decide_one.c - one question, answered by the kind that does the thing.
 * Room: exec. In the order of what happens:
 *
 *     may the caller ask     `decide` over the contract, or it asks about itself; the
 *                            answer does not depend on whether anything exists
 *     what is asked          contract, entity, operation, flow or verdict, facts
 *     about whom             the subject's personas; one that may is enough
 *     decided                a job of its own, through the table of kinds: an
 *                            operation's dry run, a persona's actions, an evaluation
 *     on what                the instance has to be there
 *     told                   what the caller may read, and what the record has
 *
 * INVARIANT: only jobs that write nothing are made. That a question cannot be decided
 * (a fact that the caller may not give, a source that fails) is not a denial. May fail:
 * as those kinds do. */
#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/call/states.h"
#include "exec/commit/answers.h"
#include "exec/commit/ledger.h"
#include "exec/kinds/decide.h"

typedef struct asking {
    ex_job *job; /* the caller's */
    const ex_question *ask;
    ex_call call; /* of the job that finds out */
    ex_caller as;
    mt_str contract, entity_name, name, facts;
    uint32_t entity, what;
    ex_action kind; /* OPERATION, ACTIONS for a flow, EVALUATE for a verdict */
    mt_json bindings, flows, flow_name;
    ex_subject_of who;
    mt_buf why;
} asking;

/* ---- May the caller ask? ---- */

/* Who could do the thing itself, or see by a dry run whether it could. */
static bool is_about_itself(const ex_caller *c, mt_str contract, const ex_thing *s)
{
    return mt_str_is(s->type, "persona")
               ? ex_caller_holds(c, contract, s->id)
               : mt_str_is(s->type, "token") && c->by == EX_BY_TOKEN &&
                     mt_str_eq(s->id, c->id);
}

bool ex_refused_to_ask(ex_job *job, const ex_question *ask)
{
    mt_str contract, entity;
    ex_question_resource(job->x, ask->resource.type, &contract, &entity);
    return !is_about_itself(job->call->caller, contract, &ask->subject) &&
           ex_refused_without(job, contract, MT_STR("decide"));
}

/* ---- What is asked ---- */

/* "flow:NAME" where an operation has the same name. */
static bool names_kind(mt_str *name, const char *prefix)
{
    mt_str p = mt_str_z(prefix);
    bool does = mt_str_starts(*name, p);
    *name = does ? mt_str_skip(*name, p.len) : *name;
    return does;
}

/* k->what and k->kind are set also when false is returned; only true gives them a
 * meaning. */
static bool is_action(asking *k, const ct_model *m, ct_kind kind, ex_action action)
{
    k->what = ct_model_find(m, kind, k->name);
    k->kind = action;
    return k->what != CT_NONE;
}

/* Without a prefix the first kind that has the name: operation, flow, verdict. */
static bool refused_action(asking *k, ex_job *sub)
{
    const ct_model *m = sub->v->model;
    k->name = k->ask->action.name;
    bool op = names_kind(&k->name, "operation:");
    bool flow = !op && names_kind(&k->name, "flow:");
    bool verdict = !op && !flow && names_kind(&k->name, "verdict:");
    bool any = !op && !flow && !verdict;
    bool known = ((op || any) && is_action(k, m, CT_KIND_OPERATION, EX_OPERATION)) ||
                 ((flow || any) && is_action(k, m, CT_KIND_FLOW, EX_ACTIONS)) ||
                 ((verdict || any) && is_action(k, m, CT_KIND_VERDICT, EX_EVALUATE));
    return !known && ex_refuse(sub, EX_UNKNOWN_OPERATION,
                               "the contract has no operation, flow or verdict '%.*s'",
                               MT_ARG(k->name));
}

static bool refused_entity(asking *k, ex_job *sub)
{
    k->entity = ct_model_find(sub->v->model, CT_KIND_ENTITY, k->entity_name);
    return k->entity == CT_NONE &&
           ex_refuse(sub, EX_UNKNOWN_ENTITY, "the contract has no entity '%.*s'",
                     MT_ARG(k->entity_name));
}

static mt_json json_text(mt_str text)
{
    return (mt_json){
        .type = MT_JSON_STRING, .count = (uint32_t)text.len, .as.text = text.ptr};
}

/* What is bound goes into a record: an entity that there is, and an id of bounded
 * length; the resource is bound already. */
static const char *fault_of(const asking *k, const ct_model *m, const mt_json_member *b)
{
    return mt_str_eq(b->key, k->entity_name) ? "is the resource"
           : ct_model_find(m, CT_KIND_ENTITY, b->key) == CT_NONE
               ? "is not an entity of the contract"
           : !mt_json_is(&b->value, MT_JSON_STRING) || !b->value.count ||
                   b->value.count > EX_QUESTION_NAME_MOST ||
                   memchr(b->value.as.text, 0, b->value.count)
               ? "must be bound to the id of an instance"
               : NULL;
}

/* The resource first; further entities as the caller says. */
static bool refused_bindings(asking *k, ex_job *sub)
{
    const mt_json *more = k->ask->more.bindings;
    uint32_t count = more ? more->count : 0;
    mt_json_member *all = mt_new_array(&k->job->arena, mt_json_member, count + 1);
    all[0] = (mt_json_member){k->entity_name, json_text(k->ask->resource.id)};
    for (uint32_t i = 0; i < count; i++) {
        all[i + 1] = more->as.members[i];
        const char *fault = fault_of(k, sub->v->model, &all[i + 1]);
        if (fault) {
            return ex_refuse(sub, EX_BAD_REQUEST, "`context.motet.bindings`: '%.*s' %s",
                             MT_ARG(all[i + 1].key), fault);
        }
    }
    k->bindings = (mt_json){.type = MT_JSON_OBJECT, .count = count + 1};
    k->bindings.as.members = all;
    return false;
}

/* Whether the caller may give these facts is asked by the kind that takes them. */
static bool refused_facts(asking *k, ex_job *sub)
{
    return !ex_question_facts(&k->job->arena, sub->v->model, k->ask, &k->facts,
                              &k->why) &&
           ex_refuse(sub, EX_BAD_REQUEST, "%.*s", MT_ARG(mt_buf_str(&k->why)));
}

/* ---- About whom ---- */

/* Three sources: a persona is itself; other types are looked up by the door that has
 * them (tokens, identities); without such a door, or for a subject that nobody knows,
 * there are no personas, and everything is denied. */
static void find_subject(asking *k)
{
    mt_arena *a = &k->job->arena;
    const ex_thing *s = &k->ask->subject;
    const ex_people *people = k->job->call->people;
    if (mt_str_is(s->type, "persona")) {
        mt_str *one = mt_new(a, mt_str);
        *one = mt_strf(a, "%.*s:%.*s", MT_ARG(k->contract), MT_ARG(s->id));
        k->who = (ex_subject_of){.personas = one, .persona_count = 1};
    } else if (people) {
        mt_json_member *m = mt_new_array(a, mt_json_member, 3);
        m[0] = (mt_json_member){MT_STR("id"), json_text(s->id)};
        m[1] = (mt_json_member){MT_STR("type"), json_text(s->type)};
        if (s->properties) {
            m[2] = (mt_json_member){MT_STR("properties"), *s->properties};
        }
        mt_json subject = {.type = MT_JSON_OBJECT, .count = s->properties ? 3 : 2};
        subject.as.members = m;
        people->find(people->state, a, &subject, &k->who);
    }
}

/* By any of the subject's personas, of this contract or of every one. */
static bool holds(const asking *k, mt_str persona)
{
    for (size_t i = 0; i < k->who.persona_count; i++) {
        if (ex_persona_covers(k->who.personas[i], k->contract, persona)) {
            return true;
        }
    }
    return false;
}

/* The caller's rights, for the facts it gives; the subject's id and personas. Who may
 * do everything on an open server does not make others of it. */
static void act_as(asking *k)
{
    static const mt_str ALL[] = {MT_STR_INIT("facts:*"), MT_STR_INIT("facts:override"),
                                 MT_STR_INIT("read")};
    const ex_caller *c = k->job->call->caller;
    k->as = (ex_caller){.id = k->who.id.len ? k->who.id : MT_STR("subject"),
                        .by = EX_BY_NOTHING,
                        .personas = k->who.personas,
                        .persona_count = k->who.persona_count,
                        .rights = c->anyone ? ALL : c->rights,
                        .right_count = c->anyone ? 3 : c->right_count};
}

/* ---- Decided ---- */

/* The job that finds out shares thread and deadline with the caller's, but neither its
 * body nor its idempotency key: nothing of it is kept. */
static void begin(asking *k, ex_job *sub)
{
    k->call = *k->job->call;
    k->call.contract = k->contract;
    k->call.body = k->call.idempotency_key = (mt_str){0};
    k->call.query_count = 0;
    sub->call = &k->call;
    sub->on_worker = k->job->on_worker;
    sub->deadline = k->job->deadline;
}

/* Once more, for another persona. */
static void begin_again(asking *k, ex_job *sub)
{
    ex_version *v = sub->v;
    ex_job_clear(sub);
    begin(k, sub);
    sub->v = v;
}

/* A verdict is evaluated as the caller, whose facts they are; the rest is tried as the
 * subject. Only whether it may is asked for (`only_may`), so nothing is written. */
static void ask_kind(asking *k, ex_job *sub, mt_str persona)
{
    k->call.action = k->kind;
    k->call.name = k->name;
    k->call.caller = k->kind == EX_EVALUATE ? k->job->call->caller : &k->as;
    sub->request = (ex_request){.persona = persona,
                                .facts = k->facts,
                                .bindings = &k->bindings,
                                .outcome = k->ask->more.outcome,
                                .flows = &k->flows,
                                .dry_run = true};
    sub->only_may = true;
    k->flow_name = json_text(k->name);
    k->flows = (mt_json){.type = MT_JSON_ARRAY, .count = 1};
    k->flows.as.items = &k->flow_name;
    EX_HANDLERS[k->kind].prepare(sub);
}

/* May this one do it, as far as the persona decides? */
static bool is_candidate(const asking *k, const ex_job *sub, uint32_t persona)
{
    const ct_plan *p = sub->v->plan;
    return holds(k, p->model->personas[persona].id) &&
           (k->kind != EX_OPERATION || ct_bit(p->ops[k->what].allowed, persona));
}

/* Does another persona of the subject perhaps fare better? */
static bool depends_on_persona(const asking *k, const ex_job *sub)
{
    return k->kind == EX_ACTIONS || sub->problem == EX_NOT_DISTINCT;
}

/* §15.6: open, or blocked; what blocks it is the kind's to say. */
static void judge_flow(const asking *k, ex_job *sub)
{
    mt_json said;
    if (sub->reply.status != 200 || sub->elsewhere) {
        return;
    }
    mt_str text = mt_str_dup(&sub->arena, mt_buf_str(&sub->reply.body));
    const mt_json *open = NULL;
    if (!mt_json_read(&sub->arena, text, NULL, &said, NULL)) {
        open = mt_json_at(&said, "actions");
    }
    if (!mt_json_is(open, MT_JSON_ARRAY) || !open->count) {
        ex_refuse(sub, EX_FLOW_FAILED, "flow '%.*s' is not open to the persona '%.*s'",
                  MT_ARG(k->name), MT_ARG(sub->request.persona));
    }
}

/* Does the contract know the subject as anybody? */
static bool is_known(const asking *k, const ex_job *sub)
{
    const ct_model *m = sub->v->model;
    for (uint32_t p = 0; p < m->persona_count; p++) {
        if (holds(k, m->personas[p].id)) {
            return true;
        }
    }
    return false;
}

/* A verdict is the same for everybody, but nothing is allowed to nobody. Facts that the
 * caller may not read are unknown to it, and stay so. */
static void judge_verdict(const asking *k, ex_job *sub)
{
    if (sub->reply.status != 200 || sub->elsewhere) {
        return;
    }
    if (!is_known(k, sub)) {
        ex_refuse(sub, EX_PERSONA_REJECTED,
                  "the subject holds no persona of the contract");
        return;
    }
    bool open = sub->unknown != NULL;
    ct_partly state =
        open ? (ct_partly)ct_partial_rule(sub->snap->partial, k->what)->state
        : ct_verdict_present(sub->snap->verdicts, k->what) ? CT_PARTLY_PRESENT
                                                           : CT_PARTLY_ABSENT;
    if (state == CT_PARTLY_ABSENT) {
        ex_refuse(sub, EX_PRECONDITION_FAILED, "the verdict '%.*s' is absent",
                  MT_ARG(k->name));
    } else if (state != CT_PARTLY_PRESENT) {
        ex_refuse(sub, EX_MISSING_FACT,
                  "the verdict '%.*s' depends on facts that the caller may not read",
                  MT_ARG(k->name));
    }
}

static void try_persona(asking *k, ex_job *sub, mt_str persona)
{
    ask_kind(k, sub, persona);
    if (k->kind == EX_ACTIONS) {
        judge_flow(k, sub);
    }
}

/* The first persona that may is enough. Others are tried only where the answer depends
 * on who acts: what the facts refuse, they refuse to everybody. */
static void decide_as_someone(asking *k, ex_job *sub)
{
    const ct_model *m = sub->v->model;
    bool tried = false;
    for (uint32_t p = 0; p < m->persona_count; p++) {
        if (!is_candidate(k, sub, p)) {
            continue;
        }
        if (tried) {
            begin_again(k, sub);
        }
        tried = true;
        try_persona(k, sub, m->personas[p].id);
        if (sub->elsewhere || !sub->reply.problem || !depends_on_persona(k, sub)) {
            return;
        }
    }
    if (!tried) {
        ex_refuse(sub, EX_PERSONA_REJECTED,
                  "the subject holds no persona that may do '%.*s'", MT_ARG(k->name));
    }
}

/* An operation need not touch the resource, and a verdict never does. */
static void check_instance(const asking *k, ex_job *sub)
{
    if (sub->reply.problem || sub->elsewhere) {
        return;
    }
    mt_err err = ex_states_read(sub);
    if (err) {
        ex_refuse_store(sub, err);
    } else if (sub->snap->states[k->entity] == CT_NONE &&
               !ex_refused_removed(sub, k->entity)) {
        ex_refuse(sub, EX_UNKNOWN_INSTANCE, "entity '%.*s' has no instance '%.*s'",
                  MT_ARG(k->entity_name), MT_ARG(k->ask->resource.id));
    }
}

/* The order of the refusals is the order in which things are told: who may not ask
 * learns nothing about contract, entity or action. */
static void decide(asking *k, ex_job *sub)
{
    begin(k, sub);
    ex_question_resource(k->job->x, k->ask->resource.type, &k->contract,
                         &k->entity_name);
    k->call.contract = k->contract;
    if (ex_refused_to_ask(sub, k->ask) || ex_refused_contract(sub) ||
        refused_entity(k, sub) || refused_action(k, sub) || refused_bindings(k, sub) ||
        refused_facts(k, sub)) {
        return;
    }
    find_subject(k);
    act_as(k);
    if (k->kind == EX_EVALUATE) {
        ask_kind(k, sub, (mt_str){0});
        judge_verdict(k, sub);
    } else {
        decide_as_someone(k, sub);
    }
    check_instance(k, sub);
}

/* ---- Told ---- */

/* A refusal that contract, states or the subject's personas decided; the others say
 * that nothing could be decided. */
static bool is_denial(const ex_job *sub)
{
    int status = sub->reply.status;
    ex_problem p = (ex_problem)sub->problem;
    return p == EX_PERSONA_REJECTED || p == EX_PERSONA_NOT_HELD ||
           p == EX_NOT_DISTINCT ||
           ((status == 404 || status == 409 || status == 422) &&
            p != EX_EVALUATION_BUDGET && p != EX_CONTRACT_CHANGED && p != EX_CONFLICT);
}

static mt_str kept(ex_job *job, mt_buf *text)
{
    mt_str s = mt_str_dup(&job->arena, mt_buf_str(text));
    mt_buf_free(text);
    return s;
}

/* Members without the braces around them. */
static mt_str members(ex_job *job, mt_buf *text)
{
    mt_str s = kept(job, text);
    return mt_str_from(s.ptr + 1, s.len - 2);
}

static void in_english(mt_jw *w, mt_str text)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "en", text);
    mt_jw_end_object(w);
}

/* What was asked for and which facts it rests on, only for who may read them. */
static void reasons_json(mt_jw *w, const asking *k, const ex_job *sub,
                         const mt_json *problem)
{
    bool all = sub->v && ex_may_read_facts(k->job, sub->v->contract);
    const mt_json *reasons = mt_json_at(problem, "reasons");
    if (all) {
        mt_jw_keyz(w, "reason_admin");
        in_english(w, mt_json_text(mt_json_at(problem, "detail")));
    }
    mt_jw_keyz(w, "reason_user");
    in_english(w, mt_json_text(mt_json_at(problem, "title")));
    if (all && reasons) {
        mt_jw_keyz(w, "reasons");
        mt_jw_json(w, reasons);
    }
}

/* Members of AuthZEN's `context`: which contract and version decided, as which persona,
 * and of a denial why. */
static void told_json(const asking *k, const ex_job *sub, const mt_json *problem,
                      ex_decision *out)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_jw_begin_object(&w);
    if (problem) {
        mt_jw_key_str(&w, "code", mt_str_z(sub->reply.code));
    }
    if (sub->v) {
        mt_jw_key_str(&w, "contract", sub->v->contract);
        mt_jw_key_str(&w, "etag", sub->v->etag);
    }
    if (sub->request.persona.len) {
        mt_jw_key_str(&w, "persona", sub->request.persona);
    }
    if (problem) {
        reasons_json(&w, k, sub, problem);
    }
    mt_jw_end_object(&w);
    out->told = members(k->job, &text);
}

static void subject_json(mt_jw *w, const ex_thing *s, mt_str persona)
{
    mt_jw_keyz(w, "asked_about");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", s->id);
    if (persona.len) {
        mt_jw_key_str(w, "persona", persona);
    }
    mt_jw_key_str(w, "type", s->type);
    mt_jw_end_object(w);
}

/* As of a refusal: names, and values only where the setting says `all`. */
static void record_json(const asking *k, ex_job *sub, ex_decision *out)
{
    ex_job *job = k->job;
    mt_buf text = {0}, bound = {0};
    mt_json_write(&bound, &k->bindings, false);
    out->bindings = kept(job, &bound);
    mt_jw w = mt_jw_start(&text, false);
    mt_jw_begin_object(&w);
    mt_jw_key_bool(&w, "allowed", out->allowed);
    subject_json(&w, &k->ask->subject, sub->request.persona);
    mt_jw_keyz(&w, "bindings");
    mt_jw_raw(&w, out->bindings);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "contract", sub->v->contract);
    mt_jw_key_str(&w, "etag", sub->v->etag);
    if (job->x->refusals == EX_REFUSALS_ALL && sub->snap && sub->has_facts &&
        !sub->unknown) {
        mt_jw_keyz(&w, "facts");
        ex_fact_provenance(&w, sub->v, sub->snap);
    }
    if (k->kind == EX_ACTIONS) {
        mt_jw_key_str(&w, "flow", k->name);
    }
    mt_jw_key_str(&w, "kind", MT_STR("decision"));
    if (k->kind == EX_EVALUATE) {
        mt_jw_key_str(&w, "of_verdict", k->name);
    } else if (k->kind == EX_OPERATION) {
        mt_jw_key_str(&w, "operation", k->name);
    }
    if (!out->allowed) {
        ex_refusal_json(&w, sub, &job->arena);
    }
    mt_jw_end_object(&w);
    out->record = members(job, &text);
    out->contract = sub->v->contract;
}

/* What is not there to be asked about leaves no record: nothing decided it. */
static bool is_to_be_recorded(const asking *k, const ex_job *sub, const ex_decision *d)
{
    ex_decisions which = k->job->x->decisions;
    return sub->v && k->bindings.count &&
           (which == EX_DECISIONS_ALL || (which == EX_DECISIONS_DENIED && !d->allowed));
}

/* What could not be decided is not recorded: it is not a decision. */
static void tell(asking *k, ex_job *sub, ex_decision *out)
{
    mt_json problem = {0};
    out->allowed = !sub->reply.problem;
    if (!out->allowed) {
        mt_str said = mt_str_dup(&k->job->arena, mt_buf_str(&sub->reply.body));
        (void)mt_json_read(&k->job->arena, said, NULL, &problem, NULL);
    }
    if (!out->allowed && !is_denial(sub)) {
        ex_decide_none(out, sub->reply.status,
                       mt_json_text(mt_json_at(&problem, "detail")));
        return;
    }
    told_json(k, sub, out->allowed ? NULL : &problem, out);
    if (is_to_be_recorded(k, sub, out)) {
        record_json(k, sub, out);
    }
}

void ex_decide_none(ex_decision *out, int status, mt_str why)
{
    *out = (ex_decision){.fault_status = status, .fault = why, .number = EX_NO_RECORD};
}

/* The problem becomes the caller's answer. */
static void give_problem(ex_job *job, ex_job *sub)
{
    mt_buf own = job->reply.body;
    job->reply = sub->reply;
    sub->reply.body = own;
    job->problem = sub->problem;
    job->answered = true;
}

/* The second job is taken from the executor's own and given back on every way out. */
bool ex_decide_one(ex_job *job, const ex_question *ask, bool alone, ex_decision *out)
{
    asking k = {.job = job, .ask = ask, .entity = CT_NONE, .what = CT_NONE};
    ex_job *sub = ex_job_take(job->x);
    *out = (ex_decision){.number = EX_NO_RECORD};
    decide(&k, sub);
    bool here = !sub->elsewhere;
    if (here) {
        tell(&k, sub, out);
        job->v = sub->v;
    }
    if (here && alone && out->fault_status) {
        give_problem(job, sub);
    }
    ex_job_give(sub);
    mt_buf_free(&k.why);
    return here;
}
