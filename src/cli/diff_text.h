/* cli/diff_text.h - two texts as a unified diff.
 * Room: cli. */
#ifndef CLI_DIFF_TEXT_H
#define CLI_DIFF_TEXT_H

#include "base/str.h"

/* Appends the diff with three lines around each change; nothing if the texts are equal.
 * Lines that moved far are shown as removed and added. */
void cli_diff_text(mt_buf *out, mt_str name, mt_str old, mt_str new);

#endif
