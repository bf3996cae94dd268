/* contract/front/parser.c - tokens, bodies and recovery: what every construct needs. */
#include "contract/front/parser.h"

const int8_t CT_NEST[CT_TOKEN_KINDS] = {
    [CT_T_LBRACE] = 1,  [CT_T_LBRACKET] = 1,  [CT_T_LPAREN] = 1,
    [CT_T_RBRACE] = -1, [CT_T_RBRACKET] = -1, [CT_T_RPAREN] = -1,
};

static const char *const KIND_TEXT[CT_TOKEN_KINDS] = {
    [CT_T_COLON] = "':'",    [CT_T_LBRACE] = "'{'", [CT_T_RBRACE] = "'}'",
    [CT_T_LPAREN] = "'('",   [CT_T_RPAREN] = "')'", [CT_T_LBRACKET] = "'['",
    [CT_T_RBRACKET] = "']'", [CT_T_COMMA] = "','",  [CT_T_EQ] = "'='",
};

static ct_place here(const ct_parser *p)
{
    return (ct_place){.file = p->file, .tok = ct_here(p)};
}

bool ct_syntax(ct_parser *p, const char *message, const char *hint)
{
    p->broken = true;
    if (ct_peek(p) != CT_T_BAD) {
        ct_place at = here(p);
        at.hint = hint;
        ct_report(p->u, CT_E_PARSE_EXPECTED, at, "%s", message);
    }
    return false;
}

bool ct_expected_hint(ct_parser *p, const char *what, const char *hint)
{
    mt_str got = ct_found_debug(p->a, &p->u->syms, p->t);
    return ct_syntax(p, mt_strf(p->a, "expected %s, got %.*s", what, MT_ARG(got)).ptr,
                     hint);
}

bool ct_expected(ct_parser *p, const char *what)
{
    return ct_expected_hint(p, what, NULL);
}

bool ct_missing(ct_parser *p, ct_tok at, const char *what, const char *field)
{
    p->broken = true;
    ct_report(p->u, CT_E_PARSE_MISSING, (ct_place){.file = p->file, .tok = at},
              "%s missing %s", what, field);
    return false;
}

bool ct_expected_kind(ct_parser *p, ct_token_kind kind)
{
    return ct_expected(p, kind == CT_T_WORD ? "identifier" : KIND_TEXT[kind]);
}

bool ct_take_str(ct_parser *p, ct_name *out)
{
    if (ct_peek(p) != CT_T_STR) {
        return ct_expected(p, "string literal");
    }
    *out = (ct_name){p->t->sym, ct_here(p)};
    ct_advance(p);
    return true;
}

bool ct_take_int(ct_parser *p, int64_t *out)
{
    /* Behind a number a sign is read as an operator: Int(-9 -1) has no comma. */
    bool negative = ct_peek(p) == CT_T_MINUS && p->t[1].kind == CT_T_INT &&
                    p->t[-1].kind == CT_T_INT;
    if (negative) {
        ct_advance(p);
    }
    if (ct_peek(p) != CT_T_INT) {
        return ct_expected(p, "integer");
    }
    int64_t value = ct_int_value(&p->u->syms, p->t->sym);
    *out = negative ? -value : value;
    ct_advance(p);
    return true;
}

bool ct_take_the_word(ct_parser *p, ct_sym word)
{
    if (!ct_is_word(p, word)) {
        mt_str text = ct_str(p->u, word);
        return ct_expected(p, mt_strf(p->a, "'%.*s'", MT_ARG(text)).ptr);
    }
    ct_advance(p);
    return true;
}

bool ct_accept_label(ct_parser *p, ct_sym word)
{
    if (!ct_is_word(p, word) || ct_peek_at(p, 1) != CT_T_COLON) {
        return false;
    }
    ct_advance(p);
    ct_advance(p);
    return true;
}

bool ct_read_list(ct_parser *p, ct_item_reader read, void *list)
{
    if (!ct_take(p, CT_T_LBRACKET)) {
        return false;
    }
    while (ct_peek(p) != CT_T_RBRACKET) {
        if (!read(p, list)) {
            return false;
        }
        ct_accept(p, CT_T_COMMA);
    }
    ct_advance(p);
    return true;
}

static bool read_word_item(ct_parser *p, void *list)
{
    ct_names *names = list;
    ct_name name;
    if (!ct_take_word(p, &name)) {
        return false;
    }
    *mt_vec_add(p->a, names) = name;
    return true;
}

bool ct_take_words(ct_parser *p, ct_names *out)
{
    *out = (ct_names){0};
    return ct_read_list(p, read_word_item, out);
}

bool ct_enter(ct_parser *p)
{
    if (MT_LIKELY(p->depth < p->u->limits->source_depth)) {
        p->depth++;
        return true;
    }
    p->broken = true;
    ct_report(p->u, CT_E_PARSE_DEPTH, here(p),
              "nested deeper than %zu levels (limit source_depth)",
              p->u->limits->source_depth);
    return false;
}

/* ---- recovery ---- */

bool ct_at_construct(const ct_parser *p)
{
    if (ct_peek(p) != CT_T_WORD || !ct_is_construct_word(p->t->sym)) {
        return false;
    }
    bool first_on_line = p->t == p->first || p->t[-1].line < p->t->line;
    ct_token_kind second = ct_peek_at(p, 1), third = ct_peek_at(p, 2);
    switch (p->t->sym) {
    case CT_W_import: return first_on_line && second == CT_T_STR;
    case CT_W_persona:
        return first_on_line && second == CT_T_WORD && third != CT_T_COLON;
    case CT_W_type:
        return first_on_line && second == CT_T_WORD &&
               (third == CT_T_LBRACE || third == CT_T_EQ);
    default: return first_on_line && second == CT_T_WORD && third == CT_T_LBRACE;
    }
}

/* Skips to the next field at nesting `nest`, or to the bracket that ends the body.
 * False: the body does not go on. */
static bool recover(ct_parser *p, int nest, ct_token_kind close)
{
    for (;; ct_advance(p)) {
        if (ct_peek(p) == CT_T_EOF || p->nest < nest || ct_at_construct(p)) {
            return false;
        }
        if (p->nest == nest && ct_peek(p) == close) {
            return true;
        }
        if (p->nest == nest && ct_peek(p) == CT_T_WORD &&
            ct_peek_at(p, 1) == CT_T_COLON) {
            return true;
        }
    }
}

bool ct_was_seen(const ct_seen *seen, ct_sym field)
{
    unsigned bit = field - CT_W_import;
    return bit < 128 && seen->bits[bit / 64] >> bit % 64 & 1;
}

static bool see(ct_seen *seen, ct_sym field)
{
    unsigned bit = field - CT_W_import;
    if (bit >= 128) {
        return false;
    }
    bool before = seen->bits[bit / 64] >> bit % 64 & 1;
    seen->bits[bit / 64] |= (uint64_t)1 << bit % 64;
    return before;
}

/* Advice for fields that other languages have; NULL: the row's hint. */
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

bool ct_unknown_field(ct_parser *p, const char *what, ct_sym field)
{
    p->broken = true;
    ct_place at = here(p);
    at.hint = field_advice(what, ct_str(p->u, field));
    ct_report(p->u, CT_E_PARSE_FIELD, at, "unknown %s '%.*s'", what,
              CT_ARG(p->u, field));
    return false;
}

void ct_repeated(ct_parser *p, ct_tok tok, ct_sym field)
{
    ct_report(p->u, CT_E_PARSE_REPEATED, (ct_place){.file = p->file, .tok = tok},
              "field '%.*s' is given twice", CT_ARG(p->u, field));
}

static bool read_field(ct_parser *p, const ct_body *body, void *node, ct_seen *seen)
{
    ct_name field = {0};
    if (!ct_take_word(p, &field) || !ct_take(p, CT_T_COLON)) {
        return false;
    }
    if (seen && see(seen, field.sym)) {
        ct_repeated(p, field.tok, field.sym);
    }
    switch (body->read(p, node, field.sym, field.tok)) {
    case CT_FIELD_OK: break;
    case CT_FIELD_FAILED: p->broken = true; return false;
    case CT_FIELD_UNKNOWN:
        ct_unknown_field(p,
                         body->unknown ? body->unknown
                                       : mt_strf(p->a, "%s field", body->what).ptr,
                         field.sym);
        return false;
    }
    if (body->commas) {
        ct_accept(p, CT_T_COMMA);
    }
    return true;
}

bool ct_read_body(ct_parser *p, const ct_body *body, void *node, ct_seen *seen)
{
    int nest = p->nest;
    while (ct_peek(p) != body->close) {
        const ct_token *before = p->t;
        if (read_field(p, body, node, seen)) {
            continue;
        }
        if (p->t == before && p->nest == nest && ct_peek(p) == CT_T_WORD) {
            ct_advance(p); /* always forward */
        }
        if (!recover(p, nest, body->close)) {
            return false;
        }
    }
    ct_advance(p);
    return true;
}

ct_construct *ct_new_construct(ct_parser *p, ct_kind kind, size_t size)
{
    ct_construct *c = mt_zalloc(p->a, size);
    c->kind = (uint8_t)kind;
    c->file = p->file;
    c->tok = ct_here(p);
    ct_advance(p);
    ct_name id = {0};
    if (!ct_take_word(p, &id)) {
        c->broken = true;
        return c;
    }
    c->id = id.sym;
    c->id_tok = id.tok;
    return c;
}
