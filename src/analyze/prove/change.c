/* analyze/prove/change.c - the smallest change of facts under which a condition holds.
 *
 * The solver is asked for a fact set under which the condition holds while all facts
 * but some keep their values: first with every fact free, which decides whether there
 * is any; then with one fact free, two, and so on, until some set of facts is enough.
 * All sets of that size are looked at, so that the reader has the choice. New values
 * are as near to the old ones as they can be (prove_plain.c), and the evaluator has
 * confirmed each fact set (prove.c).
 *
 * Only facts that the condition reads, itself or through verdicts, and those of rules
 * that may fail can help: others keep their values. Bounded by MOST_QUESTIONS; beyond,
 * the smallest change that was found is given, and `smallest` is not said. */
#include "analyze/prove/prove_internal.h"
#include "analyze/prove/reasons.h"

enum { MOST_FACTS = 24, MOST_QUESTIONS = 300, MOST_CHANGES = 16 };

typedef struct changer {
    an_prover *p;
    mt_arena *a;
    const ct_snapshot *s;
    const ct_model *m;
    const ct_expr *condition;
    bool *reads; /* by fact */
    uint32_t facts[MOST_FACTS];
    uint32_t count;
    unsigned questions;
    MT_VEC(an_change) found;
    mt_str unknown;
} changer;

/* ---- Which facts can help ---- */

static void look(changer *c, const ct_expr *e, bool *rules)
{
    if (!e) {
        return;
    }
    if (e->op == CT_FACT) {
        c->reads[e->index] = true;
    } else if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        rules[e->index] = true;
    }
    look(c, e->left, rules);
    look(c, e->right, rules);
}

/* A rule reads only rules before it. One that may fail can stand in the way of all. */
static void find_facts(changer *c)
{
    bool *rules = mt_new_array(c->a, bool, c->m->rule_count + 1);
    c->reads = mt_new_array(c->a, bool, c->m->fact_count + 1);
    look(c, c->condition, rules);
    for (uint32_t i = c->m->rule_count; i-- > 0;) {
        const ct_rule *r = &c->m->rules[i];
        if (rules[i] || ct_may_fail(r->when) || ct_payload_may_fail(r)) {
            look(c, c->m->rules[i].when, rules);
            look(c, c->m->rules[i].payload, rules);
        }
    }
    for (uint32_t i = 0; i < c->m->fact_count; i++) {
        if (c->reads[i] && c->count < MOST_FACTS) {
            c->facts[c->count++] = i;
        }
    }
}

/* ---- Questions ---- */

/* With the facts of the mask free; all others have the values they have. */
static an_answer with_free(changer *c, uint32_t mask)
{
    bool *is_free = mt_new_array(c->a, bool, c->m->fact_count + 1);
    for (uint32_t i = 0; i < c->count; i++) {
        is_free[c->facts[i]] = mask >> i & 1;
    }
    for (uint32_t i = 0; i < c->m->fact_count; i++) {
        pv_fix(c->p, c->m->facts[i].id,
               is_free[i] ? NULL : ct_facts_value(c->s->facts, i));
    }
    c->questions++;
    an_answer answer =
        an_prove_possible(c->p, c->a, an_claim_holds(c->a, AN_FIRST, c->condition));
    if (answer.possible == AN_UNKNOWN) {
        c->unknown = answer.reason;
    }
    return answer;
}

static void add_change(changer *c, uint32_t mask, mt_str facts)
{
    an_change *x = mt_vec_add(c->a, &c->found);
    *x = (an_change){.changed = mt_new_array(c->a, uint32_t, c->count + 1),
                     .facts = facts};
    for (uint32_t i = 0; i < c->count; i++) {
        if (mask >> i & 1) {
            x->changed[x->count++] = c->facts[i];
        }
    }
}

/* Sets of `size` facts, in the order of their declaration. False: not all were asked.
 */
static bool try_size(changer *c, uint32_t size)
{
    uint32_t end = 1u << c->count;
    for (uint32_t mask = 1; mask < end && mask; mask++) {
        if ((uint32_t)__builtin_popcount(mask) != size) {
            continue;
        }
        if (c->questions >= MOST_QUESTIONS || c->found.len >= MOST_CHANGES) {
            return c->found.len >= MOST_CHANGES;
        }
        an_answer answer = with_free(c, mask);
        if (answer.possible == AN_POSSIBLE) {
            add_change(c, mask, answer.facts);
        }
    }
    return true;
}

/* Larger sets cannot be tried one by one: facts are taken back as long as that goes. */
static void shrink(changer *c, mt_str facts)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << c->count) - 1);
    for (uint32_t i = c->count; i-- > 0;) {
        an_answer answer = with_free(c, mask & ~(1u << i));
        if (answer.possible == AN_POSSIBLE) {
            mask &= ~(1u << i);
            facts = answer.facts;
        }
    }
    add_change(c, mask, facts);
}

an_changes an_changes_for(an_prover *p, mt_arena *a, const ct_snapshot *s,
                          const ct_expr *condition)
{
    changer c = {.p = p,
                 .a = a,
                 .s = s,
                 .m = ct_program_model(s->program),
                 .condition = condition};
    an_changes out = {0};
    find_facts(&c);
    p->near = s->facts;
    an_answer any = with_free(&c, (uint32_t)((UINT64_C(1) << c.count) - 1));
    out.possible = any.possible;
    bool whole = any.possible == AN_POSSIBLE;
    for (uint32_t size = 1; size <= c.count && whole && !c.found.len; size++) {
        whole = try_size(&c, size);
    }
    out.smallest = whole && !c.unknown.len;
    if (any.possible == AN_POSSIBLE && !c.found.len) {
        shrink(&c, any.facts);
    }
    p->near = NULL;
    for (uint32_t i = 0; i < c.m->fact_count; i++) {
        pv_fix(p, c.m->facts[i].id, NULL);
    }
    out.items = c.found.items;
    out.count = (uint32_t)c.found.len;
    out.reason = c.unknown;
    return out;
}
