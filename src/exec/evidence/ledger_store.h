/* exec/evidence/ledger_store.h - the ledger of a store as lines, as in an exported
 * file. Room: exec. Records in order, each checkpoint behind the last record it covers.
 * What is still queued is not part of the ledger yet. Read in pages inside one
 * transaction: what is appended meanwhile is not seen. */
#ifndef EX_LEDGER_STORE_H
#define EX_LEDGER_STORE_H

#include "ledger/chain.h"
#include "ledger/source.h"
#include "store/store.h"

typedef struct ex_ledger ex_ledger;

/* From record `from` on. The store is borrowed. */
mt_err ex_ledger_open(st_store *store, uint64_t from, ex_ledger **out);
lg_source ex_ledger_source(ex_ledger *l);
void ex_ledger_close(ex_ledger *l);

/* What the lines cannot show. After all of them from record 0 on were read and ended in
 * `end`: is there a record or a checkpoint that was not among them, and is the head of
 * the chain, from which the next record goes on, where they end? *fault: NULL, or what
 * is wrong (static text). */
mt_err ex_ledger_compare(ex_ledger *l, const lg_chain *end, const char **fault);

/* The bundle of a contract's version as the store has it, in the moment the lines are
 * of: compact, in the arena, with this etag. MT_E_NOTFOUND; MT_E_CORRUPT: it has
 * another. */
mt_err ex_ledger_bundle(ex_ledger *l, mt_arena *a, mt_str contract, mt_str etag,
                        mt_str *out);

#endif
