/* cli/contract.h - a contract from the command line: source or interchange alike.
 * Room: cli.
 * Ownership: everything lives in the contract until cli_contract_free(). */
#ifndef CLI_CONTRACT_H
#define CLI_CONTRACT_H

#include "cli/lint.h"
#include "cli/show.h"
#include "contract/wire/admit.h"
#include "os/sources.h"

typedef struct cli_contract {
    mt_arena arena;
    mt_diags ds;
    mt_str path;             /* as given; stdin.tenor for "-" */
    const ct_elaboration *e; /* NULL when it was interchange */
    bool is_manifest;        /* it was interchange inside a manifest */
    mt_str bundle;           /* compact interchange, empty when rejected */
    ct_admitted admitted;    /* its tree and model; no model when rejected */
    mt_str error;            /* the suite's object for the first error, or empty */
    cli_sources sources;     /* what diagnostics point into */
    mt_limits limits;        /* the defaults with every --limit */
    cli_lint lint;           /* levels of warnings, where the command has them */
    os_sources files; /* what was read of the disk, and which failure there was */
} cli_contract;

/* Reads the contract at `path` ("-": standard input). A name that ends in .json, or
 * text that begins with `{`, is interchange: it is read, its tenor_version and its
 * structure are checked (a manifest gives its bundle). Everything else is source and
 * elaborated, and its bundle goes through the same gate. CLI_HOLDS; CLI_FAILS: out->ds
 * has errors; CLI_WORLD: it could not be read, out->ds says why. `out` is to be freed
 * in every case. */
int cli_contract_load(const cli_args *args, const char *path, bool strict,
                      cli_contract *out);
void cli_contract_free(cli_contract *c);

/* Shows the diagnostics: as one JSON object on stdout when `args` has --json, as SARIF
 * on stdout when it has --sarif, otherwise as text on stderr. Returns `code`, or
 * CLI_WORLD when stdout fails. */
int cli_contract_report(const cli_args *args, const cli_contract *c, int code);
/* Forgets what only informs, for commands whose business it is not. */
void cli_contract_drop_notes(cli_contract *c);
/* The diagnostics as text on stderr, whatever the options say. */
void cli_contract_show_text(const cli_args *args, const cli_contract *c);

#endif
