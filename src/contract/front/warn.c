/* contract/front/warn.c - what is allowed but probably not meant. */
#include "contract/front/validate.h"

static void warn_unused(ct_unit *u, ct_kind kind, ct_code code, const char *what)
{
    for (size_t i = 0; i < u->kinds[kind].len; i++) {
        const ct_construct *c = u->kinds[kind].items[i];
        if (!c->used && !c->broken && !c->file->is_library) {
            ct_report(u, code, ct_at(c, c->id_tok, CT_FIELD("id")),
                      "%s '%.*s' is never %s", ct_kind_name(kind), CT_ARG(u, c->id),
                      what);
        }
    }
}

static void warn_verdicts(ct_unit *u)
{
    for (size_t i = 0; i < u->kinds[CT_RULE].len; i++) {
        const ct_rule *r = (const ct_rule *)u->kinds[CT_RULE].items[i];
        if (!r->verdict_used && !r->head.broken && r->verdict.sym) {
            ct_report(u, CT_E_UNUSED_VERDICT,
                      ct_at(&r->head, r->verdict.tok, CT_FIELD("produce")),
                      "verdict '%.*s' is never read", CT_ARG(u, r->verdict.sym));
        }
    }
}

static void warn_error(ct_unit *u, ct_operation *o, ct_sym error)
{
    if (!ct_names_have(u, &o->errors, error)) {
        ct_report(u, CT_E_ERROR_CONTRACT,
                  ct_at(&o->head, o->has_errors ? o->errors_tok : o->head.id_tok,
                        CT_FIELD("error_contract")),
                  "operation '%.*s' can fail with '%.*s', which is not in its error "
                  "contract",
                  CT_ARG(u, o->head.id), CT_ARG(u, error));
    }
}

/* An outcome of several that no effect belongs to. */
static void warn_outcomes(ct_unit *u, const ct_operation *o)
{
    ct_new_stamp(u);
    for (size_t i = 0; i < o->effects.len; i++) {
        ct_mark_new(u, o->effects.items[i].outcome.sym, 0);
    }
    for (size_t i = 0; i < o->outcomes.len; i++) {
        ct_name outcome = o->outcomes.items[i];
        if (!ct_is_marked(u, outcome.sym)) {
            ct_report(u, CT_E_OUTCOME_UNREACHABLE,
                      ct_at(&o->head, outcome.tok, CT_FIELD("outcomes")),
                      "outcome '%.*s' has no effect", CT_ARG(u, outcome.sym));
        }
    }
}

static void warn_operations(ct_unit *u)
{
    for (size_t i = 0; i < u->kinds[CT_OPERATION].len; i++) {
        ct_operation *o = (ct_operation *)u->kinds[CT_OPERATION].items[i];
        if (o->head.broken) {
            continue;
        }
        warn_error(u, o, CT_W_precondition_failed);
        warn_error(u, o, CT_W_persona_rejected);
        if (o->outcomes.len > 1) {
            warn_outcomes(u, o);
        }
    }
}

/* ---- steps nothing leads to ---- */

static void reach(void *state, ct_step *from, ct_name to)
{
    ct_unit *u = state;
    (void)from;
    ct_mark_new(u, to.sym, 0);
}

static void warn_steps(ct_unit *u, const ct_construct *flow, const ct_steps *steps,
                       ct_sym entry)
{
    if (!steps->order) {
        return; /* a cycle was reported */
    }
    ct_new_stamp(u);
    ct_mark_new(u, entry, 0);
    /* In topological order every step is reached before it leads on. */
    for (size_t i = 0; i < steps->len; i++) {
        ct_step *s = steps->order[i];
        if (ct_is_marked(u, s->id.sym)) {
            ct_each_target(s, true, reach, u);
        } else {
            ct_report(u, CT_E_FLOW_UNREACHABLE,
                      ct_at(flow, s->id.tok, CT_FIELD("steps")),
                      "step '%.*s' is never reached", CT_ARG(u, s->id.sym));
        }
    }
    for (size_t i = 0; i < steps->len; i++) {
        const ct_step *s = steps->items[i];
        for (size_t b = 0; s->kind == CT_STEP_PARALLEL && b < s->branches.len; b++) {
            warn_steps(u, flow, &s->branches.items[b].steps,
                       s->branches.items[b].entry.sym);
        }
    }
}

static void warn_flows(ct_unit *u)
{
    for (size_t i = 0; i < u->kinds[CT_FLOW].len; i++) {
        const ct_flow *f = (const ct_flow *)u->kinds[CT_FLOW].items[i];
        if (!f->head.broken) {
            warn_steps(u, &f->head, &f->steps, f->entry.sym);
        }
    }
}

void ct_warn(ct_unit *u)
{
    warn_unused(u, CT_PERSONA, CT_E_UNUSED_PERSONA, "used");
    warn_unused(u, CT_SOURCE, CT_E_UNUSED_SOURCE, "used");
    warn_unused(u, CT_TYPEDECL, CT_E_UNUSED_TYPE, "used");
    warn_unused(u, CT_FACT, CT_E_UNUSED_FACT, "read");
    warn_unused(u, CT_ENTITY, CT_E_UNUSED_ENTITY, "changed by an operation");
    warn_verdicts(u);
    warn_operations(u);
    warn_flows(u);
}
