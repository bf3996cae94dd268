/* analyze/prove/prove_corners.h - fact sets at the edges of their types.
 * Room: analyze, in the library analyze_prove. May include base/ and contract/. */
#ifndef AN_ANALYZE_PROVE_CORNERS_H
#define AN_ANALYZE_PROVE_CORNERS_H

#include "contract/wire/model.h"

enum { AN_CORNERS = 96 };

/* Fact set number `nth` of AN_CORNERS as JSON: every value is one of the least, the
 * largest and the plainest its type has; every fact is given. The first few are all of
 * one kind. The same number gives the same set. */
mt_str an_corner(mt_arena *a, const ct_model *m, unsigned nth);

#endif
