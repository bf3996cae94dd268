/* connect/words.h - names as words: how alike are `amt_total` and `totalAmount`? Room:
 * connect. Everything is counted in thousandths, so that the same names give the same
 * answer on every machine. Words live in the arena they were made in; a cn_words that
 * is all zero is empty and needs no other beginning. */
#ifndef CN_WORDS_H
#define CN_WORDS_H

#include "base/str.h"
#include "base/vec.h"

/* Whatever is asked of a word more than once is found when it is made: documents have
 * many words, and each is compared with each of a fact's. */
typedef struct cn_word {
    mt_str text;      /* lower case */
    uint64_t rows[2]; /* of the table of synonyms that have it */
    unsigned weight;  /* how much it says: 1000, less for `is`, `data`, `value`, … */
} cn_word;

typedef struct cn_words {
    cn_word *items;
    size_t len, cap;
} cn_words;

/* Adds the words of a name: camelCase, snake_case, kebab-case, digits apart. */
void cn_words_add(mt_arena *a, cn_words *w, mt_str name);
/* `word` must be in lower case. Synonyms do not count. */
bool cn_words_have(const cn_words *w, const char *word);

/* 1000: the same word (or its plural); less for a synonym, an abbreviation or a slip;
 * 0. */
unsigned cn_alike(const cn_word *a, const cn_word *b);
/* How much of `of` is found in `in`, 0 to 1000, by weight; 0 if `of` has no words. Not
 * symmetric: `total` is covered by `order_total`, the other way only half of it is. */
unsigned cn_covered(const cn_words *of, const cn_words *in);

/* cn_snake: orderTotal is order_total. cn_singular: orders is order, statuses is
 * status, entries is entry; a name that is not a plural stays. By endings only, so
 * `lens` loses its s. */
mt_str cn_snake(mt_arena *a, mt_str name);
mt_str cn_singular(mt_arena *a, mt_str name);

#endif
