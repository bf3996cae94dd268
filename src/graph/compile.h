/* graph/compile.h - the flat form the executor runs.
 * Room: graph. Internal to it.
 * Slots: [0] nothing, then the outputs of all nodes level by level, then constants
 * (parameters that steps and effects read). Types of slots never change, so a step
 * writes only the 8 bytes of its result. */
#ifndef GR_COMPILE_H
#define GR_COMPILE_H

#include "graph/effect.h"
#include "graph/graph.h"
#include "graph/op.h"
#include "graph/validate.h"

/* One node. What a, b and c mean depends on the op: input slots, or an index. */
typedef struct gr_step {
    uint16_t op;
    uint16_t aux; /* CONTEXT: type; SELECT: none; ACTION: outcome */
    uint32_t out;
    uint32_t a, b, c;
} gr_step;

/* What an Action writes into the context: the key, and the slot its value is in. */
typedef struct gr_write_plan {
    mt_str key;
    uint32_t slot;
} gr_write_plan;

typedef struct gr_field_plan {
    mt_str name;
    uint32_t slot;
} gr_field_plan;

typedef struct gr_intent_plan {
    mt_str kind;
    mt_str
        tail; /* node id, kind and ordinal, length-prefixed: the end of eid1's text */
    uint32_t first_field, field_count;
} gr_intent_plan;

typedef struct gr_action_plan {
    uint32_t first_gate, gate_count; /* into gates: slots that must be Emitted */
    uint32_t first_write, write_count;
    uint32_t first_intent, intent_count;
    uint32_t call; /* into calls, for actions in C */
} gr_action_plan;

/* A context key read by a Source that is not the simple kind. */
typedef struct gr_need_plan {
    uint32_t key;
    gr_type type;
    bool required;
    uint32_t out; /* slot that receives it, 0: none (C reads it from the call) */
} gr_need_plan;

typedef struct gr_call_plan {
    const gr_primitive *primitive;
    const uint32_t *inputs; /* slots */
    const gr_value *params;
    uint32_t first_need, need_count;
    uint32_t node, out;
} gr_call_plan;

/* Made once by gr_compile() and never changed; executors of one graph share it, each
 * with slots of its own. */
struct gr_code {
    gr_step *steps; /* one per node, in order */
    /* The same without constants and Actions, by level and then op, in runs of equal
     * ops; none when the graph is small or calls into C (graph/sweep.h). */
    gr_step *swept;
    uint32_t *runs; /* lengths */
    uint32_t run_count;
    gr_value *initial; /* slots before the first pass */
    uint32_t *gates;
    gr_action_plan *actions;
    gr_write_plan *writes;
    gr_intent_plan *intents;
    gr_field_plan *fields;
    gr_need_plan *needs;
    gr_call_plan *calls;
    uint32_t slot_count; /* with constants */
    uint32_t gate_count, action_count, write_count, intent_count, field_count,
        need_count, call_count, most_inputs, most_needs, most_outputs;
    mt_str head; /* "eid1" and graph id, length-prefixed: the start of eid1's text */
    size_t longest_tail;
};

/* Builds nodes, tables and code of a graph that is known to be valid. */
void gr_compile(gr_graph *g, const gr_flat *flat, const gr_wiring *w,
                const uint32_t *order);

/* "rpv1:sha256:..." of an expanded graph: all parameters with a value. */
mt_str gr_runtime_provenance(mt_arena *a, const gr_flat *flat);
/* The same over bound parameters alone, as captures were identified once. */
mt_str gr_runtime_provenance_as_bound(mt_arena *a, const gr_flat *flat);

/* Appends a string after its length as u32 big-endian. */
void gr_add_counted(mt_buf *out, mt_str s);

#endif
