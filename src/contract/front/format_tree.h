/* contract/front/format_tree.h - tokens as nested groups of items, for the printer.
 * Room: contract/front, format*.c only.
 * A group is what a pair of brackets encloses, or the whole file. An item is one field,
 * list element or construct, with its comma. Everything lives in one arena. */
#ifndef FR_FRONT_FORMAT_TREE_H
#define FR_FRONT_FORMAT_TREE_H

#include "base/vec.h"
#include "contract/front/lexer.h"

typedef struct fr_fgroup fr_fgroup;

typedef enum fr_frole {
    FR_F_PLAIN,
    FR_F_LOGICAL, /* and, or: a long condition breaks before it */
    FR_F_WORD_OP, /* not, in, forall, exists: a bracket behind it is not a call */
    FR_F_DOT,     /* the dot of a quantifier */
    FR_F_BINDER,  /* the colon of a typed binder */
    FR_F_COMMENT  /* in the middle of an item */
} fr_frole;

typedef struct fr_fnode {
    const fr_token *t; /* NULL: a group */
    fr_fgroup *group;
    uint8_t role; /* fr_frole */
    uint32_t end; /* 0: one token; else text kept as it is, up to this offset */
} fr_fnode;

#define FR_F_WIDE SIZE_MAX /* cannot stand on one line */

typedef struct fr_fitem {
    MT_VEC(fr_fnode) nodes;
    MT_VEC(const fr_token *) tail; /* comments behind it on its line */
    bool blank_before;             /* the author left an empty line */
    bool is_comment;               /* nothing but a comment on lines of its own */
    bool has_body;                 /* a construct with braces */
    size_t width;                  /* in characters on one line, without the tail */
} fr_fitem;

struct fr_fgroup {
    const fr_token *open, *close; /* NULL: the file */
    MT_VEC(fr_fitem) items;
    MT_VEC(const fr_token *) head; /* comments behind the opening bracket */
    bool block;                    /* always spans lines */
    size_t width;
};

typedef struct fr_ftree {
    mt_arena *a;
    mt_str text;
    fr_fgroup *file;
} fr_ftree;

/* False when brackets do not match or nest deeper than `depth`: text that does not
 * parse. */
bool fr_ftree_build(fr_ftree *tree, const fr_tokens *tokens, size_t depth);
/* The token's text; trailing white space of comments is cut. */
mt_str fr_ftree_text(const fr_ftree *tree, const fr_token *t);
mt_str fr_ftree_node_text(const fr_ftree *tree, const fr_fnode *n);
/* Is a space written between two neighbours of an item? */
bool fr_ftree_spaced(const fr_fnode *before, const fr_fnode *after);

#endif
