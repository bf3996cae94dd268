/* agent/cycle_impl.h - the inside of a cycle.
 * Room: agent. May include base/ only. For cycle.c, cycle_tape.c and cycle_send.c. */
#ifndef AG_CYCLE_IMPL_H
#define AG_CYCLE_IMPL_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cycle.h"
#include "agent/tape_impl.h"

/* In this order; a message that is dropped or over a limit goes straight to the
 * last. */
typedef enum ag_stage {
    AG_STAGE_HOOKS_IN,
    AG_STAGE_RECEIVERS,
    AG_STAGE_SENDERS,
    AG_STAGE_HOOKS_OUT,
    AG_STAGE_OVER
} ag_stage;

/* A sender that may run because of an activation. */
typedef struct ag_candidate {
    uint32_t rank, sender; /* the sender's, from the program */
    uint32_t activation;   /* UINT32_MAX: a tick */
    mt_str key;
} ag_candidate;

struct ag_cycle {
    const ag_program *p;
    ag_tape *tape;
    mt_arena arena; /* everything of one message */
    ag_message message;
    const mt_json *payload; /* after the hooks so far */
    ag_stage stage;
    ag_fate fate;
    const char *limit;
    uint32_t hook_at;      /* next hook of the current direction */
    uint32_t next;         /* next activation, or next emission */
    MT_VEC(ag_call) calls; /* due now */
    uint8_t *answered;     /* per call that is due */
    uint32_t answered_cap, pending;
    MT_VEC(ag_hook_record) hooks_in;
    MT_VEC(ag_hook_record) hooks_out;
    MT_VEC(ag_activation) activations;
    MT_VEC(ag_batch) batches;
    MT_VEC(ag_delta) deltas;
    MT_VEC(ag_candidate) candidates;
    MT_VEC(ag_send) sends;
    MT_VEC(ag_emission) emissions;
    MT_VEC(ag_arm) arms;
    const mt_json **sent; /* answers of the senders, by send */
    uint32_t *seen;       /* by tape symbol: generation it was last seen in */
    uint32_t seen_cap, generation;
};

/* Eligibility, section 6.2: fills activations, in order. False: over the limit. */
bool ag_cycle_collect(ag_cycle *c);
/* Tape update, section 6.3, for activations first .. first + count. */
bool ag_cycle_apply(ag_cycle *c, uint32_t first, uint32_t count);
/* Sender eligibility, section 6.4: fills sends, in order. */
void ag_cycle_select(ag_cycle *c);

typedef int ag_order(const void *a, const void *b, void *cycle);

/* Sorts by `order`, which decides of any two. Most messages have few items, for which
 * a call of the library costs more than the sorting: those are inserted one by one. */
static inline __attribute__((always_inline)) void
ag_cycle_sort(ag_cycle *c, void *items, size_t count, size_t size, ag_order *order)
{
    enum { FEW = 16, LARGEST = 256 };
    _Alignas(max_align_t) char moving[LARGEST];
    char *x = items;
    if (count > FEW || size > LARGEST) {
        qsort_r(items, count, size, order, c);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        char *at = x + i * size;
        memcpy(moving, at, size);
        while (at > x && order(at - size, moving, c) > 0) {
            memcpy(at, at - size, size);
            at -= size;
        }
        memcpy(at, moving, size);
    }
}

#endif
