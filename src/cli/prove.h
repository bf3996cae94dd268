/* cli/prove.h - proofs for the commands that offer them.
 * Room: cli. */
#ifndef CLI_PROVE_H
#define CLI_PROVE_H

#include "analyze/facts/finding.h"
#include "cli/contract.h"
#include "cli/progress.h"
#include "cli/versions.h"

/* Adds what proofs find wrong with the contract, or with the members of a System, to
 * `fs`, with progress. Ctrl-C ends it with what is known; *complete is then false.
 * MT_E_REJECTED: a bundle does not load, c->ds says why. */
mt_err cli_prove_contract(cli_contract *c, cli_progress *progress, an_findings *fs,
                          bool *complete);
/* The same, as diagnostics of the contract; not `all`: only what legal facts can end in
 * an error. */
mt_err cli_prove_diagnostics(const cli_args *args, cli_contract *c, bool all);

/* Resolves by proof what the diff leaves to analysis, in the members of Systems too.
 * MT_E_REJECTED: a member does not load. */
mt_err cli_prove_versions(cli_versions *v);

#endif
