/* cli/prove.h - proofs for the commands that offer them.
 * Room: cli. */
#ifndef CLI_PROVE_H
#define CLI_PROVE_H

#include "answer/findings.h"
#include "cli/contract.h"
#include "cli/progress.h"

/* Progress on stderr, and Ctrl-C that ends a proof with what is known. */
aw_patience cli_patience(cli_progress *progress);
/* What proofs find becomes diagnostics of the contract; not `all`: only what legal
 * facts can end in an error. MT_E_REJECTED: a bundle does not load, c->ds says why. */
mt_err cli_prove_diagnostics(const cli_args *args, cli_contract *c, bool all);

#endif
