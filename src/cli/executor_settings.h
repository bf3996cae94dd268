/* cli/executor_settings.h - the configuration of a server, for every command that opens
 * an executor. Room: cli. */
#ifndef CLI_EXECUTOR_SETTINGS_H
#define CLI_EXECUTOR_SETTINGS_H

#include "cli/cli.h"
#include "exec/executor.h"
#include "http/config.h"

/* Reads a configuration file; NULL: there is none. Files that end in .json are JSON,
 * others YAML; all faults are told with their places. */
int cli_read_config(const cli_args *args, mt_arena *a, const char *path, size_t limit,
                    ht_config *config, mt_str *text);
/* All but the store and the log. Texts borrow from the configuration. */
ex_executor_options cli_executor_options(mt_arena *a, const ht_config *c,
                                         const mt_limits *limits, mt_str directory);

#endif
