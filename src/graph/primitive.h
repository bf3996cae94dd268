/* graph/primitive.h - the primitives a graph may use: standard, from files, from C.
 * Room: graph. May include base/ only.
 * The standard library is one table (primitive_table.c): adding one is adding a row and
 * its case in execute.c.
 * Ownership: a registry owns its manifests. Graphs borrow from it, so it outlives them.
 * Threads: read-only after the last add; graphs on many threads may share it. */
#ifndef GR_PRIMITIVE_H
#define GR_PRIMITIVE_H

#include "base/map.h"
#include "base/vec.h"
#include "graph/manifest.h"

/* One call of a primitive written in C. Arrays follow the manifest's order. */
typedef struct gr_call {
    const gr_manifest *manifest;
    const gr_value *inputs; /* type GR_NONE: optional and not connected */
    const gr_value *params;
    const gr_value *context; /* Source: one per requires.context entry */
    gr_value *outputs;       /* to fill; types are checked afterwards */
    mt_arena *arena;         /* series and texts of outputs, dropped after the pass */
    const char *error;       /* static text, when the function returns false */
} gr_call;

/* False ends the pass (ComputeFailed). Must depend on nothing but the call. An Action
 * sees its open gates as Attempted and sets outputs[0] to its outcome. */
typedef bool (*gr_run_fn)(void *user, gr_call *call);

typedef struct gr_primitive {
    gr_manifest manifest;
    uint16_t op;                      /* graph/op.h; GR_OP_CUSTOM calls `run` */
    const struct gr_cluster *cluster; /* what an expression became, or NULL */
    gr_run_fn run;
    void *user;
    bool standard; /* from the table, not from a file */
    bool
        declared; /* a manifest alone: nothing says what it does, so no graph uses it */
} gr_primitive;

typedef struct gr_registry {
    mt_arena arena;
    mt_map by_id; /* -> gr_primitive*, in order of registration */
} gr_registry;

/* A registry that holds the standard library. */
gr_registry *gr_registry_new(void);
void gr_registry_free(gr_registry *r);

/* Adds the manifest in `text`. `run` may be NULL when the file says itself what happens
 * (sources with `from`, actions, computes and triggers with an expression or cluster).
 * MT_E_REJECTED: diagnostics say why, incl. SRC-14, CMP-18, TRG-13 and ACT-18 for an id
 * that is taken, by whatever kind. */
mt_err gr_registry_add(gr_registry *r, mt_str file, mt_str text, gr_run_fn run,
                       void *user, mt_diags *ds);

/* The same, but a source, compute or trigger of which nothing says what it does is
 * accepted as declared: a graph that uses it is refused, others may go on. */
mt_err gr_registry_declare(gr_registry *r, mt_str file, mt_str text, mt_diags *ds);

/* NULL: there is none of that id. */
const gr_primitive *gr_registry_find(const gr_registry *r, mt_str id);
static inline size_t gr_registry_count(const gr_registry *r)
{
    return r->by_id.len;
}
const gr_primitive *gr_registry_at(const gr_registry *r, size_t index);

#endif
