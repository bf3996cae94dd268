/* contract/eval/used.c - what was read, as indices in order of first use. */
#include "contract/eval/program_internal.h"

typedef struct gatherer {
    const ct_program *p;
    uint32_t *facts, *verdicts;
    uint32_t fact_count, verdict_count;
    uint64_t *seen_facts, *seen_verdicts; /* bit sets */
} gatherer;

static bool first_time(uint64_t *seen, uint32_t index)
{
    uint64_t bit = (uint64_t)1 << (index % 64);
    bool first = !(seen[index / 64] & bit);
    seen[index / 64] |= bit;
    return first;
}

/* Bit sets keep each fact and verdict to one mention. */
static gatherer start(mt_arena *a, const ct_program *p, size_t facts, size_t verdicts)
{
    const ct_model *m = p->model;
    return (gatherer){.p = p,
                      .facts = mt_new_array(a, uint32_t, facts),
                      .verdicts = mt_new_array(a, uint32_t, verdicts),
                      .seen_facts = mt_new_array(a, uint64_t, m->fact_count / 64 + 1),
                      .seen_verdicts =
                          mt_new_array(a, uint64_t, m->rule_count / 64 + 1)};
}

static void add_fact(gatherer *g, uint32_t fact)
{
    if (first_time(g->seen_facts, fact)) {
        g->facts[g->fact_count++] = fact;
    }
}

static void add_verdict(gatherer *g, uint32_t rule)
{
    if (first_time(g->seen_verdicts, rule)) {
        g->verdicts[g->verdict_count++] = rule;
    }
}

static void add_site(gatherer *g, const ct_piece *piece, uint32_t site)
{
    const ct_site *s = &g->p->sites[piece->first_site + site];
    if (s->is_verdict) {
        add_verdict(g, s->index);
    } else {
        add_fact(g, s->index);
    }
}

static ct_used result(const gatherer *g)
{
    return (ct_used){g->facts, g->verdicts, g->fact_count, g->verdict_count};
}

ct_used ct_piece_used(mt_arena *a, const ct_program *p, const ct_piece *piece,
                      uint64_t mask, const uint32_t *order)
{
    gatherer g = start(a, p, piece->site_count, piece->site_count);
    if (piece->trace == CT_TRACE_ORDER) {
        for (uint32_t i = 0; i < order[0]; i++) {
            add_site(&g, piece, order[i + 1]);
        }
        return result(&g);
    }
    for (uint32_t i = 0; i < piece->site_count; i++) {
        if (piece->trace == CT_TRACE_STATIC || ((mask >> i) & 1)) {
            add_site(&g, piece, i);
        }
    }
    return result(&g);
}

ct_used ct_verdict_used(mt_arena *a, const ct_verdicts *v, uint32_t rule)
{
    const ct_piece *piece = &v->program->rules[rule];
    return ct_piece_used(a, v->program, piece, v->used[rule],
                         v->order + piece->order_at);
}

/* What was read of a rule that came out false, which nobody recorded. Of a snapshot
 * that was carried to another contract the rule may hold, or fail: then it tells
 * nothing. */
static ct_used absent_used(mt_arena *a, const ct_snapshot *s, uint32_t rule)
{
    ct_used used = {0};
    ct_fault fault;
    bool holds = false;
    mt_err err =
        ct_holds_expr(s, s->program->model->rules[rule].when, &holds, a, &used, &fault);
    return err || holds ? (ct_used){0} : used;
}

ct_used ct_used_closure(mt_arena *a, const ct_snapshot *s, ct_used used)
{
    const ct_verdicts *v = s->verdicts;
    const ct_model *m = v->program->model;
    gatherer g = start(a, v->program, m->fact_count, m->rule_count);
    for (uint32_t i = 0; i < used.fact_count; i++) {
        add_fact(&g, used.facts[i]);
    }
    for (uint32_t i = 0; i < used.verdict_count; i++) {
        add_verdict(&g, used.verdicts[i]);
    }
    /* The list grows while it is walked. */
    for (uint32_t i = 0; i < g.verdict_count; i++) {
        ct_used inner = ct_verdict_present(v, g.verdicts[i])
                            ? ct_verdict_used(a, v, g.verdicts[i])
                            : absent_used(a, s, g.verdicts[i]);
        for (uint32_t k = 0; k < inner.fact_count; k++) {
            add_fact(&g, inner.facts[k]);
        }
        for (uint32_t k = 0; k < inner.verdict_count; k++) {
            add_verdict(&g, inner.verdicts[k]);
        }
    }
    return result(&g);
}
