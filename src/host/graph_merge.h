/* host/graph_merge.h - an incoming payload becomes the context of an episode.
 * Room: host. HST-6: stored values whose key the adapter declares and the event's
 * schema allows are laid under the incoming members; the incoming ones win. The merged
 * object, keys sorted, compact, is the payload that is captured and hashed. */
#ifndef HO_GRAPH_MERGE_H
#define HO_GRAPH_MERGE_H

#include "graph/adapter.h"
#include "graph/graph.h"
#include "host/graph_context.h"

/* The members of `payload` (NULL: none) and the eligible ones of the store, sorted by
 * key, as one object in the arena. Without an adapter the store stays out. `event` may
 * be NULL only then. */
mt_json ho_graph_merge(mt_arena *a, const gr_adapter *adapter,
                       const gr_adapter_schema *event, const ho_context *store,
                       const mt_json *payload);

/* The same object with the stored values of derived keys, which no author declares and
 * no event schema mentions. */
mt_json ho_graph_merge_derived(mt_arena *a, const gr_graph *graph,
                               const ho_context *store, const mt_json *object);

/* The values the graph's Sources can see: one per graph key, absent ones of type
 * GR_NONE. Members that are not a number, string, bool or list of numbers are
 * invisible. `object` must be sorted by key. */
const gr_value *ho_graph_snapshot(mt_arena *a, const gr_graph *graph,
                                  const mt_json *object);

#endif
