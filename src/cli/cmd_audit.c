/* cli/cmd_audit.c - motet audit: who was allowed what, when, by which version, and why
 * something was refused.
 *
 * The ledger is verified while it is read (ledger/verify.h); of one that does not hold
 * nothing is told but that. A record becomes a decision (exec/evidence/decision.h), a
 * document whose digest is the etag of a version becomes its rules. Everything that is
 * told comes from lines that were verified, and how far a signature covers them is said
 * first.
 *
 * May fail: the file or the store; a contract that this program cannot load is told as
 * not there. */
#include "base/diag.h"
#include "cli/audit.h"
#include "cli/commands.h"
#include "contract/flow/text.h"
#include "contract/wire/admit.h"
#include "exec/evidence/decision.h"
#include "ledger/document.h"
#include "os/key_file.h"

/* clang-format off */
const cli_option CMD_AUDIT_OPTIONS[] = {
    {"key",    "KEY",  "a public key that may sign: file, hex or base64 (repeats)"},
    {"require-signature", NULL, "fail unless a checkpoint that counts signs for it"},
    {"domain", "TEXT", "the trust domain it must be of"},
    {"json",   NULL,   "print the report as JSON"},
    {"html",   "FILE", "write the report as one page, without a script"},
    CLI_LEDGER_STORE_OPTION,
    {NULL, NULL, NULL},
};

const char CMD_AUDIT_DETAILS[] =
"Reads an export (`motet ledger export --with-contracts`), verifies it, and tells\n"
"who was allowed what by which version of which contract, who did what when, and\n"
"why something was refused. A ledger that does not hold is not told.";
/* clang-format on */

/* ---- words ---- */

void cli_allowed(mt_buf *out, const ct_model *m, const ct_operation *op)
{
    for (uint32_t i = 0; i < op->persona_count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? ", " : "",
                    MT_ARG(m->names[CT_KIND_PERSONA].entries[op->personas[i]].key));
    }
}

void cli_condition(mt_buf *out, const ct_model *m, const ct_operation *op)
{
    if (op->precondition) {
        ct_expr_text(out, m, op->precondition);
    }
}

void cli_signed_words(mt_buf *out, const lg_finding *f)
{
    char name[MT_SIGN_NAME];
    if (!f->any_attested) {
        mt_buf_addz(out, "nobody");
        return;
    }
    mt_sign_name(&f->signer, name);
    if (f->attested == f->records) {
        mt_buf_addf(out, "%s, all of them", name);
    } else {
        mt_buf_addf(out, "%s, the first %llu", name, (unsigned long long)f->attested);
    }
    mt_buf_addz(out, f->believed ? " (a key that only the ledger itself names)" : "");
}

/* ---- reading ---- */

/* Every record is noted with the version it names, also one that decides nothing.
 * Record 0 gives the ledger its name, which is its hash. */
static void take_record(cli_audit *a, const lg_entry *e)
{
    mt_json tree;
    cli_audited one = {.seq = e->seq};
    mt_str body = mt_str_dup(&a->arena, e->body);
    if (!e->seq) {
        a->ledger = e->hash;
    }
    cli_named_note(&a->versions, e->seq, body);
    if (ex_decision_of(&a->arena, body, &one.decision) ||
        mt_json_read(&a->arena, one.decision, NULL, &tree, NULL)) {
        return;
    }
    cli_decision_read(&a->arena, &tree, &one.said);
    a->refused += one.said.refused;
    if (one.said.decides) {
        mt_vec_push(&a->arena, &a->decisions, one);
    }
}

/* Documents of the export by their digest, which is the etag of the version. */
typedef struct bundles {
    mt_map by_digest; /* -> mt_str * */
} bundles;

/* What cannot be read is passed over; the version then has no rules to show. */
static void take_document(cli_audit *a, bundles *b, mt_str line)
{
    mt_str body, digest;
    if (!lg_document_read(line, &body, &digest)) {
        mt_str *kept = mt_new(&a->arena, mt_str);
        *kept = mt_str_dup(&a->arena, body);
        mt_map_put(&a->arena, &b->by_digest, mt_str_dup(&a->arena, digest),
                   (uintptr_t)kept);
    }
}

/* Lines are taken only after the verifier has passed them. */
static int read_lines(const cli_args *args, cli_audit *a, bundles *b, cli_ledger *l,
                      const lg_expectation *expect)
{
    lg_verifier v;
    mt_str line;
    mt_err err;
    cli_ledger_with_documents(l);
    lg_verify_start(&v, expect, &a->found);
    while (!(err = l->source.next(l->source.state, &line)) &&
           lg_verify_line(&v, line)) {
        lg_entry e;
        /* What kind of line it is was the verifier's to say; it is not guessed again
         * here. */
        if (a->found.about_record && !lg_entry_read(line, &e)) {
            take_record(a, &e);
        } else if (lg_is_document(line)) {
            take_document(a, b, line);
        }
    }
    int code = cli_ledger_stop(args, l, err, lg_lines_read(&a->found) + 1);
    cli_ledger_compare(l, &a->found);
    lg_verify_end(&v);
    return code ? code : cli_ledger_fault(args, l, &a->found);
}

/* ---- rules ---- */

static mt_str bundle_of(cli_audit *a, const bundles *b, cli_ledger *l,
                        const cli_named_version *v)
{
    mt_str text = {0};
    const mt_str *kept = (const mt_str *)mt_map_get(&b->by_digest, v->etag, 0);
    if (kept) {
        return *kept;
    }
    /* A store has the contracts themselves; an export only with --with-contracts. */
    if (l->rows && ex_ledger_bundle(l->rows, &a->arena, v->contract, v->etag, &text)) {
        text = (mt_str){0};
    }
    return text;
}

/* NULL: it is not there, or this program cannot read it. Which of the two is not told:
 * for an auditor the rules are missing either way. */
static const ct_model *load(cli_audit *a, mt_str bundle, const mt_limits *limits)
{
    mt_diags ds = {.arena = &a->arena};
    ct_admitted admitted = {0};
    if (!bundle.len ||
        ct_admit(&a->arena, MT_STR("contract"), bundle, limits, &ds, &admitted)) {
        return NULL;
    }
    return admitted.model;
}

static void find_rules(const cli_args *args, cli_audit *a, const bundles *b,
                       cli_ledger *l)
{
    mt_limits limits = cli_limits(args);
    for (size_t i = 0; i < a->versions.list.len; i++) {
        const cli_named_version *v = &a->versions.list.items[i];
        cli_rules r = {v, load(a, bundle_of(a, b, l, v), &limits)};
        mt_vec_push(&a->arena, &a->rules, r);
    }
}

/* ---- telling ---- */

/* With --html the page is written and nothing printed, unless --json asks for both. */
static int tell(const cli_args *args, const cli_audit *a)
{
    mt_buf out = {0};
    const char *page = cli_value(args, "html");
    int code = CLI_HOLDS;
    if (page) {
        cli_audit_page(&out, a);
        code = cli_write_text(args, page, mt_buf_str(&out));
        mt_buf_clear(&out);
    }
    if (cli_flag(args, "json")) {
        cli_audit_json(&out, a);
    } else if (!page) {
        cli_audit_text(&out, a);
    }
    code = code ? code : cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    /* After the report: it is told what was found, and then that it is not enough. */
    if (!code && cli_flag(args, "require-signature") && !a->found.any_attested) {
        code =
            cli_fail(args, CLI_FAILS, "%s: consistent, but signed by nobody", a->name);
    }
    return code;
}

/* Keys first: without them nobody could say whose signature counts. */
int cmd_audit(const cli_args *args)
{
    cli_audit a = {0};
    bundles b = {0};
    cli_ledger l;
    lg_expectation expect = {.domain = mt_str_z(cli_value(args, "domain"))};
    int code = cli_read_publics(args, &a.arena, &expect.keys, &expect.key_count);
    if (code) {
        mt_arena_free(&a.arena);
        return code;
    }
    code = cli_ledger_open(args, 0, &l);
    code = code ? code : read_lines(args, &a, &b, &l, &expect);
    if (!code) {
        a.name = l.name;
        find_rules(args, &a, &b, &l);
        code = tell(args, &a);
    }
    cli_ledger_close(&l);
    cli_named_free(&a.versions);
    mt_arena_free(&a.arena);
    return code;
}
