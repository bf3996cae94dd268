/* lsp/view.c - what is known of a document.
 *
 * A view elaborates its document as a root, through a provider that has the open texts
 * before those of the disk. Elaborating is so fast (a megabyte in some 20 ms) that
 * nothing is kept between two texts but the last view that could be read whole.
 *
 * Whether a view was made with a file is known by the ids of its sources, those of a
 * System's members included; a file that could not be found is not among them, so views
 * with errors are dropped whatever changes. */
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
    if (d->text.len > limit) {
        return MT_E_LIMIT;
    }
    *text = mt_str_dup(a, mt_buf_str(&d->text));
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
ls_view *ls_view_new(ls_server *s, mt_str path)
{
    ls_view *v = mt_xmalloc(sizeof *v);
    aw_contract *c = &v->contract;
    *v = (ls_view){.is_whole = false};
    aw_contract_start(c, MT_STR(""), s->limits);
    c->path = mt_str_dup(&c->arena, path);
    ct_lint *lint = mt_new(&c->arena, ct_lint);
    aw_source config = read_levels(s, c, lint);
    ct_options options = {.limits = &c->limits, .lint = lint};
    if (!aw_contract_source(c, &s->files, &options, config.name.len ? &config : NULL)) {
        aw_prove_diagnostics(c, &(aw_patience){0}, false);
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

ls_view *ls_view_of(ls_server *s, ls_document *d)
{
    if (!d->view) {
        d->view = ls_view_new(s, d->path);
        if (d->view->is_whole) {
            ls_view_free(d->last);
            d->last = d->view;
        }
    }
    return d->view;
}

ls_view *ls_view_good(ls_server *s, ls_document *d)
{
    ls_view *v = ls_view_of(s, d);
    return v->is_whole || !d->last ? v : d->last;
}

static bool was_made_with(const ct_elaboration *e, mt_str id)
{
    for (size_t i = 0; e && i < e->source_count; i++) {
        if (mt_str_eq(e->sources[i].id, id)) {
            return true;
        }
    }
    for (size_t i = 0; e && i < e->member_count; i++) {
        if (was_made_with(e->members[i].contract, id)) {
            return true;
        }
    }
    return false;
}

void ls_views_forget(ls_server *s, mt_str id)
{
    for (size_t i = 0; i < s->documents.len; i++) {
        ls_document *d = s->documents.items[i];
        bool same = mt_str_eq(d->id, id);
        if (d->view &&
            (same || d->view->contract.ds.errors || was_made_with(d->view->e, id))) {
            if (d->view != d->last) {
                ls_view_free(d->view);
            }
            d->view = NULL;
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
