/* exec/contract/kept_facts.c - facts that were asserted and are kept: read from the
 * store when they changed, looked up by every call.
 * Room: exec. Documents of kind "fact", id CONTRACT/FACT, tag CONTRACT, body
 * {"asserted_by","asserted_ms","expires_ms","value"}.
 * INVARIANT: what was read never goes back to what an older look saw. */
#include "exec/contract/kept_facts.h"

#include "exec/executor_internal.h"

/* The value stays text: which type it must have is asked when a contract reads it. */
static mt_err take_manual(void *state, const st_doc *row)
{
    ex_executor *x = state;
    mt_arena *a = &x->facts_arena;
    mt_json tree;
    mt_str body = mt_str_dup(a, row->body);
    if (mt_json_read(a, body, NULL, &tree, NULL)) {
        return MT_E_CORRUPT;
    }
    ad_manual *m = mt_new(a, ad_manual);
    mt_buf value = {0};
    mt_json_write(&value, mt_json_at(&tree, "value"), false);
    m->value = mt_str_dup(a, mt_buf_str(&value));
    mt_buf_free(&value);
    m->asserted_by = mt_json_text(mt_json_at(&tree, "asserted_by"));
    mt_json_i64(mt_json_at(&tree, "asserted_ms"), &m->asserted_at);
    mt_json_i64(mt_json_at(&tree, "expires_ms"), &m->expires_at);
    mt_map_put(a, &x->facts, mt_str_dup(a, row->id), (uintptr_t)m);
    return MT_OK;
}

mt_err ex_facts_reload(ex_executor *x, st_tx *tx)
{
    int64_t stamp;
    mt_err err = st_doc_stamp(tx, EX_KIND_FACT, &stamp);
    if (err) {
        return err;
    }
    pthread_mutex_lock(&x->facts_lock);
    /* Never back to what an older look saw. */
    if (stamp > atomic_load(&x->facts_stamp)) {
        mt_arena_reset(&x->facts_arena);
        x->facts = (mt_map){0};
        err = st_doc_walk(tx, EX_KIND_FACT, MT_STR(""), (st_page){.limit = UINT32_MAX},
                          take_manual, x);
        atomic_store(&x->has_facts, x->facts.len > 0);
        atomic_store(&x->facts_stamp, err ? -1 : stamp);
    }
    pthread_mutex_unlock(&x->facts_lock);
    return err;
}

mt_err ex_manual_lookup(void *version, mt_arena *a, uint32_t fact, ad_manual *out)
{
    const ex_version *v = version;
    ex_executor *x = v->x;
    mt_str id = ex_fact_key(a, v->contract, v->model->facts[fact].id);
    pthread_mutex_lock(&x->facts_lock);
    const ad_manual *m = (const ad_manual *)mt_map_get(&x->facts, id, 0);
    if (m) {
        *out = (ad_manual){mt_str_dup(a, m->value), mt_str_dup(a, m->asserted_by),
                           m->asserted_at, m->expires_at};
    }
    pthread_mutex_unlock(&x->facts_lock);
    return m ? MT_OK : MT_E_NOTFOUND;
}

mt_str ex_fact_key(mt_arena *a, mt_str contract, mt_str fact)
{
    return mt_strf(a, "%.*s/%.*s", MT_ARG(contract), MT_ARG(fact));
}
