/* cli/cmd_elaborate.c - motet elaborate: contract source to interchange.
 * Room: cli.
 * Errors leave stdout without anything that looks like a bundle, and no file behind. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/contract.h"

/* clang-format off */
const cli_option CMD_ELABORATE_OPTIONS[] = {
    {"manifest", NULL,  "wrap the bundle in its manifest, with the etag"},
    {"out",      "DIR", "write DIR/ID.json; of a System also DIR/MEMBER.json each"},
    {"compact",  NULL,  "one line without spaces, the form the etag is taken of"},
    {"strict",   NULL,  "refuse what is only tolerated"},
    CLI_LINT_OPTIONS,
    {"json",     NULL,  "report errors as JSON on standard output"},
    {NULL, NULL, NULL},
};

const char CMD_ELABORATE_DETAILS[] =
"Reads a contract or a System and prints its interchange bundle: sorted keys, two\n"
"spaces, one newline at the end. Imports are read from below the directory of FILE;\n"
"\"-\" is standard input. Interchange JSON is checked and printed in the same form.\n"
"Warnings go to standard error. With errors nothing is printed or written.";
/* clang-format on */

/* What is asked for, of one bundle: in the arena, ends with a newline. */
static mt_str rendered(const cli_args *args, mt_arena *a, mt_str bundle)
{
    return aw_bundle_text(a, bundle, cli_flag(args, "manifest"),
                          cli_flag(args, "compact"));
}

/* Members of a System are written one by one, each named by its id; the path is printed
 * when the file is there. */
static int write_one(const cli_args *args, mt_arena *a, const char *dir, mt_str id,
                     mt_str bundle)
{
    bool manifest = cli_flag(args, "manifest");
    mt_str path =
        mt_strf(a, "%s/%.*s%s.json", dir, MT_ARG(id), manifest ? ".manifest" : "");
    int code = cli_write_text(args, path.ptr, rendered(args, a, bundle));
    return code ? code : cli_print(mt_strf(a, "%.*s\n", MT_ARG(path)));
}

/* A member and the System that would be written to the same file. */
static bool names_collide(const ct_elaboration *e)
{
    for (size_t i = 0; i < e->member_count; i++) {
        if (mt_str_eq(e->members[i].id, e->id)) {
            return true;
        }
    }
    return false;
}

/* A System and its members go to files of their own; two of one name would overwrite
 * each other and are refused before. */
static int write_all(const cli_args *args, cli_contract *c, const char *dir)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return cli_fail(args, CLI_WORLD, "cannot make %s: %s", dir, strerror(errno));
    }
    mt_str id = c->e ? c->e->id : mt_str_stem(c->path);
    if (c->e && names_collide(c->e)) {
        return cli_fail(args, CLI_FAILS,
                        "member and System are both called '%.*s'; rename the file",
                        MT_ARG(id));
    }
    int code = write_one(args, &c->arena, dir, id, c->bundle);
    for (size_t i = 0; c->e && i < c->e->member_count && !code; i++) {
        const ct_member *m = &c->e->members[i];
        if (m->contract) {
            code = write_one(args, &c->arena, dir, m->id, m->contract->bundle);
        }
    }
    return code;
}

/* Warnings go to stderr beside a bundle on stdout. Notes are left to `check`. */
int cmd_elaborate(const cli_args *args)
{
    cli_contract c;
    int code = cli_contract_load(args, args->operands[0], cli_flag(args, "strict"), &c);
    const char *dir = cli_value(args, "out");
    if (code) {
        code = cli_contract_report(args, &c, code);
    } else {
        cli_contract_drop_notes(&c);
        cli_contract_show_text(args, &c);
        code = dir ? write_all(args, &c, dir)
                   : cli_print(rendered(args, &c.arena, c.bundle));
    }
    cli_contract_free(&c);
    return code;
}
