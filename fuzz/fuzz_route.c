/* fuzz/fuzz_route.c - routes: no input crashes either parser, a canonical text reads
 * back as itself, faults point into the text, and compiled acceptance equals the naive
 * one. */
#include <stddef.h>
#include <stdint.h>

#include "agent/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_profile(mt_arena *a, mt_str text)
{
    ag_route r, again;
    ag_fault fault = {0};
    if (ag_route_parse(a, AG_PROFILE, NULL, text, &r, &fault)) {
        MT_ASSERT(fault.message);
        MT_ASSERT(fault.offset <= text.len);
        return;
    }
    MT_ASSERT(ag_route_parse(a, AG_PROFILE, NULL, r.canonical, &again, NULL) == MT_OK);
    MT_ASSERT(mt_str_eq(r.canonical, again.canonical));
    for (int part = 0; part < AG_PARTS; part++) {
        MT_ASSERT(r.count[part] == again.count[part]);
    }
}

static void check_compiled(mt_arena *a, ag_mode mode, mt_str text)
{
    ag_receiver receiver = {.parsed = true};
    if (text.len > 512 || ag_route_parse(a, mode, NULL, text, &receiver.route, NULL)) {
        return;
    }
    ag_agent agent = {.mode = mode, .receivers = &receiver, .receiver_count = 1};
    ag_program *p = ag_program_new(&agent, NULL);
    const ag_node *nodes = receiver.route.nodes;
    uint32_t count = ag_route_nodes(&receiver.route);
    for (uint32_t g = 0; g < count; g++) {
        const ag_gate *gate = ag_program_gate(p, ag_program_symbol(p, nodes[g].text));
        for (uint32_t s = 0; s < count; s++) {
            MT_ASSERT(ag_gate_accepts(gate, ag_program_symbol(p, nodes[s].text)) ==
                      ag_accepts(mode, &nodes[g], &nodes[s]));
        }
    }
    ag_program_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_str text = mt_str_from((const char *)data, size);
    check_profile(&a, text);
    check_compiled(&a, AG_PROFILE, text);
    check_compiled(&a, AG_COMPAT, text);
    mt_arena_free(&a);
    return 0;
}
