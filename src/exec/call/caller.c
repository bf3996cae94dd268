/* exec/call/caller.c - what a caller may do, and who it is.
 * Room: exec. Rights are texts of the token; whoever may do everything (`anyone`) calls
 * a server without tokens. */
#include "exec/call/call.h"

mt_str ex_caller_id(const ex_job *job)
{
    const ex_caller *c = job->call->caller;
    return c && c->token.len ? c->token : MT_STR("anonymous");
}

bool ex_caller_holds(const ex_caller *who, mt_str persona)
{
    for (size_t i = 0; i < who->persona_count; i++) {
        if (mt_str_eq(who->personas[i], persona)) {
            return true;
        }
    }
    return who->anyone;
}

bool ex_caller_may(const ex_caller *who, mt_str right)
{
    for (size_t i = 0; i < who->right_count; i++) {
        if (mt_str_eq(who->rights[i], right)) {
            return true;
        }
    }
    return who->anyone;
}

bool ex_may_read_ledger(const ex_job *job)
{
    const ex_caller *c = job->call->caller;
    return ex_caller_may(c, MT_STR("ledger:read")) || ex_caller_may(c, MT_STR("admin"));
}

bool ex_may_read_facts(const ex_job *job, mt_str contract)
{
    const ex_version *v = contract.len ? ex_current(job->x, contract) : NULL;
    bool may = ex_may_read_ledger(job);
    for (uint32_t i = 0; !may && v && i < v->model->names[CT_KIND_PERSONA].len; i++) {
        may = ex_caller_holds(job->call->caller,
                              v->model->names[CT_KIND_PERSONA].entries[i].key);
    }
    return may;
}

/* The system a fact comes from: its source, or what precedes the dot of a free text. */
static mt_str system_of(const ct_model *m, const ct_fact *f)
{
    if (f->source_id != CT_NONE) {
        return m->sources[f->source_id].id;
    }
    mt_str text = mt_str_trim(f->source, MT_STR("\""));
    return mt_str_from(text.ptr, mt_str_find(text, '.'));
}

static bool right_is(mt_str right, mt_str prefix, mt_str name)
{
    return right.len == prefix.len + name.len && mt_str_starts(right, prefix) &&
           mt_str_eq(mt_str_skip(right, prefix.len), name);
}

bool ex_may_assert(const ex_caller *who, const ct_model *m, uint32_t fact)
{
    const ct_fact *f = &m->facts[fact];
    for (size_t i = 0; !who->anyone && i < who->right_count; i++) {
        mt_str r = who->rights[i];
        if (mt_str_is(r, "facts:*") || right_is(r, MT_STR("facts:"), f->id) ||
            right_is(r, MT_STR("source:"), system_of(m, f))) {
            return true;
        }
    }
    return who->anyone;
}

bool ex_refuse_right(ex_job *job, ex_problem p, mt_str right, mt_str detail)
{
    mt_jw w = ex_problem_open(job, p, detail);
    mt_jw_key_str(&w, "needs", right);
    return ex_problem_close(&w);
}

bool ex_refused_without(ex_job *job, mt_str right)
{
    return !ex_caller_may(job->call->caller, right) &&
           ex_refuse_right(job, EX_FORBIDDEN, right,
                           mt_strf(&job->arena, "the caller lacks the right '%.*s'",
                                   MT_ARG(right)));
}

bool ex_refuse_assertion(ex_job *job, uint32_t fact)
{
    mt_str id = job->v->model->facts[fact].id;
    mt_str right = mt_strf(&job->arena, "facts:%.*s", MT_ARG(id));
    return ex_refuse_right(
        job, EX_FACT_FORBIDDEN, right,
        mt_strf(&job->arena,
                "the caller has no right to assert the fact '%.*s': it needs %.*s",
                MT_ARG(id), MT_ARG(right)));
}

bool ex_refused_unless_held(ex_job *job)
{
    mt_str persona = job->request.persona;
    if (!persona.len) {
        return ex_refuse(job, EX_BAD_REQUEST, "the body must name a `persona`");
    }
    if (!ex_caller_holds(job->call->caller, persona)) {
        mt_jw w = ex_problem_open(job, EX_PERSONA_NOT_HELD,
                                  mt_strf(&job->arena,
                                          "the caller does not hold the persona '%.*s'",
                                          MT_ARG(persona)));
        mt_jw_key_str(&w, "persona", persona);
        return ex_problem_close(&w);
    }
    job->persona = ct_model_find(job->v->model, CT_KIND_PERSONA, persona);
    return false;
}
