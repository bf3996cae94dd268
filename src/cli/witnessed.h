/* cli/witnessed.h - what witnesses have signed of a ledger, for commands on it.
 * Room: cli. */
#ifndef CLI_WITNESSED_H
#define CLI_WITNESSED_H

#include "cli/ledger.h"
#include "exec/evidence/notes.h"

/* clang-format off */
#define CLI_WITNESS_OPTIONS                                                            \
    {"witness",        "KEY",   "who must have co-signed: NAME+ID+KEY, key or file (repeats)"}, \
    {"witness-quorum", "COUNT", "so many of them are enough (all)"},                   \
    {"note",           "FILE",  "what they signed, for a ledger in a file"},           \
    {"origin",         "NAME",  "the log that its note must be of"}
/* clang-format on */

typedef struct cli_witnessed {
    bool wanted;        /* --witness was given */
    const char *origin; /* --origin, or NULL */
    size_t witnesses, quorum;
    lg_cosigned_note got; /* if one of the two was given */
} cli_witnessed;

/* The keys of --witness, each once, and how many of them must have signed: the numbers
 * of `out`. */
int cli_witnesses_wanted(const cli_args *args, mt_arena *a, lg_note_key **keys,
                         cli_witnessed *out);
/* The newest note that enough of the witnesses signed and that is of the log --origin,
 * of --note or of the ledger's store; it is then what the records are compared with.
 * CLI_HOLDS, also when nobody asked, or the exit code after saying why. */
int cli_witnessed_find(const cli_args *args, mt_arena *a, const cli_ledger *l,
                       cli_witnessed *out, lg_expectation *expect);
/* "log: NAME", "witnessed: 40 records by 2 of 3 witnesses, 2026-…", how many are not
 * yet, and whose cosignatures do not count. Nothing that was not asked for. */
void cli_witnessed_text(mt_buf *out, const cli_witnessed *w, uint64_t records);

/* The newest note of the store with all its cosignatures, as text in the arena.
 * CLI_FAILS: nothing is signed. */
int cli_newest_note(const cli_args *args, mt_arena *a, const cli_ledger *l,
                    mt_str *out);

#endif
