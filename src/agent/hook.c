/* agent/hook.c - see hook.h. */
#include "agent/hook.h"

int ag_priority_cmp(ag_priority a, ag_priority b)
{
    uint32_t shared = a.count < b.count ? a.count : b.count;
    for (uint32_t i = 0; i < shared; i++) {
        if (a.items[i] != b.items[i]) {
            return a.items[i] < b.items[i] ? -1 : 1;
        }
    }
    return (a.count > b.count) - (a.count < b.count);
}

const char *ag_direction_name(ag_direction direction)
{
    return direction == AG_SEND ? "send" : "receive";
}

/* Insertion by priority, after its equals, so registration order decides between them.
 * Hooks are few. */
uint32_t ag_hook_order(ag_mode mode, const ag_hook *hooks, uint32_t count,
                       ag_direction direction, uint32_t *order)
{
    uint32_t len = 0;
    for (uint32_t h = 0; h < count; h++) {
        if (hooks[h].direction != direction) {
            continue;
        }
        uint32_t at = len;
        while (at &&
               ag_priority_cmp(hooks[order[at - 1]].priority, hooks[h].priority) > 0) {
            at--;
        }
        if (mode == AG_COMPAT && at &&
            ag_priority_cmp(hooks[order[at - 1]].priority, hooks[h].priority) == 0) {
            order[at - 1] = h;
            continue;
        }
        memmove(order + at + 1, order + at, (len - at) * sizeof *order);
        order[at] = h;
        len++;
    }
    return len;
}
