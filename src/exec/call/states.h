/* exec/call/states.h - states of instances, for who only reads; kept in memory on a
 * store nobody shares.
 * Room: exec. */
#ifndef EX_STATES_H
#define EX_STATES_H

#include "contract/flow/states.h"
#include "exec/call/call.h"

ex_cache *ex_cache_new(void);
void ex_cache_free(ex_cache *c);
/* What the committer committed. */
void ex_cache_put(ex_cache *c, const st_instance *row);
/* State, version and deletion of the instance `key` names; the state's name is in the
 * arena. False: not known. */
bool ex_cache_get(ex_cache *c, mt_arena *a, const st_instance *key, st_instance *out);
void ex_cache_drop(ex_cache *c, const st_instance *row);
/* The state as the job's version knows it; CT_NONE: it was removed, which is noted. */
uint32_t ex_state_known(ex_job *job, uint32_t entity, mt_str state);
/* Refused if that is what became of the entity's instance. */
bool ex_refused_removed(ex_job *job, uint32_t entity);
/* States of what the snap binds, read without a lock. */
mt_err ex_states_read(ex_job *job);
/* What would be made for a guarded call is in its initial state. */
void ex_states_assume(ex_job *job);
/* The EntityStateMap (E17): every instance, read in one transaction; bindings narrow an
 * entity to one. Sealed. */
bool ex_refused_all_states(ex_job *job, ct_states *out);

#endif
