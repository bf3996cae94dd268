/* cli/cmd_test.c - motet test: runs a conformance suite, reports in TAP 14.
 *
 * Cases are found first, in byte order of their names, so numbering is the same
 * everywhere; then run one by one, each in an arena of its own. The table of suites is
 * in suite.c. Failing cases can be written as scenarios of what happened (--record),
 * which an author then corrects.
 *
 * Coverage adds up over the scenarios of one contract. Exit status 1 if a case fails,
 * if there is none, or if coverage is below what is wanted. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "answer/scenarios.h"
#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/suite_run.h"
#include "os/file.h"

/* clang-format off */
const cli_option CMD_TEST_OPTIONS[] = {
    {"only", "TEXT", "run only the cases whose name contains TEXT"},
    {"coverage",     NULL,   "say what the scenarios reached and what they never did"},
    {"coverage-html", "FILE", "write what they reached to FILE as a page, flows drawn"},
    {"coverage-min", "N",    "exit 1 if a contract is covered by less than N percent"},
    {"cases",        "N",    "try N cases of each property (100, or as it says)"},
    {"seed",         "N",    "make up facts for properties from this seed (1)"},
    {"record",       "FILE", "write failing cases to FILE as scenarios of what happens"},
    {"json", NULL,   "report as one JSON object instead of TAP"},
    {NULL, NULL, NULL},
};

const char CMD_TEST_DETAILS[] =
"Runs every case below DIR: positive/, negative/pass0 to pass6, cross_file/,\n"
"parallel/, numeric/, promotion/, shorthand/ and manifest/ hold NAME.tenor with\n"
"NAME.expected.json, NAME.expected-error.json or NAME.expected-manifest.json beside\n"
"it; eval/*/, ambiguity/ and domains/*/ hold NAME.facts.json with\n"
"NAME.verdicts.json. Files NAME.scenarios.yaml, .yml or .json anywhere below DIR\n"
"hold an author's scenarios for NAME.tenor, and invariants: questions (motet ask)\n"
"whose answer must be yes; DIR may be such a file. --coverage counts the rules,\n"
"operations, outcomes and flow paths scenarios reached. An invariant that was not\n"
"decided fails, with the limit that was met.\n\n"
"The report is TAP version 14. Exit status 1 if a case fails or there is none.";
/* clang-format on */

/* For the summary, and for the exit status. */
typedef struct tally {
    size_t run, passed;
} tally;

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A file can only be scenarios; a directory is searched by every suite. */
static void find_cases(const char *root, cli_cases *out)
{
    if (!is_dir(root)) {
        const cli_suite *s = CLI_SUITES;
        while (s->find != cli_find_scenarios) {
            s++;
        }
        s->find(s, mt_str_z(root), out);
        return;
    }
    for (const cli_suite *s = CLI_SUITES; s->dir; s++) {
        mt_str dir =
            *s->dir ? mt_strf(out->arena, "%s/%s", root, s->dir) : mt_str_z(root);
        if (is_dir(dir.ptr)) {
            s->find(s, dir, out);
        }
    }
}

static bool contains(mt_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

/* Filtered in place; the order of the suites stays. */
static void keep_only(cli_cases *cases, const char *part)
{
    size_t kept = 0;
    for (size_t i = 0; part && i < cases->list.len; i++) {
        if (contains(cases->list.items[i].name, part)) {
            cases->list.items[kept++] = cases->list.items[i];
        }
    }
    cases->list.len = part ? kept : cases->list.len;
}

/* Every line of a reason needs the mark of a comment, or a TAP reader would take it for
 * a result. */
static void add_lines(mt_buf *out, const char *before, mt_str text)
{
    while (text.len) {
        size_t end = mt_str_find(text, '\n');
        mt_buf_addz(out, before);
        cli_add_safe(out, mt_str_from(text.ptr, end));
        mt_buf_addc(out, '\n');
        text = mt_str_skip(text, end + 1);
    }
}

/* A bare # would begin a directive: a failing case named "x # TODO" would count as
 * passed. */
static void add_name(mt_buf *out, mt_str name)
{
    mt_buf safe = {0};
    cli_add_safe(&safe, name);
    for (size_t i = 0; i < safe.len; i++) {
        if (safe.ptr[i] == '#' || safe.ptr[i] == '\\') {
            mt_buf_addc(out, '\\');
        }
        mt_buf_addc(out, safe.ptr[i]);
    }
    mt_buf_free(&safe);
}

/* "ok 3 - positive/entity_basic", "not ok 4 - ...", reasons as comments below. */
static void add_tap(mt_buf *out, const cli_case *c, size_t number, bool ok, mt_str why)
{
    mt_buf_addf(out, "%sok %zu - ", ok ? "" : "not ", number);
    add_name(out, c->name);
    mt_buf_addc(out, '\n');
    add_lines(out, "  # ", why);
}

/* A failing case does not end the run. */
static void run_cases(const cli_cases *cases, const mt_limits *limits, mt_buf *tap,
                      mt_jw *json, tally *t)
{
    mt_arena arena = {0};
    for (size_t i = 0; i < cases->list.len; i++) {
        const cli_case *c = &cases->list.items[i];
        mt_buf why = {0};
        bool ok = c->suite->run(c, &arena, limits, &why);
        t->run++;
        t->passed += ok;
        if (!ok) {
            cli_record_failure();
        }
        if (json) {
            aw_told told = {.name = c->name,
                            .why = mt_buf_str(&why),
                            .line = c->line,
                            .column = c->column,
                            .ok = ok};
            aw_told_json(json, &told);
        } else {
            add_tap(tap, c, t->run, ok, mt_buf_str(&why));
        }
        mt_buf_free(&why);
        mt_arena_reset(&arena);
    }
    mt_arena_free(&arena);
}

/* The cases are written while they run; the totals are known afterwards and sort behind
 * them. */
static void report_json(const cli_cases *cases, const mt_limits *limits, bool coverage,
                        mt_buf *out, tally *t)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "cases");
    mt_jw_begin_array(&w);
    run_cases(cases, limits, NULL, &w, t);
    mt_jw_end_array(&w);
    if (coverage) {
        mt_jw_keyz(&w, "coverage");
        cli_coverage_json(&w);
    }
    mt_jw_key_i64(&w, "fail", (int64_t)(t->run - t->passed));
    mt_jw_key_i64(&w, "pass", (int64_t)t->passed);
    mt_jw_key_i64(&w, "tests", (int64_t)t->run);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* The plan "1..N" comes first, so a run that dies in the middle is seen to have
 * died. */
static void report_tap(const cli_cases *cases, const mt_limits *limits, bool coverage,
                       mt_buf *out, tally *t)
{
    mt_buf_addf(out, "TAP version 14\n1..%zu\n", cases->list.len);
    run_cases(cases, limits, out, NULL, t);
    mt_buf_addf(out, "# tests %zu\n# pass  %zu\n# fail  %zu\n", t->run, t->passed,
                t->run - t->passed);
    if (coverage) {
        mt_buf text = {0};
        cli_coverage_text(&text);
        add_lines(out, "# ", mt_buf_str(&text));
        mt_buf_free(&text);
    }
}

/* Writes what was recorded; nothing when nothing failed. */
static int write_record(const cli_args *args, const char *path)
{
    mt_buf out = {0};
    int code = CLI_HOLDS;
    if (path && cli_record_json(&out)) {
        mt_arena a = {0};
        mt_str text =
            mt_strf(&a, "%.*s\n", MT_ARG(ct_json_pretty(&a, mt_buf_str(&out))));
        if (os_write_file(path, text, 0644)) {
            code = cli_fail(args, CLI_WORLD, "%s: %s", path, strerror(errno));
        }
        mt_arena_free(&a);
    }
    mt_buf_free(&out);
    return code;
}

/* -1: not asked for; -2: no number from 0 to 100. */
static int wanted_percent(const cli_args *args)
{
    const char *text = cli_value(args, "coverage-min");
    char *end;
    if (!text) {
        return -1;
    }
    long n = strtol(text, &end, 10);
    return *text && !*end && n >= 0 && n <= 100 ? (int)n : -2;
}

/* false after saying what is wrong. */
static bool read_properties(const cli_args *args)
{
    size_t cases = 0, seed = SIZE_MAX;
    if (!cli_number(args, "cases", 1000000, &cases) ||
        !cli_number(args, "seed", INT64_MAX, &seed)) {
        return false;
    }
    if (cli_value(args, "cases") && !cases) {
        cli_fail(args, CLI_USAGE, "--cases 0 would try nothing");
        return false;
    }
    cli_properties_set((ct_property_options){
        .cases = (int64_t)cases, .seed = seed == SIZE_MAX ? -1 : (int64_t)seed});
    return true;
}

/* No cases at all is a failure: a path mistyped would otherwise pass for ever. */
static int verdict_on(const cli_args *args, const tally *t, int percent)
{
    unsigned covered = cli_coverage_permille();
    if (!t->run) {
        return cli_fail(args, CLI_FAILS, "no cases in %s", args->operands[0]);
    }
    if (percent >= 0 && covered < (unsigned)percent * 10) {
        return cli_fail(args, CLI_FAILS, "coverage is %u.%u %%, less than %d %%",
                        covered / 10, covered % 10, percent);
    }
    return t->passed == t->run ? CLI_HOLDS : CLI_FAILS;
}

/* The record of failures is written even where cases failed, since that is what it is
 * for. */
static int run_all(const cli_args *args, const char *root, int percent)
{
    mt_arena arena = {0};
    cli_cases cases = {.arena = &arena};
    const char *record = cli_value(args, "record");
    if (record) {
        cli_record_start();
    }
    cli_scenarios_start(args);
    find_cases(root, &cases);
    keep_only(&cases, cli_value(args, "only"));
    mt_limits limits = cli_limits(args);
    mt_buf out = {0};
    tally t = {0};
    (cli_flag(args, "json") ? report_json : report_tap)(
        &cases, &limits, cli_flag(args, "coverage") || percent >= 0, &out, &t);
    int code = cli_print(mt_buf_str(&out));
    code = code ? code : write_record(args, record);
    const char *page = cli_value(args, "coverage-html");
    code = code || !page ? code : cli_coverage_page(args, page);
    code = code ? code : verdict_on(args, &t, percent);
    cli_scenarios_free();
    mt_buf_free(&out);
    mt_arena_free(&arena);
    return code;
}

/* Options are read before anything is looked for; a root that is not there is the
 * world's fault, one without cases the caller's. */
int cmd_test(const cli_args *args)
{
    const char *root = args->operands[0];
    struct stat st;
    int percent = wanted_percent(args);
    if (!read_properties(args)) {
        return CLI_USAGE;
    }
    if (percent == -2) {
        return cli_fail(args, CLI_USAGE, "--coverage-min is a number from 0 to 100");
    }
    if (stat(root, &st)) {
        return cli_fail(args, CLI_WORLD,
                        "error: conformance suite directory not found: %s", root);
    }
    return run_all(args, root, percent);
}
