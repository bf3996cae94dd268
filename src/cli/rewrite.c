/* cli/rewrite.c - replaces the text of a file that exists.
 * Room: cli. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "os/file.h"

/* The link is resolved first, or the new file would replace the link and leave its
 * target as it was. */
mt_err cli_rewrite(const char *path, mt_str text)
{
    char real[PATH_MAX];
    struct stat st;
    if (!realpath(path, real) || stat(real, &st) != 0) {
        return MT_E_IO;
    }
    return os_write_file(real, text, st.st_mode & 07777);
}
