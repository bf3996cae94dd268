/* exec/kinds/graph_letters.c - intents of a graph that were given up, and sent again.
 * Room: exec. They are rows of the outbox that have failed for good; sending one again
 * makes it pending, and a record says who wanted it. The id of the intent stays, so who
 * receives it can tell that it is the same. May fail: the store; a letter that is not
 * there (404). */
#include "exec/call/list.h"
#include "exec/call/request.h"
#include "exec/commit/ledger.h"
#include "exec/kinds/graph.h"

/* Is the row a given-up intent of this graph? */
static bool is_letter(const mt_json *body, mt_str graph)
{
    return mt_str_is(mt_text_at(body, "type"), "intent") &&
           mt_str_eq(mt_text_at(body, "graph"), graph);
}

/* MT_E_LIMIT: the page is full, and there is more. */
static mt_err list_letter(void *state, const st_trigger *row)
{
    ex_list *l = state;
    mt_arena *a = &l->job->arena;
    mt_json body;
    if (mt_json_read(a, mt_str_dup(a, row->body), NULL, &body, NULL)) {
        return MT_E_CORRUPT;
    }
    if (!is_letter(&body, l->job->call->name)) {
        return MT_OK;
    }
    if (!ex_list_take(l)) {
        return MT_E_LIMIT;
    }
    l->last = mt_str_dup(a, row->id);
    mt_jw_begin_object(&l->w);
    mt_jw_key_i64(&l->w, "attempts", row->attempts);
    mt_jw_key_str(&l->w, "capture", mt_text_at(&body, "capture"));
    mt_jw_keyz(&l->w, "fields");
    mt_jw_json(&l->w, mt_json_at(&body, "fields"));
    mt_jw_key_str(&l->w, "id", row->id);
    mt_jw_key_str(&l->w, "intent_id", mt_text_at(&body, "intent_id"));
    mt_jw_key_str(&l->w, "kind", mt_text_at(&body, "kind"));
    mt_jw_key_str(&l->w, "reason", mt_text_at(&body, "reason"));
    mt_jw_end_object(&l->w);
    return MT_OK;
}

/* Rows are stored by status, not by graph, so those of others are passed over. */
bool ex_letter_list(ex_job *job)
{
    ho_graph_service *g;
    ex_list l;
    if (ex_refused_graph(job, &g) || ex_refused_list(&l, job)) {
        return true;
    }
    l.page.limit = UINT32_MAX;
    mt_err err = st_trigger_walk(l.tx, MT_STR("failed"), l.page, list_letter, &l);
    return ex_list_close(&l, err == MT_E_LIMIT && l.more ? MT_OK : err);
}

/* ---- sending one again ---- */

typedef struct letter_body {
    mt_str id;
} letter_body;

static const mt_form_row LETTER[] = {
    MT_FORM_NAME(letter_body, id, "id", 2000, MT_FORM_REQUIRED),
};

/* Which letter is asked when it is locked: between the two somebody else may have sent
 * it. */
bool ex_letter_send_prepare(ex_job *job)
{
    ho_graph_service *g;
    letter_body *body = mt_new(&job->arena, letter_body);
    job->work = body;
    if (ex_refused_graph(job, &g) ||
        ex_refused_body(job, LETTER, mt_form_count(LETTER), body)) {
        return true;
    }
    return !body->id.len && ex_refuse(job, EX_BAD_REQUEST,
                                      "the body must have the `id` "
                                      "of a letter");
}

/* Kind `intent`, status `again`: beside the records of its first attempts. */
static mt_err record_send(ex_job *job, ex_group *g, const mt_json *body, int64_t *id)
{
    mt_jw w = ex_record_begin(g);
    ex_caller_json(&w, job);
    mt_jw_key_str(&w, "capture", mt_text_at(body, "capture"));
    mt_jw_key_str(&w, "graph", job->call->name);
    mt_jw_key_str(&w, "intent_id", mt_text_at(body, "intent_id"));
    mt_jw_key_str(&w, "kind", MT_STR("intent"));
    mt_jw_key_str(&w, "status", MT_STR("again"));
    ex_record_time(&w, g);
    ex_record r = {.kind = "intent", .subject = job->call->name, .unsorted = true};
    return ex_record_end(g, &w, &r, id);
}

/* As often as a new one; one that waits or was sent is not a letter any more. */
mt_err ex_letter_send_commit(ex_job *job, ex_group *g)
{
    const letter_body *asked = job->work;
    st_trigger row;
    mt_json body;
    int64_t record;
    mt_err err = st_trigger_lock(g->tx, g->arena, asked->id, &row);
    bool found = !err && mt_str_is(row.status, "failed") &&
                 !mt_json_read(&job->arena, mt_str_dup(&job->arena, row.body), NULL,
                               &body, NULL) &&
                 is_letter(&body, job->call->name);
    if (err && err != MT_E_NOTFOUND) {
        return err;
    }
    if (!found) {
        ex_refuse(job, EX_NOT_FOUND, "graph '%.*s' has no dead letter '%.*s'",
                  MT_ARG(job->call->name), MT_ARG(asked->id));
        return MT_OK;
    }
    row.status = MT_STR("pending");
    row.attempts = 0;
    row.due_ms = g->now_ms;
    err = st_trigger_put(g->tx, &row);
    err = err ? err : record_send(job, g, &body, &record);
    if (err) {
        return err;
    }
    g->wrote = true;
    g->outbox = true;
    mt_jw w = ex_reply_with(job, 200);
    mt_jw_key_str(&w, "graph", job->call->name);
    mt_jw_key_str(&w, "id", asked->id);
    mt_jw_key_str(&w, "intent_id", mt_text_at(&body, "intent_id"));
    ex_reply_record(&w, job, record);
    mt_jw_key_str(&w, "status", MT_STR("pending"));
    ex_reply_end(&w);
    return MT_OK;
}
