#include "base/json_write.h"

#include <stdlib.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BLOCK = 16, INDENT = 2, FEW = 32 };

/* 0: as it is; 'u': \u00xx; otherwise the letter after the backslash. */
static const char ESCAPE[256] = {
    ['"'] = '"', ['\\'] = '\\', [0] = 'u',  [1] = 'u',  [2] = 'u',  [3] = 'u',
    [4] = 'u',   [5] = 'u',     [6] = 'u',  [7] = 'u',  [8] = 'b',  [9] = 't',
    [10] = 'n',  [11] = 'u',    [12] = 'f', [13] = 'r', [14] = 'u', [15] = 'u',
    [16] = 'u',  [17] = 'u',    [18] = 'u', [19] = 'u', [20] = 'u', [21] = 'u',
    [22] = 'u',  [23] = 'u',    [24] = 'u', [25] = 'u', [26] = 'u', [27] = 'u',
    [28] = 'u',  [29] = 'u',    [30] = 'u', [31] = 'u'};

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

/* Length of the run at the start of s that needs no escape. */
static size_t clean_run(mt_str s)
{
    size_t at = 0;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1F);
    for (; s.len - at >= BLOCK; at += BLOCK) {
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(s.ptr + at));
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(b, quote), _mm_cmpeq_epi8(b, slash));
        /* Unsigned b <= 0x1F, for which there is no instruction. */
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(b, control), b));
        unsigned mask = (unsigned)_mm_movemask_epi8(hit);
        if (mask) {
            return at + (size_t)__builtin_ctz(mask);
        }
    }
#endif
    while (at < s.len && !ESCAPE[(unsigned char)s.ptr[at]]) {
        at++;
    }
    return at;
}

void mt_json_quote(mt_buf *out, mt_str value)
{
    mt_buf_addc(out, '"');
    for (;;) {
        size_t run = clean_run(value);
        mt_buf_add(out, value.ptr, run);
        if (run == value.len) {
            break;
        }
        add_escaped(out, (unsigned char)value.ptr[run]);
        value = mt_str_skip(value, run + 1);
    }
    mt_buf_addc(out, '"');
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

/* What stands between the previous value and this one. */
static inline void separate(mt_jw *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (!w->first) {
        mt_buf_addc(w->out, ',');
    }
    if (w->pretty && w->depth) {
        new_line(w);
    }
    w->first = false;
}

static void begin(mt_jw *w, char bracket)
{
    MT_ASSERT(w->depth < MT_JW_MAX_DEPTH);
    separate(w);
    mt_buf_addc(w->out, bracket);
    w->depth++;
    w->first = true;
}

static void end(mt_jw *w, char bracket)
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
    separate(w);
    mt_json_quote(w->out, key);
    mt_buf_add(w->out, ": ", w->pretty ? 2 : 1);
    w->after_key = true;
}

void mt_jw_str(mt_jw *w, mt_str value)
{
    separate(w);
    mt_json_quote(w->out, value);
}

void mt_jw_i64(mt_jw *w, int64_t value)
{
    separate(w);
    mt_buf_add_i64(w->out, value);
}

void mt_jw_raw(mt_jw *w, mt_str json)
{
    separate(w);
    mt_buf_adds(w->out, json);
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
        const mt_json_member *m = &object->as.members[i];
        if (mt_str_cmp(m[-1].key, m->key) > 0) {
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
