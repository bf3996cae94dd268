/* tests/unit/cli/said.h - what a function says on standard error.
 *     said_begin(); ... assert_said("motet check: no option --x; see --help\n"); */
#ifndef MT_TEST_SAID_H
#define MT_TEST_SAID_H

#include <stdio.h>
#include <unistd.h>

#include "../rows.h"

static int said_before = -1;
static FILE *said_file;
static char said_text[8192];

static inline void said_begin(void)
{
    fflush(stderr);
    said_before = dup(STDERR_FILENO);
    said_file = tmpfile();
    assert_non_null(said_file);
    assert_int_not_equal(dup2(fileno(said_file), STDERR_FILENO), -1);
}

static inline const char *said_end(void)
{
    fflush(stderr);
    dup2(said_before, STDERR_FILENO);
    close(said_before);
    rewind(said_file);
    said_text[fread(said_text, 1, sizeof said_text - 1, said_file)] = '\0';
    fclose(said_file);
    return said_text;
}

#endif
