/* analyze/explain/explain_form.h - headings, names and lines in each form.
 * Room: analyze. Private to analyze/explain*.c. */
#ifndef AN_ANALYZE_EXPLAIN_FORM_H
#define AN_ANALYZE_EXPLAIN_FORM_H

#include "analyze/explain/explain.h"

typedef struct an_prose {
    mt_buf *out;
    an_explain_form form;
} an_prose;

/* A title underlined, or "## TITLE". */
void an_prose_heading(an_prose p, mt_str title);
/* The name of a thing: coloured, or in backticks. */
void an_prose_name(an_prose p, mt_str name);
/* `depth` steps of indentation; in markdown a list item. */
void an_prose_indent(an_prose p, unsigned depth);
void an_prose_line(an_prose p, unsigned depth, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An expression, in words a reader follows. */
void an_prose_expr(an_prose p, const ct_model *m, const ct_expr *e);

#endif
