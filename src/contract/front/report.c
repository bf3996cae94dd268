/* contract/front/report.c - from a fault and its tokens to a diagnostic.
 *
 * A report goes to one of two lists: the first one, whose first error is what the
 * suite compares, and the later one, for what the specification demands beyond it;
 * some codes are warnings unless the run is strict. When a list is full (limit
 * diagnostics) a report is only counted and its text not made.
 *
 * A diagnostic is made as the suite has it; where `exact` says something else, that
 * becomes what is shown and the first one is kept beside it (mt_diag.suite). Columns
 * and lengths are in characters and found from the token: tokens have no column, since
 * only reports need one. Nothing fails. */
#include "contract/front/report.h"

#include "base/utf8.h"
#include "contract/front/lint.h"

/* The list a diagnostic goes to, and how severe it is there. NULL: nobody wants to see
 * it. Order inside a list is the order of the passes; a late report never comes before
 * one the suite knows, whatever pass made it. */
static mt_diags *list_of_error(fr_unit *u, fr_level level, bool late)
{
    return level == FR_SUITE && !late ? u->first : &u->later;
}

static mt_diags *list_of_remark(fr_unit *u, fr_level level, ct_lint_level lint,
                                bool quiet, mt_severity *severity)
{
    bool strict = level == FR_TOLERATED && u->options.strict;
    if (lint == CT_LINT_DENY || (strict && lint == CT_LINT_DEFAULT)) {
        *severity = MT_ERROR;
        return &u->later;
    }
    bool allowed = lint == CT_LINT_ALLOW || (quiet && lint == CT_LINT_DEFAULT);
    bool noted = level == FR_NOTE && lint == CT_LINT_DEFAULT;
    *severity = noted ? MT_NOTE : MT_WARNING;
    return allowed || u->options.no_warnings ? NULL : &u->remarks;
}

/* Only what is not an error has a level, so only that is looked for in comments. */
static mt_diags *list_of(fr_unit *u, fr_code code, const fr_place *at,
                         mt_severity *severity)
{
    fr_level level = fr_code_level(code);
    *severity = MT_ERROR;
    if (level <= FR_SPEC) {
        return list_of_error(u, level, at->late);
    }
    const fr_file *file = at->exact.file ? at->exact.file : at->file;
    fr_tok tok = at->exact.is_placed ? at->exact.span.first : at->tok;
    size_t offset = file ? fr_token_at(file, tok)->start : 0;
    ct_lint_level lint =
        !u->options.no_warnings
            ? fr_lint_at(u, ct_code_at((size_t)code)->code, file, offset)
            : CT_LINT_DEFAULT;
    return list_of_remark(u, level, lint, at->quiet, severity);
}

bool fr_is_heard(const fr_unit *u)
{
    return !mt_diags_full(u->first) || !mt_diags_full(&u->later);
}

mt_str fr_said(fr_unit *u, const char *format, ...)
{
    mt_str text = {0};
    if (fr_is_heard(u)) {
        va_list args;
        va_start(args, format);
        text = mt_strfv(u->keep, format, args);
        va_end(args);
    }
    return text;
}

/* ---- places ---- */

/* Where a byte stands, in characters from 1. */
typedef struct position {
    uint32_t line, column;
} position;

static position position_of(mt_str text, size_t offset, uint32_t line)
{
    size_t begin = offset;
    while (begin && text.ptr[begin - 1] != '\n') {
        begin--;
    }
    mt_str before = mt_str_from(text.ptr + begin, offset - begin);
    return (position){line, (uint32_t)mt_utf8_count(before) + 1};
}

static uint32_t newlines(mt_str text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        n += text.ptr[i] == '\n';
    }
    return n;
}

/* The place of text[start..end), whose first line is known. `length` is what can be
 * underlined in that line. */
static void place_in(mt_str text, size_t start, size_t end, uint32_t line, mt_diag *d)
{
    mt_str all = mt_str_from(text.ptr + start, end - start);
    position from = position_of(text, start, line);
    position to = position_of(text, end, line + newlines(all));
    d->line = from.line;
    d->column = from.column;
    d->end_line = to.line;
    d->end_column = to.column;
    d->length = (uint32_t)mt_utf8_count(mt_str_from(all.ptr, mt_str_find(all, '\n')));
}

static size_t token_end(const fr_file *f, fr_tok tok)
{
    const fr_token *t = fr_token_at(f, tok);
    return t->start + fr_token_len(f->text, t);
}

static void place_span(const fr_file *f, fr_span span, mt_diag *d)
{
    const fr_token *t = fr_token_at(f, span.first);
    d->file = f->path;
    place_in(f->text, t->start, token_end(f, span.last), t->line, d);
}

mt_str fr_source_text(const fr_file *file, fr_span span)
{
    uint32_t start = fr_token_at(file, span.first)->start;
    return mt_str_from(file->text.ptr + start, token_end(file, span.last) - start);
}

/* ---- edits ---- */

/* Line and column at which an edit begins and ends. */
static void place_edit(mt_str text, mt_edit *edit)
{
    mt_diag place = {0};
    place_in(text, edit->offset, edit->offset + edit->length, edit->line, &place);
    edit->column = place.column;
    edit->end_line = place.end_line;
    edit->end_column = place.end_column;
}

/* The columns are found when the fault is kept: there may be more faults than that. */
const mt_fix *fr_fix(fr_unit *u, const fr_file *file, fr_tok first, fr_tok last,
                     mt_str text, bool sure)
{
    if (!fr_is_heard(u)) {
        return NULL;
    }
    const fr_token *t = fr_token_at(file, first);
    size_t end = last < first ? t->start : token_end(file, last);
    mt_fix *fix = mt_new(u->keep, mt_fix);
    *fix = (mt_fix){.edit = {.file = file->path,
                             .line = t->line,
                             .offset = t->start,
                             .length = end - t->start,
                             .text = text},
                    .sure = sure};
    return fix;
}

static const mt_fix *placed_fix(fr_unit *u, const mt_fix *unplaced)
{
    mt_fix *fix = mt_new(u->keep, mt_fix);
    *fix = *unplaced;
    for (size_t i = 0; i < u->files.len; i++) {
        if (u->files.items[i]->path.ptr == fix->edit.file.ptr) {
            place_edit(u->files.items[i]->text, &fix->edit);
        }
    }
    return fix;
}

/* ---- reports ---- */

/* Pass and the usual hint come from the table of codes, so a code means the same
 * wherever it is reported. */
static void add(mt_diags *list, fr_code code, mt_diag *d, const char *hint)
{
    const ct_code_info *info = ct_code_at((size_t)code);
    d->code = info->code;
    d->pass = fr_code_pass(code);
    d->hint = mt_str_z(hint ? hint : info->hint);
    mt_diag_add(list, d);
}

static void name_construct(const fr_unit *u, const fr_construct *c, mt_diag *d)
{
    if (c) {
        d->construct_kind = mt_str_z(fr_kind_name((fr_kind)c->kind));
        d->construct_id = c->id ? fr_str(u, c->id) : (mt_str){0};
    }
}

/* What the object of the suite shows; a column is not in it. */
static bool same_object(const mt_diag *a, const mt_diag *b)
{
    return a->line == b->line && mt_str_eq(a->file, b->file) &&
           mt_str_eq(a->message, b->message) && a->field.ptr == b->field.ptr &&
           a->construct_id.ptr == b->construct_id.ptr &&
           a->construct_kind.ptr == b->construct_kind.ptr;
}

/* *d is as the suite has it; becomes what people are told. */
static void make_exact(fr_unit *u, const fr_place *at, mt_diag *d)
{
    const fr_exact *x = &at->exact;
    mt_diag suite = *d;
    if (x->is_placed) {
        place_span(x->file ? x->file : at->file, x->span, d);
    }
    name_construct(u, x->construct, d);
    d->field = x->field.ptr ? x->field : d->field;
    d->message = x->message.ptr ? x->message : d->message;
    d->fix = x->fix ? placed_fix(u, x->fix) : NULL;
    if (!same_object(&suite, d)) {
        suite.pass = d->pass;
        mt_diag *kept = mt_new(u->keep, mt_diag);
        *kept = suite;
        d->suite = kept;
    }
}

/* §14.3: kind and id of the construct, field, file, line and words for the author. A
 * full list still counts, so the caller learns how many there were. */
void fr_report(fr_unit *u, fr_code code, fr_place at, const char *format, ...)
{
    mt_diag d = {.file = at.file->path, .field = at.field, .pass = fr_code_pass(code)};
    mt_diags *list = list_of(u, code, &at, &d.severity);
    if (!list) {
        return;
    }
    name_construct(u, at.construct, &d);
    if (!mt_diags_full(list)) {
        place_span(at.file, (fr_span){at.tok, at.tok}, &d);
        va_list args;
        va_start(args, format);
        d.message = mt_strfv(u->keep, format, args);
        va_end(args);
        make_exact(u, &at, &d);
    }
    add(list, code, &d, at.hint);
}

/* The line of a byte is counted here: whoever could not read a file has no tokens. */
static void place_fault(const fr_unit *u, const fr_file_fault *f, mt_diag *d)
{
    d->file = f->path;
    if (f->at.file) {
        fr_span span = {f->at.tok, f->at.tok};
        place_span(f->at.file, f->at.exact.is_placed ? f->at.exact.span : span, d);
        d->field = f->at.field;
        name_construct(u, f->at.construct, d);
    } else if (f->text.ptr) {
        mt_str before = mt_str_from(f->text.ptr, f->offset);
        place_in(f->text, f->offset, f->offset, newlines(before) + 1, d);
    }
}

void fr_report_file(fr_unit *u, fr_code code, const fr_file_fault *fault,
                    const char *format, ...)
{
    mt_diag d = {.file = fault->file, .pass = fr_code_pass(code)};
    va_list args;
    va_start(args, format);
    d.message = mt_strfv(u->keep, format, args);
    va_end(args);
    mt_diag *suite = mt_new(u->keep, mt_diag);
    *suite = d;
    place_fault(u, fault, &d);
    d.message = fault->message.ptr ? fault->message : d.message;
    d.suite = suite;
    add(list_of(u, code, &(fr_place){0}, &d.severity), code, &d, fault->at.hint);
}

void fr_report_text(fr_unit *u, fr_code code, const fr_file *file, size_t offset,
                    size_t length, mt_str message, mt_str hint)
{
    mt_diag d = {.file = file->path, .message = message};
    mt_diags *list = list_of(u, code, &(fr_place){0}, &d.severity);
    if (list && !mt_diags_full(list)) {
        uint32_t line = newlines(mt_str_from(file->text.ptr, offset)) + 1;
        place_in(file->text, offset, offset + length, line, &d);
    }
    if (list) {
        add(list, code, &d, mt_strf(u->keep, "%.*s", MT_ARG(hint)).ptr);
    }
}

/* Where a fault of the lexer is, and the edit that mends it. */
static void place_lex(fr_unit *u, const fr_file *file, const fr_lex_fault *fault,
                      mt_diag *d)
{
    size_t end = fault->start + fault->len;
    place_in(file->text, fault->start, end, fault->line, d);
    if (fault->suite_line != fault->line || fault->suite_message.ptr) {
        mt_diag *suite = mt_new(u->keep, mt_diag);
        *suite = *d;
        suite->line = fault->suite_line;
        suite->message = fault->suite_message.ptr ? fault->suite_message : d->message;
        d->suite = suite;
    }
    if (fault->has_fix) {
        mt_fix *fix = mt_new(u->keep, mt_fix);
        *fix = (mt_fix){.edit = {.file = file->path,
                                 .line = fault->line,
                                 .offset = fault->start,
                                 .length = fault->len,
                                 .text = fault->replacement},
                        .sure = true};
        place_edit(file->text, &fix->edit);
        d->fix = fix;
    }
}

/* A full list only counts: finding the place of each of a hundred thousand faults in
 * one line would read the line as often. */
void fr_report_lex(fr_unit *u, const fr_file *file, const fr_lex_fault *fault)
{
    mt_diag d = {.file = file->path,
                 .message = fault->message,
                 .pass = fr_code_pass(fault->code)};
    mt_diags *list = list_of(u, fault->code, &(fr_place){0}, &d.severity);
    if (!mt_diags_full(list)) {
        place_lex(u, file, fault, &d);
    }
    add(list, fault->code, &d, fault->hint);
}

/* Does the construct reach to this byte? One that did not parse may. */
static bool reaches(const fr_construct *c, size_t offset)
{
    return c->id &&
           (c->broken || offset < token_end(c->file, fr_construct_span(c).last));
}

/* The suite names none. */
static void name_kept(fr_unit *u, const fr_construct *c, mt_diag *d)
{
    if (!d->suite) {
        mt_diag *suite = mt_new(u->keep, mt_diag);
        *suite = *d;
        d->suite = suite;
    }
    name_construct(u, c, d);
}

/* Faults and constructs both stand in the order of the text. */
void fr_place_lex(fr_unit *u, const fr_file *file, size_t from, size_t to,
                  fr_construct *const *constructs, size_t count)
{
    size_t next = 0;
    for (uint32_t i = 0; i < file->tokens.fault_count && from < to; i++) {
        const fr_lex_fault *f = &file->tokens.faults[i];
        if (fr_code_level(f->code) != FR_SUITE) {
            continue; /* it is in the other list */
        }
        while (next < count &&
               fr_token_at(file, constructs[next]->tok)->start <= f->start) {
            next++;
        }
        mt_diag *d = &u->first->items[from++];
        if (next && reaches(constructs[next - 1], f->start)) {
            name_kept(u, constructs[next - 1], d);
        }
    }
}
