/* port/wasm/libc.c - what the rooms use of glibc and wasi-libc does otherwise or not at
 * all.
 * Room: port. A page has one thread, which makes most of it short. */
#include "port/wasm/libc.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "port/sort.h"

void qsort_r(void *items, size_t count, size_t size, pt_compare *compare, void *user)
{
    pt_sort(items, count, size, compare, user);
}

/* qsort_r()'s extra argument carries the comparison itself. */
static int without_user(const void *a, const void *b, void *compare)
{
    return (*(int (**)(const void *, const void *))compare)(a, b);
}

/* In place of the C library's own, which does not keep the order of equals. */
void qsort(void *items, size_t count, size_t size,
           int (*compare)(const void *, const void *))
{
    pt_sort(items, count, size, without_user, &compare);
}

/* From the page's own source of randomness; at most 256 bytes, which is more than any
 * caller asks for. */
ssize_t getrandom(void *out, size_t count, unsigned flags)
{
    (void)flags;
    return getentropy(out, count) == 0 ? (ssize_t)count : -1;
}

/* Marked before it runs: a second call inside `run` returns at once, as nobody else can
 * be in it. */
int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (!*once) {
        *once = 1;
        run();
    }
    return 0;
}

/* Debian's compiler-rt is built with a stack protector, wasi-libc without. The memory
 * of a page cannot be jumped into, so a constant is as good as any other. */
uintptr_t __stack_chk_guard = 0x5bd1e995;

_Noreturn void __stack_chk_fail(void);
void __stack_chk_fail(void)
{
    abort();
}
