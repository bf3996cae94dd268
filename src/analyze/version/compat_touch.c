/* analyze/version/compat_touch.c - which flows meet a breaking change.
 * Room: analyze. */
#include "analyze/version/compat.h"
#include "analyze/version/compat_walk.h"

typedef struct finder {
    mt_arena *a;
    const an_diff *d;
    const ct_plan *p;
    uint8_t *met; /* per entry of the diff */
    mt_str *step; /* per entry: the first step that meets it */
} finder;

/* Breaking entries only, each with the first step that meets it. */
static void meet(finder *f, const char *kind, mt_str id, mt_str step)
{
    const an_diff_entry *e = an_diff_find(f->d, mt_str_z(kind), id);
    if (e && an_diff_entry_breaks(e) && !f->met[e - f->d->entries]) {
        f->met[e - f->d->entries] = 1;
        f->step[e - f->d->entries] = step;
    }
}

static void meet_persona(finder *f, uint32_t persona, mt_str step)
{
    if (persona != CT_NONE) {
        meet(f, "Persona", ct_persona_id(f->p, persona), step);
    }
}

static void meet_operation(finder *f, uint32_t op, mt_str step)
{
    const ct_plan_op *o = &f->p->ops[op];
    meet(f, "Operation", ct_operation_id(f->p, op), step);
    for (uint32_t i = 0; i < o->outcome_count; i++) {
        const ct_plan_outcome *outcome = &f->p->outcomes[o->first_outcome + i];
        for (uint32_t k = 0; k < outcome->effect_count; k++) {
            uint32_t entity = f->p->effects[outcome->first_effect + k].entity;
            meet(f, "Entity", ct_entity_id(f->p, entity), step);
        }
    }
}

/* Facts and rules are not met here: the snapshot is frozen (§18.6.5). */
static void meet_step(finder *f, const ct_plan_step *s)
{
    meet_persona(f, s->persona, s->id);
    if (s->does == LN_GOES_ON) {
        meet_persona(f, s->to_persona, s->id);
    } else if (s->does == LN_OPERATES) {
        meet_operation(f, s->what, s->id);
    } else if (s->does == LN_CALLS) {
        meet(f, "Flow", f->p->graphs[s->what].id, s->id);
    }
    if (s->handler.kind == CT_ESCALATE) {
        meet_persona(f, s->handler.persona, s->id);
    }
    for (uint32_t i = 0; i < s->handler.undo_count; i++) {
        const ct_plan_undo *u = &f->p->undos[s->handler.first_undo + i];
        meet_persona(f, u->persona, s->id);
        meet_operation(f, u->op, s->id);
    }
}

/* Without a run from the entry, otherwise from where it stands. States are not needed,
 * so the sets are empty. */
static void seed(an_walk *w, const ct_plan *p, uint32_t flow, const ct_run *run)
{
    uint64_t *none = mt_new_array(w->a, uint64_t, w->words);
    if (!run) {
        an_walk_seed(w, p->graphs[flow].entry, AN_REACHED_STEP, 0, none);
        return;
    }
    for (size_t i = 0; i < run->frames.len; i++) {
        const ct_frame *at = &run->frames.items[i];
        an_walk_seed(w, at->step, an_walk_how(at->phase), at->index, none);
    }
}

void an_flow_touches(mt_arena *a, const an_diff *d, const ct_plan *old, uint32_t flow,
                     const ct_run *run, an_touches *out)
{
    finder f = {.a = a,
                .d = d,
                .p = old,
                .met = mt_new_array(a, uint8_t, d->entry_count),
                .step = mt_new_array(a, mt_str, d->entry_count)};
    an_walk w;
    an_walk_start(&w, a, old, flow);
    seed(&w, old, flow, run);
    an_walk_all(&w);
    an_walk_free(&w);
    meet(&f, "Flow", old->graphs[flow].id, (mt_str){0});
    for (uint32_t i = 0; i < old->step_count; i++) {
        if (w.reached[i]) {
            meet_step(&f, &old->steps[i]);
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
