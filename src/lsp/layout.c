/* lsp/layout.c - laying out a document, as `motet fmt` does.
 *
 * Layout moves white space only, so the laid-out text has the same tokens and comments
 * in the same order. What is sent is the white space between two of them where it
 * differs: the editor keeps its cursor and its marks, and a part of it is laid out
 * by sending the edits of that part alone. */
#include "contract/front/format.h"
#include "lsp/server.h"

static fr_tokens lex(ls_call *c, mt_str text)
{
    fr_symbols syms;
    fr_tokens tokens;
    fr_symbols_init(&syms, c->a);
    fr_lex(c->a, &syms, text, c->s->limits, FR_LEX_COMMENTS, &tokens);
    return tokens;
}

static size_t token_end(mt_str text, const fr_token *t)
{
    return t->start + fr_token_len(text, t);
}

static void write_gap(ls_call *c, mt_str old, ls_range was, mt_str new, ls_range is)
{
    mt_str a = mt_str_from(old.ptr + was.from, was.to - was.from);
    mt_str b = mt_str_from(new.ptr + is.from, is.to - is.from);
    if (!mt_str_eq(a, b)) {
        ls_write_edit(c, &c->doc->lines, was, b);
    }
}

/* What stands between two tokens belongs to a part if the part has some of both sides.
 * A comment's own lines may lose white space at their ends, so its text is compared,
 * too. */
static void write_edits(ls_call *c, mt_str new, ls_range asked)
{
    mt_str old = c->doc->lines.text;
    fr_tokens was = lex(c, old), is = lex(c, new);
    size_t old_end = 0, new_end = 0;
    for (uint32_t i = 0; i < was.count && i < is.count; i++) {
        const fr_token *a = &was.items[i], *b = &is.items[i];
        bool last = a->kind == FR_T_EOF;
        size_t old_start = last ? old.len : a->start,
               new_start = last ? new.len : b->start;
        bool is_asked = old_start > asked.from || !asked.from;
        if (is_asked && old_end < asked.to) {
            write_gap(c, old, (ls_range){old_end, old_start}, new,
                      (ls_range){new_end, new_start});
        }
        old_end = last ? old.len : token_end(old, a);
        new_end = last ? new.len : token_end(new, b);
        if (a->kind == FR_T_COMMENT && old_start <= asked.to && old_end >= asked.from) {
            write_gap(c, old, (ls_range){old_start, old_end}, new,
                      (ls_range){new_start, new_end});
        }
    }
}

/* False: it cannot be laid out, and *why is the first reason. */
static bool lay_out(ls_call *c, mt_str *out, mt_str *why)
{
    mt_diags ds = {.arena = c->a, .limit = 1};
    if (fr_format(c->a, c->doc->path, mt_str_dup(c->a, c->doc->lines.text),
                  &c->s->files, c->s->limits, &ds, out) == MT_OK) {
        return true;
    }
    *why = ds.len ? mt_strf(c->a, "line %u: %.*s", ds.items[0].line,
                            MT_ARG(ds.items[0].message))
                  : MT_STR("it does not parse");
    return false;
}

static void format_part(ls_call *c, ls_range asked, bool is_silent)
{
    mt_str text, why;
    if (!lay_out(c, &text, &why)) {
        if (!is_silent) {
            ls_refuse(c, LS_REQUEST_FAILED,
                      mt_strf(c->a, "it cannot be laid out before it parses: %.*s",
                              MT_ARG(why)));
        }
        return;
    }
    mt_jw_begin_array(c->w);
    write_edits(c, text, asked);
    mt_jw_end_array(c->w);
}

void ls_format(ls_call *c)
{
    format_part(c, (ls_range){0, SIZE_MAX}, false);
}

/* Whole lines. */
void ls_format_range(ls_call *c)
{
    uint32_t from, to;
    if (!ls_read_lines(mt_json_at(c->params, "range"), &from, &to) ||
        to == UINT32_MAX) {
        ls_refuse(c, LS_INVALID_PARAMS, MT_STR("`range` is not a range"));
        return;
    }
    const ls_text *t = &c->doc->lines;
    ls_range asked = {ls_offset(t, (ls_position){from, 0}, c->s->units),
                      ls_offset(t, (ls_position){to + 1, 0}, c->s->units)};
    format_part(c, asked, false);
}

/* The construct that a brace has just closed; while something else is broken nothing is
 * moved, and nobody wants to hear why. */
void ls_format_on_type(ls_call *c)
{
    const fr_construct *k =
        ls_construct_at(ls_view_of(c->s, c->doc), c->doc->path, c->offset);
    if (k) {
        ls_range r = ls_span_range(k->file, fr_construct_span(k));
        format_part(c, r, true);
    }
}
