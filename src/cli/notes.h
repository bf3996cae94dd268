/* cli/notes.h - keys of logs and witnesses on the command line (ledger/note.h).
 * Room: cli. */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include "cli/cli.h"
#include "ledger/note.h"

/* The option's n-th value: NAME+ID+KEY, or a file with it; for a witness also a bare
 * public key, then its name may be any. It must be of this type. Texts live in the
 * arena. CLI_HOLDS, or the exit code after saying why. */
int cli_read_note_key(const cli_args *args, mt_arena *a, const char *option, int n,
                      lg_key_type type, lg_note_key *out);

#endif
