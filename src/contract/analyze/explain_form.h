/* contract/analyze/explain_form.h - headings, names and lines in each form.
 * Room: contract. Private to analyze/explain*.c. */
#ifndef CT_ANALYZE_EXPLAIN_FORM_H
#define CT_ANALYZE_EXPLAIN_FORM_H

#include "contract/analyze/explain.h"

typedef struct ct_prose {
    mt_buf *out;
    ct_explain_form form;
} ct_prose;

/* A title underlined, or "## TITLE". */
void ct_prose_heading(ct_prose p, mt_str title);
/* The name of a thing: coloured, or in backticks. */
void ct_prose_name(ct_prose p, mt_str name);
/* `depth` steps of indentation; in markdown a list item. */
void ct_prose_indent(ct_prose p, unsigned depth);
void ct_prose_line(ct_prose p, unsigned depth, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An expression, in words a reader follows. */
void ct_prose_expr(ct_prose p, const ct_model *m, const ct_expr *e);

#endif
