/* contract/front/warn.c - what is allowed but probably not meant. */
#include "contract/front/validate.h"

/* A library is written for others to use; unused types in it are normal. */
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

static void warn_verdicts(fr_unit *u)
{
    for (size_t i = 0; i < u->kinds[FR_RULE].len; i++) {
        const fr_rule *r = (const fr_rule *)u->kinds[FR_RULE].items[i];
        if (!r->verdict_used && !r->head.broken && r->verdict.sym) {
            fr_report(u, FR_E_UNUSED_VERDICT,
                      fr_at(&r->head, r->verdict.tok, FR_FIELD("produce")),
                      "verdict '%.*s' is never read", FR_ARG(u, r->verdict.sym));
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

static void warn_operations(fr_unit *u)
{
    for (size_t i = 0; i < u->kinds[FR_OPERATION].len; i++) {
        fr_operation *o = (fr_operation *)u->kinds[FR_OPERATION].items[i];
        if (o->head.broken) {
            continue;
        }
        warn_error(u, o, FR_W_precondition_failed);
        warn_error(u, o, FR_W_persona_rejected);
        if (o->outcomes.len > 1) {
            warn_outcomes(u, o);
        }
    }
}

/* ---- steps nothing leads to ---- */

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
