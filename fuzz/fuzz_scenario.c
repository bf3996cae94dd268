/* fuzz/fuzz_scenario.c - scenario and agent files: what is accepted runs, in whatever
 * order handlers answer, to the same trace; the trace agrees with itself; saved state
 * loads. */
#include <stddef.h>
#include <stdint.h>

#include "agent/scenario.h"
#include "agent/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mt_limits small_limits(void)
{
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.agent_activations = 2000;
    limits.agent_emissions = 2000;
    limits.agent_tape_nodes = 2000;
    return limits;
}

static void check_saving(mt_arena *a, const ag_scenario *s, const mt_limits *limits)
{
    ag_actor *x = ag_actor_new(&s->file, limits), *y = ag_actor_new(&s->file, limits);
    mt_buf once = {0}, twice = {0};
    mt_json saved;
    ag_actor_save(x, &once);
    MT_ASSERT(mt_json_read(a, mt_buf_str(&once), NULL, &saved, NULL) == MT_OK);
    MT_ASSERT(ag_actor_load(y, &saved) == MT_OK);
    ag_actor_save(y, &twice);
    MT_ASSERT(mt_str_eq(mt_buf_str(&once), mt_buf_str(&twice)));
    mt_buf_free(&once);
    mt_buf_free(&twice);
    ag_actor_free(x);
    ag_actor_free(y);
}

static void check_run(mt_arena *a, const ag_scenario *s)
{
    mt_buf once = {0}, twice = {0};
    mt_limits limits = small_limits();
    bool same;
    mt_str where;
    ag_scenario_run(s, &limits, AG_FORWARD, NULL, NULL, &once);
    ag_scenario_run(s, &limits, AG_REVERSE, NULL, NULL, &twice);
    MT_ASSERT(mt_str_eq(mt_buf_str(&once), mt_buf_str(&twice)));
    MT_ASSERT(ag_trace_compare(a, mt_buf_str(&once), mt_buf_str(&twice),
                               &(ag_compare){0}, &same, &where) == MT_OK);
    MT_ASSERT(same);
    check_saving(a, s, &limits);
    mt_buf_free(&once);
    mt_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_json *tree = mt_new(&a, mt_json);
    mt_diags ds = {.arena = &a};
    ag_scenario s;
    mt_str text = mt_str_from((const char *)data, size);
    if (size < 65536 && !mt_json_read(&a, text, NULL, tree, NULL) &&
        !ag_scenario_read(&a, MT_STR("fuzz"), text, tree, MT_STR(""), MT_STR(""), NULL,
                          &ds, &s)) {
        check_run(&a, &s);
    }
    mt_arena_free(&a);
    return 0;
}
