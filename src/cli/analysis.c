/* cli/analysis.c - loads, analyses and prints; see analysis.h.
 *
 * Order: the contract is loaded as for every command; if it is a System, its members
 * are found (elaborated with it, or bundles beside its bundle) and analysed one by
 * one, then across; otherwise the contract alone. With --prove the solver's findings
 * are added to the same list, and everything is sorted and cut only when it is
 * printed.
 *
 * A member that is not there is not the end: it is reported as a finding and the rest
 * is analysed. An analysis that Ctrl-C stopped is printed as far as it came, and says
 * so.
 *
 * Output goes through a sink that flushes while it is written: reports may be larger
 * than memory. Everything belongs to x->arena and x->contract, freed by
 * cli_analysis_free() also after a failed run. */
#include "cli/analysis.h"

#include "cli/prove.h"
#include "cli/topic.h"

enum { MOST_ENTRIES = 100000, MOST_STEPS = 1000000 };

/* Findings get the member's name, if it is one. NULL: the contract has no plan. */
static const an_analysis *analyze_model(cli_analysis *x, const ct_model *m,
                                        mt_str member, const uint64_t *shared)
{
    const ct_plan *plan;
    an_findings found = {.arena = &x->arena};
    if (ct_plan_of_model(&x->arena, m, &x->contract.ds, &plan)) {
        return NULL;
    }
    an_analyze_options options = {.only = x->only,
                                  .shared = shared,
                                  .reach_states = x->contract.limits.reach_states,
                                  .watcher = {cli_progress_step, &x->progress}};
    const an_analysis *an = an_analyze(&x->arena, plan, &options, &found);
    for (size_t i = 0; i < found.len; i++) {
        found.items[i].member = member;
        an_finding_add(&x->fs, &found.items[i]);
    }
    x->complete = x->complete && an->complete;
    return an;
}

/* Loaded from the bundle, as the server would: the analysis is about what runs. */
static int analyze_contract(cli_analysis *x)
{
    cli_contract *c = &x->contract;
    const ct_model *m;
    if (ct_load(&x->arena, c->bundle, c->path, &c->limits, &c->ds, &m) ||
        !(x->an = analyze_model(x, m, (mt_str){0}, NULL))) {
        return CLI_FAILS;
    }
    return CLI_HOLDS;
}

/* ---- systems ---- */

/* Bit per entity: does the member share it? */
static uint64_t *shared_by(cli_analysis *x, const ct_model *m, const an_sys_member *who)
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
static int analyze_member(cli_analysis *x, an_sys_member *m)
{
    mt_str bundle;
    const ct_model *model;
    int code = cli_member_bundle(x->args, &x->arena, &x->contract, m, &bundle);
    if (code || !bundle.len) {
        return code;
    }
    if (ct_load(&x->arena, bundle, m->path, &x->limits, &x->contract.ds, &model) ||
        !(m->an = analyze_model(x, model, m->id, shared_by(x, model, m)))) {
        return cli_contract_report(x->args, &x->contract, CLI_FAILS);
    }
    return CLI_HOLDS;
}

/* Members first: what is found across them builds on their results. */
static int analyze_system(cli_analysis *x)
{
    int code = CLI_HOLDS;
    for (uint32_t i = 0; i < x->system->member_count && !code; i++) {
        code = analyze_member(x, &x->system->members[i]);
    }
    if (!code) {
        x->across = an_sys_analyze(&x->arena, x->system, &x->fs);
    }
    return code;
}

/* With --prove, what proofs find is added. */
static int prove(cli_analysis *x)
{
    if (cli_flag(x->args, "prove") && x->complete &&
        cli_prove_contract(&x->contract, &x->progress, &x->fs, &x->complete)) {
        return cli_contract_report(x->args, &x->contract, CLI_FAILS);
    }
    return CLI_HOLDS;
}

/* The analysis outlives the call: findings, model and picture all point into x->arena,
 * which cli_analysis_free() ends. */
int cli_analysis_run(cli_analysis *x, const char *path)
{
    x->limits = cli_limits(x->args);
    x->fs.arena = &x->arena;
    x->complete = true;
    cli_progress_start(&x->progress, x->args);
    int code = cli_contract_load(x->args, path, false, &x->contract);
    if (code) {
        return cli_contract_report(x->args, &x->contract, code);
    }
    code = cli_system_of(x->args, &x->arena, &x->contract, &x->system);
    if (!code && x->system) {
        code = analyze_system(x);
    } else if (!code && (code = analyze_contract(x))) {
        cli_contract_report(x->args, &x->contract, code);
    }
    return code ? code : prove(x);
}

void cli_analysis_free(cli_analysis *x)
{
    if (x->progress.args) {
        cli_progress_end(&x->progress);
    }
    cli_contract_free(&x->contract);
    mt_arena_free(&x->arena);
}

/* ---- printing ---- */

/* The sink's: what is there goes out. */
static bool flush(void *context, mt_buf *out)
{
    cli_analysis *x = context;
    bool printed = cli_print(mt_buf_str(out)) == CLI_HOLDS;
    mt_buf_clear(out);
    return cli_progress_step(&x->progress, "listing", 0, 0) && printed;
}

/* Above a hundred paths somebody wants them all, so steps are not cut either. What an
 * entry leaves out is counted in the report. */
static an_sink sink_for(cli_analysis *x, mt_buf *out)
{
    return (an_sink){.out = out,
                     .flush = flush,
                     .context = x,
                     .paths = x->paths,
                     .entries = MOST_ENTRIES,
                     .steps = x->paths > 100 ? SIZE_MAX : MOST_STEPS};
}

/* A sink that was stopped has not written everything, so the report is incomplete from
 * then on; the bytes it has are printed all the same. */
static int finish(cli_analysis *x, const an_sink *s)
{
    x->complete = x->complete && !s->stopped;
    int code = cli_print(mt_buf_str(s->out));
    mt_buf_free(s->out);
    return code;
}

static void findings_text(mt_buf *out, const cli_analysis *x)
{
    mt_buf_addz(out, "\nFindings\n");
    an_findings_text(out, &x->fs);
    mt_buf_addf(out, "%zu warning%s", x->fs.warnings, x->fs.warnings == 1 ? "" : "s");
    if (cli_value(x->args, "baseline")) {
        mt_buf_addf(out, ", %zu more in the baseline", x->fs.known);
    }
    mt_buf_addc(out, '\n');
}

int cli_analysis_text(cli_analysis *x)
{
    mt_buf out = {0};
    an_sink s = sink_for(x, &out);
    if (x->an) {
        an_analysis_text(&s, x->an);
    }
    for (uint32_t i = 0; x->system && i < x->system->member_count; i++) {
        const an_sys_member *m = &x->system->members[i];
        mt_buf_addf(&out, "%sMember %.*s\n", i ? "\n" : "", MT_ARG(m->id));
        if (m->an) {
            an_analysis_text(&s, m->an);
        }
    }
    if (x->across) {
        an_sys_text(&out, x->across);
    }
    findings_text(&out, x);
    return finish(x, &s);
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
int cli_analysis_json(cli_analysis *x)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, true);
    an_sink s = sink_for(x, &out);
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
    mt_buf_addc(&out, '\n');
    return finish(x, &s);
}

an_subject cli_analysis_subject(const cli_analysis *x)
{
    return (an_subject){.contract = x->an, .system = x->system};
}
