/* cli/number.c - whole numbers given as options.
 * Room: cli. */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

/* Without the option *to keeps what it had. strtoull takes blanks and signs; hence the
 * look at the first character. */
bool cli_number(const cli_args *args, const char *name, size_t most, size_t *to)
{
    const char *text = cli_value(args, name);
    if (!text) {
        return true;
    }
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value > most) {
        cli_fail(args, CLI_USAGE, "--%s needs a whole number up to %zu, not '%s'", name,
                 most, text);
        return false;
    }
    *to = (size_t)value;
    return true;
}
