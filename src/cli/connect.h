/* cli/connect.h - what the files of motet connect share. Room: cli. */
#ifndef CLI_CONNECT_H
#define CLI_CONNECT_H

#include "cli/contract.h"
#include "connect/review.h"

/* Reads a document: a file, "sqlite:PATH" or "postgresql://…". `expected` says what it
 * must be; CN_FORMAT_COUNT: whatever it is. CLI_HOLDS, or reported. */
int cli_connect_read(const cli_args *args, mt_arena *a, const mt_limits *limits,
                     mt_str name, cn_format expected, cn_document *out);

/* A document as a review and a message may name it: without a password. libpq has other
 * places for it, so the name can be read again. */
mt_str cli_connect_name(mt_arena *a, mt_str document);

/* motet connect --apply. */
int cli_connect_apply(const cli_args *args, cli_contract *c, const char *review);

#endif
