/* ledger/entry.h - one record of the ledger, in memory and on disk.
 * Room: ledger. May include base/ only.
 * Disk: one canonical JSON line, {"body":B,"hash":H,"prev":P,"seq":N}. B is an object
 * with sorted keys; H = SHA-256(P as 32 bytes || B as written); P is the H before it,
 * 32 zero bytes for seq 0. Two lines with the same bytes are the same record.
 * Ownership: an entry borrows its body from the line it was read from. */
#ifndef LG_ENTRY_H
#define LG_ENTRY_H

#include "base/hash.h"

typedef struct lg_entry {
    uint64_t seq;
    mt_sha256 prev, hash;
    mt_str body; /* canonical JSON object */
} lg_entry;

/* The hash that belongs to this body after `prev`. */
mt_sha256 lg_hash(const mt_sha256 *prev, mt_str body);

/* Appends the line with its newline. */
void lg_entry_write(mt_buf *out, const lg_entry *entry);

/* The parts of a line as they are written, nothing decoded but the number. */
typedef struct lg_line {
    mt_str body;
    const char *hash, *prev; /* MT_SHA256_HEX digits each, of any kind */
    uint64_t seq;
} lg_line;

/* Splits a line (without newline) into its parts. Only the layout that
 * lg_entry_write() gives is accepted: MT_E_CORRUPT otherwise. Whether the hashes are
 * hex and the body is JSON is not looked at. */
mt_err lg_line_split(mt_str line, lg_line *out);

/* The same with the hashes decoded; upper-case digits are refused. */
mt_err lg_entry_read(mt_str line, lg_entry *out);

/* What everybody looks for in a body. Texts are as written, with quotes and escapes;
 * ptr NULL: absent. */
typedef struct lg_body {
    mt_str kind, key, domain; /* "kind", "key", "trust_domain" */
} lg_body;

/* Is it a JSON object in canonical form? `out` may be NULL. */
bool lg_body_check(mt_str body, lg_body *out);

#endif
