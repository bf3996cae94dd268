/* fuzz/fuzz_versions.c - two bundles from outside, compared as versions of a contract.
 * Input: a JSON array [old, new]. Whatever they are, a version does not differ from
 * itself and the migration contract elaborates and decides as the diff does. Where both
 * load, every flow begun under the old one and judged compatible can be taken up under
 * the new one and ends. */
#include <stdint.h>
#include <stdlib.h>

#include "analyze/version/compat.h"
#include "analyze/version/diff_report.h"
#include "contract/elaborate.h"
#include "contract/flow/position.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct version {
    const mt_json *tree;
    const ct_model *model;
    const ct_plan *plan;
    ct_facts *facts;
    ct_verdicts *verdicts;
    ct_run run;
} version;

static an_diff *compare(mt_arena *a, const mt_json *old, const mt_json *new)
{
    return an_diff_bundles(a, (an_diff_side){old, old}, (an_diff_side){new, new});
}

static void print(const an_diff *d)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, true);
    an_diff_json(&w, d);
    an_diff_text(&out, d);
    an_diff_text_by_class(&out, d);
    mt_buf_free(&out);
}

/* Loads, compiles, plans; false when any of it is refused. */
static bool open_text(mt_arena *a, mt_str text, version *v)
{
    mt_diags ds = {.arena = a, .limit = 10};
    return !ct_load(a, text, MT_STR("t.json"), &MT_LIMITS_DEFAULT, &ds, &v->model) &&
           !ct_plan_build(a, ct_compile(a, v->model), &ds, &v->plan);
}

/* Every fact at its default; false when one has none. */
static bool freeze(mt_arena *a, version *v)
{
    ct_fault fault;
    v->facts = ct_facts_new(v->model);
    v->verdicts = ct_verdicts_new(v->plan->program);
    return !ct_facts_read(v->facts, MT_STR("{}"), &MT_LIMITS_DEFAULT, false, &fault) &&
           !ct_evaluate(v->plan->program, v->facts, v->verdicts, a, &fault);
}

static void close_version(version *v)
{
    ct_run_free(&v->run);
    if (v->facts) {
        ct_facts_free(v->facts);
        ct_verdicts_free(v->verdicts);
    }
}

static void check_migration(mt_arena *a, const an_diff *d)
{
    mt_buf text = {0};
    mt_diags ds = {.arena = a};
    const ct_elaboration *e;
    an_migration_contract(&text, d);
    mt_memory_file file = {MT_STR("m.tenor"), mt_buf_str(&text)};
    mt_memory memory = {&file, 1};
    mt_provider files = mt_memory_provider(&memory);
    version v = {0};
    if (ct_elaborate(a, file.path, &files, NULL, &ds, &e) ||
        !open_text(a, e->bundle, &v) || !freeze(a, &v)) {
        abort();
    }
    uint32_t rule = ct_model_find(v.model, CT_KIND_VERDICT, MT_STR("policy_required"));
    bool present = rule != CT_NONE && ct_verdict_present(v.verdicts, rule);
    if (present != d->policy_required) {
        abort();
    }
    close_version(&v);
    mt_buf_free(&text);
}

static ct_run_input input_of(const version *v)
{
    return (ct_run_input){.plan = v->plan,
                          .snapshot = {v->plan->program, v->facts, v->verdicts},
                          .max_steps = 1000};
}

static void take_up(mt_arena *a, const version *old, version *new)
{
    mt_buf text = {0};
    mt_json tree;
    mt_str why;
    ct_snapshot_carry(a, &old->run.frozen.snapshot, new->plan->program, new->facts,
                      new->verdicts);
    an_position_carry(&text, &old->run, new->plan);
    ct_run_input in = input_of(new);
    if (mt_json_read(a, mt_buf_str(&text), NULL, &tree, NULL) ||
        ct_position_read(&new->run, &in, &tree, &why)) {
        abort();
    }
    ct_run_all(&new->run);
    mt_buf_free(&text);
}

static void judge_flows(mt_arena *a, version *old, version *new)
{
    const ct_model *m = old->model;
    mt_str *names = mt_new_array(a, mt_str, m->entity_count);
    uint32_t *states = mt_new_array(a, uint32_t, m->entity_count);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        names[e] = MT_STR("x");
        states[e] = m->entities[e].initial;
    }
    for (uint32_t f = 0; f < m->flow_count && f < 8; f++) {
        ct_run_input in = input_of(old);
        an_compatibility c;
        in.flow = f;
        in.persona = m->persona_count ? m->personas[0].id : MT_STR("p");
        in.instances = names;
        in.states = states;
        ct_run_status status = ct_run_start(&old->run, &in);
        for (int i = 0; i < 4 && status == CT_RUN_MORE; i++) {
            an_compat(a, &old->run, new->plan, NULL, &c);
            if (c.compatible) {
                take_up(a, old, new);
            } else if (!c.obstacles.len || !c.obstacles.items[0].reason.len) {
                abort();
            }
            status = ct_run_step(&old->run);
        }
    }
}

static void run_both(mt_arena *a, version *v)
{
    mt_buf texts[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        mt_json_write(&texts[i], v[i].tree, false);
    }
    if (open_text(a, mt_buf_str(&texts[0]), &v[0]) &&
        open_text(a, mt_buf_str(&texts[1]), &v[1]) && freeze(a, &v[0])) {
        freeze(a, &v[1]);
        judge_flows(a, &v[0], &v[1]);
    }
    mt_buf_free(&texts[0]);
    mt_buf_free(&texts[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_json tree;
    mt_str text = mt_str_from((const char *)data, size);
    if (!mt_json_read(&a, text, NULL, &tree, NULL) && tree.type == MT_JSON_ARRAY &&
        tree.count == 2) {
        version v[2] = {{.tree = &tree.as.items[0]}, {.tree = &tree.as.items[1]}};
        const an_diff *d = compare(&a, v[0].tree, v[1].tree);
        if (compare(&a, v[0].tree, v[0].tree)->entry_count) {
            abort();
        }
        print(d);
        check_migration(&a, d);
        run_both(&a, v);
        close_version(&v[0]);
        close_version(&v[1]);
    }
    mt_arena_free(&a);
    return 0;
}
