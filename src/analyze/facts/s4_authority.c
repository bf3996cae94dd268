/* analyze/facts/s4_authority.c - S4: who can move what where.
 * Room: analyze. Who moves what comes from the moves of S3a; what a persona reaches
 * alone, from the search of S2 with its operations only. */
#include "analyze/facts/analyzer.h"

/* Linear in the moves of the entity; callers ask per pair, which reports bound. */
bool an_has_authority(const an_analysis *an, uint32_t persona, uint32_t entity)
{
    const an_edges *moves = &an->moves;
    uint32_t end = moves->first[an->first_state[entity + 1]];
    for (uint32_t i = moves->first[an->first_state[entity]]; i < end; i++) {
        if (an_may_invoke(an, moves->items[i].tag, persona)) {
            return true;
        }
    }
    return false;
}

/* ---- findings ---- */

/* Compensations are invocations too, and an escalation names who is next. */
static void mark_handler(const ct_plan *p, const ct_plan_handler *h, uint64_t *ops,
                         uint64_t *personas)
{
    for (uint32_t i = 0; i < h->undo_count; i++) {
        ct_bit_set(ops, p->undos[h->first_undo + i].op);
        ct_bit_set(personas, p->undos[h->first_undo + i].persona);
    }
    if (h->kind == CT_ESCALATE) {
        ct_bit_set(personas, h->persona);
    }
}

/* Every step of every graph, whether it is reached or not: that is S6's question. */
static void mark_steps(const ct_plan *p, uint64_t *ops, uint64_t *personas)
{
    for (uint32_t i = 0; i < p->step_count; i++) {
        const ct_plan_step *s = &p->steps[i];
        if (s->does == LN_OPERATES) {
            ct_bit_set(ops, s->what);
        }
        if (s->persona != CT_NONE) {
            ct_bit_set(personas, s->persona);
        }
        if (s->to_persona != CT_NONE) {
            ct_bit_set(personas, s->to_persona);
        }
        mark_handler(p, &s->handler, ops, personas);
    }
}

/* An operation is only remarked where there are flows at all; a contract without any is
 * driven from outside. Personas that are only named cannot be useless. */
void an_s4_authority(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint64_t *ops = mt_new_array(&z->scratch, uint64_t, m->operation_count / 64 + 1);
    uint64_t *personas = mt_new_array(&z->scratch, uint64_t, m->persona_count / 64 + 1);
    mark_steps(z->an->plan, ops, personas);
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        for (uint32_t k = 0; an_admissible(z->an, i) && k < o->persona_count; k++) {
            ct_bit_set(personas, o->personas[k]);
        }
        if (!ct_bit(ops, i) && m->flow_count) {
            an_report_finding(z, "S402", MT_NOTE, "Operation", o->id, (mt_str){0},
                              o->origin, "no flow invokes it");
        }
    }
    for (uint32_t i = 0; i < m->personas_declared; i++) {
        if (!ct_bit(personas, i)) {
            an_report_finding(z, "S401", MT_NOTE, "Persona", m->personas[i].id,
                              (mt_str){0}, m->personas[i].origin,
                              "can do nothing: no operation and no step is its");
        }
    }
}
