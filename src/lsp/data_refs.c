/* lsp/data_refs.c - every place of a name in documents that are data, and their shape.
 *
 * Two places mean the same if what is known there comes from the same place; states of
 * an agent are declared nowhere, so there the same word is the same state. Candidates
 * are the places where the word stands; each is asked what it means. A name can be
 * changed if it is declared in the document itself, and only if that brings no fault.
 */
#include "base/yaml_read.h"
#include "lsp/known.h"

/* What is looked for. */
typedef struct target {
    mt_str name, file; /* the word; where it is declared */
    ls_range at;
    bool is_free; /* declared nowhere: the word is all */
} target;

typedef MT_VEC(ls_range) places;

/* "place_order" of "place_order@1.0.0", "start" of "$start". */
static mt_str word_of(const ls_known *k)
{
    mt_str name = k->also.len ? k->also : k->name;
    return mt_str_starts(name, MT_STR("$")) ? mt_str_skip(name, 1) : name;
}

static bool is_of_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool means(ls_call *c, size_t offset, const target *t)
{
    ls_inquiry q;
    ls_call there = *c;
    there.offset = offset;
    const ls_known *k = ls_inquire(&there, offset, &q) ? ls_known_here(&q) : NULL;
    if (!k || !mt_str_eq(word_of(k), t->name)) {
        return false;
    }
    return t->is_free ? mt_str_is(k->detail, "state")
                      : mt_str_eq(k->file, t->file) && k->at.from == t->at.from;
}

/* In the order of the text, without the declaration. */
static places find_places(ls_call *c, const target *t)
{
    mt_str text = c->doc->lines.text;
    places found = {0};
    for (size_t at = 0; t->name.len && at + t->name.len <= text.len; at++) {
        size_t end = at + t->name.len;
        bool is_whole = (!at || !is_of_word(text.ptr[at - 1])) &&
                        (end == text.len || !is_of_word(text.ptr[end])) &&
                        memcmp(text.ptr + at, t->name.ptr, t->name.len) == 0;
        bool is_own = !t->is_free && mt_str_eq(t->file, c->doc->path) &&
                      t->at.from <= at && at < t->at.to;
        if (is_whole && !is_own && means(c, at, t)) {
            ls_range r = {at, end};
            mt_vec_push(c->a, &found, r);
        }
    }
    return found;
}

/* The declaration that the cursor is at: somebody else has to mean it. */
static bool find_declared(ls_call *c, const ls_spot *s, target *t)
{
    *t = (target){.name = s->text, .file = c->doc->path, .at = s->range};
    return find_places(c, t).len;
}

static bool find_target(ls_call *c, target *t)
{
    ls_inquiry q;
    if (!ls_inquire(c, c->offset, &q)) {
        return false;
    }
    const ls_known *k = ls_known_here(&q);
    if (!k || !k->file.len) {
        return find_declared(c, &q.spot, t);
    }
    *t = (target){.name = word_of(k), .file = k->file, .at = k->at};
    t->is_free = q.kind == LS_DATA_AGENT && mt_str_is(k->detail, "state");
    return true;
}

static bool is_here(const ls_call *c, const target *t)
{
    return mt_str_eq(t->file, c->doc->path);
}

/* ---- answers ---- */

static void write_location(ls_call *c, mt_str path, const ls_text *t, ls_range r)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, t, r);
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, path));
    mt_jw_end_object(c->w);
}

static void write_declaration(ls_call *c, const target *t)
{
    mt_str text;
    if (!t->is_free &&
        ls_read_beside(c->s, c->a, t->file, mt_str_basename(t->file), &text)) {
        ls_text lines = ls_text_of(c->a, text);
        write_location(c, t->file, &lines, t->at);
    }
}

void ls_data_references(ls_call *c)
{
    target t;
    const mt_json *with =
        mt_json_at(mt_json_at(c->params, "context"), "includeDeclaration");
    mt_jw_begin_array(c->w);
    if (find_target(c, &t)) {
        places all = find_places(c, &t);
        if (!mt_json_is(with, MT_JSON_BOOL) || with->boolean) {
            write_declaration(c, &t);
        }
        for (size_t i = 0; i < all.len; i++) {
            write_location(c, c->doc->path, &c->doc->lines, all.items[i]);
        }
    }
    mt_jw_end_array(c->w);
}

/* With the declaration, in the order of the text. */
static places all_here(ls_call *c, const target *t)
{
    places found = find_places(c, t), all = {0};
    bool is_put = t->is_free || !is_here(c, t);
    for (size_t i = 0; i < found.len; i++) {
        if (!is_put && t->at.from < found.items[i].from) {
            mt_vec_push(c->a, &all, t->at);
            is_put = true;
        }
        mt_vec_push(c->a, &all, found.items[i]);
    }
    if (!is_put) {
        mt_vec_push(c->a, &all, t->at);
    }
    return all;
}

void ls_data_highlight(ls_call *c)
{
    target t;
    mt_jw_begin_array(c->w);
    if (find_target(c, &t)) {
        places all = all_here(c, &t);
        bool is_declared = !t.is_free && is_here(c, &t);
        for (size_t i = 0; i < all.len; i++) {
            bool is_own = is_declared && all.items[i].from == t.at.from;
            mt_jw_begin_object(c->w);
            mt_jw_key_i64(c->w, "kind", is_own ? 3 : 2);
            mt_jw_keyz(c->w, "range");
            ls_write_range(c->w, c->s, &c->doc->lines, all.items[i]);
            mt_jw_end_object(c->w);
        }
    }
    mt_jw_end_array(c->w);
}

/* ---- renaming ---- */

void ls_data_prepare_rename(ls_call *c)
{
    target t;
    if (!find_target(c, &t) || !is_here(c, &t)) {
        return;
    }
    places all = all_here(c, &t);
    for (size_t i = 0; i < all.len; i++) {
        if (all.items[i].from <= c->offset && c->offset <= all.items[i].to) {
            ls_write_range(c->w, c->s, &c->doc->lines, all.items[i]);
            return;
        }
    }
}

static bool is_name(mt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!is_of_word(name.ptr[i])) {
            return false;
        }
    }
    return name.len;
}

/* SIZE_MAX: it cannot be read any more, as when a key is there twice. */
static size_t errors_of(ls_call *c, mt_str text)
{
    mt_diags ds = {.arena = c->a, .limit = c->s->limits->diagnostics};
    mt_json tree;
    if (mt_yaml_read(c->a, text, NULL, &tree, NULL)) {
        return SIZE_MAX;
    }
    ls_check_data(c->s, c->doc, text, &ds);
    return ds.errors;
}

/* Two states would become one. */
static bool is_taken(ls_call *c, const target *t, mt_str name)
{
    target other = {.name = name, .file = t->file, .is_free = true};
    return t->is_free && find_places(c, &other).len;
}

static mt_str renamed(ls_call *c, const places *all, mt_str name)
{
    mt_str text = c->doc->lines.text;
    mt_buf b = {0};
    size_t done = 0;
    for (size_t i = 0; i < all->len; i++) {
        mt_buf_add(&b, text.ptr + done, all->items[i].from - done);
        mt_buf_adds(&b, name);
        done = all->items[i].to;
    }
    mt_buf_adds(&b, mt_str_skip(text, done));
    mt_str out = mt_str_dup(c->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return out;
}

void ls_data_rename(ls_call *c)
{
    target t;
    mt_str name = mt_json_text(mt_json_at(c->params, "newName"));
    if (!find_target(c, &t) || !is_here(c, &t) || !is_name(name)) {
        ls_refuse(
            c, LS_REQUEST_FAILED,
            MT_STR("a name that is declared here can be changed to another name"));
        return;
    }
    places all = all_here(c, &t);
    size_t after = errors_of(c, renamed(c, &all, name));
    size_t before = errors_of(c, mt_str_dup(c->a, c->doc->lines.text));
    if (after > before || is_taken(c, &t, name)) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  mt_strf(c->a, "'%.*s' would be an error", MT_ARG(name)));
        return;
    }
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "changes");
    mt_jw_begin_object(c->w);
    mt_jw_key(c->w, c->doc->uri);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < all.len; i++) {
        ls_write_edit(c, &c->doc->lines, all.items[i], name);
    }
    mt_jw_end_array(c->w);
    mt_jw_end_object(c->w);
    mt_jw_end_object(c->w);
}

/* ---- the shape ---- */

/* An outermost key, or a name directly below one. */
typedef struct part {
    mt_str text;
    ls_range at;
} part;

typedef struct shape {
    mt_arena *a;
    MT_VEC(part) outer, inner;
} shape;

static bool note_part(void *context, const ls_spot *s)
{
    shape *x = context;
    part p = {s->text, s->range};
    bool is_named = !s->is_key && s->depth == 3 && s->path[1].is_item &&
                    mt_str_is(s->path[2].key, "name");
    if (s->is_key && s->depth == 1) {
        mt_vec_push(x->a, &x->outer, p);
    } else if (is_named || (s->is_key && s->depth == 2)) {
        mt_vec_push(x->a, &x->inner, p);
    }
    return true;
}

/* Numbers of the protocol's SymbolKind. */
enum { SYMBOL_PROPERTY = 7, SYMBOL_OBJECT = 19 };

static void write_part(ls_call *c, const part *p, ls_range whole, int kind)
{
    mt_jw_key_i64(c->w, "kind", kind);
    mt_jw_key_str(c->w, "name", p->text.len ? p->text : MT_STR("?"));
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, &c->doc->lines, whole);
    mt_jw_keyz(c->w, "selectionRange");
    ls_write_range(c->w, c->s, &c->doc->lines, p->at);
}

void ls_data_symbols(ls_call *c)
{
    shape x = {.a = c->a};
    mt_str text = c->doc->lines.text;
    ls_spots(text, note_part, &x);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < x.outer.len; i++) {
        const part *p = &x.outer.items[i];
        size_t end = i + 1 < x.outer.len ? x.outer.items[i + 1].at.from : text.len;
        mt_jw_begin_object(c->w);
        mt_jw_keyz(c->w, "children");
        mt_jw_begin_array(c->w);
        for (size_t k = 0; k < x.inner.len; k++) {
            const part *in = &x.inner.items[k];
            if (in->at.from > p->at.from && in->at.from < end) {
                mt_jw_begin_object(c->w);
                write_part(c, in, in->at, SYMBOL_OBJECT);
                mt_jw_end_object(c->w);
            }
        }
        mt_jw_end_array(c->w);
        write_part(c, p, (ls_range){p->at.from, end}, SYMBOL_PROPERTY);
        mt_jw_end_object(c->w);
    }
    mt_jw_end_array(c->w);
}
