/* agent/frame.h - lines on the wire, and the envelope a relay puts around them.
 * Room: agent. May include base/ only; pure: bytes in, lines and values out.
 * Wire: UTF-8 text, one message per '\n'-terminated line, both ways. A relay wraps
 * what an agent sends (agent/message.h says what that is) without looking into it:
 *   {"content":"<the line as text>","remote_addr":"127.0.0.1:38920"}
 * Ownership: lines handed out by a framer are borrowed until its next call. */
#ifndef AG_FRAME_H
#define AG_FRAME_H

#include "base/str.h"

/* Cuts a byte stream into lines, however it was split. Keeps only the start of a line
 * whose newline has not come, never more than `limit` bytes of it. */
typedef struct ag_framer {
    size_t limit;  /* longest line without its newline */
    mt_buf carry;  /* start of an unfinished line */
    mt_str chunk;  /* what is left of the bytes fed last */
    bool skipping; /* inside a line that is too long */
    bool lent;     /* `carry` was handed out as a line */
} ag_framer;

typedef enum ag_frame_kind {
    AG_FRAME_MORE,    /* everything fed is used up */
    AG_FRAME_LINE,    /* *line is one line, without "\n" or "\r\n" */
    AG_FRAME_TOO_LONG /* a line beyond the limit; the rest of it will be skipped */
} ag_frame_kind;

void ag_framer_free(ag_framer *f);
/* `bytes` are borrowed until ag_framer_next() answers AG_FRAME_MORE. */
void ag_framer_feed(ag_framer *f, mt_str bytes);
/* The next whole line; it is good until more bytes are added. */
ag_frame_kind ag_framer_next(ag_framer *f, mt_str *line);
/* The stream has ended: a last line without newline counts as one. */
ag_frame_kind ag_framer_end(ag_framer *f, mt_str *line);

/* Appends what a relay sends to the others for `line` of the sender at `address`,
 * newline included. Both must be valid UTF-8. */
void ag_frame_relay(mt_buf *out, mt_str address, mt_str line);

#endif
