/* cli/versions.h - two versions of one contract, loaded to be compared.
 * Room: cli.
 * Ownership: everything lives in the versions until cli_versions_free(). */
#ifndef CLI_VERSIONS_H
#define CLI_VERSIONS_H

#include "answer/versions.h"
#include "cli/contract.h"

typedef aw_versions cli_versions;
typedef aw_version cli_version;

/* Loads both operands of the command and compares them. CLI_HOLDS; CLI_FAILS or
 * CLI_WORLD after saying why not, also when they are not versions of one contract. */
int cli_versions_load(const cli_args *args, cli_versions *v);
void cli_versions_free(cli_versions *v);

#endif
