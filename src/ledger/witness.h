/* ledger/witness.h - what a log asks of a witness, and what a witness decides.
 * Room: ledger. May include base/ only: the file of what was seen is the host's.
 * C2SP tlog-witness. A request: "old N", at most 63 lines of a consistency proof in
 * base64, a blank line, a checkpoint as a note (ledger/note.h). The answer is a status
 * of HTTP, and behind 200 signature lines of the witness.
 * Ownership: what is read borrows from the body. */
#ifndef LG_WITNESS_H
#define LG_WITNESS_H

#include "ledger/note.h"

enum { LG_WITNESS_HASHES = 63, LG_WITNESS_BYTES = LG_NOTE_BYTES + 63 * 45 + 64 };

typedef struct lg_witness_request {
    uint64_t old; /* the size of the head the witness has seen */
    lg_proof proof;
    lg_note note;
} lg_witness_request;

/* MT_E_SYNTAX: it is not a request. */
mt_err lg_witness_request_read(mt_str body, lg_witness_request *out);
void lg_witness_request_write(mt_buf *out, uint64_t old, const lg_proof *proof,
                              mt_str note);

/* The status of the answer. */
typedef enum lg_verdict {
    LG_COSIGN = 200,
    LG_BAD_REQUEST = 400,
    LG_NOT_TRUSTED = 403, /* signed by no key of this log */
    LG_UNKNOWN_LOG = 404,
    LG_CONFLICT = 409,     /* it has seen another size, or another root of this one */
    LG_NOT_EXTENDING = 422 /* the proof does not hold */
} lg_verdict;

/* `logs`: the keys that may sign, the origin being their name. `seen`: the head that
 * was signed last for this origin, or NULL: none was. `why` gets one sentence of static
 * text. Only LG_COSIGN may be signed, and only after it is remembered. */
lg_verdict lg_witness_decide(const lg_witness_request *r, const lg_note_key *logs,
                             size_t log_count, const lg_head *seen, const char **why);
/* Does a refusal show that the log has two histories, or may have? Worth keeping: the
 * note is signed by the log. */
bool lg_witness_suspects(const lg_witness_request *r, lg_verdict verdict,
                         const lg_head *seen);

#endif
