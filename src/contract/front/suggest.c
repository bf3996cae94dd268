/* contract/front/suggest.c - the declared name nearest to a misspelt one.
 *
 * All names that could stand at a place are offered to base/nearest; the first of those
 * that are equally near is taken, in the order of the text, so the answer is always the
 * same. A contract may have a hundred thousand names and as many faults: GUESSES bounds
 * the comparisons of a whole run, and beyond it nothing is suggested.
 *
 * The edit replaces one token and is never sure: a name that is near is a guess. */
#include "contract/front/suggest.h"

enum { GUESSES = 200000 };

/* Beyond GUESSES names are not compared any more, and what was found so far stands. */
void fr_offer(fr_unit *u, mt_nearest *n, mt_str name)
{
    if (u->guesses < GUESSES) {
        u->guesses++;
        mt_nearest_offer(n, name);
    }
}

void fr_offer_sym(fr_unit *u, mt_nearest *n, fr_sym name)
{
    if (name != FR_W_none && name != FR_W_empty) {
        fr_offer(u, n, fr_str(u, name));
    }
}

/* Names of another unit: a member of a System, whose symbols are numbered differently.
 * The guesses count for the unit that asks. */
void fr_offer_kind_of(fr_unit *u, const fr_unit *of, mt_nearest *n, fr_kind kind)
{
    for (size_t i = 0; i < of->kinds[kind].len; i++) {
        fr_offer(u, n, fr_str(of, of->kinds[kind].items[i]->id));
    }
}

void fr_offer_kind(fr_unit *u, mt_nearest *n, fr_kind kind)
{
    fr_offer_kind_of(u, u, n, kind);
}

void fr_offer_names(fr_unit *u, mt_nearest *n, const fr_names *names)
{
    for (size_t i = 0; i < names->len; i++) {
        fr_offer_sym(u, n, names->items[i].sym);
    }
}

void fr_offer_verdicts(fr_unit *u, mt_nearest *n)
{
    for (size_t i = 0; i < u->kinds[FR_RULE].len; i++) {
        fr_offer_sym(u, n, ((const fr_rule *)u->kinds[FR_RULE].items[i])->verdict.sym);
    }
}

mt_nearest fr_nearest(const fr_unit *u, fr_sym written)
{
    return mt_nearest_to(fr_str(u, written));
}

/* As a source would have it: the escapes of §14.2. */
static mt_str quoted(fr_unit *u, mt_str text)
{
    mt_buf b = {0};
    mt_buf_addc(&b, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        const char *escape = c == '"'    ? "\\\""
                             : c == '\\' ? "\\\\"
                             : c == '\n' ? "\\n"
                             : c == '\t' ? "\\t"
                                         : NULL;
        mt_buf_add(&b, escape ? escape : &c, escape ? 2 : 1);
    }
    mt_buf_addc(&b, '"');
    mt_str kept = mt_str_dup(u->keep, mt_buf_str(&b));
    mt_buf_free(&b);
    return kept;
}

/* Text is suggested in its quotes, as it has to stand in the source; a name in single
 * quotes that belong to the message. */
static fr_place suggest(fr_unit *u, fr_place at, mt_str name, fr_tok tok)
{
    const fr_file *f = at.exact.file ? at.exact.file : at.file;
    bool is_text = fr_token_at(f, tok)->kind == FR_T_STR;
    mt_str text = is_text ? quoted(u, name) : name;
    const char *quote = is_text ? "" : "'";
    at.hint = fr_said(u, "did you mean %s%.*s%s?", quote, MT_ARG(text), quote).ptr;
    at.exact.fix = fr_fix(u, f, tok, tok, text, false);
    return at;
}

/* Names that share no letter are not near, however short they are. */
fr_place fr_meant(fr_unit *u, fr_place at, const mt_nearest *n, fr_tok tok)
{
    size_t longer = n->word.len > n->best.len ? n->word.len : n->best.len;
    return n->best.len && n->distance < longer ? suggest(u, at, n->best, tok) : at;
}

fr_place fr_meant_kind(fr_unit *u, fr_place at, fr_kind kind, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    fr_offer_kind(u, &n, kind);
    return fr_meant(u, fr_exactly(at, written.tok, written.tok), &n, written.tok);
}

fr_place fr_meant_of(fr_unit *u, fr_place at, const fr_names *names, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    fr_offer_names(u, &n, names);
    return fr_meant(u, fr_exactly(at, written.tok, written.tok), &n, written.tok);
}

/* People take the name of a rule for the name of what it produces. */
fr_place fr_meant_verdict(fr_unit *u, fr_place at, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    const fr_rule *rule = fr_find(u, FR_RULE, written.sym);
    at = fr_exactly(at, written.tok, written.tok);
    if (rule && rule->verdict.sym) {
        mt_str verdict = fr_str(u, rule->verdict.sym);
        at = suggest(u, at, verdict, written.tok);
        at.hint = fr_said(u, "'%.*s' is a rule; the verdict it produces is '%.*s'",
                          FR_ARG(u, written.sym), MT_ARG(verdict))
                      .ptr;
        return at;
    }
    fr_offer_verdicts(u, &n);
    return fr_meant(u, at, &n, written.tok);
}

fr_place fr_meant_step(fr_unit *u, fr_place at, const fr_steps *steps, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    for (size_t i = 0; i < steps->len; i++) {
        fr_offer_sym(u, &n, steps->items[i]->id.sym);
    }
    return fr_meant(u, fr_exactly(at, written.tok, written.tok), &n, written.tok);
}

fr_place fr_meant_word(fr_unit *u, fr_place at, const fr_sym *words, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    for (; *words; words++) {
        fr_offer_sym(u, &n, *words);
    }
    return fr_meant(u, fr_exactly(at, written.tok, written.tok), &n, written.tok);
}

/* ---- types ---- */

/* What other languages call our base types, in lower case. */
static const struct {
    const char *other, *ours;
} SYNONYMS[] = {
    {"boolean", "Bool"},        {"integer", "Int"},    {"long", "Int"},
    {"number", "Decimal"},      {"float", "Decimal"},  {"double", "Decimal"},
    {"numeric", "Decimal"},     {"string", "Text"},    {"str", "Text"},
    {"varchar", "Text"},        {"char", "Text"},      {"timestamp", "DateTime"},
    {"time", "DateTime"},       {"currency", "Money"}, {"amount", "Money"},
    {"interval", "Duration"},   {"array", "List"},     {"vector", "List"},
    {"struct", "Record"},       {"object", "Record"},  {"union", "TaggedUnion"},
    {"variant", "TaggedUnion"},
};

static bool same_word(mt_str written, const char *lower)
{
    size_t i = 0;
    for (; i < written.len && lower[i]; i++) {
        char c = written.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != lower[i]) {
            return false;
        }
    }
    return i == written.len && !lower[i];
}

fr_place fr_meant_type(fr_unit *u, fr_place at, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    at = fr_exactly(at, written.tok, written.tok);
    for (size_t i = 0; i < sizeof SYNONYMS / sizeof *SYNONYMS; i++) {
        if (same_word(fr_str(u, written.sym), SYNONYMS[i].other)) {
            return suggest(u, at, mt_str_z(SYNONYMS[i].ours), written.tok);
        }
    }
    fr_offer_kind(u, &n, FR_TYPEDECL);
    /* ORDER nodes.def: the words of base types are symbols in a row. */
    for (fr_sym base = 0; base < LN_BASE_COUNT; base++) {
        fr_offer_sym(u, &n, FR_W_FIRST_BASE + base);
    }
    return fr_meant(u, at, &n, written.tok);
}

/* Parts that nobody declares can be meant, too: tag, amount, currency. */
fr_place fr_meant_field(fr_unit *u, fr_place at, const fr_type *of, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    for (uint32_t i = 0; fr_has(of, LN_PARTED) && i < of->field_count; i++) {
        fr_offer_sym(u, &n, of->fields[i].name);
    }
    if (fr_holds(of, LN_VARIANT)) {
        fr_offer_sym(u, &n, FR_W_tag);
    }
    if (fr_has(of, LN_CURRENCY)) {
        fr_offer_sym(u, &n, FR_W_amount);
        fr_offer_sym(u, &n, FR_W_currency);
    }
    return fr_meant(u, fr_exactly(at, written.tok, written.tok), &n, written.tok);
}

fr_place fr_meant_value(fr_unit *u, fr_place at, const fr_type *of, fr_name written)
{
    mt_nearest n = fr_nearest(u, written.sym);
    for (uint32_t i = 0; fr_holds(of, LN_CHOICE) && i < of->value_count; i++) {
        fr_offer_sym(u, &n, of->values[i]);
    }
    return fr_meant(u, fr_exactly(at, written.tok, written.tok), &n, written.tok);
}
