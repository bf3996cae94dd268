/* cli/cmd_validate.c - motet validate: is this interchange we can run?
 * Room: cli. All of the work is cli_contract_load()'s, which every command that reads a
 * contract shares; this one only says so. Exit status 0 valid, 1 not, 2 used wrongly, 3
 * it cannot be read. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/contract.h"

/* clang-format off */
const cli_option CMD_VALIDATE_OPTIONS[] = {
    CLI_LINT_OPTIONS,
    {"json",  NULL, "report as one JSON object"},
    {"sarif", NULL, "report as a SARIF 2.1.0 log"},
    {NULL, NULL, NULL},
};

const char CMD_VALIDATE_DETAILS[] =
"Checks an interchange bundle or manifest, whoever wrote it: strict JSON without\n"
"duplicate keys, a tenor_version we read (1.x), every construct, type, expression\n"
"and step in its shape, ids unique, and for a manifest the etag. The same rules as\n"
"JSON Schemas are installed as interchange-schema.json and manifest-schema.json.\n"
"Then references and types are resolved, as before an evaluation. Contract source\n"
"is elaborated and its bundle takes the same way, here and in check, elaborate and\n"
"every other command that reads a contract.";
/* clang-format on */

int cmd_validate(const cli_args *args)
{
    cli_contract c;
    if (cli_flag(args, "json") && cli_flag(args, "sarif")) {
        return cli_fail(args, CLI_USAGE, "--json or --sarif, not both");
    }
    int code = cli_contract_load(args, args->operands[0], false, &c);
    code = cli_contract_report(args, &c, code);
    if (!code && !cli_flag(args, "json") && !cli_flag(args, "sarif")) {
        mt_str line = mt_strf(&c.arena, "%.*s: valid %s\n", MT_ARG(c.path),
                              c.is_manifest ? "manifest" : "bundle");
        code = cli_print(line);
    }
    cli_contract_free(&c);
    return code;
}
