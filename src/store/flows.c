/* store/flows.c - flow executions. */
#include "store/driver.h"

/* ORDER of the columns in statements.h. */
static void flow_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_flow *)out = (st_flow){
        .id = st_keep(a, c[0].text),
        .contract = st_keep(a, c[1].text),
        .etag = st_keep(a, c[2].text),
        .flow = st_keep(a, c[3].text),
        .persona = st_keep(a, c[4].text),
        .initiator = st_keep(a, c[5].text),
        .status = st_keep(a, c[6].text),
        .outcome = st_keep(a, c[7].text),
        .waiting_step = st_keep(a, c[8].text),
        .waiting_persona = st_keep(a, c[9].text),
        .bindings = st_keep(a, c[10].text),
        .facts = st_keep(a, c[11].text),
        .position = st_keep(a, c[12].text),
        .extra = st_keep(a, c[13].text),
        .version = c[14].number,
        .started_ms = c[15].number,
        .updated_ms = c[16].number,
    };
}

mt_err st_flow_add(st_tx *tx, const st_flow *row)
{
    st_value params[] = {
        ST_T(row->id),           ST_T(row->contract),
        ST_T(row->etag),         ST_T(row->flow),
        ST_T(row->persona),      ST_T(row->initiator),
        ST_T(row->status),       ST_T(row->outcome),
        ST_T(row->waiting_step), ST_T(row->waiting_persona),
        ST_T(row->bindings),     ST_T(row->facts),
        ST_T(row->position),     ST_T(row->extra),
        ST_I(row->version),      ST_I(row->started_ms),
        ST_I(row->updated_ms),
    };
    return st_send(tx, ST_SQL_FLOW_ADD, params, MT_E_CONFLICT);
}

mt_err st_flow_get(st_tx *tx, mt_arena *a, mt_str id, st_flow *out)
{
    st_value key[] = {ST_T(id)};
    return st_get(tx, ST_SQL_FLOW_GET, key, flow_read, a, out);
}

mt_err st_flow_lock(st_tx *tx, mt_arena *a, mt_str id, st_flow *out)
{
    st_value key[] = {ST_T(id)};
    st_ids_forget(tx);
    return st_get(tx, ST_SQL_FLOW_LOCK, key, flow_read, a, out);
}

mt_err st_flow_lock_soon(st_tx *tx, mt_arena *a, mt_str id, st_flow *out, bool *found)
{
    st_value key[] = {ST_T(id)};
    st_ids_forget(tx);
    return st_get_soon(tx, ST_SQL_FLOW_LOCK, key, flow_read, a, out, found);
}

mt_err st_flow_put(st_tx *tx, const st_flow *row)
{
    st_value params[] = {
        ST_T(row->contract),        ST_T(row->etag),       ST_T(row->flow),
        ST_T(row->status),          ST_T(row->outcome),    ST_T(row->waiting_step),
        ST_T(row->waiting_persona), ST_T(row->position),   ST_T(row->extra),
        ST_I(row->version),         ST_I(row->updated_ms), ST_T(row->id),
    };
    return st_send(tx, ST_SQL_FLOW_PUT, params, MT_E_CONFLICT);
}

typedef struct walking {
    st_flow_walker *each;
    void *state;
} walking;

static mt_err walk_row(void *state, const st_value *cells)
{
    walking *w = state;
    st_flow row;
    flow_read(NULL, cells, &row);
    return w->each(w->state, &row);
}

/* Only these are in the small index of open flows. */
static bool only_open(const st_flow_filter *f)
{
    return f->in_flight || mt_str_is(f->status, "running") ||
           mt_str_is(f->status, "waiting");
}

mt_err st_flow_walk(st_tx *tx, const st_flow_filter *f, st_page page,
                    st_flow_walker *each, void *state)
{
    st_value params[] = {
        ST_T(page.after), ST_T(f->contract),        ST_T(f->etag),
        ST_T(f->flow),    ST_T(f->status),          ST_T(f->outcome),
        ST_T(f->persona), ST_T(f->waiting_persona), ST_I(0),
    };
    st_walk walk = {.id = only_open(f) ? ST_SQL_FLOW_WALK_OPEN : ST_SQL_FLOW_WALK,
                    .params = params,
                    .limit_param = 8,
                    .key_count = 1};
    walking w = {each, state};
    uint64_t left = st_page_limit(page);
    return st_walk_run(tx, &walk, walk_row, &w, &left);
}
