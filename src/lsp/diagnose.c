/* lsp/diagnose.c - what is wrong with a document.
 *
 * A document is checked as a root, as `motet check` does it. Faults of files it imports
 * are told at the import, since the editor shows them only where they are; where the
 * file is open it is told its own faults by its own check. */
#include "lsp/data.h"

static const int SEVERITIES[] = {[MT_ERROR] = 1, [MT_WARNING] = 2, [MT_NOTE] = 3};
MT_TABLE_COVERS(SEVERITIES, MT_NOTE + 1);

/* ---- where ---- */

ls_range ls_diag_range(const ls_text *t, const mt_diag *d)
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
    ls_write_range(c->w, c->s, t, ls_diag_range(t, d));
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
    ls_range r = is_here ? ls_diag_range(&doc->lines, d) : import_range(v, doc->path);
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
        ls_check_data(c->s, d, mt_str_dup(c->a, d->lines.text), &ds);
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

void ls_pull_diagnostics(ls_call *c)
{
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "items");
    write_diagnostics(c, c->doc);
    mt_jw_key_str(c->w, "kind", MT_STR("full"));
    mt_jw_end_object(c->w);
}
