/* ledger/merkle.h - the Merkle tree over the records, and its proofs.
 * Room: ledger. May include base/ only.
 * The tree of RFC 6962: leaf = SHA-256(0x00 || record hash), node = SHA-256(0x01 ||
 * left || right), split at the largest power of two below the size. A third party needs
 * only a root to check that one record is in the log (inclusion), or that a later log
 * extends an earlier one (consistency), with about log2(size) hashes. */
#ifndef LG_MERKLE_H
#define LG_MERKLE_H

#include "base/hash.h"

enum { LG_PROOF_MOST = 128 };

mt_sha256 lg_leaf(const mt_sha256 *record_hash);

/* Grows leaf by leaf in constant memory: the roots of the full subtrees so far. An
 * all-zero one is the empty tree. */
typedef struct lg_frontier {
    uint64_t size;       /* leaves so far; its bits say which roots there are */
    mt_sha256 roots[64]; /* roots[i] covers 2^i leaves when bit i of size is set */
} lg_frontier;

/* Amortised one hash; at most 64. */
void lg_frontier_add(lg_frontier *f, mt_sha256 leaf);
/* The root of the full subtree of 2^levels leaves that `leaf` would complete: the last
 * `levels` bits of the size are set. */
mt_sha256 lg_frontier_subtree(const lg_frontier *f, mt_sha256 leaf, unsigned levels);
/* The root; of the empty tree the SHA-256 of nothing. */
mt_sha256 lg_frontier_root(const lg_frontier *f);

typedef struct lg_proof {
    mt_sha256 hashes[LG_PROOF_MOST];
    size_t count;
} lg_proof;

/* The root of the first `size` of these leaves. */
mt_sha256 lg_root(const mt_sha256 *leaves, uint64_t size);

/* Makes a proof while the leaves pass by once, in constant memory: each hash of a proof
 * is the root of a range of leaves, and the ranges do not overlap. */
typedef struct lg_prover {
    struct {
        uint64_t from, to;
    } ranges[LG_PROOF_MOST]; /* in the order of the proof */
    uint64_t size;           /* leaves needed */
    uint64_t next;           /* the leaf that comes next */
    size_t current;          /* the range being read */
    lg_frontier tree;        /* of that range */
    lg_proof proof;          /* complete when next == size */
} lg_prover;

/* That leaf `index` is in the tree of the first `size` leaves (index < size). */
void lg_prover_inclusion(lg_prover *p, uint64_t size, uint64_t index);
/* That the tree of `size` leaves extends the one of `earlier` (earlier <= size). */
void lg_prover_consistency(lg_prover *p, uint64_t earlier, uint64_t size);
/* The next leaf; leaves past the size are ignored. True once the proof is complete. */
bool lg_prover_add(lg_prover *p, const mt_sha256 *leaf);

/* The same from leaves in memory. */
void lg_prove_inclusion(const mt_sha256 *leaves, uint64_t size, uint64_t index,
                        lg_proof *out);
void lg_prove_consistency(const mt_sha256 *leaves, uint64_t earlier, uint64_t size,
                          lg_proof *out);

/* False for a proof with a hash too many, too. */
bool lg_check_inclusion(const mt_sha256 *root, uint64_t size, uint64_t index,
                        const mt_sha256 *leaf, const lg_proof *proof);
/* Anything extends the empty tree; equal sizes need equal roots and no hashes. */
bool lg_check_consistency(const mt_sha256 *earlier_root, uint64_t earlier,
                          const mt_sha256 *root, uint64_t size, const lg_proof *proof);

#endif
