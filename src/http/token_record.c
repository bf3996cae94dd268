/* http/token_record.c - what happens to tokens, as records. Room: http.
 * The record's caller is whoever may write to the store: a user of this machine, known
 * by its number. Time never goes back behind the ledger's last record, and the trust
 * domain is that record's. What may fail: the store. */
#include "http/token_store.h"

#include <stdio.h>
#include <unistd.h>

#include "base/json_write.h"
#include "exec/evidence/record.h"

static void write_names(mt_jw *w, const char *key, const mt_str *names, size_t count)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(w, names[i]);
    }
    mt_jw_end_array(w);
}

/* What was granted, and until when. */
static void write_grants(mt_jw *w, const ht_token *t)
{
    if (t->expires_ms) {
        mt_jw_keyz(w, "expires_at");
        ex_time_json(w, t->expires_ms);
    }
    mt_jw_key_str(w, "id", t->id);
    mt_jw_key_str(w, "name", t->name);
    write_names(w, "personas", t->personas, t->persona_count);
    write_names(w, "rights", t->rights, t->right_count);
}

static void write_token(mt_jw *w, const char *key, const ht_token *t)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    write_grants(w, t);
    mt_jw_end_object(w);
}

static void write_caller(mt_jw *w)
{
    char id[32];
    int len = snprintf(id, sizeof id, "uid:%lu", (unsigned long)geteuid());
    mt_jw_keyz(w, "caller");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", mt_str_from(id, (size_t)len));
    mt_jw_key_str(w, "known_by", MT_STR("operator"));
    mt_jw_end_object(w);
}

/* What the ledger's last record says; nothing when there is none.
 * Records are in order of time, and this machine's clock may be behind the server's. */
static mt_err last_of(st_tx *tx, mt_arena *a, int64_t *time_ms, mt_str *domain)
{
    int64_t size = 0;
    mt_str tail;
    st_record last = {0};
    mt_json body;
    *domain = (mt_str){0};
    mt_err err = st_ledger_tail(tx, a, &size, &tail);
    err = !err && size ? st_record_at(tx, a, size - 1, &last) : err;
    if (err || !size) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    *time_ms = last.time_ms > *time_ms ? last.time_ms : *time_ms;
    if (!mt_json_read(a, last.body, NULL, &body, NULL)) {
        *domain = mt_json_text(mt_json_at(&body, "trust_domain"));
    }
    return MT_OK;
}

static void write_record(mt_buf *out, const ht_token *t, const ht_token_change *c,
                         int64_t time_ms, mt_str domain)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (c->before) {
        write_token(&w, "before", c->before);
    }
    write_caller(&w);
    mt_jw_key_str(&w, "kind", mt_str_z(c->kind));
    mt_jw_keyz(&w, "time");
    ex_time_json(&w, time_ms);
    write_token(&w, "token", t);
    if (domain.len) {
        mt_jw_key_str(&w, "trust_domain", domain);
    }
    if (c->what) {
        mt_jw_key_str(&w, "what", mt_str_z(c->what));
    }
    mt_jw_end_object(&w);
}

static mt_err queue_record(st_tx *tx, mt_arena *a, const ht_token *t,
                           const ht_token_change *c, int64_t now_ms)
{
    mt_buf body = {0};
    mt_str domain;
    int64_t time_ms = now_ms;
    mt_err err = last_of(tx, a, &time_ms, &domain);
    if (!err) {
        write_record(&body, t, c, time_ms, domain);
        /* Queued: whoever keeps the chain gives it its place. A command beside a
         * running server must not write into the chain itself. */
        st_record row = {.seq = -1,
                         .kind = mt_str_z(c->kind),
                         .contract = MT_STR(""),
                         .flow = MT_STR(""),
                         .subject = mt_strf(a, "token/%.*s", MT_ARG(t->id)),
                         .time_ms = time_ms,
                         .body = mt_buf_str(&body)};
        err = st_pending_add(tx, &row, 1);
    }
    mt_buf_free(&body);
    return err;
}

mt_err ht_token_change_put(st_tx *tx, const ht_token *t, int64_t version,
                           const ht_token_change *change, int64_t now_ms)
{
    mt_arena a = {0};
    /* Token and record in one transaction: no grant without its record. */
    mt_err err = ht_token_put(tx, t, version, now_ms);
    err = err ? err : queue_record(tx, &a, t, change, now_ms);
    mt_arena_free(&a);
    return err;
}
