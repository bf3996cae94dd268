/* contract/wire/model.c - looking things up in a model by name, parts by number. */
#include "contract/wire/model.h"

#include "base/nearest.h"

/* ---- Parts ---- */

uint32_t ct_part_count(const ct_expr *make)
{
    return ct_held(make->type) == LN_VARIANT ? 1 : make->index;
}

/* How many of `count` parts are in the left half; both ways through the tree agree. */
static uint32_t left_half(uint32_t count)
{
    return count - count / 2;
}

const ct_expr *ct_part_of(const ct_expr *make, uint32_t index)
{
    const ct_expr *e = make->left;
    for (uint32_t count = ct_part_count(make); count > 1;) {
        uint32_t half = left_half(count);
        bool in_left = index < half;
        e = in_left ? e->left : e->right;
        index -= in_left ? 0 : half;
        count = in_left ? half : count - half;
    }
    return e;
}

const ct_expr *ct_parts_join(mt_arena *a, const ct_type *type,
                             const ct_expr *const *parts, uint32_t count)
{
    if (count <= 1) {
        return count ? parts[0] : NULL;
    }
    uint32_t half = left_half(count);
    ct_expr *e = mt_new(a, ct_expr);
    e->op = CT_PARTS;
    e->type = type;
    e->left = ct_parts_join(a, type, parts, half);
    e->right = ct_parts_join(a, type, parts + half, count - half);
    return e;
}

/* ---- Names ---- */

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
