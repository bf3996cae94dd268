/* exec/evidence/record.h - what whoever writes records has in common: how time is
 * written, what a record is about, the roots of blocks, who may append on a shared
 * store. Room: exec. */
#ifndef EX_EVIDENCE_RECORD_H
#define EX_EVIDENCE_RECORD_H

#include "base/json_write.h"
#include "ledger/chain.h"
#include "store/store.h"

/* Records whose subtree has its root kept. */
enum { EX_BLOCK_LEVELS = 8, EX_BLOCK = 1 << EX_BLOCK_LEVELS };
/* Documents: one per full block, its body the root in hex. */
#define EX_KIND_BLOCK MT_STR("ledger.block")
/* Who chains records of a shared store holds this lock. */
#define EX_SEQUENCER "sequencer"

/* How a record names an instance that it is about: Entity/instance. */
mt_str ex_subject(mt_arena *a, mt_str entity, mt_str id);
/* A caller may name what no instance can be called; such a name finds nothing, and no
 * record is kept under it. */
bool ex_subject_is_kept(mt_str entity, mt_str id);

void ex_time_json(mt_jw *w, int64_t ms);
/* The id of a block's document; returns its length. */
size_t ex_block_id(uint64_t block, char out[24]);
/* Keeps the root of a full block, which the record about to be added completes. */
mt_err ex_block_keep(st_tx *tx, const lg_chain *c, const mt_sha256 *hash);

#endif
