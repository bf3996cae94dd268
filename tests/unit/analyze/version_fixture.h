/* tests/unit/analyze/version_fixture.h - contract versions from source, ready to run
 * and to be compared. */
#ifndef VERSION_FIXTURE_H
#define VERSION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyze/version/compat.h"
#include "contract/elaborate.h"
#include "contract/flow/position.h"
#include "contract/flow/states.h"

typedef struct version {
    mt_arena a;
    mt_diags ds;
    char *text; /* interchange; a test may write into it */
    mt_str bundle;
    mt_json tree;
    const ct_model *model;
    const ct_plan *plan;
    ct_facts *facts;
    ct_verdicts *verdicts;
    ct_run run;
} version;

static inline void version_show(const version *v)
{
    for (size_t i = 0; i < v->ds.len; i++) {
        print_error("%u: %.*s\n", v->ds.items[i].line, MT_ARG(v->ds.items[i].message));
    }
}

/* Interchange of a source text. */
static inline void version_elaborate(version *v, const char *source)
{
    mt_memory_file file = {MT_STR("t.tenor"), mt_str_z(source)};
    mt_memory memory = {&file, 1};
    mt_provider provider = mt_memory_provider(&memory);
    const ct_elaboration *e;
    *v = (version){0};
    v->ds.arena = &v->a;
    if (ct_elaborate(&v->a, file.path, &provider, NULL, &v->ds, &e)) {
        version_show(v);
        fail_msg("does not elaborate:\n%s", source);
    }
    v->text = mt_alloc(&v->a, e->bundle.len + 1);
    memcpy(v->text, e->bundle.ptr, e->bundle.len);
    v->text[e->bundle.len] = '\0';
    v->bundle = mt_str_from(v->text, e->bundle.len);
}

static inline void version_read(version *v)
{
    mt_json_error error;
    if (mt_json_read(&v->a, v->bundle, NULL, &v->tree, &error)) {
        fail_msg("no JSON: %s at %zu", error.message, error.offset);
    }
}

/* The plan of v->bundle. */
static inline void version_load(version *v)
{
    version_read(v);
    if (ct_load(&v->a, v->bundle, MT_STR("t"), NULL, &v->ds, &v->model) ||
        ct_plan_build(&v->a, ct_compile(&v->a, v->model), &v->ds, &v->plan)) {
        version_show(v);
        fail_msg("does not load:\n%.*s", MT_ARG(v->bundle));
    }
    v->facts = ct_facts_new(v->model);
    v->verdicts = ct_verdicts_new(v->plan->program);
}

static inline void version_open(version *v, const char *source)
{
    version_elaborate(v, source);
    version_load(v);
}

static inline void version_close(version *v)
{
    ct_run_free(&v->run);
    if (v->facts) {
        ct_facts_free(v->facts);
        ct_verdicts_free(v->verdicts);
    }
    mt_arena_free(&v->a);
}

static inline ct_snapshot version_snapshot(const version *v)
{
    return (ct_snapshot){v->plan->program, v->facts, v->verdicts};
}

/* Freezes the facts and begins a flow with every entity in its initial state. */
static inline void version_begin(version *v, const char *facts, const char *flow,
                                 const char *persona)
{
    ct_fault fault;
    if (ct_facts_read(v->facts, mt_str_z(facts), NULL, false, &fault) ||
        ct_evaluate(v->plan->program, v->facts, v->verdicts, &v->a, &fault)) {
        fail_msg("facts: %.*s", MT_ARG(fault.message));
    }
    ct_states states = ct_states_new(&v->a, v->model);
    ct_binding binding = ct_binding_new(&v->a, v->model);
    ct_states_add_initial(&v->a, &states);
    ct_states_seal(&states);
    ct_binding_resolve(&binding, &states, true);
    ct_run_input in = {.plan = v->plan,
                       .snapshot = version_snapshot(v),
                       .flow = ct_model_find(v->model, CT_KIND_FLOW, mt_str_z(flow)),
                       .persona = mt_str_z(persona),
                       .instances = binding.instances,
                       .states = binding.states};
    assert_int_equal(ct_run_start(&v->run, &in), CT_RUN_MORE);
}

/* Steps until `step` is due. */
static inline void version_reach(version *v, const char *step)
{
    uint32_t undo;
    for (;;) {
        uint32_t at = ct_run_next(&v->run, &undo);
        assert_int_not_equal(at, CT_NONE); /* the flow never stands there */
        if (mt_str_eq(v->plan->steps[at].id, mt_str_z(step))) {
            return;
        }
        ct_run_step(&v->run);
    }
}

/* Takes the run of `from` up under `to`: its position and its frozen snapshot. */
static inline ct_run_status version_migrate_with(version *from, version *to,
                                                 ct_host host)
{
    mt_buf text = {0};
    mt_json *tree = mt_new(&to->a, mt_json);
    mt_str why = {0};
    ct_snapshot frozen = from->run.frozen.snapshot;
    ct_snapshot_carry(&to->a, &frozen, to->plan->program, to->facts, to->verdicts);
    an_position_carry(&text, &from->run, to->plan);
    mt_str kept = mt_str_dup(&to->a, mt_buf_str(&text));
    mt_buf_free(&text);
    assert_int_equal(mt_json_read(&to->a, kept, NULL, tree, NULL), MT_OK);
    ct_run_input in = {
        .plan = to->plan, .snapshot = version_snapshot(to), .host = host};
    if (ct_position_read(&to->run, &in, tree, &why)) {
        fail_msg("the carried position is refused: %.*s\n%.*s", MT_ARG(why),
                 MT_ARG(kept));
    }
    return ct_run_all(&to->run);
}

static inline ct_run_status version_migrate(version *from, version *to)
{
    return version_migrate_with(from, to, (ct_host){0});
}

#endif
