/* analyze/version/compat_snapshot.c - what the new contract asks of a snapshot that
 * was frozen under the old one.
 *
 * The snapshot is carried over to the new contract (contract/eval/carry.h). A
 * condition then has a value, or none because something it reads could not be carried
 * (NO_DATA), or none because its evaluation faults (NO_VALUE). Values are found once
 * per condition and remembered.
 *
 * A precondition that is false is an obstacle only if the old contract would have
 * allowed the operation: FMC4 asks about new dependencies. Then the verdicts it lacks
 * are named one by one.
 *
 * Limits of the old run's evaluation hold here as well. */
#include "analyze/version/compat_internal.h"
#include "contract/flow/text.h"
#include "contract/flow/why.h"

/* What is known of a condition on the frozen snapshot. */
typedef enum value { UNKNOWN, IS_FALSE, IS_TRUE, NO_VALUE, NO_DATA } value;

void an_compat_open(an_checker *c)
{
    c->facts = ct_facts_new(c->p->model);
    c->verdicts = ct_verdicts_new(c->p->program);
    ct_verdicts_limit(c->verdicts,
                      ct_verdicts_patience(c->run->frozen.snapshot.verdicts));
    c->scratch = ct_verdicts_new(c->p->program);
    c->old_scratch = ct_verdicts_new(c->old->program);
    c->carry = ct_snapshot_carry(c->a, &c->run->frozen.snapshot, c->p->program,
                                 c->facts, c->verdicts);
}

void an_compat_close(an_checker *c)
{
    ct_facts_free(c->facts);
    ct_verdicts_free(c->verdicts);
    ct_verdicts_free(c->scratch);
    ct_verdicts_free(c->old_scratch);
}

static ct_snapshot snapshot(const an_checker *c)
{
    return (ct_snapshot){c->p->program, c->facts, c->verdicts};
}

/* What a condition reads that the carried snapshot does not have: the first such fact
 * or payload, as its kind of obstacle; AN_OBSTACLE_COUNT when all is there. */
static an_obstacle_kind lacking_data(const an_checker *c, const ct_expr *e,
                                     uint32_t *what)
{
    if (!e) {
        return AN_OBSTACLE_COUNT;
    }
    *what = e->index;
    if (e->op == CT_FACT && c->carry.facts[e->index] == CT_CARRIED_NOTHING) {
        return AN_FACT_MISSING;
    }
    if (e->op == CT_FACT && c->carry.facts[e->index] == CT_CARRIED_MISFIT) {
        return AN_FACT_MISFIT;
    }
    if (e->op == CT_PAYLOAD && c->carry.payload_misfits[e->index]) {
        return AN_PAYLOAD_MISFIT;
    }
    an_obstacle_kind left = lacking_data(c, e->left, what);
    return left != AN_OBSTACLE_COUNT ? left : lacking_data(c, e->right, what);
}

static value evaluate(an_checker *c, uint32_t condition)
{
    uint32_t what;
    bool holds;
    ct_fault fault;
    ct_snapshot s = snapshot(c);
    if (lacking_data(c, c->p->model->conditions[condition], &what) !=
        AN_OBSTACLE_COUNT) {
        return NO_DATA;
    }
    if (ct_holds(&s, condition, c->scratch, &holds, c->a, NULL, &fault)) {
        return NO_VALUE;
    }
    return holds ? IS_TRUE : IS_FALSE;
}

static value value_of(an_checker *c, uint32_t condition)
{
    if (!c->values[condition]) {
        c->values[condition] = (uint8_t)evaluate(c, condition);
    }
    return (value)c->values[condition];
}

int an_compat_decided(void *checker, uint32_t condition)
{
    value v = value_of(checker, condition);
    return v == IS_TRUE ? 1 : v == IS_FALSE ? 0 : -1;
}

/* The first verdict that the atom asks for and the snapshot lacks, or CT_NONE. */
static uint32_t lacking_verdict(const an_checker *c, const ct_expr *e)
{
    if (!e) {
        return CT_NONE;
    }
    if ((e->op == CT_PRESENT || e->op == CT_PAYLOAD) &&
        !ct_verdict_present(c->verdicts, e->index)) {
        return e->index;
    }
    uint32_t left = lacking_verdict(c, e->left);
    return left != CT_NONE ? left : lacking_verdict(c, e->right);
}

/* Was the operation refused under the old contract already? Then what it lacks is not
 * new (FMC4 asks about new dependencies). */
static bool refused_before(an_checker *c, mt_str op)
{
    uint32_t was = ct_model_find(c->old->model, CT_KIND_OPERATION, op);
    uint32_t condition = was == CT_NONE ? CT_NONE : c->old->ops[was].condition;
    bool holds = true;
    ct_fault fault;
    return condition != CT_NONE &&
           !ct_holds(&c->run->frozen.snapshot, condition, c->old_scratch, &holds, c->a,
                     NULL, &fault) &&
           !holds;
}

static mt_str expr_text(const an_checker *c, const ct_expr *e)
{
    mt_buf text = {0};
    ct_expr_text(&text, c->p->model, e);
    mt_str kept = mt_str_dup(c->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* The precondition is false on the frozen snapshot. */
void an_compat_refusal(an_checker *c, uint32_t step, uint32_t op)
{
    mt_str id = ct_operation_id(c->p, op);
    if (refused_before(c, id)) {
        return;
    }
    const ct_expr *predicate = c->p->model->operations[op].precondition;
    ct_reasons reasons = {0};
    ct_fault fault;
    ct_snapshot s = snapshot(c);
    bool holds;
    if (ct_why_all(c->a, &s, predicate, &holds, &reasons, &fault)) {
        return;
    }
    for (size_t i = 0; i < reasons.len; i++) {
        uint32_t rule = lacking_verdict(c, reasons.items[i].atom);
        if (rule != CT_NONE) {
            mt_str verdict = c->p->model->rules[rule].verdict;
            an_compat_oppose(
                c, AN_VERDICT_LACKING, step, verdict,
                "operation '%.*s' now needs verdict '%.*s', which the frozen "
                "snapshot lacks",
                MT_ARG(id), MT_ARG(verdict));
            return;
        }
    }
    mt_str text = expr_text(c, predicate);
    an_compat_note(c, AN_NO_VALUE, step, id,
                   mt_strf(c->a,
                           "operation '%.*s' will be refused: %.*s is false on the "
                           "frozen snapshot",
                           MT_ARG(id), MT_ARG(text)));
}

static void oppose_data(an_checker *c, uint32_t step, an_obstacle_kind kind,
                        uint32_t what)
{
    const ct_model *m = c->p->model;
    mt_str name =
        kind == AN_PAYLOAD_MISFIT ? m->rules[what].verdict : m->facts[what].id;
    switch ((int)kind) {
    case AN_FACT_MISSING:
        an_compat_oppose(
            c, kind, step, name,
            "fact '%.*s' has no value in the frozen snapshot and no default",
            MT_ARG(name));
        return;
    case AN_FACT_MISFIT:
        an_compat_oppose(c, kind, step, name,
                         "the frozen value of fact '%.*s' is not a value of %.*s",
                         MT_ARG(name),
                         MT_ARG(ct_type_spell(c->a, m->facts[what].type)));
        return;
    default:
        an_compat_oppose(c, kind, step, name,
                         "the frozen payload of verdict '%.*s' is not a value of %.*s",
                         MT_ARG(name),
                         MT_ARG(ct_type_spell(c->a, m->rules[what].payload_type)));
    }
}

bool an_compat_is_false(an_checker *c, uint32_t step, uint32_t condition)
{
    value v = value_of(c, condition);
    uint32_t what = 0;
    if (v == NO_DATA) {
        an_obstacle_kind kind =
            lacking_data(c, c->p->model->conditions[condition], &what);
        oppose_data(c, step, kind, what);
    } else if (v == NO_VALUE) {
        an_compat_oppose(c, AN_NO_VALUE, step, (mt_str){0},
                         "%.*s has no value on the frozen snapshot",
                         MT_ARG(expr_text(c, c->p->model->conditions[condition])));
    }
    return v == IS_FALSE;
}
