/* exec/kinds/system.c - Systems and their triggers, read.
 * Room: exec. */
#include "exec/kinds/system.h"

#include "base/form.h"
#include "exec/call/list.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"

/* Under the lock of the contracts, since Systems are listed with them. */
bool ex_system_list(ex_job *job)
{
    ex_executor *x = job->x;
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_keyz(&w, "items");
    mt_jw_begin_array(&w);
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t i = 0; i < x->systems.len; i++) {
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "id", x->systems.items[i].id);
        mt_jw_keyz(&w, "members");
        mt_jw_json(&w, mt_json_at(x->systems.items[i].declaration, "members"));
        mt_jw_end_object(&w);
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    mt_jw_end_array(&w);
    ex_reply_end(&w);
    return true;
}

/* The bundle is written into the reply under the lock, as it may be replaced
 * afterwards. */
bool ex_system_get(ex_job *job)
{
    ex_executor *x = job->x;
    bool found = false;
    pthread_rwlock_rdlock(&x->contracts_lock);
    for (size_t i = 0; i < x->systems.len && !found; i++) {
        if (mt_str_eq(x->systems.items[i].id, job->call->name)) {
            found = true;
            mt_jw w = ex_reply_with(job, 200);
            mt_jw_keyz(&w, "bundle");
            mt_jw_raw(&w, x->systems.items[i].bundle);
            mt_jw_key_str(&w, "id", x->systems.items[i].id);
            ex_reply_end(&w);
        }
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    return found || ex_refuse(job, EX_NOT_FOUND, "no System '%.*s' is served",
                              MT_ARG(job->call->name));
}

/* MT_E_LIMIT: the page is full, and there is more. */
static mt_err list_trigger(void *state, const st_trigger *row)
{
    ex_list *l = state;
    mt_arena *a = &l->job->arena;
    mt_json body;
    if (mt_json_read(a, mt_str_dup(a, row->body), NULL, &body, NULL)) {
        return MT_E_CORRUPT;
    }
    if (!mt_str_eq(mt_text_at(&body, "system"), l->job->call->name) ||
        !ex_may_see(l->job, mt_text_at(&body, "source_contract"))) {
        return MT_OK;
    }
    if (!ex_list_take(l)) {
        return MT_E_LIMIT;
    }
    l->last = mt_str_dup(a, row->id);
    mt_jw_begin_object(&l->w);
    mt_jw_key_i64(&l->w, "attempts", row->attempts);
    mt_jw_key_str(&l->w, "id", row->id);
    mt_jw_key_str(&l->w, "source_contract", mt_text_at(&body, "source_contract"));
    mt_jw_key_str(&l->w, "source_execution", mt_text_at(&body, "source_execution"));
    mt_jw_key_str(&l->w, "source_flow", mt_text_at(&body, "source_flow"));
    mt_jw_key_str(&l->w, "status", row->status);
    mt_jw_key_str(&l->w, "target_contract", mt_text_at(&body, "target_contract"));
    mt_jw_key_str(&l->w, "target_flow", mt_text_at(&body, "target_flow"));
    mt_jw_end_object(&l->w);
    return MT_OK;
}

/* Triggers are stored by status, not by System, so rows of others are passed over; the
 * page ends by its own count, and MT_E_LIMIT is how the walk is stopped there. */
bool ex_trigger_list(ex_job *job)
{
    ex_list l;
    if (!ex_system_named(job->x, job->call->name)) {
        return ex_refuse(job, EX_NOT_FOUND, "no System '%.*s' is served",
                         MT_ARG(job->call->name));
    }
    if (ex_refused_list(&l, job)) {
        return true;
    }
    l.page.limit = UINT32_MAX; /* other Systems' rows are passed over */
    mt_err err =
        st_trigger_walk(l.tx, ex_query(job, "status"), l.page, list_trigger, &l);
    return ex_list_close(&l, err == MT_E_LIMIT && l.more ? MT_OK : err);
}
