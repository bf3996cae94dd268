/* contract/analyze/explain_form.c - the three forms of prose.
 * Room: contract. */
#include "contract/analyze/explain_form.h"

#include "base/utf8.h"
#include "contract/flow/text.h"

void ct_prose_heading(ct_prose p, mt_str title)
{
    if (p.form == CT_EXPLAIN_MARKDOWN) {
        mt_buf_addf(p.out, "## %.*s\n\n", MT_ARG(title));
        return;
    }
    bool colour = p.form == CT_EXPLAIN_COLOUR;
    mt_buf_addf(p.out, "%s%.*s%s\n", colour ? "\x1b[1m" : "", MT_ARG(title),
                colour ? "\x1b[0m" : "");
    for (size_t i = 0; i < title.len; i++) {
        mt_buf_addz(p.out, "═");
    }
    mt_buf_addc(p.out, '\n');
}

void ct_prose_name(ct_prose p, mt_str name)
{
    /* ORDER ct_explain_form. */
    static const char *const BEFORE[] = {"", "\x1b[36m", "`"};
    static const char *const AFTER[] = {"", "\x1b[0m", "`"};
    mt_buf_addf(p.out, "%s%.*s%s", BEFORE[p.form], MT_ARG(name), AFTER[p.form]);
}

void ct_prose_indent(ct_prose p, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++) {
        mt_buf_addz(p.out, "  ");
    }
    if (p.form == CT_EXPLAIN_MARKDOWN) {
        mt_buf_addz(p.out, "- ");
    }
}

void ct_prose_line(ct_prose p, unsigned depth, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ct_prose_indent(p, depth);
    mt_buf_addfv(p.out, format, args);
    mt_buf_addc(p.out, '\n');
    va_end(args);
}

void ct_prose_expr(ct_prose p, const ct_model *m, const ct_expr *e)
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
        ct_prose_expr(p, m, e->left);
        mt_buf_addf(p.out, "%s %s %s", wrap_left ? ")" : "",
                    e->op == CT_AND ? "and" : "or", wrap_right ? "(" : "");
        ct_prose_expr(p, m, e->right);
        mt_buf_addz(p.out, wrap_right ? ")" : "");
        return;
    }
    ct_expr_text(p.out, m, e);
}
