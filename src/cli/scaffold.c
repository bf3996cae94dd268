/* cli/scaffold.c - see scaffold.h.
 * Room: cli. Files are written in the order of the table. Exit status 1 when the
 * directory exists, 3 when something cannot be made. */
#include "cli/scaffold.h"

#include <errno.h>
#include <sys/stat.h>

/* An existing directory is refused even if it is empty: whoever misspells a path must
 * not find files in another project. */
static int make_directory(const cli_args *args, const char *directory)
{
    if (mkdir(directory, 0755) == 0) {
        return CLI_HOLDS;
    }
    return errno == EEXIST ? cli_fail(args, CLI_FAILS, "%s exists already", directory)
                           : cli_fail(args, CLI_WORLD, "cannot make %s: %s", directory,
                                      strerror(errno));
}

/* The directory of a file in one; the same for the next file of it. One level only: a
 * file two directories down needs a row before it whose directory is the outer one. */
static int make_parent(const cli_args *args, mt_arena *a, mt_str path)
{
    mt_str name = mt_str_basename(path);
    mt_str parent = mt_str_dup(a, mt_str_from(path.ptr, path.len - name.len - 1));
    return mkdir(parent.ptr, 0755) == 0 || errno == EEXIST
               ? CLI_HOLDS
               : cli_fail(args, CLI_WORLD, "cannot make %s: %s", parent.ptr,
                          strerror(errno));
}

static int write_one(const cli_args *args, mt_arena *a, const cli_scaffold *file)
{
    mt_str path = mt_strf(a, "%s/%s", args->operands[0], file->name);
    int code = make_parent(args, a, path);
    code = code ? code : cli_write_text(args, path.ptr, mt_str_z(file->text));
    if (!code && file->program && chmod(path.ptr, 0755) != 0) {
        code = cli_fail(args, CLI_WORLD, "cannot make a program of %s: %s", path.ptr,
                        strerror(errno));
    }
    return code;
}

int cli_scaffold_write(const cli_args *args, const cli_scaffold *files, size_t count,
                       const char *try_this)
{
    const char *directory = args->operands[0];
    mt_arena a = {0};
    int code = make_directory(args, directory);
    for (size_t i = 0; !code && i < count; i++) {
        code = write_one(args, &a, &files[i]);
    }
    if (!code) {
        code = cli_print(mt_strf(&a, "%s is ready. Try:\n  cd %s\n  %s\n", directory,
                                 directory, try_this));
    }
    mt_arena_free(&a);
    return code;
}
