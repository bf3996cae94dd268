/* contract/front/format.h - the canonical layout of contract source.
 * Room: contract/front.
 * Formatting moves white space only: the tokens and comments stay as they are, so the
 * interchange changes in line numbers alone. The dot of a quantifier, which white space
 * tells from a field access, is always written ` . `. The result is checked before it
 * is returned.
 * Layout: 2 spaces per level, 88 columns; bodies of constructs and steps always span
 * lines, other brackets when they do not fit; values of neighbouring one-line fields
 * are aligned; at most one blank line is kept. Formatting twice changes nothing. */
#ifndef FR_FRONT_FORMAT_H
#define FR_FRONT_FORMAT_H

#include "contract/elaborate.h"

/* Code of a result that was refused: our fault, not the contract's. */
#define FR_CODE_LAYOUT "T620"

/* `file` is the path of the text among `files`, which hold what it imports; with files
 * NULL it stands alone, and text that imports is compared as far as it can be read.
 * MT_OK: *out is set and lives in `keep`; it has the tokens and the tree of `text`, and
 * its bundle if it gives one. MT_E_REJECTED: the text does not parse, or the layout is
 * not the same program; `ds` holds at least one error. `limits` may be NULL. */
mt_err fr_format(mt_arena *keep, mt_str file, mt_str text, const mt_provider *files,
                 const mt_limits *limits, mt_diags *ds, mt_str *out);

#endif
