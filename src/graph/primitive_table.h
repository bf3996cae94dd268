/* graph/primitive_table.h - the standard library as rows. Room: graph.
 * Ports: "name:type", '?' after an optional one; parameters: "name:type=default" or
 * "name:type!" when required; outputs of sources name their origin after '<'.
 * `key` is the type of the context key "$key" a source reads or an action writes. */
#ifndef GR_PRIMITIVE_TABLE_H
#define GR_PRIMITIVE_TABLE_H

#include <stddef.h>

#include "graph/manifest.h"
#include "graph/op.h"

typedef struct gr_standard_row {
    gr_op op;
    gr_kind kind;
    const char *id, *inputs, *params, *outputs, *key, *summary;
} gr_standard_row;

extern const gr_standard_row GR_STANDARD[];
extern const size_t GR_STANDARD_COUNT;

/* All are 0.1.0 but divide, whose error for a zero divisor came later. */
const char *gr_standard_version(const gr_standard_row *row);

#endif
