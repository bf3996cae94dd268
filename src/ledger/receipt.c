/* ledger/receipt.c - receipts: written, read, checked.
 * Room: ledger.
 * Written with keys in byte order. Read by forms, then written again and compared with
 * what was read: so nothing is missing, added or spelled in another way. Checked in the
 * order of what costs least: whose keys, which ledger, then the signature of the
 * promise, then (if it is complete) size, signature and proof of the checkpoint. May
 * fail: a document that is none; whatever does not hold is a sentence. */
#include "ledger/receipt.h"

#include "base/form.h"
#include "ledger/note.h"

/* ---- writing ---- */

/* The bytes that are signed.
 * The key is not among them: a signature binds it by verifying. */
static void write_promise(mt_jw *w, const lg_receipt *r)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "decision");
    mt_jw_raw(w, r->decision);
    mt_jw_key_str(w, "domain", r->domain);
    mt_jw_key_hex(w, "hash", r->hash.bytes, MT_SHA256_BYTES);
    mt_jw_key_hex(w, "ledger", r->ledger.bytes, MT_SHA256_BYTES);
    if (r->log.len) {
        mt_jw_key_str(w, "origin", r->log);
    }
    mt_jw_key_i64(w, "record", (int64_t)r->seq);
    mt_jw_end_object(w);
}

static mt_buf promise_text(const lg_receipt *r)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    write_promise(&w, r);
    return text;
}

void lg_receipt_sign(lg_receipt *r, const mt_sign_key *key)
{
    mt_buf text = promise_text(r);
    r->key = key->open;
    r->signature = mt_sign(key, mt_buf_str(&text));
    mt_buf_free(&text);
}

static void write_checkpoint(mt_jw *w, const lg_checkpoint *c)
{
    mt_buf line = {0};
    lg_checkpoint_write(&line, c);
    mt_jw_keyz(w, "checkpoint");
    mt_jw_raw(w, mt_str_from(line.ptr, line.len - 1));
    mt_buf_free(&line);
}

static void write_witnesses(mt_jw *w, const lg_receipt *r)
{
    mt_jw_keyz(w, "witnesses");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < r->witness_count; i++) {
        mt_jw_str(w, r->witnesses[i]);
    }
    mt_jw_end_array(w);
}

void lg_receipt_write(mt_buf *out, const lg_receipt *r)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (r->complete) {
        write_checkpoint(&w, &r->checkpoint);
        lg_path_write(&w, r->path);
    }
    mt_jw_key_hex(&w, "key", r->key.bytes, MT_SIGN_PUBLIC);
    if (r->complete) {
        mt_jw_key_str(&w, "origin", r->origin);
    }
    mt_jw_keyz(&w, "promise");
    write_promise(&w, r);
    mt_jw_key_hex(&w, "signature", r->signature.bytes, MT_SIGN_BYTES);
    if (r->complete) {
        write_witnesses(&w, r);
    }
    mt_jw_end_object(&w);
}

/* ---- reading ---- */

typedef struct document {
    mt_str key, signature, origin;
    const mt_json *promise, *checkpoint, *hashes, *witnesses;
} document;
static const mt_form_row DOCUMENT[] = {
    MT_FORM_TEXT(document, key, "key", MT_FORM_REQUIRED),
    MT_FORM_TEXT(document, signature, "signature", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(document, promise, "promise", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(document, checkpoint, "checkpoint", 0),
    MT_FORM_TEXT(document, origin, "origin", 0),
    MT_FORM_TEXTS(document, hashes, "hashes", 0, LG_PROOF_MOST, 0),
    MT_FORM_TEXTS(document, witnesses, "witnesses", 0, LG_WITNESSES_MOST, 0),
};

typedef struct promise {
    const mt_json *decision;
    mt_str domain, hash, ledger, log;
    int64_t seq;
} promise;
static const mt_form_row PROMISE[] = {
    MT_FORM_OBJECT(promise, decision, "decision", MT_FORM_REQUIRED),
    MT_FORM_TEXT(promise, domain, "domain", MT_FORM_REQUIRED),
    MT_FORM_TEXT(promise, hash, "hash", MT_FORM_REQUIRED),
    MT_FORM_TEXT(promise, ledger, "ledger", MT_FORM_REQUIRED),
    MT_FORM_TEXT(promise, log, "origin", 0),
    MT_FORM_INT(promise, seq, "record", 0, INT64_MAX, MT_FORM_REQUIRED),
};

static bool read_promise(mt_arena *a, const mt_json *node, lg_receipt *out)
{
    promise p = {0};
    mt_form form = {.arena = a, .what = "a promise"};
    if (!mt_form_read(&form, node, PROMISE, mt_form_count(PROMISE), &p) ||
        !mt_unhex(p.hash, out->hash.bytes, MT_SHA256_BYTES) ||
        !mt_unhex(p.ledger, out->ledger.bytes, MT_SHA256_BYTES)) {
        return false;
    }
    /* Signed were the canonical bytes, whatever layout the file has. */
    out->decision = lg_compact(a, p.decision);
    out->domain = p.domain;
    out->log = p.log;
    out->seq = (uint64_t)p.seq;
    return true;
}

/* All of them, or none. */
static bool read_rest(mt_arena *a, const document *d, lg_receipt *out)
{
    out->complete = d->checkpoint && d->hashes && d->witnesses && d->origin.ptr;
    if (!out->complete) {
        return !d->checkpoint && !d->hashes && !d->witnesses && !d->origin.ptr;
    }
    out->origin = d->origin;
    mt_str *lines = mt_new_array(a, mt_str, d->witnesses->count);
    for (uint32_t i = 0; i < d->witnesses->count; i++) {
        lines[i] = mt_json_text(&d->witnesses->as.items[i]);
    }
    out->witnesses = lines;
    out->witness_count = d->witnesses->count;
    return lg_path_read(a, d->hashes, &out->path) &&
           !lg_checkpoint_read(a, lg_compact(a, d->checkpoint), &out->checkpoint);
}

static bool read_parts(mt_arena *a, const mt_json *root, lg_receipt *out)
{
    document d = {0};
    mt_form form = {.arena = a, .what = "a receipt"};
    return mt_form_read(&form, root, DOCUMENT, mt_form_count(DOCUMENT), &d) &&
           mt_unhex(d.key, out->key.bytes, MT_SIGN_PUBLIC) &&
           mt_unhex(d.signature, out->signature.bytes, MT_SIGN_BYTES) &&
           read_promise(a, d.promise, out) && read_rest(a, &d, out);
}

mt_err lg_receipt_read(mt_arena *a, mt_str text, lg_receipt *out)
{
    mt_json root;
    mt_buf again = {0};
    *out = (lg_receipt){0};
    bool good = !mt_json_read(a, text, NULL, &root, NULL) && read_parts(a, &root, out);
    if (good) {
        lg_receipt_write(&again, out);
        good = mt_str_eq(mt_buf_str(&again), lg_compact(a, &root));
    }
    mt_buf_free(&again);
    return good ? MT_OK : MT_E_CORRUPT;
}

/* ---- checking ---- */

static bool is_one_of(const lg_receipt_demand *d, const mt_sign_public *key)
{
    for (size_t i = 0; i < d->key_count; i++) {
        if (memcmp(key->bytes, d->keys[i].bytes, MT_SIGN_PUBLIC) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_signed(const lg_receipt *r)
{
    mt_buf text = promise_text(r);
    bool good = mt_sign_verify(&r->key, mt_buf_str(&text), &r->signature);
    mt_buf_free(&text);
    return good;
}

/* What the executor signed for says it; witnesses, if there are any, signed under the
 * same name. */
static bool is_of_log(const lg_receipt *r, mt_str wanted)
{
    char made[LG_MADE_NAME];
    mt_str is = r->log.len ? r->log : lg_made_name(&r->ledger, made);
    return mt_str_eq(is, wanted) &&
           (!r->complete || !r->origin.len || mt_str_eq(r->origin, wanted));
}

static const char *promise_fault(const lg_receipt *r, const lg_receipt_demand *d)
{
    return !is_one_of(d, &r->key) ? "it is signed by another key"
           : d->domain.ptr && !mt_str_eq(d->domain, r->domain)
               ? "it is of another trust domain than expected"
           : d->ledger && memcmp(d->ledger->bytes, r->ledger.bytes, MT_SHA256_BYTES)
               ? "it is of another ledger than expected"
           : d->origin.ptr && !is_of_log(r, d->origin)
               ? "it is of another log than --origin says"
           : !is_signed(r) ? "the signature is wrong"
                           : NULL;
}

/* A trust domain may be declared after the promise was given, never changed. */
static const char *rest_fault(const lg_receipt *r, const lg_receipt_demand *d)
{
    const lg_checkpoint *c = &r->checkpoint;
    if (!is_one_of(d, &c->key)) {
        return "its checkpoint is signed by another key";
    }
    if (r->domain.len && !mt_str_eq(r->domain, c->domain)) {
        return "its checkpoint is of another trust domain";
    }
    /* Numbers begin at 0, so a ledger of N records ends with N - 1. */
    if (c->size <= r->seq) {
        return "its checkpoint does not reach the record";
    }
    if (!lg_checkpoint_verify(c)) {
        return "the signature of its checkpoint is wrong";
    }
    mt_sha256 leaf = lg_leaf(&r->hash);
    return lg_check_inclusion(&c->root, c->size, r->seq, &leaf, r->path)
               ? NULL
               : "the record is not in the ledger of its checkpoint";
}

const char *lg_receipt_fault(const lg_receipt *r, const lg_receipt_demand *demand)
{
    const char *fault = promise_fault(r, demand);
    return fault || !r->complete ? fault : rest_fault(r, demand);
}
