/* exec/kinds/ledger.c - the ledger, read: records, proofs, checkpoints.
 * Room: exec. Proofs are made from stored hashes (exec/evidence/forest.h). Nothing here
 * writes. Order in each: the right, a read transaction in which everything is read that
 * has to belong together, then the answer. Which records a caller may see is decided
 * record by record, by its contract. May fail: the store; a record that is not there,
 * or not chained yet. */
#include "exec/kinds/ledger.h"

#include "exec/call/facts.h"
#include "exec/call/list.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/commit/answers.h"
#include "exec/commit/ledger.h"
#include "exec/commit/sign.h"
#include "exec/evidence/forest.h"
#include "ledger/proof.h"

/* ---- Records ---- */

static bool refused_unless_reader(ex_job *job)
{
    return ex_refused_without_anywhere(job, MT_STR("ledger:read"));
}

/* Bounds of 0 stand for absent; what the caller may see of each record is decided when
 * it is written into the answer. */
bool ex_ledger_list(ex_job *job)
{
    st_record_filter f = {.kind = ex_query(job, "kind"),
                          .contract = ex_query(job, "contract"),
                          .flow = ex_query(job, "flow"),
                          .subject = ex_query(job, "subject")};
    if (refused_unless_reader(job) ||
        ex_refused_choice(job, "order", "asc", "desc", &f.newest_first) ||
        ex_refused_choice(job, "pending", "false", "true", &f.pending) ||
        ex_refused_number(job, "from", 0, INT64_MAX, 0, &f.from_seq) ||
        ex_refused_number(job, "to", 0, INT64_MAX, 0, &f.to_seq) ||
        ex_refused_number(job, "from_ms", 0, INT64_MAX, 0, &f.from_ms) ||
        ex_refused_number(job, "to_ms", 0, INT64_MAX, 0, &f.to_ms)) {
        return true;
    }
    return ex_list_ledger(job, &f);
}

/* What a path names: a record's number, its place in the ledger; or, on a shared store,
 * 'q' and what it was queued as, which an answer knows before there is a number. What
 * is neither names no record (404), instead of being a bad request. */
typedef struct number_of {
    bool queued;
    int64_t number;
} number_of;

/* Digits only and without overflow. */
static bool read_number(const ex_job *job, number_of *out)
{
    mt_str text = job->call->id;
    *out = (number_of){.queued = job->x->shared && text.len && *text.ptr == 'q'};
    text = mt_str_skip(text, out->queued);
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(text.ptr[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(out->number, 10, &out->number) ||
            __builtin_add_overflow(out->number, (int)digit, &out->number)) {
            return false;
        }
    }
    return text.len > 0;
}

/* MT_E_NOTFOUND also for what cannot be a number. */
static mt_err find_record(ex_job *job, st_tx *tx, st_record *out)
{
    number_of w;
    return !read_number(job, &w) ? MT_E_NOTFOUND
           : w.queued            ? st_record_get(tx, &job->arena, w.number, out)
                                 : st_record_at(tx, &job->arena, w.number, out);
}

static bool may_read(const ex_job *job, const st_record *r)
{
    return ex_may_read_ledger(job, r->contract);
}

/* Refused, and nothing is open; or a transaction is, and the record was found. `may`:
 * whether the caller may see this one. Whether there is one that it may not see is not
 * told: who reads no record at all lacks a right, others do not find it. */
static bool refused_record(ex_job *job, st_tx **tx, st_record *out,
                           bool (*may)(const ex_job *job, const st_record *r))
{
    mt_err err = st_begin(job->x->store, ST_READ, tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = find_record(job, *tx, out);
    err = !err && !may(job, out) ? MT_E_NOTFOUND : err;
    if (err) {
        st_rollback(*tx);
    }
    return err == MT_E_NOTFOUND
               ? refused_unless_reader(job) ||
                     ex_refuse(job, EX_UNKNOWN_RECORD,
                               "the ledger has no record '%.*s'", MT_ARG(job->call->id))
           : err ? ex_refuse_store(job, err)
                 : false;
}

/* A proof needs the record's place, which it gets shortly after it is durable. */
static bool refused_unless_chained(ex_job *job, const st_record *r)
{
    return r->seq < 0 && ex_refuse(job, EX_NOT_CHAINED,
                                   "record q%lld is durable and will be chained "
                                   "shortly; ask again",
                                   (long long)r->id);
}

/* The body was copied into the job's arena, so the transaction can end before the reply
 * is written. */
bool ex_ledger_get(ex_job *job)
{
    st_tx *tx;
    st_record r;
    if (refused_record(job, &tx, &r, may_read)) {
        return true;
    }
    st_rollback(tx);
    (void)ex_reply_body(job, 200);
    mt_jw w = mt_jw_start(&job->reply.body, false);
    ex_record_json(&w, job, &r);
    return true;
}

/* ---- Proofs -----------------------------------------------------------------------
 * Answers are the documents of ledger/proof.h: `motet ledger verify --proof` takes them
 * as they are. */

static void reply_statement(ex_job *job, const lg_statement *s)
{
    (void)ex_reply_body(job, 200);
    lg_statement_write(&job->reply.body, s);
}

/* The record with the hash before it. */
static mt_err read_entry(ex_job *job, st_tx *tx, const st_record *r, lg_entry *out)
{
    st_record before = {0};
    *out = (lg_entry){.seq = (uint64_t)r->seq, .body = r->body};
    mt_err err = r->seq ? st_record_at(tx, &job->arena, r->seq - 1, &before) : MT_OK;
    if (err || r->hash.len != MT_SHA256_BYTES ||
        (r->seq && before.hash.len != MT_SHA256_BYTES)) {
        return err ? err : MT_E_CORRUPT;
    }
    memcpy(out->hash.bytes, r->hash.ptr, MT_SHA256_BYTES);
    if (r->seq) {
        memcpy(out->prev.bytes, before.hash.ptr, MT_SHA256_BYTES);
    }
    return MT_OK;
}

/* MT_E_CORRUPT: hashes are missing for this proof, which is told as not found; the rest
 * is the store's. */
static bool refuse_read(ex_job *job, mt_err err)
{
    return err == MT_E_CORRUPT
               ? ex_refuse(job, EX_NOT_FOUND, "the ledger lacks hashes for this proof")
               : ex_refuse_store(job, err);
}

/* A proof for an older size may be asked for, as long as the record was in it: so that
 * a client can check against the checkpoint it holds. Everything is read in one
 * transaction, so size, leaves and roots belong together. */
bool ex_ledger_proof(ex_job *job)
{
    st_tx *tx;
    st_record r;
    int64_t size;
    mt_str tail;
    ex_forest f;
    if (refused_record(job, &tx, &r, may_read)) {
        return true;
    }
    if (refused_unless_chained(job, &r)) {
        st_rollback(tx);
        return true;
    }
    mt_err err = st_ledger_tail(tx, &job->arena, &size, &tail);
    int64_t wanted = size;
    if (!err && ex_refused_number(job, "size", r.seq + 1, size, size, &wanted)) {
        st_rollback(tx);
        return true;
    }
    uint64_t seq = (uint64_t)r.seq;
    lg_statement s = {.inclusion = true, .size = (uint64_t)wanted};
    err = err ? err : ex_forest_read(&job->arena, tx, s.size, seq / EX_BLOCK, &f);
    err = err ? err : read_entry(job, tx, &r, &s.record);
    st_rollback(tx);
    if (err) {
        return refuse_read(job, err);
    }
    lg_proof p;
    ex_forest_record(&f, seq, &p);
    s.path = &p;
    reply_statement(job, &s);
    return true;
}

/* ---- Receipts ---- */

/* Whoever asked has a right to the receipt; others as to the record itself. */
static bool may_have_receipt(const ex_job *job, const st_record *r)
{
    mt_arena a = {0};
    mt_json body;
    const ex_caller *who = job->call->caller;
    bool own =
        who->id.len && !mt_json_read(&a, r->body, NULL, &body, NULL) &&
        mt_str_eq(mt_json_text(mt_json_at(mt_json_at(&body, "caller"), "id")), who->id);
    mt_arena_free(&a);
    return own || may_read(job, r);
}

/* Each line is an item of the receipt. */
static void take_lines(mt_arena *a, mt_str lines, lg_receipt *r)
{
    mt_str line;
    mt_str *items = mt_new_array(a, mt_str, LG_WITNESSES_MOST);
    while (r->witness_count < LG_WITNESSES_MOST && lg_line_take(&lines, &line)) {
        items[r->witness_count++] = line;
    }
    r->witnesses = items;
}

/* The first checkpoint over the record that enough witnesses have signed.
 * MT_E_NOTFOUND: there is none yet. */
static mt_err find_witnessed(ex_job *job, st_tx *tx, size_t quorum, lg_receipt *r)
{
    mt_arena *a = &job->arena;
    mt_str text;
    lg_cosigned_note got;
    mt_err err = ex_cosigned_for(job->x, tx, a, (int64_t)r->seq, quorum, &got);
    err = err ? err : st_checkpoint_get(tx, a, (int64_t)got.read.head.size, &text);
    err = err ? err
              : lg_checkpoint_read(a, mt_str_trim(text, MT_STR("\n")), &r->checkpoint);
    bool same =
        !err && r->checkpoint.size == got.read.head.size &&
        !memcmp(r->checkpoint.root.bytes, got.read.head.root.bytes, MT_SHA256_BYTES);
    if (same) {
        r->origin = got.read.head.origin;
        take_lines(a, got.lines, r);
    }
    return err ? err : same ? MT_OK : MT_E_NOTFOUND;
}

/* What completes a receipt: a checkpoint with as many cosignatures as the configuration
 * wants. Where it wants none, one with some is still better than one without. */
static mt_err find_checkpoint(ex_job *job, st_tx *tx, lg_receipt *r)
{
    const ex_executor *x = job->x;
    size_t quorum = x->witness_quorum ? x->witness_quorum : 1;
    mt_err err = x->watch_count ? find_witnessed(job, tx, quorum, r) : MT_E_NOTFOUND;
    return err != MT_E_NOTFOUND || x->witness_quorum
               ? err
               : ex_last_checkpoint(tx, &job->arena, &r->checkpoint);
}

/* Adds checkpoint and proof, if there is one that covers the record. */
static mt_err complete(ex_job *job, st_tx *tx, lg_receipt *r)
{
    ex_forest f;
    mt_err err = find_checkpoint(job, tx, r);
    if (err == MT_E_NOTFOUND || (!err && r->checkpoint.size <= r->seq)) {
        return MT_OK;
    }
    err = err ? err
              : ex_forest_read(&job->arena, tx, r->checkpoint.size, r->seq / EX_BLOCK,
                               &f);
    if (!err) {
        lg_proof *path = mt_new(&job->arena, lg_proof);
        ex_forest_record(&f, r->seq, path);
        r->path = path;
        r->complete = true;
    }
    return err;
}

static bool refuse_receipt(ex_job *job, mt_err err)
{
    return err == MT_E_DENIED
               ? ex_refuse(job, EX_STORE_UNAVAILABLE,
                           "the ledger cannot be signed now; see readiness")
               : refuse_read(job, err);
}

/* Made anew from the record whenever it is asked for: the promise is the same as the
 * one that went out with the answer, as long as the key is. A program that signs may
 * take long: that is for a worker, and holds nothing of the store. */
bool ex_ledger_receipt(ex_job *job)
{
    st_tx *tx;
    st_record r;
    lg_receipt receipt;
    if (!job->x->has_key) {
        return ex_refuse(job, EX_NOT_IMPLEMENTED,
                         "this server has no signing key, so it gives no receipts");
    }
    job->elsewhere = job->x->elsewhere && !ex_may_linger(job);
    if (job->elsewhere) {
        return true;
    }
    if (refused_record(job, &tx, &r, may_have_receipt)) {
        return true;
    }
    if (refused_unless_chained(job, &r)) {
        st_rollback(tx);
        return true;
    }
    mt_err err = ex_promise_make(job->x, tx, &job->arena, &r, &receipt);
    err = err ? err : complete(job, tx, &receipt);
    st_rollback(tx);
    err = err ? err : ex_promise_sign(job->x, &receipt);
    if (err) {
        return refuse_receipt(job, err);
    }
    (void)ex_reply_body(job, 200);
    lg_receipt_write(&job->reply.body, &receipt);
    return true;
}

/* Growth from nothing, and to the same size, has an empty proof (RFC 6962). */
bool ex_ledger_consistency(ex_job *job)
{
    st_tx *tx;
    int64_t size, from = 0, to = 0;
    mt_str tail;
    ex_forest f = {0};
    if (refused_unless_reader(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = st_ledger_tail(tx, &job->arena, &size, &tail);
    bool refused = !err && (ex_refused_number(job, "to", 0, size, size, &to) ||
                            ex_refused_number(job, "from", 0, to, 0, &from));
    lg_proof p = {0};
    if (!err && !refused && from && from < to) {
        err = ex_forest_read(&job->arena, tx, (uint64_t)to, (uint64_t)from / EX_BLOCK,
                             &f);
        if (!err) {
            ex_forest_growth(&f, (uint64_t)from, &p);
        }
    }
    st_rollback(tx);
    if (err || refused) {
        return refused || refuse_read(job, err);
    }
    lg_statement s = {.from = (uint64_t)from, .size = (uint64_t)to, .path = &p};
    reply_statement(job, &s);
    return true;
}

/* The newest signed checkpoint, and where the ledger stands now. Without a key there is
 * no `signed`: size and root are then the server's word alone. */
bool ex_ledger_checkpoint(ex_job *job)
{
    st_tx *tx;
    int64_t size;
    mt_str tail, text = {0};
    ex_forest f;
    if (refused_unless_reader(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = st_ledger_tail(tx, &job->arena, &size, &tail);
    err = err ? err : ex_forest_read(&job->arena, tx, (uint64_t)size, 0, &f);
    if (!err) {
        err = st_checkpoint_get(tx, &job->arena, -1, &text);
        err = err == MT_E_NOTFOUND ? MT_OK : err;
    }
    st_rollback(tx);
    if (err) {
        return refuse_read(job, err);
    }
    mt_sha256 root = ex_forest_root(&f);
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "root", mt_sha256_hex(&job->arena, root));
    if (text.len) {
        mt_jw_keyz(&w, "signed");
        mt_jw_raw(&w, mt_str_trim(text, MT_STR("\n")));
    }
    mt_jw_key_i64(&w, "size", size);
    ex_reply_end(&w);
    return true;
}

/* Text for programs of others: the note of the newest checkpoint, and the lines of
 * whoever co-signed it. */
bool ex_ledger_note(ex_job *job)
{
    st_tx *tx;
    lg_checkpoint point;
    mt_str note, lines = {0};
    if (refused_unless_reader(job)) {
        return true;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (err) {
        return ex_refuse_store(job, err);
    }
    err = ex_last_checkpoint(tx, &job->arena, &point);
    err = err ? err : ex_note_get(tx, &job->arena, point.size, &note);
    err = err ? err : ex_cosignatures_get(tx, &job->arena, point.size, &lines);
    st_rollback(tx);
    if (err) {
        return err == MT_E_NOTFOUND
                   ? ex_refuse(job, EX_NOT_FOUND, "the ledger is not signed yet")
                   : ex_refuse_store(job, err);
    }
    mt_buf *body = ex_reply_body(job, 200);
    job->reply.type = "text/plain; charset=utf-8";
    mt_buf_adds(body, note);
    mt_buf_adds(body, lines);
    return true;
}
