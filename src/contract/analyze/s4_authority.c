/* contract/analyze/s4_authority.c - S4: who can move what where.
 * Room: contract. Questions are answered from the moves of S3a by search. */
#include "base/vec.h"
#include "contract/analyze/analyze.h"

typedef struct asker {
    const ct_analysis *an;
    uint32_t persona;
} asker;

static bool may_take(void *context, const ct_edge *edge)
{
    const asker *q = context;
    return q->persona == CT_NONE || ct_may_invoke(q->an, edge->tag, q->persona);
}

/* The moves of one entity alone, as a graph of its own states. */
static uint32_t search(mt_arena *a, const ct_analysis *an, uint32_t persona,
                       uint32_t entity, uint32_t from, uint32_t **visited,
                       uint32_t **queue)
{
    uint32_t base = an->first_state[entity];
    uint32_t count = an->model->entities[entity].state_count;
    asker q = {an, persona};
    *visited = mt_new_array(a, uint32_t, count);
    *queue = mt_new_array(a, uint32_t, count);
    return ct_edges_visit(&an->moves, base, base + from, may_take, &q, *visited,
                          *queue);
}

uint64_t *ct_states_from(mt_arena *a, const ct_analysis *an, uint32_t persona,
                         uint32_t entity, uint32_t from)
{
    uint32_t *visited, *queue;
    uint32_t count = search(a, an, persona, entity, from, &visited, &queue);
    uint64_t *set =
        mt_new_array(a, uint64_t, an->model->entities[entity].state_count / 64 + 1);
    for (uint32_t i = 0; i < count; i++) {
        ct_bit_set(set, queue[i] - an->first_state[entity]);
    }
    return set;
}

uint32_t ct_way_to(mt_arena *a, const ct_analysis *an, uint32_t persona,
                   uint32_t entity, uint32_t from, uint32_t to, const ct_hop **hops)
{
    uint32_t *visited, *queue, base = an->first_state[entity], count = 0;
    search(a, an, persona, entity, from, &visited, &queue);
    if (!visited[to]) {
        return CT_NONE;
    }
    for (uint32_t s = to; visited[s] != UINT32_MAX; count++) {
        s = an->moves.items[visited[s] - 1].from - base;
    }
    ct_hop *out = mt_new_array(a, ct_hop, count);
    for (uint32_t s = to, i = count; i-- > 0;) {
        const ct_edge *edge = &an->moves.items[visited[s] - 1];
        out[i] = (ct_hop){edge->from - base, edge->to - base, edge->tag};
        s = edge->from - base;
    }
    *hops = out;
    return count;
}

bool ct_has_authority(const ct_analysis *an, uint32_t persona, uint32_t entity)
{
    const ct_edges *moves = &an->moves;
    uint32_t end = moves->first[an->first_state[entity + 1]];
    for (uint32_t i = moves->first[an->first_state[entity]]; i < end; i++) {
        if (ct_may_invoke(an, moves->items[i].tag, persona)) {
            return true;
        }
    }
    return false;
}

/* ---- findings ---- */

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

static void mark_steps(const ct_plan *p, uint64_t *ops, uint64_t *personas)
{
    for (uint32_t i = 0; i < p->step_count; i++) {
        const ct_plan_step *s = &p->steps[i];
        if (s->kind == CT_OPERATION_STEP) {
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

void ct_s4_authority(ct_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint64_t *ops = mt_new_array(&z->scratch, uint64_t, m->operation_count / 64 + 1);
    uint64_t *personas = mt_new_array(&z->scratch, uint64_t, m->persona_count / 64 + 1);
    mark_steps(z->an->plan, ops, personas);
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        for (uint32_t k = 0; ct_admissible(z->an, i) && k < o->persona_count; k++) {
            ct_bit_set(personas, o->personas[k]);
        }
        if (!ct_bit(ops, i) && m->flow_count) {
            ct_report_finding(z, "S402", MT_NOTE, "Operation", o->id, (mt_str){0},
                              o->origin, "no flow invokes it");
        }
    }
    for (uint32_t i = 0; i < m->personas_declared; i++) {
        if (!ct_bit(personas, i)) {
            ct_report_finding(z, "S401", MT_NOTE, "Persona", m->personas[i].id,
                              (mt_str){0}, m->personas[i].origin,
                              "can do nothing: no operation and no step is its");
        }
    }
}
