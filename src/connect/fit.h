/* connect/fit.h - can a value of this shape become a fact of this type, and how? Room:
 * connect. Pure; what is made lives in the arena. What is said to fit will pass the
 * type's check for some values of the source, not for all: text fits an enum although
 * only the enum's words pass. What cannot fit is never proposed. The conversions are
 * those of `convert` in docs/facts.md; this room never runs one. */
#ifndef CN_FIT_H
#define CN_FIT_H

#include "connect/document.h"
#include "connect/words.h"
#include "contract/wire/value.h"

typedef struct cn_fit {
    unsigned score; /* 0: it does not fit; 1000: as it is */
    mt_str convert; /* `convert` of a fact as JSON; empty: none is needed */
    mt_str because; /* one clause about types; of what does not fit, why not */
} cn_fit;

/* Looks for a conversion; the score is how much of it the
 * document says itself. `words` are those of the place's own
 * name: they may say a unit, as `total_cents` and `placed_ms` do. */
cn_fit cn_fit_of(mt_arena *a, const cn_place *p, const cn_words *words,
                 const ct_type *type);

/* Does a conversion that somebody wrote (NULL: none) lead from
 * the shape to the type? True promises nothing about values
 * that the shape leaves open. `why` gets a sentence when not. */
bool cn_fits_with(const cn_shape *s, const ct_type *type, const mt_json *convert,
                  mt_buf *why);

#endif
