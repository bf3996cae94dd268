/* cli/suite.c - the elaborator's suites: what a contract must become, or why it must
 * be refused.
 *
 * CLI_SUITES is the table: where the cases of a suite are, how they are found, how one
 * is run, what file says the expectation. Cases are listed in byte order. Expectations
 * are compared as JSON values, and a difference is shown at the deepest place where
 * exactly one thing differs.
 *
 * A case fails by its own words in `why`; a missing or broken expectation is a
 * failure, never a pass. */
#include "cli/suite.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "cli/suite_run.h"
#include "os/file.h"
#include "os/sources.h"

/* ---- Files ---- */

static int by_bytes(const void *a, const void *b)
{
    return mt_str_cmp(*(const mt_str *)a, *(const mt_str *)b);
}

/* Sorted by bytes: readdir() has no order, and cases must not change theirs between
 * machines. A directory that cannot be opened is empty. */
cli_names cli_list_dir(mt_arena *a, mt_str dir, const char *suffix)
{
    MT_VEC(mt_str) names = {0};
    DIR *open = opendir(mt_str_dup(a, dir).ptr);
    if (!open) {
        return (cli_names){0};
    }
    for (struct dirent *entry; (entry = readdir(open));) {
        mt_str name = mt_str_z(entry->d_name);
        if (mt_str_ends(name, mt_str_z(suffix))) {
            mt_vec_push(a, &names, mt_str_dup(a, name));
        }
    }
    closedir(open);
    if (names.len) {
        qsort(names.items, names.len, sizeof *names.items, by_bytes);
    }
    return (cli_names){names.items, names.len};
}

/* The name is prefix and stem, "positive/entity_basic": what --only is compared
 * with. */
void cli_case_add(cli_cases *out, const cli_suite *suite, mt_str dir, mt_str file)
{
    cli_case c = {.name = mt_strf(out->arena, "%s/%.*s", suite->prefix,
                                  MT_ARG(mt_str_stem(file))),
                  .path = mt_strf(out->arena, "%.*s/%.*s", MT_ARG(dir), MT_ARG(file)),
                  .suite = suite};
    mt_vec_push(out->arena, &out->list, c);
}

/* An expected file stands beside its case under the same stem. */
mt_str cli_expected_path(mt_arena *a, mt_str path, const char *suffix)
{
    size_t cut = mt_str_ends(path, MT_STR(".tenor")) ? strlen(".tenor") : 0;
    return mt_strf(a, "%.*s%s", (int)(path.len - cut), path.ptr, suffix);
}

bool cli_expected_read(mt_arena *a, mt_str path, mt_buf *why, mt_json *out)
{
    mt_str text;
    mt_json_error error = {0};
    if (os_read_file(a, path.ptr, MT_LIMITS_DEFAULT.json_bytes, &text) != MT_OK) {
        mt_buf_addf(why, "missing expected file: %.*s\n", MT_ARG(path));
        return false;
    }
    if (mt_json_read(a, text, NULL, out, &error) != MT_OK) {
        mt_buf_addf(why, "expected file is not JSON: %.*s: %s\n", MT_ARG(path),
                    error.message);
        return false;
    }
    return true;
}

/* ---- Comparing ---- */

/* Cut at 400 bytes: the path says where, the value only what kind of difference it
 * is. */
static void add_side(mt_buf *why, const char *name, const mt_json *value)
{
    mt_buf text = {.ceiling = 400};
    if (value) {
        mt_json_write(&text, value, false);
    } else {
        mt_buf_addz(&text, "(absent)");
    }
    mt_buf_addf(why, "  %s %.*s%s\n", name, MT_ARG(mt_buf_str(&text)),
                text.full ? "..." : "");
    mt_buf_free(&text);
}

/* Two values that differ: goes down while exactly the insides differ. */
static void add_difference(mt_buf *why, mt_buf *path, const mt_json *e,
                           const mt_json *a)
{
    if (mt_json_is(e, MT_JSON_OBJECT) && mt_json_is(a, MT_JSON_OBJECT)) {
        for (uint32_t i = 0; i < e->count + a->count; i++) {
            const mt_json_member *m =
                i < e->count ? &e->as.members[i] : &a->as.members[i - e->count];
            const mt_json *left = mt_json_get(e, m->key);
            const mt_json *right = mt_json_get(a, m->key);
            if (!left || !right || !mt_json_equal(left, right)) {
                mt_buf_addf(path, ".%.*s", MT_ARG(m->key));
                add_difference(why, path, left, right);
                return;
            }
        }
    }
    if (mt_json_is(e, MT_JSON_ARRAY) && mt_json_is(a, MT_JSON_ARRAY)) {
        for (uint32_t i = 0; i < e->count && i < a->count; i++) {
            if (!mt_json_equal(&e->as.items[i], &a->as.items[i])) {
                mt_buf_addf(path, "[%u]", i);
                add_difference(why, path, &e->as.items[i], &a->as.items[i]);
                return;
            }
        }
    }
    mt_buf_addf(why, "  at %.*s\n", MT_ARG(mt_buf_str(path)));
    add_side(why, "expected", e);
    add_side(why, "found   ", a);
}

/* Compared as values: the layout of the file does not matter. */
bool cli_same_json(const char *heading, const mt_json *expected, const mt_json *actual,
                   mt_buf *why)
{
    if (mt_json_equal(expected, actual)) {
        return true;
    }
    mt_buf path = {0};
    mt_buf_addz(&path, "$");
    mt_buf_addf(why, "%s:\n", heading);
    add_difference(why, &path, expected, actual);
    mt_buf_free(&path);
    return false;
}

/* ---- The suites ---- */

/* Every contract of the directory is a case. */
static void find_all(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    cli_names names = cli_list_dir(out->arena, dir, ".tenor");
    for (size_t i = 0; i < names.len; i++) {
        cli_case_add(out, suite, dir, names.items[i]);
    }
}

/* The second half of a pair of files is read by the first. */
static void find_firsts(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    cli_names names = cli_list_dir(out->arena, dir, ".tenor");
    for (size_t i = 0; i < names.len; i++) {
        if (!mt_str_ends(names.items[i], MT_STR("_b.tenor"))) {
            cli_case_add(out, suite, dir, names.items[i]);
        }
    }
}

/* Cases are those that have an expected error: the directory also has files they
 * import. */
static void find_refused(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    cli_names names = cli_list_dir(out->arena, dir, suite->expected);
    for (size_t i = 0; i < names.len; i++) {
        mt_str file = names.items[i];
        file.len -= strlen(suite->expected);
        cli_case_add(out, suite, dir, mt_strf(out->arena, "%.*s.tenor", MT_ARG(file)));
    }
}

/* One contract in several files: the root is known by name. */
static void find_cross_file(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    cli_case_add(out, suite, dir, MT_STR("rules.tenor"));
    out->list.items[out->list.len - 1].name = MT_STR("cross_file/bundle");
}

/* Without warnings: the suite compares errors and bundles only. */
static mt_err elaborate(mt_str path, mt_arena *a, const mt_limits *limits, mt_diags *ds,
                        const ct_elaboration **out)
{
    os_sources files = {0};
    mt_provider provider = os_sources_provider(&files, limits);
    ct_options options = {.no_warnings = true, .limits = limits};
    ds->arena = a;
    return ct_elaborate(a, path, &provider, &options, ds, out);
}

/* The expectation is read first, so that a case without one fails whatever we make of
 * it. */
static bool compare_output(mt_arena *a, mt_str expected_path, mt_str text, mt_buf *why)
{
    mt_json expected, actual;
    if (!cli_expected_read(a, expected_path, why, &expected)) {
        return false;
    }
    if (mt_json_read(a, text, NULL, &actual, NULL) != MT_OK) {
        MT_BUG("our own output is not JSON");
    }
    return cli_same_json("output mismatch", &expected, &actual, why);
}

/* For cases whose contract is expected to be good: a failure to elaborate is a failure
 * of the case, with the first error. */
bool cli_must_elaborate(mt_str path, mt_arena *a, const mt_limits *limits,
                        mt_str *bundle, mt_buf *why)
{
    mt_diags ds = {0};
    const ct_elaboration *e = NULL;
    if (elaborate(path, a, limits, &ds, &e) == MT_OK) {
        *bundle = e->bundle;
        return true;
    }
    const mt_diag *first = ct_first_error(&ds);
    if (!first) {
        MT_BUG("a contract is refused without a reason");
    }
    mt_buf_addf(why, "%.*s:%u:%u: unexpected elaboration error (pass %d): %.*s\n",
                MT_ARG(first->file), first->line, first->column, first->pass,
                MT_ARG(first->message));
    return false;
}

static bool run_accepted(const cli_case *c, mt_arena *a, const mt_limits *limits,
                         mt_buf *why)
{
    mt_str bundle;
    return cli_must_elaborate(c->path, a, limits, &bundle, why) &&
           compare_output(a, cli_expected_path(a, c->path, c->suite->expected), bundle,
                          why);
}

static bool run_cross_file(const cli_case *c, mt_arena *a, const mt_limits *limits,
                           mt_buf *why)
{
    mt_str bundle;
    mt_str dir = mt_path_dir(c->path);
    mt_str expected = mt_strf(a, "%.*s/bundle.expected.json", MT_ARG(dir));
    return cli_must_elaborate(c->path, a, limits, &bundle, why) &&
           compare_output(a, expected, bundle, why);
}

/* The etag is part of it, so every byte of the bundle has to agree. */
static bool run_manifest(const cli_case *c, mt_arena *a, const mt_limits *limits,
                         mt_buf *why)
{
    mt_str bundle;
    return cli_must_elaborate(c->path, a, limits, &bundle, why) &&
           compare_output(a, cli_expected_path(a, c->path, c->suite->expected),
                          ct_manifest(a, bundle), why);
}

/* Error conformance (§14.4): the error object has to agree as a whole, message and line
 * included. */
static bool run_refused(const cli_case *c, mt_arena *a, const mt_limits *limits,
                        mt_buf *why)
{
    mt_diags ds = {0};
    mt_json expected, actual;
    const ct_elaboration *e = NULL;
    mt_str path = cli_expected_path(a, c->path, c->suite->expected);
    if (!cli_expected_read(a, path, why, &expected)) {
        return false;
    }
    if (elaborate(c->path, a, limits, &ds, &e) == MT_OK) {
        mt_buf_addf(why,
                    "expected pass %d elaboration error but elaboration succeeded\n",
                    c->suite->pass);
        return false;
    }
    mt_str error = ct_error_json(a, ct_first_error(&ds), false);
    if (mt_json_read(a, error, NULL, &actual, NULL) != MT_OK) {
        MT_BUG("our own error object is not JSON");
    }
    return cli_same_json("error mismatch", &expected, &actual, why);
}

/* clang-format off */
#define ERROR_FILE ".expected-error.json"
#define NEGATIVE(n) \
    {"negative/pass" #n, "negative/pass" #n, find_firsts, run_refused, n, ERROR_FILE}
const cli_suite CLI_SUITES[] = {
    {"positive",   "positive",       find_all,        run_accepted,   0, ".expected.json"},
    NEGATIVE(0), NEGATIVE(1), NEGATIVE(2), NEGATIVE(3), NEGATIVE(4), NEGATIVE(5), NEGATIVE(6),
    {"cross_file", "cross_file",     find_cross_file, run_cross_file, 0, NULL},
    {"parallel",   "negative/pass5", find_refused,    run_refused,    5, ERROR_FILE},
    {"numeric",    "numeric",        find_all,        run_accepted,   0, ".expected.json"},
    {"promotion",  "promotion",      find_all,        run_accepted,   0, ".expected.json"},
    {"shorthand",  "shorthand",      find_all,        run_accepted,   0, ".expected.json"},
    {"manifest",   "manifest",       find_all,        run_manifest,   0,
     ".expected-manifest.json"},
    {"eval/positive", "eval/positive", cli_find_eval,     cli_run_eval,     0, NULL},
    {"eval/numeric",  "eval/numeric",  cli_find_eval,     cli_run_eval,     0, NULL},
    {"eval/frozen",   "eval/frozen",   cli_find_eval,     cli_run_eval,     0, NULL},
    {"ambiguity",     "ambiguity",     cli_find_vectors,  cli_run_eval,     0, NULL},
    {"domains",       "domains",       cli_find_domains,  cli_run_eval,     0, NULL},
    {"",              "scenarios",     cli_find_scenarios, cli_run_scenario, 0, NULL},
    {NULL, NULL, NULL, NULL, 0, NULL},
};
/* clang-format on */
