/* cli/cmd_ledger_verify.c - motet ledger verify: a copy of a ledger, or a proof.
 *
 * A ledger is read once from beginning to end (ledger/verify.h); of a store, the head
 * of the chain and the checkpoints are compared with the records as well. What is said
 * names what was checked: by whose key, how many records a signature covers, whether
 * the key was only believed.
 *
 * A proof is checked against one checkpoint (inclusion) or two (consistency), without
 * any ledger. Exit status 0 holds, 1 does not hold, 3 cannot be read. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/ledger.h"
#include "cli/witnessed.h"
#include "ledger/proof.h"
#include "ledger/tell.h"
#include "os/file.h"
#include "os/key_file.h"

/* clang-format off */
const cli_option CMD_LEDGER_VERIFY_OPTIONS[] = {
    {"key",        "KEY",  "a public key that may sign: file, hex or base64 (repeats)"},
    {"checkpoint", "FILE", "a checkpoint kept elsewhere; the ledger must go on from it"},
    {"proof",      "FILE", "check this proof against --checkpoint, without a ledger"},
    {"domain",     "TEXT", "the trust domain it must be of"},
    {"require-signature", NULL, "fail unless a checkpoint that counts signs for it"},
    CLI_WITNESS_OPTIONS,
    {"json",       NULL,   "print the result as JSON"},
    CLI_LEDGER_STORE_OPTION,
    {NULL, NULL, NULL},
};

const char CMD_LEDGER_VERIFY_DETAILS[] =
"Reads the whole ledger and finds the first record that was changed, removed,\n"
"reordered or put in, and every checkpoint that does not agree with the records\n"
"or is not signed by a key that may. Records cut off at the end are found when a\n"
"checkpoint behind them is given. Of a store, records, checkpoints and the head of\n"
"the chain are compared with each other, too: a gap between them is a fault.\n\n"
"With --key only that key and those its checkpoints vouch for (key_added) count;\n"
"without it the first signer is believed, which shows consistency, not origin.\n"
"A ledger without any signature is consistent at best, and the output says so;\n"
"--require-signature makes that exit status 1.\n"
"A consistency proof takes two --checkpoint options.\n\n"
"With --witness a checkpoint must be co-signed by these witnesses (docs/how-to/witness.md),\n"
"with --origin it must be of the log of that name: one key may sign for several.\n"
"Of a store only the ledger is verified; motet store check compares the rest with it.";
/* clang-format on */

/* ---- a whole ledger ---- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Contracts, of an export that has them. */
static void add_documents(mt_buf *out, const lg_finding *f)
{
    unsigned long long n = f->documents;
    if (n) {
        mt_buf_addf(out, "with: %llu document%s, each what its digest says\n", n,
                    plural(n));
    }
}

/* Says how many records no signature covers yet. What nobody signed shows only that it
 * is whole in itself: anybody can make such a ledger. */
static void write_text(mt_buf *out, const lg_finding *f)
{
    unsigned long long records = f->records, checkpoints = f->checkpoints;
    unsigned long long rest = f->records - f->attested;
    char name[MT_SIGN_NAME];
    if (!f->any_attested) {
        mt_buf_addf(out, "consistent, signed by nobody: %llu record%s\n", records,
                    plural(records));
        add_documents(out, f);
        return;
    }
    mt_buf_addf(out, "verified: %llu record%s, %llu checkpoint%s\n", records,
                plural(records), checkpoints, plural(checkpoints));
    if (f->checkpoints) {
        mt_sign_name(&f->signer, name);
        mt_buf_addf(out, "signed by: %s\n", name);
    }
    if (rest) {
        mt_buf_addf(out, "not signed for yet: the last %llu record%s\n", rest,
                    plural(rest));
    }
    add_documents(out, f);
}

/* A key that was only taken from the ledger itself is warned about: it proves that one
 * hand signed, not whose. */
static int tell(const cli_args *args, const cli_ledger *l, const lg_finding *f,
                const cli_witnessed *by)
{
    mt_buf out = {0};
    bool json = cli_flag(args, "json");
    if (json && !f->world) {
        lg_tell_finding(&out, f, by->origin ? &by->got : NULL,
                        by->wanted ? &by->got : NULL);
    } else if (!f->problem) {
        write_text(&out, f);
        cli_witnessed_text(&out, by, f->records);
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    if (!f->problem && f->believed && !json) {
        fputs("note: the signer's key is the ledger's own; --key says whose it must "
              "be\n",
              stderr);
    }
    int found = cli_ledger_fault(args, l, f);
    if (!found && !f->any_attested && cli_flag(args, "require-signature")) {
        found =
            cli_fail(args, CLI_FAILS, "%s: consistent, but signed by nobody", l->name);
    }
    return code ? code : found;
}

/* A trusted checkpoint is read first: without it the rest proves less than was asked.
 */
static int verify_ledger(const cli_args *args, mt_arena *a, lg_expectation *expect)
{
    cli_ledger l;
    lg_finding f;
    const char *path = cli_value(args, "checkpoint");
    lg_checkpoint trusted;
    int code = path ? cli_read_checkpoint(args, a, path, &trusted) : CLI_HOLDS;
    if (code) {
        return code;
    }
    expect->trusted = path ? &trusted : NULL;
    cli_witnessed by;
    code = cli_ledger_open(args, 0, &l);
    code = code ? code : cli_witnessed_find(args, a, &l, &by, expect);
    if (!code) {
        /* With --checkpoint the ledger has to go on from it: records cut off behind it
         * would otherwise leave a shorter ledger that verifies. */
        cli_ledger_with_documents(&l);
        lg_verify_source(&l.source, expect, &f);
        cli_ledger_compare(&l, &f);
        code = tell(args, &l, &f, &by);
    }
    cli_ledger_close(&l);
    return code;
}

/* ---- a proof ---- */

/* Exit status 1 when the proof does not hold. */
static int tell_proof(const cli_args *args, const lg_statement *s, const char *fault)
{
    mt_buf text = {0};
    unsigned long long from = s->inclusion ? s->record.seq : s->from, size = s->size;
    if (cli_flag(args, "json")) {
        lg_tell_proof(&text, s, fault);
    } else if (!fault && s->inclusion) {
        mt_buf_addf(&text, "verified: record %llu is in the ledger of %llu records\n",
                    from, size);
    } else if (!fault) {
        mt_buf_addf(
            &text, "verified: the ledger of %llu records begins with the one of %llu\n",
            size, from);
    }
    int code = cli_print(mt_buf_str(&text));
    mt_buf_free(&text);
    if (fault) {
        return cli_fail(args, CLI_FAILS, "%s: %s", cli_value(args, "proof"), fault);
    }
    return code;
}

/* A checkpoint neither names its log nor has witnesses: to pass over the options would
 * say more than was checked. */
static int refuse_notes(const cli_args *args)
{
    return cli_value(args, "witness") || cli_value(args, "origin")
               ? cli_fail(
                     args, CLI_USAGE,
                     "--proof is checked against --checkpoint alone, which neither "
                     "names its log nor has witnesses")
               : CLI_HOLDS;
}

/* One checkpoint for inclusion, two for consistency. */
static int verify_proof(const cli_args *args, mt_arena *a, const lg_expectation *expect)
{
    lg_checkpoint c[2];
    lg_statement s;
    mt_str text;
    int count = 0, code = refuse_notes(args);
    for (; !code && count < 2 && cli_value_at(args, "checkpoint", count); count++) {
        code = cli_read_checkpoint(args, a, cli_value_at(args, "checkpoint", count),
                                   &c[count]);
    }
    if (!code && !count) {
        code = cli_fail(args, CLI_USAGE, "--proof needs --checkpoint FILE");
    }
    const char *path = cli_value(args, "proof");
    /* A proof is bounded like a line of a ledger; its path grows with the
     * logarithm of the size. */
    code =
        code ? code
             : cli_read_input(args, a, path, cli_limits(args).ledger_line_bytes, &text);
    if (code) {
        return code;
    }
    if (lg_statement_read(a, text, &s)) {
        return cli_fail(args, CLI_FAILS, "%s: this is not a proof", path);
    }
    return tell_proof(args, &s, lg_proof_fault(&s, c, (size_t)count, expect));
}

/* Keys given are those the user trusts. Without any, the first signer of the ledger is
 * believed. */
int cmd_ledger_verify(const cli_args *args)
{
    mt_arena a = {0};
    const char *domain = cli_value(args, "domain");
    lg_expectation expect = {.domain = mt_str_z(domain)};
    int code = cli_read_publics(args, &a, &expect.keys, &expect.key_count);
    if (!code) {
        code = cli_value(args, "proof") ? verify_proof(args, &a, &expect)
                                        : verify_ledger(args, &a, &expect);
    }
    mt_arena_free(&a);
    return code;
}
