/* exec/commit/effects.c - what an operation does to instances, alone or in a flow.
 * Room: exec. The engine proposes changes; here rows move. Also what must still hold
 * before: the version of the contract, the versions of instances; and what a record is
 * about, so that every instance finds it. */
#include "exec/commit/effects.h"

#include "exec/call/problem.h"

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

/* Moves every instance the changes name. MT_E_CONFLICT: an instance is not there any
 * more, and it is tried again. */
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

/* ---- What a record is about ---- */

/* One after the other; the first is its subject. */
typedef struct subjects {
    ex_group *g;
    ex_record *record;
    MT_VEC(mt_str) also;
} subjects;

/* A record names an instance once, however often it changed. */
static bool is_named(const ex_record *r, mt_str subject)
{
    bool named = mt_str_eq(r->subject, subject);
    for (size_t i = 0; i < r->also_count && !named; i++) {
        named = mt_str_eq(r->also[i], subject);
    }
    return named;
}

static void add_subject(subjects *s, mt_str entity, mt_str id)
{
    ex_record *r = s->record;
    if (!ex_subject_is_kept(entity, id)) {
        return;
    }
    mt_str subject = ex_subject(s->g->arena, entity, id);
    if (!r->subject.len) {
        r->subject = subject;
    } else if (!is_named(r, subject)) {
        mt_vec_push(s->g->arena, &s->also, subject);
        r->also = s->also.items;
        r->also_count = s->also.len;
    }
}

/* Its record is found by every instance it changed. */
void ex_effect_subjects(ex_group *g, const ex_effects *f, ex_record *r)
{
    subjects all = {.g = g, .record = r};
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t e = f->changes[i].entity;
        add_subject(&all, ct_entity_id(f->v->plan, e), f->instances[e]);
    }
}

void ex_bound_subjects(ex_group *g, mt_str bindings, ex_record *r)
{
    mt_json tree;
    subjects all = {.g = g, .record = r};
    if (mt_json_read(g->arena, mt_str_dup(g->arena, bindings), NULL, &tree, NULL)) {
        return;
    }
    for (uint32_t i = 0; mt_json_is(&tree, MT_JSON_OBJECT) && i < tree.count; i++) {
        const mt_json_member *b = &tree.as.members[i];
        add_subject(&all, b->key, mt_json_text(&b->value));
    }
}
