/* contract/eval/work.c - how much work an evaluation can be, before it is done (S7),
 * and what is kept of a condition so that nobody does it twice.
 *
 * The bound is the specification's (§16, S7): every node of an expression is one step,
 * and a quantifier's body counts as often as its list is long; here with the lengths
 * the facts really have. The compiler leaves one row per quantifier, in the order of
 * the expression, so the bound is one pass over an array: no tree, no allocation. A
 * list that is found only while running (an element's, a payload's) counts as the
 * longest list of the fact set, or as its declared maximum where that is less. What
 * walks values inside one node, the comparison of texts and of lists, is a loop of its
 * own.
 *
 * All sums and products saturate: a bound that does not fit 64 bits is "too much" and
 * stays so.
 *
 * ct_remember() keeps outcome, fault and provenance of a condition with the verdicts
 * of a snapshot; ct_holds() then answers from it. A timeout is not kept: it says
 * something about the caller, not about the condition. */
#include "contract/eval/program_internal.h"

enum { DEEPEST = 64 }; /* quantifiers inside each other; more is "too much" */

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t out;
    return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t out;
    return __builtin_add_overflow(a, b, &out) ? UINT64_MAX : out;
}

/* ---- The lists of a fact set ---- */

typedef struct measure {
    uint64_t longest; /* list */
    uint64_t breadth; /* of all facts together */
} measure;

/* Can it be a step to compare? A character has up to four bytes; 0: no maximum. */
static bool is_long(const ct_type *text)
{
    return !text->as.max_length || text->as.max_length >= CT_TEXT_OF_A_STEP / 4;
}

bool ct_type_is_large(const ct_type *t)
{
    bool large = ct_held(t) == LN_LIST || (ct_held(t) == LN_TEXT && is_long(t));
    for (uint32_t i = 0; ct_held(t) == LN_RECORD && i < t->count && !large; i++) {
        large = ct_type_is_large(t->as.fields[i].type);
    }
    for (uint32_t i = 0; ct_held(t) == LN_VARIANT && i < t->count && !large; i++) {
        large = ct_type_is_large(t->as.variants[i].type);
    }
    return large;
}

/* Lists inside lists are visited, too: the longest may be anywhere. */
static void measure_value(measure *m, const ct_type *t, const ct_value *v)
{
    if (ct_held(t) == LN_RECORD) {
        for (uint32_t i = 0; i < t->count; i++) {
            measure_value(m, t->as.fields[i].type, v + t->as.fields[i].offset);
        }
    } else if (ct_held(t) == LN_VARIANT) {
        measure_value(m, t->as.variants[v->variant.tag].type, v->variant.payload);
    } else if (ct_held(t) == LN_TEXT) {
        m->breadth += v->text.len / CT_TEXT_OF_A_STEP;
    } else if (ct_held(t) == LN_LIST) {
        const ct_type *element = t->as.list.element;
        uint32_t n = ct_type_is_large(element) ? v->list.count : 0;
        m->longest = v->list.count > m->longest ? v->list.count : m->longest;
        m->breadth += v->list.count;
        for (uint32_t i = 0; i < n; i++) {
            measure_value(m, element, v->list.items + (size_t)i * element->slots);
        }
    }
}

static measure measure_facts(const ct_facts *f)
{
    measure m = {0, 0};
    for (uint32_t i = 0; i < f->model->fact_count; i++) {
        measure_value(&m, f->model->facts[i].type, ct_facts_value(f, i));
    }
    return m;
}

uint64_t ct_breadth(const ct_type *t, const ct_value *v)
{
    measure m = {0, 0};
    measure_value(&m, t, v);
    return m.breadth;
}

/* ---- The bound ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t text_length(const ct_facts *facts, uint32_t slot)
{
    return slot == CT_NONE ? UINT64_MAX
                           : facts->values[slot].text.len / CT_TEXT_OF_A_STEP;
}

/* Of one loop: its own list where it is known before, else the longest there is. */
static uint64_t length_of(const ct_loop *l, const ct_facts *facts, const measure *m)
{
    if (!facts) {
        return l->max;
    }
    if (l->kind == CT_LOOP_TEXT) {
        return least(l->max,
                     least(text_length(facts, l->slot), text_length(facts, l->other)));
    }
    if (l->slot != CT_NONE) {
        return facts->values[l->slot].list.count;
    }
    return least(l->max, l->kind == CT_LOOP_WHOLE ? m->breadth : m->longest);
}

/* Of the loops [first, first + count). Without facts: with the declared maxima. */
static uint64_t work_of(const ct_program *p, const ct_facts *facts, uint32_t first,
                        uint32_t count)
{
    uint64_t times[DEEPEST + 1] = {1}, total = 0;
    measure m = {0, 0};
    bool measured = !facts;
    for (uint32_t i = first; i < first + count; i++) {
        const ct_loop *l = &p->loops[i];
        if (l->depth > DEEPEST) {
            return UINT64_MAX;
        }
        if (!measured && l->kind != CT_LOOP_TEXT && l->slot == CT_NONE) {
            m = measure_facts(facts);
            measured = true;
        }
        times[l->depth] = product(times[l->depth - 1], length_of(l, facts, &m));
        total = sum(total, product(times[l->depth], l->weight));
    }
    return total;
}

uint64_t ct_work_most(const ct_program *p)
{
    return sum(p->nodes, work_of(p, NULL, 0, p->loop_count));
}

uint64_t ct_work_rules(const ct_program *p, const ct_facts *facts)
{
    return sum(p->nodes, work_of(p, facts, 0, p->rule_loops));
}

uint64_t ct_work_condition(const ct_program *p, const ct_facts *facts, uint32_t index)
{
    const ct_piece *c = &p->conditions[index];
    return work_of(p, facts, c->first_loop, c->loop_count);
}

/* ---- Patience ---- */

ct_patience ct_verdicts_patience(const ct_verdicts *v)
{
    return v->patience;
}

/* ---- What is kept of a condition ---- */

mt_err ct_remember(const ct_snapshot *s, ct_verdicts *v, uint32_t index,
                   ct_verdicts *scratch, mt_arena *keep, ct_fault *fault)
{
    const ct_program *p = s->program;
    ct_memo m = {.known = true};
    bool holds = false;
    m.err = ct_holds(s, index, scratch, &holds, keep, NULL, &m.fault);
    if (m.err == MT_E_TIMEOUT) {
        *fault = m.fault;
        return m.err;
    }
    m.holds = holds;
    m.mask = scratch->mask;
    if (!m.err && p->conditions[index].trace == CT_TRACE_ORDER) {
        const uint32_t *order = scratch->order + p->condition_order;
        uint32_t *copy = mt_new_array(keep, uint32_t, order[0] + 1);
        memcpy(copy, order, (order[0] + 1) * sizeof *copy);
        m.order = copy;
    }
    if (!v->memo) {
        v->memo = mt_new_array(keep, ct_memo, p->model->condition_count);
    }
    v->memo[index] = m;
    return MT_OK;
}
