/* fuzz/served.h - a whole executor for fuzz targets: contracts of every kind, a System,
 * a graph and an agent on a SQLite store in a directory of its own (below TMPDIR),
 * which is removed at exit. Inputs meet the state that earlier ones left; after some
 * thousand calls everything is begun anew, for what a contract was deployed over would
 * never be reached again. */
#ifndef FUZZ_SERVED_H
#define FUZZ_SERVED_H

#include "exec/executor.h"

typedef struct served {
    st_store *store;
    ex_executor *x;
    unsigned round; /* how often it was begun */
} served;

/* The one executor, as it is until the next served_open(). */
const served *served_open(void);
/* Calls what was opened last, waits for the answer and looks at it: JSON, a problem
 * with a code exactly when the status says so, and never the executor's own fault. Ids
 * of flows are random: the id "last" is that of the flow started last. Returns the
 * status. */
int served_ask(const ex_call *call);

#endif
