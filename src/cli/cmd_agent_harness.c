/* cli/cmd_agent_harness.c - motet agent harness: questions in, answers out.
 * Room: cli. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/harness.h"
#include "cli/commands.h"

/* clang-format off */
const cli_option CMD_AGENT_HARNESS_OPTIONS[] = {
    {"mode", "MODE", "profile (default) or compat"},
    {NULL, NULL, NULL},
};
/* clang-format on */

/* Answers go out as soon as input pauses, so a driver may wait for each. */
static int answer_lines(const cli_args *args, ag_mode mode)
{
    mt_buf out = {0};
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    int code = CLI_HOLDS;
    while (code == CLI_HOLDS && (len = getline(&line, &cap, stdin)) > 0) {
        mt_str text = mt_str_from(line, (size_t)len);
        text.len -= text.ptr[text.len - 1] == '\n';
        if (!text.len) {
            continue;
        }
        mt_buf_clear(&out);
        ag_harness_line(mode, text, &out);
        code = cli_print(mt_buf_str(&out));
    }
    if (!code && !feof(stdin)) { /* or there was no memory for the line */
        code = cli_fail(args, CLI_WORLD, "standard input: %s", strerror(errno));
    }
    free(line);
    mt_buf_free(&out);
    return code;
}

int cmd_agent_harness(const cli_args *args)
{
    const char *given = cli_value(args, "mode");
    ag_mode mode = AG_PROFILE;
    if (given && !ag_mode_from(mt_str_z(given), &mode)) {
        return cli_fail(args, CLI_USAGE, "--mode is profile or compat");
    }
    return answer_lines(args, mode);
}
