/* Options, operands and limits of a command, at their edges. */
#include "said.h"

#include "cli/cli.h"

enum { MOST_WORDS = 8 };

/* clang-format off */
static const cli_option OPTIONS[] = {
    {"out",    "FILE",  "where"},
    {"pretty", NULL,    "how"},
    {"max",    "COUNT", "how many"},
    {NULL, NULL, NULL},
};
/* clang-format on */
static const cli_command COMMAND = {
    .name = "try", .operands = "OLD NEW", .options = OPTIONS, .least = 1, .most = 2};
static const cli_command ANY = {
    .name = "any", .operands = "FILE...", .least = 0, .most = -1};

static int parse(const cli_command *command, const char *const *words, cli_args *args)
{
    char *given[MOST_WORDS];
    int count = 0;
    for (; words[count]; count++) {
        given[count] = (char *)(uintptr_t)words[count];
    }
    said_begin();
    int code = cli_parse(command, count, given, args);
    said_end();
    return code;
}

static const struct row {
    const char *name;
    const char *words[MOST_WORDS];
    const char *want; /* "operands|option=value ...", or what is said */
} ROWS[] = {
    {"one operand is enough", {"a"}, "a|"},
    {"two are allowed", {"a", "b"}, "a b|"},
    {"none is too few", {NULL}, "motet try: expected OLD NEW; see --help\n"},
    {"three are one too many",
     {"a", "b", "c"},
     "motet try: one word too many: 'c'; see --help\n"},
    {"a value of its own", {"a", "--out", "f"}, "a|out=f "},
    {"a value glued on", {"--out=f", "a"}, "a|out=f "},
    {"an empty value glued on", {"--out=", "a"}, "a|out= "},
    {"a value with an equals sign", {"--out=x=y", "a"}, "a|out=x=y "},
    {"a value that looks like an option",
     {"--out", "--pretty", "a"},
     "a|out=--pretty "},
    {"a flag", {"--pretty", "a"}, "a|pretty "},
    {"options repeat", {"--out", "f", "--out", "g", "a"}, "a|out=f out=g "},
    {"two dashes end the options", {"a", "--", "--out"}, "a --out|"},
    {"after them two dashes are a word", {"--", "--"}, "--|"},
    {"a dash alone is an operand", {"-"}, "-|"},
    {"a flag with a value",
     {"a", "--pretty=1"},
     "motet try: --pretty takes no value\n"},
    {"an option without its value",
     {"a", "--out"},
     "motet try: --out needs a value: --out FILE\n"},
    {"the nearest option",
     {"a", "--prety"},
     "motet try: no option --prety; did you mean --pretty?\n"},
    {"a common option is near, too",
     {"a", "--colr"},
     "motet try: no option --colr; did you mean --color?\n"},
    {"nothing is near",
     {"a", "--zzzzzz"},
     "motet try: no option --zzzzzz; see --help\n"},
    {"one dash",
     {"a", "-x"},
     "motet try: no option -x; options have two dashes, see --help\n"},
    {"help asks for no operands", {"--help"}, "|help "},
    {"a short help", {"-h"}, "|help "},
    {"help and too many words", {"a", "b", "c", "-h"}, "a b c|help "},
    {"a limit", {"a", "--limit", "json_depth=5"}, "a|limit=json_depth=5 "},
    {"a limit of nothing",
     {"a", "--limit", "json_depth=0"},
     "motet try: --limit json_depth=0: must be at least 1, at most 281474976710656\n"},
    {"a limit without a number",
     {"a", "--limit", "json_depth="},
     "motet try: --limit json_depth=: expected NAME=VALUE\n"},
    {"a limit without an equals sign",
     {"a", "--limit", "json_depth"},
     "motet try: --limit json_depth: expected NAME=VALUE\n"},
    {"a limit with a letter behind",
     {"a", "--limit", "json_depth=5x"},
     "motet try: --limit json_depth=5x: expected NAME=VALUE\n"},
    {"a limit with a sign",
     {"a", "--limit", "json_depth=-5"},
     "motet try: --limit json_depth=-5: expected NAME=VALUE\n"},
    {"a limit with a space",
     {"a", "--limit", "json_depth= 5"},
     "motet try: --limit json_depth= 5: expected NAME=VALUE\n"},
    {"a limit that no number holds",
     {"a", "--limit", "json_depth=18446744073709551616"},
     "motet try: --limit json_depth=18446744073709551616: must be at most 2048\n"},
    {"the nearest limit",
     {"a", "--limit", "json_deph=5"},
     "motet try: no limit json_deph; did you mean json_depth?\n"},
    {"no limit is near",
     {"a", "--limit", "zzzzzzz=5"},
     "motet try: no limit zzzzzzz; see motet help limits\n"},
    {"colours always", {"a", "--color", "always"}, "a|color=always "},
    {"colours never", {"a", "--color", "never"}, "a|color=never "},
    {"colours as it comes", {"a", "--color", "auto"}, "a|color=auto "},
    {"no such colour",
     {"a", "--color", "red"},
     "motet try: --color is auto, always or never, not red\n"},
};

static void parses(void **state)
{
    const struct row *r = *state;
    cli_args args;
    mt_buf got = {0};
    int code = parse(&COMMAND, r->words, &args);
    assert_int_equal(code, mt_str_find(mt_str_z(r->want), '|') < strlen(r->want)
                               ? CLI_HOLDS
                               : CLI_USAGE);
    for (int i = 0; !code && i < args.count; i++) {
        mt_buf_addf(&got, "%s%s", i ? " " : "", args.operands[i]);
    }
    mt_buf_addz(&got, code ? said_text : "|");
    for (int i = 0; !code && i < args.given_count; i++) {
        const char *value = args.given[2 * i + 1];
        mt_buf_addf(&got, "%s%s%s ", args.given[2 * i], value ? "=" : "",
                    value ? value : "");
    }
    assert_text(mt_buf_str(&got), mt_str_z(r->want));
    mt_buf_free(&got);
    cli_args_free(&args);
}

static void any_number_of_operands(void **state)
{
    (void)state;
    cli_args args;
    const char *const none[] = {NULL}, *const many[] = {"a", "b", "c", "d", NULL};
    assert_int_equal(parse(&ANY, none, &args), CLI_HOLDS);
    assert_int_equal(args.count, 0);
    assert_null(args.operands[0]);
    cli_args_free(&args);
    assert_int_equal(parse(&ANY, many, &args), CLI_HOLDS);
    assert_int_equal(args.count, 4);
    assert_null(args.operands[4]);
    cli_args_free(&args);
}

static void values_are_found_by_name_and_place(void **state)
{
    (void)state;
    cli_args args;
    const char *const words[] = {"a", "--out", "f", "--max", "3", "--out", "g", NULL};
    assert_int_equal(parse(&COMMAND, words, &args), CLI_HOLDS);
    assert_string_equal(cli_value(&args, "out"), "g");
    assert_string_equal(cli_value_at(&args, "out", 0), "f");
    assert_string_equal(cli_value_at(&args, "out", 1), "g");
    assert_null(cli_value_at(&args, "out", 2));
    assert_null(cli_value(&args, "pretty"));
    assert_true(cli_flag(&args, "max"));
    assert_false(cli_flag(&args, "pretty"));
    cli_args_free(&args);
}

static void limits_are_those_that_were_given_last(void **state)
{
    (void)state;
    cli_args args;
    const char *const words[] = {"a",       "--limit",      "json_depth=5",
                                 "--limit", "json_depth=7", NULL};
    assert_int_equal(parse(&COMMAND, words, &args), CLI_HOLDS);
    mt_limits limits = cli_limits(&args);
    assert_int_equal(limits.json_depth, 7);
    assert_int_equal(limits.source_depth, MT_LIMITS_DEFAULT.source_depth);
    cli_args_free(&args);
}

static const struct number_row {
    const char *name, *text;
    size_t most;
    bool good;
    size_t want;
} NUMBERS[] = {
    {"a number at its most", "7", 7, true, 7},
    {"one more", "8", 7, false, 0},
    {"nothing at all", "0", 7, true, 0},
    {"an empty text", "", 7, false, 0},
    {"a sign", "-1", SIZE_MAX, false, 0},
    {"the other sign", "+1", 7, false, 0},
    {"a blank before", " 1", 7, false, 0},
    {"letters behind", "7x", 9, false, 0},
    {"the largest there is", "18446744073709551615", SIZE_MAX, true, SIZE_MAX},
    {"larger than that", "18446744073709551616", SIZE_MAX, false, 0},
};

static void reads_numbers(void **state)
{
    const struct number_row *r = *state;
    cli_args args;
    const char *const words[] = {"a", "--max", r->text, NULL};
    assert_int_equal(parse(&COMMAND, words, &args), CLI_HOLDS);
    size_t got = 42;
    said_begin();
    bool good = cli_number(&args, "max", r->most, &got);
    said_end();
    assert_int_equal(good, r->good);
    assert_true(got == (r->good ? r->want : 42));
    assert_int_equal(said_text[0] == '\0', r->good);
    cli_args_free(&args);
}

static void a_number_that_is_not_given_stays(void **state)
{
    (void)state;
    cli_args args;
    const char *const words[] = {"a", NULL};
    size_t got = 42;
    assert_int_equal(parse(&COMMAND, words, &args), CLI_HOLDS);
    assert_true(cli_number(&args, "max", 9, &got));
    assert_int_equal(got, 42);
    cli_args_free(&args);
}

static void colours_are_as_they_are_asked_for(void **state)
{
    (void)state;
    cli_args args;
    const char *const always[] = {"a", "--color", "always", NULL}, *const never[] = {
                                                                       "a", "--color",
                                                                       "never", NULL};
    parse(&COMMAND, always, &args);
    assert_true(cli_wants_colour(&args, STDERR_FILENO));
    cli_args_free(&args);
    parse(&COMMAND, never, &args);
    assert_false(cli_wants_colour(&args, STDERR_FILENO));
    cli_args_free(&args);
}

/* ---- The table of commands itself ---- */

static void assert_row(const cli_command *c)
{
    assert_true(!c->run != !c->subcommands);
    assert_non_null(c->summary);
    assert_true(c->summary[strlen(c->summary) - 1] != '.');
    assert_true(c->most == -1 || c->least <= c->most);
    assert_true(c->operands || c->most == 0);
    for (const cli_option *o = c->options; o && o->name; o++) {
        assert_non_null(o->help);
        for (const cli_option *p = o + 1; p->name; p++) {
            assert_string_not_equal(o->name, p->name);
        }
    }
    for (const cli_command *sub = c->subcommands; sub && sub->name; sub++) {
        assert_row(sub);
        assert_ptr_equal(cli_find(c->subcommands, sub->name), sub);
    }
}

static void every_row_of_the_table_is_whole(void **state)
{
    (void)state;
    for (const cli_command *c = CLI_COMMANDS; c->name; c++) {
        assert_row(c);
        assert_ptr_equal(cli_find(CLI_COMMANDS, c->name), c);
    }
    assert_null(cli_find(CLI_COMMANDS, "chec"));
    assert_null(cli_find(NULL, "check"));
}

static int run_words(const char *a, const char *b, const char *c)
{
    char *words[] = {(char *)(uintptr_t) "motet", (char *)(uintptr_t)a,
                     (char *)(uintptr_t)b, (char *)(uintptr_t)c, NULL};
    int count = 1;
    while (words[count]) {
        count++;
    }
    said_begin();
    int code = cli_main(count, words);
    said_end();
    return code;
}

static void words_lead_to_commands(void **state)
{
    (void)state;
    assert_int_equal(run_words("chekc", NULL, NULL), CLI_USAGE);
    assert_string_equal(said_text,
                        "motet: no command 'chekc'; did you mean 'check'?\n");
    assert_int_equal(run_words("zzzzzz", NULL, NULL), CLI_USAGE);
    assert_string_equal(said_text, "motet: no command 'zzzzzz'; see motet help\n");
    assert_int_equal(run_words("graph", "rnu", NULL), CLI_USAGE);
    assert_string_equal(said_text,
                        "motet graph: no command 'rnu'; did you mean 'run'?\n");
    assert_int_equal(run_words("graph", NULL, NULL), CLI_USAGE);
    assert_non_null(strstr(said_text, "Usage: motet graph COMMAND\n"));
    assert_int_equal(run_words(NULL, NULL, NULL), CLI_USAGE);
    assert_non_null(strstr(said_text, "Usage: motet COMMAND"));
    assert_int_equal(run_words("graph", "run", "--zzzzzzz"), CLI_USAGE);
    assert_string_equal(said_text,
                        "motet graph run: no option --zzzzzzz; see --help\n");
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, parses);
    rows_test(&list, any_number_of_operands);
    rows_test(&list, values_are_found_by_name_and_place);
    rows_test(&list, limits_are_those_that_were_given_last);
    rows_add(&list, NUMBERS, reads_numbers);
    rows_test(&list, a_number_that_is_not_given_stays);
    rows_test(&list, colours_are_as_they_are_asked_for);
    rows_test(&list, every_row_of_the_table_is_whole);
    rows_test(&list, words_lead_to_commands);
    return rows_run(&list, "cli/options");
}
