/* contract/front/report.h - what an author is told, and where.
 * Room: contract/front.
 * The conformance suite compares place and words of the first error, and both are often
 * not what helps: a line where the construct begins, the name of a token. So a report
 * has two sides: the place and the format are the suite's, `exact` is what people and
 * tools are told instead, member by member. Ownership: texts live in the unit's arena.
 */
#ifndef FR_FRONT_REPORT_H
#define FR_FRONT_REPORT_H

#include "contract/front/unit.h"

/* Zero: as the suite has it. */
typedef struct fr_exact {
    bool is_placed; /* `span` is set */
    fr_span span;
    const fr_file *file;           /* that `span` is of; NULL: the place's */
    const fr_construct *construct; /* NULL: the place's */
    mt_str field, message;         /* ptr NULL: the suite's */
    const mt_fix *fix;
} fr_exact;

/* Where a diagnostic points. */
typedef struct fr_place {
    const fr_file *file;
    fr_tok tok;
    const fr_construct *construct; /* NULL: none */
    mt_str field;                  /* ptr NULL: none */
    const char *hint;              /* NULL: the row's */
    bool late;  /* the suite does not look here: report after its errors */
    bool quiet; /* a warning that is only shown when somebody asks for its code */
    fr_exact exact;
} fr_place;

/* A token of a construct, about one of its fields. */
static inline fr_place fr_at(const fr_construct *c, fr_tok tok, mt_str field)
{
    return (fr_place){.file = c->file, .tok = tok, .construct = c, .field = field};
}

/* The same fault, shown at these tokens. */
static inline fr_place fr_exactly(fr_place at, fr_tok first, fr_tok last)
{
    at.exact.is_placed = true;
    at.exact.span = (fr_span){first, last};
    return at;
}

/* Text for a report; ptr NULL once the list of faults is full and nobody would see it:
 * a file may have as many slips as it has characters. */
mt_str fr_said(fr_unit *u, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool fr_is_heard(const fr_unit *u);
/* Code and level decide where it is listed and whether it is an error. */
void fr_report(fr_unit *u, fr_code code, fr_place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* For faults of a whole file: the suite has its name and no line. What people are told
 * is `at`, whose file may be NULL: then it is `path` as a whole. */
typedef struct fr_file_fault {
    mt_str file;    /* as the suite names it */
    mt_str path;    /* as the author does */
    fr_place at;    /* the import, or nothing */
    size_t offset;  /* with `text`: the byte at fault, where there is no import */
    mt_str text;    /* ptr NULL: no byte is known */
    mt_str message; /* for people; ptr NULL: the suite's */
} fr_file_fault;
void fr_report_file(fr_unit *u, fr_code code, const fr_file_fault *fault,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
/* For words outside of the tree: text[offset..offset+length) of a file. */
void fr_report_text(fr_unit *u, fr_code code, const fr_file *file, size_t offset,
                    size_t length, mt_str message, mt_str hint);
/* For faults of the lexer, which knows offsets and its own message. */
void fr_report_lex(fr_unit *u, const fr_file *file, const fr_lex_fault *fault);
/* Names the constructs they stand in, once these are known: the faults of the file are
 * the diagnostics [from, to) of the first list. */
void fr_place_lex(fr_unit *u, const fr_file *file, size_t from, size_t to,
                  fr_construct *const *constructs, size_t count);

/* An edit that replaces these tokens (`last` < `first`: inserts before `first`); NULL
 * once nobody would see it. */
const mt_fix *fr_fix(fr_unit *u, const fr_file *file, fr_tok first, fr_tok last,
                     mt_str text, bool sure);
/* The text of tokens as it was written, with what stands between them. */
mt_str fr_source_text(const fr_file *file, fr_span span);

/* With the brackets that are opened or closed in it and not both. */
fr_span fr_balanced(const fr_file *file, fr_span span);
/* All tokens of an expression, with the brackets that belong to it. */
fr_span fr_expr_span(const fr_file *file, const fr_expr *e);
/* The name in verdict_present(name) or `name present`. */
fr_name fr_verdict_name(const fr_file *file, const fr_expr *e);
/* The outcome in Terminal(outcome), of which a target has the first word. */
fr_tok fr_terminal_outcome(const fr_file *file, fr_tok terminal);
/* All tokens of a construct, from its keyword on. */
fr_span fr_construct_span(const fr_construct *c);
/* The token of the bracket that closes the one at `open`; the last before the end of
 * the file if none does. */
fr_tok fr_closing(const fr_file *file, fr_tok open);

#endif
