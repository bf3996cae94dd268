/* cli/cmd_completion.c - motet completion: shell completion written from the table.
 *
 * Words complete to commands, subcommands and options; everything else to files. One
 * writer per shell (SHELLS), all of which walk the same table of commands, so a new
 * command completes without a line here. Texts are quoted for the shell they go to:
 * each has its own rules about quotes, brackets and colons. */
#include <stdio.h>

#include "cli/commands.h"

/* clang-format off */
const char CMD_COMPLETION_DETAILS[] =
"Prints a completion script. To try it: eval \"$(motet completion bash)\" in bash,\n"
"source <(motet completion zsh) in zsh, motet completion fish | source in fish.\n"
"make install puts all three where the shells look for them.";
/* clang-format on */

typedef void visit(mt_buf *out, const cli_command *c, const char *path);

/* Every command with the words before it: "graph run". */
static void walk(mt_buf *out, const cli_command *table, const char *before, visit *each)
{
    for (; table && table->name; table++) {
        mt_buf path = {0};
        mt_buf_addf(&path, "%s%s%s", before, *before ? " " : "", table->name);
        mt_buf_addc(&path, '\0');
        each(out, table, path.ptr);
        walk(out, table->subcommands, path.ptr, each);
        mt_buf_free(&path);
    }
}

/* Without a blank at the front, for the first list between quotes. */
static void add_names(mt_buf *out, const cli_command *table)
{
    for (const cli_command *c = table; c && c->name; c++) {
        mt_buf_addf(out, "%s%s", c == table ? "" : " ", c->name);
    }
}

/* Every word with a blank before it, so that lists can be joined. */
static void add_option_words(mt_buf *out, const cli_option *options)
{
    for (; options && options->name; options++) {
        mt_buf_addf(out, " --%s", options->name);
    }
}

/* ---- bash ---- */

/* A command with subcommands offers their names, others their options; a word that fits
 * neither completes to files. */
static void bash_case(mt_buf *out, const cli_command *c, const char *path)
{
    mt_buf_addf(out, "    \"%s\") words=\"", path);
    add_names(out, c->subcommands);
    if (!c->subcommands) {
        add_option_words(out, c->options);
        add_option_words(out, CLI_COMMON_OPTIONS);
    }
    mt_buf_addz(out, "\" ;;\n");
}

/* The script finds the longest path of words that are commands, then offers what comes
 * behind it. Options never are part of a path. */
static void bash(mt_buf *out)
{
    mt_buf_addz(out,
                "# bash completion for motet\n"
                "_motet() {\n"
                "  local current=\"${COMP_WORDS[COMP_CWORD]}\" path=\"\" words=\"\" i\n"
                "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                "    case \"$path ${COMP_WORDS[i]}\" in\n"
                "      *' -'*) ;;\n"
                "      *) case \" $_motet_paths \" in\n"
                "           *\"|${path:+$path }${COMP_WORDS[i]}|\"*)\n"
                "             path=\"${path:+$path }${COMP_WORDS[i]}\" ;;\n"
                "         esac ;;\n"
                "    esac\n"
                "  done\n"
                "  case \"$path\" in\n"
                "    \"\") words=\"");
    add_names(out, CLI_COMMANDS);
    mt_buf_addz(out, " --help --version\" ;;\n");
    walk(out, CLI_COMMANDS, "", bash_case);
    mt_buf_addz(out, "  esac\n"
                     "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                     "  if [[ ${#COMPREPLY[@]} -eq 0 && $current != -* ]]; then\n"
                     "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
                     "  fi\n"
                     "}\n");
}

/* Paths are gathered between bars: the script looks a path up by searching for
 * "|path|". */
static void bash_path(mt_buf *out, const cli_command *c, const char *path)
{
    (void)c;
    mt_buf_addf(out, "%s|", path);
}

/* Also for the name `tenor`, by which some install the program. */
static void write_bash(mt_buf *out)
{
    bash(out);
    mt_buf_addz(out, "_motet_paths=\"|");
    walk(out, CLI_COMMANDS, "", bash_path);
    mt_buf_addz(out, "\"\ncomplete -o filenames -F _motet motet tenor\n");
}

/* ---- zsh ---- */

/* Inside '...': a quote ends, escapes and begins again; [ ] : are _arguments' own. */
static void add_zsh_text(mt_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            mt_buf_addz(out, "'\\''");
        } else {
            if (strchr("[]:\\", *text)) {
                mt_buf_addc(out, '\\');
            }
            mt_buf_addc(out, *text);
        }
    }
}

/* Inside single quotes; add_zsh_text() escapes what zsh gives a meaning in a
 * description. */
static void zsh_options(mt_buf *out, const cli_option *options)
{
    for (; options && options->name; options++) {
        mt_buf_addf(out, " \\\n        '--%s[", options->name);
        add_zsh_text(out, options->help);
        mt_buf_addc(out, ']');
        if (options->argument) {
            mt_buf_addf(out, ":%s:_files", options->argument);
        }
        mt_buf_addc(out, '\'');
    }
}

/* Names with their summaries, which zsh shows beside them. */
static void zsh_describe(mt_buf *out, const cli_command *table)
{
    mt_buf_addz(out, "names=(");
    for (; table && table->name; table++) {
        mt_buf_addf(out, "'%s:", table->name);
        add_zsh_text(out, table->summary);
        mt_buf_addz(out, "' ");
    }
    mt_buf_addz(out, ") && _describe command names");
}

static void zsh_case(mt_buf *out, const cli_command *c, const char *path)
{
    mt_buf_addf(out, "    '%s')\n      ", path);
    if (c->subcommands) {
        zsh_describe(out, c->subcommands);
    } else {
        mt_buf_addz(out, "_arguments");
        zsh_options(out, c->options);
        zsh_options(out, CLI_COMMON_OPTIONS);
        mt_buf_addz(out, " \\\n        '*:file:_files'");
    }
    mt_buf_addz(out, " ;;\n");
}

/* The same idea as bash, in zsh's words. */
static void write_zsh(mt_buf *out)
{
    mt_buf_addz(out, "#compdef motet tenor\n"
                     "_motet() {\n"
                     "  local -a names\n"
                     "  local place='' paths='|");
    walk(out, CLI_COMMANDS, "", bash_path);
    mt_buf_addz(out, "' i\n"
                     "  for ((i = 2; i < CURRENT; i++)); do\n"
                     "    [[ $paths == *\"|${place:+$place }${words[i]}|\"* ]] &&\n"
                     "      place=\"${place:+$place }${words[i]}\"\n"
                     "  done\n"
                     "  case $place in\n"
                     "    '')\n      ");
    zsh_describe(out, CLI_COMMANDS);
    mt_buf_addz(out, " ;;\n");
    walk(out, CLI_COMMANDS, "", zsh_case);
    mt_buf_addz(out, "  esac\n"
                     "}\n"
                     "if [[ $funcstack[1] == _motet ]]; then\n"
                     "  _motet \"$@\"\n"
                     "else\n"
                     "  compdef _motet motet tenor\n"
                     "fi\n");
}

/* ---- fish ---- */

/* In fish a backslash and a quote are all that has a meaning between single quotes. */
static void add_fish_text(mt_buf *out, const char *text)
{
    mt_buf_addc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') {
            mt_buf_addc(out, '\\');
        }
        mt_buf_addc(out, *text);
    }
    mt_buf_addc(out, '\'');
}

/* -r: the option needs a value, which completes to files; one in brackets may be left
 * out. */
static void fish_options(mt_buf *out, const char *path, const cli_option *options)
{
    for (; options && options->name; options++) {
        mt_buf_addf(out, "complete -c $program -n '_motet_at \"%s\"' -l %s%s -d ", path,
                    options->name,
                    options->argument && options->argument[0] != '[' ? " -r" : "");
        add_fish_text(out, options->help);
        mt_buf_addc(out, '\n');
    }
}

static void fish_names(mt_buf *out, const char *path, const cli_command *table)
{
    for (; table && table->name; table++) {
        mt_buf_addf(out, "complete -c $program -f -n '_motet_at \"%s\"' -a %s -d ",
                    path, table->name);
        add_fish_text(out, table->summary);
        mt_buf_addc(out, '\n');
    }
}

/* Both the names below a command and its options are given for its path; _motet_at
 * keeps them from showing elsewhere. */
static void fish_command(mt_buf *out, const cli_command *c, const char *path)
{
    fish_names(out, path, c->subcommands);
    if (!c->subcommands) {
        fish_options(out, path, c->options);
        fish_options(out, path, CLI_COMMON_OPTIONS);
    }
}

/* The same idea as bash, in fish's words. */
static void write_fish(mt_buf *out)
{
    mt_buf_addz(out, "# fish completion for motet\n"
                     "function _motet_at\n"
                     "  set -l paths '|");
    walk(out, CLI_COMMANDS, "", bash_path);
    mt_buf_addz(out,
                "'\n"
                "  set -l place ''\n"
                "  for word in (commandline -opc)[2..-1]\n"
                "    set -l next (string trim \"$place $word\")\n"
                "    string match -q \"*|$next|*\" -- $paths; and set place $next\n"
                "  end\n"
                "  test \"$place\" = \"$argv[1]\"\n"
                "end\n"
                "for program in motet tenor\n");
    fish_names(out, "", CLI_COMMANDS);
    walk(out, CLI_COMMANDS, "", fish_command);
    mt_buf_addz(out, "end\n");
}

static const struct shell {
    const char *name;
    void (*write)(mt_buf *out);
} SHELLS[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

int cmd_completion(const cli_args *args)
{
    for (size_t i = 0; i < sizeof SHELLS / sizeof *SHELLS; i++) {
        if (strcmp(args->operands[0], SHELLS[i].name) == 0) {
            mt_buf out = {0};
            SHELLS[i].write(&out);
            int code = cli_print(mt_buf_str(&out));
            mt_buf_free(&out);
            return code;
        }
    }
    return cli_fail(args, CLI_USAGE, "no completion for '%s'; there is bash, zsh, fish",
                    args->operands[0]);
}
