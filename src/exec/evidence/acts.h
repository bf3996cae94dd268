/* exec/evidence/acts.h - who acted as which persona, on what: how the index of it is
 * named.
 * Room: exec. A document of kind "acts" for each instance and flow that a rule of
 * `distinct` speaks of (exec/commit/distinct.c): {"acts":{PERSONA:{IDENTITY:RECORD}},
 * "covers":[PERSONA],"upto":RECORD}. It says nothing that the ledger does not, and of
 * records behind `upto` nothing at all; without it, it counts for nothing. */
#ifndef EX_ACTS_H
#define EX_ACTS_H

#include "base/hash.h"
#include "base/str.h"

#define EX_ACTS_KIND MT_STR("acts")
enum { EX_NO_ACT = -1 }; /* no record has this number */

/* Places and what was queued are counted apart, and a copy of one kind of store may be
 * restored as the other, where its numbers name other records. */
static inline mt_str ex_acts_upto(bool shared)
{
    return shared ? MT_STR("upto_queued") : MT_STR("upto");
}

static inline mt_str ex_acts_of_flow(mt_arena *a, mt_str flow)
{
    return mt_sha256_hex(a, mt_sha256_of(mt_strf(a, "flow\n%.*s", MT_ARG(flow))));
}

/* Personas are the contract's, though an instance may be of a whole System. `name` is
 * "Entity/id". */
static inline mt_str ex_acts_of_instance(mt_arena *a, mt_str contract, mt_str scope,
                                         mt_str name)
{
    return mt_sha256_hex(
        a, mt_sha256_of(mt_strf(a, "instance\n%.*s\n%.*s\n%.*s", MT_ARG(contract),
                                MT_ARG(scope), MT_ARG(name))));
}

#endif
