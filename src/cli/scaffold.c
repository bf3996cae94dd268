/* cli/scaffold.c - see scaffold.h. */
#include "cli/scaffold.h"

#include <errno.h>
#include <sys/stat.h>

static int make_directory(const cli_args *args, const char *directory)
{
    if (mkdir(directory, 0755) == 0) {
        return CLI_HOLDS;
    }
    return errno == EEXIST ? cli_fail(args, CLI_FAILS, "%s exists already", directory)
                           : cli_fail(args, CLI_WORLD, "cannot make %s: %s", directory,
                                      strerror(errno));
}

int cli_scaffold_write(const cli_args *args, const cli_scaffold *files, size_t count,
                       const char *try_this)
{
    const char *directory = args->operands[0];
    mt_arena a = {0};
    int code = make_directory(args, directory);
    for (size_t i = 0; !code && i < count; i++) {
        mt_str path = mt_strf(&a, "%s/%s", directory, files[i].name);
        code = cli_write_text(args, path.ptr, mt_str_z(files[i].text));
    }
    if (!code) {
        code = cli_print(mt_strf(&a, "%s is ready. Try:\n  cd %s\n  %s\n", directory,
                                 directory, try_this));
    }
    mt_arena_free(&a);
    return code;
}
