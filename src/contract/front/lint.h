/* contract/front/lint.h - which warnings an author wants to see, and how severely.
 * Room: contract/front.
 * Asked only when a warning or a note is about to be reported. A comment wins over what
 * the caller set (ct_options):
 *     // motet: allow T703       the construct it stands in, behind or before
 *     // motet: allow-file T702  the whole file */
#ifndef FR_FRONT_LINT_H
#define FR_FRONT_LINT_H

#include "contract/front/unit.h"

/* Of a code at a place of a file; `file` NULL: only what the caller set. */
ct_lint_level fr_lint_at(fr_unit *u, const char *code, const fr_file *file,
                         size_t offset);
/* Reports what the comments of all files say that nobody understands. */
void fr_lint_check(fr_unit *u);

#endif
