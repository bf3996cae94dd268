/* cli/cmd_ledger_accept.c - motet ledger accept: an operator decides about a ledger
 * that its key does not sign. Room: cli.
 *
 * Order: options, key, store, then all of the work in one call of the executor's room
 * (exec/evidence/accept.c): read every record again, compare with what the key
 * remembers, write the record that says it was accepted, sign, remember. Exit status 1
 * when it is refused and nothing was changed, 3 when the store or a file fails: then it
 * can be asked for again. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/keys.h"
#include "exec/evidence/signer.h"
#include "os/key_file.h"

/* clang-format off */
const cli_option CMD_LEDGER_ACCEPT_OPTIONS[] = {
    {"store",         "URL",  "the store of the ledger, also beside a running server"},
    {"signing-key",   "FILE", "the key that signs this ledger"},
    {"signer-memory", "FILE", "the last checkpoint it signed (the key's file with .memory)"},
    {"reason",        "TEXT", "why it is accepted; goes into the record"},
    {NULL, NULL, NULL},
};

const char CMD_LEDGER_ACCEPT_DETAILS[] =
"A key remembers, outside of the store, the last checkpoint it signed, and signs\n"
"only a ledger that goes on from there. When one does not (it was restored from an\n"
"older copy, or forged) or when the memory is lost, somebody must decide. This\n"
"command does: the ledger as it is now is signed for and remembered, and a record\n"
"says what was remembered, what was found, and why it was accepted.\n\n"
"Every record is read and hashed again; a chain that is broken cannot be accepted.\n"
"Checkpoints that the records contradict are dropped, and keys that were added\n"
"without a signature are revoked. Look first, with `motet ledger verify\n"
"--checkpoint FILE` and a checkpoint that was kept elsewhere.";
/* clang-format on */

enum { REASON_BYTES = 1000 };

/* `shared_tool`: beside a running server, without claiming its file. A store that is
 * not there is not made: an empty one would be accepted gladly. */
static int open_store(const cli_args *args, st_store **out)
{
    st_options options = {.must_exist = true, .shared_tool = true};
    mt_buf why = {0};
    int code = CLI_HOLDS;
    if (st_open(cli_value(args, "store"), &options, out, &why)) {
        code = cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return code;
}

/* That nothing was to be accepted is success: asking twice does no harm. */
static int tell(const ex_acceptance *r, const mt_sign_key *key)
{
    mt_buf out = {0};
    char name[MT_SIGN_NAME];
    mt_sign_name(&key->open, name);
    if (r->nothing) {
        mt_buf_addf(&out,
                    "nothing to accept: the ledger of %lld records goes on from what "
                    "this key signed\n",
                    (long long)r->records);
    } else {
        mt_buf_addf(&out,
                    "it was not signed: %.*s\n"
                    "accepted: %lld records, as record %lld says\nsigned by: %s\n",
                    MT_ARG(r->found), (long long)r->records, (long long)r->record,
                    name);
    }
    if (r->dropped) {
        mt_buf_addf(&out, "dropped: %zu checkpoint%s that the records contradict\n",
                    r->dropped, r->dropped == 1 ? "" : "s");
    }
    if (r->revoked) {
        mt_buf_addf(&out, "revoked: %zu key%s that nobody handed over to\n", r->revoked,
                    r->revoked == 1 ? "" : "s");
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* A refusal (MT_E_DENIED) is exit status 1: nothing was changed. */
static int accept_with(const cli_args *args, const mt_sign_key *key)
{
    mt_arena a = {0};
    mt_buf why = {0};
    ex_acceptance result;
    ex_signer s = {.key = key,
                   .memory = ex_memory_path(&a, cli_value(args, "signer-memory"),
                                            cli_value(args, "signing-key"))};
    int code = open_store(args, &s.store);
    if (!code) {
        mt_err err = ex_ledger_accept(&s, mt_str_z(cli_value(args, "reason")), &a,
                                      &result, &why);
        code = err ? cli_fail(args, err == MT_E_DENIED ? CLI_FAILS : CLI_WORLD, "%.*s",
                              MT_ARG(mt_buf_str(&why)))
                   : tell(&result, key);
        st_close(s.store);
    }
    mt_buf_free(&why);
    mt_arena_free(&a);
    return code;
}

/* The reason becomes part of a signed record, so it is bounded and valid UTF-8 before
 * the key is read. */
static int lacks_option(const cli_args *args)
{
    static const char *const NEEDED[] = {"store", "signing-key", "reason"};
    for (size_t i = 0; i < sizeof NEEDED / sizeof *NEEDED; i++) {
        if (!cli_value(args, NEEDED[i])) {
            return cli_fail(args, CLI_USAGE, "--%s is needed", NEEDED[i]);
        }
    }
    mt_str reason = mt_str_z(cli_value(args, "reason"));
    bool fits =
        reason.len && reason.len <= REASON_BYTES && mt_utf8_check(reason) == reason.len;
    return fits ? CLI_HOLDS
                : cli_fail(args, CLI_USAGE, "--reason needs text of 1 to %d bytes",
                           REASON_BYTES);
}

/* The key is in memory only while it signs. */
int cmd_ledger_accept(const cli_args *args)
{
    mt_sign_key key;
    int code = lacks_option(args);
    code = code ? code : cli_read_key(args, "signing-key", &key);
    if (!code) {
        code = accept_with(args, &key);
        mt_sign_wipe(&key);
    }
    return code;
}
