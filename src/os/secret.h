/* os/secret.h - credentials, which are in no configuration: it names a variable or a
 * file.
 * Room: os. Ownership: the value lives in the arena. *why is a static text without the
 * value. */
#ifndef OS_SECRET_H
#define OS_SECRET_H

#include "base/str.h"

/* Ends of lines at its end are not part of it. A file that others may read is not a
 * secret any more, and is refused. */
bool os_secret_file(mt_arena *a, const char *path, mt_str *out, const char **why);
bool os_secret_variable(mt_arena *a, const char *name, mt_str *out, const char **why);
/* May others than its owner and group read the file, or others than its owner write it?
 * False as well when it is not there. */
bool os_is_open_to_others(const char *path);

#endif
