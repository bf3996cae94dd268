/* cli/inside.h - a command with an executor inside its own process, as `motet mcp` and
 * `motet guard` are. Room: cli.
 * Order of opening: settings, log, store, executor; of closing the other way round. */
#ifndef CLI_INSIDE_H
#define CLI_INSIDE_H

#include <signal.h>

#include "cli/cli.h"
#include "exec/executor.h"
#include "http/config.h"
#include "http/log.h"

typedef struct cli_inside {
    const cli_args *args;
    mt_arena arena;
    mt_limits limits;
    ht_config config;
    mt_str text; /* of the configuration file */
    ht_log log;
    st_store *store;
    bool must_exist; /* the store; else it is made */
    bool edited;     /* the contract may be another one each time it is opened */
    ex_executor *executor;
} cli_inside;

/* What --config, --store, --signing-key and --limit say; `contract`, a path, takes the
 * place of the configuration's files. NULL: there are none. All of these: another code
 * than CLI_HOLDS was told. */
int cli_inside_read(cli_inside *in, const char *contract);
/* `wait_ms`: for a store that another command has. */
int cli_inside_open(cli_inside *in, unsigned wait_ms);
/* However far it was opened. The arena stays until its owner frees it. */
void cli_inside_close(cli_inside *in);

/* SIGTERM and SIGINT call `stop`. Blocked while threads are made, so that these leave
 * them to the one that waits for messages; a signal ends that wait. */
void cli_inside_signals(void (*stop)(int), sigset_t *signals, int how);

#endif
