/* cli/analysis.c - loads, analyses and prints; see analysis.h.
 * Room: cli. */
#include "cli/analysis.h"

#include "cli/prove.h"

enum { MOST_ENTRIES = 100000 };

static const ct_analysis *analyze_model(cli_analysis *x, const ct_model *m)
{
    const ct_plan *plan;
    if (ct_plan_of_model(&x->arena, m, &x->contract.ds, &plan)) {
        return NULL;
    }
    ct_analyze_options options = {.only = x->only,
                                  .watcher = {cli_progress_step, &x->progress}};
    return ct_analyze(&x->arena, plan, &options, &x->fs);
}

int cli_analysis_run(cli_analysis *x, const char *path)
{
    cli_contract *c = &x->contract;
    const ct_model *m = NULL;
    x->limits = cli_limits(x->args);
    x->fs.arena = &x->arena;
    cli_progress_start(&x->progress, x->args);
    int code = cli_contract_load(x->args, path, false, c);
    if (!code && ct_load(&x->arena, c->bundle, c->path, &c->limits, &c->ds, &m)) {
        code = CLI_FAILS;
    }
    if (!code && !(x->an = analyze_model(x, m))) {
        code = CLI_FAILS;
    }
    if (code) {
        return cli_contract_report(x->args, c, code);
    }
    x->complete = x->an->complete;
    if (cli_flag(x->args, "prove") && x->complete &&
        cli_prove_contract(c, &x->progress, &x->fs, &x->complete)) {
        return cli_contract_report(x->args, c, CLI_FAILS);
    }
    return CLI_HOLDS;
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

static ct_sink sink_for(cli_analysis *x, mt_buf *out)
{
    return (ct_sink){.out = out,
                     .flush = flush,
                     .context = x,
                     .paths = x->paths,
                     .entries = MOST_ENTRIES};
}

static int finish(cli_analysis *x, const ct_sink *s)
{
    x->complete = x->complete && !s->stopped;
    int code = cli_print(mt_buf_str(s->out));
    mt_buf_free(s->out);
    return code;
}

static void findings_text(mt_buf *out, const cli_analysis *x)
{
    mt_buf_addz(out, "\nFindings\n");
    ct_findings_text(out, &x->fs);
    mt_buf_addf(out, "%zu warning%s", x->fs.warnings, x->fs.warnings == 1 ? "" : "s");
    if (cli_value(x->args, "baseline")) {
        mt_buf_addf(out, ", %zu more in the baseline", x->fs.known);
    }
    mt_buf_addc(out, '\n');
}

int cli_analysis_text(cli_analysis *x)
{
    mt_buf out = {0};
    ct_sink s = sink_for(x, &out);
    ct_analysis_text(&s, x->an);
    findings_text(&out, x);
    return finish(x, &s);
}

static void analyses_run(mt_jw *w, uint32_t only)
{
    mt_jw_keyz(w, "analyses_run");
    mt_jw_begin_array(w);
    for (int i = 0; i < CT_OBLIGATION_COUNT; i++) {
        if ((only >> i) & 1) {
            mt_jw_str(w, mt_str_z(CT_OBLIGATIONS[i].name));
        }
    }
    mt_jw_end_array(w);
}

int cli_analysis_json(cli_analysis *x)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, true);
    ct_sink s = sink_for(x, &out);
    mt_jw_begin_object(&w);
    analyses_run(&w, x->only);
    mt_jw_key_str(&w, "contract", x->an->model->id);
    mt_jw_keyz(&w, "findings");
    ct_findings_json(&w, &x->fs);
    mt_jw_key_i64(&w, "known_warnings", (int64_t)x->fs.known);
    ct_analysis_json_keys(&s, &w, x->an);
    mt_jw_key_bool(&w, "stopped", s.stopped || !x->complete);
    mt_jw_key_i64(&w, "warnings", (int64_t)x->fs.warnings);
    mt_jw_end_object(&w);
    mt_buf_addc(&out, '\n');
    return finish(x, &s);
}

void cli_analysis_draw(mt_buf *out, const cli_analysis *x, ct_picture language)
{
    ct_analysis_draw(out, x->an, language);
}
