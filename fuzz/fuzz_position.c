/* fuzz/fuzz_position.c - a flow's position from outside is refused or runs to its end.
 * Whatever is accepted is written down again, read again and gives the same bytes; the
 * run that goes on from it ends, and its result can be printed. */
#include <stdint.h>
#include <stdlib.h>

#include "../tests/unit/contract/position_bundle.h"
#include "contract/eval/facts.h"
#include "contract/flow/position.h"
#include "contract/flow/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct world {
    mt_arena a;
    const ct_plan *plan;
    ct_facts *facts;
    ct_verdicts *verdicts;
    ct_run run, again;
} world;

static void open_world(world *w)
{
    mt_diags ds = {.arena = &w->a};
    const ct_model *m;
    ct_fault fault;
    if (ct_load(&w->a, fixture_json(&w->a, POSITION_BUNDLE), MT_STR("t.json"),
                &MT_LIMITS_DEFAULT, &ds, &m) ||
        ct_plan_build(&w->a, ct_compile(&w->a, m), &ds, &w->plan)) {
        abort();
    }
    w->facts = ct_facts_new(m);
    w->verdicts = ct_verdicts_new(w->plan->program);
    if (ct_facts_read(w->facts, MT_STR("{\"go\":true,\"no\":false}"),
                      &MT_LIMITS_DEFAULT, true, &fault) ||
        ct_evaluate(w->plan->program, w->facts, w->verdicts, &w->a, &fault)) {
        abort();
    }
}

static void write_and_read_again(world *w, const ct_run_input *in, mt_arena *a)
{
    mt_buf first = {0}, second = {0};
    mt_json tree;
    mt_str why;
    ct_position_write(&first, &w->run);
    if (mt_json_read(a, mt_buf_str(&first), NULL, &tree, NULL) ||
        ct_position_read(&w->again, in, &tree, &why)) {
        abort();
    }
    ct_position_write(&second, &w->again);
    if (!mt_str_eq(mt_buf_str(&first), mt_buf_str(&second))) {
        abort();
    }
    mt_buf_free(&first);
    mt_buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    if (!w.plan) {
        open_world(&w);
    }
    mt_arena a = {0};
    mt_json tree;
    mt_str text = {(const char *)data, size}, why;
    ct_run_input in = {.plan = w.plan,
                       .snapshot = {w.plan->program, w.facts, w.verdicts},
                       .max_steps = 1000};
    if (mt_json_read(&a, text, NULL, &tree, NULL) == MT_OK &&
        ct_position_read(&w.run, &in, &tree, &why) == MT_OK) {
        write_and_read_again(&w, &in, &a);
        while (ct_run_step(&w.run) == CT_RUN_MORE) {
        }
        mt_buf out = {0};
        ct_run_json(&out, &w.run);
        mt_buf_free(&out);
    }
    mt_arena_free(&a);
    return 0;
}
