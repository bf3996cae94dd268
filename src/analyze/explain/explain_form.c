/* analyze/explain/explain_form.c - the three forms of prose.
 * Room: analyze. Whoever tells something writes it once, by these functions; only they
 * ask which form it is. */
#include "analyze/explain/explain_form.h"

#include "base/utf8.h"
#include "contract/flow/text.h"

/* Underlined with as many signs as the title has bytes: titles are ASCII. */
void an_prose_heading(an_prose p, mt_str title)
{
    if (p.form == AN_EXPLAIN_MARKDOWN) {
        mt_buf_addf(p.out, "## %.*s\n\n", MT_ARG(title));
        return;
    }
    bool colour = p.form == AN_EXPLAIN_COLOUR;
    mt_buf_addf(p.out, "%s%.*s%s\n", colour ? "\x1b[1m" : "", MT_ARG(title),
                colour ? "\x1b[0m" : "");
    for (size_t i = 0; i < title.len; i++) {
        mt_buf_addz(p.out, "═");
    }
    mt_buf_addc(p.out, '\n');
}

void an_prose_name(an_prose p, mt_str name)
{
    static const char *const BEFORE[] = {
        [AN_EXPLAIN_TEXT] = "",
        [AN_EXPLAIN_COLOUR] = "\x1b[36m",
        [AN_EXPLAIN_MARKDOWN] = "`",
    };
    MT_TABLE_COVERS(BEFORE, AN_EXPLAIN_MARKDOWN + 1);
    static const char *const AFTER[] = {
        [AN_EXPLAIN_TEXT] = "",
        [AN_EXPLAIN_COLOUR] = "\x1b[0m",
        [AN_EXPLAIN_MARKDOWN] = "`",
    };
    MT_TABLE_COVERS(AFTER, AN_EXPLAIN_MARKDOWN + 1);
    mt_buf_addf(p.out, "%s%.*s%s", BEFORE[p.form], MT_ARG(name), AFTER[p.form]);
}

/* In Markdown every line is an item of a list, so depth becomes nesting. */
void an_prose_indent(an_prose p, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++) {
        mt_buf_addz(p.out, "  ");
    }
    if (p.form == AN_EXPLAIN_MARKDOWN) {
        mt_buf_addz(p.out, "- ");
    }
}

void an_prose_line(an_prose p, unsigned depth, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    an_prose_indent(p, depth);
    mt_buf_addfv(p.out, format, args);
    mt_buf_addc(p.out, '\n');
    va_end(args);
}

/* Verdicts are said in words here; everything else is text of contract/flow.
 * Parentheses stand where reading from left to right would group otherwise. */
void an_prose_expr(an_prose p, const ct_model *m, const ct_expr *e)
{
    if (e->op == CT_PRESENT) {
        mt_buf_addf(p.out, "verdict '%.*s' is present",
                    MT_ARG(m->rules[e->index].verdict));
        return;
    }
    if (e->op == CT_NOT && e->left->op == CT_PRESENT) {
        mt_buf_addf(p.out, "verdict '%.*s' is absent",
                    MT_ARG(m->rules[e->left->index].verdict));
        return;
    }
    if (e->op == CT_AND || e->op == CT_OR) {
        bool wrap_left = e->left->op == CT_AND || e->left->op == CT_OR;
        wrap_left = wrap_left && e->left->op != e->op;
        bool wrap_right = e->right->op == CT_AND || e->right->op == CT_OR;
        mt_buf_addz(p.out, wrap_left ? "(" : "");
        an_prose_expr(p, m, e->left);
        mt_buf_addf(p.out, "%s %s %s", wrap_left ? ")" : "",
                    e->op == CT_AND ? "and" : "or", wrap_right ? "(" : "");
        an_prose_expr(p, m, e->right);
        mt_buf_addz(p.out, wrap_right ? ")" : "");
        return;
    }
    ct_expr_text(p.out, m, e);
}

void an_explain_condition(mt_buf *out, const ct_model *m, const ct_expr *e,
                          an_explain_form form)
{
    an_prose_expr((an_prose){out, form}, m, e);
}
