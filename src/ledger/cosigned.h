/* ledger/cosigned.h - a note, and who of some witnesses signed it.
 * Room: ledger. May include base/ only. */
#ifndef LG_COSIGNED_H
#define LG_COSIGNED_H

#include "ledger/note.h"

/* Whose cosignatures are wanted, and when they are looked at: those of a time that has
 * not come do not count (lg_note_cosigned). */
typedef struct lg_cosigners {
    const lg_note_key *keys;
    size_t count, quorum;
    int64_t now; /* seconds since 1970 */
} lg_cosigners;

typedef struct lg_cosigned_note {
    mt_str note;  /* as the log signed it */
    mt_str lines; /* all cosignatures of it */
    lg_note read; /* of `note` */
    size_t count; /* witnesses among the keys who signed it */
    size_t ahead; /* others of them, who signed it at a time that has not come */
    int64_t time; /* the earliest time among the latest of each */
} lg_cosigned_note;
/* Counts, of note, read and lines, who of these signed; *time too. */
size_t lg_cosigned_count(lg_cosigned_note *got, const lg_cosigners *by);
#endif
