/* cli/audit_text.c - an audit as text for people, and as JSON for programs.
 *
 * Text: what was verified, then who was allowed what by each version, then what was
 * decided, one line each with the reason of a refusal below it. JSON says the same;
 * decisions are there as receipts have them. Nothing here can fail. */
#include "base/json_write.h"
#include "cli/audit.h"
#include "os/key_file.h"

/* ---- text ---- */

static void add_short(mt_buf *out, mt_str etag)
{
    /* Enough to tell versions apart by eye; JSON has all of it. */
    enum { SHOWN = 12 };
    cli_add_plain(out, mt_str_from(etag.ptr, etag.len < SHOWN ? etag.len : SHOWN));
}

/* Literals are its author's. */
static void add_condition(mt_buf *out, const ct_model *m, const ct_operation *op)
{
    mt_buf text = {0};
    cli_condition(&text, m, op);
    cli_add_plain(out, mt_buf_str(&text));
    mt_buf_free(&text);
}

/* "contract escrow, version 3f2a…, records 4 to 90, TIME to TIME", then a line for each
 * operation. Without its rules nothing can be said about who was allowed what, so the
 * reader is told how an export gets them. */
static void add_version(mt_buf *out, const cli_rules *r)
{
    const cli_named_version *v = r->version;
    mt_buf_addz(out, "\ncontract ");
    cli_add_plain(out, v->contract);
    mt_buf_addz(out, ", version ");
    add_short(out, v->etag);
    mt_buf_addf(out, ", records %llu to %llu, ", (unsigned long long)v->first,
                (unsigned long long)v->last);
    cli_add_plain(out, v->first_time);
    mt_buf_addz(out, " to ");
    cli_add_plain(out, v->last_time);
    mt_buf_addc(out, '\n');
    if (!r->model) {
        mt_buf_addz(out, "  its rules are not in the export (ledger export "
                         "--with-contracts)\n");
        return;
    }
    for (uint32_t i = 0; i < r->model->operation_count; i++) {
        const ct_operation *op = &r->model->operations[i];
        mt_buf_addf(out, "  %-24.*s may be done by ", MT_ARG(op->id));
        cli_allowed(out, r->model, op);
        mt_buf_addz(out, op->precondition ? "\n    if " : "");
        add_condition(out, r->model, op);
        mt_buf_addc(out, '\n');
    }
}

/* "    17  TIME  WHO as PERSONA: WHAT on INSTANCE, RESULT", and below it "because ..."
 * of a refusal. Every text goes through cli_add_plain(): who writes to a ledger must
 * not be able to command the auditor's terminal. */
static void add_decision(mt_buf *out, const cli_audited *d)
{
    const cli_decision *s = &d->said;
    mt_buf_addf(out, "%6llu  ", (unsigned long long)d->seq);
    cli_add_plain(out, s->time);
    mt_buf_addz(out, "  ");
    cli_add_plain(out, s->who);
    mt_buf_addz(out, s->as.len ? " as " : "");
    cli_add_plain(out, s->as);
    mt_buf_addz(out, ": ");
    cli_add_plain(out, s->what);
    mt_buf_addz(out, s->on.len ? " on " : "");
    cli_add_plain(out, s->on);
    mt_buf_addz(out, s->result.len ? ", " : "");
    cli_add_plain(out, s->result);
    if (s->why.len) {
        mt_buf_addz(out, "\n        because ");
        cli_add_plain(out, s->why);
    }
    if (s->etag.len) {
        mt_buf_addz(out, " [");
        cli_add_plain(out, s->contract);
        mt_buf_addc(out, ' ');
        add_short(out, s->etag);
        mt_buf_addc(out, ']');
    }
    mt_buf_addc(out, '\n');
}

static void add_head(mt_buf *out, const cli_audit *a)
{
    char id[MT_SHA256_HEX];
    mt_hex(a->ledger.bytes, MT_SHA256_BYTES, id);
    mt_buf_addf(out, "ledger %.16s..., %llu records, consistent\nsigned by ", id,
                (unsigned long long)a->found.records);
    cli_signed_words(out, &a->found);
    mt_buf_addf(out, "\ndecisions %zu, of them refused %zu\n", a->decisions.len,
                a->refused);
}

void cli_audit_text(mt_buf *out, const cli_audit *a)
{
    add_head(out, a);
    mt_buf_addz(out, "\nWHO WAS ALLOWED WHAT\n");
    for (size_t i = 0; i < a->rules.len; i++) {
        add_version(out, &a->rules.items[i]);
    }
    mt_buf_addz(out, "\nWHAT WAS DECIDED\n\n");
    for (size_t i = 0; i < a->decisions.len; i++) {
        add_decision(out, &a->decisions.items[i]);
    }
}

/* ---- JSON ---- */

/* Keys ascend, as the JSON writer demands in debug builds; an operation without a
 * precondition has an empty text there. */
static void operation_json(mt_jw *w, const ct_model *m, const ct_operation *op)
{
    mt_buf text = {0};
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "operation", op->id);
    mt_jw_keyz(w, "personas");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < op->persona_count; i++) {
        mt_jw_str(w, m->names[CT_KIND_PERSONA].entries[op->personas[i]].key);
    }
    mt_jw_end_array(w);
    cli_condition(&text, m, op);
    mt_jw_key_str(w, "precondition", mt_buf_str(&text));
    mt_jw_end_object(w);
    mt_buf_free(&text);
}

/* Without its rules a version has no "operations": that is not the same as a contract
 * without any, which has an empty list. */
static void version_json(mt_jw *w, const cli_rules *r)
{
    const cli_named_version *v = r->version;
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "contract", v->contract);
    mt_jw_key_str(w, "etag", v->etag);
    mt_jw_key_i64(w, "first_record", (int64_t)v->first);
    mt_jw_key_str(w, "first_time", v->first_time);
    mt_jw_key_i64(w, "last_record", (int64_t)v->last);
    mt_jw_key_str(w, "last_time", v->last_time);
    if (r->model) {
        mt_jw_keyz(w, "operations");
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < r->model->operation_count; i++) {
            operation_json(w, r->model, &r->model->operations[i]);
        }
        mt_jw_end_array(w);
    }
    mt_jw_end_object(w);
}

static void decision_json(mt_jw *w, const cli_audited *d)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "decision");
    /* Canonical already: the bytes a receipt has. */
    mt_jw_raw(w, d->decision);
    mt_jw_key_i64(w, "record", (int64_t)d->seq);
    mt_jw_key_bool(w, "refused", d->said.refused);
    if (d->said.why.len) {
        mt_jw_key_str(w, "why", d->said.why);
    }
    mt_jw_end_object(w);
}

/* What the rest rests on. "signer" is there only if a checkpoint was signed, and
 * "believed_key" is true when only the ledger itself names that key: nobody who reads
 * has said that it is the right one. */
static void verified_json(mt_jw *w, const cli_audit *a)
{
    char hex[MT_SHA256_HEX], name[MT_SIGN_NAME];
    mt_jw_keyz(w, "verified");
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "attested", (int64_t)a->found.attested);
    mt_jw_key_bool(w, "believed_key", a->found.believed);
    mt_hex(a->ledger.bytes, MT_SHA256_BYTES, hex);
    mt_jw_key_str(w, "ledger", mt_str_from(hex, sizeof hex));
    mt_jw_key_i64(w, "records", (int64_t)a->found.records);
    if (a->found.any_attested) {
        mt_sign_name(&a->found.signer, name);
        mt_jw_key_str(w, "signer", mt_str_z(name));
    }
    mt_jw_end_object(w);
}

void cli_audit_json(mt_buf *out, const cli_audit *a)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "contracts");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < a->rules.len; i++) {
        version_json(&w, &a->rules.items[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "decisions");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < a->decisions.len; i++) {
        decision_json(&w, &a->decisions.items[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_key_i64(&w, "refused", (int64_t)a->refused);
    verified_json(&w, a);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}
