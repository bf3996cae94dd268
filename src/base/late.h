/* base/late.h - libraries that are loaded when they are first needed.
 * Room: base. Knows dlopen() and nothing of what a library does.
 *
 * Most commands need neither a solver nor a database client, and loading them takes
 * longer than the commands themselves. A file that uses such a library includes its
 * generated header ("base/late_curl.h") in place of the library's own: every function
 * listed in late/<name>.list is then called through a pointer that mt_late_load() sets.
 * The program is not linked with the library, so the linker finds what a list lacks. */
#ifndef MT_BASE_LATE_H
#define MT_BASE_LATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct mt_late_symbol {
    const char *name;
    void **slot; /* the pointer that calls go through */
} mt_late_symbol;

typedef struct mt_late_library {
    const char *file;    /* libcurl.so.4 */
    const char *package; /* what a reader installs */
    const mt_late_symbol *symbols;
    size_t count;
    pthread_mutex_t lock;
    bool loaded;
    char why[256]; /* it cannot be loaded, in one sentence */
} mt_late_library;

/* NULL when the library can be used, from now on and by every thread; otherwise why
 * not, in words that name the package. The text is valid until the next call for this
 * library. Every path to a function of the library goes through a call of this first; a
 * path that does not meets mt_late_missing(), which is our fault and aborts. */
const char *mt_late_load(mt_late_library *library);

/* False where no library can ever be loaded. Whoever asks this before a long way to one
 * lets the linker leave that way out: a page need not fetch what it cannot run. */
bool mt_late_possible(void);

_Noreturn void mt_late_missing(void);

#endif
