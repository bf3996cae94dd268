/* agent/style.h - arrow styles: how the arrow of a route is drawn.
 * Room: agent. May include base/ only.
 * A style is (stem, (left, right), separator, tip); `-`, `[`, `]`, `,`, `>` draws
 * `A--[f]-->B` and `A-->B`. Profile mode knows that one style only.
 * Ownership: a style's texts live in the arena it was made in. */
#ifndef AG_STYLE_H
#define AG_STYLE_H

#include "agent/node.h"

typedef struct ag_style {
    mt_str stem, left, right, separator, tip;
    mt_str open;  /* stem stem left:  --[  */
    mt_str close; /* right stem stem tip:  ]--> */
    mt_str bare;  /* stem stem tip:  --> */
} ag_style;

typedef struct ag_styles {
    const ag_style *items; /* tried in this order */
    size_t count;
} ag_styles;

extern const ag_style AG_STYLE;   /* the canonical one */
extern const ag_styles AG_STYLES; /* only it */

/* MT_E_REJECTED and *why (static) when the parts cannot be told apart. */
mt_err ag_style_make(mt_arena *a, mt_str stem, mt_str left, mt_str right,
                     mt_str separator, mt_str tip, ag_style *out, const char **why);

#endif
