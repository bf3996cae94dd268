/* contract/wire/shapes.h - the shapes of a bundle and of a manifest.
 * Room: contract. */
#ifndef CT_WIRE_SHAPES_H
#define CT_WIRE_SHAPES_H

#include "contract/wire/shape.h"

extern const ct_shape CT_SHAPE_BUNDLE, CT_SHAPE_MANIFEST;

#endif
