/* analyze/facts/s5_space.c - S5: all verdict types and outcomes there can be.
 * Room: analyze. */
#include <stdlib.h>

#include "analyze/facts/analyzer.h"

/* By name inside a stratum, so that reports do not depend on the order of rules. */
static int by_stratum(const void *a, const void *b, void *model)
{
    const ct_model *m = model;
    const ct_rule *x = &m->rules[*(const uint32_t *)a];
    const ct_rule *y = &m->rules[*(const uint32_t *)b];
    return x->stratum != y->stratum ? (x->stratum < y->stratum ? -1 : 1)
                                    : mt_str_cmp(x->verdict, y->verdict);
}

/* Bodies and domains of quantifiers are left and right too. */
static void mark_read(const ct_expr *e, uint64_t *read)
{
    if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        ct_bit_set(read, e->index);
    }
    if (e->left) {
        mark_read(e->left, read);
    }
    if (e->right) {
        mark_read(e->right, read);
    }
}

/* The union takes const off for qsort_r, whose comparison does not write. */
void an_s5_space(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    uint32_t *order = mt_new_array(z->keep, uint32_t, m->rule_count);
    uint64_t *read = mt_new_array(z->keep, uint64_t, m->rule_count / 64 + 1);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        order[i] = i;
        mark_read(m->rules[i].when, read);
        mark_read(m->rules[i].payload, read);
    }
    for (uint32_t i = 0; i < m->condition_count; i++) {
        mark_read(m->conditions[i], read);
    }
    if (m->rule_count) {
        union {
            const ct_model *in;
            void *out;
        } context = {.in = m};
        qsort_r(order, m->rule_count, sizeof *order, by_stratum, context.out);
    }
    z->an->verdicts = order;
    z->an->verdict_read = read;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        if (!ct_bit(read, i)) {
            an_report_finding(z, "S501", MT_NOTE, "Rule", m->rules[i].id, (mt_str){0},
                              m->rules[i].origin, "nothing reads its verdict %.*s",
                              MT_ARG(m->rules[i].verdict));
        }
    }
}
