/* contract/wire/model.c - looking things up in a model by name. */
#include "contract/wire/model.h"

#include "base/nearest.h"

uint32_t ct_model_find(const ct_model *m, ct_kind kind, mt_str id)
{
    return (uint32_t)mt_map_get(&m->names[kind], id, 0) - 1;
}

mt_str ct_model_nearest(const ct_model *m, ct_kind kind, mt_str id)
{
    mt_nearest near = mt_nearest_to(id);
    for (uint32_t i = 0; i < m->names[kind].len; i++) {
        mt_nearest_offer(&near, m->names[kind].entries[i].key);
    }
    return near.best;
}

static uint32_t find_str(const mt_str *items, uint32_t count, mt_str wanted)
{
    for (uint32_t i = 0; i < count; i++) {
        if (mt_str_eq(items[i], wanted)) {
            return i;
        }
    }
    return CT_NONE;
}

uint32_t ct_state_find(const ct_entity *e, mt_str state)
{
    return find_str(e->states, e->state_count, state);
}

uint32_t ct_outcome_find(const ct_operation *op, mt_str outcome)
{
    return find_str(op->outcomes, op->outcome_count, outcome);
}

uint32_t ct_step_find(const ct_steps *steps, mt_str id)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        if (mt_str_eq(steps->items[i].id, id)) {
            return i;
        }
    }
    return CT_NONE;
}
