/* motet.h - the whole public C API of Motet.
 *
 * Handles are opaque and each is released with its own _free() function, which accepts
 * NULL. Strings are (pointer, length) pairs in UTF-8 and may be borrowed: each function
 * says how long they live. Functions that can fail return a motet_status; MOTET_OK is
 * 0.
 *
 * Threads: distinct handles may be used by distinct threads at the same time. A handle
 * that is documented as immutable may be shared by any number of threads. */
#ifndef MOTET_H
#define MOTET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOTET_API __attribute__((visibility("default")))

/* The version of this library, "0.1.0", and of the contract language, "1.0". */
MOTET_API const char *motet_version(void);
MOTET_API const char *motet_language_version(void);

typedef struct motet_str {
    const char *ptr;
    size_t len;
} motet_str;

#ifdef __cplusplus
}
#endif

#endif
