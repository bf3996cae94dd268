/* analyze/prove/prove_faults.c - can legal facts end an evaluation in an error?
 *
 * Order: by types alone, which rules and conditions may fault (ct_may_fail()); then
 * fact sets at the edges of the types are evaluated (prove_corners.c), and whatever
 * faults is known; what is left is asked of the solver, one question each. A rule is
 * asked about where all rules before it come through, since an evaluation ends with the
 * first fault.
 *
 * INVARIANT: a warning has facts with which the evaluator ended in this fault; silence
 * about a place means that types exclude it or that it was proven. All else is one note
 * (S334).
 *
 * What may fail: the solver may be missing, stopped or give up; that leaves places
 * open and is said. */
#include "analyze/prove/prove_faults.h"

#include <stdlib.h>

#include "analyze/prove/prove_corners.h"
#include "analyze/prove/prove_internal.h"
#include "contract/reduce/may_fail.h"

/* A rule or a condition that may fault. */
typedef struct place {
    const char *kind;
    mt_str construct, part;
    ct_origin origin;
    uint32_t rule;      /* CT_NONE: a condition */
    uint32_t condition; /* its number in the program */
    mt_str facts;       /* with which it faults; empty: none found yet */
    ct_fault_kind fault;
    mt_str message;
} place;

typedef struct search {
    mt_arena *a;
    const ct_program *program;
    const ct_model *m;
    const mt_limits *limits;
    an_findings *fs;
    mt_str member;
    an_watcher watcher;
    MT_VEC(place) places;
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    an_prover *p; /* NULL until it is needed */
    size_t asked, open;
    mt_str reason; /* of the first that stayed open */
    bool stopped;
} search;

/* ---- What may fault ---- */

static void add_rules(search *s)
{
    for (uint32_t i = 0; i < s->m->rule_count; i++) {
        const ct_rule *r = &s->m->rules[i];
        if (ct_may_fail(r->when) || ct_payload_may_fail(r)) {
            place p = {.kind = "Rule",
                       .construct = r->id,
                       .origin = r->origin,
                       .rule = i,
                       .condition = CT_NONE};
            mt_vec_push(s->a, &s->places, p);
        }
    }
}

static void add_operations(search *s)
{
    for (uint32_t i = 0; i < s->m->operation_count; i++) {
        const ct_operation *o = &s->m->operations[i];
        if (o->condition != CT_NONE && ct_may_fail(o->precondition)) {
            place p = {.kind = "Operation",
                       .construct = o->id,
                       .origin = o->origin,
                       .rule = CT_NONE,
                       .condition = o->condition};
            mt_vec_push(s->a, &s->places, p);
        }
    }
}

static void add_steps(search *s, const ct_flow *flow, const ct_steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        const ct_step *step = &steps->items[i];
        if (step->does == LN_DECIDES && ct_may_fail(s->m->conditions[step->what])) {
            place p = {.kind = "Flow",
                       .construct = flow->id,
                       .part = step->id,
                       .origin = flow->origin,
                       .rule = CT_NONE,
                       .condition = step->what};
            mt_vec_push(s->a, &s->places, p);
        }
        for (uint32_t b = 0; b < step->branch_count; b++) {
            add_steps(s, flow, &step->branches[b].steps);
        }
    }
}

static void find_places(search *s)
{
    add_rules(s);
    add_operations(s);
    for (uint32_t i = 0; i < s->m->flow_count; i++) {
        add_steps(s, &s->m->flows[i], &s->m->flows[i].steps);
    }
}

/* ---- What fact sets do ---- */

/* Faults of values. A budget that runs out is
 * a limit of the host, not of the contract. */
static bool is_abort(ct_fault_kind kind)
{
    return kind == CT_FAULT_OVERFLOW || kind == CT_FAULT_INDEX_RANGE ||
           kind == CT_FAULT_TAG_MISMATCH || kind == CT_FAULT_ABSENT_VERDICT;
}

/* The first fact set stays: corners are tried
 * before the solver and are the plainer ones. */
static void note(search *s, place *p, mt_str facts, const ct_fault *fault)
{
    if (!p->facts.len && is_abort(fault->kind)) {
        p->facts = facts;
        p->fault = fault->kind;
        p->message = mt_str_dup(s->a, fault->message);
    }
}

static void note_rule(search *s, mt_str facts, const ct_fault *fault)
{
    for (size_t i = 0; i < s->places.len; i++) {
        place *p = &s->places.items[i];
        if (p->rule != CT_NONE && mt_str_eq(p->construct, fault->rule)) {
            note(s, p, facts, fault);
        }
    }
}

static void note_conditions(search *s, mt_str facts)
{
    ct_snapshot snapshot = {s->program, s->facts, s->verdicts};
    for (size_t i = 0; i < s->places.len; i++) {
        place *p = &s->places.items[i];
        ct_fault fault = {0};
        bool holds;
        if (p->condition != CT_NONE && !p->facts.len &&
            ct_holds(&snapshot, p->condition, s->scratch, &holds, s->a, NULL, &fault)) {
            note(s, p, facts, &fault);
        }
    }
}

/* Evaluates the fact set and notes which places it brings down. */
static void try_facts(search *s, mt_str facts)
{
    ct_fault fault = {0};
    if (ct_facts_read(s->facts, facts, s->limits, false, &fault)) {
        return;
    }
    if (ct_evaluate(s->program, s->facts, s->verdicts, s->a, &fault)) {
        note_rule(s, facts, &fault);
    } else {
        note_conditions(s, facts);
    }
}

/* ---- The solver ---- */

/* A rule faults; of a condition: the rules come
 * through, and it neither holds nor fails. */
static const an_claim *claim_of(search *s, const place *p)
{
    if (p->rule != CT_NONE) {
        return an_claim_faults(s->a, AN_FIRST, p->rule);
    }
    ct_expr *negated = mt_new(s->a, ct_expr);
    const ct_expr *e = s->m->conditions[p->condition];
    *negated = (ct_expr){.op = CT_NOT, .type = &CT_TYPE_BOOL, .left = e};
    const an_claim *yes = an_claim_holds(s->a, AN_FIRST, e);
    const an_claim *no = an_claim_holds(s->a, AN_FIRST, negated);
    const an_claim *sound = an_claim_holds(s->a, AN_FIRST, NULL);
    return an_claim_and(s->a, sound, an_claim_not(s->a, an_claim_or(s->a, yes, no)));
}

/* What the solver finds is evaluated like any
 * fact set, and may show other places as well. */
static void ask(search *s, place *p)
{
    enum { MOST_QUESTIONS = 200 };
    s->stopped |= s->watcher.go_on && !s->watcher.go_on(s->watcher.context, "proofs",
                                                        s->asked, s->places.len);
    if (s->stopped || s->asked++ >= MOST_QUESTIONS) {
        s->open++;
        return;
    }
    if (!s->p) {
        s->p = an_prover_new(s->program, NULL, s->limits);
    }
    an_answer found = an_prove_possible(s->p, s->a, claim_of(s, p));
    if (found.possible == AN_POSSIBLE) {
        try_facts(s, found.facts);
    }
    if (found.possible != AN_NEVER && !p->facts.len) {
        s->open++;
        s->reason = s->reason.len ? s->reason : found.reason;
    }
}

/* ---- Findings ---- */

static const char *code_of(ct_fault_kind kind)
{
    return kind == CT_FAULT_OVERFLOW      ? "S331"
           : kind == CT_FAULT_INDEX_RANGE ? "S332"
                                          : "S333";
}

static mt_str hint_of(const char *code)
{
    const ct_code_info *info;
    for (size_t i = 0; (info = an_finding_code_at(i)); i++) {
        if (!strcmp(info->code, code)) {
            return mt_str_z(info->hint);
        }
    }
    MT_BUG("a finding without a code");
}

static void report(search *s, const place *p)
{
    mt_arena *a = s->fs->arena;
    const char *code = code_of(p->fault);
    const char *step = p->part.len ? "step '" : "";
    an_finding f = {.code = code,
                    .analysis = "prove",
                    .severity = MT_WARNING,
                    .kind = p->kind,
                    .construct = p->construct,
                    .part = p->part,
                    .member = s->member,
                    .origin = p->origin,
                    .hint = hint_of(code)};
    f.message = mt_strf(a, "%s%.*s%slegal facts end it in an error: %.*s", step,
                        MT_ARG(p->part), p->part.len ? "': " : "", MT_ARG(p->message));
    f.details = mt_strf(a, "{\"facts\":%.*s}", MT_ARG(p->facts));
    an_finding_add(s->fs, &f);
}

/* So that silence cannot be taken for proof. */
static void report_open(search *s)
{
    if (!s->open) {
        return;
    }
    an_finding f = {.code = "S334",
                    .analysis = "prove",
                    .severity = MT_NOTE,
                    .kind = "Contract",
                    .construct = s->m->id,
                    .member = s->member,
                    .hint = hint_of("S334")};
    f.message = mt_strf(
        s->fs->arena, "of %zu places that may end in an error %zu stay open%s%.*s",
        s->places.len, s->open, s->reason.len ? ": " : "", MT_ARG(s->reason));
    an_finding_add(s->fs, &f);
}

/* Corners, solver, findings: so a fault that corners show costs no question. */
static void decide(search *s)
{
    for (unsigned i = 0; i < AN_CORNERS; i++) {
        try_facts(s, an_corner(s->a, s->m, i));
    }
    for (size_t i = 0; i < s->places.len; i++) {
        if (!s->places.items[i].facts.len) {
            ask(s, &s->places.items[i]);
        }
    }
    for (size_t i = 0; i < s->places.len; i++) {
        if (s->places.items[i].facts.len) {
            report(s, &s->places.items[i]);
        }
    }
    report_open(s);
    an_findings_sort(s->fs);
}

/* False: the watcher stopped it. A contract in
 * which nothing may fault by types costs nothing. */
bool an_prove_faults(const ct_program *program, const mt_limits *limits, mt_str member,
                     an_watcher watcher, an_findings *fs)
{
    search s = {.a = fs->arena,
                .program = program,
                .m = ct_program_model(program),
                .limits = limits ? limits : &MT_LIMITS_DEFAULT,
                .fs = fs,
                .member = member,
                .watcher = watcher};
    find_places(&s);
    if (!s.places.len) {
        return true;
    }
    s.facts = ct_facts_new(s.m);
    s.verdicts = ct_verdicts_new(program);
    s.scratch = ct_verdicts_new(program);
    decide(&s);
    an_prover_free(s.p);
    ct_facts_free(s.facts);
    ct_verdicts_free(s.verdicts);
    ct_verdicts_free(s.scratch);
    return !s.stopped;
}
