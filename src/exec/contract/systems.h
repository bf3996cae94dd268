/* exec/contract/systems.h - Systems that are served: whose instances are whose.
 * Room: exec. Threads: any. */
#ifndef EX_SYSTEMS_H
#define EX_SYSTEMS_H

#include "base/json_read.h"
#include "exec/executor.h"

#define EX_KIND_SYSTEM MT_STR("system") /* documents: id SYSTEM, body its bundle */

/* A System as it was declared. */
typedef struct ex_system {
    mt_str id, bundle;
    const mt_json *declaration; /* its construct */
} ex_system;

/* Serves it, or its new version. MT_E_CORRUPT. */
mt_err ex_system_add(ex_executor *x, mt_str bundle);
/* What it declares; NULL: no such System is served. Lives until the close. */
const mt_json *ex_system_named(ex_executor *x, mt_str id);
/* Does the System say that this member shares this entity? */
bool ex_system_shares(const mt_json *declaration, mt_str contract, mt_str entity);
/* Whose instances are those of this entity? The contract's, or a System's when its
 * members share them: the one place that decides it. In the arena. */
mt_str ex_scope_of(ex_executor *x, mt_arena *a, mt_str contract, mt_str entity);

#endif
