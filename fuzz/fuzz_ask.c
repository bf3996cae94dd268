/* fuzz/fuzz_ask.c - questions about a contract: any bytes.
 * A question that is not understood names a place inside of it; the reply to one that
 * is is one JSON object, and no fact set the solver promised was refused. What is
 * written as SMT-LIB 2 ends with a question. */
#include "analyze/prove/ask.h"
#include "base/json_read.h"
#include "contract/elaborate.h"

static const char SOURCE[] =
    "persona p persona q\n"
    "entity E { states: [x, y] initial: x transitions: [(x, y), (y, x)] }\n"
    "type I { v: Int(0, 9) ok: Bool }\n"
    "type U = TaggedUnion { A: Record { k: Int(0, 9) } B: Record { t: Text(max_length: "
    "4) } }\n"
    "fact n { type: Int(0, 100) source: \"s\" }\n"
    "fact d { type: Decimal(6, 2) source: \"s\" }\n"
    "fact m { type: Money(\"USD\") source: \"s\" }\n"
    "fact c { type: Enum([\"red\", \"blue\"]) source: \"s\" }\n"
    "fact day { type: Date source: \"s\" }\n"
    "fact u { type: U source: \"s\" }\n"
    "fact l { type: List(element_type: I, max: 50) source: \"s\" }\n"
    "fact b { type: Bool source: \"s\" default: true }\n"
    "rule r { stratum: 0 when: forall i in l . i.ok produce: verdict good "
    "{ payload: Int(0, 100) = n } }\n"
    "operation go { allowed_personas: [p] precondition: verdict_present(good) and b\n"
    "  effects: [(E, x, y)] outcomes: [done] error_contract: [precondition_failed, "
    "persona_rejected] }\n"
    "operation back { allowed_personas: [p, q] precondition: n < 5\n"
    "  effects: [(E, y, x)] outcomes: [done] error_contract: [precondition_failed, "
    "persona_rejected] }\n"
    "flow w { snapshot: at_initiation entry: a steps: {\n"
    "  a: BranchStep { condition: l[0].ok persona: p if_true: Terminal(success) "
    "if_false: Terminal(failure) } } }\n";

static const ct_program *program_of(mt_arena *a)
{
    mt_memory_file file = {MT_STR("t.tenor"), MT_STR_INIT("")};
    file.text = mt_str_z(SOURCE);
    mt_memory memory = {&file, 1};
    mt_provider provider = mt_memory_provider(&memory);
    mt_diags ds = {.arena = a};
    const ct_elaboration *e = NULL;
    const ct_model *m = NULL;
    if (ct_elaborate(a, file.path, &provider, NULL, &ds, &e) != MT_OK ||
        ct_load(a, e->bundle, MT_STR("t.json"), NULL, &ds, &m) != MT_OK) {
        MT_BUG("the contract does not hold");
    }
    return ct_compile(a, m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mt_arena keep, a;
    static an_union all;
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.prove_steps = 100000;
    limits.prove_ms = 200;
    if (!all.plan) {
        mt_diags ds = {.arena = &keep};
        if (an_union_of(&keep, program_of(&keep), &ds, &all)) {
            MT_BUG("the contract has no plan");
        }
    }
    mt_str question = mt_str_from((const char *)data, size);
    limits.reach_states = 1000;
    an_asker *q = an_asker_new(&all, &limits);
    mt_buf smt2 = {0};
    an_asker_smt2(q, &smt2);
    an_reply r = an_ask(q, &a, question);
    if (smt2.len && !mt_str_ends(mt_buf_str(&smt2), MT_STR("(check-sat)\n"))) {
        MT_BUG("a script without a question");
    }
    mt_buf_free(&smt2);
    if (r.kind == AN_REPLY_FAULT) {
        if (!r.text.len || r.place > size) {
            MT_BUG("a fault without a reason or place");
        }
    } else {
        mt_json tree;
        if (mt_json_read(&a, r.json, NULL, &tree, NULL) ||
            tree.type != MT_JSON_OBJECT) {
            MT_BUG("the reply is no JSON object");
        }
    }
    if (an_asker_disagreements(q)) {
        MT_BUG("the evaluator refuses what the solver promised");
    }
    an_asker_free(q);
    mt_arena_reset(&a);
    return 0;
}
