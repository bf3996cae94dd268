/* exec/kinds/flow_page.c - flow executions, read.
 * Room: exec.
 * One execution: its row, then facts and position as far as the caller may read them;
 * of a position without facts the faults and their messages are left out, since these
 * quote values. A list: a page of rows that the caller may see, each with where it
 * waits.
 *
 * INVARIANT: what the caller may not see is answered like what is not there. A version
 * cannot be loaded while a list is read; the page is read again when it is there, once
 * for each version at most. May fail: the store. */
#include "exec/call/list.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/commit/effects.h"
#include "exec/kinds/flow.h"

/* What went wrong in an evaluation is told with the value it came to. */
static void without_messages(mt_jw *w, const mt_json *node)
{
    if (mt_json_is(node, MT_JSON_OBJECT)) {
        mt_jw_begin_unsorted(w);
        for (uint32_t i = 0; i < node->count; i++) {
            if (!mt_str_is(node->as.members[i].key, "message")) {
                mt_jw_key(w, node->as.members[i].key);
                without_messages(w, &node->as.members[i].value);
            }
        }
        mt_jw_end_object(w);
    } else if (mt_json_is(node, MT_JSON_ARRAY)) {
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < node->count; i++) {
            without_messages(w, &node->as.items[i]);
        }
        mt_jw_end_array(w);
    } else {
        mt_jw_json(w, node);
    }
}

/* Where the flow stands, without the values of facts. */
static void bare_position(mt_jw *w, ex_job *job, mt_str position)
{
    mt_json tree;
    mt_jw_begin_unsorted(w);
    if (!mt_json_read(&job->arena, position, NULL, &tree, NULL)) {
        for (uint32_t i = 0; i < tree.count; i++) {
            const mt_json_member *m = &tree.as.members[i];
            if (mt_str_is(m->key, "fault")) {
                continue;
            }
            mt_jw_key(w, m->key);
            if (mt_str_is(m->key, "records")) {
                without_messages(w, &m->value);
            } else {
                mt_jw_json(w, &m->value);
            }
        }
    }
    mt_jw_end_object(w);
}

/* Facts are shown to who began the flow and to who may read facts of the contract; the
 * rest of the row to whoever the contract concerns. */
bool ex_flow_get(ex_job *job)
{
    st_flow row;
    mt_err err = ex_flow_read(job, job->call->id, &row);
    if (err) {
        return err == MT_E_NOTFOUND ? ex_refuse_execution(job, job->call->id)
                                    : ex_refuse_store(job, err);
    }
    mt_str caller = job->call->caller->id;
    bool began = caller.len && mt_str_eq(caller, row.initiator);
    if (!began && !ex_may_see(job, row.contract)) {
        return ex_refuse_execution(job, job->call->id);
    }
    const ex_version *v = ex_waiting_version(job->x, &row);
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_unsorted(&w);
    ex_flow_members(&w, v, &row);
    bool reads = began || ex_may_read_facts(job, row.contract);
    if (reads) {
        mt_jw_keyz(&w, "extra");
        mt_jw_raw(&w, row.extra.len ? row.extra : MT_STR("{}"));
        mt_jw_keyz(&w, "facts");
        mt_jw_raw(&w, row.facts);
    }
    mt_jw_keyz(&w, "position");
    if (reads) {
        mt_jw_raw(&w, row.position);
    } else {
        bare_position(&w, job, row.position);
    }
    ex_reply_end(&w);
    return true;
}

typedef struct flow_list {
    ex_list list;    /* first: what ex_list_take() and others are given */
    bool all;        /* every contract is the caller's to see */
    st_flow unknown; /* one whose version is to be loaded; id empty: none */
} flow_list;

/* A version that is not in memory cannot be loaded inside a walk: it is noted, and
 * ex_flow_list() reads the page again when it is there. */
static mt_err list_flow(void *state, const st_flow *row)
{
    flow_list *f = state;
    ex_list *l = &f->list;
    if (!f->all && !ex_may_see(l->job, row->contract)) {
        return MT_OK;
    }
    if (!ex_list_take(l)) {
        return MT_E_LIMIT;
    }
    l->last = l->left ? l->last : mt_str_dup(&l->job->arena, row->id);
    const ex_version *v = ex_version_known(l->job->x, row->contract, row->etag);
    if (!v && row->waiting_step.len) {
        mt_arena *a = &l->job->arena;
        f->unknown = (st_flow){.waiting_step = MT_STR("?"),
                               .contract = mt_str_dup(a, row->contract),
                               .etag = mt_str_dup(a, row->etag)};
    }
    mt_jw_begin_object(&l->w);
    ex_flow_members(&l->w, v, row);
    mt_jw_end_object(&l->w);
    return MT_OK;
}

/* One page. Who sees every contract has rows counted by the store; for others rows are
 * passed over until the page is full, and MT_E_LIMIT is how the walk is stopped. */
static bool list_page(ex_job *job, const st_flow_filter *f, flow_list *l)
{
    l->unknown = (st_flow){0};
    if (ex_refused_list(&l->list, job)) {
        return true;
    }
    l->list.page.limit = l->all ? l->list.page.limit : UINT32_MAX;
    mt_err err = st_flow_walk(l->list.tx, f, l->list.page, list_flow, l);
    return ex_list_close(&l->list, err == MT_E_LIMIT && l->list.more ? MT_OK : err);
}

/* Filters that are not given are empty and match everything. The loop ends: each round
 * loads the version the round before lacked. */
bool ex_flow_list(ex_job *job)
{
    flow_list l = {.all = ex_may_see_all(job)};
    st_flow_filter f = {.contract = job->call->contract,
                        .etag = ex_query(job, "etag"),
                        .flow = ex_query(job, "flow"),
                        .status = ex_query(job, "status"),
                        .outcome = ex_query(job, "outcome"),
                        .persona = ex_query(job, "persona"),
                        .waiting_persona = ex_query(job, "waiting_persona")};
    if (ex_refused_choice(job, "in_flight", "false", "true", &f.in_flight)) {
        return true;
    }
    if (!f.contract.len) {
        f.contract = ex_query(job, "contract");
    }
    do {
        list_page(job, &f, &l);
        /* A version nobody has used since the start: nothing can be loaded while a list
         * is read, so it is read again. */
    } while (ex_waiting_version(job->x, &l.unknown));
    return true;
}
