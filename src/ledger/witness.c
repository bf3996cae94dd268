/* ledger/witness.c - see witness.h. The order of the checks is the specification's:
 * form, origin, signature, sizes, root, proof.
 *
 * Pure: what was signed last is given, and remembering it before the answer goes
 * out is the caller's duty. A witness that signs first and forgets could sign two
 * histories. Nothing is trusted but a key of a log that the operator named; a log
 * has one or more keys under its name (the origin).
 * May fail: reading, with MT_E_SYNTAX; deciding always ends in one of the statuses. */
#include "ledger/witness.h"

#include "base/base64.h"

/* ---- The request ---- */

void lg_witness_request_write(mt_buf *out, uint64_t old, const lg_proof *proof,
                              mt_str note)
{
    char text[MT_BASE64_LEN(MT_SHA256_BYTES) + 1];
    mt_buf_addz(out, "old ");
    mt_buf_add_u64(out, old);
    mt_buf_addc(out, '\n');
    for (size_t i = 0; i < proof->count; i++) {
        mt_base64_put(proof->hashes[i].bytes, MT_SHA256_BYTES, text);
        mt_buf_addz(out, text);
        mt_buf_addc(out, '\n');
    }
    mt_buf_addc(out, '\n');
    mt_buf_adds(out, note);
}

static bool read_old(mt_str line, uint64_t *out)
{
    mt_str old = MT_STR("old ");
    return mt_str_starts(line, old) && lg_size_read(mt_str_skip(line, old.len), out);
}

mt_err lg_witness_request_read(mt_str body, lg_witness_request *out)
{
    mt_str line;
    *out = (lg_witness_request){0};
    if (body.len > LG_WITNESS_BYTES || !lg_line_take(&body, &line) ||
        !read_old(line, &out->old)) {
        return MT_E_SYNTAX;
    }
    lg_proof *p = &out->proof;
    /* Up to the blank line. A last line without its end is not whole and refused. */
    for (bool whole; (whole = lg_line_take(&body, &line)), line.len || !whole;) {
        if (!whole || p->count == LG_WITNESS_HASHES ||
            !mt_unbase64(line, p->hashes[p->count++].bytes, MT_SHA256_BYTES)) {
            return MT_E_SYNTAX;
        }
    }
    return lg_note_read(body, &out->note);
}

/* ---- The decision ---- */

/* Is the origin that of a log we know, and did one of its keys sign? A line that says
 * it is of such a key and is not spoils the note, whoever else signed. */
static lg_verdict judge_signer(const lg_note *n, const lg_note_key *logs, size_t count)
{
    bool known = false, good = false, forged = false;
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(logs[i].name, n->head.origin)) {
            lg_signed s = lg_note_signed(n->text, n->signatures, &logs[i], NULL);
            known = true;
            good = good || s == LG_SIGNED;
            forged = forged || s == LG_FORGED;
        }
    }
    return !known ? LG_UNKNOWN_LOG : !good || forged ? LG_NOT_TRUSTED : LG_COSIGN;
}

static bool same_root(const lg_head *a, const lg_head *b)
{
    return memcmp(a->root.bytes, b->root.bytes, MT_SHA256_BYTES) == 0;
}

static lg_verdict refuse(const char **why, lg_verdict verdict, const char *sentence)
{
    *why = sentence;
    return verdict;
}

static lg_verdict judge_growth(const lg_witness_request *r, const lg_head *seen,
                               const char **why)
{
    const lg_head *next = &r->note.head;
    if (r->old > next->size) {
        return refuse(why, LG_BAD_REQUEST, "the old size is larger than the new one");
    }
    /* The answer names the size that was signed last, so the log can send a proof
     * from there. */
    if (r->old != seen->size) {
        return refuse(why, LG_CONFLICT, "another size was signed last");
    }
    if (r->old == next->size && !same_root(next, seen)) {
        return refuse(why, LG_CONFLICT,
                      "another root of this size was signed: the log has two "
                      "histories");
    }
    return lg_check_consistency(&seen->root, seen->size, &next->root, next->size,
                                &r->proof)
               ? LG_COSIGN
               : refuse(why, LG_NOT_EXTENDING,
                        "the proof does not show that the log only grew");
}

lg_verdict lg_witness_decide(const lg_witness_request *r, const lg_note_key *logs,
                             size_t log_count, const lg_head *seen, const char **why)
{
    lg_frontier nothing = {0};
    /* A log that is new to the witness grows from the empty tree; any root extends
     * it. */
    lg_head empty = {.root = lg_frontier_root(&nothing)};
    lg_verdict signer = judge_signer(&r->note, logs, log_count);
    *why = NULL;
    if (signer == LG_UNKNOWN_LOG) {
        return refuse(why, signer, "this witness does not know the log");
    }
    if (signer != LG_COSIGN) {
        return refuse(why, signer, "no key of the log has signed this");
    }
    return judge_growth(r, seen ? seen : &empty, why);
}

bool lg_witness_suspects(const lg_witness_request *r, lg_verdict verdict,
                         const lg_head *seen)
{
    bool fork = verdict == LG_CONFLICT && seen && r->note.head.size == seen->size &&
                !same_root(&r->note.head, seen);
    return fork || verdict == LG_NOT_EXTENDING;
}
