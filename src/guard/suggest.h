/* guard/suggest.h - a contract and a map, made narrower by what was seen.
 * Room: guard. Pure: texts in, texts out; whoever asked looks at the difference. */
#ifndef GD_SUGGEST_H
#define GD_SUGGEST_H

#include "guard/map.h"

/* A call that was made; its arguments as JSON, empty: the record has only their hash.
 */
typedef struct gd_seen {
    mt_str tool, arguments;
} gd_seen;

typedef struct gd_files {
    mt_str contract, map;
    mt_str scenarios; /* ptr NULL: there are none */
} gd_files;

/* What is suggested is only ever a restriction: a tool that nobody called loses its
 * row; a path that always led below one directory has to. `notes` gets a line for
 * whatever was seen and is not in the files. All lives in `a`. */
gd_files gd_suggest(mt_arena *a, const gd_seen *seen, size_t count, const gd_map *map,
                    const gd_files *old, mt_buf *notes);

#endif
