/* adapter/param.h - a name and its value, both texts.
 * Room: adapter. Parameters of a request: of its query, or for a `{name}` in the path
 * of a source; the text as it is, whatever JSON type it had. */
#ifndef AD_PARAM_H
#define AD_PARAM_H

#include "base/str.h"

typedef struct ad_param {
    mt_str name, value;
} ad_param;

#endif
