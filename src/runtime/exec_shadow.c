/* runtime/exec_shadow.c - a candidate that looks on while the current contract decides.
 * Room: runtime.
 * Every record of a decision is replayed under the candidate (runtime/whatif.h) as soon
 * as it is written, in the same transaction; where the candidate disagrees a record of
 * kind "shadow" follows. A refused operation leaves no record, so its inputs are put
 * into the shape of one and only a disagreement is kept. Answers never change: what the
 * candidate cannot follow is logged, and only a store that fails fails the call.
 * Threads: the committer's, like the chain. */
#include <stdlib.h>

#include "contract/elaborate.h"
#include "runtime/exec.h"
#include "runtime/whatif.h"

struct rx_shadow {
    mt_arena arena;
    mt_str contract, etag; /* of the candidate */
    rt_whatif *replay;
    bool found; /* by the last record */
    uint64_t of;
    mt_buf difference;
    bool complained;
};

static void keep(void *state, const rt_whatif_difference *d)
{
    rx_shadow *s = state;
    s->found = true;
    s->of = d->seq;
    mt_buf_clear(&s->difference);
    rt_whatif_difference copy = *d;
    copy.unnumbered = true; /* the record's own member says it */
    rt_whatif_json(&s->difference, &copy);
}

/* ---- Life -------------------------------------------------------------------------
 */

static mt_err load(rt_executor *x, rx_shadow *s, const char *path, mt_buf *why)
{
    rx_sources sources = {0};
    const ct_model *model;
    const ct_plan *plan;
    mt_diags ds = {.arena = &s->arena, .limit = x->limits.diagnostics};
    mt_err err = rx_source_read(&s->arena, path, &x->limits, &sources, why);
    if (!err && (sources.len != 1 || sources.system.id.len)) {
        mt_buf_addf(why, "%s: a shadow is one contract, no System", path);
        err = MT_E_REJECTED;
    }
    if (err) {
        return err;
    }
    const rx_source *one = &sources.items[0];
    s->contract = one->id;
    s->etag = ct_bundle_etag(&s->arena, one->bundle);
    err = ct_load(&s->arena, one->bundle, mt_str_z(path), &x->limits, &ds, &model);
    err =
        err ? err : ct_plan_build(&s->arena, ct_compile(&s->arena, model), &ds, &plan);
    if (err) {
        mt_buf_addf(why, "%s: %.*s", path, MT_ARG(ds.items[0].message));
        return err;
    }
    rt_whatif_options o = {.candidate = plan,
                           .limits = &x->limits,
                           .contract = s->contract,
                           .explain = SIZE_MAX,
                           .most_steps = RX_SHORT_STEPS, /* the committer waits */
                           .found = keep,
                           .state = s};
    s->replay = rt_whatif_new(&o);
    return MT_OK;
}

mt_err rx_shadow_open(rt_executor *x, const char *path, mt_buf *why)
{
    if (!path) {
        return MT_OK;
    }
    rx_shadow *s = mt_xmalloc(sizeof *s);
    *s = (rx_shadow){0};
    x->shadow = s;
    mt_err err = load(x, s, path, why);
    if (!err && !rx_current(x, s->contract)) {
        mt_buf_addf(why, "%s: no contract '%.*s' is served that it could shadow", path,
                    MT_ARG(s->contract));
        err = MT_E_REJECTED;
    }
    return err;
}

void rx_shadow_close(rt_executor *x)
{
    rx_shadow *s = x->shadow;
    if (s) {
        rt_whatif_free(s->replay);
        mt_buf_free(&s->difference);
        mt_arena_free(&s->arena);
        free(s);
        x->shadow = NULL;
    }
}

bool rx_shadows(const rt_executor *x, const rx_version *v)
{
    return x->shadow && mt_str_eq(x->shadow->contract, v->contract);
}

/* ---- Comparing --------------------------------------------------------------------
 */

/* Puts g->body to the candidate. Does it disagree? */
static bool disagrees(rx_group *g, int64_t id)
{
    rt_executor *x = g->x;
    rx_shadow *s = x->shadow;
    s->found = false;
    mt_err err = rt_whatif_record(s->replay, (uint64_t)id, mt_buf_str(&g->body));
    const rt_whatif_counts *n = rt_whatif_result(s->replay);
    atomic_store(&x->metrics.shadow_compared, n->operations + n->flows);
    atomic_store(&x->metrics.shadow_differing, n->differing);
    if (err && !s->complained) {
        rx_log(x, 2, "shadow_lost", "the shadow cannot follow record %lld: %s",
               (long long)id, mt_err_text(err));
    }
    s->complained |= err != MT_OK;
    return s->found;
}

static mt_err record_difference(rx_group *g, const rx_job *refused)
{
    rx_shadow *s = g->x->shadow;
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    if (refused) {
        rx_caller_json(&w, refused);
    }
    mt_jw_key_str(&w, "candidate", s->etag);
    mt_jw_key_str(&w, "contract", s->contract);
    mt_jw_keyz(&w, "difference");
    mt_jw_raw(&w, mt_buf_str(&s->difference));
    mt_jw_key_str(&w, "kind", MT_STR("shadow"));
    if (!refused) {
        mt_jw_key_i64(&w, "of", (int64_t)s->of);
    }
    rx_record_time(&w, g);
    mt_jw_end_object(&w);
    rx_log(g->x, 1, "shadow_differs", "%.*s", MT_ARG(mt_buf_str(&s->difference)));
    rx_record r = {.kind = "shadow", .contract = s->contract};
    int64_t ignored;
    return rx_record_add(g, &r, &ignored);
}

mt_err rx_shadow_record(rx_group *g, const rx_record *r, int64_t id)
{
    bool ours = mt_str_eq(r->contract, g->x->shadow->contract) &&
                strcmp(r->kind, "shadow") != 0;
    return ours && disagrees(g, id) ? record_difference(g, NULL) : MT_OK;
}

/* The states of everything that is bound, as an operation's provenance has them. */
static void states_json(mt_jw *w, const rx_job *job)
{
    const ct_plan *p = job->v->plan;
    const rx_snap *s = job->snap;
    mt_jw_begin_object(w);
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

mt_err rx_shadow_refusal(rx_job *job, rx_group *g, const ct_attempt *a)
{
    const rx_version *v = job->v;
    mt_buf_clear(&g->body);
    mt_jw w = mt_jw_start(&g->body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "contract", v->contract);
    mt_jw_key_str(&w, "etag", v->etag);
    mt_jw_keyz(&w, "facts");
    rx_fact_provenance(&w, v, job->snap);
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
    rx_verdict_names(&w, v, job->snap->verdicts);
    mt_jw_end_object(&w);
    return disagrees(g, 0) ? record_difference(g, job) : MT_OK;
}
