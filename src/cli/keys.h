/* cli/keys.h - signing keys for commands; the files are os/key_file.h's.
 * Room: cli. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include "base/sign.h"
#include "cli/cli.h"

/* The key in the file that `option` names. CLI_HOLDS, or the exit code after saying
 * why. Wipe it with mt_sign_wipe(). */
int cli_read_key(const cli_args *args, const char *option, mt_sign_key *out);
/* The public key that an option's n-th value is (hex, base64, or a file with either);
 * *given says whether there is such a value. */
int cli_read_public_at(const cli_args *args, const char *option, int n,
                       mt_sign_public *out, bool *given);
/* The option's first value. */
int cli_read_public(const cli_args *args, const char *option, mt_sign_public *out,
                    bool *given);
/* Says why a key file could not be used, frees `why`. CLI_HOLDS when err is MT_OK. */
int cli_key_code(const cli_args *args, mt_err err, mt_buf *why);

#endif
