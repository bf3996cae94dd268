/* cli/help.c - help texts, written from the table of commands.
 *
 * Usage, options and subcommands follow from the rows; only details are written by
 * hand. `motet help` also explains codes of diagnostics (three tables, seen as one by
 * code_at()), rules of graphs, and limits. A word that nothing knows gets the nearest
 * command. */
#include "cli/commands.h"
#include <ctype.h>

#include <strings.h>

#include "analyze/facts/finding.h"
#include "contract/wire/validate.h"
#include "graph/rules.h"

/* Where `command` sits in the table: writes the words that lead to it. */
static bool path_to(mt_buf *out, const cli_command *table, const cli_command *command)
{
    for (; table && table->name; table++) {
        size_t before = out->len;
        mt_buf_addf(out, " %s", table->name);
        if (table == command || path_to(out, table->subcommands, command)) {
            return true;
        }
        out->len = before;
    }
    return false;
}

/* A command that is in no table, as in tests, is called by its own name. */
void cli_full_name(mt_buf *out, const cli_command *command)
{
    mt_buf_addz(out, "motet");
    if (command && !path_to(out, CLI_COMMANDS, command)) {
        mt_buf_addf(out, " %s", command->name);
    }
}

/* 24 columns fit most; longer ones push the text to the right instead of breaking the
 * line. */
static void add_row(mt_buf *out, const char *left, const char *right)
{
    mt_buf_addf(out, "  %-24s  %s\n", left, right);
}

/* What does not fit into 79 characters on the left is cut. */
static void add_commands(mt_buf *out, const cli_command *table)
{
    mt_buf_addz(out, "\nCommands:\n");
    for (; table->name; table++) {
        char left[80];
        mt_buf text = {0};
        mt_buf_addf(&text, "%s%s%s", table->name, table->operands ? " " : "",
                    table->operands ? table->operands : "");
        size_t len = text.len < sizeof left - 1 ? text.len : sizeof left - 1;
        memcpy(left, text.ptr, len);
        left[len] = '\0';
        mt_buf_free(&text);
        add_row(out, left, table->summary);
    }
}

static void add_options(mt_buf *out, const cli_option *table)
{
    for (; table && table->name; table++) {
        mt_buf left = {0};
        mt_buf_addf(&left, "--%s%s%s", table->name, table->argument ? " " : "",
                    table->argument ? table->argument : "");
        mt_buf_addc(&left, '\0');
        add_row(out, left.ptr, table->help);
        mt_buf_free(&left);
    }
}

static void program_help(mt_buf *out)
{
    mt_buf_addz(out, "Usage: motet COMMAND [OPTIONS] [OPERANDS]\n\n"
                     "One deterministic engine for behaviour: contracts, graphs and "
                     "agents.\n");
    add_commands(out, CLI_COMMANDS);
    mt_buf_addz(out, "\nmotet help COMMAND explains a command, motet help CODE a "
                     "diagnostic;\n"
                     "motet help codes and motet help limits list what there is.\n"
                     "Exit status: 0 it holds, 1 it does not, 2 used wrongly, 3 a file "
                     "or the machine failed.\n");
}

/* Also what --help prints, so the two cannot differ. */
void cli_help(mt_buf *out, const cli_command *command)
{
    if (!command) {
        program_help(out);
        return;
    }
    mt_buf_addz(out, "Usage: ");
    cli_full_name(out, command);
    mt_buf_addz(out, command->subcommands ? " COMMAND" : " [OPTIONS]");
    if (command->operands && !command->subcommands) {
        mt_buf_addf(out, " %s", command->operands);
    }
    mt_buf_addf(out, "\n\n%s.\n", command->summary);
    if (command->details) {
        mt_buf_addf(out, "\n%s\n", command->details);
    }
    if (command->subcommands) {
        add_commands(out, command->subcommands);
        return;
    }
    if (strcmp(command->name, "ask") == 0) {
        cli_questions(out);
    }
    mt_buf_addz(out, "\nOptions:\n");
    add_options(out, command->options);
    add_options(out, CLI_COMMON_OPTIONS);
}

/* Straight from the table of base/limits.h: a new limit is documented by being
 * there. */
static void limits_help(mt_buf *out)
{
    mt_buf_addz(out, "Limits, each set with --limit NAME=VALUE:\n\n");
    for (size_t i = 0; i < MT_LIMIT_ROW_COUNT; i++) {
        mt_buf_addf(out, "  %-22s %11zu  %s\n", MT_LIMIT_ROWS[i].name,
                    MT_LIMIT_ROWS[i].initial, MT_LIMIT_ROWS[i].help);
    }
}

/* Every code there is: the elaborator's, those of bundles, those of findings. */
static const ct_code_info *code_at(size_t index)
{
    static const ct_code_info *(*const TABLES[])(size_t) = {
        ct_code_at, ct_bundle_code_at, an_finding_code_at};
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++) {
        size_t count = 0;
        while (TABLES[t](count)) {
            if (count++ == index) {
                return TABLES[t](index);
            }
        }
        index -= count;
    }
    return NULL;
}

/* Codes are found without case, since people type them. */
static const ct_code_info *code_find(const char *word)
{
    const ct_code_info *info;
    for (size_t i = 0; (info = code_at(i)); i++) {
        if (strcasecmp(info->code, word) == 0) {
            return info;
        }
    }
    return NULL;
}

/* The paragraph, broken before column 88. */
static void add_wrapped(mt_buf *out, const char *text)
{
    size_t column = 0;
    for (const char *word = text; *word;) {
        size_t len = strcspn(word, " ");
        if (column && column + 1 + len > 88) {
            mt_buf_addc(out, '\n');
            column = 0;
        } else if (column) {
            mt_buf_addc(out, ' ');
            column++;
        }
        mt_buf_add(out, word, len);
        column += len;
        word += len + strspn(word + len, " ");
    }
    mt_buf_addc(out, '\n');
}

/* Rules that are numbers are sections of the specification; others name a document of
 * their own. */
static void code_help(mt_buf *out, const ct_code_info *info)
{
    mt_buf_addf(out, "%s: %s\n\n", info->code, info->title);
    add_wrapped(out, info->explanation);
    mt_buf_addf(out, "\nWhat to do: %s.\n",
                info->hint && *info->hint ? info->hint : "nothing; it only informs");
    mt_buf_addf(out, "Specification: %s%s\n",
                info->rule[0] >= '0' && info->rule[0] <= '9' ? "section " : "",
                info->rule);
}

static void codes_help(mt_buf *out)
{
    mt_buf_addz(out, "Diagnostics; motet help CODE explains one:\n\n");
    const ct_code_info *info;
    for (size_t i = 0; (info = code_at(i)); i++) {
        mt_buf_addf(out, "  %s  %-44s %s\n", info->code, info->title, info->rule);
    }
    mt_buf_addz(out, "\nRules of graphs, manifests and adapters:\n\n");
    for (size_t i = 0; i < GR_RULE_COUNT; i++) {
        mt_buf_addf(out, "  %-13s %s\n", GR_RULES[i].id, GR_RULES[i].says);
    }
}

/* Codes are typed from a screen, in small letters too. */
static const char *nearest_code(const char *word)
{
    char upper[8] = {0};
    for (size_t i = 0; i + 1 < sizeof upper && word[i]; i++) {
        upper[i] = (char)toupper((unsigned char)word[i]);
    }
    mt_nearest n = mt_nearest_to(mt_str_z(upper));
    bool is_code = upper[0] && upper[1] >= '0' && upper[1] <= '9';
    const ct_code_info *info;
    for (size_t i = 0; is_code && (info = code_at(i)); i++) {
        mt_nearest_offer(&n, mt_str_z(info->code));
    }
    return n.best.len ? n.best.ptr : NULL;
}

/* Names of this level only: `motet help graph rn` suggests `run` of graph. */
static int no_such_topic(const cli_args *args, const cli_command *table,
                         const char *word)
{
    const char *names[64];
    size_t n = 0;
    for (; table && table->name && n < 63; table++) {
        names[n++] = table->name;
    }
    names[n] = NULL;
    const char *near = mt_nearest_of(word, names);
    near = near ? near : nearest_code(word);
    return near ? cli_fail(args, CLI_USAGE, "no help on '%s'; did you mean '%s'?", word,
                           near)
                : cli_fail(args, CLI_USAGE,
                           "no help on '%s'; motet help lists the commands", word);
}

/* The command the operands lead to; NULL with *wrong set when one leads nowhere. */
static const cli_command *follow(const cli_args *args, const cli_command **table,
                                 const char **wrong)
{
    const cli_command *at = NULL;
    for (int i = 0; i < args->count; i++) {
        const cli_command *next = cli_find(*table, args->operands[i]);
        if (!next) {
            *wrong = args->operands[i];
            return NULL;
        }
        at = next;
        *table = at->subcommands;
    }
    return at;
}

/* Commands, diagnostics, rules and two lists share one name space; the lists come
 * first, being words no code can be. */
int cmd_help(const cli_args *args)
{
    mt_buf out = {0};
    const cli_command *table = CLI_COMMANDS;
    const char *wrong = NULL;
    int code = CLI_HOLDS;
    const char *topic = args->count == 1 ? args->operands[0] : "";
    const ct_code_info *info = code_find(topic);
    const gr_rule *rule = gr_rule_find(mt_str_z(topic));
    if (strcmp(topic, "limits") == 0) {
        limits_help(&out);
    } else if (strcmp(topic, "codes") == 0) {
        codes_help(&out);
    } else if (info) {
        code_help(&out, info);
    } else if (rule) {
        mt_buf_addf(&out, "%s: ", rule->id);
        add_wrapped(&out, rule->says);
    } else {
        const cli_command *command = follow(args, &table, &wrong);
        if (wrong) {
            code = no_such_topic(args, table, wrong);
        } else {
            cli_help(&out, command);
        }
    }
    if (!code) {
        code = cli_print(mt_buf_str(&out));
    }
    mt_buf_free(&out);
    return code;
}
