/* Replayed ledgers: whatever the records say, nothing crashes, no decision is counted
 * twice, and a second replay gives the same. Each line is the body of a record. */
#include <stdlib.h>

#include "contract/elaborate.h"
#include "whatif/whatif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char SOURCE[] =
    "persona clerk\npersona boss\n"
    "fact fine { type: Bool source: \"desk.fine\" default: true }\n"
    "fact amount { type: Int(min: 0, max: 100) source: \"desk.amount\" }\n"
    "entity Doc { states: [s0, s1, s2] initial: s0\n"
    "  transitions: [(s0, s1), (s1, s2), (s1, s0)] }\n"
    "rule ok { stratum: 0 when: fine = true and amount > 5\n"
    "  produce: verdict ok { payload: Bool = true } }\n"
    "operation one { allowed_personas: [clerk] precondition: fine = true\n"
    "  effects: [(Doc, s0, s1)] outcomes: [done] }\n"
    "operation two { personas: [clerk] require: verdict_present(ok)\n"
    "  outcomes: [up, down] effects: [Doc: s1 -> s2 -> up, Doc: s1 -> s0 -> down] }\n"
    "flow inner { snapshot: at_initiation entry: x steps: {\n"
    "  x: OperationStep { op: two persona: clerk outcomes: { up: Terminal(success), "
    "down: Terminal(failure) } on_failure: Terminate(outcome: failure) } } }\n"
    "flow outer { snapshot: at_initiation entry: a steps: {\n"
    "  a: OperationStep { op: one persona: clerk outcomes: { done: b } on_failure: "
    "Terminate(outcome: failure) }\n"
    "  b: BranchStep { condition: verdict_present(ok) persona: clerk if_true: c "
    "if_false: Terminal(failure) }\n"
    "  c: SubFlowStep { flow: inner persona: clerk on_success: Terminal(success) "
    "on_failure: Terminate(outcome: failure) } } }\n";

static const ct_plan *candidate(void)
{
    static mt_arena a;
    static const ct_plan *plan;
    if (!plan) {
        mt_diags ds = {.arena = &a};
        mt_memory_file file = {MT_STR("desk.tenor"), mt_str_z(SOURCE)};
        mt_memory memory = {&file, 1};
        mt_provider files = mt_memory_provider(&memory);
        const ct_elaboration *e;
        const ct_model *m;
        if (ct_elaborate(&a, file.path, &files, NULL, &ds, &e) ||
            ct_load(&a, e->bundle, file.path, &MT_LIMITS_DEFAULT, &ds, &m) ||
            ct_plan_build(&a, ct_compile(&a, m), &ds, &plan)) {
            MT_BUG("the contract of the fuzzer is wrong");
        }
    }
    return plan;
}

typedef struct story {
    mt_buf text;
    uint64_t found;
} story;

static void note(void *state, const wi_whatif_difference *d)
{
    story *s = state;
    s->found++;
    wi_whatif_json(&s->text, d);
    wi_whatif_text(&s->text, d);
}

static void replay(mt_str rest, story *s)
{
    wi_whatif_options o = {
        .candidate = candidate(), .explain = SIZE_MAX, .found = note, .state = s};
    wi_whatif *w = wi_whatif_new(&o);
    for (uint64_t seq = 0; rest.len; seq++) {
        size_t end = mt_str_find(rest, '\n');
        (void)wi_whatif_record(w, seq, mt_str_from(rest.ptr, end));
        rest = mt_str_skip(rest, end + 1);
    }
    (void)wi_whatif_end(w);
    const wi_whatif_counts *n = wi_whatif_result(w);
    if (n->differing != s->found || n->differing > n->operations + n->flows) {
        MT_BUG("differences are not counted right");
    }
    wi_whatif_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    story first = {0}, second = {0};
    char *copy = malloc(size ? size : 1); /* its end is guarded */
    if (!copy) {
        return 0;
    }
    memcpy(copy, data, size);
    replay(mt_str_from(copy, size), &first);
    replay(mt_str_from(copy, size), &second);
    if (!mt_str_eq(mt_buf_str(&first.text), mt_buf_str(&second.text))) {
        MT_BUG("two replays differ");
    }
    mt_buf_free(&first.text);
    mt_buf_free(&second.text);
    free(copy);
    return 0;
}
