/* host/graph_merge.c - an incoming payload becomes the context of an episode.
 * Room: host. HST-6. In this order: stored keys that adapter and schema allow under
 * the payload, then derived keys, which only the graph itself knows, then one value
 * per key of the graph. INVARIANT: objects stay sorted by key, for the snapshot
 * walks graph and object side by side, and the captured bytes are hashed. Nothing
 * can fail: what a Source cannot read is absent for it (SRC-10). Everything lives in
 * the arena of the episode. */
#include "host/graph_merge.h"

#include <stdlib.h>

#include "base/number.h"

/* ---- a stored value as a JSON node ---- */

static mt_json number_node(mt_arena *a, double n)
{
    char *text = mt_alloc(a, MT_NUMBER_TEXT);
    size_t len = mt_number_print(n, text);
    return (mt_json){.type = MT_JSON_NUMBER, .count = (uint32_t)len, .as.text = text};
}

static mt_json series_node(mt_arena *a, const gr_value *v)
{
    mt_json *items = mt_new_array(a, mt_json, v->len);
    for (uint32_t i = 0; i < v->len; i++) {
        items[i] = number_node(a, v->as.series[i]);
    }
    return (mt_json){.type = MT_JSON_ARRAY, .count = v->len, .as.items = items};
}

/* Events have no JSON form in a payload; they never are context values. */
static mt_json node_of(mt_arena *a, const gr_value *v)
{
    switch ((gr_type)v->type) {
    case GR_NUMBER: return number_node(a, v->as.number);
    case GR_SERIES: return series_node(a, v);
    case GR_BOOL: return (mt_json){.type = MT_JSON_BOOL, .boolean = v->as.boolean != 0};
    case GR_STRING:
        return (mt_json){.type = MT_JSON_STRING,
                         .count = v->len,
                         .as.text = mt_str_dup(a, gr_text_of(v)).ptr};
    case GR_EVENT:
    case GR_NONE: break;
    }
    MT_BUG("an event in the context store");
}

/* ---- the merge ---- */

/* The members of `object` (may be NULL), with room for `more`. */
static mt_json_member *copy_members(mt_arena *a, const mt_json *object, uint32_t more,
                                    uint32_t *count)
{
    *count = object ? object->count : 0;
    mt_json_member *members = mt_new_array(a, mt_json_member, *count + more);
    if (*count) {
        memcpy(members, object->as.members, *count * sizeof *members);
    }
    return members;
}

static mt_json sorted_object(mt_json_member *members, uint32_t count)
{
    bool sorted = true; /* as most events come */
    for (uint32_t i = 1; i < count && sorted; i++) {
        sorted = mt_str_cmp(members[i - 1].key, members[i].key) < 0;
    }
    if (!sorted) {
        mt_sort_by(members, count, key);
    }
    return (mt_json){.type = MT_JSON_OBJECT, .count = count, .as.members = members};
}

mt_json ho_graph_merge(mt_arena *a, const gr_adapter *adapter,
                       const gr_adapter_schema *event, const ho_context *store,
                       const mt_json *payload)
{
    /* Every key may come from the store, so that is the room that is made. */
    uint32_t eligible = adapter ? adapter->key_count : 0, count;
    mt_json_member *members = copy_members(a, payload, eligible, &count);
    for (uint32_t i = 0; i < eligible; i++) {
        mt_str key = adapter->keys[i].name;
        const gr_value *stored = store->get(store->state, key);
        if (stored && !mt_json_get(payload, key) &&
            gr_adapter_event_allows(event, key)) {
            members[count++] = (mt_json_member){key, node_of(a, stored)};
        }
    }
    return sorted_object(members, count);
}

mt_json ho_graph_merge_derived(mt_arena *a, const gr_graph *graph,
                               const ho_context *store, const mt_json *object)
{
    uint32_t count;
    mt_json_member *members = copy_members(a, object, graph->key_count, &count);
    for (uint32_t i = 0; i < graph->written_count; i++) {
        const gr_written *w = &graph->written[i];
        int key = w->derived ? gr_graph_key(graph, w->name) : -1;
        const gr_value *stored = key < 0 ? NULL : store->get(store->state, w->name);
        mt_json so_far = {
            .type = MT_JSON_OBJECT, .count = count, .as.members = members};
        if (stored && !mt_json_get(&so_far, w->name)) {
            members[count++] = (mt_json_member){w->name, node_of(a, stored)};
        }
    }
    /* Most graphs derive no key; then the object is the same and its copy was for
     * nothing. */
    return count == object->count ? *object : sorted_object(members, count);
}

/* Both lists are sorted, so one walk over them finds every pair. */
const gr_value *ho_graph_snapshot(mt_arena *a, const gr_graph *graph,
                                  const mt_json *object)
{
    gr_value *values = mt_new_array(a, gr_value, graph->key_count);
    uint32_t key = 0, member = 0;
    while (key < graph->key_count && member < object->count) {
        const mt_json_member *m = &object->as.members[member];
        int order = mt_str_cmp(graph->keys[key].name, m->key);
        if (order == 0 && !gr_value_from_json(a, &m->value, &values[key])) {
            values[key] = (gr_value){.type = GR_NONE};
        }
        key += order <= 0;
        member += order >= 0;
    }
    return values;
}
