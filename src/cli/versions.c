/* cli/versions.c - loading and comparing two versions.
 * Room: cli. */
#include "cli/versions.h"

static int load_one(const cli_args *args, const char *path, cli_version *v)
{
    aw_reply r = {0};
    int code = cli_contract_load(args, path, false, &v->contract);
    return code ? cli_contract_report(args, &v->contract, code)
                : cli_reply(args, &v->contract, &r, aw_version_open(v, &r));
}

/* ORDER: old, new, their difference. On failure what was loaded is freed by
 * cli_versions_free() all the same. */
int cli_versions_load(const cli_args *args, cli_versions *v)
{
    aw_reply r = {0};
    *v = (cli_versions){0};
    if (!strcmp(args->operands[0], "-") && !strcmp(args->operands[1], "-")) {
        return cli_fail(args, CLI_USAGE, "only one version can be standard input");
    }
    int code = load_one(args, args->operands[0], &v->old);
    code = code ? code : load_one(args, args->operands[1], &v->new);
    return code ? code
                : cli_reply(args, &v->new.contract, &r, aw_versions_compare(v, &r));
}

void cli_versions_free(cli_versions *v)
{
    cli_contract_free(&v->old.contract);
    cli_contract_free(&v->new.contract);
}
