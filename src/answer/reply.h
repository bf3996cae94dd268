/* answer/reply.h - what a question came to: text, sentences that say why not, a code.
 * Room: answer. May include base/, lang/, contract/ and analyze/.
 * The codes are the exit codes of the commands that ask the same. */
#ifndef AW_REPLY_H
#define AW_REPLY_H

#include "base/str.h"
#include "base/vec.h"

enum {
    AW_HOLDS = 0, /* done, or what was asked holds */
    AW_FAILS = 1, /* the input has faults, or what was asked does not hold */
    AW_USAGE = 2, /* asked wrongly */
    AW_WORLD = 3  /* it was stopped */
};

/* Starts as all zero; ends with aw_reply_free(). */
typedef struct aw_reply {
    mt_arena arena;
    mt_buf text;             /* the answer */
    MT_VEC(mt_str) messages; /* why there is none, one sentence each */
    MT_VEC(mt_str) warnings; /* what was passed over, one sentence each */
    mt_buf fault;            /* of facts: what `motet eval --json` prints of it */
    bool refused; /* the contract itself: its diagnostics say why, not the messages */
} aw_reply;

/* Adds a sentence; returns `code`. */
int aw_fail(aw_reply *r, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a sentence that changes nothing about the answer. Borrowed. */
void aw_warn(aw_reply *r, mt_str sentence);
/* Leaves the saying to the diagnostics of the contract; AW_FAILS. */
int aw_refused(aw_reply *r);
void aw_reply_free(aw_reply *r);

#endif
