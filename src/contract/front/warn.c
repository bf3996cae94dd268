/* contract/front/warn.c - what is allowed but probably not meant.
 * Room: contract/front. Runs after all passes, which set `used` and `verdict_used`,
 * and not at all where a file is missing or could not be parsed: what it would have
 * used is not known. Constructs with errors (`broken`) are passed over, for what
 * follows from them was told already. Everything has the level of its row in
 * codes.h; a contract is refused only by a warning that its author denies. Nothing
 * can fail. */
#include <stdlib.h>

#include "contract/front/validate.h"

/* A library, a file of type declarations only, is written for others to use; unused
 * types in it are normal. `what` ends the sentence: "never used", "never read". */
static void warn_unused(fr_unit *u, fr_kind kind, fr_code code, const char *what)
{
    for (size_t i = 0; i < u->kinds[kind].len; i++) {
        const fr_construct *c = u->kinds[kind].items[i];
        if (!c->used && !c->broken && !c->file->is_library) {
            fr_report(u, code, fr_at(c, c->id_tok, FR_FIELD("id")),
                      "%s '%.*s' is never %s", fr_kind_name(kind), FR_ARG(u, c->id),
                      what);
        }
    }
}

/* Where nothing acts on verdicts, all of them are for readers outside. */
static void warn_verdicts(fr_unit *u)
{
    bool acts = u->kinds[FR_OPERATION].len || u->kinds[FR_FLOW].len;
    for (size_t i = 0; i < u->kinds[FR_RULE].len; i++) {
        const fr_rule *r = (const fr_rule *)u->kinds[FR_RULE].items[i];
        if (!r->verdict_used && !r->head.broken && r->verdict.sym) {
            fr_place at = fr_at(&r->head, r->verdict.tok, FR_FIELD("produce"));
            at.quiet = !acts;
            fr_report(u, FR_E_UNUSED_VERDICT, at, "verdict '%.*s' is never read",
                      FR_ARG(u, r->verdict.sym));
        }
    }
}

/* The two errors every operation can have (§9.2). */
static void warn_error(fr_unit *u, fr_operation *o, fr_sym error)
{
    if (!fr_names_have(u, &o->errors, error)) {
        fr_report(u, FR_E_ERROR_CONTRACT,
                  fr_at(&o->head, o->has_errors ? o->errors_tok : o->head.id_tok,
                        FR_FIELD("error_contract")),
                  "operation '%.*s' can fail with '%.*s', which is not in its error "
                  "contract",
                  FR_ARG(u, o->head.id), FR_ARG(u, error));
    }
}

/* An outcome of several that no effect belongs to. */
static void warn_outcomes(fr_unit *u, const fr_operation *o)
{
    fr_new_stamp(u);
    for (size_t i = 0; i < o->effects.len; i++) {
        fr_mark_new(u, o->effects.items[i].outcome.sym, 0);
    }
    for (size_t i = 0; i < o->outcomes.len; i++) {
        fr_name outcome = o->outcomes.items[i];
        if (!fr_is_marked(u, outcome.sym)) {
            fr_report(u, FR_E_OUTCOME_UNREACHABLE,
                      fr_at(&o->head, outcome.tok, FR_FIELD("outcomes")),
                      "outcome '%.*s' has no effect", FR_ARG(u, outcome.sym));
        }
    }
}

/* Only a literal `true`: what else always holds takes a proof (motet check --prove). */
static bool always_holds(const fr_expr *e)
{
    return e->kind == FR_X_BOOL && e->op;
}

static int compare_sources(const void *a, const void *b)
{
    const fr_effect *x = *(const fr_effect *const *)a,
                    *y = *(const fr_effect *const *)b;
    fr_sym left[] = {x->entity.sym, x->from.sym, x->outcome.sym};
    fr_sym right[] = {y->entity.sym, y->from.sym, y->outcome.sym};
    for (size_t i = 0; i < 3; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return x->tok < y->tok ? -1 : x->tok > y->tok;
}

/* With fewer than two outcomes labels do not matter: there is only one way to end. */
static bool contradict(const fr_operation *o, const fr_effect *a, const fr_effect *b)
{
    bool one_outcome = o->outcomes.len < 2 || a->outcome.sym == b->outcome.sym;
    return a->entity.sym == b->entity.sym && a->from.sym == b->from.sym &&
           one_outcome && a->to.sym != b->to.sym;
}

/* What flow/plan.c refuses (E901): an entity that would have to be in two states. */
static void warn_contradictions(fr_unit *u, const fr_operation *o)
{
    size_t count = o->effects.len;
    mt_mark mark = mt_arena_mark(u->keep);
    const fr_effect **sorted = mt_new_array(u->keep, const fr_effect *, count);
    const fr_effect *first = NULL, *second = NULL;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &o->effects.items[i];
    }
    /* Sorted, so that effects of one source are neighbours; comparing all pairs
     * would be slow for operations with thousands of effects. */
    qsort(sorted, count, sizeof *sorted, compare_sources);
    for (size_t i = 1; i < count && !first; i++) {
        if (contradict(o, sorted[i - 1], sorted[i])) {
            first = sorted[i - 1];
            second = sorted[i];
        }
    }
    mt_arena_rewind(u->keep, mark);
    if (first) {
        /* Blamed where it stands second, for who reads from the top has accepted the
         * first. */
        const fr_effect *later = first->tok > second->tok ? first : second;
        fr_report(u, FR_E_EFFECT_CONTRADICTS,
                  fr_at(&o->head, later->tok, FR_FIELD("effects")),
                  "effects contradict: entity '%.*s' leaves state '%.*s' both for "
                  "'%.*s' and for '%.*s' with the same outcome",
                  FR_ARG(u, first->entity.sym), FR_ARG(u, first->from.sym),
                  FR_ARG(u, first->to.sym), FR_ARG(u, second->to.sym));
    }
}

static void warn_operations(fr_unit *u)
{
    for (size_t i = 0; i < u->kinds[FR_OPERATION].len; i++) {
        fr_operation *o = (fr_operation *)u->kinds[FR_OPERATION].items[i];
        if (o->head.broken) {
            continue;
        }
        if (!always_holds(o->precondition)) {
            warn_error(u, o, FR_W_precondition_failed);
        }
        warn_error(u, o, FR_W_persona_rejected);
        if (o->outcomes.len > 1) {
            warn_outcomes(u, o);
        }
        if (o->effects.len > 1) {
            warn_contradictions(u, o);
        }
    }
}

/* ---- steps nothing leads to ---- */

/* Steps that are reached are marked by their names, which are unique in their scope. */
static void reach(void *state, fr_step *from, fr_name to)
{
    fr_unit *u = state;
    (void)from;
    fr_mark_new(u, to.sym, 0);
}

/* Branches come last because they take new marks. */
static void warn_steps(fr_unit *u, const fr_construct *flow, const fr_steps *steps,
                       fr_sym entry)
{
    if (!steps->order) {
        return; /* a cycle was reported */
    }
    fr_new_stamp(u);
    fr_mark_new(u, entry, 0);
    /* In topological order every step is reached before it leads on. */
    for (size_t i = 0; i < steps->len; i++) {
        fr_step *s = steps->order[i];
        if (fr_is_marked(u, s->id.sym)) {
            fr_each_target(s, true, reach, u);
        } else {
            fr_report(u, FR_E_FLOW_UNREACHABLE,
                      fr_at(flow, s->id.tok, FR_FIELD("steps")),
                      "step '%.*s' is never reached", FR_ARG(u, s->id.sym));
        }
    }
    for (size_t i = 0; i < steps->len; i++) {
        const fr_step *s = steps->items[i];
        if (fr_does(s) == LN_FORKS && s->all_complete.name.sym) {
            fr_report(u, FR_E_FLOW_JOIN_DEAD,
                      fr_at(flow, s->all_complete.name.tok, FR_FIELD("steps")),
                      "on_all_complete of step '%.*s' is never taken: on_any_failure "
                      "decides first",
                      FR_ARG(u, s->id.sym));
        }
        for (size_t b = 0; fr_does(s) == LN_FORKS && b < s->branches.len; b++) {
            warn_steps(u, flow, &s->branches.items[b].steps,
                       s->branches.items[b].entry.sym);
        }
    }
}

static void warn_flows(fr_unit *u)
{
    for (size_t i = 0; i < u->kinds[FR_FLOW].len; i++) {
        const fr_flow *f = (const fr_flow *)u->kinds[FR_FLOW].items[i];
        if (!f->head.broken) {
            warn_steps(u, &f->head, &f->steps, f->entry.sym);
        }
    }
}

/* ORDER of remarks: unused names by kind, then verdicts, operations and flows. */
void fr_warn(fr_unit *u)
{
    warn_unused(u, FR_PERSONA, FR_E_UNUSED_PERSONA, "used");
    warn_unused(u, FR_SOURCE, FR_E_UNUSED_SOURCE, "used");
    warn_unused(u, FR_TYPEDECL, FR_E_UNUSED_TYPE, "used");
    warn_unused(u, FR_FACT, FR_E_UNUSED_FACT, "read");
    warn_unused(u, FR_ENTITY, FR_E_UNUSED_ENTITY, "changed by an operation");
    warn_verdicts(u);
    warn_operations(u);
    warn_flows(u);
}
