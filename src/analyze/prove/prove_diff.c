/* analyze/prove/prove_diff.c - resolving what the taxonomy leaves to analysis.
 *
 * §18.2 leaves some changes open ("depends on the strength of the predicates"). Each
 * such part of a diff has a row in ROWS, and its function proves it safe, proves it
 * breaking with an example, or leaves it open with the reason. What is not proven
 * keeps its class: it requires analysis.
 *
 * A changed predicate is compared on all fact sets, and once more on snapshots frozen
 * under the old contract (carried()), because flows under way meet the new predicate
 * with old verdicts. A changed rule or default is followed to everything that reads
 * it: preconditions and branches. A new step is safe if no old step leads to it.
 *
 * INVARIANT: "safe" needs every question of the part answered; the first that is open
 * decides that the part is. The sentences left in the part are shown to the author. */
#include "analyze/prove/prove_diff.h"

#include "analyze/prove/prove_errors.h"
#include "analyze/prove/prove_internal.h"
#include "base/vec.h"

/* One diff. `p` is over both contracts, so that
 * a fact of one name is one value in both. */
typedef struct resolver {
    mt_arena *a;
    const ct_model *models[2]; /* old, new */
    const ct_program *now;
    an_prover *p;
    an_prover *alone; /* over the new one; NULL until it is needed */
    const mt_limits *limits;
    an_diff_part *part;
    mt_str reason; /* of the first question left open */
} resolver;

/* ---- Verdicts on a part ---- */

static void resolve(resolver *r, an_resolution how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void resolve(resolver *r, an_resolution how, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    r->part->resolution = how;
    r->part->proof = mt_strfv(r->a, format, args);
    va_end(args);
}

/* Keeps the reason of the first question that stays open, for the part. */
static an_answer ask(resolver *r, const an_claim *c)
{
    an_answer found = an_prove_possible(r->p, r->a, c);
    if (found.possible == AN_UNKNOWN && !r->reason.len) {
        r->reason = found.reason;
    }
    return found;
}

static const an_claim *holds(resolver *r, an_side side, const ct_expr *e)
{
    return an_claim_holds(r->a, side, e);
}

/* x where y is not; y may also have no value there. */
static const an_claim *but_not(resolver *r, const an_claim *x, const an_claim *y)
{
    return an_claim_and(r->a, x, an_claim_not(r->a, y));
}

/* The predicate has a value, and it is false: one that ends in an error has none. */
static const an_claim *fails(resolver *r, an_side side, const ct_expr *e)
{
    ct_expr *negated = mt_new(r->a, ct_expr);
    *negated = (ct_expr){.op = CT_NOT, .type = &CT_TYPE_BOOL, .left = e};
    return holds(r, side, negated);
}

/* ---- Predicates on a frozen snapshot ---- */

static const ct_expr *carried(resolver *r, const ct_expr *e, bool *ok);

/* Can the old value stand where one of the new type is read? Parts of compound values
 * are read by their place, so those must be the same to the letter. */
static bool stands_for(resolver *r, const ct_type *old, const ct_type *now)
{
    return ct_held(old) < LN_RECORD
               ? ct_type_comparable(old, now)
               : mt_str_eq(ct_type_spell(r->a, old), ct_type_spell(r->a, now));
}

/* A verdict the old contract did not have is absent from its snapshots. */
static const ct_expr *carried_verdict(resolver *r, const ct_expr *e, bool *ok)
{
    mt_str type = r->models[1]->rules[e->index].verdict;
    ct_expr *copy = mt_new(r->a, ct_expr);
    *copy = *e;
    copy->index = ct_model_find(r->models[0], CT_KIND_VERDICT, type);
    if (copy->index == CT_NONE && e->op == CT_PRESENT) {
        ct_value *no = mt_new(r->a, ct_value);
        *copy = (ct_expr){.op = CT_LITERAL, .type = &CT_TYPE_BOOL, .value = no};
    } else if (e->op == CT_PAYLOAD) {
        *ok = copy->index != CT_NONE &&
              stands_for(r, r->models[0]->rules[copy->index].payload_type, e->type);
        copy->type = *ok ? r->models[0]->rules[copy->index].payload_type : e->type;
    }
    return copy;
}

/* The new contract's predicate over the facts and verdicts of the old one. */
static const ct_expr *carried(resolver *r, const ct_expr *e, bool *ok)
{
    if (!e || !*ok) {
        return e;
    }
    if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        return carried_verdict(r, e, ok);
    }
    ct_expr *copy = mt_new(r->a, ct_expr);
    *copy = *e;
    if (e->op == CT_FACT) {
        mt_str id = r->models[1]->facts[e->index].id;
        copy->index = ct_model_find(r->models[0], CT_KIND_FACT, id);
        *ok = copy->index != CT_NONE &&
              stands_for(r, r->models[0]->facts[copy->index].type, e->type);
        copy->type = *ok ? r->models[0]->facts[copy->index].type : e->type;
    }
    copy->left = carried(r, e->left, ok);
    copy->right = carried(r, e->right, ok);
    return copy;
}

/* ---- Preconditions ---- */

static const ct_operation *operation(const resolver *r, int side, mt_str id)
{
    uint32_t i = ct_model_find(r->models[side], CT_KIND_OPERATION, id);
    return i == CT_NONE ? NULL : &r->models[side]->operations[i];
}

/* Is something refused that was allowed, for a flow begun under the old contract? */
static an_answer lost_in_flight(resolver *r, const ct_expr *old, const ct_expr *now)
{
    bool ok = true;
    const ct_expr *frozen = carried(r, now, &ok);
    if (!ok) {
        return (an_answer){.possible = AN_UNKNOWN,
                           .reason = MT_STR("it reads what a snapshot of the old "
                                            "contract does not have")};
    }
    return ask(r, but_not(r, holds(r, AN_FIRST, old), holds(r, AN_FIRST, frozen)));
}

/* Three questions: refused where it was allowed? On a frozen snapshot? And, only for
 * the words, allowed where it was refused? */
static void resolve_precondition(resolver *r, mt_str id)
{
    const ct_operation *old = operation(r, 0, id), *now = operation(r, 1, id);
    if (!old || !now) {
        return;
    }
    an_comparison c =
        an_prove_compare(r->p, r->a, old->precondition, now->precondition);
    const char *how = AN_RELATION_NAMES[c.relation];
    r->reason = c.lost.reason;
    /* ORDER: what is lost decides; what is gained only says how it is called. */
    if (c.lost.possible == AN_POSSIBLE) {
        resolve(r, AN_PROVEN_BREAKING, "%s: refused where it was allowed, for %.*s",
                c.relation == AN_REL_UNKNOWN ? "not weaker" : how,
                MT_ARG(c.lost.facts));
        return;
    }
    if (c.lost.possible != AN_NEVER) {
        return;
    }
    an_answer frozen = lost_in_flight(r, old->precondition, now->precondition);
    if (frozen.possible == AN_POSSIBLE) {
        resolve(r, AN_PROVEN_BREAKING,
                "%s for new flows, but a flow under way is refused on its frozen "
                "snapshot, for %.*s",
                how, MT_ARG(frozen.facts));
    } else if (frozen.possible == AN_UNKNOWN) {
        r->reason = frozen.reason;
    } else if (c.gained.possible == AN_POSSIBLE) {
        resolve(r, AN_PROVEN_SAFE, "weaker: holds wherever it did, and also for %.*s",
                MT_ARG(c.gained.facts));
    } else {
        resolve(r, AN_PROVEN_SAFE, "%s: holds wherever it did",
                c.gained.possible == AN_NEVER ? "equal" : "not stronger");
    }
}

/* ---- Consumers of a changed rule or default ---- */

/* Does the expression read the fact, or a verdict of one of these rules? */
static bool depends(const bool *rules, const ct_expr *e, uint32_t fact)
{
    if (!e) {
        return false;
    }
    if (e->op == CT_PRESENT || e->op == CT_PAYLOAD) {
        return rules[e->index];
    }
    return (e->op == CT_FACT && e->index == fact) || depends(rules, e->left, fact) ||
           depends(rules, e->right, fact);
}

/* Which rules depend on the rule or fact; CT_NONE: not on that.
 * Rules are in order of strata and read lower ones only, so one pass is enough. */
static bool *dependents(resolver *r, int side, uint32_t rule, uint32_t fact)
{
    const ct_model *m = r->models[side];
    bool *rules = mt_new_array(r->a, bool, m->rule_count + 1);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        rules[i] = i == rule || depends(rules, m->rules[i].when, fact) ||
                   depends(rules, m->rules[i].payload, fact);
    }
    return rules;
}

/* What has changed, as seen from each contract: the
 * rules that depend on it, and the fact itself. */
typedef struct cause {
    const bool *rules[2]; /* that depend on it, by side */
    uint32_t fact[2];
} cause;

static bool touched(const cause *c, int side, const ct_expr *e)
{
    return depends(c->rules[side], e, c->fact[side]);
}

typedef enum effect { HARMLESS, HARMFUL, OPEN } effect;

/* Sentences about what goes wrong are left in the part. */
static effect operation_effect(resolver *r, const cause *c, const ct_operation *now)
{
    const ct_operation *old = operation(r, 0, now->id);
    if (!old ||
        (!touched(c, 0, old->precondition) && !touched(c, 1, now->precondition))) {
        return HARMLESS;
    }
    an_answer lost = ask(r, but_not(r, holds(r, AN_FIRST, old->precondition),
                                    holds(r, AN_SECOND, now->precondition)));
    if (lost.possible == AN_POSSIBLE) {
        resolve(r, AN_PROVEN_BREAKING,
                "operation '%.*s' is refused where it was allowed, "
                "for %.*s",
                MT_ARG(now->id), MT_ARG(lost.facts));
        return HARMFUL;
    }
    return lost.possible == AN_NEVER ? HARMLESS : OPEN;
}

/* Either way counts: a branch that turns has led flows that are under way elsewhere. */
static effect branch_effect(resolver *r, const cause *c, mt_str flow,
                            const ct_step *old, const ct_step *now)
{
    const ct_expr *was = r->models[0]->conditions[old->what];
    const ct_expr *is = r->models[1]->conditions[now->what];
    if (!touched(c, 0, was) && !touched(c, 1, is)) {
        return HARMLESS;
    }
    /* Where the old contract ended in an error no flow went any way. */
    an_answer turned = ask(
        r,
        an_claim_or(r->a, but_not(r, holds(r, AN_FIRST, was), holds(r, AN_SECOND, is)),
                    but_not(r, fails(r, AN_FIRST, was), fails(r, AN_SECOND, is))));
    if (turned.possible == AN_POSSIBLE) {
        resolve(r, AN_PROVEN_BREAKING,
                "branch '%.*s' of flow '%.*s' goes another way, for %.*s",
                MT_ARG(now->id), MT_ARG(flow), MT_ARG(turned.facts));
        return HARMFUL;
    }
    return turned.possible == AN_NEVER ? HARMLESS : OPEN;
}

/* ORDER of gravity: harmless, open, harmful. One
 * proven harm decides, whatever else is open. */
static effect worse(effect x, effect y)
{
    return x == HARMFUL || y == HARMFUL ? HARMFUL
           : x == OPEN || y == OPEN     ? OPEN
                                        : HARMLESS;
}

static effect steps_effect(resolver *r, const cause *c, mt_str flow,
                           const ct_steps *old, const ct_steps *now);

static effect parallel_effect(resolver *r, const cause *c, mt_str flow,
                              const ct_step *old, const ct_step *now)
{
    effect all = HARMLESS;
    for (uint32_t i = 0; i < now->branch_count && all != HARMFUL; i++) {
        const ct_branch *n = &now->branches[i];
        for (uint32_t j = 0; j < old->branch_count; j++) {
            const ct_branch *o = &old->branches[j];
            if (mt_str_eq(o->id, n->id)) {
                all = worse(all, steps_effect(r, c, flow, &o->steps, &n->steps));
            }
        }
    }
    return all;
}

/* Nesting of parallel steps is bounded by the loader. */
static effect steps_effect(resolver *r, const cause *c, mt_str flow,
                           const ct_steps *old, const ct_steps *now)
{
    effect all = HARMLESS;
    for (uint32_t i = 0; i < now->count && all != HARMFUL; i++) {
        const ct_step *n = &now->items[i];
        uint32_t at = ct_step_find(old, n->id);
        const ct_step *o = at == CT_NONE ? NULL : &old->items[at];
        if (!o || o->kind != n->kind) {
            continue;
        }
        if (n->does == LN_DECIDES) {
            all = worse(all, branch_effect(r, c, flow, o, n));
        } else if (n->does == LN_FORKS) {
            all = worse(all, parallel_effect(r, c, flow, o, n));
        }
    }
    return all;
}

/* Something faults that did not: then no verdict is there at all. */
static effect fault_effect(resolver *r)
{
    an_answer new_fault =
        ask(r, but_not(r, holds(r, AN_FIRST, NULL), holds(r, AN_SECOND, NULL)));
    if (new_fault.possible == AN_POSSIBLE) {
        resolve(r, AN_PROVEN_BREAKING, "evaluation ends in an error, for %.*s",
                MT_ARG(new_fault.facts));
        return HARMFUL;
    }
    return new_fault.possible == AN_NEVER ? HARMLESS : OPEN;
}

/* Everything that reads what has changed. What is new in the new contract cannot be
 * broken, so only what both have is compared. */
static effect effect_of(resolver *r, const cause *c)
{
    const ct_model *m = r->models[1];
    effect all = fault_effect(r);
    for (uint32_t i = 0; i < m->operation_count && all != HARMFUL; i++) {
        all = worse(all, operation_effect(r, c, &m->operations[i]));
    }
    for (uint32_t i = 0; i < m->flow_count && all != HARMFUL; i++) {
        const ct_flow *f = &m->flows[i];
        uint32_t old = ct_model_find(r->models[0], CT_KIND_FLOW, f->id);
        if (old != CT_NONE) {
            all = worse(all, steps_effect(r, c, f->id, &r->models[0]->flows[old].steps,
                                          &f->steps));
        }
    }
    return all;
}

/* ---- Rules ---- */

/* Where the verdict differs does not decide by itself: a
 * stronger rule is safe if nobody who reads it decides
 * otherwise. `how` and `facts` are only for the sentence. */
static void resolve_condition(resolver *r, mt_str id)
{
    uint32_t old = ct_model_find(r->models[0], CT_KIND_RULE, id);
    uint32_t now = ct_model_find(r->models[1], CT_KIND_RULE, id);
    if (old == CT_NONE || now == CT_NONE) {
        return;
    }
    const an_claim *was = an_claim_verdict(r->a, AN_FIRST, old);
    const an_claim *is = an_claim_verdict(r->a, AN_SECOND, now);
    an_answer gained = ask(r, but_not(r, is, was)), lost = ask(r, but_not(r, was, is));
    bool equal = gained.possible == AN_NEVER && lost.possible == AN_NEVER;
    cause c = {{dependents(r, 0, old, CT_NONE), dependents(r, 1, now, CT_NONE)},
               {CT_NONE, CT_NONE}};
    bool known = gained.possible != AN_UNKNOWN && lost.possible != AN_UNKNOWN;
    const char *how = !known                        ? "changed"
                      : equal                       ? "equal"
                      : gained.possible == AN_NEVER ? "stronger"
                      : lost.possible == AN_NEVER   ? "weaker"
                                                    : "neither";
    mt_str facts = gained.facts.len ? gained.facts : lost.facts;
    effect all = effect_of(r, &c);
    if (all == HARMFUL) {
        resolve(r, AN_PROVEN_BREAKING, "%s: %.*s", how, MT_ARG(r->part->proof));
    } else if (all == HARMLESS && equal) {
        resolve(r, AN_PROVEN_SAFE,
                "equal: the verdict is present for the same fact sets");
    } else if (all == HARMLESS) {
        resolve(r, AN_PROVEN_SAFE,
                "%s%s%.*s: no operation is refused that was allowed, every branch goes "
                "its way",
                how, facts.len ? ", as for " : "", MT_ARG(facts));
    }
}

/* The verdict may have been produced by another
 * rule before (`before`), whose readers count, too. */
static void resolve_new_rule(resolver *r, mt_str id)
{
    uint32_t now = ct_model_find(r->models[1], CT_KIND_RULE, id);
    if (now == CT_NONE) {
        return;
    }
    mt_str verdict = r->models[1]->rules[now].verdict;
    uint32_t before = ct_model_find(r->models[0], CT_KIND_VERDICT, verdict);
    cause c = {{dependents(r, 0, before, CT_NONE), dependents(r, 1, now, CT_NONE)},
               {CT_NONE, CT_NONE}};
    if (effect_of(r, &c) == HARMLESS) {
        resolve(
            r, AN_PROVEN_SAFE,
            "whoever reads verdict '%.*s' decides as before, and the rule never ends "
            "in an error",
            MT_ARG(verdict));
    }
}

/* ---- Defaults ---- */

static void resolve_default(resolver *r, mt_str id)
{
    cause c;
    for (int i = 0; i < 2; i++) {
        c.fact[i] = ct_model_find(r->models[i], CT_KIND_FACT, id);
        if (c.fact[i] == CT_NONE || !r->models[i]->facts[c.fact[i]].otherwise) {
            return;
        }
        c.rules[i] = dependents(r, i, CT_NONE, c.fact[i]);
    }
    /* The default counts where the fact is not given, so the question is asked
     * without it. */
    pv_leave_out(r->p, id, true);
    if (effect_of(r, &c) == HARMLESS) {
        resolve(r, AN_PROVEN_SAFE,
                "where the default is used no operation is refused that "
                "was allowed, every branch goes its way");
    }
    pv_leave_out(r->p, id, false);
}

/* ---- Steps ---- */

static bool target_is(const ct_target *t, uint32_t step)
{
    return t->step == step;
}

static bool handler_is(const ct_handler *h, uint32_t step)
{
    return h->kind == CT_ESCALATE && h->next == step;
}

/* Does the step lead to `to` whatever the facts are? Branches are looked at apart. */
static bool leads(const ct_step *s, uint32_t to)
{
    bool any = handler_is(&s->on_failure, to);
    for (uint32_t i = 0; i < s->target_count && s->does != LN_DECIDES; i++) {
        any |= target_is(&s->targets[i], to);
    }
    return any;
}

static an_answer branch_leads(resolver *r, const ct_step *s, uint32_t to)
{
    const ct_expr *e = r->models[1]->conditions[s->what];
    an_answer found = {.possible = AN_NEVER};
    if (target_is(&s->targets[0], to)) {
        found = ask(r, holds(r, AN_SECOND, e));
    }
    if (target_is(&s->targets[1], to) && found.possible == AN_NEVER) {
        found = ask(r, fails(r, AN_SECOND, e));
    }
    return found;
}

/* Steps that were there before must not lead to the new one. */
static effect entrance_effect(resolver *r, const ct_steps *old, const ct_steps *now,
                              uint32_t added)
{
    effect all = HARMLESS;
    mt_str id = now->items[added].id;
    for (uint32_t i = 0; i < now->count; i++) {
        const ct_step *s = &now->items[i];
        if (ct_step_find(old, s->id) == CT_NONE) {
            continue;
        }
        if (leads(s, added)) {
            resolve(r, AN_PROVEN_BREAKING,
                    "step '%.*s', which was there before, leads to "
                    "'%.*s'",
                    MT_ARG(s->id), MT_ARG(id));
            return HARMFUL;
        }
        an_answer found = s->does == LN_DECIDES ? branch_leads(r, s, added)
                                                : (an_answer){.possible = AN_NEVER};
        if (found.possible == AN_POSSIBLE) {
            resolve(r, AN_PROVEN_BREAKING,
                    "branch '%.*s', which was there before, leads to "
                    "'%.*s', for %.*s",
                    MT_ARG(s->id), MT_ARG(id), MT_ARG(found.facts));
            return HARMFUL;
        }
        all = found.possible == AN_UNKNOWN ? OPEN : all;
    }
    return all;
}

/* A flow that is under way stands at a step that was there before. If none of those
 * leads to the new one, it never gets there. */
static void resolve_steps(resolver *r, mt_str id)
{
    uint32_t old = ct_model_find(r->models[0], CT_KIND_FLOW, id);
    uint32_t now = ct_model_find(r->models[1], CT_KIND_FLOW, id);
    if (old == CT_NONE || now == CT_NONE) {
        return;
    }
    const ct_steps *before = &r->models[0]->flows[old].steps;
    const ct_steps *after = &r->models[1]->flows[now].steps;
    effect all = HARMLESS;
    for (uint32_t i = 0; i < r->part->name_count && all != HARMFUL; i++) {
        uint32_t at = ct_step_find(after, r->part->names[i]);
        bool entry = at == after->entry;
        /* A name that is not a step of this list is inside a parallel branch. */
        all = worse(
            all, at == CT_NONE || entry ? OPEN : entrance_effect(r, before, after, at));
    }
    if (all == HARMLESS) {
        resolve(r, AN_PROVEN_SAFE, "no step that was there before leads to it");
    }
}

/* ---- Errors ---- */

/* What the new contract does with facts that the old one refuses counts, too. */
static an_prover *prover_alone(resolver *r)
{
    if (!r->alone) {
        r->alone = an_prover_new(r->now, NULL, r->limits);
    }
    return r->alone;
}

/* No handler names an error, so only one that still occurs is missed. */
static void resolve_errors(resolver *r, mt_str id)
{
    uint32_t now = ct_model_find(r->models[1], CT_KIND_OPERATION, id);
    mt_buf why = {0};
    bool open = now == CT_NONE;
    for (uint32_t i = 0; now != CT_NONE && i < r->part->name_count; i++) {
        mt_str error = r->part->names[i];
        an_error_fate f = an_prove_error(r->a, prover_alone(r), r->now, now, error);
        if (f.possible == AN_POSSIBLE) {
            resolve(r, AN_PROVEN_BREAKING, "%.*s still occurs, undeclared, %.*s",
                    MT_ARG(error), MT_ARG(f.why));
            break;
        }
        open |= f.possible == AN_UNKNOWN;
        if (f.possible == AN_UNKNOWN && !r->reason.len) {
            r->reason = mt_strf(r->a, "%.*s: %.*s", MT_ARG(error), MT_ARG(f.why));
        }
        mt_buf_addf(&why, "%s%.*s (%.*s)", i ? ", " : "", MT_ARG(error), MT_ARG(f.why));
    }
    if (!open && !r->part->resolution) {
        resolve(r, AN_PROVEN_SAFE,
                "no handler names an error, and what was removed never occurs: %.*s",
                MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
}

/* ---- The whole ---- */

/* To resolve another open change of §18.2, add a row and its function. */
static const struct row {
    const char *kind, *field, *change; /* change NULL: any */
    void (*run)(resolver *r, mt_str id);
} ROWS[] = {
    {"Operation", "precondition", NULL, resolve_precondition},
    {"Rule", "body.when", NULL, resolve_condition},
    {"Rule", "id", "add", resolve_new_rule},
    {"Fact", "default", "change", resolve_default},
    {"Flow", "steps", "add", resolve_steps},
    {"Operation", "error_contract", "remove", resolve_errors},
};

static void resolve_part(resolver *r, const an_diff_entry *e, const an_diff_field *f,
                         an_diff_part *part)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct row *row = &ROWS[i];
        if (!mt_str_eq(e->kind, mt_str_z(row->kind)) ||
            !mt_str_eq(f->field, mt_str_z(row->field)) ||
            (row->change && strcmp(part->taxon->change, row->change) != 0)) {
            continue;
        }
        r->part = part;
        r->reason = MT_STR("");
        row->run(r, e->id);
        if (!part->resolution && r->reason.len) {
            part->proof = mt_str_dup(r->a, r->reason);
        }
        return;
    }
}

/* Only parts that require analysis are touched, and their class stays; whether a policy
 * is required is decided anew at the end. */
void an_prove_diff(mt_arena *a, const ct_program *old, const ct_program *now,
                   const mt_limits *limits, an_diff *d)
{
    resolver r = {.a = a,
                  .models = {ct_program_model(old), ct_program_model(now)},
                  .now = now,
                  .limits = limits,
                  .p = an_prover_new(old, now, limits)};
    for (uint32_t i = 0; i < d->entry_count; i++) {
        const an_diff_entry *e = &d->entries[i];
        for (uint32_t j = 0; j < e->field_count; j++) {
            for (uint32_t k = 0; k < e->fields[j].part_count; k++) {
                an_diff_part *part = &e->fields[j].parts[k];
                if (part->taxon->class == AN_REQUIRES_ANALYSIS) {
                    resolve_part(&r, e, &e->fields[j], part);
                }
            }
        }
    }
    an_prover_free(r.alone);
    an_prover_free(r.p);
    an_diff_decide(d);
}
