/* cli/cmd_check.c - motet check: every fault of a contract at once.
 *
 * --fix runs first (cli/fix.c) and edits files; what is left is then checked. The
 * contract is loaded once, proofs are added where they are asked for, and everything is
 * shown in one of three forms: for people, as JSON, as SARIF.
 *
 * --watch repeats the check whenever one of the files that were read changes. The
 * summary counts constructs from the bundle that was made. Exit status 0 only if there
 * are no errors, and with --strict no warnings. */
#include <errno.h>
#include <stdio.h>

#include "base/late_z3.h"
#include "cli/commands.h"
#include "cli/contract.h"
#include "cli/fix.h"
#include "cli/invariants.h"
#include "cli/prove.h"
#include "cli/watch.h"

/* clang-format off */
const cli_option CMD_CHECK_OPTIONS[] = {
    {"strict", NULL, "refuse what is only tolerated, and warnings"},
    CLI_LINT_OPTIONS,
    {"fix",    NULL, "mend slips that can only mean one thing; renumber strata"},
    {"dry-run", NULL, "with --fix: change nothing, show what would change as a diff"},
    {"watch",  NULL, "check again whenever a source changes, until Ctrl-C"},
    {"prove",  NULL, "also show what proofs find: what never happens, what overlaps"},
    {"scenarios", "FILE", "with --prove: its invariants must hold (NAME.scenarios.* beside FILE)"},
    {"json",   NULL, "report as one JSON object"},
    {"index",  NULL, "with --json: also every name, what it means and where that is"},
    {"sarif",  NULL, "report as a SARIF 2.1.0 log"},
    {NULL, NULL, NULL},
};

const char CMD_CHECK_DETAILS[] =
"Elaborates FILE and shows every error and warning with its place, the line and a\n"
"hint. motet help CODE explains a code. Exit status 0: no errors (with --strict: no\n"
"warnings either), 1: the contract does not hold, 3: a file could not be read.\n\n"
"Where facts that the contract accepts can end an evaluation in an error, such facts\n"
"are shown: an overflow, an element that a list does not have, another variant.\n\n"
"--fix edits the files where a fault can only mean one thing (== for =, && for and,\n"
"other quotes, commas too many or missing), and rewrites stratum numbers when rules\n"
"read verdicts of their own or a higher stratum and the references are acyclic. It\n"
"checks in memory that no error is added before it writes. With --dry-run it prints\n"
"a diff instead, and the exit status is 1 if there is something to change.\n\n"
"Warnings have levels by code: --allow, --warn and --deny; in motet.yaml beside FILE\n"
"lint: {allow: [CODE], warn: [CODE], deny: [CODE]}; and in the source the comments\n"
"// motet: allow CODE (its construct) and // motet: allow-file CODE, which win.\n\n"
"--prove asks a solver about every rule, precondition and step: which are never\n"
"true, reached or successful for any fact set (warnings), which verdicts imply each\n"
"other and which rules and operations overlap (notes), each with facts to try. The\n"
"limits prove_* bound it. Invariants of the contract's scenario file are decided; one\n"
"that does not hold, or was not decided within the limits, is an error.";
/* clang-format on */

/* "2 personas, 5 facts, 1 entity" */
static void add_counts(mt_buf *out, const cli_contract *c)
{
    const mt_json *constructs = mt_json_at(c->admitted.document.tree, "constructs");
    size_t counts[LN_CONSTRUCT_COUNT + 1] = {0}; /* one more for unknown kinds */
    bool first = true;
    for (uint32_t i = 0; i < constructs->count; i++) {
        const mt_json *kind = mt_json_at(&constructs->as.items[i], "kind");
        counts[ln_construct_named(mt_json_text(kind))]++;
    }
    for (size_t k = 0; k < LN_CONSTRUCT_COUNT; k++) {
        if (counts[k]) {
            mt_buf_addf(out, "%s%zu %s", first ? "" : ", ", counts[k],
                        counts[k] == 1 ? LN_CONSTRUCTS[k].word : LN_CONSTRUCTS[k].many);
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

/* One check; `watched` (may be NULL) learns which files it read. Proofs are tried only
 * on a contract that holds so far: what cannot be compiled cannot be asked about. */
static int check_once(const cli_args *args, cli_watch *watched)
{
    cli_contract c;
    bool strict = cli_flag(args, "strict");
    int code = cli_contract_load(args, args->operands[0], strict, &c);
    if (code == CLI_HOLDS &&
        cli_prove_diagnostics(args, &c, cli_flag(args, "prove")) != MT_OK) {
        code = CLI_FAILS;
    }
    if (code == CLI_HOLDS && cli_flag(args, "prove")) {
        code = cli_invariants_check(args, &c);
    }
    if (code == CLI_HOLDS && (c.ds.errors || (strict && c.ds.warnings))) {
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

/* Watches what the last check has read, so that a new import is watched, too. The exit
 * status is that of the last check. */
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
    if (cli_value(args, "scenarios") && !cli_flag(args, "prove")) {
        return cli_fail(args, CLI_USAGE, "--scenarios goes with --prove");
    }
    if (cli_flag(args, "index") && !cli_flag(args, "json")) {
        return cli_fail(args, CLI_USAGE, "--index is for --json");
    }
    if (cli_flag(args, "watch") && strcmp(args->operands[0], "-") == 0) {
        return cli_fail(args, CLI_USAGE, "--watch needs a file");
    }
    /* What is asked for by name is not left out in silence. */
    const char *missing = cli_flag(args, "prove") ? mt_late_load(&mt_late_z3) : NULL;
    if (missing) {
        return cli_fail(args, CLI_WORLD, "--prove: %s", missing);
    }
    bool fix = cli_flag(args, "fix"), dry_run = cli_flag(args, "dry-run");
    if (dry_run && !fix) {
        return cli_fail(args, CLI_USAGE, "--dry-run is for --fix");
    }
    if (fix && strcmp(args->operands[0], "-") == 0) {
        return cli_fail(args, CLI_USAGE, "--fix needs a file it can write");
    }
    int code = fix ? cli_fix(args) : CLI_HOLDS;
    if (code || dry_run) {
        return code;
    }
    return cli_flag(args, "watch") ? watch(args) : check_once(args, NULL);
}
