/* contract/eval/carry.h - a frozen snapshot taken along to another version.
 * Room: contract. May include base/ and contract/ only.
 * A flow that goes on under a new contract keeps the facts and verdicts that were
 * frozen when it began (spec §18.6.5): nothing is evaluated anew. Facts are matched by
 * id, verdicts by verdict type; their values take the shape of the new types. A host
 * that keeps facts as text evaluates them under the contract the flow began with, and
 * carries the result to the one it runs under, each time it takes the flow up. */
#ifndef CT_EVAL_CARRY_H
#define CT_EVAL_CARRY_H

#include "contract/eval/facts.h"
#include "contract/eval/program.h"

typedef enum ct_carried {
    CT_CARRIED,         /* the frozen value */
    CT_CARRIED_DEFAULT, /* not in the snapshot; the new contract's default */
    CT_CARRIED_NOTHING, /* not in the snapshot, and no default */
    CT_CARRIED_MISFIT   /* in the snapshot, but no value of the new type */
} ct_carried;

typedef struct ct_carry {
    /* Per fact of the new model. Where there is no value the set holds an arbitrary
     * one, so that reading it is safe but means nothing. */
    uint8_t *facts; /* ct_carried */
    /* Per rule of the new model: is the verdict there but its payload of a type that
     * the new one cannot take? */
    uint8_t *payload_misfits;
} ct_carry;

/* Fills `facts` and `verdicts`, both made for `to`, from a snapshot of another program.
 * They borrow from the snapshot, which must live as long. The result's arrays are in
 * `a`. */
ct_carry ct_snapshot_carry(mt_arena *a, const ct_snapshot *from, const ct_program *to,
                           ct_facts *facts, ct_verdicts *verdicts);

#endif
