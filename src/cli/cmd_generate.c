/* cli/cmd_generate.c - motet generate: a contract as code of another language.
 * Room: cli.
 * Nothing is written unless everything could be generated. Order: target and prefix are
 * checked, the contract is loaded, all files are made in memory, then they are written
 * and, with --out, named on standard output, a line each. Exit status 1 when the
 * contract has faults or something in it has no form in the target, 2 for an unknown
 * target or several files without --out, 3 when a file cannot be written. */
#include <errno.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/contract.h"
#include "generate/generate.h"

/* clang-format off */
const cli_option CMD_GENERATE_OPTIONS[] = {
    {"out",    "DIR",  "write the files there; it is made if need be"},
    {"prefix", "NAME", "what files and names begin with (the contract's id)"},
    {"strict", NULL,   "refuse what is only tolerated"},
    {"json",   NULL,   "report errors as JSON on standard output"},
    {NULL, NULL, NULL},
};

const char CMD_GENERATE_DETAILS[] =
"TARGET is one of:\n"
"  c            an evaluator of exactly this contract, NAME.h and NAME.c: C11, no\n"
"               allocation, no dependency; decisions, faults, operations and flows\n"
"               as the engine has them, byte for byte\n"
"  json-schema  the JSON of facts, verdicts and operations, JSON Schema 2020-12\n"
"  typescript   types of the contract and a client of its HTTP routes\n"
"  python       the same with TypedDict and urllib\n"
"  go           the same with net/http\n\n"
"Without --out a single file is printed. The same contract gives the same bytes;\n"
"every file names the etag it was made from.";
/* clang-format on */

static const gn_target *target_named(mt_str name)
{
    for (size_t i = 0; i < GN_TARGET_COUNT; i++) {
        if (mt_str_eq(mt_str_z(GN_TARGETS[i].name), name)) {
            return &GN_TARGETS[i];
        }
    }
    return NULL;
}

static int unknown_target(const cli_args *args, const char *name)
{
    mt_buf known = {0};
    for (size_t i = 0; i < GN_TARGET_COUNT; i++) {
        mt_buf_addf(&known, "%s%s", i ? ", " : "", GN_TARGETS[i].name);
    }
    int code = cli_fail(args, CLI_USAGE, "no target '%s'; there are %.*s", name,
                        MT_ARG(mt_buf_str(&known)));
    mt_buf_free(&known);
    return code;
}

/* An existing directory is fine, and so are files in it: what is generated replaces
 * what was generated before. */
static int write_files(const cli_args *args, mt_arena *a, const char *dir,
                       const gn_file *files, size_t count)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return cli_fail(args, CLI_WORLD, "cannot make %s: %s", dir, strerror(errno));
    }
    int code = CLI_HOLDS;
    for (size_t i = 0; i < count && !code; i++) {
        mt_str path = mt_strf(a, "%s/%.*s", dir, MT_ARG(files[i].name));
        code = cli_write_text(args, path.ptr, files[i].text);
        code = code ? code : cli_print(mt_strf(a, "%.*s\n", MT_ARG(path)));
    }
    return code;
}

/* A generator returns how many files it made; 0: it has told in the diagnostics why
 * not. Files and their texts live in the contract's arena. */
static int generate(const cli_args *args, cli_contract *c, const gn_target *target)
{
    const char *dir = cli_value(args, "out"), *prefix = cli_value(args, "prefix");
    const ct_model *m = c->admitted.model;
    gn_file files[GN_MOST_FILES];
    if (!m || ct_is_system(c->admitted.document.tree)) {
        return cli_fail(args, CLI_FAILS,
                        "a System has no code of its own; generate its members");
    }
    gn_input in = {m, ct_bundle_etag(&c->arena, c->bundle),
                   prefix ? mt_str_z(prefix) : gn_prefix_of(&c->arena, m->id)};
    size_t count = target->generate(&c->arena, &in, &c->ds, files);
    if (!count) {
        return cli_contract_report(args, c, CLI_FAILS);
    }
    if (!dir && count > 1) {
        return cli_fail(args, CLI_USAGE, "target '%s' is several files: --out DIR",
                        target->name);
    }
    return dir ? write_files(args, &c->arena, dir, files, count)
               : cli_print(files[0].text);
}

int cmd_generate(const cli_args *args)
{
    const gn_target *target = target_named(mt_str_z(args->operands[0]));
    const char *prefix = cli_value(args, "prefix");
    if (!target) {
        return unknown_target(args, args->operands[0]);
    }
    if (prefix && !gn_is_prefix(mt_str_z(prefix))) {
        return cli_fail(args, CLI_USAGE,
                        "--prefix '%s' is not a name: letters, digits, underscores, at "
                        "most 64",
                        prefix);
    }
    cli_contract c;
    int code = cli_contract_load(args, args->operands[1], cli_flag(args, "strict"), &c);
    code = code ? cli_contract_report(args, &c, code) : generate(args, &c, target);
    cli_contract_free(&c);
    return code;
}
