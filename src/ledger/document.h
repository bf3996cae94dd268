/* ledger/document.h - something that records name by its digest, beside them.
 * Room: ledger. May include base/ only.
 * One line of an exported ledger, {"document":B,"sha256":H}: B is a JSON object in
 * canonical form, H the SHA-256 of its bytes in hex. What it is, and which record names
 * it, is not known here; that it is what the record meant follows from the digest. */
#ifndef LG_DOCUMENT_H
#define LG_DOCUMENT_H

#include "base/hash.h"

/* Appends the line with its newline. */
void lg_document_write(mt_buf *out, mt_str body);
/* Does the line say that it is one? */
bool lg_is_document(mt_str line);
/* The parts of a line (without newline), borrowed. MT_E_CORRUPT: it is not exactly what
 * the writer gives, or the digest is another's. */
mt_err lg_document_read(mt_str line, mt_str *body, mt_str *digest);

#endif
