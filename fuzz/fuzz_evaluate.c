/* fuzz/fuzz_evaluate.c - a bundle, a NUL byte, facts: evaluated twice with the same
 * result, conditions too. */
#include "contract/eval/facts.h"
#include "contract/eval/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_conditions(mt_arena *a, const ct_snapshot *s)
{
    const ct_model *m = ct_program_model(s->program);
    ct_verdicts *scratch = ct_verdicts_new(s->program);
    for (uint32_t i = 0; i < m->condition_count; i++) {
        bool holds = false, again = false;
        ct_fault fault = {0};
        ct_used used = {0};
        mt_err one = ct_holds(s, i, scratch, &holds, a, &used, &fault);
        mt_err two = ct_holds_expr(s, m->conditions[i], &again, a, NULL, &fault);
        MT_ASSERT(one == two && holds == again);
        if (one == MT_OK) {
            ct_used_closure(a, s, used);
        }
    }
    ct_verdicts_free(scratch);
}

static void evaluate(mt_arena *a, const ct_model *m, mt_str facts)
{
    const ct_program *p = ct_compile(a, m);
    ct_facts *f = ct_facts_new(m);
    ct_verdicts *v = ct_verdicts_new(p);
    ct_fault fault = {0};
    mt_buf first = {0}, second = {0};
    if (ct_facts_read(f, facts, NULL, false, &fault) == MT_OK &&
        ct_evaluate(p, f, v, a, &fault) == MT_OK) {
        ct_verdicts_json(&first, v);
        MT_ASSERT(ct_evaluate(p, f, v, a, &fault) == MT_OK);
        ct_verdicts_json(&second, v);
        MT_ASSERT(mt_str_eq(mt_buf_str(&first), mt_buf_str(&second)));
        try_conditions(a, &(ct_snapshot){p, f, v});
    } else {
        MT_ASSERT(fault.kind != CT_FAULT_NONE && fault.message.len);
    }
    mt_buf_free(&first);
    mt_buf_free(&second);
    ct_facts_free(f);
    ct_verdicts_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str text = mt_str_from((const char *)data, size);
    size_t end = mt_str_find(text, '\0');
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m = NULL;
    mt_str bundle = mt_str_from(text.ptr, end);
    if (ct_load(&a, bundle, MT_STR("fuzz"), NULL, &ds, &m) == MT_OK) {
        evaluate(&a, m, mt_str_skip(text, end + 1));
    }
    mt_arena_free(&a);
    return 0;
}
