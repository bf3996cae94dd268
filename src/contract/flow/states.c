/* contract/flow/states.c - the map from instances to states, and bindings into it.
 *
 * Instances of an entity are a list sorted by name. While it is filled, order does not
 * matter and a name may come twice; ct_states_seal() sorts stably and lets the last of
 * equal names win, after which ct_states_get() may search. An entity nobody spoke of
 * has one instance, the default one, in its initial state.
 *
 * A binding says which instance of each entity a flow is about, and carries its state
 * beside it; ct_binding_resolve() fills both from the map.
 *
 * Both are read from JSON (a state, or an object of instances) and from the command
 * line (ENTITY=STATE, ENTITY/INSTANCE=STATE, ENTITY=INSTANCE). What may fail:
 * MT_E_TYPE, MT_E_SYNTAX, MT_E_NOTFOUND with a sentence in *why that names entity and
 * state; the map may then be half filled and is not to be used. */
#include "contract/flow/states.h"

#include <stdlib.h>

#include "base/nearest.h"

ct_states ct_states_new(mt_arena *a, const ct_model *m)
{
    return (ct_states){m, mt_new_array(a, ct_instances, m->entity_count)};
}

void ct_states_put(mt_arena *a, ct_states *s, uint32_t entity, mt_str id,
                   uint32_t state)
{
    ct_instance instance = {id, state};
    mt_vec_push(a, &s->entities[entity], instance);
}

static int by_id(const void *a, const void *b)
{
    return mt_str_cmp(((const ct_instance *)a)->id, ((const ct_instance *)b)->id);
}

static bool is_sorted(const ct_instances *list)
{
    for (size_t i = 1; i < list->len; i++) {
        if (by_id(&list->items[i - 1], &list->items[i]) >= 0) {
            return false;
        }
    }
    return true;
}

/* Of equal names, which stand together in the order they were put, the last stays. */
static void drop_overwritten(ct_instances *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++) {
        if (kept && mt_str_eq(list->items[kept - 1].id, list->items[i].id)) {
            list->items[kept - 1] = list->items[i];
        } else {
            list->items[kept++] = list->items[i];
        }
    }
    list->len = kept;
}

/* Insertion order decides between equal names, so the sort must be stable: bottom-up
 * merging through a scratch copy. */
static void merge_sort(ct_instance *items, size_t n)
{
    ct_instance *other = mt_xmalloc(mt_array_bytes(n, sizeof *items));
    ct_instance *from = items, *to = other;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t mid = low + width < n ? low + width : n;
            size_t high = low + 2 * width < n ? low + 2 * width : n;
            size_t i = low, j = mid;
            for (size_t k = low; k < high; k++) {
                bool left = i < mid && (j >= high || by_id(&from[i], &from[j]) <= 0);
                to[k] = left ? from[i++] : from[j++];
            }
        }
        ct_instance *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, n * sizeof *items);
    }
    free(other);
}

void ct_states_seal(ct_states *s)
{
    for (uint32_t e = 0; e < s->model->entity_count; e++) {
        ct_instances *list = &s->entities[e];
        /* Strictly ascending, so without equal names either: nothing is to be
         * dropped then. */
        if (!is_sorted(list)) {
            merge_sort(list->items, list->len);
            drop_overwritten(list);
        }
    }
}

void ct_states_add_initial(mt_arena *a, ct_states *s)
{
    for (uint32_t e = 0; e < s->model->entity_count; e++) {
        if (!s->entities[e].len) {
            ct_states_put(a, s, e, CT_DEFAULT_INSTANCE, s->model->entities[e].initial);
        }
    }
}

/* "; did you mean 'x'?", or nothing. */
static mt_str hint(mt_arena *a, mt_str nearest)
{
    return nearest.len ? mt_strf(a, "; did you mean '%.*s'?", MT_ARG(nearest))
                       : MT_STR("");
}

static mt_err unknown_entity(mt_arena *a, const ct_model *m, mt_str name, mt_str *why)
{
    mt_str meant = hint(a, ct_model_nearest(m, CT_KIND_ENTITY, name));
    *why = mt_strf(a, "the contract has no entity '%.*s'%.*s", MT_ARG(name),
                   MT_ARG(meant));
    return MT_E_NOTFOUND;
}

static mt_err unknown_state(mt_arena *a, const ct_entity *e, mt_str name, mt_str *why)
{
    mt_nearest near = mt_nearest_to(name);
    for (uint32_t i = 0; i < e->state_count; i++) {
        mt_nearest_offer(&near, e->states[i]);
    }
    mt_str meant = hint(a, near.best);
    *why = mt_strf(a, "entity '%.*s' has no state '%.*s'%.*s", MT_ARG(e->id),
                   MT_ARG(name), MT_ARG(meant));
    return MT_E_NOTFOUND;
}

/* Entity and state by name; both must be the contract's. */
static mt_err put_named(mt_arena *a, ct_states *s, mt_str entity, mt_str id,
                        mt_str state, mt_str *why)
{
    uint32_t e = ct_model_find(s->model, CT_KIND_ENTITY, entity);
    if (e == CT_NONE) {
        return unknown_entity(a, s->model, entity, why);
    }
    if (!id.len) {
        *why = mt_strf(a, "an instance of entity '%.*s' has an empty name",
                       MT_ARG(entity));
        return MT_E_TYPE;
    }
    uint32_t st = ct_state_find(&s->model->entities[e], state);
    if (st == CT_NONE) {
        return unknown_state(a, &s->model->entities[e], state, why);
    }
    ct_states_put(a, s, e, id, st);
    return MT_OK;
}

static mt_err not_a_state(mt_arena *a, mt_str entity, const mt_json *node, mt_str *why)
{
    *why = mt_strf(a, "state of entity '%.*s' must be a string, not %s", MT_ARG(entity),
                   mt_json_type_name(node));
    return MT_E_TYPE;
}

static mt_err read_instances(mt_arena *a, ct_states *s, mt_str entity,
                             const mt_json *map, mt_str *why)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const mt_json_member *m = &map->as.members[i];
        if (m->value.type != MT_JSON_STRING) {
            return not_a_state(a, entity, &m->value, why);
        }
        mt_err err = put_named(a, s, entity, m->key, mt_json_text(&m->value), why);
        if (err) {
            return err;
        }
    }
    /* An empty object names no instance, and its entity would not be looked at
     * otherwise. */
    return map->count || ct_model_find(s->model, CT_KIND_ENTITY, entity) != CT_NONE
               ? MT_OK
               : unknown_entity(a, s->model, entity, why);
}

mt_err ct_states_read(mt_arena *a, ct_states *s, const mt_json *json, mt_str *why)
{
    if (!mt_json_is(json, MT_JSON_OBJECT)) {
        *why = mt_strf(a, "states must be an object, not %s", mt_json_type_name(json));
        return MT_E_TYPE;
    }
    for (uint32_t i = 0; i < json->count; i++) {
        const mt_json_member *m = &json->as.members[i];
        mt_err err;
        if (m->value.type == MT_JSON_OBJECT) {
            err = read_instances(a, s, m->key, &m->value, why);
        } else if (m->value.type == MT_JSON_STRING) {
            err = put_named(a, s, m->key, CT_DEFAULT_INSTANCE, mt_json_text(&m->value),
                            why);
        } else {
            err = not_a_state(a, m->key, &m->value, why);
        }
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

/* Splits at the last '=', since a name may contain one and a state may not. */
static bool split_equals(mt_str text, mt_str *before, mt_str *after)
{
    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] == '=') {
            *before = (mt_str){text.ptr, i - 1};
            *after = mt_str_skip(text, i);
            return true;
        }
    }
    return false;
}

mt_err ct_states_read_text(mt_arena *a, ct_states *s, mt_str text, mt_str *why)
{
    mt_str whom, state;
    if (!split_equals(text, &whom, &state)) {
        *why = mt_strf(a, "'%.*s' is not ENTITY=STATE or ENTITY/INSTANCE=STATE",
                       MT_ARG(text));
        return MT_E_SYNTAX;
    }
    size_t slash = mt_str_find(whom, '/');
    mt_str entity = {whom.ptr, slash};
    mt_str id = slash < whom.len ? mt_str_skip(whom, slash + 1) : CT_DEFAULT_INSTANCE;
    return put_named(a, s, entity, id, state, why);
}

uint32_t ct_states_get(const ct_states *s, uint32_t entity, mt_str id)
{
    const ct_instances *list = &s->entities[entity];
    size_t low = 0, high = list->len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = mt_str_cmp(list->items[mid].id, id);
        if (order == 0) {
            return list->items[mid].state;
        }
        if (order < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return CT_NONE;
}

void ct_states_json(mt_jw *w, const ct_states *s)
{
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < s->model->entity_count; e++) {
        const ct_instances *list = &s->entities[e];
        if (!list->len) {
            continue;
        }
        mt_jw_key(w, s->model->entities[e].id);
        mt_jw_begin_object(w);
        for (size_t i = 0; i < list->len; i++) {
            mt_jw_key(w, list->items[i].id);
            mt_jw_str(w, s->model->entities[e].states[list->items[i].state]);
        }
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
}

/* ---- bindings ---- */

ct_binding ct_binding_new(mt_arena *a, const ct_model *m)
{
    ct_binding b = {mt_new_array(a, mt_str, m->entity_count),
                    mt_new_array(a, uint32_t, m->entity_count)};
    for (uint32_t e = 0; e < m->entity_count; e++) {
        b.states[e] = CT_NONE;
    }
    return b;
}

static mt_err bind(mt_arena *a, ct_binding *b, const ct_model *m, mt_str entity,
                   mt_str instance, mt_str *why)
{
    uint32_t e = ct_model_find(m, CT_KIND_ENTITY, entity);
    if (e == CT_NONE) {
        return unknown_entity(a, m, entity, why);
    }
    if (!instance.len) {
        *why = mt_strf(a, "entity '%.*s' is bound to an empty name", MT_ARG(entity));
        return MT_E_TYPE;
    }
    b->instances[e] = instance;
    return MT_OK;
}

mt_err ct_binding_read_text(mt_arena *a, ct_binding *b, const ct_model *m, mt_str text,
                            mt_str *why)
{
    size_t at = mt_str_find(text, '=');
    if (at == text.len) {
        *why = mt_strf(a, "'%.*s' is not ENTITY=INSTANCE", MT_ARG(text));
        return MT_E_SYNTAX;
    }
    return bind(a, b, m, (mt_str){text.ptr, at}, mt_str_skip(text, at + 1), why);
}

mt_err ct_binding_read(mt_arena *a, ct_binding *b, const ct_model *m,
                       const mt_json *json, mt_str *why)
{
    if (!mt_json_is(json, MT_JSON_OBJECT)) {
        *why =
            mt_strf(a, "bindings must be an object, not %s", mt_json_type_name(json));
        return MT_E_TYPE;
    }
    for (uint32_t i = 0; i < json->count; i++) {
        const mt_json_member *member = &json->as.members[i];
        if (member->value.type != MT_JSON_STRING) {
            *why = mt_strf(a, "binding of entity '%.*s' must be a string, not %s",
                           MT_ARG(member->key), mt_json_type_name(&member->value));
            return MT_E_TYPE;
        }
        mt_err err = bind(a, b, m, member->key, mt_json_text(&member->value), why);
        if (err) {
            return err;
        }
    }
    return MT_OK;
}

void ct_binding_resolve(ct_binding *b, const ct_states *s, bool defaults)
{
    for (uint32_t e = 0; e < s->model->entity_count; e++) {
        if (!b->instances[e].ptr && defaults &&
            ct_states_get(s, e, CT_DEFAULT_INSTANCE) != CT_NONE) {
            b->instances[e] = CT_DEFAULT_INSTANCE;
        }
        b->states[e] =
            b->instances[e].ptr ? ct_states_get(s, e, b->instances[e]) : CT_NONE;
    }
}
