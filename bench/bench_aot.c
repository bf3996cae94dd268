/* bench/bench_aot.c - the escrow contract as generated C (motet generate c), beside the
 * same decision written by hand and beside the engine.
 * aot.typed_2: facts in structs to verdicts with provenance; aot.json_2: from JSON text
 * to JSON text; aot.flow: rules evaluated and standard_release run to its end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "aot_escrow.h"
#include "bench.h"
#include "contract/eval/facts.h"
#include "contract/flow/run.h"
#include "contract/flow/states.h"
#include "escrow_by_hand.h"

static const char FACTS[] =
    "{\n  \"escrow_amount\": {\"amount\": \"8500.00\", \"currency\": \"USD\"},\n"
    "  \"delivery_status\": \"confirmed\",\n  \"compliance_threshold\": {\"amount\": "
    "\"10000.00\", \"currency\": \"USD\"},\n  \"buyer_requested_refund\": false,\n"
    "  \"line_items\": [\n    {\"id\": \"L1\", \"description\": \"Widget A\", "
    "\"amount\": {\"amount\": \"5000.00\", \"currency\": \"USD\"}, \"valid\": true},\n"
    "    {\"id\": \"L2\", \"description\": \"Widget B\", \"amount\": {\"amount\": "
    "\"3500.00\", \"currency\": \"USD\"}, \"valid\": true}\n  ]\n}\n";

typedef struct world {
    /* the engine */
    mt_arena a;
    const ct_plan *plan;
    ct_facts *facts;
    ct_verdicts *verdicts;
    ct_run run;
    ct_run_input input;
    mt_buf out;
    /* by hand */
    hand_facts hand;
    hand_verdicts hand_verdicts;
    /* generated */
    aot_escrow_facts aot;
    aot_escrow_verdicts aot_verdicts;
    aot_escrow_states states;
    aot_escrow_room room;
    char json[1 << 16];
    size_t json_len;
} world;

static _Alignas(16) char memory[1 << 20];

static _Noreturn void stop(const char *why)
{
    fprintf(stderr, "bench_aot: %s\n", why);
    exit(1);
}

static mt_str read_bundle(mt_arena *a)
{
    FILE *f = fopen(TEST_DATA "/escrow.bundle.json", "rb");
    if (!f) {
        stop("no bundle");
    }
    char *text = mt_alloc(a, 1 << 20);
    size_t len = fread(text, 1, 1 << 20, f);
    fclose(f);
    return mt_str_from(text, len);
}

static void open_engine(world *w)
{
    mt_diags ds = {.arena = &w->a};
    const ct_model *m;
    ct_fault fault;
    if (ct_load(&w->a, read_bundle(&w->a), MT_STR("escrow"), NULL, &ds, &m) ||
        ct_plan_build(&w->a, ct_compile(&w->a, m), &ds, &w->plan)) {
        stop("the contract does not load");
    }
    w->facts = ct_facts_new(m);
    w->verdicts = ct_verdicts_new(w->plan->program);
    if (ct_facts_read(w->facts, mt_str_from(FACTS, sizeof FACTS - 1), NULL, false,
                      &fault)) {
        stop("the facts have a fault");
    }
    ct_states states = ct_states_new(&w->a, m);
    ct_binding binding = ct_binding_new(&w->a, m);
    ct_states_add_initial(&w->a, &states);
    ct_binding_resolve(&binding, &states, true);
    w->input = (ct_run_input){
        .plan = w->plan,
        .snapshot = {w->plan->program, w->facts, w->verdicts},
        .flow = ct_model_find(m, CT_KIND_FLOW, MT_STR("standard_release")),
        .persona = MT_STR("seller"),
        .instances = binding.instances,
        .states = binding.states};
}

static void open_generated(world *w)
{
    aot_escrow_fault fault;
    w->room.memory = memory;
    w->room.size = sizeof memory;
    if (aot_escrow_facts_read(&w->aot, &w->room, aot_escrow_text_of(FACTS), false,
                              &fault)) {
        stop("the facts have a fault");
    }
    aot_escrow_states_start(&w->states);
}

/* ---- What is measured ---- */

static void typed_by_hand(void *state, uint64_t n)
{
    world *w = state;
    for (uint64_t i = 0; i < n; i++) {
        bench_keep(&w->hand);
        hand_decide(&w->hand, &w->hand_verdicts);
        bench_keep(&w->hand_verdicts);
    }
}

static void typed(void *state, uint64_t n)
{
    world *w = state;
    aot_escrow_fault fault;
    for (uint64_t i = 0; i < n; i++) {
        bench_keep(&w->aot);
        aot_escrow_evaluate(&w->aot, &w->aot_verdicts, &w->room, &fault);
        bench_keep(&w->aot_verdicts);
    }
}

static void json_by_engine(void *state, uint64_t n)
{
    world *w = state;
    ct_fault fault;
    for (uint64_t i = 0; i < n; i++) {
        mt_buf_clear(&w->out);
        ct_facts_read(w->facts, mt_str_from(FACTS, sizeof FACTS - 1), NULL, false,
                      &fault);
        ct_evaluate(w->plan->program, w->facts, w->verdicts, &w->a, &fault);
        ct_verdicts_json(&w->out, w->verdicts);
        bench_keep(w->out.ptr);
    }
}

static void json(void *state, uint64_t n)
{
    world *w = state;
    aot_escrow_text text = {FACTS, sizeof FACTS - 1};
    for (uint64_t i = 0; i < n; i++) {
        aot_escrow_eval_json(text, false, true, &w->room, w->json, sizeof w->json,
                             &w->json_len);
        bench_keep(w->json);
    }
}

static void flow_by_engine(void *state, uint64_t n)
{
    world *w = state;
    ct_fault fault;
    for (uint64_t i = 0; i < n; i++) {
        ct_evaluate(w->plan->program, w->facts, w->verdicts, &w->a, &fault);
        ct_run_start(&w->run, &w->input);
        ct_run_all(&w->run);
        bench_keep(&w->run);
    }
}

static void flow(void *state, uint64_t n)
{
    world *w = state;
    aot_escrow_fault fault;
    aot_escrow_end end;
    size_t used = w->room.used;
    for (uint64_t i = 0; i < n; i++) {
        w->room.used = used;
        aot_escrow_evaluate(&w->aot, &w->aot_verdicts, &w->room, &fault);
        aot_escrow_run(&w->aot, &w->aot_verdicts, &w->states,
                       AOT_ESCROW_FLOW_STANDARD_RELEASE, aot_escrow_text_of("seller"),
                       (aot_escrow_text){NULL, 0}, &w->room, &end);
        bench_keep(&end);
        if (!end.done || end.change_count != 2) {
            stop("the flow went another way");
        }
    }
}

/* All three decide the same, byte for byte. */
static void compare(world *w)
{
    mt_buf by_hand = {0};
    json_by_engine(w, 1);
    json(w, 1);
    if (!hand_read(mt_str_from(FACTS, sizeof FACTS - 1), &w->hand)) {
        stop("the facts are not read by hand");
    }
    hand_decide(&w->hand, &w->hand_verdicts);
    hand_print(&by_hand, &w->hand_verdicts);
    if (!mt_str_eq(mt_buf_str(&w->out), mt_str_from(w->json, w->json_len)) ||
        !mt_str_eq(mt_buf_str(&w->out), mt_buf_str(&by_hand))) {
        stop("results differ");
    }
    mt_buf_free(&by_hand);
}

int main(int argc, char **argv)
{
    static world w;
    open_engine(&w);
    open_generated(&w);
    compare(&w);
    if (argc > 1) { /* a thousand of one, for whoever counts instructions */
        void (*const WORK[])(void *, uint64_t) = {
            typed_by_hand, typed, json_by_engine, json, flow_by_engine, flow};
        WORK[atoi(argv[1]) % 6](&w, 1000);
        return 0;
    }
    double hand = bench_ns(typed_by_hand, &w);
    bench_report("aot.typed_2", bench_ns(typed, &w), "ns", "eval.c_typed_2", hand,
                 hand * 1.3, BENCH_LOWER);
    double engine = bench_ns(json_by_engine, &w);
    bench_report("aot.json_2", bench_ns(json, &w), "ns", "eval.json_2", engine, engine,
                 BENCH_LOWER);
    engine = bench_ns(flow_by_engine, &w);
    bench_report("aot.flow", bench_ns(flow, &w), "ns", "eval.flow", engine, NAN,
                 BENCH_LOWER);
    return 0;
}
