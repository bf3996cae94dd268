/* exec/evidence/guarded.h - calls of tools elsewhere that are under way: how they are
 * kept.
 * Room: exec. A document of kind "guarded" for each (exec/kinds/operation_guard.c):
 * {"allowed":RECORD,"bindings":{…},"caller":{…},"contract","etag","facts":{…},"flow" or
 * "operation","persona","said":[…],"status","time","tool"}, and one of kind
 * "guard_claim", with the call's id as its tag, for each instance that it will change.
 * What a call was allowed for and how it ended is in the ledger; these are gone when it
 * has ended. */
#ifndef EX_GUARDED_H
#define EX_GUARDED_H

#include "base/hash.h"
#include "base/str.h"

#define EX_GUARDED_KIND MT_STR("guarded")
#define EX_CLAIM_KIND   MT_STR("guard_claim")

/* `status`: the tool may be at work; its effects were written before it was called; it
 * is not known what became of it. */
#define EX_CALL_ALLOWED   "allowed"
#define EX_CALL_COMMITTED "committed"
#define EX_CALL_UNKNOWN   "outcome_unknown"

static inline mt_str ex_claim_name(mt_arena *a, mt_str scope, mt_str entity, mt_str id)
{
    return mt_sha256_hex(a, mt_sha256_of(mt_strf(a, "%.*s\n%.*s\n%.*s", MT_ARG(scope),
                                                 MT_ARG(entity), MT_ARG(id))));
}

#endif
