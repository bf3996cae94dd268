/* lsp/hover.c - what a name is, told where it stands.
 *
 * A hover says what kind of thing the name means, shows its declaration as it was
 * written, adds what only the checked tree knows (types, strata, who uses it), and
 * explains the codes of the faults that are told at the place. */
#include <ctype.h>

#include "analyze/explain/explain.h"
#include "contract/front/types.h"
#include "lsp/server.h"

enum { SHOWN_LINES = 14, SHOWN_USERS = 8 };

/* ---- the declaration ---- */

static const fr_construct *construct_of(const ls_view *v, const fr_site *site)
{
    return ls_construct_at(v, site->file, site->offset);
}

static void add_source(mt_buf *out, const fr_construct *k)
{
    ls_range r = ls_span_range(k->file, fr_construct_span(k));
    mt_str rest = mt_str_from(k->file->text.ptr + r.from, r.to - r.from);
    mt_buf_addz(out, "```tenor\n");
    for (int n = 0; rest.len && n < SHOWN_LINES; n++) {
        size_t end = mt_str_find(rest, '\n');
        mt_buf_add(out, rest.ptr, end);
        mt_buf_addc(out, '\n');
        rest = mt_str_skip(rest, end + 1);
    }
    mt_buf_addz(out, rest.len ? "…\n```\n" : "```\n");
}

/* ---- what the tree knows ---- */

static void add_type(mt_buf *out, ls_call *c, const fr_unit *u, const fr_type *t)
{
    if (t && t->base < LN_BASE_COUNT) {
        mt_buf_addf(out, "\nType: `%.*s`\n", MT_ARG(fr_type_spell(u, c->a, t)));
    }
}

/* In words, where the contract is whole: only then there is a model to read. */
static void add_condition(mt_buf *out, const char *before, const ct_model *m,
                          const ct_expr *e)
{
    if (e) {
        mt_buf_addf(out, "\n%s ", before);
        an_explain_condition(out, m, e, AN_EXPLAIN_MARKDOWN);
        mt_buf_addz(out, ".\n");
    }
}

static void add_rule(mt_buf *out, ls_call *c, const ls_view *v, const fr_rule *r)
{
    const fr_unit *u = v->e->unit;
    const ct_model *m = v->contract.admitted.model;
    mt_buf_addf(out, "\nStratum %lld", (long long)r->stratum);
    if (r->verdict.sym != FR_W_none && r->verdict.sym != FR_W_empty) {
        mt_buf_addf(out, ", produces `%.*s`", FR_ARG(u, r->verdict.sym));
    }
    mt_buf_addc(out, '\n');
    add_type(out, c, u, r->payload_type);
    for (uint32_t i = 0; m && i < m->rule_count; i++) {
        if (mt_str_eq(m->rules[i].id, fr_str(u, r->head.id))) {
            add_condition(out, "Holds when", m, m->rules[i].when);
        }
    }
}

static void add_operation(mt_buf *out, const ls_view *v, const fr_operation *op)
{
    const fr_unit *u = v->e->unit;
    const ct_model *m = v->contract.admitted.model;
    for (uint32_t i = 0; m && i < m->operation_count; i++) {
        if (mt_str_eq(m->operations[i].id, fr_str(u, op->head.id))) {
            add_condition(out, "May be done when", m, m->operations[i].precondition);
        }
    }
    for (size_t i = 0; i < op->effects.len; i++) {
        const fr_effect *e = &op->effects.items[i];
        mt_buf_addf(out, "%s`%.*s` from `%.*s` to `%.*s`", i ? ", " : "\nMoves ",
                    FR_ARG(u, e->entity.sym), FR_ARG(u, e->from.sym),
                    FR_ARG(u, e->to.sym));
    }
    mt_buf_addz(out, op->effects.len ? ".\n" : "");
}

static void add_origin(mt_buf *out, const fr_unit *u, const fr_fact *f)
{
    if (f->source.sym != FR_W_none && f->source.sym != FR_W_empty) {
        mt_buf_addf(out, "\nSource: `%.*s`%s%.*s\n", FR_ARG(u, f->source.sym),
                    f->structured ? ", path " : "",
                    MT_ARG(f->structured ? fr_str(u, f->path.sym) : (mt_str){0}));
    }
}

static void add_details(mt_buf *out, ls_call *c, const ls_view *v,
                        const fr_construct *k)
{
    const fr_unit *u = v->e->unit;
    if (k->broken) {
        return;
    }
    if (k->kind == FR_FACT) {
        const fr_fact *f = (const fr_fact *)(const void *)k;
        add_type(out, c, u, f->type);
        add_origin(out, u, f);
    } else if (k->kind == FR_RULE) {
        add_rule(out, c, v, (const fr_rule *)(const void *)k);
    } else if (k->kind == FR_OPERATION) {
        add_operation(out, v, (const fr_operation *)(const void *)k);
    }
}

/* Of a state: which operations lead to it, and which away. */
static void add_ways(mt_buf *out, const ls_view *v, const fr_construct *entity,
                     mt_str state, bool into)
{
    const fr_unit *u = v->e->unit;
    size_t count = 0;
    for (size_t i = 0; i < u->kinds[FR_OPERATION].len; i++) {
        const fr_construct *k = u->kinds[FR_OPERATION].items[i];
        const fr_operation *op = (const fr_operation *)(const void *)k;
        bool is_one = false;
        for (size_t n = 0; !k->broken && n < op->effects.len; n++) {
            const fr_effect *e = &op->effects.items[n];
            is_one |= e->entity.sym == entity->id &&
                      mt_str_eq(fr_str(u, into ? e->to.sym : e->from.sym), state);
        }
        if (is_one) {
            mt_buf_addf(out, "%s`%.*s`",
                        count++ ? ", "
                        : into  ? "\nEntered by "
                                : "\nLeft by ",
                        FR_ARG(u, k->id));
        }
    }
    mt_buf_addz(out, count ? "\n" : into ? "\nNo operation leads to it.\n" : "");
}

/* The constructs that name it, each once, in their order. */
static void add_users(mt_buf *out, const ls_view *v, const fr_mention *m)
{
    const fr_construct *last = NULL;
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < v->mention_count; i++) {
        const fr_mention *x = &v->mentions[i];
        if (x->is_definition || x->definition.offset != m->definition.offset ||
            !mt_str_eq(x->definition.file, m->definition.file)) {
            continue;
        }
        const fr_construct *k = construct_of(v, &x->at);
        if (!k || k == last) {
            continue;
        }
        last = k;
        if (shown++ < SHOWN_USERS) {
            mt_buf_addf(out, "%s`%.*s`", shown == 1 ? "\nUsed by " : ", ",
                        FR_ARG(v->e->unit, k->id));
        } else {
            more++;
        }
    }
    if (more) {
        mt_buf_addf(out, " and %zu more", more);
    }
    mt_buf_addz(out, shown ? "\n" : "\nNothing uses it.\n");
}

/* ---- faults at the place ---- */

static bool stands_at(const ls_call *c, const mt_diag *d)
{
    mt_str text = c->doc->lines.text;
    size_t from = ls_place_offset(text, d->line, d->column);
    size_t to = d->end_line ? ls_place_offset(text, d->end_line, d->end_column)
                            : from + d->length;
    return d->line && from <= c->offset && c->offset <= to;
}

mt_str ls_help_page(mt_arena *a, const ct_code_info *info)
{
    return mt_strf(a, "**%s: %s** (%s)\n\n%s\n\nWhat to do: %s\n", info->code,
                   info->title, info->rule, info->explanation, info->hint);
}

static void add_help(mt_buf *out, mt_arena *a, const ct_code_info *info)
{
    mt_buf_addz(out, out->len ? "\n---\n" : "");
    mt_buf_adds(out, ls_help_page(a, info));
}

/* A code that is written at the place, as in a comment about levels. */
static mt_str word_at(mt_str text, size_t offset)
{
    size_t from = offset, to = offset;
    while (from && isalnum((unsigned char)text.ptr[from - 1])) {
        from--;
    }
    while (to < text.len && isalnum((unsigned char)text.ptr[to])) {
        to++;
    }
    return mt_str_from(text.ptr + from, to - from);
}

static void add_codes(mt_buf *out, ls_call *c, const ls_view *v)
{
    const ct_code_info *written = ct_code_find(word_at(c->doc->lines.text, c->offset));
    for (size_t i = 0; i < v->contract.ds.len; i++) {
        const mt_diag *d = &v->contract.ds.items[i];
        const ct_code_info *info = ct_code_find(mt_str_z(d->code));
        if (info && mt_str_eq(d->file, c->doc->path) && stands_at(c, d)) {
            add_help(out, c->a, info);
            written = info == written ? NULL : written;
        }
    }
    if (written) {
        add_help(out, c->a, written);
    }
}

static void add_name(mt_buf *out, ls_call *c, const ls_view *v, const fr_mention *m)
{
    const fr_construct *k = construct_of(v, &m->definition);
    mt_buf_addf(out, "**%s** `%.*s`\n\n", fr_named_text(m->kind), MT_ARG(m->id));
    if (k && m->kind != FR_NAMED_VARIABLE) {
        add_source(out, k);
        add_details(out, c, v, k);
        if (m->kind == FR_NAMED_STATE) {
            mt_str state = mt_str_skip(m->id, mt_str_find(m->id, '.') + 1);
            add_ways(out, v, k, state, true);
            add_ways(out, v, k, state, false);
        }
        add_users(out, v, m);
    }
}

void ls_hover(ls_call *c)
{
    ls_view *v = ls_view_checked(c->s, c->doc);
    const fr_mention *m = ls_mention_at(v, c->doc->path, c->offset);
    mt_buf words = {0};
    if (m) {
        add_name(&words, c, v, m);
    }
    add_codes(&words, c, v);
    if (words.len) {
        ls_range r = m ? ls_site_range(&m->at) : (ls_range){0, 0};
        ls_write_markdown(c, mt_buf_str(&words), ls_view_text(v, c->doc->path),
                          m ? &r : NULL);
    }
    mt_buf_free(&words);
}
