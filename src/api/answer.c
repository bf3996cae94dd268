/* api/answer.c - what can be asked of a contract by the name of a command.
 *
 * A command is a row: its options (a form of JSON keys) and what it does. Each call
 * works on a view of the contract with an arena of its own, so any number of threads
 * may ask one contract at once. What is computed and how it is written is the room
 * `answer`'s, which the command line calls alike.
 *
 * Order: the contract must hold, options are read (all that is wrong with them is
 * said), then the command. A reply becomes an answer in every case. */
#include "analyze/facts/joint.h"
#include "answer/analysis.h"
#include "answer/ask.h"
#include "answer/explain.h"
#include "answer/flights.h"
#include "answer/scenarios.h"
#include "answer/versions.h"
#include "api/api.h"
#include "contract/eval/facts.h"
#include "contract/flow/partly.h"
#include "contract/front/format.h"

/* What options may say; each command has some of the keys. */
typedef struct options {
    bool manifest, compact, strict, index, prove, partial, dry_run, all, change,
        verbose, aggressive;
    mt_str facts, flow, operation, verdict, persona, outcome, question, only, parts,
        scenarios, name;
    const mt_json *states, *bind, *unknown, *baseline, *flows;
    int format;
    size_t paths;
    uint32_t instances, number;
} options;

/* What holds without options: no facts, one instance, a hundred paths. */
static const options INITIAL = {.facts = MT_STR_INIT("{}"),
                                .name = MT_STR_INIT("scenarios.yaml"),
                                .paths = 100,
                                .instances = 1};

/* ORDER of FORMAT_NAMES and PICTURE_NAMES: the first is what nobody asked for. */
enum { FORMAT_JSON, FORMAT_TEXT, FORMAT_MARKDOWN };
static const char *const FORMAT_NAMES[] = {"json", "text", "markdown", NULL};
enum { PICTURE_JSON, PICTURE_DOT, PICTURE_MERMAID };
static const char *const PICTURE_NAMES[] = {"json", "dot", "mermaid", NULL};

/* clang-format off */
#define FLAG(field) MT_FORM_FLAG(options, field, #field, 0)
#define TEXT(field) MT_FORM_TEXT(options, field, #field, 0)
#define FACTS  MT_FORM_RAW(options, facts, "facts", 0), FLAG(strict)
#define HOLES  MT_FORM_TEXTS(options, unknown, "unknown", 0, 1000000, 0), FLAG(partial)
#define STATES MT_FORM_OBJECT(options, states, "states", 0), \
               MT_FORM_OBJECT(options, bind, "bind", 0)
#define FORMAT MT_FORM_CHOICE(options, format, "format", FORMAT_NAMES, 0)

static const mt_form_row ELABORATE[] = {FLAG(manifest), FLAG(compact)};
static const mt_form_row CHECK[] = {FLAG(strict), FLAG(index), FLAG(prove)};
static const mt_form_row EVAL[] = {FACTS};
static const mt_form_row PARTIAL[] = {FACTS, HOLES};
static const mt_form_row ACT[] = {FACTS, STATES, TEXT(flow), TEXT(operation),
    MT_FORM_TEXT(options, persona, "persona", MT_FORM_REQUIRED), TEXT(outcome),
    FLAG(dry_run)};
static const mt_form_row ACTIONS[] = {FACTS, STATES, HOLES,
    MT_FORM_TEXT(options, persona, "persona", MT_FORM_REQUIRED)};
static const mt_form_row EXPLAIN[] = {FACTS, STATES, HOLES, TEXT(flow), TEXT(operation),
    TEXT(verdict), TEXT(persona), FLAG(all), FLAG(change), FLAG(verbose), FORMAT};
static const mt_form_row ANALYZE[] = {TEXT(only), FLAG(prove),
    MT_FORM_SIZE(options, paths, "paths", 0, 10000000, 0),
    MT_FORM_OBJECT(options, baseline, "baseline", 0)};
static const mt_form_row DRAW[] = {TEXT(parts),
    MT_FORM_CHOICE(options, format, "format", PICTURE_NAMES, 0)};
static const mt_form_row ASK[] = {FORMAT,
    MT_FORM_TEXT(options, question, "question", MT_FORM_REQUIRED),
    MT_FORM_U32(options, instances, "instances", 1, AN_MOST_INSTANCES, 0)};
static const mt_form_row TEST[] = {TEXT(name),
    MT_FORM_TEXT(options, scenarios, "scenarios", MT_FORM_REQUIRED),
    MT_FORM_U32(options, number, "number", 1, UINT32_MAX, 0)};
enum { MOST_FLOWS = 100000 };
static const mt_form_row DIFF[] = {FLAG(prove), FLAG(aggressive),
    MT_FORM_LIST(options, flows, "flows", 0, MOST_FLOWS, 0)};
/* clang-format on */

/* ---- The contract alone ---- */

/* The contract as interchange JSON. The functions below all
 * have this form: `c` is the call's own view, `o` its options,
 * and the result goes to r->text; the number is an AW_ code. */
static int elaborate(aw_contract *c, const options *o, aw_reply *r)
{
    mt_buf_adds(&r->text,
                aw_bundle_text(&c->arena, c->bundle, o->manifest, o->compact));
    return AW_HOLDS;
}

/* Errors of the contract were found by loading;
 * proving may add diagnostics to the view. */
static int check(aw_contract *c, const options *o, aw_reply *r)
{
    aw_patience patience = {0};
    bool holds = aw_prove_diagnostics(c, &patience, o->prove) == MT_OK;
    holds = holds && !c->ds.errors && !(o->strict && c->ds.warnings);
    aw_check_json(&r->text, c, holds, o->index);
    return holds ? AW_HOLDS : AW_FAILS;
}

/* Findings are cut to the limit only after the baseline was taken out of them, or the
 * new ones could be those that are cut. */
static int analyze(aw_contract *c, const options *o, aw_reply *r)
{
    aw_analysis x = {.contract = c,
                     .only = o->only.ptr ? an_obligations_read(o->only) : AN_ALL,
                     .paths = o->paths,
                     .prove = o->prove};
    if (!x.only) {
        return aw_fail(r, AW_USAGE,
                       "`only` takes s1, s2, s3a, s4, s5, s6, s7, s8 with commas "
                       "between");
    }
    int code = aw_analyze(&x, r);
    if (!code && o->baseline && aw_analysis_baseline(&x, o->baseline)) {
        code = aw_fail(r, AW_FAILS, "`baseline` is not a report of analyze");
    }
    if (!code) {
        an_findings_cut(&x.fs, c->limits.findings);
        aw_analysis_json(&x, &(aw_listing){.out = &r->text});
        code = aw_analysis_code(&x);
    }
    aw_analysis_free(&x);
    return code;
}

/* The analyses that the wanted parts need are run, no
 * others. Without `parts` everything is drawn that there
 * is; a part that was named and is not there is a fault. */
static int draw(aw_contract *c, const options *o, aw_reply *r)
{
    static void (*const WRITERS[])(mt_buf *, const mt_picture *) = {
        [PICTURE_JSON] = mt_picture_json,
        [PICTURE_DOT] = mt_picture_dot,
        [PICTURE_MERMAID] = mt_picture_mermaid,
    };
    uint32_t parts = o->parts.ptr ? an_parts_read(o->parts) : an_parts_of(AN_ALL);
    aw_analysis x = {.contract = c, .paths = o->paths};
    x.only = o->parts.ptr ? an_parts_need(parts) : AN_ALL;
    if (!parts) {
        return aw_fail(r, AW_USAGE,
                       "`parts` takes entities, authority, rules, flows, system with "
                       "commas between");
    }
    int code = aw_analyze(&x, r);
    an_subject s = aw_analysis_subject(&x);
    if (!code && o->parts.ptr && !s.system && (parts >> AN_DRAW_SYSTEM) & 1) {
        code = aw_fail(r, AW_FAILS, "%.*s is not a System", MT_ARG(c->path));
    }
    if (!code) {
        mt_picture p = an_draw(&x.arena, &s, parts);
        WRITERS[o->format](&r->text, &p);
    }
    aw_analysis_free(&x);
    return code;
}

/* A question may be about a system: it is asked of
 * what the contract and its members are together. */
static int ask(aw_contract *c, const options *o, aw_reply *r)
{
    an_union all;
    aw_question q = {.text = o->question,
                     .instances = o->instances,
                     .json = o->format == FORMAT_JSON};
    int code = aw_union_of(c, r, &all);
    return code ? code : aw_ask(&all, &c->limits, &q, r);
}

/* ---- Cases ---- */

/* A fault of facts is an answer in JSON, too. */
static int with_fault(aw_reply *r, int code)
{
    if (r->fault.len) {
        mt_buf_adds(&r->text, mt_buf_str(&r->fault));
        mt_buf_addc(&r->text, '\n');
    }
    return code;
}

/* Without a plan: verdicts do not depend on flows. */
static int eval(aw_contract *c, const options *o, aw_reply *r)
{
    ct_fault fault = {0};
    const ct_program *p = ct_compile(&c->arena, c->admitted.model);
    ct_facts *facts = ct_facts_new(c->admitted.model);
    ct_verdicts *verdicts = ct_verdicts_new(p);
    int code = AW_HOLDS;
    ct_verdicts_limit(verdicts, (ct_patience){.steps = c->limits.eval_steps});
    mt_err err = ct_facts_read(facts, o->facts, &c->limits, o->strict, &fault);
    if (!o->strict) {
        aw_warn_surplus(r, facts, o->facts, &c->limits);
    }
    if (err || ct_evaluate(p, facts, verdicts, &c->arena, &fault)) {
        code = aw_fail_evaluation(r, &fault);
    } else {
        ct_evaluation_json(&r->text, facts, verdicts);
        mt_buf_addc(&r->text, '\n');
    }
    ct_facts_free(facts);
    ct_verdicts_free(verdicts);
    return with_fault(r, code);
}

/* Some facts may be left open. */
static bool has_holes(const options *o)
{
    return o->partial || o->unknown;
}

/* Holes are facts without a value: those that `unknown` names, and with `partial` all
 * that are not given. The caller frees `h` whatever this answers. */
static int open_holes(aw_holes *h, const aw_case *x, const options *o, aw_reply *r)
{
    const mt_limits *limits = &x->contract->limits;
    ct_fault fault = {0};
    int code = AW_HOLDS;
    aw_holes_open(h, x->plan->program, (ct_patience){.steps = limits->eval_steps});
    for (uint32_t i = 0; o->unknown && i < o->unknown->count && !code; i++) {
        code = aw_holes_name(h, mt_json_text(&o->unknown->as.items[i]), r);
    }
    if (!code &&
        !aw_holes_evaluate(h, o->facts, limits, o->partial, o->strict, &fault)) {
        code = aw_fail_evaluation(r, &fault);
    }
    if (!o->strict) {
        aw_warn_surplus(r, h->facts, o->facts, limits);
    }
    return code;
}

/* The case as far as the options go: with holes, or with all its facts. */
static int open_facts(aw_case *x, aw_holes *h, const options *o, aw_reply *r)
{
    return has_holes(o) ? open_holes(h, x, o, r)
                        : aw_case_facts(x, o->facts, o->strict, r);
}

static int partial(aw_contract *c, const options *o, aw_reply *r)
{
    aw_case x;
    aw_holes h = {0};
    int code = aw_case_open(&x, c, r);
    code = code ? code : open_holes(&h, &x, o, r);
    if (!code) {
        ct_partly_json(&r->text, h.partial);
        mt_buf_addc(&r->text, '\n');
    }
    aw_holes_free(&h);
    aw_case_free(&x);
    return with_fault(r, code);
}

/* The newline is the command line's. */
static int with_newline(aw_reply *r, int code)
{
    if (r->text.len && r->text.ptr[r->text.len - 1] != '\n') {
        mt_buf_addc(&r->text, '\n');
    }
    return code;
}

/* Exactly one of flow and operation. Each step is skipped after one that failed, and
 * the case is freed in every case: all of these accept what was never opened. */
static int act(aw_contract *c, const options *o, aw_reply *r)
{
    aw_case x;
    aw_act what = {o->flow, o->operation, o->persona, o->outcome, o->dry_run};
    if (!o->flow.ptr == !o->operation.ptr) {
        return aw_fail(r, AW_USAGE, "give `flow` or `operation`");
    }
    int code = aw_case_open(&x, c, r);
    code = code ? code : aw_case_facts(&x, o->facts, o->strict, r);
    code = code ? code : aw_case_states(&x, o->states, o->bind, r);
    code = code ? code : aw_act_json(&x, &what, r);
    aw_case_free(&x);
    return with_newline(r, code);
}

/* The persona first: a slip in its name is told before facts are asked for. */
static int actions(aw_contract *c, const options *o, aw_reply *r)
{
    aw_case x;
    aw_holes h = {0};
    int code = aw_case_open(&x, c, r);
    code = code ? code : aw_knows_persona(&x, o->persona, r);
    code = code ? code : open_facts(&x, &h, o, r);
    code = code ? code : aw_case_states(&x, o->states, o->bind, r);
    code = code ? code : aw_actions_json(&x, o->persona, has_holes(o) ? &h : NULL, r);
    aw_holes_free(&h);
    aw_case_free(&x);
    return with_newline(r, code);
}

/* What is asked for is checked before a case is opened; a contract as a whole is
 * explained without facts. */
static int explain(aw_contract *c, const options *o, aw_reply *r)
{
    aw_case x;
    aw_holes h = {0};
    aw_explain_request q = {.verdict = o->verdict,
                            .operation = o->operation,
                            .flow = o->flow,
                            .persona = o->persona,
                            .all = o->all,
                            .change = o->change,
                            .states = o->states,
                            .json = o->format == FORMAT_JSON,
                            .form = o->format == FORMAT_MARKDOWN ? AN_EXPLAIN_MARKDOWN
                                                                 : AN_EXPLAIN_TEXT,
                            .verbose = o->verbose,
                            .holes = has_holes(o) ? &h : NULL};
    int code = aw_explain_check(&q, has_holes(o), r);
    if (code) {
        return code;
    }
    code = aw_case_open(&x, c, r);
    if (!code && aw_explain_needs_facts(&q)) {
        code = open_facts(&x, &h, o, r);
        code = code ? code : aw_case_states(&x, o->states, o->bind, r);
    }
    code = code ? code : aw_explain(&x, &q, r);
    aw_holes_free(&h);
    aw_case_free(&x);
    return with_newline(r, code);
}

/* Properties are tried as often as the file says. */
static int test(aw_contract *c, const options *o, aw_reply *r)
{
    aw_test t = {.name = o->name,
                 .text = o->scenarios,
                 .number = o->number,
                 .properties = {.seed = -1}};
    return aw_test_json(c, &t, r);
}

/* ---- Commands ---- */

/* To add a command: a function, a row of
 * options, a row here, and its name in motet.h. */
static const struct command {
    api_command about;
    int (*run)(aw_contract *c, const options *o, aw_reply *r);
} COMMANDS[] = {
    {API_COMMAND("elaborate", ELABORATE), elaborate},
    {API_COMMAND("check", CHECK), check},
    {API_COMMAND("eval", EVAL), eval},
    {API_COMMAND("partial", PARTIAL), partial},
    {API_COMMAND("act", ACT), act},
    {API_COMMAND("actions", ACTIONS), actions},
    {API_COMMAND("explain", EXPLAIN), explain},
    {API_COMMAND("analyze", ANALYZE), analyze},
    {API_COMMAND("draw", DRAW), draw},
    {API_COMMAND("ask", ASK), ask},
    {API_COMMAND("test", TEST), test},
};

/* Whatever refused the contract is told as "check" tells it. */
static motet_status finish(aw_contract *c, aw_reply *r, int code, motet_answer **out)
{
    if (r->refused) {
        aw_check_json(&r->text, c, false, false);
    }
    return api_answer(r, code, out);
}

/* The only command for a contract that was
 * refused is "check", which says why it was. */
static motet_status run(const motet_contract *contract, const struct command *command,
                        motet_str text, motet_answer **out)
{
    aw_contract view;
    aw_reply r = {0};
    options o = INITIAL;
    aw_contract_view(&contract->x, &view);
    int code = AW_HOLDS;
    bool may = contract->program || command->run == check;
    if (!may) {
        code = aw_refused(&r);
    }
    const api_command *about = &command->about;
    code = code ? code : api_options_read(text, about->rows, about->count, &o, &r);
    if (!code && !contract->program) { /* check of what was refused */
        aw_check_json(&r.text, &view, false, o.index);
        code = AW_FAILS;
    } else if (!code) {
        code = command->run(&view, &o, &r);
    }
    motet_status status = finish(&view, &r, code, out);
    aw_contract_free(&view);
    return status;
}

motet_status motet_contract_ask(const motet_contract *contract, const char *command,
                                motet_str options_text, motet_answer **out)
{
    aw_reply r = {0};
    const struct command *row =
        API_NAMED(COMMANDS, command, "contract", contract != NULL, &r);
    return row ? run(contract, row, options_text, out) : api_answer(&r, AW_USAGE, out);
}

/* ---- Two versions ---- */

/* Flows under way: the plan for moving them. It fails where one cannot go on. */
static int judge_flows(aw_versions *v, const options *o, aw_reply *r)
{
    aw_flights f = {.v = v};
    int code = aw_flights_read(&f, o->flows, r);
    if (!code) {
        an_migration m;
        mt_jw w = mt_jw_start(&r->text, true);
        aw_flights_judge(&f, (an_migrate_options){.aggressive = o->aggressive}, &m);
        an_migration_json(&w, &m);
        code = m.incompatible ? AW_FAILS : AW_HOLDS;
    }
    aw_flights_free(&f);
    return with_newline(r, code);
}

/* `at` is the version that the last step was about, for the diagnostics if it is
 * refused. The answer fails where the diff, or that of a member, requires a policy. */
static int compare(aw_versions *v, const options *o, aw_reply *r,
                   const aw_contract **at)
{
    *at = &v->old.contract;
    int code = aw_version_open(&v->old, r);
    if (!code) {
        *at = &v->new.contract;
        code = aw_version_open(&v->new, r);
    }
    code = code ? code : aw_versions_compare(v, r);
    code = code || !o->prove ? code : aw_versions_prove(v, r);
    if (code || o->flows) {
        return code ? code : judge_flows(v, o, r);
    }
    mt_jw w = mt_jw_start(&r->text, true);
    mt_jw_begin_object(&w);
    aw_versions_json(&w, v);
    mt_jw_end_object(&w);
    mt_buf_addc(&r->text, '\n');
    return v->policy_required ? AW_FAILS : AW_HOLDS;
}

/* `at` begins as the one that was refused, if
 * one was: its diagnostics are the answer. */
motet_status motet_contract_diff(const motet_contract *older,
                                 const motet_contract *newer, motet_str options_text,
                                 motet_answer **out)
{
    aw_versions v = {0};
    aw_reply r = {0};
    options o = INITIAL;
    if (!older || !newer) {
        int code = aw_fail(&r, AW_USAGE, "there is no contract");
        return api_answer(&r, code, out);
    }
    const aw_contract *at = !older->program ? &v.old.contract : &v.new.contract;
    aw_contract_view(&older->x, &v.old.contract);
    aw_contract_view(&newer->x, &v.new.contract);
    int code = older->program && newer->program ? AW_HOLDS : aw_refused(&r);
    code =
        code ? code : api_options_read(options_text, DIFF, mt_form_count(DIFF), &o, &r);
    code = code ? code : compare(&v, &o, &r, &at);
    if (r.refused) {
        aw_check_json(&r.text, at, false, false);
    }
    motet_status status = api_answer(&r, code, out);
    aw_contract_free(&v.old.contract);
    aw_contract_free(&v.new.contract);
    return status;
}

/* ---- Layout ---- */

/* Text without a place: its imports are not followed. */
motet_status motet_format(motet_str text, const char *name, motet_answer **out)
{
    aw_reply r = {0};
    mt_diags ds = {.arena = &r.arena, .limit = MT_LIMITS_DEFAULT.diagnostics};
    mt_str laid;
    int code = AW_HOLDS;
    mt_str copy = mt_str_dup(&r.arena, api_in_str(text));
    if (copy.len > MT_LIMITS_DEFAULT.source_bytes) {
        code = aw_fail(&r, AW_FAILS, "more than %zu bytes (limit source_bytes)",
                       MT_LIMITS_DEFAULT.source_bytes);
    } else if (fr_format(&r.arena, mt_str_dup(&r.arena, api_in_z(name)), copy, NULL,
                         NULL, &ds, &laid)) {
        mt_diags_sort(&ds);
        for (size_t i = 0; i < ds.len; i++) {
            const mt_diag *d = &ds.items[i];
            code = aw_fail(&r, AW_FAILS, "%.*s:%u:%u: %s %s: %.*s", MT_ARG(d->file),
                           d->line, d->column, mt_severity_name(d->severity), d->code,
                           MT_ARG(d->message));
        }
    } else {
        mt_buf_adds(&r.text, laid);
    }
    return api_answer(&r, code, out);
}
