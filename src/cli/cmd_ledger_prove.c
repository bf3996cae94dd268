/* cli/cmd_ledger_prove.c - motet ledger prove: a small proof for a third party.
 * Room: cli.
 * The ledger is read twice: first to verify it and to find the checkpoint the proof is
 * for, then to make the proof. */
#include "cli/commands.h"
#include "cli/ledger.h"
#include "ledger/proof.h"

/* clang-format off */
const cli_option CMD_LEDGER_PROVE_OPTIONS[] = {
    {"from", "N",    "prove that the ledger of --to records begins with that of N"},
    {"to",   "M",    "size of the later ledger (default: the last checkpoint's)"},
    {"size", "M",    "prove inclusion in the ledger of M records (likewise)"},
    {"out",  "FILE", "write the proof there"},
    CLI_LEDGER_STORE_OPTION,
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_LEDGER_PROVE_DETAILS[] =
    "Prints, as one line of JSON, a proof that record SEQ is in the ledger, or with\n"
    "--from that a later state of the ledger only added to an earlier one. Together\n"
    "with the signed checkpoint of that size (`motet ledger export --checkpoint M`)\n"
    "anybody can check it with `motet ledger verify --proof`, without the ledger.";

typedef struct wish {
    bool inclusion;
    uint64_t index; /* the record, or the earlier size */
    uint64_t size;  /* 0: the last checkpoint's */
} wish;

/* At most 18 digits, so it cannot overflow; neither sign nor blanks, which strtoull
 * would take. */
static bool natural(const char *text, uint64_t *out)
{
    *out = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9' || p - text >= 18) {
            return false;
        }
        *out = *out * 10 + (uint64_t)(*p - '0');
    }
    return *text != '\0';
}

/* SEQ asks for inclusion, --from for consistency; both together is a mistake. */
static int read_wish(const cli_args *args, const cli_ledger *l, wish *out)
{
    const char *from = cli_value(args, "from");
    const char *size = cli_value(args, from ? "to" : "size");
    const char *index = from                        ? from
                        : args->count > l->operands ? args->operands[l->operands]
                                                    : NULL;
    *out = (wish){.inclusion = !from};
    if (!index || (from && args->count > l->operands)) {
        return cli_fail(args, CLI_USAGE, "either SEQ or --from N is needed");
    }
    if (!natural(index, &out->index) || (size && !natural(size, &out->size))) {
        return cli_fail(args, CLI_USAGE, "'%s' is not a whole number",
                        natural(index, &out->index) ? size : index);
    }
    return CLI_HOLDS;
}

/* What is asked for must be covered by something signed, or be asked for by name. */
static int check_wish(const cli_args *args, const lg_finding *f, wish *w)
{
    unsigned long long records = f->records, index = w->index, size = w->size;
    if (!w->size) {
        w->size = f->attested;
    }
    if (w->size > f->records) {
        return cli_fail(args, CLI_FAILS, "the ledger has only %llu records", records);
    }
    bool within = w->inclusion ? w->index < w->size : w->index <= w->size;
    if (!within && size) {
        return cli_fail(args, CLI_FAILS,
                        w->inclusion ? "record %llu is not in a ledger of %llu"
                                     : "a ledger of %llu is longer than one of %llu",
                        index, size);
    }
    if (!within && w->index < f->records) {
        return cli_fail(args, CLI_FAILS,
                        "record %llu is not covered by a checkpoint yet", index);
    }
    return within ? CLI_HOLDS
                  : cli_fail(args, CLI_FAILS, "there is no record %llu", index);
}

/* The second pass. The line of the record stays in the arena. */
static int make(const cli_args *args, mt_arena *a, cli_ledger *l, const wish *w,
                mt_buf *out)
{
    lg_prover prover;
    lg_statement s = {.inclusion = w->inclusion, .from = w->index, .size = w->size};
    mt_str line;
    mt_err err = MT_OK;
    if (w->inclusion) {
        lg_prover_inclusion(&prover, w->size, w->index);
    } else {
        lg_prover_consistency(&prover, w->index, w->size);
    }
    while (prover.next < w->size && !(err = l->source.next(l->source.state, &line))) {
        lg_entry e;
        if (lg_entry_read(line, &e)) {
            continue; /* a checkpoint: everything was verified before */
        }
        if (w->inclusion && e.seq == w->index) {
            lg_entry_read(mt_str_dup(a, line), &s.record);
        }
        mt_sha256 leaf = lg_leaf(&e.hash);
        lg_prover_add(&prover, &leaf);
    }
    if (prover.next < w->size) {
        int code = cli_ledger_stop(args, l, err, 0);
        return code
                   ? code
                   : cli_fail(args, CLI_WORLD, "%s changed while it was read", l->name);
    }
    s.path = &prover.proof;
    lg_statement_write(out, &s);
    return CLI_HOLDS;
}

/* Read twice: first the whole ledger is verified, then the proof is made. A proof from
 * a ledger that does not verify would be worth nothing. */
static int prove(const cli_args *args, mt_arena *a, cli_ledger *l, mt_buf *out)
{
    wish w;
    lg_finding f;
    int code = read_wish(args, l, &w);
    if (code) {
        return code;
    }
    lg_verify_source(&l->source, NULL, &f);
    code = cli_ledger_fault(args, l, &f);
    code = code ? code : check_wish(args, &f, &w);
    code = code ? code : cli_ledger_rewind(args, l);
    return code ? code : make(args, a, l, &w, out);
}

int cmd_ledger_prove(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    cli_ledger l;
    int code = cli_ledger_open(args, 0, &l);
    code = code ? code : prove(args, &a, &l, &out);
    code = code ? code : cli_write_out(args, mt_buf_str(&out));
    cli_ledger_close(&l);
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}
