/* tests/unit/contract/flow_fixture.h - a contract of flow_bundle.h ready to run. */
#ifndef FLOW_FIXTURE_H
#define FLOW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contract/eval/facts.h"
#include "contract/flow/position.h"
#include "contract/flow/report.h"
#include "contract/flow/states.h"
#include "contract/flow/text.h"
#include "contract/flow/why.h"
#include "flow_bundle.h"

typedef struct fixture {
    mt_arena a;
    mt_diags ds;
    const ct_model *model;
    const ct_program *program;
    const ct_plan *plan;
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    ct_states states;
    ct_binding binding;
    ct_frozen frozen;
    ct_run run;
} fixture;

static inline void fixture_show(const fixture *f)
{
    for (size_t i = 0; i < f->ds.len; i++) {
        print_error("%.*s %.*s: %.*s\n", MT_ARG(f->ds.items[i].construct_kind),
                    MT_ARG(f->ds.items[i].construct_id),
                    MT_ARG(f->ds.items[i].message));
    }
}

/* MT_OK, or what the plan (never the loader) refused. */
static inline mt_err fixture_build(fixture *f, const char *bundle)
{
    *f = (fixture){0};
    f->ds.arena = &f->a;
    mt_err err = ct_load(&f->a, fixture_json(&f->a, bundle), MT_STR("t.json"),
                         &MT_LIMITS_DEFAULT, &f->ds, &f->model);
    if (err) {
        return err;
    }
    f->program = ct_compile(&f->a, f->model);
    err = ct_plan_build(&f->a, f->program, &f->ds, &f->plan);
    f->facts = ct_facts_new(f->model);
    f->verdicts = ct_verdicts_new(f->program);
    f->scratch = ct_verdicts_new(f->program);
    f->states = ct_states_new(&f->a, f->model);
    f->binding = ct_binding_new(&f->a, f->model);
    return err;
}

static inline void fixture_open(fixture *f, const char *bundle)
{
    if (fixture_build(f, bundle)) {
        fixture_show(f);
        fail_msg("the bundle does not load");
    }
}

static inline void fixture_close(fixture *f)
{
    ct_run_free(&f->run);
    ct_facts_free(f->facts);
    ct_verdicts_free(f->verdicts);
    ct_verdicts_free(f->scratch);
    mt_arena_free(&f->a);
}

/* Facts as JSON with ' for ", and all verdicts. */
static inline void fixture_facts(fixture *f, const char *json)
{
    ct_fault fault = {0};
    mt_str text = fixture_json(&f->a, json);
    if (ct_facts_read(f->facts, text, &MT_LIMITS_DEFAULT, false, &fault) ||
        ct_evaluate(f->program, f->facts, f->verdicts, &f->a, &fault)) {
        fail_msg("facts: %.*s", MT_ARG(fault.message));
    }
    f->frozen = (ct_frozen){f->plan, {f->program, f->facts, f->verdicts}, f->scratch};
}

/* States as JSON with ' for "; what is not named is `_default` in its initial state. */
static inline void fixture_states(fixture *f, const char *json)
{
    mt_json tree;
    mt_str why = {0};
    f->states = ct_states_new(&f->a, f->model);
    assert_int_equal(mt_json_read(&f->a, fixture_json(&f->a, json), NULL, &tree, NULL),
                     MT_OK);
    if (ct_states_read(&f->a, &f->states, &tree, &why)) {
        fail_msg("states: %.*s", MT_ARG(why));
    }
    ct_states_add_initial(&f->a, &f->states);
    ct_states_seal(&f->states);
}

static inline ct_run_input fixture_input(fixture *f, const char *flow,
                                         const char *persona)
{
    ct_binding_resolve(&f->binding, &f->states, true);
    uint32_t index = ct_model_find(f->model, CT_KIND_FLOW, mt_str_z(flow));
    assert_int_not_equal(index, CT_NONE);
    return (ct_run_input){.plan = f->plan,
                          .snapshot = f->frozen.snapshot,
                          .flow = index,
                          .persona = mt_str_z(persona),
                          .instances = f->binding.instances,
                          .states = f->binding.states};
}

/* The flow's outcome, or "failed: why". */
static inline const char *fixture_run(fixture *f, const char *flow, const char *persona)
{
    ct_run_input in = fixture_input(f, flow, persona);
    ct_run_start(&f->run, &in);
    if (ct_run_all(&f->run) == CT_RUN_DONE) {
        return mt_str_dup(&f->a, f->plan->terminals[f->run.outcome].name).ptr;
    }
    return mt_strf(&f->a, "failed: %.*s", MT_ARG(f->run.fault)).ptr;
}

/* "a=x b=true comp:c=y …" of the run's flat step list. */
static inline const char *fixture_steps(fixture *f)
{
    mt_buf out = {0};
    for (size_t i = 0; i < f->run.records.len; i++) {
        const ct_record *r = &f->run.records.items[i];
        if (ct_record_is_flat(&f->run, r)) {
            mt_buf_addz(&out, out.len ? " | " : "");
            ct_record_step_text(&out, &f->run, r);
            mt_buf_addc(&out, '=');
            ct_record_result_text(&out, &f->run, r);
        }
    }
    const char *text = mt_str_dup(&f->a, mt_buf_str(&out)).ptr;
    mt_buf_free(&out);
    return text;
}

/* "n > 3 is false; not verdict_present(v) is true" */
static inline void fixture_reasons(mt_buf *out, const fixture *f, const ct_reasons *r)
{
    for (size_t i = 0; i < r->len; i++) {
        mt_buf_addz(out, i ? "; " : "");
        ct_expr_text(out, f->model, r->items[i].atom);
        mt_buf_addz(out, r->items[i].value ? " is true" : " is false");
    }
}

/* The state of an entity's bound instance after the run. */
static inline const char *fixture_state(fixture *f, const char *entity)
{
    uint32_t e = ct_model_find(f->model, CT_KIND_ENTITY, mt_str_z(entity));
    return mt_str_dup(&f->a, ct_plan_state_id(f->plan, e, f->run.states[e])).ptr;
}

#endif
