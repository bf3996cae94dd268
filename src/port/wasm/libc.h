/* port/wasm/libc.h - what the rooms use of glibc and wasi-libc has not got.
 * Room: port. Included before every file of the build for WebAssembly, in which
 * <pthread.h> and <sys/random.h> are empty (tools/wasm). */
#ifndef PORT_WASM_LIBC_H
#define PORT_WASM_LIBC_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

void qsort_r(void *items, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *user);

#define GRND_NONBLOCK 1u
ssize_t getrandom(void *out, size_t count, unsigned flags);

/* No file can be made. */
#define tmpfile() ((void)(errno = ENOSYS), (FILE *)NULL)

/* There is one thread. */
#define PTHREAD_MUTEX_INITIALIZER                                                      \
    {                                                                                  \
        0                                                                              \
    }
typedef int pthread_once_t;
#define PTHREAD_ONCE_INIT 0
int pthread_once(pthread_once_t *once, void (*run)(void));

#endif
