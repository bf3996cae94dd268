/* base/json_canonical.h - is this text an object exactly as the canonical writer
 * writes? Room: base. May include base/ only. One pass without a tree: sorted and
 * unique keys, no white space, the shortest escapes. What passes is what
 * mt_json_write() would give again, byte for byte. */
#ifndef MT_BASE_JSON_CANONICAL_H
#define MT_BASE_JSON_CANONICAL_H

#include "base/json_read.h"

/* A member of the outermost object that the caller wants to see. */
typedef struct mt_json_pick {
    mt_str key;
    mt_str value; /* its text as written, strings with their quotes; ptr NULL: absent */
} mt_json_pick;

/* Fills the values of `picks`. They borrow from the text. False leaves them undefined.
 */
bool mt_json_canonical(mt_str text, mt_json_pick *picks, size_t count);

#endif
