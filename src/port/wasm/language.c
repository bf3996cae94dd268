/* port/wasm/language.c - the language server of a page: messages in, messages out. What
 * is not open in the editor is read from the page, by path; there are no links, so a
 * path without `.` and `..` is the file's id. */
#include <stdlib.h>

#include "base/vec.h"
#include "lsp/lsp.h"
#include "port/wasm/page.h"

/* All paths below a folder, each with a zero behind it; a status. */
PAGE("list") int page_list(uintptr_t user, const motet_str *folder, motet_str *paths);

typedef struct motet_language_server {
    uintptr_t user;
    ls_server *server;
    mt_buf out;
} motet_language_server;

static motet_str lent(mt_str s)
{
    return (motet_str){s.ptr, s.len};
}

static bool ask_page(const motet_language_server *l, mt_str id, mt_str *text)
{
    motet_str path = lent(id), got = {0};
    if (page_read(l->user, &path, &got) != MOTET_OK) {
        return false;
    }
    *text = mt_str_from(got.ptr, got.len);
    return true;
}

/* The words are those of the operating system: so it is on any other machine. */
static mt_err missing(mt_str *why)
{
    *why = MT_STR("No such file or directory (os error 2)");
    return MT_E_NOTFOUND;
}

static mt_err find_source(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                          mt_str *why)
{
    mt_str text;
    *id = mt_path_join(a, dir, path);
    return ask_page(state, *id, &text) ? MT_OK : missing(why);
}

static mt_err read_source(void *state, mt_arena *a, mt_str id, size_t limit,
                          mt_str *text, mt_str *why)
{
    if (!ask_page(state, id, text)) {
        return missing(why);
    }
    if (text->len > limit) {
        *why = mt_strf(a, "more than %zu bytes (limit source_bytes)", limit);
        return MT_E_LIMIT;
    }
    *text = mt_str_dup(a, *text);
    return MT_OK;
}

/* In the order of their bytes, whatever order the page has them in. */
static void list_sources(void *state, mt_str folder, mt_str suffix, ls_each *each,
                         void *context)
{
    const motet_language_server *l = state;
    mt_arena a = {0};
    MT_VEC(mt_str) paths = {0};
    motet_str below = lent(folder), got = {0};
    bool are_known = page_list(l->user, &below, &got) == MOTET_OK;
    mt_str rest =
        are_known ? mt_str_dup(&a, mt_str_from(got.ptr, got.len)) : (mt_str){0};
    while (rest.len) {
        mt_str path = mt_str_from(rest.ptr, mt_str_find(rest, '\0'));
        if (mt_str_ends(path, suffix)) {
            mt_vec_push(&a, &paths, path);
        }
        rest = mt_str_skip(rest, path.len + 1);
    }
    mt_str_sort(paths.items, paths.len);
    for (size_t i = 0; i < paths.len && each(context, paths.items[i]); i++) {
    }
    mt_arena_free(&a);
}

MOTET_API motet_language_server *motet_wasm_language_new(uintptr_t user);
motet_language_server *motet_wasm_language_new(uintptr_t user)
{
    motet_language_server *l = mt_xmalloc(sizeof *l);
    *l = (motet_language_server){.user = user};
    ls_world world = {
        .files = {l, find_source, read_source}, .state = l, .list = list_sources};
    l->server = ls_new(&world);
    return l;
}

MOTET_API void motet_wasm_language_free(motet_language_server *l);
void motet_wasm_language_free(motet_language_server *l)
{
    if (l) {
        ls_free(l->server);
        mt_buf_free(&l->out);
        free(l);
    }
}

/* What came together is fed together, then all of it is done: what is stale by then
 * costs nothing. *out is good until the next call. */
MOTET_API void motet_wasm_language_hear(motet_language_server *l,
                                        const motet_str *bytes, motet_str *out);
void motet_wasm_language_hear(motet_language_server *l, const motet_str *bytes,
                              motet_str *out)
{
    mt_buf_clear(&l->out);
    ls_feed(l->server, mt_str_from(bytes->ptr, bytes->len));
    while (ls_work(l->server, &l->out)) {
    }
    *out = lent(mt_buf_str(&l->out));
}

/* -1: it goes on; else its exit status. */
MOTET_API int motet_wasm_language_status(const motet_language_server *l);
int motet_wasm_language_status(const motet_language_server *l)
{
    int code;
    return ls_has_ended(l->server, &code) ? code : -1;
}
