/* exec/evidence/forest.h - proofs from stored hashes: the leaves of one block of 256
 * and the roots of all blocks (kind "ledger.block"). Room: exec. A tree over blocks
 * with the last, short one as it is splits at the same places as the tree over records
 * (RFC 6962 splits at the largest power of two, and a block is one), so a proof inside
 * the block followed by a proof of the block is the proof. */
#ifndef EX_FOREST_H
#define EX_FOREST_H

#include "ledger/merkle.h"
#include "store/store.h"

typedef struct ex_hashes {
    mt_sha256 *items;
    size_t len, room;
} ex_hashes;

/* The tree of the first `size` records: leaves of one block and roots of all. */
typedef struct ex_forest {
    ex_hashes leaves, roots;
    uint64_t size, block; /* whose leaves they are */
} ex_forest;

/* In the arena. MT_E_CORRUPT: hashes are missing. */
mt_err ex_forest_read(mt_arena *a, st_tx *tx, uint64_t size, uint64_t block,
                      ex_forest *out);
/* That the record is in the tree; it is in the block that was read. */
void ex_forest_record(const ex_forest *f, uint64_t seq, lg_proof *out);
/* That the tree extends that of `earlier` records, which ends in the block that was
 * read; 0 < earlier < size. */
void ex_forest_growth(const ex_forest *f, uint64_t earlier, lg_proof *out);
mt_sha256 ex_forest_root(const ex_forest *f);

#endif
