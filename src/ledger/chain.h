/* ledger/chain.h - the growing end of a ledger.
 * Room: ledger. May include base/ only.
 * Knows the last hash and the tree's frontier, nothing else: constant memory however
 * long the ledger is. */
#ifndef LG_CHAIN_H
#define LG_CHAIN_H

#include "ledger/checkpoint.h"
#include "ledger/entry.h"

/* An all-zero chain is the empty ledger. */
typedef struct lg_chain {
    mt_sha256 head;   /* hash of the last record */
    lg_frontier tree; /* tree.size records so far */
} lg_chain;

/* The next record with this body; the chain has grown by it. */
lg_entry lg_chain_append(lg_chain *c, mt_str body);
/* Is this the next record? Grows by it if so. MT_E_CORRUPT otherwise. */
mt_err lg_chain_accept(lg_chain *c, const lg_entry *entry);
/* The same when the record is known to have this hash after the head. */
void lg_chain_grow(lg_chain *c, const mt_sha256 *hash);

/* The chain as one text for whoever keeps it beside its size, and back: the head and
 * the roots of the full subtrees from the smallest up, in hex, a space between them;
 * nothing for an empty one. MT_E_CORRUPT unless it is what the writer gives. */
void lg_chain_write(mt_buf *out, const lg_chain *c);
mt_err lg_chain_read(mt_str text, uint64_t size, lg_chain *out);

/* Does a checkpoint of this very size say what the records do? */
bool lg_chain_agrees(const lg_chain *c, const lg_checkpoint *point);

/* Where the ledger stands now, unsigned. */
lg_checkpoint lg_chain_checkpoint(const lg_chain *c, mt_str domain);

#endif
