/* lsp/spot.h - where one is in YAML or JSON that is being written.
 * Room: lsp.
 * The text is seldom whole, so it is not parsed: brackets and indentation before a
 * place say which keys and items lead to it. What a reader would refuse is scanned as
 * well as it goes; nothing is ever refused here.
 * Ownership: texts are borrowed from the document. */
#ifndef LS_SPOT_H
#define LS_SPOT_H

#include "lsp/text.h"

enum { LS_SPOT_DEPTH = 32 };

/* A key of an object, or an item of a list. */
typedef struct ls_step {
    mt_str key;
    uint32_t index;
    bool is_item;
} ls_step;

/* A key or a value that is text, or the place where one could be written. */
typedef struct ls_spot {
    ls_step path[LS_SPOT_DEPTH]; /* from the outside in; of a key, itself last */
    size_t depth;
    ls_range range; /* what is written there, without quotes; may be empty */
    mt_str text;    /* of the range */
    bool is_key;
    bool may_be_key; /* a value, or the first key of an object in its place */
    bool is_quoted, is_flow;
} ls_spot;

/* False: enough. */
typedef bool ls_spot_each(void *context, const ls_spot *s);
/* Every key and every text of the document, in its order. */
void ls_spots(mt_str text, ls_spot_each *each, void *context);
/* What stands at the offset or could; false: nothing could. */
bool ls_spot_at(mt_str text, size_t offset, ls_spot *out);

/* Does the path end like this? Steps are separated by /; * is any key, # any item, and
 * a leading / means that it begins there, too. */
bool ls_spot_is(const ls_spot *s, const char *pattern);
/* Do the first `depth` steps agree? */
bool ls_spot_shares(const ls_spot *a, const ls_spot *b, size_t depth);

#endif
