/* analyze/prove/prove_errors.c - error by error, in the order of §9.3.
 *
 * Persona and precondition are decided by the structure and the solver. What follows
 * them needs a precondition that can hold, and then states: an error occurs where the
 * search comes to a joint state in which the engine's own matching (ct_op_matching)
 * leads to it; it never does where no combination of declared states leads to it; in
 * between it is open, because an instance may be in a state that operations of this
 * contract do not lead to (an older version's did).
 *
 * KINDS has one judge per error and is indexed by it. A fate is possible, never or
 * unknown, always with a sentence that says why: the facts, the states, or what was
 * not decided. Names that are not errors of the engine are unknown: a host may raise
 * them. */
#include "analyze/prove/prove_errors.h"

#include "analyze/facts/joint.h"

/* One error of one operation. Answers about preconditions are kept by operation, as a
 * search asks about the same ones again and again. */
typedef struct judge {
    mt_arena *a;
    an_prover *p;
    const ct_plan *plan;
    uint32_t op;
    const ct_operation *o;
    an_answer *holds; /* by operation: can its precondition hold? */
    bool *asked;
} judge;

static an_error_fate fate(an_possible possible, mt_str why)
{
    return (an_error_fate){possible, why};
}

static an_answer ask(judge *j, const an_claim *c)
{
    return an_prove_possible(j->p, j->a, c);
}

/* Possible with its facts, never with this
 * sentence, or open with the solver's reason. */
static an_error_fate of_answer(judge *j, const an_answer *found, const char *never)
{
    return found->possible == AN_POSSIBLE
               ? fate(AN_POSSIBLE, mt_strf(j->a, "for %.*s", MT_ARG(found->facts)))
           : found->possible == AN_NEVER ? fate(AN_NEVER, mt_str_z(never))
                                         : fate(AN_UNKNOWN, found->reason);
}

/* ---- persona, precondition ---- */

/* Nothing comes before it but the evaluation
 * itself, so it can always occur if that ends well. */
static an_error_fate persona(judge *j)
{
    const ct_model *m = j->plan->model;
    an_answer ends = ask(j, an_claim_holds(j->a, AN_FIRST, NULL));
    if (ends.possible != AN_POSSIBLE) {
        return of_answer(j, &ends, "every evaluation ends in an error before it");
    }
    for (uint32_t p = 0; p < m->persona_count; p++) {
        if (!ct_bit(j->plan->ops[j->op].allowed, p)) {
            return fate(AN_POSSIBLE, mt_strf(j->a, "when persona '%.*s' tries",
                                             MT_ARG(m->personas[p].id)));
        }
    }
    return fate(AN_POSSIBLE,
                MT_STR("when somebody tries who is not a persona of the contract"));
}

/* The precondition has a value, and it is false. */
static const an_claim *not_so(judge *j)
{
    ct_expr *e = mt_new(j->a, ct_expr);
    *e = (ct_expr){.op = CT_NOT, .type = &CT_TYPE_BOOL, .left = j->o->precondition};
    return an_claim_holds(j->a, AN_FIRST, e);
}

static an_error_fate precondition(judge *j)
{
    an_answer fails = {.possible = AN_NEVER};
    if (j->o->precondition) {
        fails = ask(j, not_so(j));
    }
    return of_answer(j, &fails, "its precondition never fails");
}

/* The rules end, and the precondition neither holds nor fails. */
static an_error_fate evaluation(judge *j)
{
    an_answer faults = {.possible = AN_NEVER};
    if (j->o->precondition) {
        const an_claim *value = an_claim_or(
            j->a, an_claim_holds(j->a, AN_FIRST, j->o->precondition), not_so(j));
        faults = ask(j, an_claim_and(j->a, an_claim_holds(j->a, AN_FIRST, NULL),
                                     an_claim_not(j->a, value)));
    }
    return of_answer(j, &faults, "its precondition always has a value");
}

/* ---- what the states lead to ---- */

/* Asks once per operation. */
static const an_answer *can_hold(judge *j, uint32_t op)
{
    if (!j->asked[op]) {
        const ct_expr *e = j->plan->model->operations[op].precondition;
        j->asked[op] = true;
        j->holds[op] = ask(j, an_claim_holds(j->a, AN_FIRST, e));
    }
    return &j->holds[op];
}

static bool has_source(const ct_plan *p, const ct_plan_outcome *o, uint32_t entity,
                       uint32_t state)
{
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_plan_effect *e = &p->effects[o->first_effect + i];
        if (e->entity == entity && e->from == state) {
            return true;
        }
    }
    return false;
}

/* Is there a combination of declared states that is not a source of the outcome? */
static bool can_block(const judge *j, const ct_plan_outcome *o)
{
    for (uint32_t i = 0; i < o->effect_count; i++) {
        uint32_t entity = j->plan->effects[o->first_effect + i].entity;
        for (uint32_t s = 0; s < j->plan->model->entities[entity].state_count; s++) {
            if (!has_source(j->plan, o, entity, s)) {
                return true;
            }
        }
    }
    return false;
}

/* Is there a combination of declared states that fits both outcomes? */
static bool can_meet(const judge *j, const ct_plan_outcome *x, const ct_plan_outcome *y)
{
    const ct_plan_effect *e = j->plan->effects + x->first_effect;
    for (uint32_t i = 0; i < x->effect_count; i++) {
        bool both = false, common = false;
        for (uint32_t k = 0; k < y->effect_count; k++) {
            const ct_plan_effect *f = &j->plan->effects[y->first_effect + k];
            both |= f->entity == e[i].entity;
            common |=
                f->entity == e[i].entity && has_source(j->plan, x, f->entity, f->from);
        }
        if (both && !common) {
            return false;
        }
    }
    return true;
}

static bool may_hold(void *context, uint32_t op)
{
    return can_hold(context, op)->possible == AN_POSSIBLE;
}

/* Where outcomes of the operation match, in the joint states operations lead to. */
typedef struct sight {
    uint32_t *group;  /* of each outcome */
    bool *matches;    /* somewhere */
    mt_str *at;       /* the states in which it first did; empty: in all */
    bool blocks, two; /* one does not match somewhere; two match at once */
    mt_str where;     /* the states in which `two` or `blocks` was seen */
} sight;

static mt_str states_text(judge *j, const an_joint *found, const uint32_t *states)
{
    mt_buf text = {0};
    for (uint32_t i = 0; i < found->entity_count; i++) {
        uint32_t e = found->entities[i];
        mt_buf_addf(&text, "%s%.*s.%.*s", i ? ", " : "",
                    MT_ARG(ct_entity_id(j->plan, e)),
                    MT_ARG(ct_plan_state_id(j->plan, e, states[e])));
    }
    mt_str kept = mt_str_dup(j->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* Outcomes of other groups see entities that are not there, and do not match. */
static void look(judge *j, sight *s, const an_joint *found, uint32_t group,
                 bool for_two)
{
    const ct_plan_op *op = &j->plan->ops[j->op];
    const ct_model *m = j->plan->model;
    uint32_t *states = mt_new_array(j->a, uint32_t, (size_t)m->entity_count + 1);
    uint32_t *matching = mt_new_array(j->a, uint32_t, (size_t)op->outcome_count + 1);
    uint32_t mine = 0;
    for (uint32_t e = 0; e < m->entity_count; e++) {
        states[e] = CT_NONE;
    }
    for (uint32_t i = 0; i < op->outcome_count; i++) {
        mine += s->group[i] == group || s->group[i] == CT_NONE;
    }
    for (uint32_t n = 0; n < found->nodes.len; n++) {
        for (uint32_t i = 0; i < found->entity_count; i++) {
            uint32_t e = found->entities[i];
            states[e] = an_joint_state(found, n, e, 0);
        }
        uint32_t count =
            ct_op_matching(j->plan, j->op, states, matching, op->outcome_count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t which = matching[i] - op->first_outcome;
            if (!s->matches[which]) {
                s->matches[which] = true;
                s->at[which] = states_text(j, found, states);
            }
        }
        bool two = count > 1 && !s->two, blocks = count < mine && !s->blocks;
        if (for_two ? two : blocks) {
            s->where = states_text(j, found, states);
        }
        s->two |= two;
        s->blocks |= blocks;
    }
}

/* Two outcomes of different groups match at once: what moves in one group does not
 * depend on the other. Those that move nothing always do. */
static bool apart(judge *j, sight *s, uint32_t outcomes)
{
    for (uint32_t x = 0; x < outcomes; x++) {
        for (uint32_t y = x + 1; y < outcomes; y++) {
            bool free = s->group[x] != s->group[y] || s->group[x] == CT_NONE;
            if (free && s->matches[x] && s->matches[y]) {
                bool both = s->at[x].len && s->at[y].len;
                s->where = mt_strf(j->a, "%.*s%s%.*s", MT_ARG(s->at[x]),
                                   both ? ", " : "", MT_ARG(s->at[y]));
                return true;
            }
        }
    }
    return false;
}

/* Every group of entities once, by the outcomes that it holds. `for_two` says which of
 * the two places is to be remembered. */
static sight survey(judge *j, bool for_two)
{
    const ct_plan_op *op = &j->plan->ops[j->op];
    sight s = {mt_new_array(j->a, uint32_t, (size_t)op->outcome_count + 1),
               mt_new_array(j->a, bool, (size_t)op->outcome_count + 1),
               mt_new_array(j->a, mt_str, (size_t)op->outcome_count + 1),
               false,
               false,
               {0}};
    an_setting scene = {.plan = j->plan,
                        .persona = CT_NONE,
                        .instances = 1,
                        .most = an_prover_limits(j->p)->reach_states,
                        .may = may_hold,
                        .context = j};
    mt_arena tmp = {0};
    an_outline o = an_outline_of(&tmp, &scene);
    for (uint32_t i = 0; i < op->outcome_count; i++) {
        uint32_t outcome = op->first_outcome + i;
        s.group[i] = an_outcome_group(&scene, &o, outcome);
        s.matches[i] = s.group[i] == CT_NONE;
        if (s.group[i] != CT_NONE && !ct_bit(o.outcomes, outcome)) {
            s.blocks = true; /* it never matches; least of all in the first states */
            s.where = for_two ? s.where : MT_STR("the initial states");
        }
    }
    for (uint32_t i = 0; i < op->outcome_count; i++) {
        bool seen = s.group[i] == CT_NONE || !ct_bit(o.outcomes, op->first_outcome + i);
        for (uint32_t k = 0; k < i; k++) {
            seen |=
                s.group[k] == s.group[i] && ct_bit(o.outcomes, op->first_outcome + k);
        }
        if (!seen) {
            look(j, &s, an_joint_search(&tmp, &scene, &o, s.group[i], NULL, NULL),
                 s.group[i], for_two);
        }
    }
    s.two = s.two || (for_two && apart(j, &s, op->outcome_count));
    mt_arena_free(&tmp);
    return s;
}

static an_error_fate seen_in(judge *j, mt_str where)
{
    return fate(AN_POSSIBLE, mt_strf(j->a, "in %.*s, for %.*s",
                                     MT_ARG(where.len ? where : MT_STR("every state")),
                                     MT_ARG(can_hold(j, j->op)->facts)));
}

static const mt_str UNSEEN =
    MT_STR_INIT("declared states allow it, and no operation was found to lead to them");

/* Never, if every outcome leaves every declared state; possible, if a state was met in
 * which one does not match; otherwise open. */
static an_error_fate source_state(judge *j)
{
    const ct_plan_op *op = &j->plan->ops[j->op];
    bool could = false;
    for (uint32_t i = 0; i < op->outcome_count; i++) {
        could |= can_block(j, &j->plan->outcomes[op->first_outcome + i]);
    }
    if (!could) {
        return fate(AN_NEVER, MT_STR("it leaves every state there is"));
    }
    sight s = survey(j, false);
    return s.blocks ? seen_in(j, s.where) : fate(AN_UNKNOWN, UNSEEN);
}

static an_error_fate ambiguous(judge *j)
{
    const ct_plan_op *op = &j->plan->ops[j->op];
    const ct_plan_outcome *first = j->plan->outcomes + op->first_outcome;
    bool could = false;
    for (uint32_t x = 0; x < op->outcome_count; x++) {
        for (uint32_t y = x + 1; y < op->outcome_count; y++) {
            could |= can_meet(j, &first[x], &first[y]);
        }
    }
    if (!could) {
        return fate(AN_NEVER, MT_STR("no two outcomes match the same states"));
    }
    sight s = survey(j, true);
    return s.two ? seen_in(j, s.where) : fate(AN_UNKNOWN, UNSEEN);
}

static an_error_fate instance(judge *j)
{
    return j->o->effect_count
               ? fate(AN_POSSIBLE, MT_STR("when an instance it needs is not there"))
               : fate(AN_NEVER, MT_STR("it needs no instance"));
}

static an_error_fate outcome(judge *j)
{
    (void)j;
    return fate(AN_POSSIBLE,
                MT_STR("when the caller names an outcome it does not have"));
}

/* ORDER CT_OP_ERROR_MAP. `after`: only once the precondition holds. */
static const struct kind {
    an_error_fate (*judge)(judge *j);
    bool after;
} KINDS[CT_OP_ERROR_COUNT] = {
    [CT_OP_PERSONA] = {persona, false},
    [CT_OP_PRECONDITION] = {precondition, false},
    [CT_OP_EVALUATION] = {evaluation, false},
    [CT_OP_INSTANCE] = {instance, true},
    [CT_OP_STATE] = {source_state, true},
    [CT_OP_AMBIGUOUS] = {ambiguous, true},
    [CT_OP_OUTCOME] = {outcome, true},
};

/* An error that comes after the precondition occurs only if that can hold; where it is
 * not decided whether it can, neither is the error. */
an_error_fate an_prove_error(mt_arena *a, an_prover *p, const ct_program *program,
                             uint32_t op, mt_str error)
{
    const ct_model *m = ct_program_model(program);
    mt_diags ds = {.arena = a};
    ct_op_error kind = ct_op_error_named(error);
    judge j = {.a = a,
               .p = p,
               .op = op,
               .o = &m->operations[op],
               .holds = mt_new_array(a, an_answer, (size_t)m->operation_count + 1),
               .asked = mt_new_array(a, bool, (size_t)m->operation_count + 1)};
    if (kind == CT_OP_ERROR_COUNT || kind == CT_OP_NONE) {
        return fate(AN_UNKNOWN,
                    MT_STR("it is not an error of the engine, and whether a "
                           "host raises it is not known"));
    }
    if (ct_plan_build(a, program, &ds, &j.plan)) {
        return fate(AN_UNKNOWN, ds.items[0].message);
    }
    if (!KINDS[kind].after) {
        return KINDS[kind].judge(&j);
    }
    if (can_hold(&j, op)->possible == AN_NEVER) {
        return fate(AN_NEVER, MT_STR("its precondition never holds"));
    }
    an_error_fate f = KINDS[kind].judge(&j);
    bool unsure = f.possible != AN_NEVER && j.holds[op].possible == AN_UNKNOWN;
    return unsure ? fate(AN_UNKNOWN, j.holds[op].reason) : f;
}
