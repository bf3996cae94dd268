/* contract/front/parser_fault.c - what the parser says when it meets something else
 * than it needs.
 *
 * The suite wants the token it spells LBrace, the line of that token, and nothing about
 * the construct; people are told the construct, the field, what stands there in their
 * own words, and the place where something is missing: when the next line goes on with
 * a field or a construct, that is behind the last token before it.
 *
 * One fault, one message: where the lexer has reported, nothing is said again. */
#include "contract/front/parser.h"
#include "contract/front/suggest.h"

/* ---- where ---- */

/* Rules have their condition and their verdict in a body (§7.1). */
static bool is_in_body(const fr_parser *p, fr_sym field)
{
    return p->construct && p->construct->kind == FR_RULE &&
           (field == FR_W_when || field == FR_W_produce);
}

/* "steps.review.on_failure": from the outside in, so the recursion writes on its way
 * back. */
static void add_path(mt_buf *out, const fr_parser *p, const fr_path *path)
{
    if (!path) {
        return;
    }
    add_path(out, p, path->around);
    if (!path->around && is_in_body(p, path->field.sym)) {
        mt_buf_addz(out, "body.");
    }
    mt_buf_addf(out, "%s%.*s", path->around ? "." : "", FR_ARG(p->u, path->field.sym));
}

/* As deep as bodies nest, which source_depth bounds. */
mt_str fr_path_text(const fr_parser *p, fr_sym last)
{
    if ((!p->path && !last) || !fr_is_heard(p->u)) {
        return (mt_str){0};
    }
    mt_buf text = {0};
    add_path(&text, p, p->path);
    if (last) {
        mt_buf_addf(&text, "%s%s%.*s", p->path ? "." : "",
                    !p->path && is_in_body(p, last) ? "body." : "", FR_ARG(p->u, last));
    }
    mt_str kept = mt_str_dup(p->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* For the suite the token, for people besides the construct and the path of fields. */
fr_place fr_where_at(const fr_parser *p, fr_tok tok)
{
    fr_place at = {.file = p->file, .tok = tok};
    at.exact.construct = p->construct;
    at.exact.field = fr_path_text(p, FR_W_none);
    return at;
}

/* Does the file go on here with something new, so that what is missing is missing
 * before? */
static bool begins_anew(const fr_parser *p)
{
    if (p->t == p->first || p->t[-1].line == p->t->line) {
        return false;
    }
    return fr_peek(p) == FR_T_EOF || FR_NEST[p->t->kind] < 0 || fr_at_construct(p) ||
           (fr_peek(p) == FR_T_WORD && fr_peek_at(p, 1) == FR_T_COLON);
}

/* `when: b =` and on the next line `produce:`, which was taken for a value. */
static bool took_a_field(const fr_parser *p)
{
    return fr_peek(p) == FR_T_COLON && p->t - p->first >= 2 &&
           p->t[-1].kind == FR_T_WORD && p->t[-2].line < p->t[-1].line;
}

/* Like fr_where_at() of the token we are at, but shown where something is missing. */
fr_place fr_where(const fr_parser *p)
{
    fr_tok here = fr_here(p);
    fr_place at = fr_where_at(p, here);
    if (took_a_field(p)) {
        return fr_exactly(at, here - 2, here - 2);
    }
    return begins_anew(p) ? fr_exactly(at, here - 1, here - 1) : at;
}

/* ---- what ---- */

/* What the suite calls it, what people do, and advice. */
static const struct {
    const char *suite, *words, *hint;
} WORDS[] = {
    {"identifier", "a name", NULL},
    {"string literal", "text in double quotes", NULL},
    {"integer", "a whole number", NULL},
    {"literal value", "a value such as 5, true or \"text\"",
     "no name stands here: text and values of an Enum are in double quotes"},
    {"term", "a value", "a value is a fact, a verdict or a literal"},
    {"',' or '->'/'->'''", "',' or '->'", "a transition is written (from, to)"},
    {"':'", "':'", "a field is written name: value"},
    {"'{'", "'{'", "what belongs to it stands in braces"},
    {"'}'", "'}'", "close the brace, or look for one that is closed too early"},
    {"'['", "'['", "a list stands in brackets: [a, b]"},
    {"')'", "')'", "close the parenthesis, or look for an operator that is missing"},
    {"'='", "'='", "a payload is written payload: Type = value"},
    {"'verdict'", "'verdict'",
     "write produce: verdict name { payload: Bool = true }, or in short name(true)"},
    {"'payload'", "'payload'",
     "write produce: verdict name { payload: Bool = true }, or in short name(true)"},
    {"'Terminal'", "'Terminal'", "here a flow can only end: Terminal(failure)"},
    {"'->'", "'->'", "an effect is written Entity: from -> to, or (Entity, from, to)"},
};

/* The row, or as many as there are: then the suite's word is shown as it is. */
static size_t words_of(const char *suite)
{
    size_t i = 0;
    while (i < sizeof WORDS / sizeof *WORDS && strcmp(WORDS[i].suite, suite) != 0) {
        i++;
    }
    return i;
}

static mt_str found_words(const fr_parser *p)
{
    return fr_found_words(p->a, &p->u->syms, p->file->text, p->t);
}

/* Always false, so that callers can return it. */
bool fr_syntax(fr_parser *p, const char *message, const char *hint)
{
    p->broken = true;
    if (!fr_was_reported(p)) {
        fr_place at = fr_where(p);
        at.hint = hint;
        fr_report(p->u, FR_E_PARSE_EXPECTED, at, "%s", message);
    }
    return false;
}

/* In a list: the reader of its items meets it, and the list goes on behind it. */
static bool is_stray_comma(const fr_parser *p)
{
    return fr_peek(p) == FR_T_COMMA && p->t > p->first &&
           (p->t[-1].kind == FR_T_COMMA || p->t[-1].kind == FR_T_LBRACKET);
}

static const char INCOMPLETE[] = "the condition before this field is not complete";

/* The found token is spelled as the suite spells it: Word("x"), LBrace. */
bool fr_expected_hint(fr_parser *p, const char *what, const char *hint)
{
    p->broken = true;
    if (fr_was_reported(p)) {
        return false;
    }
    size_t row = words_of(what);
    bool known = row < sizeof WORDS / sizeof *WORDS;
    fr_place at = fr_where(p);
    at.hint = hint ? hint : known ? WORDS[row].hint : NULL;
    at.exact.message = fr_said(p->u, "expected %s, found %.*s",
                               known ? WORDS[row].words : what, MT_ARG(found_words(p)));
    if (took_a_field(p)) {
        at.hint = INCOMPLETE;
        at.exact.field = p->path ? at.exact.field : fr_path_text(p, p->last);
        at.exact.message = fr_said(p->u, "expected a value, found the field '%.*s'",
                                   FR_ARG(p->u, p->t[-1].sym));
    }
    if (is_stray_comma(p)) {
        at.hint = "one comma is enough";
        at.exact.message = MT_STR("unexpected comma");
        at.exact.fix =
            fr_fix(p->u, p->file, at.tok, at.tok, fr_instead_of_comma(p), true);
    }
    fr_report(p->u, FR_E_PARSE_EXPECTED, at, "expected %s, got %.*s", what,
              MT_ARG(fr_found_debug(p->a, &p->u->syms, p->t)));
    return false;
}

bool fr_expected(fr_parser *p, const char *what)
{
    return fr_expected_hint(p, what, NULL);
}

/* A keyword of a construct where a field was expected: whatever is open should have
 * been closed before it. The suite only misses a colon behind the keyword. */
bool fr_not_closed(fr_parser *p, fr_name keyword)
{
    p->broken = true;
    fr_place at =
        fr_exactly(fr_where_at(p, fr_here(p)), keyword.tok - 1, keyword.tok - 1);
    at.hint = "close what stands before it with }";
    at.exact.message = fr_said(p->u, "expected '}' before '%.*s %.*s'",
                               FR_ARG(p->u, keyword.sym), FR_ARG(p->u, p->t->sym));
    fr_report(p->u, FR_E_PARSE_EXPECTED, at, "expected ':', got %.*s",
              MT_ARG(fr_found_debug(p->a, &p->u->syms, p->t)));
    return false;
}

/* An operand stands where a condition is wanted, and nothing compares it. */
bool fr_no_comparison(fr_parser *p, const char *hint)
{
    p->broken = true;
    if (fr_was_reported(p)) {
        return false;
    }
    fr_place at = fr_where(p);
    at.hint = took_a_field(p) ? INCOMPLETE : hint;
    at.exact.message =
        fr_said(p->u, "expected a comparison (=, !=, <, <=, >, >=), found %.*s",
                MT_ARG(found_words(p)));
    fr_report(p->u, FR_E_PARSE_COMPARISON, at, "expected comparison operator, got %.*s",
              MT_ARG(fr_found_debug(p->a, &p->u->syms, p->t)));
    return false;
}

/* ---- fields ---- */

/* What a field looks like, for one that is missing. */
static const struct {
    fr_sym field;
    const char *hint;
} EXAMPLES[] = {
    {FR_W_type, "add a type, such as type: Bool"},
    {FR_W_source, "say where its value comes from: source: \"orders.total\""},
    {FR_W_protocol, "add protocol: http, database, graphql, grpc, static or manual"},
    {FR_W_stratum,
     "add stratum: 0, or a number higher than that of the rules it reads"},
    {FR_W_when, "add a condition; when: true always holds"},
    {FR_W_precondition, "add a condition; precondition: true always holds"},
    {FR_W_condition, "add the condition that decides between if_true and if_false"},
    {FR_W_if_true, "say where the flow goes: if_true: a_step, or Terminal(success)"},
    {FR_W_if_false, "say where the flow goes: if_false: a_step, or Terminal(failure)"},
    {FR_W_on_success,
     "say where the flow goes: on_success: a_step, or Terminal(success)"},
    {FR_W_on_failure, "add on_failure: Terminate(outcome: failure)"},
    {FR_W_join, "add join: JoinPolicy { on_all_success: ... on_any_failure: ... }"},
    {FR_W_element_type, "add element_type: with the type of the elements"},
    {FR_W_value, "write Duration { value: 30, unit: \"days\" }"},
    {FR_W_unit, "write Duration { value: 30, unit: \"days\" }"},
};

static const char *example_of(fr_sym field)
{
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) {
        if (EXAMPLES[i].field == field) {
            return EXAMPLES[i].hint;
        }
    }
    return NULL;
}

/* The suite quotes the fields of constructs and no others. */
bool fr_missing(fr_parser *p, fr_tok at, const fr_lack *lack)
{
    p->broken = true;
    fr_place place = fr_where_at(p, at);
    place = fr_exactly(place, lack->shown.first, lack->shown.last);
    place.hint = example_of(lack->field);
    place.exact.field = fr_path_text(p, lack->field);
    place.exact.message =
        lack->of
            ? fr_said(p->u, "%s '%.*s' has no '%.*s'", lack->what,
                      FR_ARG(p->u, lack->of), FR_ARG(p->u, lack->field))
            : fr_said(p->u, "%s has no '%.*s'", lack->what, FR_ARG(p->u, lack->field));
    const char *quote = p->path || !lack->of ? "" : "'";
    fr_report(p->u, FR_E_PARSE_MISSING, place, "%s missing %s%.*s%s", lack->what, quote,
              FR_ARG(p->u, lack->field), quote);
    return false;
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
        {"Operation field", "when", "an operation has a precondition"},
        {"Rule field", "if", "a rule has a condition in when"},
        {"Rule field", "then", "what a rule gives stands in produce"},
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

/* The fields there are, for one that is near to none of them. */
static const char *fields_hint(const fr_parser *p, const fr_sym *fields)
{
    if (!fr_is_heard(p->u)) {
        return NULL;
    }
    mt_buf text = {0};
    mt_buf_addz(&text, "the fields are ");
    for (size_t i = 0; fields[i]; i++) {
        mt_buf_addf(&text, "%s%.*s",
                    !i              ? ""
                    : fields[i + 1] ? ", "
                                    : " and ",
                    FR_ARG(p->u, fields[i]));
    }
    mt_str kept = mt_str_dup(p->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept.ptr;
}

/* The suite has it at the value: the word and its colon are consumed by then. */
bool fr_unknown_field(fr_parser *p, const fr_body *body, fr_name field, fr_sym *meant)
{
    mt_str what =
        body->unknown ? mt_str_z(body->unknown) : mt_strf(p->a, "%s field", body->what);
    fr_place at = fr_exactly(fr_where_at(p, fr_here(p)), field.tok, field.tok);
    at.hint = field_advice(what.ptr, fr_str(p->u, field.sym));
    *meant = FR_W_none;
    if (!at.hint && body->fields) {
        at.hint = fields_hint(p, body->fields);
        at = fr_meant_word(p->u, at, body->fields, field);
        *meant = at.exact.fix ? fr_symbol_find(&p->u->syms, at.exact.fix->edit.text)
                              : FR_W_none;
    }
    p->broken |= !*meant;
    fr_report(p->u, FR_E_PARSE_FIELD, at, "unknown %.*s '%.*s'", MT_ARG(what),
              FR_ARG(p->u, field.sym));
    return *meant != FR_W_none;
}

void fr_repeated(fr_parser *p, fr_tok tok, fr_sym field)
{
    fr_report(p->u, FR_E_PARSE_REPEATED, fr_where_at(p, tok),
              "field '%.*s' is given twice", FR_ARG(p->u, field));
}
