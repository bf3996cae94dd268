/* generate/names.h - names of a contract as names of a language.
 * Room: generate, private to it. A name of the contract may be a word
 * of the language, or hold characters that its names cannot; two
 * names may become one. A scope keeps them apart. A scope that has
 * only `a` and `words` set is empty. All texts live in the arena. */
#ifndef GN_NAMES_H
#define GN_NAMES_H

#include "base/map.h"

typedef struct gn_scope {
    mt_arena *a;
    mt_map taken;
    const char *const *words; /* of the language, ends with NULL; may be NULL */
} gn_scope;

/* Words of C, some of C++, macros that compilers
 * define, and `given`, a member of ours. */
extern const char *const GN_C_WORDS[];

/* Letters, digits and underscores; what else there is becomes an underscore, byte by
 * byte. An 'n' comes first where there would be a digit or nothing: "2fa" is n2fa. */
mt_str gn_plain(mt_arena *a, mt_str text);
/* gn_upper: escrow_amount is ESCROW_AMOUNT. gn_camel: it is
 * EscrowAmount, and begins with an 'N' where it would begin
 * with a digit. Neither is unique: a_b and aB are both AB. */
mt_str gn_upper(mt_arena *a, mt_str text);
mt_str gn_camel(mt_arena *a, mt_str text);
/* The name, or the name with an underscore and a number, if it
 * is taken; a word of the language gets an underscore. The
 * result is taken from then on, so every call gives another one. */
mt_str gn_unique(gn_scope *s, mt_str name);

/* Appends the text with `@p@` and `@P@` replaced. */
void gn_fill(mt_buf *out, const char *text, mt_str prefix, mt_str upper);
/* Text for a comment of C or its like: on one line, cannot end the comment. What a
 * contract says is somebody else's, and must not become code. */
void gn_remark(mt_buf *out, mt_str text);
/* A string literal of C: quoted, everything unusual as octal escapes of three digits,
 * which cannot run into a digit behind them. '?' too, because of trigraphs. */
void gn_literal(mt_buf *out, mt_str text);
mt_str gn_kept(mt_arena *a, mt_buf *b); /* its text; the buffer is freed */

#endif
