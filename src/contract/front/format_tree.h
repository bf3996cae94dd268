/* contract/front/format_tree.h - tokens as nested groups of items, for the printer.
 * Room: contract/front, format*.c only.
 * A group is what a pair of brackets encloses, or the whole file. An item is one field,
 * list element or construct, with its comma. Everything lives in one arena. */
#ifndef CT_FRONT_FORMAT_TREE_H
#define CT_FRONT_FORMAT_TREE_H

#include "base/vec.h"
#include "contract/front/lexer.h"

typedef struct ct_fgroup ct_fgroup;

typedef enum ct_frole {
    CT_F_PLAIN,
    CT_F_LOGICAL, /* and, or: a long condition breaks before it */
    CT_F_WORD_OP, /* not, in, forall, exists: a bracket behind it is no call */
    CT_F_DOT,     /* the dot of a quantifier */
    CT_F_BINDER,  /* the colon of a typed binder */
    CT_F_COMMENT  /* in the middle of an item */
} ct_frole;

typedef struct ct_fnode {
    const ct_token *t; /* NULL: a group */
    ct_fgroup *group;
    uint8_t role; /* ct_frole */
    uint32_t end; /* 0: one token; else a text kept as it is, up to this offset */
} ct_fnode;

#define CT_F_WIDE SIZE_MAX /* cannot stand on one line */

typedef struct ct_fitem {
    MT_VEC(ct_fnode) nodes;
    MT_VEC(const ct_token *) tail; /* comments behind it on its line */
    bool blank_before;             /* the author left an empty line */
    bool is_comment;               /* nothing but a comment on lines of its own */
    bool has_body;                 /* a construct with braces */
    size_t width;                  /* in characters on one line, without the tail */
} ct_fitem;

struct ct_fgroup {
    const ct_token *open, *close; /* NULL: the file */
    MT_VEC(ct_fitem) items;
    MT_VEC(const ct_token *) head; /* comments behind the opening bracket */
    bool block;                    /* always spans lines */
    size_t width;
};

typedef struct ct_ftree {
    mt_arena *a;
    mt_str text;
    ct_fgroup *file;
} ct_ftree;

/* False when brackets do not match or nest deeper than `depth`: text that does not
 * parse. */
bool ct_ftree_build(ct_ftree *tree, const ct_tokens *tokens, size_t depth);
/* The token's text; trailing white space of comments is cut. */
mt_str ct_ftree_text(const ct_ftree *tree, const ct_token *t);
mt_str ct_ftree_node_text(const ct_ftree *tree, const ct_fnode *n);
/* Is a space written between two neighbours of an item? */
bool ct_ftree_spaced(const ct_fnode *before, const ct_fnode *after);

#endif
