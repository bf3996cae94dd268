/* fuzz/fuzz_library.c - any bytes through every function of motet.h that takes JSON or
 * text. The first byte chooses the function, the rest is what it is given. There is an
 * answer in every case, its code is one of four, what is refused says why, and the same
 * bytes get the same answer again. */
#include <stdlib.h>
#include <string.h>

#include "motet.h"

static const char SOURCE[] =
    "persona clerk\n"
    "fact n { type: Int(0, 9) source: \"desk\" }\n"
    "fact t { type: Text(max_length: 9) source: \"desk\" default: \"a\" }\n"
    "entity Case { states: [open, closed] initial: open transitions: [(open, closed)] "
    "}\n"
    "rule r { stratum: 0 when: n > 5 produce: verdict big { payload: Bool = true } }\n"
    "operation close { allowed_personas: [clerk] precondition: verdict_present(big)\n"
    "  effects: [(Case, open, closed)] error_contract: [precondition_failed] }\n"
    "flow shut { snapshot: at_initiation entry: s steps: {\n"
    "  s: OperationStep { op: close persona: clerk outcomes: { success: Terminal(done) "
    "}\n"
    "    on_failure: Terminate(outcome: failed) } } }\n";
static const char GRAPH[] = "kind: cluster\nid: g\nversion: \"1.0.0\"\nnodes:\n  one: "
                            "{impl: number_source@0.1.0}\n"
                            "edges: []\noutputs: []\n";
static const char AGENT[] =
    "{\"agent\":\"a\",\"tape\":{\"shape\":\"many\",\"start\":[\"A\"]},\"receivers\":"
    "[{\"name\":\"r\",\"route\":\"A --[f]--> B\",\"rules\":[{\"do\":\"move\"}]}]}";

/* Without what asks the solver: it would be all that is measured. */
static const char *const COMMANDS[] = {"elaborate", "eval",    "partial", "act",
                                       "actions",   "analyze", "draw",    "check"};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

typedef struct world {
    motet_contract *contract;
    motet_primitives *primitives;
    motet_graph *graph;
    motet_agent *agent;
} world;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static motet_str str(const char *text)
{
    return (motet_str){text, strlen(text)};
}

static const world *once(void)
{
    static world w;
    if (!w.contract) {
        if (motet_contract_load(str(SOURCE), "a.tenor", &w.contract)) {
            abort();
        }
        w.primitives = motet_primitives_new();
        (void)motet_graph_load(w.primitives, str(GRAPH), "g.yaml", &w.graph);
        (void)motet_agent_load(str(AGENT), "a.json", &w.agent);
    }
    return &w;
}

/* In pieces of odd sizes. */
static motet_status check(motet_str given, motet_answer **out)
{
    motet_ledger_check *c;
    motet_status status = motet_ledger_check_new((motet_str){NULL, 0}, &c);
    for (size_t at = 0, piece = 1; !status && at < given.len; at += piece, piece += 2) {
        size_t rest = given.len - at;
        status = motet_ledger_check_feed(
            c, (motet_str){given.ptr + at, rest < piece ? rest : piece});
    }
    status = motet_ledger_check_end(c, out);
    motet_ledger_check_free(c);
    return status;
}

static motet_status ask(const world *w, unsigned which, motet_str given,
                        motet_answer **out)
{
    motet_str none = {NULL, 0};
    if (which < COMMAND_COUNT) {
        return motet_contract_ask(w->contract, COMMANDS[which], given, out);
    }
    switch (which - COMMAND_COUNT) {
    case 0: return motet_contract_diff(w->contract, w->contract, given, out);
    case 1: return motet_format(given, "a.tenor", out);
    case 2: return motet_graph_ask(w->graph, "run", none, given, out);
    case 3: return motet_graph_ask(w->graph, "run", given, none, out);
    case 4: return motet_graph_ask(w->graph, "replay", none, given, out);
    case 5: return motet_graph_whatif(NULL, w->graph, given, out);
    case 6: return motet_agent_harness(given, none, out);
    case 7: return motet_agent_ask(w->agent, "dna", given, out);
    case 8: return motet_ledger_verify(given, none, out);
    case 9: return motet_ledger_verify(none, given, out);
    case 10: return motet_receipt_verify(given, str("{\"keys\":[\"00\"]}"), out);
    case 11: return check(given, out);
    case 12: return motet_proof_verify(given, str("{\"checkpoints\":[\"\"]}"), out);
    default: return motet_receipt_verify(none, given, out);
    }
}

static void compare(const world *w, unsigned which, motet_str given)
{
    motet_answer *a = NULL, *b = NULL;
    motet_status first = ask(w, which, given, &a), again = ask(w, which, given, &b);
    motet_str x = motet_answer_text(a), y = motet_answer_text(b);
    if (!a || !b || first != again || x.len != y.len || memcmp(x.ptr, y.ptr, x.len)) {
        abort();
    }
    if (motet_answer_code(a) < 0 || motet_answer_code(a) > 3) {
        abort();
    }
    if (first == MOTET_E_USAGE && !motet_answer_message(a).len) {
        abort();
    }
    motet_answer_free(a);
    motet_answer_free(b);
}

/* Handles that are made of the bytes themselves. */
static void load(const world *w, motet_str given)
{
    motet_contract *c;
    motet_graph *g;
    motet_agent *n;
    motet_actor *x;
    motet_facts *f = motet_facts_new(w->contract);
    if (motet_contract_load(given, "x.tenor", &c) != MOTET_OK &&
        !motet_contract_message(c, 0).len) {
        abort();
    }
    motet_contract_free(c);
    (void)motet_graph_load(w->primitives, given, "x.yaml", &g);
    motet_graph_free(g);
    (void)motet_agent_load(given, "x.json", &n);
    motet_agent_free(n);
    if (motet_facts_read(f, given, true) != MOTET_OK &&
        !motet_facts_fault(f).message.len) {
        abort();
    }
    motet_facts_free(f);
    if (motet_actor_new(w->agent, NULL, &x) == MOTET_OK) {
        (void)motet_actor_receive(x, given, 0);
        (void)motet_actor_restore(x, given);
        (void)motet_actor_state(x);
    }
    motet_actor_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const world *w = once();
    if (size) {
        motet_str given = {(const char *)data + 1, size - 1};
        unsigned which = data[0] % (COMMAND_COUNT + 15);
        if (which == COMMAND_COUNT + 14) {
            load(w, given);
        } else {
            compare(w, which, given);
        }
    }
    return 0;
}
