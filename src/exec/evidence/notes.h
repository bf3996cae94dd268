/* exec/evidence/notes.h - tree heads as notes (ledger/note.h) in the store, and who
 * co-signed them.
 * Room: exec. Documents: "ledger.note", the note of each size that was signed, its id
 * the size in 20 digits; "ledger.cosignature", the line of a witness, its id the size,
 * a slash and the name; "ledger.witness", what a witness signed last, by its name.
 * What a document says is believed by nobody: whoever needs it verifies signatures. */
#ifndef EX_NOTES_H
#define EX_NOTES_H

#include "ledger/checkpoint.h"
#include "ledger/cosigned.h"
#include "store/store.h"

#define EX_KIND_NOTE        MT_STR("ledger.note")
#define EX_KIND_COSIGNATURE MT_STR("ledger.cosignature")
#define EX_KIND_WITNESS     MT_STR("ledger.witness")

/* The name of the log: `configured`, or, when that is empty, lg_made_name().
 * MT_E_NOTFOUND: there is no record. In the arena. */
mt_err ex_log_origin(st_tx *tx, mt_arena *a, mt_str configured, mt_str *out);

/* Signs the head of this checkpoint as a note, in `out`. False: the key did not sign
 * (it may be elsewhere). */
bool ex_note_make(mt_buf *out, mt_str origin, const lg_checkpoint *point,
                  const mt_sign_key *key);
/* Of this very size. MT_E_NOTFOUND. */
mt_err ex_note_get(st_tx *tx, mt_arena *a, uint64_t size, mt_str *note);
mt_err ex_note_put(st_tx *tx, mt_arena *a, uint64_t size, mt_str note);

/* The lines of all witnesses under the note of this size; perhaps none. */
mt_err ex_cosignatures_get(st_tx *tx, mt_arena *a, uint64_t size, mt_str *lines);
/* A line of `witness`, and that it has signed so far; `time` is what the line says. */
mt_err ex_cosignature_put(st_tx *tx, mt_arena *a, mt_str witness, uint64_t size,
                          int64_t time, mt_str line);

/* What a witness signed last. MT_E_NOTFOUND: nothing. */
typedef struct ex_witnessed {
    uint64_t size;
    int64_t time; /* seconds since 1970, by the witness's clock */
} ex_witnessed;
mt_err ex_witnessed_get(st_tx *tx, mt_arena *a, mt_str witness, ex_witnessed *out);

/* A note over more than `seq` records that has cosignatures of at least the quorum of
 * these, the smallest there is: for a receipt. `newest`: the largest instead. With a
 * quorum of 0 the lines may be empty. MT_E_NOTFOUND: none yet; `ahead` is then the most
 * that any has. Everything in the arena. */
mt_err ex_cosigned_find(st_tx *tx, mt_arena *a, int64_t seq, bool newest,
                        const lg_cosigners *by, lg_cosigned_note *out);

#endif
