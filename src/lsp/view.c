/* lsp/view.c - what is known of a document.
 *
 * A view elaborates its document as a root, through a provider that has the open texts
 * before those of the disk. Elaborating is so fast (a megabyte in some 20 ms) that
 * nothing is kept between two texts but the last one that could be read whole.
 *
 * Whether a view was made with a file is known by the ids of its sources, those of a
 * System's members included, which are kept when the view is dropped; a file that could
 * not be found is not among them, so views with errors are dropped whatever changes. */
#include <stdlib.h>

#include "answer/findings.h"
#include "answer/lint.h"
#include "lsp/server.h"

/* ---- open texts before files ---- */

static mt_err find_source(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                          mt_str *why)
{
    ls_server *s = state;
    mt_str joined = dir.len ? mt_path_join(a, dir, path) : path;
    const ls_document *d = ls_document_at(s, joined);
    if (d) {
        *id = d->id;
        return MT_OK;
    }
    const mt_provider *files = &s->world.files;
    return files->find(files->state, a, dir, path, id, why);
}

static mt_err read_source(void *state, mt_arena *a, mt_str id, size_t limit,
                          mt_str *text, mt_str *why)
{
    ls_server *s = state;
    const ls_document *d = ls_document_at(s, id);
    if (!d) {
        const mt_provider *files = &s->world.files;
        return files->read(files->state, a, id, limit, text, why);
    }
    const mt_buf *now = s->recalled == d ? &d->whole : &d->text;
    if (now->len > limit) {
        return MT_E_LIMIT;
    }
    *text = mt_str_dup(a, mt_buf_str(now));
    return MT_OK;
}

mt_provider ls_overlay(ls_server *s)
{
    return (mt_provider){.state = s, .find = find_source, .read = read_source};
}

/* ---- making and dropping ---- */

static void measure(ls_view *v)
{
    mt_arena *a = &v->contract.arena;
    v->texts = mt_new_array(a, ls_text, v->e->source_count + 1);
    for (size_t i = 0; i < v->e->source_count; i++) {
        v->texts[i] = ls_text_of(a, v->e->sources[i].text);
    }
}

/* The levels of warnings that the project's file sets; without one there are none. */
static aw_source read_levels(ls_server *s, aw_contract *c, ct_lint *out)
{
    mt_str dir = mt_path_dir(c->path), id, why;
    aw_lint levels = {.a = &c->arena, .ds = &c->ds, .file = c->path};
    aw_source file = {.name = mt_path_join(&c->arena, dir, MT_STR(AW_LINT_FILE))};
    const mt_provider *files = &s->files;
    if (files->find(files->state, &c->arena, MT_STR(""), file.name, &id, &why) ||
        files->read(files->state, &c->arena, id, AW_LINT_FILE_BYTES, &file.text,
                    &why)) {
        return (aw_source){0};
    }
    aw_lint_config(&levels, file.name, file.text);
    *out = (ct_lint){levels.rules.items, levels.rules.len};
    return file;
}

/* As `motet check` does it. */
static void check(ls_server *s, aw_contract *c)
{
    ct_lint *lint = mt_new(&c->arena, ct_lint);
    aw_source config = read_levels(s, c, lint);
    ct_options options = {.limits = &c->limits, .lint = lint};
    if (!aw_contract_source(c, &s->files, &options, config.name.len ? &config : NULL)) {
        aw_prove_diagnostics(c, &(aw_patience){0}, false);
    }
}

ls_view *ls_view_new(ls_server *s, mt_str path, bool to_check)
{
    ls_view *v = mt_xmalloc(sizeof *v);
    aw_contract *c = &v->contract;
    *v = (ls_view){.is_checked = to_check};
    aw_contract_start(c, MT_STR(""), s->limits);
    c->path = mt_str_dup(&c->arena, path);
    if (to_check) {
        check(s, c);
    } else {
        ct_options options = {.no_warnings = true, .limits = &c->limits};
        ct_elaborate(&c->arena, c->path, &s->files, &options, &c->ds, &c->e);
    }
    v->e = c->e;
    v->is_whole = v->e && v->e->unit && !v->e->unit->damaged;
    if (v->e) {
        measure(v);
    }
    return v;
}

void ls_view_free(ls_view *v)
{
    if (v) {
        aw_contract_free(&v->contract);
        free(v);
    }
}

void ls_sources_forget(ls_document *d)
{
    mt_arena_reset(&d->sources_arena);
    memset(&d->sources, 0, sizeof d->sources);
}

void ls_note_source(ls_document *d, mt_str id)
{
    if (d) {
        mt_vec_push(&d->sources_arena, &d->sources, mt_str_dup(&d->sources_arena, id));
    }
}

/* A System's members with theirs. */
static void note_sources(ls_document *d, const ct_elaboration *e)
{
    for (size_t i = 0; e && i < e->source_count; i++) {
        ls_note_source(d, e->sources[i].id);
    }
    for (size_t i = 0; e && i < e->member_count; i++) {
        note_sources(d, e->members[i].contract);
    }
}

/* The project's file sets the levels of warnings, and may yet be made. */
static void note_levels(ls_server *s, ls_document *d)
{
    mt_str id, why;
    mt_str name =
        mt_path_join(&d->sources_arena, mt_path_dir(d->path), MT_STR(AW_LINT_FILE));
    bool is_there = s->files.find(s->files.state, &d->sources_arena, MT_STR(""), name,
                                  &id, &why) == MT_OK;
    ls_note_source(d, is_there ? id : name);
}

static void note_view(ls_server *s, ls_document *d)
{
    const ls_view *v = d->view;
    ls_sources_forget(d);
    note_sources(d, v->e);
    note_levels(s, d);
    d->had_errors = v->contract.ds.errors;
    if (v->is_whole) {
        mt_buf_clear(&d->whole);
        mt_buf_adds(&d->whole, mt_buf_str(&d->text));
    }
}

static ls_view *view_of(ls_server *s, ls_document *d, bool to_check)
{
    if (d->view && to_check && !d->view->is_checked) {
        ls_view_free(d->view);
        d->view = NULL;
    }
    if (!d->view) {
        d->view = ls_view_new(s, d->path, to_check);
        note_view(s, d);
    }
    return d->view;
}

ls_view *ls_view_of(ls_server *s, ls_document *d)
{
    return view_of(s, d, false);
}

ls_view *ls_view_checked(ls_server *s, ls_document *d)
{
    return view_of(s, d, true);
}

ls_view *ls_view_good(ls_server *s, ls_document *d)
{
    ls_view *v = ls_view_of(s, d);
    if (v->is_whole || !d->whole.len) {
        return v;
    }
    if (!d->last) {
        s->recalled = d;
        d->last = ls_view_new(s, d->path, false);
        s->recalled = NULL;
    }
    return d->last;
}

static void drop_views(ls_document *d)
{
    ls_view_free(d->view);
    ls_view_free(d->last);
    d->view = d->last = NULL;
}

void ls_views_rest(ls_server *s)
{
    for (size_t i = 0; i < s->documents.len; i++) {
        drop_views(s->documents.items[i]);
    }
}

static bool was_made_with(const ls_document *d, mt_str id)
{
    for (size_t i = 0; i < d->sources.len; i++) {
        if (mt_str_eq(d->sources.items[i], id)) {
            return true;
        }
    }
    return false;
}

void ls_views_forget(ls_server *s, mt_str id)
{
    for (size_t i = 0; i < s->documents.len; i++) {
        ls_document *d = s->documents.items[i];
        if (d->had_errors || mt_str_eq(d->id, id) || was_made_with(d, id)) {
            drop_views(d);
            d->is_dirty = true;
        }
    }
}

/* ---- asking ---- */

/* Mentions stand in the order of the sources, and in each in the order of its text. */
static void find_parts(ls_view *v)
{
    ls_part *last = NULL;
    for (size_t i = 0; i < v->mention_count; i++) {
        mt_str file = v->mentions[i].at.file;
        if (!last || !mt_str_eq(last->file, file)) {
            last = mt_vec_add(&v->contract.arena, &v->parts);
            *last = (ls_part){.file = file, .first = i};
        }
        last->end = i + 1;
    }
}

void ls_view_index(ls_view *v)
{
    if (!v->is_indexed && v->e) {
        v->mention_count = fr_index(&v->contract.arena, v->e, &v->mentions);
        find_parts(v);
    }
    v->is_indexed = true;
}

/* Members of a System have views of their own: only the sources of the root count. */
const ls_text *ls_view_text(const ls_view *v, mt_str path)
{
    for (size_t i = 0; v->e && i < v->e->source_count; i++) {
        if (mt_str_eq(v->e->sources[i].path, path)) {
            return &v->texts[i];
        }
    }
    return NULL;
}

const fr_file *ls_view_file(const ls_view *v, mt_str path)
{
    const fr_unit *u = v->e ? v->e->unit : NULL;
    for (size_t i = 0; u && i < u->files.len; i++) {
        if (mt_str_eq(u->files.items[i]->path, path)) {
            return u->files.items[i];
        }
    }
    return NULL;
}

/* The first of mentions[from..to), all of one file, that begins at the offset or behind
 * it. */
static size_t first_behind(const ls_view *v, size_t from, size_t to, size_t offset)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (v->mentions[middle].at.offset < offset) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

const fr_mention *ls_mentions_in(ls_view *v, mt_str path, ls_range r, size_t *count)
{
    ls_view_index(v);
    for (size_t i = 0; i < v->parts.len; i++) {
        const ls_part *p = &v->parts.items[i];
        if (mt_str_eq(p->file, path)) {
            size_t first = first_behind(v, p->first, p->end, r.from);
            *count = first_behind(v, first, p->end, r.to) - first;
            return v->mentions + first;
        }
    }
    *count = 0;
    return v->mentions;
}

/* Of two names that touch, the one that begins at the offset. */
const fr_mention *ls_mention_at(ls_view *v, mt_str path, size_t offset)
{
    size_t count;
    const fr_mention *m = ls_mentions_in(v, path, (ls_range){0, offset + 1}, &count);
    return count && m[count - 1].at.offset + m[count - 1].at.length >= offset
               ? &m[count - 1]
               : NULL;
}

ls_range ls_span_range(const fr_file *f, fr_span span)
{
    const fr_token *last = fr_token_at(f, span.last);
    return (ls_range){fr_token_at(f, span.first)->start,
                      last->start + fr_token_len(f->text, last)};
}

const fr_construct *ls_construct_at(const ls_view *v, mt_str path, size_t offset)
{
    const fr_unit *u = v->e ? v->e->unit : NULL;
    for (size_t i = 0; u && i < u->all.len; i++) {
        const fr_construct *c = u->all.items[i];
        if (mt_str_eq(c->file->path, path)) {
            ls_range r = ls_span_range(c->file, fr_construct_span(c));
            if (r.from <= offset && offset <= r.to) {
                return c;
            }
        }
    }
    return NULL;
}

const fr_construct *ls_construct_named(const fr_unit *u, fr_kind kind, mt_str name)
{
    for (size_t i = 0; u && i < u->kinds[kind].len; i++) {
        const fr_construct *k = u->kinds[kind].items[i];
        if (mt_str_eq(fr_str(u, k->id), name)) {
            return k;
        }
    }
    return NULL;
}
