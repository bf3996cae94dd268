/* answer/topic.h - what is asked about: a contract, or a System with its members.
 * Room: answer.
 * Ownership: what is made lives in the arena of the contract, or the one given. */
#ifndef AW_TOPIC_H
#define AW_TOPIC_H

#include "analyze/facts/union.h"
#include "answer/contract.h"
#include "answer/reply.h"

/* What a contract that is loaded is about; everything lives in its arena. */
int aw_union_of(aw_contract *c, aw_reply *r, an_union *out);
/* The System of a contract's bundle; *out NULL: it is none. AW_FAILS: it is not whole.
 */
int aw_system_of(mt_arena *a, const aw_contract *c, aw_reply *r, an_sys **out);
/* The bundle of a member: elaborated with the System's source, or what the contract's
 * reader of members has. *bundle is empty when there is none. AW_FAILS: it has faults,
 * and the reader has said so. */
int aw_member_bundle(mt_arena *a, const aw_contract *c, const an_sys_member *m,
                     mt_str *bundle);

#endif
