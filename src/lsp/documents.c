/* lsp/documents.c - the texts that are open in the editor.
 *
 * A document is known by its address as the editor writes it, and by its path, since
 * imports name paths. Changes come as parts of the text that are replaced, in order.
 * Text that is not UTF-8 cannot come: JSON has none. After each change the views that
 * were made with the text are dropped and their documents' diagnostics are due. */
#include <stdlib.h>

#include "base/percent.h"
#include "lsp/server.h"

enum { MOST_DOCUMENTS = 4096 };

static mt_str own(mt_str s)
{
    char *copy = mt_xmalloc(s.len + 1);
    if (s.len) {
        memcpy(copy, s.ptr, s.len);
    }
    copy[s.len] = '\0';
    return mt_str_from(copy, s.len);
}

static void disown(mt_str s)
{
    free((void *)(uintptr_t)s.ptr);
}

/* ---- addresses ---- */

mt_str ls_path_of(mt_arena *a, mt_str uri)
{
    if (!mt_str_starts(uri, MT_STR("file://"))) {
        return mt_str_dup(a, uri);
    }
    mt_str rest = mt_str_skip(uri, strlen("file://"));
    rest = mt_str_skip(rest, mt_str_find(rest, '/')); /* without a host */
    mt_buf b = {0};
    if (!mt_percent_decode(&b, rest)) {
        mt_buf_clear(&b);
        mt_buf_adds(&b, rest);
    }
    mt_str path = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return path;
}

mt_str ls_uri_of(const ls_server *s, mt_arena *a, mt_str path)
{
    const ls_document *d = ls_document_at(s, path);
    if (d) {
        return d->uri;
    }
    if (!path.len || path.ptr[0] != '/') {
        return path;
    }
    mt_buf b = {0};
    mt_buf_addz(&b, "file://");
    mt_percent_path(&b, path);
    mt_str uri = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return uri;
}

/* ---- which are open ---- */

ls_document *ls_document_find(const ls_server *s, mt_str uri)
{
    for (size_t i = 0; i < s->documents.len; i++) {
        if (mt_str_eq(s->documents.items[i]->uri, uri)) {
            return s->documents.items[i];
        }
    }
    return NULL;
}

ls_document *ls_document_at(const ls_server *s, mt_str path)
{
    for (size_t i = 0; i < s->documents.len; i++) {
        const ls_document *d = s->documents.items[i];
        if (mt_str_eq(d->path, path) || mt_str_eq(d->id, path)) {
            return s->documents.items[i];
        }
    }
    return NULL;
}

void ls_document_free(ls_document *d)
{
    ls_view_free(d->last);
    ls_view_free(d->view);
    mt_arena_free(&d->sources_arena);
    mt_buf_free(&d->whole);
    mt_arena_free(&d->lines_arena);
    mt_buf_free(&d->text);
    disown(d->uri);
    disown(d->path);
    disown(d->id);
    free(d);
}

static ls_language language_of(mt_str path)
{
    static const char *const DATA[] = {".yaml", ".yml", ".json"};
    for (size_t i = 0; i < sizeof DATA / sizeof *DATA; i++) {
        if (mt_str_ends(path, mt_str_z(DATA[i]))) {
            return LS_DATA;
        }
    }
    return mt_str_ends(path, MT_STR(".tenor")) ? LS_CONTRACT : LS_OTHER;
}

/* As the provider knows the file; what is not on the disk yet is known by its path. */
static mt_str id_of(ls_server *s, mt_arena *a, mt_str path)
{
    mt_str id = {0}, why = {0};
    const mt_provider *files = &s->world.files;
    bool found = files->find &&
                 files->find(files->state, a, MT_STR(""), path, &id, &why) == MT_OK;
    return found ? id : path;
}

static void count_lines(ls_document *d)
{
    mt_arena_reset(&d->lines_arena);
    d->lines = ls_text_of(&d->lines_arena, mt_buf_str(&d->text));
}

static void has_changed(ls_server *s, ls_document *d)
{
    count_lines(d);
    ls_views_forget(s, d->id);
    d->is_dirty = !s->has_pull; /* who asks does so for what it has changed itself */
}

/* ---- what the editor says ---- */

void ls_did_open(ls_call *c)
{
    ls_server *s = c->s;
    const mt_json *item = mt_json_at(c->params, "textDocument");
    mt_str uri = mt_json_text(mt_json_at(item, "uri"));
    const mt_json *text = mt_json_at(item, "text");
    if (!uri.len || !mt_json_is(text, MT_JSON_STRING) ||
        s->documents.len == MOST_DOCUMENTS) {
        return;
    }
    ls_document *d = ls_document_find(s, uri);
    if (!d) {
        mt_str path = ls_path_of(c->a, uri);
        d = mt_xmalloc(sizeof *d);
        *d = (ls_document){.uri = own(uri),
                           .path = own(path),
                           .id = own(id_of(s, c->a, path)),
                           .language = language_of(path)};
        if (s->documents.len == s->documents.cap) {
            s->documents.cap = s->documents.cap ? 2 * s->documents.cap : 8;
            s->documents.items = mt_xrealloc(
                s->documents.items, s->documents.cap * sizeof *s->documents.items);
        }
        s->documents.items[s->documents.len++] = d;
    }
    mt_json_i64(mt_json_at(item, "version"), &d->version);
    mt_buf_clear(&d->text);
    mt_buf_adds(&d->text, mt_json_text(text));
    has_changed(s, d);
}

/* Without a range the whole text is replaced. A change that cannot be understood leaves
 * the text as it is: the editor will be wrong about it, but nothing is made up. */
static void apply(ls_call *c, ls_document *d, const mt_json *change)
{
    const mt_json *text = mt_json_at(change, "text");
    const mt_json *range = mt_json_at(change, "range");
    ls_range r = {0, d->text.len};
    if (!mt_json_is(text, MT_JSON_STRING) ||
        (range && !ls_read_range(c->s, &d->lines, range, &r))) {
        return;
    }
    mt_str put = mt_json_text(text), old = mt_buf_str(&d->text);
    mt_buf fresh = {0};
    mt_buf_add(&fresh, old.ptr, r.from);
    mt_buf_adds(&fresh, put);
    mt_buf_adds(&fresh, mt_str_skip(old, r.to));
    mt_buf_free(&d->text);
    d->text = fresh;
    count_lines(d);
}

void ls_did_change(ls_call *c)
{
    const mt_json *item = mt_json_at(c->params, "textDocument");
    ls_document *d = ls_document_find(c->s, mt_json_text(mt_json_at(item, "uri")));
    const mt_json *changes = mt_json_at(c->params, "contentChanges");
    if (!d || !mt_json_is(changes, MT_JSON_ARRAY)) {
        return;
    }
    mt_json_i64(mt_json_at(item, "version"), &d->version);
    for (uint32_t i = 0; i < changes->count; i++) {
        apply(c, d, &changes->as.items[i]);
    }
    has_changed(c->s, d);
}

/* What was saved is what was open; only what reads the disk may differ. */
void ls_did_save(ls_call *c)
{
    const mt_json *item = mt_json_at(c->params, "textDocument");
    ls_document *d = ls_document_find(c->s, mt_json_text(mt_json_at(item, "uri")));
    if (d) {
        has_changed(c->s, d);
    }
}

/* A document that is gone has no diagnostics. */
static void tell_nothing(mt_str uri, mt_buf *out)
{
    mt_buf params = {0};
    mt_jw w = mt_jw_start(&params, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "diagnostics");
    mt_jw_begin_array(&w);
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "uri", uri);
    mt_jw_end_object(&w);
    ls_notify(out, "textDocument/publishDiagnostics", &params);
    mt_buf_free(&params);
}

/* Its diagnostics go with it, and who imports it reads the disk from now on. */
void ls_did_close(ls_call *c)
{
    ls_server *s = c->s;
    const mt_json *item = mt_json_at(c->params, "textDocument");
    mt_str uri = mt_json_text(mt_json_at(item, "uri"));
    for (size_t i = 0; i < s->documents.len; i++) {
        ls_document *d = s->documents.items[i];
        if (mt_str_eq(d->uri, uri)) {
            s->documents.items[i] = s->documents.items[--s->documents.len];
            ls_views_forget(s, d->id);
            if (!s->has_pull) {
                tell_nothing(d->uri, c->out);
            }
            ls_document_free(d);
            return;
        }
    }
}

void ls_did_change_files(ls_call *c)
{
    const mt_json *changes = mt_json_at(c->params, "changes");
    for (uint32_t i = 0; mt_json_is(changes, MT_JSON_ARRAY) && i < changes->count;
         i++) {
        mt_str uri = mt_json_text(mt_json_at(&changes->as.items[i], "uri"));
        ls_views_forget(c->s, id_of(c->s, c->a, ls_path_of(c->a, uri)));
    }
}
