/* contract/front/format.h - the canonical layout of contract source.
 * Room: contract/front.
 * Formatting moves white space only: the tokens and comments stay as they are, so the
 * interchange changes in line numbers alone. The dot of a quantifier, which white space
 * tells from a field access, is always written ` . `.
 * Layout: 2 spaces per level, 88 columns; bodies of constructs and steps always span
 * lines, other brackets when they do not fit; values of neighbouring one-line fields
 * are aligned; at most one blank line is kept. Formatting twice changes nothing. */
#ifndef CT_FRONT_FORMAT_H
#define CT_FRONT_FORMAT_H

#include "base/diag.h"
#include "base/limits.h"

/* MT_OK: *out is set and lives in `keep`. MT_E_REJECTED: the text does not parse; `ds`
 * holds at least one error. `limits` may be NULL. */
mt_err ct_format(mt_arena *keep, mt_str file, mt_str text, const mt_limits *limits,
                 mt_diags *ds, mt_str *out);

#endif
