/* host/graph_own.h - primitives that a user has written in C.
 * Room: host. A function becomes a primitive by its manifest, whether an embedder hands
 * it over or a shared object brings it; both are called through ho_own_run(), which
 * shows them a motet_call (motet.h).
 * A shared object is code that runs with the rights of this process. So the file must
 * belong to root or to this user, nobody else may write it, and what is loaded is a
 * sealed copy of the very bytes whose digest is told.
 * Ownership: a library outlives the registry and the graphs that use it. */
#ifndef HO_GRAPH_OWN_H
#define HO_GRAPH_OWN_H

#include "base/diag.h"
#include "graph/graph.h"
#include "motet.h"

typedef struct ho_own_library ho_own_library;

/* What a primitive is registered with: the user data of ho_own_run(). */
typedef struct ho_own_function {
    motet_primitive run;
    void *user;
    const ho_own_library *library; /* NULL: an embedder's */
} ho_own_function;

/* Calls a ho_own_function. A gr_run_fn. */
bool ho_own_run(void *function, gr_call *call);

/* Values as the public header has them. Members that do not belong to the type are
 * zero. */
motet_value ho_own_out(const gr_value *value);
/* Borrows what `value` points to; what no graph can hold becomes nothing. */
gr_value ho_own_in(motet_value value);

/* Loads a file and registers its primitives; all of their faults are told.
 * MT_E_NOTFOUND, MT_E_IO, MT_E_LIMIT, MT_E_DENIED, MT_E_VERSION, MT_E_REJECTED, always
 * with a diagnostic. *out is NULL unless something of it was registered. */
mt_err ho_own_load(const char *path, gr_registry *registry, mt_diags *ds,
                   ho_own_library **out);
void ho_own_free(ho_own_library *library); /* accepts NULL */

/* "sha256:HEX" of each library that the graph uses, in byte order, with a space
 * between. Empty: none. */
mt_str ho_own_used(mt_arena *a, const gr_graph *graph);

#endif
