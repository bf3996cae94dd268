/* exec/call/caller.c - who calls, what it may do here, and what it may see.
 * Room: exec. grant.c says what a grant covers; here grants meet contracts, facts and
 * records. Three questions, the same for every kind of call:
 *
 *     ex_may_see()         the contract concerns the caller: instances, states, flows
 *     ex_may_read_facts()  also what was decided on: a persona of it, or its ledger
 *     ex_refused_…         may it do this, or an answer that names what is missing
 *
 * docs/reference/rights.md has the same as a table. Nothing here can fail. */
#include "exec/call/rights.h"

const ex_caller *ex_actor_of(const ex_job *job)
{
    return job->acting ? job->acting : job->call->caller;
}

mt_str ex_caller_id(const ex_job *job)
{
    const ex_caller *c = ex_actor_of(job);
    return c && c->id.len ? c->id : MT_STR("anonymous");
}

void ex_identity_json(mt_jw *w, const ex_caller *c)
{
    /* SPARSE: who is not known to be either is not told. */
    static const char *const ACTORS[] = {
        [EX_ACTOR_HUMAN] = "human", [EX_ACTOR_MACHINE] = "machine"};
    MT_TABLE_COVERS(ACTORS, EX_ACTOR_MACHINE + 1);
    mt_jw_begin_object(w);
    if (c && c->actor != EX_ACTOR_UNKNOWN) {
        mt_jw_key_str(w, "actor", mt_str_z(ACTORS[c->actor]));
    }
    mt_jw_key_str(w, "id", c && c->id.len ? c->id : MT_STR("anonymous"));
    mt_jw_key_str(w, "known_by", mt_str_z(ex_known_by_name(c ? c->by : EX_BY_NOTHING)));
    if (c && c->name.len) {
        mt_jw_key_str(w, "name", c->name);
    }
    mt_jw_end_object(w);
}

/* ---- Seeing ---- */

/* A persona of every contract is one of this contract if this one declares it. */
static bool is_persona_of(const ex_caller *who, const ex_version *v)
{
    const mt_map *names = &v->model->names[CT_KIND_PERSONA];
    for (uint32_t i = 0; i < names->len; i++) {
        if (ex_caller_holds(who, v->contract, names->entries[i].key)) {
            return true;
        }
    }
    return false;
}

static bool asserts_some(const ex_caller *who, const ex_version *v)
{
    for (uint32_t i = 0; who->right_count && i < v->model->fact_count; i++) {
        if (ex_may_assert(who, v, i)) {
            return true;
        }
    }
    return false;
}

bool ex_may_see(const ex_job *job, mt_str contract)
{
    const ex_caller *who = job->call->caller;
    if (ex_caller_concerns(who, contract)) {
        return true;
    }
    const ex_version *v = contract.len ? ex_current(job->x, contract) : NULL;
    return v && (is_persona_of(who, v) || asserts_some(who, v));
}

bool ex_may_see_all(const ex_job *job)
{
    return ex_caller_concerns(job->call->caller, MT_STR(""));
}

bool ex_may_read_ledger(const ex_job *job, mt_str contract)
{
    return ex_caller_may(job->call->caller, contract, MT_STR("ledger:read"));
}

bool ex_may_read_facts(const ex_job *job, mt_str contract)
{
    const ex_version *v = contract.len ? ex_current(job->x, contract) : NULL;
    return ex_may_read_ledger(job, contract) ||
           (v && is_persona_of(job->call->caller, v));
}

bool ex_may_use(ex_job *job, const char *prefix, mt_str name)
{
    const ex_caller *who = job->call->caller;
    mt_str right = mt_strf(&job->arena, "%s%.*s", prefix, MT_ARG(name));
    return ex_caller_may(who, (mt_str){0}, MT_STR("admin")) ||
           ex_caller_may(who, (mt_str){0}, right);
}

/* The system a fact comes from: its source, what the bundle calls its system, or what
 * precedes the dot of a free text. A system is a name, which needs no escapes. */
static mt_str system_of(const ct_model *m, const ct_fact *f)
{
    static const mt_str MEMBER = MT_STR_INIT("\"system\":\"");
    if (f->source_id != CT_NONE) {
        return m->sources[f->source_id].id;
    }
    const char *at = memmem(f->source.ptr, f->source.len, MEMBER.ptr, MEMBER.len);
    if (at && f->source.ptr[0] == '{') {
        mt_str rest = mt_str_skip(f->source, (size_t)(at - f->source.ptr) + MEMBER.len);
        return mt_str_from(rest.ptr, mt_str_find(rest, '"'));
    }
    mt_str text = mt_str_trim(f->source, MT_STR("\""));
    return mt_str_from(text.ptr, mt_str_find(text, '.'));
}

bool ex_may_assert(const ex_caller *who, const ex_version *v, uint32_t fact)
{
    const ct_fact *f = &v->model->facts[fact];
    return ex_fact_granted(who, v->contract, f->id, system_of(v->model, f));
}

/* ---- Doing ---- */

/* The member `needs` has what would have been enough, as it would be granted. */
static bool refuse_right(ex_job *job, mt_str contract, mt_str right)
{
    mt_str needs = contract.len ? mt_strf(&job->arena, "%.*s/%.*s", MT_ARG(contract),
                                          MT_ARG(right))
                                : right;
    mt_jw w = ex_problem_open(
        job, EX_FORBIDDEN,
        mt_strf(&job->arena, "the caller lacks the right '%.*s'%s%.*s%s", MT_ARG(right),
                contract.len ? " over contract '" : "", MT_ARG(contract),
                contract.len ? "'" : ""));
    mt_jw_keyz(&w, "needs");
    mt_jw_begin_array(&w);
    mt_jw_str(&w, needs);
    mt_jw_end_array(&w);
    return ex_problem_close(&w);
}

bool ex_refused_without(ex_job *job, mt_str contract, mt_str right)
{
    return !ex_caller_may(job->call->caller, contract, right) &&
           refuse_right(job, contract, right);
}

bool ex_refused_without_anywhere(ex_job *job, mt_str right)
{
    return !ex_caller_may_somewhere(job->call->caller, right) &&
           refuse_right(job, (mt_str){0}, right);
}

bool ex_refused_unless_seen(ex_job *job)
{
    return !ex_may_see(job, job->v->contract) &&
           refuse_right(job, job->v->contract, MT_STR("read"));
}

bool ex_refused_unless_held(ex_job *job)
{
    mt_str persona = job->request.persona;
    if (!persona.len) {
        return ex_refuse(job, EX_BAD_REQUEST, "the body must name a `persona`");
    }
    mt_str contract = job->v->contract;
    if (!ex_caller_holds(job->call->caller, contract, persona)) {
        mt_jw w = ex_problem_open(
            job, EX_PERSONA_NOT_HELD,
            mt_strf(&job->arena,
                    "the caller does not hold the persona '%.*s' of contract '%.*s'",
                    MT_ARG(persona), MT_ARG(contract)));
        mt_jw_key_str(&w, "persona", persona);
        return ex_problem_close(&w);
    }
    job->persona = ct_model_find(job->v->model, CT_KIND_PERSONA, persona);
    return false;
}

/* ---- Written down ---- */

void ex_acting_json(mt_jw *w, const ex_caller *c)
{
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "actor", c->actor);
    mt_jw_key_bool(w, "anyone", c->anyone);
    mt_jw_key_i64(w, "known_by", c->by);
    mt_jw_key_str(w, "name", c->name);
    mt_jw_keyz(w, "personas");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < c->persona_count; i++) {
        mt_jw_str(w, c->personas[i]);
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "token", c->id);
    mt_jw_end_object(w);
}

ex_caller *ex_acting_read(mt_arena *a, const mt_json *who)
{
    ex_caller *c = mt_new(a, ex_caller);
    const mt_json *list = mt_json_at(who, "personas");
    const mt_json *anyone = mt_json_at(who, "anyone");
    c->anyone = mt_json_is(anyone, MT_JSON_BOOL) && anyone->boolean;
    c->id = mt_json_text(mt_json_at(who, "token"));
    int64_t by = EX_BY_TOKEN, actor = EX_ACTOR_UNKNOWN; /* as rows before had it */
    mt_json_i64(mt_json_at(who, "known_by"), &by);
    mt_json_i64(mt_json_at(who, "actor"), &actor);
    c->by = by >= 0 && by <= EX_BY_OPERATOR ? (ex_known_by)by : EX_BY_TOKEN;
    c->actor = actor >= 0 && actor <= EX_ACTOR_MACHINE ? (ex_actor)actor : 0;
    c->name = mt_json_text(mt_json_at(who, "name"));
    size_t count = mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
    mt_str *names = mt_new_array(a, mt_str, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = mt_json_text(&list->as.items[i]);
    }
    c->personas = names;
    c->persona_count = count;
    return c;
}
