/* ledger/proof.h - a proof as a small document for a third party.
 * Room: ledger. May include base/ only.
 * JSON, canonical when written:
 *   {"hashes":[H...],"proof":"inclusion","record":{"body":B,"hash":H,"prev":P,"seq":N},
 *    "size":M}: record N is in the ledger of M records;
 *   {"from":N,"hashes":[H...],"proof":"consistency","to":M}: the ledger of M records
 *    begins with the ledger of N.
 * Checked against signed checkpoints of these sizes; the ledger itself is not needed.
 */
#ifndef LG_PROOF_H
#define LG_PROOF_H

#include "base/json_read.h"
#include "base/json_write.h"
#include "ledger/checkpoint.h"
#include "ledger/entry.h"

typedef struct lg_statement {
    bool inclusion;       /* otherwise consistency */
    lg_entry record;      /* inclusion: what is proven to be there */
    uint64_t from;        /* consistency: size of the earlier ledger */
    uint64_t size;        /* of the (later) ledger */
    const lg_proof *path; /* borrowed */
} lg_statement;

/* Appends the document and a newline. */
void lg_statement_write(mt_buf *out, const lg_statement *s);
/* Reads any layout of a document; nothing may be missing or added. Texts and path live
 * in the arena. MT_E_CORRUPT otherwise. */
mt_err lg_statement_read(mt_arena *a, mt_str text, lg_statement *out);

/* NULL when the checkpoints bear it out, otherwise why not (static text). For inclusion
 * `earlier` is not looked at. Signatures and keys of the checkpoints are the caller's
 * business. */
const char *lg_statement_fault(const lg_statement *s, const lg_checkpoint *earlier,
                               const lg_checkpoint *later);

/* ---- Parts of such documents ---- */

/* "hashes":[…] */
void lg_path_write(mt_jw *w, const lg_proof *path);
/* A list of at most LG_PROOF_MOST texts; in the arena. False: one is not a hash. */
bool lg_path_read(mt_arena *a, const mt_json *list, const lg_proof **out);
/* The canonical text of a tree, in the arena. */
mt_str lg_compact(mt_arena *a, const mt_json *node);

#endif
