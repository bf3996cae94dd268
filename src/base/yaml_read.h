/* base/yaml_read.h - YAML text to the tree JSON gives.
 * Room: base. May include base/ only.
 * Values by the YAML 1.2 core schema (`yes` and `on` are strings); numbers become JSON
 * number text (`+07` is 7, `.5` is 0.5, 0x1F is 31). One document, scalar keys,
 * duplicate keys refused, tags other than the core ones refused.
 * Aliases share their anchor's subtree; bytes, depth and the number of nodes as a walk
 * would count them are limited, so a bomb of aliases is refused before anyone walks it.
 * Ownership: the tree lives in the arena and borrows nothing from the text. */
#ifndef MT_BASE_YAML_READ_H
#define MT_BASE_YAML_READ_H

#include "base/json_read.h"

typedef struct mt_yaml_limits {
    size_t bytes, depth, nodes; /* 0: the default of base/limits.h */
} mt_yaml_limits;

/* MT_OK; MT_E_SYNTAX; MT_E_LIMIT; MT_E_RANGE for .inf and .nan, which no JSON value can
 * say. An empty document is null. `limits` and `error` may be NULL; offsets are those
 * of the text, so mt_json_place() gives their line and column. */
mt_err mt_yaml_read(mt_arena *a, mt_str text, const mt_yaml_limits *limits,
                    mt_json *out, mt_json_error *error);

#endif
