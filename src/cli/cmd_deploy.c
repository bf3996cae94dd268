/* cli/cmd_deploy.c - motet deploy: give a running server a contract or a new version.
 * Room: cli. The file is elaborated here, so that imports and diagnostics are those of
 * the author's machine; what travels is the bundle. */
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/contract.h"
#include "cli/document.h"

/* clang-format off */
const cli_option CMD_DEPLOY_OPTIONS[] = {
    CLI_WRITE_OPTIONS,
    {"contract",  "ID",   "under this id, instead of the bundle's own"},
    {"policy",    "NAME", "for flows in flight: blue_green, force_migrate or abort"},
    {"policies",  "FILE", "the same for each flow by its name (JSON or YAML)"},
    {"state-map", "FILE", "{Entity: {old: new}} for instances (JSON or YAML)"},
    {"dry-run",   NULL,   "only say what would change"},
    {"status",    NULL,   "show the migration under way; FILE is then a contract's id"},
    {"complete",  NULL,   "end it; FILE is then a contract's id"},
    {NULL, NULL, NULL},
};
const char CMD_DEPLOY_DETAILS[] =
    "FILE is source or a bundle; it is elaborated here. A change that breaks flows in "
    "flight is refused unless a policy says what becomes of them.";
/* clang-format on */

static int add_document(const cli_args *args, mt_arena *a, mt_jw *w, const char *option,
                        const char *member)
{
    const char *path = cli_value(args, option);
    cli_document document;
    int code = path ? cli_read_document(args, a, path, &document) : CLI_HOLDS;
    if (path && !code) {
        mt_jw_key(w, mt_str_z(member));
        mt_jw_json(w, &document.tree);
    }
    return code;
}

static int add_migration(const cli_args *args, mt_arena *a, mt_jw *w)
{
    const char *contract = cli_value(args, "contract");
    const char *policy = cli_value(args, "policy");
    if (policy && cli_value(args, "policies")) {
        return cli_fail(args, CLI_USAGE, "--policy and --policies do not go together");
    }
    if (contract) {
        mt_jw_key_str(w, "contract", mt_str_z(contract));
    }
    if (policy) {
        mt_jw_key_str(w, "policy", mt_str_z(policy));
    }
    if (cli_flag(args, "dry-run")) {
        mt_jw_key_bool(w, "dry_run", true);
    }
    int code = add_document(args, a, w, "policies", "policy");
    return code ? code : add_document(args, a, w, "state-map", "state_map");
}

static int deploy(const cli_args *args, const cli_contract *contract)
{
    mt_arena arena = {0};
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bundle");
    mt_jw_raw(&w, contract->bundle);
    int code = add_migration(args, &arena, &w);
    mt_jw_end_object(&w);
    if (!code) {
        code = cli_ask(args, "POST", MT_STR("/v1/contracts"), mt_buf_str(&body));
    }
    mt_buf_free(&body);
    mt_arena_free(&arena);
    return code;
}

static int ask_migration(const cli_args *args, const char *method, const char *after)
{
    mt_buf path = {0};
    mt_buf_addz(&path, "/v1/contracts");
    cli_add_segment(&path, mt_str_z(args->operands[0]));
    mt_buf_addf(&path, "/migration%s", after);
    mt_str body = strcmp(method, "POST") == 0 ? MT_STR("{}") : (mt_str){0};
    int code = cli_ask(args, method, mt_buf_str(&path), body);
    mt_buf_free(&path);
    return code;
}

int cmd_deploy(const cli_args *args)
{
    if (cli_flag(args, "status")) {
        return ask_migration(args, "GET", "");
    }
    if (cli_flag(args, "complete")) {
        return ask_migration(args, "POST", "/complete");
    }
    cli_contract contract = {0};
    int code = cli_contract_load(args, args->operands[0], false, &contract);
    if (code) {
        cli_contract_show_text(args, &contract);
    } else {
        code = deploy(args, &contract);
    }
    cli_contract_free(&contract);
    return code;
}
