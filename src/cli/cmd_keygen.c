/* cli/cmd_keygen.c - motet keygen: a new pair of signing keys.
 * Room: cli. The secret is 32 random bytes and never leaves its file; the files' form
 * is that of os/key_file.h. Exit status 1 when one of the two exists, 2 for another
 * algorithm, 3 when a file cannot be made. */
#include "base/hash.h"
#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/keys.h"
#include "os/key_file.h"

/* clang-format off */
const cli_option CMD_KEYGEN_OPTIONS[] = {
    {"prefix",    "NAME", "write NAME.secret and NAME.pub (default tenor-key)"},
    {"algorithm", "NAME", "ed25519, the only one"},
    {"json",      NULL,   "print the result as JSON"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_KEYGEN_DETAILS[] =
    "Writes PREFIX.secret, readable by you only, and PREFIX.pub, which you give away.\n"
    "Files that exist are never replaced.";

/* The secret is named by its file and never printed. Text for people has the
 * fingerprint, JSON also the whole public key, which configurations of others need.
 * `public` and `secret` are paths. */
static mt_str told(mt_arena *a, const char *prefix, const mt_sign_public *key,
                   bool json)
{
    if (!json) {
        char shown[MT_SIGN_NAME];
        mt_sign_name(key, shown);
        return mt_strf(a,
                       "Generated Ed25519 keypair: %s.secret, %s.pub\n"
                       "fingerprint: %s\n",
                       prefix, prefix, shown);
    }
    mt_buf out = {0};
    char name[MT_SIGN_NAME], hex[2 * MT_SIGN_PUBLIC];
    mt_sign_name(key, name);
    mt_hex(key->bytes, MT_SIGN_PUBLIC, hex);
    mt_jw w = mt_jw_start(&out, true);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "public", mt_strf(a, "%s.pub", prefix));
    mt_jw_key_str(&w, "public_key", mt_str_from(hex, sizeof hex));
    mt_jw_key_str(&w, "secret", mt_strf(a, "%s.secret", prefix));
    mt_jw_key_str(&w, "signer", mt_str_z(name));
    mt_jw_end_object(&w);
    mt_buf_addc(&out, '\n');
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* Files are made anew or not at all: an existing key is never overwritten. */
int cmd_keygen(const cli_args *args)
{
    const char *algorithm = cli_value(args, "algorithm");
    const char *prefix = cli_value(args, "prefix");
    mt_sign_public key;
    mt_buf why = {0};
    if (algorithm && strcmp(algorithm, "ed25519") != 0) {
        return cli_fail(args, CLI_USAGE, "unsupported algorithm: %s (only ed25519)",
                        algorithm);
    }
    prefix = prefix ? prefix : "tenor-key";
    mt_err err = os_key_create(prefix, &key, &why);
    int code = cli_key_code(args, err, &why);
    if (!code) {
        mt_arena a = {0};
        code = cli_print(told(&a, prefix, &key, cli_flag(args, "json")));
        mt_arena_free(&a);
    }
    return code;
}
