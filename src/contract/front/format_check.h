/* contract/front/format_check.h - is a new layout still the same program?
 * Room: contract/front, format.c and its tests only. */
#ifndef CT_FRONT_FORMAT_CHECK_H
#define CT_FRONT_FORMAT_CHECK_H

#include "contract/elaborate.h"

/* One text and what elaborating it gave. The text parses. */
typedef struct ct_layout {
    mt_str text;
    const ct_elaboration *e;
} ct_layout;

/* What differs between the two, in words; empty when they are the same program: the
 * same tokens and comments (but for white space at the ends of their lines), the same
 * tree, and, when the first gave one, the same bundle (but for line numbers). */
mt_str ct_layout_fault(mt_arena *a, const ct_layout *before, const ct_layout *after,
                       const mt_limits *limits);

#endif
