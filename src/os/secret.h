/* os/secret.h - credentials, by reference: a variable of the environment or a file.
 * Room: os. What is given back is never part of a message; where it was looked for is.
 */
#ifndef OS_SECRET_H
#define OS_SECRET_H

#include "base/str.h"

/* The credential of a variable or of a file that nobody else may read or change, one of
 * the two being NULL. NULL when *out is set, in the arena; else what is wrong, to stand
 * behind the name: "is not set". Line ends at its end are not part of it; other control
 * characters are refused, since in a header they would begin another one. */
const char *os_secret_read(mt_arena *a, const char *variable, const char *file,
                           mt_str *out);

/* Others may read or change the file: a sentence to stand behind its name. NULL: they
 * may not, or it is not there. A group may read it. */
const char *os_secret_exposed(const char *path);

#endif
