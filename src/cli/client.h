/* cli/client.h - commands that talk to a running server.
 * Room: cli. Where it is: --server, else $MOTET_SERVER, else http://127.0.0.1:8440. Who
 * asks: the token in the file of --token-file, else $MOTET_TOKEN; a secret is never an
 * argument, where everyone could read it. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "base/json_write.h"
#include "cli/cli.h"

/* Rows for the option tables of such commands. */
/* clang-format off */
#define CLI_CLIENT_OPTIONS                                                           \
    {"server",     "URL",  "the server ($MOTET_SERVER, http://127.0.0.1:8440)"},     \
    {"token-file", "FILE", "a file with the token (else $MOTET_TOKEN)"},             \
    {"ca",         "FILE", "TLS: trust this authority (PEM)"},                       \
    {"json",       NULL,   "print the answer on one line"}
#define CLI_WRITE_OPTIONS                                                            \
    CLI_CLIENT_OPTIONS,                                                              \
    {"key",        "TEXT", "idempotency key; the same key and request act once"}
/* clang-format on */

/* Asks, prints the answer's JSON (problems to stderr), and returns the exit code: 0 for
 * 2xx, 1 for 4xx, 3 for 5xx and when no answer came. `body` ptr NULL: none. */
int cli_ask(const cli_args *args, const char *method, mt_str path, mt_str body);

/* Tells an answer to people. */
typedef void cli_teller(mt_buf *out, mt_arena *a, const mt_json *answer);
/* The same, but for people (without --json) the answer is told, and after a problem's
 * sentence what `refused` tells of it; either may be NULL. */
int cli_ask_told(const cli_args *args, const char *method, mt_str path, mt_str body,
                 cli_teller *tell, cli_teller *refused);
/* "more: --after X" when a list has another page. */
void cli_tell_next(mt_buf *out, const mt_json *answer);

/* Appends "/" and the text, escaped as one path segment. */
void cli_add_segment(mt_buf *path, mt_str text);
/* Appends "?name=value" or "&name=value" when the option was given. */
void cli_add_query(mt_buf *path, const cli_args *args, const char *option,
                   const char *name);
/* The given pairs "A=B" of a repeated option as members of a JSON object: texts, or
 * with `json` values that are JSON if they parse as such. False after saying what is
 * wrong. */
bool cli_pairs(const cli_args *args, mt_jw *w, const char *option, bool json);

#endif
