/* contract/front/parser.c - tokens, bodies and recovery: what every construct needs.
 *
 * A body is a list of fields read through a table's function (fr_body), in any order,
 * each once. A fault is reported where it is (parser_fault.c), and parsing goes on at
 * the next field of the same body, or at the next construct, so that one run shows many
 * faults; `broken` marks a construct that later passes must leave alone. After a slip
 * (parser_slips.c) it is known what was meant, and the construct is not broken.
 *
 * INVARIANT: every loop moves forward by at least one token, also after a fault. Where
 * a construct begins is told by its first three tokens and by standing first on its
 * line, so a forgotten bracket does not swallow the rest of the file. Depth is counted
 * by fr_enter() and bounded by source_depth.
 *
 * Faults are diagnostics of pass 0. Nodes live in the unit's arena and refer to tokens
 * by number. */
#include "contract/front/parser.h"

/* As messages name what should stand there; only what fr_take() is called with. */
static const char *const KIND_TEXT[FR_TOKEN_KINDS] = {
    [FR_T_COLON] = "':'",    [FR_T_LBRACE] = "'{'", [FR_T_RBRACE] = "'}'",
    [FR_T_LPAREN] = "'('",   [FR_T_RPAREN] = "')'", [FR_T_LBRACKET] = "'['",
    [FR_T_RBRACKET] = "']'", [FR_T_COMMA] = "','",  [FR_T_EQ] = "'='",
};

bool fr_expected_kind(fr_parser *p, fr_token_kind kind)
{
    return fr_expected(p, kind == FR_T_WORD ? "identifier" : KIND_TEXT[kind]);
}

bool fr_no_word(fr_parser *p, fr_name *out)
{
    return fr_slip_quoted_name(p, out) || fr_expected(p, "identifier");
}

bool fr_take_str(fr_parser *p, fr_name *out)
{
    if (fr_peek(p) != FR_T_STR) {
        return fr_slip_bare_text(p, out) || fr_expected(p, "string literal");
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

/* A comma that the reader has met and reported is stepped over. */
static bool skip_comma(fr_parser *p, const fr_token *before, bool broken)
{
    if (p->t != before || fr_peek(p) != FR_T_COMMA) {
        return false;
    }
    p->broken = broken;
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
        const fr_token *before = p->t;
        bool broken = p->broken;
        if (!read(p, list)) {
            if (!skip_comma(p, before, broken)) {
                return false;
            }
            continue;
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
    return fr_too_deep(p, "source_depth", p->u->limits->source_depth);
}

bool fr_too_deep(fr_parser *p, const char *limit, size_t most)
{
    p->broken = true;
    fr_report(p->u, FR_E_PARSE_DEPTH, fr_where_at(p, fr_here(p)),
              "nested deeper than %zu levels (limit %s)", most, limit);
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
    unsigned bit = field - FR_W_FIRST_CONSTRUCT;
    return bit < 128 && seen->bits[bit / 64] >> bit % 64 & 1;
}

/* True: seen before. */
static bool see(fr_seen *seen, fr_sym field)
{
    unsigned bit = field - FR_W_FIRST_CONSTRUCT;
    if (bit >= 128) {
        return false;
    }
    bool before = seen->bits[bit / 64] >> bit % 64 & 1;
    seen->bits[bit / 64] |= (uint64_t)1 << bit % 64;
    return before;
}

static bool knows(const fr_body *body, fr_sym field)
{
    for (const fr_sym *f = body->fields; f && *f; f++) {
        if (*f == field) {
            return true;
        }
    }
    return false;
}

/* The colon of a field. Where a construct begins instead, the body before it was not
 * closed; it is left to whoever reads constructs. */
static bool take_colon(fr_parser *p, const fr_body *body, fr_name field)
{
    if (MT_LIKELY(fr_accept(p, FR_T_COLON))) {
        return true;
    }
    fr_parser at_field = *p;
    at_field.t = &p->first[field.tok];
    if (fr_at_construct(&at_field)) {
        fr_not_closed(p, field);
        p->t = at_field.t;
        return false;
    }
    return (knows(body, field.sym) && fr_slip_colon(p)) || fr_take(p, FR_T_COLON);
}

/* An unknown field that is near to a known one is read as that. */
static bool read_value(fr_parser *p, const fr_body *body, void *node, fr_name field,
                       fr_seen *seen)
{
    fr_sym meant;
    if (seen && see(seen, field.sym)) {
        fr_repeated(p, field.tok, field.sym);
    }
    fr_field_result result = body->read(p, node, field.sym, field.tok);
    if (result == FR_FIELD_UNKNOWN) {
        if (!fr_unknown_field(p, body, field, &meant)) {
            return false;
        }
        if (seen) {
            see(seen, meant);
        }
        result = body->read(p, node, meant, field.tok);
    }
    p->broken |= result != FR_FIELD_OK;
    return result == FR_FIELD_OK;
}

/* A field that stands twice is reported, and read again: the last one counts. */
static bool read_field(fr_parser *p, const fr_body *body, void *node, fr_seen *seen)
{
    fr_name field = {0};
    if (MT_UNLIKELY(fr_peek(p) == FR_T_COMMA) && fr_slip_comma(p, "identifier")) {
        return true;
    }
    if (!fr_take_word(p, &field) || !take_colon(p, body, field)) {
        return false;
    }
    fr_path inner = {p->path, field};
    p->path = &inner;
    bool ok = read_value(p, body, node, field, seen);
    p->path = inner.around;
    p->last = field.sym;
    if (ok && body->commas) {
        fr_accept(p, FR_T_COMMA);
    }
    return ok;
}

/* Behind a fault: a field whose word was taken for a value is read as a field. */
static void step_back(fr_parser *p, const fr_token *before)
{
    if (fr_peek(p) == FR_T_COLON && p->t - before > 2 && p->t[-1].kind == FR_T_WORD &&
        p->t[-2].line < p->t[-1].line) {
        p->t--;
    }
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
        if (p->t == before && p->nest == nest && fr_peek(p) == FR_T_WORD &&
            !fr_at_construct(p)) {
            fr_advance(p); /* always forward */
        }
        step_back(p, before);
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
    c->tok = c->id_tok = fr_here(p);
    p->construct = c;
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
