/* trace/trace.c - ids of a trace, its header, and its stages.
 * Room: trace.
 * A trace begins with the header of the request, or without a good one by itself, and
 * then one of so many is sampled. Ids come from a generator of each thread that asks
 * the system once; a child's follow from its parent's, so that nothing has to be kept.
 * Stages are noted in fixed places; what does not fit is left out.
 *
 * INVARIANT: no id consists of zeros. Nothing here waits, allocates or fails, but for a
 * system without random numbers, which is the end. */
#include "trace/trace.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/hash.h"
#include "base/utf8.h"

int64_t tr_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- Numbers nobody else has ---- */

static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Ids must not collide; nobody has to be kept from guessing them. So each thread asks
 * the system once. */
static uint64_t next_number(void)
{
    static _Thread_local uint64_t state;
    if (!state && getrandom(&state, sizeof state, 0) != (ssize_t)sizeof state) {
        MT_BUG("no random numbers");
    }
    state += 0x9e3779b97f4a7c15u;
    uint64_t number = mixed(state);
    return number ? number : 1; /* an id of zeros is none */
}

void tr_child_id(const tr_trace *t, unsigned n, unsigned char out[TR_SPAN_BYTES])
{
    uint64_t own;
    memcpy(&own, t->span, sizeof own);
    uint64_t id = mixed(own + n * 0x9e3779b97f4a7c15u);
    id = id ? id : n;
    memcpy(out, &id, sizeof id);
}

/* ---- The header ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Lower case only, as the recommendation says; false for an id of zeros, too. */
static bool read_id(const char *text, unsigned char *out, size_t bytes)
{
    unsigned any = 0;
    for (size_t i = 0; i < bytes; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (unsigned char)(high << 4 | low);
        any |= out[i];
    }
    return any != 0;
}

/* 00-TRACE-SPAN-FLAGS. Of a later version the same parts are read, and what follows
 * them is not looked at; version ff does not exist. */
static bool read_header(tr_trace *t, mt_str h)
{
    if (h.len < TR_HEADER_BYTES || h.ptr[2] != '-' || h.ptr[35] != '-' ||
        h.ptr[52] != '-') {
        return false;
    }
    int high = hex_digit(h.ptr[0]), low = hex_digit(h.ptr[1]);
    bool first = high == 0 && low == 0;
    bool later = high >= 0 && low >= 0 && !(high == 15 && low == 15);
    bool ends = h.len == TR_HEADER_BYTES || (!first && h.ptr[TR_HEADER_BYTES] == '-');
    int flags_high = hex_digit(h.ptr[53]), flags = hex_digit(h.ptr[54]);
    if (!later || !ends || flags_high < 0 || flags < 0 ||
        !read_id(h.ptr + 3, t->id, TR_ID_BYTES) ||
        !read_id(h.ptr + 36, t->parent, TR_SPAN_BYTES)) {
        return false;
    }
    t->sampled = flags & 1;
    return true;
}

/* Whoever began the trace has decided whether it is sampled. */
void tr_trace_begin(tr_trace *t, mt_str header, unsigned one_of)
{
    t->known = t->sampled = t->has_parent = false;
    t->source_count = 0;
    t->queued_ns = t->evaluation.began_ns = t->commit.began_ns = 0;
    t->evaluation.ended_ns = t->commit.ended_ns = 0;
    t->contract[0] = '\0';
    t->method = t->path = t->code = NULL;
    t->has_parent = header.len && read_header(t, header);
    if (!t->has_parent && !one_of) {
        return;
    }
    if (!t->has_parent) {
        uint64_t id[2] = {next_number(), next_number()};
        memcpy(t->id, id, sizeof id);
        t->sampled = id[1] % one_of == 0;
    }
    uint64_t span = next_number();
    memcpy(t->span, &span, sizeof span);
    t->known = true;
    t->request.began_ns = tr_now_ns();
}

void tr_trace_id(const tr_trace *t, char out[2 * TR_ID_BYTES])
{
    mt_hex(t->id, TR_ID_BYTES, out);
}

void tr_trace_header(const tr_trace *t, char out[TR_HEADER_BYTES + 1])
{
    memcpy(out, "00-", 3);
    tr_trace_id(t, out + 3);
    out[35] = '-';
    mt_hex(t->span, TR_SPAN_BYTES, out + 36);
    memcpy(out + 52, t->sampled ? "-01" : "-00", 4);
}

/* ---- Stages ---- */

void tr_name(char out[TR_NAME_BYTES], mt_str name)
{
    name = mt_utf8_cut(name, TR_NAME_BYTES - 1);
    if (name.len) {
        memcpy(out, name.ptr, name.len);
    }
    out[name.len] = '\0';
}

void tr_trace_source(tr_trace *t, mt_str name, tr_stage stage, bool failed)
{
    if (t && t->sampled && t->source_count < TR_SOURCES_MOST) {
        tr_source *s = &t->sources[t->source_count++];
        tr_name(s->name, name);
        s->stage = stage;
        s->failed = failed;
    }
}
