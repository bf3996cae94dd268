/* analyze/facts/s7_bounds.c - S7: how much work a condition can be, and a flow.
 * Room: analyze.
 * Every node of an expression is one step; a quantifier's body counts as often as the
 * list's declared max, so nested quantifiers multiply (spec §10.5). */
#include "analyze/facts/analyzer.h"

enum { DEEP_FLOW = 100, EXPENSIVE = 10 * 1000 * 1000 };

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The body of a quantifier counts as often as its list may be long. */
static an_bound bound_of(mt_arena *a, const ct_expr *e)
{
    bool quantifier = e->op == CT_FORALL || e->op == CT_EXISTS;
    an_bound out = {1, 0, 0, an_count_of(1)};
    const ct_expr *parts[] = {e->left, e->right};
    for (int i = 0; i < 2; i++) {
        if (!parts[i]) {
            continue;
        }
        an_bound part = bound_of(a, parts[i]);
        if (quantifier && i == 1) {
            an_count max = an_count_of(e->left->type->as.list.max);
            part.steps = an_count_mul(a, part.steps, max);
            part.quantifiers++;
        }
        out.nodes += part.nodes;
        out.depth = larger(out.depth, part.depth);
        out.quantifiers = larger(out.quantifiers, part.quantifiers);
        out.steps = an_count_add(a, out.steps, part.steps);
    }
    out.depth++;
    return out;
}

static void report_bound(an_analyzer *z, const an_bound *b, const char *kind, mt_str id,
                         mt_str part, ct_origin origin)
{
    if (an_count_cmp(b->steps, an_count_of(EXPENSIVE)) > 0) {
        an_report_finding(z, "S702", MT_WARNING, kind, id, part, origin,
                          "its condition takes up to %.*s steps to evaluate",
                          MT_ARG(an_count_str(z->fs->arena, b->steps)));
    }
}

static void report_flow(an_analyzer *z, uint32_t flow)
{
    const ct_flow *f = &z->an->model->flows[flow];
    uint64_t longest = z->an->graphs[flow].longest;
    if (longest == UINT64_MAX) {
        an_report_finding(z, "S701", MT_WARNING, "Flow", f->id, (mt_str){0}, f->origin,
                          "its longest path has at least 2^62 steps");
    } else if (longest > DEEP_FLOW) {
        an_report_finding(z, "S701", MT_WARNING, "Flow", f->id, (mt_str){0}, f->origin,
                          "its longest path has %llu steps",
                          (unsigned long long)longest);
    }
}

static void report_conditions(an_analyzer *z)
{
    const ct_plan *p = z->an->plan;
    const ct_model *m = z->an->model;
    for (uint32_t i = 0; i < m->operation_count; i++) {
        const ct_operation *o = &m->operations[i];
        if (o->condition != CT_NONE) {
            report_bound(z, &z->an->condition_bounds[o->condition], "Operation", o->id,
                         (mt_str){0}, o->origin);
        }
    }
    for (uint32_t g = 0; g < p->graph_count; g++) {
        uint32_t flow = an_flow_of(p, g);
        const ct_plan_graph *graph = &p->graphs[g];
        for (uint32_t i = 0; i < graph->step_count; i++) {
            const ct_plan_step *s = &p->steps[graph->first_step + i];
            if (s->does == LN_DECIDES) {
                report_bound(z, &z->an->condition_bounds[s->what], "Flow",
                             m->flows[flow].id, s->id, m->flows[flow].origin);
            }
        }
    }
}

void an_s7_bounds(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    an_bound *rules = mt_new_array(z->keep, an_bound, m->rule_count);
    an_bound *conditions = mt_new_array(z->keep, an_bound, m->condition_count);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        rules[i] = bound_of(z->keep, m->rules[i].when);
        report_bound(z, &rules[i], "Rule", m->rules[i].id, (mt_str){0},
                     m->rules[i].origin);
    }
    for (uint32_t i = 0; i < m->condition_count; i++) {
        conditions[i] = bound_of(z->keep, m->conditions[i]);
    }
    z->an->rule_bounds = rules;
    z->an->condition_bounds = conditions;
    report_conditions(z);
    for (uint32_t i = 0; i < m->flow_count && z->an->graphs; i++) {
        report_flow(z, i);
    }
}
