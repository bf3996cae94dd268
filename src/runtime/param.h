/* runtime/param.h - a name and its value, both texts.
 * Room: runtime. Parameters of a request: of its query, or for a `{name}` in the path
 * of a source; the text as it is, whatever JSON type it had. */
#ifndef RT_PARAM_H
#define RT_PARAM_H

#include "base/str.h"

typedef struct rt_param {
    mt_str name, value;
} rt_param;

#endif
