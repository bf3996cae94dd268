/* cli/cmd_whatif.c - motet whatif: the decisions of a ledger under another contract.
 *
 * The ledger is read once, from a file or a store; with --verify the same lines go
 * through the verifier. Records are replayed by the room whatif, which reports every
 * decision that would differ; the first few are shown with reasons, all of them as
 * JSON lines with --json, and a summary at the end.
 *
 * A record that cannot be read ends the command with its place. Exit status 1: at
 * least one decision differs. */
#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/ledger.h"
#include "whatif/whatif.h"

/* clang-format off */
const cli_option CMD_WHATIF_OPTIONS[] = {
    {"contract", "ID",   "the contract whose decisions are replayed; NEW's own id"},
    {"etag",     "ETAG", "only decisions of this version of it"},
    {"examples", "N",    "differences to show with reasons; 10"},
    {"json",     NULL,   "every difference as a JSON line, then the summary"},
    {"verify",   NULL,   "check the ledger's hashes and signatures meanwhile"},
    CLI_LEDGER_STORE_OPTION,
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_WHATIF_DETAILS[] =
    "Decides every operation and flow of LEDGER again under the contract NEW: from "
    "the\n"
    "facts, personas, bindings and states that were recorded, and says which would "
    "come\n"
    "out differently and why. LEDGER is what `motet ledger export` writes (\"-\": "
    "standard\n"
    "input); with --store only NEW is given. Facts that were defaults take NEW's "
    "default.\n\n"
    "Exit status 1: at least one decision differs.";

typedef struct replay {
    const cli_args *args;
    bool json;       /* a line per difference, then the summary */
    size_t examples; /* in text: so many more are shown */
    mt_buf out;      /* flushed as it grows */
    int code;        /* of printing */
} replay;

/* After stdout failed nothing more is written; the replay ends with that code. */
static void flush(replay *r, size_t above)
{
    if (r->out.len > above && !r->code) {
        r->code = cli_print(mt_buf_str(&r->out));
        mt_buf_clear(&r->out);
    }
}

/* In text only the first few are shown, in JSON all are, one line each as they are
 * found. */
static void found(void *state, const wi_whatif_difference *d)
{
    replay *r = state;
    if (r->json) {
        wi_whatif_json(&r->out, d);
        mt_buf_addc(&r->out, '\n');
    } else if (r->examples) {
        r->examples--;
        wi_whatif_text(&r->out, d);
    }
    flush(r, 1 << 16);
}

/* ---- The summary ---- */

typedef struct summary_row {
    const char *name;
    uint64_t value;
    const char *text; /* shown when it is not zero; NULL: in JSON only */
    bool rare;        /* in JSON only where there are any */
} summary_row;

static void kinds_json(mt_jw *w, const wi_whatif_counts *c)
{
    mt_jw_keyz(w, "kinds");
    mt_jw_begin_unsorted(w);
    for (int i = 0; i < WI_WHATIF_KIND_COUNT; i++) {
        if (c->kinds[i]) {
            mt_jw_key(w, mt_str_z(wi_whatif_kind_name((wi_whatif_kind)i)));
            mt_jw_i64(w, (int64_t)c->kinds[i]);
        }
    }
    mt_jw_end_object(w);
}

static void summary_json(mt_buf *out, const summary_row *rows, size_t count,
                         const wi_whatif_counts *c)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "summary");
    mt_jw_begin_object(&w);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].rare && !rows[i].value) {
            continue;
        }
        if (strcmp(rows[i].name, "operations") == 0) {
            kinds_json(&w, c); /* its place by name */
        }
        mt_jw_key(&w, mt_str_z(rows[i].name));
        mt_jw_i64(&w, (int64_t)rows[i].value);
    }
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static void summary_text(mt_buf *out, const summary_row *rows, size_t count,
                         const wi_whatif_counts *c)
{
    mt_buf_addf(out, "%llu of %llu decisions would differ (%llu operations, ",
                (unsigned long long)c->differing,
                (unsigned long long)(c->operations + c->flows),
                (unsigned long long)c->operations);
    mt_buf_addf(out, "%llu flows)\n", (unsigned long long)c->flows);
    for (int i = 0; i < WI_WHATIF_KIND_COUNT; i++) {
        if (c->kinds[i]) {
            mt_buf_addf(out, "%8llu  %-10s  %s\n", (unsigned long long)c->kinds[i],
                        wi_whatif_kind_name((wi_whatif_kind)i),
                        wi_whatif_kind_help((wi_whatif_kind)i));
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].text && rows[i].value) {
            mt_buf_addf(out, "%8llu  %s\n", (unsigned long long)rows[i].value,
                        rows[i].text);
        }
    }
}

/* Rows in order of their names, which is the order of keys in JSON. Those with text are
 * shown in words when they are not zero. */
static void summary(replay *r, const wi_whatif_counts *c)
{
    const summary_row rows[] = {
        {"asked", c->asked, "decisions that somebody asked for (AuthZEN), not judged",
         true},
        {"decisions", c->operations + c->flows, NULL, false},
        {"differing", c->differing, NULL, false},
        {"flows", c->flows, NULL, false},
        {"foreign", c->foreign, "decisions of other contracts or versions left out",
         false},
        {"operations", c->operations, NULL, false},
        {"orphans", c->orphans, "records of flows whose beginning is not there", false},
        {"records", c->records, NULL, false},
        {"under_way", c->under_way, "flows not ended, compared as far as they came",
         false},
        {"unknown", c->unknown, "flows not replayed: their states are not recorded",
         false},
    };
    size_t count = sizeof rows / sizeof *rows;
    if (r->json) {
        summary_json(&r->out, rows, count, c);
    } else {
        summary_text(&r->out, rows, count, c);
    }
}

/* ---- Reading ---- */

static int bad_record(const replay *r, const cli_ledger *l, uint64_t line, mt_err err)
{
    return cli_fail(r->args, CLI_FAILS, "%s, line %llu: %s", l->name,
                    (unsigned long long)line,
                    err == MT_E_LIMIT ? "more flows are under way than the limit "
                                        "whatif_flows, or the record is too large"
                                      : "this is not a record of a decision");
}

/* Records go to the replay, checkpoints are left to the verifier. */
static int take_line(replay *r, const cli_ledger *l, wi_whatif *w, mt_str text,
                     uint64_t line)
{
    lg_line parts;
    if (mt_str_starts(text, MT_STR("{\"checkpoint\":"))) {
        return CLI_HOLDS;
    }
    mt_err err = lg_line_split(text, &parts);
    err = err ? err : wi_whatif_record(w, parts.seq, parts.body);
    return err ? bad_record(r, l, line, err) : r->code;
}

/* With --verify the chain is checked line by line while it is replayed, so the ledger
 * is read once; a broken chain ends the replay without a summary. */
static int read_all(replay *r, const cli_ledger *l, wi_whatif *w)
{
    bool verify = cli_flag(r->args, "verify");
    lg_verifier v;
    lg_finding f;
    mt_str text;
    mt_err err = MT_OK;
    uint64_t line = 0;
    int code = CLI_HOLDS;
    lg_verify_start(&v, NULL, &f);
    while (!code && !(err = l->source.next(l->source.state, &text))) {
        line++;
        if (verify && !lg_verify_line(&v, text)) {
            break;
        }
        code = take_line(r, l, w, text, line);
    }
    lg_verify_end(&v);
    code = code ? code : cli_ledger_stop(r->args, l, err, line + 1);
    code = code || !verify ? code : cli_ledger_fault(r->args, l, &f);
    err = code ? MT_OK : wi_whatif_end(w);
    return err ? bad_record(r, l, line, err) : code;
}

/* Nothing to decide is a failure when there are decisions of others: most likely a name
 * is wrong. */
static int finish(replay *r, const wi_whatif *w)
{
    const wi_whatif_counts *c = wi_whatif_result(w);
    summary(r, c);
    flush(r, 0);
    if (!r->code && !c->operations && !c->flows && c->foreign) {
        return cli_fail(r->args, CLI_FAILS,
                        "the ledger has no such decision; it has some of contract "
                        "'%.*s' (--contract, --etag)",
                        MT_ARG(wi_whatif_foreign(w)));
    }
    return r->code ? r->code : c->differing ? CLI_FAILS : CLI_HOLDS;
}

/* Reasons cost time; in text they are made only for as many differences as are
 * shown. */
static int run(replay *r, const cli_engine *e, const cli_ledger *l)
{
    wi_whatif_options o = {.candidate = e->x.plan,
                           .limits = &e->contract.limits,
                           .contract = mt_str_z(cli_value(r->args, "contract")),
                           .etag = mt_str_z(cli_value(r->args, "etag")),
                           .explain = r->json ? SIZE_MAX : r->examples,
                           .found = found,
                           .state = r};
    wi_whatif *w = wi_whatif_new(&o);
    int code = read_all(r, l, w);
    code = code ? code : finish(r, w);
    wi_whatif_free(w);
    return code;
}

int cmd_whatif(const cli_args *args)
{
    replay r = {.args = args, .json = cli_flag(args, "json"), .examples = 10};
    int wanted = cli_value(args, "store") ? 1 : 2;
    if (args->count != wanted) {
        return cli_fail(args, CLI_USAGE, "%s",
                        wanted == 1 ? "with --store only NEW is given"
                                    : "LEDGER (or --store) and NEW are needed");
    }
    if (!cli_number(args, "examples", SIZE_MAX / 2, &r.examples)) {
        return CLI_USAGE;
    }
    cli_engine e;
    cli_ledger l;
    int code = cli_engine_load(args, args->operands[wanted - 1], &e);
    if (!code) {
        code = cli_ledger_open(args, 0, &l);
        code = code ? code : run(&r, &e, &l);
        cli_ledger_close(&l);
    }
    mt_buf_free(&r.out);
    cli_engine_free(&e);
    return code;
}
