/* contract/front/format_check.h - is a new layout still the same program?
 * Room: contract/front, format.c and its tests only. */
#ifndef FR_FRONT_FORMAT_CHECK_H
#define FR_FRONT_FORMAT_CHECK_H

#include "contract/elaborate.h"

/* One text and what elaborating it gave. The text parses. */
typedef struct fr_layout {
    mt_str text;
    const ct_elaboration *e;
} fr_layout;

/* What differs between the two, in words; empty when they are the same program: the
 * same tokens and comments (but for white space at the ends of their lines), the same
 * tree, and, when the first gave one, the same bundle (but for line numbers). */
mt_str fr_layout_fault(mt_arena *a, const fr_layout *before, const fr_layout *after,
                       const mt_limits *limits);

#endif
