/* cli/suite_eval.c - the evaluator's suites: facts in, verdicts and flow results out.
 *
 * NAME.facts.json is a case. Its contract is NAME.tenor beside it, else the only
 * contract in the directory. NAME.verdicts.json is what must come out; without it the
 * evaluation must fail. When it names a flow_outcome, a flow is run: which one and as
 * whom is in a table for the fixtures that need it; otherwise the one flow no other
 * flow calls, as the persona of its entry step.
 *
 * Some expectations give names of verdicts only, in any order; they are compared as
 * sets. */
#include <sys/stat.h>

#include "cli/suite_run.h"
#include "contract/flow/report.h"
#include "os/file.h"

static bool exists(mt_str path)
{
    struct stat st;
    return stat(path.ptr, &st) == 0;
}

/* A case is a file of facts; which contract it is for is found when it runs. */
void cli_find_eval(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    cli_names names = cli_list_dir(out->arena, dir, ".facts.json");
    for (size_t i = 0; i < names.len; i++) {
        mt_str file = names.items[i];
        file.len -= strlen(".facts.json");
        cli_case_add(out, suite, dir, mt_strf(out->arena, "%.*s.tenor", MT_ARG(file)));
    }
}

/* Vectors named after a contract in positive/: verdict names only. */
static const struct vector_row {
    const char *prefix, *contract;
} VECTORS[] = {
    {"escrow_", "positive/integration_escrow.tenor"},
    {"mul_valid_", "positive/rule_mul_valid.tenor"},
    {"rule_basic_", "positive/rule_basic.tenor"},
};

/* The contract a vector is named after; empty if none. */
static mt_str vector_contract(mt_arena *a, mt_str dir, mt_str name)
{
    for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++) {
        if (mt_str_starts(name, mt_str_z(VECTORS[i].prefix))) {
            return mt_strf(a, "%.*s/../%s", MT_ARG(dir), VECTORS[i].contract);
        }
    }
    return (mt_str){0};
}

/* Fixtures whose contract is not there are left out in place: `kept` never runs ahead
 * of `i`. */
void cli_find_vectors(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    size_t kept = out->list.len, first = kept;
    cli_find_eval(suite, dir, out);
    for (size_t i = first; i < out->list.len; i++) {
        mt_str name = mt_str_basename(out->list.items[i].path);
        mt_str contract = vector_contract(out->arena, dir, name);
        if (contract.ptr && exists(contract)) {
            out->list.items[kept++] = out->list.items[i];
        }
    }
    out->list.len = kept;
}

/* A directory per domain; names that begin with a dot are not cases. */
void cli_find_domains(const cli_suite *suite, mt_str dir, cli_cases *out)
{
    cli_names names = cli_list_dir(out->arena, dir, "");
    for (size_t i = 0; i < names.len; i++) {
        if (names.items[i].ptr[0] != '.') {
            cli_find_eval(
                suite,
                mt_strf(out->arena, "%.*s/%.*s", MT_ARG(dir), MT_ARG(names.items[i])),
                out);
        }
    }
}

/* Three conventions for where the contract of a fixture is; the last, the only contract
 * of the directory, comes last because adding a second contract would change it. */
static mt_str contract_path(mt_arena *a, const cli_case *c)
{
    mt_str dir = mt_path_dir(c->path), name = mt_str_basename(c->path);
    if (exists(mt_str_dup(a, c->path))) {
        return mt_str_dup(a, c->path);
    }
    mt_str vector = vector_contract(a, dir, name);
    if (vector.ptr && exists(vector)) {
        return vector;
    }
    cli_names all = cli_list_dir(a, dir, ".tenor");
    return all.len == 1 ? mt_strf(a, "%.*s/%.*s", MT_ARG(dir), MT_ARG(all.items[0]))
                        : mt_str_dup(a, c->path);
}

/* ---- which flow, as whom ---- */

static const struct flow_row {
    const char *fixture, *flow, *persona;
} FLOWS[] = {
    /* clang-format off */
    {"entity_operation_basic",  "approval_flow",          "admin"},
    {"operation_persona_check", "review_flow",            "reviewer"},
    {"operation_precondition",  "process_flow",           "admin"},
    {"flow_linear_basic",       "submit_flow",            "buyer"},
    {"flow_branch_basic",       "check_flow",             "system"},
    {"parallel_step",           "parallel_process",       "system"},
    {"compensate_handler",      "compensate_flow",        "admin"},
    {"escalate_handler",        "escalate_flow",          "agent"},
    {"flow_error_escalate",     "escalation_flow",        "reviewer"},
    {"escrow_release",          "standard_release",       "seller"},
    {"escrow_compliance",       "standard_release",       "seller"},
    {"escrow_compensate",       "standard_release",       "seller"},
    {"flow_frozen_verdicts",    "frozen_test_flow",       "admin"},
    {"flow_frozen_facts",       "frozen_facts_flow",      "admin"},
    {"flow_subflow_snapshot",   "parent_flow",            "admin"},
    {"saas_activate",           "subscription_lifecycle", "billing_system"},
    {"saas_suspend",            "subscription_lifecycle", "billing_system"},
    {"inspection_pass",         "inspection_flow",        "customs_officer"},
    {"inspection_hold",         "inspection_flow",        "customs_officer"},
    {"prior_auth_approve",      "auth_review_flow",       "requesting_physician"},
    {"prior_auth_deny",         "auth_review_flow",       "requesting_physician"},
    {"prior_auth_appeal",       "auth_review_flow",       "requesting_physician"},
    {"lc_present",              "lc_presentation_flow",   "beneficiary"},
    {"lc_discrepancy",          "lc_presentation_flow",   "beneficiary"},
    {"rfp_approve",             "rfp_approval_flow",      "procurement_manager"},
    {"rfp_reject",              "rfp_approval_flow",      "procurement_manager"},
    {"rfp_escalate",            "rfp_approval_flow",      "procurement_manager"},
    /* clang-format on */
};

/* A flow that another calls is not a root. Linear over all steps, once per fixture. */
static bool is_called(const ct_plan *p, uint32_t flow)
{
    for (uint32_t i = 0; i < p->step_count; i++) {
        if (p->steps[i].does == LN_CALLS && p->steps[i].what == flow) {
            return true;
        }
    }
    return false;
}

/* The first flow that no other flow calls, as the persona of its entry step. */
static void root_flow(const ct_plan *p, ct_trial *t)
{
    uint32_t flow = 0;
    while (flow + 1 < p->model->flow_count && is_called(p, flow)) {
        flow++;
    }
    uint32_t persona = p->steps[p->graphs[flow].entry].persona;
    t->flow = p->graphs[flow].id;
    t->persona = persona != CT_NONE            ? ct_persona_id(p, persona)
                 : p->model->persona_count > 0 ? ct_persona_id(p, 0)
                                               : MT_STR("system");
}

/* Older fixtures name no flow; a table has those that are known, otherwise the root
 * flow of the contract is meant. */
static void choose_flow(const ct_plan *p, mt_str fixture, ct_trial *t)
{
    for (size_t i = 0; i < sizeof FLOWS / sizeof *FLOWS; i++) {
        if (mt_str_eq(mt_str_z(FLOWS[i].fixture), fixture) &&
            ct_model_find(p->model, CT_KIND_FLOW, mt_str_z(FLOWS[i].flow)) != CT_NONE) {
            t->flow = mt_str_z(FLOWS[i].flow);
            t->persona = mt_str_z(FLOWS[i].persona);
            return;
        }
    }
    if (p->model->flow_count) {
        root_flow(p, t);
    }
}

/* ---- what came out ---- */

/* {"flow_outcome","steps_executed","verdicts"}, or only the verdicts. */
static void result_json(mt_buf *out, const ct_bench *b, const ct_result *r)
{
    mt_jw w = mt_jw_start(out, false);
    mt_buf verdicts = {0};
    ct_verdicts_json_array(&verdicts, b->verdicts);
    mt_jw_begin_object(&w);
    if (r->ran) {
        mt_jw_key_str(&w, "flow_outcome", r->outcome);
        mt_jw_keyz(&w, "steps_executed");
        ct_run_steps_json(&w, &b->run);
    }
    mt_jw_keyz(&w, "verdicts");
    mt_jw_raw(&w, mt_buf_str(&verdicts));
    mt_jw_end_object(&w);
    mt_buf_free(&verdicts);
}

/* {"verdicts":["name",…]}: only names are given, in any order. */
static bool names_only(const mt_json *expected)
{
    const mt_json *list = mt_json_at(expected, "verdicts");
    return mt_json_is(list, MT_JSON_ARRAY) && list->count &&
           list->as.items[0].type == MT_JSON_STRING;
}

/* Both directions: a verdict too many is as wrong as one missing. */
static bool same_names(const mt_json *expected, const ct_bench *b, mt_buf *why)
{
    const mt_json *list = mt_json_at(expected, "verdicts");
    const ct_model *m = b->plan->model;
    bool same = true;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        bool wanted = false;
        for (uint32_t k = 0; k < list->count && !wanted; k++) {
            wanted = mt_str_eq(mt_json_text(&list->as.items[k]), m->rules[i].verdict);
        }
        if (wanted != ct_verdict_present(b->verdicts, i)) {
            mt_buf_addf(why, "verdict %.*s is %s\n", MT_ARG(m->rules[i].verdict),
                        wanted ? "absent" : "present");
            same = false;
        }
    }
    return same;
}

/* Expectations with names only are older; the others say payloads and steps as well. */
static bool compare(mt_arena *a, const mt_json *expected, const ct_bench *b,
                    const ct_result *r, mt_buf *why)
{
    if (names_only(expected)) {
        return same_names(expected, b, why);
    }
    mt_buf out = {0};
    mt_json actual;
    result_json(&out, b, r);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    if (mt_json_read(a, text, NULL, &actual, NULL) != MT_OK) {
        MT_BUG("our own result is not JSON");
    }
    return cli_same_json("result mismatch", expected, &actual, why);
}

/* A fixture without an expected file is one that must not evaluate; nothing more is
 * asked of its error. */
static bool run_fixture(const cli_case *c, mt_arena *a, cli_ready *ready, mt_buf *why)
{
    mt_json expected = {0};
    mt_str facts_path = cli_expected_path(a, c->path, ".facts.json");
    mt_str expected_path = cli_expected_path(a, c->path, ".verdicts.json");
    bool must_fail = !exists(expected_path);
    ct_trial t = {0};
    if (os_read_file(a, facts_path.ptr, ready->limits->json_bytes, &t.facts)) {
        mt_buf_addf(why, "cannot read %.*s\n", MT_ARG(facts_path));
        return false;
    }
    if (!must_fail && !cli_expected_read(a, expected_path, why, &expected)) {
        return false;
    }
    if (mt_json_at(&expected, "flow_outcome")) {
        choose_flow(ready->plan, mt_str_stem(mt_str_basename(c->path)), &t);
    }
    ct_result r;
    ct_trial_run(a, &ready->bench, &t, &r);
    cli_record_result(c, &ready->bench, &t, &r);
    if (must_fail) {
        mt_buf_addz(why, r.evaluated ? "evaluation succeeded and must not\n" : "");
        return !r.evaluated;
    }
    if (r.fault_kind.len) {
        mt_buf_addf(why, "%.*s\n", MT_ARG(r.fault));
        return false;
    }
    return compare(a, &expected, &ready->bench, &r, why);
}

/* The contract is compiled anew for each case: cases must not be able to touch each
 * other. */
bool cli_run_eval(const cli_case *c, mt_arena *a, const mt_limits *limits, mt_buf *why)
{
    cli_ready ready;
    bool ok = cli_ready_open(a, contract_path(a, c), limits, &ready, why) &&
              run_fixture(c, a, &ready, why);
    cli_ready_close(&ready);
    return ok;
}
