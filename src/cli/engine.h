/* cli/engine.h - a contract ready to run, for the commands that run one.
 * Room: cli.
 * Ownership: everything lives in the engine until cli_engine_free(). */
#ifndef CLI_ENGINE_H
#define CLI_ENGINE_H

#include "answer/case.h"
#include "cli/contract.h"
#include "contract/eval/surplus.h"
#include "os/clock.h"

typedef struct cli_engine {
    const cli_args *args;
    cli_contract contract; /* owns model, plan and all texts */
    os_deadline deadline;  /* of its evaluations together */
    aw_case x;
} cli_engine;

/* Loads and compiles the contract at `path`. Another code than CLI_HOLDS: it was
 * reported already. To be freed in every case. */
int cli_engine_load(const cli_args *args, const char *path, cli_engine *e);
void cli_engine_free(cli_engine *e);

/* Evaluations into `v` have the steps and the milliseconds of the limits. */
void cli_be_patient(ct_verdicts *v, os_deadline *deadline, const mt_limits *limits);
/* Reads the facts of --facts (without it: none, defaults only) and evaluates. */
int cli_engine_facts(cli_engine *e);
/* What fact sets had that the contract does not know, on standard error: it changes
 * neither the answer nor the exit status. */
void cli_surplus_report(const cli_args *args, const ct_surplus *s);
/* Reads --states FILE, every --state E[/inst]=s and every --bind E=inst. Entities
 * nobody mentions have one instance `_default` in the initial state. */
int cli_engine_states(cli_engine *e);
/* Runs the flow `flow` as `persona` in memory; `outcome` may be NULL. */
int cli_engine_run(cli_engine *e, const char *flow, const char *persona,
                   const char *outcome, bool simulation);
/* A whole JSON or YAML file (by its name) as a tree. CLI_HOLDS, or reported. */
int cli_read_tree(const cli_args *args, mt_arena *a, const char *path,
                  const mt_limits *limits, mt_json *out);
/* Prints `out` and a newline, compact JSON laid out in lines when it is a terminal or
 * --pretty was given; frees it; returns `code` unless printing fails. */
int cli_engine_print(const cli_args *args, mt_buf *out, int code);

#endif
