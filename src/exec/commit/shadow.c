/* exec/commit/shadow.c - a candidate that looks on while the current contract decides.
 * Room: exec.
 * Every record of a decision is replayed under the candidate (whatif/whatif.h) as soon
 * as it is written, in the same transaction; where the candidate disagrees a record of
 * kind "shadow" follows. A refused operation leaves no record, so its inputs are put
 * into the shape of one and only a disagreement is kept. Answers never change: what the
 * candidate cannot follow is logged, and only a store that fails fails the call.
 * Threads: the committer's, like the chain. */
#include <stdlib.h>

#include "contract/elaborate.h"
#include "exec/call/facts.h"
#include "exec/commit/shadow.h"

#include "exec/machine.h"
#include "whatif/whatif.h"

struct ex_shadow {
    mt_arena arena;
    mt_str contract, etag; /* of the candidate */
    wi_whatif *replay;
    bool found; /* by the last record */
    uint64_t of;
    mt_buf difference;
    bool complained;
};

static void take_difference(void *state, const wi_whatif_difference *d)
{
    ex_shadow *s = state;
    s->found = true;
    s->of = d->seq;
    mt_buf_clear(&s->difference);
    wi_whatif_difference copy = *d;
    copy.unnumbered = true; /* the record's own member says it */
    wi_whatif_json(&s->difference, &copy);
}

/* ---- Life ---- */

/* A System cannot look on: its members decide together, and a record is of one
 * contract. */
static mt_err load(ex_executor *x, ex_shadow *s, const char *path, mt_buf *why)
{
    ex_sources sources = {0};
    const ct_model *model;
    const ct_plan *plan;
    mt_diags ds = {.arena = &s->arena, .limit = x->limits.diagnostics};
    mt_err err = ex_source_read(&s->arena, path, &x->limits, &sources, why);
    if (!err && (sources.len != 1 || sources.system.id.len)) {
        mt_buf_addf(why, "%s: a shadow is one contract, no System", path);
        err = MT_E_REJECTED;
    }
    if (err) {
        return err;
    }
    const ex_source *one = &sources.items[0];
    s->contract = one->id;
    s->etag = ct_bundle_etag(&s->arena, one->bundle);
    err = ct_load(&s->arena, one->bundle, mt_str_z(path), &x->limits, &ds, &model);
    err =
        err ? err : ct_plan_build(&s->arena, ct_compile(&s->arena, model), &ds, &plan);
    if (err) {
        mt_buf_addf(why, "%s: %.*s", path, MT_ARG(ds.items[0].message));
        return err;
    }
    wi_whatif_options o = {.candidate = plan,
                           .limits = &x->limits,
                           .contract = s->contract,
                           .explain = SIZE_MAX,
                           .most_steps = EX_SHORT_STEPS, /* the committer waits */
                           .found = take_difference,
                           .state = s};
    s->replay = wi_whatif_new(&o);
    return MT_OK;
}

mt_err ex_shadow_open(ex_executor *x, const char *path, mt_buf *why)
{
    if (!path) {
        return MT_OK;
    }
    ex_shadow *s = mt_xmalloc(sizeof *s);
    *s = (ex_shadow){0};
    x->shadow = s;
    mt_err err = load(x, s, path, why);
    if (!err && !ex_current(x, s->contract)) {
        mt_buf_addf(why, "%s: no contract '%.*s' is served that it could shadow", path,
                    MT_ARG(s->contract));
        err = MT_E_REJECTED;
    }
    return err;
}

void ex_shadow_close(ex_executor *x)
{
    ex_shadow *s = x->shadow;
    if (s) {
        wi_whatif_free(s->replay);
        mt_buf_free(&s->difference);
        mt_arena_free(&s->arena);
        free(s);
        x->shadow = NULL;
    }
}

bool ex_shadows(const ex_executor *x, const ex_version *v)
{
    return x->shadow && mt_str_eq(x->shadow->contract, v->contract);
}

/* ---- Comparing ---- */

/* Puts g->body to the candidate. Does it disagree? */
static bool disagrees(ex_group *g, int64_t id)
{
    ex_executor *x = g->x;
    ex_shadow *s = x->shadow;
    s->found = false;
    mt_err err = wi_whatif_record(s->replay, (uint64_t)id, mt_buf_str(&g->body));
    const wi_whatif_counts *n = wi_whatif_result(s->replay);
    atomic_store(&x->metrics.shadow_compared, n->operations + n->flows);
    atomic_store(&x->metrics.shadow_differing, n->differing);
    if (err && !s->complained) {
        ex_log(x, 2, "shadow_lost", "the shadow cannot follow record %lld: %s",
               (long long)id, mt_err_text(err));
    }
    s->complained |= err != MT_OK;
    return s->found;
}

/* `refused` is the job when the current contract refused, so that there is no record
 * to point at. */
static mt_err record_difference(ex_group *g, const ex_job *refused)
{
    ex_shadow *s = g->x->shadow;
    mt_jw w = ex_record_begin(g);
    if (refused) {
        ex_caller_json(&w, refused);
    }
    mt_jw_key_str(&w, "candidate", s->etag);
    mt_jw_key_str(&w, "contract", s->contract);
    mt_jw_keyz(&w, "difference");
    mt_jw_raw(&w, mt_buf_str(&s->difference));
    mt_jw_key_str(&w, "kind", MT_STR("shadow"));
    if (!refused) {
        mt_jw_key(&w, g->x->shared ? MT_STR("of_queued") : MT_STR("of"));
        mt_jw_i64(&w, (int64_t)s->of);
    }
    ex_record_time(&w, g);
    mt_jw_end_object(&w);
    ex_log(g->x, 1, "shadow_differs", "%.*s", MT_ARG(mt_buf_str(&s->difference)));
    ex_record r = {.kind = "shadow", .contract = s->contract};
    int64_t ignored;
    return ex_record_put(g, &r, &ignored);
}

mt_err ex_shadow_record(ex_group *g, const ex_record *r, int64_t id)
{
    bool ours = mt_str_eq(r->contract, g->x->shadow->contract) &&
                strcmp(r->kind, "shadow") != 0;
    return ours && disagrees(g, id) ? record_difference(g, NULL) : MT_OK;
}

/* The states of everything that is bound, as an operation's provenance has them. */
static void states_json(mt_jw *w, const ex_job *job)
{
    const ct_plan *p = job->v->plan;
    const ex_snap *s = job->snap;
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < p->model->entity_count; e++) {
        if (s->instances[e].ptr && s->states[e] != CT_NONE) {
            mt_jw_key(w, ct_entity_id(p, e));
            mt_jw_begin_object(w);
            mt_jw_key(w, s->instances[e]);
            mt_jw_str(w, ct_plan_state_id(p, e, s->states[e]));
            mt_jw_end_object(w);
        }
    }
    mt_jw_end_object(w);
}

mt_err ex_shadow_refusal(ex_job *job, ex_group *g, const ct_attempt *a)
{
    const ex_version *v = job->v;
    mt_jw w = ex_record_begin(g);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_keyz(&w, "facts");
    ex_fact_provenance(&w, v, job->snap);
    mt_jw_key_str(&w, "kind", MT_STR("operation"));
    mt_jw_keyz(&w, "provenance");
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "error");
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "type", ct_op_error_name(a->error));
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "kind", MT_STR("operation"));
    mt_jw_key_str(&w, "op", ct_operation_id(v->plan, job->what));
    if (mt_json_is(job->request.outcome, MT_JSON_STRING)) {
        mt_jw_key_str(&w, "outcome", mt_json_text(job->request.outcome));
    }
    mt_jw_key_str(&w, "persona", job->request.persona);
    mt_jw_keyz(&w, "state_before");
    states_json(&w, job);
    mt_jw_end_object(&w);
    mt_jw_keyz(&w, "verdicts");
    ex_verdict_names(&w, v, job->snap->verdicts);
    mt_jw_end_object(&w);
    return disagrees(g, 0) ? record_difference(g, job) : MT_OK;
}
