/* bench/bench_flow.c - whole flows in memory, and the action space of many instances.
 * eval.flow: rules evaluated, standard_release of the escrow contract run to its end,
 * every step recorded; from an assembled fact set. eval.actions: 100,000 instances in
 * seven states, all flows of the contract. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/unit/contract/escrow_bundle.h"
#include "bench.h"
#include "contract/eval/facts.h"
#include "contract/flow/action_space.h"
#include "contract/flow/run.h"

enum { INSTANCES = 100000 };

typedef struct world {
    mt_arena a, scratch;
    const ct_plan *plan;
    ct_facts *facts;
    ct_verdicts *verdicts, *room;
    ct_states one, many;
    ct_binding binding;
    ct_run_input input;
    ct_run run;
} world;

static void stop(const char *why)
{
    fprintf(stderr, "bench_flow: %s\n", why);
    exit(1);
}

static void evaluate(world *w)
{
    ct_fault fault;
    if (ct_evaluate(w->plan->program, w->facts, w->verdicts, &w->a, &fault)) {
        stop("the facts have a fault");
    }
}

static void open_world(world *w)
{
    mt_diags ds = {.arena = &w->a};
    const ct_model *m;
    ct_fault fault;
    if (ct_load(&w->a, fixture_json(&w->a, ESCROW), MT_STR("escrow.json"),
                &MT_LIMITS_DEFAULT, &ds, &m) ||
        ct_plan_build(&w->a, ct_compile(&w->a, m), &ds, &w->plan)) {
        stop("the contract does not load");
    }
    w->facts = ct_facts_new(m);
    w->verdicts = ct_verdicts_new(w->plan->program);
    w->room = ct_verdicts_new(w->plan->program);
    if (ct_facts_read(w->facts, fixture_json(&w->a, ESCROW_FACTS), &MT_LIMITS_DEFAULT,
                      true, &fault)) {
        stop("the facts have a fault");
    }
    evaluate(w);
}

static void fill_states(world *w)
{
    const ct_model *m = w->plan->model;
    w->one = ct_states_new(&w->a, m);
    ct_states_add_initial(&w->a, &w->one);
    w->binding = ct_binding_new(&w->a, m);
    ct_binding_resolve(&w->binding, &w->one, true);
    w->many = ct_states_new(&w->a, m);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        uint32_t entity = i % m->entity_count;
        mt_str id = mt_strf(&w->a, "instance-%06u", i);
        ct_states_put(&w->a, &w->many, entity, id,
                      (i / m->entity_count) % m->entities[entity].state_count);
    }
    ct_states_seal(&w->many);
}

static void run_flows(void *state, uint64_t n)
{
    world *w = state;
    for (uint64_t i = 0; i < n; i++) {
        evaluate(w);
        ct_run_start(&w->run, &w->input);
        ct_run_all(&w->run);
        bench_keep(&w->run);
    }
}

static void find_actions(void *state, uint64_t n)
{
    world *w = state;
    ct_frozen z = {w->plan, {w->plan->program, w->facts, w->verdicts}, w->room};
    for (uint64_t i = 0; i < n; i++) {
        ct_action_space space;
        mt_arena_reset(&w->scratch);
        ct_actions(&w->scratch, &z, &w->many, MT_STR("seller"), &space);
        bench_keep(&space);
    }
}

/* What was measured is what was meant: three steps, success, nothing allocated. */
static void check_flow(world *w)
{
    run_flows(w, 2);
    size_t before = w->run.memory.reserved + w->run.texts.reserved + w->a.reserved;
    run_flows(w, 1000);
    if (w->run.memory.reserved + w->run.texts.reserved + w->a.reserved != before) {
        stop("a run allocates after warm-up");
    }
    mt_str outcome = w->plan->terminals[w->run.outcome].name;
    if (w->run.status != CT_RUN_DONE || !mt_str_is(outcome, "success") ||
        w->run.records.len != 3 || w->run.changes.len != 2) {
        stop("the flow went another way");
    }
}

int main(void)
{
    world w = {0};
    open_world(&w);
    fill_states(&w);
    w.input = (ct_run_input){
        .plan = w.plan,
        .snapshot = {w.plan->program, w.facts, w.verdicts},
        .flow = ct_model_find(w.plan->model, CT_KIND_FLOW, MT_STR("standard_release")),
        .persona = MT_STR("seller"),
        .instances = w.binding.instances,
        .states = w.binding.states};
    check_flow(&w);
    bench_report("eval.flow", bench_ns(run_flows, &w), "ns", NULL, 0, 600, BENCH_LOWER);
    bench_report("eval.actions", bench_ns(find_actions, &w) / 1e6, "ms", NULL, 0, 20,
                 BENCH_LOWER);
    ct_run_free(&w.run);
    ct_facts_free(w.facts);
    ct_verdicts_free(w.verdicts);
    ct_verdicts_free(w.room);
    mt_arena_free(&w.scratch);
    mt_arena_free(&w.a);
    return 0;
}
