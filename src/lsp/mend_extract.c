/* lsp/mend_extract.c - a record that is written where it is used gets a name.
 *
 * The type at the cursor is declared before its construct, and every other one of the
 * document that is written with the same words is replaced by the name as well. */
#include "lsp/mend.h"

#include "contract/front/parser.h"

/* `Record {` or `TaggedUnion {`. */
static bool is_type_at(const fr_file *f, fr_tok tok)
{
    mt_str word = ls_token_text(f, tok);
    return ls_token_is(f, tok, FR_T_WORD) && ls_token_is(f, tok + 1, FR_T_LBRACE) &&
           (mt_str_is(word, "Record") || mt_str_is(word, "TaggedUnion"));
}

/* A declaration's own body has its name already: `type Pay = TaggedUnion {`. */
static bool is_declared(const fr_file *f, fr_tok tok)
{
    return tok && ls_token_is(f, tok - 1, FR_T_EQ);
}

/* The innermost one around the cursor; false: there is none. */
static bool type_around(const fr_file *f, size_t offset, fr_span *out)
{
    bool found = false;
    for (fr_tok at = 0; at + 2 < f->tokens.count; at++) {
        if (fr_token_at(f, at)->start > offset) {
            break;
        }
        if (is_type_at(f, at) && !is_declared(f, at)) {
            fr_tok close = ls_token_close(f, at + 1);
            if (ls_token_end(f, close) >= offset) {
                *out = (fr_span){at, close};
                found = true;
            }
        }
    }
    return found;
}

static bool is_same(const fr_file *f, fr_span a, fr_tok b)
{
    for (fr_tok i = 0; a.first + i <= a.last; i++) {
        if (b + i >= f->tokens.count ||
            fr_token_at(f, a.first + i)->kind != fr_token_at(f, b + i)->kind ||
            !mt_str_eq(ls_token_text(f, a.first + i), ls_token_text(f, b + i))) {
            return false;
        }
    }
    return true;
}

static bool is_taken(const fr_unit *u, mt_str name)
{
    for (size_t i = 0; i < LN_BASE_COUNT; i++) {
        if (mt_str_eq(name, mt_str_z(LN_BASES[i].name))) {
            return true;
        }
    }
    return ls_construct_named(u, FR_TYPEDECL, name);
}

/* "home_address" becomes "HomeAddress"; with a number behind it if that is taken. */
static mt_str name_for(mt_arena *a, const fr_unit *u, mt_str from)
{
    mt_buf b = {0};
    bool up = true;
    for (size_t i = 0; i < from.len; i++) {
        char c = from.ptr[i];
        if (c != '_') {
            mt_buf_addc(&b, up && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
        }
        up = c == '_';
    }
    mt_str stem = mt_str_dup(a, mt_buf_str(&b)), name = stem;
    mt_buf_free(&b);
    for (int n = 2; is_taken(u, name); n++) {
        name = mt_strf(a, "%.*s%d", MT_ARG(stem), n);
    }
    return name;
}

static mt_str declaration(mt_arena *a, const fr_file *f, fr_span type, mt_str name)
{
    bool is_record = mt_str_is(ls_token_text(f, type.first), "Record");
    ls_range r = ls_span_range(f, type);
    size_t from = is_record ? fr_token_at(f, type.first + 1)->start : r.from;
    return mt_strf(a, "type %.*s %s%.*s\n\n", MT_ARG(name), is_record ? "" : "= ",
                   (int)(r.to - from), f->text.ptr + from);
}

void ls_mend_extract(const ls_mender *m)
{
    const fr_file *f = ls_view_file(m->v, m->c->doc->path);
    const fr_construct *k = ls_construct_at(m->v, m->c->doc->path, m->asked.from);
    mt_arena *a = m->c->a;
    fr_span type;
    if (!f || !k || k->broken || !type_around(f, m->asked.from, &type)) {
        return;
    }
    /* a field that holds it gives the better name: `home: Record { … }` */
    bool is_field = type.first > 1 && ls_token_is(f, type.first - 1, FR_T_COLON) &&
                    !mt_str_is(ls_token_text(f, type.first - 2), "type") &&
                    !mt_str_is(ls_token_text(f, type.first - 2), "element_type");
    mt_str from =
        is_field ? ls_token_text(f, type.first - 2) : fr_str(m->v->e->unit, k->id);
    mt_str name = name_for(a, m->v->e->unit, from);
    size_t start = ls_span_range(f, fr_construct_span(k)).from;
    MT_VEC(ls_mend_edit) edits = {0};
    ls_mend_edit new = {f->path, {start, start}, declaration(a, f, type, name)};
    bool is_put = false;
    for (fr_tok at = 0; at + 1 < f->tokens.count; at++) {
        size_t here = fr_token_at(f, at)->start;
        if (!is_put && here >= start) {
            mt_vec_push(a, &edits, new);
            is_put = true;
        }
        if (is_type_at(f, at) && !is_declared(f, at) && is_same(f, type, at)) {
            fr_span same = {at, at + (type.last - type.first)};
            ls_mend_edit use = {f->path, ls_span_range(f, same), name};
            mt_vec_push(a, &edits, use);
            at = same.last;
        }
    }
    ls_mend(m, "refactor.extract", false,
            mt_strf(a, "Extract type '%.*s'%s", MT_ARG(name),
                    edits.len > 2 ? ", all its uses" : ""),
            edits.items, edits.len);
}
