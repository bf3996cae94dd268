/* cli/cmd_ledger_export.c - motet ledger export: a copy that others can verify.
 *
 * What is copied is verified on the way, line by line; a copy of something broken is
 * never left: the file gets its name only after the last line has held. With --sign
 * the copy ends with a new checkpoint, which the verifier sees, too, so a key that may
 * not sign this ledger is refused.
 *
 * A key that remembers what it signed (motet serve) signs only what goes on from
 * there, and vouches for no key that a record adds and no other checkpoint covers.
 * Secrets are wiped on every way out. */
#include <errno.h>

#include "cli/commands.h"
#include "cli/keys.h"
#include "cli/ledger.h"
#include "cli/named_versions.h"
#include "cli/witnessed.h"
#include "exec/evidence/signer_memory.h"
#include "ledger/document.h"
#include "os/file.h"

/* clang-format off */
const cli_option CMD_LEDGER_EXPORT_OPTIONS[] = {
    {"out",        "FILE", "write there instead of to standard output"},
    {"checkpoint", "SIZE", "only the checkpoint of this size, or the `last` one"},
    {"note",       NULL,   "only the newest checkpoint, as a C2SP note with cosignatures"},
    {"sign",       "FILE", "end the copy with a checkpoint signed by this secret key"},
    {"key",        "KEY",  "a public key that may sign (repeats), as in verify"},
    {"with-contracts", NULL, "with the contracts that records name, each version once"},
    CLI_LEDGER_STORE_OPTION,
    {NULL, NULL, NULL},
};

const char CMD_LEDGER_EXPORT_DETAILS[] =
"Copies a ledger as JSON lines, records and checkpoints, verifying it meanwhile;\n"
"a ledger that does not verify is not exported. Keep checkpoints where whoever\n"
"keeps the ledger cannot reach them: then nothing before them can be rewritten.\n"
"With --with-contracts the copy also says by which rules was decided: `motet audit`\n"
"needs nothing else. Each contract is what its etag, which records name, says.\n"
"A key that remembers what it signed (motet serve) signs only what goes on from it.";
/* clang-format on */

typedef struct copying {
    const cli_args *args;
    const char *path;  /* NULL: standard output */
    os_new_file file;  /* begun beside its final name */
    mt_buf out;        /* lines that wait to be written */
    mt_str checkpoint; /* --checkpoint: what is wanted; ptr NULL: everything */
    mt_buf chosen;     /* the checkpoint line so far */
    bool contracts;    /* --with-contracts */
    cli_named named;   /* by records, if so */
    mt_str note;       /* --note: all that is written */
} copying;

static int cannot_write(const copying *c)
{
    return cli_fail(c->args, CLI_WORLD, "cannot write %s: %s",
                    c->path ? c->path : "standard output", strerror(errno));
}

/* The file is made beside its final name and renamed at the end, so a half copy never
 * has the name of a whole one. */
static int begin(copying *c)
{
    return c->path && os_new_file_begin(&c->file, c->path, 0644) ? cannot_write(c)
                                                                 : CLI_HOLDS;
}

/* Lines are gathered and written in large pieces; `above` 0 writes whatever is left. */
static int flush(copying *c, size_t above)
{
    int code = CLI_HOLDS;
    if (c->out.len <= above) {
        return code;
    }
    if (!c->path) {
        code = cli_print(mt_buf_str(&c->out));
    } else if (os_new_file_add(&c->file, mt_buf_str(&c->out))) {
        code = cannot_write(c);
    }
    mt_buf_clear(&c->out);
    return code;
}

/* Puts the whole copy in its place, or takes away what there is of it. */
static int end(copying *c, int code)
{
    if (c->path && os_new_file_end(&c->file, code ? MT_E_REJECTED : MT_OK, true)) {
        code = code ? code : cannot_write(c);
    }
    mt_buf_free(&c->out);
    mt_buf_free(&c->chosen);
    cli_named_free(&c->named);
    return code;
}

/* Keeps what is wanted of a verified line. */
static void keep_checkpoint(copying *c, mt_str line)
{
    mt_arena a = {0};
    lg_checkpoint point;
    if (!lg_checkpoint_read(&a, line, &point)) {
        mt_str size = mt_strf(&a, "%llu", (unsigned long long)point.size);
        if (c->checkpoint.ptr &&
            (mt_str_is(c->checkpoint, "last") || mt_str_eq(c->checkpoint, size))) {
            mt_buf_clear(&c->chosen);
            mt_buf_adds(&c->chosen, line);
            mt_buf_addc(&c->chosen, '\n');
        }
    }
    mt_arena_free(&a);
}

/* Behind the last line, in the order in which records name them. */
static int copy_contracts(copying *c, cli_ledger *l)
{
    mt_arena a = {0};
    int code = CLI_HOLDS;
    for (size_t i = 0; c->contracts && !code && i < c->named.list.len; i++) {
        const cli_named_version *v = &c->named.list.items[i];
        mt_str bundle;
        mt_arena_reset(&a);
        mt_err err = ex_ledger_bundle(l->rows, &a, v->contract, v->etag, &bundle);
        if (err == MT_E_NOTFOUND || err == MT_E_CORRUPT) {
            code = cli_fail(c->args, CLI_FAILS,
                            "%s: version %.*s of contract '%.*s', which record %llu "
                            "names, is not in the store as it was",
                            l->name, MT_ARG(v->etag), MT_ARG(v->contract),
                            (unsigned long long)v->first);
        } else if (err) {
            code = cli_fail(c->args, CLI_WORLD, "%s: %s", l->name, cli_why(err));
        } else {
            lg_document_write(&c->out, bundle);
            code = flush(c, 1 << 18);
        }
    }
    mt_arena_free(&a);
    return code;
}

/* When one checkpoint is asked for, it is all that is written; the ledger is read and
 * verified to its end all the same. */
static int copy_line(copying *c, mt_str line, bool record)
{
    lg_entry e;
    if (!record) {
        keep_checkpoint(c, line);
    } else if (c->contracts && !lg_entry_read(line, &e)) {
        cli_named_note(&c->named, e.seq, e.body);
    }
    if (c->checkpoint.ptr || c->note.len) {
        return CLI_HOLDS;
    }
    mt_buf_adds(&c->out, line);
    mt_buf_addc(&c->out, '\n');
    return flush(c, 1 << 18);
}

/* A checkpoint over everything so far. The verifier sees it too, so a key that may not
 * sign this ledger is refused. */
static void add_signed(copying *c, lg_verifier *v, const mt_sign_key *key)
{
    mt_arena a = {0};
    mt_buf line = {0};
    lg_checkpoint point = lg_chain_checkpoint(&v->found->end, lg_verify_domain(v, &a));
    lg_checkpoint_sign(&point, key);
    lg_checkpoint_write(&line, &point);
    if (lg_verify_line(v, mt_str_from(line.ptr, line.len - 1))) {
        copy_line(c, mt_str_from(line.ptr, line.len - 1), false);
    }
    mt_buf_free(&line);
    mt_arena_free(&a);
}

/* Who signs for a record that adds a key vouches for it: not by a copy. */
static bool adds_stranger(const lg_verifier *v, const mt_sign_key *key, lg_finding *f)
{
    uint64_t remembered = v->expect->trusted ? v->expect->trusted->size : 0;
    for (size_t i = 0; i < v->keys.len && !f->problem; i++) {
        const lg_key *k = &v->keys.items[i];
        if (k->added && !k->trusted && !k->revoked && k->added_at >= remembered &&
            memcmp(k->key.bytes, key->open.bytes, MT_SIGN_PUBLIC) != 0) {
            f->problem = "a key is added that nobody has signed for";
            f->seq = k->added_at;
            f->line = 0;
            f->about_record = true;
        }
    }
    return f->problem != NULL;
}

/* The chosen checkpoint is the last that fits; for "last" every later one replaced
 * it. */
static int finish(copying *c)
{
    if (c->checkpoint.ptr && !c->chosen.len) {
        return cli_fail(c->args, CLI_FAILS, "the ledger has no such checkpoint");
    }
    mt_buf_adds(&c->out, mt_buf_str(&c->chosen));
    mt_buf_adds(&c->out, c->note);
    return flush(c, 0);
}

/* Every line is verified before it is copied; a new signature is added only behind a
 * ledger that holds to its end. */
static int copy_all(copying *c, cli_ledger *l, const lg_expectation *expect,
                    const mt_sign_key *key)
{
    lg_verifier v;
    lg_finding f;
    mt_str line;
    mt_err err = MT_OK;
    int code = CLI_HOLDS;
    cli_ledger_with_documents(l);
    lg_verify_start(&v, expect, &f);
    while (!code && !(err = l->source.next(l->source.state, &line)) &&
           lg_verify_line(&v, line)) {
        code = copy_line(c, line, f.about_record);
    }
    code = code ? code : cli_ledger_stop(c->args, l, err, lg_lines_read(&f) + 1);
    if (!code) {
        cli_ledger_compare(l, &f);
    }
    bool whole = !expect->trusted || expect->trusted->size <= f.end.tree.size;
    if (!code && !f.problem && key && whole && !adds_stranger(&v, key, &f)) {
        add_signed(c, &v, key);
    }
    lg_verify_end(&v);
    code = code ? code : cli_ledger_fault(c->args, l, &f);
    code = code ? code : copy_contracts(c, l);
    return code ? code : finish(c);
}

/* A key that remembers what it signed (motet serve) signs nothing else here, either. */
static int read_memory(const cli_args *args, mt_arena *a, const mt_sign_key *key,
                       ex_memory *m, lg_expectation *expect)
{
    mt_buf why = {0};
    int code = CLI_HOLDS;
    const char *path = ex_memory_path(a, NULL, cli_value(args, "sign"));
    mt_err err = ex_memory_read(a, path, &key->open, m, &why);
    if (err && err != MT_E_NOTFOUND) {
        code = cli_fail(args, err == MT_E_IO ? CLI_WORLD : CLI_FAILS, "%s: %.*s", path,
                        MT_ARG(mt_buf_str(&why)));
    }
    expect->trusted = err ? NULL : &m->point;
    mt_buf_free(&why);
    return code;
}

/* The note is compared with the records while they are read. */
static int choose_note(copying *c, mt_arena *a, const cli_ledger *l, lg_note *note,
                       lg_expectation *expect)
{
    if (c->checkpoint.ptr || cli_value(c->args, "sign")) {
        return cli_fail(c->args, CLI_USAGE,
                        "--note goes with neither --checkpoint nor --sign");
    }
    int code = cli_newest_note(c->args, a, l, &c->note);
    if (!code && lg_note_read(c->note, note)) {
        code = cli_fail(c->args, CLI_FAILS, "the note in the store is malformed");
    }
    expect->witnessed = code ? NULL : note;
    return code;
}

/* With the signer's key also its memory is asked, so that a copy of a shortened ledger
 * is noticed. */
static int export(const cli_args *args, mt_arena *a, const mt_sign_key *key)
{
    copying c = {.args = args,
                 .path = cli_value(args, "out"),
                 .file = {.fd = -1},
                 .checkpoint = mt_str_z(cli_value(args, "checkpoint")),
                 .contracts = cli_flag(args, "with-contracts")};
    lg_expectation expect = {0};
    ex_memory memory;
    cli_ledger l;
    int code = cli_read_publics(args, a, &expect.keys, &expect.key_count);
    code = code || !key ? code : read_memory(args, a, key, &memory, &expect);
    if (code) {
        return code;
    }
    if (c.contracts && (!cli_value(args, "store") || c.checkpoint.ptr)) {
        return cli_fail(args, CLI_USAGE,
                        "--with-contracts copies from a store: it needs --store URL, "
                        "and no --checkpoint");
    }
    lg_note note;
    code = cli_ledger_open(args, 0, &l);
    if (!code && cli_flag(args, "note")) {
        code = choose_note(&c, a, &l, &note, &expect);
    }
    code = code ? code : begin(&c);
    code = code ? code : copy_all(&c, &l, &expect, key);
    cli_ledger_close(&l);
    return end(&c, code);
}

/* The key is read first: an export of hours should not fail at its last line. */
int cmd_ledger_export(const cli_args *args)
{
    mt_arena a = {0};
    mt_sign_key key;
    bool sign = cli_value(args, "sign") != NULL;
    int code = sign ? cli_read_key(args, "sign", &key) : CLI_HOLDS;
    code = code ? code : export(args, &a, sign ? &key : NULL);
    if (sign) {
        mt_sign_wipe(&key);
    }
    mt_arena_free(&a);
    return code;
}
