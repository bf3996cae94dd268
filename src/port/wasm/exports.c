/* port/wasm/exports.c - what a page calls beside motet.h: hosts, primitives, files and
 * handlers whose functions are the page's. A page cannot make a C function, so these
 * stand in for it and pass on `user`, by which the page knows whose they are. */
#include "motet.h"

#include <stdlib.h>

#define PAGE(name) __attribute__((import_module("motet"), import_name(name)))

PAGE("may_act") int page_may_act(uintptr_t user, const motet_str *persona);
PAGE("apply")
int page_apply(uintptr_t user, const motet_change *changes, size_t count);
/* Writes to `out`; 0: none. Texts of the page are good until it is called again. */
PAGE("choose")
int page_choose(uintptr_t user, const motet_str *step, const motet_str *operation,
                motet_str *out);
PAGE("primitive") int page_primitive(uintptr_t user, motet_call *call);
PAGE("read") int page_read(uintptr_t user, const motet_str *path, motet_str *text);
PAGE("handle")
int page_handle(uintptr_t user, const motet_str *question, motet_str *answer);

/* Texts go by their address: a page reads two numbers there, where and how long. */
static bool may_act(void *user, motet_str persona)
{
    return page_may_act((uintptr_t)user, &persona) != 0;
}

static motet_status apply(void *user, const motet_change *changes, size_t count)
{
    return (motet_status)page_apply((uintptr_t)user, changes, count);
}

static bool choose(void *user, motet_str step, motet_str operation, motet_str *outcome)
{
    return page_choose((uintptr_t)user, &step, &operation, outcome) != 0;
}

static bool primitive(void *user, motet_call *call)
{
    return page_primitive((uintptr_t)user, call) != 0;
}

static motet_status read_file(void *user, motet_str path, motet_str *text)
{
    return (motet_status)page_read((uintptr_t)user, &path, text);
}

static bool handle(void *user, motet_str question, motet_str *answer)
{
    return page_handle((uintptr_t)user, &question, answer) != 0;
}

/* Each is released with free(). NULL: there is no memory. */
MOTET_API motet_host *motet_wasm_host_new(uintptr_t user);
motet_host *motet_wasm_host_new(uintptr_t user)
{
    motet_host *host = malloc(sizeof *host);
    if (host) {
        *host = (motet_host){.size = sizeof *host,
                             .user = (void *)user,
                             .may_act = may_act,
                             .apply = apply,
                             .choose_into = choose};
    }
    return host;
}

MOTET_API motet_provider *motet_wasm_agent_files_new(uintptr_t user);
motet_provider *motet_wasm_agent_files_new(uintptr_t user)
{
    motet_provider *files = malloc(sizeof *files);
    if (files) {
        *files = (motet_provider){sizeof *files, (void *)user, read_file};
    }
    return files;
}

MOTET_API motet_handlers *motet_wasm_agent_handlers_new(uintptr_t user);
motet_handlers *motet_wasm_agent_handlers_new(uintptr_t user)
{
    motet_handlers *handlers = malloc(sizeof *handlers);
    if (handlers) {
        *handlers = (motet_handlers){sizeof *handlers, (void *)user, handle};
    }
    return handlers;
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
