/* cli/cmd_verify.c - motet verify: is this manifest what its signer signed?
 * Room: cli. The file alone is needed: no server, no store. Exit status 0 verified, 1
 * not, 2 for an option, 3 for a file. What exactly is verified is the etag over the
 * bundle and the signature over the etag; by whose key is said with it. */
#include <stdio.h>

#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/keys.h"
#include "exec/evidence/trust.h"
#include "os/key_file.h"

/* clang-format off */
const cli_option CMD_VERIFY_OPTIONS[] = {
    {"pubkey", "KEY", "whose signature it must be: a .pub file, hex or base64"},
    {"domain", "TEXT", "the trust domain it must declare"},
    {"json",   NULL,  "print the result as JSON"},
    {NULL, NULL, NULL},
};

const char CMD_VERIFY_DETAILS[] =
"Recomputes the etag from the bundle and checks the signature over it. Without\n"
"--pubkey the manifest's own key is used: that shows the bundle is unchanged since\n"
"it was signed, not who signed it.";
/* clang-format on */

/* A signer is named only when the signature is good: before that it is a claim. */
static void write_json(mt_buf *out, const ex_trust_finding *f)
{
    char name[MT_SIGN_NAME];
    mt_sign_name(&f->signer, name);
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "etag", f->etag);
    if (f->problem.len) {
        mt_jw_key_str(&w, "reason", f->problem);
    } else {
        mt_jw_key_str(&w, "signer", mt_str_z(name));
    }
    if (f->domain.len) {
        mt_jw_key_str(&w, "trust_domain", f->domain);
    }
    mt_jw_key_bool(&w, "verified", !f->problem.len);
    mt_jw_key_bool(&w, "vouched_by_own_key", f->own_key);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* The finding is on stdout in JSON, the reason on stderr in words; exit status says the
 * same to a script. */
static int tell(const cli_args *args, const ex_trust_finding *f)
{
    char name[MT_SIGN_NAME];
    mt_buf out = {0};
    mt_sign_name(&f->signer, name);
    if (cli_flag(args, "json")) {
        write_json(&out, f);
    } else if (!f->problem.len) {
        mt_buf_addf(
            &out, "Bundle verified: etag matches, signature valid, signer: %s\n", name);
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    if (f->problem.len) {
        fprintf(stderr, "Verification failed: %.*s\n", MT_ARG(f->problem));
        return code ? code : CLI_FAILS;
    }
    if (f->own_key) {
        fprintf(stderr, "note: the key is the manifest's own; --pubkey says whose it "
                        "must be\n");
    }
    return code;
}

/* A domain is not signed, only stated (§17.4); so this compares what is claimed. A
 * signature that failed is the more important message and stays. */
static void check_domain(mt_arena *a, const char *wanted, ex_trust_finding *f)
{
    if (wanted && !f->problem.len && !mt_str_eq(f->domain, mt_str_z(wanted))) {
        f->problem = mt_strf(a, "its trust domain is '%.*s', not '%s'",
                             MT_ARG(f->domain), wanted);
    }
}

/* A manifest that vouches for itself by its own key proves integrity, not origin; the
 * note says so. */
int cmd_verify(const cli_args *args)
{
    mt_arena a = {0};
    mt_limits limits = cli_limits(args);
    mt_sign_public key;
    mt_str text;
    bool given;
    ex_trust_finding f;
    int code = cli_read_public(args, "pubkey", &key, &given);
    code = code ? code
                : cli_read_input(args, &a, args->operands[0], limits.json_bytes, &text);
    if (!code) {
        mt_err err = ex_trust_verify(&a, text, given ? &key : NULL, &limits, &f);
        if (err && err != MT_E_DENIED) {
            f.problem = mt_strf(&a, "not a JSON object: %s", mt_err_text(err));
        }
        check_domain(&a, cli_value(args, "domain"), &f);
        code = tell(args, &f);
    }
    mt_arena_free(&a);
    return code;
}
