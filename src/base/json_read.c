/* base/json_read.c - text to a tree, in one pass and without recursion.
 *
 * Items and members of the open containers lie on one byte stack; when a container
 * closes, its children move to the arena as one array. Below each frame lies the slot
 * (mt_json) that the container will fill, which works for items and members alike
 * because a member ends with its value.
 *
 * Order of a document: the byte limit and a byte order mark are looked at first; then
 * values are read into the slot on top of the stack until no frame is open; then
 * nothing but white space may follow. Keys of an object are compared when it closes:
 * pairwise with a cheap summary for few, by a map for many, so a hostile object costs
 * no more than a log factor.
 *
 * Invariants: depth never exceeds max_depth; the stack starts in the caller's frame
 * and is on the heap only after it grew; texts without escapes borrow from the input.
 *
 * What may fail: MT_E_LIMIT (bytes, depth) or MT_E_SYNTAX with the offset of the byte
 * at fault. *out is written only on MT_OK. */
#include "base/json_read.h"

#include <stdlib.h>

#include "base/json_scan.h"
#include "base/limits.h"
#include "base/map.h"

/* One pass, no recursion. Items and members of the open containers lie on one byte
 * stack; when a container closes, its children move to the arena as one array. Below
 * each frame lies the slot (mt_json) that the container will fill, which works for
 * items and members alike because a member ends with its value. */

enum { FIRST_STACK = 8 * 1024, FEW_KEYS = 32 };

typedef struct frame {
    size_t outer; /* position of the enclosing frame, 0 for none */
    bool object;
} frame;

/* The slot is the last thing of both kinds of children. */
_Static_assert(offsetof(mt_json_member, value) + sizeof(mt_json) ==
                   sizeof(mt_json_member),
               "a member must end with its value");
_Static_assert(sizeof(frame) % _Alignof(mt_json_member) == 0, "frames keep alignment");

typedef struct reader {
    mt_arena *arena;
    const char *begin, *end;
    char *stack, *top, *stack_end;
    char *first; /* the caller's stack memory, not to be freed */
    size_t depth, max_depth;
    size_t frame; /* position of the innermost open frame, 0 for none */
    mt_err err;
    mt_scan_fault fault;
    mt_str detail; /* a key that was given twice */
} reader;

static const char *fail(reader *r, mt_err err, const char *at, const char *message)
{
    r->err = err;
    r->fault = (mt_scan_fault){at, message};
    return NULL;
}

/* Doubles the stack; the first one is the caller's and is left alone. */
static void widen_stack(reader *r, size_t more)
{
    size_t used = (size_t)(r->top - r->stack);
    size_t size = (size_t)(r->stack_end - r->stack) * 2 + more;
    bool borrowed = r->stack == r->first;
    char *wider = borrowed ? mt_xmalloc(size) : mt_xrealloc(r->stack, size);
    if (borrowed) {
        memcpy(wider, r->stack, used);
    }
    r->stack = wider;
    r->top = wider + used;
    r->stack_end = wider + size;
}

static inline void *push(reader *r, size_t size)
{
    if (MT_UNLIKELY((size_t)(r->stack_end - r->top) < size)) {
        widen_stack(r, size);
    }
    void *p = r->top;
    r->top += size;
    return p;
}

static inline frame *frame_at(const reader *r, size_t position)
{
    return (frame *)(void *)(r->stack + position);
}

/* The value being read: the last mt_json on the stack. */
static inline mt_json *slot(const reader *r)
{
    return (mt_json *)(void *)r->top - 1;
}

/* Text with escapes: decoded into the arena, where it is never longer than its
 * source. */
static const char *read_text_slow(reader *r, const char *start, mt_str *out)
{
    bool escaped = false;
    const char *quote = mt_scan_string(start, r->end, &escaped, &r->fault);
    if (!quote) {
        r->err = MT_E_SYNTAX;
        return NULL;
    }
    *out = mt_str_from(start, (size_t)(quote - start));
    if (escaped) {
        char *decoded = mt_alloc(r->arena, out->len);
        *out = mt_str_from(decoded, mt_scan_unescape(*out, decoded));
    }
    return quote + 1;
}

static inline const char *read_text(reader *r, const char *p, mt_str *out)
{
    bool room = r->end - p >= MT_SCAN_NEAR;
    const char *quote = MT_LIKELY(room) ? mt_scan_near_quote(p + 1) : NULL;
    if (MT_UNLIKELY(!quote)) {
        return read_text_slow(r, p + 1, out);
    }
    *out = mt_str_from(p + 1, (size_t)(quote - p - 1));
    return quote + 1;
}

/* The slot gets type and place now; count and children follow when the container
 * closes. */
static const char *open_container(reader *r, const char *p, mt_json_type type)
{
    if (r->depth == r->max_depth) {
        return fail(r, MT_E_LIMIT, p, MT_SCAN_DEPTH);
    }
    r->depth++;
    *slot(r) = (mt_json){.type = (uint8_t)type, .offset = (uint32_t)(p - r->begin)};
    frame *f = push(r, sizeof *f);
    *f = (frame){r->frame, type == MT_JSON_OBJECT};
    r->frame = (size_t)((char *)f - r->stack);
    return p + 1;
}

/* A cheap summary of a key: equal keys have equal summaries. */
static inline unsigned key_summary(mt_str key)
{
    if (!key.len) {
        return 0;
    }
    unsigned first = (unsigned char)key.ptr[0];
    unsigned middle = (unsigned char)key.ptr[key.len / 2];
    unsigned last = (unsigned char)key.ptr[key.len - 1];
    return (first * 7 + middle * 13 + last * 31 + (unsigned)key.len) & 63;
}

/* Index of the first member whose key an earlier member has, or count. */
static uint32_t repeated_of_few(const mt_json_member *m, uint32_t count)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bit = (uint64_t)1 << key_summary(m[i].key);
        for (uint32_t j = 0; MT_UNLIKELY(seen & bit) && j < i; j++) {
            if (mt_str_eq(m[j].key, m[i].key)) {
                return i;
            }
        }
        seen |= bit;
    }
    return count;
}

/* A map, because comparing each with each would be square; it is gone before the
 * children are kept. */
static uint32_t repeated_of_many(mt_arena *a, const mt_json_member *m, uint32_t count)
{
    mt_mark mark = mt_arena_mark(a);
    mt_map seen = {0};
    mt_map_reserve(a, &seen, count);
    uint32_t i = 0;
    for (bool added = true; i < count; i++) {
        mt_map_add(a, &seen, m[i].key, &added);
        if (!added) {
            break;
        }
    }
    mt_arena_rewind(a, mark);
    return i;
}

/* The opening quote of the key before a value. A quote inside the key has a
 * backslash before it, the opening one cannot have. */
static const char *key_place(const reader *r, const mt_json_member *m)
{
    const char *p = r->begin + m->value.offset - 1;
    while (*p != '"') {
        p--;
    }
    do {
        p--;
    } while (*p != '"' || p[-1] == '\\');
    return p;
}

/* Reports the second of two equal keys at its own place. */
static bool keys_differ(reader *r, const mt_json_member *m, uint32_t count)
{
    uint32_t at = count <= FEW_KEYS ? repeated_of_few(m, count)
                                    : repeated_of_many(r->arena, m, count);
    if (MT_LIKELY(at == count)) {
        return true;
    }
    r->detail = m[at].key;
    fail(r, MT_E_SYNTAX, key_place(r, &m[at]), MT_SCAN_DUPLICATE);
    return false;
}

static void *keep(reader *r, const void *children, size_t bytes)
{
    return bytes ? memcpy(mt_alloc(r->arena, bytes), children, bytes) : NULL;
}

/* The children leave the stack for the arena, and the container's own slot is on top
 * again. NULL when two keys of an object are equal. */
static const char *close_container(reader *r, const char *p)
{
    frame *f = frame_at(r, r->frame);
    const void *children = f + 1;
    size_t bytes = (size_t)(r->top - (const char *)children);
    r->top = (char *)f;
    mt_json *value = slot(r);
    if (f->object) {
        const mt_json_member *members = children;
        value->count = (uint32_t)(bytes / sizeof *members);
        if (!keys_differ(r, members, value->count)) {
            return NULL;
        }
        value->as.members = keep(r, members, bytes);
    } else {
        value->count = (uint32_t)(bytes / sizeof(mt_json));
        value->as.items = keep(r, children, bytes);
    }
    r->frame = f->outer;
    r->depth--;
    return p + 1;
}

/* The value keeps the place of its opening quote, for whoever reports about it. */
static const char *read_string(reader *r, const char *p)
{
    mt_str text;
    const char *next = read_text(r, p, &text);
    if (MT_LIKELY(next != NULL)) {
        *slot(r) = (mt_json){.type = MT_JSON_STRING,
                             .count = (uint32_t)text.len,
                             .offset = (uint32_t)(p - r->begin),
                             .as.text = text.ptr};
    }
    return next;
}

/* A number stays the text it was written as: what it means is asked by mt_json_i64()
 * and others, exactly. */
static const char *read_number(reader *r, const char *p)
{
    bool room = r->end - p >= MT_SCAN_NEAR;
    const char *next = MT_LIKELY(room) ? mt_scan_near_number(p) : NULL;
    if (MT_UNLIKELY(!next)) {
        next = mt_scan_number(p, r->end, &r->fault);
    }
    if (MT_UNLIKELY(!next)) {
        r->err = MT_E_SYNTAX;
        return NULL;
    }
    *slot(r) = (mt_json){.type = MT_JSON_NUMBER,
                         .count = (uint32_t)(next - p),
                         .offset = (uint32_t)(p - r->begin),
                         .as.text = p};
    return next;
}

/* true, false and null; the first letter has decided which. */
static const char *read_word(reader *r, const char *p, mt_str word, mt_json_type type)
{
    const char *next = mt_scan_word(p, r->end, word, &r->fault);
    if (MT_UNLIKELY(!next)) {
        r->err = MT_E_SYNTAX;
        return NULL;
    }
    *slot(r) = (mt_json){.type = (uint8_t)type,
                         .boolean = *p == 't',
                         .offset = (uint32_t)(p - r->begin)};
    return next;
}

/* Reads `"key":` and leaves an empty slot for the value. */
static inline const char *read_key(reader *r, const char *p)
{
    if (MT_UNLIKELY(p == r->end || *p != '"')) {
        return fail(r, MT_E_SYNTAX, p, MT_SCAN_KEY);
    }
    mt_str key;
    p = read_text(r, p, &key);
    if (MT_UNLIKELY(!p)) {
        return NULL;
    }
    p = mt_scan_space(p, r->end);
    if (MT_UNLIKELY(p == r->end || *p != ':')) {
        return fail(r, MT_E_SYNTAX, p, MT_SCAN_COLON);
    }
    mt_json_member *m = push(r, sizeof *m);
    m->key = key;
    return mt_scan_space(p + 1, r->end);
}

/* Reads the value at p into the slot; a container is only opened. */
static inline const char *read_value(reader *r, const char *p)
{
    if (MT_UNLIKELY(p == r->end)) {
        return fail(r, MT_E_SYNTAX, p, MT_SCAN_END);
    }
    switch (*p) {
    case '"': return read_string(r, p);
    case '{': return open_container(r, p, MT_JSON_OBJECT);
    case '[': return open_container(r, p, MT_JSON_ARRAY);
    case 't': return read_word(r, p, MT_STR("true"), MT_JSON_BOOL);
    case 'f': return read_word(r, p, MT_STR("false"), MT_JSON_BOOL);
    case 'n': return read_word(r, p, MT_STR("null"), MT_JSON_NULL);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return read_number(r, p);
    default: return fail(r, MT_E_SYNTAX, p, MT_SCAN_VALUE);
    }
}

/* After `{` or `[`, or after a comma: makes the slot for the next child. */
static inline const char *next_child(reader *r, const char *p)
{
    if (frame_at(r, r->frame)->object) {
        return read_key(r, p);
    }
    push(r, sizeof(mt_json));
    return p;
}

/* The bracket that ends the innermost container. */
static inline char closing(const reader *r)
{
    return frame_at(r, r->frame)->object ? '}' : ']';
}

/* A container was opened: the slot for its first child, or its end. */
static const char *first_child(reader *r, const char *p, bool *done)
{
    p = mt_scan_space(p, r->end);
    *done = p < r->end && *p == closing(r);
    return *done ? close_container(r, p) : next_child(r, p);
}

/* A value is complete: closes what ends here; p at the next value, or *done. */
static const char *after_value(reader *r, const char *p, bool *done)
{
    while (p && r->frame) {
        p = mt_scan_space(p, r->end);
        if (MT_UNLIKELY(p == r->end)) {
            return fail(r, MT_E_SYNTAX, p, MT_SCAN_END);
        }
        if (*p == ',') {
            return next_child(r, mt_scan_space(p + 1, r->end));
        }
        if (MT_UNLIKELY(*p != closing(r))) {
            return fail(r, MT_E_SYNTAX, p, MT_SCAN_COMMA);
        }
        p = close_container(r, p);
    }
    *done = true;
    return p;
}

/* Without recursion: a value that opened a container goes on with its first child, a
 * complete one with whatever follows it. */
static const char *read_document(reader *r, const char *p)
{
    for (bool done = false; p && !done;) {
        size_t depth = r->depth;
        p = read_value(r, p);
        bool complete = r->depth == depth;
        if (p && !complete) {
            p = first_child(r, p, &complete);
        }
        if (p && complete) {
            p = after_value(r, p, &done);
        }
    }
    return p;
}

mt_json_limits mt_json_limits_of(const mt_json_limits *limits)
{
    mt_json_limits l = limits ? *limits : (mt_json_limits){0};
    l.bytes = l.bytes ? l.bytes : MT_LIMITS_DEFAULT.json_bytes;
    l.depth = l.depth ? l.depth : MT_LIMITS_DEFAULT.json_depth;
    /* Offsets are 32 bits wide, and walking a tree may recurse to its depth. */
    l.bytes = l.bytes < UINT32_MAX ? l.bytes : UINT32_MAX;
    l.depth = l.depth < MT_JSON_MAX_DEPTH ? l.depth : MT_JSON_MAX_DEPTH;
    return l;
}

mt_err mt_json_read_part(mt_arena *a, mt_str text, size_t *at, size_t max_depth,
                         mt_json *out, mt_json_error *error)
{
    _Alignas(16) char first[FIRST_STACK];
    reader r = {.arena = a,
                .begin = text.ptr,
                .end = text.ptr + text.len,
                .stack = first,
                .top = first,
                .stack_end = first + sizeof first,
                .first = first,
                .max_depth = max_depth};
    push(&r, sizeof(mt_json));
    const char *p = read_document(&r, mt_scan_space(text.ptr + *at, r.end));
    if (p) {
        *out = *slot(&r);
        *at = (size_t)(p - r.begin);
    } else {
        *error =
            (mt_json_error){(size_t)(r.fault.at - r.begin), r.fault.message, r.detail};
    }
    if (r.stack != first) {
        free(r.stack);
    }
    return r.err;
}

const char *mt_json_check_start(mt_str text, size_t max_bytes, mt_err *err)
{
    *err = text.len > max_bytes ? MT_E_LIMIT : MT_E_SYNTAX;
    if (text.len > max_bytes) {
        return "document is larger than the limit";
    }
    return mt_str_starts(text, MT_STR("\xEF\xBB\xBF"))
               ? "byte order mark before the value"
               : NULL;
}

/* Nothing but white space may follow the value. */
static mt_err read_all(mt_arena *a, mt_str text, mt_json_limits l, mt_json *out,
                       mt_json_error *error)
{
    mt_err err;
    *error = (mt_json_error){.message = mt_json_check_start(text, l.bytes, &err)};
    if (error->message) {
        return err;
    }
    size_t at = 0;
    mt_json value;
    err = mt_json_read_part(a, text, &at, l.depth, &value, error);
    if (err) {
        return err;
    }
    const char *end = text.ptr + text.len, *rest = mt_scan_space(text.ptr + at, end);
    if (rest != end) {
        *error = (mt_json_error){(size_t)(rest - text.ptr), MT_SCAN_TRAILING, {0}};
        return MT_E_SYNTAX;
    }
    *out = value;
    return MT_OK;
}

mt_err mt_json_read(mt_arena *a, mt_str text, const mt_json_limits *limits,
                    mt_json *out, mt_json_error *error)
{
    mt_json_error unused;
    mt_str input = text.ptr ? text : MT_STR("");
    return read_all(a, input, mt_json_limits_of(limits), out, error ? error : &unused);
}
