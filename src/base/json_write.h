/* base/json_write.h - canonical JSON text.
 * Room: base. May include base/ only.
 * Canonical: keys in byte order, UTF-8 raw, only `"`, `\` and control characters
 * escaped (\b \f \n \r \t, otherwise \u00xx), compact or 2-space pretty.
 * mt_jw writes as it goes and leaves key order to the caller, who knows it statically;
 * mt_json_write() sorts. Builds that are not for release (MT_CHECK_KEYS) check that
 * keys ascend, unless the object was begun as one whose format has another order. */
#ifndef MT_BASE_JSON_WRITE_H
#define MT_BASE_JSON_WRITE_H

#include "base/json_read.h"

/* Enough for a tree of MT_JSON_MAX_DEPTH inside as many levels of the caller. */
enum { MT_JW_MAX_DEPTH = 2 * MT_JSON_MAX_DEPTH };

#ifdef MT_CHECK_KEYS
/* The last key of an open object, as much of it as is compared. */
typedef struct mt_jw_last {
    bool is_set, unsorted;
    uint8_t len;
    char text[45];
} mt_jw_last;

/* Deeper objects are not checked: who writes them writes shallow ones, too. */
enum { MT_JW_CHECKED_DEPTH = 24 };
#endif

typedef struct mt_jw {
    mt_buf *out;
    bool pretty;
    bool after_key; /* a value is due, no comma before it */
    bool first;     /* nothing written yet in the open container */
    uint32_t depth;
#ifdef MT_CHECK_KEYS
    mt_jw_last last[MT_JW_CHECKED_DEPTH]; /* by depth */
#endif
} mt_jw;

static inline mt_jw mt_jw_start(mt_buf *out, bool pretty)
{
    return (mt_jw){.out = out, .pretty = pretty, .first = true};
}

/* mt_jw_check_key: it is our fault if the key does not come after the last one of its
 * object. mt_jw_unsorted: the open object, not those inside it, is of a format that has
 * another order of keys than that of their bytes. */
#ifdef MT_CHECK_KEYS
void mt_jw_check_key(mt_jw *w, mt_str key);
void mt_jw_unsorted(mt_jw *w);
#else
static inline void mt_jw_check_key(mt_jw *w, mt_str key)
{
    (void)w, (void)key;
}

static inline void mt_jw_unsorted(mt_jw *w)
{
    (void)w;
}
#endif

/* Slow path of mt_jw_separate(). */
char *mt_jw_separate_slow(mt_jw *w, size_t more);

/* Writes what stands between the previous value and this one and returns where to go
 * on, with room for `more` bytes; NULL when the buffer is full. The caller says with
 * mt_jw_advance() how far it came. */
static inline char *mt_jw_separate(mt_jw *w, size_t more)
{
    mt_buf *b = w->out;
    if (MT_UNLIKELY(w->pretty || b->cap - b->len <= more)) {
        return mt_jw_separate_slow(w, more);
    }
    char *p = b->ptr + b->len;
    *p = ',';
    p += !(w->first | w->after_key);
    w->first = w->after_key = false;
    return p;
}

static inline void mt_jw_advance(mt_jw *w, const char *p)
{
    w->out->len = (size_t)(p - w->out->ptr);
}

/* A key that needs no escapes, given as `"key": ` with its quotes and colon. */
static inline void mt_jw_key_plain(mt_jw *w, mt_str quoted)
{
    mt_jw_check_key(w, mt_str_from(quoted.ptr + 1, quoted.len - 4));
    char *p = mt_jw_separate(w, quoted.len);
    if (MT_LIKELY(p != NULL)) {
        memcpy(p, quoted.ptr, quoted.len);
        mt_jw_advance(w, p + quoted.len - !w->pretty);
    }
    w->after_key = true;
}

void mt_jw_begin_object(mt_jw *w);
void mt_jw_end_object(mt_jw *w);
void mt_jw_begin_array(mt_jw *w);
void mt_jw_end_array(mt_jw *w);
void mt_jw_key(mt_jw *w, mt_str key);
void mt_jw_str(mt_jw *w, mt_str value);
void mt_jw_i64(mt_jw *w, int64_t value);
void mt_jw_bool(mt_jw *w, bool value);
void mt_jw_null(mt_jw *w);
/* Text that already is one JSON value (a number as written). */
void mt_jw_raw(mt_jw *w, mt_str json);
/* A whole tree, keys sorted. */
void mt_jw_json(mt_jw *w, const mt_json *node);

/* A hash, key or signature, of at most 64 bytes, as text in hexadecimal. */
void mt_jw_hex(mt_jw *w, const unsigned char *bytes, size_t count);

static inline void mt_jw_begin_unsorted(mt_jw *w)
{
    mt_jw_begin_object(w);
    mt_jw_unsorted(w);
}

/* Keys known at compile time; they must need no escapes. */
#define mt_jw_keyz(w, literal)    mt_jw_key_plain((w), MT_STR("\"" literal "\": "))
#define mt_jw_key_str(w, lit, s)  (mt_jw_keyz((w), lit), mt_jw_str((w), (s)))
#define mt_jw_key_i64(w, lit, n)  (mt_jw_keyz((w), lit), mt_jw_i64((w), (n)))
#define mt_jw_key_bool(w, lit, b) (mt_jw_keyz((w), lit), mt_jw_bool((w), (b)))
#define mt_jw_key_hex(w, lit, bytes, count)                                            \
    (mt_jw_keyz((w), lit), mt_jw_hex((w), (bytes), (count)))

/* Appends the quoted, escaped string. */
void mt_json_quote(mt_buf *out, mt_str value);
/* Appends it for people: escaped likewise, without the quotes, and so is all that a
 * terminal would obey or a reader not see. */
void mt_json_show(mt_buf *out, mt_str value);
/* Appends the tree, keys sorted; pretty output has no trailing newline. */
void mt_json_write(mt_buf *out, const mt_json *node, bool pretty);

#endif
