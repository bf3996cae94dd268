/* agent/frame.c - cutting lines and wrapping them for the others. */
#include "agent/frame.h"

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

/* Bytes of an eight-byte word that JSON must escape, as a mask of high bits. A byte
 * above the lowest hit may be marked wrongly (a borrow), the lowest never. */
static uint64_t to_escape(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
    uint64_t control = (word - ones * 0x20) & ~word;
    return (control | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & highs;
}

/* Length of the run at p that needs no escape. */
static size_t plain_run(const char *p, size_t len)
{
    size_t at = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, p + at, sizeof word);
        uint64_t hits = to_escape(word);
        if (hits) {
            return at + (size_t)__builtin_ctzll(hits) / 8;
        }
    }
#endif
    while (at < len && (unsigned char)p[at] >= 0x20 && p[at] != '"' && p[at] != '\\') {
        at++;
    }
    return at;
}

static char *put_escape(char *to, unsigned char c)
{
    static const char HEX[] = "0123456789abcdef";
    static const char SHORT[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    *to++ = '\\';
    if (c >= 0x20 || SHORT[c]) {
        *to++ = c >= 0x20 ? (char)c : SHORT[c];
        return to;
    }
    memcpy(to, "u00", 3);
    to[3] = HEX[c >> 4];
    to[4] = HEX[c & 15];
    return to + 5;
}

/* A line is wrapped once and read by many, but every byte of it passes here. */
static void add_escaped(mt_buf *out, mt_str s)
{
    if (!mt_buf_room(out, s.len * 6)) {
        return;
    }
    char *to = out->ptr + out->len;
    while (s.len) {
        size_t run = plain_run(s.ptr, s.len);
        memcpy(to, s.ptr, run);
        to += run;
        s = mt_str_skip(s, run);
        while (s.len && plain_run(s.ptr, 1) == 0) {
            to = put_escape(to, (unsigned char)s.ptr[0]);
            s = mt_str_skip(s, 1);
        }
    }
    out->len = (size_t)(to - out->ptr);
}

void ag_frame_relay(mt_buf *out, mt_str address, mt_str line)
{
    mt_buf_addz(out, "{\"content\":\"");
    add_escaped(out, line);
    mt_buf_addz(out, "\",\"remote_addr\":\"");
    add_escaped(out, address);
    mt_buf_addz(out, "\"}\n");
}
