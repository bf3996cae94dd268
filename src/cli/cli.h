/* cli/cli.h - the command line: one table of commands, one way to read options.
 * Room: cli. The only room that prints.
 * A command is a row in CLI_COMMANDS (cli/commands.c); parsing, `motet help`, the man
 * page synopsis and shell completion all follow from the row. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/limits.h"
#include "base/nearest.h"
#include "base/str.h"

/* Exit codes, the same for every command. */
enum {
    CLI_HOLDS = 0, /* done, or what was asked holds */
    CLI_FAILS = 1, /* the input has errors, or what was asked does not hold */
    CLI_USAGE = 2, /* used wrongly */
    CLI_WORLD = 3  /* a file, a socket or the machine failed */
};

typedef struct cli_option {
    const char *name;     /* "out" is written --out */
    const char *argument; /* name of its value in help texts; NULL: a flag; in brackets
                             it may be left out */
    const char *help;
} cli_option;

typedef struct cli_args cli_args;

typedef struct cli_command {
    const char *name;
    const char *operands; /* "FILE", "OLD NEW", "[FILE...]" as help shows them */
    const char *summary;  /* one line, no full stop */
    int (*run)(const cli_args *args);      /* NULL: it only has subcommands */
    const cli_option *options;             /* ends with a row whose name is NULL */
    const struct cli_command *subcommands; /* likewise; `run` is then NULL */
    int least, most;                       /* operands allowed; most -1: any number */
    const char *details;                   /* paragraphs for `motet help NAME` */
} cli_command;

struct cli_args {
    const cli_command *command;  /* whose options these are */
    const char *const *operands; /* borrowed from argv; ends with NULL */
    int count;                   /* of operands */
    const char *const *given;    /* name, value pairs of the options, in order */
    int given_count;             /* of pairs; a flag's value is NULL */
};

/* ORDER of help: the order of the table. Ends with a row whose name is NULL. */
extern const cli_command CLI_COMMANDS[];
/* Options every command has (--help, --limit, --color). Same ending. */
extern const cli_option CLI_COMMON_OPTIONS[];

/* Was the option given, with or without a value? */
bool cli_flag(const cli_args *args, const char *name);
/* The option's last value, or NULL. */
const char *cli_value(const cli_args *args, const char *name);
/* The option's n-th value (0-based), or NULL: for options that repeat. */
const char *cli_value_at(const cli_args *args, const char *name, int n);

/* The limits of base/limits.h with every --limit NAME=VALUE applied. */
mt_limits cli_limits(const cli_args *args);

/* Reads a whole number up to `most` into *to when the option was given; false after
 * saying what is wrong with it. */
bool cli_number(const cli_args *args, const char *name, size_t most, size_t *to);

/* "motet NAME: text" on stderr; returns `code`. */
int cli_fail(const cli_args *args, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One event of a running service on stderr: "motet: text", or {"event":text}. */
void cli_report_text(void *state, const char *text);
void cli_report_json(void *state, const char *text);
/* Why a file could not be read or written: errno's text, or that of `err`. */
const char *cli_why(mt_err err);
/* Does the name end in .yaml or .yml? */
bool cli_is_yaml(const char *path);
/* A whole file ("-": standard input) into the arena. CLI_HOLDS, or CLI_WORLD after
 * saying why not. */
int cli_read_text(const cli_args *args, mt_arena *a, const char *path, size_t limit,
                  mt_str *out);
/* The same for the input of a contract: more than `limit` bytes is CLI_FAILS. */
int cli_read_input(const cli_args *args, mt_arena *a, const char *path, size_t limit,
                   mt_str *out);
/* The same for fixtures and captures of graphs, which may be long: up to 4 GiB. */
int cli_read_record(const cli_args *args, mt_arena *a, const char *path, mt_str *out);
/* Writes all of it to stdout; CLI_WORLD when that fails (a full disk, a closed pipe).
 */
int cli_print(mt_str text);
/* Writes a whole file. CLI_HOLDS, or CLI_WORLD after saying why not. */
int cli_write_text(const cli_args *args, const char *path, mt_str text);
/* To the file of --out, without it to stdout. */
int cli_write_out(const cli_args *args, mt_str text);
/* Replaces the text of an existing file, whole or not at all; its mode stays, and a
 * link stays a link. MT_E_IO: errno says why. */
mt_err cli_rewrite(const char *path, mt_str text);
/* Colour and carets: is this stream a terminal, and is NO_COLOR unset? */
bool cli_colour(int fd);
/* Likewise, but --color always|never decides when it was given. */
bool cli_wants_colour(const cli_args *args, int fd);

/* The row called `name`, or NULL. */
const cli_command *cli_find(const cli_command *table, const char *name);
/* Reads the operands and options of `command` (argv[0] is the first word after its
 * name). CLI_HOLDS, or CLI_USAGE after saying why on stderr. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *out);
void cli_args_free(cli_args *args);

/* Help texts: of the program (command NULL) or of one command. */
void cli_help(mt_buf *out, const cli_command *command);
/* "motet graph run": the command with the words before it. */
void cli_full_name(mt_buf *out, const cli_command *command);

/* The whole program, for main() and for tests. */
int cli_main(int argc, char **argv);

#endif
