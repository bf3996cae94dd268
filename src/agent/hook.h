/* agent/hook.h - priority tuples and the order of hooks.
 * Room: agent. May include base/ only.
 * Tuples order lexicographically, a prefix before what it begins: () < (-1) < (0) <
 * (0,5) < (1). Ownership: the elements are borrowed. */
#ifndef AG_HOOK_H
#define AG_HOOK_H

#include "agent/route.h"
#include "base/json_read.h"

typedef struct ag_priority {
    const int64_t *items; /* compared one after the other; shorter first */
    uint32_t count;
} ag_priority;

/* One item after the other; of two with the same beginning the shorter is first. */
int ag_priority_cmp(ag_priority a, ag_priority b);

typedef enum ag_direction { AG_RECEIVE, AG_SEND } ag_direction;
/* "receive", "send". */
const char *ag_direction_name(ag_direction direction);

typedef struct ag_hook {
    mt_str name, module;
    ag_direction direction;
    ag_priority priority;
    const mt_json *behaviour; /* for DNA (behaviour.h); NULL: not stated */
} ag_hook;

/* Indices of the hooks of one direction in the order they run; returns how many.
 * Profile: by priority, then registration. Compat: of equal priorities only the last
 * registered remains. `order` has room for `count`. */
uint32_t ag_hook_order(ag_mode mode, const ag_hook *hooks, uint32_t count,
                       ag_direction direction, uint32_t *order);

#endif
