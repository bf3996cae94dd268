/* cli/keys.h - signing keys in files.
 * Room: cli. A key file holds the seed in hex and is readable by its owner only. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include "base/sign.h"
#include "cli/cli.h"

/* The key in the file that `option` names. CLI_HOLDS, or the exit code after saying
 * why. Wipe it with mt_sign_wipe(). */
int cli_read_key(const cli_args *args, const char *option, mt_arena *a,
                 mt_sign_key *out);
/* The public key given as 64 hex digits; *given says whether it was. */
int cli_read_public(const cli_args *args, const char *option, mt_sign_public *out,
                    bool *given);

#endif
