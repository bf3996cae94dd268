/* cli/suite.h - the conformance runner: a table of suites, one TAP 14 report.
 * Room: cli.
 * A suite finds its cases in a directory and runs each in an arena of its own. To add a
 * kind of case, add a row to CLI_SUITES (suite.c) and its two functions. */
#ifndef CLI_SUITE_H
#define CLI_SUITE_H

#include "base/json_read.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "contract/elaborate.h"

typedef struct cli_suite cli_suite;

typedef struct cli_case {
    mt_str name; /* "positive/entity_basic" */
    mt_str path; /* of the contract */
    const cli_suite *suite;
    size_t index;          /* of the scenario in its file */
    uint32_t line, column; /* of it there; 0: it stands in none */
} cli_case;

typedef struct cli_cases {
    mt_arena *arena;
    MT_VEC(cli_case) list;
} cli_cases;

struct cli_suite {
    const char *dir;    /* below the suite's root */
    const char *prefix; /* of the names of its cases */
    /* Adds the cases of `dir` (a whole path; it exists). */
    void (*find)(const cli_suite *suite, mt_str dir, cli_cases *out);
    /* Runs one; true if it passes. What is wrong goes to `why`, line by line. */
    bool (*run)(const cli_case *c, mt_arena *a, const mt_limits *limits, mt_buf *why);
    int pass;             /* of the errors it expects */
    const char *expected; /* replaces ".tenor" in the name of the expected file */
};

/* ORDER of the report; ends with a row whose dir is NULL. */
extern const cli_suite CLI_SUITES[];

/* Names in a directory that end in `suffix`, in byte order; none if there is no such
 * directory. */
typedef struct cli_names {
    const mt_str *items;
    size_t len;
} cli_names;
/* In byte order; a directory that is not there has no files. */
cli_names cli_list_dir(mt_arena *a, mt_str dir, const char *suffix);
void cli_case_add(cli_cases *out, const cli_suite *suite, mt_str dir, mt_str file);

/* Reads the JSON file an answer is compared with; false after saying what is wrong. */
bool cli_expected_read(mt_arena *a, mt_str path, mt_buf *why, mt_json *out);
/* Compares by value (key order and number spelling do not matter); false after saying
 * under the heading where they differ. */
bool cli_same_json(const char *heading, const mt_json *expected, const mt_json *actual,
                   mt_buf *why);
/* Elaborates; false after saying why it cannot be. */
bool cli_must_elaborate(mt_str path, mt_arena *a, const mt_limits *limits,
                        mt_str *bundle, mt_buf *why);
/* path with ".tenor" replaced. */
mt_str cli_expected_path(mt_arena *a, mt_str path, const char *suffix);

#endif
