/* contract/front/suggest.h - "did you mean": the declared name nearest to a misspelt
 * one. Room: contract/front. Each function adds to a place the hint and the edit that
 * replaces the name, where something is near; else the place stays as it is. Called
 * only after a fault. */
#ifndef FR_FRONT_SUGGEST_H
#define FR_FRONT_SUGGEST_H

#include "base/nearest.h"
#include "contract/front/report.h"

/* Names are offered, at most as many as the unit has left (see suggest.c). */
void fr_offer(fr_unit *u, mt_nearest *n, mt_str name);
void fr_offer_sym(fr_unit *u, mt_nearest *n, fr_sym name);
void fr_offer_kind(fr_unit *u, mt_nearest *n, fr_kind kind);
/* Of another contract, whose symbols are its own. */
void fr_offer_kind_of(fr_unit *u, const fr_unit *of, mt_nearest *n, fr_kind kind);
void fr_offer_names(fr_unit *u, mt_nearest *n, const fr_names *names);
void fr_offer_verdicts(fr_unit *u, mt_nearest *n);
mt_nearest fr_nearest(const fr_unit *u, fr_sym written);
/* The place with what was found, for the name written at `tok`. */
fr_place fr_meant(fr_unit *u, fr_place at, const mt_nearest *n, fr_tok tok);

/* The name is shown at its own token; the nearest construct of the kind. */
fr_place fr_meant_kind(fr_unit *u, fr_place at, fr_kind kind, fr_name written);
/* Of a list: states, outcomes, personas. */
fr_place fr_meant_of(fr_unit *u, fr_place at, const fr_names *names, fr_name written);
fr_place fr_meant_verdict(fr_unit *u, fr_place at, fr_name written);
fr_place fr_meant_step(fr_unit *u, fr_place at, const fr_steps *steps, fr_name written);
/* Of a list of known words that ends with FR_W_none. */
fr_place fr_meant_word(fr_unit *u, fr_place at, const fr_sym *words, fr_name written);
/* A base type or a declared one, or what other languages call it. */
fr_place fr_meant_type(fr_unit *u, fr_place at, fr_name written);
/* A field or variant of a type. */
fr_place fr_meant_field(fr_unit *u, fr_place at, const fr_type *of, fr_name written);
/* A value of an Enum, in double quotes. */
fr_place fr_meant_value(fr_unit *u, fr_place at, const fr_type *of, fr_name written);

#endif
