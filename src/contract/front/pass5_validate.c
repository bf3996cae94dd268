/* contract/front/pass5_validate.c - the order of pass 5, and the checks of personas,
 * verdicts and rules. Entities, operations, flows, sources, systems and whatever is
 * checked across flows have files of their own (pass5_*.c). A construct that did not
 * parse is passed over: what is missing in it would be reported twice. Nothing fails
 * but by reporting. */
#include "contract/front/suggest.h"
#include "contract/front/validate.h"

/* S8. Every rule after the first one is reported, at its own `produce`. */
void fr_validate_verdicts(fr_unit *u)
{
    for (size_t i = 0; i < u->kinds[FR_RULE].len; i++) {
        const fr_rule *r = (const fr_rule *)u->kinds[FR_RULE].items[i];
        const fr_rule *first = fr_find_verdict(u, r->verdict.sym);
        if (!r->verdict.sym || !first || first == r) {
            continue;
        }
        fr_place at = fr_at(&r->head, r->produce_tok, FR_FIELD("produce"));
        fr_report(u, FR_E_VERDICT_TWICE, fr_exactly(at, r->verdict.tok, r->verdict.tok),
                  "VerdictType '%.*s' is already produced by rule '%.*s'. Each "
                  "VerdictType may be produced by at most one rule (S8).",
                  FR_ARG(u, r->verdict.sym), FR_ARG(u, first->head.id));
    }
}

/* §7.3. A name is only called unknown when every file was read. */
static void check_verdict_ref(fr_unit *u, const fr_rule *r, const fr_expr *e)
{
    const fr_rule *producer = fr_find_verdict(u, e->sym);
    fr_name name = fr_verdict_name(r->head.file, e);
    fr_place at = fr_at(&r->head, e->tok, FR_FIELD("body.when"));
    at = fr_exactly(at, name.tok, name.tok);
    if (!producer) {
        if (!u->incomplete) {
            fr_report(u, FR_E_RULE_VERDICT, fr_meant_verdict(u, at, name),
                      "unresolved VerdictType reference: '%.*s' is not produced by any "
                      "rule in this contract",
                      FR_ARG(u, e->sym));
        }
    } else if (producer->stratum >= r->stratum) {
        fr_report(u, FR_E_RULE_STRATUM, at,
                  "stratum violation: rule '%.*s' at stratum %lld references verdict "
                  "'%.*s' produced by rule '%.*s' at stratum %lld; verdict_refs must "
                  "reference strata strictly less than the referencing rule's stratum",
                  FR_ARG(u, r->head.id), (long long)r->stratum, FR_ARG(u, e->sym),
                  FR_ARG(u, producer->head.id), (long long)producer->stratum);
    }
}

/* Verdicts in quantifiers are pass 4's, as the suite does not look there. */
static void check_verdict_refs(fr_unit *u, const fr_rule *r, const fr_expr *e)
{
    if (e->kind == FR_X_AND || e->kind == FR_X_OR) {
        check_verdict_refs(u, r, e->left);
        check_verdict_refs(u, r, e->right);
    } else if (e->kind == FR_X_NOT) {
        check_verdict_refs(u, r, e->left);
    } else if (e->kind == FR_X_VERDICT) {
        check_verdict_ref(u, r, e);
    }
}

/* The limit is ours; the specification only asks for a stratum that is not negative
 * (§7.1). */
void fr_validate_rule(fr_unit *u, fr_rule *r)
{
    if (r->stratum < 0) {
        fr_place at = fr_at(&r->head, r->stratum_tok, FR_FIELD("stratum"));
        fr_report(u, FR_E_RULE_NEGATIVE,
                  fr_exactly(at, r->stratum_value_tok, r->stratum_value_tok),
                  "stratum must be a non-negative integer; got %lld",
                  (long long)r->stratum);
    } else if ((uint64_t)r->stratum > u->limits->stratum) {
        fr_report(u, FR_E_RULE_STRATUM_LIMIT,
                  fr_at(&r->head, r->stratum_value_tok, FR_FIELD("stratum")),
                  "stratum %lld is higher than %zu (limit stratum)",
                  (long long)r->stratum, u->limits->stratum);
    }
    check_verdict_refs(u, r, r->when);
}

/* Contracts that declare no persona at all are tolerated (T564):
 * then every name is one. */
bool fr_use_persona(fr_unit *u, fr_sym persona)
{
    fr_construct *c = fr_find(u, FR_PERSONA, persona);
    if (c) {
        c->used = true;
    }
    return c || !u->has_personas || u->incomplete;
}

/* The first place a persona is used, for a contract that declares none. */
static void check_personas_declared(fr_unit *u)
{
    if (u->has_personas || u->incomplete) {
        return;
    }
    for (size_t i = 0; i < u->kinds[FR_OPERATION].len; i++) {
        const fr_operation *o = (const fr_operation *)u->kinds[FR_OPERATION].items[i];
        if (!o->head.broken && o->personas.len) {
            fr_report(
                u, FR_E_PERSONA_NONE,
                fr_at(&o->head, o->personas.items[0].tok, FR_FIELD("allowed_personas")),
                "persona '%.*s' is used, but the contract declares no persona",
                FR_ARG(u, o->personas.items[0].sym));
            return;
        }
    }
}

/* Imports, types and personas have nothing left to check after passes 1 to 4. */
static void validate_construct(fr_unit *u, fr_construct *c)
{
    switch ((fr_kind)c->kind) {
    case FR_FACT: fr_validate_fact(u, (fr_fact *)c); break;
    case FR_SOURCE: fr_validate_source(u, (fr_source_decl *)c); break;
    case FR_ENTITY: fr_validate_entity(u, (fr_entity *)c); break;
    case FR_RULE: fr_validate_rule(u, (fr_rule *)c); break;
    case FR_OPERATION: fr_validate_operation(u, (fr_operation *)c); break;
    case FR_FLOW: fr_validate_flow(u, (fr_flow *)c); break;
    case FR_SYSTEM: fr_validate_system(u, (fr_system *)c); break;
    case FR_IMPORT:
    case FR_TYPEDECL:
    case FR_PERSONA:
    case FR_KIND_COUNT: break;
    }
}

/* Verdicts, constructs in bundle order, then the checks over all: the suite's order. */
void fr_pass5_validate(fr_unit *u)
{
    fr_validate_verdicts(u);
    for (size_t i = 0; i < u->all.len; i++) {
        if (!u->all.items[i]->broken) {
            validate_construct(u, u->all.items[i]);
        }
    }
    fr_validate_parents(u);
    fr_validate_flow_references(u);
    fr_validate_parallel(u);
    fr_validate_transitions(u);
    check_personas_declared(u);
}
