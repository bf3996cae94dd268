/* cli/serve_reload.h - SIGHUP: what a running server reads again.
 * Room: cli. Certificate and key, and the log level. Everything that happens is logged;
 * what is wrong with a new file leaves the old in use. Whatever else the configuration
 * says now is named, a line for each setting, and has to wait for a restart. */
#ifndef CLI_SERVE_RELOAD_H
#define CLI_SERVE_RELOAD_H

#include "auth/certificate.h"
#include "cli/cli.h"
#include "http/config.h"
#include "http/server.h"

typedef struct serve_reloading {
    const cli_args *args;
    ht_config *running; /* its log level is set to the new one */
    ht_log *log;
    ex_executor *executor;
    ht_server *server;
    const mt_limits *limits;
    const au_certificates *certificates; /* in use, or NULL */
} serve_reloading;

void serve_reload(const serve_reloading *r);
/* Of the configuration file; with its slash, or empty. */
mt_str serve_directory(const cli_args *args);
/* Options stand over the file: the first of a kind replaces the file's whole list, the
 * next ones add; operands are the files to serve. -1, or which option is out of its
 * range. */
int serve_options(mt_arena *a, const cli_args *args, ht_config *config);
/* The file of settings, then the options over it; faults are appended as lines. */
mt_err serve_settings(mt_arena *a, const cli_args *args, const mt_limits *limits,
                      ht_config *out, mt_buf *faults);

#endif
