/* contract/front/parser_slips.c - slips made of tokens the language has: `==`, `AND`,
 * 1 <= i <= 3, a comma between fields.
 *
 * Each is reported with the words and the line that the suite has for it, which are
 * those of a parser that does not know what was meant; people are told what was meant,
 * with the edit that makes it so. Then parsing goes on as if the edit had been made,
 * and the construct is not broken: the faults behind the slip are found, and nothing
 * false is said because of it.
 *
 * Words are compared by text, after everything the language knows has been tried. None
 * of them is reserved: `AND` is a slip only where a name could not stand. */
#include "contract/front/parser.h"

/* ---- what the suite says ---- */

/* The fault that the suite has when an operand ends before the n-th token from here: in
 * parentheses that one is missing, otherwise a field should follow. */
static void report_after_operand(fr_parser *p, uint32_t n, fr_place at)
{
    fr_tok last = p->file->tokens.count - 1, tok = fr_here(p) + n;
    const char *what = p->parentheses ? "')'" : "identifier";
    tok = tok < last ? tok : last;
    if (!p->parentheses && p->first[tok].kind == FR_T_WORD) {
        what = "':'";
        tok += tok < last;
    }
    at.file = p->file;
    at.tok = tok;
    fr_report(p->u, FR_E_PARSE_EXPECTED, at, "expected %s, got %.*s", what,
              MT_ARG(fr_found_debug(p->a, &p->u->syms, &p->first[tok])));
}

static void report_expected(fr_parser *p, fr_place at, const char *what)
{
    fr_report(p->u, FR_E_PARSE_EXPECTED, at, "expected %s, got %.*s", what,
              MT_ARG(fr_found_debug(p->a, &p->u->syms, p->t)));
}

/* The run of tokens that is replaced by `text`, and what is said about it. People see
 * the run of tokens and "unexpected '=='"; the suite sees the token we are at. `sure`
 * says whether motet check --fix may make the edit unasked. */
static fr_place mended(fr_parser *p, fr_tok first, fr_tok last, mt_str text, bool sure)
{
    fr_place at = fr_exactly(fr_where_at(p, fr_here(p)), first, last);
    at.exact.fix = fr_fix(p->u, p->file, first, last, text, sure);
    at.exact.message = fr_said(p->u, "unexpected '%.*s'",
                               MT_ARG(fr_source_text(p->file, (fr_span){first, last})));
    return at;
}

/* Nothing stands between it and the next token: `= =` is not the same slip as `==`. */
static bool touches(const fr_token *t)
{
    return t[1].start == t->start + t->len;
}

/* ---- comparisons ---- */

static const struct {
    uint8_t first, second, meant;
    bool sure;
    const char *text, *hint;
} COMPARISONS[] = {
    {FR_T_EQ, FR_T_EQ, FR_T_EQ, true, "=", "equality is one sign: ="},
    {FR_T_NEQ, FR_T_EQ, FR_T_NEQ, true, "!=", "inequality is written !="},
    {FR_T_LT, FR_T_GT, FR_T_NEQ, true, "!=", "inequality is written !="},
    {FR_T_EQ, FR_T_LT, FR_T_LTE, true, "<=", "'at most' is written <="},
    {FR_T_EQ, FR_T_GT, FR_T_GTE, false,
     ">=", "'at least' is written >=; for 'a implies b' write: not a or b"},
};

/* ORDER: the comparison signs are tokens in a row, from FR_T_EQ to FR_T_GTE. */
static bool is_sign(const fr_token *t)
{
    return t->kind >= FR_T_EQ && t->kind <= FR_T_GTE;
}

/* Consumes all signs that touch each other: `===` is one slip. */
fr_token_kind fr_slip_comparison(fr_parser *p, fr_token_kind op)
{
    const fr_token *sign = p->t - 1;
    if (MT_LIKELY(!is_sign(p->t) || !touches(sign))) {
        return op;
    }
    for (size_t i = 0; i < sizeof COMPARISONS / sizeof *COMPARISONS; i++) {
        if (COMPARISONS[i].first != sign->kind || COMPARISONS[i].second != p->t->kind) {
            continue;
        }
        fr_tok last = fr_here(p);
        while (touches(&p->first[last]) && is_sign(&p->first[last + 1])) {
            last++;
        }
        fr_place at = mended(p, fr_here(p) - 1, last, mt_str_z(COMPARISONS[i].text),
                             COMPARISONS[i].sure);
        at.hint = COMPARISONS[i].hint;
        report_expected(p, at, "term");
        p->t = &p->first[last + 1];
        return (fr_token_kind)COMPARISONS[i].meant;
    }
    return op;
}

/* `1 <= i <= 3`: the fix repeats the middle operand with `and`, as the author would. A
 * long middle is cut in the hint, never in the edit. */
void fr_slip_chain(fr_parser *p, const fr_expr *middle)
{
    fr_tok here = fr_here(p);
    fr_span span = fr_balanced(p->file, (fr_span){middle->tok, here - 1});
    mt_str text = fr_source_text(p->file, span);
    fr_place at = fr_exactly(fr_where_at(p, here), here, here);
    at.exact.fix = fr_fix(p->u, p->file, here, here - 1,
                          fr_said(p->u, "and %.*s ", MT_ARG(text)), true);
    at.exact.message = MT_STR("comparisons cannot be chained");
    at.hint = fr_said(p->u, "compare twice: ... and %.*s ...",
                      (int)(text.len < 60 ? text.len : 60), text.ptr)
                  .ptr;
    report_after_operand(p, 0, at);
}

/* ---- words ---- */

typedef struct word_slip {
    const char *word; /* in lower case */
    uint8_t kind;     /* what is meant */
    const char *text; /* what to write; NULL: that depends */
    const char *hint;
} word_slip;

/* Where nothing can be written instead there is only advice, and no edit; parsing goes
 * on as if `or` stood there. */
static const word_slip OPERATORS[] = {
    {"and", FR_T_AND, "and", "operators are written in small letters"},
    {"or", FR_T_OR, "or", "operators are written in small letters"},
    {"xor", FR_T_OR, NULL, "write: (a or b) and not (a and b)"},
    {"implies", FR_T_OR, NULL, "for 'a implies b' write: not a or b"},
};

static const char NO_CHOICE[] =
    "a condition only holds or does not: write a rule for each case, with the "
    "condition in when, and read their verdicts";

/* FR_T_BAD: nothing is meant that the language has. */
static const word_slip OPERANDS[] = {
    {"not", FR_T_NOT, "not", "operators are written in small letters"},
    {"forall", FR_T_FORALL, "forall", "operators are written in small letters"},
    {"exists", FR_T_EXISTS, "exists", "operators are written in small letters"},
    {"for", FR_T_FORALL, "forall",
     "'for every element' is written forall x in list . ..."},
    {"all", FR_T_FORALL, "forall",
     "'for every element' is written forall x in list . ..."},
    {"every", FR_T_FORALL, "forall",
     "'for every element' is written forall x in list . ..."},
    {"any", FR_T_EXISTS, "exists",
     "'for some element' is written exists x in list . ..."},
    {"some", FR_T_EXISTS, "exists",
     "'for some element' is written exists x in list . ..."},
    {"if", FR_T_BAD, NULL, NO_CHOICE},
    {"case", FR_T_BAD, NULL, NO_CHOICE},
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same_word(mt_str word, const char *lower_case)
{
    size_t i = 0;
    while (i < word.len && lower_case[i] && lower(word.ptr[i]) == lower_case[i]) {
        i++;
    }
    return i == word.len && !lower_case[i];
}

/* A word that is spelled as the language has it is not a slip, whatever follows. */
static const word_slip *find_word(const fr_parser *p, const word_slip *rows,
                                  size_t count)
{
    mt_str word = fr_str(p->u, p->t->sym);
    for (size_t i = 0; i < count; i++) {
        if (is_same_word(word, rows[i].word)) {
            bool ours = rows[i].text && mt_str_eq(word, mt_str_z(rows[i].text));
            return ours ? NULL : &rows[i];
        }
    }
    return NULL;
}

/* Behind an operand a word is an operator or the next field, with its colon; what is
 * neither is a fault, and perhaps a slip. */
static const word_slip *operator_here(const fr_parser *p)
{
    if (fr_peek(p) != FR_T_WORD || fr_peek_at(p, 1) == FR_T_COLON) {
        return NULL;
    }
    return find_word(p, OPERATORS, sizeof OPERATORS / sizeof *OPERATORS);
}

bool fr_at_slip_operator(const fr_parser *p, fr_token_kind kind)
{
    const word_slip *w = operator_here(p);
    return w && w->kind == kind;
}

static void report_word(fr_parser *p, const word_slip *w, uint32_t n)
{
    fr_tok here = fr_here(p);
    fr_place at = fr_exactly(fr_where_at(p, here), here, here);
    at.hint = w->hint;
    at.exact.message =
        fr_said(p->u, "'%.*s' is not an operator", FR_ARG(p->u, p->t->sym));
    if (w->text) {
        at.exact.fix = fr_fix(p->u, p->file, here, here, mt_str_z(w->text), true);
    }
    report_after_operand(p, n, at);
}

void fr_slip_operator(fr_parser *p, fr_token_kind kind)
{
    const word_slip *w = operator_here(p);
    if (w && kind == (fr_token_kind)w->kind) {
        report_word(p, w, 0);
    }
}

/* A name is followed by an operator, a comparison, a bracket or the end, never by
 * another name or number. */
static bool an_operand_follows(const fr_parser *p)
{
    fr_token_kind next = fr_peek_at(p, 1);
    if (next == FR_T_WORD) {
        fr_sym word = p->t[1].sym;
        return fr_peek_at(p, 2) != FR_T_COLON && word != FR_W_and && word != FR_W_or &&
               word != FR_W_in && word != FR_W_present;
    }
    return next == FR_T_INT || next == FR_T_FLOAT || next == FR_T_STR ||
           next == FR_T_FORALL || next == FR_T_EXISTS;
}

/* forall x in list, whatever it is called. */
static bool a_binder_follows(const fr_parser *p)
{
    return fr_peek_at(p, 1) == FR_T_WORD &&
           (fr_peek_at(p, 2) == FR_T_IN ||
            (fr_peek_at(p, 2) == FR_T_WORD && p->t[2].sym == FR_W_in));
}

/* `for`, `all` and their like are names that contracts may use; only with a variable
 * and `in` behind them can a quantifier be meant. */
static const word_slip *operand_here(const fr_parser *p)
{
    bool call = fr_peek_at(p, 1) == FR_T_LPAREN;
    if (fr_peek(p) != FR_T_WORD || p->t->sym == FR_W_verdict_present ||
        (!call && !an_operand_follows(p))) {
        return NULL;
    }
    const word_slip *w = find_word(p, OPERANDS, sizeof OPERANDS / sizeof *OPERANDS);
    bool binds = w && (w->kind == FR_T_FORALL || w->kind == FR_T_EXISTS);
    return binds && !a_binder_follows(p) ? NULL : w;
}

fr_token_kind fr_at_slip_operand(const fr_parser *p)
{
    const word_slip *w = operand_here(p);
    return w ? (fr_token_kind)w->kind : FR_T_EOF;
}

/* The suite takes the word for a fact, and `NOT (` for a call. */
void fr_slip_operand(fr_parser *p, fr_token_kind kind)
{
    const word_slip *w = operand_here(p);
    if (!w || (fr_token_kind)w->kind != kind) {
        return;
    }
    p->broken |= kind == FR_T_BAD;
    if (fr_peek_at(p, 1) != FR_T_LPAREN) {
        report_word(p, w, 1);
        return;
    }
    fr_tok here = fr_here(p);
    fr_place at = fr_exactly(fr_where_at(p, here + 1), here, here);
    at.hint = w->hint;
    at.exact.message =
        fr_said(p->u, "'%.*s' is not an operator", FR_ARG(p->u, p->t->sym));
    if (w->text) {
        at.exact.fix = fr_fix(p->u, p->file, here, here, mt_str_z(w->text), true);
    }
    fr_report(p->u, FR_E_PARSE_COMPARISON, at,
              "expected comparison operator, got LParen");
}

/* *value is set in every case; it means something only when true is returned. */
bool fr_is_bool_slip(mt_str word, bool *value)
{
    *value = is_same_word(word, "true") || is_same_word(word, "yes");
    return *value || is_same_word(word, "false") || is_same_word(word, "no");
}

bool fr_slip_bool(fr_parser *p, bool *value)
{
    if (fr_peek(p) != FR_T_WORD || !fr_is_bool_slip(fr_str(p->u, p->t->sym), value)) {
        return false;
    }
    mt_str text = *value ? MT_STR("true") : MT_STR("false");
    fr_place at = mended(p, fr_here(p), fr_here(p), text, true);
    at.hint = fr_said(p->u, "write %.*s", MT_ARG(text)).ptr;
    report_expected(p, at, "literal value");
    fr_advance(p);
    return true;
}

/* ---- punctuation ---- */

bool fr_slip_dot(fr_parser *p)
{
    if (fr_peek(p) != FR_T_COLON && fr_peek(p) != FR_T_COMMA) {
        return false;
    }
    fr_place at = mended(p, fr_here(p), fr_here(p), MT_STR(" ."), true);
    at.hint =
        "a dot with spaces stands between the list and the condition: forall x in "
        "list . x.paid";
    fr_report(p->u, FR_E_PARSE_EXPECTED, at, "expected '.' after quantifier domain");
    fr_advance(p);
    return true;
}

mt_str fr_instead_of_comma(const fr_parser *p)
{
    bool alone = (p->t->flags | p->t[1].flags) & FR_TOK_SPACED;
    bool ends = p->t[1].kind == FR_T_EOF || FR_NEST[p->t[1].kind] < 0;
    return alone || ends ? MT_STR("") : MT_STR(" ");
}

bool fr_slip_comma(fr_parser *p, const char *what)
{
    if (fr_peek(p) != FR_T_COMMA) {
        return false;
    }
    fr_place at = mended(p, fr_here(p), fr_here(p), fr_instead_of_comma(p), true);
    bool twice = p->t > p->first && p->t[-1].kind == FR_T_COMMA;
    at.hint = twice ? "one comma is enough" : "no comma stands here; remove it";
    at.exact.message = MT_STR("unexpected comma");
    report_expected(p, at, what);
    fr_advance(p);
    return true;
}

/* The place is the token before, behind which the comma belongs. Nothing is consumed:
 * the list goes on with the word that is there. */
bool fr_slip_no_comma(fr_parser *p, const char *what)
{
    fr_tok here = fr_here(p);
    if (fr_peek(p) != FR_T_WORD) {
        return false;
    }
    fr_place at = fr_exactly(fr_where_at(p, here), here - 1, here - 1);
    mt_str before = fr_source_text(p->file, (fr_span){here - 1, here - 1});
    at.exact.fix = fr_fix(p->u, p->file, here - 1, here - 1,
                          fr_said(p->u, "%.*s,", MT_ARG(before)), true);
    at.exact.message =
        fr_said(p->u, "a comma is missing behind '%.*s'", MT_ARG(before));
    at.hint = "separate them by a comma";
    report_expected(p, at, what);
    return true;
}

/* `=>` for an arrow; the two signs must touch. */
bool fr_slip_arrow(fr_parser *p)
{
    bool fat = fr_peek(p) == FR_T_EQ && fr_peek_at(p, 1) == FR_T_GT && touches(p->t);
    if (!fat) {
        return false;
    }
    fr_place at = mended(p, fr_here(p), fr_here(p) + 1, MT_STR("->"), true);
    at.hint = "an arrow is written ->";
    report_expected(p, at, "'->'");
    fr_advance(p);
    fr_advance(p);
    return true;
}

/* Two words in a row, or another sign: type Bool, type = Bool. Only within a line: a
 * word on the next line is more likely the next field. */
bool fr_slip_colon(fr_parser *p)
{
    fr_tok here = fr_here(p);
    bool sign = fr_peek(p) == FR_T_EQ;
    bool value = fr_peek(p) == FR_T_WORD || fr_peek(p) == FR_T_STR ||
                 fr_peek(p) == FR_T_INT || fr_peek(p) == FR_T_LBRACKET;
    if (!sign && (!value || p->t[-1].line != p->t->line)) {
        return false;
    }
    fr_place at = sign ? mended(p, here, here, MT_STR(":"), true)
                       : fr_exactly(fr_where_at(p, here), here - 1, here - 1);
    if (!sign) {
        const fr_token *field = p->t - 1;
        at.exact.fix = fr_fix(p->u, p->file, here - 1, here - 1,
                              fr_said(p->u, "%.*s:", FR_ARG(p->u, field->sym)), true);
        at.exact.message =
            fr_said(p->u, "a colon is missing behind '%.*s'", FR_ARG(p->u, field->sym));
    }
    at.hint = "a field is written name: value";
    report_expected(p, at, "':'");
    if (sign) {
        fr_advance(p);
    }
    return true;
}

/* ---- quotes ---- */

static bool is_name_byte(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

static bool is_name(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_name_byte(text.ptr[i], i == 0)) {
            return false;
        }
    }
    return text.len > 0;
}

/* Text that could not be a name is not one in quotes. What the lexer has reported, such
 * as another kind of quotes, is not reported again. */
bool fr_slip_quoted_name(fr_parser *p, fr_name *out)
{
    if (fr_peek(p) != FR_T_STR || !is_name(fr_str(p->u, p->t->sym)) ||
        fr_was_reported(p)) {
        return false;
    }
    *out = (fr_name){p->t->sym, fr_here(p)};
    fr_place at = mended(p, fr_here(p), fr_here(p), fr_str(p->u, p->t->sym), true);
    at.exact.message = fr_said(p->u, "expected a name, found the text \"%.*s\"",
                               FR_ARG(p->u, p->t->sym));
    at.hint = "names are written without quotes";
    report_expected(p, at, "identifier");
    fr_advance(p);
    return true;
}

bool fr_slip_bare_text(fr_parser *p, fr_name *out)
{
    if (fr_peek(p) != FR_T_WORD || fr_peek_at(p, 1) == FR_T_DOT ||
        fr_peek_at(p, 1) == FR_T_COLON) {
        return false;
    }
    *out = (fr_name){p->t->sym, fr_here(p)};
    mt_str text = fr_said(p->u, "\"%.*s\"", FR_ARG(p->u, p->t->sym));
    fr_place at = mended(p, fr_here(p), fr_here(p), text, true);
    at.exact.message = fr_said(p->u, "expected text in double quotes, found '%.*s'",
                               FR_ARG(p->u, p->t->sym));
    at.hint = fr_said(p->u, "write %.*s", MT_ARG(text)).ptr;
    report_expected(p, at, "string literal");
    fr_advance(p);
    return true;
}
