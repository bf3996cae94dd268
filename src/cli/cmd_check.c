/* cli/cmd_check.c - motet check: every fault of a contract at once.
 *
 * --fix runs first and may need several rounds, since renumbering one rule can move
 * another; it rewrites stratum numbers in place and nothing else. Then the contract is
 * loaded once, proofs are added where they are asked for, and everything is shown in
 * one of three forms: for people, as JSON, as SARIF.
 *
 * --watch repeats the check whenever one of the files that were read changes. The
 * summary counts constructs from the bundle that was made. Exit status 0 only if there
 * are no errors, and with --strict no warnings. */
#include <errno.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/contract.h"
#include "cli/prove.h"
#include "cli/watch.h"

/* clang-format off */
const cli_option CMD_CHECK_OPTIONS[] = {
    {"strict", NULL, "refuse what is only tolerated, and warnings"},
    {"fix",    NULL, "renumber strata that acyclic verdict references need"},
    {"watch",  NULL, "check again whenever a source changes, until Ctrl-C"},
    {"prove",  NULL, "also show what proofs find: what never happens, what overlaps"},
    {"json",   NULL, "report as one JSON object"},
    {"sarif",  NULL, "report as a SARIF 2.1.0 log"},
    {NULL, NULL, NULL},
};

const char CMD_CHECK_DETAILS[] =
"Elaborates FILE and shows every error and warning with its place, the line and a\n"
"hint. motet help CODE explains a code. Exit status 0: no errors (with --strict: no\n"
"warnings either), 1: the contract does not hold, 3: a file could not be read.\n\n"
"--fix rewrites stratum numbers in place when rules read verdicts of their own or a\n"
"higher stratum and the references are acyclic; nothing else is changed.\n\n"
"--prove asks a solver about every rule, precondition and step: which are never\n"
"true, reached or successful for any fact set (warnings), which verdicts imply each\n"
"other and which rules and operations overlap (notes), each with facts to try. The\n"
"limits prove_* bound it.";
/* clang-format on */

enum { FIX_ROUNDS = 4 };

/* ORDER of the summary. */
static const struct count_row {
    const char *kind, *one, *many;
} COUNT_ROWS[] = {
    {"Persona", "persona", "personas"}, {"Source", "source", "sources"},
    {"Fact", "fact", "facts"},          {"Entity", "entity", "entities"},
    {"Rule", "rule", "rules"},          {"Operation", "operation", "operations"},
    {"Flow", "flow", "flows"},          {"System", "system", "systems"},
};

static size_t count_kind(const mt_json *constructs, const char *kind)
{
    size_t n = 0;
    for (uint32_t i = 0; i < constructs->count; i++) {
        mt_str found = mt_json_text(mt_json_at(&constructs->as.items[i], "kind"));
        n += mt_str_eq(found, mt_str_z(kind));
    }
    return n;
}

/* "2 personas, 5 facts, 1 entity" */
static void add_counts(mt_buf *out, const cli_contract *c)
{
    const mt_json *constructs = mt_json_at(c->admitted.document.tree, "constructs");
    bool first = true;
    for (size_t i = 0; i < sizeof COUNT_ROWS / sizeof *COUNT_ROWS; i++) {
        const struct count_row *row = &COUNT_ROWS[i];
        size_t n = count_kind(constructs, row->kind);
        if (n) {
            mt_buf_addf(out, "%s%zu %s", first ? "" : ", ", n,
                        n == 1 ? row->one : row->many);
            first = false;
        }
    }
    mt_buf_addz(out, first ? "an empty contract" : "");
}

/* Counts only when it holds: of a broken contract they would be half the truth. */
static int print_summary(cli_contract *c, int code)
{
    mt_buf out = {0};
    mt_buf_addf(&out, "%.*s: %s", MT_ARG(c->path),
                code == CLI_HOLDS ? "holds" : "does not hold");
    if (code == CLI_HOLDS) {
        mt_buf_addz(&out, " (");
        add_counts(&out, c);
        mt_buf_addc(&out, ')');
    }
    mt_buf_addc(&out, '\n');
    int printed = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return printed ? printed : code;
}

/* The text with its edits, which are sorted and do not overlap. */
static mt_str edited(mt_arena *a, mt_str text, const ct_edit *edits, size_t count)
{
    mt_buf out = {0};
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        mt_buf_add(&out, text.ptr + at, edits[i].offset - at);
        mt_buf_adds(&out, edits[i].text);
        at = edits[i].offset + edits[i].length;
    }
    mt_buf_adds(&out, mt_str_skip(text, at));
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* The file is replaced by a new one beside it (cli_rewrite), so an interrupted fix
 * leaves the old text. */
static int fix_file(const cli_args *args, cli_contract *c, const cli_source *source,
                    const ct_edit *edits, size_t count)
{
    mt_str path = mt_str_dup(&c->arena, source->name);
    mt_str text = edited(&c->arena, source->text, edits, count);
    if (cli_rewrite(path.ptr, text) != MT_OK) {
        return cli_fail(args, CLI_WORLD, "cannot write %s: %s", path.ptr,
                        strerror(errno));
    }
    fprintf(stderr, "%s: %zu %s renumbered\n", path.ptr, count,
            count == 1 ? "stratum" : "strata");
    return CLI_HOLDS;
}

/* Applies the edits there are; *changed says whether there were any. */
static int fix_once(const cli_args *args, cli_contract *c, bool *changed)
{
    const ct_edit *edits = NULL;
    size_t count = c->e ? ct_fix_strata(&c->arena, c->e, &edits) : 0;
    int code = CLI_HOLDS;
    *changed = count > 0;
    for (size_t i = 0; i < count && !code;) {
        size_t end = i;
        while (end < count && mt_str_eq(edits[end].file, edits[i].file)) {
            end++;
        }
        for (size_t s = 0; s < c->sources.len; s++) {
            if (mt_str_eq(c->sources.items[s].name, edits[i].file)) {
                code = fix_file(args, c, &c->sources.items[s], edits + i, end - i);
                break;
            }
        }
        i = end;
    }
    return code;
}

/* Renumbering one stratum may uncover another that is now too low; each round loads
 * anew. FIX_ROUNDS bounds it, should two rules keep pushing each other. */
static int fix(const cli_args *args)
{
    if (strcmp(args->operands[0], "-") == 0) {
        return cli_fail(args, CLI_USAGE, "--fix needs a file it can write");
    }
    bool changed = true;
    int code = CLI_HOLDS;
    for (int round = 0; round < FIX_ROUNDS && changed && !code; round++) {
        cli_contract c;
        cli_contract_load(args, args->operands[0], false, &c);
        code = fix_once(args, &c, &changed);
        cli_contract_free(&c);
    }
    return code;
}

/* One check; `watched` (may be NULL) learns which files it read. */
static int check_once(const cli_args *args, cli_watch *watched)
{
    cli_contract c;
    bool strict = cli_flag(args, "strict");
    int code = cli_contract_load(args, args->operands[0], strict, &c);
    if (code == CLI_HOLDS && cli_flag(args, "prove") &&
        cli_prove_diagnostics(args, &c) != MT_OK) {
        code = CLI_FAILS;
    }
    if (code == CLI_HOLDS && strict && c.ds.warnings) {
        code = CLI_FAILS;
    }
    for (size_t i = 0; watched && i < c.sources.len; i++) {
        cli_watch_add(watched, c.sources.items[i].name);
    }
    code = cli_contract_report(args, &c, code);
    if (!cli_flag(args, "json") && !cli_flag(args, "sarif")) {
        code = print_summary(&c, code);
    }
    cli_contract_free(&c);
    return code;
}

/* Watches what the last check has read, so that a new import is watched, too. */
static int watch(const cli_args *args)
{
    cli_watch w;
    if (cli_watch_start(&w, mt_str_z(args->operands[0])) != MT_OK) {
        return cli_fail(args, CLI_WORLD, "cannot watch: %s", strerror(errno));
    }
    int code = CLI_HOLDS;
    do {
        code = check_once(args, &w);
        if (cli_colour(fileno(stderr))) {
            fputs("watching; Ctrl-C stops\n", stderr);
        }
    } while (cli_watch_wait(&w));
    cli_watch_stop(&w);
    return code;
}

/* With --fix the check that follows reads the files again and so shows what is left. */
int cmd_check(const cli_args *args)
{
    if (cli_flag(args, "json") && cli_flag(args, "sarif")) {
        return cli_fail(args, CLI_USAGE, "--json or --sarif, not both");
    }
    if (cli_flag(args, "watch") && strcmp(args->operands[0], "-") == 0) {
        return cli_fail(args, CLI_USAGE, "--watch needs a file");
    }
    int code = cli_flag(args, "fix") ? fix(args) : CLI_HOLDS;
    if (code) {
        return code;
    }
    return cli_flag(args, "watch") ? watch(args) : check_once(args, NULL);
}
