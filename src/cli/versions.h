/* cli/versions.h - two versions of one contract, loaded to be compared.
 * Room: cli.
 * Ownership: everything lives in the versions until cli_versions_free(). */
#ifndef CLI_VERSIONS_H
#define CLI_VERSIONS_H

#include "analyze/version/diff.h"
#include "cli/contract.h"
#include "contract/flow/plan.h"

typedef struct cli_version {
    cli_contract contract;
    mt_json bundle, manifest; /* the latter null unless it was one */
    const ct_model *model;    /* of the bundle */
    const ct_plan *plan;      /* for flows under way */
} cli_version;

/* Two members of the same name in two Systems. */
typedef struct cli_member_diff {
    mt_str id;
    an_diff *diff;
} cli_member_diff;

typedef struct cli_versions {
    const cli_args *args;
    cli_version old, new;
    an_diff *diff; /* from old to new; of Systems: what the System itself says */
    cli_member_diff *members; /* only when both are Systems given as source */
    size_t member_count;      /* members that both have */
    bool policy_required;     /* by the diff or by one of a member */
} cli_versions;

/* Loads both operands of the command and compares them. CLI_HOLDS; CLI_FAILS or
 * CLI_WORLD after saying why not, also when they are not versions of one contract. */
int cli_versions_load(const cli_args *args, cli_versions *v);
void cli_versions_free(cli_versions *v);

#endif
