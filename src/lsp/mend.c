/* lsp/mend.c - what would mend a document: see mend.h.
 *
 * A fault at the place may bring its own edit, lack a field or want a declaration;
 * besides there is what needs no fault: strata, every sure slip at once, a name for a
 * record, a scenario. Data has what its faults were probably meant to say. */
#include "lsp/mend.h"

#include "contract/front/parser.h"
#include "lsp/known.h"

/* ---- writing ---- */

bool ls_mend_wants(const ls_call *c, const char *kind)
{
    const mt_json *only = mt_json_at(mt_json_at(c->params, "context"), "only");
    bool wants = !mt_json_is(only, MT_JSON_ARRAY) || !only->count;
    for (uint32_t i = 0; !wants && i < only->count; i++) {
        mt_str k = mt_json_text(&only->as.items[i]);
        wants = mt_str_starts(mt_str_z(kind), k) &&
                (kind[k.len] == '\0' || kind[k.len] == '.');
    }
    return wants;
}

static bool all_known(const ls_mender *m, const ls_mend_edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!ls_view_text(m->v, edits[i].file)) {
            return false;
        }
    }
    return count > 0;
}

static bool is_told(const ls_mender *m, mt_str title, const ls_mend_edit *first)
{
    bool is_new;
    mt_arena *a = m->c->a;
    mt_map_add(a, m->told, mt_strf(a, "%zu %.*s", first->at.from, MT_ARG(title)),
               &is_new);
    return !is_new;
}

void ls_mend(const ls_mender *m, const char *kind, bool is_preferred, mt_str title,
             const ls_mend_edit *edits, size_t count)
{
    ls_call *c = m->c;
    if (!ls_mend_wants(c, kind) || !all_known(m, edits, count) ||
        is_told(m, title, edits)) {
        return;
    }
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "edit");
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "changes");
    mt_jw_begin_unsorted(c->w);
    for (size_t i = 0; i < count;) {
        mt_str file = edits[i].file;
        mt_jw_key(c->w, ls_uri_of(c->s, c->a, file));
        mt_jw_begin_array(c->w);
        for (; i < count && mt_str_eq(edits[i].file, file); i++) {
            ls_write_edit(c, ls_view_text(m->v, file), edits[i].at, edits[i].text);
        }
        mt_jw_end_array(c->w);
    }
    mt_jw_end_object(c->w);
    mt_jw_end_object(c->w);
    if (is_preferred) {
        mt_jw_key_bool(c->w, "isPreferred", true);
    }
    mt_jw_key_str(c->w, "kind", mt_str_z(kind));
    mt_jw_key_str(c->w, "title", title);
    mt_jw_end_object(c->w);
}

/* ---- tokens ---- */

bool ls_token_is(const fr_file *f, fr_tok tok, fr_token_kind kind)
{
    return tok < f->tokens.count && fr_token_at(f, tok)->kind == (uint8_t)kind;
}

mt_str ls_token_text(const fr_file *f, fr_tok tok)
{
    const fr_token *t = fr_token_at(f, tok);
    return mt_str_from(f->text.ptr + t->start, fr_token_len(f->text, t));
}

size_t ls_token_end(const fr_file *f, fr_tok tok)
{
    const fr_token *t = fr_token_at(f, tok);
    return t->start + fr_token_len(f->text, t);
}

fr_tok ls_token_from(const fr_file *f, size_t offset)
{
    fr_tok at = 0;
    while (at + 1 < f->tokens.count && ls_token_end(f, at) <= offset) {
        at++;
    }
    return at;
}

fr_tok ls_token_close(const fr_file *f, fr_tok open)
{
    int depth = 0;
    fr_tok at = open;
    for (; at + 1 < f->tokens.count; at++) {
        depth += FR_NEST[fr_token_at(f, at)->kind];
        if (depth <= 0) {
            break;
        }
    }
    return at;
}

fr_tok ls_token_field(const fr_file *f, fr_tok open, mt_str field)
{
    fr_tok close = ls_token_close(f, open);
    int depth = 0;
    for (fr_tok at = open; at < close; at++) {
        depth += FR_NEST[fr_token_at(f, at)->kind];
        if (depth == 1 && ls_token_is(f, at, FR_T_WORD) &&
            ls_token_is(f, at + 1, FR_T_COLON) &&
            mt_str_eq(ls_token_text(f, at), field)) {
            return at + 2;
        }
    }
    return 0;
}

fr_tok ls_token_body(const fr_file *f, fr_tok name)
{
    for (fr_tok at = name; at < name + 5 && at < f->tokens.count; at++) {
        if (ls_token_is(f, at, FR_T_LBRACE) || ls_token_is(f, at, FR_T_LPAREN)) {
            return at;
        }
    }
    return 0;
}

/* The white space that the line of the token begins with. */
static mt_str indent_of(const fr_file *f, fr_tok tok)
{
    size_t at = fr_token_at(f, tok)->start, from = at;
    while (from && f->text.ptr[from - 1] != '\n') {
        from--;
    }
    size_t end = from;
    while (end < at && (f->text.ptr[end] == ' ' || f->text.ptr[end] == '\t')) {
        end++;
    }
    return mt_str_from(f->text.ptr + from, end - from);
}

ls_mend_edit ls_put_field(mt_arena *a, const fr_file *f, fr_tok open, mt_str field,
                          mt_str value)
{
    size_t at = ls_token_end(f, open);
    bool is_call = ls_token_is(f, open, FR_T_LPAREN);
    bool has_lines = fr_token_at(f, open + 1)->line > fr_token_at(f, open)->line;
    bool is_empty = ls_token_close(f, open) == open + 1;
    mt_str indent = indent_of(f, open + 1);
    mt_str text = is_call ? mt_strf(a, "%.*s: %.*s%s", MT_ARG(field), MT_ARG(value),
                                    is_empty ? "" : ", ")
                  : has_lines
                      ? mt_strf(a, "\n%.*s%s%.*s: %.*s", MT_ARG(indent),
                                is_empty ? "  " : "", MT_ARG(field), MT_ARG(value))
                      : mt_strf(a, " %.*s: %.*s%s", MT_ARG(field), MT_ARG(value),
                                is_empty ? " " : "");
    return (ls_mend_edit){f->path, {at, at}, text};
}

ls_mend_edit ls_put_item(mt_arena *a, const fr_file *f, fr_tok open, mt_str item)
{
    fr_tok close = ls_token_close(f, open);
    bool is_empty = close <= open + 1;
    size_t at = is_empty ? ls_token_end(f, open) : ls_token_end(f, close - 1);
    bool is_list =
        ls_token_is(f, open, FR_T_LBRACKET) || ls_token_is(f, open, FR_T_LBRACE);
    return is_list && close > open
               ? (ls_mend_edit){f->path,
                                {at, at},
                                mt_strf(a, "%s%.*s", is_empty ? "" : ", ",
                                        MT_ARG(item))}
               : (ls_mend_edit){0};
}

static const fr_step *step_named(const fr_unit *u, const fr_steps *steps, mt_str name)
{
    for (size_t i = 0; i < steps->len; i++) {
        if (mt_str_eq(fr_str(u, steps->items[i]->id.sym), name)) {
            return steps->items[i];
        }
    }
    return NULL;
}

const fr_step *ls_step_of(const fr_unit *u, const mt_diag *d)
{
    const fr_construct *k = ls_construct_named(u, FR_FLOW, d->construct_id);
    mt_str rest = mt_str_skip(d->field, strlen("steps."));
    bool is_one = k && mt_str_starts(d->field, MT_STR("steps."));
    return is_one ? step_named(u, &((const fr_flow *)(const void *)k)->steps,
                               mt_str_from(rest.ptr, mt_str_find(rest, '.')))
                  : NULL;
}

/* ---- edits that faults bring ---- */

static mt_str title_of(ls_call *c, const ls_text *t, const mt_edit *e)
{
    mt_str old = mt_str_from(t->text.ptr + e->offset, e->length);
    mt_str put = mt_str_trim(e->text, MT_STR(" \n"));
    return !e->length ? mt_strf(c->a, "Insert '%.*s'", MT_ARG(put))
           : !e->text.len
               ? mt_strf(c->a, "Remove '%.*s'", MT_ARG(old))
               : mt_strf(c->a, "Replace '%.*s' by '%.*s'", MT_ARG(old), MT_ARG(put));
}

static ls_mend_edit edit_of(const mt_edit *e)
{
    return (ls_mend_edit){e->file, {e->offset, e->offset + e->length}, e->text};
}

static void mend_fix(const ls_mender *m, const mt_diag *d)
{
    const ls_text *t = d->fix ? ls_view_text(m->v, d->fix->edit.file) : NULL;
    if (t) {
        ls_mend_edit e = edit_of(&d->fix->edit);
        ls_mend(m, "quickfix", d->fix->sure, title_of(m->c, t, &d->fix->edit), &e, 1);
    }
}

/* Everything of this file that can only mean one thing; edits that overlap the one
 * before wait for the next time. */
static void mend_all(const ls_mender *m)
{
    MT_VEC(ls_mend_edit) edits = {0};
    size_t behind = 0;
    for (size_t i = 0; i < m->v->contract.ds.len; i++) {
        const mt_fix *f = m->v->contract.ds.items[i].fix;
        if (f && f->sure && mt_str_eq(f->edit.file, m->c->doc->path) &&
            (!edits.len || f->edit.offset >= behind)) {
            mt_vec_push(m->c->a, &edits, edit_of(&f->edit));
            behind = f->edit.offset + f->edit.length;
        }
    }
    ls_mend(m, "source.fixAll", false,
            MT_STR("Mend every slip that can only mean one thing"), edits.items,
            edits.len);
}

static void mend_strata(const ls_mender *m)
{
    const mt_edit *edits;
    size_t count = m->v->e ? ct_fix_strata(m->c->a, m->v->e, &edits) : 0;
    MT_VEC(ls_mend_edit) here = {0};
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(edits[i].file, m->c->doc->path)) {
            mt_vec_push(m->c->a, &here, edit_of(&edits[i]));
        }
    }
    ls_mend(m, "quickfix", true, MT_STR("Renumber the strata"), here.items, here.len);
}

/* ---- what is offered ---- */

static bool read_range(ls_call *c, ls_range *out)
{
    bool is_range =
        ls_read_range(c->s, &c->doc->lines, mt_json_at(c->params, "range"), out);
    if (!is_range) {
        ls_refuse(c, LS_INVALID_PARAMS, MT_STR("`range` is not a range"));
    }
    return is_range;
}

static bool overlap(ls_range a, ls_range b)
{
    return a.from <= b.to && b.from <= a.to;
}

static void mend_faults(const ls_mender *m)
{
    for (size_t i = 0; i < m->v->contract.ds.len; i++) {
        const mt_diag *d = &m->v->contract.ds.items[i];
        if (mt_str_eq(d->file, m->c->doc->path) && m->v->e && m->v->e->unit &&
            overlap(ls_diag_range(&m->c->doc->lines, d), m->asked)) {
            mend_fix(m, d);
            ls_mend_field(m, d);
            ls_mend_declare(m, d);
        }
    }
}

void ls_code_actions(ls_call *c)
{
    mt_map told = {0};
    ls_mender m = {.c = c, .told = &told};
    if (!read_range(c, &m.asked)) {
        return;
    }
    m.v = ls_view_checked(c->s, c->doc);
    mt_jw_begin_array(c->w);
    mend_faults(&m);
    mend_strata(&m);
    mend_all(&m);
    if (m.v->e && m.v->e->unit) {
        ls_mend_extract(&m);
        ls_mend_scenario(&m);
    }
    mt_jw_end_array(c->w);
}

/* ---- data ---- */

/* The word of "did you mean `x`?" or 'x'; empty: nothing was suggested. */
static mt_str meant(mt_str words)
{
    static const char ASKED[] = "did you mean ";
    const char *at = memmem(words.ptr, words.len, ASKED, strlen(ASKED));
    mt_str rest =
        at ? mt_str_skip(words, (size_t)(at - words.ptr) + strlen(ASKED)) : (mt_str){0};
    if (!rest.len || (rest.ptr[0] != '`' && rest.ptr[0] != '\'')) {
        return (mt_str){0};
    }
    char quote = rest.ptr[0];
    rest = mt_str_skip(rest, 1);
    return mt_str_from(rest.ptr, mt_str_find(rest, quote));
}

/* Faults of keys are told at their values: where the value is not what the message
 * quotes, its key is meant. */
static bool take_key(void *context, const ls_spot *s)
{
    ls_spot *of = context;
    bool is_it = s->is_key && s->depth == of->depth && ls_spot_shares(s, of, s->depth);
    if (is_it) {
        *of = *s;
    }
    return !is_it;
}

static bool quotes(mt_str message, mt_str word)
{
    for (size_t i = 1; word.len && i + word.len < message.len; i++) {
        char before = message.ptr[i - 1], behind = message.ptr[i + word.len];
        if ((before == '\'' || before == '`') && before == behind &&
            memcmp(message.ptr + i, word.ptr, word.len) == 0) {
            return true;
        }
    }
    return false;
}

static bool find_word(ls_call *c, const mt_diag *d, ls_spot *s)
{
    mt_str text = c->doc->lines.text;
    if (!ls_spot_at(text, ls_diag_range(&c->doc->lines, d).from, s)) {
        return false;
    }
    if (!quotes(d->message, s->text)) {
        ls_spots(text, take_key, s);
    }
    return quotes(d->message, s->text);
}

static void mend_word(ls_call *c, ls_range asked, const mt_diag *d)
{
    mt_str word = meant(d->hint.len ? d->hint : d->message);
    ls_spot s;
    if (!word.len || !find_word(c, d, &s) || !overlap(s.range, asked) ||
        !ls_mend_wants(c, "quickfix")) {
        return;
    }
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "edit");
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "changes");
    mt_jw_begin_object(c->w);
    mt_jw_key(c->w, c->doc->uri);
    mt_jw_begin_array(c->w);
    ls_write_edit(c, &c->doc->lines, s.range, word);
    mt_jw_end_array(c->w);
    mt_jw_end_object(c->w);
    mt_jw_end_object(c->w);
    mt_jw_key_str(c->w, "kind", MT_STR("quickfix"));
    mt_jw_key_str(
        c->w, "title",
        mt_strf(c->a, "Replace '%.*s' by '%.*s'", MT_ARG(s.text), MT_ARG(word)));
    mt_jw_end_object(c->w);
}

void ls_data_actions(ls_call *c)
{
    ls_range asked;
    mt_diags ds = {.arena = c->a, .limit = c->s->limits->diagnostics};
    if (!read_range(c, &asked)) {
        return;
    }
    ls_check_data(c->s, c->doc, mt_str_dup(c->a, c->doc->lines.text), &ds);
    mt_jw_begin_array(c->w);
    for (size_t i = 0; i < ds.len; i++) {
        mend_word(c, asked, &ds.items[i]);
    }
    mt_jw_end_array(c->w);
}
