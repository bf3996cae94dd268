/* exec/evidence/store_checking.h - a check of a store on its way.
 * Room: exec, private to store_check.c and store_checking.c; the others get it through
 * the functions of store_check.h. */
#ifndef EX_STORE_CHECKING_H
#define EX_STORE_CHECKING_H

#include "base/vec.h"
#include "exec/evidence/store_check.h"
#include "ledger/chain.h"
#include "ledger/note.h"

typedef struct sharing {
    mt_str system;
    const mt_json *declaration;
} sharing;

struct ex_checking {
    const ex_check_options *o;
    ex_check_result *out;
    mt_buf *why;
    mt_arena keep;    /* as long as the check */
    mt_arena scratch; /* of one record or row */
    st_tx *tx;        /* of the store */
    st_store *expected;
    st_tx *et; /* of the expected one */
    char directory[4096];
    MT_VEC(sharing) systems;
    lg_chain chain;
    mt_sha256 block;    /* the root of the block that is full, when one is */
    uint64_t all;       /* records there are */
    uint64_t unwritten; /* since the last commit */
    bool broken;        /* the chain does not hold: nothing more is believed */
    bool newer;         /* see store_subjects.c */
    uint64_t newer_at;  /* over so many records it was first so; 0: never */
    bool accepted;      /* somebody decided about checkpoints */
    lg_head next_note;  /* the next to be compared; size 0: none */
};

/* As ex_check_step(), of so many in all (0: nobody knows). */
mt_err ex_check_progress(ex_checking *c, const char *what, uint64_t done, uint64_t all);
/* "record 7 says". */
mt_str ex_check_says(mt_arena *a, int64_t number);
/* Tells of a difference unless both are the same. */
void ex_check_same(ex_checking *c, const char *part, mt_str name, const char *what,
                   mt_str is, mt_str must, int64_t number);

#endif
