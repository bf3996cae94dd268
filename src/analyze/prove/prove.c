/* analyze/prove/prove.c - questions to the solver, world by world.
 *
 * A claim is a combination of predicates over one or two contracts; the question is
 * always whether some fact set makes it true. It is put in two worlds. The small one
 * restricts what is free (short lists, amounts of few digits), so that an answer is a
 * small, plain fact set; the large one restricts nothing, so that "impossible" is a
 * proof. What is found is made plain value by value, written as a fact set and given
 * to the evaluator, which has the last word.
 *
 * Order of one question: which rules the claim needs, how many elements stand for each
 * list (prove_lists.c), the formula (prove_predicate.c, prove_term.c), bounds of the
 * types, the solver with its limits (time, steps, memory), the witness.
 *
 * INVARIANT: AN_POSSIBLE is said only with facts that the evaluator has confirmed;
 * AN_NEVER only by a proof in a world that restricts nothing and leaves nothing loose.
 * All else is AN_UNKNOWN with a reason. A model that ought to be exact and is refuted
 * counts as a disagreement, which the tests look for.
 *
 * Memory: `keep` lives with the prover, `tmp` with a question; formulas live in Z3's
 * context. When Z3 has no memory left the prover is `broken` and answers unknown from
 * then on. an_prover_interrupt() may be called from a signal handler or another
 * thread, all else from one. */
#include "analyze/prove/prove_internal.h"

#include <stdlib.h>

const char *const AN_RELATION_NAMES[5] = {
    [AN_REL_EQUAL] = "equal",       [AN_REL_WEAKER] = "weaker",
    [AN_REL_STRONGER] = "stronger", [AN_REL_NEITHER] = "neither",
    [AN_REL_UNKNOWN] = "unknown",
};
MT_TABLE_COVERS(AN_RELATION_NAMES, AN_REL_UNKNOWN + 1);

/* ---- The prover ---- */

/* Digits behind the point of every amount that is written in the expression. */
static void note_scale(const ct_expr *e, unsigned *most)
{
    if (!e) {
        return;
    }
    bool decimal = ct_is_decimal(e->type) || ct_has(e->type, LN_CURRENCY);
    if (e->op == CT_LITERAL && decimal && e->value->decimal.scale > *most) {
        *most = e->value->decimal.scale;
    }
    note_scale(e->left, most);
    note_scale(e->right, most);
}

/* One digit more than any amount that is written in the contracts, so that there is
 * something between every two of them. */
static unsigned money_scale(const an_prover *p)
{
    unsigned most = 2;
    for (unsigned s = 0; s < p->side_count; s++) {
        const ct_model *m = p->sides[s].model;
        for (uint32_t i = 0; i < m->rule_count; i++) {
            note_scale(m->rules[i].when, &most);
            note_scale(m->rules[i].payload, &most);
        }
        for (uint32_t i = 0; i < m->condition_count; i++) {
            note_scale(m->conditions[i], &most);
        }
    }
    return most < MT_DECIMAL_MAX_SCALE ? most + 1 : most;
}

/* may_fault is by types alone: a rule that cannot
 * fault need not be translated for its own sake. */
static void open_side(an_prover *p, pv_side *s, const ct_program *program)
{
    const ct_model *m = ct_program_model(program);
    bool *may_fault = mt_new_array(&p->keep, bool, m->rule_count + 1);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        may_fault[i] =
            ct_may_fail(m->rules[i].when) || ct_payload_may_fail(&m->rules[i]);
    }
    *s = (pv_side){.program = program,
                   .model = m,
                   .may_fault = may_fault,
                   .facts = ct_facts_new(m),
                   .verdicts = ct_verdicts_new(program)};
}

/* Never NULL. Without a solver the prover is broken
 * from the start, and answers unknown with the reason. */
an_prover *an_prover_new(const ct_program *first, const ct_program *second,
                         const mt_limits *limits)
{
    an_prover *p = mt_xmalloc(sizeof *p);
    memset(p, 0, sizeof *p);
    p->limits = limits ? *limits : MT_LIMITS_DEFAULT;
    p->plain = true;
    open_side(p, &p->sides[0], first);
    p->side_count = 1;
    if (second) {
        open_side(p, &p->sides[1], second);
        p->side_count = 2;
    }
    pv_facts_join(p);
    p->money_scale = money_scale(p);
    p->broken = !pv_open(p);
    return p;
}

void an_prover_free(an_prover *p)
{
    if (!p) {
        return;
    }
    pv_close(p);
    for (unsigned i = 0; i < p->side_count; i++) {
        ct_facts_free(p->sides[i].facts);
        ct_verdicts_free(p->sides[i].verdicts);
    }
    mt_arena_free(&p->keep);
    mt_arena_free(&p->tmp);
    free(p);
}

const mt_limits *an_prover_limits(const an_prover *p)
{
    return &p->limits;
}

void an_prover_plain(an_prover *p, bool plain)
{
    p->plain = plain;
}

void an_prover_smt2(an_prover *p, mt_buf *out, mt_str about)
{
    p->smt2 = out;
    p->about = out ? mt_str_dup(&p->keep, about) : MT_STR("");
}

/* The flag stays: every later question is answered "interrupted". */
void an_prover_interrupt(an_prover *p)
{
    p->stopped = 1;
    if (p->z) {
        Z3_interrupt(p->z);
    }
}

bool an_prover_stopped(const an_prover *p)
{
    return p->stopped;
}

unsigned an_prover_disagreements(const an_prover *p)
{
    return p->disagreements;
}

/* ---- Claims ---- */

static const an_claim *new_claim(mt_arena *a, an_claim c)
{
    an_claim *kept = mt_new(a, an_claim);
    *kept = c;
    return kept;
}

/* `predicate` NULL: the side is evaluated without
 * a fault, which all other claims say as well. */
const an_claim *an_claim_holds(mt_arena *a, an_side side, const ct_expr *predicate)
{
    return new_claim(a,
                     (an_claim){.op = PV_HOLDS, .side = side, .predicate = predicate});
}

const an_claim *an_claim_verdict(mt_arena *a, an_side side, uint32_t rule)
{
    ct_expr *e = mt_new(a, ct_expr);
    e->op = CT_PRESENT;
    e->index = rule;
    e->type = &CT_TYPE_BOOL;
    return an_claim_holds(a, side, e);
}

const an_claim *an_claim_faults(mt_arena *a, an_side side, uint32_t rule)
{
    return new_claim(a, (an_claim){.op = PV_FAULTS, .side = side, .rule = rule});
}

const an_claim *an_claim_not(mt_arena *a, const an_claim *c)
{
    return new_claim(a, (an_claim){.op = PV_NOT, .x = c});
}

const an_claim *an_claim_and(mt_arena *a, const an_claim *x, const an_claim *y)
{
    return new_claim(a, (an_claim){.op = PV_AND, .x = x, .y = y});
}

const an_claim *an_claim_or(mt_arena *a, const an_claim *x, const an_claim *y)
{
    return new_claim(a, (an_claim){.op = PV_OR, .x = x, .y = y});
}

uintptr_t *pv_claim_note(mt_arena *a, mt_map *notes, const an_claim *c, bool *added)
{
    const an_claim **key = mt_new(a, const an_claim *);
    *key = c;
    mt_str bytes = mt_str_from((const char *)key, sizeof *key);
    return &mt_map_add(a, notes, bytes, added)->value;
}

/* Calls `visit` for everything in the claim that is about a side. */
static void each_atom(an_prover *p, const an_claim *c,
                      void (*visit)(an_prover *p, const an_claim *atom))
{
    bool added;
    if (!c || (pv_claim_note(&p->tmp, &p->claims, c, &added), !added)) {
        return;
    }
    if (c->op == PV_HOLDS || c->op == PV_FAULTS) {
        visit(p, c);
    }
    each_atom(p, c->x, visit);
    each_atom(p, c->y, visit);
}

static Z3_ast claim_formula(an_prover *p, const an_claim *c);

/* PV_NOT is of the claim, not of the predicate: where the evaluation faults, a claim
 * that it holds is false, and its negation true. */
static Z3_ast new_formula(an_prover *p, const an_claim *c)
{
    pv_side *s = &p->sides[c->side];
    switch (c->op) {
    case PV_NOT: return pv_not(p, claim_formula(p, c->x));
    case PV_AND: return pv_and(p, claim_formula(p, c->x), claim_formula(p, c->y));
    case PV_OR: return pv_or(p, claim_formula(p, c->x), claim_formula(p, c->y));
    case PV_FAULTS: return s->rules[c->rule].err;
    case PV_HOLDS: {
        pv_pred q = {p->yes, p->no};
        if (c->predicate) {
            q = pv_translate(p, s, c->predicate);
        }
        return pv_and(p, pv_not(p, pv_or(p, s->err, q.err)), q.v);
    }
    }
    MT_BUG("unknown kind of claim");
}

/* Claims are graphs: a part that occurs twice is translated once, or formulas would
 * grow beyond measure. */
static Z3_ast claim_formula(an_prover *p, const an_claim *c)
{
    bool added;
    uintptr_t *note = pv_claim_note(&p->tmp, &p->claims, c, &added);
    if (!*note) {
        Z3_ast f = new_formula(p, c);
        /* The map may have grown. */
        *pv_claim_note(&p->tmp, &p->claims, c, &added) = (uintptr_t)f;
        return f;
    }
    return (Z3_ast)*note;
}

/* ---- One question in one world ---- */

typedef enum verdict { IMPOSSIBLE, FOUND, OPEN } verdict;

/* `facts` and `reason` are of the last world that was tried. */
typedef struct question {
    an_prover *p;
    mt_arena *a;
    const an_claim *claim;
    mt_str facts, reason;
} question;

/* Nothing of the question before is left: worlds name their constants alike. */
static void begin(an_prover *p, pv_world world)
{
    mt_arena_reset(&p->tmp);
    p->world = world;
    p->restricted = p->loose = p->too_large = false;
    p->unfolded = 0;
    p->nonlinear = false;
    memset(&p->bounds, 0, sizeof p->bounds);
    memset(&p->leaves, 0, sizeof p->leaves);
    memset(&p->text_leaves, 0, sizeof p->text_leaves);
    memset(&p->variables, 0, sizeof p->variables);
    memset(&p->claims, 0, sizeof p->claims);
    for (size_t i = 0; i < p->facts.len; i++) {
        p->facts.items[i].s = NULL;
    }
    for (unsigned i = 0; i < p->side_count; i++) {
        pv_side *s = &p->sides[i];
        s->rules = mt_new_array(&p->tmp, pv_rule, s->model->rule_count + 1);
        s->asked = false;
    }
    pv_lists_begin(p);
}

/* What a part of the claim needs: rules, and how it looks at lists. */
static void need_atom(an_prover *p, const an_claim *atom)
{
    pv_side *s = &p->sides[atom->side];
    s->asked = true;
    if (atom->op == PV_FAULTS) {
        s->rules[atom->rule].needed = true;
        return;
    }
    pv_need(s, atom->predicate);
    pv_lists_look(p, s, atom->predicate);
}

static void look_at_rules(an_prover *p, pv_side *s)
{
    pv_need_all(s);
    for (uint32_t i = 0; i < s->model->rule_count; i++) {
        if (s->rules[i].needed) {
            pv_lists_look(p, s, s->model->rules[i].when);
            pv_lists_look(p, s, s->model->rules[i].payload);
        }
    }
}

/* True only where both sides evaluate without a fault, unless the claim asks for one.
 */
static Z3_ast formula(an_prover *p, const an_claim *claim)
{
    each_atom(p, claim, need_atom);
    for (unsigned i = 0; i < p->side_count; i++) {
        if (p->sides[i].asked) {
            look_at_rules(p, &p->sides[i]);
        }
    }
    pv_lists_count(p);
    for (unsigned i = 0; i < p->side_count; i++) {
        if (p->sides[i].asked) {
            pv_translate_rules(p, &p->sides[i]);
        }
    }
    Z3_ast f = claim_formula(p, claim);
    pv_text_bounds(p);
    return f;
}

static unsigned as_unsigned(size_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (unsigned)n;
}

static Z3_solver new_solver(an_prover *p)
{
    /* What the solver hands out lives until its next call unless it is held. */
    Z3_solver s = Z3_mk_simple_solver(p->z);
    if (!s) {
        return NULL;
    }
    Z3_solver_inc_ref(p->z, s);
    Z3_params params = Z3_mk_params(p->z);
    if (!params) {
        Z3_solver_dec_ref(p->z, s);
        return NULL;
    }
    Z3_params_inc_ref(p->z, params);
    Z3_params_set_uint(p->z, params, Z3_mk_string_symbol(p->z, "timeout"),
                       as_unsigned(p->limits.prove_ms));
    Z3_params_set_uint(p->z, params, Z3_mk_string_symbol(p->z, "rlimit"),
                       as_unsigned(p->limits.prove_steps));
    /* Signals are the program's business. */
    Z3_params_set_bool(p->z, params, Z3_mk_string_symbol(p->z, "ctrl_c"), false);
    Z3_solver_set_params(p->z, s, params);
    Z3_params_dec_ref(p->z, params);
    return s;
}

/* Held: the caller gives it back. NULL when the solver has none. */
static Z3_model model_of(an_prover *p, Z3_solver s)
{
    Z3_model m = Z3_solver_get_model(p->z, s);
    if (m) {
        Z3_model_inc_ref(p->z, m);
    }
    return m;
}

/* In words of our limits, which the reader can
 * change, where the solver met one of them. */
static mt_str solver_reason(question *q, Z3_solver s)
{
    an_prover *p = q->p;
    mt_str why = mt_str_z(Z3_solver_get_reason_unknown(p->z, s));
    if (p->stopped) {
        return MT_STR("interrupted");
    }
    /* The solver has no one word for it. */
    static const char *const LIMIT[] = {"timeout", "canceled", "unknown",
                                        "max. resource limit exceeded"};
    for (size_t i = 0; i < sizeof LIMIT / sizeof *LIMIT; i++) {
        if (mt_str_eq(why, mt_str_z(LIMIT[i]))) {
            return mt_strf(
                q->a, "the solver's limit was reached (prove_ms %zu, prove_steps %zu)",
                p->limits.prove_ms, p->limits.prove_steps);
        }
    }
    return mt_strf(q->a, "the solver gave up: %.*s", MT_ARG(why));
}

/* FOUND says only that the solver has a model; confirmed() asks the evaluator. */
static verdict ask_solver(question *q, Z3_solver s)
{
    an_prover *p = q->p;
    Z3_lbool said = Z3_solver_check(p->z, s);
    if (said == Z3_L_FALSE) {
        return IMPOSSIBLE;
    }
    if (said == Z3_L_UNDEF) {
        q->reason = solver_reason(q, s);
        return OPEN;
    }
    Z3_model m = model_of(p, s);
    m = p->plain ? pv_make_plain(p, s, m) : m;
    if (!m) {
        q->reason = MT_STR("the solver gave no values");
        return OPEN;
    }
    q->facts = pv_witness(p, q->a, m);
    Z3_model_dec_ref(p->z, m);
    return FOUND;
}

/* As it is asked, without what the solver was told about time and memory. A question
 * that was folded to false while it was made is written as such. */
static void write_smt2(question *q, Z3_ast f, verdict v)
{
    static const char *const STATUS[] = {
        [IMPOSSIBLE] = "unsat", [FOUND] = "sat", [OPEN] = "unknown"};
    MT_TABLE_COVERS(STATUS, OPEN + 1);
    an_prover *p = q->p;
    if (!p->smt2 || p->broken) {
        return;
    }
    const char *text = Z3_benchmark_to_smtlib_string(
        p->z, "", p->nonlinear ? "QF_NIA" : "QF_LIA", STATUS[v], "",
        (unsigned)p->bounds.len, p->bounds.items, f);
    mt_str rest = mt_str_trim(mt_str_z(text), MT_STR("; \n"));
    mt_buf_addf(p->smt2, "%s; %.*s, %s\n%.*s\n", p->smt2->len ? "(reset)\n" : "",
                MT_ARG(p->about),
                p->world == PV_SMALL && p->restricted
                    ? "amounts and lists held to a part of their domain"
                    : "every fact set",
                MT_ARG(rest));
}

/* A formula that was folded to "no" needs no solver at all. */
static verdict try_world(question *q, pv_world world)
{
    an_prover *p = q->p;
    begin(p, world);
    Z3_ast f = formula(p, q->claim);
    if (p->too_large) {
        q->reason = mt_strf(q->a, "more than %zu quantifier bodies (prove_unfold)",
                            p->limits.prove_unfold);
        return OPEN;
    }
    if (p->broken) {
        return OPEN;
    }
    if (f == p->no) {
        write_smt2(q, f, IMPOSSIBLE);
        return IMPOSSIBLE;
    }
    Z3_solver s = new_solver(p);
    if (!s) {
        p->broken = true;
        return OPEN;
    }
    for (size_t i = 0; i < p->bounds.len; i++) {
        Z3_solver_assert(p->z, s, p->bounds.items[i]);
    }
    Z3_solver_assert(p->z, s, f);
    verdict v = ask_solver(q, s);
    Z3_solver_dec_ref(p->z, s);
    write_smt2(q, f, v);
    if (Z3_get_error_code(p->z) == Z3_MEMOUT_FAIL) {
        p->broken = true;
    }
    return v;
}

/* ---- Answers ---- */

static an_answer unknown(mt_str reason)
{
    return (an_answer){.possible = AN_UNKNOWN, .reason = reason};
}

/* True when the evaluator agrees. An exact model that is refuted is our fault. */
static bool confirmed(question *q, an_answer *out)
{
    an_prover *p = q->p;
    if (pv_confirm(p, q->claim, q->facts)) {
        *out = (an_answer){.possible = AN_POSSIBLE, .facts = q->facts};
        return true;
    }
    bool exact = p->world == PV_SMALL && !p->loose;
    p->disagreements += exact;
    q->reason = exact ? MT_STR("the evaluator does not confirm the solver's fact set")
                      : MT_STR("what is left open allows it, no fact set was found");
    return false;
}

/* The small world first, for a fact set; the large one for a proof. */
static an_answer answer(question *q)
{
    an_prover *p = q->p;
    an_answer out;
    verdict small = try_world(q, PV_SMALL);
    if (small == FOUND && confirmed(q, &out)) {
        return out;
    }
    if (small == IMPOSSIBLE && !p->restricted) {
        return (an_answer){.possible = AN_NEVER};
    }
    if (p->stopped || p->broken || (!p->restricted && !p->too_large && !p->loose)) {
        return unknown(q->reason);
    }
    verdict large = try_world(q, PV_LARGE);
    if (large == IMPOSSIBLE) {
        return (an_answer){.possible = AN_NEVER};
    }
    if (large == FOUND && confirmed(q, &out)) {
        return out;
    }
    return unknown(q->reason);
}

/* What is wrong with the prover is said before anything is asked. */
an_answer an_prove_possible(an_prover *p, mt_arena *a, const an_claim *claim)
{
    question q = {.p = p, .a = a, .claim = claim};
    if (!mt_late_possible() || p->broken || p->stopped || p->mismatch.len) {
        return unknown(p->mismatch.len ? mt_str_dup(a, p->mismatch)
                       : p->missing    ? mt_strf(a, "%s", p->missing)
                       : p->stopped    ? MT_STR("interrupted")
                                       : MT_STR("the solver has no memory left"));
    }
    an_answer out = answer(&q);
    if (p->broken) {
        return unknown(MT_STR("the solver has no memory left (prove_megabytes)"));
    }
    return out;
}

/* Two questions: what holds now and did not, and
 * the other way. Weaker is "holds for more". */
an_comparison an_prove_compare(an_prover *p, mt_arena *a, const ct_expr *old,
                               const ct_expr *now)
{
    an_comparison c = {.relation = AN_REL_UNKNOWN};
    const an_claim *was = an_claim_holds(a, AN_FIRST, old);
    const an_claim *is = an_claim_holds(a, AN_SECOND, now);
    c.gained = an_prove_possible(p, a, an_claim_and(a, is, an_claim_not(a, was)));
    c.lost = an_prove_possible(p, a, an_claim_and(a, was, an_claim_not(a, is)));
    if (c.gained.possible != AN_UNKNOWN && c.lost.possible != AN_UNKNOWN) {
        bool more = c.gained.possible == AN_POSSIBLE,
             less = c.lost.possible == AN_POSSIBLE;
        c.relation = more && less ? AN_REL_NEITHER
                     : more       ? AN_REL_WEAKER
                     : less       ? AN_REL_STRONGER
                                  : AN_REL_EQUAL;
    }
    return c;
}
