/* ledger/tell.c - findings as JSON, and receipts judged by keys and witnesses alone.
 * Room: ledger.
 * Three parts: what a verified ledger is, a proof between checkpoints, a receipt. Each
 * has a judgement, NULL or one sentence, and a way to tell it; signatures, hashes
 * and paths were verified by others before, here it is asked whose they are, and which
 * witnesses signed the very head that the receipt proves.
 *
 * INVARIANT: without expected keys any key will do, and the text says so by naming the
 * signer; a cosignature from the future counts nothing. Only reading may fail. */
#include "ledger/tell.h"

#include "base/json_write.h"

/* Hashes are shown whole in JSON: programs compare them. */
static void key_hash(mt_jw *w, mt_str key, const mt_sha256 *hash)
{
    char hex[MT_SHA256_HEX];
    mt_hex(hash->bytes, MT_SHA256_BYTES, hex);
    mt_jw_key(w, key);
    mt_jw_str(w, mt_str_from(hex, sizeof hex));
}

/* Also of a ledger that does not hold: then `problem` and its place say why. */
void lg_tell_finding(mt_buf *out, const lg_finding *f, const lg_cosigned_note *named,
                     const lg_cosigned_note *witnessed)
{
    char name[MT_SIGN_NAME];
    mt_sha256 root = lg_frontier_root(&f->end.tree);
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "attested", (int64_t)f->attested);
    mt_jw_key_bool(&w, "believed_key", f->believed);
    mt_jw_key_i64(&w, "checkpoints", (int64_t)f->checkpoints);
    mt_jw_key_i64(&w, "documents", (int64_t)f->documents);
    key_hash(&w, MT_STR("head"), &f->end.head);
    mt_jw_key_bool(&w, "holds", !f->problem);
    if (f->problem) {
        mt_jw_key_i64(&w, "line", (int64_t)f->line);
    }
    if (named) {
        mt_jw_key_str(&w, "origin", named->read.head.origin);
    }
    if (f->problem) {
        mt_jw_key_str(&w, "problem", mt_str_z(f->problem));
    }
    if (f->problem && f->about_record) {
        mt_jw_key_i64(&w, "record", (int64_t)f->seq);
    }
    mt_jw_key_i64(&w, "records", (int64_t)f->records);
    key_hash(&w, MT_STR("root"), &root);
    mt_jw_key_bool(&w, "signed", f->any_attested);
    if (f->checkpoints) {
        mt_sign_name(&f->signer, name);
        mt_jw_key_str(&w, "signer", mt_str_z(name));
    }
    if (witnessed) {
        mt_jw_key_i64(&w, "witnessed", (int64_t)witnessed->read.head.size);
        mt_jw_key_i64(&w, "witnesses", (int64_t)witnessed->count);
        mt_jw_key_i64(&w, "witnesses_ahead", (int64_t)witnessed->ahead);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* ---- Proofs ---- */

/* Without expected keys any key will do. */
static bool is_one_of(const mt_sign_public *key, const lg_expectation *expect)
{
    for (size_t i = 0; i < expect->key_count; i++) {
        if (memcmp(key->bytes, expect->keys[i].bytes, MT_SIGN_PUBLIC) == 0) {
            return true;
        }
    }
    return !expect->key_count;
}

/* NULL: none. The signature itself has been verified before; this is about whose it
 * is. */
static const char *checkpoint_fault(const lg_checkpoint *c,
                                    const lg_expectation *expect)
{
    return !is_one_of(&c->key, expect) ? "a checkpoint is signed by another key"
           : expect->domain.ptr && !mt_str_eq(expect->domain, c->domain)
               ? "a checkpoint is of another trust domain than expected"
               : NULL;
}

const char *lg_proof_fault(const lg_statement *s, const lg_checkpoint *points,
                           size_t count, const lg_expectation *expect)
{
    /* The order in which the two were given does not matter: the larger is the later.
     */
    bool swapped = count == 2 && points[0].size > points[1].size;
    const lg_checkpoint *later = &points[swapped ? 0 : count - 1];
    const lg_checkpoint *earlier = count == 2 ? &points[swapped ? 1 : 0] : NULL;
    const char *fault = checkpoint_fault(later, expect);
    fault = fault || !earlier ? fault : checkpoint_fault(earlier, expect);
    return fault ? fault : lg_statement_fault(s, earlier, later);
}

/* Problems are our own sentences without quotes, so they stand in JSON as they are. */
void lg_tell_proof(mt_buf *out, const lg_statement *s, const char *fault)
{
    mt_buf_addf(out, "{\"holds\": %s, \"proof\": \"%s\"%s%s%s}\n",
                fault ? "false" : "true", s->inclusion ? "inclusion" : "consistency",
                fault ? ", \"problem\": \"" : "", fault ? fault : "",
                fault ? "\"" : "");
}

/* ---- Receipts ---- */

/* A receipt, or an answer that came with one. */
mt_err lg_receipt_or_answer(mt_arena *a, mt_str text, lg_receipt *out)
{
    mt_json answer;
    /* As a receipt first: what it says of itself must not be taken for an answer. */
    mt_err err = lg_receipt_read(a, text, out);
    if (!err || mt_json_read(a, text, NULL, &answer, NULL)) {
        return err;
    }
    const mt_json *inside = mt_json_at(&answer, "receipt");
    return mt_json_is(inside, MT_JSON_OBJECT)
               ? lg_receipt_read(a, lg_compact(a, inside), out)
               : err;
}

/* `ahead`: cosignatures that were not counted; NULL: nobody asked for witnesses. */
void lg_tell_receipt(mt_buf *out, const lg_receipt *r, const char *fault,
                     const size_t *ahead)
{
    char name[MT_SIGN_NAME];
    mt_sign_name(&r->key, name);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_bool(&w, "complete", r->complete);
    mt_jw_keyz(&w, "decision");
    mt_jw_raw(&w, r->decision);
    mt_jw_key_bool(&w, "holds", !fault);
    if (fault) {
        mt_jw_key_str(&w, "problem", mt_str_z(fault));
    }
    mt_jw_key_i64(&w, "record", (int64_t)r->seq);
    mt_jw_key_str(&w, "signer", mt_str_z(name));
    mt_jw_key_i64(&w, "witnesses", (int64_t)r->witness_count);
    if (ahead) {
        mt_jw_key_i64(&w, "witnesses_ahead", (int64_t)*ahead);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* How many of the wanted witnesses signed this head of this log; *ahead: others did at
 * a time that has not come. */
static size_t witnessed(const lg_cosigners *by, const lg_receipt *r, size_t *ahead)
{
    mt_buf text = {0}, lines = {0};
    /* Witnesses sign the text of a head, which is made anew from what the receipt
     * proves; so a cosignature of another size or log counts nothing. */
    lg_head head = {r->origin, r->checkpoint.size, r->checkpoint.root};
    lg_cosigned_note got = {0};
    if (r->complete) {
        lg_head_write(&text, &head);
        for (size_t i = 0; i < r->witness_count; i++) {
            mt_buf_adds(&lines, r->witnesses[i]);
            mt_buf_addc(&lines, '\n');
        }
        got.read.text = mt_buf_str(&text);
        got.lines = mt_buf_str(&lines);
        (void)lg_cosigned_count(&got, by);
    }
    mt_buf_free(&text);
    mt_buf_free(&lines);
    *ahead = got.ahead;
    return got.count;
}

static const char *witness_fault(const lg_cosigners *by, const lg_receipt *r,
                                 size_t *ahead)
{
    bool few = by->count && witnessed(by, r, ahead) < by->quorum;
    return !few     ? NULL
           : *ahead ? "too few of the witnesses have signed its checkpoint: one signed "
                      "at a time that has not come, which does not count"
                    : "too few of the witnesses have signed its checkpoint";
}

const char *lg_receipt_check_one(const lg_receipt *r, const lg_receipt_check *c,
                                 size_t *ahead)
{
    const char *fault = lg_receipt_fault(r, &c->demand);
    *ahead = 0;
    if (!fault && c->must_be_complete && !r->complete) {
        fault = "it is a promise, and not complete";
    }
    return fault ? fault : witness_fault(&c->by, r, ahead);
}
