/* cli/contract.h - a contract from the command line: source or interchange alike.
 * Room: cli.
 * Ownership: everything lives in the contract until cli_contract_free(). */
#ifndef CLI_CONTRACT_H
#define CLI_CONTRACT_H

#include "answer/contract.h"
#include "answer/reply.h"
#include "cli/lint.h"
#include "cli/show.h"
#include "os/sources.h"

typedef aw_contract cli_contract;

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
/* Shows what an answer is: diagnostics of the contract, sentences on stderr, or the
 * text. Frees it. Returns `code`, or CLI_WORLD when stdout fails. */
int cli_reply(const cli_args *args, const cli_contract *c, aw_reply *r, int code);
/* Forgets what only informs, for commands whose business it is not. */
void cli_contract_drop_notes(cli_contract *c);
/* The diagnostics as text on stderr, whatever the options say. */
void cli_contract_show_text(const cli_args *args, const cli_contract *c);

#endif
