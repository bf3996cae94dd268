/* cli/analysis.c - loads, analyses and prints; see analysis.h.
 * Room: cli. */
#include "cli/analysis.h"

#include "cli/prove.h"

/* Another code than CLI_HOLDS was reported. Progress is begun before the contract is
 * read, and ended by cli_analysis_free() in every case. */
int cli_analysis_run(cli_analysis *a, const char *path)
{
    aw_reply r = {0};
    cli_progress_start(&a->progress, a->args);
    int code = cli_contract_load(a->args, path, false, &a->contract);
    if (code) {
        return cli_contract_report(a->args, &a->contract, code);
    }
    a->x.contract = &a->contract;
    a->x.prove = cli_flag(a->args, "prove");
    a->x.patience = cli_patience(&a->progress);
    return cli_reply(a->args, &a->contract, &r, aw_analyze(&a->x, &r));
}

void cli_analysis_free(cli_analysis *a)
{
    if (a->progress.args) {
        cli_progress_end(&a->progress);
    }
    aw_analysis_free(&a->x);
    cli_contract_free(&a->contract);
}

/* The sink's: what is there goes out. */
static bool flush(void *context, mt_buf *out)
{
    cli_analysis *a = context;
    bool printed = cli_print(mt_buf_str(out)) == CLI_HOLDS;
    mt_buf_clear(out);
    return cli_progress_step(&a->progress, "listing", 0, 0) && printed;
}

/* A report can be long, so it is printed while it is made; what is left at the end goes
 * out with the last print. */
int cli_analysis_print(cli_analysis *a, bool json)
{
    mt_buf out = {0};
    (json ? aw_analysis_json : aw_analysis_text)(&a->x, &(aw_listing){&out, flush, a});
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}
