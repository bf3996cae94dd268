/* Help texts: what is in them and how they are laid out. */
#include <stdio.h>

#include "../rows.h"

#include "cli/cli.h"

static const char *help_of(mt_buf *out, const cli_command *command)
{
    mt_buf_clear(out);
    cli_help(out, command);
    mt_buf_addc(out, '\0');
    return out->ptr;
}

/* Every command of a table and below it. */
static void each(const cli_command *table, void (*see)(const cli_command *, mt_buf *),
                 mt_buf *out)
{
    for (; table && table->name; table++) {
        see(table, out);
        each(table->subcommands, see, out);
    }
}

static void see_usage(const cli_command *c, mt_buf *out)
{
    mt_buf name = {0};
    cli_full_name(&name, c);
    const char *text = help_of(out, c);
    assert_true(mt_str_starts(mt_str_z(text), MT_STR("Usage: motet ")));
    assert_memory_equal(text + strlen("Usage: "), name.ptr, name.len);
    assert_non_null(strstr(text, c->summary));
    assert_true(!c->details || strstr(text, c->details));
    assert_int_equal(strstr(text, "\nCommands:\n") != NULL, c->subcommands != NULL);
    assert_int_equal(strstr(text, "\nOptions:\n") != NULL, c->run != NULL);
    mt_buf_free(&name);
}

static void see_options(const cli_command *c, mt_buf *out)
{
    const char *text = help_of(out, c);
    const cli_option *tables[] = {c->run ? c->options : NULL,
                                  c->run ? CLI_COMMON_OPTIONS : NULL};
    for (size_t t = 0; t < 2; t++) {
        for (const cli_option *o = tables[t]; o && o->name; o++) {
            char left[80], row[300];
            snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "",
                     o->argument ? o->argument : "");
            snprintf(row, sizeof row, "\n  %-24s  %s\n", left, o->help);
            assert_non_null(strstr(text, row));
        }
    }
}

static void see_subcommands(const cli_command *c, mt_buf *out)
{
    const char *text = help_of(out, c);
    for (const cli_command *sub = c->subcommands; sub && sub->name; sub++) {
        char left[80], row[300];
        snprintf(left, sizeof left, "%s%s%s", sub->name, sub->operands ? " " : "",
                 sub->operands ? sub->operands : "");
        snprintf(row, sizeof row, "\n  %-24s  %s\n", left, sub->summary);
        assert_non_null(strstr(text, row));
    }
}

static void every_command_says_how_it_is_used(void **state)
{
    (void)state;
    mt_buf out = {0};
    each(CLI_COMMANDS, see_usage, &out);
    mt_buf_free(&out);
}

static void every_option_has_its_row(void **state)
{
    (void)state;
    mt_buf out = {0};
    each(CLI_COMMANDS, see_options, &out);
    mt_buf_free(&out);
}

static void every_command_has_its_row(void **state)
{
    (void)state;
    mt_buf out = {0};
    cli_command all = {.name = "motet", .subcommands = CLI_COMMANDS, .summary = "all"};
    each(CLI_COMMANDS, see_subcommands, &out);
    see_subcommands(&all, &out);
    const char *text = help_of(&out, NULL);
    for (const cli_command *c = CLI_COMMANDS; c->name; c++) {
        char start[80];
        snprintf(start, sizeof start, "\n  %s ", c->name);
        assert_non_null(strstr(text, start));
    }
    mt_buf_free(&out);
}

static void a_command_is_named_with_the_words_before_it(void **state)
{
    (void)state;
    static const cli_command STRANGER = {.name = "stranger"};
    mt_buf name = {0};
    const cli_command *graph = cli_find(CLI_COMMANDS, "graph");
    cli_full_name(&name, cli_find(graph->subcommands, "run"));
    assert_text(mt_buf_str(&name), MT_STR("motet graph run"));
    mt_buf_clear(&name);
    cli_full_name(&name, NULL);
    assert_text(mt_buf_str(&name), MT_STR("motet"));
    mt_buf_clear(&name);
    cli_full_name(&name, &STRANGER);
    assert_text(mt_buf_str(&name), MT_STR("motet stranger"));
    mt_buf_free(&name);
}

int main(void)
{
    static rows_list list;
    rows_test(&list, every_command_says_how_it_is_used);
    rows_test(&list, every_option_has_its_row);
    rows_test(&list, every_command_has_its_row);
    rows_test(&list, a_command_is_named_with_the_words_before_it);
    return rows_run(&list, "cli/help");
}
