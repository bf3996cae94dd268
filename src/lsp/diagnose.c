/* lsp/diagnose.c - what is wrong with a document, and what would mend it.
 *
 * A document is checked as a root, as `motet check` does it. Faults of files it imports
 * are told at the import, since the editor shows them only where they are; where the
 * file is open it is told its own faults by its own check. */
#include "lsp/data.h"

static const int SEVERITIES[] = {[MT_ERROR] = 1, [MT_WARNING] = 2, [MT_NOTE] = 3};

/* ---- where ---- */

static ls_range range_of(const ls_text *t, const mt_diag *d)
{
    ls_range r = {ls_place_offset(t->text, d->line, d->column), 0};
    if (d->end_line) {
        r.to = ls_place_offset(t->text, d->end_line, d->end_column);
    } else {
        r.to = ls_place_offset(t->text, d->line, d->column + d->length);
    }
    return r.to < r.from ? (ls_range){r.from, r.from} : r;
}

/* Where the root names another file that a fault is in: its first import, whichever it
 * comes through; the whole first line where there is none. */
static ls_range import_range(const ls_view *v, mt_str root)
{
    const fr_unit *u = v->e ? v->e->unit : NULL;
    for (size_t i = 0; u && i < u->files.len; i++) {
        const fr_file *f = u->files.items[i];
        for (fr_tok t = 0; mt_str_eq(f->path, root) && t + 1 < f->tokens.count; t++) {
            const fr_token *word = fr_token_at(f, t);
            if (word->kind == FR_T_WORD && word->sym == FR_W_import) {
                return ls_span_range(f, (fr_span){t, t + 1});
            }
        }
    }
    return (ls_range){0, 0};
}

/* ---- telling ---- */

static void write_related(ls_call *c, const ls_view *v, const mt_diag *d)
{
    const ls_text *t = ls_view_text(v, d->file);
    if (!t || !c->s->has_related) {
        return;
    }
    mt_jw_keyz(c->w, "relatedInformation");
    mt_jw_begin_array(c->w);
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "location");
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, t, range_of(t, d));
    mt_jw_key_str(c->w, "uri", ls_uri_of(c->s, c->a, d->file));
    mt_jw_end_object(c->w);
    mt_jw_key_str(c->w, "message", d->message);
    mt_jw_end_object(c->w);
    mt_jw_end_array(c->w);
}

/* A message may have a zero byte in it, where the text has one. */
static mt_str words_of(mt_arena *a, const mt_diag *d, bool is_elsewhere)
{
    mt_buf b = {0};
    if (is_elsewhere) {
        mt_buf_addf(&b, "%.*s:%u: ", MT_ARG(d->file), d->line);
    }
    mt_buf_adds(&b, d->message);
    if (d->hint.len) {
        mt_buf_addc(&b, '\n');
        mt_buf_adds(&b, d->hint);
    }
    mt_str words = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return words;
}

static void write_diagnostic(ls_call *c, const ls_view *v, const ls_document *doc,
                             const mt_diag *d)
{
    bool is_here = mt_str_eq(d->file, doc->path);
    ls_range r = is_here ? range_of(&doc->lines, d) : import_range(v, doc->path);
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "code", mt_str_z(d->code));
    mt_jw_key_str(c->w, "message", words_of(c->a, d, !is_here));
    mt_jw_keyz(c->w, "range");
    ls_write_range(c->w, c->s, &doc->lines, r);
    if (!is_here) {
        write_related(c, v, d);
    }
    mt_jw_key_i64(c->w, "severity", SEVERITIES[d->severity]);
    mt_jw_key_str(c->w, "source", MT_STR("motet"));
    mt_jw_end_object(c->w);
}

static void write_list(ls_call *c, const ls_view *v, const ls_document *doc,
                       const mt_diags *ds)
{
    for (size_t i = 0; i < ds->len; i++) {
        write_diagnostic(c, v, doc, &ds->items[i]);
    }
}

static void write_diagnostics(ls_call *c, ls_document *d)
{
    mt_jw_begin_array(c->w);
    if (d->language == LS_CONTRACT) {
        const ls_view *v = ls_view_checked(c->s, d);
        write_list(c, v, d, &v->contract.ds);
    } else if (d->language == LS_DATA) {
        static const ls_view NONE = {.is_whole = false};
        mt_diags ds = {.arena = c->a, .limit = c->s->limits->diagnostics};
        ls_check_data(c->s, d->path, mt_str_dup(c->a, d->lines.text), &ds);
        write_list(c, &NONE, d, &ds);
    }
    mt_jw_end_array(c->w);
}

void ls_publish(ls_server *s, ls_document *d, mt_buf *out)
{
    mt_buf params = {0};
    mt_jw w = mt_jw_start(&params, false);
    ls_call c = {.s = s, .a = &s->scratch, .w = &w};
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "diagnostics");
    write_diagnostics(&c, d);
    mt_jw_key_str(&w, "uri", d->uri);
    mt_jw_key_i64(&w, "version", d->version);
    mt_jw_end_object(&w);
    ls_notify(out, "textDocument/publishDiagnostics", &params);
    mt_buf_free(&params);
    mt_arena_reset(&s->scratch);
}

void ls_publish_nothing(ls_server *s, mt_str uri, mt_buf *out)
{
    (void)s;
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

void ls_pull_diagnostics(ls_call *c)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "items");
    write_diagnostics(c, c->doc);
    mt_jw_key_str(c->w, "kind", MT_STR("full"));
    mt_jw_end_object(c->w);
}

/* ---- what would mend it ---- */

static bool overlap(ls_range a, ls_range b)
{
    return a.from <= b.to && b.from <= a.to;
}

static void begin_action(ls_call *c, mt_str uri)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "edit");
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "changes");
    mt_jw_begin_object(c->w);
    mt_jw_key(c->w, uri);
    mt_jw_begin_array(c->w);
}

static void end_action(ls_call *c, const char *kind, bool is_preferred, mt_str title)
{
    mt_jw_end_array(c->w);
    mt_jw_end_object(c->w);
    mt_jw_end_object(c->w);
    if (is_preferred) {
        mt_jw_key_bool(c->w, "isPreferred", true);
    }
    mt_jw_key_str(c->w, "kind", mt_str_z(kind));
    mt_jw_key_str(c->w, "title", title);
    mt_jw_end_object(c->w);
}

static mt_str title_of(ls_call *c, const ls_text *t, const mt_edit *e)
{
    mt_str old = mt_str_from(t->text.ptr + e->offset, e->length);
    mt_str put = mt_str_trim(e->text, MT_STR(" \n"));
    return !e->length ? mt_strf(c->a, "Insert '%.*s'", MT_ARG(put))
           : !e->text.len
               ? mt_strf(c->a, "Remove '%.*s'", MT_ARG(old))
               : mt_strf(c->a, "Replace '%.*s' by '%.*s'", MT_ARG(old), MT_ARG(put));
}

static void write_fix(ls_call *c, const ls_view *v, const mt_diag *d)
{
    const mt_edit *e = &d->fix->edit;
    const ls_text *t = ls_view_text(v, e->file);
    if (t) {
        begin_action(c, ls_uri_of(c->s, c->a, e->file));
        ls_write_edit(c, t, (ls_range){e->offset, e->offset + e->length}, e->text);
        end_action(c, "quickfix", d->fix->sure, title_of(c, t, e));
    }
}

/* Everything of this file that can only mean one thing; edits that overlap the one
 * before wait for the next time. */
static void write_all_fixes(ls_call *c, const ls_view *v)
{
    size_t count = 0, behind = 0;
    for (size_t i = 0; i < v->contract.ds.len; i++) {
        const mt_fix *f = v->contract.ds.items[i].fix;
        if (f && f->sure && mt_str_eq(f->edit.file, c->doc->path) &&
            (!count || f->edit.offset >= behind)) {
            if (!count++) {
                begin_action(c, c->doc->uri);
            }
            ls_range r = {f->edit.offset, f->edit.offset + f->edit.length};
            ls_write_edit(c, ls_view_text(v, c->doc->path), r, f->edit.text);
            behind = r.to;
        }
    }
    if (count) {
        end_action(c, "source.fixAll", false,
                   MT_STR("Mend every slip that can only mean one thing"));
    }
}

static void write_strata(ls_call *c, const ls_view *v)
{
    const mt_edit *edits;
    size_t count = v->e ? ct_fix_strata(c->a, v->e, &edits) : 0, here = 0;
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(edits[i].file, c->doc->path)) {
            if (!here++) {
                begin_action(c, c->doc->uri);
            }
            ls_write_edit(
                c, ls_view_text(v, c->doc->path),
                (ls_range){edits[i].offset, edits[i].offset + edits[i].length},
                edits[i].text);
        }
    }
    if (here) {
        end_action(c, "quickfix", true, MT_STR("Renumber the strata"));
    }
}

static bool read_range(ls_call *c, ls_range *out)
{
    const mt_json *range = mt_json_at(c->params, "range");
    const ls_text *t = &c->doc->lines;
    return ls_read_place(c->s, t, mt_json_at(range, "start"), &out->from) &&
           ls_read_place(c->s, t, mt_json_at(range, "end"), &out->to);
}

void ls_code_actions(ls_call *c)
{
    ls_range asked;
    if (!read_range(c, &asked)) {
        ls_refuse(c, LS_INVALID_PARAMS, MT_STR("`range` is not a range"));
        return;
    }
    const ls_view *v = ls_view_checked(c->s, c->doc);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < v->contract.ds.len; i++) {
        const mt_diag *d = &v->contract.ds.items[i];
        if (d->fix && mt_str_eq(d->file, c->doc->path) &&
            overlap(range_of(&c->doc->lines, d), asked)) {
            write_fix(c, v, d);
        }
    }
    write_strata(c, v);
    write_all_fixes(c, v);
    mt_jw_end_array(c->w);
}
