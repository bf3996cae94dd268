/* The escrow contract inside a C program, without Motet: see docs/how-to/generate.md.
 *
 *     motet generate c escrow.tenor --out gen
 *     cc -std=c11 -Igen decide.c gen/escrow.c -o decide */
#include <stdio.h>
#include <string.h>

#include "escrow.h"

/* 8500.00 and the like. */
static escrow_decimal cents(uint64_t amount)
{
    return (escrow_decimal){.lo = amount, .scale = 2};
}

int main(void)
{
    static _Alignas(16) char memory[1 << 16];
    escrow_room room = {.memory = memory, .size = sizeof memory};
    escrow_facts facts;
    escrow_verdicts verdicts;
    escrow_fault fault;
    escrow_line_items_item items[] = {{.id = escrow_text_of("L1"),
                                       .description = escrow_text_of("Widget"),
                                       .amount = cents(850000),
                                       .valid = true}};

    escrow_facts_start(&facts); /* defaults */
    facts.escrow_amount = cents(850000);
    facts.delivery_status = ESCROW_DELIVERY_STATUS_CONFIRMED;
    facts.line_items = (escrow_line_items){items, 1};
    facts.given[ESCROW_FACT_ESCROW_AMOUNT] = 1;
    facts.given[ESCROW_FACT_DELIVERY_STATUS] = 1;
    facts.given[ESCROW_FACT_LINE_ITEMS] = 1;
    if (escrow_facts_check(&facts, &room, &fault) ||
        escrow_evaluate(&facts, &verdicts, &room, &fault)) {
        printf("%s: %.*s\n", escrow_fault_name(fault.kind), (int)fault.message.len,
               fault.message.ptr);
        return 1;
    }
    const escrow_text *release = escrow_verdict_release_approved(&verdicts);
    printf("release: %.*s\n", release ? (int)release->len : 2,
           release ? release->ptr : "no");
    printf("refund: %s\n", escrow_verdict_refund_approved(&verdicts) ? "yes" : "no");

    escrow_states states; /* yours: a row of a table, a field of an object */
    escrow_attempt attempt;
    escrow_states_start(&states);
    if (escrow_operate(&facts, &verdicts, &states, ESCROW_OPERATION_RELEASE_ESCROW,
                       escrow_text_of("escrow_agent"), escrow_text_of(NULL), &room,
                       &attempt)) {
        return 1;
    }
    printf("release_escrow: %.*s, %u change(s)\n", (int)attempt.outcome.len,
           attempt.outcome.ptr, attempt.change_count);
    escrow_apply(&states, attempt.changes, attempt.change_count);
    escrow_operate(&facts, &verdicts, &states, ESCROW_OPERATION_RELEASE_ESCROW,
                   escrow_text_of("escrow_agent"), escrow_text_of(NULL), &room,
                   &attempt);
    printf("again: %.*s\n", (int)attempt.message.len, attempt.message.ptr);
    return 0;
}
