/* cli/cmd_sign.c - motet sign: a manifest that names who vouches for its bundle.
 * Room: cli. Order: the domain is looked at, the key read, the contract loaded, the
 * manifest made and written in one piece. An existing file of that name is replaced.
 * Exit status 1 for a contract with faults or a key that is not one, 2 for an option, 3
 * for a file. */
#include "base/json_write.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/contract.h"
#include "cli/keys.h"
#include "exec/evidence/trust.h"
#include "os/file.h"
#include "os/key_file.h"

/* clang-format off */
const cli_option CMD_SIGN_OPTIONS[] = {
    {"key",    "FILE", "the secret key, from motet keygen"},
    {"out",    "FILE", "write there (default: the input's name with .signed.json)"},
    {"domain", "TEXT", "the trust domain to declare in the manifest"},
    {"format", "TEXT", "name of the attestation scheme (default ed25519-detached)"},
    {"json",   NULL,   "print the result as JSON"},
    {NULL, NULL, NULL},
};

const char CMD_SIGN_DETAILS[] =
"FILE is a contract, a bundle or a manifest. The signature is over the etag, which\n"
"covers every byte of the bundle. `motet verify` accepts only the default format.";
/* clang-format on */

/* a/b.json -> a/b.signed.json */
static mt_str default_path(mt_arena *a, mt_str path)
{
    mt_str name = mt_str_basename(path), stem = mt_str_stem(path);
    mt_str dir = mt_str_from(path.ptr, path.len - name.len);
    return mt_strf(a, "%.*s%.*s.signed.json", MT_ARG(dir), MT_ARG(stem));
}

/* The input's own capabilities: they are outside of the etag and stay as they are. */
static mt_str kept_capabilities(cli_contract *c)
{
    mt_json root;
    mt_buf text = {0};
    mt_json_limits bounds = {c->limits.json_bytes, c->limits.bundle_depth};
    if (!c->is_manifest || !c->sources.len ||
        mt_json_read(&c->arena, c->sources.items[0].text, &bounds, &root, NULL)) {
        return (mt_str){0};
    }
    const mt_json *found = mt_json_at(&root, "capabilities");
    if (found) {
        mt_json_write(&text, found, false);
    }
    mt_str kept = mt_str_dup(&c->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* The etag is shown because it is what was signed, and what others compare. */
static mt_str told(cli_contract *c, mt_str path, const ex_attestation *t, bool json)
{
    mt_arena *a = &c->arena;
    char name[MT_SIGN_NAME];
    mt_sign_name(&t->signer, name);
    mt_str etag = ct_bundle_etag(a, c->bundle);
    if (!json) {
        return mt_strf(a, "Signed bundle written to '%.*s'\netag: %.*s\nsigner: %s\n",
                       MT_ARG(path), MT_ARG(etag), name);
    }
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, true);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "etag", etag);
    mt_jw_key_str(&w, "out", path);
    mt_jw_key_str(&w, "signer", mt_str_z(name));
    mt_jw_end_object(&w);
    mt_buf_addc(&out, '\n');
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* Capabilities of the manifest stay as they were; the trust section is made anew. */
static int write_signed(const cli_args *args, cli_contract *c, const mt_sign_key *key)
{
    const char *to = cli_value(args, "out"), *format = cli_value(args, "format");
    const char *domain = cli_value(args, "domain");
    ex_attestation t =
        ex_attest(&c->arena, c->bundle, key, domain ? mt_str_z(domain) : (mt_str){0});
    t.format = format ? mt_str_z(format) : t.format;
    ct_manifest_parts parts = {.bundle = c->bundle,
                               .capabilities = kept_capabilities(c),
                               .trust = ex_trust_section(&c->arena, &t)};
    mt_str text = ct_json_pretty(&c->arena, ct_manifest_of(&c->arena, &parts));
    mt_str path = to ? mt_str_z(to) : default_path(&c->arena, c->path);
    int code = cli_write_text(args, path.ptr, text);
    return code ? code : cli_print(told(c, path, &t, cli_flag(args, "json")));
}

/* A domain is a non-empty text, and it is printed: nothing invisible in it. */
static bool good_domain(const char *domain)
{
    for (const char *p = domain; domain && *p; p++) {
        if ((unsigned char)*p < ' ') {
            return false;
        }
    }
    return !domain || (*domain && mt_utf8_check(mt_str_z(domain)) == strlen(domain));
}

/* §17.4. What is signed is the etag, so every byte of the bundle; the domain is only
 * stated beside it. The key is wiped before anything else is freed. */
int cmd_sign(const cli_args *args)
{
    cli_contract c;
    mt_sign_key key;
    if (!good_domain(cli_value(args, "domain"))) {
        return cli_fail(args, CLI_USAGE, "--domain needs text of visible characters");
    }
    int code = cli_read_key(args, "key", &key);
    if (code) {
        return code;
    }
    code = cli_contract_load(args, args->operands[0], false, &c);
    if (code) {
        code = cli_contract_report(args, &c, code);
    } else {
        code = write_signed(args, &c, &key);
    }
    mt_sign_wipe(&key);
    cli_contract_free(&c);
    return code;
}
