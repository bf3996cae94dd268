/* exec/call/list_records.c - one page of the ledger's records.
 * Room: exec. */
#include "exec/call/list.h"
#include "exec/call/rights.h"

/* Who holds a persona may ask about itself; what others may do it learns from no
 * history either. */
static bool may_read(const ex_job *job, const st_record *r)
{
    return mt_str_is(r->kind, "decision") ? ex_may_read_ledger(job, r->contract)
                                          : ex_may_read_facts(job, r->contract);
}

/* Who may not read the contract's facts learns that there is a record, not what it
 * says.
 */
void ex_record_json(mt_jw *w, const ex_job *job, const st_record *r)
{
    char hex[MT_SHA256_HEX];
    mt_jw_begin_object(w);
    if (may_read(job, r)) {
        mt_jw_keyz(w, "body");
        mt_jw_raw(w, r->body);
    }
    if (r->hash.len == MT_SHA256_BYTES) {
        mt_hex((const unsigned char *)r->hash.ptr, MT_SHA256_BYTES, hex);
        mt_jw_key_str(w, "hash", mt_str_from(hex, MT_SHA256_HEX));
    }
    if (job->x->shared) {
        mt_jw_key_i64(w, "queued", r->id);
    }
    if (r->seq >= 0) {
        mt_jw_key_i64(w, "seq", r->seq);
    }
    mt_jw_end_object(w);
}

typedef struct records {
    ex_list list;
    mt_str scope;    /* empty: any */
    bool as_ledger;  /* only what the caller may read as the ledger's */
    int64_t id, seq; /* of the page's last record */
} records;

static bool is_listed(const records *l, const st_record *r)
{
    const ex_job *job = l->list.job;
    if (l->as_ledger) {
        return ex_may_read_ledger(job, r->contract);
    }
    mt_str entity = mt_str_from(r->subject.ptr, mt_str_find(r->subject, '/'));
    return !l->scope.len ||
           mt_str_eq(ex_scope_of(job->x, &l->list.job->arena, r->contract, entity),
                     l->scope);
}

/* The store knows neither scopes nor rights: what is not to be listed is skipped here,
 * and the place to go on from moves all the same. */
static mt_err list_record(void *state, const st_record *r)
{
    records *l = state;
    if (!ex_list_take(&l->list)) {
        return MT_OK;
    }
    l->id = r->id;
    l->seq = r->seq;
    if (is_listed(l, r)) {
        ex_record_json(&l->list.w, l->list.job, r);
    }
    return MT_OK;
}

static bool list_them(ex_job *job, st_record_filter *f, records *l)
{
    if (ex_refused_list(&l->list, job)) {
        return true;
    }
    mt_err err = st_record_walk(l->list.tx, f, l->list.page, list_record, l);
    if (!err && l->list.more) {
        err = st_record_after(l->list.tx, &job->arena, l->list.page.after, l->id,
                              l->seq, &l->list.last);
    }
    return ex_list_close(&l->list, err);
}

bool ex_list_records(ex_job *job, st_record_filter *f, mt_str scope)
{
    return list_them(job, f, &(records){.scope = scope});
}

bool ex_list_ledger(ex_job *job, st_record_filter *f)
{
    return list_them(job, f, &(records){.as_ledger = true});
}
