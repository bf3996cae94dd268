/* port/wasm/exports.c - what a page calls beside motet.h: a host of flows and
 * primitives whose functions are the page's. A page cannot make a C function, so these
 * stand in for it and pass on `user`, by which the page knows whose they are. */
#include "motet.h"

#include <stdlib.h>

#define PAGE(name) __attribute__((import_module("motet"), import_name(name)))

PAGE("may_act") int page_may_act(uintptr_t user, const char *persona, size_t len);
PAGE("apply")
int page_apply(uintptr_t user, const motet_change *changes, size_t count);
/* Writes to `out`; the text is the page's until the run's next step. */
PAGE("choose")
void page_choose(uintptr_t user, const motet_str *step, const motet_str *operation,
                 motet_str *out);
PAGE("primitive") int page_primitive(uintptr_t user, motet_call *call);

static bool may_act(void *user, motet_str persona)
{
    return page_may_act((uintptr_t)user, persona.ptr, persona.len) != 0;
}

static motet_status apply(void *user, const motet_change *changes, size_t count)
{
    return (motet_status)page_apply((uintptr_t)user, changes, count);
}

static motet_str choose(void *user, motet_str step, motet_str operation)
{
    motet_str out = {NULL, 0};
    page_choose((uintptr_t)user, &step, &operation, &out);
    return out;
}

/* Released with free(). NULL: there is no memory. */
MOTET_API motet_host *motet_wasm_host_new(uintptr_t user);
motet_host *motet_wasm_host_new(uintptr_t user)
{
    motet_host *host = malloc(sizeof *host);
    if (host) {
        *host = (motet_host){
            .user = (void *)user, .may_act = may_act, .apply = apply, .choose = choose};
    }
    return host;
}

static bool primitive(void *user, motet_call *call)
{
    return page_primitive((uintptr_t)user, call) != 0;
}

/* motet_primitives_add() with a function of the page; user 0: none. */
MOTET_API motet_status motet_wasm_primitives_add(motet_primitives *primitives,
                                                 const motet_str *manifest,
                                                 uintptr_t user);
motet_status motet_wasm_primitives_add(motet_primitives *primitives,
                                       const motet_str *manifest, uintptr_t user)
{
    return motet_primitives_add(primitives, *manifest, user ? primitive : NULL,
                                (void *)user);
}
