/* agent/frame.c - cutting lines and wrapping them for the others. */
#include "agent/frame.h"

#include "agent/escape.h"

/* A carry buffer above this is given back when its line is done. */
enum { KEEP_BYTES = 16384 };

void ag_framer_free(ag_framer *f)
{
    mt_buf_free(&f->carry);
    f->chunk = (mt_str){0};
}

void ag_framer_feed(ag_framer *f, mt_str bytes)
{
    MT_ASSERT(f->chunk.len == 0);
    f->chunk = bytes;
}

static void drop_carry(ag_framer *f)
{
    if (f->carry.cap > KEEP_BYTES) {
        mt_buf_free(&f->carry);
    }
    mt_buf_clear(&f->carry);
    f->lent = false;
}

static mt_str without_return(mt_str line)
{
    if (line.len && line.ptr[line.len - 1] == '\r') {
        line.len--;
    }
    return line;
}

/* The line that ends at the newline just found; `piece` is its last part. */
static mt_str joined(ag_framer *f, mt_str piece)
{
    if (!f->carry.len) {
        return piece;
    }
    mt_buf_adds(&f->carry, piece);
    f->lent = true;
    return mt_buf_str(&f->carry);
}

/* A line that lies whole in the chunk is lent from it without a copy; one that spans
 * chunks is gathered in `carry`, which never exceeds the limit. The comparison is
 * written without a sum that could overflow. A line too long is told once and skipped
 * up to its end, so an attacker cannot make the framer grow. */
ag_frame_kind ag_framer_next(ag_framer *f, mt_str *line)
{
    if (f->lent) {
        drop_carry(f);
    }
    while (f->chunk.len) {
        mt_str piece = {f->chunk.ptr, mt_str_find(f->chunk, '\n')};
        bool ends = piece.len < f->chunk.len;
        f->chunk = mt_str_skip(f->chunk, piece.len + (ends ? 1 : 0));
        if (f->skipping) {
            f->skipping = !ends;
        } else if (piece.len > f->limit || f->carry.len > f->limit - piece.len) {
            drop_carry(f);
            f->skipping = !ends;
            return AG_FRAME_TOO_LONG;
        } else if (ends) {
            *line = without_return(joined(f, piece));
            return AG_FRAME_LINE;
        } else {
            mt_buf_adds(&f->carry, piece);
        }
    }
    return AG_FRAME_MORE;
}

/* What is left without a line end counts as a line, once. */
ag_frame_kind ag_framer_end(ag_framer *f, mt_str *line)
{
    f->skipping = false;
    if (f->lent) {
        drop_carry(f);
    }
    if (!f->carry.len) {
        return AG_FRAME_MORE;
    }
    f->lent = true;
    *line = without_return(mt_buf_str(&f->carry));
    return AG_FRAME_LINE;
}

static void add_escaped(mt_buf *out, mt_str s)
{
    if (mt_buf_room(out, s.len * AG_ESCAPE_MOST + AG_ESCAPE_SLACK)) {
        out->len = (size_t)(ag_escape(out->ptr + out->len, s.ptr, s.len) - out->ptr);
    }
}

void ag_frame_relay(mt_buf *out, mt_str address, mt_str line)
{
    mt_buf_addz(out, "{\"content\":\"");
    add_escaped(out, line);
    mt_buf_addz(out, "\",\"remote_addr\":\"");
    add_escaped(out, address);
    mt_buf_addz(out, "\"}\n");
}
