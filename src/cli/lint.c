/* cli/lint.c - levels of warnings for a command: the file beside the contract, then the
 * options, which come after it and win. */
#include "cli/lint.h"

#include <errno.h>

#include "answer/lint.h"
#include "os/file.h"

/* motet.yaml beside the contract, wherever the command is run from. One that is there
 * and cannot be read is a warning: its author expects that it counts. */
static void read_config(aw_lint *r, mt_str contract, cli_source *config)
{
    mt_str base = mt_str_basename(contract), text;
    mt_str path = mt_strf(r->a, "%.*s" AW_LINT_FILE, (int)(contract.len - base.len),
                          contract.ptr);
    mt_err err = os_read_file(r->a, path.ptr, AW_LINT_FILE_BYTES, &text);
    if (!err) {
        *config = (cli_source){path, text};
        aw_lint_config(r, path, text);
    } else if (err == MT_E_LIMIT || (errno != ENOENT && errno != ENOTDIR)) {
        aw_lint_warn(r, 0, mt_strf(r->a, "%.*s cannot be read", MT_ARG(path)),
                     MT_STR(""));
    } /* most contracts have none */
}

/* Other commands neither show all warnings nor refuse a contract because of one. */
static bool has_levels(const cli_args *args)
{
    for (const cli_option *o = args->command->options; o && o->name; o++) {
        if (strcmp(o->name, AW_LINT_VERBS[CT_LINT_ALLOW]) == 0) {
            return true;
        }
    }
    return false;
}

/* In the order they were given, so a later one wins over an earlier one of the same
 * code. */
static void read_options(aw_lint *r, const cli_args *args)
{
    for (int i = 0; i < args->given_count; i++) {
        const char *name = args->given[2 * i], *value = args->given[2 * i + 1];
        for (int level = CT_LINT_ALLOW; value && level <= CT_LINT_DENY; level++) {
            if (strcmp(name, AW_LINT_VERBS[level]) == 0) {
                aw_lint_codes(r, (ct_lint_level)level,
                              mt_strf(r->a, "--%s %s", name, value).ptr,
                              mt_str_z(value));
            }
        }
    }
}

void cli_lint_read(const cli_args *args, mt_arena *a, mt_str path, mt_diags *ds,
                   cli_lint *out)
{
    aw_lint r = {.a = a, .ds = ds, .file = path};
    *out = (cli_lint){0};
    if (!has_levels(args)) {
        return;
    }
    read_config(&r, path, &out->config);
    r.file = path;
    read_options(&r, args);
    out->rules = (ct_lint){r.rules.items, r.rules.len};
}
