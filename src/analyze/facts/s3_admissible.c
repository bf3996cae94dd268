/* analyze/facts/s3_admissible.c - S3a: admissible operations per state and persona.
 * Room: analyze.
 * The relation is kept as moves from state to state and never multiplied out by
 * personas: an operation says itself whom it allows. */
#include "analyze/facts/analyzer.h"
#include "contract/flow/text.h"

bool an_admissible(const an_analysis *an, uint32_t op)
{
    uint32_t condition = an->model->operations[op].condition;
    return condition == CT_NONE || (an->condition_truth[condition] & AN_CAN_HOLD);
}

bool an_may_invoke(const an_analysis *an, uint32_t op, uint32_t persona)
{
    return ct_bit(an->plan->ops[op].allowed, persona);
}

uint32_t an_operations_in(const an_analysis *an, uint32_t persona, uint32_t entity,
                          uint32_t state, uint32_t *out)
{
    uint32_t number = an_state_number(an, entity, state), count = 0;
    for (uint32_t i = an->moves.first[number]; i < an->moves.first[number + 1]; i++) {
        uint32_t op = an->moves.items[i].tag;
        if (an_may_invoke(an, op, persona) && !(count && out[count - 1] == op)) {
            out[count++] = op;
        }
    }
    return count;
}

/* Effects of admissible operations, each (state, operation, target) once: `seen` is
 * stamped anew for every state and operation. */
static void keep_moves(an_analyzer *z, uint32_t states)
{
    const an_edges *all = &z->effects;
    uint32_t *seen = mt_new_array(&z->scratch, uint32_t, (size_t)states + 1);
    an_edges moves = {mt_new_array(z->keep, uint32_t, (size_t)states + 1),
                      mt_new_array(z->keep, an_edge, all->first[states]), states};
    uint32_t count = 0, stamp = 0;
    for (uint32_t s = 0; s < states; s++) {
        uint32_t last = CT_NONE;
        for (uint32_t i = all->first[s]; i < all->first[s + 1]; i++) {
            an_edge edge = all->items[i];
            stamp += edge.tag != last;
            last = edge.tag;
            if (an_admissible(z->an, edge.tag) && seen[edge.to] != stamp) {
                seen[edge.to] = stamp;
                moves.items[count++] = edge;
            }
        }
        moves.first[s + 1] = count;
    }
    z->an->moves = moves;
}

static mt_str predicate_text(an_analyzer *z, const ct_expr *e)
{
    enum { SHOWN = 120 };
    mt_buf text = {.ceiling = 4096};
    ct_expr_text(&text, z->an->model, e);
    bool cut = text.full || text.len > SHOWN;
    mt_str kept =
        mt_strf(z->fs->arena, "%.*s%s", text.len > SHOWN ? SHOWN : (int)text.len,
                text.ptr, cut ? " …" : "");
    mt_buf_free(&text);
    return kept;
}

/* Rules and operations whose condition cannot hold whatever the facts. */
static void report_conditions(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        const ct_rule *r = &m->rules[i];
        if (!(z->an->rule_truth[i] & AN_CAN_HOLD)) {
            an_report_finding(z, "S302", MT_WARNING, "Rule", r->id, (mt_str){0},
                              r->origin, "never produces %.*s: %.*s is always false",
                              MT_ARG(r->verdict), MT_ARG(predicate_text(z, r->when)));
        }
    }
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        if (!an_admissible(z->an, i)) {
            an_report_finding(z, "S301", MT_WARNING, "Operation", o->id, (mt_str){0},
                              o->origin, "its precondition %.*s is always false",
                              MT_ARG(predicate_text(z, o->precondition)));
        }
    }
}

/* Branches that always go one way. */
static void report_branches(an_analyzer *z)
{
    const ct_plan *p = z->an->plan;
    for (uint32_t i = 0; i < p->step_count; i++) {
        const ct_plan_step *s = &p->steps[i];
        an_truth t = s->does == LN_DECIDES ? (an_truth)z->an->condition_truth[s->what]
                                           : AN_EITHER;
        if (t == AN_EITHER) {
            continue;
        }
        const ct_flow *flow = &p->model->flows[an_flow_of(p, s->graph)];
        mt_str text = predicate_text(z, p->model->conditions[s->what]);
        an_report_finding(z, "S303", MT_WARNING, "Flow", flow->id, s->id, flow->origin,
                          "step '%.*s' always goes one way: %.*s is always %s",
                          MT_ARG(s->id), MT_ARG(text),
                          t & AN_CAN_HOLD ? "true" : "false");
    }
}

void an_s3_admissible(an_analyzer *z)
{
    keep_moves(z, z->an->first_state[z->an->model->entity_count]);
    if (an_wants(z, AN_S3A)) {
        report_conditions(z);
        report_branches(z);
    }
}
