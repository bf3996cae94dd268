/* graph/capture_item.h - the parts of a capture, each from its own text.
 * Room: graph; nobody outside of it needs this. `most` bounds the text (0: json_bytes).
 * `tree` is reset and used for parsing. MT_E_SYNTAX, MT_E_LIMIT, MT_E_CORRUPT of a
 * line: *fault has the member and a sentence.
 * Ownership: everything lives in `keep`, and for a line also in the line. */
#ifndef GR_CAPTURE_ITEM_H
#define GR_CAPTURE_ITEM_H

#include "graph/capture.h"

/* Everything of a v3 document but its events and decisions. */
mt_err gr_item_start(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                     gr_capture_start *out, gr_capture_fault *fault);
/* `tree` is scratch; what is kept lives in `keep`. `most` bounds the bytes. */
mt_err gr_item_event(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                     gr_capture_event *out, gr_capture_fault *fault);
mt_err gr_item_decision(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                        gr_capture_decision *out, gr_capture_fault *fault);
mt_err gr_item_line(mt_arena *keep, mt_arena *tree, mt_str line, size_t most,
                    gr_journal_record *out, gr_capture_fault *fault);

#endif
