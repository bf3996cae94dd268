#include "cli/keys.h"

#include "os/key_file.h"

/* What is not a key, or must not be used as one, is the user's input and not a failure
 * of the machine. */
int cli_key_code(const cli_args *args, mt_err err, mt_buf *why)
{
    bool input = err == MT_E_SYNTAX || err == MT_E_DENIED || err == MT_E_EXISTS;
    int code = CLI_HOLDS;
    if (err) {
        code = cli_fail(args, input ? CLI_FAILS : CLI_WORLD, "%.*s",
                        MT_ARG(mt_buf_str(why)));
    }
    mt_buf_free(why);
    return code;
}

/* The caller wipes the key on every way; on failure nothing of it was kept. */
int cli_read_key(const cli_args *args, const char *option, mt_sign_key *out)
{
    const char *path = cli_value(args, option);
    mt_buf why = {0};
    if (!path) {
        return cli_fail(args, CLI_USAGE, "--%s FILE is needed", option);
    }
    return cli_key_code(args, os_key_read(path, out, &why), &why);
}

/* A key is written out or in a file; what is neither is a fault of usage, while a file
 * that cannot be read is the world's. */
int cli_read_public_at(const cli_args *args, const char *option, int n,
                       mt_sign_public *out, bool *given)
{
    const char *text = cli_value_at(args, option, n);
    mt_buf why = {0};
    *given = text != NULL;
    if (!text) {
        return CLI_HOLDS;
    }
    mt_err err = os_key_public(text, out, &why);
    if (err == MT_E_NOTFOUND) {
        mt_buf_free(&why);
        return cli_fail(args, CLI_USAGE,
                        "--%s takes a public key (64 hex digits or base64) or a file "
                        "with one; '%s' is neither",
                        option, text);
    }
    return cli_key_code(args, err, &why);
}

int cli_read_public(const cli_args *args, const char *option, mt_sign_public *out,
                    bool *given)
{
    return cli_read_public_at(args, option, 0, out, given);
}
