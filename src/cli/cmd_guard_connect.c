/* cli/cmd_guard_connect.c - motet guard connect: an MCP server over HTTP as one over
 * standard input and output. motet guard run --upstream starts it. Room: cli. It holds
 * no contract and decides nothing: lines in, lines out. Standard output carries
 * messages only; reports go to standard error. Exit status 2 for a URL that cannot be
 * used, 3 when the token or the server fails. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "guard/connect.h"
#include "os/secret.h"

/* clang-format off */
const cli_option CMD_GUARD_CONNECT_OPTIONS[] = {
    {"token-file", "FILE", "a file with the token that the server wants"},
    {"ca",         "FILE", "TLS: trust this authority (PEM)"},
    {NULL, NULL, NULL},
};
const char CMD_GUARD_CONNECT_DETAILS[] =
    "Each line of standard input is sent to URL as a POST (Streamable HTTP, both revisions); "
    "what answers, one object or a stream of events, becomes lines of standard output. What "
    "broke off on its way is answered with an error that says so.";
/* clang-format on */

static void report(void *state, const char *text)
{
    (void)state;
    fprintf(stderr, "motet guard: %s\n", text);
}

/* Read as the server's own secrets are, with the mode of the file checked; without
 * --token-file no token is sent. */
static int read_token(const cli_args *args, mt_arena *a, mt_str *token)
{
    const char *file = cli_value(args, "token-file");
    const char *wrong = file ? os_secret_read(a, NULL, file, token) : NULL;
    return wrong ? cli_fail(args, CLI_WORLD, "--token-file: %s %s", file, wrong)
                 : CLI_HOLDS;
}

/* A line and an answer may be as large as the guard's limit guard_bytes, since either
 * can hold a whole result of a tool. */
int cmd_guard_connect(const cli_args *args)
{
    enum { CONNECT_MS = 10000 };
    mt_arena a = {0};
    mt_buf why = {0};
    mt_limits limits = cli_limits(args);
    gd_connect_options o = {.url = args->operands[0],
                            .ca_file = cli_value(args, "ca"),
                            .in = STDIN_FILENO,
                            .out = STDOUT_FILENO,
                            .line_bytes = limits.guard_bytes,
                            .answer_bytes = limits.guard_bytes,
                            .connect_ms = CONNECT_MS,
                            .report = report};
    signal(SIGPIPE, SIG_IGN);
    int code = read_token(args, &a, &o.token);
    mt_err err = code ? MT_OK : gd_connect(&o, &why);
    if (err) {
        code = cli_fail(args, err == MT_E_USAGE ? CLI_USAGE : CLI_WORLD, "%.*s",
                        MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    mt_arena_free(&a);
    return code;
}
