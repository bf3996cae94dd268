/* base/str.c - texts as pointer and length, and buffers that grow.
 *
 * An mt_str borrows; nothing here frees one. Texts may hold any byte, NUL included;
 * copies made by mt_str_dup() and mt_strf() are followed by a NUL that is not counted,
 * so they can go where C strings are wanted.
 *
 * A buffer (mt_buf) owns heap memory and grows by half when it must. With a ceiling it
 * stops there and remembers that it did: writers need not check every call, the owner
 * looks once at the end. Without memory the process ends (mt_xrealloc()).
 *
 * Comparison is by bytes, never by locale; that is the order of keys everywhere. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

int mt_str_cmp(mt_str a, mt_str b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_text_at(const void *a, const void *b, void *offset)
{
    const char *x = a, *y = b;
    size_t at = *(const size_t *)offset;
    return mt_str_cmp(*(const mt_str *)(const void *)(x + at),
                      *(const mt_str *)(const void *)(y + at));
}

void mt_sort_by_text(void *items, size_t count, size_t size, size_t offset)
{
    if (count > 1) {
        qsort_r(items, count, size, by_text_at, &offset);
    }
}

bool mt_str_starts(mt_str s, mt_str prefix)
{
    return s.len >= prefix.len && mt_str_eq(mt_str_from(s.ptr, prefix.len), prefix);
}

bool mt_str_ends(mt_str s, mt_str suffix)
{
    return s.len >= suffix.len && mt_str_eq(mt_str_skip(s, s.len - suffix.len), suffix);
}

size_t mt_str_find(mt_str s, char byte)
{
    const char *hit = s.len ? memchr(s.ptr, byte, s.len) : NULL;
    return hit ? (size_t)(hit - s.ptr) : s.len;
}

mt_str mt_str_skip(mt_str s, size_t n)
{
    size_t gone = n < s.len ? n : s.len;
    /* NULL + 0 is undefined in C. */
    return (mt_str){gone ? s.ptr + gone : s.ptr, s.len - gone};
}

mt_str mt_str_trim(mt_str s, mt_str set)
{
    while (s.len && mt_str_find(set, s.ptr[0]) < set.len) {
        s = mt_str_skip(s, 1);
    }
    while (s.len && mt_str_find(set, s.ptr[s.len - 1]) < set.len) {
        s.len--;
    }
    return s;
}

mt_str mt_str_basename(mt_str path)
{
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/') {
        start--;
    }
    return mt_str_skip(path, start);
}

mt_str mt_str_stem(mt_str path)
{
    mt_str base = mt_str_basename(path);
    for (size_t i = base.len; i > 1; i--) {
        if (base.ptr[i - 1] == '.') {
            return mt_str_from(base.ptr, i - 1);
        }
    }
    return base;
}

mt_str mt_str_dup(mt_arena *a, mt_str s)
{
    char *copy = mt_alloc(a, s.len + 1);
    if (s.len) {
        memcpy(copy, s.ptr, s.len);
    }
    copy[s.len] = '\0';
    return (mt_str){copy, s.len};
}

mt_str mt_strfv(mt_arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0) {
        MT_BUG("bad format");
    }
    char *text = mt_alloc(a, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, args);
    return (mt_str){text, (size_t)len};
}

mt_str mt_strf(mt_arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str s = mt_strfv(a, format, args);
    va_end(args);
    return s;
}

void mt_buf_free(mt_buf *b)
{
    free(b->ptr);
    *b = (mt_buf){.ceiling = b->ceiling};
}

bool mt_buf_grow(mt_buf *b, size_t more)
{
    size_t need;
    bool too_big = __builtin_add_overflow(b->len, more, &need);
    if (too_big || (b->ceiling && need > b->ceiling)) {
        b->full = true;
        return false;
    }
    if (need <= b->cap) {
        return true;
    }
    size_t cap = b->cap ? b->cap : 256;
    while (cap < need) {
        cap += cap / 2 + 64;
    }
    /* Room beyond the ceiling would be filled without asking here again. */
    if (b->ceiling && cap > b->ceiling) {
        cap = b->ceiling;
    }
    /* One more than is counted, for the NUL that vsnprintf() insists on. */
    b->ptr = mt_xrealloc(b->ptr, cap + 1);
    b->cap = cap;
    return true;
}

void mt_buf_addfv(mt_buf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0) {
        MT_BUG("bad format");
    }
    if (len && mt_buf_room(b, (size_t)len)) {
        vsnprintf(b->ptr + b->len, (size_t)len + 1, format, args);
        b->len += (size_t)len;
    }
}

void mt_buf_addf(mt_buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_buf_addfv(b, format, args);
    va_end(args);
}

char *mt_put_digits(uint64_t value, char *end)
{
    static const char PAIRS[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    while (value >= 100) {
        end -= 2;
        memcpy(end, PAIRS + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, PAIRS + 2 * value, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

void mt_buf_add_u64(mt_buf *b, uint64_t value)
{
    char digits[20], *end = digits + sizeof digits;
    const char *start = mt_put_digits(value, end);
    mt_buf_add(b, start, (size_t)(end - start));
}

void mt_buf_add_i64(mt_buf *b, int64_t value)
{
    if (value < 0) {
        mt_buf_addc(b, '-');
        mt_buf_add_u64(b, 0 - (uint64_t)value);
    } else {
        mt_buf_add_u64(b, (uint64_t)value);
    }
}
