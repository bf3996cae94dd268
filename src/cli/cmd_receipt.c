/* cli/cmd_receipt.c - motet receipt: what a receipt says, and whether it holds.
 *
 * A file has one receipt in any layout, or one on each line; an answer that came with
 * one will do, too. `show` tells what it says
 * and checks nothing; `verify` needs the file and public keys, no ledger and no server;
 * a clock only where witnesses are asked for. Both say which of the two it is: a
 * promise, or complete.
 *
 * What may fail: the file. Text that is not a receipt, or one that does not hold, is
 * exit status 1 with its line. */
#include <stdio.h>
#include <time.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/decision_words.h"
#include "cli/ledger.h"
#include "cli/witnessed.h"
#include "ledger/tell.h"
#include "os/key_file.h"

/* clang-format off */
static const cli_option SHOW_OPTIONS[] = {
    {"json", NULL, "the receipt as one line of canonical JSON"},
    {NULL, NULL, NULL},
};

static const cli_option VERIFY_OPTIONS[] = {
    {"key",      "KEY",  "a public key that may sign: file, hex or base64 (repeats)"},
    {"complete", NULL,   "a promise is not enough"},
    {"domain",   "TEXT", "the trust domain it must be of"},
    {"ledger",   "HEX",  "the ledger it must be of: the hash of its record 0"},
    {"origin",   "NAME", "the log it must be of, by its name"},
    {"witness",        "KEY",   "who must have co-signed: NAME+ID+KEY, key or file (repeats)"},
    {"witness-quorum", "COUNT", "so many of them are enough (all)"},
    {"json",     NULL,   "print the result as JSON, one line for each receipt"},
    {NULL, NULL, NULL},
};

static const char SHOW_DETAILS[] =
"Tells who asked for what, what was decided and why, and which record says so.\n"
"Whether it can be believed is for `motet receipt verify`.";

static const char VERIFY_DETAILS[] =
"Checks a receipt with public keys alone. A promise is the executor's signature:\n"
"this record is in my ledger. A complete receipt also has a signed checkpoint and\n"
"the proof that the record is in it: it cannot be taken back any more without\n"
"being noticed. The file has one receipt, or one on each line; an answer that came\n"
"with a receipt will do. With --witness these must have co-signed its checkpoint,\n"
"not later than now by this machine's clock; with --origin it must be of the log of\n"
"that name, since one key may sign for several.";

const cli_command CMD_RECEIPT_COMMANDS[] = {
    {"show", "FILE", "Tell what a receipt says", cmd_receipt_show, SHOW_OPTIONS, NULL, 1, 1,
     SHOW_DETAILS},
    {"verify", "FILE", "Check a receipt with public keys alone", cmd_receipt_verify,
     VERIFY_OPTIONS, NULL, 1, 1, VERIFY_DETAILS},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

/* ---- the file ---- */

/* Years of receipts in one file; they are read a line at a time, but the file is
 * whole in memory. */
enum { FILE_BYTES = 1 << 30 };

typedef int each_receipt(const cli_args *args, mt_arena *a, const lg_receipt *r,
                         size_t line, void *state);

static int not_one(const cli_args *args, size_t line)
{
    return cli_fail(args, CLI_FAILS, "%s, line %zu: this is not a receipt",
                    args->operands[0], line);
}

/* The arena is emptied before each line, so memory does not grow with the file. The
 * first that fails ends it: its line is told, and those behind it are not looked at. */
static int take_lines(const cli_args *args, mt_str text, each_receipt *each,
                      void *state)
{
    mt_arena a = {0};
    int code = CLI_HOLDS;
    for (size_t line = 1; text.len && !code; line++) {
        size_t end = mt_str_find(text, '\n');
        mt_str one = mt_str_from(text.ptr, end);
        lg_receipt r;
        mt_arena_reset(&a);
        text = mt_str_skip(text, end + 1);
        code = lg_receipt_or_answer(&a, one, &r) ? not_one(args, line)
                                                 : each(args, &a, &r, line, state);
    }
    mt_arena_free(&a);
    return code;
}

/* One document, or else one on each line. Tried as a document first, because a receipt
 * that is laid out in several lines would fail at its first line otherwise. An empty
 * file is not a receipt. */
static int for_each(const cli_args *args, each_receipt *each, void *state)
{
    mt_arena a = {0};
    lg_receipt r;
    mt_str text;
    int code = cli_read_input(args, &a, args->operands[0], FILE_BYTES, &text);
    if (!code) {
        code = !lg_receipt_or_answer(&a, text, &r) ? each(args, &a, &r, 1, state)
               : text.len                          ? take_lines(args, text, each, state)
                                                   : not_one(args, 1);
    }
    mt_arena_free(&a);
    return code;
}

/* ---- show ---- */

/* Nothing where the receipt says nothing about it. */
static void add_row(mt_buf *out, const char *name, mt_str text)
{
    if (text.len) {
        mt_buf_addf(out, "  %-10s ", name);
        cli_add_plain(out, text);
        mt_buf_addc(out, '\n');
    }
}

/* A decision that is not JSON shows no rows: `show` tells what there is, and verify
 * says that it does not hold. */
static void add_decision(mt_buf *out, mt_arena *a, const lg_receipt *r)
{
    mt_json tree;
    cli_decision d = {0};
    if (!mt_json_read(a, r->decision, NULL, &tree, NULL)) {
        cli_decision_read(a, &tree, &d);
    }
    add_row(out, "when", d.time);
    add_row(out, "who",
            d.as.len && d.who.len
                ? mt_strf(a, "%.*s as %.*s", MT_ARG(d.who), MT_ARG(d.as))
                : d.who);
    add_row(out, "what", d.what);
    add_row(out, "on", d.on);
    add_row(out, "decided", d.result);
    add_row(out, "why", d.why);
    add_row(out, "contract", d.contract);
    add_row(out, "version", d.etag);
}

static int show_one(const cli_args *args, mt_arena *a, const lg_receipt *r, size_t line,
                    void *state)
{
    (void)line;
    (void)state;
    mt_buf out = {0};
    if (cli_flag(args, "json")) {
        lg_receipt_write(&out, r);
        mt_buf_addc(&out, '\n');
    } else {
        char name[MT_SIGN_NAME];
        mt_sign_name(&r->key, name);
        mt_buf_addf(&out, "%s: record %llu of ledger %.16s...\n",
                    r->complete ? "complete" : "promise", (unsigned long long)r->seq,
                    mt_sha256_hex(a, r->ledger).ptr);
        add_row(&out, "log", r->log);
        add_decision(&out, a, r);
        mt_buf_addf(&out, "  %-10s %s\n", "signed by", name);
        if (r->complete) {
            mt_buf_addf(&out, "  %-10s %llu records, %zu witness%s\n", "covered by",
                        (unsigned long long)r->checkpoint.size, r->witness_count,
                        r->witness_count == 1 ? "" : "es");
        }
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

int cmd_receipt_show(const cli_args *args)
{
    return for_each(args, show_one, NULL);
}

/* ---- verify ---- */

typedef struct checking {
    lg_receipt_check check;
    mt_sha256 ledger;
    size_t ahead; /* cosignatures that were not counted, of all receipts */
    size_t promises, complete;
    lg_receipt last; /* its texts are gone */
} checking;

/* With --json a receipt that does not hold has its line, too, with the fault, before
 * the exit status says so. */
static int verify_one(const cli_args *args, mt_arena *a, const lg_receipt *r,
                      size_t line, void *state)
{
    (void)a;
    checking *c = state;
    size_t ahead;
    const char *fault = lg_receipt_check_one(r, &c->check, &ahead);
    c->ahead += ahead;
    int code = CLI_HOLDS;
    if (cli_flag(args, "json")) {
        mt_buf out = {0};
        lg_tell_receipt(&out, r, fault, c->check.by.count ? &ahead : NULL);
        code = cli_print(mt_buf_str(&out));
        mt_buf_free(&out);
    }
    *(r->complete ? &c->complete : &c->promises) += 1;
    c->last = *r;
    return fault ? cli_fail(args, CLI_FAILS, "%s, line %zu, record %llu: %s",
                            args->operands[0], line, (unsigned long long)r->seq, fault)
                 : code;
}

/* Of one receipt what it proves, of several only how many of each kind. Cosignatures of
 * a time that has not come are said not to have been counted, or nobody would notice a
 * clock that is wrong. */
static int tell(const checking *c)
{
    mt_arena a = {0};
    char name[MT_SIGN_NAME];
    unsigned long long seq = c->last.seq, size = c->last.checkpoint.size;
    mt_sign_name(&c->last.key, name);
    mt_str text =
        c->promises + c->complete > 1
            ? mt_strf(&a, "verified: %zu complete, %zu promises\n", c->complete,
                      c->promises)
        : c->complete
            ? mt_strf(&a,
                      "complete: record %llu is in the ledger of %llu records\n"
                      "signed by: %s\n",
                      seq, size, name)
            : mt_strf(&a,
                      "promise: record %llu, no checkpoint covers it yet\n"
                      "signed by: %s\n",
                      seq, name);
    if (c->ahead) {
        text = mt_strf(&a,
                       "%.*snot counted: %zu cosignature%s of a time that has not "
                       "come\n",
                       MT_ARG(text), c->ahead, c->ahead == 1 ? "" : "s");
    }
    int code = cli_print(text);
    mt_arena_free(&a);
    return code;
}

static int read_ledger(const cli_args *args, checking *c)
{
    const char *text = cli_value(args, "ledger");
    if (!text) {
        return CLI_HOLDS;
    }
    c->check.demand.ledger = &c->ledger;
    return mt_unhex(mt_str_z(text), c->ledger.bytes, MT_SHA256_BYTES)
               ? CLI_HOLDS
               : cli_fail(args, CLI_USAGE,
                          "--ledger takes the hash of a ledger's record 0: 64 hex "
                          "digits");
}

/* Without --witness none is asked for, and the clock is not looked at. */
static int read_witnesses(const cli_args *args, mt_arena *a, checking *c)
{
    lg_note_key *keys;
    cli_witnessed wanted = {0};
    int code = cli_witnesses_wanted(args, a, &keys, &wanted);
    c->check.by =
        (lg_cosigners){keys, wanted.witnesses, wanted.quorum, (int64_t)time(NULL)};
    return code;
}

/* Whose receipt it is must be said: anybody can sign one with a key of his own. */
int cmd_receipt_verify(const cli_args *args)
{
    mt_arena a = {0};
    checking c = {.check = {.must_be_complete = cli_flag(args, "complete"),
                            .demand.domain = mt_str_z(cli_value(args, "domain")),
                            .demand.origin = mt_str_z(cli_value(args, "origin"))}};
    lg_receipt_demand *demand = &c.check.demand;
    int code = cli_read_publics(args, &a, &demand->keys, &demand->key_count);
    if (!code && !demand->key_count) {
        code = cli_fail(args, CLI_USAGE, "--key says whose receipt it must be");
    }
    code = code ? code : read_ledger(args, &c);
    code = code ? code : read_witnesses(args, &a, &c);
    code = code ? code : for_each(args, verify_one, &c);
    code = code || cli_flag(args, "json") ? code : tell(&c);
    mt_arena_free(&a);
    return code;
}
