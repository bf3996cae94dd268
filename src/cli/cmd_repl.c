/* cli/cmd_repl.c - motet repl: a session at the terminal, or lines from a pipe.
 * Room: cli. Line editing, history and completion are libedit's. The session itself is
 * cli/repl.c, which knows neither terminal nor pipe. A command that fails says so and
 * does not end the session; the exit status is 0 unless the contract, the given facts
 * or the output fail. */
#include <editline/readline.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/repl.h"

/* clang-format off */
const cli_option CMD_REPL_OPTIONS[] = {
    {"facts",  "FILE",           "facts to begin with, JSON or YAML"},
    {"states", "FILE",           "instances and their states, JSON or YAML"},
    {"state",  "E[/INST]=STATE", "one instance and its state; may repeat"},
    {"bind",   "E=INST",         "which instance flows work on; may repeat"},
    {"history", "FILE",          "recall lines of earlier sessions, keep those of this one"},
    {NULL, NULL, NULL},
};

const char CMD_REPL_DETAILS[] =
"Opens a contract: give facts values and see which verdicts come and go, set\n"
"states, run flows, ask why. help lists the commands; Tab completes them and every\n"
"name of the contract; the arrow keys recall earlier lines. Lines from a pipe are\n"
"taken the same way. A value is checked at once; a bad one leaves the one before.\n"
"While facts are missing, verdicts that the others decide are told.\n"
"Lines are kept in a file only with --history, since they have facts in them.";
/* clang-format on */

/* libedit's completion has no context argument. */
static const cli_repl *completing;
static size_t completion_start;

/* The library calls it with state 0 for the first word and counts up; it frees what it
 * is given, hence strndup(). */
static char *completion(const char *word, int state)
{
    static size_t n;
    n = state ? n + 1 : 0;
    mt_str before = {rl_line_buffer, completion_start};
    mt_str found = cli_repl_complete(completing, before, mt_str_z(word), n);
    return found.ptr ? strndup(found.ptr, found.len) : NULL;
}

/* Names of files would be offered otherwise. */
static char **complete(const char *word, int start, int end)
{
    (void)end;
    completion_start = (size_t)start;
    rl_attempted_completion_over = 1;
    return rl_completion_matches(word, completion);
}

/* One line in, its answer out at once: who types waits for it. */
static int answer(cli_repl *r, mt_str line)
{
    mt_buf out = {0};
    cli_repl_line(r, line, &out);
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* For the owner alone: lines have facts in them. */
static int keep_history(const cli_repl *r, const char *path)
{
    int code = cli_print(MT_STR("\n"));
    if (code || !path) {
        return code;
    }
    mode_t before = umask(077);
    int err = write_history(path) || chmod(path, 0600) ? errno : 0;
    umask(before);
    return err ? cli_fail(r->engine->args, CLI_WORLD, "%s: %s", path, strerror(err))
               : CLI_HOLDS;
}

/* readline has one global state, so `completing` is one, too. */
static int at_terminal(cli_repl *r, const char *history)
{
    completing = r;
    rl_readline_name = "motet";
    rl_attempted_completion_function = complete;
    using_history();
    if (history) {
        (void)read_history(history); /* the first time there is none */
    }
    int code = CLI_HOLDS;
    char *line;
    while (!r->done && !code && (line = readline("motet> "))) {
        if (*line) {
            add_history(line);
        }
        code = answer(r, mt_str_z(line));
        free(line);
    }
    return code ? code : keep_history(r, history);
}

/* No prompt and no editing: the output of a script is the answers alone. A line has no
 * bound but memory, as its writer is the user himself. */
static int from_pipe(cli_repl *r)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    int code = CLI_HOLDS;
    while (!r->done && !code && (len = getline(&line, &room, stdin)) >= 0) {
        code = answer(r, (mt_str){line, (size_t)len});
    }
    if (!r->done && !code && !feof(stdin)) {
        code = cli_fail(NULL, CLI_WORLD, "standard input: %s", strerror(errno));
    }
    free(line);
    return code;
}

/* The facts of --facts; a fault in them ends the session before it begins. */
static int take_facts(cli_repl *r)
{
    const cli_args *args = r->engine->args;
    const char *path = cli_value(args, "facts");
    mt_json *tree = mt_new(&r->arena, mt_json);
    mt_buf said = {0};
    if (!path) {
        return CLI_HOLDS;
    }
    int code = cli_read_tree(args, &r->arena, path, &r->engine->contract.limits, tree);
    if (!code && !cli_repl_facts(r, tree, &said)) {
        mt_str why = mt_str_trim(mt_buf_str(&said), MT_STR("\n"));
        code = cli_fail(args, CLI_FAILS, "%s: %.*s", path, MT_ARG(why));
    }
    mt_buf_free(&said);
    return code;
}

/* Standard input is the conversation, so the contract has to be a file. */
int cmd_repl(const cli_args *args)
{
    cli_engine e;
    if (!strcmp(args->operands[0], "-")) {
        return cli_fail(args, CLI_USAGE, "the contract cannot be standard input");
    }
    int code = cli_engine_load(args, args->operands[0], &e);
    code = code ? code : cli_engine_states(&e);
    if (!code) {
        cli_repl r;
        mt_buf out = {0};
        cli_repl_start(&r, &e, &out);
        code = take_facts(&r);
        if (!code) {
            cli_repl_begin(&r, &out);
            code = cli_print(mt_buf_str(&out));
        }
        mt_buf_free(&out);
        if (!code) {
            code = isatty(STDIN_FILENO) ? at_terminal(&r, cli_value(args, "history"))
                                        : from_pipe(&r);
        }
        cli_repl_free(&r);
    }
    cli_engine_free(&e);
    return code;
}
