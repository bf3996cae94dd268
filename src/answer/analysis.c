/* answer/analysis.c - analyses and reports; see analysis.h.
 *
 * Order: if the contract is a System, its members are found (elaborated with it, or
 * bundles beside its bundle) and analysed one by one, then across; otherwise the
 * contract alone. Proofs' findings are added to the same list, and everything is sorted
 * and cut only when it is printed.
 *
 * A member that is not there is not the end: it is reported as a finding and the rest
 * is analysed. An analysis that was stopped is listed as far as it came, and says so.
 *
 * Output goes through a sink that flushes while it is written: reports may be larger
 * than memory. */
#include "answer/analysis.h"

enum { MOST_ENTRIES = 100000, MOST_STEPS = 1000000 };

/* Findings get the member's name, if it is one. NULL: the contract has no plan. */
static const an_analysis *analyze_model(aw_analysis *x, const ct_model *m,
                                        mt_str member, const uint64_t *shared)
{
    const ct_plan *plan;
    an_findings found = {.arena = &x->arena};
    if (ct_plan_of_model(&x->arena, m, &x->contract->ds, &plan)) {
        return NULL;
    }
    an_analyze_options options = {.only = x->only,
                                  .shared = shared,
                                  .reach_states = x->contract->limits.reach_states,
                                  .watcher = x->patience.watcher};
    const an_analysis *an = an_analyze(&x->arena, plan, &options, &found);
    for (size_t i = 0; i < found.len; i++) {
        found.items[i].member = member;
        an_finding_add(&x->fs, &found.items[i]);
    }
    x->complete = x->complete && an->complete;
    return an;
}

/* Loaded from the bundle, as the server would: the analysis is about what runs. */
static int analyze_contract(aw_analysis *x, aw_reply *r)
{
    aw_contract *c = x->contract;
    const ct_model *m;
    if (ct_load(&x->arena, c->bundle, c->path, &c->limits, &c->ds, &m) ||
        !(x->an = analyze_model(x, m, (mt_str){0}, NULL))) {
        return aw_refused(r);
    }
    return AW_HOLDS;
}

/* ---- systems ---- */

/* Bit per entity: does the member share it? */
static uint64_t *shared_by(aw_analysis *x, const ct_model *m, const an_sys_member *who)
{
    uint64_t *set = mt_new_array(&x->arena, uint64_t, m->entity_count / 64 + 1);
    for (uint32_t i = 0; i < x->system->entity_count; i++) {
        const an_sys_shared *e = &x->system->entities[i];
        uint32_t entity = ct_model_find(m, CT_KIND_ENTITY, e->name);
        for (uint32_t k = 0; k < e->count && entity != CT_NONE; k++) {
            if (&x->system->members[e->members[k]] == who) {
                ct_bit_set(set, entity);
            }
        }
    }
    return set;
}

/* A member whose file cannot be read has no bundle and is left out; the others are
 * analyzed all the same. */
static int analyze_member(aw_analysis *x, aw_reply *r, an_sys_member *m)
{
    mt_str bundle;
    const ct_model *model;
    int code = aw_member_bundle(&x->arena, x->contract, m, &bundle);
    if (code || !bundle.len) {
        return code;
    }
    if (ct_load(&x->arena, bundle, m->path, &x->contract->limits, &x->contract->ds,
                &model) ||
        !(m->an = analyze_model(x, model, m->id, shared_by(x, model, m)))) {
        return aw_refused(r);
    }
    return AW_HOLDS;
}

/* Members first: what is found across them builds on their results. */
static int analyze_system(aw_analysis *x, aw_reply *r)
{
    int code = AW_HOLDS;
    for (uint32_t i = 0; i < x->system->member_count && !code; i++) {
        code = analyze_member(x, r, &x->system->members[i]);
    }
    if (!code) {
        x->across = an_sys_analyze(&x->arena, x->system, &x->fs);
    }
    return code;
}

/* What proofs find is added, if it is asked for. */
static int prove(aw_analysis *x, aw_reply *r)
{
    if (x->prove && x->complete &&
        aw_prove_contract(x->contract, &x->patience, &x->fs, &x->complete)) {
        return aw_refused(r);
    }
    return AW_HOLDS;
}

/* The analysis outlives the call: findings, model and picture all point into x->arena,
 * which aw_analysis_free() ends. */
int aw_analyze(aw_analysis *x, aw_reply *r)
{
    x->fs.arena = &x->arena;
    x->complete = true;
    int code = aw_system_of(&x->arena, x->contract, r, &x->system);
    if (!code) {
        code = x->system ? analyze_system(x, r) : analyze_contract(x, r);
    }
    return code ? code : prove(x, r);
}

void aw_analysis_free(aw_analysis *x)
{
    mt_arena_free(&x->arena);
}

mt_err aw_analysis_baseline(aw_analysis *x, const mt_json *earlier)
{
    x->has_baseline = true;
    return an_findings_against(&x->fs, earlier);
}

int aw_analysis_code(const aw_analysis *x)
{
    return !x->complete ? AW_WORLD : x->fs.warnings ? AW_FAILS : AW_HOLDS;
}

/* ---- printing ---- */

/* Nobody takes it before it is whole. */
static bool keep(void *state, mt_buf *out)
{
    (void)state;
    (void)out;
    return true;
}

/* Above a hundred paths somebody wants them all, so steps are not cut either. What an
 * entry leaves out is counted in the report. */
static an_sink sink_for(const aw_analysis *x, const aw_listing *to)
{
    return (an_sink){.out = to->out,
                     .flush = to->flush ? to->flush : keep,
                     .context = to->state,
                     .paths = x->paths,
                     .entries = MOST_ENTRIES,
                     .steps = x->paths > 100 ? SIZE_MAX : MOST_STEPS};
}

/* A sink that was stopped has not written everything, so the report is incomplete from
 * then on. */
static void finish(aw_analysis *x, const an_sink *s)
{
    x->complete = x->complete && !s->stopped;
}

static void findings_text(mt_buf *out, const aw_analysis *x)
{
    mt_buf_addz(out, "\nFindings\n");
    an_findings_text(out, &x->fs);
    mt_buf_addf(out, "%zu warning%s", x->fs.warnings, x->fs.warnings == 1 ? "" : "s");
    if (x->has_baseline) {
        mt_buf_addf(out, ", %zu more in the baseline", x->fs.known);
    }
    mt_buf_addc(out, '\n');
}

void aw_analysis_text(aw_analysis *x, const aw_listing *to)
{
    mt_buf *out = to->out;
    an_sink s = sink_for(x, to);
    if (x->an) {
        an_analysis_text(&s, x->an);
    }
    for (uint32_t i = 0; x->system && i < x->system->member_count; i++) {
        const an_sys_member *m = &x->system->members[i];
        mt_buf_addf(out, "%sMember %.*s\n", i ? "\n" : "", MT_ARG(m->id));
        if (m->an) {
            an_analysis_text(&s, m->an);
        }
    }
    if (x->across) {
        an_sys_text(out, x->across);
    }
    findings_text(out, x);
    finish(x, &s);
}

static void analyses_run(mt_jw *w, uint32_t only)
{
    mt_jw_keyz(w, "analyses_run");
    mt_jw_begin_array(w);
    for (int i = 0; i < AN_OBLIGATION_COUNT; i++) {
        if ((only >> i) & 1) {
            mt_jw_str(w, mt_str_z(AN_OBLIGATIONS[i].name));
        }
    }
    mt_jw_end_array(w);
}

/* A member that could not be analysed is null, so that its name is still there. */
static void members_json(an_sink *s, mt_jw *w, const an_sys *system)
{
    mt_jw_keyz(w, "members");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < system->member_count; i++) {
        mt_jw_key(w, system->members[i].id);
        if (!system->members[i].an) {
            mt_jw_null(w);
            continue;
        }
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "contract", system->members[i].an->model->id);
        an_analysis_json_keys(s, w, system->members[i].an);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
}

/* Keys ascend, which the writer asserts in debug builds; a System and a contract differ
 * in what stands in the middle only. */
void aw_analysis_json(aw_analysis *x, const aw_listing *to)
{
    mt_jw w = mt_jw_start(to->out, true);
    an_sink s = sink_for(x, to);
    mt_jw_begin_object(&w);
    analyses_run(&w, x->only);
    mt_jw_key_str(&w, "contract", x->an ? x->an->model->id : x->system->id);
    mt_jw_keyz(&w, "findings");
    an_findings_json(&w, &x->fs);
    mt_jw_keyz(&w, "findings_more");
    an_findings_more_json(&w, &x->fs);
    mt_jw_key_i64(&w, "known_warnings", (int64_t)x->fs.known);
    if (x->system) {
        members_json(&s, &w, x->system);
    } else {
        an_analysis_json_keys(&s, &w, x->an);
    }
    mt_jw_key_bool(&w, "stopped", s.stopped || !x->complete);
    if (x->across) {
        mt_jw_keyz(&w, "system");
        an_sys_json(&w, x->across);
    }
    mt_jw_key_i64(&w, "warnings", (int64_t)x->fs.warnings);
    mt_jw_end_object(&w);
    mt_buf_addc(to->out, '\n');
    finish(x, &s);
}

an_subject aw_analysis_subject(const aw_analysis *x)
{
    return (an_subject){.contract = x->an, .system = x->system};
}
