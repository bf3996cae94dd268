/* base/json_write.c - the canonical writer: byte-sorted keys, no white space, or
 * indented by two.
 *
 * mt_jw writes events (begin, key, value, end) straight into a buffer; mt_jw_json()
 * writes a tree with its keys sorted. Whoever writes events by hand gives the keys in
 * byte order: hashes and signatures are made over these bytes.
 *
 * A string that needs no escape, nearly every one, is copied and checked at the same
 * time, eight or sixteen bytes at once; when a byte needs an escape after all, the
 * copy is overwritten by the careful way. Both ways give the same bytes.
 *
 * Invariant: numbers are written as the text they were read as; nothing is
 * reformatted. What cannot fail: the writer has no errors of its own. A buffer with a
 * ceiling stops growing, which its owner sees by mt_buf; the writer then writes
 * nothing more. */
#include "base/json_write.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/utf8.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* FEW: objects with more members sort their pointers on the heap. */
enum { BLOCK = 16, INDENT = 2, FEW = 32 };

/* 0: as it is; 'u': \u00xx; otherwise the letter after the backslash. */
static const char ESCAPE[256] = {
    ['"'] = '"', ['\\'] = '\\', [0] = 'u',  [1] = 'u',  [2] = 'u',  [3] = 'u',
    [4] = 'u',   [5] = 'u',     [6] = 'u',  [7] = 'u',  [8] = 'b',  [9] = 't',
    [10] = 'n',  [11] = 'u',    [12] = 'f', [13] = 'r', [14] = 'u', [15] = 'u',
    [16] = 'u',  [17] = 'u',    [18] = 'u', [19] = 'u', [20] = 'u', [21] = 'u',
    [22] = 'u',  [23] = 'u',    [24] = 'u', [25] = 'u', [26] = 'u', [27] = 'u',
    [28] = 'u',  [29] = 'u',    [30] = 'u', [31] = 'u'};

/* The shortest escape there is: a letter, or \u00xx. */
static void add_escaped(mt_buf *out, unsigned char c)
{
    static const char HEX[] = "0123456789abcdef";
    if (ESCAPE[c] == 'u') {
        char text[6] = {'\\', 'u', '0', '0', HEX[c >> 4], HEX[c & 15]};
        mt_buf_add(out, text, sizeof text);
    } else {
        char text[2] = {'\\', ESCAPE[c]};
        mt_buf_add(out, text, sizeof text);
    }
}

#define EACH_BYTE(n) (0x0101010101010101u * (n))

/* Sets a high bit when a byte of the word needs an escape. */
static inline uint64_t needs_escape(uint64_t word)
{
    uint64_t quote = word ^ EACH_BYTE('"'), slash = word ^ EACH_BYTE('\\');
    uint64_t hit = ((quote - EACH_BYTE(1)) & ~quote) |
                   ((slash - EACH_BYTE(1)) & ~slash) |
                   ((word - EACH_BYTE(0x20)) & ~word);
    return hit & EACH_BYTE(0x80);
}

/* Copies up to 8 bytes as one word. */
static inline uint64_t copy_word(char *to, const char *from, size_t len)
{
    /* What is not copied of the word must not look like something to escape. */
    uint64_t word = EACH_BYTE('a');
    memcpy(&word, from, len);
    memcpy(to, &word, len);
    return word;
}

/* Blocks overlap in the middle instead of a loop over the rest. */
static inline bool copy_short(char *to, const char *from, size_t len)
{
    if (len >= 8) {
        uint64_t first = copy_word(to, from, 8);
        uint64_t last = copy_word(to + len - 8, from + len - 8, 8);
        return !(needs_escape(first) | needs_escape(last));
    }
    if (len >= 4) {
        uint64_t first = copy_word(to, from, 4);
        uint64_t last = copy_word(to + len - 4, from + len - 4, 4);
        return !(needs_escape(first) | needs_escape(last));
    }
    bool clean = true;
    for (size_t i = 0; i < len; i++) {
        to[i] = from[i];
        clean &= !ESCAPE[(unsigned char)from[i]];
    }
    return clean;
}

#if defined(__SSE2__)
static inline __m128i copy_block(char *to, const char *from)
{
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, b);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(b, _mm_set1_epi8('"')),
                               _mm_cmpeq_epi8(b, _mm_set1_epi8('\\')));
    /* Unsigned b <= 0x1F, for which there is no instruction. */
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(b, _mm_set1_epi8(0x1F)), b);
    return _mm_or_si128(hit, control);
}

static inline bool copy_long(char *to, const char *from, size_t len)
{
    __m128i hit = copy_block(to + len - BLOCK, from + len - BLOCK);
    for (size_t at = 0; at + BLOCK < len; at += BLOCK) {
        hit = _mm_or_si128(hit, copy_block(to + at, from + at));
    }
    return _mm_movemask_epi8(hit) == 0;
}
#else
static inline bool copy_long(char *to, const char *from, size_t len)
{
    uint64_t hit = needs_escape(copy_word(to + len - 8, from + len - 8, 8));
    for (size_t at = 0; at + 8 < len; at += 8) {
        hit |= needs_escape(copy_word(to + at, from + at, 8));
    }
    return !hit;
}
#endif

/* Copies len bytes; false when one of them needs an escape. */
static inline bool copy_clean(char *to, const char *from, size_t len)
{
    return len >= BLOCK ? copy_long(to, from, len) : copy_short(to, from, len);
}

/* Length of the run at the start of s that needs no escape. */
static size_t clean_run(mt_str s)
{
    size_t at = 0;
    for (; s.len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, s.ptr + at, sizeof word);
        if (needs_escape(word)) {
            break;
        }
    }
    while (at < s.len && !ESCAPE[(unsigned char)s.ptr[at]]) {
        at++;
    }
    return at;
}

static void add_body(mt_buf *out, mt_str s)
{
    for (;;) {
        size_t run = clean_run(s);
        mt_buf_add(out, s.ptr, run);
        if (run == s.len) {
            return;
        }
        add_escaped(out, (unsigned char)s.ptr[run]);
        s = mt_str_skip(s, run + 1);
    }
}

void mt_json_quote(mt_buf *out, mt_str value)
{
    if (MT_LIKELY(mt_buf_room(out, value.len + 2))) {
        char *p = out->ptr + out->len;
        *p = '"';
        if (MT_LIKELY(copy_clean(p + 1, value.ptr, value.len))) {
            p[value.len + 1] = '"';
            out->len += value.len + 2;
            return;
        }
    }
    mt_buf_addc(out, '"');
    add_body(out, value);
    mt_buf_addc(out, '"');
}

void mt_json_show(mt_buf *out, mt_str value)
{
    mt_buf quoted = {0};
    mt_json_quote(&quoted, value);
    mt_str rest = mt_str_from(quoted.ptr + 1, quoted.len - 2);
    while (rest.len) {
        rest = mt_str_skip(rest, mt_utf8_show(out, rest));
    }
    mt_buf_free(&quoted);
}

/* A string at p, where there is room for it and for `after`. */
static inline __attribute__((always_inline)) void put_string(mt_jw *w, char *p,
                                                             mt_str value, mt_str after)
{
    if (MT_UNLIKELY(!p)) {
        return;
    }
    *p = '"';
    if (MT_LIKELY(copy_clean(p + 1, value.ptr, value.len))) {
        p += value.len + 1;
        *p++ = '"';
        memcpy(p, after.ptr, after.len);
        mt_jw_advance(w, p + after.len);
        return;
    }
    mt_jw_advance(w, p);
    mt_json_quote(w->out, value);
    mt_buf_adds(w->out, after);
}

static void new_line(mt_jw *w)
{
    size_t spaces = (size_t)w->depth * INDENT;
    if (mt_buf_room(w->out, spaces + 1)) {
        w->out->ptr[w->out->len] = '\n';
        memset(w->out->ptr + w->out->len + 1, ' ', spaces);
        w->out->len += spaces + 1;
    }
}

char *mt_jw_separate_slow(mt_jw *w, size_t more)
{
    if (!w->after_key && !w->first) {
        mt_buf_addc(w->out, ',');
    }
    if (!w->after_key && w->pretty && w->depth) {
        new_line(w);
    }
    w->first = w->after_key = false;
    return mt_buf_room(w->out, more) ? w->out->ptr + w->out->len : NULL;
}

static inline void put_byte(mt_jw *w, char *p, char byte)
{
    if (MT_LIKELY(p != NULL)) {
        *p = byte;
        mt_jw_advance(w, p + 1);
    }
}

#ifdef MT_CHECK_KEYS
static void forget_keys(mt_jw *w)
{
    if (w->depth < MT_JW_CHECKED_DEPTH) {
        w->last[w->depth] = (mt_jw_last){0};
    }
}

void mt_jw_unsorted(mt_jw *w)
{
    if (w->depth < MT_JW_CHECKED_DEPTH) {
        w->last[w->depth].unsorted = true;
    }
}

void mt_jw_check_key(mt_jw *w, mt_str key)
{
    if (w->depth >= MT_JW_CHECKED_DEPTH || w->last[w->depth].unsorted) {
        return;
    }
    mt_jw_last *last = &w->last[w->depth];
    bool is_cut = key.len >= sizeof last->text; /* the rest is not compared */
    key.len = is_cut ? sizeof last->text : key.len;
    int order = mt_str_cmp(mt_str_from(last->text, last->len), key);
    /* Equal keys are a fault as well: a reader would refuse the object. */
    if (last->is_set && (order > 0 || (order == 0 && !is_cut))) {
        fprintf(stderr, "key \"%.*s\" after \"%.*s\"\n", (int)key.len, key.ptr,
                (int)last->len, last->text);
        MT_BUG("keys of an object do not ascend");
    }
    last->is_set = true;
    last->len = (uint8_t)key.len;
    memcpy(last->text, key.ptr, key.len);
}
#else
static inline void forget_keys(mt_jw *w)
{
    (void)w;
}
#endif

static inline void begin(mt_jw *w, char bracket)
{
    MT_ASSERT(w->depth < MT_JW_MAX_DEPTH);
    put_byte(w, mt_jw_separate(w, 1), bracket);
    w->depth++;
    w->first = true;
}

static inline void end(mt_jw *w, char bracket)
{
    MT_ASSERT(w->depth > 0 && !w->after_key);
    w->depth--;
    if (w->pretty && !w->first) {
        new_line(w);
    }
    mt_buf_addc(w->out, bracket);
    w->first = false;
}

void mt_jw_begin_object(mt_jw *w)
{
    begin(w, '{');
    forget_keys(w);
}

void mt_jw_end_object(mt_jw *w)
{
    end(w, '}');
}

void mt_jw_begin_array(mt_jw *w)
{
    begin(w, '[');
}

void mt_jw_end_array(mt_jw *w)
{
    end(w, ']');
}

void mt_jw_key(mt_jw *w, mt_str key)
{
    mt_jw_check_key(w, key);
    char *p = mt_jw_separate(w, key.len + 4);
    if (w->pretty) {
        put_string(w, p, key, MT_STR(": "));
    } else {
        put_string(w, p, key, MT_STR(":"));
    }
    w->after_key = true;
}

void mt_jw_str(mt_jw *w, mt_str value)
{
    put_string(w, mt_jw_separate(w, value.len + 2), value, MT_STR(""));
}

void mt_jw_i64(mt_jw *w, int64_t value)
{
    char *p = mt_jw_separate(w, 0);
    if (MT_LIKELY(p != NULL)) {
        mt_jw_advance(w, p);
        mt_buf_add_i64(w->out, value);
    }
}

void mt_jw_raw(mt_jw *w, mt_str json)
{
    char *p = mt_jw_separate(w, json.len);
    if (MT_LIKELY(p != NULL)) {
        memcpy(p, json.ptr, json.len);
        mt_jw_advance(w, p + json.len);
    }
}

void mt_jw_bool(mt_jw *w, bool value)
{
    mt_jw_raw(w, value ? MT_STR("true") : MT_STR("false"));
}

void mt_jw_null(mt_jw *w)
{
    mt_jw_raw(w, MT_STR("null"));
}

static void write_array(mt_jw *w, const mt_json *array)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < array->count; i++) {
        mt_jw_json(w, &array->as.items[i]);
    }
    mt_jw_end_array(w);
}

static bool is_sorted(const mt_json *object)
{
    for (uint32_t i = 1; i < object->count; i++) {
        mt_str a = object->as.members[i - 1].key, b = object->as.members[i].key;
        /* The first byte decides most pairs without a call. */
        bool by_first = a.len && b.len && a.ptr[0] != b.ptr[0];
        bool before = by_first ? (unsigned char)a.ptr[0] < (unsigned char)b.ptr[0]
                               : mt_str_cmp(a, b) < 0;
        if (!before) {
            return false;
        }
    }
    return true;
}

static inline void write_member(mt_jw *w, const mt_json_member *m)
{
    mt_jw_key(w, m->key);
    mt_jw_json(w, &m->value);
}

/* Sorts pointers to members, never the tree itself. */
static void write_unsorted(mt_jw *w, const mt_json *object)
{
    const mt_json_member *few[FEW];
    const mt_json_member **order = few;
    if (object->count > FEW) {
        order = mt_xmalloc(mt_array_bytes(object->count, sizeof *order));
    }
    mt_json_sort(object, order);
    for (uint32_t i = 0; i < object->count; i++) {
        write_member(w, order[i]);
    }
    if (order != few) {
        free(order);
    }
}

static void write_object(mt_jw *w, const mt_json *object)
{
    mt_jw_begin_object(w);
    if (is_sorted(object)) {
        for (uint32_t i = 0; i < object->count; i++) {
            write_member(w, &object->as.members[i]);
        }
    } else {
        write_unsorted(w, object);
    }
    mt_jw_end_object(w);
}

void mt_jw_hex(mt_jw *w, const unsigned char *bytes, size_t count)
{
    char hex[2 * 64];
    if (2 * count > sizeof hex) {
        MT_BUG("too many bytes for hexadecimal");
    }
    mt_hex(bytes, count, hex);
    mt_jw_str(w, mt_str_from(hex, 2 * count));
}

void mt_jw_json(mt_jw *w, const mt_json *node)
{
    switch ((mt_json_type)node->type) {
    case MT_JSON_NULL: mt_jw_null(w); return;
    case MT_JSON_BOOL: mt_jw_bool(w, node->boolean); return;
    case MT_JSON_NUMBER: mt_jw_raw(w, mt_json_text(node)); return;
    case MT_JSON_STRING: mt_jw_str(w, mt_json_text(node)); return;
    case MT_JSON_ARRAY: write_array(w, node); return;
    case MT_JSON_OBJECT: write_object(w, node); return;
    }
    MT_BUG("unknown JSON type");
}

void mt_json_write(mt_buf *out, const mt_json *node, bool pretty)
{
    mt_jw w = mt_jw_start(out, pretty);
    mt_jw_json(&w, node);
}
