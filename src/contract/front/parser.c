/* contract/front/parser.c - tokens, bodies and recovery: what every construct needs.
 *
 * A body is a list of fields read through a table's function (fr_body), in any order,
 * each once. A fault is reported where it is, and parsing goes on at the next field of
 * the same body, or at the next construct, so that one run shows many faults; `broken`
 * marks a construct that later passes must leave alone.
 *
 * INVARIANT: every loop moves forward by at least one token, also after a fault. Where
 * a construct begins is told by its first three tokens and by standing first on its
 * line, so a forgotten bracket does not swallow the rest of the file. Depth is counted
 * by fr_enter() and bounded by source_depth.
 *
 * Faults are diagnostics of pass 0. Nodes live in the unit's arena and refer to tokens
 * by number. */
#include "contract/front/parser.h"

/* What a token does to the nesting; the kinds of brackets are not told apart, since a
 * wrong one is reported where it is met. */
const int8_t FR_NEST[FR_TOKEN_KINDS] = {
    [FR_T_LBRACE] = 1,  [FR_T_LBRACKET] = 1,  [FR_T_LPAREN] = 1,
    [FR_T_RBRACE] = -1, [FR_T_RBRACKET] = -1, [FR_T_RPAREN] = -1,
};

/* As messages name what should stand there; only what fr_take() is called with. */
static const char *const KIND_TEXT[FR_TOKEN_KINDS] = {
    [FR_T_COLON] = "':'",    [FR_T_LBRACE] = "'{'", [FR_T_RBRACE] = "'}'",
    [FR_T_LPAREN] = "'('",   [FR_T_RPAREN] = "')'", [FR_T_LBRACKET] = "'['",
    [FR_T_RBRACKET] = "']'", [FR_T_COMMA] = "','",  [FR_T_EQ] = "'='",
};

static fr_place here(const fr_parser *p)
{
    return (fr_place){.file = p->file, .tok = fr_here(p)};
}

/* FR_T_BAD was reported by the lexer: one fault, one message. */
bool fr_syntax(fr_parser *p, const char *message, const char *hint)
{
    p->broken = true;
    if (fr_peek(p) != FR_T_BAD) {
        fr_place at = here(p);
        at.hint = hint;
        fr_report(p->u, FR_E_PARSE_EXPECTED, at, "%s", message);
    }
    return false;
}

/* The found token is spelled as the suite spells it: Word("x"), LBrace. */
bool fr_expected_hint(fr_parser *p, const char *what, const char *hint)
{
    mt_str got = fr_found_debug(p->a, &p->u->syms, p->t);
    return fr_syntax(p, mt_strf(p->a, "expected %s, got %.*s", what, MT_ARG(got)).ptr,
                     hint);
}

bool fr_expected(fr_parser *p, const char *what)
{
    return fr_expected_hint(p, what, NULL);
}

/* Only the first missing field of a construct is reported: callers stop at false. */
bool fr_missing(fr_parser *p, fr_tok at, const char *what, const char *field)
{
    p->broken = true;
    fr_report(p->u, FR_E_PARSE_MISSING, (fr_place){.file = p->file, .tok = at},
              "%s missing %s", what, field);
    return false;
}

bool fr_expected_kind(fr_parser *p, fr_token_kind kind)
{
    return fr_expected(p, kind == FR_T_WORD ? "identifier" : KIND_TEXT[kind]);
}

bool fr_take_str(fr_parser *p, fr_name *out)
{
    if (fr_peek(p) != FR_T_STR) {
        return fr_expected(p, "string literal");
    }
    *out = (fr_name){p->t->sym, fr_here(p)};
    fr_advance(p);
    return true;
}

bool fr_take_int(fr_parser *p, int64_t *out)
{
    /* Behind a number a sign is read as an operator: Int(-9 -1) has no comma. */
    bool negative = fr_peek(p) == FR_T_MINUS && p->t[1].kind == FR_T_INT &&
                    p->t[-1].kind == FR_T_INT;
    if (negative) {
        fr_advance(p);
    }
    if (fr_peek(p) != FR_T_INT) {
        return fr_expected(p, "integer");
    }
    int64_t value = fr_int_value(&p->u->syms, p->t->sym);
    *out = negative ? -value : value;
    fr_advance(p);
    return true;
}

bool fr_take_the_word(fr_parser *p, fr_sym word)
{
    if (!fr_is_word(p, word)) {
        mt_str text = fr_str(p->u, word);
        return fr_expected(p, mt_strf(p->a, "'%.*s'", MT_ARG(text)).ptr);
    }
    fr_advance(p);
    return true;
}

/* Two tokens are looked at before one is taken: `min` alone may be a value. */
bool fr_accept_label(fr_parser *p, fr_sym word)
{
    if (!fr_is_word(p, word) || fr_peek_at(p, 1) != FR_T_COLON) {
        return false;
    }
    fr_advance(p);
    fr_advance(p);
    return true;
}

/* At the end of the file the reader fails, so the loop ends. Items do not recover: the
 * first fault ends the list and the loop over fields goes on behind it. */
bool fr_read_list(fr_parser *p, fr_item_reader read, void *list)
{
    if (!fr_take(p, FR_T_LBRACKET)) {
        return false;
    }
    while (fr_peek(p) != FR_T_RBRACKET) {
        if (!read(p, list)) {
            return false;
        }
        fr_accept(p, FR_T_COMMA);
    }
    fr_advance(p);
    return true;
}

static bool read_word_item(fr_parser *p, void *list)
{
    fr_names *names = list;
    fr_name name;
    if (!fr_take_word(p, &name)) {
        return false;
    }
    *mt_vec_add(p->a, names) = name;
    return true;
}

bool fr_take_words(fr_parser *p, fr_names *out)
{
    *out = (fr_names){0};
    return fr_read_list(p, read_word_item, out);
}

/* Called by every function that can meet itself again, so the C stack is bounded by the
 * limit and not by the file. */
bool fr_enter(fr_parser *p)
{
    if (MT_LIKELY(p->depth < p->u->limits->source_depth)) {
        p->depth++;
        return true;
    }
    p->broken = true;
    fr_report(p->u, FR_E_PARSE_DEPTH, here(p),
              "nested deeper than %zu levels (limit source_depth)",
              p->u->limits->source_depth);
    return false;
}

/* ---- recovery ---- */

/* Words are not reserved: `fact` may be a field or a name. First on its line, followed
 * by what a head looks like, is what nobody writes inside a body. `persona:` is a field
 * of steps, hence the colon. */
bool fr_at_construct(const fr_parser *p)
{
    if (fr_peek(p) != FR_T_WORD || !fr_is_construct_word(p->t->sym)) {
        return false;
    }
    bool first_on_line = p->t == p->first || p->t[-1].line < p->t->line;
    fr_token_kind second = fr_peek_at(p, 1), third = fr_peek_at(p, 2);
    switch (p->t->sym) {
    case FR_W_import: return first_on_line && second == FR_T_STR;
    case FR_W_persona:
        return first_on_line && second == FR_T_WORD && third != FR_T_COLON;
    case FR_W_type:
        return first_on_line && second == FR_T_WORD &&
               (third == FR_T_LBRACE || third == FR_T_EQ);
    default: return first_on_line && second == FR_T_WORD && third == FR_T_LBRACE;
    }
}

/* Skips to the next field at nesting `nest`, or to the bracket that ends the body.
 * False: the body does not go on. Falling below the nesting of the body means that its
 * bracket was closed by what was skipped. */
static bool recover(fr_parser *p, int nest, fr_token_kind close)
{
    for (;; fr_advance(p)) {
        if (fr_peek(p) == FR_T_EOF || p->nest < nest || fr_at_construct(p)) {
            return false;
        }
        if (p->nest == nest && fr_peek(p) == close) {
            return true;
        }
        if (p->nest == nest && fr_peek(p) == FR_T_WORD &&
            fr_peek_at(p, 1) == FR_T_COLON) {
            return true;
        }
    }
}

bool fr_was_seen(const fr_seen *seen, fr_sym field)
{
    unsigned bit = field - FR_W_import;
    return bit < 128 && seen->bits[bit / 64] >> bit % 64 & 1;
}

/* True: seen before. */
static bool see(fr_seen *seen, fr_sym field)
{
    unsigned bit = field - FR_W_import;
    if (bit >= 128) {
        return false;
    }
    bool before = seen->bits[bit / 64] >> bit % 64 & 1;
    seen->bits[bit / 64] |= (uint64_t)1 << bit % 64;
    return before;
}

/* Advice for fields that other languages have; NULL: the row's hint. Mistakes that the
 * specification itself names (§9.4, §11.2). */
static const char *field_advice(const char *what, mt_str field)
{
    static const struct {
        const char *what, *field, *hint;
    } ROWS[] = {
        {"Operation field", "produce",
         "verdicts are produced by rules; produce it in one"},
        {"Operation field", "verdict",
         "verdicts are produced by rules; produce it in one"},
        {"JoinPolicy field", "first_success",
         "all branches run to their end: use on_all_success, on_any_failure or "
         "on_all_complete"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (!strcmp(what, ROWS[i].what) && mt_str_eq(field, mt_str_z(ROWS[i].field))) {
            return ROWS[i].hint;
        }
    }
    return NULL;
}

/* Shown at the value: the word and its colon are consumed by then. */
bool fr_unknown_field(fr_parser *p, const char *what, fr_sym field)
{
    p->broken = true;
    fr_place at = here(p);
    at.hint = field_advice(what, fr_str(p->u, field));
    fr_report(p->u, FR_E_PARSE_FIELD, at, "unknown %s '%.*s'", what,
              FR_ARG(p->u, field));
    return false;
}

void fr_repeated(fr_parser *p, fr_tok tok, fr_sym field)
{
    fr_report(p->u, FR_E_PARSE_REPEATED, (fr_place){.file = p->file, .tok = tok},
              "field '%.*s' is given twice", FR_ARG(p->u, field));
}

/* A field that stands twice is reported, and read again: the last one counts. */
static bool read_field(fr_parser *p, const fr_body *body, void *node, fr_seen *seen)
{
    fr_name field = {0};
    if (!fr_take_word(p, &field) || !fr_take(p, FR_T_COLON)) {
        return false;
    }
    if (seen && see(seen, field.sym)) {
        fr_repeated(p, field.tok, field.sym);
    }
    switch (body->read(p, node, field.sym, field.tok)) {
    case FR_FIELD_OK: break;
    case FR_FIELD_FAILED: p->broken = true; return false;
    case FR_FIELD_UNKNOWN:
        fr_unknown_field(p,
                         body->unknown ? body->unknown
                                       : mt_strf(p->a, "%s field", body->what).ptr,
                         field.sym);
        return false;
    }
    if (body->commas) {
        fr_accept(p, FR_T_COMMA);
    }
    return true;
}

/* A reader that fails may have consumed nothing: then a word is stepped over, or the
 * same field would be read for ever. */
bool fr_read_body(fr_parser *p, const fr_body *body, void *node, fr_seen *seen)
{
    int nest = p->nest;
    while (fr_peek(p) != body->close) {
        const fr_token *before = p->t;
        if (read_field(p, body, node, seen)) {
            continue;
        }
        if (p->t == before && p->nest == nest && fr_peek(p) == FR_T_WORD) {
            fr_advance(p); /* always forward */
        }
        if (!recover(p, nest, body->close)) {
            return false;
        }
    }
    fr_advance(p);
    return true;
}

/* `size` is that of the struct that begins with the head. A construct without a name is
 * kept, broken; see fr_parse(). */
fr_construct *fr_new_construct(fr_parser *p, fr_kind kind, size_t size)
{
    fr_construct *c = mt_zalloc(p->a, size);
    c->kind = (uint8_t)kind;
    c->file = p->file;
    c->tok = fr_here(p);
    fr_advance(p);
    fr_name id = {0};
    if (!fr_take_word(p, &id)) {
        c->broken = true;
        return c;
    }
    c->id = id.sym;
    c->id_tok = id.tok;
    return c;
}
