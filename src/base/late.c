#include "base/late.h"

#include "base/err.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

void mt_late_missing(void)
{
    MT_BUG("a library is used before it was loaded");
}

/* Once, since whoever asked before may read it without the lock. It is tried anew all
 * the same: a package may have come meanwhile. */
__attribute__((format(printf, 2, 3))) static void explain(mt_late_library *l,
                                                          const char *format, ...)
{
    if (!l->why[0]) {
        va_list args;
        va_start(args, format);
        vsnprintf(l->why, sizeof l->why, format, args);
        va_end(args);
    }
}

/* All or none: a library that lacks one function is refused before any pointer is set.
 */
static bool find_symbols(mt_late_library *l, void *handle)
{
    for (size_t i = 0; i < l->count; i++) {
        if (!dlsym(handle, l->symbols[i].name)) {
            explain(l, "%s has no function %s: is package %s too old?", l->file,
                    l->symbols[i].name, l->package);
            return false;
        }
    }
    for (size_t i = 0; i < l->count; i++) {
        *l->symbols[i].slot = dlsym(handle, l->symbols[i].name);
    }
    return true;
}

/* A library stays loaded until the program ends: its threads and exit handlers may
 * outlive whoever asked for it. */
static void load(mt_late_library *l)
{
    void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *said = dlerror();
        explain(l, "%s cannot be loaded: install package %s (%s)", l->file, l->package,
                said ? said : "no reason given");
        return;
    }
    l->loaded = find_symbols(l, handle);
    if (!l->loaded) {
        dlclose(handle);
    }
}

bool mt_late_possible(void)
{
    return true;
}

const char *mt_late_load(mt_late_library *library)
{
    pthread_mutex_lock(&library->lock);
    if (!library->loaded) {
        load(library);
    }
    bool loaded = library->loaded;
    pthread_mutex_unlock(&library->lock);
    return loaded ? NULL : library->why;
}
