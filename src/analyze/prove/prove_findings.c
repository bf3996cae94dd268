/* analyze/prove/prove_findings.c - rules and operations that proofs find fault with.
 *
 * In order: rules and operations that can never be, flows (prove_flows.c), pairs of
 * rules that are equal or overlap or exclude each other, pairs of operations that
 * compete for a state, outcomes that can match at once. What is known to be dead is
 * left out of the pairs, so one fault is reported once.
 *
 * Pairs grow with the square, so they are bounded (MOST_PAIRS) and chosen: rules that
 * read the same facts, operations with a state in common. What the solver left open is
 * counted and said in one note at the end (an_prove_findings() answers whether
 * everything was asked). A finding that the structural analysis has reported already
 * is not repeated. */
#include "analyze/prove/prove_findings_internal.h"
#include "analyze/prove/prove_walk.h"

#include "contract/flow/text.h"

enum {
    MOST_PAIRS = 2000 /* rules or operations compared with each other */
};

/* ---- What the files share ---- */

const an_claim *pf_holds(pf_finder *f, const ct_expr *e)
{
    return an_claim_holds(f->a, AN_FIRST, e);
}

/* Not merely "does not hold": the evaluation as such must succeed, or a fault elsewhere
 * would be shown as an example. */
const an_claim *pf_fails(pf_finder *f, const ct_expr *e)
{
    return pv_claim_fails(f->a, e);
}

/* After a stop every question is answered with "unknown" at once, so the loops run out
 * without being told. */
an_answer pf_ask(pf_finder *f, const an_claim *c)
{
    f->asked++;
    bool go_on = !f->watcher.go_on ||
                 f->watcher.go_on(f->watcher.context, "proofs", f->asked, 0);
    f->stopped |= !go_on || an_prover_stopped(f->p);
    if (f->stopped) {
        return (an_answer){.possible = AN_UNKNOWN, .reason = MT_STR("stopped")};
    }
    an_answer found = an_prove_possible(f->p, f->a, c);
    f->open += found.possible == AN_UNKNOWN;
    return found;
}

/* Proven; what is open counts as possible. */
bool pf_never(pf_finder *f, const an_claim *c)
{
    return pf_ask(f, c).possible == AN_NEVER;
}

/* S30x are the structural findings of the same kind: what types exclude needs no
 * proof. */
static bool reported(const an_findings *fs, const an_finding *by)
{
    for (size_t i = 0; i < fs->len; i++) {
        const an_finding *f = &fs->items[i];
        if (!strncmp(f->code, "S30", 3) && !strcmp(f->kind, by->kind) &&
            mt_str_eq(f->construct, by->construct) && mt_str_eq(f->part, by->part) &&
            mt_str_eq(f->member, by->member)) {
            return true;
        }
    }
    return false;
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

/* `facts` are confirmed by the evaluator and go into the details as they are. */
void pf_report(pf_finder *f, an_finding finding, mt_str facts, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    finding.message = mt_strfv(f->fs->arena, format, args);
    va_end(args);
    finding.analysis = "prove";
    finding.member = f->member;
    finding.hint = hint_of(finding.code);
    if (facts.len) {
        finding.details = mt_strf(f->fs->arena, "{\"facts\":%.*s}", MT_ARG(facts));
    }
    if (!reported(f->fs, &finding)) {
        an_finding_add(f->fs, &finding);
    }
}

/* Cut, because conditions of generated contracts may be pages. */
mt_str pf_text(pf_finder *f, const ct_expr *e)
{
    enum { SHOWN = 120 };
    mt_buf b = {.ceiling = 4096};
    ct_expr_text(&b, f->m, e);
    bool cut = b.len > SHOWN;
    mt_str text = mt_strf(f->fs->arena, "%.*s%s", cut ? SHOWN : (int)b.len, b.ptr,
                          cut ? " …" : "");
    mt_buf_free(&b);
    return text;
}

/* ---- Never ---- */

static an_finding about_rule(const char *code, mt_severity severity, const ct_rule *r)
{
    return (an_finding){.code = code,
                        .severity = severity,
                        .kind = "Rule",
                        .construct = r->id,
                        .origin = r->origin};
}

/* The example is any fact set for which the contract evaluates: it shows the rule
 * silent. */
static void dead_rules(pf_finder *f)
{
    for (uint32_t i = 0; i < f->m->rule_count && !f->stopped; i++) {
        const ct_rule *r = &f->m->rules[i];
        an_answer fires = pf_ask(f, an_claim_verdict(f->a, AN_FIRST, i));
        f->rule_dead[i] = fires.possible == AN_NEVER;
        if (f->rule_dead[i]) {
            an_answer example = pf_ask(f, pf_holds(f, NULL));
            pf_report(f, about_rule("S312", MT_WARNING, r), example.facts,
                      "never produces %.*s: %.*s holds for no fact set",
                      MT_ARG(r->verdict), MT_ARG(pf_text(f, r->when)));
        }
    }
}

static an_finding about_operation(const char *code, mt_severity severity,
                                  const ct_operation *o)
{
    return (an_finding){.code = code,
                        .severity = severity,
                        .kind = "Operation",
                        .construct = o->id,
                        .origin = o->origin};
}

/* Without a precondition there is nothing to prove. */
static void dead_operations(pf_finder *f)
{
    for (uint32_t i = 0; i < f->m->operation_count && !f->stopped; i++) {
        const ct_operation *o = &f->m->operations[i];
        f->operation_dead[i] =
            o->precondition && pf_never(f, pf_holds(f, o->precondition));
        if (f->operation_dead[i]) {
            an_answer example = pf_ask(f, pf_fails(f, o->precondition));
            pf_report(f, about_operation("S311", MT_WARNING, o), example.facts,
                      "its precondition %.*s holds for no fact set",
                      MT_ARG(pf_text(f, o->precondition)));
        }
    }
}

/* ---- Rules with each other ---- */

/* The facts a condition reads, as bits; false when it reads verdicts or none. */
static bool facts_read(const ct_expr *e, uint64_t *bits)
{
    if (!e) {
        return true;
    }
    if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        return false;
    }
    if (e->op == CT_FACT) {
        bits[e->index / 64] |= (uint64_t)1 << (e->index % 64);
    }
    return facts_read(e->left, bits) && facts_read(e->right, bits);
}

static bool reads_verdict(const ct_expr *e, uint32_t rule)
{
    return e && (((e->op == CT_PRESENT || e->op == CT_PAYLOAD) && e->index == rule) ||
                 reads_verdict(e->left, rule) || reads_verdict(e->right, rule));
}

/* Three questions: both, only one, only the other. Where both is not possible, or not
 * decided, nothing is reported. */
static void compare_rules(pf_finder *f, uint32_t x, uint32_t y)
{
    const ct_rule *a = &f->m->rules[x], *b = &f->m->rules[y];
    const an_claim *p = an_claim_verdict(f->a, AN_FIRST, x);
    const an_claim *q = an_claim_verdict(f->a, AN_FIRST, y);
    an_answer both = pf_ask(f, an_claim_and(f->a, p, q));
    if (both.possible != AN_POSSIBLE) {
        return;
    }
    an_answer only_a = pf_ask(f, an_claim_and(f->a, p, an_claim_not(f->a, q)));
    an_answer only_b = pf_ask(f, an_claim_and(f->a, q, an_claim_not(f->a, p)));
    bool a_gives_b = only_a.possible == AN_NEVER,
         b_gives_a = only_b.possible == AN_NEVER;
    an_finding about = about_rule("S323", MT_NOTE, a);
    about.part = b->id;
    if (a_gives_b && b_gives_a) {
        about.code = "S322";
        pf_report(f, about, both.facts, "%.*s is present exactly where %.*s is",
                  MT_ARG(a->verdict), MT_ARG(b->verdict));
    } else if (a_gives_b || b_gives_a) {
        about.code = "S321";
        pf_report(f, about, a_gives_b ? only_b.facts : only_a.facts,
                  "%.*s implies %.*s", MT_ARG(a_gives_b ? a->verdict : b->verdict),
                  MT_ARG(a_gives_b ? b->verdict : a->verdict));
    } else if (only_a.possible == AN_POSSIBLE && only_b.possible == AN_POSSIBLE) {
        pf_report(f, about, both.facts, "%.*s and %.*s can both be present",
                  MT_ARG(a->verdict), MT_ARG(b->verdict));
    }
}

/* Rules that read the same facts are cases of one thing. A rule that reads a verdict
 * says itself that it implies it: that is not worth a word. The bound is shared by all
 * pairs; when it is met the rest counts as one open question. */
static void rule_pairs(pf_finder *f)
{
    size_t words = f->m->fact_count / 64 + 1;
    uint32_t count = f->m->rule_count;
    uint64_t *bits = mt_new_array(f->a, uint64_t, words * ((size_t)count + 1));
    bool *plain = mt_new_array(f->a, bool, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        plain[i] = facts_read(f->m->rules[i].when, bits + i * words);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count && !f->stopped; j++) {
            bool alike = plain[i] && plain[j] &&
                         f->m->rules[i].stratum == f->m->rules[j].stratum &&
                         !memcmp(bits + i * words, bits + j * words, words * 8);
            if (!alike || f->rule_dead[i] || f->rule_dead[j] ||
                reads_verdict(f->m->rules[j].when, i)) {
                continue;
            }
            if (f->pairs++ >= MOST_PAIRS) {
                f->open++;
                return;
            }
            compare_rules(f, i, j);
        }
    }
}

/* ---- Operations with each other ---- */

static bool share_persona(const ct_operation *a, const ct_operation *b)
{
    for (uint32_t i = 0; i < a->persona_count; i++) {
        for (uint32_t j = 0; j < b->persona_count; j++) {
            if (a->personas[i] == b->personas[j]) {
                return true;
            }
        }
    }
    return false;
}

/* An effect of each, from one state of one entity to different ones. Leading to the
 * same state is not a conflict: either order gives it. */
static const ct_effect *forking(const ct_operation *a, const ct_operation *b)
{
    for (uint32_t i = 0; i < a->effect_count; i++) {
        for (uint32_t j = 0; j < b->effect_count; j++) {
            const ct_effect *x = &a->effects[i], *y = &b->effects[j];
            if (x->entity == y->entity && x->from == y->from && x->to != y->to) {
                return x;
            }
        }
    }
    return NULL;
}

static void compare_operations(pf_finder *f, const ct_operation *a,
                               const ct_operation *b, const ct_effect *e)
{
    an_answer both = pf_ask(f, an_claim_and(f->a, pf_holds(f, a->precondition),
                                            pf_holds(f, b->precondition)));
    if (both.possible != AN_POSSIBLE) {
        return;
    }
    an_finding about = about_operation("S324", MT_NOTE, a);
    about.part = b->id;
    const ct_entity *en = &f->m->entities[e->entity];
    pf_report(f, about, both.facts,
              "%.*s and %.*s can both leave %.*s.%.*s, for different states",
              MT_ARG(a->id), MT_ARG(b->id), MT_ARG(en->id),
              MT_ARG(en->states[e->from]));
}

/* Only where one persona may do both: then the contract leaves the choice to it. */
static void operation_pairs(pf_finder *f)
{
    uint32_t count = f->m->operation_count;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count && !f->stopped; j++) {
            const ct_operation *a = &f->m->operations[i], *b = &f->m->operations[j];
            const ct_effect *e = forking(a, b);
            if (!e || !share_persona(a, b) || f->operation_dead[i] ||
                f->operation_dead[j]) {
                continue;
            }
            if (f->pairs++ >= MOST_PAIRS) {
                f->open++;
                return;
            }
            compare_operations(f, a, b, e);
        }
    }
}

/* ---- Outcomes ---- */

/* Do the effects of outcome `x` and of `y` fit one combination of states? Per entity
 * some source must be common; entities only one of them moves do not matter. */
static bool outcomes_meet(const ct_operation *o, uint32_t x, uint32_t y)
{
    bool some = false;
    for (uint32_t i = 0; i < o->effect_count; i++) {
        const ct_effect *e = &o->effects[i];
        bool common = false, other = false;
        if (e->outcome != x) {
            continue;
        }
        for (uint32_t j = 0; j < o->effect_count; j++) {
            const ct_effect *g = &o->effects[j];
            other |= g->outcome == y && g->entity == e->entity;
            for (uint32_t k = 0; k < o->effect_count; k++) {
                const ct_effect *h = &o->effects[k];
                common |= g->outcome == y && h->outcome == x &&
                          g->entity == e->entity && h->entity == e->entity &&
                          g->from == h->from;
            }
        }
        if (other && !common) {
            return false;
        }
        some |= common;
    }
    return some;
}

/* outcomes_meet() is cubic in effects, hence the bound. Which outcome is taken is the
 * executor's to say (§9.2), so this is a note. */
static void outcome_pairs(pf_finder *f)
{
    for (uint32_t i = 0; i < f->m->operation_count; i++) {
        const ct_operation *o = &f->m->operations[i];
        if (o->effect_count > 64 || f->operation_dead[i]) {
            continue;
        }
        for (uint32_t x = 0; x < o->outcome_count && !f->stopped; x++) {
            for (uint32_t y = x + 1; y < o->outcome_count; y++) {
                if (!outcomes_meet(o, x, y)) {
                    continue;
                }
                an_finding about = about_operation("S325", MT_NOTE, o);
                about.part = o->outcomes[x];
                an_answer can = pf_ask(f, pf_holds(f, o->precondition));
                pf_report(f, about, can.facts,
                          "outcomes '%.*s' and '%.*s' match the same states",
                          MT_ARG(o->outcomes[x]), MT_ARG(o->outcomes[y]));
            }
        }
    }
}

/* ---- All ---- */

/* So that silence cannot be taken for proof. */
static void left_open(pf_finder *f)
{
    if (!f->open && !f->stopped) {
        return;
    }
    an_finding about = {
        .code = "S398", .severity = MT_NOTE, .kind = "Contract", .construct = f->m->id};
    pf_report(f, about, MT_STR(""),
              f->stopped ? "stopped after %zu questions, %zu of them open"
                         : "of %zu questions %zu are open: there the structure decides",
              f->asked, f->open);
}

bool an_prove_findings(an_prover *p, const ct_program *program, mt_str member,
                       an_watcher watcher, an_findings *fs)
{
    const ct_model *m = ct_program_model(program);
    pf_finder f = {.a = fs->arena,
                   .p = p,
                   .m = m,
                   .fs = fs,
                   .member = member,
                   .watcher = watcher,
                   .rule_dead = mt_new_array(fs->arena, bool, m->rule_count + 1),
                   .operation_dead =
                       mt_new_array(fs->arena, bool, m->operation_count + 1)};
    dead_rules(&f);
    dead_operations(&f);
    pf_flows(&f);
    rule_pairs(&f);
    operation_pairs(&f);
    outcome_pairs(&f);
    left_open(&f);
    an_findings_sort(fs);
    return !f.stopped;
}
