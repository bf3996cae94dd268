/* exec/commit/effects.c - what an operation does to instances, alone or in a flow.
 * Room: exec. The engine proposes changes; here rows move, and the records of all
 * instances but the first are written. Also what must still hold before: the version of
 * the contract, the versions of instances. */
#include "exec/commit/commit.h"

bool ex_refused_unless_current(ex_job *job)
{
    return ex_current(job->x, job->v->contract) != job->v &&
           ex_refuse(job, EX_CONTRACT_CHANGED,
                     "contract '%.*s' got a new version while the request waited; look "
                     "at it and ask again",
                     MT_ARG(job->v->contract));
}

bool ex_refused_unless_versions(ex_job *job)
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

mt_str ex_subject(mt_arena *a, mt_str entity, mt_str id)
{
    return mt_strf(a, "%.*s/%.*s", MT_ARG(entity), MT_ARG(id));
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

/* An operation's record is found by the first instance it changed; for every other one
 * a small record points to it. */
mt_err ex_effect_records(ex_group *g, const ex_effects *f, int64_t of)
{
    const ct_plan *p = f->v->plan;
    mt_err err = MT_OK;
    for (uint32_t i = 1; i < f->count && !err; i++) {
        const ct_change *c = &f->changes[i];
        mt_str entity = ct_entity_id(p, c->entity), id = f->instances[c->entity];
        mt_jw w = ex_record_begin(g);
        mt_jw_key_str(&w, "contract", f->v->contract);
        mt_jw_key_str(&w, "entity", entity);
        mt_jw_key_str(&w, "etag", f->v->etag);
        mt_jw_key_str(&w, "instance", id);
        mt_jw_key_str(&w, "kind", MT_STR("effect"));
        mt_jw_key_i64(&w, "of", of);
        mt_jw_key_str(&w, "state_after", ct_plan_state_id(p, c->entity, c->to));
        mt_jw_key_str(&w, "state_before", ct_plan_state_id(p, c->entity, c->from));
        ex_record_time(&w, g);
        ex_record r = {.kind = "effect",
                       .contract = f->v->contract,
                       .flow = f->flow,
                       .subject = ex_subject(g->arena, entity, id)};
        int64_t ignored;
        err = ex_record_end(g, &w, &r, &ignored);
    }
    return err;
}
