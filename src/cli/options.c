/* cli/options.c - reads a command's operands and options by its row.
 *
 * `--name value`, `--name=value`, `--flag`; a value in brackets ("[FILE]") may be left
 * out before another option or at the end; `--` ends the options; options and
 * operands mix freely; `-` alone is an operand (standard input). An option nobody
 * knows is refused with the nearest one; so are a missing value, a value for a flag,
 * and a wrong number of operands.
 *
 * Options that all commands have are a table of their own. Limits are checked when
 * they are read, so that a misspelt one is never ignored; cli_limits() may then trust
 * them. Values are borrowed from argv; the last of a repeated option counts unless the
 * command asks for all. */
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "cli/cli.h"

/* clang-format off */
const cli_option CLI_COMMON_OPTIONS[] = {
    {"help",  NULL,         "show this text"},
    {"limit", "NAME=VALUE", "set a limit; may be repeated (motet help limits)"},
    {"color", "WHEN",       "auto (terminals only), always or never"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static const cli_option *find_in(const cli_option *table, mt_str name)
{
    for (; table && table->name; table++) {
        if (mt_str_eq(mt_str_z(table->name), name)) {
            return table;
        }
    }
    return NULL;
}

/* A command's own option wins over a common one of the same name. */
static const cli_option *find_option(const cli_command *command, mt_str name)
{
    const cli_option *own = find_in(command->options, name);
    return own ? own : find_in(CLI_COMMON_OPTIONS, name);
}

/* Options of the command and common ones alike; at most 63 names are looked at, which
 * no command has. */
static const char *nearest_option(const cli_command *command, const char *word)
{
    const char *names[64];
    size_t n = 0;
    const cli_option *tables[] = {command->options, CLI_COMMON_OPTIONS};
    for (size_t t = 0; t < 2; t++) {
        for (const cli_option *o = tables[t]; o && o->name && n < 63; o++) {
            names[n++] = o->name;
        }
    }
    names[n] = NULL;
    return mt_nearest_of(word, names);
}

static int unknown_option(const cli_args *args, mt_str name)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", MT_ARG(name));
    const char *near = nearest_option(args->command, word);
    if (near) {
        return cli_fail(args, CLI_USAGE, "no option --%s; did you mean --%s?", word,
                        near);
    }
    return cli_fail(args, CLI_USAGE, "no option --%s; see --help", word);
}

/* Room for every word as an option pair and as an operand. */
typedef struct reader {
    cli_args *args;
    const char **given, **operands; /* of `args`, while they can be written */
    char **words;
    int count, at;      /* words there are; the one that is read */
    bool options_ended; /* by "--": all that follows are operands */
} reader;

/* The array has room for every word, so it cannot overflow. */
static void give(reader *r, const char *name, const char *value)
{
    r->given[2 * r->args->given_count] = name;
    r->given[2 * r->args->given_count + 1] = value;
    r->args->given_count++;
}

/* "--name value" and "--name=value" are the same. A value is taken whatever it begins
 * with, so negative numbers and paths with dashes need no quoting. */
static int read_option(reader *r, const char *word)
{
    mt_str text = mt_str_z(word);
    mt_str name = mt_str_from(text.ptr, mt_str_find(text, '='));
    const cli_option *option = find_option(r->args->command, name);
    const char *glued = name.len < text.len ? text.ptr + name.len + 1 : NULL;
    if (!option) {
        return unknown_option(r->args, name);
    }
    if (!option->argument && glued) {
        return cli_fail(r->args, CLI_USAGE, "--%s takes no value", option->name);
    }
    bool optional = option->argument && option->argument[0] == '[';
    bool last = r->at + 1 >= r->count;
    if (optional && !glued && (last || r->words[r->at + 1][0] == '-')) {
        give(r, option->name, NULL);
        return CLI_HOLDS;
    }
    if (option->argument && !glued) {
        if (last) {
            return cli_fail(r->args, CLI_USAGE, "--%s needs a value: --%s %s",
                            option->name, option->name, option->argument);
        }
        glued = r->words[++r->at];
    }
    give(r, option->name, glued);
    return CLI_HOLDS;
}

/* "-" alone is an operand (standard input); "--" ends the options. */
static int read_word(reader *r)
{
    const char *word = r->words[r->at];
    if (!r->options_ended && strcmp(word, "--") == 0) {
        r->options_ended = true;
        return CLI_HOLDS;
    }
    if (!r->options_ended && strncmp(word, "--", 2) == 0) {
        return read_option(r, word + 2);
    }
    if (!r->options_ended && strcmp(word, "-h") == 0) {
        give(r, "help", NULL);
        return CLI_HOLDS;
    }
    if (!r->options_ended && word[0] == '-' && word[1]) {
        return cli_fail(r->args, CLI_USAGE,
                        "no option %s; options have two dashes, see --help", word);
    }
    r->operands[r->args->count++] = word;
    return CLI_HOLDS;
}

/* strtoull would take blanks and signs; the first character must be a digit. A number
 * it cannot hold becomes its largest, which is too much. Which bound was broken is told
 * by the value: 0 is too little, all else too much. */
static int check_limit(const cli_args *args, const char *text, mt_limits *limits)
{
    mt_str whole = mt_str_z(text);
    mt_str name = mt_str_from(whole.ptr, mt_str_find(whole, '='));
    mt_str number = mt_str_skip(whole, name.len + 1);
    char *end = NULL;
    unsigned long long value = number.len ? strtoull(number.ptr, &end, 10) : 0;
    if (!number.len || *end || number.ptr[0] < '0' || number.ptr[0] > '9') {
        return cli_fail(args, CLI_USAGE, "--limit %s: expected NAME=VALUE", text);
    }
    mt_err err = mt_limits_set(limits, name, (size_t)value);
    if (err == MT_E_NOTFOUND) {
        const char *names[64];
        size_t n = 0;
        for (; n < MT_LIMIT_ROW_COUNT && n < 63; n++) {
            names[n] = MT_LIMIT_ROWS[n].name;
        }
        names[n] = NULL;
        char word[64];
        snprintf(word, sizeof word, "%.*s", MT_ARG(name));
        const char *near = mt_nearest_of(word, names);
        return cli_fail(args, CLI_USAGE, "no limit %s; %s%s%s", word,
                        near ? "did you mean " : "see motet help limits",
                        near ? near : "", near ? "?" : "");
    }
    if (err && value) {
        return cli_fail(args, CLI_USAGE, "--limit %s: must be at most %zu", text,
                        mt_limit_most(name));
    }
    if (err) {
        return cli_fail(args, CLI_USAGE, "--limit %s: must be at least 1, at most %zu",
                        text, MT_LIMIT_MOST);
    }
    return CLI_HOLDS;
}

/* Options every command has are checked before the command runs, so no command can
 * forget it. The limits themselves are made anew by cli_limits(). */
static int check_common(const cli_args *args)
{
    mt_limits limits = MT_LIMITS_DEFAULT;
    for (int i = 0; cli_value_at(args, "limit", i); i++) {
        int code = check_limit(args, cli_value_at(args, "limit", i), &limits);
        if (code) {
            return code;
        }
    }
    const char *colour = cli_value(args, "color");
    if (colour && strcmp(colour, "auto") && strcmp(colour, "always") &&
        strcmp(colour, "never")) {
        return cli_fail(args, CLI_USAGE, "--color is auto, always or never, not %s",
                        colour);
    }
    return CLI_HOLDS;
}

static int check_count(const cli_args *args)
{
    const cli_command *c = args->command;
    if (args->count < c->least) {
        return cli_fail(args, CLI_USAGE, "expected %s; see --help", c->operands);
    }
    if (c->most >= 0 && args->count > c->most) {
        return cli_fail(args, CLI_USAGE, "one word too many: '%s'; see --help",
                        args->operands[c->most]);
    }
    return CLI_HOLDS;
}

/* Arrays for the worst case: every word an operand, or every word an option. With
 * --help the number of operands does not matter. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *out)
{
    size_t room = (size_t)argc + 1;
    const char **given = mt_xmalloc(mt_array_bytes(room, 2 * sizeof *given));
    const char **operands = mt_xmalloc(mt_array_bytes(room, sizeof *operands));
    *out = (cli_args){.command = command, .given = given, .operands = operands};
    reader r = {.args = out,
                .given = given,
                .operands = operands,
                .words = argv,
                .count = argc};
    int code = CLI_HOLDS;
    for (; r.at < r.count && !code; r.at++) {
        code = read_word(&r);
    }
    operands[out->count] = NULL;
    if (!code) {
        code = check_common(out);
    }
    return code || cli_flag(out, "help") ? code : check_count(out);
}

void cli_args_free(cli_args *args)
{
    free((void *)(uintptr_t)args->given);
    free((void *)(uintptr_t)args->operands);
    *args = (cli_args){0};
}

/* Also true for an option with a value. */
bool cli_flag(const cli_args *args, const char *name)
{
    for (int i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[2 * i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* In the order given, for options that repeat. */
const char *cli_value_at(const cli_args *args, const char *name, int n)
{
    for (int i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[2 * i], name) == 0 && n-- == 0) {
            return args->given[2 * i + 1];
        }
    }
    return NULL;
}

/* The last one wins, so that a script's default can be overridden by appending. */
const char *cli_value(const cli_args *args, const char *name)
{
    const char *last = NULL;
    for (int i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[2 * i], name) == 0) {
            last = args->given[2 * i + 1];
        }
    }
    return last;
}

/* Faults were reported by cli_parse(); here they cannot occur any more. */
mt_limits cli_limits(const cli_args *args)
{
    mt_limits limits = MT_LIMITS_DEFAULT;
    for (int i = 0; cli_value_at(args, "limit", i); i++) {
        check_limit(args, cli_value_at(args, "limit", i), &limits);
    }
    return limits;
}
