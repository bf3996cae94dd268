/* store/instances.c - entity instances: rows of (scope, entity, id) with a state and a
 * version.
 *
 * Writing is by version: a row is changed only if it still has the version that was
 * read, otherwise MT_E_CONFLICT. The committer locks all rows of a group at once and
 * in key order, so groups of several nodes never wait for each other in a circle;
 * sorting them is done here, not asked of the caller.
 *
 * Keys that cannot be stored (too long, not UTF-8) are never sent: such an instance is
 * simply not found. Locking forgets the record numbers drawn ahead (st_ids_forget()),
 * because a number must be drawn while its rows are locked.
 *
 * `_soon` calls send and return; the answer is there after st_settle(). Texts that
 * come out live in the caller's arena. */
#include <stdlib.h>

#include "store/driver.h"

/* ORDER of the columns in statements.h. */
static void instance_read(mt_arena *a, const st_value *c, void *out)
{
    *(st_instance *)out = (st_instance){
        .scope = st_keep(a, c[0].text),
        .entity = st_keep(a, c[1].text),
        .id = st_keep(a, c[2].text),
        .state = st_keep(a, c[3].text),
        .version = c[4].number,
        .created_ms = c[5].number,
        .updated_ms = c[6].number,
        .deleted = c[7].number != 0,
        .last_flow = st_keep(a, c[8].text),
        .last_operation = st_keep(a, c[9].text),
    };
}

mt_err st_instance_add(st_tx *tx, const st_instance *row)
{
    st_value params[] = {
        ST_T(row->scope),          ST_T(row->entity),  ST_T(row->id),
        ST_T(row->state),          ST_I(row->version), ST_I(row->created_ms),
        ST_I(row->updated_ms),     ST_I(row->deleted), ST_T(row->last_flow),
        ST_T(row->last_operation),
    };
    return st_write(tx, ST_SQL_INSTANCE_ADD, params, MT_E_EXISTS);
}

mt_err st_instance_get(st_tx *tx, mt_arena *a, mt_str scope, mt_str entity, mt_str id,
                       st_instance *out)
{
    st_value key[] = {ST_T(scope), ST_T(entity), ST_T(id)};
    return st_get(tx, ST_SQL_INSTANCE_GET, key, instance_read, a, out);
}

/* ---- Writing ---- */

static int compare_keys(mt_str scope, mt_str entity, mt_str id, const st_instance *row)
{
    int diff = mt_str_cmp(scope, row->scope);
    diff = diff ? diff : mt_str_cmp(entity, row->entity);
    return diff ? diff : mt_str_cmp(id, row->id);
}

static int by_key(const void *x, const void *y, void *rows)
{
    const st_instance *a = (const st_instance *)rows + *(const size_t *)x;
    const st_instance *b = (const st_instance *)rows + *(const size_t *)y;
    return compare_keys(a->scope, a->entity, a->id, b);
}

/* In key order: who wrote without locking before must not wait in a circle either. */
mt_err st_instances_put(st_tx *tx, const st_instance *rows, const int64_t *was,
                        size_t count)
{
    enum { COLUMNS = 10 };
    st_value *params = mt_new_array(&tx->scratch, st_value, COLUMNS * count);
    size_t *order = mt_new_array(&tx->scratch, size_t, count);
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    qsort_r(order, count, sizeof *order, by_key, (void *)(uintptr_t)rows);
    for (size_t i = 0; i < count; i++) {
        const st_instance *row = &rows[order[i]];
        const st_value cells[COLUMNS] = {
            ST_T(row->state),    ST_I(row->version),   ST_I(row->updated_ms),
            ST_I(row->deleted),  ST_T(row->last_flow), ST_T(row->last_operation),
            ST_T(row->scope),    ST_T(row->entity),    ST_T(row->id),
            ST_I(was[order[i]]),
        };
        memcpy(params + COLUMNS * i, cells, sizeof cells);
    }
    return st_send_many(tx, st_form(tx, ST_SQL_INSTANCE_PUT, count), params, count,
                        MT_E_CONFLICT);
}

mt_err st_instance_put(st_tx *tx, const st_instance *row)
{
    int64_t was = row->version - 1;
    return st_instances_put(tx, row, &was, 1);
}

/* ---- Locking ---- */

typedef struct locking {
    st_instance *rows; /* filled where they were found */
    bool *found;
    const size_t *order; /* indices of the rows in key order */
    size_t count, at;
    mt_arena *arena;
} locking;

/* Rows come in the order of the keys, those that are not there left out. */
static mt_err note_locked(void *state, const st_value *c)
{
    locking *l = state;
    while (l->at < l->count) {
        st_instance *row = &l->rows[l->order[l->at]];
        int diff = compare_keys(c[0].text, c[1].text, c[2].text, row);
        if (diff < 0) {
            break;
        }
        if (diff == 0) {
            instance_read(l->arena, c, row);
            l->found[l->order[l->at]] = true;
        }
        l->at++;
    }
    return MT_OK;
}

/* What the store would refuse as a key cannot be there either. */
static bool may_be_key(const st_instance *row)
{
    return !st_check_text('k', row->scope) && !st_check_text('k', row->entity) &&
           !st_check_text('k', row->id);
}

mt_err st_instances_lock_soon(st_tx *tx, mt_arena *a, st_instance *rows, bool *found,
                              size_t count)
{
    size_t *order = mt_new_array(&tx->scratch, size_t, count);
    st_value *keys = mt_new_array(&tx->scratch, st_value, 3 * count);
    size_t sane = 0, unique = 0;
    for (size_t i = 0; i < count; i++) {
        found[i] = false;
        order[sane] = i;
        sane += may_be_key(&rows[i]);
    }
    qsort_r(order, sane, sizeof *order, by_key, rows);
    for (size_t i = 0; i < sane; i++) {
        const st_instance *row = &rows[order[i]];
        if (i == 0 || by_key(&order[i - 1], &order[i], rows) != 0) {
            keys[3 * unique] = ST_T(row->scope);
            keys[3 * unique + 1] = ST_T(row->entity);
            keys[3 * unique++ + 2] = ST_T(row->id);
        }
    }
    locking *l = mt_new(&tx->scratch, locking);
    *l = (locking){rows, found, order, sane, 0, a};
    st_ids_forget(tx);
    return unique ? st_ask(tx, st_form(tx, ST_SQL_INSTANCE_LOCK, unique), keys, unique,
                           note_locked, l)
                  : tx->broken;
}

mt_err st_instances_lock(st_tx *tx, mt_arena *a, st_instance *rows, bool *found,
                         size_t count)
{
    mt_err err = st_instances_lock_soon(tx, a, rows, found, count);
    return err ? err : st_settle(tx);
}

/* ---- Walking ---- */

typedef struct walking {
    st_instance_walker *each;
    void *state;
} walking;

static mt_err walk_row(void *state, const st_value *cells)
{
    walking *w = state;
    st_instance row;
    instance_read(NULL, cells, &row);
    return w->each(w->state, &row);
}

mt_err st_instance_walk(st_tx *tx, const st_instance_filter *filter, st_page page,
                        st_instance_walker *each, void *state)
{
    bool all = filter->entity.len == 0;
    size_t slash = mt_str_find(page.after, '/');
    mt_str entity = all ? mt_str_from(page.after.ptr, slash) : filter->entity;
    mt_str id = all ? mt_str_skip(page.after, slash + 1) : page.after;
    st_value params[] = {
        ST_T(filter->scope), ST_T(entity),          ST_T(id),
        ST_T(filter->state), ST_I(filter->deleted), ST_I(0),
    };
    st_walk walk = {.id = all ? ST_SQL_INSTANCE_WALK_ALL : ST_SQL_INSTANCE_WALK,
                    .params = params,
                    .limit_param = 5,
                    .key_count = 2,
                    .key_cell = {1, 2},
                    .key_param = {1, 2}};
    walking w = {each, state};
    uint64_t left = st_page_limit(page);
    return st_walk_run(tx, &walk, walk_row, &w, &left);
}

mt_err st_instances_page(st_tx *tx, mt_arena *a, const st_instance *after,
                         uint32_t limit, st_instance **rows, size_t *count)
{
    st_value params[] = {ST_T(after->scope), ST_T(after->entity), ST_T(after->id),
                         ST_I(limit)};
    void *list = NULL;
    mt_err err = st_list(tx, ST_SQL_INSTANCE_PAGE, params, instance_read, a,
                         sizeof(st_instance), &list, count);
    *rows = list;
    return err;
}

typedef struct counting {
    st_state_counter *each;
    void *state;
} counting;

static mt_err count_row(void *state, const st_value *cells)
{
    counting *c = state;
    return c->each(c->state, cells[0].text, cells[1].number);
}

mt_err st_instance_count(st_tx *tx, mt_str scope, mt_str entity, int64_t most,
                         st_state_counter *each, void *state)
{
    st_value params[] = {ST_T(scope), ST_T(entity), ST_I(most)};
    counting c = {each, state};
    return st_run(tx, ST_SQL_INSTANCE_COUNT, params, count_row, &c, NULL);
}
