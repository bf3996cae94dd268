/* exec/commit/group.c - what the jobs of one transaction share: the rows they lock, the
 * states they see, what they write.
 * Room: exec.
 * In claim() a job adds the instances it needs; they are locked and read all at
 * once, in key order, after the flows, in order of their ids. A job sees what those
 * before it did. Rows, records and answers are written together when the group ends.
 * INVARIANT: a row is written once, whatever happened to it in between. May fail: the
 * store. */
#include <stdlib.h>

#include "exec/call/states.h"
#include "exec/commit/guess.h"
#include "exec/commit/shadow.h"

/* ---- Instances ---- */

/* Zero bytes between the parts: no id has one, so two keys are never alike by
 * accident. */
static mt_str row_key(mt_arena *a, mt_str scope, mt_str entity, mt_str id)
{
    size_t len = scope.len + entity.len + id.len + 2;
    char *text = mt_alloc(a, len);
    memcpy(text, scope.ptr, scope.len);
    text[scope.len] = '\0';
    memcpy(text + scope.len + 1, entity.ptr, entity.len);
    text[scope.len + 1 + entity.len] = '\0';
    memcpy(text + scope.len + entity.len + 2, id.ptr, id.len);
    return mt_str_from(text, len);
}

/* Pointers to rows are good only after all jobs have claimed: the list may move until
 * then. */
void ex_claim(ex_group *g, mt_str scope, mt_str entity, mt_str id)
{
    bool added;
    mt_map_entry *e =
        mt_map_add(g->arena, &g->index, row_key(g->arena, scope, entity, id), &added);
    if (added) {
        ex_row r = {.row = {.scope = scope, .entity = entity, .id = id}};
        mt_vec_push(g->arena, &g->rows, r);
        e->value = g->rows.len;
    }
}

ex_row *ex_row_of(ex_group *g, mt_str scope, mt_str entity, mt_str id)
{
    uintptr_t at = mt_map_get(&g->index, row_key(g->arena, scope, entity, id), 0);
    return at ? &g->rows.items[at - 1] : NULL;
}

/* Asks the store and does not wait: rows of flows and instances are asked for together,
 * and come with one round trip. */
mt_err ex_lock_rows_soon(ex_group *g, ex_locked *l)
{
    size_t n = g->rows.len;
    *l = (ex_locked){mt_new_array(g->arena, st_instance, n),
                     mt_new_array(g->arena, bool, n)};
    for (size_t i = 0; i < n; i++) {
        l->rows[i] = g->rows.items[i].row;
    }
    return st_instances_lock_soon(g->tx, g->arena, l->rows, l->found, n);
}

/* `stored` is the version that the store has; what differs from it at the end is
 * written. */
void ex_lock_rows_take(ex_group *g, const ex_locked *l)
{
    for (size_t i = 0; i < g->rows.len; i++) {
        ex_row *r = &g->rows.items[i];
        if (l->found[i]) {
            r->row = l->rows[i];
        }
        r->found = l->found[i];
        r->stored = r->row.version;
    }
}

mt_err ex_lock_rows(ex_group *g)
{
    ex_locked l;
    mt_err err = ex_lock_rows_soon(g, &l);
    err = err ? err : st_settle(g->tx);
    if (!err) {
        ex_lock_rows_take(g, &l);
    }
    return err;
}

void ex_claim_bound(ex_job *job, ex_group *g)
{
    const ex_version *v = job->v;
    for (uint32_t e = 0; e < v->model->entity_count; e++) {
        if (job->snap->instances[e].ptr) {
            ex_claim(g, v->scopes[e], v->model->entities[e].id,
                     job->snap->instances[e]);
        }
    }
}

/* As the jobs before this one in the group have left them, not as the store has
 * them. */
void ex_group_states(ex_job *job, ex_group *g)
{
    const ex_version *v = job->v;
    for (uint32_t e = 0; e < v->model->entity_count; e++) {
        job->snap->states[e] = CT_NONE;
        if (!job->snap->instances[e].ptr) {
            continue;
        }
        const ct_entity *entity = &v->model->entities[e];
        const ex_row *r =
            ex_row_of(g, v->scopes[e], entity->id, job->snap->instances[e]);
        if (r && r->found && !r->row.deleted) {
            job->snap->states[e] = ex_state_known(job, e, r->row.state);
            job->snap->versions[e] = r->row.version;
        }
    }
}

void ex_move(ex_group *g, ex_row *r, mt_str state, mt_str flow, mt_str operation)
{
    r->row.state = state;
    r->row.version++;
    r->row.updated_ms = g->now_ms;
    r->row.last_flow = flow;
    r->row.last_operation = operation;
    r->changed = true;
}

/* ---- Flows ---- */

static int by_text(const void *a, const void *b)
{
    return mt_str_cmp(*(const mt_str *)a, *(const mt_str *)b);
}

/* Rows are pointed to until they have come: there must be room for all. */
mt_err ex_lock_flows_soon(ex_group *g, ex_job **jobs, size_t n)
{
    mt_str *ids = mt_new_array(g->arena, mt_str, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i]->flow_id.len && !jobs[i]->flow_is_new) {
            ids[count++] = jobs[i]->flow_id;
        }
    }
    qsort(ids, count, sizeof *ids, by_text);
    g->flows.items = mt_new_array(g->arena, ex_flow_row, count);
    g->flows.cap = count;
    mt_err err = MT_OK;
    for (size_t i = 0; i < count && !err; i++) {
        bool added;
        mt_map_entry *e = mt_map_add(g->arena, &g->flow_index, ids[i], &added);
        if (added) {
            ex_flow_row *f = mt_vec_add(g->arena, &g->flows);
            e->value = g->flows.len;
            err = st_flow_lock_soon(g->tx, g->arena, ids[i], &f->row, &f->found);
        }
    }
    return err;
}

ex_flow_row *ex_flow_of(ex_group *g, mt_str id)
{
    uintptr_t at = mt_map_get(&g->flow_index, id, 0);
    return at ? &g->flows.items[at - 1] : NULL;
}

/* ---- Writing ---- */

mt_err ex_record_end(ex_group *g, mt_jw *w, const ex_record *r, int64_t *id)
{
    mt_jw_end_object(w);
    mt_err err = ex_record_put(g, r, id);
    return !err && g->x->shadow ? ex_shadow_record(g, r, *id) : err;
}

/* Whatever happened to a row in between, it is written once. */
static mt_err write_rows(ex_group *g)
{
    st_instance *rows = mt_new_array(g->arena, st_instance, g->rows.len);
    int64_t *was = mt_new_array(g->arena, int64_t, g->rows.len);
    size_t n = 0;
    for (size_t i = 0; i < g->rows.len; i++) {
        ex_row *r = &g->rows.items[i];
        if (r->found && r->row.version != r->stored) {
            rows[n] = r->row;
            was[n++] = r->stored;
            r->stored = r->row.version;
        }
    }
    return st_instances_put(g->tx, rows, was, n);
}

/* ORDER: rows before records, so that a conflict is found before anything is chained;
 * answers last, as they name records. */
mt_err ex_write_group(ex_group *g)
{
    mt_err err = g->guessed ? ex_guess_hold(g) : MT_OK;
    err = err ? err : write_rows(g);
    err = err || !g->guessed ? err : ex_guess_prove(g);
    err = err ? err : ex_write_records(g);
    err = err ? err : st_answers_add(g->tx, g->answers.items, g->answers.len);
    g->answers.len = 0;
    return err;
}
