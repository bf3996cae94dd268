/* analyze/explain/draw_scene.c - what every part of a picture needs: order of
 * declaration, names, texts, colours.
 *
 * A scene holds the subject as a list of actors: one for a contract, one per member
 * for a System. Names of nodes begin with the member's id, so the same entity of two
 * members has two names; what the System shares has one, without a member
 * (an_draw_shared()).
 *
 * Colours are given before anything is drawn: shared personas first, then those of
 * each member in order of declaration. An operation has a colour only if one persona
 * alone may perform it.
 *
 * The model lists things by name; the order in which an author wrote them is in their
 * origin, and an_draw_order() brings it back. Nothing here can fail. */
#include <stdlib.h>

#include "analyze/explain/draw_internal.h"
#include "contract/flow/text.h"

/* ---- order ---- */

typedef struct placed {
    const ct_origin *origin;
    uint32_t index;
} placed;

/* Without provenance all places are equal and the model's order stays. */
static int by_place(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    int order = mt_str_cmp(x->origin->file, y->origin->file);
    if (!order) {
        order =
            (x->origin->line > y->origin->line) - (x->origin->line < y->origin->line);
    }
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* `origin` is where in an item of `size` bytes its ct_origin stands. */
const uint32_t *an_draw_order(mt_arena *a, const void *items, size_t size,
                              size_t origin, uint32_t count)
{
    placed *list = mt_new_array(a, placed, count + 1);
    uint32_t *order = mt_new_array(a, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *item = (const char *)items + i * size;
        list[i] = (placed){(const ct_origin *)(const void *)(item + origin), i};
    }
    qsort(list, count, sizeof *list, by_place);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = list[i].index;
    }
    return order;
}

/* ---- texts ---- */

mt_str an_draw_name(an_scene *x, const an_actor *who, const char *format, ...)
{
    va_list args;
    mt_buf name = {0};
    if (who && who->id.len) {
        mt_buf_addf(&name, "%.*s/", MT_ARG(who->id));
    }
    va_start(args, format);
    mt_buf_addfv(&name, format, args);
    va_end(args);
    return mt_picture_keep(x->a, &name);
}

uint32_t an_draw_box(an_scene *x, const an_actor *who, mt_str name, mt_str title)
{
    mt_str label = who && who->id.len
                       ? mt_strf(x->a, "%.*s: %.*s", MT_ARG(who->id), MT_ARG(title))
                       : title;
    mt_picture_group group = {.name = name,
                              .label = label,
                              .parent = who ? who->box : MT_PICTURE_NONE,
                              .persona = MT_PICTURE_NONE};
    return mt_picture_add_group(x->p, group);
}

void an_draw_effects(mt_buf *out, const ct_model *m, uint32_t op)
{
    for (uint32_t i = 0; i < m->operations[op].effect_count; i++) {
        const ct_effect *f = &m->operations[op].effects[i];
        const ct_entity *e = &m->entities[f->entity];
        mt_buf_addf(out, "\n%.*s: %.*s → %.*s", MT_ARG(e->id),
                    MT_ARG(e->states[f->from]), MT_ARG(e->states[f->to]));
    }
}

mt_str an_draw_operation_tip(an_scene *x, const an_actor *who, uint32_t op)
{
    const ct_model *m = who->an->model;
    const ct_operation *o = &m->operations[op];
    mt_buf text = {0};
    mt_buf_addf(&text, "%.*s", MT_ARG(o->id));
    for (uint32_t i = 0; i < o->persona_count; i++) {
        mt_buf_addf(&text, "%s%.*s", i ? ", " : " by ",
                    MT_ARG(m->personas[o->personas[i]].id));
    }
    if (o->precondition) {
        mt_buf_addz(&text, "\nwhen ");
        ct_expr_text(&text, m, o->precondition);
    }
    an_draw_effects(&text, m, op);
    return mt_picture_keep(x->a, &text);
}

uint32_t an_draw_operation_colour(const an_actor *who, uint32_t op)
{
    const ct_operation *o = &who->an->model->operations[op];
    return o->persona_count == 1 ? who->colour[o->personas[0]] : MT_PICTURE_NONE;
}

/* ---- the scene ---- */

/* A name is shared only with the members that the System lists for it. */
static uint32_t shared_by(const an_scene *x, const an_actor *who,
                          const an_sys_shared *list, uint32_t count, mt_str name)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < list[i].count && mt_str_eq(list[i].name, name); k++) {
            if (&x->actors[list[i].members[k]] == who) {
                return i;
            }
        }
    }
    return CT_NONE;
}

uint32_t an_draw_shared(const an_scene *x, const an_actor *who, uint32_t entity)
{
    const an_sys *s = x->system;
    return s ? shared_by(x, who, s->entities, s->entity_count,
                         who->an->model->entities[entity].id)
             : CT_NONE;
}

uint32_t an_draw_shared_persona(const an_scene *x, const an_actor *who,
                                uint32_t persona)
{
    const an_sys *s = x->system;
    return s ? shared_by(x, who, s->personas, s->persona_count,
                         who->an->model->personas[persona].id)
             : CT_NONE;
}

/* A name has one colour in the whole picture, shared or not. */
static void colour_personas(an_scene *x, an_actor *who)
{
    const ct_model *m = who->an->model;
    uint32_t *colour = mt_new_array(x->a, uint32_t, m->persona_count + 1);
    const uint32_t *order =
        an_in_order(x->a, ct_persona, m->personas, m->persona_count);
    for (uint32_t i = 0; i < m->persona_count; i++) {
        colour[order[i]] = mt_picture_persona(x->p, m->personas[order[i]].id);
    }
    who->colour = colour;
}

/* `size` bytes of MT_PICTURE_NONE. */
static void *none_of(mt_arena *a, size_t count, size_t size)
{
    return memset(mt_new_array(a, char, (count + 1) * size), 0xff, (count + 1) * size);
}

/* Everything "not drawn yet": MT_PICTURE_NONE is all bits set, in an_made as well. */
static void prepare(an_scene *x, an_actor *who)
{
    const ct_plan *plan = who->an->plan;
    const ct_model *m = who->an->model;
    colour_personas(x, who);
    who->begin = none_of(x->a, m->flow_count, sizeof *who->begin);
    who->steps = none_of(x->a, plan->step_count, sizeof *who->steps);
    who->lanes = none_of(x->a, m->persona_count, sizeof *who->lanes);
    who->ends = none_of(x->a, plan->terminal_count, sizeof *who->ends);
}

/* Colours are given to all members, drawn or not:
 * they are the same in every picture of the subject. */
an_scene an_scene_new(mt_arena *a, mt_picture *p, const an_subject *s)
{
    an_scene x = {.a = a, .p = p, .system = s->system};
    x.actor_count = s->system ? s->system->member_count : 1;
    x.actors = mt_new_array(a, an_actor, x.actor_count + 1);
    *p = mt_picture_new(a, s->system ? s->system->id : s->contract->model->id);
    for (uint32_t i = 0; s->system && i < s->system->persona_count; i++) {
        mt_picture_persona(p, s->system->personas[i].name);
    }
    for (uint32_t i = 0; i < x.actor_count; i++) {
        x.actors[i].an = s->system ? s->system->members[i].an : s->contract;
        x.actors[i].id = s->system ? s->system->members[i].id : (mt_str){0};
        x.actors[i].box = MT_PICTURE_NONE;
        if (x.actors[i].an) {
            prepare(&x, &x.actors[i]);
        }
    }
    uint32_t triggers = s->system ? s->system->trigger_count : 0;
    x.fires = none_of(a, triggers, sizeof *x.fires);
    return x;
}
