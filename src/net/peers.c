/* net/peers.c - see peers.h.
 *
 * What a relay knows of the others on its bus: the number of the last line heard of
 * each, whether it is there, until when it may be catching up. A line that was heard
 * before is dropped by its number; a gap is counted as lost, unless the peer is
 * sending again what we missed.
 *
 * Presence is text: name, kind, its standing, and how far it has heard whom. Who was
 * cut off tells what it has heard, so that the others go on from there.
 *
 * Invariant: `number` means something when `heard` or `announced`. A presence message
 * and a line travel on different threads of the library, so an announcement never
 * moves `number` of a peer that was heard: lines before it may still be on their way
 * in. The table is bounded; who was silent longest is forgotten. Nothing fails: text
 * that is not a presence is answered false. */
#include "net/peers.h"

static const char *const KINDS[] = {
    [NT_ASK] = "ask",
    [NT_HERE] = "here",
    [NT_GONE] = "gone",
};
MT_TABLE_COVERS(KINDS, NT_GONE + 1);

static nt_peer *find(nt_peers *p, const char *name)
{
    nt_peer *oldest = NULL;
    for (size_t i = 0; i < p->count; i++) {
        nt_peer *x = &p->items[i];
        if (memcmp(x->name, name, NT_NODE_TEXT) == 0) {
            return x;
        }
        oldest = !oldest || x->used < oldest->used ? x : oldest;
    }
    nt_peer *x = p->count < NT_PEERS_MOST ? &p->items[p->count++] : oldest;
    *x = (nt_peer){0};
    memcpy(x->name, name, NT_NODE_TEXT);
    return x;
}

/* ---- lines ---- */

nt_heard nt_peers_line(nt_peers *p, const char *name, uint64_t number, int64_t now_ms,
                       uint64_t *lost)
{
    nt_peer *x = find(p, name);
    x->used = ++p->clock;
    *lost = 0;
    if (x->heard && number <= x->number) {
        return NT_LINE_AGAIN;
    }
    if ((x->heard || x->announced) && number > x->number + 1) {
        if (now_ms < x->catch_up_ms) {
            return NT_LINE_EARLY;
        }
        *lost = number - x->number - 1;
    }
    x->heard = true;
    x->number = number;
    return NT_LINE_NEW;
}

/* ---- presence ---- */

/* The next word of text with single spaces between them; empty at its end. */
static mt_str next_word(mt_str *rest)
{
    size_t end = mt_str_find(*rest, ' ');
    mt_str word = mt_str_from(rest->ptr, end);
    *rest = mt_str_skip(*rest, end < rest->len ? end + 1 : end);
    return word;
}

static bool read_number(mt_str *rest, uint64_t *out)
{
    mt_str word = next_word(rest);
    *out = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9') {
            return false;
        }
        *out = *out * 10 + (uint64_t)(word.ptr[i] - '0');
    }
    return word.len > 0 && word.len <= 19;
}

static bool read_kind(mt_str *rest, nt_presence_kind *out)
{
    mt_str word = next_word(rest);
    for (int i = 0; i <= NT_GONE; i++) {
        if (mt_str_eq(word, mt_str_z(KINDS[i]))) {
            *out = (nt_presence_kind)i;
            return true;
        }
    }
    return false;
}

/* How far it has heard whom; of interest is how far it has heard us. */
static bool read_heard(mt_str rest, const char *self, nt_presence *out)
{
    while (rest.len) {
        mt_str name = next_word(&rest);
        uint64_t number;
        if (name.len != NT_NODE_TEXT || !read_number(&rest, &number)) {
            return false;
        }
        if (memcmp(name.ptr, self, NT_NODE_TEXT) == 0) {
            out->heard_us = true;
            out->number = number;
        }
    }
    return true;
}

static void take_standing(nt_peer *x, nt_standing s, nt_presence *out)
{
    if (!x->heard && !x->announced) {
        x->number = s.last;
    }
    if (x->announced && s.refused > x->refused) {
        out->lost = s.refused - x->refused;
    }
    x->announced = true;
    x->refused = s.refused;
    if (s.first > x->number + 1) {
        x->catch_up_ms = 0; /* what we missed is no longer kept: go on with a gap */
    }
}

bool nt_peers_presence(nt_peers *p, const char *self, mt_str text, int64_t now_ms,
                       nt_presence *out)
{
    nt_standing s;
    *out = (nt_presence){0};
    mt_str name = next_word(&text);
    if (name.len != NT_NODE_TEXT || !read_kind(&text, &out->kind) ||
        !read_number(&text, &s.last) || !read_number(&text, &s.first) ||
        !read_number(&text, &s.refused) || !read_heard(text, self, out)) {
        return false;
    }
    nt_peer *x = find(p, name.ptr);
    x->used = ++p->clock;
    x->alive_ms = out->kind == NT_GONE ? 0 : now_ms;
    x->there = out->kind != NT_GONE;
    take_standing(x, s, out);
    return true;
}

static void add_number(mt_buf *out, uint64_t number)
{
    mt_buf_addc(out, ' ');
    mt_buf_add_u64(out, number);
}

void nt_peers_announce(const nt_peers *p, nt_presence_kind kind, const char *self,
                       nt_standing standing, mt_buf *out)
{
    mt_buf_add(out, self, NT_NODE_TEXT);
    mt_buf_addc(out, ' ');
    mt_buf_addz(out, KINDS[kind]);
    add_number(out, standing.last);
    add_number(out, standing.first);
    add_number(out, standing.refused);
    bool missed_nothing = kind == NT_ASK && !p->was_cut_off;
    for (size_t i = 0; i < p->count && !missed_nothing; i++) {
        if (p->items[i].heard || p->items[i].announced) {
            mt_buf_addc(out, ' ');
            mt_buf_add(out, p->items[i].name, NT_NODE_TEXT);
            add_number(out, p->items[i].number);
        }
    }
}

/* ---- coming and going ---- */

void nt_peers_cut_off(nt_peers *p, int64_t now_ms)
{
    nt_peers_sweep(p, now_ms);
    p->was_cut_off = true;
    for (size_t i = 0; i < p->count; i++) {
        p->items[i].there = false;
    }
}

void nt_peers_back(nt_peers *p, int64_t now_ms)
{
    for (size_t i = 0; i < p->count; i++) {
        nt_peer *x = &p->items[i];
        x->catch_up_ms = x->alive_ms ? now_ms + NT_PEER_CATCH_UP_MS : 0;
        x->alive_ms = x->alive_ms ? now_ms : 0; /* nobody could be heard meanwhile */
    }
}

bool nt_peers_all_there(const nt_peers *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->items[i].alive_ms && !p->items[i].there) {
            return false;
        }
    }
    return true;
}

uint64_t nt_peers_give_up(nt_peers *p)
{
    uint64_t absent = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->items[i].alive_ms && !p->items[i].there) {
            p->items[i].alive_ms = 0;
            absent++;
        }
    }
    return absent;
}

void nt_peers_sweep(nt_peers *p, int64_t now_ms)
{
    for (size_t i = 0; i < p->count; i++) {
        if (now_ms - p->items[i].alive_ms > NT_PEER_SILENT_MS) {
            p->items[i].alive_ms = 0;
        }
    }
}
