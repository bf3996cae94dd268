/* contract/front/token_debug.c - tokens as messages spell them: Word("x"), Int(-1),
 * LBrace for the suite, 'x', the number -1, '{' for people. Room: contract/front. Texts
 * are quoted and escaped, so that a message shows what a reader would not see. */
#include "contract/front/lexer.h"

#include "base/unicode.h"
#include "base/utf8.h"

/* Controls, separators, formats, private use, and marks that join a letter. */
static bool is_invisible(uint32_t c)
{
    return c != ' ' && mt_unicode_is(c, MT_UNICODE_HIDDEN | MT_UNICODE_EXTEND);
}

/* Appends `text` quoted and escaped as a debug string. */
static void add_debug_text(mt_buf *b, mt_str text)
{
    mt_buf_addc(b, '"');
    for (size_t i = 0, len = 1; i < text.len; i += len) {
        len = mt_utf8_sequence(text.ptr + i, text.len - i);
        len = len ? len : 1; /* cut off in the middle of a character */
        size_t same;
        uint32_t c =
            len > 1 ? mt_utf8_decode(text.ptr + i, &same) : (uint8_t)text.ptr[i];
        switch (c) {
        case '"': mt_buf_addz(b, "\\\""); break;
        case '\\': mt_buf_addz(b, "\\\\"); break;
        case '\n': mt_buf_addz(b, "\\n"); break;
        case '\t': mt_buf_addz(b, "\\t"); break;
        case '\r': mt_buf_addz(b, "\\r"); break;
        case '\0': mt_buf_addz(b, "\\0"); break;
        default:
            if (is_invisible(c)) {
                mt_buf_addf(b, "\\u{%x}", (unsigned)c);
            } else {
                mt_buf_add(b, text.ptr + i, len);
            }
        }
    }
    mt_buf_addc(b, '"');
}

/* Cut at 4 KB, possibly inside a character, so that a message stays bounded. */
mt_str fr_token_debug(mt_arena *a, const fr_symbols *syms, const fr_token *t)
{
    static const char *const NAMES[] = {
#define FR_TOKEN_NAME(name, text) [FR_T_##name] = text,
        FR_TOKEN_MAP(FR_TOKEN_NAME)
#undef FR_TOKEN_NAME
    };
    MT_TABLE_COVERS(NAMES, FR_TOKEN_KINDS);
    const char *name = NAMES[t->kind];
    if (t->kind == FR_T_INT) {
        return mt_strf(a, "Int(%lld)", (long long)fr_int_value(syms, t->sym));
    }
    if (t->kind != FR_T_WORD && t->kind != FR_T_STR && t->kind != FR_T_FLOAT) {
        return mt_str_z(name);
    }
    mt_str text = fr_text(syms, t->sym);
    text.len = text.len < 4096 ? text.len : 4096;
    mt_buf b = {0};
    mt_buf_addf(&b, "%s(", name);
    add_debug_text(&b, text);
    mt_buf_addc(&b, ')');
    mt_str result = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return result;
}

/* Our lexer keeps a minus apart; the suite takes one that touches a number as its
 * sign. */
mt_str fr_found_debug(mt_arena *a, const fr_symbols *syms, const fr_token *t)
{
    bool glued = t->kind == FR_T_MINUS && t[1].start == t->start + 1;
    if (glued && t[1].kind == FR_T_INT) {
        return mt_strf(a, "Int(-%.*s)", MT_ARG(fr_text(syms, t[1].sym)));
    }
    if (glued && t[1].kind == FR_T_FLOAT) {
        return mt_strf(a, "Float(\"-%.*s\")", MT_ARG(fr_text(syms, t[1].sym)));
    }
    return fr_token_debug(a, syms, t);
}

/* At most so many bytes, never half a character: what people read stays short. */
static mt_str cut(mt_str text)
{
    enum { SHOWN = 60 };
    return mt_utf8_cut(text, SHOWN);
}

/* A sign that is glued to a number belongs to it for a reader, too. */
static mt_str number_words(mt_arena *a, const fr_symbols *syms, const fr_token *t,
                           const char *sign)
{
    return mt_strf(a, "the number %s%.*s", sign, MT_ARG(cut(fr_text(syms, t->sym))));
}

static mt_str text_words(mt_arena *a, const fr_symbols *syms, const fr_token *t)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "the text ");
    add_debug_text(&b, cut(fr_text(syms, t->sym)));
    mt_str kept = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return kept;
}

/* For people: what the token is, and its text, cut to what fits in a sentence. */
mt_str fr_found_words(mt_arena *a, const fr_symbols *syms, mt_str source,
                      const fr_token *t)
{
    bool glued = t->kind == FR_T_MINUS && t[1].start == t->start + 1 &&
                 (t[1].kind == FR_T_INT || t[1].kind == FR_T_FLOAT);
    switch (t->kind) {
    case FR_T_EOF: return MT_STR("the end of the file");
    case FR_T_STR: return text_words(a, syms, t);
    case FR_T_INT:
    case FR_T_FLOAT: return number_words(a, syms, t, "");
    default: break;
    }
    mt_str written = mt_str_from(source.ptr + t->start, fr_token_len(source, t));
    return glued ? number_words(a, syms, t + 1, "-")
                 : mt_strf(a, "'%.*s'", MT_ARG(cut(written)));
}
