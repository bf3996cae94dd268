/* contract/front/lint.c - lint comments, and what the caller set.
 *
 * The parser never sees comments, so a file in which one begins with `motet:`, which
 * the lexer has noticed, is lexed once more, for them. A comment is about the construct
 * it stands in, the construct that ends on its line, or the next one; with -file about
 * its file. Later settings win over earlier ones of the same kind.
 *
 * What is not understood is a warning itself (T710), with its place. Nothing fails; of
 * a file at most MOST comments count, so that asking stays cheap. */
#include "contract/front/lint.h"

#include "base/nearest.h"
#include "contract/wire/validate.h"

enum { MOST = 1000 };

static const char MARK[] = FR_LINT_MARK;

/* Comments only take warnings away: whoever reads the source elsewhere, a server or
 * another program, must not refuse what `check` accepts. */
static const struct {
    const char *word;
    bool whole_file;
} VERBS[] = {{"allow", false}, {"allow-file", true}};
enum { VERB_COUNT = sizeof VERBS / sizeof *VERBS };

/* ---- words of a comment ---- */

typedef struct reader {
    fr_unit *u;
    fr_file *file;
    mt_str text; /* what is left of the comment */
} reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r' || c == '\n' || c == '*';
}

/* The next word; empty at the end. */
static mt_str next_word(reader *r)
{
    while (r->text.len && is_blank(r->text.ptr[0])) {
        r->text = mt_str_skip(r->text, 1);
    }
    size_t len = 0;
    while (len < r->text.len && !is_blank(r->text.ptr[len])) {
        len++;
    }
    mt_str word = mt_str_from(r->text.ptr, len);
    r->text = mt_str_skip(r->text, len);
    return word;
}

/* A letter and digits; what follows is a reason for people. */
static bool looks_like_code(mt_str word)
{
    bool digits = word.len > 1;
    for (size_t i = 1; i < word.len; i++) {
        digits &= word.ptr[i] >= '0' && word.ptr[i] <= '9';
    }
    return digits && ((word.ptr[0] | 0x20) >= 'a' && (word.ptr[0] | 0x20) <= 'z');
}

/* Every word is kept, known or not, so that fr_lint_check() can say which are not. */
static void note(reader *r, mt_str word, bool is_code)
{
    *mt_vec_add(r->u->keep, &r->file->lint_words) = (fr_lint_word){
        .offset = (size_t)(word.ptr - r->file->text.ptr),
        .word = word,
        .is_code = is_code,
    };
}

/* ---- which construct a comment is about ---- */

/* In bytes of the file, from the keyword to the end of the last token. */
static fr_range range_of(const fr_construct *c)
{
    fr_span span = fr_construct_span(c);
    const fr_token *first = fr_token_at(c->file, span.first);
    const fr_token *last = fr_token_at(c->file, span.last);
    return (fr_range){first->start, last->start + fr_token_len(c->file->text, last)};
}

static bool on_one_line(mt_str text, size_t from, size_t to)
{
    return from <= to && !memchr(text.ptr + from, '\n', to - from);
}

/* Without the comments before it: these are about it, not part of it. */
static size_t start_of(const fr_construct *c)
{
    return fr_token_at(c->file, c->tok)->start;
}

/* Constructs of a file stand in `all` in the order of the text. */
static fr_range range_at(const fr_unit *u, const fr_file *file, size_t offset)
{
    const fr_construct *before = NULL, *next = NULL;
    for (size_t i = 0; i < u->all.len && !next; i++) {
        const fr_construct *c = u->all.items[i];
        if (c->file != file) {
            continue;
        }
        if (start_of(c) > offset) {
            next = c;
        } else {
            before = c;
        }
    }
    fr_range range = before ? range_of(before) : (fr_range){0, 0};
    bool its =
        before && (offset < range.to || on_one_line(file->text, range.to, offset));
    return its || !next ? range : range_of(next);
}

/* ---- comments ---- */

/* `comment` is a part of the file's own text. A sentence that mentions the word is not
 * about levels. */
static void read_comment(fr_unit *u, fr_file *file, mt_str comment)
{
    size_t at = 2;
    while (at < comment.len && comment.ptr[at] == ' ') {
        at++;
    }
    if (!mt_str_starts(mt_str_skip(comment, at), mt_str_z(MARK))) {
        return;
    }
    reader r = {u, file, mt_str_skip(comment, at + sizeof MARK - 1)};
    mt_str verb = next_word(&r), word;
    size_t v = 0;
    while (v < VERB_COUNT && !mt_str_eq(verb, mt_str_z(VERBS[v].word))) {
        v++;
    }
    if (v == VERB_COUNT) {
        note(&r, verb, false);
        return;
    }
    fr_range whole = {0, file->text.len};
    fr_range range = VERBS[v].whole_file
                         ? whole
                         : range_at(u, file, (size_t)(comment.ptr - file->text.ptr));
    word = next_word(&r);
    if (!looks_like_code(word)) { /* T7O1: the first is meant to be one */
        note(&r, word, true);
    }
    for (; looks_like_code(word); word = next_word(&r)) {
        note(&r, word, true);
        *mt_vec_add(u->keep, &file->lint) = (fr_lint_rule){word, range};
    }
}

/* With symbols of its own: the unit's are complete when warnings are made. */
static void read_comments(fr_unit *u, fr_file *file)
{
    mt_arena scratch = {0};
    fr_symbols syms;
    fr_tokens tokens;
    fr_symbols_init(&syms, &scratch);
    fr_lex(&scratch, &syms, file->text, u->limits, FR_LEX_COMMENTS, &tokens);
    for (uint32_t i = 0; i < tokens.count && file->lint_words.len < MOST; i++) {
        const fr_token *t = &tokens.items[i];
        if (t->kind == FR_T_COMMENT) {
            size_t len = fr_token_len(file->text, t);
            read_comment(u, file, mt_str_from(file->text.ptr + t->start, len));
        }
    }
    mt_arena_free(&scratch);
}

static void read_once(fr_unit *u, fr_file *file)
{
    if (!file->lint_read) {
        file->lint_read = true;
        if (file->tokens.has_lint) {
            read_comments(u, file);
        }
    }
}

/* ---- levels ---- */

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_code(mt_str word, const char *code)
{
    size_t i = 0;
    while (i < word.len && code[i] && upper(word.ptr[i]) == code[i]) {
        i++;
    }
    return i == word.len && !code[i];
}

/* `offset` is where the warning is shown; a comment counts for what it stands in. */
static bool is_allowed(const fr_file *file, const char *code, size_t offset)
{
    for (size_t i = 0; i < file->lint.len; i++) {
        const fr_lint_rule *r = &file->lint.items[i];
        if (offset >= r->range.from && offset < r->range.to && is_code(r->code, code)) {
            return true;
        }
    }
    return false;
}

/* The last rule about a code wins: options come after the file, and later options after
 * earlier ones. */
static ct_lint_level configured(const ct_lint *lint, const char *code)
{
    ct_lint_level level = CT_LINT_DEFAULT;
    for (size_t i = 0; lint && i < lint->count; i++) {
        if (is_code(lint->rules[i].code, code)) {
            level = lint->rules[i].level;
        }
    }
    return level;
}

ct_lint_level fr_lint_at(fr_unit *u, const char *code, const fr_file *file,
                         size_t offset)
{
    if (!file) {
        return configured(u->options.lint, code);
    }
    read_once(u, (fr_file *)(uintptr_t)file); /* places cannot change files otherwise */
    return is_allowed(file, code, offset) ? CT_LINT_ALLOW
                                          : configured(u->options.lint, code);
}

/* Where a line begins, behind its white space. */
static size_t line_start(mt_str text, uint32_t line)
{
    size_t at = 0;
    for (uint32_t n = 1; n < line && at < text.len; n++) {
        at += mt_str_find(mt_str_skip(text, at), '\n') + 1;
    }
    while (at < text.len && is_blank(text.ptr[at]) && text.ptr[at] != '\n') {
        at++;
    }
    return at < text.len ? at : text.len;
}

/* By path, as diagnostics of analyses know only that; and by the start of their line,
 * since some know no column. */
static ct_lint_level level_in(fr_unit *u, const mt_diag *d)
{
    for (size_t i = 0; i < u->files.len; i++) {
        const fr_file *f = u->files.items[i];
        if (mt_str_eq(f->path, d->file)) {
            return fr_lint_at(u, d->code, f, line_start(f->text, d->line));
        }
    }
    return CT_LINT_DEFAULT;
}

/* A System asks its members too: the place may be in one of their files. */
ct_lint_level ct_lint_of(const ct_elaboration *e, const mt_diag *d)
{
    /* The unit is only read further; its comments are looked at once. */
    fr_unit *u = (fr_unit *)(uintptr_t)e->unit;
    ct_lint_level level = level_in(u, d);
    for (size_t i = 0; !level && i < e->member_count; i++) {
        level = e->members[i].contract ? ct_lint_of(e->members[i].contract, d)
                                       : CT_LINT_DEFAULT;
    }
    return level ? level : configured(u->options.lint, d->code);
}

/* ---- what nobody understands ---- */

static const ct_code_info *find_code(mt_str word)
{
    const ct_code_info *info = ct_code_find(word);
    for (size_t i = 0; !info && ct_bundle_code_at(i); i++) {
        info = is_code(word, ct_bundle_code_at(i)->code) ? ct_bundle_code_at(i) : NULL;
    }
    return info;
}

static bool is_error(mt_str word)
{
    const ct_code_info *info = ct_code_find(word);
    for (size_t i = 0; info && i < FR_CODE_COUNT; i++) {
        if (ct_code_at(i) == info) {
            return fr_code_level((fr_code)i) <= FR_SPEC;
        }
    }
    return info == NULL && find_code(word) != NULL; /* bundles have errors only */
}

/* Only codes that have a level are offered. */
static mt_str nearest_code(mt_str word)
{
    mt_nearest n = mt_nearest_to(word);
    for (size_t i = 0; ct_code_at(i); i++) {
        if (fr_code_level((fr_code)i) > FR_SPEC) {
            mt_nearest_offer(&n, mt_str_z(ct_code_at(i)->code));
        }
    }
    return n.best;
}

/* Codes of analyses are not ours to know: a letter S and three digits. */
static bool is_finding(mt_str word)
{
    bool is = word.len == 4 && upper(word.ptr[0]) == 'S';
    for (size_t i = 1; is && i < word.len; i++) {
        is = word.ptr[i] >= '0' && word.ptr[i] <= '9';
    }
    return is;
}

mt_str ct_lint_fault(mt_arena *a, mt_str word, mt_str *hint)
{
    *hint = MT_STR("");
    if (is_error(word)) {
        *hint = MT_STR("only warnings and notes have a level");
        return mt_strf(a, "%.*s is an error, whatever is said about it", MT_ARG(word));
    }
    if (find_code(word) || is_finding(word)) {
        return MT_STR("");
    }
    mt_str near = nearest_code(word);
    *hint = near.len ? mt_strf(a, "did you mean %.*s? (motet help codes lists all)",
                               MT_ARG(near))
                     : MT_STR("motet help codes lists all codes");
    return mt_strf(a, "there is no code '%.*s'", MT_ARG(word));
}

static mt_str verb_hint(mt_arena *a, mt_str word)
{
    mt_nearest n = mt_nearest_to(word);
    for (size_t v = 0; v < VERB_COUNT; v++) {
        mt_nearest_offer(&n, mt_str_z(VERBS[v].word));
    }
    return n.best.len ? mt_strf(a, "did you mean '%.*s'?", MT_ARG(n.best))
                      : MT_STR("write // motet: allow CODE, or allow-file CODE for the "
                               "whole file");
}

static void check_word(fr_unit *u, const fr_file *file, const fr_lint_word *w)
{
    mt_str hint;
    mt_str fault =
        w->is_code ? ct_lint_fault(u->keep, w->word, &hint)
                   : mt_strf(u->keep, "'%.*s' is not a lint setting", MT_ARG(w->word));
    if (!w->is_code) {
        hint = verb_hint(u->keep, w->word);
    }
    if (fault.len) {
        fr_report_text(u, FR_E_LINT, file, w->offset, w->word.len, fault, hint);
    }
}

void fr_lint_check(fr_unit *u)
{
    for (size_t i = 0; i < u->files.len; i++) {
        fr_file *file = u->files.items[i];
        read_once(u, file);
        for (size_t w = 0; w < file->lint_words.len; w++) {
            check_word(u, file, &file->lint_words.items[w]);
        }
    }
}
