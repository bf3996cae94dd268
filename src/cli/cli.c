/* cli/cli.c - finds the command, runs it, and prints for it.
 * Room: cli.
 * Order of a start: closed standard streams are taken, passwords in the arguments are
 * hidden, a closed pipe becomes an error; then words lead through CLI_COMMANDS until a
 * row that runs, whose options are read before it is called. What a command says goes
 * to standard output by cli_print() alone, unbuffered; why it failed goes to standard
 * error by cli_fail(), which gives back the exit code. May fail: writing (CLI_WORLD),
 * unless the reader has gone. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Unbuffered, so that text on stdout and stderr comes in the order it was written and a
 * full disk is noticed here and not at exit. */
int cli_print(mt_str text)
{
    while (text.len) {
        ssize_t put = write(STDOUT_FILENO, text.ptr, text.len);
        if (put < 0 && errno != EINTR) {
            if (errno != EPIPE) { /* a reader that has seen enough is not news */
                fprintf(stderr, "motet: cannot write to standard output: %s\n",
                        strerror(errno));
            }
            return CLI_WORLD;
        }
        text = mt_str_skip(text, put > 0 ? (size_t)put : 0);
    }
    return CLI_HOLDS;
}

/* `args` may be NULL before a command is known. Gives back `code`, so that callers can
 * return the call. */
int cli_fail(const cli_args *args, int code, const char *format, ...)
{
    mt_buf line = {0};
    cli_full_name(&line, args ? args->command : NULL);
    mt_buf_addz(&line, ": ");
    va_list list;
    va_start(list, format);
    mt_buf_addfv(&line, format, list);
    va_end(list);
    mt_buf_addc(&line, '\n');
    fwrite(line.ptr, 1, line.len, stderr);
    mt_buf_free(&line);
    return code;
}

/* NO_COLOR counts when it is set and not empty (no-color.org). */
bool cli_colour(int fd)
{
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    bool dumb = term && strcmp(term, "dumb") == 0;
    return !(no && *no) && !dumb && isatty(fd);
}

bool cli_wants_colour(const cli_args *args, int fd)
{
    const char *when = cli_value(args, "color");
    if (when && strcmp(when, "auto") != 0) {
        return strcmp(when, "always") == 0;
    }
    return cli_colour(fd);
}

/* Tables end with a row without a name; an absent table is an empty one. */
const cli_command *cli_find(const cli_command *table, const char *name)
{
    for (; table && table->name; table++) {
        if (strcmp(table->name, name) == 0) {
            return table;
        }
    }
    return NULL;
}

/* More than 63 commands on one level would be left out of the suggestion, not of the
 * program. */
static int unknown_command(const cli_command *within, const cli_command *table,
                           const char *word)
{
    const char *names[64];
    size_t n = 0;
    for (; table->name && n < 63; table++) {
        names[n++] = table->name;
    }
    names[n] = NULL;
    const char *near = mt_nearest_of(word, names);
    cli_args here = {.command = within};
    if (near) {
        return cli_fail(&here, CLI_USAGE, "no command '%s'; did you mean '%s'?", word,
                        near);
    }
    return cli_fail(&here, CLI_USAGE, "no command '%s'; see motet help", word);
}

static int show_help(const cli_command *command)
{
    mt_buf text = {0};
    cli_help(&text, command);
    int code = cli_print(mt_buf_str(&text));
    mt_buf_free(&text);
    return code;
}

/* --help wins over everything the command would have checked, but not over a misspelt
 * option. */
static int run_command(const cli_command *command, int argc, char **argv)
{
    cli_args args;
    int code = cli_parse(command, argc, argv, &args);
    if (!code) {
        code = cli_flag(&args, "help") ? show_help(command) : command->run(&args);
    }
    cli_args_free(&args);
    return code;
}

static bool is_any(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* Words lead through the table until a row that runs. */
static int dispatch(int argc, char **argv)
{
    const cli_command *table = CLI_COMMANDS, *within = NULL;
    for (int i = 0; i < argc; i++) {
        if (is_any(argv[i], "--help", "-h")) {
            return show_help(within);
        }
        const cli_command *command = cli_find(table, argv[i]);
        if (!command) {
            return unknown_command(within, table, argv[i]);
        }
        if (command->run) {
            return run_command(command, argc - i - 1, argv + i + 1);
        }
        within = command;
        table = command->subcommands;
    }
    mt_buf text = {0};
    cli_help(&text, within);
    fwrite(text.ptr, 1, text.len, stderr);
    mt_buf_free(&text);
    return CLI_USAGE;
}

/* The part of a URL that holds name and password: up to the last '@' before the path,
 * for passwords that should have been escaped and are not. */
static void hide_of_user(char *seen)
{
    char *name = strstr(seen, "://") + 3, *end = name + strcspn(name, "/?#");
    char *at = memrchr(name, '@', (size_t)(end - name));
    char *colon = at ? memchr(name, ':', (size_t)(at - name)) : NULL;
    if (colon) {
        memset(colon + 1, 'x', (size_t)(at - colon - 1));
    }
}

/* password=…, sslpassword=… */
static void hide_of_query(char *seen)
{
    for (char *at = seen; (at = strstr(at, "password="));) {
        at += strlen("password=");
        memset(at, 'x', strcspn(at, "&"));
    }
}

static bool is_database(const char *text)
{
    return strstr(text, "postgres://") || strstr(text, "postgresql://");
}

/* Everybody on the machine sees the arguments of everybody's processes (ps). What is
 * read goes on from a copy; what is seen has no password from here on. The moment until
 * now remains, which is why there are other ways to give it
 * (docs/how-to/operations.md). */
static void hide_passwords(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *seen = argv[i], *copy = is_database(seen) ? strdup(seen) : NULL;
        if (copy) { /* needed until the end */
            argv[i] = copy;
            hide_of_user(seen);
            hide_of_query(seen);
        }
    }
}

/* A standard stream that is closed stays unused: its number is taken, or the next file
 * that is opened, a store, would get it, and whatever is said. What takes it cannot be
 * read or written, as if it was closed. */
static void take_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

/* An empty argv, which execve() allows, is refused. */
int cli_main(int argc, char **argv)
{
    take_closed_streams();
    hide_passwords(argc, argv);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write(), not a death */
    if (argc > 1 && is_any(argv[1], "--version", "-V")) {
        return cli_print(MT_STR("motet " MOTET_VERSION " (contract language 1.0)\n"));
    }
    return argc > 0 ? dispatch(argc - 1, argv + 1) : CLI_USAGE;
}
