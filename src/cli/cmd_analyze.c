/* cli/cmd_analyze.c - motet analyze: what a contract says without being run.
 * Room: cli. */
#include <stdio.h>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/svg.h"

/* clang-format off */
const cli_option CMD_ANALYZE_OPTIONS[] = {
    {"only",     "s4,s6", "these obligations only: s1 s2 s3a s4 s5 s6 s7 s8"},
    {"paths",    "N",     "list at most N paths of each flow (100); they are all counted"},
    {"prove",    NULL,    "also what proofs find: what never happens, what overlaps"},
    {"baseline", "FILE",  "leave out findings of FILE, the --json of an earlier run"},
    {"json",     NULL,    "report as one JSON object"},
    {"dot",      NULL,    "draw state machines, authority and flows for Graphviz"},
    {"svg",      NULL,    "the same as SVG, drawn by Graphviz; Mermaid without it"},
    {"mermaid",  NULL,    "the same for Mermaid"},
    {"out",      "FILE",  "where to write a picture (standard output)"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_ANALYZE_DETAILS[] =
    "Derives the state space, reachable states, admissible operations, authority, "
    "verdicts\n"
    "and outcomes, flow paths, bounds and verdict uniqueness (S1 to S8). Paths count "
    "with\n"
    "failures, compensation, escalation, sub-flows and parallel branches; their number "
    "is\n"
    "exact however many there are. A System is analysed member by member and across\n"
    "members.\n"
    "\n"
    "Exit status 0: nothing to warn of; 1: warnings (with --baseline: new ones), or "
    "FILE\n"
    "does not hold; 2: used wrongly; 3: a file could not be read, or it was stopped.";

static const char *const FORMS[] = {"json", "dot", "svg", "mermaid"};

static bool one_form(const cli_args *args)
{
    int given = 0;
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        given += cli_flag(args, FORMS[i]);
    }
    return given <= 1;
}

/* What is asked for; CLI_HOLDS, or said what is wrong. */
static int read_request(const cli_args *args, cli_analysis *x)
{
    const char *only = cli_value(args, "only");
    x->only = only ? ct_obligations_read(mt_str_z(only)) : CT_ALL;
    x->paths = 100;
    if (!x->only) {
        return cli_fail(args, CLI_USAGE,
                        "--only takes s1, s2, s3a, s4, s5, s6, s7, s8 with commas "
                        "between, not '%s'",
                        only);
    }
    if (!one_form(args)) {
        return cli_fail(args, CLI_USAGE, "one of --json, --dot, --svg and --mermaid");
    }
    return cli_number(args, "paths", 10000000, &x->paths) ? CLI_HOLDS : CLI_USAGE;
}

static int apply_baseline(const cli_args *args, cli_analysis *x)
{
    const char *path = cli_value(args, "baseline");
    mt_json tree;
    if (!path) {
        return CLI_HOLDS;
    }
    int code = cli_read_tree(args, &x->arena, path, &x->limits, &tree);
    if (!code && ct_findings_against(&x->fs, &tree)) {
        code =
            cli_fail(args, CLI_FAILS, "%s is no report of motet analyze --json", path);
    }
    return code;
}

/* ---- pictures ---- */

static int draw(const cli_args *args, cli_analysis *x)
{
    mt_buf out = {0};
    bool mermaid = cli_flag(args, "mermaid");
    cli_analysis_draw(&out, x, mermaid ? CT_PICTURE_MERMAID : CT_PICTURE_DOT);
    mt_err err = cli_flag(args, "svg") ? cli_svg(&out) : MT_OK;
    if (err == MT_E_NOTFOUND) {
        fputs("motet analyze: Graphviz (dot) is not installed; this is Mermaid\n",
              stderr);
        mt_buf_clear(&out);
        cli_analysis_draw(&out, x, CT_PICTURE_MERMAID);
        err = MT_OK;
    }
    int code = err ? cli_fail(args, CLI_WORLD, "Graphviz cannot draw it; try --mermaid")
                   : cli_write_out(args, mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* ---- all together ---- */

static int report(const cli_args *args, cli_analysis *x)
{
    bool picture =
        cli_flag(args, "dot") || cli_flag(args, "svg") || cli_flag(args, "mermaid");
    int code = apply_baseline(args, x);
    ct_findings_cut(&x->fs, x->limits.findings);
    if (code) {
        return code;
    }
    code = picture                  ? draw(args, x)
           : cli_flag(args, "json") ? cli_analysis_json(x)
                                    : cli_analysis_text(x);
    if (code) {
        return code;
    }
    if (!x->complete) {
        return cli_fail(args, CLI_WORLD, "stopped; this is what is known so far");
    }
    return x->fs.warnings && !picture ? CLI_FAILS : CLI_HOLDS;
}

int cmd_analyze(const cli_args *args)
{
    cli_analysis x = {.args = args};
    int code = read_request(args, &x);
    if (code) {
        return code;
    }
    code = cli_analysis_run(&x, args->operands[0]);
    code = code ? code : report(args, &x);
    cli_analysis_free(&x);
    return code;
}
