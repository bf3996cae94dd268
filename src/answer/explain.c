/* answer/explain.c - chooses what is explained; analyze/explain makes all prose and
 * JSON.
 *
 * One of four ways: the whole contract; facts that are partly unknown; proofs
 * (answer/explain_proofs.c); or the facts as they are. A name that the contract does
 * not have is AW_FAILS with the nearest one, not AW_USAGE: it was asked rightly, and
 * the answer is no. */
#include "answer/explain.h"

#include "answer/explain_proofs.h"

static uint32_t named(aw_case *x, ct_kind kind, mt_str name, aw_reply *r)
{
    uint32_t found = ct_model_find(x->model, kind, name);
    if (found == CT_NONE) {
        const char *near = aw_near(&r->arena, x->model, kind, name);
        if (kind == CT_KIND_VERDICT) {
            aw_fail(r, AW_FAILS, "no rule produces verdict '%.*s'%s", MT_ARG(name),
                    near);
        } else {
            aw_fail(r, AW_FAILS, "%s '%.*s' not found in contract%s",
                    kind == CT_KIND_FLOW ? "flow" : "operation", MT_ARG(name), near);
        }
    }
    return found;
}

static int explain_contract(aw_case *x, const aw_explain_request *q, aw_reply *r)
{
    if (q->json) {
        an_explain_contract_json(&r->text, x->plan);
    } else {
        an_explain_contract(&r->text, x->plan, q->form, q->verbose);
    }
    return AW_HOLDS;
}

/* ---- The facts as they are ---- */

/* Why it is present, or what is missing for it. */
static int explain_verdict(aw_case *x, const aw_explain_request *q, aw_reply *r)
{
    uint32_t rule = named(x, CT_KIND_VERDICT, q->verdict, r);
    if (rule == CT_NONE) {
        return AW_FAILS;
    }
    if (q->json) {
        ct_partial *deep = ct_partial_new(x->plan->program);
        an_explain_verdict_json(&r->text, &x->frozen, rule, deep);
        ct_partial_free(deep);
    } else {
        an_explain_verdict(&r->text, &x->frozen, rule, q->form);
    }
    return ct_verdict_present(x->bench.verdicts, rule) ? AW_HOLDS : AW_FAILS;
}

/* AW_FAILS when the flow is blocked for this persona. */
static int explain_flow(aw_case *x, const aw_explain_request *q, aw_reply *r)
{
    bool open;
    uint32_t flow = named(x, CT_KIND_FLOW, q->flow, r);
    if (flow == CT_NONE) {
        return AW_FAILS;
    }
    if (q->json) {
        ct_partial *deep = ct_partial_new(x->plan->program);
        an_explain_flow_json(&r->text, &x->frozen, &x->states, flow, q->persona, deep,
                             &open);
        ct_partial_free(deep);
    } else {
        an_explain_flow(&r->text, &x->frozen, &x->states, flow, q->persona, q->form,
                        &open);
    }
    return open ? AW_HOLDS : AW_FAILS;
}

/* AW_FAILS when it is refused. Without persona and states only the facts are asked. */
static int explain_operation(aw_case *x, const aw_explain_request *q, aw_reply *r)
{
    uint32_t op = named(x, CT_KIND_OPERATION, q->operation, r);
    if (op == CT_NONE) {
        return AW_FAILS;
    }
    /* Every case has states, those of the beginning if none are given; here they
     * would refuse an operation for a reason that nobody asked about. */
    an_try what = {.operation = op,
                   .persona = q->persona,
                   .states = q->states ? x->binding.states : NULL,
                   .instances = q->states ? x->binding.instances : NULL};
    ct_partial *deep = ct_partial_new(x->plan->program);
    bool open = q->json ? an_explain_operation_json(&r->text, &x->frozen, &what, deep)
                        : an_explain_operation(&r->text, &x->frozen, &what, q->form);
    ct_partial_free(deep);
    return open ? AW_HOLDS : AW_FAILS;
}

/* ---- Partly unknown facts, and proofs ---- */

static int explain_partly(aw_case *x, const aw_explain_request *q, aw_reply *r)
{
    ct_partial *p = q->holes->partial;
    ct_partly state;
    if (q->operation.ptr) {
        uint32_t op = named(x, CT_KIND_OPERATION, q->operation, r);
        if (op == CT_NONE) {
            return AW_FAILS;
        }
        state = q->json ? an_explain_operation_partly_json(&r->text, p, op)
                        : an_explain_operation_partly(&r->text, p, op, q->form);
        return state == CT_PARTLY_PRESENT ? AW_HOLDS : AW_FAILS;
    }
    uint32_t rule = named(x, CT_KIND_VERDICT, q->verdict, r);
    if (rule == CT_NONE) {
        return AW_FAILS;
    }
    if (q->json) {
        an_explain_verdict_partly_json(&r->text, p, rule);
    } else {
        an_explain_verdict_partly(&r->text, p, rule, q->form);
    }
    state = (ct_partly)ct_partial_rule(p, rule)->state;
    return state == CT_PARTLY_PRESENT ? AW_HOLDS : AW_FAILS;
}

static int with_proofs(aw_case *x, const aw_explain_request *q, aw_reply *r)
{
    aw_subject what = {.rule = CT_NONE, .operation = CT_NONE};
    if (q->verdict.ptr) {
        what.rule = named(x, CT_KIND_VERDICT, q->verdict, r);
    } else {
        what.operation = named(x, CT_KIND_OPERATION, q->operation, r);
    }
    if (what.rule == CT_NONE && what.operation == CT_NONE) {
        return AW_FAILS;
    }
    return q->change ? aw_explain_change(x, &what, q->json, r)
                     : aw_explain_all(x, &what, q->json, q->form, r);
}

/* ---- All together ---- */

int aw_explain_check(const aw_explain_request *q, bool holes, aw_reply *r)
{
    bool flow = q->flow.ptr, verdict = q->verdict.ptr, operation = q->operation.ptr;
    bool proofs = q->all || q->change;
    if (flow + verdict + operation > 1 || (flow && !q->persona.ptr)) {
        return aw_fail(r, AW_USAGE,
                       "give --verdict V, or --operation O, or --flow ID with "
                       "--persona P");
    }
    if (proofs && !verdict && !operation) {
        return aw_fail(r, AW_USAGE, "--all and --change need --verdict or --operation");
    }
    if ((q->all && q->change) || (proofs && holes)) {
        return aw_fail(r, AW_USAGE,
                       "--all, --change and unknown facts exclude each other");
    }
    if (holes && !verdict && !operation) {
        return aw_fail(r, AW_USAGE,
                       "--unknown and --partial need --verdict or --operation");
    }
    return AW_HOLDS;
}

bool aw_explain_needs_facts(const aw_explain_request *q)
{
    return q->flow.ptr || q->verdict.ptr || q->operation.ptr;
}

int aw_explain(aw_case *x, const aw_explain_request *q, aw_reply *r)
{
    if (q->holes) {
        return explain_partly(x, q, r);
    }
    if (!aw_explain_needs_facts(q)) {
        return explain_contract(x, q, r);
    }
    if (q->all || q->change) {
        return with_proofs(x, q, r);
    }
    return q->operation.ptr ? explain_operation(x, q, r)
           : q->verdict.ptr ? explain_verdict(x, q, r)
                            : explain_flow(x, q, r);
}
