/* contract/front/slips.h - characters of other languages, and what they are here.
 * Room: contract/front, lexer.c only.
 * A slip is a fault, but the lexer knows what was meant and goes on with that, so the
 * faults behind it are found, too. */
#ifndef FR_FRONT_SLIPS_H
#define FR_FRONT_SLIPS_H

#include "contract/front/lexer.h"

typedef struct fr_slip {
    const char *text;
    const char *hint;
    const char *instead; /* what to write; NULL: that depends */
    const char *close;   /* of a quote: what ends it; NULL: it is not one */
    uint8_t kind;        /* the token that was meant; FR_T_COMMENT: none */
    bool is_word;        /* `instead` needs white space around it */
    bool to_line_end;    /* the rest of the line belongs to it */
} fr_slip;

/* The slip that begins at p, NULL if none does. 16 bytes can be read from there. */
const fr_slip *fr_slip_at(const char *p);

#endif
