/* cli/cmd_test.c - motet test: runs a conformance suite, reports in TAP 14.
 * Room: cli. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/suite.h"

/* clang-format off */
const cli_option CMD_TEST_OPTIONS[] = {
    {"only", "TEXT", "run only the cases whose name contains TEXT"},
    {"json", NULL,   "report as one JSON object instead of TAP"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_TEST_DETAILS[] =
    "Runs every case below DIR: positive/, negative/pass0 to pass6, cross_file/,\n"
    "parallel/, numeric/, promotion/, shorthand/ and manifest/ hold NAME.tenor with\n"
    "NAME.expected.json, NAME.expected-error.json or NAME.expected-manifest.json "
    "beside\n"
    "it. The report is TAP version 14. Exit status 1 if a case fails or there is none.";

typedef struct tally {
    size_t run, passed;
} tally;

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void find_cases(const char *root, cli_cases *out)
{
    for (const cli_suite *s = CLI_SUITES; s->dir; s++) {
        mt_str dir = mt_strf(out->arena, "%s/%s", root, s->dir);
        if (is_dir(dir.ptr)) {
            s->find(s, dir, out);
        }
    }
}

static bool contains(mt_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

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

static void add_comment(mt_buf *out, mt_str text)
{
    while (text.len) {
        size_t end = mt_str_find(text, '\n');
        mt_buf_addf(out, "  # %.*s\n", (int)end, text.ptr);
        text = mt_str_skip(text, end + 1);
    }
}

static void add_tap(mt_buf *out, const cli_case *c, size_t number, bool ok, mt_str why)
{
    mt_buf_addf(out, "%sok %zu - %.*s\n", ok ? "" : "not ", number, MT_ARG(c->name));
    add_comment(out, why);
}

static void add_json(mt_jw *w, const cli_case *c, bool ok, mt_str why)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "name", c->name);
    mt_jw_key_bool(w, "ok", ok);
    if (!ok) {
        mt_jw_key_str(w, "why", why);
    }
    mt_jw_end_object(w);
}

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
        if (json) {
            add_json(json, c, ok, mt_buf_str(&why));
        } else {
            add_tap(tap, c, t->run, ok, mt_buf_str(&why));
        }
        mt_buf_free(&why);
        mt_arena_reset(&arena);
    }
    mt_arena_free(&arena);
}

static void report_json(const cli_cases *cases, const mt_limits *limits, mt_buf *out,
                        tally *t)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "cases");
    mt_jw_begin_array(&w);
    run_cases(cases, limits, NULL, &w, t);
    mt_jw_end_array(&w);
    mt_jw_key_i64(&w, "fail", (int64_t)(t->run - t->passed));
    mt_jw_key_i64(&w, "pass", (int64_t)t->passed);
    mt_jw_key_i64(&w, "tests", (int64_t)t->run);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static void report_tap(const cli_cases *cases, const mt_limits *limits, mt_buf *out,
                       tally *t)
{
    mt_buf_addf(out, "TAP version 14\n1..%zu\n", cases->list.len);
    run_cases(cases, limits, out, NULL, t);
    mt_buf_addf(out, "# tests %zu\n# pass  %zu\n# fail  %zu\n", t->run, t->passed,
                t->run - t->passed);
}

int cmd_test(const cli_args *args)
{
    const char *root = args->operands[0];
    if (!is_dir(root)) {
        return cli_fail(args, CLI_WORLD,
                        "error: conformance suite directory not found: %s", root);
    }
    mt_arena arena = {0};
    cli_cases cases = {.arena = &arena};
    find_cases(root, &cases);
    keep_only(&cases, cli_value(args, "only"));
    mt_limits limits = cli_limits(args);
    mt_buf out = {0};
    tally t = {0};
    (cli_flag(args, "json") ? report_json : report_tap)(&cases, &limits, &out, &t);
    int code = cli_print(mt_buf_str(&out));
    if (!code && !t.run) {
        code = cli_fail(args, CLI_FAILS, "no cases in %s", root);
    }
    mt_buf_free(&out);
    mt_arena_free(&arena);
    return code ? code : t.passed == t.run ? CLI_HOLDS : CLI_FAILS;
}
