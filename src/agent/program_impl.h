/* agent/program_impl.h - the inside of a compiled program.
 * Room: agent. May include base/ only. For program.c, tape.c and cycle*.c. */
#ifndef AG_PROGRAM_IMPL_H
#define AG_PROGRAM_IMPL_H

#include "agent/program.h"
#include "base/map.h"
#include "base/vec.h"

/* A route as symbols; part k ends before end[k]. */
typedef struct ag_nodes {
    ag_symbol *symbols;
    uint32_t end[AG_PARTS]; /* where each part of the route ends */
} ag_nodes;

/* A registration found by a symbol. */
typedef struct ag_hit {
    uint32_t index;
    uint32_t gate; /* receivers: which source gate */
} ag_hit;

/* The hits of symbol s are hits[start[s] .. start[s + 1]). */
typedef struct ag_rows {
    uint32_t *start, *next; /* by symbol: where its hits begin, and where to put one */
    ag_hit *hits;
} ag_rows;

/* Where a receiver stands in the order of calls. */
typedef struct ag_place {
    uint32_t rank;  /* profile: equal for equal (priority, route); compat: position */
    uint32_t batch; /* equal for equal priority */
    bool live;      /* compat: false when a later registration replaced it */
} ag_place;

typedef struct ag_sender_form {
    ag_nodes nodes;
    uint32_t rank;
    uint32_t first; /* first sender on the same route */
} ag_sender_form;

struct ag_program {
    mt_arena arena;
    const ag_agent *agent;
    mt_limits limits;
    mt_map names; /* canonical text to symbol */
    MT_VEC(const ag_node *) nodes;
    uint32_t form_count; /* symbols below are forms, the others plain names */
    ag_gate *gates;      /* by symbol */
    const uint64_t *no_forms;
    ag_nodes *receivers;
    ag_place *places;
    ag_rows eligible;    /* by state: gates with a finite answer */
    MT_VEC(ag_hit) wild; /* gates that also accept unknown names */
    MT_VEC(uint32_t) initial;
    ag_sender_form *senders;
    ag_rows anchored[AG_PARTS]; /* by receiver node: senders that need it */
    MT_VEC(uint32_t) wild_senders;
    MT_VEC(uint32_t) ticks; /* senders that wait for nothing (compat) */
    uint32_t *hooks[2];     /* by direction, in order */
    uint32_t hook_count[2];
};

/* Would the sender hear this receiver? By routes alone, not by filters. */
bool ag_program_compatible(const ag_program *p, uint32_t sender, uint32_t receiver);

#endif
