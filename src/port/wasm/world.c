/* port/wasm/world.c - the files and shared objects of a machine that has none.
 * Room: port. Stands in for base/late.c, host/graph_own_load.c and what these rooms use
 * of os/. Whoever asks for a file is told that there is none, by the same errors as on
 * any other machine; a question that needs the solver is answered as where Z3 is not
 * installed. */
#include <errno.h>

#include "base/late.h"
#include "host/graph_own.h"
#include "os/file.h"
#include "os/sources.h"

mt_err os_read_file(mt_arena *a, const char *path, size_t limit, mt_str *out)
{
    (void)a, (void)path, (void)limit;
    *out = (mt_str){0};
    errno = ENOENT;
    return MT_E_NOTFOUND;
}

mt_provider os_sources_provider(os_sources *sources, const mt_limits *limits)
{
    static mt_memory none;
    (void)sources, (void)limits;
    return mt_memory_provider(&none);
}

bool mt_late_possible(void)
{
    return false;
}

/* Only the solver is ever asked for in a page, so the sentence is about that. */
const char *mt_late_load(mt_late_library *library)
{
    (void)library;
    return "the solver Z3 is not in WebAssembly; ask `motet` or a server";
}

void mt_late_missing(void)
{
    MT_BUG("a library that cannot be loaded is used");
}

mt_err ho_own_load(const char *path, gr_registry *registry, mt_diags *ds,
                   ho_own_library **out)
{
    (void)registry;
    *out = NULL;
    mt_diag_add(ds, &(mt_diag){.severity = MT_ERROR,
                               .code = "primitives.load_failed",
                               .pass = -1,
                               .file = mt_str_dup(ds->arena, mt_str_z(path)),
                               .message = MT_STR("shared objects cannot be loaded in "
                                                 "WebAssembly"),
                               .hint = MT_STR("add primitives as functions")});
    return MT_E_NOTFOUND;
}

void ho_own_free(ho_own_library *library)
{
    (void)library;
}

mt_str ho_own_used(mt_arena *a, const gr_graph *graph)
{
    (void)a, (void)graph;
    return (mt_str){0};
}
