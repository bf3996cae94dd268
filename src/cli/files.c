/* cli/files.c - whole files for commands; what cannot be read or written is said.
 * Room: cli. errno is looked at first when something failed, since it knows more than
 * our own codes. Limits are in bytes and counted while reading, so a pipe without an
 * end does no harm. */
#include <errno.h>

#include "cli/cli.h"
#include "os/file.h"

const char *cli_why(mt_err err)
{
    return errno ? strerror(errno) : mt_err_text(err);
}

bool cli_is_yaml(const char *path)
{
    mt_str p = mt_str_z(path);
    return mt_str_ends(p, MT_STR(".yaml")) || mt_str_ends(p, MT_STR(".yml"));
}

int cli_read_text(const cli_args *args, mt_arena *a, const char *path, size_t limit,
                  mt_str *out)
{
    mt_err err = os_read_file(a, path, limit, out);
    return err ? cli_fail(args, CLI_WORLD, "%s: %s", path, cli_why(err)) : CLI_HOLDS;
}

/* Too much is the input's fault: the limit is a statement about contracts. */
int cli_read_input(const cli_args *args, mt_arena *a, const char *path, size_t limit,
                   mt_str *out)
{
    mt_err err = os_read_file(a, path, limit, out);
    int code = err == MT_E_LIMIT ? CLI_FAILS : CLI_WORLD;
    return err ? cli_fail(args, code, "%s: %s", path, cli_why(err)) : CLI_HOLDS;
}

int cli_read_record(const cli_args *args, mt_arena *a, const char *path, mt_str *out)
{
    mt_err err = os_read_file(a, path, UINT32_MAX, out);
    return err ? cli_fail(args, CLI_WORLD, "cannot read %s: %s", path, cli_why(err))
               : CLI_HOLDS;
}

/* 0644 and whatever the umask takes away. */
int cli_write_text(const cli_args *args, const char *path, mt_str text)
{
    mt_err err = os_write_file(path, text, 0644);
    return err ? cli_fail(args, CLI_WORLD, "cannot write %s: %s", path, cli_why(err))
               : CLI_HOLDS;
}

int cli_write_out(const cli_args *args, mt_str text)
{
    const char *path = cli_value(args, "out");
    return path ? cli_write_text(args, path, text) : cli_print(text);
}
