/* ledger/verify.c - does this copy of a ledger hold?
 *
 * Lines come one by one, records and checkpoints, and each is judged by what came
 * before it; nothing is kept but the head of the chain, the frontier of the tree, the
 * keys and the trust domain. So a ledger of any size is verified in constant memory.
 *
 * Order of the checks of a record: its number and the hash before it (is it the next
 * one), its own hash (was it changed), the form of its body (is it canonical), its
 * trust domain, and what it says about keys. A checkpoint: its form, its signature,
 * the number of records, head and root, the domain, the signer. A checkpoint that the
 * caller brought from elsewhere is compared at the record where it belongs.
 *
 * Invariants: the first fault decides, nothing after it is looked at; `line`, `seq`
 * and `about_record` say where it is; a verdict never says more than was checked: what
 * signatures cover is counted separately (`attested`), and a key that was only
 * believed is named as such.
 *
 * What may fail: MT_E_CORRUPT with a static sentence in lg_finding.problem; faults of
 * the file itself are kept apart in `world`. lg_verify_end() frees what the verifier
 * holds and must be called after lg_verify_start(), also after a fault. */
#include "ledger/verify.h"

#include "base/json_write.h"
#include "ledger/document.h"

/* ---- the trust domain ---- */

/* `raw` is JSON text, ptr NULL for none. It may be declared later, but then it stays.
 */
static const char *record_domain(lg_verifier *v, mt_str raw)
{
    if (mt_str_eq(raw, mt_buf_str(&v->domain))) {
        return NULL;
    }
    if (v->domain.len) {
        return raw.ptr ? "a record is of another trust domain"
                       : "a record names no trust domain";
    }
    bool text = raw.len > 2 && raw.ptr[0] == '"';
    if (!text) {
        return "a record's trust domain is not text";
    }
    mt_buf_adds(&v->domain, raw);
    return NULL;
}

/* A checkpoint may be the first to declare it. */
static const char *checkpoint_domain(lg_verifier *v, const lg_checkpoint *c)
{
    mt_buf quoted = {0};
    if (c->domain.len) {
        mt_json_quote(&quoted, c->domain);
    }
    if (!v->domain.len) {
        mt_buf_adds(&v->domain, mt_buf_str(&quoted));
    }
    bool equal = mt_str_eq(mt_buf_str(&quoted), mt_buf_str(&v->domain));
    mt_buf_free(&quoted);
    if (v->expect->domain.ptr && !mt_str_eq(v->expect->domain, c->domain)) {
        return "a checkpoint is of another trust domain than expected";
    }
    return equal ? NULL : "a checkpoint is of another trust domain";
}

mt_str lg_verify_domain(const lg_verifier *v, mt_arena *a)
{
    mt_json text;
    mt_str raw = mt_str_dup(a, mt_buf_str(&v->domain));
    return raw.len && !mt_json_read(a, raw, NULL, &text, NULL) ? mt_json_text(&text)
                                                               : MT_STR("");
}

/* ---- lines ---- */

/* Signature before contents: what nobody signed is not worth comparing. The signer is
 * judged last, when everything else agrees. */
static const char *checkpoint_fault(lg_verifier *v, mt_str line, uint64_t number)
{
    lg_checkpoint c;
    lg_finding *f = v->found;
    mt_arena_reset(&v->scratch);
    if (lg_checkpoint_read(&v->scratch, line, &c)) {
        return "this line is neither a record nor a checkpoint";
    }
    if (!lg_checkpoint_verify(&c)) {
        return "a checkpoint's signature is wrong";
    }
    if (c.size != f->end.tree.size) {
        return "a checkpoint is for another number of records";
    }
    if (!lg_chain_agrees(&f->end, &c)) {
        return "the records do not agree with a checkpoint";
    }
    const char *fault = checkpoint_domain(v, &c);
    fault = fault ? fault : lg_keyring_checkpoint(&v->keys, &c, number);
    if (!fault) {
        f->checkpoints++;
        f->signer = c.key;
    }
    return fault;
}

static const char *document_fault(lg_verifier *v, mt_str line)
{
    mt_str body, digest;
    if (lg_document_read(line, &body, &digest)) {
        return "a document is not what its digest says";
    }
    v->found->documents++;
    return NULL;
}

static const char WRONG_SIGNATURE[] = "the trusted checkpoint's signature is wrong";

/* The checkpoint from elsewhere, where it belongs: it vouches for the records up to
 * there and for the keys they add, and for nothing that comes later. */
static const char *trusted_due(lg_verifier *v)
{
    const lg_checkpoint *t = v->expect->trusted;
    if (!t || t->size != v->found->end.tree.size) {
        return NULL;
    }
    if (!lg_chain_agrees(&v->found->end, t)) {
        return "the records do not agree with the trusted checkpoint";
    }
    v->trusted_fault = lg_checkpoint_verify(t) ? lg_keyring_checkpoint(&v->keys, t, 0)
                                               : WRONG_SIGNATURE;
    return NULL;
}

/* Witnesses speak of the root alone. */
static const char *witnessed_due(const lg_verifier *v)
{
    const lg_note *n = v->expect->witnessed;
    if (!n || n->head.size != v->found->end.tree.size) {
        return NULL;
    }
    mt_sha256 root = lg_frontier_root(&v->found->end.tree);
    return memcmp(root.bytes, n->head.root.bytes, MT_SHA256_BYTES) == 0
               ? NULL
               : "the records are not those that the signed note is of";
}

/* Witnesses sign for other logs, too: that this one was meant is said by its own key,
 * which was not revoked then. */
static const char *witnessed_fault(const lg_verifier *v)
{
    const lg_note *n = v->expect->witnessed;
    if (n->head.size > v->found->end.tree.size) {
        return "records are missing at the end: the signed note is of more";
    }
    for (size_t i = 0; i < v->keys.len; i++) {
        const lg_key *k = &v->keys.items[i];
        lg_note_key as = {n->head.origin, LG_LOG_KEY, k->key};
        bool may = k->trusted && !(k->revoked && k->revoked_at < n->head.size);
        if (may && lg_note_signed(n->text, n->signatures, &as, NULL) == LG_SIGNED) {
            return NULL;
        }
    }
    return "the note is not signed by a key of this ledger";
}

/* What is said depends on what is most likely meant. */
static const char *link_fault(const lg_verifier *v, const lg_line *l)
{
    uint64_t due = v->found->end.tree.size;
    if (l->seq != due) {
        return l->seq > due ? "records are missing before this one"
                            : "a record stands where it does not belong";
    }
    return "a record does not follow the one before it";
}

/* Its place in the chain before its hash, so that a missing record is not called a
 * changed one. The chain grows only when all is well. */
static const char *record_fault(lg_verifier *v, const lg_line *l)
{
    lg_finding *f = v->found;
    lg_body body;
    if (l->seq != f->end.tree.size || memcmp(l->prev, v->head, sizeof v->head) != 0) {
        return link_fault(v, l);
    }
    mt_sha256 hash = lg_hash(&f->end.head, l->body);
    char hex[MT_SHA256_HEX];
    mt_hex(hash.bytes, MT_SHA256_BYTES, hex);
    if (memcmp(l->hash, hex, sizeof hex) != 0) {
        return "a record was changed";
    }
    if (!lg_body_check(l->body, &body)) {
        return "a record's body is not canonical JSON";
    }
    const char *fault = record_domain(v, body.domain);
    fault = fault ? fault : lg_keyring_record(&v->keys, l->seq, &body);
    if (fault) {
        return fault;
    }
    memcpy(v->head, hex, sizeof hex);
    lg_chain_grow(&f->end, &hash);
    f->records++;
    fault = trusted_due(v);
    return fault ? fault : witnessed_due(v);
}

uint64_t lg_lines_read(const lg_finding *f)
{
    return f->records + f->checkpoints + f->documents;
}

bool lg_verify_line(lg_verifier *v, mt_str line)
{
    lg_finding *f = v->found;
    lg_line l;
    if (f->problem) {
        return false;
    }
    uint64_t number = lg_lines_read(f) + 1;
    f->about_record = !lg_line_split(line, &l);
    f->seq = f->end.tree.size;
    f->bytes += line.len + 1;
    f->problem = f->about_record        ? record_fault(v, &l)
                 : lg_is_document(line) ? document_fault(v, line)
                                        : checkpoint_fault(v, line, number);
    f->line = f->problem ? number : 0;
    return !f->problem;
}

/* ---- beginning and end ---- */

void lg_verify_start(lg_verifier *v, const lg_expectation *expect, lg_finding *out)
{
    static const lg_expectation NOTHING = {0};
    *out = (lg_finding){0};
    *v = (lg_verifier){.expect = expect ? expect : &NOTHING, .found = out};
    memset(v->head, '0', sizeof v->head);
    for (size_t i = 0; i < v->expect->key_count; i++) {
        lg_keyring_give(&v->keys, &v->expect->keys[i]);
    }
    /* Whoever brings a checkpoint of his own trusts its signer, unless he says whom. */
    if (v->expect->trusted && !v->expect->key_count) {
        lg_keyring_give(&v->keys, &v->expect->trusted->key);
    }
    out->problem = trusted_due(v); /* over nothing at all */
}

/* The checkpoint from elsewhere itself. It need not be in the file. */
static const char *trusted_fault(const lg_verifier *v)
{
    const lg_checkpoint *t = v->expect->trusted;
    if (t->size <= v->found->end.tree.size) {
        return v->trusted_fault;
    }
    return lg_checkpoint_verify(t) ? "records are missing at the end" : WRONG_SIGNATURE;
}

mt_err lg_verify_end(lg_verifier *v)
{
    lg_finding *f = v->found;
    if (!f->problem && v->expect->trusted) {
        f->problem = trusted_fault(v);
        f->seq = f->end.tree.size;
        f->about_record = v->expect->trusted->size > f->seq; /* the first missing one */
    }
    if (!f->problem && v->expect->witnessed) {
        f->problem = witnessed_fault(v);
        f->line = 0;
        f->about_record = false;
    }
    if (!f->problem) {
        f->problem = lg_keyring_end(&v->keys);
        f->line = f->problem ? v->keys.unvouched : 0;
        f->about_record = false;
    }
    f->any_attested = v->keys.any;
    f->attested = v->keys.attested;
    f->believed = v->keys.believed;
    lg_keyring_free(&v->keys);
    mt_buf_free(&v->domain);
    mt_arena_free(&v->scratch);
    return f->problem ? MT_E_CORRUPT : MT_OK;
}

/* Why there is no next line, when that is wrong. */
static const char *stop_fault(mt_err err)
{
    return err == MT_E_NOTFOUND  ? NULL
           : err == MT_E_CORRUPT ? "the last line is cut off"
           : err == MT_E_LIMIT   ? "a line is longer than the limit"
                                 : "the ledger cannot be read on";
}

void lg_verify_stop(lg_verifier *v, mt_err err)
{
    lg_finding *f = v->found;
    const char *fault = err ? stop_fault(err) : NULL;
    if (fault) {
        f->problem = fault;
        f->line = lg_lines_read(f) + 1;
        f->about_record = false;
        f->world = err == MT_E_CORRUPT ? MT_OK : err;
    }
}

mt_err lg_verify_source(const lg_source *source, const lg_expectation *expect,
                        lg_finding *out)
{
    lg_verifier v;
    mt_str line;
    mt_err err;
    lg_verify_start(&v, expect, out);
    while (!(err = source->next(source->state, &line)) && lg_verify_line(&v, line)) {
    }
    lg_verify_stop(&v, err);
    return lg_verify_end(&v);
}

mt_err lg_verify(mt_str text, const lg_expectation *expect, lg_finding *out)
{
    lg_text lines = {text};
    lg_source source = lg_text_source(&lines);
    return lg_verify_source(&source, expect, out);
}
