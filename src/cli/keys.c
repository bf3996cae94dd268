#include "cli/keys.h"

#include "base/hash.h"

int cli_read_key(const cli_args *args, const char *option, mt_arena *a,
                 mt_sign_key *out)
{
    const char *path = cli_value(args, option);
    mt_str text;
    unsigned char seed[MT_SIGN_SEED];
    if (!path) {
        return cli_fail(args, CLI_USAGE, "--%s FILE is needed", option);
    }
    int code = cli_read_text(args, a, path, 4096, &text);
    if (code) {
        return code;
    }
    text.len -= text.len && text.ptr[text.len - 1] == '\n';
    if (!mt_unhex(text, seed, sizeof seed)) {
        return cli_fail(args, CLI_FAILS, "%s holds no key", path);
    }
    mt_sign_from_seed(seed, out);
    explicit_bzero(seed, sizeof seed);
    return CLI_HOLDS;
}

int cli_read_public(const cli_args *args, const char *option, mt_sign_public *out,
                    bool *given)
{
    const char *hex = cli_value(args, option);
    *given = hex != NULL;
    if (hex && !mt_unhex(mt_str_z(hex), out->bytes, MT_SIGN_PUBLIC)) {
        return cli_fail(args, CLI_USAGE, "--%s takes 64 hex digits", option);
    }
    return CLI_HOLDS;
}
