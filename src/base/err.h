/* base/err.h - the world's faults and our own.
 * Room: base. Knows nothing.
 * Three faults, three channels: an author's fault is a diagnostic (base/diag.h), the
 * world's fault is an mt_err from this table, our own fault is MT_BUG(), which aborts.
 */
#ifndef MT_BASE_ERR_H
#define MT_BASE_ERR_H

/* clang-format off */
#define MT_ERR_MAP(X)                                            \
    X(REJECTED, "input has errors; see diagnostics")             \
    X(LIMIT,    "input exceeds a configured limit")              \
    X(SYNTAX,   "input is malformed")                            \
    X(TYPE,     "value has the wrong type")                      \
    X(RANGE,    "value is out of range")                         \
    X(OVERFLOW, "arithmetic result does not fit")                \
    X(VERSION,  "format version is not supported")               \
    X(NOTFOUND, "no such thing")                                 \
    X(EXISTS,   "already exists")                                \
    X(CONFLICT, "somebody else changed it first")                \
    X(DENIED,   "not allowed")                                   \
    X(BUSY,     "resource is held by another")                   \
    X(TIMEOUT,  "took longer than its time limit")               \
    X(IO,       "reading or writing failed")                     \
    X(CLOSED,   "the other side is gone")                        \
    X(CORRUPT,  "stored data does not verify")                   \
    X(USAGE,    "used wrongly")
/* clang-format on */

typedef enum mt_err {
    MT_OK = 0,
#define MT_ERR_ENUM(name, text) MT_E_##name,
    MT_ERR_MAP(MT_ERR_ENUM)
#undef MT_ERR_ENUM
        MT_ERR_COUNT
} mt_err;

/* Short lower-case name ("limit") and one-sentence text of a code. Never NULL. */
const char *mt_err_name(mt_err err);
const char *mt_err_text(mt_err err);

/* Our fault: prints the place and aborts. Never reached on any input. */
_Noreturn void mt_bug_at(const char *file, int line, const char *what);
#define MT_BUG(what)    mt_bug_at(__FILE__, __LINE__, (what))
#define MT_ASSERT(cond) ((cond) ? (void)0 : MT_BUG("assertion failed: " #cond))

/* A table that is indexed by an enum ([X] = …) reaches as far as the enum does. */
#define MT_TABLE_COVERS(table, count)                                                  \
    _Static_assert(sizeof(table) / sizeof *(table) == (size_t)(count),                 \
                   #table " has as many rows as its enum")

#define MT_LIKELY(x)   __builtin_expect(!!(x), 1)
#define MT_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
