/* base/str.h - strings as (pointer, length), and a growing byte buffer.
 * Room: base. May include base/ only.
 * Ownership: an mt_str borrows its bytes and may contain any byte, NUL too. An mt_buf
 * owns its bytes until mt_buf_free(). */
#ifndef MT_BASE_STR_H
#define MT_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct mt_str {
    const char *ptr;
    size_t len;
} mt_str;

/* The "" before it: anything but a literal does not compile. */
#define MT_STR(literal) ((mt_str){"" literal, sizeof(literal) - 1})
/* For static initialisers, where a compound literal is not allowed. */
#define MT_STR_INIT(literal)                                                           \
    {                                                                                  \
        "" literal, sizeof(literal) - 1                                                \
    }
/* printf("%.*s", MT_ARG(s)) */
#define MT_ARG(s) (int)(s).len, (s).ptr

static inline mt_str mt_str_from(const char *ptr, size_t len)
{
    return (mt_str){ptr, len};
}

/* NULL stays NULL in ptr, so "not given" survives. */
static inline mt_str mt_str_z(const char *zero_terminated)
{
    return (mt_str){zero_terminated, zero_terminated ? strlen(zero_terminated) : 0};
}

static inline bool mt_str_eq(mt_str a, mt_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

#define mt_str_is(s, literal) mt_str_eq((s), MT_STR(literal))

/* Byte order, a prefix before what it begins: <0, 0, >0. */
int mt_str_cmp(mt_str a, mt_str b);
/* Sorts items in the byte order of the text that each has at an offset; of equal ones
 * nobody may care which comes first. mt_sort_by() does it by the name of the field. */
void mt_sort_by_text(void *items, size_t count, size_t size, size_t offset);
#define mt_sort_by(items, count, field)                                                \
    mt_sort_by_text((items), (count), sizeof *(items),                                 \
                    offsetof(__typeof__(*(items)), field))
static inline void mt_str_sort(mt_str *texts, size_t count)
{
    mt_sort_by_text(texts, count, sizeof *texts, 0);
}
bool mt_str_starts(mt_str s, mt_str prefix);
bool mt_str_ends(mt_str s, mt_str suffix);
/* Offset of the first `byte`, or s.len. */
size_t mt_str_find(mt_str s, char byte);
/* s without its first n bytes (all of them if n is larger). */
mt_str mt_str_skip(mt_str s, size_t n);
/* s without the bytes of `set` it begins and ends with. */
mt_str mt_str_trim(mt_str s, mt_str set);
/* What follows the last '/'; all of it where there is none. */
mt_str mt_str_basename(mt_str path);
/* The file's name without directory and without its last suffix; a leading dot is part
 * of the name. */
mt_str mt_str_stem(mt_str path);

/* Writes the digits of value so that they end before `end`, at most 20; returns where
 * they start. */
char *mt_put_digits(uint64_t value, char *end);

/* Copies into the arena; the copy is followed by a NUL. */
mt_str mt_str_dup(mt_arena *a, mt_str s);
/* In the arena, followed by a NUL. */
mt_str mt_strf(mt_arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
mt_str mt_strfv(mt_arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* An all-zero mt_buf is an empty buffer without ceiling. */
typedef struct mt_buf {
    char *ptr;
    size_t len, cap;
    size_t ceiling; /* 0: none. Otherwise writing past it sets `full` and drops. */
    bool full;
} mt_buf;

/* The buffer is empty and can be used again. */
void mt_buf_free(mt_buf *b);
/* Makes room for `more` bytes; false when the ceiling is hit. */
bool mt_buf_grow(mt_buf *b, size_t more);
void mt_buf_addf(mt_buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mt_buf_addfv(mt_buf *b, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void mt_buf_add_i64(mt_buf *b, int64_t value);
void mt_buf_add_u64(mt_buf *b, uint64_t value);

/* INVARIANT: len <= cap, so the subtraction cannot wrap. */
static inline bool mt_buf_room(mt_buf *b, size_t more)
{
    return MT_LIKELY(more <= b->cap - b->len) || mt_buf_grow(b, more);
}

static inline void mt_buf_add(mt_buf *b, const char *ptr, size_t len)
{
    if (mt_buf_room(b, len) && len) {
        memcpy(b->ptr + b->len, ptr, len);
        b->len += len;
    }
}

static inline void mt_buf_addc(mt_buf *b, char c)
{
    if (mt_buf_room(b, 1)) {
        b->ptr[b->len++] = c;
    }
}

static inline void mt_buf_adds(mt_buf *b, mt_str s)
{
    mt_buf_add(b, s.ptr, s.len);
}

static inline void mt_buf_addz(mt_buf *b, const char *zero_terminated)
{
    mt_buf_add(b, zero_terminated, strlen(zero_terminated));
}

static inline mt_str mt_buf_str(const mt_buf *b)
{
    return (mt_str){b->ptr, b->len};
}

/* Keeps its memory for the next use. */
static inline void mt_buf_clear(mt_buf *b)
{
    b->len = 0;
    b->full = false;
}

#endif
