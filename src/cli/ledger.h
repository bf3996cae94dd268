/* cli/ledger.h - a ledger from the command line: an exported file, or a store.
 * Room: cli.
 * All of `motet ledger ...` reads through the source, so where the lines come from is
 * the same to every subcommand. */
#ifndef CLI_LEDGER_H
#define CLI_LEDGER_H

#include "cli/cli.h"
#include "exec/evidence/ledger_store.h"
#include "ledger/verify.h"

typedef struct cli_ledger {
    lg_source source;
    const char *name; /* for messages */
    int operands;     /* how many the ledger itself took: 1 for a file, 0 for a store */
    uint64_t from;    /* a store is read from this record on */
    size_t line_limit; /* limit ledger_line_bytes, for messages */
    int fd;            /* -1: none */
    lg_file *file;     /* reads `fd`; NULL for a store */
    st_store *store;   /* NULL for a file */
    ex_ledger *rows;   /* of the store; reopened by a rewind */
    lg_source lines;   /* what the source gives, documents included */
} cli_ledger;

/* The store of --store, else the file that is the first operand ("-": standard input).
 * Records before `from` may be left out, where that saves work. CLI_HOLDS, or the exit
 * code after saying why; to be closed in both cases. */
int cli_ledger_open(const cli_args *args, uint64_t from, cli_ledger *out);
/* Gives documents (ledger/document.h) as well, which otherwise are passed over. */
void cli_ledger_with_documents(cli_ledger *l);
/* From the first line again. CLI_WORLD when the input cannot be read twice. */
int cli_ledger_rewind(const cli_args *args, cli_ledger *l);
void cli_ledger_close(cli_ledger *l);
/* The row of --store for the options of a command. */
#define CLI_LEDGER_STORE_OPTION                                                        \
    {                                                                                  \
        "store", "URL", "read the ledger of this store instead of FILE"                \
    }

/* Says why lines ended early; CLI_HOLDS when they did not (err is MT_E_NOTFOUND). */
int cli_ledger_stop(const cli_args *args, const cli_ledger *l, mt_err err,
                    uint64_t line);
/* Says what was found, with line and record; CLI_HOLDS when nothing was. */
int cli_ledger_fault(const cli_args *args, const cli_ledger *l, const lg_finding *f);

/* After all lines were verified: of a store, compares records and checkpoints with the
 * head of its chain, and finds what is in it but was not among the lines. */
void cli_ledger_compare(cli_ledger *l, lg_finding *f);

/* A signed checkpoint in a file of its own, its signature checked. Texts live in the
 * arena. */
int cli_read_checkpoint(const cli_args *args, mt_arena *a, const char *path,
                        lg_checkpoint *out);
/* All keys of --key; they live in the arena. */
int cli_read_publics(const cli_args *args, mt_arena *a, const mt_sign_public **keys,
                     size_t *count);

#endif
