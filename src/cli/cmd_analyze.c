/* cli/cmd_analyze.c - motet analyze: what a contract says without being run.
 *
 * Reads what is asked for, has it analysed (cli/analysis.c), then reports or draws,
 * never both. Parts of a picture and obligations of the analysis follow from each
 * other (analyze/explain/draw.h), so asking for a picture of flows analyses flows and
 * nothing else.
 *
 * A stopped analysis is reported as far as it came, but not drawn. Without Graphviz a
 * picture that would be SVG is Mermaid, and it is said once. With a baseline only new
 * findings count for the exit status. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/picture.h"

/* clang-format off */
const cli_option CMD_ANALYZE_OPTIONS[] = {
    {"only",     "s4,s6", "these obligations only: s1 s2 s3a s4 s5 s6 s7 s8"},
    {"paths",    "N",     "list at most N paths of each flow (100); they are all counted"},
    {"prove",    NULL,    "also what proofs find: what never happens, what overlaps"},
    {"baseline", "FILE",  "leave out findings of FILE, the --json of an earlier run"},
    {"json",     NULL,    "report as one JSON object"},
    {"draw",     "PARTS", "draw these: entities,authority,rules,flows,system (all)"},
    {"format",   "FORM",  "form of the picture: " CLI_FORMS " (svg)"},
    {"dot",      NULL,    "draw for Graphviz, as --format dot"},
    {"svg",      NULL,    "draw as SVG by Graphviz; Mermaid without it"},
    {"mermaid",  NULL,    "draw for Mermaid, as --format mermaid"},
    {"each",     "DIR",   "one file for each entity and each flow, in DIR"},
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
    "A picture shows entities with who moves them, the authority map, rules by "
    "stratum,\n"
    "flows with a lane and a colour for each persona, and of a System its members,\n"
    "triggers and what they share. --json is the report; --format json is the "
    "picture.\n"
    "\n"
    "Exit status 0: nothing to warn of; 1: warnings (with --baseline: new ones), or "
    "FILE\n"
    "does not hold; 2: used wrongly; 3: a file could not be read, or it was stopped.";

/* ---- what is asked for ---- */

/* A picture, if one is asked for. */
typedef struct wish {
    bool drawn;      /* otherwise a report is written */
    cli_form form;   /* only when drawn */
    uint32_t parts;  /* bits 1 << an_part */
    const char *dir; /* one file each, there; NULL: one picture */
} wish;

/* --dot and so on, the short forms of --format. false: more than one form, or a report
 * as well as a picture. */
static bool read_form(const cli_args *args, wish *w)
{
    static const struct {
        const char *name;
        cli_form form;
    } SHORT[] = {
        {"dot", CLI_FORM_DOT}, {"svg", CLI_FORM_SVG}, {"mermaid", CLI_FORM_MERMAID}};
    bool asked = cli_value(args, "draw") || w->dir;
    int given = cli_value(args, "format") != NULL;
    for (size_t i = 0; i < sizeof SHORT / sizeof *SHORT; i++) {
        if (cli_flag(args, SHORT[i].name)) {
            w->form = SHORT[i].form;
            given++;
        }
    }
    w->drawn = given || asked;
    return given <= 1 && !(cli_flag(args, "json") && w->drawn);
}

/* Options that contradict each other are refused before anything is analysed, which
 * may take long. */
static int read_wish(const cli_args *args, uint32_t only, wish *w)
{
    const char *parts = cli_value(args, "draw");
    *w = (wish){.form = CLI_FORM_SVG, .dir = cli_value(args, "each")};
    if (cli_form_given(args, &w->form)) {
        return CLI_USAGE;
    }
    if (!read_form(args, w)) {
        return cli_fail(args, CLI_USAGE,
                        "one of --json, --dot, --svg, --mermaid and --format");
    }
    if (w->dir && cli_value(args, "out")) {
        return cli_fail(args, CLI_USAGE, "one of --out and --each");
    }
    if (parts && cli_value(args, "only")) {
        return cli_fail(args, CLI_USAGE, "one of --only and --draw");
    }
    w->parts = parts ? an_parts_read(mt_str_z(parts)) : an_parts_of(only);
    if (parts && !w->parts) {
        return cli_fail(args, CLI_USAGE,
                        "--draw takes entities, authority, rules, flows, system with "
                        "commas between, not '%s'",
                        parts);
    }
    return CLI_HOLDS;
}

/* CLI_HOLDS, or said what is wrong. */
static int read_request(const cli_args *args, aw_analysis *x, wish *w)
{
    const char *only = cli_value(args, "only");
    x->only = only ? an_obligations_read(mt_str_z(only)) : AN_ALL;
    x->paths = 100;
    if (!x->only) {
        return cli_fail(args, CLI_USAGE,
                        "--only takes s1, s2, s3a, s4, s5, s6, s7, s8 with commas "
                        "between, not '%s'",
                        only);
    }
    if (read_wish(args, x->only, w)) {
        return CLI_USAGE;
    }
    x->only = cli_value(args, "draw") ? an_parts_need(w->parts) : x->only;
    return cli_number(args, "paths", 10000000, &x->paths) ? CLI_HOLDS : CLI_USAGE;
}

/* Known findings stay counted but no longer fail the command. */
static int apply_baseline(const cli_args *args, aw_analysis *x)
{
    const char *path = cli_value(args, "baseline");
    mt_json tree;
    if (!path) {
        return CLI_HOLDS;
    }
    int code = cli_read_tree(args, &x->arena, path, &x->contract->limits, &tree);
    if (!code && aw_analysis_baseline(x, &tree)) {
        code = cli_fail(args, CLI_FAILS, "%s is not a report of motet analyze --json",
                        path);
    }
    return code;
}

/* ---- pictures ---- */

/* In the form that was asked for; without Graphviz in Mermaid, from then on. */
static int form_picture(const cli_args *args, wish *w, const mt_picture *p, mt_buf *out)
{
    mt_err err = cli_picture(out, p, w->form);
    if (err == MT_E_NOTFOUND) {
        fputs("motet analyze: Graphviz (dot) is not installed; this is Mermaid\n",
              stderr);
        w->form = CLI_FORM_MERMAID;
        err = cli_picture(out, p, w->form);
    }
    return err ? cli_fail(args, CLI_WORLD, "Graphviz cannot draw it; try --mermaid")
               : CLI_HOLDS;
}

/* The picture is built and drawn in memory; a file is written only when all of it is
 * there. */
static int draw_one(const cli_args *args, const an_subject *s, wish *w)
{
    mt_buf out = {0};
    mt_arena a = {0};
    mt_picture p = an_draw(&a, s, w->parts);
    int code = form_picture(args, w, &p, &out);
    code = code ? code : cli_write_out(args, mt_buf_str(&out));
    mt_arena_free(&a);
    mt_buf_free(&out);
    return code;
}

typedef struct pages {
    const cli_args *args;
    wish *w;
    int code;
} pages;

/* Writes one page and says where; an_draw_each()'s. */
static bool write_page(void *context, mt_str file, const mt_picture *p)
{
    pages *x = context;
    mt_buf out = {0};
    mt_arena a = {0};
    x->code = form_picture(x->args, x->w, p, &out);
    mt_str path =
        mt_strf(&a, "%s/%.*s.%s", x->w->dir, MT_ARG(file), cli_form_ending(x->w->form));
    x->code = x->code ? x->code : cli_write_text(x->args, path.ptr, mt_buf_str(&out));
    x->code = x->code ? x->code : cli_print(mt_strf(&a, "%.*s\n", MT_ARG(path)));
    mt_arena_free(&a);
    mt_buf_free(&out);
    return x->code == CLI_HOLDS;
}

static int draw_each(const cli_args *args, const an_subject *s, wish *w)
{
    pages x = {.args = args, .w = w};
    if (mkdir(w->dir, 0777) != 0 && errno != EEXIST) {
        return cli_fail(args, CLI_WORLD, "cannot make %s: %s", w->dir, strerror(errno));
    }
    an_draw_each(s, w->parts, write_page, &x);
    return x.code;
}

/* A picture of half an analysis would look like a whole one; so there is none. */
static int draw(const cli_args *args, const aw_analysis *x, wish *w)
{
    an_subject s = aw_analysis_subject(x);
    if (!x->complete) {
        return cli_fail(args, CLI_WORLD, "stopped before anything was drawn");
    }
    if (cli_value(args, "draw") && !s.system && (w->parts >> AN_DRAW_SYSTEM) & 1) {
        return cli_fail(args, CLI_FAILS, "%s is not a System", args->operands[0]);
    }
    return w->dir ? draw_each(args, &s, w) : draw_one(args, &s, w);
}

/* ---- all together ---- */

/* ORDER: the baseline before the cut, or findings beyond the limit would come back as
 * new. */
static int report(const cli_args *args, cli_analysis *a, wish *w)
{
    aw_analysis *x = &a->x;
    int code = apply_baseline(args, x);
    an_findings_cut(&x->fs, a->contract.limits.findings);
    if (code || w->drawn) {
        return code ? code : draw(args, x, w);
    }
    code = cli_analysis_print(a, cli_flag(args, "json"));
    if (code) {
        return code;
    }
    code = aw_analysis_code(x);
    return code == CLI_WORLD
               ? cli_fail(args, code, "stopped; this is what is known so far")
               : code;
}

int cmd_analyze(const cli_args *args)
{
    cli_analysis a = {.args = args};
    wish w;
    int code = read_request(args, &a.x, &w);
    if (code) {
        return code;
    }
    code = cli_analysis_run(&a, args->operands[0]);
    code = code ? code : report(args, &a, &w);
    cli_analysis_free(&a);
    return code;
}
