/* analyze/version/compat_touch.c - which flows meet a breaking change.
 * Room: analyze. */
#include "analyze/version/compat_internal.h"

/* ---- What a step uses ---- */

typedef struct user {
    const ct_plan *p;
    an_meet *meet;
    void *state;
    mt_str step;
} user;

static void meet_persona(const user *u, uint32_t persona)
{
    if (persona != CT_NONE) {
        u->meet(u->state, MT_STR("Persona"), ct_persona_id(u->p, persona), u->step);
    }
}

static void meet_operation(const user *u, uint32_t op)
{
    const ct_plan_op *o = &u->p->ops[op];
    u->meet(u->state, MT_STR("Operation"), ct_operation_id(u->p, op), u->step);
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        const ct_plan_outcome *outcome = &u->p->outcomes[o->first_outcome + i];
        for (uint32_t k = 0; k < outcome->effect_count; k++) {
            uint32_t entity = u->p->effects[outcome->first_effect + k].entity;
            u->meet(u->state, MT_STR("Entity"), ct_entity_id(u->p, entity), u->step);
        }
    }
}

/* Facts and rules are not met here: the snapshot is frozen (§18.6.5). */
void an_step_meets(const ct_plan *p, const ct_plan_step *s, an_meet *meet, void *state)
{
    user u = {p, meet, state, s->id};
    meet_persona(&u, s->persona);
    if (s->does == LN_GOES_ON) {
        meet_persona(&u, s->to_persona);
    } else if (s->does == LN_OPERATES) {
        meet_operation(&u, s->what);
    } else if (s->does == LN_CALLS) {
        meet(state, MT_STR("Flow"), p->graphs[s->what].id, s->id);
    }
    if (s->handler.kind == CT_ESCALATE) {
        meet_persona(&u, s->handler.persona);
    }
    for (uint32_t i = 0; i < s->handler.undo_count; i++) {
        const ct_plan_undo *undo = &p->undos[s->handler.first_undo + i];
        meet_persona(&u, undo->persona);
        meet_operation(&u, undo->op);
    }
}

/* Without a run from the entry, otherwise from where it stands. */
void an_walk_seed_run(an_walk *w, uint32_t flow, const ct_run *run)
{
    uint64_t *none = mt_new_array(w->a, uint64_t, w->words);
    if (!run) {
        an_walk_seed(w, w->p->graphs[flow].entry, AN_REACHED_STEP, 0, none);
        return;
    }
    for (size_t i = 0; i < run->frames.len; i++) {
        const ct_frame *at = &run->frames.items[i];
        an_walk_seed(w, at->step, an_walk_how(at->phase), at->index, none);
    }
}

/* ---- What breaks it ---- */

typedef struct finder {
    const an_diff *d;
    uint8_t *met; /* per entry of the diff */
    mt_str *step; /* per entry: the first step that meets it */
} finder;

/* Breaking entries only, each with the first step that meets it. */
static void meet_breaking(void *state, mt_str kind, mt_str id, mt_str step)
{
    finder *f = state;
    const an_diff_entry *e = an_diff_find(f->d, kind, id);
    if (e && an_diff_entry_breaks(e) && !f->met[e - f->d->entries]) {
        f->met[e - f->d->entries] = 1;
        f->step[e - f->d->entries] = step;
    }
}

void an_flow_touches(mt_arena *a, const an_diff *d, const ct_plan *old, uint32_t flow,
                     const ct_run *run, an_touches *out)
{
    finder f = {.d = d,
                .met = mt_new_array(a, uint8_t, d->entry_count),
                .step = mt_new_array(a, mt_str, d->entry_count)};
    an_walk w;
    an_walk_start(&w, a, old, flow);
    an_walk_seed_run(&w, flow, run);
    an_walk_all(&w);
    an_walk_free(&w);
    meet_breaking(&f, MT_STR("Flow"), old->graphs[flow].id, (mt_str){0});
    for (uint32_t i = 0; i < old->step_count; i++) {
        if (w.reached[i]) {
            an_step_meets(old, &old->steps[i], meet_breaking, &f);
        }
    }
    *out = (an_touches){0};
    for (uint32_t i = 0; i < d->entry_count; i++) {
        if (f.met[i]) {
            an_touch touch = {&d->entries[i], f.step[i]};
            mt_vec_push(a, out, touch);
        }
    }
}
